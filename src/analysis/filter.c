/*
 * Filters on a profile: functions, events and threads, and the order in which everything happens.
 */
#include "analysis/filter.h"

#include "analysis/places.h"
#include "base/num.h"
#include "model/derive.h"
#include "model/divide.h"
#include "model/schema.h"

/* ---- rules on functions ----------------------------------------------------------------- */

/* Applies one rule to all functions; `known` (per string: 1 + the answer) is all zero. */
static pp_status
rule_apply(const struct pp_profile *p, const struct pp_filter_rule *rule, unsigned char *known,
           pp_filter_flags *flags, struct pp_buf *problem)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		pp_str str;
		struct pp_slice text = pp_filter_rule_text(p, rule, &p->funcs.at[i], &str);
		bool matches = known[str] == 2;

		if (!str || !known[str]) {
			pp_status status = pp_filter_rule_try(rule, text, &matches, problem);

			if (status != PP_OK)
				return status;
			known[str] = matches ? 2 : 1;
		}
		if (matches)
			flags[i] |= (pp_filter_flags)(1u << rule->kind);
	}
	return PP_OK;
}

/* What the rules say of each function; NULL with a status when that fails. */
static pp_filter_flags *
rules_apply(const struct pp_profile *p, const struct pp_filter *f, struct pp_buf *problem,
            pp_status *status)
{
	pp_filter_flags *flags = calloc(p->funcs.n, sizeof *flags);
	unsigned char *known = malloc(p->strs.strs.n);
	size_t i;

	*status = flags && known ? PP_OK : PP_E_NOMEM;
	for (i = 0; i < f->rules.n && *status == PP_OK; i++) {
		memset(known, 0, p->strs.strs.n);
		*status = rule_apply(p, &f->rules.at[i], known, flags, problem);
	}
	free(known);
	if (*status == PP_OK)
		return flags;
	free(flags);
	return NULL;
}

/* Whether a function stays in a listing that knows no stacks. */
static bool
function_stays(pp_filter_flags flags, unsigned kinds)
{
	const unsigned keep = kinds & (1u << PP_FILTER_FOCUS | 1u << PP_FILTER_SHOW |
	                               1u << PP_FILTER_SHOW_FROM);

	return (flags & keep) == keep && !(flags & (1u << PP_FILTER_IGNORE | 1u << PP_FILTER_HIDE));
}

/* ---- events and threads ----------------------------------------------------------------- */

static bool
list_has(const struct pp_slice *list, size_t n, struct pp_slice text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (pp_slice_eq(list[i], text))
			return true;
	return false;
}

/* Whether a metric was asked for by its name, or as "EVENT/NAME". */
static bool
metric_named(const struct pp_profile *p, const struct pp_metric *m, const struct pp_filter *f)
{
	size_t i;

	for (i = 0; i < f->events.n; i++)
		if (pp_metric_is_named(p, m, f->events.at[i]))
			return true;
	return false;
}

/* Whether any was; that says nothing about events of series. */
static bool
asks_for_metric(const struct pp_profile *p, const struct pp_filter *f)
{
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		if (metric_named(p, &p->metrics.at[i], f))
			return true;
	return false;
}

static bool
thread_is(const struct pp_profile *p, const struct pp_series *s, const struct pp_filter_thread *t)
{
	pp_str name = s->thread ? s->thread : s->process; /* as it is shown */
	uint64_t id;

	if (t->exact)
		return s->tid == t->tid && s->pid == t->pid &&
		       pp_slice_eq(pp_text_of(p, s->thread), t->thread) &&
		       pp_slice_eq(pp_text_of(p, s->process), t->process);
	return (name && pp_slice_eq(pp_text_of(p, name), t->text)) ||
	       (s->tid >= 0 && pp_num_u64(t->text, &id) && (uint64_t)s->tid == id);
}

bool
pp_filter_has_thread(const struct pp_profile *p, const struct pp_filter_thread *t)
{
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (thread_is(p, &p->series.at[i], t))
			return true;
	return false;
}

static bool
series_stays(const struct pp_profile *p, const struct pp_series *s, const struct pp_filter *f)
{
	size_t i;

	if (f->events.n && s->event &&
	    !list_has(f->events.at, f->events.n, pp_text_of(p, s->event)) && !asks_for_metric(p, f))
		return false;
	for (i = 0; i < f->threads.n; i++)
		if (thread_is(p, s, &f->threads.at[i]))
			return true;
	return f->threads.n == 0;
}

