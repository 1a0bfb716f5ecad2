/*
 * Any profile for the Firefox Profiler: one metric as the weight of samples, CPU time beside it, allocations as tables of
 * their own. Nodes of the tree are the stack table, whose parents come first.
 *
 * Version 60 (tables shared by all threads) is what the profiler has read since 2026 and will read; version 47 (tables in
 * each thread) is for older ones.
 */
#include "formats/firefox/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "model/series_find.h"

/* ---- samples ---------------------------------------------------------------------------- */

/* ns as ms, exactly. */
static void
ms_put(struct ff_write *x, pp_i128 ns)
{
	char digits[PP_NUM_MAX];

	pp_json_raw(&x->j, digits, pp_num_print(digits, ns, 6));
}

/* A double, which readers take with so many decimals: ps of time, millionths of anything else. */
static size_t
double_print(struct ff_write *x, double v, bool ms, char digits[PP_NUM_MAX])
{
	double fine = nearbyint(ms ? v * 1e3 : v * 1e6);

	if (!(fabs(fine) < 9e18))
		return pp_num_print_double(digits, ms ? v / 1e6 : v);
	x->w->loss.rounded += fabs(fine / (ms ? 1e3 : 1e6) - v) > 1e-12 * fabs(v);
	return pp_num_print(digits, (pp_i128)fine, ms ? 9 : 6);
}

/* A value of a metric, time in ms (`ms`) or ns. */
static void
value_put(struct ff_write *x, size_t metric, int64_t cell, bool ms)
{
	struct pp_metric m = x->p->metrics.at[metric];
	union pp_value v = pp_cell_value(&m, cell);
	char digits[PP_NUM_MAX];
	size_t n;

	m.scale += ms ? 6 : 0;
	n = m.type == PP_REAL
	        ? double_print(x, pp_value_double(&x->p->metrics.at[metric], v), ms, digits)
	        : pp_value_print(&m, v, digits);
	pp_json_raw(&x->j, digits, n);
}

/* How long an entry is drawn where its time is not known: as long as it costs, else 1 ms. */
static pp_i128
length_of(const struct ff_write *x, const struct entry *e)
{
	const struct pp_metric *m = &x->p->metrics.at[x->main];
	double ns = pp_value_double(m, pp_cell_value(m, e->value));

	if (x->as != FF_TIME || !(ns > -9e15 && ns < 9e15))
		return 1000000;
	return (pp_i128)nearbyint(fabs(ns));
}

/* From when to when a reader will see samples. */
static void
span_note(struct ff_write *x, pp_i128 first, pp_i128 last)
{
	if (!x->entries.n)
		return;
	x->first = x->spans && x->first < first ? x->first : first;
	x->last = x->spans && x->last > last ? x->last : last;
	x->spans = true;
}

static void
times_put(struct ff_write *x, bool timed)
{
	pp_i128 last = 0, at = 0;
	size_t i;

	pp_json_put_array(&x->j, x->old ? "time" : "timeDeltas");
	for (i = 0; i < x->entries.n; i++) {
		at = timed ? x->entries.at[i].time
		     : i   ? at + length_of(x, &x->entries.at[i - 1])
		           : 0;
		ms_put(x, x->old ? at : at - last);
		last = at;
	}
	pp_json_end_array(&x->j);
	span_note(x, x->entries.n && timed ? x->entries.at[0].time : 0, at);
}

static void
stacks_of(struct ff_write *x)
{
	size_t i;

	pp_json_put_array(&x->j, "stack");
	for (i = 0; i < x->entries.n; i++)
		ff_null_or(&x->j, x->entries.at[i].stack, (uint64_t)x->entries.at[i].stack - 1);
	pp_json_end_array(&x->j);
}

static void
weights_put(struct ff_write *x, size_t metric, enum ff_metric as)
{
	size_t i;

	pp_json_put_array(&x->j, "weight");
	for (i = 0; i < x->entries.n; i++)
		value_put(x, metric, x->entries.at[i].value, as == FF_TIME);
	pp_json_end_array(&x->j);
}

