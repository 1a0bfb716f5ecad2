/*
 * Attributes, links and resources as labels, and what they say of threads: the series of samples.
 */
#include "formats/otlp/read.h"

/* What is known of a series by attributes of these keys. */
static void
series_name(struct otlp_read *r, struct pp_series *s)
{
	const struct pp_profile *p = r->b->profile;
	pp_labels set;

	for (set = s->labels; set; set = p->labels.at[set].rest) {
		const struct pp_label_row *l = &p->labels.at[set];
		struct pp_slice key = pp_text_of(p, l->key);
		bool number = l->type == PP_LABEL_NUMBER && l->number >= 0;

		if (pp_slice_eq_z(key, "thread.name") && l->type == PP_LABEL_TEXT)
			s->thread = l->text;
		else if (pp_slice_eq_z(key, "thread.id") && number)
			s->tid = l->number;
		else if (pp_slice_eq_z(key, "process.pid") && number)
			s->pid = l->number;
		else if (pp_slice_eq_z(key, "cpu.logical_number") && number)
			s->cpu = l->number;
		else if (pp_slice_eq_z(key, "process.executable.name") && l->type == PP_LABEL_TEXT)
			s->process = l->text;
		else if (pp_slice_eq_z(key, "context") && l->type == PP_LABEL_TEXT)
			s->context = l->text;
	}
}

static void
label_add(struct otlp_read *r, struct pp_slice key, const struct otlp_value *value,
          struct pp_slice unit)
{
	const struct pp_order *order = &r->b->order;
	struct pp_label_row row = { .type = PP_LABEL_TEXT };
	struct pp_buf text = { 0 };

	if (key.n == 0 ||
	    (!pp_order_has_label(order, key) &&
	     !(order->facets & PP_THREADS &&
	       (pp_slice_starts(key, "thread.") || pp_slice_starts(key, "process.") ||
	        pp_slice_eq_z(key, "context") || pp_slice_eq_z(key, "cpu.logical_number")))))
		return;
	row.key = pp_build_str(r->b, key);
	if (value->field == OTLP_ANY_INT) {
		row.type = PP_LABEL_NUMBER;
		row.number = (int64_t)value->number;
		row.unit = pp_build_str(r->b, unit);
	} else {
		pp_otlp_value_print(&r->doc, value, &text);
		row.text = pp_build_buf(r->b, &text);
	}
	if (!pp_vec_push(&r->labels, row))
		pp_otlp_no_memory(r);
}

static void
link_add(struct otlp_read *r, const char *key, struct pp_slice id)
{
	struct otlp_value value = { .field = OTLP_ANY_STRING };
	struct pp_buf text = { 0 };

	pp_otlp_hex(id, &text);
	value.text = pp_slice_of(text.p, text.n);
	if (text.failed)
		pp_otlp_no_memory(r);
	else if (id.n)
		label_add(r, pp_slice_z(key), &value, pp_slice_of("", 0));
	pp_buf_release(&text);
}

/* The series of labels that are new. */
static uint32_t
labels_build(struct otlp_read *r, const struct otlp_samples *s)
{
	const struct otlp_doc *d = &r->doc;
	const struct otlp_origin *o = &d->resources.at[s->profile->resource];
	struct otlp_value value;
	struct pp_slice key, unit;
	size_t i, before = r->b->profile->series.n;
	uint32_t series;

	r->labels.n = 0;
	for (i = 0; i < s->attributes.n; i++) {
		key = pp_otlp_attribute(d, s->attributes.at[i], &value, &unit);
		label_add(r, key, &value, unit);
	}
	if (s->link > 0 && (size_t)s->link < d->tables[OTLP_TABLE_LINKS].n) {
		link_add(r, "trace_id", d->tables[OTLP_TABLE_LINKS].at[s->link].bytes[0]);
		link_add(r, "span_id", d->tables[OTLP_TABLE_LINKS].at[s->link].bytes[1]);
	}
	for (i = 0; r->resources_differ && i < o->pairs.n; i++) {
		key = pp_otlp_pair(d, d->pairs.at[o->pairs.first + i], &value);
		label_add(r, key, &value, pp_slice_of("", 0));
	}
	series = pp_build_series_labelled(r->b, 0,
	                                  pp_build_labels(r->b, r->labels.at, r->labels.n));
	if (pp_builder_ok(r->b) && r->b->profile->series.n > before)
		series_name(r, &r->b->profile->series.at[series]);
	return series;
}

/* What stands in samples alike is taken apart once. */
uint32_t
pp_otlp_series_of(struct otlp_read *r, const struct otlp_samples *s)
{
	bool is_new = false;
	pp_str set = 0;

	r->set.n = 0;
	pp_buf_add(&r->set, &s->profile->resource, sizeof s->profile->resource);
	pp_buf_add(&r->set, &s->link, sizeof s->link);
	pp_buf_add(&r->set, s->attributes.at, s->attributes.n * sizeof *s->attributes.at);
	if (r->set.failed || !pp_strtab_intern(&r->sets, r->set.p, r->set.n, &set, &is_new))
		pp_otlp_no_memory(r);
	while (pp_builder_ok(r->b) && r->set_series.n <= set)
		if (!pp_vec_push(&r->set_series, 0))
			pp_otlp_no_memory(r);
	if (!pp_builder_ok(r->b))
		return 0;
	if (is_new)
		r->set_series.at[set] = labels_build(r, s);
	return r->set_series.at[set];
}
