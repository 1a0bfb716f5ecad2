/*
 * The line grammar of the family.
 *
 *     key: value                   header (header.c)
 *     ob= fl= fi= fe= fn=          where own costs belong from here on
 *     cob= cfi= cfl= cfn=          where the next call goes
 *     calls=COUNT TARGET           then one cost line: inclusive cost of these calls
 *     jfi= jfn=                    where the next jump goes
 *     jump=COUNT TARGET            then one position line
 *     jcnd=FOLLOWED/EXECUTED TARGET  likewise
 *     POSITION... COST...          own cost
 *     rec= frfn= bb= ln=           kept, without meaning here
 *     # calls from outside: COUNT  calls of the function that no function makes; other comments mean nothing
 *     empty line
 *
 * A position is decimal, 0x hexadecimal, `*` (the base again), `+n` or `-n` (relative to the base); ranges
 * (`a-b`, `a:b`, `a+n`) count at their start. The base is the last line with a position or, in what
 * callgrind itself wrote, the last own line: it moves neither at calls nor at jumps.
 */
#include "formats/valgrind/family.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/num.h"
#include "formats/kit/parts.h"

#define SEPARATOR "==== NEW PROFILING FILE"
#define RUN_BYTES ((size_t)1 << 20)

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
pp_cg_sum_report(void *parser, size_t metric)
{
	struct pp_cg_parser *p = parser;
	const struct pp_profile *profile = p->builder->profile;
	struct pp_slice func = pp_text_of(profile, profile->funcs.at[pp_cg_func(p)].name), name;

	if (metric == profile->metrics.n) {
		pp_cg_report(p, PP_CG_SUM_TOO_LARGE, NULL,
		             "the number of calls by %.*s exceeds 64 bits", PP_CG_CLIP(func));
		return;
	}
	name = pp_text_of(profile, profile->metrics.at[metric].name);
	pp_cg_report(p, PP_CG_SUM_TOO_LARGE, NULL,
	             "a sum of %.*s of %.*s exceeds %d bits with this", PP_CG_CLIP(name),
	             PP_CG_CLIP(func), profile->metrics.at[metric].type == PP_UINT ? 64 : 63);
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
	row = (struct pp_func_row){ .name = p->place.function,
		                    .file = p->place.file,
		                    .module = p->place.object };
	p->place.func = pp_build_func(p->builder, &row);
	return p->place.func;
}

/* ---- positions and costs ---------------------------------------------------------------- */

/* A position that is not a plain number: `a-b`, `a:b` and `a+n` count at their start. NULL when it is none. */
static const unsigned char *
position_odd(struct pp_cg_parser *p, const unsigned char *at, const unsigned char *stop)
{
	const unsigned char *bad = stop && *at != '*' ? stop : at;

	if (!stop || *at == '*' || *at == '+' || *at == '-' ||
	    (*stop != '-' && *stop != ':' && *stop != '+')) {
		pp_cg_report(p, PP_CG_BAD_NUMBER, bad, "a position is not a number");
		return NULL;
	}
	pp_cg_report(p, PP_CG_POSITION_RANGE, at, "a range counts at its start");
	return pp_cg_word_end(stop);
}

/* A position; NULL (said) when it is none. */
static inline const unsigned char *
take_position(struct pp_cg_parser *p, const unsigned char *at, uint64_t base, uint64_t *out)
{
	const unsigned char *stop;
	uint64_t value = 0;
	bool fits = true;

	if (*at == '*') {
		value = base;
		stop = at + 1;
	} else {
		stop = pp_cg_any_number(at + (*at == '+' || *at == '-'), &value);
		if (stop && *at == '+')
			fits = !__builtin_add_overflow(base, value, &value);
		else if (stop && *at == '-')
			fits = !__builtin_sub_overflow(base, value, &value);
	}
	if (PP_UNLIKELY(!stop || *stop > ' '))
		stop = position_odd(p, at, stop);
	if (PP_UNLIKELY(stop && !fits)) {
		pp_cg_report(p, PP_CG_POSITION_OUTSIDE, at, "the position leaves its range");
		return NULL;
	}
	*out = value;
	return stop;
}

