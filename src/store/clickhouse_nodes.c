/*
 * Nodes that were met before: see clickhouse_nodes.h.
 */
#include "store/clickhouse_nodes.h"

/* What is kept: nodes, with their table some 50 MB; frames, and bytes of these. */
#define NODES_MAX ((size_t)1 << 20)
#define FRAMES_MAX ((size_t)1 << 17)
#define BYTES_MAX ((size_t)16 << 20)
#define AGE_MAX 3600
#define FIRST_BITS 10
/* Nodes that there is room for at first. */
#define NODES_FEW 1024
/* Frames that are looked up side by side. */
#define ABREAST 32

void
pp_known_forget(struct pp_known_nodes *k)
{
	if (k->frames.strs.n)
		pp_strtab_clear(&k->frames);
	if (k->slots.used)
		pp_slots_clear(&k->slots);
	k->nodes.n = 0;
	k->begun = false;
	k->generation++;
}

static void
nodes_put(struct pp_known_nodes *k)
{
	if (k->nodes.at)
		pp_pages_huge.put(k->nodes.at, k->nodes.cap * sizeof *k->nodes.at);
}

void
pp_known_release(struct pp_known_nodes *k)
{
	pp_strtab_release(&k->frames);
	pp_slots_release(&k->slots);
	nodes_put(k);
	*k = (struct pp_known_nodes){ .generation = k->generation + 1 };
}

/* Room for so many nodes in all; false when out of memory. */
static bool
nodes_room(struct pp_known_nodes *k, size_t n)
{
	size_t cap = k->nodes.cap ? k->nodes.cap : NODES_FEW;
	struct pp_known_node *at;

	if (n <= k->nodes.cap)
		return true;
	while (cap < n)
		cap *= 2;
	at = pp_pages_huge.get(cap * sizeof *at);
	if (!at)
		return false;
	if (k->nodes.n)
		memcpy(at, k->nodes.at, k->nodes.n * sizeof *at);
	nodes_put(k);
	k->nodes.at = at;
	k->nodes.cap = cap;
	return true;
}

/* An empty table with the root in it, in the room that there is. */
static bool
table_begin(struct pp_known_nodes *k, int64_t now)
{
	k->since = now;
	if (!k->slots.at) {
		k->seed = (uintptr_t)k * PP_HASH_K1 ^ (uint64_t)now;
		if (!pp_strtab_init(&k->frames, k->seed) ||
		    !pp_slots_init(&k->slots, FIRST_BITS, &pp_pages_huge))
			return false;
	}
	k->begun = nodes_room(k, 1);
	if (k->begun) {
		k->nodes.at[0] = (struct pp_known_node){ 0 };
		k->nodes.n = 1;
	}
	return k->begun;
}

bool
pp_known_begin(struct pp_known_nodes *k, size_t nodes, size_t frames, size_t bytes, int64_t now)
{
	if (nodes > NODES_MAX || frames > FRAMES_MAX || bytes > BYTES_MAX)
		return false;
	if (k->begun &&
	    (k->nodes.n + nodes > NODES_MAX || k->frames.strs.n > FRAMES_MAX ||
	     k->frames.arena.bytes > BYTES_MAX || now - k->since > AGE_MAX || now < k->since))
		pp_known_forget(k);
	if ((k->begun || table_begin(k, now)) && nodes_room(k, k->nodes.n + nodes) &&
	    pp_slots_reserve(&k->slots, nodes))
		return true;
	pp_known_release(k);
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
			fine = pp_strtab_intern_tagged(t, tags[i], keys[i], &ids[i], &is_new);
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

/* What was met first below a node mostly has the next number: no table is needed for it. */
static bool
follows(uint32_t number, uint32_t parent)
{
	return number == parent + 1;
}

uint32_t
pp_known_find(const struct pp_known_nodes *k, uint32_t parent, pp_str frame)
{
	uint32_t number = parent + 1, tag;
	size_t at;

	if (number < k->nodes.n && node_is(k, number, parent, frame))
		return number;
	tag = node_tag(k, parent, frame);
	for (at = pp_slots_begin(&k->slots, tag); (number = pp_slots_next(&k->slots, tag, &at));)
		if (node_is(k, number, parent, frame))
			break;
	return number;
}

/* The tags of up to ABREAST nodes from *at on that the table has to have, their slots being fetched. How many they are. */
static size_t
tags_make(const struct pp_known_nodes *k, size_t *at, uint32_t *tags, uint32_t *numbers)
{
	size_t n = 0;

	for (; n < ABREAST && *at < k->nodes.n; ++*at) {
		const struct pp_known_node *node = &k->nodes.at[*at];

		if (follows((uint32_t)*at, node->parent))
			continue;
		numbers[n] = (uint32_t)*at;
		tags[n] = node_tag(k, node->parent, node->frame);
		pp_slots_prefetch(&k->slots, tags[n++]);
	}
	return n;
}

void
pp_known_enter(struct pp_known_nodes *k, size_t first)
{
	uint32_t tags[ABREAST], numbers[ABREAST];
	size_t at = first, n, i;

	while ((n = tags_make(k, &at, tags, numbers)))
		for (i = 0; i < n; i++)
			pp_slots_put(&k->slots, tags[i], numbers[i]);
}
