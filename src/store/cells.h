/*
 * What stacks cost, as bytes: for each stack in ascending order a varint of its id less the one before, and its value, which
 * is a varint (zigzag) of the 64 bits of an integer, or the 8 bytes of a double.
 *
 * Beside the bytes stand how many there are and their sum: of integers 128 bits wide, of doubles the sum of their bits.
 * What is read is checked against both, so that a damaged blob is never a wrong number.
 */
#ifndef PP_CELLS_BLOB_H
#define PP_CELLS_BLOB_H

#include "base/buf.h"
#include "model/metric.h"

struct pp_cell_sum {
	uint64_t n;
	pp_i128 total;
};

/* One cell behind those before; ids ascend. `last` is that of the one before, 0 at first. */
void pp_cells_put(struct pp_buf *, enum pp_cell_type, uint32_t *last, uint32_t id, int64_t cell,
                  struct pp_cell_sum *);

/* One cell after the other, for who looks at each. Zero-initialised but for the first two. */
struct pp_cell_reader {
	struct pp_slice rest;
	enum pp_cell_type type;
	uint32_t id;
	int64_t cell;
	bool damaged;
	struct pp_cell_sum sum; /* of those that were read */
};

/* The next one; false at the end, or where it is damaged. */
bool pp_cells_next(struct pp_cell_reader *);

/* Sums by stack. `zero` has a bit for each that was met and whose sum is or was 0. */
struct pp_cell_sums {
	int64_t *sum;
	uint64_t *zero;
	uint32_t ids;     /* how many stacks there are, that of id 0 included */
	bool negative;    /* a value was below 0, or a sum was 0 */
	bool overflowed;  /* a sum exceeds 64 bits: they are of no use */
	pp_u128 absolute; /* what all values come to, whatever their sign */
};

/* Sums of so many columns, all 0; NULL when out of memory. */
struct pp_cell_sums *pp_cell_sums_new(size_t columns, uint32_t ids);
void pp_cell_sums_free(struct pp_cell_sums *, size_t columns);
/* Adds a blob up. False when it is damaged: not what `expected` says. */
bool pp_cells_sum(struct pp_cell_sums *, enum pp_cell_type, struct pp_slice data,
                  const struct pp_cell_sum *expected);

/* Appends a sum in decimal digits; and reads one. */
void pp_cell_total_print(struct pp_buf *, pp_i128 total);
bool pp_cell_total_parse(struct pp_slice, pp_i128 *total);

#endif
