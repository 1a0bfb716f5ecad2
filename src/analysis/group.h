/*
 * Other ways to cut a profile: by file, by module, by line, by thread, by label instead of by function. Each
 * group takes the place of its functions, so that every view works on groups as it does on functions,
 * and a group's total too counts outermost activations only.
 */
#ifndef PP_GROUP_H
#define PP_GROUP_H

#include "model/ledger.h"

enum pp_group_by {
	PP_BY_FUNCTION,
	PP_BY_FILE,
	PP_BY_MODULE,
	PP_BY_LINE,
	PP_BY_THREAD,
	PP_BY_NAME,      /* functions of one name are one */
	PP_BY_ADDRESS,   /* each address within a function */
	PP_BY_LABEL,     /* by the value of a label */
	PP_BY_FILE_NAME, /* functions of one name in one file are one */
	PP_BY_NAME_LINE  /* each line within a function */
};

/*
 * A profile of groups (`label` is the key of PP_BY_LABEL), which shares what it can with the one given; *out is NULL where nothing changes (functions).
 * PP_E_UNSUPPORTED when nothing tells the groups apart, PP_E_LIMIT when a sum exceeds 64 bits; *problem says which.
 */
pp_status pp_group_derive(const struct pp_profile *, enum pp_group_by, struct pp_slice label,
                          struct pp_profile **out, struct pp_buf *problem);

/*
 * A profile whose stacks each stand on one more frame: the thread, or the value of a label. *out, PP_E_UNSUPPORTED and
 * PP_E_NOMEM likewise. Only stacks are left.
 */
pp_status pp_root_derive(const struct pp_profile *, enum pp_group_by, struct pp_slice label,
                         struct pp_profile **out);

/*
 * What series cost together by group, of which there are so many: of[series], or each by itself where that is NULL. False
 * when out of memory. To be released in any case.
 */
bool pp_series_sum(const struct pp_profile *, const uint32_t *of, size_t groups,
                   struct pp_ledger *cost);

/* ---- the parts, for group*.c ---- */

struct pp_derive;

/* A profile of one plain series with room for so many groups, and nothing else; false when out of memory. */
bool pp_level_start(struct pp_derive *, const struct pp_profile *, size_t groups, bool has_calls);
/* A group with its costs, which must fit into cells: PP_E_LIMIT. */
pp_status pp_level_add(struct pp_derive *, pp_func, struct pp_values costs, uint64_t calls,
                       struct pp_buf *problem);
/* By thread or label. */
pp_status pp_group_series(const struct pp_profile *, enum pp_group_by, struct pp_slice label,
                          struct pp_profile **out, struct pp_buf *problem);

/*
 * The threads there are, in the order of the file, each by a series of it: the rows by thread but for processes as a whole beside
 * their threads; one where a profile does not tell them apart. The list is the caller's to free. False when out of memory.
 */
bool pp_threads_list(const struct pp_profile *, uint32_t **series, size_t *n);
/* How many these are; likewise. */
bool pp_threads_count(const struct pp_profile *, uint64_t *);

/* Puts what a thread is called into a buffer: its name and number, as far as they are known. */
void pp_thread_name(const struct pp_profile *, const struct pp_series *, struct pp_buf *);

/*
 * A profile in which functions are one: those of the same `key` (per function id, 0 = leave alone) are taken for the
 * first of them. *out is NULL when they are already. PP_E_NOMEM or PP_OK.
 */
pp_status pp_group_unite(const struct pp_profile *, const uint32_t *key, uint32_t keys,
                         struct pp_profile **out);

#endif
