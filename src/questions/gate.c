/*
 * gate: diff for continuous integration, with limits that must not be exceeded.
 */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "questions/compare.h"
#include "questions/gate.h"
#include "questions/product.h"
#include "base/slice.h"
#include "text/units.h"

struct gate_params {
	struct pp_compared compared;
	struct pp_texts limits;
	unsigned format; /* enum pp_gate_form */
	bool json;
};

static void gate_want(const void *, struct pp_want *);
static pp_status gate_ready(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status gate_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param limit_params[] = {
	{ "fail-if", 0, PP_PARAM_TEXTS, "EXPR",
	  "a limit, such as 'total > +5%', 'self(/^db/) > 2ms' or 'calls(parse) > +10%'; may "
	  "be repeated",
	  PP_HINT_NONE, offsetof(struct gate_params, limits) },
	{ "format", 0, PP_PARAM_CHOICE, "text|json|markdown|junit|github|sarif",
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
	{ &pp_params_by, offsetof(struct gate_params, compared.scope), PP_GROUP_FIRST },
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
	.per_run = true,
	.gives = PP_GIVES_FILE,
	.want = gate_want,
	.ready = gate_ready,
	.run = gate_run,
};

static void
gate_want(const void *data, struct pp_want *want)
{
	want->facets |= PP_FUNCTIONS | PP_GAINS;
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
	struct pp_gate *g = data;
	size_t i;

	for (i = 0; i < g->n; i++) {
		pp_gate_release(&g->outcomes[i].rule);
		pp_vec_release(&g->outcomes[i].rows);
	}
	free(g->outcomes);
}

static pp_status
outcome_find(struct pp_answer *a, const struct pp_diff *d, struct pp_gate_outcome *o)
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
          struct pp_gate **out)
{
	struct pp_gate *g = pp_answer_own(a, sizeof *g, gate_release);
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
	g->directory = subject->directory;
	g->file = subject->split < subject->n ? subject->topics[subject->split].file
	                                      : subject->topics[0].file;
	g->unit = pp_text_of(c->diff.input[0]->profile, c->diff.metric.unit);
	for (i = 0; i < n && status == PP_OK; i++) {
		struct pp_gate_outcome *o = &g->outcomes[g->n++];
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
subject_value(const struct pp_gate *g, const struct pp_gate_outcome *o,
              const struct pp_diff_row *row)
{
	if (o->rule.subject == PP_GATE_WHOLE)
		return &g->diff->whole;
	return o->rule.subject == PP_GATE_SELF ? &row->self : &row->total;
}

void
pp_gate_describe(const struct pp_gate *g, const struct pp_gate_outcome *o,
                 const struct pp_diff_row *row, struct pp_buf *out)
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

struct pp_slice
pp_gate_name(const struct pp_diff_row *row)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row, &p);
	struct pp_slice name = pp_text_of(p, f->name);

	return name.n ? name : pp_slice_z("(empty name)");
}

struct pp_slice
pp_gate_path(const struct pp_gate *g, struct pp_slice path)
{
	struct pp_slice rest = path;

	if (g->directory && pp_slice_take(&rest, g->directory) && pp_slice_take(&rest, "/") &&
	    rest.n)
		return rest;
	while (pp_slice_starts(path, "./") && path.n > 2)
		path = pp_slice_from(path, 2);
	return path;
}

struct pp_slice
pp_gate_place(const struct pp_gate *g, const struct pp_diff_row *row, uint32_t *line)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row, &p);

	*line = f->file ? f->line : 0;
	return pp_gate_path(g, pp_text_of(p, f->file));
}

/* ---- the answer ---- */

static void
outcome_say(struct pp_answer *a, const struct pp_gate *g, const struct pp_gate_outcome *o)
{
	struct pp_buf text = { 0 };
	size_t k;

	pp_answer_say(a, o->failed ? PP_INK_ERROR : PP_INK_GOOD, o->failed ? "FAIL" : "pass");
	pp_answer_say(a, PP_INK_PLAIN, "  ");
	pp_answer_say_name(a, PP_INK_PLAIN, pp_slice_z(o->rule.text));
	if (o->rule.subject == PP_GATE_WHOLE) {
		pp_gate_describe(g, o, NULL, &text);
		pp_answer_say(a, PP_INK_PLAIN, ": %s", pp_answer_made(a, &text));
	}
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	for (k = 0; k < o->rows.n; k++) {
		const struct pp_diff_row *row = &g->diff->rows.at[o->rows.at[k]];

		pp_answer_say(a, PP_INK_PLAIN, "        ");
		pp_answer_say_name(a, PP_INK_PLAIN, pp_gate_name(row));
		text.n = 0;
		pp_gate_describe(g, o, row, &text);
		pp_answer_say(a, PP_INK_PLAIN, ": %s\n", pp_answer_made(a, &text));
	}
	pp_buf_release(&text);
}

static void
outcome_add(struct pp_answer *a, const struct pp_gate *g, const struct pp_gate_outcome *o)
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

/* ---- running ---- */

/* The answer as it is to be written. */
static pp_status
product_make(struct pp_answer *a, const struct gate_params *params, const struct pp_gate *g)
{
	struct pp_product *product = pp_answer_alloc(a, sizeof *product);
	enum pp_gate_form form = params->json ? PP_GATE_JSON : (enum pp_gate_form)params->format;

	if (!product)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	a->product = product;
	product->kind = form == PP_GATE_JSON ? PP_MAKES_JSON : PP_MAKES_VERDICT;
	product->gate = g;
	product->gate_form = form;
	return PP_OK;
}

/* Warns about limits for times of one run each: in text on the first line, with any other form in a note. */
static void
advice_add(struct pp_answer *a, const struct gate_params *params, const struct pp_diff *d)
{
	const char *advice = pp_compare_advice(d);

	if (!advice)
		return;
	if (params->json || params->format != PP_GATE_TEXT)
		pp_answer_note(a, "single-runs", "%s", advice);
	else
		pp_answer_say(a, PP_INK_FAINT, "%s\n", advice);
}

static pp_status
gate_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	struct pp_gate *g;
	struct pp_buf text = { 0 };
	const struct gate_params *params = data;
	pp_status status = gate_make(a, subject, params, &g);
	size_t i;

	if (status != PP_OK)
		return status;
	a->exceeded = g->failed > 0;
	pp_answer_bool(a, "passed", g->failed == 0);
	pp_compare_head(a, g->diff);
	advice_add(a, params, g->diff);
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
	return params->json || params->format != PP_GATE_TEXT ? product_make(a, params, g) : PP_OK;
}
