/*
 * Folded stacks to canonical folded stacks without a tree in between. Only sound files go this way: one with a bad
 * line, a sum past 64 bits or a limit passed is left to the long way, which knows what to say.
 *
 * Lines whose stack was seen before are added to its record, found by a hash over the whole stack. What
 * remains is sorted by bytes and written. The sort looks at eight bytes of all strings of a group at a
 * time, kept beside the pointer: stacks share long beginnings, and comparing them whole would read
 * those again and again.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "formats/folded/lines.h"

/* Groups up to this size are sorted by insertion. */
#define SMALL_GROUP 12
/* How far ahead the bytes of strings are fetched. */
#define AHEAD 12
/* Lines whose lookups overlap. */
#define WAITING 32
#define FIRST_BITS 14

/* One distinct stack. `key` is what the sort compares: eight bytes from the current depth on. */
struct stack {
	uint64_t key;
	const unsigned char *p;
	uint32_t n;
	uint32_t count; /* index of its counts */
};

/* A line taken apart but not yet looked up, so that lookups overlap. */
struct waiting {
	struct pp_folded_line line;
	uint64_t hash;
};

/* Stacks [begin, end) that are equal in their first `depth` bytes. */
struct group {
	size_t begin, end;
	size_t depth;
};

struct rewriter {
	struct pp_reader *reader;
	struct pp_sink *out;
	unsigned counts;
	PP_VEC(struct stack) stacks;
	PP_VEC(uint64_t) values; /* counts[stack.count * counts ...] */
	struct pp_slots slots;   /* of a stack: its index + 1 */
	struct waiting waiting[WAITING];
	size_t waiting_count;
	PP_VEC(struct group) groups; /* still to be sorted */
};

/* ---- collecting ------------------------------------------------------------------------- */

/* Takes one record. PP_E_UNSUPPORTED when its sum exceeds 64 bits. */
static pp_status
rewriter_add(struct rewriter *r, const struct pp_folded_line *line, uint64_t hash)
{
	uint32_t tag = (uint32_t)(hash >> 32);
	struct stack stack = { 0, line->stack.p, (uint32_t)line->stack.n, (uint32_t)r->stacks.n };
	uint32_t row;
	unsigned k;
	size_t at;

	if (!pp_slots_reserve(&r->slots, 1))
		return PP_E_NOMEM;
	at = pp_slots_begin(&r->slots, tag);
	while ((row = pp_slots_next(&r->slots, tag, &at))) {
		const struct stack *known = &r->stacks.at[row - 1];
		size_t first = (size_t)known->count * r->counts;

		if (known->n != line->stack.n || memcmp(known->p, line->stack.p, known->n) != 0)
			continue;
		for (k = 0; k < r->counts; k++)
			if (__builtin_add_overflow(r->values.at[first + k], line->count[k],
			                           &r->values.at[first + k]))
				return PP_E_UNSUPPORTED;
		return PP_OK;
	}
	if (r->stacks.n >= UINT32_MAX - 1 || !pp_vec_push(&r->stacks, stack))
		return PP_E_NOMEM;
	for (k = 0; k < r->counts; k++)
		if (!pp_vec_push(&r->values, line->count[k]))
			return PP_E_NOMEM;
	pp_slots_put_here(&r->slots, at, tag, (uint32_t)r->stacks.n);
	return PP_OK;
}

/* Adds the lines that wait; their slots have been fetched meanwhile. */
static pp_status
rewriter_add_waiting(struct rewriter *r)
{
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < r->waiting_count && status == PP_OK; i++)
		status = rewriter_add(r, &r->waiting[i].line, r->waiting[i].hash);
	r->waiting_count = 0;
	return status;
}

/* Takes one line apart. */
static pp_status
rewriter_line(struct rewriter *r, const struct pp_folded_grammar *grammar, struct pp_slice line)
{
	struct waiting *w = &r->waiting[r->waiting_count];

	switch (pp_folded_parse(grammar, line, &w->line)) {
	case PP_FOLDED_BAD:
		return PP_E_UNSUPPORTED;
	case PP_FOLDED_RECORD:
		if (pp_folded_passes_limit(&r->reader->limits, &w->line, line.n))
			return PP_E_UNSUPPORTED;
		w->hash = pp_hash_long(w->line.stack, r->reader->seed);
		pp_slots_prefetch(&r->slots, (uint32_t)(w->hash >> 32));
		if (++r->waiting_count == WAITING)
			return rewriter_add_waiting(r);
		break;
	case PP_FOLDED_BLANK:
		break;
	}
	return PP_OK;
}

