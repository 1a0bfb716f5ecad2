/*
 * Punycode (RFC 3492), as Rust uses it for identifiers.
 */
#ifndef PP_PUNYCODE_H
#define PP_PUNYCODE_H

#include "base/common.h"

/* Characters that a name may have. */
#define PP_PUNYCODE_MAX 512

/* Inserts what is coded (digits a-z, 0-9) into ASCII text; false when that is wrong or too long. */
bool pp_punycode_decode(struct pp_slice ascii, struct pp_slice coded,
                        uint32_t points[PP_PUNYCODE_MAX], size_t *count);

#endif
