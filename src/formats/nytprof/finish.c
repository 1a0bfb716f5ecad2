/*
 * From what a NYTProf stream said to the columns of a profile.
 *
 * Sub times come from the 'c' records, which the profiler writes last. When they are missing or cut, the
 * '<' records tell the same: every call with its own and inclusive time.
 */
#include <math.h>

#include "formats/nytprof/load.h"

#include "model/inclusive.h"
#include "model/traits.h"
#include "base/num.h"
#include "base/sort.h"
#include "text/units.h"

/* ---- files ------------------------------------------------------------------------------- */

static const struct pp_nyt_file_row *
file_of_fid(const struct pp_nyt_load *load, uint32_t fid)
{
	uint32_t row = pp_nyt_file_row(load, fid);

	return row ? &load->files.rows.at[row] : NULL;
}

/* Follows the chain of evals; none may come back to itself, and all must end in a file. */
static void
evals_check(struct pp_nyt_load *load)
{
	unsigned char *seen = calloc(load->files.rows.n, 1); /* 1 = on this chain, 2 = done */
	size_t i;

	if (!seen)
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	for (i = 1; seen && i < load->files.rows.n; i++) {
		const struct pp_nyt_file_row *f = &load->files.rows.at[i];
		const struct pp_nyt_file_row *up = f;

		for (; up && !seen[up - load->files.rows.at];
		     up = file_of_fid(load, up->eval_fid)) {
			seen[up - load->files.rows.at] = 1;
			if (up->eval_fid == 0)
				break;
			if (!file_of_fid(load, up->eval_fid))
				PP_NYT_FIND(load, PP_NYT_EVAL_PARENT, PP_NOWHERE,
				            "fid %u is an eval in fid %u, which nothing defines",
				            up->fid, up->eval_fid);
		}
		if (up && up->eval_fid && seen[up - load->files.rows.at] == 1)
			PP_NYT_FIND(load, PP_NYT_EVAL_CYCLE, PP_NOWHERE,
			            "fid %u is an eval within itself", up->fid);
		for (up = f; up && seen[up - load->files.rows.at] == 1;
		     up = file_of_fid(load, up->eval_fid)) {
			seen[up - load->files.rows.at] = 2;
			if (up->eval_fid == 0)
				break;
		}
	}
	free(seen);
}

static void
files_name(struct pp_nyt_load *load)
{
	size_t i;

	for (i = 1; i < load->files.rows.n; i++) {
		struct pp_nyt_file_row *f = &load->files.rows.at[i];

		if (!f->defined)
			f->name = pp_build_strf(load->builder, "fid %u", f->fid);
	}
}

/* ---- lines ------------------------------------------------------------------------------- */

static void
line_store(struct pp_nyt_load *load, pp_str file, uint32_t line, const struct pp_nyt_cell *cell)
{
	struct pp_line_row row = { .file = file, .line = line };
	int64_t *cells;

	if (cell->hits == 0)
		return;
	cells = pp_build_line(load->builder, &row);
	if (!cells)
		return;
	cells[0] += (int64_t)(cell->hits >> 1);
	(void)pp_cell_add(PP_REAL, &cells[1], pp_cell_real((double)cell->ticks));
}

static void
lines_store(struct pp_nyt_load *load)
{
	size_t i;
	uint32_t line;

	for (i = 1; i < load->files.rows.n; i++) {
		const struct pp_nyt_file_row *f = &load->files.rows.at[i];

		for (line = 0; line < f->cap; line++)
			line_store(load, f->name, line, &f->cells[line]);
	}
	for (i = 0; i < load->files.sparse.n; i++) {
		const struct pp_nyt_sparse_row *s = &load->files.sparse.at[i];

		line_store(load, load->files.rows.at[s->file].name, s->line, &s->cell);
	}
}

/* ---- subs -------------------------------------------------------------------------------- */

static void
subs_bind(struct pp_nyt_load *load)
{
	size_t i;

	for (i = 0; i < load->subs.rows.n; i++) {
		const struct pp_nyt_sub_row *s = &load->subs.rows.at[i];
		struct pp_func_row func = { .name = s->name };

		if (s->described) {
			func.flags |= PP_FUNC_DECLARED;
			func.file = load->files.rows.at[s->file].name;
			func.line = s->internal ? 0 : s->first;
			func.last_line = s->internal ? 0 : s->last;
		}
		if (s->internal || (s->described && s->first == 0 && s->last == 0))
			func.flags |= PP_FUNC_INTERNAL;
		if (load->outside.sub == i + 1) {
			func.flags = PP_FUNC_DECLARED | PP_FUNC_SCRIPT;
			func.file = load->files.rows.at[load->outside.script].name;
			func.line = func.last_line = 1;
		}
		if (load->subs.unknown == i + 1)
			func.flags |= PP_FUNC_UNKNOWN | PP_FUNC_PSEUDO;
		pp_build_func_bind(load->builder, s->func, &func);
	}
}

