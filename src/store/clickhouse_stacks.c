/*
 * Stacks as rows: see clickhouse_stacks.h.
 */
#include "store/clickhouse_stacks.h"

#include <stdlib.h>
#include <time.h>

#include "base/slice.h"
#include "store/clickhouse_rows.h"

/* Bytes of a text that are copied at once. */
#define SHORT 32
/* What tells all frames, each as one text, may take so many times what it takes apart, and so much in any case. */
#define JOINED_TIMES 4
#define JOINED_FREE ((size_t)32 << 20)
#define LINE sizeof(uint32_t)

/* ---- texts ---- */

/* A function as rows have it: behind its length, which few need more than a byte for. None is "". */
static void
function_put(struct pp_buf *to, const struct pp_profile *p, pp_func func)
{
	struct pp_buf text = { 0 };
	size_t at = to->n;

	pp_buf_addc(to, '\0');
	if (func)
		pp_rows_function(to, p, func);
	if (to->failed)
		return;
	if (to->n - at - 1 < 0x80) {
		to->p[at] = (char)(to->n - at - 1);
		return;
	}
	pp_binary_text(&text, pp_slice_of(to->p + at + 1, to->n - at - 1));
	to->n = at;
	pp_buf_add(to, text.p, text.n);
	to->failed |= text.failed;
	pp_buf_release(&text);
}

static bool
functions_make(struct pp_row_stacks *s)
{
	size_t i, n = s->p->funcs.n;

	s->functions = malloc((n + 1) * sizeof *s->functions);
	for (i = 0; s->functions && i < n; i++) {
		s->functions[i] = s->texts.n;
		function_put(&s->texts, s->p, (pp_func)i);
	}
	if (!s->functions || s->texts.failed)
		return false;
	s->functions[n] = s->texts.n;
	return true;
}

/* Line and place of a frame. */
static void
tail_put(struct pp_row_stacks *s, pp_frame frame)
{
	size_t at = s->texts.n;

	pp_binary_u32(&s->texts, s->p->frames.at[frame].line);
	if (frame)
		pp_rows_place(&s->texts, s->p, frame);
	s->has_lines |= s->p->frames.at[frame].line != 0;
	s->has_places |= s->texts.n > at + LINE;
}

/* One function with a name of a megabyte may have a million frames: then each finds its function where it is. */
static bool
frames_stay_apart(const struct pp_row_stacks *s)
{
	size_t i, most = JOINED_FREE + JOINED_TIMES * (s->texts.n + s->p->frames.n * LINE), sum = 0;

	for (i = 0; i < s->p->frames.n && sum <= most; i++)
		sum += pp_row_stacks_function(s, s->p->frames.at[i].func).n;
	return sum > most;
}

static void
frame_put(struct pp_row_stacks *s, pp_frame frame)
{
	pp_func func = s->p->frames.at[frame].func;
	struct pp_frame_text *f = &s->frames[frame];
	struct pp_slice function;

	f->at = s->functions[func];
	f->n = f->function = s->functions[func + 1] - f->at;
	if (s->tails) {
		s->tails[frame] = s->texts.n;
		tail_put(s, frame);
		return;
	}
	/* The text moves as it grows. */
	if (!pp_buf_room(&s->texts, f->n))
		return;
	function = pp_row_stacks_function(s, func);
	f->at = s->texts.n;
	pp_buf_add(&s->texts, function.p, function.n);
	tail_put(s, frame);
	f->n = s->texts.n - f->at;
}

static bool
texts_make(struct pp_row_stacks *s)
{
	size_t i, n = s->p->frames.n;
	bool apart;

	if (!functions_make(s))
		return false;
	apart = frames_stay_apart(s);
	s->frames = calloc(n + 1, sizeof *s->frames);
	s->tails = apart ? calloc(n + 1, sizeof *s->tails) : NULL;
	if (!s->frames || (apart && !s->tails))
		return false;
	for (i = 0; i < n && !s->texts.failed; i++)
		frame_put(s, (pp_frame)i);
	if (s->tails)
		s->tails[n] = s->texts.n;
	/* What is copied or hashed may end behind the last text. */
	return pp_buf_room(&s->texts, SHORT) != NULL;
}

