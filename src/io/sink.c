/*
 * The parts of a sink that do not care where the bytes go; sinks into functions, buffers and nothing.
 */
#include "io/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK ((size_t)8 << 10)

/* Bytes for a function, which may be one that puts them into a buffer. */
struct function_sink {
	struct pp_sink sink;
	bool (*write)(void *ctx, const void *data, size_t n);
	void *ctx;
	struct pp_buf *buf; /* or NULL */
	size_t start;       /* what the buffer held before */
	bool committed;
	unsigned char block[BLOCK];
};

/* ---- writing ---- */

void
pp_sink_flush(struct pp_sink *s)
{
	size_t n = (size_t)(s->cur - s->begin);

	if (s->most && (n > s->most || s->written > s->most - n))
		pp_sink_fail(s, PP_E_LIMIT, EFBIG);
	if (pp_account_stops())
		pp_sink_fail(s, PP_E_NOMEM, ENOMEM);
	if (n && s->status == PP_OK)
		s->put(s, s->begin, n);
	s->written += s->status == PP_OK ? n : 0;
	s->cur = s->begin;
}

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
			pp_sink_flush(s);
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
	pp_sink_flush(s);
	if (s->commit)
		s->commit(s);
	return s->status;
}

void
pp_sink_close(struct pp_sink *s)
{
	if (s)
		s->close(s);
}

/* ---- into a function, a buffer, or nothing ---- */

static void
function_put(struct pp_sink *s, const unsigned char *p, size_t n)
{
	struct function_sink *f = s->impl;

	if (!f->write(f->ctx, p, n))
		pp_sink_fail(s, f->buf ? PP_E_NOMEM : PP_E_OUTPUT, f->buf ? ENOMEM : errno);
}

static void
function_commit(struct pp_sink *s)
{
	struct function_sink *f = s->impl;

	f->committed = s->status == PP_OK;
}

static void
function_close(struct pp_sink *s)
{
	struct function_sink *f = s->impl;

	if (f->buf && f->buf->p && !f->committed) {
		f->buf->n = f->start;
		f->buf->p[f->start] = '\0';
	}
	free(f);
}

pp_status
pp_sink_callback(bool (*write)(void *ctx, const void *data, size_t n), void *ctx,
                 struct pp_sink **out)
{
	struct function_sink *f = malloc(sizeof *f);

	*out = NULL;
	if (!f)
		return PP_E_NOMEM;
	*out = &f->sink;
	f->sink = (struct pp_sink){ .begin = f->block,
		                    .cur = f->block,
		                    .end = f->block + sizeof f->block,
		                    .direct = true,
		                    .put = function_put,
		                    .commit = function_commit,
		                    .close = function_close,
		                    .path = "",
		                    .impl = f };
	f->write = write;
	f->ctx = ctx;
	f->buf = NULL;
	f->committed = false;
	return PP_OK;
}

static bool
buffer_write(void *ctx, const void *data, size_t n)
{
	struct pp_buf *buf = ctx;

	pp_buf_add(buf, data, n);
	return !buf->failed;
}

pp_status
pp_sink_buffer(struct pp_buf *buf, struct pp_sink **out)
{
	pp_status status = pp_sink_callback(buffer_write, buf, out);

	if (status == PP_OK) {
		struct function_sink *f = (*out)->impl;

		f->buf = buf;
		f->start = buf->n;
		f->sink.direct = false;
	}
	return status;
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
