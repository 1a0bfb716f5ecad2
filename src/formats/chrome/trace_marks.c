/*
 * Events that are no slices. Counters (C) of several values are metrics over time: each value is a step from the one before it, of no stack. All others, such
 * as asynchronous and flow events, instants and objects, are markers of their threads, which the writers of trace events and of Firefox profiles
 * understand. A marker is a list in JSON, as in formats/firefox/markers.c:
 *
 *     ["request", 12.5, null, 2, 0, {"type": "trace-event", "ph": "b", "cat": "net", "id": "0x1", "args": {...}}, {}]
 *
 * name, start in ms, end, phase, category, and what else the event says.
 */
#include "base/sort.h"
#include "formats/chrome/trace.h"

/* ---- counters ------------------------------------------------------------------------------ */

/* A metric of a process more would make every row wider for little; those beyond are counted. */
#define COUNTERS_MOST 24

/* NAME.KEY, or NAME alone where the key says no more; an id tells counters of one name apart. */
static pp_str
counter_name(struct trace_read *r, const struct event *e, struct pp_slice key)
{
	struct pp_buf text = { 0 };
	struct pp_slice name = pp_build_json_text(r->b, e->name, &r->doc.arena);
	pp_str id;

	pp_buf_add(&text, name.p, name.n);
	if (e->id.n) {
		pp_buf_adds(&text, "[");
		pp_buf_add(&text, e->id.p, e->id.n);
		pp_buf_adds(&text, "]");
	}
	if (key.n && !pp_slice_eq_z(key, "value") && !pp_slice_eq(key, name)) {
		pp_buf_adds(&text, ".");
		pp_buf_add(&text, key.p, key.n);
	}
	if (text.failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	id = text.failed ? 0 : pp_trace_string(r, pp_slice_of(text.p, text.n));
	pp_buf_release(&text);
	return id;
}

/* The counter of a name, made when absent; COUNTERS_MOST when there are too many. */
static uint32_t
counter_of(struct trace_read *r, pp_str name)
{
	struct trace_counter fresh = { .name = name };
	uint32_t i;

	for (i = 0; i < r->counters.n; i++)
		if (r->counters.at[i].name == name)
			return i;
	if (i < COUNTERS_MOST && !pp_vec_push(&r->counters, fresh))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return pp_builder_ok(r->b) ? i : COUNTERS_MOST;
}

/* The number that comes next, which may stand in quotes, as text; empty when there is none. */
static struct pp_slice
number_text(struct pp_scan *s)
{
	struct pp_slice none = { 0 };
	struct pp_json_num num;
	struct pp_json_str text;
	double d;

	if (pp_scan_peek(s) == PP_JSON_NUMBER)
		return pp_scan_number(s, &num) ? num.text : none;
	if (!pp_scan_if_string(s, &text) || text.escaped)
		return none;
	text.raw = pp_slice_trim(text.raw);
	return pp_num_double(text.raw, &d) ? text.raw : none;
}

/* Takes the values of a counter; false when it has none. */
static bool
counter_take(struct trace_read *r, const struct event *e)
{
	struct trace_count count = { .time = e->ts,
		                     .order = (uint32_t)r->counts.n,
		                     .at = e->at,
		                     .tid = pp_trace_string(r, e->tid) };
	struct pp_json_str key;
	struct pp_scan s;
	bool any = false;

	if (e->ph != 'C' || !e->has_ts || !e->has_name || !e->args)
		return false;
	count.pid = pp_trace_string(r, e->pid);
	s = pp_json_doc_scan(&r->doc, e->args);
	(void)pp_scan_object(&s);
	while (pp_builder_ok(r->b) && pp_scan_key(&s, &key)) {
		struct pp_slice name = pp_build_json_text(r->b, key, &r->doc.arena);

		count.value = number_text(&s);
		if (!count.value.n)
			continue;
		count.counter = counter_of(r, counter_name(r, e, name));
		if (count.counter == COUNTERS_MOST)
			continue;
		any = true;
		r->counters.at[count.counter].values++;
		if (!pp_vec_push(&r->counts, count))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	return any;
}

static void mark_add(struct trace_read *, const struct trace_mark *);

void
pp_trace_counters_settle(struct trace_read *r)
{
	uint32_t to[COUNTERS_MOST] = { 0 };
	const unsigned char *at = NULL;
	size_t i, n = 0;

	for (i = 0; i < r->counters.n; i++) {
		to[i] = (uint32_t)n;
		if (r->counters.at[i].values > 1)
			r->counters.at[n++] = r->counters.at[i];
		else
			to[i] = COUNTERS_MOST;
	}
	r->counters.n = n;
	for (i = 0, n = 0; i < r->counts.n; i++) {
		struct trace_count *c = &r->counts.at[i];

		c->counter = to[c->counter];
		if (c->counter < COUNTERS_MOST) {
			r->counts.at[n++] = *c;
		} else if (c->at != at) {
			struct trace_mark mark = { .at = c->at, .has_time = true, .time = c->time };

			mark.thread = pp_trace_thread(r, pp_strtab_get(&r->strings, c->pid),
			                              pp_strtab_get(&r->strings, c->tid));
			mark_add(r, &mark);
			at = c->at;
		}
	}
	r->counts.n = n;
}

/* How many decimals the values of a counter need. */
static void
decimals_find(struct trace_read *r)
{
	size_t i;
	int64_t cell;
	bool again = true;

	while (again) {
		again = false;
		for (i = 0; i < r->counts.n; i++)
			(void)pp_fixed_slow(&r->counters.at[r->counts.at[i].counter].fixed,
			                    r->counts.at[i].value, 0, &cell);
		for (i = 0; i < r->counters.n; i++)
			again |= pp_fixed_retry(&r->counters.at[i].fixed);
	}
}

static bool
is_of_bytes(struct pp_slice name)
{
	return name.n >= 5 && (name.p[name.n - 5] | 32) == 'b' &&
	       memcmp(name.p + name.n - 4, "ytes", 4) == 0;
}

void
pp_trace_counters_metrics(struct trace_read *r)
{
	size_t i;

	decimals_find(r);
	for (i = 0; i < r->counters.n; i++) {
		struct trace_counter *c = &r->counters.at[i];
		struct pp_slice name = pp_strtab_get(&r->strings, c->name);
		bool bytes = is_of_bytes(name);
		struct pp_metric metric = { .name = pp_build_str(r->b, name),
			                    .unit = pp_build_strz(r->b, bytes ? "bytes" : "count"),
			                    .event = r->counters_event,
			                    .kind = bytes ? PP_KIND_BYTES : PP_KIND_OTHER,
			                    .flags = PP_METRIC_SIGNED };

		pp_fixed_metric(&c->fixed, &metric);
		c->metric = pp_build_metric(r->b, &metric);
		c->fixed.doc = r->fixed.doc;
		c->fixed.rules = r->fixed.rules;
	}
}

static int
compare_counts(const void *left, const void *right, void *ctx)
{
	const struct trace_count *a = left, *b = right;

	(void)ctx;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* What changed at a time; all that changed then is one moment. */
struct change {
	uint32_t series;
	int64_t time;
	int64_t steps[PP_FEW_COLUMNS];
	int64_t level[COUNTERS_MOST];
};

static void
change_keep(struct trace_read *r, const struct change *c, bool adds_up)
{
	struct pp_profile *p = r->b->profile;
	struct pp_timeline *t = &p->series.at[c->series].timeline;
	struct pp_event event = { .kind = PP_EVENT_SAMPLE };
	int64_t *cells = adds_up ? NULL : pp_build_cells(r->b, c->series, 0);
	size_t i;

	for (i = 0; i < r->counters.n && pp_builder_ok(r->b); i++) {
		uint32_t m = r->counters.at[i].metric;
		struct pp_cost_pair pair = { .own.i = c->steps[m], .total.i = c->steps[m] };

		/* The sum of steps is a level, which fits. */
		if (adds_up)
			pp_build_func_cost(r->b, 0, m, pair);
		else
			cells[m] += c->steps[m];
	}
	(void)pp_fixed_ns(&r->fixed, c->time, &event.time);
	if (adds_up || !pp_times_kept(r->b) || !pp_builder_ok(r->b))
		return;
	if ((!t->last_values && !pp_timeline_init(t, (uint32_t)p->metrics.n, false)) ||
	    !pp_timeline_add(t, &event, c->steps))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
count_take(struct trace_read *r, struct change *c, const struct trace_count *count)
{
	struct trace_counter *counter = &r->counters.at[count->counter];
	int64_t cell, step;

	if (!pp_fixed_slow(&counter->fixed, count->value, 0, &cell) ||
	    __builtin_sub_overflow(cell, c->level[count->counter], &step) ||
	    __builtin_add_overflow(c->steps[counter->metric], step, &step)) {
		pp_json_find(&r->doc, TRACE_DIGITS, count->at,
		             "a value of a counter has no room in 64 bits: it is left out");
		return;
	}
	c->steps[counter->metric] = step;
	c->level[count->counter] = cell;
}

void
pp_trace_counters_build(struct trace_read *r)
{
	bool adds_up = r->has_slices && pp_call_walk_adds_up(r->b, !r->has_samples);
	struct change c = { 0 };
	size_t i;

	pp_sort(r->counts.at, r->counts.n, sizeof *r->counts.at, compare_counts, NULL);
	for (i = 0; i < r->counts.n && pp_builder_goes_on(r->b); i++) {
		const struct trace_count *count = &r->counts.at[i];
		bool first = i == 0 || count[-1].pid != count->pid;
		bool last = i + 1 == r->counts.n || count[1].pid != count->pid ||
		            count[1].time != count->time;

		if (first) {
			c = (struct change){ 0 };
			c.series = pp_trace_process_series(r, count->pid);
		}
		count_take(r, &c, count);
		c.time = count->time;
		if (last) {
			change_keep(r, &c, adds_up);
			memset(c.steps, 0, sizeof c.steps);
		}
	}
}

/* ---- markers ------------------------------------------------------------------------------- */

static void
mark_add(struct trace_read *r, const struct trace_mark *mark)
{
	r->b->profile->markers++;
	if (r->doc.reader->order->facets & PP_EXTRAS && pp_builder_ok(r->b) &&
	    !pp_vec_push(&r->marks, *mark))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

void
pp_trace_mark_take(struct trace_read *r, const struct event *e)
{
	struct trace_mark mark = { .at = e->at, .has_time = e->has_ts, .time = e->ts };

	r->skipped_at = r->skipped++ ? r->skipped_at : e->at;
	if (counter_take(r, e))
		return;
	if (r->doc.reader->order->facets & PP_EXTRAS)
		mark.thread = pp_trace_thread(r, e->pid, e->tid);
	mark.phase = e->ph == 'b' || e->ph == 'S' ? 2 : e->ph == 'e' || e->ph == 'F' ? 3 : 0;
	mark_add(r, &mark);
}

static int
compare_marks(const void *left, const void *right, void *ctx)
{
	const struct trace_mark *a = left, *b = right;

	(void)ctx;
	return (a->at > b->at) - (a->at < b->at);
}

/* ms of a time in the file's own unit. */
static void
time_add(const struct trace_read *r, const struct trace_mark *mark, struct pp_buf *to)
{
	int decimals = r->fixed.decimals - 3;
	pp_i128 time = mark->time;
	char digits[PP_NUM_MAX];

	for (; decimals < 0; decimals++)
		time *= 10;
	if (mark->has_time)
		pp_buf_add(to, digits, pp_num_print(digits, time, (unsigned)decimals));
	else
		pp_buf_adds(to, "null");
}

/* All members but those that the marker and its series (if it is the thread's) say themselves. */
static void
members_add(struct pp_scan *s, bool own_series, struct pp_slice *name, struct pp_buf *to)
{
	struct pp_json_str key;
	struct pp_slice value;

	(void)pp_scan_object(s);
	while (pp_scan_key(s, &key) && pp_scan_skip(s, &value)) {
		if (pp_json_str_eq(key, "name")) {
			if (*value.p == '"')
				*name = value;
		} else if (!pp_json_str_eq(key, "ts") && !pp_json_str_eq(key, "type") &&
		           !(own_series &&
		             (pp_json_str_eq(key, "pid") || pp_json_str_eq(key, "tid")))) {
			pp_buf_adds(to, ",\"");
			pp_buf_add(to, key.raw.p, key.raw.n);
			pp_buf_adds(to, "\":");
			pp_buf_add(to, value.p, value.n);
		}
	}
}

/* Of threads that have none of their own: a series of their process, or of any. */
static uint32_t
series_near(struct trace_read *r, struct pp_map *of_process, uint32_t thread)
{
	uint32_t found = pp_map_get(of_process, r->threads.at[thread].pid);

	if (found == PP_MAP_NONE && r->b->profile->series.n == 0)
		return pp_trace_series(r, thread, true);
	return found == PP_MAP_NONE ? 0 : found;
}

static void
mark_build(struct trace_read *r, const struct trace_mark *mark, uint32_t series,
           struct pp_buf *text, struct pp_buf *members)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, mark->at);
	const struct trace_thread *t = &r->threads.at[mark->thread];
	struct pp_slice name = pp_slice_z("\"\"");

	text->n = members->n = 0;
	members_add(&s, t->has_series, &name, members);
	pp_buf_adds(text, "[");
	pp_buf_add(text, name.p, name.n);
	pp_buf_adds(text, ",");
	time_add(r, mark, text);
	pp_buf_addf(text, ",null,%u,0,{\"type\":\"" PP_TRACE_MARK "\"", mark->phase);
	pp_buf_add(text, members->p, members->n);
	pp_buf_adds(text, "},{}]");
	if (text->failed || members->failed)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	else
		pp_build_extra(r->b, PP_EXTRA_MARKER, series, "marker",
		               pp_slice_of(text->p, text->n));
}

void
pp_trace_marks_build(struct trace_read *r)
{
	struct pp_map of_process = { .seed = r->doc.reader->seed };
	struct pp_buf text = { 0 }, members = { 0 };
	size_t i;

	pp_sort(r->marks.at, r->marks.n, sizeof *r->marks.at, compare_marks, NULL);
	for (i = r->marks.n ? r->threads.n : 0; i-- > 0;)
		if (r->threads.at[i].has_series &&
		    !pp_map_set(&of_process, r->threads.at[i].pid, r->threads.at[i].series))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	for (i = 0; i < r->marks.n && pp_builder_goes_on(r->b); i++) {
		const struct trace_thread *t = &r->threads.at[r->marks.at[i].thread];
		uint32_t series = t->has_series
		                      ? t->series
		                      : series_near(r, &of_process, r->marks.at[i].thread);

		mark_build(r, &r->marks.at[i], series, &text, &members);
	}
	pp_map_release(&of_process);
	pp_buf_release(&text);
	pp_buf_release(&members);
}
