/*
 * Packed profiles in a store of SQLite, read: cells of many are added up in one array, and become one profile.
 *
 * Where most of the store is asked for its cells are read from one end to the other; else profile by profile. Sums of
 * integers do not depend on the order; doubles are added in that of the selection, as merging does.
 */
#include "base/sort.h"
#include "io/system.h"
#include "model/merge.h"
#include "store/extract_kept.h"
#include "store/record.h"
#include "store/sqlite_packed.h"

/* Of the profiles in the store, from one in so many on all cells are looked at. */
#define SCAN_FROM 4
/* Bytes of sums that are held at once, where there are several series. */
#define SUMS_MAX ((size_t)128 << 20)

void
pp_group_release(struct pp_packed_group *g)
{
	while (g->loose.n)
		pp_packed_release(&g->loose.at[--g->loose.n].packed);
	pp_vec_release(&g->loose);
	pp_vec_release(&g->ids);
	pp_vec_release(&g->at);
	pp_vec_release(&g->cells);
	pp_buf_release(&g->own);
}

/* ---- sums ---- */

/* A series that cells belong to, and what it costs: one sum per metric, then of calls. */
struct sub_sums {
	int64_t id, first_at,
	    first_row; /* where it was first: profile in the order of the selection, row */
	struct pp_cell_sums *sums;
	bool has_calls;
	struct pp_buf def;
};

/* A profile of the group: the rows of cells that it must have, and those that were met. */
struct wanted {
	int64_t id;
	struct pp_cells_tally expected, met;
};

struct summing {
	struct pp_sqlite *s;
	const struct pp_packed_group *g;
	struct pp_dict *dict;
	struct pp_stored_shape stored;
	struct pp_shape *shape; /* the same */
	struct wanted *sorted;  /* by id */
	bool scans, by_series, has_reals;
	PP_VEC(struct sub_sums) subs;
	size_t sub_from, sub_to; /* those that are added up now */
	struct pp_buf *problem;
};

