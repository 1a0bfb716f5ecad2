/*
 * The line grammar of the family.
 *
 *     key: value                   header (callgrind_header.c)
 *     ob= fl= fi= fe= fn=          where own costs belong from here on
 *     cob= cfi= cfl= cfn=          where the next call goes
 *     calls=COUNT TARGET           then one cost line: inclusive cost of these calls
 *     jfi= jfn=                    where the next jump goes
 *     jump=COUNT TARGET            then one position line
 *     jcnd=FOLLOWED/EXECUTED TARGET  likewise
 *     POSITION... COST...          own cost
 *     rec= frfn= bb= ln=           kept, without meaning here
 *     # comment, empty line
 *
 * A position is decimal, 0x hexadecimal, `*` (the base again), `+n` or `-n` (relative to the base); ranges
 * (`a-b`, `a:b`, `a+n`) count at their start. The base is the last line with a position or, in what
 * callgrind itself wrote, the last own line: it moves neither at calls nor at jumps.
 */
#include "formats/valgrind/family.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/num.h"

#define SEPARATOR "==== NEW PROFILING FILE"
#define PROGRESS_LINES 65536

void
pp_cg_report(struct pp_cg_parser *p, enum pp_callgrind_rule rule, const unsigned char *at,
             const char *fmt, ...)
{
	uint64_t column = at && at >= p->at.begin ? (uint64_t)(at - p->at.begin) : 0;
	va_list args;

	va_start(args, fmt);
	pp_diag_vadd(p->reader->diags, &pp_callgrind_rules[rule],
	             pp_at_line(p->at.line, column + 1, p->at.offset + column), fmt, args);
	va_end(args);
}

void
pp_cg_sum_report(struct pp_cg_parser *p, size_t metric)
{
	struct pp_slice name = pp_text_of(p->builder->profile,
	                                  p->builder->profile->metrics.at[metric].name);

	pp_cg_report(p, PP_CG_SUM_TOO_LARGE, NULL, "a sum of %.*s passes 63 bits with this",
	             (int)(name.n < PP_CG_SHOWN ? name.n : PP_CG_SHOWN), (const char *)name.p);
}

pp_func
pp_cg_func(struct pp_cg_parser *p)
{
	struct pp_func_row row;

	if (p->place.func)
		return p->place.func;
	if (!p->place.has_function) {
		pp_cg_report(p, PP_CG_NO_FUNCTION, NULL, "no fn= line names the function");
		p->place.function = pp_build_strz(p->builder, "???");
		p->place.has_function = true;
	}
	row = (struct pp_func_row){ .name = p->place.function, .file = p->place.file, .module = p->place.object };
	p->place.func = pp_build_func(p->builder, &row);
	return p->place.func;
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Takes the next token; false at the end of the line. */
static bool
take_token(struct pp_slice *line, struct pp_slice *token)
{
	const unsigned char *q = line->p, *end = line->p + line->n, *stop;

	while (q < end && pp_cg_is_blank(*q))
		q++;
	stop = q;
	while (stop < end && !pp_cg_is_blank(*stop))
		stop++;
	*token = pp_slice_of(q, (size_t)(stop - q));
	*line = pp_slice_of(stop, (size_t)(end - stop));
	return stop > q;
}

/* Decimal or 0x hexadecimal digits from the start; how many bytes they take, 0 when none or too large. */
static size_t
scan_number(struct pp_slice s, uint64_t *value)
{
	size_t i = 0;
	uint64_t v = 0;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x') {
		for (i = 2; i < s.n; i++) {
			unsigned c = s.p[i] | 32u, d = c - '0' < 10 ? c - '0' : c - 'a' + 10;

			if (d > 15 || (c - '0' >= 10 && c - 'a' >= 6))
				break;
			if (v >> 60)
				return 0;
			v = v << 4 | d;
		}
		*value = v;
		return i > 2 ? i : 0;
	}
	for (; i < s.n && pp_cg_is_digit(s.p[i]); i++)
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return 0;
	*value = v;
	return i;
}

