/*
 * Costs per function out of stacks that are mostly like the one before: what they share is compared by who knows it,
 * and is not looked at again. Each step of the path has what was spent below it while it stood there; that goes to its
 * function, and on to the step before, when the step is left.
 */
#include "model/builder_stacks.h"

/* Adds to the sums of a row; false when out of memory. */
static bool
row_add(struct pp_stacks *x, pp_frame row, bool own, const uint64_t *values)
{
	struct pp_sums *s = &x->sums;
	uint32_t first = x->walk.column, k;

	for (k = 0; k < PP_WALK_COLUMNS; k++) {
		union pp_value *cells;
		struct pp_cost_pair *pair;

		if (!s->is_sparse) {
			cells = s->cells + (size_t)row * 2 * s->stride + first + k;
			cells[own ? 0 : s->stride].i += values[k];
			continue;
		}
		if (values[k] == 0)
			continue;
		pair = pp_gather_at(&s->sparse, row, first + k);
		if (!pair)
			return false;
		*(own ? &pair->own.i : &pair->total.i) += values[k];
	}
	return true;
}

/* What was spent below a step goes to its function, unless it stands further out, too, and to the step before. */
static bool
step_settle(struct pp_stacks *x, size_t at)
{
	struct pp_walk_step *step = &x->walk.path.at[at];
	bool fine = !step->outer || row_add(x, step->frame, false, step->values);
	uint32_t k;

	for (k = 0; k < PP_WALK_COLUMNS; k++) {
		if (at > 0)
			step[-1].values[k] += step->values[k];
		step->values[k] = 0;
	}
	return fine;
}

bool
pp_walk_settle(struct pp_stacks *x)
{
	struct pp_walk *w = &x->walk;
	bool fine = true;
	size_t i;

	if (!w->any)
		return true;
	for (i = w->path.n; fine && i-- > 0;)
		fine = step_settle(x, i);
	fine = fine && row_add(x, 0, true, w->whole) && row_add(x, 0, false, w->whole);
	memset(w->whole, 0, sizeof w->whole);
	w->any = false;
	return fine;
}

void
pp_walk_release(struct pp_walk *w)
{
	pp_vec_release(&w->path);
	pp_vec_release(&w->stands);
}

/* Room for a path of that depth, and for all frames. */
static bool
walk_reserve(struct pp_builder *b, size_t depth)
{
	struct pp_stacks *x = b->stacks;
	size_t frames = b->profile->frames.n, old = x->walk.stands.cap;

	if (PP_LIKELY(frames <= old && frames <= x->sums.rows && depth <= x->walk.path.cap))
		return true;

	if (!pp_sums_reserve(&x->sums, frames) || !pp_vec_reserve(&x->walk.path, depth) ||
	    !pp_vec_reserve(&x->walk.stands, frames))
		return false;
	if (x->walk.stands.cap > old)
		memset(x->walk.stands.at + old, 0, x->walk.stands.cap - old);
	x->sums.serial += x->sums.serial == 0;
	return true;
}

static void
step_push(struct pp_stacks *x, pp_frame frame)
{
	struct pp_walk *w = &x->walk;

	w->path.at[w->path.n++] = (struct pp_walk_step){ .frame = frame,
		                                         .outer = !w->stands.at[frame] };
	w->stands.at[frame] = true;
	x->sums.seen[frame] += x->sums.seen[frame] == 0;
}

bool
pp_build_walk(struct pp_builder *b, uint32_t column, size_t keep, const pp_frame *frames, size_t n,
              const uint64_t *values)
{
	struct pp_stacks *x = b->stacks;
	struct pp_walk *w = &x->walk;
	bool fine = true;
	uint32_t k;

	if (PP_UNLIKELY(keep + n > b->limits.max_depth))
		pp_builder_fail(b, PP_E_LIMIT, PP_TOO_DEEP);
	if (PP_UNLIKELY(!pp_builder_ok(b)))
		return false;
	if (w->column != column)
		fine = pp_walk_settle(x);
	w->column = column;
	while (fine && w->path.n > keep) {
		fine = step_settle(x, w->path.n - 1);
		w->path.n--;
		if (w->path.at[w->path.n].outer)
			w->stands.at[w->path.at[w->path.n].frame] = false;
	}
	if (!fine || !walk_reserve(b, keep + n + 1)) {
		pp_builder_fail(b, PP_E_NOMEM, NULL);
		return false;
	}
	while (n > 0)
		step_push(x, frames[--n]);
	for (k = 0; k < PP_WALK_COLUMNS; k++) {
		w->whole[k] += values[k];
		if (w->path.n)
			w->path.at[w->path.n - 1].values[k] += values[k];
	}
	w->any = true;
	if (w->path.n && !row_add(x, w->path.at[w->path.n - 1].frame, true, values))
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	return pp_builder_ok(b);
}
