/*
 * Reads perf script text line by line. A sample is open from its header on; its frames are collected
 * until an empty line, the next header or the end.
 */
#include "formats/perf/perf_script.h"

/* How often to tell how far reading is, in bytes. */
#define TELL_STEP ((size_t)8 << 20)

void
pp_perf_no_memory(struct pp_perf_reader *r)
{
	pp_builder_fail(r->builder, PP_E_NOMEM, NULL);
}

struct pp_place
pp_perf_place_of(const struct pp_perf_reader *r, const unsigned char *line, const unsigned char *at)
{
	return pp_at_line(r->line, (uint64_t)(at - line) + 1, pp_input_offset(r->reader->in, at));
}

void
pp_perf_refuse(struct pp_perf_reader *r, enum pp_perf_rule rule, const unsigned char *line,
               const unsigned char *at)
{
	r->counts.errors++;
	pp_diag_add(r->reader->diags, &pp_perf_rules[rule], pp_perf_place_of(r, line, at), "%s",
	            pp_perf_rules[rule].title);
}

/* ---- lines ------------------------------------------------------------------------------ */

/* A header, of a sample or record. */
static void
header_line(struct pp_perf_reader *r, struct pp_slice line, enum pp_perf_header_kind kind,
            const struct pp_perf_header *h)
{
	struct pp_perf_sample now;
	struct pp_slice rest = h->rest;
	bool fine;

	pp_perf_sample_close(r);
	r->loose.waits = r->cur.record = false;
	if (kind == PP_PERF_RECORD) {
		pp_perf_record_take(r, line, h);
		return;
	}
	r->counts.headers++;
	r->cur.headless = false;
	fine = pp_perf_header_take(r, line, h, &now);
	pp_perf_sample_open(r, &now, fine);
	if (fine && rest.n && pp_perf_rest_frame(&rest, h->event))
		r->cur.rest = pp_perf_frame_step(r, rest);
}

/* A line that can only be told by what follows: kept for then. */
static void
loose_line(struct pp_perf_reader *r, struct pp_slice line, const struct pp_perf_header *h)
{
	pp_perf_sample_close(r);
	r->cur.record = false;
	r->loose.waits = true;
	r->loose.comm = pp_build_str(r->builder, h->comm);
	r->loose.event = pp_build_str(r->builder, h->event);
	r->loose.ids = (struct pp_perf_ids){ h->pid, h->tid, h->cpu };
	r->loose.place = pp_perf_place_of(r, line.p, line.p);
}

/* The line kept is no header. */
static void
loose_refuse(struct pp_perf_reader *r)
{
	if (!r->loose.waits)
		return;
	r->loose.waits = false;
	r->counts.errors++;
	pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_LINE], r->loose.place, "%s",
	            pp_perf_rules[PP_PERF_LINE].title);
}

/* Opens the sample that a frame belongs to, if none is: false when there is none. */
static bool
frame_opens(struct pp_perf_reader *r, struct pp_slice line, bool alone)
{
	struct pp_profile *p = r->builder->profile;
	struct pp_perf_header h = { .pid = -1, .tid = -1, .cpu = -1 };
	struct pp_perf_sample now;
	bool fine;

	if (r->loose.waits) {
		h.comm = pp_text_of(p, r->loose.comm);
		h.event = pp_text_of(p, r->loose.event);
		h.pid = r->loose.ids.pid;
		h.tid = r->loose.ids.tid;
		h.cpu = r->loose.ids.cpu;
		r->counts.headers++;
	} else if (r->counts.headers || (!alone && !r->cur.blank)) {
		/* Where samples have headers, this one lost its own. */
		if (!r->cur.headless)
			pp_perf_refuse(r, PP_PERF_HEADER_MISSING, line.p, line.p);
		r->cur.headless = true;
		return false;
	}
	fine = pp_perf_header_take(r, line, &h, &now);
	pp_perf_sample_open(r, &now, fine);
	r->cur.single = alone && !r->counts.headers;
	return fine;
}

