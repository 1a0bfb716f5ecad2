/*
 * The call tree under a budget.
 *
 * Nodes enter heaviest first, so that what is shown hangs together and a larger budget shows more of the same. A dull node,
 * which hardly costs anything itself and passes nearly all on to one callee, has no row: its callees are rows of its caller.
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

#define DULL_SELF 0.01
#define DULL_PASSES 0.95
#define NOBODY UINT32_MAX

/* A node that was looked at. */
struct spot {
	uint32_t node;
	uint32_t row_parent; /* the spot whose row it stands below; NOBODY = it is the first */
	uint32_t level, skip;
	double weight;                     /* that it is chosen by */
	union pp_value self, total, shown; /* shown: of the rows below it */
	uint32_t hidden;                   /* branches below its row that have none */
	bool has_row;
	size_t bytes, rest_bytes; /* of its row, and of the one for the rest */
};

struct cutting {
	struct pp_excerpt *x;
	const struct pp_numbering *tree;
	const struct pp_handles *handles;
	const struct pp_metric *metric;
	size_t metric_index;
	const union pp_value *totals;
	union pp_value *own_totals; /* the same, if they had to be made */
	union pp_value *own; /* by node, where differences of totals do not give it; else NULL */
	double whole;        /* what shares are of */
	double all;          /* what dull is measured by */
	uint64_t depth;
	uint32_t start;
	uint64_t page; /* callees of the first node that are left out */
	size_t clip;   /* bytes that a name may have */
	uint32_t last; /* the node that was taken last */
	/* A page that opens the rest of a row: of which answer, where that ended, and where the page before did. */
	bool opens;
	uint32_t root, ended, resumed;
	struct opened *rests; /* by node: what is left below its row */
	double *order;        /* by node: what it is taken by, no more than its caller's */
	uint32_t *owner;      /* by node: whose row it is below */
	PP_VEC(struct spot) spots;
	PP_VEC(uint32_t) heap;
	PP_VEC(struct shown_row {
		uint32_t spot;
		bool rest;
	})
	rows;
	size_t bytes, room;
	struct pp_buf scratch;
	bool failed;
};

/* What of a row's rest is left when an answer ends. */
struct opened {
	double weight;
	double
	    rest; /* the same with what dull nodes cost themselves, as the row for it says: the largest is opened next */
	uint32_t nodes;
};

static void
cutting_release(void *data)
{
	struct cutting *c = data;

	free(c->rests);
	free(c->order);
	free(c->owner);

	free(c->own_totals);
	free(c->own);
	pp_vec_release(&c->spots);
	pp_vec_release(&c->heap);
	pp_vec_release(&c->rows);
	pp_buf_release(&c->scratch);
}

/* ---- numbering ---- */

static void
numbering_release(void *data)
{
	pp_numbering_release(data);
}

const struct pp_numbering *
pp_excerpt_numbering(struct pp_answer *a, const struct pp_topic *topic)
{
	const struct pp_handles *h = pp_answer_handles(a, topic);
	struct pp_numbering *own;

	if (!h || topic->profile == h->profile)
		return h ? &h->tree : NULL;
	own = pp_answer_own(a, sizeof *own, numbering_release);
	if (!own || !pp_numbering_make(own, topic->profile) ||
	    (h->tree.n && !pp_numbering_adopt(own, &h->tree)))
		return NULL;
	if (!own->label && h->tree.n)
		pp_answer_note(a, "own-nodes", "nodes are numbered in the filtered tree");
	return own;
}

/* ---- rows ---- */

