/*
 * Any profile as trace events, for Perfetto and Chrome's own viewer: slices with the times they had or, where only stacks are known, side by side.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "formats/chrome/trace_write.h"
#include "formats/kit/replay.h"
#include "formats/kit/tree_walk.h"

static int
ids_compare(const void *left, const void *right, void *ctx)
{
	const struct pp_profile *p = ctx;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	const struct pp_series *a = &p->series.at[i], *b = &p->series.at[k];

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (i > k) - (i < k);
}

/* Which series have the ids of one before; false when out of memory. */
static bool
ids_find_used(struct trace_write *x)
{
	const struct pp_profile *p = x->p;
	uint32_t *order = malloc((p->series.n + 1) * sizeof *order), i;
	bool taken = false;

	x->used = calloc(p->series.n + 1, sizeof *x->used);
	for (i = 0; order && i < p->series.n; i++)
		order[i] = i;
	if (order && x->used)
		pp_sort(order, p->series.n, sizeof *order, ids_compare, (void *)(uintptr_t)p);
	for (i = 0; order && x->used && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[order[i]];
		const struct pp_series *before = i ? &p->series.at[order[i - 1]] : NULL;

		taken = taken && before && before->pid == s->pid && before->tid == s->tid;
		x->used[order[i]] = taken;
		taken |= s->rows > 0;
	}
	free(order);
	return order && x->used;
}

/* Numbers the nodes as a walk through the tree meets them; false when out of memory. */
static bool
nodes_number(struct trace_write *x)
{
	struct pp_tree_walk walk = { 0 };
	uint32_t n = 0;

	x->order = calloc(x->p->tree.n + 1, sizeof *x->order);
	if (!x->order || !pp_tree_walk_begin(&walk, x->p))
		return false;
	while (pp_tree_walk_next(&walk))
		if (!walk.leaving)
			x->order[walk.node] = n++;
	pp_tree_walk_release(&walk);
	return true;
}

static int
shown_compare(const void *left, const void *right, void *ctx)
{
	const uint32_t *order = ctx;
	uint32_t a = order[*(const pp_node *)left], b = order[*(const pp_node *)right];

	return (a > b) - (a < b);
}

void
pp_trace_ids_choose(struct trace_write *x, size_t series)
{
	const struct pp_series *s = &x->p->series.at[series];
	bool used = s->tid < 0 || x->used[series];

	x->pid = s->pid >= 0 ? s->pid : 1;
	x->tid = s->tid;
	if (used)
		x->tid = x->free_tid + (int64_t)series;
	if (s->pid < 0 || used)
		x->w->loss.made |= PP_HAS(THREADS);
	if (s->context)
		x->w->loss.dropped |= PP_HAS(THREADS);
}

/* Whether a series without labels is of the thread of another one. */
static bool
is_of_thread(const struct pp_series *plain, const struct pp_series *s)
{
	return !plain->labels && plain->event == s->event && plain->process == s->process &&
	       plain->thread == s->thread && plain->pid == s->pid && plain->tid == s->tid &&
	       plain->cpu == s->cpu && plain->context == s->context;
}

/* Whether the series is the part of another one that has a label, and the timeline of that one has its times. */
static bool
is_timed_elsewhere(struct trace_write *x, size_t series)
{
	const struct pp_series *all = x->p->series.at, *s = &all[series];
	size_t i = x->timed;

	if (!s->labels || s->timeline.n)
		return false;
	/* Mostly it is that of the labelled series before. */
	if (i >= series || !is_of_thread(&all[i], s))
		for (i = 0; i < series && !is_of_thread(&all[i], s); i++)
			;
	x->timed = i;
	return i < series && pp_replay_can(x->p, &all[i], x->w->metric);
}

static bool
is_written(struct trace_write *x, size_t series)
{
	const struct pp_series *s = &x->p->series.at[series];

	return s->rows && !is_timed_elsewhere(x, series) &&
	       (!s->event || !x->m->event || s->event == x->m->event) &&
	       !pp_trace_is_counted(x->p, s);
}

/*
 * Chrome takes an event at 0 for one without a time and begins its picture at the next one. So what other formats begin at 0 begins at 1 µs here, or
 * at the next step that the metric can say.
 */
