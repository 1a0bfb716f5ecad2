/*
 * Reads, checks the structure, computes, writes as JSON and in every format, reads back.
 *
 * What must hold whatever the bytes are:
 *   - a profile comes with PP_OK and with nothing else;
 *   - ids are in range, parents come before their children;
 *   - no function costs more than the whole where costs are counts on a tree;
 *   - what is written of a sound profile is read back complete and without errors, and in the
 *     profile's own format has the same total;
 *   - writing what was read back, and that once more, gives the same bytes.
 */
#include "exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/view.h"
#include "analysis/flame.h"
#include "analysis/call_net.h"
#include "analysis/linecost.h"
#include "api/api.h"
#include "model/schema.h"
#include "output/flame_svg.h"
#include "output/graph_dot.h"
#include "output/html.h"
#include "model/flat.h"
#include "output/render.h"
#include "questions/question.h"

/* Small enough that a hostile input cannot make a fuzzer slow, large enough for every sample. */
static const struct pp_limits limits = {
	.max_memory = (uint64_t)1 << 30,
	.max_string = 1 << 20,
	.max_line = 8 << 20,
	.max_nodes = 4000000,
	.expansion_grace = 32 << 20,
};

enum { EVERYTHING = PP_FACETS | PP_META | PP_EXTRAS };

static void
require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/* The same of what was written in a format, which is shown. */
static void
require_text(bool holds, const char *what, const struct pp_format *format,
             const struct pp_buf *text)
{
	if (holds)
		return;
	fprintf(stderr, "---- as %s\n%.*s\n----\n", format->name,
	        (int)(text->n < 4000 ? text->n : 4000), text->p ? text->p : "");
	require(false, what);
}

static bool
is_answer(const struct exercise *e, pp_status status)
{
	return status != PP_E_USAGE && (status != PP_E_NOMEM || e->may_lack_memory);
}

/* ---- structure -------------------------------------------------------------------------- */

/* All that tables refer to is there, and parents come first. */
static void
check_tables(const struct pp_profile *p)
{
	enum pp_table_id id;
	size_t row;

	for (id = PP_TABLE_PROFILE; id < PP_TABLES; id++) {
		int64_t *numbers = malloc(pp_table_width(p, id) * sizeof *numbers);

		for (row = pp_schema[id].first; numbers && row < pp_table_rows(p, id); row++) {
			pp_table_get(p, id, row, numbers);
			require(pp_table_fits(p, id, row, numbers), "a row of a table");
		}
		free(numbers);
	}
}

/* Cells of rows are in the pool, in the order of columns. */
static void
check_wide(const struct pp_wide *w, size_t columns)
{
	size_t row, i;

	for (row = 0; w && row < w->rows.n; row++) {
		struct pp_span s = w->rows.at[row];

		require((size_t)s.first + s.n <= w->n && s.n <= s.room, "cells are there");
		for (i = s.first; i < (size_t)s.first + s.n; i++)
			require(w->column[i] < columns &&
			            (i == s.first || w->column[i - 1] < w->column[i]),
			        "columns are in order");
	}
}

static void
check_rows(const struct pp_profile *p)
{
	size_t s, i;

	for (s = 0; s < p->series.n; s++) {
		const struct pp_series *series = &p->series.at[s];
		uint32_t row;

		require(series->stride >= p->metrics.n, "a series has all metrics");
		require(!series->wide || series->wide->rows.n == series->rows,
		        "rows have their cells");
		check_wide(series->wide, p->metrics.n);
		for (row = 0; row < series->rows; row++)
			require(pp_series_node(series, row) < pp_profile_node_count(p),
			        "a row's node");
	}
	for (i = 0; i < p->costs.funcs.n; i++)
		require(p->costs.funcs.at[i] < p->funcs.n, "a function that costs something");
	require(p->costs.wide ? p->costs.wide->rows.n == p->costs.funcs.n
	                      : p->costs.cells.n == p->costs.funcs.n * 2 * p->metrics.n,
	        "functions have their costs");
	require(p->calls.wide ? p->calls.wide->rows.n == p->calls.rows.n
	                      : p->calls.cells.n == p->calls.rows.n * pp_edge_stride(p),
	        "edges have their cells");
	require(p->lines.wide ? p->lines.wide->rows.n == p->lines.rows.n
	                      : p->lines.cells.n == p->lines.rows.n * pp_line_stride(p),
	        "lines have their cells");
	check_wide(p->costs.wide, p->metrics.n);
	check_wide(p->calls.wide, pp_edge_stride(p));
	check_wide(p->lines.wide, pp_line_stride(p));
}

