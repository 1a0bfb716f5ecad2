/*
 * Folded stacks: the text that flamegraph.pl, inferno and speedscope draw.
 *
 *     line    = blanks stack blanks count blanks LF       (the last LF may be missing)
 *     stack   = name *( ";" name )                        root first; names may be empty
 *     name    = any bytes but ";" and LF
 *     count   = 1*DIGIT                                   0 .. 2^64-1
 *     blanks  = any of space, tab, VT, FF, CR
 *
 * There is no header, no quoting and no comment. The count is the last token, so names may contain
 * blanks and end in numbers. Equal stacks are added, a stack and its prefixes may both have records,
 * in any order. Empty lines mean nothing. Bytes are kept as they are: names need not be UTF-8. A UTF-8
 * byte order mark at the start is skipped, a UTF-16 one makes the file be decoded.
 *
 * Written: one line per distinct stack, sorted by bytes, one space, no blank lines, final newline.
 *
 * The work is done in folded_lines.c (grammar), folded_read.c and folded_write.c.
 */
#include "formats/folded/lines.h"

static int
folded_bid(const struct pp_peek *peek)
{
	int bits = pp_folded_bid(peek, PP_FOLDED_PLAIN);

	if (pp_name_ends(peek->name, "diff.folded"))
		return bits ? 1 : 0;
	/* An empty file, or one without a single good line, is still folded if it says so. */
	return bits ? bits
	            : pp_name_ends(peek->name, "folded") || pp_name_ends(peek->name, "collapsed");
}

static pp_status
folded_read(struct pp_reader *reader, struct pp_builder *builder)
{
	return pp_folded_read(reader, builder, PP_FOLDED_PLAIN);
}

static pp_status
folded_rewrite(struct pp_reader *reader, struct pp_sink *out)
{
	return pp_folded_rewrite(reader, out, PP_FOLDED_PLAIN);
}

static pp_status
folded_write(struct pp_writer *writer)
{
	return pp_folded_write(writer, PP_FOLDED_PLAIN);
}

static const struct pp_option_doc folded_options[] = {
	{ "fractions", "reject|round|scale:N",
	  "what to do with counts such as 20.5 (default reject)" },
	{ "comments", "keep|skip",
	  "skip lines that start with '#' (Austin writes them; default keep)" },
	{ 0 },
};

static const struct pp_holds folded_holds[] = {
	{ .keeps = PP_HAS(STACKS), .metrics = 1, .values = "whole, from 0 to 2^64-1" },
};

const struct pp_format pp_format_folded = {
	.name = "folded",
	.title = "folded stacks",
	.extensions = "folded collapsed",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE,
	.writes = PP_WRITES_TEXT,
	.bid = folded_bid,
	.read = folded_read,
	.write = folded_write,
	.rewrite = folded_rewrite,
	.lists = true,
	.holds = folded_holds,
	.rules = pp_folded_rules,
	.options = folded_options,
};
