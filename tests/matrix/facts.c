/*
 * All that a profile holds as one JSON object, for tests/matrix/conversions.py: the tables of the model with
 * names in place of ids and values in their units.
 *
 *     facts FILE
 */
#include <stdio.h>

#include "api/api.h"
#include "text/json_emit.h"

static const struct pp_profile *p;
static struct pp_json json;

static void
put_str(pp_str s)
{
	pp_json_text(&json, pp_text_of(p, s));
}

/* Cells of all metrics, each in its unit. */
static void
put_cells(struct pp_cells cells)
{
	char text[PP_NUM_MAX];
	size_t m, i = 0;

	for (m = 0; m < pp_metrics_shown(p); m++) {
		const struct pp_metric *metric = &p->metrics.at[m];
		bool there = i < cells.n && pp_cells_column(&cells, i) == m;

		pp_json_raw(
		    &json, text,
		    pp_value_print(metric, pp_cell_value(metric, there ? cells.at[i] : 0), text));
		i += there;
	}
}

static void
put_function(pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];

	put_str(f->name);
	put_str(f->file);
	pp_json_u64(&json, f->line);
	pp_json_u64(&json, f->last_line);
	put_str(p->modules.at[f->module].name);
	put_str(p->modules.at[f->module].build_id);
	pp_json_u64(&json, f->flags);
	pp_json_u64(&json, f->column);
}

