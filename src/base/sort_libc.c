/*
 * Sorting by the system's qsort_r(), which cannot be broken off: for who may stop, much is sorted part by part.
 */
#include "base/sort.h"
#include "base/stops.h"

#include <stdlib.h>
#include <string.h>

#define PART ((size_t)1 << 15)

struct sorting {
	size_t size;
	int (*cmp)(const void *, const void *, void *ctx);
	void *ctx;
};

/* Merges sorted a and b into `to`; false when it was broken off. */
static bool
parts_merge(const struct sorting *s, unsigned char *to, const unsigned char *a, size_t a_n,
            const unsigned char *b, size_t b_n)
{
	while (a_n && b_n) {
		bool first = s->cmp(a, b, s->ctx) <= 0;

		memcpy(to, first ? a : b, s->size);
		to += s->size;
		a += first ? s->size : 0;
		b += first ? 0 : s->size;
		a_n -= first;
		b_n -= !first;
		if (pp_account_stops_at(a_n + b_n))
			return false;
	}
	memcpy(to, a, a_n * s->size);
	memcpy(to + a_n * s->size, b, b_n * s->size);
	return true;
}

/* Merges sorted parts of `part` elements each in pairs; false when it was broken off. */
static bool
pairs_merge(const struct sorting *s, unsigned char *to, const unsigned char *from, size_t n,
            size_t part)
{
	bool fine = true;
	size_t at, left, right;

	for (at = 0; fine && at < n; at += left + right) {
		left = n - at < part ? n - at : part;
		right = n - at - left < part ? n - at - left : part;
		fine = parts_merge(s, to + at * s->size, from + at * s->size, left,
		                   from + (at + left) * s->size, right);
	}
	return fine;
}

static void
sort_in_parts(const struct sorting *s, unsigned char *base, unsigned char *room, size_t n)
{
	unsigned char *from = base, *to = room, *swap;
	bool fine = true;
	size_t at, part;

	for (at = 0; fine && at < n; at += PART) {
		qsort_r(base + at * s->size, n - at < PART ? n - at : PART, s->size, s->cmp,
		        s->ctx);
		fine = !pp_account_stops();
	}
	for (part = PART; fine && part < n; part *= 2) {
		fine = pairs_merge(s, to, from, n, part);
		if (!fine)
			break;
		swap = from;
		from = to;
		to = swap;
	}
	if (from != base)
		memcpy(base, from, n * s->size);
}

/* Whether all stand in order already, as what was added in time does; or it was broken off. */
static bool
is_sorted(const struct sorting *s, const unsigned char *base, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++, base += s->size)
		if (s->cmp(base, base + s->size, s->ctx) > 0)
			return false;
		else if (pp_account_stops_at(i))
			break;
	return true;
}

void
pp_sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *ctx),
        void *ctx)
{
	const struct pp_account *account = pp_account_current();
	struct sorting s = { size, cmp, ctx };
	void *room;

	/* Nothing may be sorted that has no memory; qsort_r() wants some. */
	if (n <= 1 || is_sorted(&s, base, n))
		return;
	if (n <= 2 * PART || !account || !account->stop) {
		qsort_r(base, n, size, cmp, ctx);
		return;
	}
	room = malloc(n * size);
	if (room)
		sort_in_parts(&s, base, room, n);
	else if (!pp_account_stops())
		qsort_r(base, n, size, cmp, ctx);
	free(room);
}
