/*
 * Any profile for speedscope: a profile of its own for each metric and series. Events in their order become an evented one, samples in their
 * order or mere stacks a sampled one.
 */
#include "base/utf8.h"
#include "formats/kit/replay.h"
#include "formats/kit/tree_walk.h"
#include "formats/speedscope/speedscope.h"

#define EXPORTER "polyprof@"

/* Which metrics of a series have something of their own to say. */
struct series_plan {
	size_t calls; /* with which calls are written; SIZE_MAX = none are */
	size_t
	    zero; /* with which stacks are written that cost nothing at all; SIZE_MAX = they are among calls */
};

struct speedscope_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct pp_json j;
	const struct pp_metric *metric; /* of the profile that is written */
	uint32_t *index;                /* by function: + 1; 0 = not used */
	PP_VEC(pp_func) funcs;
	struct pp_tree_walk walk;
	uint32_t *row; /* by node, of the series at hand: + 1 */
	PP_VEC(pp_node) path;
	struct pp_buf text;
	struct series_plan *plans; /* by series */
	size_t profiles;
	uint64_t samples;
	struct pp_time_span span; /* that readers will see */
	bool failed;
};

/* Whether a series has costs of a metric. */
static bool
belongs(const struct pp_series *s, const struct pp_metric *m)
{
	return !s->event || !m->event || s->event == m->event;
}

static bool
is_no_stack(const struct speedscope_write *x, pp_node node)
{
	const struct pp_func_row *f = &x->p->funcs.at[pp_node_func(x->p, node)];

	return f->flags & PP_FUNC_PSEUDO && pp_tree_parent(&x->p->tree, node) == 0 &&
	       pp_slice_eq_z(pp_text_of(x->p, f->name), SPEEDSCOPE_NO_STACK);
}

/* Whether JSON can hold a text. */
static bool
is_text(const struct speedscope_write *x, pp_str s)
{
	struct pp_slice text = pp_text_of(x->p, s);

	return pp_utf8_valid(text);
}

static void
frames_put(struct speedscope_write *x)
{
	size_t i;

	/* In the order in which samples will name them, so that it stays when all is read and written again. */
	x->failed |= !pp_tree_walk_begin(&x->walk, x->p);
	while (!x->failed && pp_tree_walk_next(&x->walk)) {
		pp_func func = pp_node_func(x->p, x->walk.node);

		if (x->walk.leaving || x->index[func] || is_no_stack(x, x->walk.node))
			continue;
		x->failed = !pp_vec_push(&x->funcs, func);
		x->index[func] = (uint32_t)x->funcs.n;
	}
	pp_json_put_object(&x->j, "shared");
	pp_json_put_array(&x->j, "frames");
	for (i = 0; i < x->funcs.n; i++) {
		const struct pp_func_row *f = &x->p->funcs.at[x->funcs.at[i]];

		x->w->loss.names += !is_text(x, f->name) || !is_text(x, f->file);
		pp_json_begin_object(&x->j);
		pp_json_put_text(&x->j, "name", pp_text_of(x->p, f->name));
		if (f->file)
			pp_json_put_text(&x->j, "file", pp_text_of(x->p, f->file));
		if (f->line)
			pp_json_put_u64(&x->j, "line", f->line);
		if (f->column)
			pp_json_put_u64(&x->j, "col", f->column);
		pp_json_end_object(&x->j);
	}
	pp_json_end_array(&x->j);
	pp_json_end_object(&x->j);
}

static void
value_put(struct speedscope_write *x, const struct pp_metric *m, union pp_value v)
{
	char digits[PP_NUM_MAX];

	pp_json_raw(&x->j, digits, pp_value_print(m, v, digits));
}

/* The way to a node, the root first. */
static void
stack_put(struct speedscope_write *x, pp_node node)
{
	x->path.n = 0;
	pp_json_begin_array(&x->j);
	if (node && !is_no_stack(x, node))
		for (; node; node = pp_tree_parent(&x->p->tree, node))
			x->failed |= !pp_vec_push(&x->path, node);
	while (x->path.n)
		pp_json_u64(&x->j, x->index[pp_node_func(x->p, x->path.at[--x->path.n])] - 1);
	pp_json_end_array(&x->j);
}

