/*
 * What PHP's serialize() writes, as JSON, and either of the two: for formats that are known in both forms.
 */
#ifndef PP_KIT_PHP_SERIALIZE_H
#define PP_KIT_PHP_SERIALIZE_H

#include "base/buf.h"
#include "base/slice.h"
#include "text/json_emit.h"

/* Whether a text begins as such an array does. */
bool pp_php_is_array(struct pp_slice);

/*
 * Arrays, texts, numbers, truth values and null; objects and references are refused. PP_E_INVALID, with *problem (a sentence
 * without full stop) and *at, when it breaks off or is something else; PP_E_NOMEM. The result has PP_SCAN_PAD bytes behind it.
 */
pp_status pp_php_to_json(struct pp_slice, struct pp_buf *json, const char **problem,
                         const unsigned char **at);

/* Either form of what is written, PHP's or JSON; PHP counts the members of an array. */
void pp_php_array_begin(struct pp_json *, bool php, size_t members);
void pp_php_array_end(struct pp_json *, bool php);
void pp_php_key(struct pp_json *, bool php, struct pp_slice key);
void pp_php_number(struct pp_json *, bool php, const char *key, int64_t n);

#endif
