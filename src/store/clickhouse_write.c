/*
 * Rows of one profile: see clickhouse_write.h.
 */
#include "store/clickhouse_write.h"

#include <sys/random.h>

#include "base/slice.h"
#include "formats/format.h"
#include "store/hash.h"
#include "store/pack.h"

#define PART ((size_t)1 << 20)

/* ---- texts ---- */

static struct pp_slice
text_at(const struct pp_row_texts *t, size_t i)
{
	return pp_slice_of(t->bytes.p ? t->bytes.p + t->at.at[i] : NULL,
	                   t->at.at[i + 1] - t->at.at[i]);
}

static bool
metrics_name(struct pp_row_texts *t, const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		if (!pp_vec_push(&t->at, t->bytes.n))
			return false;
		pp_rows_metric(&t->bytes, p, i);
	}
	return pp_vec_push(&t->at, t->bytes.n) && !t->bytes.failed;
}

static void
texts_release(struct pp_row_texts *t)
{
	pp_buf_release(&t->bytes);
	pp_vec_release(&t->at);
}

/* ---- a profile ---- */

pp_status
pp_writing_begin(struct pp_writing *w, struct pp_clickhouse *c, const struct pp_store_item *item)
{
	const struct pp_profile *p = item->profile;
	unsigned shards = c->servers.shards;
	pp_status status;
	uint32_t random;

	w->item = item;
	w->p = p;
	/* Whoever let go of a profile did not look at pp_store_engine.take(). */
	if (!p)
		return PP_E_UNSUPPORTED;
	w->samples = p->samples;
	w->events = p->events;
	w->metric_count = p->metrics.n;
	pp_rows_shape(&w->shape, p);
	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return PP_E_OUTPUT;
	w->batch = (uint64_t)pp_digest_number(item->hash) << 32 | random;
	w->servers_changed = c->servers_changed;
	w->shard = shards ? UINT64_C(1) << (w->batch >> 32) % shards : 0;
	status = pp_label_set_read(&w->labels, pp_slice_z(item->labels));
	if (status != PP_OK)
		return status == PP_E_NOMEM ? status : PP_E_USAGE;
	w->service = pp_label_set_get(&w->labels, pp_slice_z("service"));
	w->total = calloc(p->metrics.n + 1, sizeof *w->total);
	w->bound = calloc(p->metrics.n + 1, sizeof *w->bound);
	return w->total && w->bound && !w->shape.failed && metrics_name(&w->metrics, p) &&
	               pp_row_stacks_begin(&w->stacks, p, &c->met)
	           ? PP_OK
	           : PP_E_NOMEM;
}

void
pp_writing_trim(struct pp_writing *w)
{
	pp_row_stacks_release(&w->stacks);
	w->p = NULL;
}

void
pp_writing_release(struct pp_writing *w)
{
	size_t i;

	pp_writing_trim(w);
	pp_label_set_release(&w->labels);
	texts_release(&w->metrics);
	pp_buf_release(&w->shape);
	for (i = 0; i < PP_STEPS_KEPT; i++)
		pp_buf_release(&w->taken[i]);
	free(w->total);
	free(w->bound);
}

/* ---- stacks ---- */

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

/* All stacks that cost something, each once. */
void
pp_write_stacks(struct pp_clickhouse_insert *in, struct pp_writing *w)
{
	const struct pp_profile *p = w->p;
	uint8_t *has = calloc(p->tree.n ? p->tree.n : 1, 1);
	size_t s;
	uint32_t row;

	if (!has)
		in->status = PP_E_NOMEM;
	for (s = 0; has && s < p->series.n; s++)
		for (row = 0; row < p->series.at[s].rows; row++)
			if (series_has(p, &p->series.at[s], row))
				has[pp_series_node(&p->series.at[s], row)] = 1;
	if (has)
		pp_row_stacks_write(in, &w->stacks, has, w->batch, w->shard);
	free(has);
}

/* ---- samples, edges, lines ---- */

static void
row_head(struct pp_buf *row, const struct pp_writing *w, size_t metric)
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

/* Row after row differs in stack and value only: what stands before these, by metric, ends at heads->at[metric + 1]. */
static void
sample_write(struct pp_clickhouse_insert *in, struct pp_writing *w,
             const struct pp_row_texts *heads, pp_node node, size_t metric, int64_t value)
{
	bool is_signed = w->p->metrics.n && w->p->metrics.at[metric].type == PP_INT;
	struct pp_slice head = text_at(heads, metric);
	unsigned char *row = (unsigned char *)pp_buf_room(&in->row, head.n + 16);

	if (row) {
		memcpy(row, head.p, head.n);
		memcpy(row + head.n, w->stacks.digests[node], 8);
		memcpy(row + head.n + 8, &value, 8);
		in->row.n += head.n + 16;
	}
	pp_clickhouse_row(in);
	w->rows++;
	w->total[metric] += value;
	w->bound[metric] += is_signed && value < 0 ? (pp_u128) - (pp_i128)value : (uint64_t)value;
}

/* What rows of a series begin with, for each metric. */
static bool
heads_make(struct pp_row_texts *heads, const struct pp_writing *w, const struct pp_series *series)
{
	struct pp_buf sub = { 0 };
	size_t m, n = w->p->metrics.n ? w->p->metrics.n : 1;
	bool fine = true;

	heads->bytes.n = heads->at.n = 0;
	series_text(&sub, w->p, series);
	for (m = 0; m < n && fine; m++) {
		fine = pp_vec_push(&heads->at, heads->bytes.n);
		row_head(&heads->bytes, w, m);
		pp_binary_text(&heads->bytes, pp_slice_of(sub.p, sub.n));
	}
	fine = fine && pp_vec_push(&heads->at, heads->bytes.n) && !sub.failed &&
	       !heads->bytes.failed;
	pp_buf_release(&sub);
	return fine;
}

