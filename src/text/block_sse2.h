/* Sixteen bytes at once with SSE2, which every x86-64 has. Include text/block.h instead. */
#ifndef PP_BLOCK_SSE2_H
#define PP_BLOCK_SSE2_H

#include <emmintrin.h>

#include "base/common.h"

#define PP_BLOCK_WIDE 1

static inline uint32_t
pp_block_text_stop(const unsigned char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
	__m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
	/* Compared as signed bytes, those >= 0x80 are negative, so this catches them as well. */
	__m128i odd = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));

	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), odd));
}

/* Bit i: whether p[i], with the bits of `with` set, is c. */
static inline uint32_t
pp_block_like(const unsigned char *p, unsigned char with, unsigned char c)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);

	x = _mm_cmpeq_epi8(_mm_or_si128(x, _mm_set1_epi8((char)with)), _mm_set1_epi8((char)c));
	return (uint32_t)_mm_movemask_epi8(x);
}

/* Bit i: whether p[i] is a digit. */
static inline uint32_t
pp_block_digits(const unsigned char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);

	x = _mm_subs_epu8(_mm_xor_si128(x, _mm_set1_epi8('0')), _mm_set1_epi8(9));
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128()));
}

#endif
