/*
 * Any profile as V8 would have recorded it: CPU profiles with a sample for each that there was, or for each stack and count; heap profiles with
 * a size for each stack.
 */
#include "base/stops.h"
#include "base/utf8.h"
#include "formats/chrome/chrome.h"
#include "formats/chrome/v8.h"
#include "formats/kit/tree_walk.h"
#include "model/inclusive.h"

/* What is only counted gets so many µs for one, or one where all would be too long. */
#define COUNT_TIME 1000
/* More samples than that are written as one for each stack. */
#define SAMPLES_MOST 1000000

struct cpu_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct pp_json j;
	size_t time, count;             /* metrics; metrics.n = none */
	uint64_t *hits;                 /* by node; of heaps: its id */
	union pp_value *times, *counts; /* by node */
	bool timed;                     /* samples are written as they came */
	int64_t start, end;             /* µs */
	int64_t first;                  /* from the start to the first sample */
	int64_t now;                    /* µs, of what was written */
	int64_t owed;                   /* ns that were rounded off so far */
	uint64_t samples;
	struct pp_children children;
	int64_t count_time; /* µs that one of what is only counted gets */
	bool failed;
};

/* The node's id: those of the tree in their order, so that parents come first. A hit of the root itself is the root's. */
static uint64_t
id_of(const struct cpu_write *x, pp_node node)
{
	const struct pp_func_row *f = &x->p->funcs.at[pp_node_func(x->p, node)];

	if (node && !pp_tree_parent(&x->p->tree, node) && !x->children.first[node] && !f->file &&
	    f->flags & PP_FUNC_PSEUDO && pp_slice_eq_z(pp_text_of(x->p, f->name), V8_ROOT))
		return 1;
	return (uint64_t)node + 1;
}

/* Whether JSON can hold what a function is called. */
static bool
is_text(const struct pp_profile *p, const struct pp_func_row *f)
{
	return f->name && pp_text_of(p, f->name).n && pp_utf8_valid(pp_text_of(p, f->name)) &&
	       pp_utf8_valid(pp_text_of(p, f->file));
}

/* Whether a row has nothing of a metric that a file would say, which counts in µs, or in bytes. */
static bool
is_nothing(const struct cpu_write *x, const struct pp_series *s, uint32_t row, size_t metric)
{
	const struct pp_metric *m;
	double v;

	if (metric >= x->p->metrics.n)
		return true;
	m = &x->p->metrics.at[metric];
	v = pp_value_double(m, pp_cell_value(m, pp_series_cell(s, row, metric)));
	return v < (pp_slice_eq_z(pp_text_of(x->p, m->unit), "ns") ? 1000 : 1);
}

/* Whether a stack costs nothing of what is written: V8 lists nodes that do not, which are none. */
static bool
is_some_idle(const struct cpu_write *x)
{
	uint32_t row;
	size_t i;

	for (i = 0; i < x->p->series.n; i++) {
		const struct pp_series *s = &x->p->series.at[i];

		for (row = 0; row < s->rows; row++)
			if (pp_series_present(s, row) && is_nothing(x, s, row, x->time) &&
			    is_nothing(x, s, row, x->count))
				return true;
	}
	return false;
}

/* What polyprof itself goes by. */
static void
own_put(struct cpu_write *x, const char *layout)
{
	bool idle = is_some_idle(x);

	if (!layout && !idle)
		return;
	pp_json_put_object(&x->j, V8_OWN_KEY);
	if (layout)
		pp_json_put_textz(&x->j, "layout", layout);
	if (idle)
		pp_json_put_bool(&x->j, "idle", true);
	pp_json_end_object(&x->j);
}

static void
root_put(struct pp_json *j)
{
	pp_json_put_object(j, "callFrame");
	pp_json_put_textz(j, "functionName", V8_ROOT);
	pp_json_put_textz(j, "scriptId", "0");
	pp_json_put_textz(j, "url", "");
	pp_json_put_i64(j, "lineNumber", -1);
	pp_json_put_i64(j, "columnNumber", -1);
	pp_json_end_object(j);
}

