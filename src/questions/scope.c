/*
 * What is to be seen of a profile.
 */
#include "questions/scope.h"

#include <stddef.h>
#include <stdlib.h>

#include "analysis/group.h"
#include "questions/handles.h"
#include "text/escape.h"
#include "text/units.h"

#define FILTER(name, value, help)                                                                  \
	{                                                                                          \
		name, 0, PP_PARAM_TEXTS, value, help, PP_HINT_NONE,                                \
		    offsetof(struct pp_scope, filters)                                             \
	}

#define FLAG(name, member, help)                                                                   \
	{                                                                                          \
		name, 0, PP_PARAM_FLAG, NULL, help, PP_HINT_NONE,                                  \
		    offsetof(struct pp_scope, member)                                              \
	}

/* Those that choose by a pattern come first, in the order of enum pp_filter_kind. */
static const struct pp_param filter_params[] = {
	FILTER("focus", "RE", "keep only stacks in which a function matches"),
	FILTER("ignore", "RE", "drop stacks in which a function matches"),
	FILTER("hide", "RE", "drop frames that match; what they cost goes to their callers"),
	FILTER("show", "RE", "keep only frames that match"),
	FILTER("show-from", "RE", "cut stacks above their first match"),
	FILTER("collapse", "RE",
	       "merge a match into a matching caller of the same name: collapses recursion; "
	       "module:RE collapses modules"),
	FILTER("event", "NAME", "keep only this event"),
	FILTER("thread", "ID|NAME", "keep only this thread"),
	FILTER("label", "KEY=VALUE|KEY~RE",
	       "keep only samples with this label; may be repeated, all must match"),
	FILTER("time", "FROM..TO", "keep only this range of time, such as 1.5s..2s or ..20%"),
	FLAG("demangle", demangle,
	     "demangle C++, Rust and OCaml names in machine-readable output too (text is demangled "
	     "by default)"),
	FLAG("no-demangle", no_demangle, "show names as they are in the file"),
	FLAG("all-frames", all_frames,
	     "also show allocators in profiles of memory, idle threads, and frames that the file "
	     "says to drop (pprof's drop_frames)"),
	{ 0 },
};
const struct pp_param_group pp_params_filter = { "Filters", filter_params };

static const struct pp_param frames_params[] = {
	FLAG("all-frames", all_frames,
	     "also show allocators in profiles of memory, and idle threads"),
	{ 0 },
};
const struct pp_param_group pp_params_frames = { "Filters", frames_params };

enum { FILTER_EVENT = 6, FILTER_THREAD, FILTER_LABEL, FILTER_TIME };

enum pp_root { PP_ROOT_NONE, PP_ROOT_THREAD, PP_ROOT_LABEL };

static const struct pp_param root_params[] = {
	{ "root", 0, PP_PARAM_CHOICE, "none|thread|label:KEY",
	  "a frame below all stacks: their thread, or what a label says", PP_HINT_NONE,
	  offsetof(struct pp_scope, root) },
	{ 0 },
};
const struct pp_param_group pp_params_root = { "Rows", root_params };

static const enum pp_filter_kind pattern_kinds[] = { PP_FILTER_FOCUS,     PP_FILTER_IGNORE,
	                                             PP_FILTER_HIDE,      PP_FILTER_SHOW,
	                                             PP_FILTER_SHOW_FROM, PP_FILTER_COLLAPSE };

/* Which of the filters a value was given for. */
static size_t
filter_of(const struct pp_text_given *given)
{
	return (size_t)(given->param - filter_params);
}

static bool
filter_given(const struct pp_scope *s, size_t filter)
{
	size_t i;

	for (i = 0; i < s->filters.list.n; i++)
		if (filter_of(&s->filters.list.at[i]) == filter)
			return true;
	return false;
}

static uint32_t
depth_of(const struct pp_scope *s)
{
	return s->depth == PP_UNSET ? 0 : s->depth > UINT32_MAX ? UINT32_MAX : (uint32_t)s->depth;
}

