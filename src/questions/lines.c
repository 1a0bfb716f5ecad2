/*
 * lines: what each source line costs; with the source at hand, the annotated source.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "analysis/linecost.h"
#include "questions/question.h"
#include "text/escape.h"
#include "text/units.h"

#define ROWS_SHOWN 25
#define FILES_SHOWN 5
/* Lines of source shown around a line that costs something. */
#define CONTEXT 3
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
static pp_status lines_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param lines_params[] = {
	{ "sort", 0, PP_PARAM_CHOICE, "cost|hits|name", "the order of the rows (default: cost)",
	  PP_HINT_NONE, offsetof(struct lines_params, sort) },
	{ "source", 0, PP_PARAM_TEXTS, "DIR|auto",
	  "print the source annotated that is found under DIR, or where the profile says (auto); "
	  "may be repeated",
	  PP_HINT_FILE, offsetof(struct lines_params, source) },
	{ "annotate", 0, PP_PARAM_FLAG, NULL, "print the source annotated if the profile holds it",
	  PP_HINT_NONE, offsetof(struct lines_params, annotate) },
	{ 0 },
};
static const struct pp_param_group lines_group = { "Rows", lines_params };

static const struct pp_param_use lines_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &lines_group, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct lines_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct lines_params, min), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_lines = {
	.name = "lines",
	.summary = "what each source line costs, or the annotated source",
	.params = lines_uses,
	.params_size = sizeof(struct lines_params),
	.scope_at = offsetof(struct lines_params, scope),
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.init = lines_init,
	.run = lines_run,
};

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
	double whole;
};

static void
lines_release(void *data)
{
	struct lines *l = data;

	pp_linecost_release(&l->lines);
}

static double
cost_of(const struct lines *l, size_t row)
{
	return pp_value_double(&l->lines.profile->metrics.at[l->metric],
	                       l->lines.cost.at[row * l->lines.metrics + l->metric]);
}

static void
cost_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct lines *l = data;

	pp_datum_value(d, l->lines.profile, metric,
	               l->lines.cost.at[row * l->lines.metrics + metric]);
}

static void
share_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct lines *l = data;

	pp_datum_part(d, cost_of(l, row), l->whole);
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

/* Tabs become blanks, the indentation goes unless it is to be kept. */
static void
source_add(struct pp_buf *out, struct pp_slice text, bool keep_indent)
{
	struct pp_buf plain = { 0 };
	size_t i = 0;

	while (!keep_indent && i < text.n && (text.p[i] == ' ' || text.p[i] == '\t'))
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
	source_add(&whole, text, false);
	if (whole.n)
		pp_text_shorten(d->made, whole.p, whole.n, TEXT_COLUMNS);
	pp_buf_release(&whole);
	pp_datum_made(d);
}

static void
rows_table(struct pp_answer *a, const struct lines *l)
{
	const struct pp_profile *p = l->lines.profile;
	const unsigned right = PP_COLUMN_RIGHT;
	const struct pp_answer_column made[] = {
		{ .title = "cost",
		  .as = PP_AS_VALUE,
		  .flags = right,
		  .arg = l->metric,
		  .get = cost_get },
		{ .title = "cost%", .as = PP_AS_SHARE, .flags = right, .get = share_get },
		{ .key = "file", .as = PP_AS_NAME, .get = file_get },
		{ .key = "line", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = line_get },
		{ .key = "line",
		  .as = PP_AS_COUNT,
		  .flags = PP_COLUMN_NO_JSON,
		  .arg = 1,
		  .get = line_get },
		{ .key = "hits",
		  .title = "hits",
		  .as = PP_AS_COUNT,
		  .flags = right,
		  .get = hits_get },
		{ .title = "line", .as = PP_AS_LABEL, .flags = PP_COLUMN_FLEX, .get = place_get },
		{ .title = "source",
		  .as = PP_AS_LABEL,
		  .flags = PP_COLUMN_FLEX,
		  .drop = 1,
		  .get = source_get },
		{ .key = "cost", .as = PP_AS_VALUE, .each = p, .get = cost_get },
	};
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof made);

	if (!columns)
		return;
	memcpy(columns, made, sizeof made);
	pp_answer_table(a, &(struct pp_answer_table){
	                       .key = "lines",
	                       .one = "line",
	                       .many = "lines",
	                       .columns = columns,
	                       .column_count = PP_COUNT_OF(made),
	                       .data = l,
	                       .rows = l->lines.rows.n,
	                       .usual = ROWS_SHOWN,
	                       .flags = l->metric < p->metrics.n ? 0 : PP_TABLE_NO_TEXT });
}