static void
nodes_put(struct cpu_write *x)
{
	const struct pp_children *children = &x->children;
	pp_node node, child;

	pp_json_put_array(&x->j, "nodes");
	for (node = 0; node < x->p->tree.n && !pp_account_stops_at(node); node++) {
		if (node && id_of(x, node) == 1)
			continue;
		pp_json_begin_object(&x->j);
		pp_json_put_u64(&x->j, "id", id_of(x, node));
		if (node) {
			pp_func func = pp_node_func(x->p, node);

			x->w->loss.names += !is_text(x->p, &x->p->funcs.at[func]);
			pp_chrome_frame_put(&x->j, x->p, func);
		} else {
			root_put(&x->j);
		}
		pp_json_put_u64(&x->j, "hitCount", x->hits[node]);
		if (children->first[node]) {
			pp_json_put_array(&x->j, "children");
			for (child = children->first[node]; child; child = children->next[child])
				if (id_of(x, child) != 1)
					pp_json_u64(&x->j, id_of(x, child));
			pp_json_end_array(&x->j);
		}
		pp_json_end_object(&x->j);
	}
	pp_json_end_array(&x->j);
}

/* ---- what samples there are ---- */

static bool
belongs(const struct pp_series *s, const struct pp_metric *m)
{
	return !s->event || !m->event || s->event == m->event;
}

static void
sums_make(struct cpu_write *x, size_t metric, union pp_value *sums)
{
	const struct pp_metric *m = &x->p->metrics.at[metric];
	uint32_t row;
	size_t i;

	for (i = 0; i < x->p->tree.n; i++)
		sums[i] = pp_value_zero(m);
	for (i = 0; i < x->p->series.n; i++) {
		const struct pp_series *s = &x->p->series.at[i];

		for (row = 0; belongs(s, m) && row < s->rows; row++)
			if (pp_series_present(s, row))
				pp_value_add(m, &sums[pp_series_node(s, row)],
				             pp_cell_value(m, pp_series_cell(s, row, metric)));
	}
}

/* Time as whole µs, such that what was rounded never adds up. */
static int64_t
micros(struct cpu_write *x, const struct pp_metric *m, union pp_value v)
{
	bool rounded = false;
	int64_t ns = 0, us, rest;

	if (pp_value_cmp(m, v, pp_value_zero(m)) < 0) {
		x->w->loss.negative++;
		return 0;
	}
	if (!pp_value_whole(m, v, 1, &ns, &rounded)) {
		x->w->loss.too_large++;
		ns = INT64_MAX / 2;
	}
	x->w->loss.rounded += rounded || ns % 1000 != 0;
	rest = ns % 1000 + x->owed;
	us = (rest + 500) / 1000;
	x->owed = rest - us * 1000;
	return ns / 1000 + us;
}

/* What is done with each sample: its stack, and how long it lasts. */
typedef void take_sample(struct cpu_write *, pp_node, int64_t lasts);

/* How many samples a stack is, and how long all of them last. */
static uint64_t
stack_weight(struct cpu_write *x, pp_node node, int64_t *lasts)
{
	const struct pp_metric *metrics = x->p->metrics.at;
	bool timed = x->time < x->p->metrics.n, counted = x->count < x->p->metrics.n;
	int64_t n = 0;
	bool rounded = false;

	if (counted && !pp_value_whole(&metrics[x->count], x->counts[node], 1, &n, &rounded))
		n = 1;
	n = n > 0 ? n : 0;
	*lasts = timed ? micros(x, &metrics[x->time], x->times[node]) : n * x->count_time;
	if (!counted || x->samples > SAMPLES_MOST)
		return *lasts > 0 || n > 0;
	return n ? (uint64_t)n : *lasts > 0;
}

