/*
 * Rows of many metrics with a cell for each, for those who change rows.
 */
#include <string.h>

#include "model/derive.h"

const int64_t *
pp_series_row(const struct pp_series *s, uint32_t row, int64_t *room)
{
	const struct pp_sparse *sparse = s->sparse;
	uint32_t k;

	if (!sparse)
		return pp_series_cells(s, row);
	memset(room, 0, s->stride * sizeof *room);
	for (k = sparse->first[row]; k < sparse->first[row + 1]; k++)
		memcpy(&room[sparse->column[k]], pp_sparse_cell(sparse, k), sizeof *room);
	return room;
}

static bool
series_fill(struct pp_series *s)
{
	size_t cells;
	uint32_t row;

	if (!s->sparse)
		return true;
	if (!pp_size_mul(s->rows, s->stride, &cells) ||
	    !(s->cells = calloc(cells + 1, sizeof *s->cells)))
		return false;
	for (row = 0; row < s->rows; row++)
		(void)pp_series_row(s, row, s->cells + (size_t)row * s->stride);
	pp_sparse_free(s->sparse);
	s->sparse = NULL;
	return true;
}

static bool
costs_fill(struct pp_profile *p)
{
	struct pp_costs_facet *c = &p->costs;
	size_t n = p->metrics.n, cells, row, m;

	if (!c->sparse)
		return true;
	if (!pp_size_mul(c->funcs.n, 2 * n, &cells) || !pp_vec_reserve(&c->cells, cells + 1))
		return false;
	for (row = 0; row < c->funcs.n; row++)
		for (m = 0; m < n; m++) {
			struct pp_cost_pair pair = pp_costs_get(p, row, m);

			c->cells.at[row * 2 * n + m] = pair.own;
			c->cells.at[(row * 2 + 1) * n + m] = pair.total;
		}
	c->cells.n = cells;
	pp_sparse_free(c->sparse);
	c->sparse = NULL;
	return true;
}

pp_status
pp_derive_dense(const struct pp_profile *p, struct pp_profile **out)
{
	bool sparse = p->costs.sparse != NULL, fine = true;
	struct pp_derive d;
	size_t i;

	*out = NULL;
	for (i = 0; i < p->series.n && !sparse; i++)
		sparse = p->series.at[i].sparse != NULL;
	if (!sparse)
		return PP_OK;
	if (!pp_derive_init(&d, p, PP_COLUMN_ROWS | PP_COLUMN_COSTS, 0))
		return PP_E_NOMEM;
	for (i = 0; fine && i < d.to->series.n; i++)
		fine = series_fill(&d.to->series.at[i]);
	fine = fine && costs_fill(d.to);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}
