/*
 * Reading back a profile that a SPAA file carries. Anybody may have written these records, so every
 * reference is checked; the first one that is wrong makes them all be left alone.
 */
#include "formats/spaa/carry.h"

#include "base/num.h"
#include "text/base64.h"

struct pp_spaa_carry {
	struct pp_builder builder;
	const char *damage; /* what is wrong, or NULL */
	bool ended;
	const struct pp_format *native;
	uint64_t stacks, sum;
	int64_t *row; /* the row being read */
	size_t row_cap;
	int64_t series; /* of the current record, -1 = none */
	/* the timeline being read */
	int64_t timeline; /* its series, -1 = none */
	uint64_t timeline_n;
	struct pp_buf events;
	struct pp_buf bytes;        /* private data */
	PP_VEC(int64_t) func_cells; /* per function: calls, own[metric], total[metric] */
	/* Stacks that are a list: the frames that stack records have, and those that are here, with where each ends. */
	const struct pp_spaa_reader *reader;
	PP_VEC(uint32_t) frames;
	PP_VEC(uint64_t) ends;
	bool listed;
	/* Each is told once, or a small file could say a long stack very often. */
	PP_VEC(uint8_t) told;   /* by record */
	uint64_t told_paths;    /* these go in order */
	PP_VEC(pp_frame) stack; /* one of them, as it is told */
	PP_VEC(pp_frame)
	frame_of; /* by frame: that of its function, where no more is ordered; 0 = not known yet */
};

static bool
damaged(struct pp_spaa_carry *c, const char *why)
{
	if (!c->damage)
		c->damage = why;
	return false;
}

/* Passes on whether memory was enough: a lack of it is no damage. */
static bool
grown(struct pp_spaa_carry *c, bool enough)
{
	if (!enough)
		pp_builder_fail(&c->builder, PP_E_NOMEM, NULL);
	return enough;
}

void
pp_spaa_carry_free(struct pp_spaa_carry *c)
{
	if (!c)
		return;
	pp_builder_release(&c->builder);
	pp_buf_release(&c->events);
	pp_buf_release(&c->bytes);
	pp_vec_release(&c->func_cells);
	pp_vec_release(&c->frames);
	pp_vec_release(&c->ends);
	pp_vec_release(&c->stack);
	pp_vec_release(&c->told);
	pp_vec_release(&c->frame_of);
	free(c->row);
	free(c);
}

static struct pp_spaa_carry *
carry_new(const struct pp_spaa_reader *r)
{
	struct pp_spaa_carry *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->timeline = -1;
	c->reader = r;
	if (!pp_builder_init(&c->builder, &r->builder->limits, &r->builder->order, r->reader->seed,
	                     r->builder->pages)) {
		free(c);
		return NULL;
	}
	return c;
}

/* ---- checks of references --------------------------------------------------------------- */

