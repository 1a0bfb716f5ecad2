/*
 * polyprof formats: what can be read and written.
 */
#include "analysis/counts.h"
#include "cli/ask.h"
#include "cli/help.h"
#include "formats/format.h"

static int formats_run(struct pp_cli *);

static const struct pp_param_group *const formats_groups[] = {
	&pp_group_listing,
	&pp_group_general,
	NULL,
};

static const struct pp_example formats_examples[] = {
	{ "formats", "what can be read and written" },
	{ "formats folded", "one format: its extensions, variants and options" },
	{ 0 },
};

const struct pp_command pp_command_formats = {
	.name = "formats",
	.synopsis = "[NAME...]",
	.summary = "the formats that can be read and written, and their options",
	.details =
	    "Facets are what a format can hold: timeline (what happened when), tree (whole stacks), "
	    "edges (callers and callees), lines (cost per source line).",
	.groups = formats_groups,
	.examples = formats_examples,
	.hint = PP_HINT_FORMAT,
	.run = formats_run,
};

/* ---- the columns; data is an array of formats ---- */

static const struct pp_format *
row_format(const void *data, size_t row)
{
	return ((const struct pp_format *const *)data)[row];
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(row_format(data, row)->name));
}

static void
title_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(row_format(data, row)->title));
}

/* `arg` is the ability. */
static void
can_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (row_format(data, row)->can & (unsigned)arg)
		pp_datum_text(d, pp_slice_z("yes"));
}

static void
facets_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (row_format(data, row)->can & pp_facet_names[i].facet)
			pp_buf_addf(d->made, "%s%s", d->made->n ? " " : "", pp_facet_names[i].name);
	pp_datum_made(d);
}

static void
extensions_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (row_format(data, row)->extensions)
		pp_datum_text(d, pp_slice_z(row_format(data, row)->extensions));
}

static void
variants_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (row_format(data, row)->variants)
		pp_datum_text(d, pp_slice_z(row_format(data, row)->variants));
}

static const struct pp_answer_column format_columns[] = {
	{ .key = "name",
	  .title = "name",
	  .as = PP_AS_TEXT,
	  .ink = PP_INK_COMMAND,
	  .get = name_get },
	{ .key = "title",
	  .title = "what it is",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX,
	  .get = title_get },
	{ .key = "read", .title = "read", .as = PP_AS_TEXT, .arg = PP_CAN_READ, .get = can_get },
	{ .key = "write", .title = "write", .as = PP_AS_TEXT, .arg = PP_CAN_WRITE, .get = can_get },
	{ .key = "facets", .title = "facets", .as = PP_AS_TEXT, .drop = 1, .get = facets_get },
	{ .key = "extensions",
	  .title = "extensions",
	  .as = PP_AS_TEXT,
	  .drop = 2,
	  .get = extensions_get },
	{ .key = "variants",
	  .title = "variants",
	  .as = PP_AS_TEXT,
	  .drop = 3,
	  .get = variants_get },
};

/* ---- one format ---- */

/* A list of words in one string as an array. */
static void
words_add(struct pp_answer *a, const char *key, const char *words)
{
	pp_answer_open_list(a, key);
	while (words && *words) {
		size_t n = strcspn(words, " ");

		pp_answer_text(a, NULL, PP_AS_TEXT, pp_slice_of(words, n));
		words += n + strspn(words + n, " ");
	}
	pp_answer_close_list(a);
}

static void
format_add(struct pp_answer *a, const struct pp_format *format)
{
	const struct pp_option_doc *doc;
	const struct pp_rule *rule;
	size_t i;

	pp_answer_open(a, NULL);
	pp_answer_textz(a, "name", format->name);
	pp_answer_textz(a, "title", format->title);
	pp_answer_bool(a, "read", format->can & PP_CAN_READ);
	pp_answer_bool(a, "write", format->can & PP_CAN_WRITE);
	pp_answer_open_list(a, "facets");
	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (format->can & pp_facet_names[i].facet)
			pp_answer_textz(a, NULL, pp_facet_names[i].name);
	pp_answer_close_list(a);
	words_add(a, "extensions", format->extensions);
	words_add(a, "variants", format->variants);
	pp_answer_open_list(a, "options");
	for (doc = format->options; doc && doc->key; doc++) {
		pp_answer_open(a, NULL);
		pp_answer_textz(a, "key", doc->key);
		pp_answer_textz(a, "values", doc->values);
		pp_answer_textz(a, "help", doc->help);
		pp_answer_close(a);
	}
	pp_answer_close_list(a);
	pp_answer_open_list(a, "rules");
	for (rule = format->rules; rule && rule->id; rule++)
		pp_answer_textz(a, NULL, rule->id);
	pp_answer_close_list(a);
	pp_answer_close(a);
}

