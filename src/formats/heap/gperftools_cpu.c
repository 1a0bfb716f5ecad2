/*
 * gperftools, CPU: samples of stacks, in machine words of the program that was sampled, of 32 or 64 bits and either byte order.
 *
 *     0 3 0 PERIOD 0        a header: how many words follow the second, a version, microseconds between two samples
 *     COUNT N PC ...        a stack was seen so often; the innermost first: where it was, then where calls return to
 *     0 1 0                 the end
 *     55df-55e0 r-xp ...    /proc/self/maps as text
 *
 * Before it may stand a part with names ("--- symbol"), as google-pprof --raw writes it; addresses are those of calls then.
 */
#include "formats/heap/heap_text.h"

#include <stdio.h>

#include "formats/kit/words.h"

extern const struct pp_format pp_format_gperftools_cpu;

enum { GC_HEADER, GC_CUT, GC_RECORD, GC_SYMBOLS };

static const struct pp_rule gc_rules[] = {
	[GC_HEADER] = { "gperftools-cpu-header", PP_ERROR, "the header is not valid",
	                "A profile begins with the words 0, the number of words that follow, 0, the period and 0. Without "
	                "them nothing can be read." },
	[GC_CUT] = { "gperftools-cpu-cut", PP_ERROR, "the samples break off",
	             "The file ends within a stack, or without the words 0, 1, 0 that end "
	             "the samples: it was cut, or the program was killed. Everything before that is used, without names: the list of mapped files is at the end." },
	[GC_RECORD] = { "gperftools-cpu-record", PP_ERROR, "a stack has no frames, or too many",
	                "gperftools records at most 254 frames. What follows cannot be "
	                "parsed any more; what came before is used." },
	[GC_SYMBOLS] = { "gperftools-cpu-symbols", PP_NOTE, "some modules have no symbols",
	                 "Names of functions come from the binaries that were recorded and their debug files "
	                 "(/usr/lib/debug, .gnu_debuglink). On another machine than the recorded one, --option symfs=DIR says where to find them." },
	{ 0 },
};

/* Stacks of google-pprof have no more frames. */
#define DEPTH_MOST 65536

static int
gc_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line;
	struct pp_words w;

	if (rest.n && rest.p[0] == 0)
		return pp_words_find(rest, 0, &w);
	if (!pp_slice_line(&rest, &line) || !pp_slice_eq_z(line, "--- symbol") ||
	    !pp_slice_starts(rest, "binary="))
		return 0;
	return memmem(rest.p, rest.n, "\n--- profile\n", 13) ? 200 : PP_BID_NAMED + 4;
}

/* ---- reading ---------------------------------------------------------------------------- */

struct gc_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_slice file;
	struct pp_words words;
	struct pp_mapped mapped;
	struct pp_heap_stack stack;
	uint64_t period; /* microseconds */
	uint32_t series;
	unsigned back; /* 1 = callers are told by where calls return to */
	size_t end;    /* the first word behind the samples; 0 = they have no end */
};

static void
report(struct gc_read *r, int rule, size_t word)
{
	r->b->profile->complete = false;
	pp_diag_add(
	    r->reader->diags, &gc_rules[rule],
	    pp_at_offset((uint64_t)(r->words.bytes.p - r->file.p) + word * (r->words.wide ? 8 : 4)),
	    "%s", gc_rules[rule].title);
}

/* Where the next record begins; 0 when the samples end here. `give` is false to look for the end only. */
static size_t
record_read(struct gc_read *r, size_t at, bool give)
{
	const struct pp_words *w = &r->words;
	size_t have = pp_words_count(w), i;
	uint64_t count, n;

	if (have - at < 3) {
		/* google-pprof --raw writes no end. */
		if (give && (r->back || at < have))
			report(r, GC_CUT, at);
		return 0;
	}
	count = pp_word_at(w, at);
	n = pp_word_at(w, at + 1);
	if (n >= 1 && pp_word_at(w, at + 2) == 0 && n <= have - at - 2) {
		r->end = at + 2 + (size_t)n;
		return 0;
	}
	if (n < 1 || n > DEPTH_MOST || count > INT64_MAX / 1000 / (r->period + 1)) {
		if (give)
			report(r, GC_RECORD, at);
		return 0;
	}
	if (n > have - at - 2) {
		if (give)
			report(r, GC_CUT, at);
		return 0;
	}
	r->stack.frames.n = 0;
	for (i = 0; give && i < n && pp_builder_ok(r->b); i++)
		pp_heap_frames(&r->mapped, pp_word_at(w, at + 2 + i), i ? r->back : 0, &r->stack);
	if (give && pp_builder_ok(r->b)) {
		int64_t values[2] = { (int64_t)count, (int64_t)(count * r->period) };

		pp_heap_stack_turn(&r->stack);
		(void)pp_build_stack(r->b, r->series, r->stack.frames.at, r->stack.frames.n,
		                     values);
		r->b->profile->samples += count;
	}
	return at + 2 + (size_t)n;
}

