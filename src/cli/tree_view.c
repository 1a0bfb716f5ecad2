/*
 * A call tree as text.
 */
#include "cli/tree_view.h"

#include <stdlib.h>

#include "text/escape.h"

#define GAP 2
#define COLUMNS_MAX 8
/* Names of a chain that are shown; those in its middle are counted. */
#define CHAIN_SHOWN 4
/* What a name gets at least, however deep it stands. */
#define NAME_LEAST 20

/* One line: a chain of spots, or all children of a spot that are not shown. */
struct line {
	uint32_t spot, end; /* the first and the last of the chain; for a rest the caller twice */
	uint32_t length;    /* 0 = a rest */
	uint32_t level;
	bool last; /* nothing follows under the same caller */
};

struct printing {
	const struct pp_tree_view *view;
	struct pp_cli *cli;
	PP_VEC(struct line) lines;
	PP_VEC(struct pp_branch) rest; /* borrowed branches of one rest */
	PP_VEC(bool) follows;          /* per level: more lines come at that level */
	size_t width[COLUMNS_MAX];
	struct pp_buf text, cut;
};

/* ---- which lines ------------------------------------------------------------------------ */

/* A spot whose children are being listed. */
struct open_spot {
	uint32_t at;
	uint32_t next; /* child to look at */
	uint32_t left; /* shown children still to come */
};

/* Lists the lines in the order of the tree, without recursion. */
static bool
lines_list(struct printing *pr)
{
	const struct pp_hot *h = pr->view->hot;
	struct open_spot root = { .left = h->spots.at[0].shown_count };
	PP_VEC(struct open_spot) stack = { 0 };
	bool fine = pp_vec_push(&pr->lines, (struct line){ .length = 1, .last = true }) &&
	            pp_vec_push(&stack, root);

	while (fine && stack.n > 0) {
		struct open_spot *top = &stack.at[stack.n - 1], inner = { 0 };
		const struct pp_hot_spot *s = &h->spots.at[top->at];
		struct line line = { top->at, top->at, 0, (uint32_t)stack.n, true };

		if (top->left == 0) {
			if (s->shown_count < s->count)
				fine = pp_vec_push(&pr->lines, line);
			stack.n--;
			continue;
		}
		line.spot = s->first + top->next++;
		if (!h->spots.at[line.spot].shown)
			continue;
		line.end = pp_hot_line_end(h, line.spot, &line.length);
		line.last = --top->left == 0 && s->shown_count == s->count;
		inner.at = line.end;
		inner.left = h->spots.at[line.end].shown_count;
		fine = pp_vec_push(&pr->lines, line) && pp_vec_push(&stack, inner);
	}
	pp_vec_release(&stack);
	return fine;
}

/* The branches that a line stands for; NULL when out of memory. */
static const struct pp_branch *
line_branches(struct printing *pr, const struct line *line, size_t *n)
{
	const struct pp_hot *h = pr->view->hot;
	const struct pp_hot_spot *s = &h->spots.at[line->end];
	uint32_t i;

	*n = 1;
	if (line->length > 0)
		return &s->branch;
	pr->rest.n = 0;
	for (i = s->first; i < s->first + s->count; i++)
		if (!h->spots.at[i].shown && !pp_vec_push(&pr->rest, h->spots.at[i].branch))
			return NULL;
	*n = pr->rest.n;
	return pr->rest.at;
}

static void
cell_show(struct printing *pr, size_t column, const struct pp_branch *branches, size_t n)
{
	pr->text.n = 0;
	if (branches)
		pr->view->columns[column].show(pr->view->data, branches, n, &pr->text);
}

static void
widths_find(struct printing *pr)
{
	size_t i, c, n;

	for (c = 0; c < pr->view->column_count; c++) {
		bool used = false;

		pr->width[c] = strlen(pr->view->columns[c].title);
		for (i = 0; i < pr->lines.n; i++) {
			const struct pp_branch *branches = line_branches(pr, &pr->lines.at[i], &n);
			size_t width;

			cell_show(pr, c, branches, n);
			width = pr->text.n ? pp_text_columns(pr->text.p, pr->text.n) : 0;
			used |= width > 0;
			if (width > pr->width[c])
				pr->width[c] = width;
		}
		if (!used)
			pr->width[c] = 0; /* nothing to show: no column */
	}
}

/* ---- printing --------------------------------------------------------------------------- */

static void
cells_print(struct printing *pr, const struct pp_branch *branches, size_t n)
{
	const struct pp_style *style = &pr->cli->style;
	size_t c, width;

	for (c = 0; c < pr->view->column_count; c++) {
		const struct pp_tree_column *column = &pr->view->columns[c];
		enum pp_ink ink = PP_INK_PLAIN;

		if (pr->width[c] == 0)
			continue;
		cell_show(pr, c, branches, n);
		width = pr->text.n ? pp_text_columns(pr->text.p, pr->text.n) : 0;
		if (column->ink && branches)
			ink = column->ink(pr->view->data, branches, n);
		pp_text_pad(pr->cli->out, GAP + pr->width[c] - width);
		pp_ink_put(pr->cli->out, style, ink, pr->text.n ? pr->text.p : "");
	}
}

