/*
 * The tables of a report: own costs, functions, calls and lines.
 */
#include "output/html_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/call_shares.h"
#include "analysis/linecost.h"

#define NAME_MAX_LENGTH 96

/* ---- own costs of nodes ----------------------------------------------------------------- */

/* A row of a series and the node of the report that it belongs to. */
struct placed {
	uint32_t place;
	uint32_t line; /* its row + 1, where lines are known by frame */
	uint32_t row;
};

static int
compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Rows of one place and line are one row of the report. */
static bool
is_same(const struct placed *a, const struct placed *b)
{
	return a->place == b->place && a->line == b->line;
}

/* The rows of a series by their place in the report; NULL when out of memory. */
static struct placed *
rows_placed(const struct pp_html_data *h, size_t k, const struct pp_series *s, size_t *n)
{
	const struct pp_digest *d = h->digest;
	const struct pp_profile *p = d->profile[k];
	struct placed *rows = malloc(((size_t)s->rows + 1) * sizeof *rows);
	bool sorted = true;
	uint32_t row;

	*n = 0;
	for (row = 0; rows && row < s->rows; row++) {
		pp_node node = pp_series_node(s, row);
		uint32_t place = pp_digest_place(d, k, node);

		if (place == PP_DIGEST_NOWHERE || !pp_series_present(s, row))
			continue;
		rows[*n] = (struct placed){ place,
			                    h->line_of[k] && node
			                        ? h->line_of[k][pp_tree_frame(&p->tree, node)]
			                        : 0,
			                    row };
		sorted = sorted && (*n == 0 || compare_placed(&rows[*n - 1], &rows[*n]) <= 0);
		++*n;
	}
	if (rows && !sorted)
		qsort(rows, *n, sizeof *rows, compare_placed);
	return rows;
}

/* A column of sums over the rows of each place; takes the values of the rows over. */
static void
put_sums(struct pp_html_data *h, const char *name, const struct pp_metric *m,
         const struct placed *rows, size_t n, union pp_value *values)
{
	size_t i, out = 0;
	bool any = false;

	if (!values)
		h->status = PP_E_NOMEM;
	for (i = 0; values && i < n; i++) {
		any = any || !pp_value_is_zero(m, values[i]);
		if (i && is_same(&rows[i], &rows[i - 1]))
			pp_value_add(m, &values[out - 1], values[i]);
		else
			values[out++] = values[i];
	}
	if (any)
		pp_column_values(&h->columns, name, m, values, out, 1);
	free(values);
}

/* One column of a series. */
static void
put_series_column(struct pp_html_data *h, const char *name, const struct pp_metric *m,
                  const struct pp_series *s, const struct placed *rows, size_t n, size_t cell)
{
	union pp_value *values = malloc((n + 1) * sizeof *values);
	size_t i;

	for (i = 0; values && i < n; i++)
		values[i] = pp_cell_value(m, pp_series_cell(s, rows[i].row, cell));
	put_sums(h, name, m, rows, n, values);
}

/*
 * Of a metric that falls: what is in the totals that the file measured, but in no own cost. With it, sums of own costs give
 * the totals that `top` has.
 */
static void
put_unseen(struct pp_html_data *h, const char *name, const struct pp_profile *p,
           const struct pp_series *s, const struct placed *rows, size_t n, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value *values = malloc((n + 1) * sizeof *values);
	union pp_value *by_node = calloc(p->tree.n, sizeof *by_node);
	uint32_t row;
	size_t i;

	for (row = 0; by_node && row < s->rows; row++) {
		pp_node node = pp_series_node(s, row), parent = pp_tree_parent(&p->tree, node);
		union pp_value total = pp_cell_value(m, pp_series_measured(p, s, row)[metric]);

		pp_value_add(m, &by_node[node], total);
		pp_value_sub(m, &by_node[node], pp_cell_value(m, pp_series_cell(s, row, metric)));
		if (node && parent)
			pp_value_sub(m, &by_node[parent], total);
	}
	for (i = 0; values && by_node && i < n; i++) {
		pp_node node = pp_series_node(s, rows[i].row);

		values[i] = by_node[node];
		by_node[node] = pp_value_zero(m); /* once, if it has several rows */
	}
	if (by_node)
		put_sums(h, name, m, rows, n, values);
	else
		free(values);
	if (!by_node)
		h->status = PP_E_NOMEM;
	free(by_node);
}

