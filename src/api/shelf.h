/*
 * Profiles that stay open between questions, the least recently used ones first out. Internal to src/api.
 */
#ifndef PP_SHELF_H
#define PP_SHELF_H

#include "api/beside.h"
#include "questions/handles.h"
#include "polyprof/polyprof_experimental.h"

struct pp_shelved;

/* What a file is known by: another content has another. */
struct pp_shelf_key {
	char path[4096];
	uint64_t device, inode, size;
	int64_t changed;         /* ns */
	struct pp_beside beside; /* of files that belong to it */
};

/* False when it is no file that can be kept. */
bool pp_shelf_key_of(const char *path, struct pp_shelf_key *);
/* Tells contents apart: from path, size and time of change, of files that belong to it, too. */
uint32_t pp_shelf_stamp(const struct pp_shelf_key *);
/* What is there, which stays until pp_shelf_give(); NULL when there is nothing. */
struct pp_shelved *pp_shelf_take(pp_shelf *, const struct pp_shelf_key *);
/* Puts a profile there, which is the shelf's from now on, and takes it; NULL when out of memory. */
struct pp_shelved *pp_shelf_put(pp_shelf *, const struct pp_shelf_key *, struct pp_profile *,
                                struct pp_handles *, uint64_t bytes);
void pp_shelf_give(struct pp_shelved *);
/* Lets go of what nobody uses until no more than so many bytes are held. */
void pp_shelf_shrink(pp_shelf *, uint64_t most);
uint64_t pp_shelf_limit(const pp_shelf *);
uint64_t pp_shelf_held(const pp_shelf *);

/* What checking the file found is kept beside its profile; NULL when nobody asked yet. */
void pp_shelved_judge(struct pp_shelved *, const struct pp_diags *);
const struct pp_diags *pp_shelved_findings(const struct pp_shelved *);

const struct pp_profile *pp_shelved_profile(const struct pp_shelved *);
const struct pp_handles *pp_shelved_handles(const struct pp_shelved *);

#endif
