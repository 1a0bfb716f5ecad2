/*
 * Units of time and of memory, by the words that files and people use for them.
 */
#ifndef PP_UNITS_OF_H
#define PP_UNITS_OF_H

#include "base/common.h"

enum pp_unit_of { PP_UNIT_TIME, PP_UNIT_BYTES };

enum pp_unit_form {
	PP_UNIT_SYMBOL, /* "ms" */
	PP_UNIT_FULL,   /* "milliseconds" */
	PP_UNIT_SHORT,  /* "msec" */
	PP_UNIT_CLOCK   /* "10ns": what a clock ticks in */
};

struct pp_unit {
	const char *word;
	enum pp_unit_of of;
	enum pp_unit_form form;
	uint64_t factor; /* ns or bytes of one */
};

/* The unit of that word; NULL when it is none. */
const struct pp_unit *pp_unit_find(enum pp_unit_of, struct pp_slice word);
/* The symbol of so many ns or bytes; NULL when there is none. */
const char *pp_unit_symbol(enum pp_unit_of, uint64_t factor);

#endif
