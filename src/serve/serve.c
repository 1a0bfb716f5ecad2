/*
 * The server as a whole: where it listens, how it starts and ends, the threads that work.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/slice.h"
#include "serve/problem.h"
#include "serve/push.h"
#include "serve/serve.h"

#define CONNECTIONS_MAX 10000
#define WAITING_MAX 256
/* Answers that are always given, however much others have not read yet. */
#define ANSWER_SMALL 65536

/* ---- threads that work ---- */

struct job {
	struct pp_exchange *exchange;
	void (*answer)(struct pp_serve *, struct pp_exchange *);
};

struct pp_workers {
	struct pp_serve *serve;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *ring; /* `most` places; `n` of them are used, from `first` on */
	size_t first, n, most;
	bool ending;
	pthread_t *threads;
	unsigned count;
};

static void *
work(void *data)
{
	struct pp_workers *w = data;

	for (;;) {
		struct job job;

		pthread_mutex_lock(&w->lock);
		while (w->n == 0 && !w->ending)
			pthread_cond_wait(&w->changed, &w->lock);
		if (w->n == 0) {
			pthread_mutex_unlock(&w->lock);
			return NULL;
		}
		job = w->ring[w->first];
		w->first = (w->first + 1) % w->most;
		w->n--;
		pthread_mutex_unlock(&w->lock);
		job.answer(w->serve, job.exchange);
	}
}

struct pp_workers *
pp_workers_new(unsigned threads, size_t waiting, struct pp_serve *s)
{
	struct pp_workers *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->serve = s;
	w->most = waiting;
	w->ring = calloc(waiting, sizeof *w->ring);
	w->threads = calloc(threads, sizeof *w->threads);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	while (w->ring && w->threads && w->count < threads &&
	       pthread_create(&w->threads[w->count], NULL, work, w) == 0)
		w->count++;
	if (w->count == 0) {
		pp_workers_free(w);
		return NULL;
	}
	return w;
}

