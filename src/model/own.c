/*
 * What functions cost themselves, and the whole: which facet is asked, and how its rows are added up.
 */
#include <stdlib.h>

#include "model/profile.h"

enum pp_basis
pp_profile_basis(const struct pp_profile *p)
{
	return p->costs.stated    ? PP_BASIS_COSTS
	       : p->calls.adds_up ? PP_BASIS_CALLS
	       : p->lines.adds_up ? PP_BASIS_LINES
	                          : PP_BASIS_TREE;
}

void
pp_profile_forget_stated(struct pp_profile *p)
{
	p->costs.stated = p->calls.adds_up = p->lines.adds_up = false;
	p->costs.funcs.n = p->costs.calls.n = p->costs.cells.n = 0;
}

bool
pp_calls_are_all(const struct pp_profile *p)
{
	return pp_profile_basis(p) == PP_BASIS_CALLS && !p->calls.own;
}

bool
pp_calls_counted(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++)
		if (p->calls.cells.at[i * pp_edge_stride(p)])
			return true;
	return false;
}

/* Rows that state own cost: those of lines, or of calls, where it is the callee's. */
struct own_rows {
	const int64_t *cells; /* of the first row: one per metric */
	size_t stride, n;
	bool calls;
};

static struct own_rows
own_rows(const struct pp_profile *p, bool calls)
{
	size_t at = calls ? 1 + p->metrics.n : p->lines.hits;

	return calls ? (struct own_rows){ p->calls.rows.n ? p->calls.cells.at + at : NULL,
		                          pp_edge_stride(p), p->calls.rows.n, true }
	             : (struct own_rows){ p->lines.rows.n ? p->lines.cells.at + at : NULL,
		                          pp_line_stride(p), p->lines.rows.n, false };
}

bool *
pp_funcs_called(const struct pp_profile *p, bool alone)
{
	bool *called = calloc(p->funcs.n, sizeof *called);
	size_t i;

	for (i = 0; called && i < p->calls.rows.n; i++)
		called[pp_func_id(p, p->calls.rows.at[i].callee, alone)] = true;
	return called;
}

/* ---- by function ------------------------------------------------------------------------ */

/* Own costs being added up. */
struct owning {
	const struct pp_profile *p;
	size_t series;
	bool alone;
	union pp_value *own;
};

static void
own_add_rows(const struct owning *o, const struct own_rows *rows)
{
	const struct pp_profile *p = o->p;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		pp_func func = rows->calls ? p->calls.rows.at[i].callee : p->lines.rows.at[i].func;
		uint32_t series = rows->calls ? p->calls.rows.at[i].series
		                              : p->lines.rows.at[i].series;
		union pp_value *own = o->own + pp_func_id(p, func, o->alone) * p->metrics.n;

		if (o->series != PP_ALL_SERIES && series != o->series)
			continue;
		pp_values_add_cells(p, own, rows->cells + i * rows->stride);
	}
}

static void
own_add_costs(const struct owning *o)
{
	const struct pp_profile *p = o->p;
	const struct pp_sparse *sparse = p->costs.sparse;
	size_t i, k;

	for (i = 1; i < p->costs.funcs.n; i++) {
		union pp_value *own = o->own +
		                      pp_func_id(p, p->costs.funcs.at[i], o->alone) * p->metrics.n;

		if (!sparse)
			pp_values_add(p, own, pp_costs_own(p, i));
		for (k = sparse ? sparse->first[i] : 0; sparse && k < sparse->first[i + 1]; k++) {
			const struct pp_cost_pair *pair = pp_sparse_cell(sparse, k);

			pp_value_add(&p->metrics.at[sparse->column[k]], &own[sparse->column[k]],
			             pair->own);
		}
	}
}

/* A cycle that nobody calls spends time that no edge states: what cannot be negative is nothing then. */
static void
net_settle(const struct owning *o)
{
	const struct pp_profile *p = o->p;
	size_t i;

	for (i = 0; i < p->funcs.n * p->metrics.n; i++)
		if (p->metrics.at[i % p->metrics.n].type == PP_UINT && o->own[i].i < 0)
			o->own[i].i = 0;
}

/* What callers say less what callees say. Of a function that nobody calls, callees tell nothing. */
static bool
own_add_net(const struct owning *o)
{
	const struct pp_profile *p = o->p;
	size_t stride = pp_edge_stride(p), n = p->metrics.n, i, m;
	bool *called = pp_funcs_called(p, o->alone);

	for (i = 0; called && i < p->calls.rows.n; i++) {
		const struct pp_edge_row *row = &p->calls.rows.at[i];
		pp_func caller = pp_func_id(p, row->caller, o->alone),
		        callee = pp_func_id(p, row->callee, o->alone);

		if (o->series != PP_ALL_SERIES && row->series != o->series)
			continue;
		for (m = 0; m < n; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];
			union pp_value v = pp_cell_value(metric,
			                                 p->calls.cells.at[i * stride + 1 + m]);

			pp_value_add(metric, &o->own[callee * n + m], v);
			if (caller && called[caller])
				pp_value_sub(metric, &o->own[caller * n + m], v);
		}
	}
	free(called);
	net_settle(o);
	return called != NULL;
}

