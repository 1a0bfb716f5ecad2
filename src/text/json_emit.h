/*
 * Writes JSON to a sink: commas and colons are placed here, keys appear in the order of the calls.
 *
 * Whatever bytes come in, valid JSON goes out: U+FFFD stands for each byte that is not part of valid
 * UTF-8, control characters are escaped, and so are U+2028, U+2029, "</" and "<!", so that the text can
 * be put into an HTML <script> as it is. What people may see is spelled, too (`spelled`): characters that
 * reorder or hide text are escaped. Errors are the sink's: check its status once at the end.
 */
#ifndef PP_JSON_EMIT_H
#define PP_JSON_EMIT_H

#include "base/common.h"
#include "io/sink.h"

enum pp_json_style {
	PP_JSON_SPACED, /* {"a": 1, "b": [2, 3]} */
	PP_JSON_COMPACT /* {"a":1,"b":[2,3]} */
};

/*
 * One comma bit is all the state there is: it is clear after an opening bracket and after a key, and
 * set after a value, so nesting needs no stack. Keeping the brackets balanced is the caller's part.
 */
struct pp_json {
	struct pp_sink *out;
	enum pp_json_style style;
	bool comma;
	bool spelled; /* off unless set */
};

void pp_json_init(struct pp_json *, struct pp_sink *, enum pp_json_style);
/* Ends a document with a newline; the next value starts a new one (NDJSON). */
void pp_json_end_line(struct pp_json *);

void pp_json_begin_object(struct pp_json *);
void pp_json_end_object(struct pp_json *);
void pp_json_begin_array(struct pp_json *);
void pp_json_end_array(struct pp_json *);

/* A key: from a C string, or from the file (any bytes). */
void pp_json_key(struct pp_json *, const char *key);
void pp_json_key_text(struct pp_json *, struct pp_slice key);

/* Values: elements of an array, or what follows a key. */
void pp_json_text(struct pp_json *, struct pp_slice);
void pp_json_textz(struct pp_json *, const char *);
void pp_json_u64(struct pp_json *, uint64_t);
void pp_json_i64(struct pp_json *, int64_t);
void pp_json_bool(struct pp_json *, bool);
void pp_json_null(struct pp_json *);
/* A number (or any other valid JSON) that is already text: written as it is. */
void pp_json_raw(struct pp_json *, const char *text, size_t n);
/* The same of JSON that may hold strings, which are spelled where that is wanted. */
void pp_json_raw_text(struct pp_json *, struct pp_slice);
/* All bytes as a string of lower-case hexadecimal digits. */
void pp_json_hex(struct pp_json *, struct pp_slice);

/* A key and its value in one call. */
void pp_json_put_text(struct pp_json *, const char *key, struct pp_slice);
void pp_json_put_textz(struct pp_json *, const char *key, const char *);
void pp_json_put_u64(struct pp_json *, const char *key, uint64_t);
void pp_json_put_i64(struct pp_json *, const char *key, int64_t);
void pp_json_put_bool(struct pp_json *, const char *key, bool);
void pp_json_put_null(struct pp_json *, const char *key);
void pp_json_put_raw(struct pp_json *, const char *key, const char *text, size_t n);
void pp_json_put_object(struct pp_json *, const char *key); /* begins it */
void pp_json_put_array(struct pp_json *, const char *key);  /* begins it */
/*
 * "key": the name and, only when it is not valid UTF-8, "key_hex": all its bytes, so that no name is
 * ever lost.
 */
void pp_json_put_name(struct pp_json *, const char *key, struct pp_slice name);

#endif
