/*
 * Tables: two passes over the rows, one to measure and one to print, so that no cell is stored.
 */
#include "output/table.h"

#include "text/escape.h"

/* Left-aligned columns are padded to at most this: one name of a megabyte must not pad every row. */
#define PAD_MAX 60
#define GAP 2
/* A flexible column is not shortened below this; rather, optional columns go. */
#define FLEX_MIN 24
/* The last resort on a very narrow terminal. */
#define FLEX_LEAST 8

#define COLUMNS_MAX 64

struct layout {
	size_t width[COLUMNS_MAX];
	size_t limit[COLUMNS_MAX]; /* cells are shortened to this; 0 = not */
	bool shown[COLUMNS_MAX];
	size_t blanks; /* owed before the next cell that has text: rows do not end in blanks */
	struct pp_buf cell;
	struct pp_buf cut;
};

static const char *
column_title(const struct pp_column *column)
{
	return column->title ? column->title : column->field->title;
}

static unsigned
column_drop(const struct pp_column *column)
{
	return column->drop ? column->drop : column->field->drop;
}

static void
layout_measure(struct layout *l, const struct pp_table *t)
{
	size_t c, row;

	for (c = 0; c < t->column_count; c++) {
		const struct pp_column *column = &t->columns[c];
		const char *title = column_title(column);

		l->shown[c] = false;
		l->limit[c] = 0;
		l->width[c] = pp_text_columns(title, strlen(title));
		for (row = 0; row < t->rows && column->field->show; row++) {
			size_t width;

			l->cell.n = 0;
			column->field->show(t->data, row, column->arg, &l->cell);
			width = l->cell.n ? pp_text_columns(l->cell.p, l->cell.n) : 0;
			l->shown[c] |= width > 0;
			if (width > l->width[c])
				l->width[c] = width;
		}
	}
}

static size_t
layout_total(const struct layout *l, const struct pp_table *t)
{
	size_t c, total = 0;

	for (c = 0; c < t->column_count; c++)
		if (l->shown[c])
			total += l->width[c] + GAP;
	return total;
}

/* Takes as much as needed, and as there is above `least`, from the flexible columns, widest first. */
static void
layout_squeeze(struct layout *l, const struct pp_table *t, size_t width, size_t least)
{
	for (;;) {
		size_t total = layout_total(l, t), widest = t->column_count, c;

		for (c = 0; c < t->column_count; c++)
			if (l->shown[c] && (t->columns[c].field->flags & PP_FIELD_FLEX) &&
			    l->width[c] > least &&
			    (widest == t->column_count || l->width[c] > l->width[widest]))
				widest = c;
		if (total <= width || widest == t->column_count)
			return;
		l->width[widest] -= l->width[widest] - least < total - width
		                        ? l->width[widest] - least
		                        : total - width;
		l->limit[widest] = l->width[widest];
	}
}

static void
layout_fit(struct layout *l, const struct pp_table *t, size_t width)
{
	size_t natural[COLUMNS_MAX];

	memcpy(natural, l->width, sizeof natural);
	for (;;) {
		size_t c, drop = t->column_count;

		layout_squeeze(l, t, width, FLEX_MIN);
		if (layout_total(l, t) <= width)
			return;
		for (c = 0; c < t->column_count; c++)
			if (l->shown[c] && column_drop(&t->columns[c]) > 0 &&
			    (drop == t->column_count ||
			     column_drop(&t->columns[c]) >= column_drop(&t->columns[drop])))
				drop = c;
		if (drop == t->column_count)
			break;
		/* What the dropped column took may be given back to the flexible ones. */
		memcpy(l->width, natural, sizeof natural);
		memset(l->limit, 0, sizeof l->limit);
		l->shown[drop] = false;
	}
	layout_squeeze(l, t, width, FLEX_LEAST);
}

static void
cell_print(struct layout *l, const struct pp_table *t, size_t c, const char *text, size_t n,
           enum pp_ink ink, const struct pp_style *style, struct pp_sink *out)
{
	size_t columns, blanks, width = l->width[c];
	bool left = t->columns[c].field->align == PP_LEFT;

