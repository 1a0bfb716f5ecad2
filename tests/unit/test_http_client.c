/*
 * The HTTP client against a server that says what it was told to say, byte by byte if need be.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "store/http_client.h"
#include "tap.h"

/* A server for one connection after the other, each with one or more answers. */
struct scripted {
	int listener;
	char port[8];
	const char *const *answers; /* one per request; NULL = the end */
	size_t reads;     /* bytes of the request to read before answering; 0 = all of it */
	unsigned drip_ms; /* pause between two bytes of an answer */
	bool per_answer;  /* a connection for each answer */
	bool holds;       /* stays open and says nothing more */
	struct pp_buf heard;
	pthread_t thread;
};

/* Reads a request up to the chunk that ends it. */
static void
request_read(struct scripted *s, int fd)
{
	size_t begin = s->heard.n;
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof bytes)) > 0) {
		pp_buf_add(&s->heard, bytes, (size_t)n);
		if (s->reads ? s->heard.n - begin >= s->reads
		             : s->heard.n - begin >= 5 &&
		                   memcmp(s->heard.p + s->heard.n - 5, "0\r\n\r\n", 5) == 0)
			break;
	}
}

static void
answer_send(const struct scripted *s, int fd, const char *text)
{
	size_t n = strlen(text), i;
	struct timespec pause = { .tv_nsec = (long)s->drip_ms * 1000000 };

	if (!s->drip_ms) {
		(void)!send(fd, text, n, MSG_NOSIGNAL);
		return;
	}
	for (i = 0; i < n && send(fd, text + i, 1, MSG_NOSIGNAL) == 1; i++)
		nanosleep(&pause, NULL);
}

static void *
serve(void *of)
{
	struct scripted *s = of;
	size_t i;
	int fd = -1;
	char last;

	for (i = 0; s->answers[i]; i++) {
		if (fd < 0)
			fd = accept(s->listener, NULL, NULL);
		request_read(s, fd);
		answer_send(s, fd, s->answers[i]);
		if (s->per_answer) {
			shutdown(fd, SHUT_WR);
			(void)!read(fd, &last, 1);
			close(fd);
			fd = -1;
		}
	}
	if (s->holds)
		(void)!read(fd, &last, 1);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void
scripted_start(struct scripted *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;

	s->listener = socket(AF_INET, SOCK_STREAM, 0);
	(void)!bind(s->listener, (struct sockaddr *)&at, sizeof at);
	(void)!listen(s->listener, 4);
	getsockname(s->listener, (struct sockaddr *)&at, &size);
	snprintf(s->port, sizeof s->port, "%u", ntohs(at.sin_port));
	pthread_create(&s->thread, NULL, serve, s);
}

static void
scripted_end(struct scripted *s)
{
	pthread_join(s->thread, NULL);
	close(s->listener);
	pp_buf_release(&s->heard);
}

static const struct pp_http_limits limits = {
	.connect_ms = 2000, .silence_ms = 300, .total_ms = 900, .answer = 1000
};

static bool
ask(struct pp_http *h, const char *body, struct pp_http_answer *answer)
{
	return pp_http_begin(h, "/?q=1", "X-Key: k\r\n") && pp_http_put(h, body, strlen(body)) &&
	       pp_http_end(h, answer);
}

/* One answer to one request: whether it is taken, and with what status and body or for what reason not. */
static void
case_check(struct scripted s, const char *text, bool taken, const char *expected, const char *what)
{
	const char *answers[] = { text, NULL };
	struct pp_http_answer answer = { 0 };
	struct pp_http h;
	bool got;

	s.answers = answers;
	scripted_start(&s);
	pp_http_init(&h, "127.0.0.1", s.port, &limits);
	got = ask(&h, "select", &answer);
	ok(got == taken, "%s: %s", what, taken ? "taken" : "refused");
	pp_buf_addc(&answer.body, '\0');
	is_text(got ? answer.body.p : h.problem, expected, "%s", what);
	pp_buf_release(&answer.body);
	pp_http_release(&h);
	scripted_end(&s);
}

static void
test_answers(void)
{
	static const struct {
		const char *text, *body, *what;
	} good[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", "a length" },
		{ "HTTP/1.1 200 OK\r\ncontent-length:5\r\nContent-Length: 5\r\n\r\nhello", "hello",
		  "the same length twice" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
		  "hello", "chunks" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n", "",
		  "no chunk, a trailer" },
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		  "ok", "an interim answer" },
		{ "HTTP/1.0 500 No\nContent-Length: 2\n\nno", "no", "bare newlines, an error" },
		{ "HTTP/1.1 204\r\nContent-Length: 0\r\n\r\n", "", "no reason" },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(good); i++)
		case_check((struct scripted){ .per_answer = true }, good[i].text, true,
		           good[i].body, good[i].what);
	case_check((struct scripted){ .per_answer = true, .drip_ms = 1 },
	           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	           true, "hello", "byte by byte");
}

