/*
 * massif: what of the heap was in use, by valgrind --tool=massif.
 *
 *     desc: --time-unit=B
 *     cmd: ./oven
 *     time_unit: B
 *     #-----------
 *     snapshot=3
 *     #-----------
 *     time=1200
 *     mem_heap_B=1000
 *     mem_heap_extra_B=24
 *     mem_stacks_B=0
 *     heap_tree=peak
 *     n2: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *      n1: 900 0x109159: knead (oven.c:7)
 *       n0: 900 0x109190: main (oven.c:12)
 *      n0: 100 in 3 places, all below massif's threshold (1.00%)
 *
 * A tree goes from where was allocated to who called that: a line has as many callers below it as n says, and bytes with those of
 * its callers. What it has beyond them is of a stack whose outermost frame it is. The profile is that of the peak or, without
 * one, of the snapshot with a tree where most was in use.
 */
#include <stddef.h>
#include <stdio.h>

#include "formats/author.h"

extern const struct pp_format pp_format_massif;

enum { MS_LINE, MS_CUT, MS_TREE };

static const struct pp_rule ms_rules[] = {
	[MS_LINE] = { "massif-line", PP_ERROR, "a line is not what massif writes",
	              "A line of a tree is n, a number of callers, bytes, and a function or a summary of several. The "
	              "rest of the tree was not read." },
	[MS_CUT] = { "massif-cut", PP_ERROR, "the file breaks off",
	             "The last line does not end, a tree has fewer callers than it says, or a snapshot lacks its tree or "
	             "begins no more. Everything before that was read." },
	[MS_TREE] = { "massif-tree", PP_WARNING, "no snapshot has a tree",
	              "massif writes who allocated what for some snapshots only (--detailed-freq). This file has none, so "
	              "that only sums are known." },
	{ 0 },
};

/* What has to follow before the file may end. */
struct ms_ahead {
	bool snapshot, tree; /* a snapshot after its rule, the word on its tree */
	uint64_t lines;      /* of the tree */
};

/* A snapshot with a tree. */
struct ms_snapshot {
	struct pp_slice tree; /* from its first line on */
	int64_t heap, extra, stacks;
	bool peak, has_tree;
};

struct ms_level {
	pp_frame frame;
	uint64_t left; /* callers that follow */
};

struct ms_read {
	struct pp_reader *reader;
	struct pp_builder *b;
	struct pp_slice text;
	PP_VEC(struct ms_level) levels;
	PP_VEC(int64_t) rest; /* by level: bytes that no caller has yet */
	PP_VEC(pp_frame) stack;
	uint32_t series;
	bool cut; /* it was told */
};

static void
report(struct ms_read *r, int rule, const unsigned char *at)
{
	r->b->profile->complete = false;
	pp_diag_add(r->reader->diags, &ms_rules[rule], at ? pp_place_in(r->text, at) : PP_NOWHERE,
	            "%s", ms_rules[rule].title);
}

static int
ms_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line;

	if (!pp_slice_starts(rest, "desc: ") || !pp_slice_line(&rest, &line) ||
	    !pp_slice_line(&rest, &line) || !pp_slice_starts(line, "cmd: ") ||
	    !pp_slice_line(&rest, &line))
		return 0;
	return pp_slice_starts(line, "time_unit: ") ? 176 : 0;
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* "0x109159: knead (oven.c:7)", "0x48: malloc (in /lib/libc.so)", or words. */
static pp_frame
frame_of(struct ms_read *r, struct pp_slice what)
{
	struct pp_slice rest = what, digits, place = { 0 };
	struct pp_func_row func = { 0 };
	struct pp_frame_row row = { 0 };
	uint64_t line;
	bool colon;
	size_t n;

	if (!pp_slice_take(&rest, "0x")) {
		func.name = pp_build_str(r->b, what);
		func.flags = PP_FUNC_PSEUDO;
		row.func = pp_build_func(r->b, &func);
		return pp_build_frame(r->b, &row);
	}
	digits = pp_slice_cut(&rest, ':', &colon);
	if (!colon || !pp_num_hex(digits, &row.address))
		rest = what;
	rest = pp_slice_trim(rest);
	if (pp_slice_ends(rest, ")")) {
		for (n = rest.n; n > 1 && !(rest.p[n - 2] == ' ' && rest.p[n - 1] == '('); n--)
			;
		if (n > 1) {
			place = pp_slice_of(rest.p + n, rest.n - n - 1);
			rest.n = n - 2;
		}
	}
	if (pp_slice_take(&place, "in ")) {
		func.module = pp_build_module(
		    r->b, &(struct pp_module_row){ .name = pp_build_str(r->b, place) });
	} else if (place.n) {
		for (n = place.n; n && pp_is_digit(place.p[n - 1]); n--)
			;
		if (n && n < place.n && place.p[n - 1] == ':' &&
		    pp_num_u64(pp_slice_from(place, n), &line) && line <= UINT32_MAX) {
			row.line = (uint32_t)line;
			place.n = n - 1;
		}
		func.file = pp_build_str(r->b, place);
	}
	func.name = pp_build_str(r->b, rest);
	func.flags = pp_slice_eq_z(rest, "???") ? PP_FUNC_UNKNOWN : 0u;
	row.func = pp_build_func(r->b, &func);
	if (pp_order_is_by_function(r->reader->order))
		row = (struct pp_frame_row){ .func = row.func };
	return pp_build_frame(r->b, &row);
}

