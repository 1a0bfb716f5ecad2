/*
 * Verdicts: which changes of a comparison are real, and which are noise.
 *
 * Repeated runs are judged twice, because machines are faster at one time than at another: by cost, and by share of the
 * run's whole against what became of most of the program. A function that became slower by a fifth stands out
 * by its share although whole runs differ by more than that. All functions of at least 0.1 % of the whole
 * are tested together, so that one comparison of twenty, at most, names any by chance.
 */
#include "analysis/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

/* Differences of scaled values below this part of the larger one are rounding. */
#define ROUNDING 1e-9
/* That repeated runs of an unchanged program name any function. */
#define CHANCE 0.05
/* The usual variance of functions counts as at most this many runs. */
#define PRIOR_MOST 6.0
/* That they name the whole: a gate that limits it must not fail once a month for nothing. */
#define CHANCE_WHOLE 0.02
/* Smaller parts of the whole are noise if runs were repeated. */
#define CHANGE_LEAST 0.001
/* A change of a share counts if at least this part of it shows in the cost, too. */
#define SEEN_LEAST 0.5

/* Quantities that are tested together. */
enum family_id { OF_SELF, OF_TOTAL, OF_WHOLE, FAMILIES };

struct family {
	struct pp_scatter costs, shares;
	double tests; /* functions that can change by enough */
	double z;     /* a change of up to this many standard errors is noise */
};

struct rules {
	struct pp_diff *d;
	struct family families[FAMILIES];
	double least; /* of repeated runs: smaller changes are noise */
};

/* ---- most of the program ------------------------------------------------------------------ */

/* A function's value before by its value after, and how much that counts. */
struct ratio {
	double factor, weight;
};

static int
compare_ratios(const void *left, const void *right, void *context)
{
	const struct ratio *a = left, *b = right;

	return (a->factor > b->factor) - (a->factor < b->factor);
}

/*
 * Returns the median of before / after over all cost, or `usual` if nothing is on both sides. Between two halves it is
 * their mean, so that it is the inverse when the sides are swapped.
 */
static double
median_ratio(struct ratio *ratios, size_t n, double usual)
{
	double all = 0, sum = 0, lower = 0;
	size_t i;

	for (i = 0; i < n; i++)
		all += ratios[i].weight;
	if (n > 1)
		pp_sort(ratios, n, sizeof *ratios, compare_ratios, NULL);
	for (i = 0; i < n; i++) {
		sum += ratios[i].weight;
		if (lower == 0 && sum >= all / 2 * (1 - ROUNDING))
			lower = ratios[i].factor;
		if (sum > all / 2 * (1 + ROUNDING))
			break;
	}
	return lower > 0 ? sqrt(lower * ratios[i < n ? i : n - 1].factor) : usual;
}

/* Finds what most of the program has to be multiplied by to be what it was, in cost and in share. */
static bool
usual_find(struct pp_diff *d)
{
	struct ratio *costs = calloc(d->rows.n + 1, sizeof *costs);
	struct ratio *shares = calloc(d->rows.n + 1, sizeof *shares);
	size_t i, n = 0, m = 0;

	for (i = 0; costs && shares && i < d->rows.n; i++) {
		const double *v = d->rows.at[i].self.value, *s = d->rows.at[i].self.share;

		if (v[PP_BEFORE] > 0 && v[PP_AFTER] > 0)
			costs[n++] = (struct ratio){ v[PP_BEFORE] / v[PP_AFTER],
				                     v[PP_BEFORE] + v[PP_AFTER] * d->scale };
		if (s[PP_BEFORE] > 0 && s[PP_AFTER] > 0)
			shares[m++] = (struct ratio){ s[PP_BEFORE] / s[PP_AFTER],
				                      s[PP_BEFORE] + s[PP_AFTER] };
	}
	if (costs && shares) {
		d->usual = median_ratio(costs, n, d->scale);
		d->usual_share = median_ratio(shares, m, 1);
	}
	free(costs);
	free(shares);
	return costs && shares;
}

/* ---- repeated runs -------------------------------------------------------------------------- */

static const struct pp_diff_value *
member_of(const struct pp_diff *d, size_t row, enum family_id which)
{
	return which == OF_SELF ? &d->rows.at[row].self : &d->rows.at[row].total;
}