/* ---- answers ---------------------------------------------------------------------------- */

/* Where nothing is negative, no part is larger than the whole. */
static void
check_flat(const struct pp_flat *flat)
{
	const struct pp_profile *p = flat->profile;
	size_t m, row;

	for (m = 0; m < flat->metrics; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		if (metric->type != PP_UINT || pp_profile_basis(p) != PP_BASIS_TREE)
			continue;
		for (row = 0; row < flat->n; row++) {
			struct pp_cost_pair cost = pp_flat_get(flat, row, m);

			require(pp_value_cmp(metric, cost.total, flat->whole[m]) <= 0,
			        "no function exceeds the whole");
			require(pp_value_cmp(metric, cost.own, cost.total) <= 0,
			        "self is part of total");
		}
	}
}

static void
write_json(const struct pp_profile *p)
{
	static const struct pp_render_opts opts = { .form = PP_FORM_JSON };
	struct pp_topic topic = { .file = "-", .profile = p };
	struct pp_subject subject = { .topics = &topic, .n = 1, .split = 1 };
	struct pp_asking asking;
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;

	if (pp_asking_init(&asking, pp_question_find("top")) &&
	    pp_asking_run(&asking, &subject) == PP_OK && pp_sink_buffer(&buf, &sink) == PP_OK) {
		(void)pp_render(&asking.answer, &opts, sink, NULL);
		(void)pp_sink_commit(sink);
	}
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_asking_release(&asking);
}

/* The whole of the primary metric; false when there is none. */
static bool
compute(const struct exercise *e, const struct pp_profile *p, union pp_value *whole)
{
	size_t primary = pp_profile_primary(p);
	struct pp_flat flat;
	pp_status status = pp_flat_compute(p, &flat);
	bool has = status == PP_OK && primary < flat.metrics;

	require(is_answer(e, status), "the flat profile's answer");
	if (status != PP_OK)
		return false;
	check_flat(&flat);
	if (has) {
		*whole = flat.whole[primary];
		if (pp_flat_sort(&flat, PP_SORT_TOTAL, primary) &&
		    pp_flat_sort(&flat, PP_SORT_SELF, primary))
			write_json(p);
	}
	pp_flat_release(&flat);
	return has;
}

/* ---- writing and reading back ----------------------------------------------------------- */

static pp_status
write_told(const struct exercise *e, const struct pp_profile *p, const struct pp_format *format,
           struct pp_buf *out, struct pp_diags *diags)
{
	struct pp_sink *sink;
	pp_status status = pp_sink_buffer(out, &sink);

	if (status == PP_OK) {
		status = pp_write_sink(p, sink, format, NULL, diags);
		if (status == PP_OK)
			status = pp_sink_commit(sink);
		pp_sink_close(sink);
	}
	require(is_answer(e, status), "the writer's answer");
	return status;
}

static pp_status
write_to(const struct exercise *e, const struct pp_profile *p, const struct pp_format *format,
         struct pp_buf *out)
{
	return write_told(e, p, format, out, NULL);
}

/* Reads what was written; NULL only when memory may be lacking. */
static struct pp_profile *
read_back(const struct exercise *e, const struct pp_format *format, const struct pp_buf *text)
{
	struct pp_read_opts opts = {
		.from = format->name, .want = EVERYTHING, .threads = 1, .limits = &limits
	};
	struct pp_diags diags;
	struct pp_profile *back;
	pp_status status;
	size_t i;

	pp_diags_init(&diags);
	status = pp_read_memory(text->p ? text->p : "", text->n, "back", &opts, &diags, &back);
	if (status != PP_E_NOMEM || !e->may_lack_memory) {
		bool good = status == PP_OK && pp_diags_total(&diags, PP_ERROR) == 0;

		for (i = 0; !good && i < pp_diags_count(&diags); i++)
			fprintf(stderr, "%s\n", pp_diags_get(&diags, i)->message);
		require_text(good, "what is written can be read", format, text);
		require_text(pp_profile_complete(back), "and is complete", format, text);
	}
	pp_diags_release(&diags);
	return back;
}

/* Equal in the canonical unit: a format may write in another than it was read. */
static bool
is_same_integer(const struct pp_metric *m, union pp_value a, const struct pp_metric *n,
                union pp_value b)
{
	char texts[2][PP_NUM_MAX];
	size_t first = pp_value_print(m, a, texts[0]), second = pp_value_print(n, b, texts[1]);

