/*
 * Moves cells from one row of a series to another, or out of it. Nodes without any cost left are
 * removed, unless timelines of calls refer to them.
 */
#include "analysis/set_aside.h"

#include <stdlib.h>

#include "base/stops.h"
#include "model/builder.h"
#include "model/derive.h"
#include "model/flat.h"
#include "model/leaf_kind.h"
#include "model/schema.h"

struct setting {
	const struct pp_profile *from;
	struct pp_profile *to;
	uint8_t *kind;    /* by function: enum pp_leaf_kind */
	bool *allocation; /* by metric */
	pp_node *site;    /* by node: where the cost of allocators goes */
	uint32_t *row_of; /* by node: its row in the series at hand + 1, where that is sparse */
	uint8_t *gone;    /* by row of the series at hand: nothing is left of it */
};

/* ---- kinds and sites -------------------------------------------------------------------- */

static enum pp_leaf_kind
node_kind(const struct setting *s, pp_node node)
{
	return node ? (enum pp_leaf_kind)s->kind[pp_node_func(s->from, node)] : PP_LEAF_PLAIN;
}

/* The kinds of all functions, as bits; allocators only where memory is counted. */
static unsigned
kinds_find(const struct pp_profile *p, uint8_t *kind)
{
	bool memory = pp_profile_has_allocations(p);
	unsigned all = 0;
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		enum pp_leaf_kind is = PP_LEAF_PLAIN;

		if (memory)
			is = pp_leaf_kind_of(p, (pp_func)i);
		else if (pp_name_is_idle(pp_text_of(p, p->funcs.at[i].name)))
			is = PP_LEAF_IDLE;
		if (kind)
			kind[i] = (uint8_t)is;
		all |= 1u << is;
	}
	return all & ~(1u << PP_LEAF_PLAIN);
}

static void
sites_find(struct setting *s)
{
	const struct pp_tree *t = &s->from->tree;
	pp_node node, parent;

	for (node = 1; node < t->n && !pp_account_stops_at(node); node++) {
		parent = pp_tree_parent(t, node);
		s->site[node] = node_kind(s, node) == PP_LEAF_ALLOCATOR && parent ? s->site[parent]
		                                                                  : node;
	}
}

/* Whether any row of the series is of a node that is not the site of its own cost. */
static bool
anything_moves(const struct setting *s)
{
	const struct pp_profile *p = s->from;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++) {
			pp_node node = pp_series_node(&p->series.at[i], row);

			if (pp_series_present(&p->series.at[i], row) &&
			    (s->site[node] != node || node_kind(s, node) == PP_LEAF_IDLE))
				return true;
		}
	return false;
}

/* ---- cells ------------------------------------------------------------------------------ */

/* A cell of a series' block; NULL when out of memory. */
static int64_t *
block_cell(const struct pp_cell_block *b, size_t row, size_t column)
{
	return *b->wide ? pp_wide_at(*b->wide, row, (uint32_t)column)
	                : &(*b->cells)[row * b->stride + column];
}

/* Room for one more row in a sparse series. */
static bool
series_grow(struct pp_series *s)
{
	size_t cap = s->rows_cap + s->rows_cap / 2 + 16;
	pp_node *node_of = realloc(s->node_of, cap * sizeof *node_of);
	int64_t *cells = s->cells;

	if (node_of)
		s->node_of = node_of;
	if (node_of && !s->wide)
		cells = realloc(s->cells, (cap * s->stride + 1) * sizeof *cells);
	if (!node_of || (!cells && !s->wide) || cap > UINT32_MAX)
		return false;
	s->cells = cells;
	s->rows_cap = (uint32_t)cap;
	return true;
}

/* The row of a node, made when absent; PP_MAP_NONE when out of memory. */
static uint32_t
series_row(struct setting *set, struct pp_series *s, pp_node node)
{
	if (s->dense) {
		s->present[node >> 6] |= (uint64_t)1 << (node & 63);
		return node;
	}
	if (set->row_of[node])
		return set->row_of[node] - 1;
	if (s->rows == s->rows_cap && !series_grow(s))
		return PP_MAP_NONE;
	if (s->wide ? !pp_wide_push(s->wide) : false)
		return PP_MAP_NONE;
	if (!s->wide)
		memset(s->cells + (size_t)s->rows * s->stride, 0, s->stride * sizeof *s->cells);
	s->node_of[s->rows] = node;
	set->row_of[node] = ++s->rows;
	return s->rows - 1;
}