unsigned
pp_scope_by(const struct pp_scope *s)
{
	/* In the order of --granularity. */
	static const unsigned called[] = { PP_BY_FUNCTION, PP_BY_NAME,      PP_BY_FILE_NAME,
		                           PP_BY_FILE,     PP_BY_NAME_LINE, PP_BY_ADDRESS };

	return s->by.choice != PP_BY_FUNCTION ? s->by.choice : called[s->granularity];
}

bool
pp_scope_given(const struct pp_scope *s)
{
	return s->filters.list.n > 0 || pp_scope_by(s) != PP_BY_FUNCTION || depth_of(s) > 0 ||
	       s->root.choice != PP_ROOT_NONE;
}

size_t
pp_scope_key_count(const struct pp_scope *s)
{
	return s->filters.list.n + 2;
}

size_t
pp_scope_label_keys(const struct pp_scope *s, struct pp_slice *keys)
{
	size_t i, n = 0;

	if (s->by.choice == PP_BY_LABEL)
		keys[n++] = pp_slice_z(s->by.key);
	if (s->root.choice == PP_ROOT_LABEL)
		keys[n++] = pp_slice_z(s->root.key);
	for (i = 0; i < s->filters.list.n; i++) {
		const char *text = s->filters.list.at[i].text;
		size_t end = strcspn(text, "=~");

		if (filter_of(&s->filters.list.at[i]) != FILTER_LABEL)
			continue;
		keys[n++] = pp_slice_of(text, end - (end && text[end - 1] == '!'));
	}
	return n;
}

/* Whether labels select or group. */
static bool
names_labels(const struct pp_scope *s)
{
	return filter_given(s, FILTER_LABEL) || s->by.choice == PP_BY_LABEL ||
	       s->root.choice == PP_ROOT_LABEL;
}

bool
pp_scope_has_time(const struct pp_scope *s)
{
	return filter_given(s, FILTER_TIME);
}

/* Whether a filter chooses stacks or takes them apart: calls cannot follow. */
static bool
choose_stacks(const struct pp_scope *s)
{
	size_t i;

	for (i = 0; i < s->filters.list.n; i++)
		if (filter_of(&s->filters.list.at[i]) < FILTER_EVENT)
			return true;
	return filter_given(s, FILTER_TIME) || depth_of(s) > 0;
}

unsigned
pp_scope_whole(unsigned facets)
{
	if (facets & PP_COSTS)
		facets = (facets & ~(unsigned)PP_COSTS) | PP_TREE | PP_EDGES | PP_LINES;
	return facets;
}

unsigned
pp_scope_facets(const struct pp_scope *s, unsigned facets)
{
	unsigned by = pp_scope_by(s);

	if (filter_given(s, FILTER_TIME))
		facets |= PP_TREE | PP_TIMELINE;
	if (filter_given(s, FILTER_THREAD) || s->by.choice == PP_BY_THREAD ||
	    s->root.choice == PP_ROOT_THREAD)
		facets |= PP_THREADS;
	if (names_labels(s))
		facets |= PP_THREADS | PP_LABELS | PP_META;
	if (pp_scope_given(s))
		facets = pp_scope_whole(facets);
	if (by == PP_BY_LINE || by == PP_BY_FILE || by == PP_BY_NAME_LINE || by == PP_BY_ADDRESS)
		facets &= ~(unsigned)PP_FUNCTIONS;
	if (choose_stacks(s) && !s->by_function)
		facets &= ~(unsigned)PP_EDGES;
	return facets;
}

/* ---- from parameters to a filter ---- */

/* Whether a text looks like the handle of a thread: t and a number, 0 too. */
static bool
is_thread_handle(const char *given)
{
	return given[0] == 't' && given[1] && strspn(given + 1, "0123456789") == strlen(given + 1);
}

/* Text of a profile that filters may have taken the place of when it is looked at. */
static struct pp_slice
text_keep(struct pp_answer *a, struct pp_slice text)
{
	const char *copy = pp_answer_copy(a, text);

	return pp_slice_of(copy, a->failed ? 0 : text.n);
}

