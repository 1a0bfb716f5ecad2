/*
 * Memory is counted: one account for all that is read, asked and written, whichever file allocates it.
 *
 * A thread works for one account at a time, or for none; threads that it starts work for the same
 * (io/parallel.c). An allocation that would exceed the limit fails like any other, so it is a status
 * that everybody already minds, and `exceeded` tells that it was the limit and not the system.
 *
 * That no file forgets it, malloc() and its kin are names for the counted ones wherever base/common.h is
 * included. They are those of the system underneath: memory may be freed with or without an account.
 */
#ifndef PP_ACCOUNT_H
#define PP_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pp_account {
	uint64_t limit;
	_Atomic int64_t used; /* below 0 when others allocated what was freed here */
	_Atomic bool exceeded;
	bool (*stop)(void *stop_ctx); /* when that is true nothing is allocated any more; or NULL */
	void *stop_ctx;
	/* From then on frees what is large, so that nobody waits for it; false when it cannot. Or NULL. */
	bool (*free_later)(void *p, size_t bytes);
};

/* From now on this thread works for that account (NULL = none); returns the one before. */
struct pp_account *pp_account_enter(struct pp_account *);
struct pp_account *pp_account_current(void);
/* Whether this thread's account has been exceeded. */
bool pp_account_exceeded(void);
/*
 * Whether what this thread works for is wanted no more. Loops that may go on for long without allocating ask this
 * every few milliseconds at most, and break off as if there were no memory; it stays true.
 */
bool pp_account_stops(void);
/* Memory that does not come from malloc(): false when it would exceed the limit. */
bool pp_account_take(size_t bytes);
void pp_account_give(size_t bytes);

void *pp_counted_malloc(size_t);
void *pp_counted_calloc(size_t, size_t);
void *pp_counted_realloc(void *, size_t);
char *pp_counted_strdup(const char *);
char *pp_counted_strndup(const char *, size_t);
void pp_counted_free(void *);

#define malloc pp_counted_malloc
#define calloc pp_counted_calloc
#define realloc pp_counted_realloc
#define strdup pp_counted_strdup
#define strndup pp_counted_strndup
#define free pp_counted_free

#endif
