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

/* The cells of a column, from the last one to the first. */
#define EACH_CELL(g, c, at)                                                                        \
	for ((at) = pp_gather_last((g), column_of ? column_of[c] : (c)); (at);                     \
	     (at) = pp_gather_before((g), (at)))

struct pp_wide *
pp_gather_settle(const struct pp_gather *g, size_t rows, const uint32_t *column_of, size_t columns)
{
	size_t cells = 0, c, row;
	struct pp_wide *w = pp_wide_new(g->size, rows);
	uint32_t at;

	/* Several columns may be one that was gathered. */
	for (c = 0; w && c < columns; c++)
		EACH_CELL(g, c, at)
		{
			cells++;
			w->rows.at[g->keys.at[at - 1].row].room++;
		}
	if (!w || !pp_wide_reserve(w, cells)) {
		pp_wide_free(w);
		return NULL;
	}
	for (row = 0; row < rows; row++) {
		w->rows.at[row].first = (uint32_t)w->n;
		w->n += w->rows.at[row].room;
	}
	/* Columns in their order make each row ordered. */
	for (c = 0; c < columns; c++)
		EACH_CELL(g, c, at)
		{
			struct pp_span *s = &w->rows.at[g->keys.at[at - 1].row];
			size_t to = (size_t)s->first + s->n++;

			w->column[to] = (uint32_t)c;
			memcpy(w->cells + to * w->size, pp_gather_cell(g, at), w->size);
		}
	return w;
}
