/*
 * Stores in ClickHouse: any number of hosts write into and ask a cluster of servers, over HTTP.
 *
 * A profile counts once its row in `profiles` is there, which is written last. Each attempt at writing one has a number
 * of its own (`batch`), so what an attempt left behind that never ended is never seen, and two that both ended count
 * once. What is promised in `profiles` is compared with what is found whenever a question is asked: rows that went missing
 * behind our back are an error, never a smaller number.
 */
#include <stdio.h>

#include "base/slice.h"
#include "base/sort.h"
#include "store/clickhouse.h"
#include "store/hash.h"
#include "store/label_set.h"
#include "store/where.h"

#define OLDEST_YEAR 23
#define OLDEST_MONTH 8

static bool
clickhouse_mine(const char *source)
{
	return strncmp(source, "clickhouse://", 13) == 0;
}

/* ---- opening ---- */

/* Whether a version is known to have what is used: 23.8 and later. */
static pp_status
version_check(struct pp_clickhouse *c, size_t host, struct pp_buf *problem)
{
	struct pp_row_reader rows = pp_rows_of(c);
	struct pp_slice version = pp_rows_text(&rows);
	pp_status status = pp_rows_end(c, &rows, problem);
	char text[32], *dot;
	unsigned long year, month;

	if (status != PP_OK)
		return status;
	(void)snprintf(text, sizeof text, "%.*s", PP_CLIP(version, sizeof text - 1));
	year = strtoul(text, &dot, 10);
	month = *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
	if (year > OLDEST_YEAR || (year == OLDEST_YEAR && month >= OLDEST_MONTH))
		return PP_OK;
	pp_buf_addf(problem, "ClickHouse at %s:%s is version '%.*s': %d.%d or later is needed",
	            c->http[host].host, c->http[host].port, PP_SHOWN(version), OLDEST_YEAR,
	            OLDEST_MONTH);
	return PP_E_UNSUPPORTED;
}

static pp_status
host_check(struct pp_clickhouse *c, size_t host, struct pp_buf *problem)
{
	pp_status status;

	c->bare = true;
	pp_clickhouse_put(c, PP_SQL_VERSION, "");
	status = pp_clickhouse_ask_host(c, host, problem);
	c->bare = false;
	c->host = host;
	return status == PP_OK ? version_check(c, host, problem) : status;
}

/* Chooses the first host that answers. */
static pp_status
host_choose(struct pp_clickhouse *c, struct pp_buf *problem)
{
	pp_status status = PP_E_IO;
	size_t i;

	for (i = 0; i < c->http_count && status == PP_E_IO; i++) {
		if (i)
			pp_buf_adds(problem, "; ");
		status = host_check(c, i, problem);
	}
	if (status == PP_OK)
		problem->n = 0;
	return status;
}

