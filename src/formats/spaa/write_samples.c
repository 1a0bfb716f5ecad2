/*
 * Writing SPAA: timelines of samples as sample records.
 */
#include "formats/spaa/write.h"

#include <stdio.h>

/* The event of a series, as it is written. */
static const struct pp_spaa_out_event *
series_event(const struct pp_spaa_out *o, const struct pp_series *s)
{
	size_t i;

	for (i = 0; i < o->main_events; i++)
		if (!o->events.at[i].event || o->events.at[i].event == s->event)
			return &o->events.at[i];
	return NULL;
}

/* The weight of a sample in the unit of the metric; a period is a positive whole number, 0 is none. */
static uint64_t
period_of(const struct pp_metric *m, int64_t cell)
{
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(m, pp_cell_value(m, cell), text);
	struct pp_decimal v;

	return pp_decimal_parse(pp_slice_of(text, n), &v) && !v.is_real && !v.scale && !v.negative
	           ? v.magnitude
	           : 0;
}

static void
sample_write(struct pp_spaa_out *o, const struct pp_spaa_out_stack *stack,
             const struct pp_series *s, const struct pp_timeline_iter *it, size_t period)
{
	uint64_t id = pp_spaa_out_id(o, stack);
	struct pp_spaa_sample sample = { .pid = s->pid,
		                         .tid = s->tid,
		                         .cpu = it->event.extra - 1u,
		                         .time = { .magnitude = (uint64_t)it->event.time },
		                         .event = stack->event->name };
	char text[2 + PP_HEX_MAX] = "0x";

	if (pp_map_get(&o->ids, id) == PP_MAP_NONE)
		return;
	(void)pp_num_print_hex(text + 2, id, 16);
	sample.id.text = pp_slice_z(text);
	if (period < it->timeline->columns)
		sample.period = period_of(&o->p->metrics.at[period], it->values[period]);
	sample.has = PP_SPAA_BIT(s->pid >= 0, SAMPLE_PID) | PP_SPAA_BIT(s->tid >= 0, SAMPLE_TID) |
	             PP_SPAA_BIT(it->event.extra, SAMPLE_CPU) |
	             PP_SPAA_BIT(sample.period, SAMPLE_PERIOD);
	pp_spaa_record_write(&o->json, PP_SPAA_O_SAMPLE, &sample);
}

/* The metric that the period of a sample is a value of; metrics.n when there is none. */
static size_t
period_metric(const struct pp_spaa_out *o, const struct pp_spaa_out_event *e)
{
	const struct pp_profile *p = o->p;
	const struct pp_metric *primary = &p->metrics.at[e->primary];
	size_t i, found = p->metrics.n;

	for (i = 0; i < p->metrics.n && found == p->metrics.n; i++)
		if (pp_spaa_out_has(o, e, i) &&
		    pp_slice_eq_z(pp_text_of(p, p->metrics.at[i].name), "period"))
			found = i;
	if (found == p->metrics.n && primary->kind != PP_KIND_SAMPLES &&
	    !pp_slice_eq_z(pp_text_of(p, primary->name), "count"))
		found = e->primary;
	return found;
}

/* Only samples have stacks of their own; traces are carried whole. Windows are no samples. */
void
pp_spaa_write_samples(struct pp_spaa_out *o)
{
	uint32_t i;

	if (o->native && !o->p->samples)
		return;

	for (i = 0; i < o->p->series.n && !o->failed; i++) {
		const struct pp_series *s = &o->p->series.at[i];
		struct pp_spaa_out_stack stack = { .event = series_event(o, s), .series = i };
		struct pp_timeline_iter it;
		size_t period;

		if (!stack.event || !s->timeline.n || s->timeline.cumulative)
			continue;
		period = period_metric(o, stack.event);
		if (!pp_timeline_begin(&s->timeline, &it, 0)) {
			o->failed = true;
			break;
		}
		while (pp_timeline_next(&it) && o->w->out->status == PP_OK) {
			if (it.event.kind != PP_EVENT_SAMPLE)
				continue;
			stack.node = o->from.map ? o->from.map[it.event.node] : it.event.node;
			sample_write(o, &stack, s, &it, period);
		}
		pp_timeline_end(&it);
	}
}
