/*
 * From the numbers by which a file calls its things to rows: numbers that are small, or hardly larger than the rows
 * there are, stand in a plain array, so that most are found without hashing.
 */
#ifndef PP_ID_TABLE_H
#define PP_ID_TABLE_H

#include "base/hash.h"

/* Zero-initialised + large.seed is empty. */
struct pp_id_table {
	uint32_t *small; /* row + 1 */
	size_t small_n;
	struct pp_map large;
};

/* False when the number is not there. */
bool pp_id_table_get(const struct pp_id_table *, uint64_t number, uint32_t *row);
/* Sets or replaces; false when out of memory. */
bool pp_id_table_set(struct pp_id_table *, uint64_t number, uint32_t row);
void pp_id_table_release(struct pp_id_table *);

#endif
