/*
 * What `callers` and `callees` share.
 */
#include "cli/calls.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/flat.h"
#include "cli/filters.h"
#include "cli/find.h"
#include "cli/load.h"
#include "formats/format.h"
#include "output/json_view.h"
#include "output/table.h"
#include "output/units.h"
#include "text/escape.h"

#define ROWS_SHOWN 25

static const struct pp_option depth_options[] = {
	{ "depth", 0, PP_ARG_COUNT, "N", "go on for N levels (default: 1)", PP_HINT_NONE },
	{ 0 },
};
static const struct pp_option_group depth_group = { "Filters", depth_options };

const struct pp_option_group *const pp_calls_groups[] = {
	&pp_group_metric,
	&pp_group_by,
	&pp_group_filter,
	&pp_group_min,
	&depth_group,
	&pp_group_listing,
	&pp_group_read,
	&pp_group_variant,
	&pp_group_strict,
	&pp_group_general,
	NULL,
};

struct view {
	struct pp_calls calls;
	struct pp_flat flat;
	size_t row; /* of the function in the flat profile; flat.n = it has none */
	pp_func func;
	enum pp_calls_side side;
	size_t metric;
	double whole;
	uint32_t *cycle; /* by function; NULL when there are none */
	size_t *shown;   /* rows of `calls` that are shown */
	size_t n;
};

/* The cycle that both ends of a call belong to, 0 = none. */
static uint32_t
cycle_of(const struct view *v, const struct pp_call *call)
{
	if (!v->cycle || call->recursive || v->cycle[call->func] != v->cycle[v->func])
		return 0;
	return v->cycle[call->func];
}

/* Learns the cycles by function; false when out of memory. */
static bool
cycles_learn(struct view *v)
{
	size_t row;

	if (v->flat.cycles == 0)
		return true;
	v->cycle = calloc(v->calls.profile->funcs.n, sizeof *v->cycle);
	for (row = 0; v->cycle && row < v->flat.n; row++)
		v->cycle[v->flat.func[row]] = v->flat.cycle[row];
	return v->cycle != NULL;
}

/* ---- fields ---- */

static const struct pp_call *
call_of(const struct view *v, size_t row)
{
	return &v->calls.rows.at[v->shown[row]];
}

static union pp_value
total_of(const struct view *v, size_t row, size_t metric)
{
	return v->calls.total.at[v->shown[row] * v->calls.metrics + metric];
}

static void
name_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_call *call = call_of(v, row);
	const struct pp_profile *p = v->calls.profile;
	struct pp_slice name = pp_text_of(p, p->funcs.at[call->func].name);
	uint32_t i;

	for (i = 1; i < call->depth; i++)
		pp_buf_adds(out, "  ");
	if (!call->func)
		pp_buf_adds(out, "(from outside)");
	else
		pp_escape_terminal(out, name.n ? name : pp_slice_z("(empty name)"));
	if (call->recursive)
		pp_buf_adds(out, " (recursive)");
	else if (cycle_of(v, call))
		pp_buf_addf(out, " <cycle %u>", cycle_of(v, call));
}

static void
name_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_profile *p = v->calls.profile;
	struct pp_slice name = pp_text_of(p, p->funcs.at[call_of(v, row)->func].name);

	pp_buf_add(out, name.p, name.n);
}

static void
file_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_profile *p = v->calls.profile;
	struct pp_slice file = pp_text_of(p, p->funcs.at[call_of(v, row)->func].file);

	pp_buf_add(out, file.p, file.n);
}

static void
line_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	uint32_t line = v->calls.profile->funcs.at[call_of(v, row)->func].line;

	if (line)
		pp_buf_addf(out, "%u", line);
}

static void
site_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_call *call = call_of(v, row);

	if (!call->site_line)
		return;
	pp_escape_terminal(out, pp_text_of(v->calls.profile, call->site_file));
	pp_buf_addf(out, "%s%u", call->site_file ? ":" : "line ", call->site_line);
}

static void
site_file_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	struct pp_slice file = pp_text_of(v->calls.profile, call_of(v, row)->site_file);

	pp_buf_add(out, file.p, file.n);
}

static void
site_line_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	if (call_of(v, row)->site_line)
		pp_buf_addf(out, "%u", call_of(v, row)->site_line);
}

static void
depth_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_addf(out, "%u", call_of(data, row)->depth);
}

