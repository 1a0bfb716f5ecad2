/*
 * From the names in folded lines to frames, fast: the end of a name and its hash are found in one go, and
 * a table leads from the hash to the frame.
 */
#ifndef PP_FOLDED_NAMES_H
#define PP_FOLDED_NAMES_H

#include "base/hash.h"
#include "base/slots.h"
#include "base/vec.h"
#include "model/builder.h"

struct pp_folded_names {
	struct pp_builder *builder;
	struct pp_slots slots; /* by hash: where the entry starts, in units of its alignment */
	/* Frame, length and bytes of each name, one after the other: one cache line for most. */
	PP_VEC(unsigned char) entries;
	PP_VEC(uint32_t) length_of; /* by frame */
};

#define PP_FOLDED_ENTRY_HEAD ((size_t)8)

bool pp_folded_names_init(struct pp_folded_names *, struct pp_builder *);
void pp_folded_names_release(struct pp_folded_names *);
/* Enters a name that is not there yet; 0 on failure. */
pp_frame pp_folded_name_add(struct pp_folded_names *, struct pp_slice name, uint32_t tag);

/*
 * Finds the end of the name at `p` and its hash at once; returns its length. Reads up to seven bytes past
 * `end`, which the input's padding allows.
 */
static inline size_t
pp_folded_scan(const unsigned char *p, const unsigned char *end, uint64_t seed, uint32_t *tag)
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	const unsigned char *q = p;
	uint64_t h = seed;

	for (;;) {
		uint64_t word = pp_load64(q);
		uint64_t diff = word ^ (ones * ';');
		uint64_t found = (diff - ones) & ~diff & highs;
		size_t rest = (size_t)(end - q);

		if (rest < 8)
			found |= (uint64_t)0x80 << (rest * 8);
		if (found) {
			unsigned at = (unsigned)__builtin_ctzll(found) & ~7u;
			size_t n = (size_t)(q - p) + at / 8;

			word &= ((uint64_t)1 << at) - 1;
			*tag = (uint32_t)(pp_mix(h ^ word, PP_HASH_K1 + n) >> 32);
			return n;
		}
		h = pp_mix(h ^ word, PP_HASH_K2);
		q += 8;
	}
}

static inline void
pp_folded_name_prefetch(const struct pp_folded_names *t, uint32_t tag)
{
	pp_slots_prefetch(&t->slots, tag);
}

/* The frame of a name, made when it is new; 0 on failure. */
static inline pp_frame
pp_folded_name(struct pp_folded_names *t, const unsigned char *p, size_t n, uint32_t tag)
{
	size_t at = pp_slots_begin(&t->slots, tag);
	uint32_t row;

	while ((row = pp_slots_next(&t->slots, tag, &at))) {
		const unsigned char *entry = t->entries.at + (size_t)row * 8;

		if (pp_load32(entry + 4) == n && pp_same_bytes(entry + PP_FOLDED_ENTRY_HEAD, p, n))
			return pp_load32(entry);
	}
	return pp_folded_name_add(t, pp_slice_of(p, n), tag);
}

#endif
