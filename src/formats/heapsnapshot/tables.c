/*
 * A heap snapshot's JSON as columns.
 *
 * Rows are numbers without brackets of their own, as many to a row as there are names of fields. How many rows there are is
 * stated before them; memory is reserved for as many, unless the text has no room for them.
 */
#include "formats/heapsnapshot/snapshot.h"

/* ---- rows ---- */

/* The longest number that is taken the quick way, and room for it with what stands around it. */
#define PLAIN_DIGITS 18
#define PLAIN_ROOM (PLAIN_DIGITS + 6)

static inline const unsigned char *
blank_pass(const unsigned char *p)
{
	return p + (*p == '\n' || *p == ' ');
}

/* A row of plain numbers; its end, or NULL when it is anything else. */
static inline const unsigned char *
row_plain(const unsigned char *p, bool comma, unsigned n, uint64_t *row)
{
	unsigned i;

	for (i = 0; i < n; i++, comma = true) {
		const unsigned char *digits;
		uint64_t value = 0;

		p = blank_pass(p);
		if (comma && *p++ != ',')
			return NULL;
		digits = p = blank_pass(p);
		while ((unsigned)(*p - '0') <= 9 && p - digits <= PLAIN_DIGITS)
			value = value * 10 + (unsigned)(*p++ - '0');
		if (p == digits || p - digits > PLAIN_DIGITS || (*digits == '0' && p - digits > 1))
			return NULL;
		row[i] = value;
	}
	return *blank_pass(p) == ',' || *blank_pass(p) == ']' ? p : NULL;
}

/* A value that is none counts as 0. */
static uint64_t
number_read(struct snapshot *s, struct pp_scan *scan)
{
	const unsigned char *at = scan->cur;
	struct pp_json_num num;
	uint64_t value;

	if (pp_scan_if_number(scan, &num) && pp_json_num_u64(&num, &value))
		return value;
	if (scan->error == PP_SCAN_OK)
		pp_json_find(&s->doc, SNAPSHOT_NUMBER, at, "not a whole number");
	return 0;
}

bool
pp_snapshot_row(struct snapshot *s, struct pp_scan *scan, unsigned n, uint64_t *row)
{
	const unsigned char *at = scan->cur, *end;
	unsigned i;

	if (PP_LIKELY((size_t)(scan->end - at) > (size_t)n * PLAIN_ROOM)) {
		end = row_plain(at, scan->after_value, n, row);
		if (PP_LIKELY(end != NULL)) {
			scan->cur = end;
			scan->after_value = true;
			return true;
		}
	}
	for (i = 0; i < n && pp_scan_item(scan); i++)
		row[i] = number_read(s, scan);
	if (i > 0 && i < n && scan->error == PP_SCAN_OK)
		pp_json_find(&s->doc, SNAPSHOT_SHAPE, at,
		             "the last row has %u numbers, there are %u to a row", i, n);
	return i == n && scan->error == PP_SCAN_OK;
}

struct pp_scan
pp_snapshot_scan(const struct snapshot *s, unsigned part)
{
	struct pp_scan scan = pp_json_doc_scan(&s->doc, s->parts[part]);

	(void)pp_scan_array(&scan);
	return scan;
}

/* How many rows to make room for: as many as are stated, if they can be. */
static size_t
rows_expected(const struct pp_scan *scan, unsigned n, uint64_t stated)
{
	size_t most = (size_t)(scan->end - scan->cur) / (2 * n) + 1;

	return stated < most ? (size_t)stated + 1 : most;
}

static bool
column_grow(void *column, size_t item, size_t n)
{
	void *grown, *old;
	size_t bytes;

	memcpy(&old, column, sizeof old);
	if (!pp_size_mul(item, n, &bytes) || !(grown = realloc(old, bytes)))
		return false;
	memcpy(column, &grown, sizeof grown);
	return true;
}

static bool
too_many(struct snapshot *s)
{
	pp_builder_fail(s->doc.b, PP_E_LIMIT, "a snapshot has too many objects");
	return false;
}

