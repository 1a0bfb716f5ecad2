/* The JSON emitter: commas, numbers, and strings of any bytes. */
#include "tap.h"

#include "text/json_emit.h"

struct doc {
	struct pp_buf buf;
	struct pp_sink *sink;
	struct pp_json json;
};

static struct pp_json *
doc_begin(struct doc *d, enum pp_json_style style)
{
	d->buf = (struct pp_buf){ 0 };
	if (pp_sink_buffer(&d->buf, &d->sink) != PP_OK)
		abort();
	pp_json_init(&d->json, d->sink, style);
	return &d->json;
}

static void
doc_is(struct doc *d, const char *expected, const char *what)
{
	ok(pp_sink_commit(d->sink) == PP_OK, "%s: written", what);
	is_slice_z(pp_slice_of(d->buf.p, d->buf.n), expected, "%s", what);
	pp_sink_close(d->sink);
	pp_buf_release(&d->buf);
}

static void
check_string(const void *bytes, size_t n, const char *expected, const char *what)
{
	struct doc d;

	pp_json_text(doc_begin(&d, PP_JSON_SPACED), pp_slice_of(bytes, n));
	doc_is(&d, expected, what);
}

static void
check_structure(enum pp_json_style style, const char *expected, const char *what)
{
	struct doc d;
	struct pp_json *j = doc_begin(&d, style);

	pp_json_begin_object(j);
	pp_json_put_textz(j, "a", "x");
	pp_json_put_array(j, "b");
	pp_json_u64(j, UINT64_MAX);
	pp_json_i64(j, INT64_MIN);
	pp_json_i64(j, 0);
	pp_json_begin_array(j);
	pp_json_end_array(j);
	pp_json_begin_object(j);
	pp_json_end_object(j);
	pp_json_bool(j, true);
	pp_json_end_array(j);
	pp_json_put_object(j, "c");
	pp_json_put_raw(j, "d", "1.50", 4);
	pp_json_put_null(j, "e");
	pp_json_end_object(j);
	pp_json_put_bool(j, "f", false);
	pp_json_put_u64(j, "g", 7);
	pp_json_put_i64(j, "h", -7);
	pp_json_end_object(j);
	pp_json_end_line(j);
	pp_json_null(j);
	doc_is(&d, expected, what);
}

static void
check_names(void)
{
	struct doc d;
	struct pp_json *j = doc_begin(&d, PP_JSON_SPACED);

	pp_json_begin_object(j);
	pp_json_put_name(j, "name", pp_slice_z("gr\xc3\xbc\xc3\x9f"));
	pp_json_put_name(j, "name", pp_slice_of("a\xff\0", 3));
	pp_json_put_name(j, "file", pp_slice_of("\xe2\x82", 2));
	pp_json_put_name(j, "empty", pp_slice_of(NULL, 0));
	pp_json_end_object(j);
	doc_is(&d,
	       "{\"name\": \"gr\xc3\xbc\xc3\x9f\", "
	       "\"name\": \"a\xef\xbf\xbd\\u0000\", \"name_hex\": \"61ff00\", "
	       "\"file\": \"\xef\xbf\xbd\xef\xbf\xbd\", \"file_hex\": \"e282\", \"empty\": \"\"}",
	       "name_hex only where the name is not UTF-8");
	j = doc_begin(&d, PP_JSON_COMPACT);
	pp_json_begin_object(j);
	pp_json_put_name(j, "name", pp_slice_z("\x80"));
	pp_json_end_object(j);
	doc_is(&d, "{\"name\":\"\xef\xbf\xbd\",\"name_hex\":\"80\"}", "name_hex, compact");
}

static void
check_strings(void)
{
	check_string("", 0, "\"\"", "empty");
	check_string("plain text that is longer than a word", 37,
	             "\"plain text that is longer than a word\"", "plain");
	check_string("\"\\\b\f\n\r\t/", 8, "\"\\\"\\\\\\b\\f\\n\\r\\t/\"", "short escapes");
	check_string("\0\1\x1f\x20\x7f", 5, "\"\\u0000\\u0001\\u001f \\u007f\"",
	             "control characters");
	check_string("</script><!--<b><", 17, "\"<\\/script>\\u003c!--<b><\"", "safe inside HTML");
	check_string("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", 9, "\"\\u2028\\u2029\xe2\x80\xaa\"",
	             "line separators");
	check_string("\xc2\x9b\x33m", 4, "\"\\u009b3m\"", "C1 controls");
	check_string("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "a surrogate");
	check_string("\xc0\xaf\xf4\x90\x80\x80", 6,
	             "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
	             "overlong and too large");
	check_string("\xf0\x9f\x94\xa5", 4, "\"\xf0\x9f\x94\xa5\"", "four bytes");
}

/* Each special byte at each place of a word, and at a block's end. */
static void
check_places(void)
{
	static const struct {
		char byte;
		const char *escaped;
	} cases[] = { { '"', "\\\"" },     { '\\', "\\\\" },           { '\n', "\\n" },
		      { 0x7f, "\\u007f" }, { '\xff', "\xef\xbf\xbd" }, { '<', "<" } };
	size_t c, at;
	unsigned wrong = 0;

	for (c = 0; c < PP_COUNT_OF(cases); c++)
		for (at = 0; at < 40; at++) {
			char text[40], expected[64];
			struct doc d;
			int n;

			memset(text, 'a', sizeof text);
			text[at] = cases[c].byte;
			n = snprintf(expected, sizeof expected, "\"%.*s%s%.*s\"", (int)at, text,
			             cases[c].escaped, (int)(39 - at), text + at + 1);
			pp_json_text(doc_begin(&d, PP_JSON_SPACED), pp_slice_of(text, sizeof text));
			pp_sink_commit(d.sink);
			wrong += !pp_slice_eq(pp_slice_of(d.buf.p, d.buf.n),
			                      pp_slice_of(expected, (size_t)n));
			pp_sink_close(d.sink);
			pp_buf_release(&d.buf);
		}
	is_u64(wrong, 0, "special bytes at every place of a word");
}

int
main(void)
{
	check_structure(
	    PP_JSON_SPACED,
	    "{\"a\": \"x\", \"b\": [18446744073709551615, -9223372036854775808, 0, [], {}, "
	    "true], \"c\": {\"d\": 1.50, \"e\": null}, \"f\": false, \"g\": 7, \"h\": -7}\n"
	    "null",
	    "spaced");
	check_structure(
	    PP_JSON_COMPACT,
	    "{\"a\":\"x\",\"b\":[18446744073709551615,-9223372036854775808,0,[],{},true],"
	    "\"c\":{\"d\":1.50,\"e\":null},\"f\":false,\"g\":7,\"h\":-7}\nnull",
	    "compact");
	check_strings();
	check_names();
	check_places();
	return tap_done();
}
