/*
 * Who owns which columns: releasing, sharing and handing them on.
 */
#include "model/derive.h"

#include "model/held.h"

#include "model/builder.h"

/* Every growable array has this layout; see PP_VEC. */
struct array {
	void *at;
	size_t n, cap;
};

#define ARRAY(column, member)                                                                      \
	{                                                                                          \
		PP_COLUMN_##column, offsetof(struct pp_profile, member),                           \
		    sizeof *((struct pp_profile *)0)->member.at                                    \
	}

/* The columns that are growable arrays of plain rows. */
static const struct {
	unsigned column;
	size_t at, item;
} arrays[] = {
	ARRAY(MODULES, modules),
	ARRAY(FUNCS, funcs),
	ARRAY(FRAMES, frames),
	ARRAY(METRICS, metrics),
	ARRAY(METRICS, aside),
	ARRAY(LABELS, labels),
	ARRAY(META, meta),
	ARRAY(SERIES, series),
	ARRAY(CALLS, calls.rows),
	ARRAY(CALLS, calls.cells),
	ARRAY(CALLS, calls.facts),
	ARRAY(LINES, lines.rows),
	ARRAY(LINES, lines.cells),
	ARRAY(COSTS, costs.cells),
	ARRAY(COSTS, costs.funcs),
	ARRAY(COSTS, costs.calls),
	ARRAY(COSTS, costs.unfiltered),
	ARRAY(COSTS, costs.series),
	ARRAY(SOURCES, sources),
	ARRAY(SOURCES, source_maps),
	ARRAY(KEPT, kept.extras),
	ARRAY(NOT_OWN, not_own),
	ARRAY(DERIVED, derived.alone),
	ARRAY(DERIVED, derived.cycles),
	ARRAY(DERIVED, derived.mangled),
	ARRAY(DERIVED, derived.generated),
};

/* And those of many metrics. */
static const struct {
	unsigned column;
	size_t at;
} wides[] = {
	{ PP_COLUMN_CALLS, offsetof(struct pp_profile, calls.wide) },
	{ PP_COLUMN_LINES, offsetof(struct pp_profile, lines.wide) },
	{ PP_COLUMN_COSTS, offsetof(struct pp_profile, costs.wide) },
};

static struct pp_wide **
wide_at(struct pp_profile *p, size_t i)
{
	return (struct pp_wide **)(void *)((char *)p + wides[i].at);
}

static struct array
array_get(const struct pp_profile *p, size_t i)
{
	struct array array;

	memcpy(&array, (const char *)p + arrays[i].at, sizeof array);
	return array;
}

static void
array_set(struct pp_profile *p, size_t i, struct array array)
{
	memcpy((char *)p + arrays[i].at, &array, sizeof array);
}

void
pp_series_release(struct pp_series *s)
{
	free(s->cells);
	pp_wide_free(s->wide);
	free(s->node_of);
	free(s->present);
	pp_map_release(&s->row_of);
	pp_series_forget(s);
}

/* Frees columns and leaves nothing in them; the tree is not even a root then. */
static void
columns_release(struct pp_profile *p, unsigned columns)
{
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		if (columns & PP_COLUMN_ROWS)
			pp_series_release(&p->series.at[i]);
		if (columns & PP_COLUMN_TIMES)
			pp_timeline_release(&p->series.at[i].timeline);
	}
	if ((columns & PP_COLUMN_KEPT) && p->kept.free)
		p->kept.free(p->kept.data);
	if (columns & PP_COLUMN_STRINGS)
		pp_strtab_release(&p->strs);
	if (columns & PP_COLUMN_TREE) {
		pp_tree_release(&p->tree);
		pp_held_free(p->held);
		p->held = NULL;
	}
	for (i = 0; i < PP_COUNT_OF(wides); i++)
		if (columns & wides[i].column) {
			pp_wide_free(*wide_at(p, i));
			*wide_at(p, i) = NULL;
		}
	for (i = 0; i < PP_COUNT_OF(arrays); i++)
		if (columns & arrays[i].column) {
			free(array_get(p, i).at);
			array_set(p, i, (struct array){ 0 });
		}
}

