/*
 * UTF-16 to UTF-8, for files that a Windows shell redirected.
 */
#ifndef PP_UTF16_H
#define PP_UTF16_H

#include "base/buf.h"
#include "base/common.h"

/*
 * Appends the UTF-8 form of UTF-16 code units. Lone surrogates and an odd byte at the end become U+FFFD
 * and are counted in *bad. Check out->failed.
 */
void pp_utf16_decode(struct pp_buf *out, struct pp_slice bytes, bool big_endian, uint64_t *bad);

#endif
