/*
 * Time outside of subs.
 *
 * The whole of a profile is the time of its statements. What no sub accounts for as its own is that of code
 * outside of all subs, which Perl calls main::RUNTIME where it calls something: the code of the script's own
 * level, of files that it loads while it runs, and what the profiler of statements measures of the profiler
 * of subs.
 *
 * Files that were loaded while the program ran, outside of all subs, have a row of their own, PACKAGE::RUNTIME,
 * with the time of the statements that stand in none of their subs. What a file spends that a sub or a "use"
 * loaded is part of that sub's own time already. Which it is, calls from such lines tell: their caller is
 * main::RUNTIME or a sub. Of a file that calls nothing the clock tells, where calls were recorded: whether the
 * next outermost call to return took longer than the statements since the file was loaded. String evals belong
 * to the line that they stand in.
 */
#include "formats/nytprof/load.h"

#include <stdlib.h>

#include "base/sort.h"

/* What the profiler of subs may add to the statements around a call, in seconds. */
#define CALL_OVERHEAD 1e-5
/* Evals within evals; those that go round end here. */
#define MOST_EVALS 1000

/* The lines of subs in a file, apart from each other and ascending. */
struct range {
	uint32_t file, first, last;
};

/* What is known of a file. */
struct file_time {
	double ticks;         /* of statements that stand in no sub */
	bool outside, inside; /* calls say that they ran outside of all subs, or within one */
};

struct finder {
	struct pp_nyt_load *load;
	PP_VEC(struct range) ranges;
	struct file_time *files; /* by row */
	uint32_t script;         /* row of the file that was run */
};

void
pp_nyt_outside_release(struct pp_nyt_outside *o)
{
	pp_vec_release(&o->files);
	pp_vec_release(&o->quiet);
	pp_vec_release(&o->fresh);
}

/* ---- by the clock ----------------------------------------------------------------------------- */

static double
file_ticks(const struct pp_nyt_file_row *f)
{
	double ticks = 0.0;
	uint32_t line;

	for (line = 0; line < f->cap; line++)
		ticks += (double)f->cells[line].ticks;
	return ticks;
}

void
pp_nyt_outside_judge(struct pp_nyt_load *load, double incl)
{
	size_t i;

	if (!load->outside.before)
		load->outside.before = load->statements.n;
	for (i = 0; i < load->outside.fresh.n; i++) {
		struct pp_nyt_file_row *f = &load->files.rows.at[load->outside.fresh.at[i]];
		double calls = (double)(load->calls.returns - f->returns);
		double overhead = calls * CALL_OVERHEAD * (double)load->clock.base_rate;
		double since = (double)load->clock.now - (double)f->first_at;

		f->outside = since - incl - overhead > file_ticks(f) / 2;
	}
	load->outside.fresh.n = 0;
}

/* ---- which lines are in subs ---------------------------------------------------------------- */

