/*
 * The JSON that scripts rely on.
 */
#include "output/json_view.h"
#include "formats/kit/meta_json.h"

#include <stdlib.h>

#include "formats/format.h"
#include "output/diag_view.h"

/* ---- values and functions ---- */

void
pp_json_value(struct pp_json *j, const struct pp_metric *m, union pp_value v)
{
	char text[PP_NUM_MAX];
	size_t n = pp_value_print(m, v, text);

	pp_json_raw(j, text, n);
}

void
pp_json_put_metric(struct pp_json *j, const char *key, const struct pp_profile *p, size_t metric)
{
	struct pp_buf label = { 0 };

	pp_metric_label(p, &p->metrics.at[metric], &label);
	if (key)
		pp_json_put_text(j, key, pp_slice_of(label.p ? label.p : "", label.n));
	else
		pp_json_key_text(j, pp_slice_of(label.p ? label.p : "", label.n));
	if (label.failed)
		j->out->status = j->out->status == PP_OK ? PP_E_NOMEM : j->out->status;
	pp_buf_release(&label);
}

void
pp_json_values(struct pp_json *j, const struct pp_profile *p, const union pp_value *values)
{
	size_t m;

	pp_json_begin_object(j);
	for (m = 0; m < p->metrics.n; m++) {
		pp_json_put_metric(j, NULL, p, m);
		pp_json_value(j, &p->metrics.at[m], values[m]);
	}
	pp_json_end_object(j);
}

void
pp_json_func(struct pp_json *j, const struct pp_profile *p, pp_func id)
{
	const struct pp_func_row *func = &p->funcs.at[id];

	pp_json_put_name(j, "name", pp_text_of(p, func->name));
	if (func->file)
		pp_json_put_name(j, "file", pp_text_of(p, func->file));
	if (func->line)
		pp_json_put_u64(j, "line", func->line);
	if (func->module)
		pp_json_put_name(j, "module", pp_text_of(p, p->modules.at[func->module].name));
}

/* ---- diagnostics ---- */

