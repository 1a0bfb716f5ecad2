/*
 * What functions cost in each of many profiles, added up by the servers: comparisons and trends look at every profile by
 * itself, but only at its functions. Names are handed over once, and of each profile numbers; so many profiles at a time that
 * their rows stay few.
 *
 * A profile that is more than stacks with whole numbers is left to whoever reads its input (PP_E_UNSUPPORTED).
 */
#include "base/sort.h"
#include "base/strtab.h"
#include "model/derive.h"
#include "store/clickhouse_rows.h"

/* Profiles that are asked about together: their stacks, and how many. */
#define CHUNK_STACKS 200000
#define CHUNK_COUNT 1000
/* Kinds of profiles that are told apart; further ones are read one by one. */
#define SHAPES_MAX 16

/* Profiles with the same metrics, and the names of all functions in one of that kind. */
struct shape {
	struct pp_buf bytes;
	struct pp_profile *names; /* NULL until one is asked for */
	struct pp_strtab metrics;
	bool refused;
};

/* A profile, and where in `rows` its costs begin, and in `promises` what they are in all. */
struct one {
	uint64_t batch, samples, events;
	size_t begin, promised;
	uint32_t shape;
	bool adds_up;
};

struct pp_clickhouse_costs {
	PP_VEC(struct pp_slice) names; /* texts of functions: the nth is function n + 1 */
	struct pp_buf name_bytes;
	struct pp_map func_of; /* by the hash of the text */
	bool refused;          /* two texts have one hash */
	PP_VEC(struct shape) shapes;
	PP_VEC(struct one) chunk; /* by batch */
	struct pp_buf rows, promises;
	PP_VEC(uint32_t) row_of; /* by function, while one is put together: its row, or 0 */
};

void
pp_clickhouse_costs_free(struct pp_clickhouse_costs *x)
{
	if (!x)
		return;
	while (x->shapes.n) {
		struct shape *s = &x->shapes.at[--x->shapes.n];

		pp_buf_release(&s->bytes);
		pp_profile_free(s->names);
		pp_strtab_release(&s->metrics);
	}
	pp_vec_release(&x->shapes);
	pp_vec_release(&x->names);
	pp_vec_release(&x->chunk);
	pp_vec_release(&x->row_of);
	pp_buf_release(&x->name_bytes);
	pp_buf_release(&x->rows);
	pp_buf_release(&x->promises);
	pp_map_release(&x->func_of);
	free(x);
}

/* Takes the answer that came last, so that the next does not overwrite it. */
static void
answer_take(struct pp_clickhouse *c, struct pp_buf *to)
{
	pp_buf_release(to);
	*to = c->answer.body;
	c->answer.body = (struct pp_buf){ 0 };
}

/* ---- names ---- */

/* The names of all functions of the list. */
static pp_status
names_ask(struct pp_clickhouse *c, struct pp_clickhouse_costs *x, struct pp_buf *problem)
{
	struct pp_buf condition = { 0 };
	struct pp_row_reader rows;
	pp_status status;

	pp_clickhouse_among_queue(&condition, c, 0, c->queue.n);
	if (condition.failed)
		return PP_E_NOMEM;
	pp_clickhouse_put(c, PP_SQL_EACH_NAMES, condition.p);
	pp_buf_release(&condition);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows)) {
		uint64_t hash = pp_rows_u64(&rows);
		struct pp_slice text = pp_rows_text(&rows);

		x->refused |= pp_map_get(&x->func_of, hash) != PP_MAP_NONE;
		if (x->names.n >= PP_MAP_NONE - 1 || !pp_vec_push(&x->names, text) ||
		    !pp_map_set(&x->func_of, hash, (uint32_t)x->names.n) ||
		    !pp_vec_push(&x->row_of, 0))
			return PP_E_NOMEM;
	}
	status = pp_rows_end(c, &rows, problem);
	answer_take(c, &x->name_bytes);
	return pp_vec_push(&x->row_of, 0) ? status : PP_E_NOMEM;
}

/* Interns what the metrics of a shape are called in rows. */
static bool
metrics_name(struct shape *s, const struct pp_profile *p, uint64_t seed)
{
	struct pp_buf name = { 0 };
	bool fine = pp_strtab_init(&s->metrics, seed), is_new;
	size_t m;
	pp_str id;

	for (m = 0; m < p->metrics.n && fine; m++) {
		name.n = 0;
		pp_rows_metric(&name, p, m);
		fine = !name.failed && pp_strtab_intern(&s->metrics, name.p, name.n, &id, &is_new);
	}
	pp_buf_release(&name);
	return fine;
}

