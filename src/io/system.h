/*
 * What readers get from the system besides bytes: threads, processors, random seeds.
 */
#ifndef PP_SYSTEM_H
#define PP_SYSTEM_H

#include "base/common.h"

/* Runs job(ctx, 0) .. job(ctx, n-1), at most `threads` at once, the caller's one of them. */
void pp_parallel_run(unsigned threads, unsigned n, void (*job)(void *ctx, unsigned index),
                     void *ctx);
/* Processors that this process may use, at least 1. */
unsigned pp_processors(void);
/* Three quarters of the memory that this machine, or the group of processes that this one is in, has. */
uint64_t pp_memory_share(void);
/*
 * Gives back what mmap() gave; false when it was none of that. Where the work is wanted no more, whoever waits for its end
 * does not wait for that.
 */
bool pp_unmap(void *, size_t bytes);
/* Has another thread free what malloc() gave; false when there is none. */
bool pp_free_later(void *, size_t bytes);
/* Gives back to the system what free() keeps for later: where much was freed, and what comes next needs other sizes. */
void pp_memory_give_back(void);
/* Nanoseconds by the clock that never steps. */
int64_t pp_clock_ns(void);
/* A seed for hash tables that nobody can foresee. */
uint64_t pp_random_seed(void);

#endif
