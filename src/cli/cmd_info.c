/*
 * polyprof info: what a file is and what it holds.
 */
#include "cli/command.h"

static const struct pp_example info_examples[] = {
	{ "info app.folded.gz", "format, compression, metrics, and how much there is of "
	                        "everything" },
	{ "info --why mystery.out", "why it was (or was not) recognised" },
	{ "info --json app.folded", "the same for a script" },
	{ 0 },
};

static const struct pp_mcp_tool info_tool = {
	.name = "info",
	.about = "What the file is: producer, counts, metrics with units and totals.",
	.files = "file",
	.arguments = "",
};

const struct pp_command pp_command_info = {
	.question = "info",
	.name = "info",
	.synopsis = "FILE...",
	.summary = "what a file is: format, metrics with totals, counts, completeness",
	.details =
	    "Several files are described one after the other; with --json as a list under \"files\".",
	.examples = info_examples,
	.hint = PP_HINT_FILE,
	.tool = &info_tool,
};
