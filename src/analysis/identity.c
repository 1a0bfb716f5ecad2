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
	uint32_t next; /* next entity of the same name; PP_MAP_NONE ends */
};

struct matching {
	struct pp_identity *id;
	const struct pp_profile *p;
	PP_VEC(struct entity) entities;
	struct pp_buf loose; /* scratch */
	bool failed;
};

bool
pp_identity_init(struct pp_identity *id, uint64_t seed)
{
	*id = (struct pp_identity){ .by_exact = { .seed = seed },
		                    .by_name = { .seed = seed },
		                    .by_loose = { .seed = seed } };
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
	pp_map_release(&id->by_name);
	pp_map_release(&id->by_loose);
	pp_buf_release(&id->scratch);
	free(id->known.group);
	id->known.group = NULL;
}

uint32_t
pp_identity_find(const struct pp_identity *id, uint32_t group)
{
	while (id->groups.at[group].same != group)
		group = id->groups.at[group].same;
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
	struct pp_buf loose = m->loose;

	pp_canonical_name(pp_text_of(p, f->name), pp_text_of(p, f->file), f->line, text, &e.as.file,
	                  &e.as.line);
	e.as.name = intern(m, pp_slice_of(text->p, text->n));
	pp_loose_name(pp_slice_of(text->p, text->n), &loose);
	e.as.loose = loose.n && !pp_slice_eq(pp_slice_of(loose.p, loose.n),
	                                     pp_slice_of(text->p, text->n))
	                 ? intern(m, pp_slice_of(loose.p, loose.n))
	                 : e.as.name;
	e.as.exact = pp_slice_eq(pp_slice_of(text->p, text->n), pp_text_of(p, f->name))
	                 ? e.as.name
	                 : intern(m, pp_text_of(p, f->name));
	/* A place that the name told has no column. */
	e.as.column = e.as.line == f->line ? f->column : 0;
	e.as.module = intern(m, pp_text_of(p, p->modules.at[f->module].name));
	m->failed |= text->failed || loose.failed || !pp_vec_push(&m->entities, e);
	m->loose = loose; /* keeps its room */
}

