/*
 * Limits against hostile input. They are enforced by the builder (strings, nodes, depth), by the filters
 * (expansion, layers), by the input (line length) and by the account of memory, never by a format on its own.
 */
#ifndef PP_LIMITS_H
#define PP_LIMITS_H

#include "base/common.h"

/* The caller's limits with each 0 replaced by the default; NULL gives all defaults. */
struct pp_limits pp_limits_complete(const struct pp_limits *own);

#endif
