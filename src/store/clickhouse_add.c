/*
 * Writing profiles into ClickHouse: stacks and rows first, in any number of requests, then the one row that says that
 * they count and how many there are. Whatever goes wrong before that leaves nothing that anybody sees; the next attempt has
 * another number.
 */
#include <sys/random.h>

#include "base/slice.h"
#include "formats/format.h"
#include "store/clickhouse_rows.h"
#include "store/hash.h"
#include "store/label_set.h"

#define PART ((size_t)1 << 20)

/* Texts, one behind the other: text i begins at[i] and ends at[i + 1]. */
struct texts {
	struct pp_buf bytes;
	PP_VEC(size_t) at;
};

/* A profile while it is written. */
struct writing {
	const struct pp_store_item *item;
	const struct pp_profile *p;
	struct pp_label_set labels;
	struct pp_slice service;
	uint64_t batch;
	struct texts functions, places, metrics;
	uint8_t (*digests)[PP_DIGEST]; /* by node */
	uint64_t rows, edge_rows, line_rows;
	pp_i128 *total; /* by metric: of the cells as they are stored */
	pp_u128 *bound;
	bool known;
};

/* ---- texts ---- */

static struct pp_slice
text_at(const struct texts *t, size_t i)
{
	return pp_slice_of(t->bytes.p ? t->bytes.p + t->at.at[i] : NULL,
	                   t->at.at[i + 1] - t->at.at[i]);
}

static bool
texts_make(struct texts *t, const struct pp_profile *p, size_t first, size_t n,
           void (*put)(struct pp_buf *, const struct pp_profile *, uint32_t))
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!pp_vec_push(&t->at, t->bytes.n))
			return false;
		if (i >= first)
			put(&t->bytes, p, (uint32_t)i);
	}
	return pp_vec_push(&t->at, t->bytes.n) && !t->bytes.failed;
}

static void
texts_release(struct texts *t)
{
	pp_buf_release(&t->bytes);
	pp_vec_release(&t->at);
}

static void
metric_put(struct pp_buf *name, const struct pp_profile *p, uint32_t metric)
{
	pp_rows_metric(name, p, metric);
}

/* ---- a profile ---- */

/* Digests of all nodes, each from its parent's. False when out of memory. */
static bool
nodes_digest(struct writing *w)
{
	const struct pp_tree *tree = &w->p->tree;
	struct pp_buf key = { 0 };
	pp_node node;

	w->digests = calloc(tree->n ? tree->n : 1, sizeof *w->digests);
	for (node = 1; w->digests && node < tree->n && !key.failed; node++) {
		pp_frame frame = pp_tree_frame(tree, node);
		struct pp_slice function = text_at(&w->functions, w->p->frames.at[frame].func);
		struct pp_slice place = text_at(&w->places, frame);

		key.n = 0;
		pp_binary_text(&key, function);
		pp_binary_u32(&key, w->p->frames.at[frame].line);
		pp_buf_add(&key, place.p, place.n);
		pp_node_digest(w->digests[pp_tree_parent(tree, node)], pp_slice_of(key.p, key.n),
		               w->digests[node]);
	}
	pp_buf_release(&key);
	return w->digests && node >= tree->n;
}

static pp_status
writing_begin(struct writing *w, const struct pp_store_item *item)
{
	const struct pp_profile *p = item->profile;
	uint32_t random;

	w->item = item;
	w->p = p;
	/* Whoever lets go of profiles did not look at pp_store_engine.wants_profile. */
	if (!p)
		return PP_E_UNSUPPORTED;
	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return PP_E_OUTPUT;
	w->batch = (uint64_t)pp_digest_number(item->hash) << 32 | random;
	if (pp_label_set_read(&w->labels, pp_slice_z(item->labels)) != PP_OK)
		return PP_E_USAGE;
	w->service = pp_label_set_get(&w->labels, pp_slice_z("service"));
	w->total = calloc(p->metrics.n + 1, sizeof *w->total);
	w->bound = calloc(p->metrics.n + 1, sizeof *w->bound);
	return w->total && w->bound &&
	               texts_make(&w->functions, p, 1, p->funcs.n, pp_rows_function) &&
	               texts_make(&w->places, p, 1, p->frames.n, pp_rows_place) &&
	               texts_make(&w->metrics, p, 0, p->metrics.n, metric_put) && nodes_digest(w)
	           ? PP_OK
	           : PP_E_NOMEM;
}

