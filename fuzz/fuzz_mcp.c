/*
 * libFuzzer target of the Model Context Protocol: any bytes are sent to a server, which must answer in lines that are
 * JSON objects and end with its input.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mcp/mcp.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const struct pp_mcp_tool tools[] = {
	{ "top", "functions", "file", "metric sort by filter", NULL, false },
	{ "callers", "callers", "file", "function metric depth filter", "function", false },
	{ "diff", "changes", "before after", "metric normalize filter", NULL, false },
	{ "trend", "trends", "files", "metric", NULL, false },
	{ "list", "files", "dir", "match since over sort", NULL, false },
	{ 0 },
};

static void
require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/* Each line that was answered is one object. */
static void
lines_check(char *p, size_t n)
{
	struct pp_scan s;
	char *newline;

	require(n == 0 || p[n - 1] == '\n', "every message is whole");
	while (n > 0) {
		newline = memchr(p, '\n', n);
		pp_scan_init(&s, pp_slice_of(p, (size_t)(newline - p)), 0, PP_SCAN_STRICT);
		require(pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_skip(&s, NULL) &&
		            pp_scan_end(&s),
		        "every message is an object");
		n -= (size_t)(newline + 1 - p);
		p = newline + 1;
	}
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const here[] = { "/proc/self/fdinfo" };
	const struct pp_mcp_options options = { .tools = tools,
		                                .directories = here,
		                                .directory_count = 1,
		                                .memory = 1 << 20,
		                                .timeout = 1,
		                                .in = memfd_create("in", 0),
		                                .out = memfd_create("out", 0) };
	char *answers = NULL;
	/* A server works in its first directory; the next inputs are named from here. */
	int before = open(".", O_RDONLY | O_DIRECTORY);
	off_t n;

	if (before < 0 || options.in < 0 || options.out < 0 ||
	    write(options.in, data, size) != (ssize_t)size || lseek(options.in, 0, SEEK_SET) != 0)
		return 0;
	require(pp_mcp_serve(&options) == 0, "the server ends well");
	require(fchdir(before) == 0, "the directory is still there");
	close(before);
	n = lseek(options.out, 0, SEEK_END);
	answers = calloc(1, (size_t)n + PP_SCAN_PAD + 1);
	if (answers && pread(options.out, answers, (size_t)n, 0) == n)
		lines_check(answers, (size_t)n);
	free(answers);
	close(options.in);
	close(options.out);
	return 0;
}
