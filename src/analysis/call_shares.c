/*
 * The costs of single calls as callers and callees show them.
 */
#include "analysis/call_shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/stops.h"
#include "model/call_graph.h"

/* Sums of doubles that differ by less are equal. */
#define ROUNDING 1e-9

/* How a call stands to the function whose callers or callees it is one of. */
enum kind {
	OUTER,  /* the other end is in no cycle with it */
	INNER,  /* it is */
	ITSELF, /* it is the function */
	UNKNOWN /* from outside of all functions, at a cost that the file does not state */
};
#define KINDS (UNKNOWN + 1)

struct sharing {
	const struct pp_profile *p;
	const struct pp_flat *flat;
	enum pp_calls_side side;
	struct pp_call_shares *out;
	struct pp_call_graph graph;
	size_t *row_of;      /* by function: its row of `flat` + 1 */
	unsigned char *kind; /* by place in out->row */
	bool *stated;        /* by metric */
	bool has_pairs;      /* the tree tells what calls within a cycle cost */
	struct pp_call_pairs pairs;
	union pp_value **pair_cost; /* by metric, then pair */
	/* By component: calls from outside at an unknown cost, and what they cost together. */
	uint64_t *unknown_calls;
	struct pp_ledger unknown;
	/* The calls of the function at hand. */
	pp_func func;
	size_t from, to;
	uint64_t calls[KINDS];
	union pp_value *sum; /* [kind * metrics + metric] */
};

/* ---- values ----------------------------------------------------------------------------- */

/* a - b, where the rounding of doubles is nothing. */
static union pp_value
value_less(const struct pp_metric *m, union pp_value a, union pp_value b)
{
	double most = m->type == PP_REAL ? fmax(fabs(a.d), fabs(b.d)) : 0;

	pp_value_sub(m, &a, b);
	if (m->type == PP_REAL && fabs(a.d) <= ROUNDING * most)
		a.d = 0;
	return a;
}

static bool
is_less(const struct pp_metric *m, union pp_value a, union pp_value b)
{
	return pp_value_cmp(m, value_less(m, a, b), pp_value_zero(m)) < 0;
}

/* The part of a value that `at` is of `of`; all of it at the end, so that parts add up. */
static union pp_value
value_part(const struct pp_metric *m, union pp_value v, union pp_value at, union pp_value of)
{
	const pp_i128 exact = (pp_i128)1 << 62;

	if (pp_value_cmp(m, at, of) == 0)
		return v;
	if (m->type == PP_REAL)
		v.d *= at.d / of.d;
	else if (v.i < exact && v.i > -exact && of.i < exact)
		v.i = v.i * at.i / of.i;
	else
		v.i = (pp_i128)((long double)v.i * ((long double)at.i / (long double)of.i));
	return v;
}

static union pp_value
value_of_count(const struct pp_metric *m, uint64_t count)
{
	union pp_value v;

	if (m->type == PP_REAL)
		v.d = (double)count;
	else
		v.i = (pp_i128)count;
	return v;
}

static union pp_value
value_size(const struct pp_metric *m, union pp_value v)
{
	union pp_value zero = pp_value_zero(m), size = zero;

	if (pp_value_cmp(m, v, zero) >= 0)
		return v;
	pp_value_sub(m, &size, v);
	return size;
}

/* ---- calls ------------------------------------------------------------------------------ */

static pp_func
caller_of(const struct pp_profile *p, size_t row)
{
	return p->funcs.at[p->calls.rows.at[row].caller].same;
}

static pp_func
callee_of(const struct pp_profile *p, size_t row)
{
	return p->funcs.at[p->calls.rows.at[row].callee].same;
}

static pp_func
anchor_of(const struct sharing *s, size_t row)
{
	return s->side == PP_CALLERS ? callee_of(s->p, row) : caller_of(s->p, row);
}

static pp_func
other_of(const struct sharing *s, size_t row)
{
	return s->side == PP_CALLERS ? caller_of(s->p, row) : callee_of(s->p, row);
}

bool *
pp_call_metrics_stated(const struct pp_profile *p)
{
	bool *stated = calloc(p->metrics.n + 1, sizeof *stated);
	size_t i, k;

	for (i = 0; stated && i < p->calls.rows.n && !pp_account_stops_at(i); i++) {
		struct pp_cells cells = pp_edge_costs(p, i);

		for (k = 0; k < cells.n; k++)
			stated[pp_cells_column(&cells, k)] |= cells.at[k] != 0;
	}
	return stated;
}

