/*
 * Rows of one profile: see clickhouse_write.h.
 */
#include "store/clickhouse_write.h"

#include <sys/random.h>
#include <time.h>

#include "base/slice.h"
#include "formats/format.h"
#include "store/hash.h"
#include "store/hash_lanes.h"
#include "store/pack.h"

#define PART ((size_t)1 << 20)
/* Bytes of a text that are copied at once. */
#define SHORT 32

/* ---- texts ---- */

static struct pp_slice
text_at(const struct pp_row_texts *t, size_t i)
{
	return pp_slice_of(t->bytes.p ? t->bytes.p + t->at.at[i] : NULL,
	                   t->at.at[i + 1] - t->at.at[i]);
}

static bool
texts_make(struct pp_row_texts *t, const struct pp_profile *p, size_t first, size_t n,
           void (*put)(struct pp_buf *, const struct pp_profile *, uint32_t))
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!pp_vec_push(&t->at, t->bytes.n))
			return false;
		if (i >= first)
			put(&t->bytes, p, (uint32_t)i);
	}
	/* What is copied may end behind the last text. */
	return pp_vec_push(&t->at, t->bytes.n) && pp_buf_room(&t->bytes, SHORT);
}

/* A function as rows have it: behind its length, which few need more than a byte for. None is "". */
static void
function_put(struct pp_buf *to, const struct pp_profile *p, uint32_t func)
{
	struct pp_buf text = { 0 };
	size_t at = to->n;

	pp_buf_addc(to, '\0');
	if (func)
		pp_rows_function(to, p, func);
	if (to->failed)
		return;
	if (to->n - at - 1 < 0x80) {
		to->p[at] = (char)(to->n - at - 1);
		return;
	}
	pp_binary_text(&text, pp_slice_of(to->p + at + 1, to->n - at - 1));
	to->n = at;
	pp_buf_add(to, text.p, text.n);
	to->failed |= text.failed;
	pp_buf_release(&text);
}

static void
texts_release(struct pp_row_texts *t)
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

/* All that tells a frame from others. */
static void
frame_key(const struct pp_writing *w, pp_frame frame, struct pp_buf *key)
{
	struct pp_slice function = text_at(&w->functions, w->p->frames.at[frame].func);
	struct pp_slice place = text_at(&w->places, frame);

	pp_buf_add(key, function.p, function.n);
	pp_binary_u32(key, w->p->frames.at[frame].line);
	pp_buf_add(key, place.p, place.n);
}

/* A profile, and what tells its frames. */
struct keyed {
	struct pp_writing *w;
	struct pp_row_texts keys;
};

static bool
keys_make(struct keyed *k)
{
	size_t i, n = k->w->p->frames.n;

	if (!pp_vec_reserve(&k->keys.at, n + 1))
		return false;
	for (i = 0; i < n; i++) {
		k->keys.at.at[i] = k->keys.bytes.n;
		frame_key(k->w, (pp_frame)i, &k->keys.bytes);
	}
	k->keys.at.at[n] = k->keys.bytes.n;
	return !k->keys.bytes.failed;
}

static size_t
tree_parent(const void *ctx, size_t i)
{
	const struct keyed *k = ctx;
	pp_node parent = pp_tree_parent(&k->w->p->tree, (pp_node)i + 1);

	return parent ? parent - 1 : i;
}

static struct pp_node_job
tree_job(const void *ctx, size_t i)
{
	const struct keyed *k = ctx;
	const struct pp_tree *tree = &k->w->p->tree;
	pp_node node = (pp_node)i + 1;

	return (struct pp_node_job){ k->w->digests[pp_tree_parent(tree, node)],
		                     text_at(&k->keys, pp_tree_frame(tree, node)),
		                     k->w->digests[node] };
}

/* Digests of all nodes, each from its parent's. False when out of memory. */
static bool
nodes_digest(const struct keyed *k)
{
	size_t n = k->w->p->tree.n;

	return pp_node_family_digest(
	    &(struct pp_node_family){ n ? n - 1 : 0, tree_parent, tree_job, k });
}

