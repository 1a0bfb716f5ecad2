/* Which profiles, and when: the language of --where, times and spans. */
#include "tap.h"

#include "store/label_set.h"
#include "store/when.h"
#include "store/where.h"

static struct pp_label_set labels;
static const struct pp_where_profile profile = { { (const unsigned char *)"folded", 6 },
	                                         true,
	                                         { (const unsigned char *)"00c0ffee", 8 } };

static bool
id_note(void *data, struct pp_slice begin)
{
	struct pp_buf *met = data;

	pp_buf_add(met, begin.p, begin.n);
	pp_buf_addc(met, ' ');
	return begin.n < 6;
}

/* The beginnings of ids that an expression names, up to the first of six digits. */
static void
are_ids(const char *text, const char *expected)
{
	struct pp_buf problem = { 0 }, met = { 0 };
	struct pp_where *where = pp_where_parse(pp_slice_z(text), &problem);

	ok(where != NULL, "%s is an expression", text);
	(void)pp_where_ids(where, id_note, &met);
	is_text(met.n ? met.p : "", expected, "%s", text);
	pp_where_free(where);
	pp_buf_release(&problem);
	pp_buf_release(&met);
}

static void
is_where(const char *text, enum pp_where_result of_labels, enum pp_where_result of_profile)
{
	struct pp_buf problem = { 0 };
	struct pp_where *where = pp_where_parse(pp_slice_z(text), &problem);

	ok(where != NULL, "%s is an expression %s", text, problem.p ? problem.p : "");
	if (where) {
		is_u64(pp_where_match_labels(where, &labels, NULL), of_labels, "%s, of labels",
		       text);
		is_u64(pp_where_match_labels(where, &labels, &profile), of_profile,
		       "%s, of a profile", text);
	}
	pp_where_free(where);
	pp_buf_release(&problem);
}

static void
is_yes(const char *text)
{
	is_where(text, PP_WHERE_YES, PP_WHERE_YES);
}

static void
is_no(const char *text)
{
	is_where(text, PP_WHERE_NO, PP_WHERE_NO);
}

static void
check_conditions(void)
{
	is_yes("service=web");
	is_no("service=we");
	is_no("service!=web");
	is_yes("host ~ \"^a\"");
	is_no("host!~\"^a\"");
	is_yes("host~\"\\d+\\.example\"");
	is_yes("host~\"\\\\d+\"");
	is_yes("version in (2.0, \"2.1\")");
	is_no("version in(3)");
	is_yes("\"odd key\"=\"with \\\"quotes\\\" and \\\\\"");
	is_yes("absent=\"\"");
	is_yes("absent~\"^$\"");
	is_yes("absent!=x");
	is_no("absent in (a,b)");
	is_yes("absent in (a,\"\")");
	is_where("format=folded", PP_WHERE_DEPENDS, PP_WHERE_YES);
	is_where("complete=false", PP_WHERE_DEPENDS, PP_WHERE_NO);
	is_where("complete~\"^t\"", PP_WHERE_DEPENDS, PP_WHERE_YES);
	is_where("profile=00C0", PP_WHERE_DEPENDS, PP_WHERE_YES);
	is_where("profile in (aa,00c0ffee)", PP_WHERE_DEPENDS, PP_WHERE_YES);
	is_where("profile!=00c0ffee00", PP_WHERE_DEPENDS, PP_WHERE_YES);
}

static void
check_precedence(void)
{
	is_yes("service=web or service=x and version=9");
	is_no("(service=web or service=x) and version=9");
	is_no("not service=web and absent=\"\"");
	is_no("not (service=web and absent=\"\")");
	is_yes("not not service=web");
	is_no("not service=web or version=9");
	is_yes("format=spx or service=web");
	is_no("format=spx and service=x");
	is_where("not format=spx and service=web", PP_WHERE_DEPENDS, PP_WHERE_YES);
	is_where("service=x or format=spx", PP_WHERE_DEPENDS, PP_WHERE_NO);
}

static void
is_refused(const char *text, const char *why)
{
	struct pp_buf problem = { 0 };
	struct pp_where *where = pp_where_parse(pp_slice_z(text), &problem);

	ok(!where, "%s is no expression", text);
	is_slice_z(pp_slice_of(problem.p, problem.n), why, "why");
	pp_where_free(where);
	pp_buf_release(&problem);
}

