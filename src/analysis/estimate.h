/*
 * Stacks from pairs of caller and callee: an estimate, and how far it can be trusted.
 *
 * A call graph says what each function spent below each caller and in each callee, not which callee's cost
 * belongs to which caller. Here each function's cost is divided among its callers in proportion to
 * what they spent in it. That is exact where a function has one caller only.
 */
#ifndef PP_ESTIMATE_H
#define PP_ESTIMATE_H

#include "model/profile.h"

/* What is known of a context without any assumption: caller -> function -> callee cost low .. high. */
struct pp_estimate_bounds {
	pp_func caller, func, callee;
	union pp_value estimate, low, high;
};

struct pp_estimate {
	struct pp_profile *profile; /* the caller's; tree and costs, `estimated` set */
	double exact;  /* share of the primary metric that lies on certain stacks, 0 .. 1 */
	double pruned; /* share that stands under [pruned] */
	bool has_widest;
	struct pp_estimate_bounds
	    widest; /* the context that is known least, in the primary metric */
};

#define PP_ESTIMATE_NODES 200000

/*
 * Builds at most about `max_nodes` nodes, the costliest stacks first; what is left stands in [pruned]
 * frames, so that sums are conserved. PP_E_UNSUPPORTED when there are no edges.
 */
pp_status pp_estimate_stacks(const struct pp_profile *, uint32_t max_nodes,
                             struct pp_estimate *out);

#endif
