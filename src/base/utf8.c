/*
 * UTF-8: validation, decoding, display width, and a faithful rendering of arbitrary bytes.
 */
#include "base/utf8.h"

size_t
pp_utf8_decode(const unsigned char *p, size_t n, uint32_t *code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t value;
	size_t length, i;

	if (p[0] < 0x80) {
		*code = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (n < length)
		return 0;
	value = p[0] & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3fu);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code = value;
	return length;
}

size_t
pp_utf8_encode(uint32_t code, unsigned char out[4])
{
	if (code < 0x80) {
		out[0] = (unsigned char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (unsigned char)(0xc0 | code >> 6);
		out[1] = (unsigned char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (unsigned char)(0xe0 | code >> 12);
		out[1] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (unsigned char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (unsigned char)(0xf0 | code >> 18);
	out[1] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (unsigned char)(0x80 | (code & 0x3f));
	return 4;
}

/* Bytes from the start that are ASCII, eight at a time. */
static size_t
ascii_run(struct pp_slice s)
{
	size_t i = 0;

	while (i + 8 <= s.n && !(pp_load64(s.p + i) & 0x8080808080808080u))
		i += 8;
	while (i < s.n && s.p[i] < 0x80)
		i++;
	return i;
}

bool
pp_utf8_valid(struct pp_slice s)
{
	size_t i = ascii_run(s);
	uint32_t code;

	while (i < s.n) {
		size_t n = pp_utf8_decode(s.p + i, s.n - i, &code);

		if (!n)
			return false;
		i += n;
	}
	return true;
}

void
pp_utf8_scrub(struct pp_buf *b, struct pp_slice s)
{
	size_t i = ascii_run(s);
	uint32_t code;

	pp_buf_add(b, s.p, i);
	while (i < s.n) {
		size_t n = pp_utf8_decode(s.p + i, s.n - i, &code);

		if (n)
			pp_buf_add(b, s.p + i, n);
		else
			pp_buf_add(b, "\xef\xbf\xbd", 3);
		i += n ? n : 1;
	}
}

int
pp_utf8_width(uint32_t code)
{
	/* First and last code points of what takes no column, then of what takes two. */
	static const uint32_t zero[][2] = {
		{ 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
		{ 0x64b, 0x65f },   { 0x200b, 0x200f }, { 0x202a, 0x202e }, { 0x2060, 0x2064 },
		{ 0x2066, 0x206f }, { 0x20d0, 0x20f0 }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
		{ 0xfeff, 0xfeff }
	};
	static const uint32_t wide[][2] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0x303e },  { 0x3041, 0x33ff }, { 0x3400, 0x4dbf },
		{ 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },  { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },  { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
		{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd }
	};
	size_t i;

	if (code < 0x300)
		return 1;
	for (i = 0; i < PP_COUNT_OF(zero); i++)
		if (code >= zero[i][0] && code <= zero[i][1])
			return 0;
	for (i = 0; i < PP_COUNT_OF(wide); i++)
		if (code >= wide[i][0] && code <= wide[i][1])
			return 2;
	return 1;
}

bool
pp_utf8_hides(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0x80, 0x9f },     /* C1 controls */
		{ 0xad, 0xad },     /* soft hyphen */
		{ 0x34f, 0x34f },   /* combining grapheme joiner */
		{ 0x61c, 0x61c },   /* Arabic letter mark */
		{ 0x115f, 0x1160 }, /* Hangul fillers */
		{ 0x17b4, 0x17b5 }, /* Khmer inherent vowels */
		{ 0x180e, 0x180e }, /* Mongolian vowel separator */
		{ 0x200b,
		  0x200b }, /* zero width space; the joiners after it are ordinary spelling */
		{ 0x200e, 0x200f },   /* direction marks */
		{ 0x2028, 0x202e },   /* separators, embeddings, overrides */
		{ 0x2060, 0x206f },   /* invisible operators, isolates */
		{ 0x3164, 0x3164 },   /* Hangul filler */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xffa0, 0xffa0 },   /* halfwidth Hangul filler */
		{ 0xfff0, 0xfffb },   /* unassigned ignorable ones, interlinear annotation */
		{ 0x1bca0, 0x1bca3 }, /* shorthand format controls */
		{ 0x1d173, 0x1d17a }, /* musical format controls */
		{ 0xe0000, 0xe0fff }, /* tags */
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(ranges) && code >= ranges[i][0]; i++)
		if (code <= ranges[i][1])
			return true;
	return false;
}
