/*
 * What `diff` and `gate` share: which metric, which rules, and a row of functions before and after.
 */
#include "questions/compare.h"
#include "questions/handles.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "text/escape.h"

static const struct pp_param compare_params[] = {
	{ "metric", 'm', PP_PARAM_TEXT, "NAME",
	  "the metric to compare, as either profile calls it (default: the primary one); A=B compares "
	  "the shares of two different ones, with --normalize total",
	  PP_HINT_NONE, offsetof(struct pp_compared, asked.metric) },
	{ "before", 0, PP_PARAM_TEXTS, "FILE...", "repeated runs before: all files up to --after",
	  PP_HINT_FILE, offsetof(struct pp_compared, files) },
	{ "after", 0, PP_PARAM_TEXTS, "FILE...", "repeated runs after", PP_HINT_FILE,
	  offsetof(struct pp_compared, files) },
	{ "normalize", 0, PP_PARAM_CHOICE, "none|total|samples|time",
	  "scale the second profile to the size of the first (default: none)", PP_HINT_NONE,
	  offsetof(struct pp_compared, normalize) },
	{ "noise", 0, PP_PARAM_TEXT, "PCT",
	  "times of single runs: changes up to PCT percent of the whole or of the function are noise "
	  "(default: 5)",
	  PP_HINT_NONE, offsetof(struct pp_compared, noise) },
	{ 0 },
};
const struct pp_param_group pp_params_compare = { "Comparison", compare_params };

/* ---- which metric ---- */

static void
metrics_list(struct pp_buf *out, const struct pp_profile *p)
{
	static const char *const kinds[] = { "",        "wall time",   "CPU time", "idle time",
		                             "samples", "exact count", "bytes",    "events" };
	size_t i;

	for (i = 0; i < pp_metrics_shown(p); i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		pp_buf_adds(out, i ? ", " : "");
		pp_escape_terminal(out, pp_text_of(p, m->name));
		pp_buf_adds(out, " (");
		pp_escape_terminal(out, pp_text_of(p, m->unit));
		pp_buf_addf(out, "%s%s)", m->kind ? ", " : "", kinds[m->kind]);
	}
	pp_buf_adds(out, i ? "" : "nothing");
}

/* What `diff` can do all the same. */
#define BY_SHARES "; -m A=B --normalize total compares the shares of two"

/* Neither by `name`, nor any; `hint` says what there is to do. */
static pp_status
metric_refuse(struct pp_answer *a, const struct pp_profile *p, const struct pp_profile *q,
              const char *name, const char *hint)
{
	struct pp_buf text = { 0 };
	pp_status status;

	pp_buf_adds(&text, "before has ");
	metrics_list(&text, p);
	pp_buf_adds(&text, "; after has ");
	metrics_list(&text, q);
	if (name)
		status = pp_answer_fail(a, PP_E_USAGE, "no-metric",
		                        "'%s' is not a metric that both profiles have: %s", name,
		                        pp_answer_made(a, &text));
	else
		status = pp_answer_fail(
		    a, PP_E_UNSUPPORTED, "no-metric",
		    "the profiles have no metric of the same meaning and unit: %s%s",
		    text.p ? text.p : "", hint);
	pp_buf_release(&text);
	return status;
}

/* "A=B": a metric of each side. */
static bool
metric_pair(const struct pp_profile *p, const struct pp_profile *q, const char *name, size_t *mp,
            size_t *mq)
{
	const char *equals;

	for (equals = strchr(name, '='); equals; equals = strchr(equals + 1, '=')) {
		*mp = pp_profile_metric_find(p, pp_slice_of(name, (size_t)(equals - name)));
		*mq = pp_profile_metric_find(q, pp_slice_z(equals + 1));
		if (*mp < p->metrics.n && *mq < q->metrics.n)
			return true;
	}
	return false;
}

