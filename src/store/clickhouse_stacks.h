/*
 * The stacks of one profile as rows of ClickHouse's tables: what tells frames and nodes, and which stacks a server has not yet.
 */
#ifndef PP_CLICKHOUSE_STACKS_H
#define PP_CLICKHOUSE_STACKS_H

#include "store/clickhouse.h"
#include "store/hash_lanes.h"

/* Zeroed before; released in all cases. */
struct pp_row_stacks {
	const struct pp_profile *p;
	struct pp_buf texts;          /* what follows are parts of it */
	size_t *functions;            /* by function: where it begins, behind its length */
	struct pp_frame_text *frames; /* by frame: its function, and with that its line and place */
	size_t *tails; /* by frame: where line and place are if not behind the function; or NULL */
	bool has_lines, has_places;    /* any frame */
	uint8_t (*digests)[PP_DIGEST]; /* by node */
	struct pp_known_nodes *met;
	uint32_t *known;     /* by node: its number among those met before; or NULL */
	uint64_t generation; /* of these numbers */
};

/* False when out of memory. */
bool pp_row_stacks_begin(struct pp_row_stacks *, const struct pp_profile *,
                         struct pp_known_nodes *met);
void pp_row_stacks_release(struct pp_row_stacks *);

/* A function as rows have it: behind its length. */
static inline struct pp_slice
pp_row_stacks_function(const struct pp_row_stacks *s, pp_func func)
{
	return pp_slice_of(s->texts.p + s->functions[func],
	                   s->functions[func + 1] - s->functions[func]);
}

/* The rows of the nodes that are marked in `has`, but for those that the server of `shard` (its bit; 0 = unknown) has. */
void pp_row_stacks_write(struct pp_clickhouse_insert *, struct pp_row_stacks *, const uint8_t *has,
                         uint64_t batch, uint64_t shard);

#endif
