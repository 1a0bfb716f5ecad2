/*
 * findings: what the numbers of a profile say by themselves. Facts, not advice.
 */
#include <stddef.h>

#include "questions/facts.h"
#include "text/escape.h"
#include "text/units.h"

struct findings_params {
	struct pp_compared compared;
	struct pp_scope scope;
};

static pp_status findings_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param findings_params[] = {
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "the metric to look at (default: the primary one)",
	  PP_HINT_NONE, offsetof(struct pp_asked, metric) },
	{ "before", 0, PP_PARAM_TEXT, "FILE", "also say what changed since this profile",
	  PP_HINT_FILE, offsetof(struct pp_asked, before) },
	{ 0 },
};
static const struct pp_param_group findings_group = { "Findings", findings_params };

static const struct pp_param_use findings_uses[] = {
	{ &findings_group, 0, PP_GROUP_FIRST },
	{ &pp_params_frames, offsetof(struct findings_params, scope), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_findings = {
	.name = "findings",
	.summary = "what the numbers say by themselves: facts with evidence, the weightiest first",
	.params = findings_uses,
	.params_size = sizeof(struct findings_params),
	.scope_at = offsetof(struct findings_params, scope),
	.gives = PP_GIVES_JSON,
	.excerpt = findings_excerpt,
};

static void
facts_release(void *data)
{
	pp_facts_release(data);
}

static void
fact_row(void *data, size_t row, struct pp_row *r)
{
	const struct pp_fact *fact = &((const struct pp_facts *)data)->list.at[row];

	pp_row_word(r, fact->kind);
	pp_row_real(r, fact->weight, 4);
	pp_row_raw(r, fact->evidence, strlen(fact->evidence));
	pp_row_raw(r, fact->next, strlen(fact->next));
}

/* ---- for people ---- */

void
pp_fact_say(struct pp_stating *s, const char *words)
{
	if (s->row.text)
		pp_buf_adds(&s->said, words);
}

void
pp_fact_say_function(struct pp_stating *s, const struct pp_profile *p, pp_func func)
{
	struct pp_row row = { .out = &s->said, .text = true, .clip = PP_FACT_NAME_BYTES };
	size_t from = s->said.n;

	if (!s->row.text)
		return;
	pp_row_name(&row, p, func);
	if (s->name_end || !func)
		return;
	s->name = pp_text_of(p, p->funcs.at[func].name);
	s->name_at = from;
	s->name_end = s->said.n;
}

void
pp_fact_say_count(struct pp_stating *s, uint64_t n, const char *one, const char *many)
{
	if (!s->row.text)
		return;
	pp_units_u64(&s->said, n);
	pp_buf_addf(&s->said, " %s", pp_plural(n, one, many));
}

void
pp_fact_say_real(struct pp_stating *s, double number)
{
	struct pp_row row = { .out = &s->said, .text = true };

	if (s->row.text && number >= 1000 && number < 1e15)
		pp_units_u64(&s->said, (uint64_t)(number + 0.5));
	else if (s->row.text)
		pp_row_real(&row, number, 1);
}

void
pp_fact_say_value(struct pp_stating *s, double value)
{
	const struct pp_profile *p = s->facts->profile;
	struct pp_buf made = { 0 };

	if (!s->row.text)
		return;
	pp_units_named(&made, pp_text_of(p, p->metrics.at[s->facts->metric].unit), value);
	(void)pp_spell(&s->said, pp_slice_of(made.p ? made.p : "", made.n), PP_FACT_NAME_BYTES);
	s->said.failed |= made.failed;
	pp_buf_release(&made);
}

/* "80.2%  spent in …", and below it what to type next. */
static void
fact_said(void *data, size_t row, struct pp_row *r)
{
	const struct pp_fact *fact = &((const struct pp_facts *)data)->list.at[row];
	struct pp_buf share = { 0 };

	if (fact->weight > 0)
		pp_units_share(&share, fact->share, 1);
	pp_buf_addf(r->out, "%8s  %s", share.p ? share.p : "", fact->evidence);
	if (*fact->next)
		pp_buf_addf(r->out, "\n          %s", fact->next);
	r->out->failed |= share.failed;
	pp_buf_release(&share);
}

static void
head_say(struct pp_excerpt *x, const struct pp_facts *f, const struct pp_topic *topic,
         union pp_value total)
{
	const struct pp_profile *p = f->profile;
	const struct pp_metric *m = f->metric < p->metrics.n ? &p->metrics.at[f->metric] : NULL;
	struct pp_buf text = { 0 };

	pp_excerpt_say(x);
	pp_buf_addf(&text, "%s: ", topic->file ? topic->file : "profile");
	if (m) {
		pp_metric_describe(&text, p, m,
		                   pp_value_double(m, pp_value_with_idle(p, f->metric, total)));
		pp_buf_adds(&text, ", ");
	}
	pp_units_u64(&text, f->list.n);
	pp_buf_adds(&text, f->list.n == 1 ? " finding" : " findings");
	pp_buf_adds(&text, f->list.n > 1 ? ", the weightiest first" : "");
	pp_escape_terminal(x->head.out, pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_adds(x->head.out, f->list.n ? "\n" : "");
	x->head.out->failed |= text.failed;
	pp_buf_release(&text);
}

static pp_status
findings_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	static const char *const columns[] = { "kind", "weight", "evidence", "next" };
	const struct findings_params *params = data;
	struct pp_facts *f = pp_answer_own(x->answer, sizeof *f, facts_release);
	union pp_value total = { 0 };
	/* Two profiles that were handed in are before and after. */
	const struct pp_topic *topic = &subject->topics[subject->n > 1 && subject->split == 1];
	pp_status status;

	if (!f)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	status = pp_facts_make(f, x, topic, &params->compared.asked);
	if (status == PP_OK && subject->n > 1)
		status = pp_facts_changes(f, subject, &params->compared);
	if (status != PP_OK)
		return status;
	pp_facts_sort(f);
	if (f->metric < f->profile->metrics.n && f->flat.whole)
		total = f->flat.whole[f->metric];
	if (x->head.text) {
		head_say(x, f, topic, total);
	} else {
		pp_excerpt_head(x, topic, f->metric, total);
		pp_row_key(&x->head, "count");
		pp_row_count(&x->head, f->list.n);
	}
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = f->list.n;
	x->data = f;
	x->row = x->head.text ? fact_said : fact_row;
	return PP_OK;
}