static pp_status
rewriter_collect(struct rewriter *r, const struct pp_folded_grammar *grammar)
{
	struct pp_input *in = r->reader->in;
	const unsigned char *p = in->cur;
	pp_status status = pp_slots_init(&r->slots, FIRST_BITS, NULL) ? PP_OK : PP_E_NOMEM;
	uint64_t number = 0;

	while (p < in->end && status == PP_OK) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(in->end - p));

		stop = stop ? stop : in->end;
		status = rewriter_line(r, grammar, pp_slice_of(p, (size_t)(stop - p)));
		p = stop < in->end ? stop + 1 : stop;
		in->cur = p;
		if ((++number & 0xffff) == 0 && r->reader->progress &&
		    r->reader->progress(r->reader))
			return PP_E_IO;
	}
	return status == PP_OK ? rewriter_add_waiting(r) : status;
}

/* ---- sorting ---------------------------------------------------------------------------- */

/* The eight bytes from `depth` on as a number that sorts like them; zeros past the end. */
static inline uint64_t
key_at(const struct stack *s, size_t depth)
{
	size_t left = s->n - depth;
	uint64_t word;

	/* The input's padding allows reading past the end of the last string. */
	word = __builtin_bswap64(pp_load64(s->p + depth));
	return left >= 8 ? word : left ? word & ~(uint64_t)0 << (64 - left * 8) : 0;
}

/* Order from `depth` on, for small groups and for strings whose keys are equal to their end. */
static int
compare_rest(const struct stack *a, const struct stack *b, size_t depth)
{
	return pp_slice_cmp(pp_slice_of(a->p + depth, a->n - depth),
	                    pp_slice_of(b->p + depth, b->n - depth));
}

/* Small groups: by key, then by what follows. Strings are distinct, so there is always an order. */
static void
insertion_sort(struct stack *s, size_t n, size_t depth)
{
	size_t i, k;

	for (i = 1; i < n; i++) {
		struct stack x = s[i];

		for (k = i; k > 0; k--) {
			if (s[k - 1].key < x.key ||
			    (s[k - 1].key == x.key && compare_rest(&s[k - 1], &x, depth) < 0))
				break;
			s[k] = s[k - 1];
		}
		s[k] = x;
	}
}

static inline void
swap(struct stack *a, struct stack *b)
{
	struct stack t = *a;

	*a = *b;
	*b = t;
}

static uint64_t
median(uint64_t a, uint64_t b, uint64_t c)
{
	if (a < b)
		return b < c ? b : (a < c ? c : a);
	return a < c ? a : (b < c ? c : b);
}

/*
 * Splits by the pivot key: [0, *less) smaller, [*less, *more) equal, [*more, n) larger.
 */
static void
partition(struct stack *s, size_t n, size_t *less, size_t *more)
{
	uint64_t pivot = median(s[0].key, s[n / 2].key, s[n - 1].key);
	size_t low = 0, at = 0, high = n;

	while (at < high) {
		if (s[at].key < pivot)
			swap(&s[low++], &s[at++]);
		else if (s[at].key > pivot)
			swap(&s[at], &s[--high]);
		else
			at++;
	}
	*less = low;
	*more = high;
}

static void
load_keys(struct stack *s, size_t n, size_t depth)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(s[i + AHEAD].p + depth);
		/* What the next rounds will look at, if these strings stay together. */
		__builtin_prefetch(s[i].p + depth + 64);
		s[i].key = key_at(&s[i], depth);
	}
}

/*
 * A group of equal keys goes on eight bytes further. Strings that end within these eight come first,
 * shorter before longer: equal keys mean that they differ in length only (by NUL bytes).
 */