/* A position; false (said) when it is none. */
static bool
take_position(struct pp_cg_parser *p, struct pp_slice token, uint64_t base, uint64_t *out)
{
	bool plus = token.n && token.p[0] == '+', minus = token.n && token.p[0] == '-';
	uint64_t value = 0;
	size_t sign = plus || minus, n;

	if (token.n == 1 && token.p[0] == '*') {
		*out = base;
		return true;
	}
	n = scan_number(pp_slice_of(token.p + sign, token.n - sign), &value);
	if (n == 0) {
		pp_cg_report(p, PP_CG_BAD_NUMBER, token.p, "a position is not a number");
		return false;
	}
	n += sign;
	if (n < token.n) {
		unsigned char c = token.p[n];

		if (sign || (c != '-' && c != ':' && c != '+')) {
			pp_cg_report(p, PP_CG_BAD_NUMBER, token.p + n,
			             "a position is not a number");
			return false;
		}
		pp_cg_report(p, PP_CG_POSITION_RANGE, token.p, "a range counts at its start");
	}
	if ((plus && __builtin_add_overflow(base, value, &value)) ||
	    (minus && __builtin_sub_overflow(base, value, &value))) {
		pp_cg_report(p, PP_CG_POSITION_OUTSIDE, token.p, "the position leaves its range");
		return false;
	}
	*out = value;
	return true;
}

/* The positions that start a line or follow `calls=N`; missing ones are 0. */
static bool
take_positions(struct pp_cg_parser *p, struct pp_slice *line, struct pp_cg_pos *pos)
{
	unsigned has = pp_cg_part(p)->positions, k;
	struct pp_slice token;

	*pos = (struct pp_cg_pos){ { 0, 0, 0 } };
	for (k = 0; k < 3; k++)
		if ((has >> k & 1) && take_token(line, &token) &&
		    !take_position(p, token, p->base.at[k], &pos->at[k]))
			return false;
	if (pos->at[2] > UINT32_MAX) {
		pp_cg_report(p, PP_CG_POSITION_OUTSIDE, NULL, "the line number passes 4294967295");
		pos->at[2] = UINT32_MAX;
	}
	return true;
}