/* Adds a thread as it was given or, where that is a handle (t1), the one that it stands for. */
static bool
thread_add(struct pp_filter *f, const char *given, const struct pp_profile *p, struct pp_answer *a,
           struct pp_buf *problem)
{
	struct pp_filter_thread t = { .text = pp_slice_z(given) };
	uint64_t handle = pp_handle_parse('t', given);
	uint32_t *series;
	size_t n;

	/* A thread that is really called so comes first. */
	if (p && is_thread_handle(given) && !pp_filter_has_thread(p, &t)) {
		if (!pp_threads_list(p, &series, &n))
			return false;
		if (handle && handle <= n) {
			const struct pp_series *s = &p->series.at[series[handle - 1]];

			t.exact = true;
			t.process = text_keep(a, pp_text_of(p, s->process));
			t.thread = text_keep(a, pp_text_of(p, s->thread));
			t.pid = s->pid;
			t.tid = s->tid;
		} else if (n > 1) {
			pp_buf_addf(problem,
			            "there is no thread %.24s: t1 to t%zu are those of this file",
			            given, n);
		} else {
			pp_buf_addf(problem, "there is no thread %.24s: %s", given,
			            n ? "this file has one, t1" : "this file has none");
		}
		free(series);
	}
	return problem->n == 0 && pp_vec_push(&f->threads, t);
}

/* False when a value is wrong: *param is whose, *problem says why, or is empty without memory. */
static bool
filter_fill(const struct pp_scope *s, struct pp_filter *f, const struct pp_param **param,
            struct pp_buf *problem, const struct pp_profile *p, struct pp_answer *a)
{
	bool fine = true;
	size_t i;

	f->depth = depth_of(s);
	f->by_function = s->by_function;
	f->keep_time = s->keep_time;
	for (i = 0; fine && i < s->filters.list.n; i++) {
		const struct pp_text_given *given = &s->filters.list.at[i];
		struct pp_slice text = pp_slice_z(given->text);
		size_t filter = filter_of(given);

		*param = given->param;
		if (filter < PP_COUNT_OF(pattern_kinds))
			fine = pp_filter_add(f, pattern_kinds[filter], text, problem);
		else if (filter == FILTER_EVENT)
			fine = pp_vec_push(&f->events, text);
		else if (filter == FILTER_THREAD)
			fine = thread_add(f, given->text, p, a, problem);
		else if (filter == FILTER_LABEL)
			fine = pp_filter_add_label(f, text, problem);
		else
			fine = pp_filter_set_time(f, text, problem);
	}
	return fine;
}

/* Whether threads that were asked for by name or number are there. */
static pp_status
threads_check(const struct pp_filter *f, const struct pp_profile *p, struct pp_answer *a)
{
	size_t i;

	for (i = 0; i < f->threads.n; i++)
		if (!pp_filter_has_thread(p, &f->threads.at[i]))
			return pp_answer_fail(
			    a, PP_E_USAGE, "no-thread",
			    "there is no such thread; `top` by thread lists those there are");
	return PP_OK;
}

bool
pp_scope_simple(const struct pp_scope *s, struct pp_filter *f)
{
	struct pp_buf problem = { 0 };
	const struct pp_param *param;
	bool simple = filter_fill(s, f, &param, &problem, NULL, NULL) && pp_filter_is_simple(f) &&
	              pp_scope_by(s) == PP_BY_FUNCTION && s->root.choice == PP_ROOT_NONE;

	/* What is wrong with a filter is said when it is used. */
	pp_buf_release(&problem);
	if (simple)
		return true;
	pp_filter_release(f);
	*f = (struct pp_filter){ 0 };
	return false;
}

/* ---- what was kept ---- */

/* Bytes of names of threads or events in a note, roughly. */
#define NAMES_LENGTH 400

/* The names that --thread or --event could have had, for one who gave none of them. */
static void
list_add(struct pp_buf *list, struct pp_slice name)
{
	struct pp_buf one = { 0 };

	pp_buf_adds(&one, ", ");
	pp_escape_terminal(&one, name);
	pp_buf_adds(&one, ", ");
	/* Each once: series of one thread, metrics of one event. */
	pp_buf_adds(list, list->n ? "" : ", ");
	if (one.p && list->p && !memmem(list->p, list->n, one.p, one.n)) {
		if (list->n <= NAMES_LENGTH)
			pp_buf_add(list, one.p + 2, one.n - 2);
		else if (!memmem(list->p, list->n, ", …", strlen(", …")))
			pp_buf_adds(list, "…, ");
	}
	pp_buf_release(&one);
}

