/*
 * polyprof check: does a file keep the rules of its format?
 */
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/load.h"
#include "output/diag_view.h"
#include "text/units.h"

static int check_run(struct pp_cli *);

static const struct pp_param check_options[] = {
	{ "strict", 0, PP_PARAM_FLAG, NULL, "warnings count as findings (exit 1)", PP_HINT_NONE,
	  0 },
	{ 0 },
};
static const struct pp_param_group check_group = { "Verdict", check_options };

static const struct pp_param_group *const check_groups[] = {
	&pp_group_listing, &pp_group_read, &pp_group_variant, &check_group, &pp_group_general, NULL,
};

static const struct pp_example check_examples[] = {
	{ "check app.folded", "every finding with its place and rule" },
	{ "check --strict *.folded", "fail on warnings too, as a test should" },
	{ "explain folded-count-missing", "what a rule means and how to mend it" },
	{ 0 },
};

const struct pp_command pp_command_check = {
	.name = "check",
	.synopsis = "FILE...",
	.summary = "validate files against the rules of their format",
	.details =
	    "Each finding is printed as `file:line:column: severity: message [rule]`; binary files have "
	    "`file@0xOFFSET` instead. A file with errors is rejected, one with warnings is accepted with "
	    "a warning.\n\n"
	    "Exit 0 when no file was rejected, 1 when one was (with --strict also for warnings), 3 when one "
	    "could not be read or recognised.",
	.groups = check_groups,
	.examples = check_examples,
	.hint = PP_HINT_FILE,
	.run = check_run,
};

enum verdict { ACCEPT, WARN, REJECT };

static const char *const verdict_names[] = { "accept", "warn", "reject" };
static const enum pp_ink verdict_inks[] = { PP_INK_GOOD, PP_INK_WARNING, PP_INK_ERROR };

static enum verdict
check_verdict(const struct pp_loaded *l)
{
	if (l->status != PP_OK || pp_diags_total(&l->diags, PP_ERROR) > 0)
		return REJECT;
	return pp_diags_total(&l->diags, PP_WARNING) > 0 ? WARN : ACCEPT;
}

/* A file that was read but is wrong is a finding; one that could not be read at all is not. */
static int
check_code(const struct pp_cli *cli, const struct pp_loaded *l)
{
	enum verdict verdict = check_verdict(l);

	if (l->status != PP_OK && l->status != PP_E_INVALID)
		return pp_load_exit(l->status);
	return verdict == REJECT || (verdict == WARN && cli->strict) ? PP_EXIT_FINDINGS
	                                                             : PP_EXIT_OK;
}

/* ---- JSON ---- */

static void
check_json(struct pp_json *j, const struct pp_loaded *l)
{
	struct pp_answer a;

	pp_answer_init(&a);
	pp_answer_text(&a, "file", PP_AS_NAME, pp_slice_z(l->file));
	if (l->is_open && l->opened.format)
		pp_answer_textz(&a, "format", l->opened.format->name);
	pp_answer_textz(&a, "verdict", verdict_names[check_verdict(l)]);
	pp_answer_findings(&a, &l->diags);
	if (l->profile)
		pp_answer_bool(&a, "complete", l->profile->complete);
	if (a.failed)
		pp_sink_fail(j->out, PP_E_NOMEM, 0);
	pp_render_object(&a, j);
	pp_answer_release(&a);
}

/* ---- text ---- */

