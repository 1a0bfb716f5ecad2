/*
 * polyprof explain: what a rule means, and what to do about it.
 */
#include "cli/ask.h"
#include "cli/help.h"
#include "cli/rules.h"
#include "output/diag_view.h"
#include "text/suggest.h"

static int explain_run(struct pp_cli *);

static const struct pp_param_group *const explain_groups[] = {
	&pp_group_object,
	&pp_group_general,
	NULL,
};

static const struct pp_example explain_examples[] = {
	{ "explain folded-count-missing", "what is wrong, why it matters, how to mend it" },
	{ "explain", "all rules, by format" },
	{ 0 },
};

const struct pp_command pp_command_explain = {
	.name = "explain",
	.synopsis = "[RULE...]",
	.summary = "what a rule cited by a diagnostic means; without one, all rules",
	.groups = explain_groups,
	.examples = explain_examples,
	.hint = PP_HINT_RULE,
	.run = explain_run,
};

/* The rule of that id and the name of its source; NULL when there is none. */
static const struct pp_rule *
rule_find(const char *id, const char **source)
{
	const struct pp_rule *rule;
	size_t i;

	for (i = 0; (rule = pp_rules_of(i, source)) != NULL; i++)
		for (; rule->id; rule++)
			if (strcmp(rule->id, id) == 0)
				return rule;
	return NULL;
}

static int
rule_unknown(struct pp_cli *cli, const char *id)
{
	const struct pp_rule *rule;
	const char *source;
	struct pp_suggest suggest;
	struct pp_buf hint = { 0 };
	size_t i;
	int code;

	pp_suggest_init(&suggest, pp_slice_z(id));
	for (i = 0; (rule = pp_rules_of(i, &source)) != NULL; i++)
		for (; rule->id; rule++)
			pp_suggest_offer(&suggest, pp_slice_z(rule->id));
	pp_suggest_print(&suggest, &hint, "");
	code = pp_cli_wrong(cli, "there is no rule '%s'%s", id,
	                    hint.n ? hint.p : "; `polyprof explain` lists them");
	pp_buf_release(&hint);
	return code;
}

static void
rule_add(struct pp_answer *a, const struct pp_rule *rule, const char *source)
{
	pp_answer_open(a, NULL);
	pp_answer_textz(a, "rule", rule->id);
	pp_answer_textz(a, "of", source);
	pp_answer_textz(a, "severity", pp_severity_name(rule->severity));
	pp_answer_textz(a, "title", rule->title);
	pp_answer_textz(a, "explain", rule->explain);
	pp_answer_close(a);
}

static void
rule_text(struct pp_cli *cli, const struct pp_rule *rule)
{
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, rule->id);
	pp_sink_puts(cli->out, " (");
	pp_ink_put(cli->out, &cli->style, pp_severity_ink(rule->severity),
	           pp_severity_name(rule->severity));
	pp_sink_printf(cli->out, "): %s\n\n", rule->title);
	pp_help_wrap(cli->out, &cli->style, rule->explain, 0, 2);
}

/* ---- the columns of the list; data is an array of rules ---- */

static const struct pp_rule *
row_rule(const void *data, size_t row)
{
	return (const struct pp_rule *)data + row;
}

static void
severity_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(pp_severity_name(row_rule(data, row)->severity)));
	d->ink = pp_severity_ink(row_rule(data, row)->severity);
}

static void
id_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(row_rule(data, row)->id));
	d->ink = pp_severity_ink(row_rule(data, row)->severity);
}

static void
title_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(row_rule(data, row)->title));
}

static const struct pp_answer_column rule_columns[] = {
	{ .title = "rule", .as = PP_AS_TEXT, .get = id_get },
	{ .title = "severity", .as = PP_AS_TEXT, .drop = 1, .get = severity_get },
	{ .title = "what is wrong", .as = PP_AS_TEXT, .get = title_get },
};

/* All rules, by where they belong. */
static void
list_add(struct pp_answer *a)
{
	const struct pp_rule *rules;
	const char *source;
	size_t i, n;

	for (i = 0; (rules = pp_rules_of(i, &source)) != NULL; i++) {
		for (n = 0; rules[n].id; n++)
			rule_add(a, &rules[n], source);
		if (n == 0)
			continue;
		pp_answer_say(a, PP_INK_PLAIN, "%s", i ? "\n" : "");
		pp_answer_say(a, PP_INK_TITLE, "%s", source);
		pp_answer_say(a, PP_INK_PLAIN, "\n");
		pp_answer_table(
		    a, &(struct pp_answer_table){ .columns = rule_columns,
		                                  .column_count = PP_COUNT_OF(rule_columns),
		                                  .data = rules,
		                                  .rows = n,
		                                  .flags = PP_TABLE_WHOLE });
	}
}

static int
explain_run(struct pp_cli *cli)
{
	const struct pp_rule *rule;
	const char *source;
	enum pp_form form;
	struct pp_answer a;
	size_t i;
	int code = pp_ask_form(cli, &form) ? 0 : PP_EXIT_USAGE;

	for (i = 0; i < cli->args.words.n; i++)
		if (!rule_find(cli->args.words.at[i], &source))
			return rule_unknown(cli, cli->args.words.at[i]);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code)
		return code;
	pp_answer_init(&a);
	pp_answer_open_list(&a, "rules");
	if (cli->args.words.n == 0)
		list_add(&a);
	for (i = 0; i < cli->args.words.n; i++) {
		rule = rule_find(cli->args.words.at[i], &source);
		rule_add(&a, rule, source);
		if (form == PP_FORM_TEXT) {
			pp_sink_puts(cli->out, i ? "\n" : "");
			rule_text(cli, rule);
		}
	}
	pp_answer_close_list(&a);
	pp_ask_render(cli, &a, form);
	pp_answer_release(&a);
	return PP_EXIT_OK;
}
