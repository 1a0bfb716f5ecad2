/*
 * Stack records judged and put into the tree.
 */
#include "formats/spaa/spaa.h"

#include <math.h>

#include "formats/spaa/write.h"

/* ---- the tree --------------------------------------------------------------------------- */

bool
pp_spaa_flush(struct pp_spaa_reader *r)
{
	size_t i;

	if (r->batch_n == 0)
		return true;
	if (!pp_build_batch(r->builder, r->batch_frames, r->batch_depth, r->batch_under, r->batch_n,
	                    r->batch_leaf))
		return false;
	for (i = 0; i < r->batch_n; i++)
		r->events.at[r->batch_rows[i].event].rows.at[r->batch_rows[i].row].node =
		    r->batch_leaf[i];
	r->batch_n = r->batch_frame_n = 0;
	return true;
}

/* Room for the frames of a stack in the batch; NULL when it is too deep for one. */
static pp_frame *
batch_room(struct pp_spaa_reader *r, size_t depth)
{
	if ((r->batch_n == PP_SPAA_BATCH || r->batch_frame_n + depth > PP_TREE_BATCH) &&
	    !pp_spaa_flush(r))
		return NULL;
	return depth <= PP_TREE_BATCH ? r->batch_frames + r->batch_frame_n : NULL;
}

/* Whether a stack is added up at once: halves of pairs must wait for each other. */
static bool
is_summed(const struct pp_spaa_reader *r, const struct pp_spaa_stack *s)
{
	return r->flat && s->type == PP_SPAA_UNIFIED;
}

/* Room for the frames of a stack that does not go into the tree. */
static pp_frame *
path_room(struct pp_spaa_reader *r, size_t depth)
{
	if (depth > r->builder->limits.max_depth)
		pp_builder_fail(r->builder, PP_E_LIMIT, "a stack is too deep");
	else if (!pp_vec_reserve(&r->path, depth + 1))
		pp_spaa_no_memory(r);
	else
		return r->path.at;
	return NULL;
}

/* A stack too deep for a batch. */
static pp_node
deep_stack(struct pp_spaa_reader *r, const uint64_t *ids, uint32_t depth)
{
	bool leaf_first = !r->header.root_to_leaf;
	pp_node node = 0;
	uint32_t i, row;

	if (depth > r->builder->limits.max_depth) {
		pp_builder_fail(r->builder, PP_E_LIMIT, "a stack is too deep");
		return 0;
	}
	for (i = 0; i < depth && pp_builder_ok(r->builder); i++) {
		(void)pp_spaa_table_get(&r->frame_of, ids[leaf_first ? depth - 1 - i : i], &row);
		node = pp_build_child(r->builder, node, r->frames.at[row].frame);
	}
	return node;
}

/* ---- frames ----------------------------------------------------------------------------- */

enum {
	SEEN_USER = 1 << PP_SPAA_USER,
	SEEN_KERNEL = 1 << PP_SPAA_KERNEL,
	SEEN_INLINED = 8,
	SEEN_KEPT = 16
};

/* Looks all frames up; root first into `out` when there is one. False when one is not defined. */
static bool
frames_resolve(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, pp_frame *out,
               uint64_t *hash, unsigned *seen)
{
	struct pp_spaa_run run = rec->u.stack.frames;
	const uint64_t *ids = r->chunk->frames.at + run.first;
	bool leaf_first = !r->header.root_to_leaf;
	uint64_t h = r->reader->seed ^ rec->u.stack.type;
	uint32_t i, row;

	for (i = 0; i < run.n; i++) {
		const struct pp_spaa_frame_row *f;

		if (PP_UNLIKELY(!pp_spaa_table_get(&r->frame_of, ids[i], &row))) {
			pp_spaa_report_in(
			    r, rec, PP_SPAA_R_FRAME_UNDEFINED, "frames.#", &i,
			    "the stack names frame %llu, which no frame record before it defines",
			    (unsigned long long)ids[i]);
			return false;
		}
		f = &r->frames.at[row];
		*seen |= 1u << f->kind | (f->inlined ? SEEN_INLINED : 0u) |
		         (f->kept ? SEEN_KEPT : 0u);
		h = pp_mix(h ^ ids[i], PP_HASH_K1);
		if (out)
			out[leaf_first ? run.n - 1 - i : i] = f->frame;
	}
	*hash = pp_mix(h ^ run.n, PP_HASH_K2);
	return true;
}