/* A weight that speedscope takes. */
static union pp_value
weight_of(struct speedscope_write *x, const struct pp_metric *m, int64_t cell)
{
	union pp_value v = pp_cell_value(m, cell), zero = pp_value_zero(m);
	bool negative = pp_value_cmp(m, v, zero) < 0;

	x->w->loss.negative += negative;
	return negative ? zero : v;
}

/* What speedscope has no place for, and polyprof reads again. */
static void
ours_put(struct speedscope_write *x, const struct pp_series *s, const struct pp_metric *m,
         const char *usual, bool laid_out)
{
	struct pp_slice thread = pp_text_of(x->p, s->thread), name = pp_text_of(x->p, m->name);
	struct pp_slice unit = pp_text_of(x->p, m->unit);
	bool renamed = !pp_slice_eq(thread, pp_slice_of(x->text.p ? x->text.p : "", x->text.n));
	bool known = !unit.n || pp_slice_eq_z(unit, "ns") || pp_slice_eq_z(unit, "bytes") ||
	             pp_slice_eq_z(unit, "count");

	if (!renamed && !laid_out && known && !m->event && pp_slice_eq_z(name, usual))
		return;
	pp_json_put_object(&x->j, "x_polyprof");
	pp_json_put_text(&x->j, "metric", name);
	if (!known)
		pp_json_put_text(&x->j, "unit", unit);
	if (m->event)
		pp_json_put_text(&x->j, "event", pp_text_of(x->p, m->event));
	if (renamed)
		pp_json_put_text(&x->j, "thread", thread);
	if (laid_out)
		pp_json_put_textz(&x->j, "layout", SPEEDSCOPE_LAID_OUT);
	pp_json_end_object(&x->j);
}

static void
profile_begin(struct speedscope_write *x, const struct pp_series *s, const struct pp_metric *m,
              const char *type, bool laid_out)
{
	struct pp_slice unit = pp_text_of(x->p, m->unit), name = pp_text_of(x->p, s->thread);
	bool time = pp_slice_eq_z(unit, "ns"), bytes = pp_slice_eq_z(unit, "bytes");
	const char *usual = time ? "time" : bytes ? "bytes" : "weight";
	struct pp_buf label = { 0 };

	pp_metric_label(x->p, m, &label);
	x->text.n = 0;
	if (pp_metrics_shown(x->p) > 1) {
		pp_buf_add(&x->text, label.p, label.n);
		pp_buf_adds(&x->text, ": ");
	}
	if (!name.n)
		name = pp_text_of(x->p, s->process);
	pp_buf_add(&x->text, name.p, name.n);
	if (!name.n && s->tid >= 0)
		pp_buf_addf(&x->text, "thread %lld", (long long)s->tid);
	if (!x->text.n)
		pp_buf_adds(&x->text, "all");
	pp_json_begin_object(&x->j);
	pp_json_put_textz(&x->j, "type", type);
	pp_json_put_text(&x->j, "name", pp_slice_of(x->text.p, x->text.p ? x->text.n : 0));
	pp_json_put_textz(&x->j, "unit", time ? "nanoseconds" : bytes ? "bytes" : "none");
	ours_put(x, s, m, usual, laid_out);
	x->profiles++;
	x->failed |= label.failed || x->text.failed;
	pp_buf_release(&label);
}

static void
span_put(struct speedscope_write *x, const struct pp_metric *m, union pp_value start,
         union pp_value end, bool laid_out)
{
	bool time = !laid_out && pp_slice_eq_z(pp_text_of(x->p, m->unit), "ns");
	int64_t from, to;
	bool rounded;

	if (time && pp_value_whole(m, start, 1, &from, &rounded) &&
	    pp_value_whole(m, end, 1, &to, &rounded)) {
		x->span.start = x->span.known && x->span.start < from ? x->span.start : from;
		x->span.end = x->span.known && x->span.end > to ? x->span.end : to;
		x->span.known = true;
	}
	pp_json_key(&x->j, "startValue");
	value_put(x, m, start);
	pp_json_key(&x->j, "endValue");
	value_put(x, m, end);
}

/* ---- samples ---- */

