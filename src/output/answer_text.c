/*
 * An answer as text for people. Tables take two passes over their rows, one to measure and one to print, so that no cell
 * is stored.
 */
#include <stdlib.h>

#include "output/diag_view.h"
#include "output/name_column.h"
#include "output/render.h"
#include "text/escape.h"
#include "text/units.h"

/* Left-aligned columns are padded to at most this: one name of a megabyte must not pad every row. */
#define PAD_MAX 160
#define GAP 2
/* A flexible column is not shortened below this, or this if it has names; rather, optional columns go. */
#define FLEX_MIN 24
#define NAMES_MIN 38
/* The last resort on a very narrow terminal. */
#define FLEX_LEAST 8
/* A place is not shortened below this; rather, it goes. */
#define PLACE_LEAST 16
/* What a name of a tree gets, however deep it stands, while other columns can still go. */
#define LAST_LEAST 20
/* How deep a row stands that is not indented as deep, usually: "[10] ". */
#define LEVEL_COLUMNS 5
/* Rows of a tree are indented by at most so many levels, be there room or not. */
#define LEVELS_MOST 24
#define LEVELS_LEAST 3
/* Of the keys of a listing. */
#define KEY_COLUMNS 14

struct layout {
	struct pp_rendering *r;
	const struct pp_answer_table *t;
	struct pp_sink *out; /* of the row being printed */
	/* By column: */
	size_t *width;
	size_t *natural; /* before any was shortened */
	size_t *limit;   /* cells are shortened to this; 0 = not */
	bool *shown;
	size_t blanks; /* owed before the next cell that has text: rows do not end in blanks */
	struct pp_buf cut;
	struct pp_name_column names; /* of the column that has names, if they are shortened */
	size_t names_at;             /* that column */
	PP_VEC(bool) follows;        /* of a tree, per level: more rows come on it */
};

/* Whether a column takes what is left of the width, behind its row's place in the tree. */
static bool
is_last(const struct pp_answer_column *column)
{
	return column->flags & (PP_COLUMN_RAILS | PP_COLUMN_INDENT);
}

/* Whether a column may be shortened. */
static bool
is_flexible(const struct layout *l, size_t c)
{
	unsigned flags = l->t->columns[c].flags;

	return flags & PP_COLUMN_FLEX &&
	       !(flags & PP_COLUMN_NAMES && l->r->opts->names == PP_NAMES_FULL);
}

/* ---- measuring ---- */

/* The columns of what r->text holds, once it is as short as names shall be. */
static size_t
text_measure(struct layout *l, const struct pp_answer_column *column)
{
	const struct pp_buf *text = &l->r->text;

	if (text->n == 0)
		return 0;
	if (!(column->flags & PP_COLUMN_NAMES) || l->r->opts->names != PP_NAMES_SHORT)
		return pp_text_columns(text->p, text->n);
	l->cut.n = 0;
	return pp_name_fit(&l->cut, text->p, text->n, SIZE_MAX, PP_NAMES_SHORT, false);
}

static void
layout_measure(struct layout *l)
{
	const struct pp_answer_table *t = l->t;
	size_t c, i;

	for (c = 0; c < t->column_count; c++) {
		const struct pp_answer_column *column = &t->columns[c];

		l->shown[c] = false;
		l->limit[c] = 0;
		if (!column->title)
			continue;
		l->width[c] = pp_text_columns(column->title, strlen(column->title));
		if (column->least > l->width[c])
			l->width[c] = column->least;
		l->shown[c] = column->least > 0;
		for (i = 0; i < t->window.n; i++) {
			size_t width;

			pp_rendering_people(l->r, t, column, t->window.first + i);
			width = text_measure(l, column);
			l->shown[c] |= width > 0;
			if (width > l->width[c])
				l->width[c] = width;
		}
	}
}

static size_t
layout_total(const struct layout *l)
{
	size_t c, total = 0;

	for (c = 0; c < l->t->column_count; c++)
		if (l->shown[c] && !is_last(&l->t->columns[c]))
			total += l->width[c] + GAP;
	return total;
}

/* Below what a column is not shortened while others can still go. */
static size_t
usual_least(const struct pp_answer_column *column)
{
	return column->drop > 0                  ? PLACE_LEAST
	       : column->flags & PP_COLUMN_NAMES ? NAMES_MIN
	                                         : FLEX_MIN;
}

/*
 * Takes as much as needed, and as there is above `least` (0 = the usual), from the flexible columns, widest first; from
 * those that may go altogether, if `optional`, else from the others.
 */