/* The names in it, without the commas around them; NULL when there are none. */
static char *
list_text(struct pp_buf *list)
{
	if (!list->p || list->n < 4)
		return NULL;
	list->p[list->n - 2] = '\0';
	return list->p + 2;
}

/* The threads and events there are, when they were asked for, for the note on an empty result. */
static void
names_list(const struct pp_scope *s, const struct pp_profile *p, struct pp_buf *threads,
           struct pp_buf *events)
{
	size_t i;

	for (i = 0; filter_given(s, FILTER_THREAD) && i < p->series.n; i++) {
		const struct pp_series *series = &p->series.at[i];
		struct pp_buf one = { 0 };

		if (series->thread || (series->process && series->tid < 0)) {
			list_add(threads,
			         pp_text_of(p, series->thread ? series->thread : series->process));
		} else if (series->tid >= 0) {
			pp_buf_addf(&one, "%lld", (long long)series->tid);
			list_add(threads, pp_slice_of(one.p, one.n));
		}
		pp_buf_release(&one);
	}
	for (i = 0; filter_given(s, FILTER_EVENT) && i < pp_metrics_shown(p); i++)
		list_add(events, pp_text_of(p, p->metrics.at[i].event ? p->metrics.at[i].event
		                                                      : p->metrics.at[i].name));
}

/* Whether the question lists costs of lines, which filters choose by function. */
static bool
lists_lines(const struct pp_scope *s, const struct pp_profile *p)
{
	return s->by_function && (p->holds & PP_LINES);
}

/* What the profile adds up to, as far as the question shows it. */
static double
total_shown(const struct pp_scope *s, const struct pp_profile *p, size_t metric)
{
	size_t i;
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value sum;

	if (!lists_lines(s, p))
		return pp_value_double(m, pp_profile_total(p, metric));
	sum = pp_value_zero(m);
	for (i = 0; i < p->lines.rows.n; i++)
		pp_value_add(m, &sum, pp_cell_value(m, pp_line_cell(p, i, p->lines.hits + metric)));
	return pp_value_double(m, sum);
}

/* A metric and its total before anything was taken out. */
struct whole {
	pp_str name, event;
	bool gained;
	double total;
};

/* The totals of all metrics, because another may be the primary one afterwards; NULL without memory. */
static struct whole *
wholes_take(const struct pp_scope *s, const struct pp_profile *p)
{
	struct whole *wholes = calloc(p->metrics.n + 1, sizeof *wholes);
	bool lines = lists_lines(s, p);
	union pp_value *totals = p->costs.filtered || lines ? NULL : pp_profile_totals(p);
	size_t i;

	for (i = 0; wholes && i < p->metrics.n; i++) {
		const struct pp_metric *m = &p->metrics.at[i];

		wholes[i] = (struct whole){ m->name, m->event, m->flags & PP_METRIC_GAINED, 0 };
		if (p->costs.filtered)
			wholes[i].total = pp_value_double(m, p->costs.unfiltered.at[i]);
		else
			wholes[i].total = totals ? pp_value_double(m, totals[i])
			                         : total_shown(s, p, i);
	}
	free(totals);
	return wholes;
}

static double
whole_of(const struct whole *wholes, size_t n, const struct pp_metric *m)
{
	size_t i;

	for (i = 0; wholes && i < n; i++)
		if (wholes[i].name == m->name && wholes[i].event == m->event &&
		    wholes[i].gained == !!(m->flags & PP_METRIC_GAINED))
			return wholes[i].total;
	return 0;
}

