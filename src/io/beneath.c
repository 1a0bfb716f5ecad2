/*
 * Files beneath a directory. Each part of a path is opened from the directory before it without following a link, so
 * that nobody can put one under it meanwhile; what a link says is taken as more parts of the path.
 */
#include "io/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define DEPTH_MAX 128
#define LINKS_MAX 40

#ifdef O_PATH
#define DIRECTORY (O_PATH | O_DIRECTORY | O_CLOEXEC)
#else
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

struct walk {
	int dirs[DEPTH_MAX]; /* from the one to stay beneath to where it stands */
	size_t depth;
	struct pp_buf path; /* that is still to go */
	size_t at;
	unsigned links;
};

int
pp_beneath_dir(const char *path)
{
	return open(path, DIRECTORY);
}

/* What a link says comes before the rest of the path. False: it is no link, or leads away. */
static bool
link_take(struct walk *w, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(w->dirs[w->depth], name, target, sizeof target);
	struct pp_buf path = { 0 };

	if (n <= 0 || (size_t)n == sizeof target || target[0] == '/' || ++w->links > LINKS_MAX)
		return false;
	pp_buf_add(&path, target, (size_t)n);
	pp_buf_addc(&path, '/');
	pp_buf_add(&path, w->path.p + w->at, w->path.n - w->at);
	pp_buf_release(&w->path);
	w->path = path;
	w->at = 0;
	return !path.failed;
}

/* The next part of the path, as a text of its own; false behind the last. */
static bool
part_next(struct walk *w, char **name, bool *last)
{
	size_t end;

	while (w->at < w->path.n && w->path.p[w->at] == '/')
		w->at++;
	for (end = w->at; end < w->path.n && w->path.p[end] != '/';)
		end++;
	*name = w->path.p + w->at;
	if (end == w->at)
		return false;
	w->at = end;
	while (w->at < w->path.n && w->path.p[w->at] == '/')
		w->at++;
	*last = w->at == w->path.n;
	if (end < w->path.n)
		w->path.p[end] = '\0';
	return true;
}

/* Goes one part on. 1: a file is open; 0: go on; -1: there is no such file. */
static int
step(struct walk *w, const char *name, bool last, int *file)
{
	int flags = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC : DIRECTORY, fd;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		if (w->depth == 0)
			return -1;
		close(w->dirs[w->depth--]);
		return 0;
	}
	fd = openat(w->dirs[w->depth], name, flags | O_NOFOLLOW);
	if (fd < 0)
		return errno != ENOENT && link_take(w, name) ? 0 : -1;
	if (last) {
		*file = fd;
		return 1;
	}
	if (w->depth + 1 == DEPTH_MAX) {
		close(fd);
		return -1;
	}
	w->dirs[++w->depth] = fd;
	return 0;
}

static int
beneath_open(int dir, struct pp_slice path)
{
	struct walk w = { .dirs = { dir } };
	int file = -1, on = 0;
	bool last;
	char *name;

	pp_buf_add(&w.path, path.p, path.n);
	while (on == 0 && !w.path.failed && part_next(&w, &name, &last))
		on = step(&w, name, last, &file);
	while (w.depth > 0)
		close(w.dirs[w.depth--]);
	pp_buf_release(&w.path);
	return file;
}

char *
pp_beneath_read(int dir, struct pp_slice path, size_t most, size_t *size)
{
	struct stat st;
	char *bytes = NULL;
	ssize_t n = 1;
	int file;

	if (path.n == 0 || path.p[0] == '/' || memchr(path.p, '\0', path.n))
		return NULL;
	file = beneath_open(dir, path);
	if (file < 0)
		return NULL;
	*size = 0;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= most)
		bytes = malloc((size_t)st.st_size + 1);
	while (bytes && n > 0 && *size < (size_t)st.st_size) {
		n = read(file, bytes + *size, (size_t)st.st_size - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	close(file);
	return bytes;
}
