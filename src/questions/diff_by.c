/*
 * diff of more than two: what functions cost per profile, in a column for each value of a label.
 *
 * Profiles are read one after the other; only those are held that brought a function.
 */
#include "questions/diff_by.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "model/flat.h"
#include "text/escape.h"

#define ROWS_SHOWN 25

struct value {
	const char *text;
	const char *title; /* for people: what terminals would obey is escaped */
	uint64_t profiles;
	double whole; /* sum, then per profile */
};

/* What a function costs with one value: sums, then per profile. */
struct cost {
	double self, total;
};

struct row {
	const struct pp_profile *profile; /* where func is looked up */
	pp_func func;
	uint32_t group;
	double spread; /* between the values that cost most and least */
};

/* Lives in the answer. */
struct columns {
	struct pp_identity identity;
	struct value values[PP_DIFF_VALUES];
	size_t n;
	PP_VEC(struct row) rows;
	PP_VEC(uint32_t) row_of;   /* by group; row + 1 */
	PP_VEC(struct cost) costs; /* by group, then by value */
	const struct pp_profile *first;
	size_t metric; /* of the first */
	bool by_total;
	struct pp_slice unit;
};

static void
columns_release(void *data)
{
	struct columns *c = data;

	pp_identity_release(&c->identity);
	pp_vec_release(&c->rows);
	pp_vec_release(&c->row_of);
	pp_vec_release(&c->costs);
}

/* ---- which values ---- */

/* The number of a value, in the order of time; PP_DIFF_VALUES when there are too many. */
static size_t
value_find(struct columns *c, struct pp_answer *a, struct pp_slice text)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (pp_slice_eq_z(text, c->values[i].text))
			return i;
	if (c->n < PP_DIFF_VALUES) {
		struct pp_buf title = { 0 };

		pp_escape_terminal(&title, text.n ? text : pp_slice_z("(none)"));
		c->values[c->n].title = pp_answer_copy(a, pp_slice_z(pp_answer_made(a, &title)));
		c->values[c->n++].text = pp_answer_copy(a, text);
		pp_buf_release(&title);
	}
	return i;
}

static pp_status
values_find(struct columns *c, struct pp_answer *a, const struct pp_subject *subject)
{
	const struct pp_sequence *s = subject->sequence;
	size_t i;

	for (i = 0; i < s->n; i++) {
		size_t v = value_find(c, a, s->label(s->data, i, pp_slice_z(subject->by)));

		if (v == PP_DIFF_VALUES)
			return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
			                      "label '%s' has more than %d values; --where selects "
			                      "some of them",
			                      subject->by, PP_DIFF_VALUES);
		c->values[v].profiles++;
	}
	return PP_OK;
}

/* ---- adding up ---- */

/* Room for what is known of all groups there are; false when out of memory. */
static bool
groups_room(struct columns *c)
{
	size_t n = c->identity.groups.n;

	if (!pp_vec_reserve(&c->row_of, n) || !pp_vec_reserve(&c->costs, n * c->n))
		return false;
	for (; c->row_of.n < n; c->row_of.n++)
		c->row_of.at[c->row_of.n] = 0;
	for (; c->costs.n < n * c->n; c->costs.n++)
		c->costs.at[c->costs.n] = (struct cost){ 0 };
	return true;
}

/* Adds the costs of a profile; *kept: rows refer to it. False when out of memory. */
static bool
profile_add(struct columns *c, const struct pp_profile *p, size_t metric, size_t value, bool *kept)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	size_t groups = c->identity.groups.n, i;
	const uint32_t *key = pp_identity_meet(&c->identity, p);
	struct pp_flat flat;
	bool fine = key && groups_room(c);

	*kept = c->identity.groups.n > groups;
	fine = fine && pp_flat_compute(p, &flat) == PP_OK;
	if (fine)
		c->values[value].whole += pp_value_double(m, flat.whole[metric]);
	for (i = 0; fine && i < flat.n; i++) {
		uint32_t group = key[flat.func[i]];
		struct pp_cost_pair pair = pp_flat_get(&flat, i, metric);
		struct cost *cost = &c->costs.at[group * c->n + value];

		cost->self += pp_value_double(m, pair.own);
		cost->total += pp_value_double(m, pair.total);
		if (c->row_of.at[group])
			continue;
		fine = pp_vec_push(
		    &c->rows, (struct row){ .profile = p, .func = flat.func[i], .group = group });
		c->row_of.at[group] = (uint32_t)c->rows.n;
		*kept = true;
	}
	if (fine)
		pp_flat_release(&flat);
	if (key)
		pp_identity_leave(&c->identity, p);
	return fine;
}

