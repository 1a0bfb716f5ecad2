/*
 * What can be wrong with perf script text.
 */
#include "formats/perf/perf_script.h"

const struct pp_rule pp_perf_rules[] = {
	[PP_PERF_LINE] = { "perf-script-line", PP_ERROR,
	                   "a line is neither a header nor a frame of a sample",
	                   "A sample is a header (comm, ids, cpu, time, period, event; -F leaves some out), then its "
	                   "frames, each an address, a symbol and a file on a line that starts with a tab, then an empty "
	                   "line. This line is none of these. It is not used; the rest of the file is." },
	[PP_PERF_NUMBER] = { "perf-script-number", PP_ERROR,
	                     "a number in the header of a sample is too large",
	                     "Periods are exact up to 2^64-1, ids up to 2^63-1, times up to 146 years. A larger number is not "
	                     "rounded or wrapped: the sample is left out." },
	[PP_PERF_HEADER_MISSING] = { "perf-script-header-missing", PP_ERROR,
	                             "a stack has no header",
	                             "Other samples of this file have a header line, this "
	                             "one starts with its frames: the file was cut at its "
	                             "start or lines were removed. The stack is left out, "
	                             "because it is not known which event and thread it "
	                             "belongs to." },
	[PP_PERF_CUT] = { "perf-script-cut", PP_ERROR, "the file ends in the middle of a sample",
	                  "The last line has no newline and breaks off, or a header is last and its stack is missing. That "
	                  "sample is left out: half a stack would be counted in the wrong place." },
	[PP_PERF_END] = { "perf-script-end", PP_WARNING,
	                  "no empty line ends the last sample: its stack may be cut",
	                  "perf writes an empty line after each stack, and a newline after "
	                  "each line. This file ends without it, as files do that were cut "
	                  "by `head` or trimmed by an editor. The sample is counted as it "
	                  "is, and the profile is marked incomplete." },
	[PP_PERF_SUM] = { "perf-script-sum", PP_ERROR,
	                  "the periods of an event add up to more than 2^64-1",
	                  "Sums are exact up to 2^64-1. With this sample the sum of its "
	                  "event would exceed that, so the sample is left out; what was "
	                  "added before stays." },
	[PP_PERF_EVENTS] = { "perf-script-events", PP_ERROR, "there are more than 1024 events",
	                     "Samples of each event are kept apart. No recording has thousands of events; a text in which every "
	                     "line names another one is something else. Samples of further events are left out." },
	[PP_PERF_LOST] = { "perf-script-lost", PP_WARNING, "perf lost events while recording",
	                   "The kernel wrote faster than perf read, and dropped samples or records of processes and mappings. "
	                   "The profile is not complete: what was lost is not spread evenly. Record with a larger buffer (-m) "
	                   "or a lower rate (-F)." },
	[PP_PERF_MESSAGE] = { "perf-script-message", PP_NOTE,
	                      "the text contains a message from perf",
	                      "Messages that perf prints to standard error were redirected into the same file. They are skipped." },
	[PP_PERF_PERIOD_MISSING] = { "perf-script-period-missing", PP_WARNING,
	                             "some samples of an event have a period, others do not",
	                             "The file may have been put together from outputs with different fields (-F). Samples "
	                             "without a period add nothing to it, so the number of samples is the metric to use." },
	[PP_PERF_TIME_ORDER] = { "perf-script-time-order", PP_NOTE,
	                         "samples of a thread are not in chronological order",
	                         "perf script prints samples in chronological order. Here some come before earlier ones, as "
	                         "in files that were put together. They were sorted." },
	[PP_PERF_DETAILS] = { "perf-script-details", PP_NOTE,
	                      "registers, branches or source code were skipped",
	                      "Output with -F +iregs, +uregs, +brstack or +srccode has lines "
	                      "within a sample that are not frames. They are not part of a "
	                      "profile and were skipped." },
	{ 0 },
};
