/*
 * Sums by row and metric.
 */
#include "model/ledger.h"

bool
pp_ledger_init(struct pp_ledger *l, const struct pp_profile *p, size_t rows)
{
	size_t cells;

	*l = (struct pp_ledger){ .metric = p->metrics.at, .metrics = p->metrics.n, .room = rows };
	if (p->metrics.n > PP_FEW_COLUMNS)
		l->many = pp_wide_new(sizeof(union pp_value), rows);
	else if (pp_size_mul(rows, l->metrics, &cells))
		/* A sum of nothing is all zero bits, as an integer and as a double. */
		l->few = calloc(cells + 1, sizeof *l->few);
	l->failed = !l->few && !l->many;
	return !l->failed;
}

void
pp_ledger_release(struct pp_ledger *l)
{
	free(l->few);
	pp_wide_free(l->many);
	*l = (struct pp_ledger){ 0 };
}

bool
pp_ledger_grow(struct pp_ledger *l, size_t rows, size_t more)
{
	size_t room = 2 * l->room > more ? 2 * l->room : more, cells;
	union pp_value *few;

	while (l->many && !l->failed && l->many->rows.n < more)
		l->failed = !pp_wide_push(l->many);
	if (l->failed || l->many || more <= l->room)
		return !l->failed;
	/* Without metrics it stays a block of its own: no bytes at all would give it back. */
	few = pp_size_mul(room, (l->metrics ? l->metrics : 1) * sizeof *few, &cells)
	          ? realloc(l->few, cells)
	          : NULL;
	l->failed = !few;
	if (!few)
		return false;
	memset(few + rows * l->metrics, 0, (room - rows) * l->metrics * sizeof *few);
	l->few = few;
	l->room = room;
	return true;
}

union pp_value *
pp_ledger_at(struct pp_ledger *l, size_t row, size_t metric)
{
	union pp_value *at = NULL;

	if (PP_LIKELY(l->few))
		return &l->few[row * l->metrics + metric];
	if (!l->failed)
		at = pp_wide_at(l->many, row, (uint32_t)metric);
	l->failed |= !at;
	return at;
}

void
pp_ledger_add(struct pp_ledger *l, size_t row, size_t metric, union pp_value v)
{
	const struct pp_metric *m = &l->metric[metric];
	union pp_value *at;

	if (l->many && pp_value_is_zero(m, v))
		return;
	at = pp_ledger_at(l, row, metric);
	if (at)
		pp_value_add(m, at, v);
}

void
pp_ledger_sub(struct pp_ledger *l, size_t row, size_t metric, union pp_value v)
{
	const struct pp_metric *m = &l->metric[metric];
	union pp_value *at;

	if (l->many && pp_value_is_zero(m, v))
		return;
	at = pp_ledger_at(l, row, metric);
	if (at)
		pp_value_sub(m, at, v);
}

void
pp_ledger_add_cells(struct pp_ledger *l, size_t row, struct pp_cells cells)
{
	union pp_value *to = l->few ? l->few + row * l->metrics : NULL;
	size_t i;

	for (i = 0; to && i < cells.n; i++)
		pp_value_add(&l->metric[i], &to[i], pp_cell_value(&l->metric[i], cells.at[i]));
	for (i = 0; l->many && i < cells.n; i++) {
		uint32_t m = pp_cells_column(&cells, i);

		if (cells.at[i])
			pp_ledger_add(l, row, m, pp_cell_value(&l->metric[m], cells.at[i]));
	}
}

void
pp_ledger_sub_cells(struct pp_ledger *l, size_t row, struct pp_cells cells)
{
	size_t i;

	for (i = 0; i < cells.n; i++) {
		uint32_t m = pp_cells_column(&cells, i);

		pp_ledger_sub(l, row, m, pp_cell_value(&l->metric[m], cells.at[i]));
	}
}

void
pp_ledger_add_values(struct pp_ledger *l, size_t row, struct pp_values values)
{
	union pp_value *to = l->few ? l->few + row * l->metrics : NULL;
	size_t i;

	for (i = 0; to && i < values.n; i++)
		pp_value_add(&l->metric[i], &to[i], values.at[i]);
	for (i = 0; l->many && i < values.n; i++)
		pp_ledger_add(l, row, pp_values_metric(&values, i), values.at[i]);
}

union pp_value
pp_ledger_get(const struct pp_ledger *l, size_t row, size_t metric)
{
	const union pp_value *at;

	if (l->few)
		return l->few[row * l->metrics + metric];
	at = pp_wide_find(l->many, row, (uint32_t)metric);
	return at ? *at : (union pp_value){ 0 };
}

struct pp_values
pp_ledger_row(const struct pp_ledger *l, size_t row)
{
	const struct pp_span *s;

	if (l->few)
		return (struct pp_values){ l->few + row * l->metrics, NULL, l->metrics };
	s = &l->many->rows.at[row];
	if (!s->n)
		return (struct pp_values){ 0 };
	return (struct pp_values){ (const union pp_value *)(const void *)l->many->cells + s->first,
		                   l->many->column + s->first, s->n };
}

union pp_value *
pp_ledger_edit(struct pp_ledger *l, size_t row)
{
	const struct pp_span *s = l->few ? NULL : &l->many->rows.at[row];

	if (!s)
		return l->few + row * l->metrics;
	return s->n ? (union pp_value *)(void *)l->many->cells + s->first : NULL;
}

bool
pp_ledger_permute(struct pp_ledger *l, const uint32_t *order, size_t rows)
{
	return l->few ? pp_items_permute(l->few, l->metrics * sizeof *l->few, order, rows)
	              : pp_items_permute(l->many->rows.at, sizeof *l->many->rows.at, order, rows);
}

void
pp_ledger_move(struct pp_ledger *l, size_t to, size_t from)
{
	if (l->few)
		memmove(l->few + to * l->metrics, l->few + from * l->metrics,
		        l->metrics * sizeof *l->few);
	else
		l->many->rows.at[to] = l->many->rows.at[from];
}
