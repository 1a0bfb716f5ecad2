/*
 * Interned byte strings: equal bytes have equal ids, ids go by first appearance, 0 is "".
 */
#ifndef PP_STRTAB_H
#define PP_STRTAB_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/slots.h"
#include "base/vec.h"

struct pp_strtab {
	struct pp_arena arena;
	PP_VEC(struct pp_slice) strs; /* each is followed by a NUL that does not count */
	struct pp_slots slots;        /* by the upper half of the hash */
	uint64_t seed;
};

bool pp_strtab_init(struct pp_strtab *, uint64_t seed);
/*
 * A table that knows the strings of another one by the same ids and takes more; the bytes stay where they are, so
 * the arena of `base` must outlive it or be joined with its own. False when out of memory.
 */
bool pp_strtab_extend(struct pp_strtab *, const struct pp_strtab *base);
void pp_strtab_release(struct pp_strtab *);
/* Forgets all strings but "" and keeps the room for as many. */
void pp_strtab_clear(struct pp_strtab *);

/* The hash this table uses for a string. */
static inline uint64_t
pp_strtab_hash(const struct pp_strtab *t, const void *p, size_t n)
{
	return pp_hash_bytes(p, n, t->seed);
}

/*
 * Interns; *is_new says whether the string was unknown. Returns false when out of memory or when
 * there are 2^32 - 1 strings already.
 */
bool pp_strtab_intern(struct pp_strtab *, const void *p, size_t n, pp_str *id, bool *is_new);
/* Looks up without adding; false when absent. */
bool pp_strtab_find(const struct pp_strtab *, const void *p, size_t n, pp_str *id);

/*
 * The same in two steps, for several strings side by side: what each is found by, its slot being fetched
 * meanwhile, and the string, 0 when absent.
 */
static inline uint32_t
pp_strtab_tag(const struct pp_strtab *t, struct pp_slice s)
{
	uint32_t tag = (uint32_t)(pp_strtab_hash(t, s.p, s.n) >> 32);

	pp_slots_prefetch(&t->slots, tag);
	return tag;
}

static inline __attribute__((always_inline)) pp_str
pp_strtab_tagged(const struct pp_strtab *t, uint32_t tag, struct pp_slice s)
{
	size_t at = pp_slots_begin(&t->slots, tag);
	pp_str id;

	while ((id = pp_slots_next(&t->slots, tag, &at)))
		if (pp_slice_eq(t->strs.at[id], s))
			break;
	return id;
}

/* Interns a string whose tag is known. */
bool pp_strtab_intern_tagged(struct pp_strtab *, uint32_t tag, struct pp_slice, pp_str *id,
                             bool *is_new);

static inline struct pp_slice
pp_strtab_get(const struct pp_strtab *t, pp_str id)
{
	return t->strs.at[id];
}

#endif
