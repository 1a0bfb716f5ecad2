/*
 * polyprof check: does a file keep the rules of its format?
 */
#include <stdlib.h>

#include "cli/load.h"
#include "output/diag_view.h"
#include "output/json_view.h"
#include "output/table.h"
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
	pp_json_begin_object(j);
	pp_json_put_name(j, "file", pp_slice_z(l->file));
	if (l->is_open && l->opened.format)
		pp_json_put_textz(j, "format", l->opened.format->name);
	pp_json_put_textz(j, "verdict", verdict_names[check_verdict(l)]);
	pp_json_put_diags(j, &l->diags);
	if (l->profile)
		pp_json_put_bool(j, "complete", l->profile->complete);
	pp_json_end_object(j);
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

/* ---- CSV ---- */

static const struct pp_diag *
row_diag(const void *data, size_t row)
{
	const struct pp_diag_order *order = data;

	return order->at[row];
}

static void
csv_file(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_diag(data, row)->file);
}

static void
csv_place(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_diag *d = row_diag(data, row);
	const uint64_t places[] = { d->line, d->column, d->offset == PP_NO_OFFSET ? 0 : d->offset };

	if (arg == 2 ? d->offset != PP_NO_OFFSET : places[arg] != 0)
		pp_buf_addf(out, "%llu", (unsigned long long)places[arg]);
}

static void
csv_severity(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, pp_severity_name(row_diag(data, row)->severity));
}

static void
csv_rule(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_diag(data, row)->rule->id);
}

static void
csv_message(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, row_diag(data, row)->message);
}

static const struct pp_field field_file = { .id = "file", .exact = csv_file };
static const struct pp_field field_place = { .exact = csv_place };
static const struct pp_field field_severity = { .id = "severity", .exact = csv_severity };
static const struct pp_field field_rule = { .id = "rule", .exact = csv_rule };
static const struct pp_field field_message = { .id = "message", .exact = csv_message };

static const struct pp_column csv_columns[] = {
	{ .field = &field_file, .arg = 0 },
	{ .field = &field_place, .arg = 0, .id = "line" },
	{ .field = &field_place, .arg = 1, .id = "column" },
	{ .field = &field_place, .arg = 2, .id = "offset" },
	{ .field = &field_severity, .arg = 0 },
	{ .field = &field_rule, .arg = 0 },
	{ .field = &field_message, .arg = 0 },
};

/* All files share one header, so their findings are collected first. */
static void
check_csv(struct pp_cli *cli, const struct pp_loaded *all, size_t n)
{
	struct pp_diag_order order = { NULL, 0 }, one;
	struct pp_table table = { csv_columns, PP_COUNT_OF(csv_columns), &order, 0 };
	size_t i;

	for (i = 0; i < n; i++)
		order.n += all[i].diags.list.n;
	order.at = calloc(order.n + 1, sizeof *order.at);
	for (i = 0; order.at && i < n; i++) {
		if (!pp_diag_order_init(&one, &all[i].diags)) {
			pp_diag_order_release(&order);
			break;
		}
		if (one.n)
			memcpy(order.at + table.rows, one.at, one.n * sizeof *one.at);
		table.rows += one.n;
		pp_diag_order_release(&one);
	}
	if (order.at)
		pp_table_csv(&table, cli->out_terminal, cli->out);
	else
		cli->out->status = PP_E_NOMEM;
	pp_diag_order_release(&order);
}

/* ---- running ---- */

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

static int
check_all(struct pp_cli *cli, struct pp_loaded *all, const char *const *files, size_t n,
          enum form form, struct pp_json *json)
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
		if (form == FORM_JSON)
			check_json(json, &all[i]);
		else if (form == FORM_TEXT)
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
	enum form form = pp_args_flag(&cli->args, "json")  ? FORM_JSON
	                 : pp_args_flag(&cli->args, "csv") ? FORM_CSV
	                                                   : FORM_TEXT;
	struct pp_loaded *all = NULL;
	const char *const *files;
	struct pp_json json;
	size_t n, i;
	int code;

	if (form == FORM_JSON && pp_args_flag(&cli->args, "csv"))
		return pp_cli_usage(cli, "--json and --csv exclude each other");
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
	if (form == FORM_JSON) {
		pp_json_begin_object(&json);
		pp_json_put_array(&json, "files");
	}
	code = check_all(cli, all, files, n, form, &json);
	if (form == FORM_JSON) {
		pp_json_end_array(&json);
		pp_json_end_object(&json);
		pp_json_end_line(&json);
	} else if (form == FORM_CSV) {
		check_csv(cli, all, n);
	}
	for (i = 0; i < n; i++)
		pp_loaded_release(&all[i]);
	free(all);
	return code == PP_EXIT_USAGE ? code : pp_cli_keep(cli, code);
}
