/*
 * tree: the call tree from the top down, its costly part first.
 *
 * People are shown as many lines as fit a screen: the branches that cost most, in the order of the tree. A
 * function that calls itself is one branch, and branches that only pass everything on to one callee
 * share a line. Scripts get the tree as it is, row by row, since there may be millions.
 */
#include <math.h>
#include <stddef.h>

#include "model/derive.h"
#include "model/traits.h"
#include "questions/excerpt_tree.h"
#include "questions/tree_lines.h"
#include "text/shorten.h"
#include "text/units.h"

#define LINES_SHOWN 40
#define MIN_SHOWN 0.005

struct tree_params {
	struct pp_asked asked;
	struct pp_scope scope;
	double min;
	uint64_t depth;
	const char *node;
};

static void tree_want(const void *, struct pp_want *);
static pp_status tree_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status tree_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param node_params[] = {
	{ "node", 0, PP_PARAM_TEXT, "HANDLE",
	  "with --budget: begin at this node (n12), not at the root", PP_HINT_NONE,
	  offsetof(struct tree_params, node) },
	{ 0 },
};
static const struct pp_param_group node_group = { "Rows", node_params };

static const struct pp_param_use tree_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &node_group, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct tree_params, scope), PP_GROUP_FIRST },
	{ &pp_params_root, offsetof(struct tree_params, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct tree_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct tree_params, min), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct tree_params, depth), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_tree = {
	.name = "tree",
	.summary = "the call tree from the top down, costliest parts first",
	.params = tree_uses,
	.params_size = sizeof(struct tree_params),
	.scope_at = offsetof(struct tree_params, scope),
	.gives = PP_GIVES_JSON,
	.want = tree_want,
	.excerpt = tree_excerpt,
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
	want->facets = PP_TREE | PP_FUNCTIONS | PP_GAINS;
	want->stacks = true;
	want->min_share = min_of(data); /* what is not shown need not be estimated */
	if (!pp_scope_given(&((const struct tree_params *)data)->scope))
		want->cut = want->min_share;
}

/* ---- for people ---- */

struct picked {
	struct pp_tree_lines lines;
	struct pp_profile *least; /* where no steps are known: with what was gained at least */
	struct pp_calltree tree;
	const struct pp_numbering *numbers; /* of nodes, that lines begin with; or NULL */
	size_t shares; /* the metric that shares are of: what was gained, where it falls */
	double whole;
};

static void
picked_release(void *data)
{
	struct picked *t = data;

	pp_tree_lines_release(&t->lines);
	if (t->tree.profile)
		pp_calltree_release(&t->tree);
	pp_profile_free(t->least);
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

	pp_datum_part(d, pp_tree_line_total(&t->lines, row, t->shares), t->whole);
	d->ink = pp_ink_of_share(d->part, d->all);
}

static void
total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct picked *t = data;

	pp_datum_amount(d, t->tree.profile, metric, pp_tree_line_total(&t->lines, row, metric));
}

static void
given_back_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct picked *t = data;

	pp_datum_amount(d, t->tree.profile, metric,
	                pp_tree_line_total(&t->lines, row, t->shares) -
	                    pp_tree_line_total(&t->lines, row, metric));
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
calls_tell(const struct pp_calltree *t, const struct pp_branch *b, struct pp_datum *d)
{
	uint64_t calls = pp_calltree_calls(t, b);

	if (calls || !t->uncounted)
		pp_datum_count(d, calls);
}

static void
calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct picked *t = data;
	size_t n;
	const struct pp_branch *b = pp_tree_line_branches(&t->lines, row, &n);

	if (t->tree.has_calls && n == 1 && b->func)
		calls_tell(&t->tree, b, d);
}

