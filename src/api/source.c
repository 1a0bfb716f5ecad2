/*
 * Source text for the files that a profile names.
 */
#include "api/source.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/slice.h"
#include "io/beneath.h"
#include "text/path.h"

/* Larger files are no source. */
#define SOURCE_MAX ((size_t)64 << 20)
/* A hostile path may be all slashes: only so many of its last parts are looked for. */
#define PARTS_MAX 64

/* ---- directories ---- */

static bool
dir_add(struct pp_sources *s, const char *path, bool exact, const char *called)
{
	struct pp_source_dir dir = { .fd = pp_beneath_dir(path), .exact = exact };
	char real[PATH_MAX];
	bool ok = true;

	if (dir.fd < 0)
		return exact || pp_vec_push(&s->absent, path);
	if (exact && realpath(path, real)) {
		/* Everything lies beneath the root: nobody means that without saying so. */
		if (strcmp(real, "/") == 0) {
			close(dir.fd);
			return true;
		}
		ok = (dir.names[0] = strdup(real)) != NULL;
	}
	if (ok && called && called[0] == '/')
		ok = (dir.names[1] = strdup(called)) != NULL;
	if (ok && pp_vec_push(&s->dirs, dir))
		return true;
	close(dir.fd);
	free(dir.names[0]);
	free(dir.names[1]);
	return false;
}

/* The directories that are meant without being named: the current one, and those of the profiles. */
static bool
auto_add(struct pp_sources *s, const char *const *files, size_t n)
{
	bool ok = dir_add(s, ".", true, NULL);
	size_t i;

	for (i = 0; ok && i < n; i++) {
		const char *slash = strrchr(files[i], '/');
		struct pp_buf path = { 0 };

		if (!slash)
			continue;
		pp_buf_add(&path, files[i], slash == files[i] ? 1 : (size_t)(slash - files[i]));
		ok = !path.failed && dir_add(s, path.p, true, path.p);
		pp_buf_release(&path);
	}
	return ok;
}

bool
pp_sources_init(struct pp_sources *s, const struct pp_texts *given, const char *const *files,
                size_t file_count)
{
	bool ok = true;
	size_t i;

	*s = (struct pp_sources){ .index.seed = PP_HASH_K1 };
	for (i = 0; given && ok && i < given->list.n; i++)
		ok = strcmp(given->list.at[i].text, "auto") == 0
		         ? auto_add(s, files, file_count)
		         : dir_add(s, given->list.at[i].text, false, NULL);
	return ok;
}

void
pp_sources_release(struct pp_sources *s)
{
	size_t i;

	for (i = 0; i < s->dirs.n; i++) {
		close(s->dirs.at[i].fd);
		free(s->dirs.at[i].names[0]);
		free(s->dirs.at[i].names[1]);
	}
	for (i = 0; i < s->files.n; i++) {
		pp_source_text_release(s->files.at[i]);
		free(s->files.at[i]);
	}
	pp_vec_release(&s->dirs);
	pp_vec_release(&s->absent);
	pp_vec_release(&s->profiles);
	pp_vec_release(&s->files);
	pp_map_release(&s->index);
}

/* ---- paths ---- */

/* The path without ".", ".." and doubled slashes; false when it leads above where it starts. */
static bool
path_clean(struct pp_slice path, struct pp_buf *out)
{
	size_t start = 0, end, root;

	if (path.n && path.p[0] == '/')
		pp_buf_addc(out, '/');
	root = out->n;
	for (; start < path.n; start = end + 1) {
		for (end = start; end < path.n && path.p[end] != '/';)
			end++;
		if (end == start || (end == start + 1 && path.p[start] == '.'))
			continue;
		if (end == start + 2 && memcmp(path.p + start, "..", 2) == 0) {
			if (out->n == root)
				return false;
			while (out->n > root && out->p[--out->n] != '/')
				continue;
			continue;
		}
		if (out->n > root)
			pp_buf_addc(out, '/');
		pp_buf_add(out, path.p + start, end - start);
	}
	return out->n > root && !out->failed;
}

