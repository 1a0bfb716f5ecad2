/*
 * diff: what changed between two profiles, in any format.
 */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "questions/compare.h"
#include "questions/diff_by.h"
#include "questions/excerpt_diff.h"
#include "questions/product.h"
#include "questions/tree_lines.h"
#include "text/escape.h"
#include "text/units.h"

#define ROWS_SHOWN 25
#define LINES_SHOWN 40
#define MIN_SHOWN 0.005

struct diff_params {
	struct pp_compared compared;
	unsigned sort; /* enum pp_diff_sort */
	bool tree;
	double min;
	uint64_t depth;
	unsigned to;     /* 0 = differential folded stacks are written, else not */
	unsigned format; /* one of FORMAT_... */
};

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };

static void diff_init(void *);
static pp_status diff_ready(const struct pp_subject *, const void *, struct pp_answer *);
static void diff_want(const void *, struct pp_want *);
static pp_status diff_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status diff_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param diff_params[] = {
	{ "sort", 0, PP_PARAM_CHOICE, "self|total|calls|name",
	  "what the rows compare and are sorted by (default: self)", PP_HINT_NONE,
	  offsetof(struct diff_params, sort) },
	{ "limit", 'n', PP_PARAM_COUNT, "N", "show N rows (0 = all, unchanged ones too)",
	  PP_HINT_NONE, offsetof(struct diff_params, compared.asked.budget.rows) },
	{ "tree", 0, PP_PARAM_FLAG, NULL, "show the change as a call tree", PP_HINT_NONE,
	  offsetof(struct diff_params, tree) },
	{ 0 },
};
static const struct pp_param_group diff_group = { "Rows", diff_params };

static const struct pp_param to_params[] = {
	{ "format", 0, PP_PARAM_CHOICE, "text|json|csv|markdown",
	  "how the answer is written (default: text)", PP_HINT_NONE,
	  offsetof(struct diff_params, format) },
	{ "to", 't', PP_PARAM_CHOICE, "diff-folded",
	  "write differential folded stacks (default when OUT ends in .diff.folded)", PP_HINT_NONE,
	  offsetof(struct diff_params, to) },
	{ 0 },
};
static const struct pp_param_group to_group = { "Output", to_params };

static const struct pp_param_use diff_uses[] = {
	{ &pp_params_compare, 0, PP_GROUP_FIRST },
	{ &diff_group, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct diff_params, compared.scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct diff_params, compared.scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct diff_params, min), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct diff_params, depth), PP_GROUP_FIRST },
	{ &to_group, 0, PP_GROUP_OUTPUT },
	{ 0 },
};

const struct pp_question pp_question_diff = {
	.name = "diff",
	.summary = "what changed between two profiles, in any format",
	.params = diff_uses,
	.params_size = sizeof(struct diff_params),
	.scope_at = offsetof(struct diff_params, compared.scope),
	.asks = PP_ASKS_SIDES,
	.per_run = true,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV | PP_GIVES_FILE,
	.init = diff_init,
	.ready = diff_ready,
	.want = diff_want,
	.excerpt = diff_excerpt,
	.run = diff_run,
};

static void
diff_init(void *data)
{
	((struct diff_params *)data)->to = UINT_MAX;
}

/* Whether both trees are to be written as differential folded stacks. */
static bool
is_written(const struct diff_params *params)
{
	const char *output = params->compared.asked.output;

	return params->to == 0 || (output && pp_name_ends(output, "diff.folded"));
}

static pp_status
diff_ready(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct diff_params *params = data;

	if (params->tree && params->compared.asked.form == PP_RENDER_CSV)
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "a tree is not a table: --tree and --csv cannot be "
		                      "used together");
	if (is_written(params) &&
	    (params->compared.asked.exact || params->tree || params->format != FORMAT_TEXT))
		return pp_answer_fail(a, PP_E_USAGE, PP_RULE_USAGE,
		                      "differential folded stacks are the whole answer: leave "
		                      "--format, --json, --csv and --tree out");
	return PP_OK;
}

