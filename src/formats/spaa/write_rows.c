/*
 * What SPAA files are written from: own costs by node, of the profile's tree, of one by functions, or of
 * one level where a profile knows no stacks.
 */
#include "formats/spaa/write.h"
#include "model/held.h"
#include "model/ledger.h"

static bool
row_add(struct pp_spaa_out *o, pp_node node, uint32_t series, const int64_t *cells, size_t i)
{
	struct pp_spaa_out_row row = { o->from.map ? o->from.map[node] : node, series, cells,
		                       (uint32_t)i };

	return pp_vec_push(&o->from.rows, row);
}

/* Row r of a series of the profile. */
static bool
row_add_stack(struct pp_spaa_out *o, uint32_t series, uint32_t r)
{
	const struct pp_series *s = &o->p->series.at[series];
	pp_node node = pp_series_node(s, r);
	struct pp_spaa_out_row row = { o->from.map ? o->from.map[node] : node, series,
		                       s->wide ? NULL : pp_series_cells(s, r), r };

	return pp_vec_push(&o->from.rows, row);
}

/* What rows of many metrics cost, by whatever they are rows of. */
static struct pp_cells
many_of_series(const struct pp_spaa_out *o, uint32_t series, uint32_t row)
{
	return pp_series_costs(o->p, &o->p->series.at[series], row);
}

static struct pp_cells
many_of_lines(const struct pp_spaa_out *o, uint32_t series, uint32_t row)
{
	(void)series;
	return pp_line_costs(o->p, row);
}

static struct pp_cells
many_of_calls(const struct pp_spaa_out *o, uint32_t series, uint32_t row)
{
	(void)series;
	return pp_edge_own(o->p, row);
}

/*
 * Own costs that calls tell together only. What does not fit a cell, or is negative where none may be, is
 * cut off: the calls themselves are carried as they are.
 */
static bool
rows_net(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	struct pp_ledger own;
	size_t n = p->metrics.n, i, m;
	bool fine = pp_profile_own(p, PP_ALL_SERIES, false, &own);

	o->own = malloc(p->funcs.n * (n + 1) * sizeof *o->own);
	for (i = 1; fine && o->own && i < p->funcs.n; i++) {
		pp_node node = pp_tree_child(&o->from.own_tree, 0, p->funcs.at[i].same);
		bool any = false;

		for (m = 0; m < n; m++) {
			union pp_value v = pp_ledger_get(&own, i, m);
			int64_t *cell = &o->own[i * n + m];

			any |= !pp_value_is_zero(&p->metrics.at[m], v);
			if (!pp_value_cell(&p->metrics.at[m], v, cell))
				*cell = v.i < 0 ? 0 : INT64_MAX;
		}
		fine = node && (!any || row_add(o, node, 0, o->own + i * n, 0));
	}
	pp_ledger_release(&own);
	return fine && o->own;
}

/* The functions of lines or edges as a tree of one level. */
static bool
rows_flat(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	bool lines = p->lines.rows.n > 0;
	size_t i;

	o->by_func = true;
	o->from.many = lines ? many_of_lines : many_of_calls;
	if (!pp_tree_init(&o->from.own_tree, 1, UINT32_MAX - 1, &pp_pages_plain))
		return false;
	o->from.tree = &o->from.own_tree;
	if (pp_profile_basis(p) == PP_BASIS_CALLS && !p->calls.own)
		return rows_net(o);
	for (i = 0; i < (lines ? p->lines.rows.n : p->calls.own ? p->calls.rows.n : 0); i++) {
		pp_func func = lines ? p->lines.rows.at[i].func : p->calls.rows.at[i].callee;
		uint32_t series = lines ? p->lines.rows.at[i].series : p->calls.rows.at[i].series;
		bool many = lines ? p->lines.wide != NULL : p->calls.wide != NULL;
		const int64_t *cells = many    ? NULL
		                       : lines ? pp_line_costs(p, i).at
		                               : pp_edge_own(p, i).at;
		pp_node node = func ? pp_tree_child(&o->from.own_tree, 0, p->funcs.at[func].same)
		                    : 0;

		if ((func && !node) || !row_add(o, node, series, cells, i))
			return false;
	}
	return true;
}

