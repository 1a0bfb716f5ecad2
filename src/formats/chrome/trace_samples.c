/*
 * CPU profiles within traces, in chunks or whole, and samples with stackFrames.
 */
#include "formats/chrome/trace.h"
#include "formats/kit/no_stack.h"

static const struct v8_rules trace_v8 = { .lenient = true,
	                                  .shape = TRACE_PROFILE,
	                                  .node_id = TRACE_PROFILE,
	                                  .child = TRACE_PROFILE,
	                                  .parent = TRACE_PROFILE_PARENT,
	                                  .sample = TRACE_PROFILE_SAMPLE,
	                                  .number = TRACE_PROFILE_NUMBER,
	                                  .delta_count = TRACE_PROFILE,
	                                  .delta_negative = TRACE_PROFILE_DELTA_NEGATIVE,
	                                  .end = TRACE_PROFILE_END,
	                                  .far = TRACE_DIGITS };

/* What a chunk holds. */
struct part {
	const unsigned char *at, *nodes, *samples, *deltas;
	bool has_end, has_start, timed;
	int64_t end, start, time; /* `time`: of the event itself */
};

static void
numbers_read(struct trace_read *r, struct pp_scan *s, bool *has, int64_t *out)
{
	struct pp_json_num num;

	*has = pp_scan_if_number(s, &num) && pp_fixed_time(&r->fixed, &num, V8_DECIMALS, out);
}

/* nodes, samples and, in a profile that is whole, times. */
static void
profile_outline(struct trace_read *r, const unsigned char *at, struct part *part)
{
	struct pp_scan s = pp_json_doc_scan(&r->doc, at);
	struct pp_json_str key;

	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		bool array = pp_scan_peek(&s) == PP_JSON_ARRAY;

		if (array && pp_json_str_eq(key, "nodes"))
			part->nodes = s.cur;
		else if (array && pp_json_str_eq(key, "samples"))
			part->samples = s.cur;
		else if (array && pp_json_str_eq(key, "timeDeltas"))
			part->deltas = s.cur;
		if (pp_json_str_eq(key, "endTime"))
			numbers_read(r, &s, &part->has_end, &part->end);
		else if (pp_json_str_eq(key, "startTime"))
			numbers_read(r, &s, &part->has_start, &part->start);
		else
			(void)pp_scan_pass(&s);
	}
}

static struct part
part_outline(struct trace_read *r, const unsigned char *at, const unsigned char *data)
{
	struct part part = { .at = at };
	struct pp_scan s;
	struct pp_json_str key;
	const unsigned char *profile = NULL;

	if (!data)
		return part;
	s = pp_json_doc_scan(&r->doc, data);
	(void)pp_scan_object(&s);
	while (pp_scan_key(&s, &key)) {
		enum pp_json_type type = pp_scan_peek(&s);

		if (type == PP_JSON_OBJECT && pp_json_str_eq(key, "cpuProfile"))
			profile = s.cur;
		else if (type == PP_JSON_ARRAY && pp_json_str_eq(key, "timeDeltas"))
			part.deltas = s.cur;
		if (pp_json_str_eq(key, "endTime"))
			numbers_read(r, &s, &part.has_end, &part.end);
		else if (pp_json_str_eq(key, "startTime"))
			numbers_read(r, &s, &part.has_start, &part.start);
		else
			(void)pp_scan_pass(&s);
	}
	if (profile)
		profile_outline(r, profile, &part);
	return part;
}

/* ---- which there are ----------------------------------------------------------------------- */

