/*
 * Interned byte strings in an arena, found by open addressing with a 32-bit tag per slot.
 */
#include "base/strtab.h"

#define FIRST_SLOTS ((size_t)256)

bool
pp_strtab_init(struct pp_strtab *t, uint64_t seed)
{
	*t = (struct pp_strtab){ .seed = seed, .mask = FIRST_SLOTS - 1 };
	t->slots = calloc(FIRST_SLOTS, sizeof *t->slots);
	if (!t->slots || !pp_vec_push(&t->strs, pp_slice_of("", 0))) {
		pp_strtab_release(t);
		return false;
	}
	return true;
}

void
pp_strtab_release(struct pp_strtab *t)
{
	free(t->slots);
	t->slots = NULL;
	pp_vec_release(&t->strs);
	pp_arena_release(&t->arena);
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t
strtab_slot(const struct pp_strtab *t, uint64_t hash, const void *p, size_t n)
{
	uint32_t tag = (uint32_t)(hash >> 32);
	size_t i = (size_t)hash & t->mask;

	for (;; i = (i + 1) & t->mask) {
		const struct pp_strtab_slot *slot = &t->slots[i];

		if (!slot->id)
			return i;
		if (slot->tag == tag && pp_slice_eq(t->strs.at[slot->id], pp_slice_of(p, n)))
			return i;
	}
}

static bool
strtab_double(struct pp_strtab *t)
{
	size_t slots = (t->mask + 1) * 2;
	struct pp_strtab_slot *old = t->slots;
	struct pp_strtab_slot *larger = calloc(slots, sizeof *larger);
	size_t i;

	if (!larger)
		return false;
	t->slots = larger;
	t->mask = slots - 1;
	for (i = 1; i < t->strs.n; i++) {
		struct pp_slice s = t->strs.at[i];
		uint64_t hash = pp_strtab_hash(t, s.p, s.n);
		size_t at = (size_t)hash & t->mask;

		while (larger[at].id)
			at = (at + 1) & t->mask;
		larger[at] = (struct pp_strtab_slot){ (uint32_t)(hash >> 32), (pp_str)i };
	}
	free(old);
	return true;
}

bool
pp_strtab_find(const struct pp_strtab *t, const void *p, size_t n, pp_str *id)
{
	size_t i;

	*id = 0;
	if (n == 0)
		return true;
	i = strtab_slot(t, pp_strtab_hash(t, p, n), p, n);
	*id = t->slots[i].id;
	return *id != 0;
}

bool
pp_strtab_intern(struct pp_strtab *t, const void *p, size_t n, pp_str *id, bool *is_new)
{
	uint64_t hash;
	size_t i;
	char *copy;

	*is_new = false;
	*id = 0;
	if (n == 0)
		return true;
	hash = pp_strtab_hash(t, p, n);
	i = strtab_slot(t, hash, p, n);
	if (t->slots[i].id) {
		*id = t->slots[i].id;
		return true;
	}
	if (t->strs.n >= UINT32_MAX)
		return false;
	if ((t->strs.n + 1) * 2 > t->mask + 1) {
		if (!strtab_double(t))
			return false;
		i = strtab_slot(t, hash, p, n);
	}
	copy = pp_arena_copy(&t->arena, p, n);
	if (!copy || !pp_vec_push(&t->strs, pp_slice_of(copy, n)))
		return false;
	*id = (pp_str)(t->strs.n - 1);
	t->slots[i] = (struct pp_strtab_slot){ (uint32_t)(hash >> 32), *id };
	*is_new = true;
	return true;
}