/* A metric by the name either side gives it, or the first that both have, the primary one first. */
static bool
metric_find(const struct pp_profile *p, const struct pp_profile *q, const char *name, size_t *mp,
            size_t *mq)
{
	size_t i, n = p->metrics.n;

	if (name) {
		*mp = pp_profile_metric_find(p, pp_slice_z(name));
		*mq = *mp < n ? pp_profile_metric_like(q, p, *mp) : q->metrics.n;
		if (*mq < q->metrics.n)
			return true;
		/* Of several that have this name, the other side may mean one that both have. */
		*mq = pp_profile_metric_find(q, pp_slice_z(name));
		*mp = *mq < q->metrics.n ? pp_profile_metric_like(p, q, *mq) : n;
		return *mp < n || metric_pair(p, q, name, mp, mq);
	}
	for (i = 0; i <= n; i++) {
		*mp = i == 0 ? pp_profile_primary(p) : i - 1;
		*mq = *mp < n ? pp_profile_metric_like(q, p, *mp) : q->metrics.n;
		if (*mq < q->metrics.n)
			return true;
	}
	return false;
}

pp_status
pp_compare_possible(struct pp_answer *a, const struct pp_profile *before,
                    const struct pp_profile *after)
{
	size_t one, other;

	return !before->metrics.n || !after->metrics.n ||
	               metric_find(before, after, NULL, &one, &other)
	           ? PP_OK
	           : metric_refuse(a, before, after, NULL, "");
}

/* A differential profile holds both sides itself. */
static pp_status
differential(struct pp_answer *a, struct pp_compare *c)
{
	const struct pp_profile *p = c->input[PP_BEFORE]->profile;
	size_t before = pp_profile_metric_find(p, pp_slice_z("before"));
	size_t after = pp_profile_metric_find(p, pp_slice_z("after"));

	if (before >= p->metrics.n || after >= p->metrics.n)
		return pp_answer_fail(
		    a, PP_E_USAGE, PP_RULE_USAGE,
		    "name two files to compare; one alone must be a differential profile");
	c->n[PP_AFTER] = 1;
	c->input[PP_AFTER]->profile = p;
	c->input[PP_BEFORE]->metric = before;
	c->input[PP_AFTER]->metric = after;
	return PP_OK;
}

static bool
same_meaning(const struct pp_profile *p, size_t mp, const struct pp_profile *q, size_t mq)
{
	const struct pp_metric *a = &p->metrics.at[mp], *b = &q->metrics.at[mq];

	return pp_metric_same_kind(p, a, q, b);
}

static pp_status
choose_metrics(struct pp_answer *a, struct pp_compare *c, const struct pp_compared *params)
{
	const struct pp_profile *first = c->input[PP_BEFORE][0].profile;
	const struct pp_diff_input *after = c->input[PP_AFTER];
	const char *name = params->asked.metric;
	size_t side, i, chosen = first->metrics.n;

	if (c->n[PP_AFTER] == 0)
		return differential(a, c);
	for (side = 2; side-- > 0;)
		for (i = 0; i < c->n[side]; i++) {
			struct pp_diff_input *in = &c->input[side][i];

			if (chosen < first->metrics.n) {
				/* Runs of one side have the metric of its first one. */
				const struct pp_profile *like = side == PP_AFTER ? after->profile
				                                                 : first;

				in->metric = in->profile == first
				                 ? chosen
				                 : pp_profile_metric_like(
				                       in->profile, like,
				                       like == first ? chosen : after->metric);
				if (in->metric >= in->profile->metrics.n)
					return metric_refuse(a, first, in->profile, name,
					                     BY_SHARES);
			} else if (!metric_find(first, in->profile, name, &chosen, &in->metric)) {
				return metric_refuse(a, first, in->profile, name, BY_SHARES);
			}
		}
	if (params->normalize != PP_NORM_TOTAL &&
	    !same_meaning(first, chosen, after->profile, after->metric))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "'%s': these are different things; --normalize total "
		                      "compares their shares",
		                      name ? name : "");
	return PP_OK;
}

/* ---- comparing ---- */

static void
compare_release(void *data)
{
	struct pp_compare *c = data;

	pp_diff_release(&c->diff);
	free(c->input[PP_BEFORE]);
	free(c->input[PP_AFTER]);
}

