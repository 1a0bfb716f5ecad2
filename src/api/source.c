/*
 * Source text for a profile's lines.
 */
#include "api/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files are no source. */
#define SOURCE_MAX (64 << 20)
/* A hostile path may be all slashes: only so many of its last parts are looked for. */
#define PARTS_MAX 64

void
pp_sources_init(struct pp_sources *s, const struct pp_profile *p, const char *const *dirs)
{
	*s = (struct pp_sources){ .profile = p, .dirs = dirs, .index.seed = p->strs.seed };
}

void
pp_sources_release(struct pp_sources *s)
{
	size_t i;

	for (i = 0; i < s->files.n; i++) {
		free(s->files.at[i].bytes);
		pp_vec_release(&s->files.at[i].starts);
	}
	pp_vec_release(&s->files);
	pp_map_release(&s->index);
}

/* All bytes of a regular file, NULL when there is none. */
static char *
slurp(const char *path, size_t *size)
{
	struct stat st;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *bytes = NULL;
	ssize_t n = 1;

	if (file < 0)
		return NULL;
	*size = 0;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_MAX)
		bytes = malloc((size_t)st.st_size + 1);
	while (bytes && n > 0 && *size < (size_t)st.st_size) {
		n = read(file, bytes + *size, (size_t)st.st_size - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	close(file);
	return bytes;
}

static bool
has_dotdot(struct pp_slice path)
{
	size_t i, start = 0;

	for (i = 0; i <= path.n; i++)
		if (i == path.n || path.p[i] == '/') {
			if (i - start == 2 && memcmp(path.p + start, "..", 2) == 0)
				return true;
			start = i + 1;
		}
	return false;
}

/* The last parts of a path, as many as are looked for. */
static struct pp_slice
last_parts(struct pp_slice path)
{
	size_t start = path.n, parts = 0;

	while (start > 0 && parts < PARTS_MAX) {
		start--;
		parts += path.p[start] == '/' && (start == 0 || path.p[start - 1] != '/');
	}
	return pp_slice_of(path.p + start, path.n - start);
}

/* Looks under each directory for the longest end of the path that is there. */
static char *
search(const struct pp_sources *s, struct pp_slice path, size_t *size)
{
	char *bytes = NULL;
	const char *const *dir;

	if (path.n == 0 || memchr(path.p, '\0', path.n) || has_dotdot(path))
		return NULL;
	for (path = last_parts(path);;) {
		while (path.n && path.p[0] == '/')
			path = pp_slice_of(path.p + 1, path.n - 1);
		for (dir = s->dirs; !bytes && path.n && dir && *dir; dir++) {
			struct pp_buf name = { 0 };

			pp_buf_addf(&name, "%s/", *dir);
			pp_buf_add(&name, path.p, path.n);
			bytes = name.failed ? NULL : slurp(name.p, size);
			pp_buf_release(&name);
		}
		if (bytes || path.n == 0)
			return bytes;
		while (path.n && path.p[0] != '/')
			path = pp_slice_of(path.p + 1, path.n - 1);
	}
}

/* The file's text, looked for once; NULL when out of memory. */
static const struct pp_source_file *
file_of(struct pp_sources *s, pp_str file)
{
	struct pp_source_file fresh = { 0 };
	uint32_t known = pp_map_get(&s->index, file);
	size_t i;

	if (known != PP_MAP_NONE)
		return &s->files.at[known];
	fresh.bytes = search(s, pp_text_of(s->profile, file), &fresh.size);
	for (i = 0; fresh.bytes && i < fresh.size; i++)
		if ((i == 0 || fresh.bytes[i - 1] == '\n') && !pp_vec_push(&fresh.starts, i))
			break;
	if (!pp_map_set(&s->index, file, (uint32_t)s->files.n) || !pp_vec_push(&s->files, fresh)) {
		free(fresh.bytes);
		pp_vec_release(&fresh.starts);
		return NULL;
	}
	return &s->files.at[s->files.n - 1];
}

bool
pp_sources_line(struct pp_sources *s, pp_str file, uint32_t line, struct pp_slice *text)
{
	const struct pp_source_file *f;
	const char *start, *end;

	if (line == 0)
		return false;
	if (pp_profile_source_line(s->profile, file, line, text))
		return true;
	f = s->dirs && *s->dirs ? file_of(s, file) : NULL;
	if (!f || !f->bytes || line > f->starts.n)
		return false;
	start = f->bytes + f->starts.at[line - 1];
	end = memchr(start, '\n', f->size - f->starts.at[line - 1]);
	*text = pp_slice_of(start, end ? (size_t)(end - start) : f->size - f->starts.at[line - 1]);
	if (text->n && text->p[text->n - 1] == '\r')
		text->n--;
	return true;
}
