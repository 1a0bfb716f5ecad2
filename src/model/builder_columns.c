/*
 * Columns that become metrics at the end.
 */
#include "model/builder_stacks.h"

uint32_t
pp_build_column(struct pp_builder *b)
{
	struct pp_stacks *x = b->stacks ? b->stacks : pp_stacks_start(b, 0, true);

	if (!x || !pp_build_flush(b) || !pp_stacks_column(b, PP_INT)) {
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
	const struct pp_gather *sparse;
	uint32_t cell; /* of `sparse`, the next + 1 */
};

static struct column_cells
column_cells(const struct pp_builder *b, uint32_t column)
{
	return (struct column_cells){ .profile = b->profile,
		                      .column = column,
		                      .sparse = &b->stacks->cells,
		                      .cell = pp_gather_last(&b->stacks->cells, column) };
}

static int64_t *
cells_next(struct column_cells *c)
{
	struct pp_profile *p = c->profile;
	uint32_t cell = c->cell;

	if (cell) {
		c->cell = pp_gather_before(c->sparse, cell);
		return pp_gather_cell(c->sparse, cell);
	}
	for (; !c->sparse->size && c->series < p->series.n; c->series++, c->row = 0) {
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
	struct pp_stacks *x = b->stacks;
	struct column_cells c;
	int64_t *cell;

	if (!pp_build_flush(b) || column_type(b, column) == PP_REAL)
		return;
	c = column_cells(b, column);
	while ((cell = cells_next(&c)))
		*cell = pp_cell_real((double)column_value(b, column, *cell).i / divisor);
	if (x->adds_up)
		pp_sums_to_real(&x->sums, column, divisor);
	pp_idle_to_real(x, column, divisor);
	x->types.at[column] = PP_REAL;
}

bool
pp_build_column_scale(struct pp_builder *b, uint32_t column, uint64_t factor)
{
	pp_i128 most = (pp_i128)(INT64_MAX / factor), value;
	struct column_cells c;
	struct pp_stacks *x = b->stacks;
	int64_t *cell;

	if (!pp_build_flush(b))
		return false;
	c = column_cells(b, column);
	while ((cell = cells_next(&c))) {
		value = column_value(b, column, *cell).i;
		if (value > most || value < -most)
			return false;
	}
	if (x->adds_up && !pp_sums_scale(&x->sums, column, factor))
		return false;
	pp_idle_scale(x, column, factor);
	for (c = column_cells(b, column); (cell = cells_next(&c));)
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

/* What is not a leaf's own is of metrics, too: of the first that a column became. */
static bool
not_own_settle(struct pp_builder *b, const uint32_t *moved)
{
	struct pp_profile *p = b->profile;
	const struct pp_stacks *x = b->stacks;
	uint32_t *metric_of = calloc(x->columns + 1, sizeof *metric_of);
	size_t i, m;

	for (m = p->metrics.n; metric_of && m-- > 0;)
		metric_of[x->column_of.at[m]] = (uint32_t)m;
	for (i = 0; metric_of && i < p->not_own.n; i++) {
		struct pp_not_own_row *row = &p->not_own.at[i];

		row->metric = metric_of[row->metric];
		row->series = moved[row->series];
	}
	free(metric_of);
	return metric_of != NULL;
}

/* By series: the first metric of its event. */
static size_t *
series_ranks(const struct pp_builder *b)
{
	const struct pp_profile *p = b->profile;
	struct pp_map first = { .seed = b->seed };
	size_t *rank = malloc((p->series.n + 1) * sizeof *rank), i;
	bool fine = rank != NULL;

	for (i = p->metrics.n; fine && i-- > 0;)
		fine = pp_map_set(&first, p->metrics.at[i].event, (uint32_t)i);
	for (i = 0; fine && i < p->series.n; i++) {
		uint32_t at = first.n ? pp_map_get(&first, p->series.at[i].event) : PP_MAP_NONE;

		rank[i] = at == PP_MAP_NONE ? p->metrics.n : at;
	}
	pp_map_release(&first);
	if (!fine)
		free(rank);
	return fine ? rank : NULL;
}

/* The series in the order of their ranks, those of one rank as they were. NULL when out of memory. */
static uint32_t *
series_by_rank(const struct pp_builder *b)
{
	const struct pp_profile *p = b->profile;
	size_t *rank = series_ranks(b), *at = calloc(p->metrics.n + 2, sizeof *at), i;
	uint32_t *order = malloc((p->series.n + 1) * sizeof *order);

	for (i = 0; rank && at && i < p->series.n; i++)
		at[rank[i] + 1]++;
	for (i = 0; at && i <= p->metrics.n; i++)
		at[i + 1] += at[i];
	for (i = 0; rank && at && order && i < p->series.n; i++)
		order[at[rank[i]]++] = (uint32_t)i;
	if (!rank || !at) {
		free(order);
		order = NULL;
	}
	free(rank);
	free(at);
	return order;
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
	uint32_t *order = series_by_rank(b), n = 0, i, at;

	for (i = 0; i < p->series.n; i++)
		moved[i] = UINT32_MAX;
	for (i = 0; sorted && order && i < p->series.n; i++)
		for (at = order[i]; moved[at] == UINT32_MAX;) {
			moved[at] = n;
			sorted[n++] = p->series.at[at];
			if (at < x->spills.n && x->spills.at[at])
				at = x->spills.at[at];
		}
	if (sorted && order && n)
		memcpy(p->series.at, sorted, n * sizeof *sorted);
	free(sorted);
	free(order);
	return sorted && order;
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
	for (i = 0; fine && i < p->series.n && !x->is_sparse; i++)
		fine = series_settle(b, &p->series.at[i]);
	if (!fine || !series_sort(b, moved) ||
	    (x->is_sparse && !pp_stacks_sparse_settle(b, moved)) || !not_own_settle(b, moved)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	}
}

/* ---- functions ---- */

/* The row of a function's costs, UINT32_MAX on failure: its id, unless each series has rows. */
static uint32_t
costs_row(struct pp_builder *b, pp_func func)
{
	struct pp_costs_facet *c = &b->profile->costs;
	uint64_t key = (uint64_t)b->costs_series << 32 | func;
	uint32_t row;

	if (!b->divides_costs)
		return func;
	row = pp_map_get(&b->costs_row, key);
	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)c->series.n;
	if (row < PP_MAP_NONE && pp_vec_push(&c->series, b->costs_series) &&
	    pp_map_set(&b->costs_row, key, row))
		return row;
	pp_builder_fail(b, PP_E_NOMEM, NULL);
	return UINT32_MAX;
}

bool
pp_build_func_costs(struct pp_builder *b, pp_func func, struct pp_func_costs *out)
{
	struct pp_costs_facet *c = &b->profile->costs;
	size_t metrics = b->profile->metrics.n;
	uint32_t row = costs_row(b, func);

	if (!c->funcs.n && !c->wide && metrics > PP_FEW_COLUMNS &&
	    !(c->wide = pp_wide_new(sizeof(struct pp_cost_pair), 0)))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	while (pp_builder_ok(b) && c->funcs.n <= row) {
		size_t n = c->wide ? 0 : c->cells.n + 2 * metrics;
		pp_func next = b->divides_costs ? func : (pp_func)c->funcs.n;

		if ((c->wide && !pp_wide_push(c->wide)) || !pp_vec_reserve(&c->cells, n + 1) ||
		    !pp_vec_push(&c->calls, 0) || !pp_vec_push(&c->funcs, next))
			pp_builder_fail(b, PP_E_NOMEM, NULL);
		/* A sum of nothing is all zero bits, as an integer and as a double. */
		for (; pp_builder_ok(b) && c->cells.n < n; c->cells.n++)
			c->cells.at[c->cells.n] = (union pp_value){ 0 };
	}
	if (!pp_builder_ok(b))
		return false;
	out->row = row;
	out->calls = &c->calls.at[row];
	out->own = c->wide ? NULL : c->cells.at + (size_t)row * 2 * metrics;
	out->total = c->wide ? NULL : out->own + metrics;
	return true;
}