static void
diff_want(const void *data, struct pp_want *want)
{
	want->facets |= PP_FUNCTIONS | PP_GAINS;
	want->stacks = ((const struct diff_params *)data)->tree || is_written(data);
}

/* ---- the heading ---- */

static void
heading_say(struct pp_answer *a, const struct pp_diff *d, bool by_total)
{
	const struct pp_profile *p = d->input[0]->profile;
	struct pp_slice unit = pp_text_of(p, d->metric.unit);
	const char *normalized = pp_compare_normalized(d);
	struct pp_buf text = { 0 }, label = { 0 };

	if (pp_compare_advice(d))
		pp_answer_say(a, PP_INK_FAINT, "%s\n", pp_compare_advice(d));
	pp_metric_title(p, &d->metric, &label);
	pp_escape_terminal(&text, pp_slice_z(pp_answer_made(a, &label)));
	pp_buf_release(&label);
	pp_buf_adds(&text, by_total ? ", totals: " : ", self: ");
	pp_units_named(&text, unit, d->whole.value[PP_BEFORE]);
	pp_buf_adds(&text, " before, ");
	pp_units_named(&text, unit, d->whole.value[PP_AFTER]);
	pp_buf_adds(&text, " after");
	if (d->whole.value[PP_BEFORE] != 0)
		pp_buf_addf(&text, " (%+.1f%%, %s)",
		            pp_diff_delta(&d->whole) / fabs(d->whole.value[PP_BEFORE]) * 100,
		            pp_diff_status_name(d->whole.status));
	pp_answer_say(a, PP_INK_TITLE, "%s", pp_answer_made(a, &text));
	pp_answer_say(a, PP_INK_PLAIN, "\n");
	text.n = 0;
	if (normalized)
		pp_buf_addf(&text, "after is scaled by %.6g to the same %s; ", d->scale,
		            normalized);
	pp_diff_explain(d, &text);
	pp_answer_say(a, PP_INK_FAINT, "%s", pp_answer_made(a, &text));
	pp_answer_say(a, PP_INK_PLAIN, "\n\n");
	pp_buf_release(&text);
}

/* ---- rows; live in the answer ---- */

struct rows {
	struct pp_compare_rows rows;
	bool by_total; /* columns for people speak of the total, not of self */
	struct pp_slice unit;
};

static const struct pp_diff_value *
value_of(const struct rows *r, size_t row)
{
	const struct pp_diff_row *found = pp_compare_row(&r->rows, row);

	return r->by_total ? &found->total : &found->self;
}

/* "+1.2 ms": the sign is always there. */
static void
signed_add(struct pp_buf *out, struct pp_slice unit, double value)
{
	pp_buf_adds(out, value > 0 ? "+" : "");
	pp_units_value(out, unit, value);
}

static void
side_get(const void *data, size_t row, size_t side, struct pp_datum *d)
{
	const struct rows *r = data;

	d->known = pp_compare_row(&r->rows, row)->profile[side] != NULL;
	d->part = value_of(r, row)->value[side];
	d->unit = r->unit;
}

static enum pp_ink
status_ink(enum pp_diff_status status)
{
	switch (status) {
	case PP_GREW:
	case PP_NEW:
		return PP_INK_HOT;
	case PP_SHRANK:
	case PP_GONE:
		return PP_INK_GOOD;
	case PP_SAME:
	case PP_NOISE:
		break;
	}
	return PP_INK_FAINT;
}

static void
delta_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct rows *r = data;

	signed_add(d->made, r->unit, pp_diff_delta(value_of(r, row)));
	pp_datum_made(d);
	d->ink = status_ink(value_of(r, row)->status);
}

