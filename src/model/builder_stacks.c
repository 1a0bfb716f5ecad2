/*
 * Whole stacks into the profile: the one place that decides what becomes of them.
 *
 * Where the order wants stacks, they wait in a batch, because the tree adds many at once faster than one
 * after the other. Where only costs per function are ordered and it is known what is counted, they are
 * filtered and added up as they come, and no tree is built.
 */
#include "model/builder_stacks.h"

#include "model/leaf_kind.h"

/* ---- life ------------------------------------------------------------------------------- */

void
pp_stacks_free(struct pp_stacks *x)
{
	if (!x)
		return;
	pp_vec_release(&x->types);
	pp_vec_release(&x->column_of);
	pp_vec_release(&x->spills);
	pp_vec_release(&x->values);
	pp_vec_release(&x->own);
	pp_vec_release(&x->keeps);
	pp_vec_release(&x->idles);
	pp_vec_release(&x->idle);
	pp_sieve_release(&x->sieve);
	pp_sums_release(&x->sums);
	pp_walk_release(&x->walk);
	pp_held_free(x->held);
	pp_vec_release(&x->left);
	pp_vec_release(&x->came);
	pp_vec_release(&x->total);
	pp_vec_release(&x->self);
	pp_stacks_sparse_release(x);
	free(x);
}

bool
pp_stacks_column(struct pp_builder *b, enum pp_cell_type type)
{
	struct pp_stacks *x = b->stacks;
	size_t n = x->columns + 1, old = x->total.cap;

	if (!pp_vec_push(&x->types, (uint8_t)type) ||
	    (x->late && !x->is_sparse && n > PP_FEW_COLUMNS && !pp_stacks_to_sparse(b)))
		return false;
	if (!x->is_sparse && (!pp_vec_reserve(&x->values, BATCH_STACKS * (n + 1)) ||
	                      (x->late && !pp_vec_reserve(&x->own, BATCH_STACKS * (n + 1)))))
		return false;
	x->columns = n;
	if (!x->adds_up)
		return true;
	if (!pp_sums_widen(&x->sums) || !pp_vec_reserve(&x->total, x->sums.stride) ||
	    !pp_vec_reserve(&x->self, x->total.cap))
		return false;
	if (type == PP_REAL)
		pp_sums_to_real(&x->sums, n - 1, 1.0);
	/* A sum of nothing is all zero bits, as an integer and as a double. */
	memset(x->total.at + old, 0, (x->total.cap - old) * sizeof *x->total.at);
	memset(x->self.at + old, 0, (x->total.cap - old) * sizeof *x->self.at);
	return true;
}

/* Whether stacks may wait until all are known. */
static bool
stacks_may_hold(const struct pp_builder *b)
{
	const struct pp_stacks *x = b->stacks;
	size_t m;

	for (m = 0; m < x->columns; m++)
		if (column_type(b, m) == PP_REAL)
			return false;
	return b->may_hold && (b->order.cut_share > 0 || b->order.listed) && x->columns > 0 &&
	       x->columns <= PP_HELD_COLUMNS && !x->late && (!x->times || b->order.listed) &&
	       !x->adds_up && !x->sieves && !b->order.keep;
}

struct pp_stacks *
pp_stacks_start(struct pp_builder *b, size_t columns, bool late)
{
	const struct pp_profile *p = b->profile;
	struct pp_stacks *x;
	size_t m;

	if (!pp_builder_ok(b))
		return NULL;
	/* Attributing memory needs whole stacks. */
	if (b->order.facets & PP_ASIDE && pp_order_adds_up(&b->order) &&
	    pp_profile_has_allocations(p))
		pp_builder_plant(b);
	b->stacks = x = calloc(1, sizeof *x);
	if (!x) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	x->sums.sparse.seed = x->cells.seed = x->row_of.seed = b->seed;
	x->late = late;
	x->times = b->order.facets & PP_TIMELINE;
	x->adds_up = pp_order_needs_no_tree(&b->order) && (late || p->metrics.n > 0);
	/* Whoever learns at the end what is counted may learn then, too, which functions are the same. */
	x->sieves = pp_order_sieves(&b->order) && !late &&
	            (p->metrics.n > 0 || pp_filter_is_by_name(b->order.filter));
	if (x->adds_up || x->sieves)
		pp_sieve_init(&x->sieve, b->order.filter);
	for (m = 0; m < columns; m++)
		if (!pp_stacks_column(b, m < p->metrics.n ? p->metrics.at[m].type : PP_UINT)) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return NULL;
		}
	if (stacks_may_hold(b) && !(x->held = pp_held_new(columns, b->seed))) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	return x;
}

