/*
 * Nodes of stacks that this process has met: profiles of one program share most of them, so their digests are made once, and a
 * stack that a server has need not be sent again.
 */
#ifndef PP_CLICKHOUSE_NODES_H
#define PP_CLICKHOUSE_NODES_H

#include "base/slots.h"
#include "base/strtab.h"
#include "store/hash.h"

/* Servers that can be told apart. */
#define PP_NODES_SHARDS 64

struct pp_known_node {
	uint8_t digest[PP_DIGEST];
	uint64_t sent; /* one bit for each server that has the stack which ends here */
	uint32_t parent;
	pp_str frame;
};

/* Zeroed is empty. */
struct pp_known_nodes {
	struct pp_strtab frames; /* what tells them apart */
	struct pp_slots slots;   /* of nodes, by parent and frame */
	uint64_t seed;
	struct {
		struct pp_known_node *at;
		size_t n, cap;
	} nodes; /* the first is the root */
	bool begun;
	int64_t since;       /* s */
	uint64_t generation; /* how often all was forgotten: numbers of before say nothing */
};

/*
 * Before a profile with `nodes` nodes, its root included, and so many frames, whose keys have so many bytes: makes room for them, and
 * forgets all when that is too much to be kept or too old to be relied on, as servers take away stacks that nothing needs for a day.
 * False when the profile had better do without, or out of memory.
 */
bool pp_known_begin(struct pp_known_nodes *, size_t nodes, size_t frames, size_t bytes,
                    int64_t now);
/* The numbers of frames, from 1, by their keys, none of which is ""; false when out of memory. */
bool pp_known_frames(struct pp_known_nodes *, const struct pp_slice *keys, size_t n, pp_str *ids);
/* The number of the node of a frame below another one (0 = the root); 0 when it was not entered. */
uint32_t pp_known_find(const struct pp_known_nodes *, uint32_t parent, pp_str frame);
/* Enters the nodes from `first` on, which were appended. */
void pp_known_enter(struct pp_known_nodes *, size_t first);
/* Forgets all and keeps the room. */
void pp_known_forget(struct pp_known_nodes *);
void pp_known_release(struct pp_known_nodes *);

/* Appends a node that is new, without its digest, and does not enter it. There is room for as many as were begun with. */
static inline uint32_t
pp_known_append(struct pp_known_nodes *k, uint32_t parent, pp_str frame)
{
	struct pp_known_node *node = &k->nodes.at[k->nodes.n];

	node->sent = 0;
	node->parent = parent;
	node->frame = frame;
	return (uint32_t)k->nodes.n++;
}

#endif
