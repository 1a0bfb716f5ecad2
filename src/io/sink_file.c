/*
 * Files as sinks: written beside, renamed when whole.
 *
 * Where the file system can, the temporary file has no name at all (O_TMPFILE): whatever happens to
 * this process - a signal, a crash, the power - nothing is left behind, and no handler and no global
 * list of files are needed for that. It gets its name in commit: straight by linkat(2) when the target
 * does not exist, else by a link beside it and rename(2). Where the file system cannot, an unforeseeable
 * name beside the target is created exclusively; pp_sink_drop() lets signal handlers remove it.
 *
 * Symbolic links are followed first, so that the link stays and its target is replaced. Devices, pipes
 * and standard output are written straight: there is nothing to rename.
 */
#include "io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "io/squeeze.h"
#include "io/system.h"

#define BLOCK ((size_t)256 << 10)
#define LINKS_MOST 40

struct file_sink {
	struct pp_sink sink;
	int fd;
	unsigned how;    /* PP_SINK_* */
	bool unnamed;    /* the temporary file has no name yet */
	char *target;    /* links resolved; NULL when direct */
	char *directory; /* of the target */
	char *temporary; /* its name while it has one, else NULL */
	char *given;     /* sink.path */
	struct pp_squeeze *squeeze;
	unsigned char *squeezed; /* BLOCK bytes of compressed output */
	struct pp_sink *next;    /* siblings, in the order of opening */
};

static void file_put(struct pp_sink *, const unsigned char *p, size_t n);
static void file_commit(struct pp_sink *);
static void file_close(struct pp_sink *);
static struct pp_sink *file_sibling(struct pp_sink *, const char *base_name);

/* The next sibling, or NULL. */
static struct file_sink *
file_next(const struct file_sink *f)
{
	return f->next ? f->next->impl : NULL;
}

/* ---- names ---- */

/* The directory part of a path, "." when it has none; NULL when out of memory. */
static char *
path_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static char *
path_join(const char *directory, const char *name)
{
	struct pp_buf joined = { 0 };

	pp_buf_addf(&joined, "%s/%s", directory, name);
	if (joined.failed)
		pp_buf_release(&joined);
	return joined.p;
}

/* Follows symbolic links, also those that lead nowhere yet. NULL with errno set. */
static char *
path_resolve(const char *path)
{
	char *at = strdup(path);
	char link[PATH_MAX];
	int i;

	for (i = 0; at && i < LINKS_MOST; i++) {
		ssize_t n = readlink(at, link, sizeof link - 1);
		char *directory, *next;

		if (n < 0)
			return at;
		link[n] = '\0';
		directory = link[0] == '/' ? NULL : path_directory(at);
		next = link[0] == '/' ? strdup(link)
		       : directory    ? path_join(directory, link)
		                      : NULL;
		free(directory);
		free(at);
		at = next;
	}
	free(at);
	errno = at ? ELOOP : ENOMEM;
	return NULL;
}

/* A name in the target's directory that nobody can foresee. */
static char *
temporary_name(const struct file_sink *f)
{
	char name[64];

	snprintf(name, sizeof name, ".polyprof-%016llx.tmp", (unsigned long long)pp_random_seed());
	return path_join(f->directory, name);
}

/* The temporary file has no name any more; a signal handler never sees one that is freed. */
static void
temporary_forget(struct file_sink *f)
{
	char *name = f->temporary;

	f->temporary = NULL;
	free(name);
}

static bool
ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);

	return n > m && strcmp(name + n - m, ending) == 0;
}

/* ---- opening ---- */

