/*
 * Stacks of many columns, each with a value in a few: what nodes cost is gathered cell by cell, and given to the
 * series in the end.
 */
#include "model/builder_stacks.h"

void
pp_stacks_sparse_release(struct pp_stacks *x)
{
	pp_vec_release(&x->parts);
	pp_vec_release(&x->nodes);
	pp_map_release(&x->row_of);
	pp_gather_release(&x->cells);
}

/* The row of a node of a series, made when absent; PP_MAP_NONE when out of memory. */
static uint32_t
row_of(struct pp_builder *b, uint32_t series, pp_node node)
{
	uint64_t key = (uint64_t)series << 32 | node;
	struct pp_stacks *x = b->stacks;
	uint32_t row = x->row_of.n ? pp_map_get(&x->row_of, key) : PP_MAP_NONE;

	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)x->nodes.n;
	if (row == PP_MAP_NONE || !pp_vec_push(&x->nodes, (struct sparse_node){ series, node }) ||
	    !pp_map_set(&x->row_of, key, row)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return PP_MAP_NONE;
	}
	return row;
}

static int64_t *
cell_at(struct pp_builder *b, uint32_t row, uint32_t column)
{
	int64_t *cell = row == PP_MAP_NONE ? NULL : pp_gather_at(&b->stacks->cells, row, column);

	if (!cell)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return cell;
}

/* Gathers what a series has so far. */
static bool
series_gather(struct pp_builder *b, uint32_t series)
{
	struct pp_series *s = &b->profile->series.at[series];
	uint32_t row, column;

	for (row = 0; row < s->rows; row++) {
		uint32_t to = row_of(b, series, pp_series_node(s, row));

		for (column = 0; column < s->stride; column++) {
			int64_t value = s->cells[(size_t)row * s->stride + column], *cell;

			if (!value)
				continue;
			cell = cell_at(b, to, column);
			if (!cell)
				return false;
			*cell = value;
		}
		if (to == PP_MAP_NONE)
			return false;
	}
	pp_series_release(s);
	return true;
}

bool
pp_stacks_to_sparse(struct pp_builder *b)
{
	struct pp_stacks *x = b->stacks;
	uint32_t i;

	x->cells.size = sizeof(int64_t);
	for (i = 0; i < b->profile->series.n; i++)
		if (!series_gather(b, i))
			return false;
	x->is_sparse = true;
	return true;
}

bool
pp_stacks_parts(struct pp_builder *b, const struct pp_sample *s, struct waiting *w)
{
	struct pp_stacks *x = b->stacks;
	size_t n = s->columns ? s->column_count : x->columns, i;

	w->part = x->parts.n;
	if (!s->values)
		return true;
	if (!pp_vec_reserve(&x->parts, x->parts.n + n)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return false;
	}
	for (i = 0; i < n; i++) {
		uint32_t column = s->columns ? s->columns[i] : (uint32_t)i;

		if (s->values[column] || (s->own && s->own[column]))
			x->parts.at[x->parts.n++] =
			    (struct stack_part){ column, s->values[column],
				                 s->own ? s->own[column] : s->values[column] };
	}
	w->parts = x->parts.n - w->part;
	return true;
}

/* Adds all parts or none; false when a sum does not fit, or on failure. */
static bool
parts_add(struct pp_builder *b, uint32_t row, const struct stack_part *parts, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		int64_t *cell = cell_at(b, row, parts[i].column);

		if (!cell)
			return false;
		if (PP_LIKELY(pp_cell_add(column_type(b, parts[i].column), cell, parts[i].value)))
			continue;
		/* Sums of doubles never fail, so those before are whole numbers or exact again. */
		for (k = 0; k < i; k++)
			if (column_type(b, parts[k].column) != PP_REAL &&
			    (cell = cell_at(b, row, parts[k].column)))
				*cell = (int64_t)((uint64_t)*cell - (uint64_t)parts[k].value);
		return false;
	}
	return true;
}