static void
stacks_each(struct cpu_write *x, take_sample *take)
{
	pp_node node;

	x->owed = 0;
	for (node = 0; node < x->p->tree.n; node++) {
		int64_t lasts, each;
		uint64_t n = stack_weight(x, node, &lasts), i;

		each = n ? lasts / (int64_t)n : 0;
		for (i = 0; i < n; i++)
			take(x, node, i + 1 < n ? each : lasts - each * (int64_t)(n - 1));
	}
}

static void
timelines_each(struct cpu_write *x, take_sample *take)
{
	struct pp_timeline_iter it;
	size_t i;

	x->owed = 0;
	for (i = 0; i < x->p->series.n; i++) {
		if (!x->p->series.at[i].timeline.n)
			continue;
		if (!pp_timeline_begin(&x->p->series.at[i].timeline, &it, 0)) {
			x->failed = true;
			return;
		}
		while (pp_timeline_next(&it)) {
			const struct pp_metric *m = &x->p->metrics.at[x->time];

			if (it.event.kind == PP_EVENT_SAMPLE)
				take(x, it.event.node,
				     micros(x, m, pp_cell_value(m, it.values[x->time])));
		}
		pp_timeline_end(&it);
	}
}

static void
samples_each(struct cpu_write *x, take_sample *take)
{
	if (x->timed)
		timelines_each(x, take);
	else
		stacks_each(x, take);
}

static void
sample_count(struct cpu_write *x, pp_node node, int64_t lasts)
{
	x->hits[id_of(x, node) - 1]++;
	if (__builtin_add_overflow(x->now, lasts, &x->now))
		x->now = INT64_MAX;
}

static void
sample_put(struct cpu_write *x, pp_node node, int64_t lasts)
{
	pp_json_u64(&x->j, id_of(x, node));
}

/* Each difference is how long the sample before it lasts. */
static void
delta_put(struct cpu_write *x, pp_node node, int64_t lasts)
{
	pp_json_i64(&x->j, x->now);
	x->now = lasts;
}

/* Whether samples in one series tell all there is. */
static bool
is_timed(struct cpu_write *x)
{
	const struct pp_profile *p = x->p;
	const struct pp_metric *m;
	union pp_value in_time, all;
	struct pp_timeline_iter it;
	size_t i, series = SIZE_MAX;

	if (x->time >= p->metrics.n)
		return false;
	m = &p->metrics.at[x->time];
	in_time = all = pp_value_zero(m);
	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].timeline.n) {
			if (series != SIZE_MAX || p->series.at[i].timeline.cumulative ||
			    p->series.at[i].timeline.columns <= x->time)
				return false;
			series = i;
		}
	if (series == SIZE_MAX)
		return false;
	if (!pp_timeline_begin(&p->series.at[series].timeline, &it, 0)) {
		x->failed = true;
		return false;
	}
	while (pp_timeline_next(&it))
		if (it.event.kind == PP_EVENT_SAMPLE)
			pp_value_add(m, &in_time, pp_cell_value(m, it.values[x->time]));
	pp_timeline_end(&it);
	for (i = 0; i < p->tree.n; i++)
		pp_value_add(m, &all, x->times[i]);
	return pp_value_cmp(m, in_time, all) == 0;
}

/* When the first sample was, in µs. */
static int64_t
first_time(struct cpu_write *x)
{
	struct pp_timeline_iter it;
	int64_t time = 0;
	size_t i;

	for (i = 0; i < x->p->series.n; i++) {
		if (!x->p->series.at[i].timeline.n)
			continue;
		if (!pp_timeline_begin(&x->p->series.at[i].timeline, &it, 0)) {
			x->failed = true;
			break;
		}
		if (pp_timeline_next(&it))
			time = it.event.time / 1000;
		pp_timeline_end(&it);
	}
	return time;
}

