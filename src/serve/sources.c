/*
 * What was named on the command line, and nothing else. A client names sources; no text of a client is ever taken for a path:
 * it is looked for among the names of what may be read.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/slice.h"
#include "base/utf8.h"
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

/* Whether bytes are shown as a text: where they are no UTF-8, as everywhere in JSON. */
static bool
shown_as(const char *name, struct pp_slice text)
{
	struct pp_buf shown = { 0 };
	bool same;

	pp_utf8_scrub(&shown, pp_slice_z(name));
	same = !shown.failed && pp_slice_eq(text, pp_slice_of(shown.p ? shown.p : "", shown.n));
	pp_buf_release(&shown);
	return same;
}

/* Whether a text may be how a name is shown whose bytes no text of JSON can hold. */
static bool
is_shown(struct pp_slice text)
{
	return pp_slice_holds(text, "\xef\xbf\xbd");
}

/* The one name in a directory that is shown as a text; false when there is none, or more than one. */
static bool
shown_find(int directory, struct pp_slice text, char name[NAME_MAX + 1])
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	size_t found = 0;

	if (fd >= 0 && !d)
		(void)close(fd);
	while (d && (e = readdir(d)) != NULL)
		if (shown_as(e->d_name, text) && found++ == 0)
			memcpy(name, e->d_name, strlen(e->d_name) + 1);
	if (d)
		(void)closedir(d);
	return found == 1;
}

/* Opens one part of a path, no link, by its name or by how that is shown; `path` gets the name. */
static int
part_open(int directory, struct pp_slice part, struct pp_buf *path)
{
	char text[NAME_MAX + 1];
	int fd;

	if (part.n == 0 || part.n > 3 * NAME_MAX || part.p[0] == '.')
		return -1;
	(void)snprintf(text, sizeof text, "%.*s", (int)part.n, (const char *)part.p);
	fd = part.n <= NAME_MAX ? openat(directory, text, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd < 0 && is_shown(part) && shown_find(directory, part, text))
		fd = openat(directory, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	pp_buf_addf(path, "%s%s", path->n ? "/" : "", text);
	return fd;
}

/*
 * Whether a name is that of a file below a directory: each part of it is there by that name, and none is a link. *path gets
 * its bytes.
 */
static bool
is_within(const char *directory, const char *name, struct pp_buf *path)
{
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	struct pp_slice rest = pp_slice_z(name), part;
	bool more = true, file = false;
	struct stat st;

	path->n = 0;
	while (fd >= 0 && pp_slice_field(&rest, '/', &more, &part)) {
		next = part_open(fd, part, path);
		(void)close(fd);
		fd = next;
		file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
		if (fd >= 0 && !file && !S_ISDIR(st.st_mode))
			break;
	}
	if (fd >= 0)
		(void)close(fd);
	return file && !more && !path->failed;
}

/* Whether who opens a path takes it for a file: "-" would be the standard input, and others name stores, or parts of such. */
static bool
opens_file(const char *path)
{
	return strcmp(path, "-") != 0 && strncmp(path, "sqlite:", 7) != 0 &&
	       !pp_store_source_where(path);
}

/* Bytes of a name that a directory takes, as they are or as they are shown; 0 when it does not begin so. */
static size_t
prefix_of(const char *name, const char *directory, size_t n)
{
	struct pp_buf shown = { 0 };
	size_t taken = strncmp(name, directory, n) == 0 ? n : 0;

	if (!taken && is_shown(pp_slice_z(name))) {
		pp_utf8_scrub(&shown, pp_slice_of(directory, n));
		if (!shown.failed && strncmp(name, shown.p ? shown.p : "", shown.n) == 0)
			taken = shown.n;
		pp_buf_release(&shown);
	}
	return taken && (name[taken] == '/' || directory[n - 1] == '/') ? taken : 0;
}

/* A name below a directory that was named: with that before it, or without. */
static const char *
within_find(struct pp_arena *arena, const char *directory, const char *name)
{
	size_t n = strlen(directory), before;
	const char *inside = name, *found = NULL;
	struct pp_buf path = { 0 };

	while (n > 1 && directory[n - 1] == '/')
		n--;
	before = prefix_of(name, directory, n);
	if (before)
		inside = name + before + (name[before] == '/');
	if (is_within(directory, inside, &path) ||
	    (inside != name && is_within(directory, name, &path)))
		found = joined(arena, directory, path.p);
	pp_buf_release(&path);
	return found && opens_file(found) ? found : NULL;
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
		if (pp_slice_eq_z(name, base_of(s->o->sources[i])) ||
		    (is_shown(name) && (shown_as(s->o->sources[i], name) ||
		                        shown_as(base_of(s->o->sources[i]), name)))) {
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

/* ---- what changes ---- */

/* Beyond so many files of a directory only its own times tell: files that come and go, not those that are written to. */
#define LOOKED_AT_MAX 20000
/* What is no file is taken to change so often, in seconds. */
#define CHANGES_EVERY 60

static uint64_t
stat_hash(const char *name, const struct stat *st)
{
	const int64_t facts[4] = { (int64_t)st->st_size, (int64_t)st->st_mtim.tv_sec,
		                   (int64_t)st->st_mtim.tv_nsec, (int64_t)st->st_ino };

	return pp_fnv_add(pp_fnv_add(PP_FNV_BASIS, name, strlen(name) + 1), facts, sizeof facts);
}

/* Adds up what tells one content of an open directory, which is closed, from the next; in whatever order files come. */
static uint64_t
directory_hash(int fd, unsigned depth, size_t *left)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	struct stat st;
	uint64_t h = 0;

	if (!d)
		(void)close(fd);
	else if (fstat(fd, &st) == 0)
		h += stat_hash("", &st);
	while (d && (e = readdir(d)) != NULL) {
		bool below = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;

		if (e->d_name[0] == '.' || (*left == 0 && !below))
			continue;
		*left -= *left > 0;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISREG(st.st_mode)) {
			h += stat_hash(e->d_name, &st);
		} else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
			int next = openat(dirfd(d), e->d_name,
			                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (next >= 0)
				h += directory_hash(next, depth + 1, left);
		}
	}
	if (d)
		(void)closedir(d);
	return h;
}

/* A store changes in a second file first, which whoever reads may make anew, empty. */
static uint64_t
store_hash(const char *name)
{
	const char *path = strncmp(name, "sqlite:", 7) == 0 ? name + 7 : name;
	const char *where = pp_store_source_where(path);
	size_t n = where ? (size_t)(where - path) : strlen(path);
	struct pp_buf file = { 0 };
	struct stat st;
	uint64_t h = (uint64_t)(time(NULL) / CHANGES_EVERY);

	pp_buf_add(&file, path, n);
	pp_buf_addc(&file, '\0');
	if (!file.failed && stat(file.p, &st) == 0)
		h = stat_hash("", &st);
	file.n = n;
	pp_buf_adds(&file, "-wal");
	if (!file.failed && stat(file.p, &st) == 0 && st.st_size > 0)
		h += stat_hash("-wal", &st);
	pp_buf_release(&file);
	return h;
}

uint64_t
pp_source_stamp(const struct pp_serve *s, size_t source)
{
	const char *name = s->o->sources[source];
	size_t left = LOOKED_AT_MAX;
	struct stat st;
	int fd;

	if (s->is_store[source])
		return store_hash(name);
	fd = pp_source_is_directory(name) ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0)
		return directory_hash(fd, 0, &left);
	return stat(name, &st) == 0 ? stat_hash("", &st) : 0;
}
