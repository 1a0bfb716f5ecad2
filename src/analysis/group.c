/*
 * Cutting a profile by file, module, line or thread.
 *
 * Files and modules only change which functions count as the same. Lines give each frame a function of
 * its own. Threads, and lines that the profile keeps apart from its stacks, become a tree of one level.
 */
#include "analysis/group.h"

#include "analysis/linecost.h"
#include "base/slots.h"
#include "model/derive.h"

/* Numbers per function no longer hold when functions become one: the tree or the edges answer. */
static void
forget_flat(struct pp_derive *d)
{
	if (d->to->tree.n > 1)
		pp_profile_forget_stated(d->to);
	/* Calls inside a group repeat time that the call into it has. */
	d->to->calls.self_repeats = true;
}

/* Remembers who was who: totals of groups in a call graph depend on it. False when out of memory. */
static bool
keep_alone(struct pp_derive *d)
{
	struct pp_profile *p = d->to;
	size_t i;

	for (i = p->derived.alone.n; i < p->funcs.n; i++)
		if (!pp_vec_push(&p->derived.alone, p->funcs.at[i].same))
			return false;
	return true;
}

/* ---- by what a function belongs to ------------------------------------------------------ */

static pp_str
owner_of(const struct pp_profile *p, const struct pp_func_row *f, enum pp_group_by by)
{
	return by == PP_BY_FILE ? f->file : p->modules.at[f->module].name;
}

static bool
owners_unite(struct pp_derive *d, enum pp_group_by by, pp_func *group)
{
	struct pp_slice nameless = pp_slice_z(by == PP_BY_FILE ? "(no file)" : "(no module)");
	uint32_t n = (uint32_t)d->to->funcs.n, i;

	for (i = 1; i < n; i++) {
		pp_str owner = owner_of(d->to, &d->to->funcs.at[i], by);
		struct pp_slice name = owner ? pp_text_of(d->to, owner) : nameless;

		if (!group[owner])
			group[owner] = pp_derive_func(d, name, 0, 0);
		if (!group[owner])
			return false;
		d->to->funcs.at[i].same = group[owner];
	}
	return true;
}

static pp_status
by_owner(const struct pp_profile *p, enum pp_group_by by, struct pp_profile **out)
{
	pp_func *group;
	struct pp_derive d;
	bool any = false, fine;
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		any |= owner_of(p, &p->funcs.at[i], by) != 0;
	if (!any)
		return PP_E_UNSUPPORTED;
	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_DERIVED, 0))
		return PP_E_NOMEM;
	group = calloc(p->strs.strs.n, sizeof *group);
	fine = group && keep_alone(&d) && owners_unite(&d, by, group);
	free(group);
	forget_flat(&d);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* The function that each key stands for: the first of those that have it. NULL when out of memory. */
static pp_func *
keys_first(const struct pp_profile *p, const uint32_t *key, uint32_t keys, bool *changes)
{
	pp_func *first = calloc((size_t)keys + 1, sizeof *first);
	size_t i;

	*changes = false;
	for (i = 1; first && i < p->funcs.n; i++) {
		if (!key[i])
			continue;
		if (!first[key[i]])
			first[key[i]] = p->funcs.at[i].same;
		*changes |= p->funcs.at[i].same != first[key[i]];
	}
	return first;
}

pp_status
pp_group_unite(const struct pp_profile *p, const uint32_t *key, uint32_t keys,
               struct pp_profile **out)
{
	bool changes, fine;
	pp_func *first = keys_first(p, key, keys, &changes);
	struct pp_derive d;
	size_t i;

	*out = NULL;
	if (!first)
		return PP_E_NOMEM;
	if (!changes || !pp_derive_init(&d, p, PP_COLUMN_FUNCS | PP_COLUMN_DERIVED, 0)) {
		free(first);
		return changes ? PP_E_NOMEM : PP_OK;
	}
	fine = keep_alone(&d);
	for (i = 1; fine && i < p->funcs.n; i++)
		if (key[i])
			d.to->funcs.at[i].same = first[key[i]];
	free(first);
	forget_flat(&d);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* ---- one level -------------------------------------------------------------------------- */

/* A profile of one plain series with room for so many groups, and nothing else. */
static bool
level_start(struct pp_derive *d, const struct pp_profile *p, size_t groups, bool has_calls)
{
	const unsigned emptied = PP_COLUMN_TREE | PP_COLUMN_SERIES | PP_COLUMN_CALLS |
	                         PP_COLUMN_LINES | PP_COLUMN_NOT_OWN;
	struct pp_series one = { .pid = -1, .tid = -1, .cpu = -1, .has_calls = has_calls };
	struct pp_profile *unused;

	if (!pp_derive_init(d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES, emptied))
		return false;
	pp_profile_forget_stated(d->to);
	one.stride = (uint32_t)p->metrics.n + has_calls;
	one.rows_cap = (uint32_t)groups;
	if (pp_vec_push(&d->to->series, one)) {
		struct pp_series *s = &d->to->series.at[0];

		s->cells = calloc(groups * s->stride + 1, sizeof *s->cells);
		s->node_of = calloc(groups + 1, sizeof *s->node_of);
		if (s->cells && s->node_of)
			return true;
	}
	(void)pp_derive_finish(d, PP_E_NOMEM, &unused);
	return false;
}

/* A group with its costs, which must fit into cells. */
static pp_status
level_add(struct pp_derive *d, pp_func func, const union pp_value *cost, uint64_t calls,
          struct pp_buf *problem)
{
	struct pp_profile *p = d->to;
	struct pp_series *s = &p->series.at[0];
	struct pp_frame_row frame = { .func = func };
	int64_t *cells = s->cells + (size_t)s->rows * s->stride;
	size_t m;