static void
records_read(struct gc_read *r, bool give)
{
	size_t at = 2 + (size_t)pp_word_at(&r->words, 1);

	if (at > pp_words_count(&r->words))
		at = pp_words_count(&r->words);
	while (at && pp_builder_ok(r->b))
		at = record_read(r, at, give);
}

static void
meta_build(struct gc_read *r)
{
	const struct pp_slice nothing = pp_slice_of("", 0);
	struct pp_builder *b = r->b;
	uint32_t list = pp_build_meta(b, 0, pp_slice_z("events"), PP_META_ARRAY, nothing),
	         row = pp_build_meta(b, list, nothing, PP_META_OBJECT, nothing), sampling;
	char rate[24];
	int n = snprintf(rate, sizeof rate, "%llu", (unsigned long long)(1000000 / r->period));

	(void)pp_build_meta(b, row, pp_slice_z("name"), PP_META_TEXT, pp_slice_z("cpu-profile"));
	(void)pp_build_meta(b, row, pp_slice_z("kind"), PP_META_TEXT, pp_slice_z("timer"));
	sampling = pp_build_meta(b, row, pp_slice_z("sampling"), PP_META_OBJECT, nothing);
	(void)pp_build_meta(b, sampling, pp_slice_z("mode"), PP_META_TEXT, pp_slice_z("frequency"));
	(void)pp_build_meta(b, sampling, pp_slice_z("primary_metric"), PP_META_TEXT,
	                    pp_slice_z("cpu_time_ns"));
	if (1000000 / r->period)
		(void)pp_build_meta(b, sampling, pp_slice_z("frequency_hz"), PP_META_NUMBER,
		                    pp_slice_of(rate, (size_t)n));
	pp_heap_meta_number(b, "period us", r->period);
}

static void
profile_read(struct gc_read *r)
{
	struct pp_builder *b = r->b;
	size_t size = r->words.wide ? 8 : 4;
	pp_str event = pp_build_strz(b, "cpu-profile");

	r->period = pp_word_at(&r->words, 3);
	(void)pp_build_metric(b, &(struct pp_metric){ .name = pp_build_strz(b, "samples"),
	                                              .event = event,
	                                              .unit = pp_build_strz(b, "samples"),
	                                              .kind = PP_KIND_SAMPLES,
	                                              .flags = PP_METRIC_SAMPLED });
	(void)pp_build_metric(b,
	                      &(struct pp_metric){ .name = pp_build_strz(b, "cpu_time_ns"),
	                                           .title = pp_build_strz(b, "CPU time"),
	                                           .event = event,
	                                           .unit = pp_build_strz(b, "ns"),
	                                           .kind = PP_KIND_CPU_TIME,
	                                           .flags = PP_METRIC_SAMPLED | PP_METRIC_PRIMARY,
	                                           .factor_num = 1000,
	                                           .factor_den = 1 });
	r->series = pp_build_series(
	    b, &(struct pp_series){ .event = event, .pid = -1, .tid = -1, .cpu = -1 }, false,
	    false);
	/* What was mapped stands behind the samples. */
	records_read(r, false);
	if (r->end && pp_builder_ok(b))
		pp_mapped_read(&r->mapped, pp_slice_from(r->words.bytes, r->end * size));
	records_read(r, true);
	b->profile->facets |= PP_TREE;
	b->profile->producer = pp_build_strz(b, "gperftools");
	if (r->mapped.native.wanted)
		pp_mapped_report(&r->mapped, &gc_rules[GC_SYMBOLS]);
	if (pp_builder_ok(b) && (r->reader->order->facets & PP_META))
		meta_build(r);
}

static pp_status
gc_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct gc_read r = { .reader = reader, .b = b, .back = 1 };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);
	struct pp_slice text, kind;

	if (!pp_mapped_init(&r.mapped, reader, b) && status == PP_OK)
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		r.file = text = pp_slice_between(reader->in->cur, reader->in->end);
		if (pp_heap_symbols_read(&r.mapped, &text, &kind))
			r.back = 0;
		r.words.bytes = text;
		if (pp_words_find(text, 0, &r.words)) {
			profile_read(&r);
		} else if (pp_builder_ok(b)) {
			report(&r, GC_HEADER, 0);
			status = PP_E_INVALID;
		}
		reader->in->cur = reader->in->end;
	}
	pp_mapped_release(&r.mapped);
	pp_vec_release(&r.stack.frames);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_option_doc gc_options[] = { PP_MAPPED_OPTIONS, { 0 } };

static const struct pp_holds gc_holds[] = {
	{ .keeps = PP_MAPPED_HOLDS | PP_HAS(STACKS) | PP_HAS(SAMPLES) | PP_HAS(EVENTS) |
	           PP_HAS(METADATA) },
};

const struct pp_format pp_format_gperftools_cpu = {
	.name = "gperftools-cpu",
	.title = "gperftools CPU profile",
	.extensions = "prof",
	.can = PP_CAN_READ | PP_TREE,
	.bid = gc_bid,
	.read = gc_read,
	.holds = gc_holds,
	.rules = gc_rules,
	.options = gc_options,
};
