/*
 * From what was replayed to the profile.
 */
#include "formats/heap/heap.h"
#include "formats/heap/heaptrack.h"
#include "model/schema.h"
#include "model/traits.h"

#define METRICS 6
#define NS_PER_MS 1000000

/* ---- stacks ----------------------------------------------------------------------------- */

struct stacks {
	struct pp_ht *h;
	PP_VEC(pp_frame) frames;   /* of one stack, the innermost first until it is turned */
	PP_VEC(pp_frame) frame_of; /* by place in h->spots, and behind them by address */
	PP_VEC(pp_stack) where;    /* by trace */
	uint32_t series;
	uint64_t steps; /* frames that may still be put into stacks */
};

/* heaptrack records at most 64 addresses of a stack. Where they are so many more on average, somebody wants us to be slow. */
#define STEPS_FREE ((uint64_t)1 << 26)
#define STEPS_PER_STACK 512

static pp_str
string_of(const struct pp_ht *h, uint32_t number)
{
	return h->strings.at[number];
}

/* The frame of a function at an address, inlined into `outer` others; `place` is NULL when nothing is known. */
static pp_frame
frame_make(struct pp_ht *h, const struct pp_ht_ip *ip, const struct pp_ht_place *place,
           uint32_t outer)
{
	struct pp_func_row func = { 0 };
	struct pp_frame_row frame = { 0 };

	if (ip->module)
		func.module = pp_build_module(
		    h->b, &(struct pp_module_row){ .name = string_of(h, ip->module) });
	if (place && place->function) {
		func.name = string_of(h, place->function);
	} else {
		func.name = pp_build_strf(h->b, "0x%llx", (unsigned long long)ip->address);
		func.flags = PP_FUNC_UNKNOWN;
	}
	func.file = place ? string_of(h, place->file) : 0;
	frame.func = pp_build_func(h->b, &func);
	if (place && place->line) {
		frame.line = h->lines ? place->line : 0;
		h->b->profile->unread |= h->lines ? 0 : PP_HAS(PLACES);
	}
	if (outer && h->lines) {
		frame.inline_depth = (uint16_t)(outer < UINT16_MAX ? outer : UINT16_MAX);
		frame.flags = PP_FRAME_INLINED;
	} else if (outer) {
		h->b->profile->unread |= PP_HAS(INLINED);
	}
	if (h->places)
		frame.address = ip->address;
	else
		h->b->profile->unread |= PP_HAS(ADDRESSES);
	return pp_build_frame(h->b, &frame);
}

static void
frame_push(struct stacks *s, pp_frame frame)
{
	if (s->steps-- == 0)
		pp_builder_fail(s->h->b, PP_E_LIMIT, PP_TOO_DEEP);
	else if (!pp_vec_push(&s->frames, frame))
		pp_ht_no_memory(s->h);
}

/* The frames of an address, the innermost first. */
static void
ip_push(struct stacks *s, uint32_t number)
{
	struct pp_ht *h = s->h;
	const struct pp_ht_ip *ip = &h->ips.at[number];
	uint32_t i, n = ip->n ? ip->n : 1;

	for (i = 0; i < n && pp_builder_ok(h->b); i++) {
		pp_frame *known = &s->frame_of.at[ip->n ? ip->first + i : h->spots.n + number];

		if (!*known)
			*known = frame_make(h, ip, ip->n ? &h->spots.at[ip->first + i] : NULL,
			                    n - 1 - i);
		frame_push(s, *known);
	}
}

/* The same of a raw recording. */
static void
run_push(struct stacks *s, uint32_t run)
{
	size_t i, n;
	const pp_frame *frames = pp_mapped_frames(&s->h->mapped, run, &n);

	for (i = 0; i < n && pp_builder_ok(s->h->b); i++)
		frame_push(s, frames[i]);
}

/* The frames of a stack, the outermost first. */
static void
stack_make(struct stacks *s, uint32_t trace)
{
	struct pp_ht *h = s->h;
	size_t i, n;

	s->frames.n = 0;
	for (; trace && pp_builder_ok(h->b); trace = h->traces.at[trace].parent) {
		uint32_t ip = h->traces.at[trace].ip;

		if (h->raw && ip)
			run_push(s, ip);
		else if (ip)
			ip_push(s, ip);
	}
	n = s->frames.n;
	for (i = 0; i < n / 2; i++) {
		pp_frame swap = s->frames.at[i];

		s->frames.at[i] = s->frames.at[n - 1 - i];
		s->frames.at[n - 1 - i] = swap;
	}
}