static void
writing_release(struct writing *w)
{
	pp_label_set_release(&w->labels);
	texts_release(&w->functions);
	texts_release(&w->places);
	texts_release(&w->metrics);
	free(w->digests);
	free(w->total);
	free(w->bound);
}

/* ---- stacks ---- */

static uint64_t
node_id(const struct writing *w, pp_node node)
{
	return pp_load64(w->digests[node]);
}

/* Whether a row counts; at the root of the tree it does where it costs anything: that is cost without a stack. */
static bool
series_has(const struct pp_profile *p, const struct pp_series *s, uint32_t row)
{
	struct pp_cells cells;
	size_t i;

	if (!pp_series_present(s, row) || pp_series_node(s, row) != 0)
		return pp_series_present(s, row);
	cells = pp_series_costs(p, s, row);
	for (i = 0; i < cells.n && !cells.at[i]; i++)
		;
	return i < cells.n;
}

/* A stack as a row: its frames root first, with lines and places where any frame has such. */
static void
stack_row(struct pp_buf *row, const struct writing *w, pp_node leaf, const pp_node *path,
          size_t depth)
{
	const struct pp_profile *p = w->p;
	bool lines = false, places = false;
	size_t i;

	for (i = 0; i < depth; i++) {
		pp_frame frame = pp_tree_frame(&p->tree, path[i]);

		lines |= p->frames.at[frame].line != 0;
		places |= text_at(&w->places, frame).n != 0;
	}
	pp_binary_u64(row, w->batch);
	pp_buf_add(row, w->digests[leaf], PP_DIGEST); /* id and check */
	pp_binary_text(row,
	               text_at(&w->functions, pp_frame_func(p, pp_tree_frame(&p->tree, leaf))));
	pp_binary_varint(row, depth);
	for (i = 0; i < depth; i++)
		pp_binary_text(row, text_at(&w->functions,
		                            pp_frame_func(p, pp_tree_frame(&p->tree, path[i]))));
	pp_binary_varint(row, lines ? depth : 0);
	for (i = 0; lines && i < depth; i++)
		pp_binary_u32(row, p->frames.at[pp_tree_frame(&p->tree, path[i])].line);
	pp_binary_varint(row, places ? depth : 0);
	for (i = 0; places && i < depth; i++)
		pp_binary_text(row, text_at(&w->places, pp_tree_frame(&p->tree, path[i])));
	pp_binary_varint(row, depth);
	for (i = 0; i < depth; i++)
		pp_binary_u64(row, node_id(w, path[i]));
}

/* All stacks that cost something, each once. */
static void
stacks_write(struct pp_clickhouse_insert *in, struct writing *w)
{
	const struct pp_tree *tree = &w->p->tree;
	uint8_t *has = calloc(tree->n ? tree->n : 1, 1);
	PP_VEC(pp_node) path = { 0 };
	size_t s, i, depth;
	uint32_t row;
	pp_node node, up;

	if (!has)
		in->status = PP_E_NOMEM;
	for (s = 0; has && s < w->p->series.n; s++)
		for (row = 0; row < w->p->series.at[s].rows; row++)
			if (series_has(w->p, &w->p->series.at[s], row))
				has[pp_series_node(&w->p->series.at[s], row)] = 1;
	for (node = 1; has && node < tree->n && in->status == PP_OK; node++) {
		if (!has[node])
			continue;
		for (depth = 0, up = node; up; up = pp_tree_parent(tree, up))
			depth++;
		path.n = 0;
		if (!pp_vec_reserve(&path, depth)) {
			in->status = PP_E_NOMEM;
			break;
		}
		for (i = depth, up = node; i-- > 0; up = pp_tree_parent(tree, up))
			path.at[i] = up;
		stack_row(&in->row, w, node, path.at, depth);
		pp_clickhouse_row(in);
	}
	pp_vec_release(&path);
	free(has);
}

/* ---- samples, edges, lines ---- */

static void
row_head(struct pp_buf *row, const struct writing *w, size_t metric)
{
	pp_binary_text(row, w->service);
	pp_binary_text(row, w->p->metrics.n ? text_at(&w->metrics, metric) : pp_slice_z(""));
	pp_binary_u64(row, (uint64_t)w->item->t0);
	pp_binary_u64(row, w->batch);
}