/* Puts the runs of both sides, from their means and variances multiplied by `scale`, into `side`. */
static void
sides_make(const struct pp_diff *d, const double mean[2], const double variance[2],
           const double scale[2], struct pp_mean side[2], double runs[2])
{
	size_t i;

	for (i = 0; i < 2; i++) {
		runs[i] = (double)d->runs[i];
		side[i] = (struct pp_mean){ runs[i], mean[i] * scale[i],
			                    variance[i] * scale[i] * scale[i] * (runs[i] - 1) };
	}
}

static int
compare_doubles(const void *left, const void *right, void *context)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Returns the variance between the runs of both sides together. */
static double
variance_within(const struct pp_diff *d, const double variance[2], double scale)
{
	double before = (double)d->runs[PP_BEFORE] - 1, after = (double)d->runs[PP_AFTER] - 1;

	return (variance[PP_BEFORE] * before + variance[PP_AFTER] * scale * scale * after) /
	       (before + after);
}

/* Variances between runs, of all functions that are tested together. */
struct variances {
	double *all;
	double *relative; /* to those of counts or, if not sampled, to the square of the mean */
	size_t n;
};

static bool
variances_init(struct variances *v, size_t n)
{
	*v = (struct variances){ calloc(n + 1, sizeof *v->all), calloc(n + 1, sizeof *v->relative),
		                 0 };
	return v->all && v->relative;
}

static void
variances_release(struct variances *v)
{
	free(v->all);
	free(v->relative);
}

static void
variances_add(struct variances *v, const struct pp_diff *d, const double mean[2],
              const double variance[2], double scale, const struct pp_scatter *scatter)
{
	double within = variance_within(d, variance, scale);
	double both = fabs(mean[PP_BEFORE] * (double)d->runs[PP_BEFORE] +
	                   mean[PP_AFTER] * scale * (double)d->runs[PP_AFTER]) /
	              (double)(d->runs[PP_BEFORE] + d->runs[PP_AFTER]);
	double counts = (scatter->quantum[PP_BEFORE] + scatter->quantum[PP_AFTER]) / 2 * both;
	double to = counts > 0 ? counts : both * both;

	v->all[v->n] = within;
	v->relative[v->n++] = to > 0 ? within / to : 0;
}

/*
 * Finishes the sums. An interruption hits one function in one run and another in the next one, and costs each the
 * same time: three equal values of a function prove little if others scatter by as much as it costs.
 */
static void
variances_finish(struct variances *v, struct pp_scatter *scatter)
{
	if (v->n < 2)
		return;
	pp_sort(v->all, v->n, sizeof *v->all, compare_doubles, NULL);
	pp_sort(v->relative, v->n, sizeof *v->relative, compare_doubles, NULL);
	if (scatter->quietest > 0)
		scatter->variance = v->all[(v->n - 1) * 3 / 4];
	scatter->usual = v->relative[(v->n - 1) / 2];
	scatter->prior = fmin(PRIOR_MOST, (double)(v->n - 1) / 2);
}

/*
 * Finds how strict the tests have to be: the number of functions that can change by enough, and how much these vary. Exact
 * counts vary for reasons of their own, each function for others.
 */
static bool
family_find(struct rules *rules, enum family_id which)
{
	const struct pp_diff *d = rules->d;
	struct family *f = &rules->families[which];
	struct variances costs = { 0 }, shares = { 0 };
	bool fine = variances_init(&costs, d->rows.n) && variances_init(&shares, d->rows.n);
	size_t i;

	for (i = 0; fine && i < d->rows.n; i++) {
		const struct pp_diff_value *v = member_of(d, i, which);

		if (fmax(fabs(v->value[PP_BEFORE]), fabs(v->value[PP_AFTER]) * d->scale) <
		    rules->least)
			continue;
		variances_add(&costs, d, v->value, v->variance, d->scale, &f->costs);
		variances_add(&shares, d, v->share, v->share_variance, 1, &f->shares);
	}
	f->tests = fmax(1, (double)costs.n);
	f->z = pp_z_of_chance(CHANCE / f->tests / 2); /* costs and shares are two tests */
	if (fine && d->noise.rule != PP_DIFF_EXACT) {
		variances_finish(&costs, &f->costs);
		variances_finish(&shares, &f->shares);
	}
	variances_release(&costs);
	variances_release(&shares);
	return fine;
}

