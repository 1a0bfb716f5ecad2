/*
 * Writing callgrind text: names with ids, places, lines. What is written and read is written the same again.
 */
#ifndef PP_CALLGRIND_EMIT_H
#define PP_CALLGRIND_EMIT_H

#include "formats/valgrind/family.h"

/* A function as it is written. Functions that look the same there are one. */
struct pp_cg_named {
	pp_str object, file, name; /* clean */
	pp_func same;              /* the first that looks like it; 0 = not named yet */
};

/* The id that a name has, and the part that gave it. */
struct pp_cg_given {
	uint32_t id, part;
};

struct pp_cg_emit {
	const struct pp_profile *p;
	struct pp_sink *out;
	unsigned positions;
	const uint32_t *columns; /* which cost each column has; NULL = one after the other */
	bool typed;              /* costs are cells of the profile's metrics, not signed numbers */
	bool expands;            /* ids in the text of a function stand for names */
	bool objects;            /* some function has an object: then all say theirs */
	struct pp_strtab names;  /* clean names */
	struct pp_strtab looks;  /* (object, file, name) */
	PP_VEC(pp_func) first;   /* by look: the first function of it */
	PP_VEC(struct pp_cg_named) funcs; /* by function */
	PP_VEC(pp_str) files;             /* by name of the profile: its clean form as a file + 1 */
	/* Ids are given at first use, from 1, per space; again in each part, as KCachegrind forgets them. */
	PP_VEC(struct pp_cg_given) given[PP_CG_SPACES]; /* by clean name */
	uint32_t last[PP_CG_SPACES];
	pp_str
	    first_file; /* Xdebug: the clean name that has id 1 among files, used or not; 0 = none */
	uint32_t part;
	uint64_t changed; /* names that could not be written as they are */
	bool failed;
	/* What was written last. */
	pp_func func;
	pp_str file, object;
};

bool pp_cg_emit_init(struct pp_cg_emit *, const struct pp_profile *, struct pp_sink *);
void pp_cg_emit_release(struct pp_cg_emit *);
/* Names all functions of the profile, which may still grow otherwise. False when out of memory. */
bool pp_cg_emit_functions(struct pp_cg_emit *);
/* Starts a part: names are defined anew. */
void pp_cg_emit_part(struct pp_cg_emit *, unsigned positions);
/* The number of a name's clean form; 0 without memory (`failed`). */
pp_str pp_cg_emit_clean(struct pp_cg_emit *, struct pp_slice name, bool is_function);
/* `key(N) text` or `key(N)`. */
void pp_cg_emit_name(struct pp_cg_emit *, const char *key, enum pp_cg_space, pp_str clean);
/* Makes (func, file) the place of what follows. */
void pp_cg_emit_place(struct pp_cg_emit *, pp_func, pp_str file);
void pp_cg_emit_own(struct pp_cg_emit *, const struct pp_cg_pos *, const int64_t *costs, size_t n);
void pp_cg_emit_call(struct pp_cg_emit *, const struct pp_cg_call *, const struct pp_cg_pos *,
                     const int64_t *costs, size_t n);
/* The calls of the current function that no function of the file makes. */
void pp_cg_emit_outside(struct pp_cg_emit *, uint64_t calls);
void pp_cg_emit_jump(struct pp_cg_emit *, const struct pp_cg_jump *, const struct pp_cg_pos *);
/*
 * A sum as a whole number that can be written, in so many of the units that its metric converts to (10 ns, say), or as its
 * cells are (0). *rounded counts what that changes.
 */
int64_t pp_cg_whole(const struct pp_metric *, union pp_value, unsigned unit, uint64_t *rounded);
/* A name made fit for one line; *changed is set when it had to be. */
bool pp_cg_clean(struct pp_slice name, bool is_function, struct pp_buf *out, bool *changed);

#endif
