/*
 * leaks: what is still in use at the end, by the stack that allocated it.
 *
 * Where the profile tells what happened when, it is known how old that is: since when there was always something in use of the
 * stack, and when it last grew.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/slice.h"
#include "base/sort.h"
#include "formats/format.h"
#include "model/inclusive.h"
#include "model/leaf_kind.h"
#include "questions/question.h"
#include "questions/traces_order.h"
#include "text/escape.h"
#include "text/json_emit.h"
#include "text/units.h"

#define LEAKS_SHOWN 10
#define CALLERS_SHOWN 12

struct leaks_params {
	struct pp_asked asked;
	struct pp_scope scope;
	double min;
	uint64_t depth;
};

static void leaks_want(const void *, struct pp_want *);
static pp_status leaks_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param_use leaks_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct leaks_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct leaks_params, min), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct leaks_params, depth), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_leaks = {
	.name = "leaks",
	.summary = "memory that is still in use at the end, by stack",
	.params = leaks_uses,
	.params_size = sizeof(struct leaks_params),
	.scope_at = offsetof(struct leaks_params, scope),
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = leaks_want,
	.answers = pp_leaks_known,
	.run = leaks_run,
};

static void
leaks_want(const void *data, struct pp_want *want)
{
	want->facets = PP_TREE | PP_TIMELINE | PP_SOURCE;
	want->stacks = true;
	want->all_frames = true; /* stacks are listed with what follows the one that allocated */
}

/* ---- what leaks ---- */

struct leak {
	pp_node node;
	pp_node site; /* the innermost frame that is not the allocator's */
	union pp_value bytes, count;
	double order;
};

/* When a stack had something in use. */
struct age {
	int64_t since, last;
	pp_i128 live;
};

/* A line for people: a leak, one of its callers, or how many of them are not shown. */
struct line {
	uint32_t leak;
	pp_node node; /* 0 = the last kind */
	uint32_t more;
	bool first, last;
};

struct leaks {
	const struct pp_profile *p;
	size_t bytes, count; /* metrics; metrics.n = not known */
	size_t sort;         /* the one that rows are sorted by */
	PP_VEC(struct leak) rows;
	PP_VEC(struct line) lines;
	pp_node *same;    /* by node: the first of an equal stack, whatever its addresses are */
	struct age *ages; /* by the first ones; NULL = not known */
	double whole;
	bool all_frames; /* allocators are shown like other functions */
};

static void
leaks_release(void *data)
{
	struct leaks *l = data;

	pp_vec_release(&l->rows);
	pp_vec_release(&l->lines);
	free(l->same);
	free(l->ages);
}

/* ---- names ---- */

static pp_func
node_func(const struct pp_profile *p, pp_node node)
{
	return p->frames.at[pp_tree_frame(&p->tree, node)].func;
}

static const struct pp_func_row *
func_row(const struct pp_profile *p, pp_node node)
{
	return &p->funcs.at[node_func(p, node)];
}

/* The innermost frame that is not the allocator's, or the outermost of all. */
static pp_node
site_of(const struct leaks *l, pp_node node)
{
	const struct pp_profile *p = l->p;
	pp_node at = node, parent = node;

	while (!l->all_frames && parent &&
	       pp_leaf_kind_of(p, node_func(p, at)) == PP_LEAF_ALLOCATOR) {
		parent = pp_tree_parent(&p->tree, at);
		at = parent ? parent : at;
	}
	return at;
}

/* " oven.c:42", or the module. */
static void
place_add(const struct pp_profile *p, pp_node node, struct pp_buf *to)
{
	const struct pp_frame_row *frame = &p->frames.at[pp_tree_frame(&p->tree, node)];
	const struct pp_func_row *f = func_row(p, node);
	struct pp_slice file = pp_text_of(p, frame->file ? frame->file : f->file);
	uint32_t line = frame->line ? frame->line : f->line;

	if (!file.n && !f->module)
		return;
	pp_buf_adds(to, "  ");
	(void)pp_escape_terminal(to, file.n ? file : pp_text_of(p, p->modules.at[f->module].name));
	if (file.n && line)
		pp_buf_addf(to, ":%u", line);
}

/* ---- for people ---- */

static const struct leak *
leak_of(const void *data, size_t row)
{
	const struct leaks *l = data;

	return &l->rows.at[l->lines.at[row].leak];
}

