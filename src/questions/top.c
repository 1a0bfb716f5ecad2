/*
 * top: functions by their own cost or with all they called.
 */
#include <stddef.h>
#include <stdlib.h>

#include "questions/describe.h"
#include "questions/excerpt.h"
#include "questions/ranking.h"
#include "text/units.h"

#define ROWS_SHOWN 25

struct top {
	struct pp_ranked ranked;
	struct pp_scope scope;
	double min;
};

static void top_want(const void *, struct pp_want *);
static pp_status top_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status top_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param_use top_params[] = {
	{ &pp_params_rank, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct top, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct top, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct top, min), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct top, scope.depth), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_top = {
	.name = "top",
	.summary = "functions by self or total cost",
	.params = top_params,
	.params_size = sizeof(struct top),
	.scope_at = offsetof(struct top, scope),
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = top_want,
	.excerpt = top_excerpt,
	.run = top_run,
};

static void
top_want(const void *params, struct pp_want *want)
{
	want->facets = PP_COSTS | PP_FUNCTIONS | PP_GAINS;
}

/*
 * ", 7.66 MiB of it by no function itself": a file may state totals of calls from which more is missing than was given back
 * in what functions did themselves, as what they held is freed when they return.
 */
static void
unseen_add(struct pp_buf *text, const struct pp_ranking *r)
{
	const struct pp_profile *p = r->flat.profile;
	const struct pp_metric *m = &p->metrics.at[r->metric];
	double unseen;

	if (pp_profile_basis(p) != PP_BASIS_COSTS || !p->costs.funcs.n || p->costs.filtered)
		return;
	unseen = pp_value_double(m, pp_costs_get(p, 0, r->metric).own) -
	         pp_value_double(m, pp_costs_get(p, 0, r->metric).total);
	if (!(unseen > 0))
		return;
	pp_buf_adds(text, " (");
	pp_units_value(text, pp_text_of(p, m->unit), unseen);
	pp_buf_adds(text, " of it by no function itself)");
}

/* One line above the table: the metric, its total, how many functions. */
static void
heading_say(struct pp_answer *a, const struct pp_ranking *r)
{
	const struct pp_profile *p = r->flat.profile;
	struct pp_buf text = { 0 };

	if (r->metric < p->metrics.n) {
		const struct pp_metric *m = &p->metrics.at[r->metric];
		double whole = pp_value_double(
		    m, pp_value_with_idle(p, r->metric, r->flat.whole[r->metric]));

		pp_metric_describe(&text, p, m, whole);
		if (pp_metric_gained(p, r->metric) < p->metrics.n) {
			pp_describe_falls(&text, p, m, r->flat.whole[r->metric],
			                  pp_flat_whole(&r->flat, r->metric));
			unseen_add(&text, r);
		}
		pp_describe_idle(&text, p, r->metric);
		pp_answer_say_name(a, PP_INK_TITLE, pp_slice_of(text.p, text.n));
		pp_answer_say(a, PP_INK_PLAIN, " in ");
		text.n = 0;
	}
	pp_units_u64(&text, r->flat.n + r->empty);
	pp_answer_say(
	    a, PP_INK_PLAIN, "%s %s%s%s\n\n", pp_answer_made(a, &text),
	    pp_plural(r->flat.n + r->empty, r->one, r->many),
	    p->complete ? "" : " (the profile is incomplete)",
	    p->estimated && pp_profile_basis(p) == PP_BASIS_TREE ? " (totals are estimates)" : "");
	pp_buf_release(&text);
}

/* ---- cycles ---- */

/* Per cycle how many functions and what they cost. */
struct cycles {
	const struct pp_profile *profile;
	uint32_t *members;
	union pp_value *sums; /* [cycle * 2 * metrics]: self, then total */
};

static void
cycles_release(void *data)
{
	struct cycles *c = data;

	free(c->members);
	free(c->sums);
}

static void
cycle_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, row + 1);
}

static void
members_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, ((const struct cycles *)data)->members[row]);
}

static void
self_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct cycles *c = data;

	pp_datum_value(d, c->profile, metric, c->sums[2 * row * c->profile->metrics.n + metric]);
}

static void
total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct cycles *c = data;

	pp_datum_value(d, c->profile, metric,
	               c->sums[(2 * row + 1) * c->profile->metrics.n + metric]);
}

