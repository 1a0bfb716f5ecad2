/*
 * What the references of a heap snapshot say, by the rules of Chrome's developer tools.
 */
#include "formats/heapsnapshot/snapshot.h"

typedef PP_VEC(uint32_t) node_list;

/* ---- detached ---- */

/* An object gets a state once; only those of the browser hand it on. */
static bool
state_set(struct snapshot *s, uint32_t node, unsigned state, node_list *lists)
{
	unsigned char *flags = &s->state[node];

	if (*flags & SNAPSHOT_VISITED)
		return true;
	*flags |= SNAPSHOT_VISITED;
	*flags &= (unsigned char)~SNAPSHOT_STATE;
	if (pp_snapshot_kind(s, node) != SNAPSHOT_NATIVE)
		return true;
	*flags |= (unsigned char)state;
	return pp_vec_push(&lists[state == SNAPSHOT_DETACHED], node);
}

static bool
state_spread(struct snapshot *s, unsigned state, node_list *lists)
{
	node_list *list = &lists[state == SNAPSHOT_DETACHED];

	while (list->n) {
		uint32_t node = list->at[--list->n], e;

		for (e = s->first[node]; e < s->first[node + 1]; e++)
			if (s->link[e] != SNAPSHOT_CONCEALED && s->link[e] != SNAPSHOT_WEAK &&
			    !state_set(s, s->to[e], state, lists))
				return false;
	}
	return true;
}

/* What an attached DOM node refers to is attached; of what is left, what a detached one refers to is detached. */
static bool
states_mark(struct snapshot *s)
{
	node_list lists[2] = { 0 };
	bool fine = true;
	uint32_t i;

	for (i = 0; i < s->nodes && fine; i++)
		if (s->state[i] & SNAPSHOT_STATE)
			fine = state_set(s, i, s->state[i] & SNAPSHOT_STATE, lists);
	fine = fine && state_spread(s, SNAPSHOT_ATTACHED, lists) &&
	       state_spread(s, SNAPSHOT_DETACHED, lists);
	pp_vec_release(&lists[0]);
	pp_vec_release(&lists[1]);
	return fine;
}

/* ---- the page ---- */

static bool
is_dom_trees(const struct snapshot *s, uint32_t node)
{
	return pp_snapshot_kind(s, node) == SNAPSHOT_SYNTHETIC &&
	       pp_snapshot_word(s, s->name[node]) == SNAPSHOT_IS_DOM_TREES;
}

static bool
page_take(struct snapshot *s, uint32_t node, node_list *list)
{
	if (s->state[node] & SNAPSHOT_OF_PAGE)
		return true;
	s->state[node] |= SNAPSHOT_OF_PAGE;
	return pp_vec_push(list, node);
}

/* From the global objects, to which shortcuts lead, and the documents. */
static bool
page_mark(struct snapshot *s)
{
	node_list list = { 0 };
	bool fine = true;
	uint32_t e;

	for (e = s->first[s->root]; e < s->first[s->root + 1] && fine; e++)
		if (s->link[e] == SNAPSHOT_SHORTCUT ||
		    (s->link[e] == SNAPSHOT_ELEMENT && is_dom_trees(s, s->to[e])))
			fine = page_take(s, s->to[e], &list);
	while (list.n && fine) {
		uint32_t node = list.at[--list.n];

		for (e = s->first[node]; e < s->first[node + 1] && fine; e++)
			if (s->link[e] != SNAPSHOT_WEAK)
				fine = page_take(s, s->to[e], &list);
	}
	pp_vec_release(&list);
	return fine;
}

bool
pp_snapshot_mark(struct snapshot *s)
{
	return states_mark(s) && page_mark(s);
}

/* ---- sizes ---- */

#define OWNER_UNKNOWN SNAPSHOT_NONE
#define OWNERS_MANY (SNAPSHOT_NONE - 1)

/* What only serves another object: its elements, properties, characters. */
static bool
is_part(const struct snapshot *s, uint32_t node)
{
	switch (pp_snapshot_kind(s, node)) {
	case SNAPSHOT_HIDDEN:
	case SNAPSHOT_ARRAY:
		return true;
	case SNAPSHOT_NATIVE:
		return pp_snapshot_word(s, s->name[node]) == SNAPSHOT_IS_STRING_DATA;
	default:
		return false;
	}
}

