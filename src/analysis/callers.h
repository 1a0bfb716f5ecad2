/*
 * Who calls a function, and whom it calls.
 *
 * One rule for all profiles: on each stack, everything from the first to the last activation of the function counts as
 * the function. Callers get the first activation, callees what lies below the last one; calls in between are counted and
 * cost nothing. So callers add up to the function's total, callees to its total without its own cost, and no row exceeds
 * the total. Stacks tell that exactly. Where a profile has single calls only, analysis/call_shares.h does what they allow.
 */
#ifndef PP_CALLERS_H
#define PP_CALLERS_H

#include "analysis/call_pairs.h"
#include "model/flat.h"

struct pp_call {
	pp_func func;     /* the other end; 0 = called from outside, or the `rest` */
	uint32_t depth;   /* 1 = next to the function, 2 = one further, ... */
	pp_str site_file; /* where the call stands, for depth 1; 0 = unknown */
	uint32_t site_line;
	uint64_t calls;
	bool recursive; /* both ends are the same function */
	bool rest;      /* the part of a total in a cycle that is not attributed */
};

/* In the order of a walk: each row is followed by what lies beyond it. */
struct pp_calls {
	const struct pp_profile *profile;
	size_t metrics;
	bool has_calls;
	bool by_stacks; /* derived from whole stacks */
	PP_VEC(struct pp_call) rows;
	PP_VEC(union pp_value) total;  /* [row * metrics + metric] */
	PP_VEC(union pp_value) stated; /* the same as the file states it; empty if `by_stacks` */
};

/*
 * The callers or callees of a function (by identity) down to a depth, costliest first by a metric, then
 * by calls, name and place. PP_E_UNSUPPORTED when the profile knows neither calls nor stacks, or no
 * stacks and the depth is more than 1. `flat` receives the flat profile, or only the function's row if
 * the answer came from stacks; release it.
 */
pp_status pp_calls_compute(const struct pp_profile *, pp_func, enum pp_calls_side, size_t metric,
                           uint32_t depth, struct pp_calls *out, struct pp_flat *flat);
void pp_calls_release(struct pp_calls *);

#endif