static bool
cycles_add(struct cycles *c, const struct pp_flat *flat)
{
	const struct pp_profile *p = flat->profile;
	size_t n = flat->metrics, row, m;

	c->profile = p;
	c->sums = calloc(flat->cycles * 2 * n + 1, sizeof *c->sums);
	c->members = calloc(flat->cycles, sizeof *c->members);
	for (row = 0; c->sums && c->members && row < flat->n; row++) {
		union pp_value *sums;

		if (flat->cycle[row] == 0)
			continue;
		sums = c->sums + 2 * n * (flat->cycle[row] - 1);
		c->members[flat->cycle[row] - 1]++;
		for (m = 0; m < n; m++) {
			struct pp_cost_pair cost = pp_flat_get(flat, row, m);

			pp_value_add(&p->metrics.at[m], &sums[m], cost.own);
			pp_value_add(&p->metrics.at[m], &sums[n + m], cost.total);
		}
	}
	return c->sums && c->members;
}

/* "cycles": [{"cycle": 1, "members": 2, "self": {...}, "total": {...}}], when there are any. */
static void
cycles_table(struct pp_answer *a, const struct pp_flat *flat)
{
	const struct pp_answer_column made[] = {
		{ .key = "cycle", .as = PP_AS_COUNT, .get = cycle_get },
		{ .key = "members", .as = PP_AS_COUNT, .get = members_get },
		{ .key = "self", .as = PP_AS_VALUE, .each = flat->profile, .get = self_get },
		{ .key = "total", .as = PP_AS_VALUE, .each = flat->profile, .get = total_get },
	};
	struct pp_answer_column *columns;
	struct cycles *c;

	/* Totals of groups do not add up to those of the cycles that their members are in. */
	if (flat->cycles == 0 || flat->profile->derived.alone.n)
		return;
	columns = pp_answer_alloc(a, sizeof made);
	c = pp_answer_own(a, sizeof *c, cycles_release);
	if (!columns || !c || !cycles_add(c, flat)) {
		a->failed = true;
		return;
	}
	memcpy(columns, made, sizeof made);
	pp_answer_table(a, &(struct pp_answer_table){ .key = "cycles",
	                                              .columns = columns,
	                                              .column_count = PP_COUNT_OF(made),
	                                              .data = c,
	                                              .rows = flat->cycles,
	                                              .flags = PP_TABLE_NO_CSV | PP_TABLE_NO_TEXT |
	                                                       PP_TABLE_WHOLE });
}

/* ---- running ---- */

static void
whole_add(struct pp_answer *a, const struct pp_ranking *r)
{
	const struct pp_profile *p = r->flat.profile;
	const struct pp_metric *m = &p->metrics.at[r->metric];
	union pp_value net = r->flat.whole[r->metric], gained = pp_flat_whole(&r->flat, r->metric);

	pp_answer_total(a, p, r->metric, net);
	if (pp_metric_gained(p, r->metric) == p->metrics.n)
		return;
	pp_answer_value(a, "gained", p, r->metric, gained);
	pp_value_sub(m, &gained, net);
	pp_answer_value(a, "given_back", p, r->metric, gained);
}

static pp_status
top_run(const struct pp_subject *subject, const void *params, struct pp_answer *a)
{
	const struct top *top = params;
	const struct pp_profile *p = subject->topics[0].profile;
	struct pp_ranking *r;
	pp_status status = pp_ranking_make(a, p, &top->ranked, pp_scope_by(&top->scope), top->min,
	                                   &r);

	if (status != PP_OK)
		return status;
	pp_answer_source(a, p);
	pp_answer_unit(a, p, r->metric);
	pp_answer_units(a, p);
	if (r->metric < p->metrics.n)
		whole_add(a, r);
	pp_answer_bool(a, "estimated", p->estimated && pp_profile_basis(p) == PP_BASIS_TREE);
	heading_say(a, r);
	if (top->ranked.asked.handles && pp_scope_by(&top->scope) == PP_BY_FUNCTION)
		r->handles = pp_answer_handles(a, subject->topics);
	pp_ranking_table(a, r, ROWS_SHOWN, false);
	pp_answer_count(a, "count", r->flat.n);
	cycles_table(a, &r->flat);
	return PP_OK;
}

/* ---- under a budget; lives in the answer ---- */

