/* Numbers from and to text. */
#include "tap.h"

#include <math.h>

#include "base/num.h"
#include "text/units.h"

/* Doubles that no integer holds, as people read them. */
static void
check_huge(void)
{
	struct pp_buf text = { 0 };

	pp_units_count(&text, 1.7e41);
	pp_buf_adds(&text, " ");
	pp_units_bytes(&text, -1e300);
	pp_buf_adds(&text, " ");
	pp_units_count(&text, (double)INFINITY);
	is_text(text.p, "1.7e+41 -1e+300 B inf", "huge numbers");
	pp_buf_release(&text);
}

static void
check_u64(const char *text, bool good, uint64_t value)
{
	uint64_t got = 0;

	ok(pp_num_u64(pp_slice_z(text), &got) == good && (!good || got == value), "u64 '%s'", text);
}

static void
check_i64(const char *text, bool good, int64_t value)
{
	int64_t got = 0;

	ok(pp_num_i64(pp_slice_z(text), &got) == good && (!good || got == value), "i64 '%s'", text);
}

static void
check_hex(const char *text, bool good, uint64_t value)
{
	uint64_t got = 0;

	ok(pp_num_hex(pp_slice_z(text), &got) == good && (!good || got == value), "hex '%s'", text);
}

static void
check_decimal(const char *text, bool good, int64_t mantissa, int exponent)
{
	int64_t m = 0;
	int e = 0;

	ok(pp_num_decimal(pp_slice_z(text), &m, &e) == good &&
	       (!good || (m == mantissa && e == exponent)),
	   "decimal '%s'", text);
}

static void
check_double(const char *text, bool good, double value)
{
	double got = 0;

	ok(pp_num_double(pp_slice_z(text), &got) == good &&
	       (!good || memcmp(&got, &value, sizeof got) == 0),
	   "double '%.40s'", text);
}

static void
check_print(pp_i128 value, unsigned scale, const char *expected)
{
	char text[PP_NUM_MAX];
	size_t n = pp_num_print(text, value, scale);

	is_text(text, expected, "prints %s", expected);
	is_u64(n, strlen(expected), "and its length");
}

static void
check_print_double(double value, const char *expected)
{
	char text[PP_NUM_MAX];

	is_u64(pp_num_print_double(text, value), strlen(expected), "length of %s", expected);
	is_text(text, expected, "prints %s", expected);
}

static void
check_print_hex(uint64_t value, unsigned digits, const char *want)
{
	char text[PP_HEX_MAX];
	size_t n = pp_num_print_hex(text, value, digits);

	ok(n == strlen(want) && strcmp(text, want) == 0, "%s: %s", want, text);
}

/* A decimal without zeros at its end. */
static void
trim(int64_t *mantissa, int *exponent)
{
	for (; *mantissa && *mantissa % 10 == 0; *mantissa /= 10)
		++*exponent;
}

/* What is computed beside what is printed: times as clocks give them, fractions, and whatever bits come. */
static void
check_shortest(void)
{
	uint64_t random = 88172645463325252u;
	size_t i, wrong = 0, none = 0;

	for (i = 0; i < 30000; i++) {
		int64_t ours = 0, printed = 0;
		int exponent = 0, theirs = 0;
		char text[PP_NUM_MAX];
		double value;
		uint64_t bits;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		bits = (random & (((uint64_t)1 << 52) - 1)) | (994 + random % 59) << 52;
		memcpy(&value, &bits, sizeof value);
		value = i % 3 == 0   ? (double)(random % 1000000000000) * 1e-9
		        : i % 3 == 1 ? (double)(random % 100000000) / 1e6
		                     : value;
		if (!pp_num_shortest(value, &ours, &exponent)) {
			none++;
			continue;
		}
		(void)pp_num_print_double(text, value);
		wrong += !pp_num_decimal(pp_slice_z(text), &printed, &theirs);
		trim(&ours, &exponent);
		trim(&printed, &theirs);
		wrong += ours != printed || exponent != theirs;
	}
	is_u64(wrong, 0, "decimals that are computed are those that are printed");
	ok(none < 100, "nearly all are: %zu are not", none);
	ok(!pp_num_shortest(0, &(int64_t){ 0 }, &(int){ 0 }) &&
	       !pp_num_shortest(-1, &(int64_t){ 0 }, &(int){ 0 }) &&
	       !pp_num_shortest((double)NAN, &(int64_t){ 0 }, &(int){ 0 }) &&
	       !pp_num_shortest(0.5, &(int64_t){ 0 }, &(int){ 0 }) &&
	       !pp_num_shortest(1e9, &(int64_t){ 0 }, &(int){ 0 }),
	   "what is not, says so");
}

