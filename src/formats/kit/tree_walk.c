/*
 * The tree as a program ran through it, without recursion.
 */
#include "formats/kit/tree_walk.h"

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
