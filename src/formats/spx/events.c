/*
 * Event lines.
 *
 *     0.4   INDEX (1|0) VALUE ... VALUE \n         values since the first event
 *     0.5   start   LINE '|' FUNC ( '|' VALUE )* \n      LINE: where the call stands, hexadecimal, empty = 0
 *           end     '-' FUNC ( '|' VALUE )* \n
 *           FUNC    INDEX, or rN: that of the N-th event before
 *           VALUE   empty: as before; a number: the difference to the event before; aNUMBER: the state
 *
 * The fast run takes lines of plain numbers; everything else (decimals, negative numbers of 0.4, missing values,
 * two events on one line) goes through pp_spx_line(), one line at a time.
 *
 * Every 8192 events of 0.5 all values are absolute, and references do not reach back over that line. Builds
 * of July 2025 wrote start lines without LINE.
 *
 * The damage that SPX 0.2 .. 0.4 does: it collects lines in a buffer of 8192 bytes, which it flushes when fewer
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

#define INLINE static inline __attribute__((always_inline))

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

/* What stands before the values of an event. */
struct head {
	uint32_t index;
	uint32_t site; /* line of the call; 0 = unknown */
	bool start;
};

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

/*
 * A plain number of at most 15 digits. Returns how many there are, 0 when it is anything else. Reads
 * up to 16 bytes from p on.
 */
INLINE size_t
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

/* "INDEX FLAG " at p: its length, 0 when it is not that. */
INLINE size_t
plain_head_04(const unsigned char *p, struct head *h)
{
	uint64_t word = pp_load64(p), digits = pp_swar_digits(word);
	size_t n = pp_swar_first(pp_swar_above9(digits));

	if (PP_UNLIKELY(n - 1 > 4) || PP_UNLIKELY((word >> 8 * n & 0xfffeff) != 0x203020))
		return 0;
	h->index = (uint32_t)pp_swar_number(digits, n);
	h->start = word >> 8 * (n + 1) & 1;
	h->site = 0;
	return n + 3;
}

/* "-" or "LINE|", then "INDEX|" or "rN|": its length, 0 when it is not that. */
INLINE size_t
plain_head_05(const struct spx_state *s, const unsigned char *p, struct head *h)
{
	uint64_t digits;
	size_t kind, n;

	h->start = *p != '-';
	h->site = 0;
	for (kind = 0; h->start && kind < 4 && hex_value[p[kind]] < 16; kind++)
		h->site = h->site << 4 | hex_value[p[kind]];
	if (PP_UNLIKELY(h->start && p[kind] != '|'))
		return 0;
	p += ++kind;
	if (*p == 'r') {
		uint32_t back = (uint32_t)p[1] - '0';

		if (PP_UNLIKELY(back - 1 > 8 || back > s->recents || p[2] != '|'))
			return 0;
		h->index = s->recent[(s->recents - back) % SPX_RECENT];
		return kind + 3;
	}
	digits = pp_swar_digits(pp_load64(p));
	n = pp_swar_first(pp_swar_above9(digits));
	if (PP_UNLIKELY(n - 1 > 6 || p[n] != '|'))
		return 0;
	h->index = (uint32_t)pp_swar_number(digits, n);
	return kind + n + 1;
}

/*
 * The value at p up to `stop`, as what the column grows by. Returns where `stop` is, NULL when it is
 * not plain.
 */
INLINE const unsigned char *
plain_value(const unsigned char *p, unsigned char stop, int64_t state, int64_t *grew,
            const bool bars)
{
	bool negative = bars && *p == '-', absolute = !bars || *p == 'a';
	int64_t value;
	size_t n;

	*grew = 0;
	if (bars && *p == stop)
		return p;
	p += bars && (negative | absolute);
	n = plain_number(p, &value);
	if (PP_UNLIKELY(n == 0 || p[n] != stop))
		return NULL;
	*grew = negative ? -value : value;
	if ((bars ? PP_UNLIKELY(absolute) : true) && __builtin_sub_overflow(value, state, grew))
		return NULL;
	return p + n;
}

/*
 * The loop itself; `columns` is a constant in most instances, so that the state stays in registers.
 * Invariant: an event is either taken as a whole or not at all.
 */
