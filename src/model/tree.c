/*
 * The prefix tree of stacks and its hash table.
 */
#include "model/tree.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/stops.h"

#define FIRST_BITS 8u
#define FIRST_NODES 512u

/* How many stacks are looked up side by side. */
#define LANES 16u
/* How far ahead a merge fetches what it will look up. */
#define MERGE_AHEAD 24u

static inline uint64_t
key_of(pp_node parent, pp_frame frame)
{
	return (uint64_t)parent << 32 | frame;
}

static inline uint32_t
key_hash(const struct pp_tree *t, uint64_t key)
{
	uint64_t x = (key ^ t->seed) * PP_HASH_K1;

	x ^= x >> 32;
	return (uint32_t)((x * PP_HASH_K2) >> 32);
}

/* ---- life ------------------------------------------------------------------------------- */

bool
pp_tree_init(struct pp_tree *t, uint32_t seed, uint32_t max_nodes, const struct pp_pages *pages)
{
	*t = (struct pp_tree){ .cap = FIRST_NODES,
		               .max_nodes = max_nodes,
		               .seed = seed,
		               .marks_recursion = true,
		               .pages = pages };
	t->key = calloc(FIRST_NODES, sizeof *t->key);
	t->recursive = calloc(FIRST_NODES / 64, sizeof *t->recursive);
	if (!t->key || !t->recursive || !pp_slots_init(&t->slots, FIRST_BITS, pages)) {
		pp_tree_release(t);
		return false;
	}
	t->n = 1;
	return true;
}

/* Frees what only building needs. */
static void
tree_drop_index(struct pp_tree *t)
{
	free(t->seen_in);
	t->seen_in = NULL;
	pp_slots_release(&t->slots);
}

void
pp_tree_release(struct pp_tree *t)
{
	tree_drop_index(t);
	free(t->key);
	free(t->recursive);
	*t = (struct pp_tree){ 0 };
}

void
pp_tree_seal(struct pp_tree *t)
{
	uint64_t *fitted = realloc(t->key, t->n * sizeof *t->key);

	if (fitted) {
		t->key = fitted;
		t->cap = t->n;
	}
	tree_drop_index(t);
	if (!t->marks_recursion) {
		free(t->recursive);
		t->recursive = NULL;
	}
}

/* ---- room ------------------------------------------------------------------------------- */

static bool
tree_grow_nodes(struct pp_tree *t, size_t need)
{
	size_t cap = (size_t)t->cap + t->cap / 2, words, old_words = ((size_t)t->cap + 63) / 64;
	uint64_t *key, *recursive;

	if (cap < need)
		cap = need;
	if (cap > UINT32_MAX)
		cap = UINT32_MAX;
	words = (cap + 63) / 64;
	key = realloc(t->key, cap * sizeof *key);
	if (key)
		t->key = key;
	recursive = realloc(t->recursive, words * sizeof *recursive);
	if (recursive)
		t->recursive = recursive;
	if (!key || !recursive)
		return false;
	memset(recursive + old_words, 0, (words - old_words) * sizeof *recursive);
	t->cap = (uint32_t)cap;
	return true;
}

/* Makes room for `nodes` more nodes, `parted` of them in the table: adding them then cannot fail. */
static bool
tree_reserve(struct pp_tree *t, size_t nodes, size_t parted)
{
	/* One more than needed, so that the key after the last node can always be read. */
	size_t need = (size_t)t->n + nodes + 1;

	if ((size_t)t->n + nodes > t->max_nodes)
		return false;
	if (need > t->cap && !tree_grow_nodes(t, need))
		return false;
	return pp_slots_reserve(&t->slots, parted);
}

/* ---- one node --------------------------------------------------------------------------- */

/* The node of that key in the table, 0 when absent. */
static inline pp_node
table_find(const struct pp_tree *t, uint64_t key, uint32_t hash)
{
	size_t at = pp_slots_begin(&t->slots, hash);
	pp_node node;

	while ((node = pp_slots_next(&t->slots, hash, &at)))
		if (t->key[node] == key)
			break;
	return node;
}

