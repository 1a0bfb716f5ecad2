/*
 * Costs per frame, added up stack by stack: own cost for the leaf, inclusive cost once for each frame
 * on the stack, however often it is there. No tree is built, so memory grows with distinct frames only.
 */
#ifndef PP_SUMS_H
#define PP_SUMS_H

#include "base/common.h"
#include "model/metric.h"

struct pp_sums {
	size_t columns;
	size_t stride;   /* columns there is room for: 1, 2, 4, ...; those not used are 0 */
	size_t rows;     /* frames there is room for */
	uint64_t serial; /* of the stack added last */
	uint64_t *seen;  /* per frame: the last stack it was on, 0 = none */
	/*
	 * Per frame: own[stride], then total[stride]. Row 0 has the totals of all stacks there were, and
	 * of those that were added.
	 */
	union pp_value *cells;
	bool *real;     /* per column: its sums are doubles */
	uint32_t *used; /* of one stack: columns with a value, where there are many */
	bool any_real;
};

void pp_sums_release(struct pp_sums *);
/* Makes room for frames below `rows`; false when out of memory. */
bool pp_sums_reserve(struct pp_sums *, size_t rows);
/* Adds a column of zeros; false when out of memory. */
bool pp_sums_widen(struct pp_sums *);
/* Turns the sums of a column into doubles, each divided by `divisor`. */
void pp_sums_to_real(struct pp_sums *, size_t column, double divisor);
/* Multiplies all sums of a column of integers; false, and nothing done, when one has no room for it. */
bool pp_sums_scale(struct pp_sums *, size_t column, uint64_t factor);
/*
 * Adds a stack, root first: its leaf gets own[column], each of its frames total[column]; both have
 * `stride` values, 0 past the columns. There must be
 * room for its frames. A stack without frames counts for row 0 only.
 */
void pp_sums_add(struct pp_sums *, const pp_frame *stack, size_t depth, const union pp_value *own,
                 const union pp_value *total);

/* Notes what a stack weighs that is not added. */
void pp_sums_pass(struct pp_sums *, const union pp_value *total);

/* Adds a row of other sums of the same columns. */
void pp_sums_merge(struct pp_sums *, size_t row, const struct pp_sums *from, size_t from_row);

static inline const union pp_value *
pp_sums_own(const struct pp_sums *s, size_t row)
{
	return s->cells + row * 2 * s->stride;
}

static inline const union pp_value *
pp_sums_total(const struct pp_sums *s, size_t row)
{
	return s->cells + (row * 2 + 1) * s->stride;
}

#endif
