/*
 * Writing Xdebug files from any tree of stacks: one record per stack, callees first.
 *
 * Stacks that look the same (same files, names and call sites) are one. Siblings are written in the order of their
 * names, so that what is written and read is written the same again. A whole file has a {main}: where the profile
 * has none all roots become calls of one. Several {main} become several profiles, as Xdebug appends them. What is
 * incomplete is written as Xdebug leaves it when it is killed: without summary, and without {main} if there is none.
 */
#include "formats/kit/sites.h"
#include "formats/valgrind/emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/inclusive.h"
#include "base/sort.h"
#include "base/stops.h"
#include "formats/valgrind/xdebug.h"

extern const struct pp_format pp_format_xdebug;

#define COLUMNS 2
#define REPEATS_MOST 4000000 /* calls without a cost of their own that are written */
#define NO_METRIC SIZE_MAX

/* A function as it is written, and from where it is called. */
struct written {
	pp_str file, name;
	uint32_t site; /* a line of the caller; 0 = not known */
	uint32_t line; /* its first one */
	uint32_t func; /* the same without a site */
};

/* The one or two columns of the file. */
struct columns {
	size_t metric[COLUMNS]; /* time and memory, or NO_METRIC */
	unsigned n;             /* how many are written */
	bool is_time;           /* else the first is some other count, and the only one */
	unsigned unit;          /* of time, in ns */
};

/* Stacks that look the same as one; frames are functions with their sites. */
struct stacks {
	struct pp_tree tree;
	bool ready;
	union pp_value *own, *inclusive; /* [node * COLUMNS + column] */
	uint64_t *again;                 /* by node: calls beyond the first */
	pp_node *first, *next;           /* children in the order of their names */
	bool measured;
};

struct xd_write {
	struct pp_writer *w;
	const struct pp_profile *p;
	struct columns columns;
	struct pp_cg_emit text;
	struct pp_strtab known;       /* (file, name, site) -> function */
	PP_VEC(struct written) funcs; /* by id in `known`; [0] is unused */
	struct pp_sites sites;        /* of stacks that do not know theirs */
	pp_str main;
	struct stacks stacks;
	bool too_large;
};

/* ---- columns ---------------------------------------------------------------------------- */

static bool
has_unit(const struct pp_profile *p, size_t metric, const char *unit)
{
	return pp_slice_eq_z(pp_text_of(p, p->metrics.at[metric].unit), unit);
}

/* Whether the layout of Xdebug 2 is asked for, or is the one that the profile had, by whatever way it came. */
static bool
is_second(const struct xd_write *x)
{
	const struct pp_metric *m = &x->p->metrics.at[x->w->metric];

	if (x->w->opts->variant)
		return strcmp(x->w->opts->variant, "2") == 0;
	return has_unit(x->p, x->w->metric, "ns") && m->factor_num == 1000 &&
	       pp_slice_eq_z(pp_text_of(x->p, m->name), "Time");
}

static void
choose_columns(struct xd_write *x)
{
	struct columns *c = &x->columns;
	size_t m;

	c->metric[0] = x->w->metric;
	c->metric[1] = NO_METRIC;
	c->is_time = has_unit(x->p, x->w->metric, "ns");
	/* An Xdebug file that counts finer than 10 ns stays as fine as it is. */
	c->unit = is_second(x) ? 1000
	          : x->p->format == &pp_format_xdebug &&
	                  x->p->metrics.at[x->w->metric].factor_num % 10
	              ? 1
	              : 10;
	for (m = 0; c->is_time && m < x->p->metrics.n; m++)
		if (c->metric[1] == NO_METRIC && has_unit(x->p, m, "bytes"))
			c->metric[1] = m;
	c->n = c->is_time && (c->unit != 1000 || c->metric[1] != NO_METRIC) ? COLUMNS : 1;
}

static const char *
time_name(const struct columns *c)
{
	return c->unit == 1000 ? "Time" : c->unit == 10 ? "Time_(10ns)" : "Time_(ns)";
}

static const char *
memory_name(const struct columns *c)
{
	return c->unit == 1000 ? "Memory" : "Memory_(bytes)";
}

