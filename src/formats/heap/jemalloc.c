/*
 * jemalloc: heap profiles of its sampling allocator.
 *
 *     heap_v2/524288                     one sample for so many bytes on average; 1 = all
 *       t*: 69: 77539 [479: 616087]      samples in use, and ever, in objects and bytes: of all threads,
 *       t0: 69: 77539 [316: 461886] io   of each, with its name
 *     @ 0x7f7a50ca2630 0x7f7a50ca2d21    a stack, where calls return to, the innermost first
 *       t*: 63: 64529 [63: 64529]
 *       t0: 63: 64529 [63: 64529]
 *
 *     MAPPED_LIBRARIES:                  /proc/self/maps
 *
 * Samples of a stack stand for 1 / (1 - e^(-size / period)) times as many, where size is the mean of theirs; that of all
 * threads is taken for each of them, so that they add up; what jemalloc rounded differently is nobody's. The first lines are no sums of the stacks, which jemalloc
 * weighs differently. What was ever allocated is 0 unless prof_accum was set.
 */
#include "formats/heap/heap_text.h"

extern const struct pp_format pp_format_jemalloc;

enum { JE_HEADER, JE_LINE, JE_SYMBOLS };

static const struct pp_rule je_rules[] = {
	[JE_HEADER] = { "jemalloc-header", PP_ERROR,
	                "the first line is not that of a heap profile of jemalloc",
	                "It is heap_v2/ and how many bytes there are between two samples on average. Without it nothing "
	                "can be read." },
	[JE_LINE] = { "jemalloc-line", PP_ERROR, "a line is not what jemalloc writes",
	              "A stack is @ and its addresses; after it, and in the header, come t*: "
	              "or a thread and two pairs of numbers. The line is left out." },
	[JE_SYMBOLS] = { "jemalloc-symbols", PP_NOTE, "some modules have no symbols",
	                 "Names of functions come from the binaries that were recorded and their debug files "
	                 "(/usr/lib/debug, .gnu_debuglink). On another machine than the recorded one, --option symfs=DIR says where to find them." },
	{ 0 },
};

/* What a thread did in a stack; `all` stands for all of them. */
struct je_thread {
	bool all;
	uint64_t id;
	struct pp_slice name;
	struct pp_heap_counts counts;
};

struct je_read {
	struct pp_heap_text t;
	struct pp_map series_of, name_of; /* by thread */
	PP_VEC(struct je_thread) threads; /* of the stack being read */
	struct je_thread sum;             /* of that */
	bool has_sum, has_stack, addresses;
	const unsigned char *at;
	uint32_t nobody; /* the series of no thread + 1; 0 = not made */
	struct pp_slice maps;
	bool building;
};

static void
report(struct je_read *r, int rule, const unsigned char *at)
{
	if (!r->building)
		return;
	if (je_rules[rule].severity == PP_ERROR)
		r->t.b->profile->complete = false;
	pp_diag_add(r->t.reader->diags, &je_rules[rule], pp_places_next(&r->t.places, at), "%s",
	            je_rules[rule].title);
}

static bool
header_read(struct pp_slice line, uint64_t *period)
{
	line = pp_slice_trim(line);
	return pp_slice_take(&line, "heap_v2/") && pp_num_u64(line, period);
}

/* "t*: 1: 2 [3: 4]" or "t7: 1: 2 [3: 4] name" */
static bool
thread_read(struct pp_slice line, struct je_thread *thread)
{
	struct pp_slice id;
	bool colon;

	*thread = (struct je_thread){ 0 };
	if (!pp_slice_take(&line, "t"))
		return false;
	id = pp_slice_cut(&line, ':', &colon);
	thread->all = pp_slice_eq_z(id, "*");
	if (!colon || (!thread->all && !pp_num_u64(id, &thread->id)) ||
	    !pp_heap_counts_read(&line, &thread->counts))
		return false;
	thread->name = pp_slice_trim(line);
	return true;
}