/* The same, for a stack of that series. */
static PP_NOINLINE struct pp_stacks *
stacks_start_for(struct pp_builder *b, uint32_t series)
{
	const struct pp_series *s = &b->profile->series.at[series];

	return series < b->profile->series.n ? pp_stacks_start(b, s->stride - s->has_calls, false)
	                                     : NULL;
}

/* ---- sums that are too large ------------------------------------------------------------ */

void
pp_builder_overflow(struct pp_builder *b, pp_func func, size_t metric, struct pp_place place)
{
	struct pp_buf text = { 0 };

	b->overflowed = true;
	if (!b->diags)
		return;
	b->profile->complete = false;
	if (b->sum_rule) {
		pp_diag_add(b->diags, b->sum_rule, place, "%s", b->sum_message);
		return;
	}
	pp_profile_sum_problem(b->profile, func, metric, &text);
	pp_diag_add(b->diags, &pp_model_rules[PP_MODEL_SUM_OVERFLOW], place, "%s",
	            text.p ? text.p : pp_model_rules[PP_MODEL_SUM_OVERFLOW].title);
	pp_buf_release(&text);
}

/* ---- the tree --------------------------------------------------------------------------- */

/* Adds all values of a stack, or none when a sum, of column *at, would not fit. */
static bool
cells_add(const struct pp_builder *b, int64_t *cells, const int64_t *values, size_t *at)
{
	size_t n = b->stacks->columns, m, k;

	for (m = 0; m < n; m++) {
		if (PP_LIKELY(pp_cell_add(column_type(b, m), &cells[m], values[m])))
			continue;
		/* Sums of doubles never fail, so those before are whole numbers or exact again. */
		for (k = 0; k < m; k++)
			if (column_type(b, k) != PP_REAL)
				cells[k] = (int64_t)((uint64_t)cells[k] - (uint64_t)values[k]);
		*at = m;
		return false;
	}
	return true;
}

static void
moment_add(struct pp_builder *b, const struct waiting *w, pp_node node, const int64_t *values)
{
	struct pp_series *s = &b->profile->series.at[w->series];
	struct pp_event event = { w->pause ? PP_EVENT_EXIT : PP_EVENT_SAMPLE, node, w->time,
		                  w->cpu };

	if ((!s->timeline.last_values &&
	     !pp_timeline_init(&s->timeline, (uint32_t)b->stacks->columns, false)) ||
	    !pp_timeline_add(&s->timeline, &event, values))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
}

/* Room for the columns that came since the series got its first rows. */
static bool
series_widen(struct pp_series *s, size_t columns)
{
	size_t old = s->stride, wide = old ? old : 1, need, i;
	int64_t *cells;

	while (wide < columns)
		wide *= 2;
	if (!pp_size_mul(s->rows_cap + 1u, wide, &need) || !(cells = calloc(need, sizeof *cells)))
		return false;
	for (i = 0; i < s->rows && old; i++)
		memcpy(cells + i * wide, s->cells + i * old, old * sizeof *cells);
	free(s->cells);
	s->cells = cells;
	s->stride = (uint32_t)wide;
	return true;
}

