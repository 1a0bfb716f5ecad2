/*
 * /v1development/profiles: what OpenTelemetry's collector and profilers export, in protobuf or JSON. A request has profiles of
 * many resources over one dictionary; each resource becomes a profile of its own, with its attributes as labels.
 *
 * A resource whose profiles break a rule of the format (`check` reports an error) is left out: the answer counts its profiles
 * as rejected (ExportProfilesPartialSuccess). If nothing is left, the answer is 400 with a google.rpc.Status.
 */
#include <stdio.h>
#include <string.h>

#include "base/slice.h"
#include "base/utf8.h"
#include "serve/push.h"
#include "store/record.h"
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
	uint64_t rejected;               /* profiles that were left out */
	/* The current resource: its profiles, and the type of the last one. */
	uint64_t profiles;
	struct pp_slice type;
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

static void
resource_begin(struct export *e)
{
	pp_push_labels_clear(e->push);
	e->profiles = 0;
	e->type = pp_slice_of("", 0);
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

/* Profile {sample type = 1: ValueType {name in the dictionary = 1}}. */
static void
profile_look(struct export *e, struct pp_slice message)
{
	struct pp_wire_field f, g;
	struct pp_wire w, v;

	e->profiles++;
	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != PP_WIRE_BYTES)
			continue;
		pp_wire_init(&v, f.bytes);
		while (pp_wire_next(&v, &g))
			if (g.number == 1 && g.type == PP_WIRE_VARINT)
				e->type = string_at(e, g.value);
	}
}

/* ScopeProfiles {profiles = 2}. */
static void
scope_look(struct export *e, struct pp_slice message)
{
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.number == 2 && f.type == PP_WIRE_BYTES)
			profile_look(e, f.bytes);
}

/* Takes the profiles of a resource, or counts them as rejected; false when the request is refused. */
static bool
resource_take(struct export *e, const struct pp_buf *whole, const char *name)
{
	struct pp_push *p = e->push;

	pp_push_type(p, e->type);
	if (whole->failed)
		return pp_push_refuse(p, 503, "memory", "out of memory");
	if (!pp_push_profile(p, pp_slice_of(whole->p, whole->n), name, "otlp"))
		e->rejected += e->profiles ? e->profiles : 1;
	return p->exchange->status == 0;
}