/* ---- the annotated source ---- */

/* The lines of one file: rows [first, first + n) when sorted by place. */
struct file_span {
	size_t first, n;
	double cost;
};

struct annotation {
	struct pp_answer *answer;
	const struct pp_subject *subject;
	const struct lines *lines;
};

static int
compare_spans(const void *left, const void *right)
{
	const struct file_span *a = left, *b = right;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static struct file_span *
spans_find(const struct lines *l, size_t *count)
{
	struct file_span *spans = calloc(l->lines.rows.n + 1, sizeof *spans);
	size_t i;

	*count = 0;
	for (i = 0; spans && i < l->lines.rows.n; i++) {
		if (i == 0 || l->lines.rows.at[i].file != l->lines.rows.at[i - 1].file)
			spans[(*count)++].first = i;
		spans[*count - 1].n++;
		spans[*count - 1].cost += cost_of(l, i);
	}
	if (spans)
		qsort(spans, *count, sizeof *spans, compare_spans);
	return spans;
}

static bool
source_line(const struct annotation *x, pp_str file, uint32_t line, struct pp_slice *text)
{
	const struct pp_source_text *whole = x->subject->source
	                                         ? x->subject->source(x->subject->source_data,
	                                                              x->lines->lines.profile, file)
	                                         : NULL;

	return whole && pp_source_text_line(whole, line, text);
}

/* A cell of a fixed width, and the buffer emptied. */
static void
cell_say(const struct annotation *x, enum pp_ink ink, struct pp_buf *cell, size_t width)
{
	size_t columns = cell->n ? pp_text_columns(cell->p, cell->n) : 0;

	pp_answer_say(x->answer, PP_INK_PLAIN, "%*s", (int)(columns < width ? width - columns : 0),
	              "");
	pp_answer_say(x->answer, ink, "%s", cell->n ? cell->p : "");
	cell->n = 0;
}

static void
line_say(const struct annotation *x, size_t row, bool has_cost, uint32_t number,
         struct pp_slice text)
{
	const struct lines *l = x->lines;
	const struct pp_profile *p = l->lines.profile;
	double cost = has_cost ? cost_of(l, row) : 0;
	struct pp_buf cell = { 0 };

	if (has_cost)
		pp_units_share(&cell, cost, l->whole);
	cell_say(x, has_cost ? pp_ink_of_share(cost, l->whole) : PP_INK_PLAIN, &cell, 8);
	if (has_cost)
		pp_units_value(&cell, pp_text_of(p, p->metrics.at[l->metric].unit), cost);
	cell_say(x, PP_INK_PLAIN, &cell, 12);
	if (l->lines.has_hits) {
		if (has_cost)
			pp_units_count(&cell, (double)l->lines.rows.at[row].hits);
		cell_say(x, PP_INK_PLAIN, &cell, 11);
	}
	pp_answer_say(x->answer, PP_INK_FAINT, "  %6u ", number);
	source_add(&cell, text, true);
	pp_answer_say(x->answer, PP_INK_PLAIN, "%s\n", cell.n ? cell.p : "");
	pp_buf_release(&cell);
}

/* The lines near rows that cost at least `least`. */
static void
file_say(const struct annotation *x, const struct file_span *span, double least)
{
	const struct lines *l = x->lines;
	uint32_t printed = 0, number;
	struct pp_slice text;
	size_t i, row, end = span->first + span->n;

	for (i = span->first; i < end; i++) {
		const struct pp_line_cost *line = &l->lines.rows.at[i];
		uint32_t from = line->line > CONTEXT ? line->line - CONTEXT : 1;

		if (line->line == 0 || fabs(cost_of(l, i)) < least)
			continue;
		if (from <= printed)
			from = printed + 1;
		if (printed && from > printed + 1)
			pp_answer_say(x->answer, PP_INK_FAINT, "     ...\n");
		for (number = from, row = span->first; number <= line->line + CONTEXT; number++) {
			while (row < end && l->lines.rows.at[row].line < number)
				row++;
			if (!source_line(x, line->file, number, &text))
				break;
			line_say(x, row, row < end && l->lines.rows.at[row].line == number, number,
			         text);
			printed = number;
		}
	}
}

static pp_status
annotate(const struct annotation *x, const struct lines_params *params)
{
	const struct lines *l = x->lines;
	uint64_t limit = params->asked.budget.rows == PP_UNSET ? FILES_SHOWN
	                                                       : params->asked.budget.rows;
	size_t count, i, shown = 0, missing = 0;
	struct file_span *spans = spans_find(l, &count);

	for (i = 0; spans && i < count && (limit == 0 || shown < limit); i++) {
		pp_str file = l->lines.rows.at[spans[i].first].file;
		struct pp_buf text = { 0 };
		struct pp_slice line;
		bool known = false;
		size_t k;

		for (k = spans[i].first; k < spans[i].first + spans[i].n && !known; k++)
			known = source_line(x, file, l->lines.rows.at[k].line, &line);
		if (!known) {
			missing++;
			continue;
		}
		pp_answer_say(x->answer, PP_INK_PLAIN, "%s", shown++ ? "\n" : "");
		pp_answer_say_name(x->answer, PP_INK_TITLE, pp_text_of(l->lines.profile, file));
		pp_units_share(&text, spans[i].cost, l->whole);
		pp_answer_say(x->answer, PP_INK_PLAIN, "%s%s\n", text.n ? "  " : "",
		              text.n ? text.p : "");
		file_say(x, &spans[i], l->whole > 0 ? fmax(0, params->min) * l->whole : 0);
		pp_buf_release(&text);
	}
	if (missing)
		pp_answer_note(x->answer, "no-source", "the source of %zu %s is not known%s",
		               missing, pp_plural(missing, "file", "files"),
		               params->source.list.n ? "" : "; --source DIR looks for it");
	free(spans);
	return spans ? PP_OK : PP_E_NOMEM;
}

/* ---- running ---- */

/* Drops the rows below the least share, which leaves the order as it is. */
static void
rows_choose(struct lines *l, double min)
{
	size_t i, m, n = 0;

	if (!(min > 0))
		return;
	for (i = 0; i < l->lines.rows.n; i++) {
		if (l->whole > 0 && fabs(cost_of(l, i)) < min * l->whole)
			continue;
		l->lines.rows.at[n] = l->lines.rows.at[i];
		for (m = 0; m < l->lines.metrics; m++)
			l->lines.cost.at[n * l->lines.metrics + m] =
			    l->lines.cost.at[i * l->lines.metrics + m];
		n++;
	}
	l->lines.rows.n = n;
	l->lines.cost.n = n * l->lines.metrics;
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
	if (status == PP_OK && !pp_linecost_sort(&l->lines, (enum pp_line_order)sort, l->metric))
		status = PP_E_NOMEM;
	/* Nothing recorded, or nothing left by filters, is an empty listing. */
	if (status == PP_E_UNSUPPORTED &&
	    ((p->holds & PP_LINES) || (pp_scope_given(&params->scope) && p->tree.n <= 1 &&
	                               p->calls.rows.n + p->lines.rows.n == 0)))
		status = PP_OK;
	if (status == PP_OK && l->lines.whole && l->metric < p->metrics.n)
		l->whole = pp_value_double(&p->metrics.at[l->metric], l->lines.whole[l->metric]);
	return status;
}

static pp_status
lines_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct lines_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	bool annotated = !params->asked.exact && (params->annotate || params->source.list.n);
	struct lines *l = pp_answer_own(a, sizeof *l, lines_release);
	struct annotation x = { a, subject, l };
	pp_status status;

	if (!l)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	status = pp_asked_metric(&params->asked, p, a, &l->metric);
	if (status != PP_OK)
		return status;
	status = lines_compute(l, p, params, annotated);
	if (status == PP_E_UNSUPPORTED)
		return pp_answer_fail(a, status, "no-lines",
		                      "this profile does not know what single lines cost");
	if (status == PP_OK && annotated)
		status = annotate(&x, params);
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	if (annotated)
		return PP_OK;
	rows_choose(l, params->min);
	pp_answer_unit(a, p, l->metric);
	rows_table(a, l);
	pp_answer_count(a, "count", l->lines.rows.n);
	return PP_OK;
}
