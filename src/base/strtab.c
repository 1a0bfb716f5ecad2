/*
 * Interned byte strings in an arena.
 */
#include "base/strtab.h"

#define FIRST_BITS 8

bool
pp_strtab_init(struct pp_strtab *t, uint64_t seed)
{
	*t = (struct pp_strtab){ .seed = seed };
	if (!pp_slots_init(&t->slots, FIRST_BITS, NULL) ||
	    !pp_vec_push(&t->strs, pp_slice_of("", 0))) {
		pp_strtab_release(t);
		return false;
	}
	return true;
}

bool
pp_strtab_extend(struct pp_strtab *t, const struct pp_strtab *base)
{
	*t = (struct pp_strtab){ .seed = base->seed };
	if (!pp_slots_copy(&t->slots, &base->slots) || !pp_vec_reserve(&t->strs, base->strs.n)) {
		pp_strtab_release(t);
		return false;
	}
	memcpy(t->strs.at, base->strs.at, base->strs.n * sizeof *t->strs.at);
	t->strs.n = base->strs.n;
	return true;
}

void
pp_strtab_release(struct pp_strtab *t)
{
	pp_slots_release(&t->slots);
	pp_vec_release(&t->strs);
	pp_arena_release(&t->arena);
}

void
pp_strtab_clear(struct pp_strtab *t)
{
	pp_slots_clear(&t->slots);
	pp_arena_release(&t->arena);
	t->strs.n = 1;
}

bool
pp_strtab_find(const struct pp_strtab *t, const void *p, size_t n, pp_str *id)
{
	*id = n ? pp_strtab_tagged(t, (uint32_t)(pp_strtab_hash(t, p, n) >> 32), pp_slice_of(p, n))
	        : 0;
	return *id || n == 0;
}

bool
pp_strtab_intern_tagged(struct pp_strtab *t, uint32_t tag, struct pp_slice s, pp_str *id,
                        bool *is_new)
{
	char *copy;

	*is_new = false;
	*id = s.n ? pp_strtab_tagged(t, tag, s) : 0;
	if (*id || s.n == 0)
		return true;
	/* At most half of the slots: most look-ups of a name should find it at once. */
	if (t->strs.n >= UINT32_MAX || !pp_slots_reserve(&t->slots, t->slots.used / 2 + 1))
		return false;
	copy = pp_arena_copy(&t->arena, s.p, s.n);
	if (!copy || !pp_vec_push(&t->strs, pp_slice_of(copy, s.n)))
		return false;
	*id = (pp_str)(t->strs.n - 1);
	pp_slots_put(&t->slots, tag, *id);
	*is_new = true;
	return true;
}

bool
pp_strtab_intern(struct pp_strtab *t, const void *p, size_t n, pp_str *id, bool *is_new)
{
	return pp_strtab_intern_tagged(t, (uint32_t)(pp_strtab_hash(t, p, n) >> 32),
	                               pp_slice_of(p, n), id, is_new);
}
