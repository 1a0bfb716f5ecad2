/*
 * diff of more than two: a column for each value of a label that profiles of a store have.
 */
#ifndef PP_DIFF_BY_H
#define PP_DIFF_BY_H

#include "questions/compare.h"

/* Values that are shown side by side at most. */
#define PP_DIFF_VALUES 64

/* What functions cost per profile of each value of subject->by. PP_OK, or a status with the reason said. */
pp_status pp_diff_by(struct pp_answer *, const struct pp_subject *, const struct pp_compared *,
                     bool by_total);

#endif
