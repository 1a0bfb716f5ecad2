/*
 * Facts about calls: who calls much more often than it is called, and what calls itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/call_shares.h"
#include "base/hash.h"
#include "base/id_table.h"
#include "base/stops.h"
#include "formats/format.h"
#include "model/scc.h"
#include "questions/facts.h"

#define CALLS_LEAST 10
#define CALLS_TIMES 10
#define EDGE_LEAST 0.05
#define RECURSION_LEAST 0.05
#define CYCLE_SHOWN 5

/* A call as a node of the tree or the file states it; one pair of functions may have many. */
struct link {
	pp_func caller, callee;
};

/* A pair of caller and callee that may cost enough to be spoken of, over all places. */
struct edge {
	pp_func caller, callee;
	uint64_t calls;
	double total;
};

struct graph {
	PP_VEC(struct link) links;
	PP_VEC(struct edge) edges;
	struct pp_map known; /* caller << 32 | callee -> edge */
	double *most;        /* by function: what calls of it cost, without those that give back */
	bool *itself;        /* by function: it calls itself */
	uint32_t *deepest;   /* by function: how often it stood on one stack, at most */
	uint32_t *component; /* by function */
	uint32_t *members;   /* by component */
	bool has_calls, stacks;
	bool failed;
};

/* Learns of a call before edges are made. */
static void
link_add(struct graph *g, pp_func caller, pp_func callee, double total)
{
	g->most[callee] += total > 0 ? total : 0;
	g->itself[callee] |= caller == callee;
	if (caller && caller != callee)
		g->failed |= !pp_vec_push(&g->links, (struct link){ caller, callee });
}

/* Adds to the edge of a call, if calls of the function can matter at all. */
static void
edge_add(struct graph *g, const struct pp_facts *f, struct link link, uint64_t calls, double total)
{
	uint64_t key = (uint64_t)link.caller << 32 | link.callee;
	uint32_t found;

	if (!link.caller || link.caller == link.callee ||
	    g->most[link.callee] < EDGE_LEAST * f->whole)
		return;
	found = pp_map_get(&g->known, key);
	if (found == PP_MAP_NONE) {
		found = (uint32_t)g->edges.n;
		if (!pp_vec_push(&g->edges, (struct edge){ link.caller, link.callee, 0, 0 }) ||
		    !pp_map_set(&g->known, key, found)) {
			g->failed = true;
			return;
		}
	}
	pp_count_add(&g->edges.at[found].calls, calls);
	g->edges.at[found].total += total;
}

/* ---- out of the calls that the file states ---- */

static struct link
stated_link(const struct pp_profile *p, size_t row)
{
	return (struct link){ p->funcs.at[p->calls.rows.at[row].caller].same,
		              p->funcs.at[p->calls.rows.at[row].callee].same };
}

static double
stated_total(const struct pp_facts *f, const struct pp_call_shares *shares, size_t place)
{
	return pp_value_double(&f->profile->metrics.at[f->metric],
	                       pp_ledger_get(&shares->cost, place, f->metric));
}

static void
stated_add(struct graph *g, const struct pp_facts *f)
{
	const struct pp_profile *p = f->profile;
	struct pp_call_shares shares;
	size_t i;

	g->has_calls = pp_calls_counted(p);
	g->failed |= !pp_call_shares_init(&shares, p, &f->flat, PP_CALLERS, 0);
	for (i = 0; i < shares.n && !g->failed; i++) {
		struct link link = stated_link(p, shares.row[i]);

		link_add(g, link.caller, link.callee, stated_total(f, &shares, i));
		g->failed |= pp_account_stops_at(i);
	}
	for (i = 0; g->has_calls && i < shares.n && !g->failed; i++) {
		edge_add(g, f, stated_link(p, shares.row[i]),
		         (uint64_t)pp_edge_cell(p, shares.row[i], 0), stated_total(f, &shares, i));
		g->failed |= pp_account_stops_at(i);
	}
	pp_call_shares_release(&shares);
}

/* ---- out of the tree ---- */

/* Which functions stand on the stack of the node that a walk has come to. */
struct on_stack {
	uint32_t *count; /* by function */
	PP_VEC(uint32_t) nodes;
};

