/*
 * polyprof diff: what changed between two profiles, of any formats.
 */
#include "cli/ask.h"
#include "cli/compare.h"
#include "cli/load.h"
#include "cli/save.h"
#include "questions/compare.h"

static int diff_run(struct pp_cli *);

static const struct pp_param to_options[] = {
	{ "to", 't', PP_PARAM_CHOICE, "diff-folded",
	  "write differential folded stacks (default when OUT ends in .diff.folded)", PP_HINT_NONE,
	  0 },
	{ 0 },
};
static const struct pp_param_group to_group = { "Output", to_options };

static const struct pp_param_group *const diff_groups[] = {
	&pp_params_compare, &pp_params_diff,   &pp_params_filter, &pp_params_min,
	&pp_params_depth,   &pp_group_listing, &to_group,         &pp_group_read,
	&pp_group_variant,  &pp_group_strict,  &pp_group_general, NULL,
};

static const struct pp_example diff_examples[] = {
	{ "diff old.folded new.folded", "what changed, the largest change first" },
	{ "diff spx.json cachegrind.out.7",
	  "SPX against Xdebug: functions are matched by meaning" },
	{ "diff --normalize total monday.folded tuesday.folded", "shapes, whatever their size" },
	{ "diff --before a1 a2 a3 --after b1 b2 b3", "repeated runs, with their variance" },
	{ "diff --tree old.folded new.folded", "where in the call tree it changed" },
	{ "diff old.folded new.folded -o change.diff.folded", "for a differential flame graph" },
	{ 0 },
};

extern const struct pp_question pp_question_diff;

const struct pp_command pp_command_diff = {
	.question = &pp_question_diff,
	.name = "diff",
	.synopsis = "BEFORE AFTER",
	.summary = "what changed between two profiles, of any formats",
	.details =
	    "Each row has the cost before and after, the difference, the change relative to the "
	    "function's own cost before, the change of its share of the whole, and a verdict: grew, "
	    "shrank, new, gone, same or noise. The rule that tells noise from change is printed. "
	    "Functions are matched whatever profiler wrote their names.\n\n"
	    "--normalize scales the second profile to the size of the first, by total, samples or "
	    "time. Metrics without a common meaning are refused, with a list of what both have.\n\n"
	    "Text shows the 25 largest changes that are not noise; --json and --csv give all rows.",
	.groups = diff_groups,
	.examples = diff_examples,
	.hint = PP_HINT_FILE,
	.run = diff_run,
};

/* Both trees as differential folded stacks. */
static int
folded_ask(struct pp_cli *cli, struct pp_asking *asking, const struct pp_subject *subject,
           enum pp_form form)
{
	const struct pp_compared *params = (const struct pp_compared *)(const void *)asking->params;
	const struct pp_format *target = NULL;
	struct pp_profile *both = NULL;
	struct pp_compare *c = NULL;
	int code = pp_load_exit(pp_compare_make(&asking->answer, subject, params, &c));
	pp_status status;

	pp_load_notes(cli, &asking->answer);
	if (code == 0)
		code = pp_save_target(cli, &target);
	if (code)
		return code;
	if (c->diff.scale != 1.0)
		return pp_cli_wrong(cli, "scaled counts are no whole numbers, so they cannot be "
		                         "written; leave --normalize out");
	status = pp_diff_union(&c->diff, false, &both);
	if (status == PP_E_UNSUPPORTED)
		pp_cli_error(cli, c->diff.runs[0] > 1 || c->diff.runs[1] > 1
		                      ? "repeated runs have no common tree; compare two of them"
		                      : "this needs whole stacks, which not both profiles have");
	else if (status != PP_OK)
		pp_cli_error(cli, "%s", pp_status_text(status));
	code = status == PP_OK ? pp_save_profile(cli, target, both) : PP_EXIT_INPUT;
	pp_profile_free(both);
	return code;
}

static int
diff_ask(struct pp_cli *cli, struct pp_asking *asking, const struct pp_subject *subject,
         enum pp_form form)
{
	int code = pp_ask_run(cli, asking, subject);

	return code ? code : pp_ask_print(cli, asking, form);
}

static int
diff_run(struct pp_cli *cli)
{
	bool tree = pp_args_flag(&cli->args, "tree");
	bool folded = pp_args_flag(&cli->args, "to") || pp_name_ends(cli->path, "diff.folded");
	enum pp_form form;

	if (!pp_ask_form(cli, &form))
		return PP_EXIT_USAGE;
	if (tree && form == PP_FORM_CSV)
		return pp_cli_usage(cli, "a tree is no table: --tree and --csv exclude each other");
	if (folded && (form != PP_FORM_TEXT || tree))
		return pp_cli_usage(cli, "differential folded stacks are the whole answer: leave "
		                         "--json, --csv and --tree out");
	return pp_compare_run(cli, form, folded, folded ? folded_ask : diff_ask);
}
