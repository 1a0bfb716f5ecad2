/*
 * Which function a source line belongs to.
 */
#include "analysis/places.h"

#include "base/sort.h"

static int
compare_places(const void *left, const void *right, void *context)
{
	const struct pp_place *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return (a->func > b->func) - (a->func < b->func);
}

/* Where a function stands; one whose end is not known goes on to the next. */
static struct pp_place
place_make(const struct pp_profile *p, pp_func func)
{
	const struct pp_func_row *f = &p->funcs.at[func];
	bool script = f->flags & PP_FUNC_SCRIPT;

	return (struct pp_place){ .file = f->file,
		                  .first = script ? 0 : f->line,
		                  .last = script || f->last_line < f->line ? UINT32_MAX
		                                                           : f->last_line,
		                  .said = f->line,
		                  .func = func };
}

bool
pp_places_init(struct pp_places *o, const struct pp_profile *p)
{
	uint32_t around;
	size_t i;

	*o = (struct pp_places){ 0 };
	for (i = 1; i < p->funcs.n; i++) {
		const struct pp_func_row *f = &p->funcs.at[i];

		if (f->same == i && f->file && (f->line || f->flags & PP_FUNC_SCRIPT) &&
		    !pp_vec_push(&o->at, place_make(p, (pp_func)i)))
			return false;
	}
	if (o->at.n > 1)
		pp_sort(o->at.at, o->at.n, sizeof *o->at.at, compare_places, NULL);
	for (i = 1; i < o->at.n; i++) {
		struct pp_place *own = &o->at.at[i];

		if (own[-1].file != own->file)
			continue;
		for (around = (uint32_t)i; around && o->at.at[around - 1].last < own->first;)
			around = o->at.at[around - 1].around;
		own->around = around;
	}
	return true;
}

void
pp_places_release(struct pp_places *o)
{
	pp_vec_release(&o->at);
}

/* The innermost function around a line; NULL when there is none. */
static const struct pp_place *
place_find(const struct pp_places *o, pp_str file, uint32_t line)
{
	size_t low = 0, high = o->at.n;
	uint32_t at;

	/* The last one that begins at the line or before it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pp_place *own = &o->at.at[middle];

		if (own->file < file || (own->file == file && own->first <= line))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || line == 0 || o->at.at[low - 1].file != file)
		return NULL;
	for (at = (uint32_t)low; at && o->at.at[at - 1].last < line;)
		at = o->at.at[at - 1].around;
	return at ? &o->at.at[at - 1] : NULL;
}

pp_func
pp_place_func(const struct pp_places *o, pp_str file, uint32_t line)
{
	const struct pp_place *place = place_find(o, file, line);

	return place ? place->func : 0;
}

void
pp_places_mark(struct pp_places *o, bool (*is)(const void *, pp_func), const void *data)
{
	size_t i;

	for (i = 0; i < o->at.n; i++) {
		struct pp_place *own = &o->at.at[i];
		const struct pp_place *around = own->around ? &o->at.at[own->around - 1] : NULL;
		bool marked = is(data, own->func);

		own->marked_first = own->marked_same = marked ? own->func : 0;
		if (marked || !around)
			continue;
		if (around->said == own->first)
			own->marked_first = around->marked_first;
		if (around->first == own->first && around->last == own->last)
			own->marked_same = around->marked_same;
	}
}

pp_func
pp_place_marked(const struct pp_places *o, pp_str file, uint32_t line)
{
	const struct pp_place *place = place_find(o, file, line);
	pp_func marked = !place                 ? 0
	                 : place->first == line ? place->marked_first
	                                        : place->marked_same;

	return marked ? marked : place ? place->func : 0;
}
