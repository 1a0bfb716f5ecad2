/*
 * The header: order of frames, events and what their weights mean, range of time.
 */
#include "formats/spaa/spaa.h"

#define NAME(z)                                                                                    \
	{                                                                                          \
		(const unsigned char *)(z), sizeof(z) - 1                                          \
	}

/* ---- events ----------------------------------------------------------------------------- */

enum { SAMPLING_MODE, SAMPLING_PRIMARY, SAMPLING_PERIOD, SAMPLING_FREQUENCY };
static const struct pp_slice sampling_names[] = { NAME("mode"), NAME("primary_metric"),
	                                          NAME("sample_period"), NAME("frequency_hz") };
static const struct pp_slice mode_words[] = { NAME("period"), NAME("frequency"), NAME("event") };

/* A rate that is not positive is reported and not used. */
static bool
rate_parse(struct pp_spaa_parser *p, struct pp_spaa_object *o, struct pp_spaa_num *rate)
{
	const unsigned char *at = pp_spaa_here(p);

	if (!pp_spaa_number(p, o, PP_SPAA_R_RATE, rate))
		return false;
	if (pp_spaa_num_is_zero(rate) || pp_spaa_num_is_negative(rate))
		pp_spaa_find(p, PP_SPAA_R_RATE_ZERO, at, "\"%s\" is not positive",
		             (const char *)o->names.names[o->index].p);
	return true;
}

static void
sampling_parse(struct pp_spaa_parser *p, struct pp_spaa_event *e)
{
	const unsigned char *primary_at = NULL, *period_at = NULL, *frequency_at = NULL;
	struct pp_spaa_object o;
	unsigned mode = 0;

	if (!pp_spaa_object_begin(p, &o, sampling_names, PP_COUNT_OF(sampling_names),
	                          PP_SPAA_R_SAMPLING, "\"sampling\""))
		return;
	while (pp_spaa_object_key(p, &o, NULL))
		switch (o.index) {
		case SAMPLING_MODE:
			(void)pp_spaa_word(p, &o, PP_SPAA_R_SAMPLING_MODE, mode_words,
			                   PP_COUNT_OF(mode_words), true, &mode);
			break;
		case SAMPLING_PRIMARY:
			primary_at = pp_spaa_here(p);
			(void)pp_spaa_text(p, &o, PP_SPAA_R_PRIMARY_METRIC, &e->primary);
			break;
		case SAMPLING_PERIOD:
			period_at = pp_spaa_here(p);
			e->has_period = rate_parse(p, &o, &e->period);
			break;
		case SAMPLING_FREQUENCY:
			frequency_at = pp_spaa_here(p);
			e->has_frequency = rate_parse(p, &o, &e->frequency);
			break;
		default:
			break;
		}
	e->mode = (enum pp_spaa_mode)mode;
	pp_spaa_object_need(p, &o, SAMPLING_MODE, PP_SPAA_R_SAMPLING_MODE);
	pp_spaa_object_need(p, &o, SAMPLING_PRIMARY, PP_SPAA_R_PRIMARY_METRIC);
	if (o.taken >> SAMPLING_PRIMARY & 1 && e->primary.n == 0)
		pp_spaa_find(p, PP_SPAA_R_PRIMARY_METRIC, primary_at,
		             "the primary metric is empty");
	if (!(o.taken >> SAMPLING_MODE & 1))
		return;
	if (e->has_period && e->mode != PP_SPAA_PERIOD)
		pp_spaa_find(p, PP_SPAA_R_RATE_MODE, period_at,
		             "sample_period, but the mode is not period");
	if (e->has_frequency && e->mode != PP_SPAA_FREQUENCY)
		pp_spaa_find(p, PP_SPAA_R_RATE_MODE, frequency_at,
		             "frequency_hz, but the mode is not frequency");
}

enum { TRACKING_FREES, TRACKING_TIMES };
static const struct pp_slice tracking_names[] = { NAME("tracks_frees"), NAME("has_timestamps") };

