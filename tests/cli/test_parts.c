/*
 * The parts of the command line that are easier to test one by one: the option parser, suggestions,
 * units, tables.
 */
#include <limits.h>

#include "cli/opts.h"
#include "text/suggest.h"
#include "io/sink.h"
#include "text/units.h"
#include "output/render.h"
#include "tap.h"

/* ---- a command table of our own ---- */

static const struct pp_param test_options[] = {
	{ "flag", 'f', PP_PARAM_FLAG, NULL, "", PP_HINT_NONE, 0 },
	{ "loud", 'l', PP_PARAM_FLAG, NULL, "", PP_HINT_NONE, 0 },
	{ "text", 't', PP_PARAM_TEXT, "TEXT", "", PP_HINT_NONE, 0 },
	{ "count", 'c', PP_PARAM_COUNT, "N", "", PP_HINT_NONE, 0 },
	{ "choice", 0, PP_PARAM_CHOICE, "one|two|three", "", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group test_group = { "Test", test_options };
static const struct pp_param_group *const test_groups[] = { &test_group, NULL };
static const struct pp_command test_command = { .name = "test", .groups = test_groups };
static const struct pp_command second_command = { .name = "completion" };

const struct pp_command *const pp_commands[] = { &test_command, &second_command, NULL };

/* ---- the parser ---- */

struct parsed {
	struct pp_args args;
	struct pp_buf problem;
	bool fine;
};

/* Splits a line at blanks; the pieces live as long as the line. */
static struct parsed
parse(char *line)
{
	struct parsed p = { .fine = false };
	char *argv[16];
	int argc = 0;

	for (line = strtok(line, " "); line; line = strtok(NULL, " "))
		argv[argc++] = line;
	p.fine = pp_args_parse(&p.args, &test_command, argc, argv, &p.problem);
	return p;
}

static void
parsed_release(struct parsed *p)
{
	pp_args_release(&p->args);
	pp_buf_release(&p->problem);
}

static void
test_parser(void)
{
	char many[] = "-flt value --count=3 word --choice two -c4 - -- -f --flag";
	char negative[] = "--text -5 -c 0";
	struct parsed p = parse(many);

	ok(p.fine, "a line with everything parses");
	ok(pp_args_flag(&p.args, "flag") && pp_args_flag(&p.args, "loud"), "letters in a group");
	ok(strcmp(pp_args_text(&p.args, "text"), "value") == 0,
	   "the last of a group takes a value");
	ok(strcmp(pp_args_text(&p.args, "count"), "4") == 0, "the last value wins");
	ok(strcmp(pp_args_text(&p.args, "choice"), "two") == 0, "a choice");
	ok(p.args.words.n == 4 && strcmp(p.args.words.at[1], "-") == 0, "a dash is a word");
	ok(strcmp(p.args.words.at[2], "-f") == 0, "words behind --");
	parsed_release(&p);

	p = parse(negative);
	ok(p.fine && strcmp(pp_args_text(&p.args, "text"), "-5") == 0,
	   "a value may start with a dash");
	ok(strcmp(pp_args_text(&p.args, "count"), "0") == 0, "zero");
	ok(!pp_args_flag(&p.args, "loud") && pp_args_text(&p.args, "choice") == NULL, "not given");
	ok(!pp_args_text(&p.args, "limit"), "the default");
	parsed_release(&p);
}

static void
test_refusals(void)
{
	static const struct {
		const char *line, *problem;
	} cases[] = {
		{ "--flg", "unknown option '--flg'; did you mean '--flag'?" },
		{ "--zzzzzz", "unknown option '--zzzzzz'" },
		{ "-fz", "unknown option '-z'" },
		{ "--flag=1", "--flag takes no value" },
		{ "--text", "--text needs a value (TEXT)" },
		{ "-ft", "--text needs a value (TEXT)" },
		{ "--count=1x", "--count needs a whole number, not '1x'" },
		{ "--count=18446744073709551616",
		  "--count needs a whole number, not '18446744073709551616'" },
		{ "--choice=thre",
		  "--choice is one of one|two|three, not 'thre'; did you mean 'three'?" },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(cases); i++) {
		char line[64];
		struct parsed p;

		snprintf(line, sizeof line, "%s", cases[i].line);
		p = parse(line);
		ok(!p.fine, "%s is refused", cases[i].line);
		ok(p.problem.p && strcmp(p.problem.p, cases[i].problem) == 0,
		   "and the reason said: %s", p.problem.p ? p.problem.p : "");
		parsed_release(&p);
	}
}

static void
test_first_word(void)
{
	char a[] = "-f", b[] = "-t", c[] = "value", d[] = "word", e[] = "--text=x", f[] = "--",
	     g[] = "-c3";
	char *spaced[] = { a, b, c, d }, *attached[] = { e, g, d }, *marked[] = { a, f, b };

	ok(pp_args_first_word(4, spaced) == 3, "the value of an option is not the first word");
	ok(pp_args_first_word(3, attached) == 2, "attached values");
	ok(pp_args_first_word(3, marked) == 2, "behind --");
	ok(pp_args_first_word(1, spaced) == 1, "no word at all");
}

/* ---- suggestions ---- */

static bool
suggests(const char *typed, const char *known)
{
	struct pp_suggest s;

	pp_suggest_init(&s, pp_slice_z(typed));
	pp_suggest_offer(&s, pp_slice_z(known));
	return pp_suggest_found(&s);
}

static void
test_suggestions(void)
{
	char longest[400];
	struct pp_suggest s;

	ok(suggests("tpo", "top"), "swapped letters");
	ok(suggests("chek", "check"), "a letter missing");
	ok(suggests("TOP", "top"), "case");
	ok(suggests("comp", "completion"), "the beginning of a word");
	ok(!suggests("xyz", "top"), "nothing alike");
	ok(!suggests("a", "b"), "one letter is no hint");
	memset(longest, 'a', sizeof longest);
	pp_suggest_init(&s, pp_slice_of(longest, sizeof longest));
	pp_suggest_offer(&s, pp_slice_of(longest, sizeof longest - 1));
	ok(!pp_suggest_found(&s), "overlong words are left alone");
	pp_suggest_init(&s, pp_slice_z("tst"));
	pp_suggest_offer(&s, pp_slice_z("test"));
	pp_suggest_offer(&s, pp_slice_z("tent"));
	ok(pp_slice_eq_z(s.best, "test"), "the nearest, and of equals the first");
}

/* ---- units ---- */

static void
check_unit(const char *unit, double value, const char *text)
{
	struct pp_buf buf = { 0 };

	pp_units_value(&buf, pp_slice_z(unit), value);
	ok(buf.p && strcmp(buf.p, text) == 0, "%g %s is %s, got %s", value, unit, text,
	   buf.p ? buf.p : "nothing");
	pp_buf_release(&buf);
}

static void
check_share(double part, double whole, const char *text)
{
	struct pp_buf buf = { 0 };

	pp_units_share(&buf, part, whole);
	ok(strcmp(buf.p ? buf.p : "", text) == 0, "%g of %g is '%s'", part, whole, text);
	pp_buf_release(&buf);
}

static void
test_units(void)
{
	check_unit("ns", 0, "0 ns");
	check_unit("ns", 999, "999 ns");
	check_unit("ns", 1000, "1.00 µs");
	check_unit("ns", 999999, "1.00 ms");
	check_unit("ns", 125456, "125 µs");
	check_unit("ns", 12.5e6, "12.5 ms");
	check_unit("ns", 1.25e9, "1.25 s");
	check_unit("ns", 150e9, "2 min 30 s");
	check_unit("ns", 7320e9, "2 h 02 min");
	check_unit("ns", -2500000, "-2.50 ms");
	check_unit("bytes", 512, "512 B");
	check_unit("bytes", 3072, "3.00 KiB");
	check_unit("bytes", -1536.0 * 1024, "-1.50 MiB");
	check_unit("samples", 1234567, "1,234,567");
	check_unit("samples", -1234, "-1,234");
	check_unit("samples", 12345678, "12.3M");
	check_unit("samples", 18446744073709551615.0, "18.4E");
	check_unit("samples", 0.5, "0.50");
	check_share(1, 3, "33.3%");
	check_share(1, 1e6, "<0.1%");
	check_share(-1, 4, "-25.0%");
	check_share(5, 0, "");
	check_share(5, -1, "");
}

/* ---- text ---- */

static void
check_short(const char *text, size_t columns, const char *expected)
{
	struct pp_buf buf = { 0 };
	size_t taken = pp_text_shorten(&buf, text, strlen(text), columns);

	ok(strcmp(buf.p ? buf.p : "", expected) == 0, "%s in %zu columns: %s", text, columns,
	   buf.p ? buf.p : "");
	ok(taken <= columns && taken == pp_text_columns(buf.p, buf.n), "%zu columns taken", taken);
	pp_buf_release(&buf);
}

static void
test_text(void)
{
	check_short("abcdefghij", 10, "abcdefghij");
	check_short("abcdefghij", 7, "abc…hij");
	check_short("abcdefghij", 6, "ab…hij");
	check_short("abcdefghij", 1, "…");
	check_short("abcdefghij", 0, "");
	/* Wide characters are never cut in halves. */
	check_short("漢字漢字漢字", 7, "漢…字");
	check_short("漢字漢字漢字", 6, "漢…字");
}

/* ---- tables ---- */

static const char *const cells[][2] = { { "10", "plain" },
	                                { "2000", "a \"quoted\", name" },
	                                { "3", "" } };

static void
cell_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(cells[row][arg]));
}