/* The positions that start a line or follow `calls=N`; missing ones are 0. NULL (said) when one is none. */
static inline const unsigned char *
take_positions(struct pp_cg_parser *p, const unsigned char *at, struct pp_cg_pos *pos)
{
	unsigned has = pp_cg_part(p)->positions, k;

	*pos = (struct pp_cg_pos){ { 0, 0, 0 } };
	for (k = 0; k < 3; k++) {
		if (!(has >> k & 1))
			continue;
		if (!pp_cg_next_word(&at))
			break;
		at = take_position(p, at, p->base.at[k], &pos->at[k]);
		if (!at)
			return NULL;
	}
	if (PP_UNLIKELY(pos->at[2] > UINT32_MAX)) {
		pp_cg_report(p, PP_CG_POSITION_OUTSIDE, NULL, "the line number exceeds 4294967295");
		pos->at[2] = UINT32_MAX;
	}
	return at;
}

/* What is not a cost: '.' stands for none; NULL (said) for all else. */
static const unsigned char *
cost_odd(struct pp_cg_parser *p, const unsigned char *at, int64_t *out)
{
	const unsigned char *stop = at + (*at == '-');
	uint64_t v;

	if (*at == '.' && pp_cg_word_end(at) == at + 1) {
		*out = 0;
		return at + 1;
	}
	if (pp_is_digit(*stop) && !pp_cg_number(stop, *at == '-' ? INT64_MAX : UINT64_MAX, &v)) {
		pp_cg_report(p, PP_CG_NUMBER_TOO_LARGE, at, "a cost exceeds %d bits",
		             *at == '-' ? 63 : 64);
		return NULL;
	}
	while (pp_is_digit(*stop))
		stop++;
	pp_cg_report(p, PP_CG_BAD_NUMBER, pp_cg_word_end(at) == stop ? at : stop,
	             "a cost is not a whole number");
	return NULL;
}

/*
 * A cost that is negative or exceeds 63 bits. Events count up to 64 bits until one is negative (cg_diff, Xdebug); those
 * that may be negative have 63. False (said) when what there is of both does not go together.
 */
static bool
cost_fits(struct pp_cg_parser *p, const unsigned char *at, uint32_t metric)
{
	struct pp_metric *m = &p->builder->profile->metrics.at[metric];
	bool negative = *at == '-', fits = m->type == (negative ? PP_INT : PP_UINT);

	if (!fits && negative && pp_cg_fits_signed(p->builder->profile, metric)) {
		m->type = PP_INT;
		m->flags |=
		    PP_METRIC_SIGNED; /* shares are of what is above 0, so that none exceeds all */
		fits = true;
	}
	if (!fits)
		pp_cg_report(p, PP_CG_NUMBER_TOO_LARGE, at,
		             negative ? "a cost is negative, and others exceed 63 bits"
		                      : "a cost exceeds 63 bits, and others may be negative");
	return fits;
}

/* Some cost of a line is negative or exceeds 63 bits; false (said) when one cannot be used. */
static bool
costs_fit(struct pp_cg_parser *p, const unsigned char *at)
{
	const struct pp_cg_part *part = pp_cg_part(p);
	uint32_t k;

	for (k = 0; k < p->cost_count && pp_cg_next_word(&at); k++) {
		if (p->costs[part->events[k]] < 0 && !cost_fits(p, at, part->events[k]))
			return false;
		at = pp_cg_word_end(at);
	}
	return true;
}