/* Samples as they came. `put` NULL adds up only. */
static union pp_value
timeline_samples(struct speedscope_write *x, const struct pp_series *s, size_t metric, int what)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	union pp_value sum = pp_value_zero(m);
	struct pp_timeline_iter it;

	if (!pp_timeline_begin(&s->timeline, &it, 0)) {
		x->failed = true;
		return sum;
	}
	while (pp_timeline_next(&it)) {
		union pp_value v;

		if (it.event.kind != PP_EVENT_SAMPLE)
			continue;
		v = weight_of(x, m, it.values[metric]);
		if (what == 's')
			stack_put(x, it.event.node);
		else if (what == 'w')
			value_put(x, m, v);
		x->samples += what == 's';
		pp_value_add(m, &sum, v);
	}
	pp_timeline_end(&it);
	return sum;
}

/* Whether a stack that costs nothing of a metric is written with it: where it costs nothing at all, with one. */
static bool
is_kept_zero(const struct speedscope_write *x, const struct pp_series *s, uint32_t row,
             size_t metric)
{
	const struct pp_metric *other;
	size_t m;

	if (x->plans[s - x->p->series.at].zero != metric)
		return false;
	for (m = 0; m < pp_metrics_shown(x->p); m++) {
		other = &x->p->metrics.at[m];
		/* What is below 0 will be 0. */
		if (m != metric && belongs(s, other) &&
		    pp_value_cmp(other, pp_cell_value(other, pp_series_cell(s, row, m)),
		                 pp_value_zero(other)) > 0)
			return false;
	}
	return true;
}

/* Stacks in the order of the tree. */
static union pp_value
tree_samples(struct speedscope_write *x, const struct pp_series *s, size_t metric, int what)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	union pp_value sum = pp_value_zero(m);
	pp_node node = 0;

	pp_tree_walk_release(&x->walk);
	if (!pp_tree_walk_begin(&x->walk, x->p)) {
		x->failed = true;
		return sum;
	}
	do {
		union pp_value v;

		node = x->walk.node;
		if (x->walk.leaving || !x->row[node])
			continue;
		v = weight_of(x, m, pp_series_cell(s, x->row[node] - 1, metric));
		if (pp_value_is_zero(m, v) && !is_kept_zero(x, s, x->row[node] - 1, metric))
			continue;
		if (what == 's')
			stack_put(x, node);
		else if (what == 'w')
			value_put(x, m, v);
		pp_value_add(m, &sum, v);
	} while (pp_tree_walk_next(&x->walk));
	return sum;
}

static void
sampled_put(struct speedscope_write *x, const struct pp_series *s, size_t metric, bool timed)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	union pp_value (*each)(struct speedscope_write *, const struct pp_series *, size_t,
	                       int) = timed ? timeline_samples : tree_samples;
	struct pp_loss loss = x->w->loss;
	uint32_t row;

	memset(x->row, 0, x->p->tree.n * sizeof *x->row);
	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row))
			x->row[pp_series_node(s, row)] = row + 1;
	profile_begin(x, s, m, "sampled", !timed);
	span_put(x, m, pp_value_zero(m), each(x, s, metric, 0), !timed);
	pp_json_put_array(&x->j, "samples");
	(void)each(x, s, metric, 's');
	pp_json_end_array(&x->j);
	pp_json_put_array(&x->j, "weights");
	/* Each is looked at three times. */
	x->w->loss.negative = loss.negative;
	(void)each(x, s, metric, 'w');
	pp_json_end_array(&x->j);
	pp_json_end_object(&x->j);
	if (timed && pp_metrics_shown(x->p) > 1)
		x->w->loss.dropped |= PP_HAS(TIMELINE);
}

/* ---- events ---- */

static void
event_put(void *ctx, pp_node node, union pp_value at, bool opens)
{
	struct speedscope_write *x = ctx;

	pp_json_begin_object(&x->j);
	pp_json_put_textz(&x->j, "type", opens ? "O" : "C");
	pp_json_put_u64(&x->j, "frame", x->index[pp_node_func(x->p, node)] - 1);
	pp_json_key(&x->j, "at");
	value_put(x, x->metric, at);
	pp_json_end_object(&x->j);
}

static void
evented_put(struct speedscope_write *x, const struct pp_series *s, size_t metric)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	struct pp_replay replay = { .profile = x->p, .series = s, .metric = metric, .ctx = x };

	x->metric = m;
	x->failed |= !pp_replay_run(&replay);
	profile_begin(x, s, m, "evented", false);
	span_put(x, m, replay.first, replay.last, false);
	pp_json_put_array(&x->j, "events");
	replay.step = event_put;
	x->failed |= !pp_replay_run(&replay);
	if (replay.resumed)
		x->w->loss.made |= PP_HAS(CALLS);
	pp_json_end_array(&x->j);
	pp_json_end_object(&x->j);
}

