/*
 * The list of functions.
 *
 *     0.4   NAME                 Class::method, function, or the path of a script
 *     0.5   FILE:LINE:NAME       empty FILE and line 0 for internal functions; FILE may hold anything
 *
 * Nothing is escaped. Where FILE:LINE:NAME can be cut in several ways, the cut that makes FILE and NAME
 * equal is right (top-level code of a script); else the right-most one whose NAME looks like a name.
 */
#include "base/num.h"
#include "formats/spx/read.h"
#include "text/units.h"

#define CUTS_LOOKED_AT 64
/* Names of functions that no event has named yet are kept up to here. */
#define NAMES_KEPT 65536

/* ---- one line ---- */

/* Whether this can be the name of a function, not the rest of a path. */
static bool
looks_like_name(struct pp_slice s)
{
	return !memchr(s.p, '/', s.n) || pp_slice_holds(s, "{closure") ||
	       pp_slice_holds(s, "eval()'d");
}

/*
 * Finds the cut ":DIGITS:" whose second colon is the first at or before `last`; false when there is
 * none. At least one byte follows it.
 */
static bool
cut_before(struct pp_slice text, size_t last, struct spx_name *out)
{
	size_t second = last + 1;

	while (second-- > 1) {
		size_t first = second;
		uint64_t line;

		if (text.p[second] != ':' || second + 1 == text.n)
			continue;
		while (first > 0 && pp_is_digit(text.p[first - 1]))
			first--;
		if (first == second || first == 0 || text.p[first - 1] != ':')
			continue;
		if (!pp_num_u64(pp_slice_of(text.p + first, second - first), &line))
			line = 0;
		out->file = pp_slice_of(text.p, first - 1);
		out->line = line > UINT32_MAX ? 0 : (uint32_t)line;
		out->name = pp_slice_of(text.p + second + 1, text.n - second - 1);
		return true;
	}
	return false;
}

struct spx_name
pp_spx_name_split(struct pp_slice text, bool places)
{
	struct spx_name cut, best = { .file = pp_slice_of(text.p, 0), .name = text };
	bool sure = false;
	/* Without a file there is nothing to cut wrongly. */
	bool internal = places && text.n > 3 && memcmp(text.p, ":0:", 3) == 0;
	size_t last = text.n ? text.n - 1 : 0, found = 0;

	if (internal)
		best.name = pp_slice_of(text.p + 3, text.n - 3);
	while (places && !internal && cut_before(text, last, &cut)) {
		cut.flags = 0;
		if (pp_slice_eq(cut.file, cut.name)) {
			best = cut;
			best.flags = PP_FUNC_SCRIPT;
			return best;
		}
		/* Hostile names have any number of cuts: a few are looked at in full. */
		if (!sure && found < CUTS_LOOKED_AT) {
			sure = looks_like_name(cut.name);
			if (sure || !found)
				best = cut;
		}
		found++;
		if (cut.file.n == 0)
			break;
		/* The colon before the digits may end another cut. */
		last = cut.file.n;
	}
	if (internal || (found && best.file.n == 0) ||
	    (best.name.n > 2 && memcmp(best.name.p, "::", 2) == 0))
		best.flags |= PP_FUNC_INTERNAL;
	return best;
}

/* ---- functions that events name ---- */

