/*
 * Stacks that wait, and dividing them.
 */
#include "model/held.h"

#include "base/hash.h"
#include "model/profile.h"

/* Stacks that came lately are known again: so many places are looked at. */
#define RECENT_BITS 16
/* How far ahead the next frames of stacks are fetched. */
#define AHEAD 12
#define ENDS_HERE UINT32_MAX
#define THIN SIZE_MAX
/* Rests [begin, end) that lie below a path which ends with that name. */
struct part {
	size_t begin, end;
	pp_str name;
};

/* What follows the path in work. */
struct child {
	pp_str name;
	uint32_t stacks;
	size_t next; /* where its next rest goes, or THIN */
	uint64_t sum[PP_HELD_COLUMNS];
};

struct divider {
	struct pp_held *h;
	pp_str *name_of;    /* by frame */
	uint32_t *child_of; /* by name: its place among children + 1 */
	PP_VEC(struct pp_held_walk) rests;
	PP_VEC(struct pp_held_walk) sorted;
	PP_VEC(uint32_t) places; /* by rest of the part in work: its child */
	PP_VEC(struct child) children;
	PP_VEC(struct part) parts; /* still to be divided */
	double limit[PP_HELD_COLUMNS];
};

/* ---- keeping ---------------------------------------------------------------------------- */

struct pp_held *
pp_held_new(size_t columns, uint64_t seed)
{
	struct pp_held *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->columns = columns;
	h->seed = seed;
	h->recent = calloc((size_t)1 << RECENT_BITS, sizeof *h->recent);
	if (h->recent)
		return h;
	free(h);
	return NULL;
}

void
pp_held_free(struct pp_held *h)
{
	if (!h)
		return;
	pp_vec_release(&h->units);
	pp_vec_release(&h->stacks);
	pp_vec_release(&h->values);
	pp_vec_release(&h->used);
	pp_vec_release(&h->frames);
	free(h->recent);
	free(h);
}

/* Units of a word: hashes are made of whole ones, so that there is room for as many behind the last stack. */
#define WORD_UNITS (sizeof(uint64_t) / sizeof(uint16_t))

/* Writes the frames of a stack behind the others; there is room. Without branches, since nobody could foresee them. */
static void
units_write(struct pp_held *h, const pp_frame *frames, size_t depth)
{
	uint16_t *to = h->units.at + h->units.n;
	size_t i;

	for (i = 0; i < depth; i++) {
		uint32_t frame = frames[i], is_long = frame >= PP_HELD_LONG, all = 0u - is_long;

		h->used.at[frame] = 1;
		to[0] = (uint16_t)((frame & ~all) | ((frame >> 16 | PP_HELD_LONG) & all));
		/* Of a short one, the next is written over this. */
		to[1] = (uint16_t)frame;
		to += 1 + is_long;
	}
	/* Whoever reads the last one may look at the unit behind it. */
	memset(to, 0, WORD_UNITS * sizeof *to);
	h->units.n = (size_t)(to - h->units.at);
}

/* The hash of the units from `first` on. */
static uint64_t
units_hash(const struct pp_held *h, size_t first)
{
	uint64_t hash = h->seed, word;

	for (; first < h->units.n; first += WORD_UNITS) {
		memcpy(&word, h->units.at + first, sizeof word);
		hash = pp_mix(hash ^ word, PP_HASH_K1);
	}
	return hash;
}

/* The same stack if it came lately; NULL when it is new. */
static int64_t *
known_find(const struct pp_held *h, const struct pp_held_recent *r, uint32_t tag, size_t first,
           size_t depth)
{
	const struct pp_held_stack *s = r->stack && r->tag == tag ? &h->stacks.at[r->stack - 1]
	                                                          : NULL;
	size_t n = h->units.n - first;

	if (!s || s->depth != depth || s->at + n > first ||
	    (n && memcmp(h->units.at + s->at, h->units.at + first, n * sizeof *h->units.at) != 0))
		return NULL;
	return h->values.at + (r->stack - 1) * h->columns;
}