/* Finds how much runs vary at least, by how their numbers came about. */
static bool
families_find(struct rules *rules)
{
	const struct pp_diff *d = rules->d;
	struct pp_scatter costs = { 0 }, shares = { 0 };
	size_t i;

	if (d->noise.rule == PP_DIFF_MEASURED)
		costs.quietest = shares.quietest = PP_NOISE_QUIETEST;
	for (i = 0; i < 2 && d->noise.rule == PP_DIFF_SAMPLED; i++) {
		double whole = d->whole.part[i] * (i == PP_AFTER ? d->scale : 1);

		costs.quantum[i] = d->noise.period[i];
		shares.quantum[i] = whole > 0 ? d->noise.period[i] / whole : 0;
	}
	for (i = 0; i < FAMILIES; i++)
		rules->families[i] = (struct family){ costs, shares, 1,
			                              pp_z_of_chance(CHANCE_WHOLE) };
	rules->least = CHANGE_LEAST * fmax(fabs(d->whole.part[PP_BEFORE]),
	                                   fabs(d->whole.part[PP_AFTER]) * d->scale);
	return family_find(rules, OF_SELF) && family_find(rules, OF_TOTAL);
}

static double
repeated_limit(const struct rules *rules, const struct family *f, const struct pp_diff_value *v,
               double scale)
{
	const double by[2] = { 1, scale };
	struct pp_mean side[2];
	double runs[2], freedom, error;

	sides_make(rules->d, v->value, v->variance, by, side, runs);
	error = pp_means_error(side, runs, &f->costs, &freedom);
	return fmax(rules->least, error > 0 ? error * pp_t_of_z(f->z, freedom) : 0);
}

/*
 * Whether a function's share changed against that of most of the program. Its cost must show half of that change, so
 * that a function is not named for what others did.
 */
static bool
differs_in_share(const struct rules *rules, const struct family *f, const struct pp_diff_value *v,
                 double delta)
{
	const struct pp_diff *d = rules->d;
	/* Halfway each, so that the verdict is the same when the sides are swapped. */
	const double by[2] = { 1 / sqrt(d->usual_share), sqrt(d->usual_share) };
	struct pp_mean side[2];
	double runs[2], freedom, error, apart, part;

	if (!d->has_shares || f == &rules->families[OF_WHOLE])
		return false;
	sides_make(d, v->share, v->share_variance, by, side, runs);
	error = pp_means_error(side, runs, &f->shares, &freedom);
	apart = side[PP_AFTER].mean - side[PP_BEFORE].mean;
	part = fabs(apart) / fmax(side[PP_BEFORE].mean, side[PP_AFTER].mean);
	return apart * delta > 0 && part > ROUNDING && fabs(delta) >= rules->least &&
	       fabs(delta) >= SEEN_LEAST * part * pp_diff_value_size(v) &&
	       (!(error > 0) || fabs(pp_z_of_t(apart / error, freedom)) > f->z);
}

/* ---- one value -------------------------------------------------------------------------------- */

/* Returns up to where a change is noise when `after`, as it was recorded, is multiplied by `scale`. */
static double
limit_of(const struct rules *rules, const struct family *f, const struct pp_diff_value *v,
         double scale, const struct pp_noise *noise)
{
	if (rules->d->rule == PP_DIFF_REPEATED)
		return repeated_limit(rules, f, v, scale);
	return pp_noise_limit(noise, v->value[PP_BEFORE], v->value[PP_AFTER] * scale);
}

/*
 * Whether a change of a scaled value comes of the scaling alone: if one function grows, all others have a
 * smaller part of the whole. A real change differs in the same direction from what most of the program did.
 */
static bool
is_side_effect(const struct rules *rules, const struct family *f,
               const struct pp_diff_value *recorded, double delta)
{
	const struct pp_diff *d = rules->d;
	double before = recorded->value[PP_BEFORE], after = recorded->value[PP_AFTER] * d->usual;
	double own = after - before, size = fmax(fabs(before), fabs(after));

	if (d->options.normalize == PP_NORM_NONE)
		return false;
	return (own > 0) != (delta > 0) ||
	       fabs(own) <=
	           fmax(limit_of(rules, f, recorded, d->usual, &d->usual_noise), size * ROUNDING);
}

