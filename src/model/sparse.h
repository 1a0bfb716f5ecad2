/*
 * Numbers by row and column, most of which are 0: only the others take room. For profiles of so many metrics that
 * a cell for each in every row would be nearly all of it.
 *
 * A pp_gather grows: cells are found by hash, and those of a column one after the other. Settled it is a
 * pp_wide, where the cells of a row stand together.
 */
#ifndef PP_SPARSE_H
#define PP_SPARSE_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/wide.h"

struct pp_gather_key {
	uint32_t row, column;
	uint32_t before; /* the cell of the same column that came before it, + 1 */
};

struct pp_gather {
	size_t size;   /* bytes of a cell; zero-initialised but for this and the seed it is empty */
	uint64_t seed; /* of the hash */
	PP_VEC(struct pp_gather_key) keys;
	unsigned char *cells;
	size_t room;
	PP_VEC(uint32_t) last; /* by column: its last cell + 1 */
	struct pp_map index;
};

void pp_gather_release(struct pp_gather *);
/* A cell, zero when it is new. Valid until the next call; NULL when out of memory. */
void *pp_gather_at(struct pp_gather *, uint32_t row, uint32_t column);
/* The same where there is one already; else NULL. */
const void *pp_gather_get(const struct pp_gather *, uint32_t row, uint32_t column);

/* The last cell of a column, and the one before a cell, each + 1; 0 when there is none. */
static inline uint32_t
pp_gather_last(const struct pp_gather *g, size_t column)
{
	return column < g->last.n ? g->last.at[column] : 0;
}

static inline uint32_t
pp_gather_before(const struct pp_gather *g, uint32_t cell)
{
	return g->keys.at[cell - 1].before;
}

static inline void *
pp_gather_cell(const struct pp_gather *g, uint32_t cell)
{
	return g->cells + (cell - 1) * g->size;
}

/*
 * What was gathered, as so many rows. Column c of the result is column_of[c] of what was gathered, or c when that
 * is NULL. NULL when out of memory.
 */
struct pp_wide *pp_gather_settle(const struct pp_gather *, size_t rows, const uint32_t *column_of,
                                 size_t columns);

#endif
