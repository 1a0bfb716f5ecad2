/*
 * What a file of the family tells of itself: the command and the sum in its header, or at its end.
 */
#include "base/num.h"
#include "formats/valgrind/family.h"

/* A header ends within this, and a sum stands in the last bytes. */
#define HEADER_MOST ((size_t)64 << 10)
#define TAIL_MOST ((size_t)4 << 10)

struct told {
	struct pp_slice event; /* the first one */
	struct pp_slice creator;
	unsigned parts; /* each has its `events:` and its own sum */
	bool has_sum;
	uint64_t sum;
};

/* What stands behind a key at the start of a line. */
static bool
value_of(struct pp_slice line, const char *key, struct pp_slice *value)
{
	bool is = pp_slice_take(&line, key);

	*value = pp_slice_trim(line);
	return is;
}

static struct pp_slice
first_word(struct pp_slice s)
{
	struct pp_slice word;

	(void)pp_slice_word(&s, &word);
	return word;
}

static void
line_take(struct told *t, struct pp_slice line, struct pp_brief *brief)
{
	struct pp_slice value;

	if (value_of(line, "cmd:", &value) && brief->what.n == 0)
		pp_buf_add(&brief->what, value.p, value.n);
	else if (value_of(line, "creator:", &value))
		t->creator = value;
	else if (value_of(line, "events:", &value)) {
		t->event = t->parts++ ? t->event : first_word(value);
	} else if (value_of(line, "summary:", &value) || value_of(line, "totals:", &value))
		t->has_sum = pp_num_u64(first_word(value), &t->sum);
}

/* Takes all lines of the text that start in it. */
static void
text_take(struct told *t, const unsigned char *p, const unsigned char *end, struct pp_brief *brief)
{
	struct pp_slice text = pp_slice_between(p, end), line;

	while (pp_slice_line(&text, &line))
		line_take(t, line, brief);
}

/* The nanoseconds of Xdebug's unit of time, 0 when the file does not tell. */
static uint64_t
time_unit(const struct told *t)
{
	struct pp_slice unit = t->event;

	if (pp_slice_eq_z(t->event, "Time"))
		return pp_slice_starts(t->creator, "xdebug 2") ? 1000 : 0;
	while (unit.n && *unit.p != '(')
		unit = pp_slice_of(unit.p + 1, unit.n - 1);
	if (unit.n < 3 || unit.p[unit.n - 1] != ')')
		return 0;
	return pp_cg_time_unit(pp_slice_of(unit.p + 1, unit.n - 2));
}

/*
 * Xdebug's summary is how long it lived: what the profile took, though not the sum of its costs. Other
 * files state the sum of their first event.
 */
static void
sum_tell(const struct told *t, bool xdebug, struct pp_brief *brief)
{
	uint64_t unit = xdebug ? time_unit(t) : 0;

	if (!t->has_sum)
		return;
	if (xdebug) {
		brief->has_wall = unit && t->sum <= INT64_MAX / unit;
		brief->wall = brief->has_wall ? (int64_t)(t->sum * unit) : 0;
	} else if (t->event.n) {
		brief->has_cost = true;
		brief->cost = t->sum;
		pp_buf_add(&brief->metric, t->event.p, t->event.n);
	}
}

static pp_status
describe(struct pp_reader *r, struct pp_brief *brief, enum pp_cg_family family)
{
	const struct pp_input *in = r->in;
	bool larger = pp_input_need(r->in, HEADER_MOST + 1), ends = !larger || in->stable;
	struct told head = { 0 }, tail = { 0 };
	const unsigned char *from;
	size_t n = larger ? HEADER_MOST : pp_input_left(in);

	text_take(&head, in->cur, in->cur + n, brief);
	if (ends) {
		n = pp_input_left(in) < TAIL_MOST ? pp_input_left(in) : TAIL_MOST;
		from = n ? memchr(in->end - n, '\n', n) : NULL;
		if (from)
			text_take(&tail, from + 1, in->end, brief);
		/* Up to 2.8 Xdebug's summary is elsewhere, and old callgrinds end without totals. */
		brief->complete = tail.has_sum;
		brief->known_complete = tail.has_sum || family == PP_CG_CACHEGRIND ||
		                        pp_slice_starts(head.creator, "xdebug 3");
	}
	/* Of several parts nobody says the sum; what lies between head and tail may be more of them. */
	if (head.parts == 1 && tail.has_sum &&
	    (!larger || family != PP_CG_CALLGRIND || (head.has_sum && head.sum == tail.sum))) {
		head.sum = tail.sum;
		head.has_sum = true;
	} else if (larger || head.parts != 1) {
		head.has_sum = false;
	}
	sum_tell(&head, family == PP_CG_XDEBUG, brief);
	return brief->what.failed || brief->metric.failed ? PP_E_NOMEM : PP_OK;
}

pp_status
pp_xdebug_describe(struct pp_reader *r, struct pp_brief *brief)
{
	return describe(r, brief, PP_CG_XDEBUG);
}

pp_status
pp_callgrind_describe(struct pp_reader *r, struct pp_brief *brief)
{
	return describe(r, brief, PP_CG_CALLGRIND);
}

pp_status
pp_cachegrind_describe(struct pp_reader *r, struct pp_brief *brief)
{
	return describe(r, brief, PP_CG_CACHEGRIND);
}
