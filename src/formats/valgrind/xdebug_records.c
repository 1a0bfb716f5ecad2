/*
 * Xdebug files of any version, line by line: records are collected, then claimed by their callers, and walked over
 * from the last to the first as the fast way does.
 *
 * A record with k calls takes the last k unclaimed records as children; names must match pairwise. What is
 * left at the end are the roots: {main}, then shutdown functions, destructors and handlers. Fibers have stacks of
 * their own, whose records lie between those of others: there the calls are looked for by name and cost.
 */
#include "formats/valgrind/xdebug_walk.h"

#include <stdlib.h>

#define NONE UINT32_MAX
/* Steps that matching by name may take in all: damage must not cost quadratic time. */
#define SEARCH_BUDGET ((uint64_t)1 << 26)

struct record {
	pp_func func;
	uint32_t part;
	uint32_t line;
	uint32_t calls; /* how many */
	size_t first;   /* the first of them */
	int64_t own[PP_XD_COLUMNS];
	int64_t gained[PP_XD_COLUMNS]; /* by it and what it called */
	uint64_t at;                   /* line of the file */
	bool claimed, dropped;
};

struct call {
	pp_func callee;
	pp_str name;
	uint32_t line;
	uint32_t record; /* of it, or NONE */
	uint64_t count;
	int64_t cost[PP_XD_COLUMNS];
};

struct reading {
	PP_VEC(struct record) records;
	PP_VEC(struct call) calls;
	pp_str main, fiber;
	PP_VEC(uint32_t) pending;       /* records nobody claimed yet; those to be walked */
	PP_VEC(struct pp_xd_call) list; /* of the record that is walked now */
	uint64_t searched;
	struct pp_xd_lines lines;
};

static void
reading_release(struct reading *r)
{
	pp_vec_release(&r->records);
	pp_vec_release(&r->calls);
	pp_vec_release(&r->pending);
	pp_vec_release(&r->list);
	pp_vec_release(&r->lines.of);
}

/* ---- collecting ------------------------------------------------------------------------- */

static void
report(struct pp_cg_parser *p, enum pp_xdebug_rule rule, uint64_t line, const char *text)
{
	pp_diag_add(p->reader->diags, &pp_xdebug_rules[rule],
	            line ? pp_at_line(line, 1, PP_NO_OFFSET) : PP_NOWHERE, "%s", text);
}

/* Says that a sum does not fit with a record, of a metric or of something else. */
static void
report_sum(struct pp_cg_parser *p, uint64_t line, const char *what, pp_str of)
{
	struct pp_slice name = pp_text_of(p->builder->profile, of);

	pp_diag_add(p->reader->diags, &pp_callgrind_rules[PP_CG_SUM_TOO_LARGE],
	            pp_at_line(line, 1, PP_NO_OFFSET), "%s %.*s exceeds 63 bits with this", what,
	            (int)(name.n < PP_CG_SHOWN ? name.n : PP_CG_SHOWN), (const char *)name.p);
	p->builder->profile->complete = false;
}

/* Costs by column; an event that is named twice has one. */
static void
by_column(struct pp_cg_parser *p, const int64_t *costs, int64_t *out)
{
	const struct pp_cg_part *part = pp_cg_part(p);
	uint32_t k;

	for (k = 0; k < PP_XD_COLUMNS; k++)
		out[k] = k < part->event_count && (k == 0 || part->events[k] != part->events[0])
		             ? costs[part->events[k]]
		             : 0;
}

static void
on_function(struct pp_cg_parser *p)
{
	struct reading *r = p->ctx;
	struct record record = { .part = p->head.part, .first = r->calls.n, .at = p->at.line };

	if (p->head.part == 0 || !pp_cg_part(p)->has_events)
		return;
	record.func = pp_cg_func(p);
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
	struct record *record = last_record(p);
	int64_t own[PP_XD_COLUMNS];
	unsigned k;

	if (!record)
		return;
	record->line = (uint32_t)pos->at[2];
	by_column(p, costs, own);
	for (k = 0; k < PP_XD_COLUMNS; k++)
		if (!pp_cell_add(PP_INT, &record->own[k], own[k]))
			pp_cg_sum_report(p, pp_cg_part(p)->events[k]);
}

