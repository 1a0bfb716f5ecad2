/*
 * Writing profiles into ClickHouse: stacks and rows first, in any number of requests, then the one row that says that
 * they count and how many there are. Whatever goes wrong before that leaves nothing that anybody sees; the next attempt has
 * another number.
 */
#include "store/clickhouse_write.h"

#include <time.h>

#include "base/slice.h"

/* Rows of one profile that are kept for later; one with more is sent as it is read. */
#define TAKEN_MAX ((size_t)12 << 20)
/* Clocks are looked at one after the other: a server that seems to have begun so many seconds later has not begun again. */
#define BEGUN_SLACK 2
/* How often they are asked where one profile comes after the other. */
#define ASK_MS 1000

/* ---- all of them ---- */

/* Which of the profiles are there already, or come twice. */
static pp_status
known_find(struct pp_clickhouse *c, struct pp_writing *all, size_t n, struct pp_buf *problem)
{
	struct pp_buf condition = { 0 };
	struct pp_row_reader rows;
	pp_status status;
	size_t i, k;

	pp_buf_adds(&condition, "id IN (");
	for (i = 0; i < n; i++) {
		pp_buf_adds(&condition, i ? "," : "");
		pp_sql_u128(&condition, pp_digest_number(all[i].item->hash));
	}
	pp_buf_adds(&condition, ")");
	if (!condition.failed)
		pp_clickhouse_put(c, PP_SQL_KNOWN, condition.p);
	status = condition.failed ? PP_E_NOMEM : pp_clickhouse_ask(c, problem);
	pp_buf_release(&condition);
	if (status != PP_OK)
		return status == PP_E_IO ? PP_E_OUTPUT : status;
	rows = pp_rows_of(c);
	while (pp_rows_more(&rows)) {
		pp_u128 id = pp_rows_u128(&rows);

		for (i = 0; i < n; i++)
			all[i].known |= pp_digest_number(all[i].item->hash) == id;
	}
	for (i = 1; i < n; i++)
		for (k = 0; k < i && !all[i].known; k++)
			all[i].known = memcmp(all[i].item->hash, all[k].item->hash,
			                      PP_STORE_HASH) == 0;
	return pp_rows_end(c, &rows, problem);
}

static const struct step {
	const char *table, *columns;
	void (*write)(struct pp_clickhouse_insert *, struct pp_writing *);
} steps[] = {
	/* In the order of the numbers above. */
	{ "stacks", "batch,id,check,leaf,frames,lines,places,path", pp_write_stacks },
	{ "samples", "service,metric,t0,batch,sub,stack,value", pp_write_samples },
	{ "edges", "service,metric,t0,batch,caller,callee,site_file,site_line,calls,total,own",
	  pp_write_edges },
	{ "lines", "service,metric,t0,batch,func,file,line,hits,value", pp_write_lines },
	{ "blobs", "batch,t0,part,data", pp_write_blob },
	/* Last: from here on they count. */
	{ "profiles",
	  "id,batch,service,t0,t1,labels,series,label_set,format,source,complete,kept,stacks,metrics,shape,samples,events,"
	  "rows,edge_rows,line_rows,total,bound,parts,bytes,digest,rolls,extract,extract_bytes,extract_digest",
	  pp_write_commit },
};

/* Whether a profile has rows for a table. */
static bool
step_has(size_t step, const struct pp_writing *w)
{
	/* Stacks that were taken are noted as sent, and others leave them out, also if this profile is there: so they are sent. */
	if (step == PP_STEP_STACKS && !w->p)
		return w->taken[step].n > 0;
	if (w->known || step >= PP_STEPS_KEPT)
		return !w->known;
	if (!w->p)
		return w->taken[step].n > 0;
	return step == PP_STEP_EDGES   ? w->p->calls.rows.n > 0
	       : step == PP_STEP_LINES ? w->p->lines.rows.n > 0
	                               : true;
}

static pp_status
step_do(struct pp_clickhouse *c, size_t step, struct pp_writing *all, size_t n,
        struct pp_buf *problem)
{
	struct pp_clickhouse_insert in;
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++)
		any |= step_has(step, &all[i]);
	if (!any)
		return PP_OK;
	pp_clickhouse_insert_begin(&in, c, steps[step].table, steps[step].columns, problem);
	for (i = 0; i < n && in.status == PP_OK; i++) {
		if (!step_has(step, &all[i]))
			continue;
		if (!all[i].p && step < PP_STEPS_KEPT)
			pp_buf_add(&in.row, all[i].taken[step].p, all[i].taken[step].n);
		else
			steps[step].write(&in, &all[i]);
		pp_clickhouse_row(&in);
	}
	return pp_clickhouse_insert_end(&in);
}

/* ---- ahead of time ---- */

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
servers_take(struct pp_clickhouse *c, struct pp_row_reader *rows)
{
	uint64_t n = pp_rows_u64(rows), least = pp_rows_u64(rows), most = pp_rows_u64(rows);
	struct pp_clickhouse_servers servers = { .tables = pp_rows_u64(rows) };

	servers.begun = (int64_t)pp_rows_u64(rows);
	if (!c->from.cluster)
		servers.shards = 1;
	else if (n <= PP_NODES_SHARDS && least == 1 && most == 1)
		servers.shards = (unsigned)n;
	if (!rows->bad)
		c->servers = servers;
}

