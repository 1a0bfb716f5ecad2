/*
 * The call graph of a profile's edges: functions by identity, parallel edges (call sites, parts) added.
 */
#ifndef PP_CALL_GRAPH_H
#define PP_CALL_GRAPH_H

#include "model/ledger.h"

/* Nodes are function ids (1 .. n-1); 0 is unused. */
struct pp_call_graph {
	uint32_t n;
	size_t *first; /* n + 1: outgoing edges of f are first[f] .. first[f + 1] - 1 */
	uint32_t *to;
	uint64_t *calls;       /* per edge */
	struct pp_ledger cost; /* by edge: inclusive */
	uint32_t *component;   /* by function */
	uint32_t components;
	uint32_t *members; /* by component: how many functions */
};

/*
 * Of the edges of one series, or of PP_ALL_SERIES. False when out of memory. Edges from outside (caller 0)
 * are left out.
 */
bool pp_call_graph_init(struct pp_call_graph *, const struct pp_profile *, size_t series);
/* Of all edges, functions told apart as they were before they were grouped. */
bool pp_call_graph_init_alone(struct pp_call_graph *, const struct pp_profile *);
void pp_call_graph_release(struct pp_call_graph *);

static inline struct pp_values
pp_call_graph_cost(const struct pp_call_graph *g, size_t edge)
{
	return pp_ledger_row(&g->cost, edge);
}

#endif