static void
kept_note(const struct pp_scope *s, struct pp_answer *a, const struct pp_profile *p,
          const struct whole *wholes, size_t n, const char *threads, const char *events)
{
	size_t metric = pp_metric_of_shares(p, pp_profile_primary(p));
	bool nothing = p->costs.stated && p->tree.n <= 1
	                   ? p->costs.funcs.n <= 1
	                   : p->lines.rows.n == 0 &&
	                         (lists_lines(s, p) || (p->tree.n <= 1 && p->calls.rows.n == 0));
	struct pp_buf text = { 0 };
	double before, after;

	if (metric >= p->metrics.n || nothing) {
		pp_answer_note(a, "filters-nothing", "the filters leave nothing%s%s%s%s",
		               threads ? "; threads: " : "", threads ? threads : "",
		               events ? "; events: " : "", events ? events : "");
		return;
	}
	before = whole_of(wholes, n, &p->metrics.at[metric]);
	after = total_shown(s, p, metric);
	pp_buf_adds(&text, "the filters keep ");
	if (before > 0) {
		pp_units_share(&text, after, before);
		pp_buf_adds(&text, ", ");
	}
	pp_metric_describe(&text, p, &p->metrics.at[metric], after);
	pp_buf_adds(&text, "; shares below are of that");
	pp_answer_note(a, "filters-keep", "%s", pp_answer_made(a, &text));
	pp_buf_release(&text);
}

static pp_status
failed(struct pp_answer *a, pp_status status, const struct pp_buf *problem)
{
	return pp_answer_fail(a, status == PP_E_LIMIT && problem->n ? PP_E_USAGE : status,
	                      "filters-failed", "%s",
	                      problem->n ? problem->p : pp_status_text(status));
}

/* ---- filtering ---- */

/* Events and threads are chosen before stacks are estimated, so that these are those of what is left. */
static pp_status
filter_series(struct pp_view *view, const struct pp_filter *f, struct pp_buf *problem)
{
	struct pp_filter series = { .keep_time = f->keep_time };

	memcpy(&series.events, &f->events, sizeof series.events);
	memcpy(&series.threads, &f->threads, sizeof series.threads);
	memcpy(&series.labels, &f->labels, sizeof series.labels);
	return pp_filter_is_empty(&series) ? PP_OK : pp_view_filter(view, &series, problem);
}

/* Where nothing is known that stacks could be made of, filters choose functions. */
static bool
has_no_stacks(const struct pp_profile *p)
{
	return p->tree.n <= 1 && !pp_estimate_possible(p) && p->calls.rows.n + p->lines.rows.n > 0;
}

static pp_status
filter_run(const struct pp_scope *s, struct pp_view *view, const struct pp_filter *given,
           const struct pp_seen_for *seen, struct pp_answer *a)
{
	const struct pp_profile *p = view->shown;
	struct pp_filter f = *given;
	struct pp_buf problem = { 0 }, threads = { 0 }, events = { 0 };
	bool has_time = f.from.given || f.to.given;
	struct whole *wholes = wholes_take(s, p);
	size_t n = p->metrics.n;
	pp_status status = PP_OK, estimated = PP_OK;

	names_list(s, p, &threads, &events);
	if (f.by_function && p->lines.rows.n == 0)
		f.by_function = false; /* lines of frames: their stacks are chosen */
	if (has_no_stacks(p) && !seen->stacks) {
		f.by_function = true;
		f.depth = 0;
	}
	if ((seen->stacks || (pp_filter_needs_stacks(&f) && !f.by_function)) && !has_time &&
	    pp_estimate_possible(p)) {
		status = filter_series(view, &f, &problem);
		p = view->shown;
		if (status == PP_OK && p->calls.rows.n + p->lines.rows.n > 0)
			estimated = pp_scope_estimate(s, view, seen, a);
	}
	if (status == PP_OK && estimated == PP_OK)
		status = pp_view_filter(view, &f, &problem);
	if (status != PP_OK)
		status = failed(a, status, &problem);
	else if (estimated == PP_OK)
		kept_note(s, a, view->shown, wholes, n, list_text(&threads), list_text(&events));
	free(wholes);
	pp_buf_release(&problem);
	pp_buf_release(&threads);
	pp_buf_release(&events);
	return status == PP_OK ? estimated : status;
}

