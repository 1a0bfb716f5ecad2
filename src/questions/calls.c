/*
 * callers, callees: the same question, asked in two directions.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "model/leaf_kind.h"
#include "questions/calls.h"
#include "questions/describe.h"
#include "questions/find.h"
#include "questions/ranking.h"
#include "text/escape.h"
#include "text/units.h"

#define ROWS_SHOWN 25

static void calls_want(const void *, struct pp_want *);
static pp_status callers_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status callees_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status peek_run(const struct pp_subject *, const void *, struct pp_answer *);
static pp_status callers_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);
static pp_status callees_excerpt(const struct pp_subject *, const void *, struct pp_excerpt *);

static const struct pp_param function_params[] = {
	{ "function", 0, PP_PARAM_TEXT, "NAME",
	  "a function's whole name, a part that only one function has, FILE:NAME, FILE:LINE:NAME, or /REGEX/",
	  PP_HINT_NONE, offsetof(struct pp_calls_params, function) },
	{ 0 },
};
static const struct pp_param_group function_group = { "Function", function_params };

static const struct pp_param depth_params[] = {
	{ "depth", 0, PP_PARAM_COUNT, "N", "go N levels further (default: 1)", PP_HINT_NONE, 0 },
	{ 0 },
};
static const struct pp_param_group levels_group = { "Filters", depth_params };

static const struct pp_param_use calls_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct pp_calls_params, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct pp_calls_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct pp_calls_params, min), PP_GROUP_FIRST },
	{ &levels_group, offsetof(struct pp_calls_params, depth), PP_GROUP_FIRST },
	{ &function_group, 0, PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_callers = {
	.name = "callers",
	.summary = "who calls a function, how often, and what that costs",
	.params = calls_uses,
	.params_size = sizeof(struct pp_calls_params),
	.scope_at = offsetof(struct pp_calls_params, scope),
	.word = function_params,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = calls_want,
	.excerpt = callers_excerpt,
	.run = callers_run,
};

const struct pp_question pp_question_callees = {
	.name = "callees",
	.summary = "what a function calls, how often, and what that costs",
	.params = calls_uses,
	.params_size = sizeof(struct pp_calls_params),
	.scope_at = offsetof(struct pp_calls_params, scope),
	.word = function_params,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = calls_want,
	.excerpt = callees_excerpt,
	.run = callees_run,
};

const struct pp_question pp_question_peek = {
	.name = "peek",
	.summary = "who calls a function and what it calls, in one answer",
	.params = calls_uses,
	.params_size = sizeof(struct pp_calls_params),
	.scope_at = offsetof(struct pp_calls_params, scope),
	.word = function_params,
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = calls_want,
	.run = peek_run,
};

uint64_t
pp_calls_depth(const struct pp_calls_params *params)
{
	return params->depth == PP_UNSET ? 1 : params->depth;
}

static void
calls_want(const void *data, struct pp_want *want)
{
	const struct pp_calls_params *params = data;

	want->facets = PP_TREE | PP_EDGES | PP_LINES | PP_SITES | PP_GAINS | PP_SOURCE;
	want->stacks = pp_calls_depth(params) != 1;
	if (params->function && params->function[0] != '/' && !pp_scope_given(&params->scope))
		want->about = params->function;
}

/* ---- what is shown ---- */

static void
calls_release(void *data)
{
	struct pp_calls_shown *c = data;

	free(c->shown);
	free(c->cycle);
	pp_calls_release(&c->calls);
	pp_flat_release(&c->flat);
}

/* The cycle that both ends of a call belong to, 0 = none. */
static uint32_t
cycle_of(const struct pp_calls_shown *c, const struct pp_call *call)
{
	if (!c->cycle || call->recursive || c->cycle[call->func] != c->cycle[c->func])
		return 0;
	return c->cycle[call->func];
}

double
pp_calls_share(const struct pp_calls_shown *c, size_t row)
{
	return pp_value_double(
	    &c->calls.profile->metrics.at[c->metric],
	    pp_values_gained(c->calls.profile, &c->calls.total.at[c->shown[row] * c->calls.metrics],
	                     c->metric));
}

/* ---- columns ---- */

