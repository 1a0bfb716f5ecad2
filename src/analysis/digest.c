/*
 * One or two profiles as tables for a viewer: functions and the cut tree.
 */
#include "analysis/digest.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/identity.h"
#include "base/sort.h"
#include "base/stops.h"

/* ---- functions -------------------------------------------------------------------------- */

static const struct pp_func_row *
func_row(const struct pp_digest *d, const struct pp_digest_func *f)
{
	return &d->profile[f->profile]->funcs.at[f->func];
}

/* Order by name, file, line and column. */
static int
compare_funcs(const void *left, const void *right, void *digest)
{
	const struct pp_digest_func *a = left, *b = right;
	const struct pp_digest *d = digest;
	int c = pp_func_row_cmp(d->profile[a->profile], func_row(d, a), d->profile[b->profile],
	                        func_row(d, b));

	if (c == 0)
		c = (a->profile > b->profile) - (a->profile < b->profile);
	return c ? c : (a->func > b->func) - (a->func < b->func);
}

/*
 * Which functions are the same, as numbers below *groups: for one profile its own identities, for two
 * those that `diff` takes for the same. func_of[k][func] receives the number; 0 = none.
 */
static bool
funcs_group(struct pp_digest *d, size_t *groups)
{
	struct pp_identity identity;
	bool ok = true;
	size_t k, i;

	if (d->profiles == 1) {
		for (i = 1; i < d->profile[0]->funcs.n; i++)
			d->func_of[0][i] = d->profile[0]->funcs.at[i].same;
		*groups = d->profile[0]->funcs.n;
		return true;
	}
	ok = pp_identity_init(&identity, d->profile[0]->strs.seed);
	for (k = 0; ok && k < d->profiles; k++)
		ok = pp_identity_add(&identity, d->profile[k], d->func_of[k]);
	for (k = 0; ok && k < d->profiles; k++)
		for (i = 1; i < d->profile[k]->funcs.n; i++)
			d->func_of[k][i] = pp_identity_find(
			    &identity, d->func_of[k][d->profile[k]->funcs.at[i].same]);
	*groups = identity.groups.n;
	pp_identity_release(&identity);
	return ok;
}

static bool
funcs_number(struct pp_digest *d)
{
	uint32_t *number = NULL; /* by group */
	size_t groups = 0, k, i;
	bool ok = pp_vec_push(&d->funcs, (struct pp_digest_func){ 0 });

	for (k = 0; ok && k < d->profiles; k++) {
		d->func_of[k] = calloc(d->profile[k]->funcs.n + 1, sizeof *d->func_of[k]);
		ok = d->func_of[k] != NULL;
	}
	ok = ok && funcs_group(d, &groups) && (number = calloc(groups + 1, sizeof *number));
	/* The first function of each group stands for it, as it is written last: so does `diff`. */
	for (k = d->profiles; ok && k-- > 0;)
		for (i = 1; ok && i < d->profile[k]->funcs.n; i++) {
			uint32_t group = d->func_of[k][i];

			if (group == 0 || number[group])
				continue;
			number[group] = 1;
			ok = pp_vec_push(&d->funcs,
			                 (struct pp_digest_func){ (uint32_t)k, (pp_func)i });
		}
	if (ok && d->funcs.n > 2)
		pp_sort(d->funcs.at + 1, d->funcs.n - 1, sizeof *d->funcs.at, compare_funcs, d);
	for (i = 1; ok && i < d->funcs.n; i++)
		number[d->func_of[d->funcs.at[i].profile][d->funcs.at[i].func]] = (uint32_t)i;
	for (k = 0; ok && k < d->profiles; k++)
		for (i = 1; i < d->profile[k]->funcs.n; i++)
			d->func_of[k][i] = number[d->func_of[k][i]];
	free(number);
	return ok;
}

/* ---- the tree of both ------------------------------------------------------------------- */

/* The function of each frame of a profile, as numbers of `funcs`; NULL when out of memory. */
static uint32_t *
frame_funcs(const struct pp_digest *d, size_t k)
{
	const struct pp_profile *p = d->profile[k];
	uint32_t *map = calloc(p->frames.n + 1, sizeof *map);
	size_t i;

	for (i = 1; map && i < p->frames.n; i++)
		map[i] = d->func_of[k][p->frames.at[i].func];
	return map;
}

