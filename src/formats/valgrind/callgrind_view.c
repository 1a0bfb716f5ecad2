/*
 * Turning a tree, or lines and edges, into callgrind's view.
 *
 * From a tree: own costs of nodes become lines of their function, each step to a child becomes an edge with
 * the child's inclusive cost. An activation below another of the same function becomes the function
 * `f'2`, as callgrind itself writes: so the edges into the plain `f` hold its outermost activations only, and
 * readers that just add edges show true inclusive costs.
 */
#include "formats/valgrind/callgrind_view.h"

#include <math.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/stops.h"
#include "base/units.h"
#include "formats/kit/tree_walk.h"
#include "formats/valgrind/emit.h"
#include "model/ledger.h"

struct making {
	struct pp_writer *w;
	struct pp_cg_view *v;
	const struct pp_profile *p;
	struct pp_builder *b;
	pp_func *plain, *recursive; /* by function of p: of the view */
	struct pp_map files;        /* of frames -> of the view */
	struct pp_buf text;
};

void
pp_cg_view_release(struct pp_cg_view *v)
{
	if (v->ready)
		pp_builder_release(&v->builder);
	pp_profile_release(v->profile);
	pp_sites_release(&v->sites);
	free(v->first_line);
	free(v->plain);
	free(v->outside);
}

/* ---- metrics ---------------------------------------------------------------------------- */

/* Whether cells can be written as they are. */
static bool
is_plain(const struct pp_metric *m)
{
	return m->type != PP_REAL && m->scale == 0;
}

/* Whether the factor is one that the unit in the title tells; other cells are converted. */
static bool
is_told(const struct pp_profile *p, const struct pp_metric *m)
{
	uint64_t num = m->factor_num ? m->factor_num : 1, den = m->factor_den ? m->factor_den : 1;

	if (!is_plain(m) || den != 1)
		return false;
	return num == 1 || (pp_slice_eq_z(pp_text_of(p, m->unit), "ns") && num <= 1000000000 &&
	                    pp_unit_symbol(PP_UNIT_TIME, num));
}

/* The unit that cells are written in, as it stands in titles; NULL for plain counts. */
static const char *
unit_word(const struct pp_profile *p, const struct pp_metric *m)
{
	struct pp_slice unit = pp_text_of(p, m->unit);
	uint64_t num = is_told(p, m) && m->factor_num ? m->factor_num : 1;

	if (pp_slice_eq_z(unit, "ns"))
		return pp_unit_symbol(PP_UNIT_TIME, num);
	return pp_slice_eq_z(unit, "bytes") ? "bytes" : NULL;
}

/* Changes the unit in a name, which readers prefer to that in the title, to the one that cells are written in. */
static void
name_set_unit(struct pp_buf *name, const char *unit)
{
	size_t before, whole;
	const struct pp_unit *has = pp_cg_unit_in(pp_slice_of(name->p, name->n), &before);
	const struct pp_unit *is = NULL;
	char word[16];

	if (!has)
		return;
	if (unit) {
		snprintf(word, sizeof word, "(%s)", unit);
		is = pp_cg_unit_in(pp_slice_z(word), &whole);
	}
	if (is && is->of == has->of && is->factor == has->factor)
		return;
	name->n = before;
	pp_buf_adds(name, unit ? word : before ? "" : "cost");
}

/* Costs that are written as they are may need all 64 bits. */
static enum pp_cell_type
written_type(const struct pp_profile *p, const struct pp_metric *m)
{
	return m->type == PP_UINT && is_told(p, m) ? PP_UINT : PP_INT;
}

static bool
ends_with_unit(struct pp_slice text, const char *unit)
{
	char ending[16];
	size_t n = (size_t)snprintf(ending, sizeof ending, "(%s)", unit);

	return text.n >= n && memcmp(text.p + text.n - n, ending, n) == 0;
}

