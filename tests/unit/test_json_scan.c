/*
 * The JSON scanner: what it accepts, what it refuses and at which byte, and the values it gives.
 *
 * Every text is scanned with seven different fillings of the padding behind it, which must not matter,
 * both by skipping it and by walking through it.
 */
#include "tap.h"

#include "base/arena.h"
#include "text/json_scan.h"

static const unsigned char fillings[] = { '"', '0', '}', ']', '\\', ' ', 0xe2 };

/* A copy of a text with its padding, in memory of exactly that size. */
static struct pp_slice
padded(const void *text, size_t n, unsigned char filling)
{
	unsigned char *copy = malloc(n + PP_SCAN_PAD);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, text, n);
	memset(copy + n, filling, PP_SCAN_PAD);
	return pp_slice_of(copy, n);
}

/* Walks through any value by the calls for its parts. */
static void
walk(struct pp_scan *s)
{
	uint64_t kinds[PP_SCAN_DEPTH_MAX / 64 + 1] = { 0 };
	struct pp_json_str str;
	struct pp_json_num num;
	bool truth, more = true;

	while (more) {
		enum pp_json_type type = pp_scan_peek(s);

		if (type == PP_JSON_OBJECT ? pp_scan_object(s)
		                           : type == PP_JSON_ARRAY && pp_scan_array(s)) {
			kinds[s->depth / 64] &= ~((uint64_t)1 << s->depth % 64);
			kinds[s->depth / 64] |= (uint64_t)(type == PP_JSON_OBJECT) << s->depth % 64;
		} else if (type == PP_JSON_STRING) {
			pp_scan_string(s, &str);
		} else if (type == PP_JSON_NUMBER) {
			pp_scan_number(s, &num);
		} else if (type == PP_JSON_BOOL) {
			pp_scan_bool(s, &truth);
		} else if (type == PP_JSON_NULL) {
			pp_scan_null(s);
		}
		for (more = false; !more && s->depth && s->error == PP_SCAN_OK;)
			more = kinds[s->depth / 64] >> s->depth % 64 & 1 ? pp_scan_key(s, &str)
			                                                 : pp_scan_item(s);
	}
}

/* Scans a text in all ways and checks that each gives this error at this offset. */
static void
check(const void *text, size_t n, enum pp_scan_mode mode, enum pp_scan_error error, size_t offset,
      const char *what)
{
	unsigned wrong = 0;
	size_t i;

	for (i = 0; i < 2 * sizeof fillings; i++) {
		struct pp_slice input = padded(text, n, fillings[i / 2]);
		struct pp_slice raw = { NULL, 0 };
		struct pp_scan s;

		pp_scan_init(&s, input, 100, mode);
		if (i % 2)
			walk(&s);
		else
			pp_scan_skip(&s, &raw);
		if (pp_scan_end(&s) != (error == PP_SCAN_OK) || s.error != error ||
		    (error && pp_scan_offset(&s) != offset)) {
			printf("# filling %02x, %s: error %d at %zu\n", fillings[i / 2],
			       i % 2 ? "walking" : "skipping", (int)s.error,
			       s.error ? pp_scan_offset(&s) : 0);
			wrong++;
		}
		free((void *)(uintptr_t)input.p);
	}
	if (!ok(wrong == 0, "%s", what))
		tap_show("text", text, n);
}

static void
accept(const char *text)
{
	check(text, strlen(text), PP_SCAN_STRICT, PP_SCAN_OK, 0, text);
}

static void
refuse(const char *text, enum pp_scan_error error, size_t offset)
{
	check(text, strlen(text), PP_SCAN_STRICT, error, offset, text);
}