/* Makes the profile whose names all profiles of a shape share. */
static pp_status
names_make(const struct pp_clickhouse_costs *x, struct shape *s, struct pp_buf *problem)
{
	static const struct pp_order order = { .facets = PP_COSTS | PP_FUNCTIONS };
	uint64_t seed = (uintptr_t)x;
	struct pp_builder b = { 0 };
	pp_status status = pp_rows_build_shape(&b, pp_slice_of(s->bytes.p, s->bytes.n), &order,
	                                       seed);
	size_t i;

	for (i = 0; i < x->names.n && status == PP_OK; i++) {
		pp_func func = pp_rows_build_function(&b, x->names.at[i]);

		if (!func)
			status = pp_builder_ok(&b) ? PP_E_INVALID : b.status;
		/* Two texts of one function could be in one stack. */
		s->refused |= func != i + 1;
	}
	if (status == PP_OK)
		status = pp_builder_finish(&b, &s->names);
	pp_builder_release(&b);
	if (status == PP_OK && !metrics_name(s, s->names, seed))
		status = PP_E_NOMEM;
	if (status == PP_E_INVALID && problem->n == 0)
		pp_buf_adds(problem, "the functions that ClickHouse hands over make no sense");
	return status;
}

/* ---- some profiles at a time ---- */

/* The number of a shape; SHAPES_MAX where there are too many, or it is none. */
static uint32_t
shape_number(struct pp_clickhouse_costs *x, struct pp_slice bytes, bool *fine)
{
	struct shape made = { 0 };
	uint32_t i;

	for (i = 0; i < x->shapes.n; i++)
		if (pp_slice_eq(bytes,
		                pp_slice_of(x->shapes.at[i].bytes.p, x->shapes.at[i].bytes.n)))
			return i;
	if (bytes.n == 0 || x->shapes.n == SHAPES_MAX)
		return SHAPES_MAX;
	pp_buf_add(&made.bytes, bytes.p, bytes.n);
	*fine = !made.bytes.failed && pp_vec_push(&x->shapes, made);
	if (!*fine)
		pp_buf_release(&made.bytes);
	return i;
}

/* Which profiles there are, without their costs. */
static pp_status
chunk_begin(struct pp_clickhouse *c, struct pp_clickhouse_costs *x, const char *condition,
            struct pp_buf *problem)
{
	struct pp_row_reader rows;
	bool fine = true;
	pp_status status;
	uint64_t n;

	x->chunk.n = 0;
	pp_clickhouse_put(c, PP_SQL_EACH_SHAPE, condition);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows) && fine) {
		struct one one = { .batch = pp_rows_u64(&rows), .begin = SIZE_MAX };
		struct pp_slice shape = pp_rows_text(&rows);

		/* What is not complete is told by its input, with the reason. */
		one.adds_up = pp_rows_u8(&rows) != 0;
		one.samples = pp_rows_u64(&rows);
		one.events = pp_rows_u64(&rows);
		one.adds_up &= pp_rows_u128(&rows) >> 63 == 0;
		one.shape = shape_number(x, shape, &fine);
		one.adds_up &= one.shape < SHAPES_MAX;
		one.promised = (size_t)(rows.p - (const unsigned char *)c->answer.body.p);
		for (n = pp_rows_varint(&rows); n && !rows.bad; n--) {
			(void)pp_rows_text(&rows);
			(void)pp_rows_u128(&rows);
		}
		fine = fine && pp_vec_push(&x->chunk, one);
	}
	status = fine ? pp_rows_end(c, &rows, problem) : PP_E_NOMEM;
	answer_take(c, &x->promises);
	return status;
}

static struct one *
chunk_find(struct pp_clickhouse_costs *x, uint64_t batch)
{
	size_t low = 0, high = x->chunk.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (x->chunk.at[middle].batch < batch)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->chunk.n && x->chunk.at[low].batch == batch ? &x->chunk.at[low] : NULL;
}

/* A row of PP_SQL_EACH_COSTS: one metric of one profile. */
struct costs_row {
	uint64_t batch, n;
	struct pp_slice metric;
	struct pp_row_reader cells; /* (hash, own, total) n times */
	unsigned doubt;
};

