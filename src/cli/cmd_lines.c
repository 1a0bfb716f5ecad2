/*
 * polyprof lines: what each source line costs; with the source at hand, the annotated source.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/linecost.h"
#include "cli/load.h"
#include "cli/source.h"
#include "formats/format.h"
#include "output/json_view.h"
#include "output/table.h"
#include "text/units.h"
#include "text/escape.h"

#define ROWS_SHOWN 25
#define FILES_SHOWN 5
/* Lines of source shown around a line that costs something. */
#define CONTEXT 3
/* Of a table's line of source. */
#define TEXT_COLUMNS 60

static int lines_run(struct pp_cli *);

static const struct pp_param lines_options[] = {
	{ "sort", 0, PP_PARAM_CHOICE, "cost|hits|name", "the order of the rows (default: cost)",
	  PP_HINT_NONE, 0 },
	{ "source", 0, PP_PARAM_TEXT, "DIR",
	  "look for the source under DIR and print it annotated; may be repeated", PP_HINT_FILE,
	  0 },
	{ "annotate", 0, PP_PARAM_FLAG, NULL, "print the source annotated if the profile holds it",
	  PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group lines_group = { "Rows", lines_options };

static const struct pp_param_group *const lines_groups[] = {
	&pp_params_metric, &lines_group,   &pp_params_filter, &pp_params_min,
	&pp_group_listing, &pp_group_read, &pp_group_variant, &pp_group_strict,
	&pp_group_general, NULL,
};

static const struct pp_example lines_examples[] = {
	{ "lines nytprof.out", "the 25 costliest lines" },
	{ "lines --annotate nytprof.out", "the source, each line with what it costs" },
	{ "lines --source ~/app callgrind.out.1234", "the same, with the source from a directory" },
	{ "lines --focus '^parse' --json callgrind.out.1234", "the lines of some functions" },
	{ 0 },
};

const struct pp_command pp_command_lines = {
	.name = "lines",
	.synopsis = "FILE...",
	.summary = "what each source line costs, or the annotated source",
	.details =
	    "Lists the lines that cost most themselves, with how often they ran where the profile "
	    "counts that. --annotate prints the source that the profile holds, --source DIR the "
	    "source found under a directory, each line with its cost, as far as it is near a line "
	    "that costs something. Paths in a profile are never opened as they are.\n\n"
	    "Here filters choose functions: --focus and --show keep the lines of functions that "
	    "match, --ignore and --hide drop them.",
	.groups = lines_groups,
	.examples = lines_examples,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_BY_FUNCTION,
	.run = lines_run,
};

struct view {
	struct pp_linecost lines;
	struct pp_sources sources;
	size_t metric;
	double whole;
	size_t n; /* rows to show */
};

/* ---- fields ---- */

static double
cost_of(const struct view *v, size_t row, size_t metric)
{
	return pp_value_double(&v->lines.profile->metrics.at[metric],
	                       v->lines.cost.at[row * v->lines.metrics + metric]);
}

static void
cost_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_profile *p = v->lines.profile;

	pp_units_value(out, pp_text_of(p, p->metrics.at[metric].unit), cost_of(v, row, metric));
}

static void
cost_exact(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct view *v = data;
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(&v->lines.profile->metrics.at[metric],
	                          v->lines.cost.at[row * v->lines.metrics + metric], text);

	pp_buf_add(out, text, n);
}

static void
share_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct view *v = data;

	pp_units_share(out, cost_of(v, row, metric), v->whole);
}

static enum pp_ink
share_ink(const void *data, size_t row, size_t metric)
{
	const struct view *v = data;
	double cost = cost_of(v, row, metric);

	if (!(v->whole > 0) || cost < v->whole * 0.05)
		return PP_INK_PLAIN;
	return cost >= v->whole * 0.2 ? PP_INK_HOT : PP_INK_WARM;
}

static void
hits_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->lines.has_hits)
		pp_units_count(out, (double)v->lines.rows.at[row].hits);
}

static void
hits_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->lines.has_hits)
		pp_buf_addf(out, "%llu", (unsigned long long)v->lines.rows.at[row].hits);
}

static void
place_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_line_cost *line = &v->lines.rows.at[row];
	struct pp_slice file = pp_text_of(v->lines.profile, line->file);

	pp_escape_terminal(out, file.n ? file : pp_slice_z("(no file)"));
	if (line->line)
		pp_buf_addf(out, ":%u", line->line);
}

static void
file_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	struct pp_slice file = pp_text_of(v->lines.profile, v->lines.rows.at[row].file);

	pp_buf_add(out, file.p, file.n);
}

static void
line_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->lines.rows.at[row].line)
		pp_buf_addf(out, "%u", v->lines.rows.at[row].line);
}

