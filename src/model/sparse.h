/*
 * Numbers by row and column, most of which are 0: only the others take room. For profiles of so many metrics that
 * a cell for each in every row would be nearly all of it.
 *
 * A pp_gather grows: cells are found by hash, and those of a column one after the other. Settled it is a
 * pp_sparse, which does not change: the cells of a row stand together, by column.
 */
#ifndef PP_SPARSE_H
#define PP_SPARSE_H

#include "base/hash.h"
#include "base/vec.h"

/* Up to so many columns a row has a cell for each: adding them all is faster than finding some. */
#define PP_FEW_COLUMNS 32

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

struct pp_sparse {
	size_t size, rows;
	uint32_t *first;  /* by row, and one more: its first cell */
	uint32_t *column; /* by cell */
	unsigned char *cells;
};

/* Room for so many rows and cells, none of which is there; NULL when out of memory. */
struct pp_sparse *pp_sparse_new(size_t size, size_t rows, size_t cells);
struct pp_sparse *pp_sparse_copy(const struct pp_sparse *);
void pp_sparse_free(struct pp_sparse *);
/* Appends a cell to the last row, of the next column; and ends that row. There must be room. */
void pp_sparse_add(struct pp_sparse *, uint32_t column, const void *cell);
void pp_sparse_end_row(struct pp_sparse *);
/*
 * What was gathered, as so many rows. Column c of the result is column_of[c] of what was gathered, or c when that
 * is NULL. NULL when out of memory.
 */
struct pp_sparse *pp_gather_settle(const struct pp_gather *, size_t rows, const uint32_t *column_of,
                                   size_t columns);
/* The cell of a row and a column; NULL when that is 0. */
const void *pp_sparse_find(const struct pp_sparse *, size_t row, size_t column);

static inline const void *
pp_sparse_cell(const struct pp_sparse *s, size_t cell)
{
	return s->cells + cell * s->size;
}

#endif