static pp_func
func_of(const void *data, size_t row, const struct pp_profile **p)
{
	const struct pp_calls_shown *c = data;

	*p = c->calls.profile;
	return pp_calls_row(c, row)->func;
}

static void
site_file_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	const struct pp_call *call = pp_calls_row(c, row);

	if (call->site_line && call->site_file)
		pp_datum_text(d, pp_text_of(c->calls.profile, call->site_file));
}

static void
site_line_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_call *call = pp_calls_row(data, row);

	if (call->site_line)
		pp_datum_count(d, call->site_line);
}

static void
side_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_text(d, pp_slice_z(((const struct pp_calls_shown *)data)->side == PP_CALLERS
	                                ? "caller"
	                                : "callee"));
}

static void
depth_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	pp_datum_count(d, pp_calls_row(data, row)->depth);
}

static void
calls_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;

	/* Rows that are no calls, or whose callers are unknown, have no count. */
	if (c->calls.has_calls && (pp_calls_row(c, row)->func || pp_calls_row(c, row)->calls))
		pp_datum_count(d, pp_calls_row(c, row)->calls);
}

static void
total_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;

	pp_datum_value(d, c->calls.profile, metric,
	               c->calls.total.at[c->shown[row] * c->calls.metrics + metric]);
}

/* The cost that the file states for a call within a cycle, if it differs. */
static void
stated_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	const struct pp_profile *p = c->calls.profile;
	size_t at = c->shown[row] * c->calls.metrics, m;
	bool differs = false;

	for (m = 0; c->calls.stated.n && m < c->calls.metrics; m++)
		differs = differs || pp_value_cmp(&p->metrics.at[m], c->calls.stated.at[at + m],
		                                  c->calls.total.at[at + m]) != 0;
	if (differs)
		pp_datum_value(d, p, metric, c->calls.stated.at[at + metric]);
}

static void
gained_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;

	pp_datum_value(d, c->calls.profile, metric,
	               pp_values_gained(c->calls.profile,
	                                &c->calls.total.at[c->shown[row] * c->calls.metrics],
	                                metric));
}

static void
given_back_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	const union pp_value *total = &c->calls.total.at[c->shown[row] * c->calls.metrics];
	union pp_value given_back = pp_values_gained(c->calls.profile, total, metric);

	pp_value_sub(&c->calls.profile->metrics.at[metric], &given_back, total[metric]);
	pp_datum_value(d, c->calls.profile, metric, given_back);
}

static void
recursive_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	d->known = d->yes = pp_calls_row(data, row)->recursive;
}

static void
cycle_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	uint32_t cycle = cycle_of(c, pp_calls_row(c, row));

	if (cycle)
		pp_datum_count(d, cycle);
}

static void
share_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;

	pp_datum_share(d, pp_calls_share(c, row), c->whole);
}

static void
label_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	const struct pp_call *call = pp_calls_row(c, row);
	const struct pp_profile *p = c->calls.profile;
	uint32_t i;

	for (i = 1; i < call->depth; i++)
		pp_buf_adds(d->made, "  ");
	if (call->rest)
		pp_buf_adds(d->made, c->flat.cycles ? "(within the cycle)" : "(unattributed)");
	else if (!call->func)
		pp_buf_adds(d->made, "(from outside)");
	else
		pp_func_text(d->made, p, call->func);
	if (call->recursive)
		pp_buf_adds(d->made, " (recursive)");
	else if (cycle_of(c, call))
		pp_buf_addf(d->made, " <cycle %u>", cycle_of(c, call));
	pp_datum_made(d);
}

static void
site_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	const struct pp_call *call = pp_calls_row(c, row);

	if (!call->site_line)
		return;
	pp_escape_terminal(d->made, pp_text_of(c->calls.profile, call->site_file));
	pp_buf_addf(d->made, "%s%u", call->site_file ? ":" : "line ", call->site_line);
	pp_datum_made(d);
}

static struct pp_branch_place
place_of(const void *data, size_t row)
{
	return (struct pp_branch_place){ .level = pp_calls_row(data, row)->depth - 1 };
}

