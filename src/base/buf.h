/*
 * A growable byte string for building text.
 * Invariants: `p` is NULL or holds n bytes followed by a NUL; a failed append sets `failed`, leaves
 * the bytes as they were and makes every later append a no-op, so one check at the end is enough.
 */
#ifndef PP_BUF_H
#define PP_BUF_H

#include <stdarg.h>

#include "base/common.h"

struct pp_buf {
	char *p;
	size_t n;
	size_t cap;
	bool failed;
};

void pp_buf_add(struct pp_buf *, const void *bytes, size_t n);
void pp_buf_adds(struct pp_buf *, const char *z);
void pp_buf_addc(struct pp_buf *, char c);
void pp_buf_addf(struct pp_buf *, const char *fmt, ...) PP_PRINTF(2, 3);
void pp_buf_vaddf(struct pp_buf *, const char *fmt, va_list args) PP_PRINTF(2, 0);
/* Room for n more bytes; returns where to write them (then add to b->n), NULL when out of memory. */
char *pp_buf_room(struct pp_buf *, size_t n);
void pp_buf_release(struct pp_buf *);

#endif
