/*
 * The flat profile of files that state each call's own and inclusive cost .
 */
#ifndef PP_FLAT_CALLS_H
#define PP_FLAT_CALLS_H

#include "analysis/flat.h"

/* For profiles whose calls add up to what functions cost. */
pp_status pp_flat_from_calls(const struct pp_profile *, struct pp_flat *);

#endif
