/*
 * Pairs of caller and callee with levels of recursion.
 */
#include "formats/kit/level_calls.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "formats/format.h"
#include "formats/kit/tree_walk.h"

#define NO_STACK "[no stack]"

/* ---- names and pairs ---------------------------------------------------------------------- */

/* The name of a function at a level of recursion as it can be written; false when out of memory. */
static bool
name_of(struct pp_level_calls *c, pp_func func, uint32_t level, pp_str *id)
{
	struct pp_slice name = pp_text_of(c->profile, c->profile->funcs.at[func].name);
	size_t n = strlen(c->separator), i;
	struct pp_buf clean = { 0 }, marked = { 0 };
	bool is_new, ok;

	pp_utf8_scrub(&clean, name);
	for (i = 0; i < clean.n; i++) {
		pp_buf_addc(&marked, clean.p[i]);
		/* Where the separator stands, its first byte goes, as often as need be. */
		while (marked.n >= n && memcmp(marked.p + marked.n - n, c->separator, n) == 0) {
			memmove(marked.p + marked.n - n, c->separator + 1, n - 1);
			marked.n--;
		}
	}
	c->changed += !pp_slice_eq(name, pp_slice_of(marked.p, marked.n));
	if (level)
		pp_buf_addf(&marked, "@%u", level);
	ok = !clean.failed && !marked.failed &&
	     pp_strtab_intern(&c->names, marked.p, marked.n, id, &is_new);
	c->recursive += ok && level && is_new;
	pp_buf_release(&clean);
	pp_buf_release(&marked);
	return ok;
}

/* The row of a pair, made when absent; PP_MAP_NONE when out of memory. */
static uint32_t
pair_row(struct pp_level_calls *c, pp_str caller, pp_str callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t row = pp_map_get(&c->row_of, key);

	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)c->pairs.n;
	if (!pp_ledger_grow(&c->costs, row, (size_t)row + 1) ||
	    !pp_vec_push(&c->pairs, (struct pp_level_pair){ .caller = caller, .callee = callee }) ||
	    !pp_map_set(&c->row_of, key, row))
		return PP_MAP_NONE;
	return row;
}

/* ---- from the tree ------------------------------------------------------------------------ */

/* What is known of the tree's functions and nodes on the way through it. */
struct levels {
	struct pp_map name_of; /* function and level to name */
	uint32_t *running;     /* by function: how often it is on the stack */
	pp_str *name;          /* by node */
	uint32_t *row;         /* by node */
};

static bool
node_enter(struct pp_level_calls *c, struct levels *l, pp_node node)
{
	pp_func func = pp_node_func(c->profile, node);
	pp_node parent = pp_tree_parent(&c->profile->tree, node);
	uint32_t level = l->running[func]++;
	uint64_t key = (uint64_t)func << 32 | level;

	l->name[node] = pp_map_get(&l->name_of, key);
	if (l->name[node] == PP_MAP_NONE && (!name_of(c, func, level, &l->name[node]) ||
	                                     !pp_map_set(&l->name_of, key, l->name[node])))
		return false;
	l->row[node] = pair_row(c, parent ? l->name[parent] : PP_FROM_OUTSIDE, l->name[node]);
	return l->row[node] != PP_MAP_NONE;
}

static bool
nodes_name(struct pp_level_calls *c, struct levels *l)
{
	struct pp_tree_walk x;
	bool ok = pp_tree_walk_begin(&x, c->profile);

	while (ok && pp_tree_walk_next(&x))
		if (x.leaving)
			l->running[pp_node_func(c->profile, x.node)]--;
		else
			ok = node_enter(c, l, x.node);
	pp_tree_walk_release(&x);
	return ok;
}

/* Counts calls, and finds the row of what has no stack: PP_MAP_NONE when there is none. */
static bool
rows_count(struct pp_level_calls *c, struct levels *l)
{
	const struct pp_profile *p = c->profile;
	bool rootless = false, is_new;
	size_t i;
	uint32_t r;
	pp_str name;

	l->row[0] = PP_MAP_NONE;
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		c->has_calls |= s->has_calls;
		for (r = 0; r < s->rows; r++) {
			pp_node node = pp_series_node(s, r);

			rootless |= node == 0 && pp_series_present(s, r);
			if (node && s->has_calls)
				pp_count_add(&c->pairs.at[l->row[node]].calls,
				             (uint64_t)pp_series_cells(s, r)[p->metrics.n]);
		}
	}
	if (!rootless)
		return true;
	if (!pp_strtab_intern(&c->names, NO_STACK, strlen(NO_STACK), &name, &is_new))
		return false;
	l->row[0] = pair_row(c, PP_FROM_OUTSIDE, name);
	return l->row[0] != PP_MAP_NONE;
}

