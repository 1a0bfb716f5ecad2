/*
 * The part of a call tree worth showing.
 */
#include "analysis/hot.h"

#include <math.h>

/* The part of what a caller costs that a chain may leave out, however large a part is shown at all. */
#define REST_MOST 0.25

void
pp_hot_release(struct pp_hot *h)
{
	size_t i;

	for (i = 0; i < h->spots.n; i++)
		pp_branch_release(&h->spots.at[i].branch);
	pp_vec_release(&h->spots);
	pp_vec_release(&h->heap);
}

static double
cost_of(const struct pp_hot *h, union pp_value value)
{
	return pp_value_double(&h->tree->profile->metrics.at[h->metric], value);
}

/* ---- the heap --------------------------------------------------------------------------- */

/* Costs may be negative: what is far from zero either way matters. Earlier spots win ties. */
static bool
before(const struct pp_hot *h, uint32_t a, uint32_t b)
{
	double x = fabs(h->spots.at[a].total), y = fabs(h->spots.at[b].total);

	return x > y || (x == y && a < b);
}

static void
swap(struct pp_hot *h, size_t i, size_t k)
{
	uint32_t kept = h->heap.at[i];

	h->heap.at[i] = h->heap.at[k];
	h->heap.at[k] = kept;
}

static bool
heap_push(struct pp_hot *h, uint32_t spot)
{
	size_t i = h->heap.n;

	if (!pp_vec_push(&h->heap, spot))
		return false;
	for (; i > 0 && before(h, h->heap.at[i], h->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
	return true;
}

static uint32_t
heap_pop(struct pp_hot *h)
{
	uint32_t top = h->heap.at[0];
	size_t i = 0, best;

	h->heap.at[0] = h->heap.at[--h->heap.n];
	for (;;) {
		best = i;
		if (2 * i + 1 < h->heap.n && before(h, h->heap.at[2 * i + 1], h->heap.at[best]))
			best = 2 * i + 1;
		if (2 * i + 2 < h->heap.n && before(h, h->heap.at[2 * i + 2], h->heap.at[best]))
			best = 2 * i + 2;
		if (best == i)
			return top;
		swap(h, i, best);
		i = best;
	}
}

/* ---- picking ---------------------------------------------------------------------------- */

/* Makes the children of a spot and lets those that are costly enough wait to be shown. */
static bool
expand(struct pp_hot *h, uint32_t at)
{
	struct pp_branches children;
	uint32_t first = (uint32_t)h->spots.n, depth = h->spots.at[at].depth + 1;
	bool fine = true;
	size_t i;

	if (!pp_calltree_expand(h->tree, &h->spots.at[at].branch, h->metric, &children))
		return false;
	for (i = 0; fine && i < children.n; i++) {
		struct pp_hot_spot s = { .branch = children.at[i], .parent = at, .depth = depth };

		s.total = cost_of(h, pp_calltree_total(h->tree, &s.branch, h->metric));
		fine = pp_vec_push(&h->spots, s);
		if (fine)
			children.at[i] = (struct pp_branch){ 0 }; /* now the spot's */
	}
	pp_branches_release(&children);
	h->spots.at[at].first = first;
	h->spots.at[at].count = (uint32_t)h->spots.n - first;
	for (i = first; fine && i < h->spots.n; i++)
		if ((h->depth == 0 || depth <= h->depth) && fabs(h->spots.at[i].total) >= h->min)
			fine = heap_push(h, (uint32_t)i);
	return fine;
}

/*
 * Whether what its caller costs is what this spot costs, but for a rest that is not worth showing: then they share
 * a line. Neither all such rests of a line nor any of them may be much.
 */
static bool
is_chained(struct pp_hot *h, uint32_t at)
{
	struct pp_hot_spot *s = &h->spots.at[at], *parent = &h->spots.at[s->parent];
	double rest = fabs(parent->self);
	uint32_t i;

	if (s->parent == 0 || h->apart)
		return false;
	for (i = parent->first; i < parent->first + parent->count; i++)
		if (i != at)
			rest += fabs(h->spots.at[i].total);
	s->lost = rest + (parent->chained ? parent->lost : 0);
	return rest == 0 || (s->lost < h->min && rest <= fabs(parent->total) * REST_MOST);
}

double
pp_hot_rest(const struct pp_hot *h, uint32_t spot)
{
	const struct pp_hot_spot *s = &h->spots.at[spot];
	double rest = 0;
	uint32_t i;

	for (i = s->first; i < s->first + s->count; i++)
		if (!h->spots.at[i].shown)
			rest += fabs(h->spots.at[i].total);
	return rest;
}

bool
pp_hot_pick(struct pp_hot *h)
{
	struct pp_hot_spot root = { .shown = true };
	uint64_t lines = 0;

	if (!pp_calltree_root(h->tree, &root.branch))
		return false;
	root.total = cost_of(h, pp_calltree_total(h->tree, &root.branch, h->metric));
	root.self = cost_of(h, pp_calltree_self(h->tree, &root.branch, h->metric));
	if (!pp_vec_push(&h->spots, root)) {
		pp_branch_release(&root.branch);
		return false;
	}
	if (!expand(h, 0))
		return false;
	while (h->heap.n > 0 && (h->lines == 0 || lines < h->lines)) {
		uint32_t at = heap_pop(h);
		struct pp_hot_spot *s = &h->spots.at[at];

		s->shown = true;
		s->self = cost_of(h, pp_calltree_self(h->tree, &s->branch, h->metric));
		s->chained = is_chained(h, at);
		h->spots.at[s->parent].shown_count++;
		lines += !s->chained;
		if (!expand(h, at))
			return false;
	}
	return true;
}

uint32_t
pp_hot_chained(const struct pp_hot *h, uint32_t spot)
{
	const struct pp_hot_spot *s = &h->spots.at[spot];
	uint32_t i;

	for (i = s->first; i < s->first + s->count; i++)
		if (h->spots.at[i].shown && h->spots.at[i].chained)
			return i;
	return 0;
}

uint32_t
pp_hot_line_end(const struct pp_hot *h, uint32_t spot, uint32_t *length)
{
	uint32_t next;

	for (*length = 1; (next = pp_hot_chained(h, spot)) != 0; ++*length)
		spot = next;
	return spot;
}
