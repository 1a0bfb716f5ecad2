/*
 * Handles: functions, nodes and threads by number.
 */
#include "questions/handles.h"

#include <stdlib.h>

#include "analysis/group.h"
#include "analysis/set_aside.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/stops.h"
#include "base/vec.h"
#include "model/builder.h"

/* After so many numbers it is asked whether anybody still wants them. */
#define STRETCH 4096

/* ---- the tree ---- */

/* Nodes of one function under the same caller, linked by `link`. */
struct group {
	pp_func func;
	pp_node first, last;
	uint32_t parent; /* its number */
	union pp_value total;
};

/*
 * Total costs, of which rows are to add up. What a metric that falls gave back may be only in totals that the file
 * measured; those of other metrics differ from sums of own costs by no more than rounding.
 */
static bool
totals_compute(struct pp_inclusive *cost, const struct pp_profile *p, size_t metric)
{
	return pp_metric_falls(&p->metrics.at[metric]) ? pp_inclusive_stated(cost, p, metric)
	                                               : pp_inclusive_compute(cost, p, metric);
}

/* A tree while it is numbered. */
struct walk {
	const struct pp_profile *profile;
	const struct pp_metric *metric; /* NULL when there is none */
	struct pp_inclusive cost;
	struct pp_children children;
	pp_func *func_of_frame;
	pp_node *link;     /* by node: the next one of its group */
	uint32_t *slot_of; /* by function: 1 + its place among `made` */
	PP_VEC(struct group) made, stack;
};

static void
walk_release(struct walk *w)
{
	pp_inclusive_release(&w->cost);
	pp_children_release(&w->children);
	free(w->func_of_frame);
	free(w->link);
	free(w->slot_of);
	pp_vec_release(&w->made);
	pp_vec_release(&w->stack);
}

/* The costliest last: they are taken from the end. */
static int
group_order(const void *left, const void *right, void *context)
{
	const struct group *a = left, *b = right;
	const struct walk *w = context;
	int order = w->metric ? pp_value_cmp(w->metric, a->total, b->total) : 0;

	if (order == 0)
		order = pp_func_cmp(w->profile, b->func, a->func);
	return order ? order : (a->first < b->first) - (a->first > b->first);
}

/* Puts a child into the group of its function; false when out of memory. */
static bool
group_add(struct walk *w, pp_node child, uint32_t parent)
{
	pp_func func = w->func_of_frame[pp_tree_frame(&w->profile->tree, child)];
	union pp_value total = { 0 };

	if (w->metric)
		total = pp_inclusive_of(&w->cost, child);
	if (w->slot_of[func]) {
		struct group *g = &w->made.at[w->slot_of[func] - 1];

		w->link[g->last] = child;
		g->last = child;
		if (w->metric)
			pp_value_add(w->metric, &g->total, total);
		return true;
	}
	w->slot_of[func] = (uint32_t)w->made.n + 1;
	return pp_vec_push(&w->made, (struct group){ func, child, child, parent, total });
}

/* Gives a group the next number, and puts those below it on the stack. */
static bool
group_take(struct walk *w, struct pp_numbering *t, const struct group *g)
{
	uint32_t number = t->n++;
	pp_node node, child;
	size_t i;

	t->func[number] = g->func;
	t->parent[number] = g->parent;
	if (t->total)
		t->total[number] = g->total;
	w->made.n = 0;
	for (node = g->first;; node = w->link[node]) {
		t->of[node] = number;
		for (child = w->children.first[node]; child; child = w->children.next[child])
			if (!group_add(w, child, number))
				return false;
		if (node == g->last)
			break;
	}
	for (i = 0; i < w->made.n; i++)
		w->slot_of[w->made.at[i].func] = 0;
	if (w->made.n > 1)
		pp_sort(w->made.at, w->made.n, sizeof *w->made.at, group_order, w);
	for (i = 0; i < w->made.n; i++)
		if (!pp_vec_push(&w->stack, w->made.at[i]))
			return false;
	return true;
}