INLINE const unsigned char *
run(struct spx_walk *w, const unsigned char *p, const unsigned char *end, const bool bars,
    const uint32_t columns, const uint32_t gains, const bool record, const bool repair)
{
	struct spx_cursor c = pp_spx_cursor_begin(w);
	int64_t *values = w->state.values;
	const struct spx_layout *layout = w->layout;

	while (p < end && PP_LIKELY(!w->no_memory)) {
		int64_t grew[SPX_METRICS_MAX], *own = c.cells + c.cur * c.stride, sum;
		struct head h;
		size_t n = bars ? plain_head_05(&w->state, p, &h) : plain_head_04(p, &h);
		const unsigned char *q = p + n;
		uint32_t j;

		if (PP_UNLIKELY(n == 0))
			break;
		for (j = 0; j < columns; j++) {
			unsigned char stop = j + 1 < columns ? (bars ? '|' : ' ') : '\n';

			q = plain_value(q, stop, values[j], &grew[j], bars);
			if (PP_UNLIKELY(
			        !q || (bars && __builtin_add_overflow(values[j], grew[j], &sum)) ||
			        __builtin_add_overflow(own[j], grew[j], &sum)))
				goto out;
			q++;
		}
		for (j = 0; j < gains; j++)
			if (PP_UNLIKELY(__builtin_add_overflow(
			        own[layout->metrics + j],
			        pp_cell_gained(PP_INT, grew[layout->gain_of[j]]), &sum)))
				goto out;
		for (j = 0; j < gains; j++)
			own[layout->metrics + j] += pp_cell_gained(PP_INT,
			                                           grew[layout->gain_of[j]]);
		for (j = 0; j < columns; j++) {
			own[j] += grew[j];
			values[j] += grew[j];
		}
		w->found.back |= grew[0];
		if (bars)
			w->state.recent[w->state.recents++ % SPX_RECENT] = h.index;
		if (repair)
			writer_took(&w->state, (size_t)(q - p));
		pp_spx_cursor_step(w, &c, h.start, h.index, h.site, p, record);
		p = q;
	}
out:
	pp_spx_cursor_end(w, &c);
	return p;
}

/* The instance for the columns at hand. */
INLINE const unsigned char *
run_any(struct spx_walk *w, const unsigned char *p, const unsigned char *end, const bool bars)
{
	const uint32_t columns = w->layout->columns, gains = w->layout->gain_columns;

	if (!bars && w->layout->repair)
		return run(w, p, end, bars, columns, gains, w->record, true);
	if (w->record)
		return run(w, p, end, bars, columns, gains, true, false);
	if (columns == 2 && gains == 1)
		return run(w, p, end, bars, 2, 1, false, false);
	if (columns == 2 && gains == 0)
		return run(w, p, end, bars, 2, 0, false, false);
	if (columns == 1 && gains == 0)
		return run(w, p, end, bars, 1, 0, false, false);
	return run(w, p, end, bars, columns, gains, false, false);
}

static PP_NOINLINE const unsigned char *
run_04(struct spx_walk *w, const unsigned char *p, const unsigned char *end)
{
	return run_any(w, p, end, false);
}

static PP_NOINLINE const unsigned char *
run_05(struct spx_walk *w, const unsigned char *p, const unsigned char *end)
{
	return run_any(w, p, end, true);
}

const unsigned char *
pp_spx_run(struct spx_walk *w, const unsigned char *p, const unsigned char *end)
{
	const struct spx_layout *layout = w->layout;

	if (layout->columns == 0 || (layout->bars && !layout->sites))
		return p;
	return layout->bars ? run_05(w, p, end) : run_04(w, p, end);
}

/* ---- any line ---- */

static const char *
head_04(struct pp_slice *rest, bool *more, struct head *h)
{
	struct pp_slice index, flag;
	uint64_t value;

	if (!pp_slice_field(rest, ' ', more, &index) || !pp_slice_field(rest, ' ', more, &flag) ||
	    !pp_num_u64(index, &value) || value >= SPX_INDEX_NONE || flag.n != 1 ||
	    (flag.p[0] | 1) != '1')
		return "not an event: a function index, 1 or 0, and values are expected";
	h->index = (uint32_t)value;
	h->start = flag.p[0] == '1';
	return NULL;
}

