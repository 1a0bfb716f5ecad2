/*
 * For formats of calls: whether all who call are known themselves.
 */
#ifndef PP_KIT_CALLERS_CHECK_H
#define PP_KIT_CALLERS_CHECK_H

#include "formats/reader.h"
#include "model/builder.h"

/* A finding of the rule for each function that calls others though no call of it is known. */
void pp_callers_check(struct pp_reader *, struct pp_builder *, const struct pp_rule *);

#endif
