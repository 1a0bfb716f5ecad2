/*
 * Looking after a store in ClickHouse: what was promised against what is there, taking profiles away, sweeping up what
 * attempts left behind.
 */
#include <stdio.h>

#include "base/slice.h"
#include "store/clickhouse.h"
#include "store/hash.h"
#include "store/parcel.h"

/* ---- the audit ---- */

/* What one row of PP_SQL_AUDIT tells. */
enum { PROMISED_ROWS, PROMISED_TOTAL, FOUND, PROMISED_PARTS, FOUND_PARTS };

struct metric_sum {
	struct pp_slice name;
	pp_i128 promised, found;
};

struct sums {
	uint64_t promised, found, parts, found_parts;
	PP_VEC(struct metric_sum) metrics;
};

/* The sums of a metric, made when absent; NULL when out of memory. */
static struct metric_sum *
sum_of(struct sums *s, struct pp_slice name)
{
	size_t i;

	for (i = 0; i < s->metrics.n; i++)
		if (pp_slice_eq(s->metrics.at[i].name, name))
			return &s->metrics.at[i];
	return pp_vec_push(&s->metrics, (struct metric_sum){ .name = name })
	           ? &s->metrics.at[s->metrics.n - 1]
	           : NULL;
}

static bool
sums_take(struct sums *s, struct pp_row_reader *rows)
{
	unsigned kind = pp_rows_u8(rows);
	struct pp_slice name = pp_rows_text(rows);
	uint64_t n = pp_rows_u64(rows);
	pp_i128 total = (pp_i128)pp_rows_u128(rows);
	struct metric_sum *sum = NULL;

	if (kind == PROMISED_TOTAL || kind == FOUND) {
		sum = sum_of(s, name);
		if (!sum)
			return false;
	}
	if (kind == PROMISED_ROWS)
		s->promised = n;
	else if (kind == PROMISED_TOTAL)
		sum->promised = total;
	else if (kind == PROMISED_PARTS)
		s->parts = n;
	else if (kind == FOUND_PARTS)
		s->found_parts = n;
	if (kind == FOUND) {
		sum->found = total;
		s->found += n;
	}
	return true;
}

/* Says what is missing; PP_OK when nothing is. */
static pp_status
sums_compare(const struct sums *s, struct pp_buf *problem)
{
	size_t i;

	if (s->found != s->promised || s->found_parts != s->parts) {
		pp_buf_addf(
		    problem,
		    "the store does not hold what was promised: %llu rows of samples, of which %llu were "
		    "found, and %llu pieces of inputs, of which %llu were found",
		    (unsigned long long)s->promised, (unsigned long long)s->found,
		    (unsigned long long)s->parts, (unsigned long long)s->found_parts);
		return PP_E_INVALID;
	}
	for (i = 0; i < s->metrics.n; i++)
		if (s->metrics.at[i].promised != s->metrics.at[i].found) {
			pp_buf_addf(
			    problem,
			    "the store does not hold what was promised: the sum of %.*s is another one",
			    PP_SHOWN(s->metrics.at[i].name));
			return PP_E_INVALID;
		}
	return PP_OK;
}

pp_status
pp_clickhouse_audit(struct pp_store *store, const struct pp_store_list *list, uint64_t *promised,
                    uint64_t *found, struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_buf condition = { 0 };
	struct pp_row_reader rows;
	struct sums sums = { 0 };
	pp_status status;
	bool fine = true;

	*promised = *found = 0;
	if (list->entries.n == 0 || c->from.schema != PP_SCHEMA_OWN)
		return PP_OK;
	status = PP_E_NOMEM;
	pp_clickhouse_among(&condition, list);
	if (!condition.failed) {
		pp_clickhouse_put(c, PP_SQL_AUDIT, condition.p);
		status = pp_clickhouse_ask(c, problem);
	}
	pp_buf_release(&condition);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows) && fine)
		fine = sums_take(&sums, &rows);
	status = fine ? pp_rows_end(c, &rows, problem) : PP_E_NOMEM;
	if (status == PP_OK)
		status = sums_compare(&sums, problem);
	*promised = sums.promised;
	*found = sums.found;
	pp_vec_release(&sums.metrics);
	return status;
}

/* ---- taking away ---- */

/* Ids that one statement names at most. */
#define IDS_AT_ONCE 20000

/* Profiles that sums stand for. */
struct member_ids {
	PP_VEC(pp_u128) all;
};

/* Runs what c->sql holds on each host. A server has its own part of the tables, so none may be missing. */
static pp_status
everywhere(struct pp_clickhouse *c, struct pp_buf *problem)
{
	char *sql = c->sql.failed ? NULL : strndup(c->sql.p, c->sql.n);
	pp_status status = sql ? PP_OK : PP_E_NOMEM;
	size_t host;

	for (host = 0; host < c->http_count && status == PP_OK; host++) {
		c->sql.n = 0;
		pp_buf_adds(&c->sql, sql);
		status = pp_clickhouse_ask_host(c, host, problem);
	}
	free(sql);
	return status == PP_E_IO ? PP_E_OUTPUT : status;
}

