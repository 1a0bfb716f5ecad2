/*
 * Inclusive cost: parents stand before their children, so one backward loop adds everything up.
 */
#include "model/inclusive.h"
#include "base/stops.h"

/* Whether the sum of all absolute own costs fits 63 bits: then no partial sum can overflow either. */
static bool
sums_fit(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	pp_i128 sum = 0;
	size_t i;
	uint32_t row;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++) {
			pp_i128 v = pp_cell_value(m, pp_series_cell(s, row, metric)).i;

			sum += v < 0 ? -v : v;
		}
	}
	return sum <= INT64_MAX;
}

/* Each loop twice is shorter than any way to share them: own costs, then the backward sum. Ends early when it stops. */
#define ADD_OWN(array, type, convert)                                                              \
	for (i = 0; i < p->series.n; i++) {                                                        \
		const struct pp_series *s = &p->series.at[i];                                      \
                                                                                                   \
		for (at = 0; (end = pp_stretch(at, s->rows)) > at; at = end)                       \
			for (row = (uint32_t)at; row < end; row++)                                 \
				(array)[pp_series_node(s, row)] +=                                 \
				    (type)pp_cell_value(m, pp_series_cell(s, row, metric))         \
				        .convert;                                                  \
	}                                                                                          \
	for (at = 1; (end = pp_stretch(at, x->n)) > at; at = end)                                  \
		for (node = (uint32_t)(x->n - at); node > x->n - end; node--)                      \
	(array)[pp_tree_parent(&p->tree, node)] += (array)[node]

bool
pp_inclusive_compute(struct pp_inclusive *x, const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	uint32_t row, node;
	size_t i, at, end;

	*x = (struct pp_inclusive){ .metric = m, .n = p->tree.n };
	if (m->type == PP_REAL) {
		x->real = calloc(x->n, sizeof *x->real);
		if (!x->real)
			return false;
		ADD_OWN(x->real, double, d);
	} else if (sums_fit(p, metric)) {
		x->narrow = calloc(x->n, sizeof *x->narrow);
		if (!x->narrow)
			return false;
		ADD_OWN(x->narrow, int64_t, i);
	} else {
		x->wide = calloc(x->n, sizeof *x->wide);
		if (!x->wide)
			return false;
		ADD_OWN(x->wide, pp_i128, i);
	}
	if (!pp_account_stops())
		return true;
	pp_inclusive_release(x);
	return false;
}

bool
pp_profile_measured(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (!p->series.at[i].measured)
			return false;
	return p->series.n > 0;
}

union pp_value *
pp_measured_compute(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value *cost = calloc(p->tree.n, sizeof *cost);
	size_t i;
	uint32_t row, node;

	for (i = 0; cost && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows && !pp_account_stops_at(row); row++)
			pp_value_add(m, &cost[pp_series_node(s, row)],
			             pp_cell_value(m, pp_series_measured(p, s, row)[metric]));
	}
	for (node = 1; cost && node < p->tree.n && !pp_account_stops_at(node); node++)
		if (pp_tree_parent(&p->tree, node) == 0)
			pp_value_add(m, &cost[0], cost[node]);
	return cost;
}

bool
pp_inclusive_is_stated(const struct pp_profile *p, size_t metric)
{
	return p->metrics.at[metric].type != PP_REAL && pp_profile_measured(p);
}

bool
pp_inclusive_stated(struct pp_inclusive *x, const struct pp_profile *p, size_t metric)
{
	union pp_value *cost;
	uint32_t node;

	if (!pp_inclusive_is_stated(p, metric))
		return pp_inclusive_compute(x, p, metric);
	cost = pp_measured_compute(p, metric);
	*x = (struct pp_inclusive){ .metric = &p->metrics.at[metric], .n = p->tree.n };
	x->wide = cost ? calloc(x->n, sizeof *x->wide) : NULL;
	for (node = 0; x->wide && node < x->n; node++)
		x->wide[node] = cost[node].i;
	free(cost);
	if (x->wide && !pp_account_stops())
		return true;
	pp_inclusive_release(x);
	return false;
}

union pp_value *
pp_own_compute(const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value *own = calloc(p->tree.n, sizeof *own);
	size_t i;
	uint32_t row;

	for (i = 0; own && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows && !pp_account_stops_at(row); row++)
			pp_value_add(m, &own[pp_series_node(s, row)],
			             pp_cell_value(m, pp_series_cell(s, row, metric)));
	}
	return own;
}

/* Adds a cell of a node; false when out of memory. */
static bool
sparse_add(struct pp_gather *g, const struct pp_profile *p, uint32_t metric, pp_node node,
           union pp_value v)
{
	union pp_value *to = pp_gather_at(g, metric, node);

	if (to)
		pp_value_add(&p->metrics.at[metric], to, v);
	return to != NULL;
}

