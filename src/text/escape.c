/*
 * Makes any bytes safe for where they go: XML and HTML, a terminal, CSV.
 */
#include "text/escape.h"

#include "base/slice.h"
#include "base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* ---- XML -------------------------------------------------------------------------------- */

/* What an ASCII character becomes in XML; NULL = itself. */
static const char *
xml_entity(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return c < 0x20 ? replacement : NULL;
	}
}

void
pp_escape_xml(struct pp_sink *out, struct pp_slice s)
{
	size_t done = 0, i = 0;

	if (s.n == 0)
		return;
	while (i < s.n) {
		const char *instead = NULL;
		size_t length = 1;
		uint32_t code;

		if (s.p[i] < 0x80) {
			instead = xml_entity(s.p[i]);
		} else {
			length = pp_utf8_decode(s.p + i, s.n - i, &code);
			if (!length || code == 0xfffe || code == 0xffff)
				instead = replacement;
			length += !length;
		}
		if (instead) {
			pp_sink_write(out, s.p + done, i - done);
			pp_sink_puts(out, instead);
			done = i + length;
		}
		i += length;
	}
	pp_sink_write(out, s.p + done, s.n - done);
}

/* ---- terminal --------------------------------------------------------------------------- */

size_t
pp_escape_terminal(struct pp_buf *b, struct pp_slice s)
{
	size_t columns = 0, done = 0, i = 0;

	if (s.n == 0)
		return 0;
	while (i < s.n) {
		uint32_t code = s.p[i];
		size_t length = code < 0x80 ? 1 : pp_utf8_decode(s.p + i, s.n - i, &code);
		size_t before;

		if (length && code >= 0x20 && code != 0x7f && !pp_utf8_hides(code)) {
			columns += (size_t)pp_utf8_width(code);
			i += length;
			continue;
		}
		pp_buf_add(b, s.p + done, i - done);
		before = b->n;
		if (length && code >= 0x80)
			pp_buf_addf(b, "\\u{%x}", (unsigned)code);
		else
			pp_buf_addf(b, "\\x%02x", s.p[i]);
		columns += b->n - before;
		i += length ? length : 1;
		done = i;
	}
	pp_buf_add(b, s.p + done, s.n - done);
	return columns;
}

/* ---- CSV -------------------------------------------------------------------------------- */

static bool
csv_must_quote(struct pp_slice s)
{
	size_t i;

	if (s.n && (s.p[0] == ' ' || s.p[s.n - 1] == ' '))
		return true;
	for (i = 0; i < s.n; i++)
		if (s.p[i] == ',' || s.p[i] == '"' || s.p[i] == '\n' || s.p[i] == '\r')
			return true;
	return false;
}

void
pp_escape_csv(struct pp_sink *out, struct pp_slice s)
{
	bool quote = csv_must_quote(s);
	size_t i = 0;

	if (quote)
		pp_sink_putc(out, '"');
	while (i < s.n) {
		uint32_t code;
		size_t length = pp_utf8_decode(s.p + i, s.n - i, &code);

		if (!length)
			pp_sink_write(out, replacement, 3);
		else if (length == 1 && code == '"')
			pp_sink_write(out, "\"\"", 2);
		else
			pp_sink_write(out, s.p + i, length);
		i += length ? length : 1;
	}
	if (quote)
		pp_sink_putc(out, '"');
}

/* Whether a spreadsheet would take the text for a formula; the wide forms of the signs are signs to some. */
static bool
csv_looks_computed(struct pp_slice s)
{
	static const char *const starts[] = { "=",  "+",  "-",  "@",  "\t", "\r",
		                              "\n", "＝", "＋", "－", "＠" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(starts); i++)
		if (pp_slice_starts(s, starts[i]))
			return true;
	return false;
}