static struct pp_slice
frame_function(const struct pp_row_stacks *s, pp_frame frame)
{
	return pp_slice_of(s->texts.p + s->frames[frame].at, s->frames[frame].function);
}

/* The line and the place behind it, as bytes. */
static struct pp_slice
frame_tail(const struct pp_row_stacks *s, pp_frame frame)
{
	const struct pp_frame_text *f = &s->frames[frame];

	if (s->tails)
		return pp_slice_of(s->texts.p + s->tails[frame],
		                   s->tails[frame + 1] - s->tails[frame]);
	return pp_slice_of(s->texts.p + f->at + f->function, f->n - f->function);
}

/* ---- digests ---- */

/* One by one, of frames that are no text as a whole. */
static void
nodes_digest_apart(struct pp_row_stacks *s)
{
	const struct pp_tree *tree = &s->p->tree;
	pp_node node;

	for (node = 1; node < tree->n; node++) {
		pp_frame frame = pp_tree_frame(tree, node);
		struct pp_slice function = frame_function(s, frame), tail = frame_tail(s, frame);
		struct pp_blake2b b;

		pp_digest_begin(&b);
		pp_digest_part(&b, pp_slice_of(s->digests[pp_tree_parent(tree, node)], PP_DIGEST));
		pp_digest_part_head(&b, function.n + tail.n);
		pp_blake2b_add(&b, function.p, function.n);
		pp_blake2b_add(&b, tail.p, tail.n);
		pp_digest_end(&b, s->digests[node]);
	}
}

/* Digests of all nodes, each from its parent's. False when out of memory. */
static bool
nodes_digest(struct pp_row_stacks *s)
{
	const struct pp_node_family family = { .n = s->p->tree.n,
		                               .key = s->p->tree.key,
		                               .frames = s->frames,
		                               .text = (const unsigned char *)s->texts.p,
		                               .digests = s->digests[0],
		                               .stride = PP_DIGEST,
		                               .first = 1 };

	if (!s->tails)
		return pp_node_family_digest(&family);
	nodes_digest_apart(s);
	return true;
}

/* The numbers of the profile's frames among those met before, or NULL. */
static pp_str *
frames_find(const struct pp_row_stacks *s)
{
	size_t i, n = s->p->frames.n;
	pp_str *frames = calloc(n + 1, sizeof *frames);
	struct pp_slice *keys = calloc(n + 1, sizeof *keys);
	bool fine = frames && keys;

	for (i = 0; i < n && fine; i++)
		keys[i] = pp_slice_of(s->texts.p + s->frames[i].at, s->frames[i].n);
	fine = fine && pp_known_frames(s->met, keys, n, frames);
	free(keys);
	if (fine)
		return frames;
	free(frames);
	return NULL;
}

/* Whether two frames are told apart by nothing that rows have; out of memory is no reason to think that none are. */
static bool
frames_repeat(const struct pp_row_stacks *s, const pp_str *frames)
{
	uint8_t *seen = calloc(s->met->frames.strs.n + 1, 1);
	bool repeat = !seen;
	size_t i;

	for (i = 0; i < s->p->frames.n && !repeat; i++) {
		repeat = seen[frames[i]];
		seen[frames[i]] = 1;
	}
	free(seen);
	return repeat;
}

/*
 * Finds the nodes that were met before, and appends the others: below a new one all are new. Where frames repeat, nodes do,
 * too: then each new one is entered at once.
 */
static void
numbers_find(struct pp_row_stacks *s, const pp_str *frames, size_t first, bool repeat)
{
	const struct pp_tree *tree = &s->p->tree;
	pp_node node;

	for (node = 1; node < tree->n; node++) {
		uint32_t parent = s->known[pp_tree_parent(tree, node)];
		pp_str frame = frames[pp_tree_frame(tree, node)];
		uint32_t number = parent < first || repeat ? pp_known_find(s->met, parent, frame)
		                                           : 0;

		s->known[node] = number ? number : pp_known_append(s->met, parent, frame);
		if (repeat && !number)
			pp_known_enter(s->met, s->known[node]);
	}
}

