/*
 * All of an input at once: for formats that look at it twice, out of order, or from behind.
 */
#ifndef PP_KIT_WHOLE_H
#define PP_KIT_WHOLE_H

#include "formats/reader.h"
#include "model/builder.h"

/* While it is open, reader->in is in memory as a whole and stays there. Zero is closed. */
struct pp_whole {
	struct pp_input *outer; /* what the reader had before */
	struct pp_input input;
	struct pp_buf text;
};

/*
 * Makes reader->in stable, reading all that is left if it is not yet. What a damaged container still gave
 * is there: see reader->in->status. PP_E_NOMEM, PP_E_LIMIT. To be closed in any case.
 */
pp_status pp_whole_open(struct pp_whole *, struct pp_reader *);
/* The same of text, whose lines are limited. */
pp_status pp_whole_open_lines(struct pp_whole *, struct pp_reader *, struct pp_builder *);
/* Lets the reader go on with another text (an input decoded, say), which is taken over and emptied. */
pp_status pp_whole_replace(struct pp_whole *, struct pp_reader *, struct pp_buf *text);
/* Gives the reader its input back, with the status of the whole. */
void pp_whole_close(struct pp_whole *, struct pp_reader *);

#endif
