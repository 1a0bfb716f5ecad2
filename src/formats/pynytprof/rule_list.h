/*
 * What can be wrong with a Pynytprof stream, each stated once: doc.h makes an enum of this
 * list and rules.c a table.
 */
RULE(VERSION_UNKNOWN, "pynytprof-version-unknown", PP_ERROR, "the version is not 5",
     "Pynytprof writes \"NYTProf 5 0\" as its first line. Another major version would have another "
     "layout, which is not documented, so nothing is read.")
RULE(VERSION_NEWER, "pynytprof-version-newer", PP_WARNING,
     "the minor version is newer than any known",
     "The file says 5.1 or later. It is read as 5.0; chunks that are not known are skipped.")
RULE(BANNER_CUT, "pynytprof-banner-cut", PP_ERROR, "the file ends within its banner",
     "Even the text at the start is not whole: there is no data. Record the profile again.")
RULE(BANNER_LINE, "pynytprof-banner-line", PP_ERROR,
     "a line of the banner is neither comment, attribute nor option",
     "Lines start with #, : or !. A newline inside a value breaks the banner like this: the format "
     "cannot quote it. Where the chunks start cannot be told any more.")
RULE(
    BANNER_CRLF, "pynytprof-banner-crlf", PP_WARNING, "lines of the banner end in CR LF",
    "A transfer in text mode changed the line ends. If it changed the chunks too, their lengths are "
    "wrong and that is reported separately.")
RULE(BANNER_BLANK, "pynytprof-banner-blank", PP_WARNING,
     "there is more than one blank line after the banner",
     "One blank line separates the banner from the chunks. Others are skipped.")
RULE(ATTRIBUTE_MALFORMED, "pynytprof-attribute-malformed", PP_WARNING,
     "an attribute or option has no '='",
     "Lines that start with : or ! read key=value, each with its own newline. This one is skipped.")
RULE(ATTRIBUTE_REPEATED, "pynytprof-attribute-repeated", PP_WARNING,
     "an attribute or option is given twice",
     "Which of them was meant cannot be told; the last one counts, as in Perl's reader.")
RULE(ATTRIBUTE_NUL, "pynytprof-attribute-nul", PP_WARNING, "the banner contains a NUL byte",
     "The value is kept with it, but programs that use C strings will cut it there.")
RULE(RATE_MISSING, "pynytprof-ticks-per-sec-missing", PP_WARNING, "ticks_per_sec is missing",
     "The document fixes it at 10,000,000, so a tick is 100 ns; that is assumed.")
RULE(RATE_INVALID, "pynytprof-ticks-per-sec-invalid", PP_ERROR, "ticks_per_sec cannot be used",
     "It must be a whole number greater than zero. 10,000,000 is used, so times may be wrong by a "
     "constant factor.")
RULE(
    RELATIVE, "pynytprof-relative", PP_NOTE, "a layout that the document does not describe",
    "Pynytprof changed its layout about 36 times in a month. This file has one of the others: with a "
    "table of files, with P in another form, without lengths, or from the binary days.")
RULE(
    TOKEN_INVALID, "pynytprof-token-invalid", PP_ERROR, "a chunk does not start with a letter",
    "A length before it was wrong, or bytes were lost. Chunks before are used; the profile is marked "
    "incomplete.")
RULE(
    CHUNK_CUT, "pynytprof-chunk-cut", PP_ERROR, "a chunk is longer than what is left of the file",
    "The file was cut, or the length is wrong. Whole rows of the chunk are used; the profile is marked "
    "incomplete.")
RULE(
    CHUNK_BIG_ENDIAN, "pynytprof-chunk-big-endian", PP_ERROR, "the length of a chunk is big-endian",
    "The stream is little-endian throughout. Read the other way round the length would fit, so it was "
    "written by a program that got this wrong; its other numbers cannot be trusted either.")
RULE(
    CHUNK_LENGTH, "pynytprof-chunk-length", PP_ERROR, "the length of a chunk does not fit its rows",
    "S and C are rows of 28 bytes, P has 16. Whole rows are used; the profile is marked incomplete.")
