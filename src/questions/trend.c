/*
 * trend: which functions took another share of the whole from some profile on, among several in order.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "analysis/identity.h"
#include "analysis/steps.h"
#include "base/sort.h"
#include "base/stops.h"
#include "questions/excerpt.h"
#include "questions/trend.h"
#include "text/escape.h"
#include "text/shorten.h"
#include "text/units.h"

#define FILES_LEAST 2
/* For people, of a file's name and of a function's. */
#define FILE_COLUMNS 40
#define NAME_COLUMNS 60

static void trend_want(const void *, struct pp_want *);
static pp_status trend_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param trend_params[] = {
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "the metric to look at (default: the primary one)",
	  PP_HINT_NONE, offsetof(struct pp_asked, metric) },
	{ 0 },
};
static const struct pp_param_group trend_group = { "Rows", trend_params };

static const struct pp_param time_params[] = {
	{ "function", 0, PP_PARAM_TEXT, "NAME", "in a store: what this function cost over time",
	  PP_HINT_NONE, offsetof(struct pp_trend_params, function) },
	{ "every", 0, PP_PARAM_TEXT, "SPAN",
	  "in a store: the time each point covers: 90s 30m 1h 1d 2w (default: about 50 points)",
	  PP_HINT_NONE, offsetof(struct pp_trend_params, every) },
	{ "by", 0, PP_PARAM_TEXT, "KEY", "in a store: one series for each value of this label",
	  PP_HINT_NONE, offsetof(struct pp_trend_params, by) },
	{ 0 },
};
static const struct pp_param_group time_group = { "Time", time_params };

static const struct pp_param_use trend_uses[] = { { &trend_group, 0, PP_GROUP_FIRST },
	                                          { &time_group, 0, PP_GROUP_FIRST },
	                                          { 0 } };

const struct pp_question pp_question_trend = {
	.name = "trend",
	.summary = "where among several profiles in order a function's share of the whole changed",
	.params = trend_uses,
	.params_size = sizeof(struct pp_trend_params),
	.asks = PP_ASKS_SERIES,
	.per_run = true,
	.gives = PP_GIVES_JSON,
	.want = trend_want,
	.ready = pp_trend_ready,
	.excerpt = trend_excerpt,
	.run = pp_trend_over_time,
};

static void
trend_want(const void *params, struct pp_want *want)
{
	want->facets = PP_COSTS | PP_FUNCTIONS | PP_GAINS;
}

/* The cost of a function in one of the files. */
struct seen {
	const struct pp_profile *profile;
	pp_func func;
	size_t file;
	uint32_t group; /* of functions that are the same: as in `diff` */
	double self, part;
};

/* A function in the files, under the name that the first one of them has for it. */
struct named {
	const struct pp_profile *profile;
	pp_func func;
};

struct trend {
	const struct pp_subject *subject;
	struct pp_identity identity;
	PP_VEC(struct seen) seen;
	PP_VEC(struct named) names;  /* by row of a step, counted from 1 */
	struct pp_steps steps;       /* a span is a file */
	PP_VEC(struct pp_step) rows; /* the most certain first */
	size_t file_columns;         /* for people: of the names of the files in the rows */
};

static void
trend_release(void *data)
{
	struct trend *t = data;

	pp_identity_release(&t->identity);
	pp_vec_release(&t->seen);
	pp_vec_release(&t->names);
	pp_vec_release(&t->rows);
	pp_steps_release(&t->steps);
}

static int
seen_order(const void *left, const void *right, void *context)
{
	const struct seen *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->func > b->func) - (a->func < b->func);
}

static const struct named *
name_of(const struct trend *t, const struct pp_step *step)
{
	return &t->names.at[step->row - 1];
}

static int
step_order(const void *left, const void *right, void *context)
{
	const struct pp_step *a = left, *b = right;
	const struct named *f = name_of(context, a), *g = name_of(context, b);
	double x = fabs(a->z), y = fabs(b->z);
	int order;

	if (x != y)
		return x < y ? 1 : -1;
	order = pp_slice_cmp(pp_text_of(f->profile, f->profile->funcs.at[f->func].name),
	                     pp_text_of(g->profile, g->profile->funcs.at[g->func].name));
	if (order)
		return order;
	return a->row != b->row ? (a->row > b->row) - (a->row < b->row)
	                        : (a->span > b->span) - (a->span < b->span);
}

