/*
 * Reads perf script text line by line. A sample is open from its header on; its frames are collected
 * until an empty line, the next header or the end. Stacks then wait in a batch, because the tree adds
 * many at once faster than one after the other.
 */
#include "formats/perf_script.h"

#include "base/num.h"

/* How often to tell how far reading is, in bytes. */
#define TELL_STEP ((size_t)8 << 20)

void
pp_perf_no_memory(struct pp_perf_reader *r)
{
	pp_builder_fail(r->builder, PP_E_NOMEM, NULL);
}

static struct pp_place
place_of(const struct pp_perf_reader *r, const unsigned char *line, const unsigned char *at)
{
	return pp_at_line(r->line, (uint64_t)(at - line) + 1, pp_input_offset(r->reader->in, at));
}

/* Reports a line that is wrong. */
static void
refuse(struct pp_perf_reader *r, enum pp_perf_rule rule, const unsigned char *line,
       const unsigned char *at)
{
	r->errors++;
	pp_diag_add(r->reader->diags, &pp_perf_rules[rule], place_of(r, line, at), "%s",
	            pp_perf_rules[rule].title);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Adds a sample to the cost of its stack. */
static bool
row_add(struct pp_perf_reader *r, const struct pp_perf_waiting *w, pp_node node)
{
	uint64_t key = (uint64_t)w->series << 32 | node;
	uint32_t at = pp_map_get(&r->row_of, key);

	if (at == PP_MAP_NONE) {
		struct pp_perf_row fresh = { .series = w->series, .node = node };

		at = (uint32_t)r->rows.n;
		if (at == PP_MAP_NONE || !pp_vec_push(&r->rows, fresh) ||
		    !pp_map_set(&r->row_of, key, at)) {
			pp_perf_no_memory(r);
			return false;
		}
	}
	/* Cannot overflow: the sum over all rows of the event does not. */
	r->rows.at[at].period += w->period;
	r->rows.at[at].samples++;
	return true;
}

static void
timeline_add(struct pp_perf_reader *r, const struct pp_perf_waiting *w, pp_node node)
{
	struct pp_perf_series *s = &r->series.at[w->series];
	struct pp_event event = { PP_EVENT_SAMPLE, node, w->time, w->cpu };
	int64_t values[2] = { (int64_t)w->period, 1 };

	if (!s->timeline.last_values && !pp_timeline_init(&s->timeline, 2, false))
		pp_perf_no_memory(r);
	else if (!pp_timeline_add(&s->timeline, &event, values))
		pp_perf_no_memory(r);
}

/* Counts a sample whose stack is known. */
static void
sample_count(struct pp_perf_reader *r, const struct pp_perf_waiting *w, pp_node node)
{
	struct pp_perf_series *s = &r->series.at[w->series];
	struct pp_perf_event *e = &r->events.at[s->event];
	uint64_t period;

	if (__builtin_add_overflow(e->period, w->period, &period)) {
		r->errors++;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_SUM],
		            pp_at_line(w->line, 1, w->offset), "%s",
		            pp_perf_rules[PP_PERF_SUM].title);
		return;
	}
	if (!row_add(r, w, node))
		return;
	e->period = period;
	r->samples++;
	e->samples++;
	e->with_period += w->has_period;
	if (!w->has_time)
		return;
	r->time_min = !r->has_time || w->time < r->time_min ? w->time : r->time_min;
	r->time_max = !r->has_time || w->time > r->time_max ? w->time : r->time_max;
	r->has_time = true;
	s->unordered |= w->time < s->last_time;
	s->last_time = w->time;
	if (r->timeline)
		timeline_add(r, w, node);
}

static void
batch_flush(struct pp_perf_reader *r)
{
	size_t i;

	if (r->waiting &&
	    pp_build_batch(r->builder, r->frames, r->depth, r->under, r->waiting, r->leaf))
		for (i = 0; i < r->waiting && pp_builder_ok(r->builder); i++)
			sample_count(r, &r->batch[i], r->leaf[i]);
	r->waiting = r->frames_n = 0;
}

/* A stack that no batch has room for. */
static void
deep_add(struct pp_perf_reader *r, pp_frame root)
{
	pp_frame *frames = calloc(r->steps.n + 1, sizeof *frames);
	pp_node node = 0;
	size_t i;

	batch_flush(r);
	if (!frames) {
		pp_perf_no_memory(r);
		return;
	}
	if (root)
		node = pp_build_child(r->builder, 0, root);
	for (i = 0; pp_perf_resolve(r, frames) && i < r->steps.n; i++)
		node = pp_build_child(r->builder, node, frames[i]);
	free(frames);
	if (pp_builder_ok(r->builder))
		sample_count(r, &r->now, node);
}

