/*
 * The table from names to frames.
 */
#include "formats/folded/names.h"

#define FIRST_SLOTS ((size_t)4096)

static bool
slots_double(struct pp_folded_names *t)
{
	size_t slots = t->slots ? (t->mask + 1) * 2 : FIRST_SLOTS;
	struct pp_folded_slot *larger = calloc(slots, sizeof *larger);
	size_t i;

	if (!larger)
		return false;
	for (i = 0; t->slots && i <= t->mask; i++) {
		size_t at = t->slots[i].tag & (slots - 1);

		if (!t->slots[i].at)
			continue;
		while (larger[at].at)
			at = (at + 1) & (slots - 1);
		larger[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = larger;
	t->mask = slots - 1;
	return true;
}

bool
pp_folded_names_init(struct pp_folded_names *t, struct pp_builder *builder)
{
	*t = (struct pp_folded_names){ .builder = builder };
	return slots_double(t);
}

void
pp_folded_names_release(struct pp_folded_names *t)
{
	free(t->slots);
	pp_vec_release(&t->entries);
	pp_vec_release(&t->length_of);
}

/* Appends an entry; its offset in units of its alignment, 0 when out of memory. */
static uint32_t
entry_add(struct pp_folded_names *t, struct pp_slice name, pp_frame frame)
{
	size_t at = t->entries.n ? t->entries.n : PP_FOLDED_ENTRY_HEAD;
	size_t size = PP_FOLDED_ENTRY_HEAD + ((name.n + 7) & ~(size_t)7);
	uint32_t head[2] = { frame, (uint32_t)name.n };

	if (at / 8 > UINT32_MAX || !pp_vec_reserve(&t->entries, at + size))
		return 0;
	memcpy(t->entries.at + at, head, sizeof head);
	memcpy(t->entries.at + at + PP_FOLDED_ENTRY_HEAD, name.p, name.n);
	t->entries.n = at + size;
	return (uint32_t)(at / 8);
}

pp_frame
pp_folded_name_add(struct pp_folded_names *t, struct pp_slice name, uint32_t tag)
{
	pp_frame frame = name.n < UINT32_MAX ? pp_build_frame_named(t->builder, name) : 0;
	uint32_t entry;
	size_t at;

	if (!frame)
		return 0;
	if (!pp_vec_reserve(&t->length_of, (size_t)frame + 1) ||
	    ((t->n + 1) * 4 > (t->mask + 1) * 3 && !slots_double(t)) ||
	    !(entry = entry_add(t, name, frame))) {
		pp_builder_fail(t->builder, PP_E_NOMEM, NULL);
		return 0;
	}
	t->length_of.at[frame] = (uint32_t)name.n;
	for (at = tag & t->mask; t->slots[at].at; at = (at + 1) & t->mask)
		;
	t->slots[at] = (struct pp_folded_slot){ tag, entry };
	t->n++;
	return frame;
}
