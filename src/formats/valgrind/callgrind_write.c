/*
 * Writing callgrind files: a callgrind file again, whole; or lines and edges; or a tree of stacks.
 */
#include "formats/valgrind/callgrind_kept.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/valgrind/callgrind_view.h"

/* ---- a callgrind file again ------------------------------------------------------------- */

static void
put_text(struct pp_sink *out, struct pp_slice text)
{
	pp_sink_write(out, text.p, text.n);
}

static void
put_header(struct pp_sink *out, const struct pp_profile *p, pp_str key, pp_str value)
{
	put_text(out, pp_text_of(p, key));
	pp_sink_puts(out, ": ");
	put_text(out, pp_text_of(p, value));
	pp_sink_putc(out, '\n');
}

/* The header of a part as it was read. */
static void
body_header(struct pp_writer *w, const struct pp_cg_body *body, size_t number)
{
	const struct pp_cg_part *part = &body->parts[number];
	size_t i;

	pp_sink_puts(w->out, number == 0 ? "# callgrind format\n" : "\n");
	for (i = part->first_header; i < body->header_count && body->headers[i].part == number + 1;
	     i++)
		put_header(w->out, w->profile, body->headers[i].key, body->headers[i].value);
	if (part->has_summary) {
		pp_sink_puts(w->out, "summary: ");
		put_text(w->out, pp_text_of(w->profile, part->summary));
		pp_sink_putc(w->out, '\n');
	}
}

/*
 * A file by somebody who ends it with totals says that it is incomplete by not doing so; of others it is lost.
 */
static bool
says_incomplete(struct pp_writer *w, struct pp_slice creator)
{
	if (w->profile->complete || !pp_cg_ends_with_totals(creator)) {
		w->loss.dropped |= PP_HAS(INCOMPLETE);
		return false;
	}
	w->loss.more[PP_TRAIT_INCOMPLETE] = -1;
	return true;
}

static pp_status
write_body(struct pp_writer *w, const struct pp_cg_body *body)
{
	pp_str creator = body->part_count ? body->parts[0].creator : 0;
	bool open_end = says_incomplete(w, pp_text_of(w->profile, creator));
	size_t i;

	for (i = 0; i < body->part_count; i++) {
		const struct pp_cg_part *part = &body->parts[i];

		body_header(w, body, i);
		put_text(w->out, pp_cg_body_text(body, i));
		if (!part->has_totals || (open_end && i + 1 == body->part_count))
			continue;
		pp_sink_puts(w->out, "\ntotals: ");
		put_text(w->out, pp_text_of(w->profile, part->totals));
		pp_sink_putc(w->out, '\n');
	}
	w->loss.verbatim = true;
	w->loss.names = body->changed;
	/* The lines of several stacks may be taken for those of one. */
	w->loss.dropped |= PP_HAS(STACKS);
	return PP_OK;
}

/* The text of a file that another format carried, which may have become incomplete since. */
static pp_status
write_carried(struct pp_writer *w, struct pp_slice text)
{
	static const char key[] = "\ncreator: ", totals[] = "\ntotals: ";
	const unsigned char *creator = memmem(text.p, text.n, key, sizeof key - 1);
	struct pp_slice by = pp_slice_of("", 0), line = text;

	if (creator)
		by = pp_slice_between(creator + sizeof key - 1, text.p + text.n);
	if (says_incomplete(w, by)) {
		const unsigned char *last = memrchr(text.p, '\n', text.n ? text.n - 1 : 0);

		line = last ? pp_slice_between(last, text.p + text.n) : text;
		text.n -= pp_slice_starts(line, totals) ? line.n - 1 : 0;
	}
	w->loss.verbatim = true;
	w->loss.dropped |= PP_HAS(STACKS);
	put_text(w->out, text);
	return w->out->status;
}

/* ---- lines and edges -------------------------------------------------------------------- */

/* Rows by function, in the order of the profile; row i of function f stands at [first[f], first[f + 1]). */
struct grouped {
	uint32_t *rows;
	size_t *first;
};

static pp_func
row_func(const struct pp_profile *p, size_t row, bool edges)
{
	return edges ? p->calls.rows.at[row].caller : p->lines.rows.at[row].func;
}