static pp_status
tree_build(struct pp_digest *d)
{
	const struct pp_profile *first = d->profile[0];
	size_t k;

	if (d->profiles == 1) {
		d->frame_func = frame_funcs(d, 0);
		if (!d->frame_func)
			return PP_E_NOMEM;
		d->tree = &first->tree;
		if (first->tree.n && pp_frames_differ(d->frame_func, first->frames.n))
			return PP_OK;
		free(d->frame_func);
		d->frame_func = NULL;
	}
	d->tree = &d->merged;
	if (!pp_tree_init(&d->merged, (uint32_t)first->strs.seed, UINT32_MAX - 1, &pp_pages_plain))
		return PP_E_NOMEM;
	for (k = 0; k < d->profiles; k++) {
		const struct pp_profile *p = d->profile[k];
		uint32_t *map = frame_funcs(d, k);
		bool ok;

		d->node_of[k] = calloc((size_t)p->tree.n + 1, sizeof *d->node_of[k]);
		ok = map && d->node_of[k] &&
		     (p->tree.n < 2 ||
		      pp_tree_merge(&d->merged, &p->tree, map, p->frames.n, d->node_of[k]));
		free(map);
		if (!ok)
			return PP_E_NOMEM;
	}
	pp_tree_seal(&d->merged);
	return PP_OK;
}

static uint32_t
node_func(const struct pp_digest *d, pp_node node)
{
	pp_frame frame = pp_tree_frame(d->tree, node);

	return d->frame_func ? d->frame_func[frame] : frame;
}

static double
cell_size(const struct pp_metric *m, int64_t cell)
{
	union pp_value v = pp_cell_value(m, cell);

	return fabs(m->type == PP_REAL ? v.d : (double)v.i);
}

/* Raises own[node] to the node's share of a metric, if that is larger. */
static void
weigh_metric(struct pp_digest *d, size_t k, size_t metric, double *sum, double *own)
{
	const struct pp_profile *p = d->profile[k];
	const struct pp_metric *m = &p->metrics.at[metric];
	const pp_node *node_of = d->node_of[k];
	double whole = 0;
	size_t i;
	uint32_t row, node;

	if (sum != own)
		memset(sum, 0, d->tree->n * sizeof *sum);
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++) {
			double size = cell_size(m, pp_series_cell(s, row, metric));

			sum[node_of ? node_of[pp_series_node(s, row)] : pp_series_node(s, row)] +=
			    size;
			whole += size;
		}
	}
	for (node = 0; whole > 0 && node < d->tree->n; node++)
		if (sum == own || sum[node] / whole > own[node])
			own[node] = sum[node] / whole;
}

/* How many metrics say anything about weight. */
static size_t
weighing(const struct pp_digest *d)
{
	size_t k, m, n = 0;

	for (k = 0; k < d->profiles; k++)
		for (m = 0; m < d->profile[k]->metrics.n; m++)
			n += !(d->profile[k]->metrics.at[m].flags & PP_METRIC_NO_SUM);
	return n;
}

static bool
weigh(struct pp_digest *d)
{
	/* A single metric is summed up where the weight is wanted. */
	double *sum = weighing(d) > 1 ? calloc(d->tree->n, sizeof *sum) : NULL;
	uint32_t node;
	size_t k, m;

	d->weight = calloc(d->tree->n, sizeof *d->weight);
	if ((!sum && weighing(d) > 1) || !d->weight) {
		free(sum);
		return false;
	}
	for (k = 0; k < d->profiles; k++)
		for (m = 0; m < d->profile[k]->metrics.n; m++)
			if (!(d->profile[k]->metrics.at[m].flags & PP_METRIC_NO_SUM))
				weigh_metric(d, k, m, sum ? sum : d->weight, d->weight);
	for (node = d->tree->n; node-- > 1;)
		d->weight[pp_tree_parent(d->tree, node)] += d->weight[node];
	free(sum);
	return true;
}

pp_status
pp_digest_init(struct pp_digest *d, const struct pp_profile *const *profiles, size_t n)
{
	pp_status status;
	size_t k;

	*d = (struct pp_digest){ .profiles = n };
	for (k = 0; k < n; k++)
		d->profile[k] = profiles[k];
	if (!funcs_number(d))
		return PP_E_NOMEM;
	status = tree_build(d);
	if (status == PP_OK && !weigh(d))
		status = PP_E_NOMEM;
	if (status == PP_OK && !(d->place = malloc(d->tree->n * sizeof *d->place)))
		status = PP_E_NOMEM;
	return status;
}

void
pp_digest_release(struct pp_digest *d)
{
	size_t k;

	for (k = 0; k < PP_DIGEST_MAX; k++) {
		free(d->func_of[k]);
		free(d->node_of[k]);
	}
	pp_tree_release(&d->merged);
	free(d->frame_func);
	pp_vec_release(&d->funcs);
	pp_vec_release(&d->up);
	pp_vec_release(&d->func);
	pp_vec_release(&d->more);
	pp_vec_release(&d->node);
	free(d->weight);
	free(d->place);
}

/* ---- cutting ---------------------------------------------------------------------------- */

