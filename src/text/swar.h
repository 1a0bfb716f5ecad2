/*
 * Eight bytes at once in a plain 64-bit word.
 *
 * The tests return a word whose lowest set bit lies in the first byte (in memory order, the machine
 * being little-endian) that matches; bits above it may be wrong, so only pp_swar_first() may look.
 */
#ifndef PP_SWAR_H
#define PP_SWAR_H

#include "base/common.h"

#define PP_SWAR_ONES 0x0101010101010101u
#define PP_SWAR_HIGH 0x8080808080808080u

static const uint32_t pp_power10[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000
};

/* Bytes < limit, limit <= 0x80. */
static inline uint64_t
pp_swar_below(uint64_t word, unsigned char limit)
{
	return (word - PP_SWAR_ONES * limit) & ~word & PP_SWAR_HIGH;
}

static inline uint64_t
pp_swar_equal(uint64_t word, unsigned char c)
{
	uint64_t x = word ^ PP_SWAR_ONES * c;

	return (x - PP_SWAR_ONES) & ~x & PP_SWAR_HIGH;
}

/* Bytes >= 0x80, and DEL, which wants the same care. */
static inline uint64_t
pp_swar_high(uint64_t word)
{
	return (word | pp_swar_equal(word, 0x7f)) & PP_SWAR_HIGH;
}

/* Digits as their values, 0..9, so that the two functions below can look at them. */
static inline uint64_t
pp_swar_digits(uint64_t word)
{
	return word ^ PP_SWAR_ONES * '0';
}

/* Of what pp_swar_digits() gave: bytes that were no digits. */
static inline uint64_t
pp_swar_above9(uint64_t digits)
{
	return ((digits + PP_SWAR_ONES * (0x7f - 9)) | digits) & PP_SWAR_HIGH;
}

/* Of eight digits as values: the number that they make. */
static inline uint64_t
pp_swar_eight(uint64_t digits)
{
	/* Pairs, fours, eights. */
	digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ffu;
	digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffffu;
	return (digits * 10000 + (digits >> 32)) & 0xffffffffu;
}

/* Of what pp_swar_digits() gave: the number that the first n (1..8) digits make. */
static inline uint64_t
pp_swar_number(uint64_t digits, size_t n)
{
	/* The digits move to the end, zeros come before. */
	return pp_swar_eight(digits << (64 - 8 * n));
}

/* The same of the last n (1..8). */
static inline uint64_t
pp_swar_number_last(uint64_t digits, size_t n)
{
	unsigned other = 64 - 8 * (unsigned)n;

	return pp_swar_eight(digits >> other << other);
}

/* Index of the first byte that matched, 8 when none did. */
static inline size_t
pp_swar_first(uint64_t matches)
{
	return matches ? (size_t)__builtin_ctzll(matches) / 8 : 8;
}

#endif