static void
check_accepted(void)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"\"\"",
		"0",
		"-0",
		"-0.0",
		"1e5",
		"1E+5",
		"1e-05",
		"12.50",
		"true",
		"false",
		"null",
		" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n",
		"[[],[[]],{}]",
		"[\"\\u0000\"]",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDD25\"",
		"\"\x7f\"",
		"\"gr\xc3\xbc\xc3\x9f\"",
		"\"\xe2\x80\xa8\xf0\x9f\x94\xa5\xef\xbf\xbf\xf4\x8f\xbf\xbf\"",
		"{\"\":0}",
		"{\"a\":1,\"a\":2}",
		"123456789012345678901234567890",
		"1e999",
		"\"fifteen bytes..\"",
		"\"sixteen bytes...\"",
		"\"seventeen bytes..\"",
		"[1,23,456,7890,12345,678901,2345678,34567890]",
		"[0,0,0,0,0,0,0,0,0,0,0,0]",
		"[1, 2, 3, 4, 5, 6, 7, 8]",
		"[1 ,2,3,4,5,6,7,8,9]",
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(texts); i++)
		accept(texts[i]);
}

static void
check_structure(void)
{
	refuse("", PP_SCAN_E_END, 0);
	refuse("  ", PP_SCAN_E_END, 2);
	refuse("{", PP_SCAN_E_END, 1);
	refuse("[", PP_SCAN_E_END, 1);
	refuse("{\"a\"", PP_SCAN_E_END, 4);
	refuse("{\"a\":", PP_SCAN_E_END, 5);
	refuse("{\"a\":1", PP_SCAN_E_END, 6);
	refuse("{\"a\":1,", PP_SCAN_E_END, 7);
	refuse("[1,", PP_SCAN_E_END, 3);
	refuse("[1", PP_SCAN_E_END, 2);
	refuse("]", PP_SCAN_E_VALUE, 0);
	refuse("[,]", PP_SCAN_E_VALUE, 1);
	refuse("[1,,2]", PP_SCAN_E_VALUE, 3);
	refuse("{\"a\":}", PP_SCAN_E_VALUE, 5);
	refuse("[1,]", PP_SCAN_E_TRAILING, 2);
	refuse("[1 , ]", PP_SCAN_E_TRAILING, 3);
	refuse("{\"a\":1,}", PP_SCAN_E_TRAILING, 6);
	refuse("[1 2]", PP_SCAN_E_COMMA, 3);
	refuse("[1}", PP_SCAN_E_COMMA, 2);
	refuse("{\"a\":1]", PP_SCAN_E_COMMA, 6);
	refuse("{\"a\" 1}", PP_SCAN_E_COLON, 5);
	refuse("{\"a\",1}", PP_SCAN_E_COLON, 4);
	refuse("{a:1}", PP_SCAN_E_KEY, 1);
	refuse("{1:1}", PP_SCAN_E_KEY, 1);
	refuse("{,}", PP_SCAN_E_KEY, 1);
	refuse("{\"a\":1,2}", PP_SCAN_E_KEY, 7);
	refuse("{}{}", PP_SCAN_E_MORE, 2);
	refuse("1 1", PP_SCAN_E_MORE, 2);
	refuse("{} // comment", PP_SCAN_E_MORE, 3);
	refuse("/* no */{}", PP_SCAN_E_VALUE, 0);
	refuse("\xef\xbb\xbf{}", PP_SCAN_E_VALUE, 0);
	refuse("'a'", PP_SCAN_E_VALUE, 0);
	refuse("\v{}", PP_SCAN_E_VALUE, 0);
	refuse("[\f1]", PP_SCAN_E_VALUE, 1);
	check("[1]\0", 4, PP_SCAN_STRICT, PP_SCAN_E_MORE, 3, "a NUL after the value");
	check("\0", 1, PP_SCAN_STRICT, PP_SCAN_E_VALUE, 0, "a NUL for a value");
}