/* The handle of the last one on the line. */
static void
handle_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct picked *t = data;
	const struct pp_tree_line *line = &t->lines.lines.at[row];
	const struct pp_branch *b = &t->lines.hot.spots.at[line->end].branch;

	if (line->length && b->n)
		pp_buf_addf(d->made, "n%u",
		            pp_numbering_handle(t->numbers, t->numbers->of[b->nodes[0]]));
	pp_datum_made(d);
}

/* For people; `arg` is to be set. Of a metric that falls, what it gained and gave back stand before what is left. */
static const struct pp_answer_column tree_columns[] = {
	{ .title = "id", .as = PP_AS_LABEL, .get = handle_get },
	{ .title = "total%", .as = PP_AS_SHARE, .flags = PP_COLUMN_RIGHT, .get = share_get },
	{ .title = "gained",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .get = total_get },
	{ .title = "given back",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .drop = 3,
	  .get = given_back_get },
	{ .title = "total",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 1,
	  .get = total_get },
	{ .title = "self",
	  .as = PP_AS_AMOUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 2,
	  .get = self_get },
	{ .title = "calls",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 4,
	  .get = calls_get },
	{ .title = "function",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_RAILS | PP_COLUMN_NAMES,
	  .get = pp_tree_line_label },
};

/* The columns that a metric has; returns how many. */
static size_t
columns_choose(struct pp_answer_column *columns, const struct pp_profile *p, size_t metric,
               bool handles)
{
	bool known = pp_metric_gained(p, metric) < p->metrics.n;
	bool falls = pp_metric_falls(&p->metrics.at[metric]);
	size_t i, n = 0;

	for (i = 0; i < PP_COUNT_OF(tree_columns); i++) {
		if ((tree_columns[i].flags & PP_COLUMN_FALLS && !known) ||
		    (tree_columns[i].get == handle_get && !handles))
			continue;
		columns[n] = tree_columns[i];
		columns[n].arg = metric;
		if (tree_columns[i].flags & PP_COLUMN_FALLS && tree_columns[i].get == total_get)
			columns[n].arg = pp_metric_gained(p, metric);
		if (falls && strcmp(columns[n].title, "total") == 0)
			columns[n].title = "net";
		else if (falls && strcmp(columns[n].title, "self") == 0)
			columns[n].title = "net self";
		n++;
	}
	return n;
}

/* A name as a pattern that only it fits. */
static void
pattern_add(struct pp_buf *out, struct pp_slice name)
{
	size_t i;

	pp_buf_adds(out, "^");
	for (i = 0; i < name.n; i++) {
		if (name.p[i] && name.p[i] < 0x80 && strchr("\\^$.[]|()?*+{}", name.p[i]))
			pp_buf_addc(out, '\\');
		pp_buf_addc(out, (char)name.p[i]);
	}
	pp_buf_adds(out, "$");
}

/* How to see those that the costliest line of "(3 more)" stands for. */
static void
rest_hint(struct pp_answer *a, const struct pp_tree_lines *lines)
{
	const struct pp_hot *h = &lines->hot;
	const struct pp_profile *p = h->tree->profile;
	const struct pp_tree_line *best = NULL;
	struct pp_buf does = { 0 }, pattern = { 0 };
	double rest, most = 0;
	size_t i;

	for (i = 0; i < lines->lines.n; i++) {
		const struct pp_tree_line *line = &lines->lines.at[i];

		rest = line->length == 0 ? pp_hot_rest(h, line->spot) : 0;
		if (rest > most) {
			most = rest;
			best = line;
		}
	}
	if (!best)
		return;
	pp_buf_adds(&does, "the ");
	pp_units_u64(&does, best->n);
	pp_buf_adds(&does, " more below ");
	if (best->spot == 0) {
		pp_buf_adds(&does, "(all)");
		pp_answer_hint(a, pp_answer_made(a, &does), "tree --min 0 -n 0", "");
	} else {
		pp_func func = h->spots.at[best->spot].branch.func;

		pp_func_text(&does, p, func);
		pattern_add(&pattern, pp_text_of(p, p->funcs.at[func].name));
		pp_answer_hint_typed(a, pp_answer_made(a, &does), "tree --min 0 --show-from ",
		                     pp_slice_of(pp_answer_made(a, &pattern), pattern.n));
	}
	pp_buf_release(&does);
	pp_buf_release(&pattern);
}

