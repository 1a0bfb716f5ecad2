/*
 * The experimental half of the API: building profiles, their columns, formats from outside of the library.
 */
#include "polyprof/polyprof_experimental.h"

#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "io/system.h"
#include "model/schema.h"
#include "build_info.h"
#include "output/html.h"

const char *
pp_features(void)
{
	return pp_html_possible() ? PP_FEATURES ", report viewer" : PP_FEATURES;
}

/* ---- building ---- */

/* What profiles are called that no file was read for. */
static const struct pp_format format_built = { .name = "built",
	                                       .title = "a profile built by a program" };

pp_builder *
pp_builder_new(const struct pp_limits *given)
{
	struct pp_limits limits = pp_limits_complete(given);
	struct pp_builder *b = calloc(1, sizeof *b);

	if (b && !pp_builder_init(b, &limits, NULL, pp_random_seed(), &pp_pages_huge)) {
		free(b);
		return NULL;
	}
	if (b)
		b->profile->format = &format_built;
	return b;
}

void
pp_builder_free(pp_builder *b)
{
	if (b)
		pp_builder_release(b);
	free(b);
}

/* A function costs what its lines cost together or, where there are none, its calls. */
static void
costs_settle(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;

	p->lines.adds_up = p->lines.rows.n > 0;
	p->calls.adds_up = p->calls.rows.n > 0 && !p->lines.adds_up;
}

pp_status
pp_builder_end(pp_builder *b, pp_profile **out)
{
	pp_status status = b->status;

	*out = NULL;
	if (status == PP_OK) {
		costs_settle(b);
		status = pp_builder_finish(b, out);
	}
	pp_builder_free(b);
	return status;
}

void
pp_builder_incomplete(pp_builder *b)
{
	b->profile->complete = false;
}

/* Whether what is handed in makes sense; if not, that is the builder's failure. */
static bool
given_well(struct pp_builder *b, bool well)
{
	if (!well)
		pp_builder_fail(b, PP_E_USAGE, NULL);
	return pp_builder_ok(b);
}

/* The series that all costs belong to. */
static bool
series_ready(struct pp_builder *b)
{
	if (given_well(b, b->profile->metrics.n > 0) && b->profile->series.n == 0)
		(void)pp_build_series_plain(b, true, false);
	return pp_builder_ok(b);
}

uint32_t
pp_make_metric(pp_builder *b, const char *name, const char *unit)
{
	static const struct {
		const char *unit;
		enum pp_metric_kind kind;
	} kinds[] = { { "ns", PP_KIND_WALL_TIME },
		      { "samples", PP_KIND_SAMPLES },
		      { "bytes", PP_KIND_BYTES } };
	enum pp_metric_kind kind = PP_KIND_OTHER;
	const struct pp_profile *p = b->profile;
	size_t i;

	if (!given_well(b, name && unit && p->series.n == 0))
		return 0;
	for (i = 0; i < PP_COUNT_OF(kinds); i++)
		if (strcmp(kinds[i].unit, unit) == 0)
			kind = kinds[i].kind;
	return pp_build_metric_z(b, name, unit, kind, PP_INT,
	                         p->metrics.n ? 0 : PP_METRIC_PRIMARY) +
	       (pp_builder_ok(b) ? 1 : 0);
}

uint32_t
pp_make_string(pp_builder *b, const void *data, size_t n)
{
	return given_well(b, data || n == 0) ? pp_build_str(b, pp_slice_of(data ? data : "", n))
	                                     : 0;
}

uint32_t
pp_make_function(pp_builder *b, const struct pp_function *f)
{
	size_t strings = b->profile->strs.strs.n;
	struct pp_func_row row = { .name = f->name, .file = f->file, .line = f->line };

	if (!given_well(b, f->name < strings && f->file < strings && f->module < strings))
		return 0;
	if (f->module)
		row.module = pp_build_module(b, &(struct pp_module_row){ .name = f->module });
	return pp_build_func(b, &row);
}