static bool
metric_stays(const struct pp_profile *p, const struct pp_metric *m, const struct pp_filter *f)
{
	bool by_series = false;
	size_t i;

	if (f->events.n == 0 || metric_named(p, m, f) ||
	    (m->event && list_has(f->events.at, f->events.n, pp_text_of(p, m->event))))
		return true;
	/* Where events are told apart by series, each series has all the metrics. */
	for (i = 0; i < p->series.n; i++)
		by_series |= p->series.at[i].event != 0 &&
		             list_has(f->events.at, f->events.n,
		                      pp_text_of(p, p->series.at[i].event));
	return by_series && !m->event;
}

/* ---- what is chosen --------------------------------------------------------------------- */

struct choice {
	const struct pp_filter *f;
	struct pp_derive d;
	pp_filter_flags *flags; /* by function */
	bool *metrics;          /* which stay */
	size_t metrics_left;
	bool *series;     /* which stay */
	uint32_t *number; /* by series: what it is among those that stay */
	size_t series_left;
	bool nothing; /* no cost belongs to an event that was asked for */
	struct pp_buf *problem;
};

static void
choice_release(struct choice *c)
{
	free(c->flags);
	free(c->metrics);
	free(c->series);
	free(c->number);
}

/* Which metrics stay. An event that nothing belongs to leaves them all, without any cost. */
static void
choose_metrics(struct choice *c)
{
	const struct pp_profile *p = c->d.from;
	size_t m;

	for (m = 0; m < p->metrics.n; m++)
		c->metrics_left += c->metrics[m] = metric_stays(p, &p->metrics.at[m], c->f);
	c->nothing = c->metrics_left == 0 && p->metrics.n > 0;
	if (!c->nothing)
		return;
	c->metrics_left = p->metrics.n;
	memset(c->metrics, true, p->metrics.n);
}

static pp_status
choose_series(struct choice *c)
{
	const struct pp_profile *p = c->d.from;
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		c->series[i] = !c->nothing && series_stays(p, &p->series.at[i], c->f);
	for (i = 0; i < c->f->labels.n && status == PP_OK; i++)
		status = pp_label_rule_apply(&c->f->labels.at[i], p, c->series, c->problem);
	for (i = 0; i < p->series.n; i++) {
		c->number[i] = (uint32_t)c->series_left;
		c->series_left += c->series[i];
	}
	return status;
}

static pp_status
choice_make(struct choice *c)
{
	const struct pp_profile *p = c->d.from;
	pp_status status;

	c->metrics = calloc(p->metrics.n + 1, sizeof *c->metrics);
	c->series = calloc(p->series.n + 1, sizeof *c->series);
	c->number = calloc(p->series.n + 1, sizeof *c->number);
	if (!c->metrics || !c->series || !c->number)
		return PP_E_NOMEM;
	c->flags = rules_apply(p, c->f, c->problem, &status);
	if (status == PP_OK) {
		choose_metrics(c);
		status = choose_series(c);
	}
	return status;
}

/* Whether a row of calls or lines stays, and the number that its series has then. */
static bool
row_stays(const struct choice *c, uint32_t *series, pp_func func)
{
	if (c->nothing || (c->d.from->series.n && !c->series[*series]))
		return false;
	*series = c->d.from->series.n ? c->number[*series] : 0;
	return !c->f->by_function || function_stays(c->flags[func], pp_filter_kinds(c->f));
}

/* ---- columns of what stays -------------------------------------------------------------- */

/* Drops the cells of metrics that go from a block, and all of rows that go (NULL = none does). */
static bool
cells_choose(const struct choice *c, struct pp_cell_block b, const bool *stays)
{
	return pp_cells_choose(b, c->metrics, c->d.from->metrics.n, stays);
}

static bool
func_is_kept(const void *choice, pp_func func)
{
	const struct choice *c = choice;

	return function_stays(c->flags[func], pp_filter_kinds(c->f));
}

/* The function of a line: as the file says, else by its place; of several in one line, one that was asked for. */
static pp_func
line_func(const struct pp_places *places, struct pp_line_row *line)
{
	pp_func func = line->func ? line->func : pp_place_marked(places, line->file, line->line);

	/* Who lists the line names that one. */
	if (func != pp_place_func(places, line->file, line->line))
		line->func = func;
	return func;
}