static int
compare_chunks(const void *left, const void *right)
{
	const struct trace_chunk *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* The first chunk of a profile; chunks.n when there is none. */
static size_t
chunk_find(const struct trace_read *r, const struct trace_profile *p)
{
	size_t low = 0, high = r->chunks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct trace_chunk *c = &r->chunks.at[mid];

		if (c->pid < p->pid || (c->pid == p->pid && c->id < p->id))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool
is_of(const struct trace_read *r, size_t chunk, const struct trace_profile *p)
{
	return chunk < r->chunks.n && r->chunks.at[chunk].pid == p->pid &&
	       r->chunks.at[chunk].id == p->id;
}

/* Whether a later event is of the same profile, which then counts. */
static bool
is_replaced(const struct trace_read *r, size_t profile)
{
	size_t i;

	for (i = profile + 1; i < r->profiles.n && i < profile + 64; i++)
		if (r->profiles.at[i].pid == r->profiles.at[profile].pid &&
		    r->profiles.at[i].id == r->profiles.at[profile].id)
			return true;
	return false;
}

/* Whether an array (or NULL) has elements. */
static bool
has_items(const struct trace_read *r, const unsigned char *array)
{
	const unsigned char *end = r->doc.text.p + r->doc.text.n;

	return array && (array = pp_scan_space(array + 1, end)) < end && *array != ']';
}

void
pp_trace_profiles_find(struct trace_read *r)
{
	size_t i, k;

	if (r->chunks.n)
		qsort(r->chunks.at, r->chunks.n, sizeof *r->chunks.at, compare_chunks);
	r->has_profiles = r->profiles.n || r->chunks.n;
	for (i = 0; i < r->profiles.n && !r->has_samples; i++) {
		struct part part = part_outline(r, r->profiles.at[i].at, r->profiles.at[i].data);

		r->has_samples |= has_items(r, part.samples);
		for (k = chunk_find(r, &r->profiles.at[i]); is_of(r, k, &r->profiles.at[i]); k++) {
			part = part_outline(r, r->chunks.at[k].at, r->chunks.at[k].data);
			r->has_samples |= has_items(r, part.samples);
		}
	}
	r->has_samples |= r->frames && has_items(r, r->samples);
}

/* ---- profiles ------------------------------------------------------------------------------ */

static void
nodes_read(struct trace_read *r, struct v8_tree *tree, const struct part *part)
{
	struct pp_scan s;

	if (!part->nodes)
		return;
	s = pp_json_doc_scan(&r->doc, part->nodes);
	(void)pp_scan_array(&s);
	while (pp_builder_ok(r->b) && pp_scan_item(&s))
		pp_v8_node_read(tree, &s);
}

/* When the clock of the samples starts: the Profile event says so, or else the first chunk that does. */
static int64_t
start_find(const struct part *head, const struct part *parts, size_t n)
{
	size_t i;

	for (i = 0; !head->has_start && i < n; i++)
		if (parts[i].has_start)
			return parts[i].start;
	return head->has_start ? head->start : 0;
}

/*
 * When the last sample ends, by the clock of the samples, which starts with the Profile event. A chunk that has a start of its
 * own counts its end from there: converters write both from the time since boot, and 0 in the Profile event. An end without
 * such a start is of no use if it is far beyond the event that states it.
 */
static bool
end_find(struct trace_read *r, const struct part *head, const struct part *part, int64_t *end)
{
	int64_t lasts, known;

	if (!part->has_end)
		return false;
	*end = part->end;
	if (!head->has_start || part->at == head->at)
		return true;
	if (part->has_start)
		return !__builtin_sub_overflow(part->end, part->start, &lasts) &&
		       !__builtin_add_overflow(head->start, lasts, end);
	if (!part->timed || part->time <= head->start ||
	    __builtin_sub_overflow(part->time, head->start, &known) ||
	    (!__builtin_sub_overflow(part->end, head->start, &lasts) && lasts / 2 <= known))
		return true;
	pp_json_find(&r->doc, TRACE_PROFILE_END, part->at,
	             "the end is from another clock than the samples");
	return false;
}

static void
parts_build(struct trace_read *r, const struct trace_profile *p, const struct part *parts, size_t n,
            struct v8_tree *tree)
{
	struct v8_samples x = { .tree = tree,
		                .fixed = &r->fixed,
		                .samples = r->count,
		                .time = r->time,
		                .unsorted = &r->unsorted,
		                .collect = r->collect };
	struct part head = part_outline(r, p->at, p->data);
	bool any = false, has_end = head.has_end;
	int64_t end = head.end, other;
	size_t i;

	for (i = 0; i < n; i++) {
		nodes_read(r, tree, &parts[i]);
		any |= has_items(r, parts[i].samples);
	}
	pp_v8_tree_settle(tree);
	if (!any || !pp_builder_ok(r->b))
		return;
	x.series = pp_trace_series(r, p->thread, false);
	pp_v8_samples_begin(&x, start_find(&head, parts, n));
	for (i = 0; i < n && pp_builder_ok(r->b); i++) {
		if (end_find(r, &head, &parts[i], &other)) {
			has_end = true;
			end = other;
		}
		if (!parts[i].samples) {
			if (has_items(r, parts[i].deltas))
				pp_json_find(&r->doc, TRACE_PROFILE, parts[i].at,
				             "a chunk has times without samples");
			continue;
		}
		x.more = x.fewer = 0;
		pp_v8_samples_read(&x, parts[i].samples, parts[i].deltas);
		if (x.more || x.fewer || !parts[i].deltas)
			pp_json_find(&r->doc, TRACE_PROFILE, parts[i].at,
			             "a chunk has not as many times as samples");
	}
	r->b->profile->samples += x.n;
	pp_v8_samples_end(&x, has_end, end, p->at);
}

static void
profile_build(struct trace_read *r, const struct trace_profile *p)
{
	PP_VEC(struct part) parts = { 0 };
	struct v8_tree tree;
	struct part part;
	size_t k;

	pp_v8_tree_init(&tree, &r->doc, &trace_v8);
	if (p->whole && !pp_vec_push(&parts, part_outline(r, p->at, p->data)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	for (k = chunk_find(r, p); !p->whole && is_of(r, k, p); k++) {
		part = part_outline(r, r->chunks.at[k].at, r->chunks.at[k].data);
		part.timed = r->chunks.at[k].timed;
		part.time = r->chunks.at[k].ts;
		if (!pp_vec_push(&parts, part))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	if (pp_builder_ok(r->b))
		parts_build(r, p, parts.at, parts.n, &tree);
	pp_vec_release(&parts);
	pp_v8_tree_release(&tree);
}

void
pp_trace_profiles_build(struct trace_read *r)
{
	size_t i, k;

	for (k = 0; k < r->chunks.n; k++) {
		const struct trace_chunk *c = &r->chunks.at[k];
		bool known = k && c->pid == r->chunks.at[k - 1].pid &&
		             c->id == r->chunks.at[k - 1].id;

		for (i = 0; i < r->profiles.n && !known; i++)
			known = r->profiles.at[i].pid == c->pid && r->profiles.at[i].id == c->id;
		if (!known)
			pp_json_find(&r->doc, TRACE_PROFILE, c->at,
			             "a chunk belongs to no Profile event");
	}
	for (i = 0; i < r->profiles.n && pp_builder_ok(r->b) && !r->unsorted; i++)
		if (!is_replaced(r, i))
			profile_build(r, &r->profiles.at[i]);
}

/* ---- stackFrames --------------------------------------------------------------------------- */

struct stack_frame {
	pp_str parent; /* of the reader's strings */
	pp_frame frame;
	bool known;
};

struct moment {
	int64_t time;
	uint32_t thread, order;
	pp_str frame;
	const unsigned char *at;
};

struct stacks {
	struct trace_read *r;
	PP_VEC(struct stack_frame) frames; /* by the reader's strings */
	PP_VEC(struct moment) moments;
	PP_VEC(pp_frame) way;
};

static void
frames_read(struct stacks *x)
{
	struct trace_read *r = x->r;
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->frames);
	struct pp_json_str key, text;

	(void)pp_scan_object(&s);
	while (pp_builder_ok(r->b) && pp_scan_key(&s, &key)) {
		pp_str id = pp_trace_string(r, pp_build_json_text(r->b, key, &r->doc.arena));
		struct stack_frame frame = { 0 };
		pp_str name = 0, category = 0;
		bool object = pp_scan_peek(&s) == PP_JSON_OBJECT && pp_scan_object(&s);

		if (!object)
			(void)pp_scan_pass(&s);
		while (object && pp_scan_key(&s, &key))
			if (pp_json_str_eq(key, "name"))
				name = pp_scan_if_string(&s, &text) ? pp_json_doc_str(&r->doc, text)
				                                    : 0;
			else if (pp_json_str_eq(key, "category"))
				category = pp_scan_if_string(&s, &text)
				               ? pp_json_doc_str(&r->doc, text)
				               : 0;
			else if (pp_json_str_eq(key, "parent"))
				frame.parent = pp_trace_string(r, pp_trace_id(r, &s));
			else
				(void)pp_scan_skip(&s, NULL);
		if (!object || s.error != PP_SCAN_OK)
			continue;
		frame.known = true;
		frame.frame = pp_trace_frame(r, name ? name : pp_build_strz(r->b, "(unnamed)"),
		                             category);
		if (x->frames.n <= id) {
			size_t old = x->frames.n;

			if (!pp_vec_reserve(&x->frames, (size_t)id + 1)) {
				pp_builder_fail(r->b, PP_E_NOMEM, NULL);
				return;
			}
			memset(x->frames.at + old, 0, (id + 1 - old) * sizeof *x->frames.at);
			x->frames.n = (size_t)id + 1;
		}
		x->frames.at[id] = frame;
	}
	pp_json_doc_scanned(&r->doc, &s);
}

static void
moments_read(struct stacks *x)
{
	struct trace_read *r = x->r;
	struct pp_scan s = pp_json_doc_scan(&r->doc, r->samples);
	struct pp_json_str key;

	(void)pp_scan_array(&s);
	while (pp_builder_ok(r->b) && pp_scan_item(&s)) {
		struct moment m = { .order = (uint32_t)x->moments.n };
		struct pp_slice pid = { 0 }, tid = { 0 };
		bool object = pp_scan_peek(&s) == PP_JSON_OBJECT, timed = false;

		m.at = s.cur;
		if (!object)
			(void)pp_scan_pass(&s);
		else
			(void)pp_scan_object(&s);
		while (object && pp_scan_key(&s, &key))
			if (pp_json_str_eq(key, "ts"))
				timed = pp_trace_time(r, &s, &m.time);
			else if (pp_json_str_eq(key, "pid"))
				pid = pp_trace_id(r, &s);
			else if (pp_json_str_eq(key, "tid"))
				tid = pp_trace_id(r, &s);
			else if (pp_json_str_eq(key, "sf"))
				m.frame = pp_trace_string(r, pp_trace_id(r, &s));
			else
				(void)pp_scan_skip(&s, NULL);
		if (s.error != PP_SCAN_OK)
			break;
		if (!timed) {
			pp_json_find(&r->doc, TRACE_TS, m.at, "a sample has no time");
			continue;
		}
		m.thread = pp_trace_thread(r, pid, tid);
		if (!pp_vec_push(&x->moments, m))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	pp_json_doc_scanned(&r->doc, &s);
}

static int
compare_moments(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* The node of a stack, from its innermost frame; false when one is missing or above itself. */
static bool
stack_place(struct stacks *x, pp_str id, pp_node *node)
{
	x->way.n = 0;
	for (; id; id = x->frames.at[id].parent) {
		if (id >= x->frames.n || !x->frames.at[id].known || x->way.n > x->frames.n)
			return false;
		if (!pp_vec_push(&x->way, x->frames.at[id].frame))
			pp_builder_fail(x->r->b, PP_E_NOMEM, NULL);
	}
	*node = 0;
	if (!x->way.n)
		*node = pp_build_child(x->r->b, 0, pp_no_stack_frame(x->r->b));
	while (x->way.n && pp_builder_ok(x->r->b))
		*node = pp_build_child(x->r->b, *node, x->way.at[--x->way.n]);
	return true;
}

/* When a sample was. */
static void
moment_keep(struct trace_read *r, uint32_t series, pp_node node, int64_t time, int64_t lasts)
{
	struct pp_profile *p = r->b->profile;
	struct pp_timeline *t = &p->series.at[series].timeline;
	struct pp_event event = { .kind = PP_EVENT_SAMPLE, .node = node };
	int64_t values[4] = { 0 };

	if (!pp_times_kept(r->b))
		return;
	values[r->count] = 1;
	values[r->time] = lasts;
	(void)pp_fixed_ns(&r->fixed, time, &event.time);
	if ((!t->last_values && !pp_timeline_init(t, (uint32_t)p->metrics.n, false)) ||
	    !pp_timeline_add(t, &event, values))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
}

void
pp_trace_samples_build(struct trace_read *r)
{
	struct stacks x = { .r = r };
	uint32_t series = 0, thread = UINT32_MAX;
	size_t i;

	frames_read(&x);
	moments_read(&x);
	if (x.moments.n)
		qsort(x.moments.at, x.moments.n, sizeof *x.moments.at, compare_moments);
	for (i = 0; i < x.moments.n && pp_builder_ok(r->b) && !r->fixed.again; i++) {
		const struct moment *m = &x.moments.at[i];
		bool last = i + 1 == x.moments.n || m[1].thread != m->thread;
		int64_t lasts = 0, *cells;
		pp_node node;

		if (m->thread != thread)
			series = pp_trace_series(r, m->thread, false);
		thread = m->thread;
		if (!stack_place(&x, m->frame, &node)) {
			pp_json_find(&r->doc, TRACE_FRAME, m->at,
			             "the stack of a sample is not known");
			continue;
		}
		if (!last && __builtin_sub_overflow(m[1].time, m->time, &lasts)) {
			pp_json_find(&r->doc, TRACE_DIGITS, m->at,
			             "a sample lasts longer than 64 bits can tell");
			lasts = 0;
		}
		r->b->profile->samples++;
		cells = pp_builder_ok(r->b) ? pp_build_cells(r->b, series, node) : NULL;
		if (!cells)
			break;
		cells[r->count]++;
		if (!pp_cell_add(PP_INT, &cells[r->time], lasts))
			pp_builder_overflow(r->b, pp_node_func(r->b->profile, node), r->time,
			                    r->b->place);
		moment_keep(r, series, node, m->time, lasts);
	}
	pp_vec_release(&x.frames);
	pp_vec_release(&x.moments);
	pp_vec_release(&x.way);
}
