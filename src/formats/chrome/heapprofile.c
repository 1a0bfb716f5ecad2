/*
 * Sampled heap profiles of V8: node --heap-prof, Chrome's allocation sampling.
 *
 *     {"head": {"callFrame": {...}, "selfSize": 0, "id": 1, "children": [...]},
 *      "samples": [{"size": 16, "nodeId": 5, "ordinal": 1}]}
 *
 * Nodes are nested as deep as the stacks. Sizes are bytes; what a node's own size and its samples add up to differs, because V8 prunes
 * nodes that are gone and keeps their samples. Older files have neither ids nor samples.
 */
#include "formats/chrome/chrome.h"
#include "formats/chrome/v8.h"

enum {
	HEAP_JSON,
	HEAP_CUT,
	HEAP_SHAPE,
	HEAP_NODE_ID,
	HEAP_SIZE,
	HEAP_SAMPLE,
	HEAP_DIGITS,
	HEAP_DIGITS_FINE,
	HEAP_SAMPLE_NODE
};

static const struct pp_rule heapprofile_rules[] = {
	[HEAP_JSON] = { "heapprofile-json", PP_ERROR, "the JSON is broken",
	                "From this place on, the file is not JSON. Everything before it was read." },
	[HEAP_CUT] = { "heapprofile-cut", PP_ERROR, "the file is cut",
	               "The file breaks off. Nodes before that were read; those that are open count with what they "
	               "say so far." },
	[HEAP_SHAPE] = { "heapprofile-shape", PP_ERROR, "a value is missing or of the wrong type",
	                 "A profile has a head, and each node a callFrame and a selfSize. A node that is not so is left "
	                 "out with all below it." },
	[HEAP_NODE_ID] = { "heapprofile-node-id", PP_ERROR, "two nodes have one id",
	                   "Both count with their own sizes; samples belong to the first." },
	[HEAP_SIZE] = { "heapprofile-size", PP_ERROR, "a size is below 0",
	                "Nothing can take less than no memory. It counts as 0." },
	[HEAP_SAMPLE] = { "heapprofile-sample", PP_ERROR, "a sample has no size",
	                  "Each sample tells how large it was. This one is left out." },
	[HEAP_DIGITS] = { "heapprofile-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[HEAP_DIGITS_FINE] = { "heapprofile-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[HEAP_SAMPLE_NODE] = { "heapprofile-sample-node", PP_NOTE, "a sample belongs to no node",
	                       "V8 writes such samples: the node is gone because all its objects are. It is left out, which is "
	                       "why selfSize and size differ." },
	{ 0 },
};

/* Children are nested, so they cannot be wrong but in their shape. */
static const struct v8_rules heapprofile_v8 = { .heap = true,
	                                        .shape = HEAP_SHAPE,
	                                        .node_id = HEAP_NODE_ID,
	                                        .child = HEAP_SHAPE,
	                                        .parent = HEAP_SHAPE };

static int
heapprofile_bid(const struct pp_peek *peek)
{
	struct pp_json_str key;
	struct pp_scan s;

	pp_scan_init(&s, pp_chrome_head(peek), 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return 0;
	while (pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "head") && pp_scan_peek(&s) == PP_JSON_OBJECT) {
			size_t n = (size_t)(s.end - s.cur);

			/* Sizes may stand behind the children. */
			return memmem(s.cur, n, "\"callFrame\"", 11) &&
			               memmem(s.cur, n, "\"selfSize\"", 10)
			           ? 168
			           : 0;
		}
		(void)pp_scan_pass(&s);
	}
	return pp_name_ends(peek->name, "heapprofile");
}

struct heap_read {
	struct pp_json_doc doc;
	struct v8_tree tree;
	struct v8_own own;
	const unsigned char *head, *samples;
	uint32_t self, size, count, series;
};

static void
outline_read(struct heap_read *r)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->doc.text.p);
	struct pp_json_str key;

	if (pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_object(&s))
		while (pp_builder_ok(r->doc.b) && pp_scan_key(&s, &key)) {
			bool head = pp_json_str_eq(key, "head"),
			     samples = pp_json_str_eq(key, "samples");
			enum pp_json_type type = pp_scan_peek(&s);

			if (head && type == PP_JSON_OBJECT)
				r->head = s.cur;
			/* An empty list is none: what is written from other formats has one. */
			if (samples && type == PP_JSON_ARRAY &&
			    *pp_scan_space(s.cur + 1, s.end) != ']')
				r->samples = s.cur;
			if (head || samples)
				(void)pp_scan_pass(&s);
			else if (pp_json_str_eq(key, V8_OWN_KEY))
				pp_v8_own_read(&s, &r->own);
			else
				pp_chrome_meta_read(&r->doc, &s, key);
		}
	if (s.error == PP_SCAN_OK)
		(void)pp_scan_end(&s);
	pp_json_doc_scanned(&r->doc, &s);
}

static void
add(struct heap_read *r, pp_node node, uint32_t metric, int64_t value)
{
	struct pp_builder *b = r->doc.b;

	if (!pp_build_add(b, r->series, node, metric, value) && pp_builder_ok(b))
		pp_builder_overflow(b, pp_node_func(b->profile, node), metric, b->place);
}

