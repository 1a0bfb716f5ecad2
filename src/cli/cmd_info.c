/*
 * polyprof info: what a file is and what it holds.
 */
#include "cli/ask.h"
#include "cli/load.h"

static int info_run(struct pp_cli *);

static const struct pp_param_group *const info_groups[] = {
	&pp_params_info,  &pp_group_object,  &pp_group_read, &pp_group_variant,
	&pp_group_strict, &pp_group_general, NULL,
};

static const struct pp_example info_examples[] = {
	{ "info app.folded.gz", "format, compression, metrics and how much of everything" },
	{ "info --why mystery.out", "why it was (or was not) recognised" },
	{ "info --json app.folded", "the same for a script" },
	{ 0 },
};

extern const struct pp_question pp_question_info;

const struct pp_command pp_command_info = {
	.question = &pp_question_info,
	.name = "info",
	.synopsis = "FILE...",
	.summary = "what a file is: format, metrics with totals, counts, completeness",
	.details =
	    "Several files are described one after the other; with --json as a list under \"files\".",
	.groups = info_groups,
	.examples = info_examples,
	.hint = PP_HINT_FILE,
	.run = info_run,
};

static void
answer_put(struct pp_cli *cli, const struct pp_answer *answer, struct pp_json *json)
{
	struct pp_render_opts opts = { .form = PP_FORM_TEXT, .style = cli->style };

	if (json) {
		pp_render_object(answer, json);
		return;
	}
	/* An empty line between two files. */
	if (cli->out->cur > cli->out->begin || cli->out->written > 0)
		pp_sink_putc(cli->out, '\n');
	(void)pp_render(answer, &opts, cli->out, NULL);
}

/* One file; the findings go to standard error in both forms of output. */
static int
info_one(struct pp_cli *cli, const char *file, struct pp_json *json)
{
	struct pp_asking asking = { .question = cli->command->question };
	struct pp_topic topic = { .file = file };
	struct pp_subject subject = { .topics = &topic, .n = 1, .split = 1 };
	struct pp_loaded l;
	struct pp_load_order order = { .want.facets = PP_LOAD_WANT };
	int code = pp_load_open(cli, file, &order, &l), asked = 0;

	if (code == 0) {
		pp_load_read(&l);
		code = pp_load_verdict(cli, &order, &l);
		topic.profile = code == 0 ? l.profile : NULL;
		topic.diags = &l.diags;
		topic.bids = l.opened.bids;
		topic.bid_count = l.opened.bid_count;
		topic.chosen = l.opened.format;
		topic.file_size = l.opened.file_size;
	}
	/* A file that nobody recognised still has bids, which is when they are wanted most. */
	if (code == 0 || (l.is_open && !json && pp_args_flag(&cli->args, "why"))) {
		asked = pp_ask_init(cli, &asking, json ? PP_FORM_JSON : PP_FORM_TEXT);
		if (asked == 0)
			asked = pp_ask_run(cli, &asking, &subject);
		if (asked == 0)
			answer_put(cli, &asking.answer, json);
		pp_asking_release(&asking);
	}
	pp_loaded_release(&l);
	return code ? code : asked;
}

static int
info_run(struct pp_cli *cli)
{
	bool as_json = pp_args_flag(&cli->args, "json");
	const char *const *files;
	struct pp_json json;
	size_t n, i;
	int code = pp_load_files(cli, 0, &files, &n), worst = 0;

	if (code == 0)
		code = pp_cli_output(cli);
	if (code)
		return code;
	pp_json_init(&json, cli->out, PP_JSON_SPACED);
	if (as_json && n > 1) {
		pp_json_begin_object(&json);
		pp_json_put_array(&json, "files");
	}
	for (i = 0; i < n; i++) {
		code = info_one(cli, files[i], as_json ? &json : NULL);
		worst = code > worst ? code : worst;
	}
	if (as_json && n > 1) {
		pp_json_end_array(&json);
		pp_json_end_object(&json);
	}
	if (as_json && (n > 1 || worst == 0))
		pp_json_end_line(&json);
	/* What was said about the other files stands. */
	return n > 1 || pp_args_flag(&cli->args, "why") ? pp_cli_keep(cli, worst) : worst;
}
