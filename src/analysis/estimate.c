/*
 * Estimating stacks.
 *
 * Cycles (strongly connected components) are one unit: who enters one shows as a frame, the other members as
 * frames below it, whatever they call outside below these. The inclusive cost of a unit is the own cost of its
 * members and the edges that leave it. Roots are units that cost more than their callers account for.
 * Where callers account for more than a unit costs, their parts are made smaller.
 * Costs are whole numbers: each division hands out parts of w by rounding the running sum, so they add up to w.
 */
#include "analysis/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/call_graph.h"
#include "model/builder.h"

/* A frame that waits for its calls: the costliest comes first. */
struct waiting {
	uint32_t component;
	pp_func entry;
	pp_node node;
	size_t weight; /* where its costs are in `weights` */
	bool certain;  /* everything above is */
	double order;
};

/* One cost w, handed out in parts of `whole`. */
struct division {
	pp_i128 w, whole, done, given;
};

struct estimating {
	const struct pp_profile *p;
	struct pp_call_graph g;
	size_t metrics, primary;
	pp_i128 *own;           /* [func * metrics + metric] */
	pp_i128 *inclusive;     /* [component * metrics + metric] */
	pp_i128 *entering;      /* likewise: edges from outside */
	struct division *entry; /* likewise: where callers account for more than there is */
	uint32_t *sources;      /* by component: how many edges enter, and 1 if it is a root too */
	uint32_t *calls;        /* by component: how many edges leave */
	size_t *member_first;
	pp_func *members; /* by component */
	struct pp_builder b;
	bool ready;
	pp_frame *frame_of; /* by function; [0] is [pruned] */
	PP_VEC(struct waiting) heap;
	PP_VEC(pp_i128) weights;
	uint32_t max_nodes;
	pp_i128 exact, pruned;
	bool failed;
};

/* ---- the graph in units ----------------------------------------------------------------- */

static bool
units_alloc(struct estimating *e)
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
	e->frame_of = calloc(funcs + 1, sizeof *e->frame_of);
	return e->own && e->inclusive && e->entering && e->entry && e->sources && e->calls &&
	       e->member_first && e->members && e->frame_of;
}

static void
units_members(struct estimating *e)
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

static void
units_costs(struct estimating *e)
{
	const struct pp_profile *p = e->p;
	size_t stride = pp_line_stride(p), i, m, k;
	uint32_t f;

	for (i = 0; i < p->lines.n; i++) {
		pp_func func = p->funcs.at[p->lines.at[i].func].same;

		for (m = 0; m < e->metrics; m++) {
			pp_i128 v = pp_cell_value(&p->metrics.at[m],
			                          p->line_cells.at[i * stride + p->line_hits + m])
			                .i;

			e->own[func * e->metrics + m] += v;
			if (func)
				e->inclusive[e->g.component[func] * e->metrics + m] += v;
		}
	}
	for (f = 1; f < e->g.n; f++) {
		for (k = e->g.first[f]; k < e->g.first[f + 1]; k++) {
			uint32_t from = e->g.component[f], to = e->g.component[e->g.to[k]];

			if (from == to)
				continue;
			e->sources[to]++;
			e->calls[from]++;
			for (m = 0; m < e->metrics; m++) {
				pp_i128 v = pp_call_graph_cost(&e->g, k)[m].i;

				e->inclusive[from * e->metrics + m] += v;
				e->entering[to * e->metrics + m] += v;
			}
		}
	}
}

/* ---- the heap --------------------------------------------------------------------------- */

static bool
heap_push(struct estimating *e, struct waiting item)
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