/* Of which version the tables are: 0 = there are none. PP_E_INVALID: they are not polyprof's. */
static pp_status
tables_version(struct pp_clickhouse *c, long *version, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	struct pp_slice comment, name;
	pp_status status;
	char *end, text[16];

	pp_clickhouse_put(c, PP_SQL_COMMENT, "");
	status = pp_clickhouse_ask_host(c, c->host, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	comment = pp_rows_text(&rows);
	name = pp_rows_text(&rows);
	status = pp_rows_end(c, &rows, problem);
	*version = 0;
	if (status != PP_OK || name.n == 0)
		return status;
	if (!pp_slice_take(&comment, PP_CLICKHOUSE_COMMENT)) {
		pp_buf_addf(problem, "the table profiles of the database %s is not polyprof's",
		            c->from.database);
		return PP_E_INVALID;
	}
	(void)snprintf(text, sizeof text, "%.*s", PP_CLIP(comment, sizeof text - 1));
	*version = strtol(text, &end, 10);
	if (*version < 1 || *version > PP_CLICKHOUSE_VERSION || *end) {
		pp_buf_addf(problem,
		            "the store is of version '%s', which this polyprof does not know",
		            text);
		return PP_E_INVALID;
	}
	return PP_OK;
}

/* Whether the tables are there, and as they have to be; what is only read may lack what is new. */
static pp_status
tables_check(struct pp_clickhouse *c, enum pp_store_mode mode, struct pp_buf *problem)
{
	long version = 0;
	pp_status status = tables_version(c, &version, problem);

	c->has_extracts = version >= PP_CLICKHOUSE_EXTRACTS;
	if (status != PP_OK || version == PP_CLICKHOUSE_VERSION ||
	    (mode == PP_STORE_READ && version >= PP_CLICKHOUSE_READABLE))
		return status;
	if (version == 0)
		pp_buf_addf(problem,
		            "there is no store in the database %s: `polyprof store init` makes one",
		            c->from.database);
	else
		pp_buf_addf(problem,
		            "the store is of version %ld: `polyprof store init` brings it up to "
		            "date and leaves what it holds as it is",
		            version);
	return PP_E_INVALID;
}

/* Makes the tables on each host that was named, or brings them up to date. */
static pp_status
tables_make(struct pp_clickhouse *c, struct pp_buf *problem)
{
	size_t host, i, n = pp_clickhouse_ddl_count(&c->from);
	pp_status status = PP_OK;
	long version;

	for (host = 0; host < c->http_count && status == PP_OK; host++) {
		status = host_check(c, host, problem);
		c->bare = true;
		if (status == PP_OK)
			status = tables_version(c, &version, problem);
		c->bare = false;
	}
	for (host = 0; host < c->http_count && status == PP_OK; host++)
		for (i = 0; i < n && status == PP_OK; i++) {
			c->bare = true;
			pp_clickhouse_ddl(&c->from, i, &c->sql);
			status = pp_clickhouse_ask_host(c, host, problem);
			c->bare = false;
		}
	c->host = 0;
	if (status == PP_E_IO)
		status = PP_E_OUTPUT;
	return status;
}

static void
clickhouse_close(struct pp_store *store)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);

	pp_clickhouse_disconnect(c);
	pp_clickhouse_source_release(&c->from);
	pp_vec_release(&c->listed);
	pp_vec_release(&c->queue);
	pp_clickhouse_fetched_release(&c->inputs);
	pp_clickhouse_fetched_release(&c->extracts);
	pp_known_release(&c->met);
	pp_clickhouse_costs_free(c->costs);
	free(c->store.source);
	free(c);
}

static pp_status
clickhouse_open(const char *source, enum pp_store_mode mode, struct pp_store **out,
                struct pp_buf *problem)
{
	struct pp_clickhouse *c = calloc(1, sizeof *c);
	pp_status status = PP_E_NOMEM;

	*out = NULL;
	if (!c)
		return PP_E_NOMEM;
	c->store.engine = &pp_store_clickhouse;
	c->store.source = strdup(source);
	if (c->store.source)
		status = pp_clickhouse_source_parse(source, &c->from, problem);
	if (status == PP_OK && mode != PP_STORE_READ && c->from.schema != PP_SCHEMA_OWN)
		status = pp_clickhouse_foreign_refuse(c, problem);
	if (status == PP_OK)
		status = pp_clickhouse_connect(c, problem);
	if (status == PP_OK && mode == PP_STORE_CREATE)
		status = tables_make(c, problem);
	else if (status == PP_OK)
		status = host_choose(c, problem);
	if (status == PP_OK && c->from.schema == PP_SCHEMA_OWN)
		status = tables_check(c, mode, problem);
	if (status == PP_OK)
		*out = &c->store;
	else
		clickhouse_close(&c->store);
	return status;
}

/* ---- what is there ---- */

static pp_status
clickhouse_has(struct pp_store *store, const uint8_t hash[PP_STORE_HASH], bool *known,
               struct pp_buf *problem)
{
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_buf condition = { 0 };
	pp_status status;

	pp_buf_adds(&condition, "id = ");
	pp_sql_u128(&condition, pp_digest_number(hash));
	if (condition.failed)
		return PP_E_NOMEM;
	pp_clickhouse_put(c, PP_SQL_KNOWN, condition.p);
	pp_buf_release(&condition);
	status = pp_clickhouse_ask(c, problem);
	*known = status == PP_OK && c->answer.body.n > 0;
	return status;
}

void
pp_sql_time(struct pp_buf *sql, int64_t ns)
{
	pp_buf_addf(sql, "fromUnixTimestamp64Nano(toInt64(%lld),'UTC')", (long long)ns);
}

/*
 * Profiles whose span meets the window, as pp_window_meets() says, and those that end when it begins: a sum is not in the window then,
 * but what was but a moment of it would be.
 */
static void
window_put(struct pp_buf *sql, const struct pp_selection *s)
{
	pp_buf_adds(sql, "1");
	if (s->has_until) {
		pp_buf_adds(sql, " AND t0 < ");
		pp_sql_time(sql, s->until);
	}
	if (s->has_since) {
		pp_buf_adds(sql, " AND (t1 >= ");
		pp_sql_time(sql, s->since);
		pp_buf_adds(sql, " OR t0 >= ");
		pp_sql_time(sql, s->since);
		pp_buf_adds(sql, ")");
	}
}