static pp_status
file_add(struct trend *t, struct pp_answer *a, size_t file, size_t metric)
{
	const struct pp_profile *p = t->subject->topics[file].profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	const struct pp_handles *known = t->subject->topics[file].handles;
	struct pp_flat made = { 0 };
	const struct pp_flat *flat = known ? &known->flat : &made;
	pp_status status = known ? PP_OK : pp_flat_compute(p, &made);
	uint32_t *key;
	size_t row;

	if (status == PP_E_UNSUPPORTED)
		return PP_OK;
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	key = calloc(p->funcs.n + 1, sizeof *key);
	if (!key || !pp_identity_add(&t->identity, p, key))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (flat->whole)
		pp_steps_profile(&t->steps, (uint32_t)file, 1,
		                 pp_value_double(m, pp_flat_whole(flat, metric)),
		                 pp_trend_samples(p, flat));
	for (row = 0; row < flat->n && status == PP_OK && !pp_account_stops_at(row); row++) {
		struct seen seen = { p,
			             flat->func[row],
			             file,
			             key[flat->func[row]],
			             pp_value_double(m, pp_flat_get(flat, row, metric).own),
			             pp_value_double(m, pp_flat_gained(flat, row, metric).own) };

		if ((seen.self != 0 || seen.part != 0) && !pp_vec_push(&t->seen, seen))
			status = pp_answer_fail_status(a, PP_E_NOMEM);
	}
	free(key);
	pp_flat_release(&made);
	return status;
}

/* Adds up what each function costs in each file; false when out of memory. */
static bool
costs_add(struct trend *t)
{
	size_t i, k, steps = 0;

	/* Later files may have shown that groups are one. */
	for (i = 0; i < t->seen.n; i++)
		t->seen.at[i].group = pp_identity_find(&t->identity, t->seen.at[i].group);
	if (t->seen.n > 1)
		pp_sort(t->seen.at, t->seen.n, sizeof *t->seen.at, seen_order, NULL);
	for (i = 0; i < t->seen.n && !pp_account_stops_at(steps++); i = k) {
		const struct seen *seen = &t->seen.at[i];
		struct pp_step_cell cost = { .span = (uint32_t)seen->file };

		if ((i == 0 || seen->group != seen[-1].group) &&
		    !pp_vec_push(&t->names, (struct named){ seen->profile, seen->func }))
			return false;
		for (k = i; k < t->seen.n && t->seen.at[k].group == seen->group &&
		            t->seen.at[k].file == seen->file;
		     k++) {
			cost.self += t->seen.at[k].self;
			cost.part += t->seen.at[k].part;
		}
		cost.row = (uint32_t)t->names.n;
		if (!pp_steps_cost(&t->steps, 1, t->steps.spans.at[seen->file].sum.whole, &cost))
			return false;
	}
	return i == t->seen.n;
}

static bool
rows_find(struct trend *t)
{
	size_t i;

	if (!costs_add(t) || !pp_steps_find(&t->steps, 0))
		return false;
	for (i = 0; i < t->steps.steps.n; i++)
		if (!pp_vec_push(&t->rows, t->steps.steps.at[i]))
			return false;
	if (t->rows.n > 1)
		pp_sort(t->rows.at, t->rows.n, sizeof *t->rows.at, step_order, t);
	return true;
}

static void
step_row(void *data, size_t row, struct pp_row *r)
{
	const struct trend *t = data;
	const struct pp_step *step = &t->rows.at[row];
	const char *file = t->subject->topics[step->span].file;

	pp_row_name(r, name_of(t, step)->profile, name_of(t, step)->func);
	pp_row_path(r, file ? file : "", r->clip < 60 ? r->clip : 60);
	pp_row_count(r, step->span);
	pp_row_real(r, step->share[0] * 100, 2);
	pp_row_real(r, step->share[1] * 100, 2);
	pp_row_real(r, step->z, 2);
}

/* ---- for people ---- */

/* The file that a change began in, safe for a terminal. */
static void
step_file(struct pp_buf *out, const struct trend *t, const struct pp_step *step)
{
	const char *file = t->subject->topics[step->span].file;
	struct pp_buf whole = { 0 };

	pp_escape_terminal(&whole, pp_slice_z(file ? file : ""));
	(void)pp_name_shorten(out, whole.p ? whole.p : "", whole.n, FILE_COLUMNS);
	out->failed |= whole.failed;
	pp_buf_release(&whole);
}

