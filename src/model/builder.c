/*
 * Builds a profile: interning, rows, limits.
 */
#include "model/builder.h"

/* So many small steps take about a millisecond. */
#define STRETCH 4096

void
pp_builder_fail(struct pp_builder *b, pp_status status, const char *limit)
{
	if (b->status != PP_OK)
		return;
	b->status = status;
	b->limit = limit;
}

static void
no_memory(struct pp_builder *b)
{
	pp_builder_fail(b, PP_E_NOMEM, NULL);
}

/* pp_builder_goes_on() where little is done at a time. */
static inline bool
goes_on_often(struct pp_builder *b)
{
	return PP_LIKELY(++b->steps % STRETCH) ? pp_builder_ok(b) : pp_builder_goes_on(b);
}

bool
pp_builder_goes_on(struct pp_builder *b)
{
	if (PP_UNLIKELY(pp_account_stops()))
		no_memory(b);
	return pp_builder_ok(b);
}

bool
pp_builder_init(struct pp_builder *b, const struct pp_limits *limits, const struct pp_order *order,
                uint64_t seed, const struct pp_pages *pages)
{
	struct pp_profile *p;

	*b = (struct pp_builder){ .limits = *limits, .pages = pages, .seed = seed };
	if (order)
		b->order = *order;
	b->func_index.seed = b->frame_index.seed = b->module_index.seed = seed;
	b->edge_index.seed = b->line_index.seed = b->label_index.seed = seed;
	b->labelled.seed = b->costs_row.seed = seed;
	p = b->profile = calloc(1, sizeof *p);
	if (!p)
		return false;
	p->complete = true;
	if (pp_strtab_init(&p->strs, seed) &&
	    pp_tree_init(&p->tree, (uint32_t)(seed >> 32), limits->max_nodes, pages) &&
	    pp_vec_push(&p->modules, (struct pp_module_row){ 0 }) &&
	    pp_vec_push(&p->funcs, (struct pp_func_row){ 0 }) &&
	    pp_vec_push(&p->frames, (struct pp_frame_row){ 0 }))
		return true;
	pp_builder_release(b);
	return false;
}

void
pp_builder_release(struct pp_builder *b)
{
	pp_slots_release(&b->module_index.slots);
	pp_slots_release(&b->label_index.slots);
	pp_map_release(&b->labelled);
	pp_map_release(&b->costs_row);
	pp_slots_release(&b->func_index.slots);
	pp_slots_release(&b->frame_index.slots);
	pp_slots_release(&b->edge_index.slots);
	pp_slots_release(&b->line_index.slots);
	pp_stacks_free(b->stacks);
	b->stacks = NULL;
	pp_profile_release(b->profile);
	b->profile = NULL;
}

bool
pp_builder_restart(struct pp_builder *b)
{
	struct pp_builder fresh;
	size_t i;

	if (!pp_builder_init(&fresh, &b->limits, &b->order, b->seed, b->pages))
		return false;
	fresh.diags = b->diags;
	fresh.may_hold = b->may_hold;
	/* What it was read from stays. */
	fresh.profile->format = b->profile->format;
	for (i = 0; i < PP_COUNT_OF(b->profile->compression); i++)
		fresh.profile->compression[i] = pp_build_str(
		    &fresh, pp_text_of(b->profile, b->profile->compression[i]));
	pp_builder_release(b);
	*b = fresh;
	return true;
}

void
pp_builder_plant(struct pp_builder *b)
{
	b->order.facets = (b->order.facets & ~(unsigned)PP_FINDINGS) | PP_TREE;
	b->order.filter = NULL;
	b->order.keep = NULL;
}

bool
pp_builder_restart_exactly(struct pp_builder *b)
{
	pp_builder_plant(b);
	return pp_builder_restart(b);
}

bool
pp_index_add(struct pp_index *index, uint32_t tag, uint32_t row)
{
	if ((!index->slots.at && !pp_slots_init(&index->slots, 10, NULL)) ||
	    !pp_slots_reserve(&index->slots, 1))
		return false;
	pp_slots_put(&index->slots, tag, row + 1);
	return true;
}

/* ---- names ------------------------------------------------------------------------------ */

