/*
 * What a file is that no format here reads, so that people are told more than "no".
 */
#ifndef PP_STRANGERS_H
#define PP_STRANGERS_H

#include "formats/format.h"

struct pp_stranger {
	const char *name;    /* "a recording of perf (perf.data)" */
	const char *way_out; /* what to do about it; NULL = nothing is known to help */
};

/* What the first bytes look like; NULL when they look like nothing that is known. */
const struct pp_stranger *pp_stranger_find(const struct pp_peek *);

#endif
