/*
 * Who calls a function, and whom it calls.
 */
#include "analysis/callers.h"

#include <math.h>

#include "analysis/call_shares.h"
#include "analysis/calltree.h"
#include "analysis/line_calls.h"
#include "model/flat_sources.h"
#include "base/sort.h"
#include "base/stops.h"

/* A node that the walk has come to, and the one whose cost it stands for. */
struct spot {
	pp_node at;
	pp_node cost;
};

/* Rows that are being put together: one for each function and call site. */
struct group {
	struct pp_call row;
	union pp_value *total, *stated;
	PP_VEC(struct spot) spots;
};

struct groups {
	struct group *at;
	size_t n, cap;
	struct pp_map by_key;
};

struct walk {
	struct pp_calltree tree;
	uint64_t *outermost;
	/* [metric * nodes + node]: what further activations of the function below a node cost; NULL if there are none. */
	union pp_value *nested;
	enum pp_calls_side side;
	pp_func func;
	size_t metric;
	uint32_t depth;
	struct pp_calls *out;
};

static void
groups_release(struct groups *g)
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		free(g->at[i].total);
		free(g->at[i].stated);
		pp_vec_release(&g->at[i].spots);
	}
	free(g->at);
	pp_map_release(&g->by_key);
	*g = (struct groups){ 0 };
}

/* The group of a row's function and site; NULL when out of memory. */
static struct group *
group_of(const struct pp_profile *p, struct groups *g, const struct pp_call *row)
{
	uint64_t key = pp_mix((uint64_t)row->func << 32 | row->site_line,
	                      PP_HASH_K1 ^ (row->site_file + (uint64_t)row->rest));
	struct group fresh = { .row = *row };
	uint32_t i;

	/* Keys that collide look further; there are few. */
	for (;; key++) {
		i = pp_map_get(&g->by_key, key);
		if (i == PP_MAP_NONE)
			break;
		if (g->at[i].row.func == row->func && g->at[i].row.site_line == row->site_line &&
		    g->at[i].row.site_file == row->site_file && g->at[i].row.rest == row->rest)
			return &g->at[i];
	}
	if (g->n == g->cap && !pp_vec_grow((void **)&g->at, &g->cap, sizeof *g->at, g->n + 1))
		return NULL;
	fresh.total = calloc(p->metrics.n + 1, sizeof *fresh.total);
	if (!fresh.total || !pp_map_set(&g->by_key, key, (uint32_t)g->n)) {
		free(fresh.total);
		return NULL;
	}
	g->at[g->n] = fresh;
	return &g->at[g->n++];
}

struct order {
	const struct pp_profile *profile;
	size_t metric;
};

static int
compare_groups(const void *left, const void *right, void *context)
{
	const struct group *a = left, *b = right;
	const struct order *order = context;
	const struct pp_profile *p = order->profile;
	int c = 0;

	if (order->metric < p->metrics.n)
		c = pp_value_cmp(&p->metrics.at[order->metric], b->total[order->metric],
		                 a->total[order->metric]);
	if (!c)
		c = (a->row.calls < b->row.calls) - (a->row.calls > b->row.calls);
	if (!c)
		c = pp_func_cmp(p, a->row.func, b->row.func);
	if (!c)
		c = pp_slice_cmp(pp_text_of(p, a->row.site_file), pp_text_of(p, b->row.site_file));
	return c ? c
	         : (a->row.site_line > b->row.site_line) - (a->row.site_line < b->row.site_line);
}

static bool
row_emit(struct pp_calls *out, const struct group *g)
{
	size_t m;

	if (!pp_vec_push(&out->rows, g->row))
		return false;
	for (m = 0; m < out->metrics; m++)
		if (!pp_vec_push(&out->total, g->total[m]) ||
		    (!out->by_stacks &&
		     !pp_vec_push(&out->stated, g->stated ? g->stated[m] : g->total[m])))
			return false;
	return true;
}

/* ---- from the tree ---------------------------------------------------------------------- */

/* Adds what a node of the walk costs to the group it belongs to. */
static void
cost_add(const struct walk *w, struct group *group, pp_node node)
{
	const struct pp_profile *p = w->tree.profile;
	size_t m;

	for (m = 0; m < p->metrics.n; m++) {
		pp_value_add(&p->metrics.at[m], &group->total[m],
		             pp_calltree_cost(&w->tree, node, m));
		if (w->nested)
			pp_value_sub(&p->metrics.at[m], &group->total[m],
			             w->nested[m * p->tree.n + node]);
	}
}

