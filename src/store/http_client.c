/*
 * HTTP/1.1 as far as a client needs it, strictly.
 */
#include "store/http_client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/slice.h"
#include "io/system.h"
#include "store/http_message.h"

/* Bytes that wait to be sent as one chunk. */
#define CHUNK ((size_t)1 << 18)
/* Lines of chunk sizes, and answers of 1xx before the one that counts. */
#define LINE_MAX_BYTES 1024
#define INTERIM_MAX 8

static int64_t
clock_ms(void)
{
	return pp_clock_ns() / 1000000;
}

PP_PRINTF(2, 3)
static bool
http_fail(struct pp_http *h, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(h->problem, sizeof h->problem, fmt, args);
	va_end(args);
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	return false;
}

bool
pp_http_init(struct pp_http *h, const char *host, const char *port,
             const struct pp_http_limits *limits)
{
	*h = (struct pp_http){ .fd = -1, .limits = *limits };
	h->host = strdup(host);
	h->port = strdup(port);
	return h->host && h->port;
}

void
pp_http_release(struct pp_http *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	free(h->host);
	free(h->port);
	h->host = h->port = NULL;
	pp_buf_release(&h->out);
	pp_buf_release(&h->headers);
}

/* ---- the connection ---- */

/* Waits until the socket is ready for any of `events`; 0 when it never was, with the reason said. */
static short
socket_wait(struct pp_http *h, short events)
{
	int64_t silent_at = clock_ms() + h->limits.silence_ms;
	int64_t until = silent_at < h->deadline ? silent_at : h->deadline;

	for (;;) {
		struct pollfd p = { .fd = h->fd, .events = events };
		int64_t left = until - clock_ms();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n > 0)
			return p.revents;
		if (n == 0) {
			(void)http_fail(h, "no answer within %lld s",
			                (long long)(until == silent_at ? h->limits.silence_ms
			                                               : h->limits.total_ms) /
			                    1000);
			return 0;
		}
		if (errno != EINTR) {
			(void)http_fail(h, "%s", strerror(errno));
			return 0;
		}
	}
}

/* An errno, 0 when the socket is connected. */
static int
socket_connect(int fd, const struct addrinfo *a, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int64_t until = clock_ms() + ms;
	int error = 0, n;
	socklen_t size = sizeof error;

	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	do {
		int64_t left = until - clock_ms();

		n = left > 0 ? poll(&p, 1, (int)left) : 0;
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return ETIMEDOUT;
	if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		return errno;
	return error;
}

static bool
http_connect(struct pp_http *h)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL, *a;
	int error = getaddrinfo(h->host, h->port, &hints, &all), on = 1;

	if (error)
		return http_fail(h, "%s", gai_strerror(error));
	for (a = all; a && h->fd < 0; a = a->ai_next) {
		int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
		                a->ai_protocol);

		error = fd < 0 ? errno : socket_connect(fd, a, h->limits.connect_ms);
		if (!error) {
			h->fd = fd;
			/* The end of a request must not wait for the acknowledgement of its beginning. */
			(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		} else if (fd >= 0) {
			close(fd);
		}
	}
	freeaddrinfo(all);
	h->in.at = h->in.n = 0;
	return h->fd >= 0 || http_fail(h, "%s", strerror(error));
}

/* Whether a connection that was used before is gone, or says what nobody asked. */
static bool
connection_is_stale(const struct pp_http *h)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };

	return !h->stays || h->in.at < h->in.n || poll(&p, 1, 0) != 0;
}

/* ---- sending ---- */

/*
 * Sends all bytes, unless the server answers before it has them: it then refuses the rest, and its
 * answer says why.
 */