/* Whether profiles with these labels may fit. */
static bool
labels_may_fit(const struct pp_selection *s, struct pp_slice labels)
{
	struct pp_label_set set = { 0 };
	bool may = true;
	size_t i;

	if (pp_label_set_read(&set, labels) == PP_OK)
		for (i = 0; i < s->where_count && may; i++)
			may = pp_where_match_labels(s->where[i], &set, NULL) != PP_WHERE_NO;
	pp_label_set_release(&set);
	return may;
}

/* Appends which labels may fit, where that leaves out some. */
static pp_status
series_put(struct pp_clickhouse *c, const struct pp_selection *s, struct pp_buf *condition,
           struct pp_buf *problem)
{
	struct pp_row_reader rows;
	struct pp_buf fits = { 0 };
	bool any_left_out = false;
	pp_status status;

	pp_clickhouse_put(c, PP_SQL_SERIES, condition->p);
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows)) {
		uint64_t series = pp_rows_u64(&rows);
		struct pp_slice labels = pp_rows_text(&rows);

		if (labels_may_fit(s, labels))
			pp_buf_addf(&fits, ",%llu", (unsigned long long)series);
		else
			any_left_out = true;
	}
	status = pp_rows_end(c, &rows, problem);
	if (status == PP_OK && any_left_out)
		pp_buf_addf(condition, " AND series IN (%s)", fits.n ? fits.p + 1 : "NULL");
	if (fits.failed || condition->failed)
		status = PP_E_NOMEM;
	pp_buf_release(&fits);
	return status;
}

static const char *
text_keep(struct pp_store_list *list, struct pp_slice text)
{
	return pp_store_list_text(list, (const char *)text.p, text.n);
}

/* Takes one row of PP_SQL_LIST; false when out of memory. */
static bool
entry_take(struct pp_clickhouse *c, struct pp_row_reader *rows, const struct pp_selection *s,
           struct pp_store_list *list)
{
	struct pp_store_entry e = { 0 };
	struct pp_clickhouse_listed listed;

	pp_digest_of_number(pp_rows_u128(rows), e.hash);
	e.id = pp_rows_u64(rows);
	e.series = pp_rows_u64(rows);
	e.labels = text_keep(list, pp_rows_text(rows));
	e.t0 = (int64_t)pp_rows_u64(rows);
	e.t1 = (int64_t)pp_rows_u64(rows);
	e.format = text_keep(list, pp_rows_text(rows));
	e.source = text_keep(list, pp_rows_text(rows));
	e.complete = pp_rows_u8(rows) != 0;
	e.kept = pp_rows_u8(rows) != 0;
	e.bytes = pp_rows_u64(rows);
	e.stacks = pp_rows_u64(rows);
	e.meta = text_keep(list, pp_rows_text(rows));
	listed = (struct pp_clickhouse_listed){ .batch = e.id,
		                                .bytes = e.bytes,
		                                .stacks = e.stacks,
		                                .t0 = e.t0,
		                                .digest = pp_rows_u128(rows) };
	e.profiles = pp_rows_u64(rows);
	e.level = pp_rows_u8(rows) ? PP_STORE_SUM : PP_STORE_FRESH;
	listed.extract_bytes = pp_rows_u64(rows);
	listed.extract_digest = pp_rows_u128(rows);
	e.has_extract = listed.extract_bytes > 0;
	if (!e.labels || !e.format || !e.source || !e.meta)
		return false;
	if (rows->bad || (s && !pp_selection_fits(s, &e)))
		return true;
	return pp_vec_push(&list->entries, e) && pp_vec_push(&c->listed, listed);
}

static int
entry_order(const void *a, const void *b, void *ctx)
{
	const struct pp_store_entry *x = a, *y = b;

	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return memcmp(x->hash, y->hash, PP_STORE_HASH);
}

static int
listed_order(const void *a, const void *b, void *ctx)
{
	const struct pp_clickhouse_listed *x = a, *y = b;

	return (x->batch > y->batch) - (x->batch < y->batch);
}

