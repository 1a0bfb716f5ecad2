/*
 * Whole stacks into the profile: the one place that decides what becomes of them.
 *
 * Where the order wants stacks, they wait in a batch, because the tree adds many at once faster than one
 * after the other. Where only costs per function are ordered and it is known what is counted, they are
 * filtered and added up as they come, and no tree is built.
 */
#include "model/builder.h"

#include "model/sums.h"

#define BATCH_STACKS 512

/* What is known of a stack that waits. */
struct waiting {
	uint32_t series;
	uint32_t cpu;
	int64_t time;
	bool timed;
	pp_stack *where;
	struct pp_place place;
};

struct pp_stacks {
	size_t columns; /* values per stack */
	bool adds_up;   /* costs per function only */
	bool times;     /* samples are kept one by one */
	bool overflowed;

	/* stacks that wait */
	size_t n, frames_n;
	struct waiting rows[BATCH_STACKS];
	uint32_t depth[BATCH_STACKS];
	pp_node under[BATCH_STACKS], leaf[BATCH_STACKS];
	pp_frame frames[PP_TREE_BATCH];
	PP_VEC(int64_t) values;

	PP_VEC(uint8_t) keeps; /* by frame: whether the order keeps its name */

	/* costs per function */
	struct pp_sieve sieve;
	struct pp_sums sums;
	PP_VEC(pp_frame) left; /* what the filter leaves of a stack */
	PP_VEC(union pp_value) total;
};

/* ---- life ------------------------------------------------------------------------------- */

void
pp_stacks_free(struct pp_stacks *x)
{
	if (!x)
		return;
	pp_vec_release(&x->values);
	pp_vec_release(&x->keeps);
	pp_sieve_release(&x->sieve);
	pp_sums_release(&x->sums);
	pp_vec_release(&x->left);
	pp_vec_release(&x->total);
	free(x);
}

/* Sums with a column for each metric. */
static bool
sums_start(struct pp_stacks *x, const struct pp_profile *p)
{
	size_t m;

	pp_sieve_init(&x->sieve, NULL);
	for (m = 0; m < p->metrics.n; m++) {
		if (!pp_sums_widen(&x->sums))
			return false;
		if (p->metrics.at[m].type == PP_REAL)
			pp_sums_to_real(&x->sums, m, 1.0);
	}
	if (!pp_vec_reserve(&x->total, x->sums.stride))
		return false;
	memset(x->total.at, 0, x->sums.stride * sizeof *x->total.at);
	return true;
}

