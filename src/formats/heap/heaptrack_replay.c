/*
 * Allocations and frees, one after the other.
 *
 * What is counted is counted by info, a size and a stack, so that an event touches one of them only. Each new peak has a
 * number; an info that changes saves what it was once for each peak, and who did not change since needs not to.
 */
#include "formats/heap/heaptrack.h"

/* All that is ever allocated: what any part of it sums up to has 64 bits then, whatever is freed. */
#define BYTES_MOST ((uint64_t)1 << 61)
/* Moments that are kept: where there would be more, stretches of time become longer. */
#define MOMENTS_MOST ((size_t)1 << 20)

/* ---- stretches of time ------------------------------------------------------------------ */

static PP_NOINLINE void
window_touch(struct pp_ht *h, struct pp_ht_info *i)
{
	struct pp_ht_windows *w = &h->windows;

	i->window = w->number;
	if (!pp_vec_push(&w->touched,
	                 (struct pp_ht_touched){ (uint32_t)(i - h->infos.at), i->allocated,
	                                         i->temporary, i->live }))
		pp_ht_no_memory(h);
}

/* The moment of a stack in a stretch of time, made when there is none. */
static struct pp_ht_moment *
moment_of(struct pp_ht *h, uint32_t trace, int64_t time)
{
	struct pp_ht_windows *w = &h->windows;

	while (w->moment_of.n <= trace)
		if (!pp_vec_push(&w->moment_of, 0))
			goto failed;
	if (!w->moment_of.at[trace]) {
		if (!pp_vec_push(&w->moments,
		                 (struct pp_ht_moment){ .time = time, .trace = trace }))
			goto failed;
		w->moment_of.at[trace] = (uint32_t)w->moments.n;
	}
	return &w->moments.at[w->moment_of.at[trace] - 1];
failed:
	pp_ht_no_memory(h);
	return NULL;
}

static void
moments_forget(struct pp_ht_windows *w, size_t first)
{
	for (; first < w->moments.n; first++)
		w->moment_of.at[w->moments.at[first].trace] = 0;
}

/* Twice as long stretches: moments of one stack in the same one become one. */
static void
moments_merge(struct pp_ht *h)
{
	struct pp_ht_windows *w = &h->windows;
	size_t i, n = w->moments.n, first = 0;

	w->quantum *= 2;
	w->moments.n = 0;
	for (i = 0; i < n; i++) {
		struct pp_ht_moment from = w->moments.at[i], *to;

		if (first < w->moments.n &&
		    w->moments.at[first].time / w->quantum != from.time / w->quantum) {
			moments_forget(w, first);
			first = w->moments.n;
		}
		/* There is room: the list never has more than it had. */
		to = moment_of(h, from.trace, from.time);
		if (!to)
			return;
		to->allocated += from.allocated;
		to->temporary += from.temporary;
		to->bytes += from.bytes;
		to->live += from.live;
		to->live_bytes += from.live_bytes;
	}
	moments_forget(w, first);
}

static void
window_end(struct pp_ht *h)
{
	struct pp_ht_windows *w = &h->windows;
	size_t i, first = w->moments.n;

	for (i = 0; i < w->touched.n; i++) {
		const struct pp_ht_touched *t = &w->touched.at[i];
		const struct pp_ht_info *now = &h->infos.at[t->info];
		struct pp_ht_moment *to = moment_of(h, h->info_traces.at[t->info], w->time);

		if (!to)
			return;
		to->allocated += now->allocated - t->allocated;
		to->temporary += now->temporary - t->temporary;
		to->bytes += (int64_t)((uint64_t)(now->allocated - t->allocated) * now->size);
		to->live += now->live - t->live;
		to->live_bytes += (int64_t)((uint64_t)((int64_t)now->live - t->live) * now->size);
	}
	moments_forget(w, first);
	w->touched.n = 0;
	w->number++;
	while (w->moments.n > MOMENTS_MOST && w->quantum < INT64_MAX / 4)
		moments_merge(h);
}

void
pp_ht_time(struct pp_ht *h, int64_t ms)
{
	struct pp_ht_windows *w = &h->windows;

	if (w->wanted && ms / w->quantum != w->time / w->quantum) {
		window_end(h);
		w->time = ms;
	}
	h->time = ms;
	h->timed = true;
}

void
pp_ht_replay_end(struct pp_ht *h)
{
	if (h->windows.wanted && pp_builder_ok(h->b))
		window_end(h);
}

/* ---- one event -------------------------------------------------------------------------- */

/* What an info is before it changes is kept for the peak, and for the stretch of time. */
static inline void
info_keep(struct pp_ht *h, struct pp_ht_info *i)
{
	if (i->peak != h->peaks) {
		i->peak = h->peaks;
		i->at_peak = i->live;
	}
	if (PP_UNLIKELY(i->window != h->windows.number))
		window_touch(h, i);
}

static PP_NOINLINE void
info_unknown(struct pp_ht *h)
{
	pp_ht_report(h, PP_HT_REFERENCE, "no allocation of that number was described");
}

static PP_NOINLINE void
too_much(struct pp_ht *h)
{
	pp_ht_report(h, PP_HT_SIZE, "more is allocated than numbers have room for");
	h->stopped = true;
}

