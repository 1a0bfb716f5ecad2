/*
 * Writing profiles into ClickHouse: stacks and rows first, in any number of requests, then the one row that says that
 * they count and how many there are. Whatever goes wrong before that leaves nothing that anybody sees; the next attempt has
 * another number.
 */
#include "store/clickhouse_write.h"
#include "base/slice.h"

/* Rows of one profile that are kept for later; one with more is sent as it is read. */
#define TAKEN_MAX ((size_t)12 << 20)

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
	  "rows,edge_rows,line_rows,total,bound,parts,bytes,digest,members,stands_for,rolls",
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

/* How many servers share the rows: 0 where they do not share evenly. */
static pp_status
shards_ask(struct pp_clickhouse *c, unsigned *shards, struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;
	uint64_t n, least, most;

	*shards = 1;
	if (!c->from.cluster)
		return PP_OK;
	*shards = 0;
	pp_buf_adds(&c->sql,
	            "SELECT count(), toUInt64(min(w)), toUInt64(max(w)) FROM (SELECT "
	            "shard_num, any(shard_weight) w FROM system.clusters WHERE cluster = ");
	pp_sql_text(&c->sql, pp_slice_z(c->from.cluster));
	pp_buf_adds(&c->sql, " GROUP BY shard_num)");
	status = pp_clickhouse_ask(c, problem);
	if (status != PP_OK)
		return status == PP_E_IO ? PP_E_OUTPUT : status;
	rows = pp_rows_of(c);
	n = pp_rows_u64(&rows);
	least = pp_rows_u64(&rows);
	most = pp_rows_u64(&rows);
	if (!rows.bad && n <= PP_NODES_SHARDS && least == 1 && most == 1)
		*shards = (unsigned)n;
	return PP_OK;
}

/* Before the first rows are made. What a server does not tell now is unknown: whoever sends them asks again. */
static pp_status
shards_count(struct pp_clickhouse *c)
{
	struct pp_buf problem = { 0 };
	pp_status status;

	if (c->shards_known)
		return PP_OK;
	c->shards_known = true;
	status = shards_ask(c, &c->shards, &problem);
	pp_buf_release(&problem);
	return status == PP_E_NOMEM ? status : PP_OK;
}

/* Before rows are sent: they lack stacks that another number of servers would have elsewhere. */
static pp_status
shards_check(struct pp_clickhouse *c, struct pp_buf *problem)
{
	unsigned shards, before = c->shards;
	pp_status status = shards_ask(c, &shards, problem);

	if (status != PP_OK)
		return status;
	c->shards = shards;
	if (shards == before || before == 0)
		return PP_OK;
	pp_buf_addf(problem, "%s: the cluster has %u servers now, and had %u: add again",
	            c->store.source, shards, before);
	return PP_E_OUTPUT;
}

pp_status
pp_clickhouse_take(struct pp_store *store, const struct pp_store_item *item, void **taken,
                   size_t *bytes)
{
	struct pp_clickhouse *c = (struct pp_clickhouse *)(void *)store;
	struct pp_writing *w = calloc(1, sizeof *w);
	pp_status status = w ? shards_count(c) : PP_E_NOMEM;
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
	pp_status status = all ? shards_count(c) : PP_E_NOMEM;
	size_t i;

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
		status = shards_check(c, problem);
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
