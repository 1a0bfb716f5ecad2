/*
 * Finds rows of a table by hash: open addressing with linear probing, 8 bytes a slot.
 *
 * A slot holds a 32-bit hash (`tag`) and a row (0 = free); what the rows are, and when two are equal, is
 * the owner's business:
 *
 *     for (at = pp_slots_begin(&slots, tag); (row = pp_slots_next(&slots, tag, &at));)
 *             if (same(row, wanted))
 *                     return row;
 *     if (!pp_slots_reserve(&slots, 1))
 *             return no_memory();
 *     pp_slots_put(&slots, tag, row = add(wanted));
 *
 * A slot's place are the upper bits of its tag, so the table doubles from its own slots, in order, and no
 * row is looked at again. At most three slots of four are used.
 */
#ifndef PP_SLOTS_H
#define PP_SLOTS_H

#include "base/common.h"
#include "base/pages.h"

struct pp_slot {
	uint32_t tag;
	uint32_t row; /* 0 = free */
};

struct pp_slots {
	struct pp_slot *at;
	size_t mask;    /* number of slots - 1 */
	unsigned shift; /* of a tag, to its place */
	uint32_t used;
	const struct pp_pages *pages;
};

/* `bits` of a tag's 32 at the start; `pages` may be NULL. False when out of memory. */
bool pp_slots_init(struct pp_slots *, unsigned bits, const struct pp_pages *pages);
/* Starts with the rows of another table; false when out of memory. */
bool pp_slots_copy(struct pp_slots *, const struct pp_slots *from);
/* Frees; what was never initialised but is zero may be released too. */
void pp_slots_release(struct pp_slots *);
/* Forgets all rows and keeps the room. */
void pp_slots_clear(struct pp_slots *);
/* Doubles the table; pp_slots_reserve() does so in time. */
bool pp_slots_double(struct pp_slots *);

/* Makes room for `more` rows: putting them then cannot fail. False when out of memory. */
static inline bool
pp_slots_reserve(struct pp_slots *s, size_t more)
{
	while (PP_UNLIKELY(((size_t)s->used + more) * 4 > s->mask * 3))
		if (!pp_slots_double(s))
			return false;
	return true;
}

/* Where rows of that tag start. */
static inline size_t
pp_slots_begin(const struct pp_slots *s, uint32_t tag)
{
	return tag >> s->shift;
}

/* The next row of that tag from *at on, 0 when there is none; *at moves behind it. */
static inline uint32_t
pp_slots_next(const struct pp_slots *s, uint32_t tag, size_t *at)
{
	const struct pp_slot *slot = &s->at[*at & s->mask];

	while (slot->row && slot->tag != tag)
		slot = &s->at[++*at & s->mask];
	++*at;
	return slot->row;
}

/* Adds a row, for which there is room. */
static inline void
pp_slots_put(struct pp_slots *s, uint32_t tag, uint32_t row)
{
	size_t i = pp_slots_begin(s, tag);

	while (s->at[i].row)
		i = (i + 1) & s->mask;
	s->at[i] = (struct pp_slot){ tag, row };
	s->used++;
}

/* The same without looking again, when room was reserved before pp_slots_next() said that there is none. */
static inline void
pp_slots_put_here(struct pp_slots *s, size_t at, uint32_t tag, uint32_t row)
{
	s->at[(at - 1) & s->mask] = (struct pp_slot){ tag, row };
	s->used++;
}

/* Fetches the slot that a look-up will need soon. */
static inline __attribute__((always_inline)) void
pp_slots_prefetch(const struct pp_slots *s, uint32_t tag)
{
	__builtin_prefetch(&s->at[pp_slots_begin(s, tag)]);
}

#endif
