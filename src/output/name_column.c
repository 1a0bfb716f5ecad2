/*
 * Names of one table.
 */
#include "output/name_column.h"

#include <stdlib.h>

#include "base/sort.h"
#include "text/escape.h"

/* Of names that look alike, so many are compared with each other. */
#define ALIKE_MOST 64
/* " ‹ …", and what a name needs to have it. */
#define BACK_COLUMNS 4
#define BACK_LEAST 24

void
pp_name_column_add(struct pp_name_column *c, const char *name, size_t n, size_t columns,
                   enum pp_names how)
{
	struct pp_named_row row = { c->full.n, n, c->shown.n, 0, columns };

	if (how == PP_NAMES_SHORT && columns > PP_NAMES_SHORT_MOST)
		row.columns = PP_NAMES_SHORT_MOST;

	pp_buf_add(&c->full, name, n);
	(void)pp_name_fit(&c->shown, name, n, columns, how, false);
	row.shown_n = c->shown.n - row.shown;
	c->failed |= !pp_vec_push(&c->rows, row);
}

/* The name; of a chain the one that it leads to: what stands before that does not make it another. */
static struct pp_slice
full_of(const struct pp_name_column *c, size_t row)
{
	const char *name = c->full.p ? c->full.p + c->rows.at[row].full : "";

	return pp_chain_name(name, c->rows.at[row].full_n);
}

struct pp_slice
pp_name_column_get(const struct pp_name_column *c, size_t row)
{
	return pp_slice_of(c->shown.p ? c->shown.p + c->rows.at[row].shown : "",
	                   c->rows.at[row].shown_n);
}

static int
by_shown(const void *a, const void *b, void *ctx)
{
	const struct pp_name_column *c = ctx;
	size_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = pp_slice_cmp(pp_name_column_get(c, x), pp_name_column_get(c, y));

	order = order ? order : pp_slice_cmp(full_of(c, x), full_of(c, y));
	return order ? order : x < y ? -1 : x > y;
}

/* Where two names differ first: their common length if one starts with the other. */
static size_t
differs_at(struct pp_slice a, struct pp_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;

	while (i < n && a.p[i] == b.p[i])
		i++;
	while (i > 0 && i < a.n && (a.p[i] & 0xc0) == 0x80)
		i--;
	return i;
}

/* Shows more of what tells a row from the one that is most like it; `alike` are sorted by their names. */
static void
row_set_apart(struct pp_name_column *c, const uint32_t *alike, size_t n, size_t at)
{
	struct pp_named_row *row = &c->rows.at[alike[at]];
	struct pp_slice name = full_of(c, alike[at]);
	size_t i, differs = 0, from = c->shown.n, room = row->columns;
	bool another = false, back;

	for (i = 0; i < n; i++) {
		struct pp_slice other = full_of(c, alike[i]);

		/* Longer names that begin with this one show their own endings. */
		if (differs_at(name, other) == name.n)
			continue;
		another = true;
		if (differs_at(name, other) > differs)
			differs = differs_at(name, other);
	}
	if (!another)
		return;
	/* Behind the name that a chain leads back from, that there is more. */
	back = (const char *)name.p == c->full.p + row->full && name.n < row->full_n &&
	       room > BACK_LEAST;
	room -= back ? BACK_COLUMNS : 0;
	if (!pp_name_shorten_apart(&c->shown, (const char *)name.p, name.n, room, differs))
		pp_name_shorten_middle(&c->shown, (const char *)name.p, name.n, room);
	pp_buf_adds(&c->shown, back ? PP_CHAIN_BACK "\xe2\x80\xa6" : "");
	row->shown = from;
	row->shown_n = c->shown.n - from;
}

void
pp_name_column_settle(struct pp_name_column *c)
{
	size_t n = c->rows.n, first = 0, i, k;
	uint32_t *order = n > 1 && !c->failed ? malloc(n * sizeof *order) : NULL;

	for (i = 0; order && i < n; i++)
		order[i] = (uint32_t)i;
	if (order)
		pp_sort(order, n, sizeof *order, by_shown, c);
	for (i = 1; order && i <= n; i++) {
		if (i < n && pp_slice_cmp(pp_name_column_get(c, order[first]),
		                          pp_name_column_get(c, order[i])) == 0)
			continue;
		/* Sorted by name in the end, so the first and the last tell whether they differ. */
		if (i - first > 1 && i - first <= ALIKE_MOST &&
		    pp_slice_cmp(full_of(c, order[first]), full_of(c, order[i - 1])) != 0)
			for (k = first; k < i; k++)
				row_set_apart(c, order + first, i - first, k - first);
		first = i;
	}
	c->failed |= (n > 1 && !order) || c->full.failed || c->shown.failed;
	free(order);
}

void
pp_name_column_release(struct pp_name_column *c)
{
	pp_buf_release(&c->full);
	pp_buf_release(&c->shown);
	pp_vec_release(&c->rows);
}
