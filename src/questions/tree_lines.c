/*
 * The lines of a call tree as people see it.
 */
#include "questions/tree_lines.h"

#include <math.h>

#include "text/escape.h"
#include "text/shorten.h"
#include "text/units.h"

/* Names of a chain that are shown; those in its middle are counted. */
#define CHAIN_SHOWN 4

/* A spot whose children are being listed. */
struct open_spot {
	uint32_t at;
	uint32_t next; /* child to look at */
	uint32_t left; /* shown children still to come */
};

/* Adds a line and the branches it stands for; false when out of memory. */
static bool
line_add(struct pp_tree_lines *t, struct pp_tree_line line)
{
	const struct pp_hot_spot *s = &t->hot.spots.at[line.end];
	uint32_t i;

	line.first = t->branches.n;
	/* A rest of one is that one. */
	if (line.length == 0 && s->count - s->shown_count == 1) {
		for (i = s->first; t->hot.spots.at[i].shown;)
			i++;
		line.spot = line.end = i;
		line.length = 1;
		s = &t->hot.spots.at[i];
	}
	if (line.length > 0 && !pp_vec_push(&t->branches, s->branch))
		return false;
	for (i = s->first; line.length == 0 && i < s->first + s->count; i++)
		if (!t->hot.spots.at[i].shown &&
		    !pp_vec_push(&t->branches, t->hot.spots.at[i].branch))
			return false;
	line.n = t->branches.n - line.first;
	return pp_vec_push(&t->lines, line);
}

/*
 * Whether those under a caller that are not shown are worth a line of their own: together they cost enough, and
 * they are not just all that it calls, in crumbs.
 */
static bool
has_rest(const struct pp_hot *h, uint32_t spot)
{
	const struct pp_hot_spot *s = &h->spots.at[spot];
	bool worth = s->shown_count > 0;
	double rest = pp_hot_rest(h, spot);
	uint32_t i;

	for (i = s->first; !worth && i < s->first + s->count; i++)
		worth = fabs(h->spots.at[i].total) >= h->min;
	return worth && rest > 0 && rest >= h->min;
}

bool
pp_tree_lines_make(struct pp_tree_lines *t)
{
	const struct pp_hot *h = &t->hot;
	PP_VEC(struct open_spot) stack = { 0 };
	struct open_spot root = { .at = 0 };
	bool fine = pp_hot_pick(&t->hot);

	if (fine) {
		root.left = h->spots.at[0].shown_count;
		fine = line_add(t, (struct pp_tree_line){ .length = 1, .place.last = true }) &&
		       pp_vec_push(&stack, root);
	}
	while (fine && stack.n > 0) {
		struct open_spot *top = &stack.at[stack.n - 1], inner = { 0 };
		const struct pp_hot_spot *s = &h->spots.at[top->at];
		struct pp_tree_line line = { .spot = top->at,
			                     .end = top->at,
			                     .place = { (uint32_t)stack.n, true } };

		if (top->left == 0) {
			if (has_rest(h, top->at))
				fine = line_add(t, line);
			stack.n--;
			continue;
		}
		line.spot = s->first + top->next++;
		if (!h->spots.at[line.spot].shown)
			continue;
		line.end = pp_hot_line_end(h, line.spot, &line.length);
		line.place.last = --top->left == 0 && !has_rest(h, top->at);
		inner.at = line.end;
		inner.left = h->spots.at[line.end].shown_count;
		fine = line_add(t, line) && pp_vec_push(&stack, inner);
	}
	pp_vec_release(&stack);
	return fine;
}

void
pp_tree_lines_release(struct pp_tree_lines *t)
{
	pp_vec_release(&t->lines);
	pp_vec_release(&t->branches);
	pp_hot_release(&t->hot);
}

/* ---- what a line costs ---- */

static double
branches_sum(const struct pp_tree_lines *t, size_t row, size_t metric,
             union pp_value (*cost)(const struct pp_calltree *, const struct pp_branch *, size_t))
{
	const struct pp_metric *m = &t->hot.tree->profile->metrics.at[metric];
	const struct pp_branch *b;
	double sum = 0;
	size_t n, i;

	b = pp_tree_line_branches(t, row, &n);
	for (i = 0; i < n; i++)
		sum += pp_value_double(m, cost(t->hot.tree, &b[i], metric));
	return sum;
}

double
pp_tree_line_total(const struct pp_tree_lines *t, size_t row, size_t metric)
{
	return branches_sum(t, row, metric, pp_calltree_total);
}

