/*
 * CPU profiles of V8: node --cpu-prof, Chrome's JavaScript profiler, and what others write in their form.
 *
 *     {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", ...}, "hitCount": 0, "children": [2, 3]}, ...],
 *      "startTime": 1436084813, "endTime": 1436300556, "samples": [2, 9, 9], "timeDeltas": [2913, 5655, 4013]}
 *
 * Times are µs. Sample i is at startTime and the differences up to its own, and lasts until the next one; the last lasts until
 * endTime. The older form has {"head": {nested nodes}, "startTime", "endTime" (seconds), "samples", "timestamps" (µs)}.
 */
#include "formats/chrome/chrome.h"
#include "formats/chrome/v8.h"
#include "text/units.h"

enum {
	CPU_JSON,
	CPU_CUT,
	CPU_SHAPE,
	CPU_NODE_ID,
	CPU_CHILD,
	CPU_SAMPLE,
	CPU_NUMBER,
	CPU_DELTA_COUNT,
	CPU_PARENT,
	CPU_DELTA_NEGATIVE,
	CPU_END,
	CPU_DIGITS,
	CPU_DIGITS_FINE,
	CPU_HITS
};

static const struct pp_rule cpuprofile_rules[] = {
	[CPU_JSON] = { "cpuprofile-json", PP_ERROR, "the JSON is broken",
	               "From this place on, the file is not JSON. Everything before it was read." },
	[CPU_CUT] = { "cpuprofile-cut", PP_ERROR, "the file is cut",
	              "The file breaks off. All nodes and samples that are whole before that were read." },
	[CPU_SHAPE] = { "cpuprofile-shape", PP_ERROR, "a value is missing or of the wrong type",
	                "A profile has a list of nodes, each with an id and a callFrame, or a nested head. Anything else is left out." },
	[CPU_NODE_ID] = { "cpuprofile-node-id", PP_ERROR, "two nodes have one id",
	                  "The first is used; what is below the second is not." },
	[CPU_CHILD] = { "cpuprofile-child", PP_ERROR, "a child does not fit",
	                "A child does not exist, has two parents, or is above itself. The first parent counts; nodes in a cycle are not used." },
	[CPU_SAMPLE] = { "cpuprofile-sample", PP_ERROR, "a sample belongs to no node",
	                 "No node has its id. It is left out, and so is its time." },
	[CPU_NUMBER] = { "cpuprofile-number", PP_ERROR, "a time is not a number",
	                 "The sample is taken at the time of the one before it." },
	[CPU_DELTA_COUNT] = { "cpuprofile-delta-count", PP_ERROR,
	                      "there are not as many times as samples",
	                      "Each sample has a time, and there may be one more, which is the end of the last one. "
	                      "Samples without a time count as samples and last 0." },
	[CPU_PARENT] = { "cpuprofile-parent", PP_WARNING, "a parent is missing",
	                 "The node that another one names as its parent was never written. The other one is attached to the root." },
	[CPU_DELTA_NEGATIVE] = { "cpuprofile-delta-negative", PP_WARNING,
	                         "samples are not in chronological order",
	                         "Some difference in time is below 0, which V8 writes now and then. The times are right: "
	                         "samples are sorted by time." },
	[CPU_END] = { "cpuprofile-end", PP_WARNING, "the end is before the last sample",
	              "The last sample lasts until endTime, which is before it: it lasts 0." },
	[CPU_DIGITS] = { "cpuprofile-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[CPU_DIGITS_FINE] = { "cpuprofile-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[CPU_HITS] = { "cpuprofile-hits", PP_NOTE, "hitCount does not agree with the samples",
	               "Nodes count their hits, and V8 rarely writes as many samples. The samples are used." },
	{ 0 },
};

static const struct v8_rules cpuprofile_v8 = { .shape = CPU_SHAPE,
	                                       .node_id = CPU_NODE_ID,
	                                       .child = CPU_CHILD,
	                                       .parent = CPU_PARENT,
	                                       .sample = CPU_SAMPLE,
	                                       .number = CPU_NUMBER,
	                                       .delta_count = CPU_DELTA_COUNT,
	                                       .delta_negative = CPU_DELTA_NEGATIVE,
	                                       .end = CPU_END,
	                                       .far = CPU_DIGITS };

/* ---- recognition --------------------------------------------------------------------------- */

/* Whether a list of ids begins here, and nothing else stands in what there is of it. */
static bool
ids_follow(struct pp_scan s)
{
	struct pp_json_num num;
	bool some = false;

	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return false;
	while (pp_scan_item(&s) && pp_scan_number(&s, &num)) {
		if (!num.fits || num.negative)
			return false;
		some = true;
	}
	return some && (s.error == PP_SCAN_OK || s.error == PP_SCAN_E_END);
}

/* What stands beside nodes, and before them if somebody sorted it. */
static bool
key_is_beside(struct pp_json_str key)
{
	static const char *const keys[] = { "endTime",    "samples", "startTime",
		                            "timestamps", "title",   "typeId" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(keys) && !pp_json_str_eq(key, keys[i]); i++)
		;
	return i < PP_COUNT_OF(keys);
}

static int
cpuprofile_bid(const struct pp_peek *peek)
{
	struct pp_json_str key;
	struct pp_scan s;
	int bits = 0;
	bool ids = false, others = false;

	pp_scan_init(&s, pp_chrome_head(peek), 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return 0;
	while (pp_scan_key(&s, &key)) {
		bool nodes = pp_json_str_eq(key, "nodes") && pp_scan_peek(&s) == PP_JSON_ARRAY;
		bool head = pp_json_str_eq(key, "head") && pp_scan_peek(&s) == PP_JSON_OBJECT;

		if (pp_json_str_eq(key, "traceEvents") || pp_json_str_eq(key, "snapshot"))
			return 0;
		if (nodes || head) {
			const unsigned char *rest = s.cur;
			size_t n = (size_t)(s.end - rest);

			/* Nested nodes may tell their sizes behind their children. */
			if (nodes && n > 4096)
				n = 4096;
			if (memmem(rest, n, "\"selfSize\"", 10))
				return 0;
			bits += memmem(rest, n, "\"callFrame\"", 11)      ? 88
			        : memmem(rest, n, "\"functionName\"", 14) ? 72
			                                                  : 0;
		}
		bits += pp_json_str_eq(key, "timeDeltas") ? 64 : 0;
		others |= !key_is_beside(key);
		ids |= pp_json_str_eq(key, "samples") && ids_follow(s);
		(void)pp_scan_pass(&s);
	}
	/* Samples are so many that nodes are out of sight. */
	if (!bits && ids && !others && !peek->whole)
		bits = 48;
	return bits ? bits : pp_name_ends(peek->name, "cpuprofile");
}

/* ---- reading ------------------------------------------------------------------------------- */

struct cpu_read {
	struct pp_json_doc doc;
	struct v8_tree tree;
	struct pp_fixed fixed;
	const unsigned char *nodes, *head, *samples, *deltas, *stamps, *end_at;
	const unsigned char *deltas_wrong;
	bool unsorted, collect;
	struct v8_own own;
	bool has_start, has_end;
	struct pp_json_num start, end;
};

static const unsigned char *
note(struct pp_scan *s, enum pp_json_type type)
{
	const unsigned char *at = pp_scan_peek(s) == type ? s->cur : NULL;

	(void)pp_scan_pass(s);
	return at;
}

static void
outline_read(struct cpu_read *r)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->doc.text.p);
	struct pp_json_str key;

	if (pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_object(&s))
		while (pp_builder_ok(r->doc.b) && pp_scan_key(&s, &key)) {
			if (pp_json_str_eq(key, "nodes")) {
				r->nodes = note(&s, PP_JSON_ARRAY);
			} else if (pp_json_str_eq(key, "head")) {
				r->head = note(&s, PP_JSON_OBJECT);
			} else if (pp_json_str_eq(key, "samples")) {
				r->samples = note(&s, PP_JSON_ARRAY);
			} else if (pp_json_str_eq(key, "timeDeltas")) {
				bool null = pp_scan_peek(&s) == PP_JSON_NULL;
				const unsigned char *at = s.cur;

				r->deltas = note(&s, PP_JSON_ARRAY);
				r->deltas_wrong = r->deltas || null ? NULL : at;
			} else if (pp_json_str_eq(key, "timestamps")) {
				r->stamps = note(&s, PP_JSON_ARRAY);
			} else if (pp_json_str_eq(key, "startTime")) {
				r->has_start = pp_scan_if_number(&s, &r->start);
			} else if (pp_json_str_eq(key, "endTime")) {
				(void)pp_scan_peek(&s);
				r->end_at = s.cur;
				r->has_end = pp_scan_if_number(&s, &r->end);
			} else if (pp_json_str_eq(key, V8_OWN_KEY)) {
				pp_v8_own_read(&s, &r->own);
			} else {
				pp_chrome_meta_read(&r->doc, &s, key);
			}
		}
	if (s.error == PP_SCAN_OK)
		(void)pp_scan_end(&s);
	if (r->own.counted)
		r->samples = NULL;
	pp_json_doc_scanned(&r->doc, &s);
}

