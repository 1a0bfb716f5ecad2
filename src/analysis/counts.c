/*
 * How much of everything a profile holds.
 */
#include "analysis/counts.h"

#include <stdlib.h>

#include "analysis/group.h"
#include "base/stops.h"
#include "model/flat.h"

const struct pp_facet_name pp_facet_names[4] = {
	{ PP_TIMELINE, "timeline" },
	{ PP_TREE, "tree" },
	{ PP_EDGES, "edges" },
	{ PP_LINES, "lines" },
};

/* Whether functions have several frames: places within them, from where they were called, or because several are one. */
static bool
has_places(const struct pp_profile *p)
{
	size_t i;

	for (i = 1; i < p->frames.n; i++)
		if (p->frames.at[i].line || p->frames.at[i].address || p->frames.at[i].site_line)
			return true;
	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].same != i)
			return true;
	return false;
}

/* By node: the first one whose stack has the same functions. NULL when out of memory. */
static pp_node *
nodes_by_functions(const struct pp_profile *p)
{
	pp_node *first = calloc(p->tree.n + 1, sizeof *first);
	struct pp_map known = { .seed = p->strs.seed };
	pp_node node;
	bool fine = first != NULL;

	for (node = 1; fine && node < p->tree.n; node++) {
		pp_func func = p->frames.at[pp_tree_frame(&p->tree, node)].func;
		uint64_t key = (uint64_t)first[pp_tree_parent(&p->tree, node)] << 32 |
		               p->funcs.at[func].same;
		uint32_t found = pp_map_get(&known, key);

		first[node] = found == PP_MAP_NONE ? node : found;
		if (pp_account_stops_at(node))
			fine = false;
		else
			fine = found != PP_MAP_NONE || pp_map_set(&known, key, node);
	}
	pp_map_release(&known);
	if (fine)
		return first;
	free(first);
	return NULL;
}

/* Distinct stacks of functions that the file gave a value, over all series. What is of no function is no stack. */
static bool
counts_stacks(const struct pp_profile *p, uint64_t *stacks)
{
	pp_node *first = has_places(p) ? nodes_by_functions(p) : NULL;
	uint64_t *seen;
	size_t words = p->tree.n / 64 + 1, i;
	uint32_t row;

	*stacks = 0;
	seen = first || !has_places(p) ? calloc(words, sizeof *seen) : NULL;
	if (!seen) {
		free(first);
		return false;
	}
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows && !pp_account_stops_at(row); row++) {
			pp_node node = pp_series_node(s, row);

			node = first ? first[node] : node;
			if (pp_series_present(s, row))
				seen[node / 64] |= (uint64_t)1 << (node % 64);
		}
	}
	seen[0] &= ~(uint64_t)1;
	for (i = 0; i < words; i++)
		*stacks += (uint64_t)__builtin_popcountll(seen[i]);
	free(seen);
	free(first);
	return !pp_account_stops();
}

/* Rows of calls; what code outside of functions costs is none. */
static uint64_t
counts_edges(const struct pp_profile *p)
{
	size_t i;
	uint64_t edges = 0;

	for (i = 0; i < p->calls.rows.n; i++)
		edges += pp_edge_cell(p, i, 0) != 0 ||
		         !(p->funcs.at[p->calls.rows.at[i].callee].flags & PP_FUNC_SCRIPT);
	return edges;
}

bool
pp_counts_compute(const struct pp_profile *p, struct pp_counts *counts)
{
	*counts = (struct pp_counts){ .edges = counts_edges(p), .lines = p->lines.rows.n };
	return pp_functions_count(p, &counts->functions) && counts_stacks(p, &counts->stacks) &&
	       pp_threads_count(p, &counts->threads);
}
