/*
 * callers, callees under a budget.
 */
#include "questions/calls.h"
#include "questions/describe.h"
#include "questions/ranking.h"

/* Lives in the answer. */
struct excerpt {
	const struct pp_calls_shown *calls;
	const struct pp_handles *handles; /* NULL = functions are groups */
	bool deep;
};

static double
excerpt_percent(void *data, size_t row)
{
	const struct excerpt *e = data;
	const struct pp_calls_shown *c = e->calls;

	return c->metric < c->calls.metrics && c->whole != 0
	           ? pp_calls_share(c, row) / c->whole * 100
	           : 0;
}

static void
excerpt_site(struct pp_row *r, const struct pp_profile *p, const struct pp_call *call)
{
	struct pp_buf made = { 0 };
	struct pp_slice file = pp_text_of(p, call->site_file);

	if (call->site_line) {
		pp_buf_add(&made, file.p, file.n);
		pp_buf_addf(&made, "%s%u", call->site_file ? ":" : "line ", call->site_line);
		pp_row_text(r, pp_slice_of(made.p ? made.p : "", made.n));
	} else {
		pp_row_null(r);
	}
	pp_buf_release(&made);
}

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct excerpt *e = data;
	const struct pp_calls_shown *c = e->calls;
	const struct pp_profile *p = c->calls.profile;
	const struct pp_call *call = pp_calls_row(c, row);

	pp_row_handle(r, 'f', pp_handles_rank(e->handles, call->func));
	if (c->metric < c->calls.metrics) {
		pp_row_pct(r, excerpt_percent(data, row), c->whole == 0 ? 0 : 100);
		pp_row_value(r, &p->metrics.at[c->metric],
		             c->calls.total.at[c->shown[row] * c->calls.metrics + c->metric]);
	} else {
		pp_row_null(r);
		pp_row_null(r);
	}
	if (c->calls.has_calls)
		pp_row_count(r, call->calls);
	else
		pp_row_null(r);
	pp_row_name(r, p, call->func);
	excerpt_site(r, p, call);
	if (e->deep)
		pp_row_count(r, call->depth);
}

/* "function": what is asked about. */
static void
excerpt_about(struct pp_excerpt *x, const struct excerpt *e)
{
	const struct pp_calls_shown *c = e->calls;
	const struct pp_profile *p = c->calls.profile;
	size_t clip = x->head.clip;
	struct pp_row *r = &x->head;

	pp_excerpt_shorten(x);
	pp_row_key(r, "function");
	pp_row_open(r, '{');
	pp_row_key(r, "id");
	pp_row_handle(r, 'f', pp_handles_rank(e->handles, c->func));
	pp_row_key(r, "name");
	pp_row_name(r, p, c->func);
	pp_row_key(r, "place");
	pp_row_place(r, p, c->func);
	pp_row_key(r, "calls");
	if (c->row < c->flat.n && pp_flat_calls_known(&c->flat, c->row))
		pp_row_count(r, c->flat.calls[c->row]);
	else
		pp_row_null(r);
	if (c->row < c->flat.n && c->metric < p->metrics.n) {
		struct pp_cost_pair cost = pp_flat_get(&c->flat, c->row, c->metric);

		pp_row_key(r, "self");
		pp_row_value(r, &p->metrics.at[c->metric], cost.own);
		pp_row_key(r, "total");
		pp_row_value(r, &p->metrics.at[c->metric], cost.total);
	}
	pp_row_close(r, '}');
	r->clip = clip;
}

/* "from_outside", "unattributed": the parts of the function's total that are in none of its rows. */
static void
excerpt_rests(struct pp_excerpt *x, const struct pp_calls_shown *c)
{
	const struct pp_profile *p = c->calls.profile;
	size_t i;

	for (i = 0; c->metric < c->calls.metrics && i < c->calls.rows.n; i++) {
		const struct pp_call *call = &c->calls.rows.at[i];

		if (call->func || call->depth > 1)
			continue;
		pp_row_key(&x->head, call->rest ? "unattributed" : "from_outside");
		pp_row_value(&x->head, &p->metrics.at[c->metric],
		             c->calls.total.at[i * c->calls.metrics + c->metric]);
	}
}

pp_status
pp_calls_excerpt(const struct pp_subject *subject, const struct pp_calls_params *params,
                 enum pp_calls_side side, struct pp_excerpt *x)
{
	static const char *const columns[] = { "id",   "pct",  "total", "calls",
		                               "name", "site", "depth" };
	const struct pp_topic *topic = subject->topics;
	pp_status status;
	struct pp_calls_shown *c = pp_calls_shown(topic, params, side, x->answer, &status);
	struct excerpt *e = pp_answer_alloc(x->answer, sizeof *e);
	union pp_value total = { 0 };

	if (!c)
		return status;
	if (!e)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	*e = (struct excerpt){ .calls = c, .deep = pp_calls_depth(params) != 1 };
	e->handles = pp_excerpt_has_handles(x, topic) ? pp_excerpt_handles(x, topic) : NULL;
	if (c->metric < c->flat.metrics)
		total = c->flat.whole[c->metric];
	if (pp_calls_set_aside(c))
		pp_aside_note(x->answer, c->calls.profile, c->func);
	pp_excerpt_head(x, topic, c->metric, total);
	excerpt_about(x, e);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, c->n);
	excerpt_rests(x, c);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns) - !e->deep;
	x->rows = c->n;
	x->data = e;
	x->row = excerpt_row;
	x->percent = e->deep ? NULL : excerpt_percent;
	return PP_OK;
}
