/*
 * Columns that become metrics at the end.
 */
#include "model/builder_stacks.h"

uint32_t
pp_build_column(struct pp_builder *b)
{
	struct pp_stacks *x = b->stacks ? b->stacks : pp_stacks_start(b, 0, true);

	if (!x || !pp_build_flush(b) || !pp_stacks_column(x, PP_INT)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return 0;
	}
	return (uint32_t)x->columns - 1;
}

/* All cells that a column has in the profile, one by one; NULL at the end. */
struct column_cells {
	struct pp_profile *profile;
	uint32_t column;
	size_t series, row, not_own;
};

static int64_t *
cells_next(struct column_cells *c)
{
	struct pp_profile *p = c->profile;

	for (; c->series < p->series.n; c->series++, c->row = 0) {
		struct pp_series *s = &p->series.at[c->series];

		if (c->column < s->stride && c->row < s->rows)
			return &s->cells[c->row++ * s->stride + c->column];
	}
	while (c->not_own < p->not_own.n) {
		struct pp_not_own_row *row = &p->not_own.at[c->not_own++];

		if (row->metric == c->column)
			return &row->cell;
	}
	return NULL;
}

void
pp_build_column_unsigned(struct pp_builder *b, uint32_t column)
{
	if (pp_build_flush(b))
		b->stacks->types.at[column] = PP_UINT;
}

void
pp_build_column_real(struct pp_builder *b, uint32_t column, double divisor)
{
	struct column_cells c = { .profile = b->profile, .column = column };
	struct pp_stacks *x = b->stacks;
	int64_t *cell;

	if (!pp_build_flush(b) || column_type(b, column) == PP_REAL)
		return;
	while ((cell = cells_next(&c)))
		*cell = pp_cell_real((double)column_value(b, column, *cell).i / divisor);
	if (x->adds_up)
		pp_sums_to_real(&x->sums, column, divisor);
	x->types.at[column] = PP_REAL;
}

bool
pp_build_column_scale(struct pp_builder *b, uint32_t column, uint64_t factor)
{
	const struct column_cells all = { .profile = b->profile, .column = column };
	pp_i128 most = (pp_i128)(INT64_MAX / factor), value;
	struct column_cells c = all;
	struct pp_stacks *x = b->stacks;
	int64_t *cell;

	if (!pp_build_flush(b))
		return false;
	while ((cell = cells_next(&c))) {
		value = column_value(b, column, *cell).i;
		if (value > most || value < -most)
			return false;
	}
	if (x->adds_up && !pp_sums_scale(&x->sums, column, factor))
		return false;
	for (c = all; (cell = cells_next(&c));)
		*cell *= (int64_t)factor;
	return true;
}

/* Gives a series a cell for each metric. */
static bool
series_settle(const struct pp_builder *b, struct pp_series *s)
{
	const struct pp_stacks *x = b->stacks;
	size_t n = b->profile->metrics.n, need, i, m;
	int64_t *cells;

	if (!pp_size_mul(s->rows_cap + 1u, n, &need) || !(cells = calloc(need + 1, sizeof *cells)))
		return false;
	for (i = 0; i < s->rows; i++)
		for (m = 0; m < n; m++)
			if (x->column_of.at[m] < s->stride)
				cells[i * n + m] = s->cells[i * s->stride + x->column_of.at[m]];
	free(s->cells);
	s->cells = cells;
	s->stride = (uint32_t)n;
	return true;
}

/* The first metric of the event of a series. */
static size_t
series_rank(const struct pp_profile *p, const struct pp_series *s)
{
	size_t m;

	for (m = 0; m < p->metrics.n && p->metrics.at[m].event != s->event; m++)
		;
	return m;
}

/*
 * Puts series in the order of the events of metrics, and behind each those where its sums go on, which were
 * made later; moved[old] is the new place.
 */
static bool
series_sort(struct pp_builder *b, uint32_t *moved)
{
	struct pp_profile *p = b->profile;
	const struct pp_stacks *x = b->stacks;
	struct pp_series *sorted = malloc((p->series.n + 1) * sizeof *sorted);
	size_t *rank = malloc((p->series.n + 1) * sizeof *rank), next;
	uint32_t n = 0, i, at;

	for (i = 0; sorted && rank && i < p->series.n; i++) {
		rank[i] = series_rank(p, &p->series.at[i]);
		moved[i] = UINT32_MAX;
	}
	for (next = 0; sorted && rank && n < p->series.n; next++)
		for (i = 0; i < p->series.n; i++)
			for (at = i; rank[i] == next && moved[at] == UINT32_MAX;) {
				moved[at] = n;
				sorted[n++] = p->series.at[at];
				if (at < x->spills.n && x->spills.at[at])
					at = x->spills.at[at];
			}
	if (sorted && rank && n)
		memcpy(p->series.at, sorted, n * sizeof *sorted);
	free(sorted);
	free(rank);
	return sorted && rank;
}

void
pp_build_columns_settle(struct pp_builder *b, const uint32_t *column_of, uint32_t *moved)
{
	struct pp_profile *p = b->profile;
	struct pp_stacks *x = b->stacks;
	bool fine = pp_build_flush(b) && x;
	size_t i, m;

	for (m = 0; fine && m < p->metrics.n; m++)
		fine = pp_vec_push(&x->column_of, column_of[m]);
	for (i = 0; fine && i < p->series.n; i++)
		fine = series_settle(b, &p->series.at[i]);
	if (!fine || !series_sort(b, moved)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return;
	}
	for (i = 0; i < p->not_own.n; i++) {
		struct pp_not_own_row *row = &p->not_own.at[i];

		for (m = 0; x->column_of.at[m] != row->metric; m++)
			;
		row->metric = (uint32_t)m;
		row->series = moved[row->series];
	}
}