uint32_t
pp_make_frame(pp_builder *b, uint32_t function, uint32_t line)
{
	if (!given_well(b, function > 0 && function < b->profile->funcs.n))
		return 0;
	return pp_build_frame(b, &(struct pp_frame_row){ .func = function, .line = line });
}

void
pp_make_stack(pp_builder *b, const uint32_t *frames, size_t depth, const int64_t *values)
{
	bool well = values && (frames || depth == 0);
	size_t i;

	for (i = 0; well && i < depth; i++)
		well = frames[i] > 0 && frames[i] < b->profile->frames.n;
	if (given_well(b, well) && series_ready(b))
		(void)pp_build_stack(b, 0, frames, depth, values);
}

void
pp_make_call(pp_builder *b, uint32_t caller, uint32_t callee, uint32_t line, uint64_t calls,
             const int64_t *values)
{
	struct pp_edge_row row = { .caller = caller, .callee = callee, .site_line = line };
	size_t funcs = b->profile->funcs.n;

	if (given_well(b, values && caller < funcs && callee > 0 && callee < funcs) &&
	    series_ready(b))
		(void)pp_build_edge_add(b, &row, calls, values, b->profile->metrics.n, NULL);
}

void
pp_make_line(pp_builder *b, uint32_t function, uint32_t line, const int64_t *values)
{
	struct pp_line_row row = { .func = function, .line = line };

	if (!given_well(b, values && function > 0 && function < b->profile->funcs.n) ||
	    !series_ready(b))
		return;
	row.file = b->profile->funcs.at[function].file;
	(void)pp_build_line_add(b, &row, values, b->profile->metrics.n, NULL);
}

void
pp_make_meta(pp_builder *b, const char *key, const void *data, size_t n)
{
	if (given_well(b, key && (data || n == 0)))
		pp_build_meta_z(b, key, PP_META_TEXT, pp_slice_of(data ? data : "", n));
}

/* ---- columns ---- */

static const char *const table_names[PP_TABLES] = {
	[PP_TABLE_PROFILE] = "profile", [PP_TABLE_MODULES] = "modules",
	[PP_TABLE_FUNCS] = "functions", [PP_TABLE_FRAMES] = "frames",
	[PP_TABLE_NODES] = "nodes",     [PP_TABLE_METRICS] = "metrics",
	[PP_TABLE_SERIES] = "series",   [PP_TABLE_CALLS] = "calls",
	[PP_TABLE_LINES] = "lines",     [PP_TABLE_META] = "meta",
	[PP_TABLE_EXTRAS] = "extras",   [PP_TABLE_SOURCES] = "sources",
	[PP_TABLE_NOT_OWN] = "not_own", [PP_TABLE_FACTS] = "facts",
	[PP_TABLE_LABELS] = "labels",
};

size_t
pp_table_count(void)
{
	return PP_TABLES;
}

const char *
pp_table_name(size_t table)
{
	return table < PP_TABLES ? table_names[table] : NULL;
}

size_t
pp_table_size(const pp_profile *p, size_t table)
{
	return table < PP_TABLES ? pp_table_rows(p, (enum pp_table_id)table) : 0;
}

size_t
pp_table_column_count(size_t table)
{
	return table < PP_TABLES ? pp_schema[table].n : 0;
}

const char *
pp_table_column_name(size_t table, size_t column)
{
	return column < pp_table_column_count(table) ? pp_schema[table].columns[column].name : NULL;
}

const char *
pp_table_column_refers(size_t table, size_t column)
{
	static const char *const to[PP_REFERS] = {
		[PP_TO_STR] = "strings",   [PP_TO_MODULE] = "modules", [PP_TO_FUNC] = "functions",
		[PP_TO_FRAME] = "frames",  [PP_TO_NODE] = "nodes",     [PP_TO_METRIC] = "metrics",
		[PP_TO_SERIES] = "series", [PP_TO_LABELS] = "labels"
	};
	enum pp_refers refers;

	if (column >= pp_table_column_count(table))
		return "";
	refers = pp_schema[table].columns[column].to;
	if (refers == PP_TO_EARLIER || refers == PP_TO_OWN)
		return table_names[table];
	return to[refers] ? to[refers] : "";
}

