/*
 * Cutting a profile by file, module, name or place.
 *
 * Files and modules only change which functions count as the same. Lines give each frame a function of
 * its own. Lines that the profile keeps apart from its stacks become a tree of one level.
 */
#include "analysis/group.h"

#include "analysis/linecost.h"
#include "base/slots.h"
#include "model/derive.h"
#include "text/path.h"

/* Numbers per function no longer hold when functions become one: the tree or the edges answer. */
static void
forget_flat(struct pp_derive *d)
{
	if (d->to->tree.n > 1)
		pp_profile_forget_stated(d->to);
	/* Calls inside a group repeat time that the call into it has. */
	d->to->calls.self_repeats = true;
}

/* Remembers who was who: totals of groups in a call graph depend on it. False when out of memory. */
static bool
keep_alone(struct pp_derive *d)
{
	struct pp_profile *p = d->to;
	size_t i;

	for (i = p->derived.alone.n; i < p->funcs.n; i++)
		if (!pp_vec_push(&p->derived.alone, p->funcs.at[i].same))
			return false;
	return true;
}

/*
 * A file by its path without detours, as compilers may spell it in several ways; it may be that of the profile itself.
 * False when out of memory.
 */
static bool
file_clean(struct pp_derive *d, pp_str *file)
{
	struct pp_buf text = { 0 };
	bool fine, is_new;

	if (!*file)
		return true;
	pp_path_clean(&text, pp_text_of(d->from, *file));
	fine = !text.failed && pp_strtab_intern(&d->to->strs, text.p, text.n, file, &is_new);
	pp_buf_release(&text);
	return fine;
}

/* ---- by what a function belongs to ------------------------------------------------------ */

static pp_str
owner_of(const struct pp_profile *p, const struct pp_func_row *f, enum pp_group_by by)
{
	return by == PP_BY_FILE ? f->file : p->modules.at[f->module].name;
}

static bool
owners_unite(struct pp_derive *d, enum pp_group_by by, struct pp_map *groups)
{
	struct pp_slice nameless = pp_slice_z(by == PP_BY_FILE ? "(no file)" : "(no module)");
	uint32_t n = (uint32_t)d->to->funcs.n, i, group;

	for (i = 1; i < n; i++) {
		pp_str owner = owner_of(d->from, &d->from->funcs.at[i], by);

		if (by == PP_BY_FILE && !file_clean(d, &owner))
			return false;
		group = pp_map_get(groups, owner);
		if (group == PP_MAP_NONE) {
			group = pp_derive_func(d, owner ? pp_text_of(d->to, owner) : nameless, 0,
			                       0);
			if (!group || !pp_map_set(groups, owner, group))
				return false;
		}
		d->to->funcs.at[i].same = group;
	}
	return true;
}

static pp_status
by_owner(const struct pp_profile *p, enum pp_group_by by, struct pp_profile **out)
{
	struct pp_map groups = { .seed = p->strs.seed };
	struct pp_derive d;
	bool any = false, fine;
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		any |= owner_of(p, &p->funcs.at[i], by) != 0;
	if (!any)
		return PP_E_UNSUPPORTED;
	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_DERIVED, 0))
		return PP_E_NOMEM;
	fine = keep_alone(&d) && owners_unite(&d, by, &groups);
	pp_map_release(&groups);
	forget_flat(&d);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* ---- by name ---------------------------------------------------------------------------- */

/* Functions of one name, and of one file if that matters, become one. */
static pp_status
by_name(const struct pp_profile *p, enum pp_group_by by, struct pp_profile **out)
{
	struct pp_map map = { .seed = p->strs.seed };
	struct pp_derive d;
	uint32_t n = (uint32_t)p->funcs.n, i;
	bool fine;

	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_DERIVED, 0))
		return PP_E_NOMEM;
	fine = keep_alone(&d);
	for (i = 1; fine && i < n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];
		pp_str file = by == PP_BY_FILE_NAME ? f->file : 0;
		uint64_t key;
		uint32_t group;

		fine = file_clean(&d, &file);
		key = (uint64_t)file << 32 | f->name;
		group = pp_map_get(&map, key);
		if (fine && group == PP_MAP_NONE) {
			group = pp_derive_func(&d, pp_text_of(p, f->name), file, 0);
			fine = group && pp_map_set(&map, key, group);
			if (fine)
				d.to->funcs.at[group].flags = f->flags;
		}
		d.to->funcs.at[i].same = group;
	}
	pp_map_release(&map);
	forget_flat(&d);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* The function that each key stands for: the first of those that have it. NULL when out of memory. */
