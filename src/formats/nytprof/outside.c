/*
 * Time outside of subs.
 *
 * The whole of a profile is the time of its statements. What no sub accounts for as its own is that of code
 * outside of all subs, which Perl calls main::RUNTIME where it calls something: the code of the script's own
 * level, of files that it loads while it runs, and what the profiler of statements measures of the profiler
 * of subs.
 *
 * Files that were loaded while the program ran, outside of all subs, have a row of their own, PACKAGE::RUNTIME,
 * with the time of the statements that stand in none of their subs, less what xsubs and opcodes took that these
 * statements call: they have no statements, so their time is part of the line that calls them. Where code of the
 * file's level shares a line with a sub, the level has what the lines of the sub took and no sub accounts for.
 *
 * What a file spends that a sub or a "use" loaded is part of that sub's own time already. Which it is, calls from
 * such lines tell: their caller is main::RUNTIME or a sub. Of a file that calls nothing the clock tells, where
 * calls were recorded: whether the next outermost call to return took longer than the statements since the file
 * was loaded. String evals belong to the line that they stand in.
 *
 * While Perl compiles the script it calls the caller main::NULL; that, too, is outside of all subs.
 */
#include "formats/nytprof/load.h"

#include <stdlib.h>

#include "base/sort.h"

/* What the profiler of subs may add to the statements around a call, in seconds. */
#define CALL_OVERHEAD 1e-5

/* The lines of subs in a file, apart from each other and ascending. */
struct range {
	uint32_t file, first, last;
	double ticks;   /* of its statements */
	double shared;  /* of these, on the first and the last line, where other code may stand */
	double spent;   /* by its subs, and by what is no Perl and called from its lines */
	uint64_t calls; /* to and from its subs */
	uint64_t hits;  /* of its statements */
	uint64_t uses;  /* calls of BEGIN blocks */
	bool subs;      /* there are others than BEGIN blocks */
};

/* Statements that a "use" has: to load the file, and to import from it. */
#define USE_STATEMENTS 2

/* What is known of a file. */
struct file_time {
	double lines;         /* ticks of statements that stand in no sub */
	double ticks;         /* the same without what xsubs and opcodes took */
	bool outside, inside; /* calls say that they ran outside of all subs, or within one */
};

/* Where the code of a file or string eval stands. */
struct origin {
	uint32_t file; /* row; of a string eval, that of the outermost one */
	uint32_t
	    level;     /* the same if it runs on that file's level; 0 = in a sub, or nobody knows */
	uint32_t seen; /* row whose chain of evals it is on */
	bool known;
};

struct finder {
	struct pp_nyt_load *load;
	PP_VEC(struct range) ranges;
	struct file_time *files; /* by row */
	struct origin *origins;  /* by row */
	uint32_t script;         /* row of the file that was run */
};

void
pp_nyt_outside_release(struct pp_nyt_outside *o)
{
	pp_vec_release(&o->scripts);
	pp_vec_release(&o->script_of);
	pp_vec_release(&o->files);
	pp_vec_release(&o->quiet);
	pp_vec_release(&o->fresh);
	pp_vec_release(&o->level_of);
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

/* "Foo::Bar" of "Foo::Bar::f"; empty when there is none. */
static struct pp_slice
package_of(struct pp_slice sub)
{
	size_t n = sub.n;

	while (n > 1 && !(sub.p[n - 1] == ':' && sub.p[n - 2] == ':'))
		n--;
	return pp_slice_of(sub.p, n > 2 ? n - 2 : 0);
}

/* Whether a sub is a BEGIN block, which "use" is too. */
static bool
is_begin(const struct pp_nyt_load *load, const struct pp_nyt_sub_row *s)
{
	struct pp_slice name = pp_text_of(load->builder->profile, s->name);
	size_t package = package_of(name).n;

	return name.n > package + 8 && memcmp(name.p + package, "::BEGIN@", 8) == 0;
}

static bool
ranges_collect(struct finder *f)
{
	const struct pp_nyt_load *load = f->load;
	size_t i, kept = 0;

	for (i = 0; i < load->subs.rows.n; i++) {
		const struct pp_nyt_sub_row *s = &load->subs.rows.at[i];

		if (s->described && !s->internal && s->first && i + 1 != load->outside.sub &&
		    !pp_vec_push(&f->ranges, ((struct range){ .file = s->file,
		                                              .first = s->first,
		                                              .last = s->last,
		                                              .subs = !is_begin(load, s) })))
			return false;
	}
	pp_sort(f->ranges.at, f->ranges.n, sizeof *f->ranges.at, range_cmp, NULL);
	for (i = 0; i < f->ranges.n; i++) {
		struct range *last = kept ? &f->ranges.at[kept - 1] : NULL, r = f->ranges.at[i];

		if (!last || last->file != r.file || last->last < r.first) {
			f->ranges.at[kept++] = r;
			continue;
		}
		last->last = last->last < r.last ? r.last : last->last;
		last->subs = last->subs || r.subs;
	}
	f->ranges.n = kept;
	return true;
}

/* The lines of subs among which a line is; NULL when it is in none. */
static struct range *
range_find(const struct finder *f, uint32_t file, uint32_t line)
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
	               f->ranges.at[low].first <= line
	           ? &f->ranges.at[low]
	           : NULL;
}

