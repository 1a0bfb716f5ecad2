/*
 * Who holds what, by class: objects of one class that are held by objects of the same class and place are one node, so that the
 * total of a node is what its objects retain.
 *
 * Lists and trees of objects are as deep as they are long. An object whose class is above it already goes to the node of that class,
 * where that changes no class's total: when no class begins between the two. Of a list of A that hold B that hold A there is left
 * A, B, A; all others are added to those.
 */
#include "formats/heapsnapshot/snapshot.h"

/* How far above itself an object looks for its class. */
#define WINDOW 256

struct spot {
	pp_frame frame;
	uint32_t parent;
	bool first;  /* of its class on the way from the root, or not known to be otherwise */
	bool needed; /* there are objects at it or below */
	uint64_t size, objects;
};

struct spots {
	struct snapshot *s;
	PP_VEC(struct spot) list;
	struct pp_map below; /* spot << 32 | frame: where objects of that class go that it holds */
	uint32_t unheld;     /* the spot of what the root does not hold; 0 = none yet */
};

/* Where objects of a class go below a spot, when that is seen for the first time; 0 when out of memory. */
static PP_NOINLINE uint32_t
spot_choose(struct spots *p, uint32_t above, pp_frame frame)
{
	uint32_t at = above, steps, chosen = 0;
	bool folds = true, first = true;

	for (steps = 0; at && steps < WINDOW; steps++, at = p->list.at[at].parent) {
		if (p->list.at[at].frame == frame) {
			first = false;
			chosen = folds ? at : 0;
			break;
		}
		folds = folds && !p->list.at[at].first;
	}
	if (!chosen) {
		chosen = (uint32_t)p->list.n;
		if (!pp_vec_push(&p->list,
		                 (struct spot){ .frame = frame, .parent = above, .first = first }))
			return 0;
	}
	return pp_map_set(&p->below, (uint64_t)above << 32 | frame, chosen) ? chosen : 0;
}

static inline uint32_t
spot_below(struct spots *p, uint32_t above, pp_frame frame)
{
	uint32_t spot;

	/* Neighbours are mostly alike. */
	if (p->list.at[above].frame == frame)
		return above;
	spot = pp_map_get(&p->below, (uint64_t)above << 32 | frame);
	return PP_LIKELY(spot != PP_MAP_NONE) ? spot : spot_choose(p, above, frame);
}

static uint32_t
spot_unheld(struct spots *p)
{
	struct pp_builder *b = p->s->doc.b;

	if (!p->unheld)
		p->unheld = spot_below(
		    p, 0,
		    pp_snapshot_frame(
		        p->s, (struct pp_func_row){ .name = pp_build_strz(b, "(unreachable)"),
		                                    .flags = PP_FUNC_PSEUDO }));
	return p->unheld;
}

/* Puts an object below a spot; returns where it is. */
static uint32_t
object_put(struct spots *p, uint32_t node, uint32_t above)
{
	const struct snapshot *s = p->s;
	uint64_t size = s->size[node];
	uint32_t at = above;
	struct spot *spot;

	if (s->name[node] && !(at = spot_below(p, above, s->name[node]))) {
		pp_builder_fail(s->doc.b, PP_E_NOMEM, NULL);
		return 0;
	}
	spot = &p->list.at[at];
	if (__builtin_add_overflow(spot->size, size, &spot->size))
		spot->size = UINT64_MAX;
	spot->objects += size != 0;
	return at;
}

static void
objects_put(struct spots *p, uint32_t *at)
{
	struct snapshot *s = p->s;
	struct pp_builder *b = s->doc.b;
	uint32_t i;

	at[0] = 0;
	for (i = 1; i < s->reached && pp_builder_ok(b); i++) {
		uint32_t above = at[s->dom[i]];

		if (PP_UNLIKELY(s->dom[i] == 0 && i >= s->held))
			above = spot_unheld(p);
		at[i] = object_put(p, s->vertex[i], above);
		if ((i & SNAPSHOT_STEP) == 0)
			(void)pp_builder_goes_on(b);
	}
	for (i = 0; s->reached < s->nodes && i < s->nodes && pp_builder_ok(b); i++)
		if (!(s->state[i] & SNAPSHOT_REACHED))
			(void)object_put(p, i, spot_unheld(p));
}

/* Marks what holds anything: parts of the root may be empty. */
static void
spots_count(struct spots *p)
{
	size_t i;

	for (i = p->list.n; i-- > 1;) {
		struct spot *spot = &p->list.at[i];

		spot->needed |= spot->objects != 0;
		p->list.at[spot->parent].needed |= spot->needed;
	}
}

static void
spots_build(struct spots *p, uint32_t series, uint32_t size, uint32_t objects)
{
	struct pp_builder *b = p->s->doc.b;
	pp_node *node = malloc(p->list.n * sizeof *node);
	size_t i;

	if (!node)
		pp_builder_fail(b, PP_E_NOMEM, NULL);
	for (i = 0; i < p->list.n && pp_builder_ok(b); i++) {
		const struct spot *spot = &p->list.at[i];

		if (i && !spot->needed)
			continue;
		node[i] = i ? pp_build_child(b, node[spot->parent], spot->frame) : 0;
		if (!spot->objects)
			continue;
		if (spot->size > INT64_MAX ||
		    !pp_build_add(b, series, node[i], size, (int64_t)spot->size))
			pp_builder_overflow(b, i ? pp_node_func(b->profile, node[i]) : 0, size,
			                    PP_NOWHERE);
		(void)pp_build_add(b, series, node[i], objects, (int64_t)spot->objects);
	}
	free(node);
}

void
pp_snapshot_tree(struct snapshot *s, uint32_t series, uint32_t size, uint32_t objects)
{
	struct spots p = { .s = s, .below.seed = s->doc.reader->seed };
	uint32_t *at = malloc(s->nodes * sizeof *at);

	if (!at || !pp_vec_push(&p.list, (struct spot){ .objects = s->size[s->root] != 0,
	                                                .size = s->size[s->root] }))
		pp_builder_fail(s->doc.b, PP_E_NOMEM, NULL);
	else
		objects_put(&p, at);
	free(at);
	spots_count(&p);
	if (pp_builder_ok(s->doc.b))
		spots_build(&p, series, size, objects);
	pp_vec_release(&p.list);
	pp_map_release(&p.below);
}
