/*
 * The program: finds the command, parses its options, runs it, and makes sure of the ending.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/help.h"

/* ---- before anything else ---- */

/*
 * A closed standard stream would be given to the first file opened. Its place is taken by /dev/null,
 * opened the wrong way round, so that using it is still an error.
 */
static void
streams_guard(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
}

/* A mapped file that somebody cuts while we read it: the pages behind its new end are gone. */
static void
on_bus_error(int signal_number)
{
	static const char text[] =
	    "polyprof: error: the input became shorter while it was being read\n";
	ssize_t said = write(STDERR_FILENO, text, sizeof text - 1);

	(void)said;
	_exit(PP_EXIT_INPUT);
}

/* What a signal must not leave half done; a handler can be told in no other way. */
static const struct pp_cli *volatile running;

/* Takes half a file away, where the file system cannot write without a name, and dies as it was told. */
static void
on_stop(int signal_number)
{
	if (running)
		pp_output_drop(running->out);
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static void
signals_set(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_bus_error }, old;
	size_t i;

	(void)sigaction(SIGBUS, &action, NULL);
	/* A reader who goes away, and a file that grows too large, are seen as failed writes. */
	action.sa_handler = SIG_IGN;
	(void)sigaction(SIGPIPE, &action, NULL);
	(void)sigaction(SIGXFSZ, &action, NULL);
	action.sa_handler = on_stop;
	for (i = 0; i < PP_COUNT_OF(stops); i++)
		if (sigaction(stops[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			(void)sigaction(stops[i], &action, NULL);
}

/* ---- which command ---- */

static const struct pp_command *
command_default(void)
{
	const struct pp_command *const *command = pp_commands;

	while (!((*command)->flags & PP_COMMAND_HIDDEN))
		command++;
	return *command;
}

/* Whether a word that is no command is meant as a file. */
static bool
looks_like_file(const char *word)
{
	struct stat st;

	return strcmp(word, "-") == 0 || strpbrk(word, "./") || stat(word, &st) == 0;
}

/* A directory instead of a file, unless it is a recording: the profiles in it are what can be told. */
static bool
is_directory(const char *word)
{
	const pp_format *format;
	struct stat st;

	return stat(word, &st) == 0 && S_ISDIR(st.st_mode) &&
	       pp_recognise_file(word, NULL, NULL, &format, NULL) != PP_OK;
}

static int
command_unknown(struct pp_cli *cli, const char *word)
{
	struct pp_buf hint = { 0 };
	int code;

	pp_suggest_command(word, &hint);
	code = pp_cli_usage(cli, "'%s' is neither a command nor a file%s", word,
	                    hint.n ? hint.p : "");
	pp_buf_release(&hint);
	return code;
}

/* ---- running ---- */

/* `polyprof --help` is about the program, `polyprof FILE --help` about what that does. */
static int
print_help(struct pp_cli *cli)
{
	struct pp_buf text;
	struct pp_sink *out = pp_cli_text(&text);

	cli->path = "-"; /* help is an answer to the user, whatever -o says */
	if (out && (cli->command->flags & PP_COMMAND_HIDDEN) && cli->args.words.n == 0)
		pp_help_overview(&cli->style, out);
	else if (out)
		pp_help_command(cli->command, &cli->style, out);
	return pp_cli_finish(cli, pp_cli_out_done(cli, out, &text));
}

static int
print_version(struct pp_cli *cli)
{
	struct pp_buf text;
	struct pp_sink *out = pp_cli_text(&text);

	pp_cli_init(cli);
	if (out)
		pp_cli_version(out);
	return pp_cli_finish(cli, pp_cli_out_done(cli, out, &text));
}

/* Whether an option of the program itself stands before the first word. */
static bool
has_version(int argc, char *const *argv, int word)
{
	int i;

	for (i = 0; i < argc && i < word && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
			return true;
	return false;
}

static int
command_run(struct pp_cli *cli, int argc, char *const *argv)
{
	struct pp_buf problem = { 0 };
	int code;

	if (!pp_args_parse(&cli->args, cli->command, argc, argv, &problem)) {
		code = pp_cli_usage(cli, "%s", problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
		pp_buf_release(&problem);
		return code;
	}
	pp_cli_init(cli);
	if (pp_args_flag(&cli->args, "help"))
		return print_help(cli);
	return pp_cli_finish(cli, cli->command->run ? cli->command->run(cli) : pp_cli_ask(cli));
}

/* Moves the command's name out of the arguments: options may stand before it. */
static int
run(struct pp_cli *cli, int argc, char **argv)
{
	int word = pp_args_first_word(argc, argv);
	int i;

	cli->command = command_default();
	if (has_version(argc, argv, word))
		return print_version(cli);
	if (word < argc && !(word > 0 && strcmp(argv[word - 1], "--") == 0)) {
		const struct pp_command *named = pp_command_find(argv[word]);

		if (!named && !looks_like_file(argv[word]))
			return command_unknown(cli, argv[word]);
		if (named) {
			cli->command = named;
			for (i = word; i + 1 < argc; i++)
				argv[i] = argv[i + 1];
			argc--;
		} else if (is_directory(argv[word])) {
			cli->command = pp_command_find("list");
		}
	}
	return command_run(cli, argc, argv);
}

/* Whether arguments that could not be parsed ask for JSON. */
static bool
asks_json(int argc, char *const *argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--format=json") == 0 ||
		    (i + 1 < argc && strcmp(argv[i], "--format") == 0 &&
		     strcmp(argv[i + 1], "json") == 0))
			return true;
	return false;
}

/* Under --json an error is an object on standard output. */
static void
problem_print(const struct pp_problem *p, int code)
{
	struct pp_sink *out;
	struct pp_buf text;

	if (code < PP_EXIT_USAGE || !p->json || p->answered)
		return;
	out = pp_cli_text(&text);
	if (!out)
		return;
	pp_problem_json(p, code, out);
	pp_cli_stdout_done(out, &text);
}

int
main(int argc, char **argv)
{
	struct pp_problem problem = { .known = false };
	struct pp_cli cli = { .problem = &problem };
	int code;

	streams_guard();
	signals_set();
	running = &cli;
	/* Parsing says more exactly what is an option, as far as it comes. */
	problem.json = asks_json(argc > 0 ? argc - 1 : 0, argv + 1);
	code = run(&cli, argc > 0 ? argc - 1 : 0, argv + 1);
	running = NULL;
	pp_output_free(cli.out);
	problem_print(&problem, code);
	pp_problem_release(&problem);
	pp_args_release(&cli.args);
	return code;
}
