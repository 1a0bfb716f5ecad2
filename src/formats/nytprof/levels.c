/*
 * Whose calls the outermost ones are: the script's, or those of a file that it loads.
 *
 * Perl calls the caller main::RUNTIME for all of them, and a return does not say where the call was made. The 'c'
 * records do: how often the level of which file calls which sub, and what that took. A file's own level runs from
 * its first statement to its last without a break but for files that it loads itself, so of the calls to one sub
 * those are a file's that return first after it was met, as many as it makes, and before those of files that were
 * met earlier. This needs all returns at hand, in the order in which they happened.
 *
 * Where they are not (a long run, several processes in one file, a file that others composed), a sub that several
 * levels call is divided among them: exactly what it spent itself, and what it called in proportion.
 */
#include "formats/nytprof/load.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

pp_node
pp_nyt_outside_node(struct pp_nyt_load *load, size_t file)
{
	const struct pp_nyt_outside_file *f = &load->outside.files.at[file];
	struct pp_frame_row frame = { .func = f->func };
	size_t process = load->files.rows.at[f->file].process;

	return pp_build_child(load->builder, pp_nyt_process_node(load, process),
	                      pp_build_frame(load->builder, &frame));
}

/* ---- who calls what, from outside of all subs -------------------------------------------------- */

/* The calls that one level makes to one sub. */
struct share {
	uint32_t sub;
	uint32_t level; /* 0 = the script, else one of the files, + 1 */
	uint64_t start; /* returns before the file was met */
	uint64_t count;
	double incl, excl;
	uint32_t below; /* while calls are dealt out: the share to go on with after this one, + 1 */
};

/* Those of a sub stand together, the script's first, then in the order in which files were met. */
struct shares {
	PP_VEC(struct share) rows;
	struct span {
		uint32_t first, n;
		uint32_t next; /* to be met; while calls are dealt out */
		uint32_t top;  /* that has calls left, + 1 */
	} * of;                /* by sub; n is 0 where only the script calls it */
};

static void
shares_release(struct shares *s)
{
	pp_vec_release(&s->rows);
	free(s->of);
}

static int
share_cmp(const void *x, const void *y, void *ctx)
{
	const struct share *a = x, *b = y;

	(void)ctx;
	if (a->sub != b->sub)
		return a->sub < b->sub ? -1 : 1;
	if (!a->level != !b->level)
		return a->level ? 1 : -1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->level > b->level) - (a->level < b->level);
}

static bool
shares_list(const struct pp_nyt_load *load, struct shares *s)
{
	const struct pp_nyt_outside *o = &load->outside;
	size_t i;

	for (i = 0; i < load->callers.n; i++) {
		const struct pp_nyt_call_row *c = &load->callers.at[i];
		struct share row = {
			.sub = c->called, .count = c->count, .incl = c->incl, .excl = c->excl
		};

		row.level = pp_nyt_outside_level(load, c);
		if (row.level)
			row.start = load->files.rows.at[o->files.at[row.level - 1].file].met;
		if (pp_nyt_is_outside(load, c->caller) && !pp_vec_push(&s->rows, row))
			return false;
	}
	pp_sort(s->rows.at, s->rows.n, sizeof *s->rows.at, share_cmp, NULL);
	return true;
}

/* Makes one row of those of the same sub and level. */
static bool
shares_collect(const struct pp_nyt_load *load, struct shares *s)
{
	size_t i, n = 0;

	s->of = calloc(load->subs.rows.n + 1, sizeof *s->of);
	if (!s->of || !shares_list(load, s))
		return false;
	for (i = 0; i < s->rows.n; i++) {
		struct share *row = &s->rows.at[i], *last = n ? &s->rows.at[n - 1] : NULL;

		if (last && last->sub == row->sub && last->level == row->level) {
			last->count += row->count;
			last->incl += row->incl;
			last->excl += row->excl;
		} else {
			s->rows.at[n++] = *row;
		}
	}
	s->rows.n = n;
	for (i = 0; i < n; i++) {
		struct span *of = &s->of[s->rows.at[i].sub];

		of->first = of->n ? of->first : (uint32_t)i;
		of->n++;
	}
	/* Subs that the script alone calls stay where they are. */
	for (i = 0; i < n; i++)
		if (s->of[s->rows.at[i].sub].n == 1 && !s->rows.at[i].level)
			s->of[s->rows.at[i].sub].n = 0;
	return true;
}