/* Adds one step of the walk to the group it belongs to. */
static bool
step(struct walk *w, struct groups *g, pp_node from, pp_node to, pp_node cost, uint32_t depth)
{
	const struct pp_profile *p = w->tree.profile;
	struct pp_call row = { .depth = depth };
	struct group *group;
	bool again, ends;

	row.func = to ? w->tree.func_of_frame[pp_tree_frame(&p->tree, to)] : 0;
	if (depth == 1)
		pp_node_site(p, w->side == PP_CALLERS ? from : to, &row.site_file, &row.site_line);
	row.recursive = depth == 1 && row.func == w->func;
	group = group_of(p, g, &row);
	/* The walk ends at the depth that was asked for; what the function calls when it runs again is met there. */
	again = w->side == PP_CALLEES && row.func == w->func;
	ends = depth >= w->depth || again;
	if (!group || (!ends && !pp_vec_push(&group->spots, (struct spot){ to, cost })))
		return false;
	pp_count_add(&group->row.calls, w->tree.calls ? w->tree.calls[cost] : 0);
	if (w->side == PP_CALLEES ? !again : pp_bit(w->outermost, cost))
		cost_add(w, group, cost);
	return true;
}

/* The groups one step beyond some spots, sorted so that the last comes first off a stack. */
static bool
expand(struct walk *w, const struct spot *spots, size_t n, uint32_t depth, struct groups *out)
{
	const struct pp_profile *p = w->tree.profile;
	struct order order = { p, w->metric };
	bool fine = true;
	size_t i;

	*out = (struct groups){ .by_key = { .seed = p->strs.seed } };
	for (i = 0; fine && i < n; i++) {
		pp_node at = spots[i].at, child;

		if (w->side == PP_CALLERS) {
			if (at != 0 && (depth == 1 || pp_tree_parent(&p->tree, at) != 0))
				fine = step(w, out, at, pp_tree_parent(&p->tree, at), spots[i].cost,
				            depth);
			continue;
		}
		for (child = w->tree.children.first[at]; fine && child;
		     child = w->tree.children.next[child])
			fine = step(w, out, at, child, child, depth);
	}
	if (fine && out->n > 1)
		pp_sort(out->at, out->n, sizeof *out->at, compare_groups, &order);
	if (!fine)
		groups_release(out);
	return fine;
}

/* Walks on from the groups of one level: an explicit stack, since depth is the user's choice. */
static bool
walk_on(struct walk *w, struct groups *first)
{
	PP_VEC(struct level {
		struct groups groups;
		size_t next;
	})
	levels = { 0 };
	bool fine = pp_vec_push(&levels, (struct level){ *first, 0 });

	if (!fine)
		groups_release(first);
	while (levels.n > 0 && fine) {
		struct level *level = &levels.at[levels.n - 1];
		struct groups beyond;
		struct group *g;

		if (level->next == level->groups.n) {
			groups_release(&level->groups);
			levels.n--;
			continue;
		}
		g = &level->groups.at[level->next++];
		fine = row_emit(w->out, g);
		if (fine && levels.n < w->depth) {
			fine = expand(w, g->spots.at, g->spots.n, (uint32_t)levels.n + 1, &beyond);
			if (fine && !pp_vec_push(&levels, (struct level){ beyond, 0 })) {
				groups_release(&beyond);
				fine = false;
			}
		}
	}
	while (levels.n > 0)
		groups_release(&levels.at[--levels.n].groups);
	pp_vec_release(&levels);
	return fine;
}

/* Learns what further activations of the function cost, by the nodes between them and the last one above. */
static bool
nested_find(struct walk *w)
{
	const struct pp_profile *p = w->tree.profile;
	size_t n = p->tree.n, m;
	bool recurs = false;
	pp_node node;

	for (node = 1; !recurs && node < n && !pp_account_stops_at(node); node++)
		recurs = !pp_bit(w->outermost, node) &&
		         w->tree.func_of_frame[pp_tree_frame(&p->tree, node)] == w->func;
	if (!recurs || p->metrics.n == 0)
		return !pp_account_stops();
	w->nested = calloc(n * p->metrics.n, sizeof *w->nested);
	for (m = 0; w->nested && m < p->metrics.n; m++) {
		union pp_value *nested = w->nested + m * n;

		/* Parents stand before their children. */
		for (node = (pp_node)n - 1; node > 0 && !pp_account_stops_at(node); node--) {
			pp_func func = w->tree.func_of_frame[pp_tree_frame(&p->tree, node)];

			pp_value_add(&p->metrics.at[m], &nested[pp_tree_parent(&p->tree, node)],
			             func == w->func ? pp_calltree_cost(&w->tree, node, m)
			                             : nested[node]);
		}
	}
	return w->nested && !pp_account_stops();
}

