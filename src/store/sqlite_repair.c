/*
 * Damage in a store of SQLite: naming the profile that has it, and repairing it from the stored input.
 *
 * Packed numbers, extracts and dictionaries are derived from inputs. Where the input is still stored, a damaged profile becomes
 * fresh again: its derived rows are deleted, and compacting makes them anew.
 */
#include <stdlib.h>

#include "store/parcel.h"
#include "store/sqlite_packed.h"

/* ---- naming ---- */

static bool
name_put(struct pp_sqlite *s, int64_t profile, struct pp_buf *out, bool *has_input)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    s,
	    "SELECT p.hash, s.labels, o.profile IS NOT NULL FROM profile p LEFT JOIN series s ON s.id "
	    "= p.series LEFT JOIN original o ON o.profile = p.id WHERE p.id = ?1",
	    out);
	pp_status status = PP_OK;
	bool there;

	if (!q)
		return false;
	(void)sqlite3_bind_int64(q, 1, profile);
	there = pp_sqlite_step(s, q, &status, out) > 0 &&
	        sqlite3_column_bytes(q, 0) == PP_STORE_HASH;
	if (there) {
		pp_buf_adds(out, "profile ");
		pp_store_name_put(sqlite3_column_blob(q, 0),
		                  (const char *)sqlite3_column_text(q, 1), out);
		*has_input = sqlite3_column_int(q, 2) != 0;
	}
	(void)sqlite3_reset(q);
	return there;
}

pp_status
pp_stored_damaged(struct pp_sqlite *s, int64_t profile, const char *what, struct pp_buf *problem)
{
	struct pp_buf name = { 0 };
	bool has_input = false;

	if (!name_put(s, profile, &name, &has_input)) {
		name.n = 0;
		pp_buf_adds(&name, "a profile that is not listed");
	}
	pp_buf_addf(problem, "%s: the store is damaged: %s of %s; ", s->path, what,
	            name.p ? name.p : "");
	pp_buf_adds(problem, has_input
	                         ? "--partial reads its stored input, `store compact` repairs it"
	                         : "its input is not stored: `store remove` removes it");
	pp_buf_release(&name);
	return PP_E_INVALID;
}

void
pp_stored_users_put(struct pp_sqlite *s, const int64_t *profiles, size_t n, struct pp_buf *problem)
{
	struct pp_buf name = { 0 };
	bool has_input;

	if (n && name_put(s, profiles[0], &name, &has_input) && name.p)
		pp_buf_addf(problem, ", which %s uses", name.p);
	if (n > 1)
		pp_buf_addf(problem, ", and %zu more", n - 1);
	pp_buf_release(&name);
}

/* ---- repairing ---- */

/* Statements that delete the derived rows of a profile; ?1 is its number. */
static const char *const resets[] = {
	"DELETE FROM cells WHERE profile = ?1",
	"DELETE FROM packed WHERE profile = ?1",
	"UPDATE profile SET level = 0, dict = 0 WHERE id = ?1",
	"UPDATE original SET keep = 0 WHERE profile = ?1 AND keep != 1",
};

/* Rows that no profile uses. What belongs to a profile whose input is not stored stays. */
static const char *const sweeps[] = {
	"DELETE FROM packed WHERE profile IN (SELECT p.id FROM profile p JOIN original o ON o.profile = p.id WHERE p.level = 0)",
	"DELETE FROM cells WHERE facet = 1 AND profile IN (SELECT p.id FROM profile p JOIN original o ON o.profile = p.id WHERE p.level = 0)",
	"DELETE FROM cells WHERE facet != 1 AND profile IN (SELECT p.id FROM profile p JOIN original o ON o.profile = p.id WHERE p.dict != -2)",
	"DELETE FROM cells WHERE profile NOT IN (SELECT id FROM profile) AND profile NOT IN (SELECT profile FROM packed)",
	"DELETE FROM sub WHERE id NOT IN (SELECT sub FROM cells)",
	"DELETE FROM metric WHERE id NOT IN (SELECT metric FROM cells)",
	"DELETE FROM shape WHERE id NOT IN (SELECT shape FROM packed)",
};

struct repair {
	struct pp_sqlite *s;
	struct pp_buf *problem;
	PP_VEC(uint64_t) damaged; /* profiles whose input can replace what is damaged */
	PP_VEC(int64_t) dicts;    /* dictionaries that cannot be read */
	bool odd;                 /* there are rows that belong to nothing */
};

/* Whether all that is derived of a profile can be read: PP_OK, PP_E_INVALID. */
static pp_status
derived_check(struct repair *r, const struct pp_store_entry *e)
{
	struct pp_supply supply = { 0 };
	struct pp_buf why = { 0 };
	pp_status status = PP_OK;

	if (e->level == PP_STORE_PACKED)
		status = pp_sqlite_load_packed(r->s, e, &supply, &why);
	else if (e->has_extract)
		status = pp_stored_extract_load(r->s, e, &supply, &why);
	pp_parcel_drop(&supply);
	pp_buf_release(&why);
	return status == PP_E_UNSUPPORTED ? PP_E_INVALID : status;
}

