/*
 * Which functions of several profiles are the same.
 */
#include "analysis/identity_bucket.h"

bool
pp_identity_init(struct pp_identity *id, uint64_t seed)
{
	*id = (struct pp_identity){ .by_exact = { .seed = seed } };
	pp_chains_init(&id->chains, seed);
	if (!pp_strtab_init(&id->strs, seed))
		return false;
	if (pp_vec_push(&id->groups, (struct pp_identity_group){ 0 }))
		return true;
	pp_identity_release(id);
	return false;
}

void
pp_identity_release(struct pp_identity *id)
{
	pp_strtab_release(&id->strs);
	pp_vec_release(&id->groups);
	pp_map_release(&id->by_exact);
	pp_chains_release(&id->chains);
	pp_buf_release(&id->scratch);
	while (id->known.n)
		free(id->known.at[--id->known.n].group);
	pp_vec_release(&id->known);
	free(id->room);
	id->room = NULL;
}

uint32_t
pp_identity_find(struct pp_identity *id, uint32_t group)
{
	struct pp_identity_group *groups = id->groups.at;

	/* Each step shortens the way for the next search. */
	while (groups[group].same != group) {
		groups[group].same = groups[groups[group].same].same;
		group = groups[group].same;
	}
	return group;
}

/* ---- functions and groups --------------------------------------------------------------- */

static pp_str
intern(struct pp_matching *m, struct pp_slice text)
{
	pp_str id = 0;
	bool is_new;

	m->failed |= !pp_strtab_intern(&m->id->strs, text.p, text.n, &id, &is_new);
	return id;
}

static void
entity_add(struct pp_matching *m, pp_func func)
{
	const struct pp_profile *p = m->p;
	const struct pp_func_row *f = &p->funcs.at[func];
	struct pp_entity e = { .func = func, .next = PP_MAP_NONE };
	struct pp_buf *text = &m->id->scratch;

	pp_canonical_name(pp_text_of(p, f->name), pp_text_of(p, f->file), f->line, text, &e.as.file,
	                  &e.as.line);
	e.as.name = intern(m, pp_slice_of(text->p, text->n));
	e.as.exact = pp_slice_eq(pp_slice_of(text->p, text->n), pp_text_of(p, f->name))
	                 ? e.as.name
	                 : intern(m, pp_text_of(p, f->name));
	/* A place that the name told has no column. */
	e.as.column = e.as.line == f->line ? f->column : 0;
	e.as.module = intern(m, pp_text_of(p, p->modules.at[f->module].name));
	m->failed |= text->failed || !pp_vec_push(&m->entities, e);
}

/* Finds the parts of a name, which only functions need that are new or met none of the same name. */
static void
name_split(struct pp_matching *m, struct pp_canonical *as)
{
	struct pp_slice name = pp_strtab_get(&m->id->strs, as->name);
	struct pp_buf *part = &m->part;

	if (as->is_split)
		return;
	as->is_split = true;
	pp_name_types(name, part);
	as->types = part->n ? intern(m, pp_slice_of(part->p, part->n)) : 0;
	name = pp_strtab_get(&m->id->strs, as->name);
	pp_loose_name(name, part);
	as->base = part->n == name.n ? as->name : intern(m, pp_slice_of(part->p, part->n));
	as->is_hashed = !as->types && as->base != as->name;
	m->failed |= part->failed;
}

/* A key of a name, canonical or as written, at a place. */
static uint64_t
spelling_key(const struct pp_canonical *as, pp_str name)
{
	uint64_t file = as->file.n ? pp_hash_bytes(as->file.p, as->file.n, 1) : 0;

	return pp_mix((uint64_t)name << 32 | as->line, PP_HASH_K1 ^ file) ^
	       pp_mix((uint64_t)as->column << 32 | as->module, PP_HASH_K2);
}

static bool
is_same_place(const struct pp_canonical *a, const struct pp_canonical *b)
{
	return a->line == b->line && a->column == b->column && a->module == b->module &&
	       pp_slice_eq(a->file, b->file);
}

