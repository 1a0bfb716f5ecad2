/*
 * Whether anything in an input could be used. Internal to src/api.
 */
#ifndef PP_USABLE_H
#define PP_USABLE_H

#include "api/opening.h"

/* Notes whether an input has nothing of the format that --from names, and what it is instead. */
void pp_usable_peek(struct pp_opened *, const struct pp_peek *);
/*
 * Returns PP_E_INVALID, and reports why, if nothing of the input can be used; else the status of reading it. `errors` is the
 * number of errors found in reading; the profile is NULL if there is none.
 */
pp_status pp_usable_check(struct pp_opened *, const struct pp_profile *, uint64_t errors,
                          pp_status);
/* The same for an input that was rewritten and of which nothing came out. */
pp_status pp_usable_rewritten(struct pp_opened *, uint64_t errors, pp_status);

#endif
