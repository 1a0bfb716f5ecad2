/*
 * DTrace: what `dtrace` prints of aggregations by stack, and of stacks printed by single probes.
 *
 *     dtrace: description 'profile-997 ' matched 1 probe
 *     CPU     ID                    FUNCTION:NAME
 *       3  70112                        :tick-30s
 *
 *       oven                                                    1234      keys of the aggregation, if it has more
 *                   libc.so.1`memcpy+0x33                                 the innermost frame first
 *                   oven`bake+0x51
 *                   oven`main+0x40
 *                    77                                                   what was counted or added up
 *
 * Keys are columns with two blanks or more between them; those behind a stack share the line of the value. A stack of
 * the kernel, an empty line and one of the program are one stack. quantize() prints a table in place of the value. A probe
 * that prints its stack has its line before it, and no value: it counts once, at the time that the line tells.
 */
#include "formats/dtrace/dtrace.h"

const struct pp_rule pp_dtrace_rules[] = {
	[DTRACE_CUT] = { "dtrace-cut", PP_ERROR, "the output breaks off",
	                 "The last stack has no value after it. It is left out." },
	[DTRACE_VALUE] = { "dtrace-value", PP_ERROR, "a stack has no value",
	                   "The frames of a stack are followed by a whole number, or a table "
	                   "of quantize(). If something else follows, the stack is left out." },
	[DTRACE_RANGE] = { "dtrace-range", PP_ERROR, "a value is too large",
	                   "Values are whole numbers of 64 bits. This stack is left out." },
	[DTRACE_DROPS] = { "dtrace-drops", PP_WARNING, "DTrace dropped data",
	                   "The buffers of DTrace were full, so that some of what happened is not "
	                   "here: use a larger bufsize or aggsize, or a slower rate." },
	[DTRACE_ERROR] = { "dtrace-error", PP_WARNING, "a probe failed",
	                   "DTrace could not run an action, mostly because of an invalid address. What "
	                   "it would have recorded is missing." },
	[DTRACE_SCALAR] = { "dtrace-scalar", PP_NOTE, "an aggregation has no stack",
	                    "The output holds counts by keys other than stacks. They are not "
	                    "part of the profile and are left out." },
	{ 0 },
};

/* Frames stand further in than keys. */
#define FRAME_INDENT 10

bool
pp_dtrace_is_integer(struct pp_slice s)
{
	size_t i = s.n && s.p[0] == '-';

	if (i == s.n)
		return false;
	for (; i < s.n; i++)
		if (!pp_is_digit(s.p[i]))
			return false;
	return true;
}

/* 0x and digits, to the end. */
bool
pp_dtrace_is_address(struct pp_slice s, uint64_t *address)
{
	return pp_slice_take(&s, "0x") && s.n && pp_num_hex(s, address);
}

/* The next column of a line of keys; false when there is none. */
bool
pp_dtrace_column_next(struct pp_slice *rest, struct pp_slice *column)
{
	size_t n = 0;

	*rest = pp_slice_trim(*rest);
	while (n < rest->n && rest->p[n] != '\t' &&
	       !(n + 1 < rest->n && rest->p[n] == ' ' && pp_is_blank(rest->p[n + 1])))
		n++;
	*column = pp_slice_of(rest->p, n);
	*rest = pp_slice_from(*rest, n);
	return n > 0;
}

struct pp_slice
pp_dtrace_column_last(struct pp_slice line)
{
	struct pp_slice column, last = { 0 };

	while (pp_dtrace_column_next(&line, &column))
		last = column;
	return last;
}

/* "  2    177         read:entry": a processor, the number of a probe, its name. */
static bool
is_probe(struct pp_slice line)
{
	struct pp_slice word;
	int i;

	for (i = 0; i < 2; i++)
		if (!pp_slice_word(&line, &word) || !pp_dtrace_is_integer(word) || word.p[0] == '-')
			return false;
	return pp_slice_word(&line, &word) && pp_slice_find(word, ':');
}

