/*
 * tags: what samples with each label cost.
 */
#include <math.h>
#include <stddef.h>

#include "questions/label_list.h"
#include "questions/question.h"
#include "text/escape.h"
#include "text/units.h"

#define ROWS_SHOWN 40

struct tags_params {
	struct pp_asked asked;
	struct pp_scope scope;
	const char *key;
	double min;
};

static void tags_want(const void *, struct pp_want *);
static pp_status tags_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param key_params[] = {
	{ "key", 0, PP_PARAM_TEXT, "KEY", "show only labels of this key", PP_HINT_NONE,
	  offsetof(struct tags_params, key) },
	{ 0 },
};
static const struct pp_param_group key_group = { "Rows", key_params };

static const struct pp_param_use tags_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &key_group, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct tags_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct tags_params, min), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_tags = {
	.name = "tags",
	.summary = "what samples with each label cost, by key and value",
	.params = tags_uses,
	.params_size = sizeof(struct tags_params),
	.scope_at = offsetof(struct tags_params, scope),
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = tags_want,
	.run = tags_run,
};

static void
tags_want(const void *params, struct pp_want *want)
{
	want->facets = PP_TREE | PP_LINES | PP_EDGES | PP_FUNCTIONS | PP_LABELS | PP_THREADS |
	               PP_META | PP_GAINS;
	want->labels = true;
}

/* What a tag's share is: what it costs or, of a metric that falls, what it gained. */
static double
part_of(const struct pp_tags *t, size_t row, size_t metric)
{
	const struct pp_profile *p = t->profile;
	size_t known = pp_metric_gained(p, metric);

	return pp_value_double(&p->metrics.at[metric],
	                       pp_value_gained(&p->metrics.at[metric], pp_tag_cost(t, row, metric),
	                                       known < p->metrics.n
	                                           ? pp_tag_cost(t, row, known)
	                                           : pp_value_zero(&p->metrics.at[metric])));
}

/* What shares are of. Where what was gained is not known, it is at least what one tag has left. */
static double
whole_of(const struct pp_tags *t, size_t metric)
{
	const struct pp_profile *p = t->profile;
	size_t shares = metric < p->metrics.n ? pp_metric_of_shares(p, metric) : metric, row;
	double whole = shares < p->metrics.n
	                   ? pp_value_double(&p->metrics.at[shares], pp_profile_total(p, shares))
	                   : 0;

	for (row = 0;
	     shares < p->metrics.n && pp_metric_falls(&p->metrics.at[shares]) && row < t->rows.n;
	     row++)
		whole = fmax(whole, part_of(t, row, metric));
	return whole;
}

struct shown {
	struct pp_tags tags;
	size_t metric;
	double whole;
	size_t *rows;
};

static void
shown_release(void *data)
{
	struct shown *s = data;

	pp_tags_release(&s->tags);
}

static const struct pp_tag *
tag_of(const void *data, size_t row)
{
	const struct shown *s = data;

	return &s->tags.rows.at[s->rows[row]];
}

static void
key_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, tag_of(data, row)->key);
}

static void
value_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, tag_of(data, row)->value);
}

static void
number_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = tag_of(data, row)->is_number;
	d->whole = tag_of(data, row)->number;
}

static void
unit_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (tag_of(data, row)->unit.n)
		pp_datum_text(d, tag_of(data, row)->unit);
}

static void
cost_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct shown *s = data;

	pp_datum_value(d, s->tags.profile, metric, pp_tag_cost(&s->tags, s->rows[row], metric));
}

static void
share_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct shown *s = data;

	pp_datum_part(d, part_of(&s->tags, s->rows[row], s->metric), s->whole);
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_tag *tag = tag_of(data, row);

	pp_escape_terminal(d->made, arg ? tag->value : tag->key);
	pp_datum_made(d);
}

static const struct pp_answer_column tags_columns[] = {
	{ .key = "key", .as = PP_AS_NAME, .get = key_get },
	{ .key = "value", .as = PP_AS_NAME, .get = value_get },
	{ .key = "number", .as = PP_AS_INT, .get = number_get },
	{ .key = "unit", .as = PP_AS_TEXT, .get = unit_get },
	{ .title = "cost", .as = PP_AS_VALUE, .flags = PP_COLUMN_RIGHT, .get = cost_get },
	{ .title = "cost%", .as = PP_AS_SHARE, .flags = PP_COLUMN_RIGHT, .get = share_get },
	{ .title = "key", .as = PP_AS_LABEL, .get = name_get, .arg = 0 },
	{ .title = "value", .as = PP_AS_LABEL, .flags = PP_COLUMN_FLEX, .get = name_get, .arg = 1 },
	{ .key = "cost", .as = PP_AS_VALUE, .get = cost_get },
};

