/*
 * pyinstrument: samples of Python as a tree, by `pyinstrument -r json`.
 *
 *     {"start_time": 1700000000.5, "duration": 1.25, "sample_count": 120, "cpu_time": 1.2, "program": "bakery.py",
 *      "root_frame": {"function": "<module>", "file_path": "/srv/bakery.py", "line_no": 1, "time": 1.25,
 *                     "await_time": 0, "children": [...]}}
 *
 * or, of sessions and version 5, {"session": {...}, "frame_tree": {"identifier": "main\0/srv/bakery.py\0001", "time": ...}}. Time is
 * seconds with all children; what they do not account for is the frame's own. Leaves called [self] and [await] are that own time,
 * told apart.
 */
#include "formats/author.h"
#include "formats/kit/json_members.h"

extern const struct pp_format pp_format_pyinstrument;

enum { PI_SHAPE, PI_NUMBER, PI_DIGITS, PI_DIGITS_FINE };

static const struct pp_rule pi_rules[] = {
	[PI_SHAPE] = { "pyinstrument-shape", PP_ERROR, "the file is not what pyinstrument writes",
	               "A pyinstrument profile is a JSON object with a tree of frames under root_frame or frame_tree. What "
	               "is missing or of another kind, and all behind the place where the JSON breaks off, was not read." },
	[PI_NUMBER] = { "pyinstrument-number", PP_ERROR, "a time is not a number",
	                "The time of a frame is a number of seconds. It counts as 0." },
	[PI_DIGITS] = { "pyinstrument-digits", PP_WARNING, PP_FIXED_TITLE, PP_FIXED_TEXT },
	[PI_DIGITS_FINE] = { "pyinstrument-digits", PP_NOTE, PP_FIXED_TITLE, PP_FIXED_TEXT },
	{ 0 },
};

/* Times are seconds, and counted in ns or finer. */
#define NS_DECIMALS 9
#define LOOKED_AT ((size_t)16 << 10)

enum { M_ROOT, M_TREE, M_SESSION, M_START, M_DURATION, M_COUNT, M_PROGRAM, M_CPU, MEMBERS };

/* A frame of the tree, in the order in which they begin. */
struct pi_node {
	uint32_t parent; /* + 1; 0 = none */
	struct pp_json_str name, file, brief, identifier;
	int64_t line, time, rest; /* `rest` is what its children do not have */
};

struct pi_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_slice text;
	struct pp_arena arena;
	struct pp_fixed fixed;        /* what times are */
	const unsigned char *rounded; /* the first that is not exact */
	bool quiet;                   /* it is not sure yet what times are: nothing is told */
	size_t problems;
	PP_VEC(struct pi_node) nodes;
	PP_VEC(uint32_t) open;   /* nodes whose objects are open */
	PP_VEC(pp_frame) frames; /* by node; 0 = it is its parent's own time */
	PP_VEC(pp_frame) stack;
	uint32_t series;
};

static void
report(struct pi_read *r, int rule, const unsigned char *at)
{
	r->problems++;
	if (r->quiet)
		return;
	r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &pi_rules[rule],
	            at >= r->text.p && at <= r->text.p + r->text.n ? pp_place_in(r->text, at)
	                                                           : PP_NOWHERE,
	            "%s", pi_rules[rule].title);
}

static int
pi_bid(const struct pp_peek *peek)
{
	struct pp_slice head = peek->head;

	/* The tree comes behind a few words of its recording. */
	head.n = head.n < LOOKED_AT || peek->outlined ? head.n : LOOKED_AT;
	if (!head.n || head.p[0] != '{')
		return 0;
	if (pp_slice_holds(head, "\"root_frame\"") && pp_slice_holds(head, "\"sample_count\""))
		return 200;
	if (pp_slice_holds(head, "\"root_frame\"") && pp_slice_holds(head, "\"time\"") &&
	    pp_slice_holds(head, "\"children\""))
		return 120;
	return pp_slice_holds(head, "\"frame_tree\"") && pp_slice_holds(head, "\"identifier\"")
	           ? 180
	           : 0;
}

