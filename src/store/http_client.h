/*
 * A small HTTP/1.1 client: POST over one connection that stays open, bodies in chunks both ways.
 *
 * An answer is there whole or not at all: it states its length or comes in chunks, else it is an error, since
 * the end of a connection does not tell an answer from the beginning of one. The server is not trusted: lines,
 * headers and bodies are bounded, and so is the time that it may take.
 */
#ifndef PP_HTTP_CLIENT_H
#define PP_HTTP_CLIENT_H

#include "base/buf.h"

/* Bytes of the status line and the headers together. */
#define PP_HTTP_HEADERS 65536

struct pp_http_limits {
	int connect_ms; /* for each address of the host */
	int silence_ms; /* between two bytes */
	int total_ms;   /* for a request with its answer */
	size_t answer;  /* bytes of a body that are taken */
};

struct pp_http {
	char *host, *port;
	struct pp_http_limits limits;
	int fd;           /* -1 = not connected */
	bool stays;       /* the connection may be used again */
	bool refused;     /* the server answered or left before all was sent */
	int64_t deadline; /* of the request, by the clock that never steps */
	struct pp_buf out;
	struct pp_buf headers; /* of the answer */
	struct {
		unsigned char bytes[16384];
		size_t at, n;
	} in;
	char problem[256];
};

struct pp_http_answer {
	unsigned status;
	struct pp_buf body;
};

/* False when out of memory. Nothing is connected yet. */
bool pp_http_init(struct pp_http *, const char *host, const char *port,
                  const struct pp_http_limits *);
void pp_http_release(struct pp_http *);

/*
 * A request is begun, given its body in any number of pieces, and ended by reading the answer. `headers` are whole
 * lines, each with its CR LF. Each returns false when it failed: `problem` then says why, and the next
 * request starts with a new connection. A status of 400 and more is an answer.
 */
bool pp_http_begin(struct pp_http *, const char *target, const char *headers);
bool pp_http_put(struct pp_http *, const void *bytes, size_t n);
/* The body of *answer is replaced. */
bool pp_http_end(struct pp_http *, struct pp_http_answer *answer);

#endif