	for (m = 0; m < p->metrics.n; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		if (metric->type == PP_REAL)
			cells[m] = pp_cell_real(cost[m].d);
		else if (cost[m].i < INT64_MIN ||
		         cost[m].i > (metric->type == PP_UINT ? (pp_i128)UINT64_MAX : INT64_MAX)) {
			pp_profile_sum_problem(p, func, m, problem);
			return PP_E_LIMIT;
		} else {
			cells[m] = (int64_t)cost[m].i;
		}
	}
	if (s->has_calls)
		cells[m] = (int64_t)calls;
	if (!func || !pp_vec_push(&p->frames, frame))
		return PP_E_NOMEM;
	s->node_of[s->rows] = pp_tree_child(&p->tree, 0, (pp_frame)(p->frames.n - 1));
	return s->node_of[s->rows++] ? PP_OK : PP_E_NOMEM;
}

/* ---- by line ---------------------------------------------------------------------------- */

/* "FILE:LINE"; 0 when out of memory. */
static pp_func
line_func(struct pp_derive *d, struct pp_buf *name, pp_str file, uint32_t line)
{
	struct pp_slice text = pp_text_of(d->to, file);

	name->n = 0;
	if (text.n)
		pp_buf_add(name, text.p, text.n);
	else
		pp_buf_adds(name, "(no file)");
	if (line)
		pp_buf_addf(name, ":%u", line);
	return name->failed ? 0 : pp_derive_func(d, pp_slice_of(name->p, name->n), file, line);
}

static pp_status
by_line_rows(const struct pp_profile *p, struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_linecost lines;
	struct pp_derive d;
	struct pp_buf name = { 0 };
	pp_status status = pp_linecost_compute(p, &lines);
	size_t i;

	if (status != PP_OK)
		return status;
	if (level_start(&d, p, lines.rows.n, lines.has_hits)) {
		for (i = 0; i < lines.rows.n && status == PP_OK; i++) {
			const struct pp_line_cost *row = &lines.rows.at[i];

			status = level_add(&d, line_func(&d, &name, row->file, row->line),
			                   lines.cost.at + i * lines.metrics, row->hits, problem);
		}
		status = pp_derive_finish(&d, status, out);
	} else {
		status = PP_E_NOMEM;
	}
	pp_buf_release(&name);
	pp_linecost_release(&lines);
	return status;
}

/* Each place that frames name becomes a function; frames without a line stay with theirs. */
static pp_status
by_line_frames(const struct pp_profile *p, struct pp_profile **out)
{
	struct pp_map map = { .seed = p->strs.seed };
	struct pp_buf name = { 0 };
	pp_status status = PP_E_UNSUPPORTED;
	struct pp_derive d;
	size_t i;

	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES, 0))
		return PP_E_NOMEM;
	for (i = 1; i < p->frames.n; i++) {
		const struct pp_frame_row *frame = &p->frames.at[i];
		pp_str file = frame->file ? frame->file : p->funcs.at[frame->func].file;
		uint64_t key = (uint64_t)file << 32 | frame->line;
		uint32_t func;

		if (!frame->line)
			continue;
		status = PP_OK;
		func = pp_map_get(&map, key);
		if (func == PP_MAP_NONE) {
			func = line_func(&d, &name, file, frame->line);
			if (!func || !pp_map_set(&map, key, func)) {
				status = PP_E_NOMEM;
				break;
			}
		}
		d.to->frames.at[i].func = func;
	}
	pp_map_release(&map);
	pp_buf_release(&name);
	forget_flat(&d);
	return pp_derive_finish(&d, status, out);
}

/* ---- by thread -------------------------------------------------------------------------- */

static bool
thread_same(const struct pp_series *a, const struct pp_series *b)
{
	return a->thread == b->thread && a->process == b->process && a->tid == b->tid &&
	       a->pid == b->pid;
}

void
pp_thread_name(const struct pp_profile *p, const struct pp_series *s, struct pp_buf *name)
{
	struct pp_slice thread = pp_text_of(p, s->thread ? s->thread : s->process);

	name->n = 0;
	pp_buf_add(name, thread.p, thread.n);
	if (s->tid >= 0)
		pp_buf_addf(name, "%s%lld", thread.n ? " " : "thread ", (long long)s->tid);
	if (name->n == 0)
		pp_buf_adds(name, "(unknown thread)");
}

