/*
 * The walk: a stack of calls whose own calls are still to come, sums per function, perhaps a tree.
 *
 * When a record is met its ancestors are on the stack, so each line of its list of calls can be judged
 * at once: it is an outermost activation if its function is not active. The k records that follow (going
 * backwards) with their subtrees are its calls; a hash over their functions tells whether they are those
 * that the list names.
 */
#include "formats/valgrind/xdebug_walk.h"

#include <stdlib.h>

#define RECENT_EDGES 4096
#define NO_EDGE UINT32_MAX
#define HASH_STEP 0x9e3779b97f4a7c15u

bool
pp_xd_walk_init(struct pp_xd_walk *w, struct pp_cg_parser *parser, bool tree)
{
	const struct pp_reader *reader = parser->reader;
	const struct pp_profile *p = parser->builder->profile;
	const struct pp_cg_part *part = pp_cg_part(parser);
	unsigned k;

	*w = (struct pp_xd_walk){ .columns = part->event_count,
		                  .builder = tree ? parser->builder : NULL,
		                  .max_depth = reader->limits.max_depth };
	for (k = 0; k < PP_XD_COLUMNS; k++) {
		size_t gained = k < w->columns ? pp_metric_gained(p, part->events[k])
		                               : p->metrics.n;

		w->gained[k] = gained < p->metrics.n ? (uint32_t)gained : PP_NO_METRIC;
		w->gains |= gained < p->metrics.n;
	}
	w->want_edges = reader->order->facets & PP_EDGES;
	w->edge_of.seed = reader->seed;
	if (!w->want_edges)
		return true;
	w->recent = malloc(RECENT_EDGES * sizeof *w->recent);
	if (w->recent)
		memset(w->recent, 0xff, RECENT_EDGES * sizeof *w->recent);
	return w->recent != NULL;
}

void
pp_xd_walk_release(struct pp_xd_walk *w)
{
	pp_vec_release(&w->sums);
	pp_vec_release(&w->stack);
	pp_vec_release(&w->edges);
	pp_vec_release(&w->coming);
	pp_vec_release(&w->nodes);
	pp_map_release(&w->edge_of);
	free(w->recent);
	w->recent = NULL;
}

static bool
fail(struct pp_xd_walk *w, pp_status status)
{
	if (w->status == PP_OK)
		w->status = status;
	return false;
}

bool
pp_xd_walk_slots(struct pp_xd_walk *w, size_t n)
{
	size_t old = w->sums.n;

	if (n <= old)
		return true;
	if (!pp_vec_reserve(&w->sums, n))
		return fail(w, PP_E_NOMEM);
	memset(w->sums.at + old, 0, (n - old) * sizeof *w->sums.at);
	w->sums.n = n;
	return true;
}

/* Takes back what was added to a sum that passed 63 bits. */
static PP_NOINLINE unsigned
add2_odd(int64_t *to, const int64_t *from, bool first, bool second)
{
	if (first)
		to[0] = (int64_t)((uint64_t)to[0] - (uint64_t)from[0]);
	if (second)
		to[1] = (int64_t)((uint64_t)to[1] - (uint64_t)from[1]);
	return (unsigned)first | (unsigned)second << 1;
}

/* Adds two columns; a sum that exceeds 63 bits stays as it was: PP_XD_ODD_SUMS. */
static inline unsigned
add2(int64_t *to, const int64_t *from)
{
	bool first = __builtin_add_overflow(to[0], from[0], &to[0]);
	bool second = __builtin_add_overflow(to[1], from[1], &to[1]);

	return PP_UNLIKELY(first || second) ? add2_odd(to, from, first, second) : 0;
}

/* A time as large as this is a date. */
static inline unsigned
date_of(int64_t time)
{
	return (uint64_t)time >= (uint64_t)PP_XD_EPOCH ? PP_XD_ODD_DATE : 0;
}

/* ---- edges ------------------------------------------------------------------------------ */

static bool
edge_find(struct pp_xd_walk *w, uint64_t key, uint32_t caller, uint32_t callee, uint32_t line,
          uint32_t *edge)
{
	uint32_t i = pp_map_get(&w->edge_of, key);

	if (i == PP_MAP_NONE) {
		i = (uint32_t)w->edges.n;
		if (i == PP_MAP_NONE ||
		    !pp_vec_push(
		        &w->edges,
		        (struct pp_xd_edge){ .caller = caller, .callee = callee, .line = line }) ||
		    !pp_map_set(&w->edge_of, key, i))
			return fail(w, PP_E_NOMEM);
	}
	*edge = i;
	return true;
}