/* The cells of a node, with room for all columns. */
static inline int64_t *
node_cells(struct pp_builder *b, uint32_t series, pp_node node)
{
	struct pp_series *s = &b->profile->series.at[series];

	if (PP_UNLIKELY(b->stacks->late && s->stride < b->stacks->columns) &&
	    !series_widen(s, b->stacks->columns)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	return pp_build_cells(b, series, node);
}

uint32_t
pp_stacks_spill(struct pp_builder *b, uint32_t series)
{
	struct pp_stacks *x = b->stacks;

	while (x->spills.n <= series)
		if (!pp_vec_push(&x->spills, 0)) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return 0;
		}
	if (!x->spills.at[series]) {
		struct pp_series like = b->profile->series.at[series];

		x->spills.at[series] = pp_build_series(b, &like, false, false);
	}
	return x->spills.at[series];
}

/* A sum that does not fit goes on in one more series of the same properties. */
static bool
node_spill(struct pp_builder *b, uint32_t series, pp_node node, const int64_t *values)
{
	int64_t *cells;
	size_t at;

	do {
		series = pp_stacks_spill(b, series);
		cells = series ? node_cells(b, series, node) : NULL;
	} while (cells && !cells_add(b, cells, values, &at));
	return cells != NULL;
}

/* Part of a cost that is not the leaf's own: more than a cell holds goes on in further rows. */
static bool
not_own_push(struct pp_builder *b, struct pp_not_own_row row, int64_t cell)
{
	row.cell = cell;
	if (pp_vec_push(&b->profile->not_own, row))
		return true;
	pp_builder_fail(b, PP_E_NOMEM, NULL);
	return false;
}

bool
pp_stacks_not_own(struct pp_builder *b, struct pp_not_own_row row, int64_t value, int64_t own)
{
	enum pp_cell_type type = column_type(b, row.metric);
	union pp_value whole = column_value(b, row.metric, value),
	               part = column_value(b, row.metric, own);
	bool fine = true;

	if (own == value)
		return true;
	if (type == PP_REAL)
		return not_own_push(b, row, pp_cell_real(whole.d - part.d));
	whole.i -= part.i;
	for (; fine && type == PP_INT && whole.i > INT64_MAX; whole.i -= INT64_MAX)
		fine = not_own_push(b, row, INT64_MAX);
	for (; fine && whole.i < INT64_MIN; whole.i -= INT64_MIN)
		fine = not_own_push(b, row, INT64_MIN);
	return fine && not_own_push(b, row, (int64_t)whole.i);
}

/* Notes what of a stack's cost is not its leaf's own. */
static bool
not_own_add(struct pp_builder *b, uint32_t series, pp_node node, const int64_t *values,
            const int64_t *own)
{
	struct pp_not_own_row row = { .series = series, .node = node };
	bool fine = true;

	for (row.metric = 0; fine && node && row.metric < b->stacks->columns; row.metric++)
		fine = pp_stacks_not_own(b, row, values[row.metric], own[row.metric]);
	return fine;
}

/* Adds what a stack costs to its node. */
static inline bool
node_add(struct pp_builder *b, const struct waiting *w, pp_node node, const int64_t *values,
         const int64_t *own)
{
	int64_t *cells = node_cells(b, w->series, node);
	size_t at;

	if (PP_UNLIKELY(!cells))
		return false;
	if (PP_UNLIKELY(w->apart) && !not_own_add(b, w->series, node, values, own))
		return false;
	if (PP_LIKELY(cells_add(b, cells, values, &at))) {
		if (w->timed)
			moment_add(b, w, node, values);
		return true;
	}
	if (b->stacks->late)
		return node_spill(b, w->series, node, values);
	pp_builder_overflow(b, pp_node_func(b->profile, node), at, w->place);
	return true;
}