void
pp_profile_release(struct pp_profile *p)
{
	if (!p)
		return;
	columns_release(p, PP_COLUMNS & ~p->shared);
	free(p);
}

/* ---- a derived profile ------------------------------------------------------------------ */

/* What becomes its own together with some columns. */
static unsigned
columns_complete(unsigned columns)
{
	return columns & (PP_COLUMN_ROWS | PP_COLUMN_TIMES) ? columns | PP_COLUMN_SERIES : columns;
}

static bool
array_copy(struct pp_profile *p, size_t i)
{
	struct array from = array_get(p, i), to = { .n = from.n, .cap = from.n + 1 };

	to.at = malloc(to.cap * arrays[i].item);
	array_set(p, i, to.at ? to : (struct array){ 0 });
	if (to.at && from.n)
		memcpy(to.at, from.at, from.n * arrays[i].item);
	return to.at != NULL;
}

static bool
bytes_copy(void *pointer, size_t n)
{
	void *from, *to;

	memcpy(&from, pointer, sizeof from);
	if (!from)
		return true;
	to = malloc(n + 1);
	if (to)
		memcpy(to, from, n);
	memcpy(pointer, &to, sizeof to);
	return to != NULL;
}

static bool
wide_copy(struct pp_wide **wide)
{
	const struct pp_wide *from = *wide;

	*wide = from ? pp_wide_copy(from) : NULL;
	return !from || *wide;
}

/* Gives a series whose list was copied cells of its own. */
static bool
rows_copy(struct pp_series *s)
{
	bool fine = bytes_copy(&s->cells, (size_t)s->rows * s->stride * sizeof *s->cells);

	fine &= wide_copy(&s->wide);
	fine &= bytes_copy(&s->node_of, s->rows * sizeof *s->node_of);
	fine &= bytes_copy(&s->present, ((size_t)s->rows + 63) / 64 * sizeof *s->present);
	s->rows_cap = s->rows;
	return fine;
}

bool
pp_derive_copy(struct pp_derive *d, unsigned columns)
{
	struct pp_profile *p = d->to;
	bool fine = true;
	size_t i;

	columns = columns_complete(columns) & p->shared;
	p->shared &= ~columns;
	/* Each column is settled, also after a failure: what is not shared will be freed. */
	if (columns & PP_COLUMN_STRINGS)
		fine = pp_strtab_extend(&p->strs, &d->from->strs);
	for (i = 0; i < PP_COUNT_OF(arrays); i++)
		if (columns & arrays[i].column)
			fine &= array_copy(p, i);
	for (i = 0; (columns & PP_COLUMN_ROWS) && i < p->series.n; i++)
		fine &= rows_copy(&p->series.at[i]);
	for (i = 0; i < PP_COUNT_OF(wides); i++)
		if (columns & wides[i].column)
			fine &= wide_copy(wide_at(p, i));
	return fine;
}

bool
pp_derive_empty(struct pp_derive *d, unsigned columns)
{
	const unsigned of_series = PP_COLUMN_ROWS | PP_COLUMN_TIMES;
	struct pp_profile *p = d->to;
	unsigned borrowed;
	size_t i;

	if (columns & PP_COLUMN_SERIES)
		columns |= of_series;
	else if ((columns & of_series) && !pp_derive_copy(d, PP_COLUMN_SERIES))
		return false;
	borrowed = columns & p->shared;
	columns_release(p, columns & ~borrowed);
	for (i = 0; i < p->series.n && !(columns & PP_COLUMN_SERIES); i++) {
		struct pp_series *s = &p->series.at[i];

		if (borrowed & PP_COLUMN_ROWS)
			pp_series_forget(s);
		if (borrowed & PP_COLUMN_TIMES)
			s->timeline = (struct pp_timeline){ 0 };
	}
	for (i = 0; i < PP_COUNT_OF(arrays); i++)
		if (borrowed & arrays[i].column)
			array_set(p, i, (struct array){ 0 });
	for (i = 0; i < PP_COUNT_OF(wides); i++)
		if (borrowed & wides[i].column)
			*wide_at(p, i) = NULL;
	if (columns & PP_COLUMN_KEPT)
		p->kept = (struct pp_kept_facet){ 0 };
	p->shared &= ~columns;
	if (!(columns & PP_COLUMN_TREE))
		return true;
	p->tree = (struct pp_tree){ 0 };
	return pp_tree_init(&p->tree, d->from->tree.seed, d->from->tree.max_nodes,
	                    d->from->tree.pages);
}

