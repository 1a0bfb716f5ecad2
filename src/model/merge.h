/*
 * Merging profiles that count the same things.
 */
#ifndef PP_MERGE_H
#define PP_MERGE_H

#include "model/builder.h"

/*
 * One profile out of several with the same metrics (names, units and kinds in any order); sums are
 * exact. PP_E_USAGE when the metrics differ; PP_E_LIMIT when a sum passes 64 bits.
 */
pp_status pp_profile_merge(struct pp_profile *const *profiles, size_t n,
                           const struct pp_limits *limits, struct pp_profile **out);

#endif