static struct waiting
heap_pop(struct estimating *e)
{
	struct waiting top = e->heap.at[0], last = e->heap.at[--e->heap.n];
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

/* ---- frames ----------------------------------------------------------------------------- */

/* The frame of a function in the new profile; 0 is [pruned]. */
static pp_frame
frame_of(struct estimating *e, pp_func func)
{
	const struct pp_profile *p = e->p;
	const struct pp_func_row *from = &p->funcs.at[func];
	struct pp_func_row row = { .line = from->line, .flags = from->flags };
	struct pp_frame_row frame = { 0 };

	if (e->frame_of[func])
		return e->frame_of[func];
	if (func == 0) {
		row.name = pp_build_strz(&e->b, "[pruned]");
		row.flags = PP_FUNC_PSEUDO;
	} else {
		row.name = pp_build_str(&e->b, pp_text_of(p, from->name));
		row.file = pp_build_str(&e->b, pp_text_of(p, from->file));
	}
	if (from->module) {
		struct pp_module_row module = p->modules.at[from->module];

		module.name = pp_build_str(&e->b, pp_text_of(p, module.name));
		module.build_id = pp_build_str(&e->b, pp_text_of(p, module.build_id));
		row.module = pp_build_module(&e->b, &module);
	}
	frame.func = pp_build_func(&e->b, &row);
	e->frame_of[func] = pp_build_frame(&e->b, &frame);
	return e->frame_of[func];
}

/* Adds a cost to a node; sums that do not fit stay at their limit. */
static void
cost_add(struct estimating *e, pp_node node, size_t metric, pp_i128 v)
{
	int64_t *cells = pp_build_cells(&e->b, 0, node);

	if (!cells)
		return;
	v += cells[metric];
	cells[metric] = v > INT64_MAX ? INT64_MAX : v < -INT64_MAX ? -INT64_MAX : (int64_t)v;
}

/* ---- dividing --------------------------------------------------------------------------- */

/* floor(a * b / c) for c != 0 without passing 128 bits. */
static pp_i128
scale(pp_i128 a, pp_i128 b, pp_i128 c)
{
	pp_i128 product, q;

	if (__builtin_mul_overflow(a, b, &product))
		return (pp_i128)floor((double)a * ((double)b / (double)c));
	q = product / c;
	return q - (product % c != 0 && (product < 0) != (c < 0));
}

static pp_i128
divide(struct division *d, pp_i128 part)
{
	pp_i128 upto;

	if (d->whole == 0)
		return 0;
	d->done += part;
	upto = d->done == d->whole ? d->w : scale(d->w, d->done, d->whole);
	part = upto - d->given;
	d->given = upto;
	return part;
}

/* Costs that have no children of their own any more. */
static void
settle(struct estimating *e, pp_node node, const pp_i128 *costs, bool certain)
{
	size_t m;

	for (m = 0; m < e->metrics; m++)
		cost_add(e, node, m, costs[m]);
	if (certain)
		e->exact += costs[e->primary];
}

/* A call to another unit: a frame that waits, or a part of [pruned]. */
static void
call_add(struct estimating *e, pp_node under, pp_func callee, pp_i128 *costs, bool certain)
{
	uint32_t unit = e->g.component[callee];
	struct waiting item = { .component = unit, .entry = callee, .weight = e->weights.n };
	bool zero = true;
	size_t m;

	for (m = 0; m < e->metrics; m++) {
		struct division *d = &e->entry[unit * e->metrics + m];

		if (under && d->whole)
			costs[m] = divide(d, costs[m]);
		zero &= costs[m] == 0;
	}
	if (zero || e->failed)
		return;
	if (e->b.profile->tree.n + e->heap.n >= e->max_nodes) {
		pp_node node = pp_build_child(&e->b, under, frame_of(e, 0));

		e->pruned += costs[e->primary];
		settle(e, node, costs, false);
		return;
	}
	item.node = pp_build_child(&e->b, under, frame_of(e, callee));
	/* Certain if nobody else has a share in it, or if there is nothing in it to be divided. */
	item.certain = certain && e->g.members[unit] == 1 &&
	               (e->sources[unit] == 1 || e->calls[unit] == 0);
	item.order = fabs((double)costs[e->primary]);
	for (m = 0; m < e->metrics; m++)
		e->failed |= !pp_vec_push(&e->weights, costs[m]);
	e->failed |= !heap_push(e, item);
}

/* Divides a frame's cost among its own cost and what it calls. */
static void
expand(struct estimating *e, const struct waiting *at, struct division *d, pp_i128 *costs)
{
	size_t i, k, m;

	for (m = 0; m < e->metrics; m++)
		d[m] = (struct division){ .w = e->weights.at[at->weight + m],
			                  .whole = e->inclusive[at->component * e->metrics + m] };
	for (i = e->member_first[at->component]; i < e->member_first[at->component + 1]; i++) {
		pp_func member = e->members[i];
		pp_node node = at->node;

		if (member != at->entry)
			node = pp_build_child(&e->b, node, frame_of(e, member));
		for (m = 0; m < e->metrics; m++)
			costs[m] = divide(&d[m], e->own[member * e->metrics + m]);
		settle(e, node, costs, at->certain);
		for (k = e->g.first[member]; k < e->g.first[member + 1] && !e->failed; k++) {
			if (e->g.component[e->g.to[k]] == at->component)
				continue;
			for (m = 0; m < e->metrics; m++)
				costs[m] = divide(&d[m], pp_call_graph_cost(&e->g, k)[m].i);
			call_add(e, node, e->g.to[k], costs, at->certain);
		}
	}
	/* A unit without inclusive cost of its own keeps what its callers say. */
	for (m = 0; m < e->metrics; m++)
		if (d[m].w != d[m].given)
			cost_add(e, at->node, m, d[m].w - d[m].given);
}

/* What is not accounted for by callers starts at the root. */
static void
start_roots(struct estimating *e, pp_i128 *costs)
{
	uint32_t c;
	size_t m;

	for (c = e->g.components; c-- > 0 && !e->failed;) {
		bool any = false;
		pp_func entry;

		if (e->member_first[c] == e->member_first[c + 1])
			continue;
		entry = e->members[e->member_first[c]];
		if (entry == 0)
			continue;
		for (m = 0; m < e->metrics; m++) {
			size_t i = c * e->metrics + m;

			costs[m] = e->inclusive[i] - e->entering[i];
			if (costs[m] < 0 && e->sources[c]) {
				/* Callers account for more than there is (partial dumps, rounding). */
				e->entry[i] = (struct division){ .w = e->inclusive[i],
					                         .whole = e->entering[i] };
				costs[m] = 0;
			}
			any |= costs[m] != 0;
		}
		if (!any)
			continue;
		e->sources[c]++;
		call_add(e, 0, entry, costs, true);
	}
}

/* Rounding may leave a few units over or under; they go where they matter least, to the costliest frame. */
static void
settle_rounding(struct estimating *e)
{
	const struct pp_series *s = &e->b.profile->series.at[0];
	uint32_t row, best;
	size_t m, f;

	for (m = 0; m < e->metrics && s->rows > 1; m++) {
		pp_i128 rest = 0;

		for (f = 1; f < e->g.n; f++)
			rest += e->own[f * e->metrics + m];
		for (row = 1, best = 1; row < s->rows; row++) {
			int64_t cell = pp_series_cells(s, row)[m];

			rest -= cell;
			if (cell > pp_series_cells(s, best)[m])
				best = row;
		}
		if (rest)
			cost_add(e, best, m, rest);
	}
}

/* ---- bounds ----------------------------------------------------------------------------- */

/* The context caller -> f -> callee whose cost is known least. */
static void
find_widest(struct estimating *e, struct pp_estimate *out)
{
	pp_i128 widest = 0;
	uint32_t p, k;
	size_t in, o;

	for (p = 1; p < e->g.n; p++) {
		for (in = e->g.first[p]; in < e->g.first[p + 1]; in++) {
			pp_func f = e->g.to[in];
			pp_i128 a = pp_call_graph_cost(&e->g, in)[e->primary].i;
			pp_i128 whole = e->inclusive[e->g.component[f] * e->metrics + e->primary];

			/* Only the costliest callees matter; most functions have few. */
			for (o = e->g.first[f], k = 0; o < e->g.first[f + 1] && k < 64; o++, k++) {
				pp_i128 b = pp_call_graph_cost(&e->g, o)[e->primary].i;
				pp_i128 low = a + b - whole, high = a < b ? a : b;

				low = low > 0 ? low : 0;
				if (f == p || e->g.to[o] == f || high - low <= widest || whole <= 0)
					continue;
				widest = high - low;
				out->has_widest = true;
				out->widest =
				    (struct pp_estimate_bounds){ .caller = p,
					                         .func = f,
					                         .callee = e->g.to[o],
					                         .estimate.i = scale(a, b, whole),
					                         .low.i = low,
					                         .high.i = high };
			}
		}
	}
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool
profile_start(struct estimating *e)
{
	const struct pp_profile *p = e->p;
	struct pp_limits limits = pp_limits_complete(NULL);
	size_t m;

	e->ready = pp_builder_init(&e->b, &limits, PP_TREE, p->strs.seed, &pp_pages_plain);
	for (m = 0; e->ready && m < e->metrics; m++) {
		struct pp_metric metric = p->metrics.at[m];

		metric.name = pp_build_str(&e->b, pp_text_of(p, metric.name));
		metric.title = pp_build_str(&e->b, pp_text_of(p, metric.title));
		metric.event = pp_build_str(&e->b, pp_text_of(p, metric.event));
		metric.unit = pp_build_str(&e->b, pp_text_of(p, metric.unit));
		metric.type = PP_INT;
		(void)pp_build_metric(&e->b, &metric);
	}
	if (!e->ready)
		return false;
	e->b.profile->format = p->format;
	e->b.profile->complete = p->complete;
	e->b.profile->estimated = true;
	(void)pp_build_series_plain(&e->b, true, false);
	return pp_builder_ok(&e->b);
}

static void
run(struct estimating *e)
{
	struct division *d = calloc(e->metrics, sizeof *d);
	pp_i128 *costs = calloc(e->metrics, sizeof *costs);

	e->failed |= !d || !costs;
	if (!e->failed)
		start_roots(e, costs);
	while (e->heap.n && !e->failed && pp_builder_ok(&e->b)) {
		struct waiting at = heap_pop(e);

		expand(e, &at, d, costs);
	}
	free(d);
	free(costs);
}

static void
release(struct estimating *e)
{
	pp_call_graph_release(&e->g);
	free(e->own);
	free(e->inclusive);
	free(e->entering);
	free(e->entry);
	free(e->sources);
	free(e->calls);
	free(e->member_first);
	free(e->members);
	free(e->frame_of);
	pp_vec_release(&e->heap);
	pp_vec_release(&e->weights);
	if (e->ready)
		pp_builder_release(&e->b);
}

pp_status
pp_estimate_stacks(const struct pp_profile *p, uint32_t max_nodes, struct pp_estimate *out)
{
	struct estimating e = { .p = p, .metrics = p->metrics.n, .max_nodes = max_nodes };
	pp_status status = PP_E_NOMEM;
	size_t m;

	*out = (struct pp_estimate){ 0 };
	if (p->edges.n == 0 || p->metrics.n == 0)
		return PP_E_UNSUPPORTED;
	for (m = 0; m < p->metrics.n; m++)
		if (p->metrics.at[m].type == PP_REAL)
			return PP_E_UNSUPPORTED;
	e.primary = pp_profile_primary(p);
	if (pp_call_graph_init(&e.g, p) && units_alloc(&e) && profile_start(&e)) {
		double whole;

		units_members(&e);
		units_costs(&e);
		run(&e);
		settle_rounding(&e);
		find_widest(&e, out);
		status = e.failed ? PP_E_NOMEM : pp_builder_finish(&e.b, &out->profile);
		whole = status == PP_OK ? (double)pp_profile_total(out->profile, e.primary).i : 0;
		out->exact = whole > 0 ? (double)e.exact / whole : 0;
		out->pruned = whole > 0 ? (double)e.pruned / whole : 0;
	}
	release(&e);
	return status;
}
