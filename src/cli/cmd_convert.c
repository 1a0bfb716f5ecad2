/*
 * polyprof convert: writes a profile in another format, and says what that cannot hold.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli/filters.h"
#include "cli/load.h"
#include "cli/suggest.h"
#include "text/escape.h"

static int convert_run(struct pp_cli *);

static const struct pp_option convert_options[] = {
	{ "to", 't', PP_ARG_TEXT, "FORMAT", "the format to write (default: what OUT's ending says)",
	  PP_HINT_FORMAT },
	{ "output", 'o', PP_ARG_TEXT, "OUT",
	  "the file to write (`-` or nothing = standard output; .gz and "
	  ".zst compress)",
	  PP_HINT_FILE },
	{ "variant", 0, PP_ARG_TEXT, "VARIANT", "the variant of the format to write",
	  PP_HINT_NONE },
	{ "metric", 'm', PP_ARG_TEXT, "NAME", "the metric to write, for formats that hold only one",
	  PP_HINT_NONE },
	{ "lossless", 0, PP_ARG_FLAG, NULL, "write nothing rather than lose anything (exit 4)",
	  PP_HINT_NONE },
	{ 0 },
};
static const struct pp_option_group convert_group = { "Output", convert_options };

static const struct pp_option_group *const convert_groups[] = {
	&convert_group, &pp_group_filter, &pp_group_depth,
	&pp_group_read, &pp_group_strict, &pp_group_general,
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

/* ---- the target ---- */

/* The format whose extension ends the name; the longest wins ("diff.folded" over "folded"). */
static const struct pp_format *
format_by_name(const char *path)
{
	const struct pp_format *const *format, *best = NULL;
	size_t best_length = 0;

	for (format = pp_formats; *format; format++) {
		const char *ext = (*format)->extensions;

		while (((*format)->can & PP_CAN_WRITE) && ext && *ext) {
			size_t n = strcspn(ext, " ");
			char one[32];

			if (n > best_length && n < sizeof one) {
				memcpy(one, ext, n);
				one[n] = '\0';
				if (pp_name_ends(path, one)) {
					best = *format;
					best_length = n;
				}
			}
			ext += n + strspn(ext + n, " ");
		}
	}
	return best;
}

/* Whether an extension of one format ends in one of the other's, as "diff.folded" in "folded". */
static bool
endings_related(const struct pp_format *a, const struct pp_format *b)
{
	const char *ext = a->extensions;

	while (ext && *ext) {
		size_t n = strcspn(ext, " ");
		const char *other = b->extensions;

		while (other && *other) {
			size_t m = strcspn(other, " ");

			if (n > m && ext[n - m - 1] == '.' && memcmp(ext + n - m, other, m) == 0)
				return true;
			other += m + strspn(other + m, " ");
		}
		ext += n + strspn(ext + n, " ");
	}
	return false;
}

/* A file whose name says a related format would be misread ever after. */
static int
ending_check(struct pp_cli *cli)
{
	const struct pp_format *named = strcmp(cli->path, "-") == 0 ? NULL
	                                                            : format_by_name(cli->path);

	if (!named || named == cli->target ||
	    (!endings_related(named, cli->target) && !endings_related(cli->target, named)))
		return 0;
	return pp_cli_wrong(cli, "%s is named like %s, so it would be misread if it held %s",
	                    cli->path, named->name, cli->target->name);
}

static int
target_find(struct pp_cli *cli, const char *to, const char *path)
{
	struct pp_buf hint = { 0 };
	int code;

	if (!to) {
		cli->target = strcmp(path, "-") == 0 ? NULL : format_by_name(path);
		return cli->target
		           ? 0
		           : pp_cli_usage(
		                 cli, "name the format to write with --to, or by the ending of -o");
	}
	cli->target = pp_format_find(to);
	if (cli->target && (cli->target->can & PP_CAN_WRITE))
		return 0;
	pp_suggest_format(to, PP_CAN_WRITE, &hint);
	code = pp_cli_wrong(cli, "no format '%s' can be written%s", to,
	                    hint.n ? hint.p : "; `polyprof formats` lists them");
	pp_buf_release(&hint);
	return code;
}

/* A variant must be one of those the format lists. */
static int
variant_check(struct pp_cli *cli)
{
	const char *variant = pp_args_text(&cli->args, "variant");
	const char *list = cli->target->variants;

	if (!variant)
		return 0;
	while (list && *list) {
		size_t n = strcspn(list, " ");

		if (n == strlen(variant) && memcmp(list, variant, n) == 0)
			return 0;
		list += n + strspn(list + n, " ");
	}
	return pp_cli_wrong(cli, "format %s has no variant '%s'%s%s", cli->target->name, variant,
	                    cli->target->variants ? "; it has " : "",
	                    cli->target->variants ? cli->target->variants : "");
}

/* ---- writing ---- */

/*
 * To a terminal the bytes go escaped, line by line, so that no name can move the cursor: the writer
 * fills this buffer and convert_show() prints it.
 */