/* A snapshot of internals has no global object, and shows memory as it is. */
static bool
has_user_roots(const struct snapshot *s)
{
	uint32_t e;

	for (e = s->first[s->root]; e < s->first[s->root + 1]; e++)
		if (pp_snapshot_kind(s, s->to[e]) != SNAPSHOT_SYNTHETIC ||
		    is_dom_trees(s, s->to[e]))
			return true;
	return false;
}

/* Hands an owner on to the parts that an object refers to, and theirs. A part changes its owner twice at most. */
static bool
owner_spread(struct snapshot *s, uint32_t *owner, uint32_t node, node_list *list)
{
	if (!pp_vec_push(list, node))
		return false;
	while (list->n) {
		uint32_t from = list->at[--list->n], own = owner[from], e;

		for (e = s->first[from]; e < s->first[from + 1]; e++) {
			uint32_t to = s->to[e];

			if (s->link[e] == SNAPSHOT_WEAK || owner[to] == to || owner[to] == own ||
			    owner[to] == OWNERS_MANY)
				continue;
			owner[to] = owner[to] == OWNER_UNKNOWN ? own : OWNERS_MANY;
			if (!pp_vec_push(list, to))
				return false;
		}
	}
	return true;
}

static void
size_hand_over(struct snapshot *s, uint32_t part, uint32_t owner)
{
	uint64_t sum;

	if (owner == part || owner >= OWNERS_MANY || owner == s->root ||
	    pp_snapshot_kind(s, owner) == SNAPSHOT_SYNTHETIC ||
	    __builtin_add_overflow(s->size[owner], s->size[part], &sum) || sum > INT64_MAX)
		return;
	s->size[owner] = sum;
	s->size[part] = 0;
}

/* Parts of one object count as the object itself. */
bool
pp_snapshot_sizes(struct snapshot *s)
{
	node_list list = { 0 };
	uint32_t *owner, i;
	bool fine = true;

	if (!has_user_roots(s))
		return true;
	owner = malloc(s->nodes * sizeof *owner);
	if (!owner)
		return false;
	for (i = 0; i < s->nodes; i++)
		owner[i] = is_part(s, i) ? OWNER_UNKNOWN : i;
	for (i = 0; i < s->nodes && fine; i++)
		if (owner[i] == i)
			fine = owner_spread(s, owner, i, &list);
	for (i = 0; i < s->nodes && fine; i++)
		size_hand_over(s, i, owner[i]);
	pp_vec_release(&list);
	free(owner);
	return fine;
}

/* ---- what holds ---- */

/* Whether the reference is from the table that an ephemeron's name ends with: "... (table @123)". */
static bool
is_from_table(const struct snapshot *s, uint32_t node, uint32_t edge)
{
	struct pp_slice raw = pp_snapshot_string(s, s->label[edge]).raw;
	size_t from = raw.n;
	uint64_t table;

	while (from && raw.p[from - 1] != '@')
		from--;
	return from && raw.n > from &&
	       pp_num_u64(pp_slice_of(raw.p + from, raw.n - 1 - from), &table) &&
	       table == s->id[node];
}

/*
 * A weak reference holds nothing, nor does a shortcut but for those of the root, nor whatever is not of the page (the
 * debugger, say) what is. A value in a WeakMap is held by key and table together; as the key it shall be.
 */
static bool
is_essential(const struct snapshot *s, uint32_t node, uint32_t edge)
{
	uint32_t to = s->to[edge];

	if (s->link[edge] == SNAPSHOT_WEAK || to == node)
		return false;
	if (s->link[edge] == SNAPSHOT_INTERNAL &&
	    pp_snapshot_word(s, s->label[edge]) == SNAPSHOT_IS_EPHEMERON &&
	    is_from_table(s, node, edge))
		return false;
	return node == s->root ||
	       (s->link[edge] != SNAPSHOT_SHORTCUT &&
	        (s->state[node] & SNAPSHOT_OF_PAGE || !(s->state[to] & SNAPSHOT_OF_PAGE)));
}

void
pp_snapshot_essential(struct snapshot *s)
{
	uint32_t node, e, end, left = 0;

	for (node = 0, e = 0; node < s->nodes; node++) {
		end = s->first[node + 1];
		s->first[node] = left;
		for (; e < end; e++)
			if (is_essential(s, node, e))
				s->to[left++] = s->to[e];
	}
	s->first[s->nodes] = s->edges = left;
}