/* ---- all returns are at hand --------------------------------------------------------------------- */

/* The share that the next outermost call of a sub is part of; NULL when it is nobody's. */
static struct share *
share_next(struct shares *s, uint32_t sub, uint64_t number)
{
	struct span *of = &s->of[sub];

	while (of->next < of->n && s->rows.at[of->first + of->next].start <= number) {
		s->rows.at[of->first + of->next].below = of->top;
		of->top = of->first + of->next++ + 1;
	}
	while (of->top && !s->rows.at[of->top - 1].count)
		of->top = s->rows.at[of->top - 1].below;
	return of->top ? &s->rows.at[of->top - 1] : NULL;
}

/* Gives all returns of the buffer their level; false when that does not come to what the callers say. */
static bool
calls_deal(struct pp_nyt_load *load, struct shares *s)
{
	struct pp_nyt_calls *c = &load->calls;
	bool fits = true;
	size_t i;

	for (i = 0; i < c->buffer.n; i++) {
		const struct pp_nyt_return *r = &c->buffer.at[i];
		struct share *share = r->depth == 1 ? share_next(s, r->sub, i) : NULL;

		c->levels.at[i] = share ? share->level : 0;
		if (share) {
			share->count--;
			share->incl -= r->incl;
			share->excl -= r->excl;
		}
	}
	for (i = 0; i < s->rows.n; i++)
		fits = fits && (!s->of[s->rows.at[i].sub].n ||
		                (!s->rows.at[i].count && fabs(s->rows.at[i].incl) < 1 &&
		                 fabs(s->rows.at[i].excl) < 1));
	return fits;
}

void
pp_nyt_levels_deal(struct pp_nyt_load *load)
{
	struct pp_nyt_calls *c = &load->calls;
	struct shares s = { 0 };
	bool ok;

	c->levels.n = 0;
	if (!load->outside.node || load->processes.n > 1 || c->buffer.n != c->returns ||
	    load->caller_count != c->returns)
		return;
	pp_nyt_outside_find(load, (double)load->clock.now - c->times.own, true);
	if (!load->outside.files.n)
		return;
	ok = pp_vec_reserve(&c->levels, c->buffer.n) && shares_collect(load, &s);
	if (!ok)
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	/* A timeline names the nodes of calls, which therefore have to be told now. */
	load->outside.dealt = ok && (calls_deal(load, &s) || load->want_timeline);
	if (load->outside.dealt)
		c->levels.n = c->buffer.n;
	shares_release(&s);
}

/* ---- dividing what is in the tree ------------------------------------------------------------------ */

/* The tree and its cells as they were, and where they go. */
struct division {
	struct pp_nyt_load *load;
	struct shares shares;
	struct pp_tree tree;
	PP_VEC(struct pp_series) series;
	uint32_t *sub_of;       /* frame -> sub + 1 */
	uint32_t *top;          /* by node: the divided sub that it is or that called it, + 1 */
	size_t *first;          /* by node: where its copies are */
	PP_VEC(pp_node) copies; /* one for each share of `top` */
	double *parts;          /* room for two numbers for each share of a sub */
};

static void
division_release(struct division *d)
{
	size_t i;

	for (i = 0; i < d->series.n; i++)
		pp_series_release(&d->series.at[i]);
	if (d->tree.key)
		pp_tree_release(&d->tree);
	pp_vec_release(&d->series);
	pp_vec_release(&d->copies);
	shares_release(&d->shares);
	free(d->sub_of);
	free(d->top);
	free(d->first);
	free(d->parts);
}

