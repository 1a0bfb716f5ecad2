/*
 * Growable arrays. PP_VEC(type) declares one; its items are `v.at[0 .. v.n-1]`.
 * Growing may move the items, so keep indexes, not pointers, across a push.
 * Zero-initialised is empty; pp_vec_release() frees.
 */
#ifndef PP_VEC_H
#define PP_VEC_H

#include <stdlib.h>

#include "base/common.h"

#define PP_VEC(type)                                                                               \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t n;                                                                          \
		size_t cap;                                                                        \
	}

/* Makes room for `need` items in all; false when out of memory (the items stay as they were). */
bool pp_vec_grow(void **items, size_t *cap, size_t item_size, size_t need);

/* Puts items into another order: order[i] is where the one that will be at i stands. False when out of memory. */
bool pp_items_permute(void *items, size_t item_size, const uint32_t *order, size_t n);

#define pp_vec_reserve(v, need)                                                                    \
	((need) <= (v)->cap || pp_vec_grow((void **)&(v)->at, &(v)->cap, sizeof *(v)->at, (need)))

/* Appends one item; false when out of memory. */
#define pp_vec_push(v, ...)                                                                        \
	(pp_vec_reserve((v), (v)->n + 1) ? ((v)->at[(v)->n++] = (__VA_ARGS__), true) : false)

#define pp_vec_release(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

#endif
