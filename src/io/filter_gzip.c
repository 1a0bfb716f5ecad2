/*
 * gzip (RFC 1952) and zlib (RFC 1950): wrappers around deflate.
 *
 *     gzip   one or more members, each:
 *              1f 8b 08 FLG MTIME(4) XFL OS
 *              FLG & 4   XLEN(2) and as many bytes
 *              FLG & 8   file name, NUL        FLG & 16   comment, NUL
 *              FLG & 2   CRC16 of the header   FLG & 1    "is text", no field; & 0xe0 reserved
 *              deflate   CRC32(4) ISIZE(4)     of the decoded bytes, little endian
 *            then nothing, or zero padding (tapes), or garbage (reported)
 *     zlib   CMF FLG (multiple of 31; CMF & 15 = 8; FLG & 32 = dictionary), deflate, ADLER32(4) big endian
 *
 * A checksum that does not match does not stop the decoding: the members behind it may be sound.
 */
#include "io/filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/inflate.h"

enum {
	GZIP_HEADER_CRC = 2,
	GZIP_EXTRA = 4,
	GZIP_NAME = 8,
	GZIP_COMMENT = 16,
	GZIP_RESERVED = 0xe0
};

struct deflate_rules {
	enum pp_io_rule truncated, corrupt, checksum;
	const char *what;
};

static const struct deflate_rules gzip_rules = { PP_IO_GZIP_TRUNCATED, PP_IO_GZIP_CORRUPT,
	                                         PP_IO_GZIP_CHECKSUM, "the gzip stream" };
static const struct deflate_rules zlib_rules = { PP_IO_ZLIB_TRUNCATED, PP_IO_ZLIB_CORRUPT,
	                                         PP_IO_ZLIB_CHECKSUM, "the zlib stream" };

struct deflate_feed {
	struct pp_decoder d;
	const struct deflate_rules *rules;
	struct pp_inflate *inflate;
	bool inside; /* between a header and its trailer */
	uint32_t header_crc;
	uint32_t member_size; /* decoded bytes of this member, modulo 2^32 */
	uint64_t member;      /* its number, from 1 */
};

/* ---- bytes outside deflate ---- */

/* The next byte of a header; false (and the decoding ended) when there is none. */
static bool
header_byte(struct deflate_feed *f, unsigned *byte)
{
	struct pp_input *raw = f->d.raw;

	if (!pp_input_need(raw, 1)) {
		pp_decoder_cut(&f->d, f->rules->truncated, f->rules->what);
		return false;
	}
	f->header_crc = pp_crc32(f->header_crc, raw->cur, 1);
	*byte = *raw->cur++;
	return true;
}

static bool
header_skip(struct deflate_feed *f, unsigned n)
{
	unsigned ignored;

	while (n--)
		if (!header_byte(f, &ignored))
			return false;
	return true;
}

/* Skips bytes up to and with a NUL. */
static bool
header_skip_text(struct deflate_feed *f)
{
	unsigned byte;

	do
		if (!header_byte(f, &byte))
			return false;
	while (byte);
	return true;
}

static bool
header_bad(struct deflate_feed *f, const char *why)
{
	pp_decoder_bad(&f->d, f->rules->corrupt, why);
	return false;
}

static bool
gzip_optional(struct deflate_feed *f, unsigned flags)
{
	unsigned low, high, crc;

	if (flags & GZIP_EXTRA &&
	    (!header_byte(f, &low) || !header_byte(f, &high) || !header_skip(f, low | high << 8)))
		return false;
	if (flags & GZIP_NAME && !header_skip_text(f))
		return false;
	if (flags & GZIP_COMMENT && !header_skip_text(f))
		return false;
	crc = f->header_crc & 0xffff;
	if (flags & GZIP_HEADER_CRC) {
		if (!header_byte(f, &low) || !header_byte(f, &high))
			return false;
		if ((low | high << 8) != crc)
			return header_bad(f, "the checksum of a gzip header does not match");
	}
	return true;
}

/* Reads the header of a member whose magic was seen. */
static bool
gzip_header(struct deflate_feed *f)
{
	unsigned byte, flags;

	f->header_crc = 0;
	/* The two bytes of the magic, then the method. */
	for (unsigned i = 0; i < 3; i++)
		if (!header_byte(f, &byte))
			return false;
	if (byte != 8)
		return header_bad(f, "a gzip header names an unknown method");
	if (!header_byte(f, &flags))
		return false;
	if (flags & GZIP_RESERVED)
		return header_bad(f, "a gzip header has reserved flags set");
	return header_skip(f, 6) && gzip_optional(f, flags);
}

static bool
zlib_header(struct deflate_feed *f)
{
	unsigned method, flags;

	if (!header_byte(f, &method) || !header_byte(f, &flags))
		return false;
	if ((method << 8 | flags) % 31 != 0 || (method & 15) != 8)
		return header_bad(f, "the zlib header is wrong");
	if (flags & 32)
		return header_bad(f, "the zlib stream needs a dictionary");
	return true;
}

