/*
 * Estimated stacks as a profile.
 */
#include "analysis/estimate.h"

#include <stdlib.h>

#include "analysis/stacks.h"
#include "model/derive.h"

/* Passes over functions, thread by thread, that one estimate may take. */
#define MOST_VISITS ((uint64_t)1 << 28)

static const char pruned_name[] = "[pruned]", nowhere_name[] = "[no function]";

/* Whether any call has a cost of its own. */
static bool
calls_cost(const struct pp_profile *p)
{
	size_t i, k;

	for (i = 0; p->calls.own && i < p->calls.rows.n; i++) {
		struct pp_cells own = pp_edge_own(p, i);

		for (k = 0; k < own.n; k++)
			if (own.at[k])
				return true;
	}
	return false;
}

bool
pp_estimate_possible(const struct pp_profile *p)
{
	if (p->tree.n > 1 || !(p->facets & PP_EDGES) || p->metrics.n == 0)
		return false;
	switch (pp_profile_basis(p)) {
	case PP_BASIS_LINES:
		/* Where calls would be known, a function without any is a stack. */
		return p->calls.rows.n + p->lines.rows.n > 0;
	case PP_BASIS_CALLS:
		return p->calls.own ? calls_cost(p) : p->calls.rows.n > 0;
	case PP_BASIS_COSTS:
		/* Whoever asked for costs of functions alone can have the stacks of the file. */
		return p->calls.rows.n > 0 && !(p->holds & PP_TREE);
	case PP_BASIS_TREE:
		break;
	}
	return false;
}

/* ---- bounds ----------------------------------------------------------------------------- */

/* A cost as a value of the chosen metric. */
static union pp_value
value_of(const struct pp_stacks *e, pp_i128 cost)
{
	const struct pp_metric *m = &e->p->metrics.at[e->opts.metric];

	return m->type == PP_REAL ? (union pp_value){ .d = (double)cost * e->unit[e->opts.metric] }
	                          : (union pp_value){ .i = cost };
}

/* The context caller -> f -> callee whose cost is known least. */
static void
find_widest(struct pp_stacks *e, struct pp_estimate *out)
{
	size_t in, o, metric = e->opts.metric;
	pp_i128 widest = 0;
	uint32_t p, k;

	for (p = 1; p < e->g.n; p++) {
		for (in = e->g.first[p]; in < e->g.first[p + 1]; in++) {
			pp_func f = e->g.to[in];
			pp_i128 a = pp_ledger_get(&e->g.cost, in, metric).i;
			pp_i128 whole = pp_ledger_get(&e->inclusive, e->g.component[f], metric).i;

			/* Only the first callees matter; most functions have few. */
			for (o = e->g.first[f], k = 0; o < e->g.first[f + 1] && k < 64; o++, k++) {
				pp_i128 b = pp_ledger_get(&e->g.cost, o, metric).i;
				pp_i128 low = a + b - whole, high = a < b ? a : b;

				low = low > 0 ? low : 0;
				if (f == p || e->g.to[o] == f || high - low <= widest || whole <= 0)
					continue;
				widest = high - low;
				out->has_widest = true;
				out->widest = (struct pp_estimate_bounds){
					.caller = p,
					.func = f,
					.callee = e->g.to[o],
					.estimate = value_of(e, pp_stacks_scale(a, b, whole)),
					.low = value_of(e, low),
					.high = value_of(e, high),
				};
			}
		}
	}
}

static void
shares_tell(const struct pp_stacks *e, struct pp_estimate *out)
{
	if (!(e->whole > 0))
		return;
	out->exact = (double)e->exact / e->whole;
	out->pruned = (double)e->pruned / e->whole;
	out->exact = out->exact < 0 ? 0 : out->exact > 1 ? 1 : out->exact;
}

uint32_t
pp_estimate_nodes_for(const struct pp_profile *p)
{
	size_t lines = p->lines.told ? p->lines.told : p->lines.rows.n;
	size_t calls = p->calls.told ? p->calls.told : p->calls.rows.n;
	size_t n = (lines + calls) / 8;

	return n > PP_ESTIMATE_NODES ? PP_ESTIMATE_NODES : n < 20000 ? 20000 : (uint32_t)n;
}

