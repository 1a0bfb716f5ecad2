/*
 * The order of stacks.
 */
#include "questions/traces_order.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/stops.h"
#include "model/inclusive.h"

/* From so many stacks on, with one in so many nodes on them, it takes less time to put all nodes in order than to compare stacks name by name. */
#define MANY_ROWS 4096
#define MANY_SHARE 8
/* Nodes per stack, from which on stacks are long. */
#define LONG_STACK 256

struct ordering {
	const struct pp_traces *of;
	struct pp_trace *rows;
	size_t n;
	/* Functions by name, as far as that decides, and many stacks by the names on them (else NULL). */
	uint32_t *rank, *place;
};

static int
cost_cmp(const struct ordering *t, const struct pp_trace *x, const struct pp_trace *y)
{
	return t->of->metric < t->of->profile->metrics.n
	           ? pp_value_cmp(&t->of->profile->metrics.at[t->of->metric],
	                          pp_ledger_get(t->of->cost, y->row, t->of->metric),
	                          pp_ledger_get(t->of->cost, x->row, t->of->metric))
	           : 0;
}

static int
cost_order(const void *a, const void *b, void *ctx)
{
	const struct pp_trace *x = a, *y = b;
	int by = cost_cmp(ctx, x, y);

	return by ? by : (x->row > y->row) - (x->row < y->row);
}

/* Behind the last of the rows that cost what one does, once they are in that order. */
static size_t
alike_end(const struct ordering *t, size_t at)
{
	size_t end = at + 1;

	while (end < t->n && !pp_account_stops_at(end) &&
	       cost_cmp(t, &t->rows[at], &t->rows[end]) == 0)
		end++;
	return end;
}

static int
func_order(const void *a, const void *b, void *profile)
{
	return pp_func_cmp(profile, *(const pp_func *)a, *(const pp_func *)b);
}

/* What stands on stacks that cost the same: their names decide, and no others are looked at. */
struct alike {
	uint64_t *met; /* a bit per node */
	uint32_t nodes;
	uint32_t
	    *rank; /* by function: how many come before it; until they are in order 1 for each */
	PP_VEC(pp_func) funcs;
	size_t rows;
};

static void
alike_release(struct alike *x)
{
	free(x->met);
	free(x->rank);
	pp_vec_release(&x->funcs);
}

/* Notes the nodes of a stack that were not met before; false when out of memory. */
static bool
stack_note(struct alike *x, const struct pp_profile *p, pp_node node)
{
	for (; node && !pp_bit(x->met, node); node = pp_tree_parent(&p->tree, node)) {
		pp_func func = pp_node_func(p, node);

		x->met[node >> 6] |= (uint64_t)1 << (node & 63);
		x->nodes++;
		if (!x->rank[func] && !pp_vec_push(&x->funcs, func))
			return false;
		x->rank[func] = 1;
	}
	return true;
}

/* All of them, without a look at stacks; false when out of memory. */
static bool
alike_all(struct alike *x, const struct pp_profile *p)
{
	pp_func func;

	if (!pp_vec_reserve(&x->funcs, p->funcs.n))
		return false;
	for (func = 0; func < p->funcs.n; func++)
		x->funcs.at[x->funcs.n++] = func;
	x->nodes = p->tree.n;
	return true;
}

/* Those on the stacks; false when out of memory. */
static bool
alike_note(struct alike *x, const struct ordering *t)
{
	size_t from, to, i;
	bool fine;

	x->met = calloc((size_t)t->of->profile->tree.n / 64 + 1, sizeof *x->met);
	fine = x->met != NULL;
	for (from = 0; fine && from < t->n; from = to) {
		to = alike_end(t, from);
		for (i = from; to - from > 1 && fine && i < to && !pp_account_stops_at(i); i++)
			fine = stack_note(x, t->of->profile, t->rows[i].node);
	}
	return fine;
}

/* False when out of memory. */
static bool
alike_find(struct alike *x, const struct ordering *t)
{
	const struct pp_profile *p = t->of->profile;
	size_t from, to, i;
	bool fine;

	for (from = 0; from < t->n; from = to) {
		to = alike_end(t, from);
		x->rows += to - from > 1 ? to - from : 0;
	}
	if (!x->rows)
		return true;
	x->rank = calloc(p->funcs.n + 1, sizeof *x->rank);
	/* Where they are most of a tree whose stacks are not long, nearly all of it would be met. */
	fine = x->rank &&
	       (x->rows >= t->n / 2 && x->rows >= p->tree.n / LONG_STACK && x->rows >= p->funcs.n
	            ? alike_all(x, p)
	            : alike_note(x, t));
	if (fine && x->funcs.n > 1)
		pp_sort(x->funcs.at, x->funcs.n, sizeof *x->funcs.at, func_order,
		        (void *)(uintptr_t)p);
	for (i = 0; fine && i < x->funcs.n; i++)
		x->rank[x->funcs.at[i]] = (uint32_t)i;
	return fine;
}

