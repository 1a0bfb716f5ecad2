/*
 * Series: samples are kept apart by event and thread.
 */
#include "formats/perf/perf_script.h"

/* ---- series ----------------------------------------------------------------------------- */

static uint32_t
event_add(struct pp_perf_reader *r, struct pp_slice name, bool sums)
{
	/* perf writes "[unknown]" for an event it has no name for. */
	struct pp_perf_event fresh = { .name = pp_slice_eq_z(name, "[unknown]")
		                                   ? 0
		                                   : pp_build_str(r->builder, name),
		                       .sums = sums };
	uint32_t at = pp_map_get(&r->threads.event_of, fresh.name);

	if (at != PP_MAP_NONE || r->threads.events.n == PP_PERF_EVENTS_MOST)
		return at;
	at = (uint32_t)r->threads.events.n;
	if (!pp_vec_push(&r->threads.events, fresh) ||
	    !pp_map_set(&r->threads.event_of, fresh.name, at))
		pp_perf_no_memory(r);
	return at;
}

void
pp_perf_events_list(struct pp_perf_reader *r)
{
	size_t i;

	for (i = 0; i < r->meta.attrs.n; i++)
		if (!r->meta.attrs.at[i].listed)
			return;
	for (i = 0; i < r->meta.attrs.n && pp_builder_ok(r->builder); i++)
		(void)event_add(r, r->meta.attrs.at[i].name, r->meta.attrs.at[i].sums);
}

/* The event of that name; PP_MAP_NONE when there are too many. */
static uint32_t
event_of(struct pp_perf_reader *r, struct pp_slice name)
{
	if (r->threads.events.n == 0)
		pp_perf_events_list(r);
	return event_add(r, name, false);
}

/* The frame that stands for a thread, if one is asked for: "comm", "comm-pid", "comm-pid/tid". */
static pp_frame
root_of(struct pp_perf_reader *r, const struct pp_perf_series *s)
{
	struct pp_func_row func = { .flags = PP_FUNC_PSEUDO };
	struct pp_frame_row frame = { 0 };
	struct pp_slice comm = pp_text_of(r->builder->profile, s->comm);
	struct pp_buf text = { 0 };

	if (r->root == PP_PERF_ROOT_NONE)
		return 0;
	pp_buf_add(&text, comm.p, comm.n);
	if (r->root != PP_PERF_ROOT_COMM && s->pid >= 0)
		pp_buf_addf(&text, "-%lld", (long long)s->pid);
	else if (r->root != PP_PERF_ROOT_COMM)
		pp_buf_adds(&text, "-?");
	if (r->root == PP_PERF_ROOT_TID && s->tid >= 0)
		pp_buf_addf(&text, "/%lld", (long long)s->tid);
	if (text.failed)
		pp_perf_no_memory(r);
	else
		func.name = pp_build_str(r->builder, pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_release(&text);
	frame.func = pp_build_func(r->builder, &func);
	return pp_builder_ok(r->builder) ? pp_build_frame(r->builder, &frame) : 0;
}

static bool
series_is(const struct pp_perf_series *a, const struct pp_perf_series *b)
{
	return a->event == b->event && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid;
}

/* Whether a series is that of a header, by the text of its names. */
static bool
series_fits(const struct pp_perf_reader *r, const struct pp_perf_series *s,
            const struct pp_perf_header *h)
{
	const struct pp_profile *p = r->builder->profile;

	return s->tid == h->tid && s->pid == h->pid &&
	       pp_slice_eq(pp_text_of(p, s->comm), h->comm) &&
	       pp_slice_eq(pp_text_of(p, r->threads.events.at[s->event].name), h->event);
}

/* The series of an event and thread; PP_MAP_NONE on failure. */
static uint32_t
series_find(struct pp_perf_reader *r, const struct pp_perf_header *h)
{
	struct pp_perf_series s = { .event = event_of(r, h->event),
		                    .comm = pp_build_str(r->builder, h->comm),
		                    .pid = h->pid,
		                    .tid = h->tid,
		                    .last_time = INT64_MIN };
	uint64_t hash;
	uint32_t at;

	if (s.event == PP_MAP_NONE || !pp_builder_ok(r->builder))
		return PP_MAP_NONE;
	hash = pp_mix((uint64_t)s.comm << 32 | s.event, PP_HASH_K1 ^ (uint64_t)s.tid);
	hash = pp_mix(hash, PP_HASH_K2 ^ (uint64_t)s.pid);
	/* Equal hashes are told apart by probing the next one. */
	for (; (at = pp_map_get(&r->threads.series_of, hash)) != PP_MAP_NONE; hash++)
		if (series_is(&r->threads.series.at[at], &s))
			return at;
	s.root = root_of(r, &s);
	/* The period and the number of samples; what metrics they are is known at the end. */
	s.index = pp_build_series_late(
	    r->builder,
	    &(struct pp_series){ .thread = s.comm, .pid = s.pid, .tid = s.tid, .cpu = -1 }, 2);
	at = (uint32_t)r->threads.series.n;
	if (!pp_builder_ok(r->builder) || at == PP_MAP_NONE ||
	    !pp_vec_push(&r->threads.series, s) || !pp_map_set(&r->threads.series_of, hash, at)) {
		pp_perf_no_memory(r);
		return PP_MAP_NONE;
	}
	return at;
}

/* The same, looked for among those seen lately first. */
static uint32_t
series_of(struct pp_perf_reader *r, const struct pp_perf_header *h)
{
	uint32_t *lately = &r->threads.lately[(uint64_t)h->tid % PP_COUNT_OF(r->threads.lately)],
	         at;

	if (*lately && series_fits(r, &r->threads.series.at[*lately - 1], h))
		return *lately - 1;
	at = series_find(r, h);
	if (at != PP_MAP_NONE)
		*lately = at + 1;
	return at;
}

bool
pp_perf_header_take(struct pp_perf_reader *r, struct pp_slice line, const struct pp_perf_header *h,
                    struct pp_perf_sample *out)
{
	*out = (struct pp_perf_sample){ .cpu = h->cpu >= 0 && h->cpu < UINT32_MAX
		                                   ? (uint32_t)h->cpu + 1
		                                   : 0,
		                        .has_period = h->has_period,
		                        .has_time = h->has_time,
		                        .period = h->period,
		                        .time = h->time,
		                        .line = r->line,
		                        .offset = pp_input_offset(r->reader->in, line.p) };
	if (h->wrong) {
		pp_perf_refuse(r, PP_PERF_NUMBER, line.p, h->wrong);
		return false;
	}
	out->series = series_of(r, h);
	if (out->series != PP_MAP_NONE &&
	    r->threads.events.at[r->threads.series.at[out->series].event].sums)
		out->has_time = false;
	if (out->series == PP_MAP_NONE && pp_builder_ok(r->builder))
		pp_perf_refuse(r, PP_PERF_EVENTS, line.p, line.p);
	return out->series != PP_MAP_NONE;
}
