/*
 * trend: what it takes, and its answer about a store. Internal to src/questions.
 */
#ifndef PP_TREND_H
#define PP_TREND_H

#include "model/flat.h"
#include "questions/question.h"

/* Why there are no steps; with PP_STEP_RUNS, twice. */
#define PP_TREND_TOO_FEW                                                                           \
	"too few runs to tell a change from noise: %d profiles before it and %d after it are needed"

struct pp_trend_params {
	struct pp_asked asked;
	const char *function, *every, *by; /* of a store only */
};

/* Whether the parameters make sense. */
pp_status pp_trend_ready(const struct pp_subject *, const void *data, struct pp_answer *);
/* About the profiles of a store, by time and label. */
pp_status pp_trend_over_time(const struct pp_subject *, const void *data, struct pp_answer *);
/* Returns how many samples a profile's whole was counted in; 0 if it was measured. */
double pp_trend_samples(const struct pp_profile *, const struct pp_flat *);

#endif