static bool
socket_send(struct pp_http *h, const char *p, size_t n)
{
	while (n && !h->refused) {
		short ready = socket_wait(h, POLLIN | POLLOUT);
		ssize_t sent;

		if (!ready)
			return false;
		if (!(ready & POLLOUT)) {
			h->refused = true;
			break;
		}
		sent = send(h->fd, p, n, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR && errno != EAGAIN) {
			h->refused = true;
			break;
		}
		p += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

static bool
chunk_send(struct pp_http *h, const char *bytes, size_t n)
{
	char size[24];
	int digits = snprintf(size, sizeof size, "%zx\r\n", n);

	return socket_send(h, size, (size_t)digits) && socket_send(h, bytes, n) &&
	       socket_send(h, "\r\n", 2);
}

bool
pp_http_begin(struct pp_http *h, const char *target, const char *headers)
{
	bool six = strchr(h->host, ':') != NULL;

	h->problem[0] = '\0';
	h->refused = false;
	h->out.n = 0;
	if (h->fd >= 0 && connection_is_stale(h)) {
		close(h->fd);
		h->fd = -1;
	}
	if (h->fd < 0 && !http_connect(h))
		return false;
	h->stays = false;
	h->deadline = clock_ms() + h->limits.total_ms;
	pp_buf_addf(&h->out,
	            "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nTransfer-Encoding: chunked\r\n%s\r\n",
	            target, six ? "[" : "", h->host, six ? "]" : "", h->port, headers);
	if (h->out.failed)
		return http_fail(h, "out of memory");
	if (!socket_send(h, h->out.p, h->out.n))
		return false;
	h->out.n = 0;
	return true;
}

bool
pp_http_put(struct pp_http *h, const void *bytes, size_t n)
{
	if (h->fd < 0)
		return false;
	if (n >= CHUNK / 4 || h->out.n + n > CHUNK) {
		if (h->out.n && !chunk_send(h, h->out.p, h->out.n))
			return false;
		h->out.n = 0;
	}
	if (n >= CHUNK / 4)
		return chunk_send(h, bytes, n);
	pp_buf_add(&h->out, bytes, n);
	return !h->out.failed || http_fail(h, "out of memory");
}

/* ---- receiving ---- */

/* More bytes of the answer; false at the end of the connection, which is an error wherever it is met. */
static bool
input_fill(struct pp_http *h)
{
	ssize_t got;

	h->in.at = h->in.n = 0;
	do {
		if (!socket_wait(h, POLLIN))
			return false;
		got = recv(h->fd, h->in.bytes, sizeof h->in.bytes, 0);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0)
		return http_fail(h, "%s", strerror(errno));
	if (got == 0)
		return http_fail(h, "the answer was cut off");
	h->in.n = (size_t)got;
	return true;
}

/* Appends a line, without its end, of at most `most` bytes. */
static bool
line_read(struct pp_http *h, struct pp_buf *to, size_t most)
{
	size_t begin = to->n;

	for (;;) {
		const unsigned char *from, *newline;
		size_t n;

		if (h->in.at == h->in.n && !input_fill(h))
			return false;
		from = h->in.bytes + h->in.at;
		newline = memchr(from, '\n', h->in.n - h->in.at);
		n = newline ? (size_t)(newline - from) : h->in.n - h->in.at;
		if (to->n - begin + n > most)
			return http_fail(h, "the answer is not HTTP: a line is too long");
		pp_buf_add(to, from, n);
		h->in.at += n + (newline != NULL);
		if (to->failed)
			return http_fail(h, "out of memory");
		if (newline)
			break;
	}
	if (to->n > begin && to->p[to->n - 1] == '\r')
		to->n--;
	return true;
}

/* What the headers say of the body. */
struct framing {
	bool has_length, chunked, closes, encoded;
	uint64_t length;
};

/* Plain digits, at most 18 of them. */
static bool
number_read(struct pp_slice text, uint64_t *out)
{
	size_t i;

	*out = 0;
	for (i = 0; i < text.n && i < 18 && pp_is_digit(text.p[i]); i++)
		*out = *out * 10 + (uint64_t)(text.p[i] - '0');
	return text.n > 0 && i == text.n;
}

static bool
header_take(struct pp_http *h, struct pp_slice line, struct framing *f)
{
	bool found;
	uint64_t length;
	struct pp_slice name = pp_slice_cut(&line, ':', &found), value = pp_slice_trim(line);

	if (!found || name.n == 0)
		return http_fail(h, "the answer is not HTTP: a header without a name");
	if (pp_http_same(name, "Content-Length")) {
		if (!number_read(value, &length) || (f->has_length && length != f->length))
			return http_fail(h, "the answer does not state one length");
		f->has_length = true;
		f->length = length;
	} else if (pp_http_same(name, "Transfer-Encoding")) {
		if (!pp_http_same(value, "chunked") || f->chunked)
			return http_fail(h,
			                 "the answer comes in an encoding that was not asked for");
		f->chunked = true;
	} else if (pp_http_same(name, "Connection")) {
		f->closes |= pp_http_same(value, "close");
	} else if (pp_http_same(name, "Content-Encoding")) {
		f->encoded |= !pp_http_same(value, "identity");
	}
	return true;
}

static bool
status_read(struct pp_http *h, unsigned *status, struct framing *f)
{
	struct pp_slice line;
	uint64_t number;

	h->headers.n = 0;
	*f = (struct framing){ 0 };
	if (!line_read(h, &h->headers, LINE_MAX_BYTES))
		return false;
	line = pp_slice_of(h->headers.p, h->headers.n);
	if (!pp_slice_starts(line, "HTTP/1.") || line.n < 12 || line.p[8] != ' ' ||
	    (line.n > 12 && line.p[12] != ' ') || (line.p[7] != '0' && line.p[7] != '1') ||
	    !number_read(pp_slice_of(line.p + 9, 3), &number) || number < 100)
		return http_fail(h, "the answer is not HTTP");
	*status = (unsigned)number;
	f->closes = line.p[7] == '0';
	for (;;) {
		size_t begin = h->headers.n;

		if (!line_read(h, &h->headers, PP_HTTP_HEADERS - begin))
			return false;
		if (h->headers.n == begin)
			return true;
		if (!header_take(h, pp_slice_of(h->headers.p + begin, h->headers.n - begin), f))
			return false;
	}
}

static bool
body_take(struct pp_http *h, struct pp_buf *body, uint64_t n)
{
	if (n > h->limits.answer || body->n > h->limits.answer - n)
		return http_fail(h, "the answer has more than %zu bytes", h->limits.answer);
	while (n) {
		size_t part;

		if (h->in.at == h->in.n && !input_fill(h))
			return false;
		part = h->in.n - h->in.at < n ? h->in.n - h->in.at : (size_t)n;
		pp_buf_add(body, h->in.bytes + h->in.at, part);
		if (body->failed)
			return http_fail(h, "out of memory");
		h->in.at += part;
		n -= part;
	}
	return true;
}

static bool
chunks_read(struct pp_http *h, struct pp_buf *body)
{
	struct pp_http_chunks chunks = { 0 };
	int end = PP_CHUNKS_MORE;

	while (end == PP_CHUNKS_MORE) {
		struct pp_slice bytes;

		if (h->in.at == h->in.n && !input_fill(h))
			return false;
		bytes = pp_slice_of(h->in.bytes + h->in.at, h->in.n - h->in.at);
		end = pp_http_chunks_take(&chunks, &bytes, body, h->limits.answer);
		h->in.at = h->in.n - bytes.n;
		if (body->failed)
			return http_fail(h, "out of memory");
	}
	return end == PP_CHUNKS_END ||
	       (end == PP_CHUNKS_LARGE
	            ? http_fail(h, "the answer has more than %zu bytes", h->limits.answer)
	            : http_fail(h, "the answer is not HTTP: its chunks make no sense"));
}

static bool
answer_read(struct pp_http *h, struct pp_http_answer *answer)
{
	struct framing f;
	unsigned interim = 0;

	do {
		if (!status_read(h, &answer->status, &f))
			return false;
		if (answer->status < 200 && ++interim > INTERIM_MAX)
			return http_fail(h, "the answer never comes");
	} while (answer->status < 200);
	if (f.chunked && f.has_length)
		return http_fail(h, "the answer states a length and comes in chunks");
	if (f.encoded)
		return http_fail(h, "the answer comes in an encoding that was not asked for");
	if (!f.chunked && !f.has_length)
		return http_fail(h, "the answer does not say where it ends");
	if (!(f.chunked ? chunks_read(h, &answer->body) : body_take(h, &answer->body, f.length)))
		return false;
	h->stays = !f.closes && !h->refused;
	return true;
}

bool
pp_http_end(struct pp_http *h, struct pp_http_answer *answer)
{
	answer->body.n = 0;
	if (h->fd < 0)
		return false;
	if (h->out.n && !chunk_send(h, h->out.p, h->out.n))
		return false;
	h->out.n = 0;
	if (!socket_send(h, "0\r\n\r\n", 5) || !answer_read(h, answer))
		return false;
	/* Part of a request cannot have succeeded. */
	if (h->refused && answer->status < 400)
		return http_fail(h, "the answer came before the request was sent");
	if (!h->stays) {
		close(h->fd);
		h->fd = -1;
	}
	return true;
}
