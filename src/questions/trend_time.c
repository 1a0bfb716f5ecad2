/*
 * trend of a store: what functions cost over time, per value of a label, and where that made a step.
 *
 * Profiles are read one after the other; what stays of each is what its functions cost, added up per span of time.
 */
#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/num.h"
#include "base/sort.h"
#include "formats/format.h"
#include "model/flat.h"
#include "questions/find.h"
#include "questions/trend_time.h"
#include "text/units.h"

#define POINTS_MOST 60
#define USUAL_LEAST 5 /* functions that tell what became of most of them */
#define SHARE_LEAST 0.001
#define DIVIDES_MOST 32 /* one inside the other */

static void
timed_release(void *data)
{
	struct pp_timed *t = data;

	pp_profile_free(t->all);
	pp_builder_release(&t->builder);
	pp_vec_release(&t->places);
	free(t->span_of);
	pp_vec_release(&t->spans);
	pp_vec_release(&t->cells);
	pp_map_release(&t->index);
	pp_vec_release(&t->rows);
	free(t->now);
	free(t->spare);
	free(t->selfs);
	free(t->parts);
	free(t->totals);
	free(t->shown);
	pp_vec_release(&t->steps);
	pp_vec_release(&t->usual);
	pp_vec_release(&t->ratios);
}

/* ---- parameters ---- */

const struct pp_timed_unit pp_timed_units[PP_TIMED_UNITS] = {
	{ 'w', 604800 }, { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 }
};

static bool
every_parse(const char *text, int64_t *every)
{
	size_t n = strlen(text), i;
	int64_t number;

	for (i = 0; i < PP_TIMED_UNITS; i++)
		if (n > 1 && text[n - 1] == pp_timed_units[i].letter)
			return pp_num_i64(pp_slice_of(text, n - 1), &number) && number > 0 &&
			       !__builtin_mul_overflow(
			           number, pp_timed_units[i].seconds * PP_TIMED_SECOND, every);
	return false;
}

pp_status
pp_trend_ready(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct pp_trend_params *params = data;
	const char *name = params->function ? "function"
	                   : params->every  ? "every"
	                   : params->by     ? "by"
	                                    : NULL;
	int64_t every;

	if (name && !params->asked.over_time)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--%s is about a store by itself, without a budget", name);
	if (params->every && !every_parse(params->every, &every))
		return pp_answer_fail(
		    a, PP_E_USAGE, "wrong-parameter",
		    "--every: a number and one of s, m, h, d, w, such as 30m, is needed");
	return PP_OK;
}

/* A round span of which the profiles fill some fifty. */
static int64_t
every_choose(int64_t first, int64_t last)
{
	static const int seconds[] = { 1,     2,     5,     10,    15,     30,    60,
		                       120,   300,   600,   900,   1800,   3600,  7200,
		                       10800, 21600, 43200, 86400, 172800, 604800 };
	double length = (double)last - (double)first, weeks;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(seconds); i++)
		if (length <= (double)seconds[i] * (double)PP_TIMED_SECOND * POINTS_MOST)
			return seconds[i] * PP_TIMED_SECOND;
	weeks = ceil(length / (604800.0 * (double)PP_TIMED_SECOND * POINTS_MOST));
	return (int64_t)fmin(weeks, 5000) * 604800 * PP_TIMED_SECOND;
}

static int64_t
floor_of(int64_t time, int64_t every)
{
	int64_t rest = time % every, down = rest < 0 ? rest + every : rest, at;

	return __builtin_sub_overflow(time, down, &at) ? time : at;
}

/* ---- spans ---- */

static int
place_order(const void *left, const void *right, void *context)
{
	const struct pp_timed_place *a = left, *b = right;
	int order = pp_slice_cmp(pp_text_of(context, a->by), pp_text_of(context, b->by));

	return order ? order : (a->time > b->time) - (a->time < b->time);
}

