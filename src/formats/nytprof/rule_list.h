/*
 * What can be wrong with a NYTProf stream, each stated once: rules.h makes an enum of this
 * list and rules.c a table.
 */
RULE(
    VERSION_UNKNOWN, "nytprof-version-unknown", PP_ERROR, "the version is not one that exists",
    "A NYTProf file starts with \"NYTProf MAJOR MINOR\" and a newline. Versions 1.0 to 5.0 have "
    "existed; Devel::NYTProf 6 writes 5.0. Without knowing the version no record can be decoded, so "
    "nothing is read.")
RULE(
    VERSION_NEWER, "nytprof-version-newer", PP_WARNING, "the minor version is newer than any known",
    "The file says 5.1 or later. It is read as 5.0, which is what Devel::NYTProf does too; records "
    "that 5.0 does not have would be reported as damage.")
RULE(EMPTY, "nytprof-empty", PP_ERROR, "there are no records",
     "The file ends right after its first line. The profiled program was probably killed "
     "before the profiler wrote anything; record it again.")
RULE(
    TAG_UNKNOWN, "nytprof-tag-unknown", PP_ERROR, "no record can start here",
    "Every record starts with one of 15 tag bytes, and its strings with ' or \". Here there is something else: bytes were lost, altered, or mixed in by a second process writing to the same file (a "
    "fork without addpid). Reading goes on where sound records are found again; the profile is "
    "marked incomplete.")
RULE(RECORD_CUT, "nytprof-record-cut", PP_ERROR, "the input ends within a record",
     "The file was cut, or a length in it is wrong. All records before are used and the profile is "
     "marked incomplete. Sub totals are rebuilt from the returns recorded so far.")
RULE(
    RESYNCHRONISED, "nytprof-resynchronised", PP_WARNING, "reading went on after damaged bytes",
    "From this place on, several records in a row can be decoded and name known files. Whatever was between the damage and this place is lost.")
RULE(JOINED, "nytprof-joined", PP_WARNING, "the file contains several profiles",
     "Two files were concatenated. They are read one after the other and added up, as if merged. "
     "Devel::NYTProf refuses such a file; `polyprof merge` makes one that it loads.")
RULE(
    TEXT_MALFORMED, "nytprof-text-malformed", PP_WARNING, "an attribute or option has no '='",
    "Lines that start with ':' or '!' read key=value. This one is skipped. A newline inside a value "
    "has the same effect: the format cannot quote it.")
RULE(
    TEXT_CRLF, "nytprof-text-crlf", PP_WARNING, "text lines end in CR LF",
    "A transfer in text mode changed the line ends. The CR is left out of the values; binary records "
    "may have been damaged in the same way.")
RULE(
    RATE_MISSING, "nytprof-ticks-per-sec-missing", PP_WARNING, "ticks_per_sec is missing",
    "Statement times are counted in ticks. Without this attribute their length is not known; 10,000,000 "
    "per second is assumed, which is what the profiler uses on most systems. Devel::NYTProf "
    "itself divides by zero.")
RULE(
    RATE_INVALID, "nytprof-ticks-per-sec-invalid", PP_ERROR, "ticks_per_sec cannot be used",
    "It must be a whole number greater than zero. The value before, or 10,000,000, stays in force, so "
    "times may be wrong by a constant factor.")
RULE(
    RATE_CHANGED, "nytprof-ticks-per-sec-changed", PP_WARNING,
    "the length of a tick changes in the middle",
    "Files merged from different machines do this. Times before and after are converted to one common "
    "tick, exactly.")
RULE(
    NUMBER_SIZE, "nytprof-number-size", PP_ERROR,
    "the size of floating-point numbers is not supported",
    "nv_size tells how many bytes the profiled perl used: 8, or 12 and 16 for long doubles. Others are "
    "not known; 8 is tried.")
RULE(NUMBER_ORDER, "nytprof-number-order", PP_NOTE, "floating-point numbers are big-endian",
     "The profile was recorded on a machine of the other byte order. Its numbers are converted. "
     "Devel::NYTProf would read nonsense without noticing.")
