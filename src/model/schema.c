/*
 * The tables of a profile as data. The order of columns is that of the records by which SPAA carries them
 * (docs/formats/spaa.md): new ones go to the end.
 */
#include "model/schema.h"

#define COLUMN(row, member, ...)                                                                   \
	{                                                                                          \
		.name = #member, .offset = (uint16_t)offsetof(row, member),                        \
		.size = sizeof(((row *)0)->member), __VA_ARGS__                                    \
	}
#define NO_COLUMN(title)                                                                           \
	{                                                                                          \
		.name = (title)                                                                    \
	}
#define BOOLEAN .to = PP_NUMBER, .bound = 2

static const struct pp_column profile_columns[] = {
	COLUMN(struct pp_profile, variant, .to = PP_TO_STR),
	COLUMN(struct pp_profile, producer, .to = PP_TO_STR),
	COLUMN(struct pp_profile, complete, BOOLEAN),
	COLUMN(struct pp_profile, estimated, BOOLEAN),
	COLUMN(struct pp_profile, facets, .to = PP_FLAGS),
	COLUMN(struct pp_profile, holds, .to = PP_FLAGS),
	NO_COLUMN("basis"), /* see pp_profile_basis() */
	COLUMN(struct pp_profile, calls.own, BOOLEAN),
	COLUMN(struct pp_profile, calls.self_repeats, BOOLEAN),
	COLUMN(struct pp_profile, lines.hits, BOOLEAN),
	COLUMN(struct pp_profile, events),
	COLUMN(struct pp_profile, samples),
	COLUMN(struct pp_profile, time.known, BOOLEAN),
	COLUMN(struct pp_profile, time.start),
	COLUMN(struct pp_profile, time.end),
	COLUMN(struct pp_profile, recorded_at),
	COLUMN(struct pp_profile, recorded_ns, .bound = 1000000000),
	COLUMN(struct pp_profile, markers),
	COLUMN(struct pp_profile, calls.outermost, BOOLEAN),
};

static const struct pp_column module_columns[] = {
	COLUMN(struct pp_module_row, name, .to = PP_TO_STR),
	COLUMN(struct pp_module_row, build_id, .to = PP_TO_STR),
	COLUMN(struct pp_module_row, kind, .bound = PP_MODULE_SCRIPT + 1),
};

static const struct pp_column func_columns[] = {
	COLUMN(struct pp_func_row, name, .to = PP_TO_STR),
	COLUMN(struct pp_func_row, file, .to = PP_TO_STR),
	COLUMN(struct pp_func_row, module, .to = PP_TO_MODULE),
	COLUMN(struct pp_func_row, line),
	COLUMN(struct pp_func_row, last_line),
	COLUMN(struct pp_func_row, flags, .to = PP_FLAGS, .bound = PP_FUNC_DECLARED << 1),
	COLUMN(struct pp_func_row, same, .to = PP_TO_OWN, .needed = true),
	COLUMN(struct pp_func_row, column),
};

#define FUNC_SAME 6

static const struct pp_column frame_columns[] = {
	COLUMN(struct pp_frame_row, func, .to = PP_TO_FUNC, .needed = true),
	COLUMN(struct pp_frame_row, line),
	COLUMN(struct pp_frame_row, column),
	COLUMN(struct pp_frame_row, site_line),
	COLUMN(struct pp_frame_row, address),
	COLUMN(struct pp_frame_row, offset),
	COLUMN(struct pp_frame_row, inline_depth),
	COLUMN(struct pp_frame_row, flags, .to = PP_FLAGS, .bound = PP_FRAME_NEITHER << 1),
	COLUMN(struct pp_frame_row, file, .to = PP_TO_STR),
};

/* A node's row is its key. */
static const struct pp_column node_columns[] = {
	{ .name = "parent", .size = sizeof(pp_node), .to = PP_TO_EARLIER },
	{ .name = "frame", .size = sizeof(pp_frame), .to = PP_TO_FRAME, .needed = true },
};