union pp_value *
pp_profile_own(const struct pp_profile *p, size_t series, bool alone)
{
	struct owning o = { .p = p, .series = series, .alone = alone };
	enum pp_basis basis = pp_profile_basis(p);
	struct own_rows rows = own_rows(p, basis == PP_BASIS_CALLS);

	/* A sum of nothing is all zero bits, as an integer and as a double. */
	o.own = calloc(p->funcs.n * (p->metrics.n + 1), sizeof *o.own);
	if (!o.own)
		return NULL;
	if (pp_calls_are_all(p) && !own_add_net(&o)) {
		free(o.own);
		return NULL;
	}
	if (basis == PP_BASIS_COSTS)
		own_add_costs(&o);
	else if (!pp_calls_are_all(p))
		own_add_rows(&o, &rows);
	return o.own;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* The sum of a column of a series that is not sparse. */
static union pp_value
column_total(const struct pp_series *s, const struct pp_metric *m, size_t metric)
{
	const int64_t *cell = s->cells + metric;
	union pp_value sum = pp_value_zero(m);
	uint32_t row;

	for (row = 0; m->type == PP_INT && row < s->rows; row++, cell += s->stride)
		sum.i += *cell;
	for (row = 0; m->type == PP_UINT && row < s->rows; row++, cell += s->stride)
		sum.i += (uint64_t)*cell;
	for (row = 0; m->type == PP_REAL && row < s->rows; row++, cell += s->stride)
		sum.d += pp_cell_value(m, *cell).d;
	return sum;
}

/* Of one metric, or (metrics.n) of all of them: each has its sum. */
static void
totals_of_tree(const struct pp_profile *p, size_t metric, union pp_value *sums)
{
	size_t i, first = metric < p->metrics.n ? metric : 0;
	size_t end = metric < p->metrics.n ? metric + 1 : p->metrics.n, k;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (k = first; !s->sparse && s->rows && k < end; k++)
			pp_value_add(&p->metrics.at[k], &sums[k - first],
			             column_total(s, &p->metrics.at[k], k));
		for (k = 0; s->sparse && k < s->sparse->first[s->rows]; k++) {
			uint32_t column = s->sparse->column[k];
			const struct pp_metric *m = &p->metrics.at[column];

			if (column >= first && column < end)
				pp_value_add(m, &sums[column - first],
				             pp_cell_value(m, *(const int64_t *)pp_sparse_cell(
				                                  s->sparse, (uint32_t)k)));
		}
	}
}

/* From the own costs of lines or calls. */
static union pp_value
total_of_rows(const struct pp_profile *p, bool calls, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	struct own_rows rows = own_rows(p, calls);
	union pp_value sum = pp_value_zero(m);
	size_t i;

	for (i = 0; i < rows.n; i++)
		pp_value_add(m, &sum, pp_cell_value(m, rows.cells[i * rows.stride + metric]));
	return sum;
}

/* From calls that state inclusive costs: those of functions that nobody calls contain all others. */
static union pp_value
total_of_net(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value sum = pp_value_zero(m), *own = pp_profile_own(p, PP_ALL_SERIES, false);
	size_t i;

	for (i = 0; own && i < p->funcs.n; i++)
		pp_value_add(m, &sum, own[i * p->metrics.n + metric]);
	free(own);
	return sum;
}

union pp_value
pp_profile_total(const struct pp_profile *p, size_t metric)
{
	enum pp_basis basis = pp_profile_basis(p);
	union pp_value sum = pp_value_zero(&p->metrics.at[metric]);

	if (basis == PP_BASIS_COSTS && p->costs.funcs.n)
		return pp_costs_get(p, 0, metric).total;
	if (basis == PP_BASIS_CALLS && p->calls.rows.n) {
		union pp_value calls = pp_calls_are_all(p) ? total_of_net(p, metric)
		                                           : total_of_rows(p, true, metric);

		/* Subs may be listed without any of their cost: then the lines tell. */
		if (!pp_value_is_zero(&p->metrics.at[metric], calls) || p->lines.rows.n == 0)
			return calls;
		return total_of_rows(p, false, metric);
	}
	if (p->tree.n <= 1 && p->lines.rows.n)
		return total_of_rows(p, false, metric);
	totals_of_tree(p, metric, &sum);
	return sum;
}

union pp_value *
pp_profile_totals(const struct pp_profile *p)
{
	enum pp_basis basis = pp_profile_basis(p);
	union pp_value *sums = calloc(p->metrics.n + 1, sizeof *sums);
	bool tree = (basis == PP_BASIS_TREE || basis == PP_BASIS_LINES) &&
	            (p->tree.n > 1 || p->lines.rows.n == 0);
	size_t m;

	if (sums && tree)
		totals_of_tree(p, p->metrics.n, sums);
	for (m = 0; sums && !tree && m < p->metrics.n; m++)
		sums[m] = pp_profile_total(p, m);
	return sums;
}
