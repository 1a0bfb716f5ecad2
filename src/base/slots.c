/*
 * Room for slots; looking up and adding are in the header.
 */
#include "base/slots.h"

#include <stdlib.h>

static void *
plain_get(size_t bytes)
{
	return calloc(1, bytes);
}

static void
plain_put(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}

const struct pp_pages pp_pages_plain = { plain_get, plain_put };

static size_t
slots_bytes(unsigned bits)
{
	return sizeof(struct pp_slot) << bits;
}

bool
pp_slots_init(struct pp_slots *s, unsigned bits, const struct pp_pages *pages)
{
	*s = (struct pp_slots){ .bits = bits, .pages = pages ? pages : &pp_pages_plain };
	s->at = s->pages->get(slots_bytes(bits));
	return s->at != NULL;
}

void
pp_slots_release(struct pp_slots *s)
{
	if (s->at)
		s->pages->put(s->at, slots_bytes(s->bits));
	*s = (struct pp_slots){ 0 };
}

void
pp_slots_clear(struct pp_slots *s)
{
	memset(s->at, 0, slots_bytes(s->bits));
	s->used = 0;
}

bool
pp_slots_double(struct pp_slots *s)
{
	struct pp_slots larger;
	size_t i, old = (size_t)1 << s->bits;

	if (s->bits == 32 || !pp_slots_init(&larger, s->bits + 1, s->pages))
		return false;
	for (i = 0; i < old; i++)
		if (s->at[i].row)
			pp_slots_put(&larger, s->at[i].tag, s->at[i].row);
	pp_slots_release(s);
	*s = larger;
	return true;
}
