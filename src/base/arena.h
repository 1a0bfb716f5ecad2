/*
 * Bump allocation: many small pieces, freed together.
 * Zero-initialised is empty. Pieces never move.
 */
#ifndef PP_ARENA_H
#define PP_ARENA_H

#include "base/common.h"

struct pp_arena {
	struct pp_arena_block *blocks;
	unsigned char *cur, *end;
	size_t bytes; /* handed out by the system so far */
};

/* `n` bytes aligned for any object, uninitialised; NULL when out of memory. */
void *pp_arena_alloc(struct pp_arena *, size_t n);
/* A copy of bytes, followed by a NUL that does not count; unaligned. */
char *pp_arena_copy(struct pp_arena *, const void *p, size_t n);
/* Moves all pieces of another arena, which is empty afterwards, into this one. */
void pp_arena_join(struct pp_arena *, struct pp_arena *from);
void pp_arena_release(struct pp_arena *);

#endif
