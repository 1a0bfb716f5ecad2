/*
 * The calls between functions as a tree has them: one pair for each caller and callee, and its cost.
 *
 * On each stack, everything from the first to the last activation of a function counts as that function. The call of the
 * first one is charged to its caller, what lies below the last one to the callee that is called there; calls in between
 * are counted and cost nothing. So the callers of a function add up to its total, and so do its callees with its own cost.
 */
#ifndef PP_CALL_PAIRS_H
#define PP_CALL_PAIRS_H

#include "model/profile.h"

enum pp_calls_side { PP_CALLERS, PP_CALLEES };

struct pp_call_pair {
	pp_func caller, callee;
};

struct pp_call_pairs {
	const struct pp_profile *profile;
	enum pp_calls_side side;
	PP_VEC(struct pp_call_pair) at;
	struct pp_map index;
	uint32_t *of_node; /* by node: its pair; PP_MAP_NONE if there is none */
	/* By node, callees only: the pair below which its function runs already, PP_MAP_NONE = it does not. */
	uint32_t *within;
	uint64_t *outermost; /* callers only */
};

/*
 * Whether the tree of a profile has its calls, one by one, and tells what functions cost: not if calls or lines do, nor
 * if stacks are estimated.
 */
bool pp_tree_has_calls(const struct pp_profile *);
/* Finds the pairs, or those of one function on one side (0 = all). False when out of memory; release it in any case. */
bool pp_call_pairs_init(struct pp_call_pairs *, const struct pp_profile *, enum pp_calls_side,
                        pp_func);
void pp_call_pairs_release(struct pp_call_pairs *);
/* The number of a pair, or PP_MAP_NONE. */
uint32_t pp_call_pairs_find(const struct pp_call_pairs *, pp_func caller, pp_func callee);
/* Returns each pair's cost in a metric, or NULL if out of memory; the caller frees it. */
union pp_value *pp_call_pairs_cost(const struct pp_call_pairs *, size_t metric);

#endif