bool
pp_workers_give(struct pp_workers *w, struct pp_exchange *x,
                void (*answer)(struct pp_serve *, struct pp_exchange *))
{
	bool room;

	pthread_mutex_lock(&w->lock);
	room = w->n < w->most;
	if (room) {
		w->ring[(w->first + w->n++) % w->most] = (struct job){ x, answer };
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return room;
}

size_t
pp_workers_waiting(struct pp_workers *w)
{
	size_t n;

	pthread_mutex_lock(&w->lock);
	n = w->n;
	pthread_mutex_unlock(&w->lock);
	return n;
}

void
pp_workers_free(struct pp_workers *w)
{
	unsigned i;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	for (i = 0; i < w->count; i++)
		(void)pthread_join(w->threads[i], NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	free(w->threads);
	free(w->ring);
	free(w);
}

void
pp_working_begin(struct pp_working *w, const struct pp_serve *s, const struct pp_exchange *x)
{
	w->exchange = x;
	w->deadline = pp_clock_ns() + (int64_t)s->o->timeout * 1000000000;
}

bool
pp_working_stops(void *data)
{
	const struct pp_working *w = data;

	return atomic_load_explicit(&w->exchange->gone, memory_order_relaxed) ||
	       pp_clock_ns() > w->deadline;
}

/* ---- shelves ---- */

pp_shelf *
pp_serve_shelf_take(struct pp_serve *s)
{
	pp_shelf *shelf = NULL;

	pthread_mutex_lock(&s->shelves_lock);
	if (s->shelf_count)
		shelf = s->shelves[--s->shelf_count];
	pthread_mutex_unlock(&s->shelves_lock);
	return shelf;
}

void
pp_serve_shelf_give(struct pp_serve *s, pp_shelf *shelf)
{
	if (!shelf)
		return;
	pthread_mutex_lock(&s->shelves_lock);
	s->shelves[s->shelf_count++] = shelf;
	pthread_mutex_unlock(&s->shelves_lock);
}

/* One for each thread that asks. */
static void
shelves_open(struct pp_serve *s, unsigned n)
{
	pthread_mutex_init(&s->shelves_lock, NULL);
	for (; n && s->shelf_count < PP_SHELVES; n--)
		if ((s->shelves[s->shelf_count] = pp_shelf_new(s->memory_each)) != NULL)
			s->shelf_count++;
}

static void
shelves_close(struct pp_serve *s)
{
	while (s->shelf_count)
		pp_shelf_free(s->shelves[--s->shelf_count]);
	pthread_mutex_destroy(&s->shelves_lock);
}

/* ---- requests ---- */

/* Counts a question that runs around its answer. */
static void
question_run(struct pp_serve *s, struct pp_exchange *x)
{
	const struct pp_route *route = x->handler;

	s->counts.running++;
	route->answer(s, x);
	s->counts.running--;
}

static void
on_head(void *ctx, struct pp_exchange *x)
{
	struct pp_serve *s = ctx;
	const struct pp_route *route;
	const char *allowed;

	x->most = s->o->max_body;
	if (pp_guard(s, x))
		return;
	route = pp_route_find(&x->head, &allowed);
	x->handler = (void *)(uintptr_t)route;
	if (!route && allowed) {
		pp_answer_error(x, 405, "no-method", "this method is not served here");
		pp_exchange_field(x, "Allow", strcmp(allowed, "GET") == 0 ? "GET, HEAD" : allowed);
	} else if (!route) {
		pp_answer_error(x, 404, "no-path", "there is nothing at this path");
	} else if ((route->flags & PP_ROUTE_STORE) && !s->o->store) {
		pp_answer_error(x, 404, "no-store",
		                "this server takes no profiles: it was started without --store");
	} else if (strcmp(route->method, "GET") == 0) {
		x->most = 0;
	} else if (!x->head.chunked && x->head.length > x->most) {
		pp_answer_error(x, 413, "too-large", "it is larger than --max-body allows");
	}
}

static void
on_request(void *ctx, struct pp_exchange *x)
{
	struct pp_serve *s = ctx;
	const struct pp_route *route = x->handler;
	struct pp_workers *w = route->flags & PP_ROUTE_PUSH ? s->pushing : s->asking;

	if (route->flags & PP_ROUTE_NOW) {
		route->answer(s, x);
	} else if (!pp_workers_give(w, x,
	                            route->flags & PP_ROUTE_PUSH ? route->answer : question_run)) {
		pp_answer_error(x, 429, "queue-full", "too many requests wait");
		pp_exchange_done(x);
	}
}

void
pp_serve_again(struct pp_serve *s, struct pp_exchange *x)
{
	if (!pp_workers_give(s->asking, x, question_run)) {
		pp_answer_error(x, 429, "queue-full", "too many requests wait");
		pp_exchange_done(x);
	}
}

/* What the bytes of a connection are instead of a request. */
static void
on_refused(void *ctx, struct pp_exchange *x, unsigned status)
{
	const char *rule = status == 400                    ? "no-http"
	                   : status == 408                  ? "too-slow"
	                   : status == 413                  ? "too-large"
	                   : status == 414 || status == 431 ? "too-long"
	                   : status == 429 || status == 503 ? "memory"
	                                                    : "not-served";

	(void)ctx;
	pp_answer_error(x, status, rule, pp_http_status(status) + sizeof "400");
}

void
pp_serve_weigh(struct pp_serve *s, struct pp_exchange *x)
{
	uint64_t most = s->o->memory;

	x->weight = x->out.cap;
	if (atomic_fetch_add(&s->counts.unread, x->weight) + x->weight <= most ||
	    x->weight < ANSWER_SMALL)
		return;
	atomic_fetch_sub(&s->counts.unread, x->weight);
	x->weight = 0;
	pp_buf_release(&x->fields);
	pp_answer_error(x, 429, "memory", "too many answers wait for who asked to read them");
}

static void
on_over(void *ctx, const struct pp_exchange *x)
{
	struct pp_serve *s = ctx;
	unsigned digit = x->status / 100;

	atomic_fetch_sub(&s->counts.unread, x->weight);
	if (digit < PP_COUNT_OF(s->counts.answers))
		s->counts.answers[digit]++;
}

/* ---- where it listens ---- */

/* "[HOST:]PORT" in two; false when it is none. */
static bool
listen_split(const char *text, char host[256], char port[8])
{
	const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	} else if (memchr(text, ':', n)) {
		return false; /* an address of IPv6 stands in brackets */
	}
	if (n >= 256 || strlen(digits) > 5 || digits[strspn(digits, "0123456789")] || !*digits ||
	    strtoul(digits, NULL, 10) > 65535)
		return false;
	(void)snprintf(host, 256, "%.*s", n ? (int)n : 9, n ? text : "127.0.0.1");
	(void)snprintf(port, 8, "%s", digits);
	return true;
}

static bool
is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(
	           &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static bool
address_listen(struct pp_serve *s, const struct addrinfo *a)
{
	struct sockaddr_storage bound = { 0 };
	socklen_t size = sizeof bound;
	static const int one = 1;

	s->listener = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return false;
	(void)setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(s->listener, a->ai_addr, a->ai_addrlen) != 0 || listen(s->listener, 1024) != 0 ||
	    getsockname(s->listener, (struct sockaddr *)&bound, &size) != 0) {
		int why = errno;

		(void)close(s->listener);
		s->listener = -1;
		errno = why;
		return false;
	}
	s->port = ntohs(bound.ss_family == AF_INET6
	                    ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
	                    : ((struct sockaddr_in *)(void *)&bound)->sin_port);
	return true;
}

/* Opens the socket: 0, or an exit code with the reason. */
static int
listener_open(struct pp_serve *s, struct pp_buf *problem)
{
	const char *text = s->o->listen ? s->o->listen : PP_SERVE_PORT;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL, *at;
	char host[256], port[8];
	int code = 0, why;

	if (!listen_split(text, host, port)) {
		pp_buf_addf(problem, "--listen takes [HOST:]PORT, not '%s'", text);
		return PP_EXIT_USAGE;
	}
	why = getaddrinfo(host, port, &hints, &found);
	if (why || !found) {
		pp_buf_addf(problem, "--listen %s: %s", text, gai_strerror(why));
		return PP_EXIT_USAGE;
	}
	/* A name that is both is the address that most others try first. */
	for (at = found; at->ai_next && at->ai_family != AF_INET;)
		at = at->ai_next;
	at = at->ai_family == AF_INET ? at : found;
	s->loopback = is_loopback(at->ai_addr);
	if (!s->loopback && !s->o->token_file) {
		pp_buf_addf(problem,
		            "--listen %s can be reached from other machines: that needs "
		            "--token-file FILE",
		            text);
		code = PP_EXIT_USAGE;
	} else if (!address_listen(s, at)) {
		pp_buf_addf(problem, "cannot listen on %s: %s", text, strerror(errno));
		code = PP_EXIT_OUTPUT;
	}
	(void)snprintf(s->host, sizeof s->host, strchr(host, ':') ? "[%s]" : "%s", host);
	pp_buf_addf(&s->address, "http://%s:%u/", s->host, s->port);
	freeaddrinfo(found);
	return code;
}

/* ---- start and end ---- */

static struct pp_http *volatile running;

static void
on_term(int number)
{
	int why = errno;

	if (running)
		pp_http_stop(running);
	errno = why;
}

static void
signals_set(void)
{
	struct sigaction term = { .sa_handler = on_term, .sa_flags = SA_RESTART };
	struct sigaction none = { .sa_handler = SIG_IGN };

	(void)sigaction(SIGTERM, &term, NULL);
	(void)sigaction(SIGINT, &term, NULL);
	(void)sigaction(SIGPIPE, &none, NULL);
}

/* As many connections as the system allows. */
static size_t
connections_most(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		return 512;
	if (r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max < 2 * CONNECTIONS_MAX ? r.rlim_max : 2 * CONNECTIONS_MAX;
		(void)setrlimit(RLIMIT_NOFILE, &r);
		(void)getrlimit(RLIMIT_NOFILE, &r);
	}
	return r.rlim_cur / 2 < CONNECTIONS_MAX ? (size_t)r.rlim_cur / 2 : CONNECTIONS_MAX;
}

static unsigned
processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
}

