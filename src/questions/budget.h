/*
 * How much of an answer is wanted, in rows and in bytes: a parameter of every question, kept here and
 * nowhere else.
 *
 * Rows are cut before anything is printed, bytes while it is: a renderer prints the answer without any row
 * first, which tells what is left for rows, then puts in rows as long as pp_purse_take() lets it.
 */
#ifndef PP_BUDGET_H
#define PP_BUDGET_H

#include "base/buf.h"
#include "base/common.h"

struct pp_budget {
	uint64_t rows; /* of each table; 0 = all, PP_UNSET = as many as the question thinks right */
	uint64_t page; /* rows to leave out before the first one shown: what pp_cut.next said */
	const char
	    *page_given; /* the same as it was given: trees have pages of their own; or NULL */
	uint64_t bytes;  /* of the whole answer; 0 = any number */
	uint64_t tokens; /* the answer is an excerpt of so many; PP_UNSET = it is none */
};

/* The part of a table that is shown. */
struct pp_window {
	size_t first, n;
};

/* What an answer does not show. */
struct pp_cut {
	uint64_t rows; /* left out behind the last one shown, of all tables */
	uint64_t
	    next; /* the page that goes on with the first table that was cut; 0 = nothing was */
};

/* The rows [first, first + n) of a table with `rows` of them, `usual` being what the question thinks right (0 = all). */
struct pp_window pp_budget_window(const struct pp_budget *, size_t rows, size_t usual);

/* Bytes to spend on rows. */
struct pp_purse {
	bool bounded;
	bool empty; /* nothing more is given out: one row too many was asked for */
	size_t left;
};

/* Whether a row of `n` bytes may be printed. Once one may not, none may: rows are a prefix. */
bool pp_purse_take(struct pp_purse *, size_t n);

/* Texts are cut to this many bytes where bytes are counted, so that no name uses them up. */
#define PP_CLIP_MAX 160
/*
 * A text, or "its first bytes...its last bytes (N bytes)" when it is longer than PP_CLIP_MAX, made in *spare. Characters
 * of UTF-8 stay whole.
 */
struct pp_slice pp_budget_clip(struct pp_slice, struct pp_buf *spare);

#endif