/* ---- the tree of the file ----------------------------------------------------------------- */

static int64_t
time_take(struct pi_read *r, struct pp_scan *s)
{
	const unsigned char *at = s->cur;
	struct pp_json_num num;
	int64_t time = 0;

	if (pp_scan_peek(s) == PP_JSON_NUMBER && pp_scan_number(s, &num)) {
		unsigned char before = r->fixed.inexact;

		if (pp_fixed_read(&r->fixed, &num, 0, &time)) {
			r->rounded = r->fixed.inexact > before ? at : r->rounded;
			return time;
		}
	} else if (!pp_scan_skip(s, NULL)) {
		return 0;
	}
	report(r, PI_NUMBER, at);
	return 0;
}

/* The object of a frame begins; false when it is none. */
static bool
node_begin(struct pi_read *r, struct pp_scan *s)
{
	struct pi_node node = { .parent = r->open.n ? r->open.at[r->open.n - 1] + 1 : 0 };

	if (pp_scan_peek(s) != PP_JSON_OBJECT || !pp_scan_object(s))
		return false;
	if (!pp_vec_push(&r->nodes, node) || !pp_vec_push(&r->open, (uint32_t)r->nodes.n - 1))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return pp_builder_ok(r->b);
}

/* A member of the innermost frame but its children. */
static void
member_take(struct pi_read *r, struct pp_scan *s, struct pp_json_str key)
{
	struct pi_node *node = &r->nodes.at[r->open.at[r->open.n - 1]];
	struct pp_json_str *to = pp_json_str_eq(key, "function")          ? &node->name
	                         : pp_json_str_eq(key, "file_path")       ? &node->file
	                         : pp_json_str_eq(key, "file_path_short") ? &node->brief
	                         : pp_json_str_eq(key, "identifier")      ? &node->identifier
	                                                                  : NULL;
	struct pp_json_num num;

	if (to && pp_scan_peek(s) == PP_JSON_STRING)
		(void)pp_scan_string(s, to);
	else if (pp_json_str_eq(key, "time"))
		node->time = node->rest = time_take(r, s);
	else if (pp_json_str_eq(key, "line_no") && pp_scan_peek(s) == PP_JSON_NUMBER) {
		if (pp_scan_number(s, &num) && !pp_json_num_i64(&num, &node->line))
			node->line = 0;
	} else {
		(void)pp_scan_skip(s, NULL);
	}
}

/*
 * All frames, without recursion: a frame is open until its object ends, and within it the list of its children, of which the
 * scanner knows whether one more follows.
 */
static void
nodes_read(struct pi_read *r, struct pp_scan *s)
{
	struct pp_json_str key;
	bool listing = false;

	r->nodes.n = r->open.n = 0;
	if (!node_begin(r, s)) {
		report(r, PI_SHAPE, s->cur);
		return;
	}
	while (r->open.n && pp_builder_ok(r->b) && s->error == PP_SCAN_OK) {
		if (listing) {
			if (!pp_scan_item(s)) {
				listing = false;
			} else if (node_begin(r, s)) {
				listing = false;
			} else if (pp_builder_ok(r->b)) {
				report(r, PI_SHAPE, s->cur);
				(void)pp_scan_skip(s, NULL);
			}
			continue;
		}
		if (!pp_scan_key(s, &key)) {
			/* The frame has ended; it was a child of the one before, if there is one. */
			r->open.n--;
			listing = r->open.n > 0;
		} else if (pp_json_str_eq(key, "children") && pp_scan_peek(s) == PP_JSON_ARRAY) {
			listing = pp_scan_array(s);
		} else {
			member_take(r, s, key);
		}
	}
}

/* ---- stacks ------------------------------------------------------------------------------- */

static struct pp_slice
text_of(struct pi_read *r, struct pp_json_str str)
{
	return str.raw.n ? pp_build_json_text(r->b, str, &r->arena) : (struct pp_slice){ 0 };
}

