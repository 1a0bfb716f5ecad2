/*
 * What of each thread is written for the Firefox Profiler: samples in the order of time, or the cost of each stack.
 */
#include "base/stops.h"
#include "formats/firefox/write.h"

#include <stdlib.h>

static int
entry_cmp(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	return a->time != b->time ? (a->time < b->time ? -1 : 1)
	       : a->row != b->row ? (a->row < b->row ? -1 : 1)
	                          : 0;
}

bool
ff_is_zero(const struct ff_write *x, size_t metric, int64_t cell)
{
	const struct pp_metric *m;

	if (metric == NO_METRIC)
		return true;
	m = &x->p->metrics.at[metric];
	return pp_value_is_zero(m, pp_cell_value(m, cell));
}

static int64_t
cell_of(const int64_t *values, size_t metric)
{
	return metric == NO_METRIC ? 0 : values[metric];
}

/* A value as far as readers can hold it. */
static int64_t
held(struct ff_write *x, size_t metric, int64_t cell)
{
	if (x->p->metrics.at[metric].type != PP_UINT || cell >= 0)
		return cell;
	x->w->loss.too_large += x->counting;
	return INT64_MAX;
}

/* The node that cost without a stack stands under is none. */
static pp_node
stack_node(const struct ff_write *x, pp_node node)
{
	const struct pp_func_row *f;

	if (!node || pp_tree_parent(&x->p->tree, node))
		return node;
	f = &x->p->funcs.at[pp_node_func(x->p, node)];
	return f->flags & PP_FUNC_PSEUDO && pp_slice_eq_z(pp_text_of(x->p, f->name), FF_NO_STACK)
	           ? 0
	           : node;
}

/* Takes what a node costs, if it belongs to the table that is written: samples (`table` is the main metric) or allocations. */
static void
entry_take(struct ff_write *x, size_t table, int64_t time, pp_node node, const int64_t *values,
           bool zeros)
{
	struct entry e = { .time = time,
		           .stack = stack_node(x, node),
		           .row = (uint32_t)x->entries.n };
	bool allocates = !ff_is_zero(x, x->js, cell_of(values, x->js)) ||
	                 !ff_is_zero(x, x->native, cell_of(values, x->native));

	e.value = held(x, table, cell_of(values, table));
	if (table == x->main)
		e.cpu = cell_of(values, x->cpu);
	if (ff_is_zero(x, table, e.value) && ff_is_zero(x, x->cpu, e.cpu) &&
	    (table != x->main || allocates || !zeros))
		return;
	x->failed |= !pp_vec_push(&x->entries, e);
}

/* Whether all series of a thread have samples in the order of time. */
bool
ff_is_timed(const struct ff_write *x, size_t first, size_t end)
{
	size_t i;

	for (i = first; i < end; i++) {
		const struct pp_series *s = &x->p->series.at[x->series[i]];

		if (s->rows && (!s->timeline.n || s->timeline.cumulative ||
		                s->timeline.columns < x->p->metrics.n))
			return false;
	}
	return true;
}

static void
timeline_take(struct ff_write *x, size_t table, const struct pp_series *s)
{
	struct pp_timeline_iter it;

	if (!s->timeline.n)
		return;
	if (!pp_timeline_begin(&s->timeline, &it, 0)) {
		x->failed = true;
		return;
	}
	while (pp_timeline_next(&it) && !x->failed)
		if (it.event.kind == PP_EVENT_SAMPLE)
			entry_take(x, table, it.event.time, it.event.node, it.values, true);
	pp_timeline_end(&it);
}

static void
cells_take(struct ff_write *x, size_t table, const struct pp_series *s)
{
	size_t n = x->p->metrics.n, m;
	int64_t *values = calloc(n + 1, sizeof *values);
	uint32_t row;

	x->failed |= !values;
	for (row = 0; values && row < s->rows; row++) {
		if (!pp_series_present(s, row))
			continue;
		for (m = 0; m < n; m++)
			values[m] = pp_series_cell(s, row, m);
		entry_take(x, table, 0, pp_series_node(s, row), values,
		           !(x->p->metrics.at[x->main].flags & PP_METRIC_NO_ZERO));
	}
	free(values);
}

static int
stack_cmp(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	return a->stack != b->stack ? (a->stack < b->stack ? -1 : 1)
	       : a->row != b->row   ? (a->row < b->row ? -1 : 1)
	                            : 0;
}

static bool
entry_add(const struct ff_write *x, size_t table, struct entry *to, const struct entry *e)
{
	const struct pp_metric *m = x->p->metrics.at;
	int64_t value = to->value;

	if (!pp_cell_add(m[table].type, &value, e->value) ||
	    (x->cpu != NO_METRIC && !pp_cell_add(m[x->cpu].type, &to->cpu, e->cpu)))
		return false;
	to->value = value;
	return true;
}

/* Costs of one stack are one entry where their times are not known. */
static void
entries_unite(struct ff_write *x, size_t table)
{
	size_t i, kept = 0;

	pp_map_release(&x->entry_of);
	for (i = 0; i < x->entries.n && !x->failed; i++) {
		struct entry *e = &x->entries.at[i];
		uint32_t at = pp_map_get(&x->entry_of, e->stack);

		x->failed |= pp_account_stops_at(i);
		if (at != PP_MAP_NONE && entry_add(x, table, &x->entries.at[at], e))
			continue;
		x->failed |= !pp_map_set(&x->entry_of, e->stack, (uint32_t)kept);
		x->entries.at[kept++] = *e;
	}
	x->entries.n = kept;
}

/* The entries of a thread, in the order of time, or of the profile where that is not known. */
void
ff_entries_take(struct ff_write *x, size_t table, size_t first, size_t end)
{
	size_t i;

	x->entries.n = 0;
	if (table == NO_METRIC)
		return;
	for (i = first; i < end && !x->failed; i++)
		if (x->laid)
			cells_take(x, table, &x->p->series.at[x->series[i]]);
		else
			timeline_take(x, table, &x->p->series.at[x->series[i]]);
	if (x->entries.n && !x->laid)
		qsort(x->entries.at, x->entries.n, sizeof *x->entries.at, entry_cmp);
	for (i = 0; i < x->entries.n && !x->failed; i++)
		x->entries.at[i].stack = ff_stack_number(x, x->entries.at[i].stack);
	if (!x->laid)
		return;
	entries_unite(x, table);
	/* Readers have the stacks of samples before those of allocations. */
	if (table != x->main && x->entries.n)
		qsort(x->entries.at, x->entries.n, sizeof *x->entries.at, stack_cmp);
}
