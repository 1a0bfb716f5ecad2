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
	if (e->p->metrics.at[metric].type != PP_REAL)
		return v.i;
	/* A call may claim any cost, while the unit comes from what all functions cost. */
	return isfinite(v.d)
	           ? (pp_i128)nearbyint(fmax(fmin(v.d / e->unit[metric], MOST_UNITS), -MOST_UNITS))
	           : 0;
}

int64_t
pp_stacks_cell(const struct pp_stacks *e, size_t metric, pp_i128 value)
{
	switch (e->p->metrics.at[metric].type) {
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

/* How large a cost is. */
static double
size_of(const struct pp_metric *m, union pp_value v)
{
	if (m->type != PP_REAL)
		return fabs((double)v.i);
	return isfinite(v.d) ? fabs(v.d) : 0;
}

/* Doubles are counted in units of 2^-60 of the whole. False when out of memory. */
static bool
units_choose(struct pp_stacks *e)
{
	struct pp_ledger own;
	size_t i, k, m;
	int power;

	if (!pp_profile_own(e->p, PP_ALL_SERIES, false, &own))
		return false;
	/* How large all costs of each metric are together. */
	for (i = 0; i < e->p->funcs.n; i++) {
		struct pp_values row = pp_ledger_row(&own, i);

		for (k = 0; k < row.n; k++) {
			m = pp_values_metric(&row, k);
			e->unit[m] += size_of(&e->p->metrics.at[m], row.at[k]);
		}
	}
	pp_ledger_release(&own);
	e->whole = e->unit[e->opts.metric];
	for (m = 0; m < e->metrics; m++) {
		double size = e->unit[m];

		e->unit[m] = 1;
		if (e->p->metrics.at[m].type == PP_REAL && size > 0 && isfinite(size)) {
			(void)frexp(size, &power);
			e->unit[m] = ldexp(1, power - 60 < -1000 ? -1000 : power - 60);
		}
	}
	e->whole /= e->unit[e->opts.metric];
	return true;
}

/* Adds to a sum of whole numbers. */
static void
sum_add(struct pp_stacks *e, struct pp_ledger *l, size_t row, uint32_t metric, pp_i128 v)
{
	union pp_value *at = v ? pp_ledger_at(l, row, metric) : NULL;

	if (at)
		at->i += v;
	e->failed |= l->failed;
}

/* Own costs by function and by unit; false when out of memory. */
static bool
own_add(struct pp_stacks *e, size_t series)
{
	size_t i, k;

	if (!pp_profile_own(e->p, series, false, &e->own))
		return false;
	for (i = 0; i < e->g.n && !e->failed; i++) {
		struct pp_values row = pp_ledger_row(&e->own, i);
		union pp_value *own = pp_ledger_edit(&e->own, i);

		for (k = 0; k < row.n; k++) {
			uint32_t m = pp_values_metric(&row, k);

			own[k].i = whole_number(e, m, own[k]);
			if (i)
				sum_add(e, &e->inclusive, e->g.component[i], m, own[k].i);
		}
	}
	return !e->failed;
}

/* ---- the graph in units ----------------------------------------------------------------- */

static void
run_release(struct pp_stacks *e)
{
	pp_call_graph_release(&e->g);
	pp_ledger_release(&e->own);
	pp_ledger_release(&e->inclusive);
	pp_ledger_release(&e->entering);
	pp_gather_release(&e->entry);
	free(e->is_divided);
	free(e->sources);
	free(e->calls);
	free(e->member_first);
	free(e->members);
	e->is_divided = NULL;
	e->sources = e->calls = NULL;
	e->member_first = NULL;
	e->members = NULL;
	e->heap.n = e->weights.n = e->weighted.n = 0;
}

static bool
run_alloc(struct pp_stacks *e)
{
	size_t funcs = e->g.n, units = e->g.components + 1;

	e->entry = (struct pp_gather){ .size = sizeof(struct pp_stacks_division),
		                       .seed = e->p->strs.seed };
	e->is_divided = calloc(units, sizeof *e->is_divided);
	e->sources = calloc(units, sizeof *e->sources);
	e->calls = calloc(units, sizeof *e->calls);
	e->member_first = calloc(units + 1, sizeof *e->member_first);
	e->members = calloc(funcs + 1, sizeof *e->members);
	return pp_ledger_init(&e->inclusive, e->p, units) &&
	       pp_ledger_init(&e->entering, e->p, units) && e->is_divided && e->sources &&
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
	size_t i, k;
	uint32_t f;

	for (f = 1; f < e->g.n && !e->failed; f++) {
		for (k = e->g.first[f]; k < e->g.first[f + 1]; k++) {
			uint32_t from = e->g.component[f], to = e->g.component[e->g.to[k]];
			struct pp_values row = pp_call_graph_cost(&e->g, k);
			union pp_value *cost = pp_ledger_edit(&e->g.cost, k);

			for (i = 0; i < row.n; i++) {
				uint32_t m = pp_values_metric(&row, i);

				cost[i].i = whole_number(e, m, cost[i]);
				if (from != to)
					sum_add(e, &e->entering, to, m, cost[i].i);
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

/* What an edge to a unit adds to the one that calls, made smaller where all callers account for too much. */
static void
edge_settle(struct pp_stacks *e, uint32_t from, uint32_t to, size_t edge)
{
	struct pp_values row = pp_call_graph_cost(&e->g, edge);
	union pp_value *cost = pp_ledger_edit(&e->g.cost, edge);
	size_t i;

	for (i = 0; i < row.n; i++) {
		uint32_t m = pp_values_metric(&row, i);

		if (e->is_divided[to] && pp_gather_get(&e->entry, to, m))
			cost[i].i = divide(pp_gather_at(&e->entry, to, m), cost[i].i);
		sum_add(e, &e->inclusive, from, m, cost[i].i);
	}
}

/* Where callers account for more than a unit costs. */
static void
entry_settle(struct pp_stacks *e, uint32_t unit)
{
	struct pp_values row = pp_ledger_row(&e->entering, unit);
	union pp_value *entering = pp_ledger_edit(&e->entering, unit);
	size_t i;

	for (i = 0; i < row.n && !e->failed; i++) {
		uint32_t m = pp_values_metric(&row, i);
		/* Roots go through all that is here. */
		union pp_value *whole = entering[i].i ? pp_ledger_at(&e->inclusive, unit, m) : NULL;
		struct pp_stacks_division *entry;

		e->failed |= e->inclusive.failed;
		if (!whole || !is_over(entering[i].i, whole->i))
			continue;
		entry = pp_gather_at(&e->entry, unit, m);
		e->failed |= !entry;
		if (entry)
			*entry = (struct pp_stacks_division){ .w = whole->i,
				                              .whole = entering[i].i };
		e->is_divided[unit] = true;
		entering[i].i = whole->i;
	}
}

/*
 * What each unit costs with all it calls. Callees come first. Where callers account for more than a unit costs (partial
 * dumps, rounding), the costs of these edges are made smaller, in the callers too, so that everything adds up.
 */
static void
units_settle(struct pp_stacks *e)
{
	size_t i, k;
	uint32_t c;

	for (c = 0; c < e->g.components && !e->failed; c++) {
		for (i = e->member_first[c]; i < e->member_first[c + 1]; i++)
			for (k = e->g.first[e->members[i]]; k < e->g.first[e->members[i] + 1]; k++)
				if (e->g.component[e->g.to[k]] != c)
					edge_settle(e, c, e->g.component[e->g.to[k]], k);
		entry_settle(e, c);
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
	uint32_t before = e->tree.n;
	pp_node node = e->failed ? 0 : pp_tree_child(&e->tree, parent, frame);

	e->failed |= node == 0 || !pp_ledger_grow(&e->cells, before, e->tree.n);
	return e->failed ? 0 : node;
}

static pp_node
pruned_under(struct pp_stacks *e, pp_node parent)
{
	e->has_pruned = true;
	return child_of(e, parent, e->pruned_frame);
}

/* What a frame hands out: costs of some metrics, in their order, or of all. */
struct handout {
	pp_i128 *at;
	uint32_t *metric; /* NULL = all */
	size_t n;
};

static inline uint32_t
handout_metric(const struct handout *h, size_t i)
{
	return h->metric ? h->metric[i] : (uint32_t)i;
}

/* Where a metric stands, or would stand, in a list of them. */
static size_t
metric_place(const uint32_t *metric, size_t n, uint32_t m)
{
	size_t low = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (metric[low + half] < m) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

/* The cost of the chosen metric. */
static pp_i128
handout_chosen(const struct pp_stacks *e, const struct handout *h)
{
	uint32_t m = (uint32_t)e->opts.metric;
	size_t i = h->metric ? metric_place(h->metric, h->n, m) : m;

	return i < h->n && handout_metric(h, i) == m ? h->at[i] : 0;
}

/* Costs that have no children of their own any more. */
static void
settle(struct pp_stacks *e, pp_node node, const struct handout *h, bool certain)
{
	size_t i;

	for (i = 0; i < h->n && node && !e->failed; i++)
		sum_add(e, &e->cells, node, handout_metric(h, i), h->at[i]);
	if (certain)
		e->exact += handout_chosen(e, h);
}

static bool
is_full(const struct pp_stacks *e, size_t more)
{
	return e->tree.n + e->heap.n + more >= e->max_nodes;
}

/* Keeps what a frame that waits costs. */
static void
weights_add(struct pp_stacks *e, struct pp_stacks_waiting *item, const struct handout *h)
{
	size_t i;

	item->weight = e->weights.n;
	for (i = 0; i < h->n; i++) {
		if (h->metric && !h->at[i])
			continue;
		e->failed |= !pp_vec_push(&e->weights, h->at[i]);
		e->failed |= h->metric && !pp_vec_push(&e->weighted, h->metric[i]);
	}
	item->n = e->weights.n - item->weight;
}

/* A call to another unit: a frame that waits, or a part of [pruned]. */
static void
call_add(struct pp_stacks *e, pp_node under, pp_func callee, const struct handout *h, bool certain)
{
	uint32_t unit = e->g.component[callee];
	struct pp_stacks_waiting item = { .component = unit, .entry = callee };
	pp_i128 chosen = handout_chosen(e, h);
	bool zero = true, small;
	size_t i;

	for (i = 0; i < h->n; i++)
		zero &= h->at[i] == 0;
	if (zero || e->failed)
		return;
	small = e->opts.sums_small && fabs((double)chosen) < e->opts.min_share * e->whole;
	if (is_full(e, 0) || small) {
		e->pruned += small ? 0 : chosen;
		settle(e, pruned_under(e, under), h, false);
		return;
	}
	item.node = child_of(e, under, callee);
	/* Certain if nobody else has a share in it, or if there is nothing in it to be divided. */
	item.certain = certain && e->g.members[unit] == 1 &&
	               (e->sources[unit] == 1 || e->calls[unit] == 0);
	item.order = fabs((double)chosen);
	weights_add(e, &item, h);
	e->failed |= !heap_push(e, item);
}

/* ---- dividing --------------------------------------------------------------------------- */

/* A frame's costs while they are handed out; its metrics are those of the frame that waited. */
struct dividing {
	struct pp_stacks_division *d;
	const uint32_t *metric; /* NULL = all */
	size_t n;
	struct handout out; /* room for as many */
	uint32_t *metrics;  /* for `out`, where it has some */
};

static void
divisions_start(struct pp_stacks *e, const struct pp_stacks_waiting *at, struct dividing *x)
{
	struct pp_values whole = pp_ledger_row(&e->inclusive, at->component);
	size_t i;

	x->metric = e->weighted.n ? e->weighted.at + at->weight : NULL;
	x->n = at->n;
	for (i = 0; i < at->n; i++)
		x->d[i] = (struct pp_stacks_division){
			.w = e->weights.at[at->weight + i],
			.whole = x->metric
			             ? pp_ledger_get(&e->inclusive, at->component, x->metric[i]).i
			             : whole.at[i].i,
		};
}

/* A unit without inclusive cost of its own keeps what its callers say. */
static void
divisions_end(struct pp_stacks *e, pp_node node, const struct dividing *x)
{
	size_t i;

	for (i = 0; i < x->n && node && !e->failed; i++)
		sum_add(e, &e->cells, node, x->metric ? x->metric[i] : (uint32_t)i,
		        x->d[i].w - x->d[i].given);
}

/* The part of each cost that a row of the frame's own or of its calls has. */
static const struct handout *
row_divide(struct dividing *x, struct pp_values row)
{
	size_t i, k;

	x->out.n = 0;
	x->out.metric = x->metric ? x->metrics : NULL;
	for (i = 0; !x->metric && i < row.n; i++)
		x->out.at[x->out.n++] = divide(&x->d[i], row.at[i].i);
	for (i = 0, k = 0; x->metric && i < row.n && k < x->n; i++) {
		k += metric_place(x->metric + k, x->n - k, row.metric[i]);
		if (k == x->n || x->metric[k] != row.metric[i])
			continue;
		x->metrics[x->out.n] = row.metric[i];
		x->out.at[x->out.n++] = divide(&x->d[k], row.at[i].i);
	}
	return &x->out;
}

/* Divides a frame's cost among its own cost and what it calls. */
static void
expand(struct pp_stacks *e, const struct pp_stacks_waiting *at, struct dividing *x)
{
	size_t i, k;

	for (i = e->member_first[at->component]; i < e->member_first[at->component + 1]; i++) {
		pp_func member = e->members[i];
		pp_node node = member == at->entry ? at->node : child_of(e, at->node, member);

		settle(e, node, row_divide(x, pp_ledger_row(&e->own, member)), at->certain);
		for (k = e->g.first[member]; k < e->g.first[member + 1] && !e->failed; k++) {
			if (e->g.component[e->g.to[k]] == at->component)
				continue;
			call_add(e, node, e->g.to[k], row_divide(x, pp_call_graph_cost(&e->g, k)),
			         at->certain);
			/* Weights moved when they grew. */
			x->metric = x->metric ? e->weighted.at + at->weight : NULL;
		}
	}
	divisions_end(e, at->node, x);
}

/* Only a frame's own cost: all that it calls stands under [pruned]. */
static void
cut(struct pp_stacks *e, const struct pp_stacks_waiting *at, struct dividing *x, bool counts)
{
	bool any = false;
	size_t i;

	settle(e, at->node, row_divide(x, pp_ledger_row(&e->own, at->entry)), at->certain);
	x->out.n = x->n;
	for (i = 0; i < x->n; i++) {
		struct pp_stacks_division *d = &x->d[i];

		x->out.at[i] = d->whole ? d->w - d->given : 0;
		any |= x->out.at[i] != 0;
		d->given += x->out.at[i];
		if (x->metric)
			x->metrics[i] = x->metric[i];
	}
	if (any)
		settle(e, pruned_under(e, at->node), &x->out, false);
	if (counts)
		e->pruned += handout_chosen(e, &x->out);
	divisions_end(e, at->node, x);
}

/* A row as it is. */
static const struct handout *
row_take(struct dividing *x, struct pp_values row, bool *any)
{
	size_t i;

	*any = false;
	x->out.n = row.n;
	x->out.metric = row.metric ? x->metrics : NULL;
	for (i = 0; i < row.n; i++) {
		x->out.at[i] = row.at[i].i;
		*any |= row.at[i].i != 0;
		if (row.metric)
			x->metrics[i] = row.metric[i];
	}
	return &x->out;
}

/* What is not accounted for by callers starts at the root. */
static void
start_roots(struct pp_stacks *e, struct dividing *x)
{
	const struct handout *own;
	bool any;
	uint32_t c;
	size_t i;

	own = row_take(x, pp_ledger_row(&e->own, 0), &any);
	if (any) {
		settle(e, child_of(e, 0, e->nowhere_frame), own, true);
		e->has_nowhere = true;
	}
	for (c = e->g.components; c-- > 0 && !e->failed;) {
		if (e->member_first[c] == e->member_first[c + 1] ||
		    e->members[e->member_first[c]] == 0)
			continue;
		(void)row_take(x, pp_ledger_row(&e->inclusive, c), &any);
		for (i = 0, any = false; i < x->out.n; i++) {
			x->out.at[i] -=
			    pp_ledger_get(&e->entering, c, handout_metric(&x->out, i)).i;
			any |= x->out.at[i] != 0;
		}
		if (!any)
			continue;
		e->sources[c]++;
		call_add(e, 0, e->members[e->member_first[c]], &x->out, true);
	}
}

static void
follow(struct pp_stacks *e, struct dividing *x)
{
	double least = e->opts.min_share * e->whole;

	while (e->heap.n && !e->failed) {
		struct pp_stacks_waiting at = heap_pop(e);
		size_t members = e->g.members[at.component];
		bool leaf = members == 1 && e->calls[at.component] == 0;
		bool full = is_full(e, members - 1), small = at.order < least;

		divisions_start(e, &at, x);
		if (!leaf && (full || small))
			cut(e, &at, x, full && !small);
		else
			expand(e, &at, x);
	}
}

/* What rounding left over or under of a metric, and its costliest frame. */
struct rounding {
	pp_i128 rest, most;
	pp_node best;
};

/* Rounding may leave a few units over or under; they go where they matter least, to the costliest frame. */
static void
settle_rounding(struct pp_stacks *e)
{
	struct rounding *of = calloc(e->metrics, sizeof *of);
	struct pp_values row;
	size_t f, i;
	pp_node n;
	uint32_t m;

	for (f = 0; of && f < e->g.n; f++)
		for (row = pp_ledger_row(&e->own, f), i = 0; i < row.n; i++)
			of[pp_values_metric(&row, i)].rest += row.at[i].i;
	for (n = 1; of && n < e->tree.n; n++)
		for (row = pp_ledger_row(&e->cells, n), i = 0; i < row.n; i++) {
			struct rounding *r = &of[pp_values_metric(&row, i)];

			r->rest -= row.at[i].i;
			if (n == 1 || row.at[i].i > r->most) {
				r->most = row.at[i].i;
				r->best = n;
			}
		}
	for (m = 0; of && m < e->metrics && e->tree.n > 1; m++)
		sum_add(e, &e->cells, of[m].best ? of[m].best : 1, m, of[m].rest);
	e->failed |= !of;
	free(of);
}

/* ---- the whole -------------------------------------------------------------------------- */

pp_status
pp_stacks_init(struct pp_stacks *e, const struct pp_profile *p, const struct pp_estimate_opts *opts)
{
	*e = (struct pp_stacks){ .p = p, .opts = *opts };
	if (p->tree.n > 1 || p->metrics.n == 0 || pp_profile_basis(p) == PP_BASIS_TREE)
		return PP_E_UNSUPPORTED;
	e->metrics = p->metrics.n;
	e->opts.metric = opts->metric < p->metrics.n ? opts->metric : pp_profile_primary(p);
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
	free(e->unit);
	pp_tree_release(&e->tree);
	pp_ledger_release(&e->cells);
	pp_vec_release(&e->heap);
	pp_vec_release(&e->weights);
	pp_vec_release(&e->weighted);
}

pp_status
pp_stacks_run(struct pp_stacks *e, size_t series, uint32_t max_nodes)
{
	struct dividing x = { 0 };

	x.d = calloc(e->metrics, sizeof *x.d);
	x.out.at = calloc(e->metrics, sizeof *x.out.at);
	x.metrics = calloc(e->metrics, sizeof *x.metrics);
	run_release(e);
	pp_ledger_release(&e->cells);
	e->max_nodes = max_nodes > UINT32_MAX - e->tree.n ? UINT32_MAX : e->tree.n + max_nodes;
	e->failed |= !x.d || !x.out.at || !x.metrics ||
	             !pp_ledger_init(&e->cells, e->p, e->tree.n) ||
	             !pp_call_graph_init(&e->g, e->p, series) || !run_alloc(e);
	e->failed = e->failed || !own_add(e, series);
	if (!e->failed) {
		units_members(e);
		edges_convert(e);
		units_settle(e);
		start_roots(e, &x);
		follow(e, &x);
	}
	if (!e->failed)
		settle_rounding(e);
	free(x.d);
	free(x.out.at);
	free(x.metrics);
	return e->failed ? PP_E_NOMEM : PP_OK;
}
