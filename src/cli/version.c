/*
 * polyprof --version: what to write into a bug report.
 */
#include "cli/cli.h"
#include "cli/help.h"

#include "commit.h"

void
pp_cli_version(struct pp_sink *out)
{
	pp_sink_printf(out, "polyprof %s\ncommit: %s\nfeatures: %s\n", pp_version(), PP_COMMIT,
	               pp_features());
}