static pp_status
options_read(struct pp_answer *a, const struct pp_compared *params, struct pp_diff_options *options)
{
	size_t n = params->noise ? strlen(params->noise) : 0;
	double percent = PP_NOISE_SHARE * 100;

	if (n > 0 && params->noise[n - 1] == '%')
		n--;
	if (params->noise &&
	    (!pp_num_double(pp_slice_of(params->noise, n), &percent) || percent < 0))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--noise takes a percentage, not '%s'", params->noise);
	*options = (struct pp_diff_options){ .normalize = (enum pp_diff_norm)params->normalize,
		                             .noise = percent / 100 };
	return PP_OK;
}

/* The profiles of each side; false when out of memory. */
static bool
inputs_take(struct pp_compare *c, const struct pp_subject *subject)
{
	size_t i;

	c->n[PP_BEFORE] = subject->split;
	c->n[PP_AFTER] = subject->n - subject->split;
	c->input[PP_BEFORE] = calloc(c->n[PP_BEFORE] + 1, sizeof *c->input[0]);
	c->input[PP_AFTER] = calloc(c->n[PP_AFTER] + 1, sizeof *c->input[0]);
	for (i = 0; c->input[PP_BEFORE] && c->input[PP_AFTER] && i < subject->n; i++) {
		size_t side = i < subject->split ? PP_BEFORE : PP_AFTER;
		const struct pp_topic *t = &subject->topics[i];

		c->input[side][i - (side == PP_AFTER ? subject->split : 0)] =
		    (struct pp_diff_input){ .profile = t->profile,
			                    .flat = t->handles && t->handles->profile == t->profile
			                                ? &t->handles->flat
			                                : NULL };
	}
	return c->input[PP_BEFORE] && c->input[PP_AFTER];
}

/* ---- many runs, one after the other ---- */

/* Reads the first run of a side, which stays. */
static pp_status
first_load(struct pp_answer *a, const struct pp_sequence *s, size_t nth, struct pp_diff_input *in)
{
	pp_status status = s->load(s->data, nth, &in->profile);

	if (status == PP_OK && !s->keep(s->data))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	return status;
}

/* Adds one run, read unless it is the first of its side. */
static pp_status
run_add(struct pp_answer *a, const struct pp_sequence *s, struct pp_compare *c, size_t side,
        size_t nth, const char *name)
{
	const struct pp_diff_input *first = &c->input[side][0];
	struct pp_diff_input in = *first;
	bool kept, is_first = nth == (side == PP_AFTER ? c->n[PP_BEFORE] : 0);
	pp_status status = is_first ? PP_OK : s->load(s->data, nth, &in.profile);

	if (status != PP_OK)
		return status;
	if (!is_first)
		in.metric = pp_profile_metric_like(in.profile, first->profile, first->metric);
	if (in.metric >= in.profile->metrics.n)
		return metric_refuse(a, c->input[PP_BEFORE]->profile, in.profile, name, BY_SHARES);
	status = pp_diff_add(&c->diff, side, &in, &kept);
	if (status == PP_OK && !is_first && kept && !s->keep(s->data))
		status = PP_E_NOMEM;
	a->needs_stacks = status == PP_E_UNSUPPORTED;
	return status == PP_E_NOMEM ? pp_answer_fail_status(a, status) : status;
}

/* Compares the runs of a sequence: only those are held whose functions the answer names. */
static pp_status
runs_compare(struct pp_answer *a, const struct pp_subject *subject,
             const struct pp_compared *params, const struct pp_diff_options *options,
             struct pp_compare *c)
{
	const size_t n[2] = { subject->split, subject->n - subject->split };
	struct pp_buf problem = { 0 };
	pp_status status = first_load(a, subject->sequence, 0, c->input[PP_BEFORE]);
	size_t i;

