/*
 * Values in their canonical unit: compared exactly, printed exactly where that is possible.
 */
#include "model/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool
pp_value_cell(const struct pp_metric *m, union pp_value v, int64_t *cell)
{
	if (m->type == PP_REAL)
		memcpy(cell, &v.d, sizeof *cell);
	else
		*cell = (int64_t)v.i;
	return m->type == PP_REAL ||
	       (m->type == PP_UINT ? v.i == (pp_i128)(uint64_t)v.i : v.i == (pp_i128)(int64_t)v.i);
}

bool
pp_value_is_zero(const struct pp_metric *m, union pp_value v)
{
	return m->type == PP_REAL ? v.d == 0.0 : v.i == 0;
}

int
pp_value_cmp(const struct pp_metric *m, union pp_value a, union pp_value b)
{
	if (m->type == PP_REAL)
		return (a.d > b.d) - (a.d < b.d);
	return (a.i > b.i) - (a.i < b.i);
}

double
pp_value_double(const struct pp_metric *m, union pp_value v)
{
	double d = m->type == PP_REAL ? v.d : (double)v.i;

	if (m->factor_num > 1)
		d *= (double)m->factor_num;
	if (m->factor_den > 1)
		d /= (double)m->factor_den;
	return m->scale ? d / pow(10.0, (double)m->scale) : d;
}

bool
pp_value_whole(const struct pp_metric *m, union pp_value v, uint32_t unit, int64_t *whole,
               bool *rounded)
{
	pp_i128 most = (pp_i128)1 << 100, value, rest;
	pp_i128 den = (pp_i128)(m->factor_den ? m->factor_den : 1);
	unsigned i;

	for (i = 0, den *= unit; i < m->scale && den < most; i++)
		den *= 10;
	if (m->type == PP_REAL || den >= most ||
	    __builtin_mul_overflow(v.i, (pp_i128)(m->factor_num ? m->factor_num : 1), &value)) {
		double d = pp_value_double(m, v) / (double)unit;

		/* Neither is a number that is none. */
		if (!(d > -9.2e18 && d < 9.2e18))
			return false;
		*whole = (int64_t)(d < 0 ? d - 0.5 : d + 0.5);
		*rounded = (double)*whole != d;
		return true;
	}
	rest = value % den;
	value = value / den + (rest * 2 >= den) - (rest * 2 <= -den);
	*whole = (int64_t)value;
	*rounded = rest != 0;
	return value >= INT64_MIN && value <= INT64_MAX;
}

/*
 * A double in a unit of so many canonical ones, as it is written in decimal: 3.4902e-05 s are 34902 ns, not
 * 34902.000000000007. Most are the double that is nearest to a whole number; others are printed and moved by some digits.
 */
static size_t
moved_print(double d, uint64_t factor, char out[PP_NUM_MAX])
{
	double whole = nearbyint(d * (double)factor);
	int exponent, digits;
	int64_t mantissa;

	if (!isfinite(d) || (fabs(whole) < 1e15 && whole / (double)factor == d))
		return pp_num_print_double(out, whole);
	for (digits = 14; digits <= 16; digits++) {
		(void)snprintf(out, PP_NUM_MAX, "%.*e", digits, d);
		if (strtod(out, NULL) == d)
			break;
	}
	for (digits = 0; factor > 1; factor /= 10)
		digits++;
	if (pp_num_decimal(pp_slice_z(out), &mantissa, &exponent))
		(void)snprintf(out, PP_NUM_MAX, "%llde%d", (long long)mantissa, exponent + digits);
	return pp_num_print_double(out, strtod(out, NULL));
}

static bool
is_power_of_ten(uint64_t n)
{
	while (n >= 10 && n % 10 == 0)
		n /= 10;
	return n == 1;
}

size_t
pp_value_print(const struct pp_metric *m, union pp_value v, char out[PP_NUM_MAX])
{
	uint64_t num = m->factor_num ? m->factor_num : 1;
	uint64_t den = m->factor_den ? m->factor_den : 1;
	unsigned scale = m->scale;
	pp_i128 value;

	if (m->type == PP_REAL && num > 1 && den == 1 && scale == 0 && is_power_of_ten(num))
		return moved_print(v.d, num, out);
	if (m->type == PP_REAL)
		return pp_num_print_double(out, pp_value_double(m, v));
	if (__builtin_mul_overflow(v.i, (pp_i128)num, &value))
		return pp_num_print_double(out, pp_value_double(m, v));
	/* Divide as far as it goes, then take one decimal digit for each factor of ten that is left. */
	for (; den > 1 && value % den == 0; den = 1)
		value /= den;
	for (; den % 10 == 0; den /= 10)
		scale++;
	while (den > 1 && (den % 2 == 0 || den % 5 == 0) && scale < 20) {
		unsigned factor = den % 2 == 0 ? 5 : 2;

		if (__builtin_mul_overflow(value, (pp_i128)factor, &value))
			return pp_num_print_double(out, pp_value_double(m, v));
		den /= den % 2 == 0 ? 2 : 5;
		scale++;
	}
	if (den > 1 || scale > 20)
		return pp_num_print_double(out, pp_value_double(m, v));
	return pp_num_print(out, value, scale);
}
