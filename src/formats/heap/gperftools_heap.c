/*
 * gperftools, heap: what its heap profiler and its sampling allocator write, and Go's heap profiles as text.
 *
 *     heap profile:  459: 1187915 [40557: 81486751] @ heapprofile     objects and bytes in use, and allocated; the kind
 *      450: 501025 [450: 501025] @ 0x55df639dd1db 0x55df639dd313     the same by stack, where calls return to, the innermost first
 *     #	0x4d7f86	main.f+0x86	main.go:65                       Go: the frames of the stack before
 *
 *     MAPPED_LIBRARIES:                                               /proc/self/maps
 *
 * Kinds: `heapprofile` has all allocations; `heap_v2/N` and `heapz_v2/N` have samples, one for N bytes on average; of
 * `heap/N` and `heapz/N` N is twice that; `growth` and others have what they say. Before it may stand a part with names
 * ("--- symbol"), as google-pprof --raw writes it.
 */
#include "formats/heap/heap_text.h"

extern const struct pp_format pp_format_gperftools_heap;

enum { GH_HEADER, GH_LINE, GH_TOTAL, GH_SYMBOLS };

static const struct pp_rule gh_rules[] = {
	[GH_HEADER] = { "gperftools-heap-header", PP_ERROR,
	                "the first line is not that of a heap profile",
	                "It says how many objects and bytes are in use, how many were allocated, and how they were "
	                "sampled. Without it nothing can be read." },
	[GH_LINE] = { "gperftools-heap-line", PP_ERROR, "a line is not a stack",
	              "A stack is two pairs of numbers and, after @, its addresses. The line "
	              "is left out." },
	[GH_TOTAL] = { "gperftools-heap-total", PP_WARNING,
	               "the stacks do not add up to the first line",
	               "The first line has the sums of all stacks. If they differ, some "
	               "stacks are missing: the file was cut, or edited." },
	[GH_SYMBOLS] = { "gperftools-heap-symbols", PP_NOTE, "some modules have no symbols",
	                 "Names of functions come from the binaries that were recorded and their debug files "
	                 "(/usr/lib/debug, .gnu_debuglink). On another machine than the recorded one, --option symfs=DIR says where to find them." },
	{ 0 },
};

/* ---- the first line --------------------------------------------------------------------- */

struct header {
	struct pp_heap_counts counts;
	struct pp_slice kind; /* empty = none */
	uint64_t period;      /* 0 = none */
	const unsigned char *at;
};

static bool
header_read(struct pp_slice line, struct header *h)
{
	bool slash;

	*h = (struct header){ .kind = pp_slice_of("", 0), .at = line.p };
	if (!pp_slice_take(&line, "heap profile:") || !pp_heap_counts_read(&line, &h->counts))
		return false;
	line = pp_slice_trim(line);
	if (!pp_slice_take(&line, "@"))
		return line.n == 0;
	line = pp_slice_trim(line);
	h->kind = pp_slice_cut(&line, '/', &slash);
	if (slash && !pp_num_u64(line, &h->period))
		h->period = 0;
	return true;
}

/* Whether numbers stand in columns. */
static bool
is_padded(struct pp_slice text)
{
	struct pp_slice line;

	while (pp_slice_line(&text, &line) && pp_slice_holds(line, "@"))
		if (pp_slice_starts(line, " ") || pp_slice_holds(line, "  "))
			return true;
	return false;
}

/* Go names frames in comments, but for its first years, and does not put numbers in columns, as gperftools does. */
static bool
is_go(struct pp_slice text)
{
	return memmem(text.p, text.n, "\n#\t0x", 5) ||
	       memmem(text.p, text.n, "\n# runtime.MemStats", 19) || !is_padded(text);
}