static int
je_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line;
	struct je_thread thread;
	uint64_t period;

	if (!pp_slice_line(&rest, &line) || !pp_slice_starts(line, "heap_v2/"))
		return 0;
	if (!header_read(line, &period) || !pp_slice_line(&rest, &line))
		return PP_BID_NAMED;
	return thread_read(pp_slice_trim(line), &thread) || pp_slice_starts(line, "@")
	           ? PP_BID_NAMED
	           : 0;
}

/* ---- a stack ---------------------------------------------------------------------------- */

/* The series of a thread; NULL is none. */
static uint32_t
series_of(struct je_read *r, const struct je_thread *thread)
{
	struct pp_builder *b = r->t.b;
	struct pp_series like = {
		.event = pp_build_strz(b, PP_HEAP_EVENT), .pid = -1, .tid = -1, .cpu = -1
	};
	uint32_t known = thread ? pp_map_get(&r->series_of, thread->id)
	                        : r->nobody - 1; /* PP_MAP_NONE when there is none */

	if (known != PP_MAP_NONE || !pp_builder_ok(b))
		return known;
	if (thread) {
		uint32_t name = pp_map_get(&r->name_of, thread->id);

		like.tid = thread->id <= INT64_MAX ? (int64_t)thread->id : -1;
		like.thread = name != PP_MAP_NONE
		                  ? name
		                  : pp_build_strf(b, "t%llu", (unsigned long long)thread->id);
	}
	known = pp_build_series(b, &like, false, false);
	if (!thread)
		r->nobody = known + 1;
	else if (pp_builder_ok(b) && !pp_map_set(&r->series_of, thread->id, known))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return known;
}

static bool
counts_are_zero(const struct pp_heap_counts *c)
{
	return !c->live && !c->live_bytes && !c->all && !c->all_bytes;
}

/* Where that does not fit, it is nothing that a program did. */
static void
counts_subtract(struct pp_heap_counts *from, const struct pp_heap_counts *c)
{
	if (__builtin_sub_overflow(from->live, c->live, &from->live) ||
	    __builtin_sub_overflow(from->live_bytes, c->live_bytes, &from->live_bytes) ||
	    __builtin_sub_overflow(from->all, c->all, &from->all) ||
	    __builtin_sub_overflow(from->all_bytes, c->all_bytes, &from->all_bytes))
		*from = (struct pp_heap_counts){ 0 };
}

/* The stack and what its threads did was read. */
static void
stack_end(struct je_read *r)
{
	const struct pp_heap_counts *all = &r->sum.counts;
	struct pp_heap_counts left = *all;
	double live = pp_heap_factor(&r->t, all->live, all->live_bytes),
	       ever = pp_heap_factor(&r->t, all->all, all->all_bytes);
	size_t i;

	if (!r->has_stack || !r->has_sum || !r->building || !pp_builder_ok(r->t.b))
		return;
	pp_builder_at(r->t.b, pp_places_next(&r->t.places, r->at));
	r->t.b->profile->events++;
	for (i = 0; i < r->threads.n && pp_builder_ok(r->t.b); i++) {
		const struct pp_heap_counts *c = &r->threads.at[i].counts;

		pp_heap_text_give(&r->t, series_of(r, &r->threads.at[i]), c, live, ever);
		counts_subtract(&left, c);
	}
	if (pp_builder_ok(r->t.b) && (!r->threads.n || !counts_are_zero(&left)))
		pp_heap_text_give(&r->t, series_of(r, NULL), &left, live, ever);
}

/* ---- lines ------------------------------------------------------------------------------ */

