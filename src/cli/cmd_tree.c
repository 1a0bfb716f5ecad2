/*
 * polyprof tree: the call tree from the top down, its costly part first.
 */
#include "cli/command.h"

static const struct pp_example tree_examples[] = {
	{ "tree app.folded", "where the cost is, from the top down" },
	{ "tree --min 5 --depth 6 app.folded", "the first six levels, 5% and more" },
	{ "tree --focus parse -n 100 app.folded", "what happens in and around `parse`" },
	{ "tree --json app.folded", "all of it, exact, for a script" },
	{ 0 },
};

static const struct pp_mcp_tool tree_tool = {
	.name = "tree",
	.about =
	    "The call tree, its heaviest part: every row is its self and the rows one level below it. `node` opens a row.",
	.files = "file",
	.arguments = "metric node filter",
};

const struct pp_command pp_command_tree = {
	.question = "tree",
	.name = "tree",
	.synopsis = "FILE...",
	.summary = "the call tree from the top down, costliest parts first",
	.details =
	    "Each line shows what a function and everything it called cost in this place, as "
	    "a share of the whole, and its own cost. Text shows the 40 costliest "
	    "lines of at least 0.5% unless -n and --min say otherwise. Direct recursion is "
	    "one line, and so is a chain of functions that each pass all but a remainder "
	    "below --min on to the next; its costs are those of the last one. What is left "
	    "out below a function is counted if it adds up to --min. Lines too deep to be "
	    "indented begin with their depth.\n\n"
	    "Profiles of individual calls (callgrind) do not know whole stacks: the tree is "
	    "then an estimate, and says so.\n\n"
	    "--json gives the whole tree, nothing folded; --min and --depth prune it if "
	    "given.",
	.examples = tree_examples,
	.hint = PP_HINT_FILE,
	.tool = &tree_tool,
};