static pp_status
convert_show(struct pp_cli *cli, const struct pp_buf *bytes)
{
	const char *p = bytes->p, *end = bytes->p + bytes->n;
	struct pp_buf line = { 0 };

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;

		line.n = 0;
		pp_escape_terminal(&line, pp_slice_of(p, (size_t)(stop - p)));
		pp_buf_adds(&line, newline ? "\n" : "");
		pp_sink_write(cli->out, line.p, line.n);
		p = newline ? newline + 1 : end;
	}
	if (line.failed)
		cli->out->status = PP_E_NOMEM;
	pp_buf_release(&line);
	return cli->out->status;
}

/* Where the writer writes: the output itself, or a buffer for a terminal. */
static int
convert_open(struct pp_cli *cli, struct pp_buf *buf, struct pp_sink **sink)
{
	int code = pp_cli_output(cli);

	if (code)
		return code;
	*sink = cli->out;
	if (cli->out_terminal && pp_sink_buffer(buf, sink) != PP_OK) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_OUTPUT;
	}
	return 0;
}

static void
convert_close(struct pp_cli *cli, struct pp_buf *buf, struct pp_sink *sink, bool fine)
{
	if (sink == cli->out)
		return;
	if (fine && pp_sink_commit(sink) == PP_OK)
		convert_show(cli, buf);
	pp_sink_close(sink);
	pp_buf_release(buf);
}

static int
convert_write(struct pp_cli *cli, const struct pp_profile *profile)
{
	struct pp_write_opts opts = {
		.variant = pp_args_text(&cli->args, "variant"),
		.metric = pp_args_text(&cli->args, "metric"),
		.lossless = pp_args_flag(&cli->args, "lossless"),
		.options = pp_args_all(&cli->args, "option"),
	};
	struct pp_sink *sink = NULL;
	struct pp_buf buf = { 0 };
	struct pp_diags diags;
	pp_status status;
	int code = convert_open(cli, &buf, &sink);

	if (code) {
		free((void *)opts.options);
		return code;
	}
	pp_diags_init(&diags);
	pp_diags_set_file(&diags, strcmp(cli->path, "-") == 0 ? "standard output" : cli->path);
	status = pp_write_sink(profile, sink, cli->target, &opts, &diags);
	pp_cli_diags(cli, &diags);
	convert_close(cli, &buf, sink, status == PP_OK);
	if (status == PP_E_OUTPUT)
		code = PP_EXIT_OUTPUT; /* pp_cli_finish() knows the reason */
	else if (status != PP_OK)
		code = pp_load_exit(status);
	if (status == PP_E_LOSS)
		pp_cli_error(
		    cli,
		    "%s cannot hold all of this profile, and --lossless forbids to lose any of it",
		    cli->target->name);
	else if (status != PP_OK && status != PP_E_OUTPUT)
		pp_cli_error(cli, "cannot write %s: %s", cli->target->name, pp_status_text(status));
	pp_diags_release(&diags);
	free((void *)opts.options);
	return code;
}

/* ---- running ---- */

/*
 * A file that only becomes canonical needs no profile in between if its format knows how. Returns false
 * when that is not so, with the input still whole.
 */
static bool
convert_rewrite(struct pp_cli *cli, struct pp_loaded *l, int *code)
{
	const struct pp_format *format = l->opened.format;

	if (l->status != PP_OK || format != cli->target || !format->rewrite || cli->out_terminal ||
	    pp_args_text(&cli->args, "metric") || pp_args_text(&cli->args, "variant"))
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
	*code = pp_load_verdict(cli, l);
	return true;
}

/* What the target can hold: an event that it cannot hold need not be stored. */
static unsigned
convert_want(const struct pp_cli *cli)
{
	unsigned can = cli->target->can & PP_FACETS;
	unsigned want = PP_LOAD_WANT | (can & PP_TIMELINE);

	return can & ~(unsigned)PP_TREE ? want | PP_EXTRAS | PP_SITES : want;
}

/* One file: rewritten if that is possible, else read and written. */
static int
convert_one(struct pp_cli *cli, const char *file, struct pp_profile **profile, bool *done)
{
	struct pp_loaded l;
	int code = pp_load_open(cli, file, convert_want(cli), &l);

	if (code == 0) {
		*done = convert_rewrite(cli, &l, &code);
		if (!*done) {
			pp_load_read(&l);
			code = pp_load_verdict(cli, &l);
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
	int code = pp_load_files(cli, 0, &files, &n);

	if (code == 0)
		code = target_find(cli, pp_args_text(&cli->args, "to"), cli->path);
	if (code == 0)
		code = ending_check(cli);
	if (code == 0)
		code = variant_check(cli);
	if (code == 0)
		code = n == 1 && !pp_filters_given(cli)
		           ? convert_one(cli, files[0], &profile, &done)
		           : pp_load_profile(cli, files, n, convert_want(cli), &profile);
	if (code == 0 && !done)
		code = pp_load_metric(cli, profile, &metric);
	if (code == 0 && !done)
		code = convert_write(cli, profile);
	pp_profile_free(profile);
	return code;
}
