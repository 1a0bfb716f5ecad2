/*
 * The prefix tree of stacks and its hash table.
 *
 * The hash of a path has 32 bits and grows frame by frame; its upper bits choose the slot, so a table
 * can be doubled from its own slots. Equal hashes are common enough (2^32 paths) that every hit is
 * verified against the node's key.
 */
#include "model/tree.h"

#include <stdlib.h>

#include "base/hash.h"

#define FIRST_BITS 10u
#define FIRST_NODES 512u
#define ROOT_HASH 0x5bd1e995u

/* How many probes ahead slots, and then node keys, are fetched. */
#define SLOT_AHEAD 24
#define KEY_AHEAD 10

static void *
plain_get(size_t bytes)
{
	return calloc(1, bytes);
}

static void
plain_put(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}

const struct pp_pages pp_pages_plain = { plain_get, plain_put };

static inline uint32_t
path_hash(uint32_t parent_hash, pp_frame frame)
{
	uint64_t x = ((uint64_t)parent_hash << 32 | frame) * PP_HASH_K1;

	x ^= x >> 32;
	return (uint32_t)((x * PP_HASH_K2) >> 32);
}

static inline size_t
slot_of(const struct pp_tree *t, uint32_t hash)
{
	return hash >> (32 - t->bits);
}

static inline size_t
slot_bytes(unsigned bits)
{
	return sizeof(struct pp_tree_slot) << bits;
}

bool
pp_tree_init(struct pp_tree *t, uint32_t seed, uint32_t max_nodes, const struct pp_pages *pages)
{
	*t = (struct pp_tree){ .bits = FIRST_BITS, .cap = FIRST_NODES, .max_nodes = max_nodes,
		               .seed = seed, .pages = pages };
	t->key = malloc(FIRST_NODES * sizeof *t->key);
	t->hash = malloc(FIRST_NODES * sizeof *t->hash);
	t->slots = pages->get(slot_bytes(FIRST_BITS));
	if (!t->key || !t->hash || !t->slots) {
		pp_tree_release(t);
		return false;
	}
	t->key[0] = 0;
	t->hash[0] = ROOT_HASH ^ seed;
	t->n = 1;
	return true;
}

void
pp_tree_release(struct pp_tree *t)
{
	free(t->key);
	free(t->hash);
	if (t->slots)
		t->pages->put(t->slots, slot_bytes(t->bits));
	*t = (struct pp_tree){ 0 };
}

void
pp_tree_seal(struct pp_tree *t)
{
	uint64_t *fitted = realloc(t->key, t->n * sizeof *t->key);

	if (fitted) {
		t->key = fitted;
		t->cap = t->n;
	}
	free(t->hash);
	t->hash = NULL;
	if (t->slots)
		t->pages->put(t->slots, slot_bytes(t->bits));
	t->slots = NULL;
}

static bool
tree_grow_slots(struct pp_tree *t)
{
	unsigned bits = t->bits + 1;
	size_t mask = ((size_t)1 << bits) - 1;
	struct pp_tree_slot *larger;
	size_t i, old = (size_t)1 << t->bits;

	if (bits > 32)
		return false;
	larger = t->pages->get(slot_bytes(bits));
	if (!larger)
		return false;
	/* Old slots are in hash order but for short runs, so this writes the new ones in order too. */
	for (i = 0; i < old; i++) {
		struct pp_tree_slot slot = t->slots[i];
		size_t at;

		if (!slot.node)
			continue;
		for (at = slot.hash >> (32 - bits); larger[at].node; at = (at + 1) & mask)
			;
		larger[at] = slot;
	}
	t->pages->put(t->slots, slot_bytes(t->bits));
	t->slots = larger;
	t->bits = bits;
	return true;
}

/* Makes room for `more` nodes, so that adding them cannot fail. */
static bool
tree_reserve(struct pp_tree *t, size_t more)
{
	size_t need = t->n + more;

	if (need > t->max_nodes)
		return false;
	if (need > t->cap) {
		size_t cap = (size_t)t->cap + t->cap / 2;
		uint64_t *key;
		uint32_t *hash;

		if (cap < need)
			cap = need;
		if (cap > UINT32_MAX)
			cap = UINT32_MAX;
		key = realloc(t->key, cap * sizeof *key);
		if (key)
			t->key = key;
		hash = realloc(t->hash, cap * sizeof *hash);
		if (hash)
			t->hash = hash;
		if (!key || !hash)
			return false;
		t->cap = (uint32_t)cap;
	}
	while (need * 4 > ((size_t)3 << t->bits))
		if (!tree_grow_slots(t))
			return false;
	return true;
}

