/*
 * Times from and to text. Days are counted here, not by the C library, whose answers depend on where it runs.
 */
#include "store/when.h"

#include "base/num.h"
#include "base/slice.h"

#define DAY (86400 * PP_SECOND)
#define NS_DIGITS 9

static const struct {
	char letter;
	int64_t ns;
} units[] = {
	{ 'w', 7 * DAY },        { 'd', DAY },       { 'h', 3600 * PP_SECOND },
	{ 'm', 60 * PP_SECOND }, { 's', PP_SECOND },
};

static bool
refuse(struct pp_buf *problem, struct pp_slice text, const char *why)
{
	pp_buf_addf(problem, "'%.*s' %s", PP_SHOWN(text), why);
	return false;
}

bool
pp_span_parse(struct pp_slice text, int64_t *ns, struct pp_buf *problem)
{
	uint64_t count;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(units); i++) {
		if (text.n < 2 || text.p[text.n - 1] != (unsigned char)units[i].letter)
			continue;
		if (!pp_num_u64(pp_slice_of(text.p, text.n - 1), &count))
			break;
		if (count > INT64_MAX || __builtin_mul_overflow((int64_t)count, units[i].ns, ns))
			return refuse(problem, text, "exceeds what a time can be");
		return true;
	}
	return refuse(problem, text, "is not a span of time: write 90s, 30m, 1h, 1d or 2w");
}

/* Digits behind a point, at most nine, as nanoseconds. */
static bool
fraction_parse(struct pp_slice digits, int64_t *ns)
{
	uint64_t value;
	size_t n;

	if (digits.n == 0 || digits.n > NS_DIGITS || !pp_num_u64(digits, &value))
		return false;
	for (n = digits.n; n < NS_DIGITS; n++)
		value *= 10;
	*ns = (int64_t)value;
	return true;
}

static bool
seconds_parse(struct pp_slice text, int64_t *ns)
{
	int64_t seconds, fraction = 0;
	bool point;
	struct pp_slice whole = pp_slice_cut(&text, '.', &point);
	bool negative = whole.n && whole.p[0] == '-';

	if (!pp_num_i64(whole, &seconds) || (point && !fraction_parse(text, &fraction)))
		return false;
	return !__builtin_mul_overflow(seconds, PP_SECOND, ns) &&
	       !__builtin_add_overflow(*ns, negative ? -fraction : fraction, ns);
}

/* Days from 1970-01-01 to a day of the Gregorian calendar, years counted from March so that a leap day is the last. */
static int64_t
days_from_date(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2), m = month > 2 ? month - 3 : month + 9;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 + day - 1;

	return era * 146097 + day_of_era - 719468;
}

static void
date_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t shifted = days + 719468;
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int64_t doe = shifted - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t m = (5 * doy + 2) / 153;

	*day = doy - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = yoe + era * 400 + (*month <= 2);
}

/* Where the pattern has a 0, a digit must stand; everything else stands as it is. */
static bool
shape_fits(struct pp_slice text, const char *pattern)
{
	size_t i;

	if (text.n < strlen(pattern))
		return false;
	for (i = 0; pattern[i]; i++)
		if (pattern[i] == '0' ? !pp_is_digit(text.p[i])
		                      : text.p[i] != (unsigned char)pattern[i])
			return false;
	return true;
}

static int64_t
digits_at(struct pp_slice text, size_t at, size_t n)
{
	int64_t value = 0;

	for (; n; n--, at++)
		value = value * 10 + (text.p[at] - '0');
	return value;
}

static bool
date_parse(struct pp_slice text, int64_t *ns)
{
	static const char shape[] = "0000-00-00T00:00:00";
	int64_t year, month, day, hour, minute, second, fraction = 0, days, y, m, d;
	struct pp_slice rest;

	if (!shape_fits(text, shape) || text.p[text.n - 1] != 'Z')
		return false;
	rest = pp_slice_between(text.p + sizeof shape - 1, text.p + text.n - 1);
	if (rest.n && (rest.p[0] != '.' || !fraction_parse(pp_slice_from(rest, 1), &fraction)))
		return false;
	year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
	hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2);
	second = digits_at(text, 17, 2);
	if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59)
		return false;
	days = days_from_date(year, month, day);
	date_from_days(days, &y, &m, &d);
	if (y != year || m != month || d != day)
		return false;
	second += hour * 3600 + minute * 60;
	return !__builtin_mul_overflow(days * 86400 + second, PP_SECOND, ns) &&
	       !__builtin_add_overflow(*ns, fraction, ns);
}

bool
pp_when_parse(struct pp_slice text, int64_t now, int64_t *ns, struct pp_buf *problem)
{
	static const char forms[] =
	    "is no time: write an age (90s, 30m, 1h, 1d, 2w), @SECONDS since 1970, or "
	    "2026-11-15T20:00:00Z";
	struct pp_buf unused = { 0 };
	int64_t span;
	bool age;

	if (text.n && text.p[0] == '@')
		return seconds_parse(pp_slice_from(text, 1), ns) || refuse(problem, text, forms);
	if (date_parse(text, ns))
		return true;
	age = pp_span_parse(text, &span, &unused);
	pp_buf_release(&unused);
	if (!age)
		return refuse(problem, text, forms);
	if (__builtin_sub_overflow(now, span, ns))
		return refuse(problem, text, "exceeds what a time can be");
	return true;
}

bool
pp_between_parse(struct pp_slice text, int64_t now, int64_t *since, int64_t *until,
                 struct pp_buf *problem)
{
	const unsigned char *dots = text.n ? memmem(text.p, text.n, "..", 2) : NULL;

	if (!dots)
		return refuse(problem, text, "is not a span between two times: write A..B");
	if (!pp_when_parse(pp_slice_between(text.p, dots), now, since, problem) ||
	    !pp_when_parse(pp_slice_between(dots + 2, text.p + text.n), now, until, problem))
		return false;
	return *since <= *until || refuse(problem, text, "ends before it begins");
}

void
pp_when_print(struct pp_buf *out, int64_t ns)
{
	int64_t day_begin = pp_when_floor(ns / PP_SECOND - (ns % PP_SECOND < 0), 86400);
	int64_t seconds = ns / PP_SECOND - (ns % PP_SECOND < 0) - day_begin;
	int64_t fraction = ns % PP_SECOND + (ns % PP_SECOND < 0 ? PP_SECOND : 0);
	int64_t year, month, day;
	int digits = NS_DIGITS;

	date_from_days(day_begin / 86400, &year, &month, &day);
	pp_buf_addf(out, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld", (long long)year,
	            (long long)month, (long long)day, (long long)(seconds / 3600),
	            (long long)(seconds / 60 % 60), (long long)(seconds % 60));
	if (fraction) {
		for (; fraction % 10 == 0; fraction /= 10)
			digits--;
		pp_buf_addf(out, ".%0*lld", digits, (long long)fraction);
	}
	pp_buf_addc(out, 'Z');
}

void
pp_span_print(struct pp_buf *out, int64_t ns)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(units); i++)
		if (ns % units[i].ns == 0 && ns) {
			pp_buf_addf(out, "%lld%c", (long long)(ns / units[i].ns), units[i].letter);
			return;
		}
	pp_buf_addf(out, "%lldns", (long long)ns);
}