void
pp_json_put_diags(struct pp_json *j, const struct pp_diags *diags)
{
	struct pp_diag_order order;
	uint64_t found = pp_diags_total(diags, PP_NOTE);
	size_t i;

	pp_json_put_array(j, "diagnostics");
	if (!pp_diag_order_init(&order, diags))
		j->out->status = j->out->status == PP_OK ? PP_E_NOMEM : j->out->status;
	for (i = 0; i < order.n; i++) {
		const struct pp_diag *diag = order.at[i];

		pp_json_begin_object(j);
		pp_json_put_textz(j, "severity", pp_severity_name(diag->severity));
		pp_json_put_textz(j, "rule", diag->rule->id);
		if (diag->line)
			pp_json_put_u64(j, "line", diag->line);
		if (diag->column)
			pp_json_put_u64(j, "column", diag->column);
		if (diag->offset != PP_NO_OFFSET)
			pp_json_put_u64(j, "offset", diag->offset);
		pp_json_put_textz(j, "message", diag->message);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
	if (found > order.n)
		pp_json_put_u64(j, "omitted", found - order.n);
	pp_diag_order_release(&order);
}

/* ---- info ---- */

void
pp_json_put_facets(struct pp_json *j, unsigned facets)
{
	size_t i;

	pp_json_put_array(j, "facets");
	for (i = 0; i < PP_COUNT_OF(pp_facet_names); i++)
		if (facets & pp_facet_names[i].facet)
			pp_json_textz(j, pp_facet_names[i].name);
	pp_json_end_array(j);
}

static void
put_metrics(struct pp_json *j, const struct pp_profile *p)
{
	size_t i;

	pp_json_put_array(j, "metrics");
	for (i = 0; i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		pp_json_begin_object(j);
		pp_json_put_name(j, "name", pp_text_of(p, m->name));
		pp_json_put_text(j, "unit", pp_text_of(p, m->unit));
		pp_json_key(j, "total");
		pp_json_value(j, m, pp_profile_total(p, i));
		if (m->title)
			pp_json_put_text(j, "title", pp_text_of(p, m->title));
		if (m->event)
			pp_json_put_text(j, "event", pp_text_of(p, m->event));
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
}

static void
put_time(struct pp_json *j, const struct pp_profile *p)
{
	if (!p->time.known)
		return;
	pp_json_put_object(j, "time");
	pp_json_put_i64(j, "start", p->time.start);
	pp_json_put_i64(j, "end", p->time.end);
	pp_json_put_textz(j, "unit", "ns");
	pp_json_end_object(j);
}

/* Readers that see samples only as weights leave the count to the metric: its sum may pass 64 bits. */
static void
put_samples(struct pp_json *j, const struct pp_profile *p, size_t primary)
{
	if (p->samples == 0 && primary < p->metrics.n &&
	    p->metrics.at[primary].kind == PP_KIND_SAMPLES) {
		pp_json_key(j, "samples");
		pp_json_value(j, &p->metrics.at[primary], pp_profile_total(p, primary));
	} else {
		pp_json_put_u64(j, "samples", p->samples);
	}
}

void
pp_json_put_profile(struct pp_json *j, const struct pp_profile *p, const struct pp_counts *counts)
{
	size_t primary = pp_profile_primary(p), i;

	pp_json_put_textz(j, "format", pp_format_name(p->format));
	if (p->variant)
		pp_json_put_text(j, "variant", pp_text_of(p, p->variant));
	pp_json_put_array(j, "compression");
	for (i = 0; i < PP_COUNT_OF(p->compression) && p->compression[i]; i++)
		pp_json_text(j, pp_text_of(p, p->compression[i]));
	pp_json_end_array(j);
	if (p->producer)
		pp_json_put_text(j, "producer", pp_text_of(p, p->producer));
	pp_json_put_bool(j, "complete", p->complete);
	pp_json_put_facets(j, p->holds);
	if (primary < p->metrics.n)
		pp_json_put_metric(j, "primary", p, primary);
	put_metrics(j, p);
	pp_json_put_object(j, "counts");
	pp_json_put_u64(j, "events", p->events);
	put_samples(j, p, primary);
	pp_json_put_u64(j, "stacks", counts->stacks);
	pp_json_put_u64(j, "functions", counts->functions);
	pp_json_put_u64(j, "threads", counts->threads);
	pp_json_put_u64(j, "edges", counts->edges);
	pp_json_put_u64(j, "lines", counts->lines);
	pp_json_end_object(j);
	put_time(j, p);
}

void
pp_json_put_meta(struct pp_json *j, const struct pp_profile *p)
{
	size_t i;

	pp_json_put_object(j, "meta");
	for (i = 0; i < p->meta.n; i++)
		if (!p->meta.at[i].parent)
			pp_meta_json_write(j, p, i, true);
	pp_json_end_object(j);
}

/* ---- top ---- */

void
pp_json_flat_row(struct pp_json *j, const struct pp_flat *flat, size_t row)
{
	pp_json_begin_object(j);
	pp_json_func(j, flat->profile, flat->func[row]);
	if (flat->has_calls)
		pp_json_put_u64(j, "calls", flat->calls[row]);
	pp_json_key(j, "self");
	pp_json_values(j, flat->profile, &flat->self[row * flat->metrics]);
	pp_json_key(j, "total");
	pp_json_values(j, flat->profile, &flat->total[row * flat->metrics]);
	if (flat->cycle && flat->cycle[row])
		pp_json_put_u64(j, "cycle", flat->cycle[row]);
	pp_json_end_object(j);
}

/* "cycles": [{"cycle": 1, "members": 2, "self": {...}, "total": {...}}], when there are any. */
static void
put_cycles(struct pp_json *j, const struct pp_flat *flat)
{
	const struct pp_profile *p = flat->profile;
	size_t n = flat->metrics, row, m;
	union pp_value *sums;
	uint32_t *members, c;

	/* Totals of groups do not add up to those of the cycles that their members are in. */
	if (flat->cycles == 0 || p->derived.alone.n)
		return;
	sums = calloc((flat->cycles + 1) * (2 * n + 1), sizeof *sums);
	members = sums ? calloc(flat->cycles + 1, sizeof *members) : NULL;
	for (row = 0; members && row < flat->n; row++) {
		c = flat->cycle[row];
		members[c]++;
		for (m = 0; m < n; m++) {
			pp_value_add(&p->metrics.at[m], &sums[2 * n * c + m],
			             flat->self[row * n + m]);
			pp_value_add(&p->metrics.at[m], &sums[2 * n * c + n + m],
			             flat->total[row * n + m]);
		}
	}
	pp_json_put_array(j, "cycles");
	for (c = 1; members && c <= flat->cycles; c++) {
		pp_json_begin_object(j);
		pp_json_put_u64(j, "cycle", c);
		pp_json_put_u64(j, "members", members[c]);
		pp_json_key(j, "self");
		pp_json_values(j, p, &sums[2 * n * c]);
		pp_json_key(j, "total");
		pp_json_values(j, p, &sums[2 * n * c + n]);
		pp_json_end_object(j);
	}
	pp_json_end_array(j);
	if (!members && j->out->status == PP_OK)
		j->out->status = PP_E_NOMEM;
	free(members);
	free(sums);
}

void
pp_json_flat(struct pp_json *j, const struct pp_flat *flat, size_t metric, size_t limit)
{
	const struct pp_profile *p = flat->profile;
	size_t row;

	pp_json_begin_object(j);
	pp_json_put_textz(j, "format", pp_format_name(p->format));
	pp_json_put_bool(j, "complete", p->complete);
	if (metric < p->metrics.n) {
		pp_json_put_metric(j, "metric", p, metric);
		pp_json_put_text(j, "unit", pp_text_of(p, p->metrics.at[metric].unit));
		pp_json_key(j, "total");
		pp_json_value(j, &p->metrics.at[metric], flat->whole[metric]);
	}
	pp_json_put_bool(j, "estimated", p->estimated && pp_profile_basis(p) == PP_BASIS_TREE);
	pp_json_put_array(j, "functions");
	for (row = 0; row < flat->n && row < limit && j->out->status == PP_OK; row++)
		pp_json_flat_row(j, flat, row);
	pp_json_end_array(j);
	pp_json_put_u64(j, "count", flat->n);
	put_cycles(j, flat);
	pp_json_end_object(j);
	pp_json_end_line(j);
}