bool
pp_derive_init(struct pp_derive *d, const struct pp_profile *from, unsigned copied,
               unsigned emptied)
{
	d->from = from;
	d->to = malloc(sizeof *d->to);
	if (!d->to)
		return false;
	*d->to = *from;
	d->to->shared = PP_COLUMNS;
	if (pp_derive_copy(d, copied) && pp_derive_empty(d, emptied))
		return true;
	pp_profile_release(d->to);
	d->to = NULL;
	return false;
}

void
pp_derive_borrow(struct pp_derive *d, const struct pp_profile *p, unsigned columns)
{
	size_t i;

	if (columns & PP_COLUMN_STRINGS)
		d->to->strs = p->strs;
	for (i = 0; i < PP_COUNT_OF(arrays); i++)
		if (columns & arrays[i].column)
			array_set(d->to, i, array_get(p, i));
}

void
pp_derive_forget_origin(struct pp_derive *d)
{
	struct pp_profile *p = d->to;

	p->variant = p->producer = 0;
	memset(p->compression, 0, sizeof p->compression);
	p->facets = p->holds = 0;
	p->events = p->samples = 0;
	p->time = (struct pp_time_span){ 0 };
	p->recorded_at = 0;
	p->recorded_ns = 0;
}

pp_func
pp_derive_func(struct pp_derive *d, struct pp_slice name, pp_str file, uint32_t line)
{
	struct pp_func_row row = { .file = file, .line = line, .flags = PP_FUNC_PSEUDO };
	struct pp_profile *p = d->to;
	bool is_new;

	row.same = (pp_func)p->funcs.n;
	if (p->funcs.n >= UINT32_MAX - 1 ||
	    !pp_strtab_intern(&p->strs, name.p, name.n, &row.name, &is_new) ||
	    !pp_vec_push(&p->funcs, row))
		return 0;
	return row.same;
}

pp_status
pp_derive_finish(struct pp_derive *d, pp_status status, struct pp_profile **out)
{
	*out = status == PP_OK ? d->to : NULL;
	if (status != PP_OK)
		pp_profile_release(d->to);
	d->to = NULL;
	return status;
}

/* ---- handing columns on ----------------------------------------------------------------- */

/*
 * Frees the rows or timelines of those series that `p` left out. It has the others in the same order, so each is
 * known by what it points at.
 */
static void
series_adopt(const struct pp_profile *p, struct pp_profile *base, unsigned columns)
{
	size_t i, rows = 0, times = 0;

	for (i = 0; i < base->series.n; i++) {
		struct pp_series *s = &base->series.at[i];

		if ((columns & PP_COLUMN_ROWS) && rows < p->series.n &&
		    p->series.at[rows].cells == s->cells && p->series.at[rows].wide == s->wide)
			rows++;
		else if (columns & PP_COLUMN_ROWS)
			pp_series_release(s);
		if ((columns & PP_COLUMN_TIMES) && times < p->series.n &&
		    p->series.at[times].timeline.bytes.p == s->timeline.bytes.p)
			times++;
		else if (columns & PP_COLUMN_TIMES)
			pp_timeline_release(&s->timeline);
	}
}

void
pp_profile_adopt(struct pp_profile *p, struct pp_profile *base)
{
	unsigned taken = p->shared & ~base->shared;

	/* Strings that were added to stand among those that were there. */
	if (!((p->shared | base->shared) & PP_COLUMN_STRINGS))
		pp_arena_join(&p->strs.arena, &base->strs.arena);
	if (!(p->shared & PP_COLUMN_SERIES))
		series_adopt(p, base, taken & (PP_COLUMN_ROWS | PP_COLUMN_TIMES));
	p->shared &= ~taken;
	base->shared |= taken;
	pp_profile_release(base);
}
