/*
 * Numbers with fractions as whole ones.
 */
#include "formats/kit/fixed.h"

#include "base/slice.h"

/* Exponents beyond are all the same: too large, or nothing. */
#define EXPONENT_MOST 100000
#define DIGITS_MOST (1 << 28)
/* 10^38 has room in 128 bits, and so have 38 digits. */
#define POWER_MOST 38
#define MANY_MOST (((pp_u128)1 << 126) / 10 - 1)
#define FEW_MOST UINT64_C(1000000000000000000)
/* From here on doubles are coarser than whole numbers. */
#define DOUBLE_MOST (UINT64_C(1) << 53)

const int64_t pp_fixed_near[10] = { INT64_MAX / 1000000000, INT64_MAX / 100000000,
	                            INT64_MAX / 10000000,   INT64_MAX / 1000000,
	                            INT64_MAX / 100000,     INT64_MAX / 10000,
	                            INT64_MAX / 1000,       INT64_MAX / 100,
	                            INT64_MAX / 10,         INT64_MAX };

/* A number as it is written: digits and the power of ten they are multiplied with. */
struct written {
	pp_u128 digits;
	int power;
	bool negative;
	bool lost; /* there are more digits than these */
};

/* Digits behind the first 19, of which 128 bits have room for more; they follow on `few`. */
static const unsigned char *
digits_more(const unsigned char *p, const unsigned char *end, uint64_t few, bool point,
            struct written *w)
{
	pp_u128 many = few;

	for (; p < end && (pp_is_digit(*p) || (*p == '.' && !point)); p++) {
		if (*p == '.') {
			point = true;
		} else if (many < MANY_MOST) {
			many = many * 10 + (unsigned)(*p - '0');
			w->power -= point;
		} else {
			w->lost |= *p != '0';
			w->power += !point;
		}
	}
	for (; many % 10 == 0; many /= 10)
		w->power++;
	w->digits = many;
	return p;
}

static const unsigned char *
digits_take(const unsigned char *p, const unsigned char *end, struct written *w)
{
	const unsigned char *point = NULL;
	uint64_t few = 0;

	for (; p < end && few < FEW_MOST; p++) {
		unsigned digit = (unsigned)*p - '0';

		if (digit < 10)
			few = few * 10 + digit;
		else if (*p == '.' && !point)
			point = p;
		else
			break;
	}
	if (point)
		w->power = -(int)(p - point - 1 < DIGITS_MOST ? p - point - 1 : DIGITS_MOST);
	if (PP_UNLIKELY(few >= FEW_MOST))
		return digits_more(p, end, few, point != NULL, w);
	for (; few && few % 10 == 0; few /= 10)
		w->power++;
	w->digits = few;
	return p;
}

static bool
written_take(struct pp_slice text, struct written *w)
{
	const unsigned char *p = text.p, *end = p + text.n;
	bool minus = false;
	int exponent = 0;

	*w = (struct written){ .negative = p < end && *p == '-' };
	p = digits_take(p + w->negative, end, w);
	if (p < end && (*p | 32) == 'e') {
		p++;
		minus = p < end && *p == '-';
		p += p < end && (*p == '-' || *p == '+');
		for (; p < end && pp_is_digit(*p); p++)
			exponent = exponent < EXPONENT_MOST ? exponent * 10 + (*p - '0') : exponent;
		w->power += minus ? -exponent : exponent;
	}
	return p == end;
}

static pp_u128
power_of_ten(int power)
{
	pp_u128 product = pp_decimal_powers[power < 18 ? power : 18];

	for (power -= 18; power > 0; power--)
		product *= 10;
	return product;
}

/* Divides, to the nearest. */
static pp_u128
digits_cut(pp_u128 digits, int by)
{
	pp_u128 divisor;

	if (by > POWER_MOST)
		return 0;
	if (PP_LIKELY(digits <= UINT64_MAX && by < 19)) {
		uint64_t few = (uint64_t)digits, unit = pp_decimal_powers[by];

		return few / unit + (few % unit >= unit - unit / 2);
	}
	divisor = power_of_ten(by);
	return digits / divisor + (digits % divisor >= divisor - divisor / 2);
}

static int
most_of(const struct pp_fixed *f)
{
	return f->bounded ? f->most : f->seconds ? PP_FIXED_MOST_SECONDS : PP_FIXED_MOST;
}

/* A finding at a number, unless all is read again; `fine`: doubles are no better. */
static void
tell(const struct pp_fixed *f, struct pp_slice text, bool fine, const char *what)
{
	struct pp_slice all;

	if (!f->rules || f->again)
		return;
	all = f->doc->text;
	pp_json_find(f->doc, fine ? f->rules->fine : f->rules->rounded,
	             text.p >= all.p && text.p < all.p + all.n ? text.p : NULL, "%.*s%s %s",
	             (int)(text.n < 40 ? text.n : 40), (const char *)text.p,
	             text.n < 40 ? "" : "...", what);
}

