/*
 * Numbers with fractions as whole ones.
 */
#include "formats/kit/fixed.h"

#include "base/slice.h"

/* Exponents beyond are all the same: too large, or nothing. */
#define EXPONENT_MOST 100000

/* A number as digits and the power of ten they are multiplied with; digits past the 19th count as 0. */
static bool
digits_take(struct pp_slice text, uint64_t *digits, int *power, bool *negative)
{
	const unsigned char *p = text.p, *end = p + text.n;
	bool point = false, minus = false;
	int exponent = 0;

	*digits = 0;
	*power = 0;
	*negative = p < end && *p == '-';
	for (p += *negative; p < end && (pp_is_digit(*p) || (*p == '.' && !point)); p++) {
		if (*p == '.') {
			point = true;
		} else if (*digits < UINT64_MAX / 10 - 1) {
			*digits = *digits * 10 + (uint64_t)(*p - '0');
			*power -= point;
		} else {
			*power += !point;
		}
	}
	if (p < end && (*p | 32) == 'e') {
		p++;
		minus = p < end && *p == '-';
		p += p < end && (*p == '-' || *p == '+');
		for (; p < end && pp_is_digit(*p); p++)
			exponent = exponent < EXPONENT_MOST ? exponent * 10 + (*p - '0') : exponent;
		*power += minus ? -exponent : exponent;
	}
	while (*digits && *digits % 10 == 0) {
		*digits /= 10;
		++*power;
	}
	return p == end;
}

/* Divides, to the nearest. */
static uint64_t
digits_cut(uint64_t digits, int by)
{
	uint64_t divisor = by < 19 ? pp_decimal_powers[by] : 0;

	return divisor ? digits / divisor + (digits % divisor >= divisor - divisor / 2) : 0;
}

static int
most_of(const struct pp_fixed *f)
{
	return f->bounded ? f->most : PP_FIXED_MOST;
}

bool
pp_fixed_slow(struct pp_fixed *f, struct pp_slice text, int unit, int64_t *out)
{
	int most = most_of(f), power;
	uint64_t digits, room = INT64_MAX;
	bool negative;

	if (!digits_take(text, &digits, &power, &negative))
		return false;
	*out = 0;
	if (digits == 0)
		return true;
	power += f->decimals - unit;
	if (power < 0) {
		int need = f->decimals - power;

		if (f->decimals < most && need > f->decimals) {
			/* In steps of three, so that there are few. */
			need = need > most ? most : need;
			f->wanted = need > f->wanted ? need : f->wanted;
			f->wanted += (3 - f->wanted % 3) % 3;
			f->again = true;
		}
		digits = digits_cut(digits, -power);
		power = 0;
	}
	for (; power > 0 && digits <= room / 10; power--)
		digits *= 10;
	if (power > 0 || digits > room) {
		int fits = f->decimals - (power > 0 ? power : 1);

		if (fits < PP_FIXED_LEAST)
			return false;
		f->most = fits;
		f->bounded = f->again = true;
		return true;
	}
	*out = negative ? -(int64_t)digits : (int64_t)digits;
	return true;
}

bool
pp_fixed_coarser(struct pp_fixed *f)
{
	if (f->decimals <= PP_FIXED_LEAST)
		return false;
	f->most = f->decimals - 1;
	return f->bounded = f->again = true;
}

bool
pp_fixed_retry(struct pp_fixed *f)
{
	int most = most_of(f);
	int wanted = f->wanted > f->decimals ? f->wanted : f->decimals;
	bool again = f->again;

	f->decimals = wanted < most ? wanted : most;
	f->again = false;
	return again;
}

void
pp_fixed_metric(const struct pp_fixed *f, bool ns, struct pp_metric *m)
{
	int scale = f->decimals - (ns ? 9 : 0);

	m->scale = scale > 0 ? (unsigned)scale : 0;
	m->factor_num = scale < 0 ? pp_decimal_powers[-scale] : 1;
	m->factor_den = 1;
}

bool
pp_fixed_ns(const struct pp_fixed *f, int64_t cell, int64_t *ns)
{
	int finer = 9 - f->decimals;
	int64_t divisor;

	if (finer >= 0 && !__builtin_mul_overflow(cell, (int64_t)pp_decimal_powers[finer], ns))
		return true;
	if (finer >= 0) {
		*ns = cell < 0 ? INT64_MIN : INT64_MAX;
		return false;
	}
	divisor = (int64_t)pp_decimal_powers[-finer];
	*ns = cell / divisor - (cell % divisor < 0);
	return true;
}