RULE(CHUNK_UNKNOWN, "pynytprof-chunk-unknown", PP_WARNING, "a chunk has an unknown letter",
     "Its length fits, so it is skipped and the rest is read.")
RULE(CHUNK_ORDER, "pynytprof-chunk-order", PP_WARNING, "the chunks are not in the order P S D C E",
     "They are read in any order; other readers may not.")
RULE(
    CHUNK_REPEATED, "pynytprof-chunk-repeated", PP_WARNING, "a chunk occurs more than once",
    "Rows of all chunks of one kind are taken together. A writer must do so beyond 4 GiB, as lengths "
    "have 32 bits.")
RULE(CHUNK_MISSING, "pynytprof-chunk-missing", PP_WARNING, "chunks are missing",
     "S, D and C may be left out when they are empty; the document does not say so.")
RULE(PROCESS_MISSING, "pynytprof-process-missing", PP_ERROR, "there is no P chunk",
     "The document requires it. Everything else is used; start time and process are not known.")
RULE(PROCESS_REPEATED, "pynytprof-process-repeated", PP_ERROR, "there is more than one P chunk",
     "A stream describes one process. The first P counts.")
RULE(
    FILE_TABLE, "pynytprof-file-table", PP_WARNING, "there is a table of files",
    "The document says that chunk F is not written, but several versions did. It names the files, so it "
    "is used.")
RULE(
    FILE_UNNAMED, "pynytprof-file-unnamed", PP_NOTE, "files have no names",
    "The layout has no table of files. File 0 is the application where its attribute is a path; others "
    "are shown as \"fid N\".")
RULE(NAME_UNTERMINATED, "pynytprof-name-unterminated", PP_ERROR, "the name of a sub has no end",
     "Names end with a NUL byte, which must stand within chunk D. The last sub is dropped and the "
     "profile marked incomplete.")
RULE(SUB_REPEATED, "pynytprof-sub-repeated", PP_WARNING, "a sub number is given two names",
     "Chunk D lists the same number again with another name. The first name counts.")
RULE(SUB_UNNAMED, "pynytprof-sub-unnamed", PP_NOTE, "subs have no names",
     "Edges name subs by numbers for which chunk D has no entry. They are shown as \"sub N\".")
RULE(
    STATEMENTS, "pynytprof-statements", PP_NOTE, "chunk D holds statements",
    "The document describes sub names here, but what was written at the time are single statements "
    "with their time in ns. They repeat what chunk S has, so they are only counted.")
RULE(SUM_TOO_LARGE, "pynytprof-sum-too-large", PP_ERROR,
     "rows of one line or edge add up to more than 64 bits",
     "The sum stays at the largest value. Sums over the whole profile are exact.")
RULE(
    NEWLINES_REWRITTEN, "pynytprof-newlines-rewritten", PP_WARNING,
    "bytes of the value 10 were probably replaced",
    "For eleven days Pynytprof wrote 1 for every byte 10 in its chunks: line 10 reads as line 1, a "
    "count of 10 as 1. That cannot be undone. Record the profile again with a later version.")
RULE(
    END_MISSING, "pynytprof-end-missing", PP_WARNING, "the terminator is missing",
    "A stream ends with chunk E. Without it the profile may be cut; it is used and marked incomplete.")
RULE(END_PAYLOAD, "pynytprof-end-payload", PP_WARNING, "the terminator is not empty",
     "Chunk E has no content; what is there is ignored.")
RULE(TRAILING, "pynytprof-trailing", PP_WARNING, "bytes follow the terminator",
     "Chunk E ends the stream. What follows it is ignored, whatever it may be.")
RULE(
    JOINED, "pynytprof-joined", PP_ERROR, "the file contains two profiles",
    "A second banner follows the terminator. Only the first profile is read: split the file, then use "
    "`polyprof merge`.")
RULE(WRITE_PERL, "pynytprof-write-perl", PP_NOTE, "Perl's tools do not load this",
     "The document says so, but Devel::NYTProf stops at the blank line and knows no chunks. Write "
     "--to nytprof for Perl's tools.")
