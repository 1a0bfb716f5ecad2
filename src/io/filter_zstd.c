/*
 * zstd (RFC 8878): frames one after the other, skippable ones between them.
 *
 * libzstd says after each step how many bytes it would like next: the rest of a block and the header
 * of the one behind. An error loses the output of the whole step, so each step gets a block without that
 * header: damage then takes nothing sound down with it. It also keeps libzstd from copying its input.
 */
#include "io/filter.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* As large as the format has them: window memory is only touched as it fills. */
#define WINDOW_LOG_MOST 31
#define BLOCK_HEADER 3
/* More than a block with its header; only skippable frames ask for more, up to 4 GiB. */
#define STEP_MOST ((size_t)256 << 10)

struct zstd_feed {
	struct pp_decoder d;
	ZSTD_DCtx *context;
	size_t hint;  /* bytes that the decoder would like next */
	bool started; /* the first frame was begun */
	bool inside;  /* in the middle of a frame */
	bool waiting; /* the decoder may have output left that did not fit */
};

/* Reports a decoder's error by its kind. */
static void
zstd_bad(struct zstd_feed *f, size_t code)
{
	if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
		pp_decoder_end(&f->d, PP_E_NOMEM);
	else if (ZSTD_getErrorCode(code) == ZSTD_error_checksum_wrong)
		pp_decoder_bad(&f->d, PP_IO_ZSTD_CHECKSUM,
		               "the checksum of a zstd frame does not match");
	else
		pp_decoder_bad(&f->d, PP_IO_ZSTD_CORRUPT, ZSTD_getErrorName(code));
}

/* Goes to the next frame, or to the end when there is none. */
static void
zstd_begin(struct zstd_feed *f)
{
	if (f->started && pp_container_detect(f->d.raw) != PP_CONTAINER_ZSTD) {
		pp_decoder_finish(&f->d, "zstd");
		return;
	}
	f->hint = ZSTD_initDStream(f->context);
	f->inside = f->started = true;
}

static size_t
zstd_step(struct zstd_feed *f, unsigned char *to, size_t room)
{
	struct pp_input *raw = f->d.raw;
	bool enough = f->waiting || pp_input_need(raw, f->hint < STEP_MOST ? f->hint : STEP_MOST);
	size_t left = pp_input_left(raw);
	size_t want = f->hint > BLOCK_HEADER ? f->hint - BLOCK_HEADER : f->hint;
	ZSTD_inBuffer in = { raw->cur, f->waiting ? 0 : left < want ? left : want, 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t code = ZSTD_decompressStream(f->context, &out, &in);

	if (ZSTD_isError(code)) {
		zstd_bad(f, code);
		return 0;
	}
	raw->cur += in.pos;
	f->hint = code;
	f->inside = code != 0;
	f->waiting = out.pos == room;
	pp_decoder_count(&f->d, out.pos);
	if (!f->d.done && f->inside && !enough && in.pos == in.size && !f->waiting)
		pp_decoder_cut(&f->d, PP_IO_ZSTD_TRUNCATED, "the zstd stream");
	return out.pos;
}

static size_t
zstd_fill(struct pp_feed *feed, unsigned char *to, size_t room)
{
	struct zstd_feed *f = (struct zstd_feed *)feed;
	size_t n = 0;

	while (n < room && !f->d.done) {
		if (!f->inside)
			zstd_begin(f);
		else
			n += zstd_step(f, to + n, room - n);
	}
	return n;
}

static void
zstd_close(struct pp_feed *feed)
{
	struct zstd_feed *f = (struct zstd_feed *)feed;

	ZSTD_freeDCtx(f->context);
	pp_decoder_release(&f->d);
	free(f);
}

struct pp_feed *
pp_feed_zstd(struct pp_io *io, struct pp_input *raw)
{
	struct zstd_feed *f = calloc(1, sizeof *f);

	if (!f) {
		raw->close(raw);
		return NULL;
	}
	pp_decoder_init(&f->d, io, raw, zstd_fill, zstd_close);
	f->context = ZSTD_createDCtx();
	if (!f->context || ZSTD_isError(ZSTD_DCtx_setParameter(f->context, ZSTD_d_windowLogMax,
	                                                       WINDOW_LOG_MOST))) {
		zstd_close(&f->d.feed);
		return NULL;
	}
	return &f->d.feed;
}

struct pp_feed *
pp_feed_zstd_from(struct pp_io *io, struct pp_input *raw, uint64_t made)
{
	struct pp_feed *feed = pp_feed_zstd(io, raw);
	struct zstd_feed *f = (struct zstd_feed *)feed;

	if (f) {
		f->d.made = made;
		f->started = true;
	}
	return feed;
}
