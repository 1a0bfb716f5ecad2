/*
 * Costs per function, where nothing else stays of stacks. Idle stacks are added to no function but
 * summed up separately; in trees they are found afterwards (analysis/set_aside.h).
 */
#include "model/builder_stacks.h"
#include "model/leaf_kind.h"

bool
pp_idle_frames(struct pp_builder *b)
{
	const struct pp_profile *p = b->profile;
	struct pp_stacks *x = b->stacks;

	while (x->idles.n < p->frames.n) {
		pp_str name = p->funcs.at[p->frames.at[x->idles.n].func].name;

		if (!pp_vec_push(&x->idles, pp_name_is_idle(pp_text_of(p, name)))) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return false;
		}
	}
	return true;
}

bool
pp_idle_add(struct pp_builder *b, const union pp_value *more)
{
	struct pp_stacks *x = b->stacks;
	size_t m;

	if (!pp_vec_reserve(&x->idle, x->columns))
		return false;
	for (; x->idle.n < x->columns; x->idle.n++)
		x->idle.at[x->idle.n] = (union pp_value){ 0 };
	for (m = 0; m < x->columns; m++) {
		const struct pp_metric like = { .type = column_type(b, m) };

		pp_value_add(&like, &x->idle.at[m], more[m]);
	}
	return true;
}

void
pp_idle_scale(struct pp_stacks *x, uint32_t column, uint64_t factor)
{
	if (column < x->idle.n)
		x->idle.at[column].i *= (pp_i128)factor;
}

void
pp_idle_to_real(struct pp_stacks *x, uint32_t column, double divisor)
{
	if (column < x->idle.n)
		x->idle.at[column].d = (double)x->idle.at[column].i / divisor;
}

void
pp_build_idle(struct pp_builder *b, uint32_t metric, union pp_value cost)
{
	struct pp_profile *p = b->profile;

	while (p->aside.n < p->metrics.n) {
		struct pp_aside_row row = { .idle = pp_value_zero(&p->metrics.at[p->aside.n]) };

		if (!pp_vec_push(&p->aside, row)) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return;
		}
	}
	pp_value_add(&p->metrics.at[metric], &p->aside.at[metric].idle, cost);
}

/* Gives the profile what idle stacks cost. */
static void
idle_give(struct pp_builder *b)
{
	const struct pp_stacks *x = b->stacks;
	uint32_t m;

	for (m = 0; x->idle.n && m < b->profile->metrics.n; m++) {
		size_t column = x->late ? x->column_of.at[m] : m;

		if (column < x->idle.n)
			pp_build_idle(b, m, x->idle.at[column]);
	}
}

/* The costs of functions that occur, where there are many columns. */
static bool
sums_give_sparse(struct pp_builder *b)
{
	struct pp_costs_facet *costs = &b->profile->costs;
	const struct pp_stacks *x = b->stacks;
	size_t row, n = 0;

	costs->wide = pp_gather_settle(&x->sums.sparse, x->sums.rows,
	                               x->late ? x->column_of.at : NULL, b->profile->metrics.n);
	if (!costs->wide)
		return false;
	/* Frames that do not occur have no cells, so rows close up without moving any. */
	for (row = 0; row < x->sums.rows && row < b->profile->frames.n; row++)
		if (!row || x->sums.seen[row])
			costs->wide->rows.at[n++] = costs->wide->rows.at[row];
	costs->wide->rows.n = n;
	return true;
}

bool
pp_stacks_give_sums(struct pp_builder *b)
{
	struct pp_costs_facet *costs = &b->profile->costs;
	struct pp_stacks *x = b->stacks;
	size_t n = b->profile->metrics.n, row, m;

	/* The whole has a row even where there is no stack. */
	if (!pp_sums_reserve(&x->sums, 1))
		return false;
	idle_give(b);
	for (row = 0; row < x->sums.rows && row < b->profile->frames.n; row++) {
		union pp_value *to;

		if (row && !x->sums.seen[row])
			continue;
		if (!pp_vec_push(&costs->funcs, b->profile->frames.at[row].func))
			return false;
		if (x->sums.is_sparse)
			continue;
		if (!pp_vec_reserve(&costs->cells, costs->cells.n + 2 * n))
			return false;
		to = costs->cells.at + costs->cells.n;
		for (m = 0; m < n; m++) {
			struct pp_cost_pair pair = pp_sums_get(&x->sums, row,
			                                       x->late ? x->column_of.at[m] : m);

			to[m] = pair.own;
			to[n + m] = pair.total;
		}
		costs->cells.n += 2 * n;
	}
	if (x->sums.is_sparse && !sums_give_sparse(b))
		return false;
	costs->stated = true;
	costs->filtered = x->sieve.filter && x->sieve.status == PP_OK;
	/* The sums' own row for the whole is what all stacks cost that were read. */
	for (m = 0; costs->filtered && m < n; m++)
		if (!pp_vec_push(&costs->unfiltered, pp_costs_get(b->profile, 0, m).own))
			return false;
	return true;
}
