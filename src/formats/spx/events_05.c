/*
 * Event lines of SPX 0.5:
 *     start   LINE '|' FUNC ( '|' VALUE )* \n      LINE: where the call stands, hexadecimal, empty = 0
 *     end     '-' FUNC ( '|' VALUE )* \n
 *     FUNC    INDEX, or rN: that of the N-th event before
 *     VALUE   empty: as before; a number: the difference to the event before; aNUMBER: the state
 *
 * Every 8192 events all values are absolute, and references do not reach back over that line. Builds of
 * July 2025 wrote start lines without LINE.
 */
#include "base/num.h"
#include "formats/spx/walk.h"
#include "text/swar.h"

/* ---- the fast run ---- */

/* Values of hexadecimal digits; 16 for all other bytes. */
static const unsigned char hex_value[256] = {
#define N4 16, 16, 16, 16
#define N16 N4, N4, N4, N4
	N16, N16, N16, 0,  1,  2,  3,   4,   5,   6,   7,   8,   9,   16,  16, N4,
	N16, N16, 16,  10, 11, 12, 13,  14,  15,  16,  N4,  N4,  16,  16,  16, 16,
	16,  16,  16,  16, N4, N4, N16, N16, N16, N16, N16, N16, N16, N16,
#undef N16
#undef N4
};

/* "-" or "LINE|" at p: its length, 0 when it is neither. */
static inline size_t
plain_kind(const unsigned char *p, bool *start, uint32_t *site)
{
	uint32_t line = 0;
	size_t n = 0;

	*start = p[0] != '-';
	*site = 0;
	if (!*start)
		return 1;
	for (; n < 4 && hex_value[p[n]] < 16; n++)
		line = line << 4 | hex_value[p[n]];
	*site = line;
	return p[n] == '|' ? n + 1 : 0;
}

/* "INDEX" or "rN" before a '|': its length, 0 when it is neither. */
static inline size_t
plain_func(const struct spx_state *s, const unsigned char *p, uint32_t *index)
{
	uint64_t digits;
	size_t n;

	if (p[0] == 'r') {
		uint32_t back = (uint32_t)p[1] - '0';

		if (PP_UNLIKELY(back - 1 > 8 || back > s->recents || p[2] != '|'))
			return 0;
		*index = s->recent[(s->recents - back) % SPX_RECENT];
		return 2;
	}
	digits = pp_swar_digits(pp_load64(p));
	n = pp_swar_first(pp_swar_above9(digits));
	if (PP_UNLIKELY(n - 1 > 6 || p[n] != '|'))
		return 0;
	*index = (uint32_t)pp_swar_number(digits, n);
	return n;
}

/*
 * The value at p up to `stop`, as what the column grows by. Returns where `stop` is, NULL when it is
 * not plain.
 */
static inline const unsigned char *
plain_value(const unsigned char *p, unsigned char stop, int64_t state, int64_t *grew)
{
	uint64_t digits;
	int64_t value;
	bool negative, absolute;
	size_t n, more;

	*grew = 0;
	if (*p == stop)
		return p;
	negative = *p == '-';
	absolute = *p == 'a';
	p += negative | absolute;
	digits = pp_swar_digits(pp_load64(p));
	n = pp_swar_first(pp_swar_above9(digits));
	if (PP_UNLIKELY(n == 0))
		return NULL;
	value = (int64_t)pp_swar_number(digits, n);
	p += n;
	if (PP_UNLIKELY(n == 8)) {
		digits = pp_swar_digits(pp_load64(p));
		more = pp_swar_first(pp_swar_above9(digits));
		if (more == 8)
			return NULL;
		if (more)
			value = value * pp_power10[more] + (int64_t)pp_swar_number(digits, more);
		p += more;
	}
	if (PP_UNLIKELY(*p != stop))
		return NULL;
	*grew = negative ? -value : value;
	if (PP_UNLIKELY(absolute) && __builtin_sub_overflow(value, state, grew))
		return NULL;
	return p;
}

