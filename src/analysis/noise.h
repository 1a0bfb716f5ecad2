/*
 * When a change is noise, by how the numbers came about; see analysis/diff.h for the rules.
 */
#ifndef PP_NOISE_H
#define PP_NOISE_H

#include "model/profile.h"

enum { PP_BEFORE, PP_AFTER };

enum pp_diff_rule { PP_DIFF_EXACT, PP_DIFF_SAMPLED, PP_DIFF_MEASURED, PP_DIFF_REPEATED };

/* The share of the whole below which a change between single measured runs is noise, unless told otherwise. */
#define PP_NOISE_SHARE 0.01

struct pp_diff_input {
	const struct pp_profile *profile;
	size_t metric;
	const struct pp_flat *flat; /* of the profile where it is known already; or NULL */
};

struct pp_noise {
	enum pp_diff_rule rule; /* of single runs: never PP_DIFF_REPEATED */
	double period[2];       /* sampled: what one sample stands for, as `after` is scaled */
	double measured;        /* measured: a change of up to this is noise */
};

bool pp_metric_is_sampled(const struct pp_metric *);
/* How much of the metric one sample stands for, in its canonical unit. */
double pp_metric_period(const struct pp_diff_input *);

/*
 * Settles it for two single runs: `after` is multiplied by `scale`, a change of `share` of `whole` (the larger
 * of both) is noise where times were measured.
 */
void pp_noise_init(struct pp_noise *, const struct pp_diff_input *before,
                   const struct pp_diff_input *after, double scale, double whole, double share);
/* A change up to this is noise; both values in the canonical unit, `after` scaled. */
double pp_noise_limit(const struct pp_noise *, double before, double after);

#endif
