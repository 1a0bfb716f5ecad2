/*
 * The costs of single calls as callers and callees show them, where a profile states calls instead of stacks.
 *
 * A file states what each call cost with everything below it. Where functions call each other in a circle, that is
 * counted again on each turn, and the file does not say how often. So calls of a cycle share what is left of the function's
 * total after the calls that enter the cycle (callers) or leave it (callees), in proportion to what the file states:
 *
 *     a call from outside of the cycle of its callee   is an outermost one: as stated
 *     a call within the cycle                          its share of the rest, never more than stated of its callers
 *     a call of a function by itself                   nothing
 *     a call from outside of all functions             the rest, where the file does not state what it cost
 *
 * A member's total is its own cost and that of the calls that leave the cycle (model/flat_edges.c), so calls that enter it
 * may cost more than the member. They are scaled down to its total, and the rest is that of the other members: the file
 * does not say of which one. If the profile has the stacks, too, they say what the calls of a cycle cost. Files
 * that state outermost calls only (NYTProf) add up already.
 */
#ifndef PP_CALL_SHARES_H
#define PP_CALL_SHARES_H

#include "analysis/call_pairs.h"
#include "model/flat.h"
#include "model/ledger.h"

struct pp_call_shares {
	size_t n;
	uint32_t *
	    row; /* rows of the calls facet, by function (the callee of callers), then as they stand */
	struct pp_ledger cost; /* what each of them costs */
	/* By metric: the part of one function's total that belongs to none of its calls. */
	union pp_value *rest;
};

/*
 * Computes the shares of the calls of one function on one side, or of all functions (0), from the
 * profile's flat rows. Returns false if out of memory; release it in any case.
 */
bool pp_call_shares_init(struct pp_call_shares *, const struct pp_profile *, const struct pp_flat *,
                         enum pp_calls_side, pp_func);
void pp_call_shares_release(struct pp_call_shares *);

/* The same of all functions by row of the calls facet; false when out of memory. */
bool pp_call_shares_by_row(struct pp_ledger *, const struct pp_profile *, const struct pp_flat *,
                           enum pp_calls_side);

/* Returns whether any call states a cost in a metric; otherwise the cost of calls is unknown. */
bool *pp_call_metrics_stated(const struct pp_profile *);

#endif