static bool
edge_add(struct pp_xd_walk *w, uint32_t caller, uint32_t callee, uint32_t line, int64_t calls,
         const int64_t *cost, uint32_t *found)
{
	uint64_t key = (uint64_t)caller << 44 | (uint64_t)callee << 24 | line;
	struct pp_xd_recent *recent = &w->recent[(key * HASH_STEP) >> 52];
	struct pp_xd_edge *edge;

	if (PP_UNLIKELY(line >> 24 || caller >> 20 || callee >> 20)) {
		w->odd |= PP_XD_ODD_LIST;
		return false;
	}
	if (recent->key != key) {
		if (!edge_find(w, key, caller, callee, line, &recent->edge))
			return false;
		recent->key = key;
	}
	edge = &w->edges.at[recent->edge];
	if (__builtin_add_overflow(edge->calls, calls, &edge->calls))
		w->odd |= PP_XD_ODD_SUMS;
	w->odd |= add2(edge->cost, cost);
	*found = recent->edge;
	return true;
}

/* The edge over which the next call comes, whose gains will be known when it has all its calls. */
static uint32_t
edge_next(struct pp_xd_walk *w)
{
	return w->gains && w->want_edges && w->coming.n ? w->coming.at[--w->coming.n] : NO_EDGE;
}

/* ---- the tree --------------------------------------------------------------------------- */

/* The frame of a function, whose name may be known only when all is read. */
static pp_frame
frame_make(struct pp_xd_walk *w, struct pp_xd_sums *f)
{
	struct pp_frame_row row = { 0 };

	if (!f->func)
		f->func = pp_build_func_later(w->builder);
	row.func = f->func;
	f->frame = pp_build_frame(w->builder, &row);
	return f->frame;
}

static struct pp_xd_node *
tree_node_find(struct pp_xd_walk *w, struct pp_xd_sums *f, pp_node under, pp_node *node)
{
	pp_frame frame = f->frame ? f->frame : frame_make(w, f);
	size_t old = w->nodes.n;

	*node = pp_build_child(w->builder, under, frame);
	if (PP_UNLIKELY(!*node)) {
		(void)fail(w, w->builder->status);
		return NULL;
	}
	if (*node >= old) {
		if (!pp_vec_reserve(&w->nodes, (size_t)*node + 1)) {
			(void)fail(w, PP_E_NOMEM);
			return NULL;
		}
		memset(w->nodes.at + old, 0, (*node + 1 - old) * sizeof *w->nodes.at);
		w->nodes.n = (size_t)*node + 1;
	}
	w->nodes.at[under].last = frame;
	w->nodes.at[under].last_at = *node;
	return &w->nodes.at[*node];
}

/*
 * The node of a function under another; NULL on failure. Valid until the next call. A call is looked for in its
 * caller's list and again when it is read, and often follows one of the same function.
 */
static inline struct pp_xd_node *
tree_node(struct pp_xd_walk *w, struct pp_xd_sums *f, pp_node under, pp_node *node)
{
	if (PP_LIKELY(f->frame && under < w->nodes.n && w->nodes.at[under].last == f->frame)) {
		*node = w->nodes.at[under].last_at;
		return &w->nodes.at[*node];
	}
	return tree_node_find(w, f, under, node);
}

/* ---- records ---------------------------------------------------------------------------- */

/* What a call gained, its own calls included, is known: its function gained that, unless it is called again. */
static void
gains_settle(struct pp_xd_walk *w, struct pp_xd_sums *f, uint32_t edge, const int64_t *gained)
{
	if (edge != NO_EDGE)
		w->odd |= add2(w->edges.at[edge].gained, gained);
	if (f->active == 0)
		w->odd |= add2(f->all_gained, gained);
	if (w->stack.n)
		w->odd |= add2(w->stack.at[w->stack.n - 1].gained, gained);
}

/* Calls that have all their calls leave the stack. */
static inline void
stack_settle(struct pp_xd_walk *w)
{
	while (w->stack.n && w->stack.at[w->stack.n - 1].left == 0) {
		const struct pp_xd_open *top = &w->stack.at[--w->stack.n];

		if (PP_UNLIKELY(top->expected != top->met))
			w->odd |= PP_XD_ODD_LIST;
		w->sums.at[top->slot].active--;
		if (w->gains)
			gains_settle(w, &w->sums.at[top->slot], top->edge, top->gained);
	}
}

