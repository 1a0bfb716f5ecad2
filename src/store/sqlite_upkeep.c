/*
 * The upkeep of a store in a file: old profiles go, what is there is checked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/hash.h"
#include "store/parcel.h"
#include "store/sqlite_packed.h"
#include "store/sqlite_seal.h"

/* Gives pages that nothing uses back to the file system. */
static pp_status
pages_release(struct pp_sqlite *s, struct pp_buf *problem)
{
	pp_status status = pp_sqlite_run(s, "PRAGMA incremental_vacuum", problem);

	return status == PP_OK ? pp_sqlite_run(s, "PRAGMA wal_checkpoint(TRUNCATE)", problem)
	                       : status;
}

pp_status
pp_sqlite_compact(struct pp_store *store, const struct pp_store_upkeep *how,
                  struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	int64_t left = 0;
	pp_status status = pp_sqlite_number(s, "SELECT count(*) FROM profile", &left, problem);

	out->bytes_before = out->bytes_after = store->engine->size(store);
	out->left = (uint64_t)left;
	if (status == PP_OK && !how->dry)
		status = pp_sqlite_repair(s, problem);
	if (status == PP_OK && !how->dry)
		status = pp_sqlite_pack(s, out, problem);
	if (status == PP_OK && !how->dry)
		status = pages_release(s, problem);
	if (status == PP_OK)
		status = pp_sqlite_number(s, "SELECT count(*) FROM profile", &left, problem);
	out->left = (uint64_t)left;
	out->bytes_after = store->engine->size(store);
	return status;
}

pp_status
pp_sqlite_gc(struct pp_store *store, const struct pp_store_upkeep *how,
             struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	struct pp_store_list list, old = { 0 };
	pp_status status = store->engine->list(store, how->selection, &list, problem);
	size_t i;

	if (status != PP_OK)
		return status;
	out->bytes_before = store->engine->size(store);
	for (i = 0; i < list.entries.n && status == PP_OK; i++)
		if (how->has_keep && list.entries.at[i].t1 < how->keep_from &&
		    !pp_vec_push(&old.entries, list.entries.at[i]))
			status = PP_E_NOMEM;
	out->removed = old.entries.n;
	out->left = list.entries.n - old.entries.n;
	if (status == PP_OK && !how->dry)
		status = store->engine->remove(store, &old, problem);
	/* Also after `remove`, which leaves the dictionary as it is. */
	if (status == PP_OK && !how->dry)
		status = pp_sqlite_shrink(s, problem);
	if (status == PP_OK && !how->dry)
		status = pages_release(s, problem);
	out->bytes_after = store->engine->size(store);
	pp_store_list_release(&old);
	pp_store_list_release(&list);
	return status;
}

/* Adds a sentence about what is wrong; PP_E_NOMEM. */
static pp_status
problem_add(struct pp_store_outcome *out, struct pp_buf *text)
{
	if (!text->failed && pp_vec_push(&out->problems, text->p))
		return PP_OK;
	pp_buf_release(text);
	return PP_E_NOMEM;
}

/* What SQLite says of its own pages. */
static pp_status
pages_check(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	sqlite3_stmt *st = pp_sqlite_statement(s, "PRAGMA integrity_check", problem);
	pp_status status = st ? PP_OK : PP_E_INVALID;

	while (status == PP_OK && pp_sqlite_step(s, st, &status, problem) > 0) {
		const char *text = (const char *)sqlite3_column_text(st, 0);
		struct pp_buf said = { 0 };

		if (text && strcmp(text, "ok") == 0)
			continue;
		pp_buf_adds(&said, text ? text : "integrity_check failed");
		status = problem_add(out, &said);
	}
	return status;
}

/* Whether there are as many profiles as there must be. */
static pp_status
census_check(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_buf why = { 0 };
	pp_status status = pp_census_audit(s, &why);

	if (status == PP_E_INVALID)
		return problem_add(out, &why);
	if (status != PP_OK)
		pp_buf_add(problem, why.p, why.n);
	pp_buf_release(&why);
	return status;
}

/* Reads all that is stored of a profile: its input, its extract and its packed numbers. */
static pp_status
entry_load(struct pp_sqlite *s, const struct pp_store_entry *e, struct pp_buf *why)
{
	const bool has_input = e->level == PP_STORE_FRESH || e->kept || e->is_part ||
	                       e->is_detailed;
	struct pp_supply supply = { 0 };
	pp_status status = has_input ? pp_sqlite_load_fresh(s, e, &supply, why) : PP_OK;

	pp_parcel_drop(&supply);
	if (status == PP_OK && e->has_extract) {
		status = pp_stored_extract_load(s, e, &supply, why);
		pp_parcel_drop(&supply);
		if (status == PP_E_UNSUPPORTED)
			status = pp_stored_damaged(s, (int64_t)e->id, "a missing extract", why);
	}
	if (status == PP_OK && e->level != PP_STORE_FRESH) {
		status = pp_sqlite_load_packed(s, e, &supply, why);
		pp_parcel_drop(&supply);
	}
	return status;
}

static pp_status
entry_check(struct pp_sqlite *s, const struct pp_store_entry *e, struct pp_store_outcome *out)
{
	struct pp_buf why = { 0 }, text = { 0 };
	char hex[2 * PP_DIGEST + 1], id[16];
	pp_status status = entry_load(s, e, &why);

	out->checked++;
	pp_store_outcome_count(out, e);
	pp_digest_hex(e->hash, hex);
	(void)snprintf(id, sizeof id, "%.12s", hex);
	if (status != PP_OK && status != PP_E_NOMEM) {
		if (!why.p || !strstr(why.p, id)) {
			pp_buf_adds(&text, "profile ");
			pp_store_name_put(e->hash, e->labels, &text);
			pp_buf_adds(&text, ": ");
		}
		pp_buf_adds(&text, why.p ? why.p : pp_status_text(status));
		status = problem_add(out, &text);
	}
	pp_buf_release(&why);
	return status;
}

pp_status
pp_sqlite_check(struct pp_store *store, struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_sqlite *s = (struct pp_sqlite *)store;
	struct pp_store_list list = { 0 };
	pp_status status = pages_check(s, out, problem);
	size_t i;

	if (status == PP_OK)
		status = pp_sqlite_check_packed(s, out, problem);
	if (status == PP_OK)
		status = store->engine->list(store, NULL, &list, problem);
	/* Within what the list began to read: others may be adding. */
	if (status == PP_OK)
		status = census_check(s, out, problem);
	for (i = 0; i < list.entries.n && status == PP_OK; i++)
		status = entry_check(s, &list.entries.at[i], out);
	pp_store_list_release(&list);
	/* Damage that ends the check is one of the problems, too. */
	if (status == PP_E_INVALID && problem->n) {
		struct pp_buf text = *problem;

		*problem = (struct pp_buf){ 0 };
		status = problem_add(out, &text);
	}
	return status;
}
