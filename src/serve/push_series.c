/*
 * Series of profiles in one request: /push.v1.PusherService/Push by the Connect protocol (protobuf or JSON), and
 * /profiles/writeraw of Parca's gateway (JSON).
 *
 *     {"series": [{"labels": [{"name", "value"}], "samples": [{"ID", "rawProfile": BASE64}]}]}
 *
 * In Parca's form labels are one level deeper: {"labels": {"labels": [...]}}.
 */
#include <string.h>

#include "base/slice.h"
#include "serve/push.h"
#include "text/base64.h"
#include "text/json_scan.h"
#include "text/protobuf.h"

#define DEPTH_MAX 16

static bool
malformed(struct pp_push *p)
{
	return pp_push_refuse(p, 400, "malformed", "the request cannot be understood");
}

/* ---- protobuf ---- */

/* The first of two texts in a message, and the second: LabelPair {name = 1, value = 2}. */
static bool
label_read(struct pp_push *p, struct pp_slice message)
{
	struct pp_slice key = pp_slice_of("", 0), value = key;
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.type == PP_WIRE_BYTES && f.number == 1)
			key = f.bytes;
		else if (f.type == PP_WIRE_BYTES && f.number == 2)
			value = f.bytes;
	if (w.error)
		return malformed(p);
	(void)pp_push_label(p, key, value);
	return true;
}

/* RawSample {raw_profile = 1, ID = 2}. */
static bool
sample_read(struct pp_push *p, struct pp_slice message)
{
	struct pp_slice profile = pp_slice_of("", 0);
	struct pp_wire_field f;
	struct pp_wire w;

	pp_wire_init(&w, message);
	while (pp_wire_next(&w, &f))
		if (f.type == PP_WIRE_BYTES && f.number == 1)
			profile = f.bytes;
	if (w.error)
		return malformed(p);
	return pp_push_pprof(p, profile, "pushed.pb.gz");
}

/* RawProfileSeries {labels = 1, samples = 2}: labels may stand behind the samples. */
static bool
series_read(struct pp_push *p, struct pp_slice message)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool fine = true;

	pp_push_labels_clear(p);
	pp_wire_init(&w, message);
	while (fine && pp_wire_next(&w, &f))
		if (f.type == PP_WIRE_BYTES && f.number == 1)
			fine = label_read(p, f.bytes);
	if (w.error)
		return malformed(p);
	pp_wire_init(&w, message);
	while (fine && pp_wire_next(&w, &f))
		if (f.type == PP_WIRE_BYTES && f.number == 2)
			fine = sample_read(p, f.bytes);
	return fine;
}

static void
protobuf_read(struct pp_push *p)
{
	struct pp_wire_field f;
	struct pp_wire w;
	bool fine = true;

	pp_wire_init(&w, p->body);
	while (fine && pp_wire_next(&w, &f))
		if (f.type == PP_WIRE_BYTES && f.number == 1)
			fine = series_read(p, f.bytes);
	if (fine && w.error)
		(void)malformed(p);
}

/* ---- JSON ---- */

