/*
 * Costs per frame, added up stack by stack: own cost for the leaf, inclusive cost once for each frame
 * on the stack, however often it is there. No tree is built, so memory grows with distinct frames only.
 */
#ifndef PP_SUMS_H
#define PP_SUMS_H

#include "base/common.h"
#include "model/metric.h"
#include "model/sparse.h"

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
	/* With more than PP_FEW_COLUMNS: the same by frame and column (struct pp_cost_pair), and no `cells`. */
	bool is_sparse;
	struct pp_gather sparse; /* its seed may be set at the start */
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

/* What one stack costs: both have `stride` values, 0 past the columns. */
struct pp_stack_cost {
	const union pp_value *own;   /* of its leaf */
	const union pp_value *total; /* of each of its frames */
	const uint32_t *columns;     /* those that are not 0, where it is known; else NULL */
	size_t n;
};

/*
 * Adds a stack, root first. There must be room for its frames. A stack without frames counts for row 0 only. False
 * when out of memory, which only is_sparse can be.
 */
bool pp_sums_add(struct pp_sums *, const pp_frame *stack, size_t depth, struct pp_stack_cost);
/* Notes what a stack weighs that is not added; likewise. */
bool pp_sums_pass(struct pp_sums *, struct pp_stack_cost);
/* Adds a row of other sums of the same columns; likewise. */
bool pp_sums_merge(struct pp_sums *, size_t row, const struct pp_sums *from, size_t from_row);

static inline struct pp_cost_pair
pp_sums_get(const struct pp_sums *s, size_t row, size_t column)
{
	const struct pp_cost_pair *pair;
	const union pp_value *cells;

	if (s->is_sparse) {
		pair = pp_gather_get(&s->sparse, (uint32_t)row, (uint32_t)column);
		return pair ? *pair : (struct pp_cost_pair){ 0 };
	}
	cells = s->cells + row * 2 * s->stride + column;
	return (struct pp_cost_pair){ cells[0], cells[s->stride] };
}

#endif