/* Comes to a node; whether its function does not stand above it. */
static bool
node_enter(struct graph *g, const struct pp_numbering *t, struct on_stack *on, uint32_t node)
{
	pp_func func = t->func[node];

	while (on->nodes.n && t->end[on->nodes.at[on->nodes.n - 1]] <= node)
		on->count[t->func[on->nodes.at[--on->nodes.n]]]--;
	if (++on->count[func] > g->deepest[func])
		g->deepest[func] = on->count[func];
	g->failed |= !pp_vec_push(&on->nodes, node);
	return on->count[func] == 1;
}

static void
tree_add(struct graph *g, const struct pp_facts *f)
{
	const struct pp_metric *m = &f->profile->metrics.at[f->metric];
	const struct pp_numbering *t = f->tree;
	bool primary = f->metric == pp_profile_primary(f->profile), first;
	union pp_value *own = primary ? NULL : pp_numbering_totals(t, f->metric);
	const union pp_value *totals = primary ? t->total : own;
	struct on_stack on = { .count = calloc(f->profile->funcs.n + 1, sizeof *on.count) };
	uint32_t node;

	g->has_calls = t->calls != NULL;
	g->stacks = true;
	g->failed |= !totals || !on.count;
	for (node = 1; !g->failed && node < t->n; node++) {
		link_add(g, t->func[t->parent[node]], t->func[node],
		         pp_value_double(m, totals[node]));
		g->failed |= pp_account_stops_at(node);
	}
	for (node = 1; !g->failed && node < t->n; node++) {
		g->failed |= pp_account_stops_at(node);
		first = node_enter(g, t, &on, node);
		if (g->has_calls)
			edge_add(g, f, (struct link){ t->func[t->parent[node]], t->func[node] },
			         t->calls[node], first ? pp_value_double(m, totals[node]) : 0);
	}
	free(own);
	free(on.count);
	pp_vec_release(&on.nodes);
}

/* ---- cycles ---- */

static void
cycles_find(struct graph *g, size_t funcs)
{
	size_t *first = calloc(funcs + 2, sizeof *first), i;
	uint32_t *to = calloc(g->links.n + 1, sizeof *to), count = 0;

	g->component = calloc(funcs + 1, sizeof *g->component);
	g->members = calloc(funcs + 1, sizeof *g->members);
	g->failed |= !first || !to || !g->component || !g->members;
	for (i = 0; !g->failed && i < g->links.n && !pp_account_stops_at(i); i++)
		first[g->links.at[i].caller + 2]++;
	for (i = 2; !g->failed && i < funcs + 2; i++)
		first[i] += first[i - 1];
	for (i = 0; !g->failed && i < g->links.n && !pp_account_stops_at(i); i++)
		to[first[g->links.at[i].caller + 1]++] = g->links.at[i].callee;
	g->failed = g->failed || pp_account_stops() ||
	            !pp_scc_compute((uint32_t)funcs, first, to, g->component, &count);
	for (i = 0; !g->failed && i < funcs; i++)
		g->members[g->component[i]]++;
	free(first);
	free(to);
}

/* ---- facts ---- */

static void
per_call_find(struct pp_facts *f, const struct graph *g, const size_t *row_of)
{
	size_t i;

	for (i = 0; i < g->edges.n; i++) {
		const struct edge *e = &g->edges.at[i];
		size_t row = row_of[e->caller];
		/* Who runs without having been called runs once. */
		uint64_t calls = row < f->flat.n && f->flat.calls[row] ? f->flat.calls[row] : 1;
		struct pp_stating s;
		char text[16];

		if (e->calls < CALLS_LEAST || e->calls / CALLS_TIMES < calls ||
		    e->total < EDGE_LEAST * f->whole)
			continue;
		snprintf(text, sizeof text, "f%u", pp_handles_rank(f->handles, e->caller));
		pp_fact_begin(&s, f);
		pp_fact_function(&s.row, f, "caller", "caller_name", e->caller);
		pp_fact_function(&s.row, f, "callee", "callee_name", e->callee);
		pp_row_key(&s.row, "calls");
		pp_row_count(&s.row, e->calls);
		pp_row_key(&s.row, "per_call");
		pp_row_real(&s.row, (double)e->calls / (double)calls, 2);
		pp_fact_say(&s, "each call of ");
		pp_fact_say_function(&s, f->profile, e->caller);
		pp_fact_say(&s, " calls ");
		pp_fact_say_function(&s, f->profile, e->callee);
		pp_fact_say(&s, " ");
		pp_fact_say_real(&s, (double)e->calls / (double)calls);
		pp_fact_say(&s, " times, ");
		pp_fact_say_count(&s, e->calls, "call in all", "calls in all");
		pp_fact_end(&s, "calls-per-call", e->total / f->whole,
		            pp_handles_rank(f->handles, e->callee), "callees", "function", text);
	}
}

