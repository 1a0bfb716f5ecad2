/*
 * Sorting by the system's qsort_r().
 */
#include "base/sort.h"

#include <stdlib.h>

void
pp_sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *ctx),
        void *ctx)
{
	/* Nothing may be sorted that has no memory; qsort_r() wants some. */
	if (n > 1)
		qsort_r(base, n, size, cmp, ctx);
}
