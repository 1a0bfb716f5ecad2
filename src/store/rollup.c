/*
 * Roll-ups, there and back: see rollup.h.
 */
#include "store/rollup.h"

#include <stdlib.h>

#include "base/varint.h"
#include "io/system.h"
#include "model/merge.h"
#include "store/record.h"

/* ---- adding ---- */

bool
pp_rollup_init(struct pp_rollup *r)
{
	*r = (struct pp_rollup){ 0 };
	r->begun = pp_dict_init(&r->dict, true, pp_random_seed());
	return r->begun && pp_dict_ready(&r->dict) == PP_OK;
}

void
pp_rollup_release(struct pp_rollup *r)
{
	if (r->begun)
		pp_dict_release(&r->dict);
	while (r->subs.n)
		pp_buf_release(&r->subs.at[--r->subs.n]);
	while (r->parts.n) {
		struct pp_rollup_part *part = &r->parts.at[--r->parts.n];

		pp_packed_release(&part->packed);
		pp_vec_release(&part->series);
	}
	pp_vec_release(&r->subs);
	pp_vec_release(&r->parts);
	*r = (struct pp_rollup){ 0 };
}

static bool
bufs_equal(const struct pp_buf *a, const struct pp_buf *b)
{
	return pp_slice_eq(pp_slice_of(a->p, a->n), pp_slice_of(b->p, b->n));
}

/* The number of a series among those of the rollup. */
static pp_status
sub_number(struct pp_rollup *r, const struct pp_buf *sub, uint32_t *number)
{
	struct pp_buf copy = { 0 };
	size_t i;

	for (i = 0; i < r->subs.n && !bufs_equal(&r->subs.at[i], sub); i++)
		;
	*number = (uint32_t)i;
	if (i < r->subs.n)
		return PP_OK;
	/* A merge keeps no more threads apart, and says so. */
	if (i == PP_MERGE_SERIES)
		return PP_E_UNSUPPORTED;
	pp_buf_add(&copy, sub->p, sub->n);
	if (!copy.failed && pp_vec_push(&r->subs, copy))
		return PP_OK;
	pp_buf_release(&copy);
	return PP_E_NOMEM;
}

/* Finds the series of a part that was packed; and whether it fits those before. */
static pp_status
part_join(struct pp_rollup *r, struct pp_rollup_part *part)
{
	pp_status status = PP_OK;
	uint32_t number;
	size_t i;

	if (part->packed.is_part ||
	    (r->parts.n && !bufs_equal(&part->packed.shape, &r->parts.at[0].packed.shape)))
		return PP_E_UNSUPPORTED;
	for (i = 0; i < part->packed.subs.n && status == PP_OK; i++) {
		status = sub_number(r, &part->packed.subs.at[i], &number);
		if (status == PP_OK && !pp_vec_push(&part->series, number))
			status = PP_E_NOMEM;
	}
	return status;
}

pp_status
pp_rollup_add(struct pp_rollup *r, const struct pp_profile *p, const struct pp_pack_input *input,
              const struct pp_own_facts *facts)
{
	struct pp_pack_input of_sum = *input;
	struct pp_rollup_part part = { 0 };
	pp_status status = PP_E_UNSUPPORTED;

	of_sum.is_summed = true;
	if (pp_dict_has_room(&r->dict, p))
		status = pp_pack(&r->dict, p, &of_sum, &part.packed);
	if (status == PP_OK)
		status = part_join(r, &part);
	if (status == PP_OK && facts) {
		r->facts.profiles += facts->profiles;
		r->facts.events += facts->events;
		r->facts.samples += facts->samples;
	} else if (status == PP_OK &&
	           !pp_own_add(pp_slice_of(part.packed.own.p, part.packed.own.n), &r->facts)) {
		status = PP_E_INVALID;
	}
	if (status == PP_OK && pp_vec_push(&r->parts, part))
		return PP_OK;
	pp_packed_release(&part.packed);
	pp_vec_release(&part.series);
	return status == PP_OK ? PP_E_NOMEM : status;
}

