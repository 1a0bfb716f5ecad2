/*
 * Numbers from and to text: exact, bounded, independent of the locale.
 */
#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool
pp_num_u64(struct pp_slice s, uint64_t *out)
{
	uint64_t value = 0;
	size_t i;

	if (s.n == 0)
		return false;
	for (i = 0; i < s.n; i++) {
		unsigned digit = (unsigned)s.p[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*out = value;
	return true;
}

bool
pp_num_i64(struct pp_slice s, int64_t *out)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	uint64_t magnitude;

	if (!pp_num_u64(negative ? pp_slice_of(s.p + 1, s.n - 1) : s, &magnitude))
		return false;
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

bool
pp_num_hex(struct pp_slice s, uint64_t *out)
{
	uint64_t value = 0;
	size_t i;

	if (s.n == 0)
		return false;
	for (i = 0; i < s.n; i++) {
		unsigned c = s.p[i];
		unsigned digit = c - '0' <= 9 ? c - '0'
		                              : ((c | 32) - 'a' <= 5 ? (c | 32) - 'a' + 10 : 16);

		if (digit > 15 || value >> 60)
			return false;
		value = value << 4 | digit;
	}
	*out = value;
	return true;
}

/* Digits from *at on, added to *value; counts them. False when the value exceeds 63 bits. */
static bool
decimal_digits(struct pp_slice s, size_t *at, int64_t *value, size_t *count)
{
	size_t first = *at;

	for (; *at < s.n && (unsigned)s.p[*at] - '0' <= 9; ++*at)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, s.p[*at] - '0', value))
			return false;
	*count = *at - first;
	return true;
}

bool
pp_num_decimal(struct pp_slice s, int64_t *mantissa, int *exponent)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	size_t at = negative, whole = 0, fraction = 0;
	int64_t value = 0, power = 0;

	if (!decimal_digits(s, &at, &value, &whole))
		return false;
	if (at < s.n && s.p[at] == '.') {
		at++;
		if (!decimal_digits(s, &at, &value, &fraction))
			return false;
	}
	if (whole + fraction == 0 || fraction > 1000)
		return false;
	if (at < s.n && (s.p[at] | 32) == 'e') {
		size_t digits = 0;
		bool down;

		at++;
		down = at < s.n && s.p[at] == '-';
		at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
		if (!decimal_digits(s, &at, &power, &digits) || digits == 0 || power > 10000)
			return false;
		power = down ? -power : power;
	}
	if (at != s.n)
		return false;
	*mantissa = negative ? -value : value;
	*exponent = (int)(power - (int64_t)fraction);
	return true;
}

bool
pp_num_double(struct pp_slice s, double *out)
{
	char small[PP_NUM_MAX * 2];
	char *text = small, *end;
	size_t i;
	bool ok;

	for (i = 0; i < s.n; i++)
		if (((unsigned)s.p[i] - '0' > 9) && !strchr("+-.eE", s.p[i]))
			return false;
	if (s.n == 0)
		return false;
	if (s.n >= sizeof small && !(text = malloc(s.n + 1)))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*out = strtod(text, &end);
	ok = end == text + s.n;
	if (text != small)
		free(text);
	return ok;
}

size_t
pp_num_print(char out[PP_NUM_MAX], pp_i128 value, unsigned scale)
{
	pp_u128 rest = value < 0 ? -(pp_u128)value : (pp_u128)value;
	char digits[PP_NUM_MAX];
	size_t n = 0, at = 0, i;
	uint64_t small;

	if (scale > 20)
		scale = 20;
	for (; scale && rest % 10 == 0; scale--)
		rest /= 10;
	for (; rest > UINT64_MAX; rest /= 10)
		digits[n++] = (char)('0' + (int)(rest % 10));
	/* Dividing 64 bits is several times faster. */
	small = (uint64_t)rest;
	do {
		digits[n++] = (char)('0' + (int)(small % 10));
		small /= 10;
	} while (small || n <= scale);
	if (value < 0)
		out[at++] = '-';
	for (i = n; i-- > 0;) {
		out[at++] = digits[i];
		if (i == scale && scale)
			out[at++] = '.';
	}
	out[at] = '\0';
	return at;
}

size_t
pp_num_print_hex(char out[PP_HEX_MAX], uint64_t value, unsigned digits)
{
	static const char names[] = "0123456789abcdef";
	unsigned needed = value ? (67u - (unsigned)__builtin_clzll(value)) / 4 : 1, i;
	unsigned n = needed > digits ? needed : digits;

	n = n < PP_HEX_MAX ? n : PP_HEX_MAX - 1;
	for (i = n; i-- > 0; value >>= 4)
		out[i] = names[value & 15];
	out[n] = '\0';
	return n;
}

size_t
pp_num_print_double(char out[PP_NUM_MAX], double value)
{
	int precision, n = 0;

	if (!isfinite(value))
		return (size_t)snprintf(out, PP_NUM_MAX, "null");
	if (fabs(value) < 1e15 && value == floor(value))
		return (size_t)snprintf(out, PP_NUM_MAX, "%.0f", value + 0.0);
	for (precision = 15; precision <= 17; precision++) {
		n = snprintf(out, PP_NUM_MAX, "%.*g", precision, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return (size_t)n;
}

/* The bits of a double behind its first, and what its exponent is counted from for whole mantissas. */
#define DOUBLE_BITS 52
#define DOUBLE_BIAS 1075

bool
pp_num_shortest(double value, int64_t *mantissa, int *exponent)
{
	uint64_t bits, five = 1, unit, m, digits = 0;
	int k, shift, i;
	bool fits = false;

	if (!(value >= 1e-9 && value < 1e9))
		return false;
	memcpy(&bits, &value, sizeof bits);
	m = bits & (((uint64_t)1 << DOUBLE_BITS) - 1);
	/* The step to the double below a power of two is half as wide. */
	if (!m)
		return false;
	m |= (uint64_t)1 << DOUBLE_BITS;
	/* With 17 digits before the point: value * 10^k = m * 5^k / 2^shift, which is less than 2^112 before it is divided. */
	k = 16 - (int)floor(log10(value));
	for (i = 0; i < k; i++)
		five *= 5;
	shift = DOUBLE_BIAS - (int)(bits >> DOUBLE_BITS) - k;
	if (shift < 1 || shift > 70)
		return false;
	/* 15, 16 or 17 of them, rounded, are the first that are nearer than half of the step to the next double, 5^k / 2. */
	for (unit = 100, i = 2; i >= 0 && !fits; unit /= 10, i--) {
		pp_u128 exact = (pp_u128)m * five, step = (pp_u128)unit << shift;
		pp_u128 rest = exact % step, off;

		digits = (uint64_t)(exact / step);
		digits += rest * 2 > step || (rest * 2 == step && digits & 1);
		off = (pp_u128)digits * step;
		off = off > exact ? off - exact : exact - off;
		fits = off * 2 < five || (off * 2 == five && !(m & 1));
		*exponent = i - k;
	}
	*mantissa = (int64_t)digits;
	return fits;
}
