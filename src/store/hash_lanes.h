/*
 * Digests of many nodes of stacks at a time. One alone waits for itself at each step; eight that do not need each other
 * take little longer than one, on processors with wide registers.
 */
#ifndef PP_HASH_LANES_H
#define PP_HASH_LANES_H

#include "store/hash.h"

#define PP_LANES 8

/* One pp_node_digest(). */
struct pp_node_job {
	const unsigned char *parent;
	struct pp_slice frame_key;
	unsigned char *out;
};

/* Nodes of which some are parents of others. */
struct pp_node_family {
	size_t n;
	/* The parent of the ith among them, less than i; i itself where it is none of them. */
	size_t (*parent)(const void *ctx, size_t i);
	struct pp_node_job (*job)(const void *ctx, size_t i);
	const void *ctx;
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
/* Digests of all, parents first; what comes out is the same as one by one. False when out of memory. */
bool pp_node_family_digest(const struct pp_node_family *);

#endif