/* Whether the child stands right behind its parent. */
static inline bool
follows(const struct pp_tree *t, pp_node parent, uint64_t key)
{
	return parent + 1 < t->n && t->key[parent + 1] == key;
}

/* Appends a node; there is room. */
static inline pp_node
tree_append(struct pp_tree *t, pp_node parent, uint64_t key)
{
	pp_node node = t->n++;

	t->key[node] = key;
	if (node != parent + 1)
		pp_slots_put(&t->slots, key_hash(t, key), node);
	return node;
}

static inline pp_node
tree_find(const struct pp_tree *t, pp_node parent, uint64_t key)
{
	return follows(t, parent, key) ? parent + 1 : table_find(t, key, key_hash(t, key));
}

pp_node
pp_tree_find(const struct pp_tree *t, pp_node parent, pp_frame frame)
{
	return tree_find(t, parent, key_of(parent, frame));
}

pp_node
pp_tree_child(struct pp_tree *t, pp_node parent, pp_frame frame)
{
	uint64_t key = key_of(parent, frame);
	pp_node node = tree_find(t, parent, key);

	if (node)
		return node;
	if (!tree_reserve(t, 1, 1) || pp_account_stops_at(t->n))
		return 0;
	t->marks_recursion = false;
	return tree_append(t, parent, key);
}

/* ---- looking up many stacks ------------------------------------------------------------- */

/* A stack being looked up: `depth` frames are left, `node` is where it has come to. */
struct lane {
	const pp_frame *frames;
	uint32_t left;
	pp_node node;
	pp_node candidate; /* found in the table, its key still on the way */
	uint32_t hash;     /* of the child wanted, when the table is asked */
	bool asking;       /* the table's slot is on the way */
	pp_node *result;
	uint32_t *result_left;
};

static inline void
lane_step_to(const struct pp_tree *t, struct lane *lane, pp_node node)
{
	lane->node = node;
	lane->frames++;
	lane->left--;
	__builtin_prefetch(&t->key[node + 1]);
}

/* Goes as far as it can without waiting for memory; false when the lookup has ended. */
static inline bool
lane_advance(const struct pp_tree *t, struct lane *lane)
{
	uint64_t key;

	if (lane->left == 0)
		return false;
	key = key_of(lane->node, *lane->frames);
	if (lane->candidate) {
		pp_node node = lane->candidate;

		lane->candidate = 0;
		lane->asking = false;
		/* Another key with this hash came first: rare enough to look without fetching ahead. */
		if (PP_UNLIKELY(t->key[node] != key))
			node = table_find(t, key, lane->hash);
		if (node)
			lane_step_to(t, lane, node);
		return node != 0;
	}
	if (lane->asking) {
		size_t at = pp_slots_begin(&t->slots, lane->hash);

		lane->candidate = pp_slots_next(&t->slots, lane->hash, &at);
		if (lane->candidate)
			__builtin_prefetch(&t->key[lane->candidate]);
		return lane->candidate != 0;
	}
	/* Down the chain as long as it fits: these keys lie side by side. */
	while (follows(t, lane->node, key)) {
		lane_step_to(t, lane, lane->node + 1);
		if (lane->left == 0)
			return false;
		key = key_of(lane->node, *lane->frames);
	}
	lane->hash = key_hash(t, key);
	lane->asking = true;
	pp_slots_prefetch(&t->slots, lane->hash);
	return true;
}

/*
 * Finds how far each stack is known already: `leaf` receives the deepest node that exists, `left` how
 * many frames remain below it.
 */
