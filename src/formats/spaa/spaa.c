/*
 * SPAA 1.0, the Stack Profile for Agentic Analysis: JSON records, one on each line.
 *
 *     header   {"type":"header","format":"spaa","version":"1.0","source_tool":"perf",
 *               "frame_order":"leaf_to_root","events":[EVENT...],"stack_id_mode":"content_addressable"}
 *     EVENT    {"name":"cycles","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}
 *     dso      {"type":"dso","id":12,"name":"/usr/bin/app","is_kernel":false}
 *     frame    {"type":"frame","id":101,"func":"parse","dso":12,"ip":"0x401234","kind":"user"}
 *     thread   {"type":"thread","pid":4242,"tid":4511,"comm":"app"}
 *     stack    {"type":"stack","id":"0xdeadbeef","frames":[101,77],"context":{"event":"cycles"},
 *               "weights":[{"metric":"period","value":42}],"exclusive":{"frame":101,"weights":[...]}}
 *     sample   {"type":"sample","timestamp":12345.6,"event":"cycles","stack_id":"0xdeadbeef"}
 *     window   {"type":"window","id":"w1","start":10,"end":11,"unit":"seconds","by_stack":[...]}
 *
 * The header comes first, and a dso or frame before what refers to it; stacks, samples and windows come
 * in any order. Keys come in any order, unknown ones and records of types that start with x_ are kept.
 *
 * grammar.h states all of that. Lines are taken apart by it in parse.c and values.c, plain ones in quick.c;
 * read.c gives their records, in order, to header.c, dict.c, apply.c and sample.c, which judge them and
 * keep what they say (metrics.c, stacks.c); stacks go to the builder in costs.c and join.c; model.c and
 * timeline.c make metrics and timelines of the rest. write*.c write, carry*.c carry other formats.
 */
#include "formats/spaa/write.h"

/* How sure a name alone makes: more than a byte order mark does. */
#define BITS_BY_NAME 3

/* A UTF-16 file cannot be read, but should be called what it is. */
static int
bid_utf16(struct pp_slice head)
{
	static const char word[] = "\"spaa\"";
	size_t i, k;

	if (head.n < 2 ||
	    !((head.p[0] == 0xff && head.p[1] == 0xfe) || (head.p[0] == 0xfe && head.p[1] == 0xff)))
		return 0;
	for (i = 2; i + 2 * sizeof word <= head.n; i++) {
		for (k = 0; word[k] && head.p[i + 2 * k] == (unsigned char)word[k] &&
		            head.p[i + 2 * k + 1] == 0;
		     k++)
			;
		if (!word[k])
			return 48;
	}
	return 0;
}

/* Eight bits for each byte of the keys and words that must be there. */
static int
spaa_bid(const struct pp_peek *peek)
{
	static const char *const keys[] = { "source_tool", "frame_order", "events",
		                            "stack_id_mode" };
	const unsigned char *p = peek->head.p, *end = p + peek->head.n, *stop;
	int named = pp_name_ends(peek->name, "spaa") ? BITS_BY_NAME : 0, bits = 0;
	struct pp_json_str key, word;
	struct pp_scan s;
	size_t i, known = 0;

	if (peek->head.n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
	pp_scan_init(&s, pp_slice_of(p, (size_t)((stop ? stop : end) - p)), 0, PP_SCAN_TOLERANT);
	if (p == end || *p != '{') {
		bits = bid_utf16(peek->head);
		return bits ? bits : named;
	}
	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		bool type = pp_json_str_eq(key, "type"), format = pp_json_str_eq(key, "format");

		if ((type || format) && pp_scan_peek(&s) == PP_JSON_STRING &&
		    pp_scan_string(&s, &word)) {
			if (type && pp_spaa_type_of(word.raw) != PP_SPAA_O_OTHER)
				bits += 8 * (4 + (int)word.raw.n), known += 2;
			else if (format && pp_slice_eq_z(word.raw, "spaa"))
				bits += 8 * 10, known += 2;
		} else {
			for (i = 0; i < PP_COUNT_OF(keys); i++)
				if (pp_json_str_eq(key, keys[i]))
					bits += 8 * (int)key.raw.n, known++;
			(void)pp_scan_skip(&s, NULL);
		}
	}
	/* Many a JSON file has "events". */
	return bits > named && known >= 2 ? bits : named;
}

/* The header's source.command: what was recorded. */
static pp_status
spaa_describe(struct pp_reader *r, struct pp_brief *brief)
{
	struct pp_arena arena = { 0 };
	struct pp_json_str text;
	struct pp_slice line, value;
	struct pp_scan s;
	bool whole;

	if (!pp_input_line(r->in, r->limits.max_line, &line, &whole))
		return PP_OK;
	pp_scan_init(&s, line, r->limits.max_nesting, PP_SCAN_TOLERANT);
	if (pp_scan_path(&s, "source.command", NULL, NULL) && pp_scan_peek(&s) == PP_JSON_STRING &&
	    pp_scan_string(&s, &text)) {
		value = pp_json_str_value(text, &arena);
		if (value.p)
			pp_buf_add(&brief->what, value.p, value.n);
	}
	pp_arena_release(&arena);
	return brief->what.failed ? PP_E_NOMEM : PP_OK;
}

static const struct pp_option_doc spaa_options[] = {
	{ "time", "derive", "reading: add a metric `time` where samples may be read as time" },
	{ "threads", "merge|split", "writing: one stack record for each thread (default merge)" },
	{ "frames", "place|function",
	  "writing: frames by address and line, or one for each function" },
	{ "samples", "yes|no", "writing: raw samples, if the profile has them (default yes)" },
	{ "terse", "yes|no", "writing: leave out what can be derived (default no)" },
	{ 0 },
};

static const struct pp_holds spaa_holds[] = {
	{ .keeps = ~(uint64_t)0, .values = "any" },
};

const struct pp_format pp_format_spaa = {
	.name = "spaa",
	.title = "Stack Profile for Agentic Analysis",
	.extensions = "spaa",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_EDGES | PP_LINES | PP_TIMELINE,
	.writes = PP_WRITES_JSON,
	.bid = spaa_bid,
	.read = pp_spaa_read,
	.describe = spaa_describe,
	.write = pp_spaa_write,
	.lists = true,
	.carries = true,
	.holds = spaa_holds,
	.rules = pp_spaa_rules,
	.options = spaa_options,
};