static int
id_order(const void *left, const void *right, void *context)
{
	const struct wanted *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* The profile of that number in the list that is sorted; NULL when it is not there. */
static struct wanted *
id_find(struct wanted *sorted, size_t n, int64_t id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && sorted[low].id == id ? &sorted[low] : NULL;
}

size_t
pp_stored_column(const int64_t *metric_ids, size_t metrics, int64_t metric)
{
	size_t i;

	if (metric == 0)
		return metrics;
	for (i = 0; i < metrics; i++)
		if (metric_ids[i] == metric)
			return i;
	return SIZE_MAX;
}

static struct sub_sums *
sub_find(struct summing *x, int64_t id)
{
	size_t i;

	if (!x->by_series)
		return &x->subs.at[0];
	for (i = x->sub_from; i < x->sub_to; i++)
		if (x->subs.at[i].id == id)
			return &x->subs.at[i];
	return NULL;
}

/* Whether a series is one of the group, added up now or at another time. */
static bool
sub_is_known(const struct summing *x, int64_t id)
{
	size_t i;

	for (i = 0; i < x->subs.n; i++)
		if (x->subs.at[i].id == id)
			return true;
	return false;
}

static pp_status
damaged(struct summing *x, int64_t profile)
{
	return pp_stored_damaged(x->s, profile, "numbers", x->problem);
}

/* Adds the row of a profile that a statement stands at: profile, metric, sub, n, total, seal, data. */
static pp_status
row_add(struct summing *x, sqlite3_stmt *q, struct wanted *wanted)
{
	struct pp_cells_key key = { .profile = wanted->id,
		                    .facet = 1,
		                    .metric = sqlite3_column_int64(q, 1),
		                    .sub = sqlite3_column_int64(q, 2),
		                    .n = sqlite3_column_int64(q, 3) };
	size_t column = pp_stored_column(x->stored.metric_ids, x->shape->metrics, key.metric);
	struct sub_sums *sub = sub_find(x, key.sub);
	const void *total = sqlite3_column_text(q, 4);
	struct pp_cell_sum expected = { .n = (uint64_t)key.n };
	struct pp_slice data;
	enum pp_cell_type type;
	int64_t seal = sqlite3_column_int64(q, 5);

	pp_tally_add(&wanted->met, seal);
	if (!sub)
		return sub_is_known(x, key.sub) ? PP_OK : damaged(x, key.profile);
	key.total = pp_slice_of(total ? total : "", (size_t)sqlite3_column_bytes(q, 4));
	data = pp_column_bytes(q, 6);
	if (column == SIZE_MAX || !pp_cell_total_parse(key.total, &expected.total) ||
	    seal != pp_seal_of_cells(&key, data))
		return damaged(x, key.profile);
	if (column == x->shape->metrics && !x->by_series)
		return PP_E_UNSUPPORTED;
	sub->has_calls |= column == x->shape->metrics;
	type = column < x->shape->metrics ? x->shape->b.profile->metrics.at[column].type : PP_UINT;
	if (!pp_cells_sum(&sub->sums[column], type, data, &expected))
		return damaged(x, key.profile);
	return sub->sums[column].overflowed ? PP_E_UNSUPPORTED : PP_OK;
}

#define CELL_COLUMNS "SELECT profile, metric, sub, n, total, seal, data FROM cells "

static pp_status
cells_scan(struct summing *x)
{
	sqlite3_stmt *q = pp_sqlite_statement(x->s, CELL_COLUMNS "NOT INDEXED WHERE facet = 1",
	                                      x->problem);
	pp_status status = q ? PP_OK : pp_no_statement(x->problem);
	struct wanted *wanted;

	while (status == PP_OK && pp_sqlite_step(x->s, q, &status, x->problem) > 0) {
		wanted = id_find(x->sorted, x->g->ids.n, sqlite3_column_int64(q, 0));
		if (wanted)
			status = row_add(x, q, wanted);
	}
	(void)sqlite3_reset(q);
	return status;
}

static pp_status
cells_each(struct summing *x)
{
	sqlite3_stmt *q = pp_sqlite_statement(x->s, CELL_COLUMNS "WHERE profile = ?1 AND facet = 1",
	                                      x->problem);
	pp_status status = q ? PP_OK : pp_no_statement(x->problem);
	size_t i;

	for (i = 0; i < x->g->ids.n && status == PP_OK; i++) {
		struct wanted *wanted = x->has_reals
		                            ? id_find(x->sorted, x->g->ids.n, x->g->ids.at[i])
		                            : &x->sorted[i];

		(void)sqlite3_bind_int64(q, 1, wanted->id);
		while (status == PP_OK && pp_sqlite_step(x->s, q, &status, x->problem) > 0)
			status = row_add(x, q, wanted);
		(void)sqlite3_reset(q);
	}
	return status;
}

/* Whether the rows of all profiles were met, and no others. */
static pp_status
rows_judge(struct summing *x)
{
	size_t i;

	for (i = 0; i < x->g->ids.n; i++)
		if (!pp_tallies_equal(x->sorted[i].expected, x->sorted[i].met))
			return damaged(x, x->sorted[i].id);
	return PP_OK;
}

/* The series of a profile that was packed for this question; NULL when it is not added up now. */
static struct sub_sums *
loose_sub(struct summing *x, const struct pp_buf *def)
{
	size_t i;

	if (!x->by_series)
		return &x->subs.at[0];
	for (i = x->sub_from; i < x->sub_to; i++)
		if (pp_slice_eq(pp_slice_of(x->subs.at[i].def.p, x->subs.at[i].def.n),
		                pp_slice_of(def->p, def->n)))
			return &x->subs.at[i];
	return NULL;
}

static pp_status
loose_sum(struct summing *x, const struct pp_packed *p)
{
	const struct pp_metric *metrics = x->shape->b.profile->metrics.at;
	size_t i;

	for (i = 0; i < p->cells.n; i++) {
		const struct pp_packed_cells *c = &p->cells.at[i];
		struct sub_sums *sub = loose_sub(x, &p->subs.at[c->series]);
		bool calls = c->metric == x->shape->metrics;

		if (!sub)
			continue;
		if (calls && !x->by_series)
			return PP_E_UNSUPPORTED;
		sub->has_calls |= calls;
		if (!pp_cells_sum(&sub->sums[c->metric], calls ? PP_UINT : metrics[c->metric].type,
		                  pp_slice_of(c->data.p, c->data.n), &c->sum))
			return damaged(x, 0);
		if (sub->sums[c->metric].overflowed)
			return PP_E_UNSUPPORTED;
	}
	return PP_OK;
}

static pp_status
cells_add_up(struct summing *x)
{
	pp_status status;
	size_t i;

	for (i = 0; i < x->g->ids.n; i++)
		x->sorted[i].met = (struct pp_cells_tally){ 0 };
	status = x->scans ? cells_scan(x) : cells_each(x);
	if (status == PP_OK)
		status = rows_judge(x);
	for (i = 0; i < x->g->loose.n && status == PP_OK; i++)
		status = loose_sum(x, &x->g->loose.at[i].packed);
	return status;
}

/* ---- which series there are ---- */

static pp_status
sub_note(struct summing *x, int64_t id, int64_t at, int64_t row)
{
	size_t i;

	for (i = 0; i < x->subs.n; i++) {
		struct sub_sums *sub = &x->subs.at[i];

		if (sub->id != id)
			continue;
		if (at < sub->first_at || (at == sub->first_at && row < sub->first_row)) {
			sub->first_at = at;
			sub->first_row = row;
		}
		return PP_OK;
	}
	return pp_vec_push(&x->subs,
	                   (struct sub_sums){ .id = id, .first_at = at, .first_row = row })
	           ? PP_OK
	           : PP_E_NOMEM;
}

/* Those of profiles that were packed for this question: known by what they say of themselves. */
static pp_status
subs_loose(struct summing *x)
{
	size_t i, k, m;

	for (i = 0; i < x->g->loose.n; i++) {
		const struct pp_loose *loose = &x->g->loose.at[i];

		for (k = 0; k < loose->packed.subs.n; k++) {
			const struct pp_buf *def = &loose->packed.subs.at[k];
			struct sub_sums made = { .first_at = (int64_t)loose->at,
				                 .first_row = (int64_t)k };

			for (m = 0; m < x->subs.n; m++)
				if (pp_slice_eq(
				        pp_slice_of(x->subs.at[m].def.p, x->subs.at[m].def.n),
				        pp_slice_of(def->p, def->n)))
					break;
			if (m < x->subs.n) {
				if (made.first_at < x->subs.at[m].first_at) {
					x->subs.at[m].first_at = made.first_at;
					x->subs.at[m].first_row = made.first_row;
				}
				continue;
			}
			pp_buf_add(&made.def, def->p, def->n);
			if (made.def.failed || !pp_vec_push(&x->subs, made)) {
				pp_buf_release(&made.def);
				return PP_E_NOMEM;
			}
		}
	}
	return PP_OK;
}

static int
sub_order(const void *left, const void *right, void *context)
{
	const struct sub_sums *a = left, *b = right;

	if (a->first_at != b->first_at)
		return a->first_at < b->first_at ? -1 : 1;
	return (a->first_row > b->first_row) - (a->first_row < b->first_row);
}

pp_status
pp_stored_sub(struct pp_sqlite *s, int64_t id, struct pp_buf *out, struct pp_buf *problem)
{
	struct pp_slice def;
	pp_status status;
	sqlite3_stmt *q = pp_stored_def(s, PP_STORED_SUB, id, &def, &status, problem);

	if (status == PP_OK) {
		pp_buf_add(out, def.p, def.n);
		status = out->failed ? PP_E_NOMEM : PP_OK;
	}
	if (q)
		(void)sqlite3_reset(q);
	return status;
}

/* In the order in which merging would meet them. */
static pp_status
subs_find(struct summing *x)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    x->s, "SELECT sub, rowid FROM cells WHERE profile = ?1 AND facet = 1", x->problem);
	pp_status status = q ? PP_OK : pp_no_statement(x->problem);
	int64_t only = 0;
	size_t i;

	if (status == PP_OK)
		status = pp_sqlite_number(x->s, "SELECT count(*) FROM sub", &only, x->problem);
	/* Where all profiles have the same one, the first tells it. */
	for (i = 0; i < (only == 1 ? 1 : x->g->ids.n) && status == PP_OK; i++) {
		(void)sqlite3_bind_int64(q, 1, x->g->ids.at[i]);
		while (status == PP_OK && pp_sqlite_step(x->s, q, &status, x->problem) > 0)
			status = sub_note(x, sqlite3_column_int64(q, 0), (int64_t)x->g->at.at[i],
			                  sqlite3_column_int64(q, 1));
		(void)sqlite3_reset(q);
	}
	for (i = 0; i < x->subs.n && status == PP_OK; i++)
		status = pp_stored_sub(x->s, x->subs.at[i].id, &x->subs.at[i].def, x->problem);
	if (status == PP_OK)
		status = subs_loose(x);
	/* A merge keeps no more threads apart, and says so. */
	if (status == PP_OK && x->g->ids.n + x->g->loose.n > 1 && x->subs.n > PP_MERGE_SERIES)
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK && x->subs.n > 1)
		pp_sort(x->subs.at, x->subs.n, sizeof *x->subs.at, sub_order, NULL);
	return status;
}

