/*
 * Reading: first an outline of the document, whose long arrays are passed by their brackets, then frames, then each profile. So keys
 * may come in any order, and what is long is scanned once.
 */
#include "formats/speedscope/read.h"
#include "text/units.h"

#include "formats/kit/no_stack.h"

/* ---- frames -------------------------------------------------------------------------------- */

static void
frame_read(struct speedscope_read *r, struct pp_scan *s)
{
	struct pp_func_row func = { 0 };
	struct pp_frame_row frame = { 0 };
	const unsigned char *at = s->cur;
	struct pp_json_str key, text;
	bool object = pp_scan_peek(s) == PP_JSON_OBJECT && pp_scan_object(s), named = false;
	uint64_t n;

	if (!object)
		(void)pp_scan_pass(s);
	while (object && pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, "name")) {
			named = pp_scan_if_string(s, &text);
			func.name = named ? pp_json_doc_str(&r->doc, text) : 0;
		} else if (pp_json_str_eq(key, "file")) {
			func.file = pp_scan_if_string(s, &text) ? pp_json_doc_str(&r->doc, text)
			                                        : 0;
		} else if (pp_json_str_eq(key, "line")) {
			func.line = pp_scan_if_count(s, UINT32_MAX, &n) ? (uint32_t)n : 0;
		} else if (pp_json_str_eq(key, "col")) {
			func.column = pp_scan_if_count(s, UINT32_MAX, &n) ? (uint32_t)n : 0;
		} else {
			r->extras |= pp_scan_skip(s, NULL);
		}
	}
	if (s->error != PP_SCAN_OK)
		return;
	if (!named)
		pp_json_find(&r->doc, SPEEDSCOPE_SHAPE, at, "frame %zu has no name", r->frames.n);
	frame.func = named ? pp_build_func(r->b, &func) : 0;
	if (!pp_vec_push(&r->frames, named ? pp_build_frame(r->b, &frame) : 0))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* False when there are none at all. */
static bool
frames_read(struct speedscope_read *r)
{
	struct pp_scan s;
	struct pp_json_str key;
	const unsigned char *frames = NULL;

	if (r->shared) {
		s = pp_json_doc_scan(&r->doc, r->shared);
		(void)pp_scan_object(&s);
		while (pp_scan_key(&s, &key))
			if (pp_json_str_eq(key, "frames"))
				frames = pp_speedscope_note(&s, PP_JSON_ARRAY);
			else
				r->extras |= pp_scan_pass(&s);
		pp_json_doc_scanned(&r->doc, &s);
	}
	if (!frames)
		return false;
	s = pp_json_doc_scan(&r->doc, frames);
	(void)pp_scan_array(&s);
	while (pp_builder_ok(r->b) && pp_scan_item(&s)) {
		(void)pp_scan_peek(&s);
		frame_read(r, &s);
	}
	pp_json_doc_scanned(&r->doc, &s);
	return true;
}

/* ---- samples ------------------------------------------------------------------------------- */

