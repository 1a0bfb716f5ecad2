/*
 * Timelines: raw samples, or windows where a file has none.
 *
 * A sample counts one for `samples` and `count`. Its `period` is what it weighs: that metric, or else the
 * primary one of its event (bytes allocated). A window counts what it says, at its start. Files have them
 * in any order; timelines go by time.
 *
 * Stacks without a thread may have samples of several. What those say of a stack is their threads', as
 * long as it is not more than the stack costs; the rest stays where it is.
 */
#include "formats/spaa/spaa.h"

#include "base/sort.h"
#include "base/stops.h"

#define ANY_THREAD INT64_MIN

struct times {
	struct pp_spaa_reader *r;
	struct pp_map record_of; /* records of ids that have several, by id, event and thread */
	int64_t *values;
	bool windows; /* moments are windows */
};

/* ---- records ---------------------------------------------------------------------------- */

static uint64_t
record_key(uint32_t id, uint32_t event, int64_t tid)
{
	return pp_mix((uint64_t)id << 32 | event, (uint64_t)tid ^ PP_HASH_K1);
}

static int64_t
record_tid(const struct pp_spaa_reader *r, uint32_t record)
{
	return r->costs.series.at[r->stacks.records.at[record].series].tid;
}

/* Of several records the last of a thread, and the first of an event, speak for an id. */
static bool
records_index(struct times *t)
{
	struct pp_spaa_reader *r = t->r;
	uint32_t i, k;

	for (i = 0; i < r->stacks.records.n; i++) {
		const struct pp_spaa_stack_row *s = &r->stacks.records.at[i];
		int64_t tid = record_tid(r, i);
		uint32_t events[] = { s->event, PP_SPAA_NO_EVENT };

		if (r->stacks.ids.at[s->id].record == i + 1 && !s->next)
			continue;
		for (k = 0; k < PP_COUNT_OF(events); k++) {
			uint64_t any = record_key(s->id, events[k], ANY_THREAD);

			if (!pp_map_set(&t->record_of, record_key(s->id, events[k], tid), i) ||
			    (pp_map_get(&t->record_of, any) == PP_MAP_NONE &&
			     !pp_map_set(&t->record_of, any, i)))
				return false;
		}
	}
	return true;
}

/* The record of an id that a sample means: of its event, best of its thread; PP_MAP_NONE when none. */
static uint32_t
record_of(const struct times *t, uint32_t id, uint32_t event, int64_t tid)
{
	const struct pp_spaa_reader *r = t->r;
	uint32_t record = r->stacks.ids.at[id].record, found;

	if (record == 0 || record == PP_SPAA_REFUSED)
		return PP_MAP_NONE;
	if (PP_LIKELY(!r->stacks.records.at[--record].next))
		return event == PP_SPAA_NO_EVENT || r->stacks.records.at[record].event == event
		           ? record
		           : PP_MAP_NONE;
	found = pp_map_get(&t->record_of, record_key(id, event, tid));
	return found != PP_MAP_NONE ? found
	                            : pp_map_get(&t->record_of, record_key(id, event, ANY_THREAD));
}

/* ---- values ----------------------------------------------------------------------------- */

/* The column that the period of a sample is a value of. */
static uint32_t
period_column(const struct pp_spaa_reader *r, const struct pp_spaa_event *e)
{
	enum pp_spaa_special primary = r->metrics.rows.at[e->columns.at[0].metric].special;
	uint32_t k, n = (uint32_t)e->columns.n;

	for (k = 0; k < n; k++)
		if (r->metrics.rows.at[e->columns.at[k].metric].special == PP_SPAA_M_PERIOD)
			return k;
	return primary == PP_SPAA_M_SAMPLES || primary == PP_SPAA_M_COUNT ? n : 0;
}

/* Whether each sample of an event is one of these. */
static bool
is_counted(const struct pp_spaa_event *e, enum pp_spaa_special special)
{
	return special == PP_SPAA_M_SAMPLES || special == PP_SPAA_M_COUNT ||
	       (e->said.mode == PP_SPAA_EVENT &&
	        ((special == PP_SPAA_M_ALLOC_COUNT && e->said.kind == PP_SPAA_ALLOCATION) ||
	         (special == PP_SPAA_M_FREE_COUNT && e->said.kind == PP_SPAA_DEALLOCATION)));
}

static void
sample_values(struct times *t, struct pp_spaa_event *e, const struct pp_spaa_moment *m,
              uint32_t first)
{
	struct pp_spaa_reader *r = t->r;
	const struct pp_decimal one = { .magnitude = 1 }, weight = { .magnitude = m->period };
	int64_t *values = t->values + first;
	uint32_t period = period_column(r, e), k;

	for (k = 0; k < e->columns.n; k++)
		if (k == period && m->has_period)
			values[k] = pp_spaa_cell(r, &e->columns.at[k], &weight);
		else if (is_counted(e, r->metrics.rows.at[e->columns.at[k].metric].special))
			values[k] = pp_spaa_cell(r, &e->columns.at[k], &one);
	if (e->time_from != UINT32_MAX)
		values[k] = 1;
}

