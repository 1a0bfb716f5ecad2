/*
 * Every finding about Pynytprof streams, and what to make of it.
 */
#include "formats/pynytprof/doc.h"

#define RULE(id, severity, title, explain)                                                         \
	{                                                                                          \
		"pynytprof-" id, severity, title, explain                                          \
	}

const struct pp_rule pp_pynytprof_rules[] = {
	[PP_PYN_VERSION_UNKNOWN] = RULE(
	    "version-unknown", PP_ERROR, "the version is not 5",
	    "Pynytprof writes \"NYTProf 5 0\" as its first line. Another major version would have another "
	    "layout, which nobody has described, so nothing is read."),
	[PP_PYN_VERSION_NEWER] = RULE(
	    "version-newer", PP_WARNING, "the minor version is newer than any known",
	    "The file says 5.1 or later. It is read as 5.0; chunks that are not known are skipped."),
	[PP_PYN_BANNER_CUT] = RULE(
	    "banner-cut", PP_ERROR, "the file ends within its banner",
	    "Even the text at the start is not whole: there is no data. Record the profile again."),
	[PP_PYN_BANNER_LINE] = RULE(
	    "banner-line", PP_ERROR,
	    "a line of the banner is neither comment, attribute nor option",
	    "Lines start with #, : or !. A newline inside a value breaks the banner like this: the format "
	    "cannot quote it. Where the chunks start cannot be told any more."),
	[PP_PYN_BANNER_CRLF] = RULE(
	    "banner-crlf", PP_WARNING, "lines of the banner end in CR LF",
	    "A transfer in text mode changed the line ends. If it changed the chunks too, their lengths are "
	    "wrong and that is reported separately."),
	[PP_PYN_BANNER_BLANK] = RULE(
	    "banner-blank", PP_WARNING, "there is more than one blank line after the banner",
	    "One blank line separates the banner from the chunks. Others are skipped."),
	[PP_PYN_ATTRIBUTE_MALFORMED] = RULE(
	    "attribute-malformed", PP_WARNING, "an attribute or option has no '='",
	    "Lines that start with : or ! read key=value, each with its own newline. This one is skipped."),
	[PP_PYN_ATTRIBUTE_REPEATED] = RULE(
	    "attribute-repeated", PP_WARNING, "an attribute or option is given twice",
	    "Which of them was meant cannot be told; the last one counts, as in Perl's reader."),
	[PP_PYN_ATTRIBUTE_NUL] = RULE(
	    "attribute-nul", PP_WARNING, "a NUL byte stands in the banner",
	    "The value is kept with it, but programs that use C strings will cut it there."),
	[PP_PYN_RATE_MISSING] = RULE(
	    "ticks-per-sec-missing", PP_WARNING, "ticks_per_sec is missing",
	    "The document fixes it at 10,000,000, so a tick is 100 ns; that is assumed."),
	[PP_PYN_RATE_INVALID] = RULE(
	    "ticks-per-sec-invalid", PP_ERROR, "ticks_per_sec cannot be used",
	    "It must be a whole number greater than zero. 10,000,000 is used, so times may be wrong by a "
	    "constant factor."),
	[PP_PYN_RELATIVE] = RULE(
	    "relative", PP_NOTE, "a layout that the document does not describe",
	    "Pynytprof changed its layout about 36 times in a month. This file has one of the others: with a "
	    "table of files, with P in another form, without lengths, or from the binary days."),
	[PP_PYN_TOKEN_INVALID] = RULE(
	    "token-invalid", PP_ERROR, "a chunk does not start with a letter",
	    "A length before it was wrong, or bytes were lost. Chunks before are used; the profile is marked "
	    "incomplete."),
	[PP_PYN_CHUNK_CUT] = RULE(
	    "chunk-cut", PP_ERROR, "a chunk is longer than what is left of the file",
	    "The file was cut, or the length is wrong. Whole rows of the chunk are used; the profile is marked "
	    "incomplete."),
	[PP_PYN_CHUNK_BIG_ENDIAN] = RULE(
	    "chunk-big-endian", PP_ERROR, "the length of a chunk is big-endian",
	    "The stream is little-endian throughout. Read the other way round the length would fit, so it was "
	    "written by a program that got this wrong; its other numbers cannot be trusted either."),
	[PP_PYN_CHUNK_LENGTH] = RULE(
	    "chunk-length", PP_ERROR, "the length of a chunk does not fit its rows",
	    "S and C are rows of 28 bytes, P has 16. Whole rows are used; the profile is marked incomplete."),
	[PP_PYN_CHUNK_UNKNOWN] = RULE("chunk-unknown", PP_WARNING, "a chunk has an unknown letter",
	                              "Its length fits, so it is skipped and the rest is read."),
	[PP_PYN_CHUNK_ORDER] = RULE("chunk-order", PP_WARNING,
	                            "the chunks are not in the order P S D C E",
	                            "They are read in any order; other readers may not."),
	[PP_PYN_CHUNK_REPEATED] = RULE(
	    "chunk-repeated", PP_WARNING, "a chunk occurs more than once",
	    "Rows of all chunks of one kind are taken together. A writer must do so beyond 4 GiB, as lengths "
	    "have 32 bits."),
	[PP_PYN_CHUNK_MISSING] = RULE(
	    "chunk-missing", PP_WARNING, "chunks are missing",
	    "S, D and C may be left out when they are empty; the document does not say so."),
	[PP_PYN_PROCESS_MISSING] = RULE(
	    "process-missing", PP_ERROR, "there is no P chunk",
	    "The document requires it. Everything else is used; start time and process are not known."),
	[PP_PYN_PROCESS_REPEATED] = RULE("process-repeated", PP_ERROR,
	                                 "there is more than one P chunk",
	                                 "A stream describes one process. The first P counts."),
	[PP_PYN_FILE_TABLE] = RULE(
	    "file-table", PP_WARNING, "there is a table of files",
	    "The document says that chunk F is not written, but several versions did. It names the files, so it "
	    "is used."),
	[PP_PYN_FILE_UNNAMED] = RULE(
	    "file-unnamed", PP_NOTE, "files have no names",
	    "The layout has no table of files. File 0 is the application where its attribute is a path; others "
	    "are shown as \"fid N\"."),
	[PP_PYN_NAME_UNTERMINATED] = RULE(
	    "name-unterminated", PP_ERROR, "the name of a sub has no end",
	    "Names end with a NUL byte, which must stand within chunk D. The last sub is dropped and the "
	    "profile marked incomplete."),
	[PP_PYN_SUB_REPEATED] = RULE(
	    "sub-repeated", PP_WARNING, "a sub number is given two names",
	    "Chunk D lists the same number again with another name. The first name counts."),
	[PP_PYN_SUB_UNNAMED] = RULE(
	    "sub-unnamed", PP_NOTE, "subs have no names",
	    "Edges name subs by numbers for which chunk D has no entry. They are shown as \"sub N\"."),
	[PP_PYN_STATEMENTS] = RULE(
	    "statements", PP_NOTE, "chunk D holds statements",
	    "The document describes sub names here, but what was written at the time are single statements "
	    "with their time in ns. They repeat what chunk S has, so they are only counted."),
	[PP_PYN_SUM_TOO_LARGE] = RULE(
	    "sum-too-large", PP_ERROR, "rows of one line or edge add up to more than 64 bits",
	    "The sum stays at the largest value. Sums over the whole profile are exact."),
	[PP_PYN_NEWLINES_REWRITTEN] = RULE(
	    "newlines-rewritten", PP_WARNING, "bytes of the value 10 were probably replaced",
	    "For eleven days Pynytprof wrote 1 for every byte 10 in its chunks: line 10 reads as line 1, a "
	    "count of 10 as 1. That cannot be undone. Record the profile again with a later version."),
	[PP_PYN_END_MISSING] = RULE(
	    "end-missing", PP_WARNING, "the terminator is missing",
	    "A stream ends with chunk E. Without it the profile may be cut; it is used and marked incomplete."),
	[PP_PYN_END_PAYLOAD] = RULE("end-payload", PP_WARNING, "the terminator is not empty",
	                            "Chunk E has no content; what is there is ignored."),
	[PP_PYN_TRAILING] = RULE(
	    "trailing", PP_WARNING, "bytes follow the terminator",
	    "Chunk E ends the stream. What follows it is ignored, whatever it may be."),
	[PP_PYN_JOINED] = RULE(
	    "joined", PP_ERROR, "two profiles stand in one file",
	    "A second banner follows the terminator. Only the first profile is read: split the file, then use "
	    "`polyprof merge`."),
	[PP_PYN_WRITE_PERL] = RULE(
	    "write-perl", PP_NOTE, "Perl's tools do not load this",
	    "The document says so, but Devel::NYTProf stops at the blank line and knows no chunks. Write "
	    "--to nytprof for Perl's tools."),
	[PP_PYN_RULE_COUNT] = { 0 },
};
