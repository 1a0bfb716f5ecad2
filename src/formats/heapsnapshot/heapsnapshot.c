/*
 * Heap snapshots of V8: node (v8.writeHeapSnapshot(), --heapsnapshot-signal), Chrome's memory panel.
 *
 *     {"snapshot": {"meta": {"node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
 *                            "node_types": [["hidden", "array", "string", "object", ...], "string", "number", ...],
 *                            "edge_fields": ["type", "name_or_index", "to_node"],
 *                            "edge_types": [["context", "element", "property", ...], "string_or_number", "node"],
 *                            "location_fields": ["object_index", "script_id", "line", "column"], ...},
 *                   "node_count": 39076, "edge_count": 177533, "trace_function_count": 0},
 *      "nodes": [9,1,1,0,5,0,0, 9,2,3,0,28,0,0, ...], "edges": [1,1,7, 1,2,14, ...],
 *      "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [14,3,0,10, ...], "strings": ["<dummy>", "", ...]}
 *
 * A row of nodes is an object: a type and a name, which is a string's number, its own size in bytes and how many of the edges that
 * follow are its. An edge leads to an object, by where its row begins among the numbers. The first object is the root of all.
 *
 * The profile is a tree of who alone holds what (dominators), by class, so that the total of a class is what it retains. What counts
 * as held, what objects are called and which memory is theirs is decided as Chrome's developer tools decide it, whose numbers these
 * are: docs/formats/heapsnapshot.md.
 */
#include "formats/heapsnapshot/snapshot.h"

static const struct pp_rule heapsnapshot_rules[] = {
	[SNAPSHOT_JSON] = { "heapsnapshot-json", PP_ERROR, "the JSON is broken",
	                    "From this place on, the file is not JSON. Names stand at the end of a snapshot: if they are among what is "
	                    "lost, nothing can be told of it." },
	[SNAPSHOT_CUT] = { "heapsnapshot-cut", PP_ERROR, "the file is cut",
	                   "Names stand at the end of a snapshot. If some are there, objects without a name are (unknown); if objects or "
	                   "references are not all there, nothing can be told of it. The program may have ended while it "
	                   "was writing, or the disk was full." },
	[SNAPSHOT_META] = { "heapsnapshot-meta", PP_ERROR, "it is not said what the numbers mean",
	                    "snapshot.meta names the fields of objects and references, and their types. Without type, name, self_size and "
	                    "edge_count, or type, name_or_index and to_node, nothing can be read." },
	[SNAPSHOT_SHAPE] = { "heapsnapshot-shape", PP_ERROR, "something is not what it must be",
	                     "A snapshot has lists of nodes, edges and strings; rows are whole, and locations are of objects. What is "
	                     "not so is left out." },
	[SNAPSHOT_NUMBER] = { "heapsnapshot-number", PP_ERROR, "a value is not a whole number",
	                      "All values are whole numbers from 0 on, sizes have at most 63 bits. Others count as 0." },
	[SNAPSHOT_COUNT] = { "heapsnapshot-count", PP_WARNING, "the counts differ",
	                     "How many objects and references there are is stated in the beginning, and by each object for its own. "
	                     "Those that are there count." },
	[SNAPSHOT_TYPE] = { "heapsnapshot-type", PP_ERROR, "an object is of no known type",
	                    "Types are numbers into a list in snapshot.meta. The object is of class (unknown)." },
	[SNAPSHOT_EDGE] = { "heapsnapshot-edge", PP_ERROR, "a reference leads nowhere",
	                    "A reference has a type of the list in snapshot.meta, and names the place where the row of an object begins. This "
	                    "one is left out, so what it held may seem to be held by others, or by nobody." },
	[SNAPSHOT_STRING] = { "heapsnapshot-string", PP_ERROR, "a name is missing",
	                      "Names are numbers into the list of strings. Objects without one are of class (unknown)." },
	{ 0 },
};

/* ---- recognition --------------------------------------------------------------------------- */

/* Goes into the object that is the value of a key. */
static bool
enter(struct pp_scan *s, const char *name)
{
	struct pp_json_str key;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return false;
	while (pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, name))
			return true;
		(void)pp_scan_pass(s);
	}
	return false;
}

