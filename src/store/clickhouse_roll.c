/*
 * Old profiles in ClickHouse, added up by series and span of time.
 *
 * The sum is a profile like others whose row names the profiles that it stands for. That row is written last and alone, so whoever
 * asks sees either them or the sum. What it stands for counts no more from then on, but goes only an hour later: a
 * question that was asked before still finds it. Who adds up has a lease: else two could put one profile into two sums.
 */
#include "base/slice.h"
#include "store/clickhouse.h"
#include "store/hash.h"
#include "store/meta.h"
#include "store/parcel.h"
#include "store/rollup.h"
#include "store/spans.h"

/* ---- ids ---- */

void
pp_clickhouse_among_ids(struct pp_buf *sql, const pp_u128 *ids, size_t n)
{
	size_t i;

	pp_buf_adds(sql, "id IN (");
	for (i = 0; i < n; i++) {
		pp_buf_adds(sql, i ? "," : "");
		pp_sql_u128(sql, ids[i]);
	}
	pp_buf_adds(sql, ")");
}

/* Asks a question about some profiles. */
static pp_status
ids_ask(struct pp_clickhouse *c, enum pp_clickhouse_question question, const pp_u128 *ids, size_t n,
        struct pp_buf *problem)
{
	struct pp_buf condition = { 0 };
	pp_status status = PP_E_NOMEM;

	pp_clickhouse_among_ids(&condition, ids, n);
	if (!condition.failed) {
		pp_clickhouse_put(c, question, condition.p);
		status = pp_clickhouse_ask(c, problem);
	}
	pp_buf_release(&condition);
	return status;
}

/* Appends what some sums stand for. */
static pp_status
members_ask(struct pp_clickhouse *c, const pp_u128 *sums, size_t n, struct pp_clickhouse_ids *ids,
            struct pp_buf *problem)
{
	pp_status status = ids_ask(c, PP_SQL_MEMBERS, sums, n, problem);
	struct pp_row_reader rows;

	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows)) {
		uint64_t members;

		(void)pp_rows_u128(&rows);
		for (members = pp_rows_varint(&rows); members && !rows.bad; members--)
			if (!pp_vec_push(&ids->all, pp_rows_u128(&rows)))
				return PP_E_NOMEM;
	}
	return pp_rows_end(c, &rows, problem);
}

pp_status
pp_clickhouse_members(struct pp_clickhouse *c, const struct pp_store_list *list,
                      struct pp_clickhouse_ids *ids, struct pp_buf *problem)
{
	struct pp_clickhouse_ids sums = { 0 };
	pp_status status = PP_OK;
	size_t i, n;

	for (i = 0; i < list->entries.n && status == PP_OK; i++)
		if (list->entries.at[i].level == PP_STORE_ROLLED &&
		    !pp_vec_push(&sums.all, pp_digest_number(list->entries.at[i].hash)))
			status = PP_E_NOMEM;
	for (i = 0; i < sums.all.n && status == PP_OK; i += n) {
		n = sums.all.n - i < PP_CLICKHOUSE_IDS ? sums.all.n - i : PP_CLICKHOUSE_IDS;
		status = members_ask(c, sums.all.at + i, n, ids, problem);
	}
	pp_vec_release(&sums.all);
	return status;
}

static bool
is_listed(const struct pp_store_list *list, pp_u128 id)
{
	size_t i;

	for (i = 0; i < list->entries.n; i++)
		if (pp_digest_number(list->entries.at[i].hash) == id)
			return true;
	return false;
}

pp_status
pp_clickhouse_sums_differ(const struct pp_clickhouse *c, const struct pp_store_list *list,
                          struct pp_buf *problem)
{
	char hex[2][2 * PP_DIGEST + 1];
	size_t i, k;

	for (i = 1; i < c->members.n; i++) {
		const struct pp_clickhouse_member *two = &c->members.at[i - 1];
		uint8_t digest[PP_STORE_HASH];

		if (two[0].id != two[1].id || two[0].sum == two[1].sum ||
		    !is_listed(list, two[0].sum) || !is_listed(list, two[1].sum))
			continue;
		for (k = 0; k < 2; k++) {
			pp_digest_of_number(two[k].sum, digest);
			pp_digest_hex(digest, hex[k]);
		}
		pp_buf_addf(problem,
		            "the same profiles are in two sums, %s and %s: remove one of them, and "
		            "add what else was in it again",
		            hex[0], hex[1]);
		return PP_E_INVALID;
	}
	return PP_OK;
}

pp_status
pp_clickhouse_in_sums(struct pp_clickhouse *c, const struct pp_store_list *list, uint64_t *count,
                      struct pp_buf *problem)
{
	struct pp_clickhouse_ids ids = { 0 };
	struct pp_row_reader rows;
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < list->entries.n && status == PP_OK; i++)
		if (!pp_vec_push(&ids.all, pp_digest_number(list->entries.at[i].hash)))
			status = PP_E_NOMEM;
	if (status == PP_OK)
		status = ids_ask(c, PP_SQL_IN_SUMS, ids.all.at, ids.all.n, problem);
	pp_vec_release(&ids.all);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	*count = pp_rows_u64(&rows);
	return pp_rows_end(c, &rows, problem);
}