/* Takes a cost out of the measured totals of a node and its callers, up to one that keeps it. */
static void
measured_less(struct setting *set, size_t series, pp_node node, pp_node upto, size_t metric,
              int64_t cost)
{
	struct pp_series *s = &set->to->series.at[series];
	const struct pp_cell_block b = pp_cell_block(set->to, series);
	enum pp_cell_type type = set->to->metrics.at[metric].type;

	for (; s->measured && node && node != upto; node = pp_tree_parent(&set->from->tree, node)) {
		uint32_t row = s->dense ? node + 1 : set->row_of[node];
		int64_t *cell = row ? block_cell(&b, row - 1, b.set[1] + metric) : NULL;

		if (cell)
			*cell = pp_cell_gain(type, cost, *cell);
	}
}

/* Moves what a row of an allocator costs to its site. False when out of memory. */
static bool
row_attribute(struct setting *set, size_t series, uint32_t row)
{
	struct pp_series *s = &set->to->series.at[series];
	const struct pp_profile *p = set->to;
	pp_node node = pp_series_node(s, row), site = set->site[node];
	size_t m;

	for (m = 0; m < p->metrics.n; m++) {
		int64_t cost = pp_series_cell(s, row, m), *cell;
		uint32_t to;

		if (!cost || !set->allocation[m])
			continue;
		to = series_row(set, s, site);
		if (to == PP_MAP_NONE)
			return false;
		const struct pp_cell_block b = pp_cell_block(set->to, series);

		cell = block_cell(&b, to, m);
		if (!cell)
			return false;
		/* A sum that does not fit stays where it is. */
		if (!pp_cell_add(p->metrics.at[m].type, cell, cost))
			continue;
		cell = block_cell(&b, row, m);
		if (!cell)
			return false;
		*cell = 0;
		measured_less(set, series, node, site, m, cost);
		set->to->aside.at[m].attributed = true;
	}
	return true;
}

/* Takes out what an idle row costs. */
static bool
row_idle(struct setting *set, size_t series, uint32_t row)
{
	struct pp_series *s = &set->to->series.at[series];
	const struct pp_profile *p = set->to;
	const struct pp_cell_block b = pp_cell_block(set->to, series);
	size_t m;

	for (m = 0; m < p->metrics.n; m++) {
		int64_t cost = pp_series_cell(s, row, m), *cell;

		if (!cost)
			continue;
		cell = block_cell(&b, row, m);
		if (!cell)
			return false;
		*cell = 0;
		pp_value_add(&p->metrics.at[m], &set->to->aside.at[m].idle,
		             pp_cell_value(&p->metrics.at[m], cost));
		measured_less(set, series, pp_series_node(s, row), 0, m, cost);
	}
	return true;
}

/* Whether nothing is left of a row, calls included unless nothing ran. */
static bool
row_is_empty(const struct setting *set, const struct pp_series *s, uint32_t row)
{
	struct pp_cells cells = pp_series_costs(set->to, s, row);
	bool idle = node_kind(set, pp_series_node(s, row)) == PP_LEAF_IDLE;
	size_t i;

	for (i = 0; i < cells.n; i++)
		if (cells.at[i])
			return false;
	return idle || !s->has_calls || !pp_series_cells(s, row)[set->to->metrics.n];
}

/* Leaves out the rows of a sparse series that nothing is left of. */
static bool
rows_close_up(struct setting *set, struct pp_series *s)
{
	uint32_t row, n = 0;
	bool *stays = s->wide ? calloc(s->rows + 1, sizeof *stays) : NULL;

	if (s->wide && !stays)
		return false;
	for (row = 0; row < s->rows; row++) {
		if (set->gone[row])
			continue;
		if (stays)
			stays[row] = true;
		else
			memmove(s->cells + (size_t)n * s->stride,
			        s->cells + (size_t)row * s->stride, s->stride * sizeof *s->cells);
		s->node_of[n++] = s->node_of[row];
	}
	if (stays)
		pp_wide_keep(s->wide, stays);
	free(stays);
	s->rows = n;
	return true;
}

