/*
 * polyprof callers: who calls a function, how often, and what that costs.
 */
#include "cli/command.h"

static const struct pp_example callers_examples[] = {
	{ "callers parse app.folded", "who calls `parse`, and what it costs from there" },
	{ "callers --depth 5 malloc app.folded", "the paths that lead to `malloc`, five "
	                                         "levels up" },
	{ "callers '/::hydrate$/' --json app.json", "by regular expression, for a script" },
	{ 0 },
};

static const struct pp_mcp_tool callers_tool = {
	.name = "callers",
	.about = "Who calls a function (name or handle), how often, at what cost.",
	.files = "file",
	.arguments = "function metric depth filter",
	.must = "function",
};

const struct pp_command pp_command_callers = {
	.question = "callers",
	.name = "callers",
	.synopsis = "NAME FILE...",
	.summary = "who calls a function, how often, and what that costs",
	.details =
	    "NAME is a function's whole name, a part that only one function has, FILE:NAME, "
	    "FILE:LINE:NAME, or /REGEX/. Each row is one caller and, if the profile knows "
	    "it, the place of the call. The totals are what the function and everything it "
	    "called cost when called from there; with what came from outside they add up to "
	    "the function's own total, in every format. A call while the function already "
	    "runs, directly or through others, is counted, but adds no cost.\n\n"
	    "--depth goes further up: each caller is followed by its own callers, as a tree.",
	.examples = callers_examples,
	.hint = PP_HINT_FILE,
	.tool = &callers_tool,
};
