/*
 * Who may add profiles up, or take them away, in a store that many processes of many machines share.
 *
 * Two that add up at once could put one profile into two sums. So whoever begins says so in a table first and looks for others then:
 * of two that begin together at least one sees the other, and gives way. A lease runs out by itself, and one whose process is known to be
 * gone does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/slice.h"
#include "store/clickhouse.h"

/* Seconds that a lease lasts, and after which it is renewed. */
#define LASTS 600
#define RENEWED 60
/* How often it is tried to get one, and ms between. */
#define TRIES 20
#define PAUSE_LEAST 50
#define PAUSE_MORE 400

static int64_t
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

/* Says that it is held for some seconds; 0 = no more. */
static pp_status
lease_put(struct pp_clickhouse_lease *l, uint32_t seconds, struct pp_buf *problem)
{
	struct pp_clickhouse_insert in;

	pp_clickhouse_insert_begin(&in, l->c, "leases", "batch,holder,seconds", problem);
	pp_binary_u64(&in.row, 0);
	pp_binary_text(&in.row, pp_slice_z(l->holder));
	pp_binary_u32(&in.row, seconds);
	pp_clickhouse_row(&in);
	l->renewed = seconds_now();
	return pp_clickhouse_insert_end(&in);
}

/* Whether a holder is a process of this machine that has ended without saying so. */
static bool
holder_is_gone(const struct pp_clickhouse_lease *l, struct pp_slice holder)
{
	char pid[24];

	if (l->machine == 0 || holder.n <= l->machine ||
	    memcmp(holder.p, l->holder, l->machine) != 0)
		return false;
	(void)snprintf(pid, sizeof pid, "%.*s", PP_CLIP(pp_slice_from(holder, l->machine), 20));
	return kill((pid_t)strtol(pid, NULL, 10), 0) < 0 && errno == ESRCH;
}

/* Whether it is held: by nobody else (*others is empty), and still. */
static pp_status
holders_ask(struct pp_clickhouse_lease *l, bool *is_mine, struct pp_buf *others,
            struct pp_buf *problem)
{
	struct pp_row_reader rows;
	pp_status status;

	*is_mine = false;
	others->n = 0;
	pp_clickhouse_put(l->c, PP_SQL_HOLDERS, "");
	status = pp_clickhouse_ask(l->c, problem);
	if (status != PP_OK)
		return status;
	rows = pp_rows_of(l->c);
	while (pp_rows_more(&rows)) {
		struct pp_slice holder = pp_rows_text(&rows);

		if (pp_slice_eq_z(holder, l->holder)) {
			*is_mine = true;
		} else if (!rows.bad && !holder_is_gone(l, holder)) {
			others->n = 0;
			pp_buf_addf(others, "%.*s", PP_SHOWN(holder));
		}
	}
	status = pp_rows_end(l->c, &rows, problem);
	return status == PP_OK && others->failed ? PP_E_NOMEM : status;
}

static pp_status
refuse(const struct pp_buf *others, struct pp_buf *problem)
{
	if (others->n)
		pp_buf_addf(
		    problem,
		    "another process adds profiles of this store up or takes some away (%s): "
		    "try again when it is done; if it was killed, in %d minutes",
		    others->p, LASTS / 60);
	else
		pp_buf_adds(problem, "this took so long that another process may have begun to "
		                     "change the store: try again");
	return PP_E_OUTPUT;
}

/* What tells this run of the kernel from others, or "". */
static void
boot_name(char name[64])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, name, 63) : 0;

	if (fd >= 0)
		(void)close(fd);
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

/*
 * The name of whoever holds it: "HOST/BOOT/PIDS PID NUMBER". Processes are looked for only where the same kernel counts them the
 * same way: names of hosts are not unique, and containers number processes of their own.
 */
static bool
holder_name(struct pp_clickhouse_lease *l)
{
	char host[256] = "", boot[64];
	uint64_t number;
	struct stat pids;
	int n;

	boot_name(boot);
	if (gethostname(host, sizeof host - 1) != 0 ||
	    getrandom(&number, sizeof number, 0) != sizeof number)
		return false;
	if (stat("/proc/self/ns/pid", &pids) != 0)
		boot[0] = '\0';
	n = snprintf(l->holder, sizeof l->holder, "%s/%s/%llu ", host, boot,
	             boot[0] ? (unsigned long long)pids.st_ino : 0);
	l->machine = boot[0] ? (size_t)n : 0;
	(void)snprintf(l->holder + n, sizeof l->holder - (size_t)n, "%ld %llx", (long)getpid(),
	               (unsigned long long)number);
	return true;
}

static void
pause_some(void)
{
	struct timespec t = { 0 };
	uint32_t random = 0;

	(void)!getrandom(&random, sizeof random, 0);
	t.tv_nsec = (PAUSE_LEAST + random % PAUSE_MORE) * 1000000L;
	(void)nanosleep(&t, NULL);
}

pp_status
pp_clickhouse_lease_take(struct pp_clickhouse_lease *l, struct pp_clickhouse *c,
                         struct pp_buf *problem)
{
	struct pp_buf others = { 0 };
	pp_status status = PP_OK;
	bool is_mine;
	unsigned tries;

	for (tries = 0; tries < TRIES && status == PP_OK; tries++) {
		*l = (struct pp_clickhouse_lease){ .c = c };
		if (!holder_name(l))
			status = PP_E_OUTPUT;
		if (status == PP_OK)
			status = lease_put(l, LASTS, problem);
		if (status == PP_OK)
			status = holders_ask(l, &is_mine, &others, problem);
		if (status == PP_OK && is_mine && others.n == 0)
			break;
		pp_clickhouse_lease_end(l);
		if (status == PP_OK && tries == TRIES - 1)
			status = refuse(&others, problem);
		else if (status == PP_OK)
			pause_some();
	}
	pp_buf_release(&others);
	return status == PP_E_IO ? PP_E_OUTPUT : status;
}

pp_status
pp_clickhouse_lease_keep(struct pp_clickhouse_lease *l, struct pp_buf *problem)
{
	struct pp_buf others = { 0 };
	pp_status status = PP_OK;
	bool is_mine;

	/* Looked at before it is renewed: one that ran out may be somebody else's. */
	if (seconds_now() - l->renewed >= RENEWED) {
		status = holders_ask(l, &is_mine, &others, problem);
		if (status == PP_OK && (!is_mine || others.n))
			status = refuse(&others, problem);
		if (status == PP_OK)
			status = lease_put(l, LASTS, problem);
	}
	pp_buf_release(&others);
	return status;
}

void
pp_clickhouse_lease_end(struct pp_clickhouse_lease *l)
{
	struct pp_buf ignored = { 0 };

	/* Where that fails it runs out by itself. */
	if (l->c)
		(void)lease_put(l, 0, &ignored);
	l->c = NULL;
	pp_buf_release(&ignored);
}
