/*
 * The outline of a document: what stands where.
 */
#include "formats/speedscope/read.h"

/* Notes where an array or object begins, and passes it. */
const unsigned char *
pp_speedscope_note(struct pp_scan *s, enum pp_json_type type)
{
	const unsigned char *at = pp_scan_peek(s) == type ? s->cur : NULL;

	(void)pp_scan_pass(s);
	return at;
}

static void
given_read(struct pp_scan *s, struct speedscope_given *g)
{
	bool null = pp_scan_peek(s) == PP_JSON_NULL;

	g->there = pp_scan_if_number(s, &g->num);
	g->wrong = !g->there && !null;
}

/* A string that stays when all is read again. */
static pp_str
string_keep(struct speedscope_read *r, struct pp_json_str s)
{
	struct pp_slice text = pp_build_json_text(r->b, s, &r->doc.arena);
	bool is_new;
	pp_str id = 0;

	if (text.n && pp_builder_ok(r->b) &&
	    !pp_strtab_intern(&r->strings, text.p, text.n, &id, &is_new))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return id;
}

/* What we add to a profile ourselves: {"metric": "hits", "unit": "samples", "event": "cycles", "thread": "main", "layout": "aggregated"}. */
static void
ours_read(struct speedscope_read *r, struct pp_scan *s, struct speedscope_part *part)
{
	struct pp_json_str key, text;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
		(void)pp_scan_pass(s);
		return;
	}
	part->is_ours = true;
	while (pp_scan_key(s, &key)) {
		pp_str *to = pp_json_str_eq(key, "metric")   ? &part->metric_name
		             : pp_json_str_eq(key, "unit")   ? &part->unit_name
		             : pp_json_str_eq(key, "event")  ? &part->event
		             : pp_json_str_eq(key, "thread") ? &part->thread
		                                             : NULL;

		if (pp_json_str_eq(key, "layout"))
			part->laid_out = pp_scan_if_string(s, &text) &&
			                 pp_json_str_eq(text, SPEEDSCOPE_LAID_OUT);
		else if (!to)
			(void)pp_scan_skip(s, NULL);
		else if (pp_scan_if_string(s, &text))
			*to = string_keep(r, text);
		part->has_thread |= to == &part->thread;
	}
}

/* The metric of a profile, made when it is new. */
static size_t
measure_find(struct speedscope_read *r, const struct speedscope_part *part)
{
	static const struct pp_fixed_rules rules = { SPEEDSCOPE_DIGITS, SPEEDSCOPE_DIGITS_FINE };
	struct speedscope_measure fresh = { .kind = part->kind,
		                            .name = part->metric_name,
		                            .unit = part->unit_name,
		                            .event = part->event,
		                            .fixed = { .seconds = part->kind == SPEEDSCOPE_TIME,
		                                       .may_unsigned = true,
		                                       .doc = &r->doc,
		                                       .rules = &rules } };
	size_t i;

	for (i = 0; i < r->measures.n; i++)
		if (r->measures.at[i].kind == fresh.kind && r->measures.at[i].name == fresh.name &&
		    r->measures.at[i].unit == fresh.unit && r->measures.at[i].event == fresh.event)
			return i;
	if (r->measures.n == MEASURES_MOST || !pp_vec_push(&r->measures, fresh)) {
		pp_builder_fail(r->b, r->measures.n == MEASURES_MOST ? PP_E_LIMIT : PP_E_NOMEM,
		                "there are too many metrics");
		return 0;
	}
	return i;
}

/* An array (or NULL), unless the file ends before its first element does. */
static const unsigned char *
array_begun(const struct speedscope_read *r, const unsigned char *array)
{
	struct pp_scan s;

	if (!array)
		return NULL;
	s = pp_json_doc_scan(&r->doc, array);
	(void)(pp_scan_array(&s) && pp_scan_item(&s) && pp_scan_pass(&s));
	return s.error == PP_SCAN_OK ? array : NULL;
}

