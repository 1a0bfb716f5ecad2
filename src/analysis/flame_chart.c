/*
 * The layout of a flame chart: stacks in the order of time.
 *
 * The timeline is a walk on the tree. Boxes are opened when the walk goes down and get their width when
 * it comes back. A box that turns out too thin is taken back with all that lies on it, which are the
 * last boxes then, and joins the sum beside it: the layout never holds more than can be seen.
 */
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

struct chart {
	struct pp_flame *flame;
	const struct pp_profile *p;
	const struct pp_flame_opts *opts;
	int64_t start, end;
	int64_t thinnest;          /* ns */
	PP_VEC(struct level) open; /* the whole, then the stack that runs */
	PP_VEC(pp_node) path;
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
	c->ok = c->ok && c->flame->boxes.n < UINT32_MAX && pp_vec_push(&c->flame->boxes, box);
	if (box.depth + 1 > c->flame->depth)
		c->flame->depth = box.depth + 1;
}

/* Puts the run of thin boxes on a level down as one box. */
static void
run_flush(struct chart *c, size_t level)
{
	struct level *on = &c->open.at[level];
	struct pp_box more = { .depth = (uint32_t)level + 1, .parent = on->box, .more = on->thin };

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

	if (on->thin && start - on->thin_end > c->thinnest)
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
		              .depth = (uint32_t)c->open.n,
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

	if (c->open.n > 1 && (length < c->thinnest || length == 0)) {
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

/* Goes to a node at a time; `again` = its deepest frame was entered anew. */
static void
chart_step(struct chart *c, pp_node node, int64_t time, bool again)
{
	size_t depth, same;
	pp_node up;

	c->path.n = 0;
	for (up = node; up && c->ok; up = pp_tree_parent(&c->p->tree, up))
		c->ok = pp_vec_push(&c->path, up);
	depth = c->path.n;
	for (same = 0; c->ok && same < depth && same + 1 < c->open.n &&
	               c->open.at[same + 1].node == c->path.at[depth - 1 - same];
	     same++)
		;
	if (again && same == depth)
		same--;
	while (c->ok && c->open.n > same + 1)
		level_close(c, time);
	for (; c->ok && same < depth && same + 1 < c->opts->deepest; same++)
		level_open(c, c->path.at[depth - 1 - same], time);
	c->flame->too_deep += depth - same;
}

/* The time from the first to the last event; false when out of memory. */
static bool
chart_span(struct chart *c, const struct pp_timeline *t)
{
	struct pp_timeline_iter it;
	bool first = true;

	if (!pp_timeline_begin(t, &it, 0))
		return false;
	for (; pp_timeline_next(&it); first = false) {
		int64_t time = pp_time_near(it.event.time);

		if (first)
			c->start = c->end = time;
		c->end = time > c->end ? time : c->end;
	}
	pp_timeline_end(&it);
	if (c->p->has_time && c->p->time_end > c->p->time_start) {
		int64_t from = pp_time_near(c->p->time_start), to = pp_time_near(c->p->time_end);

		c->start = c->start > from ? c->start : from;
		c->end = c->end < to ? c->end : to;
	}
	/* The last of several samples lasts as long as they do on average. */
	if (!t->cumulative && t->n > 1)
		c->end += (c->end - c->start) / (int64_t)(t->n - 1);
	if (c->end <= c->start)
		c->end = c->start + 1;
	return true;
}

static void
chart_walk(struct chart *c, const struct pp_timeline *t)
{
	struct pp_timeline_iter it;
	int64_t now = c->start;

	c->ok = pp_timeline_begin(t, &it, 0);
	if (!c->ok)
		return;
	level_open(c, 0, c->start);
	while (c->ok && pp_timeline_next(&it)) {
		const struct pp_event *e = &it.event;

		now = pp_time_near(e->time) > now ? pp_time_near(e->time) : now;
		now = now < c->end ? now : c->end;
		chart_step(
		    c, e->kind == PP_EVENT_EXIT ? pp_tree_parent(&c->p->tree, e->node) : e->node,
		    now, e->kind == PP_EVENT_ENTER);
	}
	while (c->ok && c->open.n)
		level_close(c, c->end);
	pp_timeline_end(&it);
}

pp_status
pp_flame_chart(struct pp_flame *flame, const struct pp_profile *p, size_t series,
               const struct pp_flame_opts *opts)
{
	const struct pp_timeline *t = &p->series.at[series].timeline;
	struct chart c = { .flame = flame, .p = p, .opts = opts };

	*flame =
	    (struct pp_flame){ .profile = p, .metric = &time_metric, .unit = pp_slice_z("ns") };
	if (t->n == 0)
		return PP_E_UNSUPPORTED;
	c.ok = chart_span(&c, t);
	c.thinnest = (int64_t)(opts->thinnest * (double)(c.end - c.start));
	if (c.ok)
		chart_walk(&c, t);
	pp_vec_release(&c.open);
	pp_vec_release(&c.path);
	flame->duration = c.end - c.start;
	if (c.ok)
		return PP_OK;
	pp_flame_release(flame);
	return PP_E_NOMEM;
}
