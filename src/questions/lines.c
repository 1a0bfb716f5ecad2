/*
 * lines: what each source line costs; with the source at hand, the annotated source.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "questions/annotate.h"
#include "questions/excerpt.h"
#include "text/escape.h"
#include "text/units.h"

#define ROWS_SHOWN 25
#define FILES_SHOWN 5
/* Of a table's line of source. */
#define TEXT_COLUMNS 60

struct lines_params {
	struct pp_asked asked;
	struct pp_scope scope;
	unsigned sort; /* enum pp_line_order */
	struct pp_texts source;
	bool annotate;
	double min;
};

static void lines_init(void *);
static void lines_want(const void *, struct pp_want *);
static pp_status lines_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status lines_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param lines_params[] = {
	{ "sort", 0, PP_PARAM_CHOICE, "cost|hits|name", "the order of the rows (default: cost)",
	  PP_HINT_NONE, offsetof(struct lines_params, sort) },
	{ "source", 0, PP_PARAM_TEXTS, "DIR|auto",
	  "print annotated source found under DIR, or where the profile says it is (auto); "
	  "may be repeated",
	  PP_HINT_FILE, offsetof(struct lines_params, source) },
	{ "annotate", 0, PP_PARAM_FLAG, NULL,
	  "print the annotated source if the profile "
	  "contains it",
	  PP_HINT_NONE, offsetof(struct lines_params, annotate) },
	{ 0 },
};
static const struct pp_param_group lines_group = { "Rows", lines_params };

static const struct pp_param_use lines_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &lines_group, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct lines_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct lines_params, min), PP_GROUP_FIRST },
	{ 0 },
};

static bool lines_known(const struct pp_profile *);

const struct pp_question pp_question_lines = {
	.name = "lines",
	.summary = "what each source line costs, or the annotated source",
	.params = lines_uses,
	.params_size = sizeof(struct lines_params),
	.scope_at = offsetof(struct lines_params, scope),
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.init = lines_init,
	.want = lines_want,
	.answers = lines_known,
	.excerpt = lines_excerpt,
	.run = lines_run,
};

static bool
is_annotated(const struct lines_params *params)
{
	return params->annotate || params->source.list.n;
}

/* Whether costs belong to lines: of their own, or by the frames that they are of. */
static bool
lines_known(const struct pp_profile *p)
{
	size_t i = 1;

	while (i < p->frames.n && !p->frames.at[i].line)
		i++;
	return p->lines.rows.n || (p->tree.n > 1 && i < p->frames.n);
}

static void
lines_want(const void *data, struct pp_want *want)
{
	want->facets |= PP_GAINS | PP_SOURCE;
	if (is_annotated(data))
		want->facets |= PP_SITES;
}

/* Here filters choose functions. */
static void
lines_init(void *data)
{
	struct lines_params *params = data;

	params->scope.by_function = true;
}

/* ---- what is shown; lives in the answer ---- */

struct lines {
	struct pp_linecost lines;
	size_t metric;
	double whole;         /* what shares are of */
	union pp_value total; /* the same or, where the metric falls, what is left of it */
};

static void
lines_release(void *data)
{
	struct lines *l = data;

	pp_linecost_release(&l->lines);
}

/* What its share of the whole is: what was gained, where the metric falls. */
static double
share_of(const struct lines *l, size_t row)
{
	return pp_value_double(&l->lines.profile->metrics.at[l->metric],
	                       pp_linecost_gained(&l->lines, row, l->metric));
}

/* How large a cost is, above 0 or below. */
static double
size_of(const struct lines *l, size_t row)
{
	return fmax(fabs(share_of(l, row)),
	            fabs(pp_value_double(&l->lines.profile->metrics.at[l->metric],
	                                 pp_ledger_get(&l->lines.cost, row, l->metric))));
}

static void
cost_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct lines *l = data;

	pp_datum_value(d, l->lines.profile, metric, pp_ledger_get(&l->lines.cost, row, metric));
}

static void
gained_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct lines *l = data;
	const struct pp_profile *p = l->lines.profile;

	pp_datum_value(d, p, metric, pp_linecost_gained(&l->lines, row, metric));
}

static void
given_back_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct lines *l = data;
	const struct pp_profile *p = l->lines.profile;
	union pp_value given_back = pp_linecost_gained(&l->lines, row, metric);

	pp_value_sub(&p->metrics.at[metric], &given_back,
	             pp_ledger_get(&l->lines.cost, row, metric));
	pp_datum_value(d, p, metric, given_back);
}

