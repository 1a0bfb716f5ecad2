/*
 * trend: which functions took another share of the whole from some profile on, among several in order.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "analysis/identity.h"
#include "base/sort.h"
#include "base/stops.h"
#include "questions/excerpt.h"
#include "questions/trend.h"
#include "text/escape.h"
#include "text/shorten.h"
#include "text/units.h"

#define FILES_LEAST 3
#define Z_LEAST 4.0
#define POINTS_LEAST 0.02
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

/* What a function costs itself in one of the files; what it gained, where the metric falls. */
struct seen {
	const struct pp_profile *profile;
	pp_func func;
	size_t file;
	uint32_t group; /* of functions that are the same: as in `diff` */
	double self;
};

/* Where its share changed most. */
struct turn {
	const struct pp_profile *profile;
	pp_func func;
	uint32_t group;
	size_t at;
	double share[2], z;
};

struct trend {
	const struct pp_subject *subject;
	struct pp_identity identity;
	PP_VEC(struct seen) seen;
	PP_VEC(struct turn) turns;
	double *totals, *selfs; /* by file */
	double *rest;           /* by file: own cost and total from it on */
	size_t file_columns;    /* for people: of the names of the files in the rows */
};

static void
trend_release(void *data)
{
	struct trend *t = data;

	pp_identity_release(&t->identity);
	pp_vec_release(&t->seen);
	pp_vec_release(&t->turns);
	free(t->totals);
	free(t->selfs);
	free(t->rest);
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

static int
turn_order(const void *left, const void *right, void *context)
{
	const struct turn *a = left, *b = right;
	double x = fabs(a->z), y = fabs(b->z);
	int order;

	if (x != y)
		return x < y ? 1 : -1;
	order = pp_slice_cmp(pp_text_of(a->profile, a->profile->funcs.at[a->func].name),
	                     pp_text_of(b->profile, b->profile->funcs.at[b->func].name));
	return order ? order : (a->group > b->group) - (a->group < b->group);
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
	t->totals[file] = flat->whole ? pp_value_double(m, pp_flat_whole(flat, metric)) : 0;
	for (row = 0; row < flat->n && status == PP_OK && !pp_account_stops_at(row); row++) {
		double self = pp_value_double(m, pp_flat_gained(flat, row, metric).own);

		if (self > 0 && !pp_vec_push(&t->seen, (struct seen){ p, flat->func[row], file,
		                                                      key[flat->func[row]], self }))
			status = pp_answer_fail_status(a, PP_E_NOMEM);
	}
	free(key);
	pp_flat_release(&made);
	return status;
}

/* The cut with the largest z of two proportions: the shares of everything before and after it. */
static void
turn_find(struct trend *t, struct turn *turn)
{
	double self[2] = { 0, 0 }, total[2] = { 0, 0 };
	size_t n = t->subject->n, k;

	/* Sums from the end: a difference of sums would lose what is small beside a large file. */
	for (k = n; k-- > 1;) {
		self[1] += t->selfs[k];
		total[1] += t->totals[k];
		t->rest[2 * k] = self[1];
		t->rest[2 * k + 1] = total[1];
	}
	for (k = 1; k < n; k++) {
		double pooled, error, z;

		self[0] += t->selfs[k - 1];
		total[0] += t->totals[k - 1];
		self[1] = t->rest[2 * k];
		total[1] = t->rest[2 * k + 1];
		if (!(total[0] > 0) || !(total[1] > 0))
			continue;
		pooled = (self[0] + self[1]) / (total[0] + total[1]);
		error = sqrt(pooled * (1 - pooled) * (1 / total[0] + 1 / total[1]));
		if (!(error > 0))
			continue;
		z = (self[1] / total[1] - self[0] / total[0]) / error;
		if (fabs(z) > fabs(turn->z)) {
			turn->z = z;
			turn->at = k;
			turn->share[0] = self[0] / total[0];
			turn->share[1] = self[1] / total[1];
		}
	}
}

static bool
turns_find(struct trend *t)
{
	size_t i, from = 0, steps = 0;

	/* Later files may have shown that groups are one. */
	for (i = 0; i < t->seen.n; i++)
		t->seen.at[i].group = pp_identity_find(&t->identity, t->seen.at[i].group);
	if (t->seen.n > 1)
		pp_sort(t->seen.at, t->seen.n, sizeof *t->seen.at, seen_order, NULL);
	while (from < t->seen.n && !pp_account_stops_at(steps++)) {
		struct turn turn = { .profile = t->seen.at[from].profile,
			             .func = t->seen.at[from].func,
			             .group = t->seen.at[from].group };

		for (i = 0; i < t->subject->n; i++)
			t->selfs[i] = 0;
		for (i = from; i < t->seen.n && t->seen.at[i].group == turn.group; i++)
			t->selfs[t->seen.at[i].file] += t->seen.at[i].self;
		from = i;
		turn_find(t, &turn);
		if (fabs(turn.z) >= Z_LEAST &&
		    fabs(turn.share[1] - turn.share[0]) >= POINTS_LEAST &&
		    !pp_vec_push(&t->turns, turn))
			return false;
	}
	if (t->turns.n > 1)
		pp_sort(t->turns.at, t->turns.n, sizeof *t->turns.at, turn_order, NULL);
	return from == t->seen.n;
}

static void
turn_row(void *data, size_t row, struct pp_row *r)
{
	const struct trend *t = data;
	const struct turn *turn = &t->turns.at[row];
	const char *file = t->subject->topics[turn->at].file;

	pp_row_name(r, turn->profile, turn->func);
	pp_row_path(r, file ? file : "", r->clip < 60 ? r->clip : 60);
	pp_row_count(r, turn->at);
	pp_row_real(r, turn->share[0] * 100, 2);
	pp_row_real(r, turn->share[1] * 100, 2);
	pp_row_real(r, turn->z, 2);
}

/* ---- for people ---- */

/* The file that a change began in, safe for a terminal. */
static void
turn_file(struct pp_buf *out, const struct trend *t, const struct turn *turn)
{
	const char *file = t->subject->topics[turn->at].file;
	struct pp_buf whole = { 0 };

	pp_escape_terminal(&whole, pp_slice_z(file ? file : ""));
	(void)pp_name_shorten(out, whole.p ? whole.p : "", whole.n, FILE_COLUMNS);
	out->failed |= whole.failed;
	pp_buf_release(&whole);
}

static void
turn_said(void *data, size_t row, struct pp_row *r)
{
	const struct trend *t = data;
	const struct turn *turn = &t->turns.at[row];
	struct pp_row name = { .out = r->out, .text = true, .clip = NAME_COLUMNS };
	struct pp_buf file = { 0 };
	size_t columns;

	turn_file(&file, t, turn);
	columns = pp_text_columns(file.p ? file.p : "", file.n);
	pp_buf_addf(r->out, "  %6.1f%%  %6.1f%%  %+7.1f  ", turn->share[0] * 100,
	            turn->share[1] * 100, (turn->share[1] - turn->share[0]) * 100);
	pp_buf_add(r->out, file.p, file.n);
	for (; columns < t->file_columns + 2; columns++)
		pp_buf_addc(r->out, ' ');
	pp_row_name(&name, turn->profile, turn->func);
	r->out->failed |= file.failed;
	pp_buf_release(&file);
}

static void
head_say(struct pp_excerpt *x, struct trend *t, const struct pp_profile *first, size_t metric)
{
	struct pp_buf text = { 0 };
	size_t i, columns;

	t->file_columns = strlen("from");
	for (i = 0; i < t->turns.n; i++, text.n = 0) {
		turn_file(&text, t, &t->turns.at[i]);
		columns = pp_text_columns(text.p ? text.p : "", text.n);
		t->file_columns = columns > t->file_columns ? columns : t->file_columns;
	}
	pp_excerpt_say(x);
	pp_metric_title(first, &first->metrics.at[metric], &text);
	pp_escape_terminal(x->head.out, pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_adds(x->head.out, " in ");
	pp_units_u64(x->head.out, t->subject->n);
	pp_buf_adds(x->head.out, " files: ");
	if (t->turns.n)
		pp_units_u64(x->head.out, t->turns.n);
	pp_buf_adds(x->head.out, t->turns.n == 0   ? "no function's share of the whole changed"
	                         : t->turns.n == 1 ? " function's share of the whole changed"
	                                           : " functions' shares of the whole changed, "
	                                             "the most certain first");
	if (t->turns.n)
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
	t->totals = calloc(subject->n, sizeof *t->totals);
	t->selfs = calloc(subject->n, sizeof *t->selfs);
	t->rest = calloc(subject->n, 2 * sizeof *t->rest);
	status = t->totals && t->selfs && t->rest &&
	                 pp_identity_init(&t->identity, first->strs.seed)
	             ? pp_asked_metric(params, first, x->answer, &metric)
	             : pp_answer_fail_status(x->answer, PP_E_NOMEM);
	for (i = 0; i < subject->n && status == PP_OK; i++) {
		const struct pp_profile *p = subject->topics[i].profile;

		own = metric < first->metrics.n ? pp_profile_metric_like(p, first, metric)
		                                : p->metrics.n;
		if (own >= p->metrics.n)
			return pp_answer_fail(x->answer, PP_E_UNSUPPORTED, "no-metric",
			                      "the files have no metric of the same meaning");
		status = file_add(t, x->answer, i, own);
	}
	if (status == PP_OK && !turns_find(t))
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
		pp_row_count(&x->head, t->turns.n);
	}
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = t->turns.n;
	x->data = t;
	x->row = x->head.text ? turn_said : turn_row;
	return PP_OK;
}