int
main(void)
{
	pp_i128 large = (pp_i128)INT64_MAX * INT64_MAX;

	check_u64("0", true, 0);
	check_u64("00012", true, 12);
	check_u64("18446744073709551615", true, UINT64_MAX);
	check_u64("18446744073709551616", false, 0);
	check_u64("99999999999999999999999", false, 0);
	check_u64("", false, 0);
	check_u64("-1", false, 0);
	check_u64("+1", false, 0);
	check_u64("1 ", false, 0);
	check_u64("1a", false, 0);
	check_i64("-9223372036854775808", true, INT64_MIN);
	check_i64("-9223372036854775809", false, 0);
	check_i64("9223372036854775807", true, INT64_MAX);
	check_i64("9223372036854775808", false, 0);
	check_i64("-", false, 0);
	check_i64("--1", false, 0);
	check_i64("-0", true, 0);
	check_hex("fF", true, 255);
	check_hex("ffffffffffffffff", true, UINT64_MAX);
	check_hex("10000000000000000", false, 0);
	check_hex("0x10", false, 0);
	check_hex("", false, 0);
	check_hex("g", false, 0);
	check_decimal("12.340", true, 12340, -3);
	check_decimal("-12.340e-2", true, -12340, -5);
	check_decimal("1e6", true, 1, 6);
	check_decimal("1E+6", true, 1, 6);
	check_decimal("", false, 0, 0);
	check_decimal(".", false, 0, 0);
	check_decimal("1e", false, 0, 0);
	check_decimal("1e99999999999999999999", false, 0, 0);
	check_decimal("9223372036854775808", false, 0, 0);
	check_decimal("1.5x", false, 0, 0);
	check_double("0.1", true, 0.1);
	check_double("-1.5e-3", true, -0.0015);
	check_double("9007199254740993", true, 9007199254740992.0);
	check_double("1e999", true, (double)INFINITY);
	check_double("inf", false, 0);
	check_double("nan", false, 0);
	check_double("0x10", false, 0);
	check_double("", false, 0);
	check_double("1.5 ", false, 0);
	check_double(
	    "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	    "000000000000000000000000000000000000000000000000000000000000000000000000000001",
	    true, 1e-162);
	check_print(0, 0, "0");
	check_print(-5, 0, "-5");
	check_print(12340, 3, "12.34");
	check_print(-5, 3, "-0.005");
	check_print(1000, 3, "1");
	check_print(0, 9, "0");
	check_print(INT64_MIN, 0, "-9223372036854775808");
	check_print(large, 0, "85070591730234615847396907784232501249");
	check_print(-large, 20, "-850705917302346158.47396907784232501249");
	check_print((pp_i128)UINT64_MAX + 1, 0, "18446744073709551616");
	check_print_hex(0, 1, "0");
	check_print_hex(15, 1, "f");
	check_print_hex(16, 1, "10");
	check_print_hex(0xbeef, 16, "000000000000beef");
	check_print_hex(UINT64_MAX, 1, "ffffffffffffffff");
	check_print_hex(1, 40, "0000000000000001");
	check_print_double(0.1, "0.1");
	check_print_double(3, "3");
	check_print_double(-0.0, "0");
	check_print_double(1e300, "1e+300");
	check_print_double(1.0 / 3, "0.3333333333333333");
	check_print_double((double)NAN, "null");
	check_print_double(-(double)INFINITY, "null");
	check_shortest();
	check_huge();
	return tap_done();
}
