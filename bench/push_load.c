/*
 * Pushes one small profile again and again, each time as another minute's: push_load PORT SECONDS RATE CONNECTIONS BODY [PATH]
 *
 *     cc -O2 -D_GNU_SOURCE -o push_load bench/push_load.c && polyprof serve --store load.ppdb & ./push_load 4040 60 2000 256 small.pb.gz
 *
 * One thread, keep-alive connections, a steady rate (0 = as fast as answers come). Prints what was answered, and how soon.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct client {
	int fd;
	int busy;
	int64_t asked;
	char in[4096];
	size_t n;
};

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static char body[1 << 20];
static size_t body_size;
static const char *path = "/ingest";
static int port;
static uint64_t sent, good, bad;
static int64_t base;
static uint32_t *took;
static size_t took_n, took_most = 4000000;

static void
ask(struct client *c)
{
	static char request[1 << 20];
	int n = snprintf(
	    request, 4096,
	    "POST %s?name=load%%7Bhost=h%llu%%7D&from=%lld&until=%lld&format=pprof HTTP/1.1\r\n"
	    "Host: 127.0.0.1:%d\r\nContent-Type: application/octet-stream\r\nContent-Length: %zu\r\n\r\n",
	    path, (unsigned long long)(sent % 100), (long long)(base + (int64_t)sent * 1000),
	    (long long)(base + (int64_t)sent * 1000 + 10000000000), port, body_size);

	memcpy(request + n, body, body_size);
	if (write(c->fd, request, (size_t)n + body_size) != (ssize_t)((size_t)n + body_size)) {
		perror("write");
		exit(1);
	}
	c->busy = 1;
	c->asked = now_ns();
	c->n = 0;
	sent++;
}

/* Whether an answer is complete. */
static int
answered(struct client *c)
{
	ssize_t n = read(c->fd, c->in + c->n, sizeof c->in - c->n - 1);
	char *end, *length;

	if (n <= 0) {
		fprintf(stderr, "the server closed a connection\n");
		exit(1);
	}
	c->n += (size_t)n;
	c->in[c->n] = '\0';
	end = strstr(c->in, "\r\n\r\n");
	length = strstr(c->in, "Content-Length: ");
	if (!end || (length && length < end &&
	             c->n < (size_t)(end + 4 - c->in) + strtoul(length + 16, NULL, 10)))
		return 0;
	if (strncmp(c->in, "HTTP/1.1 200", 12) == 0)
		good++;
	else if (bad++ < 3)
		fprintf(stderr, "%.200s\n", c->in);
	if (took_n < took_most)
		took[took_n++] = (uint32_t)((now_ns() - c->asked) / 1000);
	c->busy = 0;
	return 1;
}

int
main(int argc, char **argv)
{
	int count, i, one = 1, epoll = epoll_create1(0);
	struct client *clients;
	int64_t begin, end;
	double rate;
	FILE *file;

	if (argc < 6)
		return 2;
	port = atoi(argv[1]);
	rate = atof(argv[3]);
	count = atoi(argv[4]);
	file = fopen(argv[5], "rb");
	path = argc > 6 ? argv[6] : path;
	body_size = file ? fread(body, 1, sizeof body - 8192, file) : 0;
	clients = calloc((size_t)count, sizeof *clients);
	took = calloc(took_most, sizeof *took);
	base = (int64_t)time(NULL) * 1000000000;
	for (i = 0; i < count; i++) {
		struct sockaddr_in to = { .sin_family = AF_INET,
			                  .sin_port = htons((uint16_t)port) };
		struct epoll_event e = { .events = EPOLLIN, .data.ptr = &clients[i] };

		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		clients[i].fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(clients[i].fd, (struct sockaddr *)&to, sizeof to) != 0) {
			perror("connect");
			return 1;
		}
		setsockopt(clients[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		epoll_ctl(epoll, EPOLL_CTL_ADD, clients[i].fd, &e);
	}
	begin = now_ns();
	end = begin + (int64_t)(atof(argv[2]) * 1e9);
	for (;;) {
		struct epoll_event events[64];
		int64_t now = now_ns();
		double due = rate > 0 ? rate * (double)(now - begin) / 1e9 : 1e18;
		int n, busy = 0;

		for (i = 0; i < count; i++) {
			if (!clients[i].busy && now < end && (double)sent < due)
				ask(&clients[i]);
			busy += clients[i].busy;
		}
		if (now >= end && busy == 0)
			break;
		n = epoll_wait(epoll, events, 64, 1);
		for (i = 0; i < n; i++)
			answered(events[i].data.ptr);
	}
	end = now_ns();
	qsort(took, took_n, sizeof *took, by_value);
	printf("%.0f/s for %.1f s, %llu good, %llu bad; ms: median %.1f, 99%% %.1f, longest %.1f\n",
	       (double)(good + bad) / ((double)(end - begin) / 1e9), (double)(end - begin) / 1e9,
	       (unsigned long long)good, (unsigned long long)bad, took[took_n / 2] / 1e3,
	       took[took_n * 99 / 100] / 1e3, took_n ? took[took_n - 1] / 1e3 : 0);
	return bad != 0;
}