/* As google-pprof decides; what Go writes is as Go's own pprof has it. */
static void
scaling_choose(struct pp_heap_text *t, const struct header *h, bool go)
{
	const double usual = 128 * 1024;
	bool heap = pp_slice_holds(h->kind, "heap") && !pp_slice_eq_z(h->kind, "heapprofile");
	bool old = !h->kind.n && h->counts.live == h->counts.all &&
	           h->counts.live_bytes == h->counts.all_bytes;

	t->scaling = PP_HEAP_EXACT;
	t->period = (double)h->period;
	if (heap && pp_slice_holds(h->kind, "_v2")) {
		t->scaling = PP_HEAP_POISSON;
	} else if (heap || old) {
		t->scaling = go ? PP_HEAP_POISSON : PP_HEAP_DIVIDE;
		t->period = t->period / 2;
	}
	if (t->period <= 0)
		t->period = usual;
	/* All that there was: Go's header doubles the rate. */
	if (t->period <= 1)
		t->scaling = PP_HEAP_EXACT;
}

static int
gh_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line;
	struct header header;

	if (!pp_slice_line(&rest, &line))
		return 0;
	if (pp_slice_eq_z(line, "--- symbol") && pp_slice_starts(rest, "binary="))
		return memmem(rest.p, rest.n, "\n--- heap\n", 10) ? 200 : PP_BID_NAMED;
	return header_read(line, &header) ? 160 : 0;
}

/* ---- stacks ----------------------------------------------------------------------------- */

struct gh_read {
	struct pp_heap_text t;
	uint32_t series;
	uint64_t live, live_bytes; /* sums */
	struct pp_slice maps;
	bool building; /* else it is only seen what there is */
};

static void
report(struct gh_read *r, int rule, const unsigned char *at)
{
	if (gh_rules[rule].severity == PP_ERROR)
		r->t.b->profile->complete = false;
	pp_diag_add(r->t.reader->diags, &gh_rules[rule], pp_places_next(&r->t.places, at), "%s",
	            gh_rules[rule].title);
}

/* "#	0x4d7f86	main.f+0x86		main.go:65" */
static bool
go_frame(struct gh_read *r, struct pp_slice line)
{
	struct pp_mapped *m = &r->t.mapped;
	struct pp_func_row func = { 0 };
	struct pp_frame_row frame = { 0 };
	struct pp_slice name, place = { 0 };
	uint64_t number;
	size_t at;

	if (!pp_slice_take(&line, "#\t0x") || !pp_slice_word(&line, &name) ||
	    !pp_num_hex(name, &frame.address) || !pp_slice_word(&line, &name))
		return false;
	for (at = name.n; at > 3 && memcmp(name.p + at - 3, "+0x", 3) != 0;)
		at--;
	if (at > 3 && pp_num_hex(pp_slice_from(name, at), &frame.offset))
		name.n = at - 3;
	place = pp_slice_trim(line);
	for (at = place.n; at > 0 && place.p[at - 1] != ':';)
		at--;
	if (at > 0 && pp_num_u64(pp_slice_from(place, at), &number) && number <= UINT32_MAX) {
		frame.line = (uint32_t)number;
		place.n = at - 1;
	}
	func.name = pp_build_str(m->b, name);
	func.file = pp_build_str(m->b, place);
	frame.func = pp_build_func(m->b, &func);
	if (!m->native.places) {
		m->b->profile->unread |= PP_HAS(ADDRESSES) | PP_HAS(OFFSETS);
		frame.address = frame.offset = 0;
	}
	if (pp_order_is_by_function(r->t.reader->order))
		frame.line = 0;
	if (!pp_vec_push(&r->t.stack.frames, pp_build_frame(m->b, &frame)))
		pp_builder_fail(m->b, PP_E_NOMEM, NULL);
	return true;
}

static void
stack_read(struct gh_read *r, struct pp_slice line, struct pp_slice *rest)
{
	struct pp_heap_text *t = &r->t;
	struct pp_slice words = line, next = *rest, comment;
	struct pp_heap_counts c;

	if (!pp_heap_counts_read(&words, &c) ||
	    (words = pp_slice_trim(words), !pp_slice_take(&words, "@"))) {
		if (r->building)
			report(r, GH_LINE, line.p);
		return;
	}
	if (!r->building) {
		t->allocated |= c.all || c.all_bytes;
		return;
	}
	if (!pp_heap_addresses(t, words)) {
		report(r, GH_LINE, line.p);
		return;
	}
	/* What Go says of the frames is more than their addresses. */
	if (pp_slice_starts(next, "#\t0x")) {
		t->stack.frames.n = 0;
		for (; pp_slice_line(&next, &comment) && go_frame(r, comment); *rest = next)
			;
		pp_heap_stack_turn(&t->stack);
	}
	r->live += (uint64_t)c.live;
	r->live_bytes += (uint64_t)c.live_bytes;
	pp_builder_at(t->b, pp_places_next(&t->places, line.p));
	t->b->profile->events++;
	pp_heap_text_give(t, r->series, &c, pp_heap_factor(t, c.live, c.live_bytes),
	                  pp_heap_factor(t, c.all, c.all_bytes));
}