/* Settles the rows of a series that there were; those that are made meanwhile are sites. */
static bool
series_settle(struct setting *set, size_t series)
{
	struct pp_series *s = &set->to->series.at[series];
	uint32_t rows = s->rows, row;
	bool fine = true;

	free(set->gone);
	set->gone = calloc((size_t)2 * rows + 1, 1);
	if (!set->gone)
		return false;
	for (row = 0; row < rows && !s->dense; row++)
		set->row_of[s->node_of[row]] = row + 1;
	for (row = 0; fine && row < rows && !pp_account_stops_at(row); row++) {
		pp_node node = pp_series_node(s, row);
		bool idle = node_kind(set, node) == PP_LEAF_IDLE;

		if (!pp_series_present(s, row) || (set->site[node] == node && !idle))
			continue;
		fine = idle ? row_idle(set, series, row) : row_attribute(set, series, row);
		set->gone[row] = fine && row_is_empty(set, s, row);
		if (set->gone[row] && s->dense)
			s->present[row >> 6] &= ~((uint64_t)1 << (row & 63));
	}
	for (row = 0; row < s->rows && !s->dense; row++)
		set->row_of[s->node_of[row]] = 0;
	return fine && (s->dense || rows_close_up(set, s));
}

/* Part of a cost that is not a leaf's own follows it. */
static void
not_own_settle(struct setting *set)
{
	struct pp_profile *p = set->to;
	size_t i, n = 0;

	for (i = 0; i < p->not_own.n; i++) {
		struct pp_not_own_row row = p->not_own.at[i];

		if (node_kind(set, row.node) == PP_LEAF_IDLE)
			continue;
		row.node = set->allocation[row.metric] ? set->site[row.node] : row.node;
		p->not_own.at[n++] = row;
	}
	p->not_own.n = n;
}

/* ---- nodes ------------------------------------------------------------------------------ */

enum { NODE_STAYS = 1, NODE_LED_TO_IDLENESS };

/* Keeps all nodes but allocators and idleness that have no cost left, also below. */
static uint8_t *
nodes_judge(const struct setting *set)
{
	const struct pp_profile *p = set->to;
	const struct pp_tree *t = &p->tree;
	uint8_t *stays = calloc(t->n, 1);
	uint32_t row;
	pp_node node;
	size_t i;

	for (i = 0; stays && i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++)
			if (pp_series_present(&p->series.at[i], row))
				stays[pp_series_node(&p->series.at[i], row)] = NODE_STAYS;
	for (node = t->n; stays && node-- > 1;) {
		enum pp_leaf_kind kind = node_kind(set, node);
		pp_node parent = pp_tree_parent(t, node);

		/* Callers of nothing but idleness go with it, as where costs are added up without a tree. */
		if (!stays[node] && kind == PP_LEAF_PLAIN)
			stays[node] = NODE_STAYS;
		if (stays[node] == NODE_STAYS)
			stays[parent] = NODE_STAYS;
		else if (!stays[parent] && (stays[node] || kind == PP_LEAF_IDLE))
			stays[parent] = NODE_LED_TO_IDLENESS;
		/* All below is known, and the parent told. */
		if (stays[node] != NODE_STAYS)
			stays[node] = 0;
	}
	return stays;
}