/* Which profile belongs to which span; false when out of memory. */
static bool
spans_make(struct pp_timed *t, const char *every)
{
	int64_t first = INT64_MAX, last = INT64_MIN, begin;
	uint64_t profiles;
	size_t i, n = t->sequence->n;

	for (i = 0; i < n; i++) {
		pp_str by = t->key.n
		                ? pp_build_str(&t->builder,
		                               t->sequence->label(t->sequence->data, i, t->key))
		                : 0;

		t->sequence->when(t->sequence->data, i, &begin, &profiles);
		first = begin < first ? begin : first;
		last = begin > last ? begin : last;
		if (!pp_vec_push(&t->places, (struct pp_timed_place){ by, begin, (uint32_t)i }))
			return false;
	}
	if (!every || !every_parse(every, &t->every))
		t->every = every_choose(first, last);
	for (i = 0; i < n; i++)
		t->places.at[i].time = floor_of(t->places.at[i].time, t->every);
	if (n > 1)
		pp_sort(t->places.at, n, sizeof *t->places.at, place_order, t->builder.profile);
	t->span_of = calloc(n + 1, sizeof *t->span_of);
	for (i = 0; t->span_of && i < n; i++) {
		const struct pp_timed_place *p = &t->places.at[i];

		if ((i == 0 || p->by != p[-1].by || p->time != p[-1].time) &&
		    !pp_vec_push(&t->spans, (struct pp_timed_span){ .by = p->by, .time = p->time }))
			return false;
		t->span_of[p->nth] = (uint32_t)t->spans.n - 1;
	}
	t->now = calloc(t->spans.n + 1, sizeof *t->now);
	t->spare = calloc(t->spans.n + 1, sizeof *t->spare);
	t->selfs = calloc(t->spans.n + 1, sizeof *t->selfs);
	t->parts = calloc(t->spans.n + 1, sizeof *t->parts);
	t->totals = calloc(t->spans.n + 1, sizeof *t->totals);
	t->shown = calloc(t->spans.n + 1, sizeof *t->shown);
	return t->span_of && t->now && t->spare && t->selfs && t->parts && t->totals && t->shown &&
	       pp_builder_ok(&t->builder);
}

/* ---- reading ---- */

static int
row_order(const void *left, const void *right, void *context)
{
	const struct pp_timed_row *a = left, *b = right;

	return (a->func > b->func) - (a->func < b->func);
}

static struct pp_timed_cell *
cell_of(struct pp_timed *t, pp_func func, uint32_t span)
{
	uint64_t key = (uint64_t)func << 32 | span;
	uint32_t at = pp_map_get(&t->index, key);

	if (at == PP_MAP_NONE) {
		at = (uint32_t)t->cells.n;
		if (t->cells.n >= PP_MAP_NONE || !pp_map_set(&t->index, key, at) ||
		    !pp_vec_push(&t->cells, (struct pp_timed_cell){ .func = func, .span = span }))
			return NULL;
	}
	return &t->cells.at[at];
}

/* Adds what the functions of one profile cost, which stands for `profiles`; false when out of memory. */
static bool
rows_add(struct pp_timed *t, uint32_t span, double profiles, double whole)
{
	size_t i, k;

	if (t->rows.n > 1)
		pp_sort(t->rows.at, t->rows.n, sizeof *t->rows.at, row_order, NULL);
	for (i = 0; i < t->rows.n; i = k) {
		struct pp_timed_row sum = t->rows.at[i];
		struct pp_timed_cell *c = cell_of(t, sum.func, span);

		for (k = i + 1; k < t->rows.n && t->rows.at[k].func == sum.func; k++) {
			sum.self += t->rows.at[k].self;
			sum.total += t->rows.at[k].total;
			sum.part += t->rows.at[k].part;
		}
		if (!c)
			return false;
		c->self += sum.self;
		c->total += sum.total;
		c->part += sum.part;
		pp_moments_join(&c->selfs, (struct pp_moments){ profiles, sum.self / profiles, 0 });
		pp_moments_join(&c->shares, (struct pp_moments){
		                                profiles, whole > 0 ? sum.part / whole : 0, 0 });
	}
	return true;
}