static void
detail_line(struct pp_cli *cli, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	pp_sink_puts(cli->out, "  ");
	pp_ink_put(cli->out, &cli->style, PP_INK_FAINT, key);
	pp_text_pad(cli->out, 12 - strlen(key));
	pp_sink_printf(cli->out, "%s\n", text);
}

static void
format_text(struct pp_cli *cli, const struct pp_format *format)
{
	const struct pp_option_doc *doc;
	struct pp_buf facets = { 0 };
	struct pp_datum datum = { .made = &facets };
	bool reads = format->can & PP_CAN_READ, writes = format->can & PP_CAN_WRITE;

	facets_get(&format, 0, 0, &datum);
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, format->name);
	pp_sink_printf(cli->out, ": %s\n", format->title);
	detail_line(cli, "can be",
	            reads && writes ? "read and written"
	            : reads         ? "read"
	                            : "written");
	detail_line(cli, "facets", facets.p);
	detail_line(cli, "extensions", format->extensions);
	detail_line(cli, "variants", format->variants);
	if (format->options && format->options->key)
		pp_sink_puts(cli->out, "\n");
	for (doc = format->options; doc && doc->key; doc++) {
		pp_sink_puts(cli->out, "  ");
		pp_ink_putf(cli->out, &cli->style, PP_INK_COMMAND, "--option %s=%s", doc->key,
		            doc->values);
		pp_sink_putc(cli->out, '\n');
		pp_help_wrap(cli->out, &cli->style, doc->help, 0, 6);
	}
	pp_buf_release(&facets);
}

/* ---- running ---- */

static int
format_unknown(struct pp_cli *cli, const char *name)
{
	struct pp_buf hint = { 0 };
	int code;

	pp_suggest_format(name, 0, &hint);
	code = pp_cli_wrong(cli, "there is no format '%s'%s", name, hint.n ? hint.p : "");
	pp_buf_release(&hint);
	return code;
}

/* In JSON each format with all there is to say, else a table of them. */
static void
formats_print(struct pp_cli *cli, const struct pp_format *const *list, size_t n, enum pp_form form)
{
	struct pp_answer_table table = { .columns = format_columns,
		                         .column_count = PP_COUNT_OF(format_columns),
		                         .data = list,
		                         .rows = n,
		                         .flags = PP_TABLE_WHOLE };
	struct pp_answer a;
	size_t i;

	pp_answer_init(&a);
	pp_answer_open_list(&a, "formats");
	for (i = 0; i < n; i++)
		format_add(&a, list[i]);
	pp_answer_close_list(&a);
	pp_answer_table(&a, &table);
	pp_ask_render(cli, &a, form);
	pp_answer_release(&a);
}

static int
formats_run(struct pp_cli *cli)
{
	PP_VEC(const struct pp_format *) list = { 0 };
	const struct pp_format *const *format;
	enum pp_form form;
	size_t i;
	int code = pp_ask_form(cli, &form) ? 0 : PP_EXIT_USAGE;
	bool fine = true;

	for (format = pp_formats; *format && cli->args.words.n == 0; format++)
		fine = fine && pp_vec_push(&list, *format);
	for (i = 0; i < cli->args.words.n && code == 0; i++) {
		const struct pp_format *named = pp_format_find(cli->args.words.at[i]);

		if (named)
			fine = fine && pp_vec_push(&list, named);
		else
			code = format_unknown(cli, cli->args.words.at[i]);
	}
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0 && !fine)
		cli->out->status = PP_E_NOMEM;
	else if (code == 0 && (form != PP_FORM_TEXT || cli->args.words.n == 0))
		formats_print(cli, list.at, list.n, form);
	for (i = 0; code == 0 && form == PP_FORM_TEXT && i < cli->args.words.n && fine; i++) {
		pp_sink_puts(cli->out, i ? "\n" : "");
		format_text(cli, list.at[i]);
	}
	pp_vec_release(&list);
	return code;
}
