/*
 * Metrics by their names, their units, and lists of weights.
 */
#include "formats/spaa/spaa.h"

#include <stdio.h>

static enum pp_spaa_special
special_of(struct pp_slice name)
{
	static const char *const names[PP_SPAA_SPECIALS] = {
		[PP_SPAA_M_PERIOD] = "period",
		[PP_SPAA_M_SAMPLES] = "samples",
		[PP_SPAA_M_COUNT] = "count",
		[PP_SPAA_M_CPU_TIME] = "cpu_time_ns",
		[PP_SPAA_M_ALLOC_BYTES] = "alloc_bytes",
		[PP_SPAA_M_FREE_BYTES] = "free_bytes",
		[PP_SPAA_M_LIVE_BYTES] = "live_bytes",
		[PP_SPAA_M_ALLOC_COUNT] = "alloc_count",
		[PP_SPAA_M_FREE_COUNT] = "free_count",
		[PP_SPAA_M_LIVE_COUNT] = "live_count",
		[PP_SPAA_M_PEAK_BYTES] = "peak_bytes",
	};
	int i;

	for (i = PP_SPAA_PLAIN + 1; i < PP_SPAA_SPECIALS; i++)
		if (pp_slice_eq_z(name, names[i]))
			return (enum pp_spaa_special)i;
	return PP_SPAA_PLAIN;
}

uint32_t
pp_spaa_metric_row(struct pp_spaa_reader *r, struct pp_slice name)
{
	pp_str str = pp_build_str(r->builder, name);
	struct pp_spaa_metric metric = { 0 };
	uint32_t row = pp_map_get(&r->metrics.of, str);

	if (row != PP_MAP_NONE || !pp_builder_ok(r->builder))
		return row;
	metric.name = pp_text_of(r->builder->profile, str);
	metric.special = special_of(name);
	if (!pp_vec_push(&r->metrics.rows, metric) ||
	    !pp_map_set(&r->metrics.of, str, (uint32_t)(r->metrics.rows.n - 1))) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	return (uint32_t)(r->metrics.rows.n - 1);
}

bool
pp_spaa_metric_count(struct pp_spaa_reader *r, uint32_t event, uint32_t metric)
{
	struct pp_spaa_metric *m = &r->metrics.rows.at[metric];
	uint64_t key = (uint64_t)event << 32 | metric;

	if (PP_LIKELY(event < 64 && m->events >> event & 1) ||
	    (event >= 64 && pp_map_get(&r->metrics.counted, key) != PP_MAP_NONE))
		return true;
	if (r->metrics.counts == PP_SPAA_METRICS_MAX)
		return false;
	r->metrics.counts++;
	if (event < 64)
		m->events |= (uint64_t)1 << event;
	else if (!pp_map_set(&r->metrics.counted, key, 0))
		pp_spaa_no_memory(r);
	return true;
}

/* The metric of a name that most likely is the one that followed `guess` before. */
static inline uint32_t
metric_guess(struct pp_spaa_reader *r, struct pp_slice name, uint32_t guess)
{
	if (PP_LIKELY(guess < r->metrics.rows.n &&
	              pp_slice_eq(r->metrics.rows.at[guess].name, name)))
		return guess;
	return pp_spaa_metric_row(r, name);
}

/* Where a key of an entry of a list of weights stands. */
static const unsigned char *
list_locate(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
            const struct pp_spaa_list *list, uint32_t index, const char *key)
{
	const uint32_t both[] = { list->entry, index };
	bool nested = strchr(list->path, '#') != strrchr(list->path, '#');
	char path[64];

	snprintf(path, sizeof path, "%s.%s", list->path, key);
	return pp_spaa_locate(r, rec, rule, path, nested ? both : both + 1);
}

/*
 * Units belong to a metric of an event: the period of a clock is in ns, that of page faults is not. Where
 * the event is not known (UINT32_MAX), there is nothing to compare with.
 */
static PP_NOINLINE void
unit_check(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
           const struct pp_spaa_list *list, uint32_t row, uint32_t index)
{
	struct pp_slice own = r->in.chunk->weights.at[list->run.first + index].unit, unit;
	struct pp_spaa_metric *m = &r->metrics.rows.at[row];
	uint64_t key = (uint64_t)list->event << 32 | row;
	uint32_t known = pp_map_get(&r->metrics.unit_of, key);

	if (list->event == UINT32_MAX)
		return;
	if (known == PP_MAP_NONE) {
		known = pp_build_str(r->builder, own);
		if (!pp_map_set(&r->metrics.unit_of, key, known))
			pp_spaa_no_memory(r);
	}
	unit = pp_text_of(r->builder->profile, known);
	/* The next one is most likely of the same event. */
	m->unit = unit;
	m->unit_event = list->event;
	m->has_unit = true;
	if (pp_slice_eq(unit, own))
		return;
	r->metrics.odd_units = r->metrics.stamp;
	pp_spaa_report(r, rec, PP_SPAA_R_UNIT_DIFFERS,
	               list_locate(r, rec, PP_SPAA_R_UNIT_DIFFERS, list, index, "unit"),
	               "metric \"%.*s\" was in \"%.*s\" before, here it is in \"%.*s\"",
	               PP_SHOWN(m->name), PP_CLIP(unit, 40), PP_CLIP(own, 40));
}

struct pp_slice
pp_spaa_unit_of(const struct pp_spaa_reader *r, uint32_t event, uint32_t metric, bool *has_unit)
{
	uint32_t known = pp_map_get(&r->metrics.unit_of, (uint64_t)event << 32 | metric);

	*has_unit = known != PP_MAP_NONE;
	return pp_text_of(r->builder->profile, *has_unit ? known : 0);
}

bool
pp_spaa_metrics_resolve(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
                        const struct pp_spaa_list *list, uint32_t **metric_at)
{
	const struct pp_spaa_weight *w = r->in.chunk->weights.at + list->run.first;
	uint32_t i, guess = 0;
	bool fine = true;

	r->metrics.stamp++;
	if (!pp_vec_reserve(&r->metrics.resolved, (size_t)list->run.n + 1)) {
		pp_spaa_no_memory(r);
		return false;
	}
	for (i = 0; i < list->run.n; i++) {
		uint32_t row = metric_guess(r, w[i].metric, guess);
		struct pp_spaa_metric *m;

		if (PP_UNLIKELY(row == UINT32_MAX))
			return false;
		m = &r->metrics.rows.at[row];
		if (PP_UNLIKELY(m->stamp == r->metrics.stamp)) {
			pp_spaa_report(
			    r, rec, PP_SPAA_R_METRIC_TWICE,
			    list_locate(r, rec, PP_SPAA_R_METRIC_TWICE, list, i, "metric"),
			    "metric \"%.*s\" occurs twice in one list", PP_SHOWN(m->name));
			fine = false;
		}
		if (PP_SPAA_HAS(&w[i], has, WEIGHT_UNIT) &&
		    PP_UNLIKELY(!m->has_unit || m->unit_event != list->event ||
		                !pp_slice_eq(m->unit, w[i].unit)))
			unit_check(r, rec, list, row, i);
		m->stamp = r->metrics.stamp;
		r->metrics.resolved.at[i] = row;
		guess = row + 1;
	}
	if (metric_at)
		*metric_at = r->metrics.resolved.at;
	return fine;
}

void
pp_spaa_metrics_release(struct pp_spaa_metrics *m)
{
	pp_vec_release(&m->rows);
	pp_map_release(&m->of);
	pp_map_release(&m->unit_of);
	pp_map_release(&m->counted);
	pp_vec_release(&m->resolved);
	pp_vec_release(&m->weighed);
}
