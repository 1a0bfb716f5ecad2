/*
 * polyprof tree: the call tree from the top down, its costly part first.
 */
#include "cli/ask.h"

static const struct pp_param_group *const tree_groups[] = {
	&pp_params_metric,
	&pp_params_by,
	&pp_params_filter,
	&pp_params_min,
	&pp_params_depth,
	&pp_group_object,
	&pp_group_read,
	&pp_group_variant,
	&pp_group_strict,
	&pp_group_general,
	NULL,
};

static const struct pp_example tree_examples[] = {
	{ "tree app.folded", "where the cost is, from the top down" },
	{ "tree --min 5 --depth 6 app.folded", "the first six levels, 5 % and more" },
	{ "tree --focus parse -n 100 app.folded", "what happens in and around `parse`" },
	{ "tree --json app.folded", "all of it, exact, for a script" },
	{ 0 },
};

extern const struct pp_question pp_question_tree;

const struct pp_command pp_command_tree = {
	.question = &pp_question_tree,
	.name = "tree",
	.synopsis = "FILE...",
	.summary = "the call tree from the top down, its costly part first",
	.details =
	    "Each line shows what a function costs with all it called in this place, as a share of "
	    "the whole, and what it costs itself. Text shows the 40 costliest lines of at least "
	    "0.5 % unless -n and --min say otherwise; what is left out is counted. Direct recursion "
	    "is one line, and so is a chain of functions that each only call the next.\n\n"
	    "Profiles of single calls (callgrind) do not know whole stacks: the tree is then an "
	    "estimate, and says so.\n\n"
	    "--json gives the whole tree, nothing folded; --min and --depth prune it if given.",
	.groups = tree_groups,
	.examples = tree_examples,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_OWN_DEPTH,
};
