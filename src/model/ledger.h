/*
 * Sums by row and metric: a value for each where there are few metrics, else those that are not 0. Failures are
 * sticky: after the first nothing is added, and `failed` tells.
 */
#ifndef PP_LEDGER_H
#define PP_LEDGER_H

#include "model/profile.h"

struct pp_ledger {
	const struct pp_metric *metric;
	size_t metrics;
	union pp_value *few;  /* [row * metrics + metric], or */
	struct pp_wide *many; /* of union pp_value */
	size_t room;          /* rows that `few` has room for */
	bool failed;
};

/* Values of a row: value i is that of metric pp_values_metric(). */
struct pp_values {
	const union pp_value *at;
	const uint32_t *metric; /* NULL = all metrics, in their order */
	size_t n;
};

static inline uint32_t
pp_values_metric(const struct pp_values *v, size_t i)
{
	return v->metric ? v->metric[i] : (uint32_t)i;
}

/* So many rows, all zero; false when out of memory (`failed` is set then). */
bool pp_ledger_init(struct pp_ledger *, const struct pp_profile *, size_t rows);
void pp_ledger_release(struct pp_ledger *);
/* At least so many rows, where there were `rows` so far; false on failure. */
bool pp_ledger_grow(struct pp_ledger *, size_t rows, size_t more);
/* What a metric has in a row; a place for it, NULL on failure. */
union pp_value *pp_ledger_at(struct pp_ledger *, size_t row, size_t metric);
void pp_ledger_add(struct pp_ledger *, size_t row, size_t metric, union pp_value);
void pp_ledger_sub(struct pp_ledger *, size_t row, size_t metric, union pp_value);
void pp_ledger_add_cells(struct pp_ledger *, size_t row, struct pp_cells);
void pp_ledger_sub_cells(struct pp_ledger *, size_t row, struct pp_cells);
void pp_ledger_add_values(struct pp_ledger *, size_t row, struct pp_values);
union pp_value pp_ledger_get(const struct pp_ledger *, size_t row, size_t metric);
/* Puts rows into another order: order[i] is where the one that will be at i stands. False when out of memory. */
bool pp_ledger_permute(struct pp_ledger *, const uint32_t *order, size_t rows);
/* A row becomes what another one is. */
void pp_ledger_move(struct pp_ledger *, size_t to, size_t from);
struct pp_values pp_ledger_row(const struct pp_ledger *, size_t row);
/* The same values, to be changed where they are. */
union pp_value *pp_ledger_edit(struct pp_ledger *, size_t row);

#endif