/* ---- objects ---- */

static bool
nodes_grow(struct snapshot *s, size_t cap)
{
	if (cap >= SNAPSHOT_NONE)
		return too_many(s);
	if (!column_grow(&s->size, sizeof *s->size, cap) ||
	    !column_grow(&s->name, sizeof *s->name, cap) ||
	    !column_grow(&s->first, sizeof *s->first, cap + 1) ||
	    !column_grow(&s->id, sizeof *s->id, cap) ||
	    !column_grow(&s->type, sizeof *s->type, cap) ||
	    !column_grow(&s->state, sizeof *s->state, cap)) {
		pp_builder_fail(s->doc.b, PP_E_NOMEM, NULL);
		return false;
	}
	s->node_cap = (uint32_t)cap;
	return true;
}

static bool
node_add(struct snapshot *s, const uint64_t *row, const unsigned char *at, uint64_t *edges)
{
	const struct snapshot_fields *f = &s->fields;
	uint64_t type = row[f->type], size = row[f->size];
	uint32_t node = s->nodes;

	if (node == s->node_cap && !nodes_grow(s, (size_t)node * 2))
		return false;
	if (PP_UNLIKELY(type >= s->type_n)) {
		pp_json_find(&s->doc, SNAPSHOT_TYPE, at, "an object is of type %llu of %u",
		             (unsigned long long)type, s->type_n);
		type = s->type_n;
	}
	if (PP_UNLIKELY(size > INT64_MAX)) {
		pp_json_find(&s->doc, SNAPSHOT_NUMBER, at, "a size is beyond 63 bits");
		size = 0;
	}
	s->type[node] = (unsigned char)type;
	s->size[node] = size;
	s->name[node] = row[f->name] < SNAPSHOT_NONE ? (uint32_t)row[f->name] : SNAPSHOT_NONE;
	/* Fields that are missing are read from behind the row, where there is a 0. */
	s->id[node] = row[f->id] < SNAPSHOT_NONE ? (uint32_t)row[f->id] : 0;
	s->state[node] = row[f->detached] <= SNAPSHOT_DETACHED ? (unsigned char)row[f->detached]
	                                                       : 0;
	s->first[node] = (uint32_t)*edges;
	if (__builtin_add_overflow(*edges, row[f->edges], edges) || *edges >= SNAPSHOT_NONE)
		return too_many(s);
	s->nodes = node + 1;
	return true;
}

static void
nodes_read(struct snapshot *s)
{
	uint64_t row[SNAPSHOT_FIELDS_MOST + 1] = { 0 }, edges = 0;
	struct pp_scan scan = pp_snapshot_scan(s, SNAPSHOT_NODES);
	const unsigned char *at = scan.cur;
	struct pp_builder *b = s->doc.b;

	if (!nodes_grow(s, rows_expected(&scan, s->fields.n, s->node_count)))
		return;
	while (pp_snapshot_row(s, &scan, s->fields.n, row) && node_add(s, row, at, &edges)) {
		at = scan.cur;
		if ((s->nodes & SNAPSHOT_STEP) == 0) {
			if (!pp_builder_goes_on(b))
				break;
			pp_input_behind(s->doc.reader->in, &s->behind, s->doc.text.p, at);
		}
	}
	s->first[s->nodes] = (uint32_t)edges;
	pp_json_doc_scanned(&s->doc, &scan);
	s->whole[SNAPSHOT_NODES] = scan.error == PP_SCAN_OK;
	if (s->whole[SNAPSHOT_NODES] && s->node_count != s->nodes && pp_builder_ok(b))
		pp_json_find(&s->doc, SNAPSHOT_COUNT, s->parts[SNAPSHOT_NODES],
		             "there are %u objects, not %llu", s->nodes,
		             (unsigned long long)s->node_count);
}

/* ---- references ---- */

