/*
 * What a file is that no format here reads.
 */
#include "formats/strangers.h"

#include "base/slice.h"

/* Bytes at a place tell it, or words among the first ones, in any order. */
struct shape {
	struct pp_stranger is;
	const char *start;
	unsigned char size; /* of the start */
	const char *words[3];
};

#define STARTS(text) .start = (text), .size = sizeof(text) - 1

/* The first that fits is it: what is special stands before what is general. */
static const struct shape shapes[] = {
	{ { "a heap dump of Java (hprof)", NULL }, STARTS("JAVA PROFILE 1.") },
	{ { "a recording of Java (JFR)", NULL }, STARTS("FLR\0") },
	{ { "a trace of .NET (nettrace)", NULL }, STARTS("Nettrace") },
	{ { "a log of V8 (node --prof)", "`node --prof-process --preprocess` makes JSON of it" },
	  STARTS("v8-version,") },
	{ { "a trace of Xdebug", "xdebug.mode=profile records a profile" },
	  STARTS("Version: "),
	  .words = { "TRACE START" } },
	{ { "a trace of Xdebug", "xdebug.mode=profile records a profile" }, STARTS("TRACE START") },
	{ { "a profile of gprof (gmon.out)", "`perf record` or callgrind say more" },
	  STARTS("gmon") },
	{ { "a profile of massif", NULL }, STARTS("desc: "), .words = { "time_unit:" } },
	{ { "a speedscope file", NULL }, STARTS("{"), .words = { "speedscope.app/file-format" } },
	{ { "a CPU profile of V8 (node, Chrome)", NULL },
	  STARTS("{"),
	  .words = { "\"nodes\"", "\"callFrame\"" } },
	{ { "a heap profile of V8 (node, Chrome)", NULL },
	  STARTS("{"),
	  .words = { "\"head\"", "\"selfSize\"" } },
	{ { "a heap snapshot of V8 (node, Chrome)", NULL },
	  STARTS("{"),
	  .words = { "\"snapshot\"", "\"node_fields\"" } },
	{ { "a trace of Chrome", NULL }, STARTS("{"), .words = { "\"traceEvents\"" } },
	{ { "a trace of Chrome", NULL }, STARTS("["), .words = { "\"ph\"", "\"ts\"" } },
	{ { "a profile of Firefox", NULL },
	  STARTS("{"),
	  .words = { "\"meta\"", "\"libs\"", "\"threads\"" } },
	{ { "a profile of DHAT", NULL }, STARTS("{"), .words = { "\"dhatFileVersion\"" } },
	{ { "JSON, but of no profiler that is known", NULL }, STARTS("{") },
	{ { "JSON, but of no profiler that is known", NULL }, STARTS("[") },
	{ { "a program or library (ELF)", "record a profile of it first" },
	  STARTS("\x7f"
	         "ELF") },
	{ { "a program (Windows)", "record a profile of it first" }, STARTS("MZ") },
	{ { "a database of SQLite", NULL }, STARTS("SQLite format 3") },
	{ { "a program or library (macOS)", "record a profile of it first" },
	  STARTS("\xcf\xfa\xed\xfe") },
	{ { "a WebAssembly module", "record a profile of it first" },
	  STARTS("\0"
	         "asm") },
	{ { "compressed by xz", "unpack it and try what is in it" },
	  STARTS("\xfd"
	         "7zXZ") },
	{ { "a 7-Zip archive", "unpack it and try what is in it" }, STARTS("7z\xbc\xaf") },
	{ { "a ZIP archive", "unpack it and try what is in it" }, STARTS("PK\3\4") },
	{ { "a PDF", NULL }, STARTS("%PDF") },
	{ { "a picture (PNG)", NULL }, STARTS("\x89PNG") },
	{ { "a picture or page, not the profile it was made from", NULL }, STARTS("<svg") },
	{ { "a picture or page, not the profile it was made from", NULL }, STARTS("<?xml") },
	{ { "a picture or page, not the profile it was made from", NULL }, STARTS("<!DOCTYPE") },
	{ { "source code of PHP", "record a profile of it first" }, STARTS("<?php") },
	{ { "a script", "record a profile of it first" }, STARTS("#!") },
};

static const struct pp_stranger empty = { "an empty file",
	                                  "the profiler wrote nothing, or has not finished" };
static const struct pp_stranger protobuf = { "a pprof profile, by the look of it", NULL };
static const struct pp_stranger words = {
	"plain text", "if its lines are stacks of one frame each, `--from folded` reads it"
};

static bool
holds_all(struct pp_slice head, const char *const *list)
{
	size_t i;

	for (i = 0; i < 3 && list[i]; i++)
		if (!pp_slice_holds(head, list[i]))
			return false;
	return true;
}

/* Messages within a message, each as long as it says: sample types come first in what pprof writes. */
static bool
looks_like_pprof(struct pp_slice head)
{
	size_t at = 0, messages = 0;

	while (at + 2 < head.n && (head.p[at] == 0x0a || head.p[at] == 0x12) &&
	       head.p[at + 1] < 0x80 && messages < 3) {
		if (head.p[at + 2] != 0x08 && head.p[at + 2] != 0x0a && head.p[at + 2] != 0x10)
			return false;
		at += 2u + head.p[at + 1];
		messages++;
	}
	return messages >= 2;
}

/* Lines that a person could read. */
static bool
is_text(struct pp_slice head)
{
	size_t i;

	for (i = 0; i < head.n; i++)
		if (head.p[i] < 0x20 && !(head.p[i] >= 9 && head.p[i] <= 13))
			return false;
	return head.n > 0;
}

const struct pp_stranger *
pp_stranger_find(const struct pp_peek *peek)
{
	struct pp_slice head = peek->head;
	size_t i;

	if (head.n == 0)
		return peek->whole ? &empty : NULL;
	for (i = 0; i < PP_COUNT_OF(shapes); i++)
		if (head.n >= shapes[i].size &&
		    memcmp(head.p, shapes[i].start, shapes[i].size) == 0 &&
		    holds_all(head, shapes[i].words))
			return &shapes[i].is;
	if (looks_like_pprof(head))
		return &protobuf;
	return is_text(head) ? &words : NULL;
}
