/*
 * Inflate by ISA-L.
 *
 * Three habits of it are dealt with here. It may hold decoded bytes back in a buffer of its own: after
 * an error they are fetched from there. When a distance reaches back too far it counts the match as
 * made although there is nothing to copy: such bytes are dropped. And it reads ahead of the end of a
 * stream: pp_inflate_rest() gives that back.
 */
#include "io/inflate.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

/* The longest match that deflate has. */
#define MATCH_MOST 258

struct pp_inflate {
	enum pp_check check;
	bool bad;    /* the data are damaged; only what is held back is still to come */
	size_t held; /* how much that is */
	struct inflate_state state;
};

struct pp_inflate *
pp_inflate_new(enum pp_check check)
{
	struct pp_inflate *z = calloc(1, sizeof *z);

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
	z->bad = false;
	z->state.crc_flag = z->check == PP_CHECK_CRC32 ? ISAL_GZIP_NO_HDR : ISAL_ZLIB_NO_HDR;
}

/* After an error: hands out what is held back, then says that the data are damaged. */
static enum pp_inflated
step_bad(struct pp_inflate *z, unsigned char *out, size_t room, size_t *made)
{
	size_t take = z->held < room ? z->held : room;

	memcpy(out, z->state.tmp_out_buffer + z->state.tmp_out_processed, take);
	z->state.tmp_out_processed += (int32_t)take;
	z->held -= take;
	*made += take;
	return z->held ? PP_INFLATE_MORE : PP_INFLATE_BAD;
}

/* Notes an error; of what was decoded, `made` bytes lie in the output and `held` with ISA-L. */
static void
turn_bad(struct pp_inflate *z, bool too_far, size_t *made)
{
	size_t invented = too_far ? MATCH_MOST : 0;
	size_t from_held;

	z->bad = true;
	z->held = (size_t)(z->state.tmp_out_valid - z->state.tmp_out_processed);
	from_held = invented < z->held ? invented : z->held;
	z->held -= from_held;
	invented -= from_held;
	*made -= invented < *made ? invented : *made;
}

enum pp_inflated
pp_inflate_step(struct pp_inflate *z, struct pp_slice *in, unsigned char *out, size_t room,
                size_t *made)
{
	uint32_t take = in->n < UINT32_MAX ? (uint32_t)in->n : UINT32_MAX;
	uint32_t give = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	int result;

	*made = 0;
	if (z->bad)
		return step_bad(z, out, room, made);
	/* ISA-L takes a pointer to bytes that it does not change. */
	z->state.next_in = (uint8_t *)(uintptr_t)in->p;
	z->state.avail_in = take;
	z->state.next_out = out;
	z->state.avail_out = give;
	result = isal_inflate(&z->state);
	take -= z->state.avail_in;
	*in = pp_slice_of(in->p + take, in->n - take);
	*made = give - z->state.avail_out;
	if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT && result != ISAL_OUT_OVERFLOW) {
		turn_bad(z, result == ISAL_INVALID_LOOKBACK, made);
		return step_bad(z, out + *made, room - *made, made);
	}
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