static void
samples_add(struct pp_timed *t, const struct pp_profile *p, const struct pp_flat *flat,
            double whole)
{
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].kind == PP_KIND_SAMPLES) {
			t->wholes += whole;
			t->samples += pp_value_double(&p->metrics.at[i], flat->whole[i]);
			return;
		}
}

static pp_status
profile_add(struct pp_timed *t, const struct pp_profile *p, size_t nth, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_trend_span *span = &t->spans.at[t->span_of[nth]].sum;
	struct pp_flat flat;
	pp_status status = pp_flat_compute(p, &flat);
	uint64_t profiles;
	int64_t begin;
	double whole = 0;
	size_t row;

	if (status != PP_OK && status != PP_E_UNSUPPORTED)
		return status;
	t->sequence->when(t->sequence->data, nth, &begin, &profiles);
	profiles = profiles ? profiles : 1;
	t->rows.n = 0;
	for (row = 0; status == PP_OK && row < flat.n; row++) {
		const struct pp_func_row *f = &p->funcs.at[flat.func[row]];
		struct pp_cost_pair cost = pp_flat_get(&flat, row, metric);
		struct pp_cost_pair part = pp_flat_gained(&flat, row, metric);
		struct pp_func_row own = {
			.name = pp_build_str(&t->builder, pp_text_of(p, f->name)),
			.file = f->file ? pp_build_str(&t->builder, pp_text_of(p, f->file)) : 0,
		};

		if (!pp_vec_push(&t->rows, (struct pp_timed_row){ pp_build_func(&t->builder, &own),
		                                                  pp_value_double(m, cost.own),
		                                                  pp_value_double(m, cost.total),
		                                                  pp_value_double(m, part.own) }))
			status = PP_E_NOMEM;
	}
	if (status == PP_OK) {
		whole = pp_value_double(m, pp_flat_whole(&flat, metric));
		samples_add(t, p, &flat, whole);
		pp_flat_release(&flat);
	}
	span->profiles += (double)profiles;
	span->runs += 1;
	span->whole += whole;
	if (status == PP_E_NOMEM || !pp_builder_ok(&t->builder) ||
	    !rows_add(t, t->span_of[nth], (double)profiles, whole))
		return PP_E_NOMEM;
	return PP_OK;
}

/* The metric becomes that of all. */
static void
metric_keep(struct pp_timed *t, const struct pp_profile *p, size_t metric)
{
	struct pp_metric m = p->metrics.at[metric];

	m.name = pp_build_str(&t->builder, pp_text_of(p, m.name));
	m.title = m.title ? pp_build_str(&t->builder, pp_text_of(p, m.title)) : 0;
	m.event = m.event ? pp_build_str(&t->builder, pp_text_of(p, m.event)) : 0;
	m.unit = pp_build_str(&t->builder, pp_text_of(p, m.unit));
	m.flags &= ~(unsigned)(PP_METRIC_GAINED | PP_METRIC_SHARED);
	m.net = 0;
	(void)pp_build_metric(&t->builder, &m);
}

static pp_status
profiles_read(struct pp_timed *t, const struct pp_asked *asked)
{
	const struct pp_profile *p, *all = t->builder.profile;
	pp_status status = PP_OK;
	size_t i, metric;

	for (i = 0; i < t->sequence->n; i++) {
		status = t->sequence->load(t->sequence->data, i, &p);
		if (status == PP_OK && all->metrics.n == 0)
			status = pp_asked_metric(asked, p, t->answer, &metric);
		else if (status == PP_OK)
			metric = pp_profile_metric_like(p, all, 0);
		if (status != PP_OK)
			return status;
		if (metric >= p->metrics.n) {
			t->lacking++;
			continue;
		}
		if (all->metrics.n == 0)
			metric_keep(t, p, metric);
		status = profile_add(t, p, i, metric);
		if (status != PP_OK)
			return pp_answer_fail_status(t->answer, status);
	}
	if (all->metrics.n == 0)
		return pp_answer_fail(t->answer, PP_E_UNSUPPORTED, "no-metric",
		                      "no profile of it has a metric");
	if (t->lacking)
		pp_answer_note(t->answer, "no-metric", "%llu %s no such metric and %s left out",
		               (unsigned long long)t->lacking,
		               pp_plural(t->lacking, "profile has", "profiles have"),
		               pp_plural(t->lacking, "is", "are"));
	return PP_OK;
}

