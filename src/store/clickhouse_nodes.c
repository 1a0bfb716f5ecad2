/*
 * Nodes that were met before: see clickhouse_nodes.h.
 */
#include "store/clickhouse_nodes.h"

/* Nodes that are kept: with their table some 50 MB; bytes of frames. */
#define NODES_MAX ((size_t)1 << 20)
#define FRAMES_MAX ((size_t)1 << 17)
#define AGE_MAX 3600

void
pp_known_forget(struct pp_known_nodes *k)
{
	if (k->begun)
		pp_strtab_release(&k->frames);
	pp_map_release(&k->map);
	pp_vec_release(&k->nodes);
	*k = (struct pp_known_nodes){ 0 };
}

bool
pp_known_begin(struct pp_known_nodes *k, size_t nodes, int64_t now)
{
	static const struct pp_known_node root;
	uint64_t seed = (uintptr_t)k * PP_HASH_K1 ^ (uint64_t)now;

	if (nodes > NODES_MAX)
		return false;
	if (k->begun && (k->nodes.n + nodes > NODES_MAX || k->frames.strs.n > FRAMES_MAX ||
	                 now - k->since > AGE_MAX || now < k->since))
		pp_known_forget(k);
	if (k->begun)
		return true;
	k->map.seed = seed;
	k->since = now;
	k->begun = pp_strtab_init(&k->frames, seed);
	if (k->begun && pp_vec_push(&k->nodes, root))
		return true;
	pp_known_forget(k);
	return false;
}

pp_str
pp_known_frame(struct pp_known_nodes *k, struct pp_slice key)
{
	pp_str id;
	bool is_new;

	return pp_strtab_intern(&k->frames, key.p, key.n, &id, &is_new) ? id : 0;
}

uint32_t
pp_known_node(struct pp_known_nodes *k, uint32_t parent, pp_str frame)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	struct pp_known_node node = { .parent = parent, .frame = frame };
	uint32_t number = parent + 1;

	/* What was met first below a node has the next number, and needs no looking up. */
	if (number < k->nodes.n && k->nodes.at[number].parent == parent &&
	    k->nodes.at[number].frame == frame)
		return number;
	number = pp_map_get(&k->map, key);
	if (number != PP_MAP_NONE)
		return number;
	number = (uint32_t)k->nodes.n;
	pp_node_digest(k->nodes.at[parent].digest, pp_strtab_get(&k->frames, frame), node.digest);
	return pp_vec_push(&k->nodes, node) && pp_map_set(&k->map, key, number) ? number : 0;
}
