/*
 * What changed, under a budget.
 */
#ifndef PP_EXCERPT_DIFF_H
#define PP_EXCERPT_DIFF_H

#include "questions/compare.h"
#include "questions/excerpt.h"

/* Rows of at least a share of the whole, by enum pp_diff_sort, changed ones first. */
pp_status pp_excerpt_diff(struct pp_excerpt *, const struct pp_subject *,
                          const struct pp_compared *, unsigned sort, double min);

#endif