static bool
edge_add(struct pp_nyt_load *load, const struct pp_edge_row *row, uint64_t calls, double incl,
         double excl)
{
	int64_t *cells = pp_build_edge(load->builder, row);

	if (!cells)
		return false;
	cells[0] += (int64_t)calls;
	(void)pp_cell_add(PP_REAL, &cells[1], pp_cell_real(incl));
	(void)pp_cell_add(PP_REAL, &cells[2], pp_cell_real(excl));
	return true;
}

static void
callers_store(struct pp_nyt_load *load)
{
	size_t i;

	for (i = 0; i < load->callers.n; i++) {
		const struct pp_nyt_call_row *c = &load->callers.at[i];
		struct pp_edge_row row = { .callee = load->subs.rows.at[c->called].func,
			                   .site_line = c->line };

		row.caller = pp_nyt_outside_func(load, c);
		if (c->file)
			row.site_file = load->files.rows.at[c->file].name;
		if (!edge_add(load, &row, c->count, c->incl, c->excl))
			return;
	}
}

/* By sub, then by place. */
static int
call_cmp(const void *x, const void *y, void *ctx)
{
	const struct pp_nyt_call_row *a = x, *b = y;

	(void)ctx;
	if (a->called != b->called)
		return a->called < b->called ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* How deep subs recurse, and from where they are called. Leaves the calls in another order. */
static void
facts_store(struct pp_nyt_load *load)
{
	struct pp_profile *p = load->builder->profile;
	const struct pp_nyt_call_row *calls = load->callers.at;
	struct pp_fact_row fact = { 0 };
	double reci = 0.0;
	size_t i;

	pp_sort(load->callers.at, load->callers.n, sizeof *load->callers.at, call_cmp, NULL);
	for (i = 0; i < load->callers.n; i++) {
		bool first = !i || calls[i].called != calls[i - 1].called;
		bool last = i + 1 == load->callers.n || calls[i].called != calls[i + 1].called;

		if (first) {
			fact = (struct pp_fact_row){ .func =
				                         load->subs.rows.at[calls[i].called].func };
			reci = 0.0;
		}
		reci += calls[i].reci;
		fact.recursion = calls[i].depth > fact.recursion ? calls[i].depth : fact.recursion;
		fact.files += calls[i].file && (first || calls[i].file != calls[i - 1].file);
		fact.places += calls[i].file && (first || call_cmp(&calls[i - 1], &calls[i], NULL));
		fact.recursive = pp_cell_real(reci);
		if (last && !pp_vec_push(&p->calls.facts, fact))
			pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	}
}

static bool
edge_of_node(struct pp_nyt_load *load, pp_node node, uint64_t calls, double incl, double excl)
{
	const struct pp_profile *p = load->builder->profile;
	struct pp_edge_row row = { .callee = pp_node_func(p, node) };
	pp_node parent = pp_tree_parent(&p->tree, node);

	if (parent)
		row.caller = pp_node_func(p, parent);
	return edge_add(load, &row, calls, incl, excl);
}

/* Edges from the call tree: inclusive time counts where the sub is not already running. */
static void
edges_rebuild(struct pp_nyt_load *load)
{
	const struct pp_profile *p = load->builder->profile;
	pp_func *func_of_frame = pp_frame_funcs(p);
	uint64_t *outermost = func_of_frame ? pp_outermost_compute(p, func_of_frame) : NULL;
	unsigned char *done = calloc(p->tree.n, 1);
	size_t i;
	uint32_t row;

	if (!outermost || !done)
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	for (i = 0; i < p->series.n && pp_builder_ok(load->builder); i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++) {
			pp_node node = pp_series_node(s, row);
			const int64_t *cells = pp_series_cells(s, row);
			double incl = 0.0;

			if (node == 0 || !pp_series_present(s, row))
				continue;
			/* incl[] is over all processes: give it once. */
			if (!done[node] && pp_bit(outermost, node))
				incl = load->calls.incl.at[node];
			done[node] = 1;
			if (!edge_of_node(load, node, (uint64_t)cells[1], incl,
			                  pp_cell_value(&p->metrics.at[0], cells[0]).d))
				break;
		}
	}
	free(func_of_frame);
	free(outermost);
	free(done);
}