size_t
pp_table_cells(const pp_profile *p, size_t table)
{
	if (table >= PP_TABLES || !pp_schema[table].cells)
		return 0;
	return pp_table_width(p, (enum pp_table_id)table) - pp_schema[table].n;
}

int64_t
pp_table_number(const pp_profile *p, size_t table, size_t row, size_t column)
{
	size_t n = pp_table_column_count(table), cells = pp_table_cells(p, table);
	int64_t numbers[PP_COLUMNS_MAX];

	if (row >= pp_table_size(p, table) || column >= n + cells)
		return 0;
	if (table == PP_TABLE_NODES) {
		pp_table_get(p, PP_TABLE_NODES, row, numbers);
		return numbers[column];
	}
	if (column < n)
		return pp_table_cell(p, (enum pp_table_id)table, row,
		                     &pp_schema[table].columns[column]);
	return pp_table_number_of(p, (enum pp_table_id)table, row, column - n);
}

struct pp_text
pp_profile_string(const pp_profile *p, uint32_t id)
{
	struct pp_slice s = pp_text_of(p, id < p->strs.strs.n ? id : 0);

	return (struct pp_text){ (const char *)s.p, s.n };
}

/* ---- formats from outside ---- */

struct outside {
	struct pp_format format; /* the first member */
	struct pp_format_maker maker;
};

static int
outside_bid(const struct pp_peek *peek)
{
	const struct pp_format_maker *m = peek->format->maker;

	return m->recognise
	           ? m->recognise(m->ctx, peek->head.p, peek->head.n, peek->whole, peek->name)
	           : 0;
}

static pp_status
outside_read(struct pp_reader *r, struct pp_builder *b)
{
	const struct pp_format_maker *m = r->format->maker;
	pp_status status = m->read(m->ctx, r, b);

	costs_settle(b);
	return status;
}

static pp_status
outside_write(struct pp_writer *w)
{
	const struct pp_format_maker *m = w->format->maker;

	return m->write(m->ctx, w->profile, w->out);
}

pp_format *
pp_format_new(const struct pp_format_maker *given)
{
	struct outside *o = calloc(1, sizeof *o);
	struct pp_format_maker *m = o ? &o->maker : NULL;

	if (!o || !pp_opts_complete(m, sizeof *m, sizeof *m, given) || !m->name) {
		free(o);
		return NULL;
	}
	o->format = (struct pp_format){ .name = m->name,
		                        .title = m->title ? m->title : m->name,
		                        .extensions = m->extensions,
		                        .can = (m->facets & (unsigned)(PP_FACETS | PP_META)) |
		                               (m->read ? PP_CAN_READ : 0) |
		                               (m->write ? PP_CAN_WRITE : 0),
		                        .bid = outside_bid,
		                        .read = m->read ? outside_read : NULL,
		                        .write = m->write ? outside_write : NULL,
		                        .rules = m->rules,
		                        .maker = m };
	return &o->format;
}

void
pp_format_free(pp_format *format)
{
	free(format);
}

size_t
pp_reader_take(pp_reader *r, void *to, size_t room)
{
	size_t n;

	if (room == 0 || !pp_input_need(r->in, 1))
		return 0;
	n = pp_input_left(r->in) < room ? pp_input_left(r->in) : room;
	memcpy(to, r->in->cur, n);
	r->in->cur += n;
	if (r->progress && r->progress(r))
		r->in->at_end = true;
	return n;
}

void
pp_reader_finding(pp_reader *r, const struct pp_rule *rule, uint64_t line, uint64_t column,
                  const char *message)
{
	struct pp_place place = PP_NOWHERE;

	place.line = line;
	place.column = column;
	pp_diag_add(r->diags, rule, place, "%s", message);
}