struct siblings {
	const struct pp_profile *p;
	const uint32_t *rank;
	bool of_frames; /* ranks are by frame, not by function */
	PP_VEC(pp_node) all;
};

static uint32_t
node_rank(const struct siblings *s, pp_node node)
{
	return s->rank[s->of_frames ? pp_tree_frame(&s->p->tree, node) : pp_node_func(s->p, node)];
}

static int
sibling_order(const void *a, const void *b, void *ctx)
{
	const struct siblings *s = ctx;
	pp_node m = *(const pp_node *)a, n = *(const pp_node *)b;
	uint32_t x = node_rank(s, m), y = node_rank(s, n);

	return x != y ? (x > y) - (x < y) : (m > n) - (m < n);
}

/* Puts the children of a node in order; false when out of memory. */
static bool
siblings_sort(struct siblings *s, struct pp_children *c, pp_node parent)
{
	pp_node child = c->first[parent];
	size_t i;

	if (!child || !c->next[child])
		return true;
	for (s->all.n = 0; child; child = c->next[child])
		if (!pp_vec_push(&s->all, child))
			return false;
	pp_sort(s->all.at, s->all.n, sizeof *s->all.at, sibling_order, s);
	c->first[parent] = s->all.at[0];
	for (i = 0; i < s->all.n; i++)
		c->next[s->all.at[i]] = i + 1 < s->all.n ? s->all.at[i + 1] : 0;
	return true;
}

uint32_t *
pp_nodes_place(const struct pp_profile *p, const uint32_t *rank, bool of_frames)
{
	struct siblings s = { .p = p, .rank = rank, .of_frames = of_frames };
	struct pp_children c = { 0 };
	bool fine = pp_children_compute(&c, p);
	uint32_t *place = NULL, n = 0;
	pp_node node, next;

	for (node = 0; fine && node < p->tree.n; node++)
		fine = siblings_sort(&s, &c, node);
	if (fine) {
		/* Nobody comes to a node twice: its place may stand where its first child stood. */
		place = c.first;
		c.first = NULL;
		node = place[0];
		place[0] = 0;
		for (; node && !pp_account_stops_at(n); node = next) {
			next = place[node];
			place[node] = ++n;
			for (; !next && node; node = pp_tree_parent(&p->tree, node))
				next = c.next[node];
		}
	}
	pp_children_release(&c);
	pp_vec_release(&s.all);
	return place;
}

static uint32_t
node_depth(const struct pp_tree *t, pp_node node)
{
	uint32_t depth = 0;

	for (; node; node = pp_tree_parent(t, node))
		depth++;
	return depth;
}

/* Stacks by the names of their functions from the root on, the shorter one first. */
static int
stack_cmp(const struct ordering *t, pp_node a, pp_node b)
{
	const struct pp_profile *p = t->of->profile;
	uint32_t x = node_depth(&p->tree, a), y = node_depth(&p->tree, b);
	int by = (x > y) - (x < y);

	for (; x > y; x--)
		a = pp_tree_parent(&p->tree, a);
	for (; y > x; y--)
		b = pp_tree_parent(&p->tree, b);
	/* The last difference on the way up is the first one on the way down. */
	for (; a != b; a = pp_tree_parent(&p->tree, a), b = pp_tree_parent(&p->tree, b)) {
		uint32_t m = t->rank[pp_node_func(p, a)], n = t->rank[pp_node_func(p, b)];

		by = m != n ? (m > n) - (m < n) : by;
	}
	return by;
}

/* Of those that cost the same. */
static int
name_order(const void *a, const void *b, void *ctx)
{
	const struct ordering *t = ctx;
	const struct pp_trace *x = a, *y = b;
	int by = t->place ? (t->place[x->node] > t->place[y->node]) -
	                        (t->place[x->node] < t->place[y->node])
	                  : stack_cmp(t, x->node, y->node);

	return by ? by : (x->row > y->row) - (x->row < y->row);
}

bool
pp_traces_order(const struct pp_traces *traces, struct pp_trace *rows, size_t n)
{
	struct ordering t = { .of = traces, .rows = rows, .n = n };
	struct alike x = { 0 };
	size_t from, to;
	bool fine;

	if (n <= 1)
		return true;
	pp_sort(rows, n, sizeof *rows, cost_order, &t);
	fine = alike_find(&x, &t);
	t.rank = x.rank;
	if (fine && !traces->united && x.rows >= MANY_ROWS &&
	    x.nodes >= traces->profile->tree.n / MANY_SHARE)
		fine = (t.place = pp_nodes_place(traces->profile, t.rank, false)) != NULL;
	for (from = 0; fine && x.rows && from < n; from = to) {
		to = alike_end(&t, from);
		if (to - from > 1)
			pp_sort(&rows[from], to - from, sizeof *rows, name_order, &t);
	}
	alike_release(&x);
	free(t.place);
	return fine;
}
