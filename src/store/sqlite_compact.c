/*
 * Compacts a store of SQLite: inputs that are nothing but stacks become cells over the shared dictionary.
 *
 * Inputs are read before others have to wait; then one transaction writes dictionary, cells and levels of a batch, so who
 * reads sees each profile either way, and one that is killed has done nothing.
 */
#include <stdlib.h>

#include "io/system.h"
#include "store/parcel.h"
#include "store/sqlite_packed.h"

/* Profiles of one transaction, bytes of their inputs and extracts, and nodes of their trees: some 60 bytes each. */
#define BATCH_PROFILES 500
#define BATCH_BYTES ((size_t)64 << 20)
#define BATCH_NODES ((size_t)1 << 20)

/* From so many fresh ones on they are packed by whoever adds another, in at most one part of its time in so many. */
#define FRESH_MAX 1000
#define SHARE_OF_TIME 8
/* Profiles of such a part, so that reading the dictionary pays and nobody waits for long. */
#define SOME_PROFILES 500

/* ---- reading inputs ---- */

/* A fresh profile that was read; NULL where cells cannot hold it, and an extract if there is one. */
struct candidate {
	int64_t id;
	struct pp_profile *profile;
	struct pp_buf extract;
	struct pp_pack_input input;
};

struct compacting {
	struct pp_sqlite *s;
	struct pp_store_outcome *out;
	struct pp_buf *problem;
	PP_VEC(struct candidate) batch;
	int64_t last; /* id of the last that was looked at */
	struct pp_stored_dict dict;
};

static void
batch_release(struct compacting *c)
{
	while (c->batch.n) {
		struct candidate *one = &c->batch.at[--c->batch.n];

		pp_profile_free(one->profile);
		pp_buf_release(&one->extract);
	}
}

/* The next fresh profiles, as many as a batch takes. */
static pp_status
batch_read(struct compacting *c)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    c->s,
	    "SELECT p.id, p.source, p.format, o.data, p.hash FROM profile p JOIN original o ON o.profile = "
	    "p.id WHERE p.level = 0 AND p.dict = 0 AND p.id > ?1 ORDER BY p.id LIMIT ?2",
	    c->problem);
	pp_status status = q ? PP_OK : pp_no_statement(c->problem);
	size_t bytes = 0, nodes = 0;

	if (status != PP_OK)
		return status;
	(void)sqlite3_bind_int64(q, 1, c->last);
	(void)sqlite3_bind_int(q, 2, BATCH_PROFILES);
	while (status == PP_OK && bytes < BATCH_BYTES && nodes < BATCH_NODES &&
	       pp_sqlite_step(c->s, q, &status, c->problem) > 0) {
		struct pp_supply supply = { 0 };
		struct candidate one = { .id = sqlite3_column_int64(q, 0) };
		const char *path = (const char *)sqlite3_column_text(q, 1);
		const char *format = (const char *)sqlite3_column_text(q, 2);

		c->last = one.id;
		status = pp_sqlite_input_open(pp_column_bytes(q, 4), pp_column_bytes(q, 3),
		                              &supply);
		bytes += supply.n ? supply.files[0].size : 0;
		if (status == PP_OK)
			one.profile = pp_stored_read(&supply, path ? path : "", format, &one.input,
			                             &one.extract);
		else if (status == PP_E_INVALID)
			status = PP_OK; /* `check` says so; here it stays as it is */
		pp_parcel_drop(&supply);
		bytes += one.extract.n;
		nodes += one.profile ? one.profile->tree.n : 0;
		if (status == PP_OK && !pp_vec_push(&c->batch, one)) {
			pp_profile_free(one.profile);
			pp_buf_release(&one.extract);
			status = PP_E_NOMEM;
		}
	}
	(void)sqlite3_reset(q);
	return status;
}

/* ---- writing cells ---- */

/* Notes that cells cannot hold a profile: PP_DICT_NEVER or PP_DICT_EXTRACT. */
static pp_status
never_set(struct compacting *c, int64_t id, int64_t dict)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    c->s, "UPDATE profile SET dict = ?2 WHERE id = ?1 AND level = 0", c->problem);
	pp_status status = PP_OK;

	if (!q)
		return pp_no_statement(c->problem);
	(void)sqlite3_bind_int64(q, 1, id);
	(void)sqlite3_bind_int64(q, 2, dict);
	(void)pp_sqlite_step(c->s, q, &status, c->problem);
	return status;
}

/* Whether it is still there and fresh: others may have been faster. */
static pp_status
still_fresh(struct compacting *c, int64_t id, bool *fresh)
{
	sqlite3_stmt *q = pp_sqlite_statement(
	    c->s, "SELECT 1 FROM profile WHERE id = ?1 AND level = 0 AND dict = 0", c->problem);
	pp_status status = PP_OK;

	if (!q)
		return pp_no_statement(c->problem);
	(void)sqlite3_bind_int64(q, 1, id);
	*fresh = pp_sqlite_step(c->s, q, &status, c->problem) > 0;
	(void)sqlite3_reset(q);
	return status;
}

