/*
 * Xdebug files of any version, line by line: records are collected, then claimed by their callers.
 *
 * A record with k calls takes the last k unclaimed records as children; names must match pairwise. What is
 * left at the end are the roots: {main}, then shutdown functions, destructors and handlers. The
 * inclusive cost of a call is the number on its caller's call line, as measured; only for roots it is own
 * cost plus calls. Going backwards over the records is a pre-order walk of the calls.
 */
#include "formats/valgrind/xdebug.h"

#include <stdlib.h>

#define NONE UINT32_MAX
/* Steps that matching by name may take in all: damage must not cost quadratic time. */
#define SEARCH_BUDGET ((uint64_t)1 << 26)

struct record {
	pp_func func;
	uint32_t part;
	uint32_t line;
	uint32_t calls;  /* how many */
	size_t first;    /* the first of them */
	size_t cells;    /* where its own costs are, */
	uint32_t width;  /* and how many */
	uint32_t parent; /* record, or NONE */
	size_t claim;    /* the call line that claims it, or SIZE_MAX */
	bool dropped;
	uint64_t at; /* line of the file */
};

struct call {
	pp_func callee;
	pp_str name;
	uint32_t line;
	uint64_t count;
	size_t cells;
	uint32_t width;
	bool claimed; /* there is a record of it */
};

struct reading {
	PP_VEC(struct record) records;
	PP_VEC(struct call) calls;
	PP_VEC(int64_t) cells;
	pp_str main;
	PP_VEC(uint32_t) pending; /* records nobody claimed yet */
	PP_VEC(uint32_t) path;    /* from the root to the current record */
	pp_frame *frame_of;       /* by function */
	uint32_t *active;         /* by function: how often it is on the path */
	uint64_t searched;
	uint64_t too_large; /* the line of the last record whose costs passed 63 bits in a sum */
};

static void
reading_release(struct reading *r)
{
	pp_vec_release(&r->records);
	pp_vec_release(&r->calls);
	pp_vec_release(&r->cells);
	pp_vec_release(&r->pending);
	pp_vec_release(&r->path);
	free(r->frame_of);
	free(r->active);
}

/* ---- collecting ------------------------------------------------------------------------- */

static void
report(struct pp_cg_parser *p, enum pp_xdebug_rule rule, uint64_t line, const char *text)
{
	pp_diag_add(p->reader->diags, &pp_xdebug_rules[rule],
	            line ? pp_at_line(line, 1, PP_NO_OFFSET) : PP_NOWHERE, "%s", text);
}

/* Copies a vector of costs; SIZE_MAX when out of memory. */
static size_t
cells_keep(struct pp_cg_parser *p, struct reading *r, const int64_t *costs)
{
	size_t n = p->builder->profile->metrics.n, at = r->cells.n;

	if (!pp_vec_reserve(&r->cells, at + n)) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return SIZE_MAX;
	}
	if (costs)
		memcpy(r->cells.at + at, costs, n * sizeof *costs);
	else
		memset(r->cells.at + at, 0, n * sizeof *costs);
	r->cells.n += n;
	return at;
}

static void
on_function(struct pp_cg_parser *p)
{
	struct reading *r = p->ctx;
	struct record record = { .parent = NONE, .claim = SIZE_MAX };

	if (p->head.part == 0 || !pp_cg_part(p)->has_events)
		return;
	record.func = pp_cg_func(p);
	record.part = p->head.part;
	record.first = r->calls.n;
	record.cells = cells_keep(p, r, NULL);
	record.width = (uint32_t)p->builder->profile->metrics.n;
	record.at = p->at.line;
	if (r->records.n >= NONE - 1 || !pp_vec_push(&r->records, record))
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	if (p->place.function == r->main)
		pp_cg_part(p)->has_main = true;
}

static struct record *
last_record(struct pp_cg_parser *p)
{
	struct reading *r = p->ctx;

	if (r->records.n && r->records.at[r->records.n - 1].part == p->head.part)
		return &r->records.at[r->records.n - 1];
	(void)pp_cg_func(p); /* costs without a function: says so and names one */
	on_function(p);
	return pp_builder_ok(p->builder) ? &r->records.at[r->records.n - 1] : NULL;
}

