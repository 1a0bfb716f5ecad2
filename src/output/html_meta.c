/*
 * The tables of a report: time, and the JSON that says what everything is.
 */
#include "output/html_data.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/sink.h"
#include "analysis/counts.h"
#include "analysis/set_aside.h"
#include "analysis/noise.h"
#include "questions/describe.h"
#include "questions/occasion.h"

/* ---- time ------------------------------------------------------------------------------- */

static void
value_put(struct pp_json *j, const struct pp_metric *m, union pp_value v)
{
	char text[PP_NUM_MAX];

	pp_json_raw(j, text, pp_value_print(m, v, text));
}

static void
facets_put(struct pp_json *j, unsigned facets)
{
	size_t i;

	pp_json_put_array(j, "facets");
	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (facets & pp_facet_names[i].facet)
			pp_json_textz(j, pp_facet_names[i].name);
	pp_json_end_array(j);
}

static void
put_moment_values(struct pp_html_data *h, size_t k, size_t series, const struct pp_moments *m)
{
	const struct pp_profile *p = h->digest->profile[k];
	size_t n = m->node.n, c, i;
	union pp_value *values = malloc((n + 1) * sizeof *values);
	char name[96];

	for (c = 0; values && c < m->columns; c++) {
		/* Gains of counters that only grow may be negative all the same. */
		struct pp_metric metric = p->metrics.at[c];

		if (m->trace && metric.type == PP_UINT)
			metric.type = PP_INT;
		for (i = 0; i < n; i++)
			values[i] = pp_cell_value(&metric, m->values.at[i * m->columns + c]);
		snprintf(name, sizeof name, "%zu.t.%zu.m%zu", k, series, c);
		pp_column_values(&h->columns, name, &metric, values, n, 1);
	}
	if (!values)
		h->status = PP_E_NOMEM;
	free(values);
}

static void
put_time_of(struct pp_html_data *h, size_t k, size_t series, uint64_t most)
{
	struct pp_moments m;
	size_t i;

	h->status = pp_digest_moments(h->digest, k, series, most, &m);
	if (h->status == PP_OK) {
		if (m.unit > h->cut->resolution)
			h->cut->resolution = m.unit;
		pp_column_begin(&h->columns, 'f', "%zu.t.%zu.start", k, series);
		pp_column_f(&h->columns, (double)m.start);
		pp_column_end(&h->columns);
		pp_column_begin(&h->columns, 'v', "%zu.t.%zu.wait", k, series);
		for (i = 0; i < m.wait.n; i++)
			pp_column_u(&h->columns, m.wait.at[i]);
		pp_column_end(&h->columns);
		if (!m.trace) {
			pp_column_begin(&h->columns, 'v', "%zu.t.%zu.length", k, series);
			for (i = 0; i < m.length.n; i++)
				pp_column_u(&h->columns, m.length.at[i]);
			pp_column_end(&h->columns);
		}
		pp_column_u32(&h->columns, 'd', m.node.at, m.node.n, "%zu.t.%zu.node", k, series);
		if (m.trace)
			pp_column_u32(&h->columns, 'u', m.calls.at, m.calls.n, "%zu.t.%zu.calls", k,
			              series);
		if (h->line_of[k] && m.frame.n) {
			pp_column_begin(&h->columns, 'd', "%zu.t.%zu.line", k, series);
			for (i = 0; i < m.frame.n; i++)
				pp_column_d(&h->columns, h->line_of[k][m.frame.at[i]]);
			pp_column_end(&h->columns);
		}
		put_moment_values(h, k, series, &m);
	}
	pp_moments_release(&m);
}

void
pp_html_put_time(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	uint64_t all = 0, n;
	size_t k, i;

	for (k = 0; k < h->digest->profiles; k++)
		for (i = 0; i < h->digest->profile[k]->series.n; i++)
			all += h->digest->profile[k]->series.at[i].timeline.n;
	for (k = 0; k < h->digest->profiles; k++)
		for (i = 0; i < h->digest->profile[k]->series.n && h->status == PP_OK; i++) {
			n = h->digest->profile[k]->series.at[i].timeline.n;
			if (n)
				put_time_of(h, k, i,
				            all <= detail->moments
				                ? n
				                : (uint64_t)((double)detail->moments * (double)n /
				                             (double)all));
		}
}

/* ---- what is what ----------------------------------------------------------------------- */

