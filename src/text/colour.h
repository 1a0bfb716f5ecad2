/*
 * How text is to look: colours by meaning, never by number, and none where none are wanted.
 */
#ifndef PP_COLOUR_H
#define PP_COLOUR_H

#include "base/buf.h"
#include "base/common.h"
#include "io/sink.h"
#include "text/escape.h"
#include "text/ink.h"

/* Where text goes: does it take colour, and how many columns has it (0 = as many as needed). */
struct pp_style {
	bool colour;
	unsigned width;
};

/* The escape sequence that starts an ink, "" for plain ink or without colour. */
const char *pp_ink_on(const struct pp_style *, enum pp_ink);
/* The one that ends it. */
const char *pp_ink_off(const struct pp_style *, enum pp_ink);
/* Text that is safe for a terminal already, in an ink. */
void pp_ink_put(struct pp_sink *, const struct pp_style *, enum pp_ink, const char *text);
void pp_ink_putf(struct pp_sink *, const struct pp_style *, enum pp_ink, const char *fmt, ...)
    PP_PRINTF(4, 5);
/* Bytes from anywhere, made safe for a terminal. */
void pp_ink_text(struct pp_sink *, const struct pp_style *, enum pp_ink, struct pp_slice);

/* Text in lines that fit, from the column where the cursor stands, indented. Newlines are kept. */
void pp_text_wrap(struct pp_sink *, const struct pp_style *, const char *text, size_t column,
                  size_t indent);

/* Blanks. */
void pp_text_pad(struct pp_sink *, size_t columns);

#endif
