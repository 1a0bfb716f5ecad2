/*
 * The body: its sections, and how the first event line tells the layout.
 */
#include "formats/spx/read.h"

#include "base/num.h"

/* The first event is looked for in so many bytes. */
#define FIRST_LINES ((size_t)64 << 10)

/* ---- the layout ---- */

static size_t
count_bytes(struct pp_slice s, unsigned char c)
{
	size_t n = 0, i;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* Whether a line can be an event: INDEX FLAG ..., or fields between bars. */
static bool
looks_like_event(struct pp_slice line)
{
	size_t i = line.p[0] == '-';

	if (memchr(line.p, '|', line.n)) {
		while ((unsigned)line.p[i] - '0' <= 9 || (unsigned)line.p[i] - 'a' <= 5)
			i++;
		return line.p[i] == '|';
	}
	for (i = 0; i < line.n && (unsigned)line.p[i] - '0' <= 9; i++)
		;
	return i && i + 1 < line.n && line.p[i] == ' ' && (line.p[i + 1] | 1) == '1' &&
	       (i + 2 == line.n || line.p[i + 2] == ' ');
}

/* The same lines as pp_spx_header_at() takes for headers: one CR may stand at the end. */
static bool
is_header(struct pp_slice line)
{
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	return pp_slice_eq_z(line, "[functions]") || pp_slice_eq_z(line, "[events]");
}

/*
 * The first line that can be an event, else the first that is not empty. False when the section has no
 * line at all. Nothing is taken.
 */
static bool
first_event(struct pp_input *in, struct pp_slice *found)
{
	const unsigned char *p, *end;
	bool any = false;

	(void)pp_input_need(in, FIRST_LINES);
	p = in->cur;
	end = p + (pp_input_left(in) < FIRST_LINES ? pp_input_left(in) : FIRST_LINES);
	*found = pp_slice_of(p, 0);
	while (p < end) {
		const unsigned char *newline = memchr(p, '\n', (size_t)(end - p));
		struct pp_slice line = pp_slice_of(p, (size_t)((newline ? newline : end) - p));

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
		p = newline ? newline + 1 : end;
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
	size_t column = 0, i = 0;

	for (; i < line.n && skip > 0; i++)
		skip -= line.p[i] == separator;
	for (; i <= line.n && column < layout->columns; column++) {
		const unsigned char *end = memchr(line.p + i, separator, line.n - i);
		size_t n = end ? (size_t)(end - line.p) - i : line.n - i;
		bool absolute = n && line.p[i] == 'a';

		layout->fixed[column] = decimals_of(
		    pp_slice_of(line.p + i + absolute, n - absolute), &layout->scale[column]);
		if (!layout->fixed[column])
			layout->scale[column] = 0;
		i += n + 1;
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
	struct spx_layout *layout = &r->layout;
	size_t bars = count_bytes(line, '|'), blanks = count_bytes(line, ' '), columns;
	const unsigned char *bar = bars ? memchr(line.p, '|', line.n) : NULL;
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
	if (r->metrics_made && layout->columns > r->metrics)
		layout->columns = r->metrics;
	layout_decimals(layout, line, layout->bars ? '|' : ' ',
	                layout->bars ? 1u + (layout->sites && !end) : 2u);
	/* Only lines of more than 128 bytes are damaged; five values cannot make one. */
	layout->repair = !layout->bars && layout->columns > 5;
}

/* ---- sections ---- */

static pp_status
events_section(struct spx_read *r)
{
	struct pp_slice line;

	if (first_event(r->in, &line)) {
		/* A second document starts where the first has had its events. */
		if (r->has_events)
			pp_spx_document_end(r);
		layout_find(r, line);
		r->has_events = true;
		pp_spx_metrics_make(r, r->layout.columns);
		r->layout.metrics = r->metrics;
		if (r->layout.columns > r->metrics)
			r->layout.columns = r->metrics;
		pp_spx_document_begin(r);
	}
	r->layout.metrics = r->metrics;
	return pp_spx_events_read(r);
}

static void
add_name(struct spx_read *r, struct pp_slice line)
{
	if (line.n && line.p[line.n - 1] == '\r') {
		line.n--;
		r->crlf = true;
	}
	if (line.n == 0)
		return;
	r->name_lines++;
	if (r->name_ends.n >= 65536 && r->name_ends.n > r->max_index)
		return;
	pp_buf_add(&r->names, line.p, line.n);
	if (r->names.failed || r->names.n > r->b->limits.max_memory ||
	    !pp_vec_push(&r->name_ends, r->names.n))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
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
			r->lines++;
			r->header = header;
			break;
		}
		if (!pp_input_line(r->in, r->reader->limits.max_line, &line, &whole)) {
			r->header = 0;
			break;
		}
		r->lines++;
		if (names)
			add_name(r, line);
		else
			outside += line.n > 0;
		if (r->in->status == PP_E_LIMIT)
			return PP_E_LIMIT;
	}
	if (outside) {
		pp_diag_add(r->reader->diags, &pp_spx_rules[SPX_OUTSIDE], PP_NOWHERE,
		            "%llu lines stand outside of any section", (unsigned long long)outside);
		pp_spx_lost(r);
	}
	return r->b->status;
}

/* ---- the whole ---- */

static void
report_all(struct spx_read *r)
{
	struct pp_diags *diags = r->reader->diags;
	struct pp_profile *p = r->b->profile;

	if (r->short_lines + r->merged_lines) {
		pp_diag_add(
		    diags, &pp_spx_rules[SPX_LINES_REPAIRED], r->damage,
		    "%llu events with missing values and %llu lines of two events were repaired",
		    (unsigned long long)r->short_lines, (unsigned long long)r->merged_lines);
		pp_spx_lost(r);
	}
	if (r->back && r->time_column == 0)
		pp_diag_add(diags, &pp_spx_rules[SPX_TIME_BACK], PP_NOWHERE,
		            "the time of some events is before that of the event before");
	if (r->crlf)
		pp_diag_add(diags, &pp_spx_rules[SPX_CRLF], PP_NOWHERE, "lines end in CR LF");
	if (r->documents > 1)
		pp_diag_add(diags, &pp_spx_rules[SPX_FORKED], PP_NOWHERE,
		            "the body holds %llu reports: the process forked",
		            (unsigned long long)r->documents);
	if (r->meta->calls > 0 && p->events < (uint64_t)r->meta->calls * 2) {
		pp_diag_add(diags, &pp_spx_rules[SPX_EVENTS_MISSING], PP_NOWHERE,
		            "there are %llu events, but the metadata counts %lld calls",
		            (unsigned long long)p->events, (long long)r->meta->calls);
		pp_spx_lost(r);
	}
}

static void
read_release(struct spx_read *r)
{
	unsigned which, i;

	for (which = 0; which < 2; which++) {
		for (i = 0; r->batch[which] && i < r->batch_cap; i++) {
			free(r->batch[which][i].text);
			pp_spx_walk_release(&r->batch[which][i].walk);
		}
		free(r->batch[which]);
	}
	free(r->carry);
	free(r->map);
	pp_vec_release(&r->used);
	pp_vec_release(&r->name_ends);
	pp_buf_release(&r->names);
	pp_map_release(&r->func_map);
	pp_map_release(&r->frame_map);
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
			if (r->has_names)
				pp_spx_document_end(r);
			r->has_names = true;
			status = lines_section(r, true);
		}
	}
	return status;
}

pp_status
pp_spx_body_read(struct pp_reader *reader, struct pp_input *in, struct pp_builder *b,
                 const struct spx_meta *meta)
{
	struct spx_read *r = calloc(1, sizeof *r);
	pp_status status;

	if (!r)
		return PP_E_NOMEM;
	r->reader = reader;
	r->b = b;
	r->in = in;
	r->meta = meta;
	r->record = (reader->want & PP_TIMELINE) != 0;
	r->sites = (reader->want & (PP_SITES | PP_EXTRAS)) != 0;
	r->func_map.seed = r->frame_map.seed = reader->seed;
	status = read_sections(r);
	if (status == PP_OK) {
		pp_spx_document_end(r);
		pp_spx_metrics_make(r, 0);
		b->profile->variant = pp_build_strz(b, r->layout.bars ? "0.5" : "0.4");
		b->profile->producer = pp_build_strz(b, "php-spx");
		b->profile->holds |= PP_TIMELINE;
		report_all(r);
		status = b->status;
	}
	read_release(r);
	free(r);
	return status;
}
