/*
 * Lanes in registers of 512 bits, or in pairs of 256 bits, which most x86-64 have: the program asks the processor. See hash_lanes.h.
 */
#include "store/hash_lanes.h"
#include "store/hash_tables.h"

typedef uint64_t words __attribute__((vector_size(8 * PP_LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE void
quarter_mix(words *a, words *b, words *c, words *d, const words *x, const words *y)
{
	*a += *b + *x;
	*d ^= *a;
	*d = *d >> 32 | *d << 32;
	*c += *d;
	*b ^= *c;
	*b = *b >> 24 | *b << 40;
	*a += *b + *y;
	*d ^= *a;
	*d = *d >> 16 | *d << 48;
	*c += *d;
	*b ^= *c;
	*b = *b >> 63 | *b << 1;
}

INLINE void
round_mix(words v[16], const words m[16], const unsigned char s[16])
{
	quarter_mix(&v[0], &v[4], &v[8], &v[12], &m[s[0]], &m[s[1]]);
	quarter_mix(&v[1], &v[5], &v[9], &v[13], &m[s[2]], &m[s[3]]);
	quarter_mix(&v[2], &v[6], &v[10], &v[14], &m[s[4]], &m[s[5]]);
	quarter_mix(&v[3], &v[7], &v[11], &v[15], &m[s[6]], &m[s[7]]);
	quarter_mix(&v[0], &v[5], &v[10], &v[15], &m[s[8]], &m[s[9]]);
	quarter_mix(&v[1], &v[6], &v[11], &v[12], &m[s[10]], &m[s[11]]);
	quarter_mix(&v[2], &v[7], &v[8], &v[13], &m[s[12]], &m[s[13]]);
	quarter_mix(&v[3], &v[4], &v[9], &v[14], &m[s[14]], &m[s[15]]);
}

INLINE void
lanes_mix(struct pp_lanes *l)
{
	words v[16], m[16], counted, last;
	unsigned i;

	memcpy(m, l->block, sizeof m);
	for (i = 0; i < 8; i++)
		memcpy(&v[i], l->state[i], sizeof v[i]);
	memcpy(&counted, l->counted, sizeof counted);
	memcpy(&last, l->last, sizeof last);
	for (i = 0; i < 8; i++)
		v[8 + i] = (words){ 0 } + pp_blake2b_initial[i];
	v[12] ^= counted;
	v[14] ^= last;
#pragma GCC unroll 12
	for (i = 0; i < PP_BLAKE2B_ROUNDS; i++)
		round_mix(v, m, pp_blake2b_schedule[i % PP_COUNT_OF(pp_blake2b_schedule)]);
	for (i = 0; i < 8; i++) {
		words state;

		memcpy(&state, l->state[i], sizeof state);
		state ^= v[i] ^ v[8 + i];
		memcpy(l->state[i], &state, sizeof state);
	}
}

__attribute__((target("avx2"))) static void
mix_avx2(struct pp_lanes *l)
{
	lanes_mix(l);
}

/* With more registers, and one instruction for each rotation. */
__attribute__((target("avx2,avx512f,avx512vl"))) static void
mix_avx512(struct pp_lanes *l)
{
	lanes_mix(l);
}

pp_lanes_mix *
pp_lanes_mixer(size_t nth)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
		if (nth == 0)
			return mix_avx512;
		nth--;
	}
	return nth == 0 && __builtin_cpu_supports("avx2") ? mix_avx2 : NULL;
}
