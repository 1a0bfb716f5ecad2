/*
 * polyprof open: the report, in the browser. It is kept in the user's cache directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/cli.h"
#include "io/process.h"
#include "text/escape.h"

/* What is kept besides the newest report. */
#define REPORTS_MAX 20
#define DAYS_MAX 30
/* Of the file's name in that of a report, and of the hash behind it. */
#define NAME_MAX_BYTES 60
#define HASH_DIGITS 16
/* How long we wait for a program that opens files to fail. */
#define PATIENCE_MS 3000
#define STEP_MS 20

#ifdef __APPLE__
#define OPENER "open"
#define NEEDS_DISPLAY false
#else
#define OPENER "xdg-open"
#define NEEDS_DISPLAY true
#endif

static int open_run(struct pp_cli *);

static const struct pp_example open_examples[] = {
	{ "open spx-full-1.json", "look at a profile" },
	{ "open before.folded after.folded", "look at what changed" },
	{ "open --source auto nytprof.out", "with the source files" },
	{ 0 },
};

const struct pp_command pp_command_open = {
	.question = "report",
	.name = "open",
	.synopsis = "FILE...",
	.summary = "open the report in the browser",
	.details = "Writes the report to polyprof's directory in your cache, $XDG_CACHE_HOME or "
	           "~/.cache, and opens it with xdg-open (open on macOS). If there is no display, "
	           "or nothing to open it with, its path is printed. The same files with the same "
	           "options have the same path. Reports older than 30 days, and all but the 20 "
	           "newest, are removed from there. Every option of `report` can be given; with -o "
	           "the report is written there.",
	.examples = open_examples,
	.hint = PP_HINT_FILE,
	.picture = "report.html",
	.run = open_run,
};

/* ---- where reports are kept ---- */

/* A directory that only this user can look into; false with errno. */
static bool
directory_make(const char *path, bool own)
{
	struct stat st;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return false;
	if (!own)
		return true;
	if (lstat(path, &st) != 0)
		return false;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
		errno = S_ISDIR(st.st_mode) ? EPERM : ENOTDIR;
		return false;
	}
	return (st.st_mode & 077) == 0 || chmod(path, 0700) == 0;
}

/* The directory of reports, made if need be; an exit code, said. */
static int
cache_find(const struct pp_cli *cli, struct pp_buf *path)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool fine;
	size_t i;

	if (cache && cache[0] == '/')
		pp_buf_adds(path, cache);
	else if (home && home[0] == '/')
		pp_buf_addf(path, "%s/.cache", home);
	else {
		pp_cli_error(cli, "there is no cache directory: neither XDG_CACHE_HOME nor HOME is "
		                  "set; -o FILE says where to write the report");
		return PP_EXIT_OUTPUT;
	}
	pp_buf_adds(path, "/polyprof");
	fine = !path->failed;
	for (i = 1; fine && i <= path->n; i++)
		if (path->p[i] == '/' || i == path->n) {
			char end = path->p[i];

			path->p[i] = '\0';
			/* What is there already may be somebody else's, as / is. */
			fine = directory_make(path->p, i == path->n);
			path->p[i] = end;
		}
	if (!fine)
		pp_cli_error(cli, "cannot keep reports in %s: %s; -o FILE writes one elsewhere",
		             path->p ? path->p : "the cache directory",
		             path->failed ? "out of memory" : strerror(errno));
	return fine ? 0 : PP_EXIT_OUTPUT;
}

/* ---- what a report is called ---- */

static uint64_t
hash_add(uint64_t h, const char *text)
{
	return (pp_fnv_add(h, text, strlen(text)) ^ 0xff) * PP_FNV_PRIME;
}

/* The same for the same files and options, wherever one stands. */
static uint64_t
hash_of(const struct pp_args *args)
{
	uint64_t h = PP_FNV_BASIS;
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < args->words.n; i++)
		h = hash_add(h, realpath(args->words.at[i], path) ? path : args->words.at[i]);
	for (i = 0; i < args->given.n; i++)
		if (pp_option_asks(args->given.at[i].option)) {
			h = hash_add(h, args->given.at[i].option->name);
			h = hash_add(h, args->given.at[i].text ? args->given.at[i].text : "");
		}
	return h;
}

/* "NAME-HASH.html", of letters that no shell minds. */
static void
name_add(struct pp_buf *path, const struct pp_args *args)
{
	const char *file = args->words.n ? args->words.at[0] : "-", *slash = strrchr(file, '/');
	size_t i;

	file = strcmp(file, "-") == 0 ? "stdin" : slash && slash[1] ? slash + 1 : file;
	pp_buf_addc(path, '/');
	for (i = 0; i < NAME_MAX_BYTES && file[i]; i++) {
		bool plain = file[i] == '_' || (i > 0 && strchr("-.", file[i])) ||
		             (unsigned)(file[i] | 0x20) - 'a' < 26 || (unsigned)file[i] - '0' < 10;

		pp_buf_addc(path, plain ? file[i] : '_');
	}
	pp_buf_addf(path, "-%016llx.html", (unsigned long long)hash_of(args));
}

