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

struct pp_estimate_opts {
	uint32_t max_nodes; /* 0 = PP_ESTIMATE_NODES */
	size_t metric;      /* by which the costliest stacks are found */
	double min_share;   /* stacks below this share of the metric are not followed further */
	bool sums_small;    /* these need not be told apart either */
	bool bounds;        /* look for the context that is known least */
};

/* What is known of a context without any assumption: caller -> function -> callee cost low .. high. */
struct pp_estimate_bounds {
	pp_func caller, func, callee;
	union pp_value estimate, low, high;
};

struct pp_estimate {
	double exact;    /* share of the chosen metric that lies on certain stacks, 0 .. 1 */
	double pruned;   /* share that stands under [pruned] because there were too many stacks */
	uint32_t cycles; /* how many cycles of calls there are */
	bool has_widest;
	struct pp_estimate_bounds
	    widest; /* the context that is known least, in the chosen metric */
};

#define PP_ESTIMATE_NODES 200000

/* As many as take little time beside reading the profile. */
uint32_t pp_estimate_nodes_for(const struct pp_profile *);

/* Whether stacks can be estimated: calls and their costs are known, and no stacks. */
bool pp_estimate_possible(const struct pp_profile *);

/*
 * Builds at most about `max_nodes` nodes, the costliest stacks first; what is left stands in [pruned]
 * frames, so that sums are conserved. *profile is the caller's: one of stacks alone, `estimated` set.
 * PP_E_UNSUPPORTED when it is not possible.
 */
pp_status pp_estimate_stacks(const struct pp_profile *, const struct pp_estimate_opts *,
                             struct pp_estimate *out, struct pp_profile **profile);
/*
 * The same beside the calls and lines there are, which answer what they can answer exactly: thread by thread, as a
 * profile that shares everything else with the one given. Functions in cycles are numbered in `derived.cycles`.
 * PP_E_LIMIT when there are too many threads for so many functions: each thread is a pass over all of them.
 */
pp_status pp_estimate_derive(const struct pp_profile *, const struct pp_estimate_opts *,
                             struct pp_estimate *out, struct pp_profile **profile);

#endif
