/*
 * Calls and returns of a series as they happened.
 */
#include "formats/kit/replay.h"

struct clock {
	union pp_value at;
	int64_t cell, time;
	bool begun;
};

bool
pp_replay_can(const struct pp_profile *p, const struct pp_series *s, size_t metric)
{
	return s->timeline.n && s->timeline.cumulative && !s->measured &&
	       metric < s->timeline.columns && !pp_metric_falls(&p->metrics.at[metric]);
}

/* Time goes on: by the counter where anything is open, by the clock where nothing is. */
static void
clock_on(const struct pp_metric *m, struct clock *c, const struct pp_timeline_iter *it,
         size_t metric, bool open)
{
	struct pp_metric ns = { .type = PP_INT, .unit = m->unit };
	int64_t cell = it->values[metric];
	union pp_value idle = { .i = c->begun ? (pp_i128)it->event.time - c->time
		                              : it->event.time };
	struct pp_metric_join join;

	if (c->begun)
		pp_value_add(m, &c->at, pp_cell_value(m, pp_cell_gain(m->type, c->cell, cell)));
	/* Cells may be coarser than ns; times of the file then are, too. */
	if ((!c->begun || !open) && idle.i > 0 && m->type == PP_INT &&
	    pp_metric_join(m, &ns, &join))
		c->at.i += idle.i * join.mul_b / join.mul_a;
	c->cell = cell;
	c->time = it->event.time;
	c->begun = true;
}

/* From one node to another: what is left is closed from within, what is entered is opened from without. */
static bool
step_to(struct pp_replay *x, pp_node *from, pp_node to, union pp_value at, bool called)
{
	const struct pp_tree *t = &x->profile->tree;
	PP_VEC(pp_node) way = { 0 };
	pp_node a = *from, b = to;
	bool fine = true;

	while (a != b && fine)
		if (a > b) {
			x->step(x->ctx, a, at, false);
			a = pp_tree_parent(t, a);
		} else {
			fine = pp_vec_push(&way, b);
			b = pp_tree_parent(t, b);
		}
	x->resumed |= way.n > called;
	while (way.n && fine)
		x->step(x->ctx, way.at[--way.n], at, true);
	pp_vec_release(&way);
	*from = to;
	return fine;
}

bool
pp_replay_run(struct pp_replay *x)
{
	const struct pp_metric *m = &x->profile->metrics.at[x->metric];
	struct clock c = { .at = pp_value_zero(m) };
	struct pp_timeline_iter it;
	pp_node node = 0, to;
	bool fine = true;

	x->first = x->last = c.at;
	if (!pp_timeline_begin(&x->series->timeline, &it, 0))
		return false;
	while (fine && pp_timeline_next(&it)) {
		bool begins = !c.begun;

		to = it.event.kind == PP_EVENT_EXIT
		         ? pp_tree_parent(&x->profile->tree, it.event.node)
		         : it.event.node;
		clock_on(m, &c, &it, x->metric, node != 0);
		if (begins)
			x->first = c.at;
		if (x->step)
			fine = step_to(x, &node, to, c.at, it.event.kind == PP_EVENT_ENTER);
		node = to;
	}
	if (x->step && fine)
		fine = step_to(x, &node, 0, c.at, false);
	x->last = c.at;
	pp_timeline_end(&it);
	return fine;
}

/* ---- samples ---- */

bool
pp_samples_add_up(const struct pp_profile *p, const struct pp_series *s, size_t metric, bool *fine)
{
	const struct pp_metric *m = &p->metrics.at[metric];
	union pp_value all = pp_value_zero(m), in_time = pp_value_zero(m);
	struct pp_timeline_iter it;
	uint32_t row;

	if (!s->timeline.n || s->timeline.cumulative || metric >= s->timeline.columns)
		return false;
	if (!pp_timeline_begin(&s->timeline, &it, 0)) {
		*fine = false;
		return false;
	}
	while (pp_timeline_next(&it))
		pp_value_add(m, &in_time, pp_cell_value(m, it.values[metric]));
	pp_timeline_end(&it);
	for (row = 0; row < s->rows; row++)
		if (pp_series_present(s, row))
			pp_value_add(m, &all, pp_cell_value(m, pp_series_cell(s, row, metric)));
	return pp_value_cmp(m, all, in_time) == 0;
}
