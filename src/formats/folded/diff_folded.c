/*
 * Differential folded stacks: two counts per stack, before and after.
 *
 *     line    = blanks stack blanks count blanks count blanks LF
 *
 * Otherwise as folded stacks (see folded.c). Nothing in the text tells `foo 1 2` (stack "foo", counts 1
 * and 2) from a plain record (stack "foo 1", count 2). In this order: the format the user names; the
 * ending .diff.folded or .folded; else the file is differential only if every record of it ends in two
 * numbers, and a note says so. One counter-example makes all of it plain; lines are never judged alone.
 */
#include "formats/folded/lines.h"

const struct pp_rule pp_diff_folded_rules[] = {
	[PP_DIFF_FOLDED_GUESSED] = { "diff-folded-guessed", PP_NOTE,
	                             "read as differential because every line ends in two numbers",
	                             "The name does not say whether the file is plain or differential, and every record ends in "
	                             "two numbers, so it was read as differential. If the first number belongs to the names, say "
	                             "--from folded." },
	[PP_DIFF_FOLDED_COUNT_MISSING] = { "diff-folded-count-missing", PP_ERROR,
	                                   "a line of a differential file has only one count",
	                                   "Each line of a differential file is a stack and two counts. A single count could be either, "
	                                   "so the line is left out of all totals. If the file is plain, say --from folded." },
	{ 0 },
};

static int
diff_folded_bid(const struct pp_peek *peek)
{
	int bits;

	if (pp_name_ends(peek->name, "diff.folded")) {
		bits = pp_folded_bid(peek, PP_FOLDED_DIFF);
		return bits ? bits : 2;
	}
	if (pp_name_ends(peek->name, "folded") || pp_name_ends(peek->name, "collapsed"))
		return 0;
	bits = pp_folded_bid(peek, PP_FOLDED_DIFF);
	return bits ? bits + 1 : 0;
}

static pp_status
diff_folded_read(struct pp_reader *reader, struct pp_builder *builder)
{
	return pp_folded_read(reader, builder, PP_FOLDED_DIFF);
}

static pp_status
diff_folded_rewrite(struct pp_reader *reader, struct pp_sink *out)
{
	return pp_folded_rewrite(reader, out, PP_FOLDED_DIFF);
}

static pp_status
diff_folded_write(struct pp_writer *writer)
{
	return pp_folded_write(writer, PP_FOLDED_DIFF);
}

static const struct pp_holds diff_folded_holds[] = {
	{ .keeps = PP_HAS(STACKS), .metrics = 2, .values = "whole, from 0 to 2^64-1" },
};

const struct pp_format pp_format_diff_folded = {
	.name = "diff-folded",
	.title = "differential folded stacks",
	.extensions = "diff.folded",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE,
	.writes = PP_WRITES_TEXT,
	.bid = diff_folded_bid,
	.read = diff_folded_read,
	.write = diff_folded_write,
	.rewrite = diff_folded_rewrite,
	.holds = diff_folded_holds,
	.rules = pp_diff_folded_rules,
};
