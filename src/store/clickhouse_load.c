/*
 * What profiles of a ClickHouse store are read from: inputs, and extracts of those that are no stacks. Both are fetched several at once, in
 * the order of the list, and compared with what was committed.
 *
 * An extract is a column of the row that commits its profile, not a part of `blobs`: reading a small one there means to read the inputs that
 * lie around it, which are a hundred times as large. So it is there when the profile is, and goes with it.
 */
#include "base/slice.h"
#include "store/clickhouse.h"
#include "store/extract_kept.h"
#include "store/hash.h"
#include "store/parcel.h"
#include "store/stored_sum.h"

/* What is fetched together: bytes, and how many. */
#define FETCH_BYTES ((uint64_t)16 << 20)
#define FETCH_COUNT 512

void
pp_clickhouse_fetched_release(struct pp_clickhouse_fetched *f)
{
	pp_buf_release(&f->bytes);
	pp_vec_release(&f->batches);
	pp_vec_release(&f->ends);
}

/* ---- fetching ---- */

/* How many bytes another profile of the list adds to what is fetched; 0 = it does not come along. */
static uint64_t
also_bytes(const struct pp_clickhouse *c, const struct pp_clickhouse_listed *l, bool extracts)
{
	if (extracts)
		return l->extract_bytes;
	return c->by_extracts && l->extract_bytes ? 0 : l->bytes;
}

/* A condition for a profile and those that come next in the list. */
static pp_status
fetch_choose(const struct pp_clickhouse *c, uint64_t batch, int64_t t0, bool extracts,
             struct pp_buf *condition)
{
	uint64_t bytes = 0;
	size_t i, n = 0;
	int64_t first = t0, last = t0;

	for (i = 0; i < c->queue.n && c->queue.at[i] != batch; i++)
		;
	pp_buf_addf(condition, "batch IN (%llu", (unsigned long long)batch);
	for (i++; i < c->queue.n && n + 1 < FETCH_COUNT; i++) {
		const struct pp_clickhouse_listed *next = pp_clickhouse_listed(c, c->queue.at[i]);
		uint64_t more = next ? also_bytes(c, next, extracts) : FETCH_BYTES + 1;

		if (more == 0)
			continue;
		bytes += more;
		if (bytes > FETCH_BYTES)
			break;
		pp_buf_addf(condition, ",%llu", (unsigned long long)next->batch);
		first = next->t0 < first ? next->t0 : first;
		last = next->t0 > last ? next->t0 : last;
		n++;
	}
	pp_buf_adds(condition, ") AND t0 BETWEEN ");
	pp_sql_time(condition, first);
	pp_buf_adds(condition, " AND ");
	pp_sql_time(condition, last);
	return condition->failed ? PP_E_NOMEM : PP_OK;
}

/* Takes what was fetched out of the answer, each in its parts. */
static pp_status
fetch_take(struct pp_clickhouse *c, struct pp_clickhouse_fetched *to, struct pp_buf *problem)
{
	struct pp_row_reader rows = pp_rows_of(c);
	bool fine = true;

	to->bytes.n = to->batches.n = to->ends.n = 0;
	while (pp_rows_more(&rows) && fine) {
		uint64_t batch = pp_rows_u64(&rows);
		struct pp_slice data;
		size_t n = to->batches.n;

		(void)pp_rows_u32(&rows);
		data = pp_rows_text(&rows);
		pp_buf_add(&to->bytes, data.p, data.n);
		if (n && to->batches.at[n - 1] == batch)
			to->ends.at[n - 1] = to->bytes.n;
		else
			fine = pp_vec_push(&to->batches, batch) &&
			       pp_vec_push(&to->ends, to->bytes.n);
	}
	if (!fine || to->bytes.failed) {
		to->bytes.failed = false;
		to->batches.n = to->ends.n = 0;
		return PP_E_NOMEM;
	}
	return pp_rows_end(c, &rows, problem);
}

static bool
fetched_find(const struct pp_clickhouse_fetched *to, uint64_t batch, struct pp_slice *found)
{
	size_t i, begin = 0;

	for (i = 0; i < to->batches.n; i++) {
		if (to->batches.at[i] == batch) {
			*found = pp_slice_of(to->bytes.p + begin, to->ends.at[i] - begin);
			return true;
		}
		begin = to->ends.at[i];
	}
	return false;
}

/* Finds what was fetched, or fetches it and what will be asked for next; empty when it is not there. */
static pp_status
fetch(struct pp_clickhouse *c, const struct pp_store_entry *e, bool extracts,
      struct pp_slice *found, struct pp_buf *problem)
{
	struct pp_clickhouse_fetched *to = extracts ? &c->extracts : &c->inputs;
	struct pp_buf condition = { 0 };
	pp_status status;

	if (fetched_find(to, e->id, found))
		return PP_OK;
	status = fetch_choose(c, e->id, e->t0, extracts, &condition);
	if (status == PP_OK) {
		pp_clickhouse_put(c, extracts ? PP_SQL_EXTRACTS : PP_SQL_LOAD, condition.p);
		status = pp_clickhouse_ask(c, problem);
	}
	if (status == PP_OK)
		status = fetch_take(c, to, problem);
	pp_buf_release(&condition);
	*found = pp_slice_of("", 0);
	(void)(status == PP_OK && fetched_find(to, e->id, found));
	return status;
}

