/*
 * Records in the order of time. Each processor has a buffer, and perf writes one after the other: times run back and
 * forth, within bounds. Where it says that a round of all buffers is done, nothing will come that is older than what
 * the round before had; so records wait for two rounds at most.
 */
#include "formats/perf/data.h"

/* ---- when ------------------------------------------------------------------------------- */

uint64_t
pp_pd_time_of(struct pp_pd *d, const unsigned char *record)
{
	const uint64_t before = PP_PD_IDENTIFIER | PP_PD_IP | PP_PD_TID;
	const uint64_t behind = PP_PD_IDENTIFIER | PP_PD_CPU | PP_PD_STREAM_ID | PP_PD_ID;
	bool sample = pp_pd_type(d, record) == PP_PD_RECORD_SAMPLE;
	const struct pp_pd_attr *a = sample ? pp_pd_sample_attr(d, record)
	                                    : pp_pd_side_attr(d, record);
	size_t size = pp_pd_size(d, record), at;

	if (!a || !(a->sample_type & PP_PD_TIME) || (!sample && !a->id_all))
		return 0;
	at = 8 * (size_t)__builtin_popcountll(a->sample_type & (sample ? before : behind));
	if (at + 16 > size)
		return 0;
	return pp_pd_u64(d, sample ? record + 8 + at : record + size - at - 8);
}

static void
deliver(struct pp_pd *d, const unsigned char *record)
{
	switch (pp_pd_type(d, record)) {
	case PP_PD_RECORD_SAMPLE:
		pp_pd_sample(d, record);
		break;
	case PP_PD_RECORD_MMAP:
	case PP_PD_RECORD_MMAP2:
		pp_pd_mmap(d, record);
		break;
	case PP_PD_RECORD_COMM:
		pp_pd_comm(d, record);
		break;
	case PP_PD_RECORD_FORK:
		pp_pd_fork(d, record);
		break;
	case PP_PD_RECORD_EXIT:
	case PP_PD_RECORD_SWITCH:
	case PP_PD_RECORD_SWITCH_CPU_WIDE:
		pp_pd_switch(d, record);
		break;
	}
}

void
pp_pd_order_add(struct pp_pd *d, const unsigned char *record)
{
	uint64_t time = pp_pd_time_of(d, record);

	if (time == 0 || time == UINT64_MAX) {
		deliver(d, record);
		return;
	}
	d->order.latest = time > d->order.latest ? time : d->order.latest;
	d->order.sides += pp_pd_type(d, record) != PP_PD_RECORD_SAMPLE;
	if (!pp_vec_push(&d->order.waiting, (struct pp_pd_pending){ time, record }))
		pp_pd_no_memory(d);
}

/* ---- sorting ---------------------------------------------------------------------------- */

/* The end of the run that begins at a place: as far as times do not go back. */
static size_t
run_end(const struct pp_pd_pending *at, size_t from, size_t n)
{
	while (from + 1 < n && at[from].time <= at[from + 1].time)
		from++;
	return from + 1;
}

/* Merges two runs that follow each other; the first goes first where times are equal. */
static void
merge(const struct pp_pd_pending *from, struct pp_pd_pending *to, size_t a, size_t middle, size_t b)
{
	size_t i = a, k = middle, out = a;

	while (i < middle && k < b)
		to[out++] = from[i].time <= from[k].time ? from[i++] : from[k++];
	memcpy(to + out, from + i, (middle - i) * sizeof *to);
	memcpy(to + out + (middle - i), from + k, (b - k) * sizeof *to);
}

/* Records come as runs, one for each buffer: merged pair by pair, in the order of the file. */
static bool
sort_waiting(struct pp_pd_order *o)
{
	size_t n = o->waiting.n, a, middle, end;
	bool merged = true;

	if (run_end(o->waiting.at, 0, n) >= n)
		return true;
	if (!pp_vec_reserve(&o->spare, n))
		return false;
	while (merged) {
		struct pp_pd_pending *from = o->waiting.at, *to = o->spare.at;
		size_t cap = o->waiting.cap;

		merged = false;
		for (a = 0; a < n; a = end) {
			middle = run_end(from, a, n);
			end = middle < n ? run_end(from, middle, n) : n;
			merge(from, to, a, middle, end);
			merged |= a > 0 || end < n;
		}
		o->waiting.at = to;
		o->waiting.cap = o->spare.cap;
		o->spare.at = from;
		o->spare.cap = cap;
	}
	return true;
}

/* Whether samples may be taken as they stand in the file: where nothing else happens between them, sums are the same. */
static bool
order_is_free(const struct pp_pd *d)
{
	size_t i;

	for (i = 0; i < d->attrs.n; i++)
		if (d->attrs.at[i].sample_type & PP_PD_READ)
			return false;
	return d->frames.walk.sums && d->order.sides == 0 && d->threads.jits.n == 0 &&
	       d->threads.executing == 0;
}

/* Takes all that is not later than a time. */
static void
flush(struct pp_pd *d, uint64_t until)
{
	struct pp_pd_order *o = &d->order;
	size_t i, left = 0;

	if (o->waiting.n == 0)
		return;
	if (!order_is_free(d) && !sort_waiting(o)) {
		pp_pd_no_memory(d);
		return;
	}
	for (i = 0; i < o->waiting.n; i++) {
		struct pp_pd_pending next = o->waiting.at[i];

		if (next.time > until) {
			o->waiting.at[left++] = next;
			continue;
		}
		o->sides -= pp_pd_type(d, next.at) != PP_PD_RECORD_SAMPLE;
		if (pp_builder_ok(d->builder))
			deliver(d, next.at);
	}
	o->waiting.n = left;
}

void
pp_pd_order_round(struct pp_pd *d)
{
	if (d->order.whole)
		return;
	if (d->order.flush)
		flush(d, d->order.flush);
	d->order.flush = d->order.latest;
}

void
pp_pd_order_end(struct pp_pd *d)
{
	flush(d, UINT64_MAX);
}
