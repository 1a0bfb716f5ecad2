/*
 * Related user and kernel stacks, joined and counted once.
 *
 * A profiler that records the user and the kernel part of one stack as two records gives both the same
 * weight. The total of an event is that of its user and unified stacks and of those kernel stacks that
 * have no user stack. Where both are there, the kernel frames are put below the user ones: a pair takes
 * the smaller of what is left of the two weights, so one user stack with several kernel stacks is shared
 * out among them, and whatever is left of it stays its own.
 */
#include "formats/spaa/spaa.h"

/* A user record and a kernel record that belong together. */
struct pair {
	uint32_t user, kernel;
	bool used_up; /* nothing of the user stack was left */
};

struct join {
	struct pp_spaa_reader *r;
	PP_VEC(struct pair) pairs; /* in the order of the links */
	PP_VEC(int64_t) cells;     /* what is left of each half */
	PP_VEC(int64_t) part;      /* what a pair has in common */
	PP_VEC(pp_frame) path;
	struct pp_map known;
};

/* The record of an id that fits another record best: same context, else same thread, else same event. */
static uint32_t
partner(const struct pp_spaa_reader *r, uint32_t id, uint32_t record)
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
		if (other->event == s->event && (best == PP_MAP_NONE || other->series == s->series))
			best = next - 1;
	}
	return best;
}

static bool
pairs_find(struct join *j)
{
	const struct pp_spaa_stack_row *records = j->r->stacks.records.at;
	size_t i;

	for (i = 0; i < j->r->stacks.links.n; i++) {
		const struct pp_spaa_link *link = &j->r->stacks.links.at[i];
		uint32_t from = link->record, to = partner(j->r, link->to, from);
		struct pair pair = { 0 };
		uint64_t key;

		if (to == PP_MAP_NONE)
			continue;
		pair.user = records[from].type == PP_SPAA_USER_STACK ? from : to;
		pair.kernel = pair.user == from ? to : from;
		if (records[pair.user].type != PP_SPAA_USER_STACK ||
		    records[pair.kernel].type != PP_SPAA_KERNEL_STACK)
			continue;
		key = (uint64_t)pair.user << 32 | pair.kernel;
		if (pp_map_get(&j->known, key) != PP_MAP_NONE)
			continue;
		if (!pp_map_set(&j->known, key, 0) || !pp_vec_push(&j->pairs, pair))
			return false;
	}
	return true;
}

/* Halves are in the order of their records. */
static struct pp_spaa_half *
half_of(const struct pp_spaa_reader *r, uint32_t record)
{
	size_t low = 0, high = r->costs.halves.n - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->costs.halves.at[middle].record < record)
			low = middle + 1;
		else
			high = middle;
	}
	return &r->costs.halves.at[low];
}

static struct pp_spaa_event *
half_event(const struct pp_spaa_reader *r, const struct pp_spaa_half *half)
{
	return &r->costs.events.at[r->stacks.records.at[half->record].event];
}

/* The costs of all halves as cells: columns no longer grow. */
static bool
cells_fill(struct join *j)
{
	struct pp_spaa_costs *c = &j->r->costs;
	size_t i, k;

	for (i = 0; i < c->halves.n; i++) {
		struct pp_spaa_half *half = &c->halves.at[i];
		struct pp_spaa_event *e = half_event(j->r, half);

		half->cells = j->cells.n;
		if (!pp_vec_reserve(&j->cells, j->cells.n + e->columns.n))
			return false;
		memset(j->cells.at + j->cells.n, 0, e->columns.n * sizeof *j->cells.at);
		j->cells.n += e->columns.n;
		for (k = half->costs; k < half->costs + half->n; k++)
			j->cells.at[half->cells + c->list.at[k].column] = pp_spaa_cell(
			    j->r, &e->columns.at[c->list.at[k].column], &c->list.at[k].value);
	}
	return true;
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

/* The frames of the user half, and below them those of the kernel half. */
static bool
path_join(struct join *j, const struct pp_spaa_half *user, const struct pp_spaa_half *kernel)
{
	const pp_frame *frames = j->r->costs.half_frames.at;

	j->path.n = (size_t)user->depth + kernel->depth;
	if (!pp_vec_reserve(&j->path, j->path.n + 1))
		return false;
	if (user->depth)
		memcpy(j->path.at, frames + user->frames, user->depth * sizeof *frames);
	if (kernel->depth)
		memcpy(j->path.at + user->depth, frames + kernel->frames,
		       kernel->depth * sizeof *frames);
	return true;
}

/* Hands over what a pair has in common, as a stack of the user half's series. */
static bool
pair_join(struct join *j, struct pair *pair)
{
	struct pp_spaa_reader *r = j->r;
	struct pp_spaa_stack_row *records = r->stacks.records.at;
	struct pp_spaa_half *user = half_of(r, pair->user), *kernel = half_of(r, pair->kernel);
	struct pp_spaa_event *e = half_event(r, user);
	bool any = false, left = false;
	uint32_t home;
	size_t k;

	if (!path_join(j, user, kernel) || !pp_vec_reserve(&j->part, e->columns.n))
		return false;
	for (k = 0; k < e->columns.n; k++) {
		any |= cell_share(&e->columns.at[k], &j->cells.at[user->cells + k],
		                  &j->cells.at[kernel->cells + k], &j->part.at[k]);
		left |= j->cells.at[user->cells + k] != 0;
	}
	kernel->dropped = true;
	if (!any)
		return true;
	user->dropped = pair->used_up = !left;
	/* The kernel's record is told where it went, in the series of the user's. */
	home = records[pair->kernel].series;
	records[pair->kernel].series = records[pair->user].series;
	pp_spaa_stack_give(r, pair->kernel, NULL, 0, j->part.at, j->path.at, j->path.n);
	records[pair->kernel].series = home;
	return pp_builder_ok(r->builder);
}

void
pp_spaa_join(struct pp_spaa_reader *r)
{
	struct join j = { .r = r, .known = { .seed = r->reader->seed } };
	struct pp_spaa_costs *c = &r->costs;
	bool fine = cells_fill(&j) && pairs_find(&j);
	size_t i;

	for (i = 0; fine && i < j.pairs.n; i++)
		fine = pair_join(&j, &j.pairs.at[i]);
	/* Halves that waited in vain, and what is left of the others, stand for themselves. */
	for (i = 0; fine && i < c->halves.n; i++) {
		const struct pp_spaa_half *half = &c->halves.at[i];

		if (!half->dropped)
			pp_spaa_stack_give(r, half->record, c->list.at + half->costs, half->n,
			                   j.cells.at + half->cells,
			                   c->half_frames.at + half->frames, half->depth);
	}
	fine = fine && pp_build_flush(r->builder);
	for (i = 0; fine && i < j.pairs.n; i++)
		if (j.pairs.at[i].used_up)
			r->stacks.records.at[j.pairs.at[i].user].where =
			    r->stacks.records.at[j.pairs.at[i].kernel].where;
	pp_vec_release(&j.pairs);
	pp_vec_release(&j.cells);
	pp_vec_release(&j.part);
	pp_vec_release(&j.path);
	pp_map_release(&j.known);
	if (!fine)
		pp_spaa_no_memory(r);
}