static void
start_choose(struct trace_write *x)
{
	const struct pp_metric *m = x->m;
	pp_i128 cells = pp_slice_eq_z(pp_text_of(x->p, m->unit), "ns") ? 1000 : 1;
	pp_i128 num = m->factor_num ? (pp_i128)m->factor_num : 1;
	bool zero = false;
	size_t i;

	for (i = 0; i < x->p->series.n; i++) {
		const struct pp_series *s = &x->p->series.at[i];

		if (is_written(x, i))
			zero |= !pp_replay_can(x->p, s, x->w->metric) ||
			        s->timeline.blocks.at[0].time <= 0;
	}
	if (!zero || pp_profile_native(x->p) == &pp_format_trace_event)
		return;
	x->start_ns = 1000;
	x->start = pp_value_zero(m);
	if (m->type == PP_REAL) {
		x->start.d = (double)cells;
		return;
	}
	cells *= (pp_i128)pp_decimal_powers[m->scale < 18 ? m->scale : 18];
	cells *= m->factor_den ? (pp_i128)m->factor_den : 1;
	x->start.i = (cells + num - 1) / num;
}

/* µs to the last digit; what is no time is as many µs. */
static void
time_put(struct trace_write *x, const char *key, union pp_value v)
{
	struct pp_metric micros = *x->m;
	char digits[PP_NUM_MAX];

	/* Readers have 63 bits for what lies between the first time and the last. */
	x->too_large |= x->m->type != PP_REAL && (v.i > INT64_MAX || v.i < -INT64_MAX);
	if (x->start_ns)
		pp_value_add(x->m, &v, x->start);
	if (pp_slice_eq_z(pp_text_of(x->p, x->m->unit), "ns"))
		micros.scale += 3;
	pp_json_put_raw(&x->j, key, digits, pp_value_print(&micros, v, digits));
}

static void
name_put(struct trace_write *x, const char *what, struct pp_slice name)
{
	if (!name.n)
		return;
	pp_json_begin_object(&x->j);
	pp_json_put_textz(&x->j, "ph", "M");
	pp_json_put_i64(&x->j, "pid", x->pid);
	pp_json_put_i64(&x->j, "tid", x->tid);
	pp_json_put_textz(&x->j, "name", what);
	pp_json_put_object(&x->j, "args");
	pp_json_put_text(&x->j, "name", name);
	pp_json_end_object(&x->j);
	pp_json_end_object(&x->j);
}

/* Where a function is, told once. */
static void
place_put(struct trace_write *x, pp_func func)
{
	const struct pp_func_row *f = &x->p->funcs.at[func];

	if (x->told[func] || (!f->file && !f->line))
		return;
	x->told[func] = true;
	pp_json_put_object(&x->j, "args");
	if (f->file)
		pp_json_put_text(&x->j, "file", pp_text_of(x->p, f->file));
	if (f->line)
		pp_json_put_u64(&x->j, "line", f->line);
	if (f->column)
		pp_json_put_u64(&x->j, "column", f->column);
	pp_json_end_object(&x->j);
}

/*
 * Slices nest by their times alone. So what lasts no time is not within what ends then, and is within what begins then and lasts: its
 * stack will be another one.
 */
static void
nesting_check(struct trace_write *x, union pp_value at, bool enters)
{
	bool empty_now = x->emptied && pp_value_cmp(x->m, x->empty_at, at) == 0;
	struct open_slice open = { .begin = at, .behind_empty = empty_now };

	if (enters) {
		x->failed |= !pp_vec_push(&x->open, open);
		return;
	}
	if (!x->open.n)
		return;
	open = x->open.at[--x->open.n];
	if (pp_value_cmp(x->m, open.begin, at) == 0) {
		if (empty_now && !open.behind_empty)
			x->w->loss.dropped |= PP_HAS(STACKS);
		x->emptied = true;
		x->empty_at = at;
	} else if (empty_now || open.behind_empty) {
		x->w->loss.dropped |= PP_HAS(STACKS);
	}
}

static void
slice_put(void *ctx, pp_node node, union pp_value at, bool enters)
{
	struct trace_write *x = ctx;
	pp_func func = pp_node_func(x->p, node);
	const struct pp_func_row *f = &x->p->funcs.at[func];
	struct pp_slice name = pp_text_of(x->p, f->name);

	x->any = true;
	nesting_check(x, at, enters);
	pp_json_begin_object(&x->j);
	pp_json_put_textz(&x->j, "ph", enters ? "B" : "E");
	pp_json_put_i64(&x->j, "pid", x->pid);
	pp_json_put_i64(&x->j, "tid", x->tid);
	time_put(x, "ts", at);
	if (f->module)
		pp_json_put_text(&x->j, "cat", pp_text_of(x->p, x->p->modules.at[f->module].name));
	pp_json_put_text(&x->j, "name", name.n ? name : pp_slice_z("(unnamed)"));
	if (enters) {
		x->w->loss.names += !name.n || !pp_utf8_valid(name);
		x->drawn[func]++;
		place_put(x, func);
	}
	pp_json_end_object(&x->j);
}

