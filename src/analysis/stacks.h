/*
 * The tree that pairs of caller and callee most likely come from: the work behind analysis/estimate.h.
 *
 * Cycles (strongly connected components) are one unit: who enters one shows as a frame, the other members as
 * frames below it, whatever they call outside below these. The inclusive cost of a unit is the own cost of its
 * members and the edges that leave it. Roots are units that cost more than their callers account for.
 * Where callers account for more than a unit costs, their parts are made smaller first.
 *
 * Costs are whole numbers here: each division hands out parts of w by rounding the running sum, so they add up to
 * w. Doubles are counted in units of a power of two that is 2^-60 of the whole.
 */
#ifndef PP_STACKS_H
#define PP_STACKS_H

#include "model/call_graph.h"
#include "model/sparse.h"
#include "analysis/estimate.h"

/* A frame that waits for its calls: the costliest comes first. */
struct pp_stacks_waiting {
	uint32_t component;
	pp_func entry;
	pp_node node;
	size_t weight; /* where its costs are in `weights` */
	size_t n;      /* how many they are */
	bool certain;  /* everything above is */
	double order;
};

/* One cost w, handed out in parts of `whole`. */
struct pp_stacks_division {
	pp_i128 w, whole, done, given;
};

struct pp_stacks {
	const struct pp_profile *p;
	struct pp_estimate_opts opts;
	size_t metrics;
	double *unit;        /* by metric: what one means; 1 for whole numbers */
	struct pp_tree tree; /* frames are function ids, or one of the two below */
	pp_frame pruned_frame, nowhere_frame;
	bool has_pruned, has_nowhere;
	struct pp_ledger
	    cells; /* by node: own cost in the series of this run; all ledgers here have whole numbers */
	double whole;          /* of the chosen metric over all series, in its unit */
	pp_i128 exact, pruned; /* over all runs */
	uint32_t max_nodes;    /* for this run */
	bool failed;

	/* One run. */
	struct pp_call_graph g;               /* whose costs are whole numbers that add up */
	struct pp_ledger own;                 /* by function */
	struct pp_ledger inclusive, entering; /* by component; the latter: edges from outside */
	struct pp_gather
	    entry; /* likewise, struct pp_stacks_division where callers account for more than there is */
	bool *is_divided;  /* by component: whether `entry` has any of it */
	uint32_t *sources; /* by component: how many edges enter, and 1 if it is a root too */
	uint32_t *calls;   /* by component: how many edges leave */
	size_t *member_first;
	pp_func *members; /* by component */
	PP_VEC(struct pp_stacks_waiting) heap;
	PP_VEC(pp_i128) weights;
	PP_VEC(uint32_t)
	weighted; /* by weight: its metric; empty where each frame has all of them */
};

/* PP_E_UNSUPPORTED when the profile holds no calls with costs. Release it in any case. */
pp_status pp_stacks_init(struct pp_stacks *, const struct pp_profile *,
                         const struct pp_estimate_opts *);
void pp_stacks_release(struct pp_stacks *);
/*
 * Adds the stacks of one series, or of all together (PP_ALL_SERIES), with at most about `max_nodes` more nodes;
 * `cells` are theirs then. The graph stays until the next run.
 */
pp_status pp_stacks_run(struct pp_stacks *, size_t series, uint32_t max_nodes);
/* A cost as a cell of the profile's metric; sums that do not fit stay at their limit. */
int64_t pp_stacks_cell(const struct pp_stacks *, size_t metric, pp_i128 value);
/* floor(a * b / c) for c != 0 without passing 128 bits. */
pp_i128 pp_stacks_scale(pp_i128 a, pp_i128 b, pp_i128 c);

#endif
