/*
 * polyprof gate: diff for continuous integration. Exit 1 when a limit is exceeded.
 */
#include "cli/ask.h"
#include "cli/compare.h"
#include "cli/load.h"
#include "questions/gate.h"
#include "text/escape.h"

static int gate_run(struct pp_cli *);

static const struct pp_param gate_options[] = {
	{ "format", 0, PP_PARAM_CHOICE, "text|json|markdown|junit",
	  "how the answer is written (default: text)", PP_HINT_NONE, 0 },
	{ "json", 0, PP_PARAM_FLAG, NULL, "the same as --format json", PP_HINT_NONE, 0 },
	{ "output", 'o', PP_PARAM_TEXT, "FILE",
	  "write to FILE (`-` = standard output; .gz and .zst compress)", PP_HINT_FILE, 0 },
	{ 0 },
};
static const struct pp_param_group gate_group = { "Limits", gate_options };

static const struct pp_param_group *const gate_groups[] = {
	&pp_params_limits, &gate_group,    &pp_params_compare, &pp_params_filter,
	&pp_params_depth,  &pp_group_read, &pp_group_variant,  &pp_group_strict,
	&pp_group_general, NULL,
};

static const struct pp_example gate_examples[] = {
	{ "gate old.folded new.folded --fail-if 'total > +5%'", "not more than 5 % slower in all" },
	{ "gate a.json b.json --fail-if 'self(/Repository/) > 2ms' --fail-if 'calls(PDO::query) > "
	  "+0%'",
	  "two limits at once" },
	{ "gate old.out new.out --fail-if 'self(*) > +10%' --format junit -o gate.xml",
	  "for a build server" },
	{ 0 },
};

extern const struct pp_question pp_question_gate;

const struct pp_command pp_command_gate = {
	.question = &pp_question_gate,
	.name = "gate",
	.synopsis = "BEFORE AFTER --fail-if EXPR",
	.summary = "fails when a limit is passed: diff for continuous integration",
	.details =
	    "EXPR is SUBJECT OP LIMIT. SUBJECT is total (the whole), or self(F), total(F) or calls(F) "
	    "for each function that F names: a name, /REGEX/, or * for all. OP is one of > >= < <=. "
	    "LIMIT is a number with a unit or %. With a sign it limits the change (+5% of the value "
	    "before, +2ms), without it the value after (2ms, 5% of the whole).\n\n"
	    "Changes that are noise never fail. What is new exceeds every relative limit. The exit "
	    "code is 1 when a limit is passed; the rows that passed it are printed.",
	.groups = gate_groups,
	.examples = gate_examples,
	.hint = PP_HINT_FILE,
	.flags = 0,
	.run = gate_run,
};

/* ---- Markdown and JUnit ---- */

static void
gate_markdown(struct pp_cli *cli, const struct pp_gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(
	    cli->out,
	    "### polyprof gate: %s\n\n| limit | | function | values |\n|---|---|---|---|\n",
	    g->failed ? "failed" : "passed");
	for (i = 0; i < g->n; i++) {
		const struct pp_gate_outcome *o = &g->outcomes[i];
		size_t rows = o->rows.n ? o->rows.n : 1;

		for (k = 0; k < rows; k++) {
			struct pp_slice name = pp_slice_z("");
			const struct pp_diff_row *row = o->rows.n ? &g->diff->rows.at[o->rows.at[k]]
			                                          : NULL;

			pp_sink_puts(cli->out, "| ");
			pp_escape_markdown_code(cli->out, pp_slice_z(o->rule.text));
			pp_sink_printf(cli->out, " | %s | ", o->failed ? "**fail**" : "pass");
			if (row)
				pp_gate_name(row, &name);
			pp_escape_markdown_code(cli->out, name);
			text.n = 0;
			if (row || o->rule.subject == PP_GATE_WHOLE)
				pp_gate_describe(g, o, row, &text);
			pp_sink_puts(cli->out, " | ");
			pp_escape_markdown(cli->out, pp_slice_of(text.p, text.n));
			pp_sink_puts(cli->out, " |\n");
		}
	}
	text.n = 0;
	pp_diff_explain(g->diff, &text);
	pp_sink_puts(cli->out, "\n");
	pp_escape_markdown(cli->out, pp_slice_of(text.p, text.n));
	pp_sink_puts(cli->out, "\n");
	pp_buf_release(&text);
}

