/* Hashing, the map and the table of strings: ids by first appearance, nothing lost in growing. */
#include "tap.h"

#include "base/hash.h"
#include "base/strtab.h"

enum { MANY = 100000 };

static void
check_map(uint64_t seed, uint64_t stride)
{
	struct pp_map map = { .seed = seed };
	unsigned wrong = 0;
	uint32_t i;

	is_u64(pp_map_get(&map, 7), PP_MAP_NONE, "nothing in an empty map");
	for (i = 0; i < MANY; i++)
		wrong += !pp_map_set(&map, i * stride, i);
	for (i = 0; i < MANY; i++)
		wrong += pp_map_get(&map, i * stride) != i;
	is_u64(wrong, 0, "keys in steps of %llu", (unsigned long long)stride);
	is_u64(map.n, MANY, "their number");
	is_u64(pp_map_get(&map, MANY * stride + 1), PP_MAP_NONE, "an absent key");
	ok(pp_map_set(&map, 0, 5) && pp_map_get(&map, 0) == 5 && map.n == MANY, "a key set again");
	pp_map_release(&map);
}

static void
check_strtab(uint64_t seed)
{
	struct pp_strtab t;
	unsigned wrong = 0;
	char text[32];
	bool is_new;
	pp_str id;
	uint32_t i;

	ok(pp_strtab_init(&t, seed), "a table");
	ok(pp_strtab_intern(&t, "", 0, &id, &is_new) && id == 0 && !is_new,
	   "the empty string is 0");
	for (i = 1; i <= MANY; i++) {
		size_t n = (size_t)snprintf(text, sizeof text, "name %u", i);

		wrong += !pp_strtab_intern(&t, text, n, &id, &is_new) || id != i || !is_new;
		wrong += !pp_strtab_intern(&t, text, n, &id, &is_new) || id != i || is_new;
	}
	for (i = 1; i <= MANY; i++) {
		size_t n = (size_t)snprintf(text, sizeof text, "name %u", i);

		wrong += !pp_strtab_find(&t, text, n, &id) || id != i ||
		         !pp_slice_eq_z(pp_strtab_get(&t, i), text);
	}
	is_u64(wrong, 0, "ids by first appearance");
	ok(!pp_strtab_find(&t, "absent", 6, &id), "an absent string");
	ok(pp_strtab_intern(&t, "a\0b", 3, &id, &is_new) && is_new &&
	       pp_strtab_intern(&t, "a\0c", 3, &id, &is_new) && is_new,
	   "NUL is a byte like any other");
	ok(pp_strtab_get(&t, id).p[3] == 0, "a NUL follows");
	pp_strtab_release(&t);
}

/* Strings that differ in length, in one bit, or in their tail hash differently. */
static void
check_bytes(void)
{
	unsigned char text[64] = { 0 };
	uint64_t base = pp_hash_bytes(text, sizeof text, 1);
	unsigned same = 0;
	size_t i;

	for (i = 0; i < sizeof text * 8; i++) {
		text[i / 8] ^= (unsigned char)(1u << i % 8);
		same += pp_hash_bytes(text, sizeof text, 1) == base;
		text[i / 8] ^= (unsigned char)(1u << i % 8);
	}
	for (i = 0; i < sizeof text; i++)
		same += pp_hash_bytes(text, i, 1) == pp_hash_bytes(text, i + 1, 1);
	is_u64(same, 0, "every bit and the length count");
	ok(pp_hash_bytes(text, 5, 1) != pp_hash_bytes(text, 5, 2), "the seed counts");
}

int
main(void)
{
	check_bytes();
	check_map(0, 1);
	check_map(0x123456789abcdefu, 1);
	check_map(1, (uint64_t)1 << 32);
	check_strtab(0);
	check_strtab(0x5eed);
	return tap_done();
}
