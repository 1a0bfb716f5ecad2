/*
 * polyprof diff: what changed between two profiles, of any formats.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/hot.h"
#include "cli/compare.h"
#include "cli/load.h"
#include "cli/save.h"
#include "cli/tree_view.h"
#include "formats/format.h"
#include "output/json_view.h"
#include "output/table.h"
#include "text/units.h"
#include "text/escape.h"

#define ROWS_SHOWN 25
#define LINES_SHOWN 40
#define MIN_SHOWN 0.005

static int diff_run(struct pp_cli *);

static const struct pp_param diff_options[] = {
	{ "sort", 0, PP_PARAM_CHOICE, "self|total|calls|name",
	  "what the rows compare and are sorted by (default: self)", PP_HINT_NONE, 0 },
	{ "limit", 'n', PP_PARAM_COUNT, "N", "show N rows (0 = all, unchanged ones too)",
	  PP_HINT_NONE, 0 },
	{ "tree", 0, PP_PARAM_FLAG, NULL, "show the change as a call tree", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group diff_group = { "Rows", diff_options };

static const struct pp_param to_options[] = {
	{ "to", 't', PP_PARAM_CHOICE, "diff-folded",
	  "write differential folded stacks (default when OUT ends in .diff.folded)", PP_HINT_NONE,
	  0 },
	{ 0 },
};
static const struct pp_param_group to_group = { "Output", to_options };

static const struct pp_param_group *const diff_groups[] = {
	&pp_group_compare, &diff_group,       &pp_params_filter, &pp_params_min,
	&pp_params_depth,  &pp_group_listing, &to_group,         &pp_group_read,
	&pp_group_variant, &pp_group_strict,  &pp_group_general, NULL,
};

static const struct pp_example diff_examples[] = {
	{ "diff old.folded new.folded", "what changed, the largest change first" },
	{ "diff spx.json cachegrind.out.7",
	  "SPX against Xdebug: functions are matched by meaning" },
	{ "diff --normalize total monday.folded tuesday.folded", "shapes, whatever their size" },
	{ "diff --before a1 a2 a3 --after b1 b2 b3", "repeated runs, with their variance" },
	{ "diff --tree old.folded new.folded", "where in the call tree it changed" },
	{ "diff old.folded new.folded -o change.diff.folded", "for a differential flame graph" },
	{ 0 },
};

const struct pp_command pp_command_diff = {
	.name = "diff",
	.synopsis = "BEFORE AFTER",
	.summary = "what changed between two profiles, of any formats",
	.details =
	    "Each row has the cost before and after, the difference, the change relative to the "
	    "function's own cost before, the change of its share of the whole, and a verdict: grew, "
	    "shrank, new, gone, same or noise. The rule that tells noise from change is printed. "
	    "Functions are matched whatever profiler wrote their names.\n\n"
	    "--normalize scales the second profile to the size of the first, by total, samples or "
	    "time. Metrics without a common meaning are refused, with a list of what both have.\n\n"
	    "Text shows the 25 largest changes that are not noise; --json and --csv give all rows.",
	.groups = diff_groups,
	.examples = diff_examples,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_OWN_DEPTH,
	.run = diff_run,
};

/* ---- fields ---- */

/* The rows shown; columns speak of self or of the total. */
struct view {
	const struct pp_diff *diff;
	size_t *shown;
	size_t n;
	bool by_total;
	struct pp_slice unit;
};

static const struct pp_diff_row *
row_of(const struct view *v, size_t row)
{
	return &v->diff->rows.at[v->shown[row]];
}

static const struct pp_diff_value *
value_of(const struct view *v, size_t row)
{
	return v->by_total ? &row_of(v, row)->total : &row_of(v, row)->self;
}

/* "+1.2 ms": the sign is always there. */
static void
signed_show(struct pp_buf *out, struct pp_slice unit, double value)
{
	pp_buf_adds(out, value > 0 ? "+" : "");
	pp_units_value(out, unit, value);
}

static void
side_show(const void *data, size_t row, size_t side, struct pp_buf *out)
{
	const struct view *v = data;

	if (row_of(v, row)->profile[side])
		pp_units_value(out, v->unit, value_of(v, row)->value[side]);
}

static void
delta_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	signed_show(out, v->unit, pp_diff_delta(value_of(v, row)));
}