static void
share_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct lines *l = data;

	pp_datum_part(d, share_of(l, row), l->whole);
	d->ink = pp_ink_of_share(d->part, d->all);
}

static void
hits_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct lines *l = data;

	if (l->lines.has_hits)
		pp_datum_count(d, l->lines.rows.at[row].hits);
}

static void
file_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct lines *l = data;
	pp_str file = l->lines.rows.at[row].file;

	if (file)
		pp_datum_text(d, pp_text_of(l->lines.profile, file));
}

/* CSV leaves a line that is not known empty, JSON has 0. */
static void
line_get(const void *data, size_t row, size_t csv, struct pp_datum *d)
{
	const struct lines *l = data;

	pp_datum_count(d, l->lines.rows.at[row].line);
	d->known = d->count > 0 || !csv;
}

static void
place_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct lines *l = data;
	const struct pp_line_cost *line = &l->lines.rows.at[row];
	struct pp_slice file = pp_text_of(l->lines.profile, line->file);

	pp_escape_terminal(d->made, file.n ? file : pp_slice_z("(no file)"));
	if (line->line)
		pp_buf_addf(d->made, ":%u", line->line);
	pp_datum_made(d);
}

/* "function": {"name", "file", "line", "column"} of its own. */
static void
function_get(const void *data, size_t row, size_t part, struct pp_datum *d)
{
	const struct lines *l = data;
	const struct pp_profile *p = l->lines.profile;
	const struct pp_func_row *f = &p->funcs.at[l->lines.rows.at[row].func];

	if (!l->lines.rows.at[row].func)
		return;
	if (part == PP_PART_NAME)
		pp_datum_text(d, pp_text_of(p, f->name));
	else if (part == PP_PART_FILE && f->file)
		pp_datum_text(d, pp_text_of(p, f->file));
	else if (part == PP_PART_LINE && f->line)
		pp_datum_count(d, f->line);
	else if (part == PP_PART_COLUMN && f->column)
		pp_datum_count(d, f->column);
}

static void
label_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct lines *l = data;

	if (l->lines.rows.at[row].func)
		pp_func_text(d->made, l->lines.profile, l->lines.rows.at[row].func);
	pp_datum_made(d);
}

/* Tabs become blanks, the indentation goes. */
static void
source_add(struct pp_buf *out, struct pp_slice text)
{
	struct pp_buf plain = { 0 };
	size_t i = 0;

	while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\t'))
		i++;
	for (; i < text.n; i++)
		if (text.p[i] == '\t')
			pp_buf_adds(&plain, "    ");
		else
			pp_buf_addc(&plain, (char)text.p[i]);
	if (plain.n)
		pp_escape_terminal(out, pp_slice_of(plain.p, plain.n));
	pp_buf_release(&plain);
}

/* The embedded text only: with directories there is the annotated view. */
static void
source_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct lines *l = data;
	const struct pp_line_cost *line = &l->lines.rows.at[row];
	struct pp_slice text;
	struct pp_buf whole = { 0 };

	if (!pp_profile_source_line(l->lines.profile, line->file, line->line, &text))
		return;
	source_add(&whole, text);
	if (whole.n)
		pp_text_shorten(d->made, whole.p, whole.n, TEXT_COLUMNS);
	pp_buf_release(&whole);
	pp_datum_made(d);
}

/* For scripts and for people; `arg` and `each` of values are to be set. */
static const struct pp_answer_column lines_columns[] = {
	{ .title = "gained",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .get = gained_get },
	{ .title = "given back",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .get = given_back_get },
	{ .title = "cost", .as = PP_AS_VALUE, .flags = PP_COLUMN_RIGHT, .get = cost_get },
	{ .title = "cost%", .as = PP_AS_SHARE, .flags = PP_COLUMN_RIGHT, .get = share_get },
	{ .key = "file", .as = PP_AS_NAME, .get = file_get },
	{ .key = "line", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = line_get },
	{ .key = "line", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_JSON, .arg = 1, .get = line_get },
	{ .key = "hits",
	  .title = "hits",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .get = hits_get },
	{ .title = "line", .as = PP_AS_LABEL, .flags = PP_COLUMN_FLEX, .get = place_get },
	{ .title = "function",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	  .drop = 2,
	  .get = label_get },
	{ .title = "source",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX,
	  .drop = 1,
	  .get = source_get },
	{ .key = "cost", .as = PP_AS_VALUE, .get = cost_get },
	{ .key = "gained", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = gained_get },
	{ .key = "given_back", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = given_back_get },
	{ .key = "name",
	  .group = "function",
	  .as = PP_AS_NAME,
	  .flags = PP_COLUMN_NO_CSV,
	  .arg = PP_PART_NAME,
	  .get = function_get },
	{ .key = "function",
	  .as = PP_AS_NAME,
	  .flags = PP_COLUMN_NO_JSON,
	  .arg = PP_PART_NAME,
	  .get = function_get },
	{ .key = "file",
	  .group = "function",
	  .as = PP_AS_NAME,
	  .flags = PP_COLUMN_NO_CSV,
	  .arg = PP_PART_FILE,
	  .get = function_get },
	{ .key = "line",
	  .group = "function",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_NO_CSV,
	  .arg = PP_PART_LINE,
	  .get = function_get },
};

