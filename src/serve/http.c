/*
 * Connections: what they wait for, how long, and what is sent.
 */
#include "serve/http.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/slice.h"
#include "io/system.h"

#define SECOND ((int64_t)1000000000)
#define IDLE (75 * SECOND)
#define HEAD_TIME (10 * SECOND)
/* A body or an answer has so long, and a second more for each SLOWEST bytes. */
#define MOVE_TIME (20 * SECOND)
#define SLOWEST 32768
/* How long a client is listened to that has been refused, so that it can read why. */
#define LINGER (2 * SECOND)
#define TICK (SECOND / 4)
/* How long a stop waits for what is under way. */
#define GRACE (30 * SECOND)
#define BLOCK 65536
#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"
#define COMMENT "2\r\n:\n\r\n" /* in a stream of events */

enum state {
	READING_HEAD,
	READING_BODY,
	HANDLED, /* somebody works on it */
	WRITING,
	LINGERING
};

struct pp_connection {
	int fd;
	enum state state;
	uint32_t events;  /* that are waited for */
	struct pp_buf in; /* came, but is not used yet */
	size_t seen;      /* of it, in search for the end of the head */
	struct pp_http_chunks chunks;
	struct pp_exchange *x;
	struct pp_buf out; /* the head of the answer, parts of one that streams */
	size_t sent;       /* of head and content together */
	int64_t since, deadline;
	bool half_closed, asked, dead;
	TAILQ_ENTRY(pp_connection) all;
	SLIST_ENTRY(pp_connection) ended;
};

struct pp_http {
	struct pp_http_counts counts; /* first: see pp_http_counts() */
	struct pp_http_options o;
	int epoll, wake;
	pthread_t thread;
	TAILQ_HEAD(connections, pp_connection) all; /* the one used last is last */
	SLIST_HEAD(ended, pp_connection) dead;      /* that ended in this round */
	pthread_mutex_t lock;
	struct pp_exchange *done; /* answered elsewhere; guarded by `lock` */
	_Atomic int stops;
	int64_t now, ticked;
	_Atomic int64_t stopped;
	unsigned char block[BLOCK];
};

/* ---- connections ---- */

static void
exchange_free(struct pp_http *h, struct pp_exchange *x)
{
	if (h->o.over)
		h->o.over(h->o.ctx, x);
	atomic_fetch_sub(&h->counts.held, x->held);
	pp_buf_release(&x->bytes);
	pp_buf_release(&x->body);
	pp_buf_release(&x->fields);
	pp_buf_release(&x->out);
	pp_buf_release(&x->streamed);
	pp_arena_release(&x->arena);
	free(x);
}

/* Ends a connection; its memory goes when the round is over, as events of it may be at hand. */
static void
connection_close(struct pp_http *h, struct pp_connection *c)
{
	if (c->dead)
		return;
	c->dead = true;
	if (c->x && c->x->handled) {
		/* Whoever works on it hands it in, and then it is freed. */
		c->x->connection = NULL;
		atomic_store(&c->x->gone, true);
	} else if (c->x) {
		exchange_free(h, c->x);
	}
	c->x = NULL;
	(void)close(c->fd);
	c->fd = -1;
	pp_buf_release(&c->in);
	pp_buf_release(&c->out);
	TAILQ_REMOVE(&h->all, c, all);
	SLIST_INSERT_HEAD(&h->dead, c, ended);
	atomic_fetch_sub(&h->counts.connections, 1);
}

static void
connection_events(struct pp_http *h, struct pp_connection *c, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = c };

	if (c->events != events && epoll_ctl(h->epoll, EPOLL_CTL_MOD, c->fd, &e) == 0)
		c->events = events;
}

/* Waits for the next request, or what is left of it. */
static void
connection_listens(struct pp_http *h, struct pp_connection *c, enum state state, int64_t time)
{
	c->state = state;
	c->since = h->now;
	c->deadline = h->now + time;
	connection_events(h, c, EPOLLIN);
	TAILQ_REMOVE(&h->all, c, all);
	TAILQ_INSERT_TAIL(&h->all, c, all);
}

/* ---- answers ---- */

/* All was sent: another request may follow, or the end. */
static void
answer_over(struct pp_http *h, struct pp_connection *c)
{
	bool closes = c->x->closes, unread = !c->x->ended;

	exchange_free(h, c->x);
	c->x = NULL;
	pp_buf_release(&c->out);
	c->sent = 0;
	/* One that asks no more may have asked for more than this before: reading tells. */
	if (!closes) {
		if (c->in.n == 0)
			pp_buf_release(&c->in);
		connection_listens(h, c, READING_HEAD, c->in.n ? HEAD_TIME : IDLE);
	} else if (unread) {
		/* What was not read would reset the connection before the answer is read. */
		(void)shutdown(c->fd, SHUT_WR);
		pp_buf_release(&c->in);
		connection_listens(h, c, LINGERING, LINGER);
	} else {
		connection_close(h, c);
	}
}