/* Relative to the function's own cost before; words where that makes no number. */
static void
change_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_diff_value *x = value_of(data, row);
	const struct pp_diff_row *r = row_of(data, row);

	if (!r->profile[PP_BEFORE] || !r->profile[PP_AFTER])
		pp_buf_adds(out, r->profile[PP_AFTER] ? "new" : "gone");
	else if (x->value[PP_BEFORE] != 0)
		pp_buf_addf(out, "%+.1f%%", pp_diff_delta(x) / fabs(x->value[PP_BEFORE]) * 100);
}

static void
share_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;

	pp_buf_addf(out, "%+.1f", pp_diff_share(v->diff, value_of(v, row)) * 100);
}

static void
status_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	pp_buf_adds(out, pp_diff_status_name(value_of(data, row)->status));
}

static enum pp_ink
status_ink(const void *data, size_t row, size_t arg)
{
	switch (value_of(data, row)->status) {
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
calls_show(const void *data, size_t row, size_t side, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->diff->has_calls && row_of(v, row)->profile[side])
		pp_units_count(out, row_of(v, row)->calls[side]);
}

static void
name_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row_of(data, row), &p);
	struct pp_slice name = pp_text_of(p, f->name);

	pp_escape_terminal(out, name.n ? name : pp_slice_z("(empty name)"));
}

static void
place_show(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row_of(data, row), &p);

	pp_escape_terminal(out, pp_text_of(p, f->file));
	if (f->file && f->line)
		pp_buf_addf(out, ":%u", f->line);
}

/* ---- exact fields, for CSV ---- */

static void
name_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row_of(data, row), &p);
	struct pp_slice text = pp_text_of(p, arg ? f->file : f->name);

	pp_buf_add(out, text.p, text.n);
}

static void
line_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_profile *p;
	const struct pp_func_row *f = pp_diff_func(row_of(data, row), &p);

	if (f->line)
		pp_buf_addf(out, "%u", f->line);
}

/* arg: 0 and 1 self before and after, 2 its delta; 3, 4, 5 the same of the total. */
static void
value_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct view *v = data;
	const struct pp_diff_row *r = row_of(v, row);
	const struct pp_diff_value *x = arg < 3 ? &r->self : &r->total;
	char text[PP_NUM_MAX];
	size_t n = arg % 3 == 2 ? pp_compare_print_delta(v->diff, x, text)
	                        : pp_compare_print(v->diff, x, arg % 3, text);

	pp_buf_add(out, text, n);
}

static void
calls_exact(const void *data, size_t row, size_t side, struct pp_buf *out)
{
	const struct view *v = data;
	char text[PP_NUM_MAX];

	if (v->diff->has_calls)
		pp_buf_add(out, text, pp_num_print_double(text, row_of(v, row)->calls[side]));
}

static void
status_exact(const void *data, size_t row, size_t arg, struct pp_buf *out)
{
	const struct pp_diff_row *r = row_of(data, row);

	pp_buf_adds(out, pp_diff_status_name(arg ? r->total.status : r->self.status));
}

static const struct pp_field field_side = { .title = "before",
	                                    .align = PP_RIGHT,
	                                    .show = side_show };
static const struct pp_field field_delta = {
	.title = "delta", .align = PP_RIGHT, .show = delta_show, .ink = status_ink
};
static const struct pp_field field_change = { .title = "change",
	                                      .align = PP_RIGHT,
	                                      .show = change_show };
static const struct pp_field field_share = {
	.title = "share", .align = PP_RIGHT, .drop = 3, .show = share_show
};
static const struct pp_field field_status = { .title = "verdict",
	                                      .show = status_show,
	                                      .ink = status_ink };
static const struct pp_field field_calls = {
	.title = "calls", .align = PP_RIGHT, .drop = 2, .show = calls_show
};
static const struct pp_field field_name = { .title = "function",
	                                    .flags = PP_FIELD_FLEX,
	                                    .show = name_show };
static const struct pp_field field_place = {
	.title = "place", .flags = PP_FIELD_FLEX, .drop = 4, .show = place_show
};

/* ---- the table ---- */

