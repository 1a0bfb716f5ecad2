/*
 * A call tree as text: numbers first, then the name behind lines that show who calls it.
 */
#ifndef PP_TREE_VIEW_H
#define PP_TREE_VIEW_H

#include "analysis/hot.h"
#include "cli/cli.h"

/* A column of numbers before the names; the widest title or cell decides its width. */
struct pp_tree_column {
	const char *title;
	/* Appends the cell for a set of branches, added up: one spot, or those that are not shown. */
	void (*show)(const void *data, const struct pp_branch *branches, size_t n, struct pp_buf *);
	/* The ink of the cell; NULL = plain. */
	enum pp_ink (*ink)(const void *data, const struct pp_branch *branches, size_t n);
};

struct pp_tree_view {
	const struct pp_hot *hot;
	const struct pp_tree_column *columns;
	size_t column_count;
	const void *data; /* handed to the columns */
};

/* Prints what pp_hot_pick() has picked; false when out of memory. */
bool pp_tree_view_print(const struct pp_tree_view *, struct pp_cli *);

#endif