/* Who reads this may push and may end it, so all is ready by then. */
static void
serving_say(struct pp_serve *s)
{
	struct pp_buf said = { 0 };

	pp_buf_addf(&said, "serving on %s", s->address.p ? s->address.p : "");
	if (s->o->say)
		s->o->say(s->o->ctx, said.p ? said.p : "serving");
	pp_buf_release(&said);
}

static int
serve(struct pp_serve *s, struct pp_buf *problem)
{
	unsigned asking = processors() + 2, pushing = processors();
	int code = 0;
	struct pp_http_options http = { .listener = s->listener,
		                        .head = on_head,
		                        .request = on_request,
		                        .refused = on_refused,
		                        .over = on_over,
		                        .ctx = s,
		                        .most_held = 8 * s->o->max_body,
		                        .connections = connections_most() };

	s->memory_each = s->o->memory / asking;
	s->views = pp_views_new();
	shelves_open(s, asking);
	s->http = pp_http_new(&http);
	s->asking = s->http && s->views ? pp_workers_new(asking, WAITING_MAX, s) : NULL;
	if (s->asking && s->o->store)
		s->writer = pp_writer_new(s, s->o->store, &code, problem);
	s->pushing = s->asking && code == 0 ? pp_workers_new(pushing, WAITING_MAX, s) : NULL;
	if (s->pushing) {
		running = s->http;
		signals_set();
		serving_say(s);
		pp_http_run(s->http);
		code = PP_EXIT_OK;
	} else if (code == 0) {
		code = PP_EXIT_INPUT;
		pp_buf_adds(problem, pp_status_text(PP_E_NOMEM));
	}
	/* Nobody waits for what is still asked; what was pushed is worked off. */
	pp_workers_free(s->pushing);
	pp_writer_free(s->writer);
	pp_workers_free(s->asking);
	running = NULL;
	pp_http_free(s->http);
	pp_views_free(s->views);
	shelves_close(s);
	return code;
}

int
pp_serve_run(const struct pp_serve_options *o, struct pp_buf *problem)
{
	struct pp_serve s = { .o = o, .listener = -1, .started = pp_clock_ns() };
	int code = 0;

	if (o->token_file && !pp_guard_token(&s, o->token_file, problem))
		code = PP_EXIT_INPUT;
	if (code == 0 && !pp_sources_look(&s))
		code = PP_EXIT_INPUT;
	if (code == 0)
		code = listener_open(&s, problem);
	if (code == 0)
		code = serve(&s, problem);
	free(s.is_store);
	pp_buf_release(&s.token);
	pp_buf_release(&s.address);
	return code;
}