/* "   512 |@@@@@@      40": a row of a distribution. */
static bool
is_bar(struct pp_slice text)
{
	const unsigned char *bar = pp_slice_find(text, '|');
	struct pp_slice before;
	size_t i;

	if (!bar || !pp_dtrace_is_integer(pp_dtrace_column_last(text)))
		return false;
	before = pp_slice_trim(pp_slice_between(text.p, bar));
	for (i = 0; i < before.n; i++)
		if (!pp_is_digit(before.p[i]) && !strchr("<>= -.", before.p[i]))
			return false;
	return before.n > 0;
}

enum pp_dtrace_line
pp_dtrace_line_kind_of(struct pp_slice line)
{
	struct pp_slice text = pp_slice_trim(line);
	uint64_t address;

	if (text.n == 0)
		return LINE_BLANK;
	if (pp_slice_starts(line, "dtrace: "))
		return LINE_SAYS;
	if (pp_slice_starts(text, "CPU ") && pp_slice_ends(text, "FUNCTION:NAME"))
		return LINE_HEADER;
	if (pp_dtrace_is_integer(text))
		return LINE_VALUE;
	if (pp_slice_starts(text, "value ") && pp_slice_holds(text, " Distribution "))
		return LINE_TABLE;
	if (is_bar(text))
		return LINE_BAR;
	if (is_probe(line))
		return LINE_PROBE;
	if (pp_slice_starts(text, "-> ") || pp_slice_starts(text, "<- "))
		return LINE_FLOW;
	if (pp_is_blank(line.p[0]) &&
	    (pp_slice_find(text, '`') || pp_dtrace_is_address(text, &address)))
		return LINE_FRAME;
	if ((size_t)(text.p - line.p) >= FRAME_INDENT &&
	    !pp_dtrace_is_integer(pp_dtrace_column_last(text)))
		return LINE_FRAME;
	return LINE_KEYS;
}

/* ---- recognition --------------------------------------------------------------------------- */

static int
dtrace_bid(const struct pp_peek *peek)
{
	struct pp_slice rest = peek->head, line;
	int bits = 0, frames = 0;
	bool begun = false, named = false; /* a line was read; the first one is dtrace's own */

	/* Most files are told by what they lack. */
	if (pp_slice_find(rest, '\0') ||
	    (!pp_slice_find(rest, '`') && !pp_slice_starts(rest, "dtrace: ") &&
	     !pp_slice_starts(rest, "CPU ")))
		rest.n = 0;
	while (pp_slice_line(&rest, &line)) {
		enum pp_dtrace_line kind = pp_dtrace_line_kind_of(line);

		named |= !begun && (kind == LINE_SAYS || kind == LINE_HEADER);
		begun |= kind != LINE_BLANK;
		if (kind == LINE_SAYS || kind == LINE_HEADER)
			bits += 32;
		else if (kind == LINE_FRAME)
			frames += pp_slice_find(line, '`') ? 12 : 0;
		else if (kind == LINE_VALUE || kind == LINE_TABLE || (kind == LINE_BLANK && bits) ||
		         (kind == LINE_KEYS && frames &&
		          pp_dtrace_is_integer(pp_dtrace_column_last(line))))
			bits += frames, frames = 0;
	}
	if (named)
		return PP_BID_NAMED;
	return bits ? pp_bid_lines(bits, true) : pp_name_ends(peek->name, "dtrace");
}

static const struct pp_holds dtrace_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(MODULES) | PP_HAS(MARKS),
	  .own = PP_HAS(THREADS) | PP_HAS(EVENTS) | PP_HAS(OFFSETS) | PP_HAS(ADDRESSES),
	  .has = PP_HAS(TIMELINE) | PP_HAS(CPUS) | PP_HAS(INCOMPLETE) | PP_HAS(TIME),
	  .apart = PP_HAS(MODULES),
	  .metrics = 1,
	  .values = "whole, of 64 bits" },
};

const struct pp_format pp_format_dtrace = {
	.name = "dtrace",
	.title = "DTrace output",
	.extensions = "dtrace",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE,
	.writes = PP_WRITES_TEXT,
	.bid = dtrace_bid,
	.read = pp_dtrace_read,
	.write = pp_dtrace_write,
	.holds = dtrace_holds,
	.rules = pp_dtrace_rules,
};
