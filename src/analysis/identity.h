/*
 * Which functions of several profiles are the same, whatever profiler wrote their names.
 *
 * Each function has a canonical name: `->` is `::`, `php::` and a leading `\` are gone, so are recursion
 * marks ('2), offsets (+0x1f), clone suffixes and flame-graph annotations; `{main}`, an included file and
 * a function named like its file are all the script of that path; closures and anonymous classes are
 * told apart by their place. docs/diff.md has the rules, one by one.
 *
 * Functions meet first by their whole identity, then by canonical name and place, then by canonical name
 * alone where places are not known or there is only one on each side, at last by their qualified name
 * without parameters, mangled or not. Where one profile tells functions apart that another does not,
 * they are taken together.
 */
#ifndef PP_IDENTITY_H
#define PP_IDENTITY_H

#include "base/buf.h"
#include "model/profile.h"

/* What a function is called when spelling does not matter. */
struct pp_canonical {
	pp_str name;  /* in the matcher's table, like the others */
	pp_str loose; /* the qualified name without parameters; 0 = no other than `name` */
	pp_str exact; /* as written */
	pp_str module;
	struct pp_slice file;
	uint32_t line, column;
};

/* The canonical name of a function (n bytes into `out`), and its place as far as the name tells one. */
void pp_canonical_name(struct pp_slice name, struct pp_slice file, uint32_t line,
                       struct pp_buf *out, struct pp_slice *place_file, uint32_t *place_line);
/* The qualified name without parameters, templates' own parameters kept: mangled or not. */
void pp_loose_name(struct pp_slice s, struct pp_buf *out);
/* How many components two paths share at their end, 0 when their base names differ. */
unsigned pp_path_score(struct pp_slice a, struct pp_slice b);

/* Functions taken for the same; found through find(). */
struct pp_identity_group {
	struct pp_canonical as;
	uint32_t same;    /* another group that this one turned out to be; own number if none */
	uint32_t seen_by; /* the last profile, counted from 1, that has it */
	uint32_t next, next_loose; /* the group before with the same name; PP_MAP_NONE ends */
};

struct pp_identity {
	struct pp_strtab strs;
	PP_VEC(struct pp_identity_group) groups; /* [0] = none */
	struct pp_map by_exact, by_name, by_loose;
	uint32_t profiles;
	struct pp_buf scratch;
	bool united; /* groups turned out to be one */
	/* Of profiles that share their names: whose they are, and the group that met a function by its whole identity. */
	struct {
		const struct pp_func_row *names;
		uint32_t *group;
	} known;
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
/* The group that a group turned out to be. */
uint32_t pp_identity_find(const struct pp_identity *, uint32_t group);

#endif
