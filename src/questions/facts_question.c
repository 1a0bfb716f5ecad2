/*
 * findings: what the numbers of a profile say by themselves. Facts, not advice.
 */
#include <stddef.h>

#include "questions/facts.h"

struct findings_params {
	struct pp_compared compared;
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

static const struct pp_param_use findings_uses[] = { { &findings_group, 0, PP_GROUP_FIRST },
	                                             { 0 } };

const struct pp_question pp_question_findings = {
	.name = "findings",
	.summary = "what the numbers say by themselves: facts with evidence, the weightiest first",
	.params = findings_uses,
	.params_size = sizeof(struct findings_params),
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
	if (f->metric < f->profile->metrics.n && f->flat.n)
		total = f->flat.whole[f->metric];
	pp_excerpt_head(x, topic, f->metric, total);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, f->list.n);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = f->list.n;
	x->data = f;
	x->row = fact_row;
	return PP_OK;
}
