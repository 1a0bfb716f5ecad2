/*
 * Filters from options to profiles.
 */
#include "cli/filters.h"

#include <stdlib.h>

#include "cli/load.h"
#include "output/field.h"
#include "text/units.h"
#include "text/escape.h"

static const struct {
	const char *option;
	enum pp_filter_kind kind;
} pattern_options[] = {
	{ "focus", PP_FILTER_FOCUS },         { "ignore", PP_FILTER_IGNORE },
	{ "hide", PP_FILTER_HIDE },           { "show", PP_FILTER_SHOW },
	{ "show-from", PP_FILTER_SHOW_FROM },
};

static bool
own_depth(const struct pp_cli *cli)
{
	return cli->command->flags & PP_COMMAND_OWN_DEPTH;
}

bool
pp_filters_given(const struct pp_cli *cli)
{
	static const char *const others[] = { "event", "thread", "time", "by" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(pattern_options); i++)
		if (pp_args_flag(&cli->args, pattern_options[i].option))
			return true;
	for (i = 0; i < PP_COUNT_OF(others); i++)
		if (pp_args_flag(&cli->args, others[i]))
			return true;
	return !own_depth(cli) && pp_args_count(&cli->args, "depth", 0) > 0;
}

/* Whether a filter chooses stacks or takes them apart: calls cannot follow. */
static bool
choose_stacks(const struct pp_cli *cli)
{
	size_t i;

	for (i = 0; i < PP_COUNT_OF(pattern_options); i++)
		if (pp_args_flag(&cli->args, pattern_options[i].option))
			return true;
	return pp_args_flag(&cli->args, "time") ||
	       (!own_depth(cli) && pp_args_count(&cli->args, "depth", 0) > 0);
}

unsigned
pp_filters_want(const struct pp_cli *cli, unsigned want)
{
	const char *by = pp_args_text(&cli->args, "by");

	if (pp_args_flag(&cli->args, "time"))
		want |= PP_TREE | PP_TIMELINE;
	/* Costs per function alone can be neither filtered nor added to stacks. */
	if (pp_filters_given(cli) && (want & PP_COSTS))
		want = (want & ~(unsigned)PP_COSTS) | PP_TREE | PP_EDGES | PP_LINES;
	if (by && (strcmp(by, "line") == 0 || strcmp(by, "file") == 0))
		want &= ~(unsigned)PP_FUNCTIONS;
	if (choose_stacks(cli) && !(cli->command->flags & PP_COMMAND_BY_FUNCTION))
		want &= ~(unsigned)PP_EDGES;
	return want;
}

double
pp_filters_min(const struct pp_cli *cli, double otherwise)
{
	const char *text = pp_args_text(&cli->args, "min");
	size_t n = text ? strlen(text) : 0;
	double percent;

	if (!text)
		return otherwise;
	if (n > 0 && text[n - 1] == '%')
		n--;
	if (pp_num_double(pp_slice_of(text, n), &percent) && percent >= 0 && percent <= 100)
		return percent / 100.0;
	(void)pp_cli_usage(cli, "--min takes a percentage from 0 to 100, not '%s'", text);
	return -1;
}

/* ---- from options to a filter ---- */

/* A list of values from an option that may be repeated; false when out of memory. */
#define LIST_ADD(list, given) pp_vec_push((list), pp_slice_z((given)->text))

/* False when an option is wrong: *option is its name, *problem says why, or is empty without memory. */
static bool
filter_fill(const struct pp_cli *cli, struct pp_filter *f, const char **option,
            struct pp_buf *problem)
{
	uint64_t depth = own_depth(cli) ? 0 : pp_args_count(&cli->args, "depth", 0);
	bool fine = true;
	size_t i, k;