/* Scales `after` and finds the noise limit and the verdict, presence aside. */
static void
value_check(const struct rules *rules, const struct family *f, struct pp_diff_value *v)
{
	const struct pp_diff *d = rules->d;
	const struct pp_diff_value recorded = *v;
	double delta, size;

	v->limit = limit_of(rules, f, v, d->scale, &d->noise);
	v->value[PP_AFTER] *= d->scale;
	v->part[PP_AFTER] *= d->scale;
	v->variance[PP_AFTER] *= d->scale * d->scale;
	delta = pp_diff_delta(v);
	size = fmax(fabs(v->value[PP_BEFORE]), fabs(v->value[PP_AFTER]));
	if (!d->exact && fabs(delta) <= size * ROUNDING) {
		v->value[PP_AFTER] = v->value[PP_BEFORE];
		delta = 0;
	}
	if (delta == 0)
		v->status = PP_SAME;
	else if ((fabs(delta) <= v->limit &&
	          (d->rule != PP_DIFF_REPEATED || !differs_in_share(rules, f, v, delta))) ||
	         is_side_effect(rules, f, &recorded, delta))
		v->status = PP_NOISE;
	else
		v->status = delta > 0 ? PP_GREW : PP_SHRANK;
}

/* ---- functions -------------------------------------------------------------------------------- */

/*
 * Whether a cost is in every run of one side and in none of the other: no variance explains that away. Too small a part
 * of the whole does, and so few samples that all of them may be on one side by chance.
 */
static bool
is_in_one_side(const struct rules *rules, const struct family *f, const struct pp_diff_row *row,
               const struct pp_diff_value *v)
{
	const struct pp_diff *d = rules->d;
	size_t side = row->profile[PP_AFTER] ? PP_AFTER : PP_BEFORE;
	double runs = (double)d->runs[side], size = fabs(v->value[side]), samples;

	if (d->rule != PP_DIFF_REPEATED || row->profile[1 - side] ||
	    row->seen[side] < d->runs[side] || size < rules->least)
		return false;
	if (d->noise.rule != PP_DIFF_SAMPLED)
		return true;
	samples = size * runs / d->noise.period[side];
	return 2 * f->tests * pow(runs / (double)(d->runs[0] + d->runs[1]), samples) <= CHANCE;
}

/* Finds the verdicts of a function: one that was not there before is new, one that is not there any more is gone. */
static void
row_check(const struct rules *rules, struct pp_diff_row *row)
{
	enum pp_diff_status presence = row->profile[PP_BEFORE] ? PP_GONE : PP_NEW;
	bool both = row->profile[PP_BEFORE] && row->profile[PP_AFTER];
	const struct family *self = &rules->families[OF_SELF], *total = &rules->families[OF_TOTAL];

	value_check(rules, self, &row->self);
	value_check(rules, total, &row->total);
	if (both)
		return;
	if (row->total.status != PP_NOISE || is_in_one_side(rules, total, row, &row->total))
		row->total.status = presence;
	if (row->self.status == PP_SAME)
		row->self.status = row->total.status;
	else if (row->self.status != PP_NOISE || is_in_one_side(rules, self, row, &row->self))
		row->self.status = presence;
}

/* Finds what is noise of single runs if `after` is multiplied by `scale`: by the larger whole, so that sides can be swapped. */
static void
noise_find(const struct pp_diff *d, struct pp_noise *noise, double scale)
{
	double before = d->whole.part[PP_BEFORE], after = d->whole.part[PP_AFTER] * scale;

	pp_noise_init(noise, d->input[PP_BEFORE], d->input[PP_AFTER], scale,
	              fmax(fabs(before), fabs(after)), d->options.noise);
}

bool
pp_diff_verdicts(struct pp_diff *d)
{
	struct rules rules = { .d = d };
	size_t i;

	if (!usual_find(d))
		return false;
	noise_find(d, &d->noise, d->scale);
	noise_find(d, &d->usual_noise, d->usual);
	d->rule = d->runs[PP_BEFORE] > 1 || d->runs[PP_AFTER] > 1 ? PP_DIFF_REPEATED
	                                                          : d->noise.rule;
	if (d->rule == PP_DIFF_REPEATED && !families_find(&rules))
		return false;
	value_check(&rules, &rules.families[OF_WHOLE], &d->whole);
	for (i = 0; i < d->rows.n; i++)
		row_check(&rules, &d->rows.at[i]);
	return true;
}
