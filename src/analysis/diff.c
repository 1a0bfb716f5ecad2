/*
 * What changed between two profiles.
 */
#include "analysis/diff.h"

#include <math.h>

#include "model/flat.h"
#include "analysis/group.h"
#include "base/sort.h"
#include "model/builder.h"
#include "analysis/verdict.h"
#include "text/units.h"

void
pp_diff_release(struct pp_diff *d)
{
	size_t side, i;

	for (side = 0; side < 2; side++) {
		for (i = 0; d->keys[side] && i < d->runs[side]; i++)
			free(d->keys[side][i]);
		for (i = 0; d->united[side] && i < d->runs[side]; i++)
			pp_profile_release(d->united[side][i]);
		free(d->keys[side]);
		free(d->united[side]);
		free(d->given[side]);
		free(d->input[side]);
	}
	pp_vec_release(&d->groups);
	pp_vec_release(&d->rows);
	pp_identity_release(&d->identity);
	*d = (struct pp_diff){ 0 };
}

/* Takes over what is compared, or the first of them; false when out of memory. */
static bool
inputs_take(struct pp_diff *d, size_t side, const struct pp_diff_input *input, size_t n)
{
	size_t i;

	d->input[side] = calloc(d->runs[side], sizeof *d->input[side]);
	d->united[side] = calloc(d->runs[side], sizeof(struct pp_profile *));
	d->given[side] = calloc(d->runs[side], sizeof(struct pp_profile *));
	if (!d->input[side] || !d->united[side] || !d->given[side])
		return false;
	memcpy(d->input[side], input, n * sizeof *input);
	for (i = 0; i < n; i++)
		d->given[side][i] = input[i].profile;
	return true;
}

/* ---- who is who ------------------------------------------------------------------------- */

/* Takes functions of a run for one that are the same. */
static bool
run_unite(struct pp_diff *d, size_t side, size_t run)
{
	struct pp_profile **united = &d->united[side][run];
	struct pp_diff_input *in = &d->input[side][run];
	uint32_t *key = d->keys[side][run];
	size_t f;

	for (f = 1; f < in->profile->funcs.n; f++)
		key[f] = pp_identity_find(&d->identity, key[f]);
	if (pp_group_unite(in->profile, key, (uint32_t)d->identity.groups.n, united) != PP_OK)
		return false;
	if (!*united)
		return true;
	in->profile = *united;
	/* Totals of functions cannot be added where one calls the other. */
	d->needs_stacks |= in->profile->tree.n <= 1 && in->profile->costs.stated;
	return true;
}

/* Matches the functions of all runs. */
static bool
match_functions(struct pp_diff *d)
{
	size_t side, i;

	if (!pp_identity_init(&d->identity, d->input[0][0].profile->strs.seed))
		return false;
	for (side = 0; side < 2; side++) {
		d->keys[side] = calloc(d->runs[side], sizeof *d->keys[side]);
		for (i = 0; d->keys[side] && i < d->runs[side]; i++) {
			const struct pp_profile *p = d->input[side][i].profile;

			d->keys[side][i] = calloc(p->funcs.n, sizeof **d->keys[side]);
			if (!d->keys[side][i] ||
			    !pp_identity_add(&d->identity, p, d->keys[side][i]))
				return false;
		}
		if (!d->keys[side])
			return false;
	}
	for (side = 0; side < 2; side++)
		for (i = 0; i < d->runs[side]; i++)
			if (!run_unite(d, side, i))
				return false;
	return true;
}

/* The row of a group, made when absent; NULL when out of memory. */
static struct pp_diff_row *
row_of(struct pp_diff *d, uint32_t group)
{
	if (!d->groups.at[group].row) {
		if (!pp_vec_push(&d->rows, (struct pp_diff_row){ 0 }))
			return NULL;
		d->groups.at[group].row = (uint32_t)d->rows.n;
	}
	return &d->rows.at[d->groups.at[group].row - 1];
}

/* Room for what is known of all groups there are; false when out of memory. */
static bool
groups_room(struct pp_diff *d)
{
	size_t n = d->identity.groups.n + 1;

	if (!pp_vec_reserve(&d->groups, n))
		return false;
	for (; d->groups.n < n; d->groups.n++)
		d->groups.at[d->groups.n] = (struct pp_diff_group){ 0 };
	return true;
}

/* ---- adding up runs --------------------------------------------------------------------- */