/* A node that is kept. */
struct stay {
	pp_node node;
	uint32_t func;
	uint32_t parent;         /* number of another one */
	uint32_t thin;           /* children that are not kept */
	uint32_t last, previous; /* child with the last name, sibling before; 0 = none */
};

/* What is still to be placed: a node, or the sum of the thin children of one. */
struct pending {
	uint32_t node;
	uint32_t depth;
	uint32_t more;
};

struct cutting {
	struct pp_digest *d;
	PP_VEC(struct stay) stays; /* [0] is the root */
	PP_VEC(struct pending) open;
	PP_VEC(uint32_t)
	sum_at;          /* by place: where the sum of its thin children is, of a sum itself */
	uint32_t before; /* depth of the node before */
	uint32_t ties;   /* see struct pp_digest_keep */
};

#define THIN UINT32_MAX

bool
pp_digest_enter(struct pp_digest *d, uint64_t node)
{
	if (node >= d->tree->n)
		return false;
	d->root = (pp_node)node;
	return true;
}

/* Numbers what is kept, parents with their children; until all is laid out, `place` is that number. */
static bool
cut_number(struct cutting *c)
{
	struct pp_digest *d = c->d;
	struct stay root = { .node = d->root };
	double just_less = nextafter(d->min_share, 0);
	uint32_t inside = 1, ties = c->ties;
	pp_node node;

	for (node = 0; node < d->root; node++)
		d->place[node] = PP_DIGEST_NOWHERE;
	d->place[d->root] = 0;
	if (!pp_vec_push(&c->stays, root))
		return false;
	for (node = d->root + 1; node < d->tree->n; node++) {
		uint32_t parent = d->place[pp_tree_parent(d->tree, node)];

		if (pp_account_stops_at(node))
			return false;
		d->place[node] = parent;
		if (parent == PP_DIGEST_NOWHERE)
			continue;
		inside++;
		d->place[node] = THIN;
		/* Of equal ones callers come first, so none is kept whose caller is not. */
		if (d->weight[node] >= d->min_share ||
		    (ties && d->weight[node] >= just_less && ties--)) {
			struct stay stay = { .node = node,
				             .func = node_func(d, node),
				             .parent = parent };

			d->place[node] = (uint32_t)c->stays.n;
			if (!pp_vec_push(&c->stays, stay))
				return false;
		} else if (parent != THIN) {
			c->stays.at[parent].thin++;
		}
	}
	d->summed_up = inside - c->stays.n;
	return true;
}

/*
 * Children of each node in the order of names, without comparing any: nodes are visited by function
 * number (which goes by name) and each is put behind the siblings that came before.
 */
static bool
cut_order(struct cutting *c)
{
	uint32_t *start = calloc(c->d->funcs.n + 1, sizeof *start);
	uint32_t *by_func = malloc(c->stays.n * sizeof *by_func);
	struct stay *stays = c->stays.at;
	size_t i;

	if (start && by_func) {
		for (i = 1; i < c->stays.n; i++)
			start[stays[i].func + 1]++;
		for (i = 1; i <= c->d->funcs.n; i++)
			start[i] += start[i - 1];
		for (i = 1; i < c->stays.n; i++)
			by_func[start[stays[i].func]++] = (uint32_t)i;
		for (i = 0; i + 1 < c->stays.n; i++) {
			struct stay *node = &stays[by_func[i]];

			node->previous = stays[node->parent].last;
			stays[node->parent].last = by_func[i];
		}
	}
	free(start);
	free(by_func);
	return start && by_func;
}

/*
 * Puts down a node or sum, and the children of a node on the pile so that they are taken in the order of
 * names, their sum last.
 */
static bool
cut_place(struct cutting *c, struct pending what)
{
	struct pp_digest *d = c->d;
	const struct stay *node = &c->stays.at[what.node];
	uint32_t child;
	bool ok = pp_vec_push(&d->up, what.depth ? c->before + 1 - what.depth : 0) &&
	          pp_vec_push(&d->func, what.more ? 0 : node->func) &&
	          pp_vec_push(&d->more, what.more) && pp_vec_push(&d->node, node->node) &&
	          pp_vec_push(&c->sum_at, (uint32_t)d->up.n - 1);

	c->before = what.depth;
	if (!ok || what.more)
		return ok;
	if (node->thin)
		ok = pp_vec_push(&c->open,
		                 ((struct pending){ what.node, what.depth + 1, node->thin }));
	for (child = node->last; child && ok; child = c->stays.at[child].previous)
		ok = pp_vec_push(&c->open, ((struct pending){ child, what.depth + 1, 0 }));
	return ok;
}

