/*
 * Filters on a profile: functions, events and threads, and the order in which everything happens.
 */
#include "analysis/filter.h"

#include "base/num.h"

/* ---- rules on functions ----------------------------------------------------------------- */

/* Applies one rule to all functions; `known` (per string: 1 + the answer) is all zero. */
static pp_status
rule_apply(const struct pp_profile *p, const struct pp_filter_rule *rule, unsigned char *known,
           pp_filter_flags *flags, struct pp_buf *problem)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++) {
		pp_str text = pp_filter_rule_text(p, rule, &p->funcs.at[i]);

		if (!known[text]) {
			bool matches;
			pp_status status = pp_filter_rule_try(rule, pp_text_of(p, text), &matches,
			                                      problem);

			if (status != PP_OK)
				return status;
			known[text] = matches ? 2 : 1;
		}
		if (known[text] == 2)
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
	struct pp_slice name = pp_text_of(p, m->name), event = pp_text_of(p, m->event);
	size_t i;

	for (i = 0; i < f->events.n; i++) {
		struct pp_slice word = f->events.at[i];

		if (pp_slice_eq(word, name))
			return true;
		if (event.n && word.n == event.n + 1 + name.n && word.p[event.n] == '/' &&
		    pp_slice_eq(pp_slice_of(word.p, event.n), event) &&
		    pp_slice_eq(pp_slice_of(word.p + event.n + 1, name.n), name))
			return true;
	}
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
has_time(const struct pp_filter *f)
{
	return f->from.given || f->to.given;
}

static bool
series_stays(const struct pp_profile *p, const struct pp_series *s, const struct pp_filter *f)
{
	size_t i;

	if (f->events.n && s->event &&
	    !list_has(f->events.at, f->events.n, pp_text_of(p, s->event)) && !asks_for_metric(p, f))
		return false;
	for (i = 0; i < f->threads.n; i++) {
		uint64_t id;

		if (s->thread && pp_slice_eq(pp_text_of(p, s->thread), f->threads.at[i]))
			return true;
		if (s->tid >= 0 && pp_num_u64(f->threads.at[i], &id) && (uint64_t)s->tid == id)
			return true;
	}
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

/* Moves the cells of metrics that stay together; `lead` cells come before them, `sets` sets of them. */
static void
cells_narrow(int64_t *cells, size_t *n, size_t rows, size_t lead, size_t sets, size_t metrics,
             const bool *stays)
{
	size_t row, set, m, at = 0, from = 0;

	for (row = 0; row < rows; row++) {
		for (m = 0; m < lead; m++)
			cells[at++] = cells[from++];
		for (set = 0; set < sets; set++)
			for (m = 0; m < metrics; m++, from++)
				if (stays[m])
					cells[at++] = cells[from];
	}
	*n = at;
}

/* The same for the costs of functions. */
static void
costs_narrow(struct pp_profile *p, const bool *stays)
{
	union pp_value *cells = p->costs.cells.at;
	size_t i, n = 0;

	for (i = 0; i < p->costs.cells.n; i++)
		if (stays[i % p->metrics.n])
			cells[n++] = cells[i];
	p->costs.cells.n = n;
}

/* Drops edges and lines of series that go, or of functions that go; renumbers their series. */
static void
rows_drop(struct pp_profile *p, const bool *series, const uint32_t *number,
          const pp_filter_flags *flags, unsigned kinds)
{
	size_t i, n = 0, stride = pp_edge_stride(p);

	for (i = 0; i < p->calls.rows.n; i++) {
		if ((p->series.n && !series[p->calls.rows.at[i].series]) ||
		    (flags && !function_stays(flags[p->calls.rows.at[i].callee], kinds)))
			continue;
		p->calls.rows.at[n] = p->calls.rows.at[i];
		p->calls.rows.at[n].series = p->series.n ? number[p->calls.rows.at[i].series] : 0;
		memmove(p->calls.cells.at + n++ * stride, p->calls.cells.at + i * stride,
		        stride * sizeof *p->calls.cells.at);
	}
	p->calls.rows.n = n;
	p->calls.cells.n = n * stride;
	stride = pp_line_stride(p);
	for (i = 0, n = 0; i < p->lines.rows.n; i++) {
		if ((p->series.n && !series[p->lines.rows.at[i].series]) ||
		    (flags && !function_stays(flags[p->lines.rows.at[i].func], kinds)))
			continue;
		p->lines.rows.at[n] = p->lines.rows.at[i];
		p->lines.rows.at[n].series = p->series.n ? number[p->lines.rows.at[i].series] : 0;
		memmove(p->lines.cells.at + n++ * stride, p->lines.cells.at + i * stride,
		        stride * sizeof *p->lines.cells.at);
	}
	p->lines.rows.n = n;
	p->lines.cells.n = n * stride;
	for (i = 1; flags && i < p->funcs.n; i++)
		if (!function_stays(flags[i], kinds))
			p->funcs.at[i].flags &= ~(unsigned)PP_FUNC_DECLARED;
}

static void
series_drop(struct pp_profile *p, const bool *series)
{
	size_t i, n = 0;

	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		if (series[i]) {
			p->series.at[n++] = *s;
			continue;
		}
		free(s->cells);
		free(s->node_of);
		free(s->present);
		pp_timeline_release(&s->timeline);
	}
	p->series.n = n;
}

/* Keeps the series of the events and threads asked for. */
/* Keeps what is less of the series that stay. */
static void
less_keep(struct pp_profile *p, const bool *stays, const uint32_t *number)
{
	size_t i, n = 0;

	for (i = 0; i < p->not_own.n; i++)
		if (stays[p->not_own.at[i].series]) {
			p->not_own.at[n] = p->not_own.at[i];
			p->not_own.at[n].series = number[p->not_own.at[n].series];
			n++;
		}
	p->not_own.n = n;
}

static pp_status
choose_series(struct pp_profile *p, const struct pp_filter *f, const pp_filter_flags *flags,
              unsigned kinds, bool nothing)
{
	bool *series = calloc(p->series.n + 1, sizeof *series);
	uint32_t *number = calloc(p->series.n + 1, sizeof *number), n = 0;
	bool fine = series && number;
	size_t i;

	if (fine) {
		for (i = 0; i < p->series.n; i++) {
			series[i] = !nothing && series_stays(p, &p->series.at[i], f);
			number[i] = n;
			n += series[i];
		}
		rows_drop(p, series, number, flags, kinds);
		less_keep(p, series, number);
		series_drop(p, series);
	}
	free(number);
	free(series);
	return fine ? PP_OK : PP_E_NOMEM;
}

/* Drops the columns of metrics that go, everywhere but in the series. */
static void
metrics_drop(struct pp_profile *p, const bool *stays)
{
	size_t m, n = 0, i;

	for (i = 0; i < p->not_own.n; i++)
		for (m = p->not_own.at[i].metric; m-- > 0;)
			p->not_own.at[i].metric -= !stays[m];
	cells_narrow(p->calls.cells.at, &p->calls.cells.n, p->calls.rows.n, 1, p->calls.own ? 2 : 1,
	             p->metrics.n, stays);
	cells_narrow(p->lines.cells.at, &p->lines.cells.n, p->lines.rows.n, p->lines.hits, 1,
	             p->metrics.n, stays);
	costs_narrow(p, stays);
	for (m = 0; m < p->metrics.n; m++)
		if (stays[m])
			p->metrics.at[n++] = p->metrics.at[m];
	p->metrics.n = n;
	for (m = 0; m < n; m++) {
		struct pp_metric *one = &p->metrics.at[m];

		/* Those that shared a name may be gone. */
		if (!(one->flags & PP_METRIC_SHARED))
			continue;
		for (i = 0; i < n && (i == m || p->metrics.at[i].name != one->name); i++)
			;
		if (i == n)
			one->flags &= ~(unsigned)PP_METRIC_SHARED;
	}
}

/* ---- all of it -------------------------------------------------------------------------- */

/* Whether the profile has what the filter needs. */
static pp_status
check_facets(const struct pp_profile *p, const struct pp_filter *f, struct pp_buf *problem)
{
	bool has_timeline = false;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		has_timeline |= p->series.at[i].timeline.n > 0;
	if (has_time(f) && !has_timeline && p->tree.n + p->calls.rows.n + p->lines.rows.n > 1) {
		pp_buf_adds(problem, "this profile does not tell when things happened, so --time "
		                     "cannot choose");
		return PP_E_UNSUPPORTED;
	}
	if (pp_filter_needs_stacks(f) && p->tree.n <= 1 &&
	    (p->calls.rows.n > 0 || p->lines.rows.n > 0)) {
		pp_buf_adds(problem, "this profile holds no stacks, so filters cannot choose "
		                     "among them");
		return PP_E_UNSUPPORTED;
	}
	return PP_OK;
}

static int64_t
moment(const struct pp_profile *p, const struct pp_filter_time *t, int64_t otherwise)
{
	pp_i128 length = (pp_i128)p->time.end - p->time.start, at;

	if (!t->given)
		return otherwise;
	at = p->time.start + (t->is_share ? (pp_i128)((double)length * t->share) : t->ns);
	/* All of it includes its last event. */
	if (t->is_share && t->share >= 1.0)
		return INT64_MAX;
	return at > INT64_MAX ? INT64_MAX : (int64_t)at;
}

/* Edges and lines cannot be divided by stacks: the tree answers alone from here on. */
static void
drop_other_facets(struct pp_profile *p)
{
	p->calls.rows.n = p->calls.cells.n = 0;
	p->lines.rows.n = p->lines.cells.n = 0;
	pp_profile_forget_stated(p);
}

/* What only the format's own writer understands speaks of the profile as it was. */
static void
drop_private(struct pp_profile *p)
{
	if (p->kept.free)
		p->kept.free(p->kept.data);
	p->kept.data = NULL;
	p->kept.free = NULL;
	p->kept.extras.n = 0;
}

static void
settle_facets(struct pp_profile *p)
{
	size_t i;

	/* A tree without stacks is still a tree, and so is nothing at all. */
	p->facets &= ~(unsigned)PP_FACETS | PP_TREE;
	p->facets |= p->calls.rows.n || p->lines.rows.n ? 0u : PP_TREE;
	p->facets |= p->calls.rows.n ? PP_EDGES : 0u;
	p->facets |= p->lines.rows.n ? PP_LINES : 0u;
	for (i = 0; i < p->series.n; i++)
		p->facets |= p->series.at[i].timeline.n ? PP_TIMELINE : 0u;
}

/* True when what happened when can stay: stacks and metrics remain what timelines speak of. */
static bool
keeps_time(const struct pp_profile *p, const struct pp_filter *f, const bool *metrics)
{
	bool keeps = f->keep_time && !pp_filter_needs_stacks(f) && !f->by_function, any = false;
	size_t i;

	for (i = 0; i < p->metrics.n; i++)
		keeps = keeps && metrics[i];
	for (i = 0; i < p->series.n; i++)
		any = any || p->series.at[i].timeline.n;
	return keeps && any;
}

/* Which metrics stay. An event that nothing belongs to leaves them all, without any cost: false. */
static bool
choose_metrics(const struct pp_profile *p, const struct pp_filter *f, bool *stays)
{
	size_t m, n = 0;

	for (m = 0; m < p->metrics.n; m++)
		n += stays[m] = metric_stays(p, &p->metrics.at[m], f);
	for (m = 0; n == 0 && m < p->metrics.n; m++)
		stays[m] = true;
	return n > 0 || p->metrics.n == 0;
}

/* Drops what no series has; the tree follows its series. */
static void
drop_everything(struct pp_profile *p)
{
	size_t i;

	p->calls.rows.n = p->calls.cells.n = 0;
	p->lines.rows.n = p->lines.cells.n = 0;
	p->not_own.n = 0;
	for (i = 1; i < p->funcs.n; i++)
		p->funcs.at[i].flags &= ~(unsigned)PP_FUNC_DECLARED;
}

/* The profile is that of a stretch of time from here on. */
static void
set_time(struct pp_profile *p, int64_t from, int64_t to)
{
	if (from > p->time.start)
		p->time.start = from;
	if (to < p->time.end)
		p->time.end = to;
}

static pp_status
apply(struct pp_profile *p, const struct pp_filter *f, const pp_filter_flags *flags, bool *metrics,
      struct pp_buf *problem)
{
	struct pp_filter_stacks stacks = { .flags = f->by_function ? NULL : flags,
		                           .kinds = f->by_function ? 0 : pp_filter_kinds(f),
		                           .depth = f->depth,
		                           .metrics = metrics,
		                           .problem = problem };
	bool by_stacks = pp_filter_needs_stacks(f) || has_time(f), keeps;
	bool nothing = !choose_metrics(p, f, metrics);
	size_t series = p->series.n;
	pp_status status;
	int64_t from, to;

	if (nothing)
		drop_everything(p);
	status = choose_series(p, f, f->by_function ? flags : NULL, pp_filter_kinds(f), nothing);
	/* Costs per function are those of all series together. */
	if (p->series.n < series && p->costs.stated)
		pp_profile_forget_stated(p);
	from = moment(p, &f->from, INT64_MIN);
	to = moment(p, &f->to, INT64_MAX);
	keeps = keeps_time(p, f, metrics);
	if (status == PP_OK && has_time(f)) {
		p->not_own.n = 0;
		status = pp_filter_timelines(p, from, to, problem);
	}
	if (status == PP_OK && !keeps && (by_stacks || p->series.n < series))
		status = pp_filter_tree(p, &stacks);
	else if (status == PP_OK)
		pp_filter_columns(p, metrics);
	if (status != PP_OK)
		return status;
	if (keeps && has_time(f))
		set_time(p, from, to);
	if (by_stacks)
		drop_other_facets(p);
	metrics_drop(p, metrics);
	drop_private(p);
	settle_facets(p);
	return PP_OK;
}

pp_status
pp_filter_apply(struct pp_profile *p, const struct pp_filter *f, struct pp_buf *problem)
{
	pp_status status = check_facets(p, f, problem);
	pp_filter_flags *flags = NULL;
	bool *metrics;

	if (status != PP_OK)
		return status;
	metrics = calloc(p->metrics.n + 1, sizeof *metrics);
	flags = rules_apply(p, f, problem, &status);
	if (!metrics)
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = apply(p, f, flags, metrics, problem);
	free(metrics);
	free(flags);
	return status;
}
