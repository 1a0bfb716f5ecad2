/*
 * One or two profiles as tables for a viewer: functions and the cut tree.
 */
#include "analysis/digest.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/identity.h"

/* ---- functions -------------------------------------------------------------------------- */

static const struct pp_func_row *
func_row(const struct pp_digest *d, const struct pp_digest_func *f)
{
	return &d->profile[f->profile]->funcs.at[f->func];
}

static struct pp_slice
text(const struct pp_digest *d, const struct pp_digest_func *f, pp_str s)
{
	return pp_text_of(d->profile[f->profile], s);
}

/* Order by name, file and line. */
static int
compare_funcs(const void *left, const void *right, void *digest)
{
	const struct pp_digest_func *a = left, *b = right;
	const struct pp_func_row *x = func_row(digest, a), *y = func_row(digest, b);
	int c = pp_slice_cmp(text(digest, a, x->name), text(digest, b, y->name));

	if (c == 0)
		c = pp_slice_cmp(text(digest, a, x->file), text(digest, b, y->file));
	if (c == 0)
		c = (x->line > y->line) - (x->line < y->line);
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
	/* The first function of each group stands for it. */
	for (k = 0; ok && k < d->profiles; k++)
		for (i = 1; ok && i < d->profile[k]->funcs.n; i++) {
			uint32_t group = d->func_of[k][i];

			if (group == 0 || number[group])
				continue;
			number[group] = 1;
			ok = pp_vec_push(&d->funcs,
			                 (struct pp_digest_func){ (uint32_t)k, (pp_func)i });
		}
	if (ok && d->funcs.n > 2)
		qsort_r(d->funcs.at + 1, d->funcs.n - 1, sizeof *d->funcs.at, compare_funcs, d);
	for (i = 1; ok && i < d->funcs.n; i++)
		number[d->func_of[d->funcs.at[i].profile][d->funcs.at[i].func]] = (uint32_t)i;
	for (k = 0; ok && k < d->profiles; k++)
		for (i = 1; i < d->profile[k]->funcs.n; i++)
			d->func_of[k][i] = number[d->func_of[k][i]];
	free(number);
	return ok;
}

/* ---- the tree of both ------------------------------------------------------------------- */

static pp_status
tree_build(struct pp_digest *d)
{
	const struct pp_profile *first = d->profile[0];
	size_t k, i;

	if (!pp_tree_init(&d->tree, (uint32_t)first->strs.seed, UINT32_MAX - 1, &pp_pages_plain))
		return PP_E_NOMEM;
	for (k = 0; k < d->profiles; k++) {
		const struct pp_profile *p = d->profile[k];
		pp_frame *map = calloc(p->frames.n + 1, sizeof *map);
		bool ok;

		d->node_of[k] = calloc((size_t)p->tree.n + 1, sizeof *d->node_of[k]);
		for (i = 1; map && i < p->frames.n; i++)
			map[i] = d->func_of[k][p->frames.at[i].func];
		ok = map && d->node_of[k] &&
		     (p->tree.n < 2 ||
		      pp_tree_merge(&d->tree, &p->tree, map, p->frames.n, d->node_of[k]));
		free(map);
		if (!ok)
			return PP_E_NOMEM;
	}
	pp_tree_seal(&d->tree);
	return PP_OK;
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
	double whole = 0;
	size_t i;
	uint32_t row, node;

	memset(sum, 0, d->tree.n * sizeof *sum);
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++) {
			double size = cell_size(m, pp_series_cells(s, row)[metric]);

			sum[d->node_of[k][pp_series_node(s, row)]] += size;
			whole += size;
		}
	}
	for (node = 0; whole > 0 && node < d->tree.n; node++)
		if (sum[node] / whole > own[node])
			own[node] = sum[node] / whole;
}

static bool
weigh(struct pp_digest *d)
{
	double *sum = calloc(d->tree.n, sizeof *sum);
	uint32_t node;
	size_t k, m;

	d->weight = calloc(d->tree.n, sizeof *d->weight);
	if (!sum || !d->weight) {
		free(sum);
		return false;
	}
	for (k = 0; k < d->profiles; k++)
		for (m = 0; m < d->profile[k]->metrics.n; m++)
			if (!(d->profile[k]->metrics.at[m].flags & PP_METRIC_NO_SUM))
				weigh_metric(d, k, m, sum, d->weight);
	for (node = d->tree.n; node-- > 1;)
		d->weight[pp_tree_parent(&d->tree, node)] += d->weight[node];
	free(sum);
	return true;
}

/*
 * Children of each node in the order of names, without comparing any: nodes are visited by function
 * number (which goes by name) and each is put behind the siblings that came before.
 */