struct thread_sums {
	struct pp_series *of; /* a copy that names the thread */
	union pp_value *cost; /* [thread * metrics + metric] */
	size_t *thread_of;    /* by series */
	size_t n;
	struct pp_slots slots; /* of threads, from 1 on */
};

/* The thread that a series belongs to, a new one if need be; there is room for it. */
static size_t
thread_find(const struct pp_profile *p, struct thread_sums *t, const struct pp_series *s)
{
	uint64_t h = pp_mix(p->strs.seed ^ (uint64_t)s->tid, PP_HASH_K1);
	uint32_t tag, k;
	size_t at;

	h = pp_mix(h ^ (uint64_t)s->pid, PP_HASH_K2);
	tag = (uint32_t)(pp_mix(h ^ ((uint64_t)s->thread << 32 | s->process), PP_HASH_K1) >> 32);
	for (at = pp_slots_begin(&t->slots, tag); (k = pp_slots_next(&t->slots, tag, &at));)
		if (thread_same(&t->of[k - 1], s))
			return k - 1;
	t->of[t->n++] = *s;
	pp_slots_put_here(&t->slots, at, tag, (uint32_t)t->n);
	return t->n - 1;
}

/* Adds one row of cells to the sums of the thread that a series belongs to. */
static void
thread_add(const struct pp_profile *p, struct thread_sums *t, size_t series, const int64_t *cells)
{
	pp_values_add_cells(p, t->cost + t->thread_of[series] * p->metrics.n, cells);
}

static bool
thread_sums_compute(const struct pp_profile *p, struct thread_sums *t)
{
	size_t i, stride = pp_line_stride(p);
	uint32_t row;

	t->of = calloc(p->series.n + 1, sizeof *t->of);
	t->cost = calloc((p->series.n + 1) * (p->metrics.n + 1), sizeof *t->cost);
	t->thread_of = calloc(p->series.n + 1, sizeof *t->thread_of);
	if (!t->of || !t->cost || !t->thread_of || !pp_slots_init(&t->slots, 4, NULL) ||
	    !pp_slots_reserve(&t->slots, p->series.n))
		return false;
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		t->thread_of[i] = thread_find(p, t, s);
		for (row = 0; row < s->rows; row++)
			thread_add(p, t, i, pp_series_cells(s, row));
	}
	for (i = 0; p->tree.n <= 1 && i < p->lines.rows.n; i++)
		thread_add(p, t, p->lines.rows.at[i].series,
		           p->lines.cells.at + i * stride + p->lines.hits);
	return true;
}

/* Whether nothing is known of a thread, not even a cost: all of it was found to be that of others. */
static bool
thread_is_nothing(const struct pp_profile *p, const struct thread_sums *t, size_t at)
{
	size_t m = 0;

	while (m < p->metrics.n &&
	       pp_value_is_zero(&p->metrics.at[m], t->cost[at * p->metrics.n + m]))
		m++;
	return m == p->metrics.n && t->of[at].tid < 0 && !t->of[at].thread;
}

static pp_status
by_thread(const struct pp_profile *p, struct pp_profile **out, struct pp_buf *problem)
{
	struct thread_sums t = { 0 };
	struct pp_derive d;
	struct pp_buf name = { 0 };
	pp_status status = PP_E_NOMEM;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].tid >= 0 || p->series.at[i].thread)
			break;
	if (i == p->series.n)
		return PP_E_UNSUPPORTED;
	if (thread_sums_compute(p, &t) && level_start(&d, p, t.n, false)) {
		status = PP_OK;
		for (i = 0; i < t.n && status == PP_OK; i++) {
			if (thread_is_nothing(p, &t, i))
				continue;
			pp_thread_name(p, &t.of[i], &name);
			status = level_add(&d,
			                   pp_derive_func(&d, pp_slice_of(name.p, name.n), 0, 0),
			                   t.cost + i * p->metrics.n, 0, problem);
		}
		status = pp_derive_finish(&d, status, out);
	}
	pp_buf_release(&name);
	free(t.of);
	free(t.cost);
	free(t.thread_of);
	pp_slots_release(&t.slots);
	return status;
}

pp_status
pp_group_derive(const struct pp_profile *p, enum pp_group_by by, struct pp_profile **out,
                struct pp_buf *problem)
{
	*out = NULL;
	switch (by) {
	case PP_BY_FILE:
	case PP_BY_MODULE:
		return by_owner(p, by, out);
	case PP_BY_LINE:
		return p->lines.rows.n ? by_line_rows(p, out, problem) : by_line_frames(p, out);
	case PP_BY_THREAD:
		return by_thread(p, out, problem);
	case PP_BY_FUNCTION:
		break;
	}
	return PP_OK;
}
