/*
 * Matching the functions of one name, of which one side may know places and the other may not.
 */
#include "analysis/identity_bucket.h"

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

bool
pp_entity_is_anonymous(const struct pp_matching *m, const struct pp_entity *e)
{
	return pp_name_is_anonymous(pp_strtab_get(&m->id->strs, e->as.name));
}

void
pp_entity_take(struct pp_matching *m, struct pp_entity *e, uint32_t group)
{
	e->group = group;
	m->id->groups.at[group].seen_by = m->id->profiles;
}

/* ---- matching functions of one name ----------------------------------------------------- */

static void
bucket_drop(struct pp_bucket *b, size_t entity, size_t group)
{
	b->entities.at[entity] = b->entities.at[--b->entities.n];
	b->groups.at[group] = b->groups.at[--b->groups.n];
}

/* Takes pairs that share the end of their path, best first; with the same line, column and module, or any. */
static void
match_places(struct pp_matching *m, struct pp_bucket *b, bool strictly)
{
	for (;;) {
		const struct pp_identity_group *groups = m->id->groups.at;
		size_t i, k, best_i = 0, best_k = 0;
		unsigned best = 0;

		for (i = 0; i < b->entities.n; i++)
			for (k = 0; k < b->groups.n; k++) {
				const struct pp_entity *x = b->entities.at[i];
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
		pp_entity_take(m, b->entities.at[best_i], b->groups.at[best_k]);
		bucket_drop(b, best_i, best_k);
	}
}

/* The two sides of a bucket: the functions of this profile, and the groups there are. */
enum side { ENTITIES, GROUPS };

static size_t
side_count(const struct pp_bucket *b, enum side side)
{
	return side == GROUPS ? b->groups.n : b->entities.n;
}

static const struct pp_canonical *
side_at(const struct pp_matching *m, const struct pp_bucket *b, enum side side, size_t i)
{
	return side == GROUPS ? &m->id->groups.at[b->groups.at[i]].as : &b->entities.at[i]->as;
}

static void
side_drop(struct pp_bucket *b, enum side side, size_t i)
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
coarser_offer(const struct pp_matching *m, const struct pp_bucket *b, struct coarser *best,
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
coarser_take(struct pp_matching *m, struct pp_bucket *b, const struct coarser *best)
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
		pp_entity_take(m, b->entities.at[other == GROUPS ? best->at : i], group);
		side_drop(b, other, i);
	}
	side_drop(b, best->side, best->at);
}

/*
 * Combines functions of one name and file that one profile distinguishes by line, column or module
 * if the other profile knows only the file.
 */
static void
match_coarser(struct pp_matching *m, struct pp_bucket *b)
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
any_without_file(const struct pp_matching *m, const struct pp_bucket *b)
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

void
pp_bucket_places(struct pp_matching *m, const struct pp_bucket *b, unsigned components, bool column,
                 struct pp_map *places)
{
	size_t i;

	for (i = 0; i < b->entities.n && !m->failed; i++)
		m->failed = !pp_place_enter(
		    places, pp_place_key(&b->entities.at[i]->as, components, column), (uint32_t)i);
}

/* Matches functions that are alone on each side with their line and the end of their path. */
static void
match_by_key(struct pp_matching *m, struct pp_bucket *b, unsigned components, bool column)
{
	struct pp_map groups = { .seed = m->id->by_exact.seed }, entities = { .seed = groups.seed };
	size_t i, k, n = 0;

	for (k = 0; k < b->groups.n && !m->failed; k++)
		m->failed = !pp_place_enter(
		    &groups,
		    pp_place_key(&m->id->groups.at[b->groups.at[k]].as, components, column),
		    (uint32_t)k);
	pp_bucket_places(m, b, components, column, &entities);
	for (i = 0; i < b->entities.n && !m->failed; i++) {
		struct pp_entity *e = b->entities.at[i];
		uint64_t key = pp_place_key(&e->as, components, column);
		uint32_t at = pp_map_get(&groups, key);

		if (e->as.file.n && at < PP_CHAIN_SEVERAL && pp_map_get(&entities, key) == i &&
		    pp_path_score(e->as.file, m->id->groups.at[b->groups.at[at]].as.file)) {
			pp_entity_take(m, e, b->groups.at[at]);
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
is_apart(const struct pp_matching *m, const struct pp_bucket *b)
{
	size_t i, k;

	if (!pp_entity_is_anonymous(m, b->entities.at[0]))
		return false;
	for (i = 0; i < b->entities.n; i++)
		for (k = 0; k < b->groups.n; k++)
			if (!pp_canonical_can_meet(&b->entities.at[i]->as,
			                           &m->id->groups.at[b->groups.at[k]].as))
				return true;
	return false;
}

void
pp_bucket_rest(struct pp_matching *m, struct pp_bucket *b)
{
	size_t i;

	if (b->entities.n == 0 || b->groups.n == 0)
		return;
	if ((b->entities.n > 1 || b->groups.n > 1) && !any_without_file(m, b))
		return;
	if (b->entities.n * b->groups.n <= PP_BUCKET_PAIRS && is_apart(m, b))
		return;
	for (i = 1; i < b->groups.n; i++)
		unite(m->id, b->groups.at[0], b->groups.at[i]);
	for (i = 0; i < b->entities.n; i++)
		pp_entity_take(m, b->entities.at[i], b->groups.at[0]);
}

void
pp_bucket_match(struct pp_matching *m, struct pp_bucket *b)
{
	unsigned components, column;

	for (column = 2; column-- > 0;)
		for (components = PP_CHAIN_COMPONENTS;
		     components > 0 && b->entities.n * b->groups.n > PP_BUCKET_PAIRS; components--)
			match_by_key(m, b, components, column);
	if (b->entities.n * b->groups.n <= PP_BUCKET_PAIRS) {
		match_places(m, b, true);
		match_coarser(m, b);
		match_places(m, b, false);
	}
	pp_bucket_rest(m, b);
}