/* Text for whoever looks at the report: characters that hide or reorder it are spelled, not left to the viewer. */
static void
junit_put(struct pp_cli *cli, struct pp_slice text)
{
	struct pp_buf tame = { 0 };

	pp_escape_terminal(&tame, text);
	pp_escape_xml(cli->out, pp_slice_of(tame.p, tame.n));
	if (tame.failed)
		pp_sink_fail(cli->out, PP_E_NOMEM, 0);
	pp_buf_release(&tame);
}

static void
gate_junit(struct pp_cli *cli, const struct pp_gate *g)
{
	struct pp_buf text = { 0 };
	size_t i, k;

	pp_sink_printf(cli->out,
	               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	               "<testsuite name=\"polyprof gate\" tests=\"%zu\" failures=\"%zu\">\n",
	               g->n, g->failed);
	for (i = 0; i < g->n; i++) {
		const struct pp_gate_outcome *o = &g->outcomes[i];

		pp_sink_puts(cli->out, "  <testcase classname=\"polyprof\" name=\"");
		junit_put(cli, pp_slice_z(o->rule.text));
		pp_sink_puts(cli->out, o->failed ? "\">\n    <failure message=\"" : "\"/>\n");
		if (!o->failed)
			continue;
		text.n = 0;
		if (o->rule.subject == PP_GATE_WHOLE)
			pp_gate_describe(g, o, NULL, &text);
		else
			pp_buf_addf(&text, "%zu of %zu functions", o->rows.n, o->matched);
		pp_escape_xml(cli->out, pp_slice_of(text.p, text.n));
		pp_sink_puts(cli->out, "\">");
		for (k = 0; k < o->rows.n; k++) {
			struct pp_slice name;

			pp_gate_name(&g->diff->rows.at[o->rows.at[k]], &name);
			junit_put(cli, name);
			text.n = 0;
			pp_gate_describe(g, o, &g->diff->rows.at[o->rows.at[k]], &text);
			pp_sink_puts(cli->out, ": ");
			pp_escape_xml(cli->out, pp_slice_of(text.p, text.n));
			pp_sink_puts(cli->out, "\n");
		}
		pp_sink_puts(cli->out, "</failure>\n  </testcase>\n");
	}
	pp_sink_puts(cli->out, "</testsuite>\n");
	pp_buf_release(&text);
}

/* ---- running ---- */

enum gate_form { GATE_TEXT, GATE_JSON, GATE_MARKDOWN, GATE_JUNIT };

static enum gate_form
form_of(const struct pp_cli *cli)
{
	static const char *const names[] = { "text", "json", "markdown", "junit" };
	const char *format = pp_args_text(&cli->args, "format");
	size_t i = 0;

	if (pp_args_flag(&cli->args, "json"))
		return GATE_JSON;
	while (format && strcmp(names[i], format) != 0)
		i++;
	return (enum gate_form)i;
}

static int
gate_ask(struct pp_cli *cli, struct pp_asking *asking, const struct pp_subject *subject,
         enum pp_form form)
{
	enum gate_form kind = form_of(cli);
	const struct pp_gate *g;
	int code;

	if (kind == GATE_TEXT || kind == GATE_JSON) {
		code = pp_ask_run(cli, asking, subject);
		if (code == 0)
			code = pp_ask_print(cli, asking, kind == GATE_JSON ? PP_FORM_JSON : form);
		return code == 0 && asking->answer.exceeded ? PP_EXIT_FINDINGS : code;
	}
	code = pp_load_exit(
	    pp_gate_make(&asking->answer, subject,
	                 (const struct pp_gate_params *)(const void *)asking->params, &g));
	pp_load_notes(cli, &asking->answer);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code)
		return code;
	(kind == GATE_MARKDOWN ? gate_markdown : gate_junit)(cli, g);
	return g->failed ? PP_EXIT_FINDINGS : 0;
}

static int
gate_run(struct pp_cli *cli)
{
	if (!pp_args_text(&cli->args, "fail-if"))
		return pp_cli_usage(cli, "give at least one limit with --fail-if");
	return pp_compare_run(cli, PP_FORM_TEXT, false, gate_ask);
}
