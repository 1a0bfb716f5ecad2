/*
 * Numbers from and to text: exact, bounded, independent of the locale.
 */
#ifndef PP_NUM_H
#define PP_NUM_H

#include "base/buf.h"
#include "base/common.h"

/* Bytes that any number printed here needs at most, NUL included. */
#define PP_NUM_MAX 64

/* All of `s` as a decimal number without sign; false when empty, not digits, or past 64 bits. */
bool pp_num_u64(struct pp_slice s, uint64_t *out);
/* The same with an optional '-' (no '+'). */
bool pp_num_i64(struct pp_slice s, int64_t *out);
/* Hexadecimal digits without prefix. */
bool pp_num_hex(struct pp_slice s, uint64_t *out);

/*
 * A decimal number `-12.340e-2` as an integer times a power of ten: value = mantissa * 10^exponent,
 * with trailing zeros of the fraction kept ("12.340" is 12340e-3). False when it is not a number
 * or the mantissa exceeds 63 bits.
 */
bool pp_num_decimal(struct pp_slice s, int64_t *mantissa, int *exponent);
/* All of `s` as a double (JSON number syntax); correctly rounded. */
bool pp_num_double(struct pp_slice s, double *out);

/* Prints `value * 10^-scale` exactly, without trailing zeros of the fraction; returns the length. */
size_t pp_num_print(char out[PP_NUM_MAX], pp_i128 value, unsigned scale);
/* Hexadecimal digits, at least so many, and a NUL; returns how many. */
#define PP_HEX_MAX 17
size_t pp_num_print_hex(char out[PP_HEX_MAX], uint64_t value, unsigned digits);
/* The shortest decimal text that reads back as the same double; "null" for NaN and infinities. */
size_t pp_num_print_double(char out[PP_NUM_MAX], double value);

/* The same as mantissa * 10^exponent, quickly; false for what is below 1e-9, 1e9 or more, or a power of two. */
bool pp_num_shortest(double value, int64_t *mantissa, int *exponent);

/* Multiplies by a power of ten; false when that exceeds 64 bits. */
static inline bool
pp_num_times_power10(int64_t *value, unsigned power)
{
	while (power-- > 0)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return true;
}

/* Adds to a count, which stays at the largest number rather than starting over. */
static inline void
pp_count_add(uint64_t *count, uint64_t add)
{
	if (__builtin_add_overflow(*count, add, count))
		*count = UINT64_MAX;
}

#endif
