/*
 * What is no slice in a written trace: counters, and markers as the events they were or as instants and asynchronous events.
 */
#include <stdio.h>

#include "formats/chrome/trace_write.h"
#include "formats/kit/marker.h"

/* `own`: of the process and thread that are chosen. */
static void
event_begin(struct trace_write *x, const char *ph, bool own, pp_i128 ns)
{
	char digits[PP_NUM_MAX];

	pp_json_begin_object(&x->j);
	pp_json_put_textz(&x->j, "ph", ph);
	if (own) {
		pp_json_put_i64(&x->j, "pid", x->pid);
		pp_json_put_i64(&x->j, "tid", x->tid);
	}
	pp_json_put_raw(&x->j, "ts", digits, pp_num_print(digits, ns + x->start_ns, 3));
}

/* ---- counters ------------------------------------------------------------------------------ */

/* They are steps of metrics that fall, of no stack. */
bool
pp_trace_is_counted(const struct pp_profile *p, const struct pp_series *s)
{
	size_t m;

	if (s->rows != 1 || s->wide || s->has_calls || pp_series_node(s, 0) != 0 ||
	    !s->timeline.n || s->timeline.cumulative || p->metrics.n > PP_FEW_COLUMNS)
		return false;
	for (m = 0; m < pp_metrics_shown(p); m++)
		if (!pp_metric_falls(&p->metrics.at[m]) && pp_series_cell(s, 0, m))
			return false;
	return true;
}

/* NAME.KEY as the two that it is of. */
static struct pp_slice
name_split(struct pp_slice text, struct pp_slice *key)
{
	size_t dot = text.n;

	while (dot && text.p[dot - 1] != '.')
		dot--;
	*key = pp_slice_z("value");
	if (dot <= 1 || dot == text.n)
		return text;
	*key = pp_slice_of(text.p + dot, text.n - dot);
	return pp_slice_of(text.p, dot - 1);
}

struct levels {
	union pp_value at[PP_FEW_COLUMNS];
	bool known[PP_FEW_COLUMNS];
	bool changed[PP_FEW_COLUMNS];
};

/* All that is known of the counter that metric m is a value of, if that is the first of it. */
static void
counter_put(struct trace_write *x, const struct levels *l, size_t m, int64_t time, bool all)
{
	size_t n = pp_metrics_shown(x->p), i;
	struct pp_slice name, key, other;
	char digits[PP_NUM_MAX];
	bool any = false;

	name = name_split(pp_text_of(x->p, x->p->metrics.at[m].name), &key);
	for (i = 0; i < n; i++) {
		other = name_split(pp_text_of(x->p, x->p->metrics.at[i].name), &key);
		if (!l->known[i] || !pp_slice_eq(other, name))
			continue;
		if (i < m)
			return;
		any |= l->changed[i] || all;
	}
	if (!any)
		return;
	event_begin(x, "C", true, time);
	pp_json_put_text(&x->j, "name", name);
	pp_json_put_object(&x->j, "args");
	for (i = m; i < n; i++) {
		const struct pp_metric *metric = &x->p->metrics.at[i];

		other = name_split(pp_text_of(x->p, metric->name), &key);
		if (!l->known[i] || !pp_slice_eq(other, name))
			continue;
		pp_json_key_text(&x->j, key);
		pp_json_raw(&x->j, digits, pp_value_print(metric, l->at[i], digits));
	}
	pp_json_end_object(&x->j);
	pp_json_end_object(&x->j);
}

static void
levels_put(struct trace_write *x, const struct pp_series *s)
{
	size_t n = pp_metrics_shown(x->p), m;
	struct pp_timeline_iter it;
	struct levels l = { 0 };

	for (m = 0; m < n; m++)
		l.at[m] = pp_value_zero(&x->p->metrics.at[m]);
	if (!pp_timeline_begin(&s->timeline, &it, 0)) {
		x->failed = true;
		return;
	}
	while (pp_timeline_next(&it)) {
		bool all = true;

		for (m = 0; m < n && m < s->timeline.columns; m++) {
			l.changed[m] = it.values[m] != 0;
			l.known[m] |= l.changed[m];
			all &= !l.changed[m];
			pp_value_add(&x->p->metrics.at[m], &l.at[m],
			             pp_cell_value(&x->p->metrics.at[m], it.values[m]));
		}
		for (m = 0; m < n; m++)
			if (l.known[m])
				counter_put(x, &l, m, it.event.time, all);
	}
	pp_timeline_end(&it);
}

void
pp_trace_counters_put(struct trace_write *x)
{
	const struct pp_profile *p = x->p;
	size_t i, m;

	for (i = 0; i < p->series.n && !x->failed; i++) {
		if (!pp_trace_is_counted(p, &p->series.at[i]))
			continue;
		/* They are of a process; viewers want a thread nevertheless. */
		x->pid = p->series.at[i].pid >= 0 ? p->series.at[i].pid : 1;
		x->tid = p->series.at[i].tid >= 0 ? p->series.at[i].tid : 0;
		levels_put(x, &p->series.at[i]);
		x->counted++;
	}
	for (m = 0; x->counted && m < pp_metrics_shown(p); m++)
		if (m != x->w->metric && pp_metric_falls(&p->metrics.at[m]))
			pp_loss_metric(x->w, m, pp_slice_of("", 0), NULL);
}

/* ---- markers ------------------------------------------------------------------------------- */

static bool
marker_open(struct trace_write *x, const struct pp_extra_row *row, struct pp_slice *part)
{
	bool is_one = pp_marker_open(x->p, row, &x->text, part);

	x->failed |= x->text.failed;
	return is_one;
}