/* Gives what the innermost level has beyond its callers, as a stack from it to where was allocated. */
static void
level_end(struct ms_read *r)
{
	int64_t bytes = r->rest.at[--r->rest.n];
	size_t i;

	r->stack.n = 0;
	for (i = r->levels.n; i-- > 0;)
		if (r->levels.at[i].frame && !pp_vec_push(&r->stack, r->levels.at[i].frame))
			pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	r->levels.n--;
	if (bytes > 0 && pp_builder_ok(r->b))
		(void)pp_build_stack(r->b, r->series, r->stack.at, r->stack.n, &bytes);
}

/* " n1: 900 0x109159: knead (oven.c:7)" */
static bool
node_read(struct ms_read *r, struct pp_slice line)
{
	struct pp_slice rest = pp_slice_trim(line), word;
	struct ms_level level = { 0 };
	int64_t bytes, left = 0;
	bool found;

	if (!pp_slice_take(&rest, "n"))
		return false;
	word = pp_slice_cut(&rest, ':', &found);
	if (!found || !pp_num_u64(word, &level.left) || !pp_slice_word(&rest, &word) ||
	    !pp_num_i64(word, &bytes) || bytes < 0)
		return false;
	if (r->rest.n && __builtin_sub_overflow(r->rest.at[r->rest.n - 1], bytes, &left))
		return false;
	/* The first line stands for all that allocates. */
	if (r->levels.n)
		level.frame = frame_of(r, pp_slice_trim(rest));
	if (r->rest.n) {
		r->rest.at[r->rest.n - 1] = left;
		r->levels.at[r->levels.n - 1].left--;
	}
	if (!pp_vec_push(&r->levels, level) || !pp_vec_push(&r->rest, bytes))
		pp_builder_fail(r->b, PP_E_NOMEM, NULL);
	return true;
}

static void
cut_report(struct ms_read *r)
{
	if (!r->cut)
		report(r, MS_CUT, r->text.p + r->text.n);
	r->cut = true;
}

static void
tree_read(struct ms_read *r, struct pp_slice rest)
{
	struct pp_slice line;
	bool fine = true;

	do {
		if (!pp_slice_line(&rest, &line)) {
			cut_report(r);
			break;
		}
		fine = node_read(r, line);
		if (!fine)
			report(r, MS_LINE, line.p);
		while (pp_builder_ok(r->b) && fine && r->levels.n &&
		       r->levels.at[r->levels.n - 1].left == 0)
			level_end(r);
	} while (pp_builder_ok(r->b) && fine && r->levels.n);
	while (pp_builder_ok(r->b) && r->levels.n)
		level_end(r);
}

/* ---- snapshots ---------------------------------------------------------------------------- */

static void
snapshot_line(struct ms_snapshot *s, struct pp_slice line, struct pp_slice rest)
{
	static const struct {
		const char *key;
		size_t at;
	} numbers[] = { { "mem_heap_B=", offsetof(struct ms_snapshot, heap) },
		        { "mem_heap_extra_B=", offsetof(struct ms_snapshot, extra) },
		        { "mem_stacks_B=", offsetof(struct ms_snapshot, stacks) } };
	struct pp_slice value = line;
	int64_t number;
	size_t i;

	for (i = 0; i < PP_COUNT_OF(numbers); i++)
		if (pp_slice_take(&value, numbers[i].key) && pp_num_i64(value, &number))
			memcpy((char *)s + numbers[i].at, &number, sizeof number);
	if (pp_slice_take(&value, "heap_tree=")) {
		s->peak = pp_slice_eq_z(value, "peak");
		s->has_tree = s->peak || pp_slice_eq_z(value, "detailed");
		s->tree = rest;
	}
}