/* Calls and lines of what was asked for. */
static bool
rows_choose(struct choice *c)
{
	struct pp_profile *p = c->d.to;
	size_t calls = p->calls.rows.n, lines = p->lines.rows.n, i;
	bool *stays = calloc(calls + lines + 1, sizeof *stays);
	struct pp_places places = { 0 };
	bool fine = stays && pp_derive_copy(&c->d, PP_COLUMN_CALLS | PP_COLUMN_LINES) &&
	            (!c->f->by_function || pp_places_init(&places, c->d.from));

	if (fine)
		pp_places_mark(&places, func_is_kept, c);
	for (i = 0; fine && i < calls; i++)
		stays[i] = row_stays(c, &p->calls.rows.at[i].series, p->calls.rows.at[i].callee);
	for (i = 0; fine && i < lines; i++)
		stays[calls + i] = row_stays(c, &p->lines.rows.at[i].series,
		                             line_func(&places, &p->lines.rows.at[i]));
	pp_places_release(&places);
	fine = fine && cells_choose(c, pp_cell_block(p, p->series.n), stays) &&
	       cells_choose(c, pp_cell_block(p, p->series.n + 1), stays + calls);
	p->calls.rows.n = fine ? 0 : p->calls.rows.n;
	p->lines.rows.n = fine ? 0 : p->lines.rows.n;
	for (i = 0; fine && i < calls; i++)
		if (stays[i])
			p->calls.rows.at[p->calls.rows.n++] = p->calls.rows.at[i];
	for (i = 0; fine && i < lines; i++)
		if (stays[calls + i])
			p->lines.rows.at[p->lines.rows.n++] = p->lines.rows.at[i];
	free(stays);
	return fine;
}

/* A function that does not stay is not listed for being declared either. */
static bool
funcs_choose(struct choice *c)
{
	unsigned kinds = pp_filter_kinds(c->f);
	size_t i;

	if (!pp_derive_copy(&c->d, PP_COLUMN_FUNCS))
		return false;
	for (i = 1; i < c->d.to->funcs.n; i++)
		if (c->nothing || !function_stays(c->flags[i], kinds))
			c->d.to->funcs.at[i].flags &= ~(unsigned)PP_FUNC_DECLARED;
	return true;
}

static bool
series_choose(struct choice *c)
{
	struct pp_profile *p = c->d.to;
	size_t i;

	if (c->series_left == p->series.n)
		return true;
	if (!pp_derive_copy(&c->d, PP_COLUMN_SERIES | PP_COLUMN_NOT_OWN))
		return false;
	p->series.n = p->not_own.n = 0;
	for (i = 0; i < c->d.from->series.n; i++)
		if (c->series[i])
			p->series.at[p->series.n++] = c->d.from->series.at[i];
	for (i = 0; i < c->d.from->not_own.n; i++) {
		struct pp_not_own_row row = c->d.from->not_own.at[i];

		if (!c->series[row.series])
			continue;
		row.series = c->number[row.series];
		p->not_own.at[p->not_own.n++] = row;
	}
	/* Costs per function may be those of all series together. */
	if (p->costs.stated && !p->costs.series.n)
		pp_profile_forget_stated(p);
	if (!p->costs.series.n)
		return true;
	if (!pp_derive_copy(&c->d, PP_COLUMN_COSTS))
		return false;
	pp_costs_choose(p, c->series, c->number);
	return true;
}

/* Leaves the tree as it is and drops the cells of metrics that go from the rows of the series. */
static bool
rows_narrow(struct choice *c)
{
	struct pp_profile *p = c->d.to;
	size_t i;

	if (c->metrics_left == p->metrics.n)
		return true;
	if (!pp_derive_copy(&c->d, PP_COLUMN_ROWS) || !pp_derive_empty(&c->d, PP_COLUMN_TIMES))
		return false;
	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		if (!cells_choose(c, pp_cell_block(p, i), NULL))
			return false;
		s->stride = (uint32_t)(c->metrics_left * (1u + s->measured) + s->has_calls);
	}
	return true;
}

