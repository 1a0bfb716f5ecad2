/*
 * Jobs on several threads. Each thread takes the next index until none is left; when the system has
 * fewer threads to give than asked for, the others do the work.
 */
#include "io/system.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"

#define THREADS_MOST 256

struct team {
	void (*job)(void *ctx, unsigned index);
	void *ctx;
	struct pp_account *account;
	unsigned n;
	_Atomic unsigned next;
};

static void *
team_work(void *arg)
{
	struct team *t = arg;
	unsigned index;

	(void)pp_account_enter(t->account);
	while ((index = atomic_fetch_add(&t->next, 1)) < t->n)
		t->job(t->ctx, index);
	return NULL;
}

void
pp_parallel_run(unsigned threads, unsigned n, void (*job)(void *ctx, unsigned index), void *ctx)
{
	struct team team = { job, ctx, pp_account_current(), n, 0 };
	unsigned helpers = (threads < n ? threads : n), started = 0;
	pthread_t thread[THREADS_MOST];

	helpers = helpers > THREADS_MOST ? THREADS_MOST : helpers;
	while (started + 1 < helpers &&
	       pthread_create(&thread[started], NULL, team_work, &team) == 0)
		started++;
	team_work(&team);
	while (started)
		pthread_join(thread[--started], NULL);
}

unsigned
pp_processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
	long online = n > 0 ? n : sysconf(_SC_NPROCESSORS_ONLN);

	return online > 0 ? (unsigned)online : 1;
}

/* The limit of the control group, as containers have one; UINT64_MAX when there is none. */
static uint64_t
group_memory(void)
{
	static const char *const names[] = { "/sys/fs/cgroup/memory.max",
		                             "/sys/fs/cgroup/memory/memory.limit_in_bytes" };
	uint64_t most = UINT64_MAX;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(names); i++) {
		char text[32];
		int fd = open(names[i], O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
		uint64_t value;

		if (fd >= 0)
			close(fd);
		while (n > 0 && text[n - 1] == '\n')
			n--;
		if (n > 0 && pp_num_u64(pp_slice_of(text, (size_t)n), &value) && value < most)
			most = value;
	}
	return most;
}

uint64_t
pp_memory_share(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
	uint64_t group = group_memory();

	return (machine < group ? machine : group) / 4 * 3;
}

int64_t
pp_clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint64_t
pp_random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
		return seed;
	/* Only very early at boot: address-space randomisation and the clock must do. */
	return (uint64_t)(uintptr_t)&seed * 0x9e3779b97f4a7c15u ^ (uint64_t)pp_clock_ns() << 20 ^
	       (uint64_t)getpid();
}
