/*
 * polyprof callees: whom a function calls, how often, and what that costs.
 */
#include "cli/command.h"

static const struct pp_example callees_examples[] = {
	{ "callees main app.folded", "what `main` calls, and what that costs" },
	{ "callees --depth 3 render app.folded", "three levels down" },
	{ 0 },
};

static const struct pp_mcp_tool callees_tool = {
	.name = "callees",
	.about = "Whom a function calls (name or handle), how often, at what cost.",
	.files = "file",
	.arguments = "function metric depth filter",
	.must = "function",
};

const struct pp_command pp_command_callees = {
	.question = "callees",
	.name = "callees",
	.synopsis = "NAME FILE...",
	.summary = "what a function calls, how often, and what that costs",
	.details = "NAME is a function's whole name, a part that only one function has, FILE:NAME, "
	           "FILE:LINE:NAME, or /REGEX/. Each row is one callee and, if the profile knows "
	           "it, the place of the call. The totals are what the callee and everything it "
	           "called cost when called from here; with the function's own cost they add up "
	           "to its total, in every format. Costs below another call of the function "
	           "itself belong to the callees of that call.\n\n"
	           "--depth goes further down: each callee is followed by its own callees, as a "
	           "tree.",
	.examples = callees_examples,
	.hint = PP_HINT_FILE,
	.tool = &callees_tool,
};
