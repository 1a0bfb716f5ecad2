/*
 * traces: each stack, with what it costs itself and its labels.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/stops.h"
#include "io/sink.h"
#include "model/inclusive.h"
#include "model/ledger.h"
#include "questions/question.h"
#include "questions/traces_order.h"
#include "text/escape.h"
#include "text/json_emit.h"
#include "text/shorten.h"
#include "text/units.h"

#define ROWS_SHOWN 25

struct traces_params {
	struct pp_asked asked;
	struct pp_scope scope;
	double min;
};

static void traces_want(const void *, struct pp_want *);
static pp_status traces_run(const struct pp_subject *, const void *, struct pp_answer *);

static const struct pp_param_use traces_uses[] = {
	{ &pp_params_metric, 0, PP_GROUP_FIRST },
	{ &pp_params_base, 0, PP_GROUP_FIRST },
	{ &pp_params_by, offsetof(struct traces_params, scope), PP_GROUP_FIRST },
	{ &pp_params_root, offsetof(struct traces_params, scope), PP_GROUP_FIRST },
	{ &pp_params_filter, offsetof(struct traces_params, scope), PP_GROUP_FIRST },
	{ &pp_params_min, offsetof(struct traces_params, min), PP_GROUP_FIRST },
	{ &pp_params_depth, offsetof(struct traces_params, scope.depth), PP_GROUP_FIRST },
	{ 0 },
};

const struct pp_question pp_question_traces = {
	.name = "traces",
	.summary = "each stack with its own cost, costliest first",
	.params = traces_uses,
	.params_size = sizeof(struct traces_params),
	.scope_at = offsetof(struct traces_params, scope),
	.gives = PP_GIVES_JSON | PP_GIVES_CSV,
	.want = traces_want,
	.run = traces_run,
};

static void
traces_want(const void *params, struct pp_want *want)
{
	want->facets = PP_TREE | PP_FUNCTIONS | PP_LABELS | PP_GAINS;
	want->stacks = true;
}

/* ---- distinct stacks ---- */

struct traces {
	const struct pp_profile *profile;
	PP_VEC(struct pp_trace) rows;
	struct pp_ledger cost;
	bool united; /* several nodes show the same functions */
	size_t metric;
	double whole;
};

static void
traces_release(void *data)
{
	struct traces *t = data;

	pp_vec_release(&t->rows);
	pp_ledger_release(&t->cost);
}

/* By node: the first of those that show the same functions. False when out of memory. */
static bool
nodes_unite(const struct pp_profile *p, pp_node *same)
{
	struct pp_map map = { .seed = p->strs.seed };
	bool fine = true;
	pp_node node;

	for (node = 1; fine && node < p->tree.n; node++) {
		uint64_t key = (uint64_t)same[pp_tree_parent(&p->tree, node)] << 32 |
		               pp_node_func(p, node);
		uint32_t first = pp_map_get(&map, key);

		same[node] = first == PP_MAP_NONE ? node : first;
		fine = first != PP_MAP_NONE || pp_map_set(&map, key, node);
	}
	pp_map_release(&map);
	return fine;
}

/* The same where it is not each itself, as one function has several frames; else *same is NULL. */
static bool
nodes_united(const struct pp_profile *p, pp_node **same)
{
	pp_func *func_of_frame = pp_frame_funcs(p);
	bool fine = func_of_frame != NULL;

	*same = NULL;
	if (fine && !pp_frames_are_funcs(p, func_of_frame)) {
		*same = calloc((size_t)p->tree.n + 1, sizeof **same);
		fine = *same && nodes_unite(p, *same);
	}
	free(func_of_frame);
	return fine;
}

/* The row of a stack with labels, made when absent; PP_MAP_NONE when out of memory. */
static uint32_t
trace_find(struct traces *t, struct pp_map *map, pp_labels labels, pp_node node)
{
	uint64_t key = (uint64_t)labels << 32 | node;
	uint32_t row = pp_map_get(map, key);

	if (row != PP_MAP_NONE)
		return row;
	row = (uint32_t)t->rows.n;
	if (!pp_vec_push(&t->rows, ((struct pp_trace){ node, labels, row })) ||
	    !pp_map_set(map, key, row))
		return PP_MAP_NONE;
	return row;
}

