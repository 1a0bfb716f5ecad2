/*
 * Hashing of bytes and of ids, and a map from 64-bit keys to 32-bit ids.
 * Seeds are random for each process (an attacker must not choose collisions), so no result may ever
 * depend on the order of a table.
 */
#ifndef PP_HASH_H
#define PP_HASH_H

#include "base/common.h"

#define PP_HASH_K1 0x9e3779b97f4a7c15u
#define PP_HASH_K2 0xd6e8feb86659fd93u

/* Folds a 64x64 product into 64 bits: one multiplication mixes all bits of both. */
static inline uint64_t
pp_mix(uint64_t a, uint64_t b)
{
	pp_u128 product = (pp_u128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t pp_hash_bytes(const void *bytes, size_t n, uint64_t seed);

/* FNV-1a with 64 bits, for what must be the same in every process and for ever: begun with the basis, gone on with by bytes. */
#define PP_FNV_BASIS 0xcbf29ce484222325u
#define PP_FNV_PRIME 0x100000001b3u

static inline uint64_t
pp_fnv_add(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ p[i]) * PP_FNV_PRIME;
	return h;
}
/* The same sort of hash, faster over hundreds of bytes. */
uint64_t pp_hash_long(struct pp_slice, uint64_t seed);

/* The same sort of hash, inline for short texts. */
static inline uint64_t
pp_hash_text(const unsigned char *p, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ n * PP_HASH_K1, last = 0;
	size_t i;

	if (n < 8) {
		for (i = 0; i < n; i++)
			last = last << 8 | p[i];
		return pp_mix(h ^ last, PP_HASH_K1);
	}
	for (i = 0; i + 8 < n; i += 8)
		h = pp_mix(h ^ pp_load64(p + i), PP_HASH_K2);
	return pp_mix(h ^ pp_load64(p + n - 8), PP_HASH_K1);
}

/* Key to id; both arbitrary except that id UINT32_MAX is reserved. Zero-initialised + seed is empty. */
struct pp_map {
	struct pp_map_slot {
		uint64_t key;
		uint32_t id;
		uint32_t used;
	} * slots;
	size_t n;
	size_t mask; /* slots - 1, or 0 without slots */
	uint64_t seed;
};

#define PP_MAP_NONE UINT32_MAX

/* The id of a key, PP_MAP_NONE when absent. */
uint32_t pp_map_get(const struct pp_map *, uint64_t key);
/* Sets or replaces; false when out of memory. */
bool pp_map_set(struct pp_map *, uint64_t key, uint32_t id);
void pp_map_release(struct pp_map *);

#endif