static void
connection_write(struct pp_http *h, struct pp_connection *c)
{
	bool bare = pp_slice_eq_z(c->x->head.method, "HEAD") || c->x->begins;
	struct pp_slice content = bare ? pp_slice_of("", 0) : pp_exchange_content(c->x);
	size_t all = c->out.n + content.n;

	while (c->sent < all) {
		struct iovec parts[2];
		struct msghdr message = { .msg_iov = parts };
		size_t n = 0, in_content = c->sent > c->out.n ? c->sent - c->out.n : 0;
		ssize_t done;

		if (c->sent < c->out.n)
			parts[n++] = (struct iovec){ c->out.p + c->sent, c->out.n - c->sent };
		if (in_content < content.n)
			parts[n++] = (struct iovec){ (void *)(uintptr_t)(content.p + in_content),
				                     content.n - in_content };
		message.msg_iovlen = n;
		done = sendmsg(c->fd, &message, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			c->deadline = c->since + MOVE_TIME + (int64_t)(c->sent / SLOWEST) * SECOND;
			connection_events(h, c, EPOLLOUT);
			return;
		}
		if (done <= 0) {
			connection_close(h, c);
			return;
		}
		c->sent += (size_t)done;
		atomic_fetch_add(&h->counts.sent, (uint64_t)done);
	}
	if (!c->x->handled) {
		answer_over(h, c);
		return;
	}
	/* More of it will come. */
	c->out.n = c->sent = 0;
	c->state = HANDLED;
	c->deadline = INT64_MAX;
	connection_events(h, c, c->half_closed ? 0 : EPOLLRDHUP);
}

/* The head of the answer that is sent next. */
static void
answer_begin(struct pp_http *h, struct pp_connection *c)
{
	c->x->closes |= !c->x->head.keeps || h->o.listener < 0;
	pp_http_answer_head(&c->out, c->x);
	c->sent = 0;
}

/* Sends what is there of it. */
static void
answer_write(struct pp_http *h, struct pp_connection *c)
{
	c->state = WRITING;
	c->since = h->now;
	c->deadline = h->now + MOVE_TIME;
	if (c->out.failed)
		connection_close(h, c);
	else
		connection_write(h, c);
}

/* Sends the answer of the connection's exchange. */
static void
answer_send(struct pp_http *h, struct pp_connection *c)
{
	struct pp_exchange *x = c->x;

	if (x->out.failed || x->fields.failed) {
		pp_buf_release(&x->out);
		pp_buf_release(&x->fields);
		h->o.refused(h->o.ctx, x, 503);
	}
	answer_begin(h, c);
	answer_write(h, c);
}

/* Refuses what cannot be understood, or cannot be gone on with: the connection ends. */
static void
refuse(struct pp_http *h, struct pp_connection *c, unsigned status)
{
	if (!c->x && !(c->x = calloc(1, sizeof *c->x))) {
		connection_close(h, c);
		return;
	}
	atomic_fetch_add(&h->counts.refused, 1);
	c->x->closes = true;
	h->o.refused(h->o.ctx, c->x, status);
	answer_send(h, c);
}

/* ---- requests ---- */

static void
request_ready(struct pp_http *h, struct pp_connection *c)
{
	struct pp_exchange *x = c->x;

	x->ended = x->handled = true;
	c->asked = false;
	c->state = HANDLED;
	c->deadline = INT64_MAX;
	atomic_fetch_add(&h->counts.requests, 1);
	h->o.request(h->o.ctx, x);
	/* Answered at once, as c->x may not be looked at otherwise. */
	if (c->state == HANDLED && c->x == x)
		connection_events(h, c, EPOLLRDHUP);
}