/* Whether each stack of a series was called once, as its slice says. */
static bool
is_called_once(const struct pp_profile *p, const struct pp_series *s)
{
	uint32_t row;

	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row) && pp_series_cells(s, row)[p->metrics.n] != 1)
			return false;
	return true;
}

/* Whether functions were called as often as they have slices; uses up what is counted. */
static bool
is_drawn_as_called(struct trace_write *x)
{
	const struct pp_profile *p = x->p;
	bool same = true;
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++)
		x->drawn[p->calls.rows.at[i].callee] -= (uint64_t)pp_edge_cell(p, i, 0);
	for (i = 0; i < p->calls.rows.n; i++)
		same &= x->drawn[p->calls.rows.at[i].callee] == 0;
	return same;
}

/* What a series costs by node, and the nodes on the way to a cost, which alone are drawn. */
static void
shown_find(struct trace_write *x, const struct pp_series *s)
{
	bool *shown = x->told + x->p->funcs.n;
	uint32_t row;

	x->shown.n = 0;
	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row)) {
			union pp_value v = pp_cell_value(x->m,
			                                 pp_series_cell(s, row, x->w->metric));
			pp_node node;

			if (pp_value_cmp(x->m, v, pp_value_zero(x->m)) < 0)
				x->w->loss.negative++;
			else
				pp_value_add(x->m, &x->own[pp_series_node(s, row)], v);
			for (node = pp_series_node(s, row); node && !shown[node];
			     node = pp_tree_parent(&x->p->tree, node)) {
				shown[node] = true;
				x->failed |= !pp_vec_push(&x->shown, node);
			}
		}
	pp_sort(x->shown.at, x->shown.n, sizeof *x->shown.at, shown_compare, x->order);
}

/* One stack after the other, each as wide as it is. */
static void
series_lay_out(struct trace_write *x, const struct pp_series *s)
{
	union pp_value at = pp_value_zero(x->m);
	pp_node running = 0;
	size_t i;

	shown_find(x, s);
	for (i = 0; !x->failed && i <= x->shown.n; i++) {
		pp_node node = i < x->shown.n ? x->shown.at[i] : 0;
		pp_node parent = node ? pp_tree_parent(&x->p->tree, node) : 0;

		for (; running != parent; running = pp_tree_parent(&x->p->tree, running))
			slice_put(x, running, at, false);
		if (!node)
			break;
		slice_put(x, node, at, true);
		/* What is a frame's own comes before what it calls. */
		pp_value_add(x->m, &at, x->own[node]);
		x->own[node] = pp_value_zero(x->m);
		x->told[x->p->funcs.n + node] = false;
		running = node;
	}
	x->own[0] = pp_value_zero(x->m);
	x->laid_out = true;
	x->w->loss.dropped |= (s->has_calls && !is_called_once(x->p, s) ? PP_HAS(CALLS) : 0) |
	                      (s->timeline.n ? PP_HAS(TIMELINE) : 0);
	if (x->any)
		x->w->loss.made |= (s->timeline.n ? 0 : PP_HAS(TIMELINE)) |
		                   (s->has_calls ? 0 : PP_HAS(CALLS));
}

static void
series_put(struct trace_write *x, size_t series)
{
	const struct pp_series *s = &x->p->series.at[series];
	struct pp_replay replay = {
		.profile = x->p, .series = s, .metric = x->w->metric, .step = slice_put, .ctx = x
	};

	pp_trace_ids_choose(x, series);
	x->open.n = 0;
	x->emptied = false;
	if (pp_replay_can(x->p, s, x->w->metric))
		x->failed |= !pp_replay_run(&replay);
	else
		series_lay_out(x, s);
	/* Slices that overlap are written in parts, and each part is read as a call. */
	if (replay.resumed)
		x->w->loss.made |= PP_HAS(CALLS);
}

/* A member of the document that we write ourselves. */
static bool
is_own_key(struct pp_slice key)
{
	return pp_slice_eq_z(key, "displayTimeUnit") || pp_slice_eq_z(key, "otherData") ||
	       pp_slice_eq_z(key, "traceEvents") || pp_slice_eq_z(key, "samples") ||
	       pp_slice_eq_z(key, "stackFrames");
}

