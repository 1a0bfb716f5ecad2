/*
 * From what was read to the profile: metrics and series.
 *
 * Rows were collected by event, with columns that grew as metrics appeared; here they become series, one
 * for each event, process, thread and cpu. All arrays are made in their final size.
 */
#include "formats/spaa/spaa.h"

/* ---- metrics ---------------------------------------------------------------------------- */

/* What is known of a metric from its name alone. */
static const struct {
	const char *unit;
	enum pp_metric_kind kind;
	unsigned flags;
} specials[PP_SPAA_SPECIALS] = {
	[PP_SPAA_PLAIN] = { "", PP_KIND_OTHER, 0 },
	[PP_SPAA_M_PERIOD] = { "events", PP_KIND_EVENTS, 0 },
	[PP_SPAA_M_SAMPLES] = { "samples", PP_KIND_SAMPLES, 0 },
	[PP_SPAA_M_COUNT] = { "count", PP_KIND_COUNT, 0 },
	[PP_SPAA_M_CPU_TIME] = { "ns", PP_KIND_CPU_TIME, 0 },
	[PP_SPAA_M_ALLOC_BYTES] = { "bytes", PP_KIND_BYTES, 0 },
	[PP_SPAA_M_FREE_BYTES] = { "bytes", PP_KIND_BYTES, 0 },
	[PP_SPAA_M_LIVE_BYTES] = { "bytes", PP_KIND_BYTES, PP_METRIC_SIGNED },
	[PP_SPAA_M_ALLOC_COUNT] = { "count", PP_KIND_COUNT, 0 },
	[PP_SPAA_M_FREE_COUNT] = { "count", PP_KIND_COUNT, 0 },
	[PP_SPAA_M_LIVE_COUNT] = { "count", PP_KIND_COUNT, PP_METRIC_SIGNED },
	[PP_SPAA_M_PEAK_BYTES] = { "bytes", PP_KIND_BYTES, PP_METRIC_NO_SUM },
};

/* Whether a sample of the event stands for a known time (rule 25). */
static bool
event_has_rate(const struct pp_spaa_event *e)
{
	return e->said.mode == PP_SPAA_FREQUENCY &&
	       PP_SPAA_HAS(&e->said, sampling_has, SAMPLING_FREQUENCY) &&
	       !pp_decimal_is_zero(&e->said.frequency) &&
	       !pp_decimal_is_negative(&e->said.frequency);
}

static void
metric_build(struct pp_spaa_reader *r, const struct pp_spaa_event *e,
             const struct pp_spaa_column *c, bool primary)
{
	const struct pp_spaa_metric *m = &r->metrics.rows.at[c->metric];
	struct pp_builder *b = r->builder;
	struct pp_metric metric = { .name = pp_build_str(b, m->name),
		                    .event = e->str,
		                    .kind = specials[m->special].kind,
		                    .flags = specials[m->special].flags |
		                             (primary ? PP_METRIC_PRIMARY : 0u),
		                    .scale = c->scale };
	bool has_unit, odd,
	    counts = m->special == PP_SPAA_M_SAMPLES || m->special == PP_SPAA_M_COUNT;
	struct pp_slice unit = pp_spaa_unit_of(r, (uint32_t)(e - r->costs.events.at), c->metric,
	                                       &has_unit);
	int64_t ns;

	unit = has_unit ? unit : pp_slice_z(specials[m->special].unit);
	ns = pp_spaa_time_unit(unit, &odd);
	metric.type = c->real ? PP_REAL : c->negative ? PP_INT : PP_UINT;
	if (e->said.mode != PP_SPAA_EVENT)
		metric.flags |= PP_METRIC_SAMPLED;
	if (c->negative)
		metric.flags |= PP_METRIC_SIGNED;
	else if (!c->zero)
		metric.flags |= PP_METRIC_NO_ZERO;
	if (ns) {
		metric.factor_num = (uint64_t)ns;
		metric.flags |= PP_METRIC_TIME_OK;
		metric.kind = m->special == PP_SPAA_PLAIN ? PP_KIND_OTHER : PP_KIND_CPU_TIME;
		unit = pp_slice_z("ns");
	} else if (counts && event_has_rate(e)) {
		metric.flags |= PP_METRIC_TIME_OK;
	}
	if (m->special == PP_SPAA_PLAIN && pp_slice_eq_z(unit, "bytes"))
		metric.kind = PP_KIND_BYTES;
	metric.unit = pp_build_str(b, unit);
	(void)pp_build_metric(b, &metric);
}

