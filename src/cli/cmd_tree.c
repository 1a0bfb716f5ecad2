/*
 * polyprof tree: the call tree from the top down, its costly part first.
 *
 * Text shows as many lines as fit a screen: the branches that cost most, in the order of the tree. A
 * function that calls itself is one branch, and branches that only pass everything on to one callee
 * share a line. JSON gives the tree as it is.
 */
#include <stdlib.h>

#include "analysis/hot.h"
#include "cli/filters.h"
#include "cli/load.h"
#include "cli/tree_view.h"
#include "formats/format.h"
#include "output/json_view.h"
#include "text/units.h"

#define LINES_SHOWN 40
#define MIN_SHOWN 0.005

static int tree_run(struct pp_cli *);

static const struct pp_param_group *const tree_groups[] = {
	&pp_params_metric,
	&pp_params_by,
	&pp_group_filter,
	&pp_params_min,
	&pp_group_depth,
	&pp_group_object,
	&pp_group_read,
	&pp_group_variant,
	&pp_group_strict,
	&pp_group_general,
	NULL,
};

static const struct pp_example tree_examples[] = {
	{ "tree app.folded", "where the cost is, from the top down" },
	{ "tree --min 5 --depth 6 app.folded", "the first six levels, 5 % and more" },
	{ "tree --focus parse -n 100 app.folded", "what happens in and around `parse`" },
	{ "tree --json app.folded", "all of it, exact, for a script" },
	{ 0 },
};

const struct pp_command pp_command_tree = {
	.name = "tree",
	.synopsis = "FILE...",
	.summary = "the call tree from the top down, its costly part first",
	.details =
	    "Each line shows what a function costs with all it called in this place, as a share of "
	    "the whole, and what it costs itself. Text shows the 40 costliest lines of at least "
	    "0.5 % unless -n and --min say otherwise; what is left out is counted. Direct recursion "
	    "is one line, and so is a chain of functions that each only call the next.\n\n"
	    "Profiles of single calls (callgrind) do not know whole stacks: the tree is then an "
	    "estimate, and says so.\n\n"
	    "--json gives the whole tree, nothing folded; --min and --depth prune it if given.",
	.groups = tree_groups,
	.examples = tree_examples,
	.hint = PP_HINT_FILE,
	.flags = PP_COMMAND_OWN_DEPTH,
	.run = tree_run,
};

struct view {
	struct pp_calltree tree;
	struct pp_hot hot;
	size_t metric;
	double whole;
	double min; /* in the metric's unit */
	uint64_t depth;
};

static void
view_release(struct view *v)
{
	pp_hot_release(&v->hot);
	if (v->tree.profile)
		pp_calltree_release(&v->tree);
}

static double
cost_of(const struct view *v, union pp_value value)
{
	return pp_value_double(&v->tree.profile->metrics.at[v->metric], value);
}

/* ---- text ---- */

static double
total_of(const struct view *v, const struct pp_branch *branches, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += cost_of(v, pp_calltree_total(&v->tree, &branches[i], v->metric));
	return sum;
}

static double
self_of(const struct view *v, const struct pp_branch *branches, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += cost_of(v, pp_calltree_self(&v->tree, &branches[i], v->metric));
	return sum;
}

static enum pp_ink
share_ink(double part, double whole)
{
	if (!(whole > 0) || part < whole * 0.05)
		return PP_INK_PLAIN;
	return part >= whole * 0.2 ? PP_INK_HOT : PP_INK_WARM;
}

static void
share_show(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	const struct view *v = data;

	pp_units_share(out, total_of(v, b, n), v->whole);
}

static enum pp_ink
total_ink(const void *data, const struct pp_branch *b, size_t n)
{
	const struct view *v = data;

	return share_ink(total_of(v, b, n), v->whole);
}

static enum pp_ink
self_ink(const void *data, const struct pp_branch *b, size_t n)
{
	const struct view *v = data;

	return n == 1 ? share_ink(self_of(v, b, n), v->whole) : PP_INK_PLAIN;
}

static void
value_show(const struct view *v, double value, struct pp_buf *out)
{
	const struct pp_profile *p = v->tree.profile;

	pp_units_value(out, pp_text_of(p, p->metrics.at[v->metric].unit), value);
}

static void
total_show(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	value_show(data, total_of(data, b, n), out);
}

static void
self_show(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	double self = n == 1 ? self_of(data, b, n) : 0;

	if (self != 0)
		value_show(data, self, out);
}

static void
calls_show(const void *data, const struct pp_branch *b, size_t n, struct pp_buf *out)
{
	const struct view *v = data;

	if (v->tree.has_calls && n == 1 && b->func)
		pp_units_count(out, (double)pp_calltree_calls(&v->tree, b));
}

static bool
tree_text(struct pp_cli *cli, struct view *v)
{
	static const struct pp_tree_column columns[] = {
		{ "total%", share_show, total_ink },
		{ "total", total_show, NULL },
		{ "self", self_show, self_ink },
		{ "calls", calls_show, NULL },
	};
	struct pp_tree_view view = { &v->hot, columns, PP_COUNT_OF(columns), v };

	v->hot.tree = &v->tree;
	v->hot.metric = v->metric;
	v->hot.min = v->min;
	v->hot.depth = v->depth;
	v->hot.lines = pp_args_count(&cli->args, "limit", LINES_SHOWN);
	return pp_hot_pick(&v->hot) && pp_tree_view_print(&view, cli);
}

/* ---- JSON ---- */

static void
json_open(struct pp_json *j, const struct view *v, const struct pp_branch *b,
          union pp_value *values)
{
	const struct pp_profile *p = v->tree.profile;
	size_t m;

