/*
 * DHAT: where a program allocated what, by valgrind --tool=dhat and by Rust's dhat.
 *
 *     {"dhatFileVersion": 2, "mode": "heap", "bklt": true, "cmd": "./a.out", "pid": 7,
 *      "pps": [{"tb": 100, "tbk": 2, "gb": 60, "gbk": 1, "eb": 0, "ebk": 0, ..., "fs": [3, 2, 1]}, ...],
 *      "ftbl": ["[root]", "0x109: main (a.c:12)", "0x1F: inner (a.c:7:3)", "0x4C: malloc (in /lib/vg.so)"]}
 *
 * Each of pps is a stack, the innermost frame first, as places in ftbl. Bytes and blocks are counted in all (tb, tbk) and, where
 * lifetimes are known (bklt), when most was in use (gb, gbk), at the end (eb, ebk), and when most of this stack was (mb, mbk). Frames that share an address were put
 * into each other by the compiler.
 */
#include "formats/author.h"
#include "formats/kit/json_members.h"
#include "formats/kit/json_pass.h"
#include "formats/kit/no_stack.h"

extern const struct pp_format pp_format_dhat;

enum { DHAT_SHAPE, DHAT_FRAME };

static const struct pp_rule dhat_rules[] = {
	[DHAT_SHAPE] = { "dhat-shape", PP_ERROR, "the file is not what DHAT writes",
	                 "A DHAT profile is a JSON object with the list of stacks (pps) and the table of frames "
	                 "(ftbl) that they point into. What is missing or of another kind was not read." },
	[DHAT_FRAME] = { "dhat-frame", PP_ERROR, "a stack points to a frame that is not there",
	                 "The frames of a stack (fs) are numbers of entries in ftbl. The stack was left out." },
	{ 0 },
};

#define MOST_METRICS 8

static const struct {
	const char *key;
	bool bytes, lifetimes;
	unsigned flags;
} dhat_metrics[MOST_METRICS] = {
	{ "tb", true, false, 0 },
	{ "tbk", false, false, 0 },
	{ "gb", true, true, 0 },
	{ "gbk", false, true, 0 },
	{ "eb", true, true, 0 },
	{ "ebk", false, true, 0 },
	{ "mb", true, true, PP_METRIC_NO_SUM },
	{ "mbk", false, true, PP_METRIC_NO_SUM },
};

enum { M_PPS, M_FTBL, M_BKLT, M_MODE, M_CMD, M_PID, M_TE, M_TG, M_TU, MEMBERS };

struct dhat_frame {
	struct pp_frame_row row;
	pp_frame plain;
};

struct dhat_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_places places;
	struct pp_arena arena;
	struct pp_json_member member[MEMBERS];
	PP_VEC(struct dhat_frame) frames;
	pp_json_numbers fs;
	PP_VEC(pp_frame) stack;
	size_t metrics;
	uint32_t series;
};

static void
report(struct dhat_read *r, int rule, const unsigned char *at, const char *what)
{
	r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &dhat_rules[rule], pp_places_next(&r->places, at), "%s",
	            what);
}