static int
heapsnapshot_bid(const struct pp_peek *peek)
{
	struct pp_scan s;

	pp_scan_init(&s, peek->head, 0, PP_SCAN_TOLERANT);
	if (enter(&s, "snapshot") && enter(&s, "meta") && enter(&s, "node_fields") &&
	    pp_scan_peek(&s) == PP_JSON_ARRAY)
		return 184;
	return pp_name_ends(peek->name, "heapsnapshot");
}

/* ---- what the numbers mean ----------------------------------------------------------------- */

struct named_field {
	const char *name;
	unsigned *at;
	bool needed;
};

/* Where the fields stand in a row. What is not there is said to be behind it; false when it is needed. */
static bool
fields_read(struct pp_scan *s, const struct named_field *fields, size_t n, unsigned *count)
{
	struct pp_json_str text;
	bool all = true;
	size_t i;

	*count = 0;
	for (i = 0; i < n; i++)
		*fields[i].at = SNAPSHOT_NONE;
	if (pp_scan_peek(s) != PP_JSON_ARRAY || !pp_scan_array(s)) {
		(void)pp_scan_pass(s);
		return false;
	}
	for (; pp_scan_item(s); ++*count)
		if (pp_scan_if_string(s, &text))
			for (i = 0; i < n; i++)
				if (pp_json_str_eq(text, fields[i].name))
					*fields[i].at = *count;
	for (i = 0; i < n; i++)
		if (*fields[i].at == SNAPSHOT_NONE) {
			all = all && !fields[i].needed;
			*fields[i].at = *count;
		}
	return all && *count <= SNAPSHOT_FIELDS_MOST && s->error == PP_SCAN_OK;
}

static void
type_add(struct snapshot *s, struct pp_json_str text)
{
	static const struct {
		const char *name;
		enum snapshot_kind kind;
		const char *class;
	} kinds[] = {
		{ "hidden", SNAPSHOT_HIDDEN, "(system)" },
		{ "array", SNAPSHOT_ARRAY, "(array)" },
		{ "object", SNAPSHOT_OBJECT, NULL },
		{ "code", SNAPSHOT_CODE, "(compiled code)" },
		{ "closure", SNAPSHOT_CLOSURE, "Function" },
		{ "regexp", SNAPSHOT_REGEXP, "RegExp" },
		{ "native", SNAPSHOT_NATIVE, NULL },
		{ "synthetic", SNAPSHOT_SYNTHETIC, NULL },
	};
	struct pp_builder *b = s->doc.b;
	struct snapshot_type type = { .kind = SNAPSHOT_OTHER };
	struct pp_slice name = pp_build_json_text(b, text, &s->doc.arena);
	pp_str class = 0;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(kinds) && !pp_slice_eq_z(name, kinds[i].name); i++)
		;
	if (i < PP_COUNT_OF(kinds)) {
		type.kind = kinds[i].kind;
		class = kinds[i].class ? pp_build_strz(b, kinds[i].class) : 0;
	} else {
		class = pp_build_strf(b, "(%.*s)", name.n > 64 ? 64 : (int)name.n,
		                      (const char *)name.p);
	}
	if (class)
		type.class = pp_snapshot_frame(s, (struct pp_func_row){ .name = class });
	if (s->type_n < SNAPSHOT_TYPES_MOST)
		s->types[s->type_n++] = type;
}

static void
link_add(struct snapshot *s, struct pp_json_str text)
{
	static const struct {
		const char *name;
		enum snapshot_link link;
	} links[] = {
		{ "element", SNAPSHOT_ELEMENT },     { "property", SNAPSHOT_PROPERTY },
		{ "internal", SNAPSHOT_INTERNAL },   { "hidden", SNAPSHOT_CONCEALED },
		{ "invisible", SNAPSHOT_CONCEALED }, { "shortcut", SNAPSHOT_SHORTCUT },
		{ "weak", SNAPSHOT_WEAK },
	};
	enum snapshot_link link = SNAPSHOT_PLAIN;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(links); i++)
		if (pp_json_str_eq(text, links[i].name))
			link = links[i].link;
	if (s->link_n < SNAPSHOT_TYPES_MOST)
		s->links[s->link_n++] = (unsigned char)link;
}

