/*
 * polyprof symbolize: names and source lines for addresses.
 */
#include "cli/command.h"

static const struct pp_example symbolize_examples[] = {
	{ "symbolize prod.spaa -o named.spaa", "binaries and debug files where they usually are" },
	{ "symbolize prod.spaa --binary build/server -o named.spaa", "in a binary that you kept" },
	{ "symbolize perf.data --debug-dir debug --to folded | less", "in an archive by build id" },
	{ 0 },
};

const struct pp_command pp_command_symbolize = {
	.question = "symbolize",
	.name = "symbolize",
	.synopsis = "FILE... -o OUT [--binary PATH] [--debug-dir DIR]",
	.summary = "names and source lines for a profile that has addresses only",
	.details =
	    "Frames that have an address in a module, but no name or no source line, get "
	    "them from symbols and debug information: in the file that --binary names, below "
	    "--debug-dir, or where binaries and debug files usually are. A file whose build "
	    "id differs from the module's is never used. Everything else stays as it is, and "
	    "is written as `convert` would.",
	.examples = symbolize_examples,
	.hint = PP_HINT_FILE,
};