static void
handle_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_calls_shown *c = data;
	uint32_t handle = pp_handles_rank(c->handles, pp_calls_row(c, row)->func);

	if (handle)
		pp_buf_addf(d->made, "f%u", handle);
	pp_datum_made(d);
}

/* In the middle those for people; `arg` and `each` are to be set. */
static const struct pp_answer_column calls_columns[] = {
	{ .key = "side", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_JSON, .get = side_get },
	PP_FUNC_COLUMNS,
	PP_MODULE_COLUMN(PP_COLUMN_NO_CSV),
	{ .key = "calls", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = calls_get },
	{ .key = "file", .group = "site", .as = PP_AS_NAME, .get = site_file_get },
	{ .key = "line", .group = "site", .as = PP_AS_COUNT, .get = site_line_get },
	{ .key = "depth", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_JSON, .get = depth_get },
	{ .title = "id", .as = PP_AS_LABEL, .get = handle_get },
	{ .title = "total%",
	  .as = PP_AS_SHARE,
	  .flags = PP_COLUMN_RIGHT,
	  .drop = 1,
	  .get = share_get },
	{ .title = "gained",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .drop = 3,
	  .get = gained_get },
	{ .title = "given back",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .drop = 3,
	  .get = given_back_get },
	{ .title = "total", .as = PP_AS_VALUE, .flags = PP_COLUMN_RIGHT, .get = total_get },
	{ .key = "calls",
	  .title = "calls",
	  .as = PP_AS_COUNT,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_NO_JSON,
	  .get = calls_get },
	{ .title = "function",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	  .get = label_get },
	{ .title = "called at",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX,
	  .drop = 2,
	  .get = site_get },
	{ .key = "total", .as = PP_AS_VALUE, .get = total_get },
	{ .key = "recursive", .as = PP_AS_BOOL, .flags = PP_COLUMN_NO_CSV, .get = recursive_get },
	{ .key = "cycle", .as = PP_AS_COUNT, .flags = PP_COLUMN_NO_CSV, .get = cycle_get },
	{ .key = "stated",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_NO_CSV | PP_COLUMN_MAYBE,
	  .get = stated_get },
};

/* The rest that belongs to no call. */
static const struct pp_answer_column outside_columns[] = {
	{ .key = "calls", .as = PP_AS_COUNT, .get = calls_get },
	{ .key = "total", .as = PP_AS_VALUE, .get = total_get },
};

static void
edges_table(struct pp_answer *a, const struct pp_calls_shown *c)
{
	const struct pp_profile *p = c->calls.profile;
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof calls_columns);
	bool falls = pp_metric_gained(p, c->metric) < p->metrics.n;
	size_t i, n = 0;

	for (i = 0; columns && i < PP_COUNT_OF(calls_columns); i++) {
		if ((calls_columns[i].flags & PP_COLUMN_FALLS && !falls) ||
		    (calls_columns[i].get == handle_get && !c->handles) ||
		    (calls_columns[i].get == side_get && !c->both))
			continue;
		columns[n] = calls_columns[i];
		columns[n].arg = c->metric;
		if ((columns[n].get == total_get && columns[n].key) || columns[n].get == stated_get)
			columns[n].each = p;
		else if (columns[n].get == total_get && falls)
			columns[n].title = "net";
		n++;
	}
	pp_answer_table(a, &(struct pp_answer_table){
	                       .key = !c->both                ? "edges"
	                              : c->side == PP_CALLERS ? "callers"
	                                                      : "callees",
	                       .columns = columns,
	                       .column_count = n,
	                       .data = c,
	                       .rows = c->n,
	                       .usual = ROWS_SHOWN,
	                       .func = func_of,
	                       .place = place_of,
	                       .nested = "edges",
	                       .flags = (c->metric < p->metrics.n ? 0 : PP_TABLE_NO_TEXT) |
	                                (c->both ? PP_TABLE_CSV_TOO : 0) });
}

/* The name of a rest; both sides may have one that no call has. */
static const char *
rest_key(const struct pp_calls_shown *c, bool outside)
{
	if (outside)
		return "from_outside";
	if (!c->both)
		return "unattributed";
	return c->side == PP_CALLERS ? "callers_unattributed" : "callees_unattributed";
}

