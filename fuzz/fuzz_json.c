/*
 * libFuzzer target of the JSON scanner and emitter. Skipping and walking must find the same error at
 * the same place; a document without one is emitted again from its parts, and both texts must say the
 * same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "text/json_emit.h"
#include "formats/kit/json_outline.h"
#include "text/json_scan.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/* Emits the scalar at the scanner's cursor. */
static void
copy_scalar(struct pp_scan *s, enum pp_json_type type, struct pp_json *out, struct pp_arena *arena)
{
	struct pp_json_str str;
	struct pp_json_num num;
	bool truth;

	if (type == PP_JSON_STRING && pp_scan_string(s, &str))
		pp_json_text(out, pp_json_str_value(str, arena));
	else if (type == PP_JSON_NUMBER && pp_scan_number(s, &num))
		pp_json_raw(out, (const char *)num.text.p, num.text.n);
	else if (type == PP_JSON_BOOL && pp_scan_bool(s, &truth))
		pp_json_bool(out, truth);
	else if (type == PP_JSON_NULL && pp_scan_null(s))
		pp_json_null(out);
}

/* Walks through a value and emits it again. */
static void
copy_value(struct pp_scan *s, struct pp_json *out, struct pp_arena *arena)
{
	bool is_object[PP_SCAN_DEPTH_MAX + 1];
	struct pp_json_str key;
	bool more = true;

	while (more) {
		enum pp_json_type type = pp_scan_peek(s);

		if (type == PP_JSON_OBJECT && pp_scan_object(s)) {
			pp_json_begin_object(out);
			is_object[s->depth] = true;
		} else if (type == PP_JSON_ARRAY && pp_scan_array(s)) {
			pp_json_begin_array(out);
			is_object[s->depth] = false;
		} else {
			copy_scalar(s, type, out, arena);
		}
		for (more = false; !more && s->depth && s->error == PP_SCAN_OK;) {
			bool object = is_object[s->depth];

			more = object ? pp_scan_key(s, &key) : pp_scan_item(s);
			if (more && object)
				pp_json_key_text(out, pp_json_str_value(key, arena));
			else if (!more && s->error == PP_SCAN_OK)
				object ? pp_json_end_object(out) : pp_json_end_array(out);
		}
	}
}

/* One way through a text; false when it has an error. */
static bool
copy_text(struct pp_slice text, enum pp_scan_mode mode, struct pp_buf *out)
{
	struct pp_arena arena = { 0 };
	struct pp_scan walk, skip;
	struct pp_sink *sink;
	struct pp_json json;
	bool good;

	if (pp_sink_buffer(out, &sink) != PP_OK)
		abort();
	pp_json_init(&json, sink, PP_JSON_COMPACT);
	pp_scan_init(&walk, text, 0, mode);
	copy_value(&walk, &json, &arena);
	good = pp_scan_end(&walk);
	pp_scan_init(&skip, text, 0, mode);
	pp_scan_skip(&skip, NULL);
	require(pp_scan_end(&skip) == good && skip.error == walk.error,
	        "skipping finds what walking finds");
	require(good || skip.error_at == walk.error_at, "at the same place");
	if (pp_sink_commit(sink) != PP_OK)
		abort();
	pp_sink_close(sink);
	pp_arena_release(&arena);
	return good;
}

static struct pp_slice
pad(const void *p, size_t n)
{
	unsigned char *copy = malloc(n + PP_SCAN_PAD);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, p, n);
	memset(copy + n, '"', PP_SCAN_PAD);
	return pp_slice_of(copy, n);
}

/* The outline of JSON is JSON, and no longer than it should be. */
static void
outline_try(struct pp_slice text)
{
	struct pp_buf out = { 0 };
	struct pp_slice copy;
	struct pp_scan s, o;
	bool good;

	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	good = pp_scan_skip(&s, NULL) && pp_scan_end(&s);
	require(pp_json_outline(text, &out) == PP_OUTLINE_WHOLE || !good, "JSON has an outline");
	require(out.n < PP_OUTLINE_BYTES + 16384 && out.n <= text.n + 3, "which is short");
	copy = pad(out.p, out.n);
	pp_scan_init(&o, copy, 0, PP_SCAN_TOLERANT);
	require(!good || (pp_scan_skip(&o, NULL) && pp_scan_end(&o)), "and JSON");
	free((void *)(uintptr_t)copy.p);
	pp_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct pp_slice text = pad(data, size);
	enum pp_scan_mode mode;

	outline_try(text);
	for (mode = PP_SCAN_STRICT; mode <= PP_SCAN_TOLERANT; mode++) {
		struct pp_buf first = { 0 }, second = { 0 };

		if (copy_text(text, mode, &first)) {
			struct pp_slice again = pad(first.p, first.n);

			require(pp_utf8_valid(again), "what is emitted is UTF-8");
			require(copy_text(again, PP_SCAN_STRICT, &second), "and JSON");
			require(pp_slice_eq(again, pp_slice_of(second.p, second.n)),
			        "and stays the same");
			free((void *)(uintptr_t)again.p);
		}
		pp_buf_release(&first);
		pp_buf_release(&second);
	}
	free((void *)(uintptr_t)text.p);
	return 0;
}
