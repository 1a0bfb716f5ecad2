/*
 * What rows for ClickHouse cost the client: files are read first, then their rows are made and sent to a server that takes
 * them and says yes. Prints how many rows there were, of stacks and of samples, and the processor time.
 *   clickhouse_rows NEW FILE...
 * NEW is 1 when each file's stacks are to be new, 0 when the same files were sent before, so that servers have their stacks
 * (which holds for a million nodes in all).
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/profile.h"
#include "store/clickhouse_write.h"

/* As many wait to be sent. */
#define GROUP_BYTES ((size_t)16 << 20)
/* The best counts. */
#define ROUNDS 5

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Requests come in chunks, the last of which is empty; each is answered with nothing, but for who the server is: with zeros. */
static void
serve(int listener)
{
	static const char end[] = "\r\n0\r\n\r\n",
	                  yes[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	                  who[] = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"
	                          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	                          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	static char bytes[1 << 20];

	for (;;) {
		int fd = accept(listener, NULL, NULL);
		size_t kept = 0;
		bool asks = false;
		ssize_t got;

		while (fd >= 0 && (got = recv(fd, bytes + kept, sizeof bytes - kept, 0)) > 0) {
			size_t n = kept + (size_t)got;

			asks |= memmem(bytes, n, "uptime()", 8) != NULL;
			if (n >= 5 && memcmp(bytes + n - 5, end + 2, 5) == 0) {
				(void)!write(fd, asks ? who : yes,
				             (asks ? sizeof who : sizeof yes) - 1);
				asks = false;
			}
			kept = n < 8 ? n : 8;
			memmove(bytes, bytes + n - kept, kept);
		}
		if (fd >= 0)
			close(fd);
	}
}

static uint16_t
server_start(pid_t *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, n) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&address, &n))
		exit(1);
	*server = fork();
	if (*server == 0)
		serve(listener);
	close(listener);
	return ntohs(address.sin_port);
}

/* Sends the rows of some profiles, and lets go of them. */
static void
group_add(struct pp_clickhouse *c, struct pp_store_item *items, size_t n)
{
	enum pp_store_added *added = calloc(n, sizeof *added);
	struct pp_buf problem = { 0 };
	size_t i;

	if (!added || pp_clickhouse_add(&c->store, items, n, added, &problem) != PP_OK) {
		fprintf(stderr, "%s\n", problem.p ? problem.p : "out of memory");
		exit(1);
	}
	for (i = 0; i < n; i++)
		pp_clickhouse_drop(items[i].taken);
	free(added);
}

/* Makes rows of one profile after the other, and sends them whenever there are enough, as `store add` does. */
static double
add(struct pp_clickhouse *c, const struct pp_store_item *read, size_t n)
{
	struct pp_store_item *items = calloc(n, sizeof *items);
	double begun = seconds();
	size_t i, first = 0, bytes = 0;

	for (i = 0; i < n; i++) {
		items[i] = read[i];
		if (pp_clickhouse_take(&c->store, &items[i], &items[i].taken, &bytes) != PP_OK)
			exit(1);
		if (bytes < GROUP_BYTES && i + 1 < n)
			continue;
		group_add(c, items + first, i + 1 - first);
		first = i + 1;
		bytes = 0;
	}
	begun = seconds() - begun;
	free(items);
	return begun;
}

/* Stacks that cost something, in all profiles together once; and nodes. */
static void
count(struct pp_store_item *items, size_t n, uint64_t *stacks, uint64_t *samples, uint64_t *nodes)
{
	const struct pp_profile *p;
	size_t i, s;
	uint32_t row;

	*stacks = *samples = *nodes = 0;
	for (i = 0; i < n; i++) {
		p = items[i].profile;
		*nodes += p->tree.n - 1;
		*stacks += items[i].stacks;
		for (s = 0; s < p->series.n; s++)
			for (row = 0; row < p->series.at[s].rows; row++)
				*samples += pp_series_present(&p->series.at[s], row);
	}
}

int
main(int argc, char **argv)
{
	const bool all_new = argc > 1 && atoi(argv[1]);
	const size_t n = argc > 2 ? (size_t)argc - 2 : 0;
	struct pp_store_item *items = calloc(n + 1, sizeof *items);
	struct pp_clickhouse c = { 0 };
	struct pp_store_how how = { .threads = 1 };
	struct pp_buf problem = { 0 };
	uint64_t stacks, samples, nodes;
	char source[64];
	double took;
	pid_t server;
	size_t i;

	snprintf(source, sizeof source, "clickhouse://127.0.0.1:%u/bench", server_start(&server));
	if (pp_clickhouse_source_parse(source, &c.from, &problem) != PP_OK ||
	    pp_clickhouse_connect(&c, &problem) != PP_OK)
		return 1;
	for (i = 0; i < n; i++) {
		struct pp_store_prepared *p;
		struct pp_store_result result;

		if (pp_store_prepare_file(argv[i + 2], &how, &p, &result, &problem) != PP_OK)
			return 1;
		items[i] = *pp_store_prepared_item(p);
		/* What the input takes is the same for all stores. */
		items[i].parcel.n = 0;
	}
	count(items, n, &stacks, &samples, &nodes);
	took = add(&c, items, n);
	for (i = 0; i < ROUNDS; i++) {
		double again;

		if (all_new)
			pp_known_forget(&c.met);
		again = add(&c, items, n);
		took = again < took || (i == 0 && !all_new) ? again : took;
	}
	stacks = all_new ? stacks : 0;
	printf(
	    "%zu profiles, %llu nodes of stacks in them; %llu rows of stacks, %llu of samples: %.3f s, %.2f million rows/s\n",
	    n, (unsigned long long)nodes, (unsigned long long)stacks, (unsigned long long)samples,
	    took, (double)(stacks + samples) / 1e6 / took);
	kill(server, SIGKILL);
	return 0;
}
