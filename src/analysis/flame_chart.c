/*
 * The layout of a flame chart: stacks in the order of time, a lane for each series.
 *
 * The timeline is a walk on the tree. Boxes are opened when the walk goes down and get their width when
 * it comes back. A box that turns out too thin is taken back with all that lies on it, which are the
 * last boxes then, and joins the sum beside it: the layout never holds more than can be seen.
 */
#include "analysis/cover.h"
#include "analysis/flame.h"

#include <stdlib.h>

/* A box that has not ended, and the run of thin boxes on it that has not been put down. */
struct level {
	pp_node node;
	uint32_t box;
	int64_t start;
	int64_t thin_start, thin_end; /* of the run; thin_time is what it is wide */
	int64_t thin_time;
	uint64_t thin;
};

/* When a series began and ended. */
struct span {
	size_t series;
	struct pp_cover cover;
	int64_t start, end;
	int64_t last; /* how long the last event runs; INT64_MAX = nothing tells */
};

struct chart {
	struct pp_flame *flame;
	const struct pp_profile *p;
	const struct pp_flame_opts *opts;
	int64_t start, end;
	int64_t min_length;        /* ns */
	uint32_t base;             /* the row of the lowest level */
	PP_VEC(struct level) open; /* the whole or the lane, then the stack that runs */
	PP_VEC(pp_node) path;
	uint32_t *level;           /* of each node; 0 is the root */
	pp_node deep;              /* that runs, if it is too deep to be drawn */
	PP_VEC(struct span) spans; /* of the series that know time */
	bool too_many;             /* boxes */
	bool ok;
};

static const struct pp_metric time_metric = { .type = PP_INT };

static double
share(const struct chart *c, int64_t time)
{
	return (double)time / (double)(c->end - c->start);
}

static void
box_push(struct chart *c, struct pp_box box)
{
	c->too_many |= c->opts->most && c->flame->boxes.n >= c->opts->most;
	c->ok = c->ok && !c->too_many && c->flame->boxes.n < UINT32_MAX &&
	        pp_vec_push(&c->flame->boxes, box);
}

/* Puts the run of thin boxes on a level down as one box. */
static void
run_flush(struct chart *c, size_t level)
{
	struct level *on = &c->open.at[level];
	struct pp_box more = { .depth = c->base + (uint32_t)level + 1,
		               .parent = on->box,
		               .more = on->thin };

	if (on->thin == 0)
		return;
	more.start = share(c, on->thin_start - c->start);
	more.width = share(c, on->thin_time);
	more.value.i = on->thin_time;
	on->thin = 0;
	if (more.width > 0)
		box_push(c, more);
}

/* Adds a box that ended and is too thin to the run on the level below it. */
static void
run_take(struct chart *c, size_t level, int64_t start, int64_t end)
{
	struct level *on = &c->open.at[level];

	if (on->thin && start - on->thin_end > c->min_length)
		run_flush(c, level);
	if (on->thin == 0) {
		on->thin_start = start;
		on->thin_time = 0;
	}
	on->thin++;
	on->thin_time += end - start;
	on->thin_end = end;
}

static void
level_open(struct chart *c, pp_node node, int64_t time)
{
	struct level level = { .node = node, .box = (uint32_t)c->flame->boxes.n, .start = time };
	struct pp_box box = { .func = node ? pp_node_func(c->p, node) : 0,
		              .depth = c->base + (uint32_t)c->open.n,
		              .start = share(c, time - c->start) };

	if (c->open.n)
		box.parent = c->open.at[c->open.n - 1].box;
	box_push(c, box);
	c->ok = c->ok && pp_vec_push(&c->open, level);
}

/* Ends the topmost box. */
static void
level_close(struct chart *c, int64_t time)
{
	struct level *top = &c->open.at[c->open.n - 1];
	int64_t length = time - top->start;
	struct pp_box *box;

	if (c->open.n > 1 && (length < c->min_length || length == 0)) {
		c->flame->boxes.n = top->box;
		c->open.n--;
		run_take(c, c->open.n - 1, time - length, time);
		return;
	}
	run_flush(c, c->open.n - 1);
	box = &c->flame->boxes.at[c->open.at[c->open.n - 1].box];
	box->width = share(c, length);
	box->value.i = length;
	c->open.n--;
	/* What is thin and came before it is put down now, what comes after it starts anew. */
	if (c->open.n)
		run_flush(c, c->open.n - 1);
}