/* Tabs become blanks, the indentation goes. */
static void
text_add(struct pp_buf *out, struct pp_slice text, bool keep_indent)
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

static void
source_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_line_cost *line = &v->lines.rows.at[row];
	struct pp_slice text;
	struct pp_buf whole = { 0 };

	/* The embedded text only: with directories there is the annotated view. */
	if (!pp_profile_source_line(v->lines.profile, line->file, line->line, &text))
		return;
	text_add(&whole, text, false);
	if (whole.n)
		pp_text_shorten(out, whole.p, whole.n, TEXT_COLUMNS);
	pp_buf_release(&whole);
}

static const struct pp_field field_cost = { "cost", "cost",    PP_RIGHT,   0,
	                                    0,      cost_show, cost_exact, NULL };
static const struct pp_field field_share = { "share", "cost%",    PP_RIGHT, 0,
	                                     0,       share_show, NULL,     share_ink };
static const struct pp_field field_hits = { "hits", "hits",    PP_RIGHT,   0,
	                                    0,      hits_show, hits_exact, NULL };
static const struct pp_field field_place = { "place", "line",     PP_LEFT, PP_FIELD_FLEX,
	                                     0,       place_show, NULL,    NULL };
static const struct pp_field field_file = { .id = "file", .exact = file_exact };
static const struct pp_field field_line = { .id = "line", .exact = line_exact };
static const struct pp_field field_source = { "source", "source",    PP_LEFT, PP_FIELD_FLEX,
	                                      1,        source_show, NULL,    NULL };

/* ---- the listing ---- */

static void
lines_table(struct pp_cli *cli, const struct view *v)
{
	const struct pp_column columns[] = {
		{ .field = &field_cost, .arg = v->metric },
		{ .field = &field_share, .arg = v->metric },
		{ .field = &field_hits, .arg = 0 },
		{ .field = &field_place, .arg = 0 },
		{ .field = &field_source, .arg = 0 },
	};
	struct pp_table table = { columns, PP_COUNT_OF(columns), v, v->n };
	uint64_t limit = pp_args_count(&cli->args, "limit", ROWS_SHOWN);

	if (limit && table.rows > limit)
		table.rows = (size_t)limit;
	if (table.rows > 0)
		pp_table_print(&table, &cli->style, cli->out);
	if (table.rows < v->n)
		pp_ink_putf(cli->out, &cli->style, PP_INK_FAINT,
		            "\n  ... and %zu more lines (-n 0 shows all)\n", v->n - table.rows);
}

static void
lines_csv(struct pp_cli *cli, const struct view *v)
{
	static const struct pp_field *const fixed[] = { &field_file, &field_line, &field_hits };
	static const struct pp_metric_columns costs = { "cost_", &field_cost };
	const struct pp_profile *p = v->lines.profile;
	size_t n = PP_COUNT_OF(fixed) + p->metrics.n, i;
	uint64_t limit = pp_args_count(&cli->args, "limit", 0);
	struct pp_column *columns = calloc(n, sizeof *columns);
	struct pp_table table = { columns, n, v, limit && v->n > limit ? (size_t)limit : v->n };
	struct pp_buf names = { 0 };

	for (i = 0; columns && i < PP_COUNT_OF(fixed); i++)
		columns[i].field = fixed[i];
	if (columns && pp_metric_columns(p, &costs, 1, &names, columns + PP_COUNT_OF(fixed)))
		pp_table_csv(&table, cli->out_terminal, cli->out);
	else
		pp_sink_fail(cli->out, PP_E_NOMEM, 0);
	pp_buf_release(&names);
	free(columns);
}

