/*
 * What stacks cost: values in columns that grow with what they must hold, handed to the builder stack by
 * stack. Only the user and kernel halves of stacks wait, because they must be put together first (join.c).
 */
#include "formats/spaa/spaa.h"

/* ---- columns ---------------------------------------------------------------------------- */

static uint64_t
column_key(const struct pp_spaa_event *e, uint32_t metric)
{
	return (uint64_t)e->number << 32 | metric;
}

bool
pp_spaa_column_add(struct pp_spaa_reader *r, struct pp_spaa_event *e, uint32_t metric)
{
	struct pp_spaa_column column = { .metric = metric };
	struct pp_spaa_costs *c = &r->costs;

	if (r->want_costs) {
		column.column = pp_build_column(r->builder);
		/* Values are 0 but while a stack is handed over. */
		if (!pp_vec_push(&c->values, 0) || !pp_vec_push(&c->own, 0) ||
		    !pp_vec_push(&c->used, 0))
			return false;
	}
	c->column_of.seed = r->reader->seed;
	return pp_map_set(&c->column_of, column_key(e, metric), (uint32_t)e->columns.n) &&
	       pp_vec_push(&e->columns, column);
}

/* The column of a metric, made when absent; UINT32_MAX when out of memory. `guess` goes from 1 up. */
static uint32_t
column_of(struct pp_spaa_reader *r, struct pp_spaa_event *e, uint32_t metric, uint32_t *guess)
{
	uint32_t n = (uint32_t)e->columns.n, at = *guess < n ? *guess : 0;

	*guess = at + 1;
	if (PP_LIKELY(n && e->columns.at[at].metric == metric))
		return at;
	at = n ? pp_map_get(&r->costs.column_of, column_key(e, metric)) : PP_MAP_NONE;
	*guess = at + 1;
	if (at != PP_MAP_NONE)
		return at;
	if (!pp_spaa_column_add(r, e, metric)) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	*guess = n + 1;
	return n;
}

static void
column_to_real(struct pp_spaa_reader *r, struct pp_spaa_column *c)
{
	pp_build_column_real(r->builder, c->column, (double)pp_decimal_powers[c->scale]);
	c->real = true;
	c->scale = 0;
}

/* Gives the whole column more decimals; false when a value has no room for them. */
static bool
column_rescale(struct pp_spaa_reader *r, struct pp_spaa_column *c, uint8_t scale)
{
	if (!pp_build_column_scale(r->builder, c->column, pp_decimal_powers[scale - c->scale]))
		return false;
	c->scale = scale;
	return true;
}

int64_t
pp_spaa_cell_grow(struct pp_spaa_reader *r, struct pp_spaa_column *c, const struct pp_decimal *v)
{
	bool negative = pp_decimal_is_negative(v);
	uint64_t magnitude = v->magnitude;

	if (!c->real && (v->is_real || (v->scale > c->scale && !column_rescale(r, c, v->scale))))
		column_to_real(r, c);
	if (!c->real && c->scale > v->scale) {
		uint64_t factor = pp_decimal_powers[c->scale - v->scale];

		if (magnitude > INT64_MAX / factor)
			column_to_real(r, c);
		else
			magnitude *= factor;
	}
	if (!c->real && (negative ? c->large : magnitude > INT64_MAX && c->negative))
		column_to_real(r, c);
	if (c->real)
		return pp_cell_real(pp_decimal_double(v));
	c->negative |= negative;
	if (magnitude > INT64_MAX && !negative && !c->large) {
		c->large = true;
		pp_build_column_unsigned(r->builder, c->column);
	}
	return (int64_t)(negative ? 0 - magnitude : magnitude);
}

/* Whether one cell of a column is less than another. */
static bool
cell_is_less(const struct pp_spaa_column *c, int64_t a, int64_t b)
{
	double x, y;

	if (!c->real)
		return c->large ? (uint64_t)a < (uint64_t)b : a < b;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	return x < y;
}

