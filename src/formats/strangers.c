/*
 * What a file is that no format here reads.
 */
#include "formats/strangers.h"

#include "base/slice.h"
#include "base/utf8.h"

/* Bytes at a place tell it, or words among the first ones, in any order. */
struct shape {
	struct pp_stranger is;
	const char *start;
	unsigned char size; /* of the start */
	unsigned short at;  /* where it stands; 0 = in the beginning */
	const char *words[3];
};

#define CPU_PROF "`node --cpu-prof` records a profile that can be read"
#define PAGE "a web page, not the profile it was made from"
#define PICTURE "a picture (SVG), not the profile it was made from"

#define STARTS(text) .start = (text), .size = sizeof(text) - 1

/* The first that fits is it: what is special stands before what is general. */
static const struct shape shapes[] = {
	{ { "a Java heap dump (hprof)", NULL }, STARTS("JAVA PROFILE 1.") },
	{ { "a Java Flight Recorder file (JFR)", NULL }, STARTS("FLR\0") },
	{ { "a .NET trace (nettrace)", NULL }, STARTS("Nettrace") },
	{ { "a V8 log (node --prof)", CPU_PROF }, STARTS("v8-version,") },
	{ { "a V8 log as `node --prof-process --preprocess` writes it", CPU_PROF },
	  STARTS("{"),
	  .words = { "\"code\"", "\"SHARED_LIB\"" } },
	{ { "an Xdebug trace", "xdebug.mode=profile records a profile" },
	  STARTS("Version: "),
	  .words = { "TRACE START" } },
	{ { "an Xdebug trace", "xdebug.mode=profile records a profile" }, STARTS("TRACE START") },
	{ { "a gprof profile (gmon.out)", "`perf record` or callgrind tell you more" },
	  STARTS("gmon") },
	{ { "OpenTelemetry traces, not profiles", NULL },
	  STARTS("{"),
	  .words = { "\"resourceSpans\"" } },
	{ { "OpenTelemetry logs, not profiles", NULL },
	  STARTS("{"),
	  .words = { "\"resourceLogs\"" } },
	{ { "OpenTelemetry metrics, not profiles", NULL },
	  STARTS("{"),
	  .words = { "\"resourceMetrics\"" } },
	{ { "a profile of Firefox from before 2016 (Cleopatra)",
	    "open it at profiler.firefox.com and save it again" },
	  STARTS("{"),
	  .words = { "\"profileJSONWithSymbolicationTable," } },
	{ { "JSON, but not from a profiler that is known here", NULL }, STARTS("{") },
	{ { "JSON, but not from a profiler that is known here", NULL }, STARTS("[") },
	{ { "a program or library (ELF)", "record a profile of it first" },
	  STARTS("\x7f"
	         "ELF") },
	{ { "a program (Windows)", "record a profile of it first" }, STARTS("MZ") },
	{ { "an SQLite database", NULL }, STARTS("SQLite format 3") },
	{ { "a program or library (macOS)", "record a profile of it first" },
	  STARTS("\xcf\xfa\xed\xfe") },
	{ { "a WebAssembly module", "record a profile of it first" },
	  STARTS("\0"
	         "asm") },
	{ { "compressed with xz", "unpack it and try what is inside" },
	  STARTS("\xfd"
	         "7zXZ") },
	{ { "a 7-Zip archive", "unpack it and try what is inside" }, STARTS("7z\xbc\xaf") },
	{ { "a ZIP archive", "unpack it and try what is inside" }, STARTS("PK\3\4") },
	{ { "a tar archive", "unpack it and try what is inside" }, STARTS("ustar"), .at = 257 },
	{ { "a PDF", NULL }, STARTS("%PDF") },
	{ { "a picture (PNG)", NULL }, STARTS("\x89PNG") },
	{ { "a picture (JPEG)", NULL }, STARTS("\xff\xd8\xff") },
	{ { "a picture (GIF)", NULL }, STARTS("GIF8") },
	{ { "a picture (WebP)", NULL }, STARTS("WEBP"), .at = 8 },
	{ { PICTURE, NULL }, STARTS("<svg") },
	{ { PAGE, NULL }, STARTS("<html") },
	{ { PAGE, NULL }, STARTS("<!doctype html") },
	{ { PICTURE, NULL }, STARTS("<!doctype svg") },
	{ { PICTURE, NULL }, STARTS("<?xml"), .words = { "<svg" } },
	{ { PAGE, NULL }, STARTS("<?xml"), .words = { "<html" } },
	{ { "XML, but not from a profiler that is known here", NULL }, STARTS("<?xml") },
	{ { "PHP source code", "record a profile of it first" }, STARTS("<?php") },
	{ { "a script", "record a profile of it first" }, STARTS("#!") },
};