/* Numbers the rows of a series by the nodes of the new tree, whose order is that of the old one. */
static void
series_renumber(struct pp_series *s, const uint8_t *stays, const pp_node *map)
{
	uint32_t row, n = 0;

	for (row = 0; row < s->rows && !s->dense; row++)
		s->node_of[row] = map[s->node_of[row]];
	for (row = 0; row < s->rows && s->dense; row++) {
		uint64_t bit = (uint64_t)1 << (map[row] & 63);
		bool there = pp_series_present(s, row);

		if (row && !stays[row])
			continue;
		if (map[row] != row)
			memmove(s->cells + (size_t)map[row] * s->stride,
			        s->cells + (size_t)row * s->stride, s->stride * sizeof *s->cells);
		if (there)
			s->present[map[row] >> 6] |= bit;
		else
			s->present[map[row] >> 6] &= ~bit;
		n = map[row] + 1;
	}
	if (s->dense)
		s->rows = n;
}

/* Returns whether samples are all that timelines contain: calls and returns lead from node to node. */
static bool
timelines_can_follow(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].timeline.n && p->series.at[i].timeline.cumulative)
			return false;
	return true;
}

/* Returns where samples of a node go: to the site if all metrics count memory. */
static pp_node
sample_node(const struct setting *set, pp_node node)
{
	size_t m;

	for (m = 0; m < set->to->metrics.n; m++)
		if (!set->allocation[m])
			return node;
	return set->site[node];
}

/* Writes a timeline again for the new tree; nothing runs while a thread is idle. */
static bool
timeline_follow(const struct setting *set, const struct pp_timeline *from, const pp_node *map,
                struct pp_timeline *to)
{
	int64_t *nothing = calloc(from->columns + 1, sizeof *nothing);
	struct pp_timeline_iter it;
	bool fine = nothing && pp_timeline_init(to, from->columns, from->cumulative);

	if (!fine || !pp_timeline_begin(from, &it, 0)) {
		free(nothing);
		return false;
	}
	while (fine && pp_timeline_next(&it)) {
		struct pp_event event = it.event;
		bool idle = event.kind == PP_EVENT_SAMPLE &&
		            node_kind(set, event.node) == PP_LEAF_IDLE;

		if (idle)
			event.kind = PP_EVENT_EXIT;
		event.node = idle ? 0 : map[sample_node(set, event.node)];
		fine = pp_timeline_add(to, &event, idle ? nothing : it.values);
	}
	pp_timeline_end(&it);
	pp_timeline_seal(to);
	free(nothing);
	return fine;
}

/* Writes all timelines again. False when out of memory. */
static bool
timelines_follow(struct setting *set, const pp_node *map, struct pp_derive *d)
{
	const struct pp_profile *p = set->from;
	bool fine = pp_derive_empty(d, PP_COLUMN_TIMES);
	size_t i;

	for (i = 0; fine && i < p->series.n; i++)
		if (p->series.at[i].timeline.n)
			fine = timeline_follow(set, &p->series.at[i].timeline, map,
			                       &set->to->series.at[i].timeline);
	return fine;
}

/* Leaves out nodes that nothing is left of. False when out of memory. */
static bool
tree_trim(struct setting *set, struct pp_derive *d)
{
	struct pp_profile *p = set->to;
	pp_node *map = calloc(p->tree.n, sizeof *map);
	uint8_t *stays = nodes_judge(set);
	struct pp_tree tree = { 0 };
	bool fine = map && stays && pp_tree_pick(&tree, &p->tree, stays, NODE_STAYS, map);
	size_t i;

	for (i = 0; fine && i < p->series.n; i++)
		series_renumber(&p->series.at[i], stays, map);
	for (i = 0; fine && i < p->not_own.n; i++)
		p->not_own.at[i].node = map[p->not_own.at[i].node];
	fine = fine && timelines_follow(set, map, d);
	free(map);
	free(stays);
	if (!fine || !pp_derive_empty(d, PP_COLUMN_TREE)) {
		pp_tree_release(&tree);
		return false;
	}
	pp_tree_release(&p->tree);
	p->tree = tree;
	return true;
}

/* ---- costs that the file states --------------------------------------------------------- */