/* The head is complete: `n` bytes of what came. */
static void
head_ready(struct pp_http *h, struct pp_connection *c, size_t n)
{
	struct pp_exchange *x = calloc(1, sizeof *x);
	unsigned status;

	if (!x) {
		connection_close(h, c);
		return;
	}
	c->x = x;
	x->http = h;
	x->connection = c;
	x->begun = h->now;
	pp_buf_add(&x->bytes, c->in.p, n);
	memmove(c->in.p, c->in.p + n, c->in.n - n);
	c->in.n -= n;
	c->seen = 0;
	c->chunks = (struct pp_http_chunks){ 0 };
	c->asked = false;
	status = x->bytes.failed
	             ? 503
	             : pp_http_head_parse(&x->head, pp_slice_of(x->bytes.p, x->bytes.n));
	if (status) {
		refuse(h, c, status);
		return;
	}
	h->o.head(h->o.ctx, x);
	x->ended = !x->head.chunked && x->head.length == 0;
	if (!x->status && !x->head.chunked && x->head.length > x->most) {
		refuse(h, c, 413);
	} else if (x->status) {
		x->closes |= !x->ended;
		answer_send(h, c);
	} else if (x->ended) {
		request_ready(h, c);
	} else {
		connection_listens(h, c, READING_BODY, MOVE_TIME);
	}
}

/* Whether there is room for a body that has grown. */
static bool
body_fits(struct pp_http *h, struct pp_exchange *x)
{
	size_t more = x->body.cap > x->held ? x->body.cap - x->held : 0;

	x->held += more;
	return atomic_fetch_add(&h->counts.held, more) + more <= h->o.most_held && !x->body.failed;
}

/* Takes what belongs to the body; true when it is complete. */
static bool
body_take(struct pp_http *h, struct pp_connection *c, struct pp_slice *bytes)
{
	struct pp_exchange *x = c->x;
	int end = PP_CHUNKS_MORE;

	if (x->head.chunked) {
		end = pp_http_chunks_take(&c->chunks, bytes, &x->body, x->most);
	} else {
		size_t left = (size_t)x->head.length - x->body.n;
		size_t n = bytes->n < left ? bytes->n : left;

		pp_buf_add(&x->body, bytes->p, n);
		*bytes = pp_slice_from(*bytes, n);
		end = x->body.n == x->head.length ? PP_CHUNKS_END : PP_CHUNKS_MORE;
	}
	c->deadline = c->since + MOVE_TIME + (int64_t)(x->body.n / SLOWEST) * SECOND;
	if (end == PP_CHUNKS_BAD || end == PP_CHUNKS_LARGE)
		refuse(h, c, end == PP_CHUNKS_BAD ? 400 : 413);
	else if (!body_fits(h, x))
		refuse(h, c, x->body.failed ? 503 : 429);
	else
		return end == PP_CHUNKS_END;
	return false;
}

