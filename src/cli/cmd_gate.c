/*
 * polyprof gate: diff for continuous integration. Exit 1 when a limit is passed.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/compare.h"
#include "cli/gate_rule.h"
#include "cli/load.h"
#include "output/json_view.h"
#include "text/units.h"
#include "text/escape.h"

static int gate_run(struct pp_cli *);

static const struct pp_param gate_options[] = {
	{ "fail-if", 0, PP_PARAM_TEXT, "EXPR",
	  "a limit, like 'total > +5%', 'self(/^db/) > 2ms' or 'calls(parse) > +10%'; may be "
	  "repeated",
	  PP_HINT_NONE, 0 },
	{ "format", 0, PP_PARAM_CHOICE, "text|json|markdown|junit",
	  "how the answer is written (default: text)", PP_HINT_NONE, 0 },
	{ "json", 0, PP_PARAM_FLAG, NULL, "the same as --format json", PP_HINT_NONE, 0 },
	{ "output", 'o', PP_PARAM_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE, 0 },
	{ 0 },
};
static const struct pp_param_group gate_group = { "Limits", gate_options };

static const struct pp_param_group *const gate_groups[] = {
	&gate_group,      &pp_group_compare, &pp_params_filter,
	&pp_params_depth, &pp_group_read,    &pp_group_variant,
	&pp_group_strict, &pp_group_general, NULL,
};

static const struct pp_example gate_examples[] = {
	{ "gate old.folded new.folded --fail-if 'total > +5%'", "not more than 5 % slower in all" },
	{ "gate a.json b.json --fail-if 'self(/Repository/) > 2ms' --fail-if 'calls(PDO::query) > "
	  "+0%'",
	  "two limits at once" },
	{ "gate old.out new.out --fail-if 'self(*) > +10%' --format junit -o gate.xml",
	  "for a build server" },
	{ 0 },
};

const struct pp_command pp_command_gate = {
	.name = "gate",
	.synopsis = "BEFORE AFTER --fail-if EXPR",
	.summary = "fails when a limit is passed: diff for continuous integration",
	.details =
	    "EXPR is SUBJECT OP LIMIT. SUBJECT is total (the whole), or self(F), total(F) or calls(F) "
	    "for each function that F names: a name, /REGEX/, or * for all. OP is one of > >= < <=. "
	    "LIMIT is a number with a unit or %. With a sign it limits the change (+5% of the value "
	    "before, +2ms), without it the value after (2ms, 5% of the whole).\n\n"
	    "Changes that are noise never fail. What is new exceeds every relative limit. The exit "
	    "code is 1 when a limit is passed; the rows that passed it are printed.",
	.groups = gate_groups,
	.examples = gate_examples,
	.hint = PP_HINT_FILE,
	.flags = 0,
	.run = gate_run,
};

/* What became of one limit. */
struct outcome {
	struct pp_gate_rule rule;
	size_t matched;
	bool failed;
	PP_VEC(size_t) rows; /* that passed it, largest first */
};

struct gate {
	const struct pp_diff *diff;
	struct outcome *outcomes;
	size_t n;
	size_t failed;
	struct pp_slice unit;
};

/* ---- testing ---- */

static int
outcome_find(struct pp_cli *cli, const struct pp_diff *d, struct outcome *o)
{
	size_t i;

	if (o->rule.subject == PP_GATE_WHOLE) {
		o->matched = 1;
		o->failed = pp_gate_exceeds(&o->rule, d, NULL);
		return 0;
	}
	if (o->rule.subject == PP_GATE_CALLS && !d->has_calls) {
		pp_cli_error(cli, "'%s': not both profiles know how often functions were called",
		             o->rule.text);
		return PP_EXIT_INPUT;
	}
	for (i = 0; i < d->rows.n; i++) {
		enum pp_regex_result found = pp_gate_matches(&o->rule, &d->rows.at[i]);

		if (found == PP_REGEX_NO)
			continue;
		if (found != PP_REGEX_YES)
			return pp_cli_wrong(cli, "'%s': the pattern takes too many steps",
			                    o->rule.text);
		o->matched++;
		if (!pp_gate_exceeds(&o->rule, d, &d->rows.at[i]))
			continue;
		o->failed = true;
		if (!pp_vec_push(&o->rows, i)) {
			pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
			return PP_EXIT_INPUT;
		}
	}
	if (o->matched == 0)
		pp_cli_note(cli, "'%s': no function of that name in either profile", o->rule.text);
	return 0;
}

/* ---- words for a row ---- */

static const struct pp_diff_value *
subject_value(const struct gate *g, const struct outcome *o, const struct pp_diff_row *row)
{
	if (o->rule.subject == PP_GATE_WHOLE)
		return &g->diff->whole;
	return o->rule.subject == PP_GATE_SELF ? &row->self : &row->total;
}

