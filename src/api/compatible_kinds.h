/*
 * Profiles of a store by what they measure: compatible.c chooses among them, compatible_notes.c tells what is left out. Internal to
 * these two.
 */
#ifndef PP_COMPATIBLE_KINDS_H
#define PP_COMPATIBLE_KINDS_H

#include <stdint.h>

#include "api/compatible.h"
#include "model/filter.h"

/* Profiles of one format and of the same metrics. */
struct pp_compatible_kind {
	struct pp_measures is;
	size_t count[2];            /* profiles, by side */
	size_t kept[2];             /* those that --label keeps, as the store has the label */
	size_t smallest;            /* the file that is read */
	struct pp_profile *profile; /* of that; NULL if it cannot be read */
	uint32_t part;              /* those of one number can be merged; 0 = not known */
	bool stays, is_empty;
	bool is_asked; /* it has the metric that is asked for */
	bool is_file;  /* a file that was named: it stays, and outweighs all profiles of stores */
};

struct pp_compatible {
	struct pp_reply *r;
	const char **files;
	size_t n, split;         /* files before `split` are one side */
	struct pp_filter labels; /* the rules of --label */
	bool any_kept;           /* --label keeps some of those that stay */
	enum pp_together together;
	PP_VEC(struct pp_compatible_kind) kinds;
	uint32_t *kind_of; /* by file; UINT32_MAX = a plain file */
	uint32_t parts;
};

static inline struct pp_answer *
pp_compatible_answer(const struct pp_compatible *c)
{
	return &c->r->asking.answer;
}

static inline size_t
pp_compatible_count(const struct pp_compatible_kind *k)
{
	return k->count[0] + k->count[1];
}

/* Fail because no profile has the metric, and list the metrics there are. */
pp_status pp_compatible_missing(const struct pp_compatible *, const char *metric);
/* Note how many profiles of each kind are left out, of how many, and how to ask for them. */
pp_status pp_compatible_left_out(const struct pp_compatible *, size_t left_out, size_t all);

#endif