/* The child, made when absent; there is room. */
static inline pp_node
tree_place(struct pp_tree *t, uint64_t key, uint32_t hash)
{
	size_t mask = ((size_t)1 << t->bits) - 1;
	size_t at = slot_of(t, hash);

	for (;; at = (at + 1) & mask) {
		struct pp_tree_slot *slot = &t->slots[at];

		if (!slot->node) {
			pp_node node = t->n++;

			*slot = (struct pp_tree_slot){ hash, node };
			t->key[node] = key;
			t->hash[node] = hash;
			return node;
		}
		if (slot->hash == hash && t->key[slot->node] == key)
			return slot->node;
	}
}

pp_node
pp_tree_find(const struct pp_tree *t, pp_node parent, pp_frame frame)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t hash = path_hash(t->hash[parent], frame);
	size_t mask = ((size_t)1 << t->bits) - 1;
	size_t at;

	for (at = slot_of(t, hash); t->slots[at].node; at = (at + 1) & mask)
		if (t->slots[at].hash == hash && t->key[t->slots[at].node] == key)
			return t->slots[at].node;
	return 0;
}

pp_node
pp_tree_child(struct pp_tree *t, pp_node parent, pp_frame frame)
{
	if (PP_UNLIKELY(t->n >= t->cap || ((size_t)t->n + 1) * 4 > ((size_t)3 << t->bits)) &&
	    !tree_reserve(t, 1))
		return pp_tree_find(t, parent, frame);
	if (PP_UNLIKELY(t->n >= t->max_nodes))
		return pp_tree_find(t, parent, frame);
	return tree_place(t, (uint64_t)parent << 32 | frame, path_hash(t->hash[parent], frame));
}

/* Starts fetching what the probe for `hash` will read first. */
static inline void
prefetch_slot(const struct pp_tree *t, uint32_t hash)
{
	__builtin_prefetch(&t->slots[slot_of(t, hash)], 1);
}

/* The slot has arrived: starts fetching the node it names. */
static inline void
prefetch_key(const struct pp_tree *t, uint32_t hash)
{
	const struct pp_tree_slot *slot = &t->slots[slot_of(t, hash)];

	if (slot->hash == hash)
		__builtin_prefetch(&t->key[slot->node]);
}

bool
pp_tree_batch(struct pp_tree *t, const pp_frame *frames, const uint32_t *depth, const pp_node *under,
              size_t stacks, pp_node *leaf)
{
	uint32_t hashes[PP_TREE_BATCH + SLOT_AHEAD];
	size_t total = 0, at = 0, i;

	for (i = 0; i < stacks; i++) {
		uint32_t hash = t->hash[under[i]];
		uint32_t k;

		for (k = 0; k < depth[i]; k++, total++) {
			hash = path_hash(hash, frames[total]);
			hashes[total] = hash;
		}
	}
	if (!tree_reserve(t, total))
		return false;
	/* Past the end the loop fetches the last slot again and again, which costs nothing. */
	for (i = 0; i < SLOT_AHEAD; i++)
		hashes[total + i] = total ? hashes[total - 1] : 0;
	for (i = 0; i < SLOT_AHEAD && i < total; i++)
		prefetch_slot(t, hashes[i]);
	for (i = 0; i < stacks; i++) {
		pp_node node = under[i];
		uint32_t k;

		for (k = 0; k < depth[i]; k++, at++) {
			prefetch_slot(t, hashes[at + SLOT_AHEAD]);
			prefetch_key(t, hashes[at + KEY_AHEAD]);
			node = tree_place(t, (uint64_t)node << 32 | frames[at], hashes[at]);
		}
		leaf[i] = node;
	}
	return true;
}

bool
pp_tree_merge(struct pp_tree *into, const struct pp_tree *from, const pp_frame *frame_map,
              pp_node *node_map)
{
	enum { BLOCK = 1024 };
	uint32_t *hashes = malloc(((size_t)from->n + SLOT_AHEAD) * sizeof *hashes);
	uint32_t n, first;

	if (!hashes)
		return false;
	hashes[0] = into->hash[0];
	node_map[0] = 0;
	for (first = 1; first < from->n; first += BLOCK) {
		uint32_t last = from->n - first < BLOCK ? from->n : first + BLOCK;

		if (!tree_reserve(into, last - first)) {
			free(hashes);
			return false;
		}
		for (n = first; n < last; n++)
			hashes[n] = path_hash(hashes[pp_tree_parent(from, n)],
			                      frame_map[pp_tree_frame(from, n)]);
		for (n = last; n < last + SLOT_AHEAD; n++)
			hashes[n] = hashes[last - 1];
		for (n = first; n < last; n++) {
			uint64_t parent = node_map[pp_tree_parent(from, n)];

			prefetch_slot(into, hashes[n + SLOT_AHEAD]);
			prefetch_key(into, hashes[n + KEY_AHEAD]);
			node_map[n] = tree_place(into, parent << 32 | frame_map[pp_tree_frame(from, n)],
			                         hashes[n]);
		}
	}
	free(hashes);
	return true;
}
