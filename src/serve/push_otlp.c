/*
 * /v1development/profiles: what OpenTelemetry's collector and profilers export, in protobuf or JSON. A request has profiles of
 * many resources over one dictionary; each resource becomes a profile of its own, with its attributes as labels.
 */
#include <stdio.h>
#include <string.h>

#include "base/slice.h"
#include "serve/push.h"
#include "text/json_emit.h"
#include "text/json_scan.h"
#include "text/protobuf.h"

#define DEPTH_MAX 64

/* A request while it is read. */
struct export
{
	struct pp_push *push;
	struct pp_slice dictionary;      /* as it stands */
	PP_VEC(struct pp_slice) strings; /* of the dictionary; JSON: as they stand */
};

static bool
malformed(struct pp_push *p)
{
	return pp_push_refuse(p, 400, "malformed", "the request cannot be understood");
}

/* A text of the dictionary; nothing when there is none. */
static struct pp_slice
string_at(const struct export *e, uint64_t index)
{
	return index < e->strings.n ? e->strings.at[index] : pp_slice_of("", 0);
}

/* A text that lives as long as the request. */
static struct pp_slice
kept(struct pp_push *p, const char *text)
{
	const char *copy = pp_arena_copy(&p->exchange->arena, text, strlen(text));

	return pp_slice_z(copy ? copy : "");
}

/* ---- protobuf ---- */

/* AnyValue {string = 1, bool = 2, int = 3, double = 4, string of the dictionary = 8}: of lists and maps nothing becomes a label. */
static bool
value_read(const struct export *e, struct pp_slice message, struct pp_slice *value)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool known = false;
	char text[64];
	double number;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		known = true;
		if (f.number == 1 && f.type == PP_WIRE_BYTES) {
			*value = f.bytes;
		} else if (f.number == 2 && f.type == PP_WIRE_VARINT) {
			*value = pp_slice_z(f.value ? "true" : "false");
		} else if (f.number == 3 && f.type == PP_WIRE_VARINT) {
			(void)snprintf(text, sizeof text, "%lld", (long long)f.value);
			*value = kept(e->push, text);
		} else if (f.number == 4 && f.type == PP_WIRE_FIXED64) {
			memcpy(&number, &f.value, sizeof number);
			(void)snprintf(text, sizeof text, "%.17g", number);
			*value = kept(e->push, text);
		} else if (f.number == 8 && f.type == PP_WIRE_VARINT) {
			*value = string_at(e, f.value);
		} else {
			known = false;
		}
	}
	return known && !w.error;
}

/* Resource {attributes = 1: KeyValue {key = 1, value = 2, key in the dictionary = 3}}. */
static bool
resource_read(const struct export *e, struct pp_slice message)
{
	struct pp_wire_field f, g;
	struct pp_wire w, v;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		struct pp_slice key = { NULL, 0 }, value = { NULL, 0 }, text;

		if (f.number != 1 || f.type != PP_WIRE_BYTES)
			continue;
		pp_wire_init(&v, f.bytes);
		while (pp_wire_next(&v, &g))
			if (g.type == PP_WIRE_BYTES && g.number == 1)
				key = g.bytes;
			else if (g.type == PP_WIRE_BYTES && g.number == 2)
				value = g.bytes;
			else if (g.type == PP_WIRE_VARINT && g.number == 3)
				key = string_at(e, g.value);
		if (v.error)
			return malformed(e->push);
		if (key.n && value.p && value_read(e, value, &text))
			(void)pp_push_label(e->push, key, text);
	}
	return !w.error || malformed(e->push);
}

/* One resource's profiles with the dictionary of all: a message of its own. */
static bool
resource_push(const struct export *e, struct pp_slice field, struct pp_slice message)
{
	struct pp_push *p = e->push;
	struct pp_wire_field f;
	struct pp_buf whole = { 0 };
	struct pp_wire w;
	bool fine = true;

	pp_push_labels_clear(p);
	pp_wire_init(&w, message);
	while (fine && pp_wire_next(&w, &f))
		if (f.number == 1 && f.type == PP_WIRE_BYTES)
			fine = resource_read(e, f.bytes);
	if (fine && w.error)
		fine = malformed(p);
	if (!fine)
		return false;
	pp_buf_add(&whole, field.p, field.n);
	pp_buf_add(&whole, e->dictionary.p, e->dictionary.n);
	fine = whole.failed
	           ? pp_push_refuse(p, 503, "memory", "out of memory")
	           : pp_push_profile(p, pp_slice_of(whole.p, whole.n), "pushed.otlp", "otlp");
	pp_buf_release(&whole);
	return fine;
}