static PP_NOINLINE void
freed_unknown(struct pp_ht *h)
{
	if (h->freed_unknown++ == 0)
		pp_ht_report(h, PP_HT_FREED, "freed what was not allocated");
}

static inline void
info_allocate(struct pp_ht *h, struct pp_ht_info *i)
{
	/* Sizes are less than 2^56, so that nothing wraps around here. */
	if (PP_UNLIKELY(h->bytes + i->size > BYTES_MOST || i->live == INT32_MAX ||
	                i->allocated == UINT32_MAX || h->peaks == UINT32_MAX)) {
		too_much(h);
		return;
	}
	info_keep(h, i);
	i->allocated++;
	i->live++;
	h->allocated++;
	h->bytes += i->size;
	h->live += (int64_t)i->size;
	if (h->live > h->most) {
		h->most = h->live;
		h->peak_time = h->time;
		h->peaks++;
	}
}

static inline void
info_free(struct pp_ht *h, struct pp_ht_info *i, bool temporary)
{
	if (PP_UNLIKELY(i->live <= 0)) {
		freed_unknown(h);
		if (h->live < -(int64_t)BYTES_MOST || i->live == INT32_MIN) {
			too_much(h);
			return;
		}
	}
	info_keep(h, i);
	i->live--;
	i->temporary += temporary;
	h->temporary += temporary;
	h->live -= (int64_t)i->size;
}

void
pp_ht_info_add(struct pp_ht *h, uint64_t size, uint32_t trace)
{
	struct pp_ht_info info = { .size = size };

	/* Where nobody asks what happened when, none is touched for the first time. */
	info.window = h->windows.wanted ? 0 : h->windows.number;
	if (h->infos.n >= UINT32_MAX - 1 || !pp_vec_push(&h->infos, info) ||
	    !pp_vec_push(&h->info_traces, trace))
		pp_ht_no_memory(h);
}

static inline void
allocate(struct pp_ht *h, uint64_t info)
{
	if (PP_UNLIKELY(info >= h->infos.n)) {
		info_unknown(h);
		return;
	}
	h->last = info;
	info_allocate(h, &h->infos.at[info]);
}

/*
 * heaptrack calls an allocation temporary when the next event frees one of the same kind. It takes 0 for none, though that
 * is the first kind: what it prints is what is counted here.
 */
static inline void
deallocate(struct pp_ht *h, uint64_t info)
{
	if (PP_UNLIKELY(info >= h->infos.n)) {
		info_unknown(h);
		return;
	}
	info_free(h, &h->infos.at[info], h->last == info);
	h->last = 0;
}

void
pp_ht_allocate(struct pp_ht *h, uint64_t info)
{
	allocate(h, info);
}

void
pp_ht_free(struct pp_ht *h, uint64_t info)
{
	deallocate(h, info);
}

#define EACH_BYTE ((uint64_t)0x0101010101010101)

/*
 * A number of up to seven digits and the line end behind it, without a branch for each digit: how long it is is what a
 * processor guesses wrong. Returns the number of digits, 0 when it is something else, or longer.
 */
static inline unsigned
number_read(const unsigned char *p, uint64_t *value)
{
	uint64_t text = pp_load64(p), ends = text ^ EACH_BYTE * '\n', v, digits;
	unsigned n;

	ends = (ends - EACH_BYTE) & ~ends & EACH_BYTE * 0x80;
	n = ends ? (unsigned)__builtin_ctzll(ends) / 8 : 0;
	if (PP_UNLIKELY(n == 0))
		return 0;
	/* Eight digits, with zeros in front. */
	text = text << (64 - 8 * n) | EACH_BYTE * '0' >> 8 * n;
	v = (text & EACH_BYTE * 15) + (text >> 6 & EACH_BYTE) * 9;
	/* What digits of that value look like. */
	digits = v + EACH_BYTE * '0' + ((v + EACH_BYTE * 6) >> 4 & EACH_BYTE) * ('a' - '0' - 10);
	if (PP_UNLIKELY((v & EACH_BYTE * 0xf0) | (digits ^ text)))
		return 0;
	v = __builtin_bswap64(v);
	v = (v | v >> 4) & 0x00ff00ff00ff00ff;
	v = (v | v >> 8) & 0x0000ffff0000ffff;
	*value = (v | v >> 16) & 0xffffffff;
	return n;
}

const unsigned char *
pp_ht_events(struct pp_ht *h, const unsigned char *p, const unsigned char *stop,
             const unsigned char *end)
{
	const unsigned char *last = end - p > 16 ? end - 16 : p;
	uint64_t value;
	unsigned n;

	last = last < stop ? last : stop;
	for (; p < last && !h->stopped; p += n + 3) {
		bool allocates = p[0] == '+';

		if ((!allocates && p[0] != '-') || p[1] != ' ')
			break;
		n = number_read(p + 2, &value);
		if (PP_UNLIKELY(n == 0))
			break;
		if (allocates)
			allocate(h, value);
		else
			deallocate(h, value);
		h->line++;
	}
	return p;
}

