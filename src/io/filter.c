/*
 * Containers: recognising them, and what all decoders share.
 */
#include "io/filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/pipeline.h"

/* A mapped file's pages are given back each time so many bytes were decoded. */
#define FORGET_STEP ((size_t)4 << 20)

static const struct {
	const char *name;
	struct pp_feed *(*feed)(struct pp_io *, struct pp_input *raw);
} containers[] = {
	[PP_CONTAINER_NONE] = { "none", NULL },
	[PP_CONTAINER_GZIP] = { "gzip", pp_feed_gzip },
	[PP_CONTAINER_ZSTD] = { "zstd", pp_feed_zstd },
	[PP_CONTAINER_ZLIB] = { "zlib", pp_feed_zlib },
};

const char *
pp_container_name(enum pp_container c)
{
	return containers[c].name;
}

static const struct magic {
	const char *name;
	const char *bytes;
	size_t size;
} foreign[] = {
	{ "xz", "\xfd\x37\x7a\x58\x5a\x00", 6 },
	{ "bzip2", "BZh", 3 },
	{ "lz4", "\x04\x22\x4d\x18", 4 },
	{ "compress", "\x1f\x9d", 2 },
	{ "zip", "PK\x03\x04", 4 },
	{ "7z", "7z\xbc\xaf\x27\x1c", 6 },
	{ "lzip", "LZIP", 4 },
};

const char *
pp_container_foreign(struct pp_slice head)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(foreign); i++)
		if (head.n >= foreign[i].size &&
		    memcmp(head.p, foreign[i].bytes, foreign[i].size) == 0)
			return foreign[i].name;
	return NULL;
}

enum pp_container
pp_container_stub(struct pp_slice whole)
{
	if (whole.n == 2 && memcmp(whole.p, "\x1f\x8b", 2) == 0)
		return PP_CONTAINER_GZIP;
	if ((whole.n == 2 || whole.n == 3) && memcmp(whole.p, "\x28\xb5\x2f", whole.n) == 0)
		return PP_CONTAINER_ZSTD;
	return PP_CONTAINER_NONE;
}

enum pp_container
pp_container_detect(struct pp_input *in)
{
	const unsigned char *p;

	if (!pp_input_need(in, 3))
		return PP_CONTAINER_NONE;
	if (in->cur[0] == 0x1f && in->cur[1] == 0x8b && in->cur[2] == 8)
		return PP_CONTAINER_GZIP;
	if (!pp_input_need(in, 4))
		return PP_CONTAINER_NONE;
	p = in->cur;
	if (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd)
		return PP_CONTAINER_ZSTD;
	/* A skippable frame, as parallel compressors put in front. */
	if ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18)
		return PP_CONTAINER_ZSTD;
	return PP_CONTAINER_NONE;
}

pp_status
pp_input_decode(struct pp_io *io, enum pp_container c, struct pp_input *raw, struct pp_input **out)
{
	uint64_t offset = c == PP_CONTAINER_ZLIB ? pp_input_offset(raw, raw->cur) : 0;
	struct pp_pipe *pipe;
	struct pp_feed *feed;

	*out = NULL;
	if (c == PP_CONTAINER_NONE) {
		raw->close(raw);
		return PP_E_UNSUPPORTED;
	}
	raw->below = true;
	pipe = c == PP_CONTAINER_ZSTD ? pp_pipe_frames(io, raw) : NULL;
	if (pipe)
		return pp_input_pipe(io, pipe, out);
	feed = containers[c].feed(io, raw);
	return feed ? pp_input_feed(io, feed, offset, out) : PP_E_NOMEM;
}

/* ---- decoders ---- */

void
pp_decoder_init(struct pp_decoder *d, struct pp_io *io, struct pp_input *raw,
                size_t (*fill)(struct pp_feed *, unsigned char *, size_t),
                void (*close)(struct pp_feed *))
{
	d->feed = (struct pp_feed){ fill, close, PP_OK, false };
	d->io = io;
	d->raw = raw;
	d->forgotten = raw->cur;
}

void
pp_decoder_release(struct pp_decoder *d)
{
	d->raw->close(d->raw);
}

void
pp_decoder_end(struct pp_decoder *d, pp_status status)
{
	d->done = true;
	d->feed.status = status;
}

void
pp_decoder_cut(struct pp_decoder *d, enum pp_io_rule rule, const char *what)
{
	struct pp_input *raw = d->raw;

	if (raw->status != PP_OK) {
		/* The layer below has said already what happened. */
		pp_decoder_end(d, raw->status);
		return;
	}
	pp_io_note(d->io, rule, d->made,
	           "%s ends too early, after %llu bytes that hold %llu decoded ones", what,
	           (unsigned long long)pp_input_offset(raw, raw->end), (unsigned long long)d->made);
	pp_decoder_end(d, PP_E_INVALID);
}

void
pp_decoder_bad(struct pp_decoder *d, enum pp_io_rule rule, const char *why)
{
	pp_io_note(d->io, rule, d->made, "%s, near byte %llu of the compressed data", why,
	           (unsigned long long)pp_input_offset(d->raw, d->raw->cur));
	pp_decoder_end(d, PP_E_INVALID);
}

bool
pp_io_plausible(struct pp_io *io, uint64_t made)
{
	uint64_t bytes = io->file_size ? io->file_size
	                               : atomic_load_explicit(&io->file_read, memory_order_relaxed);

	if (made <= io->limits.expansion_grace || made / io->limits.max_expansion <= bytes)
		return true;
	pp_io_note(io, PP_IO_EXPANSION_LIMIT, made,
	           "unpacked to more than %u bytes for each byte of the file",
	           (unsigned)io->limits.max_expansion);
	return false;
}

void
pp_decoder_count(struct pp_decoder *d, size_t made)
{
	struct pp_input *raw = d->raw;

	d->made += made;
	if (raw->stable) {
		atomic_store_explicit(&d->io->file_read, pp_input_offset(raw, raw->cur),
		                      memory_order_relaxed);
		if (raw->forget && (size_t)(raw->cur - d->forgotten) >= FORGET_STEP) {
			raw->forget(raw, d->forgotten, raw->cur);
			d->forgotten = raw->cur;
		}
	}
	if (!d->done && !pp_io_plausible(d->io, d->made))
		pp_decoder_end(d, PP_E_LIMIT);
}

void
pp_decoder_finish(struct pp_decoder *d, const char *what)
{
	struct pp_input *raw = d->raw;
	pp_status status = d->damaged ? PP_E_INVALID : PP_OK;

	while (pp_input_need(raw, 1)) {
		while (raw->cur < raw->end && *raw->cur == 0)
			raw->cur++;
		if (raw->cur == raw->end)
			continue;
		pp_io_note(d->io, PP_IO_TRAILING_DATA, d->made,
		           "the %s data is followed, from byte %llu on, by bytes that are "
		           "not %s",
		           what, (unsigned long long)pp_input_offset(raw, raw->cur), what);
		break;
	}
	pp_decoder_end(d, raw->status != PP_OK ? raw->status : status);
}
