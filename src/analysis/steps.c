/*
 * Whether costs of one run after the other make a step, or only noise: Welch's t on the shares of the whole, with a bound
 * that all places and functions together exceed by chance in one answer of twenty.
 */
#include "analysis/steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/stops.h"

#define CHANCE 0.05       /* that an answer has a step although nothing changed */
#define Z_SELF_LEAST 3.0  /* costs follow shares: lengths of runs may vary */
#define CHANGE_LEAST 0.05 /* of the larger side */
#define SHARE_LEAST 0.001 /* of the whole */
#define USUAL_LEAST 5     /* functions that show what became of most of them */
#define DIVIDES_MOST 32   /* one inside the other */
#define ALIKE_LEAST 0.5   /* functions of this part of the cost are taken to be alike */

void
pp_steps_release(struct pp_steps *s)
{
	pp_vec_release(&s->spans);
	pp_vec_release(&s->cells);
	pp_map_release(&s->index);
	pp_vec_release(&s->steps);
	pp_vec_release(&s->usual);
	pp_vec_release(&s->ratios);
	pp_vec_release(&s->intermittent);
	free(s->now);
	free(s->spare);
	free(s->selfs);
	free(s->totals);
	free(s->parts);
}

/* ---- costs ---- */

void
pp_steps_profile(struct pp_steps *s, uint32_t span, double profiles, double whole, double samples)
{
	struct pp_step_side *sum = &s->spans.at[span].sum;

	sum->profiles += profiles;
	sum->runs += 1;
	sum->whole += whole;
	if (samples > 0) {
		s->wholes += whole;
		s->samples += samples;
	}
}

static struct pp_step_cell *
cell_of(struct pp_steps *s, uint32_t row, uint32_t span)
{
	uint64_t key = (uint64_t)row << 32 | span;
	uint32_t at = pp_map_get(&s->index, key);

	if (at == PP_MAP_NONE) {
		at = (uint32_t)s->cells.n;
		if (s->cells.n >= PP_MAP_NONE || !pp_map_set(&s->index, key, at) ||
		    !pp_vec_push(&s->cells, (struct pp_step_cell){ .row = row, .span = span }))
			return NULL;
	}
	return &s->cells.at[at];
}

bool
pp_steps_cost(struct pp_steps *s, double profiles, double whole, const struct pp_step_cell *cost)
{
	struct pp_step_cell *c = cell_of(s, cost->row, cost->span);

	if (!c)
		return false;
	c->self += cost->self;
	c->total += cost->total;
	c->part += cost->part;
	pp_mean_join(&c->selfs, (struct pp_mean){ profiles, cost->self / profiles, 0 });
	pp_mean_join(&c->shares,
	             (struct pp_mean){ profiles, whole > 0 ? cost->part / whole : 0, 0 });
	return true;
}

bool
pp_steps_are_possible(const struct pp_steps *s)
{
	double runs = 0, most = 0;
	size_t i;

	for (i = 0; i < s->spans.n; i++) {
		const struct pp_step_span *span = &s->spans.at[i];

		runs = i && span->by == span[-1].by ? runs + span->sum.runs : span->sum.runs;
		most = fmax(most, runs);
	}
	return most >= 2 * PP_STEP_RUNS;
}

/* ---- two sides ---- */

static void
side_join(struct pp_step_side *to, const struct pp_step_side *add)
{
	to->profiles += add->profiles;
	to->runs += add->runs;
	to->whole += add->whole;
	pp_mean_join(&to->self, add->self);
	pp_mean_join(&to->share, add->share);
}

double
pp_step_error(const struct pp_step_side *s)
{
	return s->runs > 1 ? sqrt(s->self.spread / (s->runs - 1) / s->profiles) : 0;
}

/* Finds where `n` spans are divided best, 1 .. n - 1, and what is on both sides; 0 = nowhere. */
static size_t
sides_divide(const struct pp_step_side *spans, size_t n, struct pp_step_side *spare,
             struct pp_step_side sides[2])
{
	struct pp_step_side left = { 0 };
	double best = -1;
	size_t i, at = 0;