static void
lines_json(struct pp_cli *cli, const struct view *v)
{
	const struct pp_profile *p = v->lines.profile;
	uint64_t limit = pp_args_count(&cli->args, "limit", 0);
	struct pp_json j;
	size_t i;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	if (v->metric < p->metrics.n) {
		pp_json_put_metric(&j, "metric", p, v->metric);
		pp_json_put_text(&j, "unit", pp_text_of(p, p->metrics.at[v->metric].unit));
	}
	pp_json_put_array(&j, "lines");
	for (i = 0; i < v->n && (limit == 0 || i < limit) && j.out->status == PP_OK; i++) {
		const struct pp_line_cost *line = &v->lines.rows.at[i];

		pp_json_begin_object(&j);
		if (line->file)
			pp_json_put_name(&j, "file", pp_text_of(p, line->file));
		pp_json_put_u64(&j, "line", line->line);
		if (v->lines.has_hits)
			pp_json_put_u64(&j, "hits", line->hits);
		pp_json_key(&j, "cost");
		pp_json_values(&j, p, v->lines.cost.at + i * v->lines.metrics);
		pp_json_end_object(&j);
	}
	pp_json_end_array(&j);
	pp_json_put_u64(&j, "count", v->n);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

/* ---- the annotated source ---- */

/* The lines of one file: rows [first, first + n) when sorted by place. */
struct file_span {
	size_t first, n;
	double cost;
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
spans_find(const struct view *v, size_t *count)
{
	struct file_span *spans = calloc(v->lines.rows.n + 1, sizeof *spans);
	size_t i;

	*count = 0;
	for (i = 0; spans && i < v->lines.rows.n; i++) {
		if (i == 0 || v->lines.rows.at[i].file != v->lines.rows.at[i - 1].file)
			spans[(*count)++].first = i;
		spans[*count - 1].n++;
		spans[*count - 1].cost += cost_of(v, i, v->metric);
	}
	if (spans)
		qsort(spans, *count, sizeof *spans, compare_spans);
	return spans;
}

static void
source_line_print(struct pp_cli *cli, struct view *v, size_t row, bool has_cost, uint32_t number,
                  struct pp_slice text)
{
	struct pp_buf cell = { 0 };

	if (has_cost)
		share_show(v, row, v->metric, &cell);
	pp_text_pad(cli->out, cell.n < 8 ? 8 - cell.n : 0);
	pp_ink_put(cli->out, &cli->style, has_cost ? share_ink(v, row, v->metric) : PP_INK_PLAIN,
	           cell.n ? cell.p : "");
	cell.n = 0;
	if (has_cost)
		cost_show(v, row, v->metric, &cell);
	pp_text_pad(cli->out, cell.n && pp_text_columns(cell.p, cell.n) < 12
	                          ? 12 - pp_text_columns(cell.p, cell.n)
	                          : 12 * (cell.n == 0));
	pp_sink_puts(cli->out, cell.n ? cell.p : "");
	if (v->lines.has_hits) {
		cell.n = 0;
		if (has_cost)
			hits_show(v, row, 0, &cell);
		pp_text_pad(cli->out, cell.n < 11 ? 11 - cell.n : 1);
		pp_sink_puts(cli->out, cell.n ? cell.p : "");
	}
	pp_ink_putf(cli->out, &cli->style, PP_INK_FAINT, "  %6u ", number);
	cell.n = 0;
	text_add(&cell, text, true);
	pp_sink_write(cli->out, cell.p, cell.n);
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&cell);
}

/* The lines near rows that cost at least `least`; false when the source is not known. */
static bool
file_print(struct pp_cli *cli, struct view *v, const struct file_span *span, double least)
{
	uint32_t printed = 0, number;
	struct pp_slice text;
	size_t i, row;
	bool any = false;

	for (i = span->first; i < span->first + span->n; i++) {
		const struct pp_line_cost *line = &v->lines.rows.at[i];
		uint32_t from = line->line > CONTEXT ? line->line - CONTEXT : 1;

		if (line->line == 0 || fabs(cost_of(v, i, v->metric)) < least)
			continue;
		if (from <= printed)
			from = printed + 1;
		if (printed && from > printed + 1)
			pp_ink_put(cli->out, &cli->style, PP_INK_FAINT, "     ...\n");
		for (number = from, row = span->first; number <= line->line + CONTEXT; number++) {
			while (row < span->first + span->n && v->lines.rows.at[row].line < number)
				row++;
			if (!pp_sources_line(&v->sources, line->file, number, &text))
				break;
			source_line_print(cli, v, row,
			                  row < span->first + span->n &&
			                      v->lines.rows.at[row].line == number,
			                  number, text);
			printed = number;
			any = true;
		}
	}
	return any;
}

static bool
lines_annotated(struct pp_cli *cli, struct view *v, double min)
{
	uint64_t limit = pp_args_count(&cli->args, "limit", FILES_SHOWN);
	size_t count, i, shown = 0, missing = 0;
	struct file_span *spans;
	bool fine;

	if (!pp_linecost_sort(&v->lines, PP_LINES_BY_PLACE, v->metric))
		return false;
	spans = spans_find(v, &count);
	for (i = 0; spans && i < count && (limit == 0 || shown < limit); i++) {
		pp_str file = v->lines.rows.at[spans[i].first].file;
		struct pp_buf text = { 0 };
		struct pp_slice line;
		bool known = false;
		size_t k;

		for (k = spans[i].first; k < spans[i].first + spans[i].n && !known; k++)
			known = pp_sources_line(&v->sources, file, v->lines.rows.at[k].line, &line);
		if (!known) {
			missing++;
			continue;
		}
		pp_sink_puts(cli->out, shown++ ? "\n" : "");
		pp_ink_text(cli->out, &cli->style, PP_INK_TITLE,
		            pp_text_of(v->lines.profile, file));
		pp_units_share(&text, spans[i].cost, v->whole);
		pp_sink_printf(cli->out, "%s%s\n", text.n ? "  " : "", text.n ? text.p : "");
		(void)file_print(cli, v, &spans[i], v->whole > 0 ? min * v->whole : 0);
		pp_buf_release(&text);
	}
	if (missing)
		pp_cli_note(cli, "the source of %zu %s is not known%s", missing,
		            pp_plural(missing, "file", "files"),
		            v->sources.dirs && *v->sources.dirs ? ""
		                                                : "; --source DIR looks for it");
	fine = spans != NULL;
	free(spans);
	return fine;
}

/* ---- running ---- */

static int
view_make(struct pp_cli *cli, struct view *v, const struct pp_profile *p)
{
	const char *sort = pp_args_text(&cli->args, "sort");
	enum pp_line_order order = PP_LINES_BY_COST;
	pp_status status = PP_OK;
	int code = pp_load_metric(cli, p, &v->metric);

	if (code)
		return code;
	v->lines = (struct pp_linecost){ .profile = p, .metrics = p->metrics.n };
	if (p->facets & PP_FACETS)
		status = pp_linecost_compute(p, &v->lines);
	if (sort && strcmp(sort, "hits") == 0)
		order = PP_LINES_BY_HITS;
	else if (sort && strcmp(sort, "name") == 0)
		order = PP_LINES_BY_PLACE;
	if (status == PP_OK && !pp_linecost_sort(&v->lines, order, v->metric))
		status = PP_E_NOMEM;
	/* Nothing recorded, or nothing left by filters, is an empty listing. */
	if (status == PP_E_UNSUPPORTED &&
	    ((p->holds & PP_LINES) ||
	     (pp_load_narrowed(cli) && p->tree.n <= 1 && p->calls.rows.n + p->lines.rows.n == 0)))
		status = PP_OK;
	if (status == PP_E_UNSUPPORTED)
		pp_cli_error(cli, "this profile does not know what single lines cost");
	else if (status != PP_OK)
		pp_cli_error(cli, "%s", pp_status_text(status));
	if (status != PP_OK)
		return PP_EXIT_INPUT;
	if (v->lines.whole && v->metric < p->metrics.n)
		v->whole = pp_value_double(&p->metrics.at[v->metric], v->lines.whole[v->metric]);
	return 0;
}

/* Drops the rows below --min, which leaves the order as it is. */
static void
rows_choose(struct view *v, double min)
{
	size_t i, m;

	if (!(min > 0)) {
		v->n = v->lines.rows.n;
		return;
	}
	for (i = 0; i < v->lines.rows.n; i++) {
		if (v->whole > 0 && fabs(cost_of(v, i, v->metric)) < min * v->whole)
			continue;
		v->lines.rows.at[v->n] = v->lines.rows.at[i];
		for (m = 0; m < v->lines.metrics; m++)
			v->lines.cost.at[v->n * v->lines.metrics + m] =
			    v->lines.cost.at[i * v->lines.metrics + m];
		v->n++;
	}
	v->lines.rows.n = v->n;
	v->lines.cost.n = v->n * v->lines.metrics;
}

static int
lines_print(struct pp_cli *cli, struct view *v, double min, const char *const *dirs)
{
	bool fine = true;

	pp_sources_init(&v->sources, v->lines.profile, dirs);
	if (pp_args_flag(&cli->args, "json") || pp_args_flag(&cli->args, "csv")) {
		rows_choose(v, min);
		(pp_args_flag(&cli->args, "json") ? lines_json : lines_csv)(cli, v);
	} else if (*dirs || pp_args_flag(&cli->args, "annotate")) {
		fine = lines_annotated(cli, v, min);
	} else {
		rows_choose(v, min);
		lines_table(cli, v);
	}
	if (fine)
		return 0;
	pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
	return PP_EXIT_INPUT;
}

static int
lines_run(struct pp_cli *cli)
{
	const char **dirs = pp_args_all(&cli->args, "source");
	const char *const *files;
	struct pp_profile *profile = NULL;
	struct view view = { .metric = 0 };
	struct pp_load_order order = { .want.facets = PP_LOAD_WANT };
	double min = pp_args_share(&cli->args, "min", 0);
	size_t n;
	int code = 0;

	if (code == 0 && pp_args_flag(&cli->args, "json") && pp_args_flag(&cli->args, "csv"))
		code = pp_cli_usage(cli, "--json and --csv exclude each other");
	if (code == 0)
		code = pp_load_files(cli, 0, &files, &n);
	if (code == 0)
		code = pp_load_by_options(cli, files, n, &order, &profile);
	if (code == 0)
		code = view_make(cli, &view, profile);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0 && dirs)
		code = lines_print(cli, &view, min, dirs);
	pp_sources_release(&view.sources);
	pp_linecost_release(&view.lines);
	pp_profile_free(profile);
	free(dirs);
	return code;
}