static void
line_bytes(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct leaks *l = data;

	if (l->lines.at[row].first)
		pp_datum_value(d, l->p, metric,
		               metric == l->bytes ? leak_of(l, row)->bytes
		                                  : leak_of(l, row)->count);
}

static void
line_share(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct leaks *l = data;

	if (!l->lines.at[row].first)
		return;
	pp_datum_part(d, leak_of(l, row)->order, l->whole);
	d->ink = pp_ink_of_share(d->part, d->all);
}

/* How long something has been in use, in ns: at most, or (arg) at least. False when it is not known. */
static bool
age_of(const struct leaks *l, const struct leak *leak, bool newest, int64_t *age)
{
	const struct age *a = l->ages ? &l->ages[leak->node] : NULL;

	if (!a || a->live <= 0)
		return false;
	return !__builtin_sub_overflow(l->p->time.end, newest ? a->last : a->since, age) &&
	       *age >= 0;
}

static void
line_age(const void *data, size_t row, size_t newest, struct pp_datum *d)
{
	const struct leaks *l = data;

	d->known = l->lines.at[row].first && age_of(l, leak_of(l, row), newest, &d->whole);
}

static void
line_label(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct leaks *l = data;
	const struct line *line = &l->lines.at[row];

	if (!line->node) {
		pp_buf_adds(d->made, "(");
		pp_units_u64(d->made, line->more);
		pp_buf_adds(d->made, " more)");
		d->ink = PP_INK_FAINT;
	} else {
		pp_func_text(d->made, l->p, node_func(l->p, line->node));
		place_add(l->p, line->node, d->made);
	}
	pp_datum_made(d);
}

static struct pp_branch_place
line_place(const void *data, size_t row)
{
	const struct leaks *l = data;

	return (struct pp_branch_place){ .level = l->lines.at[row].first ? 0 : 1,
		                         .last = l->lines.at[row].last };
}

static bool
lines_make(struct leaks *l, size_t shown, uint64_t depth)
{
	size_t i;

	for (i = 0; i < shown; i++) {
		pp_node at = l->rows.at[i].site, next;
		struct line line = { .leak = (uint32_t)i, .node = at, .first = true, .last = true };
		uint32_t more = 0;
		uint64_t n = 0;

		if (!pp_vec_push(&l->lines, line))
			return false;
		line.first = false;
		for (at = pp_tree_parent(&l->p->tree, at); at; at = next) {
			next = pp_tree_parent(&l->p->tree, at);
			if (++n > depth) {
				more++;
				continue;
			}
			line.node = at;
			line.last = !next;
			if (!pp_vec_push(&l->lines, line))
				return false;
		}
		line.node = 0;
		line.more = more;
		line.last = true;
		if (more && !pp_vec_push(&l->lines, line))
			return false;
	}
	return true;
}

static const struct pp_answer_column people_columns[] = {
	{ .title = "share", .as = PP_AS_SHARE, .flags = PP_COLUMN_RIGHT, .get = line_share },
	{ .title = "live", .as = PP_AS_VALUE, .flags = PP_COLUMN_RIGHT, .get = line_bytes },
	{ .title = "allocations",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 1,
	  .get = line_bytes },
	{ .title = "oldest",
	  .as = PP_AS_TIME,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 2,
	  .get = line_age },
	{ .title = "newest",
	  .as = PP_AS_TIME,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 3,
	  .arg = 1,
	  .get = line_age },
	{ .title = "allocated by",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_INDENT | PP_COLUMN_NAMES,
	  .get = line_label },
};

/* ---- for scripts ---- */

static pp_func
row_func(const void *data, size_t row, const struct pp_profile **p)
{
	const struct leaks *l = data;

	*p = l->p;
	return node_func(l->p, l->rows.at[row].site);
}

static void
row_value(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct leaks *l = data;

	if (metric < l->p->metrics.n)
		pp_datum_value(d, l->p, metric,
		               metric == l->bytes ? l->rows.at[row].bytes : l->rows.at[row].count);
}

static void
row_share(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct leaks *l = data;

	if (l->whole > 0)
		pp_datum_part(d, l->rows.at[row].order / l->whole, 0);
}

static void
row_age(const void *data, size_t row, size_t newest, struct pp_datum *d)
{
	const struct leaks *l = data;

	d->known = age_of(l, &l->rows.at[row], newest, &d->whole);
}

