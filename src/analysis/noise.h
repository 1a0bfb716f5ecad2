/*
 * When a change is noise, by how the numbers came about; see analysis/diff.h for the rules.
 */
#ifndef PP_NOISE_H
#define PP_NOISE_H

#include "model/profile.h"

enum { PP_BEFORE, PP_AFTER };

enum pp_diff_rule { PP_DIFF_EXACT, PP_DIFF_SAMPLED, PP_DIFF_MEASURED, PP_DIFF_REPEATED };

/* Up to this share of the whole, or of the function, a change between single measured runs is noise by default. */
#define PP_NOISE_SHARE 0.05
/* Measured runs are assumed to vary by at least this part of their mean. */
#define PP_NOISE_QUIETEST 0.01

struct pp_diff_input {
	const struct pp_profile *profile;
	size_t metric;
	const struct pp_flat *flat; /* of the profile where it is known already; or NULL */
};

struct pp_noise {
	enum pp_diff_rule rule; /* of single runs: never PP_DIFF_REPEATED */
	double period[2];       /* sampled: what one sample stands for, as `after` is scaled */
	double measured;        /* measured: a change of up to this is noise */
	double share;           /* measured: so is this part of the larger value */
};

bool pp_metric_is_sampled(const struct pp_metric *);
/* How much of the metric one sample stands for, in its canonical unit. */
double pp_metric_period(const struct pp_diff_input *);

/*
 * Settles it for two single runs: `after` is multiplied by `scale`, a change of `share` of `whole` (the larger
 * of both) or of the function's larger value is noise where times were measured.
 */
void pp_noise_init(struct pp_noise *, const struct pp_diff_input *before,
                   const struct pp_diff_input *after, double scale, double whole, double share);
/* A change up to this is noise; both values in the canonical unit, `after` scaled. */
double pp_noise_limit(const struct pp_noise *, double before, double after);

/* ---- repeated runs ---- */

/* Values of which only these are kept: their weight, mean, and the sum of squared distances from it. */
struct pp_mean {
	double weight, mean, spread;
};

void pp_mean_join(struct pp_mean *, struct pp_mean);

/* How much the values of unchanged runs vary, whatever the few recorded ones show. */
struct pp_scatter {
	double quantum[2]; /* what one sample costs, by side; 0 = not sampled */
	double quietest; /* at least: standard deviation as a part of the mean; 0 = exact counts */
	double variance; /* at least */
	double
	    usual; /* usually: times the variance of counts or, if not sampled, the mean's square */
	double prior; /* its weight in runs; 0 = unknown */
};

/*
 * Returns the standard error of the difference of two means of `runs` runs, with Welch's degrees of
 * freedom. Without a change both sides vary alike, so neither variance is less than that of both
 * together: the variance of three values is often close to 0 by chance, or is 0 because a rare
 * function is in none of them. The usual variance counts
 * as `prior` more runs (an empirical Bayes estimate), so that a few runs of many functions do better than of one.
 */
double pp_means_error(const struct pp_mean side[2], const double runs[2], const struct pp_scatter *,
                      double *freedom);
/* Returns the normal deviate that is as unlikely as Student's t, and the reverse (Wallace's formula). */
double pp_z_of_t(double t, double freedom);
double pp_t_of_z(double z, double freedom);
/* Returns the normal deviate that is exceeded, up or down, with this chance. */
double pp_z_of_chance(double chance);

#endif
