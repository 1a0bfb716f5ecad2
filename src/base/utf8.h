/*
 * UTF-8: validation, decoding, display width, and a faithful rendering of arbitrary bytes.
 */
#ifndef PP_UTF8_H
#define PP_UTF8_H

#include "base/buf.h"
#include "base/common.h"

/*
 * Decodes the character at p[0..n-1], n >= 1. Returns its length, or 0 when the bytes there are not
 * valid UTF-8 (overlong forms, surrogates and values past U+10FFFF are not).
 */
size_t pp_utf8_decode(const unsigned char *p, size_t n, uint32_t *code);
/* Writes a code point <= U+10FFFF; returns 1..4. */
size_t pp_utf8_encode(uint32_t code, unsigned char out[4]);
bool pp_utf8_valid(struct pp_slice s);
/* Appends the bytes with U+FFFD for each byte that is not part of valid UTF-8. */
void pp_utf8_scrub(struct pp_buf *, struct pp_slice s);
/* Columns a code point takes on a terminal: 0 for combining marks, 2 for wide ones, else 1. */
int pp_utf8_width(uint32_t code);
/* Whether a character beyond ASCII controls, reorders or hides text. */
bool pp_utf8_hides(uint32_t code);

#endif