static void
test_bad_answers(void)
{
	static const struct {
		const char *text, *problem, *what;
	} bad[] = {
		{ "", "the answer was cut off", "nothing" },
		{ "HTTP/1.1 200 OK\r\nContent-Le", "the answer was cut off", "half a header" },
		{ "HTTP/1.1 200 OK\r\n\r\nhello", "the answer does not say where it ends",
		  "no length and no chunks" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "the answer was cut off",
		  "half a body" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		  "the answer was cut off", "no last chunk" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
		  "the answer was cut off", "no end of trailers" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n",
		  "the answer is not HTTP: its chunks make no sense", "a chunk that is longer" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
		  "the answer is not HTTP: its chunks make no sense", "a negative chunk" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		  "the answer is not HTTP: its chunks make no sense", "a chunk beyond 64 bits" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n",
		  "the answer was cut off", "a chunk as large as may be" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n",
		  "the answer has more than 1000 bytes", "a chunk that is too large" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
		  "the answer has more than 1000 bytes", "a body that is too large" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
		  "the answer does not state one length", "a signed length" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\nhello",
		  "the answer does not state one length", "two lengths" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		  "the answer states a length and comes in chunks", "a length and chunks" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		  "the answer comes in an encoding that was not asked for", "packed chunks" },
		{ "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
		  "the answer comes in an encoding that was not asked for", "a packed body" },
		{ "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", "the answer is not HTTP",
		  "no status" },
		{ "HTTP/2 200\r\nContent-Length: 0\r\n\r\n", "the answer is not HTTP",
		  "another version" },
		{ "SSH-2.0-x\r\n\r\n", "the answer is not HTTP", "another protocol" },
		{ "HTTP/1.1 200 OK\r\nno header\r\n\r\n",
		  "the answer is not HTTP: a header without a name", "a line without a name" },
	};
	size_t i;

	for (i = 0; i < PP_COUNT_OF(bad); i++)
		case_check((struct scripted){ .per_answer = true }, bad[i].text, false,
		           bad[i].problem, bad[i].what);
}

/* Servers that never end: headers, interim answers, silence, a byte now and then. */
static void
test_hostile(void)
{
	struct pp_buf text = { 0 };
	int i;

	pp_buf_adds(&text, "HTTP/1.1 200 OK\r\n");
	for (i = 0; i < 70000; i++)
		pp_buf_adds(&text, "a:\r\n");
	case_check((struct scripted){ .per_answer = true }, text.p, false,
	           "the answer is not HTTP: a line is too long", "headers without end");
	text.n = 0;
	for (i = 0; i < 100; i++)
		pp_buf_adds(&text, "HTTP/1.1 102 Wait\r\n\r\n");
	case_check((struct scripted){ .per_answer = true }, text.p, false, "the answer never comes",
	           "interim answers without end");
	text.n = 0;
	for (i = 0; i < 5000; i++)
		pp_buf_addc(&text, 'H');
	case_check((struct scripted){ .per_answer = true }, text.p, false,
	           "the answer is not HTTP: a line is too long", "a line without end");
	pp_buf_release(&text);
	case_check((struct scripted){ .holds = true }, "HTTP/1.1 200 OK\r\n", false,
	           "no answer within 0 s", "silence");
	case_check((struct scripted){ .drip_ms = 100 },
	           "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", false, "no answer within 0 s",
	           "a byte now and then");
}

static void
test_connections(void)
{
	const char *two[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n2\r\n0\r\n\r\n", NULL
	};
	struct scripted s = { .answers = two };
	struct pp_http_answer answer = { 0 };
	struct pp_http h;
	struct pp_buf large = { 0 };
	const char *sent = "\r\nX-Key: k\r\n\r\n1\r\na\r\n0\r\n\r\nPOST /?q=1 HTTP/1.1\r\n";
	int i;

	scripted_start(&s);
	pp_http_init(&h, "localhost", s.port, &limits);
	ok(ask(&h, "a", &answer) && answer.body.n == 1 && answer.body.p[0] == '1', "one answer");
	ok(h.fd >= 0 && ask(&h, "", &answer) && answer.body.p[0] == '2',
	   "another over the same connection");
	ok(memmem(s.heard.p, s.heard.n, sent, strlen(sent)) != NULL, "requests come in chunks");
	pp_http_release(&h);
	scripted_end(&s);

	s = (struct scripted){ .answers = two, .per_answer = true };
	scripted_start(&s);
	pp_http_init(&h, "127.0.0.1", s.port, &limits);
	ok(ask(&h, "a", &answer), "a server that leaves without a word");
	usleep(20000);
	ok(ask(&h, "b", &answer) && answer.body.p[0] == '2', "is asked over a new connection");
	pp_http_release(&h);
	scripted_end(&s);

	/* An answer before all was sent: an error is taken as such, anything else is none. */
	for (i = 0; i < 1 << 16; i++)
		pp_buf_adds(&large,
		            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n");
	for (i = 0; i < 2; i++) {
		const char *early[] = { i ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"
			                  : "HTTP/1.1 500 OK\r\nContent-Length: 2\r\n\r\nno",
			                NULL };

		s = (struct scripted){ .answers = early, .reads = 100, .holds = true };
		scripted_start(&s);
		pp_http_init(&h, "127.0.0.1", s.port, &limits);
		ok(ask(&h, large.p, &answer) == !i, "an answer of %s before all was sent",
		   i ? "200" : "500");
		pp_http_release(&h);
		scripted_end(&s);
	}
	pp_http_init(&h, "127.0.0.1", s.port, &limits);
	ok(!ask(&h, "x", &answer) && strstr(h.problem, "refused"), "nobody listens: %s", h.problem);
	pp_http_release(&h);
	pp_http_init(&h, "no-such-host.invalid", "1", &limits);
	ok(!ask(&h, "x", &answer) && h.problem[0], "no such host: %s", h.problem);
	pp_http_release(&h);
	pp_buf_release(&large);
	pp_buf_release(&answer.body);
}

int
main(void)
{
	test_answers();
	test_bad_answers();
	test_hostile();
	test_connections();
	return tap_done();
}