static pp_func *
keys_first(const struct pp_profile *p, const uint32_t *key, uint32_t keys, bool *changes)
{
	pp_func *first = calloc((size_t)keys + 1, sizeof *first);
	size_t i;

	*changes = false;
	for (i = 1; first && i < p->funcs.n; i++) {
		if (!key[i])
			continue;
		if (!first[key[i]])
			first[key[i]] = p->funcs.at[i].same;
		*changes |= p->funcs.at[i].same != first[key[i]];
	}
	return first;
}

pp_status
pp_group_unite(const struct pp_profile *p, const uint32_t *key, uint32_t keys,
               struct pp_profile **out)
{
	bool changes, fine;
	pp_func *first = keys_first(p, key, keys, &changes);
	struct pp_derive d;
	size_t i;

	*out = NULL;
	if (!first)
		return PP_E_NOMEM;
	if (!changes || !pp_derive_init(&d, p, PP_COLUMN_FUNCS | PP_COLUMN_DERIVED, 0)) {
		free(first);
		return changes ? PP_E_NOMEM : PP_OK;
	}
	fine = keep_alone(&d);
	for (i = 1; fine && i < p->funcs.n; i++)
		if (key[i])
			d.to->funcs.at[i].same = first[key[i]];
	free(first);
	forget_flat(&d);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

/* ---- one level -------------------------------------------------------------------------- */

/* A profile of one plain series with room for so many groups, and nothing else. */
bool
pp_level_start(struct pp_derive *d, const struct pp_profile *p, size_t groups, bool has_calls)
{
	const unsigned emptied = PP_COLUMN_TREE | PP_COLUMN_SERIES | PP_COLUMN_CALLS |
	                         PP_COLUMN_LINES | PP_COLUMN_NOT_OWN;
	struct pp_series one = { .pid = -1, .tid = -1, .cpu = -1, .has_calls = has_calls };
	struct pp_profile *unused;

	if (!pp_derive_init(d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES, emptied))
		return false;
	pp_profile_forget_stated(d->to);
	one.stride = (uint32_t)p->metrics.n + has_calls;
	one.rows_cap = (uint32_t)groups;
	if (pp_vec_push(&d->to->series, one)) {
		struct pp_series *s = &d->to->series.at[0];

		if (p->metrics.n > PP_FEW_COLUMNS && !has_calls)
			s->wide = pp_wide_new(sizeof(int64_t), 0);
		else
			s->cells = calloc(groups * s->stride + 1, sizeof *s->cells);
		s->node_of = calloc(groups + 1, sizeof *s->node_of);
		if ((s->cells || s->wide) && s->node_of)
			return true;
	}
	(void)pp_derive_finish(d, PP_E_NOMEM, &unused);
	return false;
}

static bool
level_cell(const struct pp_metric *metric, union pp_value cost, int64_t *cell)
{
	if (metric->type == PP_REAL) {
		*cell = pp_cell_real(cost.d);
		return true;
	}
	*cell = (int64_t)cost.i;
	return cost.i >= INT64_MIN &&
	       cost.i <= (metric->type == PP_UINT ? (pp_i128)UINT64_MAX : INT64_MAX);
}

/* A group with its costs, which must fit into cells. */
pp_status
pp_level_add(struct pp_derive *d, pp_func func, struct pp_values costs, uint64_t calls,
             struct pp_buf *problem)
{
	struct pp_profile *p = d->to;
	struct pp_series *s = &p->series.at[0];
	struct pp_frame_row frame = { .func = func };
	int64_t *cells = s->wide ? NULL : s->cells + (size_t)s->rows * s->stride;
	size_t i;

