/*
 * Whether costs of one run after the other make a step, or only noise: Welch's t on the shares of the whole, with a bound
 * that all places and functions together pass by chance in one answer of twenty.
 */
#include <math.h>

#include "questions/trend.h"

#define CHANCE 0.05       /* that an answer has a step where none is */
#define Z_SELF_LEAST 3.0  /* costs follow shares: lengths of runs may vary */
#define CHANGE_LEAST 0.05 /* of the larger side */
#define SHARE_LEAST 0.001 /* of the whole */
#define NOISE_LEAST 0.01  /* of the mean: machines are never quieter */

void
pp_moments_join(struct pp_moments *to, struct pp_moments add)
{
	double weight = to->weight + add.weight, apart = add.mean - to->mean;

	if (!(weight > 0))
		return;
	to->spread += add.spread + apart * apart * to->weight * add.weight / weight;
	to->mean += apart * add.weight / weight;
	to->weight = weight;
}

void
pp_trend_span_join(struct pp_trend_span *to, const struct pp_trend_span *add)
{
	to->profiles += add->profiles;
	to->runs += add->runs;
	to->whole += add->whole;
	pp_moments_join(&to->self, add->self);
	pp_moments_join(&to->share, add->share);
}

double
pp_trend_error(const struct pp_trend_span *s)
{
	return s->runs > 1 ? sqrt(s->self.spread / (s->runs - 1) / s->profiles) : 0;
}

size_t
pp_trend_divide(const struct pp_trend_span *spans, size_t n, struct pp_trend_span *spare,
                struct pp_trend_span sides[2])
{
	struct pp_trend_span left = { 0 };
	double best = -1;
	size_t i, at = 0;

	spare[n - 1] = spans[n - 1];
	for (i = n - 1; i-- > 0;) {
		spare[i] = spans[i];
		pp_trend_span_join(&spare[i], &spare[i + 1]);
	}
	for (i = 1; i < n; i++) {
		double apart, between;

		pp_trend_span_join(&left, &spans[i - 1]);
		apart = spare[i].share.mean - left.share.mean;
		between = apart * apart * left.profiles * spare[i].profiles /
		          (left.profiles + spare[i].profiles);
		if (between > best && left.runs >= PP_TREND_RUNS &&
		    spare[i].runs >= PP_TREND_RUNS) {
			best = between;
			at = i;
			sides[0] = left;
			sides[1] = spare[i];
		}
	}
	return at;
}

/* The square of the error of a mean; samples scatter at least as counts do. */
static double
error_of(const struct pp_moments *m, double runs, double quantum)
{
	double variance = m->spread / (runs - 1), least = NOISE_LEAST * fabs(m->mean);

	variance = fmax(variance, fmax(quantum * fabs(m->mean), least * least));
	return variance / m->weight;
}

/* Welch's t as the z that is as unlikely (Wallace's formula). */
static double
z_of(const struct pp_moments *before, const struct pp_moments *after,
     const struct pp_trend_span sides[2], double usual, const double quantum[2])
{
	double x = usual * usual * error_of(before, sides[0].runs, quantum[0]);
	double y = error_of(after, sides[1].runs, quantum[1]);
	double t, freedom, z;

	if (!(x + y > 0))
		return 0;
	t = (after->mean - usual * before->mean) / sqrt(x + y);
	freedom = (x + y) * (x + y) / (x * x / (sides[0].runs - 1) + y * y / (sides[1].runs - 1));
	z = (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * log1p(t * t / freedom));
	return t < 0 ? -z : z;
}

bool
pp_trend_differs(const struct pp_trend_span sides[2], double usual,
                 const struct pp_trend_bound *bound)
{
	const struct pp_moments *a = &sides[0].share, *z = &sides[1].share;
	double costs[2] = { bound->quantum, bound->quantum }, shares[2] = { 0, 0 };
	double by_share, by_self, change = z->mean - usual * a->mean;
	size_t i;

	if (fabs(change) < SHARE_LEAST ||
	    fabs(change) < CHANGE_LEAST * fmax(fabs(z->mean), fabs(usual * a->mean)))
		return false;
	for (i = 0; i < 2; i++)
		if (sides[i].whole > 0)
			shares[i] = bound->quantum * sides[i].profiles / sides[i].whole;
	by_share = z_of(a, z, sides, usual, shares);
	by_self = z_of(&sides[0].self, &sides[1].self, sides, 1, costs);
	return (by_share < 0) == (by_self < 0) && fabs(by_self) >= Z_SELF_LEAST &&
	       erfc(fabs(by_share) / sqrt(2)) * bound->tests <= CHANCE;
}