	f->depth = depth > UINT32_MAX ? UINT32_MAX : (uint32_t)depth;
	f->by_function = cli->command->flags & PP_COMMAND_BY_FUNCTION;
	f->keep_time = cli->command->flags & PP_COMMAND_TIME;
	for (i = 0; fine && i < cli->args.given.n; i++) {
		const struct pp_given *given = &cli->args.given.at[i];
		const char *name = given->option->name;

		for (k = 0; fine && k < PP_COUNT_OF(pattern_options); k++)
			if (strcmp(name, pattern_options[k].option) == 0)
				fine = pp_filter_add(f, pattern_options[k].kind,
				                     pp_slice_z(given->text), problem);
		if (strcmp(name, "event") == 0)
			fine = fine && LIST_ADD(&f->events, given);
		else if (strcmp(name, "thread") == 0)
			fine = fine && LIST_ADD(&f->threads, given);
		else if (strcmp(name, "time") == 0)
			fine = fine && pp_filter_set_time(f, pp_slice_z(given->text), problem);
		*option = name;
	}
	return fine;
}

static int
filter_read(struct pp_cli *cli, struct pp_filter *f)
{
	struct pp_buf problem = { 0 };
	const char *option = NULL;
	int code = 0;

	if (!filter_fill(cli, f, &option, &problem))
		code = pp_cli_wrong(cli, "--%s: %s", option,
		                    problem.n ? problem.p : pp_status_text(PP_E_NOMEM));
	pp_buf_release(&problem);
	return code;
}

bool
pp_filters_simple(const struct pp_cli *cli, struct pp_filter *f)
{
	struct pp_buf problem = { 0 };
	const char *option;
	bool simple = filter_fill(cli, f, &option, &problem) && pp_filter_is_simple(f) &&
	              !pp_args_flag(&cli->args, "by");

	/* What is wrong with an option is said when it is used. */
	pp_buf_release(&problem);
	if (simple)
		return true;
	pp_filter_release(f);
	*f = (struct pp_filter){ 0 };
	return false;
}

/* ---- what was kept ---- */

/* The names that --thread or --event could have had, for one who gave none of them. */
static void
list_add(struct pp_buf *list, struct pp_slice name)
{
	if (list->n > 400)
		return;
	pp_buf_adds(list, list->n ? ", " : "");
	pp_escape_terminal(list, name);
}

/* The threads and events there are, when they were asked for, for the note on an empty result. */
static void
names_list(struct pp_cli *cli, const struct pp_profile *p, struct pp_buf *threads,
           struct pp_buf *events)
{
	size_t i;

	for (i = 0; pp_args_flag(&cli->args, "thread") && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];
		struct pp_buf one = { 0 };

		if (s->thread) {
			list_add(threads, pp_text_of(p, s->thread));
		} else if (s->tid >= 0) {
			pp_buf_addf(&one, "%lld", (long long)s->tid);
			list_add(threads, pp_slice_of(one.p, one.n));
		}
		pp_buf_release(&one);
	}
	for (i = 0; pp_args_flag(&cli->args, "event") && i < p->metrics.n; i++)
		list_add(events, pp_text_of(p, p->metrics.at[i].event ? p->metrics.at[i].event
		                                                      : p->metrics.at[i].name));
}

/* Whether the command lists costs of lines, which filters choose by function. */
static bool
lists_lines(const struct pp_cli *cli, const struct pp_profile *p)
{
	return (cli->command->flags & PP_COMMAND_BY_FUNCTION) && (p->holds & PP_LINES);
}

/* What the profile adds up to, as far as the command shows it. */
static double
total_shown(const struct pp_cli *cli, const struct pp_profile *p, size_t metric)
{
	size_t stride = pp_line_stride(p), i;
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value sum;

	if (!lists_lines(cli, p))
		return pp_value_double(m, pp_profile_total(p, metric));
	sum = pp_value_zero(m);
	for (i = 0; i < p->lines.rows.n; i++)
		pp_value_add(
		    m, &sum,
		    pp_cell_value(m, p->lines.cells.at[i * stride + p->lines.hits + metric]));
	return pp_value_double(m, sum);
}

/* A metric and its total before anything was taken out. */
struct whole {
	pp_str name, event;
	double total;
};

/* The totals of all metrics, because another may be the primary one afterwards; NULL without memory. */
static struct whole *
wholes_take(const struct pp_cli *cli, const struct pp_profile *p)
{
	struct whole *wholes = calloc(p->metrics.n + 1, sizeof *wholes);
	size_t i;

	for (i = 0; wholes && i < p->metrics.n; i++)
		wholes[i] = (struct whole){ p->metrics.at[i].name, p->metrics.at[i].event,
			                    p->costs.filtered
			                        ? pp_value_double(&p->metrics.at[i],
			                                          p->costs.unfiltered.at[i])
			                        : total_shown(cli, p, i) };
	return wholes;
}