	return pp_slice_eq(pp_slice_of(texts[0], first), pp_slice_of(texts[1], second));
}

/* Equal, but for the rounding of doubles that were divided by a clock's rate. */
static bool
is_same(const struct pp_metric *metric, union pp_value a, const struct pp_metric *other,
        union pp_value b)
{
	if (metric->type == PP_REAL && !(isfinite(a.d) && isfinite(b.d)))
		return !isfinite(a.d) && !isfinite(b.d);
	if (metric->type == PP_REAL)
		return fabs(a.d - b.d) <= 1e-9 * (fabs(a.d) + fabs(b.d));
	return is_same_integer(metric, a, other, b);
}

static void
check_total(const struct exercise *e, const struct pp_profile *p, const struct pp_profile *back,
            const struct pp_buf *text)
{
	union pp_value before, after;

	if (compute(e, p, &before) && compute(e, back, &after))
		require_text(is_same(&p->metrics.at[pp_profile_primary(p)], before,
		                     &back->metrics.at[pp_profile_primary(back)], after),
		             "and has the same total", p->format, text);
}

/*
 * Once in a format, a profile stays as it is: read and written, it gives the same bytes. Not so where call sites could not be shared
 * out as they are stated, and were reported.
 */
static void
check_stays(const struct exercise *e, const struct pp_profile *back, const struct pp_format *format)
{
	struct pp_buf first = { 0 }, second = { 0 };
	struct pp_profile *again = NULL;
	struct pp_diags told;

	pp_diags_init(&told);
	if (write_told(e, back, format, &first, &told) == PP_OK)
		again = read_back(e, format, &first);
	if (again && !pp_diags_of_rule(&told, pp_rule_find("loss-sites")) &&
	    write_to(e, again, format, &second) == PP_OK &&
	    !pp_slice_eq(pp_slice_of(first.p, first.n), pp_slice_of(second.p, second.n))) {
		fprintf(stderr, "---- before\n%.*s\n", (int)(first.n < 4000 ? first.n : 4000),
		        first.p);
		require_text(false, "written, read and written again, the bytes are the same",
		             format, &second);
	}
	pp_profile_free(again);
	pp_buf_release(&first);
	pp_buf_release(&second);
	pp_diags_release(&told);
}

/* The largest whole number that rows cost. */
static uint64_t
largest_cell(const struct pp_profile *p, size_t rows,
             struct pp_cells (*costs_of)(const struct pp_profile *, size_t row))
{
	uint64_t largest = 0;
	size_t row, i;

	for (row = 0; row < rows; row++) {
		struct pp_cells costs = costs_of(p, row);

		for (i = 0; i < costs.n; i++) {
			uint64_t cell = (uint64_t)costs.at[i];

			if (p->metrics.at[pp_cells_column(&costs, i)].type != PP_REAL &&
			    cell > largest)
				largest = cell;
		}
	}
	return largest;
}

/*
 * Whether writing takes long: some formats write a record for each call and each line hit, or several for
 * a cost of more than 32 bits, and nobody waits for billions.
 */
static bool
is_huge(const struct pp_profile *p)
{
	uint64_t records = 0;
	size_t i;

	for (i = 0; p->lines.hits && i < p->lines.rows.n; i++)
		records += (uint64_t)pp_line_cell(p, i, 0);
	for (i = 0; i < p->calls.rows.n; i++)
		records += (uint64_t)pp_edge_cell(p, i, 0);
	return records > 20000 || pp_profile_node_count(p) > 20000 || p->lines.rows.n > 20000 ||
	       largest_cell(p, p->lines.rows.n, pp_line_costs) >> 40 ||
	       largest_cell(p, p->calls.rows.n, pp_edge_costs) >> 40;
}

/* Writes in one format, and reads that back if the profile is sound. */
static void
write_and_read(const struct exercise *e, const struct pp_profile *p, const struct pp_format *format,
               bool sound)
{
	struct pp_buf text = { 0 };
	struct pp_profile *back = NULL;

	/* Of a damaged profile no more is asked than that it can be written. */
	if (write_to(e, p, format, &text) == PP_OK && sound && text.n < 1 << 20)
		back = read_back(e, format, &text);
	/* A file may have had a companion that says the unit; what is written here has none. */
	if (back && p->format == format && !e->path)
		check_total(e, p, back, &text);
	if (back)
		check_stays(e, back, format);
	pp_profile_free(back);
	pp_buf_release(&text);
}

