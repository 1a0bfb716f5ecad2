/*
 * Trace events: Chrome, Perfetto's exporters, node --trace-event, Hermes, bazel, clang -ftime-trace and many others.
 *
 *     {"traceEvents": [{"ph": "X", "pid": 1, "tid": 2, "ts": 100, "dur": 20, "name": "Layout", "cat": "blink", "args": {}}, ...],
 *      "stackFrames": {"5": {"name": "main", "category": "app", "parent": "4"}}, "samples": [{"ts": 1, "pid": 1, "tid": 1, "sf": 5}]}
 *
 * or the array of events alone, whose closing bracket may be missing. Times are µs. B and E begin and end a slice, X is a whole one; P and I
 * carry CPU profiles of V8; M names processes and threads. Events come in any order. Those of clang are named by their args (trace_clang.c).
 */
#include "formats/chrome/trace.h"

#include "base/utf8.h"
#include "text/units.h"

const struct pp_rule pp_trace_rules[] = {
	[TRACE_JSON] = { "trace-event-json", PP_ERROR, "the JSON is broken",
	                 "From this place on, the file is not JSON. The events before it were read." },
	[TRACE_CUT] = { "trace-event-cut", PP_ERROR, "the file is cut",
	                "The file ends within an event, or an object is not closed. The events before were read." },
	[TRACE_SHAPE] = { "trace-event-shape", PP_ERROR, "an event has no phase",
	                  "Each event is an object with a member ph. Others are left out." },
	[TRACE_TS] = { "trace-event-ts", PP_ERROR, "an event has no time",
	               "Slices and samples have ts, in µs. Those without are left out." },
	[TRACE_DUR] = { "trace-event-dur", PP_ERROR, "a duration is wrong",
	                "The dur of an X event is a number that is not below 0. The event is left out." },
	[TRACE_FRAME] = { "trace-event-frame", PP_ERROR, "a sample has no stack",
	                  "Its frame is not in stackFrames, or is above itself. The sample is left out." },
	[TRACE_PROFILE] = { "trace-event-profile", PP_ERROR, "a CPU profile does not fit together",
	                    "A chunk belongs to no Profile event, has not as many times as samples, or its nodes are not "
	                    "what they must be. What fits is used." },
	[TRACE_PROFILE_SAMPLE] = { "trace-event-profile-sample", PP_ERROR,
	                           "a sample belongs to no node",
	                           "A chunk was lost, or is damaged. The sample is left out, and so is its time." },
	[TRACE_PROFILE_NUMBER] = { "trace-event-profile-number", PP_ERROR, "a time is not a number",
	                           "The sample is taken at the time of the one before it." },
	[TRACE_UTF8] = { "trace-event-utf8", PP_ERROR, "a name is not UTF-8",
	                 "JSON is text in UTF-8. The bytes of the name are used as they are." },
	[TRACE_END] = { "trace-event-end", PP_WARNING, "an end has no beginning",
	                "No slice of that name is open in the thread. The end is left out." },
	[TRACE_OPEN] = { "trace-event-open", PP_WARNING, "slices are open at the end",
	                 "They have no end of their own and end at the latest time of their thread." },
	[TRACE_OVERLAP] = { "trace-event-overlap", PP_WARNING, "slices overlap",
	                    "A slice ends later than the one around it. None is cut or stretched: what outlives its parent "
	                    "goes on without it, so each lasts as long as it says." },
	[TRACE_DUR_MISSING] = { "trace-event-dur-missing", PP_WARNING, "an X event has no duration",
	                        "An X event is a whole slice and has dur, or at least tdur. This one lasts 0." },
	[TRACE_PROFILE_PARENT] = { "trace-event-profile-parent", PP_WARNING, "a parent is missing",
	                           "A chunk of the profile was lost. The node is attached to the root instead." },
	[TRACE_PROFILE_DELTA_NEGATIVE] = { "trace-event-profile-delta-negative", PP_WARNING,
	                                   "samples are not in chronological order",
	                                   "They are sorted, since their times are right." },
	[TRACE_PROFILE_END] = { "trace-event-profile-end", PP_WARNING,
	                        "the end of a profile does not fit its samples",
	                        "The last sample lasts until the end of the profile, which follows it on the same clock. "
	                        "This end is before the last sample, or from another clock. The last sample lasts 0." },
	[TRACE_DIGITS] = { "trace-event-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[TRACE_DIGITS_FINE] = { "trace-event-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[TRACE_SKIPPED] = { "trace-event-skipped", PP_NOTE, "some events are not slices",
	                    "Counters of several values are metrics over time, up to 24 of them. Asynchronous and flow events, instants, "
	                    "objects and dumps are markers: counted, and kept for trace events and Firefox profiles." },
	[TRACE_TOTALS] = { "trace-event-totals", PP_NOTE, "sums over slices are left out",
	                   "clang -ftime-trace ends with slices \"Total NAME\" on threads of their own, which are the sums of the "
	                   "slices of that name, including those too short to be listed. The same time is not counted twice." },
	[TRACE_UNTERMINATED] = { "trace-event-unterminated", PP_NOTE, "the array is not closed",
	                         "That is how programs that trace until they end leave it, and fine." },
	{ 0 },
};

/* ---- recognition --------------------------------------------------------------------------- */

/* How much of an event the value that comes next is. */
static int
event_bits(struct pp_scan *s)
{
	bool ph = false, ts = false;
	struct pp_json_str key;

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
		(void)pp_scan_pass(s);
		return 0;
	}
	while (pp_scan_key(s, &key)) {
		ph |= pp_json_str_eq(key, "ph");
		ts |= pp_json_str_eq(key, "ts") || pp_json_str_eq(key, "pid");
		(void)pp_scan_pass(s);
	}
	return ph && ts ? 72 : ph || ts ? 24 : 0;
}

