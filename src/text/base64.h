/*
 * Base64 without line breaks, padded with '='.
 */
#ifndef PP_BASE64_H
#define PP_BASE64_H

#include "base/buf.h"

/* Letters that n bytes become. */
#define PP_BASE64_SIZE(n) (((n) + 2) / 3 * 4)

/* Writes n bytes as letters. */
void pp_base64_put(char *to, const void *bytes, size_t n);
/* Appends what letters stand for; false when they are no base64. */
bool pp_base64_take(struct pp_buf *, struct pp_slice text);
/* The same of letters in either alphabet, padded or not, as JSON of protobuf may have them. */
bool pp_base64_take_any(struct pp_buf *, struct pp_slice text);

#endif