static void
on_call(struct pp_cg_parser *p, const struct pp_cg_call *call, const struct pp_cg_pos *pos,
        const int64_t *costs)
{
	struct reading *r = p->ctx;
	struct record *record = last_record(p);
	struct call c = {
		call->callee, call->name, (uint32_t)pos->at[2], NONE, call->count, { 0 }
	};

	if (!record)
		return;
	by_column(p, costs, c.cost);
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

	if (is_main || record->own[0] >= PP_XD_EPOCH)
		return true;
	for (k = 0; k < record->calls; k++)
		if (r->calls.at[record->first + k].cost[0] >= PP_XD_EPOCH)
			return true;
	return false;
}

/* Call k of a record is pending record j. */
static void
claim(struct reading *r, const struct record *record, size_t k, size_t j)
{
	struct call *call = &r->calls.at[record->first + k];

	call->record = r->pending.at[j];
	call->callee = r->records.at[call->record].func;
	r->records.at[call->record].claimed = true;
}

/* Whether a call can have cost what its record says: what it did itself and called, each number rounded. */
static bool
is_cost_of(const struct reading *r, const struct call *call, const struct record *record)
{
	pp_i128 sum = record->own[0];
	uint32_t k;

	for (k = 0; k < record->calls; k++)
		sum += r->calls.at[record->first + k].cost[0];
	sum -= call->cost[0];
	return (sum < 0 ? -sum : sum) <= record->calls + 1;
}

/* Whether record i can be the call: by name and perhaps cost. */
static bool
can_be(struct pp_cg_parser *p, const struct reading *r, const struct call *call, uint32_t i,
       bool by_cost)
{
	return record_name(p, r, i) == call->name &&
	       (!by_cost || is_cost_of(r, call, &r->records.at[i]));
}

/* The last k unclaimed records, if they are those that the record lists. */
static bool
claim_last(struct pp_cg_parser *p, struct reading *r, uint32_t i, bool by_cost)
{
	struct record *record = &r->records.at[i];
	size_t k, n = record->calls, from;

	if (n > r->pending.n)
		return false;
	from = r->pending.n - n;
	for (k = 0; k < n; k++)
		if (!can_be(p, r, &r->calls.at[record->first + k], r->pending.at[from + k],
		            by_cost))
			return false;
	for (k = 0; k < n; k++)
		claim(r, record, k, from + k);
	r->pending.n = from;
	return true;
}

/* The last of the first n pending records that can be the call, + 1; 0 = none. */
static size_t
find_pending(struct pp_cg_parser *p, struct reading *r, const struct call *call, size_t n,
             bool by_cost)
{
	while (n > 0 && r->searched++ < SEARCH_BUDGET &&
	       !can_be(p, r, call, r->pending.at[n - 1], by_cost))
		n--;
	return r->searched < SEARCH_BUDGET ? n : 0;
}

/* Fibers, or damage: takes each call's record from the end, as far as there is one. Whether there was for all. */
static bool
claim_by_name(struct pp_cg_parser *p, struct reading *r, uint32_t i)
{
	struct record *record = &r->records.at[i];
	size_t k, at = r->pending.n;
	bool all = true;

	for (k = record->calls; k-- > 0;) {
		const struct call *call = &r->calls.at[record->first + k];
		size_t j = find_pending(p, r, call, at, true);

		j = j ? j : find_pending(p, r, call, at, false);
		all &= j > 0;
		if (j == 0)
			continue;
		claim(r, record, k, j - 1);
		memmove(r->pending.at + j - 1, r->pending.at + j,
		        (r->pending.n - j) * sizeof *r->pending.at);
		r->pending.n--;
		at = j - 1;
	}
	return all;
}

/* Gives every record of a part its caller. */
static void
resolve_part(struct pp_cg_parser *p, struct reading *r, uint32_t from, uint32_t to)
{
	bool main_seen = false, fibers = false;
	uint32_t i;

	r->pending.n = 0;
	for (i = from; i < to && pp_builder_ok(p->builder); i++) {
		struct record *record = &r->records.at[i];
		bool is_main = record_name(p, r, i) == r->main;

		fibers |= record_name(p, r, i) == r->fiber;
		if (main_seen && is_repeated(r, record, is_main)) {
			record->dropped = true;
			report(p, PP_XD_REPEATED_EXIT, record->at,
			       "this call was recorded before; left out");
			continue;
		}
		main_seen |= is_main;
		if (!claim_last(p, r, i, fibers) && (!claim_by_name(p, r, i) || !fibers)) {
			report(p, PP_XD_MISMATCH, record->at,
			       "the calls of this record are not the records before it");
			p->builder->profile->complete = false;
		}
		if (!pp_vec_push(&r->pending, i))
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	}
}

