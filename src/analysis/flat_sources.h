/*
 * Flat profiles from something else than the tree; pp_flat_compute() chooses.
 */
#ifndef PP_FLAT_SOURCES_H
#define PP_FLAT_SOURCES_H

#include "analysis/call_graph.h"
#include "analysis/flat.h"

/* Room for `rows` rows, all zero; false when out of memory. */
bool pp_flat_alloc(struct pp_flat *, const struct pp_profile *, size_t rows);
/*
 * The same for the functions that row_of numbers (row + 1, 0 = none), each in its row; false when out of
 * memory.
 */
bool pp_flat_number(struct pp_flat *, const struct pp_profile *, const uint32_t *row_of,
                    size_t rows);
/* Own cost from lines or calls, inclusive cost from edges with cycles resolved. */
pp_status pp_flat_edges(const struct pp_profile *, struct pp_flat *);
/* Numbers the cycles by their first function. row_of[func] is the row + 1; false when out of memory. */
bool pp_flat_cycles(struct pp_flat *, const struct pp_call_graph *, const uint32_t *row_of);
/*
 * Raises totals, as the calls between groups of functions tell them, to what the calls between the functions
 * themselves do, and names the cycles of these; see flat_groups.c. row_of[func] is the row + 1. False when out of memory.
 */
bool pp_flat_groups(struct pp_flat *, const struct pp_profile *, const uint32_t *row_of);
/* As the functions' own table states them. */
pp_status pp_flat_costs(const struct pp_profile *, struct pp_flat *);

#endif