static void
tree_match(const struct pp_tree *t, const pp_frame *frames, const uint32_t *depth,
           const pp_node *under, size_t stacks, pp_node *leaf, uint32_t *left)
{
	struct lane lanes[LANES];
	size_t next = 0, active = 0, i;

	while (next < stacks || active) {
		for (; active < LANES && next < stacks; next++) {
			lanes[active++] = (struct lane){ .frames = frames,
				                         .left = depth[next],
				                         .node = under[next],
				                         .result = &leaf[next],
				                         .result_left = &left[next] };
			__builtin_prefetch(&t->key[under[next] + 1]);
			frames += depth[next];
		}
		for (i = 0; i < active;) {
			if (lane_advance(t, &lanes[i])) {
				i++;
				continue;
			}
			*lanes[i].result = lanes[i].node;
			*lanes[i].result_left = lanes[i].left;
			lanes[i] = lanes[--active];
		}
	}
}

/* ---- adding many stacks ----------------------------------------------------------------- */

/* Makes `seen_in` cover the frames of a batch. */
static bool
tree_reserve_seen(struct pp_tree *t, const pp_frame *frames, size_t n)
{
	pp_frame largest = 0;
	size_t i, cap;
	uint32_t *moved;

	for (i = 0; i < n; i++)
		largest = frames[i] > largest ? frames[i] : largest;
	if (largest < t->seen_cap)
		return true;
	cap = (size_t)largest + largest / 2 + 64;
	moved = realloc(t->seen_in, cap * sizeof *moved);
	if (!moved)
		return false;
	memset(moved + t->seen_cap, 0, (cap - t->seen_cap) * sizeof *moved);
	t->seen_in = moved;
	t->seen_cap = cap;
	return true;
}

/* Numbers stacks so that `seen_in` need not be cleared between them. */
static uint32_t
tree_next_stack(struct pp_tree *t)
{
	if (++t->stack_number == 0) {
		memset(t->seen_in, 0, t->seen_cap * sizeof *t->seen_in);
		t->stack_number = 1;
	}
	return t->stack_number;
}

/* Adds the last `left` frames of a stack below `node`, which stacks of this batch may have extended. */
static pp_node
tree_extend(struct pp_tree *t, const pp_frame *frames, uint32_t depth, pp_node node, uint32_t left)
{
	uint32_t number, k;

	for (k = depth - left; k < depth; k++) {
		pp_node child = pp_tree_find(t, node, frames[k]);

		if (!child)
			break;
		node = child;
	}
	if (k == depth)
		return node;
	number = tree_next_stack(t);
	for (left = 0; left < k; left++)
		t->seen_in[frames[left]] = number;
	for (; k < depth; k++) {
		bool again = t->seen_in[frames[k]] == number;

		t->seen_in[frames[k]] = number;
		node = tree_append(t, node, key_of(node, frames[k]));
		if (again)
			t->recursive[node >> 6] |= (uint64_t)1 << (node & 63);
	}
	return node;
}

bool
pp_tree_batch(struct pp_tree *t, const pp_frame *frames, const uint32_t *depth,
              const pp_node *under, size_t stacks, pp_node *leaf)
{
	uint32_t left[PP_TREE_BATCH];
	size_t total = 0, i;

	for (i = 0; i < stacks; i++) {
		total += depth[i];
		/* Frames above `under` are not looked at. */
		t->marks_recursion &= under[i] == 0 || depth[i] == 0;
	}
	if (!tree_reserve(t, total, stacks) || !tree_reserve_seen(t, frames, total))
		return false;
	tree_match(t, frames, depth, under, stacks, leaf, left);
	for (i = 0; i < stacks; i++) {
		if (left[i])
			leaf[i] = tree_extend(t, frames, depth[i], leaf[i], left[i]);
		frames += depth[i];
	}
	return true;
}

/* ---- nodes that were known before ------------------------------------------------------- */

bool
pp_tree_reserve(struct pp_tree *t, size_t nodes)
{
	return tree_reserve(t, nodes, 0);
}

bool
pp_tree_index(struct pp_tree *t)
{
	size_t parted = 0;
	pp_node node;

	for (node = 1; node < t->n; node++)
		parted += pp_tree_parent(t, node) + 1 != node;
	pp_slots_clear(&t->slots);
	if (!pp_slots_reserve(&t->slots, parted))
		return false;
	for (node = 1; node < t->n; node++)
		if (pp_tree_parent(t, node) + 1 != node)
			pp_slots_put(&t->slots, key_hash(t, t->key[node]), node);
	return true;
}