/* Follows the chain of evals from one row, and settles all that are on it. */
static bool
origin_settle(struct finder *f, uint32_t start)
{
	const struct pp_nyt_file_row *rows = f->load->files.rows.at;
	PP_VEC(uint32_t) chain = { 0 };
	uint32_t row = start;
	bool ok = true;

	while (ok && row && !f->origins[row].known && f->origins[row].seen != start &&
	       rows[row].eval_fid) {
		f->origins[row].seen = start;
		ok = pp_vec_push(&chain, row);
		row = pp_nyt_file_row(f->load, rows[row].eval_fid);
	}
	if (row && !rows[row].eval_fid)
		f->origins[row] = (struct origin){ .file = row, .level = row, .known = true };
	while (ok && chain.n) {
		uint32_t inner = chain.at[--chain.n];
		/* Evals that go round, or are in no file, belong nowhere. */
		struct origin o = row && f->origins[row].known ? f->origins[row]
		                                               : (struct origin){ 0 };

		if (o.level && range_find(f, row, rows[inner].eval_line))
			o.level = 0;
		o.known = true;
		f->origins[inner] = o;
		row = inner;
	}
	pp_vec_release(&chain);
	return ok;
}

static bool
origins_settle(struct finder *f)
{
	size_t n = f->load->files.rows.n, i;
	bool ok = true;

	f->origins = calloc(n + 1, sizeof *f->origins);
	for (i = 1; f->origins && ok && i < n; i++)
		ok = f->origins[i].known || origin_settle(f, (uint32_t)i);
	return f->origins && ok;
}

/* ---- what files spend, and where ------------------------------------------------------------ */

static void
line_collect(struct finder *f, uint32_t file, uint32_t line, const struct pp_nyt_cell *cell)
{
	uint32_t level = f->origins[file].level;
	struct range *r = level && cell->hits ? range_find(f, file, line) : NULL;

	if (r) {
		r->ticks += (double)cell->ticks;
		r->hits += cell->hits >> 1;
		r->shared += line == r->first || line == r->last ? (double)cell->ticks : 0.0;
	} else if (level && cell->hits) {
		f->files[level].lines += (double)cell->ticks;
		f->files[level].ticks += (double)cell->ticks;
	}
}

static void
lines_collect(struct finder *f)
{
	const struct pp_nyt_files *files = &f->load->files;
	size_t i;
	uint32_t line;

	for (i = 1; i < files->rows.n; i++)
		for (line = 0; line < files->rows.at[i].cap; line++)
			line_collect(f, (uint32_t)i, line, &files->rows.at[i].cells[line]);
	for (i = 0; i < files->sparse.n; i++)
		line_collect(f, files->sparse.at[i].file, files->sparse.at[i].line,
		             &files->sparse.at[i].cell);
}

