/*
 * How much of everything a profile holds.
 */
#ifndef PP_COUNTS_H
#define PP_COUNTS_H

#include "model/profile.h"

struct pp_counts {
	uint64_t stacks, functions, threads, edges, lines;
};

/* False when out of memory. */
bool pp_counts_compute(const struct pp_profile *, struct pp_counts *);

/* The facets by name, in the order in which they are listed. */
struct pp_facet_name {
	unsigned facet;
	const char *name;
};

extern const struct pp_facet_name pp_facet_names[4];

#endif
