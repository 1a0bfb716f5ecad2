/*
 * Questions on the command line: from options to parameters, from an answer to the output.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/progress.h"
#include "cli/stores.h"
#include "text/escape.h"
#include "text/suggest.h"
#include "text/units.h"

/* ---- what is asked ---- */

/* Files to ask about, and parameters as "name=value"; both in one arena of text. */
struct request {
	PP_VEC(const char *) files, params;
	PP_VEC(char *) texts; /* that the parameters are made of */
	bool failed;
};

static void
request_release(struct request *r)
{
	while (r->texts.n > 0)
		free(r->texts.at[--r->texts.n]);
	pp_vec_release(&r->texts);
	pp_vec_release(&r->files);
	pp_vec_release(&r->params);
}

static void
param_add(struct request *r, const struct pp_param *param, const char *value)
{
	struct pp_buf text = { 0 };

	pp_buf_addf(&text, "%s=%s", param->name, value ? value : "");
	if (text.failed || !pp_vec_push(&r->texts, text.p)) {
		pp_buf_release(&text);
		r->failed = true;
		return;
	}
	r->failed |= !pp_vec_push(&r->params, text.p);
}

/* Whether an option takes the words behind it, too: FILE... */
static bool
takes_words(const struct pp_param *option)
{
	size_t n = option->value ? strlen(option->value) : 0;

	return n > 3 && strcmp(option->value + n - 3, "...") == 0;
}

/* Options, the words that each of them takes, and then the words that nobody takes. */
static void
request_fill(struct request *r, const struct pp_cli *cli)
{
	const struct pp_args *args = &cli->args;
	const struct pp_param *word = pp_question_word(cli->command->question);
	const struct pp_param *taker = NULL;
	size_t i, w = 0;

	for (i = 0; i <= args->given.n; i++) {
		const struct pp_given *given = i < args->given.n ? &args->given.at[i] : NULL;

		/* The words up to the next option that takes some belong to the one before. */
		for (; (!given || takes_words(given->option)) &&
		       w < (given ? given->words : args->words.n);
		     w++) {
			bool named = word && (word->kind == PP_PARAM_TEXTS || w == 0);

			if (taker || named)
				param_add(r, taker ? taker : word, args->words.at[w]);
			else
				r->failed |= !pp_vec_push(&r->files, args->words.at[w]);
		}
		if (given && pp_option_asks(given->option))
			param_add(r, given->option, given->text);
		if (given && takes_words(given->option))
			taker = given->option;
	}
	r->failed |= !pp_vec_push(&r->params, (const char *)NULL);
}

/* Whether somebody feeds standard input: a pipe, a socket or a file, not a terminal or /dev/null. */
static bool
stdin_is_fed(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISREG(st.st_mode));
}

/* Without a file, what is piped in is meant. */
static int
files_check(struct pp_cli *cli, struct request *r)
{
	const struct pp_param *word = pp_question_word(cli->command->question);
	pp_asks asks = pp_question_asks(cli->command->question);

	if (r->files.n || asks == PP_ASKS_SIDES || asks == PP_ASKS_FOLDERS ||
	    asks == PP_ASKS_NOTHING || (word && cli->args.words.n == 0))
		return 0;
	if (stdin_is_fed()) {
		r->failed |= !pp_vec_push(&r->files, (const char *)"-");
		return 0;
	}
	pp_problem_keep(cli->problem, "usage", "name a file", NULL);
	pp_help_usage(cli);
	return PP_EXIT_USAGE;
}

/* ---- what is said meanwhile ---- */

struct listener {
	const struct pp_cli *cli;
	struct pp_progress bytes, files;
};

static void
note_print(void *ctx, pp_severity severity, const char *rule, const char *text)
{
	const struct pp_cli *cli = ((struct listener *)ctx)->cli;

	if (strcmp(rule, "usage") == 0)
		(void)pp_cli_usage(cli, "%s", text);
	else if (severity == PP_ERROR)
		pp_cli_error_of(cli, rule, NULL, text);
	else
		pp_cli_note(cli, "%s", text);
}

static void
findings_print(void *ctx, const pp_diags *diags)
{
	pp_cli_diags(((struct listener *)ctx)->cli, diags);
}

static void
progress_show(void *ctx, const struct pp_progress_at *at)
{
	struct listener *l = ctx;

	pp_progress_show(at->files ? &l->files : &l->bytes, l->cli, at);
}

