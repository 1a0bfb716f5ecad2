/*
 * NYTProf: what Perl's Devel::NYTProf records. Versions 1 to 5; described here is 5.0.
 *
 *     file    = "NYTProf 5 0" LF *record                 no end mark; a record is a tag and its operands
 *     ":" key=value LF    attribute       "!" key=value LF   option        "#" text LF   comment
 *     "z"                 all that follows is one zlib stream; bytes behind that are ignored
 *     "P" pid ppid T      process starts  "p" pid T          process ends  T: seconds since 1970
 *     "@" fid efid eline flags size mtime str                names a file; efid != 0: a string eval
 *     "+" ticks fid line  a statement ended that took so many ticks
 *     "*" ticks fid line block sub                           the same with first lines of block and sub
 *     "-"                 the next statement goes on: add its time, do not count it
 *     ">" fid line        a sub is entered from there
 *     "<" depth I E str   a sub returns; I inclusive, E own ticks; outermost has depth 1
 *     "S" fid line str    source text     "s" fid str first last   where a sub stands; 0 0: not in Perl
 *     "c" fid line str count I E R depth str   calls from a place: caller, times in seconds, R of
 *                         recursive calls, called; fid 0 marks subs that are not in Perl
 *
 *     integer = 1 to 5 bytes, high byte first: 0xxxxxxx, 10xxxxxx +1, 110xxxxx +2, 1110xxxx +3, FF +4
 *     I E R T = the C double (nv_size says how long) of the machine that wrote the file
 *     str     = ("'" | '"') length bytes                 ticks are 32-bit signed, others unsigned
 *
 * Decoding is in stream.c, where older versions are described by their operands too; reading in read.c
 * (records), tables.c (files, lines, subs), calls.c (the call tree) and finish.c; writing in write.c (all but
 * calls), write_calls.c and emit.c (bytes).
 */
#include "base/num.h"
#include "base/slice.h"
#include "formats/nytprof/read.h"
#include "formats/nytprof/rules.h"
#include "formats/nytprof/sniff.h"
#include "formats/nytprof/store.h"

static int
nytprof_bid(const struct pp_peek *peek)
{
	struct pp_nyt_sniff sniff;

	pp_nyt_sniff(peek->head, peek->whole, &sniff);
	return sniff.dialect == PP_NYT_REAL ? sniff.bits : 0;
}

/* The attributes at the start: what ran, and when. */
static pp_status
nytprof_describe(struct pp_reader *r, struct pp_brief *brief)
{
	struct pp_slice line;
	bool whole;

	if (!pp_input_line(r->in, 1 << 10, &line, &whole)) /* the banner */
		return PP_E_INVALID;
	while (pp_input_need(r->in, 1) && memchr(":!#", r->in->cur[0], 3) &&
	       pp_input_line(r->in, 1 << 16, &line, &whole)) {
		if (pp_slice_take(&line, ":application="))
			pp_buf_add(&brief->what, line.p, line.n);
		else if (pp_slice_take(&line, ":basetime="))
			(void)pp_num_i64(line, &brief->recorded_at);
	}
	return brief->what.failed ? PP_E_NOMEM : PP_OK;
}

static const struct pp_option_doc nytprof_options[] = {
	{ "compress", "yes|no", "deflate what is written (default yes)" },
	{ 0 },
};

static const struct pp_holds nytprof_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(PAIRS) | PP_HAS(SITES) | PP_HAS(STACK_SITES) |
	           PP_HAS(CALLS) | PP_HAS(INCOMPLETE) | PP_HAS(RECORDED) | PP_HAS(LINES) |
	           PP_HAS(HITS) | PP_HAS(SOURCES) | PP_HAS(FILES) | PP_HAS(FIRST_LINES) |
	           PP_HAS(LAST_LINES) | PP_HAS(BUILT_IN) | PP_HAS(UNCALLED),
	  .has = PP_HAS(TIMELINE) | PP_HAS(TIME) | PP_HAS(THREADS) | PP_HAS(METADATA),
	  .metrics = 1,
	  .values = "time; of lines in whole ticks" },
};

const struct pp_format pp_format_nytprof = {
	.name = "nytprof",
	.title = "Devel::NYTProf",
	.extensions = "nytprof nytprof.out",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_EDGES | PP_LINES | PP_TIMELINE | PP_META |
	       PP_EXTRAS,
	.writes = PP_WRITES_BINARY,
	.bid = nytprof_bid,
	.read = pp_nyt_read,
	.describe = nytprof_describe,
	.write = pp_nyt_write,
	.carry_save = pp_nyt_carry_save,
	.carry_load = pp_nyt_carry_load,
	.holds = nytprof_holds,
	.rules = pp_nytprof_rules,
	.options = nytprof_options,
};
