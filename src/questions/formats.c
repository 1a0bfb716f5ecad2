/*
 * formats: what can be read and written.
 */
#include <stddef.h>

#include "analysis/counts.h"
#include "formats/format.h"
#include "questions/question.h"
#include "text/suggest.h"

struct formats_params {
	struct pp_asked asked;
	struct pp_texts names;
};

static pp_status formats_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param name_params[] = {
	{ "name", 0, PP_PARAM_TEXTS, "NAME", "a format", PP_HINT_FORMAT,
	  offsetof(struct formats_params, names) },
	{ 0 },
};
static const struct pp_param_group name_group = { "Formats", name_params };

static const struct pp_param_use formats_uses[] = { { &name_group, 0, PP_GROUP_FIRST }, { 0 } };

const struct pp_question pp_question_formats = {
	.name = "formats",
	.summary = "the formats that can be read and written, and their options",
	.params = formats_uses,
	.params_size = sizeof(struct formats_params),
	.word = name_params,
	.asks = PP_ASKS_NOTHING,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.run = formats_run,
};

/* ---- the columns; data is an array of formats ---- */

static const struct pp_format *
row_format(const void *data, size_t row)
{
	return ((const struct pp_format *const *)data)[row];
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

static const struct pp_answer_column format_columns[] = {
	{ .key = "name",
	  .title = "name",
	  .as = PP_AS_TEXT,
	  .ink = PP_INK_COMMAND,
	  PP_TEXT_OF(pp_format, name) },
	{ .key = "title",
	  .title = "what it is",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX,
	  PP_TEXT_OF(pp_format, title) },
	{ .key = "read", .title = "read", .as = PP_AS_TEXT, .arg = PP_CAN_READ, .get = can_get },
	{ .key = "write", .title = "write", .as = PP_AS_TEXT, .arg = PP_CAN_WRITE, .get = can_get },
	{ .key = "facets", .title = "facets", .as = PP_AS_TEXT, .drop = 1, .get = facets_get },
	{ .key = "extensions",
	  .title = "extensions",
	  .as = PP_AS_TEXT,
	  .drop = 2,
	  PP_TEXT_OF(pp_format, extensions) },
	{ .key = "variants",
	  .title = "variants",
	  .as = PP_AS_TEXT,
	  .drop = 3,
	  PP_TEXT_OF(pp_format, variants) },
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
detail_say(struct pp_answer *a, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	pp_answer_say(a, PP_INK_PLAIN, "  ");
	pp_answer_say(a, PP_INK_FAINT, "%s", key);
	pp_answer_say(a, PP_INK_PLAIN, "%*s%s\n", (int)(12 - strlen(key)), "", text);
}

static void
format_say(struct pp_answer *a, const struct pp_format *format)
{
	const struct pp_option_doc *doc;
	struct pp_buf facets = { 0 };
	struct pp_datum datum = { .made = &facets };
	bool reads = format->can & PP_CAN_READ, writes = format->can & PP_CAN_WRITE;

	facets_get(&format, 0, 0, &datum);
	pp_answer_say(a, PP_INK_PLAIN, "%s", pp_answer_has_said(a) ? "\n" : "");
	pp_answer_say(a, PP_INK_TITLE, "%s", format->name);
	pp_answer_say(a, PP_INK_PLAIN, ": %s\n", format->title);
	detail_say(a, "can be", reads && writes ? "read and written" : reads ? "read" : "written");
	detail_say(a, "facets", facets.p);
	detail_say(a, "extensions", format->extensions);
	detail_say(a, "variants", format->variants);
	if (format->options && format->options->key)
		pp_answer_say(a, PP_INK_PLAIN, "\n");
	for (doc = format->options; doc && doc->key; doc++) {
		pp_answer_say(a, PP_INK_PLAIN, "  ");
		pp_answer_say(a, PP_INK_COMMAND, "--option %s=%s", doc->key, doc->values);
		pp_answer_say(a, PP_INK_PLAIN, "\n");
		pp_answer_paragraph(a, doc->help, 6);
	}
	pp_buf_release(&facets);
}

/* ---- running ---- */

static pp_status
format_unknown(struct pp_answer *a, const char *name)
{
	struct pp_buf hint = { 0 };
	pp_status status;

	pp_suggest_format(name, 0, &hint);
	status = pp_answer_fail(a, PP_E_USAGE, "no-format", "there is no format '%s'%s", name,
	                        hint.n ? hint.p : "");
	pp_buf_release(&hint);
	return status;
}

/* In JSON each format with all there is to say; for people a table of them, or all about those that are named. */
static pp_status
formats_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct formats_params *params = data;
	size_t named = params->names.list.n, n = named ? named : pp_format_count(), i;
	const struct pp_format **list = pp_answer_alloc(a, (n + 1) * sizeof *list);

	for (i = 0; list && i < n; i++) {
		const char *name = named ? params->names.list.at[i].text : NULL;

		list[i] = named ? pp_format_find(name) : pp_formats[i];
		if (!list[i])
			return format_unknown(a, name);
	}
	pp_answer_open_list(a, "formats");
	for (i = 0; list && i < n; i++) {
		format_add(a, list[i]);
		if (named)
			format_say(a, list[i]);
	}
	pp_answer_close_list(a);
	pp_answer_table(a,
	                &(struct pp_answer_table){
	                    .columns = format_columns,
	                    .column_count = PP_COUNT_OF(format_columns),
	                    .data = list,
	                    .records = (const void *const *)list,
	                    .rows = n,
	                    .flags = named ? PP_TABLE_WHOLE | PP_TABLE_NO_TEXT : PP_TABLE_WHOLE });
	return PP_OK;
}