static pp_status
profiles_add(struct columns *c, struct pp_answer *a, const struct pp_subject *subject,
             const struct pp_compared *params)
{
	const struct pp_sequence *s = subject->sequence;
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < s->n && status == PP_OK; i++) {
		size_t value = value_find(c, a, s->label(s->data, i, pp_slice_z(subject->by)));
		const struct pp_profile *p;
		size_t metric;
		bool kept;

		status = s->load(s->data, i, &p);
		if (status == PP_OK && !c->first)
			status = pp_asked_metric(&params->asked, p, a, &c->metric);
		if (status != PP_OK)
			return status;
		metric = c->first ? pp_profile_metric_like(p, c->first, c->metric) : c->metric;
		if (metric >= p->metrics.n)
			return pp_answer_fail(
			    a, PP_E_UNSUPPORTED, "no-metric",
			    "%s does not measure what the profiles before it do; --where selects "
			    "others",
			    subject->topics[i].file);
		if (!c->first && !pp_identity_init(&c->identity, p->strs.seed))
			return pp_answer_fail_status(a, PP_E_NOMEM);
		if (!profile_add(c, p, metric, value, &kept) ||
		    ((kept || !c->first) && !s->keep(s->data)))
			return pp_answer_fail_status(a, PP_E_NOMEM);
		c->first = c->first ? c->first : p;
	}
	return status;
}

/* ---- rows ---- */

/* Groups that turned out to be one are one row, and sums become those of a profile. */
static void
rows_settle(struct columns *c)
{
	size_t i, v, n = 0;

	for (i = 0; i < c->rows.n; i++) {
		uint32_t group = pp_identity_find(&c->identity, c->rows.at[i].group);
		struct cost *from = &c->costs.at[c->rows.at[i].group * c->n];
		struct cost *to = &c->costs.at[group * c->n];

		for (v = 0; v < c->n && from != to; v++) {
			to[v].self += from[v].self;
			to[v].total += from[v].total;
		}
	}
	for (i = 0; i < c->rows.n; i++) {
		struct row *row = &c->rows.at[i];
		double least = INFINITY, most = -INFINITY;

		if (pp_identity_find(&c->identity, row->group) != row->group)
			continue;
		for (v = 0; v < c->n; v++) {
			struct cost *cost = &c->costs.at[row->group * c->n + v];

			cost->self /= (double)c->values[v].profiles;
			cost->total /= (double)c->values[v].profiles;
			least = fmin(least, c->by_total ? cost->total : cost->self);
			most = fmax(most, c->by_total ? cost->total : cost->self);
		}
		row->spread = most - least;
		c->rows.at[n++] = *row;
	}
	c->rows.n = n;
	for (v = 0; v < c->n; v++)
		c->values[v].whole /= (double)c->values[v].profiles;
}

static int
row_order(const void *left, const void *right, void *context)
{
	const struct row *a = left, *b = right;

	if (a->spread != b->spread)
		return a->spread > b->spread ? -1 : 1;
	return pp_func_row_cmp(a->profile, &a->profile->funcs.at[a->func], b->profile,
	                       &b->profile->funcs.at[b->func]);
}

static const struct cost *
cost_of(const void *data, size_t row, size_t value)
{
	const struct columns *c = data;

	return &c->costs.at[c->rows.at[row].group * c->n + value];
}

static void
self_get(const void *data, size_t row, size_t value, struct pp_datum *d)
{
	d->known = true;
	d->part = cost_of(data, row, value)->self;
}

static void
total_get(const void *data, size_t row, size_t value, struct pp_datum *d)
{
	d->known = true;
	d->part = cost_of(data, row, value)->total;
}

static void
people_get(const void *data, size_t row, size_t value, struct pp_datum *d)
{
	const struct columns *c = data;

	d->known = true;
	d->unit = c->unit;
	d->part = c->by_total ? cost_of(data, row, value)->total : cost_of(data, row, value)->self;
}

static void
spread_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct columns *c = data;

	d->known = true;
	d->unit = c->unit;
	d->part = c->rows.at[row].spread;
}

static pp_func
func_of(const void *data, size_t row, const struct pp_profile **p)
{
	const struct columns *c = data;

	*p = c->rows.at[row].profile;
	return c->rows.at[row].func;
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_profile *p;
	pp_func func = func_of(data, row, &p);

	pp_func_text(d->made, p, func);
	pp_datum_made(d);
}