static bool
costs_add(struct pp_level_calls *c, const struct levels *l, size_t metric)
{
	const struct pp_profile *p = c->profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_inclusive inclusive;
	union pp_value rest;
	pp_node node;

	if (!pp_inclusive_compute(&inclusive, p, metric))
		return false;
	rest = pp_inclusive_of(&inclusive, 0);
	for (node = 1; node < p->tree.n; node++) {
		union pp_value cost = pp_inclusive_of(&inclusive, node);

		pp_ledger_add(&c->costs, l->row[node], metric, cost);
		if (pp_tree_parent(&p->tree, node) == 0)
			pp_value_sub(m, &rest, cost);
	}
	if (l->row[0] != PP_MAP_NONE)
		pp_ledger_add(&c->costs, l->row[0], metric, rest);
	pp_inclusive_release(&inclusive);
	return !c->costs.failed;
}

static bool
tree_collect(struct pp_level_calls *c)
{
	const struct pp_profile *p = c->profile;
	struct levels l = { .name_of = { .seed = p->strs.seed },
		            .running = calloc(p->funcs.n, sizeof *l.running),
		            .name = calloc(p->tree.n, sizeof *l.name),
		            .row = calloc(p->tree.n, sizeof *l.row) };
	bool ok = l.running && l.name && l.row && nodes_name(c, &l) && rows_count(c, &l);
	size_t m;

	for (m = 0; ok && m < p->metrics.n; m++)
		ok = costs_add(c, &l, m);
	pp_map_release(&l.name_of);
	free(l.running);
	free(l.name);
	free(l.row);
	return ok;
}

/* ---- from calls --------------------------------------------------------------------------- */

/* The names of functions, by identity, made when they are needed. */
static bool
func_named(struct pp_level_calls *c, pp_str *name, pp_func func)
{
	return name[func] != PP_MAP_NONE || name_of(c, func, 0, &name[func]);
}

static bool
calls_take(struct pp_level_calls *c, pp_str *name)
{
	const struct pp_profile *p = c->profile;
	size_t i;

	c->has_calls = pp_calls_counted(p);
	for (i = 0; i < p->calls.rows.n; i++) {
		pp_func caller = p->funcs.at[p->calls.rows.at[i].caller].same;
		pp_func callee = p->funcs.at[p->calls.rows.at[i].callee].same;
		uint32_t row;

		if ((caller && !func_named(c, name, caller)) || !func_named(c, name, callee))
			return false;
		row = pair_row(c, caller ? name[caller] : PP_FROM_OUTSIDE, name[callee]);
		if (row == PP_MAP_NONE)
			return false;
		pp_count_add(&c->pairs.at[row].calls, (uint64_t)pp_edge_cell(p, i, 0));
		pp_ledger_add_cells(&c->costs, row, pp_edge_costs(p, i));
	}
	return !c->costs.failed;
}

/* By function: what it costs itself and calls, less what its callers account for. */
static bool
rests_compute(const struct pp_profile *p, struct pp_ledger *rest)
{
	size_t i;

	if (!pp_profile_own(p, PP_ALL_SERIES, false, rest))
		return false;
	for (i = 0; i < p->calls.rows.n; i++) {
		pp_ledger_add_cells(rest, p->funcs.at[p->calls.rows.at[i].caller].same,
		                    pp_edge_costs(p, i));
		pp_ledger_sub_cells(rest, p->funcs.at[p->calls.rows.at[i].callee].same,
		                    pp_edge_costs(p, i));
	}
	return !rest->failed;
}

/* Calls from outside, for functions that cost more than their callers say, or that have none. */
static bool
rests_add(struct pp_level_calls *c, pp_str *name)
{
	const struct pp_profile *p = c->profile;
	struct pp_ledger rest = { 0 };
	bool *called = pp_funcs_called(p, false), ok = rests_compute(p, &rest) && called;
	size_t i, k;

	for (i = 1; ok && i < p->funcs.n; i++) {
		bool has = name[i] != PP_MAP_NONE && !called[i];
		struct pp_values left = pp_ledger_row(&rest, i);
		uint32_t row;

		for (k = 0; k < left.n; k++)
			has |= !pp_value_is_zero(&p->metrics.at[pp_values_metric(&left, k)],
			                         left.at[k]);
		if (!has)
			continue;
		ok = func_named(c, name, (pp_func)i) &&
		     (row = pair_row(c, PP_FROM_OUTSIDE, name[i])) != PP_MAP_NONE;
		if (ok)
			pp_ledger_add_values(&c->costs, row, left);
	}
	free(called);
	pp_ledger_release(&rest);
	return ok && !c->costs.failed;
}

static bool
calls_collect(struct pp_level_calls *c)
{
	const struct pp_profile *p = c->profile;
	pp_str *name = malloc(p->funcs.n * sizeof *name);
	bool ok = name != NULL;
	size_t i;

	for (i = 0; ok && i < p->funcs.n; i++)
		name[i] = PP_MAP_NONE;
	ok = ok && calls_take(c, name) && (pp_calls_are_all(p) || rests_add(c, name));
	free(name);
	return ok;
}

