/*
 * Cutting a profile by file, module, line or thread.
 *
 * Files and modules only change which functions count as the same. Lines give each frame a function of
 * its own. Threads, and lines that the profile keeps apart from its stacks, become a tree of one level.
 */
#include "analysis/group.h"

#include "analysis/linecost.h"

/* Adds a function that stands for a group; 0 when out of memory. */
static pp_func
func_add(struct pp_profile *p, struct pp_slice name, pp_str file, uint32_t line)
{
	struct pp_func_row row = { .file = file, .line = line, .flags = PP_FUNC_PSEUDO };
	bool is_new;

	row.same = (pp_func)p->funcs.n;
	if (p->funcs.n >= UINT32_MAX - 1 ||
	    !pp_strtab_intern(&p->strs, name.p, name.n, &row.name, &is_new) ||
	    !pp_vec_push(&p->funcs, row))
		return 0;
	return row.same;
}

/* Numbers per function no longer hold when functions become one: the tree or the edges answer. */
static void
forget_flat(struct pp_profile *p)
{
	if (p->tree.n > 1)
		pp_profile_forget_stated(p);
	/* Calls inside a group repeat time that the call into it has. */
	p->calls.self_repeats = true;
}

/* Remembers who was who: totals of groups in a call graph depend on it. False when out of memory. */
static bool
keep_alone(struct pp_profile *p)
{
	size_t i;

	for (i = p->alone.n; i < p->funcs.n; i++)
		if (!pp_vec_push(&p->alone, p->funcs.at[i].same))
			return false;
	return true;
}

/* ---- by what a function belongs to ------------------------------------------------------ */

static pp_str
owner_of(const struct pp_profile *p, const struct pp_func_row *f, enum pp_group_by by)
{
	return by == PP_BY_FILE ? f->file : p->modules.at[f->module].name;
}

static pp_status
by_owner(struct pp_profile *p, enum pp_group_by by, const char *nameless)
{
	uint32_t n = (uint32_t)p->funcs.n, strings = (uint32_t)p->strs.strs.n, i;
	pp_func *group = calloc(strings, sizeof *group);
	bool any = false;

	if (!group || !keep_alone(p)) {
		free(group);
		return PP_E_NOMEM;
	}
	for (i = 1; i < n; i++)
		any |= owner_of(p, &p->funcs.at[i], by) != 0;
	for (i = 1; any && i < n; i++) {
		pp_str owner = owner_of(p, &p->funcs.at[i], by);

		if (!group[owner])
			group[owner] = func_add(
			    p, owner ? pp_text_of(p, owner) : pp_slice_z(nameless), 0, 0);
		if (!group[owner]) {
			free(group);
			return PP_E_NOMEM;
		}
		p->funcs.at[i].same = group[owner];
	}
	free(group);
	forget_flat(p);
	return any ? PP_OK : PP_E_UNSUPPORTED;
}

bool
pp_group_unite(struct pp_profile *p, const uint32_t *key, uint32_t keys, bool *changed)
{
	pp_func *first = calloc((size_t)keys + 1, sizeof *first);
	size_t i;

	*changed = false;
	if (!first || !keep_alone(p)) {
		free(first);
		return false;
	}
	for (i = 1; i < p->funcs.n; i++) {
		if (!key[i])
			continue;
		if (!first[key[i]])
			first[key[i]] = p->funcs.at[i].same;
		*changed |= p->funcs.at[i].same != first[key[i]];
		p->funcs.at[i].same = first[key[i]];
	}
	free(first);
	if (*changed)
		forget_flat(p);
	else
		p->alone.n = 0;
	return true;
}

/* ---- one level -------------------------------------------------------------------------- */

/* Throws the tree and all rows away and starts one plain series. */
static bool
level_start(struct pp_profile *p, bool has_calls)
{
	struct pp_series one = { .pid = -1, .tid = -1, .cpu = -1, .has_calls = has_calls };
	struct pp_tree tree;
	size_t i;

	if (!pp_tree_init(&tree, p->tree.seed, p->tree.max_nodes, p->tree.pages))
		return false;
	pp_tree_release(&p->tree);
	p->tree = tree;
	for (i = 0; i < p->series.n; i++) {
		struct pp_series *s = &p->series.at[i];

		free(s->cells);
		free(s->node_of);
		free(s->present);
		pp_timeline_release(&s->timeline);
	}
	p->series.n = 0;
	one.stride = (uint32_t)p->metrics.n + has_calls;
	p->calls.rows.n = p->calls.cells.n = 0;
	p->lines.rows.n = p->lines.cells.n = 0;
	pp_profile_forget_stated(p);
	p->not_own.n = 0;
	return pp_vec_push(&p->series, one);
}

/* A group with its costs, which must fit into cells. */
static pp_status
level_add(struct pp_profile *p, pp_func func, const union pp_value *cost, uint64_t calls,
          struct pp_buf *problem)
{
	struct pp_series *s = &p->series.at[0];
	struct pp_frame_row frame = { .func = func };
	int64_t *cells;
	size_t m;

