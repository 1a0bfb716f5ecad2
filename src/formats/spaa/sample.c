/*
 * Raw samples and time windows: judged, and kept for the timeline.
 */
#include "formats/spaa/spaa.h"

void
pp_spaa_apply_sample(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_sample *s = &rec->u.sample;
	const struct pp_spaa_header *h = &r->header;
	struct pp_spaa_moment moment = { 0 };
	uint32_t event, id;

	if (rec->wrong)
		return;
	if (!pp_spaa_event_find(r, s->event, &event)) {
		pp_spaa_report_in(r, rec, PP_SPAA_R_SAMPLE_EVENT, "event", NULL,
		                  "the header declares no event \"%.*s\"", PP_SHOWN(s->event));
		return;
	}
	if (PP_UNLIKELY(!h->has_range))
		pp_spaa_report_in(r, rec, PP_SPAA_R_TIMESTAMP_NO_RANGE, "timestamp", NULL,
		                  "the header has no time_range that gives this timestamp a unit");
	else if (PP_UNLIKELY(pp_decimal_cmp(&s->time, &h->start) < 0 ||
	                     pp_decimal_cmp(&s->time, &h->end) > 0))
		pp_spaa_report_in(r, rec, PP_SPAA_R_TIMESTAMP_RANGE, "timestamp", NULL,
		                  "the timestamp is outside time_range");
	pp_spaa_refer(r, rec, &s->id, event, PP_SPAA_R_STACK_UNDEFINED, &id);
	r->times.samples++;
	moment.timed = h->unit && pp_decimal_scaled(&s->time, h->unit, &moment.time);
	if (!r->want_time || id == UINT32_MAX || !(moment.timed || s->tid >= 0))
		return;
	moment.period = s->period;
	moment.has_period = PP_SPAA_HAS(s, has, SAMPLE_PERIOD);
	moment.pid = s->pid;
	moment.tid = s->tid;
	moment.cpu = s->cpu >= 0 && s->cpu < UINT32_MAX - 1 ? (uint32_t)s->cpu + 1 : 0;
	moment.id = id;
	moment.event = event;
	if (!pp_vec_push(&r->times.moments, moment))
		pp_spaa_no_memory(r);
}

/* Whether a window and the range of the header have nothing in common. */
static bool
window_is_outside(const struct pp_spaa_header *h, const struct pp_spaa_window *w)
{
	bool odd;
	int64_t unit = pp_spaa_time_unit(w->unit, &odd), start, end, from, to;

	if (!h->has_range || !h->unit || h->unit_odd || !unit || odd)
		return false;
	if (unit == h->unit)
		return pp_decimal_cmp(&w->end, &h->start) < 0 ||
		       pp_decimal_cmp(&w->start, &h->end) > 0;
	if (!pp_decimal_scaled(&w->start, unit, &start) ||
	    !pp_decimal_scaled(&w->end, unit, &end) ||
	    !pp_decimal_scaled(&h->start, h->unit, &from) ||
	    !pp_decimal_scaled(&h->end, h->unit, &to)) {
		/* Centuries away in ns. */
		double ratio = (double)unit / (double)h->unit;

		return pp_decimal_double(&w->end) * ratio < pp_decimal_double(&h->start) ||
		       pp_decimal_double(&w->start) * ratio > pp_decimal_double(&h->end);
	}
	return end < from || start > to;
}

/*
 * The time of a window, in ns from the epoch of the range. One that lies outside, but not if its times are
 * relative, is taken for that.
 */
static bool
window_time(const struct pp_spaa_header *h, const struct pp_spaa_window *w, bool outside,
            int64_t *time)
{
	bool odd;
	int64_t unit = pp_spaa_time_unit(w->unit, &odd), end, from, to;

	if (!unit || !pp_decimal_scaled(&w->start, unit, time))
		return false;
	if (outside && *time >= 0 && pp_decimal_scaled(&w->end, unit, &end) &&
	    pp_decimal_scaled(&h->start, h->unit, &from) &&
	    pp_decimal_scaled(&h->end, h->unit, &to) && from >= 0 && end <= to - from)
		*time += from;
	return true;
}

/* One entry of a window: what a stack cost in it. `time` NULL when that is not asked for. */
static void
window_entry(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t entry,
             const int64_t *time)
{
	const struct pp_spaa_ref *ref = &r->in.chunk->refs.at[rec->u.window.by_stack.first + entry];
	struct pp_spaa_moment moment = { .tid = -1, .event = PP_SPAA_NO_EVENT, .timed = true };
	struct pp_spaa_list list = { ref->weights, UINT32_MAX, "by_stack.#.weights.#", entry };
	uint32_t *metric_at, i;
	bool fine;

	pp_spaa_refer(r, rec, &ref->id, PP_SPAA_NO_EVENT, PP_SPAA_R_WINDOW_STACK, &moment.id);
	if (moment.id != UINT32_MAX && r->stacks.ids.at[moment.id].record &&
	    r->stacks.ids.at[moment.id].record != PP_SPAA_REFUSED)
		list.event = r->stacks.ids.at[moment.id].event;
	fine = pp_spaa_metrics_resolve(r, rec, &list, &metric_at);
	if (!fine || !time || moment.id == UINT32_MAX)
		return;
	moment.time = *time;
	moment.weights = (struct pp_spaa_run){ (uint32_t)r->times.window_weights.n,
		                               ref->weights.n };
	for (i = 0; i < ref->weights.n; i++) {
		struct pp_spaa_window_weight weight = {
			metric_at[i], r->in.chunk->weights.at[ref->weights.first + i].value
		};

		if (!pp_vec_push(&r->times.window_weights, weight)) {
			pp_spaa_no_memory(r);
			return;
		}
	}
	if (!pp_vec_push(&r->times.windows, moment))
		pp_spaa_no_memory(r);
}

void
pp_spaa_apply_window(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_window *w = &rec->u.window;
	bool outside, timed;
	int64_t time;
	uint32_t i;

	if (rec->wrong)
		return;
	outside = window_is_outside(&r->header, w);
	if (outside)
		pp_spaa_report_in(r, rec, PP_SPAA_R_WINDOW_OUTSIDE, "start", NULL,
		                  "the window is outside time_range; are its times relative?");
	timed = r->want_time && window_time(&r->header, w, outside, &time);
	for (i = 0; i < w->by_stack.n; i++)
		window_entry(r, rec, i, timed ? &time : NULL);
	r->times.has_windows = r->carried.has_extras = true;
}
