/* The prefix tree: batches, single steps and merges build the same tree; recursion marks are true. */
#include "tap.h"

#include "model/tree.h"

enum { STACKS = 3000, DEPTH_MAX = 40 };

static uint64_t state = 88172645463325252u;

static uint32_t
random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % n;
}

struct stacks {
	pp_frame frames[STACKS][DEPTH_MAX];
	uint32_t depth[STACKS];
};

static void
stacks_make(struct stacks *s)
{
	uint32_t i, k;

	for (i = 0; i < STACKS; i++) {
		s->depth[i] = 1 + random_below(DEPTH_MAX);
		for (k = 0; k < s->depth[i]; k++)
			s->frames[i][k] = 1 + random_below(k < 4 ? 3 : 50);
	}
}

/* Adds stacks [from, to) in batches of random size. */
static bool
add_batches(struct pp_tree *t, const struct stacks *s, uint32_t from, uint32_t to, pp_node *leaf)
{
	static const pp_node roots[STACKS];
	pp_frame flat[PP_TREE_BATCH];

	while (from < to) {
		uint32_t n = 0, total = 0, most = 1 + random_below(90);

		while (from + n < to && n < most && total + s->depth[from + n] <= PP_TREE_BATCH) {
			memcpy(flat + total, s->frames[from + n],
			       s->depth[from + n] * sizeof *flat);
			total += s->depth[from + n++];
		}
		if (!pp_tree_batch(t, flat, s->depth + from, roots, n, leaf + from))
			return false;
		from += n;
	}
	return true;
}

static bool
same_tree(const struct pp_tree *a, const struct pp_tree *b)
{
	return a->n == b->n && memcmp(a->key, b->key, a->n * sizeof *a->key) == 0;
}

/* Recursion marks against a walk up to the root. */
static uint32_t
wrong_marks(const struct pp_tree *t)
{
	uint32_t wrong = 0;
	pp_node node, up;

	for (node = 1; node < t->n; node++) {
		bool found = false;

		for (up = pp_tree_parent(t, node); up; up = pp_tree_parent(t, up))
			found |= pp_tree_frame(t, up) == pp_tree_frame(t, node);
		wrong += found != (t->recursive[node >> 6] >> (node & 63) & 1);
	}
	return wrong;
}

static void
check_ways(const struct stacks *s)
{
	static pp_node leaf[STACKS], other[STACKS];
	struct pp_tree batch, single, half, parts;
	pp_frame frame_map[64];
	pp_node *node_map;
	uint32_t i, k, wrong = 0, parents = 0;

	ok(pp_tree_init(&batch, 1, UINT32_MAX, &pp_pages_plain) &&
	       pp_tree_init(&single, 2, UINT32_MAX, &pp_pages_plain) &&
	       pp_tree_init(&half, 3, UINT32_MAX, &pp_pages_plain) &&
	       pp_tree_init(&parts, 4, UINT32_MAX, &pp_pages_plain),
	   "four trees");
	ok(add_batches(&batch, s, 0, STACKS, leaf), "added in batches");
	for (i = 0; i < STACKS; i++) {
		pp_node node = 0;

		for (k = 0; k < s->depth[i]; k++)
			node = pp_tree_child(&single, node, s->frames[i][k]);
		wrong += node != leaf[i];
	}
	is_u64(wrong, 0, "leaves by single steps are those of the batches");
	ok(same_tree(&batch, &single), "so are all nodes, whatever the seed");
	for (i = 1; i < batch.n; i++)
		parents += pp_tree_parent(&batch, i) < i;
	is_u64(parents, batch.n - 1, "parents stand before their children");
	is_u64(wrong_marks(&batch), 0, "recursion is marked where it is");
	ok(!single.marks_recursion, "single steps do not claim to have marked it");

	ok(add_batches(&parts, s, 0, STACKS / 2, leaf) &&
	       add_batches(&half, s, STACKS / 2, STACKS, other),
	   "two halves");
	node_map = calloc(half.n, sizeof *node_map);
	for (i = 0; i < PP_COUNT_OF(frame_map); i++)
		frame_map[i] = i;
	ok(node_map && pp_tree_merge(&parts, &half, frame_map, PP_COUNT_OF(frame_map), node_map),
	   "merged");
	ok(same_tree(&batch, &parts), "halves merged in order are the whole");
	is_u64(wrong_marks(&parts), 0, "marks survive merging");
	pp_tree_seal(&batch);
	ok(same_tree(&batch, &parts) && !batch.slots.at, "sealing keeps the nodes");
	free(node_map);
	pp_tree_release(&batch);
	pp_tree_release(&single);
	pp_tree_release(&half);
	pp_tree_release(&parts);
}

/* Frames that become equal must not give one parent two equal children. */
static void
check_merge_joining(void)
{
	static const pp_frame join[] = { 0, 1, 1 };
	struct pp_tree a, b;
	pp_node map[8];

	ok(pp_tree_init(&a, 1, 100, &pp_pages_plain) && pp_tree_init(&b, 1, 100, &pp_pages_plain),
	   "two trees");
	pp_tree_child(&b, pp_tree_child(&b, 0, 1), 1);
	pp_tree_child(&b, pp_tree_child(&b, 0, 2), 2);
	ok(pp_tree_merge(&a, &b, join, PP_COUNT_OF(join), map), "merged");
	is_u64(a.n, 3, "two chains became one");
	is_u64(map[4], map[2], "and their leaves one node");
	pp_tree_release(&a);
	pp_tree_release(&b);
}

static void
check_limit(void)
{
	static const pp_node root[1];
	pp_frame frames[20];
	uint32_t depth = PP_COUNT_OF(frames);
	struct pp_tree t;
	pp_node leaf;
	uint32_t i;

	for (i = 0; i < depth; i++)
		frames[i] = i + 1;
	ok(pp_tree_init(&t, 1, 10, &pp_pages_plain), "a small tree");
	ok(!pp_tree_batch(&t, frames, &depth, root, 1, &leaf), "a stack past the limit is refused");
	is_u64(t.n, 1, "and nothing was added");
	for (i = 1; i < 10; i++)
		leaf = pp_tree_child(&t, 0, i);
	is_u64(t.n, 10, "full");
	is_u64(pp_tree_child(&t, 0, 99), 0, "no room for another");
	is_u64(pp_tree_child(&t, 0, 9), leaf, "known nodes are still found");
	pp_tree_release(&t);
}

int
main(void)
{
	static struct stacks s;

	stacks_make(&s);
	check_ways(&s);
	check_merge_joining();
	check_limit();
	return tap_done();
}