/* A sample without frames. */
static void
stack_of_none(struct speedscope_read *r)
{
	if (!r->no_stack)
		r->no_stack = pp_no_stack_frame(r->b);
	if (!pp_vec_push(&r->stack, r->no_stack))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

/* Adds a sample to the timeline of its series, which the tree's builder does where no profile is evented. */
static void
moment_add(struct speedscope_read *r, const struct pp_sample *sample, pp_node node)
{
	struct pp_timeline *t = &r->b->profile->series.at[sample->series].timeline;
	struct pp_event event = { .kind = PP_EVENT_SAMPLE, .node = node, .time = sample->time };
	size_t n = r->b->profile->metrics.n;

	if (!sample->timed || !r->keeps || n > PP_FEW_COLUMNS || !pp_builder_ok(r->b))
		return;
	if ((!t->last_values && !pp_timeline_init(t, (uint32_t)n, false)) ||
	    !pp_timeline_add(t, &event, sample->values))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

static void
cost_add(struct speedscope_read *r, const struct speedscope_part *part, uint32_t series,
         int64_t weight, int64_t *time)
{
	struct pp_sample sample = { .series = series,
		                    .values = r->values.at,
		                    .timed = !part->laid_out };
	const struct speedscope_measure *measure = &r->measures.at[part->measure];
	uint32_t metric = measure->metric - 1;
	pp_node node = 0;
	size_t i;

	if (!r->stack.n)
		stack_of_none(r);
	r->far |= r->past;
	sample.time = *time;
	if (part->kind == SPEEDSCOPE_TIME && !pp_fixed_ns(&measure->fixed, *time, &sample.time))
		r->far = true;
	r->values.at[metric] = weight;
	if (!r->walks) {
		(void)pp_build_sample(r->b, &sample, r->stack.at, r->stack.n);
	} else {
		for (i = 0; i < r->stack.n && pp_builder_ok(r->b); i++)
			node = pp_build_child(r->b, node, r->stack.at[i]);
		if (pp_builder_ok(r->b) && !pp_build_add(r->b, series, node, metric, weight))
			pp_builder_overflow(r->b, pp_node_func(r->b->profile, node), metric,
			                    r->b->place);
		moment_add(r, &sample, node);
	}
	r->values.at[metric] = 0;
	if (measure->fixed.is_unsigned
	        ? __builtin_add_overflow(*time, (uint64_t)weight, time)
	        : weight > 0 && __builtin_add_overflow(*time, weight, time)) {
		*time = INT64_MAX;
		r->past = true;
	}
}

/* The frames of a sample, if they are what they must be. */
static bool
sample_read(struct speedscope_read *r, struct pp_scan *s)
{
	uint64_t few[64], index;
	bool fine = true;
	size_t n, i;

	r->stack.n = 0;
	if (pp_scan_peek(s) != PP_JSON_ARRAY) {
		(void)pp_scan_pass(s);
		return false;
	}
	(void)pp_scan_array(s);
	for (;;) {
		n = pp_scan_plain_u64s(s, few, PP_COUNT_OF(few));
		if (n == 0) {
			if (!pp_scan_item(s))
				break;
			n = 1;
			fine &= pp_scan_if_count(s, UINT32_MAX, &index);
			few[0] = fine ? index : UINT64_MAX;
		}
		if (!pp_vec_reserve(&r->stack, r->stack.n + n)) {
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
			return false;
		}
		for (i = 0; i < n; i++) {
			pp_frame frame = few[i] < r->frames.n ? r->frames.at[few[i]] : 0;

			fine &= frame != 0;
			r->stack.at[r->stack.n++] = frame;
		}
	}
	return fine && s->error == PP_SCAN_OK;
}

static void
sampled_read(struct speedscope_read *r, const struct speedscope_part *part, uint32_t series)
{
	struct pp_fixed *fixed = &r->measures.at[part->measure].fixed;
	struct pp_scan s, w;
	struct pp_json_num num;
	int64_t weight, time = 0;
	bool more, weighed;

	if (!part->samples || !part->weights) {
		pp_json_find(&r->doc, SPEEDSCOPE_SHAPE, part->at, "a sampled profile has no %s",
		             part->samples ? "weights" : "samples");
		return;
	}
	r->far = r->past = false;
	if (!part->laid_out)
		r->keeps = pp_times_kept(r->b);
	if (part->start.there)
		(void)pp_fixed_time(fixed, &part->start.num, part->decimals, &time);
	s = pp_json_doc_scan(&r->doc, part->samples);
	w = pp_json_doc_scan(&r->doc, part->weights);
	(void)(pp_scan_array(&s) && pp_scan_array(&w));
	for (;;) {
		const unsigned char *at;
		bool number;

		more = pp_scan_item(&s);
		weighed = pp_scan_item(&w);
		if (!more || !weighed || !pp_speedscope_goes_on(r))
			break;
		at = w.cur;
		number = pp_scan_if_number(&w, &num) &&
		         pp_fixed_read(fixed, &num, part->decimals, &weight);
		r->again |= fixed->again;
		if (w.error != PP_SCAN_OK)
			break;
		pp_builder_at(r->b, pp_at_offset((uint64_t)(s.cur - r->doc.text.p)));
		if (!number) {
			pp_json_find(&r->doc, SPEEDSCOPE_NUMBER, at,
			             "a weight is not a number of 64 bits");
			(void)pp_scan_pass(&s);
			continue;
		}
		at = s.cur;
		if (!sample_read(r, &s)) {
			if (s.error == PP_SCAN_OK)
				pp_json_find(&r->doc, SPEEDSCOPE_FRAME_INDEX, at,
				             "a sample has a frame that does not exist");
			continue;
		}
		if (weight < 0 && !fixed->is_unsigned)
			pp_json_find(&r->doc, SPEEDSCOPE_WEIGHT_NEGATIVE, at,
			             "a weight is negative");
		r->b->profile->samples += !part->laid_out;
		cost_add(r, part, series, weight, &time);
	}
	if (more != weighed && s.error == PP_SCAN_OK && w.error == PP_SCAN_OK)
		pp_json_find(&r->doc, SPEEDSCOPE_LENGTHS, more ? s.cur : w.cur,
		             "there are more %s than %s", more ? "samples" : "weights",
		             more ? "weights" : "samples");
	if (r->far && !part->laid_out)
		pp_json_find(
		    &r->doc, SPEEDSCOPE_DIGITS, part->weights,
		    "the weights add up to more than 64 bits hold: when samples were is not "
		    "known");
	pp_json_doc_scanned(&r->doc, &s);
	pp_json_doc_scanned(&r->doc, &w);
}

/* ---- events -------------------------------------------------------------------------------- */

struct happening {
	int64_t frame, at;
	bool has_frame, has_at;
	unsigned char type;
};

/* Numbers and texts as json_alike.h gives them: frame and at; type. */
static void
happening_scan(struct speedscope_read *r, struct pp_scan *s, const struct speedscope_part *part,
               struct happening *h)
{
	struct pp_json_str key, text;
	struct pp_fixed *fixed = &r->measures.at[part->measure].fixed;
	struct pp_json_num num;
	bool plain = true;
	uint64_t index;

	*h = (struct happening){ 0 };
	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s)) {
		(void)pp_scan_pass(s);
		return;
	}
	while (pp_scan_key(s, &key)) {
		if (pp_json_str_eq(key, "frame") && pp_scan_peek(s) == PP_JSON_NUMBER) {
			if (!pp_scan_number(s, &num))
				return;
			pp_json_alike_number(&r->alike, &num, 0);
			h->has_frame = pp_json_num_u64(&num, &index) && index < r->frames.n;
			h->frame = h->has_frame ? (int64_t)index : 0;
		} else if (pp_json_str_eq(key, "at") && pp_scan_peek(s) == PP_JSON_NUMBER) {
			if (!pp_scan_number(s, &num))
				return;
			pp_json_alike_number(&r->alike, &num, 1);
			h->has_at = pp_fixed_time(fixed, &num, part->decimals, &h->at);
		} else if (pp_json_str_eq(key, "type") && pp_scan_peek(s) == PP_JSON_STRING) {
			if (!pp_scan_string(s, &text))
				return;
			pp_json_alike_text(&r->alike, &text, 0);
			plain &= !text.escaped;
			h->type = pp_json_str_eq(text, "O")   ? 'O'
			          : pp_json_str_eq(text, "C") ? 'C'
			                                      : 0;
		} else {
			plain = false;
			r->extras |= pp_scan_skip(s, NULL);
		}
	}
	pp_json_alike_end(&r->alike, s,
	                  plain && h->has_at && h->has_frame && h->type &&
	                      part->decimals == fixed->decimals);
	r->again |= fixed->again;
}

