/*
 * The functions of one name while profiles are matched; for identity.c alone.
 */
#ifndef PP_IDENTITY_BUCKET_H
#define PP_IDENTITY_BUCKET_H

#include "analysis/identity.h"

/* More pairs of functions of one name (thousands of "{closure}") are not compared one by one. */
#define PP_BUCKET_PAIRS 40000

/* A function of the profile being matched. */
struct pp_entity {
	pp_func func;
	struct pp_canonical as;
	uint32_t group; /* 0 = not matched yet */
	uint32_t
	    alias;     /* 1 + the entity of this profile that it is another spelling of; 0 = none */
	uint32_t next; /* next entity of the same key; PP_MAP_NONE ends */
};

struct pp_matching {
	struct pp_identity *id;
	const struct pp_profile *p;
	PP_VEC(struct pp_entity) entities;
	struct pp_buf part; /* scratch */
	bool same_build;    /* it has a function whose name has Rust's hash and that met its like */
	bool failed;
};

/* The functions of one key that have not met a group yet, and the groups of that key that are left. */
struct pp_bucket {
	PP_VEC(struct pp_entity *) entities;
	PP_VEC(uint32_t) groups;
};

/* Whether nothing in a function's name but its place tells it from others. */
bool pp_entity_is_anonymous(const struct pp_matching *, const struct pp_entity *);
/* A function meets a group. */
void pp_entity_take(struct pp_matching *, struct pp_entity *, uint32_t group);
/* Enters the functions of a bucket into a map by their places. */
void pp_bucket_places(struct pp_matching *, const struct pp_bucket *, unsigned components,
                      bool column, struct pp_map *places);
/* Matches functions and groups by their places, best first, then what is left. */
void pp_bucket_match(struct pp_matching *, struct pp_bucket *);
/* Takes what is left on both sides together if one of them does not know places, or if it is one on each side. */
void pp_bucket_rest(struct pp_matching *, struct pp_bucket *);

#endif