#define TRIED_MOST 16

static int
trace_event_bid(const struct pp_peek *peek)
{
	struct pp_json_str key;
	struct pp_scan s;
	int bits = 0, tried = 0;

	pp_scan_init(&s, pp_chrome_head(peek), 0, PP_SCAN_TOLERANT);
	if (pp_scan_peek(&s) == PP_JSON_ARRAY && pp_scan_array(&s)) {
		/* The first ones may be broken. */
		for (; bits == 0 && tried < TRIED_MOST && pp_scan_item(&s); tried++)
			bits = event_bits(&s);
		/* No event at all is a trace of nothing, if anything. */
		return bits ? bits : tried == 0 && peek->whole ? 8 : 0;
	}
	if (s.error != PP_SCAN_OK || pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s))
		return 0;
	while (bits == 0 && pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, "traceEvents") && pp_scan_peek(&s) == PP_JSON_ARRAY)
			bits = 104;
		else
			(void)pp_scan_pass(&s);
	}
	return bits;
}

/* ---- threads ------------------------------------------------------------------------------- */

pp_str
pp_trace_string(struct trace_read *r, struct pp_slice text)
{
	bool is_new;
	pp_str id = 0;

	if (text.n && pp_builder_ok(r->b) &&
	    !pp_strtab_intern(&r->strings, text.p, text.n, &id, &is_new))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return id;
}

uint32_t
pp_trace_thread(struct trace_read *r, struct pp_slice pid, struct pp_slice tid)
{
	struct trace_thread fresh = { .tid_number = -1, .sorted = true };
	uint64_t key;
	uint32_t at;

	fresh.pid = pp_trace_string(r, pid);
	fresh.tid = pp_trace_string(r, tid);
	key = (uint64_t)fresh.pid << 32 | fresh.tid;
	at = pp_map_get(&r->thread_of, key);
	if (at != PP_MAP_NONE)
		return at;
	if (!pp_num_i64(tid, &fresh.tid_number) || fresh.tid_number < 0)
		fresh.tid_number = -1;
	at = (uint32_t)r->threads.n;
	if (!pp_vec_push(&r->threads, fresh) || !pp_map_set(&r->thread_of, key, at)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return 0;
	}
	return at;
}

/* What is known of a process by its id. */
static void
process_fill(struct trace_read *r, pp_str pid, struct pp_series *like)
{
	size_t i;

	for (i = 0; i < r->processes.n; i++)
		if (r->processes.at[i].pid == pid)
			like->process = pp_build_str(
			    r->b, pp_strtab_get(&r->strings, r->processes.at[i].name));
	if (!pp_num_i64(pp_strtab_get(&r->strings, pid), &like->pid) || like->pid < 0)
		like->pid = -1;
	/* Ids that are texts are names. */
	if (!like->process && like->pid < 0)
		like->process = pp_build_str(r->b, pp_strtab_get(&r->strings, pid));
}