/* How deep a function stood below itself: by stacks, or by the file's word. */
static uint64_t
depth_of(const struct pp_facts *f, const struct graph *g, size_t row)
{
	pp_func func = f->flat.func[row];

	if (g->stacks)
		return g->deepest[func];
	return f->flat.fact && f->flat.fact[row].func ? f->flat.fact[row].recursion : 0;
}

static void
cycle_add(struct pp_stating *s, const struct pp_facts *f, const struct graph *g, pp_func func)
{
	struct pp_row *r = &s->row;
	size_t row, n = 0;

	if (g->members[g->component[func]] < 2)
		return;
	pp_row_key(r, "cycle");
	pp_row_open(r, '[');
	for (row = 0; row < f->flat.n && n < CYCLE_SHOWN; row++)
		if (g->component[f->flat.func[row]] == g->component[func]) {
			pp_row_handle(r, 'f', pp_handles_rank(f->handles, f->flat.func[row]));
			pp_fact_say(s, n++ ? ", " : "; the cycle: ");
			pp_fact_say_function(s, f->profile, f->flat.func[row]);
		}
	pp_row_close(r, ']');
}

static void
recursion_find(struct pp_facts *f, struct graph *g)
{
	size_t row;

	/* Objects of a class that hold others of it are no recursion. */
	for (row = 0; row < f->flat.n && !pp_profile_holders(f->profile); row++) {
		pp_func func = f->flat.func[row];
		struct pp_stating s;
		uint32_t handle;
		uint64_t depth;
		char text[16];

		if (pp_facts_total(f, row) < RECURSION_LEAST * f->whole ||
		    !(g->itself[func] || g->deepest[func] > 1 ||
		      g->members[g->component[func]] > 1))
			continue;
		handle = pp_handles_rank(f->handles, func);
		depth = depth_of(f, g, row);
		snprintf(text, sizeof text, "f%u", handle);
		pp_fact_begin(&s, f);
		pp_fact_function(&s.row, f, "id", "name", func);
		pp_row_key(&s.row, "depth");
		if (depth)
			pp_row_count(&s.row, depth);
		else
			pp_row_null(&s.row);
		pp_fact_say_function(&s, f->profile, func);
		pp_fact_say(&s, " is recursive");
		if (depth) {
			pp_fact_say(&s, ", ");
			pp_fact_say_count(&s, depth, "level deep", "levels deep");
		}
		cycle_add(&s, f, g, func);
		pp_fact_end(&s, "recursion", pp_facts_total(f, row) / f->whole, handle, "callees",
		            "function", text);
	}
}

static bool
graph_init(struct graph *g, const struct pp_profile *p)
{
	size_t n = p->funcs.n + 1;

	*g = (struct graph){ .known = { .seed = p->strs.seed } };
	g->most = calloc(n, sizeof *g->most);
	g->itself = calloc(n, sizeof *g->itself);
	g->deepest = calloc(n, sizeof *g->deepest);
	return g->most && g->itself && g->deepest;
}

static void
graph_release(struct graph *g)
{
	free(g->most);
	free(g->itself);
	free(g->deepest);
	free(g->component);
	free(g->members);
	pp_vec_release(&g->links);
	pp_vec_release(&g->edges);
	pp_map_release(&g->known);
}

void
pp_facts_calls(struct pp_facts *f)
{
	size_t funcs = f->profile->funcs.n, row;
	size_t *row_of = calloc(funcs + 1, sizeof *row_of);
	struct graph g;

	g.failed = !graph_init(&g, f->profile) || !row_of;
	for (row = 0; row_of && row <= funcs; row++)
		row_of[row] = f->flat.n;
	for (row = 0; row_of && row < f->flat.n; row++)
		row_of[f->flat.func[row]] = row;
	if (!g.failed && f->tree->n > 1)
		tree_add(&g, f);
	else if (!g.failed)
		stated_add(&g, f);
	if (!g.failed)
		cycles_find(&g, funcs);
	if (!g.failed && g.has_calls)
		per_call_find(f, &g, row_of);
	if (!g.failed)
		recursion_find(f, &g);
	f->failed |= g.failed;
	free(row_of);
	graph_release(&g);
}
