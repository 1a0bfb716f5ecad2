/*
 * The calls between functions as a tree has them.
 */
#include "analysis/call_pairs.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/stops.h"
#include "model/inclusive.h"
#include "model/ledger.h"

bool
pp_tree_has_calls(const struct pp_profile *p)
{
	enum pp_basis basis = pp_profile_basis(p);

	return p->tree.n > 1 && !p->estimated &&
	       (basis == PP_BASIS_TREE || basis == PP_BASIS_COSTS);
}

void
pp_call_pairs_release(struct pp_call_pairs *x)
{
	pp_vec_release(&x->at);
	pp_map_release(&x->index);
	free(x->of_node);
	free(x->within);
	free(x->outermost);
	*x = (struct pp_call_pairs){ 0 };
}

static uint64_t
key_of(pp_func caller, pp_func callee)
{
	return (uint64_t)caller << 32 | callee;
}

uint32_t
pp_call_pairs_find(const struct pp_call_pairs *x, pp_func caller, pp_func callee)
{
	return pp_map_get(&x->index, key_of(caller, callee));
}

/* Finds or makes a pair; false when out of memory. */
static bool
pair_make(struct pp_call_pairs *x, pp_func caller, pp_func callee, uint32_t *pair)
{
	*pair = pp_call_pairs_find(x, caller, callee);
	if (*pair != PP_MAP_NONE)
		return true;
	*pair = (uint32_t)x->at.n;
	return x->at.n < PP_MAP_NONE && pp_map_set(&x->index, key_of(caller, callee), *pair) &&
	       pp_vec_push(&x->at, (struct pp_call_pair){ caller, callee });
}

/* The pair of each node that is called by another one. */
static bool
nodes_find(struct pp_call_pairs *x, const pp_func *func_of, pp_func only)
{
	const struct pp_tree *tree = &x->profile->tree;
	bool fine = true;
	pp_node node;

	x->of_node[0] = PP_MAP_NONE;
	for (node = 1; fine && node < tree->n && !pp_account_stops_at(node); node++) {
		pp_node parent = pp_tree_parent(tree, node);
		pp_func callee = func_of[pp_tree_frame(tree, node)];
		pp_func caller = parent ? func_of[pp_tree_frame(tree, parent)] : 0;

		x->of_node[node] = PP_MAP_NONE;
		if (caller && (!only || only == (x->side == PP_CALLERS ? callee : caller)))
			fine = pair_make(x, caller, callee, &x->of_node[node]);
	}
	return fine && !pp_account_stops();
}

/* A walk that knows the last activation of each function on its way. */
struct within_walk {
	struct pp_call_pairs *x;
	const pp_func *func_of;
	struct pp_children children;
	uint32_t *last; /* by function: the depth of its last activation, 0 = none */
	PP_VEC(struct step {
		pp_node node;
		uint32_t before; /* what `last` of its function was */
	})
	path;
};

static bool
walk_enter(struct within_walk *w, pp_node node)
{
	struct pp_call_pairs *x = w->x;
	pp_func func = w->func_of[pp_tree_frame(&x->profile->tree, node)];
	uint32_t before = w->last[func];

	if (!pp_vec_push(&w->path, (struct step){ node, before }))
		return false;
	/* The node after the last activation begins the call below which this one runs. */
	x->within[node] = before ? x->of_node[w->path.at[before].node] : PP_MAP_NONE;
	w->last[func] = (uint32_t)w->path.n;
	return true;
}

static void
walk_leave(struct within_walk *w)
{
	struct step step = w->path.at[--w->path.n];

	w->last[w->func_of[pp_tree_frame(&w->x->profile->tree, step.node)]] = step.before;
}

/* For each node whose function runs already, the call below the last activation. */
static bool
within_find(struct pp_call_pairs *x, const pp_func *func_of)
{
	const struct pp_profile *p = x->profile;
	struct within_walk w = { .x = x, .func_of = func_of };
	pp_node next;
	size_t steps;
	bool fine;

	w.last = calloc(p->funcs.n + 1, sizeof *w.last);
	fine = pp_children_compute(&w.children, p) && w.last;
	x->within[0] = PP_MAP_NONE;
	next = fine ? w.children.first[0] : 0;
	for (steps = 0; fine && next && !pp_account_stops_at(steps); steps++) {
		fine = walk_enter(&w, next);
		next = w.children.first[next];
		while (fine && !next && w.path.n) {
			next = w.children.next[w.path.at[w.path.n - 1].node];
			walk_leave(&w);
		}
	}
	pp_children_release(&w.children);
	pp_vec_release(&w.path);
	free(w.last);
	return fine && !pp_account_stops();
}

bool
pp_call_pairs_init(struct pp_call_pairs *x, const struct pp_profile *p, enum pp_calls_side side,
                   pp_func only)
{
	pp_func *func_of = pp_frame_funcs(p);
	bool fine;

	*x = (struct pp_call_pairs){ .profile = p, .side = side, .index.seed = p->strs.seed };
	x->of_node = malloc(((size_t)p->tree.n + 1) * sizeof *x->of_node);
	fine = func_of && x->of_node && nodes_find(x, func_of, only);
	if (fine && side == PP_CALLEES) {
		x->within = malloc(((size_t)p->tree.n + 1) * sizeof *x->within);
		fine = x->within && within_find(x, func_of);
	} else if (fine) {
		x->outermost = pp_outermost_compute(p, func_of);
		fine = x->outermost != NULL;
	}
	free(func_of);
	return fine;
}

/* Whether a node is charged to its pair, and what to take from the call below which it runs. */
static void
node_charge(const struct pp_call_pairs *x, const struct pp_metric *m, pp_node node,
            union pp_value cost, union pp_value *sums)
{
	uint32_t pair = x->of_node[node], within = x->within ? x->within[node] : PP_MAP_NONE;

	/* A direct call of itself costs nothing. */
	if (pair != PP_MAP_NONE && x->at.at[pair].caller == x->at.at[pair].callee)
		return;
	if (pair != PP_MAP_NONE && (!x->outermost || pp_bit(x->outermost, node)))
		pp_value_add(m, &sums[pair], cost);
	if (within != PP_MAP_NONE)
		pp_value_sub(m, &sums[within], cost);
}

union pp_value *
pp_call_pairs_cost(const struct pp_call_pairs *x, size_t metric)
{
	const struct pp_metric *m = &x->profile->metrics.at[metric];
	union pp_value *sums = calloc(x->at.n + 1, sizeof *sums);
	struct pp_inclusive cost = { 0 };
	bool fine = sums && pp_inclusive_stated(&cost, x->profile, metric);
	pp_node node;

	for (node = 1; fine && node < x->profile->tree.n && !pp_account_stops_at(node); node++)
		node_charge(x, m, node, pp_inclusive_of(&cost, node), sums);
	if (cost.metric)
		pp_inclusive_release(&cost);
	if (!fine || pp_account_stops()) {
		free(sums);
		sums = NULL;
	}
	return sums;
}
