/*
 * Steps: from which profile on, among many in order, functions cost another part of the whole.
 *
 * Profiles of one series (all files, or those of a store with one label value) are cut into two parts where the
 * function's mean shares differ most, and each part again, as long as both parts differ by more than their variance. The
 * bound counts all functions and places, so that one answer of twenty, at most, has a step where nothing changed.
 */
#ifndef PP_STEPS_H
#define PP_STEPS_H

#include "analysis/noise.h"
#include "base/hash.h"
#include "base/vec.h"

/* Each side of a step needs as many profiles to be told from noise. */
#define PP_STEP_RUNS 3

/* Profiles of a series that follow each other, and what a function costs in them. */
struct pp_step_side {
	double profiles; /* that they stand for, */
	double runs;     /* and that there are: less if profiles were added up */
	double whole;    /* of all */
	struct pp_mean self, share;
};

/* Profiles of one series that are not told apart. */
struct pp_step_span {
	uint32_t by; /* the series */
	int64_t time;
	struct pp_step_side sum;
};

/* The costs of a function in a span. */
struct pp_step_cell {
	uint32_t row; /* the function, as the caller counts it */
	uint32_t span;
	double self, total;
	double part; /* what its share is: self or, of a metric that falls, what it gained */
	struct pp_mean selfs, shares; /* of the profiles that have the function */
};

struct pp_step {
	uint32_t row, span;   /* the first span after it */
	double before, after; /* self per profile */
	double share[2], z;   /* mean shares on both sides; in standard errors */
};

/* The change of the usual function's share if spans are divided there. */
struct pp_step_usual {
	size_t from, at, to;
	double ratio;
};

struct pp_steps {
	PP_VEC(struct pp_step_span)
	spans; /* the caller's, by series and time; may be added until costs are */
	PP_VEC(struct pp_step_cell) cells;
	struct pp_map index;          /* of cells, by row and span */
	double wholes, samples;       /* of profiles that count samples */
	double tests;                 /* functions and places that are looked at for one answer */
	PP_VEC(struct pp_step) steps; /* the largest change first */
	/* The last function examined, by span. */
	struct pp_step_side *now, *spare;
	double *selfs, *totals, *parts;
	PP_VEC(struct pp_step_usual) usual;
	PP_VEC(double) ratios;
	PP_VEC(double) intermittent; /* mean shares of functions that come and go */
};

void pp_steps_release(struct pp_steps *);

/* Adds a profile that represents `n` profiles; `samples` is its sample count, 0 if measured. */
void pp_steps_profile(struct pp_steps *, uint32_t span, double profiles, double whole,
                      double samples);
/* Adds what a function costs in such a profile, once for each profile; false when out of memory. */
bool pp_steps_cost(struct pp_steps *, double profiles, double whole, const struct pp_step_cell *);
/* Finds the steps of all functions, or of the one in row `only`; false when out of memory. */
bool pp_steps_find(struct pp_steps *, uint32_t only);
/* Whether a series has enough profiles to show a step. */
bool pp_steps_are_possible(const struct pp_steps *);
/* Returns the standard error of the mean of a side's costs; 0 for one run. */
double pp_step_error(const struct pp_step_side *);

#endif
