/*
 * The call graph to be drawn.
 */
#include "analysis/call_net.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/call_shares.h"
#include "base/sort.h"
#include "model/inclusive.h"
#include "model/scc.h"

/* Edges are drawn from this part of the share on that functions are. */
#define EDGE_PART 0.2
#define NOT_REACHED UINT32_MAX

double
pp_net_value(const struct pp_net *net, union pp_value v)
{
	const struct pp_profile *p = net->profile;

	return net->metric < p->metrics.n ? pp_value_double(&p->metrics.at[net->metric], v) : 0;
}

size_t
pp_net_functions(const struct pp_net *net)
{
	size_t i, n = 0;

	for (i = 0; i < net->nodes.n; i++)
		n += !net->nodes.at[i].only_calls;
	return n;
}

void
pp_net_release(struct pp_net *net)
{
	pp_vec_release(&net->nodes);
	pp_vec_release(&net->edges);
}

/* ---- all of it ---- */

/* While it is built: the node of each function + 1, the edge of each pair. */
struct building {
	struct pp_net *net;
	uint32_t *node_of;
	struct pp_map edge_of;
	bool failed;
};

/* The node of a function, made when it has none: it costs nothing. */
static uint32_t
node_of(struct building *b, pp_func func)
{
	struct pp_net_node fresh = { .func = func, .only_calls = true };

	if (b->node_of[func] == 0) {
		if (b->net->nodes.n >= UINT32_MAX - 1 || !pp_vec_push(&b->net->nodes, fresh)) {
			b->failed = true;
			return 0;
		}
		b->node_of[func] = (uint32_t)b->net->nodes.n;
	}
	return b->node_of[func] - 1;
}

/* The edge of a pair, made when there is none; PP_MAP_NONE when out of memory. */
static uint32_t
edge_of(struct building *b, pp_func caller, pp_func callee)
{
	uint32_t from = node_of(b, caller), to = node_of(b, callee), edge;
	struct pp_net_edge fresh = { .from = from, .to = to };
	uint64_t key = (uint64_t)from << 32 | to;

	if (b->failed)
		return PP_MAP_NONE;
	edge = pp_map_get(&b->edge_of, key);
	if (edge != PP_MAP_NONE)
		return edge;
	b->failed = b->net->edges.n >= UINT32_MAX - 1 ||
	            !pp_map_set(&b->edge_of, key, (uint32_t)b->net->edges.n) ||
	            !pp_vec_push(&b->net->edges, fresh);
	return b->failed ? PP_MAP_NONE : (uint32_t)b->net->edges.n - 1;
}

static bool
nodes_take(struct building *b, const struct pp_flat *flat)
{
	struct pp_net *net = b->net;
	size_t row;

	if (net->metric < flat->metrics) {
		net->whole = flat->whole[net->metric];
		net->part_of = pp_flat_whole(flat, net->metric);
	}
	for (row = 0; row < flat->n && !b->failed; row++) {
		uint32_t node = node_of(b, flat->func[row]);

		if (b->failed)
			break;
		net->nodes.at[node].only_calls = false;
		net->nodes.at[node].calls = flat->calls[row];
		net->nodes.at[node].counted = pp_flat_calls_known(flat, row);
		if (net->metric < flat->metrics) {
			net->nodes.at[node].self = pp_flat_get(flat, row, net->metric).own;
			net->nodes.at[node].total = pp_flat_get(flat, row, net->metric).total;
			net->nodes.at[node].gained = pp_flat_gained(flat, row, net->metric);
		}
	}
	return !b->failed;
}

/* From calls that the file states. */
static void
edges_stated(struct building *b, const struct pp_flat *flat)
{
	const struct pp_profile *p = b->net->profile;
	size_t known = pp_metric_gained(p, b->net->metric), i;
	struct pp_call_shares shares;

	b->failed = !pp_call_shares_init(&shares, p, flat, PP_CALLEES, 0);
	b->net->edges_counted = !b->failed && pp_calls_counted(p);
	for (i = 0; !b->failed && i < shares.n; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[shares.row[i]];
		uint32_t edge = edge_of(b, p->funcs.at[e->caller].same,
		                        p->funcs.at[e->callee].same);
		struct pp_net_edge *to;

		if (b->failed)
			break;
		to = &b->net->edges.at[edge];
		pp_count_add(&to->calls, (uint64_t)pp_edge_cell(p, shares.row[i], 0));
		if (b->net->metric < p->metrics.n)
			pp_value_add(&p->metrics.at[b->net->metric], &to->total,
			             pp_ledger_get(&shares.cost, i, b->net->metric));
		if (known < p->metrics.n)
			pp_value_add(&p->metrics.at[known], &to->gained,
			             pp_ledger_get(&shares.cost, i, known));
	}
	for (i = 0; i < p->calls.rows.n && !b->failed; i++) {
		const struct pp_edge_row *e = &p->calls.rows.at[i];
		uint32_t node;

		if (e->caller)
			continue;
		/* It may be new, and the others elsewhere then. */
		node = node_of(b, p->funcs.at[e->callee].same);
		if (!b->failed)
			b->net->nodes.at[node].is_root = true;
	}
	pp_call_shares_release(&shares);
}