RULE(
    NUMBER_NOT_FINITE, "nytprof-number-not-finite", PP_WARNING, "a time is not a finite number",
    "NaN, an infinity or a number beyond 10^30 cannot be added up. It is counted as zero; the count of "
    "calls stays.")
RULE(
    DEFLATE_NESTED, "nytprof-deflate-nested", PP_ERROR, "compression starts a second time",
    "The tag 'z' switches to one zlib stream for the rest of the file, so it can occur only once. The second one is ignored and the profile marked incomplete.")
RULE(
    FILE_UNDEFINED, "nytprof-fid-undefined", PP_WARNING,
    "a record names a file that nothing defined",
    "Files are numbered by '@' records, which must come first. A stand-in named \"fid N\" is made. "
    "Devel::NYTProf crashes on such files.")
RULE(FILE_REDEFINED, "nytprof-fid-redefined", PP_WARNING, "a file number is defined twice",
     "Two '@' records give the same number to different files. The last one names all its lines.")
RULE(
    FILE_ZERO, "nytprof-fid-zero", PP_WARNING, "file number 0 is used",
    "0 is reserved: in call records it marks subs without a file. It is taken as an ordinary file here.")
RULE(EVAL_PARENT, "nytprof-eval-parent", PP_WARNING,
     "a string eval is in a file that nothing defined", "The eval is kept as a file of its own.")
RULE(
    EVAL_CYCLE, "nytprof-eval-cycle", PP_WARNING, "string evals contain each other",
    "Following the files in which evals were made comes back to the start. The evals are kept as files "
    "of their own.")
RULE(
    TICKS_NEGATIVE, "nytprof-ticks-negative", PP_WARNING, "statements took negative time",
    "The clock was set back, or one statement took more than 214 seconds and its 32 bits overflowed. "
    "The values are added as they are, like Devel::NYTProf does; lines may cost too little.")
RULE(TICKS_OVERFLOW, "nytprof-ticks-overflow", PP_ERROR, "the time of a line exceeds 2^48 ticks",
     "No real program runs that long. The line keeps the largest value.")
RULE(DISCOUNT_REPEATED, "nytprof-discount-repeated", PP_WARNING, "two discounts in a row",
     "'-' makes the next statement add time but no count. A second one before that statement means "
     "nothing more. Devel::NYTProf adds seconds to the count here, which is a mistake.")
RULE(
    DISCOUNT_DANGLING, "nytprof-discount-dangling", PP_NOTE,
    "a discount is left over at the end of a process",
    "Files written by nytprofmerge carry the last discount of each input into the next. It is dropped "
    "here, so statement counts add up; Devel::NYTProf counts one less for each further input.")
RULE(DEPTH_ZERO, "nytprof-depth-zero", PP_WARNING, "a sub returns at depth 0",
     "The outermost call has depth 1. It is taken as 1.")
RULE(
    FRAMES_OPEN, "nytprof-frames-open", PP_NOTE, "subs were still running at the end",
    "A sub's name is recorded when it returns. Those that never did (the process was killed, or a child "
    "left by _exit) are shown as one frame [unknown] above what they called.")
RULE(
    CALLS_REBUILT, "nytprof-calls-rebuilt", PP_NOTE, "sub totals were rebuilt",
    "The profiler writes them at the end, and that is missing. Calls, own and inclusive times are added "
    "up from the return of each call instead: the same numbers, but call sites are not known.")
RULE(
    PROCESS_OPEN, "nytprof-process-open", PP_WARNING, "a process has no end record",
    "It was killed, it is still running, or the file was cut. What is there is used; the profile is "
    "marked incomplete.")
RULE(PROCESS_UNKNOWN, "nytprof-process-unknown", PP_WARNING, "a process ends that never started",
     "The 'p' record names a process without a 'P' record. It is ignored.")
RULE(
    PROCESS_NESTED, "nytprof-process-nested", PP_NOTE, "processes overlap",
    "A process starts before the one before it has ended. Records belong to the one that started last "
    "and has not ended.")
