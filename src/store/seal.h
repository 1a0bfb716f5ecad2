/*
 * Seals: 64 bits over the columns of a row, the same on every machine for ever. A row that was changed, cut or moved to another key
 * is not what its seal says.
 *
 * They are made to see damage, not to keep out who can write the store. A step is one to one, both in what was there before and
 * in what comes in, so a change within 8 bytes in a row is always seen, and any other with all but one chance in 2^64.
 * Four of them side by side take 32 bytes at a time, which is faster than memory.
 *
 *     seal_begin()  "what the row is of", then number() or bytes() of each column, then seal_end()
 *
 * This header needs nothing of the rest of the program: bench/grow_store.c makes rows, too.
 */
#ifndef PP_STORE_SEAL_H
#define PP_STORE_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PP_SEAL_K1 0x9e3779b97f4a7c15u
#define PP_SEAL_K2 0xd6e8feb86659fd93u
#define PP_SEAL_LANES 4

/* 8 bytes, the first of them lowest. */
static inline uint64_t
pp_seal_load(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(v) : v;
}

static inline uint64_t
pp_seal_step(uint64_t h, uint64_t word)
{
	h = (h ^ word) * PP_SEAL_K1;
	return h << 29 | h >> 35;
}

static inline void
pp_seal_number(uint64_t *h, uint64_t number)
{
	*h = pp_seal_step(*h, number);
}

/* Their number comes first, so that no two lists of columns are the same. */
static inline void
pp_seal_bytes(uint64_t *h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t lanes[PP_SEAL_LANES], tail = 0;
	size_t i;

	*h = pp_seal_step(*h, n);
	if (n >= sizeof lanes) {
		for (i = 0; i < PP_SEAL_LANES; i++)
			lanes[i] = *h + i * PP_SEAL_K2;
		for (; n >= sizeof lanes; p += sizeof lanes, n -= sizeof lanes)
			for (i = 0; i < PP_SEAL_LANES; i++)
				lanes[i] = pp_seal_step(lanes[i], pp_seal_load(p + 8 * i));
		for (i = 0; i < PP_SEAL_LANES; i++)
			*h = pp_seal_step(*h, lanes[i]);
	}
	for (; n >= 8; p += 8, n -= 8)
		*h = pp_seal_step(*h, pp_seal_load(p));
	for (i = 0; i < n; i++)
		tail |= (uint64_t)p[i] << 8 * i;
	*h = pp_seal_step(*h, tail);
}

/* What a row is of goes first: rows of two tables are never alike. */
static inline uint64_t
pp_seal_begin(const char *what)
{
	uint64_t h = PP_SEAL_K2;

	pp_seal_bytes(&h, what, strlen(what));
	return h;
}

static inline int64_t
pp_seal_end(uint64_t h)
{
	h = (h ^ h >> 32) * PP_SEAL_K2;
	h = (h ^ h >> 29) * PP_SEAL_K1;
	return (int64_t)(h ^ h >> 32);
}

#endif
