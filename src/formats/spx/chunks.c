/*
 * The events of a section, cut into chunks that several threads can read.
 *
 * A chunk ends at a newline. The next one is independent when its first line tells all values: any
 * plain line of the 0.4 layout, the first line of a block of 8192 events in the 0.5 layout. Otherwise
 * it needs the state behind the chunk before and waits for it. Where the text is cut does not depend on
 * the number of threads. While chunks are read, one thread fills the next ones.
 */
#include "formats/spx/read.h"

/* Lines looked at from the end of a chunk for a place to cut. */
#define CUT_LINES 64
/* References reach back this many events, says SPX's own reader. */
#define CUT_AHEAD 20
#define BATCH_MOST 64
#define FORGET_STEP ((size_t)16 << 20)

static const char header_functions[] = "[functions]", header_events[] = "[events]";

int
pp_spx_header_at(struct pp_input *in, size_t *length)
{
	const char *const headers[] = { header_functions, header_events };
	size_t i, n, left;

	(void)pp_input_need(in, sizeof header_functions + 1);
	left = pp_input_left(in);
	for (i = 0; i < PP_COUNT_OF(headers); i++) {
		n = strlen(headers[i]);
		if (left < n || memcmp(in->cur, headers[i], n) != 0)
			continue;
		if (left > n && in->cur[n] == '\r')
			n++;
		if (left > n && in->cur[n] != '\n')
			continue;
		*length = left > n ? n + 1 : n;
		return headers[i][1];
	}
	return 0;
}

/* ---- filling ---- */

/* A mapped file need not stay in memory behind us. */
static void
forget_behind(struct spx_read *r)
{
	struct pp_input *in = r->in;

	if (!in->stable || !in->forget)
		return;
	if (!r->kept)
		r->kept = in->begin;
	if ((size_t)(in->cur - r->kept) < FORGET_STEP)
		return;
	in->forget(in, r->kept, in->cur);
	r->kept = in->cur;
}

/* Copies some bytes of the section; 0 when it has ended. */
static size_t
take_bytes(struct spx_read *r, unsigned char *to, size_t room)
{
	struct pp_input *in = r->in;
	const unsigned char *bracket;
	size_t n, length;
	int header;

	if (!pp_input_need(in, 1)) {
		r->section_end = true;
		r->header = 0;
		return 0;
	}
	n = pp_input_left(in) < room ? pp_input_left(in) : room;
	bracket = memchr(in->cur, '[', n);
	if (bracket == in->cur) {
		header = pp_spx_header_at(in, &length);
		/* The newline before [functions] may be lost like any other; see spx_events_04.c. */
		if (header == 'f' || (header == 'e' && (!r->begun || r->last_byte == '\n'))) {
			in->cur += length;
			r->section_end = true;
			r->header = header;
			return 0;
		}
		n = 1;
	} else if (bracket) {
		n = (size_t)(bracket - in->cur);
	}
	memcpy(to, in->cur, n);
	in->cur += n;
	forget_behind(r);
	r->begun = true;
	r->last_byte = to[n - 1];
	return n;
}

/* The line that ends at `newline`, without it. */
static struct pp_slice
line_before(const unsigned char *text, const unsigned char *newline)
{
	const unsigned char *before = text && newline > text
	                                  ? memrchr(text, '\n', (size_t)(newline - text))
	                                  : NULL;
	const unsigned char *begin = before ? before + 1 : text;

	return pp_slice_of(begin, (size_t)(newline - begin));
}

/* A line of the 0.4 layout with all its values, which are plain whole numbers. */
static bool
stands_alone_04(const struct spx_layout *layout, struct pp_slice line)
{
	size_t i, fields = 1;
	bool digit = false;

	for (i = 0; i < line.n; i++) {
		if (line.p[i] == ' ') {
			if (!digit)
				return false;
			fields++;
			digit = false;
		} else if ((unsigned)line.p[i] - '0' <= 9) {
			digit = true;
		} else {
			return false;
		}
	}
	return digit && fields == (size_t)layout->columns + 2;
}

static const unsigned char *
cut_04(const struct spx_layout *layout, const unsigned char *text, const unsigned char *newline)
{
	unsigned i;

	for (i = 0; i < CUT_LINES && newline; i++) {
		struct pp_slice line = line_before(text, newline);

		if (line.p == text)
			return NULL;
		if (stands_alone_04(layout, line))
			return line.p;
		newline = line.p - 1;
	}
	return NULL;
}