/* Relative to the function's own cost before; words where that makes no number. */
static void
change_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct rows *r = data;
	const struct pp_diff_value *x = value_of(r, row);
	const struct pp_diff_row *found = pp_compare_row(&r->rows, row);

	if (!found->profile[PP_BEFORE] || !found->profile[PP_AFTER])
		pp_buf_adds(d->made, found->profile[PP_AFTER] ? "new" : "gone");
	else if (x->value[PP_BEFORE] != 0)
		pp_buf_addf(d->made, "%+.1f%%", pp_diff_delta(x) / fabs(x->value[PP_BEFORE]) * 100);
	pp_datum_made(d);
}

static void
share_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct rows *r = data;

	pp_buf_addf(d->made, "%+.1f", pp_diff_share(r->rows.diff, value_of(r, row)) * 100);
	pp_datum_made(d);
}

static void
calls_get(const void *data, size_t row, size_t side, struct pp_datum *d)
{
	const struct rows *r = data;
	const struct pp_diff_row *found = pp_compare_row(&r->rows, row);

	if (found->profile[side] && pp_diff_counted(r->rows.diff, found, side))
		pp_units_count(d->made, found->calls[side]);
	pp_datum_made(d);
}

static void
status_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct rows *r = data;

	pp_datum_text(d, pp_slice_z(pp_diff_status_name(value_of(r, row)->status)));
	d->ink = status_ink(value_of(r, row)->status);
}

static void
name_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_profile *p;
	pp_func func = pp_compare_func(data, row, &p);

	pp_func_text(d->made, p, func);
	pp_datum_made(d);
}

static void
place_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_profile *p;
	pp_func func = pp_compare_func(data, row, &p);
	const struct pp_func_row *f = &p->funcs.at[func];

	pp_escape_terminal(d->made, pp_text_of(p, f->file));
	if (f->file && f->line)
		pp_buf_addf(d->made, ":%u", f->line);
	pp_datum_made(d);
}

static const struct pp_answer_column people_columns[] = {
	{ .title = "before",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .arg = PP_BEFORE,
	  .get = side_get },
	{ .title = "after",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .arg = PP_AFTER,
	  .get = side_get },
	{ .title = "delta", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = delta_get },
	{ .title = "change", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = change_get },
	{ .title = "share±",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 3,
	  .get = share_get },
	{ .title = "calls",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 2,
	  .arg = PP_BEFORE,
	  .get = calls_get },
	{ .title = "after",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 2,
	  .arg = PP_AFTER,
	  .get = calls_get },
	{ .title = "verdict", .as = PP_AS_TEXT, .get = status_get },
	{ .title = "function",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	  .get = name_get },
	{ .title = "place",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX,
	  .drop = 4,
	  .get = place_get },
};

/* For a comment or a page: the name first, and fewer numbers. */
static const struct pp_answer_column markdown_columns[] = {
	{ .title = "function",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	  .get = name_get },
	{ .title = "before",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .arg = PP_BEFORE,
	  .get = side_get },
	{ .title = "after",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .arg = PP_AFTER,
	  .get = side_get },
	{ .title = "delta", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = delta_get },
	{ .title = "change", .as = PP_AS_LABEL, .flags = PP_COLUMN_RIGHT, .get = change_get },
	{ .title = "verdict", .as = PP_AS_TEXT, .get = status_get },
};

/* People are shown changes; all rows with a limit of 0, as scripts are. The least share is of both sides. */
static size_t *
rows_choose(const struct pp_diff *d, const struct diff_params *params, bool by_total, size_t *n)
{
	bool all = params->compared.asked.exact || params->compared.asked.budget.rows == 0;
	double least = fmax(0, params->min) * pp_diff_size(d);
	size_t *shown = calloc(d->rows.n + 1, sizeof *shown), i;

	for (i = 0; shown && i < d->rows.n; i++) {
		const struct pp_diff_row *r = &d->rows.at[i];
		enum pp_diff_status status = by_total ? r->total.status : r->self.status;

		if ((all || (status != PP_SAME && status != PP_NOISE)) &&
		    pp_diff_value_size(&r->total) >= least)
			shown[(*n)++] = i;
	}
	return shown;
}

