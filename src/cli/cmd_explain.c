/*
 * polyprof explain: what a rule means, and what to do about it.
 */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/rules.h"
#include "text/suggest.h"
#include "output/diag_view.h"
#include "output/table.h"
#include "text/json_emit.h"

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
rule_json(struct pp_json *j, const struct pp_rule *rule, const char *source)
{
	pp_json_begin_object(j);
	pp_json_put_textz(j, "rule", rule->id);
	pp_json_put_textz(j, "of", source);
	pp_json_put_textz(j, "severity", pp_severity_name(rule->severity));
	pp_json_put_textz(j, "title", rule->title);
	pp_json_put_textz(j, "explain", rule->explain);
	pp_json_end_object(j);
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
severity_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, pp_severity_name(row_rule(data, row)->severity));
}

static enum pp_ink
severity_ink(const void *data, size_t row, size_t arg)
{
	return pp_severity_ink(row_rule(data, row)->severity);
}

static void
id_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_rule(data, row)->id);
}

static void
title_add(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_rule(data, row)->title);
}

static const struct pp_field field_id = { .title = "rule", .show = id_add, .ink = severity_ink };
static const struct pp_field field_severity = {
	.title = "severity",
	.drop = 1,
	.show = severity_add,
	.ink = severity_ink,
};
static const struct pp_field field_title = { .title = "what is wrong", .show = title_add };

static const struct pp_column rule_columns[] = {
	{ .field = &field_id, .arg = 0 },
	{ .field = &field_severity, .arg = 0 },
	{ .field = &field_title, .arg = 0 },
};

static void
list_text(struct pp_cli *cli)
{
	const struct pp_rule *rules;
	const char *source;
	size_t i;

	for (i = 0; (rules = pp_rules_of(i, &source)) != NULL; i++) {
		struct pp_table table = { rule_columns, PP_COUNT_OF(rule_columns), rules, 0 };

		while (rules[table.rows].id)
			table.rows++;
		if (table.rows == 0)
			continue;
		pp_sink_puts(cli->out, i ? "\n" : "");
		pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, source);
		pp_sink_putc(cli->out, '\n');
		pp_table_print(&table, &cli->style, cli->out);
	}
}

static void
list_json(struct pp_json *j, const struct pp_args *args)
{
	const struct pp_rule *rule;
	const char *source;
	size_t i;

	for (i = 0; i < args->words.n; i++) {
		rule = rule_find(args->words.at[i], &source);
		if (rule)
			rule_json(j, rule, source);
	}
	for (i = 0; args->words.n == 0 && (rule = pp_rules_of(i, &source)) != NULL; i++)
		for (; rule->id; rule++)
			rule_json(j, rule, source);
}

static int
explain_run(struct pp_cli *cli)
{
	const char *source;
	struct pp_json json;
	size_t i;
	int code;

	for (i = 0; i < cli->args.words.n; i++)
		if (!rule_find(cli->args.words.at[i], &source))
			return rule_unknown(cli, cli->args.words.at[i]);
	code = pp_cli_output(cli);
	if (code)
		return code;
	if (pp_args_flag(&cli->args, "json")) {
		pp_json_init(&json, cli->out, PP_JSON_SPACED);
		pp_json_begin_object(&json);
		pp_json_put_array(&json, "rules");
		list_json(&json, &cli->args);
		pp_json_end_array(&json);
		pp_json_end_object(&json);
		pp_json_end_line(&json);
		return PP_EXIT_OK;
	}
	if (cli->args.words.n == 0)
		list_text(cli);
	for (i = 0; i < cli->args.words.n; i++) {
		pp_sink_puts(cli->out, i ? "\n" : "");
		rule_text(cli, rule_find(cli->args.words.at[i], &source));
	}
	return PP_EXIT_OK;
}