/* What tells a series of a profile from its others, to be read. */
static void
series_text(struct pp_buf *to, const struct pp_profile *p, const struct pp_series *s)
{
	const struct {
		const char *key;
		pp_str text;
	} texts[] = { { "event=", s->event },
		      { "process=", s->process },
		      { "thread=", s->thread },
		      { "context=", s->context } };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(texts); i++)
		if (texts[i].text) {
			struct pp_slice text = pp_text_of(p, texts[i].text);

			pp_buf_addf(to, "%s%s", to->n ? ";" : "", texts[i].key);
			pp_buf_add(to, text.p, text.n);
		}
	if (s->pid >= 0)
		pp_buf_addf(to, "%spid=%lld", to->n ? ";" : "", (long long)s->pid);
	if (s->tid >= 0)
		pp_buf_addf(to, "%stid=%lld", to->n ? ";" : "", (long long)s->tid);
	if (s->labels)
		pp_buf_addf(to, "%slabels=%u", to->n ? ";" : "", s->labels);
}

static void
sample_write(struct pp_clickhouse_insert *in, struct writing *w, struct pp_slice sub, pp_node node,
             size_t metric, int64_t value)
{
	bool is_signed = w->p->metrics.n && w->p->metrics.at[metric].type == PP_INT;

	row_head(&in->row, w, metric);
	pp_binary_text(&in->row, sub);
	pp_binary_u64(&in->row, node_id(w, node));
	pp_binary_u64(&in->row, (uint64_t)value);
	pp_clickhouse_row(in);
	w->rows++;
	w->total[metric] += value;
	w->bound[metric] += is_signed && value < 0 ? (pp_u128) - (pp_i128)value : (uint64_t)value;
}

/* A row that costs nothing is there, too: as one of its first metric. */
static void
samples_write(struct pp_clickhouse_insert *in, struct writing *w)
{
	struct pp_buf sub = { 0 };
	size_t s, i;
	uint32_t row;

	for (s = 0; s < w->p->series.n; s++) {
		const struct pp_series *series = &w->p->series.at[s];

		sub.n = 0;
		series_text(&sub, w->p, series);
		if (sub.failed)
			in->status = PP_E_NOMEM;
		for (row = 0; row < series->rows && in->status == PP_OK; row++) {
			struct pp_cells cells;
			uint64_t before = w->rows;

			if (!series_has(w->p, series, row))
				continue;
			cells = pp_series_costs(w->p, series, row);
			for (i = 0; i < cells.n; i++)
				if (cells.at[i])
					sample_write(in, w, pp_slice_of(sub.p, sub.n),
					             pp_series_node(series, row),
					             cells.column ? pp_cells_column(&cells, i) : i,
					             cells.at[i]);
			if (w->rows == before)
				sample_write(in, w, pp_slice_of(sub.p, sub.n),
				             pp_series_node(series, row), 0, 0);
		}
	}
	pp_buf_release(&sub);
}

static void
edge_write(struct pp_clickhouse_insert *in, struct writing *w, size_t i, size_t metric)
{
	const struct pp_edge_row *e = &w->p->calls.rows.at[i];
	size_t n = w->p->metrics.n;

	row_head(&in->row, w, metric);
	pp_binary_text(&in->row, text_at(&w->functions, e->caller));
	pp_binary_text(&in->row, text_at(&w->functions, e->callee));
	pp_binary_text(&in->row, pp_text_of(w->p, e->site_file));
	pp_binary_u32(&in->row, e->site_line);
	pp_binary_u64(&in->row, (uint64_t)pp_edge_cell(w->p, i, 0));
	pp_binary_u64(&in->row, n ? (uint64_t)pp_edge_cell(w->p, i, 1 + metric) : 0);
	pp_binary_u64(&in->row,
	              n && w->p->calls.own ? (uint64_t)pp_edge_cell(w->p, i, 1 + n + metric) : 0);
	pp_clickhouse_row(in);
	w->edge_rows++;
}

