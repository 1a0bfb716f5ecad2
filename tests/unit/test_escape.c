/* Escaping for XML, terminals and CSV: hostile bytes must come out harmless. */
#include "tap.h"

#include "text/escape.h"

static void
check_sink(void (*escape)(struct pp_sink *, struct pp_slice), const void *bytes, size_t n,
           const char *expected, const char *what)
{
	struct pp_buf buf = { 0 };
	struct pp_sink *sink;

	if (pp_sink_buffer(&buf, &sink) != PP_OK)
		abort();
	escape(sink, pp_slice_of(bytes, n));
	ok(pp_sink_commit(sink) == PP_OK, "%s: written", what);
	is_slice_z(pp_slice_of(buf.p, buf.n), expected, "%s", what);
	pp_sink_close(sink);
	pp_buf_release(&buf);
}

#define XML(bytes, expected, what)                                                                 \
	check_sink(pp_escape_xml, bytes, sizeof(bytes) - 1, expected, "XML: " what)
#define CSV(bytes, expected, what)                                                                 \
	check_sink(pp_escape_csv, bytes, sizeof(bytes) - 1, expected, "CSV: " what)

#define CSV_TEXT(bytes, expected, what)                                                            \
	check_sink(pp_escape_csv_text, bytes, sizeof(bytes) - 1, expected, "CSV text: " what)
#define CODE(bytes, expected, what)                                                                \
	check_sink(pp_escape_markdown_code, bytes, sizeof(bytes) - 1, expected, "Markdown: " what)

#define MARKDOWN(bytes, expected, what)                                                            \
	check_sink(pp_escape_markdown, bytes, sizeof(bytes) - 1, expected, "Markdown: " what)

static void
check_terminal(const void *bytes, size_t n, const char *expected, size_t columns, const char *what)
{
	struct pp_buf buf = { 0 };

	is_u64(pp_escape_terminal(&buf, pp_slice_of(bytes, n)), columns, "terminal: %s: columns",
	       what);
	is_slice_z(pp_slice_of(buf.p, buf.n), expected, "terminal: %s", what);
	pp_buf_release(&buf);
}

#define TERMINAL(bytes, expected, columns, what)                                                   \
	check_terminal(bytes, sizeof(bytes) - 1, expected, columns, what)

int
main(void)
{
	XML("", "", "empty");
	XML("std::vector<int>::at(int) && 'x' \"y\"",
	    "std::vector&lt;int&gt;::at(int) &amp;&amp; &#39;x&#39; &quot;y&quot;", "markup");
	XML("]]></title><script>", "]]&gt;&lt;/title&gt;&lt;script&gt;", "injection");
	XML("a\tb\nc\rd", "a&#9;b&#10;c&#13;d", "white space survives");
	XML("\0\x01\x1b[31m\x1f", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd",
	    "controls");
	XML("gr\xc3\xbc\xf0\x9f\x94\xa5", "gr\xc3\xbc\xf0\x9f\x94\xa5", "UTF-8");
	XML("a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd", "stray bytes");
	XML("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "a surrogate");
	XML("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
	    "non-characters");

	CSV_TEXT("", "", "empty");
	CSV_TEXT("a=b", "a=b", "plain");
	CSV_TEXT("=1+2", "'=1+2", "a formula");
	CSV_TEXT("-f", "'-f", "a minus");
	CSV_TEXT("+f", "'+f", "a plus");
	CSV_TEXT("@sum(A1, A2)", "\"'@sum(A1, A2)\"", "a function, quoted");
	CSV_TEXT("\t=1", "'\t=1", "a tab");
	CSV_TEXT("\r=1", "\"'\r=1\"", "a return");
	CSV_TEXT("\xef\xbc\x9d"
	         "1",
	         "'\xef\xbc\x9d"
	         "1",
	         "a wide sign");

	CODE("", "", "no code");
	CODE("a*b_c[d](e)<f>", "`a*b_c[d](e)<f>`", "markup is code");
	CODE("a|b", "`a\\|b`", "a cell's end");
	CODE("a`b", "``a`b``", "a backtick");
	CODE("``a`", "``` ``a` ```", "backticks at the ends");
	CODE(" a", "`  a `", "a blank at the start");
	CODE("  ", "`  `", "nothing but blanks");
	CODE("a\\|b", "`a\\\\x7cb`", "a bar behind a backslash");
	CODE("a\nb\x7f\xe2\x80\xae"
	     "c",
	     "`a\\x0ab\\x7f\\u{202e}c`", "controls are spelled");

	MARKDOWN("+1.5 ms (-30.0%), 1,000", "+1.5 ms (-30.0%), 1,000", "numbers are as they are");
	MARKDOWN("+ a - b . c", "\\+ a \\- b \\. c", "signs that could be lists");
	MARKDOWN("12) a) b", "12\\) a) b", "a list by a parenthesis");
	MARKDOWN("1. a", "1\\. a", "a list by a point");
	MARKDOWN("[a](b)|<c>`d`www.e", "\\[a\\](b)\\|\\<c\\>\\`d\\`www\\.e", "markup");

	CSV("", "", "empty");
	CSV("main", "main", "plain");
	CSV("f(int, int)", "\"f(int, int)\"", "comma");
	CSV("say \"hi\"", "\"say \"\"hi\"\"\"", "quotes");
	CSV("a\nb", "\"a\nb\"", "newline");
	CSV("a\rb", "\"a\rb\"", "carriage return");
	CSV(" a", "\" a\"", "leading blank");
	CSV("a\xff,", "\"a\xef\xbf\xbd,\"", "stray byte");

	TERMINAL("", "", 0, "empty");
	TERMINAL("App\\Http::run", "App\\Http::run", 13, "plain");
	TERMINAL("\x1b]0;x\x07", "\\x1b]0;x\\x07", 12, "escape sequences");
	TERMINAL("a\0b\nc\x7f", "a\\x00b\\x0ac\\x7f", 15, "control bytes");
	TERMINAL("\xc2\x9b\x31m", "\\u{9b}1m", 8, "C1 controls");
	TERMINAL("a\xff\xe2\x82", "a\\xff\\xe2\\x82", 13, "stray bytes");
	TERMINAL("\xe2\x80\xae"
	         "drawkcab",
	         "\\u{202e}drawkcab", 16, "bidirectional override");
	TERMINAL("\xe2\x81\xa6", "\\u{2066}", 8, "isolate");
	TERMINAL("\xd8\x9c\xef\xbb\xbf", "\\u{61c}\\u{feff}", 15, "marks");
	TERMINAL("\xf3\xa0\x81\x81", "\\u{e0041}", 9, "tags");
	TERMINAL("\xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2\xe5\xad\x97", 4, "wide characters");
	TERMINAL("e\xcc\x81", "e\xcc\x81", 1, "combining mark");
	return tap_done();
}