static bool
walk_init(struct walk *w, const struct pp_profile *p)
{
	size_t metric = pp_profile_primary(p);

	*w = (struct walk){ .profile = p };
	w->metric = metric < p->metrics.n ? &p->metrics.at[metric] : NULL;
	w->func_of_frame = pp_frame_funcs(p);
	w->link = calloc(p->tree.n, sizeof *w->link);
	w->slot_of = calloc(p->funcs.n + 1, sizeof *w->slot_of);
	return w->func_of_frame && w->link && w->slot_of && pp_children_compute(&w->children, p) &&
	       (!w->metric || totals_compute(&w->cost, p, metric));
}

/* How often each node was called, where that is known; false when out of memory. */
static bool
calls_add(struct pp_numbering *t)
{
	const struct pp_profile *p = t->profile;
	bool known = false;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		known |= p->series.at[i].has_calls;
	if (!known)
		return true;
	t->calls = calloc(t->n, sizeof *t->calls);
	for (i = 0; t->calls && i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; s->has_calls && row < s->rows && !pp_account_stops_at(row); row++)
			pp_count_add(&t->calls[t->of[pp_series_node(s, row)]],
			             (uint64_t)pp_series_cells(s, row)[p->metrics.n]);
	}
	return t->calls != NULL;
}

bool
pp_numbering_make(struct pp_numbering *t, const struct pp_profile *p)
{
	struct walk w;
	bool fine;
	uint32_t i;

	*t = (struct pp_numbering){ .profile = p };
	fine = walk_init(&w, p);
	t->func = calloc(p->tree.n + 1, sizeof *t->func);
	t->parent = calloc(p->tree.n + 1, sizeof *t->parent);
	t->end = calloc(p->tree.n + 1, sizeof *t->end);
	t->of = calloc(p->tree.n + 1, sizeof *t->of);
	if (w.metric)
		t->total = calloc(p->tree.n + 1, sizeof *t->total);
	fine = fine && t->func && t->parent && t->end && t->of && (t->total || !w.metric);
	if (fine && p->tree.n) {
		struct group root = { 0 };

		if (w.metric)
			root.total = pp_inclusive_of(&w.cost, 0);
		fine = group_take(&w, t, &root);
		while (fine && w.stack.n) {
			struct group g = w.stack.at[--w.stack.n];

			fine = group_take(&w, t, &g) &&
			       (t->n % STRETCH != 0 || !pp_account_stops());
		}
	}
	walk_release(&w);
	for (i = fine ? t->n : 0; i-- > 0 && !pp_account_stops_at(i);) {
		t->end[i] = t->end[i] > i ? t->end[i] : i + 1;
		if (i && t->end[t->parent[i]] < t->end[i])
			t->end[t->parent[i]] = t->end[i];
	}
	return fine && calls_add(t) && !pp_account_stops();
}

void
pp_numbering_release(struct pp_numbering *t)
{
	free(t->func);
	free(t->parent);
	free(t->end);
	free(t->of);
	free(t->total);
	free(t->calls);
	free(t->label);
	*t = (struct pp_numbering){ 0 };
}

union pp_value *
pp_numbering_totals(const struct pp_numbering *t, size_t metric)
{
	const struct pp_profile *p = t->profile;
	union pp_value *totals = calloc(t->n + 1, sizeof *totals);
	struct pp_inclusive cost = { 0 };
	pp_node node;

	if (totals && metric < p->metrics.n && totals_compute(&cost, p, metric)) {
		for (node = 0; node < p->tree.n && !pp_account_stops_at(node); node++)
			pp_value_add(&p->metrics.at[metric], &totals[t->of[node]],
			             pp_inclusive_of(&cost, node));
	} else if (metric < p->metrics.n) {
		free(totals);
		totals = NULL;
	}
	pp_inclusive_release(&cost);
	return totals;
}

/* The children of one node of a tree get the handles of those of another's that have their functions. */
static bool
children_adopt(struct pp_numbering *t, const struct pp_numbering *whole, uint32_t node,
               uint32_t *by_func)
{
	uint32_t from = t->label[node] - 1, i;
	bool found = true;

	for (i = from + 1; i < whole->end[from]; i = whole->end[i])
		by_func[whole->func[i]] = i + 1;
	for (i = node + 1; i < t->end[node]; i = t->end[i]) {
		t->label[i] = by_func[t->func[i]];
		found &= t->label[i] != 0;
	}
	for (i = from + 1; i < whole->end[from]; i = whole->end[i])
		by_func[whole->func[i]] = 0;
	return found;
}

