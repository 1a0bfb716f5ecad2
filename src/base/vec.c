/*
 * Growable arrays: the one place that computes their sizes.
 */
#include "base/vec.h"

#include <string.h>

#include "base/stops.h"

bool
pp_vec_grow(void **items, size_t *cap, size_t item_size, size_t need)
{
	size_t wanted = *cap + *cap / 2 + 8;
	size_t bytes;
	void *moved;

	if (wanted < need)
		wanted = need;
	if (!pp_size_mul(wanted, item_size, &bytes))
		return false;
	moved = realloc(*items, bytes);
	if (!moved)
		return false;
	*items = moved;
	*cap = wanted;
	return true;
}

bool
pp_items_permute(void *items, size_t item_size, const uint32_t *order, size_t n)
{
	unsigned char *from = items, *to = malloc(n * item_size + 1);
	bool fine;
	size_t i;

	for (i = 0; to && i < n && !pp_account_stops_at(i); i++)
		memcpy(to + i * item_size, from + order[i] * item_size, item_size);
	fine = to && i == n;
	if (fine && n && item_size)
		memcpy(items, to, n * item_size);
	free(to);
	return fine;
}