/* Whether each sample counts as one. */
static bool
are_ones(const struct ff_write *x)
{
	const struct pp_metric *m = &x->p->metrics.at[x->main];
	size_t i;

	if (x->as != FF_SAMPLES || m->type == PP_REAL || m->scale || m->factor_num > 1 ||
	    m->factor_den > 1)
		return false;
	for (i = 0; i < x->entries.n; i++)
		if (x->entries.at[i].value != 1)
			return false;
	return true;
}

/* CPU time of the first sample is nobody's: one without cost comes before it. */
static void
first_spare(struct ff_write *x)
{
	struct entry *e = x->entries.at;

	if (x->cpu == NO_METRIC || !x->entries.n || ff_is_zero(x, x->cpu, e->cpu))
		return;
	if (!pp_vec_push(&x->entries, (struct entry){ 0 })) {
		x->failed = true;
		return;
	}
	e = x->entries.at;
	memmove(e + 1, e, (x->entries.n - 1) * sizeof *e);
	e[0] = (struct entry){ .time = e[1].time, .stack = e[1].stack };
}

static void
samples_put(struct ff_write *x, size_t first, size_t end, bool timed)
{
	size_t i;

	ff_entries_take(x, x->main, first, end);
	first_spare(x);
	pp_json_put_object(&x->j, "samples");
	pp_json_put_u64(&x->j, "length", x->entries.n);
	x->samples += x->entries.n;
	stacks_of(x);
	times_put(x, timed);
	if (x->main == NO_METRIC || are_ones(x))
		pp_json_put_null(&x->j, "weight");
	else
		weights_put(x, x->main, x->as);
	pp_json_put_textz(&x->j, "weightType",
	                  x->as == FF_TIME    ? "tracing-ms"
	                  : x->as == FF_BYTES ? "bytes"
	                                      : "samples");
	if (x->cpu != NO_METRIC) {
		pp_json_put_array(&x->j, "threadCPUDelta");
		for (i = 0; i < x->entries.n; i++)
			value_put(x, x->cpu, x->entries.at[i].cpu, false);
		pp_json_end_array(&x->j);
	}
	pp_json_end_object(&x->j);
}

static void
allocations_put(struct ff_write *x, const char *key, size_t metric, size_t first, size_t end,
                bool timed)
{
	size_t i, n;
	pp_i128 at = 0;

	ff_entries_take(x, metric, first, end);
	n = x->entries.n;
	if (!n)
		return;
	x->samples += n;
	pp_json_put_object(&x->j, key);
	pp_json_put_u64(&x->j, "length", n);
	pp_json_put_array(&x->j, "time");
	for (i = 0; i < n; i++) {
		at = timed ? x->entries.at[i].time : (pp_i128)i * 1000000;
		ms_put(x, at);
	}
	pp_json_end_array(&x->j);
	span_note(x, timed ? x->entries.at[0].time : 0, at);
	stacks_of(x);
	weights_put(x, metric, FF_BYTES);
	pp_json_put_textz(&x->j, "weightType", "bytes");
	if (metric == x->js) {
		ff_column_of_same(x, "className", n, "\"\"");
		ff_column_of_same(x, "typeName", n, "\"\"");
		ff_column_of_same(x, "coarseType", n, "\"\"");
		ff_column_of_same(x, "inNursery", n, "false");
	}
	pp_json_end_object(&x->j);
}

static bool
is_of(const struct pp_profile *p, const char *format)
{
	return pp_profile_native(p) && strcmp(pp_profile_native(p)->name, format) == 0;
}

static bool
is_own(const struct pp_profile *p)
{
	return is_of(p, "firefox") || is_of(p, "gecko");
}

/* ---- threads ---------------------------------------------------------------------------- */

/* Whether any marker that is kept is of these series. */
static bool
has_markers(const struct ff_write *x, size_t first, size_t end)
{
	const struct pp_kept_facet *kept = &x->p->kept;
	size_t i, k;

	for (i = 0; is_own(x->p) && i < kept->extras.n; i++)
		for (k = first; k < end && kept->extras.at[i].table == PP_EXTRA_MARKER; k++)
			if (kept->extras.at[i].row == x->series[k])
				return true;
	return false;
}

/* Whether series have anything of what is written; the stacks that they need are numbered. */
static bool
has_entries(struct ff_write *x, size_t first, size_t end)
{
	const size_t tables[] = { x->main, x->js, x->native };
	bool found = false;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(tables); i++) {
		ff_entries_take(x, tables[i], first, end);
		found |= x->entries.n > 0;
	}
	return found || has_markers(x, first, end);
}