pp_str
pp_build_str(struct pp_builder *b, struct pp_slice s)
{
	bool is_new;
	pp_str id;

	if (!pp_builder_ok(b))
		return 0;
	if (s.n > b->limits.max_string) {
		pp_builder_fail(b, PP_E_LIMIT, "a name is too long");
		return 0;
	}
	if (!pp_strtab_intern(&b->profile->strs, s.p, s.n, &id, &is_new)) {
		no_memory(b);
		return 0;
	}
	return id;
}

pp_str
pp_build_strz(struct pp_builder *b, const char *z)
{
	return pp_build_str(b, pp_slice_z(z));
}

pp_str
pp_build_buf(struct pp_builder *b, struct pp_buf *text)
{
	pp_str id = 0;

	if (text->failed)
		no_memory(b);
	else
		id = pp_build_str(b, pp_slice_of(text->p ? text->p : "", text->n));
	pp_buf_release(text);
	return id;
}

pp_str
pp_build_strf(struct pp_builder *b, const char *fmt, ...)
{
	struct pp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	return pp_build_buf(b, &text);
}

pp_module
pp_build_module(struct pp_builder *b, const struct pp_module_row *row)
{
	struct pp_profile *p = b->profile;
	uint64_t hash = pp_mix((uint64_t)row->name << 32 | row->build_id, PP_HASH_K1 + row->kind);
	uint32_t tag = pp_index_tag(&b->module_index, hash), i;
	size_t at = pp_index_begin(&b->module_index, tag);

	if (!pp_builder_ok(b))
		return 0;
	while ((i = pp_index_next(&b->module_index, tag, &at)) != PP_MAP_NONE)
		if (p->modules.at[i].name == row->name &&
		    p->modules.at[i].build_id == row->build_id &&
		    p->modules.at[i].kind == row->kind)
			return i;
	i = (uint32_t)p->modules.n;
	if (!pp_vec_push(&p->modules, *row) || !pp_index_add(&b->module_index, tag, i)) {
		no_memory(b);
		return 0;
	}
	return i;
}

static uint64_t
func_hash(const struct pp_func_row *f)
{
	return pp_mix((uint64_t)f->name << 32 | f->file, PP_HASH_K1 ^
	                                                     ((uint64_t)f->line << 32 | f->module) ^
	                                                     (uint64_t)f->column << 16);
}

static bool
func_same(const struct pp_func_row *a, const struct pp_func_row *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       a->module == b->module && a->column == b->column;
}

/* The first function of an identity in an index, PP_MAP_NONE when there is none. */
static uint32_t
func_find(const struct pp_profile *p, const struct pp_index *index, uint32_t tag,
          const struct pp_func_row *row)
{
	size_t at = pp_index_begin(index, tag);
	uint32_t i;

	while ((i = pp_index_next(index, tag, &at)) != PP_MAP_NONE)
		if (func_same(&p->funcs.at[i], row))
			break;
	return i;
}

pp_func
pp_build_func(struct pp_builder *b, const struct pp_func_row *row)
{
	struct pp_profile *p = b->profile;
	uint32_t tag = pp_index_tag(&b->func_index, func_hash(row)), i;

	if (!pp_builder_ok(b))
		return 0;
	i = func_find(p, &b->func_index, tag, row);
	if (i != PP_MAP_NONE)
		return i;
	i = (uint32_t)p->funcs.n;
	if (p->funcs.n >= UINT32_MAX - 1 || !pp_vec_push(&p->funcs, *row) ||
	    !pp_index_add(&b->func_index, tag, i)) {
		no_memory(b);
		return 0;
	}
	p->funcs.at[i].same = i;
	return i;
}

pp_func
pp_build_func_later(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;
	uint32_t i = (uint32_t)p->funcs.n;

	if (!pp_builder_ok(b))
		return 0;
	b->has_later = true;
	/* Not in the index: it has no identity yet. */
	if (p->funcs.n >= UINT32_MAX - 1 ||
	    !pp_vec_push(&p->funcs, (struct pp_func_row){ .same = i })) {
		no_memory(b);
		return 0;
	}
	return i;
}

void
pp_build_func_bind(struct pp_builder *b, pp_func func, const struct pp_func_row *row)
{
	if (!pp_builder_ok(b) || func == 0 || func >= b->profile->funcs.n)
		return;
	b->profile->funcs.at[func] = *row;
	b->profile->funcs.at[func].same = func;
}

