/*
 * Edges and lines: rows found by what they are, with cells of costs. The order decides how fine they are.
 */
#include "model/builder.h"
#include "model/schema.h"

/* The same where there are many metrics. */
static PP_NOINLINE bool
wide_append(struct pp_wide **wide, size_t rows)
{
	if (!rows && !*wide && !(*wide = pp_wide_new(sizeof(int64_t), 0)))
		return false;
	return pp_wide_push(*wide);
}

/* Cells of one more row, zero, before the row itself is there; false when out of memory. */
#define CELLS_APPEND(p, of, stride)                                                                \
	((of)->wide || (!(of)->rows.n && (p)->metrics.n > PP_FEW_COLUMNS)                          \
	     ? wide_append(&(of)->wide, (of)->rows.n)                                              \
	     : zeros_append(&(of)->cells.at, &(of)->cells.n, &(of)->cells.cap, stride))

static inline bool
zeros_append(int64_t **cells, size_t *n, size_t *cap, size_t stride)
{
	size_t i;

	if (PP_UNLIKELY(*n + stride > *cap) &&
	    !pp_vec_grow((void **)cells, cap, sizeof **cells, *n + stride))
		return false;
	for (i = 0; i < stride; i++)
		(*cells)[*n + i] = 0;
	*n += stride;
	return true;
}

static bool
edge_same(const struct pp_edge_row *a, const struct pp_edge_row *b)
{
	return a->caller == b->caller && a->callee == b->callee && a->site_file == b->site_file &&
	       a->site_line == b->site_line && a->site_address == b->site_address &&
	       a->series == b->series;
}

static uint32_t
edge_tag(const struct pp_builder *b, const struct pp_edge_row *row)
{
	uint64_t hash = pp_mix((uint64_t)row->caller << 32 | row->callee,
	                       PP_HASH_K1 ^ row->site_address);

	hash ^= (uint64_t)row->site_line << 32 | row->site_file;
	return pp_index_tag(&b->edge_index, pp_mix(hash, PP_HASH_K2 ^ row->series));
}

static uint32_t
edge_append(struct pp_builder *b, uint32_t tag, const struct pp_edge_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t i = (uint32_t)p->calls.rows.n;

	if (i == PP_MAP_NONE || !CELLS_APPEND(p, &p->calls, pp_edge_stride(p)) ||
	    !pp_vec_push(&p->calls.rows, *row) || !pp_index_add(&b->edge_index, tag, i)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return PP_MAP_NONE;
	}
	return i;
}

static inline uint32_t
edge_row(struct pp_builder *b, const struct pp_edge_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t tag = edge_tag(b, row), i;
	size_t at = pp_index_begin(&b->edge_index, tag);

	if (!pp_builder_ok(b))
		return PP_MAP_NONE;
	while ((i = pp_index_next(&b->edge_index, tag, &at)) != PP_MAP_NONE)
		if (edge_same(&p->calls.rows.at[i], row))
			return i;
	return edge_append(b, tag, row);
}

uint32_t
pp_build_edge_row(struct pp_builder *b, const struct pp_edge_row *row)
{
	return edge_row(b, row);
}

/* A cell of a row of many columns. */
static PP_NOINLINE int64_t *
wide_cell(struct pp_builder *b, struct pp_wide *wide, uint32_t row, size_t column)
{
	int64_t *cell = pp_wide_at(wide, row, (uint32_t)column);

	if (!cell)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return cell;
}

int64_t *
pp_build_edge_cell(struct pp_builder *b, uint32_t row, size_t column)
{
	struct pp_profile *p = b->profile;

	if (row == PP_MAP_NONE)
		return NULL;
	return PP_UNLIKELY(p->calls.wide) ? wide_cell(b, p->calls.wide, row, column)
	                                  : p->calls.cells.at + row * pp_edge_stride(p) + column;
}

int64_t *
pp_build_edge(struct pp_builder *b, const struct pp_edge_row *row)
{
	uint32_t i = edge_row(b, row);

	if (i != PP_MAP_NONE && b->profile->calls.wide)
		pp_builder_fail(b, PP_E_UNSUPPORTED, NULL);
	return pp_builder_ok(b) && i != PP_MAP_NONE ? pp_build_edge_cell(b, i, 0) : NULL;
}

bool
pp_build_edge_new(struct pp_builder *b, const struct pp_edge_row *row, const int64_t *cells)
{
	struct pp_profile *p = b->profile;
	size_t before = p->calls.rows.n, stride = pp_edge_stride(p), c;
	uint32_t i = pp_build_edge_row(b, row);

	if (p->calls.rows.n == before || i == PP_MAP_NONE)
		return false;
	if (!p->calls.wide)
		memcpy(p->calls.cells.at + i * stride, cells, stride * sizeof *cells);
	for (c = 0; p->calls.wide && c < stride; c++) {
		int64_t *cell = cells[c] ? pp_build_edge_cell(b, i, c) : NULL;

		if (cell)
			*cell = cells[c];
	}
	return pp_builder_ok(b);
}

