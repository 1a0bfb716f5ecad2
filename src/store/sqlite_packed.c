/*
 * Packed profiles in a store of SQLite, written: dictionaries grow by chunks, cells take the place of inputs.
 */
#include "store/sqlite_packed.h"

#include "io/system.h"
#include "store/record.h"

const char pp_sqlite_packed_schema[] =
    "CREATE TABLE shape(id INTEGER PRIMARY KEY, def BLOB NOT NULL UNIQUE, seal INT NOT NULL);\n"
    "CREATE TABLE packed(profile INTEGER PRIMARY KEY, dict INT NOT NULL, shape INT NOT NULL, "
    "own BLOB NOT NULL, cells INT NOT NULL, cells_seal INT NOT NULL, seal INT NOT NULL);\n"
    "CREATE TABLE census(name TEXT PRIMARY KEY, n INT NOT NULL) WITHOUT ROWID;\n"
    "CREATE TABLE rolled(hash BLOB PRIMARY KEY, profile INT NOT NULL) WITHOUT ROWID;\n"
    "CREATE INDEX rolled_profile ON rolled(profile);\n"
    "CREATE INDEX profile_fresh ON profile(id) WHERE level = 0 AND dict = 0;\n";

/* ---- dictionaries ---- */

/* Loads the chunks of a part, and counts them. They are numbered from 1, without gaps. */
static pp_status
part_load(struct pp_sqlite *s, struct pp_stored_dict *d, enum pp_dict_part part, int64_t *chunks,
          struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s, "SELECT chunk, n, seal, data FROM dict WHERE dict = ?1 AND part = ?2 ORDER BY chunk",
	    problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	int64_t chunk = 0;

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, d->id);
	(void)sqlite3_bind_text(q, 2, &pp_dict_letters[part], 1, SQLITE_STATIC);
	while (status == PP_OK && pp_sqlite_step(s, q, &status, problem) > 0) {
		int64_t n = sqlite3_column_int64(q, 1);
		struct pp_slice data = pp_column_bytes(q, 3);

		if (sqlite3_column_int64(q, 0) != ++chunk ||
		    sqlite3_column_int64(q, 2) !=
		        pp_seal_of_chunk(d->id, pp_dict_letters[part], chunk, n, data))
			status = PP_E_INVALID;
		else
			status = pp_dict_load(&d->dict, part, data, (uint64_t)n);
		if (status == PP_E_INVALID)
			pp_buf_addf(problem, "%s: the store is damaged: part %c of dictionary %lld",
			            s->path, pp_dict_letters[part], (long long)d->id);
	}
	(void)sqlite3_reset(q);
	*chunks += chunk;
	return status;
}

/* Whether none is missing behind the last one. */
static pp_status
chunks_judge(struct pp_sqlite *s, int64_t dict, int64_t chunks, struct pp_buf *problem)
{
	int64_t expected = 0;
	pp_status status = pp_census_chunks(s, dict, &expected, problem);

	if (status != PP_OK || chunks == expected)
		return status;
	pp_buf_addf(problem,
	            "%s: the store is damaged: dictionary %lld has %lld chunks instead of %lld",
	            s->path, (long long)dict, (long long)chunks, (long long)expected);
	return PP_E_INVALID;
}

pp_status
pp_stored_version(struct pp_sqlite *s, int64_t *version, struct pp_buf *problem)
{
	return pp_sqlite_number(s, "PRAGMA data_version", version, problem);
}

pp_status
pp_stored_dict_open(struct pp_sqlite *s, int64_t id, bool grows, struct pp_stored_dict *d,
                    struct pp_buf *problem)
{
	pp_status status = PP_OK;
	int64_t chunks = 0;
	size_t part;

	*d = (struct pp_stored_dict){ .id = id };
	status = pp_stored_version(s, &d->version, problem);
	if (status != PP_OK)
		return status;
	if (!pp_dict_init(&d->dict, grows, pp_random_seed()))
		return PP_E_NOMEM;
	d->is_open = true;
	for (part = 0; part < PP_DICT_PARTS && status == PP_OK; part++)
		status = part_load(s, d, (enum pp_dict_part)part, &chunks, problem);
	if (status == PP_OK)
		status = chunks_judge(s, id, chunks, problem);
	if (status == PP_OK)
		status = pp_dict_ready(&d->dict);
	if (status != PP_OK)
		pp_stored_dict_close(d);
	return status;
}

void
pp_stored_dict_close(struct pp_stored_dict *d)
{
	if (d->is_open)
		pp_dict_release(&d->dict);
	d->is_open = false;
}