/* ---- all of it ---- */

/* Whether samples in their order tell what a series cost: some that are known may have no time. */
static bool
is_timed(struct speedscope_write *x, const struct pp_series *s, size_t metric)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	struct pp_loss loss = x->w->loss;
	union pp_value in_time, in_rows = pp_value_zero(m);
	uint32_t row;

	if (!s->timeline.n || s->timeline.cumulative || metric >= s->timeline.columns)
		return false;
	in_time = timeline_samples(x, s, metric, 0);
	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row))
			pp_value_add(m, &in_rows, weight_of(x, m, pp_series_cell(s, row, metric)));
	x->w->loss.negative = loss.negative;
	return pp_value_cmp(m, in_time, in_rows) == 0;
}

static bool
has_costs(const struct speedscope_write *x, const struct pp_series *s, size_t metric)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	uint32_t row;

	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row) &&
		    !pp_value_is_zero(m, pp_cell_value(m, pp_series_cell(s, row, metric))))
			return true;
	return false;
}

static void
plan_make(struct speedscope_write *x, size_t series)
{
	const struct pp_series *s = &x->p->series.at[series];
	struct series_plan *plan = &x->plans[series];
	size_t m, first = SIZE_MAX, calls = SIZE_MAX;

	plan->calls = plan->zero = SIZE_MAX;
	for (m = 0; m < pp_metrics_shown(x->p) && s->rows; m++) {
		bool can;

		if (!belongs(s, &x->p->metrics.at[m]))
			continue;
		first = first == SIZE_MAX ? m : first;
		can = plan->calls == SIZE_MAX && pp_replay_can(x->p, s, m);
		calls = can && calls == SIZE_MAX ? m : calls;
		if ((can || plan->zero == SIZE_MAX) && has_costs(x, s, m)) {
			plan->zero = plan->zero == SIZE_MAX ? m : plan->zero;
			plan->calls = can ? m : plan->calls;
		}
	}
	/* With several of them calls would be counted again. */
	if (plan->calls == SIZE_MAX)
		plan->calls = calls;
	if (plan->calls != SIZE_MAX)
		plan->zero = SIZE_MAX;
	else if (plan->zero == SIZE_MAX)
		plan->zero = first;
}

/* Whether a series has a profile of a metric. */
static bool
is_written(const struct speedscope_write *x, size_t series, size_t metric)
{
	const struct pp_series *s = &x->p->series.at[series];
	const struct series_plan *plan = &x->plans[series];

	return s->rows && belongs(s, &x->p->metrics.at[metric]) &&
	       (metric == plan->calls || metric == plan->zero || has_costs(x, s, metric));
}

static void
series_put(struct speedscope_write *x, size_t series, size_t metric)
{
	const struct pp_series *s = &x->p->series.at[series];
	bool calls = x->plans[series].calls != SIZE_MAX;
	bool timed;

	if (s->pid >= 0 || s->tid >= 0 || s->process || s->context)
		x->w->loss.dropped |= PP_HAS(THREADS);
	if (metric == x->plans[series].calls) {
		evented_put(x, s, metric);
		return;
	}
	timed = is_timed(x, s, metric);
	sampled_put(x, s, metric, timed);
	if (!calls && s->has_calls)
		x->w->loss.dropped |= PP_HAS(CALLS);
	if (!calls && s->timeline.n && !timed)
		x->w->loss.dropped |= PP_HAS(TIMELINE);
}

/* A metric that nothing has, or none at all. */
static void
nothing_put(struct speedscope_write *x, const struct pp_metric *m)
{
	struct pp_metric none = { 0 };
	struct pp_series s = { .tid = -1 };

	profile_begin(x, &s, m ? m : &none, "sampled", true);
	pp_json_put_u64(&x->j, "startValue", 0);
	pp_json_put_u64(&x->j, "endValue", 0);
	pp_json_put_array(&x->j, "samples");
	pp_json_end_array(&x->j);
	pp_json_put_array(&x->j, "weights");
	pp_json_end_array(&x->j);
	pp_json_end_object(&x->j);
}

