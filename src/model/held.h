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

#include "base/vec.h"
#include "model/metric.h"

/* Metrics that stacks may have, to be held. */
#define PP_HELD_COLUMNS 8

/* Numbers of frames take one unit of 16 bits, larger ones two. */
#define PP_HELD_LONG 0x8000u

struct pp_profile;

struct pp_held_stack {
	uint64_t at; /* its first unit */
	uint32_t depth;
	uint32_t left; /* frames that stay */
};

struct pp_held {
	size_t columns;
	uint64_t seed;
	PP_VEC(uint16_t) units;
	PP_VEC(struct pp_held_stack) stacks;
	PP_VEC(int64_t) values; /* `columns` of each stack */
	uint64_t total[PP_HELD_COLUMNS];
	struct pp_held_recent {
		uint32_t stack; /* + 1 */
		uint32_t tag;   /* of its hash: most others are told apart without a look at them */
	} * recent;             /* by hash */
	PP_VEC(uint8_t) used;   /* by frame: 1 where it is on a stack */
	PP_VEC(pp_frame) frames;
};

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

static inline size_t
pp_held_count(const struct pp_held *h)
{
	return h->stacks.n;
}

static inline int64_t
pp_held_value(const struct pp_held *h, size_t stack, size_t column)
{
	return h->values.at[stack * h->columns + column];
}

/* A stack, as far as it was not cut: the frames are valid until the next call. NULL when out of memory. */
const pp_frame *pp_held_get(struct pp_held *, size_t i, size_t *depth, const int64_t **values);

/* Whether two stacks have the same frames. */
bool pp_held_same(const struct pp_held *, size_t a, size_t b);

/* ---- from frame to frame of a stack, from its root on ---- */

struct pp_held_walk {
	uint64_t at;
	uint32_t left; /* frames to come */
	uint32_t stack;
};

static inline struct pp_held_walk
pp_held_walk(const struct pp_held *h, size_t stack)
{
	return (struct pp_held_walk){ h->stacks.at[stack].at, h->stacks.at[stack].left,
		                      (uint32_t)stack };
}

/* The next frame; there is one. Without a branch, since nobody could foresee it; a unit behind the last can be read. */
static inline pp_frame
pp_held_peek(const struct pp_held *h, const struct pp_held_walk *w)
{
	uint32_t unit = h->units.at[w->at], next = h->units.at[w->at + 1], is_long = unit >> 15;

	return (unit & ~PP_HELD_LONG) << (is_long << 4) | (next & (0u - is_long));
}

static inline void
pp_held_step(const struct pp_held *h, struct pp_held_walk *w)
{
	w->at += 1u + (h->units.at[w->at] >> 15);
	w->left--;
}

static inline void
pp_held_fetch(const struct pp_held *h, const struct pp_held_walk *w)
{
	__builtin_prefetch(h->units.at + w->at);
}

#endif
