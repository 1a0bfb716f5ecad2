/*
 * Hashing of bytes, and an open-addressing map with linear probing.
 */
#include "base/hash.h"
#include "base/stops.h"

#include <stdlib.h>

#define FIRST_SLOTS ((size_t)16)

uint64_t
pp_hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
	const unsigned char *p = bytes;
	uint64_t h = seed ^ (n * PP_HASH_K1);
	uint64_t tail = 0;

	for (; n >= 8; p += 8, n -= 8)
		h = pp_mix(h ^ pp_load64(p), PP_HASH_K2);
	if (n)
		memcpy(&tail, p, n);
	return pp_mix(h ^ tail, PP_HASH_K1);
}

static size_t
map_slot(const struct pp_map *m, uint64_t key)
{
	size_t i = (size_t)pp_mix(key ^ m->seed, PP_HASH_K1) & m->mask;

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return i;
}

static bool
map_double(struct pp_map *m)
{
	size_t old = m->slots ? m->mask + 1 : 0;
	struct pp_map larger = { .seed = m->seed, .n = m->n };
	size_t i;

	larger.mask = (old ? old * 2 : FIRST_SLOTS) - 1;
	larger.slots = calloc(larger.mask + 1, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (i = 0; i < old; i++) {
		if (pp_account_stops_at(i)) {
			free(larger.slots);
			return false;
		}
		if (m->slots[i].used)
			larger.slots[map_slot(&larger, m->slots[i].key)] = m->slots[i];
	}
	free(m->slots);
	*m = larger;
	return true;
}

uint32_t
pp_map_get(const struct pp_map *m, uint64_t key)
{
	size_t i;

	if (!m->slots)
		return PP_MAP_NONE;
	i = map_slot(m, key);
	return m->slots[i].used ? m->slots[i].id : PP_MAP_NONE;
}

bool
pp_map_set(struct pp_map *m, uint64_t key, uint32_t id)
{
	size_t i;

	if ((!m->slots || (m->n + 1) * 4 > (m->mask + 1) * 3) && !map_double(m))
		return false;
	i = map_slot(m, key);
	m->n += !m->slots[i].used;
	m->slots[i] = (struct pp_map_slot){ key, id, 1 };
	return true;
}

void
pp_map_release(struct pp_map *m)
{
	free(m->slots);
	m->slots = NULL;
	m->n = m->mask = 0;
}

/* Four lanes, so that multiplications overlap. */
uint64_t
pp_hash_long(struct pp_slice s, uint64_t seed)
{
	uint64_t a = seed, b = seed ^ PP_HASH_K1, c = seed ^ PP_HASH_K2, d = ~seed;
	const unsigned char *p = s.p;
	size_t n = s.n;

	for (; n >= 32; p += 32, n -= 32) {
		a = pp_mix(a ^ pp_load64(p), PP_HASH_K1);
		b = pp_mix(b ^ pp_load64(p + 8), PP_HASH_K2);
		c = pp_mix(c ^ pp_load64(p + 16), PP_HASH_K1);
		d = pp_mix(d ^ pp_load64(p + 24), PP_HASH_K2);
	}
	return pp_hash_bytes(p, n, pp_mix(a ^ b, PP_HASH_K1 ^ c) ^ d ^ s.n);
}