static int
range_cmp(const void *x, const void *y, void *ctx)
{
	const struct range *a = x, *b = y;

	(void)ctx;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static bool
ranges_collect(struct finder *f)
{
	const struct pp_nyt_load *load = f->load;
	size_t i, kept = 0;

	for (i = 0; i < load->subs.rows.n; i++) {
		const struct pp_nyt_sub_row *s = &load->subs.rows.at[i];

		if (s->described && !s->internal && s->first && i + 1 != load->outside.sub &&
		    !pp_vec_push(&f->ranges, ((struct range){ s->file, s->first, s->last })))
			return false;
	}
	pp_sort(f->ranges.at, f->ranges.n, sizeof *f->ranges.at, range_cmp, NULL);
	for (i = 0; i < f->ranges.n; i++) {
		struct range *last = kept ? &f->ranges.at[kept - 1] : NULL, r = f->ranges.at[i];

		if (!last || last->file != r.file || last->last < r.first)
			f->ranges.at[kept++] = r;
		else if (last->last < r.last)
			last->last = r.last;
	}
	f->ranges.n = kept;
	return true;
}

static bool
is_in_sub(const struct finder *f, uint32_t file, uint32_t line)
{
	size_t low = 0, high = f->ranges.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct range *r = &f->ranges.at[middle];

		if (r->file < file || (r->file == file && r->last < line))
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->ranges.n && f->ranges.at[low].file == file &&
	       f->ranges.at[low].first <= line;
}

/* The file whose level a string eval runs on; 0 when that is a sub's, or nobody knows. */
static uint32_t
file_of_eval(const struct finder *f, uint32_t row)
{
	const struct pp_nyt_files *files = &f->load->files;
	unsigned n;

	for (n = 0; row && files->rows.at[row].eval_fid && n < MOST_EVALS; n++) {
		uint32_t outer = pp_nyt_file_row(f->load, files->rows.at[row].eval_fid);

		if (outer && is_in_sub(f, outer, files->rows.at[row].eval_line))
			return 0;
		row = outer;
	}
	return n < MOST_EVALS ? row : 0;
}

/* ---- what files spend, and where ------------------------------------------------------------ */

static void
times_collect(struct finder *f)
{
	const struct pp_nyt_files *files = &f->load->files;
	size_t i;
	uint32_t line;

	for (i = 1; i < files->rows.n; i++) {
		const struct pp_nyt_file_row *row = &files->rows.at[i];
		uint32_t to = file_of_eval(f, (uint32_t)i);

		for (line = 0; to && line < row->cap; line++)
			if (row->cells[line].hits && !is_in_sub(f, (uint32_t)i, line))
				f->files[to].ticks += (double)row->cells[line].ticks;
	}
	for (i = 0; i < files->sparse.n; i++) {
		const struct pp_nyt_sparse_row *s = &files->sparse.at[i];
		uint32_t to = file_of_eval(f, s->file);

		if (to && !is_in_sub(f, s->file, s->line))
			f->files[to].ticks += (double)s->cell.ticks;
	}
}

/* "Foo::Bar" of "Foo::Bar::f"; empty when there is none. */
static struct pp_slice
package_of(struct pp_slice sub)
{
	size_t n = sub.n;

	while (n > 1 && !(sub.p[n - 1] == ':' && sub.p[n - 2] == ':'))
		n--;
	return pp_slice_of(sub.p, n > 2 ? n - 2 : 0);
}

/* Whether a call is made by the level of a file: by a line in no sub, or by compiling it. */
static bool
is_of_level(const struct finder *f, const struct pp_nyt_call_row *c)
{
	const struct pp_nyt_sub_row *called = &f->load->subs.rows.at[c->called];
	struct pp_slice name = pp_text_of(f->load->builder->profile, called->name);
	struct pp_slice package = package_of(name);

	return !is_in_sub(f, c->file, c->line) ||
	       (name.n > package.n + 8 && memcmp(name.p + package.n, "::BEGIN@", 8) == 0);
}

static void
callers_look(struct finder *f)
{
	const struct pp_nyt_load *load = f->load;
	size_t i;

	for (i = 0; i < load->callers.n; i++) {
		const struct pp_nyt_call_row *c = &load->callers.at[i];
		uint32_t file = c->file && is_of_level(f, c) ? file_of_eval(f, c->file) : 0;

		if (!file || c->caller == PP_NYT_NO_SUB)
			continue;
		if (c->caller + 1 == load->outside.sub)
			f->files[file].outside = true;
		else
			f->files[file].inside = true;
	}
}

/* ---- names ------------------------------------------------------------------------------------ */

/* The file that was run: the one that the file says, else that of main::RUNTIME, else the first. */
static uint32_t
script_find(const struct pp_nyt_load *load)
{
	struct pp_slice application = pp_nyt_setting_value(&load->settings, "application", false);
	const struct pp_nyt_sub_row *main = &load->subs.rows.at[load->outside.sub - 1];
	size_t i;

	while (application.n > 2 && memcmp(application.p, "./", 2) == 0)
		application = pp_slice_of(application.p + 2, application.n - 2);
	for (i = 1; application.n && i < load->files.rows.n; i++) {
		struct pp_slice name = pp_text_of(load->builder->profile,
		                                  load->files.rows.at[i].name);

		if (load->files.rows.at[i].defined && !load->files.rows.at[i].eval_fid &&
		    name.n >= application.n &&
		    memcmp(name.p + name.n - application.n, application.p, application.n) == 0 &&
		    (name.n == application.n || name.p[name.n - application.n - 1] == '/'))
			return (uint32_t)i;
	}
	if (main->described)
		return main->file;
	for (i = 1; i + 1 < load->files.rows.n && load->files.rows.at[i].eval_fid; i++)
		;
	return i < load->files.rows.n ? (uint32_t)i : 0;
}

/* The package of a file: that of its first "package" line, of its first sub, or main. */
static struct pp_slice
package_find(const struct pp_nyt_load *load, uint32_t file)
{
	const struct pp_profile *p = load->builder->profile;
	const struct pp_nyt_sub_row *first = NULL;
	struct pp_slice package = pp_text_of(p, load->files.rows.at[file].package);
	size_t i;

	for (i = 0; !package.n && i < load->subs.rows.n; i++) {
		const struct pp_nyt_sub_row *s = &load->subs.rows.at[i];

		if (s->described && s->file == file && s->first &&
		    (!first || s->first < first->first))
			first = s;
	}
	if (first)
		package = package_of(pp_text_of(p, first->name));
	return package.n ? package : pp_slice_z("main");
}

void
pp_nyt_package_look(struct pp_nyt_load *load, uint32_t file, struct pp_slice text)
{
	struct pp_nyt_file_row *f = &load->files.rows.at[file];
	size_t n = 0, from;

	while (n < text.n && (text.p[n] == ' ' || text.p[n] == '\t'))
		n++;
	if (f->package || text.n - n < 9 || memcmp(text.p + n, "package ", 8) != 0)
		return;
	for (from = n += 8;
	     n < text.n && (text.p[n] == ':' || text.p[n] == '_' || text.p[n] >= 128 ||
	                    (text.p[n] >= '0' && text.p[n] <= '9') ||
	                    ((text.p[n] | 32) >= 'a' && (text.p[n] | 32) <= 'z'));)
		n++;
	if (n > from && n - from < 256) {
		struct pp_buf name = { 0 };

		pp_nyt_name_decode(&name, pp_slice_of(text.p + from, n - from));
		f->package = pp_build_buf(load->builder, &name);
	}
}

/* ---- rows --------------------------------------------------------------------------------------- */

static bool
file_push(struct finder *f, uint32_t file)
{
	struct pp_nyt_load *load = f->load;
	struct pp_slice package = package_find(load, file);
	struct pp_func_row func = { .file = load->files.rows.at[file].name,
		                    .line = 1,
		                    .last_line = 1,
		                    .flags = PP_FUNC_SCRIPT };
	struct pp_nyt_outside_file row = { .file = file, .ticks = f->files[file].ticks };

	func.name = pp_build_strf(load->builder, "%.*s::RUNTIME", (int)package.n,
	                          (const char *)package.p);
	row.func = pp_build_func(load->builder, &func);
	return pp_builder_ok(load->builder) && pp_vec_push(&load->outside.files, row);
}

static int
file_cmp(const void *x, const void *y, void *ctx)
{
	const struct file_time *files = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (files[a].outside != files[b].outside)
		return files[a].outside ? -1 : 1;
	if (files[a].ticks != files[b].ticks)
		return files[a].ticks > files[b].ticks ? -1 : 1;
	return (a > b) - (a < b);
}

/* Takes what ran outside for certain first, then what did by the clock, as long as it fits. */
static bool
files_choose(struct finder *f, double most)
{
	PP_VEC(uint32_t) order = { 0 };
	/* Where returns do not come as they happened, the clock tells nothing. */
	bool ok = true,
	     clock = !f->load->callers.n || f->load->outside.before < f->load->statements.n;
	size_t i;

	for (i = 1; ok && i < f->load->files.rows.n; i++)
		if (i != f->script && f->files[i].ticks > 0 &&
		    (f->files[i].outside ||
		     (clock && !f->files[i].inside && f->load->files.rows.at[i].outside)))
			ok = pp_vec_push(&order, (uint32_t)i);
	if (ok)
		pp_sort(order.at, order.n, sizeof *order.at, file_cmp, f->files);
	for (i = 0; ok && i < order.n; i++) {
		double ticks = f->files[order.at[i]].ticks;

		if (ticks > most)
			continue;
		most -= ticks;
		ok = file_push(f, order.at[i]);
	}
	pp_vec_release(&order);
	return ok;
}

void
pp_nyt_outside_find(struct pp_nyt_load *load, double most)
{
	struct finder f = { .load = load };
	bool ok;

	if (load->outside.found || !load->outside.sub || !pp_builder_ok(load->builder))
		return;
	load->outside.found = true;
	f.files = calloc(load->files.rows.n + 1, sizeof *f.files);
	ok = f.files && ranges_collect(&f);
	if (ok) {
		f.script = load->outside.script = script_find(load);
		times_collect(&f);
		callers_look(&f);
		ok = files_choose(&f, most);
	}
	if (!ok)
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	free(f.files);
	pp_vec_release(&f.ranges);
}

/* ---- into the profile ----------------------------------------------------------------------------- */

pp_node
pp_nyt_outside_node(struct pp_nyt_load *load, size_t file)
{
	struct pp_frame_row frame = { .func = load->outside.files.at[file].func };

	return pp_build_child(load->builder, load->outside.node,
	                      pp_build_frame(load->builder, &frame));
}

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
largest_cell(struct pp_nyt_load *load, uint32_t *series)
{
	struct pp_profile *p = load->builder->profile;
	int64_t *best = NULL, *cells;
	uint32_t i;

	for (i = 0; i < p->series.n; i++) {
		cells = pp_build_cells(load->builder, i, load->outside.node);
		if (cells && (!best || cell_ticks(p, cells[0]) > cell_ticks(p, *best))) {
			best = cells;
			*series = i;
		}
	}
	return best;
}

/* Takes ticks from main::RUNTIME, where most are, to a node below it; 0 = away. */
static void
tree_move(struct pp_nyt_load *load, double ticks, pp_node to)
{
	struct pp_profile *p = load->builder->profile;
	size_t tries = p->series.n;

	while (ticks > 0 && tries--) {
		uint32_t series = 0;
		int64_t *cell = largest_cell(load, &series);
		double there = cell ? cell_ticks(p, *cell) : 0.0;
		double part = ticks < there ? ticks : there;

		if (part <= 0)
			return;
		*cell = pp_cell_real(there - part);
		ticks -= part;
		cell = to ? pp_build_cells(load->builder, series, to) : NULL;
		if (cell)
			(void)pp_cell_add(PP_REAL, cell, pp_cell_real(part));
	}
}

/* Brings the tree to what the calls say: processes without calls, and files beside the script. */
static void
tree_store(struct pp_nyt_load *load, double outside)
{
	struct pp_nyt_outside *o = &load->outside;
	struct pp_profile *p = load->builder->profile;
	double sum = 0.0;
	size_t i;

	for (i = 0; i < o->quiet.n; i++)
		pp_nyt_calls_add(load, o->quiet.at[i].process, o->node,
		                 (double)o->quiet.at[i].ticks);
	for (i = 0; i < p->series.n && pp_builder_ok(load->builder); i++) {
		int64_t *cells = pp_build_cells(load->builder, (uint32_t)i, o->node);

		sum += cells ? cell_ticks(p, cells[0]) : 0.0;
	}
	/* A process may have subs that spent more than its statements, which others make up for. */
	tree_move(load, sum - outside, 0);
	for (i = 0; i < o->files.n && pp_builder_ok(load->builder); i++)
		tree_move(load, o->files.at[i].ticks, pp_nyt_outside_node(load, i));
}

/* What main::RUNTIME or nobody calls, which is not all, as others call what "use" runs; but never more. */
static double
called_sum(const struct pp_nyt_load *load, double most)
{
	double sum = 0.0;
	size_t i;

	for (i = 0; i < load->callers.n; i++)
		if (load->callers.at[i].caller == PP_NYT_NO_SUB ||
		    load->callers.at[i].caller + 1 == load->outside.sub)
			sum += load->callers.at[i].incl;
	return sum < most ? sum : most;
}

void
pp_nyt_outside_store(struct pp_nyt_load *load)
{
	struct pp_nyt_outside *o = &load->outside;
	struct pp_profile *p = load->builder->profile;
	double whole = statements_sum(load), subs = 0.0, outside, own;
	size_t i;

	for (i = 0; i < p->calls.rows.n; i++)
		subs += cell_ticks(p, pp_edge_cell(p, i, 2));
	outside = own = whole > subs ? whole - subs : 0.0;
	pp_nyt_outside_find(load, outside);
	for (i = 0; i < o->files.n && pp_builder_ok(load->builder); i++) {
		level_store(load, load->subs.rows.at[o->sub - 1].func, o->files.at[i].func,
		            o->files.at[i].ticks, o->files.at[i].ticks);
		own -= o->files.at[i].ticks;
	}
	level_store(load, 0, load->subs.rows.at[o->sub - 1].func,
	            o->node ? subs + outside : outside + called_sum(load, subs),
	            own > 0 ? own : 0.0);
	if (o->node && pp_builder_ok(load->builder))
		tree_store(load, outside);
}