/* Which sub each frame is. */
static bool
frames_index(struct division *d)
{
	const struct pp_nyt_load *load = d->load;
	size_t i;

	d->sub_of = calloc(load->builder->profile->frames.n + 1, sizeof *d->sub_of);
	for (i = 0; d->sub_of && i < load->subs.rows.n; i++)
		d->sub_of[load->subs.rows.at[i].frame] = (uint32_t)i + 1;
	return d->sub_of != NULL;
}

/* Takes the tree and all cells out of the profile, which starts over without them. */
static bool
division_take(struct division *d)
{
	struct pp_profile *p = d->load->builder->profile;
	struct pp_tree fresh;
	size_t i;

	if (!pp_vec_reserve(&d->series, p->series.n) ||
	    !pp_tree_init(&fresh, p->tree.seed, p->tree.max_nodes, p->tree.pages))
		return false;
	d->tree = p->tree;
	p->tree = fresh;
	for (i = 0; i < p->series.n; i++) {
		d->series.at[d->series.n++] = p->series.at[i];
		d->series.at[i].timeline = (struct pp_timeline){ 0 };
		pp_series_forget(&p->series.at[i]);
		p->series.at[i].row_of = (struct pp_map){ .seed = d->series.at[i].row_of.seed };
	}
	d->top = calloc((size_t)d->tree.n + 1, sizeof *d->top);
	d->first = calloc((size_t)d->tree.n + 1, sizeof *d->first);
	d->parts = calloc(d->shares.rows.n + 1, 2 * sizeof *d->parts);
	return d->top && d->first && d->parts;
}

/* Leaves a sub whole, with the level whose calls took longest. */
static void
span_join(struct shares *s, struct span *of)
{
	uint32_t best = of->first, i;

	for (i = of->first; i < of->first + of->n; i++)
		if (s->rows.at[i].incl > s->rows.at[best].incl)
			best = i;
	of->first = best;
	of->n = 1;
}

/* Finds what each divided sub calls, and divides no more than there is room for: copies are counted. */
static bool
tops_find(struct division *d)
{
	struct shares *s = &d->shares;
	uint64_t room = (uint64_t)d->tree.n * 4 + 65536, *size;
	size_t subs = d->load->subs.rows.n, i;
	pp_node node;

	size = calloc(subs + 1, sizeof *size);
	for (node = 1; size && node < d->tree.n; node++) {
		pp_node parent = pp_tree_parent(&d->tree, node);
		uint32_t sub = d->sub_of[pp_tree_frame(&d->tree, node)];

		d->top[node] = parent != d->load->outside.node ? d->top[parent]
		               : sub && s->of[sub - 1].n       ? sub
		                                               : 0;
		if (d->top[node])
			size[d->top[node] - 1]++;
	}
	for (i = 0; size && i < subs; i++)
		if (s->of[i].n > 1 && size[i] * s->of[i].n > room)
			span_join(s, &s->of[i]);
		else if (s->of[i].n > 1)
			room -= size[i] * s->of[i].n;
	free(size);
	return size != NULL;
}

/* Where a node goes, for one share of the divided sub. */
static pp_node
copy_make(struct division *d, pp_node node, uint32_t number)
{
	struct pp_nyt_load *load = d->load;
	pp_node parent = pp_tree_parent(&d->tree, node), to;
	uint32_t level;

	if (d->top[parent] || !d->top[node]) {
		to = d->copies.at[d->first[parent] + number];
	} else {
		level = d->shares.rows.at[d->shares.of[d->top[node] - 1].first + number].level;
		to = level ? pp_nyt_outside_node(load, level - 1) : load->outside.node;
	}
	return pp_build_child(load->builder, to, pp_tree_frame(&d->tree, node));
}