	if (status == PP_OK)
		status = first_load(a, subject->sequence, n[PP_BEFORE], c->input[PP_AFTER]);
	c->n[PP_BEFORE] = c->n[PP_AFTER] = 1;
	if (status == PP_OK)
		status = choose_metrics(a, c, params);
	memcpy(c->n, n, sizeof n);
	if (status != PP_OK)
		return status;
	status = pp_diff_begin(&c->diff, c->input[PP_BEFORE], n[PP_BEFORE], c->input[PP_AFTER],
	                       n[PP_AFTER], options);
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	for (i = 0; i < subject->n && status == PP_OK; i++)
		status = run_add(a, subject->sequence, c, i < n[PP_BEFORE] ? PP_BEFORE : PP_AFTER,
		                 i, params->asked.metric);
	if (status != PP_OK)
		return status;
	status = pp_diff_end(&c->diff, &problem);
	if (status != PP_OK)
		status = pp_answer_fail(a, PP_E_UNSUPPORTED, "no-comparison", "%s",
		                        problem.n ? problem.p : pp_status_text(status));
	pp_buf_release(&problem);
	return status;
}

pp_status
pp_compare_make(struct pp_answer *a, const struct pp_subject *subject,
                const struct pp_compared *params, struct pp_compare **out)
{
	struct pp_compare *c = pp_answer_own(a, sizeof *c, compare_release);
	struct pp_diff_options options;
	struct pp_buf problem = { 0 };
	pp_status status;

	*out = c;
	if (!c || !inputs_take(c, subject))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	status = options_read(a, params, &options);
	if (status == PP_OK && subject->sequence)
		return runs_compare(a, subject, params, &options, c);
	if (status == PP_OK)
		status = choose_metrics(a, c, params);
	if (status != PP_OK)
		return status;
	status = pp_diff_compute(&c->diff, c->input[PP_BEFORE], c->n[PP_BEFORE], c->input[PP_AFTER],
	                         c->n[PP_AFTER], &options, &problem);
	a->needs_stacks = status == PP_E_UNSUPPORTED && c->diff.needs_stacks;
	if (status != PP_OK && !a->needs_stacks)
		status = pp_answer_fail(a, PP_E_UNSUPPORTED, "no-comparison", "%s",
		                        problem.n ? problem.p : pp_status_text(status));
	pp_buf_release(&problem);
	return status;
}

/* ---- numbers ---- */

size_t
pp_compare_print(const struct pp_diff *d, const struct pp_diff_value *v, size_t side,
                 char out[PP_NUM_MAX])
{
	if (d->exact)
		return pp_value_print(&d->metric, v->exact[side], out);
	return pp_num_print_double(out, v->value[side]);
}

size_t
pp_compare_print_delta(const struct pp_diff *d, const struct pp_diff_value *v, char out[PP_NUM_MAX])
{
	union pp_value delta = v->exact[PP_AFTER];

	if (!d->exact)
		return pp_num_print_double(out, pp_diff_delta(v));
	pp_value_sub(&d->metric, &delta, v->exact[PP_BEFORE]);
	return pp_value_print(&d->metric, delta, out);
}

const char *
pp_compare_normalized(const struct pp_diff *d)
{
	static const char *const words[] = { NULL, "total", "samples", "time" };

	return words[d->options.normalize];
}

const char *
pp_compare_advice(const struct pp_diff *d)
{
	return d->rule == PP_DIFF_MEASURED
	           ? "one run each: record three or more (--before a1 a2 a3 "
	             "--after b1 b2 b3)"
	           : NULL;
}

/* ---- the head ---- */

bool
pp_compare_idle(const struct pp_diff *d, size_t side)
{
	return d->idle.value[side] != 0;
}

size_t
pp_compare_print_total(const struct pp_diff *d, size_t side, char out[PP_NUM_MAX])
{
	struct pp_diff_value total = d->whole;

	if (pp_compare_idle(d, side)) {
		pp_value_add(&d->metric, &total.exact[side], d->idle.exact[side]);
		total.value[side] += d->idle.value[side];
	}
	return pp_compare_print(d, &total, side, out);
}

