/*
 * The members of trace events. Most events are written like one of those before them, and are taken by comparing bytes; others are scanned.
 */
#include "formats/chrome/trace.h"

/* A number in text, blanks around it aside. */
static bool
text_number(struct trace_read *r, struct pp_scan *s, bool time, int64_t *out)
{
	struct pp_json_str quoted;
	struct pp_slice text;
	size_t i, digits = 0;

	if (!pp_scan_if_string(s, &quoted))
		return false;
	text = pp_build_json_text(r->b, quoted, &r->doc.arena);

	text = pp_slice_trim(text);
	for (i = 0; i < text.n; i++)
		digits += pp_is_digit(text.p[i]);
	return digits && (time ? pp_fixed_time_slow(&r->fixed, text, V8_DECIMALS, out)
	                       : pp_fixed_slow(&r->fixed, text, V8_DECIMALS, out));
}

bool
pp_trace_number(struct trace_read *r, struct pp_scan *s, int64_t *out)
{
	struct pp_json_num num;

	if (PP_LIKELY(pp_scan_peek(s) == PP_JSON_NUMBER))
		return pp_scan_number(s, &num) && pp_fixed_read(&r->fixed, &num, V8_DECIMALS, out);
	return text_number(r, s, false, out);
}

bool
pp_trace_time(struct trace_read *r, struct pp_scan *s, int64_t *out)
{
	struct pp_json_num num;

	if (PP_LIKELY(pp_scan_peek(s) == PP_JSON_NUMBER))
		return pp_scan_number(s, &num) && pp_fixed_time(&r->fixed, &num, V8_DECIMALS, out);
	return text_number(r, s, true, out);
}

struct pp_slice
pp_trace_id(struct trace_read *r, struct pp_scan *s)
{
	struct pp_slice none = { 0 };
	struct pp_json_str text;
	struct pp_json_num num;

	if (pp_scan_peek(s) == PP_JSON_NUMBER)
		return pp_scan_number(s, &num) && num.integer ? num.text : none;
	return pp_scan_if_string(s, &text) ? pp_build_json_text(r->b, text, &r->doc.arena) : none;
}

/* In the order in which most write them. */
enum { K_PH, K_PID, K_TID, K_TS, K_DUR, K_CAT, K_NAME, K_ARGS, K_ID, K_TDUR, KEYS };

static const struct pp_slice event_keys[KEYS] = {
	[K_PH] = PP_KEY("ph"),     [K_PID] = PP_KEY("pid"),   [K_TID] = PP_KEY("tid"),
	[K_TS] = PP_KEY("ts"),     [K_DUR] = PP_KEY("dur"),   [K_TDUR] = PP_KEY("tdur"),
	[K_CAT] = PP_KEY("cat"),   [K_NAME] = PP_KEY("name"), [K_ID] = PP_KEY("id"),
	[K_ARGS] = PP_KEY("args"),
};

/* Learns where a value of a quick event stands; `fine` is whether such a one can be quick. */
static void
member_learn(struct pp_json_alike *a, unsigned key, struct pp_slice raw, bool *fine)
{
	bool text = *raw.p == '"', digit = pp_is_digit(*raw.p) || *raw.p == '-';
	struct pp_json_str str = { .raw = { raw.p + 1, raw.n - 2 } };
	struct pp_json_num num = { .text = raw };

	switch (key) {
	case K_TS:
	case K_DUR:
	case K_TDUR:
		*fine &= digit;
		pp_json_alike_number(a, &num, key);
		break;
	case K_PID:
	case K_TID:
	case K_ID:
		*fine &= digit || text;
		if (text)
			pp_json_alike_text(a, &str, key);
		else
			pp_json_alike_digits(a, raw, key);
		break;
	case K_PH:
	case K_CAT:
	case K_NAME:
		*fine &= text;
		pp_json_alike_text(a, &str, key);
		break;
	default:
		pp_json_alike_any(a, raw, key);
	}
}

/* A value that nobody looks into may be nested as deep as it likes. */
static void
value_pass(struct pp_scan *s)
{
	struct pp_scan checked = *s;

	if (!pp_scan_skip(&checked, NULL) && checked.error == PP_SCAN_E_DEPTH)
		(void)pp_scan_pass(s);
	else
		*s = checked;
}

