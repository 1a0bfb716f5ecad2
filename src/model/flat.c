/*
 * The flat profile of a call tree.
 */
#include "model/flat.h"

#include "model/flat_sources.h"
#include "model/inclusive.h"
#include "base/sort.h"
#include "base/stops.h"

void
pp_flat_release(struct pp_flat *f)
{
	free(f->func);
	free(f->calls);
	free(f->self);
	free(f->total);
	free(f->whole);
	free(f->cycle);
	pp_wide_free(f->wide);
	pp_gather_release(&f->adding);
	free(f->place);
	free(f->fact);
	*f = (struct pp_flat){ 0 };
}

bool
pp_flat_alloc(struct pp_flat *f, const struct pp_profile *p, size_t rows)
{
	size_t cells = (rows + 1) * (p->metrics.n + 1), m;
	bool sparse = p->metrics.n > PP_FEW_COLUMNS;

	*f = (struct pp_flat){ .profile = p, .metrics = p->metrics.n, .n = rows };
	f->func = calloc(rows + 1, sizeof *f->func);
	f->calls = calloc(rows + 1, sizeof *f->calls);
	f->whole = calloc(f->metrics + 1, sizeof *f->whole);
	if (sparse)
		f->adding = (struct pp_gather){ .size = sizeof(struct pp_cost_pair),
			                        .seed = p->strs.seed };
	else
		f->self = calloc(cells, sizeof *f->self);
	if (!sparse)
		f->total = calloc(cells, sizeof *f->total);
	for (m = 0; f->whole && m < f->metrics; m++)
		f->whole[m] = pp_value_zero(&p->metrics.at[m]);
	if (f->func && f->calls && f->whole && (sparse || (f->self && f->total)))
		return true;
	pp_flat_release(f);
	return false;
}

bool
pp_flat_settle(struct pp_flat *f)
{
	size_t i;

	if (!pp_flat_is_sparse(f))
		return true;
	f->wide = pp_gather_settle(&f->adding, f->n, NULL, f->metrics);
	f->place = malloc((f->n + 1) * sizeof *f->place);
	for (i = 0; f->place && i < f->n; i++)
		f->place[i] = (uint32_t)i;
	pp_gather_release(&f->adding);
	f->adding.size = 0;
	return f->wide && f->place;
}

bool
pp_flat_add(struct pp_flat *f, size_t row, size_t metric, union pp_value self, union pp_value total)
{
	const struct pp_metric *m = &f->profile->metrics.at[metric];
	struct pp_cost_pair *pair;

	if (!pp_flat_is_sparse(f)) {
		pp_value_add(m, &f->self[row * f->metrics + metric], self);
		pp_value_add(m, &f->total[row * f->metrics + metric], total);
		return true;
	}
	if (pp_value_is_zero(m, self) && pp_value_is_zero(m, total))
		return true;
	pair = pp_gather_at(&f->adding, (uint32_t)row, (uint32_t)metric);
	if (!pair)
		return false;
	pp_value_add(m, &pair->own, self);
	pp_value_add(m, &pair->total, total);
	return true;
}

union pp_value *
pp_flat_total_at(struct pp_flat *f, size_t row, size_t metric)
{
	struct pp_cost_pair *pair;

	if (!pp_flat_is_sparse(f))
		return &f->total[row * f->metrics + metric];
	pair = pp_gather_at(&f->adding, (uint32_t)row, (uint32_t)metric);
	return pair ? &pair->total : NULL;
}

/* Lets a row cost no more than the whole; false when out of memory. */
static bool
row_limit(struct pp_flat *f, size_t row)
{
	size_t m;

	for (m = 0; m < f->metrics; m++) {
		const struct pp_metric *metric = &f->profile->metrics.at[m];
		union pp_value *total = pp_flat_total_at(f, row, m);

		if (!total)
			return false;
		if (!(metric->flags & PP_METRIC_SIGNED) &&
		    pp_value_cmp(metric, *total, f->whole[m]) > 0)
			*total = f->whole[m];
	}
	return true;
}

bool
pp_flat_limit(struct pp_flat *f, const uint32_t *row_of)
{
	const struct pp_profile *p = f->profile;
	uint32_t *members = calloc(f->n + 1, sizeof *members);
	bool fine = members != NULL;
	size_t i;

	for (i = 1; fine && i < p->funcs.n; i++) {
		uint32_t row = row_of[p->funcs.at[i].same];

		if (row && pp_func_alone(p, (pp_func)i) == i && ++members[row - 1] == 2)
			fine = row_limit(f, row - 1);
	}
	free(members);
	return fine;
}

