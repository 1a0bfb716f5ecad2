/*
 * What a profile is, under a budget.
 */
#include "questions/excerpt_info.h"

#include <stdlib.h>

#include "analysis/counts.h"

/* ---- under a budget ---- */

struct excerpt {
	const struct pp_profile *profile;
	union pp_value *totals;
};

static void
excerpt_release(void *data)
{
	free(((struct excerpt *)data)->totals);
}

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct excerpt *e = data;
	const struct pp_metric *m = &e->profile->metrics.at[row];
	struct pp_buf label = { 0 };

	pp_metric_label(e->profile, m, &label);
	pp_row_text(r, pp_slice_of(label.p ? label.p : "", label.n));
	pp_row_text(r, pp_text_of(e->profile, m->unit));
	pp_row_value(r, m, e->totals[row]);
	pp_buf_release(&label);
}

static void
counts_add(struct pp_row *r, const struct pp_profile *p, const struct pp_counts *counts)
{
	const struct {
		const char *key;
		uint64_t count;
	} all[] = { { "events", p->events },        { "samples", p->samples },
		    { "stacks", counts->stacks },   { "functions", counts->functions },
		    { "threads", counts->threads }, { "edges", counts->edges },
		    { "lines", counts->lines } };
	size_t i;

	pp_row_key(r, "counts");
	pp_row_open(r, '{');
	for (i = 0; i < PP_COUNT_OF(all); i++) {
		pp_row_key(r, all[i].key);
		pp_row_count(r, all[i].count);
	}
	pp_row_close(r, '}');
}

pp_status
pp_info_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	static const char *const columns[] = { "metric", "unit", "total" };
	const struct pp_topic *t = subject->topics;
	const struct pp_profile *p = t->profile;
	struct excerpt *e = pp_answer_own(x->answer, sizeof *e, excerpt_release);
	struct pp_counts counts;

	if (e)
		*e = (struct excerpt){ p, pp_profile_totals(p) };
	if (!e || !e->totals || !pp_counts_compute(p, &counts))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	pp_excerpt_head(x, t, p->metrics.n, (union pp_value){ 0 });
	pp_excerpt_shorten(x);
	pp_row_key(&x->head, "producer");
	pp_row_text(&x->head, pp_text_of(p, p->producer));
	counts_add(&x->head, p, &counts);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, pp_metrics_shown(p));
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = pp_metrics_shown(p);
	x->data = e;
	x->row = excerpt_row;
	return PP_OK;
}