/* The same metrics with names of one word and units in their titles. */
static void
make_metrics(struct making *k, bool titles)
{
	size_t m, i;

	for (m = 0; m < k->p->metrics.n; m++) {
		const struct pp_metric *from = &k->p->metrics.at[m];
		struct pp_metric to = { .type = written_type(k->p, from),
			                .kind = from->kind,
			                .flags = from->flags };
		const char *unit = unit_word(k->p, from);
		struct pp_slice title = pp_text_of(k->p, from->title);
		bool changed;

		if (!pp_cg_clean(pp_text_of(k->p, from->name), false, &k->text, &changed)) {
			pp_builder_fail(k->b, PP_E_NOMEM, NULL);
			return;
		}
		for (i = 0; i < k->text.n; i++)
			if (pp_is_blank((unsigned char)k->text.p[i]))
				k->text.p[i] = '_';
		name_set_unit(&k->text, unit);
		to.name = pp_build_str(k->b, pp_slice_of(k->text.p, k->text.n));
		for (i = 0; i < m; i++)
			if (k->b->profile->metrics.n > i &&
			    k->b->profile->metrics.at[i].name == to.name) {
				pp_buf_addf(&k->text, "_%zu", m + 1);
				to.name = pp_build_str(k->b, pp_slice_of(k->text.p, k->text.n));
				i = (size_t)-1;
			}
		pp_loss_metric(
		    k->w, m, pp_text_of(k->b->profile, to.name),
		    titles && unit ? NULL : pp_cg_unit_by_name(pp_text_of(k->b->profile, to.name)));
		if (title.n && pp_cg_clean(title, false, &k->text, &changed))
			to.title = pp_build_str(k->b, pp_slice_of(k->text.p, k->text.n));
		if (unit && !ends_with_unit(title, unit) &&
		    (title.n || !ends_with_unit(pp_text_of(k->b->profile, to.name), unit))) {
			(void)pp_cg_clean(title.n ? title : pp_text_of(k->p, from->name), false,
			                  &k->text, &changed);
			pp_buf_addf(&k->text, " (%s)", unit);
			to.title = pp_build_str(k->b, pp_slice_of(k->text.p, k->text.n));
		}
		if (k->text.failed)
			pp_builder_fail(k->b, PP_E_NOMEM, NULL);
		(void)pp_build_metric(k->b, &to);
	}
}

/* A sum as a cell of the view. */
static int64_t
cell_of(struct making *k, size_t metric, union pp_value value)
{
	const struct pp_metric *m = &k->p->metrics.at[metric];

	return pp_cg_whole(m, value, is_told(k->p, m) ? 0 : 1, &k->w->loss.rounded);
}

/* Adds to a cell; a sum that does not fit stays at its limit. */
static void
cell_add(struct making *k, enum pp_cell_type type, int64_t *to, int64_t add)
{
	if (!pp_cell_add(type, to, add)) {
		k->w->loss.too_large++;
		*to = type == PP_UINT ? (int64_t)UINT64_MAX : add < 0 ? -INT64_MAX : INT64_MAX;
	}
}

/* Adds a sum to a cell of a metric. */
static void
value_add(struct making *k, size_t metric, int64_t *to, union pp_value value)
{
	cell_add(k, k->b->profile->metrics.at[metric].type, to, cell_of(k, metric, value));
}

/* ---- functions -------------------------------------------------------------------------- */

static pp_str
make_name(struct making *k, struct pp_slice name, bool is_function, const char *ending)
{
	bool changed = false;

	if (!pp_cg_clean(name, is_function, &k->text, &changed))
		pp_builder_fail(k->b, PP_E_NOMEM, NULL);
	k->w->loss.names += changed;
	pp_buf_adds(&k->text, ending);
	return k->text.failed ? 0 : pp_build_str(k->b, pp_slice_of(k->text.p, k->text.n));
}