bool
pp_numbering_adopt(struct pp_numbering *t, const struct pp_numbering *whole)
{
	uint32_t *by_func, i;
	bool found = t->n > 0 && whole->n > 0 && t->profile->funcs.n == whole->profile->funcs.n;

	if (!found)
		return true;
	by_func = calloc(whole->profile->funcs.n + 1, sizeof *by_func);
	t->label = calloc(t->n, sizeof *t->label);
	if (!by_func || !t->label) {
		free(by_func);
		return false;
	}
	t->label[0] = 1;
	for (i = 0; i < t->n && found && !pp_account_stops_at(i); i++)
		found = children_adopt(t, whole, i, by_func);
	free(by_func);
	if (!found) {
		free(t->label);
		t->label = NULL;
	}
	return true;
}

uint32_t
pp_numbering_find(const struct pp_numbering *t, uint64_t handle)
{
	uint32_t i;

	if (!t->label)
		return handle && handle <= t->n ? (uint32_t)handle - 1 : t->n;
	for (i = 0; i < t->n && t->label[i] != handle; i++)
		continue;
	return i;
}

/* ---- functions ---- */

struct ranked {
	uint32_t shown; /* place in the order that answers have; 0 = none */
	uint32_t row;
};

static int
ranked_order(const void *left, const void *right, void *context)
{
	const struct ranked *a = left, *b = right;

	if (!a->shown != !b->shown)
		return a->shown ? -1 : 1;
	return a->shown != b->shown ? (a->shown > b->shown) - (a->shown < b->shown)
	                            : (a->row > b->row) - (a->row < b->row);
}

/* Numbers functions as answers list them: those that are set aside come last. */
static pp_status
ranks_settle(struct pp_handles *h, const struct pp_profile *p, size_t metric)
{
	struct pp_profile *shown = NULL;
	struct pp_flat flat = { 0 };
	struct ranked *rows = NULL;
	size_t row;
	pp_status status = pp_set_aside_derive(p, &shown);

	if (status == PP_OK && shown)
		status = pp_flat_compute(shown, &flat);
	rows = status == PP_OK && shown ? calloc(h->flat.n + 1, sizeof *rows) : NULL;
	if (status == PP_OK && shown && (!rows || !pp_flat_sort(&flat, PP_SORT_SELF, metric)))
		status = PP_E_NOMEM;
	for (row = 0; rows && status == PP_OK && row < flat.n; row++)
		h->rank[flat.func[row]] = (uint32_t)row + 1;
	for (row = 0; rows && status == PP_OK && row < h->flat.n; row++)
		rows[row] = (struct ranked){ h->rank[h->flat.func[row]], (uint32_t)row };
	if (rows && status == PP_OK && h->flat.n) {
		pp_sort(rows, h->flat.n, sizeof *rows, ranked_order, NULL);
		status = pp_flat_reorder(&h->flat, &rows->row, sizeof *rows) ? PP_OK : PP_E_NOMEM;
	}
	for (row = 0; status == PP_OK && row < h->flat.n; row++)
		h->rank[p->funcs.at[h->flat.func[row]].same] = (uint32_t)row + 1;
	free(rows);
	pp_flat_release(&flat);
	pp_profile_release(shown);
	return status;
}

struct pp_handles *
pp_handles_new(const struct pp_profile *p)
{
	struct pp_handles *h = calloc(1, sizeof *h);
	size_t metric = pp_profile_primary(p);
	pp_status status;

	if (!h)
		return NULL;
	h->profile = p;
	h->rank = calloc(p->funcs.n + 1, sizeof *h->rank);
	h->facts = calloc(1, sizeof *h->facts);
	status = h->rank && h->facts ? pp_flat_compute(p, &h->flat) : PP_E_NOMEM;
	if (status == PP_OK && !pp_flat_sort(&h->flat, PP_SORT_SELF, metric))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		status = ranks_settle(h, p, metric);
	if (status == PP_E_UNSUPPORTED)
		status = PP_OK;
	if (status == PP_OK && p->tree.n && !pp_numbering_make(&h->tree, p))
		status = PP_E_NOMEM;
	if (status == PP_OK)
		return h;
	pp_handles_free(h);
	return NULL;
}