static void
whole_add(struct pp_answer *a, const struct pp_diff *d, size_t side)
{
	const struct pp_diff_input *in = &d->input[side][0];
	char text[PP_NUM_MAX];
	size_t n = pp_compare_print_total(d, side, text);

	pp_answer_open(a, side == PP_BEFORE ? "before" : "after");
	pp_answer_text(a, "total", PP_AS_RAW, pp_slice_of(text, n));
	if (pp_compare_idle(d, side)) {
		n = pp_compare_print(d, &d->idle, side, text);
		pp_answer_text(a, "idle", PP_AS_RAW, pp_slice_of(text, n));
	}
	pp_answer_metric(a, "metric", in->profile, in->metric);
	if (d->runs[side] > 1)
		pp_answer_count(a, "runs", d->runs[side]);
	pp_answer_close(a);
}

void
pp_compare_head(struct pp_answer *a, const struct pp_diff *d)
{
	const struct pp_diff_input *in = &d->input[PP_BEFORE][0], *after = d->input[PP_AFTER];
	const char *normalized = pp_compare_normalized(d);
	struct pp_buf text = { 0 };

	pp_answer_unit(a, in->profile, in->metric);
	if (!same_meaning(in->profile, in->metric, after->profile, after->metric))
		pp_answer_metric(a, "metric_after", after->profile, after->metric);
	if (normalized)
		pp_answer_textz(a, "normalized", normalized);
	else
		pp_answer_bool(a, "normalized", false);
	if (normalized)
		pp_answer_real(a, "scale", d->scale);
	whole_add(a, d, PP_BEFORE);
	whole_add(a, d, PP_AFTER);
	pp_answer_bool(a, "estimated", d->estimated);
	pp_answer_textz(a, "status", pp_diff_status_name(d->whole.status));
	pp_diff_explain(d, &text);
	pp_answer_textz(a, "rule", pp_answer_made(a, &text));
	if (pp_compare_advice(d))
		pp_answer_textz(a, "note", pp_compare_advice(d));
	pp_buf_release(&text);
}

/* ---- rows; data begins with a struct pp_compare_rows ---- */

static const struct pp_diff_row *
row_of(const void *data, size_t row)
{
	return pp_compare_row(data, row);
}

static pp_func
func_of(const void *data, size_t row, const struct pp_profile **p)
{
	const struct pp_func_row *f = pp_diff_func(row_of(data, row), p);

	return (pp_func)(f - (*p)->funcs.at);
}

/* What a column is about: self or total, and of which side or the difference. */
#define SELF 0
#define TOTAL 4
#define DELTA 2

static const struct pp_diff_value *
value_of(const void *data, size_t row, size_t arg)
{
	return arg >= TOTAL ? &row_of(data, row)->total : &row_of(data, row)->self;
}

static void
value_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_diff *diff = ((const struct pp_compare_rows *)data)->diff;
	const struct pp_diff_value *v = value_of(data, row, arg);
	char text[PP_NUM_MAX];
	size_t n = arg % 4 == DELTA ? pp_compare_print_delta(diff, v, text)
	                            : pp_compare_print(diff, v, arg % 4, text);

	pp_buf_add(d->made, text, n);
	pp_datum_made(d);
}

static void
calls_get(const void *data, size_t row, size_t side, struct pp_datum *d)
{
	const struct pp_diff_row *found = row_of(data, row);

	d->known = pp_diff_counted(((const struct pp_compare_rows *)data)->diff, found, side);
	d->part = found->calls[side];
}

/* What it gained itself, or gave back: arg is the side, or one more pair of them. */
#define GIVEN_BACK 2

static void
steps_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_diff_value *v = &row_of(data, row)->self;
	size_t side = arg % GIVEN_BACK;

	d->known = ((const struct pp_compare_rows *)data)->diff->steps[side];
	d->part = arg < GIVEN_BACK ? v->part[side] : v->part[side] - v->value[side];
}

static void
change_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_diff_value *v = value_of(data, row, arg);

	d->known = true;
	d->null = v->value[PP_BEFORE] == 0;
	d->part = d->null ? 0 : pp_diff_delta(v) / fabs(v->value[PP_BEFORE]);
}

