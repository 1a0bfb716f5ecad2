/*
 * Plain objects told apart by their properties: "{id, name}" says more than "Object".
 *
 * By the rules of Chrome's developer tools, so that classes are the same: the first properties of each object, up to a length, are a
 * candidate; those that one object in a thousand has, and two at least, are classes; an object belongs to the one whose properties it
 * has all of, to the one of most properties if there are several, and among those to the most frequent.
 */
#include "base/sort.h"
#include "formats/heapsnapshot/snapshot.h"

#define NAME_MOST 120
#define OBJECTS_LEAST 2
#define OBJECTS_PER_CLASS 1000

/* A list of properties, in their order. */
struct shape {
	uint32_t node; /* the first object that has it */
	uint32_t objects;
	uint32_t class; /* + 1 */
};

/* A class that may be: the first properties of some shape. */
struct candidate {
	uint32_t node, properties;
	uint32_t place; /* by first appearance */
	uint32_t objects;
	uint32_t next; /* + 1: of those found by the same property */
	pp_frame frame;
};

struct shapes {
	struct snapshot *s;
	PP_VEC(struct shape) list;
	struct pp_slots found;
	PP_VEC(struct candidate) candidates;
	struct pp_slots named;
	uint64_t total; /* plain objects */
	uint32_t
	    *seen; /* by string: how many objects have it, then the shape that had it last, + 1 */
	struct pp_map by_property;
	struct pp_buf name;
};

static inline bool
is_property(const struct snapshot *s, uint32_t e)
{
	return s->link[e] == SNAPSHOT_PROPERTY && s->label[e] < s->strings.n &&
	       s->words.at[s->label[e]] != SNAPSHOT_IS_PROTO;
}

/* The next property of an object, from an edge on; the end of its edges when there is none. */
static inline uint32_t
property_next(const struct snapshot *s, uint32_t e, uint32_t end)
{
	while (e < end && !is_property(s, e))
		e++;
	return e;
}

/* Whether two objects have the same properties, of which the first `most` count. */
static bool
same_properties(const struct snapshot *s, uint32_t a, uint32_t b, uint32_t most)
{
	uint32_t a_end = s->first[a + 1], b_end = s->first[b + 1];
	uint32_t i = property_next(s, s->first[a], a_end), j = property_next(s, s->first[b], b_end);

	for (; most && i < a_end && j < b_end && s->label[i] == s->label[j]; most--) {
		i = property_next(s, i + 1, a_end);
		j = property_next(s, j + 1, b_end);
	}
	return most == 0 || (i == a_end && j == b_end);
}

static uint32_t
properties_tag(const struct snapshot *s, uint32_t node, uint32_t most)
{
	uint64_t hash = s->doc.reader->seed;
	uint32_t e = s->first[node], end = s->first[node + 1];

	for (; (e = property_next(s, e, end)) < end && most; e++, most--)
		hash = pp_mix(hash ^ s->label[e], PP_HASH_K2);
	return (uint32_t)(pp_mix(hash, PP_HASH_K1) >> 32);
}

/* ---- candidates ---- */

/* How many code units of UTF-16 a text has. */
static size_t
units_of(struct pp_slice text)
{
	size_t i, n = 0;

	for (i = 0; i < text.n; i++)
		n += (text.p[i] >= 0xf0 ? 2u : (text.p[i] & 0xc0) != 0x80);
	return n;
}

/* Appends a property as names have it: quoted where it could be taken for several. */
static void
property_put(struct snapshot *s, uint32_t string, struct pp_buf *out)
{
	struct pp_slice text = pp_build_json_text(s->doc.b, pp_snapshot_string(s, string),
	                                          &s->doc.arena);
	size_t i;

	for (i = 0; i < text.n && !memchr(",'\"{}", text.p[i], 5); i++)
		;
	if (i == text.n) {
		pp_buf_add(out, text.p, text.n);
		return;
	}
	pp_buf_addc(out, '"');
	for (i = 0; i < text.n; i++)
		if (text.p[i] == '"' || text.p[i] == '\\')
			pp_buf_addf(out, "\\%c", text.p[i]);
		else if (text.p[i] < 0x20)
			pp_buf_addf(out, "\\u%04x", text.p[i]);
		else
			pp_buf_addc(out, (char)text.p[i]);
	pp_buf_addc(out, '"');
}

