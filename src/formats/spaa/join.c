/*
 * Related user and kernel stacks, joined and counted once.
 *
 * A profiler that records the user and the kernel part of one stack as two records gives both the same
 * weight. The total of an event is that of its user and unified stacks and of those kernel stacks that
 * have no user stack. Where both are there, the kernel frames are put below the user ones: a pair takes
 * the smaller of what is left of the two weights, so one user stack with several kernel stacks is shared
 * out among them, and whatever is left of it stays its own.
 */
#include "formats/spaa/join.h"

/* A user record and a kernel record that belong together. */
struct pair {
	uint32_t user, kernel;
};

struct join {
	struct pp_spaa_reader *r;
	PP_VEC(struct pair) pairs; /* in the order of the links */
	PP_VEC(pp_frame) path;
	struct pp_map known;
};

static struct pp_spaa_row *
record_row(struct pp_spaa_reader *r, uint32_t record)
{
	return &r->costs.events.at[r->stacks.records.at[record].event]
	            .rows.at[r->stacks.records.at[record].row];
}

/* The record of an id that fits another record best: same context, else same thread, else same event. */
static uint32_t
partner(struct pp_spaa_reader *r, uint32_t id, uint32_t record)
{
	const struct pp_spaa_stack_row *s = &r->stacks.records.at[record], *other;
	uint32_t next = r->stacks.ids.at[id].record, best = PP_MAP_NONE;

	if (next == PP_SPAA_REFUSED)
		return PP_MAP_NONE;
	best = pp_spaa_context_find(r, id, s->context);
	if (best != PP_MAP_NONE)
		return best;
	for (; next; next = other->next) {
		other = &r->stacks.records.at[next - 1];
		if (other->event != s->event)
			continue;
		if (best == PP_MAP_NONE ||
		    record_row(r, next - 1)->series == record_row(r, record)->series)
			best = next - 1;
	}
	return best;
}

static bool
pairs_find(struct join *j)
{
	struct pp_spaa_reader *r = j->r;
	size_t i;

	for (i = 0; i < r->stacks.links.n; i++) {
		uint32_t from = r->stacks.links.at[i].record,
		         to = partner(r, r->stacks.links.at[i].to, from);
		struct pair pair;
		uint64_t key;

		if (to == PP_MAP_NONE)
			continue;
		pair.user = r->stacks.records.at[from].type == PP_SPAA_USER_STACK ? from : to;
		pair.kernel = pair.user == from ? to : from;
		if (r->stacks.records.at[pair.user].type != PP_SPAA_USER_STACK ||
		    r->stacks.records.at[pair.kernel].type != PP_SPAA_KERNEL_STACK)
			continue;
		key = (uint64_t)pair.user << 32 | pair.kernel;
		if (pp_map_get(&j->known, key) != PP_MAP_NONE)
			continue;
		if (!pp_map_set(&j->known, key, 0) || !pp_vec_push(&j->pairs, pair))
			return false;
	}
	return true;
}

static const struct pp_spaa_held *
held_of(const struct pp_spaa_reader *r, uint32_t record)
{
	size_t low = 0, high = r->costs.held.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->costs.held.at[middle].record < record)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->costs.held.n && r->costs.held.at[low].record == record
	           ? &r->costs.held.at[low]
	           : NULL;
}

/* The frames of a stack, root first, in j->path. */
static bool
path_of(struct join *j, uint32_t record)
{
	struct pp_spaa_reader *r = j->r;
	const struct pp_spaa_held *held = held_of(r, record);
	const struct pp_tree *t = &r->builder->profile->tree;
	pp_node node;
	size_t i, n;

	j->path.n = 0;
	if (held) {
		if (!pp_vec_reserve(&j->path, held->depth + 1u))
			return false;
		if (held->depth)
			memcpy(j->path.at, r->costs.held_frames.at + held->first,
			       held->depth * sizeof *j->path.at);
		j->path.n = held->depth;
		return true;
	}
	for (node = record_row(r, record)->base; node; node = pp_tree_parent(t, node))
		if (!pp_vec_push(&j->path, pp_tree_frame(t, node)))
			return false;
	for (i = 0, n = j->path.n; i < n / 2; i++) {
		pp_frame frame = j->path.at[i];

		j->path.at[i] = j->path.at[n - 1 - i];
		j->path.at[n - 1 - i] = frame;
	}
	return true;
}

