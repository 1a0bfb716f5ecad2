/*
 * Decoded bytes, block by block, made ahead by other threads.
 */
#ifndef PP_PIPELINE_H
#define PP_PIPELINE_H

#include "io/source.h"

/* Bytes in front of each block that belong to whoever holds it. */
#define PP_BLOCK_HEAD ((size_t)64 << 10)

struct pp_pipe;

/* A block of decoded bytes; PP_BLOCK_HEAD bytes before and PP_INPUT_PAD behind may be written. */
struct pp_block {
	unsigned char *data; /* NULL = none */
	size_t size;
	bool last;        /* nothing follows */
	pp_status status; /* when nothing follows: why */
	struct pp_pipe *owner;
};

/* Where blocks come from. Used by one thread, the one that reads. */
struct pp_pipe {
	/* Waits for the next block, which the caller then holds. False at the end (block->status). */
	bool (*next)(struct pp_pipe *, struct pp_block *);
	/* Takes a block back; at most two are held at once, and they come back in their order. */
	void (*release)(struct pp_pipe *, struct pp_block *);
	/* Stops all threads, wherever they stand, and frees. */
	void (*stop)(struct pp_pipe *);
};

/* Gives a block back and empties it; an empty one is fine. */
static inline void
pp_block_release(struct pp_block *block)
{
	if (block->data)
		block->owner->release(block->owner, block);
	block->data = NULL;
}

/*
 * Lets a feed run ahead on a thread of its own; the feed stays the caller's. NULL when the system has
 * no memory or thread to spare (then go on without).
 */
struct pp_pipe *pp_pipe_feed(struct pp_io *, struct pp_feed *, size_t block_size);

/*
 * Decodes the zstd frames of a stable input side by side. Takes `raw` over unless it returns NULL:
 * when there are not several frames of known, moderate size, or no memory.
 */
struct pp_pipe *pp_pipe_frames(struct pp_io *, struct pp_input *raw);

#endif