/* Costs that are no whole ticks: as they will be when written and read again. */
static void
edges_settle(struct pp_nyt_load *load)
{
	struct pp_profile *p = load->builder->profile;
	size_t stride = pp_edge_stride(p), i, k;

	for (i = 0; i < p->calls.rows.n; i++)
		for (k = 1; k < stride; k++) {
			int64_t *cell = &p->calls.cells.at[i * stride + k];
			double ticks = pp_cell_value(&p->metrics.at[0], *cell).d;

			*cell = pp_cell_real(pp_nyt_ticks_settle(load, ticks));
		}
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void
describe(struct pp_nyt_load *load)
{
	struct pp_builder *b = load->builder;
	struct pp_profile *p = b->profile;
	struct pp_slice xs = pp_nyt_setting_value(&load->settings, "xs_version", false);
	uint64_t base = 0;
	size_t i;

	p->variant = pp_build_strf(b, "%u.%u", load->stream.layout.major,
	                           load->stream.layout.minor);
	p->producer = pp_build_strf(b, "Devel::NYTProf%s%.*s", xs.n ? " " : "", (int)xs.n,
	                            (const char *)xs.p);
	if (pp_num_u64(pp_nyt_setting_value(&load->settings, "basetime", false), &base) &&
	    base < INT64_MAX)
		p->recorded_at = (int64_t)base;
	if (pp_slice_eq_z(pp_nyt_setting_value(&load->settings, "clock", true), "2"))
		p->metrics.at[0].kind = PP_KIND_CPU_TIME;
	pp_nyt_metric_rate(&p->metrics.at[0], load->clock.base_rate);
	for (i = 0; load->stream.deflated && i + 1 < PP_COUNT_OF(p->compression); i++)
		if (!p->compression[i]) {
			p->compression[i] = pp_build_strz(b, "zlib");
			break;
		}
	p->events = load->calls.returns + load->calls.entries;
	if (p->events)
		p->holds |= PP_TIMELINE;
}

static void
times_store(struct pp_nyt_load *load)
{
	struct pp_profile *p = load->builder->profile;
	double start = 0.0, end = 0.0;
	size_t i;

	for (i = 0; i < load->processes.n; i++) {
		const struct pp_nyt_process *process = &load->processes.at[i];

		if (process->open) {
			PP_NYT_FIND(
			    load, PP_NYT_PROCESS_OPEN, pp_at_offset(process->offset),
			    "process %u has no end record: it was killed or is still running",
			    process->pid);
			p->complete = false;
		}
		if (i == 0 || process->start < start)
			start = process->start;
		if (process->end > end)
			end = process->end;
	}
	if (!p->recorded_at && start > 0 && start < 1e12)
		p->recorded_at = (int64_t)start;
	/* The base time has no more than seconds; in doubles some 200 ns are lost. */
	if (start > 0 && start < 1e12 && p->recorded_at == (int64_t)start)
		p->recorded_ns = (uint32_t)((start - floor(start)) * 1e6) * 1000;
	if (end > start && end - start < 9e9) {
		p->time.known = true;
		p->time.end = (int64_t)((end - start) * 1e9 + 0.5);
	}
}

static void
remarks(struct pp_nyt_load *load)
{
	if (!load->clock.given)
		PP_NYT_FIND(load, PP_NYT_RATE_MISSING, PP_NOWHERE,
		            "there is no ticks_per_sec; %u is assumed", PP_NYT_RATE);
	if (load->statements.negative)
		PP_NYT_FIND(load, PP_NYT_TICKS_NEGATIVE, pp_at_offset(load->statements.negative_at),
		            "%llu %s took negative time; the first is here",
		            (unsigned long long)load->statements.negative,
		            pp_plural(load->statements.negative, "statement", "statements"));
	if (load->processes.n == 0 && load->stream.layout.major >= 2)
		load->builder->profile->complete = false;
}

void
pp_nyt_finish(struct pp_nyt_load *load)
{
	struct pp_profile *p = load->builder->profile;
	bool calls_whole;

	p->complete = p->complete && !load->damaged;
	pp_nyt_outside_begin(load);
	describe(load);
	files_name(load);
	evals_check(load);
	remarks(load);
	times_store(load);
	/* Cut files may end within the 'c' records; those of whole ones count what the returns count. */
	calls_whole = load->callers.n && (p->complete || load->caller_count == load->calls.returns);
	calls_whole = calls_whole || load->calls.returns == 0;
	if (load->outside.sub)
		pp_nyt_outside_settle(load, calls_whole);
	if (calls_whole) {
		callers_store(load);
	} else if (load->want_calls) {
		PP_NYT_FIND(load, PP_NYT_CALLS_REBUILT, PP_NOWHERE,
		            "the sub totals are missing or cut; they are rebuilt from %llu %s",
		            (unsigned long long)load->calls.returns,
		            pp_plural(load->calls.returns, "return", "returns"));
		edges_rebuild(load);
	}
	if (pp_builder_ok(load->builder))
		edges_settle(load);
	if (load->outside.sub && pp_builder_ok(load->builder))
		pp_nyt_outside_store(load);
	if (calls_whole && pp_builder_ok(load->builder))
		facts_store(load);
	subs_bind(load);
	if (pp_order_needs(load->reader->order, PP_LINES | PP_EXTRAS))
		lines_store(load);
	else if (load->statements.n)
		p->unread |= PP_HAS(LINES);
	pp_nyt_settings_meta(&load->settings, load->builder);
	if (load->store && !pp_nyt_store_finish(load->store))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	/* Records that were found wrong are not written again. */
	if (load->store && load->store_whole && p->complete &&
	    pp_diags_total(load->diags, PP_ERROR) == load->errors &&
	    load->stream.layout.major == 5 && load->stream.layout.number == PP_NYT_DOUBLE) {
		p->kept.data = load->store;
		p->kept.free = pp_nyt_store_free;
		load->store = NULL;
	}
}