/* ---- walking ---------------------------------------------------------------------------- */

/* Walks over a record with those of its calls that have one; they are to be walked next, the last one first. */
static void
walk_record(struct pp_cg_parser *p, struct reading *r, struct pp_xd_walk *w, uint32_t i)
{
	const struct record *record = &r->records.at[i];
	const struct pp_cg_part *part = pp_cg_part(p);
	struct pp_xd_record token = {
		record->func, record->line, 0, { record->own[0], record->own[1] }
	};
	uint32_t k;

	r->list.n = 0;
	for (k = 0; k < record->calls; k++) {
		const struct call *call = &r->calls.at[record->first + k];
		struct pp_xd_call listed = { call->callee,
			                     call->line,
			                     { call->cost[0], call->cost[1] } };

		if (call->record != NONE &&
		    (!pp_vec_push(&r->list, listed) || !pp_vec_push(&r->pending, call->record)))
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	}
	token.calls = (uint32_t)r->list.n;
	w->odd = 0;
	if (pp_builder_ok(p->builder) && !pp_xd_walk_record(w, &token, r->list.at))
		pp_builder_fail(p->builder, w->status, PP_TOO_DEEP);
	if (w->odd & PP_XD_ODD_SUMS)
		report_sum(p, record->at, "a sum of",
		           p->builder->profile->metrics.at[part->events[!(w->odd & 1)]].name);
}

/* What Xdebug says of functions but for their costs; versions before 2.1.1 give the call site for the first line. */
static void
prepare_functions(struct pp_cg_parser *p, const struct reading *r, struct pp_xd_walk *w,
                  uint32_t from, uint32_t to)
{
	struct pp_profile *profile = p->builder->profile;
	bool sites = !pp_slice_starts(pp_text_of(profile, pp_cg_part(p)->creator), "xdebug");

	for (; from < to; from++) {
		pp_func func = r->records.at[from].func;

		w->sums.at[func].func = func;
		w->sums.at[func].lines_differ = sites;
		if (pp_slice_eq_z(pp_text_of(profile, profile->funcs.at[func].file),
		                  PP_XD_INTERNAL))
			profile->funcs.at[func].flags |= PP_FUNC_INTERNAL;
	}
}

static void
walk_part(struct pp_cg_parser *p, struct reading *r, uint32_t from, uint32_t to)
{
	struct pp_xd_walk w;
	uint32_t i;

	if (pp_xd_walk_init(&w, p, p->reader->order->facets & PP_TREE) &&
	    pp_xd_walk_slots(&w, p->builder->profile->funcs.n)) {
		prepare_functions(p, r, &w, from, to);
		r->pending.n = 0;
		for (i = from; i < to; i++)
			if (!r->records.at[i].claimed && !r->records.at[i].dropped &&
			    !pp_vec_push(&r->pending, i))
				pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		w.want_edges = false;
		while (r->pending.n && pp_builder_ok(p->builder))
			walk_record(p, r, &w, r->pending.at[--r->pending.n]);
		(void)pp_xd_build(p, &w, &r->lines, NULL);
	} else {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	}
	pp_xd_walk_release(&w);
}

/* Adds costs by column to cells of the profile's metrics. */
static void
add_columns(struct pp_cg_parser *p, const struct record *record, int64_t *cells,
            const int64_t *costs)
{
	const struct pp_cg_part *part = pp_cg_part_at(p, record->part);
	uint32_t k;

	for (k = 0; cells && k < part->event_count; k++)
		if (!pp_cell_add(PP_INT, &cells[part->events[k]], costs[k]))
			report_sum(p, record->at, "a sum of",
			           p->builder->profile->metrics.at[part->events[k]].name);
}