static void
heading_print(struct pp_cli *cli, const struct view *v)
{
	const struct pp_diff *d = v->diff;
	const char *normalized = pp_compare_normalized(d);
	struct pp_buf text = { 0 }, label = { 0 };

	pp_metric_label(d->input[0]->profile, &d->metric, &label);
	pp_escape_terminal(&text, pp_slice_of(label.p ? label.p : "", label.n));
	pp_buf_release(&label);
	pp_buf_adds(&text, v->by_total ? ", totals: " : ", self: ");
	pp_units_named(&text, v->unit, d->whole.value[PP_BEFORE]);
	pp_buf_adds(&text, " before, ");
	pp_units_named(&text, v->unit, d->whole.value[PP_AFTER]);
	pp_buf_adds(&text, " after");
	if (d->whole.value[PP_BEFORE] != 0)
		pp_buf_addf(&text, " (%+.1f%%, %s)",
		            pp_diff_delta(&d->whole) / fabs(d->whole.value[PP_BEFORE]) * 100,
		            pp_diff_status_name(d->whole.status));
	pp_ink_put(cli->out, &cli->style, PP_INK_TITLE, text.p ? text.p : "");
	pp_sink_putc(cli->out, '\n');
	text.n = 0;
	if (normalized)
		pp_buf_addf(&text, "after is scaled by %.6g to the same %s; ", d->scale,
		            normalized);
	pp_diff_explain(d, &text);
	pp_ink_put(cli->out, &cli->style, PP_INK_FAINT, text.p ? text.p : "");
	pp_sink_puts(cli->out, "\n\n");
	pp_buf_release(&text);
}

static void
footer_print(struct pp_cli *cli, const struct view *v, size_t rows)
{
	size_t i, more = v->n - rows, same = 0, noise = 0;
	struct pp_buf text = { 0 };

	for (i = 0; i < v->diff->rows.n; i++) {
		const struct pp_diff_row *r = &v->diff->rows.at[i];
		enum pp_diff_status status = v->by_total ? r->total.status : r->self.status;

		same += status == PP_SAME;
		noise += status == PP_NOISE;
	}
	pp_units_listed(&text, more, "more change", "more changes");
	pp_units_listed(&text, noise, "function within noise", "functions within noise");
	pp_units_listed(&text, same, "unchanged function", "unchanged functions");
	if (text.n && v->n < v->diff->rows.n + more)
		pp_ink_putf(cli->out, &cli->style, PP_INK_FAINT,
		            "%s  ... and %s (-n 0 shows all)\n", rows ? "\n" : "", text.p);
	pp_buf_release(&text);
}

static void
diff_text(struct pp_cli *cli, const struct view *v)
{
	const struct pp_column columns[] = {
		{ .field = &field_side, .arg = PP_BEFORE },
		{ .field = &field_side, .arg = PP_AFTER, .title = "after" },
		{ .field = &field_delta },
		{ .field = &field_change },
		{ .field = &field_share, .title = "share±" },
		{ .field = &field_calls, .arg = PP_BEFORE, .title = "calls" },
		{ .field = &field_calls, .arg = PP_AFTER, .title = "after" },
		{ .field = &field_status },
		{ .field = &field_name },
		{ .field = &field_place },
	};
	struct pp_table table = { columns, PP_COUNT_OF(columns), v, v->n };
	uint64_t limit = pp_args_count(&cli->args, "limit", ROWS_SHOWN);

	if (limit && table.rows > limit)
		table.rows = (size_t)limit;
	heading_print(cli, v);
	if (table.rows > 0)
		pp_table_print(&table, &cli->style, cli->out);
	else
		pp_sink_puts(cli->out, "  no function changed\n");
	if (limit)
		footer_print(cli, v, table.rows);
}

static void
diff_csv(struct pp_cli *cli, const struct view *v)
{
	static const struct pp_field name = { .exact = name_exact }, line = { .exact = line_exact },
	                             value = { .exact = value_exact },
	                             calls = { .exact = calls_exact },
	                             status = { .exact = status_exact };
	const struct pp_column columns[] = {
		{ .field = &name, .id = "name" },
		{ .field = &name, .arg = 1, .id = "file" },
		{ .field = &line, .id = "line" },
		{ .field = &value, .arg = 0, .id = "self_before" },
		{ .field = &value, .arg = 1, .id = "self_after" },
		{ .field = &value, .arg = 2, .id = "self_delta" },
		{ .field = &value, .arg = 3, .id = "total_before" },
		{ .field = &value, .arg = 4, .id = "total_after" },
		{ .field = &value, .arg = 5, .id = "total_delta" },
		{ .field = &calls, .arg = PP_BEFORE, .id = "calls_before" },
		{ .field = &calls, .arg = PP_AFTER, .id = "calls_after" },
		{ .field = &status, .id = "status" },
		{ .field = &status, .arg = 1, .id = "status_total" },
	};
	uint64_t limit = pp_args_count(&cli->args, "limit", 0);
	struct pp_table table = { columns, PP_COUNT_OF(columns), v,
		                  limit && limit < v->n ? (size_t)limit : v->n };

	pp_table_csv(&table, cli->out_terminal, cli->out);
}

