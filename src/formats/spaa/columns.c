/*
 * What stacks weigh: columns of values that grow with what they must hold, and their sums.
 *
 * When only costs per function are wanted (PP_COSTS), stacks are added up as they come and their rows
 * taken away again; no tree is built. Only the halves of user and kernel pairs, which must be put
 * together first (spaa_join.c), wait with their frames and are added up at the end.
 */
#include "formats/spaa/spaa.h"

/* ---- values into columns ---------------------------------------------------------------- */

/* Makes room for twice as many columns in the rows that are there. */
static bool
columns_double(struct pp_spaa_event *e)
{
	size_t old = e->wide, wide = 2 * old, i, need;

	if (!pp_size_mul(e->rows.n + 1, wide, &need) || !pp_vec_reserve(&e->cells, need))
		return false;
	for (i = e->rows.n; i-- > 0;) {
		memmove(e->cells.at + i * wide, e->cells.at + i * old, old * sizeof *e->cells.at);
		memset(e->cells.at + i * wide + old, 0, old * sizeof *e->cells.at);
	}
	e->cells.n = e->rows.n * wide;
	e->wide = wide;
	return true;
}

static bool
columns_add(struct pp_spaa_event *e, uint32_t metric)
{
	struct pp_spaa_column column = { .metric = metric };

	return (e->columns.n < e->wide || columns_double(e)) && pp_vec_push(&e->columns, column) &&
	       (e->sums.columns == 0 || pp_sums_widen(&e->sums));
}

uint32_t
pp_spaa_column(struct pp_spaa_reader *r, struct pp_spaa_event *e, uint32_t metric, uint32_t *guess)
{
	uint32_t i, n = (uint32_t)e->columns.n;

	for (i = 0; i < n; i++) {
		uint32_t at = *guess < n ? *guess : 0;

		*guess = at + 1;
		if (PP_LIKELY(e->columns.at[at].metric == metric))
			return at;
	}
	if (!columns_add(e, metric)) {
		pp_spaa_no_memory(r);
		return UINT32_MAX;
	}
	*guess = n + 1;
	return n;
}

static void
column_to_real(struct pp_spaa_event *e, uint32_t column)
{
	struct pp_spaa_column *c = &e->columns.at[column];
	size_t i, rows = e->cells.n / e->wide;

	for (i = 0; i < rows && !c->real; i++) {
		int64_t *cell = &e->cells.at[i * e->wide + column];
		double d = c->negative ? (double)*cell : (double)(uint64_t)*cell;

		*cell = pp_cell_real(d / (double)pp_spaa_powers[c->scale]);
	}
	if (e->sums.columns)
		pp_sums_to_real(&e->sums, column, (double)pp_spaa_powers[c->scale]);
	c->real = true;
	c->scale = 0;
}

/* Gives the whole column more decimals; false when a value has no room for them. */
static bool
column_rescale(struct pp_spaa_event *e, uint32_t column, unsigned scale)
{
	struct pp_spaa_column *c = &e->columns.at[column];
	size_t i, rows = e->cells.n / e->wide;
	uint64_t factor = pp_spaa_powers[scale - c->scale];

	for (i = 0; i < rows; i++) {
		int64_t cell = e->cells.at[i * e->wide + column];
		uint64_t magnitude = c->negative && cell < 0 ? 0 - (uint64_t)cell : (uint64_t)cell;

		if (magnitude > INT64_MAX / factor)
			return false;
	}
	if (e->sums.columns && !pp_sums_scale(&e->sums, column, factor))
		return false;
	for (i = 0; i < rows; i++)
		e->cells.at[i * e->wide + column] *= (int64_t)factor;
	c->scale = (uint8_t)scale;
	return true;
}

int64_t
pp_spaa_cell(struct pp_spaa_event *e, uint32_t column, const struct pp_spaa_num *v)
{
	struct pp_spaa_column *c = &e->columns.at[column];
	bool negative = pp_spaa_num_is_negative(v);
	uint64_t magnitude = v->magnitude;

	if (PP_LIKELY(!v->is_real && v->scale == 0 && !negative && magnitude <= INT64_MAX &&
	              !c->real && c->scale == 0))
		return (int64_t)magnitude;
	if (v->is_real && !c->real)
		column_to_real(e, column);
	if (!c->real && v->scale > c->scale && !column_rescale(e, column, v->scale))
		column_to_real(e, column);
	if (!c->real && c->scale > v->scale) {
		uint64_t factor = pp_spaa_powers[c->scale - v->scale];

		if (magnitude > INT64_MAX / factor)
			column_to_real(e, column);
		else
			magnitude *= factor;
	}
	if (!c->real && (negative ? c->large : magnitude > INT64_MAX && c->negative))
		column_to_real(e, column);
	if (c->real)
		return pp_cell_real(pp_spaa_num_double(v));
	c->negative |= negative;
	c->large |= magnitude > INT64_MAX && !negative;
	return (int64_t)(negative ? 0 - magnitude : magnitude);
}