/* Inline groups: the deeper frame nearer to the leaf, all at one address, a physical one at the end. */
static void
inline_check(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	struct pp_spaa_run run = rec->u.stack.frames;
	const uint64_t *ids = r->chunk->frames.at + run.first;
	const struct pp_spaa_frame_row *inner = NULL, *f = NULL;
	bool leaf_first = !r->header.root_to_leaf;
	uint32_t i, row, index = 0;

	for (i = 0; i < run.n; i++, inner = f) {
		index = leaf_first ? i : run.n - 1 - i;
		(void)pp_spaa_table_get(&r->frame_of, ids[index], &row);
		f = &r->frames.at[row];
		if (!inner || !inner->inlined)
			continue;
		if (inner->has_depth && f->has_depth && inner->depth <= f->depth &&
		    inner->ip == f->ip && inner->dso == f->dso)
			pp_spaa_report_in(r, rec, PP_SPAA_R_INLINE_ORDER, "frames.#", &index,
			                  "inline depth %llu stands outside of %llu",
			                  (unsigned long long)f->depth,
			                  (unsigned long long)inner->depth);
		if (inner->dso != f->dso || inner->ip != f->ip || inner->symoff != f->symoff)
			pp_spaa_report_in(
			    r, rec, PP_SPAA_R_INLINE_GROUP, "frames.#", &index,
			    "frame %llu and what is inlined into it differ in dso, ip or symoff",
			    (unsigned long long)ids[index]);
	}
	if (f && f->inlined)
		pp_spaa_report_in(r, rec, PP_SPAA_R_INLINE_PHYSICAL, "frames.#", &index,
		                  "the outermost frame is inlined into nothing");
}

static void
frames_judge(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, unsigned seen)
{
	const struct pp_spaa_stack *s = &rec->u.stack;

	if (PP_UNLIKELY(s->frames.n == 0))
		pp_spaa_report_in(r, rec, PP_SPAA_R_FRAMES_EMPTY, "frames", NULL,
		                  "the stack has no frames");
	if ((s->type == PP_SPAA_USER_STACK && seen & SEEN_KERNEL) ||
	    (s->type == PP_SPAA_KERNEL_STACK && seen & SEEN_USER))
		pp_spaa_report_in(r, rec, PP_SPAA_R_STACK_KIND, "stack_type", NULL,
		                  "the stack is of type %s, but holds %s frames",
		                  s->type == PP_SPAA_USER_STACK ? "user" : "kernel",
		                  s->type == PP_SPAA_USER_STACK ? "kernel" : "user");
	if (seen & SEEN_INLINED)
		inline_check(r, rec);
}

/* ---- weights ---------------------------------------------------------------------------- */

/* The weights of a stack, and which of them mean something to the rules. */
struct weights {
	const struct pp_spaa_weight *at;
	uint32_t special[PP_SPAA_SPECIALS]; /* index + 1; 0 = absent */
	uint32_t primary;                   /* the same */
};

static const struct pp_spaa_num *
weight_special(const struct weights *w, enum pp_spaa_special special)
{
	return w->special[special] ? &w->at[w->special[special] - 1].value : NULL;
}

/* Whether live = allocated - freed, where all three are given. */
static bool
live_fits(const struct weights *w, enum pp_spaa_special alloc)
{
	const struct pp_spaa_num *a = weight_special(w, alloc), *f = weight_special(w, alloc + 1),
	                         *l = weight_special(w, alloc + 2);

	if (!a || !f || !l)
		return true;
	if (a->is_real || f->is_real || l->is_real)
		return fabs(pp_spaa_num_double(a) - pp_spaa_num_double(f) -
		            pp_spaa_num_double(l)) <= 1e-9 * fabs(pp_spaa_num_double(a));
	return pp_spaa_num_widest(a) - pp_spaa_num_widest(f) == pp_spaa_num_widest(l);
}

/* `index` of a weight, + 1; 0 for all of them. */
static PP_NOINLINE void
suspect(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, enum pp_spaa_rule rule,
        uint32_t index, const char *text)
{
	uint32_t at = index - 1;

	pp_spaa_report_in(r, rec, rule, index ? "weights.#.value" : "weights", &at, "%s", text);
}