/* Writes in the profile's own format and in one other, which depends on the profile's size. */
static void
write_some(const struct exercise *e, const struct pp_profile *p, bool sound)
{
	const struct pp_format *others[64];
	size_t count = 0, i;

	for (i = 0; i < pp_format_count() && count < PP_COUNT_OF(others); i++) {
		const struct pp_format *format = pp_format_get(i);

		if (format->can & PP_CAN_WRITE && format == p->format)
			write_and_read(e, p, format, sound && !is_huge(p));
		else if (format->can & PP_CAN_WRITE)
			others[count++] = format;
	}
	if (count && !is_huge(p))
		write_and_read(
		    e, p, others[(p->strs.strs.n + p->strs.arena.bytes + e->size) % count], sound);
}

/* ---- pictures --------------------------------------------------------------------------- */

/* Boxes lie within their parents, and parents before them. */
static void
check_boxes(const struct pp_flame *flame)
{
	size_t i;

	for (i = 1; i < flame->boxes.n; i++) {
		const struct pp_box *box = &flame->boxes.at[i];
		const struct pp_box *parent = &flame->boxes.at[box->parent];

		require(box->parent < i && (box->lane ? box->depth > parent->depth
		                                      : box->depth == parent->depth + 1),
		        "a box on its parent");
		require(box->start >= parent->start - 1e-9 &&
		            box->start + box->width <= parent->start + parent->width + 1e-9,
		        "a box within its parent");
	}
}

static void
draw_flame(const struct exercise *e, const struct pp_profile *p, struct pp_sink *sink)
{
	struct pp_flame_opts opts = { .metric = pp_profile_primary(p),
		                      .before = PP_FLAME_ALONE,
		                      .min_share = 1e-4,
		                      .deepest = 2000 };
	struct pp_flame_style style = { .width = 1200 };
	struct pp_flame flame;
	pp_status status = pp_flame_compute(&flame, p, &opts);

	require(is_answer(e, status), "the flame graph's answer");
	if (status == PP_OK) {
		pp_flame_svg(sink, &flame, &style);
		pp_flame_release(&flame);
	}
	status = pp_flame_chart(&flame, p, &opts);
	require(is_answer(e, status), "the flame chart's answer");
	if (status == PP_OK) {
		check_boxes(&flame);
		pp_flame_svg(sink, &flame, &style);
		pp_flame_release(&flame);
	}
}

static void
draw_graph(const struct exercise *e, const struct pp_profile *p, struct pp_sink *sink)
{
	struct pp_net_cut cut = { .min = 1e-4, .most = 50, .depth = 3 };
	struct pp_net net;
	pp_status status = pp_net_compute(&net, p, pp_profile_primary(p));
	size_t i;

	require(is_answer(e, status), "the call graph's answer");
	if (status == PP_OK && net.nodes.n)
		cut.about = net.nodes.at[net.nodes.n / 2].func;
	if (status == PP_OK && pp_net_prune(&net, &cut)) {
		for (i = 0; i < net.edges.n; i++)
			require(net.edges.at[i].from < net.nodes.n &&
			            net.edges.at[i].to < net.nodes.n &&
			            (i == 0 || net.edges.at[i - 1].from != net.edges.at[i].from ||
			             net.edges.at[i - 1].to < net.edges.at[i].to),
			        "one edge for each pair of functions that are drawn");
		pp_graph_dot(sink, &net, "a", NULL);
	}
	pp_net_release(&net);
}

/* The text that comes with a profile, for its report. */
static const struct pp_source_text *
source_find(void *text, const struct pp_profile *p, pp_str file)
{
	struct pp_source_text *own = text;

	pp_source_text_release(own);
	return pp_profile_source(p, file, own) && own->bytes ? own : NULL;
}

void
exercise_draw(const struct exercise *e, const struct pp_profile *p)
{
	static const char *const files[] = { "a", "b", NULL };
	struct pp_source_text text = { 0 };
	struct pp_html_opts opts = {
		.files = files, .inputs = files, .source = source_find, .source_data = &text
	};
	const struct pp_profile *both[] = { p, p };
	struct pp_html_cut cut;
	struct pp_sink *sink;
	size_t n;

	if (pp_sink_null(&sink) != PP_OK)
		return;
	draw_flame(e, p, sink);
	draw_graph(e, p, sink);
	for (n = 1; n <= 2 && pp_html_possible(); n++) {
		pp_status status = pp_html_report(sink, both, n, &opts, &cut);

		require(is_answer(e, status) && (status != PP_OK || cut.nodes == 0),
		        "the report's answer");
		opts.max_size = 100000 + 2000;
	}
	pp_source_text_release(&text);
	pp_sink_close(sink);
}

