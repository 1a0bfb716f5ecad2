/*
 * Where large tables come from: zeroed memory, in huge pages where the system has them.
 */
#ifndef PP_PAGES_H
#define PP_PAGES_H

#include "base/common.h"

struct pp_pages {
	void *(*get)(size_t bytes); /* zeroed; NULL when out of memory */
	void (*put)(void *p, size_t bytes);
};

extern const struct pp_pages pp_pages_plain; /* calloc and free (base/slots.c) */
extern const struct pp_pages pp_pages_huge;  /* huge pages for large tables (io/pages.c) */

#endif