static void
put_metrics(struct pp_json *j, const struct pp_profile *p)
{
	char number[PP_NUM_MAX];
	struct pp_buf title = { 0 };
	size_t i;

	pp_json_put_array(j, "metrics");
	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		pp_json_begin_object(j);
		pp_json_put_text(j, "name", pp_text_of(p, m->name));
		title.n = 0;
		pp_metric_title(p, m, &title);
		pp_json_put_text(j, "title", pp_slice_of(title.p ? title.p : "", title.n));
		pp_json_put_text(j, "event", pp_text_of(p, m->event));
		pp_json_put_text(j, "unit", pp_text_of(p, m->unit));
		pp_json_put_u64(j, "kind", (uint64_t)m->kind);
		pp_json_put_bool(j, "sampled", pp_metric_is_sampled(m));
		pp_json_put_raw(
		    j, "period", number,
		    pp_num_print_double(number, pp_metric_period(&(struct pp_diff_input){
		                                    .profile = p, .metric = i })));
		pp_json_put_bool(j, "real", m->type == PP_REAL);
		pp_json_put_bool(j, "sums", !(m->flags & PP_METRIC_NO_SUM));
		pp_json_put_u64(j, "scale", m->scale);
		pp_json_put_u64(j, "num", m->factor_num ? m->factor_num : 1);
		pp_json_put_u64(j, "den", m->factor_den ? m->factor_den : 1);
		pp_json_key(j, "total");
		value_put(j, m, pp_profile_total(p, i));
		if (pp_metric_falls(m))
			pp_json_put_bool(j, "falls", true);
		if (m->flags & PP_METRIC_GAINED)
			pp_json_put_i64(j, "net",
			                m->flags & PP_METRIC_UNSURE ? -1 : (int64_t)m->net);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
	pp_buf_release(&title);
}

static void
put_series(struct pp_json *j, const struct pp_profile *p)
{
	size_t i;

	pp_json_put_array(j, "series");
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		pp_json_begin_object(j);
		pp_json_put_text(j, "event", pp_text_of(p, s->event));
		pp_json_put_text(j, "process", pp_text_of(p, s->process));
		pp_json_put_text(j, "thread", pp_text_of(p, s->thread));
		pp_json_put_text(j, "context", pp_text_of(p, s->context));
		pp_json_put_i64(j, "pid", s->pid);
		pp_json_put_i64(j, "tid", s->tid);
		pp_json_put_i64(j, "cpu", s->cpu);
		pp_json_put_bool(j, "calls", s->has_calls);
		pp_json_put_bool(j, "time", s->timeline.n > 0);
		pp_json_put_bool(j, "trace", s->timeline.cumulative);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
}

