/*
 * polyprof FILE: the friendly default. What the file is, what it adds up to, where the cost is, and
 * what to ask next.
 */
#include "cli/command.h"

static const struct pp_mcp_tool summary_tool = {
	.name = "summary",
	.about =
	    "Start here: the costliest functions with their shares, the hottest path, how many findings.",
	.files = "file",
	.arguments = "metric",
};

const struct pp_command pp_command_summary = {
	.question = "summary",
	.name = "summary",
	.synopsis = "FILE...",
	.summary = "what the file is, its totals, its costliest functions and its hottest path",
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_HIDDEN,
	.tool = &summary_tool,
};