/* ---- exclusive values ------------------------------------------------------------------- */

void
pp_spaa_less_add(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t event)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	struct pp_spaa_event *e = &r->costs.events.at[event];
	uint32_t i, k, guess = 1;

	for (i = 0; i < s->own.n && pp_builder_ok(r->builder); i++) {
		const struct pp_spaa_weight *own = &r->in.chunk->weights.at[s->own.first + i],
		                            *whole;
		uint32_t metric = pp_spaa_metric_row(r, own->metric);
		struct pp_spaa_less less = { .event = event,
			                     .row = (uint32_t)e->rows.n - 1,
			                     .own = own->value };

		for (k = 0; k < s->weights.n && r->metrics.weighed.at[k] != metric; k++)
			;
		if (k == s->weights.n)
			continue;
		/* More than the whole is a mistake that was reported; it cannot be the leaf's own. */
		whole = &r->in.chunk->weights.at[s->weights.first + k];
		if (pp_spaa_num_is_negative(&less.own) ||
		    pp_spaa_num_cmp(&less.own, &whole->value) >= 0)
			continue;
		less.column = pp_spaa_column(r, e, metric, &guess);
		if (less.column == UINT32_MAX || !pp_vec_push(&r->costs.less, less)) {
			pp_spaa_no_memory(r);
			return;
		}
		/* The column must hold it from now on. */
		(void)pp_spaa_cell(e, less.column, &less.own);
	}
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

void
pp_spaa_less_finish(struct pp_spaa_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	size_t i;

	for (i = 0; i < r->costs.less.n; i++) {
		const struct pp_spaa_less *less = &r->costs.less.at[i];
		struct pp_spaa_event *e = &r->costs.events.at[less->event];
		const struct pp_spaa_row *row = &e->rows.at[less->row];
		struct pp_not_own_row out = { .metric = e->first_metric + less->column,
			                      .node = row->node };
		int64_t whole, own;

		/* What was shared out among pairs has no leaf of its own any more. */
		if (row->series == PP_SPAA_DROPPED || row->node == 0)
			continue;
		out.series = r->costs.series_at[row->series];
		whole = e->cells.at[(size_t)less->row * e->wide + less->column];
		own = pp_spaa_cell(e, less->column, &less->own);
		/* Of a half there may be less left than it says is its own. */
		if (!cell_is_less(&e->columns.at[less->column], own, whole))
			continue;
		if (e->columns.at[less->column].real) {
			double d;

			memcpy(&d, &whole, sizeof d);
			out.cell = pp_cell_real(d - pp_spaa_num_double(&less->own));
		} else {
			out.cell = (int64_t)((uint64_t)whole - (uint64_t)own);
		}
		if (!pp_vec_push(&p->not_own, out)) {
			pp_spaa_no_memory(r);
			return;
		}
	}
}

/* ---- sums ------------------------------------------------------------------------------- */

static union pp_value
cell_value(const struct pp_spaa_column *c, int64_t cell)
{
	union pp_value v;

	if (c->real)
		memcpy(&v.d, &cell, sizeof v.d);
	else
		v.i = c->large ? (pp_i128)(uint64_t)cell : (pp_i128)cell;
	return v;
}

/* Room for all frames and all columns. */
static bool
sums_ready(struct pp_spaa_reader *r, struct pp_spaa_event *e)
{
	if (PP_LIKELY(e->sums.columns == e->columns.n &&
	              r->builder->profile->frames.n <= e->sums.rows &&
	              r->costs.total.cap >= e->sums.stride))
		return true;
	while (e->sums.columns < e->columns.n) {
		if (!pp_sums_widen(&e->sums))
			return false;
		if (e->columns.at[e->sums.columns - 1].real)
			pp_sums_to_real(&e->sums, e->sums.columns - 1, 1.0);
	}
	return pp_sums_reserve(&e->sums, r->builder->profile->frames.n) &&
	       pp_vec_reserve(&r->costs.own, e->sums.stride) &&
	       pp_vec_reserve(&r->costs.total, e->sums.stride);
}

