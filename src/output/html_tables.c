/*
 * The tables of a report: own costs, functions, calls and lines.
 */
#include "output/html_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

		if (!pp_series_present(s, row))
			continue;
		rows[*n] = (struct placed){ pp_digest_place(d, k, node),
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

/* One column of a series: sums over the rows of each place. */
static void
put_series_column(struct pp_html_data *h, const char *name, const struct pp_metric *m,
                  const struct pp_series *s, const struct placed *rows, size_t n, size_t cell)
{
	union pp_value *sums = malloc((n + 1) * sizeof *sums);
	size_t i, out = 0;
	bool any = false;

	if (!sums) {
		h->status = PP_E_NOMEM;
		return;
	}
	for (i = 0; i < n; i++) {
		union pp_value v = pp_cell_value(m, pp_series_cells(s, rows[i].row)[cell]);

		any = any || !pp_value_is_zero(m, v);
		if (i && is_same(&rows[i], &rows[i - 1]))
			pp_value_add(m, &sums[out - 1], v);
		else
			sums[out++] = v;
	}
	if (any)
		pp_column_values(&h->columns, name, m, sums, out, 1);
	free(sums);
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

/* ---- functions -------------------------------------------------------------------------- */

/* True when a value is at least a share of the whole. */
static bool
heavy(const struct pp_metric *m, union pp_value v, union pp_value whole, double thinnest)
{
	double size = fabs(pp_value_double(m, v)), all = fabs(pp_value_double(m, whole));

	return size > 0 && size >= thinnest * all;
}

bool
pp_html_flat_kept(const struct pp_flat *f, size_t row, double thinnest)
{
	size_t m;

	if (thinnest <= 0)
		return true;
	for (m = 0; m < f->metrics; m++) {
		const struct pp_metric *metric = &f->profile->metrics.at[m];

		if (heavy(metric, f->total[row * f->metrics + m], f->whole[m], thinnest) ||
		    heavy(metric, f->self[row * f->metrics + m], f->whole[m], thinnest))
			return true;
	}
	return false;
}

static void
put_flat_columns(struct pp_html_data *h, size_t k, const size_t *rows, size_t n)
{
	const struct pp_flat *f = &h->flat[k];
	union pp_value *values = malloc((n + 1) * sizeof *values);
	char name[NAME_MAX_LENGTH];
	size_t m, i, kind;

	if (!values) {
		h->status = PP_E_NOMEM;
		return;
	}
	pp_column_begin(&h->columns, 'd', "%zu.flat.func", k);
	for (i = 0; i < n; i++)
		pp_column_d(&h->columns, h->number[h->digest->func_of[k][f->func[rows[i]]]]);
	pp_column_end(&h->columns);
	if (f->has_calls) {
		pp_column_begin(&h->columns, 'v', "%zu.flat.calls", k);
		for (i = 0; i < n; i++)
			pp_column_u(&h->columns, f->calls[rows[i]]);
		pp_column_end(&h->columns);
	}
	for (m = 0; m < f->metrics; m++)
		for (kind = 0; kind < 2; kind++) {
			const union pp_value *from = kind ? f->total : f->self;

			for (i = 0; i < n; i++)
				values[i] = from[rows[i] * f->metrics + m];
			snprintf(name, sizeof name, "%zu.flat.%s%zu", k, kind ? "total" : "self",
			         m);
			pp_column_values(&h->columns, name, &f->profile->metrics.at[m], values, n,
			                 1);
		}
	free(values);
}

void
pp_html_put_flat(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	size_t k, i, n;

	for (k = 0; k < h->digest->profiles; k++) {
		const struct pp_flat *f = &h->flat[k];
		size_t *rows;

		if (!h->has_flat[k])
			continue;
		rows = malloc((f->n + 1) * sizeof *rows);
		if (!rows) {
			h->status = PP_E_NOMEM;
			return;
		}
		for (i = n = 0; i < f->n; i++) {
			if (pp_html_flat_kept(f, i, detail->thinnest))
				rows[n++] = i;
			else
				h->cut->funcs++;
		}
		put_flat_columns(h, k, rows, n);
		free(rows);
	}
}

/* ---- calls and lines -------------------------------------------------------------------- */

/* Rows of cells, one metric after the other from `first` on: calls, lines. */
struct cells {
	const struct pp_profile *p;
	const int64_t *at;
	size_t stride, first, n;
};

static bool
row_kept(const struct cells *c, const union pp_value *whole, size_t row, double thinnest)
{
	size_t m;

	if (thinnest <= 0)
		return true;
	for (m = 0; m < c->p->metrics.n; m++) {
		const struct pp_metric *metric = &c->p->metrics.at[m];

		if (heavy(metric, pp_cell_value(metric, c->at[row * c->stride + c->first + m]),
		          whole[m], thinnest))
			return true;
	}
	return false;
}

/* The rows to keep; NULL when out of memory. */
static size_t *
rows_kept(const struct cells *c, double thinnest, size_t *n)
{
	union pp_value *whole = malloc((c->p->metrics.n + 1) * sizeof *whole);
	size_t *rows = malloc((c->n + 1) * sizeof *rows), i;

	*n = 0;
	if (!whole || !rows) {
		free(whole);
		free(rows);
		return NULL;
	}
	for (i = 0; i < c->p->metrics.n; i++)
		whole[i] = pp_profile_total(c->p, i);
	for (i = 0; i < c->n; i++)
		if (row_kept(c, whole, i, thinnest))
			rows[(*n)++] = i;
	free(whole);
	return rows;
}

static void
put_cells(struct pp_html_data *h, const struct cells *c, size_t cell, const struct pp_metric *m,
          const char *name, const size_t *rows, size_t n)
{
	union pp_value *values = malloc((n + 1) * sizeof *values);
	size_t i;

	for (i = 0; values && i < n; i++)
		values[i] = pp_cell_value(m, c->at[rows[i] * c->stride + cell]);
	if (values)
		pp_column_values(&h->columns, name, m, values, n, 1);
	else
		h->status = PP_E_NOMEM;
	free(values);
}

static void
put_metrics(struct pp_html_data *h, size_t k, const char *table, const struct cells *c,
            const size_t *rows, size_t n)
{
	char name[NAME_MAX_LENGTH];
	size_t m;

	for (m = 0; m < c->p->metrics.n; m++) {
		snprintf(name, sizeof name, "%zu.%s.m%zu", k, table, m);
		put_cells(h, c, c->first + m, &c->p->metrics.at[m], name, rows, n);
	}
}

/* One 32-bit column computed from each kept row. */
#define PUT_ROWS(h, k, column, rows, n, expression)                                                \
	do {                                                                                       \
		size_t i_;                                                                         \
                                                                                                   \
		pp_column_begin(&(h)->columns, 'd', "%zu." column, (k));                           \
		for (i_ = 0; i_ < (n); i_++) {                                                     \
			size_t row = (rows)[i_];                                                   \
                                                                                                   \
			pp_column_d(&(h)->columns, (expression));                                  \
		}                                                                                  \
		pp_column_end(&(h)->columns);                                                      \
	} while (0)

static void
put_edges_of(struct pp_html_data *h, size_t k, double thinnest)
{
	static const struct pp_metric calls = { .type = PP_INT };
	const struct pp_profile *p = h->digest->profile[k];
	const uint32_t *func_of = h->digest->func_of[k];
	struct cells c = { p, p->calls.cells.at, pp_edge_stride(p), 1, p->calls.rows.n };
	char name[NAME_MAX_LENGTH];
	size_t n, *rows = rows_kept(&c, thinnest, &n);

	if (!rows) {
		h->status = PP_E_NOMEM;
		return;
	}
	h->cut->edges += c.n - n;
	PUT_ROWS(h, k, "edge.caller", rows, n, h->number[func_of[p->calls.rows.at[row].caller]]);
	PUT_ROWS(h, k, "edge.callee", rows, n, h->number[func_of[p->calls.rows.at[row].callee]]);
	PUT_ROWS(h, k, "edge.series", rows, n, p->calls.rows.at[row].series);
	PUT_ROWS(h, k, "edge.line", rows, n, p->calls.rows.at[row].site_line);
	PUT_ROWS(h, k, "edge.file", rows, n,
	         pp_html_str(h, pp_text_of(p, p->calls.rows.at[row].site_file)));
	snprintf(name, sizeof name, "%zu.edge.calls", k);
	put_cells(h, &c, 0, &calls, name, rows, n);
	put_metrics(h, k, "edge", &c, rows, n);
	free(rows);
}

void
pp_html_put_edges(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	size_t k;

	for (k = 0; k < h->digest->profiles; k++)
		if (h->digest->profile[k]->calls.rows.n)
			put_edges_of(h, k, detail->thinnest);
}

/* The text of the source lines that are kept, where the profile brings it. */
static void
put_source(struct pp_html_data *h, size_t k, const size_t *rows, size_t n)
{
	const struct pp_profile *p = h->digest->profile[k];
	size_t i;

	pp_column_begin(&h->columns, 'd', "%zu.line.text", k);
	for (i = 0; i < n; i++) {
		const struct pp_line_row *line = &p->lines.rows.at[rows[i]];
		struct pp_slice text = { 0 };

		if (line->line)
			(void)pp_profile_source_line(p, line->file, line->line, &text);
		pp_column_d(&h->columns, pp_html_str(h, text));
	}
	pp_column_end(&h->columns);
}

static void
put_lines_of(struct pp_html_data *h, size_t k, double thinnest)
{
	static const struct pp_metric hits = { .type = PP_INT };
	const struct pp_profile *p = h->digest->profile[k];
	struct cells c = { p, p->lines.cells.at, pp_line_stride(p), p->lines.hits,
		           p->lines.rows.n };
	char name[NAME_MAX_LENGTH];
	size_t n, *rows = rows_kept(&c, thinnest, &n);

	if (!rows) {
		h->status = PP_E_NOMEM;
		return;
	}
	h->cut->lines += c.n - n;
	PUT_ROWS(h, k, "line.func", rows, n,
	         h->number[h->digest->func_of[k][p->lines.rows.at[row].func]]);
	PUT_ROWS(h, k, "line.file", rows, n,
	         pp_html_str(h, pp_text_of(p, p->lines.rows.at[row].file)));
	PUT_ROWS(h, k, "line.line", rows, n, p->lines.rows.at[row].line);
	PUT_ROWS(h, k, "line.series", rows, n, p->lines.rows.at[row].series);
	if (p->lines.hits) {
		snprintf(name, sizeof name, "%zu.line.hits", k);
		put_cells(h, &c, 0, &hits, name, rows, n);
	}
	if (p->sources.n)
		put_source(h, k, rows, n);
	put_metrics(h, k, "line", &c, rows, n);
	free(rows);
}

/* Remembers which of the lines that are kept each frame stands at. */
static void
frames_find_lines(struct pp_html_data *h, size_t k, const struct pp_linecost *cost,
                  const size_t *rows, size_t n)
{
	const struct pp_profile *p = h->digest->profile[k];
	struct pp_map map = { .seed = p->strs.seed };
	bool ok = (h->line_of[k] = calloc(p->frames.n + 1, sizeof *h->line_of[k])) != NULL;
	size_t i;

	for (i = 0; ok && i < n; i++)
		ok = pp_map_set(
		    &map, (uint64_t)cost->rows.at[rows[i]].file << 32 | cost->rows.at[rows[i]].line,
		    (uint32_t)i + 1);
	for (i = 1; ok && i < p->frames.n; i++) {
		const struct pp_frame_row *f = &p->frames.at[i];
		pp_str file = f->file ? f->file : p->funcs.at[f->func].file;
		uint32_t row = f->line ? pp_map_get(&map, (uint64_t)file << 32 | f->line)
		                       : PP_MAP_NONE;

		h->line_of[k][i] = row == PP_MAP_NONE ? 0 : row;
	}
	if (!ok)
		h->status = PP_E_NOMEM;
	pp_map_release(&map);
}

/* Lines that stacks end in, where the profile has no table of lines. */
static void
put_frame_lines(struct pp_html_data *h, size_t k, double thinnest)
{
	const struct pp_profile *p = h->digest->profile[k];
	struct pp_linecost cost = { 0 };
	pp_status status = pp_linecost_compute(p, &cost);
	size_t *rows = status == PP_OK ? malloc((cost.rows.n + 1) * sizeof *rows) : NULL;
	size_t i, m, n = 0;

	if (status == PP_E_NOMEM || (status == PP_OK && !rows))
		h->status = PP_E_NOMEM;
	for (i = 0; rows && i < cost.rows.n; i++) {
		bool keep = thinnest <= 0;

		for (m = 0; m < cost.metrics && !keep; m++)
			keep = heavy(&p->metrics.at[m], cost.cost.at[i * cost.metrics + m],
			             cost.whole[m], thinnest);
		if (keep)
			rows[n++] = i;
	}
	if (n) {
		frames_find_lines(h, k, &cost, rows, n);
		h->cut->lines += cost.rows.n - n;
		PUT_ROWS(h, k, "line.file", rows, n,
		         pp_html_str(h, pp_text_of(p, cost.rows.at[row].file)));
		PUT_ROWS(h, k, "line.line", rows, n, cost.rows.at[row].line);
	}
	for (m = 0; n && m < cost.metrics; m++) {
		union pp_value *values = malloc(n * sizeof *values);
		char name[NAME_MAX_LENGTH];

		for (i = 0; values && i < n; i++)
			values[i] = cost.cost.at[rows[i] * cost.metrics + m];
		snprintf(name, sizeof name, "%zu.line.m%zu", k, m);
		if (values)
			pp_column_values(&h->columns, name, &p->metrics.at[m], values, n, 1);
		else
			h->status = PP_E_NOMEM;
		free(values);
	}
	free(rows);
	if (status == PP_OK)
		pp_linecost_release(&cost);
}

void
pp_html_put_lines(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	size_t k;

	for (k = 0; k < h->digest->profiles && h->status == PP_OK; k++)
		if (h->digest->profile[k]->lines.rows.n)
			put_lines_of(h, k, detail->thinnest);
		else if (h->digest->profile[k]->metrics.n)
			put_frame_lines(h, k, detail->thinnest);
}
