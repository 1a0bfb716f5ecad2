/*
 * Where writers put their bytes.
 *
 * Errors are sticky: after a failed write `status` is set and later writes do nothing, so a writer
 * checks once at the end. A file sink writes beside its target and renames in pp_sink_commit(); closing
 * without commit removes what was written and leaves the target as it was.
 */
#ifndef PP_SINK_H
#define PP_SINK_H

#include <stdarg.h>

#include "base/buf.h"
#include "base/common.h"

struct pp_sink {
	unsigned char *cur, *end; /* room in the current block */
	pp_status status;
	int error;        /* errno of the first failure, or 0 */
	bool direct;      /* what is flushed is out for good: a pipe, a device, the terminal */
	uint64_t written; /* bytes before the current block */
	uint64_t most;    /* of them; beyond it is PP_E_LIMIT. 0 = any number */
	/* Takes bytes away; what fails is noted with pp_sink_fail(). */
	void (*put)(struct pp_sink *, const unsigned char *p, size_t n);
	/* All bytes have been put; NULL = there is nothing to do. */
	void (*commit)(struct pp_sink *);
	void (*close)(struct pp_sink *);
	/*
	 * Opens a second file beside this one for formats made of two (SPX): base name without slash,
	 * committed and closed together with its owner. Returns NULL when this sink cannot (standard
	 * output, a buffer) or when it failed, which its `status` then says.
	 */
	struct pp_sink *(*open_sibling)(struct pp_sink *, const char *base_name); /* or NULL */
	bool unnamed; /* the siblings are all there is: this one gets no name */
	const char *path;
	unsigned char *begin;
	void *impl;
};

/* Puts what is in the current block and empties it. */
void pp_sink_flush(struct pp_sink *);
void pp_sink_write(struct pp_sink *, const void *p, size_t n);
void pp_sink_puts(struct pp_sink *, const char *z);
void pp_sink_printf(struct pp_sink *, const char *fmt, ...) PP_PRINTF(2, 3);
/* A decimal number. */
void pp_sink_u64(struct pp_sink *, uint64_t v);

static inline void
pp_sink_putc(struct pp_sink *s, char c)
{
	if (PP_UNLIKELY(s->cur == s->end))
		pp_sink_flush(s);
	*s->cur++ = (unsigned char)c;
}

/* Compression of what a sink writes. */
enum pp_compression { PP_PLAIN, PP_GZIP, PP_ZSTD };

enum {
	PP_SINK_BY_NAME = 1 << 0, /* the name's ending chooses the compression */
	PP_SINK_NO_SYNC = 1 << 1 /* do not wait for the disk: a power cut may leave an empty file */
};

/*
 * Opens a file ("-" = standard output) for writing; `how` is a set of PP_SINK_*. On failure *out is NULL
 * and *error tells pp_sink_reason() why. A name of a descriptor (/dev/stdout, /dev/fd/N) means the descriptor itself. A store of
 * profiles is never replaced: what one output has is little against what many commands put there.
 */
pp_status pp_sink_file(const char *path, unsigned how, struct pp_sink **out, int *error);
/*
 * Whether a file is a store, by its first bytes, or lies beside one and belongs to it, by its name. Closing it ends the locks that this process has on it: to be asked only by who is
 * about to replace the file, and gives up if it is one.
 */
bool pp_file_is_store(const char *path);
/* Not an errno value: the file is a store. */
#define PP_SINK_STORE (-1)
/* What an error of a sink is, an errno value or that, as text. */
const char *pp_sink_reason(int error);
/* Collects the bytes in a buffer that the caller owns. */
pp_status pp_sink_buffer(struct pp_buf *, struct pp_sink **out);
/* Hands the bytes, block by block, to a function that returns false, with errno set, when it failed. */
pp_status pp_sink_callback(bool (*write)(void *ctx, const void *data, size_t n), void *ctx,
                           struct pp_sink **out);
/* Takes everything and keeps nothing: to learn what a writer would say. */
pp_status pp_sink_null(struct pp_sink **out);
/* Finishes: flushes, compresses, renames. The first error of the sink's life, or PP_OK. */
pp_status pp_sink_commit(struct pp_sink *);
/* Frees; without a commit nothing is left behind. NULL is allowed. */
void pp_sink_close(struct pp_sink *);
/* Notes a failure unless there was one before. */
void pp_sink_fail(struct pp_sink *, pp_status, int error);
/* Removes the temporary files of a file sink that has any: for signal handlers. NULL is allowed. */
void pp_sink_drop(const struct pp_sink *);

#endif
