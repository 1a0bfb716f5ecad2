/*
 * Filters on a finished profile: a profile in, a smaller profile out, before any question is asked. What the
 * filters mean is said in model/filter.h.
 */
#ifndef PP_FILTER_STAGE_H
#define PP_FILTER_STAGE_H

#include "model/filter.h"

/*
 * Filters a profile that nobody else uses. PP_E_UNSUPPORTED when it lacks what the filter needs or a sum of
 * costs passes 64 bits, PP_E_LIMIT when a pattern takes too long; *problem then says which. After a failure the profile is
 * only fit to be freed.
 */
pp_status pp_filter_apply(struct pp_profile *, const struct pp_filter *, struct pp_buf *problem);

/* ---- the parts, for filter*.c ---- */

struct pp_filter_stacks {
	const pp_filter_flags *flags; /* by function; NULL = no rules */
	unsigned kinds;               /* which kinds there are, as bits */
	uint32_t depth;
	const bool *metrics;    /* which metrics stay; NULL = all */
	struct pp_buf *problem; /* says which sum passes 64 bits */
};

/*
 * Rebuilds the tree and the rows of the series from what is kept; totals that were measured are gone.
 * PP_E_UNSUPPORTED: a sum passes 64 bits.
 */
pp_status pp_filter_tree(struct pp_profile *, const struct pp_filter_stacks *);
/* Leaves the tree as it is and drops the columns of metrics that go from the rows of the series. */
void pp_filter_columns(struct pp_profile *, const bool *metrics);
/* Replaces the rows of the series by what happened in [from, to) ns; PP_E_UNSUPPORTED: a sum passes 64 bits. */
pp_status pp_filter_timelines(struct pp_profile *, int64_t from, int64_t to,
                              struct pp_buf *problem);

#endif