static double
whole_of(const struct whole *wholes, size_t n, const struct pp_metric *m)
{
	size_t i;

	for (i = 0; wholes && i < n; i++)
		if (wholes[i].name == m->name && wholes[i].event == m->event)
			return wholes[i].total;
	return 0;
}

static void
kept_say(struct pp_cli *cli, const struct pp_profile *p, const struct whole *wholes, size_t n,
         const char *threads, const char *events)
{
	size_t metric = pp_profile_primary(p);
	bool nothing = p->costs.stated && p->tree.n <= 1
	                   ? p->costs.funcs.n <= 1
	                   : p->lines.rows.n == 0 &&
	                         (lists_lines(cli, p) || (p->tree.n <= 1 && p->calls.rows.n == 0));
	struct pp_buf text = { 0 };
	double before, after;

	if (metric >= p->metrics.n || nothing) {
		pp_cli_note(cli, "the filters leave nothing%s%s%s%s", threads ? "; threads: " : "",
		            threads ? threads : "", events ? "; events: " : "",
		            events ? events : "");
		return;
	}
	before = whole_of(wholes, n, &p->metrics.at[metric]);
	after = total_shown(cli, p, metric);
	pp_buf_adds(&text, "the filters keep ");
	if (before > 0) {
		pp_units_share(&text, after, before);
		pp_buf_adds(&text, ", ");
	}
	pp_metric_describe(&text, p, &p->metrics.at[metric], after);
	pp_buf_adds(&text, "; shares below are of that");
	if (text.p)
		pp_cli_note(cli, "%s", text.p);
	pp_buf_release(&text);
}

static int
failed(struct pp_cli *cli, pp_status status, const struct pp_buf *problem)
{
	pp_cli_error(cli, "%s", problem->n ? problem->p : pp_status_text(status));
	return status == PP_E_LIMIT && problem->n ? PP_EXIT_USAGE : PP_EXIT_INPUT;
}

/* ---- estimated stacks ---- */

/* The metric that was asked for, as far as it is there: the rest is said later. */
static size_t
metric_asked(const struct pp_cli *cli, const struct pp_profile *p)
{
	const char *name = pp_args_text(&cli->args, "metric");
	size_t metric = name ? pp_profile_metric_find(p, pp_slice_z(name)) : p->metrics.n;

	return metric < p->metrics.n ? metric : pp_profile_primary(p);
}

static void
estimate_say(struct pp_cli *cli, const struct pp_estimate *e)
{
	struct pp_buf text = { 0 };

	pp_buf_adds(&text,
	            "this profile knows who called whom, not whole stacks: they are estimated, ");
	pp_units_share(&text, e->exact, 1);
	pp_buf_adds(&text, " of the cost or more lies on certain ones");
	if (e->cycles)
		pp_buf_addf(&text, "; %u %s of calls %s taken as one", e->cycles,
		            pp_plural(e->cycles, "cycle", "cycles"),
		            pp_plural(e->cycles, "is", "are each"));
	if (e->pruned > 0) {
		pp_buf_adds(&text, "; ");
		pp_units_share(&text, e->pruned, 1);
		pp_buf_adds(&text, " lies on too many rare ones and stands under [pruned]");
	}
	if (text.p)
		pp_cli_note(cli, "%s", text.p);
	pp_buf_release(&text);
}

static int
estimate_run(struct pp_cli *cli, struct pp_view *view)
{
	const struct pp_profile *p = view->shown;
	struct pp_estimate_opts opts = { .max_nodes = pp_estimate_nodes_for(p),
		                         .metric = metric_asked(cli, p),
		                         .min_share = pp_filters_given(cli) ? 0 : cli->thin };
	pp_status status = pp_view_estimate(view, &opts);

	if (status == PP_E_LIMIT) {
		pp_cli_error(
		    cli,
		    "%zu threads and parts with %zu functions are too many to estimate stacks; "
		    "choose some with --thread",
		    p->series.n, p->funcs.n);
		return pp_load_exit(status);
	}
	if (status != PP_OK) {
		pp_cli_error(cli, "%s", pp_status_text(status));
		return pp_load_exit(status);
	}
	estimate_say(cli, &view->estimate);
	return 0;
}