static pp_func
make_function(struct making *k, pp_func func, bool recursive)
{
	const struct pp_func_row *from = &k->p->funcs.at[func];
	pp_func *known = recursive ? &k->recursive[func] : &k->plain[func];
	struct pp_slice object = pp_text_of(k->p, k->p->modules.at[from->module].name);
	struct pp_slice name = func ? pp_text_of(k->p, from->name) : pp_slice_z("[no stack]");
	struct pp_func_row row = { 0 };
	size_t known_before;

	if (*known)
		return *known;
	row.name = make_name(k, name, true, recursive ? "'2" : "");
	row.file = make_name(k, pp_text_of(k->p, from->file), false, "");
	if (object.n) {
		struct pp_module_row module = { .name = make_name(k, object, false, "") };

		row.module = pp_build_module(k->b, &module);
	}
	known_before = k->b->profile->funcs.n;
	k->w->loss.more[PP_TRAIT_RECURSION] += recursive;
	*known = pp_build_func(k->b, &row);
	if (*known >= known_before) {
		k->v->first_line[*known] = from->line;
		k->v->plain[*known] = recursive ? make_function(k, func, false) : *known;
	}
	return *known;
}

/* The row of a line of a function of the view; 0 as a file is the function's own. PP_MAP_NONE on failure. */
static uint32_t
line_row(struct making *k, pp_func func, pp_str file, uint32_t line, uint64_t address)
{
	struct pp_line_row row = { .func = func,
		                   .file = file ? file : k->b->profile->funcs.at[func].file,
		                   .line = line,
		                   .address = address };

	return func ? pp_build_line_row(k->b, &row) : PP_MAP_NONE;
}

/* Adds a sum of a metric to a line of the view, or to an edge. */
static void
line_add(struct making *k, uint32_t row, size_t metric, union pp_value v)
{
	int64_t *to = pp_value_is_zero(&k->p->metrics.at[metric], v)
	                  ? NULL
	                  : pp_build_line_cell(k->b, row, metric);

	if (to)
		value_add(k, metric, to, v);
}

static void
edge_add(struct making *k, uint32_t row, size_t metric, union pp_value v)
{
	int64_t *to = pp_value_is_zero(&k->p->metrics.at[metric], v)
	                  ? NULL
	                  : pp_build_edge_cell(k->b, row, 1 + metric);

	if (to)
		value_add(k, metric, to, v);
}

/* Adds what a row of the profile costs to one of the view. */
static void
costs_add(struct making *k, void (*add)(struct making *, uint32_t, size_t, union pp_value),
          uint32_t row, struct pp_cells costs)
{
	size_t i;

	for (i = 0; i < costs.n; i++) {
		uint32_t m = pp_cells_column(&costs, i);

		add(k, row, m, pp_cell_value(&k->p->metrics.at[m], costs.at[i]));
	}
}

/* ---- from a tree ------------------------------------------------------------------------ */

/* What each node cost with all below it, measured where it was. NULL when out of memory. */
static union pp_value *
node_costs(const struct pp_profile *p, size_t metric)
{
	union pp_value *cost;
	struct pp_inclusive inclusive;
	pp_node node;

	if (pp_profile_measured(p))
		return pp_measured_compute(p, metric);
	cost = calloc(p->tree.n, sizeof *cost);
	if (!cost)
		return NULL;
	if (!pp_inclusive_compute(&inclusive, p, metric)) {
		free(cost);
		return NULL;
	}
	for (node = 0; node < p->tree.n; node++)
		cost[node] = pp_inclusive_of(&inclusive, node);
	pp_inclusive_release(&inclusive);
	return cost;
}