/*
 * One function under several spellings (f and f'2, main+0x10 and main+0x20): the first speaks for all.
 * Equal spellings at one place are different functions that the profile tells apart some other way.
 */
static void
find_aliases(struct pp_matching *m)
{
	struct pp_map first = { .seed = m->id->by_exact.seed };
	size_t i;

	for (i = 0; i < m->entities.n && !m->failed; i++) {
		struct pp_entity *e = &m->entities.at[i], *other;
		uint64_t key = spelling_key(&e->as, e->as.name);
		uint32_t at = pp_map_get(&first, key);

		if (at == PP_MAP_NONE) {
			m->failed |= !pp_map_set(&first, key, (uint32_t)i);
			continue;
		}
		other = &m->entities.at[at];
		/* Without a place, only what anonymous classes extend tells them apart. */
		if (e->as.file.n == 0 &&
		    pp_slice_starts(pp_strtab_get(&m->id->strs, e->as.name), "class@anonymous"))
			continue;
		if (other->as.exact != e->as.exact && other->as.name == e->as.name &&
		    is_same_place(&other->as, &e->as))
			e->alias = at + 1;
	}
	pp_map_release(&first);
}

/* In turn: what is compared of functions that have not met one yet, on both sides. */
enum pass {
	BY_NAME,  /* canonical names */
	BY_TYPES, /* names and parameters, mangled or not */
	UNTYPED,  /* names without parameters, on both sides */
	TYPED,    /* a name without parameters, in groups with parameters */
	BARE,     /* a name with parameters, in groups without */
	PASSES
};

/* The key of a list of groups: a name; a base with types; a base without, or with another name; a typed one. */
enum chain_kind { OF_NAME, OF_TYPES, OF_UNTYPED, OF_OTHER, OF_TYPED };

static uint64_t
chain_key(enum chain_kind kind, pp_str name, pp_str types)
{
	return pp_mix((uint64_t)name << 32 | types, PP_HASH_K1 + kind);
}

static void
group_list(struct pp_matching *m, enum chain_kind kind, const struct pp_canonical *as, pp_str name,
           pp_str types, uint32_t group)
{
	m->failed |= !pp_chains_add(&m->id->chains, chain_key(kind, name, types), as, group);
}

/* Lists groups by the parts of their names, which takes time, and only functions that met none of their name need. */
static void
groups_split(struct pp_matching *m)
{
	struct pp_identity *id = m->id;
	size_t i;

	for (; id->split < id->groups.n && !m->failed; id->split++) {
		uint32_t group = (uint32_t)id->split;
		struct pp_canonical *as = &id->groups.at[group].as;

		if (group == 0)
			continue;
		name_split(m, as);
		group_list(m, as->types ? OF_TYPED : OF_UNTYPED, as, as->base, 0, group);
		if (as->types)
			group_list(m, OF_TYPES, as, as->base, as->types, group);
		else if (as->base != as->name)
			group_list(m, OF_OTHER, as, as->base, 0, group);
	}
	for (i = 0; i < m->entities.n; i++) {
		uint32_t group = m->entities.at[i].group;

		m->same_build |= group && id->groups.at[group].as.is_hashed;
	}
}

static void
group_make(struct pp_matching *m, struct pp_entity *e)
{
	struct pp_identity *id = m->id;
	struct pp_identity_group g = { .same = (uint32_t)id->groups.n };
	const struct pp_canonical *as = &e->as;

	g.as = e->as;
	m->failed |= !pp_vec_push(&id->groups, g) ||
	             !pp_map_set(&id->by_exact, spelling_key(as, as->exact), g.same);
	group_list(m, OF_NAME, as, as->name, 0, g.same);
	if (!m->failed)
		pp_entity_take(m, e, g.same);
}