static bool
line_same(const struct pp_line_row *a, const struct pp_line_row *b)
{
	return a->func == b->func && a->file == b->file && a->line == b->line &&
	       a->series == b->series && a->address == b->address;
}

static uint32_t
line_tag(const struct pp_builder *b, const struct pp_line_row *row)
{
	uint64_t hash = pp_mix((uint64_t)row->func << 32 | row->line, PP_HASH_K1 ^ row->address);

	hash ^= (uint64_t)row->file << 32 | row->series;
	return pp_index_tag(&b->line_index, pp_mix(hash, PP_HASH_K1));
}

static uint32_t
line_append(struct pp_builder *b, uint32_t tag, const struct pp_line_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t i = (uint32_t)p->lines.rows.n;

	if (i == PP_MAP_NONE || !CELLS_APPEND(p, &p->lines, pp_line_stride(p)) ||
	    !pp_vec_push(&p->lines.rows, *row) || !pp_index_add(&b->line_index, tag, i)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return PP_MAP_NONE;
	}
	return i;
}

static inline uint32_t
line_row(struct pp_builder *b, const struct pp_line_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t tag = line_tag(b, row), i;
	size_t at = pp_index_begin(&b->line_index, tag);

	if (!pp_builder_ok(b))
		return PP_MAP_NONE;
	while ((i = pp_index_next(&b->line_index, tag, &at)) != PP_MAP_NONE)
		if (line_same(&p->lines.rows.at[i], row))
			return i;
	return line_append(b, tag, row);
}

uint32_t
pp_build_line_row(struct pp_builder *b, const struct pp_line_row *row)
{
	return line_row(b, row);
}

int64_t *
pp_build_line_cell(struct pp_builder *b, uint32_t row, size_t column)
{
	struct pp_profile *p = b->profile;

	if (row == PP_MAP_NONE)
		return NULL;
	return PP_UNLIKELY(p->lines.wide) ? wide_cell(b, p->lines.wide, row, column)
	                                  : p->lines.cells.at + row * pp_line_stride(p) + column;
}

int64_t *
pp_build_line(struct pp_builder *b, const struct pp_line_row *row)
{
	uint32_t i = line_row(b, row);

	if (i != PP_MAP_NONE && b->profile->lines.wide)
		pp_builder_fail(b, PP_E_UNSUPPORTED, NULL);
	return pp_builder_ok(b) && i != PP_MAP_NONE ? pp_build_line_cell(b, i, 0) : NULL;
}

static void
over_tell(const struct pp_over *over, size_t metric)
{
	if (over)
		over->tell(over->ctx, metric);
}

/* Costs on their way to cells of a row: of the first `n` metrics, the others are 0. */
struct adding {
	struct pp_builder *b;
	const int64_t *costs;
	size_t n;
	const struct pp_over *over;
	bool edges;
};

/* Where the costs of a row of few metrics are; NULL where there are many. */
static int64_t *
few_cells(const struct adding *x, uint32_t row)
{
	const struct pp_profile *p = x->b->profile;

	if (PP_UNLIKELY(x->edges ? p->calls.wide != NULL : p->lines.wide != NULL))
		return NULL;
	return x->edges ? p->calls.cells.at + row * pp_edge_stride(p) + 1
	                : p->lines.cells.at + row * pp_line_stride(p) + p->lines.hits;
}

/* What a metric has in a row of many. */
static int64_t
many_get(const struct adding *x, uint32_t row, size_t m)
{
	const struct pp_profile *p = x->b->profile;

	return x->edges ? pp_edge_cell(p, row, 1 + m) : pp_line_cell(p, row, p->lines.hits + m);
}

/* Adds to a cell of a row of many metrics; false when a sum does not fit, and is left as it was, or on failure. */
static bool
many_add(const struct adding *x, uint32_t row, size_t m)
{
	struct pp_builder *b = x->b;
	int64_t *cell = x->edges ? pp_build_edge_cell(b, row, 1 + m)
	                         : pp_build_line_cell(b, row, b->profile->lines.hits + m);

	return cell && pp_cell_add(b->profile->metrics.at[m].type, cell, x->costs[m]);
}

/* Adds costs to a row; each sum that does not fit is left as it was, and told. */
static bool
costs_add(const struct adding *x, uint32_t row)
{
	const struct pp_metric *metrics = x->b->profile->metrics.at;
	int64_t *cells = few_cells(x, row);
	bool fits = true;
	size_t m;

	for (m = 0; m < x->n; m++)
		if (PP_UNLIKELY(cells ? !pp_cell_add(metrics[m].type, &cells[m], x->costs[m])
		                      : x->costs[m] && !many_add(x, row, m))) {
			if (!pp_builder_ok(x->b))
				return false;
			over_tell(x->over, m);
			fits = false;
		}
	return fits;
}