/* ---- one profile ---- */

static pp_status
metrics_find(struct pp_sqlite *s, struct pp_stored_shape *stored, struct pp_buf *problem)
{
	const struct pp_profile *p = stored->shape->b.profile;
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < stored->shape->metrics && status == PP_OK; i++) {
		sqlite3_stmt *q = pp_sqlite_statement(s, "SELECT id FROM metric WHERE def = ?1",
		                                      problem);
		struct pp_buf def = { 0 };

		if (!q)
			return pp_no_statement(problem);
		pp_record_row(&def, p, PP_TABLE_METRICS, i);
		(void)sqlite3_bind_blob64(q, 1, def.p, def.n, SQLITE_STATIC);
		if (def.failed)
			status = PP_E_NOMEM;
		else if (pp_sqlite_step(s, q, &status, problem) > 0)
			stored->metric_ids[i] = sqlite3_column_int64(q, 0);
		(void)sqlite3_reset(q);
		pp_buf_release(&def);
	}
	return status;
}

/* Adds up as many series at once as there is room for, and takes their rows. */
static pp_status
whole_load(struct summing *x, struct pp_profile **out)
{
	size_t columns = x->shape->metrics + 1, i;
	struct pp_unpack u = { .dict = x->dict };
	size_t at_once = SUMS_MAX / (x->dict->stacks.n * columns * sizeof(int64_t) + 1) + 1;
	pp_status status = subs_find(x);

	x->by_series = true;
	/* Where no row tells a series, it is to be seen that there are none. */
	if (status == PP_OK && x->subs.n == 0)
		status = cells_add_up(x);
	for (x->sub_from = 0; x->sub_from < x->subs.n && status == PP_OK; x->sub_from = x->sub_to) {
		x->sub_to = x->sub_from + at_once < x->subs.n ? x->sub_from + at_once : x->subs.n;
		for (i = x->sub_from; i < x->sub_to && status == PP_OK; i++) {
			x->subs.at[i].sums = pp_cell_sums_new(columns, (uint32_t)x->dict->stacks.n);
			status = x->subs.at[i].sums ? PP_OK : PP_E_NOMEM;
		}
		if (status == PP_OK)
			status = cells_add_up(x);
		for (i = x->sub_from; i < x->sub_to; i++) {
			struct sub_sums *sub = &x->subs.at[i];

			if (status == PP_OK)
				status = pp_unpack_add(&u, pp_slice_of(sub->def.p, sub->def.n),
				                       sub->sums, x->shape->metrics,
				                       sub->has_calls);
			pp_cell_sums_free(sub->sums, columns);
			sub->sums = NULL;
		}
	}
	if (status == PP_OK)
		status = pp_unpack_profile(&u, x->shape, &x->g->facts, out);
	pp_unpack_release(&u);
	return status;
}

