/*
 * Header lines and parts.
 *
 * A file has one or several parts (dumps, threads, appended profiles); each has a header and a body and
 * names its own events, perhaps in another order, so columns are mapped to the profile's metrics by name.
 *
 *     version: creator: cmd: pid: thread: part: desc:      about the run
 *     positions: instr bb line                             which positions start each cost line
 *     event: NAME [= FORMULA] [: TITLE]                    titles and derived events
 *     events: NAME...                                      the columns; required
 *     summary: COST...   totals: COST...                   sums as the writer knew them
 */
#include "formats/valgrind/family.h"

#include <stdio.h>

#include "base/num.h"

/* ---- parts ------------------------------------------------------------------------------ */

void
pp_cg_part_end(struct pp_cg_parser *p)
{
	p->head.fresh = p->head.part == 0 || pp_cg_part(p)->has_body || pp_cg_part(p)->has_events;
}

static bool
part_begin(struct pp_cg_parser *p)
{
	struct pp_cg_part part = { .first_header = p->head.lines.n,
		                   .pid = -1,
		                   .thread = -1,
		                   .number = -1,
		                   .positions = PP_CG_LINE };

	if (p->head.part) {
		part.pid = pp_cg_part(p)->pid;
		part.creator = pp_cg_part(p)->creator;
		part.version = pp_cg_part(p)->version;
		part.positions = pp_cg_part(p)->positions;
	}
	if (p->head.parts.n >= UINT32_MAX - 1 || !pp_vec_push(&p->head.parts, part)) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return false;
	}
	p->head.part = (uint32_t)p->head.parts.n;
	p->head.fresh = false;
	p->place = (struct pp_cg_place){ 0 };
	p->next = (struct pp_cg_next){ 0 };
	p->base = (struct pp_cg_pos){ { 0, 0, 0 } };
	return true;
}

bool
pp_cg_part_need(struct pp_cg_parser *p)
{
	return p->head.part != 0 || part_begin(p);
}

void
pp_cg_series(struct pp_cg_parser *p, bool has_calls, bool measured)
{
	struct pp_cg_part *part = pp_cg_part(p);
	struct pp_series like = {
		.pid = part->pid, .tid = part->thread, .cpu = -1, .measured = measured
	};
	char text[40];

	if (p->head.part > 1) {
		int64_t number = part->number > 1 ? part->number : (int64_t)p->head.part;

		snprintf(text, sizeof text, "part %lld", (long long)number);
		like.context = pp_build_strz(p->builder, text);
	}
	part->series = pp_build_series(p->builder, &like, p->builder->profile->series.n == 0,
	                               has_calls);
}

/* ---- header lines ----------------------------------------------------------------------- */

static void
header_positions(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_cg_part *part = pp_cg_part(p);
	struct pp_slice word;

	part->positions = 0;
	while (pp_slice_word(&value, &word)) {
		if (pp_slice_eq_z(word, "instr") || pp_slice_eq_z(word, "addr"))
			part->positions |= PP_CG_INSTR;
		else if (pp_slice_eq_z(word, "bb"))
			part->positions |= PP_CG_BB;
		else if (pp_slice_eq_z(word, "line"))
			part->positions |= PP_CG_LINE;
		else
			pp_cg_report(p, PP_CG_BAD_POSITIONS, word.p, "unknown kind of position");
	}
	if (part->positions == 0)
		part->positions = PP_CG_LINE;
}

static int64_t
header_number(struct pp_slice value)
{
	int64_t number;

	return pp_num_i64(value, &number) ? number : -1;
}

static void
header_version(struct pp_cg_parser *p, struct pp_slice value)
{
	unsigned major = value.n && pp_is_digit(value.p[0]) ? value.p[0] - '0' : 0;

	pp_cg_part(p)->version = pp_build_str(p->builder, value);
	if (major >= 2 || (value.n > 1 && pp_is_digit(value.p[1])))
		pp_cg_report(p, PP_CG_VERSION, value.p, "only version 1 is known");
}

/* Keeps a header line for meta data and for writing it back. */
static void
header_keep(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice value)
{
	struct pp_cg_header h = { p->head.part, pp_build_str(p->builder, key),
		                  pp_build_str(p->builder, value) };

	if (pp_builder_ok(p->builder) && !pp_vec_push(&p->head.lines, h))
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
}

static void
header_sum(struct pp_cg_parser *p, struct pp_slice value, bool totals)
{
	struct pp_cg_part *part = pp_cg_part(p);
	pp_str text = pp_build_str(p->builder, value);

	if (totals) {
		part->has_totals = true;
		part->totals = text;
		part->totals_line = p->at.line;
	} else {
		part->has_summary = true;
		part->summary = text;
		part->summary_line = p->at.line;
	}
}

/* Acts on a header line that belongs to the current part. */
static void
header_take(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice value)
{
	struct pp_cg_part *part = pp_cg_part(p);

	if (pp_slice_eq_z(key, "events")) {
		pp_cg_events(p, value);
	} else if (pp_slice_eq_z(key, "positions")) {
		header_positions(p, value);
	} else if (pp_slice_eq_z(key, "event")) {
		pp_cg_event(p, value);
	} else if (pp_slice_eq_z(key, "creator")) {
		part->creator = pp_build_str(p->builder, value);
		p->by_callgrind = pp_slice_starts(value, "callgrind");
	} else if (pp_slice_eq_z(key, "version")) {
		header_version(p, value);
	} else if (pp_slice_eq_z(key, "cmd")) {
		part->cmd = pp_build_str(p->builder, value);
	} else if (pp_slice_eq_z(key, "pid")) {
		part->pid = header_number(value);
	} else if (pp_slice_eq_z(key, "thread")) {
		part->thread = header_number(value);
	} else if (pp_slice_eq_z(key, "part")) {
		part->number = header_number(value);
	}
}

/* Keys that start a new part when they come after a body. */
static bool
starts_part(struct pp_slice key)
{
	static const char *const keys[] = { "version", "creator",   "pid",    "thread", "part",
		                            "cmd",     "positions", "events", "event",  "desc" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(keys); i++)
		if (pp_slice_eq_z(key, keys[i]))
			return true;
	return false;
}

static bool
is_key_byte(unsigned char c)
{
	return (unsigned)(c | 32) - 'a' < 26 || pp_is_digit(c) || c == '_' || c == ' ' ||
	       c == '(' || c == ')';
}

bool
pp_cg_header(struct pp_cg_parser *p, struct pp_slice line)
{
	struct pp_slice key, value;
	size_t n = 0;
	bool totals;

	while (n < line.n && is_key_byte(line.p[n]))
		n++;
	if (n == 0 || n == line.n || line.p[n] != ':' || (unsigned)(line.p[0] | 32) - 'a' >= 26)
		return false;
	key = pp_slice_of(line.p, n);
	value = pp_slice_trim(pp_slice_of(line.p + n + 1, line.n - n - 1));
	totals = pp_slice_eq_z(key, "totals");
	if (totals || pp_slice_eq_z(key, "summary")) {
		if (p->head.part == 0 || p->head.fresh)
			return false;
		header_sum(p, value, totals);
		return true;
	}
	if (p->head.part == 0 || p->head.fresh || (pp_cg_part(p)->has_body && starts_part(key)))
		if (!part_begin(p))
			return true;
	header_keep(p, key, value);
	header_take(p, key, value);
	return true;
}
