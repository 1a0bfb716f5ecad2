/*
 * The prefix tree of stacks: a column of nodes, parents before children, node 0 the root.
 *
 * A stack seen for the first time appends a chain of nodes, each the child of the one before. So the
 * child of node p is looked for at p + 1 first; only children elsewhere, where stacks part, are in a
 * hash table. In a profile of a million stacks of thirty frames that is one node in twelve, which keeps
 * the table in the cache, and walking down a known stack reads memory in order.
 *
 * Memory latency is what building a large tree costs. pp_tree_batch() therefore first looks up many
 * stacks side by side, each fetching ahead while the others are looked at, and then adds what is
 * missing one stack after the other, so that ids go by first appearance.
 */
#ifndef PP_TREE_H
#define PP_TREE_H

#include "base/common.h"
#include "base/slots.h"

struct pp_tree {
	uint64_t *key; /* parent << 32 | frame, per node */
	uint64_t
	    *recursive; /* bit per node: an ancestor has the same frame; see `marks_recursion` */
	uint32_t n;     /* nodes, root included */
	uint32_t cap;
	uint32_t max_nodes;
	uint32_t seed;
	struct pp_slots slots; /* nodes that do not follow their parent; gone after seal */
	bool marks_recursion;  /* all nodes were added as whole stacks, so `recursive` is right */
	uint32_t *seen_in;     /* per frame: the last stack it was in; gone after seal */
	size_t seen_cap;
	uint32_t stack_number;
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

/* Room for so many nodes more, which the caller sets itself (key and recursive); false when out of memory or past max_nodes. */
bool pp_tree_reserve(struct pp_tree *, size_t nodes);
/* Makes the table of nodes that were set so: then others can be added. False when out of memory. */
bool pp_tree_index(struct pp_tree *);

/* Whether different frames stay different in a map; false too when out of memory. */
bool pp_frames_differ(const pp_frame *map, size_t n);
/*
 * Adds all nodes of another tree, in its order, translating frames by `frame_map` (`frames` entries);
 * node_map (one entry per node of `from`) receives where each went. False when out of memory or past
 * max_nodes.
 */
bool pp_tree_merge(struct pp_tree *into, const struct pp_tree *from, const pp_frame *frame_map,
                   size_t frames, pp_node *node_map);

/*
 * The nodes of a tree whose state has all the bits of `keep`, in the same order; those above them have them too. map
 * (one entry per node of `from`) receives where each went, or where the last one above it went that stays. *to is new
 * and sealed. False when out of memory.
 */
bool pp_tree_pick(struct pp_tree *to, const struct pp_tree *from, const uint8_t *state,
                  unsigned keep, pp_node *map);

#endif