/* ---- samples ---------------------------------------------------------------------------- */

/* Ends the sample being read. */
static void
sample_close(struct pp_perf_reader *r)
{
	pp_frame root;
	size_t n;

	if (!r->open)
		return;
	r->open = r->single = false;
	if (r->refused)
		return;
	r->chains |= r->steps.n > 0;
	if (r->steps.n == 0 && r->rest &&
	    !pp_vec_push(&r->steps, (struct pp_perf_step){ r->rest, 0 }))
		pp_perf_no_memory(r);
	root = r->series.at[r->now.series].root;
	n = r->steps.n + (root != 0);
	if (PP_UNLIKELY(n > PP_TREE_BATCH)) {
		deep_add(r, root);
		return;
	}
	if (r->waiting == PP_PERF_BATCH || r->frames_n + n > PP_TREE_BATCH)
		batch_flush(r);
	if (root)
		r->frames[r->frames_n] = root;
	if (!pp_perf_resolve(r, r->frames + r->frames_n + (root != 0)))
		return;
	r->batch[r->waiting] = r->now;
	r->depth[r->waiting] = (uint32_t)n;
	r->under[r->waiting++] = 0;
	r->frames_n += n;
}

static void
sample_open(struct pp_perf_reader *r, const struct pp_perf_waiting *now)
{
	r->now = *now;
	r->open = true;
	r->refused = r->record = r->loose = r->uneven = r->headless = false;
	r->rest = 0;
	r->steps.n = 0;
}

/* ---- series ----------------------------------------------------------------------------- */

/* The event of that name; PP_MAP_NONE when there are too many. */
static uint32_t
event_of(struct pp_perf_reader *r, struct pp_slice name)
{
	/* perf writes "[unknown]" for an event it has no name for. */
	struct pp_perf_event fresh = { .name = pp_slice_eq_z(name, "[unknown]")
		                                   ? 0
		                                   : pp_build_str(r->builder, name) };
	uint32_t at = pp_map_get(&r->event_of, fresh.name);

	if (at != PP_MAP_NONE || r->events.n == PP_PERF_EVENTS_MOST)
		return at;
	at = (uint32_t)r->events.n;
	if (!pp_vec_push(&r->events, fresh) || !pp_map_set(&r->event_of, fresh.name, at))
		pp_perf_no_memory(r);
	return at;
}

/* The frame that stands for a thread, if one is asked for: "comm", "comm-pid", "comm-pid/tid". */
static pp_frame
root_of(struct pp_perf_reader *r, const struct pp_perf_series *s)
{
	struct pp_func_row func = { .flags = PP_FUNC_PSEUDO };
	struct pp_frame_row frame = { 0 };
	struct pp_slice comm = pp_text_of(r->builder->profile, s->comm);
	struct pp_buf text = { 0 };

	if (r->root == PP_PERF_ROOT_NONE)
		return 0;
	pp_buf_add(&text, comm.p, comm.n);
	if (r->root != PP_PERF_ROOT_COMM && s->pid >= 0)
		pp_buf_addf(&text, "-%lld", (long long)s->pid);
	else if (r->root != PP_PERF_ROOT_COMM)
		pp_buf_adds(&text, "-?");
	if (r->root == PP_PERF_ROOT_TID && s->tid >= 0)
		pp_buf_addf(&text, "/%lld", (long long)s->tid);
	if (text.failed)
		pp_perf_no_memory(r);
	else
		func.name = pp_build_str(r->builder, pp_slice_of(text.p ? text.p : "", text.n));
	pp_buf_release(&text);
	frame.func = pp_build_func(r->builder, &func);
	return pp_builder_ok(r->builder) ? pp_build_frame(r->builder, &frame) : 0;
}

static bool
series_is(const struct pp_perf_series *a, const struct pp_perf_series *b)
{
	return a->event == b->event && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid;
}

/* Whether a series is that of a header, by the text of its names. */
static bool
series_fits(const struct pp_perf_reader *r, const struct pp_perf_series *s,
            const struct pp_perf_header *h)
{
	const struct pp_profile *p = r->builder->profile;

	return s->tid == h->tid && s->pid == h->pid &&
	       pp_slice_eq(pp_text_of(p, s->comm), h->comm) &&
	       pp_slice_eq(pp_text_of(p, r->events.at[s->event].name), h->event);
}

