/*
 * Sums that polyprof 0.1 made: see stored_sum.h.
 */
#include "store/stored_sum.h"

#include <stdlib.h>

#include "base/varint.h"
#include "io/system.h"
#include "model/merge.h"
#include "store/record.h"

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
pp_stored_sum_read(struct pp_slice bytes, struct pp_own_facts *facts, struct pp_profile **out)
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
