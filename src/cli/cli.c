/*
 * One run of the program: output, messages, endings.
 */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text/escape.h"
#include "text/path.h"

/* Narrower than this nothing sensible fits. */
#define WIDTH_MIN 40

static bool
colour_wanted(const char *when, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when && strcmp(when, "always") == 0)
		return true;
	if (when && strcmp(when, "never") == 0)
		return false;
	if ((no_color && *no_color) || (term && strcmp(term, "dumb") == 0))
		return false;
	return isatty(fd);
}

/* COLUMNS when it says something, else what the terminal says; 80 when it does not know. */
static unsigned
terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;

	if (width == 0 || width > 10000)
		width = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
	return width < WIDTH_MIN ? WIDTH_MIN : (unsigned)width;
}

void
pp_cli_init(struct pp_cli *cli)
{
	const char *when = pp_args_text(&cli->args, "color");
	const char *path = pp_args_text(&cli->args, "output");
	bool to_stdout = !path || strcmp(path, "-") == 0;

	cli->path = path ? path : "-";
	cli->quiet = pp_args_flag(&cli->args, "quiet");
	cli->verbose = pp_args_flag(&cli->args, "verbose");
	cli->errors.colour = colour_wanted(when, STDERR_FILENO);
	cli->out_terminal = to_stdout && isatty(STDOUT_FILENO);
	cli->style.colour = to_stdout ? colour_wanted(when, STDOUT_FILENO)
	                              : when && !strcmp(when, "always");
	cli->style.width = cli->out_terminal ? terminal_width(STDOUT_FILENO) : 0;
}

/* ---- the answer ---- */

/* Says why an output could not be written; that a reader went away is no news. */
static int
output_failed(const struct pp_cli *cli, pp_diags *diags, int error)
{
	if (diags && error != EPIPE)
		pp_cli_diags(cli, diags);
	pp_diags_free(diags);
	return PP_EXIT_OUTPUT;
}

int
pp_cli_output(struct pp_cli *cli)
{
	pp_diags *diags;
	int error = 0;

	if (cli->out)
		return 0;
	diags = pp_diags_new();
	if (pp_output_open(cli->path, !pp_args_flag(&cli->args, "no-fsync"), diags, &cli->out,
	                   &error) != PP_OK)
		return output_failed(cli, diags, error);
	pp_diags_free(diags);
	cli->problem->answered |= strcmp(cli->path, "-") == 0;
	return 0;
}

/* Whether an ending says what a file holds. */
static bool
ending_is_known(struct pp_slice ending)
{
	size_t i;

	if (pp_ending_listed(ending, pp_endings_other) ||
	    pp_ending_listed(ending, "txt log json jsonl"))
		return true;
	for (i = 0; i < pp_format_count() && !pp_ending_listed(ending, pp_endings_vague); i++)
		if (pp_ending_listed(ending, pp_format_extensions(pp_format_get(i))))
			return true;
	return false;
}

int
pp_cli_ending(const struct pp_cli *cli, const char *endings)
{
	struct pp_slice ending = pp_path_ending(cli->path);

	if (pp_ending_listed(ending, endings) || !ending_is_known(ending))
		return 0;
	return pp_cli_wrong(cli,
	                    "%s would be a misleading name for %.*s output: use "
	                    "%.*s%.*s",
	                    cli->path, (int)strcspn(endings, " "), endings,
	                    (int)((const char *)ending.p - cli->path), cli->path,
	                    (int)strcspn(endings, " "), endings);
}

/* Frees the output while no signal handler looks at it. */
static void
output_close(struct pp_cli *cli)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	pp_output_free(cli->out);
	cli->out = NULL;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

int
pp_cli_keep(struct pp_cli *cli, int code)
{
	pp_diags *diags = pp_diags_new();
	pp_status status = PP_OK;
	int error = 0;

	if (cli->out)
		status = pp_output_commit(cli->out, cli->path, diags, &error);
	output_close(cli);
	if (status != PP_OK)
		return output_failed(cli, diags, error);
	pp_diags_free(diags);
	return code;
}

int
pp_cli_finish(struct pp_cli *cli, int code)
{
	if (!cli->out || code < PP_EXIT_USAGE || pp_output_failed(cli->out))
		return pp_cli_keep(cli, code);
	output_close(cli);
	return code;
}

/* ---- text of our own ---- */

struct pp_sink *
pp_cli_text(struct pp_buf *buf)
{
	struct pp_sink *sink = NULL;

	*buf = (struct pp_buf){ 0 };
	return pp_sink_buffer(buf, &sink) == PP_OK ? sink : NULL;
}

