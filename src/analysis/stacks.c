/*
 * Stacks from pairs of caller and callee.
 */
#include "analysis/stacks.h"

#include <math.h>
#include <stdlib.h>

/* ---- numbers ---------------------------------------------------------------------------- */

/* More units than any sum of a sound profile has, few enough to add some up. */
#define MOST_UNITS 1e30

/* A value of the profile as a whole number. */
static inline pp_i128
whole_number(const struct pp_stacks *e, size_t metric, union pp_value v)
{
	if (pp_stacks_metric(e, metric)->type != PP_REAL)
		return v.i;
	/* A call may claim any cost, while the unit comes from what all functions cost. */
	return isfinite(v.d)
	           ? (pp_i128)nearbyint(fmax(fmin(v.d / e->unit[metric], MOST_UNITS), -MOST_UNITS))
	           : 0;
}

const struct pp_metric *
pp_stacks_metric(const struct pp_stacks *e, size_t metric)
{
	return &e->p->metrics.at[e->of[metric]];
}

int64_t
pp_stacks_cell(const struct pp_stacks *e, size_t metric, pp_i128 value)
{
	switch (pp_stacks_metric(e, metric)->type) {
	case PP_REAL:
		return pp_cell_real((double)value * e->unit[metric]);
	case PP_UINT:
		return (int64_t)(value > UINT64_MAX ? UINT64_MAX : value < 0 ? 0 : (uint64_t)value);
	case PP_INT:
		break;
	}
	return value > INT64_MAX ? INT64_MAX : value < -INT64_MAX ? -INT64_MAX : (int64_t)value;
}

pp_i128
pp_stacks_scale(pp_i128 a, pp_i128 b, pp_i128 c)
{
	pp_i128 product, q;

	if (__builtin_mul_overflow(a, b, &product))
		return (pp_i128)floor((double)a * ((double)b / (double)c));
	q = product / c;
	return q - (product % c != 0 && (product < 0) != (c < 0));
}

static pp_i128
divide(struct pp_stacks_division *d, pp_i128 part)
{
	pp_i128 upto;

	if (d->whole == 0)
		return 0;
	d->done += part;
	upto = d->done == d->whole ? d->w : pp_stacks_scale(d->w, d->done, d->whole);
	part = upto - d->given;
	d->given = upto;
	return part;
}

/* ---- own costs -------------------------------------------------------------------------- */

/* How large all costs of a metric are together. */
static double
size_of(const struct pp_stacks *e, const struct pp_ledger *own, size_t metric)
{
	const struct pp_metric *m = pp_stacks_metric(e, metric);
	double sum = 0;
	size_t i;

	for (i = 0; i < e->p->funcs.n; i++) {
		union pp_value v = pp_ledger_get(own, i, e->of[metric]);

		if (m->type != PP_REAL)
			sum += fabs((double)v.i);
		else if (isfinite(v.d))
			sum += fabs(v.d);
	}
	return sum;
}

/* Doubles are counted in units of 2^-60 of the whole. False when out of memory. */
static bool
units_choose(struct pp_stacks *e)
{
	struct pp_ledger own;
	size_t m;
	int power;

	if (!pp_profile_own(e->p, PP_ALL_SERIES, false, &own))
		return false;
	for (m = 0; m < e->metrics; m++) {
		bool real = pp_stacks_metric(e, m)->type == PP_REAL, chosen = m == e->opts.metric;
		double size = real || chosen ? size_of(e, &own, m) : 0;

		e->unit[m] = 1;
		if (real && size > 0 && isfinite(size)) {
			(void)frexp(size, &power);
			e->unit[m] = ldexp(1, power - 60 < -1000 ? -1000 : power - 60);
		}
		if (chosen)
			e->whole = size / e->unit[m];
	}
	pp_ledger_release(&own);
	return true;
}

/* Own costs by function and by unit; false when out of memory. */
static bool
own_add(struct pp_stacks *e, size_t series)
{
	struct pp_ledger own;
	size_t i, k, n = e->metrics;

	if (!pp_profile_own(e->p, series, false, &own))
		return false;
	for (i = 0; i < e->g.n; i++) {
		struct pp_values row = pp_ledger_row(&own, i);

		for (k = 0; k < row.n; k++) {
			uint32_t m = e->here[pp_values_metric(&row, k)];

			if (m == PP_NO_COLUMN)
				continue;
			e->own[i * n + m] = whole_number(e, m, row.at[k]);
			if (i)
				e->inclusive[e->g.component[i] * n + m] += e->own[i * n + m];
		}
	}
	pp_ledger_release(&own);
	return true;
}