/* The first of period, samples and count that is 0. */
static uint32_t
weight_zero(const struct weights *w)
{
	static const enum pp_spaa_special counts[] = { PP_SPAA_M_PERIOD, PP_SPAA_M_SAMPLES,
		                                       PP_SPAA_M_COUNT };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(counts); i++) {
		const struct pp_spaa_num *n = weight_special(w, counts[i]);

		if (n && pp_spaa_num_is_zero(n))
			return w->special[counts[i]];
	}
	return 0;
}

/* What is suspicious about the weights of a stack. */
static void
weights_suspect(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
                const struct pp_spaa_event *e, const struct weights *w)
{
	const uint32_t *at = w->special;
	uint32_t zero;

	if (pp_spaa_num_is_zero(&w->at[w->primary - 1].value))
		suspect(r, rec, PP_SPAA_R_VALUE_ZERO, w->primary, "the primary metric is 0");
	else if ((zero = weight_zero(w)) != 0)
		suspect(r, rec, PP_SPAA_R_VALUE_ZERO, zero, "period, samples or count is 0");
	if (!at[PP_SPAA_M_PERIOD] && pp_slice_eq_z(r->header.tool, "perf") &&
	    (e->said.kind == PP_SPAA_HARDWARE || e->said.kind == PP_SPAA_SOFTWARE))
		suspect(r, rec, PP_SPAA_R_NATIVE_METRIC, 0, "a perf stack without \"period\"");
	if (!at[PP_SPAA_M_SAMPLES] && !at[PP_SPAA_M_COUNT] &&
	    pp_slice_eq_z(r->header.tool, "dtrace") &&
	    (e->said.kind == PP_SPAA_TIMER || e->said.kind == PP_SPAA_PROBE))
		suspect(r, rec, PP_SPAA_R_NATIVE_METRIC, 0,
		        "a DTrace stack without \"samples\" or \"count\"");
	if (at[PP_SPAA_M_CPU_TIME] && !PP_SPAA_HAS(&e->said, has, EVENT_DERIVATION) &&
	    !(e->said.mode == PP_SPAA_FREQUENCY &&
	      PP_SPAA_HAS(&e->said, sampling_has, SAMPLING_FREQUENCY) &&
	      !pp_spaa_num_is_zero(&e->said.frequency)))
		suspect(
		    r, rec, PP_SPAA_R_CPU_TIME, at[PP_SPAA_M_CPU_TIME],
		    "cpu_time_ns, but the event neither has a rate nor says how it was derived");
	if (!live_fits(w, PP_SPAA_M_ALLOC_BYTES))
		suspect(r, rec, PP_SPAA_R_LIVE, at[PP_SPAA_M_LIVE_BYTES],
		        "live_bytes is not alloc_bytes - free_bytes");
	if (!live_fits(w, PP_SPAA_M_ALLOC_COUNT))
		suspect(r, rec, PP_SPAA_R_LIVE, at[PP_SPAA_M_LIVE_COUNT],
		        "live_count is not alloc_count - free_count");
}

