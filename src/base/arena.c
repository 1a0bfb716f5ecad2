/*
 * Bump allocation in blocks that grow, so that small profiles stay small.
 */
#include "base/arena.h"

#include <stdlib.h>

#define FIRST_BLOCK ((size_t)4096)
#define LARGEST_BLOCK ((size_t)1 << 20)
#define ALIGNMENT ((size_t)16)

struct pp_arena_block {
	struct pp_arena_block *next;
	size_t size;
};

static bool
arena_extend(struct pp_arena *a, size_t need)
{
	size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
	struct pp_arena_block *block;

	if (size > LARGEST_BLOCK)
		size = LARGEST_BLOCK;
	if (!pp_size_add(need, sizeof *block + ALIGNMENT, &need))
		return false;
	if (size < need)
		size = need;
	block = malloc(size);
	if (!block)
		return false;
	block->size = size;
	block->next = a->blocks;
	a->blocks = block;
	a->cur = (unsigned char *)(block + 1);
	a->end = (unsigned char *)block + size;
	a->bytes += size;
	return true;
}

static unsigned char *
arena_take(struct pp_arena *a, size_t n, size_t alignment)
{
	uintptr_t at = ((uintptr_t)a->cur + alignment - 1) & ~(uintptr_t)(alignment - 1);
	unsigned char *p;

	if (!a->cur || at > (uintptr_t)a->end || n > (uintptr_t)a->end - at) {
		if (!arena_extend(a, n))
			return NULL;
		at = ((uintptr_t)a->cur + alignment - 1) & ~(uintptr_t)(alignment - 1);
	}
	p = a->cur + (at - (uintptr_t)a->cur);
	a->cur = p + n;
	return p;
}

void *
pp_arena_alloc(struct pp_arena *a, size_t n)
{
	return arena_take(a, n, ALIGNMENT);
}

char *
pp_arena_copy(struct pp_arena *a, const void *p, size_t n)
{
	unsigned char *copy;

	if (n == SIZE_MAX)
		return NULL;
	copy = arena_take(a, n + 1, 1);
	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, p, n);
	copy[n] = 0;
	return (char *)copy;
}

void
pp_arena_join(struct pp_arena *a, struct pp_arena *from)
{
	struct pp_arena_block **last = &from->blocks;

	/* The newest block, which has room left, stays the first. */
	while (*last)
		last = &(*last)->next;
	if (a->blocks) {
		*last = a->blocks->next;
		a->blocks->next = from->blocks;
		a->bytes += from->bytes;
	} else {
		*a = *from;
	}
	*from = (struct pp_arena){ 0 };
}

void
pp_arena_release(struct pp_arena *a)
{
	struct pp_arena_block *block = a->blocks;

	while (block) {
		struct pp_arena_block *next = block->next;

		free(block);
		block = next;
	}
	*a = (struct pp_arena){ 0 };
}
