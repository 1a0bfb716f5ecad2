/*
 * When samples happened, for whoever writes them: a sample that stands for several has a moment for each.
 */
#ifndef PP_OTLP_MOMENTS_H
#define PP_OTLP_MOMENTS_H

#include "model/profile.h"

struct otlp_moments {
	size_t types; /* values of each moment */
	uint64_t
	    *times; /* ns since 1970, or where that is not known on the clock of the recording */
	int64_t *values;
	size_t
	    *first; /* by sample in the order of series and rows, and one more: its first moment */
	size_t samples;
	uint64_t begin, end; /* of the first one, and behind the last one */
	bool known;          /* all samples have theirs, which add up to what they cost */
	bool no_memory;
};

/* Finds them; `metrics` are those of the values, `start` is when the recording began, or 0. */
void pp_otlp_moments_find(struct otlp_moments *, const struct pp_profile *, const size_t *metrics,
                          uint64_t start);
void pp_otlp_moments_release(struct otlp_moments *);

#endif