static void
footer_say(struct pp_answer *a, const struct rows *r)
{
	const struct pp_diff *d = r->rows.diff;
	size_t i, rows = pp_answer_window(a, r->rows.n, ROWS_SHOWN).n;
	size_t more = r->rows.n - rows, same = 0, noise = 0;
	struct pp_buf text = { 0 };

	for (i = 0; i < d->rows.n; i++) {
		enum pp_diff_status status = r->by_total ? d->rows.at[i].total.status
		                                         : d->rows.at[i].self.status;

		same += status == PP_SAME;
		noise += status == PP_NOISE;
	}
	pp_units_listed(&text, more, "more change", "more changes");
	pp_units_listed(&text, noise, "function within noise", "functions within noise");
	pp_units_listed(&text, same, "unchanged function", "unchanged functions");
	if ((text.n || text.failed) && r->rows.n < d->rows.n + more)
		pp_answer_say(a, PP_INK_FAINT, "%s  ... and %s (-n 0 shows all)\n",
		              rows ? "\n" : "", pp_answer_made(a, &text));
	pp_buf_release(&text);
}

static void
rows_release(void *data)
{
	struct rows *r = data;

	free((void *)(uintptr_t)r->rows.shown);
}

static pp_status
rows_add(struct pp_answer *a, struct pp_diff *d, const struct diff_params *params)
{
	bool markdown = params->format == FORMAT_MARKDOWN;
	const struct pp_answer_column *people = markdown ? markdown_columns : people_columns;
	const size_t n = PP_COMPARE_COLUMNS +
	                 (markdown ? PP_COUNT_OF(markdown_columns) : PP_COUNT_OF(people_columns));
	struct pp_answer_column *columns = pp_answer_alloc(a, n * sizeof *columns);
	struct rows *r = pp_answer_own(a, sizeof *r, rows_release);

	if (!columns || !r)
		return PP_E_NOMEM;
	memcpy(columns, pp_compare_columns, sizeof pp_compare_columns);
	memcpy(columns + PP_COMPARE_COLUMNS, people, (n - PP_COMPARE_COLUMNS) * sizeof *people);
	r->by_total = params->sort == PP_DIFF_TOTAL;
	r->unit = pp_text_of(d->input[0]->profile, d->metric.unit);
	pp_diff_sort(d, (enum pp_diff_sort)params->sort);
	r->rows.diff = d;
	r->rows.shown = rows_choose(d, params, r->by_total, &r->rows.n);
	if (!r->rows.shown)
		return PP_E_NOMEM;
	heading_say(a, d, r->by_total);
	if (r->rows.n == 0)
		pp_answer_say(a, PP_INK_PLAIN, "  no function changed\n");
	pp_answer_table(a, &(struct pp_answer_table){ .key = "functions",
	                                              .columns = columns,
	                                              .column_count = n,
	                                              .data = r,
	                                              .func = pp_compare_func,
	                                              .rows = r->rows.n,
	                                              .usual = ROWS_SHOWN,
	                                              .flags = PP_TABLE_NO_MORE });
	pp_answer_count(a, "count", r->rows.n);
	if (params->compared.asked.budget.rows != 0)
		footer_say(a, r);
	return PP_OK;
}

/* ---- the tree ---- */

enum { TREE_BEFORE, TREE_AFTER, TREE_CHANGE };

/* Lives in the answer. */
struct tree {
	struct pp_tree_lines lines;
	struct pp_profile *both;
	struct pp_calltree tree;
	struct pp_slice unit;
};

static void
tree_release(void *data)
{
	struct tree *t = data;

	pp_tree_lines_release(&t->lines);
	if (t->tree.profile)
		pp_calltree_release(&t->tree);
	pp_profile_free(t->both);
}

static void
tree_side(const void *data, size_t row, size_t side, struct pp_datum *d)
{
	const struct tree *t = data;

	d->known = true;
	d->part = pp_tree_line_total(&t->lines, row, side);
	d->unit = t->unit;
}