/* Judges the weights; r->weight_metrics are their metrics. False when the stack is refused. */
static bool
weights_judge(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, struct pp_spaa_event *e)
{
	struct pp_spaa_list list = { rec->u.stack.weights, (uint32_t)(e - r->events.at),
		                     "weights.#", 0 };
	struct weights w = { .at = r->chunk->weights.at + list.run.first };
	uint32_t *metric_at, i;

	if (!pp_spaa_metrics_resolve(r, rec, &list, &metric_at))
		return false;
	if (!pp_vec_reserve(&r->weight_metrics, (size_t)list.run.n + 1)) {
		pp_spaa_no_memory(r);
		return false;
	}
	for (i = 0; i < list.run.n; i++) {
		struct pp_spaa_metric *m = &r->metrics.at[metric_at[i]];

		r->weight_metrics.at[i] = metric_at[i];
		m->weighed = r->stamp;
		m->at = i;
		w.special[m->special] = i + 1;
		if (PP_UNLIKELY(!pp_spaa_metric_count(r, list.event, metric_at[i]))) {
			pp_spaa_report_in(
			    r, rec, PP_SPAA_R_METRICS_MANY, "weights.#.metric", &i,
			    "\"%.*s\" would be one metric more than the %d that all events "
			    "together may have",
			    PP_SPAA_SHOWN(m->name), PP_SPAA_METRICS_MAX);
			return false;
		}
		if (metric_at[i] == e->columns.at[0].metric)
			w.primary = i + 1;
		if (PP_UNLIKELY(pp_spaa_num_is_negative(&w.at[i].value)))
			pp_spaa_report_in(r, rec, PP_SPAA_R_VALUE_NEGATIVE, "weights.#.value", &i,
			                  "\"%.*s\" is negative", PP_SPAA_SHOWN(m->name));
	}
	if (PP_UNLIKELY(!w.primary)) {
		pp_spaa_report_in(r, rec, PP_SPAA_R_PRIMARY_MISSING, "weights", NULL,
		                  "the stack lacks the primary metric \"%.*s\" of its event",
		                  PP_SPAA_SHOWN(e->said.primary));
		return false;
	}
	weights_suspect(r, rec, e, &w);
	return true;
}

/* The exclusive weights; called right after weights_judge(), whose marks it uses. */
static void
exclusive_judge(struct pp_spaa_reader *r, const struct pp_spaa_record *rec,
                const struct pp_spaa_event *e)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	const uint64_t *ids = r->chunk->frames.at + s->frames.first;
	const struct pp_spaa_weight *w = r->chunk->weights.at;
	struct pp_spaa_list list = { s->own, (uint32_t)(e - r->events.at), "exclusive.weights.#",
		                     0 };
	uint64_t weighed = r->stamp;
	bool primary = false, fine;
	uint32_t *metric_at, i;

	if (PP_SPAA_HAS(s, own_has, EXCLUSIVE_FRAME) &&
	    (s->frames.n == 0 || ids[r->header.root_to_leaf ? s->frames.n - 1 : 0] != s->leaf))
		pp_spaa_report_in(r, rec, PP_SPAA_R_EXCLUSIVE_LEAF, "exclusive.frame", NULL,
		                  "exclusive.frame %llu is not the leaf of the stack",
		                  (unsigned long long)s->leaf);
	if (!PP_SPAA_HAS(s, own_has, EXCLUSIVE_WEIGHTS) ||
	    (s->own.first == s->weights.first && s->own.n == s->weights.n && s->own.n &&
	     r->odd_units != weighed))
		return; /* the same list is neither less nor more */
	fine = pp_spaa_metrics_resolve(r, rec, &list, &metric_at);
	for (i = 0; fine && i < s->own.n; i++) {
		const struct pp_spaa_metric *m = &r->metrics.at[metric_at[i]];
		const struct pp_spaa_num *part = &w[s->own.first + i].value, *whole;

		primary |= metric_at[i] == e->columns.at[0].metric;
		if (m->weighed != weighed)
			continue;
		whole = &w[s->weights.first + m->at].value;
		if (!pp_spaa_num_is_negative(whole) &&
		    PP_UNLIKELY(pp_spaa_num_cmp(part, whole) > 0))
			pp_spaa_report_in(r, rec, PP_SPAA_R_EXCLUSIVE_MORE,
			                  "exclusive.weights.#.value", &i,
			                  "exclusive \"%.*s\" is more than that of the stack",
			                  PP_SPAA_SHOWN(m->name));
	}
	if (fine && !primary)
		pp_spaa_report_in(r, rec, PP_SPAA_R_EXCLUSIVE_PRIMARY, "exclusive.weights", NULL,
		                  "exclusive lacks the primary metric");
}

/* ---- identity --------------------------------------------------------------------------- */

static uint64_t
context_key(uint32_t id, uint64_t context)
{
	return pp_mix(context ^ PP_HASH_K1, (uint64_t)id ^ PP_HASH_K2);
}

/* Stands for a record of an event as its context does for one of a context. */
static uint64_t
event_mark(uint32_t event)
{
	return ~(uint64_t)event;
}

static bool
context_note(struct pp_spaa_reader *r, uint32_t record)
{
	const struct pp_spaa_stack_row *s = &r->stacks.at[record];

	return pp_map_set(&r->contexts, context_key(s->id, s->context), record) &&
	       pp_map_set(&r->contexts, context_key(s->id, event_mark(s->event)), record);
}

