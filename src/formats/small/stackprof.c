/*
 * stackprof: samples of Ruby, as JSON (stackprof --json, or StackProf.results.to_json).
 *
 *     {"version": 1.2, "mode": "wall", "interval": 1000, "samples": 6, "gc_samples": 0, "missed_samples": 0,
 *      "frames": {"70247": {"name": "Foo#bar", "file": "a.rb", "line": 9, "total_samples": 5, "samples": 5,
 *                           "edges": {"70248": 5}, "lines": {"12": [5, 5]}}, ...},
 *      "raw": [2, 70247, 70248, 3, ...],              a stack root first: how many frames, each, how often
 *      "raw_timestamp_deltas": [900, 1100, ...]}      us, for each sample in turn
 *
 * Without raw it is known only what each frame cost, and which called which. Ids are pointers, and known by their digits:
 * they exceed 2^53. What Ruby's Marshal writes (stackprof's own dumps) is not read.
 */
#include "formats/author.h"
#include "formats/kit/json_members.h"
#include "formats/kit/no_stack.h"

extern const struct pp_format pp_format_stackprof;

#define LOOKED_AT ((size_t)16 << 10)

enum { SP_SHAPE, SP_RAW, SP_FRAME, SP_DELTAS, SP_DIGITS, SP_DIGITS_FINE, SP_MISSED };

/* Times are us. */
#define DELTA_DECIMALS 6

#define DIGITS_TEXT PP_FIXED_TEXT " What is no number at all counts as 0."

static const struct pp_rule sp_rules[] = {
	[SP_SHAPE] = { "stackprof-shape", PP_ERROR, "the file is not what stackprof writes",
	               "A stackprof profile is a JSON object with the frames by their ids; each is an object. What is "
	               "missing or of another kind was not read." },
	[SP_RAW] = { "stackprof-raw", PP_ERROR, "the list of stacks breaks off",
	             "Each stack is a number of frames, as many ids, and a count. What follows the place where that "
	             "does not fit was not read." },
	[SP_FRAME] = { "stackprof-frame", PP_ERROR, "a stack names a frame that is not listed",
	               "Stacks are made of the ids of frames. The stack was left out." },
	[SP_DELTAS] = { "stackprof-deltas", PP_WARNING, "there are not as many times as samples",
	                "Each sample has the time since the one before (raw_timestamp_deltas). Where they differ in "
	                "number, some times belong to no stack, or some stacks have none." },
	[SP_DIGITS] = { "stackprof-digits", PP_WARNING, PP_FIXED_TITLE, DIGITS_TEXT },
	[SP_DIGITS_FINE] = { "stackprof-digits", PP_NOTE, PP_FIXED_TITLE, DIGITS_TEXT },
	[SP_MISSED] = { "stackprof-missed", PP_NOTE, "samples were missed",
	                "stackprof could not take some samples in time. The shares of functions are those of the "
	                "others." },
	{ 0 },
};

enum {
	M_FRAMES,
	M_RAW,
	M_DELTAS,
	M_MODE,
	M_INTERVAL,
	M_MISSED,
	M_VERSION,
	M_SAMPLES,
	M_GC,
	MEMBERS
};

struct sp_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_places places;
	struct pp_arena arena;
	struct pp_json_member member[MEMBERS];
	struct pp_strtab ids;
	PP_VEC(pp_frame) frames; /* by id; 0 = not listed */
	struct pp_map numbers;   /* frames by the number that their id is */
	PP_VEC(pp_frame) stack;
	pp_json_numbers deltas;
	struct pp_fixed fixed; /* what they are */
	bool timed, flat;
	uint32_t series;
	size_t delta; /* the next one */
};

static void
report(struct sp_read *r, int rule, const unsigned char *at)
{
	if (sp_rules[rule].severity == PP_ERROR)
		r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &sp_rules[rule],
	            at ? pp_place_in(r->places.text, at) : PP_NOWHERE, "%s", sp_rules[rule].title);
}

