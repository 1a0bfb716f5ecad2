/*
 * The window: an input over a feed, and the services that all inputs share.
 *
 * The window's buffer keeps the unread tail and takes the next block behind it. It grows geometrically
 * and only as bytes really arrive, so that asking for 4 GB of a 10-byte input costs nothing. Once the
 * feed has its own thread the blocks are used where they lie: each has room in front, where the unread
 * tail of the one before is copied. A tail too long for that (a huge line) goes back to the buffer.
 */
#include "io/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io/pipeline.h"

#define WINDOW_BLOCK ((size_t)256 << 10)

struct window {
	struct pp_input in;
	struct pp_feed *feed;
	unsigned char *buf; /* cap + PP_INPUT_PAD bytes */
	size_t cap;
	size_t block;
	uint64_t made; /* bytes that came out of the feed */
	struct pp_pipe *pipe;
	struct pp_block held; /* the pipe's block that the window stands on, or empty */
};

/* ---- findings ---- */

bool
pp_io_init(struct pp_io *io, const struct pp_limits *limits, unsigned threads,
           struct pp_diags *diags)
{
	*io = (struct pp_io){ 0 };
	io->limits = pp_limits_complete(limits);
	io->threads = threads ? threads : 1;
	io->diags = diags;
	io->wake = -1;
	io->account = pp_account_current();
	return pthread_mutex_init(&io->lock, NULL) == 0;
}

void
pp_io_release(struct pp_io *io)
{
	pthread_mutex_destroy(&io->lock);
	if (io->wake >= 0)
		close(io->wake);
}

bool
pp_io_wakeable(struct pp_io *io)
{
	if (io->wake < 0)
		io->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return io->wake >= 0;
}

void
pp_io_wake(struct pp_io *io)
{
	uint64_t one = 1;

	/* It cannot fail but for a full counter, which wakes as well. */
	(void)!write(io->wake, &one, sizeof one);
}

void
pp_io_note(struct pp_io *io, enum pp_io_rule rule, uint64_t offset, const char *fmt, ...)
{
	struct pp_finding *f;
	va_list args;

	if (!io)
		return;
	va_start(args, fmt);
	pthread_mutex_lock(&io->lock);
	if (io->noted < PP_IO_FINDINGS) {
		f = &io->findings[io->noted++];
		f->rule = rule;
		f->offset = offset;
		vsnprintf(f->text, sizeof f->text, fmt, args);
	} else {
		io->more++;
	}
	pthread_mutex_unlock(&io->lock);
	va_end(args);
}

void
pp_io_report(struct pp_io *io)
{
	const struct pp_finding *f = NULL;
	const char *main_file;
	size_t i;

	if (!io || !io->diags)
		return;
	pthread_mutex_lock(&io->lock);
	main_file = io->diags->file;
	if (io->file && io->noted)
		pp_diags_set_file(io->diags, io->file);
	for (i = 0; i < io->noted; i++) {
		f = &io->findings[i];
		pp_diag_add(io->diags, &pp_io_rules[f->rule], pp_at_offset(f->offset), "%s",
		            f->text);
	}
	if (f && io->more)
		pp_diag_add(io->diags, &pp_io_rules[f->rule], PP_NOWHERE,
		            "and so on, %llu times more", (unsigned long long)io->more);
	io->noted = 0;
	io->more = 0;
	io->diags->file = main_file;
	pthread_mutex_unlock(&io->lock);
}

/* ---- the window ---- */

/* Puts the window on [cur, end) and clears the padding behind it. */
static void
window_place(struct window *w, unsigned char *cur, unsigned char *end)
{
	w->in.begin_offset = pp_input_offset(&w->in, w->in.cur);
	w->in.begin = w->in.cur = cur;
	w->in.end = end;
	memset(end, 0, PP_INPUT_PAD);
}

static void
window_finish(struct window *w, pp_status status)
{
	w->in.at_end = true;
	w->in.status = status;
	if (!w->in.below)
		pp_io_report(w->in.io);
}

/* Room behind `tail` unread bytes for as many again and for a block: moving costs O(1) per byte. */
static bool
window_room(struct window *w, size_t tail, size_t block)
{
	size_t need, cap = w->cap;
	unsigned char *grown;

	if (!pp_size_add(tail, tail > block ? tail : block, &need))
		return false;
	if (need <= cap)
		return true;
	cap = cap + cap / 2 > need ? cap + cap / 2 : need;
	grown = cap > SIZE_MAX - PP_INPUT_PAD ? NULL : malloc(cap + PP_INPUT_PAD);
	if (!grown)
		return false;
	if (tail)
		memcpy(grown, w->in.cur, tail);
	free(w->buf);
	w->buf = grown;
	w->cap = cap;
	window_place(w, grown, grown + tail);
	return true;
}