static void
put_one_series(struct pp_html_data *h, size_t k, size_t number)
{
	static const struct pp_metric calls = { .type = PP_UINT };
	const struct pp_profile *p = h->digest->profile[k];
	const struct pp_series *s = &p->series.at[number];
	char name[NAME_MAX_LENGTH];
	struct placed *rows;
	size_t n, i;

	rows = rows_placed(h, k, s, &n);
	if (!rows) {
		h->status = PP_E_NOMEM;
		return;
	}
	pp_column_begin(&h->columns, 'd', "%zu.s.%zu.node", k, number);
	for (i = 0; i < n; i++)
		if (i == 0 || !is_same(&rows[i], &rows[i - 1]))
			pp_column_d(&h->columns, rows[i].place);
	pp_column_end(&h->columns);
	if (h->line_of[k]) {
		pp_column_begin(&h->columns, 'd', "%zu.s.%zu.line", k, number);
		for (i = 0; i < n; i++)
			if (i == 0 || !is_same(&rows[i], &rows[i - 1]))
				pp_column_d(&h->columns, rows[i].line);
		pp_column_end(&h->columns);
	}
	for (i = 0; i < p->metrics.n; i++) {
		snprintf(name, sizeof name, "%zu.s.%zu.m%zu", k, number, i);
		put_series_column(h, name, &p->metrics.at[i], s, rows, n, i);
		if (!s->measured || !pp_metric_falls(&p->metrics.at[i]) ||
		    p->metrics.at[i].type == PP_REAL)
			continue;
		snprintf(name, sizeof name, "%zu.s.%zu.unseen%zu", k, number, i);
		put_unseen(h, name, p, s, rows, n, i);
	}
	if (s->has_calls) {
		snprintf(name, sizeof name, "%zu.s.%zu.calls", k, number);
		put_series_column(h, name, &calls, s, rows, n, p->metrics.n);
	}
	free(rows);
}

void
pp_html_put_series(struct pp_html_data *h)
{
	size_t k, i;

	for (k = 0; k < h->digest->profiles; k++)
		for (i = 0; i < h->digest->profile[k]->series.n && h->status == PP_OK; i++)
			put_one_series(h, k, i);
}

/* ---- rows with values --------------------------------------------------------------------- */

/* Values of rows: of calls or lines or, instead, sums, or one of the costs of functions. */
struct values {
	const struct pp_profile *p;
	enum pp_table_id table;
	const struct pp_ledger *sums;
	const struct pp_flat *flat;
	const struct pp_linecost *lines; /* whose sums they are */
	bool total;
	size_t first, n; /* the column of the first metric; rows */
};

/* Rows that are heavy enough to be in the report. */
struct kept {
	size_t *rows;
	size_t n;
};

static union pp_value
value_at(const struct values *v, size_t row, size_t column, const struct pp_metric *m)
{
	struct pp_cost_pair cost;

	if (v->flat) {
		cost = pp_flat_get(v->flat, row, column);
		return v->total ? cost.total : cost.own;
	}
	return v->sums ? pp_ledger_get(v->sums, row, column)
	               : pp_cell_value(m, pp_table_number_of(v->p, v->table, row, column));
}

/* True when a value of a row is at least a share of the whole. */
static bool
row_is_heavy(const struct values *v, size_t row, const union pp_value *whole, double min_share)
{
	size_t m;

	if (min_share <= 0)
		return true;
	for (m = 0; m < v->p->metrics.n; m++) {
		const struct pp_metric *metric = &v->p->metrics.at[m];
		double size = fabs(pp_value_double(metric, value_at(v, row, v->first + m, metric)));

		if (size > 0 && size >= min_share * fabs(pp_value_double(metric, whole[m])))
			return true;
	}
	return false;
}