/* What a reader will see of the columns. */
static void
note_columns(const struct xd_write *x)
{
	const struct columns *c = &x->columns;

	pp_loss_metric(x->w, c->metric[0], pp_slice_z(c->is_time ? time_name(c) : ""),
	               c->is_time ? "ns" : "count");
	if (c->metric[1] != NO_METRIC)
		pp_loss_metric(x->w, c->metric[1], pp_slice_z(memory_name(c)), "bytes");
}

/* A sum in the unit of its column. */
static int64_t
column_value(struct xd_write *x, unsigned column, union pp_value v)
{
	unsigned unit = !x->columns.is_time ? 0 : column == 0 ? x->columns.unit : 1;

	const struct pp_metric *m;
	int64_t value;

	if (x->columns.metric[column] == NO_METRIC)
		return 0;
	m = &x->p->metrics.at[x->columns.metric[column]];
	value = pp_cg_whole(m, v, unit, &x->w->loss.rounded);
	/* Unsigned costs that pass 63 bits have no place in a file with signed ones. */
	return value < 0 && m->type == PP_UINT ? INT64_MAX : value;
}

/* ---- functions -------------------------------------------------------------------------- */

static pp_str
clean(struct xd_write *x, struct pp_slice name)
{
	return pp_cg_emit_clean(&x->text, name, true);
}

/* The number of (file, name, site). */
static uint32_t
written_of(struct xd_write *x, struct written w)
{
	pp_str key[3] = { w.file, w.name, w.site }, id = 0;
	bool is_new = false;

	if (x->text.failed || !pp_strtab_intern(&x->known, key, sizeof key, &id, &is_new) ||
	    (is_new && !pp_vec_push(&x->funcs, w))) {
		x->text.failed = true;
		return 0;
	}
	if (!x->funcs.at[id].line)
		x->funcs.at[id].line = w.line;
	if (!w.site)
		x->funcs.at[id].func = id;
	return id;
}

/* The number of the function (file, name). */
static uint32_t
function_of(struct xd_write *x, pp_str file, pp_str name, uint32_t line)
{
	return written_of(x, (struct written){ .file = file, .name = name, .line = line });
}

/* By function of the profile; NULL when out of memory. */
static uint32_t *
functions_make(struct xd_write *x)
{
	uint32_t *map = calloc(x->p->funcs.n, sizeof *map);
	size_t i;

	for (i = 1; map && i < x->p->funcs.n && !x->text.failed; i++) {
		const struct pp_func_row *row = &x->p->funcs.at[i];
		struct pp_slice file = pp_text_of(x->p, row->file);

		if (file.n == 0) {
			file = pp_slice_z(PP_XD_INTERNAL);
			x->w->loss.made |= PP_HAS(FILES);
		}
		map[i] = function_of(x, clean(x, file), clean(x, pp_text_of(x->p, row->name)),
		                     pp_slice_eq_z(file, PP_XD_INTERNAL) ? 0 : row->line);
	}
	return map;
}

/* {main} inside another stack would be taken for the end of the script. */
static uint32_t
not_main(struct xd_write *x, uint32_t func)
{
	if (func == 0 || x->funcs.at[func].name != x->main)
		return func;
	x->text.changed++;
	return function_of(x, x->funcs.at[func].file, clean(x, pp_slice_z(PP_XD_MAIN "'2")),
	                   x->funcs.at[func].line);
}

/* ---- the tree --------------------------------------------------------------------------- */

/* A function where it is called: as its frame says, or from where its caller was then. */
static uint32_t
at_site(struct xd_write *x, uint32_t func, pp_node node, pp_node parent)
{
	const struct pp_frame_row *frames = x->p->frames.at;
	struct written w = func ? x->funcs.at[func] : (struct written){ 0 };

	w.site = frames[pp_tree_frame(&x->p->tree, node)].site_line;
	if (!w.site)
		w.site = frames[pp_tree_frame(&x->p->tree, parent)].line;
	return func && w.site ? written_of(x, w) : func;
}