static bool
children_order(struct pp_digest *d)
{
	uint32_t n = d->tree.n, node;
	uint32_t *start = calloc(d->funcs.n + 1, sizeof *start);
	pp_node *by_func = malloc(n * sizeof *by_func);
	size_t i;

	d->last = calloc(n, sizeof *d->last);
	d->previous = calloc(n, sizeof *d->previous);
	if (!start || !by_func || !d->last || !d->previous) {
		free(start);
		free(by_func);
		return false;
	}
	for (node = 1; node < n; node++)
		start[pp_tree_frame(&d->tree, node) + 1]++;
	for (i = 1; i <= d->funcs.n; i++)
		start[i] += start[i - 1];
	for (node = 1; node < n; node++)
		by_func[start[pp_tree_frame(&d->tree, node)]++] = node;
	for (i = 0; i + 1 < n; i++) {
		pp_node parent = pp_tree_parent(&d->tree, by_func[i]);

		d->previous[by_func[i]] = d->last[parent];
		d->last[parent] = by_func[i];
	}
	free(start);
	free(by_func);
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
	if (status == PP_OK && (!weigh(d) || !children_order(d)))
		status = PP_E_NOMEM;
	if (status == PP_OK && !(d->place = malloc(d->tree.n * sizeof *d->place)))
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
	pp_tree_release(&d->tree);
	pp_vec_release(&d->funcs);
	pp_vec_release(&d->up);
	pp_vec_release(&d->func);
	pp_vec_release(&d->more);
	free(d->weight);
	free(d->last);
	free(d->previous);
	free(d->place);
}

/* ---- cutting ---------------------------------------------------------------------------- */

/* What is still to be placed: a node, or the sum of the thin children of one. */
struct pending {
	pp_node node;
	uint32_t depth;
	uint32_t more;
};

struct cutting {
	struct pp_digest *d;
	PP_VEC(struct pending) open;
	uint32_t before; /* depth of the node before */
};

static bool
kept(const struct pp_digest *d, pp_node node)
{
	return d->weight[node] >= d->thinnest;
}

static bool
place(struct cutting *c, struct pending what)
{
	struct pp_digest *d = c->d;
	uint32_t func = what.more || !what.node ? 0 : pp_tree_frame(&d->tree, what.node);
	bool ok = pp_vec_push(&d->up, what.depth ? c->before + 1 - what.depth : 0) &&
	          pp_vec_push(&d->func, func) && pp_vec_push(&d->more, what.more);

	c->before = what.depth;
	return ok;
}

/* Puts the children of a node on the pile so that they are taken in the order of names, their sum last. */
static bool
open_children(struct cutting *c, struct pending parent)
{
	struct pp_digest *d = c->d;
	uint32_t thin = 0;
	pp_node child;

	for (child = d->last[parent.node]; child; child = d->previous[child])
		thin += !kept(d, child);
	d->summed_up += thin;
	if (thin && !pp_vec_push(&c->open, (struct pending){ parent.node, parent.depth + 1, thin }))
		return false;
	for (child = d->last[parent.node]; child; child = d->previous[child])
		if (kept(d, child) &&
		    !pp_vec_push(&c->open, (struct pending){ child, parent.depth + 1, 0 }))
			return false;
	return true;
}

pp_status
pp_digest_cut(struct pp_digest *d, double thinnest)
{
	struct cutting c = { .d = d };
	uint32_t node;
	bool ok;

	d->thinnest = thinnest;
	d->up.n = d->func.n = d->more.n = 0;
	d->summed_up = 0;
	/* The sum of a node's thin children is remembered at one of them. */
	memset(d->place, 0xff, d->tree.n * sizeof *d->place);
	ok = pp_vec_push(&c.open, (struct pending){ 0 });
	while (ok && c.open.n) {
		struct pending next = c.open.at[--c.open.n];
		uint32_t here = (uint32_t)d->up.n;
		pp_node child;

		ok = place(&c, next) && (next.more || open_children(&c, next));
		if (!next.more)
			d->place[next.node] = here;
		else
			for (child = d->last[next.node]; child; child = d->previous[child])
				if (!kept(d, child))
					d->place[child] = here;
	}
	for (node = 1; ok && node < d->tree.n; node++)
		if (d->place[node] == UINT32_MAX) {
			d->place[node] = d->place[pp_tree_parent(&d->tree, node)];
			d->summed_up++;
		}
	pp_vec_release(&c.open);
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

pp_status
pp_digest_weight_for(const struct pp_digest *d, uint32_t nodes, double *thinnest)
{
	double *weights;

	*thinnest = 0;
	if (nodes >= d->tree.n)
		return PP_OK;
	weights = malloc(d->tree.n * sizeof *weights);
	if (!weights)
		return PP_E_NOMEM;
	memcpy(weights, d->weight, d->tree.n * sizeof *weights);
	/* Nodes as light as the first one that is too many go with it. */
	*thinnest = nextafter(select_nth(weights, d->tree.n, nodes), INFINITY);
	free(weights);
	return PP_OK;
}