/* Notes when all stacks together cost more than 64 bits hold: then one may. */
static void
sums_check(struct pp_builder *b)
{
	const struct pp_sums *s = &b->stacks->sums;
	size_t m;

	if (!pp_walk_settle(b->stacks))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	/* Where columns come one by one, nobody reads again. */
	for (m = 0; s->rows && m < s->columns && !b->stacks->late; m++) {
		union pp_value own = pp_sums_get(s, 0, m).own;

		b->overflowed |= !s->real[m] && (own.i > UINT64_MAX || own.i < INT64_MIN);
	}
}

bool
pp_build_flush(struct pp_builder *b)
{
	struct pp_stacks *x = b->stacks;
	bool fine = pp_builder_ok(b);
	size_t i;

	if (x && x->adds_up)
		sums_check(b);
	if (!x || x->n == 0 || !fine)
		return fine;
	fine = pp_build_batch(b, x->frames, x->depth, x->under, x->n, x->leaf);
	for (i = 0; fine && i < x->n; i++) {
		if (x->rows[i].where)
			*x->rows[i].where = x->leaf[i] + 1;
		if (x->rows[i].pause)
			moment_add(b, &x->rows[i], 0, x->values.at + i * x->columns);
		else if (!x->rows[i].path && x->is_sparse)
			fine = pp_stacks_sparse_add(b, &x->rows[i], x->leaf[i]);
		else if (!x->rows[i].path)
			fine = node_add(b, &x->rows[i], x->leaf[i], x->values.at + i * x->columns,
			                x->rows[i].apart ? x->own.at + i * x->columns : NULL);
	}
	x->n = x->frames_n = x->parts.n = 0;
	return fine && pp_builder_ok(b);
}

/* Stacks that waited go into the tree, without what is below branches thinner than a share. */
static bool
held_give(struct pp_builder *b, double share)
{
	struct pp_stacks *x = b->stacks;
	struct pp_held *h = x->held;
	bool fine = share <= 0 || pp_held_cut(h, b->profile, share);
	struct pp_place place = b->place;
	size_t i, n = pp_held_count(h), depth;

	x->held = NULL;
	b->place = PP_NOWHERE;
	for (i = 0; fine && i < n; i++) {
		const int64_t *values;
		const pp_frame *frames = pp_held_get(h, i, &depth, &values);

		fine = frames && pp_build_stack(b, 0, frames, depth, values);
	}
	b->place = place;
	pp_held_free(h);
	if (!fine)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return fine;
}

/* Lets a stack wait for all others; *held is false when none does any longer. False on failure. */
static bool
stack_hold(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames, size_t depth,
           bool *held)
{
	bool plain = s->values && !s->own && !s->columns && !s->where && !s->timed &&
	             s->series == 0 && (depth > 0 || !b->order.listed);
	enum pp_held_result result = plain ? pp_held_add(b->stacks->held, frames, depth, s->values)
	                                   : PP_HELD_NOT;

	*held = result == PP_HELD;
	if (result == PP_HELD_NOT)
		return held_give(b, 0);
	if (result == PP_HELD_NO_MEMORY)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return result == PP_HELD;
}

/* Whether the order keeps a name of a stack. */
static bool
stack_is_kept(struct pp_builder *b, const pp_frame *frames, size_t depth)
{
	const struct pp_profile *p = b->profile;
	struct pp_stacks *x = b->stacks;
	bool kept = false;
	size_t i;

	while (x->keeps.n < p->frames.n) {
		pp_str name = p->funcs.at[p->frames.at[x->keeps.n].func].name;

		if (!pp_vec_push(&x->keeps, pp_keep_name(b->order.keep, pp_text_of(p, name)))) {
			pp_builder_fail(b, PP_E_NOMEM, NULL);
			return false;
		}
	}
	for (i = 0; i < depth; i++)
		kept |= x->keeps.at[frames[i]];
	return kept;
}