static bool
tree_make(struct xd_write *x, const uint32_t *func_of, pp_node *map)
{
	pp_node node;

	x->stacks.ready = pp_tree_init(&x->stacks.tree, 1, UINT32_MAX - 1, &pp_pages_plain);
	for (node = 1; x->stacks.ready && node < x->p->tree.n; node++) {
		pp_node parent = pp_tree_parent(&x->p->tree, node);
		uint32_t func = func_of[pp_frame_func(x->p, pp_tree_frame(&x->p->tree, node))];

		if (parent)
			func = at_site(x, not_main(x, func), node, parent);
		map[node] = func ? pp_tree_child(&x->stacks.tree, map[parent], func) : 0;
		if (!map[node])
			return false;
	}
	return x->stacks.ready;
}

/* Costs that stand at the root belong to nobody. */
static pp_node
no_stack(struct xd_write *x)
{
	uint32_t func = function_of(x, clean(x, pp_slice_z(PP_XD_INTERNAL)),
	                            clean(x, pp_slice_z("[no stack]")), 0);

	return func ? pp_tree_child(&x->stacks.tree, 0, func) : 0;
}

/* Adds the rows of all series to the nodes; false when out of memory. */
static bool
tree_costs(struct xd_write *x, const pp_node *map, pp_node rootless)
{
	size_t i, m = x->p->metrics.n;
	uint32_t row;
	unsigned k;

	x->stacks.own = calloc((size_t)x->stacks.tree.n * COLUMNS, sizeof *x->stacks.own);
	x->stacks.inclusive = calloc((size_t)x->stacks.tree.n * COLUMNS,
	                             sizeof *x->stacks.inclusive);
	x->stacks.again = calloc(x->stacks.tree.n, sizeof *x->stacks.again);
	if (!x->stacks.own || !x->stacks.inclusive || !x->stacks.again)
		return false;
	for (i = 0; i < x->p->series.n; i++) {
		const struct pp_series *s = &x->p->series.at[i];

		for (row = 0; row < s->rows && !pp_account_stops_at(row); row++) {
			const int64_t *measured = pp_series_measured(x->p, s, row);
			pp_node node = pp_series_node(s, row);

			if (!pp_series_present(s, row))
				continue;
			node = node ? map[node] : rootless;
			if (s->has_calls)
				pp_count_add(&x->stacks.again[node],
				             (uint64_t)pp_series_cell(s, row, m));
			for (k = 0; k < COLUMNS; k++) {
				const struct pp_metric *metric;
				int64_t cell;

				if (x->columns.metric[k] == NO_METRIC)
					continue;
				metric = &x->p->metrics.at[x->columns.metric[k]];
				cell = pp_series_cell(s, row, x->columns.metric[k]);
				pp_value_add(metric, &x->stacks.own[node * COLUMNS + k],
				             pp_cell_value(metric, cell));
				pp_value_add(
				    metric, &x->stacks.inclusive[node * COLUMNS + k],
				    pp_cell_value(metric, x->stacks.measured
				                              ? measured[x->columns.metric[k]]
				                              : cell));
			}
		}
	}
	return true;
}

/* Calls beyond the first of each stack: as records of their own, unless there are too many. */
static void
tree_calls(struct xd_write *x)
{
	bool counted = false;
	uint64_t sum = 0;
	pp_node node;
	size_t i;

	for (i = 0; i < x->p->series.n; i++)
		counted |= x->p->series.at[i].has_calls;
	for (node = 1; node < x->stacks.tree.n; node++) {
		x->stacks.again[node] -= x->stacks.again[node] > 0;
		pp_count_add(&sum, x->stacks.again[node]);
	}
	x->w->loss.made |= counted ? 0 : PP_HAS(CALLS);
	if (sum <= REPEATS_MOST)
		return;
	x->w->loss.dropped |= PP_HAS(CALLS);
	memset(x->stacks.again, 0, x->stacks.tree.n * sizeof *x->stacks.again);
}

/* Without measured ones, inclusive costs are sums: parents stand before their children. */
static void
tree_sum(struct xd_write *x)
{
	unsigned k;
	pp_node node;

	for (node = x->stacks.tree.n;
	     !x->stacks.measured && node-- > 1 && !pp_account_stops_at(node);) {
		pp_node parent = pp_tree_parent(&x->stacks.tree, node);

		for (k = 0; k < COLUMNS; k++)
			if (x->columns.metric[k] != NO_METRIC)
				pp_value_add(&x->p->metrics.at[x->columns.metric[k]],
				             &x->stacks.inclusive[parent * COLUMNS + k],
				             x->stacks.inclusive[node * COLUMNS + k]);
	}
}

