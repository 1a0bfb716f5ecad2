/*
 * The table of an answer as CSV: RFC 4180 quoting, one header row, lines end in LF as everywhere on Unix.
 */
#include "output/render.h"
#include "text/escape.h"

struct csv {
	struct pp_rendering *r;
	const struct pp_answer_table *t;
	struct pp_sink *out;
	struct pp_buf tame;
	bool first; /* of its line */
	bool header;
	size_t row;
};

/* The cell in r->text, which is text or a number. */
static void
cell_put(struct csv *v, bool is_text)
{
	struct pp_slice text = pp_slice_of(v->r->text.p ? v->r->text.p : "", v->r->text.n);

	pp_sink_puts(v->out, v->first ? "" : ",");
	v->first = false;
	v->tame.n = 0;
	if (v->r->opts->tame) {
		pp_escape_terminal(&v->tame, text);
		text = pp_slice_of(v->tame.p ? v->tame.p : "", v->tame.n);
	}
	(is_text ? pp_escape_csv_text : pp_escape_csv)(v->out, text);
}

static void
column_put(struct csv *v, const struct pp_answer_column *column, size_t arg)
{
	struct pp_rendering *r = v->r;

	if (v->header) {
		r->text.n = 0;
		if (column->group && !column->csv)
			pp_buf_addf(&r->text, "%s_", column->group);
		pp_buf_adds(&r->text, column->csv ? column->csv : column->key);
		if (column->each) {
			pp_buf_addc(&r->text, '_');
			pp_buf_adds(&r->text, pp_rendering_label(r, column->each, arg));
		}
	} else {
		pp_rendering_exact(r, v->t, column, v->row, arg);
	}
	cell_put(v, v->header || column->as <= PP_AS_LABEL);
}

static void
line_put(struct csv *v)
{
	size_t c = 0, end, k, m;

	v->first = true;
	while (c < v->t->column_count) {
		const struct pp_answer_column *column = &v->t->columns[c];

		if (!column->key || column->flags & PP_COLUMN_NO_CSV) {
			c++;
			continue;
		}
		if (!column->each) {
			column_put(v, column, column->arg);
			c++;
			continue;
		}
		/* Columns of one value for each metric that follow each other go metric by metric. */
		for (end = c; end < v->t->column_count && v->t->columns[end].each == column->each;)
			end++;
		for (m = 0; m < pp_metrics_shown(column->each); m++)
			for (k = c; k < end; k++)
				if (pp_column_has(&v->t->columns[k], m))
					column_put(v, &v->t->columns[k], m);
		c = end;
	}
	pp_sink_putc(v->out, '\n');
}

static void
table_put(struct pp_rendering *r, const struct pp_answer_table *t, bool first)
{
	struct csv v = { .r = r, .t = t, .out = r->out, .header = true };
	size_t i;

	if (first && !(t->flags & PP_TABLE_NO_HEADER))
		line_put(&v);
	v.header = false;
	for (i = 0; i < t->window.n && r->out->status == PP_OK; i++) {
		v.out = pp_rendering_row(r);
		v.row = t->window.first + i;
		line_put(&v);
		if (!pp_rendering_row_end(r, 0))
			break;
	}
	pp_rendering_cut(r, t, i);
	if (v.tame.failed)
		pp_rendering_failed(r);
	pp_buf_release(&v.tame);
}

void
pp_answer_print_csv(struct pp_rendering *r)
{
	bool first = true;
	size_t i;

	for (i = 0; i < r->answer->items.n; i++) {
		const struct pp_item *item = &r->answer->items.at[i];

		if (item->kind != PP_ITEM_TABLE || item->table.flags & PP_TABLE_NO_CSV ||
		    item->table.next)
			continue;
		table_put(r, &item->table, first);
		if (!(item->table.flags & PP_TABLE_CSV_TOO))
			return;
		first = false;
	}
}