bool
pp_stacks_sparse_add(struct pp_builder *b, const struct waiting *w, pp_node node)
{
	const struct stack_part *parts = b->stacks->parts.at + w->part;
	struct pp_not_own_row not_own = { .series = w->series, .node = node };
	uint32_t series = w->series, row = row_of(b, series, node);
	size_t i;

	for (i = 0; w->apart && node && i < w->parts; i++) {
		not_own.metric = parts[i].column;
		if (!pp_stacks_not_own(b, not_own, parts[i].value, parts[i].own))
			return false;
	}
	/* A sum that does not fit goes on in one more series of the same properties. */
	while (row != PP_MAP_NONE && !parts_add(b, row, parts, w->parts) && pp_builder_ok(b)) {
		series = pp_stacks_spill(b, series);
		row = series ? row_of(b, series, node) : PP_MAP_NONE;
	}
	return pp_builder_ok(b);
}

bool
pp_stacks_sparse_settle(struct pp_builder *b, const uint32_t *moved)
{
	struct pp_stacks *x = b->stacks;
	struct pp_gather settled = { .size = x->cells.size, .seed = x->cells.seed };
	bool fine = true;
	uint32_t cell, row;
	size_t m;

	for (m = 0; fine && m < b->profile->metrics.n; m++)
		for (cell = pp_gather_last(&x->cells, x->column_of.at[m]); fine && cell;
		     cell = pp_gather_before(&x->cells, cell)) {
			int64_t *to = pp_gather_at(&settled, x->cells.keys.at[cell - 1].row,
			                           (uint32_t)m);

			fine = to != NULL;
			if (fine)
				*to = *(const int64_t *)pp_gather_cell(&x->cells, cell);
		}
	pp_gather_release(&x->cells);
	x->cells = settled;
	pp_map_release(&x->row_of);
	for (row = 0; fine && row < x->nodes.n; row++) {
		struct sparse_node *n = &x->nodes.at[row];

		n->series = moved[n->series];
		fine = pp_map_set(&x->row_of, (uint64_t)n->series << 32 | n->node, row);
	}
	return fine;
}

int64_t *
pp_build_cell(struct pp_builder *b, uint32_t series, pp_node node, uint32_t metric)
{
	int64_t *cells;

	if (pp_builder_ok(b) && b->stacks && b->stacks->is_sparse)
		return cell_at(b, row_of(b, series, node), metric);
	cells = pp_build_cells(b, series, node);
	return cells ? cells + metric : NULL;
}

/* How many rows and cells each series gets: [2 * series], [2 * series + 1]. */
static size_t *
series_sizes(const struct pp_builder *b, const struct pp_wide *all)
{
	const struct pp_stacks *x = b->stacks;
	size_t *sizes = calloc(2 * b->profile->series.n + 1, sizeof *sizes), row;

	for (row = 0; sizes && row < x->nodes.n; row++) {
		sizes[2 * x->nodes.at[row].series]++;
		sizes[2 * x->nodes.at[row].series + 1] += all->rows.at[row].n;
	}
	return sizes;
}

bool
pp_stacks_spread(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;
	const struct pp_stacks *x = b->stacks;
	struct pp_wide *all = pp_gather_settle(&x->cells, x->nodes.n, NULL, p->metrics.n);
	size_t *sizes = all ? series_sizes(b, all) : NULL, i;
	bool fine = sizes != NULL;

	for (i = 0; fine && i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		s->stride = (uint32_t)p->metrics.n;
		s->node_of = malloc((sizes[2 * i] + 1) * sizeof *s->node_of);
		s->wide = pp_wide_new(sizeof(int64_t), 0);
		fine = s->node_of && s->wide && pp_vec_reserve(&s->wide->rows, sizes[2 * i] + 1) &&
		       pp_wide_reserve(s->wide, sizes[2 * i + 1] + 1);
	}
	for (i = 0; fine && i < x->nodes.n; i++) {
		struct pp_series *s = &p->series.at[x->nodes.at[i].series];

		s->node_of[s->rows++] = x->nodes.at[i].node;
		fine = pp_wide_add_row(s->wide, all, i);
	}
	free(sizes);
	pp_wide_free(all);
	return fine;
}