/* The numbers of the profile's frames among those met before, or NULL. */
static pp_str *
frames_find(const struct keyed *k)
{
	size_t i, n = k->w->p->frames.n;
	pp_str *frames = calloc(n + 1, sizeof *frames);
	struct pp_slice *keys = calloc(n + 1, sizeof *keys);
	bool fine = frames && keys;

	for (i = 0; i < n && fine; i++)
		keys[i] = text_at(&k->keys, i);
	fine = fine && pp_known_frames(k->w->met, keys, n, frames);
	free(keys);
	if (fine)
		return frames;
	free(frames);
	return NULL;
}

/* Whether two frames are the same; out of memory is no reason to think that they are not. */
static bool
frames_repeat(const struct pp_writing *w, const pp_str *frames)
{
	uint8_t *seen = calloc(w->met->frames.strs.n + 1, 1);
	bool repeat = !seen;
	size_t i;

	for (i = 0; i < w->p->frames.n && !repeat; i++) {
		repeat = seen[frames[i]];
		seen[frames[i]] = 1;
	}
	free(seen);
	return repeat;
}

/* The same by nodes that were met before. Below one that was not, none was, unless two frames are the same. */
static bool
nodes_find(const struct keyed *k)
{
	struct pp_writing *w = k->w;
	const struct pp_tree *tree = &w->p->tree;
	pp_str *frames = frames_find(k);
	bool repeat = !frames || frames_repeat(w, frames), fine;
	size_t first = w->met->nodes.n;
	pp_node node;

	w->known_nodes = calloc(tree->n + 1, sizeof *w->known_nodes);
	fine = frames && w->known_nodes;
	for (node = 1; node < tree->n && fine; node++) {
		uint32_t parent = w->known_nodes[pp_tree_parent(tree, node)];
		pp_str frame = frames[pp_tree_frame(tree, node)];

		w->known_nodes[node] = parent >= first && !repeat
		                           ? pp_known_node_add(w->met, parent, frame)
		                           : pp_known_node(w->met, parent, frame);
		fine = w->known_nodes[node] != 0;
	}
	fine = fine && pp_known_digest(w->met, first);
	for (node = 1; node < tree->n && fine; node++)
		memcpy(w->digests[node], w->met->nodes.at[w->known_nodes[node]].digest, PP_DIGEST);
	free(frames);
	return fine;
}

static bool
digests_make(struct pp_writing *w)
{
	struct keyed k = { .w = w };
	size_t n = w->p->tree.n ? w->p->tree.n : 1;
	bool fine;

	w->digests = calloc(n, sizeof *w->digests);
	fine = w->digests && keys_make(&k) &&
	       (pp_known_begin(w->met, n, (int64_t)time(NULL)) ? nodes_find(&k) : nodes_digest(&k));
	texts_release(&k.keys);
	return fine;
}

/* Whether a sum may have it as a part: what is told by its input alone would be lost. Whoever adds up looks more closely. */
static bool
profile_rolls(const struct pp_profile *p, const struct pp_store_item *item)
{
	return item->complete && !item->keep && p->tree.n > 1 && !p->native && !p->estimated &&
	       p->calls.rows.n == 0 && p->lines.rows.n == 0 && !pp_pack_is_part(p);
}

pp_status
pp_writing_begin(struct pp_writing *w, struct pp_clickhouse *c, const struct pp_store_item *item)
{
	const struct pp_profile *p = item->profile;
	uint32_t random;

	w->item = item;
	w->p = p;
	/* Whoever let go of a profile did not look at pp_store_engine.take(). */
	if (!p)
		return PP_E_UNSUPPORTED;
	w->samples = p->samples;
	w->events = p->events;
	w->metric_count = p->metrics.n;
	w->rolls = profile_rolls(p, item);
	pp_rows_shape(&w->shape, p);
	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return PP_E_OUTPUT;
	w->batch = (uint64_t)pp_digest_number(item->hash) << 32 | random;
	w->met = &c->met;
	w->shard = c->shards ? UINT64_C(1) << (w->batch >> 32) % c->shards : 0;
	if (pp_label_set_read(&w->labels, pp_slice_z(item->labels)) != PP_OK)
		return PP_E_USAGE;
	w->service = pp_label_set_get(&w->labels, pp_slice_z("service"));
	w->total = calloc(p->metrics.n + 1, sizeof *w->total);
	w->bound = calloc(p->metrics.n + 1, sizeof *w->bound);
	return w->total && w->bound && !w->shape.failed &&
	               texts_make(&w->functions, p, 0, p->funcs.n, function_put) &&
	               texts_make(&w->places, p, 1, p->frames.n, pp_rows_place) &&
	               texts_make(&w->metrics, p, 0, p->metrics.n, metric_put) && digests_make(w)
	           ? PP_OK
	           : PP_E_NOMEM;
}

