/*
 * trend of a store as it is shown: points of one function, and steps.
 */
#include <math.h>

#include "questions/trend_time.h"
#include "text/escape.h"
#include "text/units.h"

/* As it is typed, in the largest unit. */
static void
every_print(struct pp_buf *out, int64_t every)
{
	size_t i = 0;

	while (i + 1 < PP_TIMED_UNITS && every % (pp_timed_units[i].seconds * PP_TIMED_SECOND))
		i++;
	pp_buf_addf(out, "%lld%c",
	            (long long)(every / (pp_timed_units[i].seconds * PP_TIMED_SECOND)),
	            pp_timed_units[i].letter);
}

/* Rows of points are spans with profiles, rows of steps are steps. */
static const struct pp_step_span *
point_of(const struct pp_timed *t, size_t row)
{
	return &t->found.spans.at[t->shown[row]];
}

static const struct pp_step_span *
step_at(const struct pp_timed *t, size_t row)
{
	return &t->found.spans.at[t->found.steps.at[row].span];
}

enum part { TIME, BY, DATE, LABEL };

static void
span_get(const struct pp_timed *t, const struct pp_step_span *s, size_t part, struct pp_datum *d)
{
	switch ((enum part)part) {
	case TIME:
		d->known = true;
		d->whole = s->time;
		return;
	case BY:
		d->known = t->key.n > 0;
		d->text = pp_text_of(t->all, s->by);
		return;
	case DATE:
		pp_units_date(d->made,
		              (s->time - (s->time % PP_TIMED_SECOND < 0 ? PP_TIMED_SECOND : 0)) /
		                  PP_TIMED_SECOND);
		break;
	case LABEL:
		pp_escape_terminal(d->made, pp_text_of(t->all, s->by));
		break;
	}
	pp_datum_made(d);
}

static void
point_get(const void *data, size_t row, size_t part, struct pp_datum *d)
{
	span_get(data, point_of(data, row), part, d);
}

static void
step_get(const void *data, size_t row, size_t part, struct pp_datum *d)
{
	span_get(data, step_at(data, row), part, d);
}

static void
profiles_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, (uint64_t)point_of(data, row)->sum.profiles);
}

enum cost { SELF, TOTAL, WHOLE, MEAN, ERROR, ERROR_KNOWN };

static void
cost_get(const void *data, size_t row, size_t cost, struct pp_datum *d)
{
	const struct pp_timed *t = data;
	const struct pp_step_side *now = &t->found.now[t->shown[row]];
	double self = t->found.selfs[t->shown[row]];
	const double costs[] = { self, t->found.totals[t->shown[row]], now->whole,
		                 self / now->profiles, pp_step_error(now) };

	if (cost != ERROR_KNOWN || now->runs > 1)
		pp_datum_amount(d, t->all, 0, costs[cost == ERROR_KNOWN ? ERROR : cost]);
}

static void
share_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_timed *t = data;

	pp_datum_part(d, t->found.parts[t->shown[row]], t->found.now[t->shown[row]].whole);
}

static void
bar_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_timed *t = data;
	size_t i = t->shown[row];

	pp_datum_part(d, t->found.selfs[i] / t->found.now[i].profiles, t->most);
}

static void
side_get(const void *data, size_t row, size_t after, struct pp_datum *d)
{
	const struct pp_timed *t = data;
	const struct pp_step *s = &t->found.steps.at[row];

	pp_datum_amount(d, t->all, 0, after ? s->after : s->before);
}

static void
status_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_step *s = &((const struct pp_timed *)data)->found.steps.at[row];

	pp_datum_text(d, pp_slice_z(s->before == 0         ? "new"
	                            : s->after == 0        ? "gone"
	                            : s->after > s->before ? "grew"
	                                                   : "shrank"));
}

static void
change_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_step *s = &((const struct pp_timed *)data)->found.steps.at[row];

	if (s->before == 0)
		pp_buf_adds(d->made, "new");
	else
		pp_buf_addf(d->made, "%+.1f%%", (s->after / s->before - 1) * 100);
	pp_datum_made(d);
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_timed *t = data;

	pp_func_text(d->made, t->all, t->found.steps.at[row].row);
	pp_datum_made(d);
}

static pp_func
func_of(const void *data, size_t row, const struct pp_profile **p)
{
	const struct pp_timed *t = data;

	*p = t->all;
	return t->found.steps.at[row].row;
}

#define BY_FLAGS (PP_COLUMN_NO_CSV | PP_COLUMN_KEEP_GROUP)
#define COST_COLUMN(name, shown, what)                                                             \
	{                                                                                          \
		.key = (name), .title = (shown), .as = PP_AS_AMOUNT, .flags = PP_COLUMN_RIGHT,     \
		.get = cost_get, .arg = (what)                                                     \
	}

static const struct pp_answer_column point_columns[] = {
	{ .title = "time", .as = PP_AS_LABEL, .get = point_get, .arg = DATE },
	{ .title = "by",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX,
	  .get = point_get,
	  .arg = LABEL },
	{ .key = "time", .as = PP_AS_INT, .get = point_get, .arg = TIME },
	{ .key = "by",
	  .group = "by",
	  .as = PP_AS_NAME,
	  .flags = BY_FLAGS,
	  .get = point_get,
	  .arg = BY },
	{ .key = "profiles",
	  .title = "profiles",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 3,
	  .get = profiles_get },
	COST_COLUMN("self", NULL, SELF),
	COST_COLUMN("total", NULL, TOTAL),
	COST_COLUMN("whole", NULL, WHOLE),
	COST_COLUMN("mean", "self/profile", MEAN),
	COST_COLUMN("se", NULL, ERROR),
	COST_COLUMN(NULL, "+-", ERROR_KNOWN),
	{ .title = "self%",
	  .as = PP_AS_SHARE,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 1,
	  .get = share_get },
	{ .title = "", .as = PP_AS_BAR, .drop = 2, .get = bar_get },
};