static uint64_t
frame_hash(const struct pp_frame_row *f)
{
	uint64_t h = pp_mix((uint64_t)f->func << 32 | f->line, PP_HASH_K1 ^ f->address);

	h = pp_mix(h ^ ((uint64_t)f->column << 32 | f->site_line), PP_HASH_K2 ^ f->offset);
	return pp_mix(h ^ ((uint64_t)f->file << 32 | (uint32_t)f->inline_depth << 16 | f->flags),
	              PP_HASH_K1);
}

static bool
frame_same(const struct pp_frame_row *a, const struct pp_frame_row *b)
{
	return a->func == b->func && a->line == b->line && a->column == b->column &&
	       a->site_line == b->site_line && a->address == b->address && a->offset == b->offset &&
	       a->inline_depth == b->inline_depth && a->flags == b->flags && a->file == b->file;
}

pp_frame
pp_build_frame(struct pp_builder *b, const struct pp_frame_row *row)
{
	struct pp_profile *p = b->profile;
	struct pp_frame_row plain = { .func = row->func };
	uint32_t tag, i;
	size_t at;

	if (!pp_builder_ok(b))
		return 0;
	if (pp_order_is_by_function(&b->order)) {
		/* What stands for several frames says so where others have an address. */
		if (p->funcs.at[row->func].flags & PP_FUNC_MORE)
			plain.more = row->more;
		row = &plain;
	}
	tag = pp_index_tag(&b->frame_index, frame_hash(row));
	at = pp_index_begin(&b->frame_index, tag);
	while ((i = pp_index_next(&b->frame_index, tag, &at)) != PP_MAP_NONE)
		if (frame_same(&p->frames.at[i], row))
			return i;
	i = (uint32_t)p->frames.n;
	if (p->frames.n >= UINT32_MAX - 1 || !pp_vec_push(&p->frames, *row) ||
	    !pp_index_add(&b->frame_index, tag, i)) {
		no_memory(b);
		return 0;
	}
	return i;
}

pp_frame
pp_build_frame_named(struct pp_builder *b, struct pp_slice name)
{
	struct pp_func_row func = { .name = pp_build_str(b, name) };
	struct pp_frame_row frame = { .func = pp_build_func(b, &func) };

	return pp_builder_ok(b) ? pp_build_frame(b, &frame) : 0;
}

/* ---- costs ------------------------------------------------------------------------------ */

bool
pp_metrics_push(struct pp_profile *p, const struct pp_metric *metric)
{
	struct pp_metric *last;
	size_t i;

	if (!pp_vec_push(&p->metrics, *metric))
		return false;
	last = &p->metrics.at[p->metrics.n - 1];
	last->flags &= ~(unsigned)PP_METRIC_SHARED;
	for (i = 0; i < p->metrics.n - 1; i++)
		if (p->metrics.at[i].name == last->name &&
		    !((p->metrics.at[i].flags ^ last->flags) & PP_METRIC_GAINED)) {
			p->metrics.at[i].flags |= PP_METRIC_SHARED;
			last->flags |= PP_METRIC_SHARED;
		}
	return true;
}

uint32_t
pp_build_metric(struct pp_builder *b, const struct pp_metric *metric)
{
	if (!pp_builder_ok(b))
		return 0;
	if (!pp_metrics_push(b->profile, metric)) {
		no_memory(b);
		return 0;
	}
	return (uint32_t)(b->profile->metrics.n - 1);
}

uint32_t
pp_build_gains(struct pp_builder *b)
{
	uint32_t m, n = (uint32_t)b->profile->metrics.n, made = 0;
	bool wanted = b->order.facets & PP_GAINS_ALL;

	for (m = 0; m < n; m++)
		wanted |= b->profile->metrics.at[m].flags & PP_METRIC_PRIMARY &&
		          pp_metric_falls(&b->profile->metrics.at[m]);
	for (m = 0; m < n && wanted && pp_order_has_gains(&b->order); m++) {
		struct pp_metric gained = b->profile->metrics.at[m];

		if (!pp_metric_falls(&gained))
			continue;
		gained.flags &= ~(unsigned)(PP_METRIC_PRIMARY | PP_METRIC_SIGNED);
		gained.flags |= PP_METRIC_GAINED;
		gained.net = m;
		(void)pp_build_metric(b, &gained);
		made++;
	}
	return pp_builder_ok(b) ? made : 0;
}

uint32_t
pp_build_metric_z(struct pp_builder *b, const char *name, const char *unit,
                  enum pp_metric_kind kind, enum pp_cell_type type, unsigned flags)
{
	struct pp_metric metric = { .name = pp_build_strz(b, name),
		                    .unit = pp_build_strz(b, unit),
		                    .kind = kind,
		                    .type = type,
		                    .flags = flags };