/* Whether all candidates have one name, so that it is their places that tell them apart. */
static bool
names_equal(const pp_answer *answer, size_t n)
{
	struct pp_text first, name, place;
	size_t i;

	pp_answer_candidate(answer, 0, &first, &place);
	for (i = 1; i < n; i++) {
		pp_answer_candidate(answer, i, &name, &place);
		if (name.size != first.size || memcmp(name.data, first.data, name.size) != 0)
			return false;
	}
	return n > 1;
}

/* What was meant perhaps, below the message: as it has to be typed. */
static void
candidates_print(const struct pp_cli *cli, const pp_answer *answer)
{
	struct pp_buf buf, text = { 0 };
	struct pp_sink *err = pp_cli_text(&buf);
	size_t i, more, n = pp_answer_candidates(answer, &more);
	bool equal = names_equal(answer, n);

	pp_problem_keep_candidates(cli->problem, answer);
	for (i = 0; i < n; i++) {
		struct pp_text name, place;

		pp_answer_candidate(answer, i, &name, &place);
		pp_buf_adds(&text, "  ");
		if (equal) {
			pp_escape_terminal(&text, pp_slice_of(place.data, place.size));
			pp_buf_addc(&text, ':');
		}
		pp_escape_terminal(&text, pp_slice_of(name.data, name.size));
		if (place.size && !equal) {
			pp_buf_adds(&text, "  (");
			pp_escape_terminal(&text, pp_slice_of(place.data, place.size));
			pp_buf_adds(&text, ")");
		}
		pp_buf_adds(&text, "\n");
	}
	if (more) {
		pp_buf_adds(&text, "  ... and ");
		pp_units_u64(&text, more);
		pp_buf_adds(&text, " more\n");
	}
	if (err && text.p)
		pp_sink_write(err, text.p, text.n);
	pp_cli_err_done(err, &buf);
	pp_buf_release(&text);
}

/* ---- what can be asked next ---- */

/* What can be asked, and the command to type: "polyprof BEFORE FILE... AFTER". */
static void
hint_print(const struct pp_cli *cli, struct pp_sink *out, const struct pp_next *next,
           const struct request *r, size_t column)
{
	struct pp_buf text = { 0 };
	size_t i, n = next->file ? 1 : r->files.n;

	pp_buf_adds(&text, *next->before ? "polyprof " : "polyprof");
	pp_buf_adds(&text, next->before);
	for (i = 0; i < n && i < 3; i++) {
		pp_buf_addc(&text, ' ');
		pp_suggest_word(&text, next->file ? next->file : r->files.at[i]);
	}
	pp_buf_adds(&text, n > 3 ? " ..." : "");
	pp_buf_adds(&text, next->after);
	pp_sink_printf(out, "  %s", next->does);
	/* A command that does not fit beside its description stands below it, easy to copy. */
	if (cli->style.width > 0 && text.n > 0 &&
	    2 + column + pp_text_columns(text.p, text.n) > cli->style.width)
		pp_sink_puts(out, "\n      ");
	else
		pp_text_pad(out, column - pp_text_columns(next->does, strlen(next->does)));
	pp_ink_text(out, &cli->style, PP_INK_COMMAND, pp_slice_of(text.p ? text.p : "", text.n));
	pp_sink_putc(out, '\n');
	pp_buf_release(&text);
}

/* Those about one file out of many are for people who look at a terminal. */
static void
hints_print(struct pp_cli *cli, const pp_answer *answer, const struct request *r)
{
	struct pp_next next;
	struct pp_buf buf;
	struct pp_sink *out;
	size_t i, column = 0;

	for (i = 0; pp_answer_next(answer, i, &next); i++)
		if (!next.file || cli->out_terminal) {
			size_t wide = pp_text_columns(next.does, strlen(next.does)) + 2;

			column = wide > column ? wide : column;
		}
	if (column == 0)
		return;
	out = pp_cli_text(&buf);
	if (out) {
		pp_sink_putc(out, '\n');
		pp_ink_put(out, &cli->style, PP_INK_TITLE, "Next steps");
		pp_sink_putc(out, '\n');
	}
	for (i = 0; out && pp_answer_next(answer, i, &next); i++)
		if (!next.file || cli->out_terminal)
			hint_print(cli, out, &next, r, column);
	(void)pp_cli_out_done(cli, out, &buf);
}

