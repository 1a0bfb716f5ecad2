/*
 * graph: the call graph, pruned by weight, as Graphviz draws it.
 */
#include <stddef.h>

#include "questions/find.h"
#include "questions/product.h"
#include "questions/ranking.h"
#include "text/escape.h"
#include "text/path.h"
#include "text/units.h"

#define NODES_SHOWN 80
#define MIN_SHOWN 0.005

enum { FORMAT_BY_NAME, FORMAT_DOT, FORMAT_SVG };

struct graph_params {
	struct pp_asked asked;
	struct pp_scope scope;
	const char *function, *title;
	double min;
	uint64_t depth;
	unsigned format;
};

static void graph_want(const void *, struct pp_want *);
static pp_status graph_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param graph_params[] = {
	{ "output", 'o', PP_PARAM_TEXT, "OUT",
	  "the file to write: .dot or .svg (`-` or nothing = standard output)", PP_HINT_FILE,
	  offsetof(struct graph_params, asked.output) },
	{ "format", 0, PP_PARAM_CHOICE, "auto|dot|svg",
	  "what is written (default: what OUT ends in, else dot); Graphviz draws SVG", PP_HINT_NONE,
	  offsetof(struct graph_params, format) },
	{ "function", 0, PP_PARAM_TEXT, "NAME",
	  "only this function with its callers and callees: a name, a part that only one function "
	  "has, FILE:NAME, or /REGEX/",
	  PP_HINT_NONE, offsetof(struct graph_params, function) },
	{ "depth", 0, PP_PARAM_COUNT, "N",
	  "only functions up to N calls away from --function, else N levels (default: all)",
	  PP_HINT_NONE, offsetof(struct graph_params, depth) },
	{ "title", 0, PP_PARAM_TEXT, "TEXT", "the title (default: the name of the file)",
	  PP_HINT_NONE, offsetof(struct graph_params, title) },
	{ 0 },
};
static const struct pp_param_group graph_group = { "Picture", graph_params };

static const struct pp_param prune_params[] = {
	{ "metric", 'm', PP_PARAM_TEXT, "NAME", "what gives functions and calls their weight",
	  PP_HINT_NONE, offsetof(struct graph_params, asked.metric) },
	{ "limit", 'n', PP_PARAM_COUNT, "N", "draw the N heaviest functions (default: 80; 0 = all)",
	  PP_HINT_NONE, offsetof(struct graph_params, asked.budget.rows) },
	{ "min", 0, PP_PARAM_SHARE, "PCT",
	  "draw functions of at least PCT percent of the whole, and calls of a fifth of that "
	  "(default: 0.5)",
	  PP_HINT_NONE, offsetof(struct graph_params, min) },
	{ 0 },
};
static const struct pp_param_group prune_group = { "What is drawn", prune_params };

static const struct pp_param_use graph_uses[] = {
	{ &graph_group, 0, PP_GROUP_FIRST },
	{ &prune_group, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct graph_params, scope), PP_GROUP_FIRST },
	{ &pp_params_root, offsetof(struct graph_params, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct graph_params, scope), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_graph = {
	.name = "graph",
	.summary = "the call graph, as Graphviz draws it",
	.params = graph_uses,
	.params_size = sizeof(struct graph_params),
	.scope_at = offsetof(struct graph_params, scope),
	.gives = PP_GIVES_FILE | PP_GIVES_JSON,
	.makes = PP_MAKES_GRAPH,
	.want = graph_want,
	.run = graph_run,
};

static void
graph_want(const void *data, struct pp_want *want)
{
	want->facets = PP_TREE | PP_EDGES | PP_LINES | PP_FUNCTIONS | PP_GAINS;
}

/* ---- what is shown; lives in the answer ---- */

struct graph {
	struct pp_product product;
	struct pp_net net;
};

static void
graph_release(void *data)
{
	pp_net_release(&((struct graph *)data)->net);
}

static const struct pp_net_node *
node_of(const void *data, size_t row)
{
	return &((const struct graph *)data)->net.nodes.at[row];
}

static const struct pp_net_edge *
edge_of(const void *data, size_t row)
{
	return &((const struct graph *)data)->net.edges.at[row];
}

static pp_func
func_of(const void *data, size_t row, const struct pp_profile **p)
{
	*p = ((const struct graph *)data)->net.profile;
	return node_of(data, row)->func;
}

static void
calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (node_of(data, row)->counted)
		pp_datum_count(d, node_of(data, row)->calls);
}