/* What a trace said of itself. What another format did, its readers would take for their own. */
static void
metadata_put(struct trace_write *x)
{
	const struct pp_profile *p = x->p;
	bool own = pp_profile_native(p) == &pp_format_trace_event;
	struct pp_slice unit = pp_slice_z("ns"), key;
	size_t i, other = p->meta.n;

	for (i = 0; own && i < p->meta.n; i++) {
		key = pp_text_of(p, p->meta.at[i].key);
		if (p->meta.at[i].parent)
			continue;
		if (pp_slice_eq_z(key, "displayTimeUnit"))
			unit = pp_text_of(p, p->meta.at[i].text);
		else if (pp_slice_eq_z(key, "otherData"))
			other = i;
	}
	pp_json_put_text(&x->j, "displayTimeUnit", unit);
	pp_json_put_object(&x->j, "otherData");
	x->text.n = 0;
	pp_buf_adds(&x->text, "polyprof@");
	pp_buf_adds(&x->text, pp_version());
	pp_json_put_text(&x->j, "exporter", pp_slice_of(x->text.p, x->text.p ? x->text.n : 0));
	if (x->laid_out)
		pp_json_put_textz(&x->j, "layout", "aggregated");
	for (i = other + 1; i < p->meta.n && p->meta.at[i].parent > other; i++)
		if (p->meta.at[i].parent == other + 1)
			pp_meta_json_write(&x->j, p, i, true);
	pp_json_end_object(&x->j);
	for (i = 0; own && i < p->meta.n; i++)
		if (!p->meta.at[i].parent && !is_own_key(pp_text_of(p, p->meta.at[i].key)))
			pp_meta_json_write(&x->j, p, i, true);
}

static void
document_put(struct trace_write *x)
{
	size_t i;

	if (x->m)
		start_choose(x);
	pp_json_begin_object(&x->j);
	pp_json_put_array(&x->j, "traceEvents");
	for (i = 0; x->m && i < x->p->series.n; i++)
		if (is_written(x, i)) {
			pp_trace_ids_choose(x, i);
			name_put(x, "process_name", pp_text_of(x->p, x->p->series.at[i].process));
			name_put(x, "thread_name", pp_text_of(x->p, x->p->series.at[i].thread));
		}
	for (i = 0; x->m && i < x->p->series.n && !x->failed; i++)
		if (is_written(x, i))
			series_put(x, i);
	pp_trace_counters_put(x);
	pp_trace_marks_put(x);
	if (!x->any) {
		x->w->loss.made &= ~PP_HAS(THREADS);
		x->w->loss.dropped |= PP_HAS(THREADS);
	}
	pp_json_end_array(&x->j);
	metadata_put(x);
	pp_json_end_object(&x->j);
	pp_json_end_line(&x->j);
}

pp_status
pp_trace_event_write(struct pp_writer *w)
{
	struct trace_write x = { .w = w, .p = w->profile };
	const struct pp_profile *p = w->profile;
	size_t i;

	if (!(p->facets & PP_TREE) && (p->calls.rows.n || p->lines.rows.n || p->costs.stated))
		return PP_E_UNSUPPORTED;
	if (w->metric < p->metrics.n) {
		x.m = &p->metrics.at[w->metric];
		pp_loss_metric(w, w->metric, pp_slice_z("dur"), "ns");
	}
	x.free_tid = 1;
	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].tid >= x.free_tid && p->series.at[i].tid < INT64_MAX / 2)
			x.free_tid = p->series.at[i].tid + 1;
	x.told = calloc(p->funcs.n + p->tree.n + 1, sizeof *x.told);
	x.own = calloc(p->tree.n + 1, sizeof *x.own);
	x.drawn = calloc(p->funcs.n + 1, sizeof *x.drawn);
	x.failed = !x.told || !x.own || !x.drawn || !ids_find_used(&x) || !nodes_number(&x);
	pp_json_init(&x.j, w->out, PP_JSON_COMPACT);
	if (!x.failed)
		document_put(&x);
	w->loss.more[PP_TRAIT_MARKERS] -= (int64_t)x.marks;
	w->loss.more[PP_TRAIT_NO_STACK] -= (int64_t)x.counted;
	if (p->time.known)
		w->loss.dropped |= PP_HAS(TIME);
	if (!x.failed && !is_drawn_as_called(&x))
		w->loss.dropped |= PP_HAS(CALLS);
	free(x.told);
	free(x.own);
	free(x.drawn);
	free(x.used);
	free(x.order);
	pp_vec_release(&x.shown);
	pp_vec_release(&x.open);
	x.failed |= x.text.failed;
	pp_buf_release(&x.text);
	if (!x.failed && x.too_large)
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_VALUES], PP_NOWHERE,
		            "the times exceed 63 bits, so no trace can hold them");
	return x.failed ? PP_E_NOMEM : x.too_large ? PP_E_LIMIT : PP_OK;
}
