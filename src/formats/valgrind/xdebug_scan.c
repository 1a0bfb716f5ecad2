/*
 * Xdebug text to tokens. Lines are short and regular, so this is a straight line of compares and
 * branch-free number conversions; whatever is not as Xdebug 2.3 to 3.x write it makes it give up.
 */
#include "formats/valgrind/xdebug_scan.h"

#include <stdlib.h>

void
pp_xd_scan_release(struct pp_xd_scan *s)
{
	pp_vec_release(&s->records);
	pp_vec_release(&s->calls);
	pp_vec_release(&s->slots);
	pp_vec_release(&s->by_function);
	pp_vec_release(&s->names);
}

/* ---- costs ------------------------------------------------------------------------------ */

/* `LINE COST [COST]` and the newline. */
static inline const unsigned char *
cost_line(const unsigned char *p, unsigned columns, uint32_t *line, int64_t *cost)
{
	uint64_t at;
	unsigned k;

	p = pp_cg_number(p, UINT32_MAX, &at);
	*line = (uint32_t)at;
	for (k = 0; p && k < columns; k++)
		p = *p == ' ' ? pp_cg_cost(p + 1, INT64_MAX, &cost[k]) : NULL;
	return p && *p == '\n' ? p + 1 : NULL;
}

/* ---- names ------------------------------------------------------------------------------ */

/* `(N)` or `(N) text` and the newline; notes the text. */
static inline const unsigned char *
id_line(struct pp_xd_scan *s, const unsigned char *p, const unsigned char *end, bool is_file,
        uint32_t *id)
{
	const unsigned char *stop;
	struct pp_xd_name name;
	uint64_t n;

	p = pp_cg_id(p, &n);
	if (!p || n >= PP_XD_IDS)
		return NULL;
	*id = (uint32_t)n;
	if (PP_LIKELY(*p == '\n'))
		return p + 1;
	if (*p++ != ' ')
		return NULL;
	stop = memchr(p, '\n', (size_t)(end - p));
	name = (struct pp_xd_name){ *id, is_file, { p, stop ? (size_t)(stop - p) : 0 } };
	if (!stop || pp_slice_trim(name.text).n != name.text.n || name.text.n == 0)
		return NULL;
	if (!pp_vec_push(&s->names, name)) {
		s->no_memory = true;
		return NULL;
	}
	return stop + 1;
}

/* The slot of a pair of ids that was not met before; 0 when out of memory. */
static uint32_t
slot_add(struct pp_xd_scan *s, uint32_t file, uint32_t function)
{
	struct pp_xd_slot slot = { file, function, 0 };
	size_t old = s->by_function.n;

	if (s->slots.n == 0 && !pp_vec_push(&s->slots, (struct pp_xd_slot){ 0 }))
		goto failed;
	if (function >= old) {
		if (!pp_vec_reserve(&s->by_function, (size_t)function + 1))
			goto failed;
		memset(s->by_function.at + old, 0,
		       (function + 1 - old) * sizeof *s->by_function.at);
		s->by_function.n = (size_t)function + 1;
	}
	slot.next = s->by_function.at[function];
	if (!pp_vec_push(&s->slots, slot))
		goto failed;
	s->by_function.at[function] = (uint32_t)(s->slots.n - 1);
	return (uint32_t)(s->slots.n - 1);
failed:
	s->no_memory = true;
	return 0;
}

static inline uint32_t
slot_of(struct pp_xd_scan *s, uint32_t file, uint32_t function)
{
	uint32_t slot = function < s->by_function.n ? s->by_function.at[function] : 0;

	while (slot && s->slots.at[slot].file != file)
		slot = s->slots.at[slot].next;
	return PP_LIKELY(slot) ? slot : slot_add(s, file, function);
}

uint32_t
pp_xd_slot(struct pp_xd_scan *s, uint32_t file, uint32_t function)
{
	return slot_of(s, file, function);
}

/* ---- records ---------------------------------------------------------------------------- */

/* An empty line, `summary:` and another empty line, as 2.3 to 2.8 put before the cost of {main}. */
static const unsigned char *
summary_line(struct pp_xd_scan *s, const unsigned char *p, const unsigned char *end)
{
	static const char key[] = "summary: ";
	const unsigned char *stop;

	if ((size_t)(end - p) < sizeof key || memcmp(p, key, sizeof key - 1) != 0 || s->has_summary)
		return NULL;
	p += sizeof key - 1;
	stop = memchr(p, '\n', (size_t)(end - p));
	if (!stop)
		return NULL;
	s->has_summary = true;
	s->summary = pp_slice_of(p, (size_t)(stop - p));
	p = stop + 1;
	return p < end && *p == '\n' ? p + 1 : p;
}

/* `fl=(N)` and `fn=(N)`; false when something else stands there. */
static inline const unsigned char *
record_head(struct pp_xd_scan *s, const unsigned char *p, const unsigned char *end, uint32_t *slot)
{
	uint32_t file, function;

	if (pp_load32(p) != PP_CG_WORD('f', 'l', '=', '('))
		return NULL;
	p = id_line(s, p + 3, end, true, &file);
	if (!p || pp_load32(p) != PP_CG_WORD('f', 'n', '=', '('))
		return NULL;
	p = id_line(s, p + 3, end, false, &function);
	if (!p)
		return NULL;
	*slot = slot_of(s, file, function);
	return *slot ? p : NULL;
}

