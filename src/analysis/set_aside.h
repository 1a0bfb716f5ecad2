/*
 * Derives the profile that answers show: allocators and idle stacks are set aside.
 *
 *     allocators   in metrics that count memory, the cost of a stack that ends in an allocator goes
 *                  to the first frame outside of it, or to the outermost frame if there is none
 *     idle stacks  stacks that end in "(idle)" or "(program)" are removed, and their cost is noted
 *
 * model/leaf_kind.h lists the functions, pp_profile.aside says what was done. The total of a metric
 * only loses what was idle.
 */
#ifndef PP_SET_ASIDE_H
#define PP_SET_ASIDE_H

#include "model/profile.h"

/*
 * Derives it; *out is NULL if nothing changes, or if the profile contains calls instead of stacks.
 * Timelines of samples follow; those of calls stay as they are.
 */
pp_status pp_set_aside_derive(const struct pp_profile *, struct pp_profile **out);
/* Returns whether a profile of costs per function needs its stacks for that. */
bool pp_set_aside_needs_stacks(const struct pp_profile *);
/* Returns what was set aside of a metric, in words for a picture or page; NULL = nothing. */
const char *pp_set_aside_note(const struct pp_profile *, size_t metric);

#endif
