/*
 * `info` and the summary under a budget.
 */
#ifndef PP_EXCERPT_INFO_H
#define PP_EXCERPT_INFO_H

#include "questions/excerpt.h"

pp_status pp_info_excerpt(const struct pp_subject *, const void *params, struct pp_excerpt *);
pp_status pp_summary_excerpt(const struct pp_subject *, const void *params, struct pp_excerpt *);

#endif