/* Runs a statement that changes something. */
pp_status
pp_stored_run(struct pp_sqlite *s, sqlite3_stmt *q, struct pp_buf *problem)
{
	pp_status status = PP_OK;

	(void)pp_sqlite_step(s, q, &status, problem);
	(void)sqlite3_reset(q);
	return status;
}

/* The number of the next chunk of a part. */
static pp_status
chunk_next(struct pp_sqlite *s, int64_t dict, enum pp_dict_part part, int64_t *chunk,
           struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s, "SELECT coalesce(max(chunk), 0) + 1 FROM dict WHERE dict = ?1 AND part = ?2",
	    problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, dict);
	(void)sqlite3_bind_text(q, 2, &pp_dict_letters[part], 1, SQLITE_STATIC);
	if (pp_sqlite_step(s, q, &status, problem) > 0)
		*chunk = sqlite3_column_int64(q, 0);
	(void)sqlite3_reset(q);
	return status;
}

static pp_status
chunk_add(struct pp_sqlite *s, const struct pp_stored_dict *d, enum pp_dict_part part,
          const struct pp_buf *chunk, uint64_t n, struct pp_buf *problem)
{
	sqlite3_stmt *q;
	int64_t number = 0;
	pp_status status = chunk_next(s, d->id, part, &number, problem);

	if (status != PP_OK)
		return status;
	q = pp_sqlite_statement(
	    s, "INSERT INTO dict(dict, part, chunk, n, seal, data) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	    problem);
	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_int64(q, 1, d->id);
	(void)sqlite3_bind_text(q, 2, &pp_dict_letters[part], 1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(q, 3, number);
	(void)sqlite3_bind_int64(q, 4, (sqlite3_int64)n);
	(void)sqlite3_bind_int64(q, 5,
	                         pp_seal_of_chunk(d->id, pp_dict_letters[part], number, (int64_t)n,
	                                          pp_slice_of(chunk->p, chunk->n)));
	(void)sqlite3_bind_blob64(q, 6, chunk->p, chunk->n, SQLITE_STATIC);
	status = pp_stored_run(s, q, problem);
	return status == PP_OK ? pp_census_chunks_add(s, d->id, problem) : status;
}

pp_status
pp_stored_dict_save(struct pp_sqlite *s, struct pp_stored_dict *d, struct pp_buf *problem)
{
	struct pp_buf chunk = { 0 };
	pp_status status = PP_OK;
	size_t part;

	for (part = 0; part < PP_DICT_PARTS && status == PP_OK; part++) {
		uint64_t n;

		chunk.n = 0;
		if (!pp_dict_chunk(&d->dict, (enum pp_dict_part)part, &chunk, &n))
			status = PP_E_NOMEM;
		else if (n)
			status = chunk_add(s, d, (enum pp_dict_part)part, &chunk, n, problem);
	}
	pp_buf_release(&chunk);
	return status;
}

/* ---- profiles ---- */

static const struct {
	const char *name, *find, *add, *get;
} defs[] = {
	[PP_STORED_METRIC] = { "metric", "SELECT id FROM metric WHERE def = ?1",
	                       "INSERT INTO metric(def, seal) VALUES(?1, ?2)",
	                       "SELECT def, seal FROM metric WHERE id = ?1" },
	[PP_STORED_SUB] = { "sub", "SELECT id FROM sub WHERE def = ?1",
	                    "INSERT INTO sub(def, seal) VALUES(?1, ?2)",
	                    "SELECT def, seal FROM sub WHERE id = ?1" },
	[PP_STORED_SHAPE] = { "shape", "SELECT id FROM shape WHERE def = ?1",
	                      "INSERT INTO shape(def, seal) VALUES(?1, ?2)",
	                      "SELECT def, seal FROM shape WHERE id = ?1" },
};

pp_status
pp_stored_id(struct pp_sqlite *s, enum pp_stored_table table, struct pp_slice def, int64_t *id,
             struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, defs[table].find, problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	int found = 0;

	*id = 0;
	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_blob64(q, 1, def.p, def.n, SQLITE_STATIC);
	found = pp_sqlite_step(s, q, &status, problem);
	if (found > 0)
		*id = sqlite3_column_int64(q, 0);
	(void)sqlite3_reset(q);
	if (found != 0)
		return status;
	q = pp_sqlite_statement(s, defs[table].add, problem);
	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_blob64(q, 1, def.p, def.n, SQLITE_STATIC);
	(void)sqlite3_bind_int64(q, 2, pp_seal_of_def(defs[table].name, def));
	status = pp_stored_run(s, q, problem);
	*id = sqlite3_last_insert_rowid(s->db);
	return status;
}

sqlite3_stmt *
pp_stored_def(struct pp_sqlite *s, enum pp_stored_table table, int64_t id, struct pp_slice *def,
              pp_status *status, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, defs[table].get, problem);
	bool there;

	*def = pp_slice_of("", 0);
	*status = q ? PP_OK : pp_no_statement(problem);
	if (!q)
		return NULL;
	(void)sqlite3_bind_int64(q, 1, id);
	there = pp_sqlite_step(s, q, status, problem) > 0;
	if (there)
		*def = pp_column_bytes(q, 0);
	if (*status == PP_OK &&
	    (!there || sqlite3_column_int64(q, 1) != pp_seal_of_def(defs[table].name, *def))) {
		pp_buf_addf(problem, "%s: the store is damaged: %s %lld", s->path, defs[table].name,
		            (long long)id);
		*status = PP_E_INVALID;
	}
	return q;
}

static pp_status
metric_id(struct pp_sqlite *s, const struct pp_profile *p, size_t metric, int64_t *id,
          struct pp_buf *problem)
{
	struct pp_buf def = { 0 };
	pp_status status = PP_E_NOMEM;

	pp_record_row(&def, p, PP_TABLE_METRICS, metric);
	if (!def.failed)
		status = pp_stored_id(s, PP_STORED_METRIC, pp_slice_of(def.p, def.n), id, problem);
	pp_buf_release(&def);
	return status;
}

/* What is added up in stacks: other facets are not packed. */
#define FACET_STACKS 1

static pp_status
cells_add(struct pp_sqlite *s, int64_t profile, const struct pp_packed_cells *c, int64_t metric,
          int64_t sub, struct pp_cells_tally *tally, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s,
	    "INSERT INTO cells(profile, facet, metric, sub, n, total, seal, data) "
	    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	    problem);
	struct pp_slice data = pp_slice_of(c->data.p ? c->data.p : "", c->data.n);
	struct pp_buf total = { 0 };
	pp_status status;
	int64_t seal;

	if (!q)
		return pp_no_statement(problem);
	pp_cell_total_print(&total, c->sum.total);
	seal = pp_seal_of_cells(&(struct pp_cells_key){ profile, FACET_STACKS, metric, sub,
	                                                (int64_t)c->sum.n,
	                                                pp_slice_of(total.p, total.n) },
	                        data);
	(void)sqlite3_bind_int64(q, 1, profile);
	(void)sqlite3_bind_int64(q, 2, FACET_STACKS);
	(void)sqlite3_bind_int64(q, 3, metric);
	(void)sqlite3_bind_int64(q, 4, sub);
	(void)sqlite3_bind_int64(q, 5, (sqlite3_int64)c->sum.n);
	(void)sqlite3_bind_text(q, 6, total.p, (int)total.n, SQLITE_STATIC);
	(void)sqlite3_bind_int64(q, 7, seal);
	(void)sqlite3_bind_blob64(q, 8, data.p, data.n, SQLITE_STATIC);
	status = total.failed ? PP_E_NOMEM : pp_stored_run(s, q, problem);
	pp_tally_add(tally, seal);
	pp_buf_release(&total);
	return status;
}

