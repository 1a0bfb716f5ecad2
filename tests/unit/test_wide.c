/* Rows of many columns: cells by column in any order, beside a table that has them all; sums of them. */
#include "tap.h"

#include "model/ledger.h"

#define ROWS 7u
#define COLUMNS 50u

/* Numbers that look as if by chance, the same each time. */
static uint32_t
next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

static bool
agrees(const struct pp_wide *w, int64_t all[ROWS][COLUMNS])
{
	size_t row, column, i;

	for (row = 0; row < ROWS; row++) {
		struct pp_cells part = pp_wide_cells(w, row, 10, 20);

		for (column = 0; column < COLUMNS; column++) {
			const int64_t *cell = pp_wide_find(w, row, (uint32_t)column);

			if ((cell ? *cell : 0) != all[row][column])
				return false;
		}
		for (i = 0; i < part.n; i++)
			if (pp_cells_column(&part, i) >= 20 ||
			    part.at[i] != all[row][10 + pp_cells_column(&part, i)])
				return false;
	}
	return true;
}

static void
test_cells(void)
{
	static int64_t all[ROWS][COLUMNS];
	static const bool stays[ROWS] = { true, false, true, true, true, true, true };
	struct pp_wide *w = pp_wide_new(sizeof(int64_t), 1), *copy;
	uint32_t state = 1, new_of[COLUMNS], i;

	while (w->rows.n < ROWS)
		(void)pp_wide_push(w);
	for (i = 0; i < 4000; i++) {
		uint32_t row = next(&state) % ROWS, column = next(&state) % COLUMNS;
		int64_t *cell = (row + column) % 3 ? NULL : pp_wide_at(w, row, column);

		if (cell)
			*cell += i;
		all[row][column] += cell ? i : 0;
	}
	ok(agrees(w, all), "cells are those that were touched, in any order");
	copy = pp_wide_copy(w);
	ok(agrees(copy, all) && copy->n < w->n, "a copy has the same in less room");
	*(int64_t *)pp_wide_at(copy, 3, 0) = 5;
	ok(pp_wide_find(w, 3, 0) && *(const int64_t *)pp_wide_find(w, 3, 0) != 5, "and is its own");
	for (i = 0; i < COLUMNS; i++)
		new_of[i] = i < 12 ? PP_NO_COLUMN : i - 12;
	pp_wide_rename(w, new_of);
	pp_wide_keep(w, stays);
	ok(w->rows.n == ROWS - 1, "rows go");
	ok(*(const int64_t *)pp_wide_find(w, 1, 1) == all[2][13], "and so do columns");
	pp_wide_clear(w);
	ok(w->rows.n == 0 && pp_wide_push(w) && !pp_wide_find(w, 0, 1), "nothing is left");
	pp_wide_free(w);
	pp_wide_free(copy);
}

/* The same sums with few metrics and with many. */
static void
test_ledger(size_t metrics)
{
	struct pp_profile p = { 0 };
	static const int64_t cells[] = { 5, -2, 0 };
	struct pp_cells row = { .at = cells, .n = 3 };
	struct pp_ledger l;
	struct pp_values values;
	uint32_t order[] = { 1, 0, 2 };
	pp_i128 sum = 0;
	size_t i;

	for (i = 0; i < metrics; i++)
		(void)pp_vec_push(&p.metrics, (struct pp_metric){ .type = PP_INT });
	ok(pp_ledger_init(&l, &p, 3) && !l.many == (metrics <= PP_FEW_COLUMNS),
	   "room for sums of %zu metrics", metrics);
	row.n = metrics < 3 ? metrics : 3;
	pp_ledger_add_cells(&l, 0, row);
	pp_ledger_add_cells(&l, 0, row);
	pp_ledger_sub_cells(&l, 1, row);
	pp_ledger_add(&l, 2, metrics - 1, (union pp_value){ .i = 9 });
	ok(pp_ledger_get(&l, 0, 0).i == 10 && pp_ledger_get(&l, 1, 0).i == -5 &&
	       pp_ledger_get(&l, 1, metrics - 1).i == (metrics == 2 ? 2 : 0),
	   "cells are added and taken away");
	ok(pp_ledger_permute(&l, order, 3) && pp_ledger_get(&l, 0, 1).i == 2, "rows move");
	values = pp_ledger_row(&l, 1);
	for (i = 0; i < values.n; i++)
		sum += values.at[i].i * (1 + (pp_i128)pp_values_metric(&values, i));
	ok(sum == 10 - 8, "a row has all that is not 0");
	pp_ledger_move(&l, 0, 2);
	ok(pp_ledger_get(&l, 0, metrics - 1).i == 9, "one becomes another");
	ok(!l.failed, "and nothing failed");
	pp_ledger_release(&l);
	pp_vec_release(&p.metrics);
}

int
main(void)
{
	test_cells();
	test_ledger(2);
	test_ledger(100);
	return tap_done();
}
