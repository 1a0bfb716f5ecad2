/*
 * Which functions of several profiles are the same.
 */
#include "analysis/identity.h"

/* A function of the profile being matched. */
struct entity {
	pp_func func;
	struct pp_canonical as;
	uint32_t group; /* 0 = not matched yet */
	uint32_t
	    alias;     /* 1 + the entity of this profile that it is another spelling of; 0 = none */
	uint32_t next; /* next entity of the same key; PP_MAP_NONE ends */
};

struct matching {
	struct pp_identity *id;
	const struct pp_profile *p;
	PP_VEC(struct entity) entities;
	struct pp_buf part; /* scratch */
	bool same_build;    /* it has a function whose name has Rust's hash and that met its like */
	bool failed;
};

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
	free(id->known.group);
	id->known.group = NULL;
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

static void
unite(struct pp_identity *id, uint32_t a, uint32_t b)
{
	a = pp_identity_find(id, a);
	b = pp_identity_find(id, b);
	id->united |= a != b;
	/* The older one speaks for both. */
	if (a < b)
		id->groups.at[b].same = a;
	else if (b < a)
		id->groups.at[a].same = b;
}

/* ---- functions and groups --------------------------------------------------------------- */

static pp_str
intern(struct matching *m, struct pp_slice text)
{
	pp_str id = 0;
	bool is_new;

	m->failed |= !pp_strtab_intern(&m->id->strs, text.p, text.n, &id, &is_new);
	return id;
}