static pp_status
picked_add(struct pp_answer *a, const struct pp_topic *topic, size_t metric,
           const struct tree_params *params)
{
	const struct pp_profile *p = topic->profile;
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof tree_columns);
	struct picked *t = pp_answer_own(a, sizeof *t, picked_release);
	uint64_t lines = params->asked.budget.rows;

	if (!columns || !t || pp_gains_least(p, metric, &t->least) != PP_OK)
		return PP_E_NOMEM;
	p = t->least ? t->least : p;
	if (!pp_calltree_init(&t->tree, p, true))
		return PP_E_NOMEM;
	t->shares = pp_metric_of_shares(p, metric);
	if (params->asked.handles)
		t->numbers = pp_excerpt_numbering(a, topic);
	t->whole = pp_value_double(&p->metrics.at[t->shares],
	                           pp_calltree_cost(&t->tree, 0, t->shares));
	t->lines.hot.tree = &t->tree;
	t->lines.hot.metric = t->shares;
	t->lines.hot.min = t->whole > 0 ? min_of(params) * t->whole : 0;
	t->lines.hot.depth = params->depth == PP_UNSET ? 0 : params->depth;
	t->lines.hot.lines = lines == PP_UNSET ? LINES_SHOWN : lines;
	t->lines.places = params->asked.names != PP_NAMES_SHORT;
	if (!pp_tree_lines_make(&t->lines))
		return PP_E_NOMEM;
	rest_hint(a, &t->lines);
	pp_answer_table(a, &(struct pp_answer_table){ .columns = columns,
	                                              .column_count = columns_choose(
	                                                  columns, p, metric, t->numbers != NULL),
	                                              .data = t,
	                                              .rows = t->lines.lines.n,
	                                              .place = pp_tree_line_place,
	                                              .flags = PP_TABLE_WHOLE | PP_TABLE_NO_CSV });
	return PP_OK;
}

/* ---- for scripts: the tree as it is ---- */

static void
whole_cycle(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;
	const struct pp_profile *p = w->tree.profile;

	if (w->at.func < p->derived.cycles.n && p->derived.cycles.at[w->at.func])
		pp_datum_count(d, p->derived.cycles.at[w->at.func]);
}

static void
whole_calls(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;

	if (w->at.func && w->tree.has_calls)
		calls_tell(&w->tree, &w->at, d);
}

/* What a branch gained itself. */
static union pp_value
branch_gained(const struct pp_branch_walk *w, size_t metric, union pp_value *net)
{
	const struct pp_profile *p = w->tree.profile;
	const struct pp_metric *m = &p->metrics.at[metric];
	size_t known = pp_metric_gained(p, metric);
	union pp_value zero = pp_value_zero(m);

	*net = pp_calltree_self(&w->tree, &w->at, metric);
	if (known < p->metrics.n)
		return pp_calltree_self(&w->tree, &w->at, known);
	return pp_value_cmp(m, *net, zero) > 0 ? *net : zero;
}

static void
whole_gained(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;
	union pp_value net;

	pp_datum_value(d, w->tree.profile, metric, branch_gained(w, metric, &net));
}

static void
whole_given_back(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_branch_walk *w = data;
	union pp_value net, given_back = branch_gained(w, metric, &net);

	pp_value_sub(&w->tree.profile->metrics.at[metric], &given_back, net);
	pp_datum_value(d, w->tree.profile, metric, given_back);
}

/* Of the tree so many branches at most, the root among them; 0 = all. */
static void
few_set(struct pp_branch_walk *w, uint64_t rows)
{
	w->few = rows > 0;
	w->hot = (struct pp_hot){ .metric = w->metric,
		                  .depth = w->depth,
		                  .lines = rows > 1 ? rows - 1 : 0,
		                  .min = rows == 1 ? INFINITY : w->min,
		                  .apart = true };
}