void
pp_scope_note(const struct pp_scope *s, const struct pp_profile *p, struct pp_answer *a)
{
	struct whole *wholes = wholes_take(s, p);

	kept_note(s, a, p, wholes, p->metrics.n, NULL, NULL);
	free(wholes);
}

/* ---- what is set aside ---- */

/* Whether an answer has a note of a rule: several files have the same. */
static bool
is_noted(const struct pp_answer *a, const char *rule)
{
	size_t i;

	for (i = 0; i < a->notes.n && strcmp(a->notes.at[i].rule, rule) != 0; i++)
		;
	return i < a->notes.n;
}

static void
idle_note(struct pp_answer *a, const struct pp_profile *p, size_t metric)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	double idle = pp_value_double(m, pp_profile_aside(p, metric).idle);
	struct pp_buf text = { 0 };

	pp_units_share(&text, idle, idle + pp_value_double(m, pp_profile_total(p, metric)));
	pp_buf_adds(&text, " (");
	if (m->kind == PP_KIND_SAMPLES)
		pp_metric_describe(&text, p, m, idle);
	else
		pp_units_value(&text, pp_text_of(p, m->unit), idle);
	pp_answer_note(a, "idle", "%s) is idle; shares are of the rest; --all-frames shows all",
	               pp_answer_made(a, &text));
	pp_buf_release(&text);
}

pp_status
pp_scope_set_aside(struct pp_view *view, const struct pp_seen_for *seen, struct pp_answer *a)
{
	const struct pp_profile *p;
	struct pp_aside_row aside;
	size_t metric;

	if (seen->all_frames)
		return PP_OK;
	if (pp_view_set_aside(view) != PP_OK)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	p = view->shown;
	if (!p->aside.n)
		return PP_OK;
	metric = pp_scope_metric(p, seen->metric);
	aside = pp_profile_aside(p, metric);
	if (aside.attributed && !is_noted(a, "attributed"))
		pp_answer_note(
		    a, "attributed",
		    "the cost of allocators is shown at their callers; --all-frames undoes it");
	if (metric < p->metrics.n && !pp_value_is_zero(&p->metrics.at[metric], aside.idle) &&
	    !is_noted(a, "idle")) {
		if (seen->one_of_many)
			pp_answer_note(
			    a, "idle",
			    "idle time is left out of rows and shares; --all-frames shows all");
		else
			idle_note(a, p, metric);
	}
	return PP_OK;
}

/* ---- groups ---- */

static pp_status
group_failed(pp_status status, unsigned by, const char *key, const struct pp_buf *problem,
             struct pp_answer *a)
{
	static const char *const names[] = {
		[PP_BY_FUNCTION] = "functions", [PP_BY_FILE] = "files",
		[PP_BY_MODULE] = "modules",     [PP_BY_LINE] = "lines",
		[PP_BY_THREAD] = "threads",     [PP_BY_NAME] = "names",
		[PP_BY_ADDRESS] = "addresses",  [PP_BY_LABEL] = "",
		[PP_BY_FILE_NAME] = "files",    [PP_BY_NAME_LINE] = "lines",
	};

	if (status == PP_E_UNSUPPORTED && by == PP_BY_LABEL)
		return pp_answer_fail(a, status, "no-label",
		                      "nothing in this profile has a label '%s'; `polyprof tags` "
		                      "lists those there are",
		                      key);
	if (status == PP_E_UNSUPPORTED)
		return pp_answer_fail(a, status, "no-groups",
		                      "this profile does not "
		                      "distinguish %s",
		                      names[by]);
	if (status != PP_OK)
		return pp_answer_fail(a, status, "group-failed", "%s",
		                      problem && problem->n ? problem->p : pp_status_text(status));
	return PP_OK;
}

/* What stands below all stacks. */
static pp_status
root_run(const struct pp_scope *s, struct pp_view *view, struct pp_answer *a)
{
	unsigned by = s->root.choice == PP_ROOT_THREAD ? PP_BY_THREAD : PP_BY_LABEL;

	if (s->root.choice == PP_ROOT_NONE || view->shown->tree.n <= 1)
		return PP_OK;
	return group_failed(pp_view_root(view, by, pp_slice_z(s->root.key ? s->root.key : "")), by,
	                    s->root.key, NULL, a);
}