static void
on_own(struct pp_cg_parser *p, const struct pp_cg_pos *pos, const int64_t *costs)
{
	struct reading *r = p->ctx;
	struct record *record = last_record(p);
	size_t m;

	if (!record)
		return;
	if (record->width < p->builder->profile->metrics.n) {
		/* Its fn= line stood before the events: line that names them all. */
		record->cells = cells_keep(p, r, NULL);
		record->width = (uint32_t)p->builder->profile->metrics.n;
		if (!pp_builder_ok(p->builder))
			return;
	}
	record->line = (uint32_t)pos->at[2];
	for (m = 0; m < p->builder->profile->metrics.n; m++)
		if (!pp_cell_add(PP_INT, &r->cells.at[record->cells + m], costs[m]))
			pp_cg_sum_report(p, m);
}

static void
on_call(struct pp_cg_parser *p, const struct pp_cg_call *call, const struct pp_cg_pos *pos,
        const int64_t *costs)
{
	struct reading *r = p->ctx;
	struct record *record = last_record(p);
	struct call c = {
		call->callee, call->name, (uint32_t)pos->at[2], call->count, 0, 0, false
	};

	if (!record)
		return;
	c.cells = cells_keep(p, r, costs);
	c.width = (uint32_t)p->builder->profile->metrics.n;
	if (!pp_vec_push(&r->calls, c))
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	else
		record->calls++;
}

static const struct pp_cg_visitor visitor = {
	.function = on_function,
	.own = on_own,
	.call = on_call,
};

/* ---- who called whom -------------------------------------------------------------------- */

static pp_str
record_name(struct pp_cg_parser *p, const struct reading *r, uint32_t i)
{
	return p->builder->profile->funcs.at[r->records.at[i].func].name;
}

/* Whether a record is one of those written again by a second exit(). */
static bool
is_repeated(const struct reading *r, const struct record *record, bool is_main)
{
	uint32_t k;

	if (is_main || r->cells.at[record->cells] >= PP_XD_EPOCH)
		return true;
	for (k = 0; k < record->calls; k++)
		if (r->cells.at[r->calls.at[record->first + k].cells] >= PP_XD_EPOCH)
			return true;
	return false;
}

/* The last k unclaimed records, if their names are those that the record lists. */
static bool
claim_last(struct pp_cg_parser *p, struct reading *r, uint32_t i)
{
	struct record *record = &r->records.at[i];
	size_t k, n = record->calls, from;

	if (n > r->pending.n)
		return false;
	from = r->pending.n - n;
	for (k = 0; k < n; k++)
		if (record_name(p, r, r->pending.at[from + k]) !=
		    r->calls.at[record->first + k].name)
			return false;
	for (k = 0; k < n; k++) {
		struct record *child = &r->records.at[r->pending.at[from + k]];

		child->parent = i;
		child->claim = record->first + k;
		r->calls.at[child->claim].callee = child->func;
		r->calls.at[child->claim].claimed = true;
	}
	r->pending.n = from;
	return true;
}

/* Damage: takes each call's record from the end by name, as far as there is one. */
static void
claim_by_name(struct pp_cg_parser *p, struct reading *r, uint32_t i)
{
	struct record *record = &r->records.at[i];
	size_t k, at = r->pending.n;

	for (k = record->calls; k-- > 0;) {
		pp_str name = r->calls.at[record->first + k].name;
		size_t j = at;

		while (j > 0 && record_name(p, r, r->pending.at[j - 1]) != name &&
		       r->searched++ < SEARCH_BUDGET)
			j--;
		if (j == 0 || r->searched >= SEARCH_BUDGET)
			continue;
		r->records.at[r->pending.at[j - 1]].parent = i;
		r->records.at[r->pending.at[j - 1]].claim = record->first + k;
		r->calls.at[record->first + k].claimed = true;
		memmove(r->pending.at + j - 1, r->pending.at + j,
		        (r->pending.n - j) * sizeof *r->pending.at);
		r->pending.n--;
		at = j - 1;
	}
}

