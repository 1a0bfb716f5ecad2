/*
 * Paths as texts.
 */
#ifndef PP_PATH_H
#define PP_PATH_H

#include "base/buf.h"

/* Adds a path without empty parts, "." and, where something stands before it, "..". Nothing stays nothing. */
void pp_path_clean(struct pp_buf *, struct pp_slice);

#endif
