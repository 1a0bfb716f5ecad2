/*
 * polyprof merge: several profiles into one, whatever their formats.
 */
#include "cli/load.h"
#include "cli/save.h"

static int merge_run(struct pp_cli *);

static const struct pp_param merge_options[] = {
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE, 0 },
	{ "to", 't', PP_PARAM_TEXT, "FORMAT",
	  "the format to write (default: what OUT's ending says)", PP_HINT_FORMAT, 0 },
	{ "variant", 0, PP_PARAM_TEXT, "VARIANT", "the variant of the format to write",
	  PP_HINT_NONE, 0 },
	{ "metric", 'm', PP_PARAM_TEXT, "NAME",
	  "the metric to write, for formats that hold only one", PP_HINT_NONE, 0 },
	{ "lossless", 0, PP_PARAM_FLAG, NULL, "write nothing rather than lose anything (exit 4)",
	  PP_HINT_NONE, 0 },
	{ "skip", 0, PP_PARAM_FLAG, NULL,
	  "leave out files that cannot be read or count other things, instead of stopping",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group merge_group = { "Output", merge_options };

static const struct pp_param_group *const merge_groups[] = {
	&merge_group,   &pp_params_filter, &pp_params_depth,
	&pp_group_read, &pp_group_strict,  &pp_group_general,
	NULL,
};

static const struct pp_example merge_examples[] = {
	{ "merge worker-*.folded -o all.folded.gz", "the samples of all workers together" },
	{ "merge /tmp/spx/*.json -o week.folded",
	  "a week of SPX reports, whole stacks by wall time" },
	{ "merge --skip /tmp/spx/*.json -o week.folded",
	  "the same without those that are damaged beyond reading" },
	{ "merge a.json cachegrind.out.7 --to folded",
	  "SPX and Xdebug: both count wall time in ns" },
	{ 0 },
};

const struct pp_command pp_command_merge = {
	.name = "merge",
	.synopsis = "FILE... -o OUT [--to FORMAT]",
	.summary = "several profiles into one",
	.details =
	    "Adds up any number of profiles of any formats whose metrics agree by meaning and unit. "
	    "Sums are exact. Files are read one after the other and let go of, so thousands of them "
	    "need little more memory than the result. What only some of the files have, and what "
	    "cannot be kept, is said. A file that cannot be read at all or counts other things stops it, "
	    "and nothing is written; with --skip it is named and left out, and the result is marked "
	    "incomplete.",
	.groups = merge_groups,
	.examples = merge_examples,
	.hint = PP_HINT_FILE,
	.run = merge_run,
};

static int
merge_run(struct pp_cli *cli)
{
	const char *const *files;
	struct pp_profile *profile = NULL;
	size_t n, metric;
	struct pp_load_order order = { .want.facets = PP_LOAD_WANT };
	int code = pp_load_files(cli, 0, &files, &n);

	if (code == 0)
		code = pp_save_target(cli, &order.target);
	if (code == 0)
		code = pp_load_by_options(cli, files, n, &order, &profile);
	if (code == 0)
		code = pp_load_metric(cli, profile, &metric);
	if (code == 0)
		code = pp_save_profile(cli, order.target, profile);
	pp_profile_free(profile);
	return code;
}