static bool
edges_grow(struct snapshot *s, size_t cap)
{
	if (cap >= SNAPSHOT_NONE)
		return too_many(s);
	if (!column_grow(&s->to, sizeof *s->to, cap) ||
	    !column_grow(&s->label, sizeof *s->label, cap) ||
	    !column_grow(&s->link, sizeof *s->link, cap)) {
		pp_builder_fail(s->doc.b, PP_E_NOMEM, NULL);
		return false;
	}
	s->edge_cap = (uint32_t)cap;
	return true;
}

/* What leads nowhere leads to the object itself, which holds nothing. */
static bool
edge_add(struct snapshot *s, const uint64_t *row, const unsigned char *at, uint32_t from)
{
	const struct snapshot_fields *f = &s->fields;
	uint64_t type = row[f->edge_type], to = row[f->edge_to], target = to / f->n;
	uint32_t edge = s->edges;

	if (edge == s->edge_cap && !edges_grow(s, (size_t)edge * 2))
		return false;
	if (PP_UNLIKELY(type >= s->link_n || target >= s->nodes || target * f->n != to)) {
		pp_json_find(&s->doc, SNAPSHOT_EDGE, at,
		             type >= s->link_n ? "a reference is of no known type"
		                               : "a reference leads to where no object is");
		type = s->link_n;
		target = from;
	}
	s->to[edge] = (uint32_t)target;
	s->label[edge] = row[f->edge_name] < SNAPSHOT_NONE ? (uint32_t)row[f->edge_name]
	                                                   : SNAPSHOT_NONE;
	s->link[edge] = s->links[type];
	s->edges = edge + 1;
	return true;
}

/* Objects say how many references they have; there may be fewer. */
static void
edges_settle(struct snapshot *s, uint64_t rows)
{
	uint32_t i, stated = s->first[s->nodes];

	if (rows != stated || (s->edge_count != rows && s->whole[SNAPSHOT_EDGES]))
		pp_json_find(&s->doc, SNAPSHOT_COUNT, s->parts[SNAPSHOT_EDGES],
		             "there are %llu references; objects have %u, and %llu are stated",
		             (unsigned long long)rows, stated, (unsigned long long)s->edge_count);
	for (i = 0; s->edges < stated && i <= s->nodes; i++)
		if (s->first[i] > s->edges)
			s->first[i] = s->edges;
}

static void
edges_read(struct snapshot *s)
{
	uint64_t row[SNAPSHOT_FIELDS_MOST + 1] = { 0 }, rows = 0;
	struct pp_scan scan = pp_snapshot_scan(s, SNAPSHOT_EDGES);
	const unsigned char *at = scan.cur;
	struct pp_builder *b = s->doc.b;
	uint32_t from = 0;

	if (!edges_grow(s, rows_expected(&scan, s->fields.edge_n, s->edge_count)))
		return;
	for (; pp_snapshot_row(s, &scan, s->fields.edge_n, row); rows++, at = scan.cur) {
		while (from < s->nodes && s->first[from + 1] <= rows)
			from++;
		if (from < s->nodes && !edge_add(s, row, at, from))
			break;
		if ((rows & SNAPSHOT_STEP) == 0) {
			if (!pp_builder_goes_on(b))
				break;
			pp_input_behind(s->doc.reader->in, &s->behind, s->doc.text.p, at);
		}
	}
	pp_json_doc_scanned(&s->doc, &scan);
	s->whole[SNAPSHOT_EDGES] = scan.error == PP_SCAN_OK;
	if (pp_builder_ok(b) && s->whole[SNAPSHOT_EDGES])
		edges_settle(s, rows);
}

/* ---- strings ---- */

