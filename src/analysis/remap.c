/*
 * Generated scripts by their sources.
 */
#include "analysis/remap.h"

#include "base/hash.h"
#include "base/slots.h"
#include "model/builder.h"
#include "model/derive.h"

struct remap {
	struct pp_derive d;
	pp_map_finder *find;
	void *data;
	struct pp_remapped counts;
	bool failed; /* out of memory */
};

static pp_str
text_add(struct remap *r, struct pp_slice text)
{
	pp_str str = 0;
	bool is_new;

	if (text.n && !pp_strtab_intern(&r->d.to->strs, text.p, text.n, &str, &is_new))
		r->failed = true;
	return str;
}

static const struct pp_source_map *
map_of(struct remap *r, pp_str script)
{
	return script ? r->find(r->data, r->d.from, script) : NULL;
}

/* A line, and a column where that is known, of a script. */
static bool
place_find(struct remap *r, pp_str script, uint32_t line, uint32_t column, struct pp_map_place *out)
{
	const struct pp_source_map *map = line ? map_of(r, script) : NULL;

	if (!map)
		return false;
	return column ? pp_source_map_find(map, line, column, out)
	              : pp_source_map_find_line(map, line, out);
}

/* ---- functions ---- */

static void
func_remap(struct remap *r, pp_func id, struct pp_generated_row *was)
{
	struct pp_func_row *f = &r->d.to->funcs.at[id];
	const struct pp_source_map *map = f->line ? map_of(r, f->file) : NULL;
	struct pp_map_place place;
	struct pp_slice name;

	if (!map)
		return;
	if (!place_find(r, f->file, f->line, f->column, &place)) {
		r->counts.unknown++;
		return;
	}
	*was = (struct pp_generated_row){ f->name, f->file, f->line, f->column };
	name = pp_source_map_function(map, f->line, f->column, pp_text_of(r->d.to, f->name));
	if (name.n)
		f->name = text_add(r, name);
	f->file = text_add(r, place.source);
	f->line = place.line;
	f->column = place.column;
	f->last_line = 0;
	r->counts.funcs++;
}

static bool
is_same(const struct pp_func_row *a, const struct pp_func_row *b)
{
	return a->name == b->name && a->file == b->file && a->module == b->module &&
	       a->line == b->line && a->column == b->column;
}

/* Which functions are one now. */
static bool
same_settle(struct remap *r)
{
	struct pp_profile *p = r->d.to;
	struct pp_index index = { .seed = p->strs.seed };
	bool fine = true, united = false;
	pp_func i;

	for (i = 1; fine && i < p->funcs.n; i++) {
		struct pp_func_row *f = &p->funcs.at[i];
		uint64_t hash = pp_mix((uint64_t)f->file << 32 | f->name, PP_HASH_K1) ^
		                pp_mix((uint64_t)f->line << 32 | f->column, PP_HASH_K2);
		uint32_t tag = pp_index_tag(&index, hash), other;
		size_t at = pp_index_begin(&index, tag);

		while ((other = pp_index_next(&index, tag, &at)) != PP_MAP_NONE &&
		       !is_same(f, &p->funcs.at[other]))
			continue;
		united |= other != PP_MAP_NONE && f->same != p->funcs.at[other].same;
		f->same = other != PP_MAP_NONE ? p->funcs.at[other].same : i;
		if (other == PP_MAP_NONE)
			fine = pp_index_add(&index, tag, i);
	}
	pp_slots_release(&index.slots);
	if (united && p->tree.n > 1)
		pp_profile_forget_stated(p);
	return fine;
}

static bool
funcs_remap(struct remap *r)
{
	struct pp_profile *p = r->d.to;
	pp_func i;

	for (i = 0; i < p->funcs.n && !r->failed; i++) {
		struct pp_generated_row was = { 0 };

		if (i)
			func_remap(r, i, &was);
		r->failed |= !pp_vec_push(&p->derived.generated, was);
	}
	return !r->failed;
}

/* ---- places ---- */

/* A place of a script that stands beside a function; its file is 0 where it is the function's. */
static void
site_remap(struct remap *r, pp_func func, pp_str *file, uint32_t *line, uint32_t *column)
{
	const struct pp_profile *from = r->d.from;
	pp_str script = *file ? *file : from->funcs.at[func].file;
	struct pp_map_place place;
	pp_str source;

	if (!place_find(r, script, *line, column ? *column : 0, &place)) {
		/* What stays in the script says so where its function does not. */
		if (*line && r->d.to->funcs.at[func].file != script)
			*file = script;
		return;
	}
	source = text_add(r, place.source);
	*file = func && r->d.to->funcs.at[func].file == source ? 0 : source;
	*line = place.line;
	if (column)
		*column = place.column;
}

static void
places_remap(struct remap *r)
{
	struct pp_profile *p = r->d.to;
	size_t i;

	for (i = 1; i < p->frames.n && !r->failed; i++) {
		struct pp_frame_row *f = &p->frames.at[i];

		if (f->line)
			site_remap(r, f->func, &f->file, &f->line, &f->column);
	}
	for (i = 0; i < p->calls.rows.n && !r->failed; i++) {
		struct pp_edge_row *e = &p->calls.rows.at[i];

		if (e->site_line)
			site_remap(r, e->caller, &e->site_file, &e->site_line, NULL);
	}
	for (i = 0; i < p->lines.rows.n && !r->failed; i++) {
		struct pp_line_row *l = &p->lines.rows.at[i];
		struct pp_map_place place;

		if (!place_find(r, l->file, l->line, 0, &place))
			continue;
		l->file = text_add(r, place.source);
		l->line = place.line;
	}
}

/* Whether any function is of a script that has a map. */
static bool
is_mapped(const struct pp_profile *p, pp_map_finder *find, void *data)
{
	size_t i;

	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].file && find(data, p, p->funcs.at[i].file))
			return true;
	return false;
}

pp_status
pp_remap_derive(const struct pp_profile *p, pp_map_finder *find, void *data,
                struct pp_remapped *counts, struct pp_profile **out)
{
	const unsigned columns = PP_COLUMN_STRINGS | PP_COLUMN_FUNCS | PP_COLUMN_FRAMES |
	                         PP_COLUMN_CALLS | PP_COLUMN_LINES | PP_COLUMN_DERIVED;
	struct remap r = { .find = find, .data = data };
	bool fine;

	*out = NULL;
	*counts = (struct pp_remapped){ 0 };
	if (!is_mapped(p, find, data))
		return PP_OK;
	/* What only the format's own writer understands is of the scripts. */
	if (!pp_derive_init(&r.d, p, columns, PP_COLUMN_KEPT))
		return PP_E_NOMEM;
	fine = funcs_remap(&r);
	places_remap(&r);
	fine = fine && !r.failed && same_settle(&r);
	*counts = r.counts;
	return pp_derive_finish(&r.d, fine ? PP_OK : PP_E_NOMEM, out);
}
