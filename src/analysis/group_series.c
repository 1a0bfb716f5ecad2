/*
 * Cutting a profile by what its series are: threads, or values of a label. As rows they are a tree of one level; as
 * roots each stands below the stacks of its series.
 */
#include "analysis/group.h"
#include "base/slots.h"
#include "model/derive.h"

/* Series by the group that each is of. */
struct parts {
	uint32_t *of; /* by series: from 0 on */
	uint32_t n;
	uint32_t *first; /* by group: a series of it */
	struct pp_label_values values;
	struct pp_slots slots; /* of threads, from 1 on */
};

static void
parts_release(struct parts *t)
{
	free(t->of);
	free(t->first);
	pp_label_values_release(&t->values);
	pp_slots_release(&t->slots);
}

/* ---- threads ---------------------------------------------------------------------------- */

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

static bool
thread_same(const struct pp_series *a, const struct pp_series *b)
{
	return a->thread == b->thread && a->process == b->process && a->tid == b->tid &&
	       a->pid == b->pid;
}

/* The thread that a series belongs to, a new one if need be; there is room for it. */
static uint32_t
thread_find(const struct pp_profile *p, struct parts *t, uint32_t series)
{
	const struct pp_series *s = &p->series.at[series];
	uint64_t h = pp_mix(p->strs.seed ^ (uint64_t)s->tid, PP_HASH_K1);
	uint32_t tag, k;
	size_t at;

	h = pp_mix(h ^ (uint64_t)s->pid, PP_HASH_K2);
	tag = (uint32_t)(pp_mix(h ^ ((uint64_t)s->thread << 32 | s->process), PP_HASH_K1) >> 32);
	for (at = pp_slots_begin(&t->slots, tag); (k = pp_slots_next(&t->slots, tag, &at));)
		if (thread_same(&p->series.at[t->first[k - 1]], s))
			return k - 1;
	t->first[t->n++] = series;
	pp_slots_put_here(&t->slots, at, tag, t->n);
	return t->n - 1;
}

static pp_status
threads_find(const struct pp_profile *p, struct parts *t)
{
	uint32_t i;

	/* Processes have a thread each where nothing is known of more. */
	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].tid >= 0 || p->series.at[i].thread ||
		    p->series.at[i].process != p->series.at[0].process ||
		    p->series.at[i].pid != p->series.at[0].pid)
			break;
	if (i == p->series.n)
		return PP_E_UNSUPPORTED;
	if (!pp_slots_init(&t->slots, 4, NULL) || !pp_slots_reserve(&t->slots, p->series.n))
		return PP_E_NOMEM;
	for (i = 0; i < p->series.n; i++)
		t->of[i] = thread_find(p, t, i);
	return PP_OK;
}

/* ---- labels ----------------------------------------------------------------------------- */

/* Group 0 is of those without the label, wherever there are any. */
static pp_status
values_find(const struct pp_profile *p, struct pp_slice label, struct parts *t)
{
	uint32_t i;

	if (!pp_label_values_find(p, label, &t->values))
		return PP_E_NOMEM;
	t->n = t->values.n;
	for (i = 0; i < p->series.n; i++)
		t->of[i] = t->values.of[i];
	return t->n > 1 ? PP_OK : PP_E_UNSUPPORTED;
}

static pp_status
parts_find(const struct pp_profile *p, enum pp_group_by by, struct pp_slice label, struct parts *t)
{
	t->of = calloc(p->series.n + 1, sizeof *t->of);
	t->first = calloc(p->series.n + 1, sizeof *t->first);
	if (!t->of || !t->first)
		return PP_E_NOMEM;
	return by == PP_BY_THREAD ? threads_find(p, t) : values_find(p, label, t);
}

/* What a group is called. */
static void
part_name(const struct pp_profile *p, const struct parts *t, uint32_t part, struct pp_slice label,
          struct pp_buf *name)
{
	struct pp_slice value;

	name->n = 0;
	if (!t->values.n) {
		pp_thread_name(p, &p->series.at[t->first[part]], name);
	} else if (part) {
		value = pp_strtab_get(&t->values.texts, part);
		pp_buf_add(name, value.p, value.n);
	} else {
		pp_buf_adds(name, "(no ");
		pp_buf_add(name, label.p, label.n);
		pp_buf_adds(name, ")");
	}
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Adds what lines cost of some metrics, NULL = all. */
static void
lines_sum(const struct pp_profile *p, const uint32_t *of, const bool *metrics,
          struct pp_ledger *cost)
{
	size_t i, k;