static bool
row_read(struct pp_row_reader *rows, struct costs_row *row)
{
	const size_t cell = 3 * sizeof(uint64_t);

	row->batch = pp_rows_u64(rows);
	row->metric = pp_rows_text(rows);
	row->n = pp_rows_varint(rows);
	if (rows->bad || row->n > (size_t)(rows->end - rows->p) / cell)
		return false;
	row->cells = (struct pp_row_reader){ rows->p, rows->p + row->n * cell, false };
	rows->p = row->cells.end;
	row->doubt = pp_rows_u8(rows);
	return !rows->bad;
}

/* Finds where the rows of each profile begin. */
static pp_status
chunk_index(struct pp_clickhouse_costs *x, struct pp_buf *problem)
{
	const unsigned char *begin = (const unsigned char *)x->rows.p;
	struct pp_row_reader rows = { begin, begin ? begin + x->rows.n : begin, false };
	struct costs_row row = { 0 };

	while (pp_rows_more(&rows)) {
		size_t at = (size_t)(rows.p - begin);
		struct one *one = row_read(&rows, &row) ? chunk_find(x, row.batch) : NULL;

		/* What does not add up is read from its input: it may have costs without a stack. */
		if (!one || (row.doubt > 1 && one->adds_up)) {
			pp_buf_adds(problem,
			            row.doubt > 1 && !rows.bad
			                ? "a stack of which there are samples is not in the store"
			                : "the costs that ClickHouse hands over make no sense");
			return PP_E_INVALID;
		}
		one->begin = one->begin == SIZE_MAX ? at : one->begin;
		one->adds_up &= !row.doubt;
	}
	return PP_OK;
}

/* Asks for a profile of the list and those that come next. */
static pp_status
chunk_ask(struct pp_clickhouse *c, struct pp_clickhouse_costs *x, uint64_t batch,
          struct pp_buf *problem)
{
	struct pp_buf condition = { 0 };
	uint64_t stacks = 0;
	size_t nth, n;
	pp_status status;

	for (nth = 0; nth < c->queue.n && c->queue.at[nth] != batch; nth++)
		;
	for (n = 0; nth + n < c->queue.n && n < CHUNK_COUNT; n++) {
		stacks += pp_clickhouse_listed(c, c->queue.at[nth + n])->stacks;
		if (n && stacks > CHUNK_STACKS)
			break;
	}
	if (n == 0)
		return PP_E_UNSUPPORTED;
	pp_clickhouse_among_queue(&condition, c, nth, n);
	status = condition.failed ? PP_E_NOMEM : chunk_begin(c, x, condition.p, problem);
	if (status == PP_OK) {
		pp_clickhouse_put(c, PP_SQL_EACH_COSTS, condition.p);
		status = pp_clickhouse_ask(c, problem);
	}
	if (status == PP_OK) {
		answer_take(c, &x->rows);
		status = pp_clickhouse_remain(c, condition.p, n, problem);
	}
	pp_buf_release(&condition);
	if (status != PP_OK)
		return status;
	return chunk_index(x, problem);
}

/* ---- one profile ---- */

/* The cells of a function among the costs: own, then total, one of each metric. NULL when out of memory. */
static union pp_value *
cells_of(struct pp_clickhouse_costs *x, struct pp_costs_facet *to, size_t metrics, pp_func func)
{
	const size_t n = 2 * metrics;
	size_t i;

	if (func && x->row_of.at[func])
		return to->cells.at + x->row_of.at[func] * n;
	if (to->funcs.n >= UINT32_MAX || !pp_vec_push(&to->funcs, func) ||
	    !pp_vec_reserve(&to->cells, to->cells.n + n))
		return NULL;
	for (i = 0; i < n; i++)
		to->cells.at[to->cells.n++] = (union pp_value){ 0 };
	x->row_of.at[func] = (uint32_t)to->funcs.n - 1;
	return to->cells.at + to->cells.n - n;
}

/* Adds the costs of one metric. */
static pp_status
row_add(struct pp_clickhouse_costs *x, struct pp_costs_facet *to, size_t metrics,
        struct costs_row *row, size_t metric)
{
	uint64_t i;