/* The last parts of a path, as many as are looked for. */
static struct pp_slice
last_parts(struct pp_slice path)
{
	size_t start = path.n, parts = 0;

	while (start > 0 && parts < PARTS_MAX)
		parts += path.p[--start] == '/';
	return pp_slice_from(path, start);
}

static bool
is_hidden(struct pp_slice path)
{
	return path.p[0] == '.' || pp_slice_holds(path, "/.");
}

/* Reads a file where the profile says it is, if that is beneath the directory. */
static char *
exact_read(const struct pp_source_dir *dir, struct pp_slice path, size_t *size)
{
	struct pp_slice rest = path;
	size_t i;

	if (path.p[0] == '/') {
		for (i = 0; i < PP_COUNT_OF(dir->names); i++) {
			rest = path;
			if (dir->names[i] && pp_slice_take(&rest, dir->names[i]) && rest.n > 1 &&
			    rest.p[0] == '/')
				break;
		}
		if (i == PP_COUNT_OF(dir->names))
			return NULL;
		rest = pp_slice_from(rest, 1);
	}
	return is_hidden(rest) ? NULL : pp_beneath_read(dir->fd, rest, SOURCE_MAX, size);
}

char *
pp_sources_read(const struct pp_sources *s, struct pp_slice recorded, size_t *size)
{
	struct pp_buf clean = { 0 }, local = { 0 };
	struct pp_slice path = { 0 };
	char *bytes = NULL;
	size_t i;

	/* V8 and Xdebug name files by their addresses. */
	if (pp_path_of_address(&local, recorded))
		recorded = pp_slice_of(local.p, local.n);
	if (path_clean(recorded, &clean))
		path = pp_slice_of(clean.p, clean.n);
	for (i = 0; path.n && !bytes && i < s->dirs.n; i++)
		if (s->dirs.at[i].exact)
			bytes = exact_read(&s->dirs.at[i], path, size);
	for (path = last_parts(path); path.n && !bytes;) {
		while (path.n && path.p[0] == '/')
			path = pp_slice_from(path, 1);
		for (i = 0; !bytes && i < s->dirs.n; i++)
			if (!s->dirs.at[i].exact)
				bytes = pp_beneath_read(s->dirs.at[i].fd, path, SOURCE_MAX, size);
		while (path.n && path.p[0] != '/')
			path = pp_slice_from(path, 1);
	}
	pp_buf_release(&clean);
	pp_buf_release(&local);
	return bytes;
}

/* ---- files ---- */

/* What came with the profile is what ran; else a file is looked for. */
static bool
text_load(const struct pp_sources *s, const struct pp_profile *p, pp_str file,
          struct pp_source_text *out)
{
	struct pp_source_text found = { 0 };

	if (!pp_profile_source(p, file, out))
		return false;
	if (out->bytes || s->dirs.n == 0)
		return true;
	found.bytes = pp_sources_read(s, pp_text_of(p, file), &found.size);
	*out = found;
	return pp_source_text_index(out);
}

static bool
profile_number(struct pp_sources *s, const struct pp_profile *p, uint64_t *number)
{
	for (*number = 0; *number < s->profiles.n; ++*number)
		if (s->profiles.at[*number] == p)
			return true;
	return pp_vec_push(&s->profiles, p);
}

const struct pp_source_text *
pp_sources_find(void *sources, const struct pp_profile *p, pp_str file)
{
	struct pp_sources *s = sources;
	struct pp_source_text *text;
	uint64_t key;
	uint32_t known;

	if (file == 0 || !profile_number(s, p, &key))
		return NULL;
	key = key << 32 | file;
	known = pp_map_get(&s->index, key);
	if (known != PP_MAP_NONE)
		return s->files.at[known]->bytes ? s->files.at[known] : NULL;
	text = calloc(1, sizeof *text);
	if (!text || !text_load(s, p, file, text) || !pp_vec_reserve(&s->files, s->files.n + 1) ||
	    !pp_map_set(&s->index, key, (uint32_t)s->files.n)) {
		if (text)
			pp_source_text_release(text);
		free(text);
		return NULL;
	}
	s->files.at[s->files.n++] = text;
	return text->bytes ? text : NULL;
}