/* ---- the graph in units ----------------------------------------------------------------- */

static void
run_release(struct pp_stacks *e)
{
	pp_call_graph_release(&e->g);
	free(e->cost);
	e->cost = NULL;
	free(e->own);
	free(e->inclusive);
	free(e->entering);
	free(e->entry);
	free(e->sources);
	free(e->calls);
	free(e->member_first);
	free(e->members);
	e->own = e->inclusive = e->entering = NULL;
	e->entry = NULL;
	e->sources = e->calls = NULL;
	e->member_first = NULL;
	e->members = NULL;
	e->heap.n = e->weights.n = 0;
}

/* The costs of edges, of the metrics that are here; NULL when out of memory. */
static union pp_value *
edges_take(struct pp_stacks *e)
{
	size_t edges = e->g.first[e->g.n], i, k;
	union pp_value *cost;

	if (e->metrics == e->p->metrics.n)
		return pp_ledger_take(&e->g.cost, edges);
	cost = calloc((edges + 1) * e->metrics, sizeof *cost);
	for (i = 0; cost && i < edges; i++) {
		struct pp_values row = pp_ledger_row(&e->g.cost, i);

		for (k = 0; k < row.n; k++) {
			uint32_t m = e->here[pp_values_metric(&row, k)];

			if (m != PP_NO_COLUMN)
				cost[i * e->metrics + m] = row.at[k];
		}
	}
	return cost;
}

static bool
run_alloc(struct pp_stacks *e)
{
	size_t funcs = e->g.n, units = e->g.components + 1, m = e->metrics;

	e->own = calloc((funcs + 1) * m, sizeof *e->own);
	e->inclusive = calloc(units * m, sizeof *e->inclusive);
	e->entering = calloc(units * m, sizeof *e->entering);
	e->entry = calloc(units * m, sizeof *e->entry);
	e->sources = calloc(units, sizeof *e->sources);
	e->calls = calloc(units, sizeof *e->calls);
	e->member_first = calloc(units + 1, sizeof *e->member_first);
	e->members = calloc(funcs + 1, sizeof *e->members);
	e->cost = edges_take(e);
	return e->cost && e->own && e->inclusive && e->entering && e->entry && e->sources &&
	       e->calls && e->member_first && e->members;
}

static void
units_members(struct pp_stacks *e)
{
	uint32_t f, c;

	for (c = 0; c < e->g.components; c++)
		e->member_first[c + 1] = e->member_first[c] + e->g.members[c];
	for (f = e->g.n; f-- > 1;) {
		c = e->g.component[f];
		e->members[e->member_first[c] + --e->g.members[c]] = f;
	}
	for (c = 0; c < e->g.components; c++)
		e->g.members[c] = (uint32_t)(e->member_first[c + 1] - e->member_first[c]);
}

/* Costs of edges as whole numbers, and what each unit costs as its callers say. */
static void
edges_convert(struct pp_stacks *e)
{
	size_t m, k;
	uint32_t f;

	for (f = 1; f < e->g.n; f++) {
		for (k = e->g.first[f]; k < e->g.first[f + 1]; k++) {
			uint32_t from = e->g.component[f], to = e->g.component[e->g.to[k]];
			union pp_value *cost = e->cost + k * e->metrics;

			for (m = 0; m < e->metrics; m++) {
				cost[m].i = whole_number(e, m, cost[m]);
				e->entering[to * e->metrics + m] += from == to ? 0 : cost[m].i;
			}
			e->sources[to] += from != to;
			e->calls[from] += from != to;
		}
	}
}

static bool
is_over(pp_i128 entering, pp_i128 inclusive)
{
	return inclusive >= 0 ? entering > inclusive : entering < inclusive;
}

/*
 * What each unit costs with all it calls. Callees come first. Where callers account for more than a unit costs (partial
 * dumps, rounding), the costs of these edges are made smaller, in the callers too, so that everything adds up.
 */
