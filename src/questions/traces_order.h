/*
 * The order of stacks: the costliest first, those that cost the same by the names on them.
 */
#ifndef PP_TRACES_ORDER_H
#define PP_TRACES_ORDER_H

#include "model/ledger.h"
#include "model/profile.h"

/* A stack with labels. */
struct pp_trace {
	pp_node node; /* one of those that show the same functions */
	pp_labels labels;
	size_t row; /* of its costs */
};

struct pp_traces {
	const struct pp_profile *profile;
	const struct pp_ledger *cost;
	size_t metric; /* to sort by; beyond all metrics = none */
	bool united;   /* several nodes show the same functions */
};

/*
 * By node: how many stacks come before it, each with the stacks that begin like it after it. Ranks order functions, or
 * frames. Only for trees without two nodes that show the same; nodes without a rank stand anywhere. NULL when out of
 * memory.
 */
uint32_t *pp_nodes_place(const struct pp_profile *, const uint32_t *rank, bool of_frames);
/* False when out of memory. */
bool pp_traces_order(const struct pp_traces *, struct pp_trace *rows, size_t n);

#endif
