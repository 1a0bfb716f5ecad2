/*
 * The body: its sections, and how the first event line tells the layout.
 */
#include "formats/spx/read.h"

#include "base/num.h"
#include "text/units.h"

/* The first event is looked for in so many bytes. */
#define FIRST_LINES ((size_t)64 << 10)

/* ---- the layout ---- */

/* Whether a line can be an event: INDEX FLAG ..., or fields between bars. */
static bool
looks_like_event(struct pp_slice line)
{
	size_t i = line.p[0] == '-';

	if (memchr(line.p, '|', line.n)) {
		while (pp_is_digit(line.p[i]) || (unsigned)line.p[i] - 'a' <= 5)
			i++;
		return line.p[i] == '|';
	}
	for (i = 0; i < line.n && pp_is_digit(line.p[i]); i++)
		;
	return i && i + 1 < line.n && line.p[i] == ' ' && (line.p[i + 1] | 1) == '1' &&
	       (i + 2 == line.n || line.p[i + 2] == ' ');
}

/* The same lines as pp_spx_header_at() takes for headers: one CR may stand at the end. */
static bool
is_header(struct pp_slice line)
{
	line = pp_slice_chomp(line);
	return pp_slice_eq_z(line, "[functions]") || pp_slice_eq_z(line, "[events]");
}

/*
 * The first line that can be an event, else the first that is not empty. False when the section has no
 * line at all. Nothing is taken.
 */