static void
nodes_read(struct cpu_read *r)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->head ? r->head : r->nodes);

	if (r->head) {
		pp_v8_nested_read(&r->tree, &s);
	} else {
		(void)pp_scan_array(&s);
		while (pp_builder_ok(r->doc.b) && pp_scan_item(&s))
			pp_v8_node_read(&r->tree, &s);
	}
	pp_json_doc_scanned(&r->doc, &s);
	pp_v8_tree_settle(&r->tree);
}

/* Where there is no list of samples, nodes say how often they were hit. */
static void
hits_build(struct cpu_read *r, uint32_t series, uint32_t samples)
{
	struct pp_builder *b = r->doc.b;
	size_t i;

	for (i = 0; i < r->tree.nodes.n && pp_builder_ok(b); i++) {
		uint64_t hits = r->tree.nodes.at[i].hits;
		pp_node node;

		if (!hits || !pp_v8_place(&r->tree, (uint32_t)i, &node))
			continue;
		if (!pp_build_add(b, series, node, samples, (int64_t)hits))
			pp_builder_overflow(b, pp_node_func(b->profile, node), samples, b->place);
		b->profile->samples += hits;
	}
}

static void
samples_build(struct cpu_read *r, struct v8_samples *x)
{
	const unsigned char *times = r->head ? r->stamps : r->deltas;
	struct pp_time_span *span = &r->doc.b->profile->time;
	int64_t start = 0, end = 0;
	/* The older form counts the ends in seconds. */
	int unit = r->head ? 0 : V8_DECIMALS;
	bool has_end;

	if (r->has_start && !r->head)
		(void)pp_fixed_time(&r->fixed, &r->start, unit, &start);
	has_end = r->has_end && pp_fixed_time(&r->fixed, &r->end, unit, &end);
	pp_v8_samples_begin(x, start);
	pp_v8_samples_read(x, r->samples, times);
	r->doc.b->profile->samples = x->n;
	if (x->more == 1) {
		has_end = true;
		end = x->ends;
	} else if (times && (x->more || x->fewer)) {
		pp_json_find(&r->doc, CPU_DELTA_COUNT, times, "there are %s times than samples",
		             x->more ? "more" : "fewer");
	}
	/* Whole seconds may be cut. */
	if (r->head && has_end && x->more != 1 && end < x->now)
		has_end = false;
	pp_v8_samples_end(x, has_end, end, r->end_at);
	if (times && x->n && !r->own.laid_out &&
	    pp_fixed_ns(&r->fixed, r->head ? 0 : start, &span->start) &&
	    pp_fixed_ns(&r->fixed, has_end && end > x->last ? end : x->last, &span->end))
		span->known = !r->head;
}