static void
check_scalars(void)
{
	refuse("01", PP_SCAN_E_NUMBER, 0);
	refuse("-01", PP_SCAN_E_NUMBER, 1);
	refuse("[00,1,2,3,4,5,6]", PP_SCAN_E_NUMBER, 1);
	refuse("[1,02,3,4,5,6,7]", PP_SCAN_E_NUMBER, 3);
	refuse("-", PP_SCAN_E_END, 1);
	refuse("-a", PP_SCAN_E_NUMBER, 1);
	refuse("--1", PP_SCAN_E_NUMBER, 1);
	refuse("+1", PP_SCAN_E_VALUE, 0);
	refuse(".5", PP_SCAN_E_VALUE, 0);
	refuse("1.", PP_SCAN_E_END, 2);
	refuse("[1.]", PP_SCAN_E_NUMBER, 3);
	refuse("[1.e5]", PP_SCAN_E_NUMBER, 3);
	refuse("[1e]", PP_SCAN_E_NUMBER, 3);
	refuse("[1e+]", PP_SCAN_E_NUMBER, 4);
	refuse("1e", PP_SCAN_E_END, 2);
	refuse("0x10", PP_SCAN_E_MORE, 1);
	refuse("1_000", PP_SCAN_E_MORE, 1);
	refuse("[1a]", PP_SCAN_E_COMMA, 2);
	refuse("NaN", PP_SCAN_E_VALUE, 0);
	refuse("Infinity", PP_SCAN_E_VALUE, 0);
	refuse("tru", PP_SCAN_E_END, 3);
	refuse("trux", PP_SCAN_E_WORD, 0);
	refuse("[nul]", PP_SCAN_E_WORD, 1);
	refuse("[nan]", PP_SCAN_E_WORD, 1);
	refuse("[falsey]", PP_SCAN_E_COMMA, 6);
	refuse("True", PP_SCAN_E_VALUE, 0);
}

static void
check_strings(void)
{
	refuse("\"", PP_SCAN_E_END, 1);
	refuse("\"abc", PP_SCAN_E_END, 4);
	refuse("\"fifteen bytes..", PP_SCAN_E_END, 16);
	refuse("\"sixteen bytes...", PP_SCAN_E_END, 17);
	refuse("\"abc\\", PP_SCAN_E_END, 5);
	refuse("\"abc\\\"", PP_SCAN_E_END, 6);
	refuse("\"\\u12", PP_SCAN_E_END, 5);
	refuse("\"\\x41\"", PP_SCAN_E_ESCAPE, 1);
	refuse("\"\\x", PP_SCAN_E_ESCAPE, 1);
	refuse("\"\\u12\"", PP_SCAN_E_ESCAPE, 1);
	refuse("\"a\\u12g4\"", PP_SCAN_E_ESCAPE, 2);
	refuse("\"\\U0041\"", PP_SCAN_E_ESCAPE, 1);
	refuse("\"\\\n\"", PP_SCAN_E_ESCAPE, 1);
	check("\"\\\0\"", 4, PP_SCAN_STRICT, PP_SCAN_E_ESCAPE, 1, "a backslash before a NUL");
	refuse("\"\\ud800\"", PP_SCAN_E_SURROGATE, 1);
	refuse("\"\\udc00\"", PP_SCAN_E_SURROGATE, 1);
	refuse("\"x\\ud83d\\ud83d\"", PP_SCAN_E_SURROGATE, 2);
	refuse("\"\\ud83dx\"", PP_SCAN_E_SURROGATE, 1);
	refuse("\"\\udd25\\ud83d\"", PP_SCAN_E_SURROGATE, 1);
	refuse("\"a\tb\"", PP_SCAN_E_CONTROL, 2);
	refuse("\"a\nb\"", PP_SCAN_E_CONTROL, 2);
	refuse("\"0123456789abcdef\x1f\"", PP_SCAN_E_CONTROL, 17);
	check("\"\0\"", 3, PP_SCAN_STRICT, PP_SCAN_E_CONTROL, 1, "a NUL in a string");
	refuse("\"\xe9\"", PP_SCAN_E_UTF8, 1);
	refuse("\"a\x80\"", PP_SCAN_E_UTF8, 2);
	refuse("\"\xc0\x80\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xc1\xbf\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xe0\x9f\xbf\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xed\xa0\x80\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xf0\x8f\xbf\xbf\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xf4\x90\x80\x80\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xf8\x88\x80\x80\x80\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xff\"", PP_SCAN_E_UTF8, 1);
	refuse("\"\xc3\xbc\xe2\x82\"", PP_SCAN_E_UTF8, 3);
	refuse("\"\xe2\x82", PP_SCAN_E_UTF8, 1);
	refuse("{\"\xff\":1}", PP_SCAN_E_UTF8, 2);
}