static void
happening_read(struct speedscope_read *r, struct pp_scan *s, const struct speedscope_part *part,
               struct happening *h)
{
	const struct pp_fixed *fixed = &r->measures.at[part->measure].fixed;
	const unsigned char *from = s->cur;
	bool after = s->after_value;
	struct pp_slice texts[1];
	int64_t numbers[2];
	bool alike = pp_json_alike_read(&r->alike, s, numbers, texts);

	if (alike && PP_UNLIKELY(!pp_fixed_is_near(fixed, numbers[1]))) {
		s->cur = from;
		s->after_value = after;
		alike = false;
	}
	if (alike)
		*h = (struct happening){ numbers[0], numbers[1],
			                 numbers[0] >= 0 && (uint64_t)numbers[0] < r->frames.n,
			                 true, texts[0].n == 1 ? *texts[0].p : 0 };
	else
		happening_scan(r, s, part, h);
}

/* Closes a frame, and all within it. */
static void
frame_close(struct speedscope_read *r, struct pp_call_walk *walk, uint32_t frame,
            const unsigned char *at)
{
	size_t i = r->open.n;

	if (i && r->open.at[i - 1] == frame) {
		r->open.n--;
		r->times.at[frame]--;
		pp_call_walk_leave(walk);
		return;
	}
	if (!r->times.at[frame])
		i = 0;
	while (i > 0 && r->open.at[i - 1] != frame)
		i--;
	pp_json_find(&r->doc, SPEEDSCOPE_EVENT_CLOSE, at, "frame %u is %s", frame,
	             i ? "not the innermost one" : "not open");
	for (; i > 0 && r->open.n >= i; r->open.n--) {
		r->times.at[r->open.at[r->open.n - 1]]--;
		pp_call_walk_leave(walk);
	}
}