static void
lines_read(struct gh_read *r, struct pp_slice rest)
{
	struct pp_slice line;

	while (pp_builder_ok(r->t.b) && pp_slice_line(&rest, &line)) {
		struct pp_slice text = pp_slice_trim(line);

		if (pp_slice_starts(text, "MAPPED_LIBRARIES:") ||
		    pp_slice_starts(text, "--- Memory map:")) {
			r->maps = rest;
			return;
		}
		if (text.n && text.p[0] != '#')
			stack_read(r, text, &rest);
	}
}

static void
profile_read(struct gh_read *r, struct pp_slice text, const struct header *h)
{
	struct pp_heap_text *t = &r->t;

	lines_read(r, text);
	pp_mapped_read(&t->mapped, r->maps);
	scaling_choose(t, h, is_go(text));
	pp_heap_text_metrics(t);
	r->series = pp_build_series(
	    t->b,
	    &(struct pp_series){
	        .event = pp_build_strz(t->b, PP_HEAP_EVENT), .pid = -1, .tid = -1, .cpu = -1 },
	    false, false);
	r->building = true;
	lines_read(r, text);
	if (r->live != (uint64_t)h->counts.live || r->live_bytes != (uint64_t)h->counts.live_bytes)
		pp_diag_add(t->reader->diags, &gh_rules[GH_TOTAL],
		            pp_place_in(t->places.text, h->at), "%s", gh_rules[GH_TOTAL].title);
	if (t->mapped.native.wanted)
		pp_mapped_report(&t->mapped, &gh_rules[GH_SYMBOLS]);
	t->b->profile->facets |= PP_TREE;
	if (pp_builder_ok(t->b) && (t->reader->order->facets & PP_META)) {
		pp_heap_meta_text(t->b, "kind", h->kind);
		if (h->period)
			pp_heap_meta_number(t->b, "period", h->period);
		pp_heap_event_build(t->b, PP_HEAP_LIVE_BYTES,
		                    t->scaling == PP_HEAP_EXACT ? 0 : (uint64_t)t->period);
	}
}

static pp_status
gh_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct gh_read r = { .t = { .reader = reader, .b = b, .rules = gh_rules } };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open_lines(&whole, reader, b);
	struct pp_slice text, kind, line;
	struct header header;

	if (!pp_mapped_init(&r.t.mapped, reader, b) && status == PP_OK)
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		text = pp_slice_between(reader->in->cur, reader->in->end);
		(void)pp_heap_symbols_read(&r.t.mapped, &text, &kind);
		/* From the first line on, since places are told one behind the other. */
		r.t.places.text = pp_slice_between(reader->in->cur, reader->in->end);
		if (pp_slice_line(&text, &line) && header_read(line, &header)) {
			profile_read(&r, text, &header);
		} else if (pp_builder_ok(b)) {
			report(&r, GH_HEADER, text.p);
			status = PP_E_INVALID;
		}
		reader->in->cur = reader->in->end;
	}
	pp_mapped_release(&r.t.mapped);
	pp_vec_release(&r.t.stack.frames);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_option_doc gh_options[] = { PP_MAPPED_OPTIONS, { 0 } };

static const struct pp_holds gh_holds[] = {
	{ .keeps = PP_MAPPED_HOLDS | PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(EVENTS) |
	           PP_HAS(METADATA) },
};

const struct pp_format pp_format_gperftools_heap = {
	.name = "gperftools-heap",
	.title = "gperftools heap profile (Go's text too)",
	.extensions = "heap",
	.can = PP_CAN_READ | PP_TREE,
	.bid = gh_bid,
	.read = gh_read,
	.holds = gh_holds,
	.rules = gh_rules,
	.options = gh_options,
};