static uint32_t
nodes_most(const struct pp_estimate_opts *opts)
{
	return opts->max_nodes ? opts->max_nodes : PP_ESTIMATE_NODES;
}

/* ---- as a profile ----------------------------------------------------------------------- */

/* Numbers the cycles by their first function. */
static bool
cycles_number(struct pp_derive *d, const struct pp_call_graph *g, uint32_t *cycles)
{
	uint32_t *number = calloc((size_t)g->components + 1, sizeof *number), f, component;
	bool fine = number != NULL;

	*cycles = 0;
	d->to->derived.cycles.n = 0;
	for (f = 0; fine && f < g->n; f++) {
		component = g->component[f];
		if (f && g->members[component] > 1 && !number[component])
			number[component] = ++*cycles;
		fine = pp_vec_push(&d->to->derived.cycles, f ? number[component] : 0);
	}
	free(number);
	return fine;
}

/* The costs of a node as the next row of a series, unless there are none; false when out of memory. */
static bool
row_add(const struct pp_stacks *e, struct pp_series *s, pp_node node)
{
	struct pp_values row = pp_ledger_row(&e->cells, node);
	int64_t *cells = s->wide ? NULL : s->cells + (size_t)s->rows * s->stride;
	bool any = false;
	size_t i;

	for (i = 0; i < row.n; i++) {
		uint32_t m = pp_values_metric(&row, i);
		int64_t cell = pp_stacks_cell(e, m, row.at[i].i), *to = cells ? &cells[m] : NULL;

		if (s->wide && row.at[i].i) {
			if (!any && !pp_wide_push(s->wide))
				return false;
			to = pp_wide_at(s->wide, s->rows, m);
			if (!to)
				return false;
		}
		if (to)
			*to = cell;
		any |= row.at[i].i != 0;
	}
	s->node_of[s->rows] = node;
	s->rows += any;
	return true;
}

/* The rows of one run as those of a series. */
static pp_status
series_fill(const struct pp_stacks *e, struct pp_series *s)
{
	size_t nodes = e->tree.n, metrics = e->p->metrics.n;
	bool wide = metrics > PP_FEW_COLUMNS, fine;
	pp_node n;

	s->dense = s->has_calls = s->measured = false;
	s->stride = (uint32_t)metrics;
	s->cells = wide ? NULL : calloc((nodes + 1) * metrics, sizeof *s->cells);
	s->wide = wide ? pp_wide_new(sizeof *s->cells, 0) : NULL;
	s->node_of = malloc((nodes + 1) * sizeof *s->node_of);
	fine = (s->cells || s->wide) && s->node_of;
	for (n = 1; fine && n < nodes; n++)
		fine = row_add(e, s, n);
	s->rows_cap = (uint32_t)nodes + 1;
	return fine ? PP_OK : PP_E_NOMEM;
}

/* The function that a frame of the estimate shows; 0 when out of memory. */
static pp_func
func_of(const struct pp_stacks *e, struct pp_derive *d, pp_frame of, bool anew)
{
	struct pp_func_row row;

	if (of == e->pruned_frame || of == e->nowhere_frame)
		return pp_derive_func(
		    d, pp_slice_z(of == e->pruned_frame ? pruned_name : nowhere_name), 0, 0);
	if (!anew)
		return of;
	row = d->from->funcs.at[of];
	row.same = (pp_func)d->to->funcs.n;
	return pp_vec_push(&d->to->funcs, row) ? row.same : 0;
}

/* Frames are functions so far: gives the profile one frame, or a function too, for each that is used. */
static bool
frames_add(struct pp_stacks *e, struct pp_derive *d)
{
	pp_frame *frame_of = calloc(d->from->funcs.n + 2, sizeof *frame_of);
	bool anew = d->to->funcs.n == 0, fine = frame_of != NULL;
	pp_node node;

	if (anew)
		fine = fine && pp_vec_push(&d->to->funcs, (struct pp_func_row){ 0 }) &&
		       pp_vec_push(&d->to->frames, (struct pp_frame_row){ 0 });
	for (node = 1; fine && node < e->tree.n; node++) {
		pp_frame of = pp_tree_frame(&e->tree, node);
		struct pp_frame_row row = { 0 };

		if (!frame_of[of]) {
			row.func = func_of(e, d, of, anew);
			frame_of[of] = (pp_frame)d->to->frames.n;
			fine = row.func && pp_vec_push(&d->to->frames, row);
		}
		e->tree.key[node] = (uint64_t)pp_tree_parent(&e->tree, node) << 32 | frame_of[of];
	}
	free(frame_of);
	return fine;
}