/* ---- steps ---- */

static int
cell_order(const void *left, const void *right, void *context)
{
	const struct pp_timed_cell *a = left, *b = right;

	if (a->func != b->func)
		return a->func > b->func ? 1 : -1;
	return (a->span > b->span) - (a->span < b->span);
}

static int
ratio_order(const void *left, const void *right, void *context)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* What most functions' shares after a place are of those before it: less than 1 where one grew at the others' cost. */
static double
usual_compute(struct pp_timed *t, size_t from, size_t at, size_t to)
{
	double profiles[2] = { 0, 0 }, shares[2] = { 0, 0 };
	size_t i;

	for (i = from; i < to; i++)
		profiles[i >= at] += t->spans.at[i].sum.profiles;
	t->ratios.n = 0;
	for (i = 0; i < t->cells.n; i++) {
		const struct pp_timed_cell *c = &t->cells.at[i];

		if (c->span >= from && c->span < to)
			shares[c->span >= at] += c->shares.mean * c->shares.weight;
		if (i + 1 < t->cells.n && c[1].func == c->func)
			continue;
		if (shares[0] >= SHARE_LEAST * profiles[0] &&
		    !pp_vec_push(&t->ratios, shares[1] / profiles[1] / (shares[0] / profiles[0])))
			return 1;
		shares[0] = shares[1] = 0;
	}
	if (t->ratios.n < USUAL_LEAST)
		return 1;
	pp_sort(t->ratios.at, t->ratios.n, sizeof *t->ratios.at, ratio_order, NULL);
	return t->ratios.at[t->ratios.n / 2] > 0 ? t->ratios.at[t->ratios.n / 2] : 1;
}

static double
usual_of(struct pp_timed *t, size_t from, size_t at, size_t to)
{
	double ratio;
	size_t i;

	for (i = 0; i < t->usual.n; i++)
		if (t->usual.at[i].from == from && t->usual.at[i].at == at &&
		    t->usual.at[i].to == to)
			return t->usual.at[i].ratio;
	ratio = usual_compute(t, from, at, to);
	(void)pp_vec_push(&t->usual, (struct pp_timed_usual){ from, at, to, ratio });
	return ratio;
}

/* Divides spans as long as both parts differ; false when out of memory. */
static bool
steps_divide(struct pp_timed *t, pp_func func, size_t from, size_t to, unsigned depth)
{
	struct pp_trend_span sides[2];
	size_t at = to - from > 1 ? pp_trend_divide(t->now + from, to - from, t->spare, sides) : 0;

	if (!at || depth == DIVIDES_MOST || !pp_trend_differs(sides, 1, &t->bound) ||
	    !pp_trend_differs(sides, usual_of(t, from, from + at, to), &t->bound))
		return true;
	at += from;
	return steps_divide(t, func, from, at, depth + 1) &&
	       pp_vec_push(&t->steps,
	                   (struct pp_timed_step){ .func = func, .span = (uint32_t)at }) &&
	       steps_divide(t, func, at, to, depth + 1);
}

static double
mean_of(const struct pp_timed *t, size_t from, size_t to)
{
	double self = 0, profiles = 0;

	for (; from < to; from++) {
		self += t->selfs[from];
		profiles += t->now[from].profiles;
	}
	return self / profiles;
}

/* The steps of one function, whose costs are in `now`; false when out of memory. */
static bool
steps_find(struct pp_timed *t, pp_func func)
{
	size_t from, to, i;

	for (from = 0; from < t->spans.n; from = to) {
		size_t first = t->steps.n;

		for (to = from; to < t->spans.n && t->spans.at[to].by == t->spans.at[from].by; to++)
			;
		if (!steps_divide(t, func, from, to, 0))
			return false;
		for (i = first; i < t->steps.n; i++) {
			struct pp_timed_step *s = &t->steps.at[i];

			s->before = mean_of(t, i > first ? s[-1].span : from, s->span);
			s->after = mean_of(t, s->span, i + 1 < t->steps.n ? s[1].span : to);
		}
	}
	return true;
}