uint32_t
pp_spaa_context_find(const struct pp_spaa_reader *r, uint32_t id, uint64_t context)
{
	uint32_t record = r->ids.at[id].record;
	const struct pp_spaa_stack_row *s;

	if (record == 0 || record == PP_SPAA_REFUSED)
		return PP_MAP_NONE;
	s = &r->stacks.at[--record];
	if (s->context == context || event_mark(s->event) == context)
		return record;
	return s->next ? pp_map_get(&r->contexts, context_key(id, context)) : PP_MAP_NONE;
}

/* Judges an id that was there before; false when the stack is refused. */
static bool
id_judge_again(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id,
               uint64_t frames, uint32_t event)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	int n = s->id.text.n < 80 ? (int)s->id.text.n : 80;
	const char *text = (const char *)s->id.text.p;

	if (r->header.local_ids) {
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_ID_LOCAL, s->id.at,
		               "the local id \"%.*s\" is used twice", n, text);
		return false;
	}
	if (r->id_frames.at[id] != frames) {
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_ID_CLASH, s->id.at,
		               "the id \"%.*s\" stands for other frames, too", n, text);
		return false;
	}
	if (pp_spaa_context_find(r, id, s->context) != PP_MAP_NONE) {
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_REPEATED, s->id.at,
		               "stack \"%.*s\" is repeated with the same context", n, text);
		return false;
	}
	if (pp_spaa_context_find(r, id, event_mark(event)) != PP_MAP_NONE)
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_CONTEXTS, s->id.at,
		               "the id \"%.*s\" is shared by several contexts", n, text);
	else
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_EVENTS, s->id.at,
		               "the id \"%.*s\" is shared by several events", n, text);
	return true;
}

/* The series of a stack: event, process, thread, cpu, name. */
static uint32_t
series_of(struct pp_spaa_reader *r, const struct pp_spaa_stack *s, uint32_t event)
{
	struct pp_spaa_series_key key = { event, s->pid, s->tid, s->cpu, 0 };
	uint64_t hash;
	uint32_t i;

	if (s->comm.n)
		key.comm = pp_build_str(r->builder, s->comm);
	if (PP_LIKELY(r->series.n && key.event == r->last_series_key.event &&
	              key.pid == r->last_series_key.pid && key.tid == r->last_series_key.tid &&
	              key.cpu == r->last_series_key.cpu && key.comm == r->last_series_key.comm))
		return r->last_series;
	/* Equal hashes are told apart by probing the next one. */
	hash = pp_mix(r->reader->seed ^ (uint64_t)key.pid, PP_HASH_K2 ^ key.event);
	hash = pp_mix(hash ^ (uint64_t)key.tid, PP_HASH_K1 ^ (uint64_t)key.cpu);
	hash = pp_mix(hash ^ key.comm, PP_HASH_K2);
	for (;; hash++) {
		i = pp_map_get(&r->series_of, hash);
		if (i == PP_MAP_NONE)
			break;
		if (r->series.at[i].event == key.event && r->series.at[i].pid == key.pid &&
		    r->series.at[i].tid == key.tid && r->series.at[i].cpu == key.cpu &&
		    r->series.at[i].comm == key.comm)
			goto found;
	}
	i = (uint32_t)r->series.n;
	if (!pp_vec_push(&r->series, key) || !pp_map_set(&r->series_of, hash, i))
		pp_spaa_no_memory(r);
found:
	r->last_series_key = key;
	return r->last_series = i;
}

/* Notes that a thread was used before it was declared. */
static void
thread_used(struct pp_spaa_reader *r, int64_t tid)
{
	struct pp_spaa_thread_row row = { .tid = (uint64_t)tid, .used = true };
	uint32_t at;

	if (pp_spaa_table_get(&r->thread_of, (uint64_t)tid, &at)) {
		r->threads.at[at].used = true;
		return;
	}
	if (!pp_vec_push(&r->threads, row) ||
	    !pp_spaa_table_set(&r->thread_of, row.tid, (uint32_t)(r->threads.n - 1)))
		pp_spaa_no_memory(r);
}