/* A number has digits that cells have not: next time there are more, or it is rounded for good. */
static void
digits_lack(struct pp_fixed *f, int need, int unit)
{
	int most = most_of(f);

	if (f->decimals < most && need > f->decimals) {
		/* In steps of three, so that there are few. */
		need = need > most ? most : need;
		f->wanted = need > f->wanted ? need : f->wanted;
		f->wanted += (3 - f->wanted % 3) % 3;
		f->again = true;
	} else if (f->decimals < unit) {
		/* Some number was so large that this one would be rounded. */
		f->least = f->floored && f->least > unit ? f->least : unit;
		f->wanted = f->least > f->wanted ? f->least : f->wanted;
		f->most = f->least;
		f->floored = f->again = true;
	}
}

/* A number has no room even without its last digits; so many have to go. False when none can. */
static bool
digits_drop(struct pp_fixed *f, int drop)
{
	int fits = f->decimals - drop;

	if (fits < (f->floored ? f->least : PP_FIXED_LEAST))
		return false;
	f->most = fits;
	return f->bounded = f->again = true;
}

/* A number in units of the cells, as far as there is room in 126 bits; how many digits it has that have none. */
static int
written_scale(struct pp_fixed *f, struct pp_slice text, int unit, struct written *w)
{
	int power = w->power + f->decimals - unit, need = f->decimals - power;

	if (!w->digits)
		return 0;
	if (power < 0)
		w->digits = digits_cut(w->digits, -power);
	if (power > 0 && power < 19 && w->digits <= UINT64_MAX) {
		w->digits *= pp_decimal_powers[power];
		power = 0;
	}
	for (; power > 0 && w->digits <= MANY_MOST; power--)
		w->digits *= 10;
	if (power < 0 || w->lost) {
		digits_lack(f, need, unit);
		if (!f->again && f->inexact < PP_FIXED_ROUNDED)
			f->inexact = w->digits >= DOUBLE_MOST ? PP_FIXED_FINE : PP_FIXED_ROUNDED;
		tell(f, text, w->digits >= DOUBLE_MOST,
		     "is rounded: it has no room in 64 bits beside the others");
	}
	return power > 0 ? power : 0;
}

/* How many digits a number has to lose to be no more than `room`. */
static int
digits_beyond(pp_u128 digits, uint64_t room)
{
	int n = 0;

	for (; digits > room; digits /= 10)
		n++;
	return n;
}

bool
pp_fixed_slow(struct pp_fixed *f, struct pp_slice text, int unit, int64_t *out)
{
	uint64_t room = f->is_unsigned ? UINT64_MAX : INT64_MAX;
	struct written w;
	int over;

	if (!written_take(text, &w))
		return false;
	*out = 0;
	over = written_scale(f, text, unit, &w);
	if (w.negative && w.digits) {
		f->negative = true;
		f->again |= f->is_unsigned;
		if (f->is_unsigned)
			return true;
	}
	if (over || w.digits > room) {
		if (f->may_unsigned && !f->negative && !over && w.digits <= UINT64_MAX)
			return f->is_unsigned = f->again = true;
		return digits_drop(f, over + digits_beyond(w.digits, room));
	}
	*out = (int64_t)(w.negative ? 0 - (uint64_t)w.digits : (uint64_t)w.digits);
	return true;
}

/* Whether ns of it have room in 64 bits. */
static bool
is_near(const struct pp_fixed *f, pp_i128 time)
{
	int64_t most = pp_fixed_near[f->decimals >= 9 ? 9 : f->decimals < 0 ? 0 : f->decimals];

	return !f->seconds || (time <= most && time >= -(pp_i128)most);
}

bool
pp_fixed_time_slow(struct pp_fixed *f, struct pp_slice text, int unit, int64_t *out)
{
	struct written w;
	pp_i128 time;
	int over;

	if (!written_take(text, &w))
		return false;
	*out = 0;
	over = written_scale(f, text, unit, &w);
	time = w.negative ? -(pp_i128)w.digits : (pp_i128)w.digits;
	if (f->shifted && !over) {
		if (!f->begun) {
			f->begun = true;
			f->origin = time;
			tell(f, text, false,
			     "is what times count from: they have no room in 64 bits");
		}
		time -= f->origin;
	}
	if (!over && time >= INT64_MIN && time <= INT64_MAX && is_near(f, time)) {
		*out = (int64_t)time;
		return true;
	}
	if (!f->shifted)
		return f->shifted = f->again = true;
	if (!over && time >= INT64_MIN && time <= INT64_MAX) {
		tell(f, text, false,
		     "is too far from the first time: when it was is not known in ns");
		*out = (int64_t)time;
		return true;
	}
	return digits_drop(f, over + digits_beyond((pp_u128)(time < 0 ? -time : time), INT64_MAX));
}

bool
pp_fixed_coarser(struct pp_fixed *f)
{
	if (!f->shifted)
		return f->shifted = f->again = true;
	return digits_drop(f, 1);
}

bool
pp_fixed_retry(struct pp_fixed *f)
{
	int most = most_of(f);
	int wanted = f->wanted > f->decimals ? f->wanted : f->decimals;
	bool again = f->again;

	f->decimals = wanted < most ? wanted : most;
	f->is_unsigned &= !f->negative;
	f->again = f->begun = false;
	f->inexact = again ? PP_FIXED_EXACT : f->inexact;
	return again;
}

void
pp_fixed_metric(const struct pp_fixed *f, struct pp_metric *m)
{
	int scale = f->decimals - (f->seconds ? 9 : 0);

	m->type = f->is_unsigned ? PP_UINT : PP_INT;
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