static void
part_read(struct speedscope_read *r, struct pp_scan *s)
{
	struct speedscope_part part = { .at = s->cur };
	const struct speedscope_unit *unit;
	struct pp_json_str key;

	part.is_object = pp_scan_peek(s) == PP_JSON_OBJECT && pp_scan_object(s);
	if (!part.is_object)
		(void)pp_scan_pass(s);
	while (part.is_object && pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, "samples"))
			part.samples = pp_speedscope_note(s, PP_JSON_ARRAY);
		else if (pp_json_str_eq(key, "weights"))
			part.weights = pp_speedscope_note(s, PP_JSON_ARRAY);
		else if (pp_json_str_eq(key, "events"))
			part.events = pp_speedscope_note(s, PP_JSON_ARRAY);
		else if (pp_json_str_eq(key, "type"))
			(void)pp_scan_if_string(s, &part.type);
		else if (pp_json_str_eq(key, "unit"))
			(void)pp_scan_if_string(s, &part.unit);
		else if (pp_json_str_eq(key, "name"))
			part.has_name = pp_scan_if_string(s, &part.name);
		else if (pp_json_str_eq(key, "startValue"))
			given_read(s, &part.start);
		else if (pp_json_str_eq(key, "endValue"))
			given_read(s, &part.end);
		else if (pp_json_str_eq(key, "x_polyprof"))
			ours_read(r, s, &part);
		else
			r->extras |= pp_scan_pass(s);
	}
	/* What stands behind a cut is not missing: a profile of which nothing can be used is none. */
	if (s->error != PP_SCAN_OK) {
		part.samples = array_begun(r, part.samples);
		part.weights = array_begun(r, part.weights);
		part.events = array_begun(r, part.events);
		if (!part.samples && !part.weights && !part.events)
			return;
	}
	unit = pp_speedscope_unit(part.unit);
	part.unit_known = unit != NULL;
	part.kind = unit ? unit->metric : SPEEDSCOPE_WEIGHT;
	part.decimals = unit ? unit->decimals : 0;
	if (!pp_vec_push(&r->parts, part))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* What is no part of the profiles is metadata. */
static void
meta_read(struct speedscope_read *r, struct pp_scan *s, struct pp_json_str key)
{
	enum pp_json_type type = pp_scan_peek(s);
	struct pp_json_str str;
	struct pp_json_num num;

	if (type == PP_JSON_STRING && pp_scan_string(s, &str)) {
		pp_str text = pp_json_doc_str(&r->doc, str);

		if (pp_json_str_eq(key, "exporter"))
			r->b->profile->producer = text;
		(void)pp_build_meta(r->b, 0, pp_build_json_text(r->b, key, &r->doc.arena),
		                    PP_META_TEXT, pp_text_of(r->b->profile, text));
	} else if (type == PP_JSON_NUMBER && pp_scan_number(s, &num)) {
		(void)pp_build_meta(r->b, 0, pp_build_json_text(r->b, key, &r->doc.arena),
		                    PP_META_NUMBER, num.text);
	} else {
		r->extras |= type != PP_JSON_NULL;
		(void)pp_scan_pass(s);
	}
}

static void
parts_read(struct speedscope_read *r, struct pp_scan *s)
{
	r->parts.n = 0;
	(void)pp_scan_array(s);
	while (pp_speedscope_goes_on(r) && pp_scan_item(s)) {
		(void)pp_scan_peek(s);
		part_read(r, s);
	}
}

/* The list of profiles. Where one is broken, all are passed first, to see what stands behind them. */
static void
profiles_read(struct speedscope_read *r, struct pp_scan *s)
{
	struct pp_scan before;

	r->profiles = pp_scan_peek(s) == PP_JSON_ARRAY ? s->cur : NULL;
	r->parts_known = r->profiles != NULL;
	before = *s;
	if (r->profiles)
		parts_read(r, s);
	if (r->profiles && s->error == PP_SCAN_OK)
		return;
	r->parts_known = false;
	*s = before;
	(void)pp_scan_pass(s);
}

void
pp_speedscope_outline(struct speedscope_read *r)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->doc.text.p);
	struct pp_json_str key, text;
	size_t i;

	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s)) {
		pp_json_doc_scanned(&r->doc, &s);
		return;
	}
	while (pp_speedscope_goes_on(r) && pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "$schema"))
			r->schema = pp_scan_if_string(&s, &text) &&
			            pp_json_str_eq(text, SPEEDSCOPE_SCHEMA);
		else if (pp_json_str_eq(key, "shared"))
			r->shared = pp_speedscope_note(&s, PP_JSON_OBJECT);
		else if (pp_json_str_eq(key, "profiles"))
			profiles_read(r, &s);
		else if (pp_json_str_eq(key, "activeProfileIndex")) {
			bool null = pp_scan_peek(&s) == PP_JSON_NULL;

			r->active_at = s.cur;
			r->active_wrong = !pp_scan_if_count(&s, UINT32_MAX, &r->active) && !null;
		} else {
			meta_read(r, &s, key);
		}
	}
	if (s.error == PP_SCAN_OK)
		(void)pp_scan_end(&s);
	pp_json_doc_scanned(&r->doc, &s);
	if (r->profiles && !r->parts_known) {
		s = pp_json_doc_scan(&r->doc, r->profiles);
		parts_read(r, &s);
		pp_json_doc_scanned(&r->doc, &s);
	}
	/* Of two lists of profiles only the last counts, so does what it measures. */
	for (i = 0; i < r->parts.n; i++)
		r->parts.at[i].measure = measure_find(r, &r->parts.at[i]);
}