	if (l->limit[c] > 0) {
		l->cut.n = 0;
		columns = pp_text_shorten(&l->cut, text, n, l->limit[c]);
		text = l->cut.p;
		n = l->cut.n;
	} else {
		columns = pp_text_columns(text, n);
	}
	if (left && width > PAD_MAX && l->limit[c] == 0)
		width = PAD_MAX;
	blanks = columns < width ? width - columns : 0;
	l->blanks += GAP + (left ? 0 : blanks);
	if (n > 0) {
		pp_text_pad(out, l->blanks);
		pp_sink_puts(out, pp_ink_on(style, ink));
		pp_sink_write(out, text, n);
		pp_sink_puts(out, pp_ink_off(style, ink));
		l->blanks = 0;
	}
	l->blanks += left ? blanks : 0;
}

static void
row_end(struct layout *l, struct pp_sink *out)
{
	pp_sink_putc(out, '\n');
	l->blanks = 0;
}

static void
row_print(struct layout *l, const struct pp_table *t, size_t row, const struct pp_style *style,
          struct pp_sink *out)
{
	size_t c;

	for (c = 0; c < t->column_count; c++) {
		const struct pp_column *column = &t->columns[c];
		enum pp_ink ink = PP_INK_PLAIN;

		if (!l->shown[c])
			continue;
		l->cell.n = 0;
		column->field->show(t->data, row, column->arg, &l->cell);
		if (column->field->ink)
			ink = column->field->ink(t->data, row, column->arg);
		cell_print(l, t, c, l->cell.p ? l->cell.p : "", l->cell.n, ink, style, out);
	}
	row_end(l, out);
}

void
pp_table_print(const struct pp_table *t, const struct pp_style *style, struct pp_sink *out)
{
	struct layout l = { .cell = { 0 } };
	size_t c, row;

	if (t->column_count > COLUMNS_MAX)
		return;
	layout_measure(&l, t);
	if (style->width > 0)
		layout_fit(&l, t, style->width);
	for (c = 0; c < t->column_count; c++) {
		const char *title = column_title(&t->columns[c]);

		if (l.shown[c])
			cell_print(&l, t, c, title, strlen(title), PP_INK_HEADER, style, out);
	}
	row_end(&l, out);
	for (row = 0; row < t->rows && out->status == PP_OK; row++)
		row_print(&l, t, row, style, out);
	if ((l.cell.failed || l.cut.failed) && out->status == PP_OK)
		out->status = PP_E_NOMEM;
	pp_buf_release(&l.cell);
	pp_buf_release(&l.cut);
}

/* ---- CSV ---- */

static void
csv_cell(struct pp_sink *out, struct pp_buf *cell, bool tame, struct pp_buf *spare)
{
	if (tame) {
		spare->n = 0;
		pp_escape_terminal(spare, pp_slice_of(cell->p, cell->n));
		pp_escape_csv(out, pp_slice_of(spare->p, spare->n));
	} else {
		pp_escape_csv(out, pp_slice_of(cell->p, cell->n));
	}
}

void
pp_table_csv(const struct pp_table *t, bool tame, struct pp_sink *out)
{
	struct pp_buf cell = { 0 }, spare = { 0 };
	size_t c, row;
	bool first = true;

	for (c = 0; c < t->column_count; c++) {
		if (!t->columns[c].field->exact)
			continue;
		cell.n = 0;
		pp_buf_adds(&cell, t->columns[c].id ? t->columns[c].id : t->columns[c].field->id);
		pp_sink_puts(out, first ? "" : ",");
		csv_cell(out, &cell, tame, &spare);
		first = false;
	}
	pp_sink_puts(out, "\n");
	for (row = 0; row < t->rows && out->status == PP_OK; row++) {
		first = true;
		for (c = 0; c < t->column_count; c++) {
			if (!t->columns[c].field->exact)
				continue;
			cell.n = 0;
			t->columns[c].field->exact(t->data, row, t->columns[c].arg, &cell);
			pp_sink_puts(out, first ? "" : ",");
			csv_cell(out, &cell, tame, &spare);
			first = false;
		}
		pp_sink_puts(out, "\n");
	}
	if ((cell.failed || spare.failed) && out->status == PP_OK)
		out->status = PP_E_NOMEM;
	pp_buf_release(&cell);
	pp_buf_release(&spare);
}
