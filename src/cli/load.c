/*
 * From file names to profiles.
 */
#include "cli/load.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/help.h"
#include "text/suggest.h"
#include "model/merge.h"
#include "questions/find.h"
#include "text/units.h"
#include "text/escape.h"

/* ---- which files ---- */

/* Whether somebody feeds standard input: a pipe, a socket or a file, not a terminal or /dev/null. */
static bool
stdin_is_fed(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISREG(st.st_mode));
}

int
pp_load_files(struct pp_cli *cli, size_t first, const char *const **files, size_t *n)
{
	static const char *const standard_input[] = { "-" };
	size_t i, dashes = 0;

	if (cli->args.words.n > first) {
		*files = cli->args.words.at + first;
		*n = cli->args.words.n - first;
	} else if (stdin_is_fed()) {
		*files = standard_input;
		*n = 1;
	} else {
		pp_help_usage(cli);
		return PP_EXIT_USAGE;
	}
	for (i = 0; i < *n; i++) {
		if ((*files)[i][0] == '\0')
			return pp_cli_usage(cli, "a file name is empty");
		dashes += strcmp((*files)[i], "-") == 0;
	}
	return dashes > 1 ? pp_cli_usage(cli, "standard input (-) can be read only once") : 0;
}

/* ---- formats and their options ---- */

/* Says what is wrong with --from, with a suggestion. */
static int
from_check(struct pp_cli *cli, const char *from)
{
	const struct pp_format *format = pp_format_find(from);
	struct pp_buf hint = { 0 };
	int code;

	if (format && (format->can & PP_CAN_READ))
		return 0;
	pp_suggest_format(from, PP_CAN_READ, &hint);
	code = pp_cli_wrong(cli, "no format '%s' can be read%s", from,
	                    hint.n ? hint.p : "; `polyprof formats` lists them");
	pp_buf_release(&hint);
	return code;
}

/* Whether a format has an option; offers its keys for a suggestion. */
static bool
format_has_option(const struct pp_format *format, struct pp_slice key, struct pp_suggest *suggest)
{
	const struct pp_option_doc *doc;

	for (doc = format ? format->options : NULL; doc && doc->key; doc++) {
		if (pp_slice_eq_z(key, doc->key))
			return true;
		pp_suggest_offer(suggest, pp_slice_z(doc->key));
	}
	return false;
}

/* Each --option must mean something to the format read, or to the one written. */
static int
options_check(struct pp_cli *cli, const struct pp_format *format, const struct pp_format *target,
              const char *const *options)
{
	for (; *options; options++) {
		const char *equals = strchr(*options, '=');
		struct pp_slice key = pp_slice_of(*options,
		                                  equals ? (size_t)(equals - *options) : 0);
		struct pp_suggest suggest;
		struct pp_buf hint = { 0 };
		int code;

		if (key.n == 0)
			return pp_cli_usage(cli, "--option takes KEY=VALUE, not '%s'", *options);
		pp_suggest_init(&suggest, key);
		if (format_has_option(format, key, &suggest) ||
		    format_has_option(target, key, &suggest))
			continue;
		pp_suggest_print(&suggest, &hint, "");
		code = pp_cli_wrong(cli, "format %s has no option '%.*s'%s", format->name,
		                    (int)key.n, key.p, hint.n ? hint.p : "");
		pp_buf_release(&hint);
		return code;
	}
	return 0;
}

/* ---- one file ---- */

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool
may_be_about(void *about, const char *name, size_t n)
{
	return pp_find_possible(about, name, n);
}

/* What is to be made of the file, besides the facets. */
static void
order_give(const struct pp_load_order *from, struct pp_loaded *l)
{
	struct pp_order *order = l->opened.order;

	order->filter = from->filter;
	order->min_share = from->prune;
	if (from->want.about) {
		l->keep = (struct pp_keep){ may_be_about, (void *)(uintptr_t)from->want.about };
		order->keep = &l->keep;
	}
}

int
pp_load_open(struct pp_cli *cli, const char *file, const struct pp_load_order *order,
             struct pp_loaded *l)
{
	const char *from = pp_args_text(&cli->args, "from");
	uint64_t jobs = pp_args_count(&cli->args, "jobs", 0);
	struct pp_read_opts opts = { .from = from, .want = order->want.facets };
	uint64_t start = now_ns();
	int code;

