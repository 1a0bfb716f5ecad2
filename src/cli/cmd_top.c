/*
 * polyprof top: functions by their own cost or with all they called.
 */
#include "cli/opts.h"

static const struct pp_param_group *const top_groups[] = {
	&pp_params_rank,
	&pp_params_by,
	&pp_params_filter,
	&pp_params_min,
	&pp_params_depth,
	&pp_group_listing,
	&pp_group_read,
	&pp_group_variant,
	&pp_group_strict,
	&pp_group_general,
	NULL,
};

static const struct pp_example top_examples[] = {
	{ "top app.folded", "the 25 functions that cost most themselves" },
	{ "top --sort total -n 50 app.folded", "the 50 that cost most with all they called" },
	{ "top --json -n 0 app.folded", "every function, every metric, exact, for a script" },
	{ "top *.folded.gz", "several profiles, merged" },
	{ 0 },
};

extern const struct pp_question pp_question_top;

const struct pp_command pp_command_top = {
	.question = &pp_question_top,
	.name = "top",
	.synopsis = "FILE...",
	.summary = "functions by self or total cost",
	.details =
	    "Self is what a function costs itself; total is with everything it called, counted once "
	    "for each outermost activation, so that recursion never shows more than 100 %. Calls "
	    "are shown where the profile knows them.\n\n"
	    "Text shows 25 rows unless -n says otherwise; --json and --csv give all.",
	.groups = top_groups,
	.examples = top_examples,
	.hint = PP_HINT_FILE,
};
