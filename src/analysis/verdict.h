/*
 * Verdicts: which changes of a comparison are real. Internal to src/analysis.
 */
#ifndef PP_VERDICT_H
#define PP_VERDICT_H

#include "analysis/diff.h"

/* Finds every verdict once all runs were added and `scale` is known; false when out of memory. */
bool pp_diff_verdicts(struct pp_diff *);

#endif
