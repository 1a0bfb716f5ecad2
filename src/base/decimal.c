/*
 * Numbers as files write them.
 */
#include "base/decimal.h"

#include <math.h>

#include "base/num.h"

const uint64_t pp_decimal_powers[PP_DECIMAL_SCALE_MAX + 1] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	10000000000u,
	100000000000u,
	1000000000000u,
	10000000000000u,
	100000000000000u,
	1000000000000000u,
	10000000000000000u,
	100000000000000000u,
	1000000000000000000u,
};

/* What has a fraction or an exponent, exactly when its digits fit 63 bits. */
static bool
fraction_parse(struct pp_slice text, bool negative, struct pp_decimal *out)
{
	int64_t mantissa;
	int exponent;

	if (pp_num_decimal(text, &mantissa, &exponent)) {
		uint64_t magnitude = mantissa < 0 ? 0 - (uint64_t)mantissa : (uint64_t)mantissa;

		for (; magnitude && magnitude % 10 == 0 && exponent < 0; exponent++)
			magnitude /= 10;
		for (; exponent > 0 && magnitude && magnitude <= UINT64_MAX / 10; exponent--)
			magnitude *= 10;
		if (magnitude == 0)
			exponent = 0;
		if (exponent <= 0 && exponent >= -PP_DECIMAL_SCALE_MAX &&
		    (!negative || magnitude <= INT64_MAX)) {
			*out = (struct pp_decimal){ .magnitude = magnitude,
				                    .negative = negative,
				                    .scale = (uint8_t)-exponent };
			return true;
		}
	}
	*out = (struct pp_decimal){ .is_real = true, .negative = negative };
	return pp_num_double(text, &out->real) && out->real - out->real == 0.0;
}

bool
pp_decimal_parse(struct pp_slice text, struct pp_decimal *out)
{
	bool negative = text.n && text.p[0] == '-';
	size_t i;

	for (i = negative; i < text.n && (unsigned)text.p[i] - '0' <= 9; i++)
		;
	if (i < text.n)
		return fraction_parse(text, negative, out);
	*out = (struct pp_decimal){ .negative = negative };
	return pp_num_u64(pp_slice_of(text.p + negative, text.n - negative), &out->magnitude) &&
	       (!negative || out->magnitude <= (uint64_t)INT64_MAX + 1);
}

double
pp_decimal_double(const struct pp_decimal *n)
{
	double d;

	if (n->is_real)
		return n->real;
	d = (double)n->magnitude / (double)pp_decimal_powers[n->scale];
	return n->negative ? -d : d;
}

pp_i128
pp_decimal_widest(const struct pp_decimal *n)
{
	pp_i128 v = (pp_i128)n->magnitude * pp_decimal_powers[PP_DECIMAL_SCALE_MAX - n->scale];

	return n->negative ? -v : v;
}

int
pp_decimal_cmp(const struct pp_decimal *a, const struct pp_decimal *b)
{
	if (a->is_real || b->is_real) {
		double x = pp_decimal_double(a), y = pp_decimal_double(b);

		return (x > y) - (x < y);
	}
	if (PP_LIKELY(!a->negative && !b->negative && a->scale == b->scale))
		return (a->magnitude > b->magnitude) - (a->magnitude < b->magnitude);
	return (pp_decimal_widest(a) > pp_decimal_widest(b)) -
	       (pp_decimal_widest(a) < pp_decimal_widest(b));
}

bool
pp_decimal_scaled(const struct pp_decimal *n, int64_t num, int64_t *out)
{
	pp_i128 v;

	if (n->is_real) {
		double d = floor(n->real * (double)num + 0.5);

		if (!(d > -9.2e18 && d < 9.2e18))
			return false;
		*out = (int64_t)d;
		return true;
	}
	v = (pp_i128)n->magnitude * num;
	v = (v + pp_decimal_powers[n->scale] / 2) / pp_decimal_powers[n->scale];
	if (v > INT64_MAX)
		return false;
	*out = n->negative ? -(int64_t)v : (int64_t)v;
	return true;
}
