/*
 * Digests of many nodes of stacks at a time. One alone waits for itself at each step; eight that do not need each other
 * take little longer than one, on processors with wide registers.
 */
#ifndef PP_HASH_LANES_H
#define PP_HASH_LANES_H

#include "store/hash.h"

#define PP_LANES 8

/* Bytes behind a key that can be read, whatever they are. */
#define PP_LANES_BEHIND 8

/* One pp_node_digest(); the key has PP_LANES_BEHIND. */
struct pp_node_job {
	const unsigned char *parent;
	struct pp_slice frame_key;
	unsigned char *out;
};

/* What tells a frame, as bytes of a text that all frames share: its function comes first. */
struct pp_frame_text {
	size_t at, n;
	size_t function; /* bytes of the function */
};

/* Nodes of a tree, parents first; the first is the root. */
struct pp_node_family {
	size_t n;
	const uint64_t *key;                /* by node: the one above << 32 | its frame */
	const struct pp_frame_text *frames; /* by frame */
	const unsigned char *text;          /* with PP_LANES_BEHIND */
	/* Digests by number, so many bytes apart; and the number of each node, NULL = its own. */
	unsigned char *digests;
	size_t stride;
	const uint32_t *number;
	uint32_t first; /* from this number on they are wanted; those before are there */
};

/* Words of PP_LANES states and blocks, one lane beside the other. */
struct pp_lanes {
	uint64_t state[8][PP_LANES];
	uint64_t block[16][PP_LANES];
	uint64_t counted[PP_LANES];
	uint64_t last[PP_LANES]; /* all bits where it is the last block */
};

typedef void pp_lanes_mix(struct pp_lanes *);
/* What mixes a block into each lane on this processor, the fastest first; NULL when there are no more. */
pp_lanes_mix *pp_lanes_mixer(size_t nth);

/* Digests of nodes none of which is the parent of another; one by one without a mixer. */
void pp_node_digests(const struct pp_node_job *, size_t n, pp_lanes_mix *);
/* The digests of a family that are wanted; what comes out is the same as one by one. False when out of memory. */
bool pp_node_family_digest(const struct pp_node_family *);

#endif
