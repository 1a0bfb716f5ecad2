/*
 * The call tree as people see it.
 */
#include "analysis/calltree.h"

#include "base/sort.h"

/* ---- life ------------------------------------------------------------------------------- */

/* Calls per node, over all series that know them. */
static bool
calls_compute(struct pp_calltree *t)
{
	const struct pp_profile *p = t->profile;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		t->has_calls |= p->series.at[i].has_calls;
		t->uncounted |= !p->series.at[i].has_calls && p->series.at[i].rows;
	}
	if (!t->has_calls)
		return true;
	t->calls = calloc(p->tree.n, sizeof *t->calls);
	for (i = 0; t->calls && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; s->has_calls && row < s->rows; row++)
			pp_count_add(&t->calls[pp_series_node(s, row)],
			             (uint64_t)pp_series_cells(s, row)[p->metrics.n]);
	}
	return t->calls != NULL;
}

bool
pp_calltree_init_bare(struct pp_calltree *t, const struct pp_profile *p)
{
	bool fine;
	size_t m;

	*t = (struct pp_calltree){ .profile = p };
	t->cost = calloc(p->metrics.n + 1, sizeof *t->cost);
	t->func_of_frame = pp_frame_funcs(p);
	fine = t->cost && t->func_of_frame && calls_compute(t);
	t->is_sparse = p->metrics.n > PP_FEW_COLUMNS;
	if (fine && t->is_sparse)
		fine = pp_inclusive_sparse(&t->sparse_cost, p);
	for (m = 0; fine && !t->is_sparse && m < p->metrics.n; m++)
		fine = pp_inclusive_stated(&t->cost[m], p, m);
	if (!fine)
		pp_calltree_release(t);
	return fine;
}

bool
pp_calltree_init(struct pp_calltree *t, const struct pp_profile *p, bool fold_recursion)
{
	bool fine;
	size_t m;

	if (!pp_calltree_init_bare(t, p))
		return false;
	t->fold_recursion = fold_recursion;
	t->own = calloc(p->metrics.n + 1, sizeof *t->own);
	t->slot_of = calloc(p->funcs.n, sizeof *t->slot_of);
	fine = t->own && t->slot_of && pp_children_compute(&t->children, p);
	if (fine && t->is_sparse)
		fine = pp_own_sparse(&t->sparse_own, p);
	for (m = 0; fine && !t->is_sparse && m < p->metrics.n; m++)
		if (p->metrics.at[m].type == PP_REAL || pp_inclusive_is_stated(p, m))
			fine = (t->own[m] = pp_own_compute(p, m)) != NULL;
	if (!fine)
		pp_calltree_release(t);
	return fine;
}

void
pp_calltree_release(struct pp_calltree *t)
{
	size_t m;

	for (m = 0; t->cost && !t->is_sparse && m < t->profile->metrics.n; m++)
		pp_inclusive_release(&t->cost[m]);
	for (m = 0; t->own && m < t->profile->metrics.n; m++)
		free(t->own[m]);
	pp_gather_release(&t->sparse_cost);
	pp_gather_release(&t->sparse_own);
	free(t->cost);
	free(t->own);
	free(t->calls);
	free(t->func_of_frame);
	free(t->slot_of);
	pp_children_release(&t->children);
	*t = (struct pp_calltree){ 0 };
}

/* ---- branches --------------------------------------------------------------------------- */

bool
pp_branch_add(struct pp_branch *b, pp_node node, bool outer)
{
	if (b->n == b->cap) {
		uint32_t cap = b->cap ? b->cap * 2 : 1;
		pp_node *nodes = cap > b->cap ? realloc(b->nodes, cap * sizeof *nodes) : NULL;

		if (!nodes)
			return false;
		b->nodes = nodes;
		b->cap = cap;
	}
	b->nodes[b->n++] = node;
	b->outer += outer;
	return true;
}

void
pp_branch_release(struct pp_branch *b)
{
	free(b->nodes);
	*b = (struct pp_branch){ 0 };
}

void
pp_branches_release(struct pp_branches *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		pp_branch_release(&list->at[i]);
	free(list->at);
	*list = (struct pp_branches){ 0 };
}

/* Adds the recursive calls right below the branch's nodes, and those below them. */
static bool
follow_recursion(const struct pp_calltree *t, struct pp_branch *b)
{
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		pp_node child = t->children.first[b->nodes[i]];

		for (; child; child = t->children.next[child])
			if (t->func_of_frame[pp_tree_frame(&t->profile->tree, child)] == b->func &&
			    !pp_branch_add(b, child, false))
				return false;
	}
	return true;
}

bool
pp_calltree_root(const struct pp_calltree *t, struct pp_branch *b)
{
	(void)t;
	*b = (struct pp_branch){ 0 };
	return pp_branch_add(b, 0, true);
}

