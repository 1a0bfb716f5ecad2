/*
 * HTTP/1.1 messages: bytes in, facts out. What servers and clients of it have in common; knows nothing of sockets.
 */
#ifndef PP_HTTP_MESSAGE_H
#define PP_HTTP_MESSAGE_H

#include "base/buf.h"
#include "base/common.h"

#define PP_HTTP_HEAD_MAX ((size_t)32768)
#define PP_HTTP_TARGET_MAX ((size_t)16384)
#define PP_HTTP_FIELDS_MAX 100

struct pp_http_field {
	struct pp_slice name, value;
};

/* The head of a request; slices lie in its bytes. */
struct pp_http_head {
	struct pp_slice method, path, query; /* as they were sent */
	struct pp_http_field fields[PP_HTTP_FIELDS_MAX];
	size_t field_count;
	uint64_t length; /* of the body; 0 where there is none */
	bool chunked;
	bool keeps;  /* the connection stays open */
	bool waits;  /* the body is sent when it is asked for (100-continue) */
	bool simple; /* HTTP/1.0 */
};

/* Where a head ends: 0 = not yet, else the bytes of it. *seen is what was looked at before. *bad: it never will. */
size_t pp_http_head_end(struct pp_slice bytes, size_t *seen, bool *bad);
/* Takes a whole head apart: 0, or the status of the refusal. */
unsigned pp_http_head_parse(struct pp_http_head *, struct pp_slice bytes);
/* The value of a field; p is NULL when there is none. *count (or NULL) is how many there are. */
struct pp_slice pp_http_field(const struct pp_http_head *, const char *name, size_t *count);
/* A status with its text. */
const char *pp_http_status(unsigned status);
/* Compares without regard to case, as names of fields and schemes are. */
bool pp_http_same(struct pp_slice, const char *);

/* A body in chunks, byte by byte. Zeroed is ready. */
struct pp_http_chunks {
	int state;
	uint64_t left;   /* of the chunk, or its size so far */
	unsigned digits; /* of the size */
	size_t line;     /* bytes of extensions and of what follows the last chunk */
};
enum { PP_CHUNKS_MORE, PP_CHUNKS_END, PP_CHUNKS_BAD, PP_CHUNKS_LARGE };
/* Takes what belongs to the body off the front; the data is appended to `body`, at most `most` bytes in all. */
int pp_http_chunks_take(struct pp_http_chunks *, struct pp_slice *bytes, struct pp_buf *body,
                        uint64_t most);

#endif
