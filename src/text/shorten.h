/*
 * Names that fit: what tells one from another stays longest.
 */
#ifndef PP_SHORTEN_H
#define PP_SHORTEN_H

#include "base/buf.h"

/*
 * Appends a name that is safe for a terminal in at most so many columns; returns the columns taken. First
 * what stands in angle brackets and parentheses becomes an ellipsis, then what leads to the name goes:
 * namespaces, packages, directories. When that is not enough, the middle of what is left does.
 */
size_t pp_name_shorten(struct pp_buf *, const char *name, size_t n, size_t columns);

#endif