static void
check_mistakes(void)
{
	is_refused("", "a condition is missing at character 1 of ''");
	is_refused("a", "one of = != ~ !~ in is missing at character 2 of 'a'");
	is_refused("a=", "a value is missing at character 3 of 'a='");
	is_refused("a=and", "a value is missing at character 3 of 'a=and'");
	is_refused("a=b c=d", "'and' or 'or' is missing at character 5 of 'a=b c=d'");
	is_refused("a=\"b", "a quote is not closed at character 3 of 'a=\"b'");
	is_refused("a=\"b\\", "a quote is not closed at character 3 of 'a=\"b\\'");
	is_refused("a~b", "a pattern in double quotes is missing at character 3 of 'a~b'");
	is_refused("a in b", "'(' is missing at character 6 of 'a in b'");
	is_refused("a in ()", "a value is missing at character 7 of 'a in ()'");
	is_refused("a in (b", "',' or ')' is missing at character 8 of 'a in (b'");
	is_refused("(a=b", "'and', 'or' or ')' is missing at character 5 of '(a=b'");
	is_refused("a=b)", "'and' or 'or' is missing at character 4 of 'a=b)'");
	is_refused("a!b", "nothing of the language stands at character 2 of 'a!b'");
	is_refused("a=b;drop", "nothing of the language stands at character 4 of 'a=b;drop'");
	is_refused("a=b !", "nothing of the language stands at character 5 of 'a=b !'");
	is_refused("\"\"=b", "a key is empty at character 1 of '\"\"=b'");
	is_refused("complete=yes",
	           "neither true nor false stands at character 10 of 'complete=yes'");
	is_refused("a=\xff", "an expression is not UTF-8");
	is_refused("not", "a condition is missing at character 4 of 'not'");
	is_refused("a=b and", "a condition is missing at character 8 of 'a=b and'");
}

static void
check_depth(void)
{
	struct pp_buf text = { 0 }, problem = { 0 };
	struct pp_where *where;
	unsigned i;

	for (i = 0; i < 1000000; i++)
		pp_buf_addc(&text, '(');
	ok(!pp_where_parse(pp_slice_of(text.p, text.n), &problem),
	   "an expression that is too long: %s", problem.p);
	ok(!pp_where_parse(pp_slice_of(text.p, 60000), &problem), "one that is too deep");
	text.n = 0;
	for (i = 0; i < 5000; i++)
		pp_buf_adds(&text, i ? " or a=b" : "a=b");
	where = pp_where_parse(pp_slice_of(text.p, text.n), &problem);
	ok(where && pp_where_match_labels(where, &labels, NULL) == PP_WHERE_NO, "a long one");
	ok(pp_where_match_labels(NULL, &labels, NULL) == PP_WHERE_YES, "none is true");
	pp_where_free(where);
	pp_buf_release(&text);
	pp_buf_release(&problem);
}

/* ---- times ---- */

#define NOW (INT64_C(1000000) * PP_SECOND)

static void
is_when(const char *text, int64_t expected)
{
	struct pp_buf problem = { 0 };
	int64_t ns = 0;

	ok(pp_when_parse(pp_slice_z(text), NOW, &ns, &problem) && ns == expected, "%s is %lld",
	   text, (long long)ns);
	pp_buf_release(&problem);
}

static void
is_never(const char *text)
{
	struct pp_buf problem = { 0 };
	int64_t ns = 0;

	ok(!pp_when_parse(pp_slice_z(text), NOW, &ns, &problem) && problem.n, "no time: %s", text);
	pp_buf_release(&problem);
}