bool
pp_flat_add_self_sparse(struct pp_flat *f, size_t row, const struct pp_cells *cells)
{
	bool fine = true;
	size_t i;

	for (i = 0; fine && i < cells->n; i++) {
		uint32_t metric = pp_cells_column(cells, i);
		const struct pp_metric *m = &f->profile->metrics.at[metric];

		if (cells->at[i])
			fine = pp_flat_add(f, row, metric, pp_cell_value(m, cells->at[i]),
			                   pp_value_zero(m));
	}
	return fine;
}

bool
pp_flat_add_total_sparse(struct pp_flat *f, size_t row, const struct pp_cells *cells)
{
	bool fine = true;
	size_t i;

	for (i = 0; fine && i < cells->n; i++) {
		uint32_t metric = pp_cells_column(cells, i);
		const struct pp_metric *m = &f->profile->metrics.at[metric];

		if (cells->at[i])
			fine = pp_flat_add(f, row, metric, pp_value_zero(m),
			                   pp_cell_value(m, cells->at[i]));
	}
	return fine;
}

void
pp_flat_keep(struct pp_flat *f, const bool *stays)
{
	size_t row, n = 0, bytes = f->metrics * sizeof *f->self;

	for (row = 0; row < f->n; row++) {
		if (!stays[row])
			continue;
		f->func[n] = f->func[row];
		f->calls[n] = f->calls[row];
		if (f->cycle)
			f->cycle[n] = f->cycle[row];
		if (f->fact)
			f->fact[n] = f->fact[row];
		if (f->wide) {
			f->place[n] = f->place[row];
		} else if (bytes) {
			memmove(f->self + n * f->metrics, f->self + row * f->metrics, bytes);
			memmove(f->total + n * f->metrics, f->total + row * f->metrics, bytes);
		}
		n++;
	}
	f->n = n;
}

/* Numbers the functions that are marked, by id; false when out of memory. */
static bool
flat_number(struct pp_flat *f, const struct pp_profile *p, uint32_t *row_of)
{
	uint32_t rows = 0;
	size_t i;

	row_of[0] = 0;
	for (i = 1; i < p->funcs.n; i++)
		if (row_of[i])
			row_of[i] = ++rows;
	if (!pp_flat_alloc(f, p, rows))
		return false;
	for (i = 1; i < p->funcs.n; i++)
		if (row_of[i])
			f->func[row_of[i] - 1] = (pp_func)i;
	return true;
}

/* ---- from the tree ---------------------------------------------------------------------- */

static bool
tree_mark(const struct pp_profile *p, uint32_t *row_of)
{
	unsigned char *seen = calloc(p->frames.n, 1);
	size_t i;
	pp_node node;

	if (!seen)
		return false;
	for (node = 1; node < p->tree.n && !pp_account_stops_at(node); node++)
		seen[pp_tree_frame(&p->tree, node)] = 1;
	for (i = 1; i < p->frames.n; i++)
		if (seen[i])
			row_of[p->funcs.at[p->frames.at[i].func].same] = 1;
	free(seen);
	return !pp_account_stops();
}

/* The costs of functions in a tree being added up. */
struct by_tree {
	struct pp_flat *f;
	const struct pp_profile *p;
	const pp_func *func_of_frame;
	const uint32_t *row_of;
	const uint64_t *outermost;
};

static size_t
node_row(const struct by_tree *t, pp_node node)
{
	return t->row_of[t->func_of_frame[pp_tree_frame(&t->p->tree, node)]] - (size_t)1;
}

/* Own costs and calls, straight from the rows of the series. */
static bool
flat_own(const struct by_tree *t)
{
	const struct pp_profile *p = t->p;
	struct pp_flat *f = t->f;
	bool fine = true;
	size_t i;
	uint32_t r;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		f->has_calls |= s->has_calls;
		f->uncounted |= !s->has_calls && s->rows;
		for (r = 0; fine && r < s->rows; r++) {
			pp_node node = pp_series_node(s, r);
			size_t row;

			if (node == 0)
				continue;
			row = node_row(t, node);
			fine = pp_flat_add_self(f, row, pp_series_costs(p, s, r)) &&
			       !pp_account_stops_at(r);
			if (s->has_calls)
				pp_count_add(&f->calls[row],
				             (uint64_t)pp_series_cells(s, r)[p->metrics.n]);
		}
	}
	return fine;
}