bool
pp_own_sparse(struct pp_gather *g, const struct pp_profile *p)
{
	bool fine = true;
	uint32_t row;
	size_t i, k;

	*g = (struct pp_gather){ .size = sizeof(union pp_value), .seed = p->strs.seed };
	for (i = 0; fine && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; fine && row < s->rows; row++) {
			struct pp_cells cells = pp_series_costs(p, s, row);

			for (k = 0; fine && k < cells.n; k++) {
				uint32_t m = pp_cells_column(&cells, k);

				if (cells.at[k])
					fine = sparse_add(
					    g, p, m, pp_series_node(s, row),
					    pp_cell_value(&p->metrics.at[m], cells.at[k]));
			}
		}
	}
	if (!fine)
		pp_gather_release(g);
	return fine;
}

bool
pp_inclusive_sparse(struct pp_gather *g, const struct pp_profile *p)
{
	bool fine = pp_own_sparse(g, p);
	uint32_t node, cell;

	for (node = p->tree.n; fine && node-- > 1;)
		for (cell = pp_gather_last(g, node); fine && cell; cell = pp_gather_before(g, cell))
			fine = sparse_add(g, p, g->keys.at[cell - 1].row,
			                  pp_tree_parent(&p->tree, node),
			                  *(const union pp_value *)pp_gather_cell(g, cell));
	if (!fine)
		pp_gather_release(g);
	return fine;
}

void
pp_inclusive_release(struct pp_inclusive *x)
{
	free(x->narrow);
	free(x->wide);
	free(x->real);
	*x = (struct pp_inclusive){ 0 };
}

bool
pp_children_compute(struct pp_children *c, const struct pp_profile *p)
{
	size_t at, end;
	uint32_t node;

	c->first = calloc(p->tree.n, sizeof *c->first);
	c->next = calloc(p->tree.n, sizeof *c->next);
	if (!c->first || !c->next) {
		pp_children_release(c);
		return false;
	}
	for (at = 1; (end = pp_stretch(at, p->tree.n)) > at; at = end)
		for (node = (uint32_t)(p->tree.n - at); node > p->tree.n - end; node--) {
			pp_node parent = pp_tree_parent(&p->tree, node);

			c->next[node] = c->first[parent];
			c->first[parent] = node;
		}
	if (!pp_account_stops())
		return true;
	pp_children_release(c);
	return false;
}

void
pp_children_release(struct pp_children *c)
{
	free(c->first);
	free(c->next);
	*c = (struct pp_children){ 0 };
}

pp_func *
pp_frame_funcs(const struct pp_profile *p)
{
	pp_func *funcs = malloc(p->frames.n * sizeof *funcs);
	size_t i;

	for (i = 0; funcs && i < p->frames.n; i++)
		funcs[i] = p->funcs.at[p->frames.at[i].func].same;
	return funcs;
}

bool
pp_frames_are_funcs(const struct pp_profile *p, const pp_func *func_of_frame)
{
	unsigned char *used = calloc(p->funcs.n, 1);
	bool single = used != NULL;
	size_t i;

	for (i = 1; single && i < p->frames.n; i++) {
		single = !used[func_of_frame[i]];
		used[func_of_frame[i]] = 1;
	}
	free(used);
	return single;
}

/* The builder has marked recursion already: outermost is what is not marked. */
static uint64_t *
outermost_from_marks(const struct pp_profile *p)
{
	size_t words = (size_t)p->tree.n / 64 + 1, i;
	uint64_t *bits = calloc(words, sizeof *bits);

	for (i = 0; bits && i < ((size_t)p->tree.n + 63) / 64; i++)
		bits[i] = ~p->tree.recursive[i];
	return bits;
}

uint64_t *
pp_outermost_compute(const struct pp_profile *p, const pp_func *func_of_frame)
{
	struct pp_children c = { 0 };
	pp_node node = 0;
	uint64_t *bits;
	uint32_t *active;
	size_t steps;

	if (p->tree.marks_recursion && p->tree.recursive && pp_frames_are_funcs(p, func_of_frame))
		return outermost_from_marks(p);
	bits = calloc((size_t)p->tree.n / 64 + 1, sizeof *bits);
	active = calloc(p->funcs.n, sizeof *active);
	if (!bits || !active || !pp_children_compute(&c, p)) {
		free(bits);
		bits = NULL;
		goto out;
	}
	/* A walk over the tree without a stack: down to the first child, else to the next sibling, else
	 * up; `active` counts how often each function is on the path. */
	for (steps = 0; !pp_account_stops_at(steps); steps++) {
		if (c.first[node]) {
			node = c.first[node];
		} else {
			while (node && !c.next[node]) {
				active[func_of_frame[pp_tree_frame(&p->tree, node)]]--;
				node = pp_tree_parent(&p->tree, node);
			}
			if (!node)
				break;
			active[func_of_frame[pp_tree_frame(&p->tree, node)]]--;
			node = c.next[node];
		}
		if (active[func_of_frame[pp_tree_frame(&p->tree, node)]]++ == 0)
			bits[node >> 6] |= (uint64_t)1 << (node & 63);
	}
	if (pp_account_stops()) {
		free(bits);
		bits = NULL;
	}
out:
	pp_children_release(&c);
	free(active);
	return bits;
}