/* A cost: signed decimal, or '.' for none. */
static bool
take_cost(struct pp_cg_parser *p, struct pp_slice token, int64_t *out)
{
	bool minus = token.n && token.p[0] == '-';
	size_t i = minus;
	uint64_t v = 0;

	if (token.n == 1 && token.p[0] == '.') {
		*out = 0;
		return true;
	}
	for (; i < token.n; i++) {
		unsigned d = (unsigned)token.p[i] - '0';

		if (d > 9) {
			pp_cg_report(p, PP_CG_BAD_NUMBER, token.p + i,
			             "a cost is not a whole number");
			return false;
		}
		if (v > (uint64_t)INT64_MAX / 10 || v * 10 + d > (uint64_t)INT64_MAX) {
			pp_cg_report(p, PP_CG_NUMBER_TOO_LARGE, token.p, "a cost passes 63 bits");
			return false;
		}
		v = v * 10 + d;
	}
	if (i == (size_t)minus) {
		pp_cg_report(p, PP_CG_BAD_NUMBER, token.p, "a cost is not a whole number");
		return false;
	}
	*out = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

/* The costs of a line, by metric; false when the line must be refused. */
static bool
take_costs(struct pp_cg_parser *p, struct pp_slice line)
{
	const struct pp_cg_part *part = pp_cg_part(p);
	struct pp_slice token;
	uint32_t k = 0;

	memset(p->costs, 0, p->builder->profile->metrics.n * sizeof *p->costs);
	while (take_token(&line, &token)) {
		if (k == part->event_count) {
			pp_cg_report(p, PP_CG_TOO_MANY_COSTS, token.p, "there are only %u events",
			             part->event_count);
			break;
		}
		if (!take_cost(p, token, &p->costs[part->events[k++]]))
			return false;
	}
	p->cost_count = k;
	if (p->head.derived.n)
		pp_cg_derive(p, p->costs);
	return true;
}

/* ---- lines with costs ------------------------------------------------------------------- */

/* A `calls=` or `jump=` line without the position line that must follow. */
static void
pending_lost(struct pp_cg_parser *p)
{
	if (p->pending == PP_CG_CALL)
		pp_cg_report(p, PP_CG_CALL_WITHOUT_COST, NULL,
		             "no cost line follows the calls= line");
	else if (p->pending == PP_CG_JUMP)
		pp_cg_report(p, PP_CG_BAD_JUMP, NULL, "no position follows the jump");
	p->pending = PP_CG_OWN;
}

static void
part_sum(struct pp_cg_part *part, const int64_t *costs, size_t n)
{
	size_t m;

	for (m = 0; m < n; m++)
		part->sums_overflow |= __builtin_add_overflow(part->sums[m], costs[m],
		                                              &part->sums[m]);
}

static void
parse_cost(struct pp_cg_parser *p, struct pp_slice line)
{
	struct pp_cg_part *part = p->head.part ? pp_cg_part(p) : NULL;
	const struct pp_cg_visitor *v = p->visitor;
	enum pp_cg_pending what = p->pending;
	struct pp_cg_pos pos;

	p->pending = PP_CG_OWN;
	if (!part || !part->has_events) {
		pp_cg_report(p, PP_CG_COST_BEFORE_EVENTS, NULL, "no events: line came before");
		return;
	}
	if (!part->has_body) {
		part->has_body = true;
		if (v->body)
			v->body(p);
		part = pp_cg_part(p);
	}
	if (!take_positions(p, &line, &pos) || !take_costs(p, line))
		return;
	if (what == PP_CG_OWN || !p->self_base)
		p->base = pos;
	if (what == PP_CG_OWN) {
		part_sum(part, p->costs, p->builder->profile->metrics.n);
		if (v->own)
			v->own(p, &pos, p->costs);
	} else if (what == PP_CG_CALL) {
		if (v->call)
			v->call(p, &p->call, &pos, p->costs);
	} else if (v->jump) {
		v->jump(p, &p->jump, &pos);
	}
}

/* ---- calls and jumps -------------------------------------------------------------------- */

static void
parse_calls(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_cg_call *call = &p->call;
	struct pp_func_row callee = { 0 };
	struct pp_slice token = { NULL, 0 };

	pending_lost(p);
	if (!pp_cg_part_need(p))
		return;
	*call = (struct pp_cg_call){ 0 };
	if (!take_token(&value, &token) || scan_number(token, &call->count) != token.n ||
	    call->count > INT64_MAX) {
		pp_cg_report(p, PP_CG_BAD_CALLS, token.p, "the number of calls is not a number");
		call->count = 0;
	}
	/* Surplus numbers (Xdebug writes `calls=1 0 0`) mean nothing. */
	if (!take_positions(p, &value, &call->target))
		call->target = (struct pp_cg_pos){ { 0, 0, 0 } };
	if (!p->next.has_function || p->next.function_used) {
		pp_cg_report(p, PP_CG_NO_CFN, NULL, "no cfn= line names the function called");
		if (!p->next.has_function) {
			p->next.function = pp_build_strz(p->builder, "???");
			p->next.has_function = true;
		}
	}
	p->next.function_used = true;
	callee.name = p->next.function;
	callee.file = p->next.has_file ? p->next.file : p->place.current_file;
	callee.module = p->next.has_object ? p->next.object : p->place.object;
	call->callee = pp_build_func(p->builder, &callee);
	call->name = p->next.function;
	call->has_file = p->next.has_file;
	p->next.has_file = p->next.has_object = false;
	p->pending = PP_CG_CALL;
}

static void
parse_jump(struct pp_cg_parser *p, struct pp_slice value, bool conditional)
{
	struct pp_cg_jump *jump = &p->jump;
	struct pp_slice token = { NULL, 0 };
	size_t n;

	pending_lost(p);
	if (!pp_cg_part_need(p))
		return;
	*jump = (struct pp_cg_jump){ .conditional = conditional,
		                     .file = p->next.jump_file,
		                     .name = p->next.jump_function };
	p->next.jump_file = p->next.jump_function = 0;
	p->pending = PP_CG_JUMP;
	(void)take_token(&value, &token);
	n = scan_number(token, &jump->followed);
	if (n && conditional && n < token.n && token.p[n] == '/') {
		size_t more = scan_number(pp_slice_of(token.p + n + 1, token.n - n - 1),
		                          &jump->executed);

		n = more ? n + 1 + more : 0;
	}
	if (n == 0 || n < token.n)
		pp_cg_report(p, PP_CG_BAD_JUMP, token.p, "the number of jumps is not a number");
	if (!take_positions(p, &value, &jump->target))
		jump->target = (struct pp_cg_pos){ { 0, 0, 0 } };
}

/* ---- `key=value` lines ------------------------------------------------------------------ */

static pp_module
object_of(struct pp_cg_parser *p, pp_str name)
{
	struct pp_module_row row = { .name = name, .kind = PP_MODULE_BINARY };

	return name ? pp_build_module(p->builder, &row) : 0;
}

static void
parse_function(struct pp_cg_parser *p, struct pp_slice value)
{
	pending_lost(p);
	p->place.function = pp_cg_name(p, PP_CG_FUNCTIONS, value);
	p->place.has_function = true;
	p->place.current_file = p->place.file;
	p->place.func = 0;
	if (p->visitor->function)
		p->visitor->function(p);
}

/* Keys that start with 'c'. */
static bool
parse_call_key(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice value)
{
	if (pp_slice_eq_z(key, "cfn")) {
		p->next.function = pp_cg_name(p, PP_CG_FUNCTIONS, value);
		p->next.has_function = true;
		p->next.function_used = false;
	} else if (pp_slice_eq_z(key, "cfi") || pp_slice_eq_z(key, "cfl")) {
		p->next.file = pp_cg_name(p, PP_CG_FILES, value);
		p->next.has_file = true;
	} else if (pp_slice_eq_z(key, "cob")) {
		p->next.object = object_of(p, pp_cg_name(p, PP_CG_OBJECTS, value));
		p->next.has_object = true;
	} else if (pp_slice_eq_z(key, "calls")) {
		parse_calls(p, value);
	} else {
		return false;
	}
	return true;
}

/* All other keys. */
static bool
parse_place_key(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice value)
{
	if (pp_slice_eq_z(key, "fn")) {
		parse_function(p, value);
	} else if (pp_slice_eq_z(key, "fl")) {
		p->place.file = p->place.current_file = pp_cg_name(p, PP_CG_FILES, value);
		p->place.func = 0;
	} else if (pp_slice_eq_z(key, "fi") || pp_slice_eq_z(key, "fe")) {
		p->place.current_file = pp_cg_name(p, PP_CG_FILES, value);
	} else if (pp_slice_eq_z(key, "ob")) {
		p->place.object = object_of(p, pp_cg_name(p, PP_CG_OBJECTS, value));
		p->place.func = 0;
	} else if (pp_slice_eq_z(key, "jfi")) {
		p->next.jump_file = pp_cg_name(p, PP_CG_FILES, value);
	} else if (pp_slice_eq_z(key, "jfn")) {
		p->next.jump_function = pp_cg_name(p, PP_CG_FUNCTIONS, value);
	} else if (pp_slice_eq_z(key, "jump")) {
		parse_jump(p, value, false);
	} else if (pp_slice_eq_z(key, "jcnd")) {
		parse_jump(p, value, true);
	} else if (pp_slice_eq_z(key, "rcalls")) {
		parse_calls(p, value);
	} else {
		return false;
	}
	return true;
}

/* Undocumented lines that callgrind writes with --mangle-names=no and --dump-bbs=yes. */
static bool
parse_other(struct pp_cg_parser *p, struct pp_slice key, struct pp_slice line)
{
	struct pp_buf text = { 0 };

	if (pp_slice_eq_z(key, "frfn")) {
		struct pp_slice value = pp_slice_of(line.p + key.n + 1, line.n - key.n - 1);
		struct pp_slice name = pp_text_of(p->builder->profile,
		                                  pp_cg_name(p, PP_CG_FUNCTIONS, value));

		/* Kept by name: its id belongs to this file. */
		pp_buf_adds(&text, "frfn=");
		pp_buf_add(&text, name.p, name.n);
		if (text.failed)
			pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		else if (p->visitor->other)
			p->visitor->other(p, pp_slice_of(text.p, text.n));
		pp_buf_release(&text);
		return true;
	}
	if (!pp_slice_eq_z(key, "rec") && !pp_slice_eq_z(key, "bb") && !pp_slice_eq_z(key, "ln") &&
	    !pp_slice_eq_z(key, "mp"))
		return false;
	if (p->visitor->other)
		p->visitor->other(p, line);
	return true;
}

static bool
parse_key(struct pp_cg_parser *p, struct pp_slice line)
{
	const unsigned char *equal = memchr(line.p, '=', line.n < 8 ? line.n : 8);
	struct pp_slice key, value;

	if (!equal || equal == line.p)
		return false;
	key = pp_slice_of(line.p, (size_t)(equal - line.p));
	value = pp_slice_of(equal + 1, line.n - key.n - 1);
	if (p->at.cut && key.n >= 2 && memcmp(key.p + key.n - 2, "fn", 2) == 0)
		return true; /* half a name would be a function that never was */
	return (key.p[0] == 'c' ? parse_call_key(p, key, value) : parse_place_key(p, key, value)) ||
	       parse_other(p, key, line);
}

/* ---- lines ------------------------------------------------------------------------------ */

static void
parse_line(struct pp_cg_parser *p, struct pp_slice line)
{
	unsigned char c;

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n == 0) {
		if (p->visitor->blank)
			p->visitor->blank(p);
		return;
	}
	c = line.p[0];
	if (pp_cg_is_digit(c) || c == '+' || c == '-' || c == '*') {
		parse_cost(p, line);
	} else if (c == '#') {
		if (pp_cg_starts(line, "# callgrind format"))
			pp_cg_part_end(p);
	} else if (pp_cg_starts(line, SEPARATOR)) {
		pending_lost(p);
		pp_cg_part_end(p);
	} else if (!parse_key(p, line) && !pp_cg_header(p, line)) {
		pp_cg_report(p, PP_CG_UNKNOWN_LINE, NULL, "the line is neither header nor body");
	}
}