/* ---- stacks ----------------------------------------------------------------------------- */

/* Notes which exclusive values of a stack are not those of its weights; the others say nothing new. */
static void
own_note(struct pp_spaa_reader *r, const struct pp_spaa_stack *s, struct pp_spaa_cost *costs)
{
	const struct pp_spaa_weight *own = r->in.chunk->weights.at + s->own.first;
	uint32_t i, k;
	int order;

	for (i = 0; i < s->own.n; i++) {
		uint32_t metric = pp_spaa_metric_row(r, own[i].metric);

		if (!pp_builder_ok(r->builder))
			return;
		k = r->metrics.rows.at[metric].at;
		if (k >= s->weights.n || r->metrics.weighed.at[k] != metric)
			continue;
		/* More than the whole is a mistake that was reported; it cannot be the leaf's own. */
		order = pp_decimal_cmp(&own[i].value, &costs[k].value);
		if (order == 0 || (order > 0 && !pp_decimal_is_negative(&costs[k].value)))
			continue;
		costs[k].own = own[i].value;
		costs[k].apart = true;
	}
}

/* The costs of a stack, whose columns can hold them then; NULL on failure. */
static struct pp_spaa_cost *
costs_of(struct pp_spaa_reader *r, const struct pp_spaa_stack *s, struct pp_spaa_event *e)
{
	const struct pp_spaa_weight *w = r->in.chunk->weights.at + s->weights.first;
	struct pp_spaa_costs *c = &r->costs;
	struct pp_spaa_cost *costs;
	uint32_t i, guess = 1;

	if (!pp_vec_reserve(&c->list, c->list.n + s->weights.n + 1)) {
		pp_spaa_no_memory(r);
		return NULL;
	}
	costs = c->list.at + c->list.n;
	for (i = 0; i < s->weights.n; i++) {
		costs[i] = (struct pp_spaa_cost){ .value = w[i].value };
		costs[i].column = column_of(r, e, r->metrics.weighed.at[i], &guess);
		if (PP_UNLIKELY(costs[i].column == UINT32_MAX))
			return NULL;
	}
	if (PP_SPAA_HAS(s, own_has, EXCLUSIVE_WEIGHTS) &&
	    (s->own.first != s->weights.first || s->own.n != s->weights.n))
		own_note(r, s, costs);
	for (i = 0; i < s->weights.n; i++) {
		struct pp_spaa_column *column = &e->columns.at[costs[i].column];

		if (PP_UNLIKELY(costs[i].apart))
			(void)pp_spaa_cell(r, column, &costs[i].own);
		column->zero |= pp_spaa_cell(r, column, &costs[i].value) == 0;
	}
	return costs;
}

/* What of the values of a stack is its leaf's own; NULL when all is. `half`: they are what is left of one. */
static const int64_t *
own_fill(struct pp_spaa_reader *r, struct pp_spaa_event *e, const struct pp_spaa_cost *costs,
         size_t n, bool half)
{
	int64_t *values = r->costs.values.at, *own = r->costs.own.at, cell;
	bool apart = false;
	size_t i;

	for (i = 0; i < n; i++)
		apart |= costs[i].apart;
	if (PP_LIKELY(!apart))
		return NULL;
	for (i = 0; half && i < e->columns.n; i++)
		own[e->columns.at[i].column] = values[e->columns.at[i].column];
	for (i = 0; !half && i < n; i++)
		own[e->columns.at[costs[i].column].column] =
		    values[e->columns.at[costs[i].column].column];
	for (i = 0; i < n; i++) {
		struct pp_spaa_column *c = &e->columns.at[costs[i].column];

		/* Of a half there may be less left than it says is its own. */
		cell = costs[i].apart ? pp_spaa_cell(r, c, &costs[i].own) : 0;
		if (costs[i].apart && (!half || cell_is_less(c, cell, values[c->column])))
			own[c->column] = cell;
	}
	return own;
}