/* Whether all of them can be added to a row, of few or many. */
static PP_NOINLINE bool
many_fit(const struct adding *x, uint32_t row)
{
	size_t m;

	for (m = 0; m < x->n; m++) {
		int64_t cell = x->costs[m] ? many_get(x, row, m) : 0;

		if (!pp_cell_add(x->b->profile->metrics.at[m].type, &cell, x->costs[m]))
			return false;
	}
	return true;
}

/* Adds all of them, or none, when one does not fit; false then, or on failure. */
static inline bool
costs_try(const struct adding *x, uint32_t row)
{
	const struct pp_metric *metrics = x->b->profile->metrics.at;
	int64_t *cells = few_cells(x, row), before[PP_FEW_COLUMNS];
	size_t m;

	if (PP_UNLIKELY(!cells || x->n > PP_FEW_COLUMNS))
		return many_fit(x, row) && costs_add(x, row);
	for (m = 0; m < x->n; m++) {
		before[m] = cells[m];
		if (PP_UNLIKELY(!pp_cell_add(metrics[m].type, &cells[m], x->costs[m]))) {
			memcpy(cells, before, m * sizeof *cells);
			return false;
		}
	}
	return true;
}

/* Tells what cannot be. */
static PP_NOINLINE void
costs_tell(const struct adding *x, uint32_t row)
{
	size_t m;

	x->b->overflowed = true;
	for (m = 0; m < x->n; m++) {
		int64_t cell = many_get(x, row, m);

		if (!pp_cell_add(x->b->profile->metrics.at[m].type, &cell, x->costs[m]))
			over_tell(x->over, m);
	}
}

/* Adds costs of a function whose lines are not ordered: to another row when they do not fit. */
static bool
function_add(const struct adding *x, const struct pp_line_row *row)
{
	struct pp_builder *b = x->b;
	struct pp_profile *p = b->profile;
	struct pp_line_row plain = { .func = row->func, .series = row->series };
	uint32_t to = b->line_last;

	if (PP_UNLIKELY(to >= p->lines.rows.n || p->lines.rows.at[to].func != row->func ||
	                p->lines.rows.at[to].series != row->series))
		to = pp_build_line_row(b, &plain);
	if (to == PP_MAP_NONE)
		return false;
	p->lines.told++;
	b->line_last = to;
	if (PP_LIKELY(costs_try(x, to)))
		return true;
	if (!pp_builder_ok(b))
		return false;
	costs_tell(x, to);
	to = line_append(b, line_tag(b, &plain), &plain);
	if (to == PP_MAP_NONE)
		return false;
	b->line_last = to;
	return costs_add(x, to);
}

bool
pp_build_line_add(struct pp_builder *b, const struct pp_line_row *row, const int64_t *costs,
                  size_t n, const struct pp_over *over)
{
	struct adding x = { b, costs, n, over, false };
	uint32_t to;

	if (!pp_builder_keeps(b, PP_LINES))
		return function_add(&x, row);
	to = pp_build_line_row(b, row);
	return to != PP_MAP_NONE && costs_add(&x, to);
}

/* Adds costs and calls of a pair whose places are not ordered: to another row when they do not fit. */
static bool
pair_add(const struct adding *x, const struct pp_edge_row *row, uint64_t calls)
{
	struct pp_builder *b = x->b;
	struct pp_profile *p = b->profile;
	struct pp_edge_row plain = { .caller = row->caller,
		                     .callee = row->callee,
		                     .series = row->series };
	uint32_t to = pp_build_edge_row(b, &plain);
	int64_t *counted;
	bool room;

	if (to == PP_MAP_NONE)
		return false;
	p->calls.told++;
	room = (uint64_t)pp_edge_cell(p, to, 0) <= UINT64_MAX - calls;
	if (PP_UNLIKELY(!room || !costs_try(x, to))) {
		if (!pp_builder_ok(b))
			return false;
		costs_tell(x, to);
		if (!room)
			over_tell(x->over, p->metrics.n);
		to = edge_append(b, edge_tag(b, &plain), &plain);
		if (to == PP_MAP_NONE || !costs_add(x, to))
			return false;
	}
	counted = pp_build_edge_cell(b, to, 0);
	if (counted)
		*counted = (int64_t)((uint64_t)*counted + calls);
	return counted != NULL;
}

bool
pp_build_edge_add(struct pp_builder *b, const struct pp_edge_row *row, uint64_t calls,
                  const int64_t *costs, size_t n, const struct pp_over *over)
{
	struct adding x = { b, costs, n, over, true };
	int64_t *counted;
	uint32_t to;
	bool fits;

	if (!pp_builder_keeps(b, PP_EDGES))
		return pair_add(&x, row, calls);
	to = pp_build_edge_row(b, row);
	if (to == PP_MAP_NONE)
		return false;
	fits = costs_add(&x, to);
	counted = pp_build_edge_cell(b, to, 0);
	if (counted && !pp_cell_add(PP_UINT, counted, (int64_t)calls)) {
		over_tell(over, b->profile->metrics.n);
		fits = false;
	}
	return fits && counted;
}