/* Counts calls: those of a node came over its edge. */
static void
edges_count(struct building *b, const uint32_t *edge_of_node)
{
	const struct pp_profile *p = b->net->profile;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		b->net->edges_counted |= s->has_calls;
		for (row = 0; s->has_calls && row < s->rows; row++) {
			uint32_t edge = edge_of_node[pp_series_node(s, row)];

			if (edge != PP_MAP_NONE)
				pp_count_add(&b->net->edges.at[edge].calls,
				             (uint64_t)pp_series_cells(s, row)[p->metrics.n]);
		}
	}
}

/* Makes the pairs of a tree edges with a cost of a metric, to be found as total or as gained. */
static void
edges_cost(struct building *b, const struct pp_call_pairs *pairs, const uint32_t *edge,
           size_t metric, bool gained)
{
	const struct pp_profile *p = b->net->profile;
	union pp_value *cost = NULL;
	size_t i;

	if (metric >= p->metrics.n || b->failed)
		return;
	cost = pp_call_pairs_cost(pairs, metric);
	b->failed = !cost;
	for (i = 0; cost && i < pairs->at.n; i++) {
		struct pp_net_edge *to = &b->net->edges.at[edge[i]];

		pp_value_add(&p->metrics.at[metric], gained ? &to->gained : &to->total, cost[i]);
	}
	free(cost);
}

/* From the tree: calls as `callees` has them. */
static void
edges_of_tree(struct building *b)
{
	const struct pp_profile *p = b->net->profile;
	struct pp_call_pairs pairs;
	uint32_t *edge, root;
	pp_func *func_of = pp_frame_funcs(p);
	pp_node node;
	size_t i;

	b->failed = !pp_call_pairs_init(&pairs, p, PP_CALLEES, 0) || !func_of;
	edge = malloc((pairs.at.n + 1) * sizeof *edge);
	b->failed |= !edge;
	for (node = 1; node < p->tree.n && !b->failed; node++) {
		if (pp_tree_parent(&p->tree, node))
			continue;
		root = node_of(b, func_of[pp_tree_frame(&p->tree, node)]);
		if (!b->failed)
			b->net->nodes.at[root].is_root = true;
	}
	for (i = 0; i < pairs.at.n && !b->failed; i++)
		edge[i] = edge_of(b, pairs.at.at[i].caller, pairs.at.at[i].callee);
	edges_cost(b, &pairs, edge, b->net->metric, false);
	edges_cost(b, &pairs, edge, pp_metric_gained(p, b->net->metric), true);
	for (node = 0; node < p->tree.n && !b->failed; node++)
		if (pairs.of_node[node] != PP_MAP_NONE)
			pairs.of_node[node] = edge[pairs.of_node[node]];
	if (!b->failed)
		edges_count(b, pairs.of_node);
	pp_call_pairs_release(&pairs);
	free(edge);
	free(func_of);
}

/* What is known of edges' gains is no less than what is left of them. */
static void
gains_settle(struct pp_net *net)
{
	const struct pp_metric *m = &net->profile->metrics.at[net->metric];
	size_t i;

	for (i = 0; net->metric < net->profile->metrics.n && i < net->edges.n; i++)
		net->edges.at[i].gained = pp_value_gained(m, net->edges.at[i].total,
		                                          net->edges.at[i].gained);
}

