/*
 * From what was read to the profile: metrics and series.
 *
 * Rows were collected by event, with columns that grew as metrics appeared; here they become series, one
 * for each event, process, thread and cpu. All arrays are made in their final size.
 */
#include "formats/spaa/spaa.h"

#include "formats/spaa/join.h"

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
	       !pp_spaa_num_is_zero(&e->said.frequency) &&
	       !pp_spaa_num_is_negative(&e->said.frequency);
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
	            "event \"%.*s\" %s", PP_SPAA_SHOWN(e->said.name),
	            e->said.mode != PP_SPAA_FREQUENCY
	                ? "is not sampled by frequency: its samples are no time"
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

	while (main_event < r->costs.events.n && r->costs.events.at[main_event].rows.n == 0 &&
	       r->costs.events.at[main_event].summed == 0)
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

	return tid >= 0 && pp_spaa_table_get(&r->dicts.thread_of, (uint64_t)tid, &at)
	           ? r->dicts.threads.at[at].comm
	           : 0;
}

static bool
series_begin(struct pp_spaa_reader *r, const struct pp_spaa_series_key *key, size_t rows)
{
	struct pp_builder *b = r->builder;
	struct pp_series like = { .event = r->costs.events.at[key->event].str,
		                  .pid = key->pid,
		                  .tid = key->tid,
		                  .cpu = key->cpu };
	struct pp_series *s;
	uint32_t i;

	like.thread = key->comm ? key->comm : thread_name(r, key->tid);
	like.process = thread_name(r, key->pid);
	i = pp_build_series(b, &like, false, false);
	if (!pp_builder_ok(b))
		return false;
	s = &b->profile->series.at[i];
	s->cells = calloc(rows * s->stride + 1, sizeof *s->cells);
	s->node_of = malloc((rows + 1) * sizeof *s->node_of);
	s->rows_cap = (uint32_t)rows;
	return s->cells && s->node_of;
}

/* Adds the columns of a row to cells; false when a sum passes 64 bits (nothing is changed then). */
static bool
row_fill(const struct pp_spaa_reader *r, const struct pp_spaa_event *e, const int64_t *from,
         int64_t *cells)
{
	const struct pp_metric *metrics = r->builder->profile->metrics.at + e->first_metric;
	size_t n = e->columns.n, k;

	cells += e->first_metric;
	for (k = 0; k < n; k++) {
		int64_t sum = cells[k];

		if (!pp_cell_add(metrics[k].type, &sum, from[k]))
			return false;
	}
	for (k = 0; k < n; k++)
		(void)pp_cell_add(metrics[k].type, &cells[k], from[k]);
	if (e->time_from != UINT32_MAX)
		(void)pp_cell_add(PP_UINT, &cells[n], from[e->time_from]);
	return true;
}

/*
 * A sum that passes 64 bits goes on in one more series of the same properties: totals are 128 bits wide,
 * so it stays exact. All series behind `series` are such ones, because it is the last one made.
 */
static bool
row_overflow(struct pp_spaa_reader *r, const struct pp_spaa_event *e, uint32_t series, pp_node node,
             const int64_t *from)
{
	struct pp_profile *p = r->builder->profile;
	struct pp_series like = p->series.at[series];
	int64_t *cells;

	do {
		if (++series == p->series.n)
			series = pp_build_series(r->builder, &like, false, false);
		cells = pp_build_cells(r->builder, series, node);
		if (!cells)
			return false;
	} while (!row_fill(r, e, from, cells));
	return true;
}

struct row_order {
	uint32_t *first; /* per series: where its rows start in `rows` */
	uint32_t *rows;
};

/* Sorts the rows of an event by series, keeping their order. */
static bool
rows_sort(const struct pp_spaa_reader *r, const struct pp_spaa_event *e, struct row_order *order)
{
	uint32_t *at = calloc(r->costs.series.n + 2, sizeof *at);
	size_t i;

	order->first = calloc(r->costs.series.n + 2, sizeof *order->first);
	order->rows = malloc((e->rows.n + 1) * sizeof *order->rows);
	if (!at || !order->first || !order->rows) {
		free(at);
		return false;
	}
	for (i = 0; i < e->rows.n; i++)
		if (e->rows.at[i].series != PP_SPAA_DROPPED)
			order->first[e->rows.at[i].series + 1]++;
	for (i = 0; i < r->costs.series.n; i++)
		order->first[i + 1] += order->first[i];
	memcpy(at, order->first, (r->costs.series.n + 1) * sizeof *at);
	for (i = 0; i < e->rows.n; i++)
		if (e->rows.at[i].series != PP_SPAA_DROPPED)
			order->rows[at[e->rows.at[i].series]++] = (uint32_t)i;
	free(at);
	return true;
}