void
pp_handles_free(struct pp_handles *h)
{
	if (!h)
		return;
	pp_numbering_release(&h->tree);
	pp_flat_release(&h->flat);
	free(h->rank);
	free(h->facts);
	free(h);
}

uint64_t
pp_handle_parse(char kind, const char *text)
{
	uint64_t number = 0;

	if (!text || text[0] != kind || text[1] < '1' || text[1] > '9')
		return 0;
	for (text++; *text >= '0' && *text <= '9' && number < UINT32_MAX; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return *text ? 0 : number;
}

pp_func
pp_handles_func(const struct pp_handles *h, uint64_t handle)
{
	return handle && handle <= h->flat.n ? h->flat.func[handle - 1] : 0;
}

/* ---- threads ---- */

/* What a thread or a row is called, and its number. */
struct called {
	struct pp_slice name;
	uint32_t number;
};

static int
called_order(const void *left, const void *right, void *context)
{
	const struct called *a = left, *b = right;
	int order = pp_slice_cmp(a->name, b->name);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static size_t
called_alike(const struct called *list, size_t n, struct pp_slice name)
{
	size_t i = 0;

	while (i < n && pp_slice_eq(list[i].name, name))
		i++;
	return i;
}

/* Gives rows the numbers of the threads that are called so, if there are as many. Both lists are sorted. */
static void
called_match(const struct called *threads, size_t n, const struct called *rows, size_t row_count,
             uint32_t *handles)
{
	size_t i = 0, k = 0, j;

	while (i < n && k < row_count) {
		int order = pp_slice_cmp(threads[i].name, rows[k].name);
		size_t alike = called_alike(threads + i, n - i, threads[i].name);
		size_t alike_rows = called_alike(rows + k, row_count - k, rows[k].name);

		for (j = 0; order == 0 && alike == alike_rows && j < alike; j++)
			handles[rows[k + j].number] = threads[i + j].number;
		i += order <= 0 ? alike : 0;
		k += order >= 0 ? alike_rows : 0;
	}
}

uint32_t *
pp_handles_of_threads(const struct pp_profile *p, const struct pp_profile *rows)
{
	uint32_t *handles = calloc(rows->funcs.n + 1, sizeof *handles), *series = NULL;
	struct called *threads = NULL, *called = calloc(rows->funcs.n + 1, sizeof *called);
	struct pp_buf names = { 0 }, name = { 0 };
	size_t n = 0, i, *ends = NULL;
	bool fine = handles && called && pp_threads_list(p, &series, &n);

	if (fine) {
		threads = calloc(n + 1, sizeof *threads);
		ends = calloc(n + 1, sizeof *ends);
		fine = threads && ends;
	}
	for (i = 0; fine && i < n; i++) {
		pp_thread_name(p, &p->series.at[series[i]], &name);
		pp_buf_add(&names, name.p, name.n);
		ends[i + 1] = names.n;
		fine = !name.failed && !names.failed;
	}
	for (i = 0; fine && i < n; i++)
		threads[i] = (struct called){ pp_slice_of(names.p + ends[i], ends[i + 1] - ends[i]),
			                      (uint32_t)i + 1 };
	for (i = 1; fine && i < rows->funcs.n; i++)
		called[i - 1] = (struct called){ pp_text_of(rows, rows->funcs.at[i].name),
			                         (uint32_t)i };
	if (fine && rows->funcs.n) {
		pp_sort(threads, n, sizeof *threads, called_order, NULL);
		pp_sort(called, rows->funcs.n - 1, sizeof *called, called_order, NULL);
		called_match(threads, n, called, rows->funcs.n - 1, handles);
	}
	pp_buf_release(&names);
	pp_buf_release(&name);
	free(threads);
	free(called);
	free(ends);
	free(series);
	if (fine)
		return handles;
	free(handles);
	return NULL;
}
