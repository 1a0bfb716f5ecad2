/*
 * What can be wrong with a recording of perf.
 */
#include "formats/perf/data.h"

const struct pp_rule pp_pd_rules[] = {
	[PP_PD_HEADER] = { "perf-header", PP_ERROR, "the header is not valid",
	                   "A recording begins with its magic, the size of its header (104 "
	                   "bytes, or 16 for what came through a pipe) and where its events "
	                   "and records are. What it says does not fit the file. Nothing can "
	                   "be read without it; only ids of an event may be left out by "
	                   "themselves." },
	[PP_PD_NO_ATTRIBUTE] = { "perf-no-event", PP_ERROR, "no event is described",
	                         "The attributes of an event say what its samples hold: "
	                         "without any, no sample can be read." },
	[PP_PD_CUT] = { "perf-cut", PP_ERROR, "the records break off",
	                "A record has an impossible size, or the file ends within it or within the data that its header "
	                "promises: the file was cut or damaged. Everything before that is used." },
	[PP_PD_SAMPLE] = { "perf-sample", PP_ERROR, "a sample is shorter than its fields",
	                   "The event says which fields a sample has, and a length in it (of a call chain, say) leads beyond its end. "
	                   "The sample is left out." },
	[PP_PD_EVENT] = { "perf-event", PP_ERROR, "samples belong to no event",
	                  "A sample comes before any event is described, or names an event "
	                  "that is not described. perf itself drops those of unknown events; "
	                  "they are left out and counted." },
	[PP_PD_EVENTS] = { "perf-events", PP_ERROR, "there are more than 1024 events",
	                   "Samples of each event are kept apart. Further events are left out, and so are their samples." },
	[PP_PD_MAPS] = { "perf-maps", PP_ERROR,
	                 "a process has more mappings than any system allows",
	                 "Linux allows a process 65,530 mappings. Further ones are left out: what runs there has no "
	                 "module." },
	[PP_PD_SUM] = { "perf-sum", PP_ERROR, "the periods of an event add up to more than 2^64-1",
	                "Sums are exact up to 2^64-1. With this sample that of its event would exceed it, so the sample is left "
	                "out; what was added before stays." },
	[PP_PD_PACKED] = { "perf-packed", PP_ERROR, "packed records are damaged",
	                   "With `perf record -z` records are packed into one zstd stream. It is damaged: what could be unpacked "
	                   "before that is used." },
	[PP_PD_UNFINISHED] = { "perf-unfinished", PP_WARNING, "the recording was not finished",
	                       "perf writes the size of its data at the end. Here it is 0: perf was killed, or still records. All whole "
	                       "records are used; names of events are derived, as nothing else is known of them." },
	[PP_PD_FEATURES] = { "perf-features", PP_WARNING, "what the file says of itself is cut",
	                     "After the records come the names of events, build ids, the "
	                     "command and the machine. The file ends before that; names of "
	                     "events are derived." },
	[PP_PD_LOST] = { "perf-lost", PP_WARNING, "events were lost while recording",
	                 "The kernel wrote faster than perf read, and dropped samples or records of processes and mappings. "
	                 "The profile is not complete: what was lost is not spread evenly. Record with a larger buffer (-m) "
	                 "or a lower rate (-F)." },
	[PP_PD_THROTTLED] = { "perf-throttled", PP_NOTE, "sampling was throttled",
	                      "Samples took too much time, so the kernel paused sampling for the rest of a tick. A lower rate (-F) "
	                      "avoids that." },
	[PP_PD_TRACE] = { "perf-trace", PP_NOTE, "traces of the processor are not decoded",
	                  "AUX data (Intel PT, Arm CoreSight or SPE) hold what the processor traced. Only perf decodes them: `perf "
	                  "script --itrace=i100us | polyprof -`." },
	[PP_PD_BRANCHES] = { "perf-branches", PP_NOTE, "branches are kept beside the stacks",
	                     "Samples hold the branches taken last (perf record -b). They are not stacks: a loop takes the same "
	                     "branch over and over without calling anything. `info` says how many there were and how many were "
	                     "mispredicted; a conversion to SPAA keeps them, added up by source and target (x_branches) "
	                     "and in the order of each sample (x_branch_stacks)." },
	[PP_PD_STACKS] = { "perf-stacks", PP_NOTE, "copies of stacks end early",
	                   "With `--call-graph dwarf` samples hold a copy of the stack instead of the callers. Who called is found "
	                   "by what the binaries say (.eh_frame): where one is not found, or is of another build, callers are "
	                   "missing from there on. `--option symfs=DIR` names the directory that holds the binaries. Stacks of "
	                   "x86 and AArch64 are unwound, of other machines the innermost frame stays." },
	[PP_PD_RECORDS] = { "perf-records", PP_NOTE, "some records are of an unknown kind",
	                    "A later version of perf or of the kernel writes records that are not known here. They were skipped." },
	[PP_PD_SYMBOLS] = { "perf-symbols", PP_NOTE, "some modules have no symbols",
	                    "Names of functions come from the binaries that were recorded, their debug files (/usr/lib/debug, .gnu_debuglink), "
	                    "perf's cache (~/.debug), the kernel's list and JIT maps (/tmp/perf-PID.map). One that has another build id than the "
	                    "recorded one is not used. On another machine than the recorded one, --option symfs=DIR says where to find them." },
	{ 0 },
};