/* Whether what is written would add up to more than readers can hold. */
static bool
sums_too_large(struct xd_write *x)
{
	double sum = 0;
	pp_node node;

	for (node = 1; node < x->stacks.tree.n; node++) {
		double own = (double)column_value(x, 0, x->stacks.own[node * COLUMNS]);
		double all = (double)column_value(x, 0, x->stacks.inclusive[node * COLUMNS]);

		sum += fabs(own) + fabs(all);
	}
	return sum > 9e18;
}

static int
name_cmp(const struct xd_write *x, pp_node a, pp_node b)
{
	const struct written *fa = &x->funcs.at[pp_tree_frame(&x->stacks.tree, a)];
	const struct written *fb = &x->funcs.at[pp_tree_frame(&x->stacks.tree, b)];
	int c = pp_slice_cmp(pp_strtab_get(&x->text.names, fa->name),
	                     pp_strtab_get(&x->text.names, fb->name));

	if (c == 0)
		c = pp_slice_cmp(pp_strtab_get(&x->text.names, fa->file),
		                 pp_strtab_get(&x->text.names, fb->file));
	return c ? c : (fa->site > fb->site) - (fa->site < fb->site);
}

static int
sibling_cmp(const void *left, const void *right, void *ctx)
{
	const struct xd_write *x = ctx;
	pp_node a = *(const pp_node *)left, b = *(const pp_node *)right;
	pp_node pa = pp_tree_parent(&x->stacks.tree, a), pb = pp_tree_parent(&x->stacks.tree, b);

	return pa != pb ? (pa < pb ? -1 : 1) : name_cmp(x, a, b);
}

/* Lists of children in the order of their names. */
static bool
tree_sort(struct xd_write *x)
{
	pp_node *order = malloc((size_t)x->stacks.tree.n * sizeof *order);
	uint32_t i;

	x->stacks.first = calloc(x->stacks.tree.n, sizeof *x->stacks.first);
	x->stacks.next = calloc(x->stacks.tree.n, sizeof *x->stacks.next);
	if (!order || !x->stacks.first || !x->stacks.next) {
		free(order);
		return false;
	}
	for (i = 1; i < x->stacks.tree.n; i++)
		order[i] = i;
	pp_sort(order + 1, x->stacks.tree.n - 1, sizeof *order, sibling_cmp, x);
	for (i = x->stacks.tree.n; i-- > 1;) {
		pp_node parent = pp_tree_parent(&x->stacks.tree, order[i]);

		x->stacks.next[order[i]] = x->stacks.first[parent];
		x->stacks.first[parent] = order[i];
	}
	free(order);
	return true;
}

/* ---- records ---------------------------------------------------------------------------- */

/* `fl=` and `fn=`, or with a 'c' before each. */
static void
put_function(struct xd_write *x, uint32_t func, bool is_call)
{
	const struct written *f = &x->funcs.at[func];

	pp_cg_emit_name(&x->text, is_call ? "cfl=" : "fl=", PP_CG_FILES, f->file);
	pp_cg_emit_name(&x->text, is_call ? "cfn=" : "fn=", PP_CG_FUNCTIONS, f->name);
}

/* A line and its costs, which are added to `sum`. */
static void
put_costs(struct xd_write *x, uint32_t line, const int64_t *costs, int64_t *sum)
{
	struct pp_cg_pos pos = { { 0, 0, line } };
	unsigned k;

	for (k = 0; sum && k < x->columns.n; k++)
		(void)__builtin_add_overflow(sum[k], costs[k], &sum[k]);
	pp_cg_emit_own(&x->text, &pos, costs, x->columns.n);
}

static const int64_t no_costs[COLUMNS];

/* The costs of a node as they are written. */
static void
node_costs(struct xd_write *x, const union pp_value *values, int64_t *costs)
{
	unsigned k;

	for (k = 0; k < COLUMNS; k++)
		costs[k] = column_value(x, k, values[k]);
}