/* Whether the input of a profile can be read. */
static pp_status
input_check(struct repair *r, const struct pp_store_entry *e)
{
	struct pp_supply supply = { 0 };
	struct pp_buf why = { 0 };
	pp_status status = pp_sqlite_load_fresh(r->s, e, &supply, &why);

	pp_parcel_drop(&supply);
	pp_buf_release(&why);
	return status;
}

static pp_status
damaged_find(struct repair *r, const struct pp_store_list *list)
{
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < list->entries.n && (status == PP_OK || status == PP_E_INVALID); i++) {
		const struct pp_store_entry *e = &list->entries.at[i];
		const bool has_input = e->kept || e->is_part || e->is_detailed;

		if (e->level == PP_STORE_SUM || (e->level == PP_STORE_PACKED && !has_input))
			continue;
		status = derived_check(r, e);
		if (status == PP_E_INVALID)
			status = input_check(r, e);
		else
			continue;
		if (status == PP_OK && !pp_vec_push(&r->damaged, e->id))
			status = PP_E_NOMEM;
	}
	return status == PP_E_INVALID ? PP_OK : status;
}

/* Adds profiles whose input is marked for another level than theirs. */
static pp_status
misfits_find(struct repair *r)
{
	sqlite3_stmt *q = pp_sqlite_statement(r->s, "SELECT profile FROM (" PP_INPUT_MISFITS ")",
	                                      r->problem);
	pp_status status = q ? PP_OK : pp_no_statement(r->problem);

	while (status == PP_OK && pp_sqlite_step(r->s, q, &status, r->problem) > 0)
		if (!pp_vec_push(&r->damaged, (uint64_t)sqlite3_column_int64(q, 0)))
			status = PP_E_NOMEM;
	return status;
}

/* Adds the profiles that use the nth row of a table of shared texts. */
static pp_status
users_find(struct repair *r, const char *users, int64_t row)
{
	sqlite3_stmt *q = pp_sqlite_statement(r->s, users, r->problem);
	pp_status status = q ? PP_OK : pp_no_statement(r->problem);

	if (!q)
		return status;
	(void)sqlite3_bind_int64(q, 1, row);
	while (status == PP_OK && pp_sqlite_step(r->s, q, &status, r->problem) > 0)
		if (!pp_vec_push(&r->damaged, (uint64_t)sqlite3_column_int64(q, 0)))
			status = PP_E_NOMEM;
	return status;
}

/* Adds the profiles with stored inputs that use a damaged text. */
static pp_status
texts_find(struct repair *r)
{
#define WITH_INPUT " AND profile IN (SELECT profile FROM original)"
	static const struct {
		const char *name, *rows, *users;
	} tables[] = {
		{ "metric", "SELECT id, def, seal FROM metric",
		  "SELECT DISTINCT profile FROM cells WHERE metric = ?1" WITH_INPUT },
		{ "sub", "SELECT id, def, seal FROM sub",
		  "SELECT DISTINCT profile FROM cells WHERE sub = ?1" WITH_INPUT },
		{ "shape", "SELECT id, def, seal FROM shape",
		  "SELECT profile FROM packed WHERE shape = ?1" WITH_INPUT },
	};
#undef WITH_INPUT
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(tables) && status == PP_OK; i++) {
		sqlite3_stmt *q = pp_sqlite_statement(r->s, tables[i].rows, r->problem);

		status = q ? PP_OK : pp_no_statement(r->problem);
		while (status == PP_OK && pp_sqlite_step(r->s, q, &status, r->problem) > 0)
			if (sqlite3_column_int64(q, 2) !=
			    pp_seal_of_def(tables[i].name, pp_column_bytes(q, 1)))
				status = users_find(r, tables[i].users, sqlite3_column_int64(q, 0));
	}
	return status;
}

/* Adds a dictionary unless all chunks are there and sound. */
static pp_status
dict_judge(struct repair *r, int64_t dict, int64_t sound_chunks)
{
	int64_t promised = 0;
	pp_status status = pp_census_chunks(r->s, dict, &promised, r->problem);

	if (status == PP_OK && sound_chunks != promised && !pp_vec_push(&r->dicts, dict))
		status = PP_E_NOMEM;
	return status;
}

/* Finds damaged dictionaries by the seals of their chunks, without building them. */
static pp_status
dicts_find(struct repair *r)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    r->s, "SELECT dict, part, chunk, n, seal, data FROM dict ORDER BY dict", r->problem);
	pp_status status = q ? PP_OK : pp_no_statement(r->problem);
	int64_t dict = 0, sound = 0;
	bool begun = false;

	while (status == PP_OK && pp_sqlite_step(r->s, q, &status, r->problem) > 0) {
		const int64_t id = sqlite3_column_int64(q, 0);
		const struct pp_slice part = pp_column_bytes(q, 1);

		if (begun && id != dict) {
			status = dict_judge(r, dict, sound);
			sound = 0;
		}
		begun = true;
		dict = id;
		sound += part.n == 1 &&
		         sqlite3_column_int64(q, 4) ==
		             pp_seal_of_chunk(id, (char)part.p[0], sqlite3_column_int64(q, 2),
		                              sqlite3_column_int64(q, 3), pp_column_bytes(q, 5));
	}
	return status == PP_OK && begun ? dict_judge(r, dict, sound) : status;
}

