/*
 * The flat profile of a call tree.
 */
#include "model/flat.h"

#include "model/flat_sources.h"
#include "model/inclusive.h"
#include "base/sort.h"

void
pp_flat_release(struct pp_flat *f)
{
	free(f->func);
	free(f->calls);
	free(f->self);
	free(f->total);
	free(f->whole);
	free(f->cycle);
	*f = (struct pp_flat){ 0 };
}

bool
pp_flat_alloc(struct pp_flat *f, const struct pp_profile *p, size_t rows)
{
	size_t cells = (rows + 1) * (p->metrics.n + 1), m;

	*f = (struct pp_flat){ .profile = p, .metrics = p->metrics.n, .n = rows };
	f->func = calloc(rows + 1, sizeof *f->func);
	f->calls = calloc(rows + 1, sizeof *f->calls);
	f->self = calloc(cells, sizeof *f->self);
	f->total = calloc(cells, sizeof *f->total);
	f->whole = calloc(f->metrics + 1, sizeof *f->whole);
	for (m = 0; f->whole && m < f->metrics; m++)
		f->whole[m] = pp_value_zero(&p->metrics.at[m]);
	if (f->func && f->calls && f->self && f->total && f->whole)
		return true;
	pp_flat_release(f);
	return false;
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
	for (node = 1; node < p->tree.n; node++)
		seen[pp_tree_frame(&p->tree, node)] = 1;
	for (i = 1; i < p->frames.n; i++)
		if (seen[i])
			row_of[p->funcs.at[p->frames.at[i].func].same] = 1;
	free(seen);
	return true;
}

/* Own costs and calls, straight from the rows of the series. */
static void
flat_own(struct pp_flat *f, const struct pp_profile *p, const pp_func *func_of_frame,
         const uint32_t *row_of)
{
	size_t i;
	uint32_t r;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		f->has_calls |= s->has_calls;
		for (r = 0; r < s->rows; r++) {
			const int64_t *cells = pp_series_cells(s, r);
			pp_node node = pp_series_node(s, r);
			size_t row;

			if (node == 0)
				continue;
			row = row_of[func_of_frame[pp_tree_frame(&p->tree, node)]] - 1;
			pp_values_add_cells(p, pp_flat_self_of(f, row), cells);
			if (s->has_calls)
				pp_count_add(&f->calls[row], (uint64_t)cells[p->metrics.n]);
		}
	}
}

/* What the file says is not a leaf's own. */
static void
flat_not_own(struct pp_flat *f, const struct pp_profile *p, const pp_func *func_of_frame,
             const uint32_t *row_of)
{
	size_t i;

	for (i = 0; i < p->not_own.n; i++) {
		const struct pp_not_own_row *less = &p->not_own.at[i];
		const struct pp_metric *metric = &p->metrics.at[less->metric];
		size_t row = row_of[func_of_frame[pp_tree_frame(&p->tree, less->node)]] - 1;

		pp_value_sub(metric, &f->self[row * f->metrics + less->metric],
		             pp_cell_value(metric, less->cell));
	}
}

/* Total costs of one metric: the inclusive cost of every outermost activation. */
static bool
flat_total(struct pp_flat *f, const struct pp_profile *p, size_t metric,
           const pp_func *func_of_frame, const uint32_t *row_of, const uint64_t *outermost)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	struct pp_inclusive inclusive;
	pp_node node;

	if (!pp_inclusive_compute(&inclusive, p, metric))
		return false;
	for (node = 1; node < p->tree.n; node++)
		if (pp_bit(outermost, node)) {
			size_t row = row_of[func_of_frame[pp_tree_frame(&p->tree, node)]] - 1;

			pp_value_add(m, &f->total[row * f->metrics + metric],
			             pp_inclusive_of(&inclusive, node));
		}
	f->whole[metric] = pp_inclusive_of(&inclusive, 0);
	pp_inclusive_release(&inclusive);
	return true;
}

static bool
tree_fill(struct pp_flat *f, const struct pp_profile *p, const uint32_t *row_of)
{
	pp_func *func_of_frame = pp_frame_funcs(p);
	uint64_t *outermost = func_of_frame ? pp_outermost_compute(p, func_of_frame) : NULL;
	bool ok = outermost != NULL;
	size_t m;

	if (ok) {
		flat_own(f, p, func_of_frame, row_of);
		flat_not_own(f, p, func_of_frame, row_of);
	}
	for (m = 0; ok && m < f->metrics; m++)
		ok = flat_total(f, p, m, func_of_frame, row_of, outermost);
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

pp_status
pp_flat_compute(const struct pp_profile *p, struct pp_flat *f)
{
	const struct pp_flat_source *source = source_of(p);
	uint32_t *row_of = calloc(p->funcs.n + 1, sizeof *row_of);
	bool ok;

	*f = (struct pp_flat){ 0 };
	ok = row_of && source->mark(p, row_of) && flat_number(f, p, row_of) &&
	     source->fill(f, p, row_of);
	free(row_of);
	if (ok)
		return PP_OK;
	pp_flat_release(f);
	return PP_E_NOMEM;
}

/* ---- sorting ---------------------------------------------------------------------------- */

struct sort_ctx {
	const struct pp_flat *flat;
	enum pp_sort by;
	size_t metric;
};

static int
compare_rows(const void *left, const void *right, void *context)
{
	const struct sort_ctx *ctx = context;
	const struct pp_flat *f = ctx->flat;
	size_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const union pp_value *column = ctx->by == PP_SORT_TOTAL ? f->total : f->self;
	int c = 0;

	if (ctx->by == PP_SORT_CALLS)
		c = (f->calls[a] < f->calls[b]) - (f->calls[a] > f->calls[b]);
	else if (ctx->by != PP_SORT_NAME && ctx->metric < f->metrics)
		c = pp_value_cmp(&f->profile->metrics.at[ctx->metric],
		                 column[b * f->metrics + ctx->metric],
		                 column[a * f->metrics + ctx->metric]);
	return c ? c : pp_func_cmp(f->profile, f->func[a], f->func[b]);
}

bool
pp_flat_sort(struct pp_flat *f, enum pp_sort by, size_t metric)
{
	size_t row_bytes = f->metrics * sizeof *f->self, i;
	uint32_t *order = malloc((f->n + 1) * sizeof *order);
	struct sort_ctx ctx = { f, by, metric };
	bool ok = order != NULL;

	for (i = 0; ok && i < f->n; i++)
		order[i] = (uint32_t)i;
	if (ok)
		pp_sort(order, f->n, sizeof *order, compare_rows, &ctx);
	ok = ok && pp_items_permute(f->func, sizeof *f->func, order, f->n) &&
	     pp_items_permute(f->calls, sizeof *f->calls, order, f->n) &&
	     (!f->cycle || pp_items_permute(f->cycle, sizeof *f->cycle, order, f->n)) &&
	     pp_items_permute(f->self, row_bytes, order, f->n) &&
	     pp_items_permute(f->total, row_bytes, order, f->n);
	free(order);
	return ok;
}