/* Sends a few bytes beside the answer, once. */
static void
tell_once(struct pp_connection *c, const char *text)
{
	if (!c->asked)
		(void)send(c->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	c->asked = true;
}

/* Uses what came as far as that goes. */
static void
connection_advance(struct pp_http *h, struct pp_connection *c)
{
	while (!c->dead && (c->state == READING_HEAD || c->state == READING_BODY)) {
		struct pp_slice bytes = pp_slice_of(c->in.p ? c->in.p : "", c->in.n);
		bool bad = false;
		size_t n;

		if (c->state == READING_BODY) {
			bool complete = body_take(h, c, &bytes);

			if (c->dead || (c->state != READING_BODY))
				return;
			memmove(c->in.p, bytes.p, bytes.n);
			c->in.n = bytes.n;
			if (!complete) {
				/* Who waits to be asked for the body is. */
				if (c->x->head.waits)
					tell_once(c, CONTINUE);
				return;
			}
			request_ready(h, c);
			continue;
		}
		/* An empty line before a request is none. */
		if (bytes.n >= 2 && c->seen == 0 && bytes.p[0] == '\r' && bytes.p[1] == '\n') {
			memmove(c->in.p, c->in.p + 2, c->in.n -= 2);
			continue;
		}
		n = pp_http_head_end(bytes, &c->seen, &bad);
		if (bad)
			refuse(h, c, bytes.n > PP_HTTP_HEAD_MAX ? 431 : 400);
		else if (n == 0)
			return;
		else if (n > PP_HTTP_HEAD_MAX)
			refuse(h, c, 431);
		else
			head_ready(h, c, n);
	}
}

static void
connection_read(struct pp_http *h, struct pp_connection *c)
{
	ssize_t n = recv(c->fd, h->block, sizeof h->block, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == 0 && (c->state == READING_BODY || (c->state == READING_HEAD && c->in.n))) {
		/* It ends in the middle of a request, but may still read why that will not do. */
		c->half_closed = true;
		refuse(h, c, 400);
		return;
	}
	if (n <= 0) {
		connection_close(h, c);
		return;
	}
	atomic_fetch_add(&h->counts.received, (uint64_t)n);
	if (c->state == LINGERING)
		return;
	if (c->state == READING_HEAD && c->in.n == 0) {
		c->since = h->now;
		c->deadline = h->now + HEAD_TIME;
	}
	pp_buf_add(&c->in, h->block, (size_t)n);
	if (c->in.failed)
		connection_close(h, c);
	else
		connection_advance(h, c);
}

/* ---- what others answer ---- */

/* Puts an exchange where the loop finds it. */
static void
hand_in(struct pp_exchange *x)
{
	struct pp_http *h = x->http;
	bool first = !h->done;

	if (!x->queued) {
		x->next = h->done;
		h->done = x;
		x->queued = true;
	}
	if (first)
		(void)eventfd_write(h->wake, 1);
}

void
pp_exchange_done(struct pp_exchange *x)
{
	struct pp_http *h = x->http;

	if (pthread_equal(h->thread, pthread_self())) {
		x->handled = false;
		answer_send(h, x->connection);
		return;
	}
	pthread_mutex_lock(&h->lock);
	x->answered = true;
	hand_in(x);
	pthread_mutex_unlock(&h->lock);
}

void
pp_exchange_stream(struct pp_exchange *x, const void *p, size_t n)
{
	struct pp_http *h = x->http;

	if (n == 0)
		return;
	pthread_mutex_lock(&h->lock);
	x->streams = true;
	pp_buf_addf(&x->streamed, "%zx\r\n", n);
	pp_buf_add(&x->streamed, p, n);
	pp_buf_adds(&x->streamed, "\r\n");
	hand_in(x);
	pthread_mutex_unlock(&h->lock);
}

/* Sends what is there of an answer that streams. */
static void
stream_send(struct pp_http *h, struct pp_connection *c, const struct pp_buf *parts)
{
	struct pp_exchange *x = c->x;

	if (!x->begins) {
		x->begins = true;
		answer_begin(h, c);
	}
	pp_buf_add(&c->out, parts->p, parts->n);
	if (!x->handled)
		pp_buf_adds(&c->out, "0\r\n\r\n");
	c->out.failed |= parts->failed;
	answer_write(h, c);
}

/* What was handed in, in part or as a whole, is sent. */
static void
done_take(struct pp_http *h)
{
	struct pp_exchange *x, *next;
	eventfd_t count;

	(void)eventfd_read(h->wake, &count);
	pthread_mutex_lock(&h->lock);
	x = h->done;
	h->done = NULL;
	pthread_mutex_unlock(&h->lock);
	for (; x; x = next) {
		struct pp_connection *c = x->connection;
		struct pp_buf parts;
		bool streams;

		pthread_mutex_lock(&h->lock);
		next = x->next;
		x->queued = false;
		parts = x->streamed;
		x->streamed = (struct pp_buf){ 0 };
		x->handled = !x->answered;
		streams = x->streams;
		pthread_mutex_unlock(&h->lock);
		if (c && streams)
			stream_send(h, c, &parts);
		else if (c)
			answer_send(h, c);
		else if (!x->handled)
			exchange_free(h, x);
		if (c)
			connection_advance(h, c);
		pp_buf_release(&parts);
	}
}

/* ---- new connections, old ones ---- */

/* Makes room: the connection that has been idle for longest ends. */
static bool
idle_drop(struct pp_http *h)
{
	struct pp_connection *c;

	TAILQ_FOREACH(c, &h->all, all)
	if (c->state == READING_HEAD && c->in.n == 0) {
		connection_close(h, c);
		return true;
	}
	return false;
}

static void
connection_accept(struct pp_http *h)
{
	static const int one = 1;
	int i, fd;

	for (i = 0; i < 64; i++) {
		struct pp_connection *c;
		struct epoll_event e = { .events = EPOLLIN };

		if (h->counts.connections >= h->o.connections && !idle_drop(h) && i > 0)
			return;
		fd = accept4(h->o.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && idle_drop(h))
			continue;
		if (fd < 0)
			return;
		c = h->counts.connections < h->o.connections ? calloc(1, sizeof *c) : NULL;
		e.data.ptr = c;
		if (!c || epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
			free(c);
			(void)close(fd);
			continue;
		}
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		*c = (struct pp_connection){
			.fd = fd, .events = EPOLLIN, .since = h->now, .deadline = h->now + IDLE
		};
		TAILQ_INSERT_TAIL(&h->all, c, all);
		atomic_fetch_add(&h->counts.accepted, 1);
		atomic_fetch_add(&h->counts.connections, 1);
	}
}

/* Whoever is waited for too long. */
static void
deadlines(struct pp_http *h)
{
	struct pp_connection *c, *after;

	for (c = TAILQ_FIRST(&h->all); c; c = after) {
		after = TAILQ_NEXT(c, all);
		if (h->now > c->deadline) {
			if (c->state == READING_BODY || (c->state == READING_HEAD && c->in.n))
				refuse(h, c, 408);
			else
				connection_close(h, c);
		} else if (c->state == HANDLED && c->half_closed && !c->x->head.simple) {
			/* One that will only ask no more is told to wait; with one that is gone it fails. */
			tell_once(c, c->x->begins ? COMMENT : CONTINUE);
		}
	}
}

static void
connection_event(struct pp_http *h, struct pp_connection *c, uint32_t events)
{
	if (c->dead)
		return;
	if (events & (EPOLLERR | EPOLLHUP)) {
		connection_close(h, c);
	} else if (events & EPOLLIN) {
		connection_read(h, c);
	} else if (events & EPOLLOUT) {
		connection_write(h, c);
		connection_advance(h, c);
	} else if (events & EPOLLRDHUP) {
		c->half_closed = true;
		connection_events(h, c, 0);
	}
}

/* ---- the server ---- */

/* No new connections, and none that wait for a request. What was sent by now counts as asked. */
static void
stop_begin(struct pp_http *h)
{
	struct pp_connection *c, *after;

	connection_accept(h);
	for (c = TAILQ_FIRST(&h->all); c; c = after) {
		after = TAILQ_NEXT(c, all);
		if (c->state == READING_HEAD && c->in.n == 0)
			connection_read(h, c);
	}
	h->stopped = h->now;
	(void)close(h->o.listener);
	h->o.listener = -1;
	while (idle_drop(h))
		;
}

bool
pp_http_gives_up(struct pp_http *h)
{
	return h->stops > 1 || (h->stopped && pp_clock_ns() > h->stopped + GRACE);
}

/* Whether nothing is under way, or it has been waited for long enough. */
static bool
stop_ended(struct pp_http *h)
{
	struct pp_connection *c;

	TAILQ_FOREACH(c, &h->all, all)
	if (c->state != LINGERING && !pp_http_gives_up(h))
		return false;
	while ((c = TAILQ_FIRST(&h->all)) != NULL)
		connection_close(h, c);
	return true;
}

void
pp_http_run(struct pp_http *h)
{
	struct epoll_event events[256];
	struct pp_connection *c;
	bool ended = false;

	h->thread = pthread_self();
	while (!ended) {
		int i, n = epoll_wait(h->epoll, events, PP_COUNT_OF(events), (int)(TICK / 1000000));
		bool answers = false;

		h->now = pp_clock_ns();
		for (i = 0; i < n; i++)
			if (events[i].data.ptr == &h->wake)
				answers = true;
			else if (events[i].data.ptr == h && h->o.listener >= 0)
				connection_accept(h);
			else if (events[i].data.ptr != h)
				connection_event(h, events[i].data.ptr, events[i].events);
		if (answers)
			done_take(h);
		if (atomic_load(&h->stops) && h->o.listener >= 0)
			stop_begin(h);
		if (h->now > h->ticked + TICK) {
			h->ticked = h->now;
			deadlines(h);
		}
		ended = h->stopped && stop_ended(h);
		while ((c = SLIST_FIRST(&h->dead)) != NULL) {
			SLIST_REMOVE_HEAD(&h->dead, ended);
			free(c);
		}
	}
}

void
pp_http_stop(struct pp_http *h)
{
	atomic_fetch_add(&h->stops, 1);
	(void)eventfd_write(h->wake, 1);
}

struct pp_http *
pp_http_new(const struct pp_http_options *o)
{
	struct pp_http *h = calloc(1, sizeof *h);
	struct epoll_event listens = { .events = EPOLLIN, .data.ptr = h };
	struct epoll_event wakes = { .events = EPOLLIN };

	if (!h)
		return NULL;
	h->o = *o;
	TAILQ_INIT(&h->all);
	h->now = pp_clock_ns();
	pthread_mutex_init(&h->lock, NULL);
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	h->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	wakes.data.ptr = &h->wake;
	if (h->epoll < 0 || h->wake < 0 ||
	    epoll_ctl(h->epoll, EPOLL_CTL_ADD, o->listener, &listens) != 0 ||
	    epoll_ctl(h->epoll, EPOLL_CTL_ADD, h->wake, &wakes) != 0) {
		pp_http_free(h);
		return NULL;
	}
	return h;
}

void
pp_http_free(struct pp_http *h)
{
	struct pp_exchange *x;

	if (!h)
		return;
	while ((x = h->done) != NULL) {
		h->done = x->next;
		exchange_free(h, x);
	}
	if (h->epoll >= 0)
		(void)close(h->epoll);
	if (h->wake >= 0)
		(void)close(h->wake);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