static void
calls_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->calls.has_calls)
		pp_units_count(out, (double)call_of(v, row)->calls);
}

static void
calls_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->calls.has_calls)
		pp_buf_addf(out, "%llu", (unsigned long long)call_of(v, row)->calls);
}

static void
total_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_profile *p = v->calls.profile;
	const struct pp_metric *m = &p->metrics.at[metric];

	pp_units_value(out, pp_text_of(p, m->unit), pp_value_double(m, total_of(v, row, metric)));
}

static void
total_exact(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct view *v = data;
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(&v->calls.profile->metrics.at[metric], total_of(v, row, metric),
	                          text);

	pp_buf_add(out, text, n);
}

static void
share_show(const void *data, size_t row, size_t metric, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_call *call = call_of(v, row);

	/* Each turn of a cycle counts what is below it again: no part of the whole. */
	if (!v->calls.by_stacks && (call->recursive || cycle_of(v, call)))
		return;
	pp_units_share(
	    out, pp_value_double(&v->calls.profile->metrics.at[metric], total_of(v, row, metric)),
	    v->whole);
}

static const struct pp_field field_total = { "total", "total",    PP_RIGHT,    0,
	                                     0,       total_show, total_exact, NULL };
static const struct pp_field field_share = { "share", "total%",   PP_RIGHT, 0,
	                                     1,       share_show, NULL,     NULL };
static const struct pp_field field_calls = { "calls", "calls",    PP_RIGHT,    0,
	                                     0,       calls_show, calls_exact, NULL };
static const struct pp_field field_name = { "name", "function", PP_LEFT,    PP_FIELD_FLEX,
	                                    0,      name_show,  name_exact, NULL };
static const struct pp_field field_file = { .id = "file", .exact = file_exact };
static const struct pp_field field_line = { .id = "line", .exact = line_exact };
static const struct pp_field field_site = { "site", "called at", PP_LEFT, PP_FIELD_FLEX,
	                                    2,      site_show,   NULL,    NULL };
static const struct pp_field field_site_file = { .id = "site_file", .exact = site_file_exact };
static const struct pp_field field_site_line = { .id = "site_line", .exact = site_line_exact };
static const struct pp_field field_depth = { .id = "depth", .exact = depth_exact };

/* ---- text and CSV ---- */

static void
heading_print(struct pp_cli *cli, const struct view *v)
{
	const struct pp_profile *p = v->calls.profile;
	const struct pp_metric *m = v->metric < p->metrics.n ? &p->metrics.at[v->metric] : NULL;
	struct pp_slice unit = m ? pp_text_of(p, m->unit) : pp_slice_of("", 0);
	const union pp_value *self = v->flat.self + v->row * v->flat.metrics;
	const union pp_value *total = v->flat.total + v->row * v->flat.metrics;
	struct pp_buf text = { 0 };

	pp_ink_text(cli->out, &cli->style, PP_INK_TITLE, pp_text_of(p, p->funcs.at[v->func].name));
	if (m && v->row < v->flat.n) {
		pp_buf_adds(&text, ": ");
		pp_units_value(&text, unit, pp_value_double(m, total[v->metric]));
		pp_buf_adds(&text, " in all, ");
		pp_units_value(&text, unit, pp_value_double(m, self[v->metric]));
		pp_buf_adds(&text, " by itself");
		if (v->flat.has_calls) {
			pp_buf_adds(&text, ", ");
			pp_units_u64(&text, v->flat.calls[v->row]);
			pp_buf_adds(&text, v->flat.calls[v->row] == 1 ? " call" : " calls");
		}
	}
	pp_sink_puts(cli->out, text.p ? text.p : "");
	pp_sink_putc(cli->out, '\n');
	if (v->n == 0)
		pp_sink_puts(cli->out, v->side == PP_CALLERS ? "\n  nobody calls it\n"
		                                             : "\n  it calls nobody\n");
	else
		pp_ink_put(cli->out, &cli->style, PP_INK_FAINT,
		           v->side == PP_CALLERS ? "called by\n\n" : "calls\n\n");
	pp_buf_release(&text);
}