static void
header_print(struct printing *pr)
{
	size_t c;

	for (c = 0; c < pr->view->column_count; c++)
		if (pr->width[c])
			pp_ink_putf(pr->cli->out, &pr->cli->style, PP_INK_HEADER, "%*s%*s", GAP, "",
			            (int)pr->width[c], pr->view->columns[c].title);
	pp_sink_puts(pr->cli->out, "  ");
	pp_ink_put(pr->cli->out, &pr->cli->style, PP_INK_HEADER, "function");
	pp_sink_putc(pr->cli->out, '\n');
}

/* The lines that join a name to its caller. */
static void
rails_print(struct printing *pr, const struct line *line)
{
	struct pp_sink *out = pr->cli->out;
	uint32_t i;

	pp_text_pad(out, GAP);
	for (i = 1; i < line->level; i++)
		pp_ink_put(out, &pr->cli->style, PP_INK_FAINT, pr->follows.at[i] ? "│ " : "  ");
	if (line->level > 0)
		pp_ink_put(out, &pr->cli->style, PP_INK_FAINT, line->last ? "└ " : "├ ");
}

static void
name_add(struct printing *pr, uint32_t spot)
{
	const struct pp_branch *b = &pr->view->hot->spots.at[spot].branch;
	const struct pp_profile *p = pr->view->hot->tree->profile;
	struct pp_slice name = pp_text_of(p, p->funcs.at[b->func].name);

	if (spot == 0)
		pp_buf_adds(&pr->text, "(all)");
	else
		pp_escape_terminal(&pr->text, name.n ? name : pp_slice_z("(empty name)"));
	if (b->n > b->outer)
		pp_buf_adds(&pr->text, " (recursive)");
	if (b->func < p->derived.cycles.n && p->derived.cycles.at[b->func])
		pp_buf_addf(&pr->text, " (cycle %u)", p->derived.cycles.at[b->func]);
}

/* "a › b › 7 more › z" for a chain, "(7 more)" for a rest. */
static void
label_make(struct printing *pr, const struct line *line, size_t branches)
{
	uint32_t i, at = line->spot;
	uint32_t from = CHAIN_SHOWN / 2,
	         to = line->length > CHAIN_SHOWN ? line->length - CHAIN_SHOWN / 2 : from;

	pr->text.n = 0;
	if (line->length == 0)
		pp_buf_addf(&pr->text, "(%zu more)", branches);
	for (i = 0; i < line->length; i++, at = pp_hot_chained(pr->view->hot, at)) {
		if (i >= from && i < to) {
			if (i == from)
				pp_buf_addf(&pr->text, " › … %u more …", to - from);
			continue;
		}
		pp_buf_adds(&pr->text, i ? " › " : "");
		name_add(pr, at);
	}
}

static void
label_print(struct printing *pr, const struct line *line)
{
	const struct pp_style *style = &pr->cli->style;
	size_t c, before = GAP + 2 * (size_t)line->level;

	for (c = 0; c < pr->view->column_count; c++)
		before += pr->width[c] ? GAP + pr->width[c] : 0;
	pr->cut.n = 0;
	if (style->width > 0)
		pp_text_shorten(&pr->cut, pr->text.p, pr->text.n,
		                style->width > before + NAME_LEAST ? style->width - before
		                                                   : NAME_LEAST);
	else
		pp_buf_add(&pr->cut, pr->text.p, pr->text.n);
	pp_ink_put(pr->cli->out, style, line->length ? PP_INK_PLAIN : PP_INK_FAINT,
	           pr->cut.p ? pr->cut.p : "");
	pp_sink_putc(pr->cli->out, '\n');
}

static bool
line_print(struct printing *pr, const struct line *line)
{
	size_t n;
	const struct pp_branch *branches = line_branches(pr, line, &n);

	if (!branches)
		return false;
	cells_print(pr, branches, n);
	rails_print(pr, line);
	label_make(pr, line, n);
	if (pr->text.n)
		label_print(pr, line);
	pr->follows.n = line->level;
	return pp_vec_push(&pr->follows, !line->last);
}

bool
pp_tree_view_print(const struct pp_tree_view *view, struct pp_cli *cli)
{
	struct printing pr = { .view = view, .cli = cli };
	bool fine = view->column_count <= COLUMNS_MAX && lines_list(&pr);
	size_t i;

	if (fine) {
		widths_find(&pr);
		header_print(&pr);
	}
	for (i = 0; fine && i < pr.lines.n && cli->out->status == PP_OK; i++)
		fine = line_print(&pr, &pr.lines.at[i]);
	fine = fine && !pr.text.failed && !pr.cut.failed;
	pp_vec_release(&pr.lines);
	pp_vec_release(&pr.rest);
	pp_vec_release(&pr.follows);
	pp_buf_release(&pr.text);
	pp_buf_release(&pr.cut);
	return fine;
}