/* The same as nodes_digest() by nodes that were met before. */
static bool
nodes_find(struct pp_row_stacks *s)
{
	const size_t n = s->p->tree.n, first = s->met->nodes.n;
	struct pp_node_family family = { .n = n,
		                         .key = s->p->tree.key,
		                         .frames = s->frames,
		                         .text = (const unsigned char *)s->texts.p,
		                         .stride = sizeof(struct pp_known_node),
		                         .first = (uint32_t)first };
	pp_str *frames = frames_find(s);
	size_t i;
	bool fine, repeat = false;

	s->known = calloc(n + 1, sizeof *s->known);
	s->generation = s->met->generation;
	fine = frames && s->known;
	if (fine) {
		repeat = frames_repeat(s, frames);
		numbers_find(s, frames, first, repeat);
		family.number = s->known;
		family.digests = s->met->nodes.at[0].digest;
		fine = pp_node_family_digest(&family);
	}
	for (i = 1; i < n && fine; i++)
		memcpy(s->digests[i], s->met->nodes.at[s->known[i]].digest, PP_DIGEST);
	if (fine && !repeat)
		pp_known_enter(s->met, first);
	else if (!fine)
		pp_known_forget(s->met);
	free(frames);
	return fine;
}

bool
pp_row_stacks_begin(struct pp_row_stacks *s, const struct pp_profile *p, struct pp_known_nodes *met)
{
	size_t n = p->tree.n ? p->tree.n : 1, keys;

	s->p = p;
	s->met = met;
	s->digests = calloc(n, sizeof *s->digests);
	if (!s->digests || !texts_make(s))
		return false;
	keys = s->texts.n - s->functions[p->funcs.n];
	return !s->tails && pp_known_begin(met, n, p->frames.n, keys, (int64_t)time(NULL))
	           ? nodes_find(s)
	           : nodes_digest(s);
}

void
pp_row_stacks_release(struct pp_row_stacks *s)
{
	pp_buf_release(&s->texts);
	free(s->functions);
	free(s->frames);
	free(s->tails);
	free(s->digests);
	free(s->known);
	*s = (struct pp_row_stacks){ 0 };
}

/* ---- rows ---- */

/* The stack that is written, and what its row has for each frame: the next one often begins alike. */
struct stack_now {
	const struct pp_row_stacks *s;
	uint32_t *depth; /* by node */
	PP_VEC(pp_node) path;
	PP_VEC(size_t) ends;     /* of functions */
	struct pp_buf functions; /* each behind its length */
	struct pp_buf nodes;     /* their numbers */
};

static bool
now_begin(struct stack_now *now, const struct pp_row_stacks *s)
{
	const struct pp_tree *tree = &s->p->tree;
	uint32_t deepest = 0;
	size_t i;

	now->s = s;
	now->depth = malloc((tree->n + 1) * sizeof *now->depth);
	if (!now->depth)
		return false;
	now->depth[0] = 0;
	for (i = 1; i < tree->n; i++) {
		now->depth[i] = now->depth[pp_tree_parent(tree, (pp_node)i)] + 1;
		deepest = now->depth[i] > deepest ? now->depth[i] : deepest;
	}
	return pp_vec_reserve(&now->path, deepest) &&
	       pp_vec_reserve(&now->ends, (size_t)deepest + 1) &&
	       pp_buf_room(&now->nodes, deepest * sizeof(uint64_t)) != NULL;
}

static void
now_release(struct stack_now *now)
{
	free(now->depth);
	pp_vec_release(&now->path);
	pp_vec_release(&now->ends);
	pp_buf_release(&now->functions);
	pp_buf_release(&now->nodes);
}

/* Most texts are short, and copied with what is behind them, for which there is room on both sides. */
static bool
function_add(struct pp_buf *to, struct pp_slice text)
{
	char *at = pp_buf_room(to, (text.n > SHORT ? text.n : SHORT) + 1);

	if (!at)
		return false;
	memcpy(at, text.p, text.n > SHORT ? text.n : SHORT);
	to->n += text.n;
	return true;
}