/* A counting sort; false when out of memory. */
static bool
group(struct grouped *g, const struct pp_profile *p, bool edges)
{
	size_t i, n = edges ? p->calls.rows.n : p->lines.rows.n;

	g->rows = calloc(n + 1, sizeof *g->rows);
	g->first = calloc(p->funcs.n + 2, sizeof *g->first);
	if (!g->rows || !g->first)
		return false;
	for (i = 0; i < n; i++)
		g->first[row_func(p, i, edges) + 1]++;
	for (i = 1; i <= p->funcs.n; i++)
		g->first[i] += g->first[i - 1];
	/* From the last row on, each goes to the end of its function's, which moves there. */
	for (i = n; i-- > 0;)
		g->rows[--g->first[row_func(p, i, edges) + 1]] = (uint32_t)i;
	for (i = 0; i <= p->funcs.n; i++)
		g->first[i] = g->first[i + 1];
	g->first[p->funcs.n] = n;
	return true;
}

/* Costs with a cell for each metric: as they are, or in `room`, which has only zeros before and after. */
static const int64_t *
cells_fill(struct pp_cells costs, int64_t *room)
{
	size_t i;

	if (!costs.column && costs.n)
		return costs.at;
	for (i = 0; i < costs.n; i++)
		room[pp_cells_column(&costs, i)] = costs.at[i];
	return room;
}

static void
cells_clear(struct pp_cells costs, int64_t *room)
{
	size_t i;

	for (i = 0; costs.column && i < costs.n; i++)
		room[pp_cells_column(&costs, i)] = 0;
}

/* The calls of an edge: from its site or, where it has none, from those that the profile states. */
static void
view_calls(struct pp_cg_emit *e, struct pp_cg_view *v, size_t edge, int64_t *room)
{
	const struct pp_profile *p = e->p;
	const struct pp_edge_row *row = &p->calls.rows.at[edge];
	const int64_t *costs = cells_fill(pp_edge_costs(p, edge), room);
	uint64_t calls = (uint64_t)pp_edge_cell(p, edge, 0);
	struct pp_site_share share = { .file = row->site_file,
		                       .line = row->site_line,
		                       .address = row->site_address,
		                       .calls = calls };
	bool shared = v->sites.at.n && !row->site_line && !row->site_address &&
	              pp_sites_ask(&v->sites, v->plain[row->caller], v->plain[row->callee], calls,
	                           costs);

	while (!shared || pp_sites_next(&v->sites, &share)) {
		struct pp_cg_pos pos = { { share.address, 0, share.line } };
		struct pp_cg_call call = { .callee = row->callee, .count = share.calls };

		call.target.at[2] = v->first_line[row->callee];
		pp_cg_emit_place(e, row->caller,
		                 share.file ? share.file : p->funcs.at[row->caller].file);
		pp_cg_emit_call(e, &call, &pos, shared ? share.costs : costs, p->metrics.n);
		if (!shared)
			return;
	}
}

static void
view_function(struct pp_cg_emit *e, struct pp_cg_view *v, const struct grouped *lines,
              const struct grouped *edges, pp_func func, int64_t *room)
{
	const struct pp_profile *p = e->p;
	size_t i, n = p->metrics.n;

	if (v->outside[func]) {
		pp_cg_emit_place(e, func, p->funcs.at[func].file);
		pp_cg_emit_outside(e, v->outside[func]);
	}
	for (i = lines->first[func]; i < lines->first[func + 1]; i++) {
		const struct pp_line_row *row = &p->lines.rows.at[lines->rows[i]];
		struct pp_cg_pos pos = { { row->address, 0, row->line } };

		pp_cg_emit_place(e, func, row->file);
		pp_cg_emit_own(e, &pos, cells_fill(pp_line_costs(p, lines->rows[i]), room), n);
		cells_clear(pp_line_costs(p, lines->rows[i]), room);
	}
	for (i = edges->first[func]; i < edges->first[func + 1]; i++) {
		view_calls(e, v, edges->rows[i], room);
		cells_clear(pp_edge_costs(p, edges->rows[i]), room);
	}
}

static bool
view_totals(struct pp_cg_emit *e)
{
	const struct pp_profile *p = e->p;
	union pp_value *sums = calloc(p->metrics.n + 1, sizeof *sums);
	char text[PP_NUM_MAX];
	size_t i, m;

	for (i = 0; sums && i < p->lines.rows.n; i++)
		pp_values_add_cells(p, sums, pp_line_costs(p, i));
	pp_sink_puts(e->out, "\ntotals:");
	for (m = 0; sums && m < p->metrics.n; m++) {
		pp_sink_putc(e->out, ' ');
		pp_sink_write(e->out, text, pp_num_print(text, sums[m].i, 0));
	}
	pp_sink_putc(e->out, '\n');
	free(sums);
	return sums != NULL;
}