static void
edges_write(struct pp_clickhouse_insert *in, struct writing *w)
{
	const struct pp_profile *p = w->p;
	size_t i, m, n = p->metrics.n;

	for (i = 0; i < p->calls.rows.n && in->status == PP_OK; i++) {
		uint64_t before = w->edge_rows;

		for (m = 0; m < n; m++)
			if (pp_edge_cell(p, i, 1 + m) ||
			    (p->calls.own && pp_edge_cell(p, i, 1 + n + m)))
				edge_write(in, w, i, m);
		if (w->edge_rows == before)
			edge_write(in, w, i, 0);
	}
}

static void
line_write(struct pp_clickhouse_insert *in, struct writing *w, size_t i, size_t metric)
{
	const struct pp_profile *p = w->p;
	const struct pp_line_row *l = &p->lines.rows.at[i];

	row_head(&in->row, w, metric);
	pp_binary_text(&in->row, text_at(&w->functions, l->func));
	pp_binary_text(&in->row, pp_text_of(p, l->file));
	pp_binary_u32(&in->row, l->line);
	pp_binary_u64(&in->row, p->lines.hits ? (uint64_t)pp_line_cell(p, i, 0) : 0);
	pp_binary_u64(&in->row,
	              p->metrics.n ? (uint64_t)pp_line_cell(p, i, metric + p->lines.hits) : 0);
	pp_clickhouse_row(in);
	w->line_rows++;
}

static void
lines_write(struct pp_clickhouse_insert *in, struct writing *w)
{
	const struct pp_profile *p = w->p;
	size_t i, m;

	for (i = 0; i < p->lines.rows.n && in->status == PP_OK; i++) {
		uint64_t before = w->line_rows;

		for (m = 0; m < p->metrics.n; m++)
			if (pp_line_cell(p, i, m + p->lines.hits))
				line_write(in, w, i, m);
		if (w->line_rows == before)
			line_write(in, w, i, 0);
	}
}

/* ---- the input, and the commit ---- */

static void
blob_write(struct pp_clickhouse_insert *in, struct writing *w)
{
	struct pp_slice rest = w->item->parcel;
	uint32_t part = 0;

	do {
		size_t n = rest.n < PART ? rest.n : PART;

		pp_binary_u64(&in->row, w->batch);
		pp_binary_u64(&in->row, (uint64_t)w->item->t0);
		pp_binary_u32(&in->row, part++);
		pp_binary_text(&in->row, pp_slice_of(rest.p, n));
		pp_clickhouse_row(in);
		rest = pp_slice_from(rest, n);
	} while (rest.n);
}

static uint32_t
blob_parts(const struct pp_store_item *item)
{
	return item->parcel.n ? (uint32_t)((item->parcel.n + PART - 1) / PART) : 1;
}

static void
labels_put(struct pp_buf *row, const struct writing *w)
{
	struct pp_slice canonical = pp_slice_z(w->item->labels);
	struct pp_blake2b hash;
	uint8_t digest[PP_DIGEST];
	size_t i;

	pp_binary_varint(row, w->labels.n);
	for (i = 0; i < w->labels.n; i++) {
		pp_binary_text(row, w->labels.at[i].key);
		pp_binary_text(row, w->labels.at[i].value);
	}
	pp_digest_begin(&hash);
	pp_digest_part(&hash, canonical);
	pp_digest_end(&hash, digest);
	pp_binary_u64(row, pp_load64(digest));
	pp_binary_text(row, canonical);
}

static void
sums_put(struct pp_buf *row, const struct writing *w)
{
	size_t m;

	pp_binary_varint(row, w->p->metrics.n);
	for (m = 0; m < w->p->metrics.n; m++) {
		pp_binary_text(row, text_at(&w->metrics, m));
		pp_binary_u128(row, (pp_u128)w->total[m]);
	}
	pp_binary_varint(row, w->p->metrics.n);
	for (m = 0; m < w->p->metrics.n; m++) {
		pp_binary_text(row, text_at(&w->metrics, m));
		pp_binary_u128(row, w->bound[m]);
	}
}

