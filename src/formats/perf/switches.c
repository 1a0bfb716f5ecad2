/*
 * Series that run, as a list for each thread: a switch costs no more than the samples since the last one.
 */
#include "formats/perf/switches.h"

void
pp_perf_switches_release(struct pp_perf_switches *s)
{
	pp_map_release(&s->running_of);
	pp_vec_release(&s->series);
}

bool
pp_perf_run(struct pp_perf_switches *s, uint32_t series, int64_t tid, int64_t time)
{
	struct pp_perf_running *r;
	uint32_t first;

	while (s->series.n <= series)
		if (!pp_vec_push(&s->series, (struct pp_perf_running){ 0 }))
			return false;
	r = &s->series.at[series];
	r->since = time;
	if (r->runs)
		return true;
	first = pp_map_get(&s->running_of, (uint64_t)tid);
	r->next = first == PP_MAP_NONE ? 0 : first;
	r->runs = true;
	return pp_map_set(&s->running_of, (uint64_t)tid, series + 1);
}

void
pp_perf_stop(struct pp_perf_switches *s, struct pp_builder *b, int64_t tid, int64_t time)
{
	uint32_t at = pp_map_get(&s->running_of, (uint64_t)tid);

	if (at == PP_MAP_NONE)
		return;
	for (; at && pp_builder_ok(b); at = s->series.at[at - 1].next) {
		struct pp_perf_running *r = &s->series.at[at - 1];

		/* Text may be out of order: what ran later was not stopped by this. */
		if (r->since <= time)
			(void)pp_build_pause(b, at - 1, time);
		r->runs = false;
	}
	if (!pp_map_set(&s->running_of, (uint64_t)tid, 0))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
}
