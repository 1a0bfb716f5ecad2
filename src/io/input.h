/*
 * The input as readers see it: a window of decoded bytes that moves forward.
 *
 * Invariants
 *   - [cur, end) are unread bytes in memory; the PP_INPUT_PAD bytes from `end` on can be read too
 *     (their values mean nothing), so that loops may load whole words.
 *   - `at_end` is true when nothing will follow `end`.
 *   - `stable` is true for whole inputs (mapped files, memory): all bytes stay where they are until
 *     the input is closed, so slices may be kept and the input may be cut for several threads.
 *   - `status` says why the bytes ended: PP_OK at a proper end; PP_E_INVALID when a container was cut
 *     or damaged (already reported; what came before is whole); PP_E_LIMIT, PP_E_IO, PP_E_NOMEM.
 */
#ifndef PP_INPUT_H
#define PP_INPUT_H

#include "base/common.h"

#define PP_INPUT_PAD 64

struct pp_io; /* what the layers of one input share; see io/source.h */

struct pp_input {
	const unsigned char *cur;
	const unsigned char *end;
	const unsigned char *begin; /* where `begin_offset` is counted from */
	uint64_t begin_offset;      /* decoded bytes before `begin` */
	bool at_end;
	bool stable;
	bool below; /* a filter reads from it, perhaps on a thread of its own */
	pp_status status;
	/* Brings more bytes into memory, moving the window; see pp_input_need(). */
	bool (*more)(struct pp_input *, size_t need);
	/* A hint that bytes [from, to) will not be read again soon; any thread; may be NULL. */
	void (*forget)(struct pp_input *, const unsigned char *from, const unsigned char *to);
	void (*close)(struct pp_input *);
	struct pp_io *io; /* where findings go; may be NULL */
	void *impl;
};

static inline size_t
pp_input_left(const struct pp_input *in)
{
	return (size_t)(in->end - in->cur);
}

/* The decoded offset of a byte in the window. */
static inline uint64_t
pp_input_offset(const struct pp_input *in, const unsigned char *at)
{
	return in->begin_offset + (uint64_t)(at - in->begin);
}

/*
 * Makes at least `need` unread bytes available. False when the input ends before (what is left stays
 * readable; see `status`). Slices into the window are invalid afterwards unless `stable`.
 */
static inline bool
pp_input_need(struct pp_input *in, size_t need)
{
	return pp_input_left(in) >= need || (!in->at_end && in->more(in, need));
}

/*
 * Takes the next line without its newline; the last one may lack it (*whole is then false). Returns
 * false at the end, or when a line exceeds `max_line` bytes (status PP_E_LIMIT).
 */
bool pp_input_line(struct pp_input *in, uint64_t max_line, struct pp_slice *line, bool *whole);

#endif