/* Adds one run: `value` and `share` hold sums, their variances sums of squares until settle_runs(). */
static void
value_add(struct pp_diff_value *v, size_t side, const struct pp_metric *m, union pp_value x,
          union pp_value part, const struct pp_diff *d, int64_t mul)
{
	double value = pp_value_double(m, x), share = pp_value_double(m, part) * d->per_whole;

	v->value[side] += value;
	v->part[side] += pp_value_double(m, part);
	v->variance[side] += value * value;
	v->share[side] += share;
	v->share_variance[side] += share * share;
	if (d->exact)
		v->exact[side] = pp_value_convert(m, &d->metric, mul, x);
}

/* Uniting functions makes sums of totals that were measured; what all of them cost stays what it was. */
static union pp_value
run_whole(const struct pp_diff *d, size_t side, size_t run, const struct pp_flat *flat)
{
	const struct pp_profile *given = d->given[side][run];
	size_t metric = d->input[side][run].metric;

	return d->united[side][run] && given->tree.n > 1 ? pp_profile_total(given, metric)
	                                                 : flat->whole[metric];
}

/* How many samples a run has, or how long it took: as it states it, else by a metric of that kind. */
static double
run_size(const struct pp_profile *p, enum pp_metric_kind kind)
{
	double size = kind == PP_KIND_SAMPLES ? (double)p->samples
	              : p->time.known         ? (double)(p->time.end - p->time.start)
	                                      : 0;
	size_t m;

	for (m = 0; size <= 0 && m < p->metrics.n; m++)
		if (p->metrics.at[m].kind == kind)
			size = pp_value_double(&p->metrics.at[m], pp_profile_total(p, m));
	return size;
}

/* What is known of a run beside its functions. */
static void
run_note(struct pp_diff *d, size_t side, const struct pp_profile *p)
{
	d->estimated |= p->estimated;
	if (d->options.normalize == PP_NORM_SAMPLES)
		d->size[side] += run_size(p, PP_KIND_SAMPLES);
	else if (d->options.normalize == PP_NORM_TIME)
		d->size[side] += run_size(p, PP_KIND_WALL_TIME);
}

/* Adds what all of a run costs. */
static void
whole_add(struct pp_diff *d, size_t side, const struct pp_diff_input *in,
          const struct pp_flat *flat, union pp_value whole, int64_t mul)
{
	const struct pp_metric *m = &in->profile->metrics.at[in->metric];
	union pp_value part = pp_metric_falls(m) ? pp_flat_whole(flat, in->metric) : whole;
	double size = pp_value_double(m, part);

	d->per_whole = size > 0 ? 1 / size : 0;
	d->has_shares &= size > 0 && !pp_metric_falls(m);
	value_add(&d->whole, side, m, whole, part, d, mul);
}

/* Adds what of a run was idle. */
static void
idle_add(struct pp_diff *d, size_t side, const struct pp_profile *p, size_t metric, int64_t mul)
{
	union pp_value idle = pp_profile_aside(p, metric).idle;

	if (metric < p->aside.n)
		value_add(&d->idle, side, &p->metrics.at[metric], idle, idle, d, mul);
}

/* Adds up what the functions of a run cost; `key` has their groups. False when out of memory. */
static bool
functions_add(struct pp_diff *d, size_t side, const struct pp_diff_input *in, const uint32_t *key,
              const struct pp_flat *flat, int64_t mul, bool *kept)
{
	const struct pp_profile *p = in->profile;
	const struct pp_metric *m = &p->metrics.at[in->metric];
	bool falls = pp_metric_falls(m);
	size_t i;

	run_note(d, side, p);
	d->added++;
	d->steps[side] &= falls && pp_metric_gained(p, in->metric) < p->metrics.n;
	d->has_calls &= flat->has_calls;
	for (i = 0; i < flat->n; i++) {
		struct pp_diff_row *row = row_of(d, key[flat->func[i]]);
		struct pp_cost_pair cost = pp_flat_get(flat, i, in->metric);
		struct pp_cost_pair part = falls ? pp_flat_gained(flat, i, in->metric) : cost;

		if (!row)
			return false;
		/* Of several that are one, the first in the file, whatever order they come in. */
		if (!row->profile[side] ||
		    (row->profile[side] == p && flat->func[i] < row->func[side])) {
			row->profile[side] = p;
			row->func[side] = flat->func[i];
			*kept = true;
		}
		row->calls[side] += (double)flat->calls[i];
		row->uncounted[side] |= !pp_flat_calls_known(flat, i);
		if (row->last != d->added) {
			row->last = d->added;
			row->seen[side]++;
		}
		value_add(&row->self, side, m, cost.own, part.own, d, mul);
		value_add(&row->total, side, m, cost.total, part.total, d, mul);
	}
	return true;
}

