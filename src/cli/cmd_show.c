/*
 * polyprof show: one function.
 */
#include "cli/command.h"

static const struct pp_example show_examples[] = {
	{ "show f1 app.folded", "the costliest function: its place, its metrics, its whole name" },
	{ "show --json --budget 500 f12 app.json", "the twelfth, for an agent" },
	{ 0 },
};

static const struct pp_mcp_tool show_tool = {
	.name = "show",
	.about = "One function: place, all metrics, its whole name.",
	.files = "file",
	.arguments = "function",
	.must = "function",
};

const struct pp_command pp_command_show = {
	.question = "show",
	.name = "show",
	.synopsis = "NAME FILE",
	.summary = "one function: all of its metrics, its whole name",
	.details =
	    "NAME is a handle (f1 is the costliest function), a function's whole name, a part "
	    "that only one function has, FILE:NAME, or /REGEX/. A name that is too long for "
	    "--budget is given in pieces: --page goes on.",
	.examples = show_examples,
	.hint = PP_HINT_FILE,
	.tool = &show_tool,
};