/* The name of an object's first properties, up to `most` of them or a length; returns how many they are. */
static uint32_t
candidate_name(struct shapes *h, uint32_t node, uint32_t most)
{
	struct snapshot *s = h->s;
	uint32_t e = s->first[node], end = s->first[node + 1], n = 0;
	size_t length = 1;

	h->name.n = 0;
	pp_buf_addc(&h->name, '{');
	for (; n < most && (e = property_next(s, e, end)) < end; e++, n++) {
		size_t before = h->name.n, units;

		if (length != 1)
			pp_buf_adds(&h->name, ", ");
		property_put(s, s->label[e], &h->name);
		if (h->name.failed)
			return 0;
		units = units_of(pp_slice_of(h->name.p + before, h->name.n - before));
		if (length > 1 && length + units - 2 > NAME_MOST) {
			h->name.n = before;
			break;
		}
		length += units;
	}
	pp_buf_addc(&h->name, '}');
	return n;
}

static bool
candidate_add(struct shapes *h, const struct shape *shape)
{
	uint32_t n = candidate_name(h, shape->node, UINT32_MAX), tag, row;
	size_t at;

	if (n == 0)
		return !h->name.failed;
	tag = properties_tag(h->s, shape->node, n);
	for (at = pp_slots_begin(&h->named, tag); (row = pp_slots_next(&h->named, tag, &at));) {
		struct candidate *c = &h->candidates.at[row - 1];

		if (c->properties == n && same_properties(h->s, c->node, shape->node, n)) {
			c->objects += shape->objects;
			return true;
		}
	}
	if (!pp_slots_reserve(&h->named, 1) ||
	    !pp_vec_push(&h->candidates, (struct candidate){ .node = shape->node,
	                                                     .properties = n,
	                                                     .place = (uint32_t)h->candidates.n,
	                                                     .objects = shape->objects }))
		return false;
	pp_slots_put(&h->named, tag, (uint32_t)h->candidates.n);
	return true;
}

