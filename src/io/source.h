/*
 * How inputs come into being: sources at the bottom, filters on top, and what they share.
 *
 *     file, memory            -> stable input               (file.c, memory.c)
 *     descriptor, callback    -> feed -> window             (file.c, memory.c, input.c)
 *     input + gzip/zlib/zstd  -> feed -> window or pipeline (filter_*.c, input.c, pipeline.c)
 *
 * A feed writes the next bytes into memory that it is given; a window over it makes it an input. The
 * window fills itself until PP_PIPE_START bytes have passed and then, if there are threads, lets the
 * feed run ahead on a thread of its own. So small inputs never start one.
 *
 * Findings (a cut container, a failed read) are noted under a lock by whichever thread meets them and
 * reported to the diagnostics by the thread that reads the topmost input.
 */
#ifndef PP_SOURCE_H
#define PP_SOURCE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/diag.h"
#include "base/limits.h"
#include "io/input.h"
#include "io/rules.h"

/* Decoded bytes after which a feed gets its own thread. */
#define PP_PIPE_START ((size_t)1 << 20)

#define PP_IO_FINDINGS 16

struct pp_finding {
	enum pp_io_rule rule;
	uint64_t offset; /* in the stream decoded so far */
	char text[160];
};

/* One per input file; outlives all inputs made with it. */
struct pp_io {
	struct pp_limits limits; /* complete */
	unsigned threads;        /* >= 1 */
	bool map;     /* files may be mapped: nobody makes them shorter, or SIGBUS is handled */
	size_t block; /* bytes read or decoded at once; 0 = default. Tests use 7. */
	struct pp_diags *diags;     /* may be NULL */
	const char *file;           /* name for findings when it is not the one in diags; or NULL */
	uint64_t file_size;         /* 0 = unknown */
	_Atomic uint64_t file_read; /* bytes of the file taken so far */
	struct pp_account *account; /* that threads work for; or NULL */
	int wake; /* readable when threads shall stop waiting for the file; -1 = none yet */
	pthread_mutex_t lock; /* guards the findings */
	struct pp_finding findings[PP_IO_FINDINGS];
	size_t noted;  /* findings not yet reported */
	uint64_t more; /* and those for which there was no room */
};

/* Limits may be NULL. False when the system has no mutex to give. */
bool pp_io_init(struct pp_io *, const struct pp_limits *, unsigned threads, struct pp_diags *);
void pp_io_release(struct pp_io *);
/* Notes a finding; any thread. The message is a printf format. */
void pp_io_note(struct pp_io *, enum pp_io_rule, uint64_t offset, const char *fmt, ...)
    PP_PRINTF(4, 5);
/* Makes reads that sleep in another thread wakeable; before that thread starts. False: no descriptor. */
bool pp_io_wakeable(struct pp_io *);
/* Wakes them for good: the input is being closed. */
void pp_io_wake(struct pp_io *);
/* Moves the findings noted so far to the diagnostics; only the reading thread. */
void pp_io_report(struct pp_io *);

/* A producer of bytes. */
struct pp_feed {
	/* Writes the next 1..room bytes; 0 at the end, and `status` then says why it ended. */
	size_t (*fill)(struct pp_feed *, unsigned char *to, size_t room);
	void (*close)(struct pp_feed *);
	pp_status status;
	bool light; /* filling costs less than handing blocks from thread to thread */
};

/*
 * An input over a feed, which it takes over (and closes even on failure). `offset` is where the
 * decoded offsets start counting. PP_E_NOMEM.
 */
pp_status pp_input_feed(struct pp_io *, struct pp_feed *, uint64_t offset, struct pp_input **out);
/* The same over blocks that other threads make; see io/pipeline.h. */
struct pp_pipe;
pp_status pp_input_pipe(struct pp_io *, struct pp_pipe *, struct pp_input **out);

/* ---- sources ---- */

/*
 * Opens a file, "-" for standard input. Regular files are mapped where that is allowed, else read whole unless they
 * are large; all others are streamed. PP_E_IO has been noted as a finding with the system's reason.
 */
pp_status pp_input_file(struct pp_io *, const char *path, struct pp_input **out);
/* True when the file was modified since it was opened: what was read may be a mixture. */
bool pp_input_changed(const struct pp_input *);
/*
 * Memory that stays as it is until the input is closed. It is used in place, without PP_INPUT_PAD:
 * good for filters. pp_input_pad() makes a readable input of it.
 */
pp_status pp_input_memory(struct pp_io *, const void *data, size_t size, struct pp_input **out);
/* Replaces an input over bare memory by one with its padding; leaves every other as it is. */
pp_status pp_input_pad(struct pp_input **in);
/*
 * Bytes from a function that returns 1..room, 0 at the end or -1 with errno set, like read(2).
 */
pp_status pp_input_callback(struct pp_io *, ptrdiff_t (*read)(void *ctx, void *to, size_t room),
                            void *ctx, struct pp_input **out);

/* ---- filters ---- */

enum pp_container { PP_CONTAINER_NONE, PP_CONTAINER_GZIP, PP_CONTAINER_ZSTD, PP_CONTAINER_ZLIB };

/* "gzip", "zstd", "zlib". */
const char *pp_container_name(enum pp_container);
/* What the next bytes of an input are, by their magic. */
enum pp_container pp_container_detect(struct pp_input *);
/* The name of a packing that is known but not read here, or NULL. */
const char *pp_container_foreign(struct pp_slice head);
/* The container of which these few bytes, all there are, can only be the cut beginning. */
enum pp_container pp_container_stub(struct pp_slice whole);
/*
 * Puts a decoder on an input, which it takes over (and closes even on failure). With PP_CONTAINER_ZLIB
 * offsets go on from where the input stands and bytes behind the stream are ignored.
 */
pp_status pp_input_decode(struct pp_io *, enum pp_container, struct pp_input *raw,
                          struct pp_input **out);

/* The decoders themselves, as feeds that own `raw`. NULL when out of memory (raw is closed). */
struct pp_feed *pp_feed_gzip(struct pp_io *, struct pp_input *raw);
struct pp_feed *pp_feed_zlib(struct pp_io *, struct pp_input *raw);
struct pp_feed *pp_feed_zstd(struct pp_io *, struct pp_input *raw);
/* The same from a later frame on, when `made` bytes were decoded already. */
struct pp_feed *pp_feed_zstd_from(struct pp_io *, struct pp_input *raw, uint64_t made);

#endif