static void
commit_write(struct pp_clickhouse_insert *in, struct writing *w)
{
	const struct pp_store_item *item = w->item;
	struct pp_buf *row = &in->row, shape = { 0 };
	struct pp_blake2b hash;
	uint8_t digest[PP_DIGEST];

	pp_digest_begin(&hash);
	pp_digest_part(&hash, item->parcel);
	pp_digest_end(&hash, digest);
	pp_rows_shape(&shape, w->p);
	if (shape.failed)
		in->status = PP_E_NOMEM;
	pp_binary_u128(row, pp_digest_number(item->hash));
	pp_binary_u64(row, w->batch);
	pp_binary_text(row, w->service);
	pp_binary_u64(row, (uint64_t)item->t0);
	pp_binary_u64(row, (uint64_t)item->t1);
	labels_put(row, w);
	pp_binary_text(row, pp_slice_z(item->format));
	pp_binary_text(row, pp_slice_z(item->source ? item->source : ""));
	pp_binary_u8(row, item->complete);
	pp_binary_u8(row, item->keep);
	pp_binary_u64(row, item->stacks);
	pp_binary_text(row, item->meta);
	pp_binary_text(row, pp_slice_of(shape.p, shape.n));
	pp_binary_u64(row, w->p->samples);
	pp_binary_u64(row, w->p->events);
	pp_binary_u64(row, w->rows);
	pp_binary_u64(row, w->edge_rows);
	pp_binary_u64(row, w->line_rows);
	sums_put(row, w);
	pp_binary_u32(row, blob_parts(item));
	pp_binary_u64(row, item->parcel.n);
	pp_binary_u128(row, pp_digest_number(digest));
	pp_clickhouse_row(in);
	pp_buf_release(&shape);
}

/* ---- all of them ---- */

/* Which of the profiles are there already, or come twice. */
static pp_status
known_find(struct pp_clickhouse *c, struct writing *all, size_t n, struct pp_buf *problem)
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
	void (*write)(struct pp_clickhouse_insert *, struct writing *);
} steps[] = {
	{ "stacks", "batch,id,check,leaf,frames,lines,places,path", stacks_write },
	{ "samples", "service,metric,t0,batch,sub,stack,value", samples_write },
	{ "edges", "service,metric,t0,batch,caller,callee,site_file,site_line,calls,total,own",
	  edges_write },
	{ "lines", "service,metric,t0,batch,func,file,line,hits,value", lines_write },
	{ "blobs", "batch,t0,part,data", blob_write },
	/* Last: from here on they count. */
	{ "profiles",
	  "id,batch,service,t0,t1,labels,series,label_set,format,source,complete,kept,stacks,metrics,shape,samples,events,"
	  "rows,edge_rows,line_rows,total,bound,parts,bytes,digest",
	  commit_write },
};

/* Whether a profile has rows for a table. */
static bool
step_has(const struct step *step, const struct writing *w)
{
	if (step->write == edges_write)
		return w->p->calls.rows.n > 0;
	if (step->write == lines_write)
		return w->p->lines.rows.n > 0;
	return true;
}

static pp_status
step_do(struct pp_clickhouse *c, const struct step *step, struct writing *all, size_t n,
        struct pp_buf *problem)
{
	struct pp_clickhouse_insert in;
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++)
		any |= !all[i].known && step_has(step, &all[i]);
	if (!any)
		return PP_OK;
	pp_clickhouse_insert_begin(&in, c, step->table, step->columns, problem);
	for (i = 0; i < n && in.status == PP_OK; i++)
		if (!all[i].known)
			step->write(&in, &all[i]);
	return pp_clickhouse_insert_end(&in);
}

pp_status
pp_clickhouse_add(struct pp_store *store, const struct pp_store_item *items, size_t n,
                  enum pp_store_added *added, struct pp_buf *problem)
{
	struct pp_clickhouse *c = (struct pp_clickhouse *)(void *)store;
	struct writing *all = calloc(n ? n : 1, sizeof *all);
	pp_status status = all ? PP_OK : PP_E_NOMEM;
	size_t i;

	for (i = 0; i < n && status == PP_OK; i++)
		status = writing_begin(&all[i], &items[i]);
	if (status == PP_OK && n)
		status = known_find(c, all, n, problem);
	for (i = 0; i < PP_COUNT_OF(steps) && status == PP_OK; i++)
		status = step_do(c, &steps[i], all, n, problem);
	for (i = 0; all && i < n; i++) {
		added[i] = all[i].known ? PP_STORE_KNOWN : PP_STORE_NEW;
		writing_release(&all[i]);
	}
	free(all);
	return status;
}