/* Whether a series tells anything: filters leave rows of nothing in some. */
static bool
series_costs(const struct pp_profile *p, const struct pp_series *s)
{
	uint32_t row;
	size_t i;

	for (row = 0; row < s->rows; row++) {
		struct pp_cells cells = pp_series_costs(p, s, row);

		for (i = 0; pp_series_present(s, row) && i < cells.n; i++)
			if (cells.at[i])
				return true;
	}
	return false;
}

/* Whether there is anything to group: samples without stacks are those of threads all the same. */
static bool
has_costs(const struct pp_profile *p, unsigned by)
{
	size_t i = 0;

	if (p->tree.n + p->lines.rows.n + p->calls.rows.n > 1)
		return true;
	if (by == PP_BY_THREAD || by == PP_BY_LABEL)
		while (i < p->series.n && !series_costs(p, &p->series.at[i]))
			i++;
	else
		i = p->series.n;
	return i < p->series.n;
}

static pp_status
group_run(const struct pp_scope *s, struct pp_view *view, struct pp_answer *a)
{
	const struct pp_profile *p = view->shown;
	struct pp_buf problem = { 0 };
	unsigned by = pp_scope_by(s);
	pp_status status;

	if (by == PP_BY_FUNCTION || !has_costs(p, by))
		return PP_OK;
	status = group_failed(
	    pp_view_group(view, by, pp_slice_z(s->by.key ? s->by.key : ""), &problem), by,
	    s->by.key, &problem, a);
	pp_buf_release(&problem);
	return status;
}

/* ---- names ---- */

pp_status
pp_scope_names(const struct pp_scope *s, struct pp_view *view, const struct pp_seen_for *seen,
               struct pp_answer *a)
{
	if (s->demangle && s->no_demangle)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "--demangle and --no-demangle cannot be used together");
	if (s->no_demangle || (!s->demangle && !seen->for_people))
		return PP_OK;
	if (s->demangle && pp_demangle_lacks(view->shown))
		pp_answer_note(
		    a, "no-demangler",
		    "this build has no C++ runtime to demangle with: names of C++ stay as "
		    "they are");
	return pp_view_demangle(view, !s->demangle, seen->demangled) == PP_OK
	           ? PP_OK
	           : pp_answer_fail_status(a, PP_E_NOMEM);
}

pp_status
pp_scope_apply(const struct pp_scope *s, struct pp_view *view, const struct pp_seen_for *seen,
               struct pp_answer *a)
{
	const struct pp_param *param = NULL;
	struct pp_buf problem = { 0 };
	struct pp_filter f = { 0 };
	pp_status status = PP_OK;

	if (!filter_fill(s, &f, &param, &problem, view->shown, a))
		status = problem.n ? pp_answer_fail(a, PP_E_USAGE, "bad-filter", "--%s: %s",
		                                    param->name, problem.p)
		                   : pp_answer_fail_status(a, PP_E_NOMEM);
	if (status == PP_OK && names_labels(s) && pp_view_divide(view) != PP_OK)
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (status == PP_OK && seen->known_threads)
		status = threads_check(&f, view->shown, a);
	if (status == PP_OK && !pp_filter_is_empty(&f))
		status = filter_run(s, view, &f, seen, a);
	else if (status == PP_OK && seen->stacks && pp_estimate_possible(view->shown))
		status = pp_scope_estimate(s, view, seen, a);
	if (status == PP_OK)
		status = pp_scope_set_aside(view, seen, a);
	if (status == PP_OK)
		status = root_run(s, view, a);
	if (status == PP_OK)
		status = group_run(s, view, a);
	if (status == PP_OK && !seen->labels && pp_view_unite(view) != PP_OK)
		status = pp_answer_fail_status(a, PP_E_NOMEM);
	if (status == PP_OK)
		status = pp_scope_names(s, view, seen, a);
	pp_filter_release(&f);
	pp_buf_release(&problem);
	return status;
}