static void
diff_json(struct pp_cli *cli, const struct view *v)
{
	uint64_t limit = pp_args_count(&cli->args, "limit", 0);
	struct pp_json j;
	size_t i;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_compare_json_head(&j, v->diff);
	pp_json_put_array(&j, "functions");
	for (i = 0; i < v->n && (limit == 0 || i < limit) && j.out->status == PP_OK; i++)
		pp_compare_json_row(&j, v->diff, row_of(v, i));
	pp_json_end_array(&j);
	pp_json_put_u64(&j, "count", v->n);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
}

/* Rows of text are changes; all of them with -n 0, as in JSON and CSV. --min looks at both sides. */
static bool
rows_choose(struct pp_cli *cli, struct view *v, double min)
{
	const struct pp_diff *d = v->diff;
	bool all = pp_args_flag(&cli->args, "json") || pp_args_flag(&cli->args, "csv") ||
	           pp_args_count(&cli->args, "limit", ROWS_SHOWN) == 0;
	double least = min * fmax(fabs(d->whole.value[PP_BEFORE]), fabs(d->whole.value[PP_AFTER]));
	size_t i;

	v->shown = calloc(d->rows.n + 1, sizeof *v->shown);
	for (i = 0; v->shown && i < d->rows.n; i++) {
		const struct pp_diff_row *r = &d->rows.at[i];
		enum pp_diff_status status = v->by_total ? r->total.status : r->self.status;

		if ((all || (status != PP_SAME && status != PP_NOISE)) &&
		    fmax(fabs(r->total.value[PP_BEFORE]), fabs(r->total.value[PP_AFTER])) >= least)
			v->shown[v->n++] = i;
	}
	return v->shown != NULL;
}

/* ---- the tree ---- */

enum { TREE_BEFORE, TREE_AFTER, TREE_CHANGE };

struct tree_data {
	const struct pp_diff *diff;
	struct pp_calltree tree;
	struct pp_slice unit;
};

static double
branches_total(const struct tree_data *t, const struct pp_branch *b, size_t n, size_t metric)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += pp_value_double(&t->tree.profile->metrics.at[metric],
		                       pp_calltree_total(&t->tree, &b[i], metric));
	return sum;
}

static void
tree_before(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	const struct tree_data *t = data;

	pp_units_value(out, t->unit, branches_total(t, b, n, TREE_BEFORE));
}

static void
tree_after(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	const struct tree_data *t = data;

	pp_units_value(out, t->unit, branches_total(t, b, n, TREE_AFTER));
}

static double
tree_delta_of(const struct tree_data *t, const struct pp_branch *b, size_t n)
{
	return branches_total(t, b, n, TREE_AFTER) - branches_total(t, b, n, TREE_BEFORE);
}

static void
tree_delta(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	const struct tree_data *t = data;

	signed_show(out, t->unit, tree_delta_of(t, b, n));
}

static void
tree_change(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	const struct tree_data *t = data;
	double before = branches_total(t, b, n, TREE_BEFORE);
	double after = branches_total(t, b, n, TREE_AFTER);

	if (before == 0 && after != 0)
		pp_buf_adds(out, "new");
	else if (before != 0 && after == 0)
		pp_buf_adds(out, "gone");
	else if (before != 0)
		pp_buf_addf(out, "%+.1f%%", (after - before) / fabs(before) * 100);
}

static enum pp_ink
tree_ink(const void *data, const struct pp_branch *b, size_t n)
{
	double delta = tree_delta_of(data, b, n);

	return delta > 0 ? PP_INK_HOT : delta < 0 ? PP_INK_GOOD : PP_INK_FAINT;
}

