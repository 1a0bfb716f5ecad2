/*
 * Samples: from a header and its frames to the cost of a stack.
 *
 * Stacks wait in a batch, because the tree adds many at once faster than one after the other. And a stack
 * that was there lately, byte by byte, need not be taken apart again: those are kept as text in a ring.
 * Programs loop, so most stacks are such.
 */
#include "formats/perf/perf_script.h"

/* How many stacks are kept as text, in how much of it, and the longest that is worth it. */
#define CHAIN_SLOTS ((size_t)1 << 13)
#define CHAIN_BYTES ((size_t)8 << 20)
#define CHAIN_LONGEST ((size_t)16 << 10)

static bool chain_is_whole(const struct pp_perf_reader *);

/* ---- rows ------------------------------------------------------------------------------- */

/* Adds a sample to the cost of its stack. */
static bool
row_add(struct pp_perf_reader *r, const struct pp_perf_waiting *w, pp_node node)
{
	uint64_t key = (uint64_t)w->series << 32 | node;
	uint32_t at = pp_map_get(&r->row_of, key);

	if (at == PP_MAP_NONE) {
		struct pp_perf_row fresh = { .series = w->series, .node = node };

		at = (uint32_t)r->rows.n;
		if (at == PP_MAP_NONE || !pp_vec_push(&r->rows, fresh) ||
		    !pp_map_set(&r->row_of, key, at)) {
			pp_perf_no_memory(r);
			return false;
		}
	}
	/* Cannot overflow: the sum over all rows of the event does not. */
	r->rows.at[at].period += w->period;
	r->rows.at[at].samples++;
	return true;
}

static void
timeline_add(struct pp_perf_reader *r, const struct pp_perf_waiting *w, pp_node node)
{
	struct pp_perf_series *s = &r->series.at[w->series];
	struct pp_event event = { PP_EVENT_SAMPLE, node, w->time, w->cpu };
	int64_t values[2] = { (int64_t)w->period, 1 };

	if (!s->timeline.last_values && !pp_timeline_init(&s->timeline, 2, false))
		pp_perf_no_memory(r);
	else if (!pp_timeline_add(&s->timeline, &event, values))
		pp_perf_no_memory(r);
}

/* Counts a sample whose stack is known. */
static void
sample_count(struct pp_perf_reader *r, const struct pp_perf_waiting *w, pp_node node)
{
	struct pp_perf_series *s = &r->series.at[w->series];
	struct pp_perf_event *e = &r->events.at[s->event];
	uint64_t period;

	if (__builtin_add_overflow(e->period, w->period, &period)) {
		r->errors++;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_SUM],
		            pp_at_line(w->line, 1, w->offset), "%s",
		            pp_perf_rules[PP_PERF_SUM].title);
		return;
	}
	if (!row_add(r, w, node))
		return;
	e->period = period;
	r->samples++;
	e->samples++;
	e->with_period += w->has_period;
	if (!w->has_time)
		return;
	r->time_min = !r->has_time || w->time < r->time_min ? w->time : r->time_min;
	r->time_max = !r->has_time || w->time > r->time_max ? w->time : r->time_max;
	r->has_time = true;
	s->unordered |= w->time < s->last_time;
	s->last_time = w->time;
	if (r->timeline)
		timeline_add(r, w, node);
}

void
pp_perf_flush(struct pp_perf_reader *r)
{
	size_t i, at = 0;
	bool fine = r->stacks == 0 ||
	            pp_build_batch(r->builder, r->frames, r->depth, r->under, r->stacks, r->leaf);

	for (i = 0; fine && i < r->waiting; i++) {
		const struct pp_perf_waiting *w = &r->batch[i];
		pp_node node = w->node ? w->node : r->leaf[at++];

		if (w->chain && r->chains.slots[w->chain - 1].at == w->chain_at)
			r->chains.slots[w->chain - 1].leaf = node;
		sample_count(r, w, node);
		fine = pp_builder_ok(r->builder);
	}
	r->waiting = r->stacks = r->frames_n = 0;
}