	if (s->wide && !pp_wide_push(s->wide))
		return PP_E_NOMEM;
	for (i = 0; i < costs.n; i++) {
		uint32_t m = pp_values_metric(&costs, i);
		int64_t *cell = cells ? &cells[m] : pp_wide_at(s->wide, s->rows, m);

		if (!cell)
			return PP_E_NOMEM;
		if (!level_cell(&p->metrics.at[m], costs.at[i], cell)) {
			pp_profile_sum_problem(p, func, m, problem);
			return PP_E_LIMIT;
		}
	}
	if (s->has_calls)
		cells[p->metrics.n] = (int64_t)calls;
	if (!func || !pp_vec_push(&p->frames, frame))
		return PP_E_NOMEM;
	s->node_of[s->rows] = pp_tree_child(&p->tree, 0, (pp_frame)(p->frames.n - 1));
	return s->node_of[s->rows++] ? PP_OK : PP_E_NOMEM;
}

/* ---- by line ---------------------------------------------------------------------------- */

/* "FILE:LINE", or "NAME (FILE)" of a function whose file is not known; 0 when out of memory. */
static pp_func
line_func(struct pp_derive *d, struct pp_buf *name, pp_func func, pp_str file, uint32_t line)
{
	struct pp_slice text = pp_text_of(d->to, file), of = pp_slice_of("", 0);
	bool placeless = func && pp_line_is_placeless(d->to, file);

	if (placeless)
		of = pp_text_of(d->to, d->to->funcs.at[func].name);
	name->n = 0;
	pp_buf_add(name, of.p, of.n);
	pp_buf_adds(name, placeless && text.n ? " (" : "");
	if (text.n)
		pp_buf_add(name, text.p, text.n);
	else if (!placeless)
		pp_buf_adds(name, "(no file)");
	if (line)
		pp_buf_addf(name, "%s%u", placeless && !text.n ? " line " : ":", line);
	pp_buf_adds(name, placeless && text.n ? ")" : "");
	return name->failed ? 0 : pp_derive_func(d, pp_slice_of(name->p, name->n), file, line);
}

static pp_status
by_line_rows(const struct pp_profile *p, struct pp_profile **out, struct pp_buf *problem)
{
	struct pp_linecost lines;
	struct pp_derive d;
	struct pp_buf name = { 0 };
	pp_status status = pp_linecost_compute(p, &lines);
	size_t i;

	if (status != PP_OK)
		return status;
	if (pp_level_start(&d, p, lines.rows.n, lines.has_hits)) {
		for (i = 0; i < lines.rows.n && status == PP_OK; i++) {
			const struct pp_line_cost *row = &lines.rows.at[i];

			status = pp_level_add(&d,
			                      line_func(&d, &name, row->func, row->file, row->line),
			                      pp_ledger_row(&lines.cost, i), row->hits, problem);
		}
		status = pp_derive_finish(&d, status, out);
	} else {
		status = PP_E_NOMEM;
	}
	pp_buf_release(&name);
	pp_linecost_release(&lines);
	return status;
}

/* Each place that frames name becomes a function; frames without a line stay with theirs. */
static pp_status
by_line_frames(const struct pp_profile *p, struct pp_profile **out)
{
	struct pp_map places = { .seed = p->strs.seed }, funcs = places;
	struct pp_buf name = { 0 };
	pp_status status = PP_E_UNSUPPORTED;
	struct pp_derive d;
	size_t i;

	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES, 0))
		return PP_E_NOMEM;
	for (i = 1; i < p->frames.n; i++) {
		const struct pp_frame_row *frame = &p->frames.at[i];
		pp_str file = frame->file ? frame->file : p->funcs.at[frame->func].file;
		bool placeless = pp_line_is_placeless(p, file);
		pp_func same = p->funcs.at[frame->func].same;
		uint64_t key = (uint64_t)(placeless ? same : file) << 32 | frame->line;
		struct pp_map *map = placeless ? &funcs : &places;
		uint32_t func;

		if (!frame->line)
			continue;
		status = PP_OK;
		func = pp_map_get(map, key);
		if (func == PP_MAP_NONE) {
			func = line_func(&d, &name, same, file, frame->line);
			if (!func || !pp_map_set(map, key, func)) {
				status = PP_E_NOMEM;
				break;
			}
		}
		d.to->frames.at[i].func = func;
	}
	pp_map_release(&places);
	pp_map_release(&funcs);
	pp_buf_release(&name);
	forget_flat(&d);
	return pp_derive_finish(&d, status, out);
}