/* Collects a trailer: first what the inflater took too much, then the input. */
static bool
read_trailer(struct deflate_feed *f, unsigned char *trailer, size_t size)
{
	unsigned char rest[PP_INFLATE_REST];
	size_t have = pp_inflate_rest(f->inflate, rest);
	struct pp_input *raw = f->d.raw;

	have = have < size ? have : size;
	memcpy(trailer, rest, have);
	if (!pp_input_need(raw, size - have)) {
		pp_decoder_cut(&f->d, f->rules->truncated, f->rules->what);
		return false;
	}
	memcpy(trailer + have, raw->cur, size - have);
	raw->cur += size - have;
	return true;
}

static void
note_checksum(struct deflate_feed *f, const char *what)
{
	pp_io_note(f->d.io, f->rules->checksum, f->d.made, "%s of %s does not match (member %llu)",
	           what, f->rules->what, (unsigned long long)f->member);
	f->d.damaged = true;
}

static void
gzip_trailer(struct deflate_feed *f)
{
	unsigned char trailer[8];

	f->inside = false;
	if (!read_trailer(f, trailer, sizeof trailer))
		return;
	if (pp_load32(trailer) != pp_inflate_check(f->inflate))
		note_checksum(f, "the checksum");
	else if (pp_load32(trailer + 4) != f->member_size)
		note_checksum(f, "the length");
}

static void
zlib_trailer(struct deflate_feed *f)
{
	unsigned char t[4];

	f->inside = false;
	if (!read_trailer(f, t, sizeof t))
		return;
	if (((uint32_t)t[0] << 24 | (uint32_t)t[1] << 16 | (uint32_t)t[2] << 8 | t[3]) !=
	    pp_inflate_check(f->inflate))
		note_checksum(f, "the checksum");
	/* Whatever the file says behind the stream is not part of the profile. */
	pp_decoder_end(&f->d, f->d.damaged ? PP_E_INVALID : PP_OK);
}

/* Goes to the next member, or to the end when there is none. */
static void
gzip_begin(struct deflate_feed *f)
{
	struct pp_input *raw = f->d.raw;
	bool more = f->member == 0 ||
	            (pp_input_need(raw, 2) && raw->cur[0] == 0x1f && raw->cur[1] == 0x8b);

	if (!more) {
		pp_decoder_finish(&f->d, "gzip");
		return;
	}
	f->member++;
	f->member_size = 0;
	pp_inflate_reset(f->inflate);
	f->inside = gzip_header(f);
}

static void
zlib_begin(struct deflate_feed *f)
{
	f->member = 1;
	f->inside = zlib_header(f);
}

static void
deflate_begin(struct deflate_feed *f)
{
	if (f->rules == &gzip_rules)
		gzip_begin(f);
	else
		zlib_begin(f);
}

static void
deflate_trailer(struct deflate_feed *f)
{
	if (f->rules == &gzip_rules)
		gzip_trailer(f);
	else
		zlib_trailer(f);
}

/* ---- the body ---- */

static size_t
deflate_body(struct deflate_feed *f, unsigned char *to, size_t room)
{
	struct pp_input *raw = f->d.raw;
	bool starved = !pp_input_need(raw, 1);
	struct pp_slice in = { raw->cur, pp_input_left(raw) };
	size_t made;
	enum pp_inflated result = pp_inflate_step(f->inflate, &in, to, room, &made);

	raw->cur = in.p;
	f->member_size += (uint32_t)made;
	pp_decoder_count(&f->d, made);
	if (f->d.done)
		return made;
	if (result == PP_INFLATE_BAD)
		pp_decoder_bad(&f->d, f->rules->corrupt, "the deflate data are damaged");
	else if (result == PP_INFLATE_END)
		deflate_trailer(f);
	else if (starved && made == 0)
		pp_decoder_cut(&f->d, f->rules->truncated, f->rules->what);
	return made;
}

static size_t
deflate_fill(struct pp_feed *feed, unsigned char *to, size_t room)
{
	struct deflate_feed *f = (struct deflate_feed *)feed;
	size_t n = 0;

	while (n < room && !f->d.done) {
		if (!f->inside)
			deflate_begin(f);
		else
			n += deflate_body(f, to + n, room - n);
	}
	return n;
}

static void
deflate_close(struct pp_feed *feed)
{
	struct deflate_feed *f = (struct deflate_feed *)feed;

	pp_inflate_free(f->inflate);
	pp_decoder_release(&f->d);
	free(f);
}

static struct pp_feed *
deflate_new(struct pp_io *io, struct pp_input *raw, const struct deflate_rules *rules,
            enum pp_check check)
{
	struct deflate_feed *f = calloc(1, sizeof *f);

	if (!f) {
		raw->close(raw);
		return NULL;
	}
	pp_decoder_init(&f->d, io, raw, deflate_fill, deflate_close);
	f->rules = rules;
	f->inflate = pp_inflate_new(check);
	if (!f->inflate) {
		deflate_close(&f->d.feed);
		return NULL;
	}
	return &f->d.feed;
}

struct pp_feed *
pp_feed_gzip(struct pp_io *io, struct pp_input *raw)
{
	return deflate_new(io, raw, &gzip_rules, PP_CHECK_CRC32);
}

struct pp_feed *
pp_feed_zlib(struct pp_io *io, struct pp_input *raw)
{
	return deflate_new(io, raw, &zlib_rules, PP_CHECK_ADLER32);
}
