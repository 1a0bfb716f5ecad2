/*
 * HTTP/1.1 on epoll: one thread reads requests and writes answers, whoever handles them may do so on any thread.
 *
 *     http_answer.c            the heads of answers
 *     http.c                   connections: what they wait for, how long, and what is sent
 *     store/http_message.c     bytes to a head, chunks to a body; knows nothing of sockets, and is the client's, too
 *
 * Strict where two programs could understand a message differently: a doubtful length is refused, lines end in CR LF, nothing
 * of a path is decoded. Every wait has an end, so that neither idle nor slow clients keep others waiting.
 */
#ifndef PP_HTTP_H
#define PP_HTTP_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/common.h"
#include "store/http_message.h"

/* ---- one request and its answer ---- */

struct pp_http;

struct pp_exchange {
	struct pp_http_head head;
	struct pp_buf bytes; /* of the head */
	struct pp_buf body;
	struct pp_arena arena; /* for whoever handles it */
	void *handler;         /* likewise */
	size_t weight;         /* likewise: bytes of the answer in a count of all */
	uint64_t most;         /* bytes of its body; more is refused */
	_Atomic bool gone;     /* nobody waits for the answer any more */

	/* The answer. */
	unsigned status;
	const char *type;         /* of the content; NULL: there is none */
	struct pp_buf fields;     /* more lines of the head, each with its end */
	struct pp_buf out;        /* the content; or */
	struct pp_slice constant; /* one that stays where it is */
	bool closes;              /* the connection ends with it */

	/* http.c's own. */
	struct pp_http *http;
	struct pp_connection *connection;
	struct pp_exchange *next;
	/* Guarded by its lock: */
	struct pp_buf streamed; /* parts that are not sent yet */
	bool streams, queued, answered;
	/* Its thread's alone: */
	bool ended;   /* there is no more of the request */
	bool handled; /* somebody has it, and will hand it in */
	bool begins;  /* the head of an answer in parts was sent */
	size_t held;  /* bytes of the body, in the count of all */
	int64_t begun;
};

/* Answers it, from any thread; the exchange is not the caller's any more. */
void pp_exchange_done(struct pp_exchange *);
/* Sets a short text as the answer. */
static inline void
pp_exchange_text(struct pp_exchange *x, unsigned status, const char *type, const char *text)
{
	x->status = status;
	x->type = type;
	x->out.n = 0;
	pp_buf_adds(&x->out, text);
}
/* Adds a field to the head of the answer. */
static inline void
pp_exchange_field(struct pp_exchange *x, const char *name, const char *value)
{
	pp_buf_addf(&x->fields, "%s: %s\r\n", name, value);
}
/* An answer in parts: the head goes out with the first; pp_exchange_done() ends it. From the handler's thread. */
void pp_exchange_stream(struct pp_exchange *, const void *p, size_t n);

static inline struct pp_slice
pp_exchange_content(const struct pp_exchange *x)
{
	return x->constant.p ? x->constant : pp_slice_of(x->out.p ? x->out.p : "", x->out.n);
}
/* The head of an answer instead of what is in the buffer. */
void pp_http_answer_head(struct pp_buf *, const struct pp_exchange *);

/* ---- the server ---- */

struct pp_http_counts {
	_Atomic uint64_t connections, accepted, requests, refused, received, sent, held;
};

struct pp_http_options {
	int listener; /* a listening socket, which becomes the server's */
	/* The head is there: where the status is set, that is the answer, and a body is not read. Must not wait. */
	void (*head)(void *ctx, struct pp_exchange *);
	/* All is there: somebody must call pp_exchange_done(), now or later. Must not wait. */
	void (*request)(void *ctx, struct pp_exchange *);
	/* It is refused before it is a request: sets the answer. */
	void (*refused)(void *ctx, struct pp_exchange *, unsigned status);
	/* It was answered, or nobody waits for it any more; before it is freed. */
	void (*over)(void *ctx, const struct pp_exchange *);
	void *ctx;
	uint64_t most_held; /* bytes of bodies that are there at once */
	size_t connections; /* at most */
};

struct pp_http *pp_http_new(const struct pp_http_options *); /* NULL when that is not possible */
/* Serves until pp_http_stop(), then until all that was asked is answered. */
void pp_http_run(struct pp_http *);
/* Ends it: no new connections. Called again: what is under way is given up. From a signal handler, too. */
void pp_http_stop(struct pp_http *);
/* Whether what is under way is given up: it was ended twice, or took too long since. From any thread. */
bool pp_http_gives_up(struct pp_http *);
void pp_http_free(struct pp_http *);
static inline const struct pp_http_counts *
pp_http_counts(const struct pp_http *h)
{
	return (const struct pp_http_counts *)(const void *)h;
}

#endif