static bool
run_add(struct pp_diff *d, size_t side, size_t run, int64_t mul)
{
	const struct pp_diff_input *in = &d->input[side][run];
	/* Where functions became one, costs are those of another profile. */
	bool known = in->flat && in->flat->profile == in->profile, kept, fine;
	struct pp_flat made = { 0 };
	const struct pp_flat *flat = known ? in->flat : &made;

	if (!known && pp_flat_compute(in->profile, &made) != PP_OK)
		return false;
	whole_add(d, side, in, flat, run_whole(d, side, run, flat), mul);
	idle_add(d, side, d->given[side][run], in->metric, mul);
	fine = functions_add(d, side, in, d->keys[side][run], flat, mul, &kept);
	pp_flat_release(&made);
	return fine;
}

/* From a sum and a sum of squares to a mean and a sample variance. */
static void
mean_finish(double *sum, double *squares, double n)
{
	double mean = *sum / n, spread = *squares - n * mean * mean;

	/* Rounding must not make a variance out of equal values. */
	*squares = n < 2 || spread < n * mean * mean * 1e-14 ? 0 : spread / (n - 1);
	*sum = mean;
}

static void
settle_runs(struct pp_diff_value *v, const size_t runs[2])
{
	size_t side;

	for (side = 0; side < 2; side++) {
		mean_finish(&v->value[side], &v->variance[side], (double)runs[side]);
		mean_finish(&v->share[side], &v->share_variance[side], (double)runs[side]);
		v->part[side] /= (double)runs[side];
	}
}

/* ---- normalising ------------------------------------------------------------------------ */