/* The costs of functions, whatever series they are of. */
static pp_status
costs_load(struct summing *x, struct pp_profile **out)
{
	size_t columns = x->shape->metrics + 1;
	struct sub_sums all = { .sums = pp_cell_sums_new(columns, (uint32_t)x->dict->stacks.n) };
	pp_status status;

	if (!all.sums || !pp_vec_push(&x->subs, all)) {
		pp_cell_sums_free(all.sums, columns);
		return PP_E_NOMEM;
	}
	status = cells_add_up(x);
	if (status == PP_OK)
		status = pp_unpack_costs(x->dict, x->shape, all.sums, &x->g->facts, out);
	pp_cell_sums_free(all.sums, columns);
	x->subs.n = 0;
	return status;
}

pp_status
pp_stored_shape_load(struct pp_sqlite *s, int64_t id, struct pp_stored_shape *stored,
                     struct pp_buf *problem)
{
	struct pp_slice def;
	pp_status status;
	sqlite3_stmt *q = pp_stored_def(s, PP_STORED_SHAPE, id, &def, &status, problem);

	if (status == PP_OK)
		status = pp_shape_read(stored->shape, def, pp_random_seed());
	if (q)
		(void)sqlite3_reset(q);
	if (status == PP_E_INVALID && problem->n == 0)
		pp_buf_addf(problem, "%s: the store is damaged: shape %lld", s->path,
		            (long long)id);
	if (status != PP_OK)
		return status;
	status = metrics_find(s, stored, problem);
	if (status != PP_OK)
		pp_shape_release(stored->shape);
	return status;
}

