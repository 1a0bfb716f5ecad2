/*
 * Dividing a profile by series: see divide.h.
 */
#include "model/divide.h"

#include <stdlib.h>

#include "model/derive.h"
#include "model/schema.h"

bool
pp_series_ensure(struct pp_profile *p)
{
	return p->series.n > 0 || pp_vec_push(&p->series, PP_SERIES_PLAIN);
}

pp_status
pp_series_ensured(const struct pp_profile *p, struct pp_profile **out)
{
	struct pp_derive d;

	*out = NULL;
	if (p->series.n > 0)
		return PP_OK;
	if (!pp_derive_init(&d, p, PP_COLUMN_SERIES, 0))
		return PP_E_NOMEM;
	return pp_derive_finish(&d, pp_series_ensure(d.to) ? PP_OK : PP_E_NOMEM, out);
}

/* ---- costs of functions ----------------------------------------------------------------- */

struct pp_cost_pair
pp_costs_whole(const struct pp_profile *p, size_t metric)
{
	struct pp_cost_pair whole = pp_costs_get(p, 0, metric), more;
	size_t i;

	for (i = 1; i < p->costs.series.n; i++) {
		if (p->costs.funcs.at[i])
			continue;
		more = pp_costs_get(p, i, metric);
		pp_value_add(&p->metrics.at[metric], &whole.own, more.own);
		pp_value_add(&p->metrics.at[metric], &whole.total, more.total);
	}
	return whole;
}

void
pp_costs_choose(struct pp_profile *p, const bool *stays, const uint32_t *number)
{
	struct pp_costs_facet *c = &p->costs;
	size_t stride = 2 * p->metrics.n, i, n = 0;

	if (c->wide) {
		bool *rows = calloc(c->series.n + 1, sizeof *rows);

		for (i = 0; rows && i < c->series.n; i++)
			rows[i] = stays[c->series.at[i]];
		if (rows)
			pp_wide_keep(c->wide, rows);
		free(rows);
	}
	for (i = 0; i < c->series.n; i++) {
		if (!stays[c->series.at[i]])
			continue;
		c->series.at[n] = number[c->series.at[i]];
		c->funcs.at[n] = c->funcs.at[i];
		c->calls.at[n] = c->calls.at[i];
		if (!c->wide && stride)
			memmove(c->cells.at + n * stride, c->cells.at + i * stride,
			        stride * sizeof *c->cells.at);
		n++;
	}
	c->series.n = c->funcs.n = c->calls.n = n;
	c->cells.n = c->wide ? 0 : n * stride;
}

/* Makes room for a row of costs for each function; false when out of memory. */
static bool
rows_make(struct pp_profile *p, size_t rows, bool wide)
{
	struct pp_costs_facet *c = &p->costs;
	size_t cells = wide ? 0 : rows * 2 * p->metrics.n, i;

	if ((wide && !(c->wide = pp_wide_new(sizeof(struct pp_cost_pair), rows))) ||
	    !pp_vec_reserve(&c->cells, cells + 1) || !pp_vec_reserve(&c->calls, rows + 1) ||
	    !pp_vec_reserve(&c->funcs, rows + 1))
		return false;
	for (i = 0; i < rows; i++) {
		if (wide && !pp_wide_push(c->wide))
			return false;
		c->calls.at[i] = 0;
		c->funcs.at[i] = (pp_func)i;
	}
	/* A sum of nothing is all zero bits, as an integer and as a double. */
	for (i = 0; i < cells; i++)
		c->cells.at[i] = (union pp_value){ 0 };
	c->cells.n = cells;
	c->calls.n = c->funcs.n = rows;
	return true;
}