static bool
is_below(int64_t v, size_t n)
{
	return v >= 0 && (uint64_t)v < n;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* What the profile's row says besides its members. */
static bool
profile_settle(struct pp_builder *b, int64_t basis)
{
	struct pp_profile *p = b->profile;

	if (!is_below(basis, PP_SPAA_B_COSTS + 1) || p->metrics.n)
		return false;
	p->facets &= PP_TREE | PP_EDGES | PP_LINES;
	p->lines.adds_up = basis == PP_SPAA_B_LINES;
	p->calls.adds_up = basis == PP_SPAA_B_CALLS;
	p->costs.stated = p->costs.measured = basis == PP_SPAA_B_COSTS;
	return true;
}

static bool
metric_add(struct pp_spaa_carry *c, const int64_t *n)
{
	const struct pp_profile *p = c->builder.profile;
	struct pp_metric metric = { 0 };

	/* Rows that are there already would be too short. */
	if (p->series.n || p->calls.rows.n || p->lines.rows.n || p->metrics.n >= 4096)
		return false;
	pp_table_row(PP_TABLE_METRICS, n, &metric);
	if (!pp_gains_settle(p, &metric))
		return false;
	(void)pp_build_metric(&c->builder, &metric);
	return true;
}

/* Adds a label in front of a set. */
static bool
label_add(struct pp_spaa_carry *c, const int64_t *n, size_t rows)
{
	struct pp_label_row row = { 0 };

	pp_table_row(PP_TABLE_LABELS, n, &row);
	return pp_build_label_row(&c->builder, &row) == (rows ? rows : 1);
}

/* Adds a row of a table of the schema; false when it does not fit, or on failure. */
static bool
row_add(struct pp_spaa_carry *c, enum pp_table_id id, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	size_t rows = pp_table_rows(p, id);
	struct pp_series series = { 0 };

	if (rows >= UINT32_MAX - 1 ||
	    !pp_table_fits(p, id, id == PP_TABLE_LABELS && rows == 0 ? 1 : rows, n))
		return false;
	switch (id) {
	case PP_TABLE_PROFILE:
		pp_table_row(id, n, p);
		return profile_settle(&c->builder, n[PP_SPAA_CARRY_BASIS]);
	case PP_TABLE_NODES:
		return !c->listed &&
		       pp_build_child(&c->builder, (pp_node)n[0], (pp_frame)n[1]) == rows;
	case PP_TABLE_METRICS:
		return metric_add(c, n);
	case PP_TABLE_SERIES:
		pp_table_row(id, n, &series);
		(void)pp_build_series(&c->builder, &series, series.dense, series.has_calls);
		return true;
	case PP_TABLE_LABELS:
		return label_add(c, n, rows);
	default:
		break;
	}
	return grown(c, pp_table_append(p, id, n));
}

/* Adds what a node costs in the series of the record. */
static bool
cells_add(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	int64_t *cells;

	if (!is_below(n[0], p->tree.n))
		return false;
	cells = pp_build_cells(&c->builder, (uint32_t)c->series, (pp_node)n[0]);
	if (cells)
		memcpy(cells, n + 1, p->series.at[c->series].stride * sizeof *cells);
	return cells != NULL;
}

/* A frame as stacks have it: where no places are ordered, that of its function. 0 when there is none. */
static pp_frame
listed_frame(struct pp_spaa_carry *c, uint32_t frame)
{
	const struct pp_profile *p = c->builder.profile;
	struct pp_frame_row row;

	if (!frame || (!c->listed && frame >= p->frames.n))
		return 0;
	if (!pp_order_is_by_function(&c->builder.order))
		return frame < p->frames.n ? frame : 0;
	/* Those of functions come behind the frames that are carried. */
	if (!c->listed && !c->frame_of.n) {
		if (!grown(c, pp_vec_reserve(&c->frame_of, p->frames.n)))
			return 0;
		memset(c->frame_of.at, 0, p->frames.n * sizeof *c->frame_of.at);
		c->frame_of.n = p->frames.n;
	}
	if (frame >= c->frame_of.n)
		return 0;
	if (!c->frame_of.at[frame]) {
		row = (struct pp_frame_row){ .func = p->funcs.at[p->frames.at[frame].func].same };
		c->frame_of.at[frame] = pp_build_frame(&c->builder, &row);
	}
	return c->frame_of.at[frame];
}

/* Notes that a stack of the list has the frames of a record; false when another one has, or there is none. */
static bool
record_tell(struct pp_spaa_carry *c, uint64_t record)
{
	size_t n = c->reader->carried.ends.n;

	if (record >= n || (c->told.n < n && !grown(c, pp_vec_reserve(&c->told, n))))
		return false;
	while (c->told.n < n)
		c->told.at[c->told.n++] = 0;
	return c->told.at[record]++ == 0;
}

/* Adds a stack of the list: where its frames stand, and its cells. */
static bool
listed_add(struct pp_spaa_carry *c, const int64_t *n)
{
	const struct pp_profile *p = c->builder.profile;
	bool own = n[0] < 0;
	uint64_t which = own ? (uint64_t) - (n[0] + 1) : (uint64_t)n[0];
	const struct pp_spaa_carried *records = &c->reader->carried;
	const uint64_t *ends = own ? c->ends.at : records->ends.at;
	const uint32_t *frames = own ? c->frames.at : records->frames.at;
	size_t at, depth, i;

	if (!p->series.n || p->series.at[0].stride != p->metrics.n ||
	    (p->tree.n > 1 && !c->listed) ||
	    which >= (own ? c->ends.n : c->reader->stacks.records.n))
		return false;
	/* Nobody asks for stacks. */
	if (!records->listed)
		return true;
	if (own ? which != c->told_paths++ : !record_tell(c, which))
		return false;
	at = which ? ends[which - 1] : 0;
	depth = ends[which] - at;
	if (!grown(c, pp_vec_reserve(&c->stack, depth + 1)))
		return false;
	for (i = 0; i < depth; i++) {
		c->stack.at[i] = listed_frame(c, frames[at + i]);
		if (!c->stack.at[i])
			return false;
	}
	/* Nobody looks at stacks before the end. */
	c->listed = c->builder.may_hold = true;
	return pp_build_stack(&c->builder, 0, c->stack.at, depth, n + 1);
}

/* Gives a series its labels. */
static bool
labelled_add(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;

	if (!is_below(n[0], p->series.n) || !is_below(n[1], p->labels.n))
		return false;
	p->series.at[n[0]].labels = (pp_labels)n[1];
	return true;
}

/* ---- records ---------------------------------------------------------------------------- */

static bool
take_int(struct pp_scan *s, int64_t *out)
{
	struct pp_json_num num;

	return pp_scan_number(s, &num) && pp_json_num_i64(&num, out);
}

/* The tables that are not of the schema have numbers behind it. */
enum {
	TABLE_ROWS = PP_TABLES,
	TABLE_FUNC_CELLS,
	TABLE_LABELLED,
	TABLE_LISTED,
	TABLE_PATH,
	NO_TABLE
};

static int
table_named(struct pp_slice name)
{
	int id;

	for (id = 0; id < PP_TABLES; id++)
		if (pp_spaa_carry_names[id] && pp_slice_eq_z(name, pp_spaa_carry_names[id]))
			return id;
	return pp_slice_eq_z(name, "rows")                   ? TABLE_ROWS
	       : pp_slice_eq_z(name, "func_cells")           ? TABLE_FUNC_CELLS
	       : pp_slice_eq_z(name, PP_SPAA_CARRY_LABELLED) ? TABLE_LABELLED
	       : pp_slice_eq_z(name, PP_SPAA_CARRY_LISTED)   ? TABLE_LISTED
	       : pp_slice_eq_z(name, PP_SPAA_CARRY_PATH)     ? TABLE_PATH
	                                                     : NO_TABLE;
}

static bool
numbers_add(struct pp_spaa_carry *c, int table)
{
	if (table == TABLE_FUNC_CELLS)
		return grown(c, pp_vec_push(&c->func_cells, c->row[0]));
	if (table == TABLE_LABELLED)
		return labelled_add(c, c->row);
	if (table == TABLE_LISTED)
		return listed_add(c, c->row);
	if (table == TABLE_PATH)
		return is_below(c->row[0], UINT32_MAX) &&
		       grown(c, pp_vec_push(&c->frames, (uint32_t)c->row[0]));
	return table == TABLE_ROWS ? cells_add(c, c->row)
	                           : row_add(c, (enum pp_table_id)table, c->row);
}

/* A number of a table; *n is how many its row has. False when that cannot be. */
static inline bool
number_add(struct pp_spaa_carry *c, int table, size_t width, size_t *n)
{
	if (++*n < width)
		return true;
	*n = 0;
	return numbers_add(c, table) || damaged(c, "a table refers to something that is not there");
}

/* Numbers in a row of a table. */
static size_t
table_width(const struct pp_spaa_carry *c, int table)
{
	const struct pp_profile *p = c->builder.profile;

	return table == TABLE_ROWS ? p->series.at[c->series].stride + (size_t)1
	       : table == TABLE_FUNC_CELLS || table == TABLE_PATH ? 1
	       : table == TABLE_LABELLED                          ? 2
	       : table == TABLE_LISTED                            ? 1 + p->metrics.n
	                               : pp_spaa_carry_width(p, (enum pp_table_id)table);
}

/* The array `n` of a table, row by row. */
static bool
take_table(struct pp_spaa_carry *c, struct pp_scan *s, int table)
{
	const struct pp_profile *p = c->builder.profile;
	size_t width, n = 0, taken, i;
	uint64_t plain[256];

	if (table == TABLE_ROWS && !is_below(c->series, p->series.n))
		return damaged(c, "rows of no series");
	width = table_width(c, table);
	/* What is not carried with the row is 0. */
	if (width + 1 > c->row_cap &&
	    !grown(c, pp_vec_grow((void **)&c->row, &c->row_cap, sizeof *c->row, width + 1)))
		return false;
	c->row[width] = 0;
	if (!pp_scan_array(s))
		return damaged(c, "a table is not an array");
	/* Nearly all are plain, and taken many at once. */
	while ((taken = pp_scan_plain_u64s(s, plain, PP_COUNT_OF(plain))) || pp_scan_item(s)) {
		for (i = 0; i < taken; i++) {
			c->row[n] = (int64_t)plain[i];
			if (!number_add(c, table, width, &n))
				return false;
		}
		if (taken)
			continue;
		if (!take_int(s, &c->row[n]))
			return damaged(c, "a table holds something that is not an integer");
		if (!number_add(c, table, width, &n))
			return false;
	}
	if (table == TABLE_PATH && !grown(c, pp_vec_push(&c->ends, c->frames.n)))
		return false;
	return n == 0 || damaged(c, "a table ends within a row");
}

static bool
take_hex(struct pp_slice text, struct pp_buf *out)
{
	size_t i;

	for (i = 0; i + 1 < text.n; i += 2) {
		uint64_t byte;

		if (!pp_num_hex(pp_slice_of(text.p + i, 2), &byte))
			return false;
		pp_buf_addc(out, (char)byte);
	}
	return text.n % 2 == 0;
}

/* A string of the table: text, or {"hex": ...}. */
static bool
take_string(struct pp_spaa_carry *c, struct pp_scan *s)
{
	struct pp_builder *b = &c->builder;
	uint32_t next = (uint32_t)b->profile->strs.strs.n;
	struct pp_arena arena = { 0 };
	struct pp_buf bytes = { 0 };
	struct pp_json_str str, key;
	bool fine = false;

	if (pp_scan_peek(s) == PP_JSON_STRING) {
		struct pp_slice text;

		fine = pp_scan_string(s, &str);
		text = fine ? pp_json_str_value(str, &arena) : pp_slice_of("", 0);
		fine = fine && grown(c, text.p || !text.n) && pp_build_str(b, text) == next;
	} else if (pp_scan_object(s) && pp_scan_key(s, &key) && pp_scan_string(s, &str)) {
		fine = take_hex(str.raw, &bytes) && grown(c, !bytes.failed) &&
		       pp_build_str(b, pp_slice_of(bytes.p ? bytes.p : "", bytes.n)) == next;
		while (pp_scan_key(s, &key))
			(void)pp_scan_skip(s, NULL);
	}
	pp_arena_release(&arena);
	pp_buf_release(&bytes);
	return fine || damaged(c, "a string is not as it was");
}

static bool
take_strings(struct pp_spaa_carry *c, struct pp_scan *s)
{
	if (!pp_scan_array(s))
		return damaged(c, "strings are not an array");
	while (pp_scan_item(s))
		if (!take_string(c, s))
			return false;
	return true;
}

/* ---- timelines -------------------------------------------------------------------------- */

/* All events of the timeline that was collected. */
static bool
timeline_finish(struct pp_spaa_carry *c)
{
	const struct pp_profile *p = c->builder.profile;
	bool fine = true, no_memory = false;

	if (c->timeline >= 0)
		fine = pp_timeline_load(&p->series.at[c->timeline].timeline, &c->events,
		                        c->timeline_n, p->tree.n, &no_memory);
	c->timeline = -1;
	return grown(c, !no_memory) && (fine || damaged(c, "a timeline is damaged"));
}

/* The head of a timeline: events, columns, whether values add up. */
static bool
take_timeline(struct pp_spaa_carry *c, struct pp_scan *s)
{
	struct pp_profile *p = c->builder.profile;
	int64_t n[3];
	size_t i;

	if (!timeline_finish(c))
		return false;
	if (!is_below(c->series, p->series.n) || !pp_scan_array(s))
		return damaged(c, "a timeline of no series");
	for (i = 0; i < 3; i++)
		if (!pp_scan_item(s) || !take_int(s, &n[i]))
			return damaged(c, "a timeline is damaged");
	if (pp_scan_item(s) || n[0] <= 0 || !is_below(n[1], 4096) || !is_below(n[2], 2) ||
	    p->series.at[c->series].timeline.n)
		return damaged(c, "a timeline is damaged");
	if (!(c->builder.order.facets & PP_TIMELINE))
		return true;
	c->timeline = c->series;
	c->timeline_n = (uint64_t)n[0];
	return grown(c, pp_timeline_init(&p->series.at[c->series].timeline, (uint32_t)n[1], n[2]));
}

static bool
take_bytes(struct pp_spaa_carry *c, struct pp_scan *s, bool private)
{
	struct pp_json_str str;
	bool wanted = private ? (c->builder.order.facets & PP_EXTRAS) != 0 : c->timeline >= 0;

	if (!pp_scan_string(s, &str) || str.escaped)
		return damaged(c, "bytes are not base64");
	if (!private && c->timeline >= 0 && c->series != c->timeline)
		return damaged(c, "events of another timeline");
	return !wanted ||
	       (pp_base64_take(private ? &c->bytes : &c->events, str.raw) &&
	        grown(c, !c->bytes.failed && !c->events.failed)) ||
	       damaged(c, "bytes are not base64");
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool
take_end(struct pp_spaa_carry *c, struct pp_scan *s, struct pp_json_str key)
{
	struct pp_json_str text;
	size_t i;
	int64_t n;

	if (pp_json_str_eq(key, "stacks")) {
		if (!take_int(s, &n))
			return damaged(c, "the end is damaged");
		c->stacks = (uint64_t)n;
		return true;
	}
	if (!pp_json_str_eq(key, "sum") && !pp_json_str_eq(key, "format"))
		return pp_scan_skip(s, NULL);
	if (!pp_scan_string(s, &text))
		return damaged(c, "the end is damaged");
	if (pp_json_str_eq(key, "sum"))
		return (pp_spaa_is_hex(text.raw) &&
		        pp_num_hex(pp_slice_of(text.raw.p + 2, text.raw.n - 2), &c->sum)) ||
		       damaged(c, "the end is damaged");
	for (i = 0; pp_formats[i]; i++)
		if (pp_slice_eq_z(text.raw, pp_formats[i]->name))
			c->native = pp_formats[i];
	return c->native || damaged(c, "the format is not known");
}

static bool
record_take(struct pp_spaa_carry *c, struct pp_slice text, struct pp_slice name)
{
	struct pp_json_str key;
	struct pp_scan s;
	bool fine = true;
	int table = table_named(name);
	bool is_end = pp_slice_eq_z(name, "end") || pp_slice_eq_z(name, PP_SPAA_CARRY_LISTED_END);

	pp_scan_init(&s, text, 0, PP_SCAN_STRICT);
	c->series = -1;
	(void)pp_scan_object(&s);
	while (fine && pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "series"))
			fine = take_int(&s, &c->series);
		else if (pp_json_str_eq(key, "n") && table != NO_TABLE)
			fine = take_table(c, &s, table);
		else if (pp_json_str_eq(key, "n") && pp_slice_eq_z(name, "timeline"))
			fine = take_timeline(c, &s);
		else if (pp_json_str_eq(key, "text") && pp_slice_eq_z(name, "strings"))
			fine = take_strings(c, &s);
		else if (pp_json_str_eq(key, "base64"))
			fine = take_bytes(c, &s, pp_slice_eq_z(name, "private"));
		else if (is_end)
			fine = take_end(c, &s, key);
		else
			(void)pp_scan_skip(&s, NULL);
	}
	c->ended |= is_end;
	return (fine && s.error == PP_SCAN_OK) || damaged(c, "a record is damaged");
}

