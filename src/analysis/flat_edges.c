/*
 * The flat profile of a call graph: own cost from lines or as calls tell it, inclusive cost from edges.
 *
 * An edge holds the cost of everything below it, so inclusive(f) = own(f) + edges leaving f. With
 * recursion such edges count what is inside f again: only edges that leave f's cycle (its strongly
 * connected component) are added. No function then exceeds the whole.
 */
#include "analysis/flat_sources.h"

#include <stdlib.h>

#include "analysis/call_graph.h"

bool
pp_flat_alloc(struct pp_flat *f, const struct pp_profile *p, size_t rows)
{
	size_t cells = (rows + 1) * (p->metrics.n + 1), m;

	*f = (struct pp_flat){ .profile = p, .metrics = p->metrics.n, .n = rows };
	f->func = calloc(rows + 1, sizeof *f->func);
	f->calls = calloc(rows + 1, sizeof *f->calls);
	f->self = calloc(cells, sizeof *f->self);
	f->total = calloc(cells, sizeof *f->total);
	f->whole = calloc(f->metrics + 1, sizeof *f->whole);
	if (!f->func || !f->calls || !f->self || !f->total || !f->whole) {
		pp_flat_release(f);
		return false;
	}
	for (m = 0; m < f->metrics; m++)
		f->whole[m] = pp_value_zero(&p->metrics.at[m]);
	return true;
}

bool
pp_flat_number(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of, size_t rows)
{
	size_t i;

	if (!pp_flat_alloc(f, p, rows))
		return false;
	for (i = 1; i < p->funcs.n; i++)
		if (row_of[i])
			f->func[row_of[i] - 1] = (pp_func)i;
	return true;
}

/* Numbers the functions that lines and edges name, by id; row_of[func] is the row + 1. */
static size_t
number_rows(const struct pp_profile *p, uint32_t *row_of)
{
	size_t i;
	uint32_t rows = 0;

	for (i = 0; i < p->lines.rows.n; i++)
		row_of[p->funcs.at[p->lines.rows.at[i].func].same] = 1;
	for (i = 0; i < p->calls.rows.n; i++) {
		row_of[p->funcs.at[p->calls.rows.at[i].caller].same] = 1;
		row_of[p->funcs.at[p->calls.rows.at[i].callee].same] = 1;
	}
	row_of[0] = 0;
	for (i = 1; i < p->funcs.n; i++)
		if (row_of[i])
			row_of[i] = ++rows;
	return rows;
}

static bool
add_own(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	union pp_value *own = pp_profile_own(p, PP_ALL_SERIES, false);
	size_t i, m;

	for (i = 0; own && i < p->funcs.n; i++)
		for (m = 0; m < f->metrics; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];
			size_t at = (row_of[i] - (size_t)1) * f->metrics + m;

			pp_value_add(metric, &f->whole[m], own[i * f->metrics + m]);
			if (row_of[i])
				f->self[at] = f->total[at] = own[i * f->metrics + m];
		}
	free(own);
	return own != NULL;
}

bool
pp_flat_cycles(struct pp_flat *f, const struct pp_call_graph *g, const uint32_t *row_of)
{
	uint32_t *number = calloc((size_t)g->components + 1, sizeof *number), func;

	f->cycle = calloc(f->n + 1, sizeof *f->cycle);
	for (func = 1; number && f->cycle && func < g->n; func++) {
		uint32_t component = g->component[func];

		if (!row_of[func] || g->members[component] < 2)
			continue;
		/* That functions of a file are in a cycle does not put the file into one. */
		if (f->profile->funcs.at[f->func[row_of[func] - 1]].flags & PP_FUNC_PSEUDO)
			continue;
		if (!number[component])
			number[component] = ++f->cycles;
		f->cycle[row_of[func] - 1] = number[component];
	}
	free(number);
	return number && f->cycle;
}

static bool
add_edges(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	struct pp_call_graph g;
	uint32_t caller, row;
	size_t e, m;
	bool ok;

	if (!pp_call_graph_init(&g, p, PP_ALL_SERIES))
		return false;
	for (e = 0; e < p->calls.rows.n; e++) {
		row = row_of[p->funcs.at[p->calls.rows.at[e].callee].same];
		if (p->calls.rows.at[e].caller == 0 && row)
			pp_count_add(&f->calls[row - 1],
			             (uint64_t)p->calls.cells.at[e * pp_edge_stride(p)]);
	}
	for (caller = 1; caller < g.n; caller++) {
		for (e = g.first[caller]; e < g.first[caller + 1]; e++) {
			pp_count_add(&f->calls[row_of[g.to[e]] - 1], g.calls[e]);
			if (g.component[caller] == g.component[g.to[e]])
				continue;
			for (m = 0; m < f->metrics; m++)
				pp_value_add(&p->metrics.at[m],
				             &f->total[(row_of[caller] - 1) * f->metrics + m],
				             pp_call_graph_cost(&g, e)[m]);
		}
	}
	ok = p->derived.alone.n || pp_flat_cycles(f, &g, row_of);
	pp_call_graph_release(&g);
	f->has_calls = true;
	return ok;
}

pp_status
pp_flat_edges(const struct pp_profile *p, struct pp_flat *f)
{
	uint32_t *row_of = calloc(p->funcs.n, sizeof *row_of);
	bool ok;

	*f = (struct pp_flat){ 0 };
	ok = row_of && pp_flat_number(f, p, row_of, number_rows(p, row_of)) &&
	     add_own(f, p, row_of) &&
	     (p->calls.rows.n == 0 ||
	      (add_edges(f, p, row_of) && (!p->derived.alone.n || pp_flat_groups(f, p, row_of))));
	free(row_of);
	if (ok)
		return PP_OK;
	pp_flat_release(f);
	return PP_E_NOMEM;
}

/* Whether a row of the costs of functions is that of one that occurs. */
static bool
costs_occur(const struct pp_costs_facet *c, size_t row)
{
	return !c->calls.n || c->calls.at[row];
}

pp_status
pp_flat_costs(const struct pp_profile *p, struct pp_flat *f)
{
	const struct pp_costs_facet *c = &p->costs;
	uint32_t *row_of = calloc(p->funcs.n, sizeof *row_of);
	size_t i, m, rows = 0;

	*f = (struct pp_flat){ 0 };
	for (i = 1; row_of && i < c->funcs.n; i++)
		if (costs_occur(c, i) && !row_of[p->funcs.at[c->funcs.at[i]].same])
			row_of[p->funcs.at[c->funcs.at[i]].same] = (uint32_t)++rows;
	if (!row_of || !pp_flat_number(f, p, row_of, rows)) {
		free(row_of);
		return PP_E_NOMEM;
	}
	f->has_calls = c->calls.n > 0;
	for (i = 1; i < c->funcs.n; i++) {
		size_t row = row_of[p->funcs.at[c->funcs.at[i]].same] - (size_t)1;

		if (!costs_occur(c, i))
			continue;
		if (f->has_calls)
			pp_count_add(&f->calls[row], c->calls.at[i]);
		for (m = 0; m < f->metrics; m++) {
			const struct pp_metric *metric = &p->metrics.at[m];

			pp_value_add(metric, &f->self[row * f->metrics + m], pp_costs_own(p, i)[m]);
			pp_value_add(metric, &f->total[row * f->metrics + m],
			             pp_costs_own(p, i)[f->metrics + m]);
		}
	}
	for (m = 0; c->funcs.n && m < f->metrics; m++)
		f->whole[m] = pp_costs_own(p, 0)[f->metrics + m];
	free(row_of);
	return PP_OK;
}