/* Goes to a stack: what it shares with the one before stays. False when out of memory. */
static bool
now_go(struct stack_now *now, pp_node leaf)
{
	const struct pp_tree *tree = &now->s->p->tree;
	size_t i = now->depth[leaf], n = i;
	pp_node up = leaf;

	for (; i && !(i <= now->path.n && now->path.at[i - 1] == up); up = pp_tree_parent(tree, up))
		now->path.at[--i] = up;
	now->path.n = n;
	now->functions.n = i ? now->ends.at[i - 1] : 0;
	for (; i < n; i++) {
		pp_node node = now->path.at[i];

		if (!function_add(&now->functions,
		                  frame_function(now->s, pp_tree_frame(tree, node))))
			return false;
		now->ends.at[i] = now->functions.n;
		memcpy(now->nodes.p + i * sizeof(uint64_t), now->s->digests[node],
		       sizeof(uint64_t));
	}
	return true;
}

/* Lines and places, where any frame of the stack has such. */
static void
row_places(struct pp_buf *row, const struct stack_now *now)
{
	const struct pp_row_stacks *s = now->s;
	const struct pp_tree *tree = &s->p->tree;
	bool lines = false, places = false;
	size_t i, n = now->path.n;

	for (i = 0; i < n && (s->has_lines || s->has_places); i++) {
		pp_frame frame = pp_tree_frame(tree, now->path.at[i]);

		lines |= s->p->frames.at[frame].line != 0;
		places |= frame_tail(s, frame).n > LINE;
	}
	pp_binary_varint(row, lines ? n : 0);
	for (i = 0; lines && i < n; i++)
		pp_binary_u32(row, s->p->frames.at[pp_tree_frame(tree, now->path.at[i])].line);
	pp_binary_varint(row, places ? n : 0);
	for (i = 0; places && i < n; i++)
		pp_binary_text(
		    row, pp_slice_from(frame_tail(s, pp_tree_frame(tree, now->path.at[i])), LINE));
}

/* A stack as a row, its frames root first. */
static void
stack_row(struct pp_buf *row, const struct stack_now *now, pp_node leaf, uint64_t batch)
{
	const struct pp_row_stacks *s = now->s;
	struct pp_slice last = frame_function(s, pp_tree_frame(&s->p->tree, leaf));
	size_t n = now->path.n;

	pp_binary_u64(row, batch);
	pp_buf_add(row, s->digests[leaf], PP_DIGEST); /* id and check */
	pp_buf_add(row, last.p, last.n);
	pp_binary_varint(row, n);
	pp_buf_add(row, now->functions.p, now->functions.n);
	row_places(row, now);
	pp_binary_varint(row, n);
	pp_buf_add(row, now->nodes.p, n * sizeof(uint64_t));
}

/* Whether a server may not have a stack yet; from now on it has, or all is forgotten. */
static bool
stack_is_new(struct pp_row_stacks *s, pp_node node, uint64_t shard)
{
	uint64_t *sent;

	/* Another profile may have had all forgotten since. */
	if (!s->known || s->generation != s->met->generation)
		return true;
	sent = &s->met->nodes.at[s->known[node]].sent;
	if (*sent & shard)
		return false;
	*sent |= shard;
	return true;
}

void
pp_row_stacks_write(struct pp_clickhouse_insert *in, struct pp_row_stacks *s, const uint8_t *has,
                    uint64_t batch, uint64_t shard)
{
	struct stack_now now = { 0 };
	bool fine = now_begin(&now, s);
	pp_node node;

	for (node = 1; fine && node < s->p->tree.n && in->status == PP_OK; node++) {
		if (!has[node] || !stack_is_new(s, node, shard))
			continue;
		fine = now_go(&now, node);
		if (!fine)
			break;
		stack_row(&in->row, &now, node, batch);
		pp_clickhouse_row(in);
	}
	if (!fine)
		in->status = PP_E_NOMEM;
	now_release(&now);
}
