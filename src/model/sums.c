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
	pp_gather_release(&s->sparse);
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
	if (s->is_sparse)
		wide = 0;
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

/* From here on only what is not 0 takes room. */
static bool
sums_to_sparse(struct pp_sums *s)
{
	union pp_value *none = malloc(sizeof *none);
	size_t row, k;

	s->sparse.size = sizeof(struct pp_cost_pair);
	for (row = 0; none && row < s->rows; row++)
		for (k = 0; k < s->columns; k++) {
			struct pp_cost_pair pair = pp_sums_get(s, row, k), *to;

			if (!pair.own.i && !pair.total.i)
				continue;
			to = pp_gather_at(&s->sparse, (uint32_t)row, (uint32_t)k);
			if (!to) {
				free(none);
				return false;
			}
			*to = pair;
		}
	if (!none)
		return false;
	free(s->cells);
	s->cells = none;
	s->is_sparse = true;
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
	if (n > PP_FEW_COLUMNS && !s->is_sparse && !sums_to_sparse(s))
		return false;
	if (s->is_sparse) {
		s->stride = n;
		s->real[s->columns++] = false;
		return true;
	}
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

/* All sums of a column, one after the other: two for each row. NULL at the end. */
struct column_sums {
	const struct pp_sums *sums;
	size_t column, at;
	uint32_t cell;
	bool second;
};

static struct column_sums
column_sums(const struct pp_sums *s, size_t column)
{
	return (struct column_sums){ .sums = s,
		                     .column = column,
		                     .cell = pp_gather_last(&s->sparse, column) };
}

static union pp_value *
sums_next(struct column_sums *c)
{
	const struct pp_sums *s = c->sums;
	struct pp_cost_pair *pair;

	if (!s->is_sparse)
		return c->at < 2 * s->rows ? &s->cells[c->at++ * s->stride + c->column] : NULL;
	if (!c->cell)
		return NULL;
	pair = pp_gather_cell(&s->sparse, c->cell);
	if (c->second)
		c->cell = pp_gather_before(&s->sparse, c->cell);
	c->second = !c->second;
	return c->second ? &pair->own : &pair->total;
}

void
pp_sums_to_real(struct pp_sums *s, size_t column, double divisor)
{
	struct column_sums c = column_sums(s, column);
	union pp_value *v;

	if (s->real[column])
		return;
	while ((v = sums_next(&c))) {
		double sum = (double)v->i / divisor;

		v->d = sum;
	}
	s->real[column] = s->any_real = true;
}

bool
pp_sums_scale(struct pp_sums *s, size_t column, uint64_t factor)
{
	const pp_i128 most = ((pp_i128)1 << 126) / factor;
	struct column_sums c = column_sums(s, column);
	union pp_value *v;

	while ((v = sums_next(&c)))
		if (v->i > most || v->i < -most)
			return false;
	for (c = column_sums(s, column); (v = sums_next(&c));)
		v->i *= factor;
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

/* Adds to one sum of many; false when out of memory. */
static bool
sparse_add(struct pp_sums *s, size_t row, uint32_t column, const union pp_value *own,
           const union pp_value *total)
{
	struct pp_cost_pair *to = pp_gather_at(&s->sparse, (uint32_t)row, column);

	if (!to)
		return false;
	if (s->real[column]) {
		to->own.d += own ? own->d : 0;
		to->total.d += total ? total->d : 0;
	} else {
		to->own.i += own ? own->i : 0;
		to->total.i += total ? total->i : 0;
	}
	return true;
}

/* Those columns of a stack that are not 0. */
static const uint32_t *
columns_used(struct pp_sums *s, const struct pp_stack_cost *cost, size_t *n)
{
	size_t k;

	*n = cost->n;
	if (cost->columns)
		return cost->columns;
	for (k = 0, *n = 0; k < s->columns; k++)
		if (cost->total[k].i != 0 || cost->own[k].i != 0)
			s->used[(*n)++] = (uint32_t)k;
	return s->used;
}

/* Adds a stack where sums are sparse. */
static bool
stack_add_sparse(struct pp_sums *s, const pp_frame *stack, size_t depth,
                 const struct pp_stack_cost *cost)
{
	size_t n, i, k;
	const uint32_t *columns = columns_used(s, cost, &n);
	bool fine = true;

	for (k = 0; fine && k < n; k++)
		fine = sparse_add(s, 0, columns[k], &cost->total[columns[k]],
		                  &cost->total[columns[k]]);
	for (i = 0; fine && i < depth; i++) {
		bool leaf = i + 1 == depth, again = s->seen[stack[i]] == s->serial;

		s->seen[stack[i]] = s->serial;
		for (k = 0; fine && (leaf || !again) && k < n; k++)
			fine = sparse_add(s, stack[i], columns[k],
			                  leaf ? &cost->own[columns[k]] : NULL,
			                  again ? NULL : &cost->total[columns[k]]);
	}
	return fine;
}

bool
pp_sums_merge(struct pp_sums *s, size_t row, const struct pp_sums *from, size_t from_row)
{
	bool fine = true;
	uint32_t k;

	s->serial += s->serial == 0;
	s->seen[row] += s->seen[row] == 0;
	if (!s->is_sparse) {
		const union pp_value *cells = from->cells + from_row * 2 * from->stride;

		cells_add_mixed(s, s->cells + row * 2 * s->stride, cells);
		cells_add_mixed(s, s->cells + (row * 2 + 1) * s->stride, cells + from->stride);
		return true;
	}
	for (k = 0; fine && k < s->columns; k++) {
		struct pp_cost_pair pair = pp_sums_get(from, from_row, k);

		if (pair.own.i || pair.total.i)
			fine = sparse_add(s, row, k, &pair.own, &pair.total);
	}
	return fine;
}

bool
pp_sums_pass(struct pp_sums *s, struct pp_stack_cost cost)
{
	size_t n, k;
	const uint32_t *columns;
	bool fine = true;

	if (!s->is_sparse) {
		cells_add_mixed(s, s->cells, cost.total);
		return true;
	}
	columns = columns_used(s, &cost, &n);
	for (k = 0; fine && k < n; k++)
		fine = sparse_add(s, 0, columns[k], &cost.total[columns[k]], NULL);
	return fine;
}

bool
pp_sums_add(struct pp_sums *s, const pp_frame *stack, size_t depth, struct pp_stack_cost cost)
{
	const union pp_value *total = cost.total;
	size_t n = s->stride;

	s->serial++;
	if (s->is_sparse)
		return stack_add_sparse(s, stack, depth, &cost);
	cells_add_mixed(s, s->cells, total);
	cells_add_mixed(s, s->cells + n, total);
	if (depth == 0)
		return true;
	if (n == 1)
		totals_add(s, stack, depth, total, 1);
	else if (n == 2)
		totals_add(s, stack, depth, total, 2);
	else if (n <= FEW_COLUMNS)
		totals_add(s, stack, depth, total, n);
	else
		totals_add_few(s, stack, depth, total);
	cells_add_mixed(s, s->cells + (size_t)stack[depth - 1] * 2 * n, cost.own);
	return true;
}
