/*
 * Cachegrind: cost per function and line, no calls.
 *
 *     desc: I1 cache:         32768 B, 64 B, 8-way associative
 *     cmd: ./program
 *     events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
 *     fl=/src/main.c
 *     fn=main
 *     12 30 1 1 10 0 0 4 0 0       line and costs
 *     summary: 30 1 1 10 0 0 4 0 0 the sum of all lines
 *
 * No ids, no relative lines, no inlined files: inlined code stands under `fl=header.h fn=caller`. What
 * cg_diff writes looks the same with negative costs and all lines 0. Read by callgrind's grammar.
 */
#include "formats/valgrind/family.h"

static int
cachegrind_bid(const struct pp_peek *peek)
{
	int bits;

	return pp_cg_detect(peek, &bits) == PP_CG_CACHEGRIND ? bits : 0;
}

static pp_status
cachegrind_read(struct pp_reader *reader, struct pp_builder *builder)
{
	return pp_callgrind_read(reader, builder, PP_CG_CACHEGRIND);
}

static const struct pp_holds cachegrind_holds[] = {
	{ .keeps = PP_HAS(LINES) | PP_HAS(FILES),
	  .apart = PP_HAS(FILES),
	  .has = PP_HAS(METADATA),
	  .values = "whole, below 2^64; below 2^63 where some are negative" },
};

const struct pp_format pp_format_cachegrind = {
	.name = "cachegrind",
	.title = "Cachegrind profile (Valgrind)",
	.extensions = "cachegrind",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_LINES,
	.writes = PP_WRITES_TEXT,
	.bid = cachegrind_bid,
	.read = cachegrind_read,
	.describe = pp_cachegrind_describe,
	.write = pp_cachegrind_write,
	.holds = cachegrind_holds,
	.rules = pp_cachegrind_rules,
};