	return pp_build_metric(b, &metric);
}

uint32_t
pp_build_series(struct pp_builder *b, const struct pp_series *like, bool dense, bool has_calls)
{
	struct pp_profile *p = b->profile;
	struct pp_series s = { .event = like->event,
		               .process = like->process,
		               .thread = like->thread,
		               .pid = like->pid,
		               .tid = like->tid,
		               .cpu = like->cpu,
		               .context = like->context,
		               .labels = like->labels,
		               .dense = dense,
		               .has_calls = has_calls,
		               .measured = like->measured,
		               .stride = (uint32_t)(p->metrics.n * (like->measured ? 2 : 1)) +
		                         has_calls,
		               .row_of = { .seed = b->seed } };

	if (!pp_builder_ok(b))
		return 0;
	if (!pp_vec_push(&p->series, s)) {
		no_memory(b);
		return 0;
	}
	return (uint32_t)(p->series.n - 1);
}

uint32_t
pp_build_series_late(struct pp_builder *b, const struct pp_series *like, uint32_t columns)
{
	uint32_t series = pp_build_series(b, like, false, false);

	if (pp_builder_ok(b))
		b->profile->series.at[series].stride = columns;
	return series;
}

void
pp_build_series_settle(struct pp_builder *b, uint32_t series, const uint32_t *metrics,
                       bool unordered)
{
	struct pp_series *s = &b->profile->series.at[series];
	size_t columns = s->stride, wide = b->profile->metrics.n, cells_n, row, k;
	int64_t *cells;

	cells = pp_size_mul(s->rows, wide, &cells_n) ? calloc(cells_n + 1, sizeof *cells) : NULL;
	if (!cells || !pp_timeline_settle(&s->timeline, metrics, (uint32_t)wide, unordered) ||
	    !pp_stacks_settled(b, series, metrics)) {
		free(cells);
		no_memory(b);
		return;
	}
	for (row = 0; row < s->rows; row++)
		for (k = 0; k < columns; k++)
			if (metrics[k] != PP_NO_METRIC)
				cells[row * wide + metrics[k]] = s->cells[row * columns + k];
	free(s->cells);
	s->cells = cells;
	s->stride = (uint32_t)wide;
	s->rows_cap = s->rows;
}

uint32_t
pp_build_series_plain(struct pp_builder *b, bool dense, bool has_calls)
{
	struct pp_series none = { .pid = -1, .tid = -1, .cpu = -1 };

	return pp_build_series(b, &none, dense, has_calls);
}

/* Makes room for rows [0, need) and zeroes the new ones. */
static bool
series_grow(struct pp_series *s, size_t need)
{
	/* There may be very many with labels, of a few rows each. */
	size_t cap = (size_t)s->rows_cap + s->rows_cap / 2 + (s->labels ? 4 : 64);
	size_t bytes, words;
	void *moved;

	if (cap < need)
		cap = need;
	if (cap > UINT32_MAX)
		cap = UINT32_MAX;
	if (!s->wide) {
		if (!pp_size_mul(cap, s->stride * sizeof *s->cells, &bytes))
			return false;
		moved = realloc(s->cells, bytes ? bytes : 1);
		if (!moved)
			return false;
		s->cells = moved;
	}
	words = (cap + 63) / 64;
	moved = s->dense ? realloc(s->present, words * sizeof *s->present)
	                 : realloc(s->node_of, cap * sizeof *s->node_of);
	if (!moved)
		return false;
	if (s->dense) {
		size_t old = ((size_t)s->rows_cap + 63) / 64;

		s->present = moved;
		memset(s->present + old, 0, (words - old) * sizeof *s->present);
	} else {
		s->node_of = moved;
	}
	s->rows_cap = (uint32_t)cap;
	return true;
}

/* Extends a dense series so that it has a row for `node`. */
static bool
series_extend(struct pp_series *s, pp_node node)
{
	size_t rows = (size_t)node + 1;

	if (rows <= s->rows)
		return true;
	if (rows > s->rows_cap && !series_grow(s, rows))
		return false;
	memset(s->cells + (size_t)s->rows * s->stride, 0,
	       (rows - s->rows) * s->stride * sizeof *s->cells);
	s->rows = (uint32_t)rows;
	return true;
}

