/*
 * All rules by where they belong: the input itself, then each format.
 */
#ifndef PP_CLI_RULES_H
#define PP_CLI_RULES_H

#include "formats/format.h"

/* Source 0 is the input and output room, source i the (i-1)th format. NULL past the last. */
const struct pp_rule *pp_rules_of(size_t source, const char **name);

#endif