static void
tree_delta(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct tree *t = data;
	double delta = pp_tree_line_total(&t->lines, row, TREE_AFTER) -
	               pp_tree_line_total(&t->lines, row, TREE_BEFORE);

	signed_add(d->made, t->unit, delta);
	pp_datum_made(d);
	d->ink = delta > 0 ? PP_INK_HOT : delta < 0 ? PP_INK_GOOD : PP_INK_FAINT;
}

static void
tree_change(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct tree *t = data;
	double before = pp_tree_line_total(&t->lines, row, TREE_BEFORE);
	double after = pp_tree_line_total(&t->lines, row, TREE_AFTER);

	if (before == 0 && after != 0)
		pp_buf_adds(d->made, "new");
	else if (before != 0 && after == 0)
		pp_buf_adds(d->made, "gone");
	else if (before != 0)
		pp_buf_addf(d->made, "%+.1f%%", (after - before) / fabs(before) * 100);
	pp_datum_made(d);
}

static pp_status
tree_lines_add(struct pp_answer *a, struct tree *t, const struct diff_params *params)
{
	static const struct pp_answer_column columns[] = {
		{ .title = "before",
		  .as = PP_AS_AMOUNT,
		  .flags = PP_COLUMN_RIGHT,
		  .drop = 2,
		  .arg = TREE_BEFORE,
		  .get = tree_side },
		{ .title = "after",
		  .as = PP_AS_AMOUNT,
		  .flags = PP_COLUMN_RIGHT,
		  .drop = 1,
		  .arg = TREE_AFTER,
		  .get = tree_side },
		{ .title = "delta",
		  .as = PP_AS_LABEL,
		  .flags = PP_COLUMN_RIGHT,
		  .get = tree_delta },
		{ .title = "change",
		  .as = PP_AS_LABEL,
		  .flags = PP_COLUMN_RIGHT,
		  .get = tree_change },
		{ .title = "function",
		  .as = PP_AS_LABEL,
		  .flags = PP_COLUMN_RAILS | PP_COLUMN_NAMES,
		  .get = pp_tree_line_label },
	};
	uint64_t lines = params->compared.asked.budget.rows;
	double min = params->min >= 0 ? params->min : MIN_SHOWN;
	struct pp_hot *hot = &t->lines.hot;

	hot->tree = &t->tree;
	hot->metric = TREE_CHANGE;
	hot->min = min * pp_value_double(&t->both->metrics.at[TREE_CHANGE],
	                                 pp_calltree_cost(&t->tree, 0, TREE_CHANGE));
	if (hot->min == 0 && min > 0)
		hot->min = 1; /* nothing changed: nothing to show */
	hot->depth = params->depth == PP_UNSET ? 0 : params->depth;
	hot->lines = lines == PP_UNSET ? LINES_SHOWN : lines;
	if (!pp_tree_lines_make(&t->lines))
		return PP_E_NOMEM;
	pp_answer_table(a, &(struct pp_answer_table){ .columns = columns,
	                                              .column_count = PP_COUNT_OF(columns),
	                                              .data = t,
	                                              .rows = t->lines.lines.n,
	                                              .place = pp_tree_line_place,
	                                              .flags = PP_TABLE_WHOLE | PP_TABLE_NO_CSV });
	return PP_OK;
}

#define NODE_VALUE(in, name, metric, with)                                                         \
	{                                                                                          \
		.key = (name), .group = (in), .as = PP_AS_VALUE, .arg = (metric), .get = (with)    \
	}

static pp_status
tree_whole_add(struct pp_answer *a, const struct pp_profile *both, const struct diff_params *params)
{
	static const struct pp_answer_column costs[] = {
		NODE_VALUE("before", "self", TREE_BEFORE, pp_branch_walk_self),
		NODE_VALUE("before", "total", TREE_BEFORE, pp_branch_walk_total),
		NODE_VALUE("after", "self", TREE_AFTER, pp_branch_walk_self),
		NODE_VALUE("after", "total", TREE_AFTER, pp_branch_walk_total),
	};
	struct pp_branch_walk *w = pp_branch_walk_new(a, both);

	if (!w)
		return PP_E_NOMEM;
	w->metric = TREE_CHANGE;
	w->depth = params->depth == PP_UNSET ? 0 : params->depth;
	pp_branch_walk_table(a, w, costs, PP_COUNT_OF(costs));
	return PP_OK;
}