static int
number_order(const void *a, const void *b, void *ctx)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Puts the list in order, counts its label sets, and remembers what may be loaded next. False when out of memory. */
static bool
list_settle(struct pp_clickhouse *c, struct pp_store_list *list)
{
	PP_VEC(uint64_t) series = { 0 };
	bool fine = true;
	size_t i;

	pp_sort(list->entries.at, list->entries.n, sizeof *list->entries.at, entry_order, NULL);
	pp_sort(c->listed.at, c->listed.n, sizeof *c->listed.at, listed_order, NULL);
	c->queue.n = 0;
	for (i = 0; i < list->entries.n && fine; i++)
		fine = pp_vec_push(&c->queue, list->entries.at[i].id) &&
		       pp_vec_push(&series, list->entries.at[i].series);
	pp_sort(series.at, series.n, sizeof *series.at, number_order, NULL);
	for (i = 0; i < series.n; i++)
		list->series += i == 0 || series.at[i] != series.at[i - 1];
	pp_vec_release(&series);
	return fine;
}

static pp_status
clickhouse_list(struct pp_store *store, const struct pp_selection *s, struct pp_store_list *out,
                struct pp_buf *problem)
{
	static const struct pp_selection all = { 0 };
	struct pp_clickhouse *c = pp_clickhouse_of(store);
	struct pp_buf condition = { 0 };
	struct pp_row_reader rows;
	pp_status status = PP_OK;

	c->listed.n = 0;
	c->by_extracts = false;
	pp_clickhouse_costs_free(c->costs);
	c->costs = NULL;
	if (c->from.schema != PP_SCHEMA_OWN) {
		status = pp_clickhouse_foreign_list(c, s, out, problem);
		return status == PP_OK && !list_settle(c, out) ? PP_E_NOMEM : status;
	}
	window_put(&condition, s ? s : &all);
	if (s && s->where_count)
		status = series_put(c, s, &condition, problem);
	if (condition.failed)
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		pp_clickhouse_put(c, PP_SQL_LIST, condition.p);
		status = pp_clickhouse_ask(c, problem);
	}
	pp_buf_release(&condition);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows))
		if (!entry_take(c, &rows, s, out))
			return PP_E_NOMEM;
	status = pp_rows_end(c, &rows, problem);
	return status == PP_OK && !list_settle(c, out) ? PP_E_NOMEM : status;
}

/* Begins the condition: profiles that began between these. */
static void
among_begin(struct pp_buf *sql, int64_t first, int64_t last)
{
	pp_buf_adds(sql, "t0 BETWEEN ");
	pp_sql_time(sql, first);
	pp_buf_adds(sql, " AND ");
	pp_sql_time(sql, last);
	pp_buf_adds(sql, " AND batch IN (");
}

void
pp_clickhouse_among(struct pp_buf *sql, const struct pp_store_list *list)
{
	size_t i, n = list->entries.n;

	among_begin(sql, list->entries.at[0].t0, list->entries.at[n - 1].t0);
	for (i = 0; i < n; i++)
		pp_buf_addf(sql, i ? ",%llu" : "%llu", (unsigned long long)list->entries.at[i].id);
	pp_buf_adds(sql, ")");
}

void
pp_clickhouse_among_queue(struct pp_buf *sql, const struct pp_clickhouse *c, size_t nth, size_t n)
{
	const struct pp_clickhouse_listed *first = pp_clickhouse_listed(c, c->queue.at[nth]),
	                                  *last = pp_clickhouse_listed(c, c->queue.at[nth + n - 1]);
	size_t i;

	among_begin(sql, first->t0, last->t0);
	for (i = 0; i < n; i++)
		pp_buf_addf(sql, i ? ",%llu" : "%llu", (unsigned long long)c->queue.at[nth + i]);
	pp_buf_adds(sql, ")");
}

const struct pp_clickhouse_listed *
pp_clickhouse_listed(const struct pp_clickhouse *c, uint64_t batch)
{
	size_t low = 0, high = c->listed.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->listed.at[middle].batch < batch)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->listed.n && c->listed.at[low].batch == batch ? &c->listed.at[low] : NULL;
}

const struct pp_store_engine pp_store_clickhouse = {
	.name = "clickhouse",
	.pushes = true,
	.extracts = true,
	.mine = clickhouse_mine,
	.open = clickhouse_open,
	.take = pp_clickhouse_take,
	.drop = pp_clickhouse_drop,
	.add = pp_clickhouse_add,
	.has = clickhouse_has,
	.list = clickhouse_list,
	.load = pp_clickhouse_load,
	.load_extract = pp_clickhouse_load_extract,
	.load_costs = pp_clickhouse_load_costs,
	.load_all = pp_clickhouse_load_all,
	.audit = pp_clickhouse_audit,
	.remove = pp_clickhouse_remove,
	.compact = pp_clickhouse_compact,
	.gc = pp_clickhouse_gc,
	.check = pp_clickhouse_check,
	.size = pp_clickhouse_size,
	.sql = pp_clickhouse_sql,
	.close = clickhouse_close,
};