static void
frame_json(struct pp_json *j, const struct pp_profile *p, pp_node node)
{
	const struct pp_frame_row *frame = &p->frames.at[pp_tree_frame(&p->tree, node)];
	const struct pp_func_row *f = func_row(p, node);
	pp_str file = frame->file ? frame->file : f->file;
	uint32_t line = frame->line ? frame->line : f->line;

	pp_json_begin_object(j);
	pp_json_put_name(j, "name", pp_text_of(p, f->name));
	if (file)
		pp_json_put_name(j, "file", pp_text_of(p, file));
	if (line)
		pp_json_put_u64(j, "line", line);
	if (f->module)
		pp_json_put_name(j, "module", pp_text_of(p, p->modules.at[f->module].name));
	pp_json_end_object(j);
}

/* All frames, the innermost first, those of the allocator included. */
static void
row_stack(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct leaks *l = data;
	struct pp_sink *out;
	struct pp_json j;
	pp_node at;

	if (pp_sink_buffer(d->made, &out) != PP_OK) {
		d->made->failed = true;
		return;
	}
	pp_json_init(&j, out, PP_JSON_SPACED);
	pp_json_begin_array(&j);
	for (at = l->rows.at[row].node; at; at = pp_tree_parent(&l->p->tree, at))
		frame_json(&j, l->p, at);
	pp_json_end_array(&j);
	if (pp_sink_commit(out) != PP_OK)
		d->made->failed = true;
	pp_sink_close(out);
	pp_datum_made(d);
}

/* The same with semicolons, the outermost first, as folded stacks are. */
static void
row_folded(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct leaks *l = data;
	const struct pp_tree *t = &l->p->tree;
	PP_VEC(pp_node) path = { 0 };
	pp_node at;
	size_t i;

	for (at = l->rows.at[row].node; at && !d->made->failed; at = pp_tree_parent(t, at))
		if (!pp_vec_push(&path, at))
			d->made->failed = true;
	for (i = path.n; i-- > 0;) {
		struct pp_slice name = pp_text_of(l->p, func_row(l->p, path.at[i])->name);

		pp_buf_add(d->made, name.p, name.n);
		pp_buf_adds(d->made, i ? ";" : "");
	}
	pp_vec_release(&path);
	pp_datum_made(d);
}

static const struct pp_answer_column script_columns[] = {
	PP_FUNC_COLUMNS,
	PP_MODULE_COLUMN(0),
	{ .key = "bytes", .as = PP_AS_VALUE, .get = row_value },
	{ .key = "count", .as = PP_AS_VALUE, .get = row_value },
	{ .key = "share", .as = PP_AS_REAL, .get = row_share },
	{ .key = "oldest", .group = "age", .as = PP_AS_TIME, .get = row_age },
	{ .key = "newest", .group = "age", .as = PP_AS_TIME, .arg = 1, .get = row_age },
	{ .key = "stack", .as = PP_AS_RAW, .flags = PP_COLUMN_NO_CSV, .get = row_stack },
	{ .key = "stack", .as = PP_AS_NAME, .flags = PP_COLUMN_NO_JSON, .get = row_folded },
};

/* Columns of both tables know their metric by `arg`: the first that asks has bytes, the second counts. */
static struct pp_answer_column *
columns_copy(struct pp_answer *a, const struct leaks *l, const struct pp_answer_column *from,
             size_t n, size_t *left)
{
	struct pp_answer_column *to = pp_answer_alloc(a, n * sizeof *to);
	size_t i, values = 0;

	*left = 0;
	for (i = 0; to && i < n; i++) {
		size_t metric = values == 0 ? l->bytes : l->count;
		bool value = from[i].get == line_bytes || from[i].get == row_value;
		bool age = from[i].get == line_age || from[i].get == row_age;

		values += value;
		if ((value && metric >= l->p->metrics.n) || (age && !l->ages))
			continue;
		to[*left] = from[i];
		if (value)
			to[*left].arg = metric;
		++*left;
	}
	return to;
}

/* ---- finding them ---- */

/* What is in use at the end: of heap profilers, pprof, DHAT, Valgrind's --xtree-memory, and V8. */
static const char *const live_bytes[] = {
	"live_bytes", "inuse_space", "inuse_bytes", "eb", "curB", "selfSize", NULL,
};
static const char *const live_counts[] = { "live_count", "inuse_objects", "ebk", "curBk", NULL };