/* The series of an event and thread; PP_MAP_NONE on failure. */
static uint32_t
series_find(struct pp_perf_reader *r, const struct pp_perf_header *h)
{
	struct pp_perf_series s = { .event = event_of(r, h->event),
		                    .comm = pp_build_str(r->builder, h->comm),
		                    .pid = h->pid,
		                    .tid = h->tid,
		                    .last_time = INT64_MIN };
	uint64_t hash;
	uint32_t at;

	if (s.event == PP_MAP_NONE || !pp_builder_ok(r->builder))
		return PP_MAP_NONE;
	hash = pp_mix((uint64_t)s.comm << 32 | s.event, PP_HASH_K1 ^ (uint64_t)s.tid);
	hash = pp_mix(hash, PP_HASH_K2 ^ (uint64_t)s.pid);
	/* Equal hashes are told apart by probing the next one. */
	for (; (at = pp_map_get(&r->series_of, hash)) != PP_MAP_NONE; hash++)
		if (series_is(&r->series.at[at], &s))
			return at;
	s.root = root_of(r, &s);
	at = (uint32_t)r->series.n;
	if (!pp_builder_ok(r->builder) || at == PP_MAP_NONE || !pp_vec_push(&r->series, s) ||
	    !pp_map_set(&r->series_of, hash, at)) {
		pp_perf_no_memory(r);
		return PP_MAP_NONE;
	}
	return at;
}

/* The same, looked for among those seen lately first. */
static uint32_t
series_of(struct pp_perf_reader *r, const struct pp_perf_header *h)
{
	uint32_t *lately = &r->lately[(uint64_t)h->tid % PP_COUNT_OF(r->lately)], at;

	if (*lately && series_fits(r, &r->series.at[*lately - 1], h))
		return *lately - 1;
	at = series_find(r, h);
	if (at != PP_MAP_NONE)
		*lately = at + 1;
	return at;
}

/* What a header says, for when its stack is complete; false when it cannot be used. */
static bool
header_take(struct pp_perf_reader *r, struct pp_slice line, const struct pp_perf_header *h,
            struct pp_perf_waiting *out)
{
	*out = (struct pp_perf_waiting){ .cpu = h->cpu >= 0 && h->cpu < UINT32_MAX
		                                    ? (uint32_t)h->cpu + 1
		                                    : 0,
		                         .has_period = h->has_period,
		                         .has_time = h->has_time,
		                         .period = h->period,
		                         .time = h->time,
		                         .line = r->line,
		                         .offset = pp_input_offset(r->reader->in, line.p) };
	if (h->wrong) {
		refuse(r, PP_PERF_NUMBER, line.p, h->wrong);
		return false;
	}
	out->series = series_of(r, h);
	if (out->series == PP_MAP_NONE && pp_builder_ok(r->builder))
		refuse(r, PP_PERF_EVENTS, line.p, line.p);
	return out->series != PP_MAP_NONE;
}

/* ---- records ---------------------------------------------------------------------------- */

/* The first number in a text; 0 when there is none. */
static uint64_t
first_number(struct pp_slice s)
{
	size_t i = 0, n;
	uint64_t number = 0;

	while (i < s.n && !pp_perf_digit(s.p[i]))
		i++;
	for (n = i; n < s.n && pp_perf_digit(s.p[n]); n++)
		;
	return pp_num_u64(pp_slice_of(s.p + i, n - i), &number) ? number : 0;
}

/* Two numbers with a character between them, "25928/25930" or "25928:25930", at the start of a text. */
static void
process_learn(struct pp_perf_reader *r, struct pp_slice s, unsigned char between)
{
	const unsigned char *mark = s.n ? memchr(s.p, between, s.n) : NULL;
	uint64_t pid, tid;
	size_t n = 0;

	if (!mark)
		return;
	mark++;
	while (mark + n < s.p + s.n && pp_perf_digit(mark[n]))
		n++;
	if (pp_num_u64(pp_slice_of(s.p, (size_t)(mark - 1 - s.p)), &pid) &&
	    pp_num_u64(pp_slice_of(mark, n), &tid) && pid < PP_MAP_NONE &&
	    !pp_map_set(&r->pid_of, tid, (uint32_t)pid))
		pp_perf_no_memory(r);
}

