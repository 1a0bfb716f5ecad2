/*
 * Event lines of SPX 0.2 .. 0.4:   INDEX (1|0) VALUE ... VALUE \n   with values since the first event.
 *
 * The fast run takes lines of plain non-negative numbers; everything else (decimals, negative numbers,
 * missing values, two events on one line) goes through pp_spx_line_04(), one line at a time.
 *
 * The damage that SPX does: it collects lines in a buffer of 8192 bytes, which it flushes when fewer
 * than 128 are left, and every 16384 events. A line of more than 128 bytes may not fit: values are
 * dropped and, when the buffer is exactly full, the newline too. Following the writer's count of bytes
 * tells where such a line has to be cut. Values that were dropped keep the state of the event before.
 */
#include "base/num.h"
#include "formats/spx/walk.h"
#include "text/swar.h"

#define BUFFER 8192u
#define BUFFER_SPARE 128u
#define BUFFER_EVENTS 16384u

/* Follows the writer: a line of n bytes, newline included, went into its buffer. */
static inline void
writer_took(struct spx_state *s, size_t n)
{
	s->used += (uint32_t)(n < BUFFER ? n : BUFFER);
	if (s->used > BUFFER - BUFFER_SPARE)
		s->used = 0;
	if (++s->flushed == BUFFER_EVENTS)
		s->flushed = s->used = 0;
}

/* ---- the fast run ---- */

/*
 * A plain number of at most 15 digits. Returns how many there are, 0 when it is anything else. Reads
 * up to 16 bytes from p on.
 */
static inline size_t
plain_number(const unsigned char *p, int64_t *value)
{
	uint64_t digits = pp_swar_digits(pp_load64(p));
	size_t n = pp_swar_first(pp_swar_above9(digits)), more;

	if (PP_LIKELY(n < 8)) {
		if (PP_UNLIKELY(n == 0))
			return 0;
		*value = (int64_t)pp_swar_number(digits, n);
		return n;
	}
	*value = (int64_t)pp_swar_number(digits, 8);
	digits = pp_swar_digits(pp_load64(p + 8));
	more = pp_swar_first(pp_swar_above9(digits));
	if (more == 0)
		return 8;
	if (PP_UNLIKELY(more == 8))
		return 0;
	*value = *value * pp_power10[more] + (int64_t)pp_swar_number(digits, more);
	return 8 + more;
}

/* "INDEX FLAG " at p; returns its length, 0 when it is not that. */
static inline size_t
plain_head(const unsigned char *p, uint32_t *index, bool *start)
{
	uint64_t word = pp_load64(p), digits = pp_swar_digits(word);
	size_t n = pp_swar_first(pp_swar_above9(digits));

	if (PP_UNLIKELY(n - 1 > 4) || PP_UNLIKELY((word >> 8 * n & 0xfffeff) != 0x203020))
		return 0;
	*index = (uint32_t)pp_swar_number(digits, n);
	*start = word >> 8 * (n + 1) & 1;
	return n + 3;
}

/*
 * The loop itself; `columns` is a constant in most instances, so that the state stays in registers.
 * Invariant: an event is either taken as a whole or not at all.
 */
static inline __attribute__((always_inline)) const unsigned char *
run_04(struct spx_walk *w, const unsigned char *p, const unsigned char *end, const uint32_t columns,
       const bool record, const bool repair)
{
	struct spx_cursor c = pp_spx_cursor_begin(w);
	int64_t *values = w->state.values;

	while (p < end && PP_LIKELY(!w->no_memory)) {
		int64_t grew[SPX_METRICS_MAX], *own = c.cells + c.cur * c.stride, sum;
		const unsigned char *q = p;
		uint32_t index, j;
		bool start;
		size_t n = plain_head(p, &index, &start);

		if (PP_UNLIKELY(n == 0))
			break;
		for (j = 0; j < columns; j++) {
			int64_t next;

			q += n;
			n = plain_number(q, &next);
			if (PP_UNLIKELY(n == 0 || q[n] != (j + 1 < columns ? ' ' : '\n') ||
			                __builtin_sub_overflow(next, values[j], &grew[j]) ||
			                __builtin_add_overflow(own[j], grew[j], &sum)))
				goto out;
			n++;
		}
		q += n;
		for (j = 0; j < columns; j++) {
			own[j] += grew[j];
			values[j] += grew[j];
		}
		w->back |= grew[0];
		if (repair)
			writer_took(&w->state, (size_t)(q - p));
		pp_spx_cursor_step(w, &c, start, index, 0, p, record);
		p = q;
	}
out:
	pp_spx_cursor_end(w, &c);
	return p;
}

const unsigned char *
pp_spx_run_04(struct spx_walk *w, const unsigned char *p, const unsigned char *end)
{
	const uint32_t columns = w->layout->columns;

	if (columns == 0)
		return p;
	if (w->layout->repair)
		return run_04(w, p, end, columns, w->record, true);
	if (w->record)
		return run_04(w, p, end, columns, true, false);
	if (columns == 2)
		return run_04(w, p, end, 2, false, false);
	if (columns == 1)
		return run_04(w, p, end, 1, false, false);
	return run_04(w, p, end, columns, false, false);
}

/* ---- any line ---- */

static size_t
count_fields(struct pp_slice s)
{
	size_t n = 1, i;

	for (i = 0; i < s.n; i++)
		n += s.p[i] == ' ';
	return n;
}

static bool
parse_head(struct pp_slice index_text, struct pp_slice flag, uint32_t *index, bool *start)
{
	uint64_t value;

	if (!pp_num_u64(index_text, &value) || value >= SPX_INDEX_NONE || flag.n != 1 ||
	    (flag.p[0] | 1) != '1')
		return false;
	*index = (uint32_t)value;
	*start = flag.p[0] == '1';
	return true;
}

/* One event, `s` being all of it. */
static void
take_event(struct spx_walk *w, struct pp_slice s)
{
	struct pp_place place = pp_spx_place(w, s.p, 0);
	struct pp_slice field, flag, rest = s;
	bool more = true, start, missing = false;
	uint32_t index, j;

	if (!pp_spx_next_field(&rest, ' ', &more, &field) ||
	    !pp_spx_next_field(&rest, ' ', &more, &flag) ||
	    !parse_head(field, flag, &index, &start)) {
		pp_spx_walk_refuse(w, place,
		                   "not an event: a function index, 1 or 0, and values are "
		                   "expected");
		return;
	}
	for (j = 0; j < w->layout->metrics; j++) {
		w->next[j] = w->state.known ? w->state.values[j] : 0;
		if (j >= w->layout->columns)
			continue;
		if (!pp_spx_next_field(&rest, ' ', &more, &field) || field.n == 0) {
			missing = true;
		} else if (!pp_spx_walk_number(w, j, field, false)) {
			place = pp_spx_place(w, s.p, (size_t)(field.p - s.p));
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
	pp_spx_walk_event(w, start, index, 0, place);
}

void
pp_spx_line_04(struct spx_walk *w, struct pp_slice line, bool whole)
{
	size_t expected = (size_t)w->layout->columns + 2;

	while (w->layout->repair && !w->garbage && count_fields(line) > expected) {
		size_t cut = BUFFER - w->state.used;

		if (cut >= line.n)
			break;
		if (w->short_lines + w->merged_lines++ == 0)
			w->first_damage = pp_spx_place(w, line.p, cut);
		writer_took(&w->state, cut);
		take_event(w, pp_slice_of(line.p, cut));
		line = pp_slice_of(line.p + cut, line.n - cut);
	}
	if (w->garbage)
		return;
	writer_took(&w->state, line.n + whole);
	take_event(w, line);
}