/* Whether bytes are those that were committed. */
static bool
is_whole(struct pp_slice found, uint64_t bytes, pp_u128 expected)
{
	struct pp_blake2b hash;
	uint8_t digest[PP_STORE_HASH];

	pp_digest_begin(&hash);
	pp_digest_part(&hash, found);
	pp_digest_end(&hash, digest);
	return found.n == bytes && pp_digest_number(digest) == expected;
}

void
pp_clickhouse_damaged(const struct pp_store_entry *e, const char *what, struct pp_buf *problem)
{
	pp_buf_adds(problem, "profile ");
	pp_store_name_put(e->hash, e->labels, problem);
	pp_buf_addf(problem, " is damaged: %s", what);
}

/* ---- inputs ---- */

pp_status
pp_clickhouse_parcel(struct pp_clickhouse *c, const struct pp_store_entry *e,
                     struct pp_slice *parcel, struct pp_buf *problem)
{
	const struct pp_clickhouse_listed *listed = pp_clickhouse_listed(c, e->id);
	pp_status status = fetch(c, e, false, parcel, problem);

	if (status == PP_OK && (!listed || !is_whole(*parcel, listed->bytes, listed->digest))) {
		pp_clickhouse_damaged(e, "its input ", problem);
		pp_buf_addf(problem, "has %llu bytes, of which %zu were found, or others",
		            (unsigned long long)e->bytes, parcel->n);
		status = PP_E_INVALID;
	}
	return status;
}

/* What there is of a profile without its input, where that will do: else *problem stays as it is, and so does the status. */
static pp_status
remains_load(struct pp_clickhouse *c, const struct pp_store_entry *e, struct pp_supply *supply)
{
	struct pp_buf why = { 0 };
	pp_status status = PP_E_INVALID;

	*supply = (struct pp_supply){ .path = e->source };
	if (c->store.partial)
		status = pp_clickhouse_load_rows(c, e, &supply->profile, &why);
	if (status == PP_OK)
		supply->profile->complete = false;
	pp_buf_release(&why);
	return status == PP_OK || status == PP_E_NOMEM ? status : PP_E_INVALID;
}

/* The profile of a sum in place of the bytes that it is in. */
static pp_status
sum_open(const struct pp_store_entry *e, struct pp_supply *supply)
{
	struct pp_supply of_sum = { .path = e->source };
	struct pp_own_facts facts;
	pp_status status = PP_E_INVALID;

	if (supply->n == 1)
		status = pp_stored_sum_read(
		    pp_slice_of(supply->files[0].data, supply->files[0].size), &facts,
		    &of_sum.profile);
	pp_parcel_drop(supply);
	*supply = of_sum;
	return status;
}

pp_status
pp_clickhouse_load(struct pp_store *store, const struct pp_store_entry *e, struct pp_supply *supply,
                   struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_slice parcel;
	pp_status status;

	if (c->from.schema != PP_SCHEMA_OWN)
		return pp_clickhouse_foreign_load(c, e, supply, problem);
	status = pp_clickhouse_parcel(c, e, &parcel, problem);
	if (status == PP_OK)
		status = pp_parcel_open(parcel, supply);
	if (status == PP_OK && e->level == PP_STORE_SUM)
		status = sum_open(e, supply);
	if (status == PP_E_INVALID && problem->n == 0)
		pp_clickhouse_damaged(e, "its input cannot be unpacked", problem);
	if (status == PP_E_INVALID) {
		status = remains_load(c, e, supply);
		problem->n = status == PP_OK ? 0 : problem->n;
	}
	return status;
}

/* ---- extracts ---- */

pp_status
pp_clickhouse_extract(struct pp_clickhouse *c, const struct pp_store_entry *e,
                      struct pp_supply *supply, struct pp_buf *problem)
{
	const struct pp_clickhouse_listed *listed = pp_clickhouse_listed(c, e->id);
	struct pp_slice kept;
	uint64_t size;
	pp_status status = fetch(c, e, true, &kept, problem);

	*supply = (struct pp_supply){ .path = e->source };
	if (status != PP_OK)
		return status;
	if (kept.n == 0)
		return PP_E_UNSUPPORTED;
	status = listed && is_whole(kept, listed->extract_bytes, listed->extract_digest)
	             ? pp_extract_open(kept, supply, &size)
	             : PP_E_INVALID;
	if (status == PP_E_INVALID)
		pp_clickhouse_damaged(e, "its extract has changed; --partial reads its input",
		                      problem);
	return status;
}

pp_status
pp_clickhouse_load_extract(struct pp_store *store, const struct pp_store_entry *e,
                           const struct pp_order *order, struct pp_supply *supply,
                           struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	pp_status status;

	c->by_extracts = pp_extract_tells(order);
	if (!e->has_extract || !c->by_extracts)
		return PP_E_UNSUPPORTED;
	status = pp_clickhouse_extract(c, e, supply, problem);
	if (status == PP_OK)
		status = pp_extract_settle(order, supply);
	if (status != PP_OK)
		pp_parcel_drop(supply);
	return status;
}