static void
thread_put(struct ff_write *x, size_t first, size_t end)
{
	static const struct pp_series nobody = { .pid = -1, .tid = -1 };
	const struct pp_series *s = first < end ? &x->p->series.at[x->series[first]] : &nobody;
	bool timed = !x->laid;
	char pid[24] = "";

	if (s->pid >= 0)
		snprintf(pid, sizeof pid, "%lld", (long long)s->pid);
	pp_json_begin_object(&x->j);
	pp_json_put_textz(&x->j, "processType", "default");
	pp_json_put_u64(&x->j, "processStartupTime", 0);
	pp_json_put_null(&x->j, "processShutdownTime");
	pp_json_put_u64(&x->j, "registerTime", 0);
	pp_json_put_null(&x->j, "unregisterTime");
	pp_json_put_array(&x->j, "pausedRanges");
	pp_json_end_array(&x->j);
	if (s->process)
		pp_json_put_text(&x->j, "processName", pp_text_of(x->p, s->process));
	pp_json_put_text(&x->j, "name", pp_text_of(x->p, s->thread));
	pp_json_put_bool(&x->j, "isMainThread", s->pid < 0 || s->pid == s->tid || end == first);
	pp_json_put_textz(&x->j, "pid", pid);
	if (s->tid >= 0)
		pp_json_put_i64(&x->j, "tid", s->tid);
	else
		pp_json_put_text(&x->j, "tid", pp_text_of(x->p, s->context));
	samples_put(x, first, end, timed);
	if (x->js != NO_METRIC)
		allocations_put(x, "jsAllocations", x->js, first, end, timed);
	if (x->native != NO_METRIC)
		allocations_put(x, "nativeAllocations", x->native, first, end, timed);
	ff_markers_put(x, first, end);
	if (x->old)
		ff_tables_put(x);
	pp_json_end_object(&x->j);
	if (s->tid >= 0 && s->context)
		x->w->loss.dropped |= PP_HAS(THREADS);
}

/* Addresses of stacks that cost nothing of what is written are lost with them. */
static void
addresses_count(struct ff_write *x)
{
	const struct pp_profile *p = x->p;
	bool *kept = calloc(p->frames.n + 1, sizeof *kept);
	pp_node node;
	size_t i;

	x->failed |= !kept;
	for (node = 1; kept && node < p->tree.n; node++)
		if (x->stack_of[node])
			kept[pp_tree_frame(&p->tree, node)] = true;
	for (node = 1; kept && node < p->tree.n; node++) {
		i = pp_tree_frame(&p->tree, node);
		x->w->loss.more[PP_TRAIT_ADDRESSES] += !kept[i] && p->frames.at[i].address;
		kept[i] = true;
	}
	free(kept);
}

static bool
same_thread(const struct ff_write *x, size_t i, size_t k)
{
	const struct pp_series *a = &x->p->series.at[x->series[i]],
	                       *b = &x->p->series.at[x->series[k]];

	return a->pid == b->pid && a->tid == b->tid && a->process == b->process &&
	       a->thread == b->thread && (a->tid >= 0 || a->context == b->context);
}

/* How many series from the i-th on belong to one thread. */
static size_t
thread_end(const struct ff_write *x, size_t i)
{
	size_t k = i + 1;

	while (k < x->p->series.n && same_thread(x, i, k))
		k++;
	return k;
}

/* Whether it is known whose costs they are. */
static bool
is_somebody(const struct pp_series *s)
{
	return s->pid >= 0 || s->tid >= 0 || s->process || s->thread;
}

/* Series of one thread stand together, threads in the order of the profile. */
static void
threads_put(struct ff_write *x)
{
	size_t n = x->p->series.n, i, k;
	bool put = false;

	pp_json_put_array(&x->j, "threads");
	for (i = 0; i < n && !x->failed; i = k) {
		k = thread_end(x, i);
		if ((i == 0 && k == n) || has_entries(x, i, k)) {
			thread_put(x, i, k);
			put = true;
		} else if (is_somebody(&x->p->series.at[x->series[i]])) {
			x->w->loss.dropped |= PP_HAS(THREADS);
		}
	}
	if (!put)
		thread_put(x, 0, 0);
	pp_json_end_array(&x->j);
}