/* Decides, at the first stack, what becomes of all. NULL on failure. */
static struct pp_stacks *
stacks_start(struct pp_builder *b, uint32_t series)
{
	const struct pp_profile *p = b->profile;
	const struct pp_series *s;
	struct pp_stacks *x;

	if (!pp_builder_ok(b) || series >= p->series.n)
		return NULL;
	s = &p->series.at[series];
	b->stacks = x = calloc(1, sizeof *x);
	if (!x) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	x->columns = s->stride - s->has_calls;
	x->times = b->order.facets & PP_TIMELINE;
	x->adds_up = pp_order_needs_no_tree(&b->order) && p->metrics.n > 0;
	if (!pp_vec_reserve(&x->values, BATCH_STACKS * (x->columns + 1)) ||
	    (x->adds_up && !sums_start(x, p))) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (x->adds_up)
		pp_sieve_init(&x->sieve, b->order.filter);
	return x;
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

/* Columns that become metrics at the end are counts. */
static inline enum pp_cell_type
column_type(const struct pp_profile *p, size_t column)
{
	return column < p->metrics.n ? p->metrics.at[column].type : PP_UINT;
}

/* Adds all values of a stack, or none when a sum would not fit. */
static bool
cells_add(struct pp_builder *b, int64_t *cells, const int64_t *values, size_t n, pp_node node,
          const struct pp_place *place)
{
	const struct pp_profile *p = b->profile;
	size_t m, k;

	for (m = 0; m < n; m++) {
		if (PP_LIKELY(pp_cell_add(column_type(p, m), &cells[m], values[m])))
			continue;
		/* Sums of doubles never fail, so those before are whole numbers or exact again. */
		for (k = 0; k < m; k++)
			if (column_type(p, k) != PP_REAL)
				cells[k] = (int64_t)((uint64_t)cells[k] - (uint64_t)values[k]);
		pp_builder_overflow(b, pp_node_func(p, node), m, *place);
		return false;
	}
	return true;
}

static void
moment_add(struct pp_builder *b, const struct waiting *w, pp_node node, const int64_t *values)
{
	struct pp_series *s = &b->profile->series.at[w->series];
	struct pp_event event = { PP_EVENT_SAMPLE, node, w->time, w->cpu };

	if ((!s->timeline.last_values &&
	     !pp_timeline_init(&s->timeline, (uint32_t)b->stacks->columns, false)) ||
	    !pp_timeline_add(&s->timeline, &event, values))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
}

/* Adds what a stack costs to its node. */
static inline bool
node_add(struct pp_builder *b, const struct waiting *w, pp_node node, const int64_t *values)
{
	int64_t *cells = pp_build_cells(b, w->series, node);

	if (PP_UNLIKELY(!cells))
		return false;
	if (cells_add(b, cells, values, b->stacks->columns, node, &w->place) && w->timed)
		moment_add(b, w, node, values);
	return true;
}

/* Notes when all stacks together cost more than 64 bits hold: then one may. */
static void
sums_check(struct pp_builder *b)
{
	const struct pp_sums *s = &b->stacks->sums;
	size_t m;

	for (m = 0; s->rows && m < s->columns; m++)
		b->overflowed |= !s->real[m] && (pp_sums_own(s, 0)[m].i > UINT64_MAX ||
		                                 pp_sums_own(s, 0)[m].i < INT64_MIN);
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
		fine = node_add(b, &x->rows[i], x->leaf[i], x->values.at + i * x->columns);
	}
	x->n = x->frames_n = 0;
	return fine && pp_builder_ok(b);
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
		                       .where = s->where,
		                       .place = *place };
	x->depth[n] = (uint32_t)depth;
	x->under[n] = under;
	memcpy(x->frames + x->frames_n, frames, depth * sizeof *frames);
	x->frames_n += depth;
	for (i = 0; i < x->columns; i++)
		x->values.at[n * x->columns + i] = s->values[i];
}

/* A stack that no batch has room for. */
static bool
stack_deep(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames, uint32_t depth)
{
	struct waiting w = { .series = s->series,
		             .cpu = s->cpu,
		             .time = s->time,
		             .timed = s->timed && b->stacks->times,
		             .place = b->place };
	pp_node root = 0, leaf;

	if (!pp_build_batch(b, frames, &depth, &root, 1, &leaf))
		return false;
	if (s->where)
		*s->where = leaf + 1;
	return node_add(b, &w, leaf, s->values);
}

/* ---- costs per function ----------------------------------------------------------------- */

static bool
stack_sum(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames, size_t depth)
{
	struct pp_stacks *x = b->stacks;
	const struct pp_profile *p = b->profile;
	bool fine = pp_sums_reserve(&x->sums, p->frames.n), stays = true;
	size_t m;

	for (m = 0; m < x->columns; m++)
		x->total.at[m] = pp_cell_value(&p->metrics.at[m], s->values[m]);
	if (fine && x->sieve.filter) {
		fine = pp_sieve_frames(&x->sieve, p) && pp_vec_reserve(&x->left, depth + 1);
		if (fine) {
			memcpy(x->left.at, frames, depth * sizeof *frames);
			stays = pp_sieve_stack(&x->sieve, x->left.at, &depth);
			frames = x->left.at;
		}
	}
	if (!fine)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	else if (stays)
		pp_sums_add(&x->sums, frames, depth, x->total.at, x->total.at);
	else
		pp_sums_pass(&x->sums, x->total.at);
	return fine;
}