uint32_t
pp_trace_process_series(struct trace_read *r, pp_str pid)
{
	struct pp_series like = { .event = r->counters_event, .tid = -1, .cpu = -1 };

	process_fill(r, pid, &like);
	return pp_build_series(r->b, &like, false, false);
}

uint32_t
pp_trace_series(struct trace_read *r, uint32_t thread, bool slices)
{
	struct trace_thread *t = &r->threads.at[thread];
	struct pp_series like = { .tid = t->tid_number, .cpu = -1 };

	like.event = slices ? r->slices_event : r->samples_event;
	like.thread = pp_build_str(r->b, pp_strtab_get(&r->strings, t->name));
	process_fill(r, t->pid, &like);
	if (!like.thread && t->tid_number < 0)
		like.thread = pp_build_str(r->b, pp_strtab_get(&r->strings, t->tid));
	t->series = pp_build_series(
	    r->b, &like, r->threads.n == 1 && !(r->has_slices && r->has_samples), slices);
	t->has_series = true;
	return t->series;
}

pp_frame
pp_trace_frame(struct trace_read *r, pp_str name, pp_str module)
{
	uint64_t key = (uint64_t)name << 32 | module;
	uint32_t found = pp_map_get(&r->frame_of, key);
	struct pp_func_row func = { .name = name };
	struct pp_module_row row = { .name = module, .kind = PP_MODULE_SCRIPT };
	struct pp_frame_row frame = { 0 };

	if (PP_LIKELY(found != PP_MAP_NONE))
		return found;
	func.module = module ? pp_build_module(r->b, &row) : 0;
	frame.func = pp_build_func(r->b, &func);
	found = pp_build_frame(r->b, &frame);
	if (!pp_map_set(&r->frame_of, key, found))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return found;
}

/* ---- events -------------------------------------------------------------------------------- */

const unsigned char *
pp_trace_object(struct trace_read *r, const unsigned char *object, const char *name)
{
	struct pp_scan s;
	struct pp_json_str key;
	const unsigned char *found = NULL;

	if (!object)
		return NULL;
	s = pp_json_doc_scan(&r->doc, object);
	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		if (pp_json_str_eq(key, name) && pp_scan_peek(&s) == PP_JSON_OBJECT)
			found = s.cur;
		(void)pp_scan_pass(&s);
	}
	return found;
}

/* Names of processes and threads. */
static void
metadata_take(struct trace_read *r, const struct event *e)
{
	bool process = e->has_name && pp_json_str_eq(e->name, "process_name");
	struct trace_thread named = { 0 };
	struct pp_json_str key, text;
	struct pp_scan s;
	uint32_t thread;

	if (!e->args || (!process && !(e->has_name && pp_json_str_eq(e->name, "thread_name"))))
		return;
	s = pp_json_doc_scan(&r->doc, e->args);
	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key))
		if (pp_json_str_eq(key, "name") && pp_scan_peek(&s) == PP_JSON_STRING) {
			if (pp_scan_string(&s, &text))
				named.name = pp_trace_string(
				    r, pp_build_json_text(r->b, text, &r->doc.arena));
		} else {
			(void)pp_scan_skip(&s, NULL);
		}
	named.pid = pp_trace_string(r, e->pid);
	if (process) {
		if (!pp_vec_push(&r->processes, named))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	thread = pp_trace_thread(r, e->pid, e->tid);
	if (pp_builder_ok(r->b))
		r->threads.at[thread].name = named.name;
}

/* Profile, ProfileChunk and CpuProfile. */
static bool
profile_take(struct trace_read *r, const struct event *e)
{
	bool chunk = pp_json_str_eq(e->name, "ProfileChunk");
	const unsigned char *data;
	pp_str id;
	bool fine;

	if ((e->ph != 'P' && e->ph != 'I' && e->ph != 'i') || !e->has_name ||
	    (!chunk && !pp_json_str_eq(e->name, "Profile") &&
	     !pp_json_str_eq(e->name, "CpuProfile")))
		return false;
	data = pp_trace_object(r, e->args, "data");
	/* Without an id, the thread is one. */
	id = e->id.n ? pp_trace_string(r, e->id) : pp_trace_string(r, e->tid) | 1u << 31;
	fine = chunk ? pp_vec_push(&r->chunks,
	                           (struct trace_chunk){ .pid = pp_trace_string(r, e->pid),
	                                                 .id = id,
	                                                 .timed = e->has_ts,
	                                                 .ts = e->has_ts ? e->ts : 0,
	                                                 .order = (uint32_t)r->chunks.n,
	                                                 .at = e->at,
	                                                 .data = data })
	             : !data || pp_vec_push(&r->profiles,
	                                    (struct trace_profile){
	                                        .pid = pp_trace_string(r, e->pid),
	                                        .id = id,
	                                        .thread = pp_trace_thread(r, e->pid, e->tid),
	                                        .whole = pp_json_str_eq(e->name, "CpuProfile"),
	                                        .at = e->at,
	                                        .data = data });
	if (!fine)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return true;
}