/* INDEX or rN. */
static bool
func_05(struct spx_walk *w, struct pp_slice text, uint32_t *index)
{
	const struct spx_state *s = &w->state;
	bool back = pp_slice_take(&text, "r");
	uint64_t value;

	if (!pp_num_u64(text, &value))
		return false;
	if (!back) {
		*index = (uint32_t)value;
		return value < SPX_INDEX_NONE;
	}
	w->lacks |= w->alone && value > s->recents;
	if (value == 0 || value > SPX_RECENT || value > s->recents)
		return false;
	*index = s->recent[(s->recents - (uint32_t)value) % SPX_RECENT];
	return true;
}

static const char *
head_05(struct spx_walk *w, struct pp_slice *rest, bool *more, struct head *h)
{
	struct pp_slice field;
	uint64_t line = 0;

	h->start = !pp_slice_take(rest, "-");
	if (h->start && w->layout->sites) {
		(void)pp_slice_field(rest, '|', more, &field);
		if (field.n && !pp_num_hex(field, &line))
			return "not an event: the line of the call is not a hexadecimal number";
		/* Some builds wrote any 32 bits for internal functions. */
		h->site = line > 0xffff ? 0 : (uint32_t)line;
	}
	if (!pp_slice_field(rest, '|', more, &field) || !func_05(w, field, &h->index))
		return "not an event: a function index, or a reference to one of the events before, is "
		       "expected";
	return NULL;
}

/* One event, `s` being all of it. */
static void
event_take(struct spx_walk *w, struct pp_slice s)
{
	const bool bars = w->layout->bars;
	struct pp_place place = pp_spx_place(w, s.p, 0);
	struct pp_slice field, rest = s;
	bool more = true, missing = false, doubtful;
	struct head h = { 0 };
	const char *wrong = bars ? head_05(w, &rest, &more, &h) : head_04(&rest, &more, &h);
	uint32_t j;

	for (j = 0; j < w->layout->metrics && !wrong; j++) {
		bool absolute;

		w->next[j] = w->state.known ? w->state.values[j] : 0;
		if (j >= w->layout->columns)
			continue;
		/* An empty value of 0.5 says that nothing changed. */
		if (!pp_slice_field(&rest, bars ? '|' : ' ', &more, &field) ||
		    (!bars && !field.n)) {
			missing = true;
			w->lacks |= !w->state.known;
			continue;
		}
		absolute = !bars || (field.n && field.p[0] == 'a');
		w->lacks |= !w->state.known && !absolute;
		if (field.n &&
		    !pp_spx_walk_number(w, j, pp_slice_from(field, bars && absolute), !absolute)) {
			place = pp_spx_place(w, s.p, (size_t)(field.p - s.p));
			wrong = "not an event: a value is not a number, or too large";
		}
	}
	if (w->lacks)
		return;
	missing = missing && !wrong;
	doubtful = wrong || more || (missing && !w->layout->repair);
	if (w->strict.on && (doubtful || pp_spx_walk_unlikely(w, h.start, h.index)) &&
	    pp_spx_is_strict(w)) {
		pp_spx_walk_stop(w, place);
		return;
	}
	if (wrong) {
		pp_spx_walk_refuse(w, place, wrong);
		return;
	}
	if (doubtful)
		pp_spx_walk_doubt(w, place.line);
	if (more)
		pp_diag_add(&w->diags, &pp_spx_rules[SPX_EVENT_LONG], place,
		            "the event has more than %u values; the others are not used",
		            w->layout->columns);
	if (missing && w->found.short_lines++ + w->found.merged_lines == 0)
		w->found.damage = place;
	pp_spx_walk_event(w, h.start, h.index, h.site, s.p);
}

void
pp_spx_line(struct spx_walk *w, struct pp_slice line, bool whole)
{
	size_t expected = (size_t)w->layout->columns + 1;

	while (w->layout->repair && !w->found.garbage && pp_slice_count(line, ' ') > expected) {
		size_t cut = BUFFER - w->state.used;

		if (cut >= line.n)
			break;
		if (w->found.short_lines + w->found.merged_lines++ == 0)
			w->found.damage = pp_spx_place(w, line.p, cut);
		writer_took(&w->state, cut);
		event_take(w, pp_slice_of(line.p, cut));
		line = pp_slice_from(line, cut);
	}
	if (w->found.garbage)
		return;
	writer_took(&w->state, line.n + whole);
	event_take(w, line);
}