/* Adds the costs of functions in a tree to the stated ones, or subtracts them. */
static bool
costs_add(struct setting *set, const struct pp_flat *flat, bool less, uint32_t *row_of)
{
	const struct pp_profile *p = set->to;
	struct pp_costs_facet *costs = &set->to->costs;
	size_t n = p->metrics.n, row, m;

	for (row = 0; row < flat->n; row++) {
		uint32_t *at = &row_of[flat->func[row]];
		union pp_value *cells;

		if (!*at) {
			if (!pp_vec_push(&costs->funcs, flat->func[row]) ||
			    (costs->calls.n && !pp_vec_push(&costs->calls, 0)) ||
			    !pp_vec_reserve(&costs->cells, costs->cells.n + 2 * n))
				return false;
			*at = (uint32_t)costs->funcs.n - 1;
			for (m = 0; m < 2 * n; m++)
				costs->cells.at[costs->cells.n++] = pp_value_zero(
				    &p->metrics.at[m % n]);
		}
		cells = costs->cells.at + *at * 2 * n;
		for (m = 0; m < n; m++) {
			struct pp_cost_pair cost = pp_flat_get(flat, row, m);
			const struct pp_metric *metric = &p->metrics.at[m];

			(less ? pp_value_sub : pp_value_add)(metric, &cells[m], cost.own);
			(less ? pp_value_sub : pp_value_add)(metric, &cells[n + m], cost.total);
		}
	}
	return true;
}

/* Removes rows of allocators and idleness that have no cost left. */
static void
costs_close_up(struct setting *set)
{
	struct pp_costs_facet *costs = &set->to->costs;
	size_t n = set->to->metrics.n, row, kept = 1, m;

	for (row = 1; row < costs->funcs.n; row++) {
		const union pp_value *cells = costs->cells.at + row * 2 * n;
		bool stays = set->kind[set->to->funcs.at[costs->funcs.at[row]].same] ==
		             PP_LEAF_PLAIN;

		for (m = 0; m < 2 * n && !stays; m++)
			stays = !pp_value_is_zero(&set->to->metrics.at[m % n], cells[m]);
		if (!stays)
			continue;
		memmove(costs->cells.at + kept * 2 * n, cells, 2 * n * sizeof *cells);
		if (costs->calls.n)
			costs->calls.at[kept] = costs->calls.at[row];
		costs->funcs.at[kept++] = costs->funcs.at[row];
	}
	costs->funcs.n = kept;
	costs->cells.n = kept * 2 * n;
	costs->calls.n = costs->calls.n ? kept : 0;
}

/*
 * Changes stated costs of functions by the difference that the stacks show: a file that rounded its
 * stacks states other sums. False when out of memory.
 */