/* False when it is absent. */
static bool
tracking_parse(struct pp_spaa_parser *p)
{
	struct pp_spaa_object o;
	bool value;

	if (pp_scan_peek(&p->scan) == PP_JSON_NULL)
		return pp_scan_null(&p->scan) && false;
	if (!pp_spaa_object_begin(p, &o, tracking_names, PP_COUNT_OF(tracking_names),
	                          PP_SPAA_R_ALLOCATION_TRACKING, "\"allocation_tracking\""))
		return true;
	while (pp_spaa_object_key(p, &o, NULL))
		(void)pp_spaa_bool(p, &o, PP_SPAA_R_ALLOCATION_TRACKING, &value);
	return true;
}

enum { EVENT_NAME, EVENT_KIND, EVENT_SAMPLING, EVENT_TRACKING, EVENT_DERIVATION };
static const struct pp_slice event_names[] = { NAME("name"), NAME("kind"), NAME("sampling"),
	                                       NAME("allocation_tracking"),
	                                       NAME("x_cpu_time_derivation") };
static const struct pp_slice event_kind_words[] = { NAME("hardware"),   NAME("software"),
	                                            NAME("allocation"), NAME("deallocation"),
	                                            NAME("timer"),      NAME("probe") };

/* False when the event must not be used. Says where its name stands. */
static bool
event_parse(struct pp_spaa_parser *p, struct pp_spaa_event *e, const unsigned char **name_at)
{
	const unsigned char *tracking_at = NULL;
	bool wrong = p->rec->wrong, fine;
	struct pp_spaa_object o;
	unsigned kind = 0;

	if (!pp_spaa_object_begin(p, &o, event_names, PP_COUNT_OF(event_names), PP_SPAA_R_EVENTS,
	                          "an event"))
		return false;
	p->rec->wrong = false;
	while (pp_spaa_object_key(p, &o, NULL))
		switch (o.index) {
		case EVENT_NAME:
			*name_at = pp_spaa_here(p);
			(void)pp_spaa_text(p, &o, PP_SPAA_R_EVENT_NAME, &e->name);
			break;
		case EVENT_KIND:
			(void)pp_spaa_word(p, &o, PP_SPAA_R_EVENT_KIND, event_kind_words,
			                   PP_COUNT_OF(event_kind_words), true, &kind);
			break;
		case EVENT_SAMPLING:
			if (pp_scan_peek(&p->scan) == PP_JSON_NULL) {
				(void)pp_scan_null(&p->scan);
				break;
			}
			sampling_parse(p, e);
			o.taken |= (uint64_t)1 << EVENT_SAMPLING;
			break;
		case EVENT_TRACKING:
			tracking_at = pp_spaa_here(p);
			if (!tracking_parse(p))
				tracking_at = NULL;
			break;
		default:
			e->documented = true;
			(void)pp_spaa_walk(p);
			break;
		}
	e->kind = (enum pp_spaa_event_kind)kind;
	pp_spaa_object_need(p, &o, EVENT_NAME, PP_SPAA_R_EVENT_NAME);
	pp_spaa_object_need(p, &o, EVENT_KIND, PP_SPAA_R_EVENT_KIND);
	pp_spaa_object_need(p, &o, EVENT_SAMPLING, PP_SPAA_R_SAMPLING);
	if (o.taken >> EVENT_NAME & 1 && e->name.n == 0)
		pp_spaa_find(p, PP_SPAA_R_EVENT_NAME_EMPTY, *name_at,
		             "the event has an empty name");
	if (tracking_at && o.taken >> EVENT_KIND & 1 && e->kind != PP_SPAA_ALLOCATION &&
	    e->kind != PP_SPAA_DEALLOCATION)
		pp_spaa_find(p, PP_SPAA_R_ALLOCATION_TRACKING_KIND, tracking_at,
		             "allocation_tracking on an event that is no allocation");
	fine = !p->rec->wrong;
	p->rec->wrong |= wrong;
	return fine;
}