/* Adds a row up; the exclusive values noted from `less` on are those of the row. */
static void
row_sum(struct pp_spaa_reader *r, uint32_t event, size_t row, pp_frame *frames, size_t depth,
        size_t less)
{
	struct pp_spaa_event *e = &r->costs.events.at[event];
	size_t n = e->columns.n, k;

	if (!sums_ready(r, e)) {
		pp_spaa_no_memory(r);
		return;
	}
	for (k = 0; k < n; k++)
		r->costs.total.at[k] = cell_value(&e->columns.at[k],
		                                  e->cells.at[row * e->wide + k]);
	for (; k < e->sums.stride; k++)
		r->costs.total.at[k].i = 0;
	if (r->want.sieve.filter && !pp_sieve_stack(&r->want.sieve, frames, &depth)) {
		pp_sums_pass(&e->sums, r->costs.total.at);
		return;
	}
	if (PP_LIKELY(less == r->costs.less.n)) {
		pp_sums_add(&e->sums, frames, depth, r->costs.total.at, r->costs.total.at);
		return;
	}
	memcpy(r->costs.own.at, r->costs.total.at, e->sums.stride * sizeof *r->costs.own.at);
	for (; less < r->costs.less.n && r->costs.less.at[less].event == event &&
	       r->costs.less.at[less].row == row;
	     less++) {
		uint32_t column = r->costs.less.at[less].column;
		int64_t cell = pp_spaa_cell(e, column, &r->costs.less.at[less].own);

		if (cell_is_less(&e->columns.at[column], cell, e->cells.at[row * e->wide + column]))
			r->costs.own.at[column] = cell_value(&e->columns.at[column], cell);
	}
	pp_sums_add(&e->sums, frames, depth, r->costs.own.at, r->costs.total.at);
}

void
pp_spaa_sums_take(struct pp_spaa_reader *r, uint32_t event, pp_frame *frames, size_t depth)
{
	struct pp_spaa_event *e = &r->costs.events.at[event];
	uint32_t row = (uint32_t)e->rows.n - 1;
	size_t less = r->costs.less.n;

	while (less > 0 && r->costs.less.at[less - 1].event == event &&
	       r->costs.less.at[less - 1].row == row)
		less--;
	row_sum(r, event, row, frames, depth, less);
	r->costs.less.n = less;
	e->rows.n--;
	e->cells.n -= e->wide;
	e->summed++;
}

void
pp_spaa_rest_take(struct pp_spaa_reader *r, uint32_t event)
{
	struct pp_spaa_event *e = &r->costs.events.at[event];
	size_t n = e->columns.n, last = e->rows.n - 1, k;
	const int64_t *from = e->cells.at + last * e->wide;
	bool fits = e->rest > 0;

	for (k = 0; k < n && fits; k++) {
		int64_t sum = e->cells.at[(e->rest - 1) * e->wide + k];

		/* 63 bits: whether the column will be signed is not known yet. */
		fits = !e->columns.at[k].large &&
		       pp_cell_add(e->columns.at[k].real ? PP_REAL : PP_INT, &sum, from[k]);
	}
	while (r->costs.less.n > 0 && r->costs.less.at[r->costs.less.n - 1].event == event &&
	       r->costs.less.at[r->costs.less.n - 1].row == last)
		r->costs.less.n--;
	/* The first one, and one that is too much for the others, stands for those to come. */
	if (!fits) {
		e->rest = (uint32_t)last + 1;
		return;
	}
	for (k = 0; k < n; k++)
		(void)pp_cell_add(e->columns.at[k].real ? PP_REAL : PP_INT,
		                  &e->cells.at[(e->rest - 1) * e->wide + k], from[k]);
	e->rows.n--;
	e->cells.n -= e->wide;
}

/* Appends the frames of a stack that was held (its number + 1; 0 = none). */
static bool
path_add(struct pp_spaa_reader *r, uint32_t held)
{
	const struct pp_spaa_held *h;

	if (held == 0)
		return true;
	h = &r->costs.held.at[held - 1];
	if (!pp_vec_reserve(&r->costs.path, r->costs.path.n + h->depth + 1))
		return false;
	if (h->depth)
		memcpy(r->costs.path.at + r->costs.path.n, r->costs.held_frames.at + h->first,
		       h->depth * sizeof *r->costs.path.at);
	r->costs.path.n += h->depth;
	return true;
}

