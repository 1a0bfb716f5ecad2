/*
 * The call graph to be drawn: functions, one edge for each pair of caller and callee, and what of it is worth drawing.
 *
 * Numbers are those of `top` and `callees`: a function's total is its own cost and that of its edges to others, and no
 * edge exceeds either of its ends. A call of a function by itself has calls but no cost (analysis/callers.h).
 */
#ifndef PP_CALL_NET_H
#define PP_CALL_NET_H

#include "model/flat.h"

struct pp_net_node {
	pp_func func;
	uint64_t calls;
	bool counted; /* `calls` is known */
	union pp_value self, total;
	struct pp_cost_pair gained; /* the same where the metric does not fall */
	uint32_t component;         /* of a cycle: functions that reach each other have the same */
	bool is_root;               /* called from outside, or by nobody */
	bool
	    only_calls; /* known as a caller alone: nothing is known of its own cost, so `top` has no row */
};

struct pp_net_edge {
	uint32_t from, to; /* nodes */
	uint64_t calls;
	union pp_value total;
	union pp_value gained; /* the same where the metric does not fall */
};

struct pp_net {
	const struct pp_profile *profile;
	size_t metric;        /* metrics.n: there is none, and values mean nothing */
	bool edges_counted;   /* calls of edges are known */
	union pp_value whole; /* of the metric */
	union pp_value
	    part_of; /* what shares are of: the same, or all that was gained where it falls */
	PP_VEC(struct pp_net_node) nodes;
	PP_VEC(struct pp_net_edge) edges;
	size_t all_nodes, all_edges; /* that there were before anything was left out */
	size_t all_functions;        /* those of the nodes that `top` lists */
};

/* All of it. PP_E_UNSUPPORTED when the profile does not know who called whom. Release it in any case. */
pp_status pp_net_compute(struct pp_net *, const struct pp_profile *, size_t metric);
void pp_net_release(struct pp_net *);
/* How many of the nodes are functions that `top` lists. */
size_t pp_net_functions(const struct pp_net *);

/* What is kept. */
struct pp_net_cut {
	double min;    /* functions of this share of the whole; edges of a fifth of it */
	uint64_t most; /* functions, 0 = any number */
	/*
	 * Callers and callees of this one alone (0 = all functions), shares being of what it costs. Functions further
	 * away than `depth` calls from it, or from those that nobody calls, are left out; 0 = any distance.
	 */
	pp_func about;
	uint64_t depth;
};

/*
 * Leaves out what is light. Edges of recursion and within cycles stay as long as both ends do. Nodes come out
 * costliest first, edges in the order of their nodes. False when out of memory.
 */
bool pp_net_prune(struct pp_net *, const struct pp_net_cut *);

/* The cost of a node or an edge as a number; 0 without a metric. */
double pp_net_value(const struct pp_net *, union pp_value);

#endif
