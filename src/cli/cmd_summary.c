/*
 * polyprof FILE: the friendly default. What the file is, what it adds up to, where the cost is, and
 * what to ask next.
 */
#include "cli/ask.h"

static const struct pp_param_group *const summary_groups[] = {
	&pp_params_rank, &pp_params_filter, &pp_params_min,   &pp_params_depth,  &pp_group_object,
	&pp_group_read,  &pp_group_variant, &pp_group_strict, &pp_group_general, NULL,
};

extern const struct pp_question pp_question_summary;

const struct pp_command pp_command_summary = {
	.question = &pp_question_summary,
	.name = "summary",
	.synopsis = "FILE...",
	.summary = "what the file is, its totals, its costliest functions and its hottest path",
	.groups = summary_groups,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_HIDDEN,
};
