/*
 * The part of a call tree worth showing: the branches that cost most, until the lines are used up.
 *
 * A branch costs at least what each of its callees costs, so picking the costliest branch that is not
 * picked yet always gives a connected top of the tree. Branches that only pass everything on to one
 * callee share its line.
 */
#ifndef PP_HOT_H
#define PP_HOT_H

#include "analysis/calltree.h"

/* A branch that was looked at; its children stand together, costliest first. */
struct pp_hot_spot {
	struct pp_branch branch;
	double total;
	double self; /* of shown ones */
	uint32_t parent;
	uint32_t depth;        /* the root has 0 */
	uint32_t first, count; /* its children among the spots */
	uint32_t shown_count;  /* how many of them are shown */
	double lost;           /* what the line leaves out, if it is chained */
	bool shown;
	bool chained; /* shares the line of its caller */
};

struct pp_hot {
	struct pp_calltree *tree;
	size_t metric;
	double min;                       /* in the metric's unit; smaller branches are not shown */
	uint64_t depth;                   /* 0 = no limit */
	uint64_t lines;                   /* 0 = no limit */
	bool apart;                       /* each branch has a line of its own */
	PP_VEC(struct pp_hot_spot) spots; /* [0] is the root */
	PP_VEC(uint32_t) heap;            /* spots to choose from, costliest on top */
};

/* Fills `spots` as `metric`, `min`, `depth` and `lines` say. False when out of memory. */
bool pp_hot_pick(struct pp_hot *);
void pp_hot_release(struct pp_hot *);

/* The last spot on the line that starts with a spot; *length is how many there are. */
uint32_t pp_hot_line_end(const struct pp_hot *, uint32_t spot, uint32_t *length);
/* The spot that follows on the same line; 0 when there is none. */
uint32_t pp_hot_chained(const struct pp_hot *, uint32_t spot);
/* What the children of a spot cost that are not shown, whatever their signs. */
double pp_hot_rest(const struct pp_hot *, uint32_t spot);

#endif
