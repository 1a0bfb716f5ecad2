/*
 * A call tree while it is cut to a budget: between excerpt_tree.c, which chooses nodes, and excerpt_tree_rows.c, which makes
 * rows of them.
 */
#ifndef PP_EXCERPT_CUTTING_H
#define PP_EXCERPT_CUTTING_H

#include "questions/excerpt.h"

#define PP_CUTTING_NOBODY UINT32_MAX

/* A node that was looked at. */
struct pp_cutting_spot {
	uint32_t node;
	uint32_t
	    row_parent; /* the spot whose row it stands below; PP_CUTTING_NOBODY = it is the first */
	uint32_t level, skip;
	double skipped;                    /* own cost of the nodes between it and that row */
	double weight;                     /* that it is chosen by */
	union pp_value self, total, shown; /* shown: of the rows below it */
	double below_gained, shown_gained; /* what those below it gained, and the rows of them */
	uint32_t hidden;                   /* branches below its row that have none */
	bool has_row;
	size_t bytes, rest_bytes; /* of its row, and of the one for the rest */
};

struct pp_cutting {
	struct pp_excerpt *x;
	const struct pp_numbering *tree;
	const struct pp_handles *handles;
	const struct pp_metric *metric;
	size_t metric_index;
	const union pp_value *totals;
	union pp_value *own_totals; /* the same, if they had to be made */
	union pp_value *own; /* by node, where differences of totals do not give it; else NULL */
	union pp_value
	    *gained;  /* by node, of a metric that falls and whose steps are known; else NULL */
	double whole; /* what shares are of */
	double all;   /* what dull is measured by */
	uint64_t depth;
	uint32_t start;
	uint64_t page; /* callees of the first node that are left out */
	size_t clip;   /* bytes that a name may have */
	uint32_t last; /* the node that was taken last */
	/* A page that opens the rest of a row: of which answer, where that ended, and where the page before did. */
	bool opens;
	uint32_t root, ended, resumed;
	struct pp_cutting_rest *rests; /* by node: what is left below its row */
	double *order;                 /* by node: what it is taken by, no more than its caller's */
	uint32_t *owner;               /* by node: whose row it is below */
	double *skipped; /* by node: own cost of it and those above it without a row */
	PP_VEC(struct pp_cutting_spot) spots;
	PP_VEC(uint32_t) heap;
	PP_VEC(struct pp_cutting_shown {
		uint32_t spot;
		bool rest;
	})
	rows;
	size_t bytes, room;
	struct pp_buf scratch;
	bool failed;
};

/* What of a row's rest is left when an answer ends. */
struct pp_cutting_rest {
	double weight;
	double
	    rest; /* the same with what dull nodes cost themselves, as the row for it says: the largest is opened next */
	uint32_t nodes;
};

/* What a node's share of the whole is: its total or, where the metric falls, what was gained in it. */
double pp_cutting_gained(const struct pp_cutting *, uint32_t node);
/* How many bytes a row takes, or that of its rest, with the brackets and the comma. */
size_t pp_cutting_bytes(struct pp_cutting *, const struct pp_cutting_spot *, bool rest);
/* Rows in preorder, each with its rest behind the rows below it; false when out of memory. */
bool pp_cutting_rows(struct pp_cutting *);
/* Makes one of them: pp_excerpt.row. */
void pp_cutting_row(void *data, size_t row, struct pp_row *);

#endif
