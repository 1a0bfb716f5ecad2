/*
 * Rows of so many columns that a cell for each would be nearly all of a profile: only cells that were touched take
 * room. The cells of a row stand together, by column, at any time; rows grow and are looked at in any order.
 */
#ifndef PP_WIDE_H
#define PP_WIDE_H

#include "base/vec.h"

/* Up to so many columns a row has a cell for each: adding them all is faster than finding some. */
#define PP_FEW_COLUMNS 32

struct pp_span {
	uint32_t first, n, room;
};

struct pp_wide {
	size_t size; /* bytes of a cell */
	PP_VEC(struct pp_span) rows;
	uint32_t *column; /* by cell */
	unsigned char *cells;
	size_t n, columns_room, cells_room;
};

/* So many rows without cells; NULL when out of memory. */
struct pp_wide *pp_wide_new(size_t size, size_t rows);
/* A copy without the room that growing left. */
struct pp_wide *pp_wide_copy(const struct pp_wide *);
void pp_wide_free(struct pp_wide *);
/* One more row; false when out of memory. */
bool pp_wide_push(struct pp_wide *);
/* Room for so many cells in all; false when out of memory. */
bool pp_wide_reserve(struct pp_wide *, size_t cells);
/* One more row, with the cells that a row of another one has; false when out of memory. */
bool pp_wide_add_row(struct pp_wide *, const struct pp_wide *from, size_t row);
/* A row with a cell for each column as one more row, of which only what is not 0 is kept; false when out of memory. */
bool pp_wide_add_cells(struct pp_wide *, const int64_t *cells, size_t columns);
/* Calls columns otherwise, in the same order: new_of[c], or PP_NO_COLUMN, which are dropped. */
#define PP_NO_COLUMN UINT32_MAX
void pp_wide_rename(struct pp_wide *, const uint32_t *new_of);
/* Leaves out the rows whose flag is not set. */
void pp_wide_keep(struct pp_wide *, const bool *stays);
/* Leaves no row. */
void pp_wide_clear(struct pp_wide *);
/* A cell, zero when it is new. Valid until the next call; NULL when out of memory. */
void *pp_wide_at(struct pp_wide *, size_t row, uint32_t column);
/* Where column `column` of a row stands, or would stand, among its cells. */
size_t pp_wide_place(const struct pp_wide *, size_t row, uint32_t column);
/* The same cell where there is one; else NULL. */
const void *pp_wide_find(const struct pp_wide *, size_t row, uint32_t column);

/* Cells of a row, few or many: cell i is that of column pp_cells_column(). Those that are missing are 0. */
struct pp_cells {
	const int64_t *at;
	const uint32_t *column; /* NULL = all columns are there, in their order */
	uint32_t base;          /* what the first column is called there */
	size_t n;
};

static inline uint32_t
pp_cells_column(const struct pp_cells *c, size_t i)
{
	return c->column ? c->column[i] - c->base : (uint32_t)i;
}

/* The cells of a row of columns [from, from + n), which are called 0 to n - 1. */
struct pp_cells pp_wide_cells(const struct pp_wide *, size_t row, uint32_t from, uint32_t n);

#endif