static void
nodes_divide(struct division *d)
{
	struct pp_nyt_load *load = d->load;
	pp_node outside = load->outside.node, node;
	uint32_t number, n;
	size_t i;

	if (!pp_vec_push(&d->copies, 0))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	/* Levels of files stand below them, wherever they come from. */
	for (i = 0; i < load->outside.scripts.n && pp_builder_ok(load->builder); i++)
		if (load->outside.scripts.at[i].node)
			load->outside.scripts.at[i].node = pp_build_child(
			    load->builder, 0,
			    pp_tree_frame(&d->tree, load->outside.scripts.at[i].node));
	for (node = 1; node < d->tree.n && pp_builder_ok(load->builder); node++) {
		d->first[node] = d->copies.n;
		n = d->top[node] ? d->shares.of[d->top[node] - 1].n : 1;
		for (number = 0; number < n && pp_builder_ok(load->builder); number++)
			if (!pp_vec_push(&d->copies, copy_make(d, node, number)))
				pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
		if (node == outside && pp_builder_ok(load->builder))
			load->outside.node = d->copies.at[d->first[node]];
	}
}

/* What a sub's own time, or that of what it called, is divided by. */
static double
share_weight(const struct share *s, bool own)
{
	double weight = own ? s->excl : s->incl - s->excl;

	return weight > 0 ? weight : 0.0;
}

/* Divides ticks by weight; the heaviest share has what rounding leaves. */
static void
ticks_divide(double ticks, const struct share *rows, uint32_t n, bool own, double *parts)
{
	double sum = 0.0, rest = ticks;
	uint32_t heaviest = 0, i;

	for (i = 0; i < n; i++) {
		sum += share_weight(&rows[i], own);
		if (share_weight(&rows[i], own) > share_weight(&rows[heaviest], own))
			heaviest = i;
	}
	for (i = 0; i < n; i++) {
		parts[i] = i != heaviest && sum > 0 ? ticks * (share_weight(&rows[i], own) / sum)
		                                    : 0.0;
		rest -= parts[i];
	}
	parts[heaviest] = rest;
}

/* Divides calls, of the sub and of what it called, by its own: into whole ones. */
static void
calls_divide(int64_t calls, const struct share *rows, uint32_t n, double *parts)
{
	double sum = 0.0, upto = 0.0, given = 0.0;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += (double)rows[i].count;
	for (i = 0; i < n; i++) {
		double to = (double)calls;

		upto += (double)rows[i].count;
		if (i + 1 < n)
			to = sum > 0 ? nearbyint((double)calls * (upto / sum)) : 0.0;
		parts[i] = to - given;
		given = to;
	}
}

/* Divides what a node of a divided sub has among its copies: nothing is lost. */
static void
cells_divide(struct division *d, uint32_t series, pp_node node, const int64_t *cells)
{
	struct pp_builder *b = d->load->builder;
	const struct span *of = &d->shares.of[d->top[node] - 1];
	const struct share *rows = &d->shares.rows.at[of->first];
	bool own = !d->top[pp_tree_parent(&d->tree, node)];
	double *ticks = d->parts, *calls = d->parts + of->n;
	uint32_t i;

	ticks_divide(pp_cell_value(&b->profile->metrics.at[0], cells[0]).d, rows, of->n, own,
	             ticks);
	calls_divide(cells[1], rows, of->n, calls);
	for (i = 0; i < of->n && pp_builder_ok(b); i++) {
		pp_node copy = d->copies.at[d->first[node] + i];
		int64_t *to = ticks[i] != 0 || calls[i] != 0 ? pp_build_cells(b, series, copy)
		                                             : NULL;

		if (to) {
			(void)pp_cell_add(PP_REAL, &to[0], pp_cell_real(ticks[i]));
			to[1] += (int64_t)calls[i];
		}
	}
}

