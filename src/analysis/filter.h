/*
 * Filters on a finished profile: a profile in, a smaller profile out, before any question is asked. What the
 * filters mean is said in model/filter.h.
 */
#ifndef PP_FILTER_STAGE_H
#define PP_FILTER_STAGE_H

#include "model/filter.h"

/*
 * What a filter leaves of a profile; the two share what the filter does not touch. PP_E_UNSUPPORTED when the profile lacks
 * what the filter needs or a sum of costs exceeds 64 bits, PP_E_LIMIT when a pattern takes too long; *problem then says
 * which.
 */
pp_status pp_filter_derive(const struct pp_profile *, const struct pp_filter *,
                           struct pp_profile **out, struct pp_buf *problem);
/* Whether a profile has a thread that was asked for. */
bool pp_filter_has_thread(const struct pp_profile *, const struct pp_filter_thread *);

/* ---- the parts, for filter*.c: all change a derived profile under construction ---- */

struct pp_derive;

struct pp_filter_stacks {
	const pp_filter_flags *flags; /* by function; NULL = no rules */
	unsigned kinds;               /* which kinds there are, as bits */
	unsigned collapses;           /* pp_filter_collapses() */
	uint32_t depth;
	const bool *metrics;    /* which metrics stay */
	struct pp_buf *problem; /* says which sum exceeds 64 bits */
};

/*
 * Makes the tree and the rows of the series anew from what is kept; totals that were measured and timelines are gone.
 * PP_E_UNSUPPORTED: a sum exceeds 64 bits.
 */
pp_status pp_filter_tree(struct pp_derive *, const struct pp_filter_stacks *);
/* Replaces the rows of the series by what happened in [from, to) ns; PP_E_UNSUPPORTED: a sum exceeds 64 bits. */
pp_status pp_filter_timelines(struct pp_derive *, int64_t from, int64_t to, struct pp_buf *problem);

#endif