/* Enters an event; names and the primary metric move to the profile's strings. */
static void
event_add(struct pp_spaa_reader *r, struct pp_spaa_event *e, const unsigned char *at)
{
	struct pp_builder *b = r->builder;
	struct pp_spaa_column primary = { 0 };

	e->str = pp_build_str(b, e->name);
	e->name = pp_text_of(b->profile, e->str);
	if (pp_map_get(&r->event_of, e->str) != PP_MAP_NONE) {
		pp_spaa_find(&r->parser, PP_SPAA_R_EVENT_TWICE, at,
		             "the event \"%.*s\" is declared twice",
		             (int)(e->name.n < 80 ? e->name.n : 80), (const char *)e->name.p);
		return;
	}
	primary.metric = pp_spaa_metric_row(r, e->primary);
	if (primary.metric == UINT32_MAX)
		return;
	if (!pp_spaa_metric_count(r, (uint32_t)r->events.n, primary.metric)) {
		pp_spaa_find(&r->parser, PP_SPAA_R_METRICS_MANY, at,
		             "the header declares more than %d events", PP_SPAA_METRICS_MAX);
		return;
	}
	e->primary = r->metrics.at[primary.metric].name;
	e->wide = 1;
	if (!pp_vec_push(&e->columns, primary) || !pp_vec_push(&r->events, *e)) {
		pp_vec_release(&e->columns);
		pp_spaa_no_memory(r);
	} else if (!pp_map_set(&r->event_of, e->str, (uint32_t)(r->events.n - 1))) {
		pp_spaa_no_memory(r);
	}
}

static void
events_parse(struct pp_spaa_reader *r)
{
	struct pp_spaa_parser *p = &r->parser;
	const unsigned char *at = pp_spaa_here(p);
	bool any = false;

	if (!pp_spaa_array_begin(p, PP_SPAA_R_EVENTS, "\"events\""))
		return;
	while (pp_scan_item(&p->scan)) {
		struct pp_spaa_event e = { 0 };
		const unsigned char *name_at = NULL;

		any = true;
		if (event_parse(p, &e, &name_at) && p->scan.error == PP_SCAN_OK)
			event_add(r, &e, name_at);
	}
	if (!any && p->scan.error == PP_SCAN_OK)
		pp_spaa_find(p, PP_SPAA_R_EVENTS_EMPTY, at, "the header lists no events");
}

/* ---- the other keys --------------------------------------------------------------------- */

enum { RANGE_START, RANGE_END, RANGE_UNIT };
static const struct pp_slice range_names[] = { NAME("start"), NAME("end"), NAME("unit") };

static void
range_parse(struct pp_spaa_parser *p, struct pp_spaa_header *h)
{
	const unsigned char *unit_at = NULL, *start_at = NULL;
	struct pp_slice unit = { 0 };
	struct pp_spaa_object o;

	if (pp_scan_peek(&p->scan) == PP_JSON_NULL) {
		(void)pp_scan_null(&p->scan);
		return;
	}
	if (!pp_spaa_object_begin(p, &o, range_names, PP_COUNT_OF(range_names),
	                          PP_SPAA_R_TIME_RANGE, "\"time_range\""))
		return;
	while (pp_spaa_object_key(p, &o, NULL)) {
		if (o.index == RANGE_START) {
			start_at = pp_spaa_here(p);
			(void)pp_spaa_number(p, &o, PP_SPAA_R_TIME_RANGE, &h->start);
		} else if (o.index == RANGE_END) {
			(void)pp_spaa_number(p, &o, PP_SPAA_R_TIME_RANGE, &h->end);
		} else {
			unit_at = pp_spaa_here(p);
			(void)pp_spaa_text(p, &o, PP_SPAA_R_TIME_RANGE, &unit);
		}
	}
	pp_spaa_object_need(p, &o, RANGE_START, PP_SPAA_R_TIME_RANGE);
	pp_spaa_object_need(p, &o, RANGE_END, PP_SPAA_R_TIME_RANGE);
	pp_spaa_object_need(p, &o, RANGE_UNIT, PP_SPAA_R_TIME_RANGE);
	h->has_range = (o.taken & 7) == 7;
	if (!h->has_range)
		return;
	h->unit = pp_spaa_time_unit(unit, &h->unit_odd);
	if (h->unit_odd)
		pp_spaa_find(p, PP_SPAA_R_TIME_UNIT, unit_at,
		             "\"%.*s\" is not one of the units of time",
		             (int)(unit.n < 40 ? unit.n : 40), (const char *)unit.p);
	if (pp_spaa_num_cmp(&h->start, &h->end) > 0)
		pp_spaa_find(p, PP_SPAA_R_TIME_RANGE_REVERSED, start_at,
		             "time_range ends before it starts");
}