/* What a record gained itself. */
static void
gains_add(struct pp_xd_walk *w, struct pp_xd_sums *f, struct pp_xd_node *node,
          const struct pp_xd_record *record, int64_t *gained)
{
	unsigned k;

	for (k = 0; k < PP_XD_COLUMNS; k++)
		gained[k] = w->gained[k] != PP_NO_METRIC ? pp_cell_gained(PP_INT, record->own[k])
		                                         : 0;
	w->odd |= add2(f->gained, gained);
	if (node)
		w->odd |= add2(node->gained, gained);
}

/* A call that nobody made: its cost is its own and that of its calls. */
static void
root_add(struct pp_xd_walk *w, struct pp_xd_sums *f, const struct pp_xd_record *record,
         const struct pp_xd_call *calls, struct pp_xd_node *node)
{
	int64_t cost[PP_XD_COLUMNS] = { record->own[0], record->own[1] };
	uint32_t k;

	for (k = 0; k < record->calls; k++)
		w->odd |= add2(cost, calls[k].cost);
	w->roots++;
	w->odd |= add2(f->root, cost);
	w->odd |= add2(w->root, cost);
	if (node)
		w->odd |= add2(node->inclusive, cost);
}

/* The list of calls of a record, last first; returns the hash over its functions. */
static inline uint64_t
list_add(struct pp_xd_walk *w, const struct pp_xd_record *record, const struct pp_xd_call *calls,
         pp_node under)
{
	bool gains = w->gains && w->want_edges;
	size_t coming = w->coming.n;
	struct pp_xd_node *row;
	uint64_t hash = 0;
	pp_node node;
	uint32_t k, edge = NO_EDGE;

	if (gains && !pp_vec_reserve(&w->coming, coming + record->calls)) {
		(void)fail(w, PP_E_NOMEM);
		return 0;
	}
	w->coming.n += gains ? record->calls : 0;
	w->any_calls |= record->calls > 0;
	for (k = record->calls; k-- > 0;) {
		const struct pp_xd_call *call = &calls[k];
		struct pp_xd_sums *callee = &w->sums.at[call->slot];

		hash = hash * HASH_STEP + call->slot;
		if (callee->active == 0)
			w->odd |= add2(callee->total, call->cost);
		w->odd |= date_of(call->cost[0]);
		if (w->builder) {
			row = tree_node(w, callee, under, &node);
			w->odd |= row ? add2(row->inclusive, call->cost) : PP_XD_ODD_LIST;
		}
		if (w->want_edges &&
		    !edge_add(w, record->slot, call->slot, call->line, 1, call->cost, &edge)) {
			w->coming.n = coming; /* what was not found is not looked at */
			return 0;
		}
		if (gains)
			w->coming.at[coming + k] = edge;
	}
	return hash;
}

bool
pp_xd_walk_record(struct pp_xd_walk *w, const struct pp_xd_record *record,
                  const struct pp_xd_call *calls)
{
	struct pp_xd_sums *f = &w->sums.at[record->slot];
	struct pp_xd_open open = { .slot = record->slot, .left = record->calls, .edge = NO_EDGE };
	struct pp_xd_node *node = NULL;

	w->records++;
	f->calls++;
	w->odd |= add2(f->own, record->own) | date_of(record->own[0]);
	f->lines_differ |= f->line != record->line && f->calls > 1;
	f->line = record->line;
	if (w->stack.n)
		open.node = w->stack.at[w->stack.n - 1].node;
	if (w->builder) {
		node = tree_node(w, f, open.node, &open.node);
		if (!node)
			return false;
		node->calls++;
		w->odd |= add2(node->own, record->own);
	}
	if (w->stack.n) {
		struct pp_xd_open *top = &w->stack.at[w->stack.n - 1];

		top->met = top->met * HASH_STEP + record->slot;
		top->left--;
		open.edge = edge_next(w);
	} else {
		root_add(w, f, record, calls, node);
	}
	if (PP_UNLIKELY(w->stack.n >= w->max_depth))
		return fail(w, PP_E_LIMIT);
	if (w->gains)
		gains_add(w, f, node, record, open.gained);
	if (record->calls == 0) {
		if (w->gains)
			gains_settle(w, f, open.edge, open.gained);
		stack_settle(w);
		return true;
	}
	f->active++;
	open.expected = list_add(w, record, calls, open.node);
	return pp_vec_push(&w->stack, open) || fail(w, PP_E_NOMEM);
}
