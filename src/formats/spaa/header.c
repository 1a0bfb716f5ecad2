/*
 * The header: order of frames, events and what their weights mean, range of time.
 */
#include "formats/kit/meta_json.h"
#include "formats/spaa/spaa.h"

bool
pp_spaa_event_find(struct pp_spaa_reader *r, struct pp_slice name, uint32_t *event)
{
	pp_str str;

	*event = r->costs.last_event;
	if (PP_LIKELY(r->costs.last_event < r->costs.events.n &&
	              pp_slice_eq(r->costs.events.at[r->costs.last_event].said.name, name)))
		return true;
	if (!pp_strtab_find(&r->builder->profile->strs, name.p, name.n, &str))
		return false;
	*event = pp_map_get(&r->costs.event_of, str);
	if (*event == PP_MAP_NONE)
		return false;
	r->costs.last_event = *event;
	return true;
}

/* Enters an event; names and the primary metric move to the profile's strings. */
static void
event_add(struct pp_spaa_reader *r, const struct pp_spaa_declared *said)
{
	struct pp_builder *b = r->builder;
	struct pp_spaa_event e = { .said = *said,
		                   .str = pp_build_str(b, said->name),
		                   .number = (uint32_t)r->costs.events.n };
	uint32_t primary;

	e.said.name = pp_text_of(b->profile, e.str);
	if (pp_map_get(&r->costs.event_of, e.str) != PP_MAP_NONE) {
		pp_spaa_find(&r->in.parser.json, PP_SPAA_R_EVENT_TWICE, said->name_at,
		             "the event \"%.*s\" is declared twice", PP_SHOWN(said->name));
		return;
	}
	primary = pp_spaa_metric_row(r, said->primary);
	if (primary == UINT32_MAX)
		return;
	if (!pp_spaa_metric_count(r, (uint32_t)r->costs.events.n, primary)) {
		pp_spaa_find(&r->in.parser.json, PP_SPAA_R_METRICS_MANY, said->name_at,
		             "the header declares more than %d events", PP_SPAA_METRICS_MAX);
		return;
	}
	e.said.primary = r->metrics.rows.at[primary].name;
	/* Attributing memory needs whole stacks; the metrics are known too late to decide by them. */
	if (r->want_costs && e.said.kind == PP_SPAA_ALLOCATION && !r->builder->stacks &&
	    r->builder->order.facets & PP_ASIDE && pp_order_adds_up(&r->builder->order))
		pp_builder_plant(r->builder);
	if (!pp_spaa_column_add(r, &e, primary) || !pp_vec_push(&r->costs.events, e)) {
		pp_vec_release(&e.columns);
		pp_spaa_no_memory(r);
	} else if (!pp_map_set(&r->costs.event_of, e.str, (uint32_t)(r->costs.events.n - 1))) {
		pp_spaa_no_memory(r);
	}
}

void
pp_spaa_apply_header(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	/* Without these nothing that follows has a meaning. */
	const uint32_t needed = 1u << PP_SPAA_K_HEADER_ORDER | 1u << PP_SPAA_K_HEADER_EVENTS |
	                        1u << PP_SPAA_K_HEADER_FORMAT | 1u << PP_SPAA_K_HEADER_VERSION;
	struct pp_spaa_header *h = &r->header;
	struct pp_spaa_chunk chunk = { 0 };
	struct pp_spaa_record copy = *rec;
	size_t i;

	if (h->seen) {
		pp_spaa_report(r, rec, PP_SPAA_R_HEADER_TWICE, rec->text.p, "a second header");
		return;
	}
	h->seen = true;
	r->in.gave_up = !pp_spaa_header_parse(&r->in.parser, &chunk, &copy, h) ||
	                (h->has & needed) != needed;
	if (PP_SPAA_HAS(h, has, HEADER_TOOL)) {
		r->builder->profile->producer = pp_build_str(r->builder, h->tool);
		h->tool = pp_text_of(r->builder->profile, r->builder->profile->producer);
	}
	for (i = 0; i < chunk.events.n && r->in.parser.json.scan.error == PP_SCAN_OK; i++)
		if (!chunk.events.at[i].wrong)
			event_add(r, &chunk.events.at[i]);
	for (i = 0; i < chunk.findings.n; i++)
		pp_spaa_report(r, rec, chunk.findings.at[i].rule, chunk.findings.at[i].at, "%s",
		               chunk.findings.at[i].message);
	if (chunk.status != PP_OK)
		pp_spaa_no_memory(r);
	r->carried.announced = memmem(rec->text.p, rec->text.n, "\"x_polyprof\"", 12) != NULL;
	r->carried.listed = r->carried.announced && r->want_costs &&
	                    memmem(rec->text.p, rec->text.n, "\"listed\":true", 13) != NULL;
	if (PP_SPAA_HAS(h, has, HEADER_INCOMPLETE)) {
		pp_scan_init(&r->in.parser.json.scan, rec->text, r->reader->limits.max_nesting,
		             PP_SCAN_STRICT);
		if (pp_scan_path(&r->in.parser.json.scan, "x_incomplete", NULL, NULL) &&
		    pp_scan_peek(&r->in.parser.json.scan) == PP_JSON_BOOL)
			(void)pp_scan_bool(&r->in.parser.json.scan, &h->incomplete);
	}
	if (!r->in.gave_up && r->reader->order->facets & PP_META) {
		pp_scan_init(&r->in.parser.json.scan, rec->text, r->reader->limits.max_nesting,
		             PP_SCAN_STRICT);
		pp_meta_json_read(&r->in.parser.json.scan, r->builder, "type", NULL);
	}
	pp_spaa_chunk_release(&chunk);
}
