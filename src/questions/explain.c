/*
 * explain: what a rule means, and what to do about it.
 */
#include <stddef.h>

#include "formats/kit/resolve.h"
#include "formats/format.h"
#include "io/rules.h"
#include "model/rules.h"
#include "questions/findings.h"
#include "questions/question.h"
#include "text/suggest.h"

struct explain_params {
	struct pp_asked asked;
	struct pp_texts rules;
};

static pp_status explain_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param rule_params[] = {
	{ "rule", 0, PP_PARAM_TEXTS, "RULE", "the id of a rule", PP_HINT_RULE,
	  offsetof(struct explain_params, rules) },
	{ 0 },
};
static const struct pp_param_group rule_group = { "Rules", rule_params };

static const struct pp_param_use explain_uses[] = { { &rule_group, 0, PP_GROUP_FIRST }, { 0 } };

const struct pp_question pp_question_explain = {
	.name = "explain",
	.summary = "what a rule cited by a diagnostic means; without one, all rules",
	.params = explain_uses,
	.params_size = sizeof(struct explain_params),
	.word = rule_params,
	.asks = PP_ASKS_NOTHING,
	.gives = PP_GIVES_JSON,
	.run = explain_run,
};

/* All rules by where they belong: the input and the output, the model, then each format. NULL past the last. */
static const struct pp_rule *
rules_of(size_t source, const char **name)
{
	static const struct pp_rule none[] = { { 0 } };
	const struct {
		const char *name;
		const struct pp_rule *rules;
	} rooms[] = { { "io", pp_io_rules },
		      { "loss", pp_loss_rules },
		      { "model", pp_model_rules },
		      { "symbols", pp_resolve_rules } };

	if (source < PP_COUNT_OF(rooms)) {
		*name = rooms[source].name;
		return rooms[source].rules;
	}
	source -= PP_COUNT_OF(rooms);
	if (source >= pp_format_count())
		return NULL;
	*name = pp_formats[source]->name;
	return pp_formats[source]->rules ? pp_formats[source]->rules : none;
}

/* The rule of that id and the name of its source; NULL when there is none. */
static const struct pp_rule *
rule_find(const char *id, const char **source)
{
	const struct pp_rule *rule;
	size_t i;

	for (i = 0; (rule = rules_of(i, source)) != NULL; i++)
		for (; rule->id; rule++)
			if (strcmp(rule->id, id) == 0)
				return rule;
	return NULL;
}

static pp_status
rule_unknown(struct pp_answer *a, const char *id)
{
	const struct pp_rule *rule;
	const char *source;
	struct pp_suggest suggest;
	struct pp_buf hint = { 0 };
	pp_status status;
	size_t i;

	pp_suggest_init(&suggest, pp_slice_z(id));
	for (i = 0; (rule = rules_of(i, &source)) != NULL; i++)
		for (; rule->id; rule++)
			pp_suggest_offer(&suggest, pp_slice_z(rule->id));
	pp_suggest_print(&suggest, &hint, "");
	status = pp_answer_fail(a, PP_E_USAGE, "no-rule", "there is no rule '%s'%s", id,
	                        hint.n ? hint.p : "; `polyprof explain` lists them");
	pp_buf_release(&hint);
	return status;
}

static void
rule_say(struct pp_answer *a, const struct pp_rule *rule)
{
	pp_answer_say(a, PP_INK_PLAIN, "%s", pp_answer_has_said(a) ? "\n" : "");
	pp_answer_say(a, PP_INK_TITLE, "%s", rule->id);
	pp_answer_say(a, PP_INK_PLAIN, " (");
	pp_answer_say(a, pp_severity_ink(rule->severity), "%s", pp_severity_name(rule->severity));
	pp_answer_say(a, PP_INK_PLAIN, "): %s\n\n", rule->title);
	pp_answer_paragraph(a, rule->explain, 2);
}

/* ---- the columns; data is an array of rules and where they belong ---- */

struct rule_row {
	struct pp_rule rule;
	const char *source;
};

static const struct rule_row *
row_of(const void *data, size_t row)
{
	return (const struct rule_row *)data + row;
}

static void
id_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(row_of(data, row)->rule.id));
	d->ink = pp_severity_ink(row_of(data, row)->rule.severity);
}

static void
severity_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(pp_severity_name(row_of(data, row)->rule.severity)));
	d->ink = pp_severity_ink(row_of(data, row)->rule.severity);
}

static const struct pp_answer_column rule_columns[] = {
	{ .key = "rule", .title = "rule", .as = PP_AS_TEXT, .get = id_get },
	{ .key = "of", .as = PP_AS_TEXT, PP_TEXT_OF(rule_row, source) },
	{ .key = "severity",
	  .title = "severity",
	  .as = PP_AS_TEXT,
	  .drop = 1,
	  .get = severity_get },
	{ .key = "title",
	  .title = "what is wrong",
	  .as = PP_AS_TEXT,
	  PP_TEXT_OF(rule_row, rule.title) },
	{ .key = "explain", .as = PP_AS_TEXT, PP_TEXT_OF(rule_row, rule.explain) },
};

static void
rules_table(struct pp_answer *a, const char *key, const struct rule_row *rows, size_t n,
            unsigned flags)
{
	pp_answer_table(a, &(struct pp_answer_table){ .key = key,
	                                              .columns = rule_columns,
	                                              .column_count = PP_COUNT_OF(rule_columns),
	                                              .data = rows,
	                                              .record_size = sizeof *rows,
	                                              .rows = n,
	                                              .flags = flags | PP_TABLE_WHOLE });
}

/* All rules, for people in a table for each place where they belong. */
static size_t
all_add(struct pp_answer *a, struct rule_row *rows)
{
	const struct pp_rule *rule;
	const char *source;
	size_t i, n = 0, first;

	for (i = 0; (rule = rules_of(i, &source)) != NULL; i++) {
		for (first = n; rule->id; rule++, n++)
			if (rows)
				rows[n] = (struct rule_row){ *rule, source };
		if (!rows || n == first)
			continue;
		pp_answer_say(a, PP_INK_PLAIN, "%s", i ? "\n" : "");
		pp_answer_say(a, PP_INK_TITLE, "%s", source);
		pp_answer_say(a, PP_INK_PLAIN, "\n");
		rules_table(a, NULL, rows + first, n - first, PP_TABLE_NO_CSV);
	}
	return n;
}

static pp_status
explain_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct explain_params *params = data;
	size_t named = params->rules.list.n, n = named ? named : all_add(a, NULL), i;
	struct rule_row *rows = pp_answer_alloc(a, (n + 1) * sizeof *rows);

	if (!rows)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	if (!named)
		(void)all_add(a, rows);
	for (i = 0; i < named; i++) {
		const char *id = params->rules.list.at[i].text;
		const struct pp_rule *rule = rule_find(id, &rows[i].source);

		if (!rule)
			return rule_unknown(a, id);
		rows[i].rule = *rule;
	}
	for (i = 0; i < named; i++)
		rule_say(a, &rows[i].rule);
	rules_table(a, "rules", rows, n, PP_TABLE_NO_TEXT);
	return PP_OK;
}
