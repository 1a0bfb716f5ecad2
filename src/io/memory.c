/*
 * Memory as an input, and bytes from a function.
 */
#include "io/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct memory {
	struct pp_input in;
	unsigned char *copy; /* NULL while the caller's bytes are used in place */
};

struct callback_feed {
	struct pp_feed feed;
	struct pp_io *io;
	ptrdiff_t (*read)(void *ctx, void *to, size_t room);
	void *ctx;
};

static bool
memory_no_more(struct pp_input *in, size_t need)
{
	return pp_input_left(in) >= need;
}

static void
memory_close(struct pp_input *in)
{
	struct memory *m = in->impl;

	free(m->copy);
	free(m);
}

pp_status
pp_input_memory(struct pp_io *io, const void *data, size_t size, struct pp_input **out)
{
	struct memory *m = calloc(1, sizeof *m);

	*out = NULL;
	if (!m)
		return PP_E_NOMEM;
	m->in = (struct pp_input){ .cur = data,
		                   .begin = data,
		                   .at_end = true,
		                   .stable = true,
		                   .more = memory_no_more,
		                   .close = memory_close,
		                   .io = io,
		                   .impl = m };
	m->in.end = m->in.begin + size;
	io->file_size = size;
	*out = &m->in;
	return PP_OK;
}

pp_status
pp_input_pad(struct pp_input **in)
{
	struct memory *m = (*in)->impl;
	size_t size = pp_input_left(*in);
	unsigned char *copy;

	if ((*in)->close != memory_close || m->copy)
		return PP_OK;
	copy = size > SIZE_MAX - PP_INPUT_PAD ? NULL : malloc(size + PP_INPUT_PAD);
	if (!copy)
		return PP_E_NOMEM;
	if (size)
		memcpy(copy, m->in.cur, size);
	memset(copy + size, 0, PP_INPUT_PAD);
	m->copy = copy;
	m->in.begin = m->in.cur = copy;
	m->in.end = copy + size;
	return PP_OK;
}

static size_t
callback_fill(struct pp_feed *feed, unsigned char *to, size_t room)
{
	struct callback_feed *f = (struct callback_feed *)feed;
	uint64_t before = atomic_load_explicit(&f->io->file_read, memory_order_relaxed);
	ptrdiff_t got = f->read(f->ctx, to, room);

	if (got < 0) {
		feed->status = PP_E_IO;
		pp_io_note(f->io, PP_IO_READ_FAILED, before, "reading failed: %s", strerror(errno));
		return 0;
	}
	atomic_store_explicit(&f->io->file_read, before + (uint64_t)got, memory_order_relaxed);
	return (size_t)got;
}

static void
callback_close(struct pp_feed *feed)
{
	free(feed);
}

pp_status
pp_input_callback(struct pp_io *io, ptrdiff_t (*read)(void *ctx, void *to, size_t room), void *ctx,
                  struct pp_input **out)
{
	struct callback_feed *f = calloc(1, sizeof *f);

	*out = NULL;
	if (!f)
		return PP_E_NOMEM;
	f->feed = (struct pp_feed){ callback_fill, callback_close, PP_OK, false };
	f->io = io;
	f->read = read;
	f->ctx = ctx;
	return pp_input_feed(io, &f->feed, 0, out);
}
