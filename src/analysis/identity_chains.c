/*
 * Lists of groups by a key of their names.
 */
#include "analysis/identity_chains.h"

#include "analysis/identity.h"

void
pp_chains_init(struct pp_chains *c, uint64_t seed)
{
	*c = (struct pp_chains){ .by_key = { .seed = seed }, .by_place = { .seed = seed } };
}

void
pp_chains_release(struct pp_chains *c)
{
	pp_map_release(&c->by_key);
	pp_map_release(&c->by_place);
	pp_vec_release(&c->all);
	pp_vec_release(&c->links);
}

uint64_t
pp_place_key(const struct pp_canonical *as, unsigned components, bool column)
{
	size_t start = as->file.n;

	while (start > 0 && (as->file.p[start - 1] != '/' || --components > 0))
		start--;
	return pp_mix(pp_hash_bytes(as->file.p + start, as->file.n - start, 1),
	              PP_HASH_K1 ^ ((uint64_t)(column ? as->column : 0) << 32 | as->line));
}

bool
pp_place_enter(struct pp_map *map, uint64_t key, uint32_t at)
{
	return pp_map_set(map, key, pp_map_get(map, key) == PP_MAP_NONE ? at : PP_CHAIN_SEVERAL);
}

/* A place within one list. */
static uint64_t
chain_place_key(const struct pp_chain *chain, const struct pp_canonical *as, unsigned components,
                bool column)
{
	return pp_mix(pp_place_key(as, components, column),
	              pp_mix(chain->key, components << 1 | column));
}

struct pp_chain *
pp_chains_find(struct pp_chains *c, uint64_t key)
{
	uint32_t at = pp_map_get(&c->by_key, key);

	return at == PP_MAP_NONE ? NULL : &c->all.at[at];
}

bool
pp_chains_place(struct pp_chains *c, const struct pp_chain *chain, const struct pp_canonical *as,
                uint32_t group)
{
	unsigned components, column;
	bool fine = true;

	for (column = 0; column < 2 && as->file.n; column++)
		for (components = 1; components <= PP_CHAIN_COMPONENTS; components++)
			fine = fine && pp_place_enter(
			                   &c->by_place,
			                   chain_place_key(chain, as, components, column), group);
	return fine;
}

bool
pp_chains_add(struct pp_chains *c, uint64_t key, const struct pp_canonical *as, uint32_t group)
{
	uint32_t at = pp_map_get(&c->by_key, key);
	struct pp_chain *chain;

	if (at == PP_MAP_NONE) {
		at = (uint32_t)c->all.n;
		if (!pp_vec_push(&c->all, (struct pp_chain){ .key = key, .first = PP_MAP_NONE }) ||
		    !pp_map_set(&c->by_key, key, at))
			return false;
	}
	chain = &c->all.at[at];
	if (!pp_vec_push(&c->links, (struct pp_chain_link){ group, chain->first }))
		return false;
	chain->first = (uint32_t)c->links.n - 1;
	chain->count++;
	return !chain->placed || pp_chains_place(c, chain, as, group);
}

uint32_t
pp_chains_at(const struct pp_chains *c, const struct pp_chain *chain, const struct pp_canonical *as,
             unsigned components, bool column)
{
	return pp_map_get(&c->by_place, chain_place_key(chain, as, components, column));
}