static bool
is_anonymous(const struct matching *m, const struct entity *e)
{
	struct pp_slice name = pp_strtab_get(&m->id->strs, e->as.name);
	const char class[] = "class@anonymous";

	return name.n >= sizeof class - 1 && memcmp(name.p, class, sizeof class - 1) == 0;
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
	struct pp_map first = { .seed = m->id->by_name.seed };
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
		/* What anonymous classes extend is all there is to tell them apart without a place. */
		if (e->as.file.n == 0 && is_anonymous(m, e))
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

static void
group_make(struct matching *m, struct entity *e)
{
	struct pp_identity *id = m->id;
	struct pp_identity_group g = { .as = e->as,
		                       .same = (uint32_t)id->groups.n,
		                       .next = pp_map_get(&id->by_name, e->as.name),
		                       .next_loose = pp_map_get(&id->by_loose, e->as.loose) };

	m->failed |= !pp_vec_push(&id->groups, g) ||
	             !pp_map_set(&id->by_exact, spelling_key(&e->as, e->as.exact), g.same) ||
	             !pp_map_set(&id->by_name, e->as.name, g.same) ||
	             !pp_map_set(&id->by_loose, e->as.loose, g.same);
	if (!m->failed)
		take(m, e, g.same);
}

/* ---- matching functions of one name ----------------------------------------------------- */

/* The functions of one canonical (or loose) name that are still alone, and the groups of that name. */
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

/* -1, 0, 1 for two pairs of strings, whichever of a pair comes first: so that both ways round give the same. */
static int
compare_pairs(struct pp_slice a, struct pp_slice b, struct pp_slice c, struct pp_slice d)
{
	bool ab = pp_slice_cmp(a, b) <= 0, cd = pp_slice_cmp(c, d) <= 0;
	int order = pp_slice_cmp(ab ? a : b, cd ? c : d);

	return order ? order : pp_slice_cmp(ab ? b : a, cd ? d : c);
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Whether e and g are to meet rather than e2 and g2, when their paths agree equally well. */
static bool
goes_first(const struct matching *m, const struct pp_canonical *e, const struct pp_canonical *g,
           const struct pp_canonical *e2, const struct pp_canonical *g2)
{
	const struct pp_strtab *strs = &m->id->strs;
	int order;

	if ((e->exact == g->exact) != (e2->exact == g2->exact))
		return e->exact == g->exact;
	order = compare_pairs(e->file, g->file, e2->file, g2->file);
	if (!order)
		order = compare_pairs(pp_strtab_get(strs, e->exact), pp_strtab_get(strs, g->exact),
		                      pp_strtab_get(strs, e2->exact),
		                      pp_strtab_get(strs, g2->exact));
	if (!order)
		order = compare_pairs(
		    pp_strtab_get(strs, e->module), pp_strtab_get(strs, g->module),
		    pp_strtab_get(strs, e2->module), pp_strtab_get(strs, g2->module));
	if (!order) {
		uint32_t near = distance(e->line, g->line), near2 = distance(e2->line, g2->line);
		uint64_t sum = (uint64_t)e->line + g->line;

		if (near != near2)
			return near < near2;
		if (sum != (uint64_t)e2->line + g2->line)
			return sum < (uint64_t)e2->line + g2->line;
		near = distance(e->column, g->column);
		near2 = distance(e2->column, g2->column);
		if (near != near2)
			return near < near2;
		return (uint64_t)e->column + g->column < (uint64_t)e2->column + g2->column;
	}
	return order < 0;
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
				     goes_first(m, &x->as, &y->as, &b->entities.at[best_i]->as,
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

/* How well the paths agree of one that lacks line, column or module and one that has them; 0 when that is not so. */
static unsigned
coarser_score(const struct pp_canonical *a, const struct pp_canonical *finer)
{
	bool lineless = a->line == 0 && finer->line != 0;
	bool columnless = a->column == 0 && finer->column != 0;
	bool moduleless = a->module == 0 && finer->module != 0;

	if ((!lineless && a->line != finer->line) || (!columnless && a->column != finer->column) ||
	    (!moduleless && a->module != finer->module) ||
	    (!lineless && !columnless && !moduleless))
		return 0;
	return pp_path_score(a->file, finer->file);
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
		unsigned score = coarser_score(as, side_at(m, b, !offer.side, i));

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

		if (coarser_score(&as, side_at(m, b, other, i)) != best->score) {
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
#define SEVERAL (PP_MAP_NONE - 1)

/* Of the last components of a path, with the line, and the column or not. */
static uint64_t
place_key(const struct pp_canonical *as, unsigned components, bool column)
{
	size_t start = as->file.n;

	while (start > 0 && (as->file.p[start - 1] != '/' || --components > 0))
		start--;
	return pp_mix(pp_hash_bytes(as->file.p + start, as->file.n - start, 1),
	              PP_HASH_K1 ^ ((uint64_t)(column ? as->column : 0) << 32 | as->line));
}

static bool
key_enter(struct pp_map *map, uint64_t key, uint32_t at)
{
	return pp_map_set(map, key, pp_map_get(map, key) == PP_MAP_NONE ? at : SEVERAL);
}

/* Those that are the only one on each side with that line and that end of their path meet. */
static void
match_by_key(struct matching *m, struct bucket *b, unsigned components, bool column)
{
	struct pp_map groups = { .seed = m->id->by_name.seed }, entities = { .seed = groups.seed };
	size_t i, k, n = 0;

	for (k = 0; k < b->groups.n && !m->failed; k++)
		m->failed = !key_enter(
		    &groups, place_key(&m->id->groups.at[b->groups.at[k]].as, components, column),
		    (uint32_t)k);
	for (i = 0; i < b->entities.n && !m->failed; i++)
		m->failed = !key_enter(
		    &entities, place_key(&b->entities.at[i]->as, components, column), (uint32_t)i);
	for (i = 0; i < b->entities.n && !m->failed; i++) {
		struct entity *e = b->entities.at[i];
		uint64_t key = place_key(&e->as, components, column);
		uint32_t at = pp_map_get(&groups, key);

		if (e->as.file.n && at < SEVERAL && pp_map_get(&entities, key) == i &&
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

static void
match_bucket(struct matching *m, struct bucket *b)
{
	unsigned components, column;
	size_t i;

	for (column = 2; column-- > 0;)
		for (components = 4; components > 0 && b->entities.n * b->groups.n > PAIRS_MOST;
		     components--)
			match_by_key(m, b, components, column);
	if (b->entities.n * b->groups.n <= PAIRS_MOST) {
		match_places(m, b, true);
		match_coarser(m, b);
		match_places(m, b, false);
	}
	if (b->entities.n == 0 || b->groups.n == 0)
		return;
	if (b->entities.n > 1 || b->groups.n > 1) {
		/* Who tells places apart, and who does not? Without places all are one. */
		if (!any_without_file(m, b))
			return;
		for (i = 1; i < b->groups.n; i++)
			unite(m->id, b->groups.at[0], b->groups.at[i]);
	}
	for (i = 0; i < b->entities.n; i++)
		take(m, b->entities.at[i], b->groups.at[0]);
}

/* Matches what is left by one kind of name; `entities` are chained through `next` by that name. */
static void
match_names(struct matching *m, bool loose)
{
	struct pp_identity *id = m->id;
	struct pp_map first = { .seed = id->by_name.seed };
	struct bucket b = { 0 };
	size_t i;

	for (i = m->entities.n; i-- > 0 && !m->failed;) {
		struct entity *e = &m->entities.at[i];
		pp_str name = loose ? e->as.loose : e->as.name;

		if (e->group || e->alias)
			continue;
		e->next = pp_map_get(&first, name);
		m->failed |= !pp_map_set(&first, name, (uint32_t)i);
	}
	for (i = 0; i < m->entities.n && !m->failed; i++) {
		struct entity *e = &m->entities.at[i];
		pp_str name = loose ? e->as.loose : e->as.name;
		uint32_t at, g;

		if (e->group || e->alias || pp_map_get(&first, name) != i)
			continue;
		b.entities.n = b.groups.n = 0;
		for (at = (uint32_t)i; at != PP_MAP_NONE; at = m->entities.at[at].next)
			m->failed |= !pp_vec_push(&b.entities, &m->entities.at[at]);
		for (g = pp_map_get(loose ? &id->by_loose : &id->by_name, name); g != PP_MAP_NONE;
		     g = loose ? id->groups.at[g].next_loose : id->groups.at[g].next)
			if (id->groups.at[g].seen_by != id->profiles && id->groups.at[g].same == g)
				m->failed |= !pp_vec_push(&b.groups, g);
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
	size_t i;

	id->profiles++;
	if (p->costs.shares_names) {
		if (!known_open(id, p))
			return false;
		if (known_take(id, p, key))
			return true;
	}
	entities_add(&m);
	find_aliases(&m);
	for (i = 0; i < m.entities.n && !m.failed; i++) {
		struct entity *e = &m.entities.at[i];
		uint32_t g = pp_map_get(&id->by_exact, spelling_key(&e->as, e->as.exact));

		if (!e->alias && g != PP_MAP_NONE && id->groups.at[g].as.exact == e->as.exact &&
		    is_same_place(&id->groups.at[g].as, &e->as) &&
		    id->groups.at[g].seen_by != id->profiles)
			take(&m, e, g);
	}
	if (id->profiles > 1) {
		match_names(&m, false);
		match_names(&m, true);
	}
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
	pp_buf_release(&m.loose);
	return !m.failed;
}
