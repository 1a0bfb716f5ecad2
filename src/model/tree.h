/*
 * The prefix tree of stacks: columns of nodes, parents before children, node 0 the root.
 *
 * Finding the child of a node goes through one hash table over all nodes. Its hash is a function of
 * the frames on the path, not of node ids, so that all probes of a stack are known before the first
 * is answered and can be prefetched: memory latency is what building a large tree costs.
 */
#ifndef PP_TREE_H
#define PP_TREE_H

#include "base/common.h"
#include "base/pages.h"

struct pp_tree_slot {
	uint32_t hash;
	pp_node node; /* 0 = free: the root is never looked up */
};

struct pp_tree {
	uint64_t *key;   /* parent << 32 | frame, per node */
	uint32_t *hash;  /* of the path; gone after pp_tree_seal() */
	uint32_t n;      /* nodes, root included */
	uint32_t cap;
	uint32_t max_nodes;
	struct pp_tree_slot *slots; /* gone after pp_tree_seal() */
	unsigned bits;              /* log2 of the number of slots */
	uint32_t seed;
	const struct pp_pages *pages;
};

bool pp_tree_init(struct pp_tree *, uint32_t seed, uint32_t max_nodes, const struct pp_pages *);
void pp_tree_release(struct pp_tree *);
/* Frees what only building needs and gives spare room back. */
void pp_tree_seal(struct pp_tree *);

static inline pp_node
pp_tree_parent(const struct pp_tree *t, pp_node node)
{
	return (pp_node)(t->key[node] >> 32);
}

static inline pp_frame
pp_tree_frame(const struct pp_tree *t, pp_node node)
{
	return (pp_frame)t->key[node];
}

/* The child of `parent` for `frame`, made when absent; 0 when out of memory or past max_nodes. */
pp_node pp_tree_child(struct pp_tree *, pp_node parent, pp_frame frame);
/* The same without making one: 0 when absent. */
pp_node pp_tree_find(const struct pp_tree *, pp_node parent, pp_frame frame);

/* Frames that one call of pp_tree_batch() takes at most; longer stacks go through pp_tree_child(). */
#define PP_TREE_BATCH 4096

/*
 * Adds many stacks at once. Stack i has depth[i] frames, root first, one stack after the other in
 * `frames`; `under[i]` is the node it starts from (0 = root). leaf[i] receives its last node. The
 * frames of all stacks together are at most PP_TREE_BATCH. False when out of memory or past max_nodes.
 */
bool pp_tree_batch(struct pp_tree *, const pp_frame *frames, const uint32_t *depth,
                   const pp_node *under, size_t stacks, pp_node *leaf);

/*
 * Adds all nodes of another tree, in its order, translating frames by `frame_map`; node_map (one entry
 * per node of `from`) receives where each went. False when out of memory or past max_nodes.
 */
bool pp_tree_merge(struct pp_tree *into, const struct pp_tree *from, const pp_frame *frame_map,
                   pp_node *node_map);

#endif