/* A value of the metric that is drawn: the one member of its object. */
static void
value_put(const struct graph *g, size_t metric, union pp_value v, struct pp_datum *d)
{
	if (metric == g->net.metric)
		pp_datum_value(d, g->net.profile, metric, v);
}

static void
self_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	value_put(data, metric, node_of(data, row)->self, d);
}

static void
total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	value_put(data, metric, node_of(data, row)->total, d);
}

static void
gained_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	value_put(data, metric, node_of(data, row)->gained.own, d);
}

static void
given_back_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_net_node *node = node_of(data, row);
	union pp_value given_back = node->gained.own;

	pp_value_sub(&((const struct graph *)data)->net.profile->metrics.at[metric], &given_back,
	             node->self);
	value_put(data, metric, given_back, d);
}

/* Of those alone that are known as callers only. */
static void
only_calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = d->yes = node_of(data, row)->only_calls;
}

/* Ends of an edge: 0 = the caller, 1 = the callee. */
static void
end_get(const void *data, size_t row, size_t end, struct pp_datum *d)
{
	pp_datum_count(d, end ? edge_of(data, row)->to : edge_of(data, row)->from);
}

static void
end_name_get(const void *data, size_t row, size_t end, struct pp_datum *d)
{
	const struct graph *g = data;
	const struct pp_profile *p = g->net.profile;
	uint32_t node = end ? edge_of(data, row)->to : edge_of(data, row)->from;

	pp_datum_text(d, pp_text_of(p, p->funcs.at[g->net.nodes.at[node].func].name));
}

static void
edge_calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	if (((const struct graph *)data)->net.edges_counted)
		pp_datum_count(d, edge_of(data, row)->calls);
}

static void
edge_total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	value_put(data, metric, edge_of(data, row)->total, d);
}

static const struct pp_answer_column node_columns[] = {
	PP_FUNC_COLUMNS,
	PP_MODULE_COLUMN(0),
	{ .key = "calls", .as = PP_AS_COUNT, .get = calls_get },
	{ .key = "self", .as = PP_AS_VALUE, .get = self_get },
	{ .key = "total", .as = PP_AS_VALUE, .get = total_get },
	{ .key = "gained", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = gained_get },
	{ .key = "given_back", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = given_back_get },
	{ .key = "only_calls", .as = PP_AS_BOOL, .get = only_calls_get },
};
static const struct pp_answer_column edge_columns[] = {
	{ .key = "from", .as = PP_AS_COUNT, .arg = 0, .get = end_get },
	{ .key = "to", .as = PP_AS_COUNT, .arg = 1, .get = end_get },
	{ .key = "caller", .as = PP_AS_NAME, .arg = 0, .get = end_name_get },
	{ .key = "callee", .as = PP_AS_NAME, .arg = 1, .get = end_name_get },
	{ .key = "calls", .as = PP_AS_COUNT, .get = edge_calls_get },
	{ .key = "total", .as = PP_AS_VALUE, .get = edge_total_get },
};

/* Columns of values are one for each metric, as everywhere. */
static void
table_add(struct pp_answer *a, const struct graph *g, const char *key,
          const struct pp_answer_column *columns, size_t n, size_t rows)
{
	struct pp_answer_column *own = pp_answer_alloc(a, n * sizeof *own);
	const struct pp_profile *p = g->net.profile;
	bool known = pp_metric_gained(p, g->net.metric) < p->metrics.n;
	size_t i, count = 0;

	if (!own)
		return;
	for (i = 0; i < n; i++) {
		own[count] = columns[i];
		if (columns[i].as == PP_AS_VALUE)
			own[count].each = p;
		count += known || !(columns[i].flags & PP_COLUMN_FALLS);
	}
	pp_answer_table(a, &(struct pp_answer_table){ .key = key,
	                                              .columns = own,
	                                              .column_count = count,
	                                              .data = g,
	                                              .rows = rows,
	                                              .func = func_of,
	                                              .flags = PP_TABLE_WHOLE | PP_TABLE_NO_TEXT });
}

/* ---- running ---- */

static const char *
title_of(const struct graph_params *params, const struct pp_subject *subject)
{
	const char *file = subject->file_count ? subject->files[0] : "profile";
	const char *slash = strrchr(file, '/');

	return params->title ? params->title : slash && slash[1] ? slash + 1 : file;
}