/* The row of a node in a sparse series, made when absent; PP_MAP_NONE when out of memory. */
static uint32_t
series_row(struct pp_series *s, pp_node node)
{
	uint32_t row = pp_map_get(&s->row_of, node);

	if (row != PP_MAP_NONE)
		return row;
	row = s->rows;
	if ((row == s->rows_cap && !series_grow(s, (size_t)row + 1)) ||
	    (s->wide && !pp_wide_push(s->wide)) || !pp_map_set(&s->row_of, node, row))
		return PP_MAP_NONE;
	if (!s->wide)
		memset(s->cells + (size_t)row * s->stride, 0, s->stride * sizeof *s->cells);
	s->node_of[row] = node;
	s->rows++;
	return row;
}

int64_t *
pp_series_wide_at(struct pp_series *s, pp_node node, uint32_t metric)
{
	uint32_t row = series_row(s, node);

	return row == PP_MAP_NONE ? NULL : pp_wide_at(s->wide, row, metric);
}

bool
pp_series_wide_row(struct pp_series *s, pp_node node)
{
	return series_row(s, node) != PP_MAP_NONE;
}

int64_t *
pp_series_at(struct pp_series *s, pp_node node)
{
	uint32_t row = node;

	if (s->dense ? !series_extend(s, node) : (row = series_row(s, node)) == PP_MAP_NONE)
		return NULL;
	if (s->dense)
		s->present[row >> 6] |= (uint64_t)1 << (row & 63);
	return s->cells + (size_t)row * s->stride;
}

int64_t *
pp_build_cells(struct pp_builder *b, uint32_t series, pp_node node)
{
	int64_t *cells;

	if (!goes_on_often(b) || series >= b->profile->series.n)
		return NULL;
	cells = pp_series_at(&b->profile->series.at[series], node);
	if (!cells)
		no_memory(b);
	return cells;
}

bool
pp_build_add(struct pp_builder *b, uint32_t series, pp_node node, uint32_t metric, int64_t value)
{
	int64_t *cells = pp_build_cells(b, series, node);

	return cells && pp_cell_add(b->profile->metrics.at[metric].type, &cells[metric], value);
}

/* ---- the tree --------------------------------------------------------------------------- */

/* Tells a full tree from missing memory. */
static void
tree_failed(struct pp_builder *b, size_t more)
{
	if ((size_t)b->profile->tree.n + more > b->profile->tree.max_nodes)
		pp_builder_fail(b, PP_E_LIMIT, "the call tree has too many nodes");
	else
		no_memory(b);
}

pp_node
pp_build_child(struct pp_builder *b, pp_node parent, pp_frame frame)
{
	pp_node node;

	if (!goes_on_often(b))
		return 0;
	node = pp_tree_child(&b->profile->tree, parent, frame);
	if (PP_UNLIKELY(!node))
		tree_failed(b, 1);
	return node;
}

bool
pp_build_batch(struct pp_builder *b, const pp_frame *frames, const uint32_t *depth,
               const pp_node *under, size_t stacks, pp_node *leaf)
{
	size_t i, total = 0;

	if (!pp_builder_goes_on(b))
		return false;
	if (pp_tree_batch(&b->profile->tree, frames, depth, under, stacks, leaf))
		return true;
	for (i = 0; i < stacks; i++)
		total += depth[i];
	tree_failed(b, total);
	return false;
}

/* ---- functions -------------------------------------------------------------------------- */

void
pp_build_func_cost(struct pp_builder *b, pp_func func, uint32_t metric, struct pp_cost_pair cost)
{
	const struct pp_metric *m = &b->profile->metrics.at[metric];
	struct pp_wide *wide;
	struct pp_func_costs to;
	struct pp_cost_pair *pair;

	if (!pp_build_func_costs(b, func, &to))
		return;
	wide = b->profile->costs.wide;
	if (!wide) {
		pp_value_add(m, &to.own[metric], cost.own);
		pp_value_add(m, &to.total[metric], cost.total);
	} else if (!pp_value_is_zero(m, cost.own) || !pp_value_is_zero(m, cost.total)) {
		pair = pp_wide_at(wide, to.row, metric);
		if (!pair) {
			no_memory(b);
			return;
		}
		pp_value_add(m, &pair->own, cost.own);
		pp_value_add(m, &pair->total, cost.total);
	}
}

/* ---- meta and extras -------------------------------------------------------------------- */

