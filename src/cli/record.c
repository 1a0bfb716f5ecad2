/*
 * Which profiler fits a command, and how it is run.
 */
#include "cli/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"

/* Of a script, the longest line that names its interpreter. */
#define SHEBANG_MAX 256

/* ---- words ------------------------------------------------------------------------------ */

static void
word_add(struct pp_record *r, const char *word)
{
	char *copy = strdup(word);

	if (!copy || !pp_vec_push(&r->argv, copy)) {
		free(copy);
		r->failed = true;
	}
}

static void PP_PRINTF(2, 3) word_addf(struct pp_record *r, const char *fmt, ...)
{
	struct pp_buf text = { 0 };
	va_list args;

	va_start(args, fmt);
	pp_buf_vaddf(&text, fmt, args);
	va_end(args);
	r->failed |= text.failed;
	word_add(r, text.p ? text.p : "");
	pp_buf_release(&text);
}

void
pp_record_release(struct pp_record *r)
{
	while (r->argv.n > 0)
		free(r->argv.at[--r->argv.n]);
	pp_vec_release(&r->argv);
	pp_buf_release(&r->interpreter);
	pp_buf_release(&r->file);
}

/* ---- profilers -------------------------------------------------------------------------- */

/* The interpreter, for profilers that are part of one. */
static void
interpreter_add(struct pp_record *r)
{
	word_add(r, r->has_interpreter ? r->command[0] : r->interpreter.p ? r->interpreter.p : "");
}

static void
perf_start(struct pp_record *r)
{
	word_add(r, "perf");
	word_add(r, "record");
	word_add(r, "-q");
	word_add(r, "-g");
	word_add(r, "-F");
	word_add(r, "997");
	word_add(r, "-o");
	word_addf(r, "%s/perf.data", r->directory);
	word_add(r, "--");
	/* Without these node's functions have no names. */
	if (r->kind == PP_RECORD_NODE) {
		interpreter_add(r);
		word_add(r, "--perf-basic-prof");
		word_add(r, "--interpreted-frames-native-stack");
		word_add(r, "--no-logfile-per-isolate");
		word_addf(r, "--logfile=%s/v8.log", r->directory);
	}
}

static void
callgrind_start(struct pp_record *r)
{
	word_add(r, "valgrind");
	word_add(r, "-q");
	word_add(r, "--tool=callgrind");
	word_addf(r, "--callgrind-out-file=%s/callgrind.out", r->directory);
	word_add(r, "--");
}

static void
heaptrack_start(struct pp_record *r)
{
	word_add(r, "heaptrack");
	word_add(r, "-o");
	word_addf(r, "%s/heaptrack", r->directory);
}

static void
nytprof_start(struct pp_record *r)
{
	interpreter_add(r);
	word_add(r, "-d:NYTProf");
}

static void
xdebug_start(struct pp_record *r)
{
	interpreter_add(r);
	word_add(r, "-dxdebug.mode=profile");
	word_add(r, "-dxdebug.start_with_request=yes");
	word_add(r, "-dxdebug.use_compression=0");
	word_addf(r, "-dxdebug.output_dir=%s", r->directory);
	word_add(r, "-dxdebug.profiler_output_name=cachegrind.out");
}

static void
spx_start(struct pp_record *r)
{
	interpreter_add(r);
	word_addf(r, "-dspx.data_dir=%s", r->directory);
}

static void
node_start(struct pp_record *r)
{
	interpreter_add(r);
	word_add(r, "--cpu-prof");
	word_addf(r, "--cpu-prof-dir=%s", r->directory);
	word_add(r, "--cpu-prof-name=node.cpuprofile");
}

const struct pp_recorder pp_recorders[] = {
	{ "perf", "perf", "linux-perf", "perf.data", "perf.data", perf_start },
	{ "callgrind", "valgrind", "valgrind", "callgrind.out", "callgrind.out", callgrind_start },
	{ "nytprof", NULL, "libdevel-nytprof-perl", "nytprof.out", "nytprof.out", nytprof_start },
	{ "xdebug", NULL, "php-xdebug", "cachegrind.out", "cachegrind.out", xdebug_start },
	{ "spx", NULL, "php-spx, or from https://github.com/NoiseByNorthwest/php-spx",
	  "spx-full.json", "spx-full-", spx_start },
	{ "heaptrack", "heaptrack", "heaptrack", "heaptrack.zst", "heaptrack.zst",
	  heaptrack_start },
	{ "node", NULL, "nodejs", "node.cpuprofile", "node.cpuprofile", node_start },
	{ 0 },
};

void
pp_record_words(struct pp_record *r)
{
	/* Interpreters that are profiled, or are told to help perf, stand before their scripts. */
	bool inside = !r->recorder->program ||
	              (r->recorder->start == perf_start && r->kind == PP_RECORD_NODE);
	size_t i = inside && r->has_interpreter;

	r->recorder->start(r);
	if (!r->has_interpreter && r->kind != PP_RECORD_NATIVE) {
		if (!inside)
			interpreter_add(r);
		word_add(r, r->file.p);
		i = 1;
	}
	for (; r->command[i]; i++)
		word_add(r, r->command[i]);
	if (!r->failed && !pp_vec_push(&r->argv, NULL))
		r->failed = true;
}

