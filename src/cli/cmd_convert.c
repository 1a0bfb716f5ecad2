/*
 * polyprof convert: writes a profile in another format, and says what that cannot hold.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli/load.h"
#include "cli/save.h"

static int convert_run(struct pp_cli *);

static const struct pp_param convert_options[] = {
	{ "to", 't', PP_PARAM_TEXT, "FORMAT",
	  "the format to write (default: what OUT's ending says)", PP_HINT_FORMAT, 0 },
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write (`-` or nothing = standard output; .gz and "
	  ".zst compress)",
	  PP_HINT_FILE, 0 },
	{ "variant", 0, PP_PARAM_TEXT, "VARIANT", "the variant of the format to write",
	  PP_HINT_NONE, 0 },
	{ "metric", 'm', PP_PARAM_TEXT, "NAME",
	  "the metric to write, for formats that hold only one", PP_HINT_NONE, 0 },
	{ "lossless", 0, PP_PARAM_FLAG, NULL, "write nothing rather than lose anything (exit 4)",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group convert_group = { "Output", convert_options };

static const struct pp_param_group *const convert_groups[] = {
	&convert_group, &pp_params_filter, &pp_params_depth,
	&pp_group_read, &pp_group_strict,  &pp_group_general,
	NULL,
};

static const struct pp_example convert_examples[] = {
	{ "convert app.folded.gz -o clean.folded",
	  "merged, sorted, canonical: two such files compare with cmp" },
	{ "convert a.folded b.folded -o all.folded.zst", "several profiles into one, compressed" },
	{ "convert --to folded profile.out | less", "to standard output" },
	{ 0 },
};

const struct pp_command pp_command_convert = {
	.name = "convert",
	.synopsis = "FILE... -o OUT [--to FORMAT]",
	.summary = "write a profile in another format, losing nothing silently",
	.details =
	    "What the target format cannot hold is said on standard error; with --lossless that is an "
	    "error and nothing is written. OUT appears whole or not at all: a failure leaves an "
	    "older file as it was.",
	.groups = convert_groups,
	.examples = convert_examples,
	.hint = PP_HINT_FILE,
	.run = convert_run,
};

/* ---- running ---- */

/*
 * A file that only becomes canonical needs no profile in between if its format knows how. Returns false
 * when that is not so, with the input still whole.
 */
static bool
convert_rewrite(struct pp_cli *cli, const struct pp_load_order *order, struct pp_loaded *l,
                int *code)
{
	const struct pp_format *format = l->opened.format;

	if (l->status != PP_OK || format != order->target || !format->rewrite ||
	    cli->out_terminal || pp_args_text(&cli->args, "metric") ||
	    pp_args_text(&cli->args, "variant"))
		return false;
	*code = pp_cli_output(cli);
	if (*code)
		return true;
	/* What went straight out cannot be taken back when damage is found. */
	if (cli->strict && cli->out->direct)
		return false;
	l->status = pp_opened_rewrite(&l->opened, cli->out);
	pp_progress_clear(&l->progress);
	if (l->status == PP_E_UNSUPPORTED) {
		l->status = PP_OK;
		return false;
	}
	if (l->status == PP_E_OUTPUT) {
		*code = PP_EXIT_OUTPUT; /* pp_cli_finish() knows the reason */
		return true;
	}
	*code = pp_load_verdict(cli, order, l);
	return true;
}

/* What the target can hold: an event that it cannot hold need not be stored. */
static unsigned
convert_want(const struct pp_format *target)
{
	unsigned can = target->can & PP_FACETS;
	unsigned want = PP_LOAD_WANT | (can & PP_TIMELINE);

	return can & ~(unsigned)PP_TREE ? want | PP_EXTRAS | PP_SITES : want;
}

/* One file: rewritten if that is possible, else read and written. */
static int
convert_one(struct pp_cli *cli, const char *file, const struct pp_load_order *order,
            struct pp_profile **profile, bool *done)
{
	struct pp_loaded l;
	int code = pp_load_open(cli, file, order, &l);

	/* The records as read serve only to write the same format back, perhaps by way of a carrier. */
	if (code == 0 && l.is_open && l.opened.format != order->target && !order->target->carries &&
	    !(l.opened.format && l.opened.format->carries))
		l.opened.order->facets &= ~(unsigned)PP_EXTRAS;
	if (code == 0) {
		*done = convert_rewrite(cli, order, &l, &code);
		if (!*done) {
			pp_load_read(&l);
			code = pp_load_verdict(cli, order, &l);
		}
	}
	if (code == 0) {
		*profile = l.profile;
		l.profile = NULL;
	}
	pp_loaded_release(&l);
	return code;
}

static int
convert_run(struct pp_cli *cli)
{
	const char *const *files;
	struct pp_profile *profile = NULL;
	size_t n, metric;
	bool done = false;
	struct pp_load_order order = { .target = NULL };
	int code = pp_load_files(cli, 0, &files, &n);

	if (code == 0)
		code = pp_save_target(cli, &order.target);
	if (code == 0) {
		order.want.facets = convert_want(order.target);
		code = n == 1 && !pp_load_narrowed(cli)
		           ? convert_one(cli, files[0], &order, &profile, &done)
		           : pp_load_by_options(cli, files, n, &order, &profile);
	}
	if (code == 0 && !done)
		code = pp_load_metric(cli, profile, &metric);
	if (code == 0 && !done)
		code = pp_save_profile(cli, order.target, profile);
	pp_profile_free(profile);
	return code;
}