	*l = (struct pp_loaded){ .file = file };
	pp_diags_init(&l->diags);
	code = from ? from_check(cli, from) : 0;
	if (code)
		return code;
	l->options = pp_args_all(&cli->args, "option");
	if (!l->options) {
		l->status = PP_E_NOMEM;
		return 0;
	}
	opts.options = l->options;
	opts.threads = jobs > 1024 ? 1024 : (unsigned)jobs;
	/* In `convert` the variant is the one to write. */
	opts.variant = order->target ? NULL : pp_args_text(&cli->args, "variant");
	if (pp_progress_init(&l->progress, cli, file)) {
		opts.progress = pp_progress_tick;
		opts.progress_ctx = &l->progress;
	}
	l->status = pp_open(&l->opened, file, NULL, 0, &opts, &l->diags);
	l->is_open = l->status == PP_OK;
	if (l->is_open) {
		l->opened.order->facets = order->want.facets;
		order_give(order, l);
	}
	l->nanoseconds = now_ns() - start;
	if (l->is_open && l->opened.format)
		return options_check(cli, l->opened.format, order->target, l->options);
	return 0;
}

void
pp_load_read(struct pp_loaded *l)
{
	uint64_t start = now_ns();

	if (l->status == PP_OK)
		l->status = pp_opened_read(&l->opened, &l->profile);
	pp_progress_clear(&l->progress);
	l->nanoseconds += now_ns() - start;
}

void
pp_loaded_drop(struct pp_loaded *l)
{
	pp_progress_clear(&l->progress);
	if (l->is_open)
		pp_opened_close(&l->opened);
	l->is_open = false;
	pp_profile_free(l->profile);
	l->profile = NULL;
}

void
pp_loaded_release(struct pp_loaded *l)
{
	pp_loaded_drop(l);
	pp_diags_release(&l->diags);
	free(l->options);
}

int
pp_load_exit(pp_status status)
{
	switch (status) {
	case PP_OK:
		return PP_EXIT_OK;
	case PP_E_USAGE:
		return PP_EXIT_USAGE;
	case PP_E_OUTPUT:
	case PP_E_LOSS:
		return PP_EXIT_OUTPUT;
	default:
		return PP_EXIT_INPUT;
	}
}

/* ---- one profile out of all files ---- */

void
pp_load_said(const struct pp_cli *cli, const struct pp_loaded *l)
{
	struct pp_buf text = { 0 };
	double bytes = (double)l->opened.file_size, seconds = (double)l->nanoseconds / 1e9;

	if (!cli->verbose || l->status != PP_OK)
		return;
	pp_buf_adds(&text, "read ");
	pp_units_bytes(&text, bytes);
	pp_buf_adds(&text, " in ");
	pp_units_time(&text, (double)l->nanoseconds);
	if (seconds > 0 && bytes > 0) {
		pp_buf_adds(&text, ", ");
		pp_units_bytes(&text, bytes / seconds);
		pp_buf_adds(&text, "/s");
	}
	if (text.p)
		pp_cli_note(cli, "%s: %s", l->file, text.p);
	pp_buf_release(&text);
}

/* Reads one file for pp_load_profile(): 0, or an exit code with the reason said. */
static int
load_one(struct pp_cli *cli, const char *file, const struct pp_load_order *order,
         struct pp_profile **out)
{
	struct pp_loaded l;
	int code = pp_load_open(cli, file, order, &l);

	if (code == 0) {
		pp_load_read(&l);
		code = pp_load_verdict(cli, order, &l);
	}
	if (code == 0) {
		*out = l.profile;
		l.profile = NULL;
	}
	pp_loaded_release(&l);
	return code;
}

int
pp_load_verdict(struct pp_cli *cli, const struct pp_load_order *order, const struct pp_loaded *l)
{
	bool damaged = pp_diags_total(&l->diags, PP_ERROR) > 0 ||
	               (l->profile && !l->profile->complete);

	cli->input_bytes += l->opened.bytes_read;
	if (!order->again)
		pp_cli_diags(cli, &l->diags);
	if (l->status != PP_OK) {
		/* The findings say why; where there are none the status has to. */
		if (pp_diags_total(&l->diags, PP_ERROR) == 0)
			pp_cli_error(cli, "%s: %s", l->file, pp_status_text(l->status));
		return pp_load_exit(l->status);
	}
	pp_load_said(cli, l);
	if (!damaged)
		return 0;
	if (cli->strict) {
		pp_cli_error(cli, "%s is damaged, and --strict forbids to use what is whole",
		             l->file);
		return PP_EXIT_INPUT;
	}
	return 0;
}

/* Says that a profile cannot be merged with those before. */
static int
merge_failed(struct pp_cli *cli, const char *file, pp_status status, const struct pp_buf *problem)
{
	if (status == PP_E_USAGE)
		pp_cli_error(
		    cli,
		    "%s does not count the same things as the files before, so they cannot "
		    "be merged%s%s",
		    file, problem->n ? ": " : "", problem->n ? problem->p : "");
	else
		pp_cli_error(cli, "cannot merge %s: %s", file,
		             problem->n ? problem->p : pp_status_text(status));
	return status == PP_E_USAGE ? PP_EXIT_INPUT : pp_load_exit(status);
}