/* The function of each node in the view, `apart` from those that it calls itself as; NULL when out of memory. */
static pp_func *
node_functions(struct making *k, bool apart)
{
	pp_func *func_of_frame = pp_frame_funcs(k->p);
	uint64_t *outermost = func_of_frame ? pp_outermost_compute(k->p, func_of_frame) : NULL;
	pp_func *funcs = calloc(k->p->tree.n, sizeof *funcs);
	pp_node node;

	if (!func_of_frame || !outermost || !funcs) {
		free(funcs);
		funcs = NULL;
	}
	for (node = 1; funcs && node < k->p->tree.n; node++)
		funcs[node] = make_function(k, func_of_frame[pp_tree_frame(&k->p->tree, node)],
		                            apart && !pp_bit(outermost, node));
	free(func_of_frame);
	free(outermost);
	return funcs;
}

static uint32_t
node_line(const struct pp_profile *p, pp_node node)
{
	const struct pp_frame_row *frame = &p->frames.at[pp_tree_frame(&p->tree, node)];

	return frame->line ? frame->line : p->funcs.at[frame->func].line;
}

/* The file of a frame's line in the view; 0 = that of its function. */
static pp_str
frame_file(struct making *k, pp_frame frame)
{
	pp_str from = k->p->frames.at[frame].line ? k->p->frames.at[frame].file : 0, to;

	if (!from)
		return 0;
	to = pp_map_get(&k->files, from);
	if (to == PP_MAP_NONE) {
		to = make_name(k, pp_text_of(k->p, from), false, "");
		if (!pp_map_set(&k->files, from, to))
			pp_builder_fail(k->b, PP_E_NOMEM, NULL);
	}
	return to;
}

/* Where in the parent a node was called: as it says, or where the parent was then; 0 = not known. */
static uint32_t
site_line(const struct pp_profile *p, pp_node node)
{
	pp_frame frame = pp_tree_frame(&p->tree, node);
	pp_frame caller = pp_tree_frame(&p->tree, pp_tree_parent(&p->tree, node));

	return p->frames.at[frame].site_line ? p->frames.at[frame].site_line
	                                     : p->frames.at[caller].line;
}

static void
tree_own(struct making *k, const pp_func *funcs)
{
	size_t i;
	uint32_t row;

	for (i = 0; i < k->p->series.n; i++) {
		const struct pp_series *s = &k->p->series.at[i];

		for (row = 0; row < s->rows && pp_builder_ok(k->b); row++) {
			pp_node node = pp_series_node(s, row);

			pp_func func;
			uint32_t line;

			if (!pp_series_present(s, row))
				continue;
			func = node ? funcs[node] : make_function(k, 0, false);
			line = line_row(k, func,
			                node ? frame_file(k, pp_tree_frame(&k->p->tree, node)) : 0,
			                node ? node_line(k->p, node) : 0, 0);
			costs_add(k, line_add, line, pp_series_costs(k->p, s, row));
		}
	}
}

/* The edge that leads to each node, with its calls; PP_MAP_NONE for roots. */
static bool
tree_rows(struct making *k, const pp_func *funcs, uint32_t *row_of)
{
	bool known;
	uint64_t *calls = pp_node_calls(k->p, &known);
	pp_node node;

	for (node = 1; calls && node < k->p->tree.n && pp_builder_ok(k->b); node++) {
		pp_node parent = pp_tree_parent(&k->p->tree, node);
		struct pp_edge_row row = { .caller = funcs[parent],
			                   .callee = funcs[node],
			                   .site_line = parent ? site_line(k->p, node) : 0 };
		int64_t *counted;

		if (parent && !k->p->frames.at[pp_tree_frame(&k->p->tree, node)].site_line)
			row.site_file = frame_file(k, pp_tree_frame(&k->p->tree, parent));
		row_of[node] = parent ? pp_build_edge_row(k->b, &row) : PP_MAP_NONE;
		counted = pp_build_edge_cell(k->b, row_of[node], 0);
		if (!parent)
			pp_count_add(&k->v->outside[funcs[node]], calls[node]);
		if (pp_account_stops_at(node))
			(void)pp_builder_goes_on(k->b);
		if (!counted)
			continue;
		cell_add(k, PP_UINT, counted, calls[node] ? (int64_t)calls[node] : 1);
		k->w->loss.made |= known ? 0 : PP_HAS(CALLS);
	}
	free(calls);
	return calls != NULL;
}