	for (i = 0; i < p->lines.rows.n; i++) {
		uint32_t series = p->lines.rows.at[i].series;
		struct pp_cells cells = pp_line_costs(p, i);

		for (k = 0; metrics && k < cells.n; k++) {
			uint32_t m = pp_cells_column(&cells, k);

			if (metrics[m])
				pp_ledger_add(cost, of ? of[series] : series, m,
				              pp_cell_value(&p->metrics.at[m], cells.at[k]));
		}
		if (!metrics)
			pp_ledger_add_cells(cost, of ? of[series] : series, cells);
	}
}

/* Own costs of functions: from the calls or, for metrics that calls lack, from the lines. */
static bool
calls_sum(const struct pp_profile *p, const uint32_t *of, size_t groups, struct pp_ledger *cost)
{
	bool *missing = calloc(p->metrics.n + 1, sizeof *missing), fine = missing != NULL;
	size_t i, f, m, k;

	for (i = 0; fine && p->calls.own && i < p->calls.rows.n; i++) {
		uint32_t series = p->calls.rows.at[i].series;

		pp_ledger_add_cells(cost, of ? of[series] : series, pp_edge_own(p, i));
	}
	for (i = 0; fine && !p->calls.own && i < p->series.n; i++) {
		struct pp_ledger own;

		fine = pp_profile_own(p, i, true, &own);
		for (f = 0; fine && f < p->funcs.n; f++)
			pp_ledger_add_values(cost, of ? of[i] : i, pp_ledger_row(&own, f));
		if (fine)
			pp_ledger_release(&own);
	}
	for (m = 0; fine && p->lines.rows.n && m < p->metrics.n; m++) {
		union pp_value sum = pp_value_zero(&p->metrics.at[m]);

		for (k = 0; k < groups; k++)
			pp_value_add(&p->metrics.at[m], &sum, pp_ledger_get(cost, k, m));
		missing[m] = pp_value_is_zero(&p->metrics.at[m], sum);
	}
	if (fine)
		lines_sum(p, of, missing, cost);
	free(missing);
	return fine;
}

/* The whole of each series, as the file states it. */
static void
stated_sum(const struct pp_profile *p, const uint32_t *of, struct pp_ledger *cost)
{
	size_t i, m;

	for (i = 0; i < p->costs.funcs.n; i++) {
		uint32_t series = i < p->costs.series.n ? p->costs.series.at[i] : 0;

		for (m = 0; !p->costs.funcs.at[i] && m < p->metrics.n; m++)
			pp_ledger_add(cost, of ? of[series] : series, (uint32_t)m,
			              pp_costs_get(p, i, m).total);
	}
}

bool
pp_series_sum(const struct pp_profile *p, const uint32_t *of, size_t groups, struct pp_ledger *cost)
{
	bool fine = pp_ledger_init(cost, p, groups + 1);
	enum pp_basis basis = pp_profile_basis(p);
	uint32_t row;
	size_t i;

	for (i = 0; fine && i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++)
			pp_ledger_add_cells(cost, of ? of[i] : i,
			                    pp_series_costs(p, &p->series.at[i], row));
	/* Each is known from the facet that tells the whole of all. */
	if (fine && p->series.n && p->tree.n <= 1) {
		if (basis == PP_BASIS_COSTS && p->costs.funcs.n)
			stated_sum(p, of, cost);
		else if (basis == PP_BASIS_CALLS && p->calls.rows.n)
			fine = calls_sum(p, of, groups, cost);
		else
			lines_sum(p, of, NULL, cost);
	}
	return fine && !cost->failed;
}

static bool
costs_nothing(const struct pp_profile *p, struct pp_values cost)
{
	size_t i = 0;

	while (i < cost.n &&
	       pp_value_is_zero(&p->metrics.at[pp_values_metric(&cost, i)], cost.at[i]))
		i++;
	return i == cost.n;
}

static bool
is_named(const struct pp_series *s)
{
	return s->tid >= 0 || s->thread;
}

/*
 * Whether a group is not shown: one of which nothing is known, not even a cost. All of it was found to be that of
 * others, or there is no series without the label.
 */
static bool
part_is_nothing(const struct pp_profile *p, const struct parts *t, uint32_t part,
                const struct pp_ledger *cost)
{
	if (t->values.n ? part != 0 : is_named(&p->series.at[t->first[part]]))
		return false;
	return costs_nothing(p, pp_ledger_row(cost, part));
}

static int
pid_cmp(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* The processes of which threads are known by number, in order; NULL when out of memory. */
static int64_t *
threaded_pids(const struct pp_profile *p, const struct parts *t, size_t *n)
{
	int64_t *pids = malloc((t->n + (size_t)1) * sizeof *pids);
	uint32_t i;

	*n = 0;
	for (i = 0; pids && i < t->n; i++)
		if (p->series.at[t->first[i]].tid >= 0)
			pids[(*n)++] = p->series.at[t->first[i]].pid;
	if (pids)
		qsort(pids, *n, sizeof *pids, pid_cmp);
	return pids;
}

/*
 * Takes groups out of `first` that are no threads: of those without a name processes as a whole beside their threads, like
 * counters of a trace, and nothing. False when out of memory.
 */
static bool
unnamed_drop(const struct pp_profile *p, struct parts *t)
{
	struct pp_ledger cost = { 0 };
	size_t count;
	int64_t *pids = threaded_pids(p, t, &count);
	bool fine = pids && pp_series_sum(p, t->of, t->n, &cost);
	uint32_t i, n = t->n;

	for (t->n = i = 0; fine && i < n; i++) {
		int64_t pid = p->series.at[t->first[i]].pid;

		if (is_named(&p->series.at[t->first[i]]) ||
		    (!part_is_nothing(p, t, i, &cost) &&
		     (pid < 0 || !bsearch(&pid, pids, count, sizeof pid, pid_cmp))))
			t->first[t->n++] = t->first[i];
	}
	free(pids);
	pp_ledger_release(&cost);
	return fine;
}

bool
pp_threads_list(const struct pp_profile *p, uint32_t **series, size_t *n)
{
	struct parts t = { 0 };
	pp_status status = parts_find(p, PP_BY_THREAD, (struct pp_slice){ 0 }, &t);
	uint32_t i = 0;

	*series = NULL;
	if (status == PP_E_UNSUPPORTED)
		t.n = p->series.n > 0;
	while (status == PP_OK && i < t.n && is_named(&p->series.at[t.first[i]]))
		i++;
	/* Adding up takes long, and is for few. */
	if (status == PP_OK && i < t.n && !unnamed_drop(p, &t))
		status = PP_E_NOMEM;
	*n = t.n;
	if (status == PP_OK || status == PP_E_UNSUPPORTED) {
		*series = t.first;
		t.first = NULL;
	}
	parts_release(&t);
	return *series != NULL;
}

bool
pp_threads_count(const struct pp_profile *p, uint64_t *n)
{
	uint32_t *series;
	size_t count;
	bool fine = pp_threads_list(p, &series, &count);

	*n = count;
	free(series);
	return fine;
}

pp_status
pp_group_series(const struct pp_profile *p, enum pp_group_by by, struct pp_slice label,
                struct pp_profile **out, struct pp_buf *problem)
{
	struct parts t = { 0 };
	struct pp_derive d;
	struct pp_buf name = { 0 };
	struct pp_ledger cost = { 0 };
	pp_status status = parts_find(p, by, label, &t);
	uint32_t i;

	if (status == PP_OK) {
		status = pp_series_sum(p, t.of, t.n, &cost) && pp_level_start(&d, p, t.n, false)
		             ? PP_OK
		             : PP_E_NOMEM;
	}
	if (status == PP_OK) {
		for (i = 0; i < t.n && status == PP_OK; i++) {
			if (part_is_nothing(p, &t, i, &cost))
				continue;
			part_name(p, &t, i, label, &name);
			status = pp_level_add(
			    &d, pp_derive_func(&d, pp_slice_of(name.p ? name.p : "", name.n), 0, 0),
			    pp_ledger_row(&cost, i), 0, problem);
		}
		status = pp_derive_finish(&d, status, out);
	}
	pp_buf_release(&name);
	pp_ledger_release(&cost);
	parts_release(&t);
	return status;
}

/* ---- roots ------------------------------------------------------------------------------ */

/* Nodes of the profile on top of each root. */
struct roots {
	struct pp_derive *d;
	const struct parts *parts;
	pp_node *root;      /* by group; 0 = not yet */
	struct pp_map node; /* of group << 32 | node */
	PP_VEC(pp_node) path;
};

/* The root of a group; 0 when out of memory. */
static pp_node
root_of(struct roots *r, uint32_t part, struct pp_slice label)
{
	struct pp_profile *p = r->d->to;
	struct pp_buf name = { 0 };
	struct pp_frame_row frame = { 0 };

	if (r->root[part])
		return r->root[part];
	part_name(r->d->from, r->parts, part, label, &name);
	frame.func = name.failed
	                 ? 0
	                 : pp_derive_func(r->d, pp_slice_of(name.p ? name.p : "", name.n), 0, 0);
	pp_buf_release(&name);
	if (!frame.func || !pp_vec_push(&p->frames, frame))
		return 0;
	return r->root[part] = pp_tree_child(&p->tree, 0, (pp_frame)(p->frames.n - 1));
}

/* The node on top of a root that a node becomes; 0 when out of memory. */
static pp_node
node_of(struct roots *r, uint32_t part, struct pp_slice label, pp_node node)
{
	const struct pp_tree *from = &r->d->from->tree;
	pp_node at = root_of(r, part, label);
	uint32_t known;

	r->path.n = 0;
	for (; at && node; node = pp_tree_parent(from, node)) {
		known = pp_map_get(&r->node, (uint64_t)part << 32 | node);
		if (known != PP_MAP_NONE) {
			at = known;
			break;
		}
		if (!pp_vec_push(&r->path, node))
			return 0;
	}
	while (at && r->path.n) {
		node = r->path.at[--r->path.n];
		at = pp_tree_child(&r->d->to->tree, at, pp_tree_frame(from, node));
		if (at && !pp_map_set(&r->node, (uint64_t)part << 32 | node, at))
			at = 0;
	}
	return at;
}

/* Adds what the file measured for an outermost call to the root that the call stands on now. */
static void
measured_add(struct roots *r, size_t series, uint32_t row)
{
	const struct pp_profile *p = r->d->from;
	const struct pp_series *from = &p->series.at[series];
	struct pp_series *to = &r->d->to->series.at[series];
	size_t n = p->metrics.n;
	pp_node node = pp_series_node(from, row);
	int64_t *cells;

	if (!from->measured || !node || pp_tree_parent(&p->tree, node))
		return;
	cells = to->cells + (size_t)to->rows * to->stride;
	memset(cells, 0, to->stride * sizeof *cells);
	memcpy(cells + to->stride - n, pp_series_measured(p, from, row), n * sizeof *cells);
	to->node_of[to->rows++] = r->root[r->parts->of[series]];
}

/* The rows of a series on its root. */
static bool
series_move(struct roots *r, size_t series, struct pp_slice label)
{
	const struct pp_series *from = &r->d->from->series.at[series];
	struct pp_series *to = &r->d->to->series.at[series];
	size_t rows = (size_t)from->rows << from->measured;
	uint32_t row;

	if (rows > UINT32_MAX)
		return false;
	to->dense = false;
	to->rows_cap = (uint32_t)rows;
	if (from->wide)
		to->wide = pp_wide_new(sizeof(int64_t), 0);
	else
		to->cells = malloc(rows * from->stride * sizeof *to->cells + 1);
	to->node_of = malloc(rows * sizeof *to->node_of + 1);
	for (row = 0; (to->cells || to->wide) && to->node_of && row < from->rows; row++) {
		pp_node node;

		if (!pp_series_present(from, row))
			continue;
		node = node_of(r, r->parts->of[series], label, pp_series_node(from, row));
		if (!node)
			return false;
		if (!from->wide)
			memcpy(to->cells + (size_t)to->rows * to->stride,
			       pp_series_cells(from, row), from->stride * sizeof *to->cells);
		else if (!pp_wide_add_row(to->wide, from->wide, row))
			return false;
		to->node_of[to->rows++] = node;
		measured_add(r, series, row);
	}
	return (to->cells || to->wide) && to->node_of;
}

static bool
roots_fill(struct roots *r, struct pp_slice label)
{
	const struct pp_profile *from = r->d->from;
	size_t i;

	for (i = 0; i < from->series.n; i++)
		if (!series_move(r, i, label))
			return false;
	for (i = 0; i < from->not_own.n; i++) {
		struct pp_not_own_row row = from->not_own.at[i];

		row.node = node_of(r, r->parts->of[row.series], label, row.node);
		if (!row.node || !pp_vec_push(&r->d->to->not_own, row))
			return false;
	}
	return true;
}

pp_status
pp_root_derive(const struct pp_profile *p, enum pp_group_by by, struct pp_slice label,
               struct pp_profile **out)
{
	const unsigned emptied = PP_COLUMN_TREE | PP_COLUMN_ROWS | PP_COLUMN_TIMES |
	                         PP_COLUMN_CALLS | PP_COLUMN_LINES | PP_COLUMN_NOT_OWN;
	struct parts t = { 0 };
	struct pp_derive d;
	struct roots r = { .d = &d, .parts = &t, .node = { .seed = p->strs.seed } };
	pp_status status = parts_find(p, by, label, &t);

	*out = NULL;
	if (status == PP_OK &&
	    !pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES, emptied))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		pp_profile_forget_stated(d.to);
		d.to->facets = (d.to->facets & ~(unsigned)PP_FACETS) | PP_TREE;
		r.root = calloc(t.n + (size_t)1, sizeof *r.root);
		status = pp_derive_finish(&d, r.root && roots_fill(&r, label) ? PP_OK : PP_E_NOMEM,
		                          out);
	}
	free(r.root);
	pp_map_release(&r.node);
	pp_vec_release(&r.path);
	parts_release(&t);
	return status;
}
