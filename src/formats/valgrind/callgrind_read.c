/*
 * Callgrind, cachegrind and their kin: own costs become lines, calls become edges.
 *
 * Blocks of Valgrind's xtree hold one whole stack each, so they become a tree too.
 */
#include "formats/valgrind/callgrind_kept.h"

/* What the reader keeps between lines. */
struct cg_read {
	struct pp_cg_body *body; /* everything, for writing it back; or NULL */
	bool xtree;
	pp_node node; /* xtree: where the stack of the current block stands */
	uint32_t depth;
};

static void read_function(struct pp_cg_parser *);

static void
read_body(struct pp_cg_parser *p)
{
	struct cg_read *r = p->ctx;
	struct pp_slice creator = pp_text_of(p->builder->profile, pp_cg_part(p)->creator);

	pp_cg_series(p, false, false);
	if (pp_slice_starts(creator, "xtree") && p->reader->order->facets & PP_TREE) {
		r->xtree = true;
		read_function(p); /* its fn= line came before */
	}
}

/* xtree: each function of a block is called by the one before. */
static void
read_function(struct pp_cg_parser *p)
{
	struct cg_read *r = p->ctx;
	struct pp_frame_row frame = { 0 };

	if (!r->xtree)
		return;
	if (r->body)
		pp_cg_body_again(r->body); /* a function may call itself */
	frame.func = pp_cg_func(p);
	if (++r->depth > p->reader->limits.max_depth)
		pp_builder_fail(p->builder, PP_E_LIMIT, "a stack is too deep");
	r->node = pp_build_child(p->builder, r->node, pp_build_frame(p->builder, &frame));
}

static void
read_blank(struct pp_cg_parser *p)
{
	struct cg_read *r = p->ctx;

	r->node = 0;
	r->depth = 0;
	if (r->body && r->xtree)
		pp_cg_body_again(r->body);
}

/* xtree: adds a vector to a node; false (said) when a sum does not fit. */
static bool
node_add(struct pp_cg_parser *p, uint32_t series, pp_node node, const int64_t *costs)
{
	size_t m;

	for (m = 0; m < p->cost_bound; m++)
		if (!pp_build_add(p->builder, series, node, (uint32_t)m, costs[m])) {
			pp_cg_sum_report(p, m);
			return false;
		}
	return true;
}

static void
read_own(struct pp_cg_parser *p, const struct pp_cg_pos *pos, const int64_t *costs)
{
	struct cg_read *r = p->ctx;
	struct pp_line_row row = { .func = pp_cg_func(p),
		                   .file = p->place.current_file,
		                   .line = (uint32_t)pos->at[2],
		                   .series = pp_cg_part(p)->series,
		                   .address = pos->at[0] };
	struct pp_over over = { pp_cg_sum_report, p };
	bool fits = pp_build_line_add(p->builder, &row, costs, p->cost_bound, &over);

	if (r->xtree && p->cost_count && r->node)
		fits &= node_add(p, row.series, r->node, costs);
	if (r->body && fits)
		pp_cg_emit_own(pp_cg_body_place(r->body, p), pos, costs, p->cost_count);
}

static void
read_call(struct pp_cg_parser *p, const struct pp_cg_call *call, const struct pp_cg_pos *pos,
          const int64_t *costs)
{
	struct cg_read *r = p->ctx;
	struct pp_edge_row row = { .caller = pp_cg_func(p),
		                   .callee = call->callee,
		                   .site_line = (uint32_t)pos->at[2],
		                   .site_address = pos->at[0],
		                   .series = pp_cg_part(p)->series };
	struct pp_over over = { pp_cg_sum_report, p };

	if (p->place.current_file != p->place.file)
		row.site_file = p->place.current_file;
	if (pp_build_edge_add(p->builder, &row, call->count, costs, p->cost_bound, &over) &&
	    r->body)
		pp_cg_emit_call(pp_cg_body_place(r->body, p), call, pos, costs, p->cost_count);
}

static void
read_jump(struct pp_cg_parser *p, const struct pp_cg_jump *jump, const struct pp_cg_pos *pos)
{
	struct cg_read *r = p->ctx;

	if (r->body)
		pp_cg_emit_jump(pp_cg_body_place(r->body, p), jump, pos);
}

static void
read_outside(struct pp_cg_parser *p, uint64_t calls)
{
	struct cg_read *r = p->ctx;
	struct pp_edge_row row = { .callee = pp_cg_func(p), .series = pp_cg_part(p)->series };
	struct pp_over over = { pp_cg_sum_report, p };

	if (pp_build_edge_add(p->builder, &row, calls, NULL, 0, &over) && r->body)
		pp_cg_emit_outside(pp_cg_body_place(r->body, p), calls);
}

static void
read_other(struct pp_cg_parser *p, struct pp_slice line)
{
	struct cg_read *r = p->ctx;

	if (r->body)
		pp_cg_body_other(r->body, p, line);
}

