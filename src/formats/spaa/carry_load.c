/*
 * Reading back a profile that a SPAA file carries. Anybody may have written these records, so every
 * reference is checked; the first one that is wrong makes them all be left alone.
 */
#include "formats/spaa/carry.h"

#include "base/num.h"
#include "formats/spaa/kept.h"

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

static bool
is_str(const struct pp_spaa_carry *c, int64_t v)
{
	return is_below(v, c->builder.profile->strs.strs.n);
}

static bool
is_u32(int64_t v)
{
	return v >= 0 && v <= UINT32_MAX;
}

/* ---- rows ------------------------------------------------------------------------------- */

static bool
add_module(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_module_row row = { (pp_str)n[0], (pp_str)n[1], (enum pp_module_kind)n[2] };

	return is_str(c, n[0]) && is_str(c, n[1]) && is_below(n[2], PP_MODULE_SCRIPT + 1) &&
	       grown(c, pp_vec_push(&c->builder.profile->modules, row));
}

static bool
add_func(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	struct pp_func_row row = { .name = (pp_str)n[0],
		                   .file = (pp_str)n[1],
		                   .module = (pp_module)n[2],
		                   .line = (uint32_t)n[3],
		                   .last_line = (uint32_t)n[4],
		                   .flags = (uint32_t)n[5],
		                   .same = (pp_func)n[6] };

	return is_str(c, n[0]) && is_str(c, n[1]) && is_below(n[2], p->modules.n) && is_u32(n[3]) &&
	       is_u32(n[4]) && is_u32(n[5]) && n[6] > 0 && is_below(n[6], p->funcs.n + 1) &&
	       p->funcs.n < UINT32_MAX - 1 && grown(c, pp_vec_push(&p->funcs, row));
}

static bool
add_frame(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	struct pp_frame_row row = { .func = (pp_func)n[0],
		                    .line = (uint32_t)n[1],
		                    .column = (uint32_t)n[2],
		                    .site_line = (uint32_t)n[3],
		                    .address = (uint64_t)n[4],
		                    .offset = (uint64_t)n[5],
		                    .inline_depth = (uint16_t)n[6],
		                    .flags = (uint16_t)n[7],
		                    .file = (pp_str)n[8] };

	return n[0] > 0 && is_below(n[0], p->funcs.n) && is_u32(n[1]) && is_u32(n[2]) &&
	       is_u32(n[3]) && is_below(n[6], UINT16_MAX + 1) && is_below(n[7], UINT16_MAX + 1) &&
	       is_str(c, n[8]) && p->frames.n < UINT32_MAX - 1 &&
	       grown(c, pp_vec_push(&p->frames, row));
}

static bool
add_node(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	uint32_t next = p->tree.n;

	return is_below(n[0], next) && n[1] > 0 && is_below(n[1], p->frames.n) &&
	       pp_build_child(&c->builder, (pp_node)n[0], (pp_frame)n[1]) == next;
}

static bool
add_metric(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_metric m = { .name = (pp_str)n[0],
		               .title = (pp_str)n[1],
		               .event = (pp_str)n[2],
		               .unit = (pp_str)n[3],
		               .type = (enum pp_cell_type)n[4],
		               .kind = (enum pp_metric_kind)n[5],
		               .flags = (unsigned)n[6],
		               .scale = (unsigned)n[7],
		               .factor_num = (uint64_t)n[8],
		               .factor_den = (uint64_t)n[9] };

	if (!is_str(c, n[0]) || !is_str(c, n[1]) || !is_str(c, n[2]) || !is_str(c, n[3]) ||
	    !is_below(n[4], PP_REAL + 1) || !is_below(n[5], PP_KIND_EVENTS + 1) || !is_u32(n[6]) ||
	    !is_below(n[7], 21) || c->builder.profile->series.n ||
	    c->builder.profile->calls.rows.n || c->builder.profile->lines.rows.n ||
	    c->builder.profile->metrics.n >= 4096)
		return false;
	(void)pp_build_metric(&c->builder, &m);
	return true;
}

static bool
add_series(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_series like = { .event = (pp_str)n[0],
		                  .process = (pp_str)n[1],
		                  .thread = (pp_str)n[2],
		                  .pid = n[3],
		                  .tid = n[4],
		                  .cpu = n[5],
		                  .context = (pp_str)n[6],
		                  .measured = n[9] != 0 };

	if (!is_str(c, n[0]) || !is_str(c, n[1]) || !is_str(c, n[2]) || !is_str(c, n[6]) ||
	    !is_below(n[7], 2) || !is_below(n[8], 2) || !is_below(n[9], 2))
		return false;
	(void)pp_build_series(&c->builder, &like, n[7], n[8]);
	return true;
}