static pp_status
whole_add(struct pp_answer *a, const struct pp_profile *p, size_t metric,
          const struct tree_params *params)
{
	const struct pp_answer_column costs[] = {
		{ .key = "cycle", .as = PP_AS_COUNT, .get = whole_cycle },
		{ .key = "calls", .as = PP_AS_COUNT, .get = whole_calls },
		{ .key = "more", .as = PP_AS_COUNT, .get = pp_branch_walk_more },
		{ .key = "self", .as = PP_AS_VALUE, .each = p, .get = pp_branch_walk_self },
		{ .key = "total", .as = PP_AS_VALUE, .each = p, .get = pp_branch_walk_total },
		{ .key = "gained",
		  .as = PP_AS_VALUE,
		  .flags = PP_COLUMN_FALLS,
		  .each = p,
		  .get = whole_gained },
		{ .key = "given_back",
		  .as = PP_AS_VALUE,
		  .flags = PP_COLUMN_FALLS,
		  .each = p,
		  .get = whole_given_back },
	};
	struct pp_branch_walk *w = pp_branch_walk_new(a, p);
	union pp_value total;

	if (!w)
		return PP_E_NOMEM;
	w->metric = pp_metric_of_shares(p, metric);
	w->depth = params->depth == PP_UNSET ? 0 : params->depth;
	if (metric < p->metrics.n) {
		total = pp_calltree_cost(&w->tree, 0, metric);
		w->min = fmax(0, min_of(params) *
		                     pp_value_double(&p->metrics.at[w->metric],
		                                     pp_calltree_cost(&w->tree, 0, w->metric)));
		pp_answer_total(a, p, metric, total);
		if (params->asked.budget.rows != PP_UNSET)
			few_set(w, params->asked.budget.rows);
	}
	pp_answer_bool(a, "estimated", p->estimated);
	pp_branch_walk_table(a, w, costs, PP_COUNT_OF(costs) - (pp_profile_has_gains(p) ? 0 : 2));
	return PP_OK;
}

/* ---- running ---- */

/* Whether a profile has no stacks, and no calls that they could be estimated from. */
static bool
knows_no_tree(const struct pp_profile *p)
{
	return !(p->facets & PP_TREE) && p->tree.n <= 1 &&
	       (p->calls.rows.n + p->lines.rows.n > 0 || p->unread & PP_HAS(LINES));
}

static pp_status
no_tree(const struct pp_profile *p, struct pp_answer *a)
{
	return pp_answer_fail(a, PP_E_UNSUPPORTED, "no-stacks",
	                      "this profile does not know %s; `top` and `lines` show what it knows",
	                      p->calls.rows.n ? "what calls cost" : "which function called which");
}

static pp_status
tree_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct tree_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	size_t metric;
	pp_status status = pp_asked_metric(&params->asked, p, a, &metric);

	if (status != PP_OK)
		return status;
	if (knows_no_tree(p))
		return no_tree(p, a);
	pp_answer_source(a, p);
	pp_answer_unit(a, p, metric);
	pp_answer_units(a, p);
	if (params->asked.exact)
		status = whole_add(a, p, metric, params);
	else if (metric < p->metrics.n)
		status = picked_add(a, subject->topics, metric, params);
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}

static pp_status
tree_excerpt(const struct pp_subject *subject, const void *data, struct pp_excerpt *x)
{
	const struct tree_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	size_t metric;
	pp_status status = pp_asked_metric(&params->asked, p, x->answer, &metric);

	if (status != PP_OK)
		return status;
	if (knows_no_tree(p))
		return no_tree(p, x->answer);
	return pp_excerpt_tree(x, subject->topics, metric, params->node,
	                       params->depth == PP_UNSET ? 0 : params->depth);
}
