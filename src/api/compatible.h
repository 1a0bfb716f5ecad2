/*
 * Which profiles of a selection are asked about together, if not all of them measure the same things. Internal to src/api.
 */
#ifndef PP_COMPATIBLE_H
#define PP_COMPATIBLE_H

#include "api/reply.h"

/* How the profiles are used. */
enum pp_together {
	PP_TOGETHER_MERGED,  /* they are added up */
	PP_TOGETHER_COMPARED /* each is compared with others by one metric */
};

/*
 * Keeps those that can answer together in the first *n of `files`, plain files included: those that have the metric that
 * is asked for or, without one, as many as have something in common. Files from *split on are another side, unless it is
 * NULL; each side keeps some. A note counts those that are left out. A status with the reason said.
 */
pp_status pp_members_compatible(struct pp_reply *, enum pp_together, const char **files, size_t *n,
                                size_t *split);

#endif