/* A row that costs nothing is there, too: as one of its first metric. */
static void
series_write(struct pp_clickhouse_insert *in, struct pp_writing *w, const struct pp_series *series,
             const struct pp_row_texts *heads)
{
	uint32_t row;
	size_t i;

	for (row = 0; row < series->rows && in->status == PP_OK; row++) {
		struct pp_cells cells;
		uint64_t before = w->rows;

		if (!series_has(w->p, series, row))
			continue;
		cells = pp_series_costs(w->p, series, row);
		for (i = 0; i < cells.n; i++)
			if (cells.at[i])
				sample_write(in, w, heads, pp_series_node(series, row),
				             cells.column ? pp_cells_column(&cells, i) : i,
				             cells.at[i]);
		if (w->rows == before)
			sample_write(in, w, heads, pp_series_node(series, row), 0, 0);
	}
}

void
pp_write_samples(struct pp_clickhouse_insert *in, struct pp_writing *w)
{
	struct pp_row_texts heads = { 0 };
	size_t s;

	for (s = 0; s < w->p->series.n && in->status == PP_OK; s++)
		if (heads_make(&heads, w, &w->p->series.at[s]))
			series_write(in, w, &w->p->series.at[s], &heads);
		else
			in->status = PP_E_NOMEM;
	texts_release(&heads);
}

static void
function_add(struct pp_buf *row, const struct pp_writing *w, pp_func func)
{
	struct pp_slice text = pp_row_stacks_function(&w->stacks, func);

	pp_buf_add(row, text.p, text.n);
}

static void
edge_write(struct pp_clickhouse_insert *in, struct pp_writing *w, size_t i, size_t metric)
{
	const struct pp_edge_row *e = &w->p->calls.rows.at[i];
	size_t n = w->p->metrics.n;

	row_head(&in->row, w, metric);
	function_add(&in->row, w, e->caller);
	function_add(&in->row, w, e->callee);
	pp_binary_text(&in->row, pp_text_of(w->p, e->site_file));
	pp_binary_u32(&in->row, e->site_line);
	pp_binary_u64(&in->row, (uint64_t)pp_edge_cell(w->p, i, 0));
	pp_binary_u64(&in->row, n ? (uint64_t)pp_edge_cell(w->p, i, 1 + metric) : 0);
	pp_binary_u64(&in->row,
	              n && w->p->calls.own ? (uint64_t)pp_edge_cell(w->p, i, 1 + n + metric) : 0);
	pp_clickhouse_row(in);
	w->edge_rows++;
}

void
pp_write_edges(struct pp_clickhouse_insert *in, struct pp_writing *w)
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
line_write(struct pp_clickhouse_insert *in, struct pp_writing *w, size_t i, size_t metric)
{
	const struct pp_profile *p = w->p;
	const struct pp_line_row *l = &p->lines.rows.at[i];

	row_head(&in->row, w, metric);
	function_add(&in->row, w, l->func);
	pp_binary_text(&in->row, pp_text_of(p, l->file));
	pp_binary_u32(&in->row, l->line);
	pp_binary_u64(&in->row, p->lines.hits ? (uint64_t)pp_line_cell(p, i, 0) : 0);
	pp_binary_u64(&in->row,
	              p->metrics.n ? (uint64_t)pp_line_cell(p, i, metric + p->lines.hits) : 0);
	pp_clickhouse_row(in);
	w->line_rows++;
}

void
pp_write_lines(struct pp_clickhouse_insert *in, struct pp_writing *w)
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

void
pp_write_blob(struct pp_clickhouse_insert *in, struct pp_writing *w)
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
labels_put(struct pp_buf *row, const struct pp_writing *w)
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
sums_put(struct pp_buf *row, const struct pp_writing *w)
{
	size_t m;

	pp_binary_varint(row, w->metric_count);
	for (m = 0; m < w->metric_count; m++) {
		pp_binary_text(row, text_at(&w->metrics, m));
		pp_binary_u128(row, (pp_u128)w->total[m]);
	}
	pp_binary_varint(row, w->metric_count);
	for (m = 0; m < w->metric_count; m++) {
		pp_binary_text(row, text_at(&w->metrics, m));
		pp_binary_u128(row, w->bound[m]);
	}
}

static void
digest_put(struct pp_buf *row, struct pp_slice bytes)
{
	struct pp_blake2b hash;
	uint8_t digest[PP_DIGEST];

	pp_digest_begin(&hash);
	pp_digest_part(&hash, bytes);
	pp_digest_end(&hash, digest);
	pp_binary_u128(row, pp_digest_number(digest));
}

void
pp_write_commit(struct pp_clickhouse_insert *in, struct pp_writing *w)
{
	const struct pp_store_item *item = w->item;
	struct pp_buf *row = &in->row;

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
	pp_binary_text(row, pp_slice_of(w->shape.p, w->shape.n));
	pp_binary_u64(row, w->samples);
	pp_binary_u64(row, w->events);
	pp_binary_u64(row, w->rows);
	pp_binary_u64(row, w->edge_rows);
	pp_binary_u64(row, w->line_rows);
	sums_put(row, w);
	pp_binary_u32(row, blob_parts(item));
	pp_binary_u64(row, item->parcel.n);
	digest_put(row, item->parcel);
	pp_binary_u8(row, 0); /* polyprof 0.1 must not add it up */
	pp_binary_text(row, item->extract);
	pp_binary_u64(row, item->extract.n);
	digest_put(row, item->extract);
	pp_clickhouse_row(in);
}
