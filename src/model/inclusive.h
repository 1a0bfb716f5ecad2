/*
 * Inclusive cost per node of the tree, and which nodes are outermost activations.
 */
#ifndef PP_INCLUSIVE_H
#define PP_INCLUSIVE_H

#include "model/profile.h"

/*
 * The own and inclusive cost of every node for one metric, over all series. 64-bit integers where the
 * sums allow it, 128-bit ones or doubles otherwise; exactly one of the array pairs is there.
 */
struct pp_inclusive {
	const struct pp_metric *metric;
	uint32_t n;
	int64_t *narrow;
	pp_i128 *wide;
	double *real;
};

/* False when out of memory. */
bool pp_inclusive_compute(struct pp_inclusive *, const struct pp_profile *, size_t metric);
/*
 * The same as `top` has it: where the file measured total costs, sums of own costs differ from them by rounding, and what a
 * metric that falls gave back may be in no own cost. False when out of memory.
 */
bool pp_inclusive_stated(struct pp_inclusive *, const struct pp_profile *, size_t metric);
/* Whether that may differ from pp_inclusive_compute(). */
bool pp_inclusive_is_stated(const struct pp_profile *, size_t metric);
void pp_inclusive_release(struct pp_inclusive *);

static inline union pp_value
pp_inclusive_of(const struct pp_inclusive *x, pp_node node)
{
	union pp_value v;

	if (x->narrow)
		v.i = x->narrow[node];
	else if (x->wide)
		v.i = x->wide[node];
	else
		v.d = x->real[node];
	return v;
}

/* Whether the file measured what stacks cost with all that they called, so that sums of own costs may differ. */
bool pp_profile_measured(const struct pp_profile *);
/* That cost of every node for one metric, over all series; that of node 0 is all. NULL when out of memory. */
union pp_value *pp_measured_compute(const struct pp_profile *, size_t metric);
/* The own cost of every node for one metric, over all series; NULL when out of memory. */
union pp_value *pp_own_compute(const struct pp_profile *, size_t metric);

/*
 * The own or inclusive cost of every node for all metrics, where these are many: column `node` has what that node
 * costs, row `metric` of it. False when out of memory.
 */
bool pp_own_sparse(struct pp_gather *, const struct pp_profile *);
bool pp_inclusive_sparse(struct pp_gather *, const struct pp_profile *);

static inline union pp_value
pp_node_cost(const struct pp_gather *g, pp_node node, size_t metric)
{
	const union pp_value *v = pp_gather_get(g, (uint32_t)metric, node);

	return v ? *v : (union pp_value){ 0 };
}

/* Children of each node in ascending order: first[node], then next[child]; 0 ends. */
struct pp_children {
	pp_node *first;
	pp_node *next;
};

bool pp_children_compute(struct pp_children *, const struct pp_profile *);
void pp_children_release(struct pp_children *);

/* The function each frame belongs to, by identity; indexed by frame. NULL when out of memory. */
pp_func *pp_frame_funcs(const struct pp_profile *);
/*
 * Whether each function has one frame: then equal frames and equal functions are the same question. False too when out
 * of memory.
 */
bool pp_frames_are_funcs(const struct pp_profile *, const pp_func *func_of_frame);

/*
 * A bit per node: set when no ancestor has the same function. Caller frees. NULL when out of memory.
 */
uint64_t *pp_outermost_compute(const struct pp_profile *, const pp_func *func_of_frame);

static inline bool
pp_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i >> 6] >> (i & 63) & 1;
}

#endif