/* "... <build id>]: r-xp /path": which build a file is. */
static void
build_id_learn(struct pp_perf_reader *r, struct pp_slice s)
{
	const unsigned char *end = s.p + s.n, *id = memchr(s.p, '<', s.n), *stop, *path;
	size_t i;

	stop = id ? memchr(id, '>', (size_t)(end - id)) : NULL;
	path = stop && end - stop > 9 && memcmp(stop, ">]: ", 4) == 0 ? stop + 9 : NULL;
	if (!path || stop - id < 3 || (stop - id) % 2 == 0)
		return;
	for (i = 1; id + i < stop; i++)
		if (!pp_perf_hex(id[i]))
			return;
	s = pp_slice_of(path, (size_t)(end - path));
	if (s.n > 6 && s.p[0] == '[' && memcmp(s.p + s.n - 6, "]_text", 6) == 0)
		s.n -= 5;
	if (!pp_map_set(&r->build_ids, pp_build_str(r->builder, s),
	                pp_build_str(r->builder, pp_slice_of(id + 1, (size_t)(stop - id - 1)))))
		pp_perf_no_memory(r);
}

/* A line of something that is no sample. */
static void
record_take(struct pp_perf_reader *r, struct pp_slice line, const struct pp_perf_header *h)
{
	struct pp_slice rest = h->rest;
	uint64_t lost;
	size_t i;

	if (pp_slice_eq_z(h->event, "PERF_RECORD_LOST") ||
	    pp_slice_eq_z(h->event, "PERF_RECORD_LOST_SAMPLES")) {
		lost = first_number(rest);
		r->lost += lost ? lost : 1;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_LOST],
		            place_of(r, line.p, line.p), "%llu events were lost here",
		            (unsigned long long)lost);
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_FORK") && rest.n > 1) {
		process_learn(r, pp_slice_of(rest.p + 1, rest.n - 1), ':');
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_COMM")) {
		/* "exec: name:pid/tid": the name may hold anything. */
		for (i = rest.n; i > 0 && rest.p[i - 1] != ':'; i--)
			;
		process_learn(r, pp_slice_of(rest.p + i, rest.n - i), '/');
	} else if (pp_slice_eq_z(h->event, "PERF_RECORD_MMAP2") && rest.n) {
		build_id_learn(r, rest);
	}
	r->record = true;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* A header, of a sample or record. */
static void
header_line(struct pp_perf_reader *r, struct pp_slice line, enum pp_perf_header_kind kind,
            const struct pp_perf_header *h)
{
	struct pp_perf_waiting now;
	struct pp_slice rest = h->rest;

	sample_close(r);
	r->loose = r->record = false;
	if (kind == PP_PERF_RECORD) {
		record_take(r, line, h);
		return;
	}
	r->headers++;
	r->headless = false;
	if (!header_take(r, line, h, &now)) {
		/* Its frames belong to it all the same. */
		r->open = r->refused = true;
		r->steps.n = 0;
		return;
	}
	sample_open(r, &now);
	if (rest.n && pp_perf_rest_frame(&rest, h->event))
		r->rest = pp_perf_entry(r, rest, false);
}

/* A line that can only be told by what follows: kept for then. */
static void
loose_line(struct pp_perf_reader *r, struct pp_slice line, const struct pp_perf_header *h)
{
	sample_close(r);
	r->record = false;
	r->loose = true;
	r->loose_comm = pp_build_str(r->builder, h->comm);
	r->loose_event = pp_build_str(r->builder, h->event);
	r->loose_ids = (struct pp_perf_ids){ h->pid, h->tid, h->cpu };
	r->loose_place = place_of(r, line.p, line.p);
}

/* The line kept is no header. */
static void
loose_refuse(struct pp_perf_reader *r)
{
	if (!r->loose)
		return;
	r->loose = false;
	r->errors++;
	pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_LINE], r->loose_place, "%s",
	            pp_perf_rules[PP_PERF_LINE].title);
}

/* Opens the sample that a frame belongs to, if none is: false when there is none. */
static bool
frame_opens(struct pp_perf_reader *r, struct pp_slice line, bool alone)
{
	struct pp_profile *p = r->builder->profile;
	struct pp_perf_header h = { .pid = -1, .tid = -1, .cpu = -1 };
	struct pp_perf_waiting now;

	if (r->loose) {
		h.comm = pp_text_of(p, r->loose_comm);
		h.event = pp_text_of(p, r->loose_event);
		h.pid = r->loose_ids.pid;
		h.tid = r->loose_ids.tid;
		h.cpu = r->loose_ids.cpu;
		r->headers++;
	} else if (r->headers || (!alone && !r->blank)) {
		/* Where samples have headers, this one lost its own. */
		if (!r->headless)
			refuse(r, PP_PERF_HEADER_MISSING, line.p, line.p);
		r->headless = true;
		return false;
	}
	if (!header_take(r, line, &h, &now))
		return false;
	sample_open(r, &now);
	r->single = alone && !r->headers;
	return true;
}