static void
spot_row(const struct cutting *c, const struct spot *s, struct pp_row *r)
{
	const struct pp_numbering *t = c->tree;
	pp_func func = t->func[s->node];

	pp_row_handle(r, 'n', pp_numbering_handle(t, s->node));
	pp_row_handle(r, 'f', pp_handles_rank(c->handles, func));
	pp_row_count(r, s->level);
	pp_row_count(r, s->skip);
	pp_row_pct(r, pp_value_double(c->metric, s->total), c->whole);
	pp_row_value(r, c->metric, s->total);
	pp_row_value(r, c->metric, s->self);
	if (t->calls && func)
		pp_row_count(r, t->calls[s->node]);
	else
		pp_row_null(r);
	if (func)
		pp_row_name(r, t->profile, func);
	else
		pp_row_word(r, "(all)");
}

/* What a row's rows do not show. */
static union pp_value
rest_of(const struct cutting *c, const struct spot *s)
{
	union pp_value rest = s->total;

	pp_value_sub(c->metric, &rest, s->self);
	pp_value_sub(c->metric, &rest, s->shown);
	return rest;
}

static bool
has_rest(const struct cutting *c, const struct spot *s)
{
	union pp_value rest = rest_of(c, s);

	/* Differences of sums of doubles may be off by their last digits. */
	if (c->metric->type == PP_REAL)
		return s->hidden > 0 || fabs(rest.d) > 1e-9 * fabs(s->total.d);
	return s->hidden > 0 || !pp_value_is_zero(c->metric, rest);
}

static void
rest_row(const struct cutting *c, const struct spot *s, struct pp_row *r)
{
	union pp_value rest = rest_of(c, s);
	char text[40];

	snprintf(text, sizeof text, "n%u+", pp_numbering_handle(c->tree, s->node));
	pp_row_word(r, text);
	pp_row_null(r);
	pp_row_count(r, s->level + 1);
	pp_row_count(r, 0);
	pp_row_pct(r, pp_value_double(c->metric, rest), c->whole);
	pp_row_value(r, c->metric, rest);
	pp_row_null(r);
	pp_row_null(r);
	snprintf(text, sizeof text, "%u more", s->hidden ? s->hidden : 1);
	pp_row_word(r, !s->hidden && c->own && pp_metric_falls(c->metric) ? "given back" : text);
}

/* How many bytes a row takes, with the brackets and the comma. */
static size_t
bytes_of(struct cutting *c, const struct spot *s, bool rest)
{
	struct pp_row r = { .out = &c->scratch, .text = c->x->head.text, .clip = c->clip };

	c->scratch.n = 0;
	if (rest && !has_rest(c, s))
		return 0;
	if (rest)
		rest_row(c, s, &r);
	else
		spot_row(c, s, &r);
	return c->scratch.n + 3;
}

static void
excerpt_row(void *data, size_t row, struct pp_row *r)
{
	const struct cutting *c = data;
	const struct spot *s = &c->spots.at[c->rows.at[row].spot];

	r->clip = c->clip;
	if (c->rows.at[row].rest)
		rest_row(c, s, r);
	else
		spot_row(c, s, r);
}

/* ---- choosing ---- */

static bool
is_heavier(const struct cutting *c, uint32_t a, uint32_t b)
{
	const struct spot *x = &c->spots.at[a], *y = &c->spots.at[b];

	return x->weight != y->weight ? x->weight > y->weight : x->node < y->node;
}

static void
heap_push(struct cutting *c, uint32_t spot)
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
heap_pop(struct cutting *c)
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
is_leaf(const struct cutting *c, uint32_t node)
{
	return c->tree->end[node] == node + 1;
}

/* What a node costs itself: what is left of its total, so that rows add up. */
static union pp_value
self_of(const struct cutting *c, uint32_t node)
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
is_dull(const struct cutting *c, const struct spot *s)
{
	uint32_t child;

	if (s->node == (c->opens ? c->root : c->start) ||
	    fabs(pp_value_double(c->metric, s->self)) >= DULL_SELF * c->all)
		return false;
	for (child = s->node + 1; child < c->tree->end[s->node]; child = c->tree->end[child])
		if (s->weight > 0 && !is_leaf(c, child) &&
		    pp_value_double(c->metric, c->totals[child]) >= DULL_PASSES * s->weight)
			return true;
	return false;
}