static void
nothing_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
}

static const struct pp_answer_column columns[] = {
	{ .key = "number",
	  .title = "n",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_RIGHT,
	  .get = cell_get },
	{ .title = "none", .as = PP_AS_TEXT, .get = nothing_get },
	{ .title = "spare column", .as = PP_AS_TEXT, .drop = 1, .get = cell_get },
	{ .key = "words",
	  .title = "words",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_FLEX,
	  .arg = 1,
	  .get = cell_get },
};

static void
check_table(unsigned width, bool csv, const char *expected)
{
	struct pp_answer_table table = { .columns = columns,
		                         .column_count = PP_COUNT_OF(columns),
		                         .rows = PP_COUNT_OF(cells) };
	struct pp_render_opts opts = { .form = csv ? PP_FORM_CSV : PP_FORM_TEXT,
		                       .style.width = width };
	struct pp_buf buf = { 0 };
	struct pp_sink *sink = NULL;
	struct pp_answer a;

	pp_answer_init(&a);
	pp_answer_table(&a, &table);
	ok(pp_sink_buffer(&buf, &sink) == PP_OK, "a sink");
	ok(pp_render(&a, &opts, sink, NULL) == PP_OK, "rendered");
	ok(pp_sink_commit(sink) == PP_OK, "committed");
	if (!ok(buf.p && strcmp(buf.p, expected) == 0, "table of width %u", width))
		tap_show("got", buf.p, buf.n);
	pp_sink_close(sink);
	pp_buf_release(&buf);
	pp_answer_release(&a);
}

static void
test_tables(void)
{
	check_table(0, false,
	            "     n  spare column  words\n"
	            "    10  10            plain\n"
	            "  2000  2000          a \"quoted\", name\n"
	            "     3  3\n");
	check_table(30, false,
	            "     n  words\n"
	            "    10  plain\n"
	            "  2000  a \"quoted\", name\n"
	            "     3\n");
	check_table(18, false,
	            "     n  words\n"
	            "    10  plain\n"
	            "  2000  a \"q… name\n"
	            "     3\n");
	check_table(0, true, "number,words\n10,plain\n2000,\"a \"\"quoted\"\", name\"\n3,\n");
}

int
main(void)
{
	test_parser();
	test_refusals();
	test_first_word();
	test_suggestions();
	test_units();
	test_text();
	test_tables();
	return tap_done();
}
