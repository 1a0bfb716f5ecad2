/*
 * What changed, under a budget.
 */
#include "questions/excerpt_diff.h"

#include <math.h>

/* ---- under a budget; lives in the answer ---- */

struct excerpt {
	const struct pp_diff *diff;
	const struct pp_handles *handles[2];
	const size_t *order; /* changed ones first */
	size_t n;
};

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct excerpt *e = data;
	const struct pp_diff *d = e->diff;
	const struct pp_diff_row *found = &d->rows.at[e->order[row]];
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(found, &p);
	char text[PP_NUM_MAX];
	size_t side;

	for (side = 0; side < 2; side++)
		pp_row_handle(r, 'f',
		              found->profile[side]
		                  ? pp_handles_rank(e->handles[side], found->func[side])
		                  : 0);
	pp_row_word(r, pp_diff_status_name(found->self.status));
	pp_row_raw(r, text, pp_compare_print_delta(d, &found->self, text));
	for (side = 0; side < 2; side++)
		if (found->profile[side])
			pp_row_raw(r, text, pp_compare_print(d, &found->self, side, text));
		else
			pp_row_null(r);
	for (side = 0; side < 2; side++)
		if (found->profile[side] && pp_diff_counted(d, found, side))
			pp_row_real(r, found->calls[side], 2);
		else
			pp_row_null(r);
	pp_row_name(r, p, (pp_func)(f - p->funcs.at));
	pp_row_place(r, p, (pp_func)(f - p->funcs.at));
}

static double
excerpt_percent(void *data, size_t row)
{
	const struct excerpt *e = data;
	double whole = pp_diff_size(e->diff);

	/* What was given back before and is held now changes by more than all that was gained. */
	return whole > 0
	           ? fmin(1, fabs(pp_diff_delta(&e->diff->rows.at[e->order[row]].self)) / whole) *
	                 100
	           : 0;
}

/* Changed ones first, each part by the size of the change. */
static bool
excerpt_sort(struct excerpt *e, struct pp_answer *a, struct pp_diff *d, unsigned sort, double min)
{
	size_t *order = pp_answer_alloc(a, (d->rows.n + 1) * sizeof *order), i, pass;
	double least = fmax(0, min) * pp_diff_size(d);

	pp_diff_sort(d, (enum pp_diff_sort)sort);
	for (pass = 0; order && pass < 2; pass++)
		for (i = 0; i < d->rows.n; i++) {
			const struct pp_diff_row *r = &d->rows.at[i];
			bool same = r->self.status == PP_SAME || r->self.status == PP_NOISE;

			if (same == (pass == 1) && pp_diff_value_size(&r->total) >= least)
				order[e->n++] = i;
		}
	e->order = order;
	return order != NULL;
}

/* "before": {"file", "stamp", "total"}. */
static void
excerpt_side(struct pp_excerpt *x, const struct pp_diff *d, size_t side,
             const struct pp_topic *topic)
{
	struct pp_row *r = &x->head;
	char text[PP_NUM_MAX];
	size_t n;

	pp_row_key(r, side == PP_BEFORE ? "before" : "after");
	pp_row_open(r, '{');
	pp_excerpt_file(x, topic);
	n = pp_compare_print_total(d, side, text);
	pp_row_key(r, "total");
	pp_row_raw(r, text, n);
	if (pp_compare_idle(d, side)) {
		n = pp_compare_print(d, &d->idle, side, text);
		pp_row_key(r, "idle");
		pp_row_raw(r, text, n);
	}
	pp_row_close(r, '}');
}

static void
excerpt_head(struct pp_excerpt *x, const struct pp_subject *subject, const struct pp_diff *d)
{
	const struct pp_diff_input *in = d->input[PP_BEFORE];
	static const char *const rules[] = { "exact", "sampled", "measured", "repeated" };
	struct pp_buf label = { 0 };
	size_t clip = x->head.clip;

	x->head.clip = pp_excerpt_metric_clip(x);
	pp_row_key(&x->head, "metric");
	pp_metric_label(in->profile, &in->profile->metrics.at[in->metric], &label);
	pp_row_text(&x->head, pp_slice_of(label.p ? label.p : "", label.n));
	pp_row_key(&x->head, "unit");
	pp_row_text(&x->head, pp_text_of(in->profile, d->metric.unit));
	x->head.clip = clip;
	excerpt_side(x, d, PP_BEFORE, subject->topics);
	excerpt_side(x, d, PP_AFTER, &subject->topics[subject->n > 1 ? subject->split : 0]);
	pp_row_key(&x->head, "status");
	pp_row_word(&x->head, pp_diff_status_name(d->whole.status));
	pp_row_key(&x->head, "rule");
	pp_row_word(&x->head, (size_t)d->rule < PP_COUNT_OF(rules) ? rules[d->rule] : "exact");
	if (pp_compare_advice(d)) {
		pp_row_key(&x->head, "note");
		pp_row_word(&x->head, pp_compare_advice(d));
	}
	pp_buf_release(&label);
}

pp_status
pp_excerpt_diff(struct pp_excerpt *x, const struct pp_subject *subject,
                const struct pp_compared *params, unsigned sort, double min)
{
	static const char *const columns[] = { "before_id",    "after_id",    "status",
		                               "delta",        "before",      "after",
		                               "calls_before", "calls_after", "name",
		                               "place" };
	struct excerpt *e = pp_answer_alloc(x->answer, sizeof *e);
	struct pp_compare *c;
	pp_status status = pp_compare_make(x->answer, subject, params, &c);
	size_t side;

	if (status != PP_OK)
		return status;
	if (!e)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	e->diff = &c->diff;
	for (side = 0; side < 2; side++) {
		const struct pp_topic *t =
		    &subject->topics[side && subject->n > 1 ? subject->split : 0];

		e->handles[side] = pp_excerpt_has_handles(x, t) ? pp_excerpt_handles(x, t) : NULL;
	}
	if (!excerpt_sort(e, x->answer, &c->diff, sort, min))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	excerpt_head(x, subject, &c->diff);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, e->n);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = e->n;
	x->data = e;
	x->row = excerpt_row;
	x->percent = excerpt_percent;
	return PP_OK;
}
