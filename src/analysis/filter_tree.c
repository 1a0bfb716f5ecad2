/*
 * Filters on the tree: parents stand before their children, so one loop forward decides on stacks and
 * frames, one backward finds the nodes that are still needed, one forward builds the new tree.
 */
#include "analysis/filter.h"
#include "base/stops.h"
#include "model/derive.h"

/* What is known of a node: PP_STACK_*, and whether it, or a node below it, has cost that stays. */
enum { SHOWN = PP_STACK_SHOWN, KEPT = PP_STACK_KEPT, NEEDED = 1 << 6 };

struct reshape {
	const struct pp_profile *p;
	const struct pp_filter_stacks *want;
	size_t metrics;   /* how many stay */
	uint32_t *number; /* by metric: which one it is then */
	uint8_t *state;
	uint32_t *depth; /* shown frames down to the node; NULL without a limit */
	pp_node *to;
	struct pp_tree tree;
	struct pp_series *series; /* with rows for the new tree */
	size_t series_n;          /* as many, also when the profile lost its list */
	uint32_t *row_of;         /* by node of the new tree: row + 1; for one sparse series */
};

/* What the rules say of each frame's function; NULL when out of memory. */
static pp_filter_flags *
frame_flags(const struct reshape *r)
{
	const struct pp_profile *p = r->p;
	pp_filter_flags *flags = calloc(p->frames.n + 1, sizeof *flags);
	size_t i;

	for (i = 0; flags && r->want->flags && i < p->frames.n; i++)
		flags[i] = r->want->flags[p->funcs.at[p->frames.at[i].func].same];
	return flags;
}

/* Whether a node is one with its caller. */
static bool
folds(const struct reshape *r, pp_node parent, pp_node node)
{
	return parent && pp_filter_alike(r->p, r->want->collapses, pp_node_func(r->p, parent),
	                                 pp_node_func(r->p, node));
}

static bool
decide(struct reshape *r)
{
	const struct pp_tree *t = &r->p->tree;
	pp_filter_flags *says = frame_flags(r);
	struct pp_filter_steps steps;
	pp_node node;

	if (!says)
		return false;
	pp_filter_steps_init(&steps, r->want->kinds);
	r->state[0] = steps.start;
	for (node = 1; node < t->n && !pp_account_stops_at(node); node++) {
		pp_node parent = pp_tree_parent(t, node);
		unsigned flags = says[pp_tree_frame(t, node)], state;

		if (r->depth && r->depth[parent] >= r->want->depth)
			flags |= PP_FILTER_BIT(HIDE);
		if ((flags & says[pp_tree_frame(t, parent)] & PP_FILTER_BIT(COLLAPSE)) &&
		    folds(r, parent, node))
			flags |= PP_FILTER_BIT(HIDE);
		state = pp_filter_steps_go(&steps, r->state[parent], flags);
		if (r->depth)
			r->depth[node] = r->depth[parent] + (state & SHOWN ? 1 : 0);
		r->state[node] = (uint8_t)state;
	}
	free(says);
	return !pp_account_stops();
}

static void
find_needed(struct reshape *r)
{
	const struct pp_profile *p = r->p;
	pp_node node;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++) {
			node = pp_series_node(&p->series.at[i], row);
			if ((r->state[node] & KEPT) && pp_series_present(&p->series.at[i], row))
				r->state[node] |= NEEDED;
		}
	for (node = p->tree.n; node-- > 1 && !pp_account_stops_at(node);)
		if (r->state[node] & NEEDED)
			r->state[pp_tree_parent(&p->tree, node)] |= NEEDED;
}

/* Whether everything stays where it is: all stacks, all metrics, and no totals that were measured. */
static bool
all_stays(const struct reshape *r)
{
	const struct pp_profile *p = r->p;
	const unsigned all = NEEDED | KEPT | SHOWN;
	pp_node node = 1;
	size_t i;

	while (node < p->tree.n && (r->state[node] & all) == all)
		node++;
	if (node < p->tree.n || r->metrics < p->metrics.n)
		return false;
	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].measured || (p->series.at[i].rows && !(r->state[0] & KEPT)))
			return false;
	return true;
}

/* Taking frames out from above others makes nodes one that were two: each is looked up. */
static bool
tree_unite(struct reshape *r)
{
	const struct pp_tree *old = &r->p->tree;
	pp_node node;

	if (!pp_tree_init(&r->tree, old->seed, old->max_nodes, old->pages))
		return false;
	for (node = 1; node < old->n; node++) {
		pp_node above = r->to[pp_tree_parent(old, node)];

		if (pp_account_stops_at(node))
			return false;
		if (!(r->state[node] & NEEDED))
			continue;
		r->to[node] = above;
		if (!(r->state[node] & SHOWN))
			continue;
		r->to[node] = pp_tree_child(&r->tree, above, pp_tree_frame(old, node));
		if (!r->to[node])
			return false;
	}
	pp_tree_seal(&r->tree);
	return true;
}