/* What the file says is not a leaf's own. */
static bool
flat_not_own(const struct by_tree *t)
{
	const struct pp_profile *p = t->p;
	bool fine = true;
	size_t i;

	for (i = 0; fine && i < p->not_own.n; i++) {
		const struct pp_not_own_row *less = &p->not_own.at[i];
		const struct pp_metric *metric = &p->metrics.at[less->metric];
		union pp_value v = pp_value_zero(metric);

		pp_value_sub(metric, &v, pp_cell_value(metric, less->cell));
		fine = pp_flat_add(t->f, node_row(t, less->node), less->metric, v,
		                   pp_value_zero(metric));
	}
	return fine;
}

/* Total costs of one metric: the inclusive cost of every outermost activation. */
static bool
flat_total(const struct by_tree *t, size_t metric)
{
	const struct pp_metric *m = &t->p->metrics.at[metric];
	struct pp_inclusive inclusive;
	struct pp_flat *f = t->f;
	pp_node node;

	if (!pp_inclusive_compute(&inclusive, t->p, metric))
		return false;
	for (node = 1; node < t->p->tree.n && !pp_account_stops_at(node); node++)
		if (pp_bit(t->outermost, node))
			pp_value_add(m, &f->total[node_row(t, node) * f->metrics + metric],
			             pp_inclusive_of(&inclusive, node));
	f->whole[metric] = pp_inclusive_of(&inclusive, 0);
	pp_inclusive_release(&inclusive);
	return true;
}

/* The same where the file measured them. */
static bool
flat_measured(const struct by_tree *t, size_t metric)
{
	const struct pp_metric *m = &t->p->metrics.at[metric];
	union pp_value *cost = pp_measured_compute(t->p, metric);
	struct pp_flat *f = t->f;
	pp_node node;

	for (node = 1; cost && node < t->p->tree.n && !pp_account_stops_at(node); node++)
		if (pp_bit(t->outermost, node))
			pp_value_add(m, &f->total[node_row(t, node) * f->metrics + metric],
			             cost[node]);
	if (cost)
		f->whole[metric] = cost[0];
	free(cost);
	return cost != NULL;
}

/* The same of all metrics, where they are many. */
static bool
flat_totals_sparse(const struct by_tree *t)
{
	const struct pp_profile *p = t->p;
	struct pp_gather inclusive;
	bool fine = pp_inclusive_sparse(&inclusive, p);
	uint32_t cell, node;

	for (node = 0; fine && node < p->tree.n; node++)
		for (cell = pp_gather_last(&inclusive, node); fine && cell;
		     cell = pp_gather_before(&inclusive, cell)) {
			uint32_t m = inclusive.keys.at[cell - 1].row;
			const union pp_value *v = pp_gather_cell(&inclusive, cell);

			if (node == 0)
				t->f->whole[m] = *v;
			else if (pp_bit(t->outermost, node))
				fine = pp_flat_add(t->f, node_row(t, node), m,
				                   pp_value_zero(&p->metrics.at[m]), *v);
		}
	pp_gather_release(&inclusive);
	return fine;
}

static bool
tree_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	pp_func *func_of_frame = pp_frame_funcs(p);
	uint64_t *outermost = func_of_frame ? pp_outermost_compute(p, func_of_frame) : NULL;
	struct by_tree t = { f, p, func_of_frame, row_of, outermost };
	bool ok = outermost && flat_own(&t) && flat_not_own(&t);
	size_t m;

	if (ok && pp_flat_is_sparse(f))
		ok = flat_totals_sparse(&t);
	for (m = 0; ok && !pp_flat_is_sparse(f) && m < f->metrics; m++)
		ok = pp_profile_measured(p) ? flat_measured(&t, m) : flat_total(&t, m);
	free(func_of_frame);
	free(outermost);
	return ok;
}

static const struct pp_flat_source by_tree = { tree_mark, tree_fill };

/* ---- from whatever there is ------------------------------------------------------------- */