/* What nodes cost with all below them, metric by metric. */
static bool
tree_costs(struct making *k, const uint32_t *row_of)
{
	size_t m;
	pp_node node;
	bool ok = true;

	for (m = 0; ok && m < k->p->metrics.n; m++) {
		union pp_value *cost = node_costs(k->p, m);

		ok = cost != NULL;
		for (node = 1; ok && node < k->p->tree.n && pp_builder_ok(k->b); node++)
			if (row_of[node] != PP_MAP_NONE)
				edge_add(k, row_of[node], m, cost[node]);
		free(cost);
	}
	return ok;
}

/* The same where there are many metrics: node by node. */
static bool
tree_costs_sparse(struct making *k, const uint32_t *row_of)
{
	struct pp_gather cost;
	uint32_t node, cell;

	if (!pp_inclusive_sparse(&cost, k->p))
		return false;
	for (node = 1; node < k->p->tree.n && pp_builder_ok(k->b); node++)
		for (cell = pp_gather_last(&cost, node); cell && row_of[node] != PP_MAP_NONE;
		     cell = pp_gather_before(&cost, cell))
			edge_add(k, row_of[node], cost.keys.at[cell - 1].row,
			         *(const union pp_value *)pp_gather_cell(&cost, cell));
	pp_gather_release(&cost);
	return true;
}

static bool
tree_edges(struct making *k, const pp_func *funcs)
{
	uint32_t *row_of = calloc(k->p->tree.n, sizeof *row_of);
	bool ok = row_of && tree_rows(k, funcs, row_of);

	if (ok && k->p->metrics.n > PP_FEW_COLUMNS && !pp_profile_measured(k->p))
		ok = tree_costs_sparse(k, row_of);
	else if (ok)
		ok = tree_costs(k, row_of);
	free(row_of);
	return ok;
}

/* What calls cost in the view. */
static int64_t
site_cost(void *ctx, unsigned metric, size_t row)
{
	struct making *k = ctx;
	const struct pp_metric *m = &k->p->metrics.at[metric];
	uint64_t rounded = 0;

	return pp_cg_whole(m, pp_cell_value(m, pp_edge_cell(k->p, row, 1 + metric)),
	                   is_told(k->p, m) ? 0 : 1, &rounded);
}

/* The sites that the profile states beside its stacks. */
static void
tree_sites(struct making *k)
{
	struct pp_sites_by by = { k->plain, (unsigned)k->p->metrics.n, site_cost, k };
	size_t i;

	if (!pp_sites_init(&k->v->sites, k->p, &by))
		pp_builder_fail(k->b, PP_E_NOMEM, NULL);
	for (i = 0; i < k->v->sites.at.n; i++) {
		pp_str *file = &k->v->sites.at.at[i].file;

		*file = *file ? make_name(k, pp_text_of(k->p, *file), false, "") : 0;
	}
}

/* Pairs whose caller no stack shows, as code outside of functions whose time is not known, cannot be had from stacks. */
static bool
pairs_count(struct making *k)
{
	bool *seen = calloc(k->p->funcs.n + 1, sizeof *seen);
	pp_node node;
	size_t i;

	for (node = 1; seen && node < k->p->tree.n; node++)
		seen[k->p->funcs.at[pp_node_func(k->p, node)].same] = true;
	for (i = 0; seen && i < k->p->calls.rows.n; i++)
		k->w->loss.more[PP_TRAIT_PAIRS] +=
		    !seen[k->p->funcs.at[k->p->calls.rows.at[i].caller].same];
	free(seen);
	return seen != NULL;
}

