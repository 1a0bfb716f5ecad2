/*
 * The page that a browser is shown at /.
 */
#include "serve/serve.h"

void
pp_page_start(struct pp_serve *s, struct pp_exchange *x)
{
	static const char page[] =
	    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>polyprof</title>\n"
	    "<h1>polyprof</h1>\n<p>Questions are answered at /api/v1/VERB?file=NAME.</p>\n</html>\n";

	pp_answer_page(x, "text/html; charset=utf-8", page, sizeof page - 1);
	pp_exchange_done(x);
}
