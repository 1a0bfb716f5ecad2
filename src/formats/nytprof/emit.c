/*
 * Writing NYTProf's bytes: one buffer, compressed or not on its way to the sink.
 */
#include "formats/nytprof/emit.h"

#include <stdlib.h>

#include "formats/nytprof/stream.h"

#define BUFFER_BYTES ((size_t)64 << 10)

bool
pp_nyt_out_init(struct pp_nyt_out *o, struct pp_sink *sink)
{
	*o = (struct pp_nyt_out){ .sink = sink, .buffer = malloc(BUFFER_BYTES) };
	return o->buffer != NULL;
}

/* Sends bytes through the compressor; `last` ends its stream. */
static void
squeeze_through(struct pp_nyt_out *o, struct pp_slice in, bool last)
{
	unsigned char out[16384];
	bool done = false;

	while (!o->failed && o->sink->status == PP_OK && (last ? !done : in.n > 0)) {
		size_t made = 0;

		if (!o->squeeze->step(o->squeeze, &in, last, out, sizeof out, &made, &done)) {
			o->failed = true;
			return;
		}
		pp_sink_write(o->sink, out, made);
	}
}

static void
out_flush(struct pp_nyt_out *o)
{
	if (o->squeeze)
		squeeze_through(o, pp_slice_of(o->buffer, o->n), false);
	else
		pp_sink_write(o->sink, o->buffer, o->n);
	o->n = 0;
}

void
pp_nyt_out_deflate(struct pp_nyt_out *o)
{
	out_flush(o);
	o->squeeze = pp_squeeze_zlib();
	o->failed = o->failed || !o->squeeze;
}

pp_status
pp_nyt_out_finish(struct pp_nyt_out *o)
{
	pp_status status;

	if (!o->failed)
		out_flush(o);
	if (o->squeeze) {
		squeeze_through(o, pp_slice_of(o->buffer, 0), true);
		o->squeeze->free(o->squeeze);
	}
	free(o->buffer);
	status = o->failed ? PP_E_NOMEM : o->sink->status;
	*o = (struct pp_nyt_out){ 0 };
	return status;
}

void
pp_nyt_out_bytes(struct pp_nyt_out *o, const void *p, size_t n)
{
	const unsigned char *from = p;

	if (o->failed)
		return;
	while (n) {
		size_t room = BUFFER_BYTES - o->n, take = n < room ? n : room;

		memcpy(o->buffer + o->n, from, take);
		o->n += take;
		from += take;
		n -= take;
		if (o->n == BUFFER_BYTES)
			out_flush(o);
	}
}

void
pp_nyt_out_byte(struct pp_nyt_out *o, unsigned char c)
{
	pp_nyt_out_bytes(o, &c, 1);
}

void
pp_nyt_out_uint(struct pp_nyt_out *o, uint32_t v)
{
	unsigned char bytes[5];

	pp_nyt_out_bytes(o, bytes, pp_nyt_uint_store(bytes, v));
}

void
pp_nyt_out_number(struct pp_nyt_out *o, double d)
{
	pp_nyt_out_bytes(o, &d, sizeof d);
}

void
pp_nyt_out_string(struct pp_nyt_out *o, struct pp_slice s)
{
	/* Perl's tools print names as bytes, and complain about characters wider than that. */
	pp_nyt_out_byte(o, '\'');
	pp_nyt_out_uint(o, (uint32_t)s.n);
	pp_nyt_out_bytes(o, s.p, s.n);
}

void
pp_nyt_out_setting(struct pp_nyt_out *o, char tag, struct pp_slice key, struct pp_slice value)
{
	pp_nyt_out_byte(o, (unsigned char)tag);
	pp_nyt_out_bytes(o, key.p, key.n);
	pp_nyt_out_byte(o, '=');
	pp_nyt_out_bytes(o, value.p, value.n);
	pp_nyt_out_byte(o, '\n');
}

void
pp_nyt_out_repeat(struct pp_nyt_out *o, const unsigned char *p, size_t n, uint64_t times)
{
	while (times--)
		pp_nyt_out_bytes(o, p, n);
}