/* What servers will not tell is unknown, and no error; one that does not answer is. */
static pp_status
servers_ask(struct pp_clickhouse *c, struct pp_buf *problem)
{
	struct pp_buf said = { 0 };
	struct pp_row_reader rows;
	pp_status status;

	c->asked_servers = now_ms();
	c->servers = (struct pp_clickhouse_servers){ 0 };
	c->answer.status = 0;
	pp_clickhouse_put(c, PP_SQL_SERVERS, "");
	status = pp_clickhouse_ask(c, &said);
	if (status == PP_OK) {
		rows = pp_rows_of(c);
		servers_take(c, &rows);
	} else if (status == PP_E_IO && c->answer.status) {
		status = PP_OK;
	} else if (status == PP_E_IO) {
		pp_buf_add(problem, said.p, said.n);
		status = PP_E_OUTPUT;
	}
	pp_buf_release(&said);
	return status;
}

/* Whether what was sent to some servers is still there, as far as can be told. */
static bool
servers_keep(const struct pp_clickhouse_servers *before, const struct pp_clickhouse_servers *now)
{
	/* Whatever servers say, no number overflows. */
	uint64_t later = (uint64_t)now->begun - (uint64_t)before->begun + BEGUN_SLACK;

	return before->shards == now->shards && before->tables == now->tables &&
	       later <= 2 * BEGUN_SLACK;
}

/*
 * Looks at the servers, unless that was a moment ago. Tables may have been made again, or come back from a copy, or other servers may
 * share the rows: then they need stacks that they had before.
 */
static pp_status
servers_look(struct pp_clickhouse *c, bool again, struct pp_buf *problem)
{
	const struct pp_clickhouse_servers before = c->servers;
	pp_status status;

	if (!again && c->asked_servers && now_ms() - c->asked_servers < ASK_MS)
		return PP_OK;
	status = servers_ask(c, problem);
	if (!servers_keep(&before, &c->servers)) {
		pp_known_forget(&c->met);
		c->servers_changed++;
	}
	return status;
}

/* Before rows are made ahead of time. Who does not answer now is named when they are sent. */
static pp_status
servers_glance(struct pp_clickhouse *c)
{
	struct pp_buf problem = { 0 };
	pp_status status = servers_look(c, false, &problem);

	pp_buf_release(&problem);
	return status == PP_E_NOMEM ? status : PP_OK;
}

/* Before rows are sent: those that were made for other servers lack stacks. */
static pp_status
servers_check(struct pp_clickhouse *c, const struct pp_store_item *items, size_t n,
              struct pp_buf *problem)
{
	bool taken = false, lacks = false;
	pp_status status;
	size_t i;

	for (i = 0; i < n; i++)
		taken |= items[i].taken != NULL;
	status = servers_look(c, taken, problem);
	for (i = 0; i < n && status == PP_OK; i++) {
		const struct pp_writing *w = items[i].taken;

		lacks |= w && w->shard && w->servers_changed != c->servers_changed;
	}
	if (!lacks)
		return status;
	pp_buf_addf(problem,
	            "%s: its servers, or their tables, have been replaced or started again since "
	            "this began: add again",
	            c->store.source);
	return PP_E_OUTPUT;
}

pp_status
pp_clickhouse_take(struct pp_store *store, const struct pp_store_item *item, void **taken,
                   size_t *bytes)
{
	struct pp_clickhouse *c = (struct pp_clickhouse *)(void *)store;
	struct pp_writing *w = calloc(1, sizeof *w);
	pp_status status = w ? servers_glance(c) : PP_E_NOMEM;
	struct pp_clickhouse_insert in;
	size_t i;

	if (status == PP_OK)
		status = pp_writing_begin(w, c, item);
	for (i = 0; i < PP_STEPS_KEPT && status == PP_OK; i++) {
		in = (struct pp_clickhouse_insert){ .most = TAKEN_MAX };
		steps[i].write(&in, w);
		status = in.row.failed ? PP_E_NOMEM : in.status;
		w->taken[i] = in.row;
		*bytes += in.row.n;
	}
	if (status == PP_OK) {
		pp_writing_trim(w);
		*taken = w;
		return PP_OK;
	}
	/* Stacks that were marked as sent never will be. */
	pp_known_forget(&c->met);
	pp_clickhouse_drop(w);
	return status;
}

void
pp_clickhouse_drop(void *taken)
{
	if (taken)
		pp_writing_release(taken);
	free(taken);
}

pp_status
pp_clickhouse_add(struct pp_store *store, const struct pp_store_item *items, size_t n,
                  enum pp_store_added *added, struct pp_buf *problem)
{
	struct pp_clickhouse *c = (struct pp_clickhouse *)(void *)store;
	struct pp_writing *all = calloc(n ? n : 1, sizeof *all);
	pp_status status = all ? PP_OK : PP_E_NOMEM;
	size_t i;

	if (status == PP_OK && n)
		status = servers_check(c, items, n, problem);
	for (i = 0; i < n && status == PP_OK; i++)
		if (items[i].taken) {
			/* It goes into this attempt and into no other. */
			all[i] = *(struct pp_writing *)items[i].taken;
			*(struct pp_writing *)items[i].taken = (struct pp_writing){ 0 };
			all[i].item = &items[i];
			status = all[i].batch ? PP_OK : PP_E_UNSUPPORTED;
		} else {
			status = pp_writing_begin(&all[i], c, &items[i]);
		}
	if (status == PP_OK && n)
		status = known_find(c, all, n, problem);
	for (i = 0; i < PP_COUNT_OF(steps) && status == PP_OK; i++)
		status = step_do(c, i, all, n, problem);
	if (status != PP_OK)
		pp_known_forget(&c->met);
	for (i = 0; all && i < n; i++) {
		added[i] = all[i].known ? PP_STORE_KNOWN : PP_STORE_NEW;
		pp_writing_release(&all[i]);
	}
	free(all);
	return status;
}