/* The branch of a function among those being made; NULL when out of memory. */
static struct pp_branch *
branch_of(struct pp_calltree *t, struct pp_branches *list, pp_func func)
{
	if (t->slot_of[func])
		return &list->at[t->slot_of[func] - 1];
	if (list->n == list->cap &&
	    !pp_vec_grow((void **)&list->at, &list->cap, sizeof *list->at, list->n + 1))
		return NULL;
	list->at[list->n] = (struct pp_branch){ .func = func };
	t->slot_of[func] = (uint32_t)++list->n;
	return &list->at[list->n - 1];
}

struct order {
	const struct pp_calltree *tree;
	size_t metric;
};

struct ranked {
	struct pp_branch branch;
	union pp_value total;
};

static int
compare_ranked(const void *left, const void *right, void *context)
{
	const struct ranked *a = left, *b = right;
	const struct order *order = context;
	const struct pp_profile *p = order->tree->profile;
	int c = 0;

	if (order->metric < p->metrics.n)
		c = pp_value_cmp(&p->metrics.at[order->metric], b->total, a->total);
	return c ? c : pp_func_cmp(p, a->branch.func, b->branch.func);
}

static bool
sort_branches(const struct pp_calltree *t, struct pp_branches *list, size_t metric)
{
	struct order order = { t, metric };
	struct ranked *ranked;
	size_t i;

	if (list->n < 2)
		return true;
	ranked = calloc(list->n, sizeof *ranked);
	if (!ranked)
		return false;
	for (i = 0; i < list->n; i++) {
		ranked[i].branch = list->at[i];
		if (metric < t->profile->metrics.n)
			ranked[i].total = pp_calltree_total(t, &list->at[i], metric);
	}
	pp_sort(ranked, list->n, sizeof *ranked, compare_ranked, &order);
	for (i = 0; i < list->n; i++)
		list->at[i] = ranked[i].branch;
	free(ranked);
	return true;
}

bool
pp_calltree_expand(struct pp_calltree *t, const struct pp_branch *b, size_t metric,
                   struct pp_branches *out)
{
	bool fine = true;
	uint32_t i;
	size_t k;

	*out = (struct pp_branches){ 0 };
	for (i = 0; fine && i < b->n; i++) {
		pp_node child = t->children.first[b->nodes[i]];

		for (; fine && child; child = t->children.next[child]) {
			pp_func func = t->func_of_frame[pp_tree_frame(&t->profile->tree, child)];
			struct pp_branch *to;

			if (t->fold_recursion && func == b->func)
				continue; /* is one of the branch's own nodes */
			to = branch_of(t, out, func);
			fine = to && pp_branch_add(to, child, true);
		}
	}
	for (k = 0; k < out->n; k++)
		t->slot_of[out->at[k].func] = 0;
	for (k = 0; fine && t->fold_recursion && k < out->n; k++)
		fine = follow_recursion(t, &out->at[k]);
	fine = fine && sort_branches(t, out, metric);
	if (!fine)
		pp_branches_release(out);
	return fine;
}

/* ---- costs ------------------------------------------------------------------------------ */

union pp_value
pp_calltree_total(const struct pp_calltree *t, const struct pp_branch *b, size_t metric)
{
	const struct pp_metric *m = &t->profile->metrics.at[metric];
	union pp_value sum = pp_value_zero(m);
	uint32_t i;

	for (i = 0; i < b->outer; i++)
		pp_value_add(m, &sum, pp_calltree_cost(t, b->nodes[i], metric));
	return sum;
}

union pp_value
pp_calltree_self(const struct pp_calltree *t, const struct pp_branch *b, size_t metric)
{
	const struct pp_metric *m = &t->profile->metrics.at[metric];
	union pp_value sum;
	uint32_t i;

	if (t->is_sparse) {
		sum = pp_value_zero(m);
		for (i = 0; i < b->n; i++)
			pp_value_add(m, &sum, pp_node_cost(&t->sparse_own, b->nodes[i], metric));
		return sum;
	}
	if (t->own[metric]) {
		sum = pp_value_zero(m);
		for (i = 0; i < b->n; i++)
			pp_value_add(m, &sum, t->own[metric][b->nodes[i]]);
		return sum;
	}
	sum = pp_calltree_total(t, b, metric);
	for (i = 0; i < b->n; i++) {
		pp_node child = t->children.first[b->nodes[i]];

		for (; child; child = t->children.next[child])
			if (!t->fold_recursion ||
			    t->func_of_frame[pp_tree_frame(&t->profile->tree, child)] != b->func)
				pp_value_sub(m, &sum, pp_inclusive_of(&t->cost[metric], child));
	}
	return sum;
}

uint64_t
pp_calltree_calls(const struct pp_calltree *t, const struct pp_branch *b)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; t->calls && i < b->n; i++)
		sum += t->calls[b->nodes[i]];
	return sum;
}