/* The tree by functions instead of frames. */
static bool
tree_by_func(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	pp_node node;
	size_t i;

	o->from.map = calloc(p->tree.n, sizeof *o->from.map);
	o->from.kinds = calloc(p->funcs.n, sizeof *o->from.kinds);
	if (!o->from.map || !o->from.kinds ||
	    !pp_tree_init(&o->from.own_tree, 1, UINT32_MAX - 1, &pp_pages_plain))
		return false;
	o->from.tree = &o->from.own_tree;
	for (i = p->frames.n; i-- > 1;)
		o->from.kinds[p->funcs.at[p->frames.at[i].func].same] = p->frames.at[i].flags &
		                                                        PP_FRAME_KINDS;
	for (node = 1; node < p->tree.n; node++) {
		o->from.map[node] = pp_tree_child(&o->from.own_tree,
		                                  o->from.map[pp_tree_parent(&p->tree, node)],
		                                  pp_node_func(p, node));
		if (!o->from.map[node])
			return false;
	}
	return true;
}

/* The same of stacks that are a list. */
static bool
list_by_func(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	size_t i;

	if (!tree_by_func(o))
		return false;
	for (i = 0; i < pp_held_count(p->held); i++) {
		struct pp_held_walk at = pp_held_walk(p->held, i);
		pp_node node = 0;

		for (; at.left; pp_held_step(p->held, &at)) {
			pp_func func = p->frames.at[pp_held_peek(p->held, &at)].func;

			node = pp_tree_child(&o->from.own_tree, node, p->funcs.at[func].same);
			if (!node)
				return false;
		}
		if (!pp_vec_push(
		        &o->from.rows,
		        ((struct pp_spaa_out_row){
		            .node = node, .cells = p->held->values.at + i * p->held->columns })))
			return false;
	}
	return true;
}

bool
pp_spaa_rows_sort(struct pp_spaa_out *o, size_t nodes)
{
	uint32_t *at = calloc(nodes + 1, sizeof *at);
	struct pp_spaa_out_row *sorted = malloc((o->from.rows.n + 1) * sizeof *sorted);
	size_t i;

	if (!at || !sorted) {
		free(at);
		free(sorted);
		return false;
	}
	for (i = 0; i < o->from.rows.n; i++)
		at[o->from.rows.at[i].node + 1]++;
	for (i = 0; i < nodes; i++)
		at[i + 1] += at[i];
	for (i = 0; i < o->from.rows.n; i++)
		sorted[at[o->from.rows.at[i].node]++] = o->from.rows.at[i];
	free(at);
	free(o->from.rows.at);
	o->from.rows.at = sorted;
	o->from.rows.cap = o->from.rows.n + 1;
	return true;
}

static int
less_order(const void *a, const void *b)
{
	const struct pp_not_own_row *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

/* What is not the own cost of leaves, by node. */
static bool
less_collect(struct pp_spaa_out *o)
{
	size_t i;

	o->from.less = malloc((o->p->not_own.n + 1) * sizeof *o->from.less);
	if (!o->from.less)
		return false;
	for (i = 0; i < o->p->not_own.n; i++) {
		o->from.less[i] = o->p->not_own.at[i];
		o->from.less[i].node = o->from.map ? o->from.map[o->from.less[i].node]
		                                   : o->from.less[i].node;
	}
	o->from.less_n = o->p->not_own.n;
	qsort(o->from.less, o->from.less_n, sizeof *o->from.less, less_order);
	return true;
}

bool
pp_spaa_out_rows(struct pp_spaa_out *o)
{
	const struct pp_profile *p = o->p;
	uint32_t i, row;

	o->from.tree = &p->tree;
	o->from.many = many_of_series;
	if (p->tree.n <= 1 && (p->lines.rows.n || p->calls.rows.n))
		return rows_flat(o) && pp_spaa_rows_sort(o, o->from.tree->n);
	if (p->held)
		return o->by_func ? list_by_func(o) && pp_spaa_rows_sort(o, o->from.tree->n)
		                  : pp_spaa_out_list(o);
	if (o->by_func && !tree_by_func(o))
		return false;
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++)
			if (pp_series_present(s, row) && !row_add_stack(o, i, row))
				return false;
	}
	return less_collect(o) && pp_spaa_rows_sort(o, o->from.tree->n);
}
