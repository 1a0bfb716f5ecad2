/*
 * Stacks that wait until all of them are known, so that only what is wide enough becomes a tree.
 *
 * Where no branch is shown that costs less than a share of the whole (order.cut_share), most frames of most stacks
 * are of no use: a million different stacks are a tree of forty million nodes, of which forty lines are shown. So
 * stacks are kept as short numbers. At the end they are divided by the name of their first frame, each part by the
 * next name, and so on; a part that is thin in every metric is divided no further. Its stacks keep the frame that is thin, and
 * what that called, which leaves its own cost right. What is left of all stacks then goes into the tree in the order
 * in which they came, so that nodes are numbered as if nothing had been cut.
 *
 * Functions of one name are one here, and so is a function that calls itself: some who show a tree add these up, and
 * thin ones may be wide together.
 */
#ifndef PP_HELD_H
#define PP_HELD_H

#include "model/metric.h"
#include "model/profile.h"

/* Metrics that stacks may have, to be held. */
#define PP_HELD_COLUMNS 8

struct pp_held;

/* NULL when out of memory. */
struct pp_held *pp_held_new(size_t columns, uint64_t seed);
void pp_held_free(struct pp_held *);

enum pp_held_result {
	PP_HELD,
	PP_HELD_NOT, /* a value, or the sum of all, does not suit: it is as if nothing was said */
	PP_HELD_NO_MEMORY
};

/* Takes a stack, root first. */
enum pp_held_result pp_held_add(struct pp_held *, const pp_frame *, size_t depth,
                                const int64_t *values);

/* Finds out what of them is thinner than a share of the whole; false when out of memory. */
bool pp_held_cut(struct pp_held *, const struct pp_profile *, double share);

size_t pp_held_count(const struct pp_held *);
/* A stack, as far as it was not cut: the frames are valid until the next call. NULL when out of memory. */
const pp_frame *pp_held_get(struct pp_held *, size_t i, size_t *depth, const int64_t **values);

#endif
