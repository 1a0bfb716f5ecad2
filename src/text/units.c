/*
 * Numbers as people read them: three or four digits that matter, and the unit that fits.
 */
#include "text/units.h"

#include <math.h>
#include <stdio.h>

/* A ladder of units: the last whose `from` is not above the value is used. */
struct rung {
	double from;
	double divisor;
	const char *name;
};

static const struct rung time_rungs[] = {
	{ 0, 1, " ns" },
	{ 1e3, 1e3, " µs" },
	{ 1e6, 1e6, " ms" },
	{ 1e9, 1e9, " s" },
};

static const struct rung byte_rungs[] = {
	{ 0, 1, " B" },
	{ 1024.0, 1024.0, " KiB" },
	{ 1048576.0, 1048576.0, " MiB" },
	{ 1073741824.0, 1073741824.0, " GiB" },
	{ 1099511627776.0, 1099511627776.0, " TiB" },
	{ 1125899906842624.0, 1125899906842624.0, " PiB" },
};

static const struct rung count_rungs[] = {
	{ 0, 1, "" },        { 1e7, 1e6, "M" },   { 1e9, 1e9, "G" },
	{ 1e12, 1e12, "T" }, { 1e15, 1e15, "P" }, { 1e18, 1e18, "E" },
};

/* A number below about 1024 with three significant digits; whole numbers without a fraction. */
static void
number_print(struct pp_buf *out, double value)
{
	/* Doubles of a file may be of any size, or none. */
	if (!(value < 1e18))
		pp_buf_addf(out, "%.3g", value);
	else if (value >= 999.5 || value == floor(value))
		pp_units_u64(out, (uint64_t)(value + 0.5));
	else if (value >= 99.95)
		pp_buf_addf(out, "%.0f", value);
	else if (value >= 9.995)
		pp_buf_addf(out, "%.1f", value);
	else if (value >= 0.01)
		pp_buf_addf(out, "%.2f", value);
	else if (value >= 0.0001)
		pp_buf_addf(out, "%.2g", value);
	else
		pp_buf_adds(out, "<0.0001");
}

/* The rung for a magnitude. One that rounds up to the next unit takes that unit: 999.96 µs is 1 ms. */
static const struct rung *
rung_find(const struct rung *rungs, size_t n, double magnitude)
{
	size_t i = n - 1;

	while (i > 0 && magnitude < rungs[i].from * 0.9995)
		i--;
	return &rungs[i];
}

static void
rung_print(struct pp_buf *out, const struct rung *rungs, size_t n, double value)
{
	const struct rung *rung = rung_find(rungs, n, fabs(value));
	double scaled = fabs(value) / rung->divisor;

	if (value < 0)
		pp_buf_adds(out, "-");
	/* No unit makes that short. */
	if (!(scaled < 1e6)) {
		rung = rungs;
		scaled = fabs(value);
	}
	/* Two decimals at most keep the unit's columns short; the smallest unit of a scale is whole. */
	if (rung->divisor > 1 && scaled < 9.995)
		pp_buf_addf(out, "%.2f", scaled);
	else if (rung->divisor > 1 && scaled < 99.95)
		pp_buf_addf(out, "%.1f", scaled);
	else
		number_print(out, scaled);
	pp_buf_adds(out, rung->name);
}

void
pp_units_time(struct pp_buf *out, double ns)
{
	double seconds = fabs(ns) / 1e9;

	if (seconds < 119.95) {
		rung_print(out, time_rungs, PP_COUNT_OF(time_rungs), ns);
		return;
	}
	pp_buf_adds(out, ns < 0 ? "-" : "");
	seconds = floor(seconds + 0.5);
	if (seconds < 7200)
		pp_buf_addf(out, "%.0f min %02.0f s", floor(seconds / 60), fmod(seconds, 60));
	else
		pp_buf_addf(out, "%.0f h %02.0f min", floor(seconds / 3600),
		            floor(fmod(seconds, 3600) / 60));
}

void
pp_units_bytes(struct pp_buf *out, double bytes)
{
	rung_print(out, byte_rungs, PP_COUNT_OF(byte_rungs), bytes);
}

/* Digits with a comma after each group of three. */
static void
digits_group(struct pp_buf *out, const char *digits, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			pp_buf_addc(out, ',');
		pp_buf_addc(out, digits[i]);
	}
}

void
pp_units_moment(struct pp_buf *out, double ns, double last, double step)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } };
	char number[400]; /* any finite double in digits */
	double decimals;
	size_t i = 0, whole;
	int n;

	while (i + 1 < PP_COUNT_OF(units) && last < units[i].size)
		i++;
	decimals = fmin(9, fmax(0, ceil(-log10(step / units[i].size) - 1e-9)));
	n = snprintf(number, sizeof number, "%.*f", ns == 0 ? 0 : (int)decimals,
	             ns / units[i].size);
	whole = strcspn(number, ".");
	digits_group(out, number, whole);
	pp_buf_add(out, number + whole, (size_t)n - whole);
	pp_buf_addf(out, " %s", units[i].name);
}

