/*
 * A profile as pairs of caller and callee by name, for writers of formats that know nothing else. From stacks each
 * level of recursion is a name of its own ("fib", "fib@1", ...), as such formats spell it; where a profile has no
 * stacks its calls are taken as they are, and what they do not account for is called from outside. What a function
 * costs itself is then what its callers say less what its callees say.
 */
#ifndef PP_KIT_LEVEL_CALLS_H
#define PP_KIT_LEVEL_CALLS_H

#include "base/strtab.h"
#include "formats/kit/metric_keys.h"
#include "model/ledger.h"

/* The caller of a root. */
#define PP_FROM_OUTSIDE UINT32_MAX

/* Names are those of the table below. */
struct pp_level_pair {
	pp_str caller, callee;
	uint64_t calls;
};

struct pp_level_calls {
	const struct pp_profile *profile;
	const char *separator; /* what no name may hold */
	struct pp_strtab names;
	PP_VEC(struct pp_level_pair) pairs; /* by first appearance */
	struct pp_ledger costs;             /* per pair and metric: inclusive */
	const struct pp_key_column *columns;
	int64_t
	    *root; /* per metric: what the root that was made up costs, as it is written; or NULL */
	struct pp_map row_of;
	bool has_calls;
	uint64_t recursive; /* names that stand for a function below itself */
	uint64_t changed;   /* names that had to be: they hold the separator, or are not UTF-8 */
};

/*
 * Of the writer's profile, with costs as whole numbers in the units of columns, a column per metric; what had to be
 * changed is noted in the report of losses. PP_E_LIMIT, with a finding, when a number has no 64 bits; PP_E_NOMEM. To
 * be released in any case.
 */
pp_status pp_level_calls_collect(struct pp_level_calls *, struct pp_writer *, const char *separator,
                                 const struct pp_key_column *columns);
/* What a pair costs of a metric, as it is written. */
int64_t pp_level_calls_whole(const struct pp_level_calls *, size_t pair, size_t metric);
/* Whether there is a root of that name. */
bool pp_level_calls_has_root(const struct pp_level_calls *, const char *name);
/* Lets a function that is made up call all roots; its pair is the last one. False when out of memory. */
bool pp_level_calls_wrap(struct pp_level_calls *, const char *name);
void pp_level_calls_release(struct pp_level_calls *);

/* CALLER, arrow and CALLEE of a pair, or the root alone, as the text of a buffer. */
struct pp_slice pp_level_calls_key(const struct pp_level_calls *, size_t row, const char *arrow,
                                   struct pp_buf *);

#endif
