/*
 * polyprof record: runs a command under the profiler that fits it, and tells what came out.
 *
 * The profiler writes into a directory of its own beside the output; what is whole is moved into place when the command
 * has ended, so that nobody ever meets half a file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/slice.h"
#include "cli/cli.h"
#include "cli/record.h"
#include "io/process.h"
#include "io/sink.h"

/* What shells say of commands that cannot be run. */
enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

extern const struct pp_command pp_command_summary;

static int record_run(struct pp_cli *);

static const struct pp_param record_options[] = {
	{ "with", 0, PP_PARAM_CHOICE, "perf|callgrind|nytprof|xdebug|spx|heaptrack|node",
	  "the profiler (default: the one that fits the command)", PP_HINT_NONE, 0 },
	{ "output", 'o', PP_PARAM_TEXT, "FILE",
	  "where the recording goes (default: perf.data, nytprof.out, ... in this directory)",
	  PP_HINT_FILE, 0 },
	{ 0 },
};
static const struct pp_param_group record_group = { "Recording", record_options };
static const struct pp_param_group *const record_groups[] = { &record_group, &pp_group_general,
	                                                      NULL };

static const struct pp_example record_examples[] = {
	{ "record -- ./a.out --fast", "a program, with perf" },
	{ "record -o slow.out -- perl script.pl", "a Perl script, with Devel::NYTProf" },
	{ "record --with heaptrack -- ./a.out", "who allocates" },
	{ 0 },
};

const struct pp_command pp_command_record = {
	.name = "record",
	.synopsis = "[--with PROFILER] [-o FILE] -- COMMAND...",
	.summary = "run a command under the profiler that fits it",
	.details =
	    "Perl scripts are recorded with Devel::NYTProf, PHP scripts with SPX or Xdebug, "
	    "everything else with perf, or with callgrind if the kernel does not let perf "
	    "record. Scripts are recognised by the command, their first line or their "
	    "extension. Python's own functions are seen from version 3.12 on if it was built with frame pointers. If a profiler "
	    "is missing, the Debian package that has it is named. The command keeps its "
	    "standard input and output (heaptrack prints there, too), signals are passed on to it, "
	    "and polyprof exits with its exit code: 128 plus the signal if one ended it, 127 "
	    "if it was not found, 126 if it cannot be run. When it has ended, the recording "
	    "appears under its name, whole or not at all (exit 4): what a profiler that was "
	    "killed or met a full disk left is not kept. Its summary is "
	    "printed: on the terminal, or on standard error if standard output goes "
	    "elsewhere. A file that already had a default name is kept as FILE.old.",
	.groups = record_groups,
	.examples = record_examples,
	.hint = PP_HINT_FILE,
	.run = record_run,
};

/* ---- running programs ------------------------------------------------------------------- */

