/*
 * Parameters as data: one table serves the options of the command line, its help and completion, and
 * whoever else asks. A question keeps the values in a struct of its own and reads its members; only
 * front ends know parameters by name.
 */
#ifndef PP_PARAM_H
#define PP_PARAM_H

#include "base/buf.h"
#include "base/common.h"
#include "base/vec.h"
#include "polyprof/polyprof_experimental.h"

/* Where members are that were not given. */
#define PP_UNSET UINT64_MAX

/* A group in use: where its struct lies inside the question's, and where help shows it. */
struct pp_param_use {
	const struct pp_param_group *group;
	size_t at;
	pp_group_place place;
};

/* Values in the order in which they were given, each with its parameter. */
struct pp_texts {
	PP_VEC(struct pp_text_given {
		const struct pp_param *param;
		const char *text;
	})
	list;
};

/*
 * Where one of the choices has a key, as "label:KEY", the member of a parameter is such a struct.
 */
struct pp_keyed {
	unsigned choice;
	const char *key; /* of the choice that has one */
};

/* The members before anything is given; the struct is zeroed first. */
void pp_params_init(const struct pp_param_use *, void *params, size_t size);
/* Frees what pp_params_set() has allocated; texts are borrowed from who gave them. */
void pp_params_release(const struct pp_param_use *, void *params);
/*
 * Sets a parameter that is one of these. False when the value makes no sense: *problem then says why, in a sentence
 * without a full stop, or is empty without memory. *known tells whether there is such a parameter.
 */
bool pp_params_set(const struct pp_param_use *, void *params, const struct pp_param *,
                   const char *text, bool *known, struct pp_buf *problem);
/* Whether a value makes sense for a parameter; `dashes` stand before its name in what *problem says. */
bool pp_param_check(const struct pp_param *, const char *text, const char *dashes,
                    struct pp_buf *problem);
/* The name of a choice. */
struct pp_slice pp_param_choice(const struct pp_param *, unsigned index);
/* "12.5" or "12.5%" as 0.125; false when it is no percentage from 0 to 100. */
bool pp_share_parse(const char *text, double *share);
/* Where the values of a parameter are kept; NULL when there is none of that name. */
const void *pp_params_member(const struct pp_param_use *, const void *params, const char *name);
/* "8M", "500K", "1.5G" or bytes; false when it is none. */
bool pp_size_parse(const char *text, uint64_t *size);
/* The parameter of that name; NULL when there is none. */
const struct pp_param *pp_params_find(const struct pp_param_use *, const char *name);

#endif