/* Room for marks of all frames of a stack; false when out of memory. */
static bool
used_reserve(struct pp_held *h, const pp_frame *frames, size_t depth)
{
	size_t most = 0, i;

	for (i = 0; i < depth; i++)
		most = frames[i] > most ? frames[i] : most;
	if (PP_LIKELY(most < h->used.n))
		return true;
	if (!pp_vec_reserve(&h->used, most + 1))
		return false;
	memset(h->used.at + h->used.n, 0, h->used.cap - h->used.n);
	h->used.n = h->used.cap;
	return true;
}

enum pp_held_result
pp_held_add(struct pp_held *h, const pp_frame *frames, size_t depth, const int64_t *values)
{
	size_t first = h->units.n, m;
	struct pp_held_recent *recent;
	uint64_t hash;
	int64_t *known;

	/* Frames of 31 bits fit two units; more have no room in memory. */
	for (m = 0; m < h->columns; m++)
		if (values[m] < 0 || h->total[m] + (uint64_t)values[m] > INT64_MAX)
			return PP_HELD_NOT;
	if (h->stacks.n >= UINT32_MAX - 1 || !used_reserve(h, frames, depth) ||
	    !pp_vec_reserve(&h->units, first + 2 * depth + WORD_UNITS) ||
	    !pp_vec_reserve(&h->stacks, h->stacks.n + 1) ||
	    !pp_vec_reserve(&h->values, h->values.n + h->columns))
		return PP_HELD_NO_MEMORY;
	units_write(h, frames, depth);
	hash = units_hash(h, first);
	recent = &h->recent[hash >> (64 - RECENT_BITS)];
	known = known_find(h, recent, (uint32_t)hash, first, depth);
	for (m = 0; m < h->columns; m++) {
		h->total[m] += (uint64_t)values[m];
		if (known)
			known[m] += values[m];
		else
			h->values.at[h->values.n++] = values[m];
	}
	if (known) {
		h->units.n = first;
		return PP_HELD;
	}
	h->stacks.at[h->stacks.n++] = (struct pp_held_stack){ first, (uint32_t)depth,
		                                              (uint32_t)depth };
	*recent = (struct pp_held_recent){ (uint32_t)h->stacks.n, (uint32_t)hash };
	return PP_HELD;
}

const pp_frame *
pp_held_get(struct pp_held *h, size_t i, size_t *depth, const int64_t **values)
{
	struct pp_held_walk w = pp_held_walk(h, i);

	if (!pp_vec_reserve(&h->frames, (size_t)w.left + 1))
		return NULL;
	for (h->frames.n = 0; w.left; pp_held_step(h, &w))
		h->frames.at[h->frames.n++] = pp_held_peek(h, &w);
	*depth = h->frames.n;
	*values = h->values.at + i * h->columns;
	return h->frames.at;
}

/* Where the frames of a stack end. */
static uint64_t
stack_end(const struct pp_held *h, size_t i)
{
	return i + 1 < h->stacks.n ? h->stacks.at[i + 1].at : h->units.n;
}

bool
pp_held_same(const struct pp_held *h, size_t a, size_t b)
{
	uint64_t from = h->stacks.at[a].at, to = h->stacks.at[b].at, n = stack_end(h, a) - from;

	return n == stack_end(h, b) - to &&
	       memcmp(h->units.at + from, h->units.at + to, n * sizeof *h->units.at) == 0;
}

/* ---- dividing --------------------------------------------------------------------------- */

/* The name of the next frame of a rest; there is one. */
static inline pp_str
name_peek(const struct divider *x, const struct pp_held_walk *r)
{
	return x->name_of[pp_held_peek(x->h, r)];
}

/* Passes over frames of that name. */
static inline void
run_skip(const struct divider *x, struct pp_held_walk *r, pp_str name)
{
	while (r->left && name_peek(x, r) == name)
		pp_held_step(x->h, r);
}

/* The child of a name, made when the part has none yet; false when out of memory. */
static inline bool
child_for(struct divider *x, pp_str name, uint32_t *place)
{
	if (!x->child_of[name]) {
		if (!pp_vec_push(&x->children, (struct child){ .name = name }))
			return false;
		x->child_of[name] = (uint32_t)x->children.n;
	}
	*place = x->child_of[name] - 1;
	return true;
}