static bool
costs_nothing(const struct pp_profile *p, size_t row)
{
	struct pp_cells cells = pp_edge_costs(p, row);
	size_t k;

	for (k = 0; k < cells.n; k++)
		if (cells.at[k])
			return false;
	return true;
}

static enum kind
kind_of(const struct sharing *s, size_t row)
{
	pp_func caller = caller_of(s->p, row), callee = callee_of(s->p, row);

	if (caller == callee)
		return ITSELF;
	if (!caller)
		return costs_nothing(s->p, row) ? UNKNOWN : OUTER;
	return s->graph.component[caller] == s->graph.component[callee] ? INNER : OUTER;
}

static int
compare_rows(const void *left, const void *right, void *sharing)
{
	const struct sharing *s = sharing;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	pp_func anchor_a = anchor_of(s, a), anchor_b = anchor_of(s, b);
	pp_func other_a = other_of(s, a), other_b = other_of(s, b);

	if (anchor_a != anchor_b)
		return anchor_a < anchor_b ? -1 : 1;
	if (other_a != other_b)
		return other_a < other_b ? -1 : 1;
	return (a > b) - (a < b);
}

/* Lists the rows, those of a pair together, with the costs that are stated. */
static bool
rows_list(struct sharing *s, pp_func only)
{
	struct pp_call_shares *out = s->out;
	size_t n = s->p->calls.rows.n, i;

	out->row = malloc((n + 1) * sizeof *out->row);
	for (i = 0; out->row && i < n && !pp_account_stops_at(i); i++)
		if (only ? anchor_of(s, i) == only : anchor_of(s, i) != 0)
			out->row[out->n++] = (uint32_t)i;
	if (!out->row || pp_account_stops() || !pp_ledger_init(&out->cost, s->p, out->n + 1))
		return false;
	if (out->n > 1)
		pp_sort(out->row, out->n, sizeof *out->row, compare_rows, s);
	s->kind = malloc(out->n + 1);
	for (i = 0; s->kind && i < out->n && !pp_account_stops_at(i); i++) {
		s->kind[i] = (unsigned char)kind_of(s, out->row[i]);
		pp_ledger_add_cells(&out->cost, i, pp_edge_costs(s->p, out->row[i]));
	}
	return s->kind && !pp_account_stops() && !out->cost.failed;
}

/* ---- calls from outside at an unknown cost ---------------------------------------------- */

/* Counts the calls from outside that enter cycles at an unknown cost; whether there are any. */
static bool
unknown_count(struct sharing *s)
{
	bool any = false;
	size_t i;

	for (i = 0; i < s->p->calls.rows.n && !pp_account_stops_at(i); i++) {
		uint32_t component = s->graph.component[callee_of(s->p, i)];

		if (s->graph.members[component] < 2 || kind_of(s, i) != UNKNOWN)
			continue;
		pp_count_add(&s->unknown_calls[component], (uint64_t)pp_edge_cell(s->p, i, 0));
		any = true;
	}
	return any;
}

/* Their cost: the members of a cycle and the calls that leave it, minus the calls that enter it. */
static bool
unknown_find(struct sharing *s)
{
	const uint32_t *component = s->graph.component;
	size_t i, m;

	s->unknown_calls = calloc((size_t)s->graph.components + 1, sizeof *s->unknown_calls);
	if (!s->unknown_calls)
		return false;
	if (s->side != PP_CALLERS || !unknown_count(s))
		return true;
	if (!pp_ledger_init(&s->unknown, s->p, (size_t)s->graph.components + 1))
		return false;
	for (i = 0; i < s->flat->n && !pp_account_stops_at(i); i++)
		for (m = 0; s->unknown_calls[component[s->flat->func[i]]] && m < s->p->metrics.n;
		     m++)
			pp_ledger_add(&s->unknown, component[s->flat->func[i]], m,
			              pp_flat_get(s->flat, i, m).own);
	for (i = 0; i < s->p->calls.rows.n && !pp_account_stops_at(i); i++) {
		pp_func caller = caller_of(s->p, i);
		uint32_t from = component[caller], to = component[callee_of(s->p, i)];

		if (caller && from == to)
			continue;
		if (caller && s->unknown_calls[from])
			pp_ledger_add_cells(&s->unknown, from, pp_edge_costs(s->p, i));
		if (s->unknown_calls[to])
			pp_ledger_sub_cells(&s->unknown, to, pp_edge_costs(s->p, i));
	}
	return !s->unknown.failed && !pp_account_stops();
}

