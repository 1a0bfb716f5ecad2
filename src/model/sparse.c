/*
 * Numbers by row and column, most of which are 0.
 */
#include "model/sparse.h"

#include <string.h>

/* ---- while it grows --------------------------------------------------------------------- */

void
pp_gather_release(struct pp_gather *g)
{
	pp_vec_release(&g->keys);
	pp_vec_release(&g->last);
	pp_map_release(&g->index);
	free(g->cells);
	g->cells = NULL;
	g->room = 0;
}

static uint64_t
key_of(uint32_t row, uint32_t column)
{
	return (uint64_t)row << 32 | column;
}

const void *
pp_gather_get(const struct pp_gather *g, uint32_t row, uint32_t column)
{
	uint32_t cell = g->index.n ? pp_map_get(&g->index, key_of(row, column)) : PP_MAP_NONE;

	return cell == PP_MAP_NONE ? NULL : g->cells + cell * g->size;
}

void *
pp_gather_at(struct pp_gather *g, uint32_t row, uint32_t column)
{
	uint64_t key = key_of(row, column);
	uint32_t cell = g->index.n ? pp_map_get(&g->index, key) : PP_MAP_NONE;
	size_t n = g->keys.n;

	if (cell != PP_MAP_NONE)
		return g->cells + cell * g->size;
	while (g->last.n <= column)
		if (!pp_vec_push(&g->last, 0))
			return NULL;
	g->index.seed = g->seed;
	if (n >= PP_MAP_NONE - 1 ||
	    (n >= g->room && !pp_vec_grow((void **)&g->cells, &g->room, g->size, n + 1)) ||
	    !pp_vec_reserve(&g->keys, n + 1) || !pp_map_set(&g->index, key, (uint32_t)n))
		return NULL;
	g->keys.at[g->keys.n++] = (struct pp_gather_key){ row, column, g->last.at[column] };
	g->last.at[column] = (uint32_t)n + 1;
	return memset(g->cells + n * g->size, 0, g->size);
}

/* ---- settled ---------------------------------------------------------------------------- */

struct pp_sparse *
pp_sparse_new(size_t size, size_t rows, size_t cells)
{
	struct pp_sparse *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->size = size;
	s->first = calloc(rows + 2, sizeof *s->first);
	s->column = malloc((cells + 1) * sizeof *s->column);
	s->cells = malloc((cells + 1) * size);
	if (s->first && s->column && s->cells)
		return s;
	pp_sparse_free(s);
	return NULL;
}

struct pp_sparse *
pp_sparse_copy(const struct pp_sparse *from)
{
	size_t cells = from->first[from->rows];
	struct pp_sparse *s = pp_sparse_new(from->size, from->rows, cells);

	if (!s)
		return NULL;
	s->rows = from->rows;
	memcpy(s->first, from->first, (s->rows + 1) * sizeof *s->first);
	memcpy(s->column, from->column, cells * sizeof *s->column);
	memcpy(s->cells, from->cells, cells * s->size);
	return s;
}

void
pp_sparse_free(struct pp_sparse *s)
{
	if (!s)
		return;
	free(s->first);
	free(s->column);
	free(s->cells);
	free(s);
}

void
pp_sparse_add(struct pp_sparse *s, uint32_t column, const void *cell)
{
	uint32_t at = s->first[s->rows + 1]++;

	s->column[at] = column;
	memcpy(s->cells + at * s->size, cell, s->size);
}

void
pp_sparse_end_row(struct pp_sparse *s)
{
	s->rows++;
	s->first[s->rows + 1] = s->first[s->rows];
}

struct pp_sparse *
pp_gather_settle(const struct pp_gather *g, size_t rows, const uint32_t *column_of, size_t columns)
{
	size_t cells = 0, c, row;
	struct pp_sparse *s;
	uint32_t at;

	/* Several columns may be one that was gathered. */
	for (c = 0; c < columns; c++)
		for (at = pp_gather_last(g, column_of ? column_of[c] : c); at;
		     at = pp_gather_before(g, at))
			cells++;
	s = cells < UINT32_MAX ? pp_sparse_new(g->size, rows, cells) : NULL;
	if (!s)
		return NULL;
	s->rows = rows;
	for (c = 0; c < columns; c++)
		for (at = pp_gather_last(g, column_of ? column_of[c] : c); at;
		     at = pp_gather_before(g, at))
			s->first[g->keys.at[at - 1].row + 1]++;
	for (row = 0; row < rows; row++)
		s->first[row + 1] += s->first[row];
	/* Columns in their order make each row ordered; a row's start moves on as it fills, and back in the end. */
	for (c = 0; c < columns; c++)
		for (at = pp_gather_last(g, column_of ? column_of[c] : c); at;
		     at = pp_gather_before(g, at)) {
			uint32_t to = s->first[g->keys.at[at - 1].row]++;

			s->column[to] = (uint32_t)c;
			memcpy(s->cells + to * s->size, pp_gather_cell(g, at), s->size);
		}
	memmove(s->first + 1, s->first, rows * sizeof *s->first);
	s->first[0] = 0;
	return s;
}

const void *
pp_sparse_find(const struct pp_sparse *s, size_t row, size_t column)
{
	size_t low = s->first[row], high = s->first[row + 1], end = high;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->column[middle] < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && s->column[low] == column ? s->cells + low * s->size : NULL;
}
