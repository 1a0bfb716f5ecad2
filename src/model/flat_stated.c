/*
 * The flat profile as the file itself states it: in its own table of functions, or in its calls.
 */
#include "model/flat_sources.h"

/* ---- the table of functions ------------------------------------------------------------- */

/* Whether a row of the costs of functions is that of one that occurs. */
static bool
costs_occur(const struct pp_profile *p, size_t row)
{
	const struct pp_costs_facet *c = &p->costs;
	bool occurs = !c->calls.n || c->calls.at[row];
	size_t m;

	/* Of functions in some files calls are not known, but costs are. */
	for (m = 0; m < p->metrics.n && !occurs; m++)
		occurs = !pp_value_is_zero(&p->metrics.at[m],
		                           pp_costs_own(p, row)[p->metrics.n + m]);
	return occurs;
}

static bool
costs_mark(const struct pp_profile *p, uint32_t *row_of)
{
	size_t i;

	for (i = 1; i < p->costs.funcs.n; i++)
		if (costs_occur(p, i))
			row_of[p->funcs.at[p->costs.funcs.at[i]].same] = 1;
	return true;
}

static bool
costs_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	const struct pp_costs_facet *c = &p->costs;
	size_t i, m;

	f->has_calls = c->calls.n > 0;
	for (i = 1; i < c->funcs.n; i++) {
		size_t row = row_of[p->funcs.at[c->funcs.at[i]].same] - (size_t)1;

		if (!costs_occur(p, i))
			continue;
		if (f->has_calls)
			pp_count_add(&f->calls[row], c->calls.at[i]);
		pp_values_add(p, pp_flat_self_of(f, row), pp_costs_own(p, i));
		pp_values_add(p, pp_flat_total_of(f, row), pp_costs_own(p, i) + f->metrics);
	}
	for (m = 0; c->funcs.n && m < f->metrics; m++)
		f->whole[m] = pp_costs_own(p, 0)[f->metrics + m];
	return true;
}

const struct pp_flat_source pp_flat_by_costs = { costs_mark, costs_fill };

/* ---- calls ------------------------------------------------------------------------------ */

/* A row for each function that was called or that the file lists. */
static bool
calls_mark(const struct pp_profile *p, uint32_t *row_of)
{
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++)
		row_of[p->funcs.at[p->calls.rows.at[i].callee].same] = 1;
	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].flags & PP_FUNC_DECLARED)
			row_of[p->funcs.at[i].same] = 1;
	return true;
}

/* What all functions cost, but no less than any of them: files may state totals without own costs. */
static void
calls_whole(struct pp_flat *f, const struct pp_profile *p)
{
	size_t row, m;

	for (m = 0; m < f->metrics; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		f->whole[m] = pp_profile_total(p, m);
		for (row = 0; row < f->n; row++)
			if (pp_value_cmp(metric, f->total[row * f->metrics + m], f->whole[m]) > 0)
				f->whole[m] = f->total[row * f->metrics + m];
	}
}

/*
 * A function costs what its calls cost. Recursion needs no care where the file counts outermost calls only. Where an
 * edge from a function to itself repeats time that the outer call has, it is left out.
 */
static bool
calls_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	size_t stride = pp_edge_stride(p), i;

	f->has_calls = true;
	for (i = 0; i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		const int64_t *cells = p->calls.cells.at + i * stride;
		pp_func callee = p->funcs.at[e->callee].same;
		size_t row = row_of[callee] - 1;

		pp_count_add(&f->calls[row], (uint64_t)cells[0]);
		if (!p->calls.self_repeats || callee != p->funcs.at[e->caller].same)
			pp_values_add_cells(p, pp_flat_total_of(f, row), cells + 1);
		if (p->calls.own)
			pp_values_add_cells(p, pp_flat_self_of(f, row), cells + 1 + f->metrics);
	}
	calls_whole(f, p);
	return true;
}

const struct pp_flat_source pp_flat_by_calls = { calls_mark, calls_fill };