/* Finds the stacks, then adds up what they cost: a walk for each. */
static bool
traces_walk(struct traces *t, struct pp_map *map, const pp_node *same, bool costs)
{
	const struct pp_profile *p = t->profile;
	uint32_t row, found;
	pp_node node;
	size_t i;

	for (i = 0; i < p->series.n; i++) {
		const struct pp_series *s = &p->series.at[i];

		for (row = 0; row < s->rows; row++) {
			if (!pp_series_present(s, row))
				continue;
			node = pp_series_node(s, row);
			found = trace_find(t, map, s->labels, same ? same[node] : node);
			if (found == PP_MAP_NONE)
				return false;
			if (costs)
				pp_ledger_add_cells(&t->cost, found, pp_series_costs(p, s, row));
		}
	}
	return true;
}

static bool
traces_add(struct traces *t)
{
	struct pp_map map = { .seed = t->profile->strs.seed };
	pp_node *same;
	bool fine = nodes_united(t->profile, &same) && traces_walk(t, &map, same, false) &&
	            pp_ledger_init(&t->cost, t->profile, t->rows.n + 1) &&
	            traces_walk(t, &map, same, true) && !t->cost.failed;

	t->united = same != NULL;
	pp_map_release(&map);
	free(same);
	return fine;
}

/* What a stack gained of a metric that falls; of others, what it costs. */
static union pp_value
gained_of(const struct traces *t, size_t row, size_t metric)
{
	const struct pp_profile *p = t->profile;
	size_t known = pp_metric_gained(p, metric), at = t->rows.at[row].row;

	return pp_value_gained(&p->metrics.at[metric], pp_ledger_get(&t->cost, at, metric),
	                       known < p->metrics.n ? pp_ledger_get(&t->cost, at, known)
	                                            : pp_value_zero(&p->metrics.at[metric]));
}

/* The same of the metric that is looked at: what a stack's share is. */
static double
part_of(const struct traces *t, size_t row)
{
	return pp_value_double(&t->profile->metrics.at[t->metric], gained_of(t, row, t->metric));
}

/* How large a stack is: what it gained, or what is left of that, which may be far below 0. */
static double
size_of(const struct traces *t, size_t row)
{
	return fmax(fabs(part_of(t, row)),
	            fabs(pp_value_double(&t->profile->metrics.at[t->metric],
	                                 pp_ledger_get(&t->cost, t->rows.at[row].row, t->metric))));
}

/* What shares are of. */
static double
whole_of(const struct traces *t)
{
	const struct pp_profile *p = t->profile;
	double sum = 0;
	size_t row;

	if (!pp_metric_falls(&p->metrics.at[t->metric]))
		return pp_value_double(&p->metrics.at[t->metric], pp_profile_total(p, t->metric));
	for (row = 0; row < t->rows.n; row++)
		sum += part_of(t, row);
	return sum;
}

/* ---- columns ---- */

/* The nodes of a stack, leaf first. */
struct path {
	PP_VEC(pp_node) nodes;
};

static bool
path_find(const struct traces *t, size_t row, struct path *path)
{
	pp_node node = t->rows.at[row].node;

	for (; node; node = pp_tree_parent(&t->profile->tree, node))
		if (!pp_vec_push(&path->nodes, node))
			return false;
	return true;
}

static struct pp_slice
name_of(const struct traces *t, pp_node node)
{
	return pp_text_of(t->profile, t->profile->funcs.at[pp_node_func(t->profile, node)].name);
}

/* Ends what was emitted into a buffer. */
static void
json_end(struct pp_sink *sink, struct pp_datum *d)
{
	d->made->failed |= pp_sink_commit(sink) != PP_OK;
	pp_sink_close(sink);
	pp_datum_made(d);
}

/* ["main", "f"]: root first. */
static void
stack_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct traces *t = data;
	struct path path = { 0 };
	struct pp_sink *sink;
	struct pp_json j;
	size_t i;

	if (!path_find(t, row, &path) || pp_sink_buffer(d->made, &sink) != PP_OK) {
		d->made->failed = true;
	} else {
		pp_json_init(&j, sink, PP_JSON_COMPACT);
		pp_json_begin_array(&j);
		for (i = path.nodes.n; i-- > 0;)
			pp_json_text(&j, name_of(t, path.nodes.at[i]));
		pp_json_end_array(&j);
		json_end(sink, d);
	}
	pp_vec_release(&path.nodes);
}

/* "main;f" */
static void
folded_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct traces *t = data;
	struct path path = { 0 };
	size_t i;

	d->made->failed |= !path_find(t, row, &path);
	for (i = path.nodes.n; i-- > 0;) {
		struct pp_slice name = name_of(t, path.nodes.at[i]);

		pp_buf_add(d->made, name.p, name.n);
		pp_buf_adds(d->made, i ? ";" : "");
	}
	pp_vec_release(&path.nodes);
	pp_datum_text(d, pp_slice_of(d->made->p ? d->made->p : "", d->made->n));
}