static bool
is_internal(const struct pp_nyt_sub_row *s)
{
	return s->internal || (s->described && !s->first && !s->last);
}

bool
pp_nyt_is_outside(const struct pp_nyt_load *load, uint32_t caller)
{
	return caller != PP_NYT_NO_SUB &&
	       (caller + 1 == load->outside.sub || caller + 1 == load->outside.compiling);
}

/* What a call takes from the lines that it stands in, and from those of the sub that it calls. */
static void
call_collect(struct finder *f, const struct pp_nyt_call_row *c)
{
	const struct pp_nyt_sub_row *subs = f->load->subs.rows.at, *called = &subs[c->called];
	struct range *from = c->file ? range_find(f, c->file, c->line) : NULL;
	struct range *to = called->described && !is_internal(called)
	                       ? range_find(f, called->file, called->first)
	                       : NULL;

	if (from)
		from->calls += c->count;
	if (to) {
		to->calls += c->count;
		to->spent += c->excl;
		to->uses += is_begin(f->load, called) ? c->count : 0;
	}
	if (!is_internal(called))
		return;
	if (from)
		from->spent += c->excl;
	else if (c->file && f->origins[c->file].level && c->caller != PP_NYT_NO_SUB &&
	         (pp_nyt_is_outside(f->load, c->caller) || is_internal(&subs[c->caller])))
		f->files[f->origins[c->file].level].ticks -= c->excl;
}

/* What code of a file's level took that shares lines with subs. */
static double
range_rest(const struct range *r, double overhead)
{
	double rest = r->ticks - r->spent - (double)r->calls * overhead;

	/* A line that has nothing but a "use": compiling is no code of the level. */
	if (!r->subs && r->hits <= r->uses * USE_STATEMENTS)
		return 0.0;
	rest = rest < r->shared ? rest : r->shared;
	return rest > 0 ? rest : 0.0;
}

/* What files spend on their own level: statements, without what has no statements of its own. */
static void
times_collect(struct finder *f)
{
	const struct pp_nyt_load *load = f->load;
	double overhead = CALL_OVERHEAD * (double)load->clock.base_rate;
	size_t i;

	lines_collect(f);
	for (i = 0; i < load->callers.n; i++)
		call_collect(f, &load->callers.at[i]);
	for (i = 0; i < f->ranges.n; i++) {
		uint32_t level = f->origins[f->ranges.at[i].file].level;
		double rest = level ? range_rest(&f->ranges.at[i], overhead) : 0.0;

		f->files[level].lines += rest;
		f->files[level].ticks += rest;
	}
	for (i = 1; i < load->files.rows.n; i++)
		f->files[i].ticks = f->files[i].ticks > 0 ? f->files[i].ticks : 0.0;
}

/* Whether a call is made by the level of a file: by a line in no sub, or by compiling it. */
static bool
is_of_level(const struct finder *f, const struct pp_nyt_call_row *c)
{
	return !range_find(f, c->file, c->line) ||
	       is_begin(f->load, &f->load->subs.rows.at[c->called]);
}