static void
check_times(void)
{
	static const char *never[] = { "",
		                       "1",
		                       "s",
		                       "-1s",
		                       "1.5h",
		                       "1y",
		                       "+1s",
		                       "@",
		                       "@x",
		                       "@1.",
		                       "@99999999999999",
		                       "99999999999999w",
		                       "yesterday",
		                       "2026-11-15",
		                       "2026-11-15T20:00:00",
		                       "2026-02-29T00:00:00Z",
		                       "2026-13-01T00:00:00Z",
		                       "2026-00-01T00:00:00Z",
		                       "2026-01-00T00:00:00Z",
		                       "2026-01-01T24:00:00Z",
		                       "2026-01-01T00:60:00Z",
		                       "2026-01-01T00:00:60Z",
		                       "2026-11-15T20:00:00.Z",
		                       "9999-01-01T00:00:00Z" };
	size_t i;

	is_when("90s", NOW - 90 * PP_SECOND);
	is_when("30m", NOW - 1800 * PP_SECOND);
	is_when("1h", NOW - 3600 * PP_SECOND);
	is_when("1d", NOW - 86400 * PP_SECOND);
	is_when("2w", NOW - 14 * 86400 * PP_SECOND);
	is_when("@5", 5 * PP_SECOND);
	is_when("@-5", -5 * PP_SECOND);
	is_when("@5.25", 5250000000);
	is_when("1970-01-01T00:00:00Z", 0);
	is_when("2026-11-15T20:00:00Z", 1794772800 * PP_SECOND);
	is_when("2024-02-29T23:59:59.5Z", 1709251199 * PP_SECOND + 500000000);
	is_when("1969-12-31T23:59:59Z", -PP_SECOND);
	for (i = 0; i < PP_COUNT_OF(never); i++)
		is_never(never[i]);
}

static void
check_prints(int64_t ns, const char *expected)
{
	struct pp_buf out = { 0 }, problem = { 0 };
	int64_t back = 0;

	pp_when_print(&out, ns);
	is_text(out.p, expected, "a time in text");
	ok(pp_when_parse(pp_slice_of(out.p, out.n), 0, &back, &problem) && back == ns, "and back");
	pp_buf_release(&out);
	pp_buf_release(&problem);
}

static void
check_windows(void)
{
	struct pp_buf problem = { 0 }, out = { 0 };
	struct pp_window window = {
		.since = 10, .until = 20, .has_since = true, .has_until = true
	};
	int64_t a, b;

	ok(pp_between_parse(pp_slice_z("2h..1h"), NOW, &a, &b, &problem) &&
	       b - a == 3600 * PP_SECOND,
	   "between two ages");
	ok(pp_between_parse(pp_slice_z("@1.5..@2"), NOW, &a, &b, &problem) &&
	       b - a == PP_SECOND / 2,
	   "between two moments");
	ok(!pp_between_parse(pp_slice_z("1h..2h"), NOW, &a, &b, &problem),
	   "an end before the beginning");
	ok(!pp_between_parse(pp_slice_z("1h"), NOW, &a, &b, &problem), "one time only");
	ok(!pp_between_parse(pp_slice_z("1h.."), NOW, &a, &b, &problem), "no end");
	ok(pp_window_meets(&window, 5, 11) && pp_window_meets(&window, 19, 30) &&
	       pp_window_meets(&window, 0, 100),
	   "what overlaps");
	ok(!pp_window_meets(&window, 5, 10) && !pp_window_meets(&window, 20, 30),
	   "what touches only");
	ok(pp_window_meets(&window, 10, 10) && !pp_window_meets(&window, 20, 20) &&
	       !pp_window_meets(&window, 9, 9),
	   "moments");
	ok(pp_when_floor(-1, 10) == -10 && pp_when_floor(19, 10) == 10 &&
	       pp_when_floor(-10, 10) == -10,
	   "multiples");
	pp_span_print(&out, 7200 * PP_SECOND);
	is_text(out.p, "2h", "a span in text");
	check_prints(1794772800 * PP_SECOND, "2026-11-15T20:00:00Z");
	check_prints(-1, "1969-12-31T23:59:59.999999999Z");
	check_prints(1500000000, "1970-01-01T00:00:01.5Z");
	pp_buf_release(&problem);
	pp_buf_release(&out);
}

int
main(void)
{
	pp_label_set_read(
	    &labels, pp_slice_z("{\"host\":\"a1.example\",\"odd key\":\"with \\\"quotes\\\" and "
	                        "\\\\\",\"service\":\"web\",\"version\":\"2.1\"}"));
	check_conditions();
	check_precedence();
	check_mistakes();
	check_depth();
	check_times();
	check_windows();
	pp_label_set_release(&labels);
	are_ids("a=b", "");
	are_ids("profile=00c0", "00c0 ");
	are_ids("a=b and (profile!=00c0 or not profile in (1, 2222)) or b=profile", "00c0 2222 1 ");
	are_ids("profile=123456 or profile=4444", "123456 ");
	are_ids("profile~\"^00\"", "");
	return tap_done();
}
