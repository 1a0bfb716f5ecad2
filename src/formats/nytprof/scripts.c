/*
 * Scripts of processes: recordings of several scripts that were merged into one file.
 *
 * nytprofmerge puts whole recordings one behind the other. Each process then has statements and returns of its own, so
 * what it spent outside of all subs is known exactly, and belongs to the script that it ran: PACKAGE::RUNTIME of that file.
 *
 * The profiler meets the script first of all files, before any statement. A process that another one of the file forked runs
 * the script of that one. If the same script runs once more, nothing is met: then its lines tell, in which statements have run.
 */
#include "formats/nytprof/load.h"

static uint64_t
file_hits(const struct pp_nyt_file_row *f)
{
	uint64_t hits = 0;
	uint32_t line;

	for (line = 0; line < f->cap; line++)
		hits += f->cells[line].hits;
	return hits;
}

static bool
is_forked(const struct pp_nyt_load *load, size_t process, size_t *parent)
{
	size_t i;

	for (i = process; i-- > 0;)
		if (load->processes.at[i].pid == load->processes.at[process].ppid) {
			*parent = i;
			return true;
		}
	return false;
}

void
pp_nyt_scripts_begin(struct pp_nyt_load *load)
{
	struct pp_nyt_outside *o = &load->outside;
	size_t i;

	for (i = 0; i < o->scripts.n; i++)
		o->scripts.at[i].hits = file_hits(&load->files.rows.at[o->scripts.at[i].file]);
}

void
pp_nyt_scripts_meet(struct pp_nyt_load *load, uint32_t file)
{
	struct pp_nyt_outside *o = &load->outside;
	struct pp_nyt_process *p;
	size_t parent;

	if (!load->process || o->scripts.n == PP_NYT_SCRIPTS_MOST)
		return;
	p = &load->processes.at[load->process - 1];
	if (p->script || p->statements != load->statements.n ||
	    is_forked(load, load->process - 1, &parent))
		return;
	if (!pp_vec_push(&o->scripts, ((struct pp_nyt_script){ .file = file })))
		pp_builder_fail(load->builder, PP_E_NOMEM, NULL);
	p->script = (uint32_t)o->scripts.n;
}

bool
pp_nyt_has_scripts(const struct pp_nyt_load *load)
{
	return load->outside.node && load->outside.scripts.n > 1;
}

bool
pp_nyt_is_script(const struct pp_nyt_load *load, uint32_t file)
{
	const struct pp_nyt_outside *o = &load->outside;
	size_t i;

	for (i = 0; pp_nyt_has_scripts(load) && i < o->scripts.n; i++)
		if (o->scripts.at[i].file == file)
			return true;
	return false;
}

/* The script of which statements ran since the process began, the first if there is none. */
static size_t
script_running(const struct pp_nyt_load *load)
{
	const struct pp_nyt_outside *o = &load->outside;
	size_t i;

	for (i = 0; i < o->scripts.n; i++)
		if (file_hits(&load->files.rows.at[o->scripts.at[i].file]) > o->scripts.at[i].hits)
			return i;
	return 0;
}

size_t
pp_nyt_process_script(struct pp_nyt_load *load, size_t process)
{
	struct pp_nyt_process *p;
	size_t parent = 0;

	if (!process)
		return 0;
	p = &load->processes.at[process - 1];
	if (!p->script && is_forked(load, process - 1, &parent))
		p->script = load->processes.at[parent].script;
	if (!p->script && process == load->process)
		p->script = (uint32_t)script_running(load) + 1;
	return p->script ? p->script - 1 : 0;
}

/* Makes the main::RUNTIME of a script. That of the first is the one that the file names. */
static void
script_make(struct pp_nyt_load *load, size_t script)
{
	struct pp_nyt_script *s = &load->outside.scripts.at[script];
	struct pp_func_row func = { .name = pp_build_strz(load->builder, "main::RUNTIME"),
		                    .file = load->files.rows.at[s->file].name,
		                    .line = 1,
		                    .last_line = 1,
		                    .flags = PP_FUNC_SCRIPT };
	struct pp_frame_row frame = { 0 };

	if (script == 0) {
		s->func = load->subs.rows.at[load->outside.sub - 1].func;
		s->node = load->outside.node;
		return;
	}
	s->func = frame.func = pp_build_func(load->builder, &func);
	s->node = pp_build_child(load->builder, 0, pp_build_frame(load->builder, &frame));
}

pp_node
pp_nyt_script_node(struct pp_nyt_load *load, size_t script)
{
	if (!pp_nyt_has_scripts(load))
		return load->outside.node;
	if (!load->outside.scripts.at[script].node && pp_builder_ok(load->builder))
		script_make(load, script);
	return load->outside.scripts.at[script].node;
}

pp_node
pp_nyt_process_node(struct pp_nyt_load *load, size_t process)
{
	/* A single script needs no search. */
	return pp_nyt_has_scripts(load)
	           ? pp_nyt_script_node(load, pp_nyt_process_script(load, process))
	           : load->outside.node;
}

pp_func
pp_nyt_script_func(const struct pp_nyt_load *load, uint32_t file)
{
	const struct pp_nyt_outside *o = &load->outside;
	uint32_t script = file < o->script_of.n ? o->script_of.at[file] : 0;

	return script && o->scripts.at[script - 1].func ? o->scripts.at[script - 1].func
	                                                : load->subs.rows.at[o->sub - 1].func;
}

bool
pp_nyt_script_totals(struct pp_nyt_load *load, double *totals)
{
	const struct pp_profile *p = load->builder->profile;
	const struct pp_nyt_outside *o = &load->outside;
	uint32_t *script_of = calloc((size_t)p->tree.n + 1, sizeof *script_of), row;
	pp_node node;
	size_t i;

	if (!script_of)
		return false;
	for (i = 0; i < o->scripts.n; i++)
		script_of[o->scripts.at[i].node] = (uint32_t)i + 1;
	script_of[0] = 0;
	for (node = 1; node < p->tree.n; node++)
		if (!script_of[node])
			script_of[node] = script_of[pp_tree_parent(&p->tree, node)];
	for (i = 0; i < p->series.n; i++)
		for (row = 0; row < p->series.at[i].rows; row++) {
			const struct pp_series *s = &p->series.at[i];
			uint32_t script = script_of[pp_series_node(s, row)];

			if (script && pp_series_present(s, row))
				totals[script - 1] +=
				    pp_cell_value(&p->metrics.at[0], pp_series_cells(s, row)[0]).d;
		}
	free(script_of);
	return true;
}