/* A frame; `text` is the line without blanks at its ends. */
static void
frame_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text, bool alone)
{
	struct pp_perf_step step = { 0 };

	if (r->single)
		sample_close(r);
	if (!r->open && !frame_opens(r, line, alone))
		return;
	if (r->refused)
		return;
	step.entry = pp_perf_entry(r, text, false);
	if (step.entry && !pp_vec_push(&r->steps, step))
		pp_perf_no_memory(r);
}

/* A source line, behind its frame. */
static void
place_line(struct pp_perf_reader *r, struct pp_slice text)
{
	if (r->refused)
		return;
	if (r->steps.n == 0 && r->rest) {
		if (!pp_vec_push(&r->steps, (struct pp_perf_step){ r->rest, 0 }))
			pp_perf_no_memory(r);
		r->rest = 0;
	}
	if (r->steps.n == 0)
		return;
	r->steps.at[r->steps.n - 1].place = pp_perf_entry(r, text, true);
	r->uneven = true;
}

/* "Processed 4711 events and lost 3 chunks!" */
static void
message_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text)
{
	const unsigned char *lost = memmem(text.p, text.n, " lost ", 6);

	if (lost) {
		r->lost++;
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_LOST],
		            place_of(r, line.p, line.p), "perf says that it lost events");
		return;
	}
	pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_MESSAGE], place_of(r, line.p, line.p),
	            "%s", pp_perf_rules[PP_PERF_MESSAGE].title);
}

/* Any line but an empty one or one of the common frames. */
static PP_NOINLINE void
other_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text)
{
	struct pp_perf_frame f;
	struct pp_perf_header h;
	enum pp_perf_header_kind kind;
	bool is_frame = pp_perf_frame_parse(text, &f);

	if (line.p[0] == '\t' && r->record)
		return; /* records may go on in further lines */
	if (line.p[0] == '\t' && is_frame) {
		frame_line(r, line, text, false);
		return;
	}
	kind = pp_perf_header_parse(line, &h);
	if (kind == PP_PERF_SAMPLE || kind == PP_PERF_RECORD) {
		loose_refuse(r);
		header_line(r, line, kind, &h);
	} else if (is_frame && (line.p[0] == ' ' || (r->open && f.dso.n))) {
		frame_line(r, line, text, line.p[0] == ' ');
	} else if (r->open && (r->steps.n || r->rest) && line.n > 2 && line.p[0] == ' ' &&
	           line.p[1] == ' ' && line.p[2] != ' ') {
		place_line(r, text);
	} else if (r->open && pp_perf_is_detail(line, text)) {
		r->details_line = r->details++ ? r->details_line : r->line;
	} else if (pp_perf_is_message(text)) {
		message_line(r, line, text);
	} else if (kind == PP_PERF_LOOSE && line.p[0] != '\t') {
		loose_refuse(r);
		loose_line(r, line, &h);
	} else {
		loose_refuse(r);
		refuse(r, PP_PERF_LINE, line.p, text.p);
	}
}

/*
 * The common lines of a sample: frames, and source lines, that were there before. False for others.
 */
static inline bool
known_line(struct pp_perf_reader *r, struct pp_slice line, struct pp_slice text)
{
	struct pp_perf_step step = { 0 };

	if (!r->open || r->refused)
		return false;
	if (line.p[0] == '\t') {
		step.entry = pp_perf_entry_find(r, text, false);
		if (!step.entry)
			return false;
		if (!pp_vec_push(&r->steps, step))
			pp_perf_no_memory(r);
		return true;
	}
	if (r->steps.n == 0 || line.n < 3 || line.p[0] != ' ' || line.p[1] != ' ' ||
	    line.p[2] == ' ')
		return false;
	step.place = pp_perf_entry_find(r, text, true);
	if (step.place) {
		r->steps.at[r->steps.n - 1].place = step.place;
		r->uneven = true;
	}
	return step.place != 0;
}