	if (s->rows == s->rows_cap) {
		uint32_t cap = s->rows_cap * 2 + 64;
		void *moved = realloc(s->cells, ((size_t)cap * s->stride + 1) * sizeof *s->cells);
		void *nodes = moved ? realloc(s->node_of, cap * sizeof *s->node_of) : NULL;

		s->cells = moved ? moved : s->cells;
		s->node_of = nodes ? nodes : s->node_of;
		if (!nodes)
			return PP_E_NOMEM;
		s->rows_cap = cap;
	}
	cells = s->cells + (size_t)s->rows * s->stride;
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
line_func(struct pp_profile *p, struct pp_buf *name, pp_str file, uint32_t line)
{
	struct pp_slice text = pp_text_of(p, file);

	name->n = 0;
	if (text.n)
		pp_buf_add(name, text.p, text.n);
	else
		pp_buf_adds(name, "(no file)");
	if (line)
		pp_buf_addf(name, ":%u", line);
	return name->failed ? 0 : func_add(p, pp_slice_of(name->p, name->n), file, line);
}

static pp_status
by_line_rows(struct pp_profile *p, struct pp_buf *problem)
{
	struct pp_linecost lines;
	struct pp_buf name = { 0 };
	pp_status status = pp_linecost_compute(p, &lines);
	size_t i;

	if (status != PP_OK)
		return status;
	status = level_start(p, lines.has_hits) ? PP_OK : PP_E_NOMEM;
	for (i = 0; i < lines.rows.n && status == PP_OK; i++) {
		const struct pp_line_cost *row = &lines.rows.at[i];

		status = level_add(p, line_func(p, &name, row->file, row->line),
		                   lines.cost.at + i * lines.metrics, row->hits, problem);
	}
	pp_buf_release(&name);
	pp_linecost_release(&lines);
	return status;
}

/* Each place that frames name becomes a function; frames without a line stay with theirs. */
static pp_status
by_line_frames(struct pp_profile *p)
{
	struct pp_map map = { .seed = p->strs.seed };
	struct pp_buf name = { 0 };
	pp_status status = PP_E_UNSUPPORTED;
	size_t i;

	for (i = 1; i < p->frames.n; i++) {
		struct pp_frame_row *frame = &p->frames.at[i];
		pp_str file = frame->file ? frame->file : p->funcs.at[frame->func].file;
		uint64_t key = (uint64_t)file << 32 | frame->line;
		uint32_t func;

		if (!frame->line)
			continue;
		status = PP_OK;
		func = pp_map_get(&map, key);
		if (func == PP_MAP_NONE) {
			func = line_func(p, &name, file, frame->line);
			if (!func || !pp_map_set(&map, key, func)) {
				status = PP_E_NOMEM;
				break;
			}
		}
		p->frames.at[i].func = func;
	}
	pp_map_release(&map);
	pp_buf_release(&name);
	forget_flat(p);
	return status;
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
};

/* Adds one row of cells to the sums of the thread that a series belongs to. */
static void
thread_add(const struct pp_profile *p, struct thread_sums *t, size_t series, const int64_t *cells)
{
	union pp_value *cost = t->cost + t->thread_of[series] * p->metrics.n;
	size_t m;

	for (m = 0; m < p->metrics.n; m++)
		pp_value_add(&p->metrics.at[m], &cost[m],
		             pp_cell_value(&p->metrics.at[m], cells[m]));
}

static bool
thread_sums_compute(const struct pp_profile *p, struct thread_sums *t)
{
	size_t i, k, stride = pp_line_stride(p);
	uint32_t row;

	t->of = calloc(p->series.n + 1, sizeof *t->of);
	t->cost = calloc((p->series.n + 1) * (p->metrics.n + 1), sizeof *t->cost);
	t->thread_of = calloc(p->series.n + 1, sizeof *t->thread_of);
	if (!t->of || !t->cost || !t->thread_of)
		return false;
	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (k = 0; k < t->n && !thread_same(&t->of[k], s); k++)
			;
		if (k == t->n)
			t->of[t->n++] = *s;
		t->thread_of[i] = k;
		for (row = 0; row < s->rows; row++)
			thread_add(p, t, i, pp_series_cells(s, row));
	}
	for (i = 0; p->tree.n <= 1 && i < p->lines.rows.n; i++)
		thread_add(p, t, p->lines.rows.at[i].series,
		           p->lines.cells.at + i * stride + p->lines.hits);
	return true;
}

static pp_status
by_thread(struct pp_profile *p, struct pp_buf *problem)
{
	struct thread_sums t = { 0 };
	struct pp_buf name = { 0 };
	pp_status status = PP_OK;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].tid >= 0 || p->series.at[i].thread)
			break;
	if (i == p->series.n)
		return PP_E_UNSUPPORTED;
	if (!thread_sums_compute(p, &t) || !level_start(p, false))
		status = PP_E_NOMEM;
	for (i = 0; i < t.n && status == PP_OK; i++) {
		pp_thread_name(p, &t.of[i], &name);
		status = level_add(p, func_add(p, pp_slice_of(name.p, name.n), 0, 0),
		                   t.cost + i * p->metrics.n, 0, problem);
	}
	pp_buf_release(&name);
	free(t.of);
	free(t.cost);
	free(t.thread_of);
	return status;
}

pp_status
pp_group_apply(struct pp_profile *p, enum pp_group_by by, struct pp_buf *problem)
{
	switch (by) {
	case PP_BY_FILE:
		return by_owner(p, by, "(no file)");
	case PP_BY_MODULE:
		return by_owner(p, by, "(no module)");
	case PP_BY_LINE:
		return p->lines.rows.n ? by_line_rows(p, problem) : by_line_frames(p);
	case PP_BY_THREAD:
		return by_thread(p, problem);
	case PP_BY_FUNCTION:
		break;
	}
	return PP_OK;
}
