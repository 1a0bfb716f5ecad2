/*
 * Who calls a function, and whom it calls.
 *
 * Where the profile holds calls themselves (callgrind, NYTProf), they are given as it says. From a tree
 * an edge's total is what the callee's outermost activations cost that came over this edge: the totals
 * of all callers add up to the function's own total, and no edge exceeds either of its ends. A call of a
 * function by itself therefore has calls but no total.
 *
 * Where nothing but stacks is known, calls were not counted, and functions call each other in turn, each stack
 * counts once for every pair of caller and callee on it, as it does for every function. Without that, whoever calls
 * a function that runs already would seem to call nothing. Callers may then add up to more than the function.
 */
#ifndef PP_CALLERS_H
#define PP_CALLERS_H

#include "model/flat.h"

enum pp_calls_side { PP_CALLERS, PP_CALLEES };

struct pp_call {
	pp_func func;     /* the other end; 0 = called from outside */
	uint32_t depth;   /* 1 = next to the function, 2 = one further, ... */
	pp_str site_file; /* where the call stands, for depth 1; 0 = unknown */
	uint32_t site_line;
	uint64_t calls;
	bool recursive; /* both ends are the same function */
};

/* In the order of a walk: each row is followed by what lies beyond it. */
struct pp_calls {
	const struct pp_profile *profile;
	size_t metrics;
	bool has_calls;
	bool by_stacks; /* derived from whole stacks */
	PP_VEC(struct pp_call) rows;
	PP_VEC(union pp_value) total; /* [row * metrics + metric] */
};

/*
 * The callers or callees of a function (by identity) down to a depth, costliest first by a metric, then
 * by calls, name and place. PP_E_UNSUPPORTED when the profile knows neither calls nor stacks, or no
 * stacks and the depth is more than 1. When the answer came from stacks, `flat` receives the one row of
 * the function itself (release it); else it is left alone.
 */
pp_status pp_calls_compute(const struct pp_profile *, pp_func, enum pp_calls_side, size_t metric,
                           uint32_t depth, struct pp_calls *out, struct pp_flat *flat);
void pp_calls_release(struct pp_calls *);

#endif
