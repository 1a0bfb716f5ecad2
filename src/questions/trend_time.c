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

static void
timed_release(void *data)
{
	struct pp_timed *t = data;

	pp_profile_free(t->all);
	pp_builder_release(&t->builder);
	pp_vec_release(&t->places);
	free(t->span_of);
	pp_steps_release(&t->found);
	pp_vec_release(&t->rows);
	free(t->shown);
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
		    !pp_vec_push(&t->found.spans,
		                 (struct pp_step_span){ .by = p->by, .time = p->time }))
			return false;
		t->span_of[p->nth] = (uint32_t)t->found.spans.n - 1;
	}
	t->shown = calloc(t->found.spans.n + 1, sizeof *t->shown);
	return t->span_of && t->shown && pp_builder_ok(&t->builder);
}

/* ---- reading ---- */

static int
row_order(const void *left, const void *right, void *context)
{
	const struct pp_timed_row *a = left, *b = right;

	return (a->func > b->func) - (a->func < b->func);
}

/* Adds what the functions of one profile cost, which stands for `profiles`; false when out of memory. */
static bool
rows_add(struct pp_timed *t, uint32_t span, double profiles, double whole)
{
	size_t i, k;

	if (t->rows.n > 1)
		pp_sort(t->rows.at, t->rows.n, sizeof *t->rows.at, row_order, NULL);
	for (i = 0; i < t->rows.n; i = k) {
		struct pp_step_cell sum = { .row = t->rows.at[i].func, .span = span };

		for (k = i; k < t->rows.n && t->rows.at[k].func == sum.row; k++) {
			sum.self += t->rows.at[k].self;
			sum.total += t->rows.at[k].total;
			sum.part += t->rows.at[k].part;
		}
		if (!pp_steps_cost(&t->found, profiles, whole, &sum))
			return false;
	}
	return true;
}

double
pp_trend_samples(const struct pp_profile *p, const struct pp_flat *flat)
{
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].kind == PP_KIND_SAMPLES)
			return pp_value_double(&p->metrics.at[i], flat->whole[i]);
	return 0;
}

static pp_status
profile_add(struct pp_timed *t, const struct pp_profile *p, size_t nth, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_flat flat;
	pp_status status = pp_flat_compute(p, &flat);
	uint64_t profiles;
	int64_t begin;
	double whole = 0, samples = 0;
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
		samples = pp_trend_samples(p, &flat);
		pp_flat_release(&flat);
	}
	pp_steps_profile(&t->found, t->span_of[nth], (double)profiles, whole, samples);
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
	if (status == PP_OK && !pp_steps_find(&t->found, func))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (status == PP_OK)
		pp_timed_answer(t, func);
	return status;
}