/* A line of the 0.5 layout with all its values, which are absolute. */
static bool
stands_alone_05(const struct spx_layout *layout, struct pp_slice line)
{
	size_t i, values = 0;

	for (i = 0; i + 1 < line.n; i++)
		values += line.p[i] == '|' && line.p[i + 1] == 'a';
	return values == layout->columns;
}

/* Whether no line within reach refers back over the line at p. Lines end at `newline` at the latest. */
static bool
references_stay(const unsigned char *p, const unsigned char *newline)
{
	uint32_t i;

	for (i = 0; i < CUT_AHEAD; i++) {
		const unsigned char *end = p > newline ? NULL
		                                       : memchr(p, '\n', (size_t)(newline - p) + 1);
		const unsigned char *ref = end ? memchr(p, 'r', (size_t)(end - p)) : NULL;
		uint32_t back = 0;

		if (!end)
			return false;
		for (; ref && ++ref < end && (unsigned)*ref - '0' <= 9 && back < CUT_AHEAD;)
			back = back * 10 + (*ref - '0');
		if (back > i)
			return false;
		p = end + 1;
	}
	return true;
}

static const unsigned char *
cut_05(const struct spx_layout *layout, const unsigned char *text, const unsigned char *newline)
{
	const unsigned char *end = newline, *a;

	while (text && end > text && (a = memrchr(text, 'a', (size_t)(end - text))) != NULL) {
		const unsigned char *stop;
		struct pp_slice line;

		end = a;
		if (a == text || a[-1] != '|')
			continue;
		stop = memchr(a, '\n', (size_t)(newline - a) + 1);
		line = line_before(text, stop);
		end = line.p;
		if (line.p > text && stands_alone_05(layout, line) &&
		    references_stay(line.p, newline))
			return line.p;
	}
	return NULL;
}

/* Ends a full chunk at a newline and keeps what is behind for the next one. False: out of memory. */
static bool
cut_chunk(struct spx_read *r, struct spx_chunk *c)
{
	const struct spx_layout *layout = &r->layout;
	const unsigned char *newline = memrchr(c->text, '\n', c->n), *cut = NULL;

	r->next_independent = false;
	/* A line longer than a chunk is no event; its pieces are refused one by one. */
	if (!newline)
		return true;
	if (!r->carry && !(r->carry = malloc(SPX_CHUNK)))
		return false;
	if (layout->columns && !layout->repair)
		cut = layout->bars ? cut_05(layout, c->text, newline)
		                   : cut_04(layout, c->text, newline);
	r->next_independent = cut != NULL;
	if (!cut)
		cut = newline + 1;
	r->carry_n = c->n - (size_t)(cut - c->text);
	memcpy(r->carry, cut, r->carry_n);
	c->n -= r->carry_n;
	return true;
}

/* Makes room for more text, up to SPX_CHUNK; small reports do with little. */
static bool
chunk_grow(struct spx_chunk *c)
{
	size_t cap = c->cap ? c->cap * 4 : SPX_CHUNK / 16;
	unsigned char *grown = realloc(c->text, cap + PP_INPUT_PAD);

	if (!grown)
		return false;
	c->text = grown;
	c->cap = cap;
	return true;
}

/* Fills one chunk; false when the section has no more. */
static bool
fill_chunk(struct spx_read *r, struct spx_chunk *c)
{
	c->n = 0;
	c->offset = r->next_offset;
	c->independent = r->next_independent;
	c->done = c->cut = false;
	while (c->cap < r->carry_n || c->cap == 0)
		if (!chunk_grow(c))
			goto no_memory;
	if (r->carry_n)
		memcpy(c->text, r->carry, r->carry_n);
	c->n = r->carry_n;
	r->carry_n = 0;
	while (c->n < SPX_CHUNK && !r->section_end) {
		if (c->n == c->cap && !chunk_grow(c))
			goto no_memory;
		c->n += take_bytes(r, c->text + c->n, c->cap - c->n);
	}
	if (c->n == 0)
		return false;
	if (r->section_end)
		c->cut = r->header == 0;
	else if (!cut_chunk(r, c))
		goto no_memory;
	r->next_offset += c->n;
	memset(c->text + c->n, 0, PP_INPUT_PAD);
	return true;

no_memory:
	r->no_memory = true;
	r->section_end = true;
	r->carry_n = 0;
	return false;
}