/*
 * Goes to a node at a time; `again` = its deepest frame was entered anew. Only what differs from the stack that runs is
 * looked at: most steps are one level up or down, however deep they are.
 */
static void
chart_step(struct chart *c, pp_node node, int64_t time, bool again)
{
	const struct pp_tree *tree = &c->p->tree;
	const uint32_t *level = c->level;
	pp_node before = c->deep;
	size_t same;

	c->path.n = 0;
	/* What is too deep has no box; one step further, it is the same that can be seen of it. */
	c->deep = level[node] >= c->opts->deepest ? node : 0;
	if (c->deep) {
		c->flame->too_deep++;
		again = false;
		if (before &&
		    (pp_tree_parent(tree, node) == before || pp_tree_parent(tree, before) == node))
			return;
	}
	while (level[node] >= c->opts->deepest)
		node = pp_tree_parent(tree, node);
	for (; c->ok && (level[node] >= c->open.n || c->open.at[level[node]].node != node);
	     node = pp_tree_parent(tree, node))
		c->ok = pp_vec_push(&c->path, node);
	same = level[node];
	if (again && c->path.n == 0 && same > 0 && c->ok) {
		c->ok = pp_vec_push(&c->path, node);
		same--;
	}
	while (c->ok && c->open.n > same + 1)
		level_close(c, time);
	while (c->ok && c->path.n > 0)
		level_open(c, c->path.at[--c->path.n], time);
}

/* How deep each node lies; NULL when out of memory. */
static uint32_t *
levels_compute(const struct pp_profile *p)
{
	uint32_t *level = calloc(p->tree.n, sizeof *level);
	pp_node node;

	for (node = 1; level && node < p->tree.n; node++)
		level[node] = level[pp_tree_parent(&p->tree, node)] + 1;
	return level;
}

/* Appends the time from the first to the last event of a series; false when out of memory. */
static bool
span_add(struct chart *c, size_t series)
{
	const struct pp_timeline *t = &c->p->series.at[series].timeline;
	struct span span = { .series = series };
	struct pp_timeline_iter it;
	bool first = true;

	if (!pp_cover_learn(&span.cover, c->p, t) || !pp_timeline_begin(t, &it, 0))
		return false;
	for (; pp_timeline_next(&it); first = false) {
		int64_t time = pp_time_near(it.event.time);

		if (first)
			span.start = span.end = time;
		if (time < span.end)
			continue;
		span.end = time;
		span.last = t->cumulative ? 0 : pp_cover_last(&span.cover, &it);
	}
	pp_timeline_end(&it);
	if (c->p->time.known && c->p->time.end > c->p->time.start) {
		int64_t from = pp_time_near(c->p->time.start), to = pp_time_near(c->p->time.end);

		span.start = span.start > from ? span.start : from;
		span.end = span.end < to ? span.end : to;
	}
	return pp_vec_push(&c->spans, span);
}

/*
 * The last sample of a series covers as much as any other would, an only one of which nothing tells how much as those of
 * the other series do. Where a file states an end behind all that happened, nothing runs beyond that.
 */
static void
spans_finish(struct chart *c)
{
	int64_t stated = c->p->time.known ? pp_time_near(c->p->time.end) : INT64_MIN;
	int64_t all = INT64_MIN;
	double time = 0, known = 0;
	size_t i;

	for (i = 0; i < c->spans.n; i++) {
		const struct span *span = &c->spans.at[i];

		all = span->end > all ? span->end : all;
		if (span->last > 0 && span->last < INT64_MAX) {
			time += (double)span->last;
			known++;
		}
	}
	for (i = 0; i < c->spans.n; i++) {
		struct span *span = &c->spans.at[i];
		int64_t length = span->last < INT64_MAX ? span->last
		                 : known > 0            ? (int64_t)(time / known)
		                                        : 0;

		span->end += length; /* either is far from what 64 bits hold */
		if (stated > all && span->end > stated)
			span->end = stated;
		if (span->end <= span->start)
			span->end = span->start + 1;
	}
}

