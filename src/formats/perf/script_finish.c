/*
 * From what was read to the profile: metrics, series, timelines, the processes of threads.
 *
 * Events and threads turn up as the text goes on; what they count is known at the end.
 */
#include "formats/perf/perf_script.h"

/* ---- metrics ---------------------------------------------------------------------------- */

bool
pp_perf_event_is_time(struct pp_slice event)
{
	event = pp_perf_event_base(event);
	return pp_slice_eq_z(event, "cpu-clock") || pp_slice_eq_z(event, "task-clock");
}

uint32_t
pp_perf_metrics_build(struct pp_builder *b, pp_str event, const struct pp_perf_attr *attr,
                      bool period, bool by_period)
{
	bool is_time = pp_perf_event_is_time(pp_text_of(b->profile, event));
	struct pp_metric metric = { .event = event, .type = PP_UINT, .flags = PP_METRIC_SAMPLED };
	uint32_t first = (uint32_t)b->profile->metrics.n;

	if (period) {
		/* The period of a clock is the time it ran. */
		metric.name = pp_build_strz(b, "period");
		metric.unit = pp_build_strz(b, is_time ? "ns" : "events");
		metric.kind = is_time ? PP_KIND_CPU_TIME : PP_KIND_EVENTS;
		metric.flags |= is_time ? PP_METRIC_TIME_OK : 0u;
		metric.flags |= by_period ? PP_METRIC_PRIMARY : 0u;
		(void)pp_build_metric(b, &metric);
	}
	metric.name = metric.unit = pp_build_strz(b, "samples");
	metric.kind = PP_KIND_SAMPLES;
	metric.flags = PP_METRIC_SAMPLED;
	metric.flags |= attr && attr->freq && attr->has_rate ? PP_METRIC_TIME_OK : 0u;
	metric.flags |= !(period && by_period) ? PP_METRIC_PRIMARY : 0u;
	(void)pp_build_metric(b, &metric);
	return first;
}

/* The metric of an event that is sums of one. */
static void
sums_build(struct pp_perf_reader *r, struct pp_perf_event *e, const struct pp_perf_attr *attr)
{
	struct pp_builder *b = r->builder;
	struct pp_metric metric = { .type = PP_UINT };

	metric.name = pp_build_str(b, attr->metric);
	metric.unit = pp_build_str(b, attr->unit);
	metric.kind = pp_slice_eq_z(attr->unit, "samples") ? PP_KIND_SAMPLES
	              : pp_slice_eq_z(attr->unit, "ns")    ? PP_KIND_WALL_TIME
	              : pp_slice_eq_z(attr->unit, "bytes") ? PP_KIND_BYTES
	                                                   : PP_KIND_EVENTS;
	metric.flags = PP_METRIC_PRIMARY;
	if (attr->nameless)
		e->name = 0;
	metric.event = e->name;
	e->metric = (uint32_t)b->profile->metrics.n;
	(void)pp_build_metric(b, &metric);
	/* How many samples there were, sums do not tell. */
	b->profile->samples -= e->samples;
}

static void
metrics_build(struct pp_perf_reader *r, struct pp_perf_event *e)
{
	struct pp_slice name = pp_text_of(r->builder->profile, e->name);
	const struct pp_perf_attr *attr = pp_perf_meta_attr(&r->meta, name);

	/* Sums are told by what is kept of their header, unless there was no memory for it. */
	if (e->sums && attr) {
		sums_build(r, e, attr);
		return;
	}
	if (e->sums) {
		pp_builder_fail(r->builder, PP_E_NOMEM, NULL);
		return;
	}
	/* Where some samples lack a period, only their number speaks for all. */
	e->metric = pp_perf_metrics_build(r->builder, e->name, attr, e->with_period > 0,
	                                  e->with_period == e->samples);
}

/* ---- threads ---------------------------------------------------------------------------- */

static int64_t
pid_of(const struct pp_perf_reader *r, const struct pp_perf_series *s)
{
	uint32_t pid = s->pid < 0 && s->tid >= 0 ? pp_map_get(&r->records.pid_of, (uint64_t)s->tid)
	                                         : PP_MAP_NONE;

	return pid == PP_MAP_NONE ? s->pid : (int64_t)pid;
}

/* Processes are called like their first thread. */
static void
name_processes(struct pp_perf_reader *r, struct pp_map *names)
{
	size_t i;

	for (i = 0; i < r->threads.series.n; i++) {
		const struct pp_perf_series *s = &r->threads.series.at[i];

		if (s->tid >= 0 && pid_of(r, s) == s->tid &&
		    !pp_map_set(names, (uint64_t)s->tid, s->comm))
			pp_perf_no_memory(r);
	}
}