enum { SOURCE_TOOL, SOURCE_COMMAND, SOURCE_VERSION };
static const struct pp_slice source_names[] = { NAME("tool"), NAME("command"),
	                                        NAME("tool_version") };

static void
source_parse(struct pp_spaa_parser *p)
{
	struct pp_spaa_object o;
	struct pp_slice text;

	if (pp_scan_peek(&p->scan) == PP_JSON_NULL) {
		(void)pp_scan_null(&p->scan);
		return;
	}
	if (!pp_spaa_object_begin(p, &o, source_names, PP_COUNT_OF(source_names), PP_SPAA_R_SOURCE,
	                          "\"source\""))
		return;
	while (pp_spaa_object_key(p, &o, NULL))
		(void)pp_spaa_text(p, &o, PP_SPAA_R_SOURCE, &text);
}

static void
version_judge(struct pp_spaa_parser *p, struct pp_slice v, const unsigned char *at)
{
	size_t i = 2;

	if (v.n >= 3 && v.p[0] == '1' && v.p[1] == '.')
		while (i < v.n && (unsigned)v.p[i] - '0' <= 9)
			i++;
	if (i < 3 || i != v.n)
		pp_spaa_find(p, PP_SPAA_R_VERSION, at, "version \"%.*s\" is not supported",
		             (int)(v.n < 40 ? v.n : 40), (const char *)v.p);
	else if (!pp_slice_eq_z(v, "1.0"))
		pp_spaa_find(p, PP_SPAA_R_VERSION_NEWER, at, "version %.*s is newer than 1.0",
		             (int)(v.n < 40 ? v.n : 40), (const char *)v.p);
}

static void
tool_judge(struct pp_spaa_parser *p, struct pp_spaa_header *h, struct pp_slice tool,
           const unsigned char *at)
{
	static const char *const known[] = {
		"perf",
		"dtrace",
		"bpftrace",
		"heaptrack",
		"tcmalloc",
		"gperftools",
		"jemalloc",
		"pprof",
		"chrome-cpuprofile",
		"chrome-heapsnapshot",
		"chrome-heaptimeline",
		"chrome-heapprofile",
		"turbopack",
		"polyprof",
	};
	size_t i;

	h->is_perf = pp_slice_eq_z(tool, "perf");
	h->is_dtrace = pp_slice_eq_z(tool, "dtrace");
	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (pp_slice_eq_z(tool, known[i]))
			return;
	pp_spaa_find(p, PP_SPAA_R_SOURCE_TOOL_UNKNOWN, at, "the source tool \"%.*s\" is not known",
	             (int)(tool.n < 80 ? tool.n : 80), (const char *)tool.p);
}

/* ---- the record ------------------------------------------------------------------------- */

enum {
	HEADER_TYPE,
	HEADER_FORMAT,
	HEADER_VERSION,
	HEADER_TOOL,
	HEADER_ORDER,
	HEADER_EVENTS,
	HEADER_RANGE,
	HEADER_SOURCE,
	HEADER_ID_MODE
};
static const struct pp_slice header_names[] = {
	NAME("type"),        NAME("format"),      NAME("version"),
	NAME("source_tool"), NAME("frame_order"), NAME("events"),
	NAME("time_range"),  NAME("source"),      NAME("stack_id_mode"),
};
static const struct pp_slice order_words[] = { NAME("leaf_to_root"), NAME("root_to_leaf") };
static const struct pp_slice id_mode_words[] = { NAME("content_addressable"), NAME("local") };
static const struct pp_slice format_words[] = { NAME("spaa") };

