/*
 * The heaviest stacks of a profile, for those who can read only so many.
 */
#ifndef PP_HEAVIEST_H
#define PP_HEAVIEST_H

#include "model/profile.h"

/* How many stacks of a profile have costs of their own. */
size_t pp_heaviest_count(const struct pp_profile *);

struct pp_heaviest {
	size_t keep;             /* stacks, by their own cost of the primary metric */
	const pp_format *format; /* that the profile is of then */
	uint64_t budget;         /* said in its metadata, as x_polyprof.budget */
};

/*
 * A profile of these alone, and of one stack "[N more]" for each event that stands for the others, so that totals hold. What is
 * not in stacks is left out. PP_E_UNSUPPORTED when there are none.
 */
pp_status pp_heaviest_derive(const struct pp_profile *, const struct pp_heaviest *,
                             struct pp_profile **out);

#endif