static const struct pp_column metric_columns[] = {
	COLUMN(struct pp_metric, name, .to = PP_TO_STR),
	COLUMN(struct pp_metric, title, .to = PP_TO_STR),
	COLUMN(struct pp_metric, event, .to = PP_TO_STR),
	COLUMN(struct pp_metric, unit, .to = PP_TO_STR),
	COLUMN(struct pp_metric, type, .bound = PP_REAL + 1),
	COLUMN(struct pp_metric, kind, .bound = PP_KIND_EVENTS + 1),
	COLUMN(struct pp_metric, flags, .to = PP_FLAGS, .bound = PP_METRIC_UNSURE << 1),
	COLUMN(struct pp_metric, scale, .bound = 21),
	COLUMN(struct pp_metric, factor_num),
	COLUMN(struct pp_metric, factor_den),
};

static const struct pp_column label_columns[] = {
	COLUMN(struct pp_label_row, rest, .to = PP_TO_EARLIER),
	COLUMN(struct pp_label_row, key, .to = PP_TO_STR),
	COLUMN(struct pp_label_row, text, .to = PP_TO_STR),
	COLUMN(struct pp_label_row, unit, .to = PP_TO_STR),
	COLUMN(struct pp_label_row, type, .bound = PP_LABEL_NUMBER + 1),
	COLUMN(struct pp_label_row, number),
};

static const struct pp_column series_columns[] = {
	COLUMN(struct pp_series, event, .to = PP_TO_STR),
	COLUMN(struct pp_series, process, .to = PP_TO_STR),
	COLUMN(struct pp_series, thread, .to = PP_TO_STR),
	COLUMN(struct pp_series, pid),
	COLUMN(struct pp_series, tid),
	COLUMN(struct pp_series, cpu),
	COLUMN(struct pp_series, context, .to = PP_TO_STR),
	COLUMN(struct pp_series, dense, BOOLEAN),
	COLUMN(struct pp_series, has_calls, BOOLEAN),
	COLUMN(struct pp_series, measured, BOOLEAN),
	COLUMN(struct pp_series, labels, .to = PP_TO_LABELS),
};

static const struct pp_column call_columns[] = {
	COLUMN(struct pp_edge_row, caller, .to = PP_TO_FUNC),
	COLUMN(struct pp_edge_row, callee, .to = PP_TO_FUNC, .needed = true),
	COLUMN(struct pp_edge_row, site_file, .to = PP_TO_STR),
	COLUMN(struct pp_edge_row, site_line),
	COLUMN(struct pp_edge_row, site_address),
	COLUMN(struct pp_edge_row, series, .to = PP_TO_SERIES),
};

static const struct pp_column line_columns[] = {
	COLUMN(struct pp_line_row, func, .to = PP_TO_FUNC),
	COLUMN(struct pp_line_row, file, .to = PP_TO_STR),
	COLUMN(struct pp_line_row, line),
	COLUMN(struct pp_line_row, series, .to = PP_TO_SERIES),
	COLUMN(struct pp_line_row, address),
};

/* A parent is told as its row + 1. */
static const struct pp_column meta_columns[] = {
	COLUMN(struct pp_meta_row, parent, .to = PP_TO_OWN),
	COLUMN(struct pp_meta_row, key, .to = PP_TO_STR),
	COLUMN(struct pp_meta_row, text, .to = PP_TO_STR),
	COLUMN(struct pp_meta_row, type, .bound = PP_META_ARRAY + 1),
};

#define META_PARENT 0

static const struct pp_column extra_columns[] = {
	COLUMN(struct pp_extra_row, table),
	COLUMN(struct pp_extra_row, row),
	COLUMN(struct pp_extra_row, key, .to = PP_TO_STR),
	COLUMN(struct pp_extra_row, bytes, .to = PP_TO_STR),
};

