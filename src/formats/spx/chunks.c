/*
 * The events of a section, cut into chunks that several threads can read.
 *
 * A chunk ends at a newline. The next one is read on its own when its first line should tell all values: any of
 * the 0.4 layout, the first of a block of 8192 events in the 0.5 layout. Where it turns out that it needs the state
 * behind the chunk before, it is read again in its turn. Where the text is cut does not depend on the number of
 * threads. While chunks are read, one thread fills the next ones.
 */
#include "formats/spx/read.h"

#define BATCH_MOST 64
/* Bytes that a chunk leaves to the next one and may look at, to see whether garbage begins. */
#define LOOK_AHEAD ((size_t)16 << 10)
/* A container's end is looked for in so many bytes behind the events: the names stand there. */
#define END_AHEAD ((size_t)1 << 20)

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

static bool
at_line_start(const struct spx_cut *cut)
{
	return !cut->begun || cut->last_byte == '\n';
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
		r->cut.ended = true;
		r->header = 0;
		return 0;
	}
	n = pp_input_left(in) < room ? pp_input_left(in) : room;
	bracket = memchr(in->cur, '[', n);
	if (bracket == in->cur) {
		header = pp_spx_header_at(in, &length);
		/* The newline before [functions] may be lost like any other; see events.c. */
		if (header == 'f' || (header == 'e' && at_line_start(&r->cut))) {
			in->cur += length;
			r->cut.ended = true;
			r->header = header;
			return 0;
		}
		n = 1;
	} else if (bracket) {
		n = (size_t)(bracket - in->cur);
	}
	memcpy(to, in->cur, n);
	in->cur += n;
	pp_input_behind(in, &r->cut.behind, in->begin, in->cur);
	r->cut.begun = true;
	r->cut.last_byte = to[n - 1];
	return n;
}

/* ---- where to cut ---- */

/* The last line with an absolute value, but not the first: few have any in the 0.5 layout. NULL when there is none. */
static const unsigned char *
last_block(const unsigned char *text, const unsigned char *end)
{
	while (end > text && (end = memrchr(text, 'a', (size_t)(end - text))) != NULL)
		if (end > text && end[-1] == '|')
			break;
	end = end ? pp_last_line_end(text, end) : text;
	return end > text ? end : NULL;
}