/* So many calls of a function from one line; the first has the cost of all. */
static void
put_call(struct xd_write *x, uint32_t func, uint32_t line, uint64_t calls, const int64_t *costs,
         int64_t *sum)
{
	for (; calls > 0 && x->w->out->status == PP_OK; calls--) {
		put_function(x, func, true);
		pp_sink_puts(x->w->out, "calls=1 0 0\n");
		put_costs(x, line, costs, sum);
		costs = no_costs;
	}
}

/*
 * The calls in a record of a function: the children of a node, from their sites or, where they have none, from those
 * that the profile states. All roots are calls of a {main} that was added.
 */
static void
put_calls(struct xd_write *x, pp_node node, uint32_t caller, int64_t *sum)
{
	const struct stacks *t = &x->stacks;
	pp_node child;

	for (child = t->first[node]; child; child = t->next[child]) {
		uint32_t func = pp_tree_frame(&t->tree, child);
		const struct written *callee = &x->funcs.at[func];
		int64_t costs[COLUMNS];
		uint64_t calls = 1 + (uint64_t)t->again[child];
		struct pp_site_share share;

		node_costs(x, &t->inclusive[child * COLUMNS], costs);
		if (callee->site ||
		    !pp_sites_ask(&x->sites, x->funcs.at[caller].func, callee->func, calls, costs))
			put_call(x, func, callee->site, calls, costs, sum);
		else
			while (pp_sites_next(&x->sites, &share))
				put_call(x, func, share.line, share.calls, share.costs, sum);
	}
}

/* A record; that of a {main} that was added costs nothing itself. */
static void
put_record(struct xd_write *x, pp_node node, uint32_t func, int64_t *sum)
{
	int64_t own[COLUMNS] = { 0 };

	if (node)
		node_costs(x, &x->stacks.own[node * COLUMNS], own);
	put_function(x, func, false);
	put_costs(x, x->funcs.at[func].line, own, sum);
	put_calls(x, node, func, sum);
	pp_sink_putc(x->w->out, '\n');
}

/* A record of which nothing but that is known. */
static void
put_empty_record(struct xd_write *x, uint32_t func)
{
	put_function(x, func, false);
	put_costs(x, x->funcs.at[func].line, no_costs, NULL);
	pp_sink_putc(x->w->out, '\n');
}

/*
 * A record and, behind it, one for each further call of the same stack. What single calls cost is not known:
 * the first has it all.
 */
static void
put_records(struct xd_write *x, pp_node node, int64_t *sum)
{
	uint32_t func = pp_tree_frame(&x->stacks.tree, node);
	uint64_t again;

	put_record(x, node, func, sum);
	for (again = x->stacks.again[node]; again > 0 && x->w->out->status == PP_OK; again--)
		put_empty_record(x, func);
}

/* The records of a subtree, callees first; what the whole of it cost is added to `sum`. */
static void
put_subtree(struct xd_write *x, pp_node root, int64_t *sum)
{
	pp_node node = root;

	while (x->w->out->status == PP_OK) {
		int64_t ignored[COLUMNS] = { 0, 0 };

		while (x->stacks.first[node])
			node = x->stacks.first[node];
		put_records(x, node, node == root ? sum : ignored);
		while (node != root && !x->stacks.next[node]) {
			node = pp_tree_parent(&x->stacks.tree, node);
			put_records(x, node, node == root ? sum : ignored);
		}
		if (node == root)
			return;
		node = x->stacks.next[node];
	}
}

/* ---- profiles --------------------------------------------------------------------------- */