/* The members of an object that are looked for, as they stand; false when it is none. */
static bool
members(struct pp_slice object, const char *const names[2], struct pp_slice found[2])
{
	struct pp_json_str key;
	struct pp_slice value;
	struct pp_scan s;
	size_t i;

	found[0] = found[1] = pp_slice_of("", 0);
	pp_scan_init(&s, object, DEPTH_MAX, PP_SCAN_STRICT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return false;
	while (pp_scan_key(&s, &key)) {
		if (!pp_scan_skip(&s, &value))
			return false;
		for (i = 0; i < 2; i++)
			if (names[i] && pp_json_str_eq(key, names[i]))
				found[i] = value;
	}
	return !s.error;
}

static struct pp_slice
text_of(struct pp_push *p, struct pp_slice json)
{
	struct pp_json_str text;
	struct pp_scan s;

	if (json.n < 2 || json.p[0] != '"')
		return pp_slice_of("", 0);
	pp_scan_init(&s, json, 1, PP_SCAN_STRICT);
	return pp_scan_string(&s, &text) ? pp_json_str_value(text, &p->exchange->arena)
	                                 : pp_slice_of("", 0);
}

/* Does something with each item of an array; nothing and null are empty ones. */
static bool
each(struct pp_push *p, struct pp_slice array, bool (*item)(struct pp_push *, struct pp_slice))
{
	struct pp_slice value;
	struct pp_scan s;
	bool fine = true;

	if (array.n == 0 || pp_slice_eq_z(array, "null"))
		return true;
	pp_scan_init(&s, array, DEPTH_MAX, PP_SCAN_STRICT);
	if (pp_scan_peek(&s) != PP_JSON_ARRAY || !pp_scan_array(&s))
		return malformed(p);
	while (fine && pp_scan_item(&s))
		fine = pp_scan_skip(&s, &value) ? item(p, value) : malformed(p);
	return fine;
}

static bool
json_label(struct pp_push *p, struct pp_slice object)
{
	static const char *const names[] = { "name", "value" };
	struct pp_slice found[2];

	if (!members(object, names, found))
		return malformed(p);
	(void)pp_push_label(p, text_of(p, found[0]), text_of(p, found[1]));
	return true;
}

static bool
json_sample(struct pp_push *p, struct pp_slice object)
{
	static const char *const names[] = { "rawProfile", "raw_profile" };
	struct pp_slice found[2];
	struct pp_buf bytes = { 0 };
	bool fine = members(object, names, found) &&
	            pp_base64_take_any(&bytes, text_of(p, found[found[0].n == 0])) && !bytes.failed;

	fine = fine ? pp_push_pprof(p, pp_slice_of(bytes.p ? bytes.p : "", bytes.n), "pushed.pb.gz")
	            : malformed(p);
	pp_buf_release(&bytes);
	return fine;
}

static bool
json_series(struct pp_push *p, struct pp_slice object)
{
	static const char *const names[] = { "labels", "samples" }, *const inner[] = { "labels",
		                                                                       NULL };
	struct pp_slice found[2], deeper[2];

	pp_push_labels_clear(p);
	if (!members(object, names, found))
		return malformed(p);
	if (found[0].n && found[0].p[0] == '{') {
		if (!members(found[0], inner, deeper))
			return malformed(p);
		found[0] = deeper[0];
	}
	return each(p, found[0], json_label) && each(p, found[1], json_sample);
}

static void
json_read(struct pp_push *p)
{
	static const char *const names[] = { "series", NULL };
	struct pp_buf padded = { 0 };
	struct pp_slice found[2];

	/* The scanner looks ahead. */
	pp_buf_add(&padded, p->body.p, p->body.n);
	if (!pp_buf_room(&padded, PP_SCAN_PAD))
		(void)pp_push_refuse(p, 503, "memory", "out of memory");
	else if (!members(pp_slice_of(padded.p, p->body.n), names, found))
		(void)malformed(p);
	else
		(void)each(p, found[0], json_series);
	pp_buf_release(&padded);
}

/* ---- endpoints ---- */

static bool
type_is(const struct pp_push *p, const char *type)
{
	struct pp_slice given = pp_http_field(&p->exchange->head, "content-type", NULL);
	bool found;

	given = pp_slice_trim(pp_slice_cut(&given, ';', &found));
	return pp_http_same(given, type);
}

/* A request whose answer is an object without members; NULL when out of memory, which is told. */
static struct pp_push *
series_begin(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_query q;
	struct pp_push *p = pp_push_begin(s, x, &q);

	if (p) {
		p->type = PP_JSON_TYPE;
		p->answer = "{}";
		pp_vec_release(&q.list);
	}
	return p;
}

void
pp_push_connect(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_push *p = series_begin(s, x);

	if (!p)
		return;
	if (type_is(p, "application/proto")) {
		p->type = "application/proto";
		p->answer = "";
		protobuf_read(p);
	} else if (type_is(p, "application/json")) {
		json_read(p);
	} else {
		(void)pp_push_refuse(p, 415, "no-format",
		                     "this is served as application/proto and application/json");
	}
	pp_push_end(p);
}

void
pp_push_parca(struct pp_serve *s, struct pp_exchange *x)
{
	struct pp_push *p = series_begin(s, x);

	if (!p)
		return;
	json_read(p);
	pp_push_end(p);
}