static void
stack_give(struct stacks *s, uint32_t trace, const int64_t *values, bool timed, int64_t ms)
{
	struct pp_sample sample = {
		.series = s->series, .values = values, .timed = timed, .time = ms * NS_PER_MS
	};
	struct pp_builder *b = s->h->b;

	if (s->where.at[trace]) {
		(void)pp_build_again(b, &sample, s->where.at[trace]);
		return;
	}
	if (pp_builder_remembers(b))
		sample.where = &s->where.at[trace];
	stack_make(s, trace);
	if (pp_builder_ok(b))
		(void)pp_build_sample(b, &sample, s->frames.at, s->frames.n);
}

/* ---- sums by stack ---------------------------------------------------------------------- */

/* What the infos of a stack add up to. */
struct sums {
	int64_t bytes, allocated, temporary, live_bytes, live, peak_bytes;
	bool any;
};

static void
sums_add(const struct pp_ht *h, const struct pp_ht_info *i, struct sums *to)
{
	int64_t peak = pp_ht_at_peak(h, i);

	to->bytes += (int64_t)i->size * i->allocated;
	to->live_bytes += (int64_t)i->size * i->live;
	to->peak_bytes += (int64_t)i->size * peak;
	to->allocated += i->allocated;
	to->temporary += i->temporary;
	to->live += i->live;
	to->any |= i->allocated || i->live || i->temporary || peak;
}

static void
sums_give(struct stacks *s, const struct sums *sums)
{
	size_t i;

	for (i = 0; i < s->h->traces.n && pp_builder_ok(s->h->b); i++) {
		const struct sums *t = &sums[i];

		if (t->any)
			stack_give(s, (uint32_t)i,
			           (int64_t[METRICS]){ t->bytes, t->allocated, t->temporary,
			                               t->live_bytes, t->live, t->peak_bytes },
			           false, 0);
	}
}

/* ---- what happened when ----------------------------------------------------------------- */

/*
 * The same in stretches of time: what is live is what it gained, or lost, in each; and the peak, what it gained up to
 * then. So all of it adds up to the sums.
 */
static void
moment_give(struct stacks *s, struct sums *sums, const struct pp_ht_moment *m)
{
	struct pp_ht *h = s->h;
	int64_t stretch = m->time / h->windows.quantum, peak = h->peak_time / h->windows.quantum,
	        values[METRICS];
	struct sums *left = &sums[m->trace];

	values[0] = m->bytes;
	values[1] = (int64_t)m->allocated;
	values[2] = (int64_t)m->temporary;
	values[3] = m->live_bytes;
	values[4] = m->live;
	values[5] = stretch < peak ? m->live_bytes : stretch == peak ? left->peak_bytes : 0;
	left->peak_bytes -= values[5];
	stack_give(s, m->trace, values, true, m->time);
}

/* In a stretch what was given back comes first: so what is in use never seems more than it ever was. */
static void
moments_give(struct stacks *s, struct sums *sums)
{
	const struct pp_ht_windows *w = &s->h->windows;
	size_t first, end, i;

	for (first = 0; first < w->moments.n && pp_builder_ok(s->h->b); first = end) {
		for (end = first;
		     end < w->moments.n && w->moments.at[end].time == w->moments.at[first].time;)
			end++;
		for (i = first; i < end && pp_builder_ok(s->h->b); i++)
			if (w->moments.at[i].live_bytes < 0)
				moment_give(s, sums, &w->moments.at[i]);
		for (i = first; i < end && pp_builder_ok(s->h->b); i++)
			if (w->moments.at[i].live_bytes >= 0)
				moment_give(s, sums, &w->moments.at[i]);
	}
}

