/*
 * What functions cost themselves, and the whole: which facet is asked, and how its rows are added up.
 */
#include <stdlib.h>

#include "base/stops.h"
#include "model/divide.h"
#include "model/ledger.h"

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
	p->costs.funcs.n = p->costs.calls.n = p->costs.cells.n = p->costs.series.n = 0;
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
		if (pp_edge_cell(p, i, 0))
			return true;
	return false;
}

/* Rows that state own cost are those of lines, or of calls, where it is the callee's. */
static struct pp_cells
row_own(const struct pp_profile *p, bool calls, size_t row)
{
	return calls ? pp_edge_own(p, row) : pp_line_costs(p, row);
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
	struct pp_ledger *own; /* by function */
};

static void
own_add_rows(const struct owning *o, bool calls)
{
	const struct pp_profile *p = o->p;
	size_t n = calls ? p->calls.rows.n : p->lines.rows.n, i;

	for (i = 0; i < n && !pp_account_stops_at(i); i++) {
		pp_func func = calls ? p->calls.rows.at[i].callee : p->lines.rows.at[i].func;
		uint32_t series = calls ? p->calls.rows.at[i].series : p->lines.rows.at[i].series;

		if (o->series == PP_ALL_SERIES || series == o->series)
			pp_ledger_add_cells(o->own, pp_func_id(p, func, o->alone),
			                    row_own(p, calls, i));
	}
}

static void
own_add_costs(const struct owning *o)
{
	const struct pp_profile *p = o->p;
	const struct pp_wide *wide = p->costs.wide;
	const struct pp_cost_pair *pairs = wide ? (const void *)wide->cells : NULL;
	size_t i, k;

	for (i = 1; i < p->costs.funcs.n; i++) {
		pp_func func = pp_func_id(p, p->costs.funcs.at[i], o->alone);
		struct pp_span s = wide ? wide->rows.at[i] : (struct pp_span){ 0 };

		if (p->costs.series.n &&
		    (!p->costs.funcs.at[i] ||
		     (o->series != PP_ALL_SERIES && p->costs.series.at[i] != o->series)))
			continue;
		if (!wide)
			pp_ledger_add_values(
			    o->own, func,
			    (struct pp_values){ pp_costs_own(p, i), NULL, p->metrics.n });
		for (k = s.first; k < (size_t)s.first + s.n; k++)
			pp_ledger_add(o->own, func, wide->column[k], pairs[k].own);
	}
}

/* A cycle that nobody calls spends time that no edge states: what cannot be negative is nothing then. */
static void
net_settle(const struct owning *o)
{
	const struct pp_profile *p = o->p;
	size_t i, k;

	for (i = 0; i < p->funcs.n && !o->own->failed; i++) {
		struct pp_values row = pp_ledger_row(o->own, i);

		for (k = 0; k < row.n; k++) {
			uint32_t m = pp_values_metric(&row, k);

			if (p->metrics.at[m].type == PP_UINT && row.at[k].i < 0)
				pp_ledger_at(o->own, i, m)->i = 0;
		}
	}
}

/* What callers say less what callees say. Of a function that nobody calls, callees tell nothing. */
static bool
own_add_net(const struct owning *o)
{
	const struct pp_profile *p = o->p;
	bool *called = pp_funcs_called(p, o->alone);
	size_t i;

	for (i = 0; called && i < p->calls.rows.n && !pp_account_stops_at(i); i++) {
		const struct pp_edge_row *row = &p->calls.rows.at[i];
		pp_func caller = pp_func_id(p, row->caller, o->alone),
		        callee = pp_func_id(p, row->callee, o->alone);

		if (o->series != PP_ALL_SERIES && row->series != o->series)
			continue;
		pp_ledger_add_cells(o->own, callee, pp_edge_costs(p, i));
		if (caller && called[caller])
			pp_ledger_sub_cells(o->own, caller, pp_edge_costs(p, i));
	}
	free(called);
	net_settle(o);
	return called != NULL;
}

bool
pp_profile_own(const struct pp_profile *p, size_t series, bool alone, struct pp_ledger *own)
{
	struct owning o = { .p = p, .series = series, .alone = alone, .own = own };
	enum pp_basis basis = pp_profile_basis(p);
	bool fine = pp_ledger_init(own, p, p->funcs.n);

	if (fine && pp_calls_are_all(p))
		fine = own_add_net(&o);
	else if (fine && basis == PP_BASIS_COSTS)
		own_add_costs(&o);
	else if (fine)
		own_add_rows(&o, basis == PP_BASIS_CALLS);
	fine = fine && !own->failed && !pp_account_stops();
	if (!fine)
		pp_ledger_release(own);
	return fine;
}

/* ---- the whole -------------------------------------------------------------------------- */

/* The sum of a column of rows that have all cells. */
static union pp_value
column_total(const struct pp_metric *m, const int64_t *cell, size_t rows, size_t stride)
{
	union pp_value sum = pp_value_zero(m);
	size_t row;

	for (row = 0; m->type == PP_INT && row < rows; row++, cell += stride)
		sum.i += *cell;
	for (row = 0; m->type == PP_UINT && row < rows; row++, cell += stride)
		sum.i += (uint64_t)*cell;
	for (row = 0; m->type == PP_REAL && row < rows; row++, cell += stride)
		sum.d += pp_cell_value(m, *cell).d;
	return sum;
}

