/*
 * The table from names to frames.
 */
#include "formats/folded/names.h"

#define FIRST_BITS 12

bool
pp_folded_names_init(struct pp_folded_names *t, struct pp_builder *builder)
{
	*t = (struct pp_folded_names){ .builder = builder };
	return pp_slots_init(&t->slots, FIRST_BITS, NULL);
}

void
pp_folded_names_release(struct pp_folded_names *t)
{
	pp_slots_release(&t->slots);
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

	if (!frame)
		return 0;
	if (!pp_vec_reserve(&t->length_of, (size_t)frame + 1) || !pp_slots_reserve(&t->slots, 1) ||
	    !(entry = entry_add(t, name, frame))) {
		pp_builder_fail(t->builder, PP_E_NOMEM, NULL);
		return 0;
	}
	t->length_of.at[frame] = (uint32_t)name.n;
	pp_slots_put(&t->slots, tag, entry);
	return frame;
}