/* Hermes tells in args where a function is. */
static pp_frame
hermes_frame(struct trace_read *r, const struct event *e, pp_str name)
{
	struct pp_func_row func = { .name = name };
	struct pp_frame_row frame = { 0 };
	struct pp_scan s = pp_json_doc_scan(&r->doc, e->args);
	struct pp_json_str key, text;
	uint64_t n;

	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		bool line = pp_json_str_eq(key, "line"), column = pp_json_str_eq(key, "column");

		if (pp_json_str_eq(key, "url")) {
			func.file = pp_scan_if_string(&s, &text) ? pp_json_doc_str(&r->doc, text)
			                                         : 0;
		} else if (line || column) {
			n = 0;
			if (pp_scan_peek(&s) != PP_JSON_STRING)
				n = pp_scan_if_count(&s, UINT32_MAX, &n) ? n : 0;
			else if (!pp_scan_string(&s, &text) || !pp_num_u64(text.raw, &n))
				n = 0;
			*(line ? &func.line : &func.column) = n <= UINT32_MAX ? (uint32_t)n : 0;
		} else {
			(void)pp_scan_skip(&s, NULL);
		}
	}
	if (!func.file)
		return 0;
	frame.func = pp_build_func(r->b, &func);
	return pp_build_frame(r->b, &frame);
}

/* Whether the first event is one of Hermes. */
static bool
is_hermes(struct trace_read *r, const unsigned char *args)
{
	static const char *const keys[] = {
		"line",         "column", "name", "category", "url", "params", "allocatedCategory",
		"allocatedName"
	};
	struct pp_scan s = pp_json_doc_scan(&r->doc, args);
	struct pp_json_str key;
	unsigned seen = 0, i;

	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		for (i = 0; i < PP_COUNT_OF(keys); i++)
			seen |= (unsigned)pp_json_str_eq(key, keys[i]) << i;
		(void)pp_scan_skip(&s, NULL);
	}
	return seen == (1u << PP_COUNT_OF(keys)) - 1;
}

static pp_str
name_of(struct trace_read *r, const struct event *e)
{
	if (PP_UNLIKELY(e->name.odd) && !pp_utf8_valid(e->name.raw))
		pp_json_find(&r->doc, TRACE_UTF8, e->at, "a name is not UTF-8");
	return pp_json_doc_str(&r->doc, e->name);
}

/* Categories are few, and mostly that of the event before. */
static pp_str
category_of(struct trace_read *r, struct pp_json_str cat)
{
	if (PP_LIKELY(pp_slice_eq(cat.raw, r->last_cat) && r->last_cat_id))
		return r->last_cat_id;
	r->last_cat = cat.raw;
	r->last_cat_id = pp_json_doc_str(&r->doc, cat);
	return r->last_cat_id;
}

