/*
 * Which profiles are added up: see spans.h.
 */
#include "store/spans.h"

#include "base/sort.h"
#include "store/hash.h"
#include "store/when.h"

bool
pp_span_is_old(const struct pp_store_entry *e, const struct pp_store_upkeep *how, int64_t *span)
{
	*span = pp_when_floor(e->t0, how->every);
	return e->t1 < how->older_than && *span <= how->older_than - how->every;
}

static int
part_order(const void *left, const void *right, void *context)
{
	const struct pp_span_part *a = left, *b = right;

	if (a->entry->series != b->entry->series)
		return a->entry->series < b->entry->series ? -1 : 1;
	if (a->span != b->span)
		return a->span < b->span ? -1 : 1;
	return (a->entry > b->entry) - (a->entry < b->entry); /* the order of the list */
}

void
pp_spans_sort(struct pp_span_parts *parts)
{
	if (parts->all.n > 1)
		pp_sort(parts->all.at, parts->all.n, sizeof *parts->all.at, part_order, NULL);
}

size_t
pp_span_length(const struct pp_span_parts *parts, size_t nth)
{
	const struct pp_span_part *first = &parts->all.at[nth];
	size_t n;

	for (n = 1; nth + n < parts->all.n && first[n].entry->series == first->entry->series &&
	            first[n].span == first->span;
	     n++)
		;
	return n;
}

struct pp_store_entry
pp_span_sum(const struct pp_span_part *parts, size_t n)
{
	struct pp_store_entry sum = *parts[0].entry;
	struct pp_blake2b b;
	size_t i;

	pp_digest_begin(&b);
	sum.profiles = 0;
	for (i = 0; i < n; i++) {
		const struct pp_store_entry *e = parts[i].entry;

		sum.t0 = e->t0 < sum.t0 ? e->t0 : sum.t0;
		sum.t1 = e->t1 > sum.t1 ? e->t1 : sum.t1;
		sum.profiles += e->profiles;
		pp_digest_part(&b, pp_slice_of(e->hash, PP_STORE_HASH));
	}
	pp_digest_end(&b, sum.hash);
	sum.level = PP_STORE_ROLLED;
	return sum;
}
