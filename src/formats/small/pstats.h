/*
 * What reading and writing of pstats share.
 */
#ifndef PP_PSTATS_H
#define PP_PSTATS_H

#include "formats/author.h"

/* The file of what has none. */
#define PP_PSTATS_NO_FILE "~"
/* The extra of a function or a pair of them: calls that were not made from below itself, where that differs. */
#define PP_PSTATS_PRIMITIVE "primitive"

extern const struct pp_format pp_format_pstats;

pp_status pp_pstats_write(struct pp_writer *);

#endif