static bool
add_row(struct pp_spaa_carry *c, const int64_t *n)
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

/* Appends the cells of an edge or a line. */
static bool
add_cells(int64_t **cells, size_t *count, size_t *cap, const int64_t *from, size_t n)
{
	if (*count + n > *cap && !pp_vec_grow((void **)cells, cap, sizeof **cells, *count + n))
		return false;
	if (n)
		memcpy(*cells + *count, from, n * sizeof *from);
	*count += n;
	return true;
}

/* Edges and lines may name series that are not there: then there are none at all. */
static bool
is_series(const struct pp_profile *p, int64_t v)
{
	return is_below(v, p->series.n) || (p->series.n == 0 && is_u32(v));
}

static bool
add_edge(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	struct pp_edge_row row = { .caller = (pp_func)n[0],
		                   .callee = (pp_func)n[1],
		                   .site_file = (pp_str)n[2],
		                   .site_line = (uint32_t)n[3],
		                   .site_address = (uint64_t)n[4],
		                   .series = (uint32_t)n[5] };

	return is_below(n[0], p->funcs.n) && is_below(n[1], p->funcs.n) && is_str(c, n[2]) &&
	       is_u32(n[3]) && is_series(p, n[5]) && grown(c, pp_vec_push(&p->calls.rows, row)) &&
	       grown(c, add_cells(&p->calls.cells.at, &p->calls.cells.n, &p->calls.cells.cap, n + 6,
	                          pp_edge_stride(p)));
}

static bool
add_line(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	struct pp_line_row row = { .func = (pp_func)n[0],
		                   .file = (pp_str)n[1],
		                   .line = (uint32_t)n[2],
		                   .series = (uint32_t)n[3],
		                   .address = (uint64_t)n[4] };

	return is_below(n[0], p->funcs.n) && is_str(c, n[1]) && is_u32(n[2]) &&
	       is_series(p, n[3]) && grown(c, pp_vec_push(&p->lines.rows, row)) &&
	       grown(c, add_cells(&p->lines.cells.at, &p->lines.cells.n, &p->lines.cells.cap, n + 5,
	                          pp_line_stride(p)));
}

static bool
add_func_cell(struct pp_spaa_carry *c, const int64_t *n)
{
	return grown(c, pp_vec_push(&c->func_cells, n[0]));
}

static bool
add_meta(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;
	struct pp_meta_row row = { (uint32_t)n[0], (pp_str)n[1], (pp_str)n[2],
		                   (enum pp_meta_type)n[3] };

	/* A parent is an object or array that is still open: one of those that the row before is in. */
	if (!is_below(n[0], p->meta.n + 1) || !is_str(c, n[1]) || !is_str(c, n[2]) ||
	    !is_below(n[3], PP_META_ARRAY + 1) ||
	    (n[0] && p->meta.at[n[0] - 1].type != PP_META_OBJECT &&
	     p->meta.at[n[0] - 1].type != PP_META_ARRAY))
		return false;
	if (n[0] && n[0] != (int64_t)p->meta.n) {
		uint32_t open = p->meta.at[p->meta.n - 1].parent;

		while (open && open != (uint32_t)n[0])
			open = p->meta.at[open - 1].parent;
		if (!open)
			return false;
	}
	return grown(c, pp_vec_push(&p->meta, row));
}

static bool
add_extra(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_extra_row row = { (uint32_t)n[0], (uint32_t)n[1], (pp_str)n[2], (pp_str)n[3] };

	return is_u32(n[0]) && is_u32(n[1]) && is_str(c, n[2]) && is_str(c, n[3]) &&
	       grown(c, pp_vec_push(&c->builder.profile->kept.extras, row));
}

static bool
add_source(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_source_row row = { (pp_str)n[0], (uint32_t)n[1], (pp_str)n[2] };

	return is_str(c, n[0]) && is_u32(n[1]) && is_str(c, n[2]) &&
	       grown(c, pp_vec_push(&c->builder.profile->sources, row));
}

