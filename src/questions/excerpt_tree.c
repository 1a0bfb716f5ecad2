/*
 * The call tree under a budget.
 *
 * Nodes enter heaviest first, so that what is shown hangs together and a larger budget shows more of the same. A dull node,
 * which hardly costs anything itself and passes nearly all on to one callee, has no row: its callees are rows of its caller.
 * Many of them in a row do cost something, and there is no opening what was skipped; so one of them has a row then.
 * What is not shown below a row is one row more, so that every row is what it costs itself and the rows below it.
 *
 * What comes after an answer: rows whose rest is opened, the largest first. Nodes have an order, the heavier first, and
 * callers before callees; so the last node that an answer took tells all that it took. A page "R.L.M" of node X is about the
 * answer from R on that ended with L, and shows what is left below the row of X behind M. When nothing is, the row with the next
 * largest rest follows. So each node is shown once, though no server remembers anything.
 */
#include "questions/excerpt_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/slice.h"
#include "base/sort.h"
#include "base/stops.h"
#include "questions/excerpt_cutting.h"

#define DULL_SELF 0.01
#define DULL_PASSES 0.95
static void
cutting_release(void *data)
{
	struct pp_cutting *c = data;

	free(c->rests);
	free(c->order);
	free(c->owner);
	free(c->skipped);
	free(c->own_totals);
	free(c->own);
	free(c->gained);
	pp_vec_release(&c->spots);
	pp_vec_release(&c->heap);
	pp_vec_release(&c->rows);
	pp_buf_release(&c->scratch);
}

/* ---- choosing ---- */

static bool
is_heavier(const struct pp_cutting *c, uint32_t a, uint32_t b)
{
	const struct pp_cutting_spot *x = &c->spots.at[a], *y = &c->spots.at[b];

	return x->weight != y->weight ? x->weight > y->weight : x->node < y->node;
}