static void
step_said(void *data, size_t row, struct pp_row *r)
{
	const struct trend *t = data;
	const struct pp_step *step = &t->rows.at[row];
	struct pp_row name = { .out = r->out, .text = true, .clip = NAME_COLUMNS };
	struct pp_buf file = { 0 };
	size_t columns;

	step_file(&file, t, step);
	columns = pp_text_columns(file.p ? file.p : "", file.n);
	pp_buf_addf(r->out, "  %6.1f%%  %6.1f%%  %+7.1f  ", step->share[0] * 100,
	            step->share[1] * 100, (step->share[1] - step->share[0]) * 100);
	pp_buf_add(r->out, file.p, file.n);
	for (; columns < t->file_columns + 2; columns++)
		pp_buf_addc(r->out, ' ');
	pp_row_name(&name, name_of(t, step)->profile, name_of(t, step)->func);
	r->out->failed |= file.failed;
	pp_buf_release(&file);
}

static void
head_say(struct pp_excerpt *x, struct trend *t, const struct pp_profile *first, size_t metric)
{
	struct pp_buf text = { 0 };
	size_t i, columns;

	t->file_columns = strlen("from");
	for (i = 0; i < t->rows.n; i++, text.n = 0) {
		step_file(&text, t, &t->rows.at[i]);
		columns = pp_text_columns(text.p ? text.p : "", text.n);
		t->file_columns = columns > t->file_columns ? columns : t->file_columns;
	}
	pp_excerpt_say(x);
	pp_metric_title(first, &first->metrics.at[metric], &text);
	pp_escape_terminal(x->head.out, pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_adds(x->head.out, " in ");
	pp_units_u64(x->head.out, t->subject->n);
	pp_buf_adds(x->head.out, " files: ");
	if (t->rows.n) {
		pp_units_u64(x->head.out, t->rows.n);
		pp_buf_adds(x->head.out, pp_plural(t->rows.n, " step of a function's share",
		                                   " steps of functions' shares, the most "
		                                   "certain first"));
	} else if (pp_steps_are_possible(&t->steps)) {
		pp_buf_adds(x->head.out, "no function changed by more than noise");
	} else {
		pp_buf_addf(x->head.out, PP_TREND_TOO_FEW, PP_STEP_RUNS, PP_STEP_RUNS);
	}
	if (t->rows.n)
		pp_buf_addf(x->head.out, "\n\n  %7s  %7s  %7s  %-*s  function", "before", "after",
		            "points", (int)t->file_columns, "from");
	x->head.out->failed |= text.failed;
	pp_buf_release(&text);
}

static pp_status
trend_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	static const char *const columns[] = {
		"name", "at", "index", "before_pct", "after_pct", "z"
	};
	const struct pp_profile *first = subject->n ? subject->topics[0].profile : NULL;
	struct trend *t = pp_answer_own(x->answer, sizeof *t, trend_release);
	size_t i, metric = 0, own;
	pp_status status;

	if (subject->n < FILES_LEAST)
		return pp_answer_fail(x->answer, PP_E_USAGE, PP_RULE_USAGE,
		                      "name %d files or more, in order", FILES_LEAST);
	if (!t)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	t->subject = subject;
	status = pp_identity_init(&t->identity, first->strs.seed)
	             ? pp_asked_metric(params, first, x->answer, &metric)
	             : pp_answer_fail_status(x->answer, PP_E_NOMEM);
	for (i = 0; i < subject->n && status == PP_OK; i++)
		if (!pp_vec_push(&t->steps.spans, (struct pp_step_span){ .time = (int64_t)i }))
			status = pp_answer_fail_status(x->answer, PP_E_NOMEM);
	for (i = 0; i < subject->n && status == PP_OK; i++) {
		const struct pp_profile *p = subject->topics[i].profile;

		own = metric < first->metrics.n ? pp_profile_metric_like(p, first, metric)
		                                : p->metrics.n;
		if (own >= p->metrics.n)
			return pp_answer_fail(x->answer, PP_E_UNSUPPORTED, "no-metric",
			                      "the files have no metric of the same meaning");
		status = file_add(t, x->answer, i, own);
	}
	if (status == PP_OK && !rows_find(t))
		status = pp_answer_fail_status(x->answer, PP_E_NOMEM);
	if (status != PP_OK)
		return status;
	if (x->head.text) {
		head_say(x, t, first, metric);
	} else {
		pp_row_key(&x->head, "files");
		pp_row_count(&x->head, subject->n);
		pp_row_key(&x->head, "metric");
		pp_row_text(&x->head, pp_text_of(first, first->metrics.at[metric].name));
		pp_row_key(&x->head, "count");
		pp_row_count(&x->head, t->rows.n);
		if (!pp_steps_are_possible(&t->steps)) {
			pp_row_key(&x->head, "too_few");
			pp_row_bool(&x->head, true);
		}
	}
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = t->rows.n;
	x->data = t;
	x->row = x->head.text ? step_said : step_row;
	return PP_OK;
}