/* Whether a row is a line of the file that is asked for, or none is. */
static bool
row_is_asked(const struct values *v, size_t row, const struct pp_html_detail *detail)
{
	pp_str file;

	if (!detail->file)
		return true;
	file = v->lines ? v->lines->rows.at[row].file : v->p->lines.rows.at[row].file;
	return pp_slice_eq_z(pp_text_of(v->p, file), detail->file);
}

/* The rows to keep; false when out of memory. */
static bool
kept_init(struct pp_html_data *h, struct kept *kept, const struct values *v,
          const union pp_value *whole, const struct pp_html_detail *detail)
{
	size_t i;

	*kept = (struct kept){ .rows = malloc((v->n + 1) * sizeof *kept->rows) };
	for (i = 0; kept->rows && i < v->n; i++)
		if (row_is_asked(v, i, detail) && row_is_heavy(v, i, whole, detail->min_share))
			kept->rows[kept->n++] = i;
	if (!kept->rows)
		h->status = PP_E_NOMEM;
	return kept->rows != NULL;
}

/* A column of values, those at `at` of each kept row. */
static void
put_values(struct pp_html_data *h, const struct values *v, size_t at, const struct pp_metric *m,
           const struct kept *kept, const char *name)
{
	union pp_value *values = malloc((kept->n + 1) * sizeof *values);
	size_t i;

	for (i = 0; values && i < kept->n; i++)
		values[i] = value_at(v, kept->rows[i], at, m);
	if (values)
		pp_column_values(&h->columns, name, m, values, kept->n, 1);
	else
		h->status = PP_E_NOMEM;
	free(values);
}

/* The column of one metric, named by its number. */
static void
put_metric(struct pp_html_data *h, size_t k, const char *label, const struct values *v,
           size_t metric, const struct kept *kept)
{
	char name[NAME_MAX_LENGTH];

	snprintf(name, sizeof name, "%zu.%s%zu", k, label, metric);
	put_values(h, v, v->first + metric, &v->p->metrics.at[metric], kept, name);
}

/* ---- functions -------------------------------------------------------------------------- */

static struct values
flat_values(const struct pp_flat *f, bool total)
{
	return (struct values){ .p = f->profile, .flat = f, .total = total, .n = f->n };
}

bool
pp_html_flat_kept(const struct pp_flat *f, size_t row, const struct pp_html_detail *detail)
{
	struct values total = flat_values(f, true), self = flat_values(f, false);

	if (detail->functions)
		return row >= detail->from && row < detail->to;
	return row_is_heavy(&total, row, f->whole, detail->min_share) ||
	       row_is_heavy(&self, row, f->whole, detail->min_share);
}

/* How often a function was called; -1 = not known. */
static int64_t
calls_shown(const struct pp_flat *f, size_t row)
{
	if (!pp_flat_calls_known(f, row))
		return -1;
	return f->calls[row] < INT64_MAX ? (int64_t)f->calls[row] : INT64_MAX;
}

static void
put_flat_columns(struct pp_html_data *h, size_t k, const struct kept *kept)
{
	const struct pp_flat *f = &h->flat[k];
	struct values self = flat_values(f, false), total = flat_values(f, true);
	size_t m, i;

	pp_column_begin(&h->columns, 'd', "%zu.flat.func", k);
	for (i = 0; i < kept->n; i++)
		pp_column_d(&h->columns, h->number[h->digest->func_of[k][f->func[kept->rows[i]]]]);
	pp_column_end(&h->columns);
	if (f->has_calls) {
		pp_column_begin(&h->columns, 'z', "%zu.flat.calls", k);
		for (i = 0; i < kept->n; i++)
			pp_column_z(&h->columns, calls_shown(f, kept->rows[i]));
		pp_column_end(&h->columns);
	}
	for (m = 0; m < f->metrics; m++) {
		put_metric(h, k, "flat.self", &self, m, kept);
		put_metric(h, k, "flat.total", &total, m, kept);
	}
}

