/*
 * Calls by the places where they stand, for those who look at source: one row for each caller, callee and place. Numbers
 * are those of analysis/callers.h.
 */
#ifndef PP_LINE_CALLS_H
#define PP_LINE_CALLS_H

#include "model/profile.h"

struct pp_line_call {
	pp_func caller; /* 0 = from outside */
	pp_func callee;
	pp_str file; /* 0 = unknown */
	uint32_t line;
	uint64_t calls;
	union pp_value total; /* of the metric */
};

struct pp_line_calls {
	const struct pp_profile *profile;
	size_t metric;                    /* metrics.n: there is none, and totals mean nothing */
	bool counted;                     /* calls are known */
	PP_VEC(struct pp_line_call) rows; /* by file, line, then costliest first */
	uint32_t *by_callee;              /* rows by callee, then costliest first */
};

/* No rows where a profile does not know who called whom. False when out of memory. Release it in any case. */
bool pp_line_calls_compute(struct pp_line_calls *, const struct pp_profile *, size_t metric);
void pp_line_calls_release(struct pp_line_calls *);
/* The first row at a place or behind it; the first of a callee in `by_callee`. */
size_t pp_line_calls_at(const struct pp_line_calls *, pp_str file, uint32_t line);
size_t pp_line_calls_of(const struct pp_line_calls *, pp_func callee);

/* Where the call of a node's function by its parent's stands, as far as their frames tell. */
void pp_node_site(const struct pp_profile *, pp_node, pp_str *file, uint32_t *line);

#endif
