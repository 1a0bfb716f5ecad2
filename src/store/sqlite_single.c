/*
 * One packed profile of a store of SQLite, read: what it takes depends on the profile, not on how large the dictionary is.
 */
#include "io/system.h"
#include "model/derive.h"
#include "store/record.h"
#include "store/sqlite_packed.h"

/* ---- its rows ---- */

/* A column of cells on its way: what there must be of it. */
struct column {
	int64_t metric, sub;
	struct pp_cell_reader reader;
	struct pp_cell_sum expected;
};

static const char cells_of[] =
    "SELECT metric, sub, n, total, seal, data FROM cells WHERE profile = ?1 AND facet = 1 ORDER BY "
    "rowid";

/* The column of a profile that a statement stands at, which is counted; false when it is damaged. */
static bool
column_open(sqlite3_stmt *q, int64_t profile, struct column *c, struct pp_cells_tally *tally)
{
	int64_t seal = sqlite3_column_int64(q, 4);
	const void *total = sqlite3_column_text(q, 3);
	struct pp_slice text = pp_slice_of(total ? total : "", (size_t)sqlite3_column_bytes(q, 3));

	*c = (struct column){ .metric = sqlite3_column_int64(q, 0),
		              .sub = sqlite3_column_int64(q, 1),
		              .expected.n = (uint64_t)sqlite3_column_int64(q, 2) };
	c->reader.rest = pp_column_bytes(q, 5);
	pp_tally_add(tally, seal);
	return seal == pp_seal_of_cells(&(struct pp_cells_key){ profile, 1, c->metric, c->sub,
	                                                        (int64_t)c->expected.n, text },
	                                c->reader.rest) &&
	       pp_cell_total_parse(text, &c->expected.total);
}

/* Whether all of it was read, and was what it must be. */
static bool
column_is_sound(const struct column *c)
{
	return !c->reader.damaged && c->reader.rest.n == 0 && c->reader.sum.n == c->expected.n &&
	       c->reader.sum.total == c->expected.total;
}

/* Rows of one series, as its first column tells them. */
struct rows {
	int64_t sub;
	uint32_t *stacks;
	int64_t *cells;
	uint32_t n;
	bool has_calls;
};

/* The first column; false when out of memory or damaged. */
static bool
rows_start(struct rows *r, struct column *c, uint32_t ids, size_t columns)
{
	uint64_t n = c->expected.n;

	*r = (struct rows){ .sub = c->sub };
	if (n > c->reader.rest.n)
		return false;
	r->stacks = malloc((n + 1) * sizeof *r->stacks);
	r->cells = calloc(n * columns + 1, sizeof *r->cells);
	while (r->stacks && r->cells && r->n < n && pp_cells_next(&c->reader)) {
		if (c->reader.id >= ids)
			return false;
		r->cells[r->n * columns] = c->reader.cell;
		r->stacks[r->n++] = c->reader.id;
	}
	return r->stacks && r->cells && column_is_sound(c);
}

/* A further column has some of these rows; false when it is damaged. */
static bool
rows_add(struct rows *r, struct column *c, size_t column, size_t columns)
{
	uint32_t row = 0;

	while (pp_cells_next(&c->reader)) {
		while (row < r->n && r->stacks[row] < c->reader.id)
			row++;
		if (row == r->n || r->stacks[row] != c->reader.id)
			return false;
		r->cells[row * columns + column] = c->reader.cell;
	}
	return column_is_sound(c);
}

static pp_status
damaged(struct pp_sqlite *s, int64_t profile, struct pp_buf *problem)
{
	return pp_stored_damaged(s, profile, "numbers", problem);
}

/* What the series of a profile say of themselves. */
struct defs {
	PP_VEC(struct pp_buf) list;
};

static pp_status
rows_end(struct rows *r, struct pp_sqlite *s, struct pp_unpack *u, struct defs *defs,
         size_t metrics, struct pp_buf *problem)
{
	struct pp_buf def = { 0 };
	struct rows taken = *r;
	pp_status status = pp_stored_sub(s, r->sub, &def, problem);

	*r = (struct rows){ 0 };
	if (status == PP_OK && !pp_vec_push(&defs->list, def))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		return pp_unpack_take(u, pp_slice_of(def.p, def.n), taken.stacks, taken.cells,
		                      taken.n, metrics, taken.has_calls);
	pp_buf_release(&def);
	free(taken.stacks);
	free(taken.cells);
	return status;
}