static const struct pp_answer_column step_columns[] = {
	{ .key = "name", .as = PP_AS_NAME, .part = PP_PART_NAME },
	{ .key = "file", .as = PP_AS_NAME, .part = PP_PART_FILE },
	{ .title = "since", .as = PP_AS_LABEL, .get = step_get, .arg = DATE },
	{ .title = "by",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX,
	  .get = step_get,
	  .arg = LABEL },
	{ .key = "time", .as = PP_AS_INT, .get = step_get, .arg = TIME },
	{ .key = "by",
	  .group = "by",
	  .as = PP_AS_NAME,
	  .flags = BY_FLAGS,
	  .get = step_get,
	  .arg = BY },
	{ .key = "before",
	  .title = "before",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .get = side_get },
	{ .key = "after",
	  .title = "after",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .get = side_get,
	  .arg = 1 },
	{ .key = "status", .as = PP_AS_TEXT, .get = status_get },
	{ .title = "change", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = change_get },
	{ .title = "function",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	  .get = name_get },
};

/* Columns without those that say nothing: labels that were not asked about, the function that was. */
static void
table_add(struct pp_timed *t, const char *key, const struct pp_answer_column *from, size_t n,
          size_t rows, bool named)
{
	struct pp_answer_column *columns = pp_answer_alloc(t->answer, n * sizeof *columns);
	size_t i, count = 0;

	for (i = 0; columns && i < n; i++) {
		if ((!named && (from[i].part || from[i].get == name_get)) ||
		    (!t->key.n && from[i].title && strcmp(from[i].title, "by") == 0))
			continue;
		columns[count] = from[i];
		if (from[i].group && t->key.n)
			columns[count].key = (const char *)t->key.p;
		count++;
	}
	pp_answer_table(t->answer, &(struct pp_answer_table){ .key = key,
	                                                      .columns = columns,
	                                                      .column_count = count,
	                                                      .data = t,
	                                                      .rows = rows,
	                                                      .flags = rows ? 0 : PP_TABLE_NO_TEXT,
	                                                      .func = func_of });
}

/* Why there is no step: nothing changed, or too few runs could show it. */
static void
verdict_say(struct pp_timed *t, pp_func func)
{
	if (!pp_steps_are_possible(&t->found))
		pp_answer_say(t->answer, PP_INK_PLAIN, PP_TREND_TOO_FEW "%s\n", PP_STEP_RUNS,
		              PP_STEP_RUNS, t->key.n ? " of each" : "");
	else
		pp_answer_say(t->answer, PP_INK_PLAIN, "%s%s by more than noise\n",
		              t->key.n ? "within each value, " : "",
		              func ? "it did not change" : "no function changed");
}

void
pp_timed_answer(struct pp_timed *t, pp_func func)
{
	struct pp_answer *a = t->answer;
	struct pp_buf every = { 0 };
	uint64_t profiles = 0;
	size_t i, points = 0;

	for (i = 0; i < t->found.spans.n; i++)
		profiles += (uint64_t)t->found.spans.at[i].sum.profiles;
	if (func)
		pp_answer_text(a, "function", PP_AS_NAME,
		               pp_text_of(t->all, t->all->funcs.at[func].name));
	pp_answer_unit(a, t->all, 0);
	pp_answer_int(a, "every", t->every);
	if (!pp_steps_are_possible(&t->found))
		pp_answer_bool(a, "too_few", true);
	every_print(&every, t->every);
	pp_answer_say_name(a, PP_INK_TITLE, pp_text_of(t->all, t->all->metrics.at[0].name));
	pp_answer_say(a, PP_INK_PLAIN, " of ");
	if (func)
		pp_answer_say_name(a, PP_INK_TITLE,
		                   pp_text_of(t->all, t->all->funcs.at[func].name));
	pp_answer_say(a, PP_INK_PLAIN, "%s in %llu %s, every %s\n\n",
	              func ? "" : "functions themselves", (unsigned long long)profiles,
	              pp_plural(profiles, "profile", "profiles"), every.p ? every.p : "");
	pp_buf_release(&every);
	for (i = 0; i < t->found.spans.n; i++)
		if (t->found.spans.at[i].sum.runs > 0) {
			t->most = fmax(t->most,
			               t->found.selfs[i] / t->found.spans.at[i].sum.profiles);
			t->shown[points++] = i;
		}
	if (func) {
		table_add(t, "points", point_columns, PP_COUNT_OF(point_columns), points, false);
		pp_answer_say(a, PP_INK_PLAIN, "\n");
	}
	if (!t->found.steps.n)
		verdict_say(t, func);
	else
		pp_answer_say(a, PP_INK_PLAIN, "steps, per profile:\n");
	table_add(t, "steps", step_columns, PP_COUNT_OF(step_columns), t->found.steps.n, !func);
}