pp_status
pp_clickhouse_drop_covered(struct pp_clickhouse *c, struct pp_buf *problem)
{
	PP_VEC(struct pp_store_entry) covered = { 0 };
	struct pp_row_reader rows;
	pp_status status;
	size_t i, n;

	pp_clickhouse_put(c, PP_SQL_COVERED, "");
	status = pp_clickhouse_ask(c, problem);
	rows = pp_rows_of(c);
	while (status == PP_OK && pp_rows_more(&rows)) {
		struct pp_store_entry e = { 0 };

		pp_digest_of_number(pp_rows_u128(&rows), e.hash);
		e.id = pp_rows_u64(&rows);
		if (!pp_vec_push(&covered, e))
			status = PP_E_NOMEM;
	}
	if (status == PP_OK)
		status = pp_rows_end(c, &rows, problem);
	for (i = 0; i < covered.n && status == PP_OK; i += n) {
		n = covered.n - i < PP_CLICKHOUSE_IDS ? covered.n - i : PP_CLICKHOUSE_IDS;
		status = pp_clickhouse_delete(c, covered.at + i, n, false, problem);
	}
	pp_vec_release(&covered);
	return status;
}

/* ---- one sum ---- */

struct rolling {
	struct pp_clickhouse *c;
	struct pp_store_outcome *out;
	struct pp_clickhouse_lease lease;
	struct pp_buf *problem;
};

/* Adds what a part of the sum holds. PP_E_UNSUPPORTED: the sum would not tell all that it does. */
static pp_status
part_add(struct rolling *x, struct pp_rollup *r, const struct pp_store_entry *e)
{
	struct pp_own_facts facts;
	struct pp_pack_input input = { 0 };
	struct pp_supply supply = { 0 };
	struct pp_profile *profile = NULL;
	struct pp_slice parcel;
	const bool is_sum = e->level == PP_STORE_ROLLED;
	pp_status status = pp_clickhouse_parcel(x->c, e, &parcel, x->problem);

	if (status == PP_OK)
		status = pp_parcel_open(parcel, &supply);
	if (status == PP_OK && is_sum)
		status = supply.n ? pp_rollup_read(
		                        pp_slice_of(supply.files[0].data, supply.files[0].size),
		                        &facts, &profile)
		                  : PP_E_INVALID;
	else if (status == PP_OK)
		profile = pp_stored_read(&supply, e->source, e->format, &input, NULL);
	if (status == PP_OK)
		status = profile ? pp_rollup_add(r, profile, &input, is_sum ? &facts : NULL)
		                 : PP_E_UNSUPPORTED;
	pp_profile_free(profile);
	pp_parcel_drop(&supply);
	return status;
}

/* Who the parts are, and those that parts stand for. */
static pp_status
members_find(struct rolling *x, const struct pp_span_part *parts, size_t n,
             struct pp_clickhouse_ids *ids)
{
	struct pp_store_list sums = { 0 };
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < n && status == PP_OK; i++)
		if (!pp_vec_push(&ids->all, pp_digest_number(parts[i].entry->hash)) ||
		    (parts[i].entry->level == PP_STORE_ROLLED &&
		     !pp_vec_push(&sums.entries, *parts[i].entry)))
			status = PP_E_NOMEM;
	if (status == PP_OK)
		status = pp_clickhouse_members(x->c, &sums, ids, x->problem);
	pp_vec_release(&sums.entries);
	return status;
}

/* Whether all parts still count, so that the sum brings back nothing that was taken away. */
static pp_status
parts_check(struct rolling *x, const struct pp_span_part *parts, size_t n)
{
	struct pp_clickhouse_ids ids = { 0 };
	struct pp_row_reader rows;
	pp_status status = PP_OK;
	uint64_t still;
	size_t i;

	for (i = 0; i < n && status == PP_OK; i++)
		if (!pp_vec_push(&ids.all, pp_digest_number(parts[i].entry->hash)))
			status = PP_E_NOMEM;
	if (status == PP_OK)
		status = ids_ask(x->c, PP_SQL_STILL, ids.all.at, n, x->problem);
	pp_vec_release(&ids.all);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(x->c);
	still = pp_rows_u64(&rows);
	status = pp_rows_end(x->c, &rows, x->problem);
	return status == PP_OK && still != n ? PP_E_UNSUPPORTED : status;
}

