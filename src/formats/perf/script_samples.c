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
/* Of how many it is counted how many are found again. */
#define CHAIN_TRIES 4096

static bool chain_is_whole(const struct pp_perf_reader *);

/* ---- samples ---------------------------------------------------------------------------- */

/* Counts a sample; false when it is too much. */
static bool
sample_count(struct pp_perf_reader *r, const struct pp_perf_sample *s)
{
	struct pp_perf_series *series = &r->threads.series.at[s->series];
	struct pp_perf_event *e = &r->threads.events.at[series->event];
	struct pp_perf_counts *c = &r->counts;

	/* Sums may be of more than samples can be. */
	if (!e->sums && __builtin_add_overflow(e->period, s->period, &e->period)) {
		e->period -= s->period;
		c->errors++;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_SUM],
		            pp_at_line(s->line, 1, s->offset), "%s",
		            pp_perf_rules[PP_PERF_SUM].title);
		return false;
	}
	c->samples++;
	e->samples++;
	e->with_period += s->has_period;
	if (!s->has_time)
		return true;
	c->time_min = !c->has_time || s->time < c->time_min ? s->time : c->time_min;
	c->time_max = !c->has_time || s->time > c->time_max ? s->time : c->time_max;
	c->has_time = true;
	series->unordered |= s->time < series->last_time;
	series->last_time = s->time;
	if (series->tid >= 0 &&
	    !pp_perf_run(&r->records.switches, series->index, series->tid, s->time))
		pp_perf_no_memory(r);
	return true;
}

/* Gives the sample being read to the builder, by its frames or by where the same stack went before. */
static void
sample_give(struct pp_perf_reader *r, pp_stack again)
{
	const struct pp_perf_sample *s = &r->cur.sample;
	int64_t values[2] = { (int64_t)s->period, 1 };
	struct pp_sample sample = { .series = r->threads.series.at[s->series].index,
		                    .cpu = s->cpu,
		                    .values = values,
		                    .timed = s->has_time,
		                    .time = s->time,
		                    .where = s->chain ? &s->chain->stack : NULL };

	if (!sample_count(r, s))
		return;
	if (again) {
		sample.where = NULL;
		(void)pp_build_again(r->builder, &sample, again);
		return;
	}
	if (s->chain)
		s->chain->waits = true;
	(void)pp_build_sample(r->builder, &sample, r->frames.stack.at, r->frames.stack.n);
}

void
pp_perf_sample_close(struct pp_perf_reader *r)
{
	pp_frame root;

	if (!r->cur.open)
		return;
	r->cur.open = r->cur.single = false;
	if (r->cur.refused)
		return;
	r->cur.has_chains |= r->cur.steps.n > 0;
	if (r->cur.steps.n == 0 && r->cur.rest.entry && !pp_vec_push(&r->cur.steps, r->cur.rest))
		pp_perf_no_memory(r);
	root = r->threads.series.at[r->cur.sample.series].root;
	r->frames.stack.n = 0;
	if (root && !pp_vec_push(&r->frames.stack, root))
		pp_perf_no_memory(r);
	if (!pp_perf_resolve(r))
		return;
	if (!chain_is_whole(r))
		r->cur.sample.chain = NULL;
	sample_give(r, 0);
}

void
pp_perf_sample_open(struct pp_perf_reader *r, const struct pp_perf_sample *now, bool fine)
{
	r->cur.sample = *now;
	r->cur.open = true;
	r->cur.refused = !fine;
	r->cur.record = r->loose.waits = r->cur.uneven = r->cur.headless = false;
	r->cur.rest.entry = 0;
	r->cur.steps.n = 0;
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

struct pp_slice
pp_perf_chain_text(struct pp_slice text, uint64_t max_line, uint32_t *lines)
{
	size_t most = max_line < CHAIN_LONGEST ? (size_t)max_line : CHAIN_LONGEST;
	const unsigned char *p = text.p, *end = p + (text.n < most ? text.n : most);

	for (*lines = 0; p < end && *p != '\n'; ++*lines) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			break;
		p++;
	}
	return pp_slice_of(text.p, p && p < end ? (size_t)(p - text.p) : 0);
}

