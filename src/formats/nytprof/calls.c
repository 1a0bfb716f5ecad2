/*
 * From '<' records to a call tree.
 *
 * A sub's name comes when it returns, after the names of all that it called. So the returns read
 * backwards are the tree from the root on: each is a child of the nearest later one that is one level
 * up. They are collected in a buffer and put into the tree from its end.
 *
 * What lies under subs that have not returned when the buffer is full waits in small trees of its own,
 * one for each such level, until the return comes that names the parent. Memory is thus bounded by the
 * number of distinct stacks, however long the program ran.
 *
 * Where there are statements, whose time outside of subs is known, the outermost calls stand under
 * main::RUNTIME, which is what Perl calls their caller, or under the file whose level makes them.
 *
 * Levels that never return (a child that left by _exit, a killed process, a return that got lost) are
 * shown as one frame "[unknown]".
 */
#include "formats/nytprof/load.h"

#define BUFFER_RETURNS ((size_t)16384)
#define TOP UINT32_MAX

static void
no_memory(struct pp_nyt_load *load)
{
	pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

static void
waiting_release(struct pp_nyt_waiting *w)
{
	pp_vec_release(&w->branches);
	pp_map_release(&w->child);
}

void
pp_nyt_calls_release(struct pp_nyt_calls *c)
{
	size_t i;

	for (i = 0; i < c->waiting.n; i++)
		waiting_release(&c->waiting.at[i]);
	for (i = 0; i < c->taken.n; i++)
		waiting_release(&c->taken.at[i]);
	pp_vec_release(&c->buffer);
	pp_vec_release(&c->levels);
	pp_vec_release(&c->waiting);
	pp_vec_release(&c->taken);
	pp_vec_release(&c->path);
	pp_vec_release(&c->sums);
	pp_vec_release(&c->incl);
	pp_vec_release(&c->touched);
	pp_nyt_times_release(&c->times);
}

/* ---- places: a node of the profile's tree or a branch of a waiting one -------------------- */

static uint32_t
branch_child(struct pp_nyt_load *load, struct pp_nyt_waiting *w, uint32_t parent, uint32_t sub)
{
	uint64_t key = (uint64_t)(parent + 1) << 32 | sub;
	uint32_t branch = pp_map_get(&w->child, key);
	struct pp_nyt_branch row = { .parent = parent, .sub = sub };

	if (branch != PP_MAP_NONE)
		return branch;
	branch = (uint32_t)w->branches.n;
	if (branch >= load->builder->limits.max_nodes) {
		pp_builder_fail(load->builder, PP_E_LIMIT, "the call tree has too many nodes");
		return 0;
	}
	if (!pp_vec_push(&w->branches, row) || !pp_map_set(&w->child, key, branch))
		no_memory(load);
	return branch;
}

static struct pp_nyt_place
place_child(struct pp_nyt_load *load, struct pp_nyt_place parent, uint32_t sub)
{
	struct pp_nyt_place place = parent;

	if (parent.tree)
		place.node = branch_child(load, &load->calls.waiting.at[parent.tree - 1],
		                          parent.node, sub);
	else
		place.node = pp_build_child(load->builder, parent.node,
		                            load->subs.rows.at[sub].frame);
	return place;
}

/* Adds to a node of the profile's tree. */
static bool
node_add(struct pp_nyt_load *load, pp_node node, const struct pp_nyt_sum *add)
{
	struct pp_nyt_calls *c = &load->calls;
	struct pp_nyt_sum *sum;

	if (PP_UNLIKELY(node >= c->sums.n)) {
		if (!pp_vec_reserve(&c->sums, (size_t)node + 1) ||
		    !pp_vec_reserve(&c->incl, (size_t)node + 1)) {
			no_memory(load);
			return false;
		}
		memset(c->sums.at + c->sums.n, 0, (node + 1 - c->sums.n) * sizeof *c->sums.at);
		memset(c->incl.at + c->incl.n, 0, (node + 1 - c->incl.n) * sizeof *c->incl.at);
		c->sums.n = c->incl.n = (size_t)node + 1;
	}
	sum = &c->sums.at[node];
	if (sum->calls == 0 && !pp_vec_push(&c->touched, node)) {
		no_memory(load);
		return false;
	}
	sum->calls += add->calls;
	sum->excl += add->excl;
	sum->incl += add->incl;
	return true;
}

static bool
place_add(struct pp_nyt_load *load, struct pp_nyt_place place, const struct pp_nyt_sum *add)
{
	struct pp_nyt_branch *branch;

	if (!pp_builder_ok(load->builder))
		return false;
	if (!place.tree)
		return node_add(load, place.node, add);
	branch = &load->calls.waiting.at[place.tree - 1].branches.at[place.node];
	branch->calls += add->calls;
	branch->excl += add->excl;
	branch->incl += add->incl;
	return true;
}

/* The sub that stands for frames which nobody named. */
static uint32_t
unknown_sub(struct pp_nyt_load *load)
{
	if (load->subs.unknown == 0) {
		uint32_t sub = pp_nyt_sub_use(load, pp_slice_z("[unknown]"));

		if (sub == PP_NYT_NO_SUB)
			return sub;
		load->subs.unknown = sub + 1;
	}
	return load->subs.unknown - 1;
}

/* Puts a waiting tree under a place; `gap`: there is an unnamed level in between. */
static void
waiting_settle(struct pp_nyt_load *load, const struct pp_nyt_waiting *w, struct pp_nyt_place under,
               bool gap)
{
	uint32_t *where = calloc(w->branches.n + 1, sizeof *where);
	uint32_t sub = gap ? unknown_sub(load) : 0;
	size_t i;

	if (!where)
		no_memory(load);
	if (gap && pp_builder_ok(load->builder))
		under = place_child(load, under, sub);
	for (i = 0; i < w->branches.n && pp_builder_ok(load->builder); i++) {
		const struct pp_nyt_branch *b = &w->branches.at[i];
		struct pp_nyt_sum sum = { b->calls, b->excl, b->incl };
		struct pp_nyt_place at = under;

		if (b->parent != TOP)
			at.node = where[b->parent];
		at = place_child(load, at, b->sub);
		where[i] = at.node;
		if (b->calls && !place_add(load, at, &sum))
			break;
	}
	free(where);
}

/* ---- the buffer, backwards ----------------------------------------------------------------- */

/* The waiting tree for calls at this depth, made when absent; index + 1, 0 when out of memory. */
static uint32_t
waiting_at(struct pp_nyt_load *load, uint32_t depth)
{
	struct pp_nyt_calls *c = &load->calls;
	struct pp_nyt_waiting w = { .depth = depth, .child = { .seed = load->reader->seed } };
	size_t i = c->waiting.n;

	while (i && c->waiting.at[i - 1].depth > depth)
		i--;
	if (i && c->waiting.at[i - 1].depth == depth)
		return (uint32_t)i;
	if (!pp_vec_push(&c->waiting, w)) {
		no_memory(load);
		return 0;
	}
	memmove(c->waiting.at + i + 1, c->waiting.at + i, (c->waiting.n - 1 - i) * sizeof w);
	c->waiting.at[i] = w;
	/* Nothing on the path points to one that moved: the path is empty whenever this is called. */
	return (uint32_t)i + 1;
}

/* Where a return belongs whose caller is not among the later ones. */
static struct pp_nyt_place
place_open(struct pp_nyt_load *load, const struct pp_nyt_return *r, bool final)
{
	const struct pp_nyt_calls *c = &load->calls;
	struct pp_nyt_place root = { .node = pp_nyt_process_node(load, load->process) };
	size_t number = (size_t)(r - c->buffer.at);
	uint32_t sub, depth = r->depth;

	if (depth == 1) {
		if (number < c->levels.n && c->levels.at[number])
			root.node = pp_nyt_outside_node(load, c->levels.at[number] - 1);
		return root;
	}
	if (!final) {
		root.tree = waiting_at(load, depth);
		root.node = TOP;
		return root;
	}
	load->calls.open_at_end = true;
	sub = unknown_sub(load);
	return sub == PP_NYT_NO_SUB ? root : place_child(load, root, sub);
}

/* The place of a return, given the path to the one that was handled before. */
static struct pp_nyt_place
place_of(struct pp_nyt_load *load, const struct pp_nyt_return *r, bool final)
{
	struct pp_nyt_calls *c = &load->calls;
	struct pp_nyt_place parent, place;

	while (c->path.n && c->path.at[c->path.n - 1].depth >= r->depth)
		c->path.n--;
	if (c->path.n == 0) {
		parent = place_open(load, r, final);
	} else {
		parent = c->path.at[c->path.n - 1];
		if (r->depth > parent.depth + 1) {
			uint32_t sub = unknown_sub(load);

			if (sub != PP_NYT_NO_SUB)
				parent = place_child(load, parent, sub);
		}
	}
	place = pp_builder_ok(load->builder) ? place_child(load, parent, r->sub) : parent;
	place.depth = r->depth;
	return place;
}

void
pp_nyt_outside_begin(struct pp_nyt_load *load)
{
	struct pp_nyt_outside *o = &load->outside;
	uint32_t sub;

	if (!pp_builder_ok(load->builder))
		return;
	if (!o->sub && load->statements.n) {
		sub = pp_nyt_sub_use(load, pp_slice_z("main::RUNTIME"));
		o->sub = sub == PP_NYT_NO_SUB ? 0 : sub + 1;
	}
	/* Where subs were called and no return was kept, nobody knows the stacks. */
	if (o->sub && !o->node && load->want_calls && (load->calls.returns || !load->callers.n))
		o->node = pp_build_child(load->builder, 0, load->subs.rows.at[o->sub - 1].frame);
}

/* Puts all returns of the buffer where they belong. `final`: nothing will follow. */
static void
buffer_flush(struct pp_nyt_load *load, bool final)
{
	struct pp_nyt_calls *c = &load->calls;
	size_t i = c->buffer.n, t = c->taken.n;

	if (i && load->calls.touched.n == 0 && load->outside.sub == 0)
		pp_nyt_outside_begin(load);
	c->path.n = 0;
	while (i-- && pp_builder_ok(load->builder)) {
		const struct pp_nyt_return *r = &c->buffer.at[i];
		struct pp_nyt_place place = place_of(load, r, final);
		struct pp_nyt_sum sum = { 1, r->excl, r->incl };

		if (!place_add(load, place, &sum))
			break;
		if (c->times.moments.n)
			c->times.moments.at[i].node = place.node;
		for (; t && c->taken.at[t - 1].taken_by == i; t--)
			waiting_settle(load, &c->taken.at[t - 1], place,
			               c->taken.at[t - 1].depth > r->depth + 1);
		if (!pp_vec_push(&c->path, place)) {
			no_memory(load);
			break;
		}
	}
	for (t = 0; t < c->taken.n; t++)
		waiting_release(&c->taken.at[t]);
	c->taken.n = 0;
	c->buffer.n = 0;
}

/* ---- records ------------------------------------------------------------------------------- */

void
pp_nyt_calls_refine(struct pp_nyt_load *load, double factor)
{
	struct pp_nyt_calls *c = &load->calls;
	struct pp_profile *p = load->builder->profile;
	size_t i, k;

	for (i = 0; i < c->buffer.n; i++) {
		c->buffer.at[i].incl *= factor;
		c->buffer.at[i].excl *= factor;
	}
	for (i = 0; i < c->waiting.n; i++)
		for (k = 0; k < c->waiting.at[i].branches.n; k++) {
			c->waiting.at[i].branches.at[k].incl *= factor;
			c->waiting.at[i].branches.at[k].excl *= factor;
		}
	for (i = 0; i < c->sums.n; i++) {
		c->sums.at[i].incl *= factor;
		c->sums.at[i].excl *= factor;
		c->incl.at[i] *= factor;
	}
	for (i = 0; i < p->series.n; i++)
		for (k = 0; k < p->series.at[i].rows; k++) {
			int64_t *cell = &p->series.at[i].cells[k * p->series.at[i].stride];

			*cell = pp_cell_real(pp_cell_value(&p->metrics.at[0], *cell).d * factor);
		}
	pp_nyt_times_refine(load, factor);
}

void
pp_nyt_calls_enter(struct pp_nyt_load *load, uint32_t line)
{
	struct pp_nyt_calls *c = &load->calls;

	c->depth += c->depth < UINT32_MAX;
	c->entries++;
	if (load->want_timeline)
		pp_nyt_times_enter(load, line);
}

void
pp_nyt_calls_return(struct pp_nyt_load *load, uint32_t depth, uint32_t sub, double incl,
                    double excl)
{
	struct pp_nyt_calls *c = &load->calls;
	struct pp_nyt_return r = { depth ? depth : 1, sub, incl, excl };

	if (PP_UNLIKELY(r.depth > load->builder->limits.max_depth)) {
		pp_builder_fail(load->builder, PP_E_LIMIT, PP_TOO_DEEP);
		return;
	}
	c->returns++;
	c->times.own += excl;
	if (PP_UNLIKELY(load->outside.fresh.n && r.depth == 1))
		pp_nyt_outside_judge(load, incl);
	if (PP_UNLIKELY(c->buffer.n == BUFFER_RETURNS) && !load->want_timeline)
		buffer_flush(load, false);
	/* What waited below this level has now found its parent. */
	while (PP_UNLIKELY(c->waiting.n && c->waiting.at[c->waiting.n - 1].depth > r.depth)) {
		struct pp_nyt_waiting *w = &c->waiting.at[--c->waiting.n];

		w->taken_by = c->buffer.n;
		if (!pp_vec_push(&c->taken, *w)) {
			waiting_release(w);
			no_memory(load);
			return;
		}
	}
	if (!pp_vec_push(&c->buffer, r)) {
		no_memory(load);
		return;
	}
	if (load->want_timeline)
		pp_nyt_times_leave(load, r.depth);
	c->depth = r.depth - 1;
}

/* ---- the end of a process ------------------------------------------------------------------- */

/* The series of a process, given as its number + 1, 0 for none; NULL on failure. */
static struct pp_series *
process_series(struct pp_nyt_load *load, size_t process, uint32_t *index)
{
	struct pp_profile *p = load->builder->profile;
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t *known = process ? &load->processes.at[process - 1].series : &load->outside.series;

	if (*known) {
		*index = *known - 1;
		return &p->series.at[*index];
	}
	if (process)
		like.pid = load->processes.at[process - 1].pid;
	*index = pp_build_series(load->builder, &like, p->series.n == 0, load->calls.returns > 0);
	if (!pp_builder_ok(load->builder))
		return NULL;
	*known = *index + 1;
	return &p->series.at[*index];
}

void
pp_nyt_calls_add(struct pp_nyt_load *load, size_t process, pp_node node, double ticks)
{
	uint32_t index = 0;
	int64_t *cells = process_series(load, process, &index)
	                     ? pp_build_cells(load->builder, index, node)
	                     : NULL;

	if (cells)
		(void)pp_cell_add(PP_REAL, &cells[0], pp_cell_real(ticks));
}

/* Moves the sums of this process to its series; returns what subs spent in all. */
static double
sums_store(struct pp_nyt_load *load, uint32_t series)
{
	struct pp_nyt_calls *c = &load->calls;
	double own = 0.0;
	size_t i;

	for (i = 0; i < c->touched.n; i++) {
		pp_node node = c->touched.at[i];
		struct pp_nyt_sum *sum = &c->sums.at[node];
		int64_t *cells = pp_build_cells(load->builder, series, node);

		if (!cells)
			break;
		(void)pp_cell_add(PP_REAL, &cells[0], pp_cell_real(sum->excl));
		cells[1] += (int64_t)sum->calls;
		c->incl.at[node] += sum->incl;
		own += sum->excl;
		*sum = (struct pp_nyt_sum){ 0 };
	}
	c->touched.n = 0;
	return own;
}

/* Stores what the process did: what its subs spent, what it spent outside of them, and when. */
static void
process_store(struct pp_nyt_load *load, size_t returns)
{
	struct pp_nyt_calls *c = &load->calls;
	uint32_t index;
	struct pp_series *series = process_series(load, load->process, &index);
	pp_node node = pp_nyt_process_node(load, load->process);
	double outside;

	if (!series)
		return;
	outside = (double)load->clock.now - sums_store(load, index);
	outside = node && outside > 0 ? outside : 0.0;
	if (node)
		pp_nyt_calls_add(load, load->process, node, outside);
	c->buffer.n = returns;
	if (pp_builder_ok(load->builder) && c->times.moments.n)
		pp_nyt_times_store(load, &load->builder->profile->series.at[index].timeline,
		                   outside);
}

void
pp_nyt_calls_end(struct pp_nyt_load *load)
{
	struct pp_nyt_calls *c = &load->calls;
	struct pp_nyt_place root = { 0 };
	size_t returns = c->buffer.n, i;

	pp_nyt_outside_judge(load, 0.0);
	if (c->buffer.n)
		pp_nyt_outside_begin(load);
	pp_nyt_levels_deal(load);
	buffer_flush(load, true);
	root.node = pp_nyt_process_node(load, load->process);
	for (i = c->waiting.n; i--;) {
		if (c->waiting.at[i].branches.n)
			c->open_at_end = true;
		waiting_settle(load, &c->waiting.at[i], root, true);
		waiting_release(&c->waiting.at[i]);
	}
	c->waiting.n = 0;
	if (c->open_at_end)
		PP_NYT_FIND(
		    load, PP_NYT_FRAMES_OPEN, pp_nyt_here(load),
		    "subs were still running when the records end; they are shown as [unknown]");
	c->open_at_end = false;
	if (c->touched.n && pp_builder_ok(load->builder))
		process_store(load, returns);
	else if (load->clock.now > 0 &&
	         !pp_vec_push(&load->outside.quiet,
	                      ((struct pp_nyt_quiet){ load->process, load->clock.now })))
		no_memory(load);
	c->levels.n = c->buffer.n = c->times.moments.n = c->times.settled = c->times.entered.n = 0;
	c->times.unsettled = false;
	c->times.own = 0;
	c->depth = c->times.settled_depth = 0;
	load->clock.now = 0;
}
