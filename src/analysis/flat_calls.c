/*
 * The flat profile as the file's own call records state it: a function costs what its calls cost.
 *
 * Recursion needs no care where the file counts outermost calls only (NYTProf). Where an edge from a
 * function to itself repeats time that the outer call has (`calls.self_repeats`), it is left out.
 */
#include "analysis/flat_calls.h"

#include "analysis/flat_sources.h"

/* A row for each function that was called or that the file lists. */
static bool
rows_make(struct pp_flat *f, const struct pp_profile *p, uint32_t *row_of)
{
	size_t i, rows = 0;

	for (i = 0; i < p->calls.rows.n; i++)
		row_of[p->funcs.at[p->calls.rows.at[i].callee].same] = 1;
	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].flags & PP_FUNC_DECLARED)
			row_of[p->funcs.at[i].same] = 1;
	row_of[0] = 0;
	for (i = 1; i < p->funcs.n; i++)
		if (row_of[i])
			row_of[i] = (uint32_t)++rows;
	return pp_flat_number(f, p, row_of, rows);
}

static void
rows_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	size_t stride = pp_edge_stride(p), i, m;

	for (i = 0; i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		const int64_t *cells = p->calls.cells.at + i * stride;
		pp_func callee = p->funcs.at[e->callee].same;
		bool repeats = p->calls.self_repeats && callee == p->funcs.at[e->caller].same;
		size_t row = row_of[callee] - 1;

		pp_count_add(&f->calls[row], (uint64_t)cells[0]);
		for (m = 0; m < f->metrics; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];

			if (!repeats)
				pp_value_add(metric, &f->total[row * f->metrics + m],
				             pp_cell_value(metric, cells[1 + m]));
			if (p->calls.own)
				pp_value_add(metric, &f->self[row * f->metrics + m],
				             pp_cell_value(metric, cells[1 + f->metrics + m]));
		}
	}
}

/* What all functions cost, but no less than any of them: files may state totals without own costs. */
static void
whole_fill(struct pp_flat *f, const struct pp_profile *p)
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

pp_status
pp_flat_from_calls(const struct pp_profile *p, struct pp_flat *f)
{
	uint32_t *row_of = calloc(p->funcs.n + 1, sizeof *row_of);
	bool ok;

	*f = (struct pp_flat){ 0 };
	ok = row_of && rows_make(f, p, row_of);
	if (ok) {
		f->has_calls = true;
		rows_fill(f, p, row_of);
		whole_fill(f, p);
	}
	free(row_of);
	if (ok)
		return PP_OK;
	pp_flat_release(f);
	return PP_E_NOMEM;
}