/* What calls gained, their own calls included: they stand before their callers. */
static void
gains_find(struct reading *r, uint32_t from, uint32_t to)
{
	uint32_t i, j, k;

	for (i = from; i < to; i++) {
		struct record *record = &r->records.at[i];

		for (k = 0; k < PP_XD_COLUMNS; k++)
			record->gained[k] = pp_cell_gained(PP_INT, record->own[k]);
		for (j = 0; j < record->calls; j++) {
			uint32_t called = r->calls.at[record->first + j].record;

			/* What does not fit was reported when it was walked. */
			for (k = 0; called < i && k < PP_XD_COLUMNS; k++)
				(void)pp_cell_add(PP_INT, &record->gained[k],
				                  r->records.at[called].gained[k]);
		}
	}
}

/* Adds what a call gained to its edge; of one that has no record, only what is left is known. */
static void
add_gains(struct pp_cg_parser *p, const struct reading *r, const struct call *call, int64_t *cells)
{
	const struct pp_profile *profile = p->builder->profile;
	const struct pp_cg_part *part = pp_cg_part(p);
	uint32_t k;

	for (k = 0; k < part->event_count && k < PP_XD_COLUMNS; k++) {
		size_t gained = pp_metric_gained(profile, part->events[k]);

		if (gained < profile->metrics.n && (k == 0 || part->events[k] != part->events[0]))
			(void)pp_cell_add(PP_INT, &cells[gained],
			                  call->record != NONE
			                      ? r->records.at[call->record].gained[k]
			                      : pp_cell_gained(PP_INT, call->cost[k]));
	}
}

/* Edges are all that is listed, recorded or not. */
static void
build_edges(struct pp_cg_parser *p, struct reading *r, uint32_t from, uint32_t to)
{
	uint32_t i, k;

	for (i = from; i < to && pp_builder_ok(p->builder); i++) {
		const struct record *record = &r->records.at[i];

		for (k = 0; !record->dropped && k < record->calls; k++) {
			const struct call *call = &r->calls.at[record->first + k];
			struct pp_edge_row row = { .caller = record->func,
				                   .callee = call->callee,
				                   .site_line = call->line,
				                   .series = pp_cg_part(p)->series };
			int64_t *cells = pp_build_edge(p->builder, &row);

			if (!cells)
				return;
			if (!pp_cell_add(PP_UINT, &cells[0], (int64_t)call->count))
				report_sum(p, record->at, "the number of calls to", call->name);
			add_columns(p, record, cells + 1, call->cost);
			add_gains(p, r, call, cells + 1);
		}
	}
}

static void
build_calls(struct pp_cg_parser *p, struct reading *r)
{
	struct pp_profile *profile = p->builder->profile;
	uint32_t from, to;

	(void)pp_build_gains(p->builder);
	for (from = 0; from < r->records.n && pp_builder_ok(p->builder); from = to) {
		p->head.part = r->records.at[from].part;
		for (to = from; to < r->records.n && r->records.at[to].part == p->head.part;)
			to++;
		/* A part that was cut before its first cost has no lines to go by. */
		if (!pp_cg_part(p)->has_body)
			continue;
		pp_cg_series(p, true, true);
		resolve_part(p, r, from, to);
		walk_part(p, r, from, to);
		gains_find(r, from, to);
		if (pp_order_needs(p->reader->order, PP_EDGES))
			build_edges(p, r, from, to);
	}
	pp_xd_lines_settle(&r->lines, p->builder);
	profile->costs.stated = profile->costs.measured = true;
	profile->facets |= pp_order_is_costs(p->reader->order) ? 0 : PP_TREE;
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
	size_t i;
	uint32_t k, m;

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

		const struct pp_cg_part *part = pp_cg_part_at(p, record->part);

		add_columns(p, record, pp_build_line(p->builder, &line), record->own);
		for (k = 0; k < record->calls; k++) {
			const struct call *call = &r->calls.at[record->first + k];
			struct pp_edge_row row = { .caller = record->func,
				                   .site_line = call->line,
				                   .callee = function_by_name(&by_name, call) };
			int64_t *cells = pp_build_edge(p->builder, &row);

			if (!cells)
				break;
			if (call->count > (uint64_t)cells[0])
				cells[0] = (int64_t)call->count;
			for (m = 0; m < part->event_count; m++)
				if (call->cost[m] > cells[1 + part->events[m]])
					cells[1 + part->events[m]] = call->cost[m];
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
	r.fiber = pp_build_strz(builder, "php::Fiber->start");
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