static bool
set_profile(struct pp_spaa_carry *c, const int64_t *n)
{
	struct pp_profile *p = c->builder.profile;

	if (!is_str(c, n[0]) || !is_str(c, n[1]) || !is_u32(n[4]) || !is_u32(n[5]) ||
	    !is_below(n[6], PP_SPAA_B_COSTS + 1) || p->metrics.n)
		return false;
	p->variant = (pp_str)n[0];
	p->producer = (pp_str)n[1];
	p->complete = n[2] != 0;
	p->estimated = n[3] != 0;
	p->facets = (unsigned)n[4] & (PP_TREE | PP_EDGES | PP_LINES);
	p->holds = (unsigned)n[5];
	p->lines.adds_up = n[6] == PP_SPAA_B_LINES;
	p->calls.adds_up = n[6] == PP_SPAA_B_CALLS;
	p->costs.stated = p->costs.measured = n[6] == PP_SPAA_B_COSTS;
	p->calls.own = n[7] != 0;
	p->calls.self_repeats = n[8] != 0;
	p->lines.hits = n[9] != 0;
	p->events = (uint64_t)n[10];
	p->samples = (uint64_t)n[11];
	p->time.known = n[12] != 0;
	p->time.start = n[13];
	p->time.end = n[14];
	p->recorded_at = n[15];
	return true;
}

static bool (*const adders[PP_SPAA_TABLES])(struct pp_spaa_carry *, const int64_t *) = {
	[PP_SPAA_T_MODULES] = add_module, [PP_SPAA_T_FUNCS] = add_func,
	[PP_SPAA_T_FRAMES] = add_frame,   [PP_SPAA_T_NODES] = add_node,
	[PP_SPAA_T_METRICS] = add_metric, [PP_SPAA_T_SERIES] = add_series,
	[PP_SPAA_T_ROWS] = add_row,       [PP_SPAA_T_EDGES] = add_edge,
	[PP_SPAA_T_LINES] = add_line,     [PP_SPAA_T_FUNC_CELLS] = add_func_cell,
	[PP_SPAA_T_META] = add_meta,      [PP_SPAA_T_EXTRAS] = add_extra,
	[PP_SPAA_T_SOURCES] = add_source, [PP_SPAA_T_PROFILE] = set_profile,
};

/* ---- records ---------------------------------------------------------------------------- */

static bool
take_int(struct pp_scan *s, int64_t *out)
{
	struct pp_json_num num;

	if (!pp_scan_number(s, &num) || !num.fits)
		return false;
	*out = (int64_t)(num.negative ? 0 - num.magnitude : num.magnitude);
	return !num.negative || num.magnitude <= (uint64_t)INT64_MAX + 1;
}

/* The array `n` of a table, row by row. */
static bool
take_table(struct pp_spaa_carry *c, struct pp_scan *s, enum pp_spaa_carry_table table)
{
	const struct pp_profile *p = c->builder.profile;
	size_t width, n = 0;

	if (table == PP_SPAA_T_ROWS && !is_below(c->series, p->series.n))
		return damaged(c, "rows of no series");
	width = pp_spaa_carry_width(p, table,
	                            table == PP_SPAA_T_ROWS ? &p->series.at[c->series] : NULL);
	if (width > c->row_cap &&
	    !grown(c, pp_vec_grow((void **)&c->row, &c->row_cap, sizeof *c->row, width)))
		return false;
	if (!pp_scan_array(s))
		return damaged(c, "a table is not an array");
	while (pp_scan_item(s)) {
		if (!take_int(s, &c->row[n]))
			return damaged(c, "a table holds something that is no integer");
		if (++n < width)
			continue;
		n = 0;
		if (!adders[table](c, c->row))
			return damaged(c, "a table refers to something that is not there");
	}
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

/* The next number of packed events; false when they end. */
static bool
take_varint(const unsigned char **p, const unsigned char *end, uint64_t *out)
{
	unsigned shift = 0;
	uint64_t v = 0;

	for (; *p < end && shift < 64; shift += 7) {
		unsigned char byte = *(*p)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = v;
			return true;
		}
	}
	return false;
}

static int64_t
unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* One event, by the differences to the one before. */
static bool
take_event(struct pp_spaa_carry *c, const unsigned char **p, const unsigned char *end,
           struct pp_event *e, int64_t *values)
{
	struct pp_timeline *t = &c->builder.profile->series.at[c->timeline].timeline;
	int64_t node;
	uint64_t v;
	uint32_t i;

