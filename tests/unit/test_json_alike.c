/* Records of JSON that are written alike: what is taken without scanning is what the scanner gives. */
#include "tap.h"

#include "base/slice.h"
#include "formats/kit/json_alike.h"

/* Reads {"a":N,"t":"T","b":N} by scanning, and learns it. */
static bool
scan(struct pp_json_alike *a, struct pp_scan *s, int64_t *numbers, struct pp_slice *texts)
{
	struct pp_json_num num;
	struct pp_json_str key, str;
	bool fine = pp_scan_object(s);

	while (fine && pp_scan_key(s, &key)) {
		unsigned to = !pp_json_str_eq(key, "a");

		if (pp_json_str_eq(key, "t")) {
			fine = pp_scan_string(s, &str);
			texts[0] = str.raw;
			pp_json_alike_text(a, &str, 0);
		} else {
			fine = pp_scan_number(s, &num) && pp_json_num_i64(&num, &numbers[to]);
			pp_json_alike_number(a, &num, to);
		}
	}
	fine = fine && s->error == PP_SCAN_OK;
	pp_json_alike_end(a, s, fine);
	return fine;
}

/* Whether a text behind one that is known is taken as such; then what it holds is what scanning gives. */
static void
is_taken(const char *text, bool expected)
{
	static const char first[] = "{\"a\":1,\"t\":\"x\",\"b\":-20}";
	struct pp_json_alike a = { 0 };
	int64_t numbers[2] = { 0 }, scanned[2] = { 0 };
	struct pp_slice texts[1] = { 0 }, plain[1] = { 0 };
	char buffer[128] = { 0 };
	struct pp_scan s, again;
	bool taken;

	snprintf(buffer, sizeof buffer, "[%s, %s", first, text);
	pp_scan_init(&s, pp_slice_z(buffer), 0, PP_SCAN_STRICT);
	(void)(pp_scan_array(&s) && pp_scan_item(&s));
	ok(!pp_json_alike_read(&a, &s, numbers, texts) && scan(&a, &s, numbers, texts) &&
	       pp_scan_item(&s),
	   "the first is scanned");
	again = s;
	taken = pp_json_alike_read(&a, &s, numbers, texts);
	is_i64(taken, expected, "%s", text);
	if (!taken) {
		ok(s.cur == again.cur, "and nothing is taken of what is not alike");
		return;
	}
	ok(scan(&a, &again, scanned, plain) && numbers[0] == scanned[0] &&
	       numbers[1] == scanned[1] && pp_slice_eq(texts[0], plain[0]) && s.cur == again.cur &&
	       s.after_value == again.after_value,
	   "with the same values");
}

int
main(void)
{
	struct pp_json_alike a = { 0 };
	struct pp_json_num num = { .text = pp_slice_z("1") };
	struct pp_scan s;
	unsigned i;

	is_taken("{\"a\":0,\"t\":\"\",\"b\":-0}]", true);
	is_taken("{\"a\":999999999999999999,\"t\":\"a b\",\"b\":-999999999999999999}]", true);
	is_taken("{\"a\":9007199254740993,\"t\":\"~\",\"b\":7}]", true);
	is_taken("{\"a\":9223372036854775807,\"t\":\"x\",\"b\":7}]", false);
	is_taken("{\"a\":01,\"t\":\"x\",\"b\":7}]", false);
	is_taken("{\"a\":-,\"t\":\"x\",\"b\":7}]", false);
	is_taken("{\"a\":1.5,\"t\":\"x\",\"b\":7}]", false);
	is_taken("{\"a\":1,\"t\":\"\\n\",\"b\":7}]", false);
	is_taken("{\"a\":1,\"t\":\"\303\244\",\"b\":7}]", false);
	is_taken("{\"a\":1,\"t\":\"x\",\"b\":7,\"c\":8}]", false);
	is_taken("{\"b\":1,\"t\":\"x\",\"a\":7}]", false);
	is_taken("{\"a\": 1,\"t\":\"x\",\"b\":7}]", false);
	is_taken("{\"a\":1,\"t\":\"x\",\"b\":7", false);
	is_taken("{\"a\":1,\"t\":\"x\",\"b\":", false);
	is_taken("{\"a\":1,\"t\":\"x", false);
	is_taken("{\"a\":12", false);
	is_taken("", false);
	pp_scan_init(&s, pp_slice_z("{}                "), 0, PP_SCAN_STRICT);
	(void)pp_json_alike_read(&a, &s, NULL, NULL);
	num.text.p = s.cur;
	for (i = 0; i < 100; i++)
		pp_json_alike_number(&a, &num, i);
	pp_json_alike_end(&a, &s, true);
	ok(!a.known, "too many values are not learned");
	return tap_done();
}
