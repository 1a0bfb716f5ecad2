/*
 * Sorting with a context for the comparison: the system's qsort_r() where there is one (sort_libc.c), else
 * our own (sort_plain.c).
 */
#ifndef PP_SORT_H
#define PP_SORT_H

#include "base/common.h"

/*
 * Sorts n elements of `size` bytes. The comparison gets `ctx` last; it should leave no ties. When what it is for is
 * wanted no more (pp_account_stops()) the elements are all there, in whatever order.
 */
void pp_sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *ctx),
             void *ctx);

/* Sorts by the upper 32 bits; what is alike in them stays in its order. There is room for as many in `room`. */
void pp_sort_words(uint64_t *words, uint64_t *room, size_t n);

#endif