/* A frame; `text` is the line without blanks at its ends. */
static void
frame_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text, bool alone)
{
	struct pp_perf_step step;

	if (r->cur.single)
		pp_perf_sample_close(r);
	if (!r->cur.open && !frame_opens(r, line, alone))
		return;
	if (r->cur.refused)
		return;
	step = pp_perf_frame_step(r, text);
	if (step.entry && !pp_vec_push(&r->cur.steps, step))
		pp_perf_no_memory(r);
}

/* A source line, behind its frame. */
static void
place_line(struct pp_perf_reader *r, struct pp_slice text)
{
	if (r->cur.refused)
		return;
	if (r->cur.steps.n == 0 && r->cur.rest.entry) {
		if (!pp_vec_push(&r->cur.steps, r->cur.rest))
			pp_perf_no_memory(r);
		r->cur.rest.entry = 0;
	}
	if (r->cur.steps.n == 0)
		return;
	r->cur.steps.at[r->cur.steps.n - 1].place = pp_perf_place_entry(r, text, true);
	r->cur.uneven = true;
}

/* "Processed 4711 events and lost 3 chunks!" */
static void
message_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text)
{
	const unsigned char *lost = memmem(text.p, text.n, " lost ", 6);

	if (lost) {
		r->counts.lost++;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_LOST],
		            pp_perf_place_of(r, line.p, line.p), "perf says that it lost events");
		return;
	}
	pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_MESSAGE],
	            pp_perf_place_of(r, line.p, line.p), "%s",
	            pp_perf_rules[PP_PERF_MESSAGE].title);
}

/* Any line but an empty one or one of the common frames. */
static PP_NOINLINE void
other_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text)
{
	struct pp_perf_frame f;
	struct pp_perf_header h;
	enum pp_perf_header_kind kind;
	bool is_frame = pp_perf_frame_parse(text, &f);

	if (line.p[0] == '\t' && r->cur.record)
		return; /* records may go on in further lines */
	if (line.p[0] == '\t' && is_frame) {
		frame_line(r, line, text, false);
		return;
	}
	kind = pp_perf_header_parse(line, &h);
	if (kind == PP_PERF_SAMPLE || kind == PP_PERF_RECORD) {
		loose_refuse(r);
		header_line(r, line, kind, &h);
	} else if (is_frame && (line.p[0] == ' ' || (r->cur.open && f.dso.n))) {
		frame_line(r, line, text, line.p[0] == ' ');
	} else if (r->cur.open && (r->cur.steps.n || r->cur.rest.entry) && line.n > 2 &&
	           line.p[0] == ' ' && line.p[1] == ' ' && line.p[2] != ' ') {
		place_line(r, text);
	} else if (r->cur.open && pp_perf_is_detail(line, text)) {
		r->counts.details_line = r->counts.details++ ? r->counts.details_line : r->line;
	} else if (pp_perf_is_message(text)) {
		message_line(r, line, text);
	} else if (kind == PP_PERF_LOOSE && line.p[0] != '\t') {
		loose_refuse(r);
		loose_line(r, line, &h);
	} else {
		loose_refuse(r);
		pp_perf_refuse(r, PP_PERF_LINE, line.p, text.p);
	}
}

/* The common lines of a sample: frames, and source lines that were there before. False for others. */
static inline bool
common_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text)
{
	struct pp_perf_step step;
	uint32_t place;

	if (!r->cur.open || r->cur.refused || r->cur.single)
		return false;
	if (line.p[0] == '\t') {
		step = pp_perf_frame_step(r, text);
		if (step.entry && !pp_vec_push(&r->cur.steps, step))
			pp_perf_no_memory(r);
		return step.entry != 0;
	}
	if (r->cur.steps.n == 0 || line.n < 3 || line.p[0] != ' ' || line.p[1] != ' ' ||
	    line.p[2] == ' ')
		return false;
	place = pp_perf_place_entry(r, text, false);
	if (place) {
		r->cur.steps.at[r->cur.steps.n - 1].place = place;
		r->cur.uneven = true;
	}
	return place != 0;
}