bool
pp_stacks_merge(struct pp_builder *into, const struct pp_builder *from, const pp_frame *frame_map)
{
	const struct pp_stacks *y = from->stacks;
	struct pp_stacks *x = into->stacks;
	size_t row;

	if (!y || !y->adds_up)
		return true;
	if (!x && !(x = stacks_start(into, 0)))
		return false;
	if (!pp_sums_reserve(&x->sums, into->profile->frames.n)) {
		pp_builder_fail(into, PP_E_NOMEM, NULL);
		return false;
	}
	for (row = 0; row < y->sums.rows && row < from->profile->frames.n; row++)
		if (row == 0 || y->sums.seen[row])
			pp_sums_merge(&x->sums, frame_map[row], &y->sums, row);
	if (y->sieve.status != PP_OK)
		x->sieve.status = y->sieve.status;
	sums_check(into);
	return true;
}

/* The functions that occur, all of them together first, and what they cost. */
static bool
sums_give(struct pp_builder *b)
{
	struct pp_costs_facet *costs = &b->profile->costs;
	const struct pp_stacks *x = b->stacks;
	size_t n = b->profile->metrics.n, bytes = n * sizeof(union pp_value), row, m;

	for (row = 0; row < x->sums.rows && row < b->profile->frames.n; row++) {
		union pp_value *to;

		if (row && !x->sums.seen[row])
			continue;
		if (!pp_vec_push(&costs->funcs, b->profile->frames.at[row].func) ||
		    !pp_vec_reserve(&costs->cells, costs->cells.n + 2 * n))
			return false;
		to = costs->cells.at + costs->cells.n;
		memcpy(to, pp_sums_own(&x->sums, row), bytes);
		memcpy(to + n, pp_sums_total(&x->sums, row), bytes);
		costs->cells.n += 2 * n;
	}
	costs->stated = true;
	costs->filtered = x->sieve.filter && x->sieve.status == PP_OK;
	/* The sums' own row for the whole is what all stacks cost that were read. */
	for (m = 0; costs->filtered && m < n; m++)
		if (!pp_vec_push(&costs->unfiltered, pp_sums_own(&x->sums, 0)[m]))
			return false;
	return true;
}

bool
pp_stacks_finish(struct pp_builder *b)
{
	if (pp_build_flush(b) && b->stacks && b->stacks->adds_up && !sums_give(b))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return pp_builder_ok(b);
}

/* ---- what readers call ------------------------------------------------------------------ */

bool
pp_build_sample(struct pp_builder *b, const struct pp_sample *s, const pp_frame *frames,
                size_t depth)
{
	struct pp_stacks *x = b->stacks;

	if (PP_UNLIKELY(!x) && !(x = stacks_start(b, s->series)))
		return false;
	if (PP_UNLIKELY(depth > b->limits.max_depth))
		pp_builder_fail(b, PP_E_LIMIT, PP_TOO_DEEP);
	if (PP_UNLIKELY(!pp_builder_ok(b)))
		return false;
	if (x->adds_up)
		return stack_sum(b, s, frames, depth);
	if (PP_UNLIKELY(b->order.keep) && !stack_is_kept(b, frames, depth))
		depth = 0;
	if (PP_UNLIKELY(x->n == BATCH_STACKS || x->frames_n + depth > PP_TREE_BATCH)) {
		if (!pp_build_flush(b))
			return false;
		if (depth > PP_TREE_BATCH)
			return stack_deep(b, s, frames, (uint32_t)depth);
	}
	stack_wait(x, s, frames, depth, 0, &b->place);
	return true;
}

bool
pp_build_again(struct pp_builder *b, const struct pp_sample *s, pp_stack stack)
{
	struct pp_stacks *x = b->stacks;
	struct waiting w = { .series = s->series, .place = b->place };

	if (!x || stack == 0)
		return false;
	/* Samples in time stay in the order in which they came. */
	if (s->timed && x->times) {
		if (x->n == BATCH_STACKS && !pp_build_flush(b))
			return false;
		stack_wait(x, s, NULL, 0, stack - 1, &b->place);
		return true;
	}
	return node_add(b, &w, stack - 1, s->values);
}
