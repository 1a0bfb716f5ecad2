/*
 * Which files may be read: those below the directories that were named, after all links.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/slice.h"
#include "mcp/mcp.h"

/* Whether a real path is a directory's, or below it. */
static bool
is_below(const char *path, const char *directory)
{
	char real[PATH_MAX];
	size_t n;

	if (!realpath(directory, real))
		return false;
	n = strlen(real);
	if (n == 1)
		return true;
	return strncmp(path, real, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool
is_allowed(const struct pp_mcp_options *o, const char *real)
{
	size_t i;

	for (i = 0; i < o->directory_count; i++)
		if (is_below(real, o->directories[i]))
			return true;
	return false;
}

/* What a path is relative to is the first directory. */
static bool
path_join(char out[PATH_MAX], const struct pp_mcp_options *o, const char *path)
{
	const char *first = path[0] == '/' ? "" : o->directories[0];
	size_t n = strlen(first), length = strlen(path);

	if (n + length + 2 > PATH_MAX)
		return false;
	memcpy(out, first, n);
	if (n)
		out[n++] = '/';
	memcpy(out + n, path, length + 1);
	return true;
}

/* A path from the first directory on where it is below that: the server works there. */
static const char *
path_relative(const struct pp_mcp_options *o, struct pp_arena *arena, const char *real)
{
	char first[PATH_MAX];
	size_t n;

	if (realpath(o->directories[0], first) && is_below(real, first)) {
		n = strlen(first);
		real += strcmp(first, "/") == 0 ? 1 : real[n] ? n + 1 : n;
		real = *real ? real : ".";
	}
	return pp_arena_copy(arena, real, strlen(real));
}

const char *
pp_mcp_path(const struct pp_mcp_options *o, struct pp_arena *arena, const char *path,
            bool directory, struct pp_buf *problem)
{
	char joined[PATH_MAX], real[PATH_MAX];
	struct stat st;
	const char *kept;

	if (o->path)
		return o->path(o->ctx, arena, path, directory, problem);
	if (!path_join(joined, o, path)) {
		pp_buf_adds(problem, "the path is too long");
		return NULL;
	}
	if (!realpath(joined, real)) {
		int why = errno;
		const char *slash = strrchr(joined, '/');

		/* Whether something is there is nobody's business outside. */
		if (slash && slash > joined)
			joined[slash - joined] = '\0';
		if (!realpath(joined, real) || !is_allowed(o, real))
			pp_buf_adds(problem, "there is no such file, or it is outside of the "
			                     "directories that may be read");
		else
			pp_buf_addf(problem, "cannot open: %s", strerror(why));
		return NULL;
	}
	if (!is_allowed(o, real)) {
		pp_buf_adds(problem,
		            "the path is outside of the directories that may be read; `list` "
		            "gives paths that are not");
		return NULL;
	}
	if (stat(real, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
		pp_buf_adds(problem, "this is no file: devices, pipes and sockets are not read");
		return NULL;
	}
	if (directory != S_ISDIR(st.st_mode)) {
		pp_buf_adds(problem, directory ? "this is no directory"
		                               : "this is a directory; `list` tells what is in it");
		return NULL;
	}
	kept = path_relative(o, arena, real);
	if (!kept)
		pp_buf_adds(problem, "out of memory");
	return kept;
}