static pp_node
path_below(struct join *j, pp_node node)
{
	size_t i;

	for (i = 0; i < j->path.n; i++)
		node = pp_build_child(j->r->builder, node, j->path.at[i]);
	return node;
}

/* Takes from both what a pair has in common; false when that is nothing. */
static bool
cell_share(const struct pp_spaa_column *c, int64_t *user, int64_t *kernel, int64_t *part)
{
	if (c->real) {
		double u, k, p;

		memcpy(&u, user, sizeof u);
		memcpy(&k, kernel, sizeof k);
		p = u < k ? u : k;
		*part = pp_cell_real(p);
		*user = pp_cell_real(u - p);
		*kernel = pp_cell_real(k - p);
		return p > 0 || p < 0;
	}
	if (c->large)
		*part = (uint64_t)*user < (uint64_t)*kernel ? *user : *kernel;
	else
		*part = *user < *kernel ? *user : *kernel;
	*user = (int64_t)((uint64_t)*user - (uint64_t)*part);
	*kernel = (int64_t)((uint64_t)*kernel - (uint64_t)*part);
	return *part != 0;
}

/* Moves the common part of a pair to a row of its own below the user stack. */
static bool
pair_join(struct join *j, const struct pair *pair)
{
	struct pp_spaa_reader *r = j->r;
	struct pp_spaa_event *e = &r->costs.events.at[r->stacks.records.at[pair->user].event];
	size_t wide = e->wide, user = r->stacks.records.at[pair->user].row,
	       kernel = r->stacks.records.at[pair->kernel].row, k;
	struct pp_spaa_row joined = e->rows.at[user];
	bool any = false, left = false;
	int64_t *cells;

	if ((!r->want.flat && !path_of(j, pair->kernel)) ||
	    !pp_vec_reserve(&e->cells, e->cells.n + wide))
		return false;
	cells = e->cells.at;
	memset(cells + e->cells.n, 0, wide * sizeof *cells);
	for (k = 0; k < e->columns.n; k++) {
		any |= cell_share(&e->columns.at[k], &cells[user * wide + k],
		                  &cells[kernel * wide + k], &cells[e->cells.n + k]);
		left |= cells[user * wide + k] != 0;
	}
	e->rows.at[kernel].series = PP_SPAA_DROPPED;
	if (!any)
		return true;
	if (r->want.flat)
		joined.node = e->rows.at[kernel].node;
	else
		joined.node = path_below(j, e->rows.at[user].base);
	joined.series = joined.home;
	if (!pp_vec_push(&e->rows, joined))
		return false;
	e->cells.n += wide;
	if (!r->want.flat) {
		e->rows.at[user].node = left ? e->rows.at[user].node : joined.node;
		e->rows.at[kernel].node = joined.node;
	}
	if (!left)
		e->rows.at[user].series = PP_SPAA_DROPPED;
	return pp_builder_ok(r->builder);
}

void
pp_spaa_join(struct pp_spaa_reader *r)
{
	struct join j = { .r = r, .known = { .seed = r->reader->seed } };
	bool fine = pairs_find(&j);
	size_t i;

	for (i = 0; fine && i < j.pairs.n; i++) {
		struct pp_spaa_row *user = record_row(r, j.pairs.at[i].user),
		                   *kernel = record_row(r, j.pairs.at[i].kernel);

		user->base = user->node;
		kernel->base = kernel->node;
	}
	for (i = 0; fine && i < j.pairs.n; i++)
		fine = pair_join(&j, &j.pairs.at[i]);
	/* Kernel stacks that waited in vain stand for themselves. */
	for (i = 0; fine && !r->want.flat && i < r->costs.held.n; i++) {
		struct pp_spaa_row *row = record_row(r, r->costs.held.at[i].record);

		if (row->series == PP_SPAA_DROPPED)
			continue;
		fine = path_of(&j, r->costs.held.at[i].record);
		row->node = fine ? path_below(&j, 0) : 0;
	}
	pp_vec_release(&j.pairs);
	pp_vec_release(&j.path);
	pp_map_release(&j.known);
	if (!fine)
		pp_spaa_no_memory(r);
}