/* ---- commands --------------------------------------------------------------------------- */

bool
pp_record_find(const char *program, struct pp_buf *path)
{
	const char *list = getenv("PATH"), *end;
	struct stat st;

	path->n = 0;
	if (strchr(program, '/')) {
		pp_buf_adds(path, program);
		return !path->failed && stat(program, &st) == 0 && S_ISREG(st.st_mode);
	}
	for (list = list ? list : "/usr/local/bin:/usr/bin:/bin"; list;
	     list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ':');
		path->n = 0;
		pp_buf_add(path, list, (size_t)(end - list));
		pp_buf_addf(path, "%s%s", end > list ? "/" : "", program);
		if (!path->failed && stat(path->p, &st) == 0 && S_ISREG(st.st_mode) &&
		    access(path->p, X_OK) == 0)
			return true;
	}
	return false;
}

/* perl5.36, php8.2, nodejs: which interpreter a program is, by its name. */
static enum pp_record_kind
kind_of(struct pp_slice path)
{
	static const struct {
		const char *name;
		enum pp_record_kind kind;
	} known[] = { { "perl", PP_RECORD_PERL },
		      { "php", PP_RECORD_PHP },
		      { "node", PP_RECORD_NODE },
		      { "nodejs", PP_RECORD_NODE },
		      { "python", PP_RECORD_PYTHON } };
	size_t i, k, n;

	for (n = path.n; n > 0 && path.p[n - 1] != '/'; n--)
		;
	path = pp_slice_from(path, n);
	for (i = 0; i < sizeof known / sizeof *known; i++) {
		n = strlen(known[i].name);
		if (!pp_slice_starts(path, known[i].name))
			continue;
		for (k = n; k < path.n && (path.p[k] == '.' || pp_is_digit(path.p[k])); k++)
			;
		if (k == path.n)
			return known[i].kind;
	}
	return PP_RECORD_NATIVE;
}

/* "#!/usr/bin/env -S perl -w": the program of the first line. */
static bool
shebang_take(const char *line, size_t n, struct pp_buf *interpreter)
{
	struct pp_slice rest = pp_slice_of(line, n), word;
	bool env;

	if (!pp_slice_take(&rest, "#!") || !pp_slice_word(&rest, &word))
		return false;
	env = pp_slice_ends(word, "/env");
	while (env && pp_slice_word(&rest, &word) &&
	       (word.p[0] == '-' || memchr(word.p, '=', word.n)))
		;
	pp_buf_add(interpreter, word.p, word.n);
	return !interpreter->failed;
}

/* What runs scripts of that ending. */
static const struct {
	const char *ending, *interpreter;
} endings[] = { { ".pl", "perl" },  { ".php", "php" },  { ".js", "node" },
	        { ".mjs", "node" }, { ".cjs", "node" }, { ".py", "python3" } };

static const char *
interpreter_by_ending(const char *file)
{
	size_t i;

	for (i = 0; i < sizeof endings / sizeof *endings; i++)
		if (pp_slice_ends(pp_slice_z(file), endings[i].ending))
			return endings[i].interpreter;
	return NULL;
}

/* What runs a file that is no binary: its first line, or what it is called. */
static void
script_look(struct pp_record *r)
{
	const char *known = interpreter_by_ending(r->file.p);
	char line[SHEBANG_MAX];
	int fd = open(r->file.p, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, line, sizeof line) : 0;
	char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;

	if (fd >= 0)
		(void)close(fd);
	if (end && shebang_take(line, (size_t)(end - line), &r->interpreter)) {
		r->kind = kind_of(pp_slice_z(r->interpreter.p));
		return;
	}
	if (known) {
		pp_buf_adds(&r->interpreter, known);
		r->kind = kind_of(pp_slice_z(known));
	}
}

int
pp_record_look(struct pp_record *r)
{
	struct stat st;

	if (!pp_record_find(r->command[0], &r->file)) {
		if (stat(r->command[0], &st) != 0 || !S_ISREG(st.st_mode) ||
		    !interpreter_by_ending(r->command[0]))
			return r->file.failed ? ENOMEM : ENOENT;
		/* A script of this directory needs no path where its interpreter is known. */
		r->file.n = 0;
		pp_buf_adds(&r->file, r->command[0]);
	}
	r->kind = kind_of(pp_slice_z(r->file.p));
	r->has_interpreter = r->kind != PP_RECORD_NATIVE;
	if (!r->has_interpreter)
		script_look(r);
	if (r->interpreter.failed)
		return ENOMEM;
	/* A script need not be executable where its interpreter is known. */
	return access(r->file.p, r->kind == PP_RECORD_NATIVE || r->has_interpreter ? X_OK : R_OK)
	           ? errno
	           : 0;
}