pp_status
pp_clickhouse_hosts_check(struct pp_clickhouse *c, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;
	uint64_t n;

	if (!c->from.cluster)
		return PP_OK;
	pp_buf_adds(&c->sql, "SELECT count() FROM system.clusters WHERE cluster = ");
	pp_sql_text(&c->sql, pp_slice_z(c->from.cluster));
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	n = pp_rows_u64(&rows);
	status = pp_rows_end(c, &rows, problem);
	if (status == PP_OK && n != c->http_count) {
		pp_buf_addf(
		    problem,
		    "the cluster %s has %llu servers, of which %zu are named: name all of them, as each "
		    "has to be told",
		    c->from.cluster, (unsigned long long)n, c->http_count);
		status = PP_E_USAGE;
	}
	return status;
}

/* Rows of profiles go first: from then on the rest counts for nothing. */
pp_status
pp_clickhouse_delete(struct pp_clickhouse *c, const struct pp_store_entry *entries, size_t n,
                     bool every_attempt, struct pp_buf *problem)
{
	static const char *const tables[] = { "profiles", "samples", "edges", "lines", "blobs" };
	pp_status status = PP_OK;
	size_t t, i;

	for (t = 0; t < PP_COUNT_OF(tables) && status == PP_OK && n; t++) {
		const bool by_id = t == 0 && every_attempt;

		pp_buf_addf(&c->sql, "ALTER TABLE %s DELETE WHERE %s IN (", tables[t],
		            by_id ? "id" : "batch");
		for (i = 0; i < n; i++) {
			pp_buf_adds(&c->sql, i ? "," : "");
			if (by_id)
				pp_sql_u128(&c->sql, pp_digest_number(entries[i].hash));
			else
				pp_buf_addf(&c->sql, "%llu", (unsigned long long)entries[i].id);
		}
		pp_buf_adds(&c->sql, ") SETTINGS mutations_sync = 2");
		status = everywhere(c, problem);
	}
	return status;
}

/* Asks for the ids that a sum stands for, and appends them. */
static pp_status
members_ask(struct pp_clickhouse *c, const struct pp_store_entry *sum, struct member_ids *ids,
            struct pp_buf *problem)
{
	struct pp_buf condition = { 0 };
	struct pp_row_reader rows;
	pp_status status = PP_E_NOMEM;

	pp_buf_adds(&condition, "id = ");
	pp_sql_u128(&condition, pp_digest_number(sum->hash));
	if (!condition.failed) {
		pp_clickhouse_put(c, PP_SQL_MEMBERS, condition.p);
		status = pp_clickhouse_ask(c, problem);
	}
	pp_buf_release(&condition);
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

/* Removes the rows that sums of a list stand for, before the sums: otherwise they would count again. */
static pp_status
members_delete(struct pp_clickhouse *c, const struct pp_store_list *list, struct pp_buf *problem)
{
	struct member_ids ids = { 0 };
	pp_status status = PP_OK;
	size_t i, k, n;

	for (i = 0; i < list->entries.n && status == PP_OK; i++)
		if (list->entries.at[i].level == PP_STORE_SUM)
			status = members_ask(c, &list->entries.at[i], &ids, problem);
	for (i = 0; i < ids.all.n && status == PP_OK; i += n) {
		n = ids.all.n - i < IDS_AT_ONCE ? ids.all.n - i : IDS_AT_ONCE;
		pp_buf_adds(&c->sql, "ALTER TABLE profiles DELETE WHERE id IN (");
		for (k = 0; k < n; k++) {
			pp_buf_adds(&c->sql, k ? "," : "");
			pp_sql_u128(&c->sql, ids.all.at[i + k]);
		}
		pp_buf_adds(&c->sql, ") SETTINGS mutations_sync = 2");
		status = everywhere(c, problem);
	}
	pp_vec_release(&ids.all);
	return status;
}

/* Removes the rows that sums stand for: polyprof 0.1 left them to the next compact or gc. */
static pp_status
covered_delete(struct pp_clickhouse *c, struct pp_buf *problem)
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
		n = covered.n - i < IDS_AT_ONCE ? covered.n - i : IDS_AT_ONCE;
		status = pp_clickhouse_delete(c, covered.at + i, n, false, problem);
	}
	pp_vec_release(&covered);
	return status;
}

pp_status
pp_clickhouse_remove(struct pp_store *store, const struct pp_store_list *list,
                     struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	pp_status status = pp_clickhouse_hosts_check(c, problem);

	if (status == PP_OK)
		status = members_delete(c, list, problem);
	if (status == PP_OK)
		status = pp_clickhouse_delete(c, list->entries.at, list->entries.n, true, problem);
	return status;
}

