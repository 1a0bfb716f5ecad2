/*
 * Base64 without line breaks, padded with '='.
 */
#include "text/base64.h"

void
pp_base64_put(char *to, const void *bytes, size_t n)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
		             (i + 2 < n ? p[i + 2] : 0u);

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[v & 63] : '=';
	}
}

static int
base64_digit(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool
pp_base64_take(struct pp_buf *out, struct pp_slice text)
{
	unsigned char *to = (unsigned char *)pp_buf_room(out, text.n / 4 * 3 + 4);
	size_t i, n = text.n;
	uint32_t v = 0;
	unsigned bits = 0;

	if (n % 4)
		return false;
	if (!to)
		return true; /* out->failed says it */
	while (n && text.n - n < 2 && text.p[n - 1] == '=')
		n--;
	for (i = 0; i < n; i++) {
		int digit = base64_digit(text.p[i]);

		if (digit < 0)
			return false;
		v = v << 6 | (uint32_t)digit;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			*to++ = (unsigned char)(v >> bits);
			out->n++;
		}
	}
	return true;
}

bool
pp_base64_take_any(struct pp_buf *out, struct pp_slice text)
{
	struct pp_buf plain = { 0 };
	bool fine;
	size_t i;

	pp_buf_add(&plain, text.p, text.n);
	for (i = 0; i < plain.n; i++)
		plain.p[i] = (char)(plain.p[i] == '-' ? '+' : plain.p[i] == '_' ? '/' : plain.p[i]);
	while (plain.n % 4 && !plain.failed)
		pp_buf_addc(&plain, '=');
	fine = pp_base64_take(out, pp_slice_of(plain.p ? plain.p : "", plain.n));
	out->failed |= plain.failed;
	pp_buf_release(&plain);
	return fine;
}