/* Collects the groups of a list that no function of this profile met; those that became one are taken off it. */
static void
groups_collect(struct pp_matching *m, struct pp_chain *chain, struct pp_bucket *b)
{
	struct pp_identity *id = m->id;
	struct pp_chain_link *links = id->chains.links.at;
	uint32_t *at = &chain->first;

	b->groups.n = 0;
	while (*at != PP_MAP_NONE && !m->failed) {
		struct pp_chain_link *link = &links[*at];
		const struct pp_identity_group *group = &id->groups.at[link->group];

		if (group->same != link->group) {
			chain->count--;
			*at = link->next;
			continue;
		}
		if (group->seen_by != id->profiles)
			m->failed |= !pp_vec_push(&b->groups, link->group);
		at = &link->next;
	}
}

/* Enters all groups of a list that became long into the index of places. */
static void
chain_place(struct pp_matching *m, struct pp_chain *chain)
{
	struct pp_chains *chains = &m->id->chains;
	uint32_t at;

	if (chain->placed)
		return;
	for (at = chain->first; at != PP_MAP_NONE && !m->failed; at = chains->links.at[at].next) {
		uint32_t group = chains->links.at[at].group;

		m->failed |= !pp_chains_place(chains, chain, &m->id->groups.at[group].as, group);
	}
	chain->placed = true;
}

/* Matches functions with the groups at their places in a long list: those that are the only ones on both sides. */
static void
match_placed(struct pp_matching *m, const struct pp_chain *chain, struct pp_bucket *b,
             unsigned components, bool column)
{
	struct pp_map entities = { .seed = m->id->by_exact.seed };
	size_t i, n = 0;

	pp_bucket_places(m, b, components, column, &entities);
	for (i = 0; i < b->entities.n && !m->failed; i++) {
		struct pp_entity *e = b->entities.at[i];
		uint32_t g = PP_MAP_NONE;

		if (e->as.file.n &&
		    pp_map_get(&entities, pp_place_key(&e->as, components, column)) == i)
			g = pp_chains_at(&m->id->chains, chain, &e->as, components, column);
		g = g < PP_CHAIN_SEVERAL ? pp_identity_find(m->id, g) : PP_MAP_NONE;
		if (g != PP_MAP_NONE && m->id->groups.at[g].seen_by != m->id->profiles &&
		    pp_path_score(e->as.file, m->id->groups.at[g].as.file))
			pp_entity_take(m, e, g);
		else
			b->entities.at[n++] = e;
	}
	if (!m->failed)
		b->entities.n = n;
	pp_map_release(&entities);
}

/* Does the work of pp_bucket_match() for a name with too many functions to look at all of them. */
static void
match_common(struct pp_matching *m, struct pp_chain *chain, struct pp_bucket *b)
{
	unsigned components, column;
	bool no_file = false;
	size_t i;

	chain_place(m, chain);
	for (column = 2; column-- > 0;)
		for (components = PP_CHAIN_COMPONENTS; components > 0 && b->entities.n;
		     components--)
			match_placed(m, chain, b, components, column);
	for (i = 0; i < b->entities.n; i++)
		no_file |= b->entities.at[i]->as.file.n == 0;
	if (!no_file || pp_entity_is_anonymous(m, b->entities.at[0]))
		return;
	/* Every entry walked here becomes one group, or this profile has met it. */
	groups_collect(m, chain, b);
	pp_bucket_rest(m, b);
}

/* Returns whether a list may be walked for n functions: all walks together take linear time. */
static bool
can_walk(struct pp_identity *id, const struct pp_chain *chain, size_t functions)
{
	uint64_t pairs = (uint64_t)functions * chain->count;
	uint64_t steps = chain->count + (pairs < PP_BUCKET_PAIRS ? pairs : PP_BUCKET_PAIRS);

	if (chain->count <= PP_CHAIN_SHORT)
		return true;
	if (id->steps < steps)
		return false;
	id->steps -= steps;
	return true;
}

