/*
 * Sorting without the system's help: a heap in the array itself, so it needs no memory, never takes
 * longer than n log n, and is its own alternative when memory is short.
 */
#include "base/sort.h"
#include "base/stops.h"

struct heap {
	unsigned char *base;
	size_t size;
	int (*cmp)(const void *, const void *, void *ctx);
	void *ctx;
};

static unsigned char *
heap_at(const struct heap *h, size_t i)
{
	return h->base + i * h->size;
}

static void
heap_swap(const struct heap *h, size_t a, size_t b)
{
	unsigned char *p = heap_at(h, a), *q = heap_at(h, b);
	size_t i;

	for (i = 0; i < h->size; i++) {
		unsigned char byte = p[i];

		p[i] = q[i];
		q[i] = byte;
	}
}

/* Lets element i sink among the first n until no child is larger. */
static void
heap_sink(const struct heap *h, size_t i, size_t n)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			return;
		if (child + 1 < n && h->cmp(heap_at(h, child), heap_at(h, child + 1), h->ctx) < 0)
			child++;
		if (h->cmp(heap_at(h, i), heap_at(h, child), h->ctx) >= 0)
			return;
		heap_swap(h, i, child);
		i = child;
	}
}

void
pp_sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *ctx),
        void *ctx)
{
	struct heap h = { base, size, cmp, ctx };
	size_t i;

	for (i = n / 2; i > 0 && !pp_account_stops_at(i); i--)
		heap_sink(&h, i - 1, n);
	for (i = n; i > 1 && !pp_account_stops_at(i); i--) {
		heap_swap(&h, 0, i - 1);
		heap_sink(&h, 0, i - 1);
	}
}