/* ---- the answer ---- */

static const struct pp_answer_column func_columns[] = { PP_FUNC_COLUMNS, PP_MODULE_COLUMN(0) };

/* A column per value: own costs, totals, and what people see. */
static size_t
columns_make(const struct columns *c, struct pp_answer_column *to)
{
	size_t n = PP_COUNT_OF(func_columns), v;

	memcpy(to, func_columns, sizeof func_columns);
	for (v = 0; v < 2 * c->n; v++)
		to[n++] = (struct pp_answer_column){ .key = c->values[v % c->n].text,
			                             .group = v < c->n ? "self" : "total",
			                             .as = PP_AS_REAL,
			                             .arg = v % c->n,
			                             .get = v < c->n ? self_get : total_get };
	to[n++] = (struct pp_answer_column){ .key = "spread", .as = PP_AS_REAL, .get = spread_get };
	for (v = 0; v < c->n; v++)
		to[n++] = (struct pp_answer_column){ .title = c->values[v].title,
			                             .as = PP_AS_AMOUNT,
			                             .flags = PP_COLUMN_RIGHT | PP_COLUMN_OF_VALUE,
			                             .drop = v > 0,
			                             .arg = v,
			                             .get = people_get };
	to[n++] = (struct pp_answer_column){ .title = "function",
		                             .as = PP_AS_LABEL,
		                             .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
		                             .get = name_get };
	return n;
}

static void
values_text(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(((const struct columns *)data)->values[row].text));
}

static void
values_profiles(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = true;
	d->count = ((const struct columns *)data)->values[row].profiles;
}

static void
values_whole(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = true;
	d->part = ((const struct columns *)data)->values[row].whole;
}

static void
columns_answer(struct columns *c, struct pp_answer *a, const struct pp_subject *subject,
               struct pp_answer_column *columns)
{
	static const struct pp_answer_column values[] = {
		{ .key = "value", .as = PP_AS_NAME, .get = values_text },
		{ .key = "profiles", .as = PP_AS_COUNT, .get = values_profiles },
		{ .key = "total", .as = PP_AS_REAL, .get = values_whole },
	};

	pp_answer_unit(a, c->first, c->metric);
	pp_answer_text(a, "by", PP_AS_NAME, pp_slice_z(subject->by));
	pp_answer_table(a, &(struct pp_answer_table){ .key = "values",
	                                              .columns = values,
	                                              .column_count = PP_COUNT_OF(values),
	                                              .data = c,
	                                              .rows = c->n,
	                                              .flags = PP_TABLE_WHOLE | PP_TABLE_NO_CSV |
	                                                       PP_TABLE_NO_TEXT });
	pp_answer_say_name(a, PP_INK_TITLE,
	                   pp_text_of(c->first, c->first->metrics.at[c->metric].name));
	pp_answer_say(a, PP_INK_PLAIN, "%s per profile, by ", c->by_total ? ", totals" : "");
	pp_answer_say_name(a, PP_INK_PLAIN, pp_slice_z(subject->by));
	pp_answer_say(a, PP_INK_PLAIN, "\n\n");
	pp_answer_table(a, &(struct pp_answer_table){ .key = "functions",
	                                              .one = "function",
	                                              .many = "functions",
	                                              .columns = columns,
	                                              .column_count = columns_make(c, columns),
	                                              .data = c,
	                                              .func = func_of,
	                                              .rows = c->rows.n,
	                                              .usual = ROWS_SHOWN });
	pp_answer_count(a, "count", c->rows.n);
}

pp_status
pp_diff_by(struct pp_answer *a, const struct pp_subject *subject, const struct pp_compared *params,
           bool by_total)
{
	struct columns *c = pp_answer_own(a, sizeof *c, columns_release);
	struct pp_answer_column *columns;
	pp_status status;

	if (!c)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	c->by_total = by_total;
	status = values_find(c, a, subject);
	if (status == PP_OK)
		status = profiles_add(c, a, subject, params);
	columns = pp_answer_alloc(a, (PP_COUNT_OF(func_columns) + 3 * c->n + 2) * sizeof *columns);
	if (status == PP_OK && (!columns || a->failed))
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (status != PP_OK)
		return status;
	c->unit = pp_text_of(c->first, c->first->metrics.at[c->metric].unit);
	rows_settle(c);
	if (c->rows.n > 1)
		pp_sort(c->rows.at, c->rows.n, sizeof *c->rows.at, row_order, NULL);
	columns_answer(c, a, subject, columns);
	return PP_OK;
}