/* The key of a function in a pass; false if it takes no part in that. */
static bool
entity_key(struct pp_matching *m, struct pp_entity *e, enum pass pass, uint64_t *key)
{
	if (e->group || e->alias)
		return false;
	if (pass > BY_NAME)
		name_split(m, &e->as);
	switch (pass) {
	case BY_NAME:
		*key = chain_key(OF_NAME, e->as.name, 0);
		return true;
	case BY_TYPES:
		*key = chain_key(OF_TYPES, e->as.base, e->as.types);
		return e->as.types != 0;
	case UNTYPED:
		/* In one build of a program another hash is another function. */
		*key = chain_key(e->as.base == e->as.name ? OF_OTHER : OF_UNTYPED, e->as.base, 0);
		return e->as.types == 0 && !(e->as.is_hashed && m->same_build);
	case TYPED:
		*key = chain_key(OF_TYPED, e->as.base, 0);
		return e->as.types == 0;
	default:
		*key = chain_key(OF_UNTYPED, e->as.base, 0);
		return e->as.types != 0;
	}
}

/* Matches the functions that are left by one kind of key; those of one key are chained through `next`. */
static void
match_names(struct pp_matching *m, enum pass pass)
{
	struct pp_map first = { .seed = m->id->by_exact.seed };
	struct pp_bucket b = { 0 };
	uint64_t key;
	size_t i;

	for (i = m->entities.n; i-- > 0 && !m->failed;) {
		struct pp_entity *e = &m->entities.at[i];

		if (!entity_key(m, e, pass, &key))
			continue;
		e->next = pp_map_get(&first, key);
		m->failed |= !pp_map_set(&first, key, (uint32_t)i);
	}
	for (i = 0; i < m->entities.n && !m->failed && first.n; i++) {
		struct pp_chain *chain;
		uint32_t at;

		if (!entity_key(m, &m->entities.at[i], pass, &key) || pp_map_get(&first, key) != i)
			continue;
		chain = pp_chains_find(&m->id->chains, key);
		if (!chain)
			continue;
		b.entities.n = 0;
		for (at = (uint32_t)i; at != PP_MAP_NONE; at = m->entities.at[at].next)
			m->failed |= !pp_vec_push(&b.entities, &m->entities.at[at]);
		if (!can_walk(m->id, chain, b.entities.n)) {
			match_common(m, chain, &b);
			continue;
		}
		groups_collect(m, chain, &b);
		if (!m->failed)
			pp_bucket_match(m, &b);
	}
	pp_vec_release(&b.entities);
	pp_vec_release(&b.groups);
	pp_map_release(&first);
}

/* Whether no function is left. */
static bool
all_met(const struct pp_matching *m)
{
	size_t i;

	for (i = 0; i < m->entities.n; i++)
		if (!m->entities.at[i].group && !m->entities.at[i].alias)
			return false;
	return true;
}

/* ---- profiles that share their names ---------------------------------------------------- */

/* Returns the known keys of a profile's names, by function, or NULL if out of memory. */
static uint32_t *
known_open(struct pp_identity *id, const struct pp_profile *p)
{
	struct pp_identity_known known = { .names = p->funcs.at };
	size_t i;

	/* A store has a handful: one of each dictionary and kind of profile. */
	for (i = id->known.n; i-- > 0;)
		if (id->known.at[i].names == p->funcs.at)
			return id->known.at[i].group;
	known.group = calloc(p->funcs.n + 1, sizeof *known.group);
	if (known.group && pp_vec_push(&id->known, known))
		return known.group;
	free(known.group);
	return NULL;
}

/*
 * Whether each function of a profile met a group by its whole identity before, and each another one: then it does so again,
 * and nothing is left that would have to be matched by name.
 */
static bool
known_take(struct pp_identity *id, const struct pp_profile *p, const uint32_t *known, uint32_t *key)
{
	size_t i;

	for (i = 1; i < p->costs.funcs.n; i++) {
		pp_func func = p->costs.funcs.at[i];
		uint32_t group = known[func];

		if (!group || id->groups.at[group].seen_by == id->profiles)
			break;
		id->groups.at[group].seen_by = id->profiles;
		key[func] = group;
	}
	if (i == p->costs.funcs.n)
		return true;
	/* They are matched by a profile of the next number. */
	id->profiles++;
	while (i-- > 1)
		key[p->costs.funcs.at[i]] = 0;
	return false;
}