/* The list of types stands where the type stands in a row; it is the only one. */
static void
types_read(struct snapshot *s, struct pp_scan *scan,
           void (*add)(struct snapshot *, struct pp_json_str))
{
	struct pp_json_str text;

	if (pp_scan_peek(scan) != PP_JSON_ARRAY || !pp_scan_array(scan)) {
		(void)pp_scan_pass(scan);
		return;
	}
	while (pp_scan_item(scan))
		if (pp_scan_peek(scan) != PP_JSON_ARRAY || !pp_scan_array(scan))
			(void)pp_scan_pass(scan);
		else
			while (pp_scan_item(scan))
				if (pp_scan_if_string(scan, &text))
					add(s, text);
}

static void
meta_read(struct snapshot *s, struct pp_scan *scan)
{
	struct snapshot_fields *f = &s->fields;
	const struct named_field node[] = {
		{ "type", &f->type, true },      { "name", &f->name, true },
		{ "self_size", &f->size, true }, { "edge_count", &f->edges, true },
		{ "id", &f->id, false },         { "detachedness", &f->detached, false },
	};
	const struct named_field edge[] = {
		{ "type", &f->edge_type, true },
		{ "name_or_index", &f->edge_name, true },
		{ "to_node", &f->edge_to, true },
	};
	const struct named_field location[] = {
		{ "object_index", &f->object, true },
		{ "script_id", &f->script, true },
		{ "line", &f->line, true },
		{ "column", &f->column, true },
		{ "script_object_index", &f->script_object, false },
	};
	struct pp_json_str key;
	bool nodes = false, edges = false;

	if (pp_scan_peek(scan) != PP_JSON_OBJECT || !pp_scan_object(scan)) {
		(void)pp_scan_pass(scan);
		return;
	}
	s->type_n = s->link_n = 0;
	while (pp_scan_key(scan, &key))
		if (pp_json_str_eq(key, "node_fields"))
			nodes = fields_read(scan, node, PP_COUNT_OF(node), &f->n);
		else if (pp_json_str_eq(key, "edge_fields"))
			edges = fields_read(scan, edge, PP_COUNT_OF(edge), &f->edge_n);
		else if (pp_json_str_eq(key, "node_types"))
			types_read(s, scan, type_add);
		else if (pp_json_str_eq(key, "edge_types"))
			types_read(s, scan, link_add);
		else if (!pp_json_str_eq(key, "location_fields"))
			(void)pp_scan_pass(scan);
		else if (!fields_read(scan, location, PP_COUNT_OF(location), &f->location_n))
			f->location_n = 0;
	s->has_meta = nodes && edges && s->type_n && s->link_n;
}

static void
header_read(struct snapshot *s, struct pp_scan *scan)
{
	struct pp_json_str key;
	uint64_t value;

	if (pp_scan_peek(scan) != PP_JSON_OBJECT || !pp_scan_object(scan)) {
		(void)pp_scan_pass(scan);
		return;
	}
	while (pp_builder_ok(s->doc.b) && pp_scan_key(scan, &key)) {
		bool nodes = pp_json_str_eq(key, "node_count"),
		     edges = pp_json_str_eq(key, "edge_count");
		const unsigned char *at = scan->cur;

		if (pp_json_str_eq(key, "meta")) {
			meta_read(s, scan);
			continue;
		}
		value = pp_scan_if_count(scan, UINT64_MAX, &value) ? value : 0;
		if (nodes)
			s->node_count = value;
		else if (edges)
			s->edge_count = value;
		else if (pp_json_str_eq(key, "root_index"))
			s->root_index = value;
		if (scan->error == PP_SCAN_OK && value)
			pp_build_meta(s->doc.b, 0, pp_build_json_text(s->doc.b, key, &s->doc.arena),
			              PP_META_NUMBER,
			              pp_slice_between(pp_scan_space(at, scan->end), scan->cur));
	}
}

/* ---- reading ------------------------------------------------------------------------------- */

