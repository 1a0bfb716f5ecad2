/*
 * Files: mapped when that is allowed, read whole when not too large, streamed when neither.
 *
 * Whoever makes a mapped file shorter kills us by SIGBUS, so a library must not map what it does not own. A mapping is laid over a reservation of anonymous memory that is PP_INPUT_PAD bytes longer, so that
 * loops may load whole words past the end even when the file ends on a page boundary.
 */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/system.h"

/* Up to here reading costs less than two mappings, and nobody can pull the bytes from under us. */
#define SMALL_FILE ((uint64_t)256 << 10)
/* Without mapping: what is larger is streamed, which cannot be cut for several threads. */
#define WHOLE_FILE ((uint64_t)256 << 20)
#define PIPE_SIZE (1 << 20)
/* Between two steps whoever waits is asked whether they still do. */
#define SLURP_STEP ((size_t)4 << 20)
/* Linux reads at most 2 GiB - 4 KiB at once; be modest. */
#define READ_MOST ((size_t)1 << 30)

struct file {
	struct pp_input in;
	int fd;
	struct stat opened; /* as the file was when it was opened */
	void *region;       /* mapping with reservation, or the bytes of a small file */
	size_t region_size; /* 0 when malloc gave it */
};

struct file_feed {
	struct pp_feed feed;
	struct pp_io *io;
	int fd;
	uint64_t expected; /* bytes, of a regular file; else 0 */
};

static bool
file_no_more(struct pp_input *in, size_t need)
{
	return pp_input_left(in) >= need;
}

/* Gives whole pages back to the system; they come back from the file if they are read again. */
static void
file_forget(struct pp_input *in, const unsigned char *from, const unsigned char *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)from + page - 1) / page * page;
	uintptr_t last = (uintptr_t)to / page * page;

	(void)in;
	if (first < last)
		(void)madvise((void *)first, last - first, MADV_DONTNEED);
}

static void
file_close(struct pp_input *in)
{
	struct file *f = in->impl;

	if (f->region_size)
		pp_unmap(f->region, f->region_size);
	else
		free(f->region);
	close(f->fd);
	free(f);
}

bool
pp_input_changed(const struct pp_input *in)
{
	const struct file *f = in->impl;
	struct stat now;

	if (in->close != file_close || fstat(f->fd, &now) != 0)
		return false;
	return now.st_size != f->opened.st_size || now.st_mtim.tv_sec != f->opened.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != f->opened.st_mtim.tv_nsec;
}

/* read(2) that does not mind signals. */
static ssize_t
fd_read(int fd, void *to, size_t room)
{
	ssize_t got;

	do
		got = read(fd, to, room < READ_MOST ? room : READ_MOST);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Waits until there is something to read; false when the input is being closed. */
static bool
fd_wait(int fd, int wake)
{
	struct pollfd both[2] = { { .fd = fd, .events = POLLIN },
		                  { .fd = wake, .events = POLLIN } };

	/* Whatever else poll(2) may report, read(2) will say it better. */
	while (wake >= 0 && poll(both, 2, -1) < 0 && errno == EINTR)
		continue;
	return !(both[1].revents & POLLIN);
}

/* Reads a small file whole. */
static bool
file_slurp(struct file *f, size_t size)
{
	unsigned char *bytes = calloc(1, size + PP_INPUT_PAD);
	size_t n = 0;
	ssize_t got = 1;

	f->region = bytes;
	while (bytes && n < size && got > 0) {
		size_t step = size - n < SLURP_STEP ? size - n : SLURP_STEP;

		got = pp_account_stops() ? -1 : fd_read(f->fd, bytes + n, step);
		n += got > 0 ? (size_t)got : 0;
	}
	f->in.begin = bytes;
	f->in.end = bytes ? bytes + n : NULL;
	return bytes && got >= 0;
}

/* Maps a file from an offset on. */
static bool
file_map(struct file *f, size_t size, off_t from)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t skip = (size_t)from % page;
	size_t whole = size + skip + PP_INPUT_PAD;
	unsigned char *region;

	if (whole < size)
		return false;
	region = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (region == MAP_FAILED)
		return false;
	f->region = region;
	f->region_size = whole;
	if (mmap(region, size + skip, PROT_READ, MAP_PRIVATE | MAP_FIXED, f->fd,
	         from - (off_t)skip) == MAP_FAILED)
		return false;
	(void)madvise(region, size + skip, MADV_SEQUENTIAL);
	f->in.begin = region + skip;
	f->in.end = f->in.begin + size;
	f->in.forget = file_forget;
	return true;
}

/*
 * A regular file as a stable input. False with *out NULL when that cannot be done; the descriptor is
 * then still open.
 */