/* ---- pointers --------------------------------------------------------------------------- */

static size_t
pointer_begin(const struct pp_ht_pointers *p, uint64_t pointer)
{
	return (size_t)pp_mix(pointer ^ p->seed, PP_HASH_K1) & p->mask;
}

static bool
pointers_double(struct pp_ht_pointers *p)
{
	struct pp_ht_pointers wide = { .n = p->n, .seed = p->seed };
	size_t i, at;

	wide.mask = p->at ? p->mask * 2 + 1 : 1023;
	wide.at = calloc(wide.mask + 1, sizeof *wide.at);
	if (!wide.at)
		return false;
	for (i = 0; p->at && i <= p->mask; i++) {
		if (!p->at[i].pointer)
			continue;
		at = pointer_begin(&wide, p->at[i].pointer);
		while (wide.at[at].pointer)
			at = (at + 1) & wide.mask;
		wide.at[at] = p->at[i];
	}
	free(p->at);
	*p = wide;
	return true;
}

/* The slot of a pointer, or the free one where it would be. */
static struct pp_ht_pointer *
pointer_slot(struct pp_ht_pointers *p, uint64_t pointer)
{
	size_t at = pointer_begin(p, pointer);

	while (p->at[at].pointer && p->at[at].pointer != pointer)
		at = (at + 1) & p->mask;
	return &p->at[at];
}

/* Frees a slot: those behind it that were pushed on move up. */
static void
pointer_remove(struct pp_ht_pointers *p, struct pp_ht_pointer *slot)
{
	size_t hole = (size_t)(slot - p->at), at = hole;

	for (;;) {
		size_t home;

		at = (at + 1) & p->mask;
		if (!p->at[at].pointer)
			break;
		home = pointer_begin(p, p->at[at].pointer);
		if (((at - home) & p->mask) >= ((at - hole) & p->mask)) {
			p->at[hole] = p->at[at];
			hole = at;
		}
	}
	p->at[hole].pointer = 0;
	p->n--;
}

/* The info of a size and a stack, made when there is none; false when out of memory. */
static bool
info_of(struct pp_ht *h, uint64_t size, uint32_t trace, uint32_t *info)
{
	uint64_t hash = pp_mix(size ^ h->b->seed, PP_HASH_K1 ^ trace);
	uint32_t tag = (uint32_t)(hash >> 32), row;
	struct pp_slots *slots = &h->info_slots;
	size_t at;

	if ((!slots->at && !pp_slots_init(slots, 10, NULL)) || !pp_slots_reserve(slots, 1))
		return false;
	at = pp_slots_begin(slots, tag);
	while ((row = pp_slots_next(slots, tag, &at)))
		if (h->infos.at[row - 1].size == size && h->info_traces.at[row - 1] == trace) {
			*info = row - 1;
			return true;
		}
	*info = (uint32_t)h->infos.n;
	pp_ht_info_add(h, size, trace);
	if (!pp_builder_ok(h->b))
		return false;
	pp_slots_put(slots, tag, *info + 1);
	return true;
}

void
pp_ht_pointer_add(struct pp_ht *h, uint64_t size, uint64_t trace, uint64_t pointer)
{
	struct pp_ht_pointers *p = &h->pointers;
	struct pp_ht_pointer *slot;
	uint32_t info;

	if (!info_of(h, size, (uint32_t)trace, &info) ||
	    ((p->n + 1) * 4 > p->mask * 3 && !pointers_double(p))) {
		pp_ht_no_memory(h);
		return;
	}
	if (pointer) {
		slot = pointer_slot(p, pointer);
		p->n += !slot->pointer;
		*slot = (struct pp_ht_pointer){ pointer, info };
	}
	h->last = h->raw ? info : pointer;
	info_allocate(h, &h->infos.at[info]);
}

void
pp_ht_pointer_drop(struct pp_ht *h, uint64_t pointer)
{
	struct pp_ht_pointer *slot = h->pointers.n && pointer ? pointer_slot(&h->pointers, pointer)
	                                                      : NULL;
	uint32_t info;

	/* Allocated before heaptrack was attached, or by somebody it does not see. */
	if (!slot || !slot->pointer)
		return;
	info = slot->info;
	pointer_remove(&h->pointers, slot);
	info_free(h, &h->infos.at[info], h->last == (h->raw ? info : pointer));
	h->last = 0;
}

void
pp_ht_restart(struct pp_ht *h)
{
	struct pp_ht_windows *w = &h->windows;
	size_t i;

	for (i = 0; i < h->infos.n; i++) {
		struct pp_ht_info *info = &h->infos.at[i];

		info->allocated = info->temporary = 0;
		info->peak = 0;
		info->live = info->at_peak = 0;
		info->window = w->wanted ? 0 : w->number;
	}
	w->touched.n = w->moments.n = 0;
	if (h->pointers.at)
		memset(h->pointers.at, 0, (h->pointers.mask + 1) * sizeof *h->pointers.at);
	h->pointers.n = 0;
	h->allocated = h->temporary = h->last = 0;
	h->peaks = 0;
	h->bytes = 0;
	h->live = h->most = h->peak_time = 0;
}