static void
layout_squeeze(struct layout *l, size_t width, size_t least, bool optional)
{
	const struct pp_answer_table *t = l->t;

	for (;;) {
		size_t total = layout_total(l), widest = t->column_count, next = 0, alike = 0, c;
		size_t floor, spare, excess;

		for (c = 0; c < t->column_count; c++) {
			if (!l->shown[c] || !is_flexible(l, c) ||
			    (t->columns[c].drop > 0) != optional ||
			    l->width[c] <= (least ? least : usual_least(&t->columns[c])))
				continue;
			if (widest == t->column_count || l->width[c] > l->width[widest]) {
				next = widest == t->column_count ? 0 : l->width[widest];
				widest = c;
				alike = 1;
			} else if (l->width[c] == l->width[widest]) {
				alike++;
			} else if (l->width[c] > next) {
				next = l->width[c];
			}
		}
		if (total <= width || widest == t->column_count)
			return;
		/* Not below the next widest, with which it then shares what is to go. */
		floor = least ? least : usual_least(&t->columns[widest]);
		if (alike == 1 && next > floor)
			floor = next;
		spare = l->width[widest] - floor;
		excess = (total - width + alike - 1) / alike;
		l->width[widest] -= spare < excess ? spare : excess;
		l->limit[widest] = l->width[widest];
	}
}

/* The column to do without next: the highest `drop` among those that are flexible, or among all. */
static size_t
layout_dropped(const struct layout *l, bool flexible)
{
	const struct pp_answer_table *t = l->t;
	size_t c, drop = t->column_count;

	for (c = 0; c < t->column_count; c++)
		if (l->shown[c] && t->columns[c].drop > 0 && (!flexible || is_flexible(l, c)) &&
		    (drop == t->column_count || t->columns[c].drop >= t->columns[drop].drop))
			drop = c;
	return drop;
}

/*
 * Names come first: where there is no room, places are shortened, then left out, then names are shortened, then other
 * columns go.
 */
static void
layout_fit(struct layout *l, size_t width)
{
	size_t columns = l->t->column_count, drop;

	memcpy(l->natural, l->width, columns * sizeof *l->width);
	for (;;) {
		layout_squeeze(l, width, 0, true);
		drop = layout_dropped(l, true);
		if (layout_total(l) > width && drop == l->t->column_count) {
			layout_squeeze(l, width, 0, false);
			drop = layout_dropped(l, false);
		}
		if (layout_total(l) <= width)
			return;
		if (drop == l->t->column_count)
			break;
		/* What the dropped column took may be given back to the flexible ones. */
		memcpy(l->width, l->natural, columns * sizeof *l->width);
		memset(l->limit, 0, columns * sizeof *l->limit);
		l->shown[drop] = false;
	}
	layout_squeeze(l, width, FLEX_LEAST, false);
}

/* How deep rows of a tree are indented: deeper ones say how deep they are. Names need the room more. */
static uint32_t
levels_most(const struct layout *l, const struct pp_answer_column *column)
{
	size_t step = column->flags & PP_COLUMN_RAILS ? 2 : 1, width = l->r->opts->style.width;
	size_t before = layout_total(l) + GAP, room = width > before ? width - before : 0;

	if (width == 0)
		return LEVELS_MOST;
	room = room > LAST_LEAST + LEVEL_COLUMNS ? room - LAST_LEAST - LEVEL_COLUMNS < room / 3
	                                               ? room - LAST_LEAST - LEVEL_COLUMNS
	                                               : room / 3
	                                         : 0;
	room /= step;
	return room < LEVELS_LEAST  ? LEVELS_LEAST
	       : room < LEVELS_MOST ? (uint32_t)room
	                            : LEVELS_MOST;
}

/* "[10] " */
static size_t
level_columns(uint32_t level)
{
	size_t n = 3;

	for (; level > 0; level /= 10)
		n++;
	return n;
}

/* The columns that a row's place takes in the last cell. */
static size_t
place_columns(const struct layout *l, const struct pp_answer_column *column, uint32_t level)
{
	uint32_t most = levels_most(l, column);

	if (!(column->flags & PP_COLUMN_RAILS))
		return level < most ? level : most;
	if (level <= most)
		return 2 * (size_t)level;
	return 2 * (size_t)most + level_columns(level);
}

/* The room for the last cell of a row of a tree. */
static size_t
last_room(const struct layout *l, const struct pp_answer_column *column, uint32_t level)
{
	size_t width = l->r->opts->style.width;
	size_t before = layout_total(l) + GAP + place_columns(l, column, level);

	return width == 0 ? SIZE_MAX : width > before + FLEX_LEAST ? width - before : FLEX_LEAST;
}

