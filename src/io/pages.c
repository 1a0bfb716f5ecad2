/*
 * Large tables in huge pages: random access into gigabytes is bound by the TLB otherwise.
 */
#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_FROM ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

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
	else if (p && munmap(p, huge_round(bytes)) == 0)
		pp_account_give(huge_round(bytes));
}

const struct pp_pages pp_pages_huge = { huge_get, huge_put };
