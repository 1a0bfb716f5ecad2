/*
 * What can be wrong with files of the family, or be lost in reading them, each stated once: family.h makes enums of
 * this list and rules.c tables. Where it is included, CALLGRIND, XDEBUG and CACHEGRIND are defined.
 */
#ifndef CALLGRIND
#define CALLGRIND(name, id, severity, title, text)
#endif
#ifndef XDEBUG
#define XDEBUG(name, id, severity, title, text)
#endif
#ifndef CACHEGRIND
#define CACHEGRIND(name, id, severity, title, text)
#endif
CALLGRIND(
    NO_EVENTS, "callgrind-no-events", PP_ERROR, "no events: line names what is counted",
    "The columns of cost lines are named by an events: line. Without one there is no telling what the numbers mean, so nothing in the file can be used.")
CALLGRIND(COST_BEFORE_EVENTS, "callgrind-cost-before-events", PP_ERROR,
          "a cost line comes before the events: line",
          "The events: line ends the header and must come before the first cost. The line is left "
          "out.")
CALLGRIND(UNKNOWN_LINE, "callgrind-unknown-line", PP_ERROR,
          "a line is neither header, position, cost nor comment",
          "Lines are `key: value`, `key=value`, numbers, comments or empty. This one is none of "
          "them and is left out. Often a line was cut or two were written into each other.")
CALLGRIND(BAD_NUMBER, "callgrind-bad-number", PP_ERROR,
          "something other than a number stands where one must be",
          "Positions are decimal, 0x hexadecimal, `*`, `+n` or `-n`; costs are whole decimal "
          "numbers, negative ones included, or `.` for none. The line is left out of all totals.")
CALLGRIND(
    TOO_MANY_COSTS, "callgrind-too-many-costs", PP_ERROR,
    "a cost line has more numbers than there are events",
    "Fewer numbers than events are fine (the rest is 0); what the surplus ones count is not known. They are ignored, the others are used.")
CALLGRIND(NUMBER_TOO_LARGE, "callgrind-number-too-large", PP_ERROR, "a cost exceeds 64 bits",
          "Costs are exact from 0 to 2^64-1, or from -2^63+1 to 2^63-1 where an event has negative "
          "ones. Others are not rounded or wrapped: the line is left out of all totals.")
CALLGRIND(SUM_TOO_LARGE, "callgrind-sum-too-large", PP_ERROR,
          "costs add up to more than 64 bits hold",
          "Costs of the same line, call or function are added. With this line the sum would pass "
          "2^64-1 (2^63-1 where an event has negative costs, and in Xdebug files), so that cost is "
          "left out; what was added before stays.")
CALLGRIND(NO_FUNCTION, "callgrind-no-function", PP_WARNING, "costs come before the first fn= line",
          "Each cost belongs to the function of the fn= line before it. Without one the cost is "
          "shown under ???.")
CALLGRIND(
    UNDEFINED_ID, "callgrind-undefined-id", PP_WARNING, "an id is used that was never defined",
    "`(N) name` defines id N, `(N)` uses it. This one has no name, so the id itself is shown. "
    "Xdebug 2.5.2 to 2.7 write a second file whose ids are only defined in the first.")
CALLGRIND(REDEFINED_ID, "callgrind-redefined-id", PP_NOTE,
          "an id gets another name within one part",
          "Ids may be defined anew; from here on the new name counts. Some readers refuse such "
          "files.")
CALLGRIND(BAD_ID, "callgrind-bad-id", PP_ERROR, "an id is broken",
          "An id is '(' digits ')'. This one is not closed, too large, or a name made of ids grows "
          "beyond all bounds. The text is used as it stands.")
CALLGRIND(NO_CFN, "callgrind-no-cfn", PP_WARNING, "a calls= line has no cfn= line before it",
          "cfn= names the function called and must precede each calls= line. The last one named is "
          "taken, or ??? if there was none. KCachegrind crashes on such files.")
CALLGRIND(CALL_WITHOUT_COST, "callgrind-call-without-cost", PP_ERROR,
          "a calls= line has no cost line behind it",
          "Exactly one cost line must follow a calls= line: the call site and the inclusive cost. "
          "The call is left out.")
CALLGRIND(
    BAD_CALLS, "callgrind-bad-calls", PP_ERROR, "the count of a calls= line is not a number",
    "calls= is followed by how many calls were made. The call's cost is used, its count is 0.")
CALLGRIND(BAD_JUMP, "callgrind-bad-jump", PP_WARNING, "a jump is broken",
          "Jumps are `jump=COUNT TARGET` or `jcnd=FOLLOWED/EXECUTED TARGET`, each with a position "
          "line behind it. No cost depends on them.")
CALLGRIND(BAD_POSITIONS, "callgrind-bad-positions", PP_WARNING,
          "the positions: line names an unknown kind",
          "Known are instr (or addr), bb and line. Others are ignored, so cost lines may be "
          "misread.")