/* Parts of tables are merged by the servers in their own time; here at once, which leaves each row once. */
pp_status
pp_clickhouse_compact(struct pp_store *store, const struct pp_store_upkeep *upkeep,
                      struct pp_store_outcome *out, struct pp_buf *problem)
{
	static const char *const tables[] = { "profiles", "samples", "stacks",
		                              "edges",    "lines",   "blobs" };
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_store_list all = { 0 };
	pp_status status = PP_OK;
	size_t i;

	status = pp_clickhouse_hosts_check(c, problem);
	if (status == PP_OK)
		status = store->engine->list(store, NULL, &all, problem);
	out->left = all.entries.n;
	out->bytes_before = pp_clickhouse_size(store);
	if (status == PP_OK && !upkeep->dry)
		status = covered_delete(c, problem);
	for (i = 0; i < PP_COUNT_OF(tables) && status == PP_OK && !upkeep->dry; i++) {
		pp_buf_addf(&c->sql, "OPTIMIZE TABLE %s FINAL", tables[i]);
		status = everywhere(c, problem);
	}
	out->bytes_after = pp_clickhouse_size(store);
	pp_store_list_release(&all);
	return status;
}

pp_status
pp_clickhouse_gc(struct pp_store *store, const struct pp_store_upkeep *upkeep,
                 struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_store_list all = { 0 }, old = { 0 };
	pp_status status = pp_clickhouse_hosts_check(c, problem);
	size_t i;

	if (status == PP_OK)
		status = store->engine->list(store, upkeep->selection, &all, problem);
	out->bytes_before = pp_clickhouse_size(store);
	for (i = 0; i < all.entries.n && status == PP_OK; i++)
		if (upkeep->has_keep && all.entries.at[i].t1 < upkeep->keep_from &&
		    !pp_vec_push(&old.entries, all.entries.at[i]))
			status = PP_E_NOMEM;
	out->removed = old.entries.n;
	out->left = all.entries.n - old.entries.n;
	if (status == PP_OK && !upkeep->dry)
		status = pp_clickhouse_remove(store, &old, problem);
	if (status == PP_OK && !upkeep->dry)
		status = covered_delete(c, problem);
	for (i = 0; status == PP_OK && !upkeep->dry && pp_clickhouse_sweep(i, &c->sql); i++)
		status = everywhere(c, problem);
	out->bytes_after = pp_clickhouse_size(store);
	pp_vec_release(&old.entries);
	pp_store_list_release(&all);
	return status;
}

/* ---- checking ---- */

PP_PRINTF(2, 3)
static bool
problem_add(struct pp_store_outcome *out, const char *fmt, ...)
{
	struct pp_buf text = { 0 };
	va_list args;
	bool fine;

	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	fine = !text.failed && pp_vec_push(&out->problems, text.p);
	if (!fine)
		pp_buf_release(&text);
	return fine;
}

/* Appends what a batch is called: the profile's id and labels, if it is listed. */
static void
batch_name(const struct pp_store_list *list, uint64_t batch, struct pp_buf *out)
{
	size_t i;

	for (i = 0; i < list->entries.n && list->entries.at[i].id != batch; i++)
		;
	if (i == list->entries.n) {
		pp_buf_adds(out, "a profile that does not count");
		return;
	}
	pp_buf_adds(out, "profile ");
	pp_store_name_put(list->entries.at[i].hash, list->entries.at[i].labels, out);
}

/* Profiles of which rows are missing. */
static pp_status
check_rows(struct pp_clickhouse *c, const struct pp_store_list *list, struct pp_store_outcome *out,
           struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;

	pp_clickhouse_put(c, PP_SQL_CHECK_ROWS, "1");
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows)) {
		uint64_t batch = pp_rows_u64(&rows), promised = pp_rows_u64(&rows),
		         found = pp_rows_u64(&rows);

		struct pp_buf name = { 0 };
		bool fine;

		batch_name(list, batch, &name);
		fine = !name.failed &&
		       problem_add(out, "%s: %llu rows were promised, %llu are there (batch %llu)",
		                   name.p ? name.p : "", (unsigned long long)promised,
		                   (unsigned long long)found, (unsigned long long)batch);
		pp_buf_release(&name);
		if (!fine)
			return PP_E_NOMEM;
	}
	return pp_rows_end(c, &rows, problem);
}

/* A question whose answer should be 0. */
static pp_status
check_count(struct pp_clickhouse *c, enum pp_clickhouse_question question, const char *what,
            struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;
	uint64_t n;

	pp_clickhouse_put(c, question, "1");
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	n = pp_rows_u64(&rows);
	status = pp_rows_end(c, &rows, problem);
	if (status == PP_OK && n && !problem_add(out, "%llu %s", (unsigned long long)n, what))
		status = PP_E_NOMEM;
	return status;
}

