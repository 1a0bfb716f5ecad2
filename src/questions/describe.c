/*
 * What a profile is.
 */
#include "questions/describe.h"

#include "formats/format.h"
#include "formats/kit/meta_json.h"
#include "text/units.h"

struct pp_slice
pp_file_title(const char *file)
{
	return pp_slice_z(strcmp(file, "-") == 0 ? "standard input" : file);
}

void
pp_describe_idle(struct pp_buf *text, const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value idle = pp_profile_aside(p, metric).idle;

	if (metric >= p->aside.n || pp_value_is_zero(m, idle))
		return;
	pp_buf_adds(text, " (");
	pp_units_value(text, pp_text_of(p, m->unit), pp_value_double(m, idle));
	pp_buf_adds(text, " idle)");
}

static void
metrics_add(struct pp_answer *a, const struct pp_profile *p)
{
	struct pp_buf title = { 0 };
	union pp_value *totals = pp_profile_totals(p);
	size_t i;

	a->failed |= !totals;
	pp_answer_open_list(a, "metrics");
	for (i = 0; totals && i < pp_metrics_shown(p); i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		pp_answer_open(a, NULL);
		pp_answer_text(a, "name", PP_AS_NAME, pp_text_of(p, m->name));
		pp_answer_text(a, "unit", PP_AS_TEXT, pp_text_of(p, m->unit));
		pp_answer_total(a, p, i, totals[i]);
		pp_answer_metric(a, "key", p, i);
		title.n = 0;
		pp_metric_title(p, m, &title);
		if (!pp_slice_eq(pp_slice_of(title.p ? title.p : "", title.n),
		                 pp_text_of(p, m->name)))
			pp_answer_text(a, "title", PP_AS_TEXT, pp_slice_of(title.p, title.n));
		if (m->event)
			pp_answer_text(a, "event", PP_AS_TEXT, pp_text_of(p, m->event));
		if (pp_metric_falls(m))
			pp_answer_bool(a, "falls", true);
		pp_answer_close(a);
	}
	pp_answer_close_list(a);
	a->failed |= title.failed;
	pp_buf_release(&title);
	free(totals);
}

bool
pp_samples_are_weights(const struct pp_profile *p)
{
	size_t primary = pp_profile_primary(p);

	return p->samples == 0 && primary < p->metrics.n &&
	       p->metrics.at[primary].kind == PP_KIND_SAMPLES;
}

static void
samples_add(struct pp_answer *a, const struct pp_profile *p, size_t primary)
{
	if (pp_samples_are_weights(p))
		pp_answer_value(a, "samples", p, primary,
		                pp_value_with_idle(p, primary, pp_profile_total(p, primary)));
	else
		pp_answer_count(a, "samples", p->samples);
}

void
pp_answer_profile(struct pp_answer *a, const struct pp_profile *p, const struct pp_counts *counts)
{
	size_t primary = pp_profile_primary(p), i;

	pp_answer_textz(a, "format", pp_format_name(p->format));
	if (p->variant)
		pp_answer_text(a, "variant", PP_AS_TEXT, pp_text_of(p, p->variant));
	pp_answer_open_list(a, "compression");
	for (i = 0; i < PP_COUNT_OF(p->compression) && p->compression[i]; i++)
		pp_answer_text(a, NULL, PP_AS_TEXT, pp_text_of(p, p->compression[i]));
	pp_answer_close_list(a);
	if (p->producer)
		pp_answer_text(a, "producer", PP_AS_TEXT, pp_text_of(p, p->producer));
	pp_answer_bool(a, "complete", p->complete);
	pp_answer_open_list(a, "facets");
	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (p->holds & pp_facet_names[i].facet)
			pp_answer_textz(a, NULL, pp_facet_names[i].name);
	pp_answer_close_list(a);
	if (primary < p->metrics.n)
		pp_answer_metric(a, "primary", p, primary);
	metrics_add(a, p);
	pp_answer_open(a, "counts");
	pp_answer_count(a, "events", p->events);
	samples_add(a, p, primary);
	pp_answer_count(a, "stacks", counts->stacks);
	pp_answer_count(a, "functions", counts->functions);
	pp_answer_count(a, "threads", counts->threads);
	pp_answer_count(a, "edges", counts->edges);
	pp_answer_count(a, "lines", counts->lines);
	if (p->markers)
		pp_answer_count(a, "markers", p->markers);
	pp_answer_close(a);
	if (!p->time.known)
		return;
	pp_answer_open(a, "time");
	pp_answer_int(a, "start", p->time.start);
	pp_answer_int(a, "end", p->time.end);
	pp_answer_textz(a, "unit", "ns");
	pp_answer_close(a);
}

/* ---- metadata ---- */

void
pp_meta_json(struct pp_json *j, const struct pp_profile *p)
{
	size_t i;

	pp_json_begin_object(j);
	for (i = 0; i < p->meta.n; i++)
		if (p->meta.at[i].parent == 0)
			pp_meta_json_write(j, p, i, true);
	pp_json_end_object(j);
}

void
pp_answer_meta(struct pp_answer *a, const char *key, const struct pp_profile *p)
{
	struct pp_buf text = { 0 };
	struct pp_sink *out;
	struct pp_json j;

	if (pp_sink_buffer(&text, &out) != PP_OK) {
		a->failed = true;
		return;
	}
	pp_json_init(&j, out, PP_JSON_SPACED);
	pp_meta_json(&j, p);
	a->failed |= pp_sink_commit(out) != PP_OK;
	pp_sink_close(out);
	pp_answer_raw(a, key, &text);
}

const char *
pp_calls_said(const struct pp_profile *p, bool callers, bool any)
{
	static const char *const said[2][2][2] = {
		{ { "it calls nothing", "calls" }, { "nothing calls it", "called by" } },
		{ { "it holds nothing", "holds" }, { "nothing holds it", "held by" } },
	};

	return said[pp_profile_holders(p)][callers][any];
}

const char *
pp_function_said(const struct pp_profile *p, bool many)
{
	static const char *const said[2][2] = { { "function", "functions" },
		                                { "class", "classes" } };

	return said[pp_profile_holders(p)][many];
}
