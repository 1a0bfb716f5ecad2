/*
 * Xdebug's profiles: one record per call of PHP code, written when the call returns.
 *
 *     version: 1
 *     creator: xdebug 3.2.0 (PHP 8.2.35)
 *     cmd: /app/index.php
 *     part: 1
 *     positions: line
 *     events: Time_(10ns) Memory_(bytes)
 *
 *     fl=(1) php:internal          file and function: `(N) name` defines, `(N)` uses
 *     fn=(1) php::strlen
 *     7 12 0                       line, own cost
 *
 *     fl=(2) /app/index.php
 *     fn=(2) {main}
 *     1 300 4096
 *     cfl=(1)                      each call it made, in order of time:
 *     cfn=(1)
 *     calls=1 0 0                  always 1 (more in aggregate files)
 *     7 12 0                       line of the call, measured inclusive cost
 *
 *     summary: 400 412000          life time of the profiler, peak of memory
 *
 * The records are a post-order walk of the calls, so the whole tree can be rebuilt: a record with k calls
 * takes the last k unclaimed records before it. Versions differ (2.0 has no ids, no cfl= and other units,
 * up to 2.8 the summary stands inside {main}'s record): xdebug_records.c reads them all, xdebug_scan.c
 * reads what 2.3 and later write, backwards and fast.
 */
#include "formats/valgrind/family.h"

static int
xdebug_bid(const struct pp_peek *peek)
{
	int bits;

	return pp_cg_detect(peek, &bits) == PP_CG_XDEBUG ? bits : 0;
}

static const struct pp_option_doc xdebug_options[] = {
	{ "time-unit", "10ns|100ns|ns|us|ms|s",
	  "the unit of Time, if the file does not say (Xdebug 2.0.0 betas)" },
	{ 0 },
};

static const struct pp_holds xdebug_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(SITES) | PP_HAS(STACK_SITES) | PP_HAS(CALLS) |
	           PP_HAS(MEASURED) | PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(INCOMPLETE),
	  .own = PP_HAS(PAIRS) | PP_HAS(THREADS) | PP_HAS(BUILT_IN),
	  .has = PP_HAS(METADATA),
	  .states = PP_HAS(CALLS),
	  .apart = PP_HAS(FILES),
	  .metrics = 2,
	  .values =
	      "time in 10 ns (variant 2: microseconds) and memory in bytes, or another count; "
	      "whole, below 2^63" },
};

const struct pp_format pp_format_xdebug = {
	.name = "xdebug",
	.title = "Xdebug profile (PHP)",
	.extensions = "xdebug xt",
	.variants = "2 3",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_EDGES,
	.writes = PP_WRITES_TEXT,
	.bid = xdebug_bid,
	.read = pp_xdebug_read,
	.describe = pp_xdebug_describe,
	.write = pp_xdebug_write,
	.holds = xdebug_holds,
	.rules = pp_xdebug_rules,
	.options = xdebug_options,
};
