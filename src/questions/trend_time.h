/*
 * What trend keeps of the profiles of a store. Internal to src/questions.
 */
#ifndef PP_TREND_TIME_H
#define PP_TREND_TIME_H

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

/* Profiles of one label value that began within one span. */
struct pp_timed_span {
	pp_str by;
	int64_t time;
	struct pp_trend_span sum;
};

struct pp_timed_cell {
	pp_func func;
	uint32_t span;
	double self, total;
	double part; /* what its share is: self or, of a metric that falls, what it gained */
	struct pp_moments selfs, shares; /* of the profiles that have the function */
};

struct pp_timed_row {
	pp_func func;
	double self, total, part;
};

struct pp_timed_step {
	pp_func func;
	uint32_t span; /* the first one after it */
	double before, after;
};

/* What became of the usual function's share where spans are divided. */
struct pp_timed_usual {
	size_t from, at, to;
	double ratio;
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
	uint32_t *span_of; /* by profile */
	PP_VEC(struct pp_timed_span) spans;
	PP_VEC(struct pp_timed_cell) cells;
	struct pp_map index;              /* of cells, by function and span */
	PP_VEC(struct pp_timed_row) rows; /* of one profile */
	double wholes, samples;
	double most;      /* that the function costs in a span, per profile */
	uint64_t lacking; /* profiles without the metric */
	struct pp_trend_bound bound;
	struct pp_trend_span *now, *spare; /* by span, of one function */
	double *selfs, *totals, *parts;    /* likewise */
	size_t *shown;                     /* spans with profiles */
	PP_VEC(struct pp_timed_step) steps;
	PP_VEC(struct pp_timed_usual) usual;
	PP_VEC(double) ratios;
};

/* Fills in the answer; without a function about the steps of all. */
void pp_timed_answer(struct pp_timed *, pp_func);

#endif
