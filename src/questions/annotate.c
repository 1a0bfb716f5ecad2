/*
 * Annotated source.
 */
#include "questions/annotate.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "text/escape.h"
#include "text/json_emit.h"
#include "text/shorten.h"
#include "text/units.h"

/* Lines of source shown around a line that costs enough. */
#define CONTEXT 3
/* Callers of a function, and calls of a line, that people are shown. */
#define CALLS_SHOWN 8
#define NAME_COLUMNS 100
/* Of a line, which may be a whole program. */
#define LINE_COLUMNS 400
/* Bytes of a name, or of a line, that are looked at. */
#define LONGEST 4096

/* The lines of one file: rows [first, first + n) when sorted by place. */
struct span {
	size_t first, n;
	double cost;
};

/* A function, where its code begins. */
struct start {
	pp_str file;
	uint32_t line;
	pp_func func;
};

/* What all files share. */
struct page {
	const struct pp_annotation *x;
	const struct pp_profile *profile;
	struct pp_line_calls calls;
	struct pp_flat flat;
	uint32_t *flat_row; /* by function: its row + 1 */
	struct start *starts;
	size_t start_count;
	struct span *spans;
	size_t span_count;
	struct pp_json *json; /* NULL: for people */
	struct pp_buf label;  /* of the metric */
};

/* ---- what is known ---- */

static double
cost_of(const struct page *g, size_t row)
{
	return pp_value_double(&g->profile->metrics.at[g->x->metric],
	                       pp_ledger_get(&g->x->lines->cost, row, g->x->metric));
}

/* What its share of the whole is: what was gained, where the metric falls. */
static double
share_of(const struct page *g, size_t row)
{
	return pp_value_double(&g->profile->metrics.at[g->x->metric],
	                       pp_linecost_gained(g->x->lines, row, g->x->metric));
}