static void
heap_push(struct pp_cutting *c, uint32_t spot)
{
	size_t i = c->heap.n;

	if (!pp_vec_push(&c->heap, spot)) {
		c->failed = true;
		return;
	}
	for (; i > 0 && is_heavier(c, spot, c->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		c->heap.at[i] = c->heap.at[(i - 1) / 2];
	c->heap.at[i] = spot;
}

static uint32_t
heap_pop(struct pp_cutting *c)
{
	uint32_t top = c->heap.at[0], last = c->heap.at[--c->heap.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < c->heap.n) {
		child += child + 1 < c->heap.n &&
		         is_heavier(c, c->heap.at[child + 1], c->heap.at[child]);
		if (!is_heavier(c, c->heap.at[child], last))
			break;
		c->heap.at[i] = c->heap.at[child];
		i = child;
	}
	if (c->heap.n)
		c->heap.at[i] = last;
	return top;
}

static bool
is_leaf(const struct pp_cutting *c, uint32_t node)
{
	return c->tree->end[node] == node + 1;
}

/* What a node costs itself: what is left of its total, so that rows add up. */
static union pp_value
self_of(const struct pp_cutting *c, uint32_t node)
{
	union pp_value self = c->totals[node];
	uint32_t child;

	if (c->own)
		return c->own[node];
	for (child = node + 1; child < c->tree->end[node]; child = c->tree->end[child])
		pp_value_sub(c->metric, &self, c->totals[child]);
	return self;
}

static bool
is_dull(const struct pp_cutting *c, const struct pp_cutting_spot *s)
{
	uint32_t child;

	if (s->node == (c->opens ? c->root : c->start) ||
	    s->skipped + fabs(pp_value_double(c->metric, s->self)) >= DULL_SELF * c->all)
		return false;
	for (child = s->node + 1; child < c->tree->end[s->node]; child = c->tree->end[child])
		if (s->weight > 0 && !is_leaf(c, child) &&
		    pp_value_double(c->metric, c->totals[child]) >= DULL_PASSES * s->weight)
			return true;
	return false;
}

/* `most` is what its caller was taken by; `s` has the rest of what depends on that. */
static void
spot_add(struct pp_cutting *c, struct pp_cutting_spot s, double most)
{
	uint32_t node = s.node;

	s.total = c->totals[node];
	s.self = self_of(c, node);
	s.shown = pp_value_zero(c->metric);
	s.weight = fabs(pp_value_double(c->metric, s.total));
	s.weight = s.weight < most ? s.weight : most;
	if (!pp_vec_push(&c->spots, s))
		c->failed = true;
	else
		heap_push(c, (uint32_t)c->spots.n - 1);
}

struct child {
	uint32_t node;
	double weight;
};

static int
child_order(const void *left, const void *right, void *context)
{
	const struct child *a = left, *b = right;

	return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1)
	                              : (a->node > b->node) - (a->node < b->node);
}

/* What a row's rest takes now instead of before. */
static void
rest_renew(struct pp_cutting *c, uint32_t spot)
{
	struct pp_cutting_spot *s = &c->spots.at[spot];
	size_t bytes = pp_cutting_bytes(c, s, true);

	c->bytes += bytes - s->rest_bytes;
	s->rest_bytes = bytes;
}

/* ---- what is left of an answer ---- */

/* Whether an answer took a node that ended with another one. */
static bool
is_taken(const struct pp_cutting *c, uint32_t node, uint32_t ended)
{
	double a = c->order[node - c->root], b = c->order[ended - c->root];

	return node == c->root || a > b || (a == b && node <= ended);
}

/* Whose row each node is below, and what is left of each row's rest; false when out of memory. */
static bool
rests_find(struct pp_cutting *c)
{
	uint32_t n = c->tree->end[c->root] - c->root, i;

	c->order = malloc((n + 1) * sizeof *c->order);
	c->owner = malloc((n + 1) * sizeof *c->owner);
	c->skipped = calloc(n + 1, sizeof *c->skipped);
	c->rests = calloc(n + 1, sizeof *c->rests);
	if (!c->order || !c->owner || !c->skipped || !c->rests)
		return false;
	for (i = 0; i < n && !pp_account_stops_at(i); i++) {
		uint32_t node = c->root + i, up = i ? c->tree->parent[node] - c->root : 0;
		double weight = fabs(pp_value_double(c->metric, c->totals[node]));

		/* Callees of the first node are taken by what they cost, whatever that costs. */
		c->order[i] = i == 0 ? INFINITY : weight < c->order[up] ? weight : c->order[up];
	}
	c->owner[0] = c->root;
	for (i = 1; i < n && !pp_account_stops_at(i); i++) {
		uint32_t node = c->root + i, up = c->tree->parent[node];
		struct pp_cutting_spot s = { .node = node,
			                     .weight = c->order[i],
			                     .self = self_of(c, node),
			                     .skipped = c->skipped[up - c->root] };
		double self = fabs(pp_value_double(c->metric, s.self));
		bool dull = is_dull(c, &s);
		struct pp_cutting_rest *rest;

		c->skipped[i] = dull ? s.skipped + self : 0;
		if (is_taken(c, node, c->ended)) {
			c->owner[i] = dull ? c->owner[up - c->root] : node;
			if (dull)
				c->rests[c->owner[i] - c->root].rest += self;
			continue;
		}
		c->owner[i] = c->owner[up - c->root];
		rest = &c->rests[c->owner[i] - c->root];
		rest->nodes++;
		if (is_taken(c, up, c->ended)) {
			rest->weight += c->order[i];
			rest->rest += c->order[i];
		}
	}
	return !pp_account_stops();
}

/* Puts what is left below the row of the first node on the heap. */
static void
rest_expand(struct pp_cutting *c)
{
	uint32_t ended = c->resumed == PP_CUTTING_NOBODY ? c->ended : c->resumed, node;

	c->spots.at[0].hidden = 0;
	for (node = c->start + 1; node < c->tree->end[c->start] && !c->failed; node++) {
		uint32_t up = c->tree->parent[node], at = up, skip = 0;

		if (c->owner[node - c->root] != c->start || is_taken(c, node, c->ended) ||
		    is_taken(c, node, ended))
			continue;
		if (!is_taken(c, up, c->ended) && !is_taken(c, up, ended))
			continue;
		for (; at != c->start; at = c->tree->parent[at])
			skip++;
		c->spots.at[0].hidden++;
		spot_add(c,
		         (struct pp_cutting_spot){ .node = node,
		                                   .level = 1,
		                                   .skip = skip,
		                                   .skipped = c->skipped[up - c->root] },
		         c->order[up - c->root]);
	}
	rest_renew(c, 0);
}

/* The callees of the first node but those that earlier pages showed. */
static void
first_expand(struct pp_cutting *c, uint32_t spot)
{
	uint32_t node = c->spots.at[spot].node, child;
	PP_VEC(struct child) list = { 0 };
	size_t i;

	for (child = node + 1; child < c->tree->end[node]; child = c->tree->end[child])
		c->failed |= !pp_vec_push(
		    &list,
		    (struct child){ child, fabs(pp_value_double(c->metric, c->totals[child])) });
	if (list.n > 1)
		pp_sort(list.at, list.n, sizeof *list.at, child_order, NULL);
	for (i = (size_t)(c->page < list.n ? c->page : list.n); i < list.n && !c->failed; i++)
		spot_add(c,
		         (struct pp_cutting_spot){
		             .node = list.at[i].node, .row_parent = spot, .level = 1 },
		         INFINITY);
	pp_vec_release(&list);
}

/* How many callees a node has, and what they gained. */
static uint32_t
callees_count(const struct pp_cutting *c, uint32_t node, double *gained)
{
	uint32_t child, n = 0;

	*gained = 0;
	for (child = node + 1; child < c->tree->end[node]; child = c->tree->end[child]) {
		*gained += c->gained ? pp_cutting_gained(c, child) : 0;
		n++;
	}
	return n;
}

/* Puts the callees of a spot on the heap, below its row or, where it has none, that of its caller. */
static void
expand(struct pp_cutting *c, uint32_t spot, bool dull)
{
	struct pp_cutting_spot s = c->spots.at[spot],
	                       below = { .row_parent = dull ? s.row_parent : spot };
	uint32_t child;

	below.level = c->spots.at[below.row_parent].level + 1;
	below.skip = dull ? s.skip + 1 : 0;
	below.skipped = dull ? s.skipped + fabs(pp_value_double(c->metric, s.self)) : 0;
	for (child = s.node + 1; child < c->tree->end[s.node] && !c->failed;
	     child = c->tree->end[child]) {
		below.node = child;
		if (!c->depth || below.level + below.skip <= c->depth)
			spot_add(c, below, s.weight);
	}
}

/* Gives a spot its row; false when there is no room. */
static bool
row_give(struct pp_cutting *c, uint32_t spot)
{
	struct pp_cutting_spot *s = &c->spots.at[spot];
	struct pp_cutting_spot *parent = s->row_parent == PP_CUTTING_NOBODY
	                                     ? NULL
	                                     : &c->spots.at[s->row_parent];
	struct pp_cutting_spot before = parent ? *parent : *s;
	size_t bytes = c->bytes;

	s->hidden = callees_count(c, s->node, &s->below_gained);
	s->has_row = true;
	c->bytes += pp_cutting_bytes(c, s, false);
	rest_renew(c, spot);
	if (parent) {
		pp_value_add(c->metric, &parent->shown, s->total);
		parent->shown_gained += pp_cutting_gained(c, s->node);
		parent->hidden--;
		rest_renew(c, s->row_parent);
	}
	if (c->bytes <= c->room || !parent)
		return true;
	s->has_row = false;
	*parent = before;
	c->bytes = bytes;
	return false;
}

/* Takes the heaviest node. False when there is no room for its row. */
static bool
take(struct pp_cutting *c)
{
	uint32_t spot = heap_pop(c), parent = c->spots.at[spot].row_parent;
	double gained;

	/* What is asked about has a row. */
	if (spot && is_dull(c, &c->spots.at[spot])) {
		c->spots.at[parent].hidden += callees_count(c, c->spots.at[spot].node, &gained) - 1;
		c->last = c->spots.at[spot].node;
		expand(c, spot, true);
		return true;
	}
	if (!row_give(c, spot)) {
		heap_push(c, spot);
		return false;
	}
	c->last = c->spots.at[spot].node;
	if (spot == 0 && c->opens)
		rest_expand(c);
	else if (spot == 0)
		first_expand(c, 0);
	else
		expand(c, spot, false);
	return true;
}

/* ---- what was cut ---- */

static void
next_set(struct pp_cutting *c, uint32_t node, uint32_t resumed)
{
	struct pp_excerpt_next *next = &c->x->next;

	next->key = "node";
	snprintf(next->value, sizeof next->value, "n%u", pp_numbering_handle(c->tree, node));
	next->and_key = "page";
	snprintf(next->and_value, sizeof next->and_value, "%u.%u.%u",
	         pp_numbering_handle(c->tree, c->root), pp_numbering_handle(c->tree, c->ended),
	         resumed == PP_CUTTING_NOBODY ? 0 : pp_numbering_handle(c->tree, resumed));
}

/* The row with the largest rest of those behind another one, PP_CUTTING_NOBODY when there is none; and what all of them hold. */
static uint32_t
rest_next(struct pp_cutting *c, uint32_t after, double *all)
{
	const struct pp_cutting_rest *a = after == PP_CUTTING_NOBODY ? NULL
	                                                             : &c->rests[after - c->root];
	uint32_t best = PP_CUTTING_NOBODY, node;

	for (node = c->root; node < c->tree->end[c->root] && !pp_account_stops_at(node); node++) {
		const struct pp_cutting_rest *r = &c->rests[node - c->root];

		if (!r->nodes ||
		    (a && (r->rest > a->rest || (r->rest == a->rest && node <= after))))
			continue;
		c->x->cut_rows += r->nodes;
		*all += r->weight;
		if (best == PP_CUTTING_NOBODY || r->rest > c->rests[best - c->root].rest)
			best = node;
	}
	return best;
}

/* What the pages that follow show, and which is the next. */
static bool
cut_find(struct pp_cutting *c)
{
	uint32_t after = c->opens ? c->start : PP_CUTTING_NOBODY, next;
	double all = 0;
	size_t i;

	if (!c->opens && !c->heap.n)
		return true;
	if (!c->opens) {
		c->root = c->start;
		c->ended = c->last;
		if (!rests_find(c))
			return false;
	}
	for (i = 0; c->opens && i < c->heap.n; i++) {
		const struct pp_cutting_spot *s = &c->spots.at[c->heap.at[i]];

		c->x->cut_rows += c->tree->end[s->node] - s->node;
		all += s->weight;
	}
	next = rest_next(c, after, &all);
	if (c->opens && c->heap.n)
		next_set(c, c->start, c->last);
	else if (next != PP_CUTTING_NOBODY)
		next_set(c, next, PP_CUTTING_NOBODY);
	c->x->cut_percent = c->whole != 0 ? all / c->whole * 100 : NAN;
	return true;
}

/* ---- asking ---- */

/* What shares are of, as in `top`; and what nodes gained of a metric that falls. False when out of memory. */
static bool
whole_find(struct pp_cutting *c, const struct pp_topic *topic)
{
	const struct pp_profile *p = topic->profile;
	size_t known = pp_metric_gained(p, c->metric_index);
	struct pp_flat flat = { 0 };
	pp_status status = PP_OK;

	c->whole = pp_value_double(c->metric, pp_profile_total(p, c->metric_index));
	if (!pp_metric_falls(c->metric))
		return true;
	if (known < p->metrics.n)
		c->gained = pp_numbering_totals(c->tree, known);
	if (known < p->metrics.n && !c->gained)
		return false;
	status = pp_flat_compute(p, &flat);
	if (status == PP_OK)
		c->whole = pp_value_double(c->metric, pp_flat_whole(&flat, c->metric_index));
	pp_flat_release(&flat);
	return status == PP_OK || status == PP_E_UNSUPPORTED;
}

/*
 * Own costs by node: of a metric whose sums are not exact, and of one that falls and whose totals the file measured, where a
 * row's rest is what it gave back.
 */
static bool
own_make(struct pp_cutting *c)
{
	const struct pp_profile *p = c->tree->profile;
	union pp_value *by_node;
	pp_node node;

	if (c->metric->type != PP_REAL &&
	    !(pp_metric_falls(c->metric) && pp_inclusive_is_stated(p, c->metric_index)))
		return true;
	by_node = pp_own_compute(p, c->metric_index);
	c->own = calloc(c->tree->n + 1, sizeof *c->own);
	for (node = 0; by_node && c->own && node < p->tree.n; node++)
		pp_value_add(c->metric, &c->own[c->tree->of[node]], by_node[node]);
	free(by_node);
	return by_node && c->own;
}

static pp_status
cutting_init(struct pp_cutting *c, struct pp_excerpt *x, const struct pp_topic *topic,
             size_t metric, const char *node)
{
	const struct pp_profile *p = topic->profile;
	uint64_t handle = node ? pp_handle_parse('n', node) : 1;

	c->x = x;
	c->tree = pp_excerpt_numbering(x->answer, topic);
	c->handles = pp_excerpt_has_handles(x, topic) ? pp_excerpt_handles(x, topic) : NULL;
	if (!c->tree)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	c->start = pp_numbering_find(c->tree, handle);
	if (c->tree->n && (!handle || c->start >= c->tree->n))
		return pp_answer_fail(
		    x->answer, PP_E_USAGE, "no-handle",
		    "there is no node %.40s: n1 is the root, `tree` lists the others", node);
	c->metric = &p->metrics.at[metric];
	c->metric_index = metric;
	if (metric != pp_profile_primary(p))
		c->own_totals = pp_numbering_totals(c->tree, metric);
	c->totals = metric == pp_profile_primary(p) ? c->tree->total : c->own_totals;
	if (!c->totals || !own_make(c) || !whole_find(c, topic))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	c->all = fabs(pp_value_double(c->metric, c->totals[0]));
	return PP_OK;
}

/* The next handle of a page, as a node: tree.n or more when there is none such. */
static uint32_t
page_node(const struct pp_cutting *c, struct pp_slice *rest, bool *more, uint64_t *handle)
{
	struct pp_slice field;

	*handle = 0;
	if (!pp_slice_field(rest, '.', more, &field) || !pp_num_u64(field, handle))
		return PP_CUTTING_NOBODY;
	return *handle ? pp_numbering_find(c->tree, *handle) : PP_CUTTING_NOBODY;
}

/* A page that opens a rest, if it is one: "R.L.M". False when it makes no sense. */
static bool
page_read(struct pp_cutting *c, const char *page)
{
	struct pp_slice rest = pp_slice_z(page ? page : "");
	uint64_t root, ended, resumed;
	bool more = true;
	uint32_t end;

	if (!pp_slice_find(rest, '.'))
		return true;
	c->opens = true;
	c->root = page_node(c, &rest, &more, &root);
	c->ended = page_node(c, &rest, &more, &ended);
	c->resumed = page_node(c, &rest, &more, &resumed);
	if (more || c->root >= c->tree->n)
		return false;
	end = c->tree->end[c->root];
	return c->start >= c->root && c->start < end && c->ended >= c->root && c->ended < end &&
	       (resumed == 0 || (c->resumed >= c->root && c->resumed < end));
}

/* Bytes for rows: what says how to go on has four handles in it, which are longer in large trees. */
static size_t
room_of(struct pp_cutting *c)
{
	size_t room = pp_excerpt_room(c->x), more = 0;
	uint32_t n;

	for (n = c->tree->n; n >= 10000; n /= 10)
		more += 4;
	return room > more ? room - more : 0;
}

/* Takes nodes as long as there is room for their rows; false when out of memory. */
static bool
cutting_fill(struct pp_cutting *c)
{
	static const size_t clips[] = { 160, 60, 20, 8 };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(clips); i++) {
		c->clip = clips[i];
		c->spots.n = c->heap.n = c->bytes = 0;
		spot_add(
		    c,
		    (struct pp_cutting_spot){ .node = c->start, .row_parent = PP_CUTTING_NOBODY },
		    INFINITY);
		while (!c->failed && c->heap.n && take(c))
			c->failed |= pp_account_stops();
		/* One must follow the first, else pages would lead nowhere. */
		if (c->failed || !c->heap.n || c->last != c->start)
			break;
	}
	c->x->starved = c->heap.n && c->last == c->start;
	return !c->failed;
}