void
pp_spaa_carry_record(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	static const size_t prefix = sizeof PP_SPAA_CARRY_PREFIX - 1;
	struct pp_slice name = rec->u.name;

	if (name.n < prefix || memcmp(name.p, PP_SPAA_CARRY_PREFIX, prefix) != 0)
		return;
	if (!r->carried.carry && !(r->carried.carry = carry_new(r))) {
		pp_spaa_no_memory(r);
		return;
	}
	if (!r->carried.carry->damage && pp_builder_ok(&r->carried.carry->builder))
		(void)record_take(r->carried.carry, rec->text,
		                  pp_slice_of(name.p + prefix, name.n - prefix));
	if (r->carried.carry->builder.status == PP_E_NOMEM)
		pp_spaa_no_memory(r);
}

/* The costs of functions, now that all functions are known. */
static bool
costs_finish(struct pp_spaa_carry *c)
{
	const struct pp_profile *p = c->builder.profile;
	size_t stride = 1 + 2 * p->metrics.n, rows = c->func_cells.n / stride, i, m;

	if (c->func_cells.n % stride || rows > p->funcs.n)
		return damaged(c, "costs of functions that are not there");
	for (i = 0; i < rows; i++) {
		const int64_t *cells = c->func_cells.at + i * stride;
		struct pp_func_costs costs;

		if (!pp_build_func_costs(&c->builder, (pp_func)i, &costs))
			return false;
		*costs.calls = (uint64_t)cells[0];
		for (m = 0; m < p->metrics.n; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];

			pp_build_func_cost(
			    &c->builder, (pp_func)i, (uint32_t)m,
			    (struct pp_cost_pair){
			        pp_cell_value(metric, cells[1 + m]),
			        pp_cell_value(metric, cells[1 + p->metrics.n + m]) });
		}
	}
	return pp_builder_ok(&c->builder);
}