static void
header_value(struct pp_spaa_reader *r, struct pp_spaa_object *o)
{
	struct pp_spaa_parser *p = &r->parser;
	struct pp_spaa_header *h = &r->header;
	const unsigned char *at;
	struct pp_slice text;
	unsigned word = 0;

	(void)pp_scan_peek(&p->scan);
	at = p->scan.cur;
	switch (o->index) {
	case HEADER_FORMAT:
		(void)pp_spaa_word(p, o, PP_SPAA_R_FORMAT, format_words, 1, false, &word);
		break;
	case HEADER_VERSION:
		if (pp_spaa_text(p, o, PP_SPAA_R_VERSION, &text))
			version_judge(p, text, at);
		break;
	case HEADER_TOOL:
		if (pp_spaa_text(p, o, PP_SPAA_R_SOURCE_TOOL, &text)) {
			tool_judge(p, h, text, at);
			r->builder->profile->producer = pp_build_str(r->builder, text);
		}
		break;
	case HEADER_ORDER:
		if (pp_spaa_word(p, o, PP_SPAA_R_FRAME_ORDER, order_words, 2, false, &word))
			h->root_to_leaf = word == 1;
		break;
	case HEADER_EVENTS:
		events_parse(r);
		o->taken |= (uint64_t)1 << HEADER_EVENTS;
		break;
	case HEADER_RANGE:
		range_parse(p, h);
		break;
	case HEADER_SOURCE:
		source_parse(p);
		break;
	case HEADER_ID_MODE:
		if (pp_spaa_word(p, o, PP_SPAA_R_ID_MODE, id_mode_words, 2, true, &word))
			h->local_ids = word == 1;
		break;
	default:
		(void)pp_spaa_walk(p);
		break;
	}
}

static void
header_parse(struct pp_spaa_reader *r)
{
	struct pp_spaa_parser *p = &r->parser;
	struct pp_spaa_object o;

	(void)pp_spaa_object_begin(p, &o, header_names, PP_COUNT_OF(header_names),
	                           PP_SPAA_R_NOT_OBJECT, "the header");
	o.warn = true;
	while (pp_spaa_object_key(p, &o, NULL))
		header_value(r, &o);
	if (p->scan.error != PP_SCAN_OK)
		return;
	pp_spaa_object_need(p, &o, HEADER_FORMAT, PP_SPAA_R_FORMAT);
	pp_spaa_object_need(p, &o, HEADER_VERSION, PP_SPAA_R_VERSION);
	pp_spaa_object_need(p, &o, HEADER_TOOL, PP_SPAA_R_SOURCE_TOOL);
	pp_spaa_object_need(p, &o, HEADER_ORDER, PP_SPAA_R_FRAME_ORDER);
	pp_spaa_object_need(p, &o, HEADER_EVENTS, PP_SPAA_R_EVENTS);
	pp_spaa_object_need(p, &o, HEADER_ID_MODE, PP_SPAA_R_ID_MODE_MISSING);
	/* Without these nothing that follows has a meaning. */
	if (!(o.taken >> HEADER_ORDER & 1) || !(o.taken >> HEADER_EVENTS & 1) ||
	    !(o.taken >> HEADER_FORMAT & 1) || !(o.taken >> HEADER_VERSION & 1))
		r->gave_up = true;
}

void
pp_spaa_apply_header(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	struct pp_spaa_parser *p = &r->parser;
	struct pp_spaa_chunk chunk = { 0 };
	struct pp_spaa_record copy = *rec;
	size_t i;

	if (r->header.seen) {
		pp_spaa_report(r, rec, PP_SPAA_R_HEADER_TWICE, rec->text.p, "a second header");
		return;
	}
	r->header.seen = true;
	p->chunk = &chunk;
	p->rec = &copy;
	p->serial = 0;
	p->keys.n = 0;
	pp_scan_init(&p->scan, rec->text, p->max_nesting, PP_SCAN_STRICT);
	header_parse(r);
	if (!pp_scan_end(&p->scan)) {
		chunk.findings.n = 0;
		pp_spaa_scan_error(p);
		r->gave_up = true;
	}
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
