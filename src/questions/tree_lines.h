/*
 * The lines of a call tree as people see it: what pp_hot_pick() has picked, in the order of the tree. A line is a chain
 * of functions that each only call the next, or all those under one caller that are not shown.
 */
#ifndef PP_TREE_LINES_H
#define PP_TREE_LINES_H

#include "analysis/hot.h"
#include "questions/answer.h"

struct pp_tree_line {
	uint32_t spot, end; /* the first and the last of the chain; for a rest the caller twice */
	uint32_t length;    /* 0 = a rest */
	size_t first, n;    /* the branches that it stands for, added up */
	struct pp_branch_place place;
};

/* The first member of what a table of such lines has as its data. */
struct pp_tree_lines {
	struct pp_hot hot; /* `tree`, `metric`, `min`, `depth` and `lines` are set before */
	PP_VEC(struct pp_tree_line) lines;
	PP_VEC(struct pp_branch) branches; /* borrowed */
	bool places;                       /* functions are shown with their places */
};

/* Picks and lists; false when out of memory. Release it in both cases. */
bool pp_tree_lines_make(struct pp_tree_lines *);
void pp_tree_lines_release(struct pp_tree_lines *);

/* The branches of a line. */
static inline const struct pp_branch *
pp_tree_line_branches(const struct pp_tree_lines *t, size_t row, size_t *n)
{
	*n = t->lines.at[row].n;
	return t->branches.at + t->lines.at[row].first;
}

/* The sum of the totals of a line's branches in a metric, and of what they cost themselves. */
double pp_tree_line_total(const struct pp_tree_lines *, size_t row, size_t metric);
double pp_tree_line_self(const struct pp_tree_lines *, size_t row, size_t metric);

/* For the table: where a line stands, and the column of names. */
struct pp_branch_place pp_tree_line_place(const void *lines, size_t row);
void pp_tree_line_label(const void *lines, size_t row, size_t arg, struct pp_datum *);

/* The branches on one level that are still to come. */
struct pp_branch_level {
	struct pp_branches branches;
	size_t next;
};

/* The whole tree, branch by branch: the data of a table whose rows come one after the other. */
struct pp_branch_walk {
	struct pp_calltree tree;
	size_t metric;  /* that the branches of a caller are sorted by */
	double min;     /* in its unit; smaller branches are left out */
	uint64_t depth; /* 0 = no limit */
	bool begun;
	struct pp_branch at; /* the row */
	PP_VEC(struct pp_branch_level) levels;
	bool few; /* the costliest branches alone, as `hot` picks them: */
	struct pp_hot hot;
	PP_VEC(uint32_t) path; /* spots from the root to the row */
};

/* A walk over the tree of a profile, to be set up and shown; NULL when out of memory. It lives in the answer. */
struct pp_branch_walk *pp_branch_walk_new(struct pp_answer *, const struct pp_profile *);
/* "root": {...}: what a branch is, and these columns, which are copied; "children" inside. */
void pp_branch_walk_table(struct pp_answer *, const struct pp_branch_walk *,
                          const struct pp_answer_column *, size_t n);
/* Columns of what a branch costs; `arg` is the metric. */
void pp_branch_walk_self(const void *data, size_t row, size_t metric, struct pp_datum *);
void pp_branch_walk_total(const void *data, size_t row, size_t metric, struct pp_datum *);
/* How many of a branch's callees are left out. */
void pp_branch_walk_more(const void *data, size_t row, size_t arg, struct pp_datum *);

#endif