/* ---- questions -------------------------------------------------------------------------- */

static void
ask_lines(const struct exercise *e, const struct pp_profile *p)
{
	struct pp_linecost lines;
	pp_status status = pp_linecost_compute(p, &lines);
	bool sorted;

	require(is_answer(e, status), "what lines cost");
	if (status != PP_OK)
		return;
	sorted = pp_linecost_sort(&lines, PP_LINES_BY_COST, pp_profile_primary(p));
	require(sorted || e->may_lack_memory, "the order of lines");
	pp_linecost_release(&lines);
}

static void
ask_leaks(const struct exercise *e, const struct pp_profile *p)
{
	struct pp_topic topic = { .file = "-", .profile = p };
	struct pp_subject subject = { .topics = &topic, .n = 1, .split = 1 };
	struct pp_asking asking;
	pp_status status = PP_OK;

	if (pp_asking_init(&asking, pp_question_find("leaks")))
		status = pp_asking_run(&asking, &subject);
	require(is_answer(e, status), "what leaks");
	pp_asking_release(&asking);
}

/* Some text, whatever the file. */
static const struct pp_source_text *
source_make(void *text, const struct pp_profile *p, pp_str file)
{
	return text;
}

static void
ask_annotated(const struct exercise *e, const struct pp_profile *p)
{
	static char bytes[] = "sub f {\n\tg(\xff);\r\n}";
	struct pp_source_text text = { .bytes = bytes, .size = sizeof bytes - 1 };
	struct pp_topic topic = { .file = "-", .profile = p };
	struct pp_subject subject = {
		.topics = &topic, .n = 1, .split = 1, .source = source_make, .source_data = &text
	};
	struct pp_buf problem = { 0 };
	struct pp_asking asking;
	pp_status status = PP_OK;
	int exact;

	for (exact = 0; exact < 2 && pp_source_text_index(&text); exact++) {
		if (pp_asking_init(&asking, pp_question_find("lines")) &&
		    pp_asking_set(&asking, "annotate", NULL, &problem)) {
			asking.params->exact = exact;
			status = pp_asking_run(&asking, &subject);
			require(is_answer(e, status), "the annotated source");
		}
		pp_asking_release(&asking);
		text.starts.n = 0;
	}
	pp_buf_release(&problem);
	pp_vec_release(&text.starts);
}

/* Stacks that are not there are estimated, then some are taken out. */
static void
ask_filtered(const struct exercise *e, const struct pp_profile *p)
{
	static const enum pp_filter_kind kinds[] = { PP_FILTER_FOCUS, PP_FILTER_HIDE,
		                                     PP_FILTER_SHOW_FROM, PP_FILTER_IGNORE };
	struct pp_estimate_opts opts = { .max_nodes = 2000 };
	struct pp_filter filter = { .depth = (uint32_t)(p->funcs.n % 5) };
	struct pp_buf problem = { 0 };
	pp_status status = PP_OK;
	struct pp_view view;

	pp_view_init(&view, p);
	if (pp_estimate_possible(p))
		status = pp_view_estimate(&view, &opts);
	require(is_answer(e, status), "the estimate's answer");
	if (status == PP_OK) {
		check_tables(view.shown);
		check_rows(view.shown);
		status = pp_filter_add(&filter, kinds[p->funcs.n % 4], pp_slice_z("[aeiou]"),
		                       &problem)
		             ? pp_view_filter(&view, &filter, &problem)
		             : PP_E_NOMEM;
		require(is_answer(e, status) || status == PP_E_UNSUPPORTED || status == PP_E_LIMIT,
		        "the filter's answer");
	}
	if (status == PP_OK) {
		check_tables(view.shown);
		check_rows(view.shown);
		(void)compute(e, view.shown, &(union pp_value){ .i = 0 });
	}
	pp_view_release(&view);
	pp_filter_release(&filter);
	pp_buf_release(&problem);
}

static pp_status
read_input(const struct exercise *e, const struct pp_read_opts *opts, struct pp_diags *diags,
           struct pp_profile **p)
{
	*p = NULL;
	if (e->path)
		return pp_read_file(e->path, opts, diags, p);
	return pp_read_memory(e->data, e->size, "input", opts, diags, p);
}

/* The bytes to read, NULL for those of the file; an empty input may come without an address. */
static const void *
bytes_of(const struct exercise *e)
{
	return e->path ? NULL : e->data ? e->data : "";
}