static pp_status
packed_add(struct pp_sqlite *s, int64_t dict, int64_t profile, int64_t shape, struct pp_slice own,
           struct pp_cells_tally cells, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s,
	    "INSERT OR REPLACE INTO packed(profile, dict, shape, own, cells, cells_seal, seal) "
	    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	    problem);

	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_int64(q, 1, profile);
	(void)sqlite3_bind_int64(q, 2, dict);
	(void)sqlite3_bind_int64(q, 3, shape);
	(void)sqlite3_bind_blob64(q, 4, own.p, own.n, SQLITE_STATIC);
	(void)sqlite3_bind_int64(q, 5, (sqlite3_int64)cells.n);
	(void)sqlite3_bind_int64(q, 6, (sqlite3_int64)cells.seals);
	(void)sqlite3_bind_int64(q, 7, pp_seal_of_packed(profile, dict, shape, own, cells));
	return pp_stored_run(s, q, problem);
}

pp_status
pp_stored_packed_set(struct pp_sqlite *s, int64_t profile, int64_t dict,
                     struct pp_cells_tally cells, struct pp_buf *problem)
{
	sqlite3_stmt *q = pp_sqlite_statement(s, "SELECT shape, own FROM packed WHERE profile = ?1",
	                                      problem);
	pp_status status = q ? PP_OK : pp_no_statement(problem);
	struct pp_buf own = { 0 };
	int64_t shape = 0;

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, profile);
	if (pp_sqlite_step(s, q, &status, problem) > 0) {
		struct pp_slice bytes = pp_column_bytes(q, 1);

		shape = sqlite3_column_int64(q, 0);
		pp_buf_add(&own, bytes.p, bytes.n);
	}
	(void)sqlite3_reset(q);
	if (own.failed)
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = packed_add(s, dict, profile, shape, pp_slice_of(own.p, own.n), cells,
		                    problem);
	pp_buf_release(&own);
	return status;
}