/*
 * Where everything is. Lists of numbers are most of the file and are passed over only where something may come behind them that is needed
 * first, or for what stands behind the last of them.
 */
static void
outline_read(struct snapshot *s)
{
	static const char *const parts[SNAPSHOT_PARTS] = {
		[SNAPSHOT_NODES] = "nodes",
		[SNAPSHOT_EDGES] = "edges",
		[SNAPSHOT_LOCATIONS] = "locations",
		[SNAPSHOT_STRINGS] = "strings",
	};
	struct pp_scan scan = pp_json_doc_scan(&s->doc, s->doc.text.p);
	struct pp_json_str key;
	unsigned i;

	if (pp_scan_peek(&scan) == PP_JSON_OBJECT && pp_scan_object(&scan))
		while (pp_builder_ok(s->doc.b) && pp_scan_key(&scan, &key)) {
			for (i = 0; i < SNAPSHOT_PARTS && !pp_json_str_eq(key, parts[i]); i++)
				;
			if (i < SNAPSHOT_PARTS && pp_scan_peek(&scan) == PP_JSON_ARRAY)
				s->parts[i] = scan.cur;
			if (pp_json_str_eq(key, "snapshot"))
				header_read(s, &scan);
			else
				(void)pp_scan_pass(&scan);
		}
	if (scan.error == PP_SCAN_OK)
		(void)pp_scan_end(&scan);
	pp_json_doc_scanned(&s->doc, &scan);
}

/* Columns that nobody looks at any more make room for those that come. */
static void
labels_forget(struct snapshot *s)
{
	free(s->label);
	free(s->link);
	free(s->id);
	s->label = s->id = NULL;
	s->link = NULL;
}

static void
document_read(struct snapshot *s)
{
	struct pp_builder *b = s->doc.b;
	uint32_t size = pp_build_metric_z(b, "self_size", "bytes", PP_KIND_BYTES, PP_INT,
	                                  PP_METRIC_PRIMARY),
	         objects = pp_build_metric_z(b, "objects", "objects", PP_KIND_COUNT, PP_INT, 0),
	         series = pp_build_series_plain(b, true, false);

	outline_read(s);
	if (!s->has_meta) {
		pp_json_find(&s->doc, SNAPSHOT_META, s->doc.text.p,
		             "there is no snapshot.meta with all that is needed");
		return;
	}
	/* Of a type that is not in the list. */
	s->types[s->type_n].class = pp_snapshot_frame(
	    s, (struct pp_func_row){ .name = pp_build_strz(b, "(unknown)"),
	                             .flags = PP_FUNC_UNKNOWN });
	s->links[s->link_n] = SNAPSHOT_PLAIN;
	if (!pp_builder_ok(b) || !pp_snapshot_tables_read(s))
		return;
	s->root = s->root_index / s->fields.n < s->nodes ? (uint32_t)(s->root_index / s->fields.n)
	                                                 : 0;
	if (!pp_snapshot_mark(s) || !pp_snapshot_sizes(s))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	else
		pp_snapshot_classes(s);
	if (!pp_builder_ok(b))
		return;
	pp_snapshot_essential(s);
	labels_forget(s);
	if (!pp_snapshot_dominators(s))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	else if (pp_builder_ok(b))
		pp_snapshot_tree(s, series, size, objects);
}

static pp_status
heapsnapshot_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct snapshot s = { 0 };
	pp_status status = pp_json_doc_open(&s.doc, reader, b, heapsnapshot_rules);

	if (status == PP_OK)
		document_read(&s);
	pp_snapshot_release(&s);
	pp_json_doc_close(&s.doc, SNAPSHOT_CUT, SNAPSHOT_JSON);
	return status == PP_OK ? b->status : status;
}

const struct pp_format pp_format_heapsnapshot = {
	.name = "heapsnapshot",
	.title = "heap snapshots of V8 (node, Chrome)",
	.extensions = "heapsnapshot",
	.can = PP_CAN_READ | PP_TREE | PP_META,
	.bid = heapsnapshot_bid,
	.read = heapsnapshot_read,
	.holders = true,
	.rules = heapsnapshot_rules,
};