static bool
tree_print(struct pp_cli *cli, struct tree_data *t, double min)
{
	static const struct pp_tree_column columns[] = {
		{ "before", tree_before, NULL },
		{ "after", tree_after, NULL },
		{ "delta", tree_delta, tree_ink },
		{ "change", tree_change, NULL },
	};
	const struct pp_profile *p = t->tree.profile;
	struct pp_hot hot = { .tree = &t->tree, .metric = TREE_CHANGE };
	struct pp_tree_view view = { &hot, columns, PP_COUNT_OF(columns), t };
	bool fine;

	hot.min = min * pp_value_double(&p->metrics.at[TREE_CHANGE],
	                                pp_inclusive_of(&t->tree.cost[TREE_CHANGE], 0));
	if (hot.min == 0 && min > 0)
		hot.min = 1; /* nothing changed: nothing to show */
	hot.depth = pp_args_count(&cli->args, "depth", 0);
	hot.lines = pp_args_count(&cli->args, "limit", LINES_SHOWN);
	fine = pp_hot_pick(&hot) && pp_tree_view_print(&view, cli);
	pp_hot_release(&hot);
	return fine;
}

static void
tree_json_node(struct pp_json *j, const struct tree_data *t, const struct pp_branch *b)
{
	const struct pp_profile *p = t->tree.profile;
	static const char *const sides[] = { "before", "after" };
	size_t m;

	pp_json_begin_object(j);
	if (b->func)
		pp_json_func(j, p, b->func);
	else
		pp_json_put_textz(j, "name", "");
	for (m = TREE_BEFORE; m <= TREE_AFTER; m++) {
		pp_json_put_object(j, sides[m]);
		pp_json_key(j, "self");
		pp_json_value(j, &p->metrics.at[m], pp_calltree_self(&t->tree, b, m));
		pp_json_key(j, "total");
		pp_json_value(j, &p->metrics.at[m], pp_calltree_total(&t->tree, b, m));
		pp_json_end_object(j);
	}
	pp_json_put_array(j, "children");
}

static bool
tree_json_walk(struct tree_data *t, struct pp_json *j, uint64_t depth)
{
	PP_VEC(struct level {
		struct pp_branches branches;
		size_t next;
	})
	levels = { 0 };
	struct level level = { .next = 0 };
	struct pp_branch root = { 0 };
	bool fine = pp_calltree_root(&t->tree, &root) &&
	            pp_calltree_expand(&t->tree, &root, TREE_CHANGE, &level.branches);

	if (fine) {
		tree_json_node(j, t, &root);
		fine = pp_vec_push(&levels, level);
	}
	while (fine && levels.n > 0 && j->out->status == PP_OK) {
		struct level *top = &levels.at[levels.n - 1];
		struct pp_branch *b;

		if (top->next == top->branches.n || (depth && levels.n > depth)) {
			pp_json_end_array(j);
			pp_json_end_object(j);
			pp_branches_release(&top->branches);
			levels.n--;
			continue;
		}
		b = &top->branches.at[top->next++];
		tree_json_node(j, t, b);
		level.next = 0;
		fine = pp_calltree_expand(&t->tree, b, TREE_CHANGE, &level.branches);
		pp_branch_release(b);
		fine = fine && pp_vec_push(&levels, level);
	}
	while (levels.n > 0)
		pp_branches_release(&levels.at[--levels.n].branches);
	pp_vec_release(&levels);
	pp_branch_release(&root);
	return fine;
}

static bool
tree_json(struct pp_cli *cli, struct tree_data *t)
{
	struct pp_json j;
	bool fine;

	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_compare_json_head(&j, t->diff);
	pp_json_key(&j, "root");
	fine = tree_json_walk(t, &j, pp_args_count(&cli->args, "depth", 0));
	pp_json_end_object(&j);
	pp_json_end_line(&j);
	return fine;
}

/* ---- running ---- */

/* Both trees as one profile; NULL after saying why. */
static struct pp_profile *
union_make(struct pp_cli *cli, const struct pp_diff *d, bool with_change)
{
	struct pp_profile *both = NULL;
	pp_status status = pp_diff_union(d, with_change, &both);

	if (status == PP_E_UNSUPPORTED)
		pp_cli_error(cli, d->runs[0] > 1 || d->runs[1] > 1
		                      ? "repeated runs have no common tree; compare two of them"
		                      : "this needs whole stacks, which not both profiles have");
	else if (status != PP_OK)
		pp_cli_error(cli, "%s", pp_status_text(status));
	return both;
}