/* The metrics that are written: time, and the number of samples. */
static void
metrics_choose(struct cpu_write *x)
{
	const struct pp_profile *p = x->p;
	size_t m, chosen = x->w->metric;

	x->time = x->count = p->metrics.n;
	for (m = 0; m < pp_metrics_shown(p); m++)
		if (p->metrics.at[m].kind == PP_KIND_SAMPLES && x->count == p->metrics.n)
			x->count = m;
	if (chosen < p->metrics.n && pp_slice_eq_z(pp_text_of(p, p->metrics.at[chosen].unit), "ns"))
		x->time = chosen;
	for (m = 0; m < pp_metrics_shown(p) && x->time == p->metrics.n; m++)
		if (pp_slice_eq_z(pp_text_of(p, p->metrics.at[m].unit), "ns"))
			x->time = m;
	/* What is chosen and is neither is counted. */
	if (chosen < p->metrics.n && chosen != x->time && chosen != x->count) {
		x->count = chosen;
		x->time = p->metrics.n;
	}
	if (x->time < p->metrics.n)
		pp_loss_metric(x->w, x->time, pp_slice_z("time"), "ns");
	if (x->count < p->metrics.n)
		pp_loss_metric(x->w, x->count, pp_slice_z("samples"), "samples");
}

static bool
room_make(struct cpu_write *x)
{
	const struct pp_profile *p = x->p;

	x->hits = calloc(p->tree.n + 1, sizeof *x->hits);
	x->times = calloc(p->tree.n + 1, sizeof *x->times);
	x->counts = calloc(p->tree.n + 1, sizeof *x->counts);
	if (!x->hits || !x->times || !x->counts || !pp_children_compute(&x->children, p))
		return false;
	if (x->time < p->metrics.n)
		sums_make(x, x->time, x->times);
	if (x->count < p->metrics.n)
		sums_make(x, x->count, x->counts);
	return true;
}

/* How many samples there would be. */
static void
samples_plan(struct cpu_write *x)
{
	struct pp_loss loss = x->w->loss;
	pp_node node;
	int64_t lasts;
	double counts = 0;

	for (node = 0; x->count < x->p->metrics.n && node < x->p->tree.n; node++) {
		double n = pp_value_double(&x->p->metrics.at[x->count], x->counts[node]);

		counts += n > 0 ? n : 0;
	}
	x->count_time = counts > (double)(INT64_MAX / 2 / COUNT_TIME) ? 1 : COUNT_TIME;
	x->timed = is_timed(x);
	for (node = 0; !x->timed && node < x->p->tree.n && x->samples <= SAMPLES_MOST &&
	               !pp_account_stops_at(node);
	     node++)
		x->samples += stack_weight(x, node, &lasts);
	x->w->loss.rounded = loss.rounded;
	x->w->loss.negative = loss.negative;
	x->w->loss.too_large = loss.too_large;
	/* Counts are lost then. */
	x->w->loss.too_large += x->samples > SAMPLES_MOST;
	for (node = 0; x->count < x->p->metrics.n && node < x->p->tree.n; node++) {
		double n = pp_value_double(&x->p->metrics.at[x->count], x->counts[node]);

		x->w->loss.negative += n < 0;
		x->w->loss.too_large += n > 9e18;
	}
}

/* A profile of this format that has no times gets some that are not read: nodes say how often they were hit. */
static bool
is_hits_only(const struct cpu_write *x)
{
	return pp_profile_native(x->p) == &pp_format_cpuprofile && x->time >= x->p->metrics.n &&
	       x->count < x->p->metrics.n;
}

static void
hits_make(struct cpu_write *x)
{
	bool rounded = false;
	pp_node node;
	int64_t n;

	memset(x->hits, 0, x->p->tree.n * sizeof *x->hits);
	for (node = 0; node < x->p->tree.n; node++)
		if (pp_value_whole(&x->p->metrics.at[x->count], x->counts[node], 1, &n, &rounded) &&
		    n > 0)
			x->hits[id_of(x, node) - 1] += (uint64_t)n;
}