/* Puts what one function cost into `now`; returns where its cells end. */
static size_t
function_take(struct pp_timed *t, size_t cell, pp_func func)
{
	size_t i;

	for (i = 0; i < t->spans.n; i++) {
		t->now[i] = t->spans.at[i].sum;
		t->selfs[i] = t->totals[i] = t->parts[i] = 0;
	}
	for (; cell < t->cells.n && t->cells.at[cell].func == func; cell++) {
		const struct pp_timed_cell *c = &t->cells.at[cell];

		t->now[c->span].self = c->selfs;
		t->now[c->span].share = c->shares;
		t->selfs[c->span] = c->self;
		t->totals[c->span] = c->total;
		t->parts[c->span] = c->part;
	}
	/* Where it is not, it costs nothing. */
	for (i = 0; i < t->spans.n; i++) {
		double rest = t->now[i].profiles - t->now[i].self.weight;

		pp_moments_join(&t->now[i].self, (struct pp_moments){ rest, 0, 0 });
		pp_moments_join(&t->now[i].share, (struct pp_moments){ rest, 0, 0 });
	}
	return cell;
}

static int
step_order(const void *left, const void *right, void *context)
{
	const struct pp_timed_step *a = left, *b = right;
	double x = fabs(a->after - a->before), y = fabs(b->after - b->before);

	if (x != y)
		return x < y ? 1 : -1;
	return a->func != b->func ? (a->func > b->func) - (a->func < b->func)
	                          : (a->span > b->span) - (a->span < b->span);
}

/* All steps, or those of one function, which `now` is left with; false when out of memory. */
static bool
steps_make(struct pp_timed *t, pp_func only)
{
	size_t i, functions = 0, next;
	bool fine = true;

	if (t->cells.n > 1)
		pp_sort(t->cells.at, t->cells.n, sizeof *t->cells.at, cell_order, NULL);
	for (i = 0; i < t->cells.n; i++)
		functions += i == 0 || t->cells.at[i].func != t->cells.at[i - 1].func;
	t->bound.tests = (double)functions * (double)t->spans.n;
	t->bound.quantum = t->samples > 0 ? t->wholes / t->samples : 0;
	for (i = 0; i < t->cells.n && fine; i = next) {
		pp_func func = t->cells.at[i].func;

		if (only && func != only) {
			next = i + 1;
			continue;
		}
		next = function_take(t, i, func);
		fine = steps_find(t, func);
	}
	if (t->steps.n > 1)
		pp_sort(t->steps.at, t->steps.n, sizeof *t->steps.at, step_order, NULL);
	return fine;
}

/* ---- asking ---- */

pp_status
pp_trend_over_time(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct pp_trend_params *params = data;
	static const struct pp_format format = { .name = "store", .title = "a store" };
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_timed *t = pp_answer_own(a, sizeof *t, timed_release);
	pp_status status;
	pp_func func = 0;

	if (!t ||
	    !pp_builder_init(&t->builder, &limits, NULL, (uint64_t)(uintptr_t)t, &pp_pages_plain))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	t->sequence = subject->sequence;
	t->answer = a;
	t->builder.profile->format = &format;
	if (params->by)
		t->key = pp_slice_z(params->by + (strncmp(params->by, "label:", 6) == 0 ? 6 : 0));
	if (!spans_make(t, params->every))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	status = profiles_read(t, &params->asked);
	if (status != PP_OK)
		return status;
	status = pp_builder_finish(&t->builder, &t->all);
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	if (params->function)
		status = pp_find_function(a, t->all, params->function, &func);
	if (status == PP_OK && !steps_make(t, func))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (status == PP_OK)
		pp_timed_answer(t, func);
	return status;
}