static const struct pp_column source_columns[] = {
	COLUMN(struct pp_source_row, file, .to = PP_TO_STR),
	COLUMN(struct pp_source_row, line),
	COLUMN(struct pp_source_row, text, .to = PP_TO_STR),
};

static const struct pp_column not_own_columns[] = {
	COLUMN(struct pp_not_own_row, series, .to = PP_TO_SERIES),
	COLUMN(struct pp_not_own_row, metric, .to = PP_TO_METRIC),
	COLUMN(struct pp_not_own_row, node, .to = PP_TO_NODE),
	COLUMN(struct pp_not_own_row, cell),
};

static const struct pp_column fact_columns[] = {
	COLUMN(struct pp_fact_row, func, .to = PP_TO_FUNC, .needed = true),
	COLUMN(struct pp_fact_row, recursion),
	COLUMN(struct pp_fact_row, places),
	COLUMN(struct pp_fact_row, files),
	COLUMN(struct pp_fact_row, metric, .to = PP_TO_METRIC),
	COLUMN(struct pp_fact_row, recursive),
};

#define TABLE(member, from, list, ...)                                                             \
	{                                                                                          \
		.rows = offsetof(struct pp_profile, member),                                       \
		.row_size = sizeof *((struct pp_profile *)0)->member.at, .first = (from),          \
		.columns = (list), .n = PP_COUNT_OF(list), __VA_ARGS__                             \
	}

const struct pp_table pp_schema[PP_TABLES] = {
	[PP_TABLE_PROFILE] = { .row_size = sizeof(struct pp_profile),
	                       .columns = profile_columns,
	                       .n = PP_COUNT_OF(profile_columns) },
	[PP_TABLE_MODULES] = TABLE(modules, 1, module_columns),
	[PP_TABLE_FUNCS] = TABLE(funcs, 1, func_columns),
	[PP_TABLE_FRAMES] = TABLE(frames, 1, frame_columns),
	[PP_TABLE_NODES] = { .row_size = sizeof(uint64_t),
	                     .first = 1,
	                     .columns = node_columns,
	                     .n = PP_COUNT_OF(node_columns) },
	[PP_TABLE_LABELS] = TABLE(labels, 1, label_columns),
	[PP_TABLE_METRICS] = TABLE(metrics, 0, metric_columns),
	[PP_TABLE_SERIES] = TABLE(series, 0, series_columns),
	[PP_TABLE_CALLS] = TABLE(calls.rows, 0, call_columns, .cells = true),
	[PP_TABLE_LINES] = TABLE(lines.rows, 0, line_columns, .cells = true),
	[PP_TABLE_META] = TABLE(meta, 0, meta_columns),
	[PP_TABLE_EXTRAS] = TABLE(kept.extras, 0, extra_columns),
	[PP_TABLE_SOURCES] = TABLE(sources, 0, source_columns),
	[PP_TABLE_NOT_OWN] = TABLE(not_own, 0, not_own_columns),
	[PP_TABLE_FACTS] = TABLE(calls.facts, 0, fact_columns),
};

/* ---- rows ------------------------------------------------------------------------------- */

/* Any PP_VEC, which has the same members whatever it holds. */
struct vec {
	void *at;
	size_t n, cap;
};

static struct vec
vec_get(const struct pp_profile *p, size_t offset)
{
	struct vec v;

	memcpy(&v, (const char *)p + offset, sizeof v);
	return v;
}

/* Appends bytes to the vector at an offset; false when out of memory. */
static bool
vec_append(struct pp_profile *p, size_t offset, size_t size, const void *items, size_t n)
{
	struct vec v = vec_get(p, offset);

	if (v.n + n > v.cap && !pp_vec_grow(&v.at, &v.cap, size, v.n + n))
		return false;
	if (n)
		memcpy((char *)v.at + v.n * size, items, n * size);
	v.n += n;
	memcpy((char *)p + offset, &v, sizeof v);
	return true;
}