static bool
group_deeper(struct rewriter *r, size_t begin, size_t end, size_t depth)
{
	struct stack *s = r->stacks.at;
	size_t at = begin, i;

	for (i = begin; i < end; i++)
		if (s[i].n - depth <= 8)
			swap(&s[at++], &s[i]);
	if (at - begin > 1)
		insertion_sort(s + begin, at - begin, depth);
	if (end - at < 2)
		return true;
	load_keys(s + at, end - at, depth + 8);
	return pp_vec_push(&r->groups, (struct group){ at, end, depth + 8 });
}

/* Sorts all stacks; false when out of memory. */
static bool
rewriter_sort(struct rewriter *r)
{
	if (r->stacks.n == 0)
		return true;
	load_keys(r->stacks.at, r->stacks.n, 0);
	if (!pp_vec_push(&r->groups, (struct group){ 0, r->stacks.n, 0 }))
		return false;
	while (r->groups.n) {
		struct group g = r->groups.at[--r->groups.n];
		struct stack *s = r->stacks.at + g.begin;
		size_t less, more;

		if (g.end - g.begin <= SMALL_GROUP) {
			insertion_sort(s, g.end - g.begin, g.depth);
			continue;
		}
		partition(s, g.end - g.begin, &less, &more);
		if (!pp_vec_push(&r->groups, (struct group){ g.begin, g.begin + less, g.depth }) ||
		    !pp_vec_push(&r->groups, (struct group){ g.begin + more, g.end, g.depth }) ||
		    !group_deeper(r, g.begin + less, g.begin + more, g.depth))
			return false;
	}
	return true;
}

/* ---- writing ---------------------------------------------------------------------------- */

static void
rewriter_write(struct rewriter *r)
{
	size_t i;
	unsigned k;

	if (r->stacks.n)
		pp_folded_write_mark(r->out, pp_slice_of(r->stacks.at[0].p, r->stacks.at[0].n));
	for (i = 0; i < r->stacks.n && r->out->status == PP_OK; i++) {
		const struct stack *s = &r->stacks.at[i];

		if (i + 2 < r->stacks.n) {
			__builtin_prefetch(r->stacks.at[i + 2].p);
			__builtin_prefetch(r->stacks.at[i + 2].p + 64);
			__builtin_prefetch(
			    &r->values.at[(size_t)r->stacks.at[i + 2].count * r->counts]);
		}
		pp_sink_write(r->out, s->p, s->n);
		for (k = 0; k < r->counts; k++) {
			pp_sink_putc(r->out, ' ');
			pp_sink_u64(r->out, r->values.at[(size_t)s->count * r->counts + k]);
		}
		pp_sink_putc(r->out, '\n');
	}
}

/* All of it, with findings for a sound file only. */
static pp_status
rewriter_run(struct rewriter *r, unsigned counts)
{
	struct pp_folded_input input;
	pp_status status = pp_folded_open(&input, r->reader, counts);

	r->counts = input.grammar.counts;
	/* What turned out to be the other kind is not this format's to rewrite. */
	if (status == PP_OK && r->counts != counts)
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK)
		status = rewriter_collect(r, &input.grammar);
	if (status == PP_OK && r->reader->in->status != PP_OK)
		status = PP_E_UNSUPPORTED;
	if (status == PP_OK && !rewriter_sort(r))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		rewriter_write(r);
		status = r->out->status;
	}
	pp_folded_close(&input, r->reader);
	return status;
}

pp_status
pp_folded_rewrite(struct pp_reader *reader, struct pp_sink *out, unsigned counts)
{
	struct rewriter r = { .reader = reader, .out = out };
	struct pp_diags *diags = reader->diags, own;
	const unsigned char *begin = reader->in->cur;
	pp_status status;

	/* Slices into the input are kept until the end. */
	if (!reader->in->stable)
		return PP_E_UNSUPPORTED;
	pp_diags_init(&own);
	reader->diags = &own;
	status = rewriter_run(&r, counts);
	reader->diags = diags;
	if (status == PP_E_UNSUPPORTED)
		reader->in->cur = begin;
	else
		pp_diags_append(diags, &own, 0);
	pp_diags_release(&own);
	pp_vec_release(&r.stacks);
	pp_vec_release(&r.values);
	pp_vec_release(&r.groups);
	pp_slots_release(&r.slots);
	return status;
}