static int
compare_spans(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static bool
spans_find(struct page *g)
{
	const struct pp_linecost *l = g->x->lines;
	size_t i;

	g->spans = calloc(l->rows.n + 1, sizeof *g->spans);
	for (i = 0; g->spans && i < l->rows.n; i++) {
		if (i == 0 || l->rows.at[i].file != l->rows.at[i - 1].file)
			g->spans[g->span_count++].first = i;
		g->spans[g->span_count - 1].n++;
		g->spans[g->span_count - 1].cost += share_of(g, i);
	}
	if (g->spans)
		qsort(g->spans, g->span_count, sizeof *g->spans, compare_spans);
	return g->spans != NULL;
}

static int
compare_starts(const void *left, const void *right, void *profile)
{
	const struct start *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return pp_func_cmp(profile, a->func, b->func);
}

/* A line of a function: where nothing else says so, the first of them is its beginning. */
static void
start_learn(const struct pp_profile *p, struct start *starts, pp_func func, pp_str file,
            uint32_t line)
{
	struct start *s = &starts[p->funcs.at[func].same];
	const struct pp_func_row *f = &p->funcs.at[p->funcs.at[func].same];

	if (f->line == 0 && line && (f->file == 0 || file == f->file) &&
	    (s->line == 0 || line < s->line)) {
		s->file = file;
		s->line = line;
	}
}

static bool
starts_find(struct page *g)
{
	const struct pp_profile *p = g->profile;
	size_t i, n = 0;

	g->starts = calloc(p->funcs.n + 1, sizeof *g->starts);
	if (!g->starts)
		return false;
	for (i = 1; i < p->funcs.n; i++)
		if (p->funcs.at[i].same == i)
			g->starts[i] = (struct start){ p->funcs.at[i].file, p->funcs.at[i].line,
				                       (pp_func)i };
	for (i = 0; i < p->lines.rows.n; i++)
		start_learn(p, g->starts, p->lines.rows.at[i].func, p->lines.rows.at[i].file,
		            p->lines.rows.at[i].line);
	for (i = 1; p->lines.rows.n == 0 && i < p->frames.n; i++)
		start_learn(p, g->starts, p->frames.at[i].func,
		            p->frames.at[i].file ? p->frames.at[i].file
		                                 : p->funcs.at[p->frames.at[i].func].file,
		            p->frames.at[i].line);
	for (i = 1; i < p->funcs.n; i++)
		if (g->starts[i].func && g->starts[i].file && g->starts[i].line)
			g->starts[n++] = g->starts[i];
	g->start_count = n;
	if (n)
		pp_sort(g->starts, n, sizeof *g->starts, compare_starts, (void *)(uintptr_t)p);
	return true;
}

static bool
flat_find(struct page *g)
{
	pp_status status = pp_flat_compute(g->profile, &g->flat);
	size_t i;

	g->flat_row = calloc(g->profile->funcs.n + 1, sizeof *g->flat_row);
	if (status != PP_OK) {
		g->flat = (struct pp_flat){ 0 };
		return status == PP_E_UNSUPPORTED && g->flat_row;
	}
	for (i = 0; g->flat_row && i < g->flat.n; i++)
		g->flat_row[g->flat.func[i]] = (uint32_t)i + 1;
	return g->flat_row != NULL;
}

static void
page_release(struct page *g)
{
	pp_line_calls_release(&g->calls);
	pp_flat_release(&g->flat);
	free(g->flat_row);
	free(g->starts);
	free(g->spans);
	pp_buf_release(&g->label);
}

static bool
page_init(struct page *g, const struct pp_annotation *x)
{
	*g = (struct page){ .x = x, .profile = x->lines->profile };
	if (x->metric < g->profile->metrics.n)
		pp_metric_label(g->profile, &g->profile->metrics.at[x->metric], &g->label);
	return !g->label.failed && pp_line_calls_compute(&g->calls, g->profile, x->metric) &&
	       flat_find(g) && starts_find(g) && spans_find(g);
}

static const struct pp_source_text *
source_of(const struct page *g, pp_str file)
{
	const struct pp_subject *subject = g->x->subject;

	return subject->source ? subject->source(subject->source_data, g->profile, file) : NULL;
}

/* ---- for people ---- */

static void
name_add(struct pp_buf *out, struct pp_slice name)
{
	struct pp_buf tame = { 0 };

	name.n = name.n < LONGEST ? name.n : LONGEST;
	pp_escape_terminal(&tame, name.n ? name : pp_slice_z("(empty name)"));
	pp_name_shorten(out, tame.p ? tame.p : "", tame.n, NAME_COLUMNS);
	out->failed |= tame.failed;
	pp_buf_release(&tame);
}

static void
func_add(struct pp_buf *out, const struct page *g, pp_func func)
{
	name_add(out, pp_text_of(g->profile, g->profile->funcs.at[func].name));
}

static void
value_add(struct pp_buf *out, const struct page *g, union pp_value v)
{
	const struct pp_metric *m = &g->profile->metrics.at[g->x->metric];

	pp_units_value(out, pp_text_of(g->profile, m->unit), pp_value_double(m, v));
}

static void
calls_add(struct pp_buf *out, bool known, uint64_t calls)
{
	if (!known)
		return;
	pp_units_u64(out, calls);
	pp_buf_addf(out, " %s ", pp_plural(calls, "call", "calls"));
}

/* A remark beside the code, and the buffer emptied. */
static void
remark_say(const struct page *g, struct pp_buf *text)
{
	pp_answer_say(g->x->answer, PP_INK_FAINT, "%*s# %s\n", g->x->lines->has_hits ? 40 : 29, "",
	              pp_answer_made(g->x->answer, text));
	text->n = 0;
}

/* Whether anybody calls it, from within the profile. */
static bool
has_callers(const struct page *g, pp_func func, size_t first)
{
	for (; first < g->calls.rows.n; first++) {
		const struct pp_line_call *c = &g->calls.rows.at[g->calls.by_callee[first]];

		if (c->callee != func || c->caller)
			return c->callee == func;
	}
	return false;
}

/* Who calls a function that begins here. */
static void
start_say(const struct page *g, const struct start *start)
{
	pp_func func = start->func;
	size_t first = pp_line_calls_of(&g->calls, func), i, more = 0, shown = 0;
	uint32_t row = g->flat_row[func];
	struct pp_buf text = { 0 };
	bool known;

	if (!has_callers(g, func, first))
		return;
	func_add(&text, g, func);
	known = row && pp_flat_calls_known(&g->flat, row - 1);
	if (known)
		pp_buf_adds(&text, ": ");
	calls_add(&text, known, row ? g->flat.calls[row - 1] : 0);
	if (text.n && text.p[text.n - 1] == ' ')
		text.n--;
	if (row) {
		pp_buf_adds(&text, known ? ", " : ": ");
		value_add(&text, g, pp_flat_get(&g->flat, row - 1, g->x->metric).total);
		pp_buf_adds(&text, " in total, ");
		value_add(&text, g, pp_flat_get(&g->flat, row - 1, g->x->metric).own);
		pp_buf_adds(&text, " itself");
	}
	remark_say(g, &text);
	for (i = first; i < g->calls.rows.n; i++) {
		const struct pp_line_call *c = &g->calls.rows.at[g->calls.by_callee[i]];

		if (c->callee != func)
			break;
		if (!c->caller)
			continue;
		if (shown++ >= CALLS_SHOWN) {
			more++;
			continue;
		}
		pp_buf_adds(&text, "  ");
		calls_add(&text, g->calls.counted, c->calls);
		pp_buf_adds(&text, "from ");
		func_add(&text, g, c->caller);
		if (c->line) {
			pp_buf_adds(&text, " at ");
			if (c->file && c->file != start->file)
				name_add(&text, pp_text_of(g->profile, c->file));
			pp_buf_addf(&text, "%s%u",
			            c->file && c->file != start->file ? ":" : "line ", c->line);
		}
		pp_buf_adds(&text, ": ");
		value_add(&text, g, c->total);
		remark_say(g, &text);
	}
	if (more) {
		pp_buf_addf(&text, "  and from %zu more %s", more,
		            pp_plural(more, "place", "places"));
		remark_say(g, &text);
	}
	pp_buf_release(&text);
}

/* What is called at a line: rows [from, to). */
static void
calls_say(const struct page *g, size_t from, size_t to)
{
	struct pp_buf text = { 0 };
	size_t i;

	for (i = from; i < to && i - from < CALLS_SHOWN; i++) {
		const struct pp_line_call *c = &g->calls.rows.at[i];

		calls_add(&text, g->calls.counted, c->calls);
		pp_buf_adds(&text, g->calls.counted ? "to " : "calls ");
		func_add(&text, g, c->callee);
		pp_buf_adds(&text, ": ");
		value_add(&text, g, c->total);
		remark_say(g, &text);
	}
	if (to - from > CALLS_SHOWN) {
		pp_buf_addf(&text, "and to %zu more", to - from - CALLS_SHOWN);
		remark_say(g, &text);
	}
	pp_buf_release(&text);
}

/* A cell of a fixed width, and the buffer emptied. */
static void
cell_say(const struct page *g, enum pp_ink ink, struct pp_buf *cell, size_t width)
{
	size_t columns = cell->n ? pp_text_columns(cell->p, cell->n) : 0;

	pp_answer_say(g->x->answer, PP_INK_PLAIN, "%*s",
	              (int)(columns < width ? width - columns : 0), "");
	pp_answer_say(g->x->answer, ink, "%s", cell->n ? cell->p : "");
	cell->n = 0;
}

/* Code for a terminal: tabs become blanks, what is too long is cut. */
static void
code_add(struct pp_buf *out, struct pp_slice text)
{
	struct pp_buf plain = { 0 }, tame = { 0 };
	size_t i, n = text.n < LONGEST ? text.n : LONGEST;

	for (i = 0; i < n; i++)
		if (text.p[i] == '\t')
			pp_buf_adds(&plain, "    ");
		else
			pp_buf_addc(&plain, (char)text.p[i]);
	if (plain.n)
		pp_escape_terminal(&tame, pp_slice_of(plain.p, plain.n));
	if (tame.n)
		pp_text_shorten(out, tame.p, tame.n, LINE_COLUMNS);
	if (n < text.n)
		pp_buf_addf(out, " (%zu bytes)", text.n);
	out->failed |= plain.failed || tame.failed;
	pp_buf_release(&plain);
	pp_buf_release(&tame);
}

/* One line; `row` is what it costs, SIZE_MAX = nothing. */
static void
line_say(const struct page *g, size_t row, uint64_t number, const struct pp_slice *text)
{
	const struct pp_annotation *x = g->x;
	bool has_cost = row != SIZE_MAX;
	double cost = has_cost ? cost_of(g, row) : 0, share = has_cost ? share_of(g, row) : 0;
	struct pp_buf cell = { 0 };

	if (has_cost)
		pp_units_share(&cell, share, x->whole);
	cell_say(g, has_cost ? pp_ink_of_share(share, x->whole) : PP_INK_PLAIN, &cell, 8);
	if (has_cost)
		pp_units_value(
		    &cell, pp_text_of(g->profile, g->profile->metrics.at[x->metric].unit), cost);
	cell_say(g, PP_INK_PLAIN, &cell, 12);
	if (x->lines->has_hits) {
		if (has_cost)
			pp_units_count(&cell, (double)x->lines->rows.at[row].hits);
		cell_say(g, PP_INK_PLAIN, &cell, 11);
	}
	pp_answer_say(x->answer, PP_INK_FAINT, "  %6llu ", (unsigned long long)number);
	if (text)
		code_add(&cell, *text);
	else
		pp_buf_adds(&cell, "(there is no such line)");
	pp_answer_say(x->answer, PP_INK_PLAIN, "%s\n", pp_answer_made(x->answer, &cell));
	pp_buf_release(&cell);
}

/* ---- for scripts ---- */

static void
values_put(const struct page *g, const char *key, union pp_value v)
{
	const struct pp_metric *m = &g->profile->metrics.at[g->x->metric];
	char digits[PP_NUM_MAX];
	size_t n = pp_value_print(m, v, digits);

	pp_json_put_object(g->json, key);
	pp_json_key_text(g->json, pp_slice_of(g->label.p ? g->label.p : "", g->label.n));
	pp_json_raw(g->json, digits, n);
	pp_json_end_object(g->json);
}

/* "name", "file", "line", "column" of a function. */
static void
func_put(const struct page *g, pp_func func)
{
	const struct pp_func_row *f = &g->profile->funcs.at[func];

	pp_json_put_name(g->json, "name", pp_text_of(g->profile, f->name));
	if (f->file)
		pp_json_put_name(g->json, "file", pp_text_of(g->profile, f->file));
	if (f->line)
		pp_json_put_u64(g->json, "line", f->line);
	if (f->column)
		pp_json_put_u64(g->json, "column", f->column);
}

static void
call_put(const struct page *g, const struct pp_line_call *c, pp_func other, bool site)
{
	pp_json_begin_object(g->json);
	func_put(g, other);
	if (g->calls.counted)
		pp_json_put_u64(g->json, "calls", c->calls);
	if (site && c->line) {
		pp_json_put_object(g->json, "site");
		if (c->file)
			pp_json_put_name(g->json, "file", pp_text_of(g->profile, c->file));
		pp_json_put_u64(g->json, "line", c->line);
		pp_json_end_object(g->json);
	}
	values_put(g, "total", c->total);
	pp_json_end_object(g->json);
}

static void
start_put(const struct page *g, const struct start *start)
{
	pp_func func = start->func;
	size_t i = pp_line_calls_of(&g->calls, func);
	uint32_t row = g->flat_row[func];

	pp_json_begin_object(g->json);
	func_put(g, func);
	if (row && pp_flat_calls_known(&g->flat, row - 1))
		pp_json_put_u64(g->json, "calls", g->flat.calls[row - 1]);
	if (row) {
		values_put(g, "self", pp_flat_get(&g->flat, row - 1, g->x->metric).own);
		values_put(g, "total", pp_flat_get(&g->flat, row - 1, g->x->metric).total);
	}
	pp_json_put_array(g->json, "callers");
	for (; i < g->calls.rows.n; i++) {
		const struct pp_line_call *c = &g->calls.rows.at[g->calls.by_callee[i]];

		if (c->callee != func)
			break;
		if (c->caller)
			call_put(g, c, c->caller, true);
	}
	pp_json_end_array(g->json);
	pp_json_end_object(g->json);
}

static void
line_put(const struct page *g, size_t row, uint64_t number, const struct pp_slice *text)
{
	pp_json_put_u64(g->json, "line", number);
	if (text)
		pp_json_put_name(g->json, "text", *text);
	if (row == SIZE_MAX)
		return;
	if (g->x->lines->has_hits)
		pp_json_put_u64(g->json, "hits", g->x->lines->rows.at[row].hits);
	values_put(g, "cost", pp_ledger_get(&g->x->lines->cost, row, g->x->metric));
}

/* ---- one file ---- */

/* Where the walk over a file stands. */
struct walk {
	size_t row, row_end;
	size_t start;
	size_t call;
	pp_str file;
};

/* The functions that begin at a line: [from, to). */
static size_t
starts_pass(const struct page *g, struct walk *w, uint64_t number)
{
	while (w->start < g->start_count &&
	       (g->starts[w->start].file < w->file ||
	        (g->starts[w->start].file == w->file && g->starts[w->start].line < number)))
		w->start++;
	return w->start;
}

static void
starts_show(const struct page *g, struct walk *w, uint64_t number)
{
	size_t i = starts_pass(g, w, number);
	bool any = i < g->start_count && g->starts[i].file == w->file &&
	           g->starts[i].line == number;

	if (g->json && any)
		pp_json_put_array(g->json, "functions");
	for (; i < g->start_count && g->starts[i].file == w->file && g->starts[i].line == number;
	     i++)
		(g->json ? start_put : start_say)(g, &g->starts[i]);
	if (g->json && any)
		pp_json_end_array(g->json);
}

static void
calls_show(const struct page *g, struct walk *w, uint64_t number)
{
	size_t first, i;

	while (w->call < g->calls.rows.n && g->calls.rows.at[w->call].file == w->file &&
	       g->calls.rows.at[w->call].line < number)
		w->call++;
	first = w->call;
	while (w->call < g->calls.rows.n && g->calls.rows.at[w->call].file == w->file &&
	       g->calls.rows.at[w->call].line == number)
		w->call++;
	if (!g->json) {
		calls_say(g, first, w->call);
		return;
	}
	if (w->call == first)
		return;
	pp_json_put_array(g->json, "calls");
	for (i = first; i < w->call; i++)
		call_put(g, &g->calls.rows.at[i], g->calls.rows.at[i].callee, false);
	pp_json_end_array(g->json);
}

static void
line_show(const struct page *g, struct walk *w, uint64_t number, const struct pp_slice *text)
{
	const struct pp_linecost *l = g->x->lines;
	size_t row = SIZE_MAX;

	while (w->row < w->row_end && l->rows.at[w->row].line < number)
		w->row++;
	if (w->row < w->row_end && l->rows.at[w->row].line == number)
		row = w->row;
	if (g->json) {
		pp_json_begin_object(g->json);
		line_put(g, row, number, text);
		starts_show(g, w, number);
		calls_show(g, w, number);
		pp_json_end_object(g->json);
		return;
	}
	starts_show(g, w, number);
	line_say(g, row, number, text);
	calls_show(g, w, number);
}

/* A byte for each line that is near one that costs enough; NULL when out of memory. */
static char *
lines_near(const struct page *g, const struct span *span, size_t n)
{
	double least = g->x->whole > 0 ? g->x->min * g->x->whole : 0;
	char *near = calloc(n + 2, 1);
	size_t i;

	for (i = span->first; near && i < span->first + span->n; i++) {
		uint64_t line = g->x->lines->rows.at[i].line;
		uint64_t from = line > CONTEXT ? line - CONTEXT : 1, to = line + CONTEXT;

		if (line == 0 || line > n || fabs(share_of(g, i)) < least)
			continue;
		for (to = to < n ? to : n; from <= to; from++)
			near[from] = 1;
	}
	return near;
}

/* Lines that the profile names and the file does not have: it is another than the one that ran. */
static void
lines_beyond(const struct page *g, struct walk *w, size_t n)
{
	const struct pp_linecost *l = g->x->lines;
	uint32_t last = l->rows.at[w->row_end - 1].line;
	struct pp_buf name = { 0 };

	if (last <= n)
		return;
	for (; w->row < w->row_end; w->row++)
		if (l->rows.at[w->row].line > n)
			line_show(g, w, l->rows.at[w->row].line, NULL);
	name_add(&name, pp_text_of(g->profile, w->file));
	pp_answer_note(g->x->answer, "source-changed",
	               "%s has %zu %s, but the profile names line %u: it may have changed",
	               pp_answer_made(g->x->answer, &name), n, pp_plural(n, "line", "lines"), last);
	pp_buf_release(&name);
}

static bool
file_show(const struct page *g, const struct span *span, const struct pp_source_text *source)
{
	pp_str file = g->x->lines->rows.at[span->first].file;
	struct walk w = { .row = span->first,
		          .row_end = span->first + span->n,
		          .call = pp_line_calls_at(&g->calls, file, 1),
		          .file = file };
	char *near = g->x->min > 0 ? lines_near(g, span, source->starts.n) : NULL;
	uint64_t number, printed = 0;
	struct pp_slice text;

	if (g->x->min > 0 && !near)
		return false;
	for (number = 1; pp_source_text_line(source, number, &text); number++) {
		if (near && !near[number])
			continue;
		if (!g->json && printed && printed + 1 < number)
			pp_answer_say(g->x->answer, PP_INK_FAINT, "     ...\n");
		line_show(g, &w, number, &text);
		printed = number;
	}
	lines_beyond(g, &w, source->starts.n);
	free(near);
	return true;
}

/* ---- all of them ---- */

static void
head_say(const struct page *g, const struct span *span, bool first)
{
	struct pp_buf text = { 0 };

	pp_answer_say(g->x->answer, PP_INK_PLAIN, "%s", first ? "" : "\n");
	pp_answer_say_name(g->x->answer, PP_INK_TITLE,
	                   pp_text_of(g->profile, g->x->lines->rows.at[span->first].file));
	pp_units_share(&text, span->cost, g->x->whole);
	pp_answer_say(g->x->answer, PP_INK_PLAIN, "%s%s\n", text.n ? "  " : "",
	              pp_answer_made(g->x->answer, &text));
	pp_buf_release(&text);
}

static bool
files_show(const struct page *g)
{
	size_t i, shown = 0, missing = 0;
	bool fine = true;

	for (i = 0; fine && i < g->span_count && (g->x->files == 0 || shown < g->x->files); i++) {
		pp_str file = g->x->lines->rows.at[g->spans[i].first].file;
		const struct pp_source_text *source = source_of(g, file);

		if (!source) {
			missing++;
			continue;
		}
		if (g->json) {
			pp_json_begin_object(g->json);
			pp_json_put_name(g->json, "file", pp_text_of(g->profile, file));
			pp_json_put_array(g->json, "lines");
		} else {
			head_say(g, &g->spans[i], shown == 0);
		}
		fine = file_show(g, &g->spans[i], source);
		if (g->json) {
			pp_json_end_array(g->json);
			pp_json_end_object(g->json);
		}
		shown++;
	}
	if (missing)
		pp_answer_note(g->x->answer, "no-source", "the source of %zu %s is not known%s",
		               missing, pp_plural(missing, "file", "files"),
		               g->x->looked ? "" : "; --source DIR looks for it");
	return fine;
}

pp_status
pp_annotation_say(const struct pp_annotation *x)
{
	struct page g;
	bool fine = page_init(&g, x) && files_show(&g);

	page_release(&g);
	return fine ? PP_OK : PP_E_NOMEM;
}

pp_status
pp_annotation_json(const struct pp_annotation *x)
{
	struct pp_buf text = { 0 };
	struct pp_sink *out = NULL;
	struct pp_json json;
	struct page g;
	bool fine = page_init(&g, x) && pp_sink_buffer(&text, &out) == PP_OK;

	if (fine) {
		pp_json_init(&json, out, PP_JSON_SPACED);
		g.json = &json;
		pp_json_begin_array(&json);
		fine = files_show(&g);
		pp_json_end_array(&json);
		fine = pp_sink_commit(out) == PP_OK && fine;
	}
	pp_sink_close(out);
	if (fine)
		pp_answer_raw(x->answer, "files", &text);
	pp_buf_release(&text);
	page_release(&g);
	return fine ? PP_OK : PP_E_NOMEM;
}