static const struct pp_stranger empty = { "an empty file",
	                                  "the profiler wrote nothing, or has not finished" };
static const struct pp_stranger protobuf = { "a pprof profile, by the look of it", NULL };
static const struct pp_stranger slabs = { "a Firefox profile in JSON slabs (.jslb)",
	                                  "profiler.firefox.com saves it as JSON, which is read" };
static const struct pp_stranger blank = { "an empty file, blanks aside",
	                                  "the profiler wrote nothing, or has not finished" };
#define FOLDED "if its lines are stacks of one frame each, `--from folded` reads it"
static const struct pp_stranger words = { "plain text", FOLDED };
static const struct pp_stranger utf16 = { "plain text in UTF-16", FOLDED };

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

/* Lines that a person could read: UTF-8 up to where the head was cut, or little that is not ASCII. */
static bool
is_text(struct pp_slice head)
{
	size_t whole = head.n, high = 0, i;

	for (i = 0; i < head.n; i++) {
		if (head.p[i] < 0x20 && !(head.p[i] >= 9 && head.p[i] <= 13))
			return false;
		high += head.p[i] > 127;
	}
	while (whole > 1 && head.n - whole < 3 && head.p[whole - 1] > 127)
		whole--;
	return head.n > 0 && (pp_utf8_valid(pp_slice_of(head.p, whole)) || high * 4 < head.n);
}

static bool
is_utf16(struct pp_slice head)
{
	return head.n >= 4 && ((head.p[0] == 0xff && head.p[1] == 0xfe && head.p[3] == 0) ||
	                       (head.p[0] == 0xfe && head.p[1] == 0xff && head.p[2] == 0));
}

/* What stands behind a byte order mark and blanks. */
static struct pp_slice
text_begin(struct pp_slice head)
{
	(void)pp_slice_take(&head, "\xef\xbb\xbf");
	while (head.n && pp_is_space(head.p[0]))
		head = pp_slice_from(head, 1);
	return head;
}

/* Tags are the same in capitals. */
static bool
has_shape(struct pp_slice head, const struct shape *shape)
{
	bool tag = shape->start[0] == '<';
	size_t i;

	if (head.n < (size_t)shape->at + shape->size)
		return false;
	for (i = 0; i < shape->size; i++) {
		unsigned char c = head.p[shape->at + i];

		if (c != (unsigned char)shape->start[i] &&
		    !(tag && (unsigned)c - 'A' < 26 && (c | 32) == shape->start[i]))
			return false;
	}
	/* Python's marshal writes brackets, too. */
	if ((shape->start[0] == '{' || shape->start[0] == '[') && !is_text(head))
		return false;
	return holds_all(head, shape->words);
}

const struct pp_stranger *
pp_stranger_find(const struct pp_peek *peek)
{
	struct pp_slice head = peek->head, text = text_begin(head);
	size_t i;

	if (head.n == 0)
		return peek->whole ? &empty : NULL;
	if (text.n == 0)
		return peek->whole ? &blank : NULL;
	if (pp_slice_ends(pp_slice_z(peek->name), ".jslb"))
		return &slabs;
	for (i = 0; i < PP_COUNT_OF(shapes); i++)
		if (has_shape(head, &shapes[i]) || has_shape(text, &shapes[i]))
			return &shapes[i].is;
	if (looks_like_pprof(head))
		return &protobuf;
	if (is_utf16(head))
		return &utf16;
	return is_text(head) ? &words : NULL;
}
