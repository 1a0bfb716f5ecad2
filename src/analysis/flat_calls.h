/*
 * The flat profile of files that state each call's own and inclusive cost (NYTProf).
 */
#ifndef PP_FLAT_CALLS_H
#define PP_FLAT_CALLS_H

#include "analysis/flat.h"

/* For profiles whose flat_source is PP_FLAT_CALLS. */
pp_status pp_flat_from_calls(const struct pp_profile *, struct pp_flat *);

#endif
