/*
 * From what was read to the profile: metrics, series, timelines, the processes of threads.
 *
 * Events and threads turn up as the text goes on, while a profile wants its metrics first. So samples
 * were added up in rows of (series, node), which become series here, all arrays in their final size.
 */
#include "formats/perf/perf_script.h"

/* ---- metrics ---------------------------------------------------------------------------- */

bool
pp_perf_event_is_time(struct pp_slice event)
{
	event = pp_perf_event_base(event);
	return pp_slice_eq_z(event, "cpu-clock") || pp_slice_eq_z(event, "task-clock");
}

static void
metrics_build(struct pp_perf_reader *r, struct pp_perf_event *e, bool main)
{
	struct pp_builder *b = r->builder;
	struct pp_slice name = pp_text_of(b->profile, e->name);
	const struct pp_perf_attr *attr = pp_perf_meta_attr(&r->meta, name);
	bool is_time = pp_perf_event_is_time(name);
	/* Where some samples lack a period, only their number speaks for all. */
	bool by_period = e->with_period == e->samples;
	struct pp_metric metric = { .event = e->name, .type = PP_UINT, .flags = PP_METRIC_SAMPLED };

	e->metric = (uint32_t)b->profile->metrics.n;
	if (e->with_period) {
		/* The period of a clock is the time it ran. */
		metric.name = pp_build_strz(b, "period");
		metric.unit = pp_build_strz(b, is_time ? "ns" : "events");
		metric.kind = is_time ? PP_KIND_CPU_TIME : PP_KIND_EVENTS;
		metric.flags |= is_time ? PP_METRIC_TIME_OK : 0u;
		metric.flags |= main && by_period ? PP_METRIC_PRIMARY : 0u;
		(void)pp_build_metric(b, &metric);
	}
	metric.name = metric.unit = pp_build_strz(b, "samples");
	metric.kind = PP_KIND_SAMPLES;
	metric.flags = PP_METRIC_SAMPLED;
	metric.flags |= attr && attr->freq && attr->has_rate ? PP_METRIC_TIME_OK : 0u;
	metric.flags |= main && !(e->with_period && by_period) ? PP_METRIC_PRIMARY : 0u;
	(void)pp_build_metric(b, &metric);
}

/* ---- threads ---------------------------------------------------------------------------- */

static int64_t
pid_of(const struct pp_perf_reader *r, const struct pp_perf_series *s)
{
	uint32_t pid = s->pid < 0 && s->tid >= 0 ? pp_map_get(&r->pid_of, (uint64_t)s->tid)
	                                         : PP_MAP_NONE;

	return pid == PP_MAP_NONE ? s->pid : (int64_t)pid;
}

/* Processes are called like their first thread. */
static void
name_processes(struct pp_perf_reader *r, struct pp_map *names)
{
	size_t i;

	for (i = 0; i < r->series.n; i++) {
		const struct pp_perf_series *s = &r->series.at[i];

		if (s->tid >= 0 && pid_of(r, s) == s->tid &&
		    !pp_map_set(names, (uint64_t)s->tid, s->comm))
			pp_perf_no_memory(r);
	}
}

/* ---- timelines -------------------------------------------------------------------------- */

struct moment {
	struct pp_event event;
	int64_t period;
	size_t order;
};

static int
moment_compare(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->event.time != b->event.time)
		return a->event.time < b->event.time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Reads a timeline of (period, samples) back. */
static struct moment *
moments_read(const struct pp_timeline *t)
{
	struct moment *all = calloc((size_t)t->n + 1, sizeof *all);
	struct pp_timeline_iter it;
	size_t n = 0;

	if (!all || !pp_timeline_begin(t, &it, 0)) {
		free(all);
		return NULL;
	}
	while (pp_timeline_next(&it)) {
		all[n] = (struct moment){ it.event, it.values[0], n };
		n++;
	}
	pp_timeline_end(&it);
	return all;
}

/*
 * Puts a timeline into the order of time and gives it the columns of the profile's metrics: those of
 * other events are 0.
 */
static bool
timeline_settle(struct pp_perf_series *s, const struct pp_perf_event *e, uint32_t columns)
{
	uint32_t samples = e->metric + (e->with_period ? 1 : 0);
	struct pp_timeline to = { 0 };
	struct moment *all;
	int64_t *values;
	bool fine;
	size_t i;

	if (!s->timeline.n || (columns == 2 && samples == 1 && e->with_period && !s->unordered))
		return true;
	all = moments_read(&s->timeline);
	values = calloc(columns, sizeof *values);
	fine = all && values && pp_timeline_init(&to, columns, false);
	if (fine && s->unordered)
		qsort(all, s->timeline.n, sizeof *all, moment_compare);
	for (i = 0; fine && i < s->timeline.n; i++) {
		values[e->metric] = all[i].period;
		values[samples] = 1;
		fine = pp_timeline_add(&to, &all[i].event, values);
	}
	free(all);
	free(values);
	if (!fine) {
		pp_timeline_release(&to);
		return false;
	}
	pp_timeline_release(&s->timeline);
	s->timeline = to;
	return true;
}

/* ---- series ----------------------------------------------------------------------------- */

