/*
 * Compression with deflate by ISA-L, level 3: the best it has, still faster than a disk.
 */
#include "io/squeeze.h"

#include <isa-l/igzip_lib.h>
#include <limits.h>
#include <stdlib.h>

#define LEVEL 3

struct gzip_squeeze {
	struct pp_squeeze squeeze;
	struct isal_zstream stream;
	unsigned char level_buffer[ISAL_DEF_LVL3_DEFAULT];
};

static bool
gzip_step(struct pp_squeeze *s, struct pp_slice *in, bool last, unsigned char *out, size_t room,
          size_t *made, bool *done)
{
	struct gzip_squeeze *g = (struct gzip_squeeze *)s;
	uint32_t take = in->n < UINT_MAX ? (uint32_t)in->n : UINT_MAX;
	uint32_t give = room < UINT_MAX ? (uint32_t)room : UINT_MAX;
	int result;

	/* ISA-L takes a pointer to bytes that it does not change. */
	g->stream.next_in = (uint8_t *)(uintptr_t)in->p;
	g->stream.avail_in = take;
	g->stream.next_out = out;
	g->stream.avail_out = give;
	g->stream.end_of_stream = last && take == in->n;
	result = isal_deflate(&g->stream);
	take -= g->stream.avail_in;
	*in = pp_slice_of(in->p + take, in->n - take);
	*made = give - g->stream.avail_out;
	*done = g->stream.internal_state.state == ZSTATE_END;
	return result == COMP_OK;
}

static void
gzip_free(struct pp_squeeze *s)
{
	free(s);
}

static struct pp_squeeze *
squeeze_new(uint16_t wrapper)
{
	struct gzip_squeeze *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->squeeze = (struct pp_squeeze){ gzip_step, gzip_free };
	isal_deflate_init(&g->stream);
	g->stream.level = LEVEL;
	g->stream.level_buf = g->level_buffer;
	g->stream.level_buf_size = sizeof g->level_buffer;
	g->stream.gzip_flag = wrapper;
	return &g->squeeze;
}

struct pp_squeeze *
pp_squeeze_gzip(void)
{
	return squeeze_new(IGZIP_GZIP);
}

struct pp_squeeze *
pp_squeeze_zlib(void)
{
	return squeeze_new(IGZIP_ZLIB);
}