/* Lays out what is kept. From here on `parent` of a kept node is its place. */
static bool
cut_lay(struct cutting *c)
{
	struct pp_digest *d = c->d;
	bool ok = pp_vec_push(&c->open, (struct pending){ 0 });

	while (ok && c->open.n) {
		struct pending next = c->open.at[--c->open.n];
		uint32_t here = (uint32_t)d->up.n;

		ok = cut_place(c, next) && !pp_account_stops_at(here);
		if (ok && next.more)
			c->sum_at.at[c->stays.at[next.node].parent] = here;
		else if (ok)
			c->stays.at[next.node].parent = here;
	}
	return ok;
}

pp_status
pp_digest_cut(struct pp_digest *d, struct pp_digest_keep keep)
{
	struct cutting c = { .d = d, .ties = keep.ties };
	pp_node node;
	bool ok;

	d->min_share = keep.min_share;
	d->up.n = d->func.n = d->more.n = d->node.n = 0;
	ok = cut_number(&c) && cut_order(&c) && cut_lay(&c);
	for (node = d->root; ok && node < d->tree->n; node++) {
		uint32_t parent = d->place[pp_tree_parent(d->tree, node)];

		if (d->place[node] != PP_DIGEST_NOWHERE)
			d->place[node] = d->place[node] == THIN ? c.sum_at.at[parent]
			                                        : c.stays.at[d->place[node]].parent;
	}
	pp_vec_release(&c.stays);
	pp_vec_release(&c.open);
	pp_vec_release(&c.sum_at);
	return ok ? PP_OK : PP_E_NOMEM;
}

/* The value at place `want` (from 0) in descending order; the values are moved about. */
static double
select_nth(double *v, size_t n, size_t want)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			while (v[i] > pivot)
				i++;
			while (v[j] < pivot)
				j--;
			if (i >= j)
				break;
			if (v[i] != v[j]) {
				double t = v[i];

				v[i] = v[j];
				v[j] = t;
			}
			i++;
			j--;
		}
		if (want <= j && j < hi)
			hi = j;
		else
			lo = j + 1;
	}
	return v[want];
}

/* Weights are told apart by their first bits: doubles from 0 on are in the order of these. */
#define BIN_BITS 16
#define BINS ((size_t)1 << BIN_BITS)

static size_t
bin_of(double weight)
{
	uint64_t bits;

	memcpy(&bits, &weight, sizeof bits);
	return (size_t)(bits >> (63 - BIN_BITS)) & (BINS - 1);
}

/* Where nodes are that lie below the root is marked in `place`. */
static void
mark_inside(struct pp_digest *d)
{
	pp_node node;

	for (node = 0; node < d->tree->n; node++)
		d->place[node] = node == d->root || (node > d->root &&
		                                     d->place[pp_tree_parent(d->tree, node)] !=
		                                         PP_DIGEST_NOWHERE)
		                     ? 0
		                     : PP_DIGEST_NOWHERE;
}

static bool
is_inside(const struct pp_digest *d, pp_node node)
{
	return d->root == 0 || d->place[node] != PP_DIGEST_NOWHERE;
}

/* Finds the bin of the weight at place `nodes` in descending order; *nodes becomes its place in that. BINS: there are fewer. */
static size_t
bin_find(const uint32_t *counts, size_t *nodes)
{
	size_t bin = BINS;

	while (bin-- > 0) {
		if (*nodes < counts[bin])
			return bin;
		*nodes -= counts[bin];
	}
	return BINS;
}

pp_status
pp_digest_keep_for(struct pp_digest *d, uint32_t nodes, struct pp_digest_keep *keep)
{
	uint32_t *counts, heavier = 0;
	double *weights = NULL;
	size_t want = nodes, bin, n = 0, i;
	pp_node node;

	*keep = (struct pp_digest_keep){ 0 };
	if (nodes >= d->tree->n)
		return PP_OK;
	counts = calloc(BINS, sizeof *counts);
	if (!counts)
		return PP_E_NOMEM;
	if (d->root)
		mark_inside(d);
	for (node = d->root; node < d->tree->n; node++)
		if (is_inside(d, node))
			counts[bin_of(d->weight[node])]++;
	bin = bin_find(counts, &want);
	weights = bin < BINS ? malloc(counts[bin] * sizeof *weights) : NULL;
	for (node = d->root; weights && node < d->tree->n; node++)
		if (bin_of(d->weight[node]) == bin && is_inside(d, node))
			weights[n++] = d->weight[node];
	if (n) {
		double first_gone = select_nth(weights, n, want);

		for (i = 0; i < n; i++)
			heavier += weights[i] > first_gone;
		keep->min_share = nextafter(first_gone, INFINITY);
		keep->ties = (uint32_t)want - heavier;
	}
	free(weights);
	free(counts);
	return bin < BINS && n == 0 ? PP_E_NOMEM : PP_OK;
}
