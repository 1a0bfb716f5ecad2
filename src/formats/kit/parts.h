/*
 * The shapes in which readers take a large input, each written once:
 *
 *   runs     one thread, any input: runs of whole lines as the window moves
 *   parts    several threads, an input that stays in memory: cut at record ends, as many parts as threads
 *   rounds   several threads, any input: pieces are cut off one after the other, worked on by any thread
 *            and taken in order, while the next are being worked on
 *
 * All of them tell progress and let go of what was read of a mapped file.
 */
#ifndef PP_KIT_PARTS_H
#define PP_KIT_PARTS_H

#include "base/slice.h"
#include "formats/reader.h"

/* ---- behind us ---- */

/* What of a mapped file was let go of; zero is nothing. */
struct pp_behind {
	const unsigned char *to;
};

#define PP_BEHIND_STEP ((size_t)16 << 20)

/* Lets go of [from, done), if the input can. */
void pp_input_let_go(struct pp_input *, struct pp_behind *, const unsigned char *from,
                     const unsigned char *done);

/* Bytes before `done` will not be read again; `begin` is where reading began. To be called often. */
static inline void
pp_input_behind(struct pp_input *in, struct pp_behind *behind, const unsigned char *begin,
                const unsigned char *done)
{
	const unsigned char *from = behind->to ? behind->to : begin;

	if (PP_UNLIKELY((size_t)(done - from) >= PP_BEHIND_STEP))
		pp_input_let_go(in, behind, from, done);
}

/* ---- runs ---- */

struct pp_runs {
	struct pp_reader *reader;
	size_t most; /* bytes of a run, unless a line is longer; 0 = all there is in memory */
	bool last;   /* nothing follows the run; its last line may lack the newline */
	/* of the loop itself */
	const unsigned char *begin;
	struct pp_behind behind;
	bool begun, done;
};

/*
 * The next run of whole lines, which starts at reader->in->cur; the caller moves that forward over what it
 * took, to the end of the run if not told otherwise. Slices of the run before are gone then, unless the
 * input is stable. An empty run is the end. PP_E_IO when the caller wants to stop, PP_E_LIMIT when a line is
 * too long (the message is for the builder: "a line is too long"), PP_E_NOMEM.
 */
pp_status pp_runs_next(struct pp_runs *, struct pp_slice *run);

/* ---- parts ---- */

/*
 * Cuts a text into at most `most` parts of at least `smallest` bytes (one at least, unless it is empty);
 * returns how many. `record_end` gives the end of the record that a byte is in: pp_line_end(), or a format's
 * own. Part i is [cut[i], cut[i + 1]); there is room for most + 1 of them.
 */
unsigned pp_parts_cut(struct pp_slice text, unsigned most, size_t smallest,
                      const unsigned char *(*record_end)(const unsigned char *p,
                                                         const unsigned char *end),
                      const unsigned char **cut);

/* ---- rounds ---- */

/*
 * The caller has 2 * room pieces, known by number. One thread takes and fills the pieces of one half, in
 * order, while the others work on those of the other half.
 */
struct pp_rounds {
	struct pp_reader *reader;
	void *ctx;
	unsigned room;
	/* Puts the next piece of the input there; false when there is none. */
	bool (*fill)(void *ctx, unsigned piece);
	/* Works on a piece; any thread, in any order. */
	void (*work)(void *ctx, unsigned piece);
	/* Uses a piece that was worked on, in the order of the input; false to stop. */
	bool (*take)(void *ctx, unsigned piece);
	/* of the loop itself */
	unsigned filled[2];
	unsigned ready; /* the half that was worked on */
	bool ended;     /* no more to fill */
	bool stopped;
};

/* PP_E_IO when the caller wants to stop; why it stopped itself, `take` knows. */
pp_status pp_rounds_run(struct pp_rounds *);

#endif