/* Gives every record of a part its caller. */
static void
resolve_part(struct pp_cg_parser *p, struct reading *r, uint32_t from, uint32_t to)
{
	bool main_seen = false;
	uint32_t i;

	r->pending.n = 0;
	for (i = from; i < to && pp_builder_ok(p->builder); i++) {
		struct record *record = &r->records.at[i];
		bool is_main = record_name(p, r, i) == r->main;

		if (main_seen && is_repeated(r, record, is_main)) {
			record->dropped = true;
			report(p, PP_XD_REPEATED_EXIT, record->at,
			       "this call was recorded before; left out");
			continue;
		}
		main_seen |= is_main;
		if (!claim_last(p, r, i)) {
			report(p, PP_XD_MISMATCH, record->at,
			       "the calls of this record are not the records before it");
			p->builder->profile->complete = false;
			claim_by_name(p, r, i);
		}
		if (!pp_vec_push(&r->pending, i))
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	}
}

/* ---- building --------------------------------------------------------------------------- */

/* Says once for each record which sum its costs were left out of. */
static void
sum_report(struct pp_cg_parser *p, struct reading *r, const struct record *record, const char *what,
           struct pp_slice of)
{
	if (r->too_large == record->at)
		return;
	r->too_large = record->at;
	pp_diag_add(p->reader->diags, &pp_callgrind_rules[PP_CG_SUM_TOO_LARGE],
	            pp_at_line(record->at, 1, PP_NO_OFFSET), "%s %.*s passes 63 bits with this",
	            what, (int)(of.n < PP_CG_SHOWN ? of.n : PP_CG_SHOWN), (const char *)of.p);
	p->builder->profile->complete = false;
}

/* Adds the costs that a record has. */
static void
add_cells(struct pp_cg_parser *p, struct reading *r, const struct record *record, int64_t *to,
          const int64_t *from, size_t n)
{
	const struct pp_profile *profile = p->builder->profile;
	size_t m;

	for (m = 0; to && m < n; m++)
		if (!pp_cell_add(PP_INT, &to[m], from[m]))
			sum_report(p, r, record, "a sum of",
			           pp_text_of(profile, profile->metrics.at[m].name));
}

/* What a cost is added to, as far as it is not NULL. */
struct sums {
	int64_t *node;
	union pp_value *func, *whole;
};

static void
add_costs(struct pp_cg_parser *p, struct reading *r, const struct record *record,
          const struct sums *to, size_t from, size_t n)
{
	const int64_t *cells = r->cells.at + from;
	size_t m;

	add_cells(p, r, record, to->node, cells, n);
	for (m = 0; to->func && m < n; m++)
		to->func[m].i += cells[m];
	for (m = 0; to->whole && m < n; m++)
		to->whole[m].i += cells[m];
}

/* The measured cost of a call with all it called: on its caller's call line, or its own and its calls'. */
static void
add_inclusive(struct pp_cg_parser *p, struct reading *r, const struct record *record,
              const struct sums *to)
{
	uint32_t k;

	if (record->claim != SIZE_MAX) {
		const struct call *claim = &r->calls.at[record->claim];

		add_costs(p, r, record, to, claim->cells, claim->width);
		return;
	}
	add_costs(p, r, record, to, record->cells, record->width);
	for (k = 0; k < record->calls; k++) {
		const struct call *call = &r->calls.at[record->first + k];

		if (call->claimed)
			add_costs(p, r, record, to, call->cells, call->width);
	}
}

/* Walks the path to the caller of record i; false when it is too deep. */
static bool
path_step(struct pp_cg_parser *p, struct reading *r, uint32_t i)
{
	uint32_t parent = r->records.at[i].parent;

	while (r->path.n && r->path.at[r->path.n - 1] != parent) {
		r->active[r->records.at[r->path.at[r->path.n - 1]].func]--;
		r->path.n--;
	}
	if (r->path.n >= p->reader->limits.max_depth)
		pp_builder_fail(p->builder, PP_E_LIMIT, "a stack is too deep");
	if (!pp_vec_push(&r->path, i))
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	return pp_builder_ok(p->builder);
}

static pp_frame
frame_of(struct pp_cg_parser *p, struct reading *r, pp_func func)
{
	struct pp_frame_row frame = { .func = func };

	if (!r->frame_of[func])
		r->frame_of[func] = pp_build_frame(p->builder, &frame);
	return r->frame_of[func];
}

