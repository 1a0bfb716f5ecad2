/*
 * Room for slots; looking up and adding are in the header.
 */
#include "base/slots.h"
#include "base/stops.h"

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
slots_bytes(const struct pp_slots *s)
{
	return (s->mask + 1) * sizeof *s->at;
}

bool
pp_slots_init(struct pp_slots *s, unsigned bits, const struct pp_pages *pages)
{
	*s = (struct pp_slots){ .mask = ((size_t)1 << bits) - 1,
		                .shift = 32 - bits,
		                .pages = pages ? pages : &pp_pages_plain };
	s->at = s->pages->get(slots_bytes(s));
	return s->at != NULL;
}

bool
pp_slots_copy(struct pp_slots *s, const struct pp_slots *from)
{
	*s = *from;
	s->at = s->pages->get(slots_bytes(s));
	if (s->at)
		memcpy(s->at, from->at, slots_bytes(s));
	return s->at != NULL;
}

void
pp_slots_release(struct pp_slots *s)
{
	if (s->at)
		s->pages->put(s->at, slots_bytes(s));
	*s = (struct pp_slots){ 0 };
}

void
pp_slots_clear(struct pp_slots *s)
{
	memset(s->at, 0, slots_bytes(s));
	s->used = 0;
}

bool
pp_slots_double(struct pp_slots *s)
{
	struct pp_slots larger;
	size_t i, at, end;

	if (s->shift == 0 || !pp_slots_init(&larger, 33 - s->shift, s->pages))
		return false;
	for (at = 0; (end = pp_stretch(at, s->mask + 1)) > at; at = end)
		for (i = at; i < end; i++)
			if (s->at[i].row)
				pp_slots_put(&larger, s->at[i].tag, s->at[i].row);
	if (at <= s->mask) {
		pp_slots_release(&larger);
		return false;
	}
	pp_slots_release(s);
	*s = larger;
	return true;
}
