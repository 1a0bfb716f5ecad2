/*
 * Compression with deflate by zlib, for systems without ISA-L.
 */
#include "io/squeeze.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_WRAPPER 16

struct gzip_squeeze {
	struct pp_squeeze squeeze;
	z_stream stream;
};

static bool
gzip_step(struct pp_squeeze *s, struct pp_slice *in, bool last, unsigned char *out, size_t room,
          size_t *made, bool *done)
{
	struct gzip_squeeze *g = (struct gzip_squeeze *)s;
	unsigned take = in->n < UINT_MAX ? (unsigned)in->n : UINT_MAX;
	unsigned give = room < UINT_MAX ? (unsigned)room : UINT_MAX;
	int result;

	/* zlib takes a pointer to bytes that it does not change. */
	g->stream.next_in = (Bytef *)(uintptr_t)in->p;
	g->stream.avail_in = take;
	g->stream.next_out = out;
	g->stream.avail_out = give;
	result = deflate(&g->stream, last && take == in->n ? Z_FINISH : Z_NO_FLUSH);
	take -= g->stream.avail_in;
	*in = pp_slice_of(in->p + take, in->n - take);
	*made = give - g->stream.avail_out;
	*done = result == Z_STREAM_END;
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

static void
gzip_free(struct pp_squeeze *s)
{
	struct gzip_squeeze *g = (struct gzip_squeeze *)s;

	deflateEnd(&g->stream);
	free(g);
}

static struct pp_squeeze *
squeeze_new(int wrapper)
{
	struct gzip_squeeze *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->squeeze = (struct pp_squeeze){ gzip_step, gzip_free };
	if (deflateInit2(&g->stream, Z_BEST_SPEED, Z_DEFLATED, 15 + wrapper, 8,
	                 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		return NULL;
	}
	return &g->squeeze;
}

struct pp_squeeze *
pp_squeeze_gzip(void)
{
	return squeeze_new(GZIP_WRAPPER);
}

struct pp_squeeze *
pp_squeeze_zlib(void)
{
	return squeeze_new(0);
}