/* What sorting knows of the series: the first of its thread. */
struct sorting {
	const struct pp_profile *p;
	const uint32_t *leader; /* by series; NULL = not known yet */
};

static int
series_cmp(const void *pa, const void *pb, void *ctx)
{
	const struct sorting *s = ctx;
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const struct pp_series *a = &s->p->series.at[ia], *b = &s->p->series.at[ib];
	const int64_t by_thread[][2] = { { a->pid, b->pid },
		                         { a->tid, b->tid },
		                         { a->process, b->process },
		                         { a->thread, b->thread },
		                         { a->tid < 0 ? a->context : 0,
		                           b->tid < 0 ? b->context : 0 },
		                         { ia, ib } };
	size_t i;

	if (s->leader && s->leader[ia] != s->leader[ib])
		return s->leader[ia] < s->leader[ib] ? -1 : 1;
	for (i = 0; i < PP_COUNT_OF(by_thread); i++)
		if (by_thread[i][0] != by_thread[i][1])
			return by_thread[i][0] < by_thread[i][1] ? -1 : 1;
	return 0;
}

static void
series_sort(struct ff_write *x)
{
	size_t n = x->p->series.n, i, k, end;
	uint32_t *leader = malloc((n + 1) * sizeof *leader);
	struct sorting sorting = { .p = x->p };

	x->failed |= !leader;
	for (i = 0; i < n; i++)
		x->series[i] = (uint32_t)i;
	if (!x->failed)
		pp_sort(x->series, n, sizeof *x->series, series_cmp, &sorting);
	for (i = 0; i < n && !x->failed; i = end)
		for (k = i, end = thread_end(x, i); k < end; k++)
			leader[x->series[k]] = x->series[i];
	sorting.leader = leader;
	if (!x->failed)
		pp_sort(x->series, n, sizeof *x->series, series_cmp, &sorting);
	free(leader);
}

/* ---- the document ----------------------------------------------------------------------- */

static void
metrics_choose(struct ff_write *x)
{
	const struct pp_profile *p = x->p;
	bool own = is_own(p), chosen = x->w->opts && x->w->opts->metric;
	const struct pp_metric *m;
	size_t i;

	x->main = x->w->metric < p->metrics.n ? x->w->metric : NO_METRIC;
	x->cpu = x->js = x->native = NO_METRIC;
	if (x->main == NO_METRIC)
		return;
	m = &p->metrics.at[x->main];
	x->as = pp_slice_eq_z(pp_text_of(p, m->unit), "ns")      ? FF_TIME
	        : pp_slice_eq_z(pp_text_of(p, m->unit), "bytes") ? FF_BYTES
	                                                         : FF_SAMPLES;
	for (i = 0; i < p->metrics.n && !chosen; i++) {
		struct pp_slice name = pp_text_of(p, p->metrics.at[i].name);

		if (i == x->main || p->metrics.at[i].flags & PP_METRIC_GAINED)
			continue;
		if (own && pp_slice_eq_z(name, "jsAllocations"))
			x->js = i;
		else if (own && pp_slice_eq_z(name, "nativeAllocations"))
			x->native = i;
		else if (x->cpu == NO_METRIC && p->metrics.at[i].kind == PP_KIND_CPU_TIME &&
		         pp_slice_eq_z(pp_text_of(p, p->metrics.at[i].unit), "ns"))
			x->cpu = i;
	}
}

static void
metrics_tell(struct ff_write *x)
{
	static const char *const names[] = {
		[FF_SAMPLES] = "samples", [FF_TIME] = "time", [FF_BYTES] = "bytes"
	};
	const char *unit = x->as == FF_TIME ? "ns" : x->as == FF_BYTES ? "bytes" : "samples";

	if (x->main == NO_METRIC)
		return;
	pp_loss_metric(x->w, x->main, pp_slice_z(names[x->as]), unit);
	if (x->cpu != NO_METRIC)
		pp_loss_metric(x->w, x->cpu, pp_slice_z("threadCPUDelta"), "ns");
	if (x->js != NO_METRIC)
		pp_loss_metric(x->w, x->js, pp_slice_z("jsAllocations"), "bytes");
	if (x->native != NO_METRIC)
		pp_loss_metric(x->w, x->native, pp_slice_z("nativeAllocations"), "bytes");
}