/* Costs per function alone, as `top` asks for them, add up to the same. */
static void
read_flat(const struct exercise *e, const struct pp_profile *p, const union pp_value *whole)
{
	struct pp_read_opts opts = { .from = e->format, .threads = 1, .limits = &limits };
	struct pp_opened opened;
	struct pp_diags diags;
	struct pp_profile *flat;
	union pp_value sum;
	pp_status status;

	pp_diags_init(&diags);
	flat = NULL;
	status = pp_open(&opened, e->path ? e->path : "input", bytes_of(e), e->size, &opts, &diags);
	if (status == PP_OK) {
		opened.order->facets = PP_COSTS;
		status = pp_opened_read(&opened, &flat);
		pp_opened_close(&opened);
	}
	require(status == PP_OK || (status == PP_E_NOMEM && e->may_lack_memory),
	        "what can be read, can be read in short");
	/*
	 * Cells that had to become doubles are less exact than sums that need not. Without memory a
	 * companion may be there the one time and not the other. Where a row has no room for what sums
	 * have room for, the whole profile lacks it and says that it is incomplete.
	 */
	if (flat && compute(e, flat, &sum) && whole && !e->may_lack_memory &&
	    (p->complete || !flat->complete)) {
		double a = pp_value_double(&p->metrics.at[pp_profile_primary(p)], *whole);
		double b = pp_value_double(&flat->metrics.at[pp_profile_primary(flat)], sum);

		require(!isfinite(a) || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)),
		        "and costs the same");
	}
	pp_profile_free(flat);
	pp_diags_release(&diags);
}

/* The same, of stacks that went through a filter. */
static void
read_sifted(const struct exercise *e)
{
	struct pp_read_opts opts = { .from = e->format, .threads = 1, .limits = &limits };
	struct pp_filter filter = { .depth = 3 };
	struct pp_buf problem = { 0 };
	struct pp_profile *sifted = NULL;
	struct pp_opened opened;
	struct pp_diags diags;

	pp_diags_init(&diags);
	if (pp_filter_add(&filter, PP_FILTER_HIDE, pp_slice_z("a"), &problem) &&
	    pp_filter_add(&filter, PP_FILTER_IGNORE, pp_slice_z("e"), &problem) &&
	    pp_open(&opened, e->path ? e->path : "input", bytes_of(e), e->size, &opts, &diags) ==
	        PP_OK) {
		opened.order->facets = PP_COSTS;
		opened.order->filter = &filter;
		require(is_answer(e, pp_opened_read(&opened, &sifted)), "the answer in short");
		if (sifted && sifted->costs.filtered)
			(void)compute(e, sifted, &(union pp_value){ .i = 0 });
		pp_opened_close(&opened);
	}
	pp_profile_free(sifted);
	pp_filter_release(&filter);
	pp_buf_release(&problem);
	pp_diags_release(&diags);
}

static void
ask_all(const struct exercise *e, const struct pp_profile *p)
{
	if (e->draws)
		exercise_draw(e, p);
	ask_lines(e, p);
	ask_annotated(e, p);
	ask_leaks(e, p);
	ask_filtered(e, p);
}

void
exercise_ask(const struct exercise *e, const struct pp_profile *p)
{
	union pp_value whole;

	check_tables(p);
	check_rows(p);
	(void)compute(e, p, &whole);
	ask_all(e, p);
}

pp_status
exercise_run(const struct exercise *e)
{
	struct pp_read_opts opts = {
		.from = e->format,
		.want = EVERYTHING,
		.threads = 1,
		.limits = &limits,
	};
	struct pp_diags diags;
	struct pp_profile *p = NULL;
	union pp_value whole;
	pp_status status;
	bool has;

	pp_diags_init(&diags);
	status = read_input(e, &opts, &diags, &p);
	require((status == PP_OK) == (p != NULL),
	        "a profile comes with PP_OK and with nothing else");
	require(is_answer(e, status), "the reader's answer");
	if (p) {
		check_tables(p);
		check_rows(p);
		has = compute(e, p, &whole);
		read_flat(e, p, has ? &whole : NULL);
		if (strcmp(p->format->name, "spaa") == 0)
			read_sifted(e);
		write_some(e, p, pp_profile_complete(p) && pp_diags_total(&diags, PP_WARNING) == 0);
		ask_all(e, p);
		pp_profile_free(p);
	}
	pp_diags_release(&diags);
	return status;
}
