/*
 * Writing NYTProf's bytes: into the file's sink, or into one that compresses on its way there.
 */
#include "formats/nytprof/emit.h"

#include "formats/nytprof/stream.h"

void
pp_nyt_out_init(struct pp_nyt_out *o, struct pp_sink *sink)
{
	*o = (struct pp_nyt_out){ .sink = sink, .outer = sink };
}

/* Sends bytes through the compressor; `last` ends its stream. */
static bool
squeeze_through(struct pp_nyt_out *o, struct pp_slice in, bool last)
{
	unsigned char out[16384];
	bool done = false;

	while (o->outer->status == PP_OK && (last ? !done : in.n > 0)) {
		size_t made = 0;

		if (o->squeeze->step(o->squeeze, &in, last, out, sizeof out, &made, &done))
			pp_sink_write(o->outer, out, made);
		else
			pp_sink_fail(o->outer, PP_E_NOMEM, 0);
	}
	return o->outer->status == PP_OK;
}

static bool
squeeze_block(void *out, const void *data, size_t n)
{
	return squeeze_through(out, pp_slice_of(data, n), false);
}

void
pp_nyt_out_deflate(struct pp_nyt_out *o)
{
	o->squeeze = pp_squeeze_zlib();
	if (!o->squeeze || pp_sink_callback(squeeze_block, o, &o->sink) != PP_OK) {
		pp_sink_fail(o->outer, PP_E_NOMEM, 0);
		o->sink = o->outer;
	}
}

pp_status
pp_nyt_out_finish(struct pp_nyt_out *o)
{
	if (o->sink != o->outer) {
		(void)pp_sink_commit(o->sink);
		(void)squeeze_through(o, pp_slice_of("", 0), true);
		pp_sink_close(o->sink);
	}
	if (o->squeeze)
		o->squeeze->free(o->squeeze);
	return o->outer->status;
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
pp_nyt_put_setting(struct pp_sink *out, char tag, struct pp_slice key, struct pp_slice value)
{
	pp_sink_putc(out, tag);
	pp_sink_write(out, key.p, key.n);
	pp_sink_putc(out, '=');
	pp_sink_write(out, value.p, value.n);
	pp_sink_putc(out, '\n');
}