static enum snapshot_word
word_of(struct pp_slice raw)
{
	static const struct {
		const char *text;
		enum snapshot_word word;
	} words[] = {
		{ "Object", SNAPSHOT_IS_OBJECT },
		{ "__proto__", SNAPSHOT_IS_PROTO },
		{ "shared", SNAPSHOT_IS_SHARED },
		{ "script", SNAPSHOT_IS_SCRIPT },
		{ "script_or_debug_info", SNAPSHOT_IS_SCRIPT },
		{ "(Document DOM trees)", SNAPSHOT_IS_DOM_TREES },
		{ "system / ExternalStringData", SNAPSHOT_IS_STRING_DATA },
	};
	size_t i;

	if (raw.n < 6)
		return raw.n && raw.p[0] == '<' ? SNAPSHOT_IS_ELEMENT : SNAPSHOT_NO_WORD;
	if (raw.p[0] == '<' || pp_slice_starts(raw, "Detached <"))
		return SNAPSHOT_IS_ELEMENT;
	if ((unsigned)(raw.p[0] - '0') <= 9)
		return raw.p[raw.n - 1] == ')' && pp_slice_holds(raw, " / part of key (") &&
		               pp_slice_holds(raw, " pair in WeakMap (table @")
		           ? SNAPSHOT_IS_EPHEMERON
		           : SNAPSHOT_NO_WORD;
	for (i = 0; i < PP_COUNT_OF(words); i++)
		if (pp_slice_eq_z(raw, words[i].text))
			return words[i].word;
	return SNAPSHOT_NO_WORD;
}

static void
strings_read(struct snapshot *s)
{
	struct pp_scan scan = pp_snapshot_scan(s, SNAPSHOT_STRINGS);
	struct pp_builder *b = s->doc.b;
	struct pp_json_str text;

	while (pp_scan_item(&scan)) {
		uint64_t at = (uint64_t)(scan.cur - s->doc.text.p);
		bool fine = pp_scan_if_string(&scan, &text);

		if (scan.error != PP_SCAN_OK)
			break;
		if (!fine)
			pp_json_find(&s->doc, SNAPSHOT_STRING, s->doc.text.p + at, "not a string");
		if (!pp_vec_push(&s->strings, fine ? at : UINT64_MAX) ||
		    !pp_vec_push(&s->words,
		                 (unsigned char)(fine ? word_of(text.raw) : SNAPSHOT_NO_WORD))) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return;
		}
		if ((s->strings.n & SNAPSHOT_STEP) == 0 && !pp_builder_goes_on(b))
			return;
	}
	pp_json_doc_scanned(&s->doc, &scan);
	s->whole[SNAPSHOT_STRINGS] = scan.error == PP_SCAN_OK;
}

struct pp_json_str
pp_snapshot_string(const struct snapshot *s, uint32_t string)
{
	struct pp_json_str text = { 0 };
	struct pp_scan scan;

	if (string >= s->strings.n || s->strings.at[string] == UINT64_MAX)
		return text;
	scan = pp_json_doc_scan(&s->doc, s->doc.text.p + s->strings.at[string]);
	(void)pp_scan_string(&scan, &text);
	return text;
}

bool
pp_snapshot_tables_read(struct snapshot *s)
{
	struct pp_builder *b = s->doc.b;

	if (s->parts[SNAPSHOT_NODES])
		nodes_read(s);
	if (s->whole[SNAPSHOT_NODES] && s->parts[SNAPSHOT_EDGES] && pp_builder_ok(b))
		edges_read(s);
	if (s->whole[SNAPSHOT_EDGES] && s->parts[SNAPSHOT_STRINGS] && pp_builder_ok(b))
		strings_read(s);
	if (!pp_builder_ok(b))
		return false;
	if (s->doc.broken == PP_SCAN_OK && (!s->nodes || !s->whole[SNAPSHOT_STRINGS]))
		pp_json_find(&s->doc, SNAPSHOT_SHAPE, s->doc.text.p,
		             "there are no objects, references or strings");
	return s->nodes && s->whole[SNAPSHOT_EDGES] && s->strings.n;
}

void
pp_snapshot_release(struct snapshot *s)
{
	free(s->size);
	free(s->name);
	free(s->first);
	free(s->id);
	free(s->type);
	free(s->state);
	free(s->to);
	free(s->label);
	free(s->link);
	free(s->vertex);
	free(s->dom);
	free(s->number);
	pp_vec_release(&s->strings);
	pp_vec_release(&s->words);
}
