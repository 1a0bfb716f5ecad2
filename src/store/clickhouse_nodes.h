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
	PP_VEC(struct pp_known_node) nodes; /* the first is the root */
	bool begun;
	int64_t since; /* s */
};

/*
 * Before a profile with `nodes` nodes: forgets all when that is too much to be kept or too old to be relied on, as servers
 * take away stacks that nothing needs for a day. False when the profile had better do without, or out of memory.
 */
bool pp_known_begin(struct pp_known_nodes *, size_t nodes, int64_t now);
/* The numbers of frames, from 1, by their keys, none of which is ""; false when out of memory. */
bool pp_known_frames(struct pp_known_nodes *, const struct pp_slice *keys, size_t n, pp_str *ids);
/* The number of the node of a frame below another one (0 = the root), without its digest where it is new; 0 when out of memory. */
uint32_t pp_known_node(struct pp_known_nodes *, uint32_t parent, pp_str frame);
/* The same for one that is known to be new. */
uint32_t pp_known_node_add(struct pp_known_nodes *, uint32_t parent, pp_str frame);
/* Digests of the nodes from `first` on, which are new; false when out of memory. */
bool pp_known_digest(struct pp_known_nodes *, size_t first);
void pp_known_forget(struct pp_known_nodes *);

#endif