static void
check_tolerant(void)
{
	static const char raw[] =
	    "{\"a\":\"x\x01\n\xff\xe2\x82y\",\"b\":\"\\ud800z\",\"c\":\"fine\"}";
	struct pp_slice input = padded(raw, sizeof raw - 1, 'x');
	struct pp_arena arena = { 0 };
	struct pp_json_str key, value;
	struct pp_scan s;

	check(raw, sizeof raw - 1, PP_SCAN_TOLERANT, PP_SCAN_OK, 0,
	      "tolerant mode takes odd strings");
	check("\"\x01\xff", 3, PP_SCAN_TOLERANT, PP_SCAN_E_END, 3, "tolerant, cut");
	check("\"\\x\"", 4, PP_SCAN_TOLERANT, PP_SCAN_E_ESCAPE, 1, "tolerant, a wrong escape");
	check("\"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\"", 19,
	      PP_SCAN_TOLERANT, PP_SCAN_OK, 0, "tolerant, many stray bytes");
	pp_scan_init(&s, input, 0, PP_SCAN_TOLERANT);
	pp_scan_object(&s);
	ok(pp_scan_key(&s, &key) && pp_scan_string(&s, &value) && value.odd && !value.escaped,
	   "odd bytes are flagged");
	is_slice_z(value.raw, "x\x01\n\xff\xe2\x82y", "and left as they are");
	ok(pp_scan_key(&s, &key) && pp_scan_string(&s, &value) && value.odd,
	   "half a pair is flagged");
	is_slice_z(pp_json_str_value(value, &arena), "\xef\xbf\xbdz", "and decodes as U+FFFD");
	ok(pp_scan_key(&s, &key) && pp_scan_string(&s, &value) && !value.odd,
	   "what is fine is not flagged");
	pp_arena_release(&arena);
	free((void *)(uintptr_t)input.p);
}

static void
check_depth(void)
{
	char text[402];
	struct pp_scan s;
	struct pp_slice deep;
	unsigned char *all;
	size_t i;

	memset(text, '[', 101);
	memset(text + 101, ']', 101);
	check(text + 1, 200, PP_SCAN_STRICT, PP_SCAN_OK, 0, "100 levels");
	check(text, 202, PP_SCAN_STRICT, PP_SCAN_E_DEPTH, 100, "101 levels are one too many");
	all = malloc(2 * PP_SCAN_DEPTH_MAX * 5 + 1 + PP_SCAN_PAD);
	if (!all)
		abort();
	/* Objects and arrays in turns, as deep as it goes: {"":[{"":[ ... ]}]} */
	deep = pp_slice_of(all, 0);
	for (i = 0; i < PP_SCAN_DEPTH_MAX; i++) {
		const char *open = i % 3 ? "[" : "{\"\":";

		memcpy(all + deep.n, open, strlen(open));
		deep.n += strlen(open);
	}
	all[deep.n++] = '1';
	while (i-- > 0)
		all[deep.n++] = i % 3 ? ']' : '}';
	memset(all + deep.n, ']', PP_SCAN_PAD);
	pp_scan_init(&s, deep, 0, PP_SCAN_STRICT);
	ok(pp_scan_skip(&s, NULL) && pp_scan_end(&s), "%d levels", PP_SCAN_DEPTH_MAX);
	pp_scan_init(&s, deep, 0, PP_SCAN_STRICT);
	walk(&s);
	ok(pp_scan_end(&s), "%d levels by walking", PP_SCAN_DEPTH_MAX);
	free(all);
}

/* Every byte that strings treat specially, at every place of a block. */
static void
check_places(void)
{
	size_t at, i;
	unsigned wrong = 0;

	for (at = 0; at < 40; at++)
		for (i = 0; i < 256; i++) {
			unsigned char text[42];
			enum pp_scan_error expected = PP_SCAN_OK, got;
			struct pp_slice input;
			struct pp_scan s;

			memset(text, 'a', sizeof text);
			text[0] = text[41] = '"';
			text[1 + at] = (unsigned char)i;
			expected = i < 0x20    ? PP_SCAN_E_CONTROL
			           : i >= 0x80 ? PP_SCAN_E_UTF8
			                       : PP_SCAN_OK;
			if (i == '"')
				expected = PP_SCAN_E_MORE;
			if (i == '\\')
				expected = at == 39 ? PP_SCAN_E_END : PP_SCAN_E_ESCAPE;
			input = padded(text, sizeof text, '"');
			pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
			pp_scan_skip(&s, NULL);
			pp_scan_end(&s);
			got = s.error;
			wrong += got != expected;
			free((void *)(uintptr_t)input.p);
		}
	is_u64(wrong, 0, "every byte at every place of a block");
}