pp_status
pp_excerpt_tree(struct pp_excerpt *x, const struct pp_topic *topic, size_t metric, const char *node,
                uint64_t depth)
{
	static const char *const columns[] = { "id",    "f",    "depth", "skip", "pct",
		                               "total", "self", "calls", "name" };
	struct pp_cutting *c = pp_answer_own(x->answer, sizeof *c, cutting_release);
	const struct pp_profile *p = topic->profile;
	union pp_value total = { 0 };
	pp_status status = PP_OK;

	if (!c)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->chosen = true;
	x->row = pp_cutting_row;
	x->data = c;
	if (metric < p->metrics.n && p->tree.n) {
		status = cutting_init(c, x, topic, metric, node);
		if (status != PP_OK)
			return status;
		total = pp_profile_total(p, metric);
	}
	pp_excerpt_head(x, topic, metric, total);
	pp_row_key(&x->head, "count");
	pp_row_count(&x->head, c->tree ? c->tree->end[c->start] - c->start : 0);
	if (!c->tree || !c->tree->n)
		return PP_OK;
	c->depth = depth;
	c->page = x->first;
	c->room = room_of(c);
	if (!page_read(c, x->asked->budget.page_given))
		return pp_answer_fail(x->answer, PP_E_USAGE, PP_RULE_USAGE,
		                      "there is no such page: `next` of an answer says which is");
	if ((c->opens && !rests_find(c)) || !cutting_fill(c) || !pp_cutting_rows(c) || !cut_find(c))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	x->rows = c->rows.n;
	return PP_OK;
}
