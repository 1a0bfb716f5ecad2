/*
 * Extracts: what the reader of an input told, as bytes that take no parsing. For inputs that are no stacks (Xdebug, NYTProf,
 * callgrind): calls and lines as their reader added them up, which of a traced run are far fewer than its events.
 *
 *     version · size of the input · format · texts · rows of the model's tables (model/schema.h), their ids as they are ·
 *     cells of series · costs of functions
 *
 * Who reads an extract gets the profile that the reader would have made; so nothing is merged or derived in another way than from
 * the input. What happened when, findings, and what only the format's own writer understands is not in it.
 */
#ifndef PP_EXTRACT_H
#define PP_EXTRACT_H

#include "model/builder.h"

/* What a profile is read with of which an extract is made. */
#define PP_EXTRACT_FACETS                                                                          \
	(unsigned)(PP_TREE | PP_EDGES | PP_LINES | PP_META | PP_LABELS | PP_THREADS | PP_SITES |   \
	           PP_GAINS | PP_GAINS_ALL)

/* Whether an extract tells all that is ordered. */
bool pp_extract_tells(const struct pp_order *);

/* Whether there may be one of a profile that was read without times. */
bool pp_extract_possible(const struct pp_profile *);
/*
 * Appends that of a profile, read without times, whose input has so many bytes. PP_E_UNSUPPORTED: it would not tell all,
 * save little, or take more than `most` bytes; nothing is appended then. A profile with findings has none: who reads the
 * input is told them.
 */
pp_status pp_extract_make(const struct pp_profile *, uint64_t input_size, uint64_t most,
                          struct pp_buf *out);
/* The profile again, and how large its input was. PP_E_INVALID when the bytes are no extract. */
pp_status pp_extract_read(struct pp_slice bytes, uint64_t *input_size, struct pp_profile **out);

#endif