/* Adds up the rows of halves, now that they are put together. */
static void
rows_sum(struct pp_spaa_reader *r, uint32_t event)
{
	size_t row, less = 0;

	for (row = 0; row < r->costs.events.at[event].rows.n && pp_builder_ok(r->builder); row++) {
		const struct pp_spaa_row *at = &r->costs.events.at[event].rows.at[row];

		if (at->series == PP_SPAA_DROPPED)
			continue;
		r->costs.path.n = 0;
		if (!path_add(r, at->base == at->node ? 0 : at->base) || !path_add(r, at->node)) {
			pp_spaa_no_memory(r);
			return;
		}
		/* They were noted in the order of the rows. */
		while (less < r->costs.less.n &&
		       (r->costs.less.at[less].event != event || r->costs.less.at[less].row < row))
			less++;
		row_sum(r, event, row, r->costs.path.at, r->costs.path.n,
		        less < r->costs.less.n && r->costs.less.at[less].row == row
		            ? less
		            : r->costs.less.n);
	}
}

/* The sums of an event as those of its metrics. */
static void
sums_give(struct pp_spaa_reader *r, const struct pp_spaa_event *e, const uint32_t *row_of)
{
	struct pp_profile *p = r->builder->profile;
	size_t wide = p->metrics.n, frame, k;

	for (frame = 0; frame < e->sums.rows && frame < p->frames.n; frame++) {
		union pp_value *to;

		if (frame && !e->sums.seen[frame])
			continue;
		to = p->costs.cells.at + (size_t)row_of[frame] * 2 * wide + e->first_metric;
		for (k = 0; k < e->columns.n; k++) {
			to[k] = pp_sums_own(&e->sums, frame)[k];
			to[wide + k] = pp_sums_total(&e->sums, frame)[k];
		}
		if (e->time_from != UINT32_MAX) {
			to[k] = to[e->time_from];
			to[wide + k] = to[wide + e->time_from];
		}
	}
}

void
pp_spaa_sums_finish(struct pp_spaa_reader *r)
{
	struct pp_profile *p = r->builder->profile;
	uint32_t *row_of = calloc(p->frames.n + 1, sizeof *row_of);
	size_t i, frame, cells;
	bool fine = row_of && pp_vec_push(&p->costs.funcs, 0);

	for (i = 0; i < r->costs.events.n && pp_builder_ok(r->builder); i++)
		rows_sum(r, (uint32_t)i);
	for (i = 0; i < r->costs.events.n && fine; i++) {
		const struct pp_sums *s = &r->costs.events.at[i].sums;

		for (frame = 1; fine && frame < s->rows && frame < p->frames.n; frame++)
			if (s->seen[frame] && !row_of[frame]) {
				row_of[frame] = (uint32_t)p->costs.funcs.n;
				fine = pp_vec_push(&p->costs.funcs, p->frames.at[frame].func);
			}
	}
	fine = fine && pp_size_mul(p->costs.funcs.n, 2 * p->metrics.n, &cells) &&
	       pp_vec_reserve(&p->costs.cells, cells + 1) &&
	       (!r->want.sieve.filter || pp_vec_reserve(&p->costs.unfiltered, p->metrics.n + 1));
	if (fine) {
		memset(p->costs.cells.at, 0, (cells + 1) * sizeof *p->costs.cells.at);
		p->costs.cells.n = cells;
		for (i = 0; i < r->costs.events.n; i++) {
			sums_give(r, &r->costs.events.at[i], row_of);
			pp_sums_release(&r->costs.events.at[i].sums);
		}
		p->costs.stated = true;
		/* The sums' own row for the whole is what all stacks cost that were read. */
		p->costs.filtered = r->want.sieve.filter && r->want.sieve.status == PP_OK;
		for (i = 0; p->costs.filtered && i < p->metrics.n; i++)
			p->costs.unfiltered.at[p->costs.unfiltered.n++] = p->costs.cells.at[i];
	} else {
		pp_spaa_no_memory(r);
	}
	free(row_of);
}

void
pp_spaa_costs_release(struct pp_spaa_costs *c)
{
	size_t i;

	for (i = 0; i < c->events.n; i++) {
		pp_vec_release(&c->events.at[i].columns);
		pp_vec_release(&c->events.at[i].rows);
		pp_vec_release(&c->events.at[i].cells);
		pp_sums_release(&c->events.at[i].sums);
	}
	pp_vec_release(&c->events);
	pp_map_release(&c->event_of);
	pp_vec_release(&c->series);
	pp_map_release(&c->series_of);
	free(c->series_at);
	pp_vec_release(&c->less);
	pp_vec_release(&c->held);
	pp_vec_release(&c->held_frames);
	pp_vec_release(&c->own);
	pp_vec_release(&c->total);
	pp_vec_release(&c->path);
}
