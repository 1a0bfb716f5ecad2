/*
 * What was named on the command line, and nothing else. A client names sources; no text of a client is ever taken for a path:
 * it is looked for among the names of what may be read.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "serve/serve.h"
#include "store/store.h"

/* How deep directories are looked into, and how many files they may have. */
#define DEPTH_MAX 8
#define FILES_MAX 100000

bool
pp_source_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool
pp_sources_look(struct pp_serve *s)
{
	size_t i;

	s->is_store = calloc(s->o->source_count + 1, sizeof *s->is_store);
	for (i = 0; s->is_store && i < s->o->source_count; i++)
		s->is_store[i] = (s->o->store && strcmp(s->o->sources[i], s->o->store) == 0) ||
		                 pp_store_engine_of(s->o->sources[i]) != NULL;
	return s->is_store != NULL;
}

bool
pp_source_is_store(const struct pp_serve *s, const char *name)
{
	size_t i, n;

	for (i = 0; i < s->o->source_count; i++) {
		n = strlen(s->o->sources[i]);
		if (s->is_store[i] && strncmp(name, s->o->sources[i], n) == 0 &&
		    (!name[n] || name[n] == '?'))
			return true;
	}
	return false;
}

/* ---- lists ---- */

struct listing {
	struct pp_exchange *exchange;
	struct pp_serve_sources *out;
	bool failed;
};

/* DIRECTORY/NAME in the arena; NAME alone in the present directory. */
static const char *
joined(struct pp_arena *arena, const char *directory, const char *name)
{
	size_t n = strcmp(directory, ".") == 0 ? 0 : strlen(directory), m = strlen(name);
	char *text = pp_arena_alloc(arena, n + m + 2);

	if (!text)
		return NULL;
	memcpy(text, directory, n);
	if (n && text[n - 1] != '/')
		text[n++] = '/';
	memcpy(text + n, name, m + 1);
	return text;
}

/* The files below an open directory, which is closed; links and hidden files are none. */
static void
files_list(struct listing *l, int fd, const char *path, unsigned depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;

	if (!d)
		(void)close(fd);
	while (d && (e = readdir(d)) != NULL && l->out->list.n < FILES_MAX && !l->failed) {
		struct stat st;
		const char *name;

		if (e->d_name[0] == '.' ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		name = S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)
		           ? joined(&l->exchange->arena, path, e->d_name)
		           : NULL;
		if (name && S_ISREG(st.st_mode)) {
			struct pp_serve_source s = { .name = name };

			l->failed = !pp_vec_push(&l->out->list, s);
		} else if (name && depth < DEPTH_MAX) {
			int below = openat(dirfd(d), e->d_name,
			                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (below >= 0)
				files_list(l, below, name, depth + 1);
		}
	}
	if (d)
		(void)closedir(d);
}

static int
by_name(const void *a, const void *b)
{
	const struct pp_serve_source *x = a, *y = b;

	return strcmp(x->name, y->name);
}

bool
pp_sources_list(const struct pp_serve *s, struct pp_exchange *x, const char *within,
                struct pp_serve_sources *out)
{
	struct listing l = { .exchange = x, .out = out };
	size_t i;

	*out = (struct pp_serve_sources){ 0 };
	for (i = 0; i < s->o->source_count && !within; i++) {
		const char *name = s->o->sources[i];
		struct pp_serve_source one = { name, pp_source_is_directory(name), s->is_store[i] };

		l.failed |= !pp_vec_push(&out->list, one);
	}
	for (i = 0; within && i < s->o->source_count; i++)
		if (strcmp(within, s->o->sources[i]) == 0) {
			int fd = open(within, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

			if (fd >= 0)
				files_list(&l, fd, within, 0);
			qsort(out->list.at, out->list.n, sizeof *out->list.at, by_name);
			break;
		}
	return !l.failed;
}

/* ---- names ---- */

/* Whether a name is that of a file below a directory: each part of it is there by that name, and none is a link. */
static bool
is_within(const char *directory, const char *name)
{
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	struct pp_slice rest = pp_slice_z(name), part;
	bool more = true, file = false;
	struct stat st;

	while (fd >= 0 && pp_slice_field(&rest, '/', &more, &part)) {
		char text[NAME_MAX + 1];

		file = false;
		next = -1;
		if (part.n && part.n <= NAME_MAX && part.p[0] != '.') {
			memcpy(text, part.p, part.n);
			text[part.n] = '\0';
			next = openat(fd, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		}
		(void)close(fd);
		fd = next;
		file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
		if (fd >= 0 && !file && !S_ISDIR(st.st_mode))
			break;
	}
	if (fd >= 0)
		(void)close(fd);
	return file && !more;
}

/* A name below a directory that was named: with that before it, or without. */
static const char *
within_find(struct pp_arena *arena, const char *directory, const char *name)
{
	size_t n = strlen(directory);
	const char *inside = name;

	while (n > 1 && directory[n - 1] == '/')
		n--;
	if (strncmp(name, directory, n) == 0 && (name[n] == '/' || directory[n - 1] == '/'))
		inside = name + n + (name[n] == '/');
	if (is_within(directory, inside))
		return joined(arena, directory, inside);
	return inside != name && is_within(directory, name) ? joined(arena, directory, name) : NULL;
}

/* The last part of a path. */
static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The source that is called so, or has that number; NULL when there is none. */
static const char *
named(const struct pp_serve *s, struct pp_slice name)
{
	const char *found = NULL;
	size_t i, number = 0, same = 0;

	for (i = 0; i < s->o->source_count; i++)
		if (pp_slice_eq_z(name, s->o->sources[i]))
			return s->o->sources[i];
	for (i = 0; i < name.n && name.n < 7 && pp_is_digit(name.p[i]); i++)
		number = number * 10 + (size_t)(name.p[i] - '0');
	if (i == name.n && number > 0 && number <= s->o->source_count)
		return s->o->sources[number - 1];
	for (i = 0; i < s->o->source_count; i++)
		if (pp_slice_eq_z(name, base_of(s->o->sources[i]))) {
			found = s->o->sources[i];
			same++;
		}
	return same == 1 ? found : NULL;
}

const char *
pp_source_find(const struct pp_serve *s, struct pp_exchange *x, const char *name)
{
	return pp_source_path(s, &x->arena, name);
}

const char *
pp_source_path(const struct pp_serve *s, struct pp_arena *arena, const char *name)
{
	const char *found = named(s, pp_slice_z(name)), *where = strstr(name, "?where=");
	size_t i;

	if (found)
		return found;
	if (where) {
		found = named(s, pp_slice_of(name, (size_t)(where - name)));
		if (found && pp_source_is_store(s, found)) {
			struct pp_buf text = { 0 };

			pp_buf_addf(&text, "%s%s", found, where);
			found = text.failed ? NULL : pp_arena_copy(arena, text.p, text.n);
			pp_buf_release(&text);
			return found;
		}
	}
	for (i = 0; i < s->o->source_count; i++) {
		const char *path = pp_source_is_directory(s->o->sources[i])
		                       ? within_find(arena, s->o->sources[i], name)
		                       : NULL;

		if (path)
			return path;
	}
	return NULL;
}