static void
happening_take(struct speedscope_read *r, struct pp_call_walk *walk, const struct happening *h,
               const unsigned char *at)
{
	int64_t time = h->at;

	if (!h->has_at) {
		pp_json_find(&r->doc, SPEEDSCOPE_NUMBER, at,
		             "the time of an event is not a number of 64 bits");
		return;
	}
	if (!h->has_frame || !r->frames.at[h->frame]) {
		pp_json_find(&r->doc, SPEEDSCOPE_FRAME_INDEX, at,
		             "an event has a frame that does not exist");
		return;
	}
	if (walk->begun && time < walk->time) {
		pp_json_find(&r->doc, SPEEDSCOPE_EVENT_ORDER, at,
		             "an event is before the one before it");
		time = walk->time;
	}
	r->b->profile->events++;
	pp_call_walk_until(walk, time);
	if (h->type == 'O') {
		if (!pp_vec_push(&r->open, (uint32_t)h->frame))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		r->times.at[h->frame]++;
		pp_call_walk_enter(walk, r->frames.at[h->frame]);
	} else if (h->type == 'C') {
		frame_close(r, walk, (uint32_t)h->frame, at);
	} else {
		pp_json_find(&r->doc, SPEEDSCOPE_EVENT_TYPE, at,
		             "an event neither opens nor closes");
	}
}

static void
evented_read(struct speedscope_read *r, const struct speedscope_part *part, uint32_t series)
{
	struct speedscope_measure *measure = &r->measures.at[part->measure];
	struct pp_fixed *fixed = &measure->fixed;
	struct pp_call_walk walk = { .b = r->b,
		                     .series = series,
		                     .metric = measure->metric - 1,
		                     .fixed = fixed,
		                     .ns = part->kind == SPEEDSCOPE_TIME,
		                     .alone = r->alone };
	int64_t start = INT64_MIN, end = INT64_MAX;
	const unsigned char *outside = NULL, *at;
	struct happening h;
	struct pp_scan s;

	if (!part->events) {
		pp_json_find(&r->doc, SPEEDSCOPE_SHAPE, part->at,
		             "an evented profile has no events");
		return;
	}
	if (part->start.there)
		(void)pp_fixed_time(fixed, &part->start.num, part->decimals, &start);
	if (part->end.there)
		(void)pp_fixed_time(fixed, &part->end.num, part->decimals, &end);
	pp_call_walk_begin(&walk);
	/* All are closed between profiles, so these are 0 again. */
	for (; r->open.n; r->open.n--)
		r->times.at[r->open.at[r->open.n - 1]]--;
	r->alike = (struct pp_json_alike){ 0 };
	s = pp_json_doc_scan(&r->doc, part->events);
	(void)pp_scan_array(&s);
	while (pp_speedscope_goes_on(r) && pp_scan_item(&s)) {
		(void)pp_scan_peek(&s);
		at = s.cur;
		happening_read(r, &s, part, &h);
		if (s.error != PP_SCAN_OK)
			break;
		pp_builder_at(r->b, pp_at_offset((uint64_t)(at - r->doc.text.p)));
		happening_take(r, &walk, &h, at);
		if (PP_UNLIKELY(walk.time < start || walk.time > end) && walk.begun && !outside)
			outside = at;
	}
	if (outside)
		pp_json_find(&r->doc, SPEEDSCOPE_RANGE, outside,
		             "events are outside of startValue to endValue");
	if (r->open.n && pp_speedscope_goes_on(r)) {
		pp_json_find(&r->doc, SPEEDSCOPE_OPEN, s.error_at ? s.error_at : s.cur,
		             "%zu %s open at the end", r->open.n,
		             pp_plural(r->open.n, "frame is", "frames are"));
		r->b->profile->complete = false;
		pp_call_walk_until(&walk, part->end.there && end > walk.time ? end : walk.time);
	}
	pp_call_walk_end(&walk);
	pp_json_doc_scanned(&r->doc, &s);
}

/* ---- profiles ------------------------------------------------------------------------------ */