/* The costs of a line, by metric; the end of the line, or NULL when the line must be refused. */
static inline const unsigned char *
take_costs(struct pp_cg_parser *p, const unsigned char *at)
{
	const struct pp_cg_part *part = pp_cg_part(p);
	const unsigned char *begin = at;
	const uint32_t *metric = part->events;
	uint32_t k = 0, most = part->event_count;
	int64_t signs = 0;
	size_t m;

	for (m = 0; m < p->cost_bound; m++)
		p->costs[m] = 0;
	/* Until all is read, any may be left behind. */
	p->cost_bound = most;
	if (PP_UNLIKELY(!part->in_order || p->head.derived.n))
		p->cost_bound = p->builder->profile->metrics.n;
	for (; pp_cg_next_word(&at); k++) {
		const unsigned char *stop;

		if (PP_UNLIKELY(k == most)) {
			pp_cg_report(p, PP_CG_TOO_MANY_COSTS, at,
			             "costs beyond the number of events, which is %u", most);
			break;
		}
		stop = pp_cg_cost(at, UINT64_MAX, &p->costs[metric[k]]);
		/* What is no end of a word but below is found as the next one. */
		if (PP_UNLIKELY(!stop || *stop > ' '))
			stop = cost_odd(p, at, &p->costs[metric[k]]);
		if (PP_UNLIKELY(!stop))
			return NULL;
		signs |= p->costs[metric[k]];
		at = stop;
	}
	p->cost_count = k;
	if (PP_LIKELY(p->cost_bound == most))
		p->cost_bound = k;
	if (PP_UNLIKELY(signs < 0) && !costs_fit(p, begin))
		return NULL;
	if (PP_UNLIKELY(p->head.derived.n))
		pp_cg_derive(p, p->costs);
	return at;
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

/* As valgrind does: past 64 bits it begins anew. */
static inline void
part_sum(struct pp_cg_part *part, const int64_t *costs, size_t n)
{
	uint64_t *sums = part->sums;
	size_t m;

	for (m = 0; m < n; m++)
		sums[m] += (uint64_t)costs[m];
}

/* Starts the body of the current part, if it is not started. */
static inline void
body_need(struct pp_cg_parser *p, struct pp_cg_part *part)
{
	if (PP_LIKELY(part->has_body))
		return;
	part->has_body = true;
	if (p->visitor->body)
		p->visitor->body(p);
}

/* Hands a line of positions and costs to whom it belongs; where it stopped, or NULL. */
static const unsigned char *
parse_cost(struct pp_cg_parser *p, const unsigned char *at)
{
	struct pp_cg_part *part = p->head.part ? pp_cg_part(p) : NULL;
	const struct pp_cg_visitor *v = p->visitor;
	enum pp_cg_pending what = p->pending;
	struct pp_cg_pos pos;

	p->pending = PP_CG_OWN;
	if (PP_UNLIKELY(!part || !part->has_events)) {
		pp_cg_report(p, PP_CG_COST_BEFORE_EVENTS, NULL, "no events: line came before");
		return NULL;
	}
	body_need(p, part);
	at = take_positions(p, at, &pos);
	if (PP_LIKELY(at != NULL))
		at = take_costs(p, at);
	if (PP_UNLIKELY(!at))
		return NULL;
	if (what == PP_CG_OWN || !p->by_callgrind)
		p->base = pos;
	if (what == PP_CG_OWN) {
		part_sum(pp_cg_part(p), p->costs, p->cost_bound);
		if (v->own)
			v->own(p, &pos, p->costs);
	} else if (what == PP_CG_CALL) {
		if (v->call)
			v->call(p, &p->call, &pos, p->costs);
	} else if (v->jump) {
		v->jump(p, &p->jump, &pos);
	}
	return at;
}

/* ---- calls and jumps -------------------------------------------------------------------- */

static void
parse_calls(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_cg_call *call = &p->call;
	struct pp_func_row callee = { 0 };
	const unsigned char *at = pp_cg_skip_blanks(value.p), *stop;

	pending_lost(p);
	if (!pp_cg_part_need(p))
		return;
	*call = (struct pp_cg_call){ 0 };
	stop = pp_cg_any_number(at, &call->count);
	if (!stop || stop != pp_cg_word_end(at)) {
		pp_cg_report(p, PP_CG_BAD_CALLS, at, "the number of calls is not a number");
		call->count = 0;
		stop = pp_cg_word_end(at);
	}
	/* Surplus numbers (Xdebug writes `calls=1 0 0`) mean nothing. */
	if (!take_positions(p, stop, &call->target))
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
	const unsigned char *at = pp_cg_skip_blanks(value.p), *stop;

	pending_lost(p);
	if (!pp_cg_part_need(p))
		return;
	*jump = (struct pp_cg_jump){ .conditional = conditional,
		                     .file = p->next.jump_file,
		                     .name = p->next.jump_function };
	p->next.jump_file = p->next.jump_function = 0;
	p->pending = PP_CG_JUMP;
	stop = pp_cg_any_number(at, &jump->followed);
	if (stop && conditional && *stop == '/')
		stop = pp_cg_any_number(stop + 1, &jump->executed);
	if (!stop || stop != pp_cg_word_end(at))
		pp_cg_report(p, PP_CG_BAD_JUMP, at, "the number of jumps is not a number");
	if (!take_positions(p, pp_cg_word_end(at), &jump->target))
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

/* `frfn=`, which callgrind writes with --mangle-names=no: kept by name, for its id belongs to this file. */
static void
parse_from(struct pp_cg_parser *p, struct pp_slice value)
{
	struct pp_slice name = pp_text_of(p->builder->profile,
	                                  pp_cg_name(p, PP_CG_FUNCTIONS, value));
	struct pp_buf text = { 0 };

	pp_buf_adds(&text, "frfn=");
	pp_buf_add(&text, name.p, name.n);
	if (text.failed)
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
	else if (p->visitor->other)
		p->visitor->other(p, pp_slice_of(text.p, text.n));
	pp_buf_release(&text);
}

static void
parse_file(struct pp_cg_parser *p, struct pp_slice value)
{
	p->place.file = p->place.current_file = pp_cg_name(p, PP_CG_FILES, value);
	p->place.func = 0;
}

static void
parse_object(struct pp_cg_parser *p, struct pp_slice value)
{
	p->place.object = object_of(p, pp_cg_name(p, PP_CG_OBJECTS, value));
	p->place.func = 0;
}

/* The line of a key of up to four letters; false when there is no such key. */
static bool
parse_short_key(struct pp_cg_parser *p, uint32_t key, struct pp_slice value, struct pp_slice line)
{
	switch (key) {
	case PP_CG_WORD('f', 'n', 0, 0):
		parse_function(p, value);
		return true;
	case PP_CG_WORD('f', 'l', 0, 0):
		parse_file(p, value);
		return true;
	case PP_CG_WORD('f', 'i', 0, 0):
	case PP_CG_WORD('f', 'e', 0, 0):
		p->place.current_file = pp_cg_name(p, PP_CG_FILES, value);
		return true;
	case PP_CG_WORD('o', 'b', 0, 0):
		parse_object(p, value);
		return true;
	case PP_CG_WORD('c', 'f', 'n', 0):
		p->next.function = pp_cg_name(p, PP_CG_FUNCTIONS, value);
		p->next.has_function = true;
		p->next.function_used = false;
		return true;
	case PP_CG_WORD('c', 'f', 'i', 0):
	case PP_CG_WORD('c', 'f', 'l', 0):
		p->next.file = pp_cg_name(p, PP_CG_FILES, value);
		p->next.has_file = true;
		return true;
	case PP_CG_WORD('c', 'o', 'b', 0):
		p->next.object = object_of(p, pp_cg_name(p, PP_CG_OBJECTS, value));
		p->next.has_object = true;
		return true;
	case PP_CG_WORD('j', 'f', 'i', 0):
		p->next.jump_file = pp_cg_name(p, PP_CG_FILES, value);
		return true;
	case PP_CG_WORD('j', 'f', 'n', 0):
		p->next.jump_function = pp_cg_name(p, PP_CG_FUNCTIONS, value);
		return true;
	case PP_CG_WORD('j', 'u', 'm', 'p'):
	case PP_CG_WORD('j', 'c', 'n', 'd'):
		parse_jump(p, value, line.p[1] == 'c');
		return true;
	case PP_CG_WORD('f', 'r', 'f', 'n'):
		parse_from(p, value);
		return true;
	case PP_CG_WORD('r', 'e', 'c', 0): /* with --mangle-names=no and --dump-bbs=yes */
	case PP_CG_WORD('b', 'b', 0, 0):
	case PP_CG_WORD('l', 'n', 0, 0):
	case PP_CG_WORD('m', 'p', 0, 0):
		if (p->visitor->other)
			p->visitor->other(p, line);
		return true;
	default:
		return false;
	}
}

static bool
parse_key(struct pp_cg_parser *p, struct pp_slice line)
{
	struct pp_slice value = line, key;
	uint32_t word = 0;
	size_t n = 0;

	while (n < 8 && n < line.n && line.p[n] != '=')
		n++;
	if (n == 0 || n == 8 || n == line.n)
		return false;
	key = pp_slice_of(line.p, n);
	value = pp_slice_from(line, n + 1);
	if (p->at.cut && n >= 2 && memcmp(key.p + n - 2, "fn", 2) == 0)
		return true; /* half a name would be a function that never was */
	if (n <= 4) {
		memcpy(&word, key.p, n);
		return parse_short_key(p, word, value, line);
	}
	if (!pp_slice_eq_z(key, "calls") && !pp_slice_eq_z(key, "rcalls"))
		return false;
	parse_calls(p, value);
	return true;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* Acts on a comment that counts calls from outside; a half one, or one with other words, means nothing. */
static void
parse_comment(struct pp_cg_parser *p, struct pp_slice line)
{
	struct pp_cg_part *part = p->head.part ? pp_cg_part(p) : NULL;
	uint64_t calls;

	if (!p->visitor->outside || !pp_slice_starts(line, PP_CG_OUTSIDE) || p->at.cut || !part ||
	    !part->has_events || !p->place.has_function ||
	    !pp_num_u64(pp_slice_from(line, sizeof PP_CG_OUTSIDE - 1), &calls))
		return;
	body_need(p, part);
	p->visitor->outside(p, calls);
}

/* A line that is not one of positions and costs. */
static void
parse_other_line(struct pp_cg_parser *p, struct pp_slice line)
{
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n == 0) {
		if (p->visitor->blank)
			p->visitor->blank(p);
	} else if (line.p[0] == '#') {
		if (pp_slice_starts(line, "# callgrind format"))
			pp_cg_part_end(p);
		else
			parse_comment(p, line);
	} else if (line.p[0] == '=' && pp_slice_starts(line, SEPARATOR)) {
		pending_lost(p);
		pp_cg_part_end(p);
	} else if (!parse_key(p, line) && !pp_cg_header(p, line)) {
		pp_cg_report(p, PP_CG_UNKNOWN_LINE, NULL, "the line is neither header nor body");
	}
}

/* The line that starts at p->at.begin; what follows its newline. It ends before `end`. */
static const unsigned char *
parse_line(struct pp_cg_parser *p, const unsigned char *end)
{
	const unsigned char *begin = p->at.begin, *stop = begin;
	bool costs = pp_is_digit(*begin) || *begin == '+' || *begin == '-' || *begin == '*';

	p->at.line++;
	if (costs) {
		stop = parse_cost(p, begin);
		if (PP_LIKELY(stop && *stop == '\n'))
			return stop + 1;
	}
	stop = stop ? stop : begin;
	stop = memchr(stop, '\n', (size_t)(end - stop));
	if (!costs)
		parse_other_line(p, pp_slice_of(begin, (size_t)(stop - begin)));
	return stop + 1;
}

/* Lines up to `end`, all of them whole; in->cur stays at one that is too long. */
static void
parse_lines(struct pp_cg_parser *p, struct pp_input *in, const unsigned char *end)
{
	while (in->cur < end && pp_builder_ok(p->builder)) {
		const unsigned char *next;

		p->at.begin = in->cur;
		next = parse_line(p, end);
		if (PP_UNLIKELY((size_t)(next - in->cur) > p->reader->limits.max_line))
			return;
		p->at.offset += (uint64_t)(next - in->cur);
		in->cur = next;
	}
}

/* The last line, which lacks its newline: it is read from a copy that has one. */
static void
parse_cut(struct pp_cg_parser *p, struct pp_slice line)
{
	unsigned char *copy = calloc(line.n + 1 + sizeof(uint64_t), 1);

	p->at.cut = true;
	if (!copy) {
		pp_builder_fail(p->builder, PP_E_NOMEM, NULL);
		return;
	}
	memcpy(copy, line.p, line.n);
	copy[line.n] = '\n';
	p->at.begin = copy;
	/* What a cut container gave last may be half a number. */
	if (p->reader->in->status == PP_OK)
		(void)parse_line(p, copy + line.n + 1);
	else
		p->at.line++;
	free(copy);
}

pp_status
pp_cg_parse(struct pp_cg_parser *p)
{
	struct pp_runs runs = { .reader = p->reader, .most = RUN_BYTES };
	struct pp_input *in = p->reader->in;
	struct pp_slice run, line;
	pp_status status;
	bool whole = true;

	p->head.fresh = true;
	p->at.offset = pp_input_offset(in, in->cur);
	while (pp_builder_ok(p->builder) && (status = pp_runs_next(&runs, &run)) != PP_E_IO) {
		const unsigned char *end = run.p + run.n;

		if (status == PP_OK && run.n)
			parse_lines(p, in, runs.last ? pp_last_line_end(run.p, end) : end);
		/* What is left is the end, or a line that is too long. */
		if (in->cur == end && run.n)
			continue;
		if (!pp_builder_ok(p->builder) ||
		    !pp_input_line(in, p->reader->limits.max_line, &line, &whole))
			break;
		parse_cut(p, line);
	}
	if (pp_builder_ok(p->builder) && status == PP_E_IO)
		return PP_E_IO;
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