static void
check_number(const char *text, bool is_u64_ok, uint64_t u, bool is_i64_ok, int64_t i)
{
	struct pp_slice input = padded(text, strlen(text), '9');
	struct pp_json_num num;
	struct pp_scan s;
	uint64_t got_u = 0;
	int64_t got_i = 0;

	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	ok(pp_scan_number(&s, &num) && pp_scan_end(&s), "%s is a number", text);
	is_slice_z(num.text, text, "%s: its text", text);
	ok(pp_json_num_u64(&num, &got_u) == is_u64_ok && (!is_u64_ok || got_u == u),
	   "%s as unsigned", text);
	ok(pp_json_num_i64(&num, &got_i) == is_i64_ok && (!is_i64_ok || got_i == i), "%s as signed",
	   text);
	free((void *)(uintptr_t)input.p);
}

static void
check_numbers(void)
{
	check_number("0", true, 0, true, 0);
	check_number("-0", true, 0, true, 0);
	check_number("7", true, 7, true, 7);
	check_number("12345678", true, 12345678, true, 12345678);
	check_number("123456789", true, 123456789, true, 123456789);
	check_number("9007199254740993", true, 9007199254740993, true, 9007199254740993);
	check_number("9223372036854775807", true, INT64_MAX, true, INT64_MAX);
	check_number("9223372036854775808", true, (uint64_t)1 << 63, false, 0);
	check_number("-9223372036854775808", false, 0, true, INT64_MIN);
	check_number("-9223372036854775809", false, 0, false, 0);
	check_number("18446744073709551615", true, UINT64_MAX, false, 0);
	check_number("18446744073709551616", false, 0, false, 0);
	check_number("19999999999999999999", false, 0, false, 0);
	check_number("20000000000000000000", false, 0, false, 0);
	check_number("99999999999999999999", false, 0, false, 0);
	check_number("100000000000000000000", false, 0, false, 0);
	check_number("-1", false, 0, true, -1);
	check_number("1.0", false, 0, false, 0);
	check_number("1e3", false, 0, false, 0);
	check_number("757.314688123456789", false, 0, false, 0);
}

static void
check_values(void)
{
	static const char text[] =
	    "{\"t\\u0079pe\":\"a\\\"b\\u00fc\\ud83d\\udd25\\n\",\"plain\":\"x\\\\y\"}";
	struct pp_slice input = padded(text, sizeof text - 1, '"');
	struct pp_json_str key, value, other;
	struct pp_arena arena = { 0 };
	struct pp_scan s;

	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	pp_scan_object(&s);
	ok(pp_scan_key(&s, &key) && key.escaped, "a key with an escape");
	ok(pp_json_str_eq(key, "type") && !pp_json_str_eq(key, "typ") &&
	       !pp_json_str_eq(key, "types") && !pp_json_str_eq(key, "typf"),
	   "compares by value");
	pp_scan_string(&s, &value);
	is_slice_z(pp_json_str_value(value, &arena), "a\"b\xc3\xbc\xf0\x9f\x94\xa5\n", "decoded");
	other = (struct pp_json_str){ .raw = pp_slice_z("type") };
	ok(pp_json_str_cmp(key, other) == 0, "equal to its plain spelling");
	other.raw = pp_slice_z("typf");
	ok(pp_json_str_cmp(key, other) < 0 && pp_json_str_cmp(other, key) > 0, "less than another");
	other.raw = pp_slice_z("typ");
	ok(pp_json_str_cmp(key, other) > 0 && pp_json_str_cmp(other, key) < 0,
	   "longer than a prefix");
	ok(pp_scan_key(&s, &key) && !key.escaped && pp_json_str_eq(key, "plain"), "a plain key");
	pp_scan_string(&s, &value);
	is_slice_z(pp_json_str_value(value, &arena), "x\\y", "a backslash");
	ok(pp_json_str_eq(value, "x\\y") && !pp_json_str_eq(value, "x\\\\y"), "compares with one");
	ok(!pp_scan_key(&s, &key) && pp_scan_end(&s), "the end");
	pp_arena_release(&arena);
	free((void *)(uintptr_t)input.p);
}