/* ---- adding up ---- */

/* Cells of one series of all parts, and whether calls are among them. */
static pp_status
series_sum(const struct pp_rollup *r, uint32_t series, const struct pp_profile *like,
           struct pp_cell_sums *sums, bool *has_calls)
{
	const size_t metrics = like->metrics.n;
	size_t i, k;

	for (i = 0; i < r->parts.n; i++) {
		const struct pp_rollup_part *part = &r->parts.at[i];

		for (k = 0; k < part->packed.cells.n; k++) {
			const struct pp_packed_cells *c = &part->packed.cells.at[k];
			bool calls = c->metric == metrics;

			if (part->series.at[c->series] != series)
				continue;
			*has_calls |= calls;
			if (!pp_cells_sum(&sums[c->metric],
			                  calls ? PP_UINT : like->metrics.at[c->metric].type,
			                  pp_slice_of(c->data.p, c->data.n), &c->sum))
				return PP_E_INVALID;
			if (sums[c->metric].overflowed)
				return PP_E_UNSUPPORTED;
		}
	}
	return PP_OK;
}

static void
series_put(struct pp_buf *out, const struct pp_unpacked_series *s, size_t metrics)
{
	const size_t columns = metrics + s->has_calls;
	uint32_t row, last = 0;
	size_t i;

	pp_record_text(out, s->sub);
	pp_record_number(out, s->has_calls);
	pp_record_number(out, s->rows);
	for (row = 0; row < s->rows; row++) {
		pp_record_number(out, s->stacks[row] - last);
		last = s->stacks[row];
		for (i = 0; i < columns; i++)
			pp_record_number(out, pp_zigzag(s->cells[row * columns + i]));
	}
}

/* Appends the rows of one series. */
static pp_status
series_write(const struct pp_rollup *r, uint32_t series, const struct pp_profile *like,
             struct pp_buf *out)
{
	const uint32_t ids = (uint32_t)r->dict.stacks.n;
	const size_t columns = like->metrics.n + 1;
	struct pp_cell_sums *sums = pp_cell_sums_new(columns, ids);
	struct pp_unpack u = { .dict = &r->dict };
	bool has_calls = false;
	pp_status status = sums ? series_sum(r, series, like, sums, &has_calls) : PP_E_NOMEM;

	if (status == PP_OK)
		status = pp_unpack_add(&u, pp_slice_of(r->subs.at[series].p, r->subs.at[series].n),
		                       sums, like->metrics.n, has_calls);
	if (status == PP_OK)
		series_put(out, &u.series.at[0], like->metrics.n);
	pp_unpack_release(&u);
	pp_cell_sums_free(sums, columns);
	return status;
}

pp_status
pp_rollup_write(struct pp_rollup *r, struct pp_buf *out)
{
	struct pp_buf part = { 0 };
	struct pp_shape shape = { 0 };
	const struct pp_buf *like = &r->parts.at[0].packed.shape;
	pp_status status = pp_shape_read(&shape, pp_slice_of(like->p, like->n), pp_random_seed());
	uint64_t rows;
	uint32_t i;

	if (status != PP_OK)
		return status;
	for (i = 0; i < PP_DICT_PARTS && status == PP_OK; i++) {
		part.n = 0;
		if (!pp_dict_chunk(&r->dict, (enum pp_dict_part)i, &part, &rows))
			status = PP_E_NOMEM;
		pp_record_number(out, rows);
		pp_record_text(out, pp_slice_of(part.p, part.n));
	}
	pp_record_text(out, pp_slice_of(like->p, like->n));
	part.n = 0;
	pp_own_put(&part, &r->facts);
	pp_record_text(out, pp_slice_of(part.p, part.n));
	pp_record_number(out, r->subs.n);
	for (i = 0; i < r->subs.n && status == PP_OK; i++)
		status = series_write(r, i, shape.b.profile, out);
	if (status == PP_OK && (out->failed || part.failed))
		status = PP_E_NOMEM;
	pp_buf_release(&part);
	pp_shape_release(&shape);
	return status;
}

