/*
 * Edges and lines: rows found by what they are, with cells of costs. The order decides how fine they are.
 */
#include "model/builder.h"

/* Appends `n` zero cells; NULL when that fails. */
static int64_t *
cells_append(struct pp_builder *b, int64_t **cells, size_t *count, size_t *cap, size_t n)
{
	if (*count + n > *cap && !pp_vec_grow((void **)cells, cap, sizeof **cells, *count + n)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	memset(*cells + *count, 0, n * sizeof **cells);
	*count += n;
	return *cells + *count - n;
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

static int64_t *
edge_append(struct pp_builder *b, uint32_t tag, const struct pp_edge_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t i = (uint32_t)p->calls.rows.n;

	if (i == PP_MAP_NONE || !pp_vec_push(&p->calls.rows, *row) ||
	    !pp_index_add(&b->edge_index, tag, i)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	return cells_append(b, &p->calls.cells.at, &p->calls.cells.n, &p->calls.cells.cap,
	                    pp_edge_stride(p));
}

int64_t *
pp_build_edge(struct pp_builder *b, const struct pp_edge_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t tag = edge_tag(b, row), i;
	size_t at = pp_index_begin(&b->edge_index, tag);

	if (!pp_builder_ok(b))
		return NULL;
	while ((i = pp_index_next(&b->edge_index, tag, &at)) != PP_MAP_NONE)
		if (edge_same(&p->calls.rows.at[i], row))
			return p->calls.cells.at + i * pp_edge_stride(p);
	return edge_append(b, tag, row);
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

static int64_t *
line_append(struct pp_builder *b, uint32_t tag, const struct pp_line_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t i = (uint32_t)p->lines.rows.n;

	if (i == PP_MAP_NONE || !pp_vec_push(&p->lines.rows, *row) ||
	    !pp_index_add(&b->line_index, tag, i)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	return cells_append(b, &p->lines.cells.at, &p->lines.cells.n, &p->lines.cells.cap,
	                    pp_line_stride(p));
}

int64_t *
pp_build_line(struct pp_builder *b, const struct pp_line_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t tag = line_tag(b, row), i;
	size_t at = pp_index_begin(&b->line_index, tag);

	if (!pp_builder_ok(b))
		return NULL;
	while ((i = pp_index_next(&b->line_index, tag, &at)) != PP_MAP_NONE)
		if (line_same(&p->lines.rows.at[i], row))
			return p->lines.cells.at + i * pp_line_stride(p);
	return line_append(b, tag, row);
}

/* Adds a vector to cells of the profile's metrics; each sum that does not fit is left as it was, and told. */
static bool
cells_add(const struct pp_profile *p, int64_t *cells, const int64_t *costs,
          const struct pp_over *over)
{
	bool fits = true;
	size_t m;

	for (m = 0; m < p->metrics.n; m++)
		if (PP_UNLIKELY(!pp_cell_add(p->metrics.at[m].type, &cells[m], costs[m]))) {
			over->tell(over->ctx, m);
			fits = false;
		}
	return fits;
}

/* Whether all of a vector can be added. */
static bool
cells_fit(const struct pp_profile *p, const int64_t *cells, const int64_t *costs)
{
	size_t m;

	for (m = 0; m < p->metrics.n; m++) {
		int64_t cell = cells[m];

		if (PP_UNLIKELY(!pp_cell_add(p->metrics.at[m].type, &cell, costs[m])))
			return false;
	}
	return true;
}

/* Tells what cannot be. */
static PP_NOINLINE void
cells_tell(struct pp_builder *b, const int64_t *cells, const int64_t *costs,
           const struct pp_over *over)
{
	const struct pp_profile *p = b->profile;
	size_t m;

	b->overflowed = true;
	for (m = 0; m < p->metrics.n; m++) {
		int64_t cell = cells[m];

		if (!pp_cell_add(p->metrics.at[m].type, &cell, costs[m]))
			over->tell(over->ctx, m);
	}
}

/* The row that costs of a function go to when its lines are not ordered: another one when they do not fit. */
static int64_t *
function_line(struct pp_builder *b, const struct pp_line_row *row, const int64_t *costs,
              const struct pp_over *over)
{
	struct pp_profile *p = b->profile;
	size_t stride = pp_line_stride(p), last = b->line_last;
	struct pp_line_row plain = { .func = row->func, .series = row->series };
	int64_t *cells;

	if (PP_LIKELY(last < p->lines.rows.n && p->lines.rows.at[last].func == row->func &&
	              p->lines.rows.at[last].series == row->series))
		cells = p->lines.cells.at + last * stride;
	else
		cells = pp_build_line(b, &plain);
	p->lines.told++;
	if (cells && PP_UNLIKELY(!cells_fit(p, cells + p->lines.hits, costs))) {
		cells_tell(b, cells + p->lines.hits, costs, over);
		cells = line_append(b, line_tag(b, &plain), &plain);
	}
	if (cells)
		b->line_last = (uint32_t)((size_t)(cells - p->lines.cells.at) / stride);
	return cells;
}

bool
pp_build_line_add(struct pp_builder *b, const struct pp_line_row *row, const int64_t *costs,
                  const struct pp_over *over)
{
	struct pp_profile *p = b->profile;
	int64_t *cells = pp_builder_keeps(b, PP_LINES) ? pp_build_line(b, row)
	                                               : function_line(b, row, costs, over);

	return cells && cells_add(p, cells + p->lines.hits, costs, over);
}

bool
pp_build_edge_add(struct pp_builder *b, const struct pp_edge_row *row, int64_t calls,
                  const int64_t *costs, const struct pp_over *over)
{
	struct pp_profile *p = b->profile;
	struct pp_edge_row plain = { .caller = row->caller,
		                     .callee = row->callee,
		                     .series = row->series };
	bool fits, places = pp_builder_keeps(b, PP_EDGES);
	int64_t *cells = pp_build_edge(b, places ? row : &plain);

	if (!places && cells &&
	    PP_UNLIKELY(!cells_fit(p, cells + 1, costs) || cells[0] > INT64_MAX - calls)) {
		cells_tell(b, cells + 1, costs, over);
		if (cells[0] > INT64_MAX - calls)
			over->tell(over->ctx, p->metrics.n);
		cells = edge_append(b, edge_tag(b, &plain), &plain);
	}
	if (!cells)
		return false;
	p->calls.told += !places;
	fits = cells_add(p, cells + 1, costs, over);
	if (!pp_cell_add(PP_INT, &cells[0], calls)) {
		over->tell(over->ctx, p->metrics.n);
		fits = false;
	}
	return fits;
}
