/*
 * From numbers to rows.
 */
#include "base/id_table.h"

#include <stdlib.h>

#include "base/vec.h"

/* Numbers below this, or below four times the rows there are, stand in a plain array. */
#define SMALL_ALWAYS 65536u

bool
pp_id_table_get(const struct pp_id_table *t, uint64_t number, uint32_t *row)
{
	if (PP_LIKELY(number < t->small_n)) {
		*row = t->small[number] - 1;
		if (PP_LIKELY(t->small[number]))
			return true;
	}
	*row = pp_map_get(&t->large, number);
	return *row != PP_MAP_NONE;
}

bool
pp_id_table_set(struct pp_id_table *t, uint64_t number, uint32_t row)
{
	if (number >= t->small_n && (number < SMALL_ALWAYS || number / 4 < row)) {
		size_t cap = t->small_n, old = cap;

		if (!pp_vec_grow((void **)&t->small, &cap, sizeof *t->small, (size_t)number + 1))
			return false;
		memset(t->small + old, 0, (cap - old) * sizeof *t->small);
		t->small_n = cap;
	}
	if (number < t->small_n) {
		t->small[number] = row + 1;
		return true;
	}
	return pp_map_set(&t->large, number, row);
}

void
pp_id_table_release(struct pp_id_table *t)
{
	free(t->small);
	t->small = NULL;
	t->small_n = 0;
	pp_map_release(&t->large);
}