static size_t
stride_of(const struct pp_profile *p, enum pp_table_id id)
{
	return id == PP_TABLE_CALLS   ? pp_edge_stride(p)
	       : id == PP_TABLE_LINES ? pp_line_stride(p)
	                              : 0;
}

size_t
pp_table_rows(const struct pp_profile *p, enum pp_table_id id)
{
	if (id == PP_TABLE_PROFILE)
		return 1;
	return id == PP_TABLE_NODES ? p->tree.n : vec_get(p, pp_schema[id].rows).n;
}

size_t
pp_table_width(const struct pp_profile *p, enum pp_table_id id)
{
	return pp_schema[id].n + stride_of(p, id);
}

/* All cells of a row. */
static struct pp_cells
cells_of(const struct pp_profile *p, enum pp_table_id id, size_t row)
{
	const struct pp_wide *wide = id == PP_TABLE_CALLS   ? p->calls.wide
	                             : id == PP_TABLE_LINES ? p->lines.wide
	                                                    : NULL;
	size_t stride = stride_of(p, id);

	if (!stride)
		return (struct pp_cells){ 0 };
	if (wide)
		return pp_wide_cells(wide, row, 0, (uint32_t)stride);
	return (struct pp_cells){
		.at = (id == PP_TABLE_CALLS ? p->calls.cells.at : p->lines.cells.at) + row * stride,
		.n = stride
	};
}

int64_t
pp_table_number_of(const struct pp_profile *p, enum pp_table_id id, size_t row, size_t column)
{
	return id == PP_TABLE_CALLS ? pp_edge_cell(p, row, column) : pp_line_cell(p, row, column);
}

/* Members of the widths that columns have; none is signed but those of 64 bits. */
static int64_t
member_get(const void *at, size_t size)
{
	return size == 1   ? *(const uint8_t *)at
	       : size == 2 ? *(const uint16_t *)at
	       : size == 4 ? *(const uint32_t *)at
	       : size == 8 ? *(const int64_t *)at
	                   : 0;
}

static void
member_set(void *at, size_t size, int64_t v)
{
	if (size == 1)
		*(uint8_t *)at = (uint8_t)v;
	else if (size == 2)
		*(uint16_t *)at = (uint16_t)v;
	else if (size == 4)
		*(uint32_t *)at = (uint32_t)v;
	else if (size == 8)
		*(int64_t *)at = v;
}

const struct pp_column *
pp_table_column(enum pp_table_id id, const char *name)
{
	const struct pp_column *c = pp_schema[id].columns;

	while (strcmp(c->name, name) != 0)
		c++;
	return c;
}

static const char *
row_at(const struct pp_profile *p, enum pp_table_id id, size_t row)
{
	const struct pp_table *t = &pp_schema[id];

	return id == PP_TABLE_PROFILE ? (const char *)p
	                              : (const char *)vec_get(p, t->rows).at + row * t->row_size;
}

int64_t
pp_table_cell(const struct pp_profile *p, enum pp_table_id id, size_t row,
              const struct pp_column *c)
{
	return member_get(row_at(p, id, row) + c->offset, c->size);
}

void
pp_table_get(const struct pp_profile *p, enum pp_table_id id, size_t row, int64_t *numbers)
{
	const struct pp_table *t = &pp_schema[id];
	size_t i, stride = stride_of(p, id);
	struct pp_cells cells = cells_of(p, id, row);

	if (id == PP_TABLE_NODES) {
		numbers[0] = pp_tree_parent(&p->tree, (pp_node)row);
		numbers[1] = pp_tree_frame(&p->tree, (pp_node)row);
		return;
	}
	for (i = 0; i < t->n; i++)
		numbers[i] = pp_table_cell(p, id, row, &t->columns[i]);
	if (t->cells)
		memset(numbers + t->n, 0, stride * sizeof *numbers);
	for (i = 0; i < cells.n; i++)
		numbers[t->n + pp_cells_column(&cells, i)] = cells.at[i];
}