void
pp_html_put_flat(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	size_t k, i;

	for (k = 0; k < h->digest->profiles && h->status == PP_OK; k++) {
		const struct pp_flat *f = &h->flat[k];
		struct kept kept = { .rows = malloc((f->n + 1) * sizeof *kept.rows) };

		if (h->has_flat[k] && !kept.rows)
			h->status = PP_E_NOMEM;
		for (i = 0; h->has_flat[k] && kept.rows && i < f->n; i++)
			if (pp_html_flat_kept(f, i, detail))
				kept.rows[kept.n++] = i;
			else
				h->cut->funcs++;
		if (h->has_flat[k] && kept.rows)
			put_flat_columns(h, k, &kept);
		free(kept.rows);
	}
}

/* ---- tables of the profile ---------------------------------------------------------------- */

/* Calls and lines: their columns, and which column of the schema each is. */
static const struct shown {
	const char *label;
	const char *count; /* what the cell before the metrics is, if there is one */
	struct {
		const char *name, *column;
	} columns[5];
} shown_calls = { "edge",
	          "calls",
	          { { "caller", "caller" },
	            { "callee", "callee" },
	            { "series", "series" },
	            { "line", "site_line" },
	            { "file", "site_file" } } },
  shown_lines = {
	  "line",
	  "hits",
	  { { "func", "func" }, { "file", "file" }, { "line", "line" }, { "series", "series" } }
  };

uint32_t
pp_html_cell(struct pp_html_data *h, size_t k, enum pp_table_id table,
             const struct pp_column *column, size_t row)
{
	const struct pp_profile *p = h->digest->profile[k];
	uint32_t v = (uint32_t)pp_table_cell(p, table, row, column);

	switch (column->to) {
	case PP_TO_STR:
		return pp_html_str(h, pp_text_of(p, v));
	case PP_TO_MODULE:
		return pp_html_str(h, pp_text_of(p, p->modules.at[v].name));
	case PP_TO_FUNC:
		return h->number[h->digest->func_of[k][v]];
	default:
		return v;
	}
}

/* The text of the source lines that are kept, where the profile brings it. */
static void
put_source(struct pp_html_data *h, size_t k, const struct kept *kept)
{
	const struct pp_profile *p = h->digest->profile[k];
	size_t i;

	pp_column_begin(&h->columns, 'd', "%zu.line.text", k);
	for (i = 0; i < kept->n; i++) {
		const struct pp_line_row *line = &p->lines.rows.at[kept->rows[i]];
		struct pp_slice text = { 0 };

		if (line->line)
			(void)pp_profile_source_line(p, line->file, line->line, &text);
		pp_column_d(&h->columns, pp_html_str(h, text));
	}
	pp_column_end(&h->columns);
}

/* A table of which only heavy rows are kept, but for the metrics; returns how many were not. */
static size_t
put_table(struct pp_html_data *h, size_t k, enum pp_table_id table, const struct shown *shown,
          const struct values *v, const struct pp_html_detail *detail, struct kept *kept)
{
	static const struct pp_metric count = { .type = PP_INT };
	union pp_value *whole = pp_profile_totals(v->p);
	char name[NAME_MAX_LENGTH];
	size_t i, m;

	*kept = (struct kept){ 0 };
	if (!whole)
		h->status = PP_E_NOMEM;
	if (!whole || !kept_init(h, kept, v, whole, detail)) {
		free(whole);
		return 0;
	}
	for (i = 0; i < PP_COUNT_OF(shown->columns) && shown->columns[i].name; i++) {
		const struct pp_column *column = pp_table_column(table, shown->columns[i].column);

		pp_column_begin(&h->columns, 'd', "%zu.%s.%s", k, shown->label,
		                shown->columns[i].name);
		for (m = 0; m < kept->n; m++)
			pp_column_d(&h->columns, pp_html_cell(h, k, table, column, kept->rows[m]));
		pp_column_end(&h->columns);
	}
	snprintf(name, sizeof name, "%zu.%s.%s", k, shown->label, shown->count);
	if (v->first)
		put_values(h, v, 0, &count, kept, name);
	if (table == PP_TABLE_LINES && v->p->sources.n)
		put_source(h, k, kept);
	free(whole);
	return v->n - kept->n;
}