/* Notes a stack that waits below `under`; the batch has room. */
static inline void
stack_wait(struct pp_stacks *x, const struct pp_sample *s, const pp_frame *frames, size_t depth,
           pp_node under, const struct pp_place *place)
{
	size_t i, n = x->n++;

	x->rows[n] = (struct waiting){ .series = s->series,
		                       .cpu = s->cpu,
		                       .time = s->time,
		                       .timed = s->timed && x->times,
		                       .path = !s->values,
		                       .apart = s->own != NULL,
		                       .where = s->where,
		                       .place = *place };
	x->depth[n] = (uint32_t)depth;
	x->under[n] = under;
	if (depth)
		memcpy(x->frames + x->frames_n, frames, depth * sizeof *frames);
	x->frames_n += depth;
	for (i = 0; i < x->columns && s->values && !x->is_sparse; i++)
		x->values.at[n * x->columns + i] = s->values[i];
	for (i = 0; i < x->columns && s->own && !x->is_sparse; i++)
		x->own.at[n * x->columns + i] = s->own[i];
}

/* A stack that no batch has room for. */
static bool
stack_deep(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames, uint32_t depth)
{
	struct waiting w = { .series = s->series,
		             .cpu = s->cpu,
		             .time = s->time,
		             .timed = s->timed && b->stacks->times,
		             .apart = s->own != NULL,
		             .place = b->place };
	pp_node root = 0, leaf;

	if (!pp_build_batch(b, frames, &depth, &root, 1, &leaf))
		return false;
	if (s->where)
		*s->where = leaf + 1;
	if (s->values && b->stacks->is_sparse)
		return pp_stacks_parts(b, s, &w) && pp_stacks_sparse_add(b, &w, leaf);
	return !s->values || node_add(b, &w, leaf, s->values, s->own);
}

/* ---- filters ---------------------------------------------------------------------------- */

/* What the filter leaves of a stack; *stays is false when that is nothing. False when out of memory. */
static bool
stack_filter(struct pp_builder *b, const pp_frame **frames, size_t *depth, bool *stays)
{
	struct pp_stacks *x = b->stacks;

	*stays = true;
	if (!x->sieve.filter)
		return true;
	if (!pp_sieve_frames(&x->sieve, b->profile) || !pp_vec_reserve(&x->left, *depth + 1)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return false;
	}
	b->profile->holds |= *depth ? PP_TREE : 0; /* also if nothing is left */
	if (*depth)
		memcpy(x->left.at, *frames, *depth * sizeof **frames);
	*stays = pp_sieve_stack(&x->sieve, x->left.at, depth);
	*frames = x->left.at;
	return true;
}

/* Where stacks are said to have gone that the filter dropped. */
#define DROPPED UINT32_MAX

/* Adds up what stacks cost before they are filtered. */
static bool
came_add(struct pp_builder *b, uint32_t series, const union pp_value *more, const int64_t *values)
{
	struct pp_stacks *x = b->stacks;
	size_t need = ((size_t)series + 1) * x->columns, m;

	if (!pp_vec_reserve(&x->came, need)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return false;
	}
	for (; x->came.n < need; x->came.n++)
		x->came.at[x->came.n] = (union pp_value){ 0 };
	for (m = 0; m < x->columns; m++) {
		const struct pp_metric like = { .type = column_type(b, m) };

		pp_value_add(&like, &x->came.at[series * x->columns + m],
		             values ? pp_cell_value(&like, values[m]) : more[m]);
	}
	return true;
}

bool
pp_stacks_settled(struct pp_builder *b, uint32_t series, const uint32_t *metrics)
{
	struct pp_costs_facet *costs = &b->profile->costs;
	const struct pp_stacks *x = b->stacks;
	size_t m;

	if (!x || !x->sieves || x->sieve.status != PP_OK)
		return true;
	costs->filtered = true;
	while (costs->unfiltered.n < b->profile->metrics.n)
		if (!pp_vec_push(&costs->unfiltered, (union pp_value){ 0 }))
			return false;
	for (m = 0; m < x->columns && (series + 1) * x->columns <= x->came.n; m++)
		if (metrics[m] != PP_NO_METRIC)
			pp_value_add(&b->profile->metrics.at[metrics[m]],
			             &costs->unfiltered.at[metrics[m]],
			             x->came.at[series * x->columns + m]);
	return true;
}

