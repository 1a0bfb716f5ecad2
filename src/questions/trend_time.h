/*
 * What trend keeps of the profiles of a store. Internal to src/questions.
 */
#ifndef PP_TREND_TIME_H
#define PP_TREND_TIME_H

#include "analysis/steps.h"
#include "model/builder.h"
#include "questions/trend.h"

#define PP_TIMED_SECOND INT64_C(1000000000)
#define PP_TIMED_UNITS 5

/* Spans of time as they are typed, the largest first. */
struct pp_timed_unit {
	char letter;
	int64_t seconds;
};
extern const struct pp_timed_unit pp_timed_units[PP_TIMED_UNITS];

struct pp_timed_row {
	pp_func func;
	double self, total, part;
};

struct pp_timed {
	const struct pp_sequence *sequence;
	struct pp_answer *answer;
	struct pp_builder builder;
	struct pp_profile *all; /* the functions of all profiles, and the metric */
	int64_t every;
	struct pp_slice key;
	PP_VEC(struct pp_timed_place {
		pp_str by;
		int64_t time;
		uint32_t nth;
	})
	places;
	uint32_t *span_of;                /* by profile */
	struct pp_steps found;            /* a series for each value of the label */
	PP_VEC(struct pp_timed_row) rows; /* of one profile */
	double most;                      /* that the function costs in a span, per profile */
	uint64_t lacking;                 /* profiles without the metric */
	size_t *shown;                    /* spans with profiles */
};

/* Fills in the answer; without a function about the steps of all. */
void pp_timed_answer(struct pp_timed *, pp_func);

#endif
