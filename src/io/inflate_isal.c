/*
 * Inflate by ISA-L.
 */
#include "io/inflate.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

struct pp_inflate {
	enum pp_check check;
	struct inflate_state state;
};

struct pp_inflate *
pp_inflate_new(enum pp_check check)
{
	struct pp_inflate *z = malloc(sizeof *z);

	if (!z)
		return NULL;
	z->check = check;
	isal_inflate_init(&z->state);
	pp_inflate_reset(z);
	return z;
}

void
pp_inflate_free(struct pp_inflate *z)
{
	free(z);
}

void
pp_inflate_reset(struct pp_inflate *z)
{
	isal_inflate_reset(&z->state);
	z->state.crc_flag = z->check == PP_CHECK_CRC32 ? ISAL_GZIP_NO_HDR : ISAL_ZLIB_NO_HDR;
}

enum pp_inflated
pp_inflate_step(struct pp_inflate *z, struct pp_slice *in, unsigned char *out, size_t room,
                size_t *made)
{
	uint32_t take = in->n < UINT32_MAX ? (uint32_t)in->n : UINT32_MAX;
	uint32_t give = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	int result;

	/* ISA-L takes a pointer to bytes that it does not change. */
	z->state.next_in = (uint8_t *)(uintptr_t)in->p;
	z->state.avail_in = take;
	z->state.next_out = out;
	z->state.avail_out = give;
	result = isal_inflate(&z->state);
	take -= z->state.avail_in;
	*in = pp_slice_of(in->p + take, in->n - take);
	*made = give - z->state.avail_out;
	if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT && result != ISAL_OUT_OVERFLOW)
		return PP_INFLATE_BAD;
	return z->state.block_state == ISAL_BLOCK_FINISH ? PP_INFLATE_END : PP_INFLATE_MORE;
}

uint32_t
pp_inflate_check(const struct pp_inflate *z)
{
	return z->state.crc;
}

size_t
pp_inflate_rest(const struct pp_inflate *z, unsigned char rest[PP_INFLATE_REST])
{
	/* ISA-L loads up to 8 bytes into `read_in`; the bits up to the next byte are padding. */
	size_t bits = z->state.read_in_length > 0 ? (size_t)z->state.read_in_length : 0;
	uint64_t held = z->state.read_in >> bits % 8;
	size_t n = bits / 8, i;

	for (i = 0; i < n; i++)
		rest[i] = (unsigned char)(held >> 8 * i);
	return n;
}

uint32_t
pp_crc32(uint32_t crc, const void *p, size_t n)
{
	return crc32_gzip_refl(crc, p, n);
}