static void
document_put(struct cpu_write *x)
{
	const struct pp_profile *p = x->p;
	struct pp_loss loss;

	samples_plan(x);
	x->start = p->time.known && p->time.start > 0 ? p->time.start / 1000 : 0;
	x->first = x->timed ? first_time(x) - x->start : 0;
	x->first = x->first > 0 ? x->first : 0;
	pp_json_begin_object(&x->j);
	loss = x->w->loss;
	x->now = 0;
	samples_each(x, sample_count);
	if (__builtin_add_overflow(x->start + x->first, x->now, &x->end))
		x->end = INT64_MAX;
	x->w->loss.rounded = loss.rounded;
	x->w->loss.negative = loss.negative;
	x->w->loss.too_large = loss.too_large;
	if (is_hits_only(x))
		hits_make(x);
	nodes_put(x);
	pp_json_put_i64(&x->j, "startTime", x->start);
	pp_json_put_i64(&x->j, "endTime", x->end);
	pp_json_put_array(&x->j, "samples");
	samples_each(x, sample_put);
	x->w->loss.rounded = loss.rounded;
	x->w->loss.negative = loss.negative;
	x->w->loss.too_large = loss.too_large;
	pp_json_end_array(&x->j);
	pp_json_put_array(&x->j, "timeDeltas");
	x->now = x->first;
	samples_each(x, delta_put);
	x->w->loss.too_large += x->end == INT64_MAX;
	pp_json_end_array(&x->j);
	own_put(x, x->timed ? NULL : is_hits_only(x) ? V8_COUNTED : V8_LAID_OUT);
	pp_json_end_object(&x->j);
	pp_json_end_line(&x->j);
}

/* What readers will see that the profile does not have, or has otherwise. */
static void
what_differs(struct cpu_write *x)
{
	const struct pp_profile *p = x->p;
	struct pp_loss *loss = &x->w->loss;
	uint64_t n = 0;
	pp_node node;

	for (node = 0; x->hits && node < p->tree.n; node++)
		n += x->hits[node];
	if (p->samples && p->samples != n)
		loss->dropped |= PP_HAS(SAMPLES);
	else if (p->samples != n)
		loss->made |= PP_HAS(SAMPLES);
	if (!x->timed && p->facets & PP_TIMELINE)
		loss->dropped |= PP_HAS(TIMELINE);
	if (p->time.known && (!n || !x->timed || x->end > INT64_MAX / 1000 ||
	                      p->time.start != x->start * 1000 || p->time.end != x->end * 1000))
		loss->dropped |= PP_HAS(TIME);
	else if (n && x->timed && !p->time.known)
		loss->made |= PP_HAS(TIME);
}

/* Or has nothing at all. */
static bool
has_stacks(const struct pp_profile *p)
{
	return p->facets & PP_TREE || !(p->calls.rows.n || p->lines.rows.n || p->costs.stated);
}

pp_status
pp_cpuprofile_write(struct pp_writer *w)
{
	struct cpu_write x = { .w = w, .p = w->profile };

	if (!has_stacks(w->profile))
		return PP_E_UNSUPPORTED;
	metrics_choose(&x);
	x.failed = !room_make(&x);
	pp_json_init(&x.j, w->out, PP_JSON_COMPACT);
	if (!x.failed)
		document_put(&x);
	what_differs(&x);
	pp_children_release(&x.children);
	free(x.hits);
	free(x.times);
	free(x.counts);
	return x.failed ? PP_E_NOMEM : PP_OK;
}

/* ---- heaps ---------------------------------------------------------------------------------- */