void
pp_writing_trim(struct pp_writing *w)
{
	texts_release(&w->functions);
	texts_release(&w->places);
	free(w->digests);
	free(w->known_nodes);
	w->digests = NULL;
	w->known_nodes = NULL;
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

/* Most texts are short, and copied with what is behind them, for which there is room on both sides. */
static char *
text_copy(char *to, struct pp_slice text)
{
	if (text.n <= SHORT)
		memcpy(to, text.p, SHORT);
	else
		memcpy(to, text.p, text.n);
	return to + text.n;
}

/* The functions of a stack root first, each behind its length. */
static void
stack_functions(struct pp_buf *row, const struct pp_writing *w, const pp_node *path, size_t depth)
{
	const struct pp_profile *p = w->p;
	size_t i, n = 0;
	char *to;

	for (i = 0; i < depth; i++)
		n += text_at(&w->functions, pp_frame_func(p, pp_tree_frame(&p->tree, path[i]))).n;
	to = pp_buf_room(row, n + SHORT);
	for (i = 0; to && i < depth; i++)
		to = text_copy(
		    to, text_at(&w->functions, pp_frame_func(p, pp_tree_frame(&p->tree, path[i]))));
	row->n += to ? n : 0;
}

/* The nodes of a stack root first. */
static void
stack_path(struct pp_buf *row, const struct pp_writing *w, const pp_node *path, size_t depth)
{
	char *to = pp_buf_room(row, depth * sizeof(uint64_t));
	size_t i;

	for (i = 0; to && i < depth; i++)
		memcpy(to + i * sizeof(uint64_t), w->digests[path[i]], sizeof(uint64_t));
	row->n += to ? depth * sizeof(uint64_t) : 0;
}

/* A stack as a row: its frames root first, with lines and places where any frame has such. */
static void
stack_row(struct pp_buf *row, const struct pp_writing *w, pp_node leaf, const pp_node *path,
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
	stack_functions(row, w, &leaf, 1);
	pp_binary_varint(row, depth);
	stack_functions(row, w, path, depth);
	pp_binary_varint(row, lines ? depth : 0);
	for (i = 0; lines && i < depth; i++)
		pp_binary_u32(row, p->frames.at[pp_tree_frame(&p->tree, path[i])].line);
	pp_binary_varint(row, places ? depth : 0);
	for (i = 0; places && i < depth; i++)
		pp_binary_text(row, text_at(&w->places, pp_tree_frame(&p->tree, path[i])));
	pp_binary_varint(row, depth);
	stack_path(row, w, path, depth);
}

/* Whether a server may not have a stack yet; from now on it has, or all is forgotten. */
static bool
stack_is_new(struct pp_writing *w, pp_node node)
{
	uint64_t *sent = w->known_nodes ? &w->met->nodes.at[w->known_nodes[node]].sent : NULL;

	if (sent && *sent & w->shard)
		return false;
	if (sent)
		*sent |= w->shard;
	return true;
}

/* All stacks that cost something, each once. */
void
pp_write_stacks(struct pp_clickhouse_insert *in, struct pp_writing *w)
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
		if (!has[node] || !stack_is_new(w, node))
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
		memcpy(row + head.n, w->digests[node], 8);
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
	struct pp_slice text = text_at(&w->functions, func);

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

void
pp_write_commit(struct pp_clickhouse_insert *in, struct pp_writing *w)
{
	const struct pp_store_item *item = w->item;
	struct pp_buf *row = &in->row;
	struct pp_blake2b hash;
	uint8_t digest[PP_DIGEST];
	size_t i;

	pp_digest_begin(&hash);
	pp_digest_part(&hash, item->parcel);
	pp_digest_end(&hash, digest);
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
	pp_binary_u128(row, pp_digest_number(digest));
	pp_binary_varint(row, item->member_count);
	for (i = 0; i < item->member_count; i++)
		pp_binary_u128(row, item->members[i]);
	pp_binary_u64(row, item->member_count ? item->stands_for : 1);
	pp_binary_u8(row, w->rolls);
	pp_clickhouse_row(in);
}