static size_t
metric_find(const struct pp_profile *p, const char *const *names)
{
	size_t metric = p->metrics.n;

	for (; *names && metric == p->metrics.n; names++)
		metric = pp_profile_metric_find(p, pp_slice_z(*names));
	return metric;
}

bool
pp_leaks_known(const struct pp_profile *p)
{
	size_t metric = metric_find(p, live_bytes);

	return metric < pp_metrics_shown(p) && p->facets & PP_TREE &&
	       pp_value_double(&p->metrics.at[metric], pp_profile_total(p, metric)) > 0;
}

/* Stacks are equal when their functions and lines are: where in a line it was says little. */
static bool
same_find(struct leaks *l)
{
	const struct pp_profile *p = l->p;
	struct pp_map places = { .seed = p->strs.seed }, nodes = { .seed = p->strs.seed };
	pp_node node;
	bool fine;

	l->same = calloc(p->tree.n, sizeof *l->same);
	fine = l->same != NULL;
	for (node = 1; fine && node < p->tree.n; node++) {
		pp_frame frame = pp_tree_frame(&p->tree, node);
		uint64_t key = (uint64_t)pp_node_func(p, node) << 32 | p->frames.at[frame].line;
		uint32_t place = pp_map_get(&places, key), first;

		if (place == PP_MAP_NONE) {
			place = frame;
			fine = pp_map_set(&places, key, place);
		}
		key = (uint64_t)l->same[pp_tree_parent(&p->tree, node)] << 32 | place;
		first = fine ? pp_map_get(&nodes, key) : node;
		if (first == PP_MAP_NONE) {
			first = node;
			fine = pp_map_set(&nodes, key, first);
		}
		l->same[node] = first;
	}
	pp_map_release(&places);
	pp_map_release(&nodes);
	return fine;
}

/* Adds what equal stacks have to the first of them. */
static union pp_value *
live_compute(const struct leaks *l, size_t metric)
{
	union pp_value *own = pp_own_compute(l->p, metric);
	const struct pp_metric *m = &l->p->metrics.at[metric];
	pp_node node;

	for (node = 1; own && node < l->p->tree.n; node++)
		if (l->same[node] != node) {
			pp_value_add(m, &own[l->same[node]], own[node]);
			own[node] = pp_value_zero(m);
		}
	return own;
}

/* Follows what was in use, stack by stack. */
static pp_status
ages_find(struct leaks *l)
{
	size_t metric = l->count < l->p->metrics.n ? l->count : l->bytes, i;
	bool any = false;

	for (i = 0; i < l->p->series.n; i++)
		any |= l->p->series.at[i].timeline.n && !l->p->series.at[i].timeline.cumulative &&
		       l->p->series.at[i].timeline.columns > metric;
	if (!any || !l->p->time.known || l->p->metrics.at[metric].type == PP_REAL)
		return PP_OK;
	l->ages = calloc(l->p->tree.n, sizeof *l->ages);
	if (!l->ages)
		return PP_E_NOMEM;
	for (i = 0; i < l->p->series.n; i++) {
		const struct pp_timeline *t = &l->p->series.at[i].timeline;
		struct pp_timeline_iter it;

		if (!t->n || t->cumulative || t->columns <= metric)
			continue;
		if (!pp_timeline_begin(t, &it, 0))
			return PP_E_NOMEM;
		while (pp_timeline_next(&it)) {
			struct age *a = &l->ages[l->same[it.event.node]];
			int64_t step = it.values[metric];

			if (step > 0) {
				a->since = a->live <= 0 ? it.event.time : a->since;
				a->last = it.event.time;
			}
			a->live += step;
		}
		pp_timeline_end(&it);
	}
	return PP_OK;
}

struct leak_order {
	const struct pp_profile *p;
	uint32_t *rank, *place; /* by frame, by node */
};

/* Order frames by function, then by line and address. */
static int
frame_order(const void *a, const void *b, void *profile)
{
	const struct pp_profile *p = profile;
	const struct pp_frame_row *x = &p->frames.at[*(const uint32_t *)a],
	                          *y = &p->frames.at[*(const uint32_t *)b];
	int by = x->func != y->func ? pp_func_cmp(p, x->func, y->func) : 0;

	by = by ? by : (x->line > y->line) - (x->line < y->line);
	by = by ? by : (x->column > y->column) - (x->column < y->column);
	return by ? by : (x->address > y->address) - (x->address < y->address);
}