static void
check_types(void)
{
	struct pp_slice input = padded("[1,\"a\",true]", 12, 'x');
	struct pp_json_str str;
	struct pp_scan s;
	bool truth = false;

	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	ok(!pp_scan_object(&s) && s.error == PP_SCAN_E_TYPE && pp_scan_offset(&s) == 0,
	   "not an object");
	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	pp_scan_array(&s);
	pp_scan_item(&s);
	ok(!pp_scan_string(&s, &str) && s.error == PP_SCAN_E_TYPE && pp_scan_offset(&s) == 1,
	   "not a string");
	ok(!pp_scan_item(&s) && !pp_scan_skip(&s, NULL) && !pp_scan_end(&s) &&
	       s.error == PP_SCAN_E_TYPE && pp_scan_offset(&s) == 1,
	   "the first error stays");
	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	pp_scan_array(&s);
	pp_scan_item(&s);
	pp_scan_skip(&s, NULL);
	pp_scan_item(&s);
	pp_scan_skip(&s, NULL);
	ok(pp_scan_item(&s) && pp_scan_bool(&s, &truth) && truth, "a bool");
	ok(!pp_scan_item(&s) && pp_scan_end(&s), "the end of the array");
	free((void *)(uintptr_t)input.p);
}

#define NAME(z)                                                                                    \
	{                                                                                          \
		(const unsigned char *)(z), sizeof(z) - 1                                          \
	}

static void
check_names(void)
{
	static const struct pp_slice list[] = { NAME("type"), NAME("timestamp"), NAME("id"),
		                                NAME("cpu"), NAME("stack_id_and_more") };
	static const char text[] =
	    "{\"type\":0,\"timestamp\":0,\"cpu\":0,\"i\\u0064\":0,\"x\":0, \"type\" :0,"
	    "\"timestamq\":0,\"stack_id_and_more\":0,\"stack_id_and_mare\":0}";
	static const unsigned expected[] = { 0, 1, 3, 2, 5, 0, 5, 4, 5 };
	struct pp_slice input = padded(text, sizeof text - 1, '"');
	struct pp_json_names names = { list, PP_COUNT_OF(list), 0 };
	struct pp_json_str key;
	struct pp_scan s;
	uint64_t seen = 0;
	unsigned index, i = 0, twice = 0;
	bool right = true;

	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	pp_scan_object(&s);
	for (; pp_scan_named_key(&s, &names, &key, &index); i++) {
		right = right && i < PP_COUNT_OF(expected) && index == expected[i];
		twice += index < names.count && !pp_json_seen_once(&seen, index);
		pp_scan_skip(&s, NULL);
	}
	ok(right && i == PP_COUNT_OF(expected) && pp_scan_end(&s),
	   "known keys are found in any order");
	is_u64(twice, 1, "and one that comes twice is noticed");
	free((void *)(uintptr_t)input.p);
}

/* Lists of ids, by the fast way and then the general one. */
static void
check_ids_by(size_t cap, const char *text, size_t taken, size_t in_all, uint64_t sum)
{
	struct pp_slice input = padded(text, strlen(text), ',');
	struct pp_json_num num;
	struct pp_scan s;
	uint64_t ids[40], total = 0, id;
	size_t n, plain = 0, rest = 0, i;

	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	pp_scan_array(&s);
	while ((n = pp_scan_plain_u64s(&s, ids, cap)) > 0)
		for (i = 0; i < n; i++, plain++)
			total += ids[i];
	for (; pp_scan_item(&s) && pp_scan_number(&s, &num); rest++)
		total += pp_json_num_u64(&num, &id) ? id : 0;
	ok(pp_scan_end(&s), "%s: scanned", text);
	ok(plain >= taken && plain + rest == in_all, "%s: %zu and %zu ids", text, plain, rest);
	is_u64(total, sum, "%s: the sum", text);
	free((void *)(uintptr_t)input.p);
}