/* The column of a metric; columns.n when no stack of the event has it. */
static uint32_t
column_of(const struct pp_spaa_event *e, uint32_t metric)
{
	uint32_t k;

	for (k = 0; k < e->columns.n && e->columns.at[k].metric != metric; k++)
		;
	return k;
}

static void
window_values(struct times *t, struct pp_spaa_event *e, const struct pp_spaa_moment *m,
              uint32_t first)
{
	struct pp_spaa_reader *r = t->r;
	uint32_t i, k;

	for (i = m->weights.first; i < m->weights.first + m->weights.n; i++) {
		k = column_of(e, r->times.window_weights.at[i].metric);
		if (k < e->columns.n)
			t->values[first + k] = pp_spaa_cell(r, &e->columns.at[k],
			                                    &r->times.window_weights.at[i].value);
	}
}

/* The values of a moment at its record, in the columns of its event from `first` on. */
static void
moment_values(struct times *t, const struct pp_spaa_moment *m, uint32_t record, uint32_t first)
{
	struct pp_spaa_event *e = &t->r->costs.events.at[t->r->stacks.records.at[record].event];

	if (t->windows)
		window_values(t, e, m, first);
	else
		sample_values(t, e, m, first);
}

/* ---- threads ---------------------------------------------------------------------------- */

/* The series of the thread of a moment, where that of its stack has none; UINT32_MAX when it does not matter. */
static uint32_t
thread_series(struct pp_spaa_reader *r, const struct pp_spaa_moment *m, uint32_t record)
{
	struct pp_spaa_series_key key = r->costs.series.at[r->stacks.records.at[record].series];

	if (m->tid < 0 || key.tid >= 0)
		return UINT32_MAX;
	key.tid = m->tid;
	key.pid = key.pid < 0 ? m->pid : key.pid;
	return pp_spaa_series_of(r, key);
}

/* Columns hold what the moment says, and its thread has a series. */
static bool
moment_fit(struct times *t, const struct pp_spaa_moment *m, uint32_t record)
{
	moment_values(t, m, record, 0);
	(void)thread_series(t->r, m, record);
	return pp_builder_ok(t->r->builder);
}

/* The metrics of an event in the profile, of which the time of samples may be one more. */
static size_t
metrics_of(const struct pp_spaa_reader *r, uint32_t event, const struct pp_metric **first)
{
	const struct pp_spaa_event *e = &r->costs.events.at[event];

	*first = r->builder->profile->metrics.at + e->first_metric;
	return e->columns.n + (e->time_from != UINT32_MAX);
}

static uint64_t
share_key(uint32_t series, pp_node node)
{
	return (uint64_t)series << 32 | node;
}

/* Adds what a moment says to the share of its thread. */
static bool
moment_share(struct times *t, const struct pp_spaa_moment *m, uint32_t record)
{
	struct pp_spaa_times *times = &t->r->times;
	const struct pp_spaa_stack_row *row = &t->r->stacks.records.at[record];
	const struct pp_metric *metrics;
	size_t n = metrics_of(t->r, row->event, &metrics), k;
	struct pp_spaa_share share = { .from = row->series,
		                       .to = thread_series(t->r, m, record),
		                       .node = row->where ? (pp_node)(row->where - 1) : 0,
		                       .cells = times->share_cells.n };
	uint32_t at;

	if (share.to == UINT32_MAX || !row->where)
		return pp_builder_ok(t->r->builder);
	at = pp_map_get(&times->share_of, share_key(share.to, share.node));
	if (at == PP_MAP_NONE) {
		at = (uint32_t)times->shares.n;
		if (!pp_vec_push(&times->shares, share) ||
		    !pp_map_set(&times->share_of, share_key(share.to, share.node), at) ||
		    !pp_vec_reserve(&times->share_cells, share.cells + n))
			return false;
		memset(times->share_cells.at + share.cells, 0, n * sizeof *times->share_cells.at);
		times->share_cells.n += n;
	}
	memset(t->values, 0, n * sizeof *t->values);
	moment_values(t, m, record, 0);
	/* What does not fit is more than any stack costs. */
	for (k = 0; k < n; k++)
		if (!pp_cell_add(metrics[k].type,
		                 &times->share_cells.at[times->shares.at[at].cells + k],
		                 t->values[k]))
			times->shares.at[at].node = 0;
	return true;
}