/* The last dictionary as it is now. */
static pp_status
dict_open(struct compacting *c)
{
	int64_t last = 0, version = 0;
	pp_status status = pp_stored_version(c->s, &version, c->problem);

	if (status != PP_OK || (c->dict.is_open && c->dict.version == version))
		return status;
	status = pp_sqlite_number(c->s, "SELECT max(dict) FROM dict", &last, c->problem);
	pp_stored_dict_close(&c->dict);
	if (status != PP_OK)
		return status;
	status = pp_stored_dict_open(c->s, last ? last : 1, true, &c->dict, c->problem);
	/* One that is damaged takes no more; `check` reports it. */
	if (status == PP_E_INVALID) {
		c->problem->n = 0;
		status = pp_stored_dict_open(c->s, last + 1, true, &c->dict, c->problem);
	}
	return status;
}

/* One more, where the last is full. */
static pp_status
dict_next(struct compacting *c)
{
	pp_status status = pp_stored_dict_save(c->s, &c->dict, c->problem);
	int64_t next = c->dict.id + 1;

	if (status != PP_OK)
		return status;
	pp_stored_dict_close(&c->dict);
	return pp_stored_dict_open(c->s, next, true, &c->dict, c->problem);
}

/* Keeps what was told of an input that cells cannot hold. */
static pp_status
extract_keep(struct compacting *c, const struct candidate *one)
{
	const bool is_there = one->extract.n && !one->extract.failed;
	pp_status status = never_set(c, one->id, is_there ? PP_DICT_EXTRACT : PP_DICT_NEVER);

	if (status != PP_OK || !is_there)
		return status;
	c->out->packed++;
	return pp_stored_extract_add(c->s, one->id, pp_slice_of(one->extract.p, one->extract.n),
	                             c->problem);
}

static pp_status
candidate_pack(struct compacting *c, const struct candidate *one)
{
	struct pp_packed packed = { 0 };
	bool fresh = false;
	pp_status status = still_fresh(c, one->id, &fresh);

	if (status != PP_OK || !fresh)
		return status;
	if (!one->profile)
		return extract_keep(c, one);
	if (!pp_dict_has_room(&c->dict.dict, one->profile) && one->profile->tree.n < PP_DICT_NODES)
		status = dict_next(c);
	if (status == PP_OK && !pp_dict_has_room(&c->dict.dict, one->profile))
		return never_set(c, one->id, PP_DICT_NEVER);
	if (status == PP_OK)
		status = pp_pack(&c->dict.dict, one->profile, &one->input, &packed);
	if (status == PP_E_UNSUPPORTED) {
		status = never_set(c, one->id, PP_DICT_NEVER);
	} else if (status == PP_OK) {
		status = pp_stored_pack(c->s, &c->dict, one->id, PP_STORE_PACKED, one->profile,
		                        &packed, c->problem);
		c->out->packed++;
	}
	pp_packed_release(&packed);
	return status;
}

static pp_status
batch_write(struct compacting *c)
{
	pp_status status = pp_sqlite_begin(c->s, c->problem);
	size_t i;

	if (status != PP_OK)
		return status;
	status = dict_open(c);
	for (i = 0; i < c->batch.n && status == PP_OK; i++)
		status = candidate_pack(c, &c->batch.at[i]);
	if (status == PP_OK)
		status = pp_stored_dict_save(c->s, &c->dict, c->problem);
	status = pp_sqlite_end(c->s, status, c->problem);
	/* What was not written must not be taken for written. */
	if (status != PP_OK)
		pp_stored_dict_close(&c->dict);
	return status;
}

/* Packs what is fresh, until so many were looked at. */
static pp_status
fresh_pack(struct compacting *c, size_t most)
{
	pp_status status = PP_OK;
	size_t n;

	do {
		status = batch_read(c);
		n = c->batch.n;
		if (status == PP_OK && n)
			status = batch_write(c);
		batch_release(c);
		most -= n < most ? n : most;
	} while (status == PP_OK && n && most);
	return status;
}

pp_status
pp_sqlite_pack(struct pp_sqlite *s, struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct compacting c = { .s = s, .out = out, .problem = problem };
	pp_status status = fresh_pack(&c, SIZE_MAX);

	pp_stored_dict_close(&c.dict);
	pp_vec_release(&c.batch);
	return status;
}

/* ---- when nobody asks for it ---- */

/* What fails here was acknowledged as fresh, and stays so. Whether any was packed. */
static bool
pack_some(struct pp_sqlite *s, size_t most)
{
	struct pp_store_outcome out = { 0 };
	struct pp_buf problem = { 0 };
	struct compacting c = { .s = s, .out = &out, .problem = &problem };
	int64_t fresh = 0;
	bool any;

	if (pp_sqlite_number(s, "SELECT count(*) FROM profile WHERE level = 0 AND dict = 0", &fresh,
	                     &problem) == PP_OK &&
	    fresh >= FRESH_MAX)
		(void)fresh_pack(&c, most);
	any = out.packed > 0;
	pp_stored_dict_close(&c.dict);
	pp_vec_release(&c.batch);
	pp_store_outcome_release(&out);
	pp_buf_release(&problem);
	return any;
}

void
pp_sqlite_pack_some(struct pp_sqlite *s)
{
	int64_t begin = pp_clock_ns();

	if (s->packing.opened == 0)
		s->packing.opened = begin;
	if (s->packing.spent > (begin - s->packing.opened) / SHARE_OF_TIME)
		return;
	(void)pack_some(s, SOME_PROFILES);
	s->packing.spent += pp_clock_ns() - begin;
}

bool
pp_sqlite_tidy(struct pp_store *store, bool all)
{
	return pack_some((struct pp_sqlite *)store, all ? SIZE_MAX : SOME_PROFILES);
}