static void
tags_table(struct pp_answer *a, const struct shown *s, size_t n)
{
	const struct pp_profile *p = s->tags.profile;
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof tags_columns);
	size_t i;

	if (!columns)
		return;
	memcpy(columns, tags_columns, sizeof tags_columns);
	for (i = 0; i < PP_COUNT_OF(tags_columns); i++) {
		if (columns[i].get == cost_get && columns[i].key)
			columns[i].each = p;
		else if (columns[i].get == cost_get)
			columns[i].arg = s->metric;
	}
	pp_answer_table(a, &(struct pp_answer_table){
	                       .key = "tags",
	                       .columns = columns,
	                       .column_count = PP_COUNT_OF(tags_columns),
	                       .data = s,
	                       .rows = n,
	                       .usual = ROWS_SHOWN,
	                       .flags = s->metric < p->metrics.n && n ? 0 : PP_TABLE_NO_TEXT });
}

static pp_status
tags_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct tags_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	struct shown *s = pp_answer_own(a, sizeof *s, shown_release);
	pp_status status;
	size_t i, n = 0;

	if (!s)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	status = pp_asked_metric(&params->asked, p, a, &s->metric);
	if (status != PP_OK)
		return status;
	if (!pp_tags_compute(
	        p, s->metric,
	        &(struct pp_tags_of){ 1, subject->label_keys, subject->label_key_count },
	        &s->tags) ||
	    !(s->rows = pp_answer_alloc(a, (s->tags.rows.n + 1) * sizeof *s->rows)))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	s->whole = whole_of(&s->tags, s->metric);
	for (i = 0; i < s->tags.rows.n; i++)
		if ((!params->key || pp_slice_eq_z(s->tags.rows.at[i].key, params->key)) &&
		    (params->min <= 0 || s->metric == p->metrics.n ||
		     part_of(&s->tags, i, s->metric) >= params->min * s->whole))
			s->rows[n++] = i;
	pp_answer_source(a, p);
	pp_answer_unit(a, p, s->metric);
	if (s->metric < p->metrics.n)
		pp_answer_total(a, p, s->metric, pp_profile_total(p, s->metric));
	if (n == 0)
		pp_answer_say(a, PP_INK_PLAIN, "no labels\n");
	tags_table(a, s, n);
	pp_answer_count(a, "count", n);
	return PP_OK;
}

/* ---- for info ---- */

#define VALUES_LISTED 5

/* One key: its rows are [from, to). */
static void
key_list(struct pp_answer *a, const struct pp_tags *t, size_t metric, size_t from, size_t to,
         struct pp_buf *text)
{
	const struct pp_profile *p = t->profile;
	double whole = whole_of(t, metric);
	size_t i, end = to - from > VALUES_LISTED ? from + VALUES_LISTED : to;

	pp_answer_open(a, NULL);
	pp_answer_text(a, "key", PP_AS_NAME, t->rows.at[from].key);
	pp_answer_count(a, "values", to - from);
	pp_answer_open_list(a, "costliest");
	pp_escape_terminal(text, t->rows.at[from].key);
	pp_buf_adds(text, ": ");
	pp_units_u64(text, to - from);
	pp_buf_addf(text, " %s", pp_plural(to - from, "value", "values"));
	for (i = from; i < end; i++) {
		pp_answer_open(a, NULL);
		pp_answer_text(a, "value", PP_AS_NAME,
		               pp_slice_z(pp_answer_copy(a, t->rows.at[i].value)));
		if (metric < p->metrics.n)
			pp_answer_value(a, "cost", p, metric, pp_tag_cost(t, i, metric));
		pp_answer_close(a);
		pp_buf_adds(text, i == from ? ", " : " · ");
		pp_escape_terminal(text, t->rows.at[i].value);
		if (whole > 0) {
			pp_buf_addc(text, ' ');
			pp_units_share(text, part_of(t, i, metric), whole);
		}
	}
	pp_buf_adds(text, end < to ? " · ..." : "");
	pp_answer_close_list(a);
	pp_answer_close(a);
}

void
pp_answer_labels(struct pp_answer *a, const struct pp_profile *p)
{
	size_t metric = pp_profile_primary(p), i, end;
	struct pp_buf text = { 0 };
	struct pp_tags tags;

	if (!pp_tags_compute(p, metric, &(struct pp_tags_of){ .least = 2 }, &tags)) {
		a->failed = true;
	} else if (tags.rows.n) {
		pp_answer_open_list(a, "labels");
		for (i = 0; i < tags.rows.n; i = end) {
			for (end = i; end < tags.rows.n &&
			              pp_slice_eq(tags.rows.at[end].key, tags.rows.at[i].key);)
				end++;
			key_list(a, &tags, metric, i, end, &text);
			pp_answer_line(a, i ? "" : "labels", PP_INK_PLAIN,
			               pp_slice_of(text.p ? text.p : "", text.n));
			text.n = 0;
		}
		pp_answer_close_list(a);
	}
	a->failed |= text.failed;
	pp_buf_release(&text);
	pp_tags_release(&tags);
}
