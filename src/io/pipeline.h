/*
 * A feed that runs ahead on a thread of its own, block by block.
 */
#ifndef PP_PIPELINE_H
#define PP_PIPELINE_H

#include "io/source.h"

/* Bytes in front of each block that belong to whoever holds it. */
#define PP_BLOCK_HEAD ((size_t)64 << 10)

/* A block of decoded bytes; PP_BLOCK_HEAD bytes before and PP_INPUT_PAD behind may be written. */
struct pp_block {
	unsigned char *data; /* NULL = none */
	size_t size;
	bool last;        /* nothing follows */
	pp_status status; /* when nothing follows: why */
	void *slot;
};

struct pp_pipe;

/* Starts; NULL when the system has no memory or thread to spare (then go on without). */
struct pp_pipe *pp_pipe_start(struct pp_feed *, size_t block_size);
/* Waits for the next block, which the caller then holds. False at the end (block->status). */
bool pp_pipe_next(struct pp_pipe *, struct pp_block *);
/* Gives a block back and empties it; at most two may be held at once. An empty one is fine. */
void pp_pipe_release(struct pp_pipe *, struct pp_block *);
/* Stops the thread, wherever it stands, and frees. NULL is allowed. The feed stays. */
void pp_pipe_stop(struct pp_pipe *);

#endif
