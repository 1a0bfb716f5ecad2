/*
 * The flat profile of a call tree.
 */
#include "analysis/flat.h"

#include "analysis/flat_calls.h"
#include "analysis/flat_sources.h"
#include "analysis/inclusive.h"
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

/* Numbers the functions that occur in the tree; row_of[func] is the row + 1. */
static bool
flat_rows(struct pp_flat *f, const struct pp_profile *p, const pp_func *func_of_frame,
          uint32_t *row_of)
{
	unsigned char *seen = calloc(p->frames.n, 1);
	size_t i, rows = 0;
	pp_node node;

	if (!seen)
		return false;
	for (node = 1; node < p->tree.n; node++)
		seen[pp_tree_frame(&p->tree, node)] = 1;
	for (i = 1; i < p->frames.n; i++)
		if (seen[i] && !row_of[func_of_frame[i]])
			row_of[func_of_frame[i]] = (uint32_t)++rows;
	free(seen);
	return pp_flat_number(f, p, row_of, rows);
}

/* Own costs and calls, straight from the rows of the series. */
static void
flat_own(struct pp_flat *f, const struct pp_profile *p, const pp_func *func_of_frame,
         const uint32_t *row_of)
{
	size_t i, m;
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
			for (m = 0; m < f->metrics; m++)
				pp_value_add(&p->metrics.at[m], &f->self[row * f->metrics + m],
				             pp_cell_value(&p->metrics.at[m], cells[m]));
			if (s->has_calls)
				pp_count_add(&f->calls[row], (uint64_t)cells[p->metrics.n]);
		}
	}
}

/* What the file says is not a leaf's own. */
static void
flat_less(struct pp_flat *f, const struct pp_profile *p, const pp_func *func_of_frame,
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

static pp_status
flat_tree(const struct pp_profile *p, struct pp_flat *f)
{
	pp_func *func_of_frame = pp_frame_funcs(p);
	uint32_t *row_of = calloc(p->funcs.n, sizeof *row_of);
	uint64_t *outermost = NULL;
	bool ok;
	size_t m;

	*f = (struct pp_flat){ 0 };
	ok = func_of_frame && row_of && flat_rows(f, p, func_of_frame, row_of);
	if (ok) {
		flat_own(f, p, func_of_frame, row_of);
		flat_less(f, p, func_of_frame, row_of);
		outermost = pp_outermost_compute(p, func_of_frame);
		ok = outermost != NULL;
	}
	for (m = 0; ok && m < f->metrics; m++)
		ok = flat_total(f, p, m, func_of_frame, row_of, outermost);
	free(func_of_frame);
	free(row_of);
	free(outermost);
	if (ok)
		return PP_OK;
	pp_flat_release(f);
	return PP_E_NOMEM;
}

pp_status
pp_flat_compute(const struct pp_profile *p, struct pp_flat *f)
{
	switch (pp_profile_basis(p)) {
	case PP_BASIS_COSTS:
		return pp_flat_costs(p, f);
	case PP_BASIS_CALLS:
		return p->calls.own ? pp_flat_from_calls(p, f) : pp_flat_edges(p, f);
	case PP_BASIS_LINES:
		return pp_flat_edges(p, f);
	case PP_BASIS_TREE:
		break;
	}
	return flat_tree(p, f);
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

/* Puts items of `size` bytes into the order of `order`, using `scratch`. */
static void
permute(void *items, size_t size, const uint32_t *order, size_t n, void *scratch)
{
	unsigned char *from = items, *to = scratch;
	size_t i;

	for (i = 0; i < n; i++)
		memcpy(to + i * size, from + order[i] * size, size);
	memcpy(items, scratch, n * size);
}

bool
pp_flat_sort(struct pp_flat *f, enum pp_sort by, size_t metric)
{
	size_t row_bytes = f->metrics * sizeof *f->self;
	uint32_t *order = malloc((f->n + 1) * sizeof *order);
	void *scratch = malloc((f->n + 1) * (row_bytes > 8 ? row_bytes : 8));
	struct sort_ctx ctx = { f, by, metric };
	size_t i;
	bool ok;

	if (order && scratch) {
		for (i = 0; i < f->n; i++)
			order[i] = (uint32_t)i;
		pp_sort(order, f->n, sizeof *order, compare_rows, &ctx);
		permute(f->func, sizeof *f->func, order, f->n, scratch);
		permute(f->calls, sizeof *f->calls, order, f->n, scratch);
		if (f->cycle)
			permute(f->cycle, sizeof *f->cycle, order, f->n, scratch);
		permute(f->self, row_bytes, order, f->n, scratch);
		permute(f->total, row_bytes, order, f->n, scratch);
	}
	ok = order && scratch;
	free(order);
	free(scratch);
	return ok;
}