static void
entity_add(struct matching *m, pp_func func)
{
	const struct pp_profile *p = m->p;
	const struct pp_func_row *f = &p->funcs.at[func];
	struct entity e = { .func = func, .next = PP_MAP_NONE };
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
name_split(struct matching *m, struct pp_canonical *as)
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

static bool
is_anonymous(const struct matching *m, const struct entity *e)
{
	return pp_name_is_anonymous(pp_strtab_get(&m->id->strs, e->as.name));
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
find_aliases(struct matching *m)
{
	struct pp_map first = { .seed = m->id->by_exact.seed };
	size_t i;

	for (i = 0; i < m->entities.n && !m->failed; i++) {
		struct entity *e = &m->entities.at[i], *other;
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

static void
take(struct matching *m, struct entity *e, uint32_t group)
{
	e->group = group;
	m->id->groups.at[group].seen_by = m->id->profiles;
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

/* What a list of groups is of: a name; a base with types; a base without types, and if it is not the name; one with types. */
enum chain_kind { OF_NAME, OF_TYPES, OF_UNTYPED, OF_OTHER, OF_TYPED };

static uint64_t
chain_key(enum chain_kind kind, pp_str name, pp_str types)
{
	return pp_mix((uint64_t)name << 32 | types, PP_HASH_K1 + kind);
}

static void
group_list(struct matching *m, enum chain_kind kind, const struct pp_canonical *as, pp_str name,
           pp_str types, uint32_t group)
{
	m->failed |= !pp_chains_add(&m->id->chains, chain_key(kind, name, types), as, group);
}

static void
group_make(struct matching *m, struct entity *e)
{
	struct pp_identity *id = m->id;
	struct pp_identity_group g = { .same = (uint32_t)id->groups.n };
	const struct pp_canonical *as = &e->as;

	name_split(m, &e->as);
	g.as = e->as;
	m->failed |= !pp_vec_push(&id->groups, g) ||
	             !pp_map_set(&id->by_exact, spelling_key(as, as->exact), g.same);
	group_list(m, OF_NAME, as, as->name, 0, g.same);
	group_list(m, as->types ? OF_TYPED : OF_UNTYPED, as, as->base, 0, g.same);
	if (as->types)
		group_list(m, OF_TYPES, as, as->base, as->types, g.same);
	else if (as->base != as->name)
		group_list(m, OF_OTHER, as, as->base, 0, g.same);
	if (!m->failed)
		take(m, e, g.same);
}

/* ---- matching functions of one name ----------------------------------------------------- */

/* The functions of one key that have not met a group yet, and the groups of that key that are left. */
struct bucket {
	PP_VEC(struct entity *) entities;
	PP_VEC(uint32_t) groups;
};

static void
bucket_drop(struct bucket *b, size_t entity, size_t group)
{
	b->entities.at[entity] = b->entities.at[--b->entities.n];
	b->groups.at[group] = b->groups.at[--b->groups.n];
}

/* Takes pairs that share the end of their path, best first; with the same line, column and module, or any. */
static void
match_places(struct matching *m, struct bucket *b, bool strictly)
{
	for (;;) {
		const struct pp_identity_group *groups = m->id->groups.at;
		size_t i, k, best_i = 0, best_k = 0;
		unsigned best = 0;

		for (i = 0; i < b->entities.n; i++)
			for (k = 0; k < b->groups.n; k++) {
				const struct entity *x = b->entities.at[i];
				const struct pp_identity_group *y = &groups[b->groups.at[k]];
				unsigned score;

				if (strictly &&
				    (x->as.line != y->as.line || x->as.column != y->as.column ||
				     x->as.module != y->as.module))
					continue;
				score = pp_path_score(x->as.file, y->as.file);
				if (score > best ||
				    (score && score == best &&
				     pp_canonical_precedes(&m->id->strs, &x->as, &y->as,
				                           &b->entities.at[best_i]->as,
				                           &groups[b->groups.at[best_k]].as))) {
					best = score;
					best_i = i;
					best_k = k;
				}
			}
		if (best == 0)
			return;
		take(m, b->entities.at[best_i], b->groups.at[best_k]);
		bucket_drop(b, best_i, best_k);
	}
}

/* The two sides of a bucket: the functions of this profile, and the groups there are. */
enum side { ENTITIES, GROUPS };

static size_t
side_count(const struct bucket *b, enum side side)
{
	return side == GROUPS ? b->groups.n : b->entities.n;
}

static const struct pp_canonical *
side_at(const struct matching *m, const struct bucket *b, enum side side, size_t i)
{
	return side == GROUPS ? &m->id->groups.at[b->groups.at[i]].as : &b->entities.at[i]->as;
}

static void
side_drop(struct bucket *b, enum side side, size_t i)
{
	if (side == GROUPS)
		b->groups.at[i] = b->groups.at[--b->groups.n];
	else
		b->entities.at[i] = b->entities.at[--b->entities.n];
}

/* The coarser one that agrees best so far with some on the other side. */
struct coarser {
	unsigned score;
	size_t at;
	enum side side;
};

static void
coarser_offer(const struct matching *m, const struct bucket *b, struct coarser *best,
              struct coarser offer)
{
	const struct pp_canonical *as = side_at(m, b, offer.side, offer.at), *than;
	size_t others = side_count(b, !offer.side), i;
	int order = 1;

	for (i = 0; i < others; i++) {
		unsigned score = pp_canonical_coarser(as, side_at(m, b, !offer.side, i));

		offer.score = score > offer.score ? score : offer.score;
	}
	if (offer.score && offer.score == best->score) {
		than = side_at(m, b, best->side, best->at);
		order = pp_slice_cmp(than->file, as->file);
		order = order ? order
		              : pp_slice_cmp(pp_strtab_get(&m->id->strs, than->exact),
		                             pp_strtab_get(&m->id->strs, as->exact));
	}
	if (offer.score > best->score || (offer.score && offer.score == best->score && order > 0))
		*best = offer;
}

/* All on the other side whose path agrees that well with the coarser one's become one with it. */
static void
coarser_take(struct matching *m, struct bucket *b, const struct coarser *best)
{
	const struct pp_canonical as = *side_at(m, b, best->side, best->at);
	enum side other = !best->side;
	uint32_t first = 0;
	size_t i;

	for (i = 0; i < side_count(b, other);) {
		uint32_t group = b->groups.at[other == GROUPS ? i : best->at];

		if (pp_canonical_coarser(&as, side_at(m, b, other, i)) != best->score) {
			i++;
			continue;
		}
		if (first)
			unite(m->id, first, group);
		first = first ? first : group;
		take(m, b->entities.at[other == GROUPS ? best->at : i], group);
		side_drop(b, other, i);
	}
	side_drop(b, best->side, best->at);
}

/*
 * Where one profile knows the file of a function but not line, column or module, and the other tells several of that name
 * in that file apart by these, those are taken together.
 */
static void
match_coarser(struct matching *m, struct bucket *b)
{
	for (;;) {
		struct coarser best = { 0 };
		size_t i;

		for (i = 0; i < b->entities.n; i++)
			coarser_offer(m, b, &best, (struct coarser){ 0, i, ENTITIES });
		for (i = 0; i < b->groups.n; i++)
			coarser_offer(m, b, &best, (struct coarser){ 0, i, GROUPS });
		if (best.score == 0)
			return;
		coarser_take(m, b, &best);
	}
}

static bool
any_without_file(const struct matching *m, const struct bucket *b)
{
	size_t i;

	for (i = 0; i < b->entities.n + b->groups.n; i++)
		if ((i < b->entities.n ? side_at(m, b, ENTITIES, i)
		                       : side_at(m, b, GROUPS, i - b->entities.n))
		        ->file.n == 0)
			return true;
	return false;
}

/* ---- very common names ------------------------------------------------------------------ */

/* More pairs of functions of one name (thousands of "{closure}") are not compared one by one. */
#define PAIRS_MOST 40000

/* Those that are the only one on each side with that line and that end of their path meet. */
static void
match_by_key(struct matching *m, struct bucket *b, unsigned components, bool column)
{
	struct pp_map groups = { .seed = m->id->by_exact.seed }, entities = { .seed = groups.seed };
	size_t i, k, n = 0;

	for (k = 0; k < b->groups.n && !m->failed; k++)
		m->failed = !pp_place_enter(
		    &groups,
		    pp_place_key(&m->id->groups.at[b->groups.at[k]].as, components, column),
		    (uint32_t)k);
	for (i = 0; i < b->entities.n && !m->failed; i++)
		m->failed = !pp_place_enter(
		    &entities, pp_place_key(&b->entities.at[i]->as, components, column),
		    (uint32_t)i);
	for (i = 0; i < b->entities.n && !m->failed; i++) {
		struct entity *e = b->entities.at[i];
		uint64_t key = pp_place_key(&e->as, components, column);
		uint32_t at = pp_map_get(&groups, key);

		if (e->as.file.n && at < PP_CHAIN_SEVERAL && pp_map_get(&entities, key) == i &&
		    pp_path_score(e->as.file, m->id->groups.at[b->groups.at[at]].as.file)) {
			take(m, e, b->groups.at[at]);
			b->groups.at[at] = 0; /* none */
		} else {
			b->entities.at[n++] = e;
		}
	}
	if (!m->failed)
		b->entities.n = n;
	for (k = 0, n = 0; k < b->groups.n; k++)
		if (b->groups.at[k])
			b->groups.at[n++] = b->groups.at[k];
	b->groups.n = n;
	pp_map_release(&groups);
	pp_map_release(&entities);
}

/* Whether functions of an anonymous name are left whose places say that they are not one. */
static bool
is_apart(const struct matching *m, const struct bucket *b)
{
	size_t i, k;

	if (!is_anonymous(m, b->entities.at[0]))
		return false;
	for (i = 0; i < b->entities.n; i++)
		for (k = 0; k < b->groups.n; k++)
			if (!pp_canonical_can_meet(&b->entities.at[i]->as,
			                           &m->id->groups.at[b->groups.at[k]].as))
				return true;
	return false;
}

/* Takes what is left on both sides together if one of them does not know places, or if it is one on each side. */
static void
match_rest(struct matching *m, struct bucket *b)
{
	size_t i;

	if (b->entities.n == 0 || b->groups.n == 0)
		return;
	if ((b->entities.n > 1 || b->groups.n > 1) && !any_without_file(m, b))
		return;
	if (b->entities.n * b->groups.n <= PAIRS_MOST && is_apart(m, b))
		return;
	for (i = 1; i < b->groups.n; i++)
		unite(m->id, b->groups.at[0], b->groups.at[i]);
	for (i = 0; i < b->entities.n; i++)
		take(m, b->entities.at[i], b->groups.at[0]);
}

static void
match_bucket(struct matching *m, struct bucket *b)
{
	unsigned components, column;

	for (column = 2; column-- > 0;)
		for (components = PP_CHAIN_COMPONENTS;
		     components > 0 && b->entities.n * b->groups.n > PAIRS_MOST; components--)
			match_by_key(m, b, components, column);
	if (b->entities.n * b->groups.n <= PAIRS_MOST) {
		match_places(m, b, true);
		match_coarser(m, b);
		match_places(m, b, false);
	}
	match_rest(m, b);
}

/* Collects the groups of a list that no function of this profile met; those that became one are taken off it. */
static void
groups_collect(struct matching *m, struct pp_chain *chain, struct bucket *b)
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
chain_place(struct matching *m, struct pp_chain *chain)
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
match_placed(struct matching *m, const struct pp_chain *chain, struct bucket *b,
             unsigned components, bool column)
{
	struct pp_map entities = { .seed = m->id->by_exact.seed };
	size_t i, n = 0;

	for (i = 0; i < b->entities.n && !m->failed; i++)
		m->failed = !pp_place_enter(
		    &entities, pp_place_key(&b->entities.at[i]->as, components, column),
		    (uint32_t)i);
	for (i = 0; i < b->entities.n && !m->failed; i++) {
		struct entity *e = b->entities.at[i];
		uint32_t g = PP_MAP_NONE;

		if (e->as.file.n &&
		    pp_map_get(&entities, pp_place_key(&e->as, components, column)) == i)
			g = pp_chains_at(&m->id->chains, chain, &e->as, components, column);
		g = g < PP_CHAIN_SEVERAL ? pp_identity_find(m->id, g) : PP_MAP_NONE;
		if (g != PP_MAP_NONE && m->id->groups.at[g].seen_by != m->id->profiles &&
		    pp_path_score(e->as.file, m->id->groups.at[g].as.file))
			take(m, e, g);
		else
			b->entities.at[n++] = e;
	}
	if (!m->failed)
		b->entities.n = n;
	pp_map_release(&entities);
}

/* The same as match_bucket() for a name of so many functions that looking at all of them would take too long. */
static void
match_common(struct matching *m, struct pp_chain *chain, struct bucket *b)
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
	if (!no_file || is_anonymous(m, b->entities.at[0]))
		return;
	/* Whatever is walked here becomes one group, or was met by this profile. */
	groups_collect(m, chain, b);
	match_rest(m, b);
}

/* Whether a list may be walked, and its groups compared with so many functions: all walks together take linear time. */
static bool
can_walk(struct pp_identity *id, const struct pp_chain *chain, size_t functions)
{
	uint64_t pairs = (uint64_t)functions * chain->count;
	uint64_t steps = chain->count + (pairs < PAIRS_MOST ? pairs : PAIRS_MOST);

	if (chain->count <= PP_CHAIN_SHORT)
		return true;
	if (id->steps < steps)
		return false;
	id->steps -= steps;
	return true;
}

/* The key of a function in a pass; false if it takes no part in that. */
static bool
entity_key(struct matching *m, struct entity *e, enum pass pass, uint64_t *key)
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
match_names(struct matching *m, enum pass pass)
{
	struct pp_map first = { .seed = m->id->by_exact.seed };
	struct bucket b = { 0 };
	uint64_t key;
	size_t i;

	for (i = m->entities.n; i-- > 0 && !m->failed;) {
		struct entity *e = &m->entities.at[i];

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
			match_bucket(m, &b);
	}
	pp_vec_release(&b.entities);
	pp_vec_release(&b.groups);
	pp_map_release(&first);
}

/* ---- profiles that share their names ---------------------------------------------------- */

/* Makes room for what is known of the names of a profile; false when out of memory. */
static bool
known_open(struct pp_identity *id, const struct pp_profile *p)
{
	if (id->known.names == p->funcs.at)
		return true;
	free(id->known.group);
	id->known.names = p->funcs.at;
	id->known.group = calloc(p->funcs.n + 1, sizeof *id->known.group);
	return id->known.group != NULL;
}

/*
 * Whether each function of a profile met a group by its whole identity before, and each another one: then it does so again,
 * and nothing is left that would have to be matched by name.
 */
static bool
known_take(struct pp_identity *id, const struct pp_profile *p, uint32_t *key)
{
	size_t i;

	for (i = 1; i < p->costs.funcs.n; i++) {
		pp_func func = p->costs.funcs.at[i];
		uint32_t group = id->known.group[func];

		if (!group || id->groups.at[group].seen_by == id->profiles)
			break;
		id->groups.at[group].seen_by = id->profiles;
		key[func] = group;
	}
	if (i == p->costs.funcs.n)
		return true;
	/* They are matched by a profile of the next number. */
	id->profiles++;
	memset(key, 0, p->funcs.n * sizeof *key);
	return false;
}

static void
known_note(struct matching *m)
{
	struct pp_identity *id = m->id;
	size_t i;

	for (i = 0; i < m->entities.n && !m->failed; i++) {
		const struct entity *e = &m->entities.at[i];
		const struct pp_canonical *as = &id->groups.at[e->group].as;

		if (!e->alias && as->exact == e->as.exact && is_same_place(as, &e->as) &&
		    pp_map_get(&id->by_exact, spelling_key(&e->as, e->as.exact)) == e->group)
			id->known.group[e->func] = e->group;
	}
}

/* The functions of the profile that is being matched. */
static void
entities_add(struct matching *m)
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
	struct matching m = { .id = id, .p = p };
	unsigned pass;
	size_t i;

	id->profiles++;
	if (p->costs.shares_names) {
		if (!known_open(id, p))
			return false;
		if (known_take(id, p, key))
			return true;
	}
	entities_add(&m);
	id->steps += (uint64_t)m.entities.n * PP_CHAIN_STEPS;
	find_aliases(&m);
	for (i = 0; i < m.entities.n && !m.failed; i++) {
		struct entity *e = &m.entities.at[i];
		uint32_t g = pp_map_get(&id->by_exact, spelling_key(&e->as, e->as.exact));

		if (!e->alias && g != PP_MAP_NONE && id->groups.at[g].as.exact == e->as.exact &&
		    is_same_place(&id->groups.at[g].as, &e->as) &&
		    id->groups.at[g].seen_by != id->profiles)
			take(&m, e, g);
		m.same_build |= e->group && id->groups.at[e->group].as.is_hashed;
	}
	for (pass = BY_NAME; pass < PASSES && id->profiles > 1; pass++)
		match_names(&m, (enum pass)pass);
	for (i = 0; i < m.entities.n && !m.failed; i++) {
		struct entity *e = &m.entities.at[i];

		if (e->alias)
			e->group = m.entities.at[e->alias - 1].group;
		else if (!e->group)
			group_make(&m, e);
		if (!m.failed)
			key[e->func] = e->group;
	}
	if (p->costs.shares_names)
		known_note(&m);
	for (i = 1; i < p->funcs.n && !m.failed && !p->costs.shares_names; i++)
		key[i] = key[p->funcs.at[i].same];
	pp_vec_release(&m.entities);
	pp_buf_release(&m.part);
	return !m.failed;
}
