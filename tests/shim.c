/*
 * System calls that fail on demand, for LD_PRELOAD. SHIM is a list of words:
 *
 *     no-tmpfile        there are no files without a name (O_TMPFILE)
 *     fail=CALL:N:E     the N-th CALL (write, close of a written file, fsync, rename, linkat) fails with errno E
 *     stop=CALL:N       SIGINT arrives right behind the N-th CALL (also open, of a new file)
 *     log=FILE          a line in FILE for each of these calls
 *     alloc=N           the N-th allocation fails
 *     allocs=FILE       the number of allocations goes to FILE in the end
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPEN, WRITE, CLOSE, FSYNC, RENAME, LINKAT, CALLS };
static const char *const names[CALLS] = { "open", "write", "close", "fsync", "rename", "linkat" };
static int count[CALLS];
static char written[1024]; /* by descriptor: a file that is to be watched */

/* What stands behind "WORD=CALL:" in SHIM for this call; NULL when nothing does. */
static const char *
asked(const char *word, int call)
{
	const char *shim = getenv("SHIM"), *at = shim;
	char key[32];

	snprintf(key, sizeof key, "%s=%s:", word, names[call]);
	at = shim ? strstr(shim, key) : NULL;
	return at ? at + strlen(key) : NULL;
}

/* Before a call: whether it shall fail, with errno set. */
static int
must_fail(int call)
{
	const char *log = getenv("SHIM") ? strstr(getenv("SHIM"), "log=") : NULL;
	const char *fail = asked("fail", call);
	char path[256];
	int fd, n, error;

	count[call]++;
	if (log && sscanf(log, "log=%255[^,]", path) == 1) {
		fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
		syscall(SYS_write, fd, names[call], strlen(names[call]));
		syscall(SYS_write, fd, "\n", 1);
		syscall(SYS_close, fd);
	}
	if (!fail || sscanf(fail, "%d:%d", &n, &error) != 2 || n != count[call])
		return 0;
	errno = error;
	return 1;
}

/* Behind a call: the signal, if it is due. */
static long
done(int call, long result)
{
	const char *stop = asked("stop", call);
	int error = errno;

	if (stop && atoi(stop) == count[call])
		raise(SIGINT);
	errno = error;
	return result;
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static int allocations;

static int
no_memory(void)
{
	static int failing = -1;
	const char *at;

	if (failing < 0) {
		at = getenv("SHIM") ? strstr(getenv("SHIM"), "alloc=") : NULL;
		failing = at ? atoi(at + 6) : 0;
	}
	if (++allocations != failing)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t n)
{
	return no_memory() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return no_memory() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return no_memory() ? NULL : __libc_realloc(p, n);
}

__attribute__((destructor)) static void
count_tell(void)
{
	const char *at = getenv("SHIM") ? strstr(getenv("SHIM"), "allocs=") : NULL;
	char path[256], text[32];
	int fd;

	if (!at || sscanf(at, "allocs=%255[^,]", path) != 1)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	syscall(SYS_write, fd, text, (size_t)snprintf(text, sizeof text, "%d", allocations));
	syscall(SYS_close, fd);
}

/* ---- files ---- */

int
open64(const char *path, int flags, ...)
{
	const char *shim = getenv("SHIM");
	mode_t mode = 0;
	va_list args;
	long fd;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if ((flags & O_TMPFILE) == O_TMPFILE && shim && strstr(shim, "no-tmpfile")) {
		errno = EOPNOTSUPP;
		return -1;
	}
	fd = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (fd >= 0 && fd < (long)sizeof written)
		written[fd] = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
	if (fd < 0 || !written[fd])
		return (int)fd;
	count[OPEN]++;
	return (int)done(OPEN, fd);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	if (fd < 3 || !written[fd])
		return syscall(SYS_write, fd, p, n);
	return must_fail(WRITE) ? -1 : done(WRITE, syscall(SYS_write, fd, p, n));
}

int
fcntl64(int fd, int what, ...)
{
	va_list args;
	long arg, copy;

	va_start(args, what);
	arg = va_arg(args, long);
	va_end(args);
	copy = syscall(SYS_fcntl, fd, what, arg);
	if (what == F_DUPFD_CLOEXEC && copy >= 0)
		written[copy] = written[fd];
	return (int)copy;
}

int
close(int fd)
{
	int watched = fd >= 0 && written[fd], fails = watched && must_fail(CLOSE);
	int error = errno;
	long result = syscall(SYS_close, fd);

	if (fd >= 0)
		written[fd] = 0;
	errno = error;
	return fails ? -1 : watched ? (int)done(CLOSE, result) : (int)result;
}

int
fsync(int fd)
{
	return must_fail(FSYNC) ? -1 : (int)done(FSYNC, syscall(SYS_fsync, fd));
}

int
rename(const char *from, const char *to)
{
	return must_fail(RENAME)
	           ? -1
	           : (int)done(RENAME, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int
linkat(int from, const char *path, int to, const char *name, int flags)
{
	return must_fail(LINKAT)
	           ? -1
	           : (int)done(LINKAT, syscall(SYS_linkat, from, path, to, name, flags));
}