static const struct pp_cg_visitor visitor = {
	.body = read_body,
	.function = read_function,
	.blank = read_blank,
	.own = read_own,
	.call = read_call,
	.jump = read_jump,
	.outside = read_outside,
	.other = read_other,
};

bool
pp_cg_ends_with_totals(struct pp_slice creator)
{
	return pp_slice_starts(creator, "callgrind-") || pp_slice_starts(creator, "polyprof");
}

/* Whether the last line was cut. Where sums say that all is there, only the end of that line is missing. */
static bool
end_is_cut(const struct pp_cg_parser *p)
{
	const struct pp_cg_part *last;

	if (!p->at.cut || p->head.parts.n == 0)
		return false;
	last = &p->head.parts.at[p->head.parts.n - 1];
	return !(last->has_totals || last->has_summary) ||
	       !pp_cg_sums_agree(p, last, last->has_totals ? last->totals : last->summary);
}

/* What the end of the file tells about its wholeness. */
static void
check_end(struct pp_cg_parser *p)
{
	struct pp_profile *profile = p->builder->profile;
	const struct pp_cg_part *first = p->head.parts.at, *part;
	const struct pp_cg_part *end = p->head.parts.n ? first + p->head.parts.n : first;
	bool whole = true, totals = false;

	/* Only the first part of a file says who wrote it. */
	if (p->head.parts.n)
		totals = pp_cg_ends_with_totals(pp_text_of(profile, first->creator));
	if (end_is_cut(p)) {
		pp_cg_report(p, PP_CG_CUT, NULL, "the last line is not ended");
		whole = false;
	}
	for (part = first; part < end; part++) {
		if (p->family == PP_CG_CACHEGRIND && part->cmd && !part->has_summary) {
			pp_diag_add(p->reader->diags,
			            &pp_cachegrind_rules[PP_CACHEGRIND_NO_SUMMARY], PP_NOWHERE,
			            "the file ends without a summary: line");
			whole = false;
		}
		if (!totals || part->has_totals)
			continue;
		pp_diag_add(p->reader->diags, &pp_callgrind_rules[PP_CG_NO_TOTALS], PP_NOWHERE,
		            "part %zu has no totals: line", (size_t)(part - first) + 1);
		whole = false;
	}
	profile->complete &= whole;
}

extern const struct pp_format pp_format_callgrind, pp_format_cachegrind;

/* Reads the file once. */
static pp_status
file_read(struct pp_reader *reader, struct pp_builder *builder, enum pp_cg_family family)
{
	struct cg_read r = { 0 };
	struct pp_cg_parser p = { .reader = reader,
		                  .builder = builder,
		                  .family = family,
		                  .visitor = &visitor,
		                  .ctx = &r };
	uint64_t errors = pp_diags_total(reader->diags, PP_ERROR);
	struct pp_profile *profile = builder->profile;
	pp_status status;

	if (reader->order->facets & PP_EXTRAS)
		r.body = pp_cg_body_new(builder);
	status = pp_cg_parse(&p);
	if (status == PP_OK && p.at.line && profile->metrics.n == 0) {
		pp_cg_report(&p, PP_CG_NO_EVENTS, NULL, "the file ends without an events: line");
		status = PP_E_INVALID;
	}
	if (status == PP_OK) {
		profile->format = family == PP_CG_CACHEGRIND ? &pp_format_cachegrind
		                                             : &pp_format_callgrind;
		profile->lines.adds_up = true;
		profile->facets |= family == PP_CG_CACHEGRIND ? PP_LINES : PP_LINES | PP_EDGES;
		check_end(&p);
		if (pp_diags_total(reader->diags, PP_ERROR) > errors)
			profile->complete = false;
		pp_cg_finish(&p);
		pp_cg_body_finish(r.body, &p);
		r.body = NULL;
		status = builder->status;
	}
	pp_cg_body_free(r.body);
	pp_cg_parser_release(&p);
	return status;
}

/*
 * Where costs per function are all that is ordered, a sum of one of them that exceeds 64 bits may be of places that
 * each fit. Which of them does not, the places tell: so it is read again with them. What moves cannot be, and is said.
 */
pp_status
pp_callgrind_read(struct pp_reader *reader, struct pp_builder *builder, enum pp_cg_family family)
{
	const unsigned char *begin = reader->in->cur;
	struct pp_diags *diags = reader->diags, first;
	pp_status status;
	bool again;

	if (!reader->in->stable || pp_builder_keeps(builder, PP_LINES))
		return file_read(reader, builder, family);
	pp_diags_init(&first);
	reader->diags = &first;
	status = file_read(reader, builder, family);
	reader->diags = diags;
	again = status == PP_OK && builder->overflowed;
	if (!again)
		pp_diags_append(diags, &first, 0);
	pp_diags_release(&first);
	if (!again)
		return status;
	reader->in->cur = begin;
	builder->order.facets |= PP_LINES | PP_EDGES;
	return pp_builder_restart(builder) ? file_read(reader, builder, family) : PP_E_NOMEM;
}