static void
stacks_build(struct pp_ht *h)
{
	struct stacks s = { .h = h };
	struct sums *sums = calloc(h->traces.n, sizeof *sums);
	size_t i;

	s.steps = STEPS_FREE + STEPS_PER_STACK * (h->traces.n + h->windows.moments.n);
	s.series = pp_build_series(
	    h->b,
	    &(struct pp_series){
	        .event = pp_build_strz(h->b, PP_HEAP_EVENT), .pid = -1, .tid = -1, .cpu = -1 },
	    false, false);
	if (!sums || !pp_vec_reserve(&s.frame_of, h->spots.n + h->ips.n) ||
	    !pp_vec_reserve(&s.where, h->traces.n)) {
		pp_ht_no_memory(h);
	} else {
		memset(s.frame_of.at, 0, (h->spots.n + h->ips.n) * sizeof *s.frame_of.at);
		memset(s.where.at, 0, h->traces.n * sizeof *s.where.at);
		for (i = 0; i < h->infos.n; i++)
			sums_add(h, &h->infos.at[i], &sums[h->info_traces.at[i]]);
		if (h->windows.wanted)
			moments_give(&s, sums);
		else
			sums_give(&s, sums);
		/* The builder tells where stacks went at the latest now. */
		(void)pp_build_flush(h->b);
	}
	free(sums);
	pp_vec_release(&s.frames);
	pp_vec_release(&s.frame_of);
	pp_vec_release(&s.where);
}

/* ---- metadata --------------------------------------------------------------------------- */

static void
meta_build(struct pp_ht *h)
{
	struct pp_builder *b = h->b;
	uint32_t list;
	size_t i;

	pp_heap_meta_text(b, "command", pp_text_of(b->profile, h->command));
	pp_heap_meta_text(b, "executable", pp_text_of(b->profile, h->executable));
	if (h->page_size)
		pp_heap_meta_number(b, "page size", h->page_size);
	if (h->page_size && h->pages && h->pages <= UINT64_MAX / h->page_size)
		pp_heap_meta_number(b, "total memory", h->pages * h->page_size);
	if (h->rss && h->page_size && h->rss <= UINT64_MAX / h->page_size)
		pp_heap_meta_number(b, "peak RSS", h->rss * h->page_size);
	if (h->timed)
		pp_heap_meta_number(b, "peak at ms", (uint64_t)h->peak_time);
	if (h->attached)
		pp_build_meta_z(b, "attached", PP_META_BOOL, pp_slice_z("true"));
	if (h->suppressions.n) {
		list = pp_build_meta(b, 0, pp_slice_z("suppressions"), PP_META_ARRAY,
		                     pp_slice_of("", 0));
		for (i = 0; i < h->suppressions.n; i++)
			(void)pp_build_meta(b, list, pp_slice_of("", 0), PP_META_TEXT,
			                    pp_text_of(b->profile, h->suppressions.at[i]));
	}
	pp_heap_event_build(b, PP_HEAP_ALLOC_BYTES, 0);
}

void
pp_ht_finish(struct pp_ht *h)
{
	struct pp_profile *p = h->b->profile;

	pp_ht_replay_end(h);
	p->variant = pp_build_strz(h->b, h->raw ? "raw" : "interpreted");
	p->producer = pp_build_strf(h->b, "heaptrack %x.%x.%x", h->version >> 16 & 0xff,
	                            h->version >> 8 & 0xff, h->version & 0xff);
	p->events = h->line;
	p->facets |= PP_TREE;
	p->holds |= PP_TIMELINE;
	p->time.known = h->timed;
	p->time.end = h->time * NS_PER_MS;
	pp_heap_metrics_build(h->b,
	                      PP_HEAP_HAS(ALLOC_BYTES) | PP_HEAP_HAS(ALLOC_COUNT) |
	                          PP_HEAP_HAS(TEMPORARY) | PP_HEAP_HAS(LIVE_BYTES) |
	                          PP_HEAP_HAS(LIVE_COUNT) | PP_HEAP_HAS(PEAK_BYTES),
	                      0, PP_HEAP_ALLOC_BYTES);
	if (pp_builder_ok(h->b))
		stacks_build(h);
	if (pp_builder_ok(h->b) && h->raw && h->mapped.native.wanted)
		pp_mapped_report(&h->mapped, &pp_heaptrack_rules[PP_HT_SYMBOLS]);
	if (pp_builder_ok(h->b) && (h->reader->order->facets & PP_META))
		meta_build(h);
	if (h->rss_text.failed)
		pp_ht_no_memory(h);
	else if (h->rss_text.n && pp_builder_ok(h->b))
		pp_build_extra(h->b, PP_TABLE_PROFILE, 0, "rss",
		               pp_slice_of(h->rss_text.p, h->rss_text.n));
}