static void
tree_take(struct pp_stacks *e, struct pp_derive *d)
{
	pp_tree_release(&d->to->tree);
	d->to->tree = e->tree;
	e->tree = (struct pp_tree){ 0 };
	pp_tree_seal(&d->to->tree);
	d->to->facets |= PP_TREE;
	d->to->estimated = true;
}

/* Estimates thread by thread. */
static pp_status
series_estimate(struct pp_stacks *e, struct pp_derive *d)
{
	struct pp_series plain = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t left = nodes_most(&e->opts), before;
	pp_status status = PP_OK;
	size_t i, n;

	if (d->to->series.n == 0 && !pp_vec_push(&d->to->series, plain))
		return PP_E_NOMEM;
	n = d->to->series.n;
	for (i = 0; i < n && status == PP_OK; i++) {
		before = e->tree.n;
		status = pp_stacks_run(e, n > 1 ? i : PP_ALL_SERIES, left / (uint32_t)(n - i) + 1);
		left -= e->tree.n - before < left ? e->tree.n - before : left;
		if (status == PP_OK)
			status = series_fill(e, &d->to->series.at[i]);
	}
	return status;
}

/* The cycles are those of all threads together. */
static bool
cycles_find(const struct pp_stacks *e, struct pp_derive *d, uint32_t *cycles)
{
	struct pp_call_graph all;
	bool fine;

	if (d->from->series.n <= 1 || d->to->series.n <= 1)
		return cycles_number(d, &e->g, cycles);
	if (!pp_call_graph_init(&all, d->from, PP_ALL_SERIES))
		return false;
	fine = cycles_number(d, &all, cycles);
	pp_call_graph_release(&all);
	return fine;
}

/* The rest of a profile that was started. */
static pp_status
estimate_fill(struct pp_derive *d, const struct pp_estimate_opts *opts, struct pp_estimate *out,
              struct pp_profile **profile)
{
	struct pp_stacks e;
	pp_status status = pp_stacks_init(&e, d->from, opts);

	*out = (struct pp_estimate){ 0 };
	if (status == PP_OK)
		status = series_estimate(&e, d);
	/* Functions that are listed anew have other numbers. */
	if (status == PP_OK && d->to->funcs.n && !cycles_find(&e, d, &out->cycles))
		status = PP_E_NOMEM;
	if (status == PP_OK && !frames_add(&e, d))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		if (opts->bounds)
			find_widest(&e, out);
		shares_tell(&e, out);
		tree_take(&e, d);
	}
	pp_stacks_release(&e);
	return pp_derive_finish(d, status, profile);
}

/* What stacks alone share. */
enum { SHARED = PP_COLUMN_STRINGS | PP_COLUMN_METRICS | PP_COLUMN_MODULES };

pp_status
pp_estimate_derive(const struct pp_profile *p, const struct pp_estimate_opts *opts,
                   struct pp_estimate *out, struct pp_profile **profile)
{
	const unsigned copied = PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES |
	                        PP_COLUMN_DERIVED;
	struct pp_derive d;

	*profile = NULL;
	if ((uint64_t)p->series.n * p->funcs.n > MOST_VISITS)
		return PP_E_LIMIT;
	if (!pp_derive_init(&d, p, copied, PP_COLUMN_ROWS | PP_COLUMN_TREE))
		return PP_E_NOMEM;
	return estimate_fill(&d, opts, out, profile);
}

pp_status
pp_estimate_stacks(const struct pp_profile *p, const struct pp_estimate_opts *opts,
                   struct pp_estimate *out, struct pp_profile **profile)
{
	struct pp_estimate_opts all = *opts;
	struct pp_derive d;

	*profile = NULL;
	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS, PP_COLUMNS - SHARED))
		return PP_E_NOMEM;
	pp_profile_forget_stated(d.to);
	pp_derive_forget_origin(&d);
	all.max_nodes = nodes_most(opts) - 1; /* threads, of which there is one, get one more */
	return estimate_fill(&d, &all, out, profile);
}