/* Adds one call to the tree and to its function. `node_of` is indexed by record. */
static void
build_record(struct pp_cg_parser *p, struct reading *r, uint32_t i, pp_node *node_of,
             uint32_t series)
{
	const struct record *record = &r->records.at[i];
	pp_node under = record->parent == NONE ? 0 : node_of[record->parent];
	struct pp_func_costs costs, whole;
	struct sums own = { 0 }, total = { 0 };

	if (!path_step(p, r, i))
		return;
	node_of[i] = pp_build_child(p->builder, under, frame_of(p, r, record->func));
	own.node = pp_build_cells(p->builder, series, node_of[i]);
	if (!pp_build_func_costs(p->builder, record->func, &costs) ||
	    !pp_build_func_costs(p->builder, 0, &whole))
		return;
	own.func = costs.own;
	own.whole = whole.own;
	add_costs(p, r, record, &own, record->cells, record->width);
	own.node[p->builder->profile->metrics.n]++;
	++*costs.calls;
	total.node = own.node + p->builder->profile->metrics.n + 1;
	if (r->active[record->func]++ == 0)
		total.func = costs.total;
	if (record->parent == NONE) {
		++*whole.calls;
		total.whole = whole.total;
	}
	add_inclusive(p, r, record, &total);
}

static void
build_edges(struct pp_cg_parser *p, struct reading *r, uint32_t from, uint32_t to, uint32_t series)
{
	uint32_t i, k;

	for (i = from; i < to && pp_builder_ok(p->builder); i++) {
		const struct record *record = &r->records.at[i];

		for (k = 0; !record->dropped && k < record->calls; k++) {
			const struct call *call = &r->calls.at[record->first + k];
			struct pp_edge_row row = { .caller = record->func,
				                   .callee = call->callee,
				                   .site_line = call->line,
				                   .series = series };
			int64_t *cells = pp_build_edge(p->builder, &row);
			int64_t count = (int64_t)call->count;

			if (!cells)
				return;
			if (!pp_cell_add(PP_INT, &cells[0], count))
				sum_report(p, r, record, "the number of calls to",
				           pp_text_of(p->builder->profile, call->name));
			add_cells(p, r, record, cells + 1, r->cells.at + call->cells, call->width);
		}
	}
}

/* The first line of functions for which all records agree; versions before 2.1.1 wrote the call site. */
static void
build_lines(struct pp_cg_parser *p, struct reading *r)
{
	struct pp_profile *profile = p->builder->profile;
	struct pp_xd_lines lines = { 0 };
	size_t i;

	for (i = 0; i < r->records.n && pp_builder_ok(p->builder); i++) {
		const struct record *record = &r->records.at[i];
		struct pp_func_row *func = &profile->funcs.at[record->func];
		pp_str creator = pp_cg_part_at(p, record->part)->creator;

		if (record->dropped)
			continue;
		if (pp_slice_eq_z(pp_text_of(profile, func->file), PP_XD_INTERNAL))
			func->flags |= PP_FUNC_INTERNAL;
		else
			pp_xd_lines_note(&lines, p->builder, record->func,
			                 pp_slice_starts(pp_text_of(profile, creator), "xdebug")
			                     ? record->line
			                     : PP_XD_LINES);
	}
	pp_xd_lines_settle(&lines, p->builder);
}

/* Puts the calls of one part into the profile. */
static void
build_part(struct pp_cg_parser *p, struct reading *r, uint32_t from, uint32_t to, pp_node *node_of)
{
	uint32_t i, series;

	p->head.part = r->records.at[from].part;
	pp_cg_series(p, true, true);
	series = pp_cg_part(p)->series;
	resolve_part(p, r, from, to);
	r->path.n = 0;
	for (i = to; i-- > from && pp_builder_ok(p->builder);) {
		if (r->records.at[i].dropped)
			continue;
		build_record(p, r, i, node_of, series);
		p->builder->profile->events++;
	}
	while (r->path.n)
		r->active[r->records.at[r->path.at[--r->path.n]].func]--;
	if (pp_order_needs(p->reader->order, PP_EDGES))
		build_edges(p, r, from, to, series);
}