static void
check_ids(const char *text, size_t taken, size_t in_all, uint64_t sum)
{
	check_ids_by(4, text, taken, in_all, sum);
	check_ids_by(40, text, taken, in_all, sum);
}

struct odd_number {
	const char *text;
	uint64_t value;
	bool fine;
};

/* A list of 80 numbers with an odd one among them; whether it is read up to its end or to what is broken. */
static bool
is_long_list_read(const struct odd_number *odd, size_t place)
{
	uint64_t ids[40], seen = 0;
	struct pp_slice input;
	struct pp_json_num num;
	struct pp_scan s;
	char text[1024];
	size_t n, at = 0, i;
	bool same = true;

	for (i = 0; i < 80; i++) {
		at += (size_t)snprintf(text + at, sizeof text - at, "%c", i ? ',' : '[');
		if (i == place)
			at += (size_t)snprintf(text + at, sizeof text - at, "%s", odd->text);
		else
			at += (size_t)snprintf(text + at, sizeof text - at, "%zu", i * i * i);
	}
	text[at++] = ']';
	input = padded(text, at, ',');
	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	pp_scan_array(&s);
	for (;;) {
		n = pp_scan_plain_u64s(&s, ids, PP_COUNT_OF(ids));
		if (!n) {
			if (!pp_scan_item(&s) || !pp_scan_number(&s, &num) ||
			    !pp_json_num_u64(&num, &ids[0]))
				break;
			n = 1;
		}
		for (i = 0; i < n; i++, seen++)
			same &= ids[i] == (seen == place ? odd->value : seen * seen * seen);
	}
	same &= odd->fine ? seen == 80 && pp_scan_end(&s)
	                  : seen <= place + 1 && s.error != PP_SCAN_OK && pp_scan_offset(&s) < at;
	/* It is passed likewise. */
	pp_scan_init(&s, input, 0, PP_SCAN_STRICT);
	same &= (pp_scan_skip(&s, NULL) && pp_scan_end(&s)) == odd->fine;
	free((void *)(uintptr_t)input.p);
	return same;
}

/* Long lists are taken in blocks: something odd stands at each place of one. */
static void
check_long_lists(void)
{
	static const struct odd_number odd[] = {
		{ "7", 7, true },
		{ "12345678", 12345678, true },
		{ "123456789", 123456789, true },
		{ "123456789012345", 123456789012345, true },
		{ "1234567890123456", 1234567890123456, true },
		{ "12345678.", 0, false },
		{ "012345678", 0, false },
		{ "18446744073709551615", UINT64_MAX, true },
		{ " 5", 5, true },
		{ "5 ", 5, true },
		{ "0", 0, true },
		{ "01", 0, false },
		{ "", 0, false },
		{ "-", 0, false },
		{ "1:", 1, false },
		{ "1/", 1, false },
	};
	size_t k, place, right;

	for (k = 0; k < PP_COUNT_OF(odd); k++) {
		for (right = 0, place = 0; place < 80; place++)
			right += is_long_list_read(&odd[k], place);
		is_u64(right, 80, "long lists with \"%s\" are read", odd[k].text);
	}
}

int
main(void)
{
	check_accepted();
	check_structure();
	check_scalars();
	check_strings();
	check_tolerant();
	check_depth();
	check_places();
	check_numbers();
	check_values();
	check_types();
	check_names();
	check_long_lists();
	check_ids("[]", 0, 0, 0);
	check_ids("[5]", 0, 1, 5);
	check_ids("[1,22,333,4444,55555,666666,7777777,88888888,1]", 7, 9, 97393687);
	check_ids("[1, 22, 333, 0, 5, 18446744073709551, 3]", 5, 7, 18446744073709551 + 364);
	check_ids("[1,2,3.5,4,5,6,7,8,9,10,11]", 2, 11, 1 + 2 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11);
	check_ids("[ 1,2,3,4,5,6,7,8,9]", 0, 9, 45);
	is_text(pp_scan_error_text(PP_SCAN_E_UTF8), "not valid UTF-8", "errors have texts");
	return tap_done();
}
