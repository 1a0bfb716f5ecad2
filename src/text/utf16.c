/*
 * UTF-16 to UTF-8.
 */
#include "text/utf16.h"

#include "base/utf8.h"

#define REPLACEMENT 0xfffdu

static uint32_t
unit_at(struct pp_slice s, size_t i, bool big_endian)
{
	return big_endian ? (uint32_t)s.p[i] << 8 | s.p[i + 1] : (uint32_t)s.p[i + 1] << 8 | s.p[i];
}

void
pp_utf16_decode(struct pp_buf *out, struct pp_slice bytes, bool big_endian, uint64_t *bad)
{
	unsigned char utf8[4];
	size_t i = 0;

	while (i + 1 < bytes.n) {
		uint32_t code = unit_at(bytes, i, big_endian);

		i += 2;
		if (code >= 0xd800 && code <= 0xdbff && i + 1 < bytes.n) {
			uint32_t low = unit_at(bytes, i, big_endian);

			if (low >= 0xdc00 && low <= 0xdfff) {
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		if (code >= 0xd800 && code <= 0xdfff) {
			code = REPLACEMENT;
			++*bad;
		}
		pp_buf_add(out, utf8, pp_utf8_encode(code, utf8));
	}
	if (i < bytes.n) {
		pp_buf_add(out, utf8, pp_utf8_encode(REPLACEMENT, utf8));
		++*bad;
	}
}