static void
metric_make(struct speedscope_read *r, struct speedscope_measure *measure)
{
	static const struct {
		const char *name, *unit;
		enum pp_metric_kind kind;
	} kinds[] = { [SPEEDSCOPE_TIME] = { "time", "ns", PP_KIND_WALL_TIME },
		      [SPEEDSCOPE_BYTES] = { "bytes", "bytes", PP_KIND_BYTES },
		      [SPEEDSCOPE_WEIGHT] = { "weight", "count", PP_KIND_OTHER } };
	struct pp_metric metric = { .type = PP_INT, .kind = kinds[measure->kind].kind };

	if (measure->metric)
		return;
	metric.name = measure->name ? pp_build_str(r->b, pp_strtab_get(&r->strings, measure->name))
	                            : pp_build_strz(r->b, kinds[measure->kind].name);
	metric.unit = measure->unit ? pp_build_str(r->b, pp_strtab_get(&r->strings, measure->unit))
	                            : pp_build_strz(r->b, kinds[measure->kind].unit);
	if (pp_slice_eq_z(pp_text_of(r->b->profile, metric.unit), "samples"))
		metric.kind = PP_KIND_SAMPLES;
	/* What tells which metric a stack has no value of, and which it has one of that is 0. */
	if (r->is_ours)
		metric.event = pp_build_str(r->b, pp_strtab_get(&r->strings, measure->event));
	else if (r->measures.n > 1)
		metric.event = metric.name;
	if (measure == &r->measures.at[r->parts.at[r->active].measure])
		metric.flags = PP_METRIC_PRIMARY;
	pp_fixed_metric(&measure->fixed, &metric);
	measure->metric = pp_build_metric(r->b, &metric) + 1;
}

/* The metrics of all profiles; that of the active one is the primary one. */
static void
metrics_make(struct speedscope_read *r)
{
	size_t i;

	for (i = 0; i < r->parts.n; i++) {
		const struct speedscope_part *part = &r->parts.at[i];
		struct pp_fixed *fixed = &r->measures.at[part->measure].fixed;

		fixed->wanted = part->decimals > fixed->wanted ? part->decimals : fixed->wanted;
		if (part->is_object && !part->unit_known)
			pp_json_find(&r->doc, SPEEDSCOPE_UNIT, part->at,
			             "the unit of a profile is not known");
		r->walks |= part->events && pp_json_str_eq(part->type, "evented");
		r->is_ours |= part->is_ours;
		r->alone &= pp_json_str_eq(part->type, "evented");
	}
	for (i = 0; i < r->measures.n; i++)
		(void)pp_fixed_retry(&r->measures.at[i].fixed);
	if (r->active_wrong || (r->parts.n && r->active >= r->parts.n)) {
		pp_json_find(&r->doc, SPEEDSCOPE_ACTIVE, r->active_at,
		             "activeProfileIndex is not the place of a profile");
		r->active = 0;
	}
	for (i = 0; i < r->parts.n; i++)
		metric_make(r, &r->measures.at[r->parts.at[i].measure]);
}

/* What startValue and endValue say of the whole. */
static void
span_read(struct speedscope_read *r, const struct speedscope_part *part)
{
	struct pp_fixed *fixed = &r->measures.at[part->measure].fixed;
	int64_t start = 0, end = 0;
	bool both = part->start.there && part->end.there &&
	            pp_fixed_time(fixed, &part->start.num, part->decimals, &start) &&
	            pp_fixed_time(fixed, &part->end.num, part->decimals, &end);

	r->again |= fixed->again;
	if (part->start.wrong || part->end.wrong)
		pp_json_find(&r->doc, SPEEDSCOPE_RANGE_WRONG, part->at,
		             "startValue or endValue is not a number");
	else if (!both || end < start)
		pp_json_find(&r->doc, SPEEDSCOPE_RANGE, part->at,
		             both ? "endValue is before startValue"
		                  : "startValue or endValue is missing");
	if (!both || part->laid_out || end < start || part->kind != SPEEDSCOPE_TIME ||
	    !pp_fixed_ns(fixed, start, &start) || !pp_fixed_ns(fixed, end, &end))
		return;
	r->start = r->timed && r->start < start ? r->start : start;
	r->end = r->timed && r->end > end ? r->end : end;
	r->timed = true;
}

