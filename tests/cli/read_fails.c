/*
 * For LD_PRELOAD: reading a file whose path ends as READ_FAILS_AT says fails behind READ_FAILS_AFTER bytes, as on a
 * broken disk.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
fails(int fd)
{
	const char *ending = getenv("READ_FAILS_AT");
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = ending ? readlink(link, path, sizeof path) : -1;
	return n > 0 && (size_t)n >= strlen(ending) &&
	       memcmp(path + n - strlen(ending), ending, strlen(ending)) == 0;
}

__attribute__((visibility("default"))) ssize_t
read(int fd, void *to, size_t n)
{
	static size_t given;
	ssize_t (*real)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT,
	                                                                              "read");
	size_t left;
	ssize_t got;

	if (!fails(fd))
		return real(fd, to, n);
	left = strtoul(getenv("READ_FAILS_AFTER"), NULL, 10) - given;
	if (left == 0) {
		errno = EIO;
		return -1;
	}
	got = real(fd, to, n < left ? n : left);
	given += got > 0 ? (size_t)got : 0;
	return got;
}