static void
rows_table(struct pp_answer *a, const struct lines *l)
{
	const struct pp_profile *p = l->lines.profile;
	bool falls = l->metric < p->metrics.n && pp_metric_falls(&p->metrics.at[l->metric]);
	bool known = falls && pp_metric_gained(p, l->metric) < p->metrics.n;
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof lines_columns);
	size_t i, n = 0;

	for (i = 0; columns && i < PP_COUNT_OF(lines_columns); i++) {
		struct pp_answer_column *c = &columns[n];

		*c = lines_columns[i];
		if (c->as == PP_AS_VALUE && c->key)
			c->each = p;
		else if (c->as == PP_AS_VALUE)
			c->arg = l->metric;
		if (falls && c->title && c->get == cost_get)
			c->title = "net";
		n += !(c->flags & PP_COLUMN_FALLS) || (c->each ? pp_profile_has_gains(p) : known);
	}
	if (!columns)
		return;
	pp_answer_table(a, &(struct pp_answer_table){
	                       .key = "lines",
	                       .one = "line",
	                       .many = "lines",
	                       .columns = columns,
	                       .column_count = n,
	                       .data = l,
	                       .rows = l->lines.rows.n,
	                       .usual = ROWS_SHOWN,
	                       .flags = l->metric < p->metrics.n ? 0 : PP_TABLE_NO_TEXT });
}

/* ---- running ---- */

/* Drops the rows below the least share, which leaves the order as it is. */
static void
rows_choose(struct lines *l, double min)
{
	size_t i, n = 0;

	if (!(min > 0))
		return;
	for (i = 0; i < l->lines.rows.n; i++) {
		if (l->whole > 0 && size_of(l, i) < min * l->whole)
			continue;
		l->lines.rows.at[n] = l->lines.rows.at[i];
		pp_ledger_move(&l->lines.cost, n++, i);
	}
	l->lines.rows.n = n;
}

static pp_status
lines_compute(struct lines *l, const struct pp_profile *p, const struct lines_params *params,
              bool by_place)
{
	unsigned sort = by_place ? PP_LINES_BY_PLACE : params->sort;
	pp_status status = PP_OK;

	l->lines = (struct pp_linecost){ .profile = p, .metrics = p->metrics.n };
	if (p->facets & PP_FACETS)
		status = pp_linecost_compute(p, &l->lines);
	if (!params->asked.metric && status == PP_OK)
		l->metric = pp_linecost_metric(&l->lines, l->metric);
	if (status == PP_OK && !pp_linecost_sort(&l->lines, (enum pp_line_order)sort, l->metric))
		status = PP_E_NOMEM;
	/* Nothing recorded, or nothing left by filters, is an empty listing. */
	if (status == PP_E_UNSUPPORTED &&
	    ((p->holds & PP_LINES) || (pp_scope_given(&params->scope) && p->tree.n <= 1 &&
	                               p->calls.rows.n + p->lines.rows.n == 0)))
		status = PP_OK;
	if (status == PP_OK && l->metric < p->metrics.n)
		l->total = pp_profile_total(p, l->metric);
	if (status == PP_OK && l->lines.whole && l->metric < p->metrics.n) {
		union pp_value whole = pp_linecost_whole(
		    &l->lines, l->metric, p->lines.rows.n && pp_scope_given(&params->scope));

		l->whole = pp_value_double(&p->metrics.at[l->metric], whole);
		if (!pp_metric_falls(&p->metrics.at[l->metric]))
			l->total = whole;
	}
	return status;
}

/* The source with what it costs: for people instead of the rows, for scripts beside them. */
static pp_status
annotate(const struct pp_subject *subject, const struct lines_params *params, struct lines *l,
         struct pp_answer *a)
{
	uint64_t files = params->asked.budget.rows;
	bool exact = params->asked.exact;
	struct pp_annotation x = { .answer = a,
		                   .subject = subject,
		                   .lines = &l->lines,
		                   .metric = l->metric,
		                   .whole = l->whole,
		                   .files = files != PP_UNSET ? files
		                            : exact           ? 0
		                                              : FILES_SHOWN,
		                   .min = params->min > 0 ? params->min : 0,
		                   .looked = params->source.list.n > 0 };

