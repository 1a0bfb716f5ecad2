/*
 * The outline of a JSON document: its keys and the beginnings of its lists, in few bytes. Keys come in any order, and what
 * tells a format may stand behind hundreds of megabytes of something else.
 */
#ifndef PP_KIT_JSON_OUTLINE_H
#define PP_KIT_JSON_OUTLINE_H

#include "base/buf.h"

/* Of what is beyond that an outline has nothing but the end of the member that it is in. */
#define PP_OUTLINE_BYTES ((size_t)48 << 10)

/* What became of a document. */
enum pp_outline {
	PP_OUTLINE_WHOLE, /* nothing but blanks follows it */
	PP_OUTLINE_MORE,  /* something follows it */
	PP_OUTLINE_CUT,   /* it does not end */
	PP_OUTLINE_WRONG  /* it is no JSON from where the outline ends */
};

/*
 * Appends the outline of a document, a shorter one of the same shape: of lists the first few items, of long texts the
 * beginning, and what is nested deeply is empty. The buffer tells when memory failed.
 */
enum pp_outline pp_json_outline(struct pp_slice text, struct pp_buf *out);

#endif