/* Reads the cells of a profile, one series after the other. */
static pp_status
cells_take(struct pp_sqlite *s, int64_t profile, struct pp_cells_tally expected,
           const struct pp_stored_shape *shape, struct pp_unpack *u, struct defs *defs,
           struct pp_buf *problem)
{
	const struct pp_profile *p = shape->shape->b.profile;
	const size_t metrics = shape->shape->metrics;
	sqlite3_stmt *q = pp_sqlite_statement(s, cells_of, problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	uint32_t ids = (uint32_t)u->dict->stacks.n;
	struct pp_cells_tally tally = { 0 };
	struct rows rows = { 0 };
	struct column c;

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, profile);
	while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0) {
		bool fine = column_open(q, profile, &c, &tally);
		size_t column = pp_stored_column(shape->metric_ids, metrics, c.metric);

		c.reader.type = column < metrics ? p->metrics.at[column].type : PP_UINT;
		if (fine && rows.stacks && c.sub != rows.sub)
			status = rows_end(&rows, s, u, defs, metrics, problem);
		if (status != PP_OK)
			break;
		if (column == SIZE_MAX || (!rows.stacks && column != 0))
			fine = false;
		else if (fine && !rows.stacks)
			fine = rows_start(&rows, &c, ids, metrics + 1);
		else if (fine)
			fine = rows_add(&rows, &c, column, metrics + 1);
		rows.has_calls |= column == metrics;
		if (!fine)
			status = damaged(s, profile, problem);
	}
	(void)sqlite3_reset(q);
	if (status == PP_OK && !pp_tallies_equal(tally, expected))
		status = damaged(s, profile, problem);
	if (status == PP_OK && rows.stacks)
		status = rows_end(&rows, s, u, defs, metrics, problem);
	free(rows.stacks);
	free(rows.cells);
	return status;
}

pp_status
pp_single_load(struct pp_sqlite *s, int64_t profile, struct pp_cells_tally cells,
               struct pp_dict *dict, const struct pp_stored_shape *shape,
               const struct pp_own_facts *facts, struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_unpack u = { .dict = dict, .marks = pp_sqlite_marks(s) };
	struct defs defs = { 0 };
	pp_status status = cells_take(s, profile, cells, shape, &u, &defs, problem);

	if (status == PP_OK)
		status = pp_unpack_profile(&u, shape->shape, facts, out);
	pp_unpack_release(&u);
	while (defs.list.n)
		pp_buf_release(&defs.list.at[--defs.list.n]);
	pp_vec_release(&defs.list);
	return status;
}

/* ---- the costs of its functions ---- */

/* Steps up its stacks that a profile may take for each row: more are those of deep recursion, which a tree tells faster. */
#define STEPS_PER_ROW 512

/* What functions cost: by function of the dictionary, per function one of each metric. */
struct sums {
	const struct pp_dict *dict;
	struct pp_shared_names *names;
	int64_t whole[PP_FEW_COLUMNS];
	pp_u128 absolute;
	uint64_t steps, rows;
};

/* Adds what a stack costs; false when out of memory. */
static bool
stack_add(struct sums *x, uint32_t stack, size_t column, int64_t cost)
{
	const struct pp_tree *t = pp_dict_tree(x->dict);
	const pp_func *func_of_frame = x->names->func_of_frame;
	const size_t metrics = x->names->metrics;
	pp_node leaf = x->dict->stacks.at[stack], node;

	for (node = leaf; node; node = pp_tree_parent(t, node), x->steps++) {
		pp_func func = func_of_frame[pp_tree_frame(t, node)];

		if (node == leaf)
			x->names->own[func * metrics + column] += cost;
		if (pp_dict_is_recursive(x->dict, node))
			continue;
		if (!(x->names->is_met[func >> 6] >> (func & 63) & 1)) {
			if (!pp_vec_push(&x->names->met, func))
				return false;
			x->names->is_met[func >> 6] |= (uint64_t)1 << (func & 63);
		}
		x->names->total[func * metrics + column] += cost;
	}
	x->whole[column] += cost;
	x->absolute += (uint64_t)cost;
	return true;
}