/* The cost left for calls within the cycle after the calls from outside took theirs. */
static union pp_value
left_for_cycle(const struct sharing *s, size_t metric, union pp_value left)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	uint32_t component = s->graph.component[s->func];
	uint64_t all = s->unknown_calls[component];
	union pp_value outside;

	if (s->side != PP_CALLERS || !s->calls[UNKNOWN] || !all)
		return left;
	outside = value_part(m, pp_ledger_get(&s->unknown, component, metric),
	                     value_of_count(m, s->calls[UNKNOWN]), value_of_count(m, all));
	if (pp_value_cmp(m, outside, pp_value_zero(m)) < 0)
		return left;
	return is_less(m, left, outside) ? pp_value_zero(m) : value_less(m, left, outside);
}

/* ---- sharing ---------------------------------------------------------------------------- */

static union pp_value
weight_of(const struct sharing *s, size_t place, size_t metric, bool by_calls)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	size_t row = s->out->row[place];

	if (by_calls) {
		uint64_t calls = (uint64_t)pp_edge_cell(s->p, row, 0);

		return value_of_count(m, calls ? calls : 1);
	}
	return value_size(m, pp_cell_value(m, pp_edge_cell(s->p, row, 1 + metric)));
}

static union pp_value
weights_add(const struct sharing *s, size_t from, size_t to, size_t metric, enum kind kind,
            bool by_calls)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	union pp_value all = pp_value_zero(m);
	size_t i;

	for (i = from; i < to; i++)
		if (s->kind[i] == kind)
			pp_value_add(m, &all, weight_of(s, i, metric, by_calls));
	return all;
}

/* Shares a sum among the calls of a kind at some places: by what they are stated to cost, else by how many they are. */
static void
sum_share(struct sharing *s, size_t from, size_t to, size_t metric, enum kind kind,
          union pp_value sum)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	union pp_value all = weights_add(s, from, to, metric, kind, false);
	union pp_value at = pp_value_zero(m), before = at;
	bool by_calls = pp_value_is_zero(m, all);
	size_t i;

	if (by_calls && pp_value_is_zero(m, sum))
		return;
	if (by_calls)
		all = weights_add(s, from, to, metric, kind, true);
	for (i = from; i < to; i++) {
		union pp_value now, *cost;

		if (s->kind[i] != kind)
			continue;
		pp_value_add(m, &at, weight_of(s, i, metric, by_calls));
		now = value_part(m, sum, at, all);
		cost = pp_ledger_at(&s->out->cost, i, metric);
		if (!cost)
			return;
		*cost = value_less(m, now, before);
		before = now;
	}
}

/* The place after the calls between the same two functions. */
static size_t
pair_end(const struct sharing *s, size_t from)
{
	size_t to = from + 1;

	while (to < s->to && other_of(s, s->out->row[to]) == other_of(s, s->out->row[from]))
		to++;
	return to;
}

/* Gives the calls within a cycle what the tree says, pair by pair. */
static void
pairs_share(struct sharing *s, size_t metric)
{
	size_t from, to;

	for (from = s->from; from < s->to; from = to) {
		size_t row = s->out->row[from];
		uint32_t pair = pp_call_pairs_find(&s->pairs, caller_of(s->p, row),
		                                   callee_of(s->p, row));

		to = pair_end(s, from);
		if (s->kind[from] == INNER)
			sum_share(s, from, to, metric, INNER,
			          pair == PP_MAP_NONE ? pp_value_zero(&s->p->metrics.at[metric])
			                              : s->pair_cost[metric][pair]);
	}
}