	pp_json_begin_object(j);
	if (b->func)
		pp_json_func(j, p, b->func);
	else
		pp_json_put_textz(j, "name", "");
	if (b->func < p->derived.cycles.n && p->derived.cycles.at[b->func])
		pp_json_put_u64(j, "cycle", p->derived.cycles.at[b->func]);
	if (b->func && v->tree.has_calls)
		pp_json_put_u64(j, "calls", pp_calltree_calls(&v->tree, b));
	for (m = 0; m < p->metrics.n; m++)
		values[m] = pp_calltree_self(&v->tree, b, m);
	pp_json_key(j, "self");
	pp_json_values(j, p, values);
	for (m = 0; m < p->metrics.n; m++)
		values[m] = pp_calltree_total(&v->tree, b, m);
	pp_json_key(j, "total");
	pp_json_values(j, p, values);
	pp_json_put_array(j, "children");
}

/* Whether a branch is left out, as --min says. */
static bool
json_small(const struct view *v, const struct pp_branch *b)
{
	double total;

	if (!(v->min > 0))
		return false;
	total = cost_of(v, pp_calltree_total(&v->tree, b, v->metric));
	return (total < 0 ? -total : total) < v->min;
}

/* Everything, depth first; the stack holds the branches that are still to come on each level. */
static bool
json_walk(struct view *v, struct pp_json *j, union pp_value *values)
{
	PP_VEC(struct level {
		struct pp_branches branches;
		size_t next;
	})
	levels = { 0 };
	struct level level = { .next = 0 };
	struct pp_branch root = { 0 };
	bool fine = pp_calltree_root(&v->tree, &root) &&
	            pp_calltree_expand(&v->tree, &root, v->metric, &level.branches);

	if (fine) {
		json_open(j, v, &root, values);
		fine = pp_vec_push(&levels, level);
	}
	while (fine && levels.n > 0 && j->out->status == PP_OK) {
		struct level *top = &levels.at[levels.n - 1];
		struct pp_branch *b;

		if (top->next == top->branches.n || (v->depth && levels.n > v->depth)) {
			pp_json_end_array(j);
			pp_json_end_object(j);
			pp_branches_release(&top->branches);
			levels.n--;
			continue;
		}
		b = &top->branches.at[top->next++];
		if (json_small(v, b))
			continue;
		json_open(j, v, b, values);
		level.next = 0;
		fine = pp_calltree_expand(&v->tree, b, v->metric, &level.branches);
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
tree_json(struct pp_cli *cli, struct view *v)
{
	const struct pp_profile *p = v->tree.profile;
	union pp_value *values = calloc(p->metrics.n + 1, sizeof *values);
	struct pp_json j;
	bool fine;

	if (!values)
		return false;
	pp_json_init(&j, cli->out, PP_JSON_SPACED);
	pp_json_begin_object(&j);
	pp_json_put_textz(&j, "format", pp_format_name(p->format));
	pp_json_put_bool(&j, "complete", p->complete);
	if (v->metric < p->metrics.n) {
		pp_json_put_metric(&j, "metric", p, v->metric);
		pp_json_put_text(&j, "unit", pp_text_of(p, p->metrics.at[v->metric].unit));
		pp_json_key(&j, "total");
		pp_json_value(&j, &p->metrics.at[v->metric],
		              pp_inclusive_of(&v->tree.cost[v->metric], 0));
	}
	pp_json_put_bool(&j, "estimated", p->estimated);
	pp_json_key(&j, "root");
	fine = json_walk(v, &j, values);
	pp_json_end_object(&j);
	pp_json_end_line(&j);
	free(values);
	return fine;
}

/* ---- running ---- */

static int
tree_answer(struct pp_cli *cli, const struct pp_profile *p, struct view *v)
{
	bool json = pp_args_flag(&cli->args, "json");
	int code = pp_load_metric(cli, p, &v->metric);

	if (code)
		return code;
	if (!(p->facets & PP_TREE) && p->tree.n <= 1 && p->calls.rows.n + p->lines.rows.n > 0) {
		pp_cli_error(cli,
		             "this profile does not know %s; `top` and `lines` show what it knows",
		             p->calls.rows.n ? "what calls cost" : "who called whom");
		return PP_EXIT_INPUT;
	}
	v->depth = pp_args_count(&cli->args, "depth", 0);
	if (!pp_calltree_init(&v->tree, p, !json)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		return PP_EXIT_INPUT;
	}
	if (v->metric < p->metrics.n)
		v->whole = cost_of(v, pp_inclusive_of(&v->tree.cost[v->metric], 0));
	v->min = v->whole > 0 ? cli->thin * v->whole : 0;
	code = pp_cli_output(cli);
	if (code)
		return code;
	if (json ? !tree_json(cli, v) : v->metric < p->metrics.n && !tree_text(cli, v)) {
		pp_cli_error(cli, "%s", pp_status_text(PP_E_NOMEM));
		code = PP_EXIT_INPUT;
	}
	return code;
}

static int
tree_run(struct pp_cli *cli)
{
	const char *const *files;
	struct pp_profile *profile = NULL;
	struct view view = { .metric = 0 };
	size_t n;
	int code = pp_load_files(cli, 0, &files, &n);

	/* What is not shown need not be estimated. */
	cli->thin = pp_filters_min(cli, pp_args_flag(&cli->args, "json") ? 0 : MIN_SHOWN);
	if (code == 0 && cli->thin < 0)
		code = PP_EXIT_USAGE;
	if (code == 0)
		code = pp_load_profile(cli, files, n, PP_TREE | PP_FUNCTIONS | PP_LOAD_STACKS,
		                       &profile);
	if (code == 0)
		code = tree_answer(cli, profile, &view);
	view_release(&view);
	pp_profile_free(profile);
	return code;
}
