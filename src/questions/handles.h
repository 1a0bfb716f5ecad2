/*
 * Handles: short names that are the same for the same content in every process.
 *
 *     f1, f2, ...   functions in the order of `top` without filters, by what they cost themselves of the primary metric
 *     n1, n2, ...   nodes of the whole tree in preorder, callees by their total of the primary metric; n1 is the root
 *     t1, t2, ...   threads in the order of the file
 *
 * They are made from the profile as it was read, so that filters and other metrics do not renumber anything.
 */
#ifndef PP_HANDLES_H
#define PP_HANDLES_H

#include <stdatomic.h>

#include "model/flat.h"
#include "model/inclusive.h"

/* The tree with one node for each function under the same caller, in preorder. Numbers count from 0, handles from 1. */
struct pp_numbering {
	const struct pp_profile *profile;
	uint32_t n;
	pp_func *func;         /* by number; 0 = the root */
	uint32_t *parent;      /* by number */
	uint32_t *end;         /* by number: the first one behind all below it */
	uint32_t *of;          /* by node of the profile: its number */
	union pp_value *total; /* by number, of the primary metric; NULL without metrics */
	uint64_t *calls;       /* by number; NULL when they are not known */
	uint32_t *label;       /* by number: the handle, where that is another tree's; or NULL */
};

struct pp_handles {
	const struct pp_profile *profile; /* as it was read */
	struct pp_flat flat;      /* in the order of handles; n = 0 when there are no costs */
	uint32_t *rank;           /* by function: its handle, 0 = none */
	struct pp_numbering tree; /* n = 1, or 0, when there are no stacks */
	_Atomic uint64_t *facts;  /* 1 + how many findings there are, once that is known; else 0 */
};

/* NULL when out of memory. The profile must outlive it. */
struct pp_handles *pp_handles_new(const struct pp_profile *);
void pp_handles_free(struct pp_handles *);

/* False when out of memory; release it in both cases. */
bool pp_numbering_make(struct pp_numbering *, const struct pp_profile *);
void pp_numbering_release(struct pp_numbering *);
/*
 * Gives the nodes of a tree that was filtered the handles that they have in the whole one, if all of its paths are
 * there; else it keeps numbers of its own. False when out of memory.
 */
bool pp_numbering_adopt(struct pp_numbering *, const struct pp_numbering *whole);
/* What each node costs of a metric with all it called; the caller's to free, NULL when out of memory. */
union pp_value *pp_numbering_totals(const struct pp_numbering *, size_t metric);

/* The handle of a node, and the node of one; n when there is none. */
static inline uint32_t
pp_numbering_handle(const struct pp_numbering *t, uint32_t node)
{
	return t->label ? t->label[node] : node + 1;
}
uint32_t pp_numbering_find(const struct pp_numbering *, uint64_t handle);

/* The number of a handle such as "f12"; 0 when the text is none of that kind. */
uint64_t pp_handle_parse(char kind, const char *text);
/* The function of a handle; 0 when there is none. */
pp_func pp_handles_func(const struct pp_handles *, uint64_t handle);
/* The handle of a function, 0 = it has none. */
static inline uint32_t
pp_handles_rank(const struct pp_handles *h, pp_func func)
{
	return h && func < h->profile->funcs.n ? h->rank[h->profile->funcs.at[func].same] : 0;
}

/*
 * The handles of the threads of a profile (t1, t2 ...: pp_threads_list()) that are the rows of another, which is grouped by thread: by
 * function, 0 = it is none, or several are called so and some were filtered out. NULL when out of memory.
 */
uint32_t *pp_handles_of_threads(const struct pp_profile *, const struct pp_profile *rows);

#endif
