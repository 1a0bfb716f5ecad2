/*
 * Writing SPAA from a list of stacks that never became a tree: forty million nodes would be made, hashed and carried for
 * the sake of two million stacks.
 */
#include "base/slots.h"
#include "formats/spaa/write.h"
#include "model/held.h"

/* Stacks that are hashed side by side, since each step waits for the one before. */
#define LANES 5
/* How far ahead the place of a hash is fetched. */
#define AHEAD 12

/* ---- hashes ----------------------------------------------------------------------------- */

struct lanes {
	struct pp_held_walk at[LANES];
	uint64_t hash[LANES];
	size_t next; /* stack that no lane has yet */
};

/* One more frame of each lane; all have one. True when a lane has none left. */
static inline bool
lanes_step(const struct pp_spaa_out *o, struct lanes *l)
{
	uint64_t key[LANES], hash[LANES];
	bool ends = false;
	unsigned k, i;

	for (k = 0; k < LANES; k++) {
		key[k] = o->keys[pp_held_peek(o->from.list, &l->at[k])];
		hash[k] = l->hash[k];
	}
	for (i = 0; i < 64; i += 8)
		for (k = 0; k < LANES; k++)
			hash[k] = pp_spaa_fnv_byte(hash[k], (unsigned char)(key[k] >> i));
	for (k = 0; k < LANES; k++) {
		l->hash[k] = hash[k];
		pp_held_step(o->from.list, &l->at[k]);
		ends |= !l->at[k].left;
	}
	return ends;
}

/* Gives a lane the next stack that has frames; false when there is none. */
static bool
lane_begin(struct pp_spaa_out *o, struct lanes *l, unsigned k)
{
	size_t n = pp_held_count(o->from.list);

	for (; l->next < n && !o->from.list->stacks.at[l->next].left; l->next++)
		o->hash[l->next + 1] = PP_FNV_BASIS;
	if (l->next == n)
		return false;
	l->at[k] = pp_held_walk(o->from.list, l->next++);
	l->hash[k] = PP_FNV_BASIS;
	return true;
}

/* The rest of a stack, alone. */
static void
lane_finish(struct pp_spaa_out *o, struct lanes *l, unsigned k)
{
	struct pp_held_walk *at = &l->at[k];

	for (; at->left; pp_held_step(o->from.list, at))
		l->hash[k] = pp_spaa_path_add(l->hash[k], o->keys[pp_held_peek(o->from.list, at)]);
	o->hash[at->stack + 1] = l->hash[k];
}

/* Hashes all stacks; a lane that is through goes on with the next one. */
static void
lanes_hash(struct pp_spaa_out *o)
{
	struct lanes l = { .next = 0 };
	unsigned busy = 0, k;
	bool more;

	while (busy < LANES && lane_begin(o, &l, busy))
		busy++;
	for (more = busy == LANES; more;) {
		if (!lanes_step(o, &l))
			continue;
		for (k = 0; k < LANES; k++)
			if (!l.at[k].left) {
				lane_finish(o, &l, k);
				more &= lane_begin(o, &l, k);
			}
	}
	for (k = 0; k < busy; k++)
		lane_finish(o, &l, k);
}

/* A stack that is there twice is one: the rows of the second belong to the node of the first. */
static bool
twins_find(struct pp_spaa_out *o, bool *any)
{
	size_t n = pp_held_count(o->from.list), i, at;
	struct pp_slots slots = { 0 };
	bool fine = pp_slots_init(&slots, 10, NULL) && pp_slots_reserve(&slots, n);

	for (i = 0; fine && i < n; i++) {
		uint32_t tag = (uint32_t)(o->hash[i + 1] >> 32), other;

		if (i + AHEAD < n)
			pp_slots_prefetch(&slots, (uint32_t)(o->hash[i + 1 + AHEAD] >> 32));
		for (at = pp_slots_begin(&slots, tag); (other = pp_slots_next(&slots, tag, &at));)
			if (o->hash[other] == o->hash[i + 1]) {
				if (pp_held_same(o->from.list, other - 1, i))
					break;
				o->may_clash = true;
			}
		o->from.node_of[i] = other ? other : (uint32_t)i + 1;
		*any |= other != 0;
		if (!other)
			pp_slots_put_here(&slots, at, tag, (uint32_t)i + 1);
	}
	pp_slots_release(&slots);
	return fine;
}

bool
pp_spaa_list_hashes(struct pp_spaa_out *o)
{
	size_t n = pp_held_count(o->from.list), i;
	bool twins = false;

	o->hash = malloc((n + 1) * sizeof *o->hash);
	if (!o->hash)
		return false;
	lanes_hash(o);
	if (!twins_find(o, &twins))
		return false;
	for (i = 0; twins && i < n; i++)
		o->from.rows.at[i].node = o->from.node_of[i];
	return !twins || pp_spaa_rows_sort(o, n + 1);
}

/* ---- rows ------------------------------------------------------------------------------- */

bool
pp_spaa_out_list(struct pp_spaa_out *o)
{
	const struct pp_held *h = o->p->held;
	size_t n = pp_held_count(h), i;

	o->from.list = h;
	o->from.node_of = malloc((n + 1) * sizeof *o->from.node_of);
	o->from.record_of = calloc(n + 1, sizeof *o->from.record_of);
	if (!o->from.node_of || !o->from.record_of || !pp_vec_reserve(&o->from.rows, n + 1))
		return false;
	for (i = 0; i < n; i++)
		o->from.rows.at[i] = (struct pp_spaa_out_row){
			.node = (pp_node)i + 1, .cells = h->values.at + i * h->columns
		};
	o->from.rows.n = n;
	return true;
}

/* ---- paths ------------------------------------------------------------------------------ */

static bool
list_path(struct pp_spaa_out *o, pp_node node)
{
	struct pp_held_walk at = pp_held_walk(o->from.list, node - 1);
	size_t n = at.left;

	if (!pp_vec_reserve(&o->path, n + 1))
		return false;
	o->path.n = n;
	for (; n; pp_held_step(o->from.list, &at))
		o->path.at[--n] = pp_held_peek(o->from.list, &at);
	return true;
}

bool
pp_spaa_out_path(struct pp_spaa_out *o, pp_node node)
{
	if (o->from.list)
		return list_path(o, node);
	for (o->path.n = 0; node; node = pp_tree_parent(o->from.tree, node))
		if (!pp_vec_push(&o->path, pp_tree_frame(o->from.tree, node)))
			return false;
	return true;
}
