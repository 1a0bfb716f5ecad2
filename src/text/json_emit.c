/*
 * Writes JSON to a sink: commas and colons are placed here, keys appear in the order of the calls.
 */
#include "text/json_emit.h"

#include "base/utf8.h"
#include "text/swar.h"

static const char hex_digits[] = "0123456789abcdef";

void
pp_json_init(struct pp_json *j, struct pp_sink *out, enum pp_json_style style)
{
	*j = (struct pp_json){ .out = out, .style = style };
}

void
pp_json_end_line(struct pp_json *j)
{
	pp_sink_putc(j->out, '\n');
	j->comma = false;
}

/* What stands between two values; the value about to be written sets the bit for the next. */
static void
separate(struct pp_json *j)
{
	if (j->comma) {
		pp_sink_putc(j->out, ',');
		if (j->style == PP_JSON_SPACED)
			pp_sink_putc(j->out, ' ');
	}
	j->comma = true;
}

static void
open_bracket(struct pp_json *j, char bracket)
{
	separate(j);
	pp_sink_putc(j->out, bracket);
	j->comma = false;
}

static void
close_bracket(struct pp_json *j, char bracket)
{
	pp_sink_putc(j->out, bracket);
	j->comma = true;
}

void
pp_json_begin_object(struct pp_json *j)
{
	open_bracket(j, '{');
}

void
pp_json_end_object(struct pp_json *j)
{
	close_bracket(j, '}');
}

void
pp_json_begin_array(struct pp_json *j)
{
	open_bracket(j, '[');
}

void
pp_json_end_array(struct pp_json *j)
{
	close_bracket(j, ']');
}

/* ---- strings ---------------------------------------------------------------------------- */

/* Up to eight bytes as a word, with zeros behind them. */
static inline uint64_t
load_upto(const unsigned char *p, size_t n)
{
	if (n >= 8)
		return pp_load64(p);
	if (n >= 4)
		return pp_load32(p) | (uint64_t)pp_load32(p + n - 4) << (n - 4) * 8;
	return n ? p[0] | (uint64_t)p[n / 2] << n / 2 * 8 | (uint64_t)p[n - 1] << (n - 1) * 8 : 0;
}

/* Copies bytes that need no care, a word at a time, and returns how many there were. */
static size_t
copy_plain(struct pp_sink *out, const unsigned char *p, size_t n)
{
	size_t i = 0, plain = 8;

	while (plain == 8 && i < n) {
		/* The zeros behind the end want care. */
		uint64_t word = load_upto(p + i, n - i);
		uint64_t care = pp_swar_below(word, 0x20) | pp_swar_equal(word, '"') |
		                pp_swar_equal(word, '\\') | pp_swar_equal(word, '<') |
		                pp_swar_high(word);

		plain = pp_swar_first(care);
		if (PP_UNLIKELY(out->end - out->cur < 8)) {
			pp_sink_write(out, p + i, plain);
		} else {
			memcpy(out->cur, &word, 8);
			out->cur += plain;
		}
		i += plain;
	}
	return i;
}

static void
escape_unit(struct pp_sink *out, uint32_t code)
{
	char text[6] = { '\\', 'u' };

	text[2] = hex_digits[code >> 12 & 15];
	text[3] = hex_digits[code >> 8 & 15];
	text[4] = hex_digits[code >> 4 & 15];
	text[5] = hex_digits[code & 15];
	pp_sink_write(out, text, sizeof text);
}

static void
escape_ascii(struct pp_sink *out, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *found = c == '\\' ? from + 1 : c ? strchr(from, c) : NULL;

	if (found) {
		pp_sink_putc(out, '\\');
		pp_sink_putc(out, to[found - from]);
	} else if (c < 0x20 || c == 0x7f) {
		escape_unit(out, c);
	} else {
		pp_sink_putc(out, (char)c);
	}
}

/* Whether nothing of a character is seen, or what is seen is in another order. */
static bool
is_unseen(uint32_t code)
{
	return code == 0x200c || code == 0x200d || pp_utf8_hides(code);
}

static void
escape_code(struct pp_sink *out, uint32_t code)
{
	if (code > 0xffff) {
		escape_unit(out, 0xd7c0 + (code >> 10));
		code = 0xdc00 | (code & 0x3ff);
	}
	escape_unit(out, code);
}

/* The bytes at p that copy_plain() stopped at; returns how many it wrote, at least 1. */
static size_t
write_special(struct pp_sink *out, bool spelled, const unsigned char *p, size_t n)
{
	uint32_t code = 0;
	size_t length;

	if (p[0] == '<' && n > 1 && p[1] == '/') {
		pp_sink_write(out, "<\\/", 3);
		return 2;
	}
	if (p[0] == '<' && n > 1 && p[1] == '!') {
		escape_unit(out, '<');
		return 1;
	}
	if (p[0] < 0x80) {
		escape_ascii(out, p[0]);
		return 1;
	}
	length = pp_utf8_decode(p, n, &code);
	if (!length) {
		pp_sink_write(out, "\xef\xbf\xbd", 3);
		return 1;
	}
	if (code < 0xa0 || code == 0x2028 || code == 0x2029)
		escape_unit(out, code);
	else if (spelled && is_unseen(code))
		escape_code(out, code);
	else
		pp_sink_write(out, p, length);
	return length;
}