static void
slice_take(struct trace_read *r, const struct event *e)
{
	struct trace_slice slice = { .begin = e->ts,
		                     .kind = e->ph == 'B'   ? TRACE_B
		                             : e->ph == 'E' ? TRACE_E
		                                            : TRACE_X };
	struct trace_thread *t;
	pp_str name = e->has_name ? name_of(r, e) : 0;

	if (PP_UNLIKELY(!r->has_last || !pp_slice_eq(e->pid, r->last_pid) ||
	                !pp_slice_eq(e->tid, r->last_tid))) {
		r->last_thread = pp_trace_thread(r, e->pid, e->tid);
		r->has_last = true;
		r->last_pid = e->pid;
		r->last_tid = e->tid;
	}
	if (!pp_builder_ok(r->b))
		return;
	t = &r->threads.at[r->last_thread];
	slice.name = name & 0x3fffffff;
	if (PP_UNLIKELY(r->clang) && slice.kind == TRACE_E &&
	    pp_trace_clang_close(t, slice.name, e->ts))
		return;
	if (e->ph == 'X') {
		int64_t dur = e->has_dur ? e->dur : e->has_tdur ? e->tdur : 0;

		if (e->dur_wrong || dur < 0) {
			pp_json_find(&r->doc, TRACE_DUR, e->at, "the duration of an event is %s",
			             e->dur_wrong ? "no number of 64 bits" : "below 0");
			return;
		}
		if (!e->has_dur && !e->has_tdur)
			pp_json_find(&r->doc, TRACE_DUR_MISSING, e->at,
			             "an X event has no duration");
		if (__builtin_add_overflow(slice.begin, dur, &slice.end) &&
		    !pp_fixed_coarser(&r->fixed)) {
			pp_json_find(&r->doc, TRACE_DUR, e->at,
			             "an event ends later than 64 bits can tell");
			return;
		}
	}
	if (slice.kind != TRACE_E) {
		if (PP_UNLIKELY(r->clang || r->hermes) && e->args)
			slice.frame = r->clang
			                  ? pp_trace_clang_frame(r, e, name)
			                  : hermes_frame(r, e,
			                                 name ? name
			                                      : pp_build_strz(r->b, "(unnamed)"));
		if (!slice.frame)
			slice.frame = pp_trace_frame(
			    r, name ? name : pp_build_strz(r->b, "(unnamed)"),
			    e->has_cat && !r->clang ? category_of(r, e->cat) : 0);
	}
	t->at = t->slices.n ? t->at : e->at;
	t->sorted &= !t->slices.n || t->slices.at[t->slices.n - 1].begin <= slice.begin;
	r->has_slices = true;
	if (!pp_vec_push(&t->slices, slice))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* Whether details of slices are asked for as labels. */
static bool
labels_are_asked(struct trace_read *r)
{
	if (pp_order_has_label(&r->b->order, pp_slice_z(PP_TRACE_DETAIL)))
		return true;
	r->b->profile->unread |= PP_HAS(LABELS);
	return false;
}

static void
event_take(struct trace_read *r, struct event *e)
{
	if (!r->first) {
		r->first = true;
		r->hermes = e->args && is_hermes(r, e->args);
		r->clang = pp_trace_clang_begins(r, e);
		r->labels = r->clang && labels_are_asked(r);
	}
	if (!e->ph) {
		pp_json_find(&r->doc, TRACE_SHAPE, e->at, "an event has no ph");
		return;
	}
	r->b->profile->events++;
	if (PP_UNLIKELY(r->clang)) {
		if (e->has_ts && pp_trace_clang_is_total(r, e))
			return;
		/* Clang's asynchronous events are slices like others. */
		e->ph = e->ph == 'b' || e->ph == 'e' ? (unsigned char)(e->ph - 'a' + 'A') : e->ph;
	}
	if (PP_UNLIKELY(r->doc.reader->order->maps))
		pp_trace_script_take(r, e);
	if (e->ph == 'M') {
		metadata_take(r, e);
	} else if (e->ph == 'B' || e->ph == 'E' || e->ph == 'X') {
		if (e->has_ts)
			slice_take(r, e);
		else
			pp_json_find(&r->doc, TRACE_TS, e->at, "an event has no time of 64 bits");
	} else if (!profile_take(r, e)) {
		pp_trace_mark_take(r, e);
	}
}

/* Events up to the bracket; whether that is missing, and nothing else. */
static void
events_read(struct trace_read *r, struct pp_scan *s)
{
	const unsigned char *done = s->cur + 1, *p;

	(void)pp_scan_array(s);
	while (pp_builder_goes_on(r->b) && !r->fixed.again && pp_scan_item(s)) {
		bool object = pp_scan_peek(s) == PP_JSON_OBJECT;
		struct event e = { .at = s->cur };

		if (!object)
			(void)pp_scan_pass(s);
		else
			pp_trace_event_scan(r, s, &e);
		if (s->error != PP_SCAN_OK)
			break;
		done = s->cur;
		event_take(r, &e);
		if (r->doc.arena.bytes > 1 << 20) {
			pp_arena_release(&r->doc.arena);
			r->has_last = false;
		}
	}
	if (s->error != PP_SCAN_E_END || !r->array)
		return;
	p = pp_scan_space(done, s->end);
	p = pp_scan_space(p < s->end && *p == ',' ? p + 1 : p, s->end);
	if (p == s->end) {
		pp_json_find(&r->doc, TRACE_UNTERMINATED, s->end, "the array is not closed");
		s->error = PP_SCAN_OK;
	}
}

/* ---- metadata ------------------------------------------------------------------------------ */

/* What is longer is no metadata for people, such as source maps and the text of scripts. */
#define META_MOST 16384

/* metadata and otherData; what is longer than that, and what our own writer said, is left out. */
static void
metadata_read(struct trace_read *r, struct pp_scan *s, struct pp_json_str name)
{
	uint32_t parent = pp_build_meta(r->b, 0, name.raw, PP_META_OBJECT, pp_slice_of("", 0));
	bool other = pp_json_str_eq(name, "otherData");
	struct pp_json_str key, text;
	struct pp_slice value;

	(void)pp_scan_object(s);
	while (pp_builder_ok(r->b) && pp_scan_key(s, &key) && pp_scan_skip(s, &value)) {
		struct pp_scan member = pp_json_doc_scan(&r->doc, value.p);

		if (r->doc.reader->order->maps && pp_json_str_eq(key, "sourceMaps"))
			pp_trace_maps_read(r, member);
		if (other && pp_json_str_eq(key, "exporter") && pp_scan_if_string(&member, &text))
			r->b->profile->producer = pp_json_doc_str(&r->doc, text);
		else if (value.n > META_MOST)
			r->b->profile->holds |= PP_EXTRAS;
		else if (!other || !pp_json_str_eq(key, "layout"))
			pp_meta_json_member(&member, r->b, parent,
			                    pp_build_json_text(r->b, key, &r->doc.arena));
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void
outline_read(struct trace_read *r)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->doc.text.p);
	enum pp_json_type type = pp_scan_peek(&s);
	struct pp_json_str key;

	r->array = type == PP_JSON_ARRAY;
	r->b->profile->variant = pp_build_strz(r->b, r->array ? "array" : "object");
	if (r->array) {
		events_read(r, &s);
		if (s.error == PP_SCAN_OK && s.depth == 0)
			(void)pp_scan_end(&s);
	} else if (type == PP_JSON_OBJECT && pp_scan_object(&s)) {
		while (pp_builder_ok(r->b) && !r->fixed.again && pp_scan_key(&s, &key)) {
			type = pp_scan_peek(&s);
			if (pp_json_str_eq(key, "traceEvents") && type == PP_JSON_ARRAY) {
				events_read(r, &s);
			} else if (pp_json_str_eq(key, "samples") && type == PP_JSON_ARRAY) {
				r->samples = s.cur;
				(void)pp_scan_pass(&s);
			} else if (pp_json_str_eq(key, "stackFrames") && type == PP_JSON_OBJECT) {
				r->frames = s.cur;
				(void)pp_scan_pass(&s);
			} else if (type == PP_JSON_OBJECT && !key.escaped &&
			           (pp_json_str_eq(key, "metadata") ||
			            pp_json_str_eq(key, "otherData"))) {
				metadata_read(r, &s, key);
			} else {
				pp_chrome_meta_read(&r->doc, &s, key);
			}
		}
		if (s.error == PP_SCAN_OK && !r->fixed.again)
			(void)pp_scan_end(&s);
	}
	pp_json_doc_scanned(&r->doc, &s);
}

static uint32_t
metric_make(struct trace_read *r, const char *name, pp_str event, bool primary)
{
	struct pp_metric metric = { .name = pp_build_strz(r->b, name),
		                    .unit = pp_build_strz(r->b, "ns"),
		                    .event = event,
		                    .kind = PP_KIND_WALL_TIME,
		                    .flags = primary ? PP_METRIC_PRIMARY : 0 };

	pp_fixed_metric(&r->fixed, &metric);
	return pp_build_metric(r->b, &metric);
}

static void
metrics_make(struct trace_read *r)
{
	bool several = r->has_samples + r->has_slices + (r->counters.n != 0) > 1;

	r->slices_event = several ? pp_build_strz(r->b, "slices") : 0;
	r->samples_event = several ? pp_build_strz(r->b, "cpu-profile") : 0;
	r->counters_event = several ? pp_build_strz(r->b, "counters") : 0;
	if (r->has_samples) {
		struct pp_metric count = { .name = pp_build_strz(r->b, "samples"),
			                   .unit = pp_build_strz(r->b, "samples"),
			                   .event = r->samples_event,
			                   .kind = PP_KIND_SAMPLES };

		r->time = metric_make(r, "time", r->samples_event, true);
		r->count = pp_build_metric(r->b, &count);
	}
	if (r->has_slices || !r->has_samples)
		r->dur = metric_make(r, "dur", r->slices_event, !r->has_samples);
	pp_trace_counters_metrics(r);
}

static void
document_read(struct trace_read *r)
{
	outline_read(r);
	if (!pp_builder_ok(r->b) || r->fixed.again)
		return;
	pp_trace_profiles_find(r);
	pp_trace_counters_settle(r);
	metrics_make(r);
	if (r->has_profiles)
		pp_trace_profiles_build(r);
	if (r->samples && r->frames)
		pp_trace_samples_build(r);
	if (!r->fixed.again && !r->unsorted)
		pp_trace_slices_build(r);
	if (!r->fixed.again && !r->unsorted) {
		pp_trace_counters_build(r);
		pp_trace_marks_build(r);
	}
	if (r->totals)
		pp_json_find(&r->doc, TRACE_TOTALS, r->totals_at, "%llu %s left out",
		             (unsigned long long)r->totals,
		             pp_plural(r->totals, "sum over slices (\"Total ...\") is",
		                       "sums over slices (\"Total ...\") are"));
	if (r->skipped)
		pp_json_find(&r->doc, TRACE_SKIPPED, r->skipped_at, "%llu %s (markers: %llu)",
		             (unsigned long long)r->skipped,
		             pp_plural(r->skipped, "event is no slice", "events are no slices"),
		             (unsigned long long)r->b->profile->markers);
}

/* Forgets what was read; what is known of numbers stays. */
static void
read_forget(struct trace_read *r)
{
	struct trace_read fresh = { .b = r->b,
		                    .fixed = r->fixed,
		                    .collect = r->collect || r->unsorted };
	size_t i;

	for (i = 0; i < r->threads.n; i++)
		pp_vec_release(&r->threads.at[i].slices);
	pp_vec_release(&r->threads);
	pp_vec_release(&r->profiles);
	pp_vec_release(&r->chunks);
	pp_vec_release(&r->processes);
	pp_vec_release(&r->counters);
	pp_vec_release(&r->counts);
	pp_vec_release(&r->marks);
	pp_map_release(&r->thread_of);
	pp_map_release(&r->frame_of);
	pp_map_release(&r->detail_of);
	pp_strtab_release(&r->strings);
	fresh.doc = r->doc;
	*r = fresh;
}

static pp_status
trace_event_read(struct pp_reader *reader, struct pp_builder *b)
{
	static const struct pp_fixed_rules rules = { TRACE_DIGITS, TRACE_DIGITS_FINE };
	struct trace_read r = { .b = b,
		                .fixed = { .decimals = V8_DECIMALS,
		                           .seconds = true,
		                           .doc = &r.doc,
		                           .rules = &rules } };
	pp_status status = pp_json_doc_open(&r.doc, reader, b, pp_trace_rules);
	bool again = status == PP_OK;

	while (again && pp_builder_ok(b)) {
		r.thread_of.seed = r.frame_of.seed = r.detail_of.seed = reader->seed;
		if (!pp_strtab_init(&r.strings, reader->seed)) {
			status = PP_E_NOMEM;
			break;
		}
		document_read(&r);
		again = pp_fixed_retry(&r.fixed) || r.unsorted;
		read_forget(&r);
		again = again && pp_json_doc_restart(&r.doc);
	}
	pp_json_doc_close(&r.doc, TRACE_CUT, TRACE_JSON);
	return status == PP_OK ? b->status : status;
}

static const struct pp_holds trace_event_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(CALLS) | PP_HAS(TIMELINE) | PP_HAS(THREADS) |
	           PP_HAS(MODULES) | PP_HAS(TIME),
	  .own = PP_HAS(EVENTS) | PP_HAS(METADATA) | PP_HAS(MARKERS),
	  .apart = PP_HAS(MODULES),
	  .metrics = 1,
	  .values = "ns" },
};

const struct pp_format pp_format_trace_event = {
	.name = "trace-event",
	.title = "trace events (Chrome, Perfetto, node, Hermes)",
	.extensions = "trace.json trace",
	.variants = NULL,
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE | PP_META,
	.writes = PP_WRITES_JSON,
	.bid = trace_event_bid,
	.read = trace_event_read,
	.write = pp_trace_event_write,
	.holds = trace_event_holds,
	.rules = pp_trace_rules,
};