/* "f ‹ main" */
static void
shown_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct traces *t = data;
	struct path path = { 0 };
	size_t i;

	d->made->failed |= !path_find(t, row, &path);
	for (i = 0; i < path.nodes.n; i++) {
		pp_buf_adds(d->made, i ? PP_CHAIN_BACK : "");
		pp_func_text(d->made, t->profile, pp_node_func(t->profile, path.nodes.at[i]));
	}
	pp_buf_adds(d->made, i ? "" : "[no stack]");
	pp_vec_release(&path.nodes);
	pp_datum_made(d);
}

/* {"user": ["ann"], "bytes": ["32"]}: of each key all values. */
static void
labels_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_profile *p = ((const struct traces *)data)->profile;
	pp_labels at = ((const struct traces *)data)->rows.at[row].labels;
	struct pp_buf text = { 0 };
	struct pp_sink *sink;
	struct pp_json j;
	pp_str key = 0;
	bool open = false;

	if (!at)
		return;
	if (pp_sink_buffer(d->made, &sink) != PP_OK) {
		d->made->failed = true;
		return;
	}
	pp_json_init(&j, sink, PP_JSON_COMPACT);
	pp_json_begin_object(&j);
	for (; at; at = p->labels.at[at].rest) {
		const struct pp_label_row *label = &p->labels.at[at];

		if (open && label->key != key)
			pp_json_end_array(&j);
		if (!open || label->key != key) {
			pp_json_key_text(&j, pp_text_of(p, label->key));
			pp_json_begin_array(&j);
		}
		key = label->key;
		open = true;
		text.n = 0;
		pp_label_print(p, label, &text);
		pp_json_text(&j, pp_slice_of(text.p ? text.p : "", text.n));
	}
	pp_json_end_array(&j);
	pp_json_end_object(&j);
	json_end(sink, d);
	d->made->failed |= text.failed;
	pp_buf_release(&text);
}

/* "user=ann, bytes=32" */
static void
labels_shown(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct pp_profile *p = ((const struct traces *)data)->profile;
	pp_labels at = ((const struct traces *)data)->rows.at[row].labels;
	struct pp_buf text = { 0 };

	for (; at; at = p->labels.at[at].rest) {
		struct pp_slice key = pp_text_of(p, p->labels.at[at].key);

		pp_buf_adds(&text, text.n ? ", " : "");
		pp_buf_add(&text, key.p, key.n);
		pp_buf_addc(&text, '=');
		pp_label_print(p, &p->labels.at[at], &text);
	}
	if (arg)
		pp_buf_add(d->made, text.p, text.n);
	else if (text.n)
		pp_escape_terminal(d->made, pp_slice_of(text.p, text.n));
	d->made->failed |= text.failed;
	pp_buf_release(&text);
	pp_datum_made(d);
}

static void
cost_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct traces *t = data;

	pp_datum_value(d, t->profile, metric, pp_ledger_get(&t->cost, t->rows.at[row].row, metric));
}

static void
share_get(const void *data, size_t row, size_t arg, struct pp_datum *d)
{
	const struct traces *t = data;

	pp_datum_part(d, part_of(t, row), t->whole);
}

static void
gained_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct traces *t = data;

	pp_datum_value(d, t->profile, metric, gained_of(t, row, metric));
}

static void
given_back_get(const void *data, size_t row, size_t metric, struct pp_datum *d)
{
	const struct traces *t = data;
	union pp_value given_back = gained_of(t, row, metric);

	pp_value_sub(&t->profile->metrics.at[metric], &given_back,
	             pp_ledger_get(&t->cost, t->rows.at[row].row, metric));
	pp_datum_value(d, t->profile, metric, given_back);
}