static void
units_settle(struct pp_stacks *e)
{
	size_t i, k, m, n = e->metrics;
	uint32_t c;

	for (c = 0; c < e->g.components; c++) {
		for (i = e->member_first[c]; i < e->member_first[c + 1]; i++)
			for (k = e->g.first[e->members[i]]; k < e->g.first[e->members[i] + 1];
			     k++) {
				uint32_t to = e->g.component[e->g.to[k]];
				union pp_value *cost = e->cost + k * n;

				for (m = 0; to != c && m < n; m++) {
					if (e->entry[to * n + m].whole)
						cost[m].i = divide(&e->entry[to * n + m],
						                   cost[m].i);
					e->inclusive[c * n + m] += cost[m].i;
				}
			}
		for (m = 0; m < n; m++) {
			pp_i128 *entering = &e->entering[c * n + m],
			        whole = e->inclusive[c * n + m];

			if (!is_over(*entering, whole))
				continue;
			e->entry[c * n + m] = (struct pp_stacks_division){ .w = whole,
				                                           .whole = *entering };
			*entering = whole;
		}
	}
}

/* ---- the heap --------------------------------------------------------------------------- */

static bool
heap_push(struct pp_stacks *e, struct pp_stacks_waiting item)
{
	size_t i;

	if (!pp_vec_push(&e->heap, item))
		return false;
	for (i = e->heap.n - 1; i > 0 && e->heap.at[(i - 1) / 2].order < item.order;
	     i = (i - 1) / 2)
		e->heap.at[i] = e->heap.at[(i - 1) / 2];
	e->heap.at[i] = item;
	return true;
}

static struct pp_stacks_waiting
heap_pop(struct pp_stacks *e)
{
	struct pp_stacks_waiting top = e->heap.at[0], last = e->heap.at[--e->heap.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < e->heap.n) {
		if (child + 1 < e->heap.n && e->heap.at[child + 1].order > e->heap.at[child].order)
			child++;
		if (e->heap.at[child].order <= last.order)
			break;
		e->heap.at[i] = e->heap.at[child];
		i = child;
	}
	if (e->heap.n)
		e->heap.at[i] = last;
	return top;
}

/* ---- nodes ------------------------------------------------------------------------------ */

/* The child of a node, with room for its costs; 0 on failure. */
static pp_node
child_of(struct pp_stacks *e, pp_node parent, pp_frame frame)
{
	pp_node node = e->failed ? 0 : pp_tree_child(&e->tree, parent, frame);

	while (node && !e->failed && e->cells.n < (size_t)e->tree.n * e->metrics)
		e->failed = !pp_vec_push(&e->cells, 0);
	e->failed |= node == 0;
	return e->failed ? 0 : node;
}

static pp_node
pruned_under(struct pp_stacks *e, pp_node parent)
{
	e->has_pruned = true;
	return child_of(e, parent, e->pruned_frame);
}

static void
cost_add(struct pp_stacks *e, pp_node node, size_t metric, pp_i128 v)
{
	if (node && !e->failed)
		e->cells.at[(size_t)node * e->metrics + metric] += v;
}

/* Costs that have no children of their own any more. */
static void
settle(struct pp_stacks *e, pp_node node, const pp_i128 *costs, bool certain)
{
	size_t m;

	for (m = 0; m < e->metrics; m++)
		cost_add(e, node, m, costs[m]);
	if (certain)
		e->exact += costs[e->opts.metric];
}

static bool
is_full(const struct pp_stacks *e, size_t more)
{
	return e->tree.n + e->heap.n + more >= e->max_nodes;
}

/* A call to another unit: a frame that waits, or a part of [pruned]. */
static void
call_add(struct pp_stacks *e, pp_node under, pp_func callee, const pp_i128 *costs, bool certain)
{
	uint32_t unit = e->g.component[callee];
	struct pp_stacks_waiting item = { .component = unit,
		                          .entry = callee,
		                          .weight = e->weights.n };
	bool zero = true, small;
	size_t m;

	for (m = 0; m < e->metrics; m++)
		zero &= costs[m] == 0;
	if (zero || e->failed)
		return;
	small = e->opts.sums_small &&
	        fabs((double)costs[e->opts.metric]) < e->opts.min_share * e->whole;
	if (is_full(e, 0) || small) {
		e->pruned += small ? 0 : costs[e->opts.metric];
		settle(e, pruned_under(e, under), costs, false);
		return;
	}
	item.node = child_of(e, under, callee);
	/* Certain if nobody else has a share in it, or if there is nothing in it to be divided. */
	item.certain = certain && e->g.members[unit] == 1 &&
	               (e->sources[unit] == 1 || e->calls[unit] == 0);
	item.order = fabs((double)costs[e->opts.metric]);
	for (m = 0; m < e->metrics; m++)
		e->failed |= !pp_vec_push(&e->weights, costs[m]);
	e->failed |= !heap_push(e, item);
}

/* ---- dividing --------------------------------------------------------------------------- */

static void
divisions_start(struct pp_stacks *e, const struct pp_stacks_waiting *at,
                struct pp_stacks_division *d)
{
	size_t m;