static bool
tree_build(struct reshape *r)
{
	const unsigned within = PP_FILTER_BIT(HIDE) | PP_FILTER_BIT(SHOW) |
	                        PP_FILTER_BIT(SHOW_FROM) | PP_FILTER_BIT(COLLAPSE);

	/* Whole stacks, and stacks that are cut at their end: what is left are nodes as they were. */
	return r->want->kinds & within
	           ? tree_unite(r)
	           : pp_tree_pick(&r->tree, &r->p->tree, r->state, NEEDED | SHOWN, r->to);
}

/* Says at which function that is left, of the stack of a node, a sum exceeds 64 bits. */
static bool
sum_too_large(const struct reshape *r, pp_node node, size_t metric)
{
	while (node && !(r->state[node] & SHOWN))
		node = pp_tree_parent(&r->p->tree, node);
	pp_profile_sum_problem(r->p, pp_node_func(r->p, node), metric, r->want->problem);
	return false;
}

/* A further row of a node, whose last one is full: each row of the old series makes at most one. */
static int64_t *
row_more(struct reshape *r, struct pp_series *n, pp_node node)
{
	n->node_of[n->rows] = node;
	r->row_of[node] = ++n->rows;
	return n->cells + (size_t)(n->rows - 1) * n->stride;
}

/*
 * Adds the cells of an old row to a new one: its costs where they stay, its calls where the frame itself
 * is still there, be it only on the way to costs that stay.
 */
static bool
cells_add(struct reshape *r, struct pp_series *s, int64_t *to, const int64_t *from, pp_node node)
{
	const struct pp_profile *p = r->p;
	unsigned state = r->state[node];
	size_t m, k = 0;

	for (m = 0; m < p->metrics.n; m++) {
		if (!r->want->metrics[m])
			continue;
		if ((state & KEPT) && !pp_cell_add(p->metrics.at[m].type, &to[k], from[m])) {
			/* Counts without a sign are of formats that refuse such a sum, too. */
			if (s->dense || s->has_calls || p->metrics.at[m].type != PP_INT)
				return sum_too_large(r, node, m);
			to = row_more(r, s, r->to[node]);
			to[k] = from[m];
		}
		k++;
	}
	return !s->has_calls || !(state & SHOWN) ||
	       pp_cell_add(PP_UINT, &to[k], from[p->metrics.n]) || sum_too_large(r, node, m);
}

/* The same where there are many metrics: row `to` of the new series. */
static pp_status
cells_add_wide(const struct reshape *r, struct pp_series *n, uint32_t to, struct pp_cells from,
               pp_node node)
{
	const struct pp_profile *p = r->p;
	size_t i;

	while (n->wide->rows.n <= to)
		if (!pp_wide_push(n->wide))
			return PP_E_NOMEM;
	for (i = 0; (r->state[node] & KEPT) && i < from.n; i++) {
		uint32_t m = pp_cells_column(&from, i);
		int64_t *cell;

		if (!from.at[i] || !r->want->metrics[m])
			continue;
		cell = pp_wide_at(n->wide, to, r->number[m]);
		if (!cell)
			return PP_E_NOMEM;
		if (!pp_cell_add(p->metrics.at[m].type, cell, from.at[i])) {
			(void)sum_too_large(r, node, m);
			return PP_E_UNSUPPORTED;
		}
	}
	return PP_OK;
}

/* Whether a row has anything to give to the new tree. */
static bool
row_matters(const struct reshape *r, const struct pp_series *s, uint32_t row)
{
	unsigned state = r->state[pp_series_node(s, row)];

	return pp_series_present(s, row) &&
	       ((state & KEPT) || (s->has_calls && (state & NEEDED) && (state & SHOWN)));
}

/* The row of a node in a new series, made when absent. */
static uint32_t
row_of(struct reshape *r, struct pp_series *n, pp_node node)
{
	if (n->dense) {
		n->present[node >> 6] |= (uint64_t)1 << (node & 63);
		return node;
	}
	if (!r->row_of[node]) {
		n->node_of[n->rows++] = node;
		r->row_of[node] = n->rows;
	}
	return r->row_of[node] - 1;
}