CALLGRIND(POSITION_RANGE, "callgrind-position-range", PP_NOTE, "a position is a range",
          "KCachegrind accepts `a-b`, `a:b` and `a+n`. The cost is counted at the start of the "
          "range.")
CALLGRIND(POSITION_OUTSIDE, "callgrind-position-outside", PP_ERROR, "a position leaves its range",
          "A relative position ends below 0 or a line number exceeds 32 bits. The former is left "
          "out, the latter is counted at the last line.")
CALLGRIND(VERSION, "callgrind-version", PP_WARNING, "the file says it is of an unknown version",
          "Version 1 (and Xdebug's 0.9.6) are known. The file is read as version 1.")
CALLGRIND(
    BAD_EVENT, "callgrind-bad-event", PP_WARNING, "an event cannot be used",
    "A derived event is a sum of `[factor] name` over events of the file; this formula is "
    "something else or names an unknown event, or there are too many events, or one event has "
    "two columns. What cannot be used is left out.")
CALLGRIND(TOTALS_DIFFER, "callgrind-totals-differ", PP_WARNING,
          "totals: differs from the sum of the own costs",
          "The totals: line is the sum of all own cost lines of its part. It differs, so lines are "
          "missing, were changed, or were read otherwise than they were meant. Shown are the sums "
          "of the lines.")
CALLGRIND(
    SUMMARY_LOW, "callgrind-summary-low", PP_WARNING,
    "summary: is less than the sum of the own costs",
    "The summary: line is what the counters showed at the dump. It is larger than the sum of "
    "the own costs, or less by a few instructions for each signal that the program handled, "
    "and is compared only where no totals: line confirms the own costs. Shown are the sums of "
    "the lines.")
CALLGRIND(CUT, "callgrind-cut", PP_WARNING, "the file ends in the middle of a line",
          "The last line has no newline, so the file was probably cut. What is there is used.")
CALLGRIND(NO_TOTALS, "callgrind-no-totals", PP_WARNING, "callgrind did not finish this part",
          "Callgrind ends each part with a totals: line. It is missing, so the file was cut.")
XDEBUG(UNIT_ASSUMED, "xdebug-unit-assumed", PP_NOTE,
       "the unit of Time cannot be known and was assumed",
       "Xdebug 2.0.0 beta 5 to RC 3 without memory limit wrote 100 ns, RC 4 to 2.1.0 "
       "microseconds, and both look the same. Microseconds are assumed; --option time-unit=100ns "
       "says otherwise.")
XDEBUG(CUT, "xdebug-cut", PP_WARNING, "the profile was cut",
       "The last line or record is not whole: PHP was killed, or the file is still being "
       "written. Calls that had not returned have no record; what they called stands at the "
       "root.")
XDEBUG(NO_MAIN, "xdebug-no-main", PP_WARNING, "there is no record of {main}",
       "A call's record is written when it returns. {main} never did: PHP died of a fatal error, "
       "was killed, or the file is the second one that Xdebug 2.5.2 to 2.7 write for code after "
       "{main}. What the unfinished calls had called stands at the root.")
XDEBUG(NO_SUMMARY, "xdebug-no-summary", PP_WARNING, "the closing summary: line is missing",
       "Xdebug 2.8 and later end a profile with a summary: line. Without it the end was cut off, "
       "shutdown functions perhaps.")
XDEBUG(SECOND_FILE, "xdebug-second-file", PP_WARNING, "this is a second file without names",
       "Xdebug 2.5.2 to 2.7 write what runs after {main} (shutdown functions, destructors) into "
       "a second file whose ids are defined in the first one only. Names that are missing are "
       "shown as their ids.")
XDEBUG(REPEATED_EXIT, "xdebug-repeated-exit", PP_WARNING, "a call is recorded a second time",
       "Xdebug up to 2.5.1 writes all open calls again when exit() is called in a shutdown "
       "function, with times since 1970. The repetition is left out.")
XDEBUG(MISMATCH, "xdebug-mismatch", PP_WARNING, "a record's calls are not the records before it",
       "Records are written in the order in which calls return, so the calls that a record lists "
       "must be the last unclaimed records before it. Here they are not: records are missing or "
       "damaged. They are matched by name from the end; what is left over stands at the root.")
XDEBUG(AGGREGATE, "xdebug-aggregate", PP_NOTE, "an aggregate profile holds no calls one by one",
       "With profiler_aggregate Xdebug adds up calls and repeats a callee's total at each "
       "caller's record. Each pair of caller and callee is counted once; whole stacks can only "
       "be estimated.")
CACHEGRIND(
    SUMMARY, "cachegrind-summary", PP_WARNING, "summary: differs from the sum of the lines",
    "Cachegrind ends its file with the sum of all lines, and cg_annotate refuses files where "
    "it differs. Lines are missing or were changed. Shown are the sums of the lines.")
CACHEGRIND(NO_SUMMARY, "cachegrind-no-summary", PP_WARNING, "the closing summary: line is missing",
           "Cachegrind ends its file with a summary: line. Without it the file was cut.")
#undef CALLGRIND
#undef XDEBUG
#undef CACHEGRIND