/* Whether a program says yes by its exit code, quietly. */
static bool
probe(const char *const argv[])
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), streams[3] = { null, null, null },
	    status = 1;
	pid_t pid;

	if (null < 0)
		return false;
	if (pp_process_start(argv, streams, false, &pid) == 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	(void)close(null);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whether a process is a child of another one, and was started with a variable. */
static bool
is_child_with(const char *pid, pid_t parent, const char *variable)
{
	char path[64], text[4096];
	const char *rest, *at;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* PID (NAME) STATE PARENT: names may hold anything. */
	rest = strrchr(text, ')');
	if (!rest || strlen(rest) < 5 || strtol(rest + 4, NULL, 10) != parent)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* What a shell adds for one command stands last or first: a long list is read to its end. */
	for (at = NULL; fd >= 0 && !at && (n = read(fd, text, sizeof text)) > 0;)
		at = memmem(text, (size_t)n, variable, strlen(variable));
	if (fd >= 0)
		(void)close(fd);
	return at != NULL;
}

/* Whom signals are for: heaptrack is a script that would die of them, and write the rest when its command has ended. */
static pid_t
signal_target(const struct pp_record *r, pid_t pid)
{
	DIR *listing = strcmp(r->recorder->name, "heaptrack") == 0 ? opendir("/proc") : NULL;
	pid_t found = pid;
	struct dirent *entry;

	while (listing && found == pid && (entry = readdir(listing)))
		if (pp_is_digit((unsigned char)entry->d_name[0]) &&
		    is_child_with(entry->d_name, pid, "DUMP_HEAPTRACK_OUTPUT="))
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	if (listing)
		(void)closedir(listing);
	return found;
}

/*
 * Waits for the command. What is sent to us is sent on to it; what the terminal sends reached it already. Returns how it
 * ended, as waitpid() tells.
 */
static int
command_wait(const struct pp_record *r, pid_t pid, const sigset_t *signals)
{
	siginfo_t info;
	int status = 0;

	for (;;) {
		int got = sigwaitinfo(signals, &info);

		if (got == SIGCHLD && waitpid(pid, &status, WNOHANG) == pid)
			return status;
		if (got > 0 && got != SIGCHLD && info.si_code <= 0)
			(void)kill(signal_target(r, pid), got);
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			break;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Runs it to its end; an errno when it cannot be started. */
static int
command_run(struct pp_record *r, int *status)
{
	static const int passed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD };
	const int streams[3] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
	sigset_t signals, before;
	pid_t pid;
	size_t i;
	int error;

	(void)sigemptyset(&signals);
	for (i = 0; i < sizeof passed / sizeof *passed; i++)
		(void)sigaddset(&signals, passed[i]);
	(void)sigprocmask(SIG_BLOCK, &signals, &before);
	error = pp_process_start((const char *const *)r->argv.at, streams, false, &pid);
	if (!error)
		*status = command_wait(r, pid, &signals);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---- which profiler --------------------------------------------------------------------- */

static const struct pp_recorder *
recorder_named(const char *name)
{
	const struct pp_recorder *r = pp_recorders;

	while (r->name && strcmp(r->name, name) != 0)
		r++;
	return r->name ? r : NULL;
}

static bool
php_has(const char *php, const char *extension)
{
	char code[64];

	(void)snprintf(code, sizeof code, "exit(extension_loaded('%s') ? 0 : 1);", extension);
	return probe((const char *const[]){ php, "-r", code, NULL });
}

static bool
perf_may_record(void)
{
	return probe((const char *const[]){ "perf", "record", "-q", "-e", "cpu-clock", "-o",
	                                    "/dev/null", "--", "true", NULL });
}

static const char *
interpreter_of(const struct pp_record *r)
{
	return r->has_interpreter ? r->command[0] : r->interpreter.p;
}

/* Whether an interpreter of Python writes the names of its functions where perf finds them. */
static bool
python_tells(const struct pp_record *r)
{
	return strcmp(r->recorder->name, "perf") == 0 &&
	       probe((const char *const[]){
	           interpreter_of(r), "-c",
	           "import sys; sys.exit(not hasattr(sys, 'activate_stack_trampoline'))", NULL });
}

/* Whether a profiler is there, and works. */
static bool
recorder_is_there(const struct pp_record *r, const struct pp_recorder *recorder)
{
	const char *interpreter = interpreter_of(r);
	struct pp_buf path = { 0 };
	bool found = !recorder->program || pp_record_find(recorder->program, &path);

	pp_buf_release(&path);
	if (strcmp(recorder->name, "nytprof") == 0)
		found = probe((const char *const[]){ interpreter, "-e",
		                                     "require Devel::NYTProf::Core", NULL });
	else if (strcmp(recorder->name, "xdebug") == 0 || strcmp(recorder->name, "spx") == 0)
		found = php_has(interpreter, recorder->name);
	return found;
}

/* Whether a profiler can record such a command at all. */
static bool
recorder_fits(const struct pp_record *r, const struct pp_recorder *recorder)
{
	if (strcmp(recorder->name, "nytprof") == 0)
		return r->kind == PP_RECORD_PERL;
	if (strcmp(recorder->name, "node") == 0)
		return r->kind == PP_RECORD_NODE;
	return recorder->program || r->kind == PP_RECORD_PHP;
}

static const struct pp_recorder *
recorder_choose(const struct pp_record *r)
{
	switch (r->kind) {
	case PP_RECORD_PERL:
		return recorder_named("nytprof");
	case PP_RECORD_PHP:
		return recorder_named(php_has(interpreter_of(r), "spx") ? "spx" : "xdebug");
	case PP_RECORD_NODE:
		if (pp_format_find("cpuprofile"))
			return recorder_named("node");
		return recorder_named("perf");
	case PP_RECORD_NATIVE:
	case PP_RECORD_PYTHON:
		break;
	}
	return recorder_named(!recorder_is_there(r, recorder_named("perf")) || perf_may_record() ||
	                              !recorder_is_there(r, recorder_named("callgrind"))
	                          ? "perf"
	                          : "callgrind");
}

/* An exit code, said, when there is no profiler to use; else 0. */
static int
recorder_find(const struct pp_cli *cli, struct pp_record *r)
{
	const char *with = pp_args_text(&cli->args, "with");

	r->recorder = with ? recorder_named(with) : recorder_choose(r);
	if (!recorder_fits(r, r->recorder))
		return pp_cli_wrong(cli, "%s does not record '%s': it is for %s", r->recorder->name,
		                    r->command[0],
		                    strcmp(r->recorder->name, "nytprof") == 0 ? "Perl scripts"
		                    : strcmp(r->recorder->name, "node") == 0  ? "scripts of node"
		                                                              : "PHP scripts");
	if (!recorder_is_there(r, r->recorder)) {
		pp_cli_error(cli, "%s is not installed; Debian's package: %s", r->recorder->name,
		             r->recorder->package);
		return PP_EXIT_OUTPUT;
	}
	if (strcmp(r->recorder->name, "perf") == 0 && !perf_may_record()) {
		pp_cli_error(cli, "the kernel does not let perf record: see "
		                  "/proc/sys/kernel/perf_event_paranoid, or use --with callgrind");
		return PP_EXIT_OUTPUT;
	}
	return 0;
}

/* ---- the recording ---------------------------------------------------------------------- */

/* Removes a directory and the files in it. */
static void
directory_remove(const char *path)
{
	DIR *listing = opendir(path);
	struct dirent *entry;

	while (listing && (entry = readdir(listing)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(listing), entry->d_name, 0);
	if (listing)
		(void)closedir(listing);
	(void)rmdir(path);
}

/* A new directory beside the output, by its whole path: the command may go elsewhere. */
static bool
directory_make(const char *output, char whole[PATH_MAX])
{
	const char *slash = strrchr(output, '/');
	struct pp_buf path = { 0 };
	bool fine;

	pp_buf_add(&path, output, slash ? (size_t)(slash - output) + 1 : 0);
	pp_buf_adds(&path, ".polyprof-XXXXXX");
	fine = !path.failed && mkdtemp(path.p);
	if (fine && !realpath(path.p, whole)) {
		(void)rmdir(path.p);
		fine = false;
	}
	pp_buf_release(&path);
	return fine;
}

/* What profilers are told by the environment. */
static bool
environment_set(const struct pp_record *r)
{
	struct pp_buf text = { 0 };
	const char *p;
	bool fine = true;

	if (strcmp(r->recorder->name, "nytprof") == 0) {
		pp_buf_adds(&text, "sigexit=int,hup,term,pipe,bus,segv:file=");
		for (p = r->directory; *p; p++)
			pp_buf_addf(&text, *p == ':' ? "\\%c" : "%c", *p);
		pp_buf_adds(&text, "/nytprof.out");
		fine = !text.failed && setenv("NYTPROF", text.p, 1) == 0;
	} else if (strcmp(r->recorder->name, "spx") == 0) {
		fine = setenv("SPX_ENABLED", "1", 1) == 0 &&
		       setenv("SPX_AUTO_START", "1", 1) == 0 &&
		       setenv("SPX_REPORT", "full", 1) == 0;
	} else if (strcmp(r->recorder->name, "perf") == 0 && r->kind == PP_RECORD_PYTHON) {
		fine = setenv("PYTHONPERFSUPPORT", "1", 1) == 0;
	}
	pp_buf_release(&text);
	return fine;
}

/* Moves a file into place; one of a default name that is there already is kept. */
static bool
file_move(const char *from, const char *to, bool keeps)
{
	struct pp_buf old = { 0 };

	if (keeps) {
		pp_buf_addf(&old, "%s.old", to);
		if (!old.failed)
			(void)rename(to, old.p);
		pp_buf_release(&old);
	}
	return rename(from, to) == 0;
}

/* SPX writes two files: the other one is named like the first. */
static bool
body_move(const char *directory, const char *made, const char *output)
{
	static const char *const endings[] = { ".txt.gz", ".txt.zst", ".txt" };
	size_t stem = strlen(made), out = strlen(output), i;
	struct pp_buf from = { 0 }, to = { 0 };
	bool moved = false;

	stem -= stem > 5 && strcmp(made + stem - 5, ".json") == 0 ? 5 : 0;
	out -= out > 5 && strcmp(output + out - 5, ".json") == 0 ? 5 : 0;
	for (i = 0; i < sizeof endings / sizeof *endings && !moved; i++) {
		from.n = to.n = 0;
		pp_buf_addf(&from, "%s/%.*s%s", directory, (int)stem, made, endings[i]);
		pp_buf_addf(&to, "%.*s%s", (int)out, output, endings[i]);
		moved = !from.failed && !to.failed && rename(from.p, to.p) == 0;
	}
	pp_buf_release(&from);
	pp_buf_release(&to);
	return moved;
}

/* The file that the profiler made, by its name in the directory; false when there is none. */
static bool
recording_find(const struct pp_record *r, struct pp_buf *found)
{
	bool pair = strcmp(r->recorder->name, "spx") == 0;
	DIR *listing = opendir(r->directory);
	size_t n = strlen(r->recorder->made);
	struct dirent *entry;
	struct stat st;

	found->n = 0;
	while (listing && !found->n && (entry = readdir(listing))) {
		const char *name = entry->d_name;

		if (strncmp(name, r->recorder->made, n) == 0 &&
		    (pair ? pp_slice_ends(pp_slice_z(name), ".json") : name[n] == '\0') &&
		    fstatat(dirfd(listing), name, &st, 0) == 0 && st.st_size > 0)
			pp_buf_adds(found, name);
	}
	if (listing)
		(void)closedir(listing);
	return found->n > 0 && !found->failed;
}

/* Puts it where it belongs; false when that failed (errno). */
static bool
recording_move(const struct pp_record *r, const char *made, const char *output, bool keeps)
{
	bool pair = strcmp(r->recorder->name, "spx") == 0, moved;
	struct pp_buf from = { 0 };

	pp_buf_addf(&from, "%s/%s", r->directory, made);
	moved = !from.failed && (!pair || body_move(r->directory, made, output)) &&
	        file_move(from.p, output, keeps);
	pp_buf_release(&from);
	return moved;
}

/* Whether a finding says that a file breaks off. Events that were lost on the way are no reason: the file is whole. */
static bool
is_half(const struct pp_diag *d)
{
	static const char *const endings[] = { "-cut", "-unfinished", "-features", "-process-open",
		                               "-no-main" };
	bool half = d->severity == PP_ERROR;
	size_t i;

	for (i = 0; i < sizeof endings / sizeof *endings; i++)
		half |= pp_slice_ends(pp_slice_z(d->rule->id), endings[i]);
	return half;
}

/* Reads it once: what a profiler that was killed, or met a full disk, leaves is no recording. False (said) when it is half a file. */
static bool
recording_is_whole(const struct pp_cli *cli, const struct pp_record *r, const char *made,
                   const char *output)
{
	static const char *const quickly[] = { "symbols=no", NULL };
	struct pp_read_opts opts = { .size = sizeof opts };
	pp_diags *diags = pp_diags_new();
	const struct pp_diag *why = NULL;
	pp_profile *profile = NULL;
	struct pp_buf path = { 0 };
	pp_status status;
	size_t i;

	if (strcmp(r->recorder->name, "perf") == 0)
		opts.options = quickly;
	pp_buf_addf(&path, "%s/%s", r->directory, made);
	status = path.failed || !diags ? PP_E_NOMEM : pp_read_file(path.p, &opts, diags, &profile);
	for (i = 0; diags && i < pp_diags_count(diags) && !why; i++)
		if (is_half(pp_diags_get(diags, i)))
			why = pp_diags_get(diags, i);
	if (why || status != PP_OK)
		pp_cli_error(cli, "%s: not kept, as %s left half a file: %s", output,
		             r->recorder->name, why ? why->message : pp_status_text(status));
	pp_profile_free(profile);
	pp_diags_free(diags);
	pp_buf_release(&path);
	return !why && status == PP_OK;
}

/* ---- what came out ---------------------------------------------------------------------- */

/* The summary: on standard error where standard output is the command's. */
static int
summary_print(const struct pp_cli *cli, const char *output)
{
	struct pp_cli summary = *cli;
	int out = -1, code;

	summary.command = &pp_command_summary;
	summary.args = (struct pp_args){ 0 };
	summary.path = "-";
	if (!pp_vec_push(&summary.args.words, output))
		return PP_EXIT_OUTPUT;
	if (!isatty(STDOUT_FILENO)) {
		out = dup(STDOUT_FILENO);
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		summary.style = cli->errors;
	}
	code = pp_cli_keep(&summary, pp_cli_ask(&summary));
	if (out >= 0) {
		(void)dup2(out, STDOUT_FILENO);
		(void)close(out);
	}
	pp_args_release(&summary.args);
	return code;
}

/* The exit code for how a command ended, said if that was no success. */
static int
ended(const struct pp_cli *cli, int status)
{
	if (WIFSIGNALED(status)) {
		pp_cli_note(cli, "the command was ended by signal %d (%s)", WTERMSIG(status),
		            strsignal(WTERMSIG(status)));
		return EXIT_SIGNAL + WTERMSIG(status);
	}
	if (WEXITSTATUS(status))
		pp_cli_note(cli, "the command ended with exit code %d", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

/* What the profiler made appears under its name, or nothing does, which is said. */
static bool
recording_keep(const struct pp_cli *cli, const struct pp_record *r, const char *output, bool keeps)
{
	struct pp_buf made = { 0 };
	bool kept = recording_find(r, &made);

	if (!kept)
		pp_cli_error(cli, "%s: %s recorded nothing", output, r->recorder->name);
	kept = kept && recording_is_whole(cli, r, made.p, output);
	if (kept && !recording_move(r, made.p, output, keeps)) {
		pp_cli_error(cli, "%s: cannot be written: %s", output, strerror(errno));
		kept = false;
	}
	pp_buf_release(&made);
	return kept;
}

static int
command_record(struct pp_cli *cli, struct pp_record *r, const char *output, bool keeps)
{
	int status = 0, error, code;

	pp_record_words(r);
	if (r->failed || !environment_set(r)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_OUTPUT;
	}
	if (r->kind == PP_RECORD_PYTHON && r->recorder->program && !python_tells(r))
		pp_cli_note(
		    cli,
		    "this Python does not tell %s its functions, so those of the interpreter are "
		    "recorded%s",
		    r->recorder->name,
		    strcmp(r->recorder->name, "perf") == 0 ? " (3.12 and later do)" : "");
	error = command_run(r, &status);
	if (error) {
		pp_cli_error(cli, "cannot run %s: %s", r->argv.at[0], strerror(error));
		return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	}
	code = ended(cli, status);
	if (!recording_keep(cli, r, output, keeps))
		return code ? code : PP_EXIT_OUTPUT;
	pp_cli_note(cli, "%s recorded %s", r->recorder->name, output);
	/* What other programs read is worth recording, too. */
	if (strcmp(r->recorder->name, "node") == 0 && !pp_format_find("cpuprofile"))
		return code;
	status = summary_print(cli, output);
	return code ? code : status;
}

/* Why a recording cannot take the place of what is there, for pp_sink_reason(); 0 when it can. */
static int
replacing_error(const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	if (exists && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? EISDIR : 0;
	return pp_file_is_store(path) ? PP_SINK_STORE : 0;
}

static int
record_run(struct pp_cli *cli)
{
	const char *given = pp_args_text(&cli->args, "output"), *output;
	struct pp_record r = { 0 };
	char directory[PATH_MAX];
	int error, code;

	if (cli->args.words.n == 0)
		return pp_cli_usage(cli, "a command is missing: polyprof record -- COMMAND");
	if (given && (!*given || strcmp(given, "-") == 0))
		return pp_cli_usage(cli, "standard output is the command's; name a file with -o");
	if (!pp_vec_push(&cli->args.words, NULL)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_OUTPUT;
	}
	r.command = cli->args.words.at;
	error = pp_record_look(&r);
	if (error) {
		pp_cli_error(cli, "cannot run %s: %s", r.command[0], strerror(error));
		code = error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	} else {
		code = recorder_find(cli, &r);
	}
	output = given || !r.recorder ? given : r.recorder->output;
	error = code == 0 && given ? replacing_error(given) : 0;
	if (error) {
		pp_cli_error(cli, "%s: cannot be written: %s", given, pp_sink_reason(error));
		code = PP_EXIT_OUTPUT;
	} else if (code == 0 && !directory_make(output, directory)) {
		pp_cli_error(cli, "%s: cannot be written: %s", output, strerror(errno));
		code = PP_EXIT_OUTPUT;
	} else if (code == 0) {
		r.directory = directory;
		code = command_record(cli, &r, output, !given);
		directory_remove(directory);
	}
	pp_record_release(&r);
	return code;
}