static const struct pp_flat_source *
source_of(const struct pp_profile *p)
{
	switch (pp_profile_basis(p)) {
	case PP_BASIS_COSTS:
		return &pp_flat_by_costs;
	case PP_BASIS_CALLS:
		return p->calls.own ? &pp_flat_by_calls : &pp_flat_by_graph;
	case PP_BASIS_LINES:
		return &pp_flat_by_graph;
	case PP_BASIS_TREE:
		break;
	}
	return &by_tree;
}

/* What the file states of functions, as long as it is calls that tell what they cost. */
static bool
flat_facts(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	size_t i;

	if (!p->calls.facts.n || pp_profile_basis(p) != PP_BASIS_CALLS || p->derived.alone.n)
		return true;
	f->fact = calloc(f->n + 1, sizeof *f->fact);
	for (i = 0; f->fact && i < p->calls.facts.n; i++) {
		const struct pp_fact_row *row = &p->calls.facts.at[i];
		uint32_t at = row_of[p->funcs.at[row->func].same];
		struct pp_fact_row *fact = f->fact + (at ? at - 1 : 0);

		if (!at || row->metric >= p->metrics.n)
			continue;
		fact->func = f->func[at - 1];
		fact->recursion = row->recursion > fact->recursion ? row->recursion
		                                                   : fact->recursion;
		fact->places = row->places > fact->places ? row->places : fact->places;
		fact->files = row->files > fact->files ? row->files : fact->files;
		fact->metric = row->metric;
		(void)pp_cell_add(p->metrics.at[row->metric].type, &fact->recursive,
		                  row->recursive);
	}
	return f->fact != NULL;
}

/* Adds up by function of all there are. */
static bool
flat_gather(struct pp_flat *f, const struct pp_profile *p, const struct pp_flat_source *source)
{
	uint32_t *row_of = calloc(p->funcs.n + 1, sizeof *row_of);
	bool ok = row_of && source->mark(p, row_of) && flat_number(f, p, row_of) &&
	          source->fill(f, p, row_of) && pp_flat_settle(f) && flat_facts(f, p, row_of) &&
	          !pp_account_stops();

	free(row_of);
	return ok;
}

pp_status
pp_flat_compute(const struct pp_profile *p, struct pp_flat *f)
{
	const struct pp_flat_source *source = source_of(p);

	*f = (struct pp_flat){ 0 };
	if (p->costs.shares_names && source == &pp_flat_by_costs
	        ? pp_flat_listed(f, p) && pp_flat_settle(f) && !pp_account_stops()
	        : flat_gather(f, p, source))
		return PP_OK;
	pp_flat_release(f);
	return PP_E_NOMEM;
}

bool
pp_functions_count(const struct pp_profile *p, uint64_t *functions)
{
	uint32_t *row_of = calloc(p->funcs.n + 1, sizeof *row_of);
	bool ok = row_of && source_of(p)->mark(p, row_of);
	size_t i;

	*functions = 0;
	for (i = 1; ok && i < p->funcs.n; i++)
		*functions += row_of[i] != 0;
	free(row_of);
	return ok;
}

struct pp_cost_pair
pp_flat_gained(const struct pp_flat *f, size_t row, size_t metric)
{
	const struct pp_profile *p = f->profile;
	size_t known = pp_metric_gained(p, metric);
	struct pp_cost_pair net = pp_flat_get(f, row, metric), gained = { 0 };

	if (known < p->metrics.n)
		gained = pp_flat_get(f, row, known);
	gained.own = pp_value_gained(&p->metrics.at[metric], net.own, gained.own);
	gained.total = pp_value_gained(&p->metrics.at[metric], net.total, gained.total);
	return gained;
}

union pp_value
pp_flat_whole(const struct pp_flat *f, size_t metric)
{
	const struct pp_profile *p = f->profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value whole = f->whole[pp_metric_of_shares(p, metric)];
	size_t row;

	if (!pp_metric_falls(m) || pp_metric_gained(p, metric) < p->metrics.n)
		return whole;
	for (whole = pp_value_zero(m), row = 0; row < f->n; row++)
		pp_value_add(m, &whole, pp_flat_gained(f, row, metric).own);
	/* Where few rows are listed, others may have gained as well. */
	for (row = 0; row < f->n; row++)
		if (pp_value_cmp(m, pp_flat_get(f, row, metric).total, whole) > 0)
			whole = pp_flat_get(f, row, metric).total;
	return pp_value_cmp(m, f->whole[metric], whole) > 0 ? f->whole[metric] : whole;
}

