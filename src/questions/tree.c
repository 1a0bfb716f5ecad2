/*
 * tree: the call tree from the top down, its costly part first.
 *
 * People are shown as many lines as fit a screen: the branches that cost most, in the order of the tree. A
 * function that calls itself is one branch, and branches that only pass everything on to one callee
 * share a line. Scripts get the tree as it is, row by row, since there may be millions.
 */
#include <math.h>
#include <stddef.h>

#include "questions/question.h"
#include "questions/tree_lines.h"

#define LINES_SHOWN 40
#define MIN_SHOWN 0.005

struct tree_params {
	struct pp_asked asked;
	struct pp_scope scope;
	double min;
	uint64_t depth;
};

static void tree_want(const void *, struct pp_want *);
static pp_status tree_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param_use tree_uses[] = {
	{ &pp_params_metric, 0 },
	{ &pp_params_by, offsetof(struct tree_params, scope.by) },
	{ &pp_params_filter, offsetof(struct tree_params, scope) },
	{ &pp_params_min, offsetof(struct tree_params, min) },
	{ &pp_params_depth, offsetof(struct tree_params, depth) },
	{ 0 },
};

const struct pp_question pp_question_tree = {
	.name = "tree",
	.summary = "the call tree from the top down, its costly part first",
	.params = tree_uses,
	.params_size = sizeof(struct tree_params),
	.scope_at = offsetof(struct tree_params, scope),
	.want = tree_want,
	.run = tree_run,
};

static double
min_of(const struct tree_params *params)
{
	return params->min >= 0 ? params->min : params->asked.exact ? 0 : MIN_SHOWN;
}

static void
tree_want(const void *data, struct pp_want *want)
{
	want->facets = PP_TREE | PP_FUNCTIONS;
	want->stacks = true;
	want->min_share = min_of(data); /* what is not shown need not be estimated */
}

/* ---- for people ---- */

struct picked {
	struct pp_tree_lines lines;
	struct pp_calltree tree;
	double whole;
};

static void
picked_release(void *data)
{
	struct picked *t = data;

	pp_tree_lines_release(&t->lines);
	if (t->tree.profile)
		pp_calltree_release(&t->tree);
}

/* Whether a line stands for one branch, not for several that are not shown. */
static bool
is_one(const struct picked *t, size_t row)
{
	return t->lines.lines.at[row].n == 1;
}

static void
share_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct picked *t = data;

	pp_datum_part(d, pp_tree_line_total(&t->lines, row, metric), t->whole);
	d->ink = pp_ink_of_share(d->part, d->all);
}

static void
total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct picked *t = data;

	pp_datum_amount(d, t->tree.profile, metric, pp_tree_line_total(&t->lines, row, metric));
}

static void
self_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct picked *t = data;
	double self = is_one(t, row) ? pp_tree_line_self(&t->lines, row, metric) : 0;

	if (self != 0)
		pp_datum_amount(d, t->tree.profile, metric, self);
	d->ink = pp_ink_of_share(self, t->whole);
}

static void
calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct picked *t = data;
	size_t n;
	const struct pp_branch *b = pp_tree_line_branches(&t->lines, row, &n);

	if (t->tree.has_calls && n == 1 && b->func)
		pp_datum_count(d, pp_calltree_calls(&t->tree, b));
}

static pp_status
picked_add(struct pp_answer *a, const struct pp_profile *p, size_t metric,
           const struct tree_params *params)
{
	const struct pp_answer_column made[] = {
		{ .title = "total%",
		  .as = PP_AS_SHARE,
		  .flags = PP_COLUMN_RIGHT,
		  .arg = metric,
		  .get = share_get },
		{ .title = "total",
		  .as = PP_AS_AMOUNT,
		  .flags = PP_COLUMN_RIGHT,
		  .arg = metric,
		  .get = total_get },
		{ .title = "self",
		  .as = PP_AS_AMOUNT,
		  .flags = PP_COLUMN_RIGHT,
		  .arg = metric,
		  .get = self_get },
		{ .title = "calls", .as = PP_AS_COUNT, .flags = PP_COLUMN_RIGHT, .get = calls_get },
		{ .title = "function",
		  .as = PP_AS_LABEL,
		  .flags = PP_COLUMN_RAILS,
		  .get = pp_tree_line_label },
	};
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof made);
	struct picked *t = pp_answer_own(a, sizeof *t, picked_release);
	uint64_t lines = params->asked.budget.rows;

	if (!columns || !t || !pp_calltree_init(&t->tree, p, true))
		return PP_E_NOMEM;
	memcpy(columns, made, sizeof made);
	t->whole = pp_value_double(&p->metrics.at[metric],
	                           pp_inclusive_of(&t->tree.cost[metric], 0));
	t->lines.hot.tree = &t->tree;
	t->lines.hot.metric = metric;
	t->lines.hot.min = t->whole > 0 ? min_of(params) * t->whole : 0;
	t->lines.hot.depth = params->depth == PP_UNSET ? 0 : params->depth;
	t->lines.hot.lines = lines == PP_UNSET ? LINES_SHOWN : lines;
	if (!pp_tree_lines_make(&t->lines))
		return PP_E_NOMEM;
	pp_answer_table(a, &(struct pp_answer_table){ .columns = columns,
	                                              .column_count = PP_COUNT_OF(made),
	                                              .data = t,
	                                              .rows = t->lines.lines.n,
	                                              .place = pp_tree_line_place,
	                                              .flags = PP_TABLE_WHOLE | PP_TABLE_NO_CSV });
	return PP_OK;
}

/* ---- for scripts: a walk, depth first ---- */

/* The branches on one level that are still to come. */
struct level {
	struct pp_branches branches;
	size_t next;
};