	for (m = 0; m < e->metrics; m++)
		d[m] = (struct pp_stacks_division){
			.w = e->weights.at[at->weight + m],
			.whole = e->inclusive[at->component * e->metrics + m],
		};
}

/* A unit without inclusive cost of its own keeps what its callers say. */
static void
divisions_end(struct pp_stacks *e, pp_node node, const struct pp_stacks_division *d)
{
	size_t m;

	for (m = 0; m < e->metrics; m++)
		if (d[m].w != d[m].given)
			cost_add(e, node, m, d[m].w - d[m].given);
}

/* Divides a frame's cost among its own cost and what it calls. */
static void
expand(struct pp_stacks *e, const struct pp_stacks_waiting *at, struct pp_stacks_division *d,
       pp_i128 *costs)
{
	size_t i, k, m;

	for (i = e->member_first[at->component]; i < e->member_first[at->component + 1]; i++) {
		pp_func member = e->members[i];
		pp_node node = member == at->entry ? at->node : child_of(e, at->node, member);

		for (m = 0; m < e->metrics; m++)
			costs[m] = divide(&d[m], e->own[member * e->metrics + m]);
		settle(e, node, costs, at->certain);
		for (k = e->g.first[member]; k < e->g.first[member + 1] && !e->failed; k++) {
			if (e->g.component[e->g.to[k]] == at->component)
				continue;
			for (m = 0; m < e->metrics; m++)
				costs[m] = divide(&d[m], e->cost[k * e->metrics + m].i);
			call_add(e, node, e->g.to[k], costs, at->certain);
		}
	}
	divisions_end(e, at->node, d);
}

/* Only a frame's own cost: all that it calls stands under [pruned]. */
static void
cut(struct pp_stacks *e, const struct pp_stacks_waiting *at, struct pp_stacks_division *d,
    pp_i128 *costs, bool counts)
{
	bool any = false;
	size_t m;

	for (m = 0; m < e->metrics; m++)
		costs[m] = divide(&d[m], e->own[at->entry * e->metrics + m]);
	settle(e, at->node, costs, at->certain);
	for (m = 0; m < e->metrics; m++) {
		costs[m] = d[m].whole ? d[m].w - d[m].given : 0;
		any |= costs[m] != 0;
		d[m].given += costs[m];
	}
	if (any)
		settle(e, pruned_under(e, at->node), costs, false);
	if (counts)
		e->pruned += costs[e->opts.metric];
	divisions_end(e, at->node, d);
}

/* What is not accounted for by callers starts at the root. */
static void
start_roots(struct pp_stacks *e, pp_i128 *costs)
{
	bool any = false;
	uint32_t c;
	size_t m;

	for (m = 0; m < e->metrics; m++)
		any |= e->own[m] != 0;
	if (any) {
		settle(e, child_of(e, 0, e->nowhere_frame), e->own, true);
		e->has_nowhere = true;
	}
	for (c = e->g.components; c-- > 0 && !e->failed;) {
		if (e->member_first[c] == e->member_first[c + 1] ||
		    e->members[e->member_first[c]] == 0)
			continue;
		for (m = 0, any = false; m < e->metrics; m++) {
			size_t i = c * e->metrics + m;

			costs[m] = e->inclusive[i] - e->entering[i];
			any |= costs[m] != 0;
		}
		if (!any)
			continue;
		e->sources[c]++;
		call_add(e, 0, e->members[e->member_first[c]], costs, true);
	}
}

static void
follow(struct pp_stacks *e, struct pp_stacks_division *d, pp_i128 *costs)
{
	double least = e->opts.min_share * e->whole;

	while (e->heap.n && !e->failed) {
		struct pp_stacks_waiting at = heap_pop(e);
		size_t members = e->g.members[at.component];
		bool leaf = members == 1 && e->calls[at.component] == 0;
		bool full = is_full(e, members - 1), small = at.order < least;

		divisions_start(e, &at, d);
		if (!leaf && (full || small))
			cut(e, &at, d, costs, full && !small);
		else
			expand(e, &at, d, costs);
	}
}