void
pp_units_u64(struct pp_buf *out, uint64_t n)
{
	char digits[32];
	int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);

	digits_group(out, digits, (size_t)length);
}

void
pp_units_count(struct pp_buf *out, double n)
{
	double size = fabs(n);

	if (size >= 1e7) {
		rung_print(out, count_rungs, PP_COUNT_OF(count_rungs), n);
	} else if (n != floor(n)) {
		pp_buf_adds(out, n < 0 ? "-" : "");
		number_print(out, size);
	} else {
		pp_buf_adds(out, n < 0 ? "-" : "");
		pp_units_u64(out, (uint64_t)size);
	}
}

void
pp_units_value(struct pp_buf *out, struct pp_slice unit, double value)
{
	if (pp_slice_eq_z(unit, "ns"))
		pp_units_time(out, value);
	else if (pp_slice_eq_z(unit, "bytes"))
		pp_units_bytes(out, value);
	else
		pp_units_count(out, value);
}

/* One of what a unit counts: "sample" of "samples". */
static struct pp_slice
unit_of_one(struct pp_slice unit, struct pp_buf *made)
{
	size_t n = unit.n;
	bool ies = n > 4 && memcmp(unit.p + n - 3, "ies", 3) == 0;
	bool es = n > 4 && (memcmp(unit.p + n - 4, "sses", 4) == 0 ||
	                    memcmp(unit.p + n - 4, "ches", 4) == 0);

	if (n < 4 || unit.p[n - 1] != 's' || unit.p[n - 2] == 's')
		return unit;
	pp_buf_add(made, unit.p, n - (ies ? 3 : es ? 2 : 1));
	pp_buf_adds(made, ies ? "y" : "");
	return pp_slice_of(made->p ? made->p : "", made->n);
}

void
pp_units_named(struct pp_buf *out, struct pp_slice unit, double value)
{
	struct pp_buf one = { 0 };

	pp_units_value(out, unit, value);
	/* Times and bytes carry their unit already, and "count" adds nothing to a number. */
	if (unit.n == 0 || pp_slice_eq_z(unit, "ns") || pp_slice_eq_z(unit, "bytes") ||
	    pp_slice_eq_z(unit, "count"))
		return;
	if (value == 1)
		unit = unit_of_one(unit, &one);
	pp_buf_addc(out, ' ');
	pp_buf_add(out, unit.p, unit.n);
	pp_buf_release(&one);
}

void
pp_units_share(struct pp_buf *out, double part, double whole)
{
	double percent;

	if (!(whole > 0))
		return;
	percent = part / whole * 100.0;
	if (percent > 0 && percent < 0.05)
		pp_buf_adds(out, "<0.1%");
	else if (percent < 0 && percent > -0.05)
		pp_buf_adds(out, ">-0.1%");
	else
		pp_buf_addf(out, "%.1f%%", percent);
}

void
pp_units_percent(struct pp_buf *out, double share)
{
	char digits[32];
	double percent = share * 100.0;
	int n;

	if (percent > 0 && percent < 0.01) {
		pp_buf_adds(out, "<0.01%");
		return;
	}
	n = snprintf(digits, sizeof digits, "%.2f", percent);
	while (n > 0 && n < (int)sizeof digits && digits[n - 1] == '0')
		n--;
	if (n > 0 && n < (int)sizeof digits && digits[n - 1] == '.')
		n--;
	pp_buf_addf(out, "%.*s%%", n, digits);
}

void
pp_units_bar(struct pp_buf *out, double share, unsigned columns)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned eighths;

	if (!(share > 0))
		return;
	if (share > 1)
		share = 1;
	eighths = (unsigned)(share * columns * 8 + 0.5);
	for (; eighths >= 8; eighths -= 8)
		pp_buf_adds(out, "█");
	pp_buf_adds(out, parts[eighths]);
}

void
pp_units_listed(struct pp_buf *out, uint64_t n, const char *one, const char *many)
{
	if (n == 0)
		return;
	pp_buf_adds(out, out->n ? ", " : "");
	pp_units_u64(out, n);
	pp_buf_addf(out, " %s", pp_plural(n, one, many));
}

const char *
pp_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

void
pp_units_date(struct pp_buf *out, int64_t seconds)
{
	int64_t days = seconds / 86400, rest = seconds % 86400, era, year, month;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	/* Eras of 400 years that begin on 1 March, so that the leap day comes last. */
	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	days -= era * 146097;
	year = (days - days / 1460 + days / 36524 - days / 146096) / 365;
	days -= 365 * year + year / 4 - year / 100;
	month = (5 * days + 2) / 153;
	days -= (153 * month + 2) / 5;
	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	pp_buf_addf(out, "%04lld-%02d-%02d %02d:%02d:%02d UTC", (long long)year, (int)month,
	            (int)days + 1, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
}