static void
known_note(struct pp_matching *m, uint32_t *known)
{
	struct pp_identity *id = m->id;
	size_t i;

	for (i = 0; i < m->entities.n && !m->failed; i++) {
		const struct pp_entity *e = &m->entities.at[i];
		const struct pp_canonical *as = &id->groups.at[e->group].as;

		if (!e->alias && as->exact == e->as.exact && is_same_place(as, &e->as) &&
		    pp_map_get(&id->by_exact, spelling_key(&e->as, e->as.exact)) == e->group)
			known[e->func] = e->group;
	}
}

/* The functions of the profile that is being matched. */
static void
entities_add(struct pp_matching *m)
{
	const struct pp_profile *p = m->p;
	size_t i;

	if (p->costs.shares_names)
		for (i = 1; i < p->costs.funcs.n && !m->failed; i++)
			entity_add(m, p->costs.funcs.at[i]);
	else
		for (i = 1; i < p->funcs.n && !m->failed; i++)
			if (p->funcs.at[i].same == i)
				entity_add(m, (pp_func)i);
}

bool
pp_identity_add(struct pp_identity *id, const struct pp_profile *p, uint32_t *key)
{
	struct pp_matching m = { .id = id, .p = p };
	uint32_t *known = NULL;
	unsigned pass;
	size_t i;

	id->profiles++;
	if (p->costs.shares_names) {
		known = known_open(id, p);
		if (!known)
			return false;
		if (known_take(id, p, known, key))
			return true;
	}
	entities_add(&m);
	id->steps += (uint64_t)m.entities.n * PP_CHAIN_STEPS;
	find_aliases(&m);
	for (i = 0; i < m.entities.n && !m.failed; i++) {
		struct pp_entity *e = &m.entities.at[i];
		uint32_t g = pp_map_get(&id->by_exact, spelling_key(&e->as, e->as.exact));

		if (!e->alias && g != PP_MAP_NONE && id->groups.at[g].as.exact == e->as.exact &&
		    is_same_place(&id->groups.at[g].as, &e->as) &&
		    id->groups.at[g].seen_by != id->profiles)
			pp_entity_take(&m, e, g);
	}
	for (pass = BY_NAME; pass < PASSES && id->profiles > 1 && !all_met(&m); pass++) {
		if (pass == BY_TYPES)
			groups_split(&m);
		match_names(&m, (enum pass)pass);
	}
	for (i = 0; i < m.entities.n && !m.failed; i++) {
		struct pp_entity *e = &m.entities.at[i];

		if (e->alias)
			e->group = m.entities.at[e->alias - 1].group;
		else if (!e->group)
			group_make(&m, e);
		if (!m.failed)
			key[e->func] = e->group;
	}
	if (p->costs.shares_names)
		known_note(&m, known);
	for (i = 1; i < p->funcs.n && !m.failed && !p->costs.shares_names; i++)
		key[i] = key[p->funcs.at[i].same];
	pp_vec_release(&m.entities);
	pp_buf_release(&m.part);
	return !m.failed;
}

const uint32_t *
pp_identity_meet(struct pp_identity *id, const struct pp_profile *p)
{
	if (p->funcs.n > id->room_size) {
		free(id->room);
		id->room_size = p->funcs.n;
		id->room = calloc(id->room_size, sizeof *id->room);
		id->room_size = id->room ? id->room_size : 0;
	}
	return id->room && pp_identity_add(id, p, id->room) ? id->room : NULL;
}

void
pp_identity_leave(struct pp_identity *id, const struct pp_profile *p)
{
	size_t i;

	if (p->costs.shares_names)
		for (i = 1; i < p->costs.funcs.n; i++)
			id->room[p->costs.funcs.at[i]] = 0;
	else
		memset(id->room, 0, p->funcs.n * sizeof *id->room);
}