	for (i = 0; i < row->n; i++) {
		uint32_t func = pp_map_get(&x->func_of, pp_rows_u64(&row->cells));
		int64_t own = (int64_t)pp_rows_u64(&row->cells);
		int64_t total = (int64_t)pp_rows_u64(&row->cells);
		union pp_value *cells = func == PP_MAP_NONE ? NULL : cells_of(x, to, metrics, func);

		if (!cells)
			return func == PP_MAP_NONE ? PP_E_INVALID : PP_E_NOMEM;
		cells[metric].i = own;
		cells[metrics + metric].i = total;
		to->cells.at[metric].i += own;
		to->cells.at[metrics + metric].i += own;
	}
	return PP_OK;
}

/* Whether all rows of a profile cost what was promised. */
static bool
promise_kept(const struct pp_clickhouse_costs *x, const struct shape *s, const struct one *one,
             const struct pp_costs_facet *to)
{
	const unsigned char *begin = (const unsigned char *)x->promises.p;
	struct pp_row_reader rows = { begin + one->promised, begin + x->promises.n, false };
	bool kept = true;
	uint64_t n;
	pp_str metric;

	for (n = pp_rows_varint(&rows); n && kept; n--) {
		struct pp_slice name = pp_rows_text(&rows);
		pp_i128 promised = (pp_i128)pp_rows_u128(&rows);

		kept = !rows.bad && pp_strtab_find(&s->metrics, name.p, name.n, &metric) &&
		       metric > 0 && metric <= s->names->metrics.n &&
		       to->cells.at[metric - 1].i == promised;
	}
	return kept;
}

/* Adds all rows of a profile. */
static pp_status
rows_add(struct pp_clickhouse_costs *x, const struct shape *s, const struct one *one,
         struct pp_costs_facet *to)
{
	const unsigned char *begin = (const unsigned char *)x->rows.p;
	const size_t metrics = s->names->metrics.n;
	struct pp_row_reader rows = { begin + one->begin, begin + x->rows.n, false };
	struct costs_row row;
	pp_status status = cells_of(x, to, metrics, 0) ? PP_OK : PP_E_NOMEM;
	size_t i;
	pp_str metric;

	while (status == PP_OK && pp_rows_more(&rows) && row_read(&rows, &row) &&
	       row.batch == one->batch)
		status = pp_strtab_find(&s->metrics, row.metric.p, row.metric.n, &metric) &&
		                 metric > 0 && metric <= metrics
		             ? row_add(x, to, metrics, &row, metric - 1)
		             : PP_E_INVALID;
	for (i = 0; i < to->funcs.n; i++)
		x->row_of.at[to->funcs.at[i]] = 0;
	to->stated = to->shares_names = true;
	return status;
}

pp_status
pp_clickhouse_load_costs(struct pp_store *store, const struct pp_store_entry *e, bool timed,
                         struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_clickhouse_costs *x = c->costs;
	struct pp_derive d;
	struct shape *shape;
	const struct one *one;
	pp_status status = PP_OK;

	*out = NULL;
	if (timed || !pp_clickhouse_pushes(c))
		return PP_E_UNSUPPORTED;
	if (!x) {
		x = c->costs = calloc(1, sizeof *x);
		status = x ? names_ask(c, x, problem) : PP_E_NOMEM;
	}
	if (status != PP_OK || x->refused)
		return status == PP_OK ? PP_E_UNSUPPORTED : status;
	one = chunk_find(x, e->id);
	if (!one) {
		status = chunk_ask(c, x, e->id, problem);
		one = chunk_find(x, e->id);
	}
	if (status != PP_OK || !one || !one->adds_up || one->begin == SIZE_MAX)
		return status == PP_OK ? PP_E_UNSUPPORTED : status;
	shape = &x->shapes.at[one->shape];
	status = shape->names ? PP_OK : names_make(x, shape, problem);
	if (status != PP_OK || shape->refused)
		return status == PP_OK ? PP_E_UNSUPPORTED : status;
	if (!pp_derive_init(&d, shape->names, 0, PP_COLUMN_COSTS))
		return PP_E_NOMEM;
	status = rows_add(x, shape, one, &d.to->costs);
	/* Of what is left of a profile less is found. */
	if (status == PP_OK && !c->store.partial && !promise_kept(x, shape, one, &d.to->costs))
		status = PP_E_INVALID;
	d.to->samples = one->samples;
	d.to->events = one->events;
	if (status == PP_E_INVALID)
		pp_buf_adds(problem, "the costs that ClickHouse hands over make no sense");
	return pp_derive_finish(&d, status, out);
}
