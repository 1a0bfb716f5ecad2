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

/* Index of the first byte that matched, 8 when none did. */
static inline size_t
pp_swar_first(uint64_t matches)
{
	return matches ? (size_t)__builtin_ctzll(matches) / 8 : 8;
}

#endif