/* How the cells will be read: from the first to the last, or by profile. */
static pp_status
way_choose(struct summing *x)
{
	int64_t all = 0;
	pp_status status = pp_sqlite_number(x->s, "SELECT count(*) FROM packed", &all, x->problem);
	size_t n = x->g->ids.n, i;

	x->sorted = malloc((n + 1) * sizeof *x->sorted);
	if (!x->sorted)
		return PP_E_NOMEM;
	for (i = 0; i < n; i++)
		x->sorted[i] = (struct wanted){ .id = x->g->ids.at[i],
			                        .expected = x->g->cells.at[i] };
	if (n > 1)
		pp_sort(x->sorted, n, sizeof *x->sorted, id_order, NULL);
	if (x->has_reals && x->g->loose.n)
		return PP_E_UNSUPPORTED;
	x->scans = !x->has_reals && n > 1 && (uint64_t)n * SCAN_FROM >= (uint64_t)all;
	return status;
}

/* All of a group that is more than one profile, or the costs of its functions. */
static pp_status
several_load(struct summing *x, bool costs, struct pp_profile **out)
{
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < x->shape->metrics; i++)
		x->has_reals |= x->shape->b.profile->metrics.at[i].type == PP_REAL;
	status = way_choose(x);
	/* What was gained is no cost of its own. */
	costs = costs && pp_metrics_shown(x->shape->b.profile) == x->shape->metrics;
	if (status == PP_OK && costs) {
		status = costs_load(x, out);
		if (status != PP_E_UNSUPPORTED)
			return status;
		status = PP_OK;
	}
	return status == PP_OK ? whole_load(x, out) : status;
}

/* Whether an order asks for nothing that only the inputs tell. */
static bool
order_is_met(const struct pp_order *order, const struct pp_shape *shape)
{
	unsigned beyond = PP_TIMELINE | PP_EXTRAS | PP_FINDINGS;

	beyond |= shape->b.profile->holds & PP_LINES;
	beyond |= shape->described ? PP_META : 0u;
	return !order || (order->facets && !(order->facets & beyond) && !order->maps &&
	                  !order->filter && !order->keep);
}

pp_status
pp_group_load(struct pp_sqlite *s, const struct pp_packed_group *g, const struct pp_order *order,
              bool costs, struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_shape shape = { 0 };
	struct summing x = {
		.s = s, .g = g, .stored.shape = &shape, .shape = &shape, .problem = problem
	};
	pp_status status = pp_sqlite_dict(s, g->dict, g->loose.n > 0, &x.dict, problem);
	size_t i;

	*out = NULL;
	if (status == PP_OK)
		status = pp_stored_shape_load(s, g->shape, &x.stored, problem);
	if (status != PP_OK)
		return status;
	shape.without_gains = !pp_gains_ordered(order, shape.b.profile);
	/* Whoever orders what formats keep for themselves has it of one profile, and knows that a sum has none. */
	if (order && order->facets & PP_EXTRAS)
		shape.b.profile->holds &= ~(unsigned)PP_EXTRAS;
	if (shape.is_part && !order_is_met(order, &shape))
		status = PP_E_UNSUPPORTED;
	else
		status = g->ids.n == 1 && g->loose.n == 0
		             ? pp_single_load(s, g->ids.at[0], g->cells.at[0], x.dict, &x.stored,
		                              &g->facts, out, problem)
		             : several_load(&x, costs, out);
	for (i = 0; i < x.subs.n; i++) {
		pp_cell_sums_free(x.subs.at[i].sums, shape.metrics + 1);
		pp_buf_release(&x.subs.at[i].def);
	}
	pp_vec_release(&x.subs);
	free(x.sorted);
	pp_shape_release(&shape);
	if (status == PP_E_INVALID && problem->n == 0)
		pp_buf_addf(problem, "%s: the store is damaged: what is known of a profile",
		            s->path);
	return status;
}
