/*
 * The tree as a program ran through it, without recursion.
 */
#include "formats/kit/tree_walk.h"

#include <stdlib.h>

#include "base/stops.h"

bool
pp_tree_walk_begin(struct pp_tree_walk *x, const struct pp_profile *p)
{
	*x = (struct pp_tree_walk){ .tree = &p->tree };
	return pp_children_compute(&x->children, p);
}

void
pp_tree_walk_release(struct pp_tree_walk *x)
{
	pp_children_release(&x->children);
}

bool
pp_tree_walk_next(struct pp_tree_walk *x)
{
	if (pp_account_stops_at(++x->steps))
		return false;
	if (!x->leaving && x->children.first[x->node]) {
		x->node = x->children.first[x->node];
		x->depth++;
		return true;
	}
	if (x->node == 0)
		return false;
	if (!x->leaving) {
		x->leaving = true;
		return true;
	}
	if (x->children.next[x->node]) {
		x->node = x->children.next[x->node];
		x->leaving = false;
		return true;
	}
	x->node = pp_tree_parent(x->tree, x->node);
	x->depth--;
	return x->node != 0;
}

uint64_t *
pp_node_calls(const struct pp_profile *p, bool *known)
{
	uint64_t *calls = calloc(p->tree.n, sizeof *calls);
	bool any = false;
	uint32_t row;
	size_t i;

	for (i = 0; calls && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		any |= s->has_calls;
		for (row = 0; s->has_calls && row < s->rows; row++)
			if (pp_series_present(s, row))
				pp_count_add(&calls[pp_series_node(s, row)],
				             (uint64_t)pp_series_cells(s, row)[p->metrics.n]);
	}
	if (known)
		*known = any;
	return calls;
}
