/*
 * Walking over Xdebug's calls backwards: which is pre-order, so every call's stack is known when it is met.
 */
#ifndef PP_XDEBUG_WALK_H
#define PP_XDEBUG_WALK_H

#include "formats/valgrind/xdebug_scan.h"

/* What is added up per function; indexed by slot. */
struct pp_xd_sums {
	uint64_t calls;
	int64_t own[PP_XD_COLUMNS];
	int64_t total[PP_XD_COLUMNS]; /* call lines of outermost activations */
	int64_t root[PP_XD_COLUMNS];  /* the same of calls that nobody made */
	int64_t gained[PP_XD_COLUMNS], all_gained[PP_XD_COLUMNS]; /* own and total, of what falls */
	uint32_t active; /* how often it is on the stack now */
	uint32_t line;   /* of its records */
	bool lines_differ;
	pp_func func; /* building a tree only; 0 = to be named later */
	pp_frame frame;
};

/* A call on the stack whose own calls are still to come. */
struct pp_xd_open {
	uint32_t slot;
	uint32_t left;     /* calls still to come */
	uint64_t expected; /* hash over the functions that its list names, */
	uint64_t met;      /* and over those that came */
	pp_node node;
	uint32_t edge;                 /* over which it was called, where edges gain */
	int64_t gained[PP_XD_COLUMNS]; /* by it and what it called so far */
};

struct pp_xd_edge {
	uint32_t caller, callee, line;
	int64_t calls;
	int64_t cost[PP_XD_COLUMNS];
	int64_t gained[PP_XD_COLUMNS]; /* by the callee and what it called */
};

/* Costs per node of the tree. */
struct pp_xd_node {
	int64_t inclusive[PP_XD_COLUMNS];
	int64_t own[PP_XD_COLUMNS];
	int64_t gained[PP_XD_COLUMNS];
	uint64_t calls;
	pp_frame last; /* the callee that was looked for last, and where it was */
	pp_node last_at;
};

struct pp_xd_walk {
	unsigned columns;
	uint32_t gained[PP_XD_COLUMNS]; /* the metric of what a column gains, or PP_NO_METRIC */
	bool gains;                     /* there is one */
	struct pp_builder *builder;     /* where the tree grows, or NULL */
	bool want_edges;
	bool any_calls; /* some are listed, whether edges are wanted or not */
	uint32_t max_depth;
	PP_VEC(struct pp_xd_sums) sums;
	PP_VEC(struct pp_xd_open) stack;
	PP_VEC(struct pp_xd_edge) edges;
	PP_VEC(uint32_t) coming; /* edges of the calls that are still to come, the next one last */
	PP_VEC(struct pp_xd_node) nodes;
	struct pp_map edge_of;
	struct pp_xd_recent {
		uint64_t key;
		uint32_t edge;
	} * recent; /* direct-mapped, before edge_of */
	uint64_t records, roots;
	int64_t root[PP_XD_COLUMNS]; /* inclusive cost of all roots */
	unsigned odd;                /* PP_XD_ODD_*: what the fast way leaves to the thorough one */
	pp_status status;            /* PP_E_NOMEM, PP_E_LIMIT */
};

enum {
	PP_XD_ODD_SUMS = (1 << PP_XD_COLUMNS) - 1, /* one bit per column: a sum exceeds 63 bits */
	PP_XD_ODD_DATE = 1 << PP_XD_COLUMNS,       /* a time that is none */
	PP_XD_ODD_LIST = 2 << PP_XD_COLUMNS, /* other calls than listed; text that is unusual */
};

/* A walk over the records of the parser's current part, which grows the tree if that is wanted. */
bool pp_xd_walk_init(struct pp_xd_walk *, struct pp_cg_parser *, bool tree);
void pp_xd_walk_release(struct pp_xd_walk *);
/* Walks over one record of a slot that there is (pp_xd_walk_slots), and the list of its calls. */
bool pp_xd_walk_record(struct pp_xd_walk *, const struct pp_xd_record *,
                       const struct pp_xd_call *calls);
/* Makes room for so many slots; false when out of memory. */
bool pp_xd_walk_slots(struct pp_xd_walk *, size_t n);
/*
 * Puts what was walked into the profile, as the parser's current part. `func_of` has the function of each slot; NULL: they
 * are functions. False when a sum does not fit.
 */
bool pp_xd_build(struct pp_cg_parser *, struct pp_xd_walk *, struct pp_xd_lines *,
                 const pp_func *func_of);

#endif