/* Commits a sum whose bytes are there. */
static pp_status
sum_commit(struct rolling *x, const struct pp_span_part *parts, size_t n,
           const struct pp_profile *sum, const struct pp_buf *bytes)
{
	const struct pp_store_entry entry = pp_span_sum(parts, n);
	const struct pp_kept_file file = { "rollup", bytes->p, bytes->n };
	struct pp_buf parcel = { 0 }, meta = { 0 };
	struct pp_clickhouse_ids ids = { 0 };
	struct pp_store_item item = { .profile = sum,
		                      .format = entry.format,
		                      .complete = true,
		                      .labels = entry.labels,
		                      .t0 = entry.t0,
		                      .t1 = entry.t1,
		                      .source = entry.source,
		                      .stands_for = entry.profiles };
	enum pp_store_added added;
	pp_status status = members_find(x, parts, n, &ids);

	memcpy(item.hash, entry.hash, PP_STORE_HASH);
	if (status == PP_OK &&
	    (!pp_parcel_make(&file, 1, &parcel) || !pp_store_meta_make(sum, &meta, &item.stacks)))
		status = PP_E_NOMEM;
	item.parcel = pp_slice_of(parcel.p, parcel.n);
	item.meta = pp_slice_of(meta.p, meta.n);
	item.members = ids.all.at;
	item.member_count = ids.all.n;
	if (status == PP_OK)
		status = pp_clickhouse_lease_keep(&x->lease, x->problem);
	if (status == PP_OK)
		status = parts_check(x, parts, n);
	if (status == PP_OK)
		status = pp_clickhouse_add(&x->c->store, &item, 1, &added, x->problem);
	pp_vec_release(&ids.all);
	pp_buf_release(&parcel);
	pp_buf_release(&meta);
	return status;
}

/* One profile in place of several; where the sum would not tell all that they do, they stay as they are. */
static pp_status
parts_roll(struct rolling *x, const struct pp_span_part *parts, size_t n)
{
	struct pp_rollup r = { 0 };
	struct pp_own_facts facts;
	struct pp_profile *sum = NULL;
	struct pp_buf bytes = { 0 };
	pp_status status = pp_rollup_init(&r) ? PP_OK : PP_E_NOMEM;
	size_t i;

	for (i = 0; i < n && status == PP_OK; i++)
		status = part_add(x, &r, parts[i].entry);
	if (status == PP_OK)
		status = pp_rollup_write(&r, &bytes);
	pp_rollup_release(&r);
	/* What is committed is what was read back. */
	if (status == PP_OK)
		status = pp_rollup_read(pp_slice_of(bytes.p, bytes.n), &facts, &sum);
	if (status == PP_OK && !pp_pack_possible(sum, 0))
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK)
		status = sum_commit(x, parts, n, sum, &bytes);
	x->out->rolled += status == PP_OK ? n : 0;
	x->out->left -= status == PP_OK ? n - 1 : 0;
	pp_profile_free(sum);
	pp_buf_release(&bytes);
	return status == PP_E_UNSUPPORTED ? PP_OK : status;
}

/* ---- all of them ---- */

/* Chooses what is old and may be added up; inputs are then fetched in that order. */
static pp_status
parts_choose(struct rolling *x, const struct pp_store_list *list, const struct pp_store_upkeep *how,
             struct pp_span_parts *parts)
{
	size_t i;

	for (i = 0; i < list->entries.n; i++) {
		struct pp_span_part part = { .entry = &list->entries.at[i] };
		const struct pp_clickhouse_listed *listed = pp_clickhouse_listed(x->c,
		                                                                 part.entry->id);

		if (listed && listed->rolls && !part.entry->kept && part.entry->complete &&
		    pp_span_is_old(part.entry, how, &part.span) && !pp_vec_push(&parts->all, part))
			return PP_E_NOMEM;
	}
	pp_spans_sort(parts);
	x->c->queue.n = 0;
	for (i = 0; i < parts->all.n; i++)
		if (!pp_vec_push(&x->c->queue, parts->all.at[i].entry->id))
			return PP_E_NOMEM;
	return PP_OK;
}

pp_status
pp_clickhouse_roll(struct pp_clickhouse *c, const struct pp_store_upkeep *how,
                   struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct rolling x = { .c = c, .out = out, .problem = problem };
	struct pp_span_parts parts = { 0 };
	struct pp_store_list list = { 0 };
	pp_status status = pp_clickhouse_lease_take(&x.lease, c, problem);
	size_t i, n;

	if (status == PP_OK)
		status = c->store.engine->list(&c->store, how->selection, &list, problem);
	if (status == PP_OK)
		status = parts_choose(&x, &list, how, &parts);
	for (i = 0; i < parts.all.n && status == PP_OK; i += n) {
		n = pp_span_length(&parts, i);
		if (n > 1)
			status = parts_roll(&x, parts.all.at + i, n);
	}
	pp_clickhouse_lease_end(&x.lease);
	pp_vec_release(&parts.all);
	pp_store_list_release(&list);
	return status == PP_E_IO ? PP_E_OUTPUT : status;
}
