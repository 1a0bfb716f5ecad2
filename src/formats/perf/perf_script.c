/*
 * The text that `perf script` prints.
 *
 *     sample = header *frame empty                      one sample, its stack from the leaf to the root
 *     header = comm ids [cpu] [misc] time ":" period event ":" [rest] LF
 *     ids    = tid | pid "/" tid
 *     time   = seconds "." 6DIGIT                       9 digits with --ns
 *     frame  = TAB address [symbol ["+0x" offset]] ["(" dso ")"] LF [place]
 *     place  = 2SP file ":" line [" (inlined)"] LF      with -F +srcline
 *     record = comm ids [cpu] time ": PERF_RECORD_" ... LF
 *     meta   = "# " key " : " value LF                  with --header
 *
 * Every field may be missing (-F), in which case the others close up: a header may be an empty line. A
 * sample without a stack has its frame, if any, in the rest of its header, and no empty line behind it
 * (-G). Of a tracepoint the rest are its fields. A comm is up to 15 bytes of anything; symbols and paths
 * have blanks and parentheses. An inlined frame has "(inlined)" in place of the dso. The address of user
 * code is an offset in its file in stacks, an address of the process with -G.
 *
 * The work is done in perf_script_parse.c (lines), _read.c (samples), _frames.c, _meta.c (header lines) and
 * _finish.c (the profile).
 */
#include "formats/perf/perf_script.h"

/* Bits that lines are worth: what of them could not be chance. */
#define BITS_HEADER 12
#define BITS_WEAK 4
#define BITS_FRAME 6
#define BITS_BARE_FRAME 2
#define WRONG_MOST 32

struct bid {
	int bits;
	size_t samples, frames, wrong;
	bool open;   /* frames may follow */
	bool record; /* further lines of a record may follow */
	bool loose;  /* the line before is a header if a frame follows */
	bool begun;  /* the first line with content has been judged */
	bool odd;    /* it is none of perf script's */
};

/*
 * A frame without a file is hardly more than a number. It counts below a header, or where perf puts it:
 * behind a tab or blank, its address in sixteen columns.
 */
static void
bid_frame(struct bid *b, struct pp_slice line, const struct pp_perf_frame *f)
{
	bool bare = f->dso.n == 0 && !f->inlined;
	bool aligned = line.n >= 17 && pp_perf_hex(line.p[16]) &&
	               (line.n == 17 || pp_perf_blank(line.p[17]));
	/* A file that was cut at its start begins with some. */
	bool good = !bare || (b->open && (b->samples || aligned));

	b->frames += good;
	b->wrong += !good;
	if (good)
		b->bits += bare ? BITS_BARE_FRAME : BITS_FRAME;
	b->loose = false;
}

/* Lines within a sample that are no frames: places behind two blanks, and details. */
static bool
is_inside(struct pp_slice line, struct pp_slice text)
{
	return text.p - line.p == 2 || pp_perf_is_detail(line, text);
}

static void
bid_line(struct bid *b, struct pp_slice line)
{
	struct pp_slice text = pp_perf_trim(line);
	struct pp_perf_header h;
	struct pp_perf_frame f;
	enum pp_perf_header_kind kind;
	bool is_frame;

	if (text.n == 0 || line.p[0] == '#') {
		b->wrong += b->loose;
		b->loose = false;
		b->open |= text.n == 0; /* -F ip has no other header */
		return;
	}
	is_frame = pp_perf_frame_parse(text, &f);
	if (line.p[0] == '\t' && b->record)
		return;
	if (line.p[0] == '\t' && is_frame) {
		bid_frame(b, line, &f);
		return;
	}
	kind = pp_perf_header_parse(line, &h);
	b->wrong += b->loose;
	b->loose = false;
	if ((kind == PP_PERF_SAMPLE || kind == PP_PERF_RECORD) && !h.wrong) {
		b->record = kind == PP_PERF_RECORD;
		b->open = true;
		b->samples++;
		b->bits += h.has_time && h.event.n && h.tid >= 0 ? BITS_HEADER : BITS_WEAK;
	} else if (is_frame && (f.dso.n || line.p[0] == ' ')) {
		b->open |= line.p[0] == ' '; /* -F ip -G has nothing else */
		bid_frame(b, line, &f);
	} else if (kind == PP_PERF_LOOSE && line.p[0] != '\t' && line.p[0] != ' ' &&
	           !pp_perf_is_message(text)) {
		b->open = b->loose = true;
	} else if (!(b->open && is_inside(line, text)) && !pp_perf_is_message(text)) {
		b->wrong++;
	}
}