double
pp_tree_line_self(const struct pp_tree_lines *t, size_t row, size_t metric)
{
	return branches_sum(t, row, metric, pp_calltree_self);
}

/* ---- for the table ---- */

struct pp_branch_place
pp_tree_line_place(const void *lines, size_t row)
{
	return ((const struct pp_tree_lines *)lines)->lines.at[row].place;
}

static void
name_add(const struct pp_tree_lines *t, uint32_t spot, struct pp_buf *out)
{
	const struct pp_branch *b = &t->hot.spots.at[spot].branch;
	const struct pp_profile *p = t->hot.tree->profile;

	if (spot == 0)
		pp_buf_adds(out, "(all)");
	else
		pp_func_text(out, p, b->func);
	if (b->n > b->outer)
		pp_buf_adds(out, " (recursive)");
	if (b->func < p->derived.cycles.n && p->derived.cycles.at[b->func])
		pp_buf_addf(out, " (cycle %u)", p->derived.cycles.at[b->func]);
}

/* " (shop.php:12)": where the function of a spot is, unless its name says it. */
static void
place_add(const struct pp_tree_lines *t, uint32_t spot, struct pp_buf *out)
{
	const struct pp_profile *p = t->hot.tree->profile;
	const struct pp_func_row *f = &p->funcs.at[t->hot.spots.at[spot].branch.func];
	struct pp_slice name = pp_text_of(p, f->name), place = pp_text_of(p, f->file);
	size_t i;

	if (!place.n)
		place = pp_text_of(p, p->modules.at[f->module].name);
	for (i = place.n; i > 0 && place.p[i - 1] != '/'; i--)
		;
	place = pp_slice_of(place.p + i, place.n - i);
	if (!t->places || spot == 0 || !place.n || f->flags & PP_FUNC_INTERNAL ||
	    memmem(name.p, name.n, place.p, place.n))
		return;
	pp_buf_adds(out, " (");
	pp_escape_terminal(out, place);
	if (f->file && f->line)
		pp_buf_addf(out, ":%u", f->line);
	pp_buf_adds(out, ")");
}

/* The middle of a chain. */
static void
more_add(struct pp_buf *out, uint32_t n)
{
	pp_buf_adds(out, PP_CHAIN_ARROW "… ");
	pp_units_u64(out, n);
	pp_buf_adds(out, " more …");
}

/* "a > b > 7 more > z" for a chain, "(7 more)" for a rest. */
void
pp_tree_line_label(const void *lines, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_tree_lines *t = lines;
	const struct pp_tree_line *line = &t->lines.at[row];
	uint32_t i, at = line->spot;
	uint32_t from = CHAIN_SHOWN / 2,
	         to = line->length > CHAIN_SHOWN + 1 ? line->length - CHAIN_SHOWN / 2 : from;

	if (line->length == 0) {
		pp_buf_adds(d->made, "(");
		pp_units_u64(d->made, line->n);
		pp_buf_adds(d->made, " more)");
		d->ink = PP_INK_FAINT;
	}
	for (i = 0; i < line->length; i++, at = pp_hot_chained(&t->hot, at)) {
		if (i >= from && i < to) {
			if (i == from)
				more_add(d->made, to - from);
			continue;
		}
		pp_buf_adds(d->made, i ? PP_CHAIN_ARROW : "");
		name_add(t, at, d->made);
		if (i + 1 == line->length)
			place_add(t, at, d->made);
	}
	pp_datum_made(d);
}

/* ---- the tree as it is: a walk, depth first ---- */

static void
walk_release(void *data)
{
	struct pp_branch_walk *w = data;

	while (w->levels.n > 0)
		pp_branches_release(&w->levels.at[--w->levels.n].branches);
	pp_vec_release(&w->levels);
	if (!w->few)
		pp_branch_release(&w->at);
	pp_hot_release(&w->hot);
	pp_vec_release(&w->path);
	if (w->tree.profile)
		pp_calltree_release(&w->tree);
}

/* Whether a branch is left out, as --min says. */
static bool
is_small(const struct pp_branch_walk *w, const struct pp_branch *b)
{
	if (!(w->min > 0))
		return false;
	return fabs(pp_value_double(&w->tree.profile->metrics.at[w->metric],
	                            pp_calltree_total(&w->tree, b, w->metric))) < w->min;
}