/* "from_outside", "unattributed": the parts of the function's total that are in none of its rows. */
static void
rest_object(struct pp_answer *a, const struct pp_calls_shown *c, bool outside)
{
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof outside_columns);
	struct pp_calls_shown *one = pp_answer_alloc(a, sizeof *one);
	size_t *row = pp_answer_alloc(a, sizeof *row), i;

	for (i = 0; i < c->calls.rows.n; i++) {
		const struct pp_call *call = &c->calls.rows.at[i];

		if (!call->func && call->depth == 1 && call->rest != outside)
			break;
	}
	if (!columns || !one || !row || i == c->calls.rows.n)
		return;
	*one = *c;
	*row = i;
	one->shown = row;
	memcpy(columns, outside_columns, sizeof outside_columns);
	columns[1].each = c->calls.profile;
	pp_answer_table(a, &(struct pp_answer_table){ .key = rest_key(c, outside),
	                                              .columns = columns,
	                                              .column_count = PP_COUNT_OF(outside_columns),
	                                              .data = one,
	                                              .rows = 1,
	                                              .flags = PP_TABLE_OBJECT | PP_TABLE_NO_CSV |
	                                                       PP_TABLE_NO_TEXT | PP_TABLE_WHOLE });
}

/* ---- computing ---- */

/* Learns the cycles by function; false when out of memory. */
static bool
cycles_learn(struct pp_calls_shown *c)
{
	size_t row;

	if (c->flat.cycles == 0)
		return true;
	c->cycle = calloc(c->calls.profile->funcs.n, sizeof *c->cycle);
	for (row = 0; c->cycle && row < c->flat.n; row++)
		c->cycle[c->flat.func[row]] = c->flat.cycle[row];
	return c->cycle != NULL;
}

/* Whether this is code outside of functions, which nobody calls. */
static bool
is_level(const struct pp_calls_shown *c)
{
	return c->row < c->flat.n && !c->flat.calls[c->row] &&
	       c->calls.profile->funcs.at[c->func].flags & PP_FUNC_SCRIPT;
}

/* Chooses the rows: --min drops what is small with all beyond it; scripts know no "outside". */
static bool
rows_choose(struct pp_calls_shown *c, double min, bool exact)
{
	uint32_t skip = UINT32_MAX; /* rows deeper than this are beyond one that is dropped */
	size_t i;

	c->shown = calloc(c->calls.rows.n + 1, sizeof *c->shown);
	for (i = 0; c->shown && i < c->calls.rows.n; i++) {
		const struct pp_call *call = &c->calls.rows.at[i];
		double total = 0;

		if (call->depth > skip)
			continue;
		skip = UINT32_MAX;
		c->shown[c->n] = i;
		if (c->metric < c->calls.metrics)
			total = pp_calls_share(c, c->n);
		if ((!call->func && (exact || is_level(c))) ||
		    (c->whole > 0 && fabs(total) < min * c->whole))
			skip = call->depth;
		else
			c->n++;
	}
	return c->shown != NULL;
}

static pp_status
calls_compute(struct pp_calls_shown *c, const struct pp_profile *p,
              const struct pp_calls_params *params)
{
	uint64_t depth = pp_calls_depth(params);
	pp_status status = PP_OK;

	depth = depth == 0 || depth > UINT32_MAX ? UINT32_MAX : depth;
	c->calls = (struct pp_calls){ .profile = p, .metrics = p->metrics.n };
	if (p->facets & PP_FACETS)
		status = pp_calls_compute(p, c->func, c->side, c->metric, (uint32_t)depth,
		                          &c->calls, &c->flat);
	/* What filters leave nothing of has no callers. */
	if (status == PP_E_UNSUPPORTED && pp_scope_given(&params->scope) && p->tree.n <= 1 &&
	    p->calls.rows.n + p->lines.rows.n == 0)
		status = PP_OK;
	if (status == PP_OK && !c->flat.profile)
		status = pp_flat_compute(p, &c->flat);
	while (status == PP_OK && c->row < c->flat.n && c->flat.func[c->row] != c->func)
		c->row++;
	if (status == PP_OK && c->metric < p->metrics.n)
		c->whole = pp_value_double(&p->metrics.at[c->metric],
		                           pp_flat_whole(&c->flat, c->metric));
	if (status == PP_OK &&
	    (!cycles_learn(c) || !rows_choose(c, params->min, params->asked.exact)))
		status = PP_E_NOMEM;
	return status;
}