uint32_t
pp_build_meta(struct pp_builder *b, uint32_t parent, struct pp_slice key, enum pp_meta_type type,
              struct pp_slice text)
{
	struct pp_meta_row row = { parent, pp_build_str(b, key), pp_build_str(b, text), type };

	if (!pp_builder_ok(b))
		return 0;
	if (!pp_vec_push(&b->profile->meta, row)) {
		no_memory(b);
		return 0;
	}
	return (uint32_t)b->profile->meta.n;
}

void
pp_build_meta_z(struct pp_builder *b, const char *key, enum pp_meta_type type, struct pp_slice text)
{
	(void)pp_build_meta(b, 0, pp_slice_z(key), type, text);
}

void
pp_build_extra(struct pp_builder *b, uint32_t table, uint32_t row, const char *key,
               struct pp_slice bytes)
{
	struct pp_extra_row extra = { table, row, pp_build_strz(b, key), pp_build_str(b, bytes) };

	if (pp_builder_ok(b) && !pp_vec_push(&b->profile->kept.extras, extra))
		no_memory(b);
}

/* ---- the end ---------------------------------------------------------------------------- */

/* Functions bound late may share an identity: the first one speaks for all. */
static bool
settle_same(struct pp_builder *b)
{
	struct pp_profile *p = b->profile;
	struct pp_index index = { .seed = b->seed };
	bool ok = true;
	size_t i;

	for (i = 1; ok && i < p->funcs.n; i++) {
		uint32_t tag = pp_index_tag(&index, func_hash(&p->funcs.at[i]));
		uint32_t k = func_find(p, &index, tag, &p->funcs.at[i]);

		/* Only the first of an identity is entered: thousands may have none. */
		if (k != PP_MAP_NONE)
			p->funcs.at[i].same = p->funcs.at[k].same;
		else
			ok = pp_index_add(&index, tag, (uint32_t)i);
	}
	pp_slots_release(&index.slots);
	return ok;
}

/* Gives every dense series a row for every node, so that readers need no test. */
static bool
settle_series(struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		pp_map_release(&s->row_of);
		pp_timeline_seal(&s->timeline);
		if (s->dense && !series_extend(s, p->tree.n - 1))
			return false;
		if (s->rows && s->cells) {
			void *fitted = realloc(s->cells,
			                       (size_t)s->rows * s->stride * sizeof *s->cells + 1);

			s->cells = fitted ? fitted : s->cells;
		}
		if (s->timeline.n)
			p->facets |= PP_TIMELINE;
	}
	return true;
}

/* No stack is deeper than the limit. Only trees with so many nodes can have one. */
static bool
depth_check(struct pp_builder *b)
{
	const struct pp_tree *t = &b->profile->tree;
	uint32_t *depth;
	pp_node node;

	if (t->n <= b->limits.max_depth)
		return true;
	depth = calloc(t->n, sizeof *depth);
	if (!depth)
		no_memory(b);
	for (node = 1; depth && node < t->n && pp_builder_ok(b); node++) {
		depth[node] = depth[pp_tree_parent(t, node)] + 1;
		if (depth[node] > b->limits.max_depth)
			pp_builder_fail(b, PP_E_LIMIT, PP_TOO_DEEP);
	}
	free(depth);
	return pp_builder_ok(b);
}

pp_status
pp_builder_finish(struct pp_builder *b, struct pp_profile **out)
{
	struct pp_profile *p = b->profile;

	*out = NULL;
	if (!pp_builder_ok(b) || !pp_stacks_finish(b) || !depth_check(b) || !pp_builder_prune(b))
		return b->status;
	pp_tree_seal(&p->tree);
	if ((b->has_later && !settle_same(b)) || !settle_series(p) || !pp_sources_settle(p)) {
		no_memory(b);
		return b->status;
	}
	/* Where nothing but calls is there, they tell what functions cost. */
	if (p->tree.n <= 1 && p->calls.rows.n && pp_profile_basis(p) == PP_BASIS_TREE)
		p->calls.adds_up = true;
	if (p->tree.n > 1 || p->held)
		p->facets |= PP_TREE;
	if (p->calls.rows.n)
		p->facets |= PP_EDGES;
	if (p->lines.rows.n)
		p->facets |= PP_LINES;
	p->holds |= p->facets;
	if (!pp_builder_keeps(b, PP_LINES))
		p->facets &= ~(unsigned)PP_LINES;
	*out = p;
	b->profile = NULL;
	return PP_OK;
}