/* Says what the merged profile could not take over. */
static void
merge_said(struct pp_cli *cli, const struct pp_merge *m)
{
	const struct pp_profile *p = m->builder.profile;
	struct pp_buf name = { 0 }, label = { 0 };
	size_t i;

	for (i = 0; i < p->metrics.n; i++) {
		name.n = label.n = 0;
		pp_metric_label(p, &p->metrics.at[i], &label);
		pp_escape_terminal(&name, pp_slice_of(label.p ? label.p : "", label.n));
		if (m->metrics.at[i].having < m->profiles)
			pp_cli_note(cli,
			            "%s is known in %u of %zu profiles only; its total is theirs",
			            name.p ? name.p : "", m->metrics.at[i].having, m->profiles);
	}
	if (m->lost & PP_EDGES)
		pp_cli_note(cli,
		            "not all profiles hold single calls; the merged one has only stacks");
	if (m->lost & PP_LINES)
		pp_cli_note(cli, "not all profiles hold costs of lines; the merged one has none");
	if (m->joined_threads)
		pp_cli_note(cli, "threads beyond the first %d are taken together", PP_MERGE_SERIES);
	pp_buf_release(&name);
	pp_buf_release(&label);
}

/* Reads a file and adds it up: 0, or an exit code with the reason said. *spoilt: only in part. */
static int
merge_one(struct pp_cli *cli, const char *file, const struct pp_load_order *order,
          struct pp_merge *merge, bool *spoilt)
{
	struct pp_profile *one = NULL;
	struct pp_buf problem = { 0 };
	int code = load_one(cli, file, order, &one);

	if (code == 0) {
		pp_status status = pp_merge_add(merge, one, &problem);

		*spoilt = status != PP_OK && status != PP_E_USAGE;
		if (status != PP_OK)
			code = merge_failed(cli, file, status, &problem);
	}
	pp_profile_free(one);
	pp_buf_release(&problem);
	return code;
}

/* Says how many files were left out, and that they are missing; an error when nothing is left. */
static int
left_out_say(struct pp_cli *cli, struct pp_merge *merge, size_t left_out, size_t n)
{
	if (left_out == 0)
		return 0;
	if (left_out == n) {
		pp_cli_error(cli, "none of the files could be merged");
		return PP_EXIT_INPUT;
	}
	pp_cli_note(cli, "%zu of %zu files were left out", left_out, n);
	merge->builder.profile->complete = false;
	return 0;
}

/* Reads the files one after the other, adds each up and lets go of it. */
static int
load_merged(struct pp_cli *cli, const char *const *files, size_t n,
            const struct pp_load_order *order, struct pp_profile **out)
{
	struct pp_progress progress = { 0 };
	bool bar = pp_progress_init(&progress, cli, files[0]), spoilt = false;
	bool skips = pp_args_flag(&cli->args, "skip");
	struct pp_merge merge;
	int code = 0;
	size_t i, left_out = 0;

	progress.counts_files = true;
	if (!pp_merge_init(&merge, NULL, now_ns())) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	for (i = 0; i < n && code == 0; i++) {
		code = merge_one(cli, files[i], order, &merge, &spoilt);
		if (skips && code == PP_EXIT_INPUT && !spoilt) {
			left_out++;
			code = 0;
		}
		if (bar)
			(void)pp_progress_tick(&progress, i + 1, n);
	}
	pp_progress_clear(&progress);
	if (code == PP_EXIT_INPUT && !spoilt && pp_option_find(cli->command, "skip", 4))
		pp_cli_note(cli, "nothing was written; with --skip such files are left out");
	if (code == 0)
		code = left_out_say(cli, &merge, left_out, n);
	if (code == 0) {
		struct pp_buf problem = { 0 };
		pp_status status;

		merge_said(cli, &merge);
		status = pp_merge_finish(&merge, out);
		if (status != PP_OK)
			code = merge_failed(cli, files[n - 1], status, &problem);
	}
	pp_merge_release(&merge);
	return code;
}

/* ---- what is seen of it ---- */

void
pp_load_notes(const struct pp_cli *cli, const struct pp_answer *a)
{
	size_t i;

	for (i = 0; i < a->notes.n; i++) {
		if (strcmp(a->notes.at[i].rule, PP_RULE_USAGE) == 0)
			(void)pp_cli_usage(cli, "%s", a->notes.at[i].text);
		else if (a->notes.at[i].severity == PP_ERROR)
			pp_cli_error(cli, "%s", a->notes.at[i].text);
		else
			pp_cli_note(cli, "%s", a->notes.at[i].text);
	}
}