/* Moves a share from the series without thread to its own, if there is so much. */
static bool
share_move(struct pp_spaa_reader *r, struct pp_spaa_share *share)
{
	const int64_t *cells = r->times.share_cells.at + share->cells;
	uint32_t event = r->costs.series.at[share->to].event,
	         first = r->costs.events.at[event].first_metric,
	         from = r->costs.moved[r->costs.series.at[share->from].at],
	         to = r->costs.moved[r->costs.series.at[share->to].at];
	const struct pp_metric *metrics;
	size_t n = metrics_of(r, event, &metrics), k;
	int64_t *cell;

	for (k = 0; share->node && k < n; k++) {
		cell = pp_build_cell(r->builder, from, share->node, first + (uint32_t)k);
		if (!cell || pp_value_cmp(&metrics[k], pp_cell_value(&metrics[k], cells[k]),
		                          pp_cell_value(&metrics[k], *cell)) > 0)
			return pp_builder_ok(r->builder);
	}
	for (k = 0; share->node && k < n; k++) {
		cell = pp_build_cell(r->builder, to, share->node, first + (uint32_t)k);
		if (!cell)
			return false;
		(void)pp_cell_add(metrics[k].type, cell, cells[k]);
		cell = pp_build_cell(r->builder, from, share->node, first + (uint32_t)k);
		if (!cell)
			return false;
		*cell = pp_cell_gain(metrics[k].type, cells[k], *cell);
	}
	share->split = share->node != 0;
	return true;
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool
moment_add(struct times *t, const struct pp_spaa_moment *m, uint32_t record)
{
	struct pp_spaa_reader *r = t->r;
	struct pp_profile *p = r->builder->profile;
	const struct pp_spaa_stack_row *row = &r->stacks.records.at[record];
	struct pp_event event = { .kind = PP_EVENT_SAMPLE,
		                  .time = m->time,
		                  .extra = m->cpu,
		                  .node = row->where ? row->where - 1 : 0 };
	uint32_t series = thread_series(r, m, record), share = PP_MAP_NONE;
	struct pp_timeline *line;

	if (series != UINT32_MAX)
		share = pp_map_get(&r->times.share_of, share_key(series, event.node));
	if (share == PP_MAP_NONE || !r->times.shares.at[share].split)
		series = row->series;
	line = &p->series.at[r->costs.moved[r->costs.series.at[series].at]].timeline;
	/* The thread of a timeline is that of its stacks: another one is only kept as text. */
	if (m->tid >= 0 && m->tid != r->costs.series.at[series].tid)
		p->holds |= PP_EXTRAS;
	if (!line->last_values && !pp_timeline_init(line, (uint32_t)p->metrics.n, false))
		return false;
	memset(t->values, 0, p->metrics.n * sizeof *t->values);
	moment_values(t, m, record, r->costs.events.at[row->event].first_metric);
	return pp_timeline_add(line, &event, t->values);
}

/* By time; what happened at the same one in the order of the file. */
static int
moment_compare(const void *left, const void *right, void *moments)
{
	size_t i = *(const size_t *)left, k = *(const size_t *)right;
	const struct pp_spaa_moment *a = (const struct pp_spaa_moment *)moments + i,
	                            *b = (const struct pp_spaa_moment *)moments + k;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (i > k) - (i < k);
}

/* The order of n moments by time; NULL when they stand in it already, or out of memory (*fine). */
static size_t *
moments_order(struct pp_spaa_moment *m, size_t n, bool *fine)
{
	size_t *order, i;

	for (i = 1; i < n && m[i - 1].time <= m[i].time; i++)
		;
	if (i >= n)
		return NULL;
	order = malloc(n * sizeof *order);
	*fine &= order != NULL;
	for (i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		pp_sort(order, n, sizeof *order, moment_compare, m);
	return order;
}

/* All samples, or windows where there are none, with their records. */
static void
moments_walk(struct pp_spaa_reader *r,
             bool (*step)(struct times *, const struct pp_spaa_moment *, uint32_t))
{
	struct times t = { .r = r,
		           .record_of = { .seed = r->reader->seed },
		           .windows = r->times.moments.n == 0 };
	size_t n = t.windows ? r->times.windows.n : r->times.moments.n, *order = NULL, i;
	struct pp_spaa_moment *m = t.windows ? r->times.windows.at : r->times.moments.at;
	bool fine = !n || records_index(&t), build = step == moment_add;

	t.values = calloc(PP_SPAA_METRICS_MAX + r->builder->profile->metrics.n + 1,
	                  sizeof *t.values);
	fine = fine && t.values;
	if (build)
		order = moments_order(m, n, &fine);
	for (i = 0; fine && i < n; i++) {
		const struct pp_spaa_moment *at = &m[order ? order[i] : i];
		uint32_t record = record_of(&t, at->id, at->event, at->tid);

		if (record != PP_MAP_NONE && (at->timed || !build))
			fine = step(&t, at, record);
		fine = fine && !pp_account_stops_at(i);
	}
	free(order);
	free(t.values);
	pp_map_release(&t.record_of);
	if (!fine)
		pp_spaa_no_memory(r);
}

void
pp_spaa_times_fit(struct pp_spaa_reader *r)
{
	moments_walk(r, moment_fit);
}

void
pp_spaa_timeline_build(struct pp_spaa_reader *r)
{
	bool fine = true;
	size_t i;

	/* Where a leaf's own is not all, threads cannot be told apart by what they cost. */
	if (r->builder->profile->not_own.n == 0)
		moments_walk(r, moment_share);
	for (i = 0; fine && i < r->times.shares.n; i++)
		fine = share_move(r, &r->times.shares.at[i]);
	if (fine && r->reader->order->facets & PP_TIMELINE)
		moments_walk(r, moment_add);
}
