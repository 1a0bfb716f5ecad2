/*
 * When a change is noise: counting errors of samples, a share of the whole for times of single runs, variance for
 * repeated runs.
 */
#include "analysis/noise.h"

#include <math.h>

bool
pp_metric_is_sampled(const struct pp_metric *m)
{
	return m->kind == PP_KIND_SAMPLES || (m->flags & PP_METRIC_SAMPLED);
}

/* "live" of "live_bytes" and "sampled_live_count": what of the heap is counted. */
static struct pp_slice
part_of(struct pp_slice name)
{
	size_t n;

	(void)pp_slice_take(&name, "sampled_");
	for (n = name.n; n > 0 && name.p[n - 1] != '_'; n--)
		;
	return pp_slice_of(name.p, n ? n - 1 : 0);
}

/* Samples that a metric was estimated from. Of the heap, what is in use and what was allocated have their own. */
static double
samples_of(const struct pp_diff_input *in)
{
	const struct pp_profile *p = in->profile;
	struct pp_slice part = part_of(pp_text_of(p, p->metrics.at[in->metric].name));
	uint32_t i;

	for (i = 0; i < p->metrics.n; i++) {
		struct pp_slice name = pp_text_of(p, p->metrics.at[i].name);

		if (pp_slice_starts(name, "sampled_") && pp_slice_ends(name, "_count") &&
		    pp_slice_eq(part_of(name), part))
			return pp_value_double(&p->metrics.at[i], pp_profile_total(p, i));
	}
	return (double)p->samples;
}

double
pp_metric_period(const struct pp_diff_input *in)
{
	const struct pp_metric *m = &in->profile->metrics.at[in->metric];
	double samples = samples_of(in);

	if (m->kind == PP_KIND_SAMPLES || !(samples > 0))
		return 1;
	return pp_value_double(m, pp_profile_total(in->profile, in->metric)) / samples;
}

static bool
is_time(const struct pp_metric *m)
{
	return m->kind == PP_KIND_WALL_TIME || m->kind == PP_KIND_CPU_TIME ||
	       m->kind == PP_KIND_IDLE_TIME;
}

/*
 * Where only one side was sampled, the other has no counting error of its own; but what it counts is
 * what the samples should have hit, so it errs by their weight.
 */
void
pp_noise_init(struct pp_noise *noise, const struct pp_diff_input *before,
              const struct pp_diff_input *after, double scale, double whole, double share)
{
	const struct pp_metric *mb = &before->profile->metrics.at[before->metric];
	const struct pp_metric *ma = &after->profile->metrics.at[after->metric];
	bool sampled[2] = { pp_metric_is_sampled(mb), pp_metric_is_sampled(ma) };

	*noise = (struct pp_noise){ .rule = PP_DIFF_EXACT,
		                    .measured = share * fabs(whole),
		                    .share = share };
	if (sampled[PP_BEFORE] || sampled[PP_AFTER])
		noise->rule = PP_DIFF_SAMPLED;
	else if (is_time(mb) || is_time(ma))
		noise->rule = PP_DIFF_MEASURED;
	noise->period[PP_BEFORE] = pp_metric_period(before);
	noise->period[PP_AFTER] = pp_metric_period(after) * scale;
	if (sampled[PP_AFTER] && !sampled[PP_BEFORE])
		noise->period[PP_BEFORE] = noise->period[PP_AFTER];
	else if (sampled[PP_BEFORE] && !sampled[PP_AFTER])
		noise->period[PP_AFTER] = noise->period[PP_BEFORE];
}

double
pp_noise_limit(const struct pp_noise *noise, double before, double after)
{
	switch (noise->rule) {
	case PP_DIFF_SAMPLED:
		return 2 * sqrt(fabs(before) * noise->period[PP_BEFORE] +
		                fabs(after) * noise->period[PP_AFTER]);
	case PP_DIFF_MEASURED:
		return fmax(noise->measured, noise->share * fmax(fabs(before), fabs(after)));
	case PP_DIFF_EXACT:
	case PP_DIFF_REPEATED:
		break;
	}
	return 0;
}

/* ---- repeated runs ---- */

void
pp_mean_join(struct pp_mean *to, struct pp_mean add)
{
	double weight = to->weight + add.weight, apart = add.mean - to->mean;

	if (!(weight > 0))
		return;
	to->spread += add.spread + apart * apart * to->weight * add.weight / weight;
	to->mean += apart * add.weight / weight;
	to->weight = weight;
}

/* Returns a variance with `freedom` degrees of freedom, moderated by the usual one. */
static double
moderate(const struct pp_scatter *scatter, double usual, double variance, double freedom)
{
	return freedom > 0
	           ? (scatter->prior * usual + freedom * variance) / (scatter->prior + freedom)
	           : 0;
}

double
pp_means_error(const struct pp_mean side[2], const double runs[2], const struct pp_scatter *scatter,
               double *freedom)
{
	double weight = side[0].weight + side[1].weight, all = runs[0] + runs[1] - 2, sum = 0;
	double mean = fabs(side[0].weight * side[0].mean + side[1].weight * side[1].mean) / weight;
	double quiet = scatter->quietest * mean, squares = 0;
	size_t i;

	for (i = 0; i < 2; i++) {
		double own = runs[i] > 1 ? runs[i] - 1 : runs[1 - i] - 1;
		double counts = scatter->quantum[i] * mean;
		double usual = scatter->usual * (counts > 0 ? counts : mean * mean);
		double variance = fmax(scatter->variance, fmax(counts, quiet * quiet));

		variance = fmax(variance, moderate(scatter, usual,
		                                   (side[0].spread + side[1].spread) / all, all));
		if (runs[i] > 1)
			variance = fmax(variance,
			                moderate(scatter, usual, side[i].spread / own, own));
		variance /= side[i].weight;
		sum += variance;
		squares += variance * variance / fmax(own + scatter->prior / 2, 1);
	}
	*freedom = squares > 0 ? sum * sum / squares : fmax(all, 1);
	return sqrt(sum);
}

/* By how much Student's t has to be narrowed to be normal. */
static double
narrowing(double freedom)
{
	return (8 * freedom + 1) / (8 * freedom + 3);
}

double
pp_z_of_t(double t, double freedom)
{
	double z = narrowing(freedom) * sqrt(freedom * log1p(t * t / freedom));

	return t < 0 ? -z : z;
}

double
pp_t_of_z(double z, double freedom)
{
	double wide = z / narrowing(freedom);

	return sqrt(freedom * expm1(wide * wide / freedom));
}

double
pp_z_of_chance(double chance)
{
	double low = 0, high = 38; /* beyond it, the chance is less than a double can say */
	int step;

	for (step = 0; step < 60; step++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}
