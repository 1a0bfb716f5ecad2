/*
 * Memory is counted. The one file in which malloc() is malloc().
 */
#include <malloc.h>

#include "base/account.h"

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef strndup
#undef free

/* When the limit is reached there must be room to say so. */
#define LITTLE ((size_t)8192)
#define RESERVE ((uint64_t)1 << 20)
/* Giving back so much takes the system milliseconds. */
#define LARGE ((size_t)8 << 20)

/* Each thread has its own: what it allocates for is no parameter of two thousand functions. */
static _Thread_local struct pp_account *current;

struct pp_account *
pp_account_enter(struct pp_account *account)
{
	struct pp_account *before = current;

	current = account;
	return before;
}

struct pp_account *
pp_account_current(void)
{
	return current;
}

bool
pp_account_exceeded(void)
{
	return current && atomic_load_explicit(&current->exceeded, memory_order_relaxed);
}

bool
pp_account_stops(void)
{
	return current && current->stop && current->stop(current->stop_ctx);
}

bool
pp_account_take(size_t bytes)
{
	struct pp_account *a = current;
	uint64_t most;
	int64_t used;

	if (!a)
		return true;
	if (bytes > SIZE_MAX / 2 || (a->stop && a->stop(a->stop_ctx)))
		return false;
	most = a->limit < INT64_MAX - RESERVE ? a->limit : INT64_MAX - RESERVE;
	most += bytes <= LITTLE ? RESERVE : 0;
	used = atomic_fetch_add_explicit(&a->used, (int64_t)bytes, memory_order_relaxed);
	if (bytes <= most && used <= (int64_t)(most - bytes))
		return true;
	atomic_fetch_sub_explicit(&a->used, (int64_t)bytes, memory_order_relaxed);
	atomic_store_explicit(&a->exceeded, true, memory_order_relaxed);
	return false;
}

void
pp_account_give(size_t bytes)
{
	if (current)
		atomic_fetch_sub_explicit(&current->used, (int64_t)bytes, memory_order_relaxed);
}

/* Books what the system gave in place of what was asked for. */
static void *
booked(void *p, size_t asked)
{
	if (current)
		atomic_fetch_add_explicit(&current->used,
		                          (int64_t)malloc_usable_size(p) - (int64_t)asked,
		                          memory_order_relaxed);
	return p;
}

void *
pp_counted_malloc(size_t n)
{
	return pp_account_take(n) ? booked(malloc(n), n) : NULL;
}

void *
pp_counted_calloc(size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n) || !pp_account_take(n))
		return NULL;
	return booked(calloc(count, size), n);
}

void *
pp_counted_realloc(void *p, size_t n)
{
	size_t before = current ? malloc_usable_size(p) : 0;
	void *moved;

	if (n > before && !pp_account_take(n - before))
		return NULL;
	moved = realloc(p, n);
	if (moved)
		return booked(moved, n > before ? n : before);
	if (n > before)
		pp_account_give(n - before);
	return NULL;
}

char *
pp_counted_strndup(const char *z, size_t most)
{
	size_t n = strnlen(z, most);
	char *copy = pp_counted_malloc(n + 1);

	if (copy) {
		memcpy(copy, z, n);
		copy[n] = '\0';
	}
	return copy;
}

char *
pp_counted_strdup(const char *z)
{
	return pp_counted_strndup(z, strlen(z));
}

void
pp_counted_free(void *p)
{
	size_t n = current && p ? malloc_usable_size(p) : 0;

	if (n)
		pp_account_give(n);
	if (n >= LARGE && current->free_later && pp_account_stops() && current->free_later(p, n))
		return;
	free(p);
}
