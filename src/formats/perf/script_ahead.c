/*
 * Two threads and more on one text. What samples mean depends on all that came before them; where they are, what
 * their headers say and by what the lines of their stacks are looked up depends on nothing, and takes more than
 * half of the time. So that is found out ahead, piece by piece, and one thread uses it in order: the profile is
 * the same, finding by finding, whatever the number of threads.
 */
#include "formats/kit/parts.h"
#include "formats/perf/perf_script.h"

#define PIECE_BYTES ((size_t)256 << 10)
#define PIECES_MOST 16
/* Less than that is read before threads are there. */
#define SMALLEST ((size_t)2 << 20)

struct piece {
	struct pp_slice text; /* whole lines */
	PP_VEC(struct pp_perf_found) found;
	struct pp_perf_keys keys;
};

struct ahead {
	struct pp_perf_reader *r;
	const unsigned char *begin, *next, *end; /* what is to be cut into pieces */
	struct pp_behind behind;
	struct piece piece[2 * PIECES_MOST];
};

/* ---- any thread ------------------------------------------------------------------------- */

/* Whether a stack was there lately, so that hardly anybody will ask for its lines. */
static bool
is_known(const struct pp_perf_reader *r, uint64_t hash)
{
	return r->ahead.known &&
	       __atomic_load_n(&r->ahead.known[pp_perf_chain_slot(hash)], __ATOMIC_RELAXED) == hash;
}

/* The sample whose header is a line, the stack of which begins at `stack`; the end of it, or NULL. */
static const unsigned char *
sample_find(const struct pp_perf_reader *r, struct piece *piece, struct pp_slice line,
            const unsigned char *stack)
{
	uint64_t max_line = r->reader->limits.max_line;
	struct pp_perf_found found = { .line = line, .first_key = piece->keys.list.n };

	if (line.n == 0 || line.n > max_line || line.p[0] == '#' || line.p[0] == '\t' ||
	    pp_perf_header_parse(line, &found.header) != PP_PERF_SAMPLE)
		return NULL;
	found.text = pp_perf_chain_text(pp_slice_between(stack, piece->text.p + piece->text.n),
	                                max_line, &found.lines);
	if (found.text.n == 0)
		return NULL;
	found.hash = r->root == PP_PERF_ROOT_NONE ? pp_hash_long(found.text, r->builder->seed) : 0;
	if (!is_known(r, found.hash)) {
		if (!pp_perf_keys_make(r, found.text, &piece->keys))
			piece->keys.list.n = found.first_key;
		found.key_count = (uint32_t)(piece->keys.list.n - found.first_key);
	}
	return pp_vec_push(&piece->found, found) ? found.text.p + found.text.n : NULL;
}

/* What is not found for want of memory is found by whoever uses the piece. */
static void
piece_work(void *ctx, unsigned index)
{
	struct ahead *a = ctx;
	struct piece *piece = &a->piece[index];
	const unsigned char *p = piece->text.p, *end = p + piece->text.n;

	piece->found.n = piece->keys.list.n = piece->keys.texts.n = 0;
	if (!pp_vec_reserve(&piece->keys.texts, piece->text.n + 2))
		return;
	while (p < end) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(end - p)), *behind = NULL;

		if (stop + 1 < end && stop[1] == '\t')
			behind = sample_find(a->r, piece, pp_slice_between(p, stop), stop + 1);
		p = behind ? behind : stop + 1;
	}
}

/* ---- one thread ------------------------------------------------------------------------- */

static bool
piece_fill(void *ctx, unsigned index)
{
	struct ahead *a = ctx;
	size_t left = (size_t)(a->end - a->next), n = left < PIECE_BYTES ? left : PIECE_BYTES;
	const unsigned char *end = n ? pp_line_end(a->next + n - 1, a->end) : a->end;

	a->piece[index].text = pp_slice_between(a->next, end);
	a->next = end;
	return n > 0;
}

static bool
piece_take(void *ctx, unsigned index)
{
	struct ahead *a = ctx;
	const struct piece *piece = &a->piece[index];
	struct pp_perf_reader *r = a->r;
	bool good;

	r->ahead.next = piece->found.at;
	r->ahead.end = piece->found.at + piece->found.n;
	r->ahead.keys = piece->keys.list.at;
	good = pp_perf_lines_take(r, piece->text.p + piece->text.n);
	r->ahead.next = r->ahead.end = NULL;
	pp_input_behind(r->reader->in, &a->behind, a->begin, r->reader->in->cur);
	return good;
}

pp_status
pp_perf_ahead_read(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	unsigned most = r->reader->threads < PIECES_MOST / 2 ? r->reader->threads : PIECES_MOST / 2,
	         i;
	struct pp_rounds rounds = { .reader = r->reader,
		                    .room = 2 * most,
		                    .fill = piece_fill,
		                    .work = piece_work,
		                    .take = piece_take };
	struct ahead *a;
	pp_status status;

	if (most < 2 || !in->stable || pp_input_left(in) < SMALLEST)
		return PP_E_UNSUPPORTED;
	a = calloc(1, sizeof *a);
	if (!a)
		return PP_E_NOMEM;
	a->r = r;
	a->begin = a->next = in->cur;
	a->end = pp_last_line_end(in->cur, in->end);
	rounds.ctx = a;
	r->ahead.known = calloc(pp_perf_chain_slots(), sizeof *r->ahead.known);
	status = r->ahead.known ? pp_rounds_run(&rounds) : PP_E_NOMEM;
	for (i = 0; i < PP_COUNT_OF(a->piece); i++) {
		pp_vec_release(&a->piece[i].found);
		pp_vec_release(&a->piece[i].keys.list);
		pp_vec_release(&a->piece[i].keys.texts);
	}
	free(r->ahead.known);
	r->ahead.known = NULL;
	free(a);
	return status == PP_OK ? r->builder->status : status;
}
