/*
 * An answer as Markdown: what is said for people, and tables of what they are shown.
 */
#include "output/render.h"
#include "text/escape.h"
#include "text/units.h"

/* Lines as they are. */
static void
said_put(struct pp_rendering *r, const struct pp_item *item)
{
	bool strong = item->datum.ink == PP_INK_TITLE && item->datum.text.n > 0;
	struct pp_slice text = item->datum.text;
	size_t i, start = 0;

	if (r->purse.bounded)
		text = pp_budget_clip(text, &r->clip);
	pp_sink_puts(r->out, strong ? "**" : "");
	for (i = 0; i <= text.n; i++)
		if (i == text.n || text.p[i] == '\n') {
			pp_escape_markdown(r->out, pp_slice_of(text.p + start, i - start));
			start = i + 1;
			if (i < text.n)
				pp_sink_putc(r->out, '\n');
		}
	pp_sink_puts(r->out, strong ? "**" : "");
}

static bool
column_shown(const struct pp_answer_column *column)
{
	return column->title && column->as != PP_AS_BAR;
}

/* Names and places; other words and numbers are no code. */
static bool
column_is_code(const struct pp_answer_column *column)
{
	unsigned text = column->flags & (PP_COLUMN_FLEX | PP_COLUMN_RAILS | PP_COLUMN_INDENT);

	return column->as == PP_AS_NAME || (column->as <= PP_AS_LABEL && text);
}

static void
header_put(struct pp_rendering *r, const struct pp_answer_table *t)
{
	size_t c;

	pp_sink_putc(r->out, '|');
	for (c = 0; c < t->column_count; c++)
		if (column_shown(&t->columns[c])) {
			pp_sink_putc(r->out, ' ');
			pp_escape_markdown(r->out, pp_slice_z(t->columns[c].title));
			pp_sink_puts(r->out, " |");
		}
	pp_sink_puts(r->out, "\n|");
	for (c = 0; c < t->column_count; c++)
		if (column_shown(&t->columns[c]))
			pp_sink_puts(r->out,
			             t->columns[c].flags & PP_COLUMN_RIGHT ? "---:|" : "---|");
	pp_sink_putc(r->out, '\n');
}

static void
row_put(struct pp_rendering *r, struct pp_sink *out, const struct pp_answer_table *t, size_t row)
{
	uint32_t level = t->place ? t->place(t->data, row).level : 0;
	size_t c;

	pp_sink_putc(out, '|');
	for (c = 0; c < t->column_count; c++) {
		if (!column_shown(&t->columns[c]))
			continue;
		pp_rendering_people(r, t, &t->columns[c], row);
		pp_sink_putc(out, ' ');
		for (; t->columns[c].flags & (PP_COLUMN_RAILS | PP_COLUMN_INDENT) && level > 0;
		     level--)
			pp_sink_puts(out, "&nbsp;&nbsp;");
		(column_is_code(&t->columns[c]) ? pp_escape_markdown_code : pp_escape_markdown)(
		    out, pp_slice_of(r->text.p ? r->text.p : "", r->text.n));
		pp_sink_puts(out, " |");
	}
	pp_sink_putc(out, '\n');
}

static void
table_put(struct pp_rendering *r, const struct pp_answer_table *t)
{
	struct pp_buf more = { 0 };
	size_t i;

	if (t->flags & PP_TABLE_NO_TEXT || t->next || t->window.n == 0)
		return;
	header_put(r, t);
	for (i = 0; i < t->window.n && r->out->status == PP_OK; i++) {
		row_put(r, pp_rendering_row(r), t, t->window.first + i);
		if (!pp_rendering_row_end(r, 0))
			break;
	}
	pp_rendering_cut(r, t, i);
	if (t->rows > t->window.first + i && (!(t->flags & PP_TABLE_NO_MORE) || i < t->window.n)) {
		pp_buf_adds(&more, "\n... and ");
		pp_units_u64(&more, t->rows - t->window.first - i);
		pp_sink_printf(r->out, "%s more\n", more.p ? more.p : "");
	}
	if (more.failed)
		pp_rendering_failed(r);
	pp_buf_release(&more);
}

void
pp_answer_print_markdown(struct pp_rendering *r)
{
	size_t i;

	for (i = 0; i < r->answer->items.n; i++) {
		const struct pp_item *item = &r->answer->items.at[i];

		/* A title is a paragraph of its own. */
		if (i > 0 && item->kind == PP_ITEM_SAID && item[-1].kind == PP_ITEM_SAID &&
		    item[-1].datum.ink == PP_INK_TITLE && pp_slice_eq_z(item->datum.text, "\n"))
			pp_sink_putc(r->out, '\n');
		if (item->kind == PP_ITEM_LINE)
			pp_sink_printf(r->out, "- %s: ", item->key);
		if (item->kind == PP_ITEM_SAID || item->kind == PP_ITEM_LINE ||
		    item->kind == PP_ITEM_PARAGRAPH)
			said_put(r, item);
		if (item->kind == PP_ITEM_LINE)
			pp_sink_putc(r->out, '\n');
		if (item->kind == PP_ITEM_TABLE)
			table_put(r, &item->table);
	}
}
