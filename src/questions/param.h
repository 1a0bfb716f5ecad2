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

/* What a value is, and what member of the question's struct holds it. */
enum pp_param_kind {
	PP_PARAM_FLAG,  /* bool */
	PP_PARAM_TEXT,  /* const char *: the last one given, NULL when none was */
	PP_PARAM_TEXTS, /* struct pp_texts: all that were given; several parameters may share one */
	PP_PARAM_COUNT, /* uint64_t, PP_UNSET when not given */
	PP_PARAM_SIZE,  /* uint64_t, in bytes, given as 500K, 8M or 1G; PP_UNSET when not given */
	PP_PARAM_CHOICE, /* unsigned: which of `value`, the first when not given */
	PP_PARAM_SHARE   /* double, 0 to 1, given in percent; negative when not given */
};

#define PP_UNSET UINT64_MAX

/* What completes a value in a shell. */
enum pp_param_hint {
	PP_HINT_NONE,
	PP_HINT_FILE,
	PP_HINT_FORMAT,
	PP_HINT_COMMAND,
	PP_HINT_RULE,
	PP_HINT_SHELL
};

struct pp_param {
	const char *name; /* on the command line a long name without dashes */
	char letter;      /* short name, 0 = none */
	enum pp_param_kind kind;
	const char *value; /* how the value is called in help; for choices: "a|b|c" */
	const char *help;
	enum pp_param_hint hint;
	size_t at; /* of the member, in the struct of its group */
};

/* Parameters that belong together; one group may serve many questions. */
struct pp_param_group {
	const char *title;
	const struct pp_param *params; /* ended by name NULL */
};

/* A group in use: where its struct lies inside the question's. */
struct pp_param_use {
	const struct pp_param_group *group;
	size_t at;
};

/* Values in the order in which they were given, each with its parameter. */
struct pp_texts {
	PP_VEC(struct pp_text_given {
		const struct pp_param *param;
		const char *text;
	})
	list;
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
/* "12.5" or "12.5%" as 0.125; false when it is no percentage from 0 to 100. */
bool pp_share_parse(const char *text, double *share);
/* "8M", "500K", "1.5G" or bytes; false when it is none. */
bool pp_size_parse(const char *text, uint64_t *size);
/* The parameter of that name; NULL when there is none. */
const struct pp_param *pp_params_find(const struct pp_param_use *, const char *name);

#endif
