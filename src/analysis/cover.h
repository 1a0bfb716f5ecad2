/*
 * How long samples ran. A sample covers its period where that is a time, else one and a half times the usual distance
 * of samples, and ends where the next one begins or the thread left its processor. What lies between is nobody's. What
 * happens at an instant, as allocations do, is a mark that is just wide enough to be seen.
 */
#ifndef PP_COVER_H
#define PP_COVER_H

#include "model/profile.h"

struct pp_cover {
	const struct pp_profile *p;
	size_t clock;  /* the column of periods in time; as many as there are columns = none */
	int64_t usual; /* of samples without such a period; INT64_MAX = nothing tells */
	int64_t gap;   /* how far samples usually lie apart; INT64_MAX = nothing tells */
};

/* Looks at the samples of a series; false when out of memory. */
bool pp_cover_learn(struct pp_cover *, const struct pp_profile *, const struct pp_timeline *);
/* How long the event at hand runs if nothing comes in between, in ns; of one that is no sample 0. */
int64_t pp_cover_length(const struct pp_cover *, const struct pp_timeline_iter *);
/* The same of the last event of all, which nothing follows: not longer than samples usually lie apart. */
int64_t pp_cover_last(const struct pp_cover *, const struct pp_timeline_iter *);

#endif