/* Takes one line, without its newline. */
static inline void
line_take(struct pp_perf_reader *r, struct pp_slice line)
{
	struct pp_slice text = pp_perf_trim(line);

	r->line++;
	if (text.n == 0) {
		loose_refuse(r);
		sample_close(r);
		r->record = r->headless = false;
		r->blank = true;
	} else if (!known_line(r, line, text)) {
		if (line.p[0] == '#' && (line.n == 1 || pp_perf_blank(line.p[1])))
			pp_perf_meta_line(&r->meta, line);
		else
			other_line(r, line, text);
	}
}

/* ---- the input -------------------------------------------------------------------------- */

/* Takes all whole lines of the window; false when reading must stop. */
static bool
lines_take(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	const unsigned char *told = in->cur, *stop;

	while ((stop = memchr(in->cur, '\n', pp_input_left(in)))) {
		line_take(r, pp_slice_of(in->cur, (size_t)(stop - in->cur)));
		in->cur = stop + 1;
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

/* Whether the frames of the sample being read end in a dso. */
static bool
frames_have_dso(const struct pp_perf_reader *r)
{
	struct pp_slice text;

	if (r->steps.n == 0)
		return false;
	text = r->entries.list.at[r->steps.at[r->steps.n - 1].entry].text;
	return text.p[text.n - 1] == ')';
}

/*
 * The end. A last line without newline, and a header whose stack is missing, were cut: what is known of
 * such a sample would be wrong. A stack that no empty line ends may be whole.
 */
static void
end_take(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	struct pp_slice line = pp_slice_of(in->cur, pp_input_left(in)), text = pp_perf_trim(line);
	bool cut = in->status != PP_OK;

	if (text.n && !cut) {
		bool had_dso = frames_have_dso(r);

		line_take(r, line);
		cut = r->open &&
		      (had_dso ? !frames_have_dso(r) : r->chains && r->steps.n == 0 && !r->rest);
	} else if (!cut) {
		cut = r->open && r->chains && !r->refused && r->steps.n == 0 && !r->rest;
	}
	in->cur = in->end;
	loose_refuse(r);
	if (cut && in->status == PP_OK && !r->refused)
		refuse(r, PP_PERF_CUT, line.p, line.p);
	else if (r->open && !r->refused && r->steps.n && !r->single && in->status == PP_OK)
		pp_diag_add(r->reader->diags, &pp_perf_rules[PP_PERF_END],
		            pp_at_line(r->now.line, 1, r->now.offset), "%s",
		            pp_perf_rules[PP_PERF_END].title);
	if (cut)
		r->open = false;
	sample_close(r);
	batch_flush(r);
}

static pp_status
input_take(struct pp_perf_reader *r)
{
	struct pp_input *in = r->reader->in;
	size_t searched = 0; /* unread bytes known to hold no newline */

	if (pp_input_need(in, 3) && memcmp(in->cur, "\xef\xbb\xbf", 3) == 0)
		in->cur += 3;
	for (;;) {
		if (memchr(in->cur + searched, '\n', pp_input_left(in) - searched) &&
		    !lines_take(r))
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
	size_t i;

	for (i = 0; i < r->series.n; i++)
		pp_timeline_release(&r->series.at[i].timeline);
	pp_perf_entries_release(r);
	pp_perf_meta_release(&r->meta);
	pp_map_release(&r->pair_frames);
	pp_map_release(&r->inline_of);
	pp_map_release(&r->linked);
	pp_vec_release(&r->links);
	pp_map_release(&r->pid_of);
	pp_map_release(&r->build_ids);
	pp_map_release(&r->event_of);
	pp_map_release(&r->series_of);
	pp_map_release(&r->row_of);
	pp_vec_release(&r->events);
	pp_vec_release(&r->series);
	pp_vec_release(&r->rows);
	pp_vec_release(&r->steps);
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
	r->places = (reader->want & PP_EXTRAS) != 0;
	r->lines = !(reader->want & PP_FLAT);
	r->timeline = (reader->want & PP_TIMELINE) != 0;
	r->pair_frames.seed = r->inline_of.seed = r->pid_of.seed = builder->seed;
	r->build_ids.seed = r->event_of.seed = r->series_of.seed = builder->seed;
	r->row_of.seed = r->linked.seed = builder->seed;
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
	} else if (pp_perf_entries_init(r)) {
		status = input_take(r);
		if (status == PP_OK)
			pp_perf_finish(r);
		if (status == PP_OK)
			status = builder->status;
	}
	reader_free(r);
	return status;
}