/* Brings the unread tail to the front of the buffer, with room for a block behind it. */
static bool
window_gather(struct window *w, size_t block)
{
	size_t tail = pp_input_left(&w->in);

	if (!window_room(w, tail, block))
		return false;
	if (w->in.cur != w->buf) {
		if (tail)
			memmove(w->buf, w->in.cur, tail);
		window_place(w, w->buf, w->buf + tail);
	}
	return true;
}

/* Fills the buffer from the feed on this thread. */
static bool
window_fill(struct window *w)
{
	size_t room, got;

	if (!window_gather(w, w->block)) {
		window_finish(w, PP_E_NOMEM);
		return false;
	}
	room = w->cap - pp_input_left(&w->in);
	got = w->feed->fill(w->feed, w->buf + pp_input_left(&w->in),
	                    room < w->block ? room : w->block);
	w->made += got;
	w->in.end += got;
	memset(w->buf + pp_input_left(&w->in), 0, PP_INPUT_PAD);
	if (!got)
		window_finish(w, w->feed->status);
	return got > 0;
}

/* Takes the next block of the pipe. */
static bool
window_take(struct window *w)
{
	size_t tail = pp_input_left(&w->in);
	struct pp_block next;

	if (!w->pipe->next(w->pipe, &next)) {
		window_finish(w, next.status);
		return false;
	}
	if (tail <= PP_BLOCK_HEAD) {
		if (tail)
			memcpy(next.data - tail, w->in.cur, tail);
		window_place(w, next.data - tail, next.data + next.size);
		pp_block_release(&w->held);
		w->held = next;
	} else if (window_gather(w, next.size)) {
		memcpy(w->buf + tail, next.data, next.size);
		window_place(w, w->buf, w->buf + tail + next.size);
		pp_block_release(&w->held);
		pp_block_release(&next);
	} else {
		pp_block_release(&next);
		window_finish(w, PP_E_NOMEM);
		return false;
	}
	if (next.last)
		window_finish(w, next.status);
	return true;
}

static bool
window_wants_thread(const struct window *w)
{
	return w->made >= PP_PIPE_START && !w->feed->light && !w->in.below && w->in.io &&
	       w->in.io->threads > 1;
}

static bool
window_more(struct pp_input *in, size_t need)
{
	struct window *w = in->impl;

	while (pp_input_left(in) < need && !in->at_end) {
		if (!w->pipe && window_wants_thread(w))
			w->pipe = pp_pipe_feed(in->io, w->feed, w->block);
		if (w->pipe ? !window_take(w) : !window_fill(w))
			break;
	}
	return pp_input_left(in) >= need;
}

static void
window_close(struct pp_input *in)
{
	struct window *w = in->impl;

	if (w->pipe)
		w->pipe->stop(w->pipe);
	if (w->feed)
		w->feed->close(w->feed);
	free(w->buf);
	free(w);
}

static struct window *
window_new(struct pp_io *io, uint64_t offset)
{
	struct window *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->block = io && io->block ? io->block : WINDOW_BLOCK;
	w->in.begin_offset = offset;
	w->in.more = window_more;
	w->in.close = window_close;
	w->in.io = io;
	w->in.impl = w;
	return w;
}

pp_status
pp_input_feed(struct pp_io *io, struct pp_feed *feed, uint64_t offset, struct pp_input **out)
{
	struct window *w = window_new(io, offset);

	*out = w ? &w->in : NULL;
	if (w)
		w->feed = feed;
	else
		feed->close(feed);
	return w ? PP_OK : PP_E_NOMEM;
}

pp_status
pp_input_pipe(struct pp_io *io, struct pp_pipe *pipe, struct pp_input **out)
{
	struct window *w = window_new(io, 0);

	*out = w ? &w->in : NULL;
	if (w)
		w->pipe = pipe;
	else
		pipe->stop(pipe);
	return w ? PP_OK : PP_E_NOMEM;
}

/* ---- lines ---- */

bool
pp_input_line(struct pp_input *in, uint64_t max_line, struct pp_slice *line, bool *whole)
{
	size_t scanned = 0;
	const unsigned char *newline;

	for (;;) {
		size_t left = pp_input_left(in);

		newline = left > scanned ? memchr(in->cur + scanned, '\n', left - scanned) : NULL;
		if (newline || in->at_end)
			break;
		scanned = left;
		if (scanned > max_line)
			break;
		(void)in->more(in, left + 1);
	}
	line->p = in->cur;
	line->n = newline ? (size_t)(newline - in->cur) : pp_input_left(in);
	if (line->n > max_line) {
		in->status = PP_E_LIMIT;
		pp_io_note(in->io, PP_IO_LINE_TOO_LONG, pp_input_offset(in, in->cur),
		           "the line exceeds %llu bytes", (unsigned long long)max_line);
		pp_io_report(in->io);
		return false;
	}
	*whole = newline != NULL;
	if (!newline && line->n == 0)
		return false;
	in->cur += line->n + (newline ? 1 : 0);
	return true;
}