int
pp_cli_out_done(struct pp_cli *cli, struct pp_sink *sink, struct pp_buf *buf)
{
	int code = sink && pp_sink_commit(sink) == PP_OK ? pp_cli_output(cli) : PP_EXIT_OUTPUT;

	if (code == 0)
		pp_output_write(cli->out, buf->p, buf->n);
	pp_sink_close(sink);
	pp_buf_release(buf);
	return code;
}

static void
fd_write(int fd, const char *text, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t written = write(fd, text + at, n - at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			break; /* nobody is left to be told */
		at += (size_t)written;
	}
}

static void
text_done(int fd, struct pp_sink *sink, struct pp_buf *buf)
{
	if (sink)
		(void)pp_sink_commit(sink);
	fd_write(fd, buf->p, buf->n);
	pp_sink_close(sink);
	pp_buf_release(buf);
}

void
pp_cli_err_done(struct pp_sink *sink, struct pp_buf *buf)
{
	text_done(STDERR_FILENO, sink, buf);
}

void
pp_cli_stdout_done(struct pp_sink *sink, struct pp_buf *buf)
{
	text_done(STDOUT_FILENO, sink, buf);
}

/* ---- messages ---- */

enum message { MESSAGE_NOTE, MESSAGE_ERROR, MESSAGE_USAGE };

/* "polyprof: error: TEXT" and, for usage errors, where help is. */
static void
message_print(const struct pp_cli *cli, enum message kind, const char *fmt, va_list args)
{
	/* There must be memory to say that there is none. */
	struct pp_account *account = pp_account_enter(NULL);
	struct pp_buf buf, text = { 0 };
	struct pp_sink *err = pp_cli_text(&buf);

	pp_buf_vaddf(&text, fmt, args);
	if (kind != MESSAGE_NOTE && text.p)
		pp_problem_keep(cli->problem, kind == MESSAGE_USAGE ? "usage" : "", text.p, NULL);
	if (err && text.p) {
		pp_ink_put(err, &cli->errors, PP_INK_TITLE, "polyprof:");
		pp_sink_putc(err, ' ');
		if (kind != MESSAGE_NOTE) {
			pp_ink_put(err, &cli->errors, PP_INK_ERROR, "error:");
			pp_sink_putc(err, ' ');
		}
		pp_ink_text(err, &cli->errors, PP_INK_PLAIN, pp_slice_of(text.p, text.n));
		pp_sink_putc(err, '\n');
		if (kind == MESSAGE_USAGE && cli->command &&
		    !(cli->command->flags & PP_COMMAND_HIDDEN))
			pp_sink_printf(err, "Try `polyprof %s --help`.\n", cli->command->name);
		else if (kind == MESSAGE_USAGE)
			pp_sink_puts(err, "Try `polyprof --help`.\n");
	}
	pp_cli_err_done(err, &buf);
	pp_buf_release(&text);
	(void)pp_account_enter(account);
}

void
pp_cli_error(const struct pp_cli *cli, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_print(cli, MESSAGE_ERROR, fmt, args);
	va_end(args);
}

void
pp_cli_error_of(const struct pp_cli *cli, const char *rule, const char *file, const char *text)
{
	pp_problem_keep(cli->problem, rule, text, file);
	pp_cli_error(cli, "%s", text);
}

void
pp_cli_note(const struct pp_cli *cli, const char *fmt, ...)
{
	va_list args;

	if (cli->quiet)
		return;
	va_start(args, fmt);
	message_print(cli, MESSAGE_NOTE, fmt, args);
	va_end(args);
}

int
pp_cli_usage(const struct pp_cli *cli, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_print(cli, MESSAGE_USAGE, fmt, args);
	va_end(args);
	return PP_EXIT_USAGE;
}

int
pp_cli_wrong(const struct pp_cli *cli, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message_print(cli, MESSAGE_ERROR, fmt, args);
	va_end(args);
	return PP_EXIT_USAGE;
}

void
pp_cli_diags(const struct pp_cli *cli, const pp_diags *diags)
{
	char *text;

	if (pp_diags_total(diags, PP_NOTE) == 0)
		return;
	pp_problem_keep_worst(cli->problem, diags);
	text = pp_diags_text(diags, cli->quiet ? PP_ERROR : PP_NOTE,
	                     cli->verbose ? 0 : PP_FINDINGS_SHOWN, cli->errors.colour);
	if (text)
		fd_write(STDERR_FILENO, text, strlen(text));
	pp_free(text);
}