/* ---- checks ----------------------------------------------------------------------------- */

/* Whether a number may stand in a column of row `row`, as far as it refers to something. */
static bool
is_there(const struct pp_profile *p, enum pp_refers to, size_t row, uint64_t v)
{
	switch (to) {
	case PP_TO_STR:
		return v < p->strs.strs.n;
	case PP_TO_MODULE:
		return v < p->modules.n;
	case PP_TO_FUNC:
		return v < p->funcs.n;
	case PP_TO_FRAME:
		return v < p->frames.n;
	case PP_TO_NODE:
		return v < p->tree.n;
	case PP_TO_METRIC:
		return v < p->metrics.n;
	case PP_TO_SERIES:
		/* Calls and lines name the first series where there is none at all. */
		return v < p->series.n || v == 0;
	case PP_TO_LABELS:
		return v < p->labels.n || v == 0;
	case PP_TO_EARLIER:
		return v < row;
	case PP_TO_OWN:
		return v <= row;
	case PP_NUMBER:
	case PP_FLAGS:
	case PP_REFERS:
		break;
	}
	return true;
}

/* Whether the parent of a row of meta is an object or array that is still open: one of those that the row before is in. */
static bool
is_open(const struct pp_profile *p, size_t row, uint64_t parent)
{
	uint64_t open = row;

	if (parent == 0)
		return true;
	while (open && open != parent)
		open = p->meta.at[open - 1].parent;
	return open && (p->meta.at[open - 1].type == PP_META_OBJECT ||
	                p->meta.at[open - 1].type == PP_META_ARRAY);
}

/* Whether a function is the same as itself or one before it that speaks for all of its identity. */
static bool
is_settled(const struct pp_profile *p, size_t row, uint64_t same)
{
	return same == row || p->funcs.at[same].same == same;
}

bool
pp_table_fits(const struct pp_profile *p, enum pp_table_id id, size_t row, const int64_t *numbers)
{
	const struct pp_table *t = &pp_schema[id];
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct pp_column *c = &t->columns[i];
		uint64_t v = (uint64_t)numbers[i];

		if (c->size == 0)
			continue;
		if ((c->size < sizeof v && v >> 8 * c->size) || (c->needed && v == 0) ||
		    (c->to == PP_NUMBER && c->bound && v >= c->bound) ||
		    !is_there(p, c->to, row, v))
			return false;
	}
	return id == PP_TABLE_META    ? is_open(p, row, (uint64_t)numbers[META_PARENT])
	       : id == PP_TABLE_FUNCS ? is_settled(p, row, (uint64_t)numbers[FUNC_SAME])
	                              : true;
}

/* ---- making rows ------------------------------------------------------------------------ */

void
pp_table_row(enum pp_table_id id, const int64_t *numbers, void *row)
{
	const struct pp_table *t = &pp_schema[id];
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct pp_column *c = &t->columns[i];
		bool masked = c->to == PP_FLAGS && c->bound;

		member_set((char *)row + c->offset, c->size,
		           masked ? numbers[i] & (c->bound - 1) : numbers[i]);
	}
}

/* The cells of one more row, before it is there. */
static bool
cells_append(struct pp_profile *p, enum pp_table_id id, const int64_t *cells)
{
	bool calls = id == PP_TABLE_CALLS;
	struct pp_wide **wide = calls ? &p->calls.wide : &p->lines.wide;
	size_t rows = calls ? p->calls.rows.n : p->lines.rows.n;

	if (!rows && !*wide && p->metrics.n > PP_FEW_COLUMNS &&
	    !(*wide = pp_wide_new(sizeof *cells, 0)))
		return false;
	return *wide ? pp_wide_add_cells(*wide, cells, stride_of(p, id))
	             : vec_append(p,
	                          calls ? offsetof(struct pp_profile, calls.cells)
	                                : offsetof(struct pp_profile, lines.cells),
	                          sizeof *cells, cells, stride_of(p, id));
}