static int
answer_tree(struct pp_cli *cli, const struct pp_diff *d, double min)
{
	struct tree_data t = { .diff = d };
	struct view heading = { .diff = d, .by_total = true };
	struct pp_profile *both = union_make(cli, d, true);
	bool json = pp_args_flag(&cli->args, "json"), fine;
	int code = both ? pp_cli_output(cli) : PP_EXIT_INPUT;

	if (code == 0) {
		heading.unit = t.unit = pp_text_of(d->input[0]->profile, d->metric.unit);
		fine = pp_calltree_init(&t.tree, both, !json);
		if (fine && !json)
			heading_print(cli, &heading);
		fine = fine && (json ? tree_json(cli, &t) : tree_print(cli, &t, min));
		if (!fine) {
			pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
			code = PP_EXIT_INPUT;
		}
		if (t.tree.profile)
			pp_calltree_release(&t.tree);
	}
	pp_profile_free(both);
	return code;
}

static int
answer_folded(struct pp_cli *cli, const struct pp_diff *d)
{
	const struct pp_format *target;
	struct pp_profile *both;
	int code = pp_save_target(cli, &target);

	if (code)
		return code;
	if (d->scale != 1.0) {
		pp_cli_error(cli,
		             "scaled counts are no whole numbers, so they cannot be written; leave "
		             "--normalize out");
		return PP_EXIT_USAGE;
	}
	both = union_make(cli, d, false);
	if (!both)
		return PP_EXIT_INPUT;
	code = pp_save_profile(cli, target, both);
	pp_profile_free(both);
	return code;
}

static int
answer_rows(struct pp_cli *cli, struct pp_diff *d, double min)
{
	const char *sort = pp_args_text(&cli->args, "sort");
	struct view v = { .diff = d };
	enum pp_diff_sort by = PP_DIFF_SELF;
	int code;

	if (sort && strcmp(sort, "total") == 0)
		by = PP_DIFF_TOTAL;
	else if (sort && strcmp(sort, "calls") == 0)
		by = PP_DIFF_CALLS;
	else if (sort && strcmp(sort, "name") == 0)
		by = PP_DIFF_NAME;
	v.by_total = by == PP_DIFF_TOTAL;
	v.unit = pp_text_of(d->input[0]->profile, d->metric.unit);
	pp_diff_sort(d, by);
	if (!rows_choose(cli, &v, min)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	code = pp_cli_output(cli);
	if (code == 0 && pp_args_flag(&cli->args, "json"))
		diff_json(cli, &v);
	else if (code == 0 && pp_args_flag(&cli->args, "csv"))
		diff_csv(cli, &v);
	else if (code == 0)
		diff_text(cli, &v);
	free(v.shown);
	return code;
}

static int
diff_run(struct pp_cli *cli)
{
	bool tree = pp_args_flag(&cli->args, "tree");
	bool folded = pp_args_flag(&cli->args, "to") || pp_name_ends(cli->path, "diff.folded");
	bool exact = pp_args_flag(&cli->args, "json") || pp_args_flag(&cli->args, "csv");
	double min = pp_args_share(&cli->args, "min", tree && !exact ? MIN_SHOWN : 0);
	struct pp_compare c;
	int code;

	if (pp_args_flag(&cli->args, "json") && pp_args_flag(&cli->args, "csv"))
		return pp_cli_usage(cli, "--json and --csv exclude each other");
	if (tree && pp_args_flag(&cli->args, "csv"))
		return pp_cli_usage(cli, "a tree is no table: --tree and --csv exclude each other");
	if (folded && (exact || tree))
		return pp_cli_usage(cli, "differential folded stacks are the whole answer: leave "
		                         "--json, --csv and --tree out");
	code = pp_compare_run(cli, tree || folded, &c);
	if (code == 0 && folded)
		code = answer_folded(cli, &c.diff);
	else if (code == 0 && tree)
		code = answer_tree(cli, &c.diff, min);
	else if (code == 0)
		code = answer_rows(cli, &c.diff, min);
	pp_compare_release(&c);
	return code;
}