/* The room that the last column of a tree is to have. */
static size_t
last_least(const struct layout *l)
{
	const struct pp_answer_table *t = l->t;
	uint32_t deepest = 0, level;
	size_t c, i, place;

	for (c = 0; c < t->column_count && !(l->shown[c] && is_last(&t->columns[c]));)
		c++;
	if (c == t->column_count)
		return 0;
	for (i = 0; i < t->window.n; i++) {
		level = t->place(t->data, t->window.first + i).level;
		deepest = level > deepest ? level : deepest;
	}
	place = deepest < LEVELS_LEAST ? deepest : LEVELS_LEAST;
	if (t->columns[c].flags & PP_COLUMN_RAILS)
		place = 2 * place + (deepest > LEVELS_LEAST ? level_columns(deepest) : 0);
	return GAP + place + (l->width[c] < LAST_LEAST ? l->width[c] : LAST_LEAST);
}

/* Shortens the names of all rows, which must not look alike then. */
static void
layout_names(struct layout *l)
{
	const struct pp_answer_table *t = l->t;
	size_t c, i;

	l->names_at = t->column_count;
	for (c = 0; c < t->column_count; c++)
		if (l->shown[c] && t->columns[c].flags & PP_COLUMN_NAMES)
			l->names_at = c;
	c = l->names_at;
	if (c == t->column_count || t->window.n > PP_NAME_COLUMN_MOST ||
	    l->r->opts->names == PP_NAMES_FULL ||
	    (l->r->opts->names == PP_NAMES_FIT && l->limit[c] == 0 && !is_last(&t->columns[c])))
		return;
	for (i = 0; i < t->window.n; i++) {
		size_t row = t->window.first + i, room = l->limit[c] ? l->limit[c] : SIZE_MAX;

		if (is_last(&t->columns[c]))
			room = last_room(l, &t->columns[c], t->place(t->data, row).level);
		pp_rendering_people(l->r, t, &t->columns[c], row);
		pp_name_column_add(&l->names, l->r->text.p ? l->r->text.p : "", l->r->text.n, room,
		                   l->r->opts->names);
	}
	pp_name_column_settle(&l->names);
	if (l->names.failed)
		pp_rendering_failed(l->r);
}

/* A cell as short as it has to be: what is in l->cut then. */
static struct pp_slice
cell_shorten(struct layout *l, size_t c, size_t row, struct pp_slice text, size_t room)
{
	bool names = l->t->columns[c].flags & PP_COLUMN_NAMES;

	if (c == l->names_at && row - l->t->window.first < l->names.rows.n)
		return pp_name_column_get(&l->names, row - l->t->window.first);
	if (room == SIZE_MAX && !(names && l->r->opts->names == PP_NAMES_SHORT))
		return text;
	l->cut.n = 0;
	(void)pp_name_fit(&l->cut, (const char *)text.p, text.n, room,
	                  names ? l->r->opts->names : PP_NAMES_FIT, false);
	return pp_slice_of(l->cut.p ? l->cut.p : "", l->cut.n);
}

/* ---- printing ---- */

static void
ink_write(struct layout *l, enum pp_ink ink, const char *text, size_t n)
{
	const struct pp_style *style = &l->r->opts->style;

	pp_sink_puts(l->out, pp_ink_on(style, ink));
	pp_sink_write(l->out, text, n);
	pp_sink_puts(l->out, pp_ink_off(style, ink));
}

static void
cell_print(struct layout *l, size_t c, struct pp_slice text, enum pp_ink ink)
{
	size_t columns = pp_text_columns((const char *)text.p, text.n), blanks, width = l->width[c];
	bool left = !(l->t->columns[c].flags & PP_COLUMN_RIGHT);

	/* What fits a terminal is no megabyte. */
	if (left && width > PAD_MAX && l->limit[c] == 0 && l->r->opts->style.width == 0)
		width = PAD_MAX;
	blanks = columns < width ? width - columns : 0;
	l->blanks += GAP + (left ? 0 : blanks);
	if (text.n > 0) {
		pp_text_pad(l->out, l->blanks);
		ink_write(l, ink, (const char *)text.p, text.n);
		l->blanks = 0;
	}
	l->blanks += left ? blanks : 0;
}

