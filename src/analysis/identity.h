/*
 * Which functions of several profiles are the same, whatever profiler wrote their names.
 *
 * Each function has a canonical name: `->` is `::`, `php::` and a leading `\` are gone, so are recursion
 * marks ('2), offsets (+0x1f), clone suffixes and flame-graph annotations; `{main}`, an included file and
 * a function named like its file are all the script of that path; closures and anonymous classes are
 * told apart by their place. docs/diff.md has the rules, one by one.
 *
 * Functions meet first by their whole identity, then by canonical name and place, then by canonical name
 * alone where places are not known or there is only one on each side, at last by their qualified name if one of the two
 * lacks the parameters that the other has, mangled or not: names with different parameters are different functions.
 * Functions that only one profile distinguishes are combined.
 */
#ifndef PP_IDENTITY_H
#define PP_IDENTITY_H

#include "analysis/identity_chains.h"
#include "base/buf.h"
#include "model/profile.h"

/* What a function is called when spelling does not matter. */
struct pp_canonical {
	pp_str name;  /* in the matcher's table, like the others */
	pp_str exact; /* as written */
	pp_str module;
	pp_str base;  /* the qualified name without parameters, once `is_split` */
	pp_str types; /* the parameters and the return type; 0 = none are stated */
	bool is_split;
	bool is_hashed; /* `base` lacks Rust's hash */
	struct pp_slice file;
	uint32_t line, column;
};

/* The canonical name of a function (n bytes into `out`), and its place as far as the name tells one. */
void pp_canonical_name(struct pp_slice name, struct pp_slice file, uint32_t line,
                       struct pp_buf *out, struct pp_slice *place_file, uint32_t *place_line);
/* The qualified name without parameters and Rust's hash, template arguments kept: mangled or not. */
void pp_loose_name(struct pp_slice s, struct pp_buf *out);
/* The part that pp_loose_name() drops: parameters and return type, without blanks, demangled. */
void pp_name_types(struct pp_slice s, struct pp_buf *out);
/* Whether only a place tells functions of a name apart: "{closure}", "<lambda>", "(anonymous)", "class@anonymous::f". */
bool pp_name_is_anonymous(struct pp_slice s);
/* How many components two paths share at their end, 0 when their base names differ. */
unsigned pp_path_score(struct pp_slice a, struct pp_slice b);

/* Whether e and g are to meet rather than e2 and g2 when their paths agree equally well, whichever comes first. */
bool pp_canonical_precedes(const struct pp_strtab *, const struct pp_canonical *e,
                           const struct pp_canonical *g, const struct pp_canonical *e2,
                           const struct pp_canonical *g2);

/* How well the paths agree of one that lacks line, column or module and a finer one that has them; 0 if it lacks none. */
unsigned pp_canonical_coarser(const struct pp_canonical *, const struct pp_canonical *finer);

/* Whether a function and a group of an anonymous name can be one although no path says so. */
bool pp_canonical_can_meet(const struct pp_canonical *e, const struct pp_canonical *g);

/* Functions taken for the same; found through find(). */
struct pp_identity_group {
	struct pp_canonical as;
	uint32_t same;    /* another group that this one turned out to be; own number if none */
	uint32_t seen_by; /* the last profile, counted from 1, that has it */
};

/* Names that several profiles share, and the group that each function met by its whole identity. */
struct pp_identity_known {
	const struct pp_func_row *names;
	uint32_t *group;
};

struct pp_identity {
	struct pp_strtab strs;
	PP_VEC(struct pp_identity_group) groups; /* [0] = none */
	struct pp_map by_exact;
	struct pp_chains chains; /* by name, and by name without parameters */
	size_t split;            /* groups that are listed by the parts of their names */
	uint64_t steps;          /* that may still be taken in long lists */
	uint32_t profiles;
	struct pp_buf scratch;
	bool united; /* groups turned out to be one */
	PP_VEC(struct pp_identity_known) known;
	/* By function of the profile that is matched in this room: its group. All 0 in between. */
	uint32_t *room;
	size_t room_size;
};

bool pp_identity_init(struct pp_identity *, uint64_t seed);
void pp_identity_release(struct pp_identity *);
/*
 * Matches the functions of a profile, which must outlive this. key[func] receives the number of the
 * group (through pp_identity_find() once all profiles are in); 0 for functions that only stand for
 * others. False when out of memory. Of a profile that shares its names with others only the functions with costs are looked
 * at; of those that share them, one after the other, the names must outlive this, not the profile, unless groups came new.
 */
bool pp_identity_add(struct pp_identity *, const struct pp_profile *, uint32_t *key);
/*
 * The same in room that is kept from profile to profile, since names that many share may be a thousand times as many as one
 * of these profiles has functions. NULL when out of memory; else pp_identity_leave() ends it, before the next one.
 */
const uint32_t *pp_identity_meet(struct pp_identity *, const struct pp_profile *);
void pp_identity_leave(struct pp_identity *, const struct pp_profile *);
/* The group that a group turned out to be. */
uint32_t pp_identity_find(struct pp_identity *, uint32_t group);

#endif