/* Ends a full chunk at a newline and keeps what is behind for the next one. False: out of memory. */
static bool
cut_chunk(struct spx_read *r, struct spx_chunk *c)
{
	const struct spx_layout *layout = &r->doc.layout;
	const unsigned char *newline = memrchr(c->text, '\n', c->n - LOOK_AHEAD), *cut = NULL;
	struct spx_cut *to = &r->cut;

	to->next_independent = false;
	/* A line longer than a chunk is no event; its pieces are refused one by one. */
	if (!newline)
		return true;
	if (!to->carry && !(to->carry = malloc(SPX_CHUNK)))
		return false;
	if (layout->columns && !layout->repair)
		cut = layout->bars ? last_block(c->text, newline) : newline + 1;
	to->next_independent = cut != NULL;
	if (!cut)
		cut = newline + 1;
	to->carry_n = c->n - (size_t)(cut - c->text);
	memcpy(to->carry, cut, to->carry_n);
	c->ahead = to->carry_n;
	c->n -= to->carry_n;
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

/* The text of one chunk, what was carried first; false when out of memory. */
static bool
chunk_text(struct spx_read *r, struct spx_chunk *c)
{
	struct spx_cut *from = &r->cut;

	while (c->cap < from->carry_n || c->cap == 0)
		if (!chunk_grow(c))
			return false;
	if (from->carry_n)
		memcpy(c->text, from->carry, from->carry_n);
	c->n = from->carry_n;
	from->carry_n = 0;
	while (c->n < SPX_CHUNK && !from->ended) {
		if (c->n == c->cap && !chunk_grow(c))
			return false;
		c->n += take_bytes(r, c->text + c->n, c->cap - c->n);
	}
	return true;
}

/* ---- rounds: see kit/parts.h ---- */

/* Fills one chunk; false when the section has no more. */
static bool
chunk_fill(void *ctx, unsigned piece)
{
	struct spx_read *r = ctx;
	struct spx_chunk *c = &r->chunks[piece];
	struct spx_cut *from = &r->cut;

	c->offset = from->next_offset;
	c->independent = from->next_independent;
	c->number = from->chunks;
	c->ahead = 0;
	c->done = false;
	if (!chunk_text(r, c) || (!from->ended && !cut_chunk(r, c))) {
		from->no_memory = from->ended = true;
		from->carry_n = c->n = 0;
	}
	c->cut = from->ended && r->header == 0;
	if (from->ended)
		from->damaged = !pp_input_need(r->in, END_AHEAD) && r->in->status == PP_E_INVALID;
	from->next_offset += c->n;
	from->chunks += c->n > 0;
	if (c->n)
		memset(c->text + c->n + c->ahead, 0, PP_INPUT_PAD);
	return c->n > 0;
}

/* Reads `n` bytes of a chunk's text; with `strict` up to the first line that SPX would not have written. */
static void
chunk_read(struct spx_read *r, struct spx_chunk *c, size_t n, const struct spx_strict *strict)
{
	struct spx_state fresh;
	const struct spx_state *state = &r->doc.state;

	if (c->independent && !strict) {
		fresh = (struct spx_state){ .known = false };
		memcpy(fresh.scale, r->doc.layout.scale, sizeof fresh.scale);
		state = &fresh;
	}
	c->done = true;
	if (!c->walk.tree.nodes && !pp_spx_walk_init(&c->walk)) {
		c->walk.no_memory = true;
		return;
	}
	c->walk.record = r->record;
	c->walk.site_mask = r->sites ? 0xffff : 0;
	pp_spx_walk_begin(&c->walk, &r->doc.layout, state);
	if (strict)
		c->walk.strict = *strict;
	if (!c->walk.no_memory)
		pp_spx_walk_text(&c->walk, pp_slice_of(c->text, n), c->offset, c->cut);
}

/* ---- garbage ---- */

/* How many frames are open before the next event. */
static uint32_t
frames_open(const struct spx_read *r)
{
	const struct pp_tree *tree = &r->b->profile->tree;
	uint32_t open = 0;
	pp_node node;

	for (node = r->doc.cur; node; node = pp_tree_parent(tree, node))
		open++;
	return open;
}

/* Whether a chunk contradicts the metadata: function indexes, or time, go beyond what that counts. */
static bool
is_implausible(const struct spx_read *r, const struct spx_walk *w, int64_t latest)
{
	uint32_t i;

	if (w->found.back < 0 || w->state.values[r->columns.time] > latest)
		return true;
	for (i = 0; i < w->tree.n && r->meta->functions >= 0; i++)
		if (!w->tree.nodes[i].floor &&
		    pp_spx_key_index(w->tree.nodes[i].key) >= (uint64_t)r->meta->functions)
			return true;
	return false;
}

/*
 * Deflate that lost a piece decodes to lines of which some look like events. So where many lines together are
 * none, where the container turns out to be damaged, and where some lines are none and others contradict the
 * metadata, the chunk is read again up to the first line that SPX would not have written there.
 */
static void
chunk_judge(struct spx_read *r, struct spx_chunk *c)
{
	struct spx_walk *w = &c->walk;
	bool timed = r->columns.time == 0 && r->columns.n && !r->columns.micro;
	bool told = timed && r->documents == 1 && r->meta->wall >= 0;
	bool bound = told && r->meta->wall < INT64_MAX / 1000 - 1 && w->state.scale[0] == 0;
	struct spx_strict strict = { .on = true,
		                     .open = frames_open(r),
		                     .functions = r->funcs.used.n ? r->funcs.max_index + 1 : 0,
		                     .time = timed ? 0 : SPX_METRICS_MAX,
		                     .latest = bound ? (r->meta->wall + 1) * 1000 : INT64_MAX };
	bool end = r->cut.ended && c->number + 2 >= r->cut.chunks;
	uint64_t lines = w->found.lines;

	if (!w->found.garbage && c->ahead && w->doubts.run &&
	    lines - w->doubts.first < SPX_DOUBT_LINES) {
		/* Whether the last lines are the first of more is seen in those behind. */
		chunk_read(r, c, c->n + c->ahead, NULL);
		if (!w->found.garbage || w->doubts.first > lines)
			chunk_read(r, c, c->n, NULL);
	}
	if (w->found.garbage)
		strict.from = w->doubts.first > SPX_DOUBT_LINES ? w->doubts.first - SPX_DOUBT_LINES
		                                                : 0;
	else if (!(end && r->cut.damaged) &&
	         !(w->doubts.n && told && is_implausible(r, w, strict.latest)))
		return;
	chunk_read(r, c, c->n, &strict);
}

/* What needs the state behind the chunk before waits for its turn. */
static void
chunk_work(void *ctx, unsigned piece)
{
	struct spx_read *r = ctx;

	if (r->chunks[piece].independent)
		chunk_read(r, &r->chunks[piece], r->chunks[piece].n, NULL);
}

static bool
chunk_take(void *ctx, unsigned piece)
{
	struct spx_read *r = ctx;
	struct spx_chunk *c = &r->chunks[piece];

	/* Behind garbage only the lines are counted. */
	if (r->doc.garbage) {
		r->found.lines += pp_slice_count(pp_slice_of(c->text, c->n), '\n');
		return true;
	}
	if (!c->done || c->walk.lacks) {
		c->independent = false;
		chunk_read(r, c, c->n, NULL);
	}
	if (!c->walk.no_memory)
		chunk_judge(r, c);
	pp_spx_merge(r, &c->walk);
	return pp_builder_ok(r->b);
}

pp_status
pp_spx_events_read(struct spx_read *r)
{
	unsigned threads = r->reader->threads;
	struct pp_rounds rounds = { .reader = r->reader,
		                    .ctx = r,
		                    .fill = chunk_fill,
		                    .work = chunk_work,
		                    .take = chunk_take };
	pp_status status;

	if (!r->chunks) {
		r->room = threads == 1 ? 1 : threads * 2 < BATCH_MOST ? threads * 2 : BATCH_MOST;
		r->chunks = calloc((size_t)2 * r->room, sizeof *r->chunks);
	}
	rounds.room = r->room;
	r->cut.carry_n = 0;
	r->cut.ended = r->cut.begun = r->cut.next_independent = r->cut.damaged = false;
	r->cut.chunks = 0;
	r->cut.next_offset = pp_input_offset(r->in, r->in->cur);
	status = r->chunks ? pp_rounds_run(&rounds) : PP_E_NOMEM;
	if (!r->chunks || r->cut.no_memory)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (!pp_builder_ok(r->b))
		return r->b->status;
	/* The newline of the header that ended the section. */
	r->found.lines += r->header != 0 && at_line_start(&r->cut);
	return status;
}