/* ---- the record ------------------------------------------------------------------------- */

static void
links_add(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id)
{
	struct pp_spaa_run run = rec->u.stack.related;
	uint32_t i;

	for (i = 0; i < run.n; i++) {
		const struct pp_spaa_id *to = &r->chunk->refs.at[run.first + i].id;
		struct pp_spaa_link link = { .from = id,
			                     .to = pp_spaa_id_row(r, to),
			                     .record = (uint32_t)r->stacks.n - 1,
			                     .place = pp_spaa_place(r, rec, to->at) };

		if (link.to == UINT32_MAX || !pp_vec_push(&r->links, link))
			pp_spaa_no_memory(r);
	}
}

/* Appends a row with the values of the stack; its node comes later. */
static bool
row_add(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t event)
{
	struct pp_spaa_event *e = &r->events.at[event];
	struct pp_spaa_run run = rec->u.stack.weights;
	struct pp_spaa_row row = { .series = series_of(r, &rec->u.stack, event) };
	uint32_t i, guess = 1;

	row.home = row.series;
	if (!pp_vec_push(&e->rows, row) || !pp_vec_reserve(&e->cells, e->cells.n + e->wide)) {
		pp_spaa_no_memory(r);
		return false;
	}
	memset(e->cells.at + e->cells.n, 0, e->wide * sizeof *e->cells.at);
	e->cells.n += e->wide;
	for (i = 0; i < run.n; i++) {
		const struct pp_spaa_weight *w = &r->chunk->weights.at[run.first + i];
		uint32_t metric = r->weight_metrics.at[i],
		         column = pp_spaa_column(r, e, metric, &guess);
		int64_t cell;

		if (column == UINT32_MAX)
			return false;
		cell = pp_spaa_cell(e, column, &w->value);
		if (PP_UNLIKELY(cell == 0))
			e->columns.at[column].zero = true;
		e->cells.at[(e->rows.n - 1) * e->wide + column] = cell;
	}
	return true;
}

/* Puts the frames, which stand at the end of the batch already, into it for good. */
static void
batch_add(struct pp_spaa_reader *r, uint32_t event, uint32_t depth)
{
	r->batch_depth[r->batch_n] = depth;
	r->batch_under[r->batch_n] = 0;
	r->batch_rows[r->batch_n].event = event;
	r->batch_rows[r->batch_n].row = (uint32_t)r->events.at[event].rows.n - 1;
	r->batch_n++;
	r->batch_frame_n += depth;
}

static void
held_add(struct pp_spaa_reader *r, const pp_frame *frames, uint32_t depth)
{
	struct pp_spaa_held held = { (uint32_t)r->stacks.n - 1, r->held_frames.n, depth };

	if (!pp_vec_push(&r->held, held) ||
	    !pp_vec_reserve(&r->held_frames, r->held_frames.n + depth)) {
		pp_spaa_no_memory(r);
		return;
	}
	if (depth)
		memcpy(r->held_frames.at + r->held_frames.n, frames, depth * sizeof *frames);
	r->held_frames.n += depth;
}

/* What the stack adds to the sum by which carried records know it again. */
static uint64_t
stack_mark(const struct pp_spaa_reader *r, const struct pp_spaa_stack *s)
{
	uint64_t mark = 0;
	uint32_t i;

	for (i = 0; i < s->weights.n; i++)
		mark += pp_spaa_mark_value(mark, &r->chunk->weights.at[s->weights.first + i].value);
	return (pp_spaa_mark_id(s->id.text) + mark) * PP_SPAA_FNV_PRIME;
}

