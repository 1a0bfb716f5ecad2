/*
 * Lists of groups by a key of their names, and an index of their places for names that many functions have.
 *
 * A profile that brings a function looks only at the groups of its list, and of a long list only at those of its place, so
 * that matching takes time in proportion to what profiles contain, however many functions share a name.
 */
#ifndef PP_IDENTITY_CHAINS_H
#define PP_IDENTITY_CHAINS_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"

/* Lists up to this length are always walked. */
#define PP_CHAIN_SHORT 64
/* Steps in longer lists that each function pays for, so that all walks together take linear time. */
#define PP_CHAIN_STEPS 64
/* The value of a place key that several groups have. */
#define PP_CHAIN_SEVERAL (PP_MAP_NONE - 1)
/* How many components at the end of a path are compared at most where only keys are. */
#define PP_CHAIN_COMPONENTS 4

struct pp_canonical;

struct pp_chain {
	uint64_t key;
	uint32_t first; /* a link; PP_MAP_NONE ends */
	uint32_t count; /* of links */
	bool placed;    /* all groups are in `by_place` */
};

struct pp_chain_link {
	uint32_t group, next;
};

struct pp_chains {
	struct pp_map by_key, by_place;
	PP_VEC(struct pp_chain) all;
	PP_VEC(struct pp_chain_link) links;
};

void pp_chains_init(struct pp_chains *, uint64_t seed);
void pp_chains_release(struct pp_chains *);

/* A key of the last components of a path, the line, and the column or not. */
uint64_t pp_place_key(const struct pp_canonical *, unsigned components, bool column);
/* Enters `at` for a key, or that several have it; false when out of memory. */
bool pp_place_enter(struct pp_map *, uint64_t key, uint32_t at);

/* Adds a group; false when out of memory. */
bool pp_chains_add(struct pp_chains *, uint64_t key, const struct pp_canonical *, uint32_t group);
/* The list of a key, until the next one is added; NULL if there is none. */
struct pp_chain *pp_chains_find(struct pp_chains *, uint64_t key);
/* The group at a place in a list whose groups are `placed`; PP_CHAIN_SEVERAL or PP_MAP_NONE if there is not exactly one. */
uint32_t pp_chains_at(const struct pp_chains *, const struct pp_chain *,
                      const struct pp_canonical *, unsigned components, bool column);
/* Enters a group of a list into the index of places; false when out of memory. */
bool pp_chains_place(struct pp_chains *, const struct pp_chain *, const struct pp_canonical *,
                     uint32_t group);

#endif
