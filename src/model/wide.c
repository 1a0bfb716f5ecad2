/*
 * Rows of many columns: spans of one pool. A span that is full moves to the end of the pool, with room for twice as much.
 */
#include "model/wide.h"

#include <string.h>

struct pp_wide *
pp_wide_new(size_t size, size_t rows)
{
	struct pp_wide *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->size = size;
	if (rows && !pp_vec_reserve(&w->rows, rows)) {
		free(w);
		return NULL;
	}
	if (rows)
		memset(w->rows.at, 0, rows * sizeof *w->rows.at);
	w->rows.n = rows;
	return w;
}

void
pp_wide_free(struct pp_wide *w)
{
	if (!w)
		return;
	pp_vec_release(&w->rows);
	free(w->column);
	free(w->cells);
	free(w);
}

void
pp_wide_clear(struct pp_wide *w)
{
	w->rows.n = w->n = 0;
}

bool
pp_wide_push(struct pp_wide *w)
{
	return pp_vec_push(&w->rows, (struct pp_span){ 0 });
}

bool
pp_wide_reserve(struct pp_wide *w, size_t n)
{
	if (n >= UINT32_MAX)
		return false;
	return (n <= w->columns_room ||
	        pp_vec_grow((void **)&w->column, &w->columns_room, sizeof *w->column, n)) &&
	       (n <= w->cells_room || pp_vec_grow((void **)&w->cells, &w->cells_room, w->size, n));
}

struct pp_wide *
pp_wide_copy(const struct pp_wide *from)
{
	struct pp_wide *w = pp_wide_new(from->size, 0);
	size_t row, cells = 0;
	bool fine;

	for (row = 0; row < from->rows.n; row++)
		cells += from->rows.at[row].n;
	fine = w && pp_wide_reserve(w, cells + 1) && pp_vec_reserve(&w->rows, from->rows.n + 1);
	for (row = 0; fine && row < from->rows.n; row++)
		fine = pp_wide_add_row(w, from, row);
	if (!fine) {
		pp_wide_free(w);
		w = NULL;
	}
	return w;
}

/* Room for one more cell of a row. */
static bool
span_grow(struct pp_wide *w, struct pp_span *s)
{
	uint32_t room = s->n ? 2 * s->n : 1;
	bool last = s->room && (size_t)s->first + s->room == w->n;
	size_t first = last ? s->first : w->n;

	/* The last one grows where it is, and by one: the next row begins behind what it needs. */
	room = last ? s->n + 1 : room;
	if (s->n > UINT32_MAX / 4 || !pp_wide_reserve(w, first + room))
		return false;
	if (!last && s->n) {
		memcpy(w->column + first, w->column + s->first, s->n * sizeof *w->column);
		memcpy(w->cells + first * w->size, w->cells + s->first * w->size, s->n * w->size);
	}
	s->first = (uint32_t)first;
	s->room = room;
	w->n = first + room;
	return true;
}

size_t
pp_wide_place(const struct pp_wide *w, size_t row, uint32_t column)
{
	const struct pp_span *s = &w->rows.at[row];
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->column[s->first + middle] < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *
pp_wide_at(struct pp_wide *w, size_t row, uint32_t column)
{
	struct pp_span *s = &w->rows.at[row];
	/* Most come in the order of columns. */
	size_t at = s->n && w->column[s->first + s->n - 1] < column ? s->n
	                                                            : pp_wide_place(w, row, column);
	unsigned char *cell;

	if (at == s->n || w->column[s->first + at] != column) {
		if (s->n == s->room && !span_grow(w, s))
			return NULL;
		memmove(w->column + s->first + at + 1, w->column + s->first + at,
		        (s->n - at) * sizeof *w->column);
		cell = w->cells + (s->first + at) * w->size;
		memmove(cell + w->size, cell, (s->n - at) * w->size);
		w->column[s->first + at] = column;
		memset(cell, 0, w->size);
		s->n++;
	}
	return w->cells + (s->first + at) * w->size;
}

const void *
pp_wide_find(const struct pp_wide *w, size_t row, uint32_t column)
{
	const struct pp_span *s = &w->rows.at[row];
	size_t at = pp_wide_place(w, row, column);

	return at < s->n && w->column[s->first + at] == column
	           ? w->cells + (s->first + at) * w->size
	           : NULL;
}

struct pp_cells
pp_wide_cells(const struct pp_wide *w, size_t row, uint32_t from, uint32_t n)
{
	const struct pp_span *s = &w->rows.at[row];
	size_t first, end;

	if (!s->n)
		return (struct pp_cells){ 0 };
	first = from ? pp_wide_place(w, row, from) : 0;
	end = pp_wide_place(w, row, from + n);
	return (struct pp_cells){ .at = (const int64_t *)(const void *)w->cells + s->first + first,
		                  .column = w->column + s->first + first,
		                  .base = from,
		                  .n = end - first };
}

bool
pp_wide_add_row(struct pp_wide *w, const struct pp_wide *from, size_t row)
{
	struct pp_span s = from->rows.at[row];

	if (!pp_wide_reserve(w, w->n + s.n) ||
	    !pp_vec_push(&w->rows, (struct pp_span){ (uint32_t)w->n, s.n, s.n }))
		return false;
	if (s.n) {
		memcpy(w->column + w->n, from->column + s.first, s.n * sizeof *w->column);
		memcpy(w->cells + w->n * w->size, from->cells + s.first * w->size, s.n * w->size);
	}
	w->n += s.n;
	return true;
}

bool
pp_wide_add_cells(struct pp_wide *w, const int64_t *cells, size_t columns)
{
	size_t row = w->rows.n, i;

	if (!pp_wide_push(w))
		return false;
	for (i = 0; i < columns; i++) {
		int64_t *to = cells[i] ? pp_wide_at(w, row, (uint32_t)i) : NULL;

		if (to)
			*to = cells[i];
		else if (cells[i])
			return false;
	}
	return true;
}

void
pp_wide_rename(struct pp_wide *w, const uint32_t *new_of)
{
	size_t row, i;

	for (row = 0; row < w->rows.n; row++) {
		struct pp_span *s = &w->rows.at[row];
		uint32_t n = 0;

		for (i = s->first; i < (size_t)s->first + s->n; i++) {
			size_t to = (size_t)s->first + n;

			if (new_of[w->column[i]] == PP_NO_COLUMN)
				continue;
			w->column[to] = new_of[w->column[i]];
			memmove(w->cells + to * w->size, w->cells + i * w->size, w->size);
			n++;
		}
		s->n = n;
	}
}

void
pp_wide_keep(struct pp_wide *w, const bool *stays)
{
	size_t row, n = 0;

	for (row = 0; row < w->rows.n; row++)
		if (stays[row])
			w->rows.at[n++] = w->rows.at[row];
	w->rows.n = n;
}
