/*
 * polyprof formats: what can be read and written.
 */
#include "cli/cli.h"
#include "cli/help.h"
#include "text/suggest.h"
#include "formats/format.h"
#include "output/json_view.h"
#include "output/table.h"

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
name_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_format(data, row)->name);
}

static void
title_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_format(data, row)->title);
}

/* `arg` is the ability. */
static void
can_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_format(data, row)->can & (unsigned)arg ? "yes" : "");
}

static void
facets_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	size_t i, start = out->n;

	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (row_format(data, row)->can & pp_facet_names[i].facet)
			pp_buf_addf(out, "%s%s", out->n > start ? " " : "", pp_facet_names[i].name);
}

static void
extensions_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out,
	            row_format(data, row)->extensions ? row_format(data, row)->extensions : "");
}

static void
variants_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_format(data, row)->variants ? row_format(data, row)->variants : "");
}

static enum pp_ink
name_ink(const void *data, size_t row, size_t arg)
{
	return PP_INK_COMMAND;
}

static const struct pp_field field_name = {
	.id = "name",
	.title = "name",
	.show = name_add,
	.exact = name_add,
	.ink = name_ink,
};
static const struct pp_field field_title = {
	.id = "title",
	.title = "what it is",
	.flags = PP_FIELD_FLEX,
	.show = title_add,
	.exact = title_add,
};
static const struct pp_field field_can = { .show = can_add, .exact = can_add };
static const struct pp_field field_facets = {
	.id = "facets",
	.title = "facets",
	.drop = 1,
	.show = facets_add,
	.exact = facets_add,
};
static const struct pp_field field_extensions = {
	.id = "extensions",
	.title = "extensions",
	.drop = 2,
	.show = extensions_add,
	.exact = extensions_add,
};
static const struct pp_field field_variants = {
	.id = "variants",
	.title = "variants",
	.drop = 3,
	.show = variants_add,
	.exact = variants_add,
};

static const struct pp_column format_columns[] = {
	{ .field = &field_name, .arg = 0 },
	{ .field = &field_title, .arg = 0 },
	{ .field = &field_can, .arg = PP_CAN_READ, .id = "read", .title = "read" },
	{ .field = &field_can, .arg = PP_CAN_WRITE, .id = "write", .title = "write" },
	{ .field = &field_facets, .arg = 0 },
	{ .field = &field_extensions, .arg = 0 },
	{ .field = &field_variants, .arg = 0 },
};

/* ---- JSON ---- */

/* A list of words in one string as an array. */
static void
words_json(struct pp_json *j, const char *key, const char *words)
{
	pp_json_put_array(j, key);
	while (words && *words) {
		size_t n = strcspn(words, " ");

		pp_json_text(j, pp_slice_of(words, n));
		words += n + strspn(words + n, " ");
	}
	pp_json_end_array(j);
}

static void
format_json(struct pp_json *j, const struct pp_format *format)
{
	const struct pp_option_doc *doc;
	const struct pp_rule *rule;

	pp_json_begin_object(j);
	pp_json_put_textz(j, "name", format->name);
	pp_json_put_textz(j, "title", format->title);
	pp_json_put_bool(j, "read", format->can & PP_CAN_READ);
	pp_json_put_bool(j, "write", format->can & PP_CAN_WRITE);
	pp_json_put_facets(j, format->can);
	words_json(j, "extensions", format->extensions);
	words_json(j, "variants", format->variants);
	pp_json_put_array(j, "options");
	for (doc = format->options; doc && doc->key; doc++) {
		pp_json_begin_object(j);
		pp_json_put_textz(j, "key", doc->key);
		pp_json_put_textz(j, "values", doc->values);
		pp_json_put_textz(j, "help", doc->help);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
	pp_json_put_array(j, "rules");
	for (rule = format->rules; rule && rule->id; rule++)
		pp_json_textz(j, rule->id);
	pp_json_end_array(j);
	pp_json_end_object(j);
}

static void
formats_json(struct pp_cli *cli, const struct pp_format *const *list, size_t n)
{
	struct pp_json j;
	size_t i;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_json_put_array(&j, "formats");
	for (i = 0; i < n; i++)
		format_json(&j, list[i]);
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

/* ---- text of one format ---- */

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
	bool reads = format->can & PP_CAN_READ, writes = format->can & PP_CAN_WRITE;

	facets_add(&format, 0, 0, &facets);
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, format->name);
	pp_sink_printf(cli->out, ": %s\n", format->title);
	detail_line(cli, "can be",
	            reads && writes ? "read and written"
	            : reads         ? "read"
	                            : "written");
	detail_line(cli, "facets", facets.n ? facets.p : "");
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

static void
formats_print(struct pp_cli *cli, const struct pp_format *const *list, size_t n)
{
	struct pp_table table = { format_columns, PP_COUNT_OF(format_columns), list, n };
	size_t i;

	if (pp_args_flag(&cli->args, "json")) {
		formats_json(cli, list, n);
	} else if (pp_args_flag(&cli->args, "csv")) {
		pp_table_csv(&table, cli->out_terminal, cli->out);
	} else if (cli->args.words.n == 0) {
		pp_table_print(&table, &cli->style, cli->out);
	} else {
		for (i = 0; i < n; i++) {
			pp_sink_puts(cli->out, i ? "\n" : "");
			format_text(cli, list[i]);
		}
	}
}

static int
formats_run(struct pp_cli *cli)
{
	PP_VEC(const struct pp_format *) list = { 0 };
	const struct pp_format *const *format;
	size_t i;
	int code = 0;
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
	if (code == 0 && pp_args_flag(&cli->args, "json") && pp_args_flag(&cli->args, "csv"))
		code = pp_cli_usage(cli, "--json and --csv exclude each other");
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0 && fine)
		formats_print(cli, list.at, list.n);
	else if (code == 0)
		cli->out->status = PP_E_NOMEM;
	pp_vec_release(&list);
	return code;
}
