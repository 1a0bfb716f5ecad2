/*
 * polyprof over HTTP: questions as the command line asks them, pushes into a store, agents, the web app.
 *
 *     http*.c        requests and answers
 *     serve.c        starts and ends it; the threads that work
 *     guard.c        who may ask at all
 *     routes.c       paths to handlers; parameters of a request
 *     sources.c      what was named on the command line, and nothing else
 *     api.c          /api/v1/VERB: a question, its answer as JSON
 *     push*.c        profiles that are pushed
 *     agents.c       /mcp: the Model Context Protocol
 *     metrics.c      /healthz, /metrics
 *     page*.c        the web app
 *     view*.c        what its viewer asks for
 *
 * A handler is a function in the table of routes.c. It gets a whole request, sets status, type and content, and calls
 * pp_exchange_done(). Those that wait for nothing run in the thread of the connections (PP_ROUTE_NOW), all others in one of the
 * threads that work.
 */
#ifndef PP_SERVE_H
#define PP_SERVE_H

#include <pthread.h>

#include "base/vec.h"
#include "io/system.h"
#include "mcp/mcp.h"
#include "polyprof/polyprof_experimental.h"
#include "serve/http.h"
#include "text/json_emit.h"

#define PP_SERVE_PORT "4040"
#define PP_SERVE_HOST_MAX 264
#define PP_JSON_TYPE "application/json"

struct pp_serve_options {
	const char *const *sources; /* files, directories, stores */
	size_t source_count;
	const char *store;  /* where pushes go; NULL: nowhere */
	const char *listen; /* [HOST:]PORT; NULL = 127.0.0.1:4040 */
	const char *token_file;
	uint64_t max_body; /* bytes */
	uint64_t memory;   /* of all questions together */
	uint64_t timeout;  /* seconds of a question */
	const struct pp_mcp_tool *tools;
	void (*say)(void *ctx, const char *text); /* what an operator wants to know */
	void *ctx;
};

/* Serves until it is told to stop (SIGTERM, SIGINT): 0; 2, 3 or 4 with the reason in *problem. */
int pp_serve_run(const struct pp_serve_options *, struct pp_buf *problem);

/* ---- between the files ---- */

struct pp_serve;

#define PP_SHELVES 32

enum {
	PP_ROUTE_NOW = 1 << 0,   /* answered at once, in the thread of the connections */
	PP_ROUTE_STORE = 1 << 1, /* there must be a store to write into */
	PP_ROUTE_PUSH = 1 << 2   /* by the threads that take pushes, not by those that ask */
};

struct pp_route {
	const char *method; /* GET serves HEAD, too */
	const char *path;   /* compared byte by byte; one that ends in '*' fits what begins so */
	unsigned flags;
	void (*answer)(struct pp_serve *, struct pp_exchange *);
};

/* The first that fits comes first; ended by method NULL. */
extern const struct pp_route pp_routes[];
/* The route of a request; NULL with *allowed: another method would do. */
const struct pp_route *pp_route_find(const struct pp_http_head *, const char **allowed);

/* Which requests are answered at all: 0, or the status of the refusal, which is set. */
unsigned pp_guard(const struct pp_serve *, struct pp_exchange *);
/* Reads the token; false with the reason. */
bool pp_guard_token(struct pp_serve *, const char *file, struct pp_buf *problem);

/* ---- parameters of a request ---- */

/* "NAME=VALUE", decoded; both NUL-terminated and without NUL inside. */
struct pp_query_param {
	const char *name, *value;
};

struct pp_query {
	PP_VEC(struct pp_query_param) list;
};

/* The query of a request, in its arena; false when it cannot be decoded. Release it with pp_vec_release(&q.list). */
bool pp_query_read(struct pp_exchange *, struct pp_query *);
/* The value of a parameter; NULL when it is not there. */
const char *pp_query_text(const struct pp_query *, const char *name);

/* ---- answers ---- */

/* Begins a small JSON object as a body; false when out of memory. */
bool pp_body_begin(struct pp_buf *, struct pp_sink **, struct pp_json *);
/* Ends it. */
void pp_body_end(struct pp_sink *, struct pp_json *);
/* {"error": {"rule", "message"}} with a status; the texts may hold any bytes. */
void pp_answer_error(struct pp_exchange *, unsigned status, const char *rule, const char *message);
/* A page or part of one that is in the program: what a browser may do with it is in its head. */
void pp_answer_page(struct pp_exchange *, const char *type, const void *bytes, size_t n);

/* ---- sources ---- */

/* A source as it was named, or a file in a directory that was. */
struct pp_serve_source {
	const char *name; /* as it can be asked for, and opened */
	bool directory, store;
};

/*
 * The sources of the command line (`within` NULL), or the files in a directory that is one of them; in the exchange's arena.
 * PP_VEC so that callers release it with pp_vec_release().
 */
struct pp_serve_sources {
	PP_VEC(struct pp_serve_source) list;
};
bool pp_sources_list(const struct pp_serve *, struct pp_exchange *, const char *within,
                     struct pp_serve_sources *);