static pp_status
from_tree(struct making *k, bool edges)
{
	pp_func *funcs = node_functions(k, edges);
	bool ok = funcs != NULL;

	if (ok)
		tree_own(k, funcs);
	if (ok && edges)
		ok = tree_edges(k, funcs);
	if (ok && edges)
		tree_sites(k);
	ok = ok && pairs_count(k);
	free(funcs);
	k->w->loss.dropped |= PP_HAS(LINES) | PP_HAS(ADDRESSES);
	return ok ? k->b->status : PP_E_NOMEM;
}

/* ---- from lines and edges --------------------------------------------------------------- */

static void
rows_lines(struct making *k)
{
	size_t i;

	for (i = 0; i < k->p->lines.rows.n && pp_builder_ok(k->b); i++) {
		const struct pp_line_row *row = &k->p->lines.rows.at[i];
		pp_func func = make_function(k, k->p->funcs.at[row->func].same, false);
		pp_str file = row->file ? make_name(k, pp_text_of(k->p, row->file), false, "") : 0;

		costs_add(k, line_add, line_row(k, func, file, row->line, row->address),
		          pp_line_costs(k->p, i));
	}
}

/* Takes over the calls of an edge from outside: what they cost is what no caller accounts for. */
static void
edge_without_end(struct making *k, size_t edge)
{
	const struct pp_edge_row *from = &k->p->calls.rows.at[edge];
	uint64_t calls = (uint64_t)pp_edge_cell(k->p, edge, 0);
	pp_func callee;

	k->w->loss.more[PP_TRAIT_SITES] += from->site_line != 0;
	if (calls && from->callee) {
		callee = make_function(k, k->p->funcs.at[from->callee].same, false);
		pp_count_add(&k->v->outside[callee], calls);
		return;
	}
	k->w->loss.more[PP_TRAIT_PAIRS]++;
	k->w->loss.more[PP_TRAIT_CALLS] += calls != 0;
}

static void
rows_edges(struct making *k)
{
	size_t i;

	for (i = 0; i < k->p->calls.rows.n && pp_builder_ok(k->b); i++) {
		const struct pp_edge_row *from = &k->p->calls.rows.at[i];
		int64_t calls = pp_edge_cell(k->p, i, 0), *counted;
		struct pp_edge_row row = { .site_line = from->site_line,
			                   .site_address = from->site_address };
		uint32_t to;

		if (!from->caller || !from->callee) {
			edge_without_end(k, i);
			continue;
		}
		row.caller = make_function(k, k->p->funcs.at[from->caller].same, false);
		row.callee = make_function(k, k->p->funcs.at[from->callee].same, false);
		if (from->site_file)
			row.site_file = make_name(k, pp_text_of(k->p, from->site_file), false, "");
		to = pp_build_edge_row(k->b, &row);
		counted = pp_build_edge_cell(k->b, to, 0);
		if (!counted)
			return;
		cell_add(k, PP_UINT, counted, calls);
		costs_add(k, edge_add, to, pp_edge_costs(k->p, i));
	}
}

/* Own costs that only edges hold (NYTProf's subs): at the callee's first line. */
static void
rows_own(struct making *k)
{
	size_t i;

	for (i = 0; k->p->calls.own && i < k->p->calls.rows.n && pp_builder_ok(k->b); i++) {
		pp_func callee = k->p->funcs.at[k->p->calls.rows.at[i].callee].same;

		costs_add(
		    k, line_add,
		    line_row(k, make_function(k, callee, false), 0, k->p->funcs.at[callee].line, 0),
		    pp_edge_own(k->p, i));
	}
}