/* ---- old reports ---- */

struct report {
	char *name;
	time_t when;
};

static bool
is_report(const char *name)
{
	size_t n = strlen(name), i;

	if (n < 1 + HASH_DIGITS + 5 || strcmp(name + n - 5, ".html") != 0 ||
	    name[n - 5 - HASH_DIGITS - 1] != '-')
		return false;
	for (i = n - 5 - HASH_DIGITS; i < n - 5; i++)
		if (!strchr("0123456789abcdef", name[i]))
			return false;
	return true;
}

static int
compare_reports(const void *left, const void *right)
{
	const struct report *a = left, *b = right;

	if (a->when != b->when)
		return a->when < b->when ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Removes what nobody looks at any more: nothing but reports, and never the one that was just written. */
static void
reports_prune(const char *path)
{
	const char *base = strrchr(path, '/') + 1, *name;
	char *directory = strndup(path, (size_t)(base - path));
	DIR *listing = directory ? opendir(directory) : NULL;
	PP_VEC(struct report) reports = { 0 };
	time_t now = time(NULL);
	struct dirent *entry;
	struct stat st;
	size_t i;

	while (listing && (entry = readdir(listing))) {
		name = entry->d_name;
		if (is_report(name) && strcmp(name, base) != 0 &&
		    fstatat(dirfd(listing), name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode)) {
			char *copy = strdup(name);

			if (!copy || !pp_vec_push(&reports, (struct report){ copy, st.st_mtime }))
				free(copy);
		}
	}
	if (reports.n)
		qsort(reports.at, reports.n, sizeof *reports.at, compare_reports);
	for (i = 0; i < reports.n; i++) {
		if (i + 1 >= REPORTS_MAX || now - reports.at[i].when > (time_t)DAYS_MAX * 86400)
			(void)unlinkat(dirfd(listing), reports.at[i].name, 0);
		free(reports.at[i].name);
	}
	pp_vec_release(&reports);
	if (listing)
		(void)closedir(listing);
	free(directory);
}

/* ---- opening it ---- */

static bool
has_display(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return !NEEDS_DISPLAY || (x && *x) || (wayland && *wayland);
}

/* Whether it did not fail as long as one waits for it: a browser may stay. */
static bool
seems_fine(pid_t pid)
{
	static const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	int status = 0, waited;

	for (waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
		pid_t done = waitpid(pid, &status, WNOHANG);

		if (done == pid)
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		if (done < 0 && errno != EINTR)
			return false;
		(void)nanosleep(&step, NULL);
	}
	return true;
}

static bool
show(const char *path)
{
	const char *argv[] = { OPENER, path, NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), streams[3] = { null, null, null };
	pid_t pid = 0;
	bool shown = null >= 0 && pp_process_start(argv, streams, true, &pid) == 0 &&
	             seems_fine(pid);

	if (null >= 0)
		(void)close(null);
	return shown;
}

/* The path for whoever opens it himself. */
static int
path_print(struct pp_cli *cli, const char *path)
{
	struct pp_buf text = { 0 }, line;
	struct pp_sink *out = pp_cli_text(&line);

	cli->path = "-";
	if (out && isatty(STDOUT_FILENO)) {
		pp_escape_terminal(&text, pp_slice_z(path));
		pp_sink_write(out, text.p, text.n);
		pp_buf_release(&text);
	} else if (out) {
		pp_sink_puts(out, path);
	}
	if (out)
		pp_sink_putc(out, '\n');
	return pp_cli_out_done(cli, out, &line);
}

static int
report_show(struct pp_cli *cli, const char *path)
{
	char whole[PATH_MAX];

	if (!realpath(path, whole))
		return path_print(cli, path);
	if (!has_display())
		return path_print(cli, whole);
	if (show(whole)) {
		pp_cli_note(cli, "opened %s", whole);
		return 0;
	}
	pp_cli_note(cli, "%s does not open it: open it yourself", OPENER);
	return path_print(cli, whole);
}

static int
open_run(struct pp_cli *cli)
{
	bool given = pp_args_text(&cli->args, "output") != NULL;
	struct pp_buf path = { 0 };
	int code = 0;

	if (given && strcmp(cli->path, "-") == 0)
		return pp_cli_usage(cli, "standard output cannot be opened; name a file with -o");
	if (given) {
		pp_buf_adds(&path, cli->path);
	} else {
		code = cache_find(cli, &path);
		name_add(&path, &cli->args);
	}
	if (code == 0 && path.failed) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	if (code == 0) {
		cli->path = path.p;
		cli->out_terminal = false;
		code = pp_cli_finish(cli, pp_cli_ask(cli));
	}
	if (code == 0 && !given)
		reports_prune(path.p);
	if (code == 0)
		code = pp_cli_finish(cli, report_show(cli, path.p));
	cli->path = "-";
	pp_buf_release(&path);
	return code;
}