/* Drops metrics that go from the costs per function, where those are many. */
static bool
costs_narrow(const struct choice *c, struct pp_wide *costs)
{
	uint32_t *new_of = malloc((c->d.from->metrics.n + 1) * sizeof *new_of), n = 0;
	size_t m;

	for (m = 0; new_of && m < c->d.from->metrics.n; m++)
		new_of[m] = c->metrics[m] ? n++ : PP_NO_COLUMN;
	if (new_of)
		pp_wide_rename(costs, new_of);
	free(new_of);
	return new_of != NULL;
}

/* Drops metrics that go, from the list and from costs per function. */
static bool
metrics_narrow(struct choice *c)
{
	struct pp_profile *p = c->d.to;
	union pp_value *cells;
	size_t m, i, n = 0;

	if (c->metrics_left == p->metrics.n)
		return true;
	if (!pp_derive_copy(&c->d, PP_COLUMN_METRICS | PP_COLUMN_COSTS | PP_COLUMN_NOT_OWN))
		return false;
	for (i = 0; i < p->not_own.n; i++) {
		struct pp_not_own_row row = p->not_own.at[i];

		for (m = row.metric; m-- > 0;)
			row.metric -= !c->metrics[m];
		if (c->metrics[p->not_own.at[i].metric])
			p->not_own.at[n++] = row;
	}
	p->not_own.n = n;
	cells = p->costs.cells.at;
	for (i = 0, n = 0; i < p->costs.cells.n; i++)
		if (c->metrics[i % p->metrics.n])
			cells[n++] = cells[i];
	p->costs.cells.n = n;
	if (p->costs.wide && !costs_narrow(c, p->costs.wide))
		return false;
	for (m = 0, n = 0; m < p->metrics.n; m++) {
		struct pp_metric metric = p->metrics.at[m];

		for (i = metric.net; metric.flags & PP_METRIC_GAINED && i-- > 0;)
			metric.net -= !c->metrics[i];
		if (c->metrics[m])
			p->metrics.at[n++] = metric;
	}
	p->metrics.n = n;
	/* Those that shared a name may be gone. */
	for (m = 0; m < n; m++) {
		for (i = 0; i < n && (i == m || p->metrics.at[i].name != p->metrics.at[m].name);
		     i++)
			;
		if (i == n)
			p->metrics.at[m].flags &= ~(unsigned)PP_METRIC_SHARED;
	}
	return true;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool
has_timeline(const struct pp_profile *p)
{
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].timeline.n)
			return true;
	return false;
}

static int64_t
moment(const struct pp_time_span *span, const struct pp_filter_time *t, int64_t otherwise)
{
	pp_i128 length = (pp_i128)span->end - span->start, at;

	if (!t->given)
		return otherwise;
	at = span->start + (t->is_share ? (pp_i128)((double)length * t->share) : t->ns);
	/* All of it includes its last event. */
	if (t->is_share && t->share >= 1.0)
		return INT64_MAX;
	return at > INT64_MAX ? INT64_MAX : (int64_t)at;
}

/* Whether the profile has what the filter needs. */
static pp_status
check_facets(const struct pp_profile *p, const struct pp_filter *f, struct pp_buf *problem)
{
	struct pp_time_span span = pp_filter_has_time(f) ? pp_profile_span(p) : p->time;

	if (pp_filter_has_time(f) && !has_timeline(p) &&
	    p->tree.n + p->calls.rows.n + p->lines.rows.n > 1) {
		pp_buf_adds(problem, "this profile does not record when things happened, so "
		                     "--time cannot be used");
		return PP_E_UNSUPPORTED;
	}
	/* "50%..1ms" may be one or the other: that depends on the profile. */
	if (f->from.given && f->to.given && moment(&span, &f->from, 0) > moment(&span, &f->to, 0)) {
		pp_buf_adds(problem, "--time ends before it begins in this profile; write FROM..TO "
		                     "with the earlier time first");
		return PP_E_USAGE;
	}
	if (pp_filter_needs_stacks(f) && p->tree.n <= 1 &&
	    (p->calls.rows.n > 0 || p->lines.rows.n > 0)) {
		pp_buf_adds(problem, "this profile holds no stacks, so filters cannot choose "
		                     "among them");
		return PP_E_UNSUPPORTED;
	}
	return PP_OK;
}

static void
settle_facets(struct choice *c)
{
	struct pp_profile *p = c->d.to;

	/* A tree without stacks is still a tree, and so is nothing at all. */
	p->facets &= ~(unsigned)PP_FACETS | PP_TREE;
	p->facets |= p->calls.rows.n || p->lines.rows.n ? 0u : PP_TREE;
	p->facets |= p->calls.rows.n ? PP_EDGES : 0u;
	p->facets |= p->lines.rows.n ? PP_LINES : 0u;
	p->facets |= has_timeline(p) ? PP_TIMELINE : 0u;
}