/* A meta value of one line, as a header. */
static void
view_meta(struct pp_writer *w, const char *key)
{
	struct pp_slice value = pp_profile_meta(w->profile, key);
	struct pp_buf text = { 0 };
	bool changed;

	if (value.n && !pp_cg_clean(value, false, &text, &changed)) {
		pp_sink_fail(w->out, PP_E_NOMEM, 0);
	} else if (value.n) {
		w->loss.more[PP_TRAIT_METADATA]--;
		pp_sink_printf(w->out, "%s: ", key);
		pp_sink_write(w->out, text.p, text.n);
		pp_sink_putc(w->out, '\n');
	}
	pp_buf_release(&text);
}

static void
view_header(struct pp_writer *w, const struct pp_cg_view *v, unsigned positions)
{
	const struct pp_profile *p = v->profile;
	struct pp_sink *out = w->out;
	size_t m;

	pp_sink_puts(out, "# callgrind format\nversion: 1\ncreator: polyprof\n");
	view_meta(w, "cmd");
	pp_sink_puts(out, "part: 1\n");
	pp_sink_printf(out, "positions: %sline\n", positions & PP_CG_INSTR ? "instr " : "");
	for (m = 0; m < p->metrics.n; m++) {
		const struct pp_metric *metric = &p->metrics.at[m];

		if (!metric->title)
			continue;
		pp_sink_puts(out, "event: ");
		put_text(out, pp_text_of(p, metric->name));
		pp_sink_puts(out, " : ");
		put_text(out, pp_text_of(p, metric->title));
		pp_sink_putc(out, '\n');
	}
	pp_sink_puts(out, "events:");
	for (m = 0; m < p->metrics.n; m++) {
		pp_sink_putc(out, ' ');
		put_text(out, pp_text_of(p, p->metrics.at[m].name));
	}
	pp_sink_putc(out, '\n');
}

static pp_status
write_view(struct pp_writer *w, struct pp_cg_view *v)
{
	const struct pp_profile *p = v->profile;
	struct grouped lines = { 0 }, edges = { 0 };
	struct pp_cg_emit e;
	unsigned positions = PP_CG_LINE;
	pp_status status = PP_E_NOMEM;
	int64_t *room = calloc(p->metrics.n + 1, sizeof *room);
	size_t i;

	for (i = 0; i < p->lines.rows.n; i++)
		positions |= p->lines.rows.at[i].address ? PP_CG_INSTR : 0;
	for (i = 0; i < p->calls.rows.n; i++)
		positions |= p->calls.rows.at[i].site_address ? PP_CG_INSTR : 0;
	if (pp_cg_emit_init(&e, p, w->out) && pp_cg_emit_functions(&e) && group(&lines, p, false) &&
	    group(&edges, p, true) && room) {
		view_header(w, v, positions);
		e.typed = true;
		pp_cg_emit_part(&e, positions);
		for (i = 1; i < p->funcs.n && !e.failed && w->out->status == PP_OK; i++)
			view_function(&e, v, &lines, &edges, (pp_func)i, room);
		w->loss.more[PP_TRAIT_SITES] += (int64_t)pp_sites_lost(&v->sites,
		                                                       w->loss.rounded > 0);
		if (w->profile->complete)
			e.failed |= !view_totals(&e);
		status = e.failed ? PP_E_NOMEM : PP_OK;
	}
	free(room);
	free(lines.rows);
	free(lines.first);
	free(edges.rows);
	free(edges.first);
	pp_cg_emit_release(&e);
	return status;
}

pp_status
pp_callgrind_write(struct pp_writer *w)
{
	const struct pp_cg_body *body = pp_cg_body_of(w->profile);
	struct pp_slice carried = pp_cg_carried(w->profile);
	struct pp_cg_view v;
	pp_status status;

	if (carried.n)
		return write_carried(w, carried);
	if (body && w->profile->metrics.n)
		return write_body(w, body);
	status = pp_cg_view_init(&v, w, true);
	if (status == PP_OK)
		status = write_view(w, &v);
	pp_cg_view_release(&v);
	return status;
}