/* Opens the temporary file; an errno value or 0. */
static int
open_beside(struct file_sink *f)
{
	char proc[64];
	int tries, error;

	f->fd = open(f->directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (f->fd >= 0) {
		snprintf(proc, sizeof proc, "/proc/self/fd/%d", f->fd);
		f->unnamed = access(proc, F_OK) == 0;
		if (f->unnamed)
			return 0;
		close(f->fd);
		f->fd = -1;
	}
	for (tries = 0; tries < 100; tries++) {
		f->temporary = temporary_name(f);
		if (!f->temporary)
			return ENOMEM;
		f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (f->fd >= 0)
			return 0;
		error = errno;
		temporary_forget(f);
		if (error != EEXIST)
			return error;
	}
	return EEXIST;
}

/* An existing file keeps its mode and, where we may, its owner. */
static int
keep_mode(const struct file_sink *f, const struct stat *old)
{
	if (access(f->target, W_OK) != 0)
		return errno;
	if (fchown(f->fd, old->st_uid, old->st_gid) != 0 && errno != EPERM)
		return errno;
	return fchmod(f->fd, old->st_mode & 0777) == 0 ? 0 : errno;
}

/* The descriptor of ours that a name stands for, or -1. */
static int
own_descriptor(const char *path)
{
	static const char *const directories[] = { "/dev/fd/", "/proc/self/fd/" };
	size_t i;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (i = 0; i < PP_COUNT_OF(directories); i++) {
		size_t n = strlen(directories[i]);
		uint64_t number;

		if (strncmp(path, directories[i], n) == 0 &&
		    pp_num_u64(pp_slice_z(path + n), &number) && number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/*
 * Opens what is written straight: a device, a pipe, or what somebody already holds open. Opening the
 * latter by its name would start at its beginning, whatever is there; so it is used as it is held.
 */
static int
open_direct(struct file_sink *f, const char *path)
{
	int held = own_descriptor(path);

	f->fd = held >= 0 ? fcntl(held, F_DUPFD_CLOEXEC, 3)
	                  : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	f->sink.direct = true;
	return f->fd < 0 ? errno : 0;
}

static bool
begins_as_store(const char *path)
{
	unsigned char head[72];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
	          memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "ppsf", 4) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

bool
pp_file_is_store(const char *path)
{
	/* What SQLite keeps beside it, with the latest that was committed. */
	static const char *const endings[] = { "-wal", "-shm", "-journal" };
	char *target = path_resolve(path);
	bool is = target && begins_as_store(target);
	size_t i;

	for (i = 0; target && !is && i < PP_COUNT_OF(endings); i++) {
		size_t n = strlen(target) - strlen(endings[i]);

		if (!ends_with(target, endings[i]))
			continue;
		target[n] = '\0';
		is = begins_as_store(target);
		break;
	}
	free(target);
	return is;
}

const char *
pp_sink_reason(int error)
{
	return error == PP_SINK_STORE
	           ? "it is a store of profiles or a part of one, which no output replaces; choose another name"
	           : strerror(error);
}

/* Opens the descriptor; PP_SINK_STORE, an errno value or 0. */
static int
file_open(struct file_sink *f, const char *path)
{
	struct stat old;
	bool exists;
	int error;

	if (strcmp(path, "-") == 0) {
		f->fd = STDOUT_FILENO;
		f->sink.direct = true;
		return 0;
	}
	exists = stat(path, &old) == 0;
	if (!exists && errno != ENOENT)
		return errno;
	if (exists && S_ISDIR(old.st_mode))
		return EISDIR;
	if (exists &&
	    (!S_ISREG(old.st_mode) || own_descriptor(path) >= 0 || strncmp(path, "/proc/", 6) == 0))
		return open_direct(f, path);
	if (pp_file_is_store(path))
		return PP_SINK_STORE;
	f->target = path_resolve(path);
	if (!f->target)
		return errno;
	if (!*f->target)
		return ENOENT;
	if (f->target[strlen(f->target) - 1] == '/')
		return EISDIR;
	f->directory = path_directory(f->target);
	if (!f->directory)
		return ENOMEM;
	error = open_beside(f);
	return error ? error : exists ? keep_mode(f, &old) : 0;
}

/* Sets the compressor up that the name asks for; false when out of memory. */
static bool
file_compress(struct file_sink *f, const char *path)
{
	bool by_name = f->how & PP_SINK_BY_NAME;
	bool gzip = by_name && ends_with(path, ".gz");
	bool zstd = by_name && ends_with(path, ".zst");

	if (!gzip && !zstd)
		return true;
	f->squeeze = gzip ? pp_squeeze_gzip() : pp_squeeze_zstd();
	f->squeezed = malloc(BLOCK);
	return f->squeeze && f->squeezed;
}

/* Frees all but the siblings; the temporary file goes with it. */
static void
file_free(struct file_sink *f)
{
	if (f->temporary)
		unlink(f->temporary);
	if (f->fd >= 0 && f->fd != STDOUT_FILENO)
		close(f->fd);
	if (f->squeeze)
		f->squeeze->free(f->squeeze);
	free(f->squeezed);
	free(f->target);
	free(f->directory);
	free(f->temporary);
	free(f->given);
	free(f->sink.begin);
	free(f);
}

pp_status
pp_sink_file(const char *path, unsigned how, struct pp_sink **out, int *error)
{
	struct file_sink *f = calloc(1, sizeof *f);

	*out = NULL;
	*error = ENOMEM;
	if (!f)
		return PP_E_NOMEM;
	f->fd = -1;
	f->how = how;
	f->given = strdup(path);
	f->sink = (struct pp_sink){ .put = file_put,
		                    .commit = file_commit,
		                    .close = file_close,
		                    .open_sibling = file_sibling,
		                    .path = f->given,
		                    .impl = f };
	f->sink.begin = f->sink.cur = malloc(BLOCK);
	f->sink.end = f->sink.begin ? f->sink.begin + BLOCK : NULL;
	if (!f->given || !f->sink.begin || !file_compress(f, path)) {
		file_free(f);
		return PP_E_NOMEM;
	}
	/* A signal handler must find it from the moment on in which there is a file to remove. */
	*out = &f->sink;
	*error = file_open(f, path);
	if (*error) {
		*out = NULL;
		file_free(f);
		return *error == ENOMEM ? PP_E_NOMEM : PP_E_OUTPUT;
	}
	return PP_OK;
}

static struct pp_sink *
file_sibling(struct pp_sink *s, const char *base_name)
{
	struct file_sink *f = s->impl, *last = f;
	char *directory, *path;
	int error = ENOMEM;

	if (s->direct || !*base_name || strchr(base_name, '/'))
		return NULL;
	while (last->next)
		last = file_next(last);
	/* Beside the name as given, not beside what a link leads to: that is where it is looked for. */
	directory = path_directory(f->given);
	path = directory ? path_join(directory, base_name) : NULL;
	if (!path || pp_sink_file(path, f->how, &last->next, &error) != PP_OK)
		pp_sink_fail(s, error == ENOMEM ? PP_E_NOMEM : PP_E_OUTPUT, error);
	free(path);
	free(directory);
	if (last->next)
		last->next->most = s->most;
	return last->next;
}

/* ---- writing ---- */

static void
write_all(struct file_sink *f, const unsigned char *p, size_t n)
{
	while (n && f->sink.status == PP_OK) {
		ssize_t done = write(f->fd, p, n);

		if (done >= 0) {
			p += done;
			n -= (size_t)done;
		} else if (errno != EINTR) {
			pp_sink_fail(&f->sink, PP_E_OUTPUT, errno);
		}
	}
}

/* Sends the block through the compressor; with `last` until it is empty. */
static void
squeeze_all(struct file_sink *f, struct pp_slice in, bool last)
{
	bool done = false;
	size_t made;

	while (f->sink.status == PP_OK && (in.n || (last && !done))) {
		if (!f->squeeze->step(f->squeeze, &in, last, f->squeezed, BLOCK, &made, &done))
			pp_sink_fail(&f->sink, PP_E_NOMEM, ENOMEM);
		else
			write_all(f, f->squeezed, made);
	}
}

static void
file_put(struct pp_sink *s, const unsigned char *p, size_t n)
{
	struct file_sink *f = s->impl;

	if (f->squeeze)
		squeeze_all(f, pp_slice_of(p, n), false);
	else
		write_all(f, p, n);
}

/* ---- the end ---- */

/* Waits until what was written is on the disk; an errno value or 0. */
static int
file_sync(const struct file_sink *f)
{
	if (f->sink.direct || (f->how & PP_SINK_NO_SYNC))
		return 0;
	/* Some file systems have nothing to sync. */
	return fsync(f->fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/*
 * All is written and nothing can fail any more: a power cut after the new name is there finds it whole. Some
 * file systems only say at close(2) that there is no room, so a copy of the descriptor is closed first.
 */
static int
file_complete(struct file_sink *f)
{
	struct pp_sink *s = &f->sink;
	int error, copy;

	pp_sink_flush(s);
	if (f->squeeze)
		squeeze_all(f, pp_slice_of("", 0), true);
	if (s->status != PP_OK)
		return s->error ? s->error : EIO;
	error = file_sync(f);
	copy = error ? -1 : fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0 && close(copy) != 0 && errno != EINTR)
		error = errno;
	return error;
}

/* And so is its name. */
static int
directory_sync(struct file_sink *f)
{
	int fd = f->sink.direct || (f->how & PP_SINK_NO_SYNC)
	             ? -1
	             : open(f->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	return 0;
}

/* Gives the temporary file the target's name; an errno value or 0. */
static int
file_publish(struct file_sink *f)
{
	char proc[64];

	if (f->sink.direct || f->sink.unnamed)
		return 0;
	if (f->unnamed) {
		snprintf(proc, sizeof proc, "/proc/self/fd/%d", f->fd);
		if (linkat(AT_FDCWD, proc, AT_FDCWD, f->target, AT_SYMLINK_FOLLOW) == 0) {
			f->unnamed = false;
			return 0;
		}
		if (errno != EEXIST)
			return errno;
		f->temporary = temporary_name(f);
		if (!f->temporary)
			return ENOMEM;
		if (linkat(AT_FDCWD, proc, AT_FDCWD, f->temporary, AT_SYMLINK_FOLLOW) != 0) {
			int error = errno;

			temporary_forget(f);
			return error;
		}
		f->unnamed = false;
	}
	if (f->temporary) {
		if (rename(f->temporary, f->target) != 0)
			return errno;
		temporary_forget(f);
	}
	return 0;
}

/* All of a file, and of its siblings before it: whoever sees the main file finds the others beside it. */
static int
file_each(struct file_sink *f, int (*step)(struct file_sink *))
{
	int error = f->next ? file_each(file_next(f), step) : 0;

	return error ? error : step(f);
}

static void
file_commit(struct pp_sink *s)
{
	static int (*const steps[])(struct file_sink *) = { file_complete, file_publish,
		                                            directory_sync };
	const struct file_sink *f;
	int error = 0;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(steps) && s->status == PP_OK && !error; i++)
		error = file_each(s->impl, steps[i]);
	for (f = s->impl; f; f = file_next(f))
		if (f->sink.status != PP_OK)
			pp_sink_fail(s, f->sink.status, f->sink.error);
	if (error)
		pp_sink_fail(s, error == ENOMEM ? PP_E_NOMEM : PP_E_OUTPUT, error);
}

static void
file_close(struct pp_sink *s)
{
	struct file_sink *f = s->impl, *next;

	for (; f; f = next) {
		next = file_next(f);
		file_free(f);
	}
}

void
pp_sink_drop(const struct pp_sink *s)
{
	const struct file_sink *f;

	if (!s || s->close != file_close)
		return;
	for (f = s->impl; f; f = file_next(f))
		if (f->temporary)
			(void)unlink(f->temporary);
}
