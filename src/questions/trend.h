/*
 * trend: what it takes, and its answer about a store. Internal to src/questions.
 */
#ifndef PP_TREND_H
#define PP_TREND_H

#include "questions/question.h"

/* So many runs on each side are needed to tell a step from noise. */
#define PP_TREND_RUNS 3

struct pp_trend_params {
	struct pp_asked asked;
	const char *function, *every, *by; /* of a store only */
};

/* Whether the parameters make sense. */
pp_status pp_trend_ready(const struct pp_subject *, const void *data, struct pp_answer *);
/* About the profiles of a store, by time and label. */
pp_status pp_trend_over_time(const struct pp_subject *, const void *data, struct pp_answer *);

/* ---- whether a series of numbers makes a step: trend_step.c ---- */

/* Numbers of which only these are kept: their weight, mean, and the sum of squared distances from it. */
struct pp_moments {
	double weight, mean, spread;
};

void pp_moments_join(struct pp_moments *, struct pp_moments);

/* The profiles of one label value and one span of time, and what a function costs in them. */
struct pp_trend_span {
	double profiles; /* that they stand for, */
	double runs;     /* and that there are: less where profiles were added up */
	double whole;    /* of all */
	struct pp_moments self, share;
};

void pp_trend_span_join(struct pp_trend_span *, const struct pp_trend_span *);
/* The standard error of the mean of its costs; 0 for one run. */
double pp_trend_error(const struct pp_trend_span *);

/* How strict to be. */
struct pp_trend_bound {
	double tests;   /* how many places and functions are looked at for one answer */
	double quantum; /* what one sample costs; 0 = it was measured */
};

/* Where spans are divided best, 1 .. n - 1; both sides are told. `spare` has room for n. */
size_t pp_trend_divide(const struct pp_trend_span *, size_t n, struct pp_trend_span *spare,
                       struct pp_trend_span sides[2]);
/*
 * Whether two sides differ by more than noise: in cost and in share. `usual` is what became of the share of other
 * functions, 1 = nothing: who only made room for one that grew did not change.
 */
bool pp_trend_differs(const struct pp_trend_span sides[2], double usual,
                      const struct pp_trend_bound *);

#endif
