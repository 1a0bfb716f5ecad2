/*
 * The tree as a program ran through it: each node is entered and, behind all below it, left. For writers of
 * calls and returns.
 */
#ifndef PP_KIT_TREE_WALK_H
#define PP_KIT_TREE_WALK_H

#include "model/inclusive.h"

struct pp_tree_walk {
	struct pp_children children;
	const struct pp_tree *tree;
	pp_node node;
	uint32_t depth;
	size_t steps;
	bool leaving; /* the node is left, not entered */
};

/* Before the first node; false when out of memory. To be released in any case. */
bool pp_tree_walk_begin(struct pp_tree_walk *, const struct pp_profile *);
/* The next step; false at the end, and when the file is wanted no more: its sink fails then. */
bool pp_tree_walk_next(struct pp_tree_walk *);
void pp_tree_walk_release(struct pp_tree_walk *);

/* How often each node was called, over all series; *known (or NULL) tells whether any counts. NULL when out of memory. */
uint64_t *pp_node_calls(const struct pp_profile *, bool *known);

#endif