/* The lines that join a row of a tree to its caller; beyond `most` levels, how many they would be. */
static void
rails_print(struct layout *l, struct pp_branch_place place, uint32_t most)
{
	const struct pp_style *style = &l->r->opts->style;
	uint32_t i;
	bool deep = place.level > most;

	for (i = 1; i < (deep ? most : place.level); i++)
		pp_ink_put(l->out, style, PP_INK_FAINT,
		           i < l->follows.n && l->follows.at[i] ? "│ " : "  ");
	if (deep) {
		pp_sink_puts(l->out, pp_ink_on(style, PP_INK_FAINT));
		pp_sink_printf(l->out, "┊ [%u] ", place.level);
		pp_sink_puts(l->out, pp_ink_off(style, PP_INK_FAINT));
	} else if (place.level > 0) {
		pp_ink_put(l->out, style, PP_INK_FAINT, place.last ? "└ " : "├ ");
	}
	while (l->follows.n <= place.level)
		if (!pp_vec_push(&l->follows, false)) {
			pp_rendering_failed(l->r);
			return;
		}
	l->follows.n = place.level + 1;
	l->follows.at[place.level] = !place.last;
}

/* The last cell of a row of a tree, in what is left of the width. */
static void
last_print(struct layout *l, size_t c, size_t row, struct pp_slice text)
{
	const struct pp_answer_column *column = &l->t->columns[c];
	struct pp_branch_place place = l->t->place(l->t->data, row);

	pp_text_pad(l->out, l->blanks + GAP);
	l->blanks = 0;
	if (column->flags & PP_COLUMN_RAILS)
		rails_print(l, place, levels_most(l, column));
	else
		pp_text_pad(l->out, place_columns(l, column, place.level));
	text = cell_shorten(l, c, row, text, last_room(l, column, place.level));
	ink_write(l, l->r->datum.ink, (const char *)text.p, text.n);
}

static void
row_end(struct layout *l)
{
	pp_sink_putc(l->out, '\n');
	l->blanks = 0;
}

static void
row_print(struct layout *l, size_t row)
{
	struct pp_rendering *r = l->r;
	struct pp_slice text;
	size_t c;

	for (c = 0; c < l->t->column_count; c++) {
		const struct pp_answer_column *column = &l->t->columns[c];

		if (!l->shown[c])
			continue;
		pp_rendering_people(r, l->t, column, row);
		text = pp_slice_of(r->text.p ? r->text.p : "", r->text.n);
		if (is_last(column))
			last_print(l, c, row, text);
		else
			cell_print(
			    l, c,
			    cell_shorten(l, c, row, text, l->limit[c] ? l->limit[c] : SIZE_MAX),
			    r->datum.ink);
	}
	row_end(l);
}

/* A title, which may have less room than it takes. */
static struct pp_slice
title_of(struct layout *l, size_t c)
{
	const char *title = l->t->columns[c].title;

	if (l->limit[c] == 0)
		return pp_slice_z(title);
	l->cut.n = 0;
	(void)pp_text_shorten(&l->cut, title, strlen(title), l->limit[c]);
	return pp_slice_of(l->cut.p ? l->cut.p : "", l->cut.n);
}

static void
header_print(struct layout *l)
{
	size_t c;

	l->out = l->r->out;
	if (l->t->flags & PP_TABLE_NO_HEADER)
		return;
	for (c = 0; c < l->t->column_count; c++)
		if (l->shown[c])
			cell_print(l, c, title_of(l, c), PP_INK_HEADER);
	row_end(l);
}

/* How many columns of a kind there is no room for. */
static size_t
columns_hidden(const struct layout *l, unsigned kind)
{
	size_t c, n = 0;

	for (c = 0; c < l->t->column_count; c++)
		n += l->t->columns[c].flags & kind && !l->shown[c];
	return n;
}

/* What the table leaves out, if anything. */
static void
more_print(struct layout *l, size_t shown)
{
	struct pp_rendering *r = l->r;
	const struct pp_answer_table *t = l->t;
	size_t more = t->flags & PP_TABLE_NO_MORE ? 0 : t->rows - t->window.first - shown;
	size_t metrics = t->metrics_left + columns_hidden(l, PP_COLUMN_METRIC);
	size_t values = columns_hidden(l, PP_COLUMN_OF_VALUE);
	const char *hint = r->opts->all_hint;
	struct pp_buf text = { 0 };

	if (more > 0) {
		pp_buf_adds(&text, "  ... and ");
		pp_units_u64(&text, more);
		pp_buf_adds(&text, " more");
		if (t->one)
			pp_buf_addf(&text, " %s", pp_plural(more, t->one, t->many));
		if (hint)
			pp_buf_addf(&text, " (%s)", hint);
		pp_buf_adds(&text, "\n");
	}
	if (t->empty > 0 && t->one) {
		pp_buf_adds(&text, "  ... and ");
		pp_units_u64(&text, t->empty);
		pp_buf_addf(&text, " %s that %s (--json lists %s)\n",
		            pp_plural(t->empty, t->one, t->many),
		            pp_plural(t->empty, "costs nothing", "cost nothing"),
		            pp_plural(t->empty, "it", "them"));
	}
	if (metrics > 0) {
		pp_buf_adds(&text, "  ... and ");
		pp_units_u64(&text, metrics);
		pp_buf_addf(&text, " more %s%s\n", pp_plural(metrics, "metric", "metrics"),
		            hint ? pp_plural(metrics, " (-m NAME,NAME shows it)",
		                             " (-m NAME,NAME shows them)")
		                 : "");
	}
	if (values > 0)
		pp_buf_addf(&text, "  ... and %zu more %s (--json shows all)\n", values,
		            pp_plural(values, "value", "values"));
	if (text.n > 0) {
		pp_sink_putc(r->out, '\n');
		pp_ink_put(r->out, &r->opts->style, PP_INK_FAINT, text.p);
	}
	if (text.failed)
		pp_rendering_failed(r);
	pp_buf_release(&text);
}