static void
callers_look(struct finder *f)
{
	const struct pp_nyt_load *load = f->load;
	size_t i;

	for (i = 0; i < load->callers.n; i++) {
		const struct pp_nyt_call_row *c = &load->callers.at[i];
		uint32_t file = c->file && is_of_level(f, c) ? f->origins[c->file].level : 0;

		if (!file || c->caller == PP_NYT_NO_SUB)
			continue;
		if (pp_nyt_is_outside(load, c->caller))
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

	if (pp_nyt_has_scripts(load))
		return load->outside.scripts.at[0].file;
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
file_push(struct finder *f, uint32_t file, double ticks)
{
	struct pp_nyt_load *load = f->load;
	struct pp_slice package = package_find(load, file);
	struct pp_func_row func = { .file = load->files.rows.at[file].name,
		                    .line = 1,
		                    .last_line = 1,
		                    .flags = PP_FUNC_SCRIPT };
	struct pp_nyt_outside_file row = { .file = file, .ticks = ticks };

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
		if (i != f->script && f->files[i].lines > 0 &&
		    !pp_nyt_is_script(f->load, (uint32_t)i) &&
		    (f->files[i].outside ||
		     (clock && !f->files[i].inside && f->load->files.rows.at[i].outside)))
			ok = pp_vec_push(&order, (uint32_t)i);
	if (ok)
		pp_sort(order.at, order.n, sizeof *order.at, file_cmp, f->files);
	for (i = 0; ok && i < order.n; i++) {
		const struct file_time *file = &f->files[order.at[i]];
		double ticks = file->ticks < most ? file->ticks : most;

		if (ticks < file->ticks && !file->outside)
			continue;
		most -= ticks;
		ok = file_push(f, order.at[i], ticks);
	}
	pp_vec_release(&order);
	return ok;
}

/* Which script each file or string eval is part of, where there are several. */
static bool
scripts_index(struct finder *f)
{
	struct pp_nyt_outside *o = &f->load->outside;
	size_t n = f->load->files.rows.n, i;

	if (!pp_nyt_has_scripts(f->load))
		return true;
	if (!pp_vec_reserve(&o->script_of, n))
		return false;
	memset(o->script_of.at, 0, n * sizeof *o->script_of.at);
	o->script_of.n = n;
	for (i = 0; i < o->scripts.n; i++)
		o->script_of.at[o->scripts.at[i].file] = (uint32_t)i + 1;
	for (i = 1; i < n; i++)
		o->script_of.at[i] = o->script_of.at[f->origins[i].file];
	return true;
}

/* Which of the rows each file or string eval is part of. */
static bool
levels_index(struct finder *f)
{
	struct pp_nyt_outside *o = &f->load->outside;
	size_t n = f->load->files.rows.n, i;

	if (!pp_vec_reserve(&o->level_of, n) || !scripts_index(f))
		return false;
	memset(o->level_of.at, 0, n * sizeof *o->level_of.at);
	o->level_of.n = n;
	for (i = 0; i < o->files.n; i++)
		o->level_of.at[o->files.at[i].file] = (uint32_t)i + 1;
	for (i = 1; i < n; i++)
		o->level_of.at[i] = o->level_of.at[f->origins[i].file];
	return true;
}

/* The caller while the script is compiled, unless the program has a sub of that name. */
static uint32_t
compiling_find(const struct pp_nyt_load *load)
{
	const struct pp_nyt_subs *subs = &load->subs;
	uint32_t sub;
	pp_str raw;
	size_t i;

	if (!pp_strtab_find(&subs->raw, "main::NULL", 10, &raw) || raw >= subs->of_raw.n)
		return 0;
	sub = subs->of_raw.at[raw];
	for (i = 0; sub && i < load->callers.n; i++)
		if (load->callers.at[i].called + 1 == sub)
			return 0;
	return sub && !subs->rows.at[sub - 1].described ? sub : 0;
}

void
pp_nyt_outside_find(struct pp_nyt_load *load, double most, bool calls_known)
{
	struct finder f = { .load = load };
	bool ok;

	if (load->outside.found || !load->outside.sub || !pp_builder_ok(load->builder))
		return;
	load->outside.found = true;
	load->outside.compiling = compiling_find(load);
	f.files = calloc(load->files.rows.n + 1, sizeof *f.files);
	ok = f.files && ranges_collect(&f) && origins_settle(&f);
	if (ok) {
		f.script = load->outside.script = script_find(load);
		times_collect(&f);
		callers_look(&f);
		/* Without calls nobody knows what of a line is an opcode's. */
		ok = (!calls_known || files_choose(&f, most > 0 ? most : 0.0)) && levels_index(&f);
	}
	if (!ok)
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	free(f.files);
	free(f.origins);
	pp_vec_release(&f.ranges);
}

uint32_t
pp_nyt_outside_level(const struct pp_nyt_load *load, const struct pp_nyt_call_row *c)
{
	const struct pp_nyt_outside *o = &load->outside;

	return pp_nyt_is_outside(load, c->caller) && c->file < o->level_of.n
	           ? o->level_of.at[c->file]
	           : 0;
}