static void
fill_batch(struct spx_read *r, unsigned which)
{
	unsigned n = 0;

	while (n < r->batch_cap && (!r->section_end || r->carry_n) &&
	       fill_chunk(r, &r->batch[which][n]))
		n++;
	r->batch_n[which] = n;
}

/* ---- reading ---- */

static void
read_chunk(struct spx_read *r, struct spx_chunk *c)
{
	struct spx_state fresh;
	const struct spx_state *state = &r->state;

	if (c->independent) {
		fresh = (struct spx_state){ .known = false };
		memcpy(fresh.scale, r->layout.scale, sizeof fresh.scale);
		state = &fresh;
	}
	if (!c->walk.nodes && !pp_spx_walk_init(&c->walk)) {
		c->walk.no_memory = c->done = true;
		return;
	}
	c->walk.record = r->record;
	c->walk.site_mask = r->sites ? 0xffff : 0;
	pp_spx_walk_begin(&c->walk, &r->layout, state);
	if (!c->walk.no_memory)
		pp_spx_walk_text(&c->walk, pp_slice_of(c->text, c->n), c->offset, c->cut);
	c->done = true;
}

struct batch_job {
	struct spx_read *r;
	unsigned which;
};

/* Job 0 fills the other batch; job i reads chunk i - 1 of this one if it can be read already. */
static void
batch_work(void *ctx, unsigned index)
{
	const struct batch_job *job = ctx;
	struct spx_read *r = job->r;

	if (index == 0)
		fill_batch(r, !job->which);
	else if (index == 1 || r->batch[job->which][index - 1].independent)
		read_chunk(r, &r->batch[job->which][index - 1]);
}

static void
run_batch(struct batch_job *job)
{
	struct spx_read *r = job->r;

	/* All of a small section is at hand: no thread is needed. */
	if (r->section_end && !r->carry_n && r->batch_n[job->which] == 1) {
		r->batch_n[!job->which] = 0;
		read_chunk(r, &r->batch[job->which][0]);
	} else {
		r->reader->run(r->reader, r->batch_n[job->which] + 1, batch_work, job);
	}
}

static void
merge_batch(struct spx_read *r, unsigned which)
{
	unsigned i;

	for (i = 0; i < r->batch_n[which] && pp_builder_ok(r->b); i++) {
		struct spx_chunk *c = &r->batch[which][i];

		/* Behind garbage only the lines are counted. */
		if (r->garbage) {
			const unsigned char *p = c->text;

			while ((p = memchr(p, '\n', (size_t)(c->text + c->n - p))) != NULL)
				p++, r->lines++;
			continue;
		}
		if (!c->done)
			read_chunk(r, c);
		pp_spx_merge(r, c);
		r->lines += c->walk.lines;
	}
}

static bool
batches_init(struct spx_read *r)
{
	unsigned which, threads = r->reader->threads;

	r->batch_cap = threads == 1 ? 1 : threads * 2 < BATCH_MOST ? threads * 2 : BATCH_MOST;
	for (which = 0; which < 2; which++) {
		if (!r->batch[which])
			r->batch[which] = calloc(r->batch_cap, sizeof **r->batch);
		if (!r->batch[which])
			return false;
	}
	return true;
}

pp_status
pp_spx_events_read(struct spx_read *r)
{
	struct batch_job job = { r, 0 };

	if (!batches_init(r)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return PP_E_NOMEM;
	}
	r->carry_n = 0;
	r->section_end = r->begun = false;
	r->next_offset = pp_input_offset(r->in, r->in->cur);
	r->next_independent = false;
	for (fill_batch(r, 0); r->batch_n[job.which]; job.which = !job.which) {
		run_batch(&job);
		merge_batch(r, job.which);
		if (r->no_memory)
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		if (!pp_builder_ok(r->b))
			return r->b->status;
		if (r->reader->progress(r->reader))
			return PP_E_IO;
	}
	if (r->no_memory) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return PP_E_NOMEM;
	}
	/* The newline of the header that ended the section. */
	r->lines += r->header != 0 && (!r->begun || r->last_byte == '\n');
	return PP_OK;
}