/* The carried profile takes the place of the one that was read. */
static void
carry_install(struct pp_spaa_reader *r)
{
	struct pp_spaa_carry *c = r->carried.carry;
	struct pp_profile *old = r->builder->profile, *p = c->builder.profile;
	struct pp_builder swap;
	pp_status status = PP_OK;
	size_t i;

	p->format = old->format;
	p->native = c->native;
	for (i = 0; i < PP_COUNT_OF(old->compression); i++)
		p->compression[i] = pp_build_str(&c->builder, pp_text_of(old, old->compression[i]));
	if (c->bytes.failed)
		status = PP_E_NOMEM;
	else if (c->native->carry_load && c->bytes.n)
		status = c->native->carry_load(&p->kept, pp_slice_of(c->bytes.p, c->bytes.n));
	if (status == PP_E_NOMEM)
		pp_builder_fail(&c->builder, PP_E_NOMEM, NULL);
	else if (status != PP_OK)
		pp_diag_add(r->reader->diags, &pp_spaa_rules[PP_SPAA_R_CARRY_DAMAGED], PP_NOWHERE,
		            "the details that only %s understands cannot be used", c->native->name);
	if (!p->kept.data) {
		p->kept.data = old->kept.data;
		p->kept.free = old->kept.free;
		old->kept.data = NULL;
		old->kept.free = NULL;
	}
	if (!pp_builder_ok(&c->builder)) {
		pp_spaa_no_memory(r);
		return;
	}
	swap = *r->builder;
	*r->builder = c->builder;
	c->builder = swap;
}

void
pp_spaa_carry_finish(struct pp_spaa_reader *r)
{
	struct pp_spaa_carry *c = r->carried.carry;

	if (!c)
		return;
	if (!c->damage && c->builder.status == PP_OK)
		(void)(timeline_finish(c) && costs_finish(c));
	if (c->builder.status == PP_E_NOMEM) {
		pp_spaa_no_memory(r);
		return;
	}
	if (c->damage || !c->ended || !c->native || c->builder.status != PP_OK) {
		pp_diag_add(r->reader->diags, &pp_spaa_rules[PP_SPAA_R_CARRY_DAMAGED], PP_NOWHERE,
		            "the x_polyprof records are not used: %s",
		            c->damage                    ? c->damage
		            : c->builder.status != PP_OK ? pp_status_text(c->builder.status)
		                                         : "their end is missing");
		return;
	}
	if (c->stacks != r->stacks.records.n || c->sum != r->carried.mark) {
		pp_diag_add(r->reader->diags, &pp_spaa_rules[PP_SPAA_R_CARRY_STALE], PP_NOWHERE,
		            "the stacks were changed; the x_polyprof records are not used");
		return;
	}
	carry_install(r);
	r->carried.installed = true;
}
