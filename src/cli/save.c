/*
 * Writing a profile in the format that --to or the name of -o says.
 */
#include "cli/save.h"

#include <stdlib.h>

#include "cli/load.h"
#include "cli/help.h"
#include "text/escape.h"

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
ending_check(struct pp_cli *cli, const struct pp_format *target)
{
	const struct pp_format *named = strcmp(cli->path, "-") == 0 ? NULL
	                                                            : format_by_name(cli->path);

	if (!named || named == target ||
	    (!endings_related(named, target) && !endings_related(target, named)))
		return 0;
	return pp_cli_wrong(cli, "%s is named like %s, so it would be misread if it held %s",
	                    cli->path, named->name, target->name);
}

static int
target_find(struct pp_cli *cli, const char *to, const struct pp_format **target)
{
	struct pp_buf hint = { 0 };
	int code;

	if (!to) {
		*target = strcmp(cli->path, "-") == 0 ? NULL : format_by_name(cli->path);
		return *target
		           ? 0
		           : pp_cli_usage(
		                 cli, "name the format to write with --to, or by the ending of -o");
	}
	*target = pp_format_find(to);
	if (*target && ((*target)->can & PP_CAN_WRITE))
		return 0;
	pp_suggest_format(to, PP_CAN_WRITE, &hint);
	code = pp_cli_wrong(cli, "no format '%s' can be written%s", to,
	                    hint.n ? hint.p : "; `polyprof formats` lists them");
	pp_buf_release(&hint);
	return code;
}

/* A variant must be one of those the format lists. */
static int
variant_check(struct pp_cli *cli, const struct pp_format *target)
{
	const char *variant = pp_args_text(&cli->args, "variant");
	const char *list = target->variants;

	if (!variant)
		return 0;
	while (list && *list) {
		size_t n = strcspn(list, " ");

		if (n == strlen(variant) && memcmp(list, variant, n) == 0)
			return 0;
		list += n + strspn(list + n, " ");
	}
	return pp_cli_wrong(cli, "format %s has no variant '%s'%s%s", target->name, variant,
	                    target->variants ? "; it has " : "",
	                    target->variants ? target->variants : "");
}

/* ---- writing ---- */

/*
 * To a terminal the bytes go escaped, line by line, so that no name can move the cursor: the writer
 * fills this buffer and save_show() prints it.
 */
static pp_status
save_show(struct pp_cli *cli, const struct pp_buf *bytes)
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
save_open(struct pp_cli *cli, struct pp_buf *buf, struct pp_sink **sink)
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
save_close(struct pp_cli *cli, struct pp_buf *buf, struct pp_sink *sink, bool fine)
{
	if (sink == cli->out)
		return;
	if (fine && pp_sink_commit(sink) == PP_OK)
		save_show(cli, buf);
	pp_sink_close(sink);
	pp_buf_release(buf);
}

int
pp_save_profile(struct pp_cli *cli, const struct pp_format *target,
                const struct pp_profile *profile)
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
	int code = save_open(cli, &buf, &sink);

	if (code) {
		free((void *)opts.options);
		return code;
	}
	pp_diags_init(&diags);
	pp_diags_set_file(&diags, strcmp(cli->path, "-") == 0 ? "standard output" : cli->path);
	status = pp_write_sink(profile, sink, target, &opts, &diags);
	pp_cli_diags(cli, &diags);
	save_close(cli, &buf, sink, status == PP_OK);
	/* pp_cli_finish() knows the reason; or the format has no place for numbers as large as these. */
	if (status == PP_E_OUTPUT || status == PP_E_LIMIT)
		code = PP_EXIT_OUTPUT;
	else if (status != PP_OK)
		code = pp_load_exit(status);
	if (status == PP_E_LOSS)
		pp_cli_error(
		    cli,
		    "%s cannot hold all of this profile, and --lossless forbids to lose any of it",
		    target->name);
	else if (status != PP_OK && status != PP_E_OUTPUT && cli->out->status != PP_E_LIMIT)
		pp_cli_error(cli, "cannot write %s: %s", target->name, pp_status_text(status));
	pp_diags_release(&diags);
	free((void *)opts.options);
	return code;
}

int
pp_save_target(struct pp_cli *cli, const struct pp_format **target)
{
	int code = target_find(cli, pp_args_text(&cli->args, "to"), target);

	if (code == 0)
		code = ending_check(cli, *target);
	return code ? code : variant_check(cli, *target);
}