/* "12 ms before, 15 ms after (+25.0 %)" */
static void
values_describe(const struct gate *g, const struct outcome *o, const struct pp_diff_row *row,
                struct pp_buf *out)
{
	bool calls = o->rule.subject == PP_GATE_CALLS;
	double before = calls ? row->calls[PP_BEFORE] : subject_value(g, o, row)->value[PP_BEFORE];
	double after = calls ? row->calls[PP_AFTER] : subject_value(g, o, row)->value[PP_AFTER];
	struct pp_slice unit = calls ? pp_slice_z("calls") : g->unit;

	pp_units_named(out, unit, before);
	pp_buf_adds(out, " before, ");
	pp_units_named(out, unit, after);
	pp_buf_adds(out, " after");
	if (before != 0)
		pp_buf_addf(out, " (%+.1f%%)", (after - before) / fabs(before) * 100);
	else if (after != 0)
		pp_buf_adds(out, " (new)");
}

static void
row_name(const struct pp_diff_row *row, struct pp_slice *name)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row, &p);

	*name = pp_text_of(p, f->name);
	if (name->n == 0)
		*name = pp_slice_z("(empty name)");
}

/* ---- text and markdown ---- */

static void
gate_text(struct pp_cli *cli, const struct gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		const struct outcome *o = &g->outcomes[i];

		pp_ink_put(cli->out, &cli->style, o->failed ? PP_INK_ERROR : PP_INK_GOOD,
		           o->failed ? "FAIL" : "pass");
		pp_sink_puts(cli->out, "  ");
		pp_ink_text(cli->out, &cli->style, PP_INK_PLAIN, pp_slice_z(o->rule.text));
		if (o->rule.subject == PP_GATE_WHOLE) {
			text.n = 0;
			values_describe(g, o, NULL, &text);
			pp_sink_printf(cli->out, ": %s", text.p ? text.p : "");
		}
		pp_sink_putc(cli->out, '\n');
		for (k = 0; k < o->rows.n; k++) {
			struct pp_slice name;

			row_name(&g->diff->rows.at[o->rows.at[k]], &name);
			pp_sink_puts(cli->out, "        ");
			pp_ink_text(cli->out, &cli->style, PP_INK_PLAIN, name);
			text.n = 0;
			values_describe(g, o, &g->diff->rows.at[o->rows.at[k]], &text);
			pp_sink_printf(cli->out, ": %s\n", text.p ? text.p : "");
		}
	}
	text.n = 0;
	pp_diff_explain(g->diff, &text);
	pp_ink_put(cli->out, &cli->style, PP_INK_FAINT, text.p ? text.p : "");
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
}

static void
gate_markdown(struct pp_cli *cli, const struct gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(
	    cli->out,
	    "### polyprof gate: %s\n\n| limit | | function | values |\n|---|---|---|---|\n",
	    g->failed ? "failed" : "passed");
	for (i = 0; i < g->n; i++) {
		const struct outcome *o = &g->outcomes[i];
		size_t rows = o->rows.n ? o->rows.n : 1;

		for (k = 0; k < rows; k++) {
			struct pp_slice name = pp_slice_z("");
			const struct pp_diff_row *row = o->rows.n ? &g->diff->rows.at[o->rows.at[k]]
			                                          : NULL;

			pp_sink_puts(cli->out, "| ");
			pp_escape_markdown(cli->out, pp_slice_z(o->rule.text));
			pp_sink_printf(cli->out, " | %s | ", o->failed ? "**fail**" : "pass");
			if (row)
				row_name(row, &name);
			pp_escape_markdown(cli->out, name);
			text.n = 0;
			if (row || o->rule.subject == PP_GATE_WHOLE)
				values_describe(g, o, row, &text);
			pp_sink_puts(cli->out, " | ");
			pp_escape_markdown(cli->out, pp_slice_of(text.p, text.n));
			pp_sink_puts(cli->out, " |\n");
		}
	}
	text.n = 0;
	pp_diff_explain(g->diff, &text);
	pp_sink_puts(cli->out, "\n");
	pp_escape_markdown(cli->out, pp_slice_of(text.p, text.n));
	pp_sink_puts(cli->out, "\n");
	pp_buf_release(&text);
}

/* ---- JUnit and JSON ---- */