static bool
calls_from_tree(struct walk *w)
{
	const struct pp_profile *p = w->tree.profile;
	PP_VEC(struct spot) start = { 0 };
	struct groups first;
	pp_node node;
	bool fine = true;

	for (node = 1; fine && node < p->tree.n && !pp_account_stops_at(node); node++)
		if (w->tree.func_of_frame[pp_tree_frame(&p->tree, node)] == w->func)
			fine = pp_vec_push(&start, (struct spot){ node, node });
	fine = fine && !pp_account_stops() && expand(w, start.at, start.n, 1, &first) &&
	       walk_on(w, &first);
	pp_vec_release(&start);
	return fine;
}

/* The row of the function itself: what `top` would say, without asking about all others. */
static bool
flat_of_one(const struct walk *w, struct pp_flat *flat)
{
	const struct pp_profile *p = w->tree.profile;
	bool fine = pp_flat_alloc(flat, p, 1);
	pp_node node;
	uint32_t r;
	size_t i, m;

	if (!fine)
		return false;
	flat->func[0] = w->func;
	flat->has_calls = w->tree.has_calls;
	for (m = 0; m < p->metrics.n; m++)
		flat->whole[m] = pp_calltree_cost(&w->tree, 0, m);
	for (node = 1; fine && node < p->tree.n && !pp_account_stops_at(node); node++) {
		if (w->tree.func_of_frame[pp_tree_frame(&p->tree, node)] != w->func)
			continue;
		pp_count_add(&flat->calls[0], w->tree.calls ? w->tree.calls[node] : 0);
		for (m = 0; fine && pp_bit(w->outermost, node) && m < p->metrics.n; m++)
			fine = pp_flat_add(flat, 0, m, pp_value_zero(&p->metrics.at[m]),
			                   pp_calltree_cost(&w->tree, node, m));
	}
	for (i = 0; i < p->series.n; i++)
		for (r = 0; fine && r < p->series.at[i].rows; r++) {
			node = pp_series_node(&p->series.at[i], r);
			if (!node ||
			    w->tree.func_of_frame[pp_tree_frame(&p->tree, node)] != w->func)
				continue;
			for (m = 0; fine && m < p->metrics.n; m++)
				fine = pp_flat_add(
				    flat, 0, m,
				    pp_cell_value(&p->metrics.at[m],
				                  pp_series_cell(&p->series.at[i], r, m)),
				    pp_value_zero(&p->metrics.at[m]));
		}
	fine = fine && pp_flat_settle(flat);
	if (!fine)
		pp_flat_release(flat);
	return fine;
}

/* ---- from edges ------------------------------------------------------------------------- */

/* Adds a call to the group it belongs to: what it costs here, and what the file states. */
static bool
edge_add(const struct pp_call_shares *shares, size_t place, struct walk *w, struct groups *g)
{
	const struct pp_profile *p = w->out->profile;
	size_t edge = shares->row[place], k;
	const struct pp_edge_row *e = &p->calls.rows.at[edge];
	pp_func caller = p->funcs.at[e->caller].same, callee = p->funcs.at[e->callee].same;
	struct pp_call row = { .func = w->side == PP_CALLERS ? caller : callee, .depth = 1 };
	struct pp_values cost = pp_ledger_row(&shares->cost, place);
	struct group *group;

	row.site_line = e->site_line;
	if (e->site_line)
		row.site_file = e->site_file ? e->site_file : p->funcs.at[e->caller].file;
	row.recursive = caller == callee;
	group = group_of(p, g, &row);
	if (!group)
		return false;
	if (!group->stated)
		group->stated = calloc(p->metrics.n + 1, sizeof *group->stated);
	if (!group->stated)
		return false;
	pp_count_add(&group->row.calls, (uint64_t)pp_edge_cell(p, edge, 0));
	pp_values_add_cells(p, group->stated, pp_edge_costs(p, edge));
	for (k = 0; k < cost.n; k++) {
		uint32_t m = pp_values_metric(&cost, k);

		pp_value_add(&p->metrics.at[m], &group->total[m], cost.at[k]);
	}
	return true;
}

/* Whether a rest is more than what rounding leaves of a function's total. */
static bool
is_rest(const struct pp_metric *m, union pp_value rest, union pp_value total)
{
	if (m->type == PP_REAL)
		return fabs(rest.d) > 1e-9 * fabs(total.d) &&
		       (rest.d > 0 || m->flags & PP_METRIC_SIGNED);
	return m->flags & PP_METRIC_SIGNED ? rest.i != 0 : rest.i > 0;
}

/* Adds what other members of a cycle have of the total. */
static bool
rest_add(struct walk *w, const struct pp_call_shares *shares, struct groups *g)
{
	const struct pp_profile *p = w->out->profile;
	bool fine = true;
	size_t m;

	for (m = 0; fine && m < p->metrics.n; m++) {
		struct group *rest = NULL;

		if (pp_value_is_zero(&p->metrics.at[m], shares->rest[m]))
			continue;
		rest = group_of(p, g, &(struct pp_call){ .depth = 1, .rest = true });
		fine = rest != NULL;
		if (fine)
			pp_value_add(&p->metrics.at[m], &rest->total[m], shares->rest[m]);
	}
	return fine;
}