static void
put_header(struct xd_write *x, bool appended)
{
	struct pp_sink *out = x->w->out;
	struct pp_slice cmd = pp_profile_meta(x->p, "cmd"), name;
	struct pp_buf text = { 0 };
	bool changed;

	pp_cg_emit_part(&x->text, PP_CG_LINE);
	if (appended)
		pp_sink_puts(out, "\n==== NEW PROFILING FILE "
		                  "==============================================\n");
	pp_sink_printf(out, "version: 1\ncreator: xdebug %s (polyprof)\ncmd: ",
	               x->columns.unit == 1000 ? "2.9.8" : "3.5.3");
	if (!pp_cg_clean(cmd, false, &text, &changed))
		x->text.failed = true;
	x->w->loss.more[PP_TRAIT_METADATA] = cmd.n ? -1 : 0;
	pp_sink_write(out, text.p, text.n);
	pp_sink_puts(out, "\npart: 1\npositions: line\n\nevents: ");
	if (x->columns.is_time) {
		pp_sink_printf(out, "%s%s%s\n\n", time_name(&x->columns),
		               x->columns.n > 1 ? " " : "",
		               x->columns.n > 1 ? memory_name(&x->columns) : "");
	} else {
		size_t i;

		name = pp_text_of(x->p, x->p->metrics.at[x->columns.metric[0]].name);
		x->text.failed |= !pp_cg_clean(name, false, &text, &changed);
		for (i = 0; i < text.n; i++)
			if (pp_is_blank((unsigned char)text.p[i]))
				text.p[i] = '_';
		/* A name that tells a unit would be believed. */
		if (text.n == 0 || memchr(text.p, '(', text.n) || strncmp(text.p, "Time", 4) == 0 ||
		    strncmp(text.p, "Mem", 3) == 0 || strncmp(text.p, "cur", 3) == 0 ||
		    strncmp(text.p, "tot", 3) == 0)
			pp_sink_puts(out, "Cost");
		else
			pp_sink_write(out, text.p, text.n);
		pp_sink_puts(out, "\n\n");
	}
	pp_buf_release(&text);
}

/* The end of a profile; that of the last one is missing when Xdebug did not come to it. */
static void
put_summary(struct xd_write *x, const int64_t *sum, bool is_last)
{
	if (is_last && !x->p->complete)
		return;
	pp_sink_printf(x->w->out, "summary: %lld", (long long)sum[0]);
	if (x->columns.n > 1)
		pp_sink_printf(x->w->out, " %lld", (long long)sum[1]);
	pp_sink_puts(x->w->out, "\n\n");
}

static bool
is_main(const struct xd_write *x, pp_node node)
{
	return x->funcs.at[pp_tree_frame(&x->stacks.tree, node)].name == x->main;
}

/* Roots but {main}; those as large as dates must come before it, or they would be taken for repetitions. */
static void
put_others(struct xd_write *x, bool large, int64_t *sum)
{
	pp_node root;

	for (root = x->stacks.first[0]; root; root = x->stacks.next[root]) {
		bool is_large = column_value(x, 0, x->stacks.inclusive[root * COLUMNS]) >=
		                PP_XD_EPOCH / 2;

		if (!is_main(x, root) && is_large == large)
			put_subtree(x, root, sum);
	}
}

/* A further run of a script, of which nothing but that is known. */
static void
put_empty_main(struct xd_write *x, uint32_t func, bool is_last)
{
	put_header(x, true);
	put_empty_record(x, func);
	put_summary(x, no_costs, is_last);
}

/* All roots where none is {main}: as calls of one, unless it may not have come to its end. */
static void
put_without_main(struct xd_write *x)
{
	int64_t sum[COLUMNS] = { 0, 0 }, ignored[COLUMNS] = { 0, 0 };
	uint32_t func = function_of(x, clean(x, pp_slice_z(PP_XD_INTERNAL)), x->main, 0);
	pp_node root;

	put_header(x, false);
	for (root = x->stacks.first[0]; root && func; root = x->stacks.next[root])
		put_subtree(x, root, ignored);
	if (!x->p->complete)
		return;
	x->w->loss.made |= PP_HAS(ROOTS);
	put_record(x, 0, func, sum);
	put_summary(x, sum, true);
}

static void
put_all(struct xd_write *x)
{
	uint64_t mains = 0, left, again;
	pp_node root;
	int64_t sum[COLUMNS];
	bool first = true;

	for (root = x->stacks.first[0]; root; root = x->stacks.next[root])
		mains += is_main(x, root) ? 1 + x->stacks.again[root] : 0;
	if (mains == 0) {
		put_without_main(x);
		return;
	}
	for (left = mains, root = x->stacks.first[0]; root; root = x->stacks.next[root]) {
		if (!is_main(x, root))
			continue;
		again = x->stacks.again[root];
		x->stacks.again[root] = 0;
		sum[0] = sum[1] = 0;
		put_header(x, mains > 1);
		if (first)
			put_others(x, true, sum);
		put_subtree(x, root, sum);
		if (first)
			put_others(x, false, sum);
		put_summary(x, sum, --left == 0);
		first = false;
		for (; again > 0 && x->w->out->status == PP_OK; again--)
			put_empty_main(x, pp_tree_frame(&x->stacks.tree, root), --left == 0);
	}
}