/* Reads an extract as questions do. */
static pp_status
check_extract(struct pp_clickhouse *c, const struct pp_store_entry *e, struct pp_buf *why)
{
	struct pp_supply supply = { 0 };
	pp_status status = pp_clickhouse_extract(c, e, &supply, why);

	pp_parcel_drop(&supply);
	if (status == PP_E_UNSUPPORTED) {
		pp_clickhouse_damaged(e, "its extract is not there", why);
		status = PP_E_INVALID;
	}
	return status;
}

/* Reads every input, and extract, and compares it with what was committed. */
static pp_status
check_inputs(struct pp_clickhouse *c, const struct pp_store_list *list,
             struct pp_store_outcome *out, struct pp_buf *problem)
{
	pp_status status = PP_OK;
	struct pp_slice parcel;
	size_t i;

	for (i = 0; i < list->entries.n && status == PP_OK; i++) {
		struct pp_buf why = { 0 };

		status = pp_clickhouse_parcel(c, &list->entries.at[i], &parcel, &why);
		if (status == PP_OK && list->entries.at[i].has_extract)
			status = check_extract(c, &list->entries.at[i], &why);
		out->checked++;
		pp_store_outcome_count(out, &list->entries.at[i]);
		if (status == PP_E_INVALID) {
			status = problem_add(out, "%s", why.p ? why.p : "") ? PP_OK : PP_E_NOMEM;
			why.n = 0;
		}
		pp_buf_add(problem, why.p, why.n);
		pp_buf_release(&why);
	}
	return status;
}

/* The audit of a list as one of the problems. */
static pp_status
check_audit(struct pp_store *store, const struct pp_store_list *list, struct pp_store_outcome *out,
            struct pp_buf *problem)
{
	struct pp_buf audit = { 0 };
	uint64_t promised, found;
	pp_status status = pp_clickhouse_audit(store, list, &promised, &found, &audit);

	if (status == PP_E_INVALID)
		status = problem_add(out, "%s", audit.p ? audit.p : "") ? PP_OK : PP_E_NOMEM;
	else
		pp_buf_add(problem, audit.p, audit.n);
	pp_buf_release(&audit);
	return status;
}

static pp_status
check_once(struct pp_store *store, const struct pp_store_list *list, struct pp_store_outcome *out,
           struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	pp_status status = check_audit(store, list, out, problem);

	if (status == PP_OK)
		status = check_rows(c, list, out, problem);
	if (status == PP_OK)
		status = check_count(c, PP_SQL_CHECK_STACKS, "stacks of samples are not there", out,
		                     problem);
	if (status == PP_OK)
		status = check_count(
		    c, PP_SQL_CHECK_HASHES,
		    "pairs of stacks have the same short hash: answers about them are slower", out,
		    problem);
	if (status == PP_OK)
		status = check_count(c, PP_SQL_CHECK_SUMS, "profiles are in more than one sum", out,
		                     problem);
	return status == PP_OK ? check_inputs(c, list, out, problem) : status;
}

/*
 * Servers go on taking profiles away when whoever told them to is gone. What is missing of such profiles is no problem: where
 * others are listed than before, these are checked instead.
 */
pp_status
pp_clickhouse_check(struct pp_store *store, struct pp_store_outcome *out, struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_store_list list = { 0 };
	bool changed = true;
	pp_status status;
	unsigned tries;

	if (c->from.schema != PP_SCHEMA_OWN)
		return pp_clickhouse_foreign_refuse(c, problem);
	status = store->engine->list(store, NULL, &list, problem);
	for (tries = 0; tries < PP_STORE_AUDITS && status == PP_OK && changed; tries++) {
		struct pp_store_list now_there = { 0 };

		pp_store_outcome_release(out);
		*out = (struct pp_store_outcome){ 0 };
		status = check_once(store, &list, out, problem);
		if (status != PP_OK || out->problems.n == 0)
			break;
		status = store->engine->list(store, NULL, &now_there, problem);
		changed = status == PP_OK && !pp_store_lists_equal(&list, &now_there);
		pp_store_list_release(&list);
		list = now_there;
	}
	pp_store_list_release(&list);
	return status;
}

uint64_t
pp_clickhouse_size(struct pp_store *store)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_buf problem = { 0 };
	uint64_t bytes = 0;
	size_t host;

	for (host = 0; host < c->http_count; host++) {
		struct pp_row_reader rows;

		pp_clickhouse_put(c, PP_SQL_SIZE, "");
		if (pp_clickhouse_ask_host(c, host, &problem) != PP_OK)
			continue;
		rows = pp_rows_of(c);
		bytes += pp_rows_u64(&rows);
	}
	pp_buf_release(&problem);
	return bytes;
}