static void
write_string(struct pp_sink *out, bool spelled, struct pp_slice s)
{
	size_t i = 0;

	pp_sink_putc(out, '"');
	while (i < s.n) {
		i += copy_plain(out, s.p + i, s.n - i);
		if (i < s.n)
			i += write_special(out, spelled, s.p + i, s.n - i);
	}
	pp_sink_putc(out, '"');
}

void
pp_json_key_text(struct pp_json *j, struct pp_slice key)
{
	separate(j);
	write_string(j->out, j->spelled, key);
	pp_sink_putc(j->out, ':');
	if (j->style == PP_JSON_SPACED)
		pp_sink_putc(j->out, ' ');
	j->comma = false;
}

void
pp_json_key(struct pp_json *j, const char *key)
{
	pp_json_key_text(j, pp_slice_z(key));
}

void
pp_json_text(struct pp_json *j, struct pp_slice s)
{
	separate(j);
	write_string(j->out, j->spelled, s);
}

void
pp_json_textz(struct pp_json *j, const char *z)
{
	pp_json_text(j, pp_slice_z(z));
}

void
pp_json_raw_text(struct pp_json *j, struct pp_slice s)
{
	size_t i = 0, done = 0, length;
	uint32_t code;

	separate(j);
	for (; j->spelled && i < s.n; i += length ? length : 1) {
		length = s.p[i] < 0x80 ? 1 : pp_utf8_decode(s.p + i, s.n - i, &code);
		if (length < 2 || !is_unseen(code))
			continue;
		pp_sink_write(j->out, s.p + done, i - done);
		escape_code(j->out, code);
		done = i + length;
	}
	pp_sink_write(j->out, s.p + done, s.n - done);
}

void
pp_json_hex(struct pp_json *j, struct pp_slice s)
{
	size_t i;

	separate(j);
	pp_sink_putc(j->out, '"');
	for (i = 0; i < s.n; i++) {
		pp_sink_putc(j->out, hex_digits[s.p[i] >> 4]);
		pp_sink_putc(j->out, hex_digits[s.p[i] & 15]);
	}
	pp_sink_putc(j->out, '"');
}

/* ---- other values ----------------------------------------------------------------------- */

void
pp_json_u64(struct pp_json *j, uint64_t v)
{
	separate(j);
	pp_sink_u64(j->out, v);
}

void
pp_json_i64(struct pp_json *j, int64_t v)
{
	separate(j);
	if (v < 0)
		pp_sink_putc(j->out, '-');
	pp_sink_u64(j->out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void
pp_json_raw(struct pp_json *j, const char *text, size_t n)
{
	separate(j);
	pp_sink_write(j->out, text, n);
}

void
pp_json_bool(struct pp_json *j, bool v)
{
	pp_json_raw(j, v ? "true" : "false", v ? 4 : 5);
}

void
pp_json_null(struct pp_json *j)
{
	pp_json_raw(j, "null", 4);
}

/* ---- key and value ---------------------------------------------------------------------- */

void
pp_json_put_text(struct pp_json *j, const char *key, struct pp_slice s)
{
	pp_json_key(j, key);
	pp_json_text(j, s);
}

void
pp_json_put_textz(struct pp_json *j, const char *key, const char *z)
{
	pp_json_put_text(j, key, pp_slice_z(z));
}

void
pp_json_put_u64(struct pp_json *j, const char *key, uint64_t v)
{
	pp_json_key(j, key);
	pp_json_u64(j, v);
}

void
pp_json_put_i64(struct pp_json *j, const char *key, int64_t v)
{
	pp_json_key(j, key);
	pp_json_i64(j, v);
}

void
pp_json_put_bool(struct pp_json *j, const char *key, bool v)
{
	pp_json_key(j, key);
	pp_json_bool(j, v);
}

void
pp_json_put_null(struct pp_json *j, const char *key)
{
	pp_json_key(j, key);
	pp_json_null(j);
}

void
pp_json_put_raw(struct pp_json *j, const char *key, const char *text, size_t n)
{
	pp_json_key(j, key);
	pp_json_raw(j, text, n);
}

void
pp_json_put_object(struct pp_json *j, const char *key)
{
	pp_json_key(j, key);
	pp_json_begin_object(j);
}

void
pp_json_put_array(struct pp_json *j, const char *key)
{
	pp_json_key(j, key);
	pp_json_begin_array(j);
}

void
pp_json_put_name(struct pp_json *j, const char *key, struct pp_slice name)
{
	pp_json_put_text(j, key, name);
	if (pp_utf8_valid(name))
		return;
	separate(j);
	pp_sink_putc(j->out, '"');
	pp_sink_puts(j->out, key);
	pp_sink_puts(j->out, j->style == PP_JSON_SPACED ? "_hex\": " : "_hex\":");
	j->comma = false;
	pp_json_hex(j, name);
}