/* Own costs that calls tell together only, likewise. */
static void
funcs_own(struct making *k)
{
	struct pp_ledger own;
	size_t i, n;

	if (!pp_profile_own(k->p, PP_ALL_SERIES, false, &own)) {
		pp_builder_fail(k->b, PP_E_NOMEM, NULL);
		return;
	}
	for (i = 1; i < k->p->funcs.n && pp_builder_ok(k->b); i++) {
		struct pp_values costs = pp_ledger_row(&own, i);

		for (n = 0; n < costs.n; n++) {
			uint32_t m = pp_values_metric(&costs, n);
			bool none = pp_value_is_zero(&k->p->metrics.at[m], costs.at[n]);

			if (!none)
				line_add(k,
				         line_row(k, make_function(k, (pp_func)i, false), 0,
				                  k->p->funcs.at[i].line, 0),
				         m, costs.at[n]);
		}
	}
	pp_ledger_release(&own);
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Whether lines cost what the whole does. They do not where only one of merged profiles had lines. */
static bool
lines_are_all(struct making *k)
{
	size_t n = k->p->metrics.n, i;
	union pp_value *sums = calloc(n + 1, sizeof *sums);
	bool all = true;

	if (!sums) {
		pp_builder_fail(k->b, PP_E_NOMEM, NULL);
		return false;
	}
	for (i = 0; i < k->p->lines.rows.n; i++)
		pp_values_add_cells(k->p, sums, pp_line_costs(k->p, i));
	for (i = 0; i < n && all; i++) {
		const struct pp_metric *m = &k->p->metrics.at[i];
		double lines = pp_value_double(m, sums[i]);
		double whole = pp_value_double(m, pp_profile_total(k->p, i));

		all = fabs(lines - whole) <= 1e-9 * fabs(whole);
	}
	free(sums);
	return all;
}

static pp_status
make_view(struct making *k, bool edges)
{
	pp_status status = PP_OK;

	make_metrics(k, edges);
	(void)pp_build_series_plain(k->b, false, false);
	if (k->p->tree.n > 1 &&
	    (!(k->p->facets & PP_LINES) || pp_profile_basis(k->p) == PP_BASIS_TREE)) {
		status = from_tree(k, edges);
	} else if (pp_profile_basis(k->p) == PP_BASIS_CALLS ||
	           (pp_profile_basis(k->p) == PP_BASIS_COSTS && !lines_are_all(k))) {
		/* What functions cost is not what their lines cost: the latter have no place beside it. */
		k->w->loss.dropped |= PP_HAS(LINES);
		k->w->loss.more[PP_TRAIT_MEASURED] += (int64_t)k->p->calls.rows.n;
		if (k->p->calls.own && k->p->calls.adds_up)
			rows_own(k);
		else
			funcs_own(k);
		if (edges)
			rows_edges(k);
	} else {
		rows_lines(k);
		if (edges)
			rows_edges(k);
	}
	return status != PP_OK ? status : k->b->status;
}

pp_status
pp_cg_view_init(struct pp_cg_view *v, struct pp_writer *w, bool edges)
{
	const struct pp_profile *p = w->profile;
	struct pp_limits limits = pp_limits_complete(NULL);
	struct making k = { .w = w, .v = v, .p = p, .b = &v->builder, .files.seed = p->strs.seed };
	pp_status status = PP_E_NOMEM;

	*v = (struct pp_cg_view){ 0 };
	if (p->metrics.n == 0)
		return PP_E_UNSUPPORTED;
	v->ready = pp_builder_init(&v->builder, &limits, NULL, p->strs.seed, &pp_pages_plain);
	k.plain = calloc(p->funcs.n, sizeof *k.plain);
	k.recursive = calloc(p->funcs.n, sizeof *k.recursive);
	v->first_line = calloc(2 * p->funcs.n + 2, sizeof *v->first_line);
	v->plain = calloc(2 * p->funcs.n + 2, sizeof *v->plain);
	v->outside = calloc(2 * p->funcs.n + 2, sizeof *v->outside);
	if (v->ready && k.plain && k.recursive && v->first_line && v->plain && v->outside)
		status = make_view(&k, edges);
	if (status == PP_OK)
		status = pp_builder_finish(&v->builder, &v->profile);
	free(k.plain);
	free(k.recursive);
	pp_map_release(&k.files);
	pp_buf_release(&k.text);
	return status;
}
