/*
 * The flat profile of a call graph: own cost from lines or as calls tell it, inclusive cost from edges.
 *
 * An edge holds the cost of everything below it, so inclusive(f) = own(f) + edges leaving f. With
 * recursion such edges count what is inside f again: only edges that leave f's cycle (its strongly
 * connected component) are added. No function then exceeds the whole. Where the file tells levels of recursion apart, edges
 * count nothing again, and all are added.
 */
#include "model/flat_sources.h"

#include <stdlib.h>

#include "model/call_graph.h"

/* The functions that lines and edges name. */
static bool
graph_mark(const struct pp_profile *p, uint32_t *row_of)
{
	size_t i;

	for (i = 0; i < p->lines.rows.n; i++)
		row_of[p->funcs.at[p->lines.rows.at[i].func].same] = 1;
	for (i = 0; i < p->calls.rows.n; i++) {
		row_of[p->funcs.at[p->calls.rows.at[i].caller].same] = 1;
		row_of[p->funcs.at[p->calls.rows.at[i].callee].same] = 1;
	}
	return true;
}

static bool
add_own(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	struct pp_ledger own;
	bool fine = pp_profile_own(p, PP_ALL_SERIES, false, &own);
	size_t i, k;

	for (i = 0; fine && i < p->funcs.n; i++) {
		struct pp_values v = pp_ledger_row(&own, i);

		for (k = 0; fine && k < v.n; k++) {
			uint32_t m = pp_values_metric(&v, k);

			pp_value_add(&p->metrics.at[m], &f->whole[m], v.at[k]);
			if (row_of[i])
				fine = pp_flat_add(f, row_of[i] - (size_t)1, m, v.at[k], v.at[k]);
		}
	}
	pp_ledger_release(&own);
	return fine;
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

/* Whether edges count nothing again: the file says so, and functions are those of the file. */
static bool
edges_are_outermost(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; p->calls.outermost && i < p->funcs.n && p->funcs.at[i].same == i; i++)
		;
	return p->calls.outermost && i == p->funcs.n && !p->derived.alone.n && pp_calls_are_all(p);
}

/* Adds the cost of an edge to the total of a row. */
static bool
add_edge(struct pp_flat *f, size_t row, struct pp_values cost)
{
	bool fine = true;
	size_t i;

	if (PP_LIKELY(!pp_flat_is_sparse(f))) {
		pp_values_add(f->profile, pp_flat_total_of(f, row), cost.at);
		return true;
	}
	for (i = 0; fine && i < cost.n; i++) {
		uint32_t m = pp_values_metric(&cost, i);

		fine = pp_flat_add(f, row, m, pp_value_zero(&f->profile->metrics.at[m]),
		                   cost.at[i]);
	}
	return fine;
}

static bool
add_edges(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	struct pp_call_graph g;
	bool *called = pp_funcs_called(p, false), skip = pp_calls_are_all(p), ok;
	bool outermost = edges_are_outermost(p);
	uint32_t caller, row;
	size_t e;

	if (!called || !pp_call_graph_init(&g, p, PP_ALL_SERIES)) {
		free(called);
		return false;
	}
	for (e = 0; e < p->calls.rows.n; e++) {
		row = row_of[p->funcs.at[p->calls.rows.at[e].callee].same];
		if (p->calls.rows.at[e].caller == 0 && row)
			pp_count_add(&f->calls[row - 1], (uint64_t)pp_edge_cell(p, e, 0));
	}
	ok = true;
	for (caller = 1; ok && caller < g.n; caller++) {
		for (e = g.first[caller]; ok && e < g.first[caller + 1]; e++) {
			pp_count_add(&f->calls[row_of[g.to[e]] - 1], g.calls[e]);
			if (!outermost && g.component[caller] == g.component[g.to[e]])
				continue;
			/* Where calls are all, those who call tell what a function costs. */
			if (skip && !called[caller])
				continue;
			ok = add_edge(f, row_of[caller] - (size_t)1, pp_call_graph_cost(&g, e));
		}
	}
	ok = ok && (p->derived.alone.n || outermost || pp_flat_cycles(f, &g, row_of));
	pp_call_graph_release(&g);
	free(called);
	f->has_calls = pp_calls_counted(p);
	f->uncounted = true;
	return ok;
}

static bool
graph_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	if (!add_own(f, p, row_of))
		return false;
	return p->calls.rows.n == 0 ||
	       (add_edges(f, p, row_of) && (!p->derived.alone.n || (pp_flat_groups(f, p, row_of) &&
	                                                            pp_flat_limit(f, row_of))));
}

const struct pp_flat_source pp_flat_by_graph = { graph_mark, graph_fill };
