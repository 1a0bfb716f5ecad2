/*
 * polyprof report: one HTML file with every view.
 */
#include <stdlib.h>

#include "analysis/reshape.h"
#include "cli/load.h"
#include "model/derive.h"
#include "output/html.h"
#include "text/units.h"

#define MAX_SIZE (8u << 20)
#define WANT (PP_TREE | PP_EDGES | PP_LINES | PP_META | PP_TIMELINE)

static int report_run(struct pp_cli *);

static const struct pp_param report_options[] = {
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write (`-` or nothing = standard output)", PP_HINT_FILE, 0 },
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "what to show first", PP_HINT_NONE, 0 },
	{ "merge", 0, PP_PARAM_FLAG, NULL, "add two files up instead of comparing them",
	  PP_HINT_NONE, 0 },
	{ "max-size", 0, PP_PARAM_SIZE, "SIZE",
	  "sum up what is light until the file is no larger: 500K, 8M (default), 1G; 0 = keep all",
	  PP_HINT_NONE, 0 },
	{ "title", 0, PP_PARAM_TEXT, "TEXT", "the title", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group report_group = { "Report", report_options };

static const struct pp_param_group *const report_groups[] = {
	&report_group,     &pp_params_filter, &pp_params_by,     &pp_group_read,
	&pp_group_variant, &pp_group_strict,  &pp_group_general, NULL,
};

static const struct pp_example report_examples[] = {
	{ "report app.folded -o app.html", "open app.html in a browser" },
	{ "report before.json after.json -o change.html", "what changed, in every view" },
	{ "report --max-size 2M big.folded.gz -o big.html", "small enough for a ticket" },
	{ 0 },
};

const struct pp_command pp_command_report = {
	.name = "report",
	.synopsis = "FILE... -o OUT.html",
	.summary = "one self-contained HTML file with every view",
	.details =
	    "Flame graph, time order, sandwich (callers and callees of a function), call tree, "
	    "functions, source lines; what the profile does not know is said. Two files are "
	    "compared in every view. The file needs no network and may be attached to a ticket: "
	    "open it in any browser, press ? for the keys.\n\n"
	    "What is too light to fit --max-size is summed up as \"(n more)\"; the report and this "
	    "command say how much that was.",
	.groups = report_groups,
	.examples = report_examples,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_TIME,
	.run = report_run,
};

static void
report_say(struct pp_cli *cli, const struct pp_html_cut *cut)
{
	struct pp_buf said = { 0 };

	pp_units_listed(&said, cut->nodes, "stack", "stacks");
	pp_units_listed(&said, cut->funcs, "function", "functions");
	pp_units_listed(&said, cut->edges, "call", "calls");
	pp_units_listed(&said, cut->lines, "source line", "source lines");
	if (said.n)
		pp_cli_note(cli,
		            "lighter than %.4g%%, summed up or left out to stay within "
		            "--max-size: %s",
		            cut->min_share * 100, said.p);
	said.n = 0;
	if (cut->resolution) {
		pp_units_time(&said, (double)cut->resolution);
		pp_cli_note(cli, "the order of events is kept to %s", said.p ? said.p : "");
	}
	if (cut->names)
		pp_cli_note(cli, "%llu name%s too long, cut", (unsigned long long)cut->names,
		            cut->names == 1 ? " is" : "s are");
	pp_buf_release(&said);
}

/* A stretch of time is a profile of its own: its costs are booked, the timeline is still that of the whole. */
static bool
forget_time(struct pp_profile **profile)
{
	struct pp_profile *timeless;
	struct pp_derive d;

	if (!*profile)
		return true;
	if (!pp_derive_init(&d, *profile, 0, PP_COLUMN_TIMES))
		return false;
	d.to->facets &= ~(unsigned)PP_TIMELINE;
	(void)pp_derive_finish(&d, PP_OK, &timeless);
	pp_profile_adopt(timeless, *profile);
	*profile = timeless;
	return true;
}

/* Reads one profile, or two to compare. */
static int
report_load(struct pp_cli *cli, const char *const *files, size_t n, struct pp_profile **profiles,
            size_t *count)
{
	struct pp_load_order order = { .want = { .facets = WANT, .stacks = true } };
	bool compare = n == 2 && !pp_args_flag(&cli->args, "merge");
	int code;

	*count = compare ? 2 : 1;
	code = pp_load_by_options(cli, files, compare ? 1 : n, &order, &profiles[0]);
	if (code == 0 && compare)
		code = pp_load_by_options(cli, &files[1], 1, &order, &profiles[1]);
	if (code == 0 && pp_args_text(&cli->args, "time") &&
	    !(forget_time(&profiles[0]) && forget_time(&profiles[1]))) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	return code;
}

/* A differential file is two profiles by itself, unless one of its metrics is asked for. */
static int
report_split(struct pp_cli *cli, struct pp_profile **profiles, size_t *count)
{
	struct pp_profile *whole = profiles[0], *both[PP_DIGEST_MAX] = { NULL, NULL };
	size_t before = pp_profile_metric_find(whole, pp_slice_z("before"));
	size_t after = pp_profile_metric_find(whole, pp_slice_z("after"));
	pp_status status;

	if (*count != 1 || before >= whole->metrics.n || after >= whole->metrics.n ||
	    pp_args_text(&cli->args, "metric"))
		return 0;
	status = pp_reshape_names(whole, before, NULL, &both[0]);
	if (status == PP_OK)
		status = pp_reshape_names(whole, after, NULL, &both[1]);
	if (status != PP_OK) {
		pp_profile_free(both[0]);
		pp_cli_error(cli, "cannot compare: %s", pp_status_text(status));
		return pp_load_exit(status);
	}
	pp_profile_free(whole);
	memcpy(profiles, both, sizeof both);
	*count = 2;
	return 0;
}

static int
report_write(struct pp_cli *cli, const struct pp_html_opts *opts,
             struct pp_profile *const *profiles, size_t n)
{
	const struct pp_profile *p[PP_DIGEST_MAX] = { profiles[0], profiles[1] };
	struct pp_html_cut cut = { 0 };
	int code = pp_cli_output(cli);
	pp_status status;

	if (code)
		return code;
	status = pp_html_report(cli->out, p, n, opts, &cut);
	if (status == PP_E_LIMIT) {
		pp_cli_error(cli, "--max-size is too small for this profile");
		return PP_EXIT_OUTPUT;
	}
	if (status != PP_OK) {
		pp_cli_error(cli, "cannot write the report: %s", pp_status_text(status));
		return pp_load_exit(status);
	}
	report_say(cli, &cut);
	return 0;
}

static int
report_run(struct pp_cli *cli)
{
	struct pp_profile *profiles[PP_DIGEST_MAX] = { NULL, NULL };
	struct pp_html_opts opts = { .title = pp_args_text(&cli->args, "title"),
		                     .max_size = pp_args_count(&cli->args, "max-size", MAX_SIZE) };
	const char **inputs = NULL, *named[PP_DIGEST_MAX];
	const char *const *files;
	size_t n, count = 0;
	int code = pp_load_files(cli, 0, &files, &n);

	if (code == 0)
		code = pp_cli_no_terminal(cli, "report.html");
	if (code)
		return code;
	if (!pp_html_possible()) {
		pp_cli_error(cli, "this polyprof was built without its viewer: install node and "
		                  "npm, run `npm ci` in web/, and build again");
		return PP_EXIT_OUTPUT;
	}
	inputs = calloc(n + 1, sizeof *inputs);
	if (inputs)
		memcpy(inputs, files, n * sizeof *inputs);
	opts.inputs = inputs;
	opts.files = named;
	code = inputs ? report_load(cli, files, n, profiles, &count) : PP_EXIT_INPUT;
	if (code == 0)
		code = report_split(cli, profiles, &count);
	named[0] = named[1] = files[0];
	if (code == 0 && count == 2 && n == 2)
		named[1] = files[1];
	if (code == 0)
		code = pp_load_metric(cli, profiles[0], &opts.metric);
	if (code == 0)
		code = report_write(cli, &opts, profiles, count);
	pp_profile_free(profiles[0]);
	pp_profile_free(profiles[1]);
	free(inputs);
	return code;
}