static void
check_text(struct pp_cli *cli, const struct pp_loaded *l)
{
	enum verdict verdict = check_verdict(l);
	struct pp_buf text = { 0 };

	pp_diags_print(&l->diags, cli->quiet ? PP_ERROR : PP_NOTE, cli->verbose ? 0 : PP_DIAG_SHOWN,
	               &cli->style, cli->out);
	if (cli->quiet && verdict == ACCEPT)
		return;
	pp_units_listed(&text, l->diags.totals[PP_ERROR], "error", "errors");
	pp_units_listed(&text, l->diags.totals[PP_WARNING], "warning", "warnings");
	pp_units_listed(&text, l->diags.totals[PP_NOTE], "note", "notes");
	pp_ink_text(cli->out, &cli->style, PP_INK_TITLE, pp_slice_z(l->file));
	pp_sink_puts(cli->out, ": ");
	pp_ink_put(cli->out, &cli->style, verdict_inks[verdict], verdict_names[verdict]);
	if (l->is_open && l->opened.format)
		pp_sink_printf(cli->out, " (%s%s%s)", l->opened.format->name, text.n ? ": " : "",
		               text.n ? text.p : "");
	else if (text.n)
		pp_sink_printf(cli->out, " (%s)", text.p);
	pp_sink_putc(cli->out, '\n');
	pp_buf_release(&text);
}

/* All files share one header, so their findings are collected first. */
static void
check_csv(struct pp_cli *cli, const struct pp_loaded *all, size_t n)
{
	const struct pp_diags **diags = calloc(n + 1, sizeof *diags);
	struct pp_answer a;
	size_t i;

	pp_answer_init(&a);
	for (i = 0; diags && i < n; i++)
		diags[i] = &all[i].diags;
	if (diags)
		pp_answer_findings_of(&a, diags, n);
	if (!diags || pp_ask_render(cli, &a, PP_FORM_CSV) != 0)
		pp_sink_fail(cli->out, PP_E_NOMEM, 0);
	pp_answer_release(&a);
	free((void *)diags);
}

/* ---- running ---- */

static int
check_all(struct pp_cli *cli, struct pp_loaded *all, const char *const *files, size_t n,
          enum pp_form form, struct pp_json *json)
{
	struct pp_load_order order = { .want.facets = PP_LOAD_WANT | PP_FINDINGS };
	size_t i;
	int code, worst = 0;

	for (i = 0; i < n; i++) {
		code = pp_load_open(cli, files[i], &order, &all[i]);
		if (code)
			return code;
		pp_load_read(&all[i]);
		if (all[i].status != PP_OK && pp_diags_total(&all[i].diags, PP_ERROR) == 0)
			pp_cli_error(cli, "%s: %s", files[i], pp_status_text(all[i].status));
		pp_load_said(cli, &all[i]);
		if (form == PP_FORM_JSON)
			check_json(json, &all[i]);
		else if (form == PP_FORM_TEXT)
			check_text(cli, &all[i]);
		code = check_code(cli, &all[i]);
		worst = code > worst ? code : worst;
		/* The findings are needed later for CSV; the profile, which may be large, is not. */
		pp_loaded_drop(&all[i]);
	}
	return worst;
}

static int
check_run(struct pp_cli *cli)
{
	struct pp_loaded *all = NULL;
	const char *const *files;
	enum pp_form form;
	struct pp_json json;
	size_t n, i;
	int code;

	if (!pp_ask_form(cli, &form))
		return PP_EXIT_USAGE;
	code = pp_load_files(cli, 0, &files, &n);
	if (code == 0)
		code = pp_cli_output(cli);
	if (code)
		return code;
	all = calloc(n, sizeof *all);
	if (!all) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	pp_json_init(&json, cli->out, PP_JSON_SPACED);
	if (form == PP_FORM_JSON) {
		pp_json_begin_object(&json);
		pp_json_put_array(&json, "files");
	}
	code = check_all(cli, all, files, n, form, &json);
	if (form == PP_FORM_JSON) {
		pp_json_end_array(&json);
		pp_json_end_object(&json);
		pp_json_end_line(&json);
	} else if (form == PP_FORM_CSV) {
		check_csv(cli, all, n);
	}
	for (i = 0; i < n; i++)
		pp_loaded_release(&all[i]);
	free(all);
	return code == PP_EXIT_USAGE ? code : pp_cli_keep(cli, code);
}