/* ---- series ----------------------------------------------------------------------------- */

/* What became known of a series since it was made. */
static void
series_settle(struct pp_perf_reader *r, const struct pp_perf_series *from,
              const struct pp_map *processes)
{
	struct pp_series *s = &r->builder->profile->series.at[from->index];
	const struct pp_perf_event *e = &r->threads.events.at[from->event];
	uint32_t metrics[2] = { e->with_period || e->sums ? e->metric : PP_NO_METRIC,
		                e->sums ? PP_NO_METRIC : e->metric + (e->with_period ? 1 : 0) };
	uint32_t process;

	s->event = e->name;
	s->pid = pid_of(r, from);
	process = s->pid >= 0 ? pp_map_get(processes, (uint64_t)s->pid) : PP_MAP_NONE;
	s->process = process == PP_MAP_NONE ? 0 : process;
	pp_build_series_settle(r->builder, from->index, metrics, from->unordered);
}

static void
series_settle_all(struct pp_perf_reader *r)
{
	struct pp_map processes = { .seed = r->builder->seed };
	size_t i;

	name_processes(r, &processes);
	if (pp_build_flush(r->builder))
		for (i = 0; i < r->threads.series.n && pp_builder_ok(r->builder); i++)
			series_settle(r, &r->threads.series.at[i], &processes);
	pp_map_release(&processes);
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Build ids came from records, beside the name of the file; kernels as "[kernel.kallsyms]_text". */
static void
build_ids_set(struct pp_perf_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	size_t i;

	for (i = 1; r->records.build_ids.n && i < p->modules.n; i++) {
		uint32_t id = pp_map_get(&r->records.build_ids, p->modules.at[i].name);

		if (id != PP_MAP_NONE)
			p->modules.at[i].build_id = id;
	}
}

static void
report(struct pp_perf_reader *r)
{
	uint64_t lacking = 0, unordered = 0;
	size_t i;

	for (i = 0; i < r->threads.events.n; i++)
		if (r->threads.events.at[i].with_period)
			lacking += r->threads.events.at[i].samples -
			           r->threads.events.at[i].with_period;
	for (i = 0; i < r->threads.series.n; i++)
		unordered += r->threads.series.at[i].unordered;
	if (lacking)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_PERIOD_MISSING], PP_NOWHERE,
		            "%llu %s no period, others of their event do",
		            (unsigned long long)lacking,
		            lacking == 1 ? "sample has" : "samples have");
	if (unordered)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_TIME_ORDER], PP_NOWHERE,
		            "times go backwards in %llu thread%s", (unsigned long long)unordered,
		            unordered == 1 ? "" : "s");
	if (r->counts.details)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_DETAILS],
		            pp_at_line(r->counts.details_line, 1, PP_NO_OFFSET),
		            "%llu line%s of details passed over",
		            (unsigned long long)r->counts.details,
		            r->counts.details == 1 ? "" : "s");
}

void
pp_perf_finish(struct pp_perf_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	size_t i;

	report(r);
	p->samples = r->counts.samples;
	p->facets |= PP_TREE;
	p->time.known = r->counts.has_time;
	p->holds |= r->counts.has_time ? PP_TIMELINE : 0u;
	p->time.start = r->counts.time_min;
	p->time.end = r->counts.time_max;
	if (r->counts.errors || r->counts.lost || r->counts.unended)
		p->complete = false;
	pp_perf_bind_inlined(r);
	build_ids_set(r);
	if (r->threads.events.n == 0)
		pp_perf_events_list(r);
	for (i = 0; i < r->threads.events.n; i++) {
		/* Among others even this one needs a name. */
		if (!r->threads.events.at[i].name && r->threads.events.n > 1)
			r->threads.events.at[i].name = pp_build_strz(r->builder, "[unknown]");
		metrics_build(r, &r->threads.events.at[i]);
	}
	if (r->threads.events.n == 0)
		(void)pp_build_metric_z(r->builder, "samples", "samples", PP_KIND_SAMPLES, PP_UINT,
		                        PP_METRIC_SAMPLED | PP_METRIC_PRIMARY);
	pp_metrics_settle_primary(r->builder->profile);
	if (pp_builder_ok(r->builder))
		series_settle_all(r);
	if (pp_builder_ok(r->builder))
		pp_perf_meta_build(r);
}
