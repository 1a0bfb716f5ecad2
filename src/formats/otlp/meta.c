/*
 * What profiles say of themselves and of who made them, as metadata.
 */
#include <stdio.h>

#include "formats/otlp/read.h"

static void
meta_value(struct otlp_read *r, uint32_t under, struct pp_slice key, const struct otlp_value *value)
{
	struct pp_buf text = { 0 };

	pp_otlp_value_print(&r->doc, value, &text);
	if (text.failed)
		pp_otlp_no_memory(r);
	else if (key.n || under)
		(void)pp_build_meta(r->b, under, key,
		                    value->field == OTLP_ANY_INT    ? PP_META_NUMBER
		                    : value->field == OTLP_ANY_BOOL ? PP_META_BOOL
		                                                    : PP_META_TEXT,
		                    pp_slice_of(text.p, text.n));
	pp_buf_release(&text);
}

static void
meta_text(struct otlp_read *r, const char *key, struct pp_slice text)
{
	if (text.n)
		pp_build_meta_z(r->b, key, PP_META_TEXT, text);
}

static void
meta_number(struct otlp_read *r, const char *key, uint64_t number, bool negative)
{
	char text[PP_NUM_MAX];
	int n = snprintf(text, sizeof text, negative ? "%lld" : "%llu", (unsigned long long)number);

	if (number)
		pp_build_meta_z(r->b, key, PP_META_NUMBER, pp_slice_of(text, (size_t)n));
}

/* What comes from pprof goes by the names that it has there. */
static void
attribute_meta(struct otlp_read *r, struct pp_slice key, const struct otlp_value *value)
{
	struct pp_wire_field f;
	struct otlp_value item;
	struct pp_wire w;
	uint32_t list;

	if (pp_slice_eq_z(key, "pprof.scope.sample_type_order"))
		return;
	if (!pp_slice_eq_z(key, "pprof.profile.comment") || value->field != OTLP_ANY_ARRAY) {
		if (!pp_slice_take(&key, "pprof.profile."))
			(void)pp_slice_take(&key, "pprof.scope.");
		meta_value(r, 0, key, value);
		return;
	}
	list = pp_build_meta(r->b, 0, pp_slice_z("comments"), PP_META_ARRAY, pp_slice_of("", 0));
	pp_wire_init(&w, value->text);
	while (pp_builder_ok(r->b) && pp_wire_next(&w, &f)) {
		item = pp_otlp_value(&r->doc,
		                     f.type == PP_WIRE_BYTES ? f.bytes : pp_slice_of("", 0));
		meta_value(r, list, pp_slice_of("", 0), &item);
	}
}

static void
origin_meta(struct otlp_read *r, const struct otlp_origin *o)
{
	struct otlp_value value;
	uint32_t i;

	for (i = 0; i < o->pairs.n && pp_builder_ok(r->b); i++) {
		struct pp_slice key = pp_otlp_pair(&r->doc, r->doc.pairs.at[o->pairs.first + i],
		                                   &value);

		attribute_meta(r, key, &value);
	}
}

void
pp_otlp_meta_build(struct otlp_read *r)
{
	const struct otlp_doc *d = &r->doc;
	const struct otlp_profile *p = &d->profiles.at[0];
	const struct otlp_origin *scope = &d->scopes.at[p->scope];
	struct otlp_value value;
	struct pp_slice key, unit;
	struct pp_buf id = { 0 };
	uint32_t i;
	size_t k;

	if (!r->resources_differ)
		origin_meta(r, &d->resources.at[p->resource]);
	meta_text(r, "scope", scope->name);
	meta_text(r, "scope_version", scope->version);
	origin_meta(r, scope);
	meta_text(r, "schema_url",
	          d->resources.at[p->resource].schema.n ? d->resources.at[p->resource].schema
	                                                : scope->schema);
	meta_number(r, "time_nanos", p->f[OTLP_PROFILE_TIME], false);
	meta_number(r, "duration_nanos", p->f[OTLP_PROFILE_DURATION], false);
	meta_text(r, "period_type", pp_otlp_text(d, p->period_type[0]));
	meta_text(r, "period_unit", pp_otlp_text(d, p->period_type[1]));
	meta_number(r, "period", p->f[OTLP_PROFILE_PERIOD], true);
	pp_otlp_hex(p->id, &id);
	meta_text(r, "profile_id", pp_slice_of(id.p, id.n));
	pp_buf_release(&id);
	for (i = 0; i < p->list.n && pp_builder_ok(r->b); i++) {
		key = pp_otlp_attribute(d, d->numbers.at[p->list.first + i], &value, &unit);
		attribute_meta(r, key, &value);
	}
	for (k = 0; k < r->payloads.n; k++)
		if (k == 0 || !pp_slice_eq(r->payloads.at[k], r->payloads.at[k - 1]))
			meta_text(r, "original_payload_format", r->payloads.at[k]);
}
