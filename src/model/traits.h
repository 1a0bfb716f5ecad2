/*
 * What a profile can have, trait by trait: for reports of what a format cannot hold.
 */
#ifndef PP_TRAITS_H
#define PP_TRAITS_H

#include "model/profile.h"

enum pp_trait {
#define TRAIT(name, id, what, explain) PP_TRAIT_##name,
#include "model/trait_list.h"
#undef TRAIT
	PP_TRAITS
};

/* A set of traits: PP_HAS(STACKS) | PP_HAS(LINES). */
#define PP_HAS(name) ((uint64_t)1 << PP_TRAIT_##name)

/* A number that nobody knows: there are some, and the reader was told to skip them. */
#define PP_TRAIT_UNCOUNTED UINT64_MAX

struct pp_traits {
	uint64_t n[PP_TRAITS]; /* 0 = the profile has none */
};

/* Counts what a profile has, but for HOMONYMS, RECURSION, ROOTS and PRIVATE. False when out of memory. */
bool pp_traits_count(const struct pp_profile *, struct pp_traits *);
/*
 * How many functions would be lost if they were told apart by their names and those of FILES, FIRST_LINES,
 * FIRST_COLUMNS and MODULES that are in `by`. False when out of memory.
 */
bool pp_traits_homonyms(const struct pp_profile *, uint64_t by, uint64_t *n);

#endif
