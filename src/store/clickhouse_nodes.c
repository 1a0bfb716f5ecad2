/*
 * Nodes that were met before: see clickhouse_nodes.h.
 */
#include "store/clickhouse_nodes.h"
#include "store/hash_lanes.h"

/* Nodes that are kept: with their table some 50 MB; bytes of frames. */
#define NODES_MAX ((size_t)1 << 20)
#define FRAMES_MAX ((size_t)1 << 17)
#define AGE_MAX 3600
#define FIRST_BITS 10
/* Frames that are looked up side by side. */
#define ABREAST 32

void
pp_known_forget(struct pp_known_nodes *k)
{
	if (k->begun)
		pp_strtab_release(&k->frames);
	pp_slots_release(&k->slots);
	pp_vec_release(&k->nodes);
	*k = (struct pp_known_nodes){ 0 };
}

bool
pp_known_begin(struct pp_known_nodes *k, size_t nodes, int64_t now)
{
	static const struct pp_known_node root;
	uint64_t seed = (uintptr_t)k * PP_HASH_K1 ^ (uint64_t)now;

	if (nodes > NODES_MAX)
		return false;
	if (k->begun && (k->nodes.n + nodes > NODES_MAX || k->frames.strs.n > FRAMES_MAX ||
	                 now - k->since > AGE_MAX || now < k->since))
		pp_known_forget(k);
	if (k->begun)
		return true;
	k->seed = seed;
	k->since = now;
	k->begun = pp_strtab_init(&k->frames, seed);
	if (k->begun && pp_slots_init(&k->slots, FIRST_BITS, NULL) && pp_vec_push(&k->nodes, root))
		return true;
	pp_known_forget(k);
	return false;
}

/* Up to ABREAST of them: what each needs is fetched before any of it is looked at. */
static bool
frames_intern(struct pp_strtab *t, const struct pp_slice *keys, size_t n, pp_str *ids)
{
	uint32_t tags[ABREAST];
	bool is_new, fine = true;
	size_t i, at;

	for (i = 0; i < n; i++)
		tags[i] = pp_strtab_tag(t, keys[i]);
	for (i = 0; i < n; i++) {
		at = pp_slots_begin(&t->slots, tags[i]);
		ids[i] = pp_slots_next(&t->slots, tags[i], &at);
		__builtin_prefetch(&t->strs.at[ids[i]]);
	}
	for (i = 0; i < n; i++)
		__builtin_prefetch(t->strs.at[ids[i]].p);
	for (i = 0; i < n && fine; i++)
		if (!ids[i] || !pp_slice_eq(t->strs.at[ids[i]], keys[i]))
			fine = pp_strtab_intern(t, keys[i].p, keys[i].n, &ids[i], &is_new);
	return fine;
}

bool
pp_known_frames(struct pp_known_nodes *k, const struct pp_slice *keys, size_t n, pp_str *ids)
{
	size_t i;

	for (i = 0; i < n; i += ABREAST)
		if (!frames_intern(&k->frames, keys + i, n - i < ABREAST ? n - i : ABREAST,
		                   ids + i))
			return false;
	return true;
}

static uint32_t
node_tag(const struct pp_known_nodes *k, uint32_t parent, pp_str frame)
{
	return (uint32_t)(pp_mix(((uint64_t)parent << 32 | frame) ^ k->seed, PP_HASH_K1) >> 32);
}

static bool
node_is(const struct pp_known_nodes *k, uint32_t number, uint32_t parent, pp_str frame)
{
	return k->nodes.at[number].parent == parent && k->nodes.at[number].frame == frame;
}

uint32_t
pp_known_node_add(struct pp_known_nodes *k, uint32_t parent, pp_str frame)
{
	struct pp_known_node node = { .parent = parent, .frame = frame };

	uint32_t number = (uint32_t)k->nodes.n;

	if (!pp_slots_reserve(&k->slots, 1) || !pp_vec_push(&k->nodes, node))
		return 0;
	/* pp_known_node() finds the others without. */
	if (number != parent + 1)
		pp_slots_put(&k->slots, node_tag(k, parent, frame), number);
	return number;
}

uint32_t
pp_known_node(struct pp_known_nodes *k, uint32_t parent, pp_str frame)
{
	uint32_t number = parent + 1, tag;
	size_t at;

	/* What was met first below a node mostly has the next number: no table is needed for it. */
	if (number < k->nodes.n && node_is(k, number, parent, frame))
		return number;
	tag = node_tag(k, parent, frame);
	for (at = pp_slots_begin(&k->slots, tag); (number = pp_slots_next(&k->slots, tag, &at));)
		if (node_is(k, number, parent, frame))
			return number;
	return pp_known_node_add(k, parent, frame);
}

/* ---- digests ---- */

struct newcomers {
	struct pp_known_nodes *k;
	size_t first;
};

static size_t
newcomer_parent(const void *ctx, size_t i)
{
	const struct newcomers *all = ctx;
	size_t parent = all->k->nodes.at[all->first + i].parent;

	return parent < all->first ? i : parent - all->first;
}

static struct pp_node_job
newcomer_job(const void *ctx, size_t i)
{
	const struct newcomers *all = ctx;
	struct pp_known_node *node = &all->k->nodes.at[all->first + i];

	return (struct pp_node_job){ all->k->nodes.at[node->parent].digest,
		                     pp_strtab_get(&all->k->frames, node->frame), node->digest };
}

bool
pp_known_digest(struct pp_known_nodes *k, size_t first)
{
	struct newcomers all = { k, first };
	struct pp_node_family f = { k->nodes.n - first, newcomer_parent, newcomer_job, &all };

	return pp_node_family_digest(&f);
}