	spare[n - 1] = spans[n - 1];
	for (i = n - 1; i-- > 0;) {
		spare[i] = spans[i];
		side_join(&spare[i], &spare[i + 1]);
	}
	for (i = 1; i < n; i++) {
		double apart, between;

		side_join(&left, &spans[i - 1]);
		apart = spare[i].share.mean - left.share.mean;
		between = apart * apart * left.profiles * spare[i].profiles /
		          (left.profiles + spare[i].profiles);
		if (between > best && left.runs >= PP_STEP_RUNS && spare[i].runs >= PP_STEP_RUNS) {
			best = between;
			at = i;
			sides[0] = left;
			sides[1] = spare[i];
		}
	}
	return at;
}

/*
 * Returns by how much two means differ if `before` is multiplied by `usual`. Samples scatter at least as counts do, and
 * no machine is quieter than PP_NOISE_QUIETEST; both are floors for the mean of both sides, because a function that is
 * in none of three profiles is rare, not exactly 0.
 */
static double
z_of(const struct pp_mean *before, const struct pp_mean *after, const struct pp_step_side sides[2],
     double usual, const double quantum[2])
{
	struct pp_mean both[2] = {
		{ before->weight, usual * before->mean, usual * usual * before->spread }, *after
	};
	const double runs[2] = { sides[0].runs, sides[1].runs };
	struct pp_scatter scatter = { .quantum = { quantum[0], quantum[1] },
		                      .quietest = PP_NOISE_QUIETEST };
	double freedom, error = pp_means_error(both, runs, &scatter, &freedom);

	return error > 0 ? pp_z_of_t((both[1].mean - both[0].mean) / error, freedom) : 0;
}

/*
 * Whether two sides differ by more than noise, in cost and in share, and by how much. `usual` is what became of the
 * share of other functions, 1 = nothing: a function that only made room for one that grew did not change.
 */
static bool
sides_differ(const struct pp_steps *s, const struct pp_step_side sides[2], double usual, double *z)
{
	const struct pp_mean *a = &sides[0].share, *b = &sides[1].share;
	double quantum = s->samples > 0 ? s->wholes / s->samples : 0;
	double costs[2] = { quantum, quantum }, shares[2] = { 0, 0 };
	double by_self, change = b->mean - usual * a->mean;
	size_t i;

	if (fabs(change) < SHARE_LEAST ||
	    fabs(change) < CHANGE_LEAST * fmax(fabs(b->mean), fabs(usual * a->mean)))
		return false;
	for (i = 0; i < 2; i++)
		if (sides[i].whole > 0)
			shares[i] = quantum * sides[i].profiles / sides[i].whole;
	*z = z_of(a, b, sides, usual, shares);
	by_self = z_of(&sides[0].self, &sides[1].self, sides, 1, costs);
	return (*z < 0) == (by_self < 0) && fabs(by_self) >= Z_SELF_LEAST &&
	       erfc(fabs(*z) / sqrt(2)) * s->tests <= CHANCE;
}

/* ---- steps ---- */

static int
cell_order(const void *left, const void *right, void *context)
{
	const struct pp_step_cell *a = left, *b = right;

	if (a->row != b->row)
		return a->row > b->row ? 1 : -1;
	return (a->span > b->span) - (a->span < b->span);
}