/* Adds a row whose node the series has already. */
static bool
row_again(struct pp_spaa_reader *r, const struct pp_spaa_event *e, uint32_t series, pp_node node,
          const int64_t *from, struct pp_map *row_of)
{
	struct pp_series *s = &r->builder->profile->series.at[series];
	uint32_t k;

	/* The map is made for series that need it: most have every node once. */
	for (k = (uint32_t)row_of->n; k < s->rows; k++)
		if (!pp_map_set(row_of, s->node_of[k], k))
			return false;
	k = pp_map_get(row_of, node);
	if (row_fill(r, e, from, s->cells + (size_t)k * s->stride))
		return true;
	return row_overflow(r, e, series, node, from);
}

static bool
series_build(struct pp_spaa_reader *r, const struct pp_spaa_event *e, uint32_t key,
             const struct row_order *order, uint64_t *seen)
{
	struct pp_profile *p = r->builder->profile;
	uint32_t first = order->first[key], n = order->first[key + 1] - first, i;
	struct pp_map row_of = { .seed = r->reader->seed };
	uint32_t series = (uint32_t)p->series.n;
	bool fine = series_begin(r, &r->costs.series.at[key], n);

	r->costs.series_at[key] = series;
	for (i = first; fine && i < first + n; i++) {
		const struct pp_spaa_row *row = &e->rows.at[order->rows[i]];
		const int64_t *from = e->cells.at + (size_t)order->rows[i] * e->wide;
		struct pp_series *s = &p->series.at[series];
		uint64_t bit = (uint64_t)1 << (row->node & 63);

		if (PP_UNLIKELY(seen[row->node >> 6] & bit)) {
			fine = row_again(r, e, series, row->node, from, &row_of);
			continue;
		}
		seen[row->node >> 6] |= bit;
		s->node_of[s->rows] = row->node;
		(void)row_fill(r, e, from, s->cells + (size_t)s->rows++ * s->stride);
	}
	for (i = 0; fine && i < p->series.at[series].rows; i++)
		seen[p->series.at[series].node_of[i] >> 6] = 0;
	pp_map_release(&row_of);
	return fine;
}

static void
series_build_all(struct pp_spaa_reader *r)
{
	uint64_t *seen = calloc((size_t)r->builder->profile->tree.n / 64 + 1, sizeof *seen);
	bool fine = seen != NULL;
	size_t i, k;

	r->costs.series_at = calloc(r->costs.series.n + 1, sizeof *r->costs.series_at);
	fine = fine && r->costs.series_at;
	for (i = 0; fine && i < r->costs.events.n; i++) {
		struct row_order order = { 0 };

		fine = rows_sort(r, &r->costs.events.at[i], &order);
		for (k = 0; fine && k < r->costs.series.n; k++)
			if (r->costs.series.at[k].event == i)
				fine = series_build(r, &r->costs.events.at[i], (uint32_t)k, &order,
				                    seen);
		free(order.first);
		free(order.rows);
		if (r->costs.less.n == 0)
			pp_vec_release(&r->costs.events.at[i].cells);
	}
	free(seen);
	if (!fine)
		pp_spaa_no_memory(r);
}

/* ---- the whole -------------------------------------------------------------------------- */

static void
time_range(struct pp_spaa_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	const struct pp_spaa_header *h = &r->header;

	p->time.known = h->has_range && h->unit &&
	                pp_spaa_num_scaled(&h->start, h->unit, &p->time.start) &&
	                pp_spaa_num_scaled(&h->end, h->unit, &p->time.end) &&
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
	if (!pp_spaa_flush(r))
		return;
	if (r->want.tree)
		pp_spaa_join(r);
	if (r->want.time)
		pp_spaa_times_fit(r);
	metrics_build(r);
	if (!pp_builder_ok(r->builder) || !r->want.tree)
		return;
	if (r->want.flat) {
		pp_spaa_sums_finish(r);
		return;
	}
	series_build_all(r);
	if (pp_builder_ok(r->builder))
		pp_spaa_less_finish(r);
	if (pp_builder_ok(r->builder) && r->want.time)
		pp_spaa_timeline_build(r);
}
