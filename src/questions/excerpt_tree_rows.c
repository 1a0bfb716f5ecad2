/*
 * The rows of a call tree under a budget.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "questions/excerpt_cutting.h"

/* ---- rows ---- */

double
pp_cutting_gained(const struct pp_cutting *c, uint32_t node)
{
	union pp_value gained = c->gained ? c->gained[node] : pp_value_zero(c->metric);

	return pp_value_double(c->metric, pp_value_gained(c->metric, c->totals[node], gained));
}

static void
spot_row(const struct pp_cutting *c, const struct pp_cutting_spot *s, struct pp_row *r)
{
	const struct pp_numbering *t = c->tree;
	pp_func func = t->func[s->node];

	pp_row_handle(r, 'n', pp_numbering_handle(t, s->node));
	pp_row_handle(r, 'f', pp_handles_rank(c->handles, func));
	pp_row_count(r, s->level);
	pp_row_count(r, s->skip);
	pp_row_pct(r, pp_cutting_gained(c, s->node), c->whole);
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
rest_of(const struct pp_cutting *c, const struct pp_cutting_spot *s)
{
	union pp_value rest = s->total;

	pp_value_sub(c->metric, &rest, s->self);
	pp_value_sub(c->metric, &rest, s->shown);
	return rest;
}

/* The same of what was gained. */
static double
rest_gained(const struct pp_cutting *c, const struct pp_cutting_spot *s)
{
	if (!c->gained)
		return pp_value_double(
		    c->metric, pp_value_gained(c->metric, rest_of(c, s), pp_value_zero(c->metric)));
	return s->below_gained > s->shown_gained ? s->below_gained - s->shown_gained : 0;
}

static bool
has_rest(const struct pp_cutting *c, const struct pp_cutting_spot *s)
{
	union pp_value rest = rest_of(c, s);

	/* Differences of sums of doubles may be off by their last digits. */
	if (c->metric->type == PP_REAL)
		return s->hidden > 0 || fabs(rest.d) > 1e-9 * fabs(s->total.d);
	return s->hidden > 0 || !pp_value_is_zero(c->metric, rest);
}

static void
rest_row(const struct pp_cutting *c, const struct pp_cutting_spot *s, struct pp_row *r)
{
	union pp_value rest = rest_of(c, s);
	char text[40];

	snprintf(text, sizeof text, "n%u+", pp_numbering_handle(c->tree, s->node));
	pp_row_word(r, text);
	pp_row_null(r);
	pp_row_count(r, s->level + 1);
	pp_row_count(r, 0);
	pp_row_pct(r, rest_gained(c, s), c->whole);
	pp_row_value(r, c->metric, rest);
	pp_row_null(r);
	pp_row_null(r);
	snprintf(text, sizeof text, "%u more", s->hidden ? s->hidden : 1);
	pp_row_word(r, !s->hidden && c->own && pp_metric_falls(c->metric) ? "given back" : text);
}

size_t
pp_cutting_bytes(struct pp_cutting *c, const struct pp_cutting_spot *s, bool rest)
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

void
pp_cutting_row(void *data, size_t row, struct pp_row *r)
{
	const struct pp_cutting *c = data;
	const struct pp_cutting_spot *s = &c->spots.at[c->rows.at[row].spot];

	r->clip = c->clip;
	if (c->rows.at[row].rest)
		rest_row(c, s, r);
	else
		spot_row(c, s, r);
}

/* ---- in the order of the tree ---- */

static int
row_order(const void *left, const void *right, void *context)
{
	const struct pp_cutting *c = context;
	const struct pp_cutting_spot *a = &c->spots.at[*(const uint32_t *)left];
	const struct pp_cutting_spot *b = &c->spots.at[*(const uint32_t *)right];

	if (a->row_parent != b->row_parent)
		return a->row_parent < b->row_parent ? -1 : 1;
	return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1)
	                              : (a->node > b->node) - (a->node < b->node);
}

/* Where the rows of each spot stand in `sorted`. */
struct range {
	uint32_t first, n;
};

bool
pp_cutting_rows(struct pp_cutting *c)
{
	uint32_t *sorted = calloc(c->spots.n + 1, sizeof *sorted), n = 0, i;
	struct range *range = calloc(c->spots.n + 1, sizeof *range);
	PP_VEC(struct pp_cutting_shown) stack = { 0 };
	bool fine = sorted && range;

	for (i = 0; fine && i < c->spots.n; i++)
		if (c->spots.at[i].has_row)
			sorted[n++] = i;
	if (fine && n > 1)
		pp_sort(sorted, n, sizeof *sorted, row_order, c);
	for (i = n; fine && i-- > 0;)
		if (c->spots.at[sorted[i]].row_parent != PP_CUTTING_NOBODY) {
			struct range *of = &range[c->spots.at[sorted[i]].row_parent];

			of->first = i;
			of->n++;
		}
	fine = fine && pp_vec_push(&stack, (struct pp_cutting_shown){ 0, false });
	while (fine && stack.n) {
		struct pp_cutting_shown top = stack.at[--stack.n];
		const struct range *of = &range[top.spot];

		fine = pp_vec_push(&c->rows, top);
		if (top.rest)
			continue;
		if (fine && has_rest(c, &c->spots.at[top.spot]))
			fine = pp_vec_push(&stack, (struct pp_cutting_shown){ top.spot, true });
		for (i = of->n; fine && i-- > 0;)
			fine = pp_vec_push(
			    &stack, (struct pp_cutting_shown){ sorted[of->first + i], false });
	}
	pp_vec_release(&stack);
	free(sorted);
	free(range);
	return fine;
}
