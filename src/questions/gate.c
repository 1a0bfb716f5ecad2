/*
 * gate: diff for continuous integration, with limits that must not be exceeded.
 */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "questions/compare.h"
#include "questions/gate_rule.h"
#include "questions/product.h"
#include "text/escape.h"
#include "text/units.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_JUNIT };

struct gate_params {
	struct pp_compared compared;
	struct pp_texts limits;
	unsigned format;
	bool json;
};

/* What became of one limit. */
struct outcome {
	struct pp_gate_rule rule;
	size_t matched;
	bool failed;
	PP_VEC(size_t) rows; /* that exceed it, largest first */
};

/* Lives in the answer. */
struct gate {
	const struct pp_diff *diff;
	struct outcome *outcomes;
	size_t n;
	size_t failed;
	struct pp_slice unit;
};

static void gate_want(const void *, struct pp_want *);
static pp_status gate_ready(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status gate_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param limit_params[] = {
	{ "fail-if", 0, PP_PARAM_TEXTS, "EXPR",
	  "a limit, like 'total > +5%', 'self(/^db/) > 2ms' or 'calls(parse) > +10%'; may be "
	  "repeated",
	  PP_HINT_NONE, offsetof(struct gate_params, limits) },
	{ "format", 0, PP_PARAM_CHOICE, "text|json|markdown|junit",
	  "how the answer is written (default: text)", PP_HINT_NONE,
	  offsetof(struct gate_params, format) },
	{ "json", 0, PP_PARAM_FLAG, NULL, "the same as --format json", PP_HINT_NONE,
	  offsetof(struct gate_params, json) },
	{ "output", 'o', PP_PARAM_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE,
	  offsetof(struct pp_asked, output) },
	{ 0 },
};
static const struct pp_param_group limits_group = { "Limits", limit_params };

static const struct pp_param_use gate_uses[] = {
	{ &limits_group, 0, PP_GROUP_FIRST },
	{ &pp_params_compare, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct gate_params, compared.scope), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct gate_params, compared.scope.depth), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_gate = {
	.name = "gate",
	.summary = "fails when a limit is exceeded: diff for continuous integration",
	.params = gate_uses,
	.params_size = sizeof(struct gate_params),
	.scope_at = offsetof(struct gate_params, compared.scope),
	.asks = PP_ASKS_SIDES,
	.gives = PP_GIVES_FILE,
	.want = gate_want,
	.ready = gate_ready,
	.run = gate_run,
};

static void
gate_want(const void *data, struct pp_want *want)
{
	want->facets |= PP_FUNCTIONS;
}

static pp_status
gate_ready(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct gate_params *params = data;

	return params->limits.list.n ? PP_OK
	                             : pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
	                                              "give at least one limit with --fail-if");
}

/* ---- testing ---- */

static void
gate_release(void *data)
{
	struct gate *g = data;
	size_t i;

	for (i = 0; i < g->n; i++) {
		pp_gate_release(&g->outcomes[i].rule);
		pp_vec_release(&g->outcomes[i].rows);
	}
	free(g->outcomes);
}

static pp_status
outcome_find(struct pp_answer *a, const struct pp_diff *d, struct outcome *o)
{
	size_t i;

	if (o->rule.subject == PP_GATE_WHOLE) {
		o->matched = 1;
		o->failed = pp_gate_exceeds(&o->rule, d, NULL);
		return PP_OK;
	}
	if (o->rule.subject == PP_GATE_CALLS && !d->has_calls)
		return pp_answer_fail(
		    a, PP_E_UNSUPPORTED, "no-calls",
		    "'%s': not both profiles know how often functions were called", o->rule.text);
	for (i = 0; i < d->rows.n; i++) {
		enum pp_regex_result found = pp_gate_matches(&o->rule, &d->rows.at[i]);

		if (found == PP_REGEX_NO)
			continue;
		if (found != PP_REGEX_YES)
			return pp_answer_fail(a, PP_E_USAGE, "bad-pattern",
			                      "'%s': the pattern takes too many steps",
			                      o->rule.text);
		o->matched++;
		if (!pp_gate_exceeds(&o->rule, d, &d->rows.at[i]))
			continue;
		o->failed = true;
		if (!pp_vec_push(&o->rows, i))
			return pp_answer_fail_status(a, PP_E_NOMEM);
	}
	if (o->matched == 0)
		pp_answer_note(a, "no-function", "'%s': no function of that name in either profile",
		               o->rule.text);
	return PP_OK;
}