static void
part_build(struct speedscope_read *r, const struct speedscope_part *part)
{
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };
	bool evented = pp_json_str_eq(part->type, "evented");
	uint32_t series;

	if (!part->is_object) {
		pp_json_find(&r->doc, SPEEDSCOPE_SHAPE, part->at, "a profile is not an object");
		return;
	}
	span_read(r, part);
	if (!part->has_name)
		pp_json_find(&r->doc, SPEEDSCOPE_NAME, part->at, "a profile has no name");
	like.thread = part->has_thread
	                  ? pp_build_str(r->b, pp_strtab_get(&r->strings, part->thread))
	              : part->has_name ? pp_json_doc_str(&r->doc, part->name)
	                               : 0;
	like.event = r->b->profile->metrics.at[r->measures.at[part->measure].metric - 1].event;
	series = pp_build_series(r->b, &like, r->parts.n == 1, evented);
	if (evented)
		evented_read(r, part, series);
	else if (pp_json_str_eq(part->type, "sampled"))
		sampled_read(r, part, series);
	else
		pp_json_find(&r->doc, SPEEDSCOPE_TYPE, part->at,
		             "a profile is neither sampled nor evented");
}

static void
document_read(struct speedscope_read *r)
{
	struct pp_profile *p;
	size_t i;

	for (i = 0; i < r->measures.n; i++)
		r->measures.at[i].metric = 0;
	r->shared = r->profiles = r->active_at = NULL;
	r->active = r->parts.n = r->frames.n = 0;
	r->is_ours = r->parts_known = r->active_wrong = r->schema = r->timed = r->extras =
	    r->walks = r->again = false;
	r->alone = true;
	r->no_stack = 0;
	pp_speedscope_outline(r);
	/* Without memory for its measure a profile has none. */
	if (!pp_builder_ok(r->b))
		return;
	if (r->doc.bom)
		pp_json_find(&r->doc, SPEEDSCOPE_BOM, r->doc.text.p, "a byte order mark");
	if (!r->schema && r->doc.broken == PP_SCAN_OK)
		pp_json_find(&r->doc, SPEEDSCOPE_SCHEMA_RULE, r->doc.text.p, "there is no $schema");
	if (!frames_read(r) || !r->profiles) {
		pp_json_find(&r->doc, SPEEDSCOPE_SHAPE, r->doc.text.p, "there is no %s",
		             r->profiles ? "shared.frames" : "list of profiles");
		return;
	}
	if (!r->parts.n)
		pp_json_find(&r->doc,
		             r->doc.broken == PP_SCAN_OK ? SPEEDSCOPE_EMPTY : SPEEDSCOPE_SHAPE,
		             r->profiles, "there is no profile");
	metrics_make(r);
	if (!pp_vec_reserve(&r->values, r->measures.n + 1) ||
	    !pp_vec_reserve(&r->times, r->frames.n + 1)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return;
	}
	memset(r->values.at, 0, (r->measures.n + 1) * sizeof *r->values.at);
	memset(r->times.at, 0, (r->frames.n + 1) * sizeof *r->times.at);
	r->open.n = 0;
	for (i = 0; i < r->parts.n && pp_speedscope_goes_on(r); i++)
		part_build(r, &r->parts.at[i]);
	p = r->b->profile;
	p->time = (struct pp_time_span){ r->timed, r->start, r->end };
	if (r->extras)
		p->holds |= PP_EXTRAS;
}

pp_status
pp_speedscope_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct speedscope_read r = { .b = b };
	pp_status status = pp_json_doc_open(&r.doc, reader, b, pp_speedscope_rules);
	bool again = status == PP_OK && pp_strtab_init(&r.strings, reader->seed);
	size_t i;

	if (status == PP_OK && !again)
		status = PP_E_NOMEM;

	while (again && pp_builder_ok(b)) {
		document_read(&r);
		again = r.again;
		for (i = 0; i < r.measures.n; i++)
			again |= pp_fixed_retry(&r.measures.at[i].fixed);
		again = again && pp_json_doc_restart(&r.doc);
	}
	pp_json_doc_close(&r.doc, SPEEDSCOPE_CUT, SPEEDSCOPE_JSON);
	pp_strtab_release(&r.strings);
	pp_vec_release(&r.measures);
	pp_vec_release(&r.parts);
	pp_vec_release(&r.frames);
	pp_vec_release(&r.stack);
	pp_vec_release(&r.values);
	pp_vec_release(&r.open);
	pp_vec_release(&r.times);
	return status == PP_OK ? b->status : status;
}
