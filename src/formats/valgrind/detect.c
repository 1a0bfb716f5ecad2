/*
 * Which member of the family a file belongs to.
 *
 * Each line of the header that the grammar knows earns bits; a file needs `events:` or `creator:`, as
 * KCachegrind's own test does, or the first line `# callgrind format`. Massif's files start like cachegrind's
 * but have a `time_unit:` line.
 */
#include "formats/valgrind/family.h"

#define MOST_BITS 512
/* Lines of something else after which it is no file of the family. */
#define LINES_MOST 200

struct signs {
	int bits;
	bool events, creator, callgrind_mark, xdebug, old_xdebug, calls, positions, massif,
	    separator;
	bool time_first; /* events: Time ... */
	bool body;
	bool named; /* the first line is of such a header */
};

static void
look_at_header(struct signs *s, struct pp_slice line)
{
	static const char *const keys[] = { "version: ", "cmd: ",   "part: ",      "pid: ",
		                            "thread: ",  "desc: ",  "positions: ", "event: ",
		                            "summary: ", "totals: " };
	size_t i;

	if (pp_slice_starts(line, "events:")) {
		struct pp_slice names = pp_slice_trim(pp_slice_of(line.p + 7, line.n - 7));

		s->events = true;
		s->time_first = pp_slice_starts(names, "Time") &&
		                (names.n == 4 || pp_is_blank(names.p[4]) || names.p[4] == '_');
		s->bits += 56;
	} else if (pp_slice_starts(line, "creator: ")) {
		s->creator = true;
		s->xdebug |= pp_slice_starts(line, "creator: xdebug");
		s->bits += 72;
	} else if (pp_slice_starts(line, "version: 0.9.6")) {
		s->old_xdebug = true;
		s->bits += 112;
	} else if (pp_slice_starts(line, "time_unit:")) {
		s->massif = true;
	}
	for (i = 0; i < PP_COUNT_OF(keys); i++)
		if (pp_slice_starts(line, keys[i]))
			s->bits += 8 * (int)strlen(keys[i]);
	s->positions |= pp_slice_starts(line, "positions:");
}

static void
look_at(struct signs *s, struct pp_slice line, bool first)
{
	static const char *const places[] = { "fl=", "fn=", "ob=", "fi=", "fe=" };
	size_t i;

	/* All signs begin with a small letter, "#" or "=". */
	if (line.n == 0 ||
	    ((line.p[0] < 'a' || line.p[0] > 'z') && line.p[0] != '#' && line.p[0] != '='))
		return;
	if (first && pp_slice_starts(line, "# callgrind format")) {
		s->callgrind_mark = true;
		s->bits += 144;
	} else if (pp_slice_starts(line, "==== NEW PROFILING FILE")) {
		s->separator = true;
		s->bits += 184;
	} else if (pp_slice_starts(line, "calls=") || pp_slice_starts(line, "cfn=")) {
		s->calls = true;
	} else {
		for (i = 0; i < PP_COUNT_OF(places); i++)
			s->body |= pp_slice_starts(line, places[i]);
		look_at_header(s, line);
	}
	if (s->bits > MOST_BITS)
		s->bits = MOST_BITS;
}

static bool
name_starts(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

enum pp_cg_family
pp_cg_detect(const struct pp_peek *peek, int *bits)
{
	struct signs s = { 0 };
	struct pp_slice text = peek->head, line;
	bool first = true;
	unsigned lines = 0;

	*bits = 0;
	/* Callgrind leaves its base name empty when it writes one file per thread. */
	if (peek->head.n == 0 && peek->whole && name_starts(peek->name, "callgrind.out")) {
		*bits = 24;
		return PP_CG_CALLGRIND;
	}
	while (pp_slice_line(&text, &line)) {
		look_at(&s, pp_slice_trim(line), first);
		s.named |= first && s.bits > 0;
		first &= pp_slice_trim(line).n == 0;
		/* What follows the header only tells whether there are calls. */
		if (s.bits == 0 ? ++lines == LINES_MOST
		                : s.body && s.events && (s.creator || s.callgrind_mark))
			break;
	}
	if (s.massif || !(s.events || s.creator || s.callgrind_mark || s.separator || s.old_xdebug))
		return PP_CG_NONE;
	*bits = s.named ? s.bits + PP_BID_NAMED : pp_bid_lines(s.bits, true);
	if (s.xdebug || s.old_xdebug || s.separator ||
	    (s.time_first && !s.creator && !s.callgrind_mark && (s.positions || s.calls)))
		return PP_CG_XDEBUG;
	if (s.callgrind_mark || s.creator || s.calls || s.positions)
		return PP_CG_CALLGRIND;
	return PP_CG_CACHEGRIND;
}