/* Notes if the first line with content is wrong; a loose one is known to be by the line behind it. */
static void
first_line_check(struct bid *b, struct pp_slice line)
{
	if (b->begun || b->loose || pp_perf_trim(line).n == 0 || line.p[0] == '#')
		return;
	b->begun = true;
	b->odd = b->wrong > 0;
}

static int
perf_script_bid(const struct pp_peek *peek)
{
	static const char banner[] = "# ========\n# captured on", own[] = "# event : name = ";
	const unsigned char *p = peek->head.p, *end = p + peek->head.n;
	struct bid b = { 0 };

	if (peek->head.n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	if ((size_t)(end - p) > sizeof banner && memcmp(p, banner, sizeof banner - 1) == 0)
		return 8 * (int)(sizeof banner - 1);
	if (pp_slice_starts(pp_slice_between(p, end), own))
		return 8 * (int)(sizeof own - 1);
	while (p < end && b.bits < PP_BID_LINES_MOST) {
		const unsigned char *stop = memchr(p, '\n', (size_t)(end - p));

		if (!stop && !peek->whole)
			break;
		stop = stop ? stop : end;
		bid_line(&b, pp_slice_of(p, (size_t)(stop - p)));
		first_line_check(&b, pp_slice_of(p, (size_t)(stop - p)));
		/* So many wrong lines are those of something else. */
		if (b.wrong >= WRONG_MOST && b.samples + b.frames < b.wrong)
			return 0;
		p = stop + 1;
	}
	/* Frames alone are little to go by: then all must be as perf writes them. */
	if (b.samples + b.frames == 0 ||
	    (b.samples ? b.wrong * 4 > b.samples + b.frames : b.wrong > 0))
		return 0;
	return pp_bid_lines(b.bits, !b.odd);
}

static const struct pp_option_doc perf_script_options[] = {
	{ "root", "none|comm|pid|tid",
	  "put each thread's name in front of its stacks, as stackcollapse-perf.pl does (default none)" },
	{ "srcline", "yes|no", "write source lines, as perf script -F +srcline does (default no)" },
	{ 0 },
};

static const struct pp_holds perf_script_holds[] = {
	{ .keeps = PP_HAS(STACKS) | PP_HAS(NO_STACK) | PP_HAS(MODULES) | PP_HAS(ADDRESSES) |
	           PP_HAS(OFFSETS) | PP_HAS(THREADS) | PP_HAS(EVENTS) | PP_HAS(TIMELINE) |
	           PP_HAS(TIME) | PP_HAS(SAMPLES) | PP_HAS(INLINED) | PP_HAS(MARKS) |
	           PP_HAS(FILES) | PP_HAS(FIRST_LINES) | PP_HAS(PLACES) | PP_HAS(RECORDED),
	  .has = PP_HAS(BUILD_IDS) | PP_HAS(METADATA),
	  .apart = PP_HAS(MODULES),
	  .values = "whole, not negative" },
};

const struct pp_format pp_format_perf_script = {
	.name = "perf-script",
	.title = "perf script text",
	.extensions = "perf perf-script",
	.can = PP_CAN_READ | PP_CAN_WRITE | PP_TREE | PP_TIMELINE | PP_META,
	.writes = PP_WRITES_TEXT,
	.bid = perf_script_bid,
	.read = pp_perf_read,
	.write = pp_perf_script_write,
	.describe = pp_perf_describe,
	.holds = perf_script_holds,
	.rules = pp_perf_rules,
	.options = perf_script_options,
};