/* What was profiled, and on which machine. The viewer adds when and for how long. */
static void
put_what(struct pp_json *j, const struct pp_profile *p)
{
	struct pp_occasion o = pp_occasion_of(p);
	struct pp_buf text = { 0 };

	o.when = 0;
	o.when_text.n = 0;
	o.pid.n = 0;
	o.has_span = false;
	pp_occasion_print(&o, NULL, &text);
	pp_json_put_text(j, "what", pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_release(&text);
}

/* What the numbers say by themselves. */
static void
put_facts(struct pp_json *j, const struct pp_html_opts *opts)
{
	char number[PP_NUM_MAX];
	size_t i;

	pp_json_put_array(j, "facts");
	for (i = 0; i < opts->fact_count; i++) {
		const struct pp_html_fact *fact = &opts->facts[i];

		pp_json_begin_object(j);
		pp_json_put_raw(j, "share", number, pp_num_print_double(number, fact->share));
		pp_json_put_textz(j, "text", fact->text);
		if (fact->func.n)
			pp_json_put_text(j, "of", fact->func);
		if (fact->rest)
			pp_json_put_textz(j, "rest", fact->rest);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
}

/* "aside": what was set aside of any metric, if anything was. */
static void
aside_put(struct pp_json *j, const struct pp_profile *p)
{
	const char *said = NULL;
	size_t m;

	for (m = 0; m < p->aside.n && !said; m++)
		said = pp_set_aside_note(p, m);
	if (said)
		pp_json_put_textz(j, "aside", said);
}

static void
put_profile(struct pp_json *j, const struct pp_html_data *h, size_t k)
{
	const struct pp_profile *p = h->digest->profile[k];
	struct pp_time_span span = pp_profile_span(p);
	size_t primary = pp_profile_primary(p);

	pp_json_begin_object(j);
	pp_json_put_text(j, "file", pp_slice_z(h->opts->files[k]));
	pp_json_put_textz(j, "format", p->format ? pp_format_name(p->format) : "");
	pp_json_put_text(j, "variant", pp_text_of(p, p->variant));
	pp_json_put_text(j, "producer", pp_text_of(p, p->producer));
	pp_json_put_bool(j, "complete", p->complete);
	pp_json_put_bool(j, "estimated", p->estimated);
	aside_put(j, p);
	facets_put(j, p->facets);
	pp_json_put_bool(j, "flatFromTree", pp_profile_basis(p) == PP_BASIS_TREE);
	pp_json_put_bool(j, "hits", p->lines.hits);
	pp_json_put_bool(j, "calls", h->has_flat[k] && h->flat[k].has_calls);
	pp_json_put_u64(j, "primary",
	                k == 0 && h->opts->metric < p->metrics.n ? h->opts->metric
	                : primary < p->metrics.n                 ? primary
	                                                         : 0);
	pp_json_put_u64(j, "functions", h->has_flat[k] ? h->flat[k].n : 0);
	pp_json_put_u64(j, "nodes", p->tree.n ? p->tree.n - 1 : 0);
	pp_json_put_u64(j, "events", p->events);
	pp_json_put_u64(j, "samples", p->samples);
	if (span.known) {
		pp_json_put_i64(j, "timeStart", span.start);
		pp_json_put_i64(j, "timeEnd", span.end);
	}
	pp_json_put_i64(j, "recordedAt", p->recorded_at);
	put_what(j, p);
	put_metrics(j, p);
	put_series(j, p);
	pp_json_key(j, "meta");
	pp_meta_json(j, p);
	pp_json_end_object(j);
}

static void
put_cut(struct pp_json *j, const struct pp_html_cut *cut)
{
	char share[PP_NUM_MAX];
	size_t n = pp_num_print_double(share, cut->min_share);

	pp_json_put_object(j, "cut");
	pp_json_put_raw(j, "share", share, n);
	pp_json_put_u64(j, "nodes", cut->nodes);
	pp_json_put_u64(j, "functions", cut->funcs);
	pp_json_put_u64(j, "edges", cut->edges);
	pp_json_put_u64(j, "lines", cut->lines);
	pp_json_put_u64(j, "sources", cut->sources);
	pp_json_put_u64(j, "names", cut->names);
	pp_json_put_u64(j, "resolution", cut->resolution);
	pp_json_end_object(j);
}

void
pp_html_put_meta(struct pp_html_data *h, const struct pp_html_detail *detail)
{
	struct pp_buf text = { 0 };
	struct pp_sink *sink = NULL;
	struct pp_json j;
	size_t k;

	if (h->status != PP_OK)
		return;
	h->status = pp_sink_buffer(&text, &sink);
	if (h->status != PP_OK)
		return;
	pp_json_init(&j, sink, PP_JSON_COMPACT);
	pp_json_begin_object(&j);
	pp_json_put_textz(&j, "version", pp_version());
	pp_json_put_textz(&j, "title", h->opts->title ? h->opts->title : "");
	if (h->opts->names != PP_NAMES_FIT)
		pp_json_put_textz(&j, "names", h->opts->names == PP_NAMES_FULL ? "full" : "short");
	pp_json_put_array(&j, "inputs");
	/* Whoever asks for pieces knows what was asked about. */
	for (k = 0; h->opts->inputs[k] && (!h->piecewise || k < 2); k++)
		pp_json_text(&j, pp_slice_z(h->opts->inputs[k]));
	pp_json_end_array(&j);
	if (h->opts->words && !h->piecewise) {
		pp_json_put_array(&j, "words");
		for (k = 0; h->opts->words[k]; k++)
			pp_json_text(&j, pp_slice_z(h->opts->words[k]));
		pp_json_end_array(&j);
	}
	pp_json_put_array(&j, "profiles");
	for (k = 0; k < h->digest->profiles; k++)
		put_profile(&j, h, k);
	pp_json_end_array(&j);
	put_facts(&j, h->opts);
	put_cut(&j, h->cut);
	if (detail->functions)
		pp_json_put_u64(&j, "functionsTo", detail->to);
	pp_json_end_object(&j);
	h->status = pp_sink_commit(sink);
	if (h->status == PP_OK)
		pp_column_bytes(&h->columns, "meta", text.p, text.n);
	pp_sink_close(sink);
	pp_buf_release(&text);
}