/* Takes one line, without its newline. */
static inline void
line_take(struct pp_perf_reader *r, struct pp_slice line)
{
	struct pp_slice text = pp_perf_trim(line);

	r->line++;
	if (text.n == 0) {
		loose_refuse(r);
		pp_perf_sample_close(r);
		r->cur.record = r->cur.headless = false;
		r->cur.blank = true;
	} else if (!common_line(r, line, text)) {
		if (line.p[0] == '#' && (line.n == 1 || pp_perf_blank(line.p[1])))
			pp_perf_meta_line(&r->meta, line);
		else
			other_line(r, line, text);
	}
}

/* ---- the input -------------------------------------------------------------------------- */

/* The sample that another thread found where reading is; NULL when there is none. */
static inline const struct pp_perf_found *
found_here(struct pp_perf_reader *r)
{
	struct pp_perf_ahead *a = &r->ahead;

	while (a->next < a->end && a->next->line.p < r->reader->in->cur)
		a->next++;
	/* While a sample is open, what looks like a header may be something else. */
	return a->next < a->end && a->next->line.p == r->reader->in->cur && !r->cur.open ? a->next++
	                                                                                 : NULL;
}

/* Takes the line that reading is at; false when it has no end. */
static inline bool
line_next(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	const struct pp_perf_found *found = found_here(r);
	const unsigned char *stop;

	if (found) {
		r->line++;
		loose_refuse(r);
		header_line(r, found->line, PP_PERF_SAMPLE, &found->header);
		in->cur = found->text.p;
	} else {
		stop = memchr(in->cur, '\n', pp_input_left(in));
		if (!stop)
			return false;
		if (PP_UNLIKELY((size_t)(stop - in->cur) > r->reader->limits.max_line))
			pp_builder_fail(r->builder, PP_E_LIMIT, "a line is too long");
		line_take(r, pp_slice_between(in->cur, stop));
		in->cur = stop + 1;
	}
	if (r->cur.open && r->cur.sample.line == r->line)
		pp_perf_chain_take(r, found);
	return true;
}

bool
pp_perf_lines_take(struct pp_perf_reader *r, const unsigned char *end)
{
	struct pp_input *in = r->reader->in;
	const unsigned char *told = in->cur;

	while (in->cur < end && line_next(r)) {
		if (PP_UNLIKELY((size_t)(in->cur - told) > TELL_STEP)) {
			told = in->cur;
			if (r->reader->progress && r->reader->progress(r->reader))
				pp_builder_fail(r->builder, PP_E_IO, NULL);
			if (in->forget)
				in->forget(in, told - TELL_STEP, told);
		}
		if (PP_UNLIKELY(!pp_builder_ok(r->builder)))
			return false;
	}
	return true;
}

/* Whether frames end in a dso: the last of the sample being read, or else the first of the file. */
static bool
frames_have_dso(const struct pp_perf_reader *r)
{
	if (r->cur.steps.n)
		return pp_perf_entry_has_dso(r, r->cur.steps.at[r->cur.steps.n - 1].entry);
	return r->entries.list.n > 1 && pp_perf_entry_has_dso(r, 1);
}

/*
 * The end. A last line without newline, and a header whose stack is missing, were cut: what is known of
 * such a sample would be wrong. A stack that no empty line ends may be whole, and is used; nobody knows.
 */
static void
end_take(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	struct pp_slice line = pp_slice_of(in->cur, pp_input_left(in)), text = pp_perf_trim(line);
	bool cut = in->status != PP_OK;
	/* What is no sample is whole only with its newline. */
	bool record = text.n && memmem(text.p, text.n, "PERF_RECORD_", 12);

	if (text.n && !cut) {
		bool had_dso = frames_have_dso(r);

		line_take(r, line);
		cut = r->cur.open && (r->cur.steps.n ? had_dso && !frames_have_dso(r)
		                                     : r->cur.has_chains && !r->cur.rest.entry);
	} else if (!cut) {
		/* A tab that nothing follows was to be a frame. */
		cut = r->cur.open && !r->cur.refused &&
		      ((line.n && line.p[0] == '\t') ||
		       (r->cur.has_chains && r->cur.steps.n == 0 && !r->cur.rest.entry));
	}
	in->cur = in->end;
	loose_refuse(r);
	if (cut && in->status == PP_OK && !r->cur.refused) {
		pp_perf_refuse(r, PP_PERF_CUT, line.p, line.p);
	} else if (r->cur.open && !r->cur.refused && in->status == PP_OK &&
	           (text.n || (r->cur.steps.n && !r->cur.single))) {
		r->counts.unended = true;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_END],
		            pp_at_line(r->cur.sample.line, 1, r->cur.sample.offset), "%s",
		            pp_perf_rules[PP_PERF_END].title);
	} else if (record && in->status == PP_OK) {
		r->counts.unended = true;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_END], PP_NOWHERE,
		            "the last record has no newline: the file may be cut");
	}
	if (cut)
		r->cur.open = false;
	pp_perf_sample_close(r);
}