static void
document_read(struct cpu_read *r)
{
	struct pp_builder *b = r->doc.b;
	struct v8_samples x = { .tree = &r->tree,
		                .fixed = &r->fixed,
		                .time = PP_NO_METRIC,
		                .unsorted = &r->unsorted,
		                .collect = r->collect,
		                .laid_out = r->own.laid_out,
		                .absolute = r->head != NULL };
	bool timed;

	if (!r->nodes && !r->head) {
		pp_json_find(&r->doc, CPU_SHAPE, r->doc.text.p, "there are no nodes");
		return;
	}
	b->profile->variant = pp_build_strz(b, r->head ? "nested" : "nodes");
	if (r->deltas_wrong && r->samples)
		pp_json_find(&r->doc, CPU_SHAPE, r->deltas_wrong, "timeDeltas is not a list");
	timed = r->samples && (r->head ? r->stamps : r->deltas);
	x.absolute = r->head != NULL;
	x.samples = pp_v8_metric_samples(b, !timed);
	if (timed)
		x.time = pp_v8_metric_time(b, &r->fixed, "time");
	x.series = pp_build_series_plain(b, true, false);
	nodes_read(r);
	if (!pp_builder_ok(b))
		return;
	if (r->samples)
		samples_build(r, &x);
	else
		hits_build(r, x.series, x.samples);
	if (r->own.idle && pp_builder_ok(b) && !r->fixed.again && !r->unsorted)
		pp_v8_leaves_build(&r->tree, x.series);
	if (r->samples && !r->head && r->tree.hits != x.n && !r->fixed.again && !r->unsorted)
		pp_json_find(&r->doc, CPU_HITS, r->samples, "%llu %s stated, %llu %s listed",
		             (unsigned long long)r->tree.hits,
		             pp_plural(r->tree.hits, "hit is", "hits are"), (unsigned long long)x.n,
		             pp_plural(x.n, "sample is", "samples are"));
	if (pp_builder_ok(b) && pp_builder_keeps(b, PP_LINES))
		pp_v8_ticks_build(&r->tree, x.series, x.samples);
	else if (r->tree.ticks.n)
		b->profile->holds |= PP_LINES;
}