static int
candidate_cmp(const void *a, const void *b, void *ctx)
{
	const struct candidate *x = a, *y = b;

	(void)ctx;
	if (x->objects != y->objects)
		return x->objects < y->objects ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* ---- shapes ---- */

static bool
shape_of(struct shapes *h, uint32_t node)
{
	struct snapshot *s = h->s;
	uint32_t tag = properties_tag(s, node, UINT32_MAX), row;
	size_t at;

	for (at = pp_slots_begin(&h->found, tag); (row = pp_slots_next(&h->found, tag, &at));)
		if (same_properties(s, h->list.at[row - 1].node, node, UINT32_MAX))
			break;
	if (!row) {
		if (!pp_slots_reserve(&h->found, 1) ||
		    !pp_vec_push(&h->list, (struct shape){ .node = node }))
			return false;
		row = (uint32_t)h->list.n;
		pp_slots_put(&h->found, tag, row);
	}
	h->list.at[row - 1].objects++;
	h->total++;
	s->state[node] |= SNAPSHOT_SHAPED;
	s->name[node] = row - 1;
	return true;
}

static bool
shapes_collect(struct shapes *h)
{
	struct snapshot *s = h->s;
	uint32_t i;

	for (i = 0; i < s->nodes; i++) {
		if (pp_snapshot_kind(s, i) == SNAPSHOT_OBJECT &&
		    pp_snapshot_word(s, s->name[i]) == SNAPSHOT_IS_OBJECT && !shape_of(h, i))
			return false;
		if ((i & SNAPSHOT_STEP) == 0 && !pp_builder_goes_on(s->doc.b))
			return false;
	}
	return true;
}

/* Leaves the candidates that are classes, most frequent first. */
static bool
candidates_pick(struct shapes *h)
{
	size_t i;

	for (i = 0; i < h->list.n; i++)
		if (!candidate_add(h, &h->list.at[i]))
			return false;
	pp_sort(h->candidates.at, h->candidates.n, sizeof *h->candidates.at, candidate_cmp, NULL);
	for (i = 0; i < h->candidates.n; i++) {
		uint32_t n = h->candidates.at[i].objects;

		if (n < OBJECTS_LEAST || (uint64_t)n * OBJECTS_PER_CLASS < h->total)
			break;
	}
	h->candidates.n = i;
	return true;
}

/* Classes are found by the property that fewest of them have. */
static bool
candidates_index(struct shapes *h)
{
	struct snapshot *s = h->s;
	size_t i;

	for (i = 0; i < h->candidates.n; i++) {
		uint32_t e = s->first[h->candidates.at[i].node], n = h->candidates.at[i].properties;

		for (; n; n--, e++) {
			e = property_next(s, e, SNAPSHOT_NONE);
			h->seen[s->label[e]]++;
		}
	}
	for (i = h->candidates.n; i-- > 0;) {
		struct candidate *c = &h->candidates.at[i];
		uint32_t e = s->first[c->node], n = c->properties, rarest = SNAPSHOT_NONE, other;

		for (; n; n--, e++) {
			e = property_next(s, e, SNAPSHOT_NONE);
			if (rarest == SNAPSHOT_NONE || h->seen[s->label[e]] < h->seen[rarest])
				rarest = s->label[e];
		}
		other = pp_map_get(&h->by_property, rarest);
		c->next = other == PP_MAP_NONE ? 0 : other + 1;
		if (!pp_map_set(&h->by_property, rarest, (uint32_t)i))
			return false;
	}
	memset(h->seen, 0, s->strings.n * sizeof *h->seen);
	return true;
}

/* Whether the shape whose properties are marked has all of a class. */
static bool
candidate_fits(const struct shapes *h, const struct candidate *c, uint32_t mark)
{
	const struct snapshot *s = h->s;
	uint32_t e = s->first[c->node], n;

	for (n = c->properties; n; n--, e++) {
		e = property_next(s, e, SNAPSHOT_NONE);
		if (h->seen[s->label[e]] != mark)
			return false;
	}
	return true;
}

static void
shape_classify(struct shapes *h, uint32_t row)
{
	struct snapshot *s = h->s;
	struct shape *shape = &h->list.at[row];
	uint32_t first = s->first[shape->node], end = s->first[shape->node + 1], e, at, best = 0;

	for (e = first; (e = property_next(s, e, end)) < end; e++)
		h->seen[s->label[e]] = row + 1;
	for (e = first; (e = property_next(s, e, end)) < end; e++) {
		at = pp_map_get(&h->by_property, s->label[e]);
		for (at = at == PP_MAP_NONE ? 0 : at + 1; at; at = h->candidates.at[at - 1].next) {
			const struct candidate *c = &h->candidates.at[at - 1];
			uint32_t most = best ? h->candidates.at[best - 1].properties : 0;

			if ((c->properties > most || (c->properties == most && at < best)) &&
			    candidate_fits(h, c, row + 1))
				best = at;
		}
	}
	shape->class = best;
}

static bool
shapes_name(struct shapes *h, struct snapshot_shapes *out)
{
	struct pp_builder *b = h->s->doc.b;
	pp_frame plain = pp_build_frame_named(b, pp_slice_z("Object"));
	uint32_t i;

	for (i = 0; i < h->list.n; i++) {
		struct candidate *c;
		uint32_t class;

		shape_classify(h, i);
		class = h->list.at[i].class;
		c = class ? &h->candidates.at[class - 1] : NULL;
		if (c && !c->frame) {
			(void)candidate_name(h, c->node, c->properties);
			if (h->name.failed)
				return false;
			c->frame = pp_build_frame_named(b, pp_slice_of(h->name.p, h->name.n));
		}
		if (!pp_vec_push(&out->class, c ? c->frame : plain))
			return false;
		if ((i & 1023) == 0 && !pp_builder_goes_on(b))
			return false;
	}
	return true;
}

bool
pp_snapshot_shapes(struct snapshot *s, struct snapshot_shapes *out)
{
	struct shapes h = { .s = s, .by_property.seed = s->doc.reader->seed };
	bool fine;

	h.seen = calloc(s->strings.n + 1, sizeof *h.seen);
	fine = h.seen && pp_slots_init(&h.found, 8, NULL) && pp_slots_init(&h.named, 8, NULL) &&
	       shapes_collect(&h) && candidates_pick(&h) && candidates_index(&h) &&
	       shapes_name(&h, out);
	free(h.seen);
	pp_slots_release(&h.found);
	pp_slots_release(&h.named);
	pp_map_release(&h.by_property);
	pp_vec_release(&h.list);
	pp_vec_release(&h.candidates);
	pp_buf_release(&h.name);
	return fine;
}