void
pp_spaa_stack_give(struct pp_spaa_reader *r, uint32_t record, const struct pp_spaa_cost *costs,
                   size_t n, const int64_t *cells, const pp_frame *frames, size_t depth)
{
	struct pp_spaa_stack_row *row = &r->stacks.records.at[record];
	struct pp_spaa_event *e = &r->costs.events.at[row->event];
	int64_t *values = r->costs.values.at;
	uint32_t *used = r->costs.used.at;
	struct pp_sample sample = { .series = r->costs.series.at[row->series].at,
		                    .values = values,
		                    .columns = used,
		                    .column_count = cells ? e->columns.n : n,
		                    .where = r->want_time ? &row->where : NULL };
	size_t i;

	for (i = 0; cells && i < e->columns.n; i++) {
		used[i] = e->columns.at[i].column;
		values[used[i]] = cells[i];
	}
	for (i = 0; !cells && i < n; i++) {
		struct pp_spaa_column *c = &e->columns.at[costs[i].column];

		used[i] = c->column;
		values[c->column] = pp_spaa_cell(r, c, &costs[i].value);
	}
	sample.own = own_fill(r, e, costs, n, cells != NULL);
	(void)pp_build_sample(r->builder, &sample, frames, depth);
	for (i = 0; i < sample.column_count; i++)
		values[used[i]] = r->costs.own.at[used[i]] = 0;
}

/* A half waits, and only its path is told, so that the tree grows in the order of the file. */
static void
half_wait(struct pp_spaa_reader *r, const struct pp_spaa_stack *s, uint32_t record,
          const pp_frame *frames)
{
	struct pp_spaa_costs *c = &r->costs;
	struct pp_spaa_half half = { .record = record,
		                     .depth = s->frames.n,
		                     .frames = c->half_frames.n,
		                     .costs = c->list.n,
		                     .n = s->weights.n };

	if (!pp_vec_push(&c->halves, half) ||
	    !pp_vec_reserve(&c->half_frames, c->half_frames.n + half.depth + 1)) {
		pp_spaa_no_memory(r);
		return;
	}
	if (half.depth)
		memcpy(c->half_frames.at + c->half_frames.n, frames, half.depth * sizeof *frames);
	c->half_frames.n += half.depth;
	c->list.n += half.n; /* its costs stay there */
	if (s->type == PP_SPAA_USER_STACK || !s->related.n) {
		const struct pp_sample path = {
			.series = c->series.at[r->stacks.records.at[record].series].at
		};

		(void)pp_build_sample(r->builder, &path, frames, half.depth);
	}
}

void
pp_spaa_costs_add(struct pp_spaa_reader *r, const struct pp_spaa_stack *s, uint32_t record,
                  const pp_frame *frames)
{
	struct pp_spaa_event *e = &r->costs.events.at[r->stacks.records.at[record].event];
	const struct pp_spaa_cost *costs = costs_of(r, s, e);

	e->used = true;
	if (!costs)
		return;
	if (PP_LIKELY(s->type == PP_SPAA_UNIFIED))
		pp_spaa_stack_give(r, record, costs, s->weights.n, NULL, frames, s->frames.n);
	else
		half_wait(r, s, record, frames);
}

void
pp_spaa_costs_release(struct pp_spaa_costs *c)
{
	size_t i;

	for (i = 0; i < c->events.n; i++)
		pp_vec_release(&c->events.at[i].columns);
	pp_vec_release(&c->events);
	pp_map_release(&c->event_of);
	pp_vec_release(&c->series);
	pp_map_release(&c->series_of);
	pp_map_release(&c->labels_of);
	free(c->moved);
	pp_vec_release(&c->path);
	pp_vec_release(&c->values);
	pp_vec_release(&c->own);
	pp_vec_release(&c->used);
	pp_map_release(&c->column_of);
	pp_vec_release(&c->list);
	pp_vec_release(&c->halves);
	pp_vec_release(&c->half_frames);
}