/* ---- by line or address within functions ------------------------------------------------ */

/* "NAME FILE:LINE", or "0x4d7f86 NAME FILE:LINE"; 0 when out of memory. */
static pp_func
place_func(struct pp_derive *d, struct pp_buf *text, const struct pp_frame_row *frame,
           enum pp_group_by by)
{
	const struct pp_func_row *f = &d->from->funcs.at[frame->func];
	struct pp_slice name = pp_text_of(d->from, f->name), path;
	pp_str file = frame->file ? frame->file : f->file;

	if (!file_clean(d, &file))
		return 0;
	text->n = 0;
	if (by == PP_BY_ADDRESS && frame->address)
		pp_buf_addf(text, "0x%llx ", (unsigned long long)frame->address);
	pp_buf_add(text, name.p, name.n);
	path = pp_text_of(d->to, file);
	if (path.n) {
		pp_buf_addc(text, ' ');
		pp_buf_add(text, path.p, path.n);
	}
	if (frame->line)
		pp_buf_addf(text, "%s%u", path.n ? ":" : " line ", frame->line);
	return text->failed ? 0
	                    : pp_derive_func(d, pp_slice_of(text->p, text->n), file, frame->line);
}

/* Each place within a function becomes one; frames of one place are found by its text. */
static pp_status
by_place(const struct pp_profile *p, enum pp_group_by by, struct pp_profile **out)
{
	struct pp_map map = { .seed = p->strs.seed };
	struct pp_buf text = { 0 };
	bool fine = true, any = false;
	struct pp_derive d;
	size_t i;

	for (i = 1; i < p->frames.n; i++)
		any |= by != PP_BY_ADDRESS || p->frames.at[i].address != 0;
	if (!any)
		return PP_E_UNSUPPORTED;
	if (!pp_derive_init(&d, p, PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES, 0))
		return PP_E_NOMEM;
	for (i = 1; fine && i < p->frames.n; i++) {
		pp_func func = place_func(&d, &text, &p->frames.at[i], by), first;

		fine = func != 0;
		first = fine ? pp_map_get(&map, d.to->funcs.at[func].name) : 0;
		if (fine && first == PP_MAP_NONE) {
			fine = pp_map_set(&map, d.to->funcs.at[func].name, func);
		} else if (fine) {
			func = first;
			d.to->funcs.n--;
		}
		d.to->frames.at[i].func = func;
	}
	pp_map_release(&map);
	pp_buf_release(&text);
	forget_flat(&d);
	return pp_derive_finish(&d, fine ? PP_OK : PP_E_NOMEM, out);
}

pp_status
pp_group_derive(const struct pp_profile *p, enum pp_group_by by, struct pp_slice label,
                struct pp_profile **out, struct pp_buf *problem)
{
	*out = NULL;
	switch (by) {
	case PP_BY_FILE:
	case PP_BY_MODULE:
		return by_owner(p, by, out);
	case PP_BY_LINE:
		return p->lines.rows.n ? by_line_rows(p, out, problem) : by_line_frames(p, out);
	case PP_BY_THREAD:
	case PP_BY_LABEL:
		return pp_group_series(p, by, label, out, problem);
	case PP_BY_NAME:
	case PP_BY_FILE_NAME:
		return by_name(p, by, out);
	case PP_BY_NAME_LINE:
	case PP_BY_ADDRESS:
		return by_place(p, by, out);
	case PP_BY_FUNCTION:
		break;
	}
	return PP_OK;
}