static void
share_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = true;
	d->part = pp_diff_share(((const struct pp_compare_rows *)data)->diff,
	                        value_of(data, row, arg));
}

static void
status_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(pp_diff_status_name(value_of(data, row, arg)->status)));
}

#define JSON_VALUE(in, name, what)                                                                 \
	{                                                                                          \
		.key = (name), .group = (in), .as = PP_AS_RAW, .flags = PP_COLUMN_NO_CSV,          \
		.arg = (what), .get = value_get                                                    \
	}
#define CSV_VALUE(name, what)                                                                      \
	{                                                                                          \
		.key = (name), .as = PP_AS_RAW, .flags = PP_COLUMN_NO_JSON, .arg = (what),         \
		.get = value_get                                                                   \
	}
#define REAL(in, name, what, with)                                                                 \
	{                                                                                          \
		.key = (name), .group = (in), .as = PP_AS_REAL, .flags = PP_COLUMN_NO_CSV,         \
		.arg = (what), .get = (with)                                                       \
	}

const struct pp_answer_column pp_compare_columns[PP_COMPARE_COLUMNS] = {
	PP_FUNC_COLUMNS,
	PP_MODULE_COLUMN(PP_COLUMN_NO_CSV),
	JSON_VALUE("before", "self", SELF + PP_BEFORE),
	JSON_VALUE("before", "total", TOTAL + PP_BEFORE),
	REAL("before", "gained", PP_BEFORE, steps_get),
	REAL("before", "given_back", GIVEN_BACK + PP_BEFORE, steps_get),
	REAL("before", "calls", PP_BEFORE, calls_get),
	JSON_VALUE("after", "self", SELF + PP_AFTER),
	JSON_VALUE("after", "total", TOTAL + PP_AFTER),
	REAL("after", "gained", PP_AFTER, steps_get),
	REAL("after", "given_back", GIVEN_BACK + PP_AFTER, steps_get),
	REAL("after", "calls", PP_AFTER, calls_get),
	JSON_VALUE("delta", "self", SELF + DELTA),
	JSON_VALUE("delta", "total", TOTAL + DELTA),
	REAL("change", "self", SELF, change_get),
	REAL("change", "total", TOTAL, change_get),
	REAL("share", "self", SELF, share_get),
	REAL("share", "total", TOTAL, share_get),
	CSV_VALUE("self_before", SELF + PP_BEFORE),
	CSV_VALUE("self_after", SELF + PP_AFTER),
	CSV_VALUE("self_delta", SELF + DELTA),
	CSV_VALUE("total_before", TOTAL + PP_BEFORE),
	CSV_VALUE("total_after", TOTAL + PP_AFTER),
	CSV_VALUE("total_delta", TOTAL + DELTA),
	{ .key = "calls_before",
	  .as = PP_AS_REAL,
	  .flags = PP_COLUMN_NO_JSON,
	  .arg = PP_BEFORE,
	  .get = calls_get },
	{ .key = "calls_after",
	  .as = PP_AS_REAL,
	  .flags = PP_COLUMN_NO_JSON,
	  .arg = PP_AFTER,
	  .get = calls_get },
	{ .key = "status", .as = PP_AS_TEXT, .arg = SELF, .get = status_get },
	{ .key = "status_total", .as = PP_AS_TEXT, .arg = TOTAL, .get = status_get },
};

void
pp_compare_table(struct pp_answer *a, const struct pp_compare_rows *rows)
{
	pp_answer_table(a, &(struct pp_answer_table){ .key = "functions",
	                                              .columns = pp_compare_columns,
	                                              .column_count = PP_COMPARE_COLUMNS,
	                                              .data = rows,
	                                              .func = func_of,
	                                              .rows = rows->n,
	                                              .flags = PP_TABLE_NO_TEXT | PP_TABLE_WHOLE |
	                                                       PP_TABLE_NO_CSV });
}

pp_func
pp_compare_func(const void *data, size_t row, const struct pp_profile **p)
{
	return func_of(data, row, p);
}