/* "-o x.dot" for -o x.svg. */
static const char *
instead_of_svg(struct pp_answer *a, const struct graph_params *params)
{
	const char *output = params->asked.output, *instead;
	struct pp_slice ending = pp_path_ending(output ? output : "");
	struct pp_buf text = { 0 };

	if (!pp_ending_listed(ending, "svg"))
		return "--format dot";
	pp_buf_adds(&text, "-o ");
	pp_buf_add(&text, output, (size_t)((const char *)ending.p - output));
	pp_buf_adds(&text, "dot");
	instead = pp_answer_copy(a, pp_slice_of(text.p ? text.p : "", text.n));
	a->failed |= text.failed;
	pp_buf_release(&text);
	return instead;
}

static bool
is_svg(const struct graph_params *params)
{
	const char *output = params->asked.output;

	return params->format == FORMAT_SVG ||
	       (params->format == FORMAT_BY_NAME && output && pp_name_ends(output, "svg"));
}

static pp_status
net_make(struct pp_answer *a, const struct pp_profile *p, const struct graph_params *params,
         struct pp_net *net)
{
	bool exact = params->asked.exact;
	uint64_t most = params->asked.budget.rows;
	struct pp_net_cut cut = {
		.min = params->min >= 0 ? params->min
		       : exact          ? 0
		                        : MIN_SHOWN,
		.most = most != PP_UNSET ? most
		        : exact          ? 0
		                         : NODES_SHOWN,
		.depth = params->depth == PP_UNSET ? 0 : params->depth,
	};
	size_t metric;
	pp_status status = pp_asked_metric(&params->asked, p, a, &metric);

	if (status == PP_OK && params->function)
		status = pp_find_function(a, p, params->function, &cut.about);
	if (status != PP_OK)
		return status;
	if (cut.about)
		cut.about = p->funcs.at[cut.about].same;
	status = pp_net_compute(net, p, metric);
	if (status == PP_E_UNSUPPORTED)
		return pp_answer_fail(a, status, "no-calls",
		                      "this profile does not know which function called which");
	if (status == PP_OK && !pp_net_prune(net, &cut))
		status = PP_E_NOMEM;
	return status == PP_OK ? PP_OK : pp_answer_fail_status(a, status);
}

/* What was left out, on standard error and in the picture. */
static const char *
pruned_note(struct pp_answer *a, const struct pp_net *net)
{
	struct pp_buf text = { 0 };
	const char *said;

	if (net->nodes.n == net->all_nodes && net->edges.n == net->all_edges)
		return NULL;
	pp_units_u64(&text, pp_net_functions(net));
	pp_buf_adds(&text, " of ");
	pp_units_u64(&text, net->all_functions);
	pp_buf_adds(&text, " functions and ");
	pp_units_u64(&text, net->edges.n);
	pp_buf_adds(&text, " of ");
	pp_units_u64(&text, net->all_edges);
	pp_buf_adds(&text, " edges");
	said = pp_answer_made(a, &text);
	pp_answer_note(a, "graph-pruned", "%s are drawn; --min 0 -n 0 draws all", said);
	said = pp_answer_copy(a, pp_slice_z(said));
	pp_buf_release(&text);
	return said;
}

static pp_status
graph_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct graph_params *params = data;
	struct graph *g = pp_answer_own(a, sizeof *g, graph_release);
	pp_status status;

	if (!g)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	status = net_make(a, subject->topics[0].profile, params, &g->net);
	if (status != PP_OK)
		return status;
	g->product = (struct pp_product){ .kind = PP_MAKES_GRAPH,
		                          .net = &g->net,
		                          .net_pruned = pruned_note(a, &g->net),
		                          .net_title = title_of(params, subject),
		                          .net_svg = is_svg(params),
		                          .net_instead = instead_of_svg(a, params) };
	a->product = &g->product;
	pp_answer_source(a, g->net.profile);
	pp_answer_unit(a, g->net.profile, g->net.metric);
	if (g->net.metric < g->net.profile->metrics.n)
		pp_answer_total(a, g->net.profile, g->net.metric, g->net.whole);
	pp_answer_bool(a, "estimated", g->net.profile->estimated);
	table_add(a, g, "functions", node_columns, PP_COUNT_OF(node_columns), g->net.nodes.n);
	table_add(a, g, "edges", edge_columns, PP_COUNT_OF(edge_columns), g->net.edges.n);
	return PP_OK;
}