	if (l->metric >= l->lines.profile->metrics.n)
		return PP_OK;
	return exact ? pp_annotation_json(&x) : pp_annotation_say(&x);
}

static pp_status
failed(struct pp_answer *a, pp_status status)
{
	if (status == PP_E_UNSUPPORTED)
		return pp_answer_fail(a, status, "no-lines",
		                      "this profile does not know what individual lines cost");
	return pp_answer_fail_status(a, status);
}

static pp_status
lines_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct lines_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	struct lines *l = pp_answer_own(a, sizeof *l, lines_release), placed = { 0 };
	pp_status status;

	if (!l)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	status = pp_asked_metric(&params->asked, p, a, &l->metric);
	if (status != PP_OK)
		return status;
	if (params->asked.exact || !is_annotated(params)) {
		status = lines_compute(l, p, params, false);
		if (status != PP_OK)
			return failed(a, status);
		rows_choose(l, params->min);
		pp_answer_unit(a, p, l->metric);
		pp_answer_units(a, p);
		rows_table(a, l);
		pp_answer_count(a, "count", l->lines.rows.n);
	}
	if (is_annotated(params) && params->asked.form != PP_RENDER_CSV) {
		placed.metric = l->metric;
		status = lines_compute(&placed, p, params, true);
		if (status == PP_OK)
			status = annotate(subject, params, &placed, a);
		lines_release(&placed);
	}
	return status == PP_OK ? PP_OK : failed(a, status);
}

/* ---- under a budget; lives in the answer ---- */

struct excerpt {
	const struct lines *lines;
	const struct pp_handles *handles;
};

static double
excerpt_percent(void *data, size_t row)
{
	const struct excerpt *e = data;

	return e->lines->whole != 0 ? share_of(e->lines, row) / e->lines->whole * 100 : 0;
}

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct excerpt *e = data;
	const struct lines *l = e->lines;
	const struct pp_profile *p = l->lines.profile;
	const struct pp_line_cost *line = &l->lines.rows.at[row];
	struct pp_slice file = pp_text_of(p, line->file), source;
	struct pp_buf place = { 0 };

	if (l->metric < p->metrics.n) {
		pp_row_pct(r, excerpt_percent(data, row), l->whole == 0 ? 0 : 100);
		pp_row_value(r, &p->metrics.at[l->metric],
		             pp_ledger_get(&l->lines.cost, row, l->metric));
	} else {
		pp_row_null(r);
		pp_row_null(r);
	}
	if (l->lines.has_hits)
		pp_row_count(r, line->hits);
	else
		pp_row_null(r);
	pp_buf_add(&place, file.p, file.n);
	if (line->line)
		pp_buf_addf(&place, ":%u", line->line);
	pp_row_text(r, pp_slice_of(place.p ? place.p : "", place.n));
	pp_row_handle(r, 'f', pp_handles_rank(e->handles, line->func));
	if (pp_profile_source_line(p, line->file, line->line, &source))
		pp_row_text(r, pp_slice_trim(source));
	else
		pp_row_null(r);
	r->out->failed |= place.failed;
	pp_buf_release(&place);
}

static pp_status
lines_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	static const char *const columns[] = { "pct", "cost", "hits", "place", "f", "source" };
	const struct lines_params *params = data;
	const struct pp_topic *topic = subject->topics;
	const struct pp_profile *p = topic->profile;
	struct lines *l = pp_answer_own(x->answer, sizeof *l, lines_release);
	struct excerpt *e = pp_answer_alloc(x->answer, sizeof *e);
	pp_status status;

	if (!l || !e)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	status = pp_asked_metric(&params->asked, p, x->answer, &l->metric);
	if (status != PP_OK)
		return status;
	status = lines_compute(l, p, params, false);
	if (status != PP_OK)
		return failed(x->answer, status);
	rows_choose(l, params->min);
	*e = (struct excerpt){ .lines = l };
	e->handles = pp_excerpt_has_handles(x, topic) ? pp_excerpt_handles(x, topic) : NULL;
	pp_excerpt_head(x, topic, l->metric, l->total);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, l->lines.rows.n);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->rows = l->lines.rows.n;
	x->data = e;
	x->row = excerpt_row;
	x->percent = excerpt_percent;
	return PP_OK;
}
