/*
 * Costs per frame, added up stack by stack.
 */
#include "model/sums.h"

#include <stdlib.h>
#include <string.h>

/* Columns up to which all are added, whether a stack has them or not. */
#define FEW_COLUMNS 8

void
pp_sums_release(struct pp_sums *s)
{
	free(s->seen);
	free(s->cells);
	free(s->real);
	free(s->used);
	*s = (struct pp_sums){ 0 };
}

bool
pp_sums_reserve(struct pp_sums *s, size_t rows)
{
	size_t want = s->rows ? s->rows : 64, wide = 2 * s->stride, bytes;
	union pp_value *cells;
	uint64_t *seen;

	if (rows <= s->rows)
		return true;
	while (want < rows)
		if (!pp_size_mul(want, 2, &want))
			return false;
	if (!pp_size_mul(want, (wide + 1) * sizeof *cells, &bytes))
		return false;
	seen = realloc(s->seen, want * sizeof *seen);
	if (!seen)
		return false;
	s->seen = seen;
	cells = realloc(s->cells, (want * wide + 1) * sizeof *cells);
	if (!cells)
		return false;
	s->cells = cells;
	memset(seen + s->rows, 0, (want - s->rows) * sizeof *seen);
	memset(cells + s->rows * wide, 0, (want - s->rows) * wide * sizeof *cells);
	s->rows = want;
	return true;
}

bool
pp_sums_widen(struct pp_sums *s)
{
	size_t old = s->stride, n = old ? 2 * old : 1, cells, row;
	union pp_value *wide;
	uint32_t *used;
	bool *real;

	if (s->columns < s->stride) {
		s->real[s->columns++] = false;
		return true;
	}
	real = realloc(s->real, n * sizeof *real);
	if (!real)
		return false;
	s->real = real;
	used = realloc(s->used, n * sizeof *used);
	if (!used)
		return false;
	s->used = used;
	if (!pp_size_mul(s->rows, 2 * n, &cells))
		return false;
	wide = calloc(cells + 1, sizeof *wide);
	if (!wide)
		return false;
	/* A sum of nothing is all zero bits, as an integer and as a double. */
	for (row = 0; old && row < 2 * s->rows; row++)
		memcpy(wide + row * n, s->cells + row * old, old * sizeof *wide);
	free(s->cells);
	s->cells = wide;
	s->stride = n;
	s->real[s->columns++] = false;
	return true;
}

void
pp_sums_to_real(struct pp_sums *s, size_t column, double divisor)
{
	size_t row;

	if (s->real[column])
		return;
	for (row = 0; row < 2 * s->rows; row++) {
		union pp_value *v = &s->cells[row * s->stride + column];
		double sum = (double)v->i / divisor;

		v->d = sum;
	}
	s->real[column] = s->any_real = true;
}

bool
pp_sums_scale(struct pp_sums *s, size_t column, uint64_t factor)
{
	const pp_i128 most = ((pp_i128)1 << 126) / factor;
	size_t row;

	for (row = 0; row < 2 * s->rows; row++) {
		pp_i128 sum = s->cells[row * s->stride + column].i;

		if (sum > most || sum < -most)
			return false;
	}
	for (row = 0; row < 2 * s->rows; row++)
		s->cells[row * s->stride + column].i *= factor;
	return true;
}

/* Adds to n columns; `n` is a constant where it matters. */
static inline void
cells_add(union pp_value *to, const union pp_value *values, size_t n)
{
	size_t k;

	for (k = 0; k < n; k++)
		to[k].i += values[k].i;
}

static void
cells_add_mixed(const struct pp_sums *s, union pp_value *to, const union pp_value *values)
{
	size_t k;

	for (k = 0; k < s->columns; k++)
		if (s->real[k])
			to[k].d += values[k].d;
		else
			to[k].i += values[k].i;
}

static inline void
totals_add(struct pp_sums *s, const pp_frame *stack, size_t depth, const union pp_value *total,
           size_t n)
{
	size_t i;

	for (i = 0; i < depth; i++) {
		pp_frame frame = stack[i];

		if (s->seen[frame] == s->serial)
			continue;
		s->seen[frame] = s->serial;
		if (s->any_real)
			cells_add_mixed(s, s->cells + (frame * 2 + 1) * n, total);
		else
			cells_add(s->cells + (frame * 2 + 1) * n, total, n);
	}
}

/* The same where there are many columns, of which a stack has a few. */
static void
totals_add_few(struct pp_sums *s, const pp_frame *stack, size_t depth, const union pp_value *total)
{
	size_t n = 0, i, k;

	for (k = 0; k < s->columns; k++)
		if (total[k].i != 0)
			s->used[n++] = (uint32_t)k;
	for (i = 0; i < depth; i++) {
		union pp_value *to = s->cells + ((size_t)stack[i] * 2 + 1) * s->stride;

		if (s->seen[stack[i]] == s->serial)
			continue;
		s->seen[stack[i]] = s->serial;
		for (k = 0; k < n; k++)
			if (s->real[s->used[k]])
				to[s->used[k]].d += total[s->used[k]].d;
			else
				to[s->used[k]].i += total[s->used[k]].i;
	}
}

void
pp_sums_merge(struct pp_sums *s, size_t row, const struct pp_sums *from, size_t from_row)
{
	cells_add_mixed(s, s->cells + row * 2 * s->stride, pp_sums_own(from, from_row));
	cells_add_mixed(s, s->cells + (row * 2 + 1) * s->stride, pp_sums_total(from, from_row));
	s->serial += s->serial == 0;
	s->seen[row] += s->seen[row] == 0;
}

void
pp_sums_pass(struct pp_sums *s, const union pp_value *total)
{
	cells_add_mixed(s, s->cells, total);
}

void
pp_sums_add(struct pp_sums *s, const pp_frame *stack, size_t depth, const union pp_value *own,
            const union pp_value *total)
{
	size_t n = s->stride;

	s->serial++;
	cells_add_mixed(s, s->cells, total);
	cells_add_mixed(s, s->cells + n, total);
	if (depth == 0)
		return;
	if (n == 1)
		totals_add(s, stack, depth, total, 1);
	else if (n == 2)
		totals_add(s, stack, depth, total, 2);
	else if (n <= FEW_COLUMNS)
		totals_add(s, stack, depth, total, n);
	else
		totals_add_few(s, stack, depth, total);
	cells_add_mixed(s, s->cells + (size_t)stack[depth - 1] * 2 * n, own);
}