static void
sizes_build(struct heap_read *r)
{
	size_t i;

	for (i = 0; i < r->tree.nodes.n && pp_builder_ok(r->doc.b); i++) {
		const struct v8_node *node = &r->tree.nodes.at[i];
		pp_node place;

		if (!pp_v8_is_placed(&r->tree, (uint32_t)i))
			continue;
		if (node->self < 0 && !r->tree.sizes.is_unsigned)
			pp_json_find(&r->doc, HEAP_SIZE, node->at, "a size is below 0");
		else if (node->self && pp_v8_place(&r->tree, (uint32_t)i, &place))
			add(r, place, r->self, node->self);
	}
}

static void
sample_read(struct heap_read *r, struct pp_scan *s)
{
	bool object = pp_scan_peek(s) == PP_JSON_OBJECT && pp_scan_object(s), sized = false;
	const unsigned char *at = s->cur;
	struct pp_json_str key;
	struct pp_json_num num;
	uint64_t id = 0;
	int64_t size = 0;
	uint32_t node;
	pp_node place;

	if (!object)
		(void)pp_scan_pass(s);
	while (object && pp_scan_key(s, &key))
		if (pp_json_str_eq(key, "size"))
			sized = pp_scan_if_number(s, &num) &&
			        pp_fixed_read(&r->tree.sizes, &num, 0, &size);
		else if (pp_json_str_eq(key, "nodeId"))
			id = pp_scan_if_count(s, UINT64_MAX, &id) ? id : 0;
		else
			(void)pp_scan_skip(s, NULL);
	if (s->error != PP_SCAN_OK)
		return;
	node = pp_v8_find(&r->tree, id);
	if (!sized) {
		pp_json_find(&r->doc, HEAP_SAMPLE, at, "a sample has no size");
	} else if (!node || !pp_v8_place(&r->tree, node - 1, &place)) {
		pp_json_find(&r->doc, HEAP_SAMPLE_NODE, at,
		             "a sample is of node %llu, which is not there",
		             (unsigned long long)id);
	} else {
		r->doc.b->profile->samples++;
		add(r, place, r->size, size);
		add(r, place, r->count, 1);
	}
}

static uint32_t
metric_make(struct heap_read *r, const char *name, unsigned flags)
{
	struct pp_metric metric = { .name = pp_build_strz(r->doc.b, name),
		                    .unit = pp_build_strz(r->doc.b, "bytes"),
		                    .kind = PP_KIND_BYTES,
		                    .type = PP_INT,
		                    .flags = flags | PP_METRIC_SAMPLED };

	pp_fixed_metric(&r->tree.sizes, &metric);
	return pp_build_metric(r->doc.b, &metric);
}

static void
document_read(struct heap_read *r)
{
	struct pp_builder *b = r->doc.b;
	struct pp_scan s;

	r->self = metric_make(r, "selfSize", PP_METRIC_PRIMARY);
	if (r->samples) {
		r->size = metric_make(r, "size", 0);
		r->count = pp_build_metric_z(b, "samples", "samples", PP_KIND_SAMPLES, PP_INT, 0);
	}
	r->series = pp_build_series_plain(b, true, false);
	if (!r->head) {
		pp_json_find(&r->doc, HEAP_SHAPE, r->doc.text.p, "there is no head");
		return;
	}
	s = pp_json_doc_scan(&r->doc, r->head);
	pp_v8_nested_read(&r->tree, &s);
	pp_json_doc_scanned(&r->doc, &s);
	pp_v8_tree_settle(&r->tree);
	if (pp_builder_ok(b))
		sizes_build(r);
	if (pp_builder_ok(b) && r->own.idle)
		pp_v8_leaves_build(&r->tree, r->series);
	if (!r->samples)
		return;
	s = pp_json_doc_scan(&r->doc, r->samples);
	(void)pp_scan_array(&s);
	while (pp_builder_ok(b) && pp_scan_item(&s))
		sample_read(r, &s);
	pp_json_doc_scanned(&r->doc, &s);
}

static pp_status
heapprofile_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct heap_read r = { 0 };
	static const struct pp_fixed_rules rules = { HEAP_DIGITS, HEAP_DIGITS_FINE };
	struct pp_fixed sizes = { .may_unsigned = true, .doc = &r.doc, .rules = &rules };
	pp_status status = pp_json_doc_open(&r.doc, reader, b, heapprofile_rules);
	bool again = status == PP_OK;

	while (again && pp_builder_ok(b)) {
		pp_v8_tree_init(&r.tree, &r.doc, &heapprofile_v8);
		r.tree.sizes = sizes;
		r.head = r.samples = NULL;
		outline_read(&r);
		document_read(&r);
		sizes = r.tree.sizes;
		pp_v8_tree_release(&r.tree);
		again = pp_fixed_retry(&sizes) && pp_json_doc_restart(&r.doc);
	}
	pp_json_doc_close(&r.doc, HEAP_CUT, HEAP_JSON);
	return status == PP_OK ? b->status : status;
}

static const struct pp_holds heapprofile_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS) |
	           PP_HAS(SAMPLES),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS),
	  .metrics = 3,
	  .values = "whole, of 63 bits" },
};

const struct pp_format pp_format_heapprofile = {
	.name = "heapprofile",
	.title = "V8 heap profile (node, Chrome)",
	.extensions = "heapprofile",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_META,
	.writes = PP_WRITES_JSON,
	.bid = heapprofile_bid,
	.read = heapprofile_read,
	.write = pp_heapprofile_write,
	.holds = heapprofile_holds,
	.rules = heapprofile_rules,
};