static void
member_read(struct trace_read *r, struct pp_scan *s, unsigned key, struct event *e)
{
	struct pp_json_str text;

	switch (key) {
	case K_PH:
		text.raw.n = 0;
		if (pp_scan_if_string(s, &text) && PP_UNLIKELY(text.escaped))
			text.raw = pp_build_json_text(r->b, text, &r->doc.arena);
		e->ph = text.raw.n ? *text.raw.p : 0;
		break;
	case K_PID:
		e->pid = pp_trace_id(r, s);
		break;
	case K_TID:
		e->tid = pp_trace_id(r, s);
		break;
	case K_TS:
		e->has_ts = pp_trace_time(r, s, &e->ts);
		break;
	case K_DUR:
		e->dur_wrong = pp_scan_peek(s) != PP_JSON_NULL;
		e->has_dur = pp_trace_number(r, s, &e->dur);
		e->dur_wrong &= !e->has_dur;
		break;
	case K_TDUR:
		e->has_tdur = pp_trace_number(r, s, &e->tdur);
		break;
	case K_CAT:
		e->has_cat = pp_scan_if_string(s, &e->cat);
		break;
	case K_NAME:
		e->has_name = pp_scan_if_string(s, &e->name) && e->name.raw.n;
		break;
	case K_ID:
		e->id = pp_trace_id(r, s);
		break;
	case K_ARGS:
		e->args = pp_scan_peek(s) == PP_JSON_OBJECT ? s->cur : NULL;
		value_pass(s);
		break;
	default:
		value_pass(s);
	}
}

/* An event that is written like one before. */
static bool
event_quick(struct trace_read *r, struct pp_scan *s, struct event *e)
{
	struct pp_slice texts[KEYS + 1];
	int64_t numbers[KEYS];
	const unsigned char *from = s->cur;
	bool after = s->after_value;
	unsigned char *guess;
	unsigned has, way, k;

	if (r->quick.rest || r->fixed.decimals != V8_DECIMALS) {
		r->quick.rest -= r->quick.rest > 0;
		return false;
	}
	guess = &r->quick.way_of[s->cur[sizeof "{\"ph\":"] % sizeof r->quick.way_of];
	for (k = 0, way = *guess; k < TRACE_WAYS; k++, way = (way + 1) % TRACE_WAYS)
		if (pp_json_alike_try(&r->quick.ways[way], s, numbers, texts))
			break;
	if (k == TRACE_WAYS)
		return false;
	has = r->quick.has[way];
	if (has >> K_TS & 1 && PP_UNLIKELY(!pp_fixed_is_near(&r->fixed, numbers[K_TS]))) {
		s->cur = from;
		s->after_value = after;
		return false;
	}
	*guess = (unsigned char)way;
	r->quick.misses = 0;
	if (has >> K_PH & 1)
		e->ph = texts[K_PH].n ? *texts[K_PH].p : 0;
	if (has >> K_PID & 1)
		e->pid = texts[K_PID];
	if (has >> K_TID & 1)
		e->tid = texts[K_TID];
	if (has >> K_ID & 1)
		e->id = texts[K_ID];
	if (has >> K_ARGS & 1)
		e->args = *texts[K_ARGS].p == '{' ? texts[K_ARGS].p : NULL;
	if (has >> K_NAME & 1)
		e->name.raw = texts[K_NAME];
	if (has >> K_CAT & 1)
		e->cat.raw = texts[K_CAT];
	e->has_name = has >> K_NAME & 1 && e->name.raw.n;
	e->has_cat = has >> K_CAT & 1;
	e->has_ts = has >> K_TS & 1;
	e->has_dur = has >> K_DUR & 1;
	e->has_tdur = has >> K_TDUR & 1;
	e->ts = e->has_ts ? numbers[K_TS] : 0;
	e->dur = e->has_dur ? numbers[K_DUR] : 0;
	e->tdur = e->has_tdur ? numbers[K_TDUR] : 0;
	return true;
}

/* Any event, and how it is written unless that changes all the time. */
static void
event_learn(struct trace_read *r, struct pp_scan *s, struct event *e)
{
	struct pp_json_names names = { event_keys, KEYS, 0 };
	struct pp_json_alike *way = r->quick.rest ? NULL : &r->quick.ways[r->quick.next];
	struct pp_json_str key;
	bool fine = true;
	unsigned index, has = 0;

	if (way) {
		pp_json_alike_learn(way, s);
		r->quick.rest = ++r->quick.misses > TRACE_MISSES ? TRACE_REST : 0;
	}
	(void)pp_scan_object(s);
	while (pp_scan_named_key(s, &names, &key, &index)) {
		const unsigned char *at = pp_scan_space(s->cur, s->end);

		member_read(r, s, index, e);
		has |= 1u << index;
		if (way && s->error == PP_SCAN_OK)
			member_learn(way, index, pp_slice_between(at, s->cur), &fine);
	}
	if (!way)
		return;
	pp_json_alike_end(way, s, fine && s->error == PP_SCAN_OK);
	r->quick.has[r->quick.next] = has;
	r->quick.next = (r->quick.next + 1) % TRACE_WAYS;
}

void
pp_trace_event_scan(struct trace_read *r, struct pp_scan *s, struct event *e)
{
	if (!event_quick(r, s, e))
		event_learn(r, s, e);
}