static void
heap_node_put(struct cpu_write *x, pp_node node)
{
	bool rounded = false;
	int64_t size = 0;

	pp_json_begin_object(&x->j);
	if (node) {
		x->w->loss.names += !is_text(x->p, &x->p->funcs.at[pp_node_func(x->p, node)]);
		pp_chrome_frame_put(&x->j, x->p, pp_node_func(x->p, node));
	} else {
		root_put(&x->j);
	}
	if (x->time < x->p->metrics.n &&
	    !pp_value_whole(&x->p->metrics.at[x->time], x->times[node], 1, &size, &rounded))
		x->w->loss.too_large++;
	x->w->loss.rounded += rounded;
	x->w->loss.negative += size < 0;
	pp_json_put_i64(&x->j, "selfSize", size > 0 ? size : 0);
	x->hits[node] = ++x->samples;
	pp_json_put_u64(&x->j, "id", x->hits[node]);
	pp_json_put_array(&x->j, "children");
}

/* Of a profile of this very format: samples of each node, of equal size but for the last. */
static void
heap_samples_put(struct cpu_write *x, size_t size, size_t count)
{
	const struct pp_metric *metrics = x->p->metrics.at;
	uint64_t ordinal = 0;
	bool rounded;
	pp_node node;

	sums_make(x, size, x->times);
	sums_make(x, count, x->counts);
	for (node = 0; node < x->p->tree.n; node++) {
		int64_t n = 0, bytes = 0, i;

		if (!pp_value_whole(&metrics[count], x->counts[node], 1, &n, &rounded) ||
		    !pp_value_whole(&metrics[size], x->times[node], 1, &bytes, &rounded))
			continue;
		for (i = 0; i < n; i++) {
			pp_json_begin_object(&x->j);
			pp_json_put_i64(&x->j, "size",
			                i + 1 < n ? bytes / n : bytes - bytes / n * (n - 1));
			pp_json_put_u64(&x->j, "nodeId", x->hits[node]);
			pp_json_put_u64(&x->j, "ordinal", ++ordinal);
			pp_json_end_object(&x->j);
		}
	}
}

pp_status
pp_heapprofile_write(struct pp_writer *w)
{
	struct cpu_write x = { .w = w, .p = w->profile };
	struct pp_tree_walk walk = { 0 };
	size_t size = SIZE_MAX, count = SIZE_MAX;
	bool sampled;

	if (!has_stacks(w->profile))
		return PP_E_UNSUPPORTED;
	x.time = w->metric;
	x.count = w->profile->metrics.n;
	if (pp_profile_native(w->profile) == &pp_format_heapprofile && !w->opts->metric) {
		size = pp_profile_metric_find(w->profile, pp_slice_z("size"));
		count = pp_profile_metric_find(w->profile, pp_slice_z("samples"));
	}
	if (x.time < x.count)
		pp_loss_metric(w, x.time, pp_slice_z("selfSize"), "bytes");
	sampled = size < x.count && count < x.count;
	if (sampled) {
		pp_loss_metric(w, size, pp_slice_of(NULL, 0), NULL);
		pp_loss_metric(w, count, pp_slice_of(NULL, 0), NULL);
	} else if (w->profile->samples) {
		w->loss.dropped |= PP_HAS(SAMPLES);
	}
	x.failed = !room_make(&x) || !pp_tree_walk_begin(&walk, w->profile);
	pp_json_init(&x.j, w->out, PP_JSON_COMPACT);
	pp_json_begin_object(&x.j);
	pp_json_key(&x.j, "head");
	if (!x.failed) {
		heap_node_put(&x, 0);
		while (pp_tree_walk_next(&walk))
			if (walk.leaving) {
				pp_json_end_array(&x.j);
				pp_json_end_object(&x.j);
			} else {
				heap_node_put(&x, walk.node);
			}
		pp_json_end_array(&x.j);
		pp_json_end_object(&x.j);
	}
	pp_json_put_array(&x.j, "samples");
	if (sampled && !x.failed)
		heap_samples_put(&x, size, count);
	pp_json_end_array(&x.j);
	own_put(&x, NULL);
	pp_json_end_object(&x.j);
	pp_json_end_line(&x.j);
	pp_tree_walk_release(&walk);
	pp_children_release(&x.children);
	free(x.hits);
	free(x.times);
	free(x.counts);
	return x.failed ? PP_E_NOMEM : PP_OK;
}