/* Both trees as one. */
static pp_status
tree_unite(struct pp_answer *a, const struct pp_diff *d, bool changes, struct tree *t)
{
	pp_status status = t ? pp_diff_union(d, changes, &t->both) : PP_E_NOMEM;

	if (status == PP_E_UNSUPPORTED)
		return pp_answer_fail(
		    a, status, "no-stacks", "%s",
		    d->runs[0] > 1 || d->runs[1] > 1
		        ? "repeated runs have no tree in common; compare two of them"
		        : "this needs whole stacks, which not both profiles have");
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}

/* Both trees to be written as differential folded stacks. */
static pp_status
tree_write(struct pp_answer *a, const struct pp_diff *d, const struct diff_params *params)
{
	static const struct pp_target target = { .to = "diff-folded" };
	struct tree *t = pp_answer_own(a, sizeof *t, tree_release);
	pp_status status;

	if (d->scale != 1.0)
		return pp_answer_fail(a, PP_E_USAGE, "scaled-counts",
		                      "scaled counts are not whole numbers, so they cannot "
		                      "be written; leave out --normalize");
	status = tree_unite(a, d, false, t);
	return status == PP_OK ? pp_target_make(&target, &params->compared.asked, t->both, a)
	                       : status;
}

static pp_status
tree_add(struct pp_answer *a, const struct pp_diff *d, const struct diff_params *params)
{
	bool exact = params->compared.asked.exact;
	struct tree *t = pp_answer_own(a, sizeof *t, tree_release);
	pp_status status = tree_unite(a, d, true, t);

	if (status != PP_OK)
		return status;
	if (status == PP_OK && !exact && !pp_calltree_init(&t->tree, t->both, true))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		t->unit = pp_text_of(d->input[0]->profile, d->metric.unit);
		heading_say(a, d, true);
		status = exact ? tree_whole_add(a, t->both, params) : tree_lines_add(a, t, params);
	}
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}

/* ---- running ---- */

static bool
markdown_make(struct pp_answer *a)
{
	struct pp_product *product = pp_answer_alloc(a, sizeof *product);

	if (product)
		product->kind = PP_MAKES_MARKDOWN;
	a->product = product;
	return product != NULL;
}

static pp_status
diff_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct diff_params *params = data;
	struct pp_compare *c;
	pp_status status;

	if (subject->by &&
	    (params->tree || is_written(params) || params->format == FORMAT_MARKDOWN))
		return pp_answer_fail(
		    a, PP_E_USAGE, PP_RULE_USAGE,
		    "label '%s' has more than two values, which are no tree and no "
		    "file: --before and --after select two",
		    subject->by);
	if (subject->by)
		return pp_diff_by(a, subject, &params->compared, params->sort == PP_DIFF_TOTAL);
	status = pp_compare_make(a, subject, &params->compared, &c);
	if (status != PP_OK)
		return status;
	if (is_written(params))
		return tree_write(a, &c->diff, params);
	if (params->format == FORMAT_MARKDOWN && !markdown_make(a))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	pp_compare_head(a, &c->diff);
	if (pp_compare_advice(&c->diff) && params->compared.asked.form == PP_RENDER_CSV)
		pp_answer_note(a, "single-runs", "%s", pp_compare_advice(&c->diff));
	if (params->tree)
		return tree_add(a, &c->diff, params);
	status = rows_add(a, &c->diff, params);
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}

static pp_status
diff_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	const struct diff_params *params = data;

	return pp_excerpt_diff(x, subject, &params->compared, params->sort, params->min);
}