static void
counts_line(struct je_read *r, struct pp_slice line)
{
	struct je_thread thread;

	if (!thread_read(line, &thread)) {
		report(r, JE_LINE, line.p);
		return;
	}
	r->t.allocated |= thread.counts.all || thread.counts.all_bytes;
	if (!r->has_stack) {
		/* Only here threads have names. */
		if (thread.name.n && !thread.all && !r->building &&
		    !pp_map_set(&r->name_of, thread.id, pp_build_str(r->t.b, thread.name)))
			pp_builder_fail(r->t.b, PP_E_NOMEM, NULL);
	} else if (thread.all) {
		r->sum = thread;
		r->has_sum = true;
	} else if (r->building && !pp_vec_push(&r->threads, thread)) {
		pp_builder_fail(r->t.b, PP_E_NOMEM, NULL);
	}
}

static void
lines_read(struct je_read *r, struct pp_slice rest)
{
	struct pp_slice line;

	r->has_stack = r->has_sum = false;
	while (pp_builder_ok(r->t.b) && pp_slice_line(&rest, &line)) {
		struct pp_slice text = pp_slice_trim(line);

		if (pp_slice_starts(text, "MAPPED_LIBRARIES:") ||
		    pp_slice_starts(text, "--- Memory map:")) {
			r->maps = rest;
			break;
		}
		if (text.n == 0)
			continue;
		if (text.p[0] != '@') {
			counts_line(r, text);
			continue;
		}
		stack_end(r);
		r->has_sum = false;
		r->threads.n = 0;
		r->at = text.p;
		r->has_stack = !r->building || pp_heap_addresses(&r->t, pp_slice_from(text, 1));
		if (!r->has_stack)
			report(r, JE_LINE, text.p);
	}
	stack_end(r);
}

static void
profile_read(struct je_read *r, struct pp_slice text, uint64_t period)
{
	struct pp_heap_text *t = &r->t;

	t->scaling = period > 1 ? PP_HEAP_POISSON : PP_HEAP_EXACT;
	t->period = (double)period;
	r->series_of.seed = r->name_of.seed = t->b->seed;
	lines_read(r, text);
	pp_mapped_read(&t->mapped, r->maps);
	pp_heap_text_metrics(t);
	r->building = true;
	lines_read(r, text);
	if (t->mapped.native.wanted)
		pp_mapped_report(&t->mapped, &je_rules[JE_SYMBOLS]);
	t->b->profile->facets |= PP_TREE;
	t->b->profile->producer = pp_build_strz(t->b, "jemalloc");
	if (pp_builder_ok(t->b) && (t->reader->order->facets & PP_META)) {
		pp_heap_meta_number(t->b, "period", period);
		pp_heap_event_build(t->b, PP_HEAP_LIVE_BYTES, period > 1 ? period : 0);
	}
}

static pp_status
je_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct je_read r = { .t = { .reader = reader, .b = b, .rules = je_rules } };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open_lines(&whole, reader, b);
	struct pp_slice text, line;
	uint64_t period;

	if (!pp_mapped_init(&r.t.mapped, reader, b) && status == PP_OK)
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		text = r.t.places.text = pp_slice_between(reader->in->cur, reader->in->end);
		if (pp_slice_line(&text, &line) && header_read(line, &period)) {
			profile_read(&r, text, period);
		} else {
			r.building = true;
			report(&r, JE_HEADER, text.p);
			status = PP_E_INVALID;
		}
		reader->in->cur = reader->in->end;
	}
	pp_mapped_release(&r.t.mapped);
	pp_map_release(&r.series_of);
	pp_map_release(&r.name_of);
	pp_vec_release(&r.threads);
	pp_vec_release(&r.t.stack.frames);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_option_doc je_options[] = { PP_MAPPED_OPTIONS, { 0 } };

static const struct pp_holds je_holds[] = {
	{ .keeps = PP_MAPPED_HOLDS | PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(THREADS) |
	           PP_HAS(EVENTS) | PP_HAS(METADATA) },
};

const struct pp_format pp_format_jemalloc = {
	.name = "jemalloc",
	.title = "jemalloc heap profile",
	.extensions = "heap",
	.can = PP_CAN_READ | PP_TREE,
	.bid = je_bid,
	.read = je_read,
	.holds = je_holds,
	.rules = je_rules,
	.options = je_options,
};