/* ---- costs per function ----------------------------------------------------------------- */

/* What a stack costs, as sums; those that it has no value for are 0 anyway. */
static struct pp_stack_cost
stack_cost(struct pp_builder *b, const struct pp_sample *s)
{
	struct pp_stacks *x = b->stacks;
	size_t n = s->columns ? s->column_count : x->columns, i;

	for (i = 0; i < n; i++) {
		size_t m = s->columns ? s->columns[i] : i;

		x->total.at[m] = column_value(b, m, s->values[m]);
		if (s->own)
			x->self.at[m] = column_value(b, m, s->own[m]);
	}
	return (struct pp_stack_cost){ s->own ? x->self.at : x->total.at, x->total.at, s->columns,
		                       s->column_count };
}

/* Leaves them 0 again for the next one. */
static void
stack_cost_clear(struct pp_stacks *x, const struct pp_sample *s)
{
	size_t i;

	for (i = 0; s->columns && i < s->column_count; i++)
		x->total.at[s->columns[i]] = x->self.at[s->columns[i]] = (union pp_value){ 0 };
}

static bool
stack_sum(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames, size_t depth)
{
	struct pp_stacks *x = b->stacks;
	struct pp_stack_cost cost;
	bool stays, fine;

	if (!pp_sums_reserve(&x->sums, b->profile->frames.n)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return false;
	}
	if (!s->values)
		return true;
	cost = stack_cost(b, s);
	if (!stack_filter(b, &frames, &depth, &stays))
		return false;
	if (PP_UNLIKELY(stays && pp_stack_is_idle(b, frames, depth))) {
		stays = false;
		if (!pp_idle_add(b, x->total.at))
			pp_builder_fail(b, PP_E_NOMEM, NULL);
	}
	fine = stays ? pp_sums_add(&x->sums, frames, depth, cost) : pp_sums_pass(&x->sums, cost);
	stack_cost_clear(x, s);
	if (!fine)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return fine;
}

bool
pp_stacks_merge(struct pp_builder *into, const struct pp_builder *from, const pp_frame *frame_map)
{
	const struct pp_stacks *y = from->stacks;
	struct pp_stacks *x = into->stacks;
	size_t row;

	if (!y || !(y->adds_up || y->sieves))
		return true;
	if (!x && !(x = stacks_start_for(into, 0)))
		return false;
	if (y->sieve.status != PP_OK)
		x->sieve.status = y->sieve.status;
	if (y->sieves)
		return !y->came.n || came_add(into, 0, y->came.at, NULL);
	if (!pp_sums_reserve(&x->sums, into->profile->frames.n)) {
		pp_builder_fail(into, PP_E_NOMEM, NULL);
		return false;
	}
	if (y->idle.n && !pp_idle_add(into, y->idle.at)) {
		pp_builder_fail(into, PP_E_NOMEM, NULL);
		return false;
	}
	for (row = 0; row < y->sums.rows && row < from->profile->frames.n; row++)
		if ((row == 0 || y->sums.seen[row]) &&
		    !pp_sums_merge(&x->sums, frame_map[row], &y->sums, row)) {
			pp_builder_fail(into, PP_E_NOMEM, NULL);
			return false;
		}
	sums_check(into);
	return true;
}

/* What came in series whose columns are the metrics. */
static bool
came_give(struct pp_builder *b)
{
	const struct pp_profile *p = b->profile;
	uint32_t *same = calloc(b->stacks->columns + 1, sizeof *same), series;
	bool fine = same != NULL;
	size_t m;

	for (m = 0; fine && m < b->stacks->columns; m++)
		same[m] = m < p->metrics.n ? (uint32_t)m : PP_NO_METRIC;
	for (series = 0; fine && series < p->series.n; series++)
		fine = pp_stacks_settled(b, series, same);
	free(same);
	return fine;
}