static int
ratio_order(const void *left, const void *right, void *context)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Returns most functions' shares after a place by those before it: less than 1 if one grew at the others' cost. */
static double
usual_compute(struct pp_steps *s, size_t from, size_t at, size_t to)
{
	double profiles[2] = { 0, 0 }, shares[2] = { 0, 0 };
	size_t i;

	for (i = from; i < to; i++)
		profiles[i >= at] += s->spans.at[i].sum.profiles;
	s->ratios.n = 0;
	for (i = 0; i < s->cells.n; i++) {
		const struct pp_step_cell *c = &s->cells.at[i];

		if (c->span >= from && c->span < to)
			shares[c->span >= at] += c->shares.mean * c->shares.weight;
		if (i + 1 < s->cells.n && c[1].row == c->row)
			continue;
		if (shares[0] >= SHARE_LEAST * profiles[0] &&
		    !pp_vec_push(&s->ratios, shares[1] / profiles[1] / (shares[0] / profiles[0])))
			return 1;
		shares[0] = shares[1] = 0;
	}
	if (s->ratios.n < USUAL_LEAST)
		return 1;
	pp_sort(s->ratios.at, s->ratios.n, sizeof *s->ratios.at, ratio_order, NULL);
	return s->ratios.at[s->ratios.n / 2] > 0 ? s->ratios.at[s->ratios.n / 2] : 1;
}

static double
usual_of(struct pp_steps *s, size_t from, size_t at, size_t to)
{
	double ratio;
	size_t i;

	for (i = 0; i < s->usual.n; i++)
		if (s->usual.at[i].from == from && s->usual.at[i].at == at &&
		    s->usual.at[i].to == to)
			return s->usual.at[i].ratio;
	ratio = usual_compute(s, from, at, to);
	(void)pp_vec_push(&s->usual, (struct pp_step_usual){ from, at, to, ratio });
	return ratio;
}

/* Finds the functions that are in some profiles and not in others, back and forth. */
static bool
intermittent_find(struct pp_steps *s)
{
	size_t i, next;

	for (i = 0; i < s->cells.n; i = next) {
		size_t gaps = s->cells.at[i].span > 0;
		struct pp_mean share = { 0 };

		for (next = i; next < s->cells.n && s->cells.at[next].row == s->cells.at[i].row;
		     next++) {
			gaps += next > i && s->cells.at[next].span > s->cells.at[next - 1].span + 1;
			pp_mean_join(&share, s->cells.at[next].shares);
		}
		gaps += s->cells.at[next - 1].span + 1 < s->spans.n;
		if (gaps > 1 && !pp_vec_push(&s->intermittent, share.mean))
			return false;
	}
	return true;
}

/*
 * Returns whether a function is on one side only, but may be there by chance: among many functions
 * that come and go, some are in none of the first profiles and in all others. No variance shows
 * that, because each side has none.
 */
static bool
is_one_sided_by_chance(const struct pp_steps *s, const struct pp_step_side sides[2])
{
	double runs = sides[0].runs + sides[1].runs, alike = 0;
	double share = fmax(sides[0].share.mean, sides[1].share.mean);
	size_t i;

	if (sides[0].share.mean != 0 && sides[1].share.mean != 0)
		return false;
	for (i = 0; i < s->intermittent.n; i++)
		alike += s->intermittent.at[i] >= ALIKE_LEAST * share;
	return alike * 2 * (runs - 2 * PP_STEP_RUNS + 1) * exp2(-runs) > CHANCE;
}

/* Divides spans as long as both parts differ; false when out of memory. */
static bool
steps_divide(struct pp_steps *s, uint32_t row, size_t from, size_t to, unsigned depth)
{
	struct pp_step_side sides[2];
	struct pp_step step = { .row = row };
	double against;
	size_t at = to - from > 1 ? sides_divide(s->now + from, to - from, s->spare, sides) : 0;

	if (!at || depth == DIVIDES_MOST || !sides_differ(s, sides, 1, &step.z) ||
	    !sides_differ(s, sides, usual_of(s, from, from + at, to), &against) ||
	    is_one_sided_by_chance(s, sides))
		return true;
	at += from;
	step.span = (uint32_t)at;
	return steps_divide(s, row, from, at, depth + 1) && pp_vec_push(&s->steps, step) &&
	       steps_divide(s, row, at, to, depth + 1);
}

/* Returns what spans cost per profile, and in *share the mean share of their profiles. */
static double
mean_of(const struct pp_steps *s, size_t from, size_t to, double *share)
{
	double self = 0, profiles = 0;

	for (*share = 0; from < to; from++) {
		self += s->selfs[from];
		profiles += s->now[from].profiles;
		*share += s->now[from].share.mean * s->now[from].profiles;
	}
	*share /= profiles;
	return self / profiles;
}