/* Costs of calls, as callers or callees show them. */
static void
put_call_costs(struct pp_html_data *h, size_t k, enum pp_calls_side side, const struct kept *kept)
{
	const struct pp_profile *p = h->digest->profile[k];
	struct pp_ledger costs = { 0 };
	struct values v = { .p = p, .sums = &costs, .n = p->calls.rows.n };
	size_t m;

	if (h->status != PP_OK)
		return;
	if (!pp_call_shares_by_row(&costs, p, &h->flat[k], side)) {
		h->status = PP_E_NOMEM;
		return;
	}
	for (m = 0; m < p->metrics.n; m++)
		put_metric(h, k, side == PP_CALLERS ? "edge.m" : "edge.down", &v, m, kept);
	pp_ledger_release(&costs);
}

void
pp_html_put_edges(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	struct kept kept;
	size_t k;

	for (k = 0; k < h->digest->profiles; k++) {
		const struct pp_profile *p = h->digest->profile[k];
		struct values v = {
			.p = p, .table = PP_TABLE_CALLS, .first = 1, .n = p->calls.rows.n
		};

		if (!v.n)
			continue;
		h->cut->edges += put_table(h, k, PP_TABLE_CALLS, &shown_calls, &v, detail, &kept);
		put_call_costs(h, k, PP_CALLERS, &kept);
		/* Whoever has stacks knows callees from them. */
		if (p->tree.n <= 1)
			put_call_costs(h, k, PP_CALLEES, &kept);
		free(kept.rows);
	}
}

/* Remembers which of the lines that are kept each frame stands at. */
static void
frames_find_lines(struct pp_html_data *h, size_t k, const struct pp_linecost *cost,
                  const struct kept *kept)
{
	const struct pp_profile *p = h->digest->profile[k];
	struct pp_map places = { .seed = p->strs.seed }, funcs = places;
	bool ok = (h->line_of[k] = calloc(p->frames.n + 1, sizeof *h->line_of[k])) != NULL;
	size_t i;

	for (i = 0; ok && i < kept->n; i++) {
		const struct pp_line_cost *line = &cost->rows.at[kept->rows[i]];
		bool placeless = pp_line_is_placeless(p, line->file);

		ok = pp_map_set(placeless ? &funcs : &places,
		                (uint64_t)(placeless ? line->func : line->file) << 32 | line->line,
		                (uint32_t)i + 1);
	}
	for (i = 1; ok && i < p->frames.n; i++) {
		const struct pp_frame_row *f = &p->frames.at[i];
		pp_str file = f->file ? f->file : p->funcs.at[f->func].file;
		bool placeless = pp_line_is_placeless(p, file);
		uint64_t of = placeless ? p->funcs.at[f->func].same : file;
		uint32_t row = f->line
		                   ? pp_map_get(placeless ? &funcs : &places, of << 32 | f->line)
		                   : PP_MAP_NONE;

		h->line_of[k][i] = row == PP_MAP_NONE ? 0 : row;
	}
	if (!ok)
		h->status = PP_E_NOMEM;
	pp_map_release(&places);
	pp_map_release(&funcs);
}