/* "function\0file\0line", or members of their own. 0 stands for the parent's own time. */
static pp_frame
frame_of(struct pi_read *r, const struct pi_node *node)
{
	struct pp_slice name = text_of(r, node->name),
	                file = text_of(r, node->file.raw.n ? node->file : node->brief), rest;
	struct pp_func_row func = { 0 };
	int64_t line = node->line;
	uint64_t number;
	bool found;

	if (!name.n && node->identifier.raw.n) {
		rest = text_of(r, node->identifier);
		name = pp_slice_cut(&rest, 0, &found);
		file = pp_slice_cut(&rest, 0, &found);
		rest = pp_slice_cut(&rest, 1, &found);
		if (pp_num_u64(rest, &number) && number <= UINT32_MAX)
			line = (int64_t)number;
	}
	if (pp_slice_eq_z(name, "[self]"))
		return 0;
	func.name = pp_build_str(r->b, name);
	func.file = file.n && !pp_slice_eq_z(file, "<built-in>") ? pp_build_str(r->b, file) : 0;
	func.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
	func.flags = !func.file && name.n && name.p[0] == '[' ? PP_FUNC_PSEUDO : 0u;
	return pp_build_frame(r->b, &(struct pp_frame_row){ .func = pp_build_func(r->b, &func) });
}

static void
stack_give(struct pi_read *r, uint32_t node, int64_t time)
{
	size_t i, n;

	r->stack.n = 0;
	for (node++; node; node = r->nodes.at[node - 1].parent)
		if (r->frames.at[node - 1] && !pp_vec_push(&r->stack, r->frames.at[node - 1]))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	for (i = 0, n = r->stack.n; i < n / 2; i++) {
		pp_frame swap = r->stack.at[i];

		r->stack.at[i] = r->stack.at[n - 1 - i];
		r->stack.at[n - 1 - i] = swap;
	}
	(void)pp_build_stack(r->b, r->series, r->stack.at, r->stack.n, &time);
}