/*
 * What a client means: a name from these lists, or the number of a source ("1" is the first). NULL when it is none of them,
 * however it is spelled. A store may have "?where=..." behind its name.
 */
const char *pp_source_find(const struct pp_serve *, struct pp_exchange *, const char *name);
/* The same in any arena. */
const char *pp_source_path(const struct pp_serve *, struct pp_arena *, const char *name);
/* Whether a source, "?where=..." behind it or not, is a store. */
bool pp_source_is_store(const struct pp_serve *, const char *name);
bool pp_source_is_directory(const char *name);
/* What is another number when profiles of a source came, changed or went, found without reading them. */
uint64_t pp_source_stamp(const struct pp_serve *, size_t source);
/* Looks once at what the sources are; false when out of memory. */
bool pp_sources_look(struct pp_serve *);

/* ---- the server ---- */

struct pp_serve {
	const struct pp_serve_options *o;
	struct pp_http *http;
	int listener;
	unsigned port;
	bool loopback;
	struct pp_buf token;          /* n = 0: none is needed */
	struct pp_buf address;        /* how it is reached */
	char host[PP_SERVE_HOST_MAX]; /* in it */
	int64_t started;
	bool *
	    is_store; /* of each source: found out once, as a store's file must not be opened beside it */
	struct pp_workers *asking, *pushing;
	struct pp_writer *writer; /* NULL: no store to write into */
	struct pp_views *views;   /* what the web app looks at */
	/* Profiles that stay open for agents, those used last on top: one thread at a time has one. */
	pthread_mutex_t shelves_lock;
	pp_shelf *shelves[PP_SHELVES];
	size_t shelf_count;
	uint64_t memory_each; /* bytes of one question */
	struct pp_serve_counts {
		_Atomic uint64_t answers[6]; /* by the first digit of the status */
		_Atomic uint64_t questions, cancelled, running;
		_Atomic uint64_t unread; /* bytes of answers that were not sent yet */
	} counts;
};

/* Threads that work on exchanges, first come, first served. */
struct pp_workers *pp_workers_new(unsigned threads, size_t waiting, struct pp_serve *);
/* Takes an exchange over; false when too many wait. */
bool pp_workers_give(struct pp_workers *, struct pp_exchange *,
                     void (*answer)(struct pp_serve *, struct pp_exchange *));
size_t pp_workers_waiting(struct pp_workers *);
/* Works off what waits, and ends. */
void pp_workers_free(struct pp_workers *);

/* Whether work on an exchange should stop: nobody waits for it, or it takes too long. For pp_ask_opts.stop. */
struct pp_working {
	const struct pp_exchange *exchange;
	int64_t deadline;
};
void pp_working_begin(struct pp_working *, const struct pp_serve *, const struct pp_exchange *);
bool pp_working_stops(void *working);

/* Before an answer of any size is given: when those that nobody reads take all memory, it is 429 instead. */
void pp_serve_weigh(struct pp_serve *, struct pp_exchange *);

/* Asks a question again that waited for something; from a thread that asks. */
void pp_serve_again(struct pp_serve *, struct pp_exchange *);

/* Takes a shelf; NULL when there is none left. Give it back. */
pp_shelf *pp_serve_shelf_take(struct pp_serve *);
void pp_serve_shelf_give(struct pp_serve *, pp_shelf *);

/* ---- handlers ---- */

void pp_api_ask(struct pp_serve *, struct pp_exchange *);
void pp_api_verdicts(struct pp_serve *, struct pp_exchange *);
void pp_healthz(struct pp_serve *, struct pp_exchange *);
void pp_metrics(struct pp_serve *, struct pp_exchange *);
void pp_push_ingest(struct pp_serve *, struct pp_exchange *);
void pp_push_otlp(struct pp_serve *, struct pp_exchange *);
void pp_push_connect(struct pp_serve *, struct pp_exchange *);
void pp_push_coroot(struct pp_serve *, struct pp_exchange *);
void pp_push_parca(struct pp_serve *, struct pp_exchange *);
void pp_push_add(struct pp_serve *, struct pp_exchange *);
void pp_agents(struct pp_serve *, struct pp_exchange *);
void pp_page_start(struct pp_serve *, struct pp_exchange *);
void pp_page_part(struct pp_serve *, struct pp_exchange *);
void pp_page_sources(struct pp_serve *, struct pp_exchange *);
void pp_page_list(struct pp_serve *, struct pp_exchange *);
void pp_page_stamps(struct pp_serve *, struct pp_exchange *);
void pp_view(struct pp_serve *, struct pp_exchange *);
void pp_view_progress(struct pp_serve *, struct pp_exchange *);
void pp_view_drop(struct pp_serve *, struct pp_exchange *);

/* What the web app looked at stays for what it asks next; NULL when out of memory. */
struct pp_views *pp_views_new(void);
void pp_views_free(struct pp_views *);

#endif