static bool
first_event(struct pp_input *in, struct pp_slice *found)
{
	struct pp_slice rest, line;
	bool any = false;

	rest.n = pp_input_need(in, FIRST_LINES) ? FIRST_LINES : pp_input_left(in);
	rest.p = in->cur;
	*found = pp_slice_of(in->cur, 0);
	while (pp_slice_line(&rest, &line)) {
		if (is_header(line))
			return any;
		while (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (line.n && looks_like_event(line)) {
			*found = line;
			return true;
		}
		if (line.n && !any)
			*found = line;
		any |= line.n > 0;
	}
	return any || pp_input_left(in) > 0;
}

/* Decimals of a number, and whether it has any. */
static bool
decimals_of(struct pp_slice s, unsigned *scale)
{
	const unsigned char *point = s.n ? memchr(s.p, '.', s.n) : NULL;
	size_t n = point ? (size_t)(s.p + s.n - point) - 1 : 0, i;

	for (i = 0; i < n; i++)
		if ((unsigned)point[1 + i] - '0' > 9)
			return false;
	*scale = (unsigned)n;
	return n > 0 && n <= 9;
}

/* Columns whose first value has decimals have them throughout. */
static void
layout_decimals(struct spx_layout *layout, struct pp_slice line, unsigned char separator,
                size_t skip)
{
	struct pp_slice field;
	bool more = true;
	uint32_t column = 0;

	while (column < layout->columns && pp_slice_field(&line, separator, &more, &field)) {
		if (skip) {
			skip--;
			continue;
		}
		(void)pp_slice_take(&field, "a");
		layout->fixed[column] = decimals_of(field, &layout->scale[column]);
		if (!layout->fixed[column])
			layout->scale[column] = 0;
		column++;
	}
}

/*
 * The layout that the first event line shows. Lines of the 0.5 layout have one field more at a start
 * than at an end, but for builds of July 2025, which wrote no call sites: there the second field is the
 * first value, and that is absolute.
 */
static void
layout_find(struct spx_read *r, struct pp_slice line)
{
	struct spx_layout *layout = &r->doc.layout;
	size_t bars = pp_slice_count(line, '|'), blanks = pp_slice_count(line, ' '), columns;
	const unsigned char *bar = pp_slice_find(line, '|');
	bool end = line.n && line.p[0] == '-', event = line.n && looks_like_event(line);

	*layout = (struct spx_layout){ .bars = bars > 0 };
	if (layout->bars) {
		layout->sites = !(bar + 1 < line.p + line.n && bar[1] == 'a') || end;
		if (!end && r->meta->has_metrics && bars == r->meta->keys.n)
			layout->sites = false;
		columns = bars - (layout->sites && !end);
	} else {
		columns = blanks > 0 ? blanks - 1 : 0;
	}
	/* Garbage tells nothing. */
	if (columns > SPX_METRICS_MAX || !event)
		columns = r->meta->keys.n;
	layout->columns = (uint32_t)columns;
	if (r->columns.made && layout->columns > r->columns.n)
		layout->columns = r->columns.n;
	layout_decimals(layout, line, layout->bars ? '|' : ' ',
	                layout->bars ? 1u + (layout->sites && !end) : 2u);
	/* Only lines of more than 128 bytes are damaged; five values cannot make one. */
	layout->repair = !layout->bars && layout->columns > 5;
}

/* The columns of which gains are wanted. */
static void
layout_gains(struct spx_read *r)
{
	const struct pp_metric *metrics = r->b->profile->metrics.at;
	struct spx_layout *layout = &r->doc.layout;
	uint32_t g;

	layout->gains = pp_builder_ok(r->b) ? r->columns.gains : 0;
	layout->gain_columns = 0;
	for (g = 0; g < layout->gains; g++) {
		layout->gain_of[g] = metrics[r->columns.n + g].net;
		layout->gain_columns += layout->gain_of[g] < layout->columns;
	}
}

/* ---- sections ---- */

static pp_status
events_section(struct spx_read *r)
{
	struct pp_slice line;

	if (first_event(r->in, &line)) {
		/* A second document starts where the first has had its events. */
		if (r->doc.has_events)
			pp_spx_document_end(r);
		layout_find(r, line);
		r->doc.has_events = true;
		pp_spx_metrics_make(r, r->doc.layout.columns);
		if (r->doc.layout.columns > r->columns.n)
			r->doc.layout.columns = r->columns.n;
		pp_spx_document_begin(r);
	}
	r->doc.layout.metrics = r->columns.n;
	layout_gains(r);
	return pp_spx_events_read(r);
}

/* Lines of [functions], or of no section, up to the next header; r->header says which. */
static pp_status
lines_section(struct spx_read *r, bool names)
{
	struct pp_slice line;
	bool whole;
	size_t length;
	uint64_t outside = 0;

	while (pp_builder_ok(r->b)) {
		/* Within the names [functions] is a name like any other. */
		int header = pp_input_need(r->in, 1) && *r->in->cur == '['
		                 ? pp_spx_header_at(r->in, &length)
		                 : 0;

		if (header == 'e' || (header && !names)) {
			r->in->cur += length;
			r->found.lines++;
			r->header = header;
			break;
		}
		if (!pp_input_line(r->in, r->reader->limits.max_line, &line, &whole)) {
			r->header = 0;
			break;
		}
		r->found.lines++;
		if (names)
			pp_spx_name_add(r, line);
		else
			outside += line.n > 0;
		if (r->in->status == PP_E_LIMIT)
			return PP_E_LIMIT;
	}
	if (outside)
		pp_spx_find_lost(r, SPX_OUTSIDE, PP_NOWHERE, "%llu %s outside of any section",
		                 (unsigned long long)outside,
		                 pp_plural(outside, "line stands", "lines stand"));
	return r->b->status;
}

/* ---- the whole ---- */

static void
report_all(struct spx_read *r)
{
	struct pp_diags *diags = r->reader->diags;
	const struct spx_found *found = &r->found;
	uint64_t events = r->b->profile->events;

	if (found->short_lines + found->merged_lines)
		pp_spx_find_lost(
		    r, SPX_LINES_REPAIRED, found->damage,
		    "repaired: events with missing values (%llu), lines of two events (%llu)",
		    (unsigned long long)found->short_lines,
		    (unsigned long long)found->merged_lines);
	if (found->back < 0 && r->columns.time == 0)
		pp_diag_add(diags, &pp_spx_rules[SPX_TIME_BACK], PP_NOWHERE,
		            "the time of some events is before that of the event before");
	if (found->crlf)
		pp_diag_add(diags, &pp_spx_rules[SPX_CRLF], PP_NOWHERE, "lines end in CR LF");
	if (r->documents > 1)
		pp_diag_add(diags, &pp_spx_rules[SPX_FORKED], PP_NOWHERE,
		            "the body holds %llu reports: the process forked",
		            (unsigned long long)r->documents);
	if (r->meta->calls > 0 && events < (uint64_t)r->meta->calls * 2)
		pp_spx_find_lost(r, SPX_EVENTS_MISSING, PP_NOWHERE,
		                 "events: %llu, but calls that the metadata counts: %lld",
		                 (unsigned long long)events, (long long)r->meta->calls);
}

static void
read_release(struct spx_read *r)
{
	unsigned i;

	for (i = 0; r->chunks && i < 2 * r->room; i++) {
		free(r->chunks[i].text);
		pp_spx_walk_release(&r->chunks[i].walk);
	}
	free(r->chunks);
	free(r->cut.carry);
	pp_vec_release(&r->map);
	pp_spx_names_forget(&r->funcs);
	pp_vec_release(&r->funcs.used);
	pp_vec_release(&r->funcs.name_ends);
	pp_buf_release(&r->funcs.names);
}

static pp_status
read_sections(struct spx_read *r)
{
	pp_status status = lines_section(r, false);

	while (status == PP_OK && r->header) {
		if (r->header == 'e') {
			status = events_section(r);
		} else {
			/* A second list of functions belongs to another document. */
			if (r->doc.has_names)
				pp_spx_document_end(r);
			r->doc.has_names = true;
			status = lines_section(r, true);
		}
	}
	return status;
}

/* Whether the bytes ended for another reason than a cut or damaged container. */
static bool
is_broken(const struct pp_input *in)
{
	return in->status != PP_OK && in->status != PP_E_INVALID;
}

pp_status
pp_spx_body_read(struct pp_reader *reader, struct pp_input *in, struct pp_builder *b,
                 const struct spx_meta *meta)
{
	struct spx_read *r;
	pp_status status;

	if (!pp_input_need(in, 1) && !is_broken(in)) {
		pp_diag_add(reader->diags, &pp_spx_rules[SPX_BODY_EMPTY], PP_NOWHERE,
		            meta->there
		                ? "the body is empty: SPX aborted"
		                : "the file is empty: whatever was to write it wrote "
		                  "nothing, or has not finished; if it was SPX, it aborted");
		b->profile->complete = false;
		if (!meta->there)
			return PP_E_INVALID;
	}
	r = calloc(1, sizeof *r);
	if (!r)
		return PP_E_NOMEM;
	r->reader = reader;
	r->b = b;
	r->in = in;
	r->meta = meta;
	r->record = (reader->order->facets & PP_TIMELINE) != 0;
	r->sites = (reader->order->facets & (PP_SITES | PP_EXTRAS)) != 0;
	r->funcs.func_map.seed = r->funcs.frame_map.seed = reader->seed;
	status = read_sections(r);
	/* Of what could not be read there is nothing to say. */
	if (status == PP_OK && is_broken(in))
		status = in->status;
	if (status == PP_OK) {
		pp_spx_document_end(r);
		pp_spx_metrics_make(r, 0);
		b->profile->variant = pp_build_strz(b, r->doc.layout.bars ? "0.5" : "0.4");
		b->profile->producer = pp_build_strz(b, "php-spx");
		b->profile->holds |= PP_TIMELINE;
		b->profile->unread |= r->doc.layout.sites && !r->sites ? PP_HAS(STACK_SITES) : 0;
		report_all(r);
		status = b->status;
	}
	read_release(r);
	free(r);
	return status;
}