/* See run_04(). */
static inline __attribute__((always_inline)) const unsigned char *
run_05(struct spx_walk *w, const unsigned char *p, const unsigned char *end, const uint32_t columns,
       const bool record)
{
	struct spx_cursor c = pp_spx_cursor_begin(w);
	int64_t *values = w->state.values;

	while (p < end && PP_LIKELY(!w->no_memory)) {
		int64_t grew[SPX_METRICS_MAX], *own = c.cells + c.cur * c.stride, sum;
		const unsigned char *q = p;
		uint32_t index, site, j;
		bool start;
		size_t n = plain_kind(p, &start, &site);

		if (PP_UNLIKELY(n == 0))
			break;
		q = p + n;
		n = plain_func(&w->state, q, &index);
		if (PP_UNLIKELY(n == 0))
			break;
		q += n;
		for (j = 0; j < columns; j++) {
			q = plain_value(q + 1, j + 1 < columns ? '|' : '\n', values[j], &grew[j]);
			if (PP_UNLIKELY(!q || __builtin_add_overflow(values[j], grew[j], &sum) ||
			                __builtin_add_overflow(own[j], grew[j], &sum)))
				goto out;
		}
		for (j = 0; j < columns; j++) {
			own[j] += grew[j];
			values[j] += grew[j];
		}
		w->back |= grew[0];
		w->state.recent[w->state.recents++ % SPX_RECENT] = index;
		pp_spx_cursor_step(w, &c, start, index, site, p, record);
		p = q + 1;
	}
out:
	pp_spx_cursor_end(w, &c);
	return p;
}

const unsigned char *
pp_spx_run_05(struct spx_walk *w, const unsigned char *p, const unsigned char *end)
{
	const uint32_t columns = w->layout->columns;

	if (columns == 0 || !w->layout->sites)
		return p;
	if (w->record)
		return run_05(w, p, end, columns, true);
	if (columns == 2)
		return run_05(w, p, end, 2, false);
	if (columns == 1)
		return run_05(w, p, end, 1, false);
	return run_05(w, p, end, columns, false);
}

/* ---- any line ---- */

/* INDEX or rN. */
static bool
parse_func(const struct spx_state *s, struct pp_slice text, uint32_t *index)
{
	uint64_t value;
	bool back = text.n > 0 && text.p[0] == 'r';

	if (!pp_num_u64(back ? pp_slice_of(text.p + 1, text.n - 1) : text, &value))
		return false;
	if (!back) {
		*index = (uint32_t)value;
		return value < SPX_INDEX_NONE;
	}
	if (value == 0 || value > SPX_RECENT || value > s->recents)
		return false;
	*index = s->recent[(s->recents - (uint32_t)value) % SPX_RECENT];
	return true;
}

/* The part before the values. */
static const char *
parse_head(struct spx_walk *w, struct pp_slice *rest, bool *more, bool *start, uint32_t *index,
           uint32_t *site)
{
	struct pp_slice field;
	uint64_t line = 0;

	*start = rest->p[0] != '-';
	*site = 0;
	if (!*start) {
		*rest = pp_slice_of(rest->p + 1, rest->n - 1);
	} else if (w->layout->sites) {
		(void)pp_spx_next_field(rest, '|', more, &field);
		if (field.n && !pp_num_hex(field, &line))
			return "not an event: the line of the call is not a hexadecimal number";
		/* Some builds wrote any 32 bits for internal functions. */
		*site = line > 0xffff ? 0 : (uint32_t)line;
	}
	if (!pp_spx_next_field(rest, '|', more, &field) || !parse_func(&w->state, field, index))
		return "not an event: a function index, or a reference to one of the events before, is "
		       "expected";
	return NULL;
}

void
pp_spx_line_05(struct spx_walk *w, struct pp_slice line)
{
	struct pp_place place = pp_spx_place(w, line.p, 0);
	struct pp_slice rest = line, field;
	bool more = true, start, missing = false;
	uint32_t index = 0, site, j;
	const char *wrong = parse_head(w, &rest, &more, &start, &index, &site);

	if (wrong) {
		pp_spx_walk_refuse(w, place, wrong);
		return;
	}
	for (j = 0; j < w->layout->metrics; j++) {
		bool absolute;

		w->next[j] = w->state.known ? w->state.values[j] : 0;
		if (j >= w->layout->columns)
			continue;
		if (!pp_spx_next_field(&rest, '|', &more, &field)) {
			missing = true;
			continue;
		}
		absolute = field.n && field.p[0] == 'a';
		if (field.n &&
		    !pp_spx_walk_number(w, j, pp_slice_of(field.p + absolute, field.n - absolute),
		                        !absolute)) {
			place = pp_spx_place(w, line.p, (size_t)(field.p - line.p));
			pp_spx_walk_refuse(w, place,
			                   "not an event: a value is not a number, or too large");
			return;
		}
	}
	if (more)
		pp_diag_add(&w->diags, &pp_spx_rules[SPX_EVENT_LONG], place,
		            "the event has more than %u values; the others are not used",
		            w->layout->columns);
	if (missing && w->short_lines++ + w->merged_lines == 0)
		w->first_damage = place;
	pp_spx_walk_event(w, start, index, site, place);
}