/* What `after` is multiplied by; 0 when the profiles do not tell. */
static double
scale_find(const struct pp_diff *d)
{
	double size[2] = { 1, 1 };
	size_t side;

	for (side = 0; side < 2; side++)
		switch (d->options.normalize) {
		case PP_NORM_NONE:
			break;
		case PP_NORM_TOTAL:
			size[side] = d->whole.value[side];
			break;
		case PP_NORM_SAMPLES:
		case PP_NORM_TIME:
			size[side] = d->size[side] / (double)d->runs[side];
			break;
		}
	return size[PP_BEFORE] > 0 && size[PP_AFTER] > 0 ? size[PP_BEFORE] / size[PP_AFTER] : 0;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool
add_runs(struct pp_diff *d, const struct pp_metric_join *join)
{
	size_t side, i;

	if (!groups_room(d))
		return false;
	for (side = 0; side < 2; side++)
		for (i = 0; i < d->runs[side]; i++)
			if (!run_add(d, side, i, side == PP_BEFORE ? join->mul_a : join->mul_b))
				return false;
	return true;
}

/* In a differential profile every function is on both sides: what costs nothing on one is not there. */
static void
presence_find(struct pp_diff *d)
{
	size_t i, side;

	for (i = 0; i < d->rows.n; i++) {
		struct pp_diff_row *row = &d->rows.at[i];
		bool costs[2];

		for (side = 0; side < 2; side++)
			costs[side] = row->self.value[side] != 0 || row->total.value[side] != 0;
		for (side = 0; side < 2; side++)
			if (!costs[side] && costs[1 - side])
				row->profile[side] = NULL;
	}
}

/* What is compared, and in which metric; whether both sides count alike, and how, is *join. */
static void
diff_start(struct pp_diff *d, const struct pp_diff_input *before, size_t befores,
           const struct pp_diff_input *after, size_t afters, const struct pp_diff_options *options,
           struct pp_metric_join *join)
{
	const struct pp_metric *mb = &before->profile->metrics.at[before->metric];
	const struct pp_metric *ma = &after->profile->metrics.at[after->metric];
	bool joined = pp_metric_join(mb, ma, join);

	*d = (struct pp_diff){ .runs = { befores, afters },
		               .has_calls = true,
		               .has_shares = true,
		               .steps = { true, true },
		               .options = *options };
	d->metric = join->to;
	d->metric.flags |= ma->flags & PP_METRIC_SAMPLED;
	d->exact = joined && befores == 1 && afters == 1 && options->normalize == PP_NORM_NONE;
}

/* All runs were added: means, and verdicts. */
static pp_status
diff_settle(struct pp_diff *d, struct pp_buf *problem)
{
	size_t i, side;

	settle_runs(&d->whole, d->runs);
	settle_runs(&d->idle, d->runs);
	for (i = 0; i < d->rows.n; i++) {
		settle_runs(&d->rows.at[i].self, d->runs);
		settle_runs(&d->rows.at[i].total, d->runs);
		for (side = 0; side < 2; side++)
			d->rows.at[i].calls[side] /= (double)d->runs[side];
	}
	d->scale = scale_find(d);
	if (d->scale == 0) {
		pp_buf_adds(problem,
		            d->options.normalize == PP_NORM_SAMPLES
		                ? "not both profiles say how many samples they hold"
		            : d->options.normalize == PP_NORM_TIME
		                ? "not both profiles say how long they took"
		                : "a total is not positive, so nothing can be scaled by it");
		return PP_E_UNSUPPORTED;
	}
	d->idle.value[PP_AFTER] *= d->scale;
	return pp_diff_verdicts(d) ? PP_OK : PP_E_NOMEM;
}

pp_status
pp_diff_compute(struct pp_diff *d, const struct pp_diff_input *before, size_t befores,
                const struct pp_diff_input *after, size_t afters,
                const struct pp_diff_options *options, struct pp_buf *problem)
{
	struct pp_metric_join join;
	pp_status status;

	diff_start(d, before, befores, after, afters, options, &join);
	if (!inputs_take(d, PP_BEFORE, before, befores) ||
	    !inputs_take(d, PP_AFTER, after, afters) || !match_functions(d) ||
	    (!d->needs_stacks && !add_runs(d, &join))) {
		pp_diff_release(d);
		return PP_E_NOMEM;
	}
	if (d->needs_stacks) {
		pp_diff_release(d);
		d->needs_stacks = true;
		return PP_E_UNSUPPORTED;
	}
	if (before->profile == after->profile)
		presence_find(d);
	status = diff_settle(d, problem);
	if (status != PP_OK)
		pp_diff_release(d);
	return status;
}

/* ---- one run after the other ------------------------------------------------------------ */

pp_status
pp_diff_begin(struct pp_diff *d, const struct pp_diff_input *before, size_t befores,
              const struct pp_diff_input *after, size_t afters,
              const struct pp_diff_options *options)
{
	struct pp_metric_join join;

	diff_start(d, before, befores, after, afters, options, &join);
	if (inputs_take(d, PP_BEFORE, before, 1) && inputs_take(d, PP_AFTER, after, 1) &&
	    pp_identity_init(&d->identity, before->profile->strs.seed))
		return PP_OK;
	pp_diff_release(d);
	return PP_E_NOMEM;
}

/* Whether all functions of a run are of another group each. */
static bool
all_apart(struct pp_diff *d, const struct pp_profile *p, const uint32_t *key)
{
	bool listed = p->costs.shares_names;
	size_t i, n = listed ? p->costs.funcs.n : p->funcs.n;

	for (i = 1; i < n; i++) {
		pp_func func = listed ? p->costs.funcs.at[i] : (pp_func)i;

		if (!key[func] || (!listed && p->funcs.at[func].same != func))
			continue;
		if (d->groups.at[key[func]].run == d->identity.profiles)
			return false;
		d->groups.at[key[func]].run = d->identity.profiles;
	}
	return true;
}

pp_status
pp_diff_add(struct pp_diff *d, size_t side, const struct pp_diff_input *in, bool *kept)
{
	size_t groups = d->identity.groups.n;
	const uint32_t *key = pp_identity_meet(&d->identity, in->profile);
	pp_status status = PP_E_NOMEM;
	struct pp_flat flat;

	*kept = true;
	if (!key || !groups_room(d))
		return PP_E_NOMEM;
	if (d->identity.united || !all_apart(d, in->profile, key)) {
		d->needs_stacks = true;
		return PP_E_UNSUPPORTED;
	}
	*kept = d->identity.groups.n > groups;
	if (pp_flat_compute(in->profile, &flat) == PP_OK) {
		whole_add(d, side, in, &flat, flat.whole[in->metric], 1);
		idle_add(d, side, in->profile, in->metric, 1);
		if (functions_add(d, side, in, key, &flat, 1, kept))
			status = PP_OK;
		pp_flat_release(&flat);
	}
	pp_identity_leave(&d->identity, in->profile);
	return status;
}

pp_status
pp_diff_end(struct pp_diff *d, struct pp_buf *problem)
{
	return diff_settle(d, problem);
}

const struct pp_func_row *
pp_diff_func(const struct pp_diff_row *row, const struct pp_profile **profile)
{
	size_t side = row->profile[PP_AFTER] ? PP_AFTER : PP_BEFORE;

	*profile = row->profile[side];
	return &row->profile[side]->funcs.at[row->func[side]];
}

double
pp_diff_share(const struct pp_diff *d, const struct pp_diff_value *v)
{
	double before = 0, after = 0;

	if (d->whole.part[PP_BEFORE] > 0)
		before = v->part[PP_BEFORE] / d->whole.part[PP_BEFORE];
	if (d->whole.part[PP_AFTER] > 0)
		after = v->part[PP_AFTER] / d->whole.part[PP_AFTER];
	return after - before;
}

double
pp_diff_size(const struct pp_diff *d)
{
	return fmax(fabs(d->whole.part[PP_BEFORE]), fabs(d->whole.part[PP_AFTER]));
}

double
pp_diff_value_size(const struct pp_diff_value *v)
{
	return fmax(fmax(fabs(v->value[PP_BEFORE]), fabs(v->value[PP_AFTER])),
	            fmax(v->part[PP_BEFORE], v->part[PP_AFTER]));
}

const char *
pp_diff_status_name(enum pp_diff_status status)
{
	static const char *const names[] = { "same", "noise", "grew", "shrank", "new", "gone" };

	return names[status];
}

void
pp_diff_explain(const struct pp_diff *d, struct pp_buf *out)
{
	switch (d->rule) {
	case PP_DIFF_EXACT:
		pp_buf_adds(out, "exact counts: every difference is real");
		break;
	case PP_DIFF_SAMPLED:
		pp_buf_adds(out, "samples: changes within 2 * sqrt(before + after) are noise");
		break;
	case PP_DIFF_MEASURED:
		pp_buf_adds(out, "single runs: changes within ");
		pp_units_percent(out, d->options.noise);
		pp_buf_adds(out, " of the larger whole or of the function are noise");
		break;
	case PP_DIFF_REPEATED:
		pp_buf_addf(out,
		            "%zu run%s against %zu: changes within the variance between runs "
		            "(Welch's t, 95%% for all functions together) or below 0.1%% of the "
		            "whole are noise",
		            d->runs[0], d->runs[0] == 1 ? "" : "s", d->runs[1]);
		break;
	}
}

/* ---- sorting ---------------------------------------------------------------------------- */

static int
compare_names(const struct pp_diff_row *a, const struct pp_diff_row *b)
{
	const struct pp_profile *p, *q;
	const struct pp_func_row *f = pp_diff_func(a, &p), *g = pp_diff_func(b, &q);

	return pp_func_row_cmp(p, f, q, g);
}

static double
sort_weight(const struct pp_diff_row *row, enum pp_diff_sort by)
{
	if (by == PP_DIFF_CALLS)
		return fabs(row->calls[PP_AFTER] - row->calls[PP_BEFORE]);
	return fabs(pp_diff_delta(by == PP_DIFF_TOTAL ? &row->total : &row->self));
}

static int
compare_rows(const void *left, const void *right, void *context)
{
	const struct pp_diff_row *a = left, *b = right;
	enum pp_diff_sort by = *(const enum pp_diff_sort *)context;
	double x, y;

	if (by != PP_DIFF_NAME) {
		x = sort_weight(a, by);
		y = sort_weight(b, by);
		if (x != y)
			return x > y ? -1 : 1;
		/* Among equal changes of self the total tells who matters. */
		x = fabs(pp_diff_delta(&a->total));
		y = fabs(pp_diff_delta(&b->total));
		if (x != y)
			return x > y ? -1 : 1;
	}
	return compare_names(a, b);
}

void
pp_diff_sort(struct pp_diff *d, enum pp_diff_sort by)
{
	if (d->rows.n > 1)
		pp_sort(d->rows.at, d->rows.n, sizeof *d->rows.at, compare_rows, &by);
	d->groups.n = 0; /* no longer true */
}