/* Runs a statement about one number. */
static pp_status
number_run(struct repair *r, const char *sql, int64_t number)
{
	sqlite3_stmt *q = pp_sqlite_statement(r->s, sql, r->problem);

	if (!q)
		return pp_no_statement(r->problem);
	(void)sqlite3_bind_int64(q, 1, number);
	return pp_stored_run(r->s, q, r->problem);
}

/* Deletes a damaged dictionary, unless a profile needs it whose input is not stored. */
static pp_status
dict_drop(struct repair *r, int64_t dict)
{
	sqlite3_stmt *q = pp_sqlite_statement(r->s, "SELECT 1 FROM packed WHERE dict = ?1 LIMIT 1",
	                                      r->problem);
	pp_status status = q ? PP_OK : pp_no_statement(r->problem);
	bool used;

	if (!q)
		return status;
	(void)sqlite3_bind_int64(q, 1, dict);
	used = pp_sqlite_step(r->s, q, &status, r->problem) > 0;
	(void)sqlite3_reset(q);
	if (status != PP_OK || used)
		return status;
	status = number_run(r, "DELETE FROM dict WHERE dict = ?1", dict);
	return status == PP_OK ? pp_census_chunks_clear(r->s, dict, r->problem) : status;
}

/* Deletes what is damaged, in one transaction. */
static pp_status
damaged_reset(struct repair *r)
{
	pp_status status = pp_sqlite_begin(r->s, r->problem);
	size_t i, k;

	if (status != PP_OK)
		return status;
	for (i = 0; i < r->damaged.n && status == PP_OK; i++)
		for (k = 0; k < PP_COUNT_OF(resets) && status == PP_OK; k++)
			status = number_run(r, resets[k], (int64_t)r->damaged.at[i]);
	for (i = 0; i < PP_COUNT_OF(sweeps) && status == PP_OK; i++)
		status = pp_sqlite_run(r->s, sweeps[i], r->problem);
	for (i = 0; i < r->dicts.n && status == PP_OK; i++)
		status = dict_drop(r, r->dicts.at[i]);
	return pp_sqlite_end(r->s, status, r->problem);
}

/* Whether a row is there that no profile uses, or that belongs to a profile of another level. */
static pp_status
rows_are_odd(struct repair *r, bool *odd)
{
	struct pp_store_outcome found = { 0 };
	pp_status status = pp_sqlite_check_rows(r->s, &found, r->problem);

	*odd = found.problems.n > 0;
	pp_store_outcome_release(&found);
	return status;
}

static pp_status
damage_find(struct repair *r, const struct pp_store_list *list)
{
	pp_status status;

	r->damaged.n = r->dicts.n = 0;
	status = damaged_find(r, list);
	if (status == PP_OK)
		status = misfits_find(r);
	if (status == PP_OK)
		status = texts_find(r);
	if (status == PP_OK)
		status = dicts_find(r);
	return status == PP_OK ? rows_are_odd(r, &r->odd) : status;
}

/* Makes SQLite's indexes anew if they are damaged: rows that an index does not find cannot be deleted. */
static pp_status
indexes_mend(struct repair *r, bool *mended)
{
	sqlite3_stmt *q = pp_sqlite_statement(r->s, "PRAGMA integrity_check(1)", r->problem);
	pp_status status = q ? PP_OK : pp_no_statement(r->problem);
	const char *text = "ok";

	*mended = false;
	if (!q)
		return status;
	if (pp_sqlite_step(r->s, q, &status, r->problem) > 0)
		text = (const char *)sqlite3_column_text(q, 0);
	*mended = status == PP_OK && (!text || strcmp(text, "ok") != 0);
	(void)sqlite3_reset(q);
	return *mended ? pp_sqlite_run(r->s, "REINDEX", r->problem) : status;
}

static bool
is_damaged(const struct repair *r)
{
	return r->odd || r->damaged.n || r->dicts.n;
}

pp_status
pp_sqlite_repair(struct pp_sqlite *s, struct pp_buf *problem)
{
	struct repair r = { .s = s, .problem = problem };
	struct pp_store_list list = { 0 };
	pp_status status = s->store.engine->list(&s->store, NULL, &list, problem);
	bool mended = false;

	if (status == PP_OK)
		status = damage_find(&r, &list);
	if (status == PP_OK && is_damaged(&r))
		status = indexes_mend(&r, &mended);
	if (status == PP_OK && mended)
		status = damage_find(&r, &list);
	if (status == PP_OK && is_damaged(&r)) {
		status = damaged_reset(&r);
		/* It has seen none of that, and this connection's own changes do not change the version. */
		pp_packed_cache_free(s->packed);
		s->packed = NULL;
	}
	pp_vec_release(&r.damaged);
	pp_vec_release(&r.dicts);
	pp_store_list_release(&list);
	return status;
}