/* PP_E_UNSUPPORTED where only the whole profile tells: calls, doubles, what costs nothing or less, large sums. */
static pp_status
column_add(struct pp_sqlite *s, struct sums *x, struct column *c, struct pp_buf *problem,
           int64_t profile)
{
	const struct pp_metric *metrics = x->names->profile->metrics.at;
	size_t column = pp_stored_column(x->names->metric_ids, x->names->metrics, c->metric);

	if (column == SIZE_MAX)
		return damaged(s, profile, problem);
	if (column == x->names->metrics || metrics[column].type == PP_REAL)
		return PP_E_UNSUPPORTED;
	c->reader.type = metrics[column].type;
	while (pp_cells_next(&c->reader)) {
		if (c->reader.id >= x->dict->stacks.n)
			return damaged(s, profile, problem);
		if (c->reader.cell <= 0)
			return PP_E_UNSUPPORTED;
		if (!stack_add(x, c->reader.id, column, c->reader.cell))
			return PP_E_NOMEM;
		if (x->steps > ++x->rows * STEPS_PER_ROW || x->absolute > INT64_MAX)
			return PP_E_UNSUPPORTED;
	}
	return column_is_sound(c) ? PP_OK : damaged(s, profile, problem);
}

/* Appends a row: own costs, then totals. There is room for it. */
static void
costs_put(struct pp_costs_facet *to, pp_func func, const int64_t *own, const int64_t *total,
          size_t metrics)
{
	union pp_value *cells = to->cells.at + to->cells.n;
	size_t m;

	to->funcs.at[to->funcs.n++] = func;
	to->cells.n += 2 * metrics;
	for (m = 0; m < metrics; m++) {
		cells[m].i = own[m];
		cells[metrics + m].i = total[m];
	}
}

/* What was met becomes a profile over the names. */
static pp_status
sums_take(const struct sums *x, struct pp_slice own, struct pp_profile **out)
{
	const struct pp_shared_names *names = x->names;
	const struct pp_own_numbers numbers = pp_own_numbers(own);
	const size_t metrics = names->metrics;
	struct pp_costs_facet *to;
	struct pp_derive d;
	size_t i;

	if (!pp_derive_init(&d, names->profile, 0, PP_COLUMN_COSTS))
		return PP_E_NOMEM;
	to = &d.to->costs;
	if (!pp_vec_reserve(&to->funcs, names->met.n + 1) ||
	    !pp_vec_reserve(&to->cells, 2 * metrics * (names->met.n + 1)))
		return pp_derive_finish(&d, PP_E_NOMEM, out);
	costs_put(to, 0, x->whole, x->whole, metrics);
	for (i = 0; i < names->met.n; i++)
		costs_put(to, names->met.at[i], names->own + names->met.at[i] * metrics,
		          names->total + names->met.at[i] * metrics, metrics);
	to->stated = to->shares_names = true;
	d.to->events = numbers.events;
	d.to->samples = numbers.samples;
	d.to->time = numbers.time;
	return pp_derive_finish(&d, PP_OK, out);
}

/* What was met is met no more. */
static void
sums_clear(struct pp_shared_names *names)
{
	const size_t size = names->metrics * sizeof(int64_t);
	size_t i;

	for (i = 0; i < names->met.n; i++) {
		pp_func func = names->met.at[i];

		memset(names->own + func * names->metrics, 0, size);
		memset(names->total + func * names->metrics, 0, size);
		names->is_met[func >> 6] &= ~((uint64_t)1 << (func & 63));
	}
	names->met.n = 0;
}

pp_status
pp_single_costs(struct pp_sqlite *s, int64_t profile, struct pp_cells_tally cells,
                const struct pp_dict *dict, struct pp_shared_names *names, struct pp_slice own,
                struct pp_profile **out, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, cells_of, problem);
	struct sums x = { .dict = dict, .names = names };
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	struct pp_cells_tally tally = { 0 };
	struct column c;

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, profile);
	while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0)
		status = column_open(q, profile, &c, &tally)
		             ? column_add(s, &x, &c, problem, profile)
		             : damaged(s, profile, problem);
	(void)sqlite3_reset(q);
	if (status == PP_OK && !pp_tallies_equal(tally, cells))
		status = damaged(s, profile, problem);
	if (status == PP_OK)
		status = sums_take(&x, own, out);
	sums_clear(names);
	return status;
}