size_t
pp_perf_chain_slot(uint64_t hash)
{
	return hash & (CHAIN_SLOTS - 1);
}

size_t
pp_perf_chain_slots(void)
{
	return CHAIN_SLOTS;
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
	return pp_diags_total(r->reader->diags, PP_NOTE) + r->counts.details;
}

/* Whether the sample was the text it seemed to be, and nothing else: then the same text is the same stack. */
static bool
chain_is_whole(const struct pp_perf_reader *r)
{
	return r->cur.sample.chain && r->line == r->cur.sample.line + r->cur.chain_lines + 1 &&
	       r->cur.chain_trouble == trouble(r);
}

/* Takes a stack that was there before. */
static void
chain_again(struct pp_perf_reader *r, struct pp_perf_chain *slot)
{
	slot->used = true;
	sample_give(r, slot->stack);
	r->line += slot->lines + 1;
	r->reader->in->cur += slot->n + 1;
	r->cur.open = false;
	r->cur.blank = r->cur.has_chains = true;
}

/* Keeps the text of the sample being read, unless something that is in use is in the way. */
static void
chain_note(struct pp_perf_reader *r, struct pp_perf_chain *slot, struct pp_slice text,
           uint64_t hash, uint32_t lines)
{
	/* What was used since it was last in the way stays for once, and what the builder will fill. */
	if (slot->used || (slot->waits && !slot->stack)) {
		slot->used = false;
		return;
	}
	chain_keep(&r->chains, slot, text, hash, lines);
	if (r->ahead.known)
		__atomic_store_n(&r->ahead.known[pp_perf_chain_slot(hash)], hash, __ATOMIC_RELAXED);
	r->cur.sample.chain = slot;
	r->cur.chain_lines = lines;
	r->cur.chain_trouble = trouble(r);
}

/*
 * Whether to look for a stack among those that were there. Where addresses differ nearly everywhere, as with
 * many short-lived processes, hardly one in sixteen is found; then most are not looked for.
 */
static bool
chains_pay(struct pp_perf_chains *c)
{
	if (c->pause) {
		c->pause--;
		return false;
	}
	if (c->tried++ < CHAIN_TRIES)
		return true;
	c->pause = c->found < CHAIN_TRIES / 16 ? 7 * CHAIN_TRIES : 0;
	c->tried = c->found = 0;
	return true;
}

/* The frames of a stack that was not there lately. */
static void
chain_frames(struct pp_perf_reader *r, struct pp_slice text, const struct pp_perf_found *found)
{
	uint32_t taken = 0;

	if (found && found->key_count)
		r->reader->in->cur += pp_perf_keys_take(r, text.p, r->ahead.keys + found->first_key,
		                                        found->key_count, &taken);
	else
		r->reader->in->cur += pp_perf_frames_take(r, text, &taken);
	r->line += taken;
}

void
pp_perf_chain_take(struct pp_perf_reader *r, const struct pp_perf_found *found)
{
	struct pp_input *in = r->reader->in;
	struct pp_perf_chain *slot;
	struct pp_slice text;
	uint32_t lines;
	uint64_t hash;

	if (r->cur.refused || r->cur.rest.entry || r->cur.steps.n || in->cur == in->end ||
	    *in->cur != '\t')
		return;
	if (found) {
		text = found->text;
		lines = found->lines;
	} else {
		text = pp_perf_chain_text(pp_slice_between(in->cur, in->end),
		                          r->reader->limits.max_line, &lines);
	}
	if (text.n == 0)
		return;
	if (r->root == PP_PERF_ROOT_NONE && chains_pay(&r->chains)) {
		hash = found ? found->hash : pp_hash_long(text, r->builder->seed);
		slot = &r->chains.slots[pp_perf_chain_slot(hash)];
		if (!chain_is(&r->chains, slot, text, hash)) {
			chain_note(r, slot, text, hash, lines);
		} else if (slot->stack) {
			r->chains.found++;
			chain_again(r, slot);
			return;
		}
	}
	chain_frames(r, text, found);
}