static pp_status
level_set(struct pp_sqlite *s, const struct pp_stored_dict *d, int64_t profile,
          enum pp_store_level level, const struct pp_packed *packed, struct pp_buf *problem)
{
	const bool stays = packed->is_part || packed->is_detailed;
	sqlite3_stmt *q = pp_sqlite_statement(
	    s, "UPDATE profile SET level = ?2, dict = ?3 WHERE id = ?1", problem);
	pp_status status;

	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_int64(q, 1, profile);
	(void)sqlite3_bind_int64(q, 2, level);
	(void)sqlite3_bind_int64(q, 3, d->id);
	status = pp_stored_run(s, q, problem);
	if (status != PP_OK)
		return status;
	q = pp_sqlite_statement(
	    s,
	    stays ? "UPDATE original SET keep = ?2 WHERE profile = ?1 AND keep = 0"
	          : "DELETE FROM original WHERE profile = ?1 AND keep = 0",
	    problem);
	if (!q)
		return pp_no_statement(problem);
	(void)sqlite3_bind_int64(q, 1, profile);
	if (stays)
		(void)sqlite3_bind_int(q, 2, packed->is_part ? PP_INPUT_PART : PP_INPUT_DETAILS);
	return pp_stored_run(s, q, problem);
}

pp_status
pp_stored_pack(struct pp_sqlite *s, const struct pp_stored_dict *d, int64_t profile,
               enum pp_store_level level, const struct pp_profile *p,
               const struct pp_packed *packed, struct pp_buf *problem)
{
	struct pp_cells_tally cells = { 0 };
	int64_t shape, sub = 0, metric = 0;
	uint32_t series = UINT32_MAX;
	pp_status status = pp_stored_id(
	    s, PP_STORED_SHAPE, pp_slice_of(packed->shape.p, packed->shape.n), &shape, problem);
	size_t i;

	for (i = 0; i < packed->cells.n && status == PP_OK; i++) {
		const struct pp_packed_cells *c = &packed->cells.at[i];

		if (c->series != series) {
			const struct pp_buf *def = &packed->subs.at[c->series];

			status = pp_stored_id(s, PP_STORED_SUB, pp_slice_of(def->p, def->n), &sub,
			                      problem);
			series = c->series;
		}
		metric = 0;
		if (status == PP_OK && c->metric < p->metrics.n)
			status = metric_id(s, p, c->metric, &metric, problem);
		if (status == PP_OK)
			status = cells_add(s, profile, c, metric, sub, &cells, problem);
	}
	if (status == PP_OK)
		status = packed_add(s, d->id, profile, shape,
		                    pp_slice_of(packed->own.p, packed->own.n), cells, problem);
	return status == PP_OK ? level_set(s, d, profile, level, packed, problem) : status;
}

pp_status
pp_stored_type(struct pp_sqlite *s, int64_t metric, enum pp_cell_type *type, struct pp_buf *problem)
{
	struct pp_limits limits = pp_limits_complete(NULL);
	struct pp_metric row = { 0 };
	struct pp_builder b;
	struct pp_slice def;
	pp_status status = PP_OK;
	sqlite3_stmt *q;

	*type = PP_UINT;
	if (metric == 0)
		return status;
	q = pp_stored_def(s, PP_STORED_METRIC, metric, &def, &status, problem);
	if (status == PP_OK) {
		struct pp_record r = pp_record_of(def);

		if (!pp_builder_init(&b, &limits, NULL, pp_random_seed(), &pp_pages_plain))
			status = PP_E_NOMEM;
		else if (!pp_record_take_row(&r, &b, PP_TABLE_METRICS, &row) || !pp_record_end(&r))
			status = PP_E_INVALID;
		if (status != PP_E_NOMEM)
			pp_builder_release(&b);
	}
	if (q)
		(void)sqlite3_reset(q);
	*type = row.type;
	return status;
}
