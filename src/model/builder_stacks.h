/*
 * What the parts of the builder that take whole stacks share: builder_stacks.c and builder_columns.c.
 */
#ifndef PP_BUILDER_STACKS_H
#define PP_BUILDER_STACKS_H

#include "model/builder.h"
#include "model/held.h"
#include "model/sums.h"

#define BATCH_STACKS 512

/* What is known of a stack that waits. */
struct waiting {
	uint32_t series;
	uint32_t cpu;
	int64_t time;
	bool timed;
	bool path;          /* it has no cost */
	bool pause;         /* it is none: its thread stopped running */
	bool apart;         /* what is the leaf's own is not all */
	size_t part, parts; /* its costs, where there are many columns */
	pp_stack *where;
	struct pp_place place;
};

/* What it costs in one column. */
struct stack_part {
	uint32_t column;
	int64_t value, own;
};

struct sparse_node {
	uint32_t series;
	pp_node node;
};

/* A frame of the stack that came last, and what was spent below it since it was entered. */
struct pp_walk_step {
	pp_frame frame;
	bool outer; /* it does not stand further out, too */
	uint64_t values[PP_WALK_COLUMNS];
};

/* See walk.c. */
struct pp_walk {
	PP_VEC(struct pp_walk_step) path; /* root first */
	PP_VEC(uint8_t) stands;           /* by frame: it is on the path */
	uint32_t column;                  /* the first of those that `values` are of */
	uint64_t whole[PP_WALK_COLUMNS];
	bool any; /* something is not settled */
};

struct pp_stacks {
	size_t columns; /* values per stack */
	bool adds_up;   /* costs per function only */
	bool sieves;    /* stacks are filtered on their way into the tree */
	bool times;     /* samples are kept one by one */

	/* columns that become metrics at the end */
	bool late;
	PP_VEC(uint8_t) types;      /* per column */
	PP_VEC(uint32_t) column_of; /* per metric, when they are settled */
	PP_VEC(uint32_t)
	spills; /* per series: the one where sums that do not fit go on; 0 = none */

	/* stacks that wait */
	size_t n, frames_n;
	struct waiting rows[BATCH_STACKS];
	uint32_t depth[BATCH_STACKS];
	pp_node under[BATCH_STACKS], leaf[BATCH_STACKS];
	pp_frame frames[PP_TREE_BATCH];
	PP_VEC(int64_t) values, own;

	/*
	 * With more than PP_FEW_COLUMNS that become metrics at the end, cells are gathered by row of `nodes` and
	 * column, and given to the series then; stacks that wait have parts instead of values.
	 */
	bool is_sparse;
	PP_VEC(struct stack_part) parts;
	PP_VEC(struct sparse_node) nodes;
	struct pp_map row_of; /* of series << 32 | node */
	struct pp_gather cells;

	/* Those that wait for all others, in the first series; NULL = none does. */
	struct pp_held *held;

	PP_VEC(uint8_t) keeps; /* by frame: whether the order keeps its name */
	PP_VEC(uint8_t) idles; /* by frame: a stack that ends in it is idle */

	/* filters */
	struct pp_sieve sieve;
	PP_VEC(pp_frame) left;       /* what the filter leaves of a stack */
	PP_VEC(union pp_value) came; /* by series and column, when stacks go into the tree */

	/* costs per function */
	struct pp_walk walk;
	struct pp_sums sums;
	PP_VEC(union pp_value) total, self; /* of one stack */
	PP_VEC(union pp_value) idle;        /* of stacks that were idle; empty = none was */
};

static inline enum pp_cell_type
column_type(const struct pp_builder *b, size_t column)
{
	return (enum pp_cell_type)b->stacks->types.at[column];
}

static inline union pp_value
column_value(const struct pp_builder *b, size_t column, int64_t cell)
{
	const struct pp_metric like = { .type = column_type(b, column) };

	return pp_cell_value(&like, cell);
}

/* One more column. */
bool pp_stacks_column(struct pp_builder *, enum pp_cell_type);
/* Notes what of a value is not a leaf's own, as rows like this one. False on failure, as those below. */
bool pp_stacks_not_own(struct pp_builder *, struct pp_not_own_row, int64_t value, int64_t own);

/* ---- stacks like the one before, see walk.c ---- */
void pp_walk_release(struct pp_walk *);
/* Gives functions what steps have; the path stays. False when out of memory. */
bool pp_walk_settle(struct pp_stacks *);

/* ---- stacks that are idle, see builder_costs.c: where stacks are added up ---- */
/* Notes of frames that are new whether a stack that ends in them is idle. False on failure. */
bool pp_idle_frames(struct pp_builder *);
/* Adds to what idle stacks cost, one value per column; false when out of memory, as the next. */
bool pp_idle_add(struct pp_builder *, const union pp_value *);
/* Gives the profile the costs of all functions together, of each function, and of idle stacks. */
bool pp_stacks_give_sums(struct pp_builder *);
/* Multiplies a column of that, or divides it into doubles. */
void pp_idle_scale(struct pp_stacks *, uint32_t column, uint64_t factor);
void pp_idle_to_real(struct pp_stacks *, uint32_t column, double divisor);

/* Whether a stack is idle, and set aside for that. */
static inline bool
pp_stack_is_idle(struct pp_builder *b, const pp_frame *frames, size_t depth)
{
	if (!(b->order.facets & PP_ASIDE) || !depth)
		return false;
	if (PP_UNLIKELY(b->stacks->idles.n < b->profile->frames.n) && !pp_idle_frames(b))
		return false;
	return b->stacks->idles.at[frames[depth - 1]];
}

/* ---- many columns, see builder_sparse.c ---- */
void pp_stacks_sparse_release(struct pp_stacks *);
/* From here on cells are gathered; no stack waits. */
bool pp_stacks_to_sparse(struct pp_builder *);
/* Notes the costs of a stack that waits. */
bool pp_stacks_parts(struct pp_builder *, const struct pp_sample *, struct waiting *);
/* Adds them to its node. */
bool pp_stacks_sparse_add(struct pp_builder *, const struct waiting *, pp_node);
/* Columns become metrics, and series have moved. */
bool pp_stacks_sparse_settle(struct pp_builder *, const uint32_t *moved);
/* Gives series what was gathered for them. */
bool pp_stacks_spread(struct pp_builder *);
/* The series where sums of another one go on, made when absent; 0 on failure. */
uint32_t pp_stacks_spill(struct pp_builder *, uint32_t series);

/*
 * Decides, at the first stack, what becomes of all. Columns are those of the series; of which nothing is
 * said become counts. NULL on failure.
 */
struct pp_stacks *pp_stacks_start(struct pp_builder *, size_t columns, bool late);

#endif