/* Colours that the profiler knows. */
static bool
is_colour(struct pp_slice text)
{
	static const char *const known[] = { "transparent", "purple",    "green",    "orange",
		                             "yellow",      "lightblue", "blue",     "brown",
		                             "magenta",     "red",       "lightred", "darkgrey",
		                             "grey" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(known); i++)
		if (pp_slice_eq_z(text, known[i]))
			return true;
	return false;
}

/* The member of an object of the metadata, by the object's row; meta.n when there is none. */
static size_t
member_find(const struct pp_profile *p, size_t object, const char *key)
{
	size_t i = object + 1;

	while (i < p->meta.n && (p->meta.at[i].parent != object + 1 ||
	                         !pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), key)))
		i = p->meta.at[i].parent ? i + 1 : p->meta.n;
	return i;
}

/* The first item of a list of the metadata, or the next one; meta.n behind the last. */
static size_t
item_next(const struct pp_profile *p, size_t list, size_t i)
{
	for (i++; i < p->meta.n && p->meta.at[i].parent != list + 1;)
		i = p->meta.at[i].parent ? i + 1 : p->meta.n;
	return i;
}

static struct pp_slice
member_text(const struct pp_profile *p, size_t object, const char *key)
{
	size_t i = member_find(p, object, key);

	return i < p->meta.n ? pp_text_of(p, p->meta.at[i].text) : pp_slice_of("", 0);
}

/* The number of the category that is grey, which anything may be of; SIZE_MAX when there is none. */
static size_t
grey_find(const struct pp_profile *p, size_t list)
{
	size_t i, number = 0;

	for (i = item_next(p, list, list); i < p->meta.n; i = item_next(p, list, i), number++)
		if (pp_slice_eq_z(member_text(p, i, "color"), "grey"))
			return number;
	return SIZE_MAX;
}

/* Categories as the file has them, but that colours are known ones and parts begin with "Other". */
static void
categories_put(struct ff_write *x, size_t list)
{
	const struct pp_profile *p = x->p;
	size_t i, parts, k;

	pp_json_put_array(&x->j, "categories");
	for (i = item_next(p, list, list); i < p->meta.n; i = item_next(p, list, i)) {
		struct pp_slice colour = member_text(p, i, "color");
		bool known = is_colour(colour);

		pp_json_begin_object(&x->j);
		pp_json_put_text(&x->j, "name", member_text(p, i, "name"));
		pp_json_put_text(&x->j, "color", known ? colour : pp_slice_z("darkgrey"));
		x->w->loss.more[PP_TRAIT_METADATA] += !known;
		pp_json_put_array(&x->j, "subcategories");
		parts = member_find(p, i, "subcategories");
		k = parts < p->meta.n ? item_next(p, parts, parts) : p->meta.n;
		if (k == p->meta.n || !pp_slice_eq_z(pp_text_of(p, p->meta.at[k].text), "Other"))
			pp_json_textz(&x->j, "Other");
		for (; k < p->meta.n; k = item_next(p, parts, k))
			pp_json_text(&x->j, pp_text_of(p, p->meta.at[k].text));
		pp_json_end_array(&x->j);
		pp_json_end_object(&x->j);
	}
	pp_json_end_array(&x->j);
}

/* A member of the metadata; meta.n when there is none. */
static size_t
meta_find(const struct pp_profile *p, const char *key)
{
	size_t i = 0;

	while (i < p->meta.n &&
	       (p->meta.at[i].parent || !pp_slice_eq_z(pp_text_of(p, p->meta.at[i].key), key)))
		i++;
	return i;
}

/* Decides whether categories stay as they are, without which markers mean nothing. */
static void
categories_choose(struct ff_write *x)
{
	const struct pp_profile *p = x->p;
	size_t list = is_own(p) ? meta_find(p, "categories") : p->meta.n, grey;

	grey = list < p->meta.n && p->meta.at[list].type == PP_META_ARRAY ? grey_find(p, list)
	                                                                  : SIZE_MAX;
	x->keeps_categories = grey < 1000000;
	snprintf(x->category, sizeof x->category, "%u", x->keeps_categories ? (unsigned)grey : 0);
}

