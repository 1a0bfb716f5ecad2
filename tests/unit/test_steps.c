/*
 * Steps among many profiles: none where nothing changed, however rarely functions run and however much machines differ,
 * and the planted ones where something did.
 */
#include "analysis/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define FLEETS 1000
#define FUNCTIONS 40
#define PLANTED 1 /* the row of the function that changes */

/* ---- chance: the same on every machine ---- */

static double
uniform(uint64_t *seed)
{
	*seed += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = *seed;

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static double
normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(uniform(seed)));

	return radius * cos(6.283185307179586 * uniform(seed));
}

static double
poisson(uint64_t *seed, double mean)
{
	double limit = exp(-mean), product = uniform(seed), n = 0;

	if (mean > 100)
		return fmax(0, floor(mean + sqrt(mean) * normal(seed) + 0.5));
	for (; product > limit; n++)
		product *= uniform(seed);
	return n;
}

/* ---- fleets ---- */

struct fleet {
	size_t profiles, step; /* from that profile on, PLANTED costs `factor` times as much */
	double factor;
	bool sampled;    /* costs are counts of samples; else times */
	double disorder; /* standard deviation of the speed of machines, as a part of it */
};

/* Returns what a function costs in one run; rare ones are in few runs, some are interrupted in some runs. */
static double
cost_of(const struct fleet *f, size_t row, double speed, uint64_t *seed)
{
	double usual = 3000 / (1 + 0.5 * (double)row), scatter = 0.03 + 0.01 * (double)(row % 5);
	double cost = usual * speed * exp(scatter * normal(seed));

	if (row >= 20 && row < 26) /* once in a while */
		return uniform(seed) < 0.05 * (double)(row - 18) ? cost : 0;
	if (row >= 26 && row < 30) /* interrupted */
		return uniform(seed) < 0.3 ? 2 * cost : cost;
	if (row >= 30) /* few samples, or very short */
		cost = (double)(row - 29) * 0.7;
	return f->sampled ? poisson(seed, cost) : row < 30 ? cost : cost * exp(0.6 * normal(seed));
}

static bool
fleet_make(struct pp_steps *s, const struct fleet *f, uint64_t *seed)
{
	double costs[FUNCTIONS + 1];
	size_t i, row;

	memset(s, 0, sizeof *s);
	for (i = 0; i < f->profiles; i++)
		if (!pp_vec_push(&s->spans, (struct pp_step_span){ .time = (int64_t)i }))
			return false;
	for (i = 0; i < f->profiles; i++) {
		double speed = exp(f->disorder * normal(seed)), whole = 0;

		for (row = 1; row <= FUNCTIONS; row++) {
			costs[row] = cost_of(f, row, speed, seed);
			if (row == PLANTED && i >= f->step)
				costs[row] *= f->factor;
			whole += costs[row];
		}
		pp_steps_profile(s, (uint32_t)i, 1, whole, f->sampled ? whole : 0);
		for (row = 1; row <= FUNCTIONS; row++) {
			struct pp_step_cell cell = { .row = (uint32_t)row,
				                     .span = (uint32_t)i,
				                     .self = costs[row],
				                     .total = costs[row],
				                     .part = costs[row] };

			if (costs[row] > 0 && !pp_steps_cost(s, 1, whole, &cell))
				return false;
		}
	}
	return pp_steps_find(s, 0);
}

/* ---- checks ---- */

static void
check_unchanged(void)
{
	static const double disorders[] = { 0, 0.05, 0.3 };
	uint64_t seed = 31;
	size_t i, shown = 0, failed = 0;

	for (i = 0; i < FLEETS; i++) {
		struct fleet f = { .profiles = 6 + i % 50,
			           .factor = 1,
			           .sampled = i % 2,
			           .disorder = disorders[i % 3] };
		struct pp_steps s;

		failed += !fleet_make(&s, &f, &seed);
		shown += s.steps.n > 0;
		pp_steps_release(&s);
	}
	ok(failed == 0 && shown <= FLEETS * 6 / 100,
	   "%zu of %d unchanged fleets show a step; at most 6 %% may", shown, FLEETS);
}

static void
check_planted(void)
{
	static const double factors[] = { 1.5, 0.6, 2, 1.4 };
	uint64_t seed = 7;
	size_t i, k, found = 0, wrong = 0, n = 200;

	for (i = 0; i < n; i++) {
		struct fleet f = { .profiles = 20 + i % 30,
			           .step = 8 + i % 7,
			           .factor = factors[i % 4],
			           .sampled = i % 2,
			           .disorder = 0.05 };
		bool here = false;
		struct pp_steps s;

		wrong += !fleet_make(&s, &f, &seed);
		for (k = 0; k < s.steps.n; k++) {
			const struct pp_step *step = &s.steps.at[k];

			if (step->row == PLANTED && step->span == f.step)
				here = (step->after > step->before) == (f.factor > 1) &&
				       (step->z > 0) == (f.factor > 1);
			wrong += step->row != PLANTED;
		}
		found += here;
		pp_steps_release(&s);
	}
	ok(found * 100 >= n * 95, "%zu of %zu planted steps are found at their profile", found, n);
	ok(wrong * 100 <= n * 6, "%zu other steps are shown in %zu fleets", wrong, n);
}

/* A function that is in none of three profiles is rare, not exactly 0: the floor is that of both sides. */
static void
check_rare(void)
{
	static const double counts[] = { 0, 0, 0, 1, 2, 1, 1, 2, 1, 2, 1, 1, 2, 1, 1, 2 };
	struct pp_steps s = { 0 };
	size_t i, n = sizeof counts / sizeof *counts;

	for (i = 0; i < n; i++)
		(void)pp_vec_push(&s.spans, (struct pp_step_span){ .time = (int64_t)i });
	for (i = 0; i < n; i++) {
		pp_steps_profile(&s, (uint32_t)i, 1, 100 + counts[i], 100 + counts[i]);
		(void)pp_steps_cost(
		    &s, 1, 100 + counts[i],
		    &(struct pp_step_cell){
		        .row = 1, .span = (uint32_t)i, .self = counts[i], .part = counts[i] });
		(void)pp_steps_cost(&s, 1, 100 + counts[i],
		                    &(struct pp_step_cell){
		                        .row = 2, .span = (uint32_t)i, .self = 100, .part = 100 });
	}
	ok(pp_steps_find(&s, 0) && s.steps.n == 0, "one or two samples, after none, are no step");
	ok(pp_steps_are_possible(&s), "although there are profiles enough");
	pp_steps_release(&s);
}

static void
check_t(void)
{
	ok(fabs(pp_z_of_chance(0.05) - 1.959964) < 1e-6, "5 %% is beyond 1.96");
	ok(fabs(pp_t_of_z(1.959964, 4) - 2.776) < 0.05, "Student's t of 4 degrees");
	ok(fabs(pp_z_of_t(pp_t_of_z(3.5, 3), 3) - 3.5) < 1e-9, "there and back");
	ok(pp_z_of_t(-2, 5) == -pp_z_of_t(2, 5), "both ways alike");
}

int
main(void)
{
	check_unchanged();
	check_planted();
	check_rare();
	check_t();
	return tap_done();
}