/* A stack that no batch has room for. */
static void
deep_add(struct pp_perf_reader *r, pp_frame root)
{
	pp_frame *frames = calloc(r->steps.n + 1, sizeof *frames);
	pp_node node = 0;
	size_t i;

	pp_perf_flush(r);
	if (!frames) {
		pp_perf_no_memory(r);
		return;
	}
	if (root)
		node = pp_build_child(r->builder, 0, root);
	if (pp_perf_resolve(r, frames))
		for (i = 0; i < r->steps.n; i++)
			node = pp_build_child(r->builder, node, frames[i]);
	free(frames);
	if (pp_builder_ok(r->builder))
		sample_count(r, &r->now, node);
}

/* ---- samples ---------------------------------------------------------------------------- */

void
pp_perf_sample_close(struct pp_perf_reader *r)
{
	pp_frame root;
	size_t n;

	if (!r->open)
		return;
	r->open = r->single = false;
	if (r->refused)
		return;
	r->has_chains |= r->steps.n > 0;
	if (r->steps.n == 0 && r->rest &&
	    !pp_vec_push(&r->steps, (struct pp_perf_step){ r->rest, 0 }))
		pp_perf_no_memory(r);
	root = r->series.at[r->now.series].root;
	n = r->steps.n + (root != 0);
	if (PP_UNLIKELY(n > PP_TREE_BATCH)) {
		deep_add(r, root);
		return;
	}
	if (r->waiting == PP_PERF_BATCH || r->frames_n + n > PP_TREE_BATCH)
		pp_perf_flush(r);
	if (root)
		r->frames[r->frames_n] = root;
	if (!pp_perf_resolve(r, r->frames + r->frames_n + (root != 0)))
		return;
	if (!chain_is_whole(r))
		r->now.chain = 0;
	r->batch[r->waiting++] = r->now;
	r->depth[r->stacks] = (uint32_t)n;
	r->under[r->stacks++] = 0;
	r->frames_n += n;
}

void
pp_perf_sample_open(struct pp_perf_reader *r, const struct pp_perf_waiting *now, bool fine)
{
	r->now = *now;
	r->open = true;
	r->refused = !fine;
	r->record = r->loose = r->uneven = r->headless = false;
	r->rest = 0;
	r->steps.n = 0;
}

/* ---- stacks that were there before ------------------------------------------------------ */

bool
pp_perf_chains_init(struct pp_perf_reader *r)
{
	struct pp_perf_chains *c = &r->chains;

	c->slots = calloc(CHAIN_SLOTS, sizeof *c->slots);
	c->ring = malloc(CHAIN_BYTES);
	c->head = CHAIN_BYTES; /* so that a slot of zeros is out of date */
	return c->slots && c->ring;
}

void
pp_perf_chains_release(struct pp_perf_reader *r)
{
	free(r->chains.slots);
	free(r->chains.ring);
}

/*
 * The text of a stack up to the empty line that ends it, and how many lines it has; nothing when it is
 * not in the window.
 */
static struct pp_slice
chain_text(const struct pp_input *in, uint32_t *lines)
{
	size_t left = pp_input_left(in), n = left < CHAIN_LONGEST ? left : CHAIN_LONGEST;
	const unsigned char *p = in->cur, *end = p + n;

	for (*lines = 0; p < end && *p != '\n'; ++*lines) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			break;
		p++;
	}
	return pp_slice_of(in->cur, p && p < end ? (size_t)(p - in->cur) : 0);
}

/* Four lanes, so that multiplications overlap. */
static uint64_t
chain_hash(const struct pp_perf_reader *r, struct pp_slice text)
{
	uint64_t seed = r->builder->seed, a = seed, b = seed ^ PP_HASH_K1, c = seed ^ PP_HASH_K2,
	         d = ~seed;
	const unsigned char *p = text.p;
	size_t n = text.n;

	for (; n >= 32; p += 32, n -= 32) {
		a = pp_mix(a ^ pp_load64(p), PP_HASH_K1);
		b = pp_mix(b ^ pp_load64(p + 8), PP_HASH_K2);
		c = pp_mix(c ^ pp_load64(p + 16), PP_HASH_K1);
		d = pp_mix(d ^ pp_load64(p + 24), PP_HASH_K2);
	}
	return pp_hash_bytes(p, n, pp_mix(a ^ b, PP_HASH_K1 ^ c) ^ d ^ text.n);
}

