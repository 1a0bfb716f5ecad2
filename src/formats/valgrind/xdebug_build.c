/*
 * What was walked becomes part of the profile: costs of functions, edges, nodes of the tree.
 */
#include "formats/valgrind/xdebug_walk.h"

#include <stdlib.h>

struct building {
	struct pp_cg_parser *parser;
	struct pp_builder *builder;
	const struct pp_xd_walk *walk;
	struct pp_xd_lines *lines;
	const uint32_t *metric; /* by column */
	uint32_t series;
	bool fits;
};

static void
cells_add(struct building *b, int64_t *to, const int64_t *from)
{
	unsigned k;

	for (k = 0; k < b->walk->columns; k++)
		b->fits &= pp_cell_add(PP_INT, &to[b->metric[k]], from[k]);
}

static void
values_add(struct building *b, union pp_value *to, const int64_t *from)
{
	unsigned k;

	for (k = 0; k < b->walk->columns; k++)
		to[b->metric[k]].i += from[k];
}

/* The same of what was gained. */
static void
cells_gain(struct building *b, int64_t *to, const int64_t *from)
{
	unsigned k;

	for (k = 0; k < b->walk->columns; k++)
		if (b->walk->gained[k] != PP_NO_METRIC)
			b->fits &= pp_cell_add(PP_INT, &to[b->walk->gained[k]], from[k]);
}

static void
gains_add(struct building *b, union pp_value *to, const int64_t *from)
{
	unsigned k;

	for (k = 0; k < b->walk->columns; k++)
		if (b->walk->gained[k] != PP_NO_METRIC)
			to[b->walk->gained[k]].i += from[k];
}

static void
build_function(struct building *b, pp_func func, const struct pp_xd_sums *sums)
{
	struct pp_func_costs costs, whole;

	if (!pp_build_func_costs(b->builder, func, &costs) ||
	    !pp_build_func_costs(b->builder, 0, &whole))
		return;
	*costs.calls += sums->calls;
	values_add(b, costs.own, sums->own);
	values_add(b, costs.total, sums->total);
	values_add(b, costs.total, sums->root);
	values_add(b, whole.own, sums->own);
	gains_add(b, costs.own, sums->gained);
	gains_add(b, costs.total, sums->all_gained);
	gains_add(b, whole.own, sums->gained);
	gains_add(b, whole.total, sums->gained);
	if (!(b->builder->profile->funcs.at[func].flags & PP_FUNC_INTERNAL))
		pp_xd_lines_note(b->lines, b->builder, func,
		                 sums->lines_differ ? PP_XD_LINES : sums->line);
}

/* In the order of functions, which does not depend on threads as that of slots does. */
static void
build_functions(struct building *b, const pp_func *func_of)
{
	size_t n = b->builder->profile->funcs.n, i;
	uint32_t *slot_of = calloc(n, sizeof *slot_of);
	struct pp_func_costs whole;

	if (!slot_of || !pp_build_func_costs(b->builder, 0, &whole)) {
		pp_builder_fail(b->builder, PP_E_NOMEM, NULL);
		free(slot_of);
		return;
	}
	*whole.calls += b->walk->roots;
	values_add(b, whole.total, b->walk->root);
	for (i = 1; i < b->walk->sums.n; i++)
		slot_of[func_of ? func_of[i] : i] = (uint32_t)i;
	for (i = 1; i < n && pp_builder_ok(b->builder); i++)
		if (slot_of[i] && b->walk->sums.at[slot_of[i]].calls)
			build_function(b, (pp_func)i, &b->walk->sums.at[slot_of[i]]);
	free(slot_of);
}

static int
edge_cmp(const void *left, const void *right)
{
	const struct pp_xd_edge *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void
build_edges(struct building *b, struct pp_xd_edge *edges, size_t n, const pp_func *func_of)
{
	size_t i;

	for (i = 0; i < n; i++) {
		edges[i].caller = func_of[edges[i].caller];
		edges[i].callee = func_of[edges[i].callee];
	}
	if (n > 1)
		qsort(edges, n, sizeof *edges, edge_cmp);
	for (i = 0; i < n; i++) {
		struct pp_edge_row row = { .caller = edges[i].caller,
			                   .callee = edges[i].callee,
			                   .site_line = edges[i].line,
			                   .series = b->series };
		int64_t *cells = pp_build_edge(b->builder, &row);

		if (!cells)
			return;
		cells[0] += edges[i].calls;
		cells_add(b, cells + 1, edges[i].cost);
		cells_gain(b, cells + 1, edges[i].gained);
	}
}

/* What the nodes gained themselves, and with all below them: parents stand before their children. */
static void
build_gains(struct building *b)
{
	struct pp_profile *p = b->builder->profile;
	size_t n = b->walk->nodes.n, node;
	int64_t *inclusive = calloc(n + 1, sizeof *inclusive), *cells;
	unsigned k;

	if (!inclusive)
		pp_builder_fail(b->builder, PP_E_NOMEM, NULL);
	for (k = 0; inclusive && k < b->walk->columns; k++) {
		uint32_t gained = b->walk->gained[k];

		memset(inclusive, 0, n * sizeof *inclusive);
		for (node = n; gained != PP_NO_METRIC && node-- > 1;) {
			const struct pp_xd_node *row = &b->walk->nodes.at[node];
			pp_node parent = pp_tree_parent(&p->tree, (pp_node)node);

			b->fits &= pp_cell_add(PP_INT, &inclusive[node], row->gained[k]) &&
			           pp_cell_add(PP_INT, &inclusive[parent], inclusive[node]);
			cells = row->calls ? pp_build_cells(b->builder, b->series, (pp_node)node)
			                   : NULL;
			if (!cells)
				continue;
			b->fits &= pp_cell_add(PP_INT, &cells[gained], row->gained[k]) &&
			           pp_cell_add(PP_INT, &cells[p->metrics.n + 1 + gained],
			                       inclusive[node]);
		}
	}
	free(inclusive);
}

static void
build_tree(struct building *b)
{
	size_t node, n = b->builder->profile->metrics.n;

	for (node = 1; node < b->walk->nodes.n; node++) {
		const struct pp_xd_node *row = &b->walk->nodes.at[node];
		int64_t *cells;

		if (!row->calls)
			continue;
		cells = pp_build_cells(b->builder, b->series, (pp_node)node);
		if (!cells)
			return;
		cells[n] += (int64_t)row->calls;
		cells_add(b, cells, row->own);
		cells_add(b, cells + n + 1, row->inclusive);
	}
	if (b->walk->gains && pp_builder_ok(b->builder))
		build_gains(b);
}

bool
pp_xd_build(struct pp_cg_parser *parser, struct pp_xd_walk *walk, struct pp_xd_lines *lines,
            const pp_func *func_of)
{
	struct building b = { parser,
		              parser->builder,
		              walk,
		              lines,
		              pp_cg_part(parser)->events,
		              pp_cg_part(parser)->series,
		              true };

	build_functions(&b, func_of);
	build_edges(&b, walk->edges.at, walk->edges.n, func_of);
	build_tree(&b);
	parser->builder->profile->events += walk->records;
	if (walk->any_calls)
		parser->builder->profile->holds |= PP_EDGES;
	return b.fits;
}