/* Valgrind writes the version first; programs that sort keys do not. */
static int
dhat_bid(const struct pp_peek *peek)
{
	struct pp_json_str key;
	struct pp_scan s;
	bool found;

	pp_scan_init(&s, peek->head, 0, PP_SCAN_STRICT);
	if (pp_scan_peek(&s) != PP_JSON_OBJECT || !pp_scan_object(&s) || !pp_scan_key(&s, &key))
		return 0;
	while (!(found = pp_json_str_eq(key, "dhatFileVersion")) && peek->outlined &&
	       pp_scan_pass(&s) && pp_scan_key(&s, &key))
		;
	return found ? 136 : 0;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* Takes ":12" off the end of a place. */
static bool
number_off(struct pp_slice *place, uint32_t *number)
{
	size_t n = place->n;
	uint64_t value;

	while (n && pp_is_digit(place->p[n - 1]))
		n--;
	if (n == 0 || n == place->n || place->p[n - 1] != ':' ||
	    !pp_num_u64(pp_slice_from(*place, n), &value) || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	place->n = n - 1;
	return true;
}

/* The last " (" of a text, or the last " (in ", behind which names of libraries may hold anything. */
static size_t
place_begin(struct pp_slice text)
{
	size_t i, any = text.n;

	for (i = text.n; i-- > 0;) {
		struct pp_slice rest = pp_slice_from(text, i);

		if (pp_slice_starts(rest, " (in "))
			return i;
		if (any == text.n && pp_slice_starts(rest, " ("))
			any = i;
	}
	return any;
}

static struct dhat_frame
frame_of(struct dhat_read *r, struct pp_slice text)
{
	struct pp_slice rest = text, digits, place = { 0 };
	struct pp_func_row func = { 0 };
	struct pp_frame_row row = { 0 };
	struct dhat_frame frame = { 0 };
	uint32_t number = 0, before = 0;
	bool colon;

	if (pp_slice_take(&rest, "0x")) {
		digits = pp_slice_cut(&rest, ':', &colon);
		if (!colon || !pp_num_hex(digits, &row.address))
			rest = text;
	} else {
		rest = text;
	}
	if (rest.p != text.p)
		rest = pp_slice_trim(rest);
	if (rest.p != text.p && pp_slice_ends(rest, ")")) {
		size_t at = place_begin(rest);

		if (at < rest.n) {
			place = pp_slice_of(rest.p + at + 2, rest.n - at - 3);
			rest.n = at;
		}
	}
	if (pp_slice_take(&place, "in ")) {
		func.module = pp_build_module(
		    r->b, &(struct pp_module_row){ .name = pp_build_str(r->b, place) });
	} else if (place.n) {
		if (number_off(&place, &number) && number_off(&place, &before)) {
			row.column = number;
			number = before;
		}
		row.line = number;
		func.file = pp_build_str(r->b, place);
	}
	func.name = pp_build_str(r->b, rest);
	func.flags = pp_slice_eq_z(rest, "???") ? PP_FUNC_UNKNOWN : 0u;
	row.func = pp_build_func(r->b, &func);
	frame.row = row;
	frame.plain = pp_build_frame(r->b, &row);
	return frame;
}

static void
frames_read(struct dhat_read *r)
{
	struct pp_scan s = r->member[M_FTBL].at;
	struct pp_json_str text;

	if (!pp_scan_array(&s))
		return;
	while (pp_scan_item(&s) && pp_builder_ok(r->b)) {
		struct dhat_frame frame = { 0 };

		if (pp_scan_peek(&s) != PP_JSON_STRING || !pp_scan_string(&s, &text)) {
			report(r, DHAT_SHAPE, s.cur, "a frame is not text");
			(void)pp_scan_skip(&s, NULL);
		} else {
			frame = frame_of(r, pp_build_json_text(r->b, text, &r->arena));
		}
		if (!pp_vec_push(&r->frames, frame))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
}

/* ---- stacks ------------------------------------------------------------------------------- */

/* A frame with so many below it that share its address. */
static pp_frame
frame_inlined(struct dhat_read *r, const struct dhat_frame *frame, size_t outside)
{
	struct pp_frame_row row = frame->row;

	if (!outside || pp_order_is_by_function(r->reader->order))
		return frame->plain;
	row.flags = PP_FRAME_INLINED;
	row.inline_depth = (uint16_t)(outside < UINT16_MAX ? outside : UINT16_MAX);
	return pp_build_frame(r->b, &row);
}

/*
 * The frames of a stack, root first; false when one is not there. What shares an address with the frame below it is inlined
 * there; where the outermost of these comes again, the same call is recursive.
 */
static bool
stack_make(struct dhat_read *r)
{
	size_t outermost = 0, i;

	r->stack.n = 0;
	for (i = r->fs.n; i-- > 0;) {
		int64_t at = r->fs.at[i];
		const struct dhat_frame *frame, *first;

		if (at < 0 || (uint64_t)at >= r->frames.n || !r->frames.at[at].plain)
			return false;
		frame = &r->frames.at[at];
		if (i + 1 == r->fs.n)
			outermost = i;
		first = &r->frames.at[r->fs.at[outermost]];
		if (frame == first || !frame->row.address ||
		    frame->row.address != first->row.address)
			outermost = i;
		if (!pp_vec_push(&r->stack, frame_inlined(r, frame, outermost - i)))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	return true;
}

static void
stack_read(struct dhat_read *r, struct pp_scan *s)
{
	struct pp_json_member member[MOST_METRICS + 1];
	const unsigned char *at = s->cur;
	int64_t values[MOST_METRICS] = { 0 };
	bool fine;
	size_t i;

	for (i = 0; i < r->metrics; i++)
		member[i].key = dhat_metrics[i].key;
	member[r->metrics].key = "fs";
	if (pp_scan_peek(s) != PP_JSON_OBJECT) {
		report(r, DHAT_SHAPE, at, "a stack is not an object");
		(void)pp_scan_skip(s, NULL);
		return;
	}
	if (!pp_json_members(s, member, r->metrics + 1))
		return;
	for (i = 0; i < r->metrics; i++)
		if (member[i].type != PP_JSON_NOTHING &&
		    !pp_json_member_whole(&member[i], &values[i]))
			report(r, DHAT_SHAPE, at, "a count is not a whole number");
	r->fs.n = 0;
	fine = member[r->metrics].type == PP_JSON_ARRAY;
	if (fine) {
		enum pp_json_list list = pp_json_numbers_read(member[r->metrics].at, &r->fs);

		fine = list == PP_LIST_FINE;
		if (list == PP_LIST_NO_MEMORY)
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	}
	if (!pp_builder_ok(r->b))
		return;
	if (!fine || !stack_make(r)) {
		report(r, DHAT_FRAME, at, "a stack points to a frame that is not there");
		return;
	}
	if (!r->stack.n && !pp_vec_push(&r->stack, pp_no_stack_frame(r->b)))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	pp_builder_at(r->b, pp_at_offset((uint64_t)(at - r->places.text.p)));
	r->b->profile->samples++;
	(void)pp_build_stack(r->b, r->series, r->stack.at, r->stack.n, values);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void
metrics_make(struct dhat_read *r)
{
	struct pp_scan s = r->member[M_BKLT].at;
	struct pp_slice mode;
	bool lifetimes = true, adhoc;
	size_t i;

	if (r->member[M_BKLT].type == PP_JSON_BOOL)
		(void)pp_scan_bool(&s, &lifetimes);
	adhoc = pp_json_member_text(&r->member[M_MODE], &mode) && pp_slice_eq_z(mode, "ad-hoc");
	for (i = 0; i < MOST_METRICS && (lifetimes || !dhat_metrics[i].lifetimes); i++)
		(void)pp_build_metric_z(
		    r->b, dhat_metrics[i].key, dhat_metrics[i].bytes && !adhoc ? "bytes" : "count",
		    dhat_metrics[i].bytes && !adhoc ? PP_KIND_BYTES : PP_KIND_COUNT, PP_INT,
		    dhat_metrics[i].flags | (i == 0 ? PP_METRIC_PRIMARY : 0u));
	r->metrics = i;
}

static void
meta_make(struct dhat_read *r)
{
	struct pp_scan s;
	size_t i;

	for (i = M_BKLT; i < MEMBERS; i++) {
		struct pp_slice value;
		enum pp_json_type type = r->member[i].type;

		s = r->member[i].at;
		if (pp_json_member_text(&r->member[i], &value))
			pp_build_meta_z(r->b, r->member[i].key, PP_META_TEXT, value);
		else if ((type == PP_JSON_NUMBER || type == PP_JSON_BOOL) &&
		         pp_scan_skip(&s, &value))
			pp_build_meta_z(r->b, r->member[i].key,
			                type == PP_JSON_NUMBER ? PP_META_NUMBER : PP_META_BOOL,
			                value);
	}
}

static pp_status
profile_read(struct dhat_read *r, struct pp_slice text)
{
	static const char *const keys[MEMBERS] = {
		[M_PPS] = "pps",   [M_FTBL] = "ftbl", [M_BKLT] = "bklt",
		[M_MODE] = "mode", [M_CMD] = "cmd",   [M_PID] = "pid",
		[M_TE] = "te",     [M_TG] = "tg",     [M_TU] = "tu",
	};
	struct pp_series like = { .pid = -1, .tid = -1, .cpu = -1 };
	struct pp_scan s;
	size_t i;

	r->places.text = text;
	for (i = 0; i < MEMBERS; i++)
		r->member[i].key = keys[i];
	pp_scan_init(&s, text, 0, PP_SCAN_TOLERANT);
	if (!pp_json_members(&s, r->member, MEMBERS) || !pp_scan_end(&s))
		report(r, DHAT_SHAPE, s.error_at ? s.error_at : text.p,
		       pp_scan_error_text(s.error));
	if (r->member[M_PPS].type != PP_JSON_ARRAY || r->member[M_FTBL].type != PP_JSON_ARRAY) {
		if (s.error == PP_SCAN_OK)
			report(r, DHAT_SHAPE, text.p,
			       "there is no list of stacks or no table of frames");
		return PP_E_INVALID;
	}
	metrics_make(r);
	(void)pp_json_member_whole(&r->member[M_PID], &like.pid);
	r->series = pp_build_series(r->b, &like, true, false);
	r->b->profile->facets |= PP_TREE;
	r->b->profile->producer = pp_build_strz(r->b, "DHAT");
	if (r->reader->order->facets == 0 || r->reader->order->facets & (PP_META | PP_EXTRAS))
		meta_make(r);
	frames_read(r);
	s = r->member[M_PPS].at;
	if (pp_scan_array(&s))
		while (pp_builder_ok(r->b) && pp_scan_item(&s))
			stack_read(r, &s);
	return PP_OK;
}

static pp_status
dhat_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct dhat_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	pp_status status = pp_whole_open(&whole, reader);

	if (status == PP_OK) {
		status = profile_read(&r, pp_slice_between(reader->in->cur, reader->in->end));
		reader->in->cur = reader->in->end;
	}
	pp_arena_release(&r.arena);
	pp_vec_release(&r.frames);
	pp_vec_release(&r.fs);
	pp_vec_release(&r.stack);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_holds dhat_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(MODULES) | PP_HAS(FILES) | PP_HAS(PLACES) |
	           PP_HAS(COLUMNS) | PP_HAS(ADDRESSES) | PP_HAS(INLINED) | PP_HAS(THREADS) |
	           PP_HAS(SAMPLES) | PP_HAS(METADATA) },
};

const struct pp_format pp_format_dhat = {
	.name = "dhat",
	.title = "DHAT heap profile (Valgrind, Rust)",
	.extensions = "dhat.json",
	.can = PP_CAN_READ | PP_TREE | PP_META,
	.bid = dhat_bid,
	.read = dhat_read,
	.holds = dhat_holds,
	.rules = dhat_rules,
};