/* ---- reading ---- */

static pp_status
dict_read(struct pp_dict *d, struct pp_record *r)
{
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < PP_DICT_PARTS && status == PP_OK; i++) {
		uint64_t rows = pp_record_take(r);

		status = pp_dict_load(d, (enum pp_dict_part)i, pp_record_take_text(r), rows);
	}
	return status == PP_OK && !r->failed ? pp_dict_ready(d)
	                                     : (status == PP_OK ? PP_E_INVALID : status);
}

/* Reads the rows of a series; false when they are damaged. */
static bool
rows_read(struct pp_record *r, struct pp_unpacked_series *s, size_t columns, size_t stacks)
{
	uint64_t stack = 0;
	uint32_t row;
	size_t i;

	for (row = 0; row < s->rows && !r->failed; row++) {
		uint64_t step = pp_record_take(r);

		stack += step;
		if (step == 0 || step >= stacks || stack >= stacks)
			return false;
		s->stacks[row] = (uint32_t)stack;
		for (i = 0; i < columns; i++)
			s->cells[row * columns + i] = pp_unzigzag(pp_record_take(r));
	}
	return !r->failed;
}

static pp_status
series_read(struct pp_unpack *u, struct pp_record *r, size_t metrics)
{
	struct pp_unpacked_series s = { .sub = pp_record_take_text(r) };
	uint64_t calls = pp_record_take(r), rows = pp_record_take(r);
	size_t columns;

	/* A row takes a byte for its stack and one for each cell, so there cannot be more. */
	if (r->failed || calls > 1 || rows >= UINT32_MAX ||
	    rows * (metrics + calls + 1) > (size_t)(r->end - r->p))
		return PP_E_INVALID;
	s.has_calls = calls;
	s.rows = (uint32_t)rows;
	columns = metrics + calls;
	s.stacks = malloc((rows + 1) * sizeof *s.stacks);
	s.cells = malloc((rows * columns + 1) * sizeof *s.cells);
	if (!s.stacks || !s.cells || !pp_vec_push(&u->series, s)) {
		free(s.stacks);
		free(s.cells);
		return PP_E_NOMEM;
	}
	return rows_read(r, &s, columns, u->dict->stacks.n) ? PP_OK : PP_E_INVALID;
}

/* All that stands behind the dictionary. */
static pp_status
sum_read(struct pp_dict *d, struct pp_record *r, struct pp_own_facts *facts,
         struct pp_profile **out)
{
	struct pp_unpack u = { .dict = d };
	struct pp_shape shape = { 0 };
	pp_status status = pp_shape_read(&shape, pp_record_take_text(r), pp_random_seed());
	uint64_t n;

	if (status != PP_OK)
		return status;
	if (!pp_own_add(pp_record_take_text(r), facts))
		status = PP_E_INVALID;
	n = pp_record_take(r);
	if (n == 0 || n > PP_MERGE_SERIES)
		status = PP_E_INVALID;
	for (; n && status == PP_OK; n--)
		status = series_read(&u, r, shape.metrics);
	if (status == PP_OK && !pp_record_end(r))
		status = PP_E_INVALID;
	if (status == PP_OK)
		status = pp_unpack_profile(&u, &shape, facts, out);
	pp_unpack_release(&u);
	pp_shape_release(&shape);
	return status;
}

pp_status
pp_rollup_read(struct pp_slice bytes, struct pp_own_facts *facts, struct pp_profile **out)
{
	struct pp_record r = pp_record_of(bytes);
	struct pp_dict dict;
	pp_status status;

	*out = NULL;
	*facts = (struct pp_own_facts){ 0 };
	if (!pp_dict_init(&dict, false, pp_random_seed()))
		return PP_E_NOMEM;
	status = dict_read(&dict, &r);
	if (status == PP_OK)
		status = sum_read(&dict, &r, facts, out);
	pp_dict_release(&dict);
	return status;
}