struct excerpt {
	const struct pp_flat *flat;
	size_t metric;
	double whole;
	const struct pp_handles *handles; /* NULL = rows are groups */
	uint32_t *threads;                /* by function, where rows are threads; or NULL */
};

static void
excerpt_release(void *data)
{
	free(((struct excerpt *)data)->threads);
}

static double
excerpt_percent(void *data, size_t row)
{
	const struct excerpt *e = data;
	const struct pp_profile *p = e->flat->profile;

	if (e->metric >= p->metrics.n || e->whole == 0)
		return 0;
	return pp_value_double(&p->metrics.at[e->metric],
	                       pp_flat_gained(e->flat, row, e->metric).own) /
	       e->whole * 100;
}

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct excerpt *e = data;
	const struct pp_flat *f = e->flat;
	const struct pp_profile *p = f->profile;
	struct pp_cost_pair cost;

	if (e->threads)
		pp_row_handle(r, 't', e->threads[f->func[row]]);
	else
		pp_row_handle(r, 'f', pp_handles_rank(e->handles, f->func[row]));
	if (e->metric < p->metrics.n) {
		cost = pp_flat_get(f, row, e->metric);
		pp_row_pct(r, excerpt_percent(data, row), e->whole == 0 ? 0 : 100);
		pp_row_value(r, &p->metrics.at[e->metric], cost.own);
		pp_row_value(r, &p->metrics.at[e->metric], cost.total);
	} else {
		pp_row_null(r);
		pp_row_null(r);
		pp_row_null(r);
	}
	if (pp_flat_calls_known(f, row))
		pp_row_count(r, f->calls[row]);
	else
		pp_row_null(r);
	pp_row_name(r, p, f->func[row]);
	pp_row_place(r, p, f->func[row]);
}

/* The rows: those that handles are numbered by where that is what is asked for. */
static pp_status
excerpt_find(struct pp_excerpt *x, const struct top *top, const struct pp_topic *topic,
             struct excerpt *e)
{
	const struct pp_profile *p = topic->profile;
	const struct pp_handles *h = pp_excerpt_handles(x, topic);
	struct pp_ranking *r = NULL;
	pp_status status;

	if (!h)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	e->handles = pp_excerpt_has_handles(x, topic) ? h : NULL;
	if (pp_scope_by(&top->scope) == PP_BY_THREAD && p != h->profile) {
		e->handles = NULL;
		e->threads = pp_handles_of_threads(h->profile, p);
		if (!e->threads)
			return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	}
	if (p == h->profile && h->flat.n && !top->ranked.asked.metric && !(top->min > 0) &&
	    (top->ranked.sort == PP_SORT_SELF || top->ranked.sort == PP_SORT_FLAT)) {
		e->flat = &h->flat;
		e->metric = pp_profile_primary(p);
		return PP_OK;
	}
	status = pp_ranking_make(x->answer, p, &top->ranked, pp_scope_by(&top->scope), top->min,
	                         &r);
	if (status == PP_OK) {
		e->flat = &r->flat;
		e->metric = r->metric;
	}
	return status;
}

static pp_status
top_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	static const char *const columns[] = { "id",    "pct",  "self", "total",
		                               "calls", "name", "place" };
	static const char *const sorts[] = { "self",   "total", "calls", "name",
		                             "gained", "self",  "total" };
	const struct top *top = params;
	struct excerpt *e = pp_answer_own(x->answer, sizeof *e, excerpt_release);
	union pp_value total = { 0 };
	pp_status status = e ? excerpt_find(x, top, subject->topics, e)
	                     : pp_answer_fail_status(x->answer, PP_E_NOMEM);

	if (status != PP_OK)
		return status;
	if (e->metric < e->flat->profile->metrics.n) {
		total = e->flat->whole[e->metric];
		e->whole = pp_value_double(&e->flat->profile->metrics.at[e->metric],
		                           pp_flat_whole(e->flat, e->metric));
	}
	pp_excerpt_head(x, subject->topics, e->metric, total);
	pp_row_key(&x->head, "sort");
	pp_row_word(&x->head, sorts[top->ranked.sort]);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, e->flat->n);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = e->flat->n;
	x->data = e;
	x->row = excerpt_row;
	x->percent = excerpt_percent;
	return PP_OK;
}
