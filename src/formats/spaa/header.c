/*
 * The header: order of frames, events and what their weights mean, range of time.
 */
#include "formats/spaa/spaa.h"

/* Enters an event; names and the primary metric move to the profile's strings. */
static void
event_add(struct pp_spaa_reader *r, const struct pp_spaa_declared *said)
{
	struct pp_builder *b = r->builder;
	struct pp_spaa_event e = { .said = *said, .str = pp_build_str(b, said->name), .wide = 1 };
	struct pp_spaa_column primary = { 0 };

	e.said.name = pp_text_of(b->profile, e.str);
	if (pp_map_get(&r->event_of, e.str) != PP_MAP_NONE) {
		pp_spaa_find(&r->parser, PP_SPAA_R_EVENT_TWICE, said->name_at,
		             "the event \"%.*s\" is declared twice", PP_SPAA_SHOWN(said->name));
		return;
	}
	primary.metric = pp_spaa_metric_row(r, said->primary);
	if (primary.metric == UINT32_MAX)
		return;
	if (!pp_spaa_metric_count(r, (uint32_t)r->events.n, primary.metric)) {
		pp_spaa_find(&r->parser, PP_SPAA_R_METRICS_MANY, said->name_at,
		             "the header declares more than %d events", PP_SPAA_METRICS_MAX);
		return;
	}
	e.said.primary = r->metrics.at[primary.metric].name;
	if (!pp_vec_push(&e.columns, primary) || !pp_vec_push(&r->events, e)) {
		pp_vec_release(&e.columns);
		pp_spaa_no_memory(r);
	} else if (!pp_map_set(&r->event_of, e.str, (uint32_t)(r->events.n - 1))) {
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
	r->gave_up = !pp_spaa_header_parse(&r->parser, &chunk, &copy, h) ||
	             (h->has & needed) != needed;
	if (PP_SPAA_HAS(h, has, HEADER_TOOL)) {
		r->builder->profile->producer = pp_build_str(r->builder, h->tool);
		h->tool = pp_text_of(r->builder->profile, r->builder->profile->producer);
	}
	for (i = 0; i < chunk.events.n && r->parser.scan.error == PP_SCAN_OK; i++)
		if (!chunk.events.at[i].wrong)
			event_add(r, &chunk.events.at[i]);
	for (i = 0; i < chunk.findings.n; i++)
		pp_spaa_report(r, rec, chunk.findings.at[i].rule, chunk.findings.at[i].at, "%s",
		               chunk.findings.at[i].message);
	if (chunk.status != PP_OK)
		pp_spaa_no_memory(r);
	r->carries = memmem(rec->text.p, rec->text.n, "\"x_polyprof\"", 12) != NULL;
	if (!r->gave_up)
		pp_spaa_model_meta(r, rec->text);
	pp_spaa_chunk_release(&chunk);
}
