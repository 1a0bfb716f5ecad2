/*
 * Extracts in a store of SQLite: one row of `cells` beside the input of a profile that has no stacks to be added up.
 *
 * It is a parcel of one file. A profile whose extract is missing is read from its input; one that is damaged is an error.
 */
#include "store/extract_kept.h"
#include "store/parcel.h"
#include "store/sqlite_packed.h"

/* cells.facet; 1 is that of stacks. Metric and sub are 0. */
#define FACET_EXTRACT 2

static int64_t
extract_seal(int64_t profile, int64_t n, struct pp_slice data)
{
	return pp_seal_of_cells(
	    &(struct pp_cells_key){
	        .profile = profile, .facet = FACET_EXTRACT, .n = n, .total = pp_slice_z("") },
	    data);
}

pp_status
pp_stored_extract_add(struct pp_sqlite *s, int64_t profile, struct pp_slice extract,
                      struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s,
	    "INSERT OR REPLACE INTO cells(profile, facet, metric, sub, n, total, seal, data) "
	    "VALUES(?1, ?2, 0, 0, ?3, '', ?4, ?5)",
	    problem);
	const int64_t n = (int64_t)extract.n;
	struct pp_buf data = { 0 };
	pp_status status = PP_E_NOMEM;

	if (!q)
		return pp_no_statement(problem);
	if (pp_extract_keep(extract, &data)) {
		(void)sqlite3_bind_int64(q, 1, profile);
		(void)sqlite3_bind_int64(q, 2, FACET_EXTRACT);
		(void)sqlite3_bind_int64(q, 3, n);
		(void)sqlite3_bind_int64(q, 4,
		                         extract_seal(profile, n, pp_slice_of(data.p, data.n)));
		(void)sqlite3_bind_blob64(q, 5, data.p, data.n, SQLITE_STATIC);
		status = pp_stored_run(s, q, problem);
	}
	pp_buf_release(&data);
	return status;
}

pp_status
pp_stored_extract_load(struct pp_sqlite *s, const struct pp_store_entry *e,
                       struct pp_supply *supply, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s,
	    "SELECT n, seal, data FROM cells WHERE profile = ?1 AND facet = ?2 AND metric = 0 AND sub = 0",
	    problem);
	const int64_t profile = (int64_t)e->id;
	pp_status status = PP_OK;
	int row;

	*supply = (struct pp_supply){ .path = e->source };
	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_int64(q, 1, profile);
	(void)sqlite3_bind_int64(q, 2, FACET_EXTRACT);
	row = pp_sqlite_step(s, q, &status, problem);
	if (row == 0)
		status = PP_E_UNSUPPORTED;
	if (row > 0) {
		const int64_t n = sqlite3_column_int64(q, 0);
		const struct pp_slice data = pp_column_bytes(q, 2);
		uint64_t size = 0;

		status = sqlite3_column_int64(q, 1) == extract_seal(profile, n, data)
		             ? pp_extract_open(data, supply, &size)
		             : PP_E_INVALID;
		if (status == PP_OK && size != (uint64_t)n)
			status = PP_E_INVALID;
		if (status == PP_E_INVALID)
			(void)pp_stored_damaged(s, profile, "the extract", problem);
	}
	(void)sqlite3_reset(q);
	return status;
}

pp_status
pp_sqlite_load_extract(struct pp_store *store, const struct pp_store_entry *e,
                       const struct pp_order *order, struct pp_supply *supply,
                       struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	pp_status status, settled;

	if (!e->has_extract || !pp_extract_tells(order))
		return PP_E_UNSUPPORTED;
	status = pp_stored_extract_load(s, e, supply, problem);
	if (status == PP_OK)
		status = pp_extract_settle(order, supply);
	settled = status == PP_E_UNSUPPORTED ? status : pp_sqlite_settled(s, status, problem);
	if (settled != PP_OK)
		pp_parcel_drop(supply);
	return settled;
}