/* The calls of the function that no caller has made. */
static uint64_t
calls_left(const struct pp_flat *flat, size_t row, const struct groups *g)
{
	uint64_t calls = 0;
	size_t i;

	for (i = 0; i < g->n; i++)
		pp_count_add(&calls, g->at[i].row.calls);
	return flat->has_calls && flat->calls[row] > calls ? flat->calls[row] - calls : 0;
}

/* The function was called from outside at the cost that none of its callers has. */
static bool
outside_add(struct walk *w, const struct pp_flat *flat, struct groups *g)
{
	const struct pp_profile *p = w->out->profile;
	bool *stated = pp_call_metrics_stated(p), fine = stated != NULL;
	size_t row = 0, m, i, n = g->n;
	struct group *outside = NULL;

	while (row < flat->n && flat->func[row] != w->func)
		row++;
	for (m = 0; fine && row < flat->n && m < p->metrics.n; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];
		union pp_value total = pp_flat_get(flat, row, m).total, rest = total;

		for (i = 0; i < n; i++)
			pp_value_sub(metric, &rest, g->at[i].total[m]);
		if (!stated[m] || !is_rest(metric, rest, total))
			continue;
		outside = group_of(p, g, &(struct pp_call){ .depth = 1 });
		fine = outside != NULL;
		if (fine)
			pp_value_add(metric, &outside->total[m], rest);
	}
	if (outside && !outside->row.calls)
		outside->row.calls = calls_left(flat, row, g);
	free(stated);
	return fine;
}

static bool
calls_from_edges(struct walk *w, const struct pp_flat *flat)
{
	const struct pp_profile *p = w->out->profile;
	struct groups g = { .by_key = { .seed = p->strs.seed } };
	struct order order = { p, w->metric };
	struct pp_call_shares shares;
	bool fine = pp_call_shares_init(&shares, p, flat, w->side, w->func);
	size_t i;

	w->out->has_calls = pp_calls_counted(p);
	for (i = 0; fine && i < shares.n; i++)
		fine = edge_add(&shares, i, w, &g);
	fine = fine && rest_add(w, &shares, &g);
	if (fine && w->side == PP_CALLERS)
		fine = outside_add(w, flat, &g);
	if (fine && g.n > 1)
		pp_sort(g.at, g.n, sizeof *g.at, compare_groups, &order);
	for (i = 0; fine && i < g.n; i++)
		fine = row_emit(w->out, &g.at[i]);
	groups_release(&g);
	pp_call_shares_release(&shares);
	return fine;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool
calls_from_stacks(struct walk *w, struct pp_flat *flat)
{
	const struct pp_profile *p = w->out->profile;
	bool fine = w->side == PP_CALLERS ? pp_calltree_init_bare(&w->tree, p)
	                                  : pp_calltree_init(&w->tree, p, false);

	w->outermost = fine ? pp_outermost_compute(p, w->tree.func_of_frame) : NULL;
	w->out->by_stacks = true;
	w->out->has_calls = w->tree.has_calls;
	fine = fine && w->outermost && (w->side == PP_CALLERS || nested_find(w)) &&
	       calls_from_tree(w) && flat_of_one(w, flat);
	if (w->tree.profile)
		pp_calltree_release(&w->tree);
	free(w->outermost);
	free(w->nested);
	return fine;
}

pp_status
pp_calls_compute(const struct pp_profile *p, pp_func func, enum pp_calls_side side, size_t metric,
                 uint32_t depth, struct pp_calls *out, struct pp_flat *flat)
{
	struct walk w = {
		.side = side, .func = func, .metric = metric, .depth = depth, .out = out
	};
	pp_status status = PP_E_UNSUPPORTED;

	*out = (struct pp_calls){ .profile = p, .metrics = p->metrics.n };
	if (p->calls.rows.n > 0 && depth <= 1) {
		status = pp_flat_compute(p, flat);
		if (status == PP_OK && !calls_from_edges(&w, flat))
			status = PP_E_NOMEM;
	} else if (p->tree.n > 1) {
		status = calls_from_stacks(&w, flat) ? PP_OK : PP_E_NOMEM;
	}
	if (status != PP_OK)
		pp_calls_release(out);
	return status;
}

void
pp_calls_release(struct pp_calls *c)
{
	pp_vec_release(&c->rows);
	pp_vec_release(&c->total);
	pp_vec_release(&c->stated);
}