struct whole {
	struct pp_calltree tree;
	size_t metric;
	double min; /* in the metric's unit */
	uint64_t depth;
	bool begun;
	struct pp_branch at; /* the row */
	PP_VEC(struct level) levels;
};

static void
whole_release(void *data)
{
	struct whole *w = data;

	while (w->levels.n > 0)
		pp_branches_release(&w->levels.at[--w->levels.n].branches);
	pp_vec_release(&w->levels);
	pp_branch_release(&w->at);
	if (w->tree.profile)
		pp_calltree_release(&w->tree);
}

/* Whether a branch is left out, as --min says. */
static bool
is_small(const struct whole *w, const struct pp_branch *b)
{
	if (!(w->min > 0))
		return false;
	return fabs(pp_value_double(&w->tree.profile->metrics.at[w->metric],
	                            pp_calltree_total(&w->tree, b, w->metric))) < w->min;
}

static int
whole_next(void *data)
{
	struct whole *w = data;
	struct level below = { .next = 0 };

	if (!w->begun) {
		w->begun = true;
		return pp_calltree_root(&w->tree, &w->at) ? 1 : -1;
	}
	if (w->depth == 0 || w->levels.n < w->depth) {
		if (!pp_calltree_expand(&w->tree, &w->at, w->metric, &below.branches))
			return -1;
		if (!pp_vec_push(&w->levels, below)) {
			pp_branches_release(&below.branches);
			return -1;
		}
	}
	pp_branch_release(&w->at);
	while (w->levels.n > 0) {
		struct level *top = &w->levels.at[w->levels.n - 1];

		if (top->next < top->branches.n) {
			struct pp_branch *b = &top->branches.at[top->next++];

			if (is_small(w, b))
				continue;
			w->at = *b;
			*b = (struct pp_branch){ 0 };
			return 1;
		}
		pp_branches_release(&top->branches);
		w->levels.n--;
	}
	return 0;
}

static struct pp_branch_place
whole_place(const void *data, size_t row)
{
	return (struct pp_branch_place){ (uint32_t)((const struct whole *)data)->levels.n, false };
}

static pp_func
whole_func(const void *data, size_t row, const struct pp_profile **p)
{
	const struct whole *w = data;

	*p = w->tree.profile;
	return w->at.func;
}

static void
whole_cycle(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct whole *w = data;
	const struct pp_profile *p = w->tree.profile;

	if (w->at.func < p->derived.cycles.n && p->derived.cycles.at[w->at.func])
		pp_datum_count(d, p->derived.cycles.at[w->at.func]);
}

static void
whole_calls(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct whole *w = data;

	if (w->at.func && w->tree.has_calls)
		pp_datum_count(d, pp_calltree_calls(&w->tree, &w->at));
}

static void
whole_self(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct whole *w = data;

	pp_datum_value(d, w->tree.profile, metric, pp_calltree_self(&w->tree, &w->at, metric));
}

static void
whole_total(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct whole *w = data;

	pp_datum_value(d, w->tree.profile, metric, pp_calltree_total(&w->tree, &w->at, metric));
}

static pp_status
whole_add(struct pp_answer *a, const struct pp_profile *p, size_t metric,
          const struct tree_params *params)
{
	const struct pp_answer_column made[] = {
		PP_FUNC_COLUMNS,
		PP_MODULE_COLUMN(0),
		{ .key = "cycle", .as = PP_AS_COUNT, .get = whole_cycle },
		{ .key = "calls", .as = PP_AS_COUNT, .get = whole_calls },
		{ .key = "self", .as = PP_AS_VALUE, .each = p, .get = whole_self },
		{ .key = "total", .as = PP_AS_VALUE, .each = p, .get = whole_total },
	};
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof made);
	struct whole *w = pp_answer_own(a, sizeof *w, whole_release);
	union pp_value total;

	if (!columns || !w || !pp_calltree_init(&w->tree, p, false))
		return PP_E_NOMEM;
	memcpy(columns, made, sizeof made);
	w->metric = metric;
	w->depth = params->depth == PP_UNSET ? 0 : params->depth;
	if (metric < p->metrics.n) {
		total = pp_inclusive_of(&w->tree.cost[metric], 0);
		w->min = fmax(0, min_of(params) * pp_value_double(&p->metrics.at[metric], total));
		pp_answer_value(a, "total", p, metric, total);
	}
	pp_answer_bool(a, "estimated", p->estimated);
	pp_answer_table(a, &(struct pp_answer_table){ .key = "root",
	                                              .columns = columns,
	                                              .column_count = PP_COUNT_OF(made),
	                                              .data = w,
	                                              .func = whole_func,
	                                              .next = whole_next,
	                                              .place = whole_place,
	                                              .nested = "children",
	                                              .flags = PP_TABLE_OBJECT | PP_TABLE_NESTED |
	                                                       PP_TABLE_NO_CSV });
	return PP_OK;
}

/* ---- running ---- */

static pp_status
tree_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct tree_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	size_t metric;
	pp_status status = pp_asked_metric(&params->asked, p, a, &metric);

	if (status != PP_OK)
		return status;
	if (!(p->facets & PP_TREE) && p->tree.n <= 1 && p->calls.rows.n + p->lines.rows.n > 0)
		return pp_answer_fail(
		    a, PP_E_UNSUPPORTED, "no-stacks",
		    "this profile does not know %s; `top` and `lines` show what it knows",
		    p->calls.rows.n ? "what calls cost" : "who called whom");
	pp_answer_source(a, p);
	pp_answer_unit(a, p, metric);
	if (params->asked.exact)
		status = whole_add(a, p, metric, params);
	else if (metric < p->metrics.n)
		status = picked_add(a, p, metric, params);
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}
