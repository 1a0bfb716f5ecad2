/*
 * Where the program is built on the shared library alone, it cannot serve: stores are not part of that.
 */
#include "serve/problem.h"
#include "serve/serve.h"

int
pp_serve_run(const struct pp_serve_options *o, struct pp_buf *problem)
{
	pp_buf_adds(problem, "this polyprof was built without the server");
	return PP_EXIT_OUTPUT;
}
