/*
 * Numbers as SPAA has them: whole to 64 bits, decimals exact, doubles where neither fits.
 */
#include "formats/spaa/spaa.h"

#include <math.h>

#include "base/units.h"

const uint64_t pp_spaa_powers[PP_SPAA_SCALE_MAX + 1] = {
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

/* A decimal, exactly when its digits fit 63 bits. False when it is not finite. */
static bool
decimal_of(const struct pp_json_num *num, struct pp_spaa_num *out)
{
	int64_t mantissa;
	int exponent;

	if (pp_num_decimal(num->text, &mantissa, &exponent)) {
		uint64_t magnitude = mantissa < 0 ? 0 - (uint64_t)mantissa : (uint64_t)mantissa;

		for (; magnitude && magnitude % 10 == 0 && exponent < 0; exponent++)
			magnitude /= 10;
		for (; exponent > 0 && magnitude && magnitude <= UINT64_MAX / 10; exponent--)
			magnitude *= 10;
		if (magnitude == 0)
			exponent = 0;
		if (exponent <= 0 && exponent >= -PP_SPAA_SCALE_MAX &&
		    (!num->negative || magnitude <= INT64_MAX)) {
			*out = (struct pp_spaa_num){ .magnitude = magnitude,
				                     .negative = num->negative,
				                     .scale = (uint8_t)-exponent };
			return true;
		}
	}
	*out = (struct pp_spaa_num){ .is_real = true, .negative = num->negative };
	return pp_num_double(num->text, &out->real) && out->real - out->real == 0.0;
}

bool
pp_spaa_num_of(const struct pp_json_num *num, struct pp_spaa_num *out)
{
	if (!num->integer)
		return decimal_of(num, out);
	*out = (struct pp_spaa_num){ .magnitude = num->magnitude, .negative = num->negative };
	return num->fits && (!num->negative || num->magnitude <= (uint64_t)INT64_MAX + 1);
}

bool
pp_spaa_num_parse(struct pp_slice text, struct pp_spaa_num *out)
{
	unsigned char padded[PP_NUM_MAX + PP_SCAN_PAD] = { 0 };
	struct pp_json_num num;
	struct pp_scan s;

	if (text.n > PP_NUM_MAX)
		return false;
	memcpy(padded, text.p, text.n);
	pp_scan_init(&s, pp_slice_of(padded, text.n), 0, PP_SCAN_STRICT);
	return pp_scan_number(&s, &num) && pp_scan_end(&s) && pp_spaa_num_of(&num, out);
}

double
pp_spaa_num_double(const struct pp_spaa_num *n)
{
	double d;

	if (n->is_real)
		return n->real;
	d = (double)n->magnitude / (double)pp_spaa_powers[n->scale];
	return n->negative ? -d : d;
}

pp_i128
pp_spaa_num_widest(const struct pp_spaa_num *n)
{
	pp_i128 v = (pp_i128)n->magnitude * pp_spaa_powers[PP_SPAA_SCALE_MAX - n->scale];

	return n->negative ? -v : v;
}

int
pp_spaa_num_cmp(const struct pp_spaa_num *a, const struct pp_spaa_num *b)
{
	if (a->is_real || b->is_real) {
		double x = pp_spaa_num_double(a), y = pp_spaa_num_double(b);

		return (x > y) - (x < y);
	}
	if (PP_LIKELY(!a->negative && !b->negative && a->scale == b->scale))
		return (a->magnitude > b->magnitude) - (a->magnitude < b->magnitude);
	return (pp_spaa_num_widest(a) > pp_spaa_num_widest(b)) -
	       (pp_spaa_num_widest(a) < pp_spaa_num_widest(b));
}

bool
pp_spaa_num_scaled(const struct pp_spaa_num *n, int64_t num, int64_t *out)
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
	v = (v + pp_spaa_powers[n->scale] / 2) / pp_spaa_powers[n->scale];
	if (v > INT64_MAX)
		return false;
	*out = n->negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool
pp_spaa_is_hex(struct pp_slice s)
{
	unsigned char bad = 0;
	size_t i;

	if (s.n < 3 || s.p[0] != '0' || (s.p[1] | 32) != 'x')
		return false;
	/* Without a branch for each digit: ids are nothing else. */
	for (i = 2; i < s.n; i++) {
		unsigned char digit = (unsigned char)(s.p[i] - '0');
		unsigned char letter = (unsigned char)((s.p[i] | 32) - 'a');

		bad |= (unsigned char)(digit > 9) & (unsigned char)(letter > 5);
	}
	return !bad;
}

int64_t
pp_spaa_time_unit(struct pp_slice name, bool *odd)
{
	const struct pp_unit *unit = pp_unit_find(PP_UNIT_TIME, name);

	/* From ns to s in ASCII: nothing else is known to the format. */
	if (!unit || unit->form > PP_UNIT_FULL || unit->factor > 1000000000u || *name.p >= 0x80) {
		*odd = true;
		return 0;
	}
	*odd = unit->form == PP_UNIT_SYMBOL;
	return (int64_t)unit->factor;
}

/* ---- tables from numbers to rows -------------------------------------------------------- */

/* Numbers below this, or below four times the rows there are, stand in a plain array. */
#define SMALL_ALWAYS 65536u

bool
pp_spaa_table_get(const struct pp_spaa_table *t, uint64_t number, uint32_t *row)
{
	if (PP_LIKELY(number < t->small_n)) {
		*row = t->small[number] - 1;
		if (PP_LIKELY(t->small[number]))
			return true;
	}
	*row = pp_map_get(&t->large, number);
	return *row != PP_MAP_NONE;
}

bool
pp_spaa_table_set(struct pp_spaa_table *t, uint64_t number, uint32_t row)
{
	if (number >= t->small_n && (number < SMALL_ALWAYS || number / 4 < row)) {
		size_t cap = t->small_n, old = cap;

		if (!pp_vec_grow((void **)&t->small, &cap, sizeof *t->small, (size_t)number + 1))
			return false;
		memset(t->small + old, 0, (cap - old) * sizeof *t->small);
		t->small_n = cap;
	}
	if (number < t->small_n) {
		t->small[number] = row + 1;
		return true;
	}
	return pp_map_set(&t->large, number, row);
}

void
pp_spaa_table_release(struct pp_spaa_table *t)
{
	free(t->small);
	t->small = NULL;
	t->small_n = 0;
	pp_map_release(&t->large);
}