/* ---- filtering ---- */

/* Events and threads are chosen before stacks are estimated, so that these are those of what is left. */
static pp_status
filter_series(struct pp_view *view, const struct pp_filter *f, struct pp_buf *problem)
{
	struct pp_filter series = { .keep_time = f->keep_time };

	memcpy(&series.events, &f->events, sizeof series.events);
	memcpy(&series.threads, &f->threads, sizeof series.threads);
	return pp_filter_is_empty(&series) ? PP_OK : pp_view_filter(view, &series, problem);
}

/* Where nothing is known that stacks could be made of, filters choose functions. */
static bool
has_no_stacks(const struct pp_profile *p)
{
	return p->tree.n <= 1 && !pp_estimate_possible(p) && p->calls.rows.n + p->lines.rows.n > 0;
}

static int
filter_run(struct pp_cli *cli, struct pp_view *view, struct pp_filter *f, bool stacks)
{
	const struct pp_profile *p = view->shown;
	struct pp_buf problem = { 0 }, threads = { 0 }, events = { 0 };
	bool has_time = f->from.given || f->to.given;
	struct whole *wholes = wholes_take(cli, p);
	size_t n = p->metrics.n;
	pp_status status = PP_OK;
	int code = 0;

	names_list(cli, p, &threads, &events);
	if (f->by_function && p->lines.rows.n == 0)
		f->by_function = false; /* lines of frames: their stacks are chosen */
	if (has_no_stacks(p) && !stacks) {
		f->by_function = true;
		f->depth = 0;
	}
	if ((stacks || (pp_filter_needs_stacks(f) && !f->by_function)) && !has_time &&
	    pp_estimate_possible(p)) {
		status = filter_series(view, f, &problem);
		p = view->shown;
		if (status == PP_OK && p->calls.rows.n + p->lines.rows.n > 0)
			code = estimate_run(cli, view);
	}
	if (status == PP_OK && code == 0)
		status = pp_view_filter(view, f, &problem);
	if (status != PP_OK)
		code = failed(cli, status, &problem);
	else if (code == 0)
		kept_say(cli, view->shown, wholes, n, threads.p, events.p);
	free(wholes);
	pp_buf_release(&problem);
	pp_buf_release(&threads);
	pp_buf_release(&events);
	return code;
}

int
pp_filters_say(struct pp_cli *cli, const struct pp_profile *p)
{
	struct whole *wholes = wholes_take(cli, p);

	kept_say(cli, p, wholes, p->metrics.n, NULL, NULL);
	free(wholes);
	return 0;
}

/* ---- groups ---- */

static int
group_run(struct pp_cli *cli, struct pp_view *view)
{
	const struct pp_profile *p = view->shown;
	static const char *const names[] = { "function", "file", "module", "line", "thread" };
	const char *by = pp_args_text(&cli->args, "by");
	struct pp_buf problem = { 0 };
	pp_status status;
	size_t i = 0;

	while (by && strcmp(by, names[i]) != 0)
		i++;
	if (!by || p->tree.n + p->lines.rows.n + p->calls.rows.n <= 1)
		return 0;
	status = pp_view_group(view, (enum pp_group_by)i, &problem);
	if (status == PP_E_UNSUPPORTED)
		pp_cli_error(cli, "this profile does not tell %ss apart", by);
	else if (status != PP_OK)
		pp_cli_error(cli, "%s", problem.n ? problem.p : pp_status_text(status));
	pp_buf_release(&problem);
	return status == PP_OK ? 0 : PP_EXIT_INPUT;
}

int
pp_filters_apply(struct pp_cli *cli, struct pp_view *view, bool stacks)
{
	struct pp_filter f = { 0 };
	int code = pp_filters_given(cli) ? filter_read(cli, &f) : 0;

	if (code == 0 && !pp_filter_is_empty(&f))
		code = filter_run(cli, view, &f, stacks);
	else if (code == 0 && stacks && pp_estimate_possible(view->shown))
		code = estimate_run(cli, view);
	if (code == 0 && pp_filters_given(cli))
		code = group_run(cli, view);
	pp_filter_release(&f);
	return code;
}
