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

#include "io/rules.h"
#include "output/diag_view.h"
#include "text/escape.h"

/* Narrower than this nothing sensible fits. */
#define WIDTH_MIN 40
/* Bytes of output that are always written, and how many for each byte of input. */
#define OUTPUT_ALWAYS ((uint64_t)256 << 20)
#define OUTPUT_TIMES 64

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
	cli->strict = pp_args_flag(&cli->args, "strict");
	cli->errors.colour = colour_wanted(when, STDERR_FILENO);
	cli->out_terminal = to_stdout && isatty(STDOUT_FILENO);
	cli->style.colour = to_stdout ? colour_wanted(when, STDOUT_FILENO)
	                              : when && !strcmp(when, "always");
	cli->style.width = cli->out_terminal ? terminal_width(STDOUT_FILENO) : 0;
}

/* ---- the answer ---- */

/* How much is written unless told otherwise: few bytes of input must not fill a disk. 0 = any number. */
static uint64_t
output_most(uint64_t input)
{
	if (input == 0 || input > UINT64_MAX / OUTPUT_TIMES)
		return 0;
	return input * OUTPUT_TIMES > OUTPUT_ALWAYS ? input * OUTPUT_TIMES : OUTPUT_ALWAYS;
}

int
pp_cli_output(struct pp_cli *cli)
{
	unsigned how = PP_SINK_BY_NAME;
	int error = 0;
	pp_status status;

	if (cli->out)
		return 0;
	if (pp_args_flag(&cli->args, "no-fsync"))
		how |= PP_SINK_NO_SYNC;
	status = pp_sink_file(cli->path, how, &cli->out, &error);
	if (status != PP_OK)
		return pp_cli_output_failed(cli, cli->path, status, error);
	cli->out->most = pp_args_count(&cli->args, "max-output", output_most(cli->input_bytes));
	return 0;
}

/* Frees the output while no signal handler looks at it. */
static void
output_close(struct pp_cli *cli)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	pp_sink_close(cli->out);
	cli->out = NULL;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

int
pp_cli_keep(struct pp_cli *cli, int code)
{
	pp_status status;
	int error;

	if (!cli->out)
		return code;
	status = pp_sink_commit(cli->out);
	error = cli->out->error;
	output_close(cli);
	return status == PP_OK ? code : pp_cli_output_failed(cli, cli->path, status, error);
}

int
pp_cli_finish(struct pp_cli *cli, int code)
{
	if (!cli->out || code < PP_EXIT_USAGE || cli->out->status != PP_OK)
		return pp_cli_keep(cli, code);
	output_close(cli);
	return code;
}

/* ---- messages ---- */

struct pp_sink *
pp_cli_err(struct pp_buf *buf)
{
	struct pp_sink *sink = NULL;

	*buf = (struct pp_buf){ 0 };
	return pp_sink_buffer(buf, &sink) == PP_OK ? sink : NULL;
}

void
pp_cli_err_done(struct pp_sink *sink, struct pp_buf *buf)
{
	size_t at = 0;

	if (sink)
		(void)pp_sink_commit(sink);
	while (at < buf->n) {
		ssize_t n = write(STDERR_FILENO, buf->p + at, buf->n - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* nobody is left to be told */
		at += (size_t)n;
	}
	pp_sink_close(sink);
	pp_buf_release(buf);
}

enum message { MESSAGE_NOTE, MESSAGE_ERROR, MESSAGE_USAGE };

/* "polyprof: error: TEXT" and, for usage errors, where help is. */
static void
message_print(const struct pp_cli *cli, enum message kind, const char *fmt, va_list args)
{
	/* There must be memory to say that there is none. */
	struct pp_account *account = pp_account_enter(NULL);
	struct pp_buf buf, text = { 0 };
	struct pp_sink *err = pp_cli_err(&buf);

	pp_buf_vaddf(&text, fmt, args);
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

int
pp_cli_no_terminal(const struct pp_cli *cli, const char *example)
{
	if (!cli->out_terminal || pp_args_text(&cli->args, "output"))
		return 0;
	return pp_cli_wrong(
	    cli, "this is for a browser, not for a terminal; write it to a file: -o %s", example);
}

int
pp_cli_output_failed(const struct pp_cli *cli, const char *path, pp_status status, int error)
{
	struct pp_diags diags;

	if (error == EPIPE)
		return PP_EXIT_OUTPUT;
	pp_diags_init(&diags);
	pp_diags_set_file(&diags, strcmp(path, "-") == 0 ? "standard output" : path);
	pp_diag_add(&diags, &pp_io_rules[PP_IO_WRITE_FAILED], PP_NOWHERE, "cannot write: %s",
	            status == PP_E_LIMIT ? "it would be too large; --max-output SIZE allows more"
	            : error              ? strerror(error)
	                                 : pp_status_text(status));
	pp_cli_diags(cli, &diags);
	pp_diags_release(&diags);
	return PP_EXIT_OUTPUT;
}

void
pp_cli_diags(const struct pp_cli *cli, const struct pp_diags *diags)
{
	struct pp_account *account;
	struct pp_buf buf;
	struct pp_sink *err;

	if (diags->list.n == 0 && diags->counts.n == 0)
		return;
	account = pp_account_enter(NULL);
	err = pp_cli_err(&buf);
	if (err)
		pp_diags_print(diags, cli->quiet ? PP_ERROR : PP_NOTE,
		               cli->verbose ? 0 : PP_DIAG_SHOWN, &cli->errors, err);
	pp_cli_err_done(err, &buf);
	(void)pp_account_enter(account);
}