/* Where the rows of each series start, once they are sorted by series; NULL when out of memory. */
static size_t *
rows_sort(struct pp_perf_reader *r, uint32_t **order)
{
	size_t *first = calloc(r->series.n + 2, sizeof *first), *at, i;

	*order = malloc((r->rows.n + 1) * sizeof **order);
	at = calloc(r->series.n + 2, sizeof *at);
	if (!first || !*order || !at) {
		free(first);
		free(at);
		return NULL;
	}
	for (i = 0; i < r->rows.n; i++)
		first[r->rows.at[i].series + 1]++;
	for (i = 0; i < r->series.n; i++)
		first[i + 1] += first[i];
	memcpy(at, first, (r->series.n + 1) * sizeof *at);
	for (i = 0; i < r->rows.n; i++)
		(*order)[at[r->rows.at[i].series]++] = (uint32_t)i;
	free(at);
	return first;
}

static bool
series_build(struct pp_perf_reader *r, struct pp_perf_series *from, const uint32_t *rows, size_t n,
             const struct pp_map *processes)
{
	struct pp_profile *p = r->builder->profile;
	const struct pp_perf_event *e = &r->events.at[from->event];
	struct pp_series like = { .event = e->name,
		                  .thread = from->comm,
		                  .pid = pid_of(r, from),
		                  .tid = from->tid,
		                  .cpu = -1 };
	uint32_t process = like.pid >= 0 ? pp_map_get(processes, (uint64_t)like.pid) : PP_MAP_NONE;
	struct pp_series *s;
	size_t i;

	like.process = process == PP_MAP_NONE ? 0 : process;
	i = pp_build_series(r->builder, &like, false, false);
	if (!pp_builder_ok(r->builder))
		return false;
	s = &p->series.at[i];
	s->cells = calloc(n * s->stride + 1, sizeof *s->cells);
	s->node_of = malloc((n + 1) * sizeof *s->node_of);
	s->rows_cap = (uint32_t)n;
	if (!s->cells || !s->node_of || !timeline_settle(from, e, (uint32_t)p->metrics.n))
		return false;
	s->timeline = from->timeline;
	from->timeline = (struct pp_timeline){ 0 };
	for (i = 0; i < n; i++) {
		const struct pp_perf_row *row = &r->rows.at[rows[i]];
		int64_t *cells = s->cells + (size_t)s->rows * s->stride + e->metric;

		s->node_of[s->rows++] = row->node;
		if (e->with_period)
			*cells++ = (int64_t)row->period;
		*cells = (int64_t)row->samples;
	}
	return true;
}

static void
series_build_all(struct pp_perf_reader *r)
{
	struct pp_map processes = { .seed = r->builder->seed };
	uint32_t *order = NULL;
	size_t *first = rows_sort(r, &order), i, bytes;
	bool fine = first != NULL;

	if (!pp_size_mul(r->rows.n, r->builder->profile->metrics.n * sizeof(int64_t), &bytes) ||
	    bytes > r->builder->limits.max_memory) {
		pp_builder_fail(r->builder, PP_E_LIMIT, "costs take too much memory");
		fine = false;
	}
	if (fine)
		name_processes(r, &processes);
	for (i = 0; fine && i < r->series.n; i++)
		fine = series_build(r, &r->series.at[i], order + first[i], first[i + 1] - first[i],
		                    &processes);
	if (!fine)
		pp_perf_no_memory(r);
	free(first);
	free(order);
	pp_map_release(&processes);
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Build ids came from records, beside the name of the file; kernels as "[kernel.kallsyms]_text". */
static void
build_ids_set(struct pp_perf_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	size_t i;

	for (i = 1; r->build_ids.n && i < p->modules.n; i++) {
		uint32_t id = pp_map_get(&r->build_ids, p->modules.at[i].name);

		if (id != PP_MAP_NONE)
			p->modules.at[i].build_id = id;
	}
}

static void
report(struct pp_perf_reader *r)
{
	uint64_t lacking = 0, unordered = 0;
	size_t i;

	for (i = 0; i < r->events.n; i++)
		if (r->events.at[i].with_period)
			lacking += r->events.at[i].samples - r->events.at[i].with_period;
	for (i = 0; i < r->series.n; i++)
		unordered += r->series.at[i].unordered;
	if (lacking)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_PERIOD_MISSING], PP_NOWHERE,
		            "%llu %s no period, others of their event do",
		            (unsigned long long)lacking,
		            lacking == 1 ? "sample has" : "samples have");
	if (unordered)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_TIME_ORDER], PP_NOWHERE,
		            "times go back in %llu thread%s", (unsigned long long)unordered,
		            unordered == 1 ? "" : "s");
	if (r->details)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_DETAILS],
		            pp_at_line(r->details_line, 1, PP_NO_OFFSET),
		            "%llu line%s of details passed over", (unsigned long long)r->details,
		            r->details == 1 ? "" : "s");
}

void
pp_perf_finish(struct pp_perf_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	size_t i;

	report(r);
	p->samples = r->samples;
	p->facets |= PP_TREE;
	p->time.known = r->has_time;
	p->holds |= r->has_time ? PP_TIMELINE : 0u;
	p->time.start = r->time_min;
	p->time.end = r->time_max;
	if (r->errors || r->lost)
		p->complete = false;
	pp_perf_bind_inlined(r);
	build_ids_set(r);
	for (i = 0; i < r->events.n; i++) {
		/* Among others even this one needs a name. */
		if (!r->events.at[i].name && r->events.n > 1)
			r->events.at[i].name = pp_build_strz(r->builder, "[unknown]");
		metrics_build(r, &r->events.at[i], i == 0);
	}
	if (r->events.n == 0)
		(void)pp_build_metric_z(r->builder, "samples", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	if (pp_builder_ok(r->builder))
		series_build_all(r);
	if (pp_builder_ok(r->builder))
		pp_perf_meta_build(r);
}