/* Replaces a profile by what is to be seen of it. */
static int
scope_apply(struct pp_cli *cli, const struct pp_load_order *order, struct pp_profile **profile)
{
	static const struct pp_scope everything = { .depth = PP_UNSET };
	const struct pp_scope *scope = order->scope ? order->scope : &everything;
	struct pp_seen_for seen = { order->want.stacks, order->want.min_share, order->metric };
	struct pp_answer said;
	struct pp_view view;
	pp_status status = PP_OK;

	pp_answer_init(&said);
	if ((*profile)->costs.filtered) {
		pp_scope_note(scope, *profile, &said);
	} else {
		pp_view_init_owned(&view, *profile);
		status = pp_scope_apply(scope, &view, &seen, &said);
		*profile = pp_view_take(&view);
	}
	pp_load_notes(cli, &said);
	pp_answer_release(&said);
	return pp_load_exit(status);
}

int
pp_load_profile(struct pp_cli *cli, const char *const *files, size_t n,
                const struct pp_load_order *given, struct pp_profile **out)
{
	struct pp_load_order order = *given;
	struct pp_filter filter = { 0 };
	int code;

	*out = NULL;
	if (n == 1 && order.scope && (order.want.facets & PP_COSTS) &&
	    pp_scope_simple(order.scope, &filter))
		order.filter = &filter;
	if (order.scope)
		order.want.facets = pp_scope_facets(order.scope, order.want.facets);
	if (n > 1)
		order.want.facets = pp_scope_whole(order.want.facets);
	code = n == 1 ? load_one(cli, files[0], &order, out)
	              : load_merged(cli, files, n, &order, out);
	if (code == 0)
		code = scope_apply(cli, &order, out);
	pp_filter_release(&filter);
	if (code != 0) {
		pp_profile_free(*out);
		*out = NULL;
	}
	return code;
}

static const struct pp_param_use scope_uses[] = {
	{ &pp_params_filter, 0 },
	{ &pp_params_by, offsetof(struct pp_scope, by) },
	{ &pp_params_depth, offsetof(struct pp_scope, depth) },
	{ 0 },
};

/* What the options want to be seen; false without memory. Release it in both cases. */
static bool
scope_fill(const struct pp_cli *cli, struct pp_scope *scope)
{
	struct pp_buf problem = { 0 };
	bool fine = true, known;
	size_t i;

	pp_params_init(scope_uses, scope, sizeof *scope);
	scope->by_function = cli->command->flags & PP_COMMAND_BY_FUNCTION;
	scope->keep_time = cli->command->flags & PP_COMMAND_TIME;
	for (i = 0; i < cli->args.given.n && fine; i++)
		fine = pp_params_set(scope_uses, scope, cli->args.given.at[i].option,
		                     cli->args.given.at[i].text, &known, &problem);
	if (cli->command->flags & PP_COMMAND_OWN_DEPTH)
		scope->depth = PP_UNSET;
	pp_buf_release(&problem);
	return fine;
}

bool
pp_load_narrowed(const struct pp_cli *cli)
{
	struct pp_scope scope;
	bool narrowed = !scope_fill(cli, &scope) || pp_scope_given(&scope);

	pp_params_release(scope_uses, &scope);
	return narrowed;
}

int
pp_load_by_options(struct pp_cli *cli, const char *const *files, size_t n,
                   const struct pp_load_order *given, struct pp_profile **out)
{
	struct pp_load_order order = *given;
	struct pp_scope scope;
	int code = PP_EXIT_INPUT;

	*out = NULL;
	order.scope = &scope;
	order.metric = pp_args_text(&cli->args, "metric");
	if (scope_fill(cli, &scope))
		code = pp_load_profile(cli, files, n, &order, out);
	else
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
	pp_params_release(scope_uses, &scope);
	return code;
}

int
pp_load_metric(struct pp_cli *cli, const struct pp_profile *p, size_t *metric)
{
	const char *name = pp_args_text(&cli->args, "metric");
	struct pp_suggest suggest;
	struct pp_buf text = { 0 };
	size_t i;
	int code;

	*metric = pp_profile_primary(p);
	if (!name)
		return 0;
	*metric = pp_profile_metric_find(p, pp_slice_z(name));
	if (*metric < p->metrics.n)
		return 0;
	pp_suggest_init(&suggest, pp_slice_z(name));
	for (i = 0; i < p->metrics.n; i++) {
		pp_buf_adds(&text, i ? ", " : " (there is ");
		pp_metric_label(p, &p->metrics.at[i], &text);
		pp_suggest_offer(&suggest, pp_text_of(p, p->metrics.at[i].name));
	}
	pp_buf_adds(&text, i ? ")" : "");
	pp_suggest_print(&suggest, &text, "");
	code = pp_cli_wrong(cli, "no metric '%s' in this profile%s", name, text.n ? text.p : "");
	pp_buf_release(&text);
	return code;
}
