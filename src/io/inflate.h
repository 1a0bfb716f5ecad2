/*
 * Raw deflate (RFC 1951), streaming, with a running checksum: the one interface behind which ISA-L and
 * zlib stand as alternative files.
 */
#ifndef PP_INFLATE_H
#define PP_INFLATE_H

#include "base/common.h"

enum pp_check { PP_CHECK_CRC32, PP_CHECK_ADLER32 };

enum pp_inflated {
	PP_INFLATE_MORE, /* more input or more room is needed */
	PP_INFLATE_END,  /* the stream is complete */
	PP_INFLATE_BAD   /* not deflate; what was made before may be used */
};

/* Bytes behind the end of a stream that the decoder may have taken already. */
#define PP_INFLATE_REST 8

struct pp_inflate;

struct pp_inflate *pp_inflate_new(enum pp_check); /* NULL when out of memory */
void pp_inflate_free(struct pp_inflate *);
/* Gets ready for another stream. */
void pp_inflate_reset(struct pp_inflate *);
/* Takes bytes from the front of *in and writes up to `room`; *made says how many. */
enum pp_inflated pp_inflate_step(struct pp_inflate *, struct pp_slice *in, unsigned char *out,
                                 size_t room, size_t *made);
/* At the end: the checksum of all that was made. */
uint32_t pp_inflate_check(const struct pp_inflate *);
/* At the end: copies the bytes taken beyond it; how many. They come before what is left of the input. */
size_t pp_inflate_rest(const struct pp_inflate *, unsigned char rest[PP_INFLATE_REST]);

/* The CRC-32 of gzip, going on from `crc` (0 at first). */
uint32_t pp_crc32(uint32_t crc, const void *p, size_t n);

#endif
