/*
 * polyprof top: functions by their own cost or with all they called.
 */
#include "analysis/flat.h"
#include "cli/load.h"
#include "cli/ranking.h"
#include "output/json_view.h"
#include "output/units.h"

#define ROWS_SHOWN 25

static int top_run(struct pp_cli *);

static const struct pp_option_group *const top_groups[] = {
	&pp_group_rank,
	&pp_group_by,
	&pp_group_filter,
	&pp_group_min,
	&pp_group_depth,
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

const struct pp_command pp_command_top = {
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
	.run = top_run,
};

/* The profile has no cost anywhere: an empty listing, not an error. */
static size_t
top_limit(const struct pp_cli *cli, const struct pp_flat *flat)
{
	bool exact = pp_args_flag(&cli->args, "json") || pp_args_flag(&cli->args, "csv");
	uint64_t limit = pp_args_count(&cli->args, "limit", exact ? 0 : ROWS_SHOWN);

	return limit == 0 || limit > flat->n ? flat->n : (size_t)limit;
}

static void
top_print(struct pp_cli *cli, const struct pp_ranking *r)
{
	struct pp_json json;

	if (pp_args_flag(&cli->args, "json")) {
		pp_json_init(&json, cli->out, PP_JSON_SPACED);
		pp_json_flat(&json, &r->flat, r->metric, top_limit(cli, &r->flat));
	} else if (pp_args_flag(&cli->args, "csv")) {
		pp_ranking_csv(r, top_limit(cli, &r->flat), cli->out_terminal, cli->out);
	} else {
		pp_ranking_heading(r, &cli->style, cli->out);
		pp_ranking_table(r, top_limit(cli, &r->flat), &cli->style, cli->out);
		pp_ranking_footer(r, top_limit(cli, &r->flat), &cli->style, cli->out);
	}
}

static int
top_run(struct pp_cli *cli)
{
	const char *const *files;
	struct pp_profile *profile = NULL;
	struct pp_ranking ranking = { 0 };
	size_t n;
	int code;

	if (pp_args_flag(&cli->args, "json") && pp_args_flag(&cli->args, "csv"))
		return pp_cli_usage(cli, "--json and --csv exclude each other");
	code = pp_load_files(cli, 0, &files, &n);
	if (code == 0)
		code = pp_load_profile(cli, files, n,
		                       PP_TREE | PP_EDGES | PP_LINES | PP_FLAT | PP_FUNCTIONS,
		                       &profile);
	if (code == 0)
		code = pp_ranking_init(&ranking, cli, profile);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0)
		top_print(cli, &ranking);
	pp_ranking_release(&ranking);
	pp_profile_free(profile);
	return code;
}
