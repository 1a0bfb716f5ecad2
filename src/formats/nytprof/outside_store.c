/*
 * Time outside of subs, into the profile: the rows of scripts and files, the tree, and the timeline.
 */
#include "formats/nytprof/load.h"

#include <stdlib.h>

/* The time of all statements, in ticks. */
static double
statements_sum(const struct pp_nyt_load *load)
{
	const struct pp_nyt_files *f = &load->files;
	double sum = 0.0;
	size_t i;
	uint32_t line;

	for (i = 1; i < f->rows.n; i++)
		for (line = 0; line < f->rows.at[i].cap; line++)
			sum += (double)f->rows.at[i].cells[line].ticks;
	for (i = 0; i < f->sparse.n; i++)
		sum += (double)f->sparse.at[i].cell.ticks;
	return sum;
}

/* Calls from outside: what the level of a file costs itself and in all. */
static void
level_store(struct pp_nyt_load *load, pp_func caller, pp_func func, double total, double own)
{
	struct pp_edge_row row = { .caller = caller, .callee = func };
	int64_t *cells = pp_build_edge(load->builder, &row);

	if (!cells)
		return;
	(void)pp_cell_add(PP_REAL, &cells[1], pp_cell_real(total));
	(void)pp_cell_add(PP_REAL, &cells[2], pp_cell_real(own));
}

static double
cell_ticks(const struct pp_profile *p, int64_t cell)
{
	return pp_cell_value(&p->metrics.at[0], cell).d;
}

/* The cell of main::RUNTIME in the series that spent most there; NULL when there is none. */
static int64_t *
largest_cell(struct pp_nyt_load *load, pp_node node, uint32_t *series)
{
	struct pp_profile *p = load->builder->profile;
	int64_t *best = NULL, *cells;
	uint32_t i;

	for (i = 0; i < p->series.n; i++) {
		cells = pp_build_cells(load->builder, i, node);
		if (cells && (!best || cell_ticks(p, cells[0]) > cell_ticks(p, *best))) {
			best = cells;
			*series = i;
		}
	}
	return best;
}

/* Moves the first intervals of a node to a node below it, up to a number of ticks. */
static bool
stretches_move(struct pp_timeline *t, struct pp_timeline *moved, const struct pp_tree *tree,
               pp_node from, pp_node to, double ticks)
{
	struct pp_timeline_iter it = { 0 };
	double before = 0.0, now = 0.0;
	int64_t since = 0, value;
	pp_node running = 0;
	bool ok = pp_timeline_begin(t, &it, 0);

	while (ok && pp_timeline_next(&it)) {
		memcpy(&now, it.values, sizeof now);
		if (running == from && ticks > 0 && now > before) {
			double part = ticks < now - before ? ticks : now - before;
			struct pp_event mark = { .kind = PP_EVENT_SAMPLE,
				                 .node = to,
				                 .time = since };

			value = pp_cell_real(before);
			ok = pp_timeline_add(moved, &mark, &value);
			mark.kind = PP_EVENT_EXIT;
			mark.time += (int64_t)((double)(it.event.time - since) *
			                       (part / (now - before)));
			value = pp_cell_real(before + part);
			ok = ok && (part == now - before || pp_timeline_add(moved, &mark, &value));
			ticks -= part;
		}
		ok = ok && pp_timeline_add(moved, &it.event, it.values);
		running = it.event.kind == PP_EVENT_EXIT ? pp_tree_parent(tree, it.event.node)
		                                         : it.event.node;
		since = it.event.time;
		before = now;
	}
	pp_timeline_end(&it);
	return ok;
}

/* The same for a timeline: who ran when is not known, but parts of the time add up to what the tree has. */
static void
timeline_move(struct pp_nyt_load *load, struct pp_timeline *t, pp_node from, pp_node to,
              double ticks)
{
	struct pp_timeline moved = { 0 };
	bool ok;

	if (!t->n || !pp_builder_ok(load->builder))
		return;
	ok = pp_timeline_init(&moved, 1, true) &&
	     stretches_move(t, &moved, &load->builder->profile->tree, from, to, ticks);
	pp_timeline_release(ok ? t : &moved);
	if (ok)
		*t = moved;
	else
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
}

/* Takes ticks from a main::RUNTIME, where most are, to a node below it; 0 = away. Returns what it did not have. */
static double
tree_move(struct pp_nyt_load *load, double ticks, pp_node from, pp_node to)
{
	struct pp_profile *p = load->builder->profile;
	size_t tries = p->series.n;

	while (ticks > 0 && tries--) {
		uint32_t series = 0;
		int64_t *cell = largest_cell(load, from, &series);
		double there = cell ? cell_ticks(p, *cell) : 0.0;
		double part = ticks < there ? ticks : there;

		if (part <= 0)
			break;
		*cell = pp_cell_real(there - part);
		ticks -= part;
		cell = to ? pp_build_cells(load->builder, series, to) : NULL;
		if (cell)
			(void)pp_cell_add(PP_REAL, cell, pp_cell_real(part));
		if (cell && !load->outside.dealt)
			timeline_move(load, &p->series.at[series].timeline, from, to, part);
	}
	return ticks;
}

/* The own cost of one main::RUNTIME in all processes. */
static double
node_ticks(struct pp_nyt_load *load, pp_node node)
{
	struct pp_profile *p = load->builder->profile;
	double sum = 0.0;
	uint32_t i;

	for (i = 0; i < p->series.n && pp_builder_ok(load->builder); i++) {
		int64_t *cells = pp_build_cells(load->builder, i, node);

		sum += cells ? cell_ticks(p, cells[0]) : 0.0;
	}
	return sum;
}