static void
head_put(struct speedscope_write *x)
{
	struct pp_slice name = pp_profile_native(x->p) == &pp_format_speedscope
	                           ? pp_profile_meta(x->p, "name")
	                           : pp_slice_of(NULL, 0);

	x->text.n = 0;
	pp_buf_adds(&x->text, EXPORTER);
	pp_buf_adds(&x->text, pp_version());
	pp_json_put_textz(&x->j, "$schema", SPEEDSCOPE_SCHEMA);
	pp_json_put_text(&x->j, "exporter", pp_slice_of(x->text.p, x->text.p ? x->text.n : 0));
	pp_json_put_text(&x->j, "name", name.n ? name : pp_slice_z("polyprof"));
}

/* The place that the first profile of the primary metric will have. */
static size_t
active_find(const struct speedscope_write *x)
{
	size_t primary = pp_profile_primary(x->p), n = 0, m, i, before;

	for (m = 0; m < primary && m < pp_metrics_shown(x->p); m++) {
		before = n;
		for (i = 0; i < x->p->series.n; i++)
			n += is_written(x, i, m);
		n += n == before;
	}
	return n;
}

static void
document_put(struct speedscope_write *x)
{
	const struct pp_profile *p = x->p;
	size_t m, i;

	pp_json_begin_object(&x->j);
	head_put(x);
	pp_json_put_u64(&x->j, "activeProfileIndex", active_find(x));
	frames_put(x);
	pp_json_put_array(&x->j, "profiles");
	for (m = 0; m < pp_metrics_shown(p) && !x->failed; m++) {
		size_t before = x->profiles;
		struct pp_slice unit = pp_text_of(p, p->metrics.at[m].unit);

		pp_loss_metric(x->w, m, pp_slice_of(NULL, 0), unit.n ? NULL : "count");
		for (i = 0; i < p->series.n && !x->failed; i++)
			if (is_written(x, i, m))
				series_put(x, i, m);
		if (x->profiles == before)
			nothing_put(x, &p->metrics.at[m]);
	}
	if (!x->profiles)
		nothing_put(x, NULL);
	pp_json_end_array(&x->j);
	pp_json_end_object(&x->j);
	pp_json_end_line(&x->j);
}

/* What readers will see that the profile does not have, or has otherwise. */
static void
what_differs(struct speedscope_write *x)
{
	const struct pp_profile *p = x->p;
	struct pp_loss *loss = &x->w->loss;

	if (p->samples && p->samples != x->samples)
		loss->dropped |= PP_HAS(SAMPLES);
	else if (p->samples != x->samples)
		loss->made |= PP_HAS(SAMPLES);
	if (p->time.known &&
	    (!x->span.known || p->time.start != x->span.start || p->time.end != x->span.end))
		loss->dropped |= PP_HAS(TIME);
	else if (x->span.known && !p->time.known)
		loss->made |= PP_HAS(TIME);
	if (p->calls.rows.n)
		loss->dropped |= PP_HAS(CALLS);
}

pp_status
pp_speedscope_write(struct pp_writer *w)
{
	struct speedscope_write x = { .w = w, .p = w->profile };
	const struct pp_profile *p = w->profile;
	size_t i;

	if (!(p->facets & PP_TREE) && (p->calls.rows.n || p->lines.rows.n || p->costs.stated))
		return PP_E_UNSUPPORTED;
	x.index = calloc(p->funcs.n + 1, sizeof *x.index);
	x.row = calloc(p->tree.n + 1, sizeof *x.row);
	x.plans = calloc(p->series.n + 1, sizeof *x.plans);
	x.failed = !x.index || !x.row || !x.plans;
	for (i = 0; i < p->series.n && !x.failed; i++)
		plan_make(&x, i);
	pp_json_init(&x.j, w->out, PP_JSON_COMPACT);
	if (!x.failed)
		document_put(&x);
	what_differs(&x);
	free(x.index);
	free(x.row);
	free(x.plans);
	pp_tree_walk_release(&x.walk);
	pp_vec_release(&x.funcs);
	pp_vec_release(&x.path);
	x.failed |= x.text.failed;
	pp_buf_release(&x.text);
	return x.failed ? PP_E_NOMEM : PP_OK;
}