/* The time that samples stand for, as one more metric of an event; its cells are those of samples. */
static void
metric_build_time(struct pp_spaa_reader *r, struct pp_spaa_event *e, uint32_t *from)
{
	struct pp_builder *b = r->builder;
	struct pp_metric metric = { .name = pp_build_strz(b, "time"),
		                    .unit = pp_build_strz(b, "ns"),
		                    .event = e->str,
		                    .kind = PP_KIND_CPU_TIME,
		                    .type = PP_UINT,
		                    .flags = PP_METRIC_TIME_OK | PP_METRIC_SAMPLED,
		                    .factor_num = 1000000000u,
		                    .factor_den = e->said.frequency.magnitude };
	uint32_t i;
	unsigned s;

	*from = UINT32_MAX;
	for (i = 0; i < e->columns.n; i++) {
		enum pp_spaa_special special = r->metrics.rows.at[e->columns.at[i].metric].special;

		if ((special == PP_SPAA_M_SAMPLES || special == PP_SPAA_M_COUNT) &&
		    !e->columns.at[i].real && !e->columns.at[i].negative)
			*from = i;
	}
	for (s = 0; s < e->said.frequency.scale && metric.factor_num <= UINT64_MAX / 10; s++)
		metric.factor_num *= 10;
	if (event_has_rate(e) && !e->said.frequency.is_real && *from != UINT32_MAX &&
	    s == e->said.frequency.scale) {
		metric.scale = e->columns.at[*from].scale;
		(void)pp_build_metric(b, &metric);
		return;
	}
	*from = UINT32_MAX;
	pp_diag_add(r->reader->diags, &pp_spaa_rules[PP_SPAA_R_TIME_REFUSED], PP_NOWHERE,
	            "event \"%.*s\" %s", PP_SHOWN(e->said.name),
	            e->said.mode != PP_SPAA_FREQUENCY
	                ? "is not sampled by frequency: its samples are not times"
	            : !event_has_rate(e) ? "does not give its rate"
	                                 : "has no metric \"samples\" or \"count\"");
	r->in.errors++;
}

/* All metrics; the first of each event is its primary one. */
static void
metrics_build(struct pp_spaa_reader *r)
{
	const char *time = pp_reader_option(r->reader, "time");
	size_t main_event = 0, i, k;

	while (main_event < r->costs.events.n && !r->costs.events.at[main_event].used)
		main_event++;
	if (main_event == r->costs.events.n)
		main_event = 0;
	for (i = 0; i < r->costs.events.n; i++) {
		struct pp_spaa_event *e = &r->costs.events.at[i];

		e->first_metric = (uint32_t)r->builder->profile->metrics.n;
		for (k = 0; k < e->columns.n; k++)
			metric_build(r, e, &e->columns.at[k], i == main_event && k == 0);
		e->time_from = UINT32_MAX;
		if (time && strcmp(time, "derive") == 0)
			metric_build_time(r, e, &e->time_from);
	}
}

/* ---- series ----------------------------------------------------------------------------- */

static pp_str
thread_name(const struct pp_spaa_reader *r, int64_t tid)
{
	uint32_t at;

	return tid >= 0 && pp_id_table_get(&r->dicts.thread_of, (uint64_t)tid, &at)
	           ? r->dicts.threads.at[at].comm
	           : 0;
}

/* Columns become metrics; threads have names by now, wherever they were declared. */
static void
series_settle(struct pp_spaa_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	uint32_t *column_of = calloc(p->metrics.n + 1, sizeof *column_of);
	size_t i, k;

	/* What waits may make series of its own. */
	(void)pp_build_flush(r->builder);
	r->costs.moved = calloc(p->series.n + 1, sizeof *r->costs.moved);
	if (!column_of || !r->costs.moved) {
		pp_spaa_no_memory(r);
		free(column_of);
		return;
	}
	for (i = 0; i < r->costs.events.n; i++) {
		const struct pp_spaa_event *e = &r->costs.events.at[i];

		for (k = 0; k < e->columns.n; k++)
			column_of[e->first_metric + k] = e->columns.at[k].column;
		if (e->time_from != UINT32_MAX)
			column_of[e->first_metric + k] = e->columns.at[e->time_from].column;
	}
	pp_build_columns_settle(r->builder, column_of, r->costs.moved);
	free(column_of);
	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		s->thread = s->thread ? s->thread : thread_name(r, s->tid);
		s->process = thread_name(r, s->pid);
	}
}

/* ---- the whole -------------------------------------------------------------------------- */

static void
time_range(struct pp_spaa_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	const struct pp_spaa_header *h = &r->header;

	p->time.known = h->has_range && h->unit &&
	                pp_decimal_scaled(&h->start, h->unit, &p->time.start) &&
	                pp_decimal_scaled(&h->end, h->unit, &p->time.end) &&
	                p->time.end >= p->time.start;
}

void
pp_spaa_model_finish(struct pp_spaa_reader *r)
{
	r->builder->profile->samples = r->times.samples;
	r->builder->profile->facets |= PP_TREE;
	/* Wanted or not: writers say what they leave out. */
	r->builder->profile->holds |= (r->times.samples || r->times.has_windows ? PP_TIMELINE
	                                                                        : 0u) |
	                              (r->carried.has_extras ? PP_EXTRAS : 0u);
	time_range(r);
	if (r->want_time)
		pp_spaa_times_fit(r);
	if (r->want_costs)
		pp_spaa_join(r);
	metrics_build(r);
	if (pp_builder_ok(r->builder) && r->want_costs && r->costs.events.n)
		series_settle(r);
	if (pp_builder_ok(r->builder) && r->want_time)
		pp_spaa_timeline_build(r);
}