/* A string, key or value, as it is kept. */
static void
text_put(struct trace_write *x, struct pp_json_str text, bool key)
{
	struct pp_arena arena = { 0 };
	struct pp_slice value = pp_json_str_value(text, &arena);

	x->failed |= value.n && !value.p;
	value = value.p ? value : pp_slice_of("", 0);
	if (key)
		pp_json_key_text(&x->j, value);
	else
		pp_json_text(&x->j, value);
	pp_arena_release(&arena);
}

static void
members_put(struct trace_write *x, struct pp_slice object, const char *leave_out)
{
	struct pp_json_str key;
	struct pp_slice value;
	struct pp_scan s;

	pp_scan_init(&s, object, 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return;
	while (pp_scan_key(&s, &key) && pp_scan_skip(&s, &value)) {
		if (leave_out && (pp_json_str_eq(key, leave_out) || pp_json_str_eq(key, "ph")))
			continue;
		text_put(x, key, true);
		pp_json_raw_text(&x->j, value);
	}
}

/* The phase that an event had, and whether its series is its thread's; 0 when the marker was none. */
static char
phase_of(struct pp_slice data, bool *own_series)
{
	struct pp_json_str key, text;
	bool own = false;
	struct pp_scan s;
	char ph = 0;

	pp_scan_init(&s, data, 0, PP_SCAN_TOLERANT);
	if (data.p[0] != '{' || !pp_scan_object(&s))
		return 0;
	while (pp_scan_key(&s, &key)) {
		bool type = pp_json_str_eq(key, "type");

		*own_series &= !pp_json_str_eq(key, "pid") && !pp_json_str_eq(key, "tid");
		if (pp_scan_peek(&s) != PP_JSON_STRING || !pp_scan_string(&s, &text)) {
			(void)pp_scan_skip(&s, NULL);
			continue;
		}
		own |= type && pp_json_str_eq(text, PP_TRACE_MARK);
		if (pp_json_str_eq(key, "ph") && text.raw.n == 1 && !text.escaped)
			ph = (char)text.raw.p[0];
	}
	return own ? ph : 0;
}

/* ms as ns; what is no number is 0. */
static int64_t
ns_of(struct pp_slice ms)
{
	struct pp_fixed fixed = { .decimals = 9 };
	int64_t ns = 0;

	return pp_fixed_slow(&fixed, ms, 3, &ns) ? ns : 0;
}

static void
mark_begin(struct trace_write *x, const char *ph, bool own, struct pp_slice at,
           const struct pp_slice *part)
{
	struct pp_json_str name = { 0 };
	struct pp_scan s;

	event_begin(x, ph, own, ns_of(at));
	pp_scan_init(&s, part[PP_MARKER_NAME], 0, PP_SCAN_TOLERANT);
	(void)pp_scan_if_string(&s, &name);
	pp_json_key(&x->j, "name");
	text_put(x, name, false);
}

/* A marker of another format: something that lasts is asynchronous, anything else an instant. */
static void
foreign_put(struct trace_write *x, const struct pp_slice *part, const char *ph)
{
	bool ends = *ph == 'e';
	char id[32];

	mark_begin(x, ph, true,
	           ends && part[PP_MARKER_END].p[0] != 'n' ? part[PP_MARKER_END]
	                                                   : part[PP_MARKER_START],
	           part);
	pp_json_put_textz(&x->j, "cat", "marker");
	if (*ph == 'i') {
		pp_json_put_textz(&x->j, "s", "t");
	} else if (part[PP_MARKER_PHASE].p[0] == '1') {
		(void)snprintf(id, sizeof id, "%llu", (unsigned long long)x->marks);
		pp_json_put_textz(&x->j, "id", id);
	} else {
		pp_json_put_raw(&x->j, "id", (const char *)part[PP_MARKER_NAME].p,
		                part[PP_MARKER_NAME].n);
	}
	if (!ends || part[PP_MARKER_PHASE].p[0] != '1') {
		pp_json_put_object(&x->j, "args");
		members_put(x, part[PP_MARKER_DATA], NULL);
		members_put(x, part[PP_MARKER_STRINGS], NULL);
		pp_json_end_object(&x->j);
	}
	pp_json_end_object(&x->j);
}

static void
mark_put(struct trace_write *x, const struct pp_slice *part)
{
	bool own_series = true;
	char ph[2] = { phase_of(part[PP_MARKER_DATA], &own_series), 0 };

	if (*ph) {
		mark_begin(x, ph, own_series, part[PP_MARKER_START], part);
		members_put(x, part[PP_MARKER_DATA], "type");
		pp_json_end_object(&x->j);
		return;
	}
	switch (part[PP_MARKER_PHASE].p[0]) {
	case '1':
		foreign_put(x, part, "b");
		foreign_put(x, part, "e");
		break;
	case '2':
		foreign_put(x, part, "b");
		break;
	case '3':
		foreign_put(x, part, "e");
		break;
	default:
		foreign_put(x, part, "i");
	}
}

void
pp_trace_marks_put(struct trace_write *x)
{
	struct pp_slice part[PP_MARKER_PARTS];
	size_t i;

	for (i = 0; i < x->p->kept.extras.n && !x->failed; i++) {
		const struct pp_extra_row *row = &x->p->kept.extras.at[i];

		if (!marker_open(x, row, part))
			continue;
		pp_trace_ids_choose(x, row->row);
		mark_put(x, part);
		x->marks++;
	}
}
