/*
 * callers, callees: what both the rows and the answer under a budget are made of.
 */
#ifndef PP_QUESTIONS_CALLS_H
#define PP_QUESTIONS_CALLS_H

#include "analysis/callers.h"
#include "questions/excerpt.h"
#include "questions/scope.h"

struct pp_calls_params {
	struct pp_asked asked;
	const char *function;
	struct pp_scope scope;
	double min;
	uint64_t depth;
};

/* One side of a function; lives in the answer. */
struct pp_calls_shown {
	struct pp_calls calls;
	struct pp_flat flat;
	size_t row; /* of the function in the flat profile; flat.n = it has none */
	pp_func func;
	enum pp_calls_side side;
	bool both; /* the other side stands in the same answer */
	size_t metric;
	double whole;
	uint32_t *cycle;                  /* by function; NULL when there are none */
	const struct pp_handles *handles; /* that rows for people begin with; or NULL */
	size_t *shown;                    /* rows of `calls` that are shown */
	size_t n;
};

/* One side of a function; NULL with a status whose reason is said. */
struct pp_calls_shown *pp_calls_shown(const struct pp_topic *, const struct pp_calls_params *,
                                      enum pp_calls_side, struct pp_answer *, pp_status *);
/* Returns a row's share of the whole: of what was allocated if the metric falls. */
double pp_calls_share(const struct pp_calls_shown *, size_t row);
/* How many levels further are asked for; 0 = all. */
uint64_t pp_calls_depth(const struct pp_calls_params *);
/* Returns whether answers leave the function out: an allocator whose callers have its cost, idleness. */
bool pp_calls_set_aside(const struct pp_calls_shown *);
/* The answer under a budget. */
pp_status pp_calls_excerpt(const struct pp_subject *, const struct pp_calls_params *,
                           enum pp_calls_side, struct pp_excerpt *);

static inline const struct pp_call *
pp_calls_row(const struct pp_calls_shown *c, size_t row)
{
	return &c->calls.rows.at[c->shown[row]];
}

#endif