/* Gives the calls within a cycle their part of what is left. */
static void
cycle_share(struct sharing *s, size_t metric, union pp_value left)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	union pp_value inner = s->sum[INNER * s->p->metrics.n + metric];

	if (!s->calls[INNER])
		return;
	if (s->has_pairs) {
		pairs_share(s, metric);
		return;
	}
	left = left_for_cycle(s, metric, left);
	/* A call never costs more than it is stated to; callees share all that is left. */
	if (s->side == PP_CALLEES || (m->flags & PP_METRIC_SIGNED) || is_less(m, left, inner))
		sum_share(s, s->from, s->to, metric, INNER, left);
}

/*
 * No call within a cycle, or into one, costs more than the function at its other end: the rest is that of other members.
 * Nor does any call cost more than its callee, as a file may state of one that never returned.
 */
static void
cost_limit(struct sharing *s, size_t metric)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	size_t from, to, i;

	for (from = s->from; from < s->to; from = to) {
		pp_func other = other_of(s, s->out->row[from]);
		union pp_value sum = pp_value_zero(m), most;

		to = pair_end(s, from);
		if (!s->row_of[other] || s->kind[from] == ITSELF ||
		    (s->side == PP_CALLERS && s->graph.members[s->graph.component[other]] < 2))
			continue;
		most = pp_flat_get(s->flat, s->row_of[other] - 1, metric).total;
		for (i = from; i < to; i++)
			pp_value_add(m, &sum, pp_ledger_get(&s->out->cost, i, metric));
		if (!is_less(m, most, sum))
			continue;
		sum_share(s, from, to, metric, s->kind[from], most);
		if (s->out->rest)
			pp_value_add(m, &s->out->rest[metric], value_less(m, sum, most));
	}
}

/* Sets the costs of one metric of the function's calls. */
static void
metric_share(struct sharing *s, size_t metric)
{
	const struct pp_metric *m = &s->p->metrics.at[metric];
	const union pp_value *sum = s->sum + metric;
	size_t n = s->p->metrics.n;
	struct pp_cost_pair cost = pp_flat_get(s->flat, s->row_of[s->func] - 1, metric);
	union pp_value given = s->side == PP_CALLERS ? cost.total
	                                             : value_less(m, cost.total, cost.own);
	union pp_value left = value_less(m, given, sum[OUTER * n]), zero = pp_value_zero(m);

	/* Files of outermost calls add up, perhaps with those of a function by itself. */
	if (pp_value_is_zero(m, value_less(m, left, sum[INNER * n]))) {
		sum_share(s, s->from, s->to, metric, ITSELF, zero);
		return;
	}
	if (pp_value_is_zero(m,
	                     value_less(m, value_less(m, left, sum[INNER * n]), sum[ITSELF * n])))
		return;
	sum_share(s, s->from, s->to, metric, ITSELF, zero);
	if (m->flags & PP_METRIC_SIGNED) {
		cycle_share(s, metric, left);
		return;
	}
	/* Callees may be measured with more rounding than the function. */
	if (is_less(m, s->side == PP_CALLERS ? given : cost.total, sum[OUTER * n]))
		sum_share(s, s->from, s->to, metric, OUTER, given);
	cycle_share(s, metric, pp_value_cmp(m, left, zero) < 0 ? zero : left);
}

/* Sets the costs of the calls of one function. */
static void
function_share(struct sharing *s)
{
	size_t n = s->p->metrics.n, i, k, m;

	for (k = 0; k < KINDS; k++)
		s->calls[k] = 0;
	for (i = 0; i < KINDS * n; i++)
		s->sum[i] = pp_value_zero(&s->p->metrics.at[i % n]);
	for (i = s->from; i < s->to; i++) {
		struct pp_cells cells = pp_edge_costs(s->p, s->out->row[i]);
		uint64_t calls = (uint64_t)pp_edge_cell(s->p, s->out->row[i], 0);

		pp_count_add(&s->calls[s->kind[i]], calls ? calls : 1);
		for (k = 0; k < cells.n; k++) {
			m = pp_cells_column(&cells, k);
			pp_value_add(&s->p->metrics.at[m], &s->sum[s->kind[i] * n + m],
			             pp_cell_value(&s->p->metrics.at[m], cells.at[k]));
		}
	}
	for (m = 0; m < n; m++) {
		if (s->stated[m])
			metric_share(s, m);
		if (s->stated[m] && !(s->p->metrics.at[m].flags & PP_METRIC_SIGNED) &&
		    !s->has_pairs)
			cost_limit(s, m);
	}
}