/* Adds processes without calls to the tree. Returns what it has outside of subs. */
static double
quiet_store(struct pp_nyt_load *load)
{
	struct pp_nyt_outside *o = &load->outside;
	size_t scripts = pp_nyt_has_scripts(load) ? o->scripts.n : 1, i;
	double sum = 0.0;

	for (i = 0; i < o->quiet.n; i++)
		pp_nyt_calls_add(load, o->quiet.at[i].process,
		                 pp_nyt_process_node(load, o->quiet.at[i].process),
		                 (double)o->quiet.at[i].ticks);
	for (i = 0; i < scripts; i++)
		sum += node_ticks(load, pp_nyt_script_node(load, i));
	return sum;
}

/* Gives the nodes of files what their levels spent, out of that of the script, which may have less. */
static void
levels_move(struct pp_nyt_load *load)
{
	struct pp_nyt_outside *o = &load->outside;
	double missing;
	size_t i;

	for (i = 0; i < o->files.n && pp_builder_ok(load->builder); i++) {
		pp_node node = pp_nyt_outside_node(load, i);

		missing = tree_move(load, o->files.at[i].ticks,
		                    pp_tree_parent(&load->builder->profile->tree, node), node);
		if (load->processes.n > 1)
			o->files.at[i].ticks -= missing;
	}
}

/* Each script has what its processes spent outside of subs, and all that they called; the first has the rest. */
static void
scripts_store(struct pp_nyt_load *load, double *total, double *own)
{
	struct pp_nyt_outside *o = &load->outside;
	double *totals = calloc(o->scripts.n, sizeof *totals), part;
	size_t i;

	if (!totals || !pp_nyt_script_totals(load, totals))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	for (i = 1; i < o->scripts.n && pp_builder_ok(load->builder); i++) {
		if (!o->scripts.at[i].node)
			continue;
		part = node_ticks(load, o->scripts.at[i].node);
		level_store(load, 0, o->scripts.at[i].func, totals[i], part);
		*total -= totals[i];
		*own -= part;
	}
	free(totals);
}

/* Cost of calls from outside of subs or without a caller: never more than is unattributed. */
static double
called_sum(const struct pp_nyt_load *load, double most)
{
	double sum = 0.0;
	size_t i;

	for (i = 0; i < load->callers.n; i++)
		if (load->callers.at[i].caller == PP_NYT_NO_SUB ||
		    pp_nyt_is_outside(load, load->callers.at[i].caller))
			sum += load->callers.at[i].incl;
	return sum < most ? sum : most;
}

void
pp_nyt_outside_settle(struct pp_nyt_load *load, bool calls_known)
{
	double most = statements_sum(load);
	size_t i;

	for (i = 0; i < load->callers.n; i++)
		most -= load->callers.at[i].excl;
	pp_nyt_outside_find(load, most, calls_known);
	if (calls_known && pp_builder_ok(load->builder))
		pp_nyt_levels_divide(load);
}

pp_func
pp_nyt_outside_func(const struct pp_nyt_load *load, const struct pp_nyt_call_row *c)
{
	uint32_t level = pp_nyt_outside_level(load, c);

	if (c->caller == PP_NYT_NO_SUB)
		return 0;
	if (level)
		return load->outside.files.at[level - 1].func;
	return pp_nyt_is_outside(load, c->caller) ? pp_nyt_script_func(load, c->file)
	                                          : load->subs.rows.at[c->caller].func;
}

/* The main::RUNTIME under which a file first ran. */
static pp_func
file_script(struct pp_nyt_load *load, uint32_t file)
{
	struct pp_nyt_outside *o = &load->outside;

	return pp_nyt_has_scripts(load)
	           ? o->scripts.at[pp_nyt_process_script(load, load->files.rows.at[file].process)]
	                 .func
	           : load->subs.rows.at[o->sub - 1].func;
}

/* The inclusive costs of the levels of files. */
static void
files_store(struct pp_nyt_load *load)
{
	const struct pp_nyt_outside *o = &load->outside;
	double *called = calloc(o->files.n + 1, sizeof *called);
	size_t i;

	if (!called)
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	for (i = 0; called && i < load->callers.n; i++)
		called[pp_nyt_outside_level(load, &load->callers.at[i])] +=
		    load->callers.at[i].incl;
	for (i = 0; called && i < o->files.n && pp_builder_ok(load->builder); i++)
		level_store(load, file_script(load, o->files.at[i].file), o->files.at[i].func,
		            o->files.at[i].ticks + called[i + 1], o->files.at[i].ticks);
	free(called);
}

void
pp_nyt_outside_store(struct pp_nyt_load *load)
{
	struct pp_nyt_outside *o = &load->outside;
	struct pp_profile *p = load->builder->profile;
	double whole = statements_sum(load), subs = 0.0, outside, own, total, tree;
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++)
		subs += cell_ticks(p, pp_edge_cell(p, i, 2));
	outside = whole > subs ? whole - subs : 0.0;
	tree = o->node ? quiet_store(load) : 0.0;
	/* A process may have subs that spent more than its statements. No other makes up for that. */
	if (o->node && load->processes.n > 1)
		outside = tree;
	else if (o->node)
		(void)tree_move(load, tree - outside, o->node, 0);
	if (o->node)
		levels_move(load);
	files_store(load);
	for (own = outside, i = 0; i < o->files.n; i++)
		own -= o->files.at[i].ticks;
	total = o->node ? subs + outside : outside + called_sum(load, subs);
	if (pp_nyt_has_scripts(load) && pp_builder_ok(load->builder))
		scripts_store(load, &total, &own);
	level_store(load, 0, load->subs.rows.at[o->sub - 1].func, total, own > 0 ? own : 0.0);
}
