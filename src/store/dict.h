/*
 * The dictionary that packed profiles share: strings, modules, functions, frames, nodes of stacks, stacks. A stack is a node that
 * something was counted at; stacks are numbered without gaps, so that costs are added up in an array.
 *
 * Everything only grows. It is kept as parts, each a row of chunks; a commit appends one chunk to each part that grew:
 *
 *     s  strings    varint length, bytes
 *     m  modules    varints: name, build id (strings), kind
 *     f  functions  varints: name, file (strings), module, line, column, last line, flags
 *     r  frames     varints: function, line, column, site line, address, offset, inline depth, flags, file (a string)
 *     n  nodes      varint (id - parent) << 1 | recursive, varint frame; parents before children
 *     t  stacks     varint zigzag of the node less that of the stack before
 *
 * Ids start at 1. A node is recursive when a node above it shows the same function.
 */
#ifndef PP_DICT_H
#define PP_DICT_H

#include "base/buf.h"
#include "model/builder.h"

/* Nodes of one dictionary; the next profile starts another. */
#define PP_DICT_NODES (1u << 24)

enum pp_dict_part {
	PP_DICT_STRINGS,
	PP_DICT_MODULES,
	PP_DICT_FUNCS,
	PP_DICT_FRAMES,
	PP_DICT_TREE,
	PP_DICT_STACKS,
	PP_DICT_PARTS
};

/* By part: the letter that it is kept under. */
extern const char pp_dict_letters[PP_DICT_PARTS + 1];

/* Ids by number, 0 = not known; as PP_VEC. */
struct pp_dict_notes {
	uint32_t *at;
	size_t n, cap;
};

struct pp_dict {
	struct pp_builder b;       /* names and nodes */
	PP_VEC(pp_node) stacks;    /* by id, [0] is none */
	PP_VEC(uint32_t) stack_of; /* by node; only where profiles are added */
	/* Of functions that only have a name, by that; and of their frames, by function: those that were met. */
	struct pp_dict_notes plain_funcs, plain_frames;
	size_t saved[PP_DICT_PARTS]; /* rows of each part that chunks hold */
	bool grows;                  /* profiles may be added */
};

/* False when out of memory. `grows`: profiles will be added. The seed is that of tables in memory, no more. */
bool pp_dict_init(struct pp_dict *, bool grows, uint64_t seed);
void pp_dict_release(struct pp_dict *);

/* How many rows a part has, that of id 0 included. */
size_t pp_dict_rows(const struct pp_dict *, enum pp_dict_part);
/* Adds a chunk of n rows. PP_E_INVALID when it is damaged. Parts come in the order of the list above. */
pp_status pp_dict_load(struct pp_dict *, enum pp_dict_part, struct pp_slice chunk, uint64_t n);
/* All chunks are there: makes what adding needs. */
pp_status pp_dict_ready(struct pp_dict *);
/* Appends what a part gained since the last time; *n rows, which may be none. */
bool pp_dict_chunk(struct pp_dict *, enum pp_dict_part, struct pp_buf *, uint64_t *n);
/* Whether the nodes of a profile fit, whatever of it is there already. */
bool pp_dict_has_room(const struct pp_dict *, const struct pp_profile *);
/*
 * Adds the names and nodes of a profile: node_map (one entry for each of its nodes) receives where each is. PP_E_UNSUPPORTED
 * when it says of a function what the dictionary says otherwise.
 */
pp_status pp_dict_add(struct pp_dict *, const struct pp_profile *, pp_node *node_map);
/* The stack that ends at a node, made when absent; 0 when out of memory. */
uint32_t pp_dict_stack(struct pp_dict *, pp_node);

static inline const struct pp_tree *
pp_dict_tree(const struct pp_dict *d)
{
	return &d->b.profile->tree;
}

static inline bool
pp_dict_is_recursive(const struct pp_dict *d, pp_node node)
{
	return pp_dict_tree(d)->recursive[node >> 6] >> (node & 63) & 1;
}

#endif
