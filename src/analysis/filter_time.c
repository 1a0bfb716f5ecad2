/*
 * Filters by time: walks the timelines and books again what happened between two moments.
 *
 * In a trace, what the counters gained between two events belongs to the function that ran meanwhile; between
 * two outermost calls it is nobody's, as in the sums of every format that traces. An interval that a border
 * cuts is divided in proportion to time, rounded down from its start, so that the costs of adjacent stretches
 * add up to the cost of both together. Calls belong to the stretch in which they began; samples to the one in
 * which they were taken.
 */
#include "analysis/filter.h"
#include "model/derive.h"

struct booking {
	const struct pp_profile *p;
	struct pp_series *s;
	int64_t from, to;
	pp_node node;   /* being booked on */
	int64_t *cells; /* its cells; NULL where there are many metrics */
	struct pp_buf *problem;
	pp_status status;
};

/* Begins to book on a node; false (and a status) when out of memory. */
static bool
node_begin(struct booking *b, pp_node node)
{
	b->node = node;
	b->cells = b->s->wide ? NULL : pp_series_at(b->s, node);
	if (!b->cells && !(b->s->wide && pp_series_wide_row(b->s, node)))
		b->status = PP_E_NOMEM;
	return b->status == PP_OK;
}

static void
cell_add(struct booking *b, size_t metric, int64_t value)
{
	int64_t *cell = b->cells ? &b->cells[metric] : NULL;

	if (b->status != PP_OK || (!cell && !value))
		return;
	if (!cell && !(cell = pp_series_wide_at(b->s, b->node, (uint32_t)metric))) {
		b->status = PP_E_NOMEM;
		return;
	}
	if (pp_cell_add(b->p->metrics.at[metric].type, cell, value))
		return;
	pp_profile_sum_problem(b->p, pp_node_func(b->p, b->node), metric, b->problem);
	b->status = PP_E_UNSUPPORTED;
}

/* Adds a step of a metric, and what it gained. */
static void
step_add(struct booking *b, size_t metric, int64_t step)
{
	size_t gained = pp_metric_gained(b->p, metric);

	cell_add(b, metric, step);
	if (gained < b->p->metrics.n)
		cell_add(b, gained, pp_cell_gained(b->p->metrics.at[metric].type, step));
}

/* The part of a counter's gain that lies before `at`, of an interval of `length` from its start. */
static int64_t
gain_before(enum pp_cell_type type, int64_t start, int64_t end, int64_t at, int64_t length)
{
	int64_t gain = pp_cell_gain(type, start, end);
	double real;

	if (at >= length)
		return gain;
	if (type != PP_REAL)
		return (int64_t)((pp_i128)gain * at / length);
	memcpy(&real, &gain, sizeof real);
	return pp_cell_real(real * ((double)at / (double)length));
}

/* The last stretch includes its end. */
static bool
within(const struct booking *b, int64_t time)
{
	return time >= b->from && (time < b->to || b->to == INT64_MAX);
}

/* Books what the counters gained in [start, end] on the node that ran. */
static void
book_interval(struct booking *b, pp_node node, int64_t start, int64_t end, const int64_t *before,
              const int64_t *after, size_t columns)
{
	int64_t first = start > b->from ? start : b->from, last = end < b->to ? end : b->to;
	size_t m;

	/* Where a clock stands still or goes back, it is a moment. */
	if (!node || (start >= end ? !within(b, start) : first >= last))
		return;
	if (!node_begin(b, node))
		return;
	for (m = 0; m < columns; m++) {
		enum pp_cell_type type = b->p->metrics.at[m].type;
		int64_t length = end - start;
		int64_t upto = gain_before(type, before[m], after[m], last - start, length);
		int64_t skipped = first == start ? 0
		                                 : gain_before(type, before[m], after[m],
		                                               first - start, length);

		step_add(b, m, pp_cell_gain(type, skipped, upto));
	}
}

static void
book_point(struct booking *b, const struct pp_event *event, const int64_t *values, size_t columns)
{
	size_t m;

	if (!within(b, event->time) || event->kind == PP_EVENT_EXIT)
		return;
	if (event->kind == PP_EVENT_ENTER && !b->s->has_calls)
		return;
	if (!node_begin(b, event->node))
		return;
	if (event->kind == PP_EVENT_ENTER)
		b->cells[b->p->metrics.n]++;
	else
		for (m = 0; m < columns; m++)
			step_add(b, m, values[m]);
}

static pp_status
book_timeline(struct booking *b, const struct pp_timeline *t)
{
	size_t shown = pp_metrics_shown(b->p), columns = t->columns < shown ? t->columns : shown;
	int64_t *before = calloc(columns + 1, sizeof *before);
	struct pp_timeline_iter it;
	pp_node running = 0;
	int64_t since = 0;
	bool first = true;

	if (!before || !pp_timeline_begin(t, &it, 0)) {
		free(before);
		return PP_E_NOMEM;
	}
	while (b->status == PP_OK && pp_timeline_next(&it)) {
		if (t->cumulative && !first)
			book_interval(b, running, since, it.event.time, before, it.values, columns);
		book_point(b, &it.event, it.values, t->cumulative ? 0 : columns);
		running = it.event.kind == PP_EVENT_EXIT
		              ? pp_tree_parent(&b->p->tree, it.event.node)
		              : it.event.node;
		since = it.event.time;
		memcpy(before, it.values, columns * sizeof *before);
		first = false;
	}
	pp_timeline_end(&it);
	free(before);
	return b->status;
}

/* Room for the rows of a part of the time, which has no measured totals. */
static bool
series_start(const struct pp_profile *p, struct pp_series *s)
{
	s->measured = false;
	s->stride = (uint32_t)p->metrics.n + s->has_calls;
	s->row_of = (struct pp_map){ .seed = p->strs.seed };
	s->rows = s->rows_cap = s->dense ? p->tree.n : 0;
	if (p->metrics.n > PP_FEW_COLUMNS && !s->dense && !s->has_calls)
		return (s->wide = pp_wide_new(sizeof(int64_t), 0)) != NULL;
	s->cells = calloc((size_t)s->rows * s->stride + 1, sizeof *s->cells);
	if (s->dense)
		s->present = calloc(p->tree.n / 64 + 1, sizeof *s->present);
	return s->cells && (!s->dense || s->present);
}

pp_status
pp_filter_timelines(struct pp_derive *d, int64_t from, int64_t to, struct pp_buf *problem)
{
	pp_status status = PP_OK;
	size_t i;

	if (!pp_derive_empty(d, PP_COLUMN_ROWS | PP_COLUMN_NOT_OWN))
		return PP_E_NOMEM;
	for (i = 0; i < d->to->series.n && status == PP_OK; i++) {
		struct pp_series *s = &d->to->series.at[i];
		struct booking b = {
			.p = d->to, .s = s, .from = from, .to = to, .problem = problem
		};

		status = series_start(d->to, s) ? book_timeline(&b, &s->timeline) : PP_E_NOMEM;
		pp_map_release(&s->row_of);
	}
	return status;
}