pp_status
pp_cg_parse(struct pp_cg_parser *p)
{
	struct pp_input *in = p->reader->in;
	struct pp_slice line;
	bool whole;

	p->head.fresh = true;
	while (pp_builder_ok(p->builder)) {
		p->at.offset = pp_input_offset(in, in->cur);
		if (!pp_input_line(in, p->reader->limits.max_line, &line, &whole))
			break;
		p->at.line++;
		p->at.begin = line.p;
		p->at.cut = !whole;
		/* What a cut container gave last may be half a number. */
		if (whole || in->status == PP_OK)
			parse_line(p, line);
		if (p->at.line % PROGRESS_LINES == 0 && p->reader->progress &&
		    p->reader->progress(p->reader))
			return PP_E_IO;
	}
	if (!pp_builder_ok(p->builder))
		return p->builder->status;
	if (p->pending != PP_CG_OWN && p->family != PP_CG_XDEBUG)
		pending_lost(p);
	return in->status == PP_E_LIMIT ? PP_E_LIMIT : PP_OK;
}

void
pp_cg_parser_release(struct pp_cg_parser *p)
{
	size_t i;

	for (i = 0; i < PP_CG_SPACES; i++)
		pp_cg_ids_release(&p->names.ids[i]);
	for (i = 0; i < p->head.parts.n; i++) {
		free(p->head.parts.at[i].events);
		free(p->head.parts.at[i].sums);
	}
	for (i = 0; i < p->head.derived.n; i++)
		pp_vec_release(&p->head.derived.at[i].terms);
	pp_vec_release(&p->head.parts);
	pp_vec_release(&p->head.lines);
	pp_vec_release(&p->head.derived);
	free(p->costs);
}
