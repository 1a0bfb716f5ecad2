/*
 * Makes any bytes safe for where they go: XML and HTML, a terminal, CSV.
 * JSON has its own emitter in text/json_emit.h.
 */
#ifndef PP_ESCAPE_H
#define PP_ESCAPE_H

#include "base/buf.h"
#include "base/common.h"
#include "io/sink.h"

/*
 * For XML 1.0 and HTML, in text and between either kind of quotes. Tab, newline and carriage return
 * become references, so they survive the parser's normalisation; other control characters, bytes that
 * are not UTF-8, U+FFFE and U+FFFF (which XML cannot hold) become U+FFFD.
 */
void pp_escape_xml(struct pp_sink *, struct pp_slice);

/*
 * For a terminal: control and stray bytes show as \xNN, controls beyond ASCII and characters that
 * reorder or hide text as \u{NNNN}; nothing the file says can move the cursor or swap what is read.
 * Appends to the buffer and returns the columns taken.
 */
size_t pp_escape_terminal(struct pp_buf *, struct pp_slice);

/*
 * One field of RFC 4180 CSV: quoted when it must be. Bytes that are not UTF-8 become U+FFFD, since a
 * CSV reader gives up on the whole file otherwise.
 */
void pp_escape_csv(struct pp_sink *, struct pp_slice);
/* The same of text that is no number: what a spreadsheet would take for a formula gets an apostrophe in front. */
void pp_escape_csv_text(struct pp_sink *, struct pp_slice);

/* Columns that text takes which is safe for a terminal. */
size_t pp_text_columns(const char *text, size_t n);
/*
 * Appends text that is safe for a terminal, its middle replaced by an ellipsis when it takes more than
 * `columns`; returns the columns taken.
 */
size_t pp_text_shorten(struct pp_buf *, const char *text, size_t n, size_t columns);

/* For Markdown, also inside of a table: safe for a terminal, and nothing in it is markup. */
void pp_escape_markdown(struct pp_sink *, struct pp_slice);
/* The same as a code span, which shows names as they are; nothing when there is no text. */
void pp_escape_markdown_code(struct pp_sink *, struct pp_slice);

#endif
