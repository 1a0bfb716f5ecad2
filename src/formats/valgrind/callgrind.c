/*
 * Callgrind: cost per function and line, and cost per caller and callee.
 *
 *     # callgrind format
 *     version: 1
 *     creator: callgrind-3.19.0
 *     cmd:  ./program
 *     part: 1
 *     positions: line              what stands before the costs: instr, bb, line
 *     events: Ir Dr                what the costs count
 *     summary: 100 40
 *
 *     ob=(1) /bin/program          object, file, function: `(N) name` defines, `(N)` uses
 *     fl=(1) main.c
 *     fn=(1) main
 *     12 30 10                     own cost of line 12
 *     +3 20                        line 15; trailing zeros are left out
 *     cfi=(2) util.c               a call: where to,
 *     cfn=(2) work
 *     calls=3 40                   how often (and the callee's line),
 *     * 50 30                      from which line, and all that was spent below
 *     totals: 100 40               the sum of the own costs
 *
 * Also written by pprof, rbspy, pyprof2calltree, php-memprof, Valgrind's xtree and others. Grammar in
 * parse.c and header.c.
 */
#include "formats/valgrind/callgrind_kept.h"
#include "formats/valgrind/family.h"

static int
callgrind_bid(const struct pp_peek *peek)
{
	int bits;

	return pp_cg_detect(peek, &bits) == PP_CG_CALLGRIND ? bits : 0;
}

static pp_status
callgrind_read(struct pp_reader *reader, struct pp_builder *builder)
{
	return pp_callgrind_read(reader, builder, PP_CG_CALLGRIND);
}

static const struct pp_option_doc callgrind_options[] = {
	{ "time-unit", "10ns|100ns|ns|us|ms|s", "what events named Time... count" },
	{ 0 },
};

static const struct pp_holds callgrind_holds[] = {
	{ .keeps = PP_HAS(PAIRS) | PP_HAS(SITES) | PP_HAS(STACK_SITES) | PP_HAS(CALLS) |
	           PP_HAS(LINES) | PP_HAS(PLACES) | PP_HAS(FILES) | PP_HAS(MODULES) |
	           PP_HAS(ADDRESSES) | PP_HAS(INCOMPLETE),
	  .apart = PP_HAS(FILES) | PP_HAS(MODULES),
	  .has = PP_HAS(THREADS) | PP_HAS(METADATA),
	  .values = "whole, below 2^64; below 2^63 where some are negative" },
};

const struct pp_format pp_format_callgrind = {
	.name = "callgrind",
	.title = "Callgrind profile (Valgrind and others)",
	.extensions = "callgrind kcg cg",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_EDGES | PP_LINES,
	.writes = PP_WRITES_TEXT,
	.bid = callgrind_bid,
	.read = callgrind_read,
	.describe = pp_callgrind_describe,
	.write = pp_callgrind_write,
	.carry_save = pp_cg_carry_save,
	.carry_load = pp_cg_carry_load,
	.holds = callgrind_holds,
	.rules = pp_callgrind_rules,
	.options = callgrind_options,
};
