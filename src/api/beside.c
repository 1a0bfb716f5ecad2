/*
 * Files that belong to another. They are known by their names before anything is read, so that a profile that was read
 * earlier can be told from one whose parts were replaced since, at the cost of a few looks at the directory.
 */
#include "api/beside.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/common.h"
#include "base/hash.h"

static uint64_t
hash_number(uint64_t h, uint64_t number)
{
	unsigned char bytes[8];
	size_t i;

	for (i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(number >> (i * 8) & 0xff);
	return pp_fnv_add(h, bytes, sizeof bytes);
}

/* Adds a file of the directory that `path` begins with, if it is one. Sums do not depend on an order. */
static void
file_add(struct pp_beside *b, const char *path, size_t directory, const char *name)
{
	char whole[PATH_MAX];
	int n = snprintf(whole, sizeof whole, "%.*s%s", (int)directory, path, name);
	struct stat st;
	uint64_t h;

	if (n < 0 || (size_t)n >= sizeof whole || stat(whole, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	h = pp_fnv_add(PP_FNV_BASIS, name, strlen(name));
	h = hash_number(h, (uint64_t)st.st_size);
	h = hash_number(h, (uint64_t)st.st_mtim.tv_sec);
	h = hash_number(h, (uint64_t)st.st_mtim.tv_nsec);
	b->content += h;
	b->identity += hash_number(hash_number(h, (uint64_t)st.st_dev), (uint64_t)st.st_ino);
}

/* Recordings have a file for each processor or thread; what has many more is a directory of other things. */
#define FILES_MOST 4096

/* A recording that is a directory (perf's, uftrace's): all files of it. */
static void
recording_add(struct pp_beside *b, const char *path, size_t directory, const char *base)
{
	char name[PATH_MAX];
	struct dirent *entry;
	size_t i;
	DIR *dir;

	memcpy(name, path, directory);
	name[directory] = '\0';
	dir = opendir(directory ? name : ".");
	for (i = 0; dir && i < FILES_MOST && (entry = readdir(dir)) != NULL; i++)
		if (strcmp(entry->d_name, base) != 0)
			file_add(b, path, directory, entry->d_name);
	if (dir)
		closedir(dir);
}

/* A report of two files (SPX): what was recorded, and the events. */
static void
report_add(struct pp_beside *b, const char *path, size_t directory, const char *base)
{
	static const char *const bodies[] = { ".txt.gz", ".txt.zst", ".txt", "" };
	static const char meta[] = ".json";
	char name[PATH_MAX];
	size_t n = strlen(base), i, m;

	for (i = 0; i < PP_COUNT_OF(bodies); i++) {
		m = strlen(bodies[i]);
		if (n > m && (m ? strcmp(base + n - m, bodies[i]) == 0 : !strchr(base, '.'))) {
			snprintf(name, sizeof name, "%.*s%s", (int)(n - m), base, meta);
			file_add(b, path, directory, name);
			return;
		}
	}
	m = strlen(meta);
	for (i = 0; n > m && strcmp(base + n - m, meta) == 0 && i < PP_COUNT_OF(bodies); i++) {
		snprintf(name, sizeof name, "%.*s%s", (int)(n - m), base, bodies[i]);
		file_add(b, path, directory, name);
	}
}

void
pp_beside_find(const char *path, struct pp_beside *b)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t directory = (size_t)(base - path);

	*b = (struct pp_beside){ 0 };
	if (directory >= PATH_MAX)
		return;
	if (strcmp(base, "data") == 0 || strcmp(base, "info") == 0)
		recording_add(b, path, directory, base);
	else
		report_add(b, path, directory, base);
}
