/*
 * Stack records judged and used.
 */
#include "formats/spaa/spaa.h"

#include <math.h>

#include "formats/spaa/write.h"

/* ---- frames ----------------------------------------------------------------------------- */

enum { SEEN_USER = 1 << PP_SPAA_USER, SEEN_KERNEL = 1 << PP_SPAA_KERNEL, SEEN_INLINED = 8 };

/* Looks all frames up; root first into `out` when there is one. False when one is not defined. */
static bool
frames_resolve(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, pp_frame *out,
               uint64_t *hash, unsigned *seen)
{
	struct pp_spaa_run run = rec->u.stack.frames;
	const uint64_t *ids = r->in.chunk->frames.at + run.first;
	bool leaf_first = !r->header.root_to_leaf;
	uint64_t h = r->reader->seed ^ rec->u.stack.type;
	uint32_t i, row;

	for (i = 0; i < run.n; i++) {
		const struct pp_spaa_frame_row *f;

		if (PP_UNLIKELY(!pp_id_table_get(&r->dicts.frame_of, ids[i], &row))) {
			pp_spaa_report_in(
			    r, rec, PP_SPAA_R_FRAME_UNDEFINED, "frames.#", &i,
			    "the stack names frame %llu, which no frame record before it defines",
			    (unsigned long long)ids[i]);
			return false;
		}
		f = &r->dicts.frames.at[row];
		*seen |= 1u << f->kind | (f->inlined ? SEEN_INLINED : 0u);
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
	const uint64_t *ids = r->in.chunk->frames.at + run.first;
	const struct pp_spaa_frame_row *inner = NULL, *f = NULL;
	bool leaf_first = !r->header.root_to_leaf;
	uint32_t i, row, index = 0;

	for (i = 0; i < run.n; i++, inner = f) {
		index = leaf_first ? i : run.n - 1 - i;
		(void)pp_id_table_get(&r->dicts.frame_of, ids[index], &row);
		f = &r->dicts.frames.at[row];
		if (!inner || !inner->inlined)
			continue;
		if (inner->has_depth && f->has_depth && inner->depth <= f->depth &&
		    inner->ip == f->ip && inner->dso == f->dso)
			pp_spaa_report_in(r, rec, PP_SPAA_R_INLINE_ORDER, "frames.#", &index,
			                  "inline depth %llu is outside %llu",
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

static const struct pp_decimal *
weight_special(const struct weights *w, enum pp_spaa_special special)
{
	return w->special[special] ? &w->at[w->special[special] - 1].value : NULL;
}

/* Whether live = allocated - freed, where all three are given. */
static bool
live_fits(const struct weights *w, enum pp_spaa_special alloc)
{
	const struct pp_decimal *a = weight_special(w, alloc), *f = weight_special(w, alloc + 1),
	                        *l = weight_special(w, alloc + 2);

	if (!a || !f || !l)
		return true;
	if (a->is_real || f->is_real || l->is_real)
		return fabs(pp_decimal_double(a) - pp_decimal_double(f) - pp_decimal_double(l)) <=
		       1e-9 * fabs(pp_decimal_double(a));
	return pp_decimal_widest(a) - pp_decimal_widest(f) == pp_decimal_widest(l);
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
		const struct pp_decimal *n = weight_special(w, counts[i]);

		if (n && pp_decimal_is_zero(n))
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

	if (pp_decimal_is_zero(&w->at[w->primary - 1].value))
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
	      !pp_decimal_is_zero(&e->said.frequency)))
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

/* Judges the weights; r->metrics.weighed are their metrics. False when the stack is refused. */
static bool
weights_judge(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, struct pp_spaa_event *e)
{
	struct pp_spaa_list list = { rec->u.stack.weights, (uint32_t)(e - r->costs.events.at),
		                     "weights.#", 0 };
	struct weights w = { .at = r->in.chunk->weights.at + list.run.first };
	uint32_t *metric_at, i;

	if (!pp_spaa_metrics_resolve(r, rec, &list, &metric_at))
		return false;
	if (!pp_vec_reserve(&r->metrics.weighed, (size_t)list.run.n + 1)) {
		pp_spaa_no_memory(r);
		return false;
	}
	for (i = 0; i < list.run.n; i++) {
		struct pp_spaa_metric *m = &r->metrics.rows.at[metric_at[i]];

		r->metrics.weighed.at[i] = metric_at[i];
		m->weighed = r->metrics.stamp;
		m->at = i;
		w.special[m->special] = i + 1;
		if (PP_UNLIKELY(!pp_spaa_metric_count(r, list.event, metric_at[i]))) {
			pp_spaa_report_in(
			    r, rec, PP_SPAA_R_METRICS_MANY, "weights.#.metric", &i,
			    "\"%.*s\" would be one metric more than the %d that all events "
			    "together may have",
			    PP_SHOWN(m->name), PP_SPAA_METRICS_MAX);
			return false;
		}
		if (metric_at[i] == e->columns.at[0].metric)
			w.primary = i + 1;
		if (PP_UNLIKELY(pp_decimal_is_negative(&w.at[i].value)))
			pp_spaa_report_in(r, rec, PP_SPAA_R_VALUE_NEGATIVE, "weights.#.value", &i,
			                  "\"%.*s\" is negative", PP_SHOWN(m->name));
	}
	if (PP_UNLIKELY(!w.primary)) {
		pp_spaa_report_in(r, rec, PP_SPAA_R_PRIMARY_MISSING, "weights", NULL,
		                  "the stack lacks the primary metric \"%.*s\" of its event",
		                  PP_SHOWN(e->said.primary));
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
	const uint64_t *ids = r->in.chunk->frames.at + s->frames.first;
	const struct pp_spaa_weight *w = r->in.chunk->weights.at;
	struct pp_spaa_list list = { s->own, (uint32_t)(e - r->costs.events.at),
		                     "exclusive.weights.#", 0 };
	uint64_t weighed = r->metrics.stamp;
	bool primary = false, fine;
	uint32_t *metric_at, i;

	if (PP_SPAA_HAS(s, own_has, EXCLUSIVE_FRAME) &&
	    (s->frames.n == 0 || ids[r->header.root_to_leaf ? s->frames.n - 1 : 0] != s->leaf))
		pp_spaa_report_in(r, rec, PP_SPAA_R_EXCLUSIVE_LEAF, "exclusive.frame", NULL,
		                  "exclusive.frame %llu is not the leaf of the stack",
		                  (unsigned long long)s->leaf);
	if (!PP_SPAA_HAS(s, own_has, EXCLUSIVE_WEIGHTS) ||
	    (s->own.first == s->weights.first && s->own.n == s->weights.n && s->own.n &&
	     r->metrics.odd_units != weighed))
		return; /* the same list is neither less nor more */
	fine = pp_spaa_metrics_resolve(r, rec, &list, &metric_at);
	for (i = 0; fine && i < s->own.n; i++) {
		const struct pp_spaa_metric *m = &r->metrics.rows.at[metric_at[i]];
		const struct pp_decimal *part = &w[s->own.first + i].value, *whole;

		primary |= metric_at[i] == e->columns.at[0].metric;
		if (m->weighed != weighed)
			continue;
		whole = &w[s->weights.first + m->at].value;
		if (!pp_decimal_is_negative(whole) && PP_UNLIKELY(pp_decimal_cmp(part, whole) > 0))
			pp_spaa_report_in(
			    r, rec, PP_SPAA_R_EXCLUSIVE_MORE, "exclusive.weights.#.value", &i,
			    "exclusive \"%.*s\" is more than that of the stack", PP_SHOWN(m->name));
	}
	if (fine && !primary)
		pp_spaa_report_in(r, rec, PP_SPAA_R_EXCLUSIVE_PRIMARY, "exclusive.weights", NULL,
		                  "exclusive lacks the primary metric");
}

static bool
series_is(const struct pp_spaa_series_key *a, const struct pp_spaa_series_key *b)
{
	return a->event == b->event && a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu &&
	       a->comm == b->comm && a->labels == b->labels;
}

uint32_t
pp_spaa_series_of(struct pp_spaa_reader *r, struct pp_spaa_series_key key)
{
	struct pp_spaa_costs *c = &r->costs;
	uint64_t hash;
	uint32_t i;

	if (PP_LIKELY(c->series.n && series_is(&key, &c->series.at[c->last_series])))
		return c->last_series;
	/* Equal hashes are told apart by probing the next one. */
	hash = pp_mix(r->reader->seed ^ (uint64_t)key.pid, PP_HASH_K2 ^ key.event);
	hash = pp_mix(hash ^ (uint64_t)key.tid, PP_HASH_K1 ^ (uint64_t)key.cpu);
	hash = pp_mix(hash ^ ((uint64_t)key.labels << 32 | key.comm), PP_HASH_K2);
	while ((i = pp_map_get(&c->series_of, hash)) != PP_MAP_NONE &&
	       !series_is(&key, &c->series.at[i]))
		hash++;
	if (i == PP_MAP_NONE) {
		const struct pp_series like = { .event = c->events.at[key.event].str,
			                        .pid = key.pid,
			                        .tid = key.tid,
			                        .cpu = key.cpu,
			                        .thread = key.comm,
			                        .labels = key.labels };

		i = (uint32_t)c->series.n;
		key.at = pp_build_series(r->builder, &like, false, false);
		if (!pp_vec_push(&c->series, key) || !pp_map_set(&c->series_of, hash, i)) {
			pp_spaa_no_memory(r);
			return c->last_series;
		}
	}
	return c->last_series = i;
}

/* ---- the record ------------------------------------------------------------------------- */

/* What the stack adds to the sum by which carried records know it again. */
static uint64_t
stack_mark(const struct pp_spaa_reader *r, const struct pp_spaa_stack *s)
{
	uint64_t mark = 0;
	uint32_t i;

	for (i = 0; i < s->weights.n; i++)
		mark += pp_spaa_mark_value(mark,
		                           &r->in.chunk->weights.at[s->weights.first + i].value);
	return (pp_spaa_mark_id(s->id.text) + mark) * PP_FNV_PRIME;
}

/* Room for the frames of a stack; NULL when nobody asks for them, or out of memory. */
static pp_frame *
path_room(struct pp_spaa_reader *r, size_t depth)
{
	if (!r->want_costs)
		return NULL;
	if (!pp_vec_reserve(&r->costs.path, depth + 1)) {
		pp_spaa_no_memory(r);
		return NULL;
	}
	return r->costs.path.at;
}

/* Keeps the frames of a stack for the list that follows. Ids that are too large are none of it. */
static void
frames_keep(struct pp_spaa_reader *r, const struct pp_spaa_stack *s)
{
	const uint64_t *ids = r->in.chunk->frames.at + s->frames.first;
	uint32_t n = s->frames.n, i;

	if (!pp_vec_reserve(&r->carried.frames, r->carried.frames.n + n) ||
	    !pp_vec_push(&r->carried.ends, r->carried.frames.n + n)) {
		pp_spaa_no_memory(r);
		return;
	}
	for (i = 0; i < n; i++) {
		uint64_t id = ids[r->header.root_to_leaf ? i : n - 1 - i];

		r->carried.frames.at[r->carried.frames.n++] = id < UINT32_MAX ? (uint32_t)id : 0;
	}
}

/* Uses a stack that is right. */
static void
stack_use(struct pp_spaa_reader *r, const struct pp_spaa_record *rec, uint32_t id, uint32_t event,
          const pp_frame *frames, uint64_t hash)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	struct pp_spaa_series_key key = { event, s->pid, s->tid, s->cpu, 0, 0, 0 };
	uint32_t series = 0;

	if (frames && s->comm.n)
		key.comm = pp_build_str(r->builder, s->comm);
	/* Its own writer has them from the text. */
	if (frames && PP_UNLIKELY(r->builder->order.facets & PP_LABELS))
		key.labels = pp_spaa_labels(r, rec);
	if (frames)
		series = pp_spaa_series_of(r, key);
	if (!pp_builder_ok(r->builder) || !pp_spaa_stack_add(r, rec, id, event, hash, series))
		return;
	if (r->carried.announced)
		r->carried.mark += stack_mark(r, s);
	if (r->carried.listed)
		frames_keep(r, s);
	if (frames)
		pp_spaa_costs_add(r, s, (uint32_t)r->stacks.records.n - 1, frames);
}

void
pp_spaa_apply_stack(struct pp_spaa_reader *r, const struct pp_spaa_record *rec)
{
	const struct pp_spaa_stack *s = &rec->u.stack;
	uint64_t errors = r->in.errors, hash = 0;
	uint32_t id = UINT32_MAX, event = 0;
	pp_frame *frames;
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
		                  "the header declares no event \"%.*s\"", PP_SHOWN(s->event));
	if (s->tid >= 0 &&
	    (!r->costs.series.n || r->costs.series.at[r->costs.last_series].tid != s->tid))
		pp_spaa_thread_used(r, s->tid);
	if (s->frames.n > r->reader->limits.max_depth)
		pp_builder_fail(r->builder, PP_E_LIMIT, PP_TOO_DEEP);
	frames = path_room(r, s->frames.n);
	if (frames_resolve(r, rec, frames, &hash, &seen) && !rec->wrong)
		frames_judge(r, rec, seen);
	if (id != UINT32_MAX && known && !rec->wrong && r->in.errors == errors)
		pp_spaa_stack_judge(r, rec, id, event, hash);
	/* What is missing in a record that is wrong anyway may be just what could not be read. */
	if (known && !rec->wrong && weights_judge(r, rec, &r->costs.events.at[event]) && s->own_has)
		exclusive_judge(r, rec, &r->costs.events.at[event]);
	if (!pp_builder_ok(r->builder))
		return;
	if (PP_LIKELY(!rec->wrong && known && r->in.errors == errors && id != UINT32_MAX))
		stack_use(r, rec, id, event, frames, hash);
	else if (id != UINT32_MAX && !r->stacks.ids.at[id].record)
		r->stacks.ids.at[id].record = PP_SPAA_REFUSED;
}