/* Order leaks, the largest first. Nodes have another order in a packed profile, so they decide last. */
static int
leak_cmp(const void *a, const void *b, void *ctx)
{
	const struct leak_order *t = ctx;
	const struct leak *x = a, *y = b;
	uint32_t m, n;

	if (x->order != y->order)
		return x->order > y->order ? -1 : 1;
	m = t->rank[pp_tree_frame(&t->p->tree, x->site)];
	n = t->rank[pp_tree_frame(&t->p->tree, y->site)];
	if (m == n) {
		m = t->place[x->node];
		n = t->place[y->node];
	}
	return m != n ? (m > n) - (m < n) : (x->node > y->node) - (x->node < y->node);
}

/* Sort leaks in time that grows with the tree, however long its stacks are; false when out of memory. */
static bool
rows_sort(struct leaks *l)
{
	const struct pp_profile *p = l->p;
	struct leak_order t = { .p = p, .rank = calloc(p->frames.n + 1, sizeof *t.rank) };
	uint32_t *frames = calloc(p->frames.n + 1, sizeof *frames);
	bool fine = t.rank && frames;
	size_t i;

	for (i = 0; fine && i < p->frames.n; i++)
		frames[i] = (uint32_t)i;
	if (fine && p->frames.n)
		pp_sort(frames, p->frames.n, sizeof *frames, frame_order, (void *)(uintptr_t)p);
	for (i = 0; fine && i < p->frames.n; i++)
		t.rank[frames[i]] = (uint32_t)i;
	free(frames);
	fine = fine && (t.place = pp_nodes_place(p, t.rank, true)) != NULL;
	if (fine)
		pp_sort(l->rows.at, l->rows.n, sizeof *l->rows.at, leak_cmp, &t);
	free(t.rank);
	free(t.place);
	return fine;
}

static pp_status
rows_find(struct leaks *l, double min)
{
	const struct pp_profile *p = l->p;
	bool has_bytes = l->bytes < p->metrics.n, has_count = l->count < p->metrics.n;
	union pp_value *bytes = has_bytes ? live_compute(l, l->bytes) : NULL;
	union pp_value *count = has_count ? live_compute(l, l->count) : NULL;
	bool fine = (bytes || !has_bytes) && (count || !has_count);
	pp_node node;
	size_t i, n = 0;

	for (node = 0; fine && node < p->tree.n; node++) {
		struct leak row = { .node = node };
		const union pp_value *order = l->sort == l->bytes ? bytes : count;

		row.order = pp_value_double(&p->metrics.at[l->sort], order[node]);
		if (row.order <= 0)
			continue;
		if (bytes)
			row.bytes = bytes[node];
		if (count)
			row.count = count[node];
		l->whole += row.order;
		fine = pp_vec_push(&l->rows, row);
	}
	free(bytes);
	free(count);
	for (i = 0; fine && i < l->rows.n; i++)
		if (l->rows.at[i].order >= min * l->whole) {
			l->rows.at[n] = l->rows.at[i];
			l->rows.at[n].site = site_of(l, l->rows.at[n].node);
			n++;
		}
	l->rows.n = fine ? n : 0;
	if (l->rows.n > 1)
		fine = fine && rows_sort(l);
	return fine ? PP_OK : PP_E_NOMEM;
}

/* Which metric tells what is in use, and which the rows are sorted by. */
static pp_status
metrics_choose(struct leaks *l, const struct leaks_params *params, struct pp_answer *a)
{
	pp_status status = PP_OK;

	l->bytes = metric_find(l->p, live_bytes);
	l->count = metric_find(l->p, live_counts);
	if (pp_profile_holders(l->p))
		return pp_answer_fail(a, PP_E_UNSUPPORTED, "no-live-bytes",
		                      "a heap snapshot tells who holds memory, not who "
		                      "allocated it: `polyprof tree` shows that, and "
		                      "`polyprof diff BEFORE AFTER` what leaked");
	if (l->bytes == l->p->metrics.n && l->count == l->p->metrics.n)
		return pp_answer_fail(a, PP_E_UNSUPPORTED, "no-live-bytes",
		                      "this profile does not say what is still in use at the "
		                      "end; heaptrack, DHAT, gperftools and jemalloc record "
		                      "that");
	l->sort = l->bytes < l->p->metrics.n ? l->bytes : l->count;
	if (params->asked.metric)
		status = pp_asked_metric(&params->asked, l->p, a, &l->sort);
	if (status == PP_OK && l->sort != l->bytes && l->sort != l->count)
		return pp_answer_fail(
		    a, PP_E_USAGE, PP_RULE_USAGE,
		    "'%s' does not say what is in use at the end; live_bytes and live_count "
		    "do",
		    params->asked.metric);
	return status;
}

