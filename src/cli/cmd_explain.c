/*
 * polyprof explain: what a rule means, and what to do about it.
 */
#include "cli/command.h"

static const struct pp_example explain_examples[] = {
	{ "explain folded-count-missing", "what is wrong, why it matters, how to fix it" },
	{ "explain", "all rules, by format" },
	{ 0 },
};

const struct pp_command pp_command_explain = {
	.question = "explain",
	.name = "explain",
	.synopsis = "[RULE...]",
	.summary = "what a rule cited by a diagnostic means; without one, all rules",
	.examples = explain_examples,
	.hint = PP_HINT_RULE,
};
