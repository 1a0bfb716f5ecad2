/*
 * Runs of several scripts in one profile, as merging makes them.
 *
 * All code outside of subs is called main::RUNTIME, and a file of NYTProf states no time for it: that is what the statements
 * of a process took and its subs did not. So scripts stay apart only as processes. Each has the stacks below its root, and
 * statements of as many ticks: those of its own file and of string evals in it first, then others, which no file says
 * who ran. A line may be divided; its count stays with the first part.
 */
#include "formats/nytprof/write.h"

#include <math.h>

/* The run whose script a file is, or whose script loaded it outside of subs; runs.n when none is known. */
static uint32_t
owner_find(const struct pp_nyt_writing *w, uint32_t fid)
{
	/* A string eval comes after the file that it is in. */
	while (w->evals.at[fid - 1].fid && w->evals.at[fid - 1].fid < fid)
		fid = w->evals.at[fid - 1].fid;
	return w->runs.n && w->run_of[fid] ? w->run_of[fid] - 1 : (uint32_t)w->runs.n;
}

uint32_t
pp_nyt_run_of(const struct pp_nyt_writing *w, uint32_t fid)
{
	uint32_t run = owner_find(w, fid);

	return run < w->runs.n ? run : 0;
}

uint32_t
pp_nyt_run_of_root(const struct pp_nyt_writing *w, pp_node root)
{
	uint32_t i;

	for (i = 0; i < w->runs.n; i++)
		if (w->runs.at[i].root == root)
			return i;
	return (uint32_t)w->runs.n - 1;
}

/* The process of the first series that has a node. */
static int64_t
pid_find(const struct pp_nyt_writing *w, pp_node node)
{
	const struct pp_profile *p = w->profile;
	uint32_t row;
	size_t i;

	for (i = 0; i < p->series.n; i++)
		for (row = 0; p->series.at[i].pid > 0 && row < p->series.at[i].rows; row++)
			if (pp_series_node(&p->series.at[i], row) == node &&
			    pp_series_present(&p->series.at[i], row))
				return p->series.at[i].pid;
	return (int64_t)w->runs.n + 1;
}

static bool
roots_collect(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	pp_node node;

	for (node = 1; node < p->tree.n; node++) {
		pp_func func = pp_node_func(p, node);
		struct pp_nyt_run run = { .root = node, .ticks = nearbyint(w->incl[node]) };

		if (pp_tree_parent(&p->tree, node) || !pp_nyt_is_outside_node(w, node) ||
		    !p->funcs.at[func].file ||
		    !pp_slice_eq_z(pp_text_of(p, p->funcs.at[func].name), "main::RUNTIME"))
			continue;
		run.fid = pp_nyt_write_fid(w, p->funcs.at[func].file);
		run.pid = pid_find(w, node);
		run.left = run.ticks;
		if (!pp_vec_push(&w->runs, run))
			return false;
	}
	if (w->runs.n < 2 || w->runs.n > PP_NYT_SCRIPTS_MOST)
		w->runs.n = 0;
	return true;
}

/* Finds the owner of each file and the scripts with cost outside of subs. */
static bool
levels_collect(struct pp_nyt_writing *w)
{
	const struct pp_profile *p = w->profile;
	pp_node node;

	w->run_of = calloc(w->files.n + 1, sizeof *w->run_of);
	for (node = 1; w->run_of && w->runs.n && node < p->tree.n; node++) {
		pp_node parent = pp_tree_parent(&p->tree, node), root = parent ? parent : node;
		uint32_t run = pp_nyt_run_of_root(w, root), fid;

		if (pp_tree_parent(&p->tree, root) || !pp_nyt_is_outside_node(w, node))
			continue;
		fid = pp_nyt_write_fid(w, p->funcs.at[pp_node_func(p, node)].file);
		w->runs.at[run].outside = w->runs.at[run].outside || w->self[node] > 0;
		if (!w->run_of[fid] || !parent)
			w->run_of[fid] = run + 1;
	}
	return w->run_of != NULL;
}

static bool
part_add(struct pp_nyt_writing *w, struct pp_nyt_run_line *line, uint32_t run, double ticks)
{
	struct pp_nyt_run_line part = *line;

	part.run = run;
	part.ticks = ticks;
	line->ticks -= ticks;
	line->hits = 0;
	w->runs.at[run].left -= ticks;
	return pp_vec_push(&w->run_lines, part);
}

/*
 * Divides a line among the runs from its own on that have ticks left. Runs without cost outside of
 * subs need none, so they come last; the last run takes the remainder.
 */
static bool
line_divide(struct pp_nyt_writing *w, struct pp_nyt_run_line *line, bool owned, uint32_t first)
{
	uint32_t n = (uint32_t)w->runs.n, turn;
	bool ok = true, some = false;

	for (turn = first; ok && turn < 2 * n && (line->ticks > 0 || !some); turn++) {
		uint32_t run = turn % n;
		bool last = turn == 2 * n - 1;
		double left = w->runs.at[run].left;

		if (!last && (left <= 0 || run < first ||
		              (turn < n && !(owned && turn == first) && !w->runs.at[run].outside)))
			continue;
		some = true;
		ok = part_add(w, line, run, last || left > line->ticks ? line->ticks : left);
	}
	return ok;
}

/* Lines of files that are known to be of one run, or those of others. */
static bool
lines_divide(struct pp_nyt_writing *w, bool owned)
{
	const struct pp_profile *p = w->profile;
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < p->lines.rows.n; i++) {
		uint32_t fid = pp_nyt_write_fid(w, p->lines.rows.at[i].file);
		uint32_t run = owner_find(w, fid);
		struct pp_nyt_run_line line = { .line = (uint32_t)i };
		double exact = 0.0;

		if (w->metric)
			exact = pp_nyt_cell_ticks(
			    w, pp_line_cell(p, i, p->lines.hits + w->metric_index));
		if (owned != (run < w->runs.n) || !(p->lines.hits || exact != 0.0))
			continue;
		line.hits = p->lines.hits ? (uint64_t)pp_line_cell(p, i, 0) : 0;
		line.ticks = nearbyint(exact);
		w->writer->loss.rounded += fabs(line.ticks - exact) > 1e-6;
		ok = line_divide(w, &line, owned, owned ? run : 0);
	}
	return ok;
}

bool
pp_nyt_runs_find(struct pp_nyt_writing *w)
{
	if (!w->levels || !w->metric || !w->incl)
		return true;
	return roots_collect(w) && levels_collect(w) &&
	       (!w->runs.n || (lines_divide(w, true) && lines_divide(w, false)));
}