/* ---- the answer ---- */

static void
heading_say(struct pp_answer *a, const struct leaks *l, union pp_value total)
{
	const struct pp_metric *m = &l->p->metrics.at[l->sort];
	struct pp_buf text = { 0 };

	pp_metric_describe(&text, l->p, m, pp_value_double(m, total));
	pp_answer_say_name(a, PP_INK_TITLE, pp_slice_of(text.p ? text.p : "", text.n));
	text.n = 0;
	pp_units_u64(&text, l->rows.n);
	pp_answer_say(a, PP_INK_PLAIN, " in %s %s%s\n\n", pp_answer_made(a, &text),
	              l->rows.n == 1 ? "stack" : "stacks",
	              l->p->complete ? "" : " (the profile is incomplete)");
	pp_buf_release(&text);
}

static pp_status
tables_add(struct pp_answer *a, struct leaks *l, const struct leaks_params *params)
{
	uint64_t most = params->asked.budget.rows;
	size_t shown = most == PP_UNSET ? LEAKS_SHOWN : most ? (size_t)most : l->rows.n, n;
	struct pp_answer_column *columns;

	shown = shown < l->rows.n ? shown : l->rows.n;
	if (!lines_make(l, shown, params->depth == PP_UNSET ? CALLERS_SHOWN : params->depth))
		return PP_E_NOMEM;
	columns = columns_copy(a, l, people_columns, PP_COUNT_OF(people_columns), &n);
	pp_answer_table(a, &(struct pp_answer_table){ .columns = columns,
	                                              .column_count = n,
	                                              .data = l,
	                                              .rows = l->lines.n,
	                                              .place = line_place,
	                                              .flags = PP_TABLE_WHOLE | PP_TABLE_NO_CSV |
	                                                       PP_TABLE_NO_MORE });
	if (shown < l->rows.n) {
		struct pp_buf more = { 0 };

		pp_units_listed(&more, l->rows.n - shown, "more stack", "more stacks");
		pp_answer_say(a, PP_INK_FAINT, "\n  ... and %s (-n 0 shows all)\n",
		              pp_answer_made(a, &more));
		pp_buf_release(&more);
	}
	columns = columns_copy(a, l, script_columns, PP_COUNT_OF(script_columns), &n);
	pp_answer_table(a, &(struct pp_answer_table){ .key = "leaks",
	                                              .one = "stack",
	                                              .many = "stacks",
	                                              .columns = columns,
	                                              .column_count = n,
	                                              .data = l,
	                                              .rows = l->rows.n,
	                                              .func = row_func,
	                                              .flags = PP_TABLE_NO_TEXT });
	pp_answer_count(a, "count", l->rows.n);
	return PP_OK;
}

static pp_status
leaks_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct leaks_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	struct leaks *l = pp_answer_own(a, sizeof *l, leaks_release);
	union pp_value total;
	pp_status status;

	if (!l)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	l->p = p;
	l->all_frames = params->scope.all_frames;
	status = metrics_choose(l, params, a);
	if (status != PP_OK)
		return status;
	status = same_find(l) ? rows_find(l, params->min > 0 ? params->min : 0) : PP_E_NOMEM;
	/* Of a stretch of time it is known what it left behind, not what was there before. */
	if (status == PP_OK && !pp_scope_has_time(&params->scope))
		status = ages_find(l);
	if (status != PP_OK)
		return pp_answer_fail_status(a, status);
	total = pp_profile_total(p, l->sort);
	pp_answer_source(a, p);
	pp_answer_unit(a, p, l->sort);
	pp_answer_value(a, "total", p, l->sort, total);
	heading_say(a, l, total);
	status = tables_add(a, l, params);
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}