/* Finds the child of each rest of a part, and what children weigh. */
static bool
part_count(struct divider *x, const struct part *part)
{
	size_t columns = x->h->columns, i, m;

	x->children.n = 0;
	if (!pp_vec_reserve(&x->places, part->end - part->begin))
		return false;
	for (i = part->begin; i < part->end; i++) {
		struct pp_held_walk *r = &x->rests.at[i];
		uint32_t place = ENDS_HERE;

		if (i + AHEAD < part->end)
			pp_held_fetch(x->h, &x->rests.at[i + AHEAD]);
		run_skip(x, r, part->name);
		if (r->left) {
			const int64_t *values = x->h->values.at + r->stack * columns;

			if (!child_for(x, name_peek(x, r), &place))
				return false;
			for (m = 0; m < columns; m++)
				x->children.at[place].sum[m] += (uint64_t)values[m];
			x->children.at[place].stacks++;
		}
		x->places.at[i - part->begin] = place;
	}
	return true;
}

/* Cuts a stack whose rest is thin: the thin function stays, and the first that it calls. */
static void
rest_cut(struct divider *x, struct pp_held_walk r, pp_str name)
{
	struct pp_held_stack *s = &x->h->stacks.at[r.stack];

	run_skip(x, &r, name);
	s->left = s->depth - r.left + (r.left > 0);
}

static bool
is_thin(const struct divider *x, const struct child *child)
{
	size_t m;

	for (m = 0; m < x->h->columns; m++)
		if ((double)child->sum[m] >= x->limit[m])
			return false;
	return true;
}

/* Queues the rests of children that are wide enough, and cuts the others. */
static bool
part_divide(struct divider *x, const struct part *part)
{
	size_t at = part->begin, i;

	for (i = 0; i < x->children.n; i++) {
		struct child *child = &x->children.at[i];

		x->child_of[child->name] = 0;
		child->next = THIN;
		if (is_thin(x, child))
			continue;
		child->next = at;
		at += child->stacks;
		if (!pp_vec_push(&x->parts, (struct part){ child->next, at, child->name }))
			return false;
	}
	if (!pp_vec_reserve(&x->sorted, part->end - part->begin))
		return false;
	for (i = part->begin; i < part->end; i++) {
		uint32_t place = x->places.at[i - part->begin];
		struct child *child = place != ENDS_HERE ? &x->children.at[place] : NULL;

		if (child && child->next != THIN)
			x->sorted.at[child->next++ - part->begin] = x->rests.at[i];
		else if (child)
			rest_cut(x, x->rests.at[i], child->name);
	}
	if (at > part->begin)
		memcpy(x->rests.at + part->begin, x->sorted.at,
		       (at - part->begin) * sizeof *x->rests.at);
	return true;
}

static bool
divide(struct divider *x, const struct pp_profile *p, double share)
{
	struct pp_held *h = x->h;
	size_t i;

	x->name_of = calloc(p->frames.n, sizeof *x->name_of);
	x->child_of = calloc(p->strs.strs.n + 1, sizeof *x->child_of);
	if (!x->name_of || !x->child_of || !pp_vec_reserve(&x->rests, h->stacks.n))
		return false;
	for (i = 1; i < p->frames.n; i++)
		x->name_of[i] = p->funcs.at[p->frames.at[i].func].name;
	for (i = 0; i < h->stacks.n; i++)
		x->rests.at[i] = pp_held_walk(h, i);
	/* Whoever shows the tree has limits of its own, which rounding may put a little below. */
	for (i = 0; i < h->columns; i++)
		x->limit[i] = share * (double)h->total[i] * (1 - 1e-9);
	if (h->stacks.n && !pp_vec_push(&x->parts, (struct part){ .end = h->stacks.n }))
		return false;
	while (x->parts.n) {
		struct part part = x->parts.at[--x->parts.n];

		if (!part_count(x, &part) || !part_divide(x, &part))
			return false;
	}
	return true;
}

bool
pp_held_cut(struct pp_held *h, const struct pp_profile *p, double share)
{
	struct divider x = { .h = h };
	bool fine = divide(&x, p, share);

	free(x.name_of);
	free(x.child_of);
	pp_vec_release(&x.rests);
	pp_vec_release(&x.sorted);
	pp_vec_release(&x.places);
	pp_vec_release(&x.children);
	pp_vec_release(&x.parts);
	return fine;
}