/* ---- either ------------------------------------------------------------------------------- */

/* Whether all that is to be written has 64 bits; notes what is rounded. */
static pp_status
values_check(const struct pp_level_calls *c, struct pp_writer *w)
{
	const struct pp_profile *p = c->profile;
	size_t i, k;

	for (i = 0; i < c->pairs.n; i++) {
		struct pp_values costs = pp_ledger_row(&c->costs, i);
		bool fits = c->pairs.at[i].calls <= INT64_MAX;
		int64_t whole;

		for (k = 0; k < costs.n; k++) {
			uint32_t m = pp_values_metric(&costs, k);
			bool rounded = false;

			fits &= pp_value_whole(&p->metrics.at[m], costs.at[k], c->columns[m].unit,
			                       &whole, &rounded);
			w->loss.rounded += rounded;
		}
		if (!fits) {
			pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_VALUES], PP_NOWHERE,
			            "values exceed 64 bits");
			return PP_E_LIMIT;
		}
	}
	return PP_OK;
}

int64_t
pp_level_calls_whole(const struct pp_level_calls *c, size_t pair, size_t metric)
{
	int64_t whole = 0;
	bool rounded;

	if (c->root && pair + 1 == c->pairs.n)
		return c->root[metric];
	(void)pp_value_whole(&c->profile->metrics.at[metric],
	                     pp_ledger_get(&c->costs, pair, metric), c->columns[metric].unit,
	                     &whole, &rounded);
	return whole;
}

pp_status
pp_level_calls_collect(struct pp_level_calls *c, struct pp_writer *w, const char *separator,
                       const struct pp_key_column *columns)
{
	const struct pp_profile *p = w->profile;
	pp_status status;

	*c = (struct pp_level_calls){ .profile = p,
		                      .separator = separator,
		                      .columns = columns,
		                      .row_of = { .seed = p->strs.seed } };
	if (!pp_strtab_init(&c->names, p->strs.seed) || !pp_ledger_init(&c->costs, p, 0) ||
	    !(pp_profile_basis(p) == PP_BASIS_TREE ? tree_collect(c) : calls_collect(c)))
		return PP_E_NOMEM;
	status = values_check(c, w);
	w->loss.names += c->changed;
	w->loss.more[PP_TRAIT_RECURSION] += (int64_t)c->recursive;
	return status;
}

bool
pp_level_calls_has_root(const struct pp_level_calls *c, const char *name)
{
	pp_str id;

	return pp_strtab_find(&c->names, name, strlen(name), &id) &&
	       pp_map_get(&c->row_of, (uint64_t)PP_FROM_OUTSIDE << 32 | id) != PP_MAP_NONE;
}

bool
pp_level_calls_wrap(struct pp_level_calls *c, const char *name)
{
	struct pp_level_pair root = { .caller = PP_FROM_OUTSIDE, .calls = 1 };
	bool is_new;
	size_t n = c->profile->metrics.n, rows = c->pairs.n, i, k;
	int64_t *sum = calloc(n + 1, sizeof *sum);
	bool fits = sum && pp_ledger_grow(&c->costs, rows, rows + 1) &&
	            pp_strtab_intern(&c->names, name, strlen(name), &root.callee, &is_new);

	/* Of numbers as they are written, so that nothing is left as its own. */
	for (i = 0; fits && i < rows; i++) {
		struct pp_values costs = pp_ledger_row(&c->costs, i);

		if (c->pairs.at[i].caller != PP_FROM_OUTSIDE)
			continue;
		for (k = 0; k < costs.n; k++) {
			uint32_t m = pp_values_metric(&costs, k);

			(void)pp_cell_add(PP_INT, &sum[m], pp_level_calls_whole(c, i, m));
		}
		c->pairs.at[i].caller = root.callee;
	}
	for (k = 0; fits && k < n; k++)
		if (sum[k])
			fits = pp_ledger_at(&c->costs, rows, k) != NULL;
	c->root = sum;
	return fits && pp_vec_push(&c->pairs, root);
}

void
pp_level_calls_release(struct pp_level_calls *c)
{
	pp_strtab_release(&c->names);
	pp_vec_release(&c->pairs);
	pp_ledger_release(&c->costs);
	free(c->root);
	pp_map_release(&c->row_of);
}

struct pp_slice
pp_level_calls_key(const struct pp_level_calls *c, size_t row, const char *arrow,
                   struct pp_buf *key)
{
	const struct pp_level_pair *pair = &c->pairs.at[row];
	struct pp_slice name;

	key->n = 0;
	if (pair->caller != PP_FROM_OUTSIDE) {
		name = pp_strtab_get(&c->names, pair->caller);
		pp_buf_add(key, name.p, name.n);
		pp_buf_adds(key, arrow);
	}
	name = pp_strtab_get(&c->names, pair->callee);
	pp_buf_add(key, name.p, name.n);
	return pp_slice_of(key->p, key->n);
}