static bool
layout_init(struct layout *l)
{
	size_t n = l->t->column_count;

	l->width = calloc(3 * n + 1, sizeof *l->width);
	l->shown = calloc(n + 1, sizeof *l->shown);
	l->natural = l->width ? l->width + n : NULL;
	l->limit = l->width ? l->natural + n : NULL;
	if (!l->width || !l->shown)
		pp_rendering_failed(l->r);
	return l->width && l->shown;
}

static void
layout_release(struct layout *l)
{
	free(l->width);
	free(l->shown);
	pp_buf_release(&l->cut);
	pp_name_column_release(&l->names);
	pp_vec_release(&l->follows);
}

/* Prints the rows of a table whose columns have room. */
static void
rows_print(struct layout *l)
{
	struct pp_rendering *r = l->r;
	const struct pp_answer_table *t = l->t;
	size_t i;

	layout_measure(l);
	if (r->opts->style.width > 0) {
		size_t least = last_least(l), width = r->opts->style.width;

		layout_fit(l, width > least ? width - least : 1);
	}
	layout_names(l);
	header_print(l);
	for (i = 0; i < t->window.n && r->out->status == PP_OK; i++) {
		l->out = pp_rendering_row(r);
		row_print(l, t->window.first + i);
		if (!pp_rendering_row_end(r, 0))
			break;
	}
	pp_rendering_cut(r, t, i);
	more_print(l, i);
	if (l->cut.failed)
		pp_rendering_failed(r);
}

static void
table_print(struct pp_rendering *r, const struct pp_answer_table *t)
{
	struct layout l = { .r = r, .t = t };

	if (t->flags & PP_TABLE_NO_TEXT || t->next || t->window.n == 0)
		return;
	if (layout_init(&l))
		rows_print(&l);
	layout_release(&l);
}

/* ---- the list ---- */

static void
said_print(struct pp_rendering *r, const struct pp_item *item)
{
	const struct pp_style *style = &r->opts->style;
	struct pp_slice text = item->datum.text;

	if (r->purse.bounded)
		text = pp_budget_clip(text, &r->clip);
	pp_sink_puts(r->out, pp_ink_on(style, item->datum.ink));
	pp_sink_write(r->out, text.p, text.n);
	pp_sink_puts(r->out, pp_ink_off(style, item->datum.ink));
}

static void
line_print(struct pp_rendering *r, const struct pp_item *item)
{
	size_t n = strlen(item->key);

	pp_sink_puts(r->out, "  ");
	pp_ink_put(r->out, &r->opts->style, PP_INK_FAINT, item->key);
	pp_text_pad(r->out, n < KEY_COLUMNS ? KEY_COLUMNS - n : 1);
	said_print(r, item);
	pp_sink_putc(r->out, '\n');
}

void
pp_answer_print_text(struct pp_rendering *r)
{
	size_t i;

	for (i = 0; i < r->answer->items.n; i++) {
		const struct pp_item *item = &r->answer->items.at[i];

		if (item->kind == PP_ITEM_SAID)
			said_print(r, item);
		else if (item->kind == PP_ITEM_LINE)
			line_print(r, item);
		else if (item->kind == PP_ITEM_PARAGRAPH)
			pp_text_wrap(r->out, &r->opts->style, (const char *)item->datum.text.p, 0,
			             item->count);
		else if (item->kind == PP_ITEM_FINDINGS)
			pp_diags_print(item->diags, item->least, item->count, &r->opts->style,
			               r->out);
		else if (item->kind == PP_ITEM_TABLE)
			table_print(r, &item->table);
	}
}