	if (t->n % PP_TIMELINE_BLOCK == 0) {
		*e = (struct pp_event){ 0 };
		memset(values, 0, t->columns * sizeof *values);
	}
	if (!take_varint(p, end, &v) || (v & 3) > PP_EVENT_SAMPLE)
		return false;
	e->kind = (enum pp_event_kind)(v & 3);
	if (__builtin_add_overflow((int64_t)e->node, unzigzag(v >> 2), &node) ||
	    !is_below(node, c->builder.profile->tree.n) || !take_varint(p, end, &v))
		return false;
	e->node = (pp_node)node;
	e->time = (int64_t)((uint64_t)e->time + (uint64_t)unzigzag(v));
	if (!take_varint(p, end, &v) || v > UINT32_MAX)
		return false;
	e->extra = (uint32_t)v;
	for (i = 0; i < t->columns; i++) {
		if (!take_varint(p, end, &v))
			return false;
		values[i] = (int64_t)((t->cumulative ? (uint64_t)values[i] : 0) +
		                      (uint64_t)unzigzag(v));
	}
	return grown(c, pp_timeline_add(t, e, values));
}

/* All events of the timeline that was collected. */
static bool
timeline_finish(struct pp_spaa_carry *c)
{
	const unsigned char *p = (const unsigned char *)(c->events.p ? c->events.p : "");
	const unsigned char *end = p + c->events.n;
	struct pp_event event = { 0 };
	struct pp_timeline *t;
	int64_t *values;
	bool fine;

	if (c->timeline < 0)
		return true;
	t = &c->builder.profile->series.at[c->timeline].timeline;
	values = calloc(t->columns + 1, sizeof *values);
	fine = grown(c, values != NULL);
	while (fine && t->n < c->timeline_n)
		fine = take_event(c, &p, end, &event, values);
	free(values);
	c->timeline = -1;
	c->events.n = 0;
	return (fine && p == end) || damaged(c, "a timeline is damaged");
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
	    p->series.at[c->series].timeline.last_values)
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
	       (pp_spaa_base64_take(private ? &c->bytes : &c->events, str.raw) &&
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
	int table;

	pp_scan_init(&s, text, 0, PP_SCAN_STRICT);
	c->series = -1;
	for (table = 0; table < PP_SPAA_TABLES; table++)
		if (pp_slice_eq_z(name, pp_spaa_carry_names[table]))
			break;
	(void)pp_scan_object(&s);
	while (fine && pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "series"))
			fine = take_int(&s, &c->series);
		else if (pp_json_str_eq(key, "n") && table < PP_SPAA_TABLES)
			fine = take_table(c, &s, (enum pp_spaa_carry_table)table);
		else if (pp_json_str_eq(key, "n") && pp_slice_eq_z(name, "timeline"))
			fine = take_timeline(c, &s);
		else if (pp_json_str_eq(key, "text") && pp_slice_eq_z(name, "strings"))
			fine = take_strings(c, &s);
		else if (pp_json_str_eq(key, "base64"))
			fine = take_bytes(c, &s, pp_slice_eq_z(name, "private"));
		else if (pp_slice_eq_z(name, "end"))
			fine = take_end(c, &s, key);
		else
			(void)pp_scan_skip(&s, NULL);
	}
	c->ended |= pp_slice_eq_z(name, "end");
	return (fine && s.error == PP_SCAN_OK) || damaged(c, "a record is damaged");
}

void
pp_spaa_carry_record(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	static const size_t prefix = sizeof PP_SPAA_CARRY_PREFIX - 1;
	struct pp_slice name = rec->u.name;

	if (name.n < prefix || memcmp(name.p, PP_SPAA_CARRY_PREFIX, prefix) != 0)
		return;
	if (!r->carry && !(r->carry = carry_new(r))) {
		pp_spaa_no_memory(r);
		return;
	}
	if (!r->carry->damage && pp_builder_ok(&r->carry->builder))
		(void)record_take(r->carry, rec->text,
		                  pp_slice_of(name.p + prefix, name.n - prefix));
	if (r->carry->builder.status == PP_E_NOMEM)
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
			costs.own[m] = pp_cell_value(&p->metrics.at[m], cells[1 + m]);
			costs.total[m] = pp_cell_value(&p->metrics.at[m],
			                               cells[1 + p->metrics.n + m]);
		}
	}
	return true;
}

/* The carried profile takes the place of the one that was read. */
static void
carry_install(struct pp_spaa_reader *r)
{
	struct pp_spaa_carry *c = r->carry;
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
		status = c->native->carry_load(p, pp_slice_of(c->bytes.p, c->bytes.n));
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
	struct pp_spaa_carry *c = r->carry;

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
	if (c->stacks != r->stacks.n || c->sum != r->mark) {
		pp_diag_add(r->reader->diags, &pp_spaa_rules[PP_SPAA_R_CARRY_STALE], PP_NOWHERE,
		            "the stacks were changed; the x_polyprof records are not used");
		return;
	}
	carry_install(r);
	r->installed = true;
}