static void
gate_junit(struct pp_cli *cli, const struct gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(cli->out,
	               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	               "<testsuite name=\"polyprof gate\" tests=\"%zu\" failures=\"%zu\">\n",
	               g->n, g->failed);
	for (i = 0; i < g->n; i++) {
		const struct outcome *o = &g->outcomes[i];

		pp_sink_puts(cli->out, "  <testcase classname=\"polyprof\" name=\"");
		pp_escape_xml(cli->out, pp_slice_z(o->rule.text));
		pp_sink_puts(cli->out, o->failed ? "\">\n    <failure message=\"" : "\"/>\n");
		if (!o->failed)
			continue;
		text.n = 0;
		if (o->rule.subject == PP_GATE_WHOLE)
			values_describe(g, o, NULL, &text);
		else
			pp_buf_addf(&text, "%zu of %zu functions", o->rows.n, o->matched);
		pp_escape_xml(cli->out, pp_slice_of(text.p, text.n));
		pp_sink_puts(cli->out, "\">");
		for (k = 0; k < o->rows.n; k++) {
			struct pp_slice name;

			row_name(&g->diff->rows.at[o->rows.at[k]], &name);
			pp_escape_xml(cli->out, name);
			text.n = 0;
			values_describe(g, o, &g->diff->rows.at[o->rows.at[k]], &text);
			pp_sink_puts(cli->out, ": ");
			pp_escape_xml(cli->out, pp_slice_of(text.p, text.n));
			pp_sink_puts(cli->out, "\n");
		}
		pp_sink_puts(cli->out, "</failure>\n  </testcase>\n");
	}
	pp_sink_puts(cli->out, "</testsuite>\n");
	pp_buf_release(&text);
}

static void
gate_json(struct pp_cli *cli, const struct gate *g)
{
	struct pp_json j;
	size_t i, k;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_json_put_bool(&j, "passed", g->failed == 0);
	pp_compare_json_head(&j, g->diff);
	pp_json_put_array(&j, "limits");
	for (i = 0; i < g->n; i++) {
		const struct outcome *o = &g->outcomes[i];

		pp_json_begin_object(&j);
		pp_json_put_textz(&j, "expr", o->rule.text);
		pp_json_put_bool(&j, "passed", !o->failed);
		pp_json_put_u64(&j, "matched", o->matched);
		pp_json_put_array(&j, "functions");
		for (k = 0; k < o->rows.n; k++)
			pp_compare_json_row(&j, g->diff, &g->diff->rows.at[o->rows.at[k]]);
		pp_json_end_array(&j);
		pp_json_end_object(&j);
	}
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

/* ---- running ---- */

static void
gate_print(struct pp_cli *cli, const struct gate *g)
{
	const char *format = pp_args_text(&cli->args, "format");

	if (pp_args_flag(&cli->args, "json") || (format && strcmp(format, "json") == 0))
		gate_json(cli, g);
	else if (format && strcmp(format, "markdown") == 0)
		gate_markdown(cli, g);
	else if (format && strcmp(format, "junit") == 0)
		gate_junit(cli, g);
	else
		gate_text(cli, g);
}

static int
gate_test(struct pp_cli *cli, struct gate *g, const char *const *expressions)
{
	struct pp_buf problem = { 0 };
	int code = 0;

	for (; *expressions && code == 0; expressions++) {
		struct outcome *o = &g->outcomes[g->n++];

		if (!pp_gate_parse(&o->rule, *expressions, g->unit, &problem))
			code = pp_cli_wrong(cli, "--fail-if '%s': %s", *expressions,
			                    problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
		else
			code = outcome_find(cli, g->diff, o);
		g->failed += o->failed;
	}
	pp_buf_release(&problem);
	return code;
}

static int
gate_run(struct pp_cli *cli)
{
	const char **expressions = pp_args_all(&cli->args, "fail-if");
	struct pp_compare c = { 0 };
	struct gate g = { 0 };
	size_t n = 0, i;
	int code = 0;

	while (expressions && expressions[n])
		n++;
	if (n == 0)
		code = pp_cli_usage(cli, "give at least one limit with --fail-if");
	if (code == 0)
		code = pp_compare_run(cli, false, &c);
	if (code == 0) {
		pp_diff_sort(&c.diff, PP_DIFF_SELF);
		g.diff = &c.diff;
		g.unit = pp_text_of(c.diff.input[0]->profile, c.diff.metric.unit);
		g.outcomes = calloc(n + 1, sizeof *g.outcomes);
		if (!g.outcomes) {
			pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
			code = PP_EXIT_INPUT;
		}
	}
	if (code == 0)
		code = gate_test(cli, &g, expressions);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0) {
		gate_print(cli, &g);
		code = g.failed ? PP_EXIT_FINDINGS : 0;
	}
	for (i = 0; i < g.n; i++) {
		pp_gate_release(&g.outcomes[i].rule);
		pp_vec_release(&g.outcomes[i].rows);
	}
	free(g.outcomes);
	free(expressions);
	pp_compare_release(&c);
	return code;
}