/* ---- the answer ---- */

/* " from 3 places in 2 files, 9 levels of recursion (1.20 ms), an opcode": what the file states of it. */
static void
facts_add(struct pp_buf *text, const struct pp_flat *flat, size_t row)
{
	const struct pp_fact_row *fact = row < flat->n && flat->fact ? &flat->fact[row] : NULL;
	const char *kind = fact ? pp_flat_kind(flat, row) : NULL;

	if (fact && fact->places) {
		pp_buf_adds(text, " from ");
		pp_units_u64(text, fact->places);
		pp_buf_addf(text, " %s in ", pp_plural(fact->places, "place", "places"));
		pp_units_u64(text, fact->files);
		pp_buf_addf(text, " %s", pp_plural(fact->files, "file", "files"));
	}
	if (fact && fact->recursion) {
		const struct pp_metric *m = &flat->profile->metrics.at[fact->metric];

		pp_buf_adds(text, ", ");
		pp_units_u64(text, fact->recursion);
		pp_buf_addf(text, " %s of recursion (",
		            pp_plural(fact->recursion, "level", "levels"));
		pp_units_value(text, pp_text_of(flat->profile, m->unit),
		               pp_value_double(m, pp_cell_value(m, fact->recursive)));
		pp_buf_adds(text, ")");
	}
	if (kind)
		pp_buf_addf(text, ", an %s", kind);
}

static void
heading_say(struct pp_answer *a, const struct pp_calls_shown *c)
{
	const struct pp_profile *p = c->calls.profile;
	struct pp_buf text = { 0 };

	pp_answer_say_name(a, PP_INK_TITLE, pp_text_of(p, p->funcs.at[c->func].name));
	if (c->metric < p->metrics.n && c->row < c->flat.n) {
		const struct pp_metric *m = &p->metrics.at[c->metric];
		struct pp_cost_pair cost = pp_flat_get(&c->flat, c->row, c->metric);

		pp_buf_adds(&text, ": ");
		pp_units_value(&text, pp_text_of(p, m->unit), pp_value_double(m, cost.total));
		pp_buf_adds(&text, " in all, ");
		pp_units_value(&text, pp_text_of(p, m->unit), pp_value_double(m, cost.own));
		pp_buf_adds(&text, " by itself");
		if (pp_flat_calls_known(&c->flat, c->row)) {
			pp_buf_adds(&text, ", ");
			pp_units_u64(&text, c->flat.calls[c->row]);
			pp_buf_adds(&text, c->flat.calls[c->row] == 1 ? " call" : " calls");
		}
	}
	facts_add(&text, &c->flat, c->row);
	pp_answer_say(a, PP_INK_PLAIN, "%s\n", pp_answer_made(a, &text));
	pp_buf_release(&text);
}

bool
pp_calls_set_aside(const struct pp_calls_shown *c)
{
	const struct pp_profile *p = c->calls.profile;
	size_t m;

	if (!p->aside.n || c->calls.rows.n > 0 || pp_leaf_kind_of(p, c->func) == PP_LEAF_PLAIN)
		return false;
	for (m = 0; m < p->metrics.n && c->row < c->flat.n; m++)
		if (!pp_value_is_zero(&p->metrics.at[m], pp_flat_get(&c->flat, c->row, m).total))
			return false;
	return true;
}

/* One side: what it is, and its rows. */
static void
side_add(struct pp_answer *a, const struct pp_calls_shown *c)
{
	bool callers = c->side == PP_CALLERS;
	const char *said = pp_calls_said(c->flat.profile, callers, c->n > 0);

	if (c->n == 0 && pp_calls_set_aside(c))
		pp_answer_say(a, PP_INK_PLAIN, "\n  --all-frames shows its %s\n",
		              callers ? "callers" : "callees");
	else if (c->n == 0)
		pp_answer_say(a, PP_INK_PLAIN, "\n  %s\n", said);
	else
		pp_answer_say(a, PP_INK_FAINT, "%s%s\n\n", c->both && !callers ? "\n" : "", said);
	edges_table(a, c);
	rest_object(a, c, true);
	rest_object(a, c, false);
}