static void
put_functions(void)
{
	size_t i;

	pp_json_put_array(&json, "funcs");
	for (i = 0; i < p->funcs.n; i++) {
		pp_json_begin_array(&json);
		put_function((pp_func)i);
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
	pp_json_put_array(&json, "frames");
	for (i = 0; i < p->frames.n; i++) {
		const struct pp_frame_row *f = &p->frames.at[i];

		pp_json_begin_array(&json);
		pp_json_u64(&json, f->func);
		pp_json_u64(&json, f->line);
		pp_json_u64(&json, f->column);
		pp_json_u64(&json, f->site_line);
		pp_json_u64(&json, f->address);
		pp_json_u64(&json, f->offset);
		pp_json_u64(&json, f->inline_depth);
		pp_json_u64(&json, f->flags);
		put_str(f->file);
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
}

static void
put_tree(void)
{
	pp_node node;

	pp_json_put_array(&json, "nodes");
	for (node = 0; node < p->tree.n; node++) {
		pp_json_begin_array(&json);
		pp_json_u64(&json, node ? pp_tree_parent(&p->tree, node) : 0);
		pp_json_u64(&json, pp_tree_frame(&p->tree, node));
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
}

/* [node, calls or -1, own cost of each metric] */
static void
put_rows(const struct pp_series *s)
{
	uint32_t row;

	pp_json_put_array(&json, "rows");
	for (row = 0; row < s->rows; row++) {
		if (!pp_series_present(s, row))
			continue;
		pp_json_begin_array(&json);
		pp_json_u64(&json, pp_series_node(s, row));
		pp_json_i64(&json, s->has_calls ? pp_series_cells(s, row)[p->metrics.n] : -1);
		put_cells(pp_series_costs(p, s, row));
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
}

static void
put_series(void)
{
	size_t i;

	pp_json_put_array(&json, "series");
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		pp_json_begin_object(&json);
		pp_json_put_text(&json, "event", pp_text_of(p, s->event));
		pp_json_put_text(&json, "process", pp_text_of(p, s->process));
		pp_json_put_text(&json, "thread", pp_text_of(p, s->thread));
		pp_json_put_text(&json, "context", pp_text_of(p, s->context));
		pp_json_put_i64(&json, "pid", s->pid);
		pp_json_put_i64(&json, "tid", s->tid);
		pp_json_put_i64(&json, "cpu", s->cpu);
		pp_json_put_u64(&json, "happened", s->timeline.n);
		put_rows(s);
		pp_json_end_object(&json);
	}
	pp_json_end_array(&json);
}

static void
put_edges(void)
{
	size_t i;

	pp_json_put_array(&json, "edges");
	for (i = 0; i < p->calls.rows.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];

		pp_json_begin_array(&json);
		pp_json_u64(&json, e->caller);
		pp_json_u64(&json, e->callee);
		put_str(e->site_file);
		pp_json_u64(&json, e->site_line);
		pp_json_u64(&json, e->site_address);
		pp_json_i64(&json, pp_edge_cell(p, i, 0));
		put_cells(pp_edge_costs(p, i));
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
}

static void
put_lines(void)
{
	size_t i;

	pp_json_put_array(&json, "lines");
	for (i = 0; i < p->lines.rows.n; i++) {
		const struct pp_line_row *l = &p->lines.rows.at[i];

		pp_json_begin_array(&json);
		pp_json_u64(&json, l->func);
		put_str(l->file);
		pp_json_u64(&json, l->line);
		pp_json_u64(&json, l->address);
		pp_json_i64(&json, p->lines.hits ? pp_line_cell(p, i, 0) : -1);
		put_cells(pp_line_costs(p, i));
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
}

static void
put_metrics(void)
{
	size_t m;

	pp_json_put_array(&json, "metrics");
	for (m = 0; m < pp_metrics_shown(p); m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		pp_json_begin_object(&json);
		pp_json_put_text(&json, "name", pp_text_of(p, metric->name));
		pp_json_put_text(&json, "event", pp_text_of(p, metric->event));
		pp_json_put_text(&json, "unit", pp_text_of(p, metric->unit));
		pp_json_put_u64(&json, "kind", metric->kind);
		pp_json_put_bool(&json, "real", metric->type == PP_REAL);
		pp_json_put_u64(&json, "scale", metric->scale);
		pp_json_put_u64(&json, "factor_num", metric->factor_num);
		pp_json_put_u64(&json, "factor_den", metric->factor_den);
		pp_json_end_object(&json);
	}
	pp_json_end_array(&json);
}

static void
put_whole(void)
{
	size_t i;

	pp_json_put_bool(&json, "complete", p->complete);
	pp_json_put_i64(&json, "recorded", p->recorded_at);
	pp_json_put_u64(&json, "samples", p->samples);
	pp_json_put_u64(&json, "markers", p->markers);
	pp_json_put_bool(&json, "timed", p->time.known);
	pp_json_put_i64(&json, "start", p->time.start);
	pp_json_put_i64(&json, "end", p->time.end);
	pp_json_put_u64(&json, "sources", p->sources.n);
	pp_json_put_u64(&json, "primary", pp_profile_primary(p));
	pp_json_put_array(&json, "meta");
	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *m = &p->meta.at[i];

		pp_json_begin_array(&json);
		pp_json_u64(&json, m->parent);
		put_str(m->key);
		put_str(m->text);
		pp_json_end_array(&json);
	}
	pp_json_end_array(&json);
}

int
main(int argc, char **argv)
{
	struct pp_read_opts opts = { .want = PP_FACETS | PP_META | PP_EXTRAS | PP_SITES,
		                     .threads = 1 };
	struct pp_profile *profile = NULL;
	struct pp_sink *out;
	int error;

	if (argc != 2) {
		fprintf(stderr, "usage: facts FILE\n");
		return 2;
	}
	if (pp_read_file(argv[1], &opts, NULL, &profile) != PP_OK ||
	    pp_sink_file("-", false, &out, &error) != PP_OK)
		return 1;
	p = profile;
	pp_json_init(&json, out, PP_JSON_COMPACT);
	pp_json_begin_object(&json);
	put_whole();
	put_metrics();
	put_functions();
	put_tree();
	put_series();
	put_edges();
	put_lines();
	pp_json_end_object(&json);
	pp_json_end_line(&json);
	error = pp_sink_commit(out) == PP_OK ? 0 : 1;
	pp_sink_close(out);
	pp_profile_free(profile);
	return error;
}
