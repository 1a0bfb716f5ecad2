/*
 * Libraries that are loaded when somebody needs them: linking one costs each start of the program, and most do without.
 */
#ifndef PP_IO_LIBRARY_H
#define PP_IO_LIBRARY_H

#include "base/common.h"

/* A function of a library, and the pointer it goes to. */
struct pp_library_call {
	const char *name;
	void *to;
};

struct pp_library {
	const char *file; /* as the linker names it: libdw.so.1 */
	const struct pp_library_call *calls;
	size_t n;
	int state; /* 0 until it is looked for, then 1, or -1 when it or one of the functions is missing */
};

/* Whether it is there; the first time it is loaded, and its functions are found. Any thread may ask. */
bool pp_library_has(struct pp_library *);

#endif