static bool
costs_settle(struct setting *set)
{
	struct pp_costs_facet *costs = &set->to->costs;
	uint32_t *row_of = calloc(set->to->funcs.n + 1, sizeof *row_of);
	struct pp_flat before = { 0 }, after = { 0 };
	struct pp_derive plain;
	size_t n = set->to->metrics.n, i;
	bool fine = row_of && pp_derive_init(&plain, set->from, 0, PP_COLUMN_COSTS);

	if (!fine) {
		free(row_of);
		return false;
	}
	pp_profile_forget_stated(plain.to);
	costs->stated = false;
	fine = pp_flat_compute(plain.to, &before) == PP_OK &&
	       pp_flat_compute(set->to, &after) == PP_OK;
	costs->stated = true;
	for (i = 1; i < costs->funcs.n; i++)
		row_of[set->to->funcs.at[costs->funcs.at[i]].same] = (uint32_t)i;
	fine = fine && costs_add(set, &after, false, row_of) &&
	       costs_add(set, &before, true, row_of);
	for (i = 0; fine && i < 2 * n; i++)
		pp_value_sub(&set->to->metrics.at[i % n], &costs->cells.at[i],
		             set->to->aside.at[i % n].idle);
	if (fine)
		costs_close_up(set);
	pp_flat_release(&before);
	pp_flat_release(&after);
	pp_profile_release(plain.to);
	free(row_of);
	return fine;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool
setting_init(struct setting *s, const struct pp_profile *p)
{
	size_t m;

	*s = (struct setting){ .from = p };
	s->kind = calloc(p->funcs.n + 1, sizeof *s->kind);
	s->allocation = calloc(p->metrics.n + 1, sizeof *s->allocation);
	s->site = calloc(p->tree.n + 1, sizeof *s->site);
	s->row_of = calloc(p->tree.n + 1, sizeof *s->row_of);
	if (!s->kind || !s->allocation || !s->site || !s->row_of)
		return false;
	for (m = 0; m < p->metrics.n; m++)
		s->allocation[m] = pp_metric_is_allocation(p, m);
	(void)kinds_find(p, s->kind);
	sites_find(s);
	return true;
}

static void
setting_release(struct setting *s)
{
	free(s->kind);
	free(s->allocation);
	free(s->site);
	free(s->row_of);
	free(s->gone);
}

static bool
aside_start(struct setting *set)
{
	struct pp_profile *p = set->to;

	while (p->aside.n < p->metrics.n)
		if (!pp_vec_push(&p->aside,
		                 ((struct pp_aside_row){
		                     .idle = pp_value_zero(&p->metrics.at[p->aside.n]) })))
			return false;
	return true;
}

static pp_status
derive(struct setting *s, struct pp_profile **out)
{
	const unsigned own = PP_COLUMN_METRICS | PP_COLUMN_ROWS | PP_COLUMN_NOT_OWN |
	                     PP_COLUMN_COSTS;
	bool stated = s->from->costs.stated && s->from->costs.funcs.n && !s->from->costs.wide;
	struct pp_derive d;
	bool fine;
	size_t i;

	/* Edges and lines cannot be divided by stacks: the tree answers alone from here on. */
	if (!pp_derive_init(&d, s->from, own, PP_COLUMN_CALLS | PP_COLUMN_LINES))
		return PP_E_NOMEM;
	s->to = d.to;
	if (stated)
		d.to->calls.adds_up = d.to->lines.adds_up = false;
	else
		pp_profile_forget_stated(d.to);
	d.to->facets &= ~(unsigned)(PP_EDGES | PP_LINES);
	fine = aside_start(s);
	for (i = 0; fine && i < d.to->series.n; i++)
		fine = series_settle(s, i);
	if (fine)
		not_own_settle(s);
	if (fine && stated)
		fine = costs_settle(s);
	fine = fine && (!timelines_can_follow(d.to) || tree_trim(s, &d)) && !pp_account_stops();
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

pp_status
pp_set_aside_derive(const struct pp_profile *p, struct pp_profile **out)
{
	enum pp_basis basis = pp_profile_basis(p);
	struct setting s = { 0 };
	pp_status status = PP_OK;

	*out = NULL;
	/* Calls and lines that say what functions cost cannot be divided by stacks. */
	if (basis == PP_BASIS_CALLS || basis == PP_BASIS_LINES)
		return PP_OK;
	if (p->tree.n <= 1 || !kinds_find(p, NULL))
		return PP_OK;
	if (!setting_init(&s, p))
		status = PP_E_NOMEM;
	else if (anything_moves(&s))
		status = derive(&s, out);
	setting_release(&s);
	return status;
}

bool
pp_set_aside_needs_stacks(const struct pp_profile *p)
{
	bool memory = pp_profile_has_allocations(p), needs = false;
	size_t i, m;

	for (i = 1; p->tree.n <= 1 && i < p->costs.funcs.n && !needs; i++) {
		pp_func func = p->costs.funcs.at[i];

		/* There may be many profiles of few functions each, whose names are shared. */
		if (memory ? pp_leaf_kind_of(p, func) == PP_LEAF_PLAIN
		           : !pp_name_is_idle(pp_text_of(p, p->funcs.at[func].name)))
			continue;
		for (m = 0; m < p->metrics.n && !needs; m++)
			needs = !pp_value_is_zero(&p->metrics.at[m], pp_costs_get(p, i, m).own);
	}
	return needs;
}

const char *
pp_set_aside_note(const struct pp_profile *p, size_t metric)
{
	struct pp_aside_row aside = pp_profile_aside(p, metric);

	if (aside.attributed)
		return "the cost of allocators is shown at their callers";
	if (metric < p->aside.n && !pp_value_is_zero(&p->metrics.at[metric], aside.idle))
		return "idle time is left out";
	return NULL;
}
