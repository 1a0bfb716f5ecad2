/*
 * Punycode (RFC 3492): characters that ASCII lacks, as numbers that say where to insert them.
 */
#include "text/punycode.h"

#include "base/slice.h"

/* RFC 3492: how far the next deltas reach. */
static size_t
puny_adapt(size_t delta, size_t points, bool first)
{
	size_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / points;
	for (; delta > 455; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* The next number that says where and what to insert; false at a byte that is no digit. */
static bool
puny_delta(struct pp_slice *s, size_t bias, size_t *delta)
{
	size_t weight = 1, k;

	*delta = 0;
	for (k = 36;; k += 36) {
		size_t limit = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias, digit;
		unsigned char c = s->n ? s->p[0] : 0;

		if (c >= 'a' && c <= 'z')
			digit = (size_t)(c - 'a');
		else if (pp_is_digit(c))
			digit = (size_t)(c - '0') + 26;
		else
			return false;
		*s = pp_slice_from(*s, 1);
		if (weight > SIZE_MAX / 2 / 36)
			return false;
		*delta += digit * weight;
		if (digit < limit)
			return true;
		weight *= 36 - limit;
	}
}

bool
pp_punycode_decode(struct pp_slice ascii, struct pp_slice coded, uint32_t points[PP_PUNYCODE_MAX],
                   size_t *count)
{
	size_t n = 0, i = 0, bias = 72, delta;
	uint64_t code = 128;

	if (ascii.n > PP_PUNYCODE_MAX)
		return false;
	for (; n < ascii.n; n++)
		points[n] = ascii.p[n];
	while (coded.n) {
		bool first = code == 128 && n == ascii.n;

		if (!puny_delta(&coded, bias, &delta) || n == PP_PUNYCODE_MAX)
			return false;
		i += delta;
		n++;
		bias = puny_adapt(delta, n, first);
		code += i / n;
		i %= n;
		if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return false;
		memmove(points + i + 1, points + i, (n - 1 - i) * sizeof *points);
		points[i++] = (uint32_t)code;
	}
	*count = n;
	return true;
}