/* One resource's profiles with the dictionary of all: a message of its own. */
static bool
resource_push(struct export *e, struct pp_slice field, struct pp_slice message)
{
	struct pp_push *p = e->push;
	struct pp_wire_field f;
	struct pp_buf whole = { 0 };
	struct pp_wire w;
	bool fine = true;

	resource_begin(e);
	pp_wire_init(&w, message);
	while (fine && pp_wire_next(&w, &f))
		if (f.number == 1 && f.type == PP_WIRE_BYTES)
			fine = resource_read(e, f.bytes);
		else if (f.number == 2 && f.type == PP_WIRE_BYTES)
			scope_look(e, f.bytes);
	if (fine && w.error)
		fine = malformed(p);
	if (!fine)
		return false;
	pp_buf_add(&whole, field.p, field.n);
	pp_buf_add(&whole, e->dictionary.p, e->dictionary.n);
	fine = resource_take(e, &whole, "pushed.otlp");
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

/* The value of a member as it stands; n = 0 when there is none. Counts how often it is there. */
static struct pp_slice
member_count(struct pp_slice object, const char *name, size_t *count)
{
	struct pp_slice found = pp_slice_of("", 0), value;
	struct pp_json_str key;
	struct pp_scan s;

	*count = 0;
	pp_scan_init(&s, object, DEPTH_MAX, PP_SCAN_STRICT);
	if (object.n == 0 || pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return found;
	while (pp_scan_key(&s, &key) && pp_scan_skip(&s, &value))
		if (pp_json_str_eq(key, name)) {
			found = value;
			++*count;
		}
	return found;
}

static struct pp_slice
member(struct pp_slice object, const char *name)
{
	size_t count;

	return member_count(object, name, &count);
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
json_attribute(struct export *e, struct pp_slice object)
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

/* Calls something with each item of an array. */
static void
each_item(struct export *e, struct pp_slice array, void (*item)(struct export *, struct pp_slice))
{
	struct pp_slice one;
	struct pp_scan s;

	pp_scan_init(&s, array, DEPTH_MAX, PP_SCAN_STRICT);
	if (array.n && pp_scan_peek(&s) == PP_JSON_ARRAY && pp_scan_array(&s))
		while (pp_scan_item(&s) && pp_scan_skip(&s, &one))
			item(e, one);
}

static void
json_profile_look(struct export *e, struct pp_slice object)
{
	struct pp_slice type = json_string(e, member(object, "sampleType"), "typeStrindex");

	e->profiles++;
	e->type = type.n ? type : e->type;
}

static void
json_scope_look(struct export *e, struct pp_slice object)
{
	each_item(e, member(object, "profiles"), json_profile_look);
}

static bool
json_resource(struct export *e, struct pp_slice object)
{
	struct pp_push *p = e->push;
	struct pp_buf whole = { 0 };
	bool fine;

	if (object.n == 0 || object.p[0] != '{')
		return malformed(p);
	resource_begin(e);
	each_item(e, member(member(object, "resource"), "attributes"), json_attribute);
	each_item(e, member(object, "scopeProfiles"), json_scope_look);
	pp_buf_adds(&whole, "{\"resourceProfiles\":[");
	pp_buf_add(&whole, object.p, object.n);
	pp_buf_adds(&whole, "]");
	if (e->dictionary.n) {
		pp_buf_adds(&whole, ",\"dictionary\":");
		pp_buf_add(&whole, e->dictionary.p, e->dictionary.n);
	}
	pp_buf_adds(&whole, "}");
	fine = resource_take(e, &whole, "pushed.json");
	pp_buf_release(&whole);
	return fine;
}

static void
json_read(struct export *e)
{
	struct pp_push *p = e->push;
	struct pp_slice whole, resources = pp_slice_of("", 0), one;
	struct pp_buf padded = { 0 };
	size_t mark = p->body.n >= 3 && memcmp(p->body.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, lists,
	       dictionaries;
	struct pp_scan s;
	bool fine;

	/* The scanner looks ahead, and knows no byte order mark. */
	pp_buf_add(&padded, p->body.p + mark, p->body.n - mark);
	if (!pp_buf_room(&padded, PP_SCAN_PAD)) {
		(void)pp_push_refuse(p, 503, "memory", "out of memory");
		pp_buf_release(&padded);
		return;
	}
	whole = pp_slice_of(padded.p, p->body.n - mark);
	pp_scan_init(&s, whole, DEPTH_MAX, PP_SCAN_STRICT);
	fine = pp_scan_skip(&s, NULL) && pp_scan_end(&s);
	pp_scan_init(&s, whole, DEPTH_MAX, PP_SCAN_STRICT);
	fine = fine && pp_scan_peek(&s) == PP_JSON_OBJECT;
	if (fine) {
		resources = member_count(whole, "resourceProfiles", &lists);
		e->dictionary = member_count(whole, "dictionary", &dictionaries);
		/* It would not be known which of them is meant. */
		fine = lists <= 1 && dictionaries <= 1;
	}
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

/* ---- answers ---- */

/* google.rpc.Code of a status of HTTP: invalid argument, resource exhausted, unavailable. */
static unsigned
code_of(unsigned status)
{
	return status == 413 || status == 429 ? 8 : status >= 500 ? 14 : 3;
}

static void
field_put(struct pp_buf *out, unsigned number, struct pp_slice bytes)
{
	pp_buf_addc(out, (char)(number << 3 | PP_WIRE_BYTES));
	pp_record_number(out, bytes.n);
	pp_buf_add(out, bytes.p, bytes.n);
}

static void
number_put(struct pp_buf *out, unsigned number, uint64_t value)
{
	pp_buf_addc(out, (char)(number << 3 | PP_WIRE_VARINT));
	pp_record_number(out, value);
}

/* Texts of protobuf are UTF-8; messages may quote names that are not. */
static void
text_put(struct pp_buf *out, unsigned number, const char *text)
{
	struct pp_buf clean = { 0 };

	pp_utf8_scrub(&clean, pp_slice_z(text));
	field_put(out, number, pp_slice_of(clean.p ? clean.p : "", clean.n));
	out->failed |= clean.failed;
	pp_buf_release(&clean);
}

/* google.rpc.Status {code = 1, message = 2}. */
static void
status_put(struct pp_exchange *x, unsigned status, const char *rule, const char *message)
{
	pp_answer_error(x, status, rule, message);
	x->out.n = 0;
	x->type = "application/x-protobuf";
	number_put(&x->out, 1, code_of(status));
	text_put(&x->out, 2, message);
}

/* The same in JSON, with the error as all other endpoints put it. */
static void
json_status_put(struct pp_exchange *x, unsigned status, const char *rule, const char *message)
{
	struct pp_sink *out;
	struct pp_json j;

	pp_answer_error(x, status, rule, message);
	x->out.n = 0;
	if (!pp_body_begin(&x->out, &out, &j))
		return;
	pp_json_put_u64(&j, "code", code_of(status));
	pp_json_put_textz(&j, "message", message);
	pp_json_put_object(&j, "error");
	pp_json_put_textz(&j, "rule", rule);
	pp_json_put_textz(&j, "message", message);
	pp_json_end_object(&j);
	pp_body_end(out, &j);
}

/* ExportProfilesServiceResponse {partialSuccess: {rejectedProfiles, errorMessage}}. */
static void
json_partial_put(struct pp_buf *to, uint64_t rejected, const char *why)
{
	struct pp_sink *out;
	struct pp_json j;
	char number[32];

	if (!pp_body_begin(to, &out, &j)) {
		to->failed = true;
		return;
	}
	(void)snprintf(number, sizeof number, "%llu", (unsigned long long)rejected);
	pp_json_put_object(&j, "partialSuccess");
	/* 64 bits are text in the JSON of protobuf. */
	pp_json_put_textz(&j, "rejectedProfiles", number);
	pp_json_put_textz(&j, "errorMessage", why);
	pp_json_end_object(&j);
	pp_body_end(out, &j);
}

/* The answer to a request of which profiles were left out; NULL when out of memory. */
static const char *
partial_make(const struct export *e, bool json)
{
	struct pp_buf inner = { 0 }, out = { 0 };
	const char *why = e->push->why.p ? e->push->why.p : "", *made = NULL;

	if (json) {
		json_partial_put(&out, e->rejected, why);
	} else {
		/* No byte of these is 0, so that it is a text, too. */
		number_put(&inner, 1, e->rejected);
		text_put(&inner, 2, why);
		field_put(&out, 1, pp_slice_of(inner.p ? inner.p : "", inner.n));
	}
	if (!inner.failed && !out.failed)
		made = pp_arena_copy(&e->push->exchange->arena, out.p, out.n);
	pp_buf_release(&inner);
	pp_buf_release(&out);
	return made;
}

/* The response once the profiles are stored, or immediately if there are none. */
static void
answer_make(struct export *e, bool json)
{
	struct pp_push *p = e->push;

	if (p->exchange->status)
		return;
	if (e->rejected && p->items.n == 0) {
		(void)pp_push_refuse(p, 400, "rejected",
		                     p->why.p ? p->why.p : "no profile is valid");
		return;
	}
	if (e->rejected)
		p->answer = partial_make(e, json);
	if (!p->answer)
		(void)pp_push_refuse(p, 503, "memory", "out of memory");
	else if (p->items.n == 0) /* nothing to export is no mistake */
		pp_exchange_text(p->exchange, 200, p->type, p->answer);
}

/* ---- the endpoint ---- */

void
pp_push_otlp(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q;
	struct pp_push *p = pp_push_begin(s, x, &q);
	struct export e = { .push = p, .dictionary = pp_slice_of("", 0) };
	struct pp_slice type;
	bool found, json;

	if (!p)
		return;
	p->selective = true;
	type = pp_http_field(&x->head, "content-type", NULL);
	type = pp_slice_trim(pp_slice_cut(&type, ';', &found));
	json = pp_http_same(type, "application/json");
	if (json) {
		p->type = PP_JSON_TYPE;
		p->answer = "{}";
		p->fail = json_status_put;
		json_read(&e);
	} else if (pp_http_same(type, "application/x-protobuf") ||
	           pp_http_same(type, "application/protobuf")) {
		p->type = "application/x-protobuf";
		p->answer = "";
		p->fail = status_put;
		protobuf_read(&e);
	} else {
		(void)pp_push_refuse(
		    p, 415, "no-format",
		    "this is served as application/x-protobuf and application/json");
	}
	answer_make(&e, json);
	pp_vec_release(&q.list);
	pp_vec_release(&e.strings);
	pp_push_end(p);
}