/* True when what happened when can stay: stacks and metrics remain what timelines speak of. */
static bool
keeps_time(const struct choice *c)
{
	return c->f->keep_time && !pp_filter_needs_stacks(c->f) && !c->f->by_function &&
	       c->metrics_left == c->d.from->metrics.n && has_timeline(c->d.to);
}

/* Calls, lines and functions: those of the events, threads and functions that were asked for. */
static bool
choose_others(struct choice *c)
{
	const struct pp_profile *p = c->d.from;
	bool narrow = c->metrics_left < p->metrics.n || c->series_left < p->series.n || c->nothing;

	if ((c->nothing || c->f->by_function) && !funcs_choose(c))
		return false;
	/* Edges and lines cannot be divided by stacks: the tree answers alone from here on. */
	if (pp_filter_needs_stacks(c->f) || pp_filter_has_time(c->f)) {
		pp_profile_forget_stated(c->d.to);
		return pp_derive_empty(&c->d, PP_COLUMN_CALLS | PP_COLUMN_LINES);
	}
	return (!narrow && !c->f->by_function) || rows_choose(c);
}

/* The stretch of time, then the stacks; the profile is that of the stretch if timelines stay. */
static pp_status
choose_stacks(struct choice *c)
{
	const struct pp_filter *f = c->f;
	struct pp_profile *p = c->d.to;
	struct pp_filter_stacks stacks = { .flags = f->by_function ? NULL : c->flags,
		                           .kinds = f->by_function ? 0 : pp_filter_kinds(f),
		                           .collapses = pp_filter_collapses(f),
		                           .depth = f->depth,
		                           .metrics = c->metrics,
		                           .problem = c->problem };
	bool keeps = keeps_time(c);
	struct pp_time_span span = pp_filter_has_time(f) ? pp_profile_span(c->d.from) : p->time;
	int64_t from = moment(&span, &f->from, INT64_MIN), to = moment(&span, &f->to, INT64_MAX);
	pp_status status = PP_OK;

	if (pp_filter_has_time(f))
		status = pp_filter_timelines(&c->d, from, to, c->problem);
	if (status == PP_OK && !keeps &&
	    (pp_filter_needs_stacks(f) || pp_filter_has_time(f) ||
	     c->series_left < c->d.from->series.n))
		status = pp_filter_tree(&c->d, &stacks);
	else if (status == PP_OK && !rows_narrow(c))
		status = PP_E_NOMEM;
	if (keeps && pp_filter_has_time(f) && p->time.known) {
		p->time.start = from > p->time.start ? from : p->time.start;
		p->time.end = to < p->time.end ? to : p->time.end;
	}
	return status;
}

/* Whether a stretch of time is all of it: then nothing is left out, whatever timelines say of the sums. */
static bool
is_all_time(const struct pp_profile *p, const struct pp_filter *f)
{
	struct pp_time_span span = pp_filter_has_time(f) ? pp_profile_span(p) : p->time;

	return moment(&span, &f->from, INT64_MIN) <= span.start &&
	       moment(&span, &f->to, INT64_MAX) > span.end;
}

pp_status
pp_filter_derive(const struct pp_profile *p, const struct pp_filter *given, struct pp_profile **out,
                 struct pp_buf *problem)
{
	struct pp_filter timeless = *given;
	const struct pp_filter *f = is_all_time(p, given) ? &timeless : given;
	struct choice c = { .f = f, .d.from = p, .problem = problem };
	pp_status status = check_facets(p, given, problem);

	*out = NULL;
	timeless.from.given = timeless.to.given = false;
	if (status == PP_OK)
		status = choice_make(&c);
	/* What only the format's own writer understands speaks of the profile as it was. */
	if (status == PP_OK && !pp_derive_init(&c.d, p, 0, PP_COLUMN_KEPT))
		status = PP_E_NOMEM;
	if (status == PP_OK && !(choose_others(&c) && series_choose(&c)))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = choose_stacks(&c);
	if (status == PP_OK && !metrics_narrow(&c))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		settle_facets(&c);
	choice_release(&c);
	return pp_derive_finish(&c.d, status, out);
}