static pp_status
input_take(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	size_t searched = 0; /* unread bytes known to hold no newline */
	pp_status status;

	if (pp_input_need(in, 3) && memcmp(in->cur, "\xef\xbb\xbf", 3) == 0)
		in->cur += 3;
	status = pp_perf_ahead_read(r);
	if (status != PP_OK && status != PP_E_UNSUPPORTED)
		return status;
	for (;;) {
		if (memchr(in->cur + searched, '\n', pp_input_left(in) - searched) &&
		    !pp_perf_lines_take(r, in->end))
			return r->builder->status;
		if (in->at_end)
			break;
		if (r->reader->progress && r->reader->progress(r->reader))
			return PP_E_IO;
		searched = pp_input_left(in);
		if (searched > r->reader->limits.max_line) {
			pp_builder_fail(r->builder, PP_E_LIMIT, "a line is too long");
			return PP_E_LIMIT;
		}
		(void)pp_input_need(in, searched + 1);
	}
	end_take(r);
	return r->builder->status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static void
reader_free(struct pp_perf_reader *r)
{
	pp_perf_entries_release(r);
	pp_perf_chains_release(r);
	pp_perf_meta_release(&r->meta);
	pp_map_release(&r->frames.pair_frames);
	pp_map_release(&r->frames.inline_of);
	pp_map_release(&r->frames.linked);
	pp_vec_release(&r->frames.links);
	pp_map_release(&r->records.pid_of);
	pp_map_release(&r->records.build_ids);
	pp_perf_switches_release(&r->records.switches);
	pp_map_release(&r->threads.event_of);
	pp_map_release(&r->threads.series_of);
	pp_vec_release(&r->threads.events);
	pp_vec_release(&r->threads.series);
	pp_vec_release(&r->frames.stack);
	pp_vec_release(&r->cur.steps);
	free(r);
}

/* Options and orders; false when an option has no such value. */
static bool
reader_init(struct pp_perf_reader *r, struct pp_reader *reader, struct pp_builder *builder)
{
	static const char *const roots[] = { "none", "comm", "pid", "tid" };
	const char *root = pp_reader_option(reader, "root");
	unsigned i;

	r->reader = reader;
	r->builder = builder;
	r->places = (reader->order->facets & PP_EXTRAS) != 0;
	r->frames.pair_frames.seed = r->frames.inline_of.seed = r->records.pid_of.seed =
	    builder->seed;
	r->records.build_ids.seed = r->threads.event_of.seed = r->threads.series_of.seed =
	    builder->seed;
	r->frames.linked.seed = r->records.switches.running_of.seed = builder->seed;
	for (i = 0; root && i < PP_COUNT_OF(roots); i++)
		if (strcmp(root, roots[i]) == 0) {
			r->root = (enum pp_perf_root)i;
			return true;
		}
	return root == NULL;
}

pp_status
pp_perf_read(struct pp_reader *reader, struct pp_builder *builder)
{
	struct pp_perf_reader *r = calloc(1, sizeof *r);
	pp_status status = PP_E_NOMEM;

	if (!r)
		return PP_E_NOMEM;
	if (!reader_init(r, reader, builder)) {
		status = PP_E_USAGE;
	} else if (pp_perf_entries_init(r) && pp_perf_chains_init(r)) {
		status = input_take(r);
		if (status == PP_OK)
			pp_perf_finish(r);
		if (status == PP_OK)
			status = builder->status;
	}
	reader_free(r);
	return status;
}