bool
pp_table_append(struct pp_profile *p, enum pp_table_id id, const int64_t *numbers)
{
	const struct pp_table *t = &pp_schema[id];
	union {
		struct pp_func_row func;
		struct pp_frame_row frame;
		struct pp_edge_row edge;
		char bytes[128];
	} row;

	memset(&row, 0, sizeof row);
	pp_table_row(id, numbers, &row);
	return (!t->cells || cells_append(p, id, numbers + t->n)) &&
	       vec_append(p, t->rows, t->row_size, &row, 1);
}

void
pp_table_translate(enum pp_table_id id, void *row, const uint32_t *const maps[PP_REFERS])
{
	const struct pp_table *t = &pp_schema[id];
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct pp_column *c = &t->columns[i];
		char *at = (char *)row + c->offset;

		if (maps[c->to])
			member_set(at, c->size, maps[c->to][member_get(at, c->size)]);
	}
}

/* ---- cells ------------------------------------------------------------------------------ */

size_t
pp_cell_blocks(const struct pp_profile *p)
{
	return p->series.n + 2;
}

struct pp_cell_block
pp_cell_block(struct pp_profile *p, size_t block)
{
	struct pp_series *s = block < p->series.n ? &p->series.at[block] : NULL;
	size_t n = p->metrics.n;

	if (s)
		return (struct pp_cell_block){ .cells = &s->cells,
			                       .wide = &s->wide,
			                       .rows = s->rows,
			                       .stride = s->stride,
			                       .set = { 0, n + s->has_calls },
			                       .sets = s->measured ? 2 : 1 };
	if (block == p->series.n)
		return (struct pp_cell_block){ .cells = &p->calls.cells.at,
			                       .n = &p->calls.cells.n,
			                       .cap = &p->calls.cells.cap,
			                       .wide = &p->calls.wide,
			                       .rows = p->calls.rows.n,
			                       .stride = pp_edge_stride(p),
			                       .set = { 1, 1 + n },
			                       .sets = p->calls.own ? 2 : 1 };
	return (struct pp_cell_block){ .cells = &p->lines.cells.at,
		                       .n = &p->lines.cells.n,
		                       .cap = &p->lines.cells.cap,
		                       .wide = &p->lines.wide,
		                       .rows = p->lines.rows.n,
		                       .stride = pp_line_stride(p),
		                       .set = { p->lines.hits },
		                       .sets = 1 };
}

bool
pp_cells_choose(struct pp_cell_block b, const bool *metrics, size_t n, const bool *rows)
{
	uint32_t *new_of = malloc((b.stride + 1) * sizeof *new_of), left = 0;
	int64_t *to = *b.cells;
	size_t row, set, c;

	for (c = 0; new_of && c < b.stride; c++) {
		bool stays = true;

		for (set = 0; set < b.sets; set++)
			stays &= c < b.set[set] || c >= b.set[set] + n || metrics[c - b.set[set]];
		new_of[c] = stays ? left++ : PP_NO_COLUMN;
	}
	if (new_of && *b.wide) {
		pp_wide_rename(*b.wide, new_of);
		if (rows)
			pp_wide_keep(*b.wide, rows);
	}
	for (row = 0; new_of && to && !*b.wide && row < b.rows; row++)
		for (c = 0; (!rows || rows[row]) && c < b.stride; c++)
			if (new_of[c] != PP_NO_COLUMN)
				*to++ = (*b.cells)[row * b.stride + c];
	if (new_of && to && b.n && !*b.wide)
		*b.n = (size_t)(to - *b.cells);
	free(new_of);
	return new_of != NULL;
}
