/* Sixteen bytes at once in two plain words, for targets without SSE2. Include text/block.h instead. */
#ifndef PP_BLOCK_SWAR_H
#define PP_BLOCK_SWAR_H

#include "base/common.h"
#include "text/swar.h"

#define PP_BLOCK_WIDE 0

static inline uint64_t
pp_block_word_stop(uint64_t word)
{
	return pp_swar_below(word, 0x20) | pp_swar_equal(word, '"') | pp_swar_equal(word, '\\') |
	       (word & PP_SWAR_HIGH);
}

static inline uint32_t
pp_block_text_stop(const unsigned char *p)
{
	uint64_t low = pp_block_word_stop(pp_load64(p));
	uint64_t high = pp_block_word_stop(pp_load64(p + 8));

	if (low)
		return (uint32_t)1 << pp_swar_first(low);
	return high ? (uint32_t)1 << (8 + pp_swar_first(high)) : 0;
}

/* Bit i: whether p[i], with the bits of `with` set, is c. */
static inline uint32_t
pp_block_like(const unsigned char *p, unsigned char with, unsigned char c)
{
	uint32_t bits = 0;
	unsigned i;

	for (i = 0; i < 16; i++)
		bits |= (uint32_t)((p[i] | with) == c) << i;
	return bits;
}

/* Bit i: whether p[i] is a digit. */
static inline uint32_t
pp_block_digits(const unsigned char *p)
{
	uint32_t bits = 0;
	unsigned i;

	for (i = 0; i < 16; i++)
		bits |= (uint32_t)(p[i] >= '0' && p[i] <= '9') << i;
	return bits;
}

#endif