static void
stacks_make(struct pi_read *r)
{
	size_t i;

	for (i = 0; i < r->nodes.n && pp_builder_ok(r->b); i++) {
		const struct pi_node *node = &r->nodes.at[i];
		pp_frame frame = frame_of(r, node);

		if (!pp_vec_push(&r->frames, frame))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		/* Time called [self] stays with the parent. */
		if (node->parent && frame &&
		    __builtin_sub_overflow(r->nodes.at[node->parent - 1].rest, node->time,
		                           &r->nodes.at[node->parent - 1].rest))
			r->nodes.at[node->parent - 1].rest = 0;
		if (r->arena.bytes > 1 << 20)
			pp_arena_release(&r->arena);
	}
	for (i = 0; i < r->nodes.n && pp_builder_ok(r->b); i++)
		if (r->frames.at[i] && r->nodes.at[i].rest > 0)
			stack_give(r, (uint32_t)i, r->nodes.at[i].rest);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void
meta_make(struct pi_read *r, const struct pp_json_member m[MEMBERS])
{
	struct pp_json_num num;
	struct pp_decimal d;
	int64_t value;
	size_t i;

	if (pp_json_member_whole(&m[M_COUNT], &value) && value > 0)
		r->b->profile->samples = (uint64_t)value;
	for (i = M_START; i < MEMBERS; i++) {
		struct pp_scan s = m[i].at;
		struct pp_slice text;

		if (i == M_START && m[i].type == PP_JSON_NUMBER && pp_scan_number(&s, &num) &&
		    pp_json_num_decimal(&num, &d) && pp_decimal_scaled(&d, 1000000000, &value) &&
		    value > 0)
			pp_profile_record_at(r->b->profile, (uint64_t)value);
		s = m[i].at;
		if (!(r->reader->order->facets == 0 ||
		      r->reader->order->facets & (PP_META | PP_EXTRAS)))
			continue;
		if (pp_json_member_text(&m[i], &text))
			pp_build_meta_z(r->b, m[i].key, PP_META_TEXT, text);
		else if (m[i].type == PP_JSON_NUMBER && pp_scan_skip(&s, &text))
			pp_build_meta_z(r->b, m[i].key, PP_META_NUMBER, text);
	}
}

/* All nodes, in a unit that is fine enough for their times; and the metric. */
static void
tree_read(struct pi_read *r, struct pp_scan root)
{
	struct pp_metric metric = { .name = pp_build_strz(r->b, "time"),
		                    .unit = pp_build_strz(r->b, "ns"),
		                    .kind = PP_KIND_WALL_TIME,
		                    .flags = PP_METRIC_PRIMARY | PP_METRIC_SAMPLED };
	struct pp_scan s;

	r->fixed = (struct pp_fixed){ .decimals = NS_DECIMALS, .seconds = true };
	r->quiet = true;
	r->problems = 0;
	do {
		s = root;
		r->rounded = NULL;
		nodes_read(r, &s);
	} while (pp_fixed_retry(&r->fixed) && pp_builder_ok(r->b));
	r->quiet = false;
	if (r->problems && pp_builder_ok(r->b))
		nodes_read(r, &root);
	if (r->rounded)
		pp_diag_add(
		    r->reader->diags,
		    &pi_rules[r->fixed.inexact == PP_FIXED_FINE ? PI_DIGITS_FINE : PI_DIGITS],
		    pp_place_in(r->text, r->rounded), "%s", PP_FIXED_TITLE);
	pp_fixed_metric(&r->fixed, &metric);
	(void)pp_build_metric(r->b, &metric);
}

static pp_status
profile_read(struct pi_read *r)
{
	static const char *const keys[MEMBERS] = { "root_frame", "frame_tree", "session",
		                                   "start_time", "duration",   "sample_count",
		                                   "program",    "cpu_time" };
	struct pp_json_member m[MEMBERS], outer[MEMBERS];
	struct pp_scan s, root;
	size_t i;

	for (i = 0; i < MEMBERS; i++)
		m[i].key = outer[i].key = keys[i];
	pp_scan_init(&s, r->text, 0, PP_SCAN_TOLERANT);
	if (!pp_json_members(&s, outer, MEMBERS) || !pp_scan_end(&s))
		report(r, PI_SHAPE, s.error_at ? s.error_at : r->text.p);
	memcpy(m, outer, sizeof m);
	if (outer[M_SESSION].type == PP_JSON_OBJECT)
		(void)pp_json_members(&outer[M_SESSION].at, m, MEMBERS);
	root = outer[M_ROOT].type == PP_JSON_OBJECT ? outer[M_ROOT].at : outer[M_TREE].at;
	if (outer[M_ROOT].type != PP_JSON_OBJECT && outer[M_TREE].type != PP_JSON_OBJECT) {
		if (s.error == PP_SCAN_OK)
			report(r, PI_SHAPE, r->text.p);
		return PP_E_INVALID;
	}
	tree_read(r, root);
	r->series = pp_build_series_plain(r->b, true, false);
	r->b->profile->producer = pp_build_strz(r->b, "pyinstrument");
	r->b->profile->facets |= PP_TREE;
	meta_make(r, m);
	if (pp_builder_ok(r->b))
		stacks_make(r);
	return PP_OK;
}

static pp_status
pi_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct pi_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);

	if (status == PP_OK) {
		r.text = pp_slice_between(reader->in->cur, reader->in->end);
		status = profile_read(&r);
		reader->in->cur = reader->in->end;
	}
	pp_arena_release(&r.arena);
	pp_vec_release(&r.nodes);
	pp_vec_release(&r.open);
	pp_vec_release(&r.frames);
	pp_vec_release(&r.stack);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_holds pi_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(RECORDED) |
	           PP_HAS(SAMPLES) | PP_HAS(METADATA) },
};

const struct pp_format pp_format_pyinstrument = {
	.name = "pyinstrument",
	.title = "pyinstrument profile (Python)",
	.extensions = "pyisession",
	.can = PP_CAN_READ | PP_TREE | PP_META,
	.bid = pi_bid,
	.read = pi_read,
	.holds = pi_holds,
	.rules = pi_rules,
};