static const struct pp_answer_column traces_columns[] = {
	{ .key = "stack", .as = PP_AS_RAW, .flags = PP_COLUMN_NO_CSV, .get = stack_get },
	{ .key = "labels", .as = PP_AS_RAW, .flags = PP_COLUMN_NO_CSV, .get = labels_get },
	{ .key = "stack", .as = PP_AS_TEXT, .flags = PP_COLUMN_NO_JSON, .get = folded_get },
	{ .key = "labels",
	  .as = PP_AS_TEXT,
	  .flags = PP_COLUMN_NO_JSON,
	  .get = labels_shown,
	  .arg = 1 },
	{ .title = "gained",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .get = gained_get },
	{ .title = "gained%",
	  .as = PP_AS_SHARE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .get = share_get },
	{ .title = "given back",
	  .as = PP_AS_VALUE,
	  .flags = PP_COLUMN_RIGHT | PP_COLUMN_FALLS,
	  .drop = 2,
	  .get = given_back_get },
	{ .title = "self", .as = PP_AS_VALUE, .flags = PP_COLUMN_RIGHT, .get = cost_get },
	{ .title = "self%", .as = PP_AS_SHARE, .flags = PP_COLUMN_RIGHT, .get = share_get },
	{ .title = "labels",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX,
	  .drop = 1,
	  .get = labels_shown },
	{ .title = "stack, from the leaf",
	  .as = PP_AS_LABEL,
	  .flags = PP_COLUMN_FLEX | PP_COLUMN_NAMES,
	  .get = shown_get },
	{ .key = "self", .as = PP_AS_VALUE, .get = cost_get },
	{ .key = "gained", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = gained_get },
	{ .key = "given_back", .as = PP_AS_VALUE, .flags = PP_COLUMN_FALLS, .get = given_back_get },
};

static void
traces_table(struct pp_answer *a, const struct traces *t)
{
	const struct pp_profile *p = t->profile;
	struct pp_answer_column *columns = pp_answer_alloc(a, sizeof traces_columns);
	bool labels = pp_profile_has_labels(p);
	bool falls = t->metric < p->metrics.n && pp_metric_falls(&p->metrics.at[t->metric]);
	bool known = falls && pp_metric_gained(p, t->metric) < p->metrics.n;
	size_t i, n = 0;

	for (i = 0; columns && i < PP_COUNT_OF(traces_columns); i++) {
		const struct pp_answer_column *c = &traces_columns[i];

		if ((!labels && c->title && c->get == labels_shown) ||
		    (c->flags & PP_COLUMN_FALLS && !(c->key ? pp_profile_has_gains(p) : known)) ||
		    (known && c->get == share_get && !(c->flags & PP_COLUMN_FALLS)))
			continue;
		columns[n] = *c;
		if (c->as == PP_AS_VALUE && c->key)
			columns[n].each = p;
		else if (c->as == PP_AS_VALUE)
			columns[n].arg = t->metric;
		if (falls && c->title && c->get == cost_get)
			columns[n].title = "net";
		n++;
	}
	pp_answer_table(a, &(struct pp_answer_table){
	                       .key = "traces",
	                       .one = "stack",
	                       .many = "stacks",
	                       .columns = columns,
	                       .column_count = n,
	                       .data = t,
	                       .rows = t->rows.n,
	                       .usual = ROWS_SHOWN,
	                       .flags = t->metric < p->metrics.n ? 0 : PP_TABLE_NO_TEXT });
}

static pp_status
traces_run(const struct pp_subject *subject, const void *data, struct pp_answer *a)
{
	const struct traces_params *params = data;
	const struct pp_profile *p = subject->topics[0].profile;
	struct traces *t = pp_answer_own(a, sizeof *t, traces_release);
	pp_status status;
	size_t i, n = 0;

	if (!t)
		return pp_answer_fail_status(a, PP_E_NOMEM);
	t->profile = p;
	status = pp_asked_metric(&params->asked, p, a, &t->metric);
	if (status != PP_OK)
		return status;
	if (!(p->facets & PP_TREE) && p->tree.n <= 1 && p->calls.rows.n + p->lines.rows.n > 0)
		return pp_answer_fail(a, PP_E_UNSUPPORTED, "no-stacks",
		                      "this profile does not know whole stacks");
	if (!traces_add(t))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	if (t->metric < p->metrics.n)
		t->whole = whole_of(t);
	if (!pp_traces_order(&(struct pp_traces){ p, &t->cost, t->metric, t->united }, t->rows.at,
	                     t->rows.n))
		return pp_answer_fail_status(a, PP_E_NOMEM);
	for (i = 0; params->min > 0 && t->metric < p->metrics.n && i < t->rows.n; i++)
		if (size_of(t, i) >= params->min * t->whole)
			t->rows.at[n++] = t->rows.at[i];
	if (params->min > 0 && t->metric < p->metrics.n)
		t->rows.n = n;
	pp_answer_source(a, p);
	pp_answer_unit(a, p, t->metric);
	if (t->metric < p->metrics.n)
		pp_answer_total(a, p, t->metric, pp_profile_total(p, t->metric));
	pp_answer_bool(a, "estimated", p->estimated);
	traces_table(a, t);
	pp_answer_count(a, "count", t->rows.n);
	return PP_OK;
}