/* ---- the answer ---- */

/* How the answer is printed; false (said) when the options exclude each other. */
static bool
form_find(struct pp_cli *cli, pp_rendering_form *form)
{
	unsigned gives = pp_question_gives(cli->command->question);
	bool json = (gives & PP_GIVES_JSON) && pp_args_flag(&cli->args, "json");
	bool csv = (gives & PP_GIVES_CSV) && pp_args_flag(&cli->args, "csv");
	const char *format = gives & PP_GIVES_JSON ? pp_args_text(&cli->args, "format") : NULL;

	if (format && (json || csv) && strcmp(format, json ? "json" : "csv") != 0) {
		(void)pp_cli_usage(cli, "--format %s and --%s cannot be used together", format,
		                   json ? "json" : "csv");
		return false;
	}
	json |= format && strcmp(format, "json") == 0;
	csv |= format && strcmp(format, "csv") == 0;
	*form = json                    ? PP_RENDER_JSON
	        : csv                   ? PP_RENDER_CSV
	        : gives & PP_GIVES_FILE ? PP_RENDER_FILE
	                                : PP_RENDER_TEXT;
	if (json && csv)
		(void)pp_cli_usage(cli, "--json and --csv cannot be used together");
	return !json || !csv;
}

static int
answer_print(struct pp_cli *cli, pp_answer *answer, pp_rendering_form form, const struct request *r)
{
	struct pp_print_opts opts = { .size = sizeof opts,
		                      .form = form,
		                      .width = cli->style.width,
		                      .colour = cli->style.colour,
		                      .terminal = cli->out_terminal,
		                      .all_hint = "-n 0 shows all" };
	int code = pp_cli_output(cli);
	pp_status status;

	if (code)
		return code;
	status = pp_answer_print(answer, &opts, cli->out);
	if (status == PP_OK && form == PP_RENDER_TEXT)
		hints_print(cli, answer, r);
	return pp_exit_of(status);
}

/* A stretch of time in which files must have changed, ns since 1970; all 0 = it does not matter. */
struct stretch {
	int64_t from, to;
};

static int
ask(struct pp_cli *cli, const char *question, const struct request *r, pp_rendering_form form,
    struct stretch when)
{
	struct listener listener = { .cli = cli };
	struct pp_ask_opts opts = { .size = sizeof opts,
		                    .form = form,
		                    .quiet = cli->quiet,
		                    .verbose = cli->verbose,
		                    .ctx = &listener,
		                    .map = true, /* main() handles SIGBUS */
		                    .terminal = cli->out_terminal,
		                    .changed_from = when.from,
		                    .changed_to = when.to,
		                    .provider = pp_cli_provider(),
		                    .note = note_print,
		                    .findings = findings_print,
		                    .progress = pp_progress_wanted(cli) ? progress_show : NULL };
	pp_answer *answer = NULL;
	pp_status status = pp_ask_files(r->files.at, r->files.n, question, r->params.at, &opts,
	                                &answer);
	bool stands = answer && pp_answer_stands(answer);
	int code = pp_exit_of(status), printed = 0;

	if (!answer)
		pp_cli_error(cli, "%s", pp_status_text(status));
	else if (status != PP_OK)
		candidates_print(cli, answer);
	/* While watching, nothing new is nothing to say. */
	if ((status == PP_OK || stands) && !(when.from && pp_answer_rows(answer, 0) == 0))
		printed = answer_print(cli, answer, form, r);
	if (code == 0 && printed == 0 && pp_answer_exceeds(answer))
		code = PP_EXIT_FINDINGS;
	pp_answer_free(answer);
	code = code ? code : printed;
	cli->problem->answered |= stands && printed == 0;
	return stands && printed == 0 ? pp_cli_keep(cli, code) : code;
}

int
pp_cli_ask_files(struct pp_cli *cli, const char *question, const char *const *files, size_t n,
                 const char *const *params, pp_rendering_form form)
{
	struct request r = { .failed = false };
	int code = PP_EXIT_INPUT;
	size_t i;

	for (i = 0; i < n; i++)
		r.failed |= !pp_vec_push(&r.files, files[i]);
	for (i = 0; params[i]; i++)
		r.failed |= !pp_vec_push(&r.params, params[i]);
	r.failed |= !pp_vec_push(&r.params, (const char *)NULL);
	if (r.failed)
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
	else
		code = ask(cli, question, &r, form, (struct stretch){ 0, 0 });
	request_release(&r);
	return code;
}