bool
pp_stacks_finish(struct pp_builder *b)
{
	struct pp_stacks *x = b->stacks;
	bool known = x && (!x->late || x->column_of.n == b->profile->metrics.n);

	if (x && x->held && b->order.listed) {
		b->profile->held = x->held;
		x->held = NULL;
	} else if (x && x->held && pp_builder_ok(b)) {
		(void)held_give(b, b->order.cut_share);
	}
	if (pp_build_flush(b) && known && x->adds_up && !pp_stacks_give_sums(b))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	if (pp_builder_ok(b) && known && x->is_sparse && !pp_stacks_spread(b))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	if (pp_builder_ok(b) && x && !b->profile->costs.filtered && !came_give(b))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return pp_builder_ok(b);
}

/* ---- what readers call ------------------------------------------------------------------ */

bool
pp_build_sample(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames,
                size_t depth)
{
	struct pp_stacks *x = b->stacks;
	bool held;

	if (PP_UNLIKELY(!x) && !(x = stacks_start_for(b, s->series)))
		return false;
	if (PP_UNLIKELY(depth > b->limits.max_depth))
		pp_builder_fail(b, PP_E_LIMIT, PP_TOO_DEEP);
	if (PP_UNLIKELY(!pp_builder_ok(b)))
		return false;
	if (x->adds_up)
		return stack_sum(b, s, frames, depth);
	if (x->held) {
		if (!stack_hold(b, s, frames, depth, &held))
			return false;
		if (held)
			return true;
	}
	if (PP_UNLIKELY(b->order.keep) && !stack_is_kept(b, frames, depth))
		depth = 0;
	if (PP_UNLIKELY(x->sieves)) {
		bool stays;

		if (!stack_filter(b, &frames, &depth, &stays) ||
		    (s->values && !came_add(b, s->series, NULL, s->values)))
			return false;
		if (!stays) {
			if (s->where)
				*s->where = DROPPED;
			return true;
		}
	}
	if (PP_UNLIKELY(x->n == BATCH_STACKS || x->frames_n + depth > PP_TREE_BATCH)) {
		if (!pp_build_flush(b))
			return false;
		if (depth > PP_TREE_BATCH)
			return stack_deep(b, s, frames, (uint32_t)depth);
	}
	stack_wait(x, s, frames, depth, 0, &b->place);
	return !x->is_sparse || pp_stacks_parts(b, s, &x->rows[x->n - 1]);
}

bool
pp_build_again(struct pp_builder *b, const struct pp_sample *s, pp_stack stack)
{
	struct pp_stacks *x = b->stacks;
	struct waiting w = { .series = s->series, .place = b->place };

	if (stack == 0 || (PP_UNLIKELY(!x) && !(x = stacks_start_for(b, s->series))))
		return false;
	if (x->sieves && !came_add(b, s->series, NULL, s->values))
		return false;
	if (stack == DROPPED)
		return true;
	/* Samples in time stay in the order in which they came. */
	if (s->timed && x->times) {
		if (x->n == BATCH_STACKS && !pp_build_flush(b))
			return false;
		stack_wait(x, s, NULL, 0, stack - 1, &b->place);
		return true;
	}
	return node_add(b, &w, stack - 1, s->values, NULL);
}

bool
pp_build_pause(struct pp_builder *b, uint32_t series, int64_t time)
{
	const struct pp_sample nothing = { .series = series, .time = time, .timed = true };
	struct pp_stacks *x = b->stacks;

	/* Stacks that are gathered are not kept in time. */
	if (!x || !x->times || x->adds_up || x->is_sparse)
		return pp_builder_ok(b);
	if (x->n == BATCH_STACKS && !pp_build_flush(b))
		return false;
	stack_wait(x, &nothing, NULL, 0, 0, &b->place);
	x->rows[x->n - 1].pause = true;
	memset(x->values.at + (x->n - 1) * x->columns, 0, x->columns * sizeof *x->values.at);
	return true;
}