/* ---- the whole -------------------------------------------------------------------------- */

static void
stacks_release(struct stacks *t)
{
	if (t->ready)
		pp_tree_release(&t->tree);
	free(t->own);
	free(t->inclusive);
	free(t->again);
	free(t->first);
	free(t->next);
}

static int64_t
site_cost(void *ctx, unsigned column, size_t row)
{
	struct xd_write *x = ctx;
	size_t metric = x->columns.metric[column];

	return metric == NO_METRIC
	           ? 0
	           : column_value(x, column,
	                          pp_cell_value(&x->p->metrics.at[metric],
	                                        pp_edge_cell(x->p, row, 1 + metric)));
}

static bool
prepare(struct xd_write *x)
{
	uint32_t *func_of;
	pp_node *map = calloc(x->p->tree.n, sizeof *map), rootless = 0;
	size_t i;
	bool ok;

	x->stacks.measured = x->p->series.n > 0;
	for (i = 0; i < x->p->series.n; i++)
		x->stacks.measured &= x->p->series.at[i].measured;
	ok = map && pp_cg_emit_init(&x->text, x->p, x->w->out) &&
	     pp_strtab_init(&x->known, x->p->strs.seed) &&
	     pp_vec_push(&x->funcs, (struct written){ 0 });
	func_of = ok ? functions_make(x) : NULL;
	if (ok) {
		x->main = clean(x, pp_slice_z(PP_XD_MAIN));
		x->text.first_file = clean(x, pp_slice_z(PP_XD_INTERNAL));
	}
	ok = ok && func_of && tree_make(x, func_of, map) &&
	     pp_sites_init(&x->sites, x->p,
	                   &(struct pp_sites_by){ func_of, COLUMNS, site_cost, x });
	for (i = 0; ok && i < x->p->series.n; i++) {
		const struct pp_series *s = &x->p->series.at[i];
		uint32_t row;

		for (row = 0; row < s->rows && (!s->dense || row == 0); row++)
			if (pp_series_node(s, row) == 0 && pp_series_present(s, row) && !rootless)
				ok = (rootless = no_stack(x)) != 0;
	}
	ok = ok && tree_costs(x, map, rootless);
	if (ok) {
		tree_calls(x);
		tree_sum(x);
	}
	x->too_large = ok && sums_too_large(x);
	ok = ok && tree_sort(x) && !x->text.failed;
	x->w->loss.rounded = x->w->loss.too_large = 0;
	x->text.failed |= !ok;
	free(func_of);
	free(map);
	return ok;
}

pp_status
pp_xdebug_write(struct pp_writer *w)
{
	struct xd_write x = { .w = w, .p = w->profile };
	pp_status status = PP_E_NOMEM;

	if (w->profile->metrics.n == 0 || !(w->profile->facets & PP_TREE))
		return PP_E_UNSUPPORTED;
	choose_columns(&x);
	note_columns(&x);
	if (prepare(&x) && x.too_large) {
		pp_diag_add(w->diags, &pp_loss_rules[PP_LOSS_VALUES], PP_NOWHERE,
		            "the values add up to more than 63 bits, so no file can hold them");
		status = PP_E_LIMIT;
	} else if (!x.text.failed && x.stacks.next) {
		put_all(&x);
		w->loss.more[PP_TRAIT_SITES] += (int64_t)pp_sites_lost(&x.sites,
		                                                       w->loss.rounded > 0);
		status = x.text.failed ? PP_E_NOMEM : PP_OK;
	}
	w->loss.names = x.text.changed;
	pp_cg_emit_release(&x.text);
	pp_strtab_release(&x.known);
	pp_sites_release(&x.sites);
	pp_vec_release(&x.funcs);
	stacks_release(&x.stacks);
	return status;
}