static bool
file_whole(struct pp_io *io, int fd, const struct stat *st, struct pp_input **out)
{
	off_t from = lseek(fd, 0, SEEK_CUR);
	struct file *f;
	size_t size;
	bool good;

	*out = NULL;
	if (from < 0 || st->st_size <= from || (uintmax_t)(st->st_size - from) > SIZE_MAX)
		return false;
	size = (size_t)(st->st_size - from);
	f = calloc(1, sizeof *f);
	if (!f)
		return false;
	f->fd = fd;
	f->opened = *st;
	f->in = (struct pp_input){ .at_end = true,
		                   .stable = true,
		                   .more = file_no_more,
		                   .close = file_close,
		                   .io = io,
		                   .impl = f };
	good = size > SMALL_FILE && io->map ? file_map(f, size, from)
	                                    : size <= WHOLE_FILE && file_slurp(f, size);
	if (!good) {
		if (f->region_size)
			munmap(f->region, f->region_size);
		else
			free(f->region);
		free(f);
		(void)lseek(fd, from, SEEK_SET);
		return false;
	}
	f->in.cur = f->in.begin;
	io->file_size = size;
	*out = &f->in;
	return true;
}

static size_t
file_feed_fill(struct pp_feed *feed, unsigned char *to, size_t room)
{
	struct file_feed *f = (struct file_feed *)feed;
	uint64_t before = atomic_load_explicit(&f->io->file_read, memory_order_relaxed);
	ssize_t got;

	if (!fd_wait(f->fd, f->io->wake)) {
		feed->status = PP_E_IO;
		return 0;
	}
	got = fd_read(f->fd, to, room);
	if (got < 0) {
		feed->status = PP_E_IO;
		pp_io_note(f->io, PP_IO_READ_FAILED, before, "reading failed: %s", strerror(errno));
		return 0;
	}
	atomic_store_explicit(&f->io->file_read, before + (uint64_t)got, memory_order_relaxed);
	if (got == 0 && before < f->expected) {
		feed->status = PP_E_INVALID;
		pp_io_note(f->io, PP_IO_CHANGED, before,
		           "the file became shorter while it was read");
	}
	return (size_t)got;
}

static void
file_feed_close(struct pp_feed *feed)
{
	struct file_feed *f = (struct file_feed *)feed;

	if (f->fd != STDIN_FILENO)
		close(f->fd);
	free(f);
}

static pp_status
file_stream(struct pp_io *io, int fd, const struct stat *st, struct pp_input **out)
{
	off_t from = S_ISREG(st->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
	struct file_feed *f = calloc(1, sizeof *f);

	if (!f) {
		if (fd != STDIN_FILENO)
			close(fd);
		return PP_E_NOMEM;
	}
	f->feed = (struct pp_feed){ file_feed_fill, file_feed_close, PP_OK, true };
	f->io = io;
	f->fd = fd;
	f->expected = from >= 0 && st->st_size > from ? (uint64_t)(st->st_size - from) : 0;
	/* A larger pipe means fewer switches between its writer and us; it need not be granted. */
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
	return pp_input_feed(io, &f->feed, 0, out);
}

/* Names the .json that was written when x.spx, which stands for two files, was asked for. */
static void
pair_name(const char *path, char *hint, size_t room)
{
	size_t n = strlen(path);
	int made = n > 4 && n < INT_MAX && strcmp(path + n - 4, ".spx") == 0
	               ? snprintf(hint, room, "%.*s.json", (int)(n - 4), path)
	               : -1;

	if (made < 0 || (size_t)made >= room || access(hint, R_OK) != 0)
		*hint = '\0';
}

static pp_status
open_failed(struct pp_io *io, const char *path, int error)
{
	char pair[4096] = "";

	if (error == ENOENT)
		pair_name(path, pair, sizeof pair);
	pp_io_note(io, PP_IO_OPEN_FAILED, PP_NO_OFFSET, "cannot open: %s%s%s", strerror(error),
	           error == EISDIR ? "; `polyprof list` shows the profiles in it"
	           : *pair         ? "; the report of that name is "
	                           : "",
	           pair);
	return error == ENOMEM ? PP_E_NOMEM : PP_E_IO;
}

pp_status
pp_input_file(struct pp_io *io, const char *path, struct pp_input **out)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int error;

	*out = NULL;
	if (fd < 0 || fstat(fd, &st) != 0) {
		error = errno;
	} else if (S_ISDIR(st.st_mode)) {
		error = EISDIR;
	} else {
		/* The mapping keeps its own descriptor, so that standard input is never closed. */
		int own = S_ISREG(st.st_mode) && !io->block ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;

		if (own >= 0 && file_whole(io, own, &st, out)) {
			if (!standard)
				close(fd);
			return PP_OK;
		}
		if (own >= 0)
			close(own);
		return file_stream(io, fd, &st, out);
	}
	if (fd >= 0 && !standard)
		close(fd);
	return open_failed(io, path, error);
}