/* `most` is what its caller was taken by. */
static void
spot_add(struct cutting *c, uint32_t node, uint32_t parent, uint32_t level, uint32_t skip,
         double most)
{
	struct spot s = { .node = node, .row_parent = parent, .level = level, .skip = skip };

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
rest_renew(struct cutting *c, uint32_t spot)
{
	struct spot *s = &c->spots.at[spot];
	size_t bytes = bytes_of(c, s, true);

	c->bytes += bytes - s->rest_bytes;
	s->rest_bytes = bytes;
}

/* ---- what is left of an answer ---- */

/* Whether an answer took a node that ended with another one. */
static bool
is_taken(const struct cutting *c, uint32_t node, uint32_t ended)
{
	double a = c->order[node - c->root], b = c->order[ended - c->root];

	return node == c->root || a > b || (a == b && node <= ended);
}

/* Whose row each node is below, and what is left of each row's rest; false when out of memory. */
static bool
rests_find(struct cutting *c)
{
	uint32_t n = c->tree->end[c->root] - c->root, i;

	c->order = malloc((n + 1) * sizeof *c->order);
	c->owner = malloc((n + 1) * sizeof *c->owner);
	c->rests = calloc(n + 1, sizeof *c->rests);
	if (!c->order || !c->owner || !c->rests)
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
		struct spot s = { .node = node, .weight = c->order[i] };
		struct opened *rest;

		if (is_taken(c, node, c->ended)) {
			s.self = self_of(c, node);
			c->owner[i] = is_dull(c, &s) ? c->owner[up - c->root] : node;
			if (c->owner[i] != node)
				c->rests[c->owner[i] - c->root].rest += fabs(
				    pp_value_double(c->metric, s.self));
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
rest_expand(struct cutting *c)
{
	uint32_t ended = c->resumed == NOBODY ? c->ended : c->resumed, node;

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
		spot_add(c, node, 0, 1, skip, c->order[up - c->root]);
	}
	rest_renew(c, 0);
}

/* The callees of the first node but those that earlier pages showed. */
static void
first_expand(struct cutting *c, uint32_t spot)
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
		spot_add(c, list.at[i].node, spot, 1, 0, INFINITY);
	pp_vec_release(&list);
}

static uint32_t
callees_count(const struct cutting *c, uint32_t node)
{
	uint32_t child, n = 0;

	for (child = node + 1; child < c->tree->end[node]; child = c->tree->end[child])
		n++;
	return n;
}

/* Puts the callees of a spot on the heap, below a row. */
static void
expand(struct cutting *c, uint32_t spot, uint32_t row, uint32_t skip)
{
	uint32_t node = c->spots.at[spot].node, child;
	uint32_t level = c->spots.at[row].level + 1;

	for (child = node + 1; child < c->tree->end[node]; child = c->tree->end[child])
		if (!c->depth || level + skip <= c->depth)
			spot_add(c, child, row, level, skip, c->spots.at[spot].weight);
}

/* Gives a spot its row; false when there is no room. */
static bool
row_give(struct cutting *c, uint32_t spot)
{
	struct spot *s = &c->spots.at[spot];
	struct spot *parent = s->row_parent == NOBODY ? NULL : &c->spots.at[s->row_parent];
	struct spot before = parent ? *parent : *s;
	size_t bytes = c->bytes;

	s->hidden = callees_count(c, s->node);
	s->has_row = true;
	c->bytes += bytes_of(c, s, false);
	rest_renew(c, spot);
	if (parent) {
		pp_value_add(c->metric, &parent->shown, s->total);
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
take(struct cutting *c)
{
	uint32_t spot = heap_pop(c), parent = c->spots.at[spot].row_parent;

	if (is_dull(c, &c->spots.at[spot])) {
		c->spots.at[parent].hidden += callees_count(c, c->spots.at[spot].node) - 1;
		c->last = c->spots.at[spot].node;
		expand(c, spot, parent, c->spots.at[spot].skip + 1);
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
		expand(c, spot, spot, 0);
	return true;
}

/* ---- in the order of the tree ---- */

static int
row_order(const void *left, const void *right, void *context)
{
	const struct cutting *c = context;
	const struct spot *a = &c->spots.at[*(const uint32_t *)left];
	const struct spot *b = &c->spots.at[*(const uint32_t *)right];

	if (a->row_parent != b->row_parent)
		return a->row_parent < b->row_parent ? -1 : 1;
	return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1)
	                              : (a->node > b->node) - (a->node < b->node);
}

/* Where the rows of each spot stand in `sorted`. */
struct range {
	uint32_t first, n;
};

/* Rows in preorder, each with its rest behind the rows below it. */
static bool
rows_make(struct cutting *c)
{
	uint32_t *sorted = calloc(c->spots.n + 1, sizeof *sorted), n = 0, i;
	struct range *range = calloc(c->spots.n + 1, sizeof *range);
	PP_VEC(struct shown_row) stack = { 0 };
	bool fine = sorted && range;

	for (i = 0; fine && i < c->spots.n; i++)
		if (c->spots.at[i].has_row)
			sorted[n++] = i;
	if (fine && n > 1)
		pp_sort(sorted, n, sizeof *sorted, row_order, c);
	for (i = n; fine && i-- > 0;)
		if (c->spots.at[sorted[i]].row_parent != NOBODY) {
			struct range *of = &range[c->spots.at[sorted[i]].row_parent];

			of->first = i;
			of->n++;
		}
	fine = fine && pp_vec_push(&stack, (struct shown_row){ 0, false });
	while (fine && stack.n) {
		struct shown_row top = stack.at[--stack.n];
		const struct range *of = &range[top.spot];

		fine = pp_vec_push(&c->rows, top);
		if (top.rest)
			continue;
		if (fine && has_rest(c, &c->spots.at[top.spot]))
			fine = pp_vec_push(&stack, (struct shown_row){ top.spot, true });
		for (i = of->n; fine && i-- > 0;)
			fine = pp_vec_push(&stack,
			                   (struct shown_row){ sorted[of->first + i], false });
	}
	pp_vec_release(&stack);
	free(sorted);
	free(range);
	return fine;
}

/* ---- what was cut ---- */

static void
next_set(struct cutting *c, uint32_t node, uint32_t resumed)
{
	struct pp_excerpt_next *next = &c->x->next;

	next->key = "node";
	snprintf(next->value, sizeof next->value, "n%u", pp_numbering_handle(c->tree, node));
	next->and_key = "page";
	snprintf(next->and_value, sizeof next->and_value, "%u.%u.%u",
	         pp_numbering_handle(c->tree, c->root), pp_numbering_handle(c->tree, c->ended),
	         resumed == NOBODY ? 0 : pp_numbering_handle(c->tree, resumed));
}

/* The row with the largest rest of those behind another one, NOBODY when there is none; and what all of them hold. */
static uint32_t
rest_next(struct cutting *c, uint32_t after, double *all)
{
	const struct opened *a = after == NOBODY ? NULL : &c->rests[after - c->root];
	uint32_t best = NOBODY, node;

	for (node = c->root; node < c->tree->end[c->root] && !pp_account_stops_at(node); node++) {
		const struct opened *r = &c->rests[node - c->root];

		if (!r->nodes ||
		    (a && (r->rest > a->rest || (r->rest == a->rest && node <= after))))
			continue;
		c->x->cut_rows += r->nodes;
		*all += r->weight;
		if (best == NOBODY || r->rest > c->rests[best - c->root].rest)
			best = node;
	}
	return best;
}

/* What the pages that follow show, and which is the next. */
static bool
cut_find(struct cutting *c)
{
	uint32_t after = c->opens ? c->start : NOBODY, next;
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
		const struct spot *s = &c->spots.at[c->heap.at[i]];

		c->x->cut_rows += c->tree->end[s->node] - s->node;
		all += s->weight;
	}
	next = rest_next(c, after, &all);
	if (c->opens && c->heap.n)
		next_set(c, c->start, c->last);
	else if (next != NOBODY)
		next_set(c, next, NOBODY);
	c->x->cut_percent = c->whole != 0 ? all / c->whole * 100 : NAN;
	return true;
}

/* ---- asking ---- */

/*
 * Own costs by node: of a metric whose sums are not exact, and of one that falls and whose totals the file measured, where a
 * row's rest is what it gave back.
 */
static bool
own_make(struct cutting *c)
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
cutting_init(struct cutting *c, struct pp_excerpt *x, const struct pp_topic *topic, size_t metric,
             const char *node)
{
	const struct pp_profile *p = topic->profile;
	uint64_t handle = node ? pp_handle_parse('n', node) : 1;
	size_t shares = pp_metric_of_shares(p, metric);

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
	if (!c->totals || !own_make(c))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	c->all = fabs(pp_value_double(c->metric, c->totals[0]));
	c->whole = pp_value_double(&p->metrics.at[shares], pp_profile_total(p, shares));
	return PP_OK;
}

/* The next handle of a page, as a node: tree.n or more when there is none such. */
static uint32_t
page_node(const struct cutting *c, struct pp_slice *rest, bool *more, uint64_t *handle)
{
	struct pp_slice field;

	*handle = 0;
	if (!pp_slice_field(rest, '.', more, &field) || !pp_num_u64(field, handle))
		return NOBODY;
	return *handle ? pp_numbering_find(c->tree, *handle) : NOBODY;
}

/* A page that opens a rest, if it is one: "R.L.M". False when it makes no sense. */
static bool
page_read(struct cutting *c, const char *page)
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
room_of(struct cutting *c)
{
	size_t room = pp_excerpt_room(c->x), more = 0;
	uint32_t n;

	for (n = c->tree->n; n >= 10000; n /= 10)
		more += 4;
	return room > more ? room - more : 0;
}

/* Takes nodes as long as there is room for their rows; false when out of memory. */
static bool
cutting_fill(struct cutting *c)
{
	static const size_t clips[] = { 160, 60, 20 };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(clips); i++) {
		c->clip = clips[i];
		c->spots.n = c->heap.n = c->bytes = 0;
		spot_add(c, c->start, NOBODY, 0, 0, INFINITY);
		while (!c->failed && c->heap.n && take(c))
			c->failed |= pp_account_stops();
		/* One must follow the first, else pages would lead nowhere. */
		if (c->failed || !c->heap.n || c->last != c->start)
			break;
	}
	return !c->failed;
}

pp_status
pp_excerpt_tree(struct pp_excerpt *x, const struct pp_topic *topic, size_t metric, const char *node,
                uint64_t depth)
{
	static const char *const columns[] = { "id",    "f",    "depth", "skip", "pct",
		                               "total", "self", "calls", "name" };
	struct cutting *c = pp_answer_own(x->answer, sizeof *c, cutting_release);
	const struct pp_profile *p = topic->profile;
	union pp_value total = { 0 };
	pp_status status = PP_OK;

	if (!c)
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	x->columns = columns;
	x->column_count = PP_COUNT_OF(columns);
	x->chosen = true;
	x->row = excerpt_row;
	x->data = c;
	if (metric < p->metrics.n && p->tree.n) {
		status = cutting_init(c, x, topic, metric, node);
		if (status != PP_OK)
			return status;
		total = c->totals[0];
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
	if ((c->opens && !rests_find(c)) || !cutting_fill(c) || !rows_make(c) || !cut_find(c))
		return pp_answer_fail_status(x->answer, PP_E_NOMEM);
	x->rows = c->rows.n;
	return PP_OK;
}