static pp_status
gate_make(struct pp_answer *a, const struct pp_subject *subject, const struct gate_params *params,
          struct gate **out)
{
	struct gate *g = pp_answer_own(a, sizeof *g, gate_release);
	size_t n = params->limits.list.n, i;
	struct pp_buf problem = { 0 };
	struct pp_compare *c;
	pp_status status = pp_compare_make(a, subject, &params->compared, &c);

	*out = g;
	if (status != PP_OK)
		return status;
	if (g)
		g->outcomes = calloc(n + 1, sizeof *g->outcomes);
	if (!g || !g->outcomes)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	pp_diff_sort(&c->diff, PP_DIFF_SELF);
	g->diff = &c->diff;
	g->unit = pp_text_of(c->diff.input[0]->profile, c->diff.metric.unit);
	for (i = 0; i < n && status == PP_OK; i++) {
		struct outcome *o = &g->outcomes[g->n++];
		const char *text = params->limits.list.at[i].text;

		if (!pp_gate_parse(&o->rule, text, g->unit, &problem))
			status = pp_answer_fail(a, PP_E_USAGE, "bad-limit", "--fail-if '%s': %s",
			                        text,
			                        problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
		else
			status = outcome_find(a, g->diff, o);
		g->failed += o->failed;
	}
	pp_buf_release(&problem);
	return status;
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
outcome_describe(const struct gate *g, const struct outcome *o, const struct pp_diff_row *row,
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

/* ---- the answer ---- */

static void
outcome_say(struct pp_answer *a, const struct gate *g, const struct outcome *o)
{
	struct pp_buf text = { 0 };
	size_t k;

	pp_answer_say(a, o->failed ? PP_INK_ERROR : PP_INK_GOOD, o->failed ? "FAIL" : "pass");
	pp_answer_say(a, PP_INK_PLAIN, "  ");
	pp_answer_say_name(a, PP_INK_PLAIN, pp_slice_z(o->rule.text));
	if (o->rule.subject == PP_GATE_WHOLE) {
		outcome_describe(g, o, NULL, &text);
		pp_answer_say(a, PP_INK_PLAIN, ": %s", pp_answer_made(a, &text));
	}
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	for (k = 0; k < o->rows.n; k++) {
		struct pp_slice name;

		row_name(&g->diff->rows.at[o->rows.at[k]], &name);
		pp_answer_say(a, PP_INK_PLAIN, "        ");
		pp_answer_say_name(a, PP_INK_PLAIN, name);
		text.n = 0;
		outcome_describe(g, o, &g->diff->rows.at[o->rows.at[k]], &text);
		pp_answer_say(a, PP_INK_PLAIN, ": %s\n", pp_answer_made(a, &text));
	}
	pp_buf_release(&text);
}

static void
outcome_add(struct pp_answer *a, const struct gate *g, const struct outcome *o)
{
	struct pp_compare_rows *rows = pp_answer_alloc(a, sizeof *rows);

	pp_answer_open(a, NULL);
	pp_answer_textz(a, "expr", o->rule.text);
	pp_answer_bool(a, "passed", !o->failed);
	pp_answer_count(a, "matched", o->matched);
	if (rows) {
		*rows = (struct pp_compare_rows){ g->diff, o->rows.at, o->rows.n };
		pp_compare_table(a, rows);
	}
	pp_answer_close(a);
}

/* ---- Markdown and JUnit ---- */

static void
gate_markdown(struct pp_sink *out, const struct gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(
	    out, "### polyprof gate: %s\n\n| limit | | function | values |\n|---|---|---|---|\n",
	    g->failed ? "failed" : "passed");
	for (i = 0; i < g->n; i++) {
		const struct outcome *o = &g->outcomes[i];
		size_t rows = o->rows.n ? o->rows.n : 1;

		for (k = 0; k < rows; k++) {
			struct pp_slice name = pp_slice_z("");
			const struct pp_diff_row *row = o->rows.n ? &g->diff->rows.at[o->rows.at[k]]
			                                          : NULL;

			pp_sink_puts(out, "| ");
			pp_escape_markdown_code(out, pp_slice_z(o->rule.text));
			pp_sink_printf(out, " | %s | ", o->failed ? "**fail**" : "pass");
			if (row)
				row_name(row, &name);
			pp_escape_markdown_code(out, name);
			text.n = 0;
			if (row || o->rule.subject == PP_GATE_WHOLE)
				outcome_describe(g, o, row, &text);
			pp_sink_puts(out, " | ");
			pp_escape_markdown(out, pp_slice_of(text.p, text.n));
			pp_sink_puts(out, " |\n");
		}
	}
	text.n = 0;
	pp_diff_explain(g->diff, &text);
	pp_sink_puts(out, "\n");
	pp_escape_markdown(out, pp_slice_of(text.p, text.n));
	pp_sink_puts(out, "\n");
	pp_buf_release(&text);
}

/* Text for whoever looks at the report: characters that hide or reorder it are spelled, not left to the viewer. */
static void
junit_put(struct pp_sink *out, struct pp_slice text)
{
	struct pp_buf tame = { 0 };

	pp_escape_terminal(&tame, text);
	pp_escape_xml(out, pp_slice_of(tame.p, tame.n));
	if (tame.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

static void
gate_junit(struct pp_sink *out, const struct gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(out,
	               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	               "<testsuite name=\"polyprof gate\" tests=\"%zu\" failures=\"%zu\">\n",
	               g->n, g->failed);
	for (i = 0; i < g->n; i++) {
		const struct outcome *o = &g->outcomes[i];

		pp_sink_puts(out, "  <testcase classname=\"polyprof\" name=\"");
		junit_put(out, pp_slice_z(o->rule.text));
		pp_sink_puts(out, o->failed ? "\">\n    <failure message=\"" : "\"/>\n");
		if (!o->failed)
			continue;
		text.n = 0;
		if (o->rule.subject == PP_GATE_WHOLE)
			outcome_describe(g, o, NULL, &text);
		else
			pp_buf_addf(&text, "%zu of %zu functions", o->rows.n, o->matched);
		pp_escape_xml(out, pp_slice_of(text.p, text.n));
		pp_sink_puts(out, "\">");
		for (k = 0; k < o->rows.n; k++) {
			struct pp_slice name;

			row_name(&g->diff->rows.at[o->rows.at[k]], &name);
			junit_put(out, name);
			text.n = 0;
			outcome_describe(g, o, &g->diff->rows.at[o->rows.at[k]], &text);
			pp_sink_puts(out, ": ");
			pp_escape_xml(out, pp_slice_of(text.p, text.n));
			pp_sink_puts(out, "\n");
		}
		pp_sink_puts(out, "</failure>\n  </testcase>\n");
	}
	pp_sink_puts(out, "</testsuite>\n");
	pp_buf_release(&text);
}

/* The answer as it is to be written. */
static pp_status
product_make(struct pp_answer *a, const struct gate_params *params, const struct gate *g)
{
	struct pp_product *product = pp_answer_alloc(a, sizeof *product);
	struct pp_buf text = { 0 };
	struct pp_sink *out;

	if (!product)
		return PP_E_NOMEM;
	a->product = product;
	product->kind = params->json || params->format == FORMAT_JSON ? PP_MAKES_JSON
	                                                              : PP_MAKES_TEXT;
	if (product->kind == PP_MAKES_JSON)
		return PP_OK;
	if (pp_sink_buffer(&text, &out) != PP_OK)
		return PP_E_NOMEM;
	(params->format == FORMAT_JUNIT ? gate_junit : gate_markdown)(out, g);
	a->failed |= pp_sink_commit(out) != PP_OK;
	pp_sink_close(out);
	product->text = pp_slice_z(pp_answer_copy(a, pp_slice_z(pp_answer_made(a, &text))));
	pp_buf_release(&text);
	return PP_OK;
}

/* ---- running ---- */

static pp_status
gate_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	struct gate *g;
	struct pp_buf text = { 0 };
	const struct gate_params *params = data;
	pp_status status = gate_make(a, subject, params, &g);
	size_t i;

	if (status != PP_OK)
		return status;
	a->exceeded = g->failed > 0;
	pp_answer_bool(a, "passed", g->failed == 0);
	pp_compare_head(a, g->diff);
	pp_answer_open_list(a, "limits");
	for (i = 0; i < g->n; i++) {
		outcome_add(a, g, &g->outcomes[i]);
		outcome_say(a, g, &g->outcomes[i]);
	}
	pp_answer_close_list(a);
	pp_diff_explain(g->diff, &text);
	pp_answer_say(a, PP_INK_FAINT, "%s", pp_answer_made(a, &text));
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	pp_buf_release(&text);
	return params->json || params->format != FORMAT_TEXT ? product_make(a, params, g) : PP_OK;
}