/* What tells stackprof stands before its frames, unless somebody sorted it; no more of other files is looked at. */
static int
sp_bid(const struct pp_peek *peek)
{
	static const char *const words[] = { "\"mode\"", "\"interval\"", "\"samples\"",
		                             "\"frames\"", "\"version\"" };
	struct pp_slice head = peek->head;
	size_t i, n = 0;

	head.n = head.n < LOOKED_AT || peek->outlined ? head.n : LOOKED_AT;
	if (!head.n || head.p[0] != '{')
		return 0;
	for (i = 0; i < PP_COUNT_OF(words); i++)
		n += pp_slice_holds(head, words[i]);
	/* Dumps that somebody else made have no counts of what was missed. */
	if (pp_slice_holds(head, "\"missed_samples\"") || pp_slice_holds(head, "\"gc_samples\""))
		return n >= 3 ? (int)((n + 1) * 32) : 0;
	return n == PP_COUNT_OF(words) && pp_slice_holds(head, "\"total_samples\"") ? 64 : 0;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* The place of an id; UINT32_MAX when out of memory. */
static uint32_t
id_of(struct sp_read *r, struct pp_slice digits)
{
	bool is_new;
	pp_str id;

	if (!pp_strtab_intern(&r->ids, digits.p, digits.n, &id, &is_new)) {
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		return UINT32_MAX;
	}
	while (r->frames.n <= id)
		if (!pp_vec_push(&r->frames, 0)) {
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
			return UINT32_MAX;
		}
	return id;
}

static pp_str
text_of(struct sp_read *r, const struct pp_json_member *m)
{
	struct pp_scan s = m->at;
	struct pp_json_str str;

	if (m->type != PP_JSON_STRING || !pp_scan_string(&s, &str))
		return 0;
	return pp_build_str(r->b, pp_build_json_text(r->b, str, &r->arena));
}

/* "lines": {"12": [total, self] or total} */
static void
lines_read(struct sp_read *r, struct pp_scan s, pp_func func)
{
	struct pp_line_row row = { .func = func, .series = r->series };
	struct pp_json_str key;
	pp_json_numbers numbers = { 0 };
	uint64_t line;

	row.file = r->b->profile->funcs.at[func].file;
	if (!pp_scan_object(&s))
		return;
	while (pp_builder_ok(r->b) && pp_scan_key(&s, &key)) {
		struct pp_scan value = s;
		int64_t costs[2] = { 0 };

		numbers.n = 0;
		if (pp_scan_peek(&s) == PP_JSON_ARRAY &&
		    pp_json_numbers_read(value, &numbers) == PP_LIST_NO_MEMORY)
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
		if (!pp_scan_skip(&s, NULL))
			break;
		if (numbers.n < 2 || numbers.at[1] <= 0 || !pp_num_u64(key.raw, &line) ||
		    line > UINT32_MAX)
			continue;
		costs[0] = numbers.at[1];
		row.line = (uint32_t)line;
		(void)pp_build_line_add(r->b, &row, costs, 1, NULL);
	}
	pp_vec_release(&numbers);
}

/* A number that is no count is told, and counts as 0. */
static void
count_check(struct sp_read *r, const struct pp_json_member *m)
{
	int64_t value;

	if (m->type == PP_JSON_NUMBER && (!pp_json_member_whole(m, &value) || value < 0))
		report(r, SP_SHAPE, m->at.cur);
}

/* What a frame costs, where there are no stacks. */
static void
costs_read(struct sp_read *r, pp_func func, const struct pp_json_member *own,
           const struct pp_json_member *all)
{
	struct pp_func_costs costs, whole;
	int64_t value;

	if (!pp_build_func_costs(r->b, func, &costs))
		return;
	count_check(r, own);
	count_check(r, all);
	if (pp_json_member_whole(own, &value) && value >= 0) {
		costs.own->i += value;
		if (pp_build_func_costs(r->b, 0, &whole)) {
			whole.own->i += value;
			whole.total->i += value;
		}
	}
	if (pp_json_member_whole(all, &value) && value >= 0 &&
	    pp_build_func_costs(r->b, func, &costs))
		costs.total->i += value;
}

static void
frame_read(struct sp_read *r, struct pp_json_str id, struct pp_scan *s)
{
	enum { NAME, FILE_, LINE, OWN, ALL, LINES, FIELDS };
	struct pp_json_member m[FIELDS] = { { .key = "name" },          { .key = "file" },
		                            { .key = "line" },          { .key = "samples" },
		                            { .key = "total_samples" }, { .key = "lines" } };
	struct pp_func_row func = { .flags = PP_FUNC_DECLARED };
	uint32_t at = id_of(r, id.raw);
	uint64_t number;
	int64_t line;
	pp_func made;

	if (pp_scan_peek(s) != PP_JSON_OBJECT) {
		report(r, SP_SHAPE, s->cur);
		(void)pp_scan_skip(s, NULL);
		return;
	}
	if (!pp_json_members(s, m, FIELDS) || !pp_builder_ok(r->b))
		return;
	func.name = text_of(r, &m[NAME]);
	if (!func.name) {
		func.name = pp_build_strz(r->b, "(unknown)");
		func.flags |= PP_FUNC_UNKNOWN;
	}
	func.file = text_of(r, &m[FILE_]);
	if (pp_json_member_whole(&m[LINE], &line) && line > 0 && line <= UINT32_MAX)
		func.line = (uint32_t)line;
	made = pp_build_func(r->b, &func);
	r->frames.at[at] = pp_build_frame(r->b, &(struct pp_frame_row){ .func = made });
	/* Lists of stacks have the same digits as a number. */
	if (pp_num_u64(id.raw, &number) && (id.raw.p[0] != '0' || id.raw.n == 1) &&
	    !pp_map_set(&r->numbers, number, r->frames.at[at]))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if (!pp_builder_ok(r->b))
		return;
	if (r->flat)
		costs_read(r, made, &m[OWN], &m[ALL]);
	if (m[LINES].type == PP_JSON_OBJECT && pp_builder_keeps(r->b, PP_LINES))
		lines_read(r, m[LINES].at, made);
	if (r->arena.bytes > 1 << 20)
		pp_arena_release(&r->arena);
}

/* Which frame called which: the callees of each, and how many samples saw that. */
static void
edges_read(struct sp_read *r, struct pp_scan s)
{
	struct pp_json_str id, callee;
	struct pp_json_num num;

	if (!pp_scan_object(&s))
		return;
	while (pp_builder_ok(r->b) && pp_scan_key(&s, &id)) {
		uint32_t at = id_of(r, id.raw);
		struct pp_json_member edges = { .key = "edges" };

		if (pp_scan_peek(&s) != PP_JSON_OBJECT) {
			(void)pp_scan_skip(&s, NULL);
			continue;
		}
		if (!pp_json_members(&s, &edges, 1) || !pp_builder_ok(r->b))
			return;
		if (edges.type != PP_JSON_OBJECT || !pp_scan_object(&edges.at))
			continue;
		while (pp_builder_ok(r->b) && pp_scan_key(&edges.at, &callee) &&
		       pp_scan_number(&edges.at, &num)) {
			uint32_t to = id_of(r, callee.raw);
			int64_t value;

			if (to == UINT32_MAX || !r->frames.at[to] || !r->frames.at[at])
				continue;
			if (!pp_json_num_i64(&num, &value)) {
				report(r, SP_SHAPE, num.text.p);
				continue;
			}
			(void)pp_build_edge_add(
			    r->b,
			    &(struct pp_edge_row){
			        .caller = pp_frame_func(r->b->profile, r->frames.at[at]),
			        .callee = pp_frame_func(r->b->profile, r->frames.at[to]) },
			    0, &value, 1, NULL);
		}
	}
}

/* ---- stacks ------------------------------------------------------------------------------- */

static void
stack_give(struct sp_read *r, int64_t count)
{
	int64_t values[2] = { count, 0 };
	int64_t i;

	for (i = 0; r->timed && i < count && r->delta < r->deltas.n; i++, r->delta++)
		if (r->deltas.at[r->delta] != PP_JSON_NO_NUMBER &&
		    !pp_cell_add(PP_INT, &values[1], r->deltas.at[r->delta])) {
			pp_builder_overflow(r->b, 0, 1, r->b->place);
			break;
		}
	if (!r->stack.n && !pp_vec_push(&r->stack, pp_no_stack_frame(r->b)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	pp_count_add(&r->b->profile->samples, (uint64_t)count);
	(void)pp_build_stack(r->b, r->series, r->stack.at, r->stack.n, values);
}

/* Numbers of the list that were read ahead, and the scan before them. */
struct raw {
	struct pp_scan s, before;
	uint64_t some[256];
	size_t n, at;
};

/* Whether the list goes on. */
static bool
raw_more(struct raw *x)
{
	if (x->at < x->n)
		return true;
	x->before = x->s;
	x->n = pp_scan_plain_u64s(&x->s, x->some, PP_COUNT_OF(x->some));
	x->at = 0;
	return x->n > 0 || pp_scan_item(&x->s);
}

/* A whole number that comes next in the list, whose digits are given where it was not read ahead; false when it is none. */
static bool
raw_number(struct raw *x, uint64_t *value, struct pp_slice *digits)
{
	struct pp_json_num num;

	digits->n = 0;
	if (PP_LIKELY(x->at < x->n)) {
		*value = x->some[x->at++];
		return true;
	}
	if (pp_scan_peek(&x->s) != PP_JSON_NUMBER || !pp_scan_number(&x->s, &num) || !num.integer ||
	    num.negative)
		return false;
	*digits = num.text;
	*value = num.fits ? num.magnitude : UINT64_MAX;
	return true;
}

/* Where the number stands that came last. */
static const unsigned char *
raw_place(const struct raw *x)
{
	struct pp_scan s = x->before;
	size_t i;

	for (i = 0; i + 1 < x->at && pp_scan_item(&s); i++)
		(void)pp_scan_skip(&s, NULL);
	(void)pp_scan_item(&s);
	return s.cur;
}

/* The frame of an id, 0 when it is not listed. */
static pp_frame
raw_frame(struct sp_read *r, uint64_t value, struct pp_slice digits)
{
	uint32_t found;
	pp_str id;

	if (digits.n)
		return pp_strtab_find(&r->ids, digits.p, digits.n, &id) ? r->frames.at[id] : 0;
	found = pp_map_get(&r->numbers, value);
	return found == PP_MAP_NONE ? 0 : found;
}

/* One stack, whose depth comes next; false when it breaks off. */
static bool
stack_read(struct sp_read *r, struct raw *x)
{
	struct pp_slice digits;
	uint64_t n, i, value;
	bool fine = true;

	r->stack.n = 0;
	if (!raw_number(x, &n, &digits) || n > INT64_MAX)
		return false;
	for (i = 0; i < n && pp_builder_ok(r->b); i++) {
		pp_frame frame;

		if (!raw_more(x) || !raw_number(x, &value, &digits))
			return false;
		frame = raw_frame(r, value, digits);
		fine &= frame != 0;
		if (frame && !pp_vec_push(&r->stack, frame))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	if (!raw_more(x) || !raw_number(x, &value, &digits) || value > INT64_MAX)
		return false;
	if (fine) {
		stack_give(r, (int64_t)value);
	} else {
		report(r, SP_FRAME, raw_place(x));
		r->delta += r->timed && value < r->deltas.n - r->delta ? (size_t)value
		                                                       : r->deltas.n - r->delta;
	}
	return true;
}

static void
stacks_read(struct sp_read *r)
{
	struct raw x = { .s = r->member[M_RAW].at };
	bool fine = true;
	uint64_t given;

	if (!pp_scan_array(&x.s))
		return;
	while (fine && pp_builder_ok(r->b) && raw_more(&x))
		fine = stack_read(r, &x);
	if (!pp_builder_ok(r->b))
		return;
	given = r->b->profile->samples;
	if (!fine || x.s.error != PP_SCAN_OK)
		report(r, SP_RAW, x.s.cur < x.s.end ? x.s.cur : x.s.error_at);
	else if (r->timed && (r->delta != r->deltas.n || given > r->deltas.n))
		report(r, SP_DELTAS, NULL);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void
deltas_read(struct sp_read *r)
{
	struct pp_scan s = r->member[M_DELTAS].at;
	enum pp_json_list list;

	r->fixed = (struct pp_fixed){ .decimals = DELTA_DECIMALS, .seconds = true };
	list = pp_json_numbers_fixed(s, &r->fixed, DELTA_DECIMALS, &r->deltas);
	if (list == PP_LIST_NO_MEMORY)
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	if ((list == PP_LIST_ODD && pp_scan_skip(&s, NULL)) || r->fixed.inexact)
		report(r,
		       list == PP_LIST_FINE && r->fixed.inexact == PP_FIXED_FINE ? SP_DIGITS_FINE
		                                                                 : SP_DIGITS,
		       r->member[M_DELTAS].at.cur);
	r->timed = r->deltas.n > 0;
}

static void
metrics_make(struct sp_read *r)
{
	struct pp_slice mode = { 0 };
	struct pp_metric time;

	(void)pp_json_member_text(&r->member[M_MODE], &mode);
	r->flat = r->member[M_RAW].type != PP_JSON_ARRAY;
	if (r->member[M_DELTAS].type == PP_JSON_ARRAY && !pp_slice_eq_z(mode, "object") &&
	    !r->flat) {
		deltas_read(r);
	}
	(void)pp_build_metric_z(r->b, "samples", "samples", PP_KIND_SAMPLES, PP_INT,
	                        PP_METRIC_PRIMARY | PP_METRIC_SAMPLED);
	if (!r->timed)
		return;
	time = (struct pp_metric){ .name = pp_build_strz(r->b, "time"),
		                   .unit = pp_build_strz(r->b, "ns"),
		                   .kind = pp_slice_eq_z(mode, "cpu") ? PP_KIND_CPU_TIME
		                                                      : PP_KIND_WALL_TIME,
		                   .flags = PP_METRIC_SAMPLED };
	pp_fixed_metric(&r->fixed, &time);
	(void)pp_build_metric(r->b, &time);
}

static void
meta_make(struct sp_read *r)
{
	size_t i;

	for (i = M_MODE; i < MEMBERS; i++) {
		struct pp_scan s = r->member[i].at;
		struct pp_slice value;

		if (pp_json_member_text(&r->member[i], &value))
			pp_build_meta_z(r->b, r->member[i].key, PP_META_TEXT, value);
		else if (r->member[i].type == PP_JSON_NUMBER && pp_scan_skip(&s, &value))
			pp_build_meta_z(r->b, r->member[i].key, PP_META_NUMBER, value);
	}
}

static pp_status
profile_read(struct sp_read *r, struct pp_slice text)
{
	static const char *const keys[MEMBERS] = {
		[M_FRAMES] = "frames",
		[M_RAW] = "raw",
		[M_DELTAS] = "raw_timestamp_deltas",
		[M_MODE] = "mode",
		[M_INTERVAL] = "interval",
		[M_MISSED] = "missed_samples",
		[M_VERSION] = "version",
		[M_SAMPLES] = "samples",
		[M_GC] = "gc_samples",
	};
	struct pp_profile *p = r->b->profile;
	struct pp_json_str id;
	struct pp_scan s;
	int64_t missed;
	size_t i;

	r->places.text = text;
	for (i = 0; i < MEMBERS; i++)
		r->member[i].key = keys[i];
	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	if (!pp_json_members(&s, r->member, MEMBERS) || !pp_scan_end(&s))
		report(r, SP_SHAPE, s.error_at ? s.error_at : text.p);
	if (r->member[M_FRAMES].type != PP_JSON_OBJECT) {
		if (s.error == PP_SCAN_OK)
			report(r, SP_SHAPE, text.p);
		return PP_E_INVALID;
	}
	metrics_make(r);
	r->series = pp_build_series_plain(r->b, true, false);
	p->producer = pp_build_strz(r->b, "stackprof");
	p->facets |= r->flat ? PP_EDGES : PP_TREE;
	p->costs.stated = p->costs.measured = r->flat;
	if (r->reader->order->facets == 0 || r->reader->order->facets & (PP_META | PP_EXTRAS))
		meta_make(r);
	s = r->member[M_FRAMES].at;
	if (pp_scan_object(&s))
		while (pp_builder_ok(r->b) && pp_scan_key(&s, &id))
			frame_read(r, id, &s);
	p->facets |= p->lines.rows.n ? PP_LINES : 0;
	if (pp_builder_ok(r->b) && r->flat)
		edges_read(r, r->member[M_FRAMES].at);
	else if (pp_builder_ok(r->b))
		stacks_read(r);
	/* Calls were not counted. */
	if (r->flat)
		p->costs.calls.n = 0;
	if (pp_builder_ok(r->b) && pp_json_member_whole(&r->member[M_MISSED], &missed) &&
	    missed > 0)
		pp_diag_add(r->reader->diags, &sp_rules[SP_MISSED], PP_NOWHERE,
		            "%lld samples were missed", (long long)missed);
	return PP_OK;
}

static pp_status
sp_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct sp_read r = { .reader = reader, .b = b, .numbers.seed = reader->seed };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);

	if (status == PP_OK && !pp_strtab_init(&r.ids, reader->seed))
		status = PP_E_NOMEM;
	if (status == PP_OK) {
		status = profile_read(&r, pp_slice_between(reader->in->cur, reader->in->end));
		reader->in->cur = reader->in->end;
	}
	pp_strtab_release(&r.ids);
	pp_map_release(&r.numbers);
	pp_arena_release(&r.arena);
	pp_vec_release(&r.frames);
	pp_vec_release(&r.stack);
	pp_vec_release(&r.deltas);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_holds sp_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(PAIRS) | PP_HAS(FILES) |
	           PP_HAS(FIRST_LINES) | PP_HAS(LINES) | PP_HAS(SAMPLES) | PP_HAS(METADATA) },
};

const struct pp_format pp_format_stackprof = {
	.name = "stackprof",
	.title = "stackprof profile (Ruby)",
	.extensions = "stackprof.json",
	.can = PP_CAN_READ | PP_TREE | PP_EDGES | PP_LINES | PP_META,
	.bid = sp_bid,
	.read = sp_read,
	.holds = sp_holds,
	.rules = sp_rules,
};
