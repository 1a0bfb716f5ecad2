/*
 * Rows of edges, one per call site and part, added up to one edge per caller and callee.
 */
#include "model/call_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/stops.h"
#include "model/scc.h"

struct pair {
	pp_func caller, callee;
	uint32_t row;
};

/* A stable sort by caller or callee, all of which are less than `funcs`; `starts` has room for that many and one more. */
static void
pairs_sort(const struct pair *from, struct pair *to, size_t n, bool by_caller, size_t *starts,
           size_t funcs)
{
	size_t i;

	memset(starts, 0, (funcs + 1) * sizeof *starts);
	for (i = 0; i < n; i++)
		starts[(by_caller ? from[i].caller : from[i].callee) + 1]++;
	for (i = 1; i <= funcs; i++)
		starts[i] += starts[i - 1];
	for (i = 0; i < n && !pp_account_stops_at(i); i++)
		to[starts[by_caller ? from[i].caller : from[i].callee]++] = from[i];
}

/* The rows with a caller, sorted; *n of them. NULL when out of memory. */
static struct pair *
sorted_pairs(const struct pp_profile *p, size_t series, bool alone, size_t *n)
{
	struct pair *pairs = malloc((p->calls.rows.n + 1) * sizeof *pairs);
	struct pair *half = calloc(p->calls.rows.n + 1, sizeof *half);
	size_t *starts = malloc((p->funcs.n + 1) * sizeof *starts), i;

	*n = 0;
	for (i = 0; pairs && i < p->calls.rows.n && !pp_account_stops_at(i); i++) {
		const struct pp_edge_row *row = &p->calls.rows.at[i];

		if (row->caller && row->callee &&
		    (series == PP_ALL_SERIES || row->series == series))
			pairs[(*n)++] = (struct pair){ pp_func_id(p, row->caller, alone),
				                       pp_func_id(p, row->callee, alone),
				                       (uint32_t)i };
	}
	if (pairs && half && starts) {
		pairs_sort(pairs, half, *n, false, starts, p->funcs.n);
		pairs_sort(half, pairs, *n, true, starts, p->funcs.n);
	}
	/* Pairs that were not all moved are none. */
	if (!half || !starts || pp_account_stops()) {
		free(pairs);
		pairs = NULL;
	}
	free(half);
	free(starts);
	return pairs;
}

/* Adds the cells of one row to an edge. */
static void
edge_add(struct pp_call_graph *g, const struct pp_profile *p, size_t edge, uint32_t row)
{
	pp_count_add(&g->calls[edge], (uint64_t)pp_edge_cell(p, row, 0));
	pp_ledger_add_cells(&g->cost, edge, pp_edge_costs(p, row));
}

static bool
graph_edges(struct pp_call_graph *g, const struct pp_profile *p, size_t series, bool alone)
{
	size_t n, i, edges = 0;
	struct pair *pairs = sorted_pairs(p, series, alone, &n);

	g->first = calloc((size_t)g->n + 2, sizeof *g->first);
	g->to = calloc(n + 1, sizeof *g->to);
	g->calls = calloc(n + 1, sizeof *g->calls);
	if (!pp_ledger_init(&g->cost, p, n + 1) || !pairs || !g->first || !g->to || !g->calls) {
		free(pairs);
		return false;
	}
	for (i = 0; i < n; i++) {
		if (i == 0 || pairs[i].caller != pairs[i - 1].caller ||
		    pairs[i].callee != pairs[i - 1].callee) {
			g->to[edges++] = pairs[i].callee;
			g->first[pairs[i].caller + 1]++;
		}
		edge_add(g, p, edges - 1, pairs[i].row);
		g->cost.failed |= pp_account_stops_at(i);
		if (g->cost.failed)
			break;
	}
	for (i = 1; i <= g->n; i++)
		g->first[i] += g->first[i - 1];
	free(pairs);
	return !g->cost.failed;
}

static bool
graph_init(struct pp_call_graph *g, const struct pp_profile *p, size_t series, bool alone)
{
	uint32_t f;

	*g = (struct pp_call_graph){ .n = (uint32_t)p->funcs.n };
	g->component = calloc((size_t)g->n + 1, sizeof *g->component);
	g->members = calloc((size_t)g->n + 1, sizeof *g->members);
	if (!g->component || !g->members || !graph_edges(g, p, series, alone) ||
	    !pp_scc_compute(g->n, g->first, g->to, g->component, &g->components)) {
		pp_call_graph_release(g);
		return false;
	}
	for (f = 1; f < g->n; f++)
		g->members[g->component[f]]++;
	return true;
}

bool
pp_call_graph_init(struct pp_call_graph *g, const struct pp_profile *p, size_t series)
{
	return graph_init(g, p, series, false);
}

bool
pp_call_graph_init_alone(struct pp_call_graph *g, const struct pp_profile *p)
{
	return graph_init(g, p, PP_ALL_SERIES, true);
}

void
pp_call_graph_release(struct pp_call_graph *g)
{
	free(g->first);
	free(g->to);
	free(g->calls);
	pp_ledger_release(&g->cost);
	free(g->component);
	free(g->members);
	*g = (struct pp_call_graph){ 0 };
}