struct pp_calls_shown *
pp_calls_shown(const struct pp_topic *topic, const struct pp_calls_params *params,
               enum pp_calls_side side, struct pp_answer *a, pp_status *status)
{
	const struct pp_profile *p = topic->profile;
	struct pp_calls_shown *c = pp_answer_own(a, sizeof *c, calls_release);

	*status = c ? PP_OK : pp_answer_fail_status(a, PP_E_NOMEM);
	if (!c)
		return NULL;
	c->side = side;
	*status = pp_asked_metric(&params->asked, p, a, &c->metric);
	if (*status == PP_OK)
		*status = pp_find_topic_function(a, topic, params->function, &c->func);
	if (*status != PP_OK)
		return NULL;
	c->func = p->funcs.at[c->func].same;
	*status = calls_compute(c, p, params);
	if (*status == PP_E_UNSUPPORTED)
		(void)pp_answer_fail(a, *status, "no-calls", "%s",
		                     p->calls.rows.n
		                         ? "this profile knows individual calls, not whole "
		                           "stacks, so --depth cannot go beyond 1"
		                         : "this profile does not know which function called "
		                           "which");
	else if (*status != PP_OK)
		(void)pp_answer_fail_status(a, *status);
	if (*status == PP_OK && params->asked.handles &&
	    pp_scope_by(&params->scope) == PP_BY_FUNCTION)
		c->handles = pp_answer_handles(a, topic);
	return *status == PP_OK ? c : NULL;
}

/* What is said of the function itself. */
static void
function_add(struct pp_answer *a, const struct pp_calls_shown *c)
{
	const struct pp_profile *p = c->calls.profile;

	pp_answer_unit(a, p, c->metric);
	pp_answer_units(a, p);
	pp_answer_bool(a, "estimated", c->calls.by_stacks && p->estimated);
	if (c->row < c->flat.n) {
		pp_flat_object(a, "function", &c->flat, c->row);
	} else {
		pp_answer_open(a, "function");
		pp_answer_func(a, p, c->func);
		pp_answer_close(a);
	}
	pp_calls_note(a, &c->flat);
	if (pp_calls_set_aside(c))
		pp_aside_note(a, p, c->func);
	heading_say(a, c);
}

static pp_status
calls_run(const struct pp_subject *subject, const struct pp_calls_params *params,
          enum pp_calls_side side, struct pp_answer *a)
{
	pp_status status;
	struct pp_calls_shown *c = pp_calls_shown(subject->topics, params, side, a, &status);

	if (!c)
		return status;
	function_add(a, c);
	side_add(a, c);
	pp_answer_count(a, "count", c->n);
	return PP_OK;
}

static pp_status
peek_run(const struct pp_subject *subject, const void *params, struct pp_answer *a)
{
	const struct pp_topic *t = subject->topics;
	pp_status status;
	struct pp_calls_shown *callers = pp_calls_shown(t, params, PP_CALLERS, a, &status),
	                      *callees;

	callees = callers ? pp_calls_shown(t, params, PP_CALLEES, a, &status) : NULL;
	if (!callees)
		return status;
	callers->both = callees->both = true;
	function_add(a, callers);
	side_add(a, callers);
	side_add(a, callees);
	return PP_OK;
}

static pp_status
callers_run(const struct pp_subject *subject, const void *params, struct pp_answer *a)
{
	return calls_run(subject, params, PP_CALLERS, a);
}

static pp_status
callees_run(const struct pp_subject *subject, const void *params, struct pp_answer *a)
{
	return calls_run(subject, params, PP_CALLEES, a);
}

static pp_status
callers_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	return pp_calls_excerpt(subject, params, PP_CALLERS, x);
}

static pp_status
callees_excerpt(const struct pp_subject *subject, const void *params, struct pp_excerpt *x)
{
	return pp_calls_excerpt(subject, params, PP_CALLEES, x);
}