const struct spx_used *
pp_spx_used(struct spx_read *r, uint32_t index)
{
	struct spx_functions *f = &r->funcs;
	uint32_t row = pp_map_get(&f->func_map, index);
	struct spx_used used = { index, 0 };

	if (row != PP_MAP_NONE)
		return &f->used.at[row];
	used.func = pp_build_func_later(r->b);
	row = (uint32_t)f->used.n;
	if (!pp_vec_push(&f->used, used) || !pp_map_set(&f->func_map, index, row)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (index > f->max_index)
		f->max_index = index;
	return &f->used.at[row];
}

/* ---- the list ---- */

void
pp_spx_name_add(struct spx_read *r, struct pp_slice text)
{
	struct spx_functions *f = &r->funcs;
	struct pp_slice line = pp_slice_chomp(text);

	r->found.crlf |= line.n != text.n;
	if (line.n == 0)
		return;
	f->lines++;
	if (f->name_ends.n >= NAMES_KEPT && f->name_ends.n > f->max_index)
		return;
	pp_buf_add(&f->names, line.p, line.n);
	if (f->names.failed || !pp_vec_push(&f->name_ends, f->names.n))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static struct pp_slice
name_text(const struct spx_functions *f, size_t index)
{
	size_t begin = index ? f->name_ends.at[index - 1] : 0;

	return pp_slice_of(f->names.p + begin, f->name_ends.at[index] - begin);
}

static void
name_bind(struct spx_read *r, const struct spx_used *used)
{
	struct pp_func_row row = { 0 };

	if (used->index < r->funcs.name_ends.n) {
		struct spx_name name = pp_spx_name_split(name_text(&r->funcs, used->index),
		                                         r->doc.layout.bars);

		row.name = pp_build_str(r->b, name.name);
		row.file = pp_build_str(r->b, name.file);
		row.line = name.line;
		row.flags = name.flags;
	} else {
		row.name = pp_build_strf(r->b, "#%u", used->index);
		row.flags = PP_FUNC_UNKNOWN;
	}
	pp_build_func_bind(r->b, used->func, &row);
}

/* Says what is wrong with the list of functions as a whole. */
static void
names_check(struct spx_read *r)
{
	struct pp_diags *diags = r->reader->diags;
	const struct spx_functions *f = &r->funcs;
	uint64_t nameless = 0;
	uint32_t first = 0;
	size_t i;

	for (i = 0; i < f->used.n; i++)
		if (f->used.at[i].index >= f->name_ends.n && nameless++ == 0)
			first = f->used.at[i].index;
	if (!r->doc.has_names && (f->used.n || r->doc.has_events))
		pp_spx_find_lost(r, SPX_FUNCTIONS_MISSING, PP_NOWHERE,
		                 "there is no list of functions; %zu %s no name", f->used.n,
		                 pp_plural(f->used.n, "function has", "functions have"));
	else if (nameless)
		pp_spx_find_lost(r, SPX_FUNCTION_INDEX, PP_NOWHERE,
		                 "%llu %s no name: the list has %llu, an event names function %u",
		                 (unsigned long long)nameless,
		                 pp_plural(nameless, "function has", "functions have"),
		                 (unsigned long long)f->lines, first);
	if (r->meta->functions >= 0 && r->documents <= 1 && f->lines > (uint64_t)r->meta->functions)
		pp_diag_add(
		    diags, &pp_spx_rules[SPX_FUNCTION_LINES], PP_NOWHERE,
		    "lines in the list of functions: %llu, functions that the metadata counts: %lld",
		    (unsigned long long)f->lines, (long long)r->meta->functions);
	if (f->lines == NAMES_KEPT)
		pp_diag_add(diags, &pp_spx_rules[SPX_FUNCTION_LIMIT], PP_NOWHERE,
		            "the list has %d functions, as many as SPX can hold", NAMES_KEPT);
}

/* Without events the names alone tell the layout: all have places, or they are names only. */
static bool
names_have_places(const struct spx_functions *f)
{
	size_t i;

	for (i = 0; i < f->name_ends.n; i++)
		if (pp_spx_name_split(name_text(f, i), true).name.n == name_text(f, i).n)
			return false;
	return f->name_ends.n > 0;
}

void
pp_spx_names_bind(struct spx_read *r)
{
	const struct spx_functions *f = &r->funcs;
	bool keeps;
	size_t i;

	if (!r->doc.has_events)
		r->doc.layout.bars = names_have_places(f);
	/*
	 * To write the report back, functions that were never called are kept as well: not of a damaged
	 * report without any event, which must be refused whatever is ordered.
	 */
	keeps = r->b->order.facets & PP_EXTRAS &&
	        (r->b->profile->events || r->b->profile->complete);
	for (i = 0; keeps && i < f->name_ends.n && i < NAMES_KEPT; i++)
		(void)pp_spx_used(r, (uint32_t)i);
	for (i = 0; i < f->used.n; i++)
		name_bind(r, &f->used.at[i]);
	names_check(r);
}

void
pp_spx_names_forget(struct spx_functions *f)
{
	f->used.n = f->name_ends.n = f->names.n = 0;
	f->lines = 0;
	f->max_index = 0;
	pp_map_release(&f->func_map);
	pp_map_release(&f->frame_map);
}
