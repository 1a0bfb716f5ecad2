/*
 * What a store knows of a profile without reading it:
 *
 *     {"stacks": 12, "metrics": {"wt": 1250}, "units": {"wt": "ns"}}
 *
 * Profiles that count events have "events" after that: {"samples": "cycles"}.
 * A sum ends with "profiles", the number of its profiles. Totals are numbers as JSON of `info` has them. A program of tomorrow may add members.
 */
#ifndef PP_STORE_META_H
#define PP_STORE_META_H

#include "text/json_emit.h"
#include "model/profile.h"

/* Appends that of a profile; *stacks is how many it has. False when out of memory. */
bool pp_store_meta_make(const struct pp_profile *, struct pp_buf *, uint64_t *stacks);
/* One of its members as it stands, which is checked JSON; n = 0 when there is none. */
struct pp_slice pp_store_meta_member(const char *meta, const char *member, struct pp_arena *);
/*
 * Its metrics, their units and events, as they stand: equal for profiles that have the same. They are probably those of
 * another profile, `like`, which is then faster to see than to find.
 */
struct pp_slice pp_store_meta_units(struct pp_slice meta, struct pp_slice like);
/* "stacks" of it. */
uint64_t pp_store_meta_stacks(const char *meta);
/* How many profiles it is the sum of; 0 when it does not say. */
uint64_t pp_store_meta_profiles(struct pp_slice meta);

#endif