/* What shares of lines are of. */
static void
put_line_whole(struct pp_html_data *h, size_t k, const struct pp_linecost *cost)
{
	char name[NAME_MAX_LENGTH];
	size_t m;

	for (m = 0; m < cost->metrics; m++) {
		union pp_value whole = pp_linecost_whole(cost, m, false);

		snprintf(name, sizeof name, "%zu.line.whole%zu", k, m);
		pp_column_values(&h->columns, name, &h->digest->profile[k]->metrics.at[m], &whole,
		                 1, 1);
	}
}

/* The functions of rows whose file is not known, which nothing else tells apart. */
static void
put_placeless_funcs(struct pp_html_data *h, size_t k, const struct pp_linecost *cost,
                    const struct kept *kept)
{
	const struct pp_line_cost *rows = cost->rows.at;
	const struct pp_profile *p = h->digest->profile[k];
	size_t i;

	for (i = 0; i < kept->n; i++)
		if (pp_line_is_placeless(p, rows[kept->rows[i]].file))
			break;
	if (i == kept->n)
		return;
	pp_column_begin(&h->columns, 'd', "%zu.line.func", k);
	for (i = 0; i < kept->n; i++) {
		const struct pp_line_cost *row = &rows[kept->rows[i]];
		bool placeless = pp_line_is_placeless(p, row->file);

		pp_column_d(&h->columns, placeless && row->func
		                             ? h->number[h->digest->func_of[k][row->func]]
		                             : 0);
	}
	pp_column_end(&h->columns);
}

/* Lines that stacks end in, where the profile has no table of lines. */
static void
put_frame_lines(struct pp_html_data *h, size_t k, const struct pp_html_detail *detail)
{
	const struct pp_profile *p = h->digest->profile[k];
	struct pp_linecost cost = { 0 };
	pp_status status = pp_linecost_compute(p, &cost);
	struct values v = { .p = p, .sums = &cost.cost, .lines = &cost, .n = cost.rows.n };
	struct kept kept = { 0 };
	size_t i, m;

	if (status == PP_E_NOMEM)
		h->status = PP_E_NOMEM;
	if (status == PP_OK && kept_init(h, &kept, &v, cost.whole, detail) && kept.n) {
		frames_find_lines(h, k, &cost, &kept);
		h->cut->lines += cost.rows.n - kept.n;
		pp_column_begin(&h->columns, 'd', "%zu.line.file", k);
		for (i = 0; i < kept.n; i++)
			pp_column_d(&h->columns,
			            pp_html_str(h, pp_text_of(p, cost.rows.at[kept.rows[i]].file)));
		pp_column_end(&h->columns);
		pp_column_begin(&h->columns, 'd', "%zu.line.line", k);
		for (i = 0; i < kept.n; i++)
			pp_column_d(&h->columns, cost.rows.at[kept.rows[i]].line);
		pp_column_end(&h->columns);
		put_placeless_funcs(h, k, &cost, &kept);
		for (m = 0; m < cost.metrics; m++)
			put_metric(h, k, "line.m", &v, m, &kept);
		put_line_whole(h, k, &cost);
	}
	free(kept.rows);
	if (status == PP_OK)
		pp_linecost_release(&cost);
}

void
pp_html_put_lines(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	size_t k, m;

	for (k = 0; k < h->digest->profiles && h->status == PP_OK; k++) {
		const struct pp_profile *p = h->digest->profile[k];
		struct values v = { .p = p,
			            .table = PP_TABLE_LINES,
			            .first = p->lines.hits,
			            .n = p->lines.rows.n };

		if (v.n) {
			struct pp_linecost cost = { 0 };
			struct kept kept;

			h->cut->lines += put_table(h, k, PP_TABLE_LINES, &shown_lines, &v, detail,
			                           &kept);
			for (m = 0; kept.rows && m < p->metrics.n; m++)
				put_metric(h, k, "line.m", &v, m, &kept);
			free(kept.rows);
			if (pp_linecost_compute(p, &cost) == PP_OK) {
				put_line_whole(h, k, &cost);
				pp_linecost_release(&cost);
			}
		} else if (p->metrics.n)
			put_frame_lines(h, k, detail);
	}
}
