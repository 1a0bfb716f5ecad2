/*
 * Large tables in huge pages: random access into gigabytes is bound by the TLB otherwise.
 */
#include "base/pages.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "io/system.h"

#define HUGE_FROM ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

/* ---- giving back ---- */

/* What is smaller takes no time; and others of this process, who want memory, wait for a slice at most. */
#define LARGE ((size_t)8 << 20)
#define SLICE ((size_t)4 << 20)
#define PAGE ((uintptr_t)1 << 16) /* or less */

struct region {
	unsigned char *p;
	size_t bytes;
	bool allocated; /* by malloc() */
};

static void *
region_put(void *data)
{
	const struct region *r = data;
	uintptr_t at = (uintptr_t)r->p, end = at + r->bytes;
	size_t n;

	if (r->allocated) {
		at = (at + PAGE - 1) & ~(PAGE - 1);
		end &= ~(PAGE - 1);
	}
	for (; at < end; at += n) {
		n = end - at < SLICE ? end - at : SLICE;
		if (r->allocated)
			(void)madvise((void *)at, n, MADV_DONTNEED);
		else
			(void)munmap((void *)at, n);
	}
	if (r->allocated)
		free(r->p);
	free(data);
	return NULL;
}

/* Whether another thread does it. */
static bool
region_put_later(struct region region)
{
	struct pp_account *account = pp_account_enter(NULL);
	struct region *r = malloc(sizeof *r);
	pthread_t thread;
	bool later = false;

	if (r) {
		*r = region;
		later = pthread_create(&thread, NULL, region_put, r) == 0;
	}
	if (later)
		(void)pthread_detach(thread);
	else
		free(r);
	(void)pp_account_enter(account);
	return later;
}

bool
pp_free_later(void *p, size_t bytes)
{
	return region_put_later((struct region){ p, bytes, true });
}

bool
pp_unmap(void *p, size_t bytes)
{
	return (bytes >= LARGE && pp_account_stops() &&
	        region_put_later((struct region){ p, bytes, false })) ||
	       munmap(p, bytes) == 0;
}

void
pp_memory_give_back(void)
{
	(void)malloc_trim(0);
}

/* ---- large tables ---- */

static size_t
huge_round(size_t bytes)
{
	return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

static void *
huge_get(size_t bytes)
{
	size_t whole = huge_round(bytes), front;
	unsigned char *p, *aligned;

	if (bytes < HUGE_FROM)
		return calloc(1, bytes);
	if (whole < bytes || whole > SIZE_MAX - HUGE_PAGE || !pp_account_take(whole))
		return NULL;
	/* One huge page more than needed, then cut to the alignment that huge pages need. */
	p = mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	         0);
	if (p == MAP_FAILED) {
		pp_account_give(whole);
		return NULL;
	}
	front = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
	aligned = p + front;
	if (front)
		munmap(p, front);
	munmap(aligned + whole, HUGE_PAGE - front);
	(void)madvise(aligned, whole, MADV_HUGEPAGE);
	return aligned;
}

static void
huge_put(void *p, size_t bytes)
{
	if (bytes < HUGE_FROM)
		free(p);
	else if (p && pp_unmap(p, huge_round(bytes)))
		pp_account_give(huge_round(bytes));
}

const struct pp_pages pp_pages_huge = { huge_get, huge_put };