/* The rows of a series for the new tree. */
static pp_status
series_rebuild(struct reshape *r, const struct pp_series *s, struct pp_series *n)
{
	size_t rows = s->dense ? r->tree.n : s->rows;
	pp_status status = PP_OK;
	uint32_t row;

	*n = *s;
	n->timeline = (struct pp_timeline){ 0 };
	n->stride = (uint32_t)(r->metrics + s->has_calls);
	n->measured = false;
	n->rows = s->dense ? r->tree.n : 0;
	n->rows_cap = (uint32_t)rows;
	n->wide = s->wide ? pp_wide_new(sizeof(int64_t), 0) : NULL;
	n->cells = s->wide ? NULL : calloc(rows * n->stride + 1, sizeof *n->cells);
	n->node_of = s->dense ? NULL : calloc(rows + 1, sizeof *n->node_of);
	n->present = s->dense ? calloc(rows / 64 + 1, sizeof *n->present) : NULL;
	if ((!n->cells && !n->wide) || (s->dense ? !n->present : !n->node_of))
		return PP_E_NOMEM;
	for (row = 0; row < s->rows && status == PP_OK; row++) {
		pp_node node = pp_series_node(s, row);

		if (s->wide && row_matters(r, s, row))
			status = cells_add_wide(r, n, row_of(r, n, r->to[node]),
			                        pp_series_costs(r->p, s, row), node);
		else if (row_matters(r, s, row) &&
		         !cells_add(r, n, n->cells + (size_t)row_of(r, n, r->to[node]) * n->stride,
		                    pp_series_cells(s, row), node))
			status = PP_E_UNSUPPORTED;
	}
	for (row = 0; n->node_of && row < n->rows; row++)
		r->row_of[n->node_of[row]] = 0;
	return status;
}

static pp_status
rows_rebuild(struct reshape *r)
{
	pp_status status = PP_OK;
	size_t i;

	r->series_n = r->p->series.n;
	r->series = calloc(r->series_n + 1, sizeof *r->series);
	r->row_of = calloc(r->tree.n, sizeof *r->row_of);
	if (!r->series || !r->row_of)
		return PP_E_NOMEM;
	for (i = 0; i < r->p->series.n && status == PP_OK; i++)
		status = series_rebuild(r, &r->p->series.at[i], &r->series[i]);
	return status;
}

/* Puts what was made into the derived profile. */
static pp_status
take(struct reshape *r, struct pp_derive *d)
{
	struct pp_profile *p = d->to;
	size_t i, n = 0;

	/* What is less at a node follows it. */
	if (p->not_own.n && !pp_derive_copy(d, PP_COLUMN_NOT_OWN))
		return PP_E_NOMEM;
	for (i = 0; i < p->not_own.n; i++) {
		struct pp_not_own_row less = p->not_own.at[i];

		less.node = r->to[less.node];
		if (less.node && (r->state[p->not_own.at[i].node] & KEPT))
			p->not_own.at[n++] = less;
	}
	p->not_own.n = n;
	if (!pp_derive_empty(d, PP_COLUMN_TREE | PP_COLUMN_ROWS | PP_COLUMN_TIMES))
		return PP_E_NOMEM;
	memcpy(p->series.at, r->series, p->series.n * sizeof *r->series);
	memset(r->series, 0, p->series.n * sizeof *r->series);
	pp_tree_release(&p->tree);
	p->tree = r->tree;
	r->tree = (struct pp_tree){ 0 };
	return PP_OK;
}

static void
reshape_release(struct reshape *r)
{
	size_t i;

	for (i = 0; r->series && i < r->series_n; i++)
		pp_series_release(&r->series[i]);
	pp_tree_release(&r->tree);
	free(r->series);
	free(r->row_of);
	free(r->state);
	free(r->number);
	free(r->to);
	free(r->depth);
}

pp_status
pp_filter_tree(struct pp_derive *d, const struct pp_filter_stacks *want)
{
	const struct pp_profile *p = d->to;
	struct reshape r = { .p = p, .want = want };
	pp_status status = PP_E_NOMEM;
	size_t m;

	r.number = calloc(p->metrics.n + 1, sizeof *r.number);
	for (m = 0; r.number && m < p->metrics.n; m++) {
		r.number[m] = (uint32_t)r.metrics;
		r.metrics += want->metrics[m];
	}
	r.state = calloc(p->tree.n, 1);
	r.to = calloc(p->tree.n, sizeof *r.to);
	r.depth = want->depth ? calloc(p->tree.n, sizeof *r.depth) : NULL;
	if (r.number && r.state && r.to && (!want->depth || r.depth) && decide(&r)) {
		find_needed(&r);
		if (all_stays(&r))
			status = pp_derive_empty(d, PP_COLUMN_TIMES) ? PP_OK : PP_E_NOMEM;
		else if (tree_build(&r))
			status = rows_rebuild(&r);
		if (status == PP_OK && r.series)
			status = take(&r, d);
	}
	reshape_release(&r);
	return status;
}