/* Finds the spans of all series, and the whole that holds them. */
static bool
chart_spans(struct chart *c)
{
	size_t i;

	for (i = 0; i < c->p->series.n; i++)
		if (c->p->series.at[i].timeline.n && !span_add(c, i))
			return false;
	spans_finish(c);
	for (i = 0; i < c->spans.n; i++) {
		const struct span *span = &c->spans.at[i];

		c->start = i && c->start < span->start ? c->start : span->start;
		c->end = i && c->end > span->end ? c->end : span->end;
	}
	return true;
}

/* Draws a series from `base` upwards. */
static void
chart_walk(struct chart *c, const struct span *span)
{
	const struct pp_timeline *t = &c->p->series.at[span->series].timeline;
	struct pp_timeline_iter it;
	int64_t now = span->start, until = INT64_MAX, length;

	c->ok = c->ok && pp_timeline_begin(t, &it, 0);
	if (!c->ok)
		return;
	c->deep = 0;
	level_open(c, 0, span->start);
	while (c->ok && pp_timeline_next(&it)) {
		const struct pp_event *e = &it.event;

		now = pp_time_near(e->time) > now ? pp_time_near(e->time) : now;
		now = now < span->end ? now : span->end;
		if (until < now)
			chart_step(c, 0, until, false);
		length = t->cumulative ? INT64_MAX : pp_cover_length(&span->cover, &it);
		if (__builtin_add_overflow(now, length, &until))
			until = INT64_MAX;
		chart_step(
		    c, e->kind == PP_EVENT_EXIT ? pp_tree_parent(&c->p->tree, e->node) : e->node,
		    now, e->kind == PP_EVENT_ENTER);
	}
	if (c->ok && until < span->end)
		chart_step(c, 0, until, false);
	while (c->ok && c->open.n)
		level_close(c, span->end);
	pp_timeline_end(&it);
}

/* One series stands on the whole; several stand in lanes, one above the other. */
static void
chart_lanes(struct chart *c)
{
	struct pp_flame *f = c->flame;
	size_t i, lane;

	if (c->spans.n > 1) {
		box_push(c, (struct pp_box){ .width = 1, .value = { .i = c->end - c->start } });
		f->depth = 1;
	}
	for (i = 0; c->ok && i < c->spans.n; i++) {
		lane = f->boxes.n;
		c->base = f->depth;
		chart_walk(c, &c->spans.at[i]);
		if (c->ok && c->spans.n > 1)
			f->boxes.at[lane].lane = (uint32_t)c->spans.at[i].series + 1;
		for (; lane < f->boxes.n; lane++)
			if (f->boxes.at[lane].depth >= f->depth)
				f->depth = f->boxes.at[lane].depth + 1;
	}
}

pp_status
pp_flame_chart_lay_out(struct pp_flame *flame, const struct pp_profile *p,
                       const struct pp_flame_opts *opts)
{
	struct chart c = { .flame = flame, .p = p, .opts = opts };

	*flame =
	    (struct pp_flame){ .profile = p, .metric = &time_metric, .unit = pp_slice_z("ns") };
	c.ok = chart_spans(&c);
	c.min_length = (int64_t)(opts->min_share * (double)(c.end - c.start));
	c.level = c.ok ? levels_compute(p) : NULL;
	c.ok = c.ok && c.level;
	if (c.ok)
		chart_lanes(&c);
	free(c.level);
	flame->duration = c.end - c.start;
	pp_vec_release(&c.open);
	pp_vec_release(&c.path);
	pp_vec_release(&c.spans);
	if (c.ok)
		return flame->boxes.n ? PP_OK : PP_E_UNSUPPORTED;
	pp_flame_release(flame);
	return c.too_many ? PP_E_LIMIT : PP_E_NOMEM;
}