/* Rounding may leave a few units over or under; they go where they matter least, to the costliest frame. */
static void
settle_rounding(struct pp_stacks *e)
{
	size_t nodes = e->cells.n / e->metrics, m, f, n, best;

	for (m = 0; m < e->metrics && nodes > 1; m++) {
		pp_i128 rest = 0;

		for (f = 0; f < e->g.n; f++)
			rest += e->own[f * e->metrics + m];
		for (n = 1, best = 1; n < nodes; n++) {
			pp_i128 cell = e->cells.at[n * e->metrics + m];

			rest -= cell;
			if (cell > e->cells.at[best * e->metrics + m])
				best = n;
		}
		e->cells.at[best * e->metrics + m] += rest;
	}
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Sets `here` of the metrics that something costs; false when out of memory. */
static bool
metrics_mark(struct pp_stacks *e)
{
	const struct pp_profile *p = e->p;
	struct pp_ledger own;
	size_t i, k;

	if (!pp_profile_own(p, PP_ALL_SERIES, false, &own))
		return false;
	for (i = 0; i < p->funcs.n; i++) {
		struct pp_values row = pp_ledger_row(&own, i);

		for (k = 0; k < row.n; k++)
			e->here[pp_values_metric(&row, k)] = 0;
	}
	pp_ledger_release(&own);
	for (i = 0; i < p->calls.rows.n; i++) {
		struct pp_cells row = pp_edge_costs(p, i);

		for (k = 0; k < row.n; k++)
			e->here[pp_cells_column(&row, k)] = 0;
	}
	return true;
}

/* Which metrics there are; false when out of memory. */
static bool
metrics_choose(struct pp_stacks *e, size_t chosen)
{
	size_t n = e->p->metrics.n, m;
	bool many = n > PP_FEW_COLUMNS;

	e->of = calloc(n, sizeof *e->of);
	e->here = calloc(n, sizeof *e->here);
	for (m = 0; many && e->here && m < n; m++)
		e->here[m] = m == chosen ? 0 : PP_NO_COLUMN;
	if (!e->of || !e->here || (many && !metrics_mark(e)))
		return false;
	for (m = 0; m < n; m++)
		if (e->here[m] != PP_NO_COLUMN) {
			e->of[e->metrics] = (uint32_t)m;
			e->here[m] = (uint32_t)e->metrics++;
		}
	e->opts.metric = e->here[chosen];
	return true;
}

pp_status
pp_stacks_init(struct pp_stacks *e, const struct pp_profile *p, const struct pp_estimate_opts *opts)
{
	*e = (struct pp_stacks){ .p = p, .opts = *opts };
	if (p->tree.n > 1 || p->metrics.n == 0 || pp_profile_basis(p) == PP_BASIS_TREE)
		return PP_E_UNSUPPORTED;
	if (!metrics_choose(e, opts->metric < p->metrics.n ? opts->metric : pp_profile_primary(p)))
		return PP_E_NOMEM;
	e->pruned_frame = (pp_frame)p->funcs.n;
	e->nowhere_frame = (pp_frame)p->funcs.n + 1;
	e->unit = calloc(e->metrics, sizeof *e->unit);
	if (!e->unit ||
	    !pp_tree_init(&e->tree, (uint32_t)p->strs.seed, UINT32_MAX - 1, &pp_pages_plain))
		return PP_E_NOMEM;
	return units_choose(e) ? PP_OK : PP_E_NOMEM;
}

void
pp_stacks_release(struct pp_stacks *e)
{
	run_release(e);
	free(e->of);
	free(e->here);
	free(e->unit);
	pp_tree_release(&e->tree);
	pp_vec_release(&e->cells);
	pp_vec_release(&e->heap);
	pp_vec_release(&e->weights);
}

pp_status
pp_stacks_run(struct pp_stacks *e, size_t series, uint32_t max_nodes)
{
	struct pp_stacks_division *d = calloc(e->metrics, sizeof *d);
	pp_i128 *costs = calloc(e->metrics, sizeof *costs);
	size_t i;

	run_release(e);
	e->max_nodes = max_nodes > UINT32_MAX - e->tree.n ? UINT32_MAX : e->tree.n + max_nodes;
	for (i = 0; i < e->cells.n; i++)
		e->cells.at[i] = 0;
	for (; !e->failed && e->cells.n < (size_t)e->tree.n * e->metrics;)
		e->failed = !pp_vec_push(&e->cells, 0);
	e->failed |= !d || !costs || !pp_call_graph_init(&e->g, e->p, series) || !run_alloc(e);
	e->failed = e->failed || !own_add(e, series);
	if (!e->failed) {
		units_members(e);
		edges_convert(e);
		units_settle(e);
		start_roots(e, costs);
		follow(e, d, costs);
	}
	if (!e->failed)
		settle_rounding(e);
	free(d);
	free(costs);
	return e->failed ? PP_E_NOMEM : PP_OK;
}