static void
build_calls(struct pp_cg_parser *p, struct reading *r)
{
	pp_node *node_of = malloc((r->records.n + 1) * sizeof *node_of);
	struct pp_profile *profile = p->builder->profile;
	size_t funcs = profile->funcs.n;
	struct pp_func_costs whole;
	uint32_t from = 0, to;

	r->active = calloc(funcs, sizeof *r->active);
	r->frame_of = calloc(funcs, sizeof *r->frame_of);
	if (!node_of || !r->active || !r->frame_of)
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	(void)pp_build_func_costs(p->builder, 0, &whole);
	for (; from < r->records.n && pp_builder_ok(p->builder); from = to) {
		for (to = from;
		     to < r->records.n && r->records.at[to].part == r->records.at[from].part;)
			to++;
		/* A part that was cut before its first cost has no lines to go by. */
		if (pp_cg_part_at(p, r->records.at[from].part)->has_body)
			build_part(p, r, from, to, node_of);
	}
	free(node_of);
	if (pp_builder_ok(p->builder))
		build_lines(p, r);
	profile->costs.stated = profile->costs.measured = true;
	profile->facets |= PP_TREE;
}

/* ---- aggregate files -------------------------------------------------------------------- */

/* The function of that name that has a record; the call line's own guess if there is none. */
static pp_func
function_by_name(struct pp_map *by_name, const struct call *call)
{
	uint32_t func = pp_map_get(by_name, call->name);

	return func == PP_MAP_NONE ? call->callee : func;
}

/* Own costs as lines; each pair of caller and callee once, for their numbers are repeated. */
static void
build_aggregate(struct pp_cg_parser *p, struct reading *r)
{
	struct pp_profile *profile = p->builder->profile;
	struct pp_map by_name = { .seed = p->reader->seed };
	size_t i, m;
	uint32_t k;

	report(p, PP_XD_AGGREGATE, 0, "the file was written in aggregate mode");
	for (i = 0; i < r->records.n; i++)
		if (!pp_map_set(&by_name, record_name(p, r, (uint32_t)i), r->records.at[i].func))
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	p->head.part = 1;
	pp_cg_series(p, false, false);
	for (i = 0; i < r->records.n && pp_builder_ok(p->builder); i++) {
		const struct record *record = &r->records.at[i];
		struct pp_line_row line = { .func = record->func,
			                    .line = record->line,
			                    .file = profile->funcs.at[record->func].file };

		add_cells(p, r, record, pp_build_line(p->builder, &line),
		          r->cells.at + record->cells, record->width);
		for (k = 0; k < record->calls; k++) {
			const struct call *call = &r->calls.at[record->first + k];
			struct pp_edge_row row = { .caller = record->func,
				                   .site_line = call->line,
				                   .callee = function_by_name(&by_name, call) };
			int64_t *cells = pp_build_edge(p->builder, &row);

			if (!cells)
				break;
			if ((int64_t)call->count > cells[0])
				cells[0] = (int64_t)call->count;
			for (m = 0; m < call->width; m++)
				if (r->cells.at[call->cells + m] > cells[1 + m])
					cells[1 + m] = r->cells.at[call->cells + m];
		}
	}
	pp_map_release(&by_name);
	profile->variant = pp_build_strz(p->builder, "aggregate");
	profile->lines.adds_up = true;
	profile->facets |= PP_EDGES | PP_LINES;
}

/* ---- the whole -------------------------------------------------------------------------- */

pp_status
pp_xd_records(struct pp_reader *reader, struct pp_builder *builder)
{
	struct reading r = { 0 };
	struct pp_cg_parser p = { .reader = reader,
		                  .builder = builder,
		                  .family = PP_CG_XDEBUG,
		                  .visitor = &visitor,
		                  .ctx = &r };
	uint64_t errors = pp_diags_total(reader->diags, PP_ERROR);
	pp_status status;

	r.main = pp_build_strz(builder, PP_XD_MAIN);
	status = pp_cg_parse(&p);
	if (status == PP_OK && builder->profile->metrics.n == 0) {
		pp_cg_report(&p, PP_CG_NO_EVENTS, NULL, "the file ends without an events: line");
		status = PP_E_INVALID;
	}
	if (status == PP_OK) {
		bool cut = p.at.cut || p.pending != PP_CG_OWN;

		if (pp_slice_eq_z(pp_text_of(builder->profile, p.head.parts.at[0].cmd),
		                  "Aggregate"))
			build_aggregate(&p, &r);
		else
			build_calls(&p, &r);
		if (pp_diags_total(reader->diags, PP_ERROR) > errors)
			builder->profile->complete = false;
		pp_xd_finish(&p, cut);
		status = builder->status;
	}
	reading_release(&r);
	pp_cg_parser_release(&p);
	return status;
}