void
pp_escape_csv_text(struct pp_sink *out, struct pp_slice s)
{
	struct pp_buf tame = { 0 };

	if (!csv_looks_computed(s)) {
		pp_escape_csv(out, s);
		return;
	}
	pp_buf_addc(&tame, '\'');
	pp_buf_add(&tame, s.p, s.n);
	pp_escape_csv(out, pp_slice_of(tame.p, tame.n));
	if (tame.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

/* ---- Markdown --------------------------------------------------------------------------- */

void
pp_escape_markdown_code(struct pp_sink *out, struct pp_slice s)
{
	struct pp_buf tame = { 0 };
	size_t i, run = 0, longest = 0;
	const char *blank;

	pp_escape_terminal(&tame, s);
	for (i = 0; i < tame.n; i++) {
		run = tame.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	/* A code span loses one blank at either end if it has both: give those that need it one more. */
	blank = tame.n && strspn(tame.p, " ") < tame.n &&
	                (strchr("` ", tame.p[0]) || strchr("` ", tame.p[tame.n - 1]))
	            ? " "
	            : "";
	for (i = 0; tame.n && i <= longest; i++)
		pp_sink_putc(out, '`');
	pp_sink_puts(out, blank);
	for (i = 0; i < tame.n; i++) {
		/* Tables end a cell at a bar behind two backslashes. */
		if (tame.p[i] == '|' && i > 0 && tame.p[i - 1] == '\\') {
			pp_sink_puts(out, "\\x7c");
			continue;
		}
		if (tame.p[i] == '|')
			pp_sink_putc(out, '\\');
		pp_sink_putc(out, tame.p[i]);
	}
	pp_sink_puts(out, blank);
	for (i = 0; tame.n && i <= longest; i++)
		pp_sink_putc(out, '`');
	if (tame.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

/*
 * Whether a character could be markup where it stands: signs and points of numbers are none. The text begins with so
 * many digits, behind which a parenthesis would make a list.
 */
static bool
is_markup(const struct pp_buf *text, size_t i, size_t digits)
{
	char c = text->p[i];

	switch (c) {
	case '+':
	case '-':
		return !pp_is_digit((unsigned char)text->p[i + 1]);
	case '.':
		if (text->p[i + 1] == '.' || (i > 0 && text->p[i - 1] == '.'))
			return false;
		return i == 0 || !pp_is_digit((unsigned char)text->p[i - 1]) ||
		       !pp_is_digit((unsigned char)text->p[i + 1]);
	case ')':
		return i == digits;
	default:
		return c && strchr("\\`*_{}[]#!|<>~&$@", c);
	}
}

void
pp_escape_markdown(struct pp_sink *out, struct pp_slice s)
{
	struct pp_buf tame = { 0 };
	size_t i, digits;

	pp_escape_terminal(&tame, s);
	digits = tame.n ? strspn(tame.p, "0123456789") : 0;
	for (i = 0; i < tame.n; i++) {
		if (is_markup(&tame, i, digits))
			pp_sink_putc(out, '\\');
		pp_sink_putc(out, tame.p[i]);
	}
	if (tame.failed)
		pp_sink_fail(out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

/* ---- columns of a terminal ---- */

/* Decodes one character of text that is known to be UTF-8; anything else counts as one column. */
static size_t
text_step(const char *text, size_t n, size_t *columns)
{
	uint32_t code;
	size_t length = pp_utf8_decode((const unsigned char *)text, n, &code);

	*columns = length ? (size_t)pp_utf8_width(code) : 1;
	return length ? length : 1;
}

size_t
pp_text_columns(const char *text, size_t n)
{
	size_t columns = 0, at = 0, width;

	while (at < n) {
		at += text_step(text + at, n - at, &width);
		columns += width;
	}
	return columns;
}

#define ELLIPSIS "…"

static size_t
begins_short(const char *text, size_t n)
{
	return n >= sizeof ELLIPSIS - 1 && memcmp(text, ELLIPSIS, sizeof ELLIPSIS - 1) == 0;
}

static size_t
ends_short(const char *text, size_t n)
{
	size_t size = sizeof ELLIPSIS - 1;

	return n >= size && begins_short(text + n - size, size);
}

size_t
pp_text_shorten(struct pp_buf *out, const char *text, size_t n, size_t columns)
{
	size_t all = pp_text_columns(text, n);
	size_t head, tail, at = 0, taken = 0, width, step;

	if (all <= columns) {
		pp_buf_add(out, text, n);
		return all;
	}
	if (columns == 0)
		return 0;
	/* The ellipsis takes one column; the tail gets the odd one, as names differ more at their ends. */
	head = (columns - 1) / 2;
	tail = columns - 1 - head;
	for (width = 0; at < n; at += step, taken += width) {
		step = text_step(text + at, n - at, &width);
		if (taken + width > head)
			break;
	}
	/* Where something was left out before, one ellipsis says it. */
	head = taken - ends_short(text, at);
	pp_buf_add(out, text, at - ends_short(text, at) * (sizeof ELLIPSIS - 1));
	pp_buf_adds(out, ELLIPSIS);
	/* `taken` are the columns before `at`: skip until what follows fits the tail. */
	while (at < n && (all - taken > tail || begins_short(text + at, n - at))) {
		at += text_step(text + at, n - at, &width);
		taken += width;
	}
	pp_buf_add(out, text + at, n - at);
	return head + 1 + (all - taken);
}