/* Metadata of its own kind is kept but for what is said anew here. */
static bool
is_said(const struct ff_write *x, struct pp_slice key)
{
	static const char *const keys[] = { "preprocessedProfileVersion",
		                            "version",
		                            "symbolicated",
		                            "sampleUnits",
		                            "importedFrom",
		                            "extra" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(keys); i++)
		if (pp_slice_eq_z(key, keys[i]))
			return true;
	return pp_slice_eq_z(key, "categories") && !x->keeps_categories;
}

/* What stands first, whoever tells it. */
static bool
is_needed(struct pp_slice key)
{
	static const char *const keys[] = { "interval",  "startTime",  "processType", "product",
		                            "stackwalk", "categories", "markerSchema" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(keys); i++)
		if (pp_slice_eq_z(key, keys[i]))
			return true;
	return false;
}

/* Writes those that are kept, and counts the others. */
static void
own_meta_put(struct ff_write *x)
{
	const struct pp_profile *p = x->p;
	bool same = strcmp(pp_profile_native(p)->name, "firefox") == 0, said = false;
	int64_t *more = &x->w->loss.more[PP_TRAIT_METADATA];
	size_t i;

	for (i = 0; i < p->meta.n; i++) {
		const struct pp_meta_row *row = &p->meta.at[i];
		bool counts = row->type != PP_META_OBJECT && row->type != PP_META_ARRAY;

		if (row->parent == 0) {
			said = is_said(x, pp_text_of(p, row->key));
			if (!said && !is_needed(pp_text_of(p, row->key)))
				pp_meta_json_write(&x->j, p, i, true);
		}
		*more += !counts ? 0 : said && same ? 1 : !said && !same ? -1 : 0;
	}
}

/* What must be there, as the profile has it if that came from Firefox, else as given. */
static void
needed_put(struct ff_write *x, const char *key, const char *text, bool quoted)
{
	size_t i = is_own(x->p) ? meta_find(x->p, key) : x->p->meta.n;

	if (i < x->p->meta.n) {
		pp_meta_json_write(&x->j, x->p, i, true);
		return;
	}
	if (quoted)
		pp_json_put_textz(&x->j, key, text);
	else
		pp_json_put_raw(&x->j, key, text, strlen(text));
}

static void
meta_put(struct ff_write *x)
{
	static const char laid[] = "[{\"label\":\"polyprof\",\"entries\":[{\"label\":\"Times\","
	                           "\"format\":\"string\",\"value\":\"" FF_LAID "\"}]}]";
	static const char other[] =
	    "[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]";

	char start[24];
	int64_t ns = 0;

	pp_json_put_object(&x->j, "meta");
	/* A day that 64 bits of nanoseconds do not reach. */
	if (x->p->recorded_at && !pp_profile_recorded(x->p, &ns)) {
		ns = 0;
		x->w->loss.dropped |= PP_HAS(RECORDED);
	}
	snprintf(start, sizeof start, "%lld", (long long)(ns / 1000000));
	needed_put(x, "interval", "1", false);
	needed_put(x, "startTime", start, false);
	needed_put(x, "processType", "0", false);
	needed_put(x, "product", x->p->format ? x->p->format->name : "polyprof", true);
	needed_put(x, "stackwalk", "1", false);
	pp_json_put_u64(&x->j, "version", 29);
	pp_json_put_u64(&x->j, "preprocessedProfileVersion", x->old ? 47 : 60);
	if (x->keeps_categories)
		categories_put(x, meta_find(x->p, "categories"));
	else
		pp_json_put_raw(&x->j, "categories", other, strlen(other));
	needed_put(x, "markerSchema", "[]", false);
	pp_json_put_bool(&x->j, "symbolicated", true);
	pp_json_put_textz(&x->j, "importedFrom", "polyprof");
	if (x->cpu != NO_METRIC) {
		pp_json_put_object(&x->j, "sampleUnits");
		pp_json_put_textz(&x->j, "time", "ms");
		pp_json_put_textz(&x->j, "eventDelay", "ms");
		pp_json_put_textz(&x->j, "threadCPUDelta", "ns");
		pp_json_end_object(&x->j);
	}
	if (is_own(x->p))
		own_meta_put(x);
	if (x->laid) {
		pp_json_key(&x->j, "extra");
		pp_json_raw(&x->j, laid, strlen(laid));
	}
	pp_json_end_object(&x->j);
}

