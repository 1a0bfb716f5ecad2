/*
 * polyprof --version: what to write into a bug report.
 */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/stores.h"

#include "commit.h"

void
pp_cli_version(struct pp_sink *out)
{
	const char *sqlite = pp_cli_sqlite();

	pp_sink_printf(out, "polyprof %s\ncommit: %s\nfeatures: %s%s%s\n", pp_version(), PP_COMMIT,
	               pp_features(), sqlite ? ", SQLite " : "", sqlite ? sqlite : "");
}
