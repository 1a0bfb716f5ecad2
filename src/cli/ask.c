/*
 * Questions on the command line.
 */
#include "cli/ask.h"

#include "cli/load.h"
#include "cli/source.h"
#include "output/html.h"
#include "text/escape.h"
#include "text/suggest.h"

bool
pp_ask_form(struct pp_cli *cli, enum pp_form *form)
{
	bool json = pp_args_flag(&cli->args, "json"), csv = pp_args_flag(&cli->args, "csv");

	*form = json ? PP_FORM_JSON : csv ? PP_FORM_CSV : PP_FORM_TEXT;
	if (!json || !csv)
		return true;
	(void)pp_cli_usage(cli, "--json and --csv exclude each other");
	return false;
}

/* ---- parameters ---- */

static int
param_set(struct pp_cli *cli, struct pp_asking *asking, const struct pp_param *param,
          const char *text)
{
	struct pp_buf problem = { 0 };
	bool known;
	int code = 0;

	if (!pp_params_set(asking->question->params, asking->params, param, text, &known, &problem))
		code = pp_cli_usage(cli, "--%s",
		                    problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
	pp_buf_release(&problem);
	return code;
}

int
pp_ask_init(struct pp_cli *cli, struct pp_asking *asking, enum pp_form form)
{
	const struct pp_question *question = cli->command->question;
	size_t i;
	int code = 0;

	if (!pp_asking_init(asking, question)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	asking->params->exact = form == PP_FORM_JSON || form == PP_FORM_CSV;
	for (i = 0; i < cli->args.given.n && code == 0; i++)
		code = param_set(cli, asking, cli->args.given.at[i].option,
		                 cli->args.given.at[i].text);
	if (code == 0 && question->word && cli->args.words.n == 0)
		code = pp_cli_usage(cli, "name a %s and a file", question->word->name);
	if (code == 0 && question->word)
		code = param_set(cli, asking, question->word, cli->args.words.at[0]);
	return code;
}

/* ---- notes and errors ---- */

/* What was meant perhaps, below the message. */
static void
candidates_print(const struct pp_answer *a)
{
	struct pp_buf buf, text = { 0 };
	struct pp_sink *err = pp_cli_err(&buf);
	size_t i;

	for (i = 0; i < a->candidates.n; i++) {
		pp_buf_adds(&text, "  ");
		pp_escape_terminal(&text, a->candidates.at[i].name);
		if (a->candidates.at[i].file.n) {
			pp_buf_adds(&text, "  (");
			pp_escape_terminal(&text, a->candidates.at[i].file);
			pp_buf_adds(&text, ")");
		}
		pp_buf_adds(&text, "\n");
	}
	if (a->more_candidates)
		pp_buf_addf(&text, "  ... and %zu more\n", a->more_candidates);
	if (err && text.p)
		pp_sink_write(err, text.p, text.n);
	pp_cli_err_done(err, &buf);
	pp_buf_release(&text);
}

int
pp_ask_run(struct pp_cli *cli, struct pp_asking *asking, const struct pp_subject *subject)
{
	const struct pp_answer *a = &asking->answer;
	pp_status status = pp_asking_run(asking, subject);

	pp_load_notes(cli, a);
	if (status != PP_OK)
		candidates_print(a);
	return pp_load_exit(status);
}

/* ---- the answer ---- */

/* ---- hints ---- */

#define HINT_COLUMN 30

/* What can be asked, and the command to type: "polyprof BEFORE FILE... AFTER". */
static void
hint_print(struct pp_cli *cli, const struct pp_hint *hint, const char *const *files, size_t n)
{
	struct pp_buf text = { 0 };
	size_t i;

	pp_buf_addf(&text, "polyprof %s", hint->before);
	for (i = 0; i < n && i < 3; i++) {
		pp_buf_addc(&text, ' ');
		pp_suggest_word(&text, files[i]);
	}
	pp_buf_adds(&text, n > 3 ? " ..." : "");
	pp_buf_adds(&text, hint->after);
	pp_sink_printf(cli->out, "  %s", hint->does);
	/* A command that does not fit beside its description stands below it, easy to copy. */
	if (cli->style.width > 0 && text.n > 0 &&
	    2 + HINT_COLUMN + pp_text_columns(text.p, text.n) > cli->style.width)
		pp_sink_puts(cli->out, "\n      ");
	else
		pp_text_pad(cli->out, strlen(hint->does) < HINT_COLUMN
		                          ? HINT_COLUMN - strlen(hint->does)
		                          : 2);
	pp_ink_text(cli->out, &cli->style, PP_INK_COMMAND,
	            pp_slice_of(text.p ? text.p : "", text.n));
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
}

/* Only what this program was built with. */
static bool
hint_works(const struct pp_hint *hint)
{
	return strcmp(hint->before, "report") != 0 || pp_html_possible();
}

static void
hints_print(struct pp_cli *cli, const struct pp_answer *a, const char *const *files, size_t n)
{
	size_t i;

	if (a->hints.n == 0)
		return;
	pp_sink_putc(cli->out, '\n');
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, "Ask next");
	pp_sink_putc(cli->out, '\n');
	for (i = 0; i < a->hints.n; i++)
		if (hint_works(&a->hints.at[i]))
			hint_print(cli, &a->hints.at[i], files, n);
}

int
pp_ask_render(struct pp_cli *cli, const struct pp_answer *a, enum pp_form form)
{
	struct pp_render_opts opts = { .form = form,
		                       .style = cli->style,
		                       .all_hint = "-n 0 shows all",
		                       .tame = cli->out_terminal };
	pp_status status = a->failed ? PP_E_NOMEM : pp_render(a, &opts, cli->out, NULL);

	if (status == PP_OK || cli->out->status != PP_OK)
		return 0; /* what the sink has to say comes at the end */
	pp_cli_error(cli, "%s", pp_status_text(status));
	return pp_load_exit(status);
}

int
pp_ask_print(struct pp_cli *cli, const struct pp_asking *asking, enum pp_form form)
{
	int code = pp_cli_output(cli);

	return code ? code : pp_ask_render(cli, &asking->answer, form);
}

static bool
source_line(void *sources, pp_str file, uint32_t line, struct pp_slice *text)
{
	return pp_sources_line(sources, file, line, text);
}

int
pp_cli_ask(struct pp_cli *cli)
{
	return pp_ask_with(cli, NULL);
}

int
pp_ask_with(struct pp_cli *cli, struct pp_sources *sources)
{
	const struct pp_question *question = cli->command->question;
	struct pp_profile *profile = NULL;
	struct pp_asking asking = { .question = question };
	const char *const *files = NULL;
	enum pp_form form;
	size_t n = 0;
	int code;

	if (!pp_ask_form(cli, &form))
		return PP_EXIT_USAGE;
	code = pp_ask_init(cli, &asking, form);
	if (code == 0)
		code = pp_load_files(cli, question->word ? 1 : 0, &files, &n);
	if (code == 0) {
		struct pp_load_order order = { .want = pp_asking_want(&asking),
			                       .scope = pp_asking_scope(&asking),
			                       .metric = asking.params->metric };

		code = pp_load_profile(cli, files, n, &order, &profile);
	}
	if (code == 0) {
		struct pp_topic topic = { .file = n == 1 ? files[0] : NULL, .profile = profile };
		struct pp_subject subject = {
			.topics = &topic, .n = 1, .split = 1, .files = files, .file_count = n
		};

		if (sources) {
			pp_sources_init(sources, profile, sources->dirs);
			subject.source = source_line;
			subject.source_data = sources;
		}
		code = pp_ask_run(cli, &asking, &subject);
		if (code == 0)
			code = pp_ask_print(cli, &asking, form);
		if (code == 0 && form == PP_FORM_TEXT)
			hints_print(cli, &asking.answer, files, n);
	}
	pp_asking_release(&asking);
	pp_profile_free(profile);
	return code;
}
