/*
 * The call tree as people see it: one branch for each function under the same caller, however many
 * places, addresses or call sites the profile tells apart.
 *
 * Branches are made when they are looked at. Each knows the nodes of the profile's tree that it stands
 * for, so a view that shows fifty lines of a tree of ten million nodes looks at little more than those.
 */
#ifndef PP_CALLTREE_H
#define PP_CALLTREE_H

#include "model/inclusive.h"

struct pp_calltree {
	const struct pp_profile *profile;
	bool fold_recursion; /* a function that calls itself directly is one branch */
	bool has_calls;
	bool
	    uncounted; /* of some of the stacks calls are not counted: where none is, that says nothing */
	struct pp_children children;
	struct pp_inclusive *cost; /* per metric */
	/* Where differences of inclusive costs do not give it (doubles, measured costs): own cost per node; else NULL. */
	union pp_value **own;
	/* With more than PP_FEW_COLUMNS metrics, instead of both: inclusive and own cost. */
	bool is_sparse;
	struct pp_gather sparse_cost, sparse_own;
	uint64_t *calls; /* per node; NULL without calls */
	pp_func *func_of_frame;
	uint32_t *slot_of; /* per function: 1 + its branch among the children being made */
};

/* What a node costs with all below it. */
static inline union pp_value
pp_calltree_cost(const struct pp_calltree *t, pp_node node, size_t metric)
{
	return t->is_sparse ? pp_node_cost(&t->sparse_cost, node, metric)
	                    : pp_inclusive_of(&t->cost[metric], node);
}

/*
 * nodes[0 .. outer) are the branch's nodes that lie in none of its others; the rest are recursive
 * calls below those, which only exist when recursion is folded.
 */
struct pp_branch {
	pp_func func; /* 0 = the root */
	pp_node *nodes;
	uint32_t n, outer, cap;
};

/* The children of a branch, costliest first; ties by name, file, line. */
struct pp_branches {
	struct pp_branch *at;
	size_t n, cap;
};

/* Needs a tree (PP_TREE). False when out of memory. */
bool pp_calltree_init(struct pp_calltree *, const struct pp_profile *, bool fold_recursion);
/* The same for those who only look upwards: without `children`, `own` and `slot_of`. */
bool pp_calltree_init_bare(struct pp_calltree *, const struct pp_profile *);
void pp_calltree_release(struct pp_calltree *);

/* The branch of everything. False when out of memory. */
bool pp_calltree_root(const struct pp_calltree *, struct pp_branch *);
void pp_branch_release(struct pp_branch *);
/* Makes the children of a branch, sorted by a metric. False when out of memory. */
bool pp_calltree_expand(struct pp_calltree *, const struct pp_branch *, size_t metric,
                        struct pp_branches *out);
void pp_branches_release(struct pp_branches *);

/* What a branch costs with all it called, by itself, and how often it was called. */
union pp_value pp_calltree_total(const struct pp_calltree *, const struct pp_branch *,
                                 size_t metric);
union pp_value pp_calltree_self(const struct pp_calltree *, const struct pp_branch *,
                                size_t metric);
uint64_t pp_calltree_calls(const struct pp_calltree *, const struct pp_branch *);

/* Adds a node to a branch; `outer` nodes first. False when out of memory. */
bool pp_branch_add(struct pp_branch *, pp_node, bool outer);

#endif