/* ---- sorting ---------------------------------------------------------------------------- */

struct sort_key {
	union pp_value cost;
	union pp_value total; /* PP_SORT_SHOWN: of rows whose own cost is 0; otherwise 0 */
};

struct sort_ctx {
	const struct pp_flat *flat;
	enum pp_sort by;
	size_t metric;
	struct sort_key *keys; /* by row; NULL when rows are not sorted by a cost */
};

static int
compare_rows(const void *left, const void *right, void *context)
{
	const struct sort_ctx *ctx = context;
	const struct pp_flat *f = ctx->flat;
	size_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int c = 0;

	if (ctx->by == PP_SORT_CALLS) {
		c = (f->calls[a] < f->calls[b]) - (f->calls[a] > f->calls[b]);
	} else if (ctx->keys) {
		const struct pp_metric *m = &f->profile->metrics.at[ctx->metric];

		c = pp_value_cmp(m, ctx->keys[b].cost, ctx->keys[a].cost);
		if (!c && ctx->by == PP_SORT_SHOWN)
			c = pp_value_cmp(m, ctx->keys[b].total, ctx->keys[a].total);
	}
	return c ? c : pp_func_cmp(f->profile, f->func[a], f->func[b]);
}

/* The costs to sort by, which may take long to find. */
static bool
keys_fill(struct sort_ctx *ctx)
{
	const struct pp_flat *f = ctx->flat;
	const struct pp_metric *m;
	size_t i;

	if (ctx->by == PP_SORT_CALLS || ctx->by == PP_SORT_NAME || ctx->metric >= f->metrics)
		return true;
	m = &f->profile->metrics.at[ctx->metric];
	ctx->keys = malloc((f->n + 1) * sizeof *ctx->keys);
	for (i = 0; ctx->keys && i < f->n; i++) {
		struct pp_cost_pair pair = pp_flat_get(f, i, ctx->metric);

		if (ctx->by == PP_SORT_GAINED)
			pair = pp_flat_gained(f, i, ctx->metric);
		ctx->keys[i].cost = ctx->by == PP_SORT_TOTAL ? pair.total : pair.own;
		ctx->keys[i].total = ctx->by == PP_SORT_SHOWN && pp_value_is_zero(m, pair.own)
		                         ? pair.total
		                         : pp_value_zero(m);
	}
	return ctx->keys != NULL;
}

static bool
rows_permute(struct pp_flat *f, const uint32_t *order)
{
	size_t row_bytes = f->metrics * sizeof *f->self;
	bool ok = pp_items_permute(f->func, sizeof *f->func, order, f->n) &&
	          pp_items_permute(f->calls, sizeof *f->calls, order, f->n) &&
	          (!f->cycle || pp_items_permute(f->cycle, sizeof *f->cycle, order, f->n)) &&
	          (!f->fact || pp_items_permute(f->fact, sizeof *f->fact, order, f->n));

	if (ok && f->wide)
		return pp_items_permute(f->place, sizeof *f->place, order, f->n);
	return ok && pp_items_permute(f->self, row_bytes, order, f->n) &&
	       pp_items_permute(f->total, row_bytes, order, f->n);
}

bool
pp_flat_reorder(struct pp_flat *f, const uint32_t *rows, size_t stride)
{
	uint32_t *order = malloc((f->n + 1) * sizeof *order);
	bool ok = order != NULL;
	size_t i;

	for (i = 0; ok && i < f->n; i++)
		memcpy(&order[i], (const char *)rows + i * stride, sizeof *order);
	ok = ok && rows_permute(f, order);
	free(order);
	return ok;
}

bool
pp_flat_sort(struct pp_flat *f, enum pp_sort by, size_t metric)
{
	uint32_t *order = malloc((f->n + 1) * sizeof *order);
	struct sort_ctx ctx = { f, by, metric, NULL };
	bool ok = order && keys_fill(&ctx);
	size_t i;

	for (i = 0; ok && i < f->n; i++)
		order[i] = (uint32_t)i;
	if (ok)
		pp_sort(order, f->n, sizeof *order, compare_rows, &ctx);
	ok = ok && rows_permute(f, order);
	free(order);
	free(ctx.keys);
	return ok;
}