/* Uses a stack that is right. */
static void
stack_use(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id, uint32_t event,
          pp_frame *frames, uint64_t frames_hash, unsigned seen)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	struct pp_spaa_stack_row row = {
		.context = s->context, .event = event, .id = id, .type = s->type
	};
	struct pp_spaa_event *e = &r->events.at[event];

	if (r->ids.at[id].record) {
		row.next = r->ids.at[id].record;
		if (row.next == PP_SPAA_REFUSED)
			row.next = 0;
	}
	if (r->want_tree && !row_add(r, rec, event))
		return;
	row.row = r->want_tree ? (uint32_t)e->rows.n - 1 : 0;
	if (!pp_vec_push(&r->stacks, row)) {
		pp_spaa_no_memory(r);
		return;
	}
	if (!row.next) /* the first that is right speaks for the id */
		r->id_frames.at[id] = frames_hash;
	else if (PP_UNLIKELY(!context_note(r, (uint32_t)r->stacks.n - 1) ||
	                     (!r->stacks.at[row.next - 1].next && !context_note(r, row.next - 1))))
		pp_spaa_no_memory(r);
	r->ids.at[id].record = (uint32_t)r->stacks.n;
	r->ids.at[id].event = event;
	if (r->carries)
		r->mark += stack_mark(r, s);
	if (s->related.n)
		links_add(r, rec, id);
	if (!r->want_tree)
		return;
	if (PP_SPAA_HAS(s, own_has, EXCLUSIVE_WEIGHTS) &&
	    (s->own.first != s->weights.first || s->own.n != s->weights.n))
		pp_spaa_less_add(r, rec, event);
	if (r->keep && !(seen & SEEN_KEPT) && s->type == PP_SPAA_UNIFIED) {
		pp_spaa_rest_take(r, event);
	} else if (is_summed(r, s)) {
		pp_spaa_sums_take(r, event, frames, s->frames.n);
	} else if (r->flat) {
		held_add(r, frames, s->frames.n);
		e->rows.at[row.row].node = (pp_node)r->held.n;
	} else if (!frames && s->frames.n)
		e->rows.at[row.row].node = deep_stack(r, r->chunk->frames.at + s->frames.first,
		                                      s->frames.n);
	else if (s->related.n && s->type == PP_SPAA_KERNEL_STACK)
		held_add(r, frames, s->frames.n);
	else
		batch_add(r, event, s->frames.n);
}

bool
pp_spaa_apply_stack(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	uint64_t errors = r->errors, hash = 0;
	uint32_t id = UINT32_MAX, event = 0;
	pp_frame *frames = NULL;
	unsigned seen = 0;
	bool known;

	if (PP_SPAA_HAS(s, has, STACK_ID))
		id = pp_spaa_id_row(r, &s->id);
	if (PP_SPAA_HAS(s, has, STACK_ID) && !r->header.local_ids && s->id.is_text &&
	    PP_UNLIKELY(!s->id.is_hex))
		pp_spaa_report(r, rec, PP_SPAA_R_STACK_ID_HEX, s->id.at,
		               "the content-addressable id is not 0x and hexadecimal digits");
	known = PP_SPAA_HAS(s, context_has, CONTEXT_EVENT) &&
	        pp_spaa_event_find(r, s->event, &event);
	if (PP_SPAA_HAS(s, context_has, CONTEXT_EVENT) && PP_UNLIKELY(!known))
		pp_spaa_report_in(r, rec, PP_SPAA_R_EVENT_UNDEFINED, "context.event", NULL,
		                  "the header declares no event \"%.*s\"", PP_SPAA_SHOWN(s->event));
	if (s->tid >= 0 && (r->last_series_key.tid != s->tid || !r->series.n))
		thread_used(r, s->tid);
	if (r->want_tree)
		frames = r->flat ? path_room(r, s->frames.n) : batch_room(r, s->frames.n);
	if (frames_resolve(r, rec, frames, &hash, &seen) && !rec->wrong)
		frames_judge(r, rec, seen);
	if (id != UINT32_MAX && known && !rec->wrong && r->errors == errors &&
	    r->ids.at[id].record && r->ids.at[id].record != PP_SPAA_REFUSED)
		(void)id_judge_again(r, rec, id, hash, event);
	/* What is missing in a record that is wrong anyway may be just what could not be read. */
	if (known && !rec->wrong && weights_judge(r, rec, &r->events.at[event]) && s->own_has)
		exclusive_judge(r, rec, &r->events.at[event]);
	if (!pp_builder_ok(r->builder))
		return false;
	if (PP_LIKELY(!rec->wrong && known && r->errors == errors && id != UINT32_MAX))
		stack_use(r, rec, id, event, frames, hash, seen);
	else if (id != UINT32_MAX && !r->ids.at[id].record)
		r->ids.at[id].record = PP_SPAA_REFUSED;
	return pp_builder_ok(r->builder);
}