/* The sums of all metrics, whatever the rows are. */
static void
totals_of_tree(const struct pp_profile *p, union pp_value *sums)
{
	size_t i, k;
	uint32_t row;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (k = 0; !s->wide && s->rows && k < p->metrics.n; k++)
			pp_value_add(
			    &p->metrics.at[k], &sums[k],
			    column_total(&p->metrics.at[k], s->cells + k, s->rows, s->stride));
		for (row = 0; s->wide && row < s->rows; row++)
			pp_values_add_cells(p, sums, pp_series_costs(p, s, row));
	}
}

/* From the own costs of lines or calls. */
static void
totals_of_rows(const struct pp_profile *p, bool calls, union pp_value *sums)
{
	size_t n = calls ? p->calls.rows.n : p->lines.rows.n, i;
	size_t stride = calls ? pp_edge_stride(p) : pp_line_stride(p);
	bool wide = calls ? p->calls.wide != NULL : p->lines.wide != NULL;

	for (i = 0; !wide && n && i < p->metrics.n; i++)
		pp_value_add(
		    &p->metrics.at[i], &sums[i],
		    column_total(&p->metrics.at[i], row_own(p, calls, 0).at + i, n, stride));
	for (i = 0; wide && i < n; i++)
		pp_values_add_cells(p, sums, row_own(p, calls, i));
}

/* From calls that state inclusive costs: those of functions that nobody calls contain all others. */
static void
totals_of_net(const struct pp_profile *p, union pp_value *sums)
{
	struct pp_ledger own;
	size_t i, k;

	if (!pp_profile_own(p, PP_ALL_SERIES, false, &own))
		return;
	for (i = 0; i < p->funcs.n; i++) {
		struct pp_values row = pp_ledger_row(&own, i);

		for (k = 0; k < row.n; k++) {
			uint32_t m = pp_values_metric(&row, k);

			pp_value_add(&p->metrics.at[m], &sums[m], row.at[k]);
		}
	}
	pp_ledger_release(&own);
}

/* Calls tell the whole, of metrics of which they know nothing the lines do. False when out of memory. */
static bool
totals_of_calls(const struct pp_profile *p, union pp_value *sums)
{
	union pp_value *lines = calloc(p->metrics.n + 1, sizeof *lines);
	bool missing = false;
	size_t m;

	if (pp_calls_are_all(p))
		totals_of_net(p, sums);
	else
		totals_of_rows(p, true, sums);
	/* Subs may be listed without any of their cost: then the lines tell. */
	for (m = 0; p->lines.rows.n && m < p->metrics.n; m++)
		missing = missing || pp_value_is_zero(&p->metrics.at[m], sums[m]);
	if (lines && missing)
		totals_of_rows(p, false, lines);
	for (m = 0; lines && missing && m < p->metrics.n; m++)
		if (pp_value_is_zero(&p->metrics.at[m], sums[m]))
			sums[m] = lines[m];
	free(lines);
	return lines != NULL;
}

union pp_value *
pp_profile_totals(const struct pp_profile *p)
{
	enum pp_basis basis = pp_profile_basis(p);
	union pp_value *sums = calloc(p->metrics.n + 1, sizeof *sums);
	bool fine = sums != NULL;
	size_t m;

	if (fine && basis == PP_BASIS_COSTS && p->costs.funcs.n) {
		for (m = 0; m < p->metrics.n; m++)
			sums[m] = pp_costs_whole(p, m).total;
	} else if (fine && basis == PP_BASIS_CALLS && p->calls.rows.n) {
		fine = totals_of_calls(p, sums);
	} else if (fine && p->tree.n <= 1 && p->lines.rows.n) {
		totals_of_rows(p, false, sums);
	} else if (fine) {
		totals_of_tree(p, sums);
	}
	if (!fine) {
		free(sums);
		sums = NULL;
	}
	return sums;
}

/* From the own costs of lines or calls, of one metric. */
static union pp_value
total_of_rows(const struct pp_profile *p, bool calls, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value sum = pp_value_zero(m);
	size_t n = calls ? p->calls.rows.n : p->lines.rows.n, i;

	for (i = 0; i < n; i++)
		pp_value_add(m, &sum,
		             pp_cell_value(m, calls ? pp_edge_cell(p, i, 1 + p->metrics.n + metric)
		                                    : pp_line_cell(p, i, p->lines.hits + metric)));
	return sum;
}

/* Of a tree, likewise. */
static union pp_value
total_of_tree(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value sum = pp_value_zero(m);
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		if (!s->wide && s->rows)
			pp_value_add(m, &sum,
			             column_total(m, s->cells + metric, s->rows, s->stride));
		for (row = 0; s->wide && row < s->rows; row++)
			pp_value_add(m, &sum, pp_cell_value(m, pp_series_cell(s, row, metric)));
	}
	return sum;
}

union pp_value
pp_profile_total(const struct pp_profile *p, size_t metric)
{
	enum pp_basis basis = pp_profile_basis(p);
	union pp_value sum, *sums;

	if (basis == PP_BASIS_COSTS && p->costs.funcs.n)
		return pp_costs_whole(p, metric).total;
	if (basis == PP_BASIS_CALLS && p->calls.rows.n && pp_calls_are_all(p)) {
		sums = pp_profile_totals(p);
		sum = sums ? sums[metric] : pp_value_zero(&p->metrics.at[metric]);
		free(sums);
		return sum;
	}
	if (basis == PP_BASIS_CALLS && p->calls.rows.n) {
		sum = total_of_rows(p, true, metric);
		if (!pp_value_is_zero(&p->metrics.at[metric], sum) || p->lines.rows.n == 0)
			return sum;
		return total_of_rows(p, false, metric);
	}
	return p->tree.n <= 1 && p->lines.rows.n ? total_of_rows(p, false, metric)
	                                         : total_of_tree(p, metric);
}
