/*
 * The parts of a sink that do not care where the bytes go, the buffer sink and the discarding one.
 */
#include "io/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFER_STEP ((size_t)64 << 10)

struct buffer_sink {
	struct pp_sink sink;
	struct pp_buf *buf;
	size_t start; /* what the buffer held before */
	bool committed;
};

struct function_sink {
	struct pp_sink sink;
	bool (*write)(void *ctx, const void *data, size_t n);
	void *ctx;
	unsigned char block[8192];
};

/* ---- writing ---- */

void
pp_sink_write(struct pp_sink *s, const void *p, size_t n)
{
	const unsigned char *from = p;

	while (n) {
		size_t room = (size_t)(s->end - s->cur);
		size_t take = n < room ? n : room;

		if (take) {
			memcpy(s->cur, from, take);
			s->cur += take;
			from += take;
			n -= take;
		}
		if (n) {
			s->flush(s);
			if (s->status != PP_OK)
				return;
		}
	}
}

void
pp_sink_puts(struct pp_sink *s, const char *z)
{
	pp_sink_write(s, z, strlen(z));
}

void
pp_sink_printf(struct pp_sink *s, const char *fmt, ...)
{
	struct pp_buf text = { 0 };
	char small[256];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(small, sizeof small, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof small) {
		pp_sink_write(s, small, (size_t)n);
		return;
	}
	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	if (text.failed)
		pp_sink_fail(s, PP_E_NOMEM, ENOMEM);
	else
		pp_sink_write(s, text.p, text.n);
	pp_buf_release(&text);
}

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

void
pp_sink_u64(struct pp_sink *s, uint64_t v)
{
	char text[20];
	size_t at = sizeof text;

	while (v >= 100) {
		at -= 2;
		memcpy(text + at, digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		memcpy(text + at, digit_pairs + v * 2, 2);
	} else {
		text[--at] = (char)('0' + v);
	}
	if (PP_LIKELY((size_t)(s->end - s->cur) >= sizeof text - at)) {
		memcpy(s->cur, text + at, sizeof text - at);
		s->cur += sizeof text - at;
	} else {
		pp_sink_write(s, text + at, sizeof text - at);
	}
}

void
pp_sink_fail(struct pp_sink *s, pp_status status, int error)
{
	if (s->status != PP_OK)
		return;
	s->status = status;
	s->error = error;
}

pp_status
pp_sink_commit(struct pp_sink *s)
{
	return s->commit(s);
}

void
pp_sink_close(struct pp_sink *s)
{
	if (s)
		s->close(s);
}

static struct pp_sink *
no_sibling(struct pp_sink *s, const char *base_name)
{
	(void)s;
	(void)base_name;
	return NULL;
}

/* ---- into a buffer ---- */

static void
buffer_flush(struct pp_sink *s)
{
	struct buffer_sink *b = s->impl;
	size_t n = (size_t)(s->cur - s->begin);
	char *room;

	if (s->status == PP_OK && n) {
		b->buf->n += n;
		b->buf->p[b->buf->n] = '\0';
		s->written += n;
	}
	room = s->status == PP_OK ? pp_buf_room(b->buf, BUFFER_STEP) : NULL;
	if (s->status == PP_OK && !room)
		pp_sink_fail(s, PP_E_NOMEM, ENOMEM);
	if (room) {
		s->begin = s->cur = (unsigned char *)room;
		/* All that the buffer has beyond, but for its final NUL. */
		s->end = s->begin + (b->buf->cap - b->buf->n - 1);
	} else {
		s->begin = s->cur = s->end = NULL;
	}
}

static pp_status
buffer_commit(struct pp_sink *s)
{
	struct buffer_sink *b = s->impl;

	buffer_flush(s);
	b->committed = s->status == PP_OK;
	return s->status;
}

static void
buffer_close(struct pp_sink *s)
{
	struct buffer_sink *b = s->impl;

	if (!b->committed && b->buf->p) {
		b->buf->n = b->start;
		b->buf->p[b->start] = '\0';
	}
	free(b);
}

pp_status
pp_sink_buffer(struct pp_buf *buf, struct pp_sink **out)
{
	struct buffer_sink *b = calloc(1, sizeof *b);

	*out = NULL;
	if (!b)
		return PP_E_NOMEM;
	b->buf = buf;
	b->start = buf->n;
	b->sink.flush = buffer_flush;
	b->sink.commit = buffer_commit;
	b->sink.close = buffer_close;
	b->sink.open_sibling = no_sibling;
	b->sink.path = "";
	b->sink.impl = b;
	*out = &b->sink;
	return PP_OK;
}

/* ---- into a function, or into nothing ---- */

static void
function_flush(struct pp_sink *s)
{
	struct function_sink *f = s->impl;
	size_t n = (size_t)(s->cur - s->begin);

	if (n && s->status == PP_OK && !f->write(f->ctx, s->begin, n))
		pp_sink_fail(s, PP_E_OUTPUT, errno);
	s->written += n;
	s->cur = s->begin;
}

static pp_status
function_commit(struct pp_sink *s)
{
	function_flush(s);
	return s->status;
}

static void
function_close(struct pp_sink *s)
{
	free(s->impl);
}

pp_status
pp_sink_callback(bool (*write)(void *ctx, const void *data, size_t n), void *ctx,
                 struct pp_sink **out)
{
	struct function_sink *f = calloc(1, sizeof *f);

	*out = NULL;
	if (!f)
		return PP_E_NOMEM;
	f->write = write;
	f->ctx = ctx;
	f->sink.begin = f->sink.cur = f->block;
	f->sink.end = f->block + sizeof f->block;
	f->sink.direct = true;
	f->sink.flush = function_flush;
	f->sink.commit = function_commit;
	f->sink.close = function_close;
	f->sink.open_sibling = no_sibling;
	f->sink.path = "";
	f->sink.impl = f;
	*out = &f->sink;
	return PP_OK;
}

static bool
nothing_write(void *ctx, const void *data, size_t n)
{
	(void)ctx;
	(void)data;
	(void)n;
	return true;
}

pp_status
pp_sink_null(struct pp_sink **out)
{
	return pp_sink_callback(nothing_write, NULL, out);
}