/* `cfl=`, `cfn=` and `calls=` of a call. */
static inline const unsigned char *
call_head(struct pp_xd_scan *s, const unsigned char *p, const unsigned char *end, uint32_t *slot)
{
	static const char one[] = "calls=1 0 0\n";
	uint32_t file, function;

	if (pp_load32(p) != PP_CG_WORD('c', 'f', 'l', '=') || p[4] != '(')
		return NULL;
	p = id_line(s, p + 4, end, true, &file);
	if (!p || pp_load32(p) != PP_CG_WORD('c', 'f', 'n', '=') || p[4] != '(')
		return NULL;
	p = id_line(s, p + 4, end, false, &function);
	if (!p || pp_load64(p) != pp_load64(one) || pp_load32(p + 8) != pp_load32(one + 8))
		return NULL;
	*slot = slot_of(s, file, function);
	return *slot ? p + sizeof one - 1 : NULL;
}

/* Whether some line of [p, end) is longer than that. */
static bool
has_long_line(const unsigned char *p, const unsigned char *end, size_t most)
{
	while (p < end && (size_t)(pp_line_end(p, end) - p) <= most)
		p = pp_line_end(p, end);
	return p < end;
}

/* Bytes that a record and a call take at least: there is room for all of a block. */
#define RECORD_LEAST (sizeof "fl=(1)\nfn=(1)\n1 1\n" - 1)
#define CALL_LEAST (sizeof "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n1 1\n" - 1)

static inline __attribute__((always_inline)) bool
scan_block(struct pp_xd_scan *s, const unsigned char *p, const unsigned char *end, unsigned columns)
{
	const unsigned char *start;
	struct pp_xd_record *record = s->records.at;
	struct pp_xd_call *call = s->calls.at, *first;
	size_t made;

	while (p && p < end) {
		if (*p == '\n') {
			p++;
			continue;
		}
		if (PP_UNLIKELY(*p == 's')) {
			p = summary_line(s, p, end);
			continue;
		}
		first = call;
		start = p;
		record->own[1] = 0;
		p = record_head(s, p, end, &record->slot);
		if (p && PP_UNLIKELY(*p == '\n'))
			p = summary_line(s, p + 1, end);
		if (p)
			p = cost_line(p, columns, &record->line, record->own);
		for (; p && *p == 'c' && p < end; call++) {
			call->cost[1] = 0;
			p = call_head(s, p, end, &call->slot);
			if (p)
				p = cost_line(p, columns, &call->line, call->cost);
		}
		made = (size_t)(call - first);
		if (made >= UINT32_MAX || (PP_UNLIKELY(p && (size_t)(p - start) > s->max_line) &&
		                           has_long_line(start, p, s->max_line)))
			return false;
		record++->calls = (uint32_t)made;
	}
	s->records.n = (size_t)(record - s->records.at);
	s->calls.n = (size_t)(call - s->calls.at);
	return p != NULL;
}

bool
pp_xd_scan_block(struct pp_xd_scan *s, const unsigned char *p, const unsigned char *end)
{
	size_t n = (size_t)(end - p);

	s->records.n = s->calls.n = 0;
	if (!pp_vec_reserve(&s->records, n / RECORD_LEAST + 2) ||
	    !pp_vec_reserve(&s->calls, n / CALL_LEAST + 2)) {
		s->no_memory = true;
		return false;
	}
	return s->columns == 2 ? scan_block(s, p, end, 2) : scan_block(s, p, end, s->columns);
}

/* ---- the end of a file ------------------------------------------------------------------ */

/* Where the last line of [text, text + n) starts. */
static size_t
line_start(const unsigned char *text, size_t n)
{
	const unsigned char *newline = n > 1 ? memrchr(text, '\n', n - 1) : NULL;

	return newline ? (size_t)(newline - text) + 1 : 0;
}

/* Whether [p, end) is the beginning of a call: whole lines and perhaps one that is cut. */
static bool
is_call_start(const unsigned char *p, const unsigned char *end)
{
	static const char *const heads[] = { "cfl=(", "cfn=(", "calls=" };
	size_t i;

	for (i = 0; i < PP_COUNT_OF(heads) && p < end; i++) {
		size_t n = (size_t)(end - p), length = strlen(heads[i]);

		if (memcmp(p, heads[i], n < length ? n : length) != 0)
			return false;
		p = pp_line_end(p, end);
	}
	return p == end;
}

size_t
pp_xd_mend(unsigned char *text, size_t n, unsigned columns)
{
	size_t at = line_start(text, n), i;
	bool ended = text[n - 1] == '\n';

	if (text[at] == 'c') {
		while (text[line_start(text, at)] == 'c')
			at = line_start(text, at);
		return is_call_start(text + at, text + n) ? at : 0;
	}
	if (ended && memcmp(text + at, "fn=(", 4) == 0)
		text[at = n++] = '0';
	else if (ended || !pp_is_digit(text[at]))
		return ended && pp_is_digit(text[at]) ? n : 0;
	n -= text[n - 1] == ' ';
	for (i = pp_slice_count(pp_slice_of(text + at, n - at), ' '); i < columns; i++) {
		memcpy(text + n, " 0", 2);
		n += 2;
	}
	text[n++] = '\n';
	return n;
}

const unsigned char *
pp_xd_block_begin(const unsigned char *begin, const unsigned char *end, size_t size)
{
	for (; (size_t)(end - begin) > size; size *= 2) {
		const unsigned char *found = memmem(end - size, size, "\n\nfl=", 5);

		if (found)
			return found + 2;
	}
	return begin;
}
