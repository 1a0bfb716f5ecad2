/*
 * A profile to be subtracted from another one: its costs below 0, so that merging the two is the difference.
 */
#include "model/derive.h"
#include "model/schema.h"

/* A cell of a metric as a signed one, turned round if asked to; false when it does not fit. */
static bool
cell_turn(enum pp_cell_type type, bool negate, int64_t *cell)
{
	if (type == PP_REAL) {
		if (negate)
			*cell = pp_cell_gain(PP_REAL, *cell, pp_cell_real(0));
		return true;
	}
	if (type == PP_UINT && *cell < 0)
		return false;
	return !negate || !__builtin_sub_overflow((int64_t)0, *cell, cell);
}

/* The metric whose cost stands in a column, metrics.n in one of counts. */
static size_t
column_metric(const struct pp_profile *p, const struct pp_cell_block *b, size_t column)
{
	size_t set;

	for (set = 0; set < b->sets; set++)
		if (column >= b->set[set] && column - b->set[set] < p->metrics.n)
			return column - b->set[set];
	return p->metrics.n;
}

/* Counts of calls and lines are those of what is not subtracted. */
static bool
column_turn(const struct pp_profile *p, const struct pp_cell_block *b, size_t column, bool negate,
            int64_t *cell)
{
	size_t m = column_metric(p, b, column);

	if (m < p->metrics.n)
		return cell_turn(p->metrics.at[m].type, negate, cell);
	if (negate)
		*cell = 0;
	return true;
}

static bool
block_turn(const struct pp_profile *p, const struct pp_cell_block *b, bool negate)
{
	struct pp_wide *wide = b->wide ? *b->wide : NULL;
	size_t row, i;

	for (row = 0; row < b->rows; row++) {
		const struct pp_span *span = wide ? &wide->rows.at[row] : NULL;

		for (i = 0; i < (span ? span->n : b->stride); i++) {
			int64_t *cell = span ? (int64_t *)(void *)wide->cells + span->first + i
			                     : *b->cells + row * b->stride + i;

			if (!column_turn(p, b, span ? wide->column[span->first + i] : i, negate,
			                 cell))
				return false;
		}
	}
	return true;
}

pp_status
pp_profile_turn(const struct pp_profile *p, bool negate, struct pp_profile **out)
{
	const unsigned own = PP_COLUMN_ROWS | PP_COLUMN_METRICS | PP_COLUMN_CALLS |
	                     PP_COLUMN_LINES | PP_COLUMN_NOT_OWN;
	pp_status status = PP_OK;
	struct pp_derive d;
	size_t i;

	*out = NULL;
	if (!pp_derive_init(&d, p, own, PP_COLUMN_TIMES))
		return PP_E_NOMEM;
	pp_profile_forget_stated(d.to);
	for (i = 0; i < pp_cell_blocks(d.to) && status == PP_OK; i++) {
		struct pp_cell_block block = pp_cell_block(d.to, i);

		if (!block_turn(d.to, &block, negate))
			status = PP_E_LIMIT;
	}
	for (i = 0; i < d.to->not_own.n && status == PP_OK; i++)
		if (!cell_turn(d.to->metrics.at[d.to->not_own.at[i].metric].type, negate,
		               &d.to->not_own.at[i].cell))
			status = PP_E_LIMIT;
	for (i = 0; i < d.to->metrics.n; i++) {
		struct pp_metric *m = &d.to->metrics.at[i];

		m->type = m->type == PP_UINT ? PP_INT : m->type;
		m->flags |= PP_METRIC_SIGNED;
	}
	return pp_derive_finish(&d, status, out);
}