/* The next of the spots that were picked, in the order of the tree; as walk_next(). */
static int
picked_next(struct pp_branch_walk *w)
{
	const struct pp_hot *h = &w->hot;
	uint32_t next = 0;

	if (!w->begun) {
		w->begun = true;
		w->hot.tree = &w->tree;
		if (!pp_hot_pick(&w->hot) || !pp_vec_push(&w->path, 0u))
			return -1;
		w->at = h->spots.at[0].branch;
		return 1;
	}
	/* Those that are shown stand first below a caller, but for ties. */
	while (w->path.n > 0) {
		const struct pp_hot_spot *s = &h->spots.at[w->path.at[w->path.n - 1]];
		uint32_t i = next > s->first ? next : s->first;

		while (i < s->first + s->count && !h->spots.at[i].shown)
			i++;
		if (i < s->first + s->count) {
			w->at = h->spots.at[i].branch;
			return pp_vec_push(&w->path, i) ? 1 : -1;
		}
		next = w->path.at[--w->path.n] + 1;
	}
	return 0;
}

static int
walk_next(void *data)
{
	struct pp_branch_walk *w = data;
	struct pp_branch_level below = { .next = 0 };

	if (w->few)
		return picked_next(w);
	if (!w->begun) {
		w->begun = true;
		return pp_calltree_root(&w->tree, &w->at) ? 1 : -1;
	}
	if (w->depth == 0 || w->levels.n < w->depth) {
		if (!pp_calltree_expand(&w->tree, &w->at, w->metric, &below.branches))
			return -1;
		if (!pp_vec_push(&w->levels, below)) {
			pp_branches_release(&below.branches);
			return -1;
		}
	}
	pp_branch_release(&w->at);
	while (w->levels.n > 0) {
		struct pp_branch_level *top = &w->levels.at[w->levels.n - 1];

		if (top->next < top->branches.n) {
			struct pp_branch *b = &top->branches.at[top->next++];

			if (is_small(w, b))
				continue;
			w->at = *b;
			*b = (struct pp_branch){ 0 };
			return 1;
		}
		pp_branches_release(&top->branches);
		w->levels.n--;
	}
	return 0;
}

static struct pp_branch_place
walk_place(const void *data, size_t row)
{
	const struct pp_branch_walk *w = data;
	size_t level = w->few ? w->path.n - 1 : w->levels.n;

	return (struct pp_branch_place){ (uint32_t)level, false };
}

static pp_func
walk_func(const void *data, size_t row, const struct pp_profile **p)
{
	const struct pp_branch_walk *w = data;

	*p = w->tree.profile;
	return w->at.func;
}

void
pp_branch_walk_self(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;

	pp_datum_value(d, w->tree.profile, metric, pp_calltree_self(&w->tree, &w->at, metric));
}

void
pp_branch_walk_total(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;

	pp_datum_value(d, w->tree.profile, metric, pp_calltree_total(&w->tree, &w->at, metric));
}

void
pp_branch_walk_more(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;
	const struct pp_hot_spot *s;

	if (!w->few)
		return;
	s = &w->hot.spots.at[w->path.at[w->path.n - 1]];
	if (s->count > s->shown_count)
		pp_datum_count(d, s->count - s->shown_count);
}

struct pp_branch_walk *
pp_branch_walk_new(struct pp_answer *a, const struct pp_profile *p)
{
	struct pp_branch_walk *w = pp_answer_own(a, sizeof *w, walk_release);

	return w && pp_calltree_init(&w->tree, p, false) ? w : NULL;
}

void
pp_branch_walk_table(struct pp_answer *a, const struct pp_branch_walk *w,
                     const struct pp_answer_column *costs, size_t n)
{
	static const struct pp_answer_column names[] = { PP_FUNC_COLUMNS, PP_MODULE_COLUMN(0) };
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof names + n * sizeof *costs);

	if (!columns)
		return;
	memcpy(columns, names, sizeof names);
	memcpy(columns + PP_COUNT_OF(names), costs, n * sizeof *costs);
	pp_answer_table(a, &(struct pp_answer_table){ .key = "root",
	                                              .columns = columns,
	                                              .column_count = PP_COUNT_OF(names) + n,
	                                              .data = w,
	                                              .func = walk_func,
	                                              .next = walk_next,
	                                              .place = walk_place,
	                                              .nested = "children",
	                                              .flags = PP_TABLE_OBJECT | PP_TABLE_NESTED |
	                                                       PP_TABLE_NO_CSV });
}