/* ---- merging ---------------------------------------------------------------------------- */

/* Fetches what looking up node n of `from` will read, if its parent's place is known by now. */
static inline void
merge_prefetch(const struct pp_tree *into, const struct pp_tree *from, const pp_frame *frame_map,
               const pp_node *node_map, uint32_t n, uint32_t done)
{
	pp_node parent = pp_tree_parent(from, n);

	if (parent + 1 == n || parent >= done)
		return;
	__builtin_prefetch(&into->key[node_map[parent] + 1]);
	pp_slots_prefetch(&into->slots, key_hash(into, key_of(node_map[parent],
	                                                      frame_map[pp_tree_frame(from, n)])));
}

bool
pp_frames_differ(const pp_frame *map, size_t n)
{
	pp_frame largest = 0;
	unsigned char *used;
	bool ok = true;
	size_t i;

	for (i = 0; i < n; i++)
		largest = map[i] > largest ? map[i] : largest;
	used = calloc((size_t)largest + 1, 1);
	for (i = 0; used && ok && i < n; i++) {
		ok = !used[map[i]];
		used[map[i]] = 1;
	}
	ok = ok && used;
	free(used);
	return ok;
}

bool
pp_tree_merge(struct pp_tree *into, const struct pp_tree *from, const pp_frame *frame_map,
              size_t frames, pp_node *node_map)
{
	/* What lies below a node that is new here is new too, unless different frames became equal. */
	uint32_t known = pp_frames_differ(frame_map, frames) ? into->n : UINT32_MAX;
	uint32_t n;

	into->marks_recursion &= from->marks_recursion && known != UINT32_MAX;
	node_map[0] = 0;
	for (n = 1; n < from->n; n++) {
		pp_node parent = node_map[pp_tree_parent(from, n)];
		pp_frame frame = frame_map[pp_tree_frame(from, n)];

		if (pp_account_stops_at(n))
			return false;
		if (n + MERGE_AHEAD < from->n)
			merge_prefetch(into, from, frame_map, node_map, n + MERGE_AHEAD, n);
		node_map[n] = parent < known ? pp_tree_find(into, parent, frame) : 0;
		if (node_map[n])
			continue;
		if (!tree_reserve(into, 1, 1))
			return false;
		node_map[n] = tree_append(into, parent, key_of(parent, frame));
		if (into->marks_recursion && (from->recursive[n >> 6] >> (n & 63) & 1))
			into->recursive[node_map[n] >> 6] |= (uint64_t)1 << (node_map[n] & 63);
	}
	return true;
}

bool
pp_tree_pick(struct pp_tree *to, const struct pp_tree *from, const uint8_t *state, unsigned keep,
             pp_node *map)
{
	pp_node node, n = 1;

	for (node = 1; node < from->n; node++)
		n += (state[node] & keep) == keep;
	*to = *from;
	to->n = 1;
	to->cap = n;
	to->slots = (struct pp_slots){ 0 };
	to->seen_in = NULL;
	to->key = malloc(n * sizeof *to->key);
	to->recursive = from->recursive ? calloc(n / 64 + 1, sizeof *to->recursive) : NULL;
	if (!to->key || (from->recursive && !to->recursive)) {
		pp_tree_release(to);
		return false;
	}
	to->key[0] = from->key[0];
	map[0] = 0;
	for (node = 1; node < from->n && !pp_account_stops_at(node); node++) {
		pp_node above = map[pp_tree_parent(from, node)];

		map[node] = above;
		if ((state[node] & keep) != keep)
			continue;
		map[node] = to->n;
		to->key[to->n] = key_of(above, pp_tree_frame(from, node));
		if (to->recursive && from->recursive[node >> 6] >> (node & 63) & 1)
			to->recursive[to->n >> 6] |= (uint64_t)1 << (to->n & 63);
		to->n++;
	}
	if (node < from->n)
		pp_tree_release(to);
	return node == from->n;
}