/* Finds the steps of one function, whose costs are in `now`; false when out of memory. */
static bool
function_find(struct pp_steps *s, uint32_t row)
{
	size_t from, to, i;

	for (from = 0; from < s->spans.n; from = to) {
		size_t first = s->steps.n;

		for (to = from; to < s->spans.n && s->spans.at[to].by == s->spans.at[from].by; to++)
			;
		if (!steps_divide(s, row, from, to, 0))
			return false;
		for (i = first; i < s->steps.n; i++) {
			struct pp_step *step = &s->steps.at[i];

			step->before = mean_of(s, i > first ? step[-1].span : from, step->span,
			                       &step->share[0]);
			step->after = mean_of(s, step->span, i + 1 < s->steps.n ? step[1].span : to,
			                      &step->share[1]);
		}
	}
	return true;
}

/* Puts what one function cost into `now`; returns where its cells end. */
static size_t
function_load(struct pp_steps *s, size_t cell, uint32_t row)
{
	size_t i;

	for (i = 0; i < s->spans.n; i++) {
		s->now[i] = s->spans.at[i].sum;
		s->selfs[i] = s->totals[i] = s->parts[i] = 0;
	}
	for (; cell < s->cells.n && s->cells.at[cell].row == row; cell++) {
		const struct pp_step_cell *c = &s->cells.at[cell];

		s->now[c->span].self = c->selfs;
		s->now[c->span].share = c->shares;
		s->selfs[c->span] = c->self;
		s->totals[c->span] = c->total;
		s->parts[c->span] = c->part;
	}
	/* It costs nothing in the other profiles. */
	for (i = 0; i < s->spans.n; i++) {
		double rest = s->now[i].profiles - s->now[i].self.weight;

		pp_mean_join(&s->now[i].self, (struct pp_mean){ rest, 0, 0 });
		pp_mean_join(&s->now[i].share, (struct pp_mean){ rest, 0, 0 });
	}
	return cell;
}

static int
step_order(const void *left, const void *right, void *context)
{
	const struct pp_step *a = left, *b = right;
	double x = fabs(a->after - a->before), y = fabs(b->after - b->before);

	if (x != y)
		return x < y ? 1 : -1;
	return a->row != b->row ? (a->row > b->row) - (a->row < b->row)
	                        : (a->span > b->span) - (a->span < b->span);
}

/* Makes room for what functions cost in each span; false when out of memory. */
static bool
room_make(struct pp_steps *s)
{
	size_t n = s->spans.n + 1;

	s->now = calloc(n, sizeof *s->now);
	s->spare = calloc(n, sizeof *s->spare);
	s->selfs = calloc(n, sizeof *s->selfs);
	s->totals = calloc(n, sizeof *s->totals);
	s->parts = calloc(n, sizeof *s->parts);
	return s->now && s->spare && s->selfs && s->totals && s->parts;
}

bool
pp_steps_find(struct pp_steps *s, uint32_t only)
{
	size_t i, functions = 0, next;
	bool fine = room_make(s);

	if (s->cells.n > 1)
		pp_sort(s->cells.at, s->cells.n, sizeof *s->cells.at, cell_order, NULL);
	for (i = 0; i < s->cells.n; i++)
		functions += i == 0 || s->cells.at[i].row != s->cells.at[i - 1].row;
	fine = fine && intermittent_find(s);
	s->tests = (double)functions * (double)s->spans.n;
	for (i = 0; i < s->cells.n && fine; i = next) {
		uint32_t row = s->cells.at[i].row;

		if (only && row != only) {
			next = i + 1;
			continue;
		}
		fine = !pp_account_stops_at(i);
		next = function_load(s, i, row);
		fine = fine && function_find(s, row);
	}
	if (s->steps.n > 1)
		pp_sort(s->steps.at, s->steps.n, sizeof *s->steps.at, step_order, NULL);
	return fine;
}