/* Whether all times are known; else none is told as such. */
static bool
all_timed(const struct ff_write *x)
{
	return ff_is_timed(x, 0, x->p->series.n);
}

static void
document_put(struct ff_write *x)
{
	const struct pp_profile *p = x->p;
	bool any = false;
	size_t i;

	pp_json_init(&x->j, x->w->out, PP_JSON_COMPACT);
	pp_json_begin_object(&x->j);
	x->laid = !all_timed(x);
	x->counting = true;
	for (i = 0; i < p->series.n && !x->failed; i = thread_end(x, i))
		any |= has_entries(x, i, thread_end(x, i));
	x->counting = false;
	x->laid = x->laid && any;
	meta_put(x);
	ff_libs_put(x);
	threads_put(x);
	if (x->markers < INT64_MAX)
		x->w->loss.more[PP_TRAIT_MARKERS] -= (int64_t)x->markers;
	addresses_count(x);
	if (!x->old) {
		pp_json_put_object(&x->j, "shared");
		ff_tables_put(x);
		pp_json_end_object(&x->j);
	}
	pp_json_end_object(&x->j);
	pp_json_end_line(&x->j);
	/* A recording becomes what its own viewer makes of it, which would keep them. */
	x->w->loss.more[PP_TRAIT_PRIVATE] += is_of(p, "gecko") && p->holds & PP_EXTRAS;
	if (p->samples && x->samples != p->samples)
		x->w->loss.dropped |= PP_HAS(SAMPLES);
	else if (x->samples != p->samples)
		x->w->loss.made |= PP_HAS(SAMPLES);
	if (x->laid)
		x->w->loss.dropped |= PP_HAS(TIMELINE) | PP_HAS(TIME);
	else if (p->time.known &&
	         (!x->spans || x->first != p->time.start || x->last != p->time.end))
		x->w->loss.dropped |= PP_HAS(TIME);
	else if (!p->time.known && x->spans)
		x->w->loss.made |= PP_HAS(TIME);
}

pp_status
pp_firefox_write(struct pp_writer *w)
{
	struct ff_write x = { .w = w, .p = w->profile };

	if (!(w->profile->facets & PP_TREE) && w->profile->facets & (PP_EDGES | PP_LINES))
		return PP_E_UNSUPPORTED;
	x.old = w->opts && w->opts->variant && strcmp(w->opts->variant, "47") == 0;
	w->loss.variant = x.old ? "47" : "60";
	x.series = malloc((x.p->series.n + 1) * sizeof *x.series);
	x.failed = !x.series || !ff_tables_init(&x);
	if (!x.failed)
		series_sort(&x);
	if (!x.failed) {
		metrics_choose(&x);
		categories_choose(&x);
		metrics_tell(&x);
		document_put(&x);
	}
	ff_tables_release(&x);
	pp_vec_release(&x.entries);
	free(x.series);
	return x.failed ? PP_E_NOMEM : PP_OK;
}

#define KEEPS                                                                                      \
	(PP_HAS(STACKS) | PP_HAS(TIMELINE) | PP_HAS(TIME) | PP_HAS(SAMPLES) | PP_HAS(RECORDED) |   \
	 PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS) | PP_HAS(MODULES) |           \
	 PP_HAS(BUILD_IDS) | PP_HAS(PLACES) | PP_HAS(COLUMNS) | PP_HAS(ADDRESSES) |                \
	 PP_HAS(INLINED) | PP_HAS(THREADS) | PP_HAS(HOMONYMS))

const struct pp_holds pp_firefox_holds[] = {
	{ .keeps = KEEPS,
	  .own = PP_HAS(METADATA) | PP_HAS(MARKERS),
	  .apart = PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(FIRST_COLUMNS) | PP_HAS(MODULES),
	  .values = "numbers of samples, ms or bytes; JavaScript rounds beyond 2^53" },
};