/* Adds a row of one profile to the row of its function in another. */
static bool
row_add(struct pp_profile *to, const struct pp_profile *from, size_t row)
{
	pp_func func = from->costs.funcs.at[row];
	size_t m;

	pp_count_add(&to->costs.calls.at[func], from->costs.calls.at[row]);
	for (m = 0; m < from->metrics.n; m++) {
		const struct pp_metric *metric = &from->metrics.at[m];
		struct pp_cost_pair cost = pp_costs_get(from, row, m), *pair;

		if (!to->costs.wide) {
			union pp_value *own = to->costs.cells.at + 2 * to->metrics.n * func;

			pp_value_add(metric, &own[m], cost.own);
			pp_value_add(metric, &own[to->metrics.n + m], cost.total);
			continue;
		}
		if (pp_value_is_zero(metric, cost.own) && pp_value_is_zero(metric, cost.total))
			continue;
		pair = pp_wide_at(to->costs.wide, func, (uint32_t)m);
		if (!pair)
			return false;
		pp_value_add(metric, &pair->own, cost.own);
		pp_value_add(metric, &pair->total, cost.total);
	}
	return true;
}

pp_status
pp_costs_united(const struct pp_profile *p, struct pp_profile **out)
{
	struct pp_derive d;
	size_t rows = 1, i;
	bool fine;

	*out = NULL;
	if (p->costs.series.n == 0)
		return PP_OK;
	for (i = 0; i < p->costs.funcs.n; i++)
		if (rows <= p->costs.funcs.at[i])
			rows = p->costs.funcs.at[i] + (size_t)1;
	if (!pp_derive_init(&d, p, 0, PP_COLUMN_COSTS))
		return PP_E_NOMEM;
	fine = rows_make(d.to, rows, p->costs.wide != NULL);
	for (i = 0; fine && i < p->costs.funcs.n; i++)
		fine = row_add(d.to, p, i);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* ---- one series ------------------------------------------------------------------------- */

/* Keeps the calls and lines of a series. */
static bool
rows_keep(struct pp_profile *p, uint32_t series)
{
	size_t calls = p->calls.rows.n, lines = p->lines.rows.n, i;
	bool *stays = calloc(calls + lines + 1, sizeof *stays);
	bool *metrics = malloc(p->metrics.n + 1), fine = stays && metrics;

	for (i = 0; fine && i < p->metrics.n; i++)
		metrics[i] = true;
	for (i = 0; fine && i < calls; i++)
		stays[i] = p->calls.rows.at[i].series == series;
	for (i = 0; fine && i < lines; i++)
		stays[calls + i] = p->lines.rows.at[i].series == series;
	fine = fine &&
	       pp_cells_choose(pp_cell_block(p, p->series.n), metrics, p->metrics.n, stays) &&
	       pp_cells_choose(pp_cell_block(p, p->series.n + 1), metrics, p->metrics.n,
	                       stays + calls);
	p->calls.rows.n = p->lines.rows.n = 0;
	for (i = 0; fine && i < calls; i++)
		if (stays[i]) {
			p->calls.rows.at[p->calls.rows.n] = p->calls.rows.at[i];
			p->calls.rows.at[p->calls.rows.n++].series = 0;
		}
	for (i = 0; fine && i < lines; i++)
		if (stays[calls + i]) {
			p->lines.rows.at[p->lines.rows.n] = p->lines.rows.at[i];
			p->lines.rows.at[p->lines.rows.n++].series = 0;
		}
	free(stays);
	free(metrics);
	return fine;
}

pp_status
pp_series_alone(const struct pp_profile *p, uint32_t series, struct pp_profile **out)
{
	const unsigned columns = PP_COLUMN_SERIES | PP_COLUMN_CALLS | PP_COLUMN_LINES |
	                         PP_COLUMN_COSTS;
	bool *stays = calloc(p->series.n + 1, sizeof *stays);
	uint32_t *number = calloc(p->series.n + 1, sizeof *number);
	struct pp_derive d;
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	if (stays && number && pp_derive_init(&d, p, columns, 0)) {
		stays[series] = true;
		if (d.to->costs.series.n)
			pp_costs_choose(d.to, stays, number);
		status = rows_keep(d.to, series) ? PP_OK : PP_E_NOMEM;
		d.to->series.at[0] = p->series.at[series];
		d.to->series.n = 1;
		status = pp_derive_finish(&d, status, out);
	}
	free(stays);
	free(number);
	return status;
}