static int
compare_edges(const void *left, const void *right)
{
	const struct pp_net_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Finds the cycles, and who is called by nobody. */
static bool
cycles_find(struct pp_net *net)
{
	size_t n = net->nodes.n, i, *first;
	uint32_t *to = malloc((net->edges.n + 1) * sizeof *to), count;
	uint32_t *component = calloc(n + 1, sizeof *component);
	bool *called = calloc(n + 1, sizeof *called), fine;

	if (net->edges.n)
		qsort(net->edges.at, net->edges.n, sizeof *net->edges.at, compare_edges);
	first = calloc(n + 2, sizeof *first);
	fine = to && component && called && first;
	for (i = 0; fine && i < net->edges.n; i++)
		first[net->edges.at[i].from + 1]++;
	for (i = 1; fine && i <= n; i++)
		first[i] += first[i - 1];
	for (i = 0; fine && i < net->edges.n; i++) {
		to[i] = net->edges.at[i].to;
		called[to[i]] |= to[i] != net->edges.at[i].from;
	}
	fine = fine && pp_scc_compute((uint32_t)n, first, to, component, &count);
	for (i = 0; fine && i < n; i++) {
		net->nodes.at[i].component = component[i];
		net->nodes.at[i].is_root |= !called[i];
	}
	free(first);
	free(to);
	free(component);
	free(called);
	return fine;
}

pp_status
pp_net_compute(struct pp_net *net, const struct pp_profile *p, size_t metric)
{
	struct building b = { .net = net, .edge_of = { .seed = p->strs.seed } };
	struct pp_flat flat = { 0 };

	*net = (struct pp_net){ .profile = p, .metric = metric };
	if (metric < p->metrics.n)
		net->whole = net->part_of = pp_value_zero(&p->metrics.at[metric]);
	if (p->calls.rows.n == 0 && p->tree.n <= 1 && p->funcs.n > 1)
		return PP_E_UNSUPPORTED;
	b.node_of = calloc(p->funcs.n + 1, sizeof *b.node_of);
	b.failed = !b.node_of;
	if (!b.failed)
		b.failed = pp_flat_compute(p, &flat) == PP_E_NOMEM || !nodes_take(&b, &flat);
	if (!b.failed && p->calls.rows.n > 0)
		edges_stated(&b, &flat);
	else if (!b.failed && p->tree.n > 1)
		edges_of_tree(&b);
	gains_settle(net);
	pp_flat_release(&flat);
	free(b.node_of);
	pp_map_release(&b.edge_of);
	net->all_nodes = net->nodes.n;
	net->all_functions = pp_net_functions(net);
	net->all_edges = net->edges.n;
	return !b.failed && cycles_find(net) ? PP_OK : PP_E_NOMEM;
}

/* ---- what is worth drawing ---- */

/* How much something weighs: what it gained, or what is left of that, which may be far below 0. */
static double
weight_of(const struct pp_net *net, union pp_value net_cost, union pp_value gained)
{
	return fmax(fabs(pp_net_value(net, net_cost)), fabs(pp_net_value(net, gained)));
}

static double
node_weight(const struct pp_net *net, const struct pp_net_node *node)
{
	return weight_of(net, node->total, node->gained.total);
}

/* Whether an edge is kept if its ends are. */
static bool
edge_counts(const struct pp_net *net, const struct pp_net_edge *e, double least)
{
	return e->from == e->to || weight_of(net, e->total, e->gained) >= least ||
	       net->nodes.at[e->from].component == net->nodes.at[e->to].component;
}

/* The edges of each node, of those that it calls or of those that call it. */
struct around {
	size_t *first; /* by node, and one more */
	uint32_t *edges;
};

static bool
around_init(struct around *x, const struct pp_net *net, bool up)
{
	size_t i;

	x->first = calloc(net->nodes.n + 2, sizeof *x->first);
	x->edges = malloc((net->edges.n + 1) * sizeof *x->edges);
	if (!x->first || !x->edges)
		return false;
	for (i = 0; i < net->edges.n; i++)
		x->first[(up ? net->edges.at[i].to : net->edges.at[i].from) + 1]++;
	for (i = 1; i <= net->nodes.n; i++)
		x->first[i] += x->first[i - 1];
	/* Each place is filled from its end, which moves its beginning to where it belongs. */
	for (i = net->nodes.n + 1; i > 0; i--)
		x->first[i] = x->first[i - 1];
	for (i = 0; i < net->edges.n; i++)
		x->edges[x->first[(up ? net->edges.at[i].to : net->edges.at[i].from) + 1]++] =
		    (uint32_t)i;
	return true;
}

/* Goes on in one direction from where distances are 0. False when out of memory. */
static bool
spread(const struct pp_net *net, uint32_t *distance, bool up, double least, uint64_t depth)
{
	struct around x = { 0 };
	uint32_t *queue = malloc((net->nodes.n + 1) * sizeof *queue);
	bool fine = around_init(&x, net, up) && queue;
	size_t head = 0, tail = 0, i;

	for (i = 0; fine && i < net->nodes.n; i++)
		if (distance[i] == 0)
			queue[tail++] = (uint32_t)i;
	for (; fine && head < tail && distance[queue[head]] < depth; head++)
		for (i = x.first[queue[head]]; i < x.first[queue[head] + 1]; i++) {
			const struct pp_net_edge *e = &net->edges.at[x.edges[i]];
			uint32_t to = up ? e->from : e->to;

			if (distance[to] != NOT_REACHED || !edge_counts(net, e, least))
				continue;
			distance[to] = distance[queue[head]] + 1;
			queue[tail++] = to;
		}
	free(queue);
	free(x.first);
	free(x.edges);
	return fine;
}

/* How far each function is from where one looks from; NOT_REACHED when out of sight. NULL when out of memory. */
static uint32_t *
distances_find(const struct pp_net *net, const struct pp_net_cut *cut, double least)
{
	size_t n = net->nodes.n, i;
	uint32_t *down = malloc((n + 1) * sizeof *down), *up = malloc((n + 1) * sizeof *up);
	uint64_t depth = cut->depth ? cut->depth : UINT32_MAX;
	bool fine;

	for (i = 0; down && up && i < n; i++) {
		bool start = cut->about ? net->nodes.at[i].func == cut->about
		                        : cut->depth == 0 || net->nodes.at[i].is_root;

		down[i] = start ? 0 : NOT_REACHED;
		up[i] = cut->about ? down[i] : NOT_REACHED;
	}
	fine = down && up;
	if (fine && (cut->about || cut->depth))
		fine = spread(net, down, false, least, cut->about ? depth : depth - 1);
	if (fine && cut->about)
		fine = spread(net, up, true, least, depth);
	for (i = 0; fine && i < n; i++)
		down[i] = up[i] < down[i] ? up[i] : down[i];
	free(up);
	if (fine)
		return down;
	free(down);
	return NULL;
}

/* A node and by what it is chosen. */
struct ranked {
	uint32_t node;
	uint32_t distance;
	double total, self;
};

static int
compare_ranked(const void *left, const void *right, void *data)
{
	const struct ranked *a = left, *b = right;
	const struct pp_net *net = data;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return pp_func_cmp(net->profile, net->nodes.at[a->node].func, net->nodes.at[b->node].func);
}

/* Puts the chosen nodes, with the edges between them, in the place of all. */
static bool
keep(struct pp_net *net, const struct ranked *chosen, size_t n, double least)
{
	struct pp_net_node *nodes = malloc((n + 1) * sizeof *nodes);
	uint32_t *place = calloc(net->nodes.n + 1, sizeof *place);
	size_t i, kept = 0;
	bool fine;

	for (i = 0; nodes && place && i < n; i++) {
		nodes[i] = net->nodes.at[chosen[i].node];
		place[chosen[i].node] = (uint32_t)i + 1;
	}
	for (i = 0; nodes && place && i < net->edges.n; i++) {
		struct pp_net_edge e = net->edges.at[i];

		if (!place[e.from] || !place[e.to] || !edge_counts(net, &e, least))
			continue;
		e.from = place[e.from] - 1;
		e.to = place[e.to] - 1;
		net->edges.at[kept++] = e;
	}
	fine = nodes && place;
	if (fine) {
		net->edges.n = kept;
		if (kept)
			qsort(net->edges.at, kept, sizeof *net->edges.at, compare_edges);
		free(net->nodes.at);
		net->nodes.at = nodes;
		net->nodes.n = n;
		net->nodes.cap = n + 1;
	} else {
		free(nodes);
	}
	free(place);
	return fine;
}

/* What shares are of: the whole, or what the function costs. */
static double
base_of(const struct pp_net *net, pp_func about)
{
	size_t i;

	for (i = 0; about && i < net->nodes.n; i++)
		if (net->nodes.at[i].func == about)
			return node_weight(net, &net->nodes.at[i]);
	return fabs(pp_net_value(net, net->part_of));
}

bool
pp_net_prune(struct pp_net *net, const struct pp_net_cut *cut)
{
	double base = base_of(net, cut->about), least = fmax(0, cut->min) * base;
	uint32_t *distance = distances_find(net, cut, least * EDGE_PART);
	struct ranked *list = malloc((net->nodes.n + 1) * sizeof *list);
	size_t i, n = 0;
	bool fine = distance && list;

	for (i = 0; fine && i < net->nodes.n; i++) {
		struct ranked r = { (uint32_t)i, cut->about ? distance[i] : 0,
			            node_weight(net, &net->nodes.at[i]),
			            weight_of(net, net->nodes.at[i].self,
			                      net->nodes.at[i].gained.own) };

		if (distance[i] != NOT_REACHED && (cut->about || r.total >= least))
			list[n++] = r;
	}
	if (fine && n)
		pp_sort(list, n, sizeof *list, compare_ranked, net);
	if (cut->most && n > cut->most)
		n = cut->most;
	for (i = 0; fine && i < n; i++)
		list[i].distance = 0;
	if (fine && n)
		pp_sort(list, n, sizeof *list, compare_ranked, net);
	fine = fine && keep(net, list, n, least * EDGE_PART);
	free(distance);
	free(list);
	return fine;
}
