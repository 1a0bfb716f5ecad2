/*
 * Calls and returns of one thread.
 */
#include "formats/kit/call_walk.h"

#include "model/leaf_kind.h"
#include "model/traits.h"

bool
pp_times_kept(struct pp_builder *b)
{
	unsigned facets = b->order.facets;
	bool kept = (facets == 0 || facets & PP_TIMELINE) && !(facets & PP_FINDINGS);

	if (!kept) {
		b->profile->holds |= PP_TIMELINE;
		b->profile->unread |= PP_HAS(TIMELINE);
	}
	return kept;
}

bool
pp_call_walk_adds_up(const struct pp_builder *b, bool alone)
{
	return alone && pp_order_is_costs(&b->order) && !b->order.filter && !b->order.keep &&
	       !(b->order.facets & (PP_THREADS | PP_LABELS));
}

void
pp_call_walk_begin(struct pp_call_walk *w)
{
	w->keeps = pp_times_kept(w->b);
	w->adds_up = pp_call_walk_adds_up(w->b, w->alone);
	w->charged = w->series;
	w->open.n = 0;
	w->begun = false;
	w->node = 0;
	w->depth = 0;
	w->time = w->spent = w->idle = 0;
}

static void
event_keep(struct pp_call_walk *w, enum pp_event_kind kind)
{
	struct pp_profile *p = w->b->profile;
	struct pp_timeline *t = &p->series.at[w->series].timeline;
	struct pp_event event = { .kind = kind, .node = w->node, .time = w->time };
	size_t n = p->metrics.n;
	int64_t few[PP_FEW_COLUMNS] = { 0 };

	if (!w->keeps || n > PP_FEW_COLUMNS || !pp_builder_ok(w->b))
		return;
	if (w->ns)
		(void)pp_fixed_ns(w->fixed, w->time, &event.time);
	few[w->metric] = w->spent;
	if ((!t->last_values && !pp_timeline_init(t, (uint32_t)n, true)) ||
	    !pp_timeline_add(t, &event, few))
		pp_builder_fail(w->b, PP_E_NOMEM, NULL);
}

/* Adds time to the innermost function; false if a sum overflows. */
static bool
time_add(struct pp_call_walk *w, int64_t passed)
{
	struct pp_call_sum *sum;
	int64_t all;

	if (__builtin_add_overflow(w->spent, passed, &all))
		return false;
	if (!w->adds_up) {
		/* Idle time is found in the tree afterwards. */
		if (!pp_build_add(w->b, w->charged, w->node, w->metric, passed))
			return false;
	} else {
		sum = &w->sums.at[w->open.at[w->open.n - 1]];
		if (PP_UNLIKELY(sum->idle))
			return !__builtin_add_overflow(w->idle, passed, &w->idle);
		/* No sum exceeds all time, which fits. */
		sum->own += passed;
	}
	w->spent = all;
	return true;
}

void
pp_call_walk_until(struct pp_call_walk *w, int64_t time)
{
	int64_t passed;

	if (w->begun && (w->node || w->open.n) && time > w->time) {
		if (PP_UNLIKELY(__builtin_sub_overflow(time, w->time, &passed) ||
		                !time_add(w, passed)) &&
		    pp_builder_ok(w->b))
			pp_builder_overflow(w->b, 0, w->metric, w->b->place);
	}
	w->time = time;
	w->begun = true;
}

/* The sums of a function, made when there are none. */
static struct pp_call_sum *
sum_of(struct pp_call_walk *w, pp_func func)
{
	size_t n = w->b->profile->funcs.n;

	if (PP_UNLIKELY(func >= w->sums.n)) {
		if (!pp_vec_reserve(&w->sums, n)) {
			pp_builder_fail(w->b, PP_E_NOMEM, NULL);
			return NULL;
		}
		memset(w->sums.at + w->sums.n, 0, (n - w->sums.n) * sizeof *w->sums.at);
		w->sums.n = n;
	}
	return &w->sums.at[func];
}

static void
sum_enter(struct pp_call_walk *w, pp_frame frame, bool counts)
{
	pp_func func = w->b->profile->frames.at[frame].func;
	struct pp_call_sum *sum = sum_of(w, func);

	if (!sum || !pp_vec_push(&w->open, func)) {
		pp_builder_fail(w->b, PP_E_NOMEM, NULL);
		return;
	}
	if (PP_UNLIKELY(!sum->calls) && w->b->order.facets & PP_ASIDE)
		sum->idle = pp_name_is_idle(
		    pp_text_of(w->b->profile, w->b->profile->funcs.at[func].name));
	if (sum->depth++ == 0)
		sum->since = w->spent;
	sum->calls += counts;
}

static void
sum_leave(struct pp_call_walk *w)
{
	struct pp_call_sum *sum = w->open.n ? &w->sums.at[w->open.at[--w->open.n]] : NULL;

	if (sum && --sum->depth == 0)
		sum->total += w->spent - sum->since;
}

static void
step_in(struct pp_call_walk *w, pp_frame frame, bool counts)
{
	int64_t *cells;

	if (PP_UNLIKELY(++w->depth > w->b->limits.max_depth))
		pp_builder_fail(w->b, PP_E_LIMIT, PP_TOO_DEEP);
	if (PP_UNLIKELY(!pp_builder_ok(w->b)))
		return;
	if (w->adds_up) {
		sum_enter(w, frame, counts);
		return;
	}
	w->node = pp_build_child(w->b, w->node, frame);
	cells = pp_builder_ok(w->b) ? pp_build_cells(w->b, w->charged, w->node) : NULL;
	if (cells)
		cells[w->b->profile->metrics.n] += counts;
	/* What goes on runs there without having been called. */
	event_keep(w, counts ? PP_EVENT_ENTER : PP_EVENT_SAMPLE);
}

void
pp_call_walk_resume(struct pp_call_walk *w, pp_frame frame)
{
	step_in(w, frame, false);
}

void
pp_call_walk_enter(struct pp_call_walk *w, pp_frame frame)
{
	step_in(w, frame, true);
}

void
pp_call_walk_leave(struct pp_call_walk *w)
{
	w->depth -= w->depth > 0;
	if (w->adds_up) {
		sum_leave(w);
		return;
	}
	event_keep(w, PP_EVENT_EXIT);
	if (w->node)
		w->node = pp_tree_parent(&w->b->profile->tree, w->node);
}

void
pp_call_walk_end(struct pp_call_walk *w)
{
	struct pp_func_costs costs;
	size_t i;

	while (w->depth && pp_builder_ok(w->b))
		pp_call_walk_leave(w);
	for (i = 0; i < w->sums.n && w->adds_up && pp_builder_ok(w->b); i++) {
		const struct pp_call_sum *sum = &w->sums.at[i];
		struct pp_cost_pair pair = { .own = { .i = sum->own },
			                     .total = { .i = i ? sum->total : w->spent } };

		if (i == 0)
			pair.own.i = w->spent;
		else if (!sum->calls || (sum->idle && !sum->own && !sum->total))
			continue;
		pp_build_func_cost(w->b, (pp_func)i, w->metric, pair);
		if (pp_build_func_costs(w->b, (pp_func)i, &costs))
			*costs.calls += sum->calls;
	}
	if (w->adds_up && w->idle)
		pp_build_idle(w->b, w->metric, (union pp_value){ .i = w->idle });
	if (w->adds_up)
		w->b->profile->costs.stated = true;
	pp_vec_release(&w->sums);
	pp_vec_release(&w->open);
}