/* A line was read: what has to follow it. */
static void
ahead_look(struct ms_ahead *a, struct pp_slice line)
{
	struct pp_slice word = pp_slice_trim(line), number;
	uint64_t callers;
	bool found;

	if (pp_slice_starts(line, "#")) {
		*a = (struct ms_ahead){ .snapshot = !a->tree, .tree = a->tree };
	} else if (pp_slice_starts(line, "snapshot=")) {
		*a = (struct ms_ahead){ .tree = true };
	} else if (pp_slice_take(&word, "heap_tree=")) {
		*a = (struct ms_ahead){ .lines = !pp_slice_eq_z(word, "empty") };
	} else if (a->lines) {
		/* After a line that is something else nobody knows. */
		bool node = pp_slice_take(&word, "n");

		number = pp_slice_cut(&word, ':', &found);
		a->lines = node && found && pp_num_u64(number, &callers) && callers < UINT32_MAX
		               ? a->lines + callers - 1
		               : 0;
	}
}

/* The one whose tree is shown; false when none has one. */
static bool
snapshot_choose(struct ms_read *r, struct ms_snapshot *best, uint64_t *count, int64_t *most)
{
	struct ms_snapshot s = { 0 };
	struct ms_ahead ahead = { 0 };
	struct pp_slice rest = r->text, line;

	while (pp_slice_line(&rest, &line)) {
		line = pp_slice_chomp(line);
		ahead_look(&ahead, line);
		if (pp_slice_starts(line, "snapshot=")) {
			s = (struct ms_snapshot){ 0 };
			++*count;
		}
		snapshot_line(&s, line, rest);
		*most = s.heap > *most ? s.heap : *most;
		if (pp_slice_starts(line, "heap_tree=") && s.has_tree && !best->peak &&
		    (s.peak || !best->has_tree || s.heap > best->heap))
			*best = s;
	}
	if (ahead.snapshot || ahead.tree || ahead.lines || !*count ||
	    (r->text.n && r->text.p[r->text.n - 1] != '\n'))
		cut_report(r);
	return best->has_tree;
}

static void
number_meta(struct ms_read *r, const char *key, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%lld", (long long)value);

	pp_build_meta_z(r->b, key, PP_META_NUMBER, pp_slice_of(text, (size_t)n));
}

static void
meta_read(struct ms_read *r, const struct ms_snapshot *s, uint64_t count)
{
	struct pp_slice rest = r->text, line, key;
	bool colon;
	int i;

	for (i = 0; i < 3 && pp_slice_line(&rest, &line); i++) {
		key = pp_slice_cut(&line, ':', &colon);
		if (colon)
			(void)pp_build_meta(r->b, 0, key, PP_META_TEXT, pp_slice_trim(line));
	}
	number_meta(r, "snapshots", (int64_t)count);
	number_meta(r, "mem_heap_B", s->heap);
	number_meta(r, "mem_heap_extra_B", s->extra);
	number_meta(r, "mem_stacks_B", s->stacks);
}

static pp_status
ms_read(struct pp_reader *reader, struct pp_builder *b)
{
	struct ms_read r = { .reader = reader, .b = b };
	struct pp_whole whole = { 0 };
	struct ms_snapshot best = { 0 };
	pp_status status = pp_whole_open_lines(&whole, reader, b);
	uint64_t count = 0;
	int64_t most = 0;

	if (status == PP_OK) {
		r.text = pp_slice_between(reader->in->cur, reader->in->end);
		(void)pp_build_metric_z(b, "mem_heap_B", "bytes", PP_KIND_BYTES, PP_INT,
		                        PP_METRIC_PRIMARY);
		r.series = pp_build_series_plain(b, true, false);
		b->profile->producer = pp_build_strz(b, "massif");
		b->profile->facets |= PP_TREE;
		if (!snapshot_choose(&r, &best, &count, &most)) {
			report(&r, MS_TREE, NULL);
			best.heap = most;
			if (most > 0)
				(void)pp_build_stack(b, r.series, NULL, 0, &most);
		} else {
			tree_read(&r, best.tree);
		}
		if (reader->order->facets == 0 || reader->order->facets & (PP_META | PP_EXTRAS))
			meta_read(&r, &best, count);
		reader->in->cur = reader->in->end;
	}
	pp_vec_release(&r.levels);
	pp_vec_release(&r.rest);
	pp_vec_release(&r.stack);
	pp_whole_close(&whole, reader);
	return pp_builder_ok(b) ? status : b->status;
}

static const struct pp_holds ms_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(MODULES) | PP_HAS(FILES) |
	           PP_HAS(PLACES) | PP_HAS(ADDRESSES) | PP_HAS(METADATA) },
};

const struct pp_format pp_format_massif = {
	.name = "massif",
	.title = "Massif heap profile (Valgrind)",
	.extensions = "massif",
	.can = PP_CAN_READ | PP_TREE | PP_META,
	.bid = ms_bid,
	.read = ms_read,
	.holds = ms_holds,
	.rules = ms_rules,
};
