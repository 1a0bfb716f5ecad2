/* UTF-8: every code point there and back, and everything that is not one refused. */
#include "tap.h"

#include "base/utf8.h"

static void
check_round_trip(void)
{
	unsigned wrong = 0;
	uint32_t code;

	for (code = 0; code <= 0x10ffff; code++) {
		unsigned char bytes[4];
		uint32_t back = UINT32_MAX;
		size_t n = pp_utf8_encode(code, bytes);
		bool surrogate = code >= 0xd800 && code <= 0xdfff;

		if (surrogate)
			wrong += pp_utf8_decode(bytes, n, &back) != 0;
		else
			wrong += pp_utf8_decode(bytes, n, &back) != n || back != code ||
			         (n > 1 && pp_utf8_decode(bytes, n - 1, &back) != 0);
	}
	is_u64(wrong, 0, "every code point");
}

/* Of all sequences of two and three bytes, exactly the encodings are valid. */
static void
check_short_sequences(void)
{
	unsigned valid2 = 0, valid3 = 0;
	uint32_t i, code;

	for (i = 0; i < 0x10000; i++) {
		unsigned char bytes[2] = { (unsigned char)(i >> 8), (unsigned char)i };

		valid2 += pp_utf8_decode(bytes, 2, &code) == 2;
	}
	for (i = 0; i < 0x1000000; i++) {
		unsigned char bytes[3] = { (unsigned char)(i >> 16), (unsigned char)(i >> 8),
			                   (unsigned char)i };

		valid3 += bytes[0] >= 0xe0 && pp_utf8_decode(bytes, 3, &code) == 3;
	}
	is_u64(valid2, 0x800 - 0x80, "two bytes");
	is_u64(valid3, 0x10000 - 0x800 - 0x800, "three bytes");
}

static void
check_valid(const char *text, size_t n, bool valid, const char *scrubbed)
{
	struct pp_buf b = { 0 };

	ok(pp_utf8_valid(pp_slice_of(text, n)) == valid, "%s", valid ? "valid" : "not valid");
	pp_utf8_scrub(&b, pp_slice_of(text, n));
	is_slice_z(pp_slice_of(b.p, b.n), scrubbed, "scrubbed");
	pp_buf_release(&b);
}

int
main(void)
{
	check_round_trip();
	check_short_sequences();
	check_valid("", 0, true, "");
	check_valid("plain ASCII, longer than a word", 31, true, "plain ASCII, longer than a word");
	check_valid("ASCII with \xc3\xbc late", 18, true, "ASCII with \xc3\xbc late");
	check_valid("12345678\xff", 9, false, "12345678\xef\xbf\xbd");
	check_valid("\xe2\x82", 2, false, "\xef\xbf\xbd\xef\xbf\xbd");
	check_valid("\xf8\x88\x80\x80\x80", 5, false,
	            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	is_i64(pp_utf8_width('a'), 1, "width of a letter");
	is_i64(pp_utf8_width(0x301), 0, "width of a combining mark");
	is_i64(pp_utf8_width(0x6f22), 2, "width of a Chinese character");
	is_i64(pp_utf8_width(0x1f525), 2, "width of a flame");
	return tap_done();
}