static bool
pairs_find(struct sharing *s, pp_func only)
{
	size_t m;

	s->has_pairs = pp_tree_has_calls(s->p) && s->p->metrics.n <= PP_FEW_COLUMNS;
	if (!s->has_pairs)
		return true;
	s->pair_cost = calloc(s->p->metrics.n + 1, sizeof *s->pair_cost);
	if (!s->pair_cost || !pp_call_pairs_init(&s->pairs, s->p, s->side, only))
		return false;
	for (m = 0; m < s->p->metrics.n; m++)
		if (!(s->pair_cost[m] = pp_call_pairs_cost(&s->pairs, m)))
			return false;
	return true;
}

/* Whether any call is within a cycle, so that it matters what the tree says. */
static bool
has_inner(const struct sharing *s)
{
	size_t i;

	for (i = 0; i < s->out->n; i++)
		if (s->kind[i] == INNER)
			return true;
	return false;
}

static bool
sharing_init(struct sharing *s, pp_func only)
{
	size_t i;

	if (!pp_call_graph_init(&s->graph, s->p, PP_ALL_SERIES))
		return false;
	s->row_of = calloc(s->p->funcs.n + 1, sizeof *s->row_of);
	s->sum = calloc(KINDS * (s->p->metrics.n + 1), sizeof *s->sum);
	s->stated = pp_call_metrics_stated(s->p);
	if (!s->row_of || !s->sum || !s->stated)
		return false;
	for (i = 0; i < s->flat->n; i++)
		s->row_of[s->flat->func[i]] = i + 1;
	s->out->rest = only ? calloc(s->p->metrics.n + 1, sizeof *s->out->rest) : NULL;
	if (only && !s->out->rest)
		return false;
	return rows_list(s, only) && unknown_find(s) && (!has_inner(s) || pairs_find(s, only));
}

static void
sharing_release(struct sharing *s)
{
	size_t m;

	for (m = 0; s->pair_cost && m < s->p->metrics.n; m++)
		free(s->pair_cost[m]);
	free(s->pair_cost);
	pp_call_pairs_release(&s->pairs);
	pp_call_graph_release(&s->graph);
	pp_ledger_release(&s->unknown);
	free(s->unknown_calls);
	free(s->row_of);
	free(s->sum);
	free(s->stated);
	free(s->kind);
}

bool
pp_call_shares_init(struct pp_call_shares *out, const struct pp_profile *p,
                    const struct pp_flat *flat, enum pp_calls_side side, pp_func only)
{
	struct sharing s = { .p = p, .flat = flat, .side = side, .out = out };
	bool fine;

	*out = (struct pp_call_shares){ 0 };
	fine = sharing_init(&s, only);
	for (s.from = 0; fine && s.from < out->n; s.from = s.to) {
		s.func = anchor_of(&s, out->row[s.from]);
		for (s.to = s.from + 1; s.to < out->n; s.to++)
			if (anchor_of(&s, out->row[s.to]) != s.func)
				break;
		/* The profile does not list this caller. */
		if (s.row_of[s.func])
			function_share(&s);
		fine = !out->cost.failed && !pp_account_stops();
	}
	sharing_release(&s);
	if (!fine)
		pp_call_shares_release(out);
	return fine;
}

void
pp_call_shares_release(struct pp_call_shares *x)
{
	free(x->row);
	free(x->rest);
	pp_ledger_release(&x->cost);
	*x = (struct pp_call_shares){ 0 };
}

bool
pp_call_shares_by_row(struct pp_ledger *by_row, const struct pp_profile *p,
                      const struct pp_flat *flat, enum pp_calls_side side)
{
	struct pp_call_shares shares;
	bool fine = pp_ledger_init(by_row, p, p->calls.rows.n + 1) &&
	            pp_call_shares_init(&shares, p, flat, side, 0);
	size_t i;

	for (i = 0; fine && i < shares.n && !pp_account_stops_at(i); i++)
		pp_ledger_add_values(by_row, shares.row[i], pp_ledger_row(&shares.cost, i));
	if (fine)
		pp_call_shares_release(&shares);
	fine = fine && !by_row->failed && !pp_account_stops();
	if (!fine)
		pp_ledger_release(by_row);
	return fine;
}
