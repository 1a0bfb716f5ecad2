/*
 * Numbers of any size in few bytes: seven bits each, the lowest first; the last has its top bit clear.
 */
#ifndef PP_VARINT_H
#define PP_VARINT_H

#include <stddef.h>
#include <stdint.h>

/* Longest varint of 64 bits. */
#define PP_VARINT_MAX 10

/* Signed numbers near 0 as small unsigned ones, and back. */
static inline uint64_t
pp_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t
pp_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Writes up to PP_VARINT_MAX bytes; returns where the next goes. */
static inline unsigned char *
pp_varint_put(unsigned char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

/* Reads one that is known to be whole; returns where the next starts. */
static inline const unsigned char *
pp_varint_get(const unsigned char *p, uint64_t *v)
{
	unsigned shift = 0;
	uint64_t value = 0;

	do {
		value |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	} while (*p++ & 0x80);
	*v = value;
	return p;
}

/* Steps over one; NULL when it is not whole or too long. */
static inline const unsigned char *
pp_varint_skip(const unsigned char *p, const unsigned char *end)
{
	size_t left = (size_t)(end - p), n = 0;

	left = left < PP_VARINT_MAX ? left : PP_VARINT_MAX;
	while (n < left && p[n] & 0x80)
		n++;
	return n < left ? p + n + 1 : NULL;
}

#endif