static void
protobuf_read(struct export *e)
{
	struct pp_wire_field f, g;
	struct pp_wire w, v;
	bool fine = true;

	pp_wire_init(&w, e->push->body);
	while (fine && pp_wire_next(&w, &f))
		if (f.number == 2 && f.type == PP_WIRE_BYTES) {
			e->dictionary = pp_wire_field_bytes(&w, &f);
			pp_wire_init(&v, f.bytes);
			while (fine && pp_wire_next(&v, &g))
				fine = g.number != 5 || g.type != PP_WIRE_BYTES ||
				       pp_vec_push(&e->strings, g.bytes);
		}
	if (w.error || !fine) {
		(void)malformed(e->push);
		return;
	}
	pp_wire_init(&w, e->push->body);
	while (fine && pp_wire_next(&w, &f))
		if (f.number == 1 && f.type == PP_WIRE_BYTES)
			fine = resource_push(e, pp_wire_field_bytes(&w, &f), f.bytes);
}

/* ---- JSON ---- */

/* The value of a member as it stands; n = 0 when there is none. */
static struct pp_slice
member(struct pp_slice object, const char *name)
{
	struct pp_slice found = pp_slice_of("", 0), value;
	struct pp_json_str key;
	struct pp_scan s;

	pp_scan_init(&s, object, DEPTH_MAX, PP_SCAN_STRICT);
	if (object.n == 0 || pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return found;
	while (pp_scan_key(&s, &key) && pp_scan_skip(&s, &value))
		if (pp_json_str_eq(key, name))
			found = value;
	return found;
}

/* A text, number or word as text. */
static struct pp_slice
scalar_of(struct pp_push *p, struct pp_slice json)
{
	struct pp_json_str text;
	struct pp_scan s;

	pp_scan_init(&s, json, 1, PP_SCAN_STRICT);
	if (json.n >= 2 && json.p[0] == '"' && pp_scan_string(&s, &text))
		return pp_json_str_value(text, &p->exchange->arena);
	return json;
}

/* A text of the dictionary by the number of a member. */
static struct pp_slice
json_string(const struct export *e, struct pp_slice object, const char *name)
{
	struct pp_slice number = member(object, name);
	uint64_t index = 0;
	size_t i;

	for (i = 0; i < number.n && i < 9 && pp_is_digit(number.p[i]); i++)
		index = index * 10 + (uint64_t)(number.p[i] - '0');
	return number.n && i == number.n ? scalar_of(e->push, string_at(e, index))
	                                 : pp_slice_of("", 0);
}

static void
json_attribute(const struct export *e, struct pp_slice object)
{
	struct pp_push *p = e->push;
	static const char *const kinds[] = { "stringValue", "boolValue", "intValue",
		                             "doubleValue" };
	struct pp_slice value = member(object, "value"), key = scalar_of(p, member(object, "key"));
	struct pp_slice text = json_string(e, value, "stringValueStrindex");
	size_t i;

	key = key.n ? key : json_string(e, object, "keyStrindex");
	if (key.n && text.n)
		(void)pp_push_label(p, key, text);
	for (i = 0; i < PP_COUNT_OF(kinds); i++) {
		struct pp_slice found = member(value, kinds[i]);

		if (found.n && key.n)
			(void)pp_push_label(p, key, scalar_of(p, found));
	}
}

/* Collects the items of an array, as they stand; false when out of memory. */
static bool
items_list(struct export *e, struct pp_slice array)
{
	struct pp_slice one;
	struct pp_scan s;
	bool fine = true;

	pp_scan_init(&s, array, DEPTH_MAX, PP_SCAN_STRICT);
	if (array.n && pp_scan_peek(&s) == PP_JSON_ARRAY && pp_scan_array(&s))
		while (fine && pp_scan_item(&s) && pp_scan_skip(&s, &one))
			fine = pp_vec_push(&e->strings, one);
	return fine;
}

static bool
json_resource(const struct export *e, struct pp_slice object)
{
	struct pp_push *p = e->push;
	struct pp_slice attributes = member(member(object, "resource"), "attributes"), one;
	struct pp_buf whole = { 0 };
	struct pp_scan s;
	bool fine;

	if (object.n == 0 || object.p[0] != '{')
		return malformed(p);
	pp_push_labels_clear(p);
	pp_scan_init(&s, attributes, DEPTH_MAX, PP_SCAN_STRICT);
	if (attributes.n && pp_scan_peek(&s) == PP_JSON_ARRAY && pp_scan_array(&s))
		while (pp_scan_item(&s) && pp_scan_skip(&s, &one))
			json_attribute(e, one);
	pp_buf_adds(&whole, "{\"resourceProfiles\":[");
	pp_buf_add(&whole, object.p, object.n);
	pp_buf_adds(&whole, "]");
	if (e->dictionary.n) {
		pp_buf_adds(&whole, ",\"dictionary\":");
		pp_buf_add(&whole, e->dictionary.p, e->dictionary.n);
	}
	pp_buf_adds(&whole, "}");
	fine = whole.failed
	           ? pp_push_refuse(p, 503, "memory", "out of memory")
	           : pp_push_profile(p, pp_slice_of(whole.p, whole.n), "pushed.json", "otlp");
	pp_buf_release(&whole);
	return fine;
}

static void
json_read(struct export *e)
{
	struct pp_push *p = e->push;
	struct pp_slice whole, resources, one;
	struct pp_buf padded = { 0 };
	struct pp_scan s;
	bool fine;

	/* The scanner looks ahead. */
	pp_buf_add(&padded, p->body.p, p->body.n);
	if (!pp_buf_room(&padded, PP_SCAN_PAD)) {
		(void)pp_push_refuse(p, 503, "memory", "out of memory");
		pp_buf_release(&padded);
		return;
	}
	whole = pp_slice_of(padded.p, p->body.n);
	pp_scan_init(&s, whole, DEPTH_MAX, PP_SCAN_STRICT);
	fine = pp_scan_skip(&s, NULL) && pp_scan_end(&s);
	pp_scan_init(&s, whole, DEPTH_MAX, PP_SCAN_STRICT);
	fine = fine && pp_scan_peek(&s) == PP_JSON_OBJECT;
	resources = fine ? member(whole, "resourceProfiles") : whole;
	e->dictionary = fine ? member(whole, "dictionary") : e->dictionary;
	fine = fine && items_list(e, member(e->dictionary, "stringTable")) &&
	       (resources.n == 0 || resources.p[0] == '[' || pp_slice_eq_z(resources, "null"));
	pp_scan_init(&s, resources, DEPTH_MAX, PP_SCAN_STRICT);
	if (!fine)
		(void)malformed(p);
	else if (resources.n && pp_scan_peek(&s) == PP_JSON_ARRAY && pp_scan_array(&s))
		while (pp_scan_item(&s) && pp_scan_skip(&s, &one) && json_resource(e, one))
			;
	pp_buf_release(&padded);
}

/* ---- the endpoint ---- */

void
pp_push_otlp(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q;
	struct pp_push *p = pp_push_begin(s, x, &q);
	struct export e = { .push = p, .dictionary = pp_slice_of("", 0) };
	struct pp_slice type;
	bool found;

	if (!p)
		return;
	type = pp_http_field(&x->head, "content-type", NULL);
	type = pp_slice_trim(pp_slice_cut(&type, ';', &found));
	if (pp_http_same(type, "application/json")) {
		p->type = PP_JSON_TYPE;
		p->answer = "{}";
		json_read(&e);
	} else if (pp_http_same(type, "application/x-protobuf") ||
	           pp_http_same(type, "application/protobuf")) {
		p->type = "application/x-protobuf";
		p->answer = "";
		protobuf_read(&e);
	} else {
		(void)pp_push_refuse(
		    p, 415, "no-format",
		    "this is served as application/x-protobuf and application/json");
	}
	/* Nothing to export is no mistake. */
	if (x->status == 0 && p->items.n == 0)
		pp_exchange_text(x, 200, p->type, p->answer);
	pp_vec_release(&q.list);
	pp_vec_release(&e.strings);
	pp_push_end(p);
}
