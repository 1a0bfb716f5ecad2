/*
 * Inflate by zlib, for systems without ISA-L.
 */
#include "io/inflate.h"

#include <stdlib.h>
#include <zlib.h>

#define WINDOW_BITS 15

struct pp_inflate {
	enum pp_check check;
	uint32_t sum;
	z_stream stream;
};

struct pp_inflate *
pp_inflate_new(enum pp_check check)
{
	struct pp_inflate *z = calloc(1, sizeof *z);

	if (!z)
		return NULL;
	z->check = check;
	if (inflateInit2(&z->stream, -WINDOW_BITS) != Z_OK) {
		free(z);
		return NULL;
	}
	pp_inflate_reset(z);
	return z;
}

void
pp_inflate_free(struct pp_inflate *z)
{
	if (!z)
		return;
	inflateEnd(&z->stream);
	free(z);
}

void
pp_inflate_reset(struct pp_inflate *z)
{
	inflateReset(&z->stream);
	z->sum = z->check == PP_CHECK_CRC32 ? 0 : 1;
}

enum pp_inflated
pp_inflate_step(struct pp_inflate *z, struct pp_slice *in, unsigned char *out, size_t room,
                size_t *made)
{
	uint32_t take = in->n < UINT32_MAX ? (uint32_t)in->n : UINT32_MAX;
	uint32_t give = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	int result;

	/* zlib takes a pointer to bytes that it does not change. */
	z->stream.next_in = (Bytef *)(uintptr_t)in->p;
	z->stream.avail_in = take;
	z->stream.next_out = out;
	z->stream.avail_out = give;
	result = inflate(&z->stream, Z_NO_FLUSH);
	take -= z->stream.avail_in;
	*in = pp_slice_of(in->p + take, in->n - take);
	*made = give - z->stream.avail_out;
	z->sum = z->check == PP_CHECK_CRC32 ? (uint32_t)crc32_z(z->sum, out, *made)
	                                    : (uint32_t)adler32_z(z->sum, out, *made);
	if (result == Z_STREAM_END)
		return PP_INFLATE_END;
	return result == Z_OK || result == Z_BUF_ERROR ? PP_INFLATE_MORE : PP_INFLATE_BAD;
}

uint32_t
pp_inflate_check(const struct pp_inflate *z)
{
	return z->sum;
}

size_t
pp_inflate_rest(const struct pp_inflate *z, unsigned char rest[PP_INFLATE_REST])
{
	(void)z;
	(void)rest;
	return 0;
}

uint32_t
pp_crc32(uint32_t crc, const void *p, size_t n)
{
	return (uint32_t)crc32_z(crc, p, n);
}
