/*
 * Growable arrays: the one place that computes their sizes.
 */
#include "base/vec.h"

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