static void
calls_text(struct pp_cli *cli, const struct view *v)
{
	const struct pp_column columns[] = {
		{ .field = &field_share, .arg = v->metric },
		{ .field = &field_total, .arg = v->metric },
		{ .field = &field_calls, .arg = 0 },
		{ .field = &field_name, .arg = 0 },
		{ .field = &field_site, .arg = 0 },
	};
	struct pp_table table = { columns, PP_COUNT_OF(columns), v, v->n };
	uint64_t limit = pp_args_count(&cli->args, "limit", ROWS_SHOWN);

	heading_print(cli, v);
	if (limit && table.rows > limit)
		table.rows = (size_t)limit;
	if (table.rows > 0 && v->metric < v->calls.metrics)
		pp_table_print(&table, &cli->style, cli->out);
	if (table.rows < v->n)
		pp_ink_putf(cli->out, &cli->style, PP_INK_FAINT,
		            "\n  ... and %zu more (-n 0 shows all)\n", v->n - table.rows);
}

static void
calls_csv(struct pp_cli *cli, const struct view *v)
{
	static const struct pp_field *const fixed[] = { &field_name,      &field_file,
		                                        &field_line,      &field_site_file,
		                                        &field_site_line, &field_depth,
		                                        &field_calls };
	static const struct pp_metric_columns costs = { "total_", &field_total };
	const struct pp_profile *p = v->calls.profile;
	size_t n = PP_COUNT_OF(fixed) + p->metrics.n, i;
	struct pp_column *columns = calloc(n, sizeof *columns);
	struct pp_table table = { columns, n, v, v->n };
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

/* ---- JSON ---- */

static void
json_edge(struct pp_json *j, const struct view *v, size_t row)
{
	const struct pp_profile *p = v->calls.profile;
	const struct pp_call *call = call_of(v, row);

	pp_json_begin_object(j);
	pp_json_func(j, p, call->func);
	if (v->calls.has_calls)
		pp_json_put_u64(j, "calls", call->calls);
	if (call->site_line) {
		pp_json_put_object(j, "site");
		if (call->site_file)
			pp_json_put_name(j, "file", pp_text_of(p, call->site_file));
		pp_json_put_u64(j, "line", call->site_line);
		pp_json_end_object(j);
	}
	pp_json_key(j, "total");
	pp_json_values(j, p, v->calls.total.at + v->shown[row] * v->calls.metrics);
	if (call->recursive)
		pp_json_put_bool(j, "recursive", true);
	if (cycle_of(v, call))
		pp_json_put_u64(j, "cycle", cycle_of(v, call));
}

/* Rows follow what they lie beyond, so a deeper row is inside the one before. */
static void
json_edges(struct pp_json *j, const struct view *v)
{
	uint32_t open = 0;
	size_t i;

	pp_json_put_array(j, "edges");
	for (i = 0; i < v->n; i++) {
		uint32_t depth = call_of(v, i)->depth;

		if (depth > open && open > 0)
			pp_json_put_array(j, "edges");
		for (; open >= depth; open--) {
			pp_json_end_object(j);
			if (open > depth)
				pp_json_end_array(j);
		}
		json_edge(j, v, i);
		open = depth;
	}
	for (; open > 0; open--) {
		pp_json_end_object(j);
		if (open > 1)
			pp_json_end_array(j);
	}
	pp_json_end_array(j);
}

static void
calls_json(struct pp_cli *cli, const struct view *v)
{
	const struct pp_profile *p = v->calls.profile;
	struct pp_json j;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	if (v->metric < p->metrics.n) {
		pp_json_put_metric(&j, "metric", p, v->metric);
		pp_json_put_text(&j, "unit", pp_text_of(p, p->metrics.at[v->metric].unit));
	}
	pp_json_put_bool(&j, "estimated", v->calls.by_stacks && p->estimated);
	pp_json_key(&j, "function");
	if (v->row < v->flat.n) {
		pp_json_flat_row(&j, &v->flat, v->row);
	} else {
		pp_json_begin_object(&j);
		pp_json_func(&j, p, v->func);
		pp_json_end_object(&j);
	}
	json_edges(&j, v);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

/* ---- running ---- */

/* Chooses the rows: --min drops what is small with all beyond it; CSV and JSON know no "outside". */
static bool
rows_choose(struct view *v, double min, bool exact)
{
	uint32_t skip = UINT32_MAX; /* rows deeper than this are beyond one that is dropped */
	size_t i;

	v->shown = calloc(v->calls.rows.n + 1, sizeof *v->shown);
	for (i = 0; v->shown && i < v->calls.rows.n; i++) {
		const struct pp_call *call = &v->calls.rows.at[i];
		double total = 0;

		if (call->depth > skip)
			continue;
		skip = UINT32_MAX;
		v->shown[v->n] = i;
		if (v->metric < v->calls.metrics)
			total = pp_value_double(&v->calls.profile->metrics.at[v->metric],
			                        total_of(v, v->n, v->metric));
		if ((exact && !call->func) || (v->whole > 0 && fabs(total) < min * v->whole))
			skip = call->depth;
		else
			v->n++;
	}
	return v->shown != NULL;
}

static int
view_make(struct pp_cli *cli, struct view *v, struct pp_profile *p, const char *name)
{
	bool exact = pp_args_flag(&cli->args, "json") || pp_args_flag(&cli->args, "csv");
	uint64_t depth = pp_args_count(&cli->args, "depth", 1);
	double min = pp_filters_min(cli, 0);
	pp_status status = PP_OK;
	int code = min < 0 ? PP_EXIT_USAGE : pp_load_metric(cli, p, &v->metric);

	if (code == 0)
		code = pp_find_function(cli, p, name, &v->func);
	if (code)
		return code;
	v->func = p->funcs.at[v->func].same;
	depth = depth == 0 || depth > UINT32_MAX ? UINT32_MAX : depth;
	if (p->facets & PP_FACETS)
		status = pp_calls_compute(p, v->func, v->side, v->metric, (uint32_t)depth,
		                          &v->calls, &v->flat);
	else
		v->calls = (struct pp_calls){ .profile = p, .metrics = p->metrics.n };
	/* What filters leave nothing of has no callers. */
	if (status == PP_E_UNSUPPORTED && pp_filters_given(cli) && p->tree.n <= 1 &&
	    p->calls.rows.n + p->lines.rows.n == 0)
		status = PP_OK;
	if (status == PP_OK && !v->calls.by_stacks)
		status = pp_flat_compute(p, &v->flat);
	while (status == PP_OK && v->row < v->flat.n && v->flat.func[v->row] != v->func)
		v->row++;
	if (status == PP_OK && v->metric < p->metrics.n)
		v->whole = pp_value_double(&p->metrics.at[v->metric], v->flat.whole[v->metric]);
	if (status == PP_OK && (!cycles_learn(v) || !rows_choose(v, min, exact)))
		status = PP_E_NOMEM;
	if (status == PP_E_UNSUPPORTED)
		pp_cli_error(cli, p->calls.rows.n
		                      ? "this profile knows single calls, not whole stacks, so "
		                        "--depth cannot go beyond 1"
		                      : "this profile does not know who called whom");
	else if (status != PP_OK)
		pp_cli_error(cli, "%s", pp_status_text(status));
	return status == PP_OK ? 0 : PP_EXIT_INPUT;
}

int
pp_calls_run(struct pp_cli *cli, enum pp_calls_side side)
{
	const char *const *files;
	struct pp_profile *profile = NULL;
	struct view view = { .side = side };
	size_t n;
	int code;

	if (pp_args_flag(&cli->args, "json") && pp_args_flag(&cli->args, "csv"))
		return pp_cli_usage(cli, "--json and --csv exclude each other");
	if (cli->args.words.n == 0)
		return pp_cli_usage(cli, "name a function and a file");
	code = pp_load_files(cli, 1, &files, &n);
	if (cli->args.words.at[0][0] != '/' && !pp_filters_given(cli))
		cli->about = cli->args.words.at[0];
	if (code == 0)
		code = pp_load_profile(
		    cli, files, n,
		    PP_TREE | PP_EDGES | PP_LINES | PP_SITES |
		        (pp_args_count(&cli->args, "depth", 1) == 1 ? 0 : PP_LOAD_STACKS),
		    &profile);
	if (code == 0)
		code = view_make(cli, &view, profile, cli->args.words.at[0]);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code == 0 && pp_args_flag(&cli->args, "json"))
		calls_json(cli, &view);
	else if (code == 0 && pp_args_flag(&cli->args, "csv"))
		calls_csv(cli, &view);
	else if (code == 0)
		calls_text(cli, &view);
	free(view.shown);
	free(view.cycle);
	pp_calls_release(&view.calls);
	pp_flat_release(&view.flat);
	pp_profile_free(profile);
	return code;
}