/* ---- watching ---- */

/* A file that did not change for so long is taken as written; and how often is looked for more. */
#define SETTLED_NS 400000000
#define LOOK_MS 500

static int64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Asks again and again about what changed since, until interrupted or nobody reads the answers any more. */
static int
watch(struct pp_cli *cli, const struct request *r, pp_rendering_form form)
{
	struct pollfd reader = { .fd = STDOUT_FILENO };
	struct stretch when = { 0, now_ns() - SETTLED_NS };
	int code;

	for (;;) {
		code = pp_cli_finish(cli, ask(cli, cli->command->question, r, form, when));
		if (code)
			return code;
		reader.revents = 0;
		if (poll(&reader, 1, LOOK_MS) > 0 && reader.revents & (POLLERR | POLLNVAL))
			return PP_EXIT_OK;
		when.from = when.to;
		when.to = now_ns() - SETTLED_NS;
		when.to = when.to > when.from ? when.to : when.from + 1;
	}
}

/* The endings that fit what will be written, the best first; NULL = the format decides. */
static const char *
endings_of(const struct pp_cli *cli, pp_rendering_form form)
{
	static const char *const formats[][2] = { { "markdown", "md txt log" },
		                                  { "junit", "xml txt log" },
		                                  { "github", "txt log" },
		                                  { "sarif", "sarif json" },
		                                  { "json", "json txt log" },
		                                  { "dot", "dot gv txt" },
		                                  { "svg", "svg" } };
	const struct pp_command *command = cli->command;
	const char *format = pp_args_text(&cli->args, "format");
	size_t i;

	for (i = 0; format && i < PP_COUNT_OF(formats); i++)
		if (strcmp(format, formats[i][0]) == 0)
			return formats[i][1];
	if (form == PP_RENDER_JSON)
		return "json txt log";
	if (form == PP_RENDER_CSV)
		return "csv txt log";
	if (form == PP_RENDER_TEXT)
		return "txt log";
	if (strcmp(command->name, "graph") == 0)
		return "svg dot gv txt";
	return !command->picture                            ? NULL
	       : strcmp(command->picture, "flame.svg") == 0 ? "svg"
	                                                    : "html htm";
}

/* The first file or directory that is asked about; NULL = none. */
static const char *
file_asked(const struct pp_cli *cli, const struct request *r)
{
	pp_asks asks = pp_question_asks(cli->command->question);

	if (r->files.n > 0)
		return r->files.at[0];
	return asks == PP_ASKS_FOLDERS && cli->args.words.n ? cli->args.words.at[0] : NULL;
}

int
pp_cli_ask(struct pp_cli *cli)
{
	struct request r = { .failed = false };
	pp_rendering_form form;
	int code = form_find(cli, &form) ? 0 : PP_EXIT_USAGE;

	if (code == 0) {
		const char *format = pp_args_text(&cli->args, "format");

		cli->problem->json = form == PP_RENDER_JSON || pp_args_flag(&cli->args, "json") ||
		                     (format && strcmp(format, "json") == 0);
		request_fill(&r, cli);
		cli->problem->asked = file_asked(cli, &r);
		code = files_check(cli, &r);
	}
	if (code == 0 && cli->command->picture && cli->out_terminal &&
	    !pp_args_text(&cli->args, "output"))
		code = pp_cli_wrong(
		    cli, "this is for a browser, not for a terminal; write it to a file: -o %s",
		    cli->command->picture);
	if (code == 0 && endings_of(cli, form))
		code = pp_cli_ending(cli, endings_of(cli, form));
	if (code == 0 && r.failed) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	if (code == 0 && pp_args_flag(&cli->args, "watch") && strcmp(cli->path, "-") != 0)
		code = pp_cli_wrong(cli, "--watch runs until it is interrupted, so it only "
		                         "writes to standard output");
	else if (code == 0 && pp_args_flag(&cli->args, "watch"))
		code = watch(cli, &r, form);
	else if (code == 0)
		code = ask(cli, cli->command->question, &r, form, (struct stretch){ 0, 0 });
	request_release(&r);
	return code;
}