static void
series_divide(struct division *d, uint32_t index)
{
	const struct pp_series *s = &d->series.at[index];
	struct pp_builder *b = d->load->builder;
	uint32_t row;

	for (row = 0; row < s->rows && pp_builder_ok(b); row++) {
		pp_node node = pp_series_node(s, row);
		const int64_t *cells = pp_series_cells(s, row);
		int64_t *to;

		if (!pp_series_present(s, row))
			continue;
		if (d->top[node] && d->shares.of[d->top[node] - 1].n > 1) {
			cells_divide(d, index, node, cells);
			continue;
		}
		to = pp_build_cells(b, index, d->copies.at[d->first[node]]);
		if (to) {
			(void)pp_cell_add(PP_REAL, &to[0], cells[0]);
			to[1] += cells[1];
		}
	}
}

/* Says in a timeline that the level of a file begins or ends to run. */
static bool
level_mark(const struct division *d, struct pp_timeline *t, const struct pp_timeline_iter *it,
           enum pp_event_kind kind, uint32_t level)
{
	struct pp_event mark = { .kind = kind, .time = it->event.time };

	if (!level)
		return true;
	mark.node = pp_nyt_outside_node(d->load, level - 1);
	return pp_timeline_add(t, &mark, it->values);
}

/* Adds an event where it belongs now: shares have calls one after the other, as many as they count. */
static bool
event_divide(struct division *d, struct pp_timeline *t, const struct pp_timeline_iter *it,
             uint32_t *number)
{
	struct pp_event event = it->event;
	uint32_t top = d->top[event.node];
	struct span *of = top ? &d->shares.of[top - 1] : NULL;
	bool outermost = of && !d->top[pp_tree_parent(&d->tree, event.node)], ok = true;
	struct share *rows = of ? &d->shares.rows.at[of->first] : NULL;

	if (outermost && event.kind == PP_EVENT_ENTER) {
		while (of->next + 1 < of->n && !rows[of->next].count)
			of->next++;
		*number = of->next;
		rows[*number].count -= rows[*number].count > 0;
		ok = level_mark(d, t, it, PP_EVENT_SAMPLE, rows[*number].level);
	}
	event.node = d->copies.at[d->first[event.node] + (of ? *number : 0)];
	ok = ok && pp_timeline_add(t, &event, it->values);
	if (outermost && event.kind == PP_EVENT_EXIT)
		ok = ok && level_mark(d, t, it, PP_EVENT_EXIT, rows[*number].level);
	return ok;
}

/* The same for what happened when. What files spend on their own level is moved later. */
static void
timeline_divide(struct division *d, struct pp_timeline *t)
{
	struct pp_timeline divided = { 0 };
	struct pp_timeline_iter it = { 0 };
	uint32_t number = 0;
	bool ok;

	if (!t->n || !pp_builder_ok(d->load->builder))
		return;
	ok = pp_timeline_init(&divided, 1, true) && pp_timeline_begin(t, &it, 0);
	while (ok && pp_timeline_next(&it))
		ok = event_divide(d, &divided, &it, &number);
	pp_timeline_end(&it);
	pp_timeline_release(ok ? t : &divided);
	if (ok)
		*t = divided;
	else
		pp_builder_fail(d->load->builder, PP_E_NOMEM, NULL);
}

/* Whether there is anything to divide. */
static bool
can_divide(const struct pp_nyt_load *load)
{
	const struct pp_profile *p = load->builder->profile;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		if (p->series.at[i].stride != 2)
			return false;
	return load->outside.node && load->outside.files.n && !load->outside.dealt && p->tree.n > 1;
}

void
pp_nyt_levels_divide(struct pp_nyt_load *load)
{
	struct division d = { .load = load };
	uint32_t i;

	if (!can_divide(load))
		return;
	if (!shares_collect(load, &d.shares) || !frames_index(&d) || !division_take(&d) ||
	    !tops_find(&d))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	if (pp_builder_ok(load->builder))
		nodes_divide(&d);
	for (i = 0; i < d.series.n && pp_builder_ok(load->builder); i++)
		series_divide(&d, i);
	for (i = 0; i < d.series.n; i++)
		timeline_divide(&d, &load->builder->profile->series.at[i].timeline);
	division_release(&d);
}