static pp_status
cpuprofile_read(struct pp_reader *reader, struct pp_builder *b)
{
	static const struct pp_fixed_rules rules = { CPU_DIGITS, CPU_DIGITS_FINE };
	struct cpu_read r = { .fixed = { .decimals = V8_DECIMALS,
		                         .seconds = true,
		                         .doc = &r.doc,
		                         .rules = &rules } };
	pp_status status = pp_json_doc_open(&r.doc, reader, b, cpuprofile_rules);
	bool again = status == PP_OK;

	while (again && pp_builder_ok(b)) {
		pp_v8_tree_init(&r.tree, &r.doc, &cpuprofile_v8);
		r.collect = r.collect || r.unsorted;
		r.unsorted = false;
		outline_read(&r);
		document_read(&r);
		pp_v8_tree_release(&r.tree);
		again = pp_fixed_retry(&r.fixed) || r.unsorted;
		again = again && pp_json_doc_restart(&r.doc);
	}
	pp_json_doc_close(&r.doc, CPU_CUT, CPU_JSON);
	return status == PP_OK ? b->status : status;
}

static const struct pp_holds cpuprofile_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(TIMELINE) | PP_HAS(FILES) | PP_HAS(FIRST_LINES) |
	           PP_HAS(FIRST_COLUMNS) | PP_HAS(SAMPLES) | PP_HAS(TIME),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS),
	  .metrics = 2,
	  .values = "whole us" },
};

const struct pp_format pp_format_cpuprofile = {
	.name = "cpuprofile",
	.title = "V8 CPU profile (node, Chrome)",
	.extensions = "cpuprofile",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_LINES | PP_TIMELINE | PP_META,
	.writes = PP_WRITES_JSON,
	.bid = cpuprofile_bid,
	.read = cpuprofile_read,
	.write = pp_cpuprofile_write,
	.holds = cpuprofile_holds,
	.rules = cpuprofile_rules,
};
