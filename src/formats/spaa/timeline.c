/*
 * Timelines: raw samples, or windows where a file has none.
 *
 * A sample counts one for `samples` and `count`. Its `period` is what it weighs: that metric, or else the
 * primary one of its event (bytes allocated). A window counts what it says, at its start. Files have them
 * in any order; timelines go by time.
 */
#include "formats/spaa/spaa.h"

#include "base/sort.h"

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
	const struct pp_spaa_num one = { .magnitude = 1 }, weight = { .magnitude = m->period };
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
	struct pp_timeline *line =
	    &p->series.at[r->costs.moved[r->costs.series.at[row->series].at]].timeline;

	/* The thread of a timeline is that of its stacks: another one is only kept as text. */
	if (m->tid >= 0 && m->tid != record_tid(r, record))
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

/* All samples, or windows where there are none, with their records: into timelines, or only looked at. */
static void
moments_walk(struct pp_spaa_reader *r, bool build)
{
	struct times t = { .r = r,
		           .record_of = { .seed = r->reader->seed },
		           .windows = r->times.moments.n == 0 };
	size_t n = t.windows ? r->times.windows.n : r->times.moments.n, *order = NULL, i;
	struct pp_spaa_moment *m = t.windows ? r->times.windows.at : r->times.moments.at;
	bool fine = !n || records_index(&t);

	t.values = calloc(PP_SPAA_METRICS_MAX + r->builder->profile->metrics.n + 1,
	                  sizeof *t.values);
	fine = fine && t.values;
	if (build)
		order = moments_order(m, n, &fine);
	for (i = 0; fine && i < n; i++) {
		const struct pp_spaa_moment *at = &m[order ? order[i] : i];
		uint32_t record = record_of(&t, at->id, at->event, at->tid);

		if (record == PP_MAP_NONE)
			continue;
		if (build)
			fine = moment_add(&t, at, record);
		else
			moment_values(&t, at, record, 0);
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
	moments_walk(r, false);
}

void
pp_spaa_timeline_build(struct pp_spaa_reader *r)
{
	moments_walk(r, true);
}