/* Whether a slot holds that text. */
static bool
chain_is(const struct pp_perf_chains *c, const struct pp_perf_chain *slot, struct pp_slice text,
         uint64_t hash)
{
	return slot->hash == hash && slot->n == text.n && c->head - slot->at <= CHAIN_BYTES &&
	       slot->at >= CHAIN_BYTES &&
	       memcmp(c->ring + slot->at % CHAIN_BYTES, text.p, text.n) == 0;
}

/* Puts a text into the ring, over the oldest ones, and into a slot. */
static void
chain_keep(struct pp_perf_chains *c, struct pp_perf_chain *slot, struct pp_slice text,
           uint64_t hash, uint32_t lines)
{
	size_t left = CHAIN_BYTES - c->head % CHAIN_BYTES;

	if (text.n > left)
		c->head += left;
	memcpy(c->ring + c->head % CHAIN_BYTES, text.p, text.n);
	*slot = (struct pp_perf_chain){
		.hash = hash, .at = c->head, .n = (uint32_t)text.n, .lines = lines
	};
	c->head += text.n;
}

/* How much there was to say so far. */
static uint64_t
trouble(const struct pp_perf_reader *r)
{
	return pp_diags_total(r->reader->diags, PP_NOTE) + r->details;
}

/* Whether the sample was the text it seemed to be, and nothing else: then the same text is the same stack. */
static bool
chain_is_whole(const struct pp_perf_reader *r)
{
	return r->now.chain && r->line == r->now.line + r->chain_lines + 1 &&
	       r->chain_trouble == trouble(r);
}

/* Takes a stack that was there before. */
static void
chain_again(struct pp_perf_reader *r, struct pp_perf_chain *slot)
{
	if (r->waiting == PP_PERF_BATCH)
		pp_perf_flush(r);
	slot->used = true;
	r->now.node = slot->leaf;
	r->batch[r->waiting++] = r->now;
	r->line += slot->lines + 1;
	r->reader->in->cur += slot->n + 1;
	r->open = false;
	r->blank = r->has_chains = true;
}

/* Takes the frames of a stack that is not known as a whole, as far as they are. */
static void
frames_again(struct pp_perf_reader *r, struct pp_slice text)
{
	uint32_t lines = 0;

	r->reader->in->cur += pp_perf_known_frames(r, text, &lines);
	r->line += lines;
}

/* Keeps the text of the sample being read, unless something that is in use is in the way. */
static void
chain_note(struct pp_perf_reader *r, struct pp_perf_chain *slot, struct pp_slice text,
           uint64_t hash, uint32_t lines)
{
	/* What was used since it was last in the way stays for once. */
	if (slot->used) {
		slot->used = false;
		return;
	}
	chain_keep(&r->chains, slot, text, hash, lines);
	r->now.chain = (uint32_t)(slot - r->chains.slots) + 1;
	r->now.chain_at = slot->at;
	r->chain_lines = lines;
	r->chain_trouble = trouble(r);
}

void
pp_perf_chain_take(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	struct pp_perf_chain *slot;
	struct pp_slice text;
	uint32_t lines;
	uint64_t hash;

	if (r->refused || r->rest || r->steps.n || in->cur == in->end || *in->cur != '\t')
		return;
	text = chain_text(in, &lines);
	if (text.n == 0)
		return;
	if (r->root == PP_PERF_ROOT_NONE) {
		hash = chain_hash(r, text);
		slot = &r->chains.slots[hash & (CHAIN_SLOTS - 1)];
		if (!chain_is(&r->chains, slot, text, hash)) {
			chain_note(r, slot, text, hash, lines);
		} else if (slot->leaf) {
			chain_again(r, slot);
			return;
		}
	}
	frames_again(r, text);
}
